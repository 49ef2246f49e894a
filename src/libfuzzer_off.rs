//! The macros of fuzz targets without the feature that they need: each says so.

/// Needs the feature `libfuzzer`.
#[doc(hidden)]
#[macro_export]
macro_rules! fuzz {
    ($($target:tt)*) => {
        compile_error!("`pleach::fuzz!` needs a feature of pleach: add `features = [\"libfuzzer\"]` to the dependency in Cargo.toml");
    };
}

/// Needs the feature `libfuzzer`.
#[doc(hidden)]
#[macro_export]
macro_rules! language {
    ($($language:tt)*) => {
        compile_error!("`pleach::language!` needs a feature of pleach: add `features = [\"libfuzzer\"]` to the dependency in Cargo.toml");
    };
}
