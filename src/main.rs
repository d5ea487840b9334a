//! The `strowger` command.

fn main() {}
