//! The `strowger` command.

fn main() {
    std::process::exit(strowger::cli::run());
}
