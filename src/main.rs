//! The command line.

fn main() -> std::process::ExitCode {
    strowger::cli::main()
}
