//! The command line `pleach`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
