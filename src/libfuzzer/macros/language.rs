//! The type that stands for a grammar, the static behind it, and what each setting of a target becomes.

/// Defines a type that stands for a grammar, and the static [`Fuzzer`](crate::libfuzzer::Fuzzer) behind it.
///
/// ```no_run
/// #![no_main]
///
/// use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target};
///
/// pleach::language! { static JSON: Json = "grammars/json/json.ebnf"; }
///
/// fuzz_target!(init: JSON.load(), |json: pleach::Sentence<Json>| { let _ = json.as_bytes(); });
/// fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
///     JSON.mutate(data, size, max_size, seed)
/// });
/// fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
///     JSON.crossover(data1, data2, out, seed)
/// });
/// ```
///
/// The grammar is given as in [`fuzz!`](crate::fuzz!), and the same settings may follow it: `, codec: text, errors: 0.1;`.
#[macro_export]
macro_rules! language {
    ($visibility:vis static $name:ident: $type:ident = $grammar:expr $(, $key:ident: $value:tt)* $(,)?;) => {
        $crate::__language! {
            [::libfuzzer_sys] $visibility static $name: $type = $grammar $(, $key: $value)*;
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __language {
    ([$($engine:tt)+] $visibility:vis static $name:ident: $type:ident = $grammar:expr $(, $key:ident: $value:tt)*;) => {
        $($crate::__setting!($key);)*
        // An error where a setting is given twice.
        const _: () = {
            $(
                #[allow(dead_code, non_camel_case_types)]
                struct $key;
            )*
        };

        /// A grammar.
        #[derive(Clone, Copy, Debug)]
        $visibility struct $type;

        $visibility static $name: $crate::libfuzzer::Fuzzer = {
            #[used]
            #[cfg_attr(
                any(target_os = "linux", target_os = "freebsd", target_os = "netbsd"),
                unsafe(link_section = "__libfuzzer_extra_counters")
            )]
            static COUNTERS: $crate::libfuzzer::Counters<{ $crate::__counters!($($key $value)*) }> = $crate::libfuzzer::Counters::new();
            $crate::__register!(COUNTERS);

            $crate::libfuzzer::Fuzzer::new(
                || $crate::__grammar!($grammar),
                COUNTERS.as_slice(),
                $($engine)+::fuzzer_mutate,
            )
            .with_path($crate::__path!($grammar))
            .with_codec($crate::__codec!($($key $value)*))
            .with_errors($crate::__errors!($($key $value)*))
            .with_model($crate::__model!($($key $value)*), $crate::__mode!($($key $value)*))
            .with_semantics($crate::__semantics!($($key $value)*))
            .with_goals($crate::__goals!($($key $value)*))
        };

        impl $crate::libfuzzer::Language for $type {
            fn fuzzer() -> &'static $crate::libfuzzer::Fuzzer {
                &$name
            }
        }
    };
}

/// libFuzzer finds the counters by their section.
#[cfg(not(feature = "libafl"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($counters:ident) => {};
}

/// LibAFL does not look at that section; it takes counters from modules that register them before `main`.
#[cfg(feature = "libafl")]
#[doc(hidden)]
#[macro_export]
macro_rules! __register {
    ($counters:ident) => {
        const _: () = {
            unsafe extern "C" {
                fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8);
            }

            extern "C" fn register() {
                let counters = $counters.as_slice().as_ptr_range();
                // SAFETY: these are the bounds of an array of atomic bytes that lives as long as the program. The engine reads
                // and clears them between runs, when nobody else writes to them.
                unsafe {
                    __sanitizer_cov_8bit_counters_init(
                        counters.start.cast_mut().cast(),
                        counters.end.cast_mut().cast(),
                    );
                }
            }

            #[used]
            #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
            #[cfg_attr(
                target_vendor = "apple",
                unsafe(link_section = "__DATA,__mod_init_func")
            )]
            static REGISTER: extern "C" fn() = register;
        };
    };
}

/// An error at a name that is none of a setting.
#[doc(hidden)]
#[macro_export]
macro_rules! __setting {
    (counters) => {};
    (codec) => {};
    (errors) => {};
    (model) => {};
    (mode) => {};
    (semantics) => {};
    (goals) => {};
    // It is a setting, and there is one already.
    (grammar) => {
        compile_error!("the setting `grammar` is given twice");
    };
    ($other:ident) => {
        // The compiler points at the name, and knows which one is similar.
        const _: () = $crate::libfuzzer::SETTINGS.$other;
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __counters {
    () => { 4096 };
    (counters $value:tt $($rest:tt)*) => { $value };
    ($_key:ident $_value:tt $($rest:tt)*) => { $crate::__counters!($($rest)*) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __errors {
    () => { 0.0 };
    (errors $value:tt $($rest:tt)*) => { $value };
    ($_key:ident $_value:tt $($rest:tt)*) => { $crate::__errors!($($rest)*) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __model {
    () => { ::core::option::Option::None };
    (model $path:literal $($rest:tt)*) => {{
        const BYTES: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
        const _: () = assert!(
            $crate::libfuzzer::__private::READS_COMPILED,
            "a model takes a feature of pleach: add `features = [\"compiled\"]` to the dependency in Cargo.toml"
        );
        ::core::option::Option::Some(BYTES)
    }};
    ($_key:ident $_value:tt $($rest:tt)*) => { $crate::__model!($($rest)*) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __mode {
    () => { ::core::option::Option::None };
    (mode common $($rest:tt)*) => {
        ::core::option::Option::Some($crate::libfuzzer::ModelMode::Common)
    };
    (mode uncommon $($rest:tt)*) => {
        ::core::option::Option::Some($crate::libfuzzer::ModelMode::Uncommon)
    };
    (mode self $($rest:tt)*) => {
        ::core::option::Option::Some($crate::libfuzzer::ModelMode::Kept)
    };
    (mode $other:tt $($rest:tt)*) => {
        compile_error!(concat!(
            "there is no mode `",
            stringify!($other),
            "`: write `mode: common`, `mode: uncommon` or `mode: self`"
        ))
    };
    ($_key:ident $_value:tt $($rest:tt)*) => { $crate::__mode!($($rest)*) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __semantics {
    () => { ::core::option::Option::None };
    (semantics $make:tt $($rest:tt)*) => {
        ::core::option::Option::Some(|grammar| $crate::libfuzzer::__private::hooks($make(grammar)))
    };
    ($_key:ident $_value:tt $($rest:tt)*) => { $crate::__semantics!($($rest)*) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __goals {
    () => { &[] };
    (goals [$($name:expr),* $(,)?] $($rest:tt)*) => { &[$($name),*] };
    (goals $one:literal $($rest:tt)*) => {
        compile_error!(concat!(
            "`goals` takes names in brackets: write `goals: [",
            stringify!($one),
            "]`"
        ))
    };
    (goals $value:tt $($rest:tt)*) => { $value };
    ($_key:ident $_value:tt $($rest:tt)*) => { $crate::__goals!($($rest)*) };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __codec {
    () => { $crate::libfuzzer::InputCodec::Choices };
    (codec choices $($rest:tt)*) => { $crate::libfuzzer::InputCodec::Choices };
    (codec text $($rest:tt)*) => { $crate::libfuzzer::InputCodec::Text };
    (codec $other:tt $($rest:tt)*) => {
        compile_error!(concat!(
            "there is no codec `",
            stringify!($other),
            "`: write `codec: choices` or `codec: text`"
        ))
    };
    ($_key:ident $_value:tt $($rest:tt)*) => { $crate::__codec!($($rest)*) };
}

/// Where the grammar is, if it is a file.
#[doc(hidden)]
#[macro_export]
macro_rules! __path {
    ($path:literal) => {
        ::core::option::Option::Some($path)
    };
    ($grammar:expr) => {
        ::core::option::Option::None
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __grammar {
    ($path:literal) => {{
        const _: () = assert!(
            $crate::libfuzzer::__private::is_readable($path),
            concat!(
                "`", $path, "` is a grammar of another notation. Make one of pleach's of it: `pleach convert ", $path,
                " -o NAME.ebnf`, and name that file"
            )
        );
        const BYTES: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
        // Known when the target is built, so that the reader of texts is left out of one that needs none.
        const IS_COMPILED: bool = $crate::Grammar::is_compiled(BYTES);
        const _: () = assert!(
            !IS_COMPILED || $crate::libfuzzer::__private::READS_COMPILED,
            concat!(
                "`", $path, "` is a compiled grammar, which takes a feature of pleach: add `features = [\"compiled\"]` to the ",
                "dependency in Cargo.toml"
            )
        );
        if IS_COMPILED {
            $crate::libfuzzer::__private::load(BYTES, $path)
        } else {
            $crate::libfuzzer::__private::parse(BYTES, $path)
        }
    }};
    ($grammar:expr) => {
        ::core::result::Result::Ok($grammar)
    };
}
