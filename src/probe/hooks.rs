//! Which of the engine's entries a program defines.

use std::fs;
use std::path::Path;

use object::{Object as _, ObjectSymbol as _};

use crate::Error;

/// The functions by which an engine calls a fuzz target, as far as a program defines them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Hooks {
    /// `LLVMFuzzerTestOneInput`, which runs an input.
    pub target: bool,
    /// `LLVMFuzzerCustomMutator`: without it, the engine changes inputs by itself.
    pub mutator: bool,
    /// `LLVMFuzzerCustomCrossOver`.
    pub crossover: bool,
}

impl Hooks {
    /// Looks them up in the symbol table of a program.
    ///
    /// # Errors
    ///
    /// If the program cannot be read, or has no symbols.
    pub fn of(program: &Path) -> Result<Hooks, Error> {
        let bytes = fs::read(program).map_err(|source| Error::File {
            path: program.to_owned(),
            source,
        })?;
        let no_symbols = |what: String| Error::NoSymbols {
            program: program.to_owned(),
            what,
        };
        let file = object::File::parse(&*bytes).map_err(|error| no_symbols(error.to_string()))?;
        let mut hooks = Hooks::default();
        let mut has_symbols = false;
        for symbol in file.symbols().filter(|it| it.is_definition()) {
            has_symbols = true;
            match symbol.name().unwrap_or_default().trim_start_matches('_') {
                "LLVMFuzzerTestOneInput" => hooks.target = true,
                "LLVMFuzzerCustomMutator" => hooks.mutator = true,
                "LLVMFuzzerCustomCrossOver" => hooks.crossover = true,
                _ => {}
            }
        }
        match has_symbols {
            true => Ok(hooks),
            false => Err(no_symbols(String::new())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Hooks;

    #[test]
    fn a_test_is_no_target() {
        let program = std::env::current_exe().unwrap();
        assert_eq!(Hooks::of(&program).unwrap(), Hooks::default());
        assert!(Hooks::of("Cargo.toml".as_ref()).is_err());
    }
}
