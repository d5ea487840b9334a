//! Diameter by raw bytes: what comes back for bad input, whole conversations of two peers, and that no bytes harm.
//!
//! `tests/data/diameter/*.hex` are messages in hexadecimal digits; `#` begins a comment.

#![cfg(feature = "pcrf")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

mod build;
mod peers;
mod requests;
mod survival;
