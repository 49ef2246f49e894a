//! The macros of fuzz targets.
//!
//! Their expansions name `::libfuzzer_sys`, because libfuzzer-sys' own macros do: a target depends on it by that name.

/// Defines a whole fuzz target: callback, mutator and crossover.
///
/// ```ignore
/// #![no_main]
/// pleach::fuzz! {
///     grammar: "grammars/json.ebnf",
///     |text: &[u8]| { let _ = serde_json::from_slice::<serde_json::Value>(text); }
/// }
/// ```
///
/// `grammar` is a path relative to the manifest of the target's package, built into the binary, or an expression that yields
/// a [`Grammar`](crate::Grammar). The file is text or what `pleach compile` has made of it: with that, the target links no reader
/// of texts, and a large grammar is there at once. The text is `&[u8]`, or `&str` for grammars that derive UTF-8 only. The body
/// may yield `()` or a `libfuzzer_sys::Corpus`.
///
/// Settings stand between the grammar and the body, in any order:
///
/// * `codec: text` makes the inputs texts instead of choice sequences (`codec: choices`, the default): see
///   [`InputCodec`](crate::libfuzzer::InputCodec).
/// * `counters: 16384` sets how many k-paths are told apart as features (a multiple of 64; 4096 by default; each costs a little
///   in every run).
/// * `errors: 0.1` makes one input in ten slightly invalid, for error paths: see [`slip`](crate::slip).
/// * `model: "json.model"` lets random derivations follow a model that `pleach learn` has written, a path as that of the grammar:
///   see [`model`](crate::model).
/// * `mode: common` makes them like the model's samples (the default), `mode: uncommon` unlike them, and `mode: self`, with a
///   model or without, lets the model learn from what the engine keeps.
/// * `semantics: checksums` names a function `fn(&Grammar) -> Result<Semantics<S>, E>` in scope, whose hooks make right what the
///   grammar cannot: see [`semantics`](crate::semantics). Another path to it stands in parentheses.
#[macro_export]
macro_rules! fuzz {
    (grammar: $grammar:tt, $($key:ident: $value:tt,)* |$text:ident: &[u8]| $body:expr $(,)?) => {
        $crate::__fuzz!([$grammar] [$($key: $value),*] |$text: &[u8]| $body);
    };
    (grammar: $grammar:tt, $($key:ident: $value:tt,)* |$text:ident: &str| $body:expr $(,)?) => {
        $crate::__fuzz!([$grammar] [$($key: $value),*] |$text: &str| $body);
    };
    (grammar: $grammar:expr, $($key:ident: $value:tt,)* |$text:ident: &[u8]| $body:expr $(,)?) => {
        $crate::__fuzz!([$grammar] [$($key: $value),*] |$text: &[u8]| $body);
    };
    (grammar: $grammar:expr, $($key:ident: $value:tt,)* |$text:ident: &str| $body:expr $(,)?) => {
        $crate::__fuzz!([$grammar] [$($key: $value),*] |$text: &str| $body);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __fuzz {
    ([$grammar:expr] $settings:tt |$text:ident: &[u8]| $body:expr) => {
        $crate::__fuzz!(@target [$grammar] $settings |text| {
            let $text: &[u8] = text;
            ::libfuzzer_sys::Corpus::from($body)
        });
    };
    ([$grammar:expr] $settings:tt |$text:ident: &str| $body:expr) => {
        $crate::__fuzz!(@target [$grammar] $settings |text| {
            match ::core::str::from_utf8(text) {
                ::core::result::Result::Ok($text) => ::libfuzzer_sys::Corpus::from($body),
                ::core::result::Result::Err(_) => ::libfuzzer_sys::Corpus::Reject,
            }
        });
    };
    (@target [$grammar:expr] [$($key:ident: $value:tt),*] |$text:ident| $body:block) => {
        $crate::language! {
            static PLEACH_LANGUAGE: PleachLanguage = $grammar $(, $key: $value)*;
        }

        ::libfuzzer_sys::fuzz_target!(
            init: PLEACH_LANGUAGE.load(),
            |input: $crate::libfuzzer::Input<'_, PleachLanguage>| -> ::libfuzzer_sys::Corpus {
                input.execute(|$text: &[u8]| $body)
            }
        );
        ::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            PLEACH_LANGUAGE.mutate(data, size, max_size, seed)
        });
        ::libfuzzer_sys::fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
            PLEACH_LANGUAGE.crossover(data1, data2, out, seed)
        });
    };
}

/// Defines a type that stands for a grammar, and the static [`Fuzzer`](crate::libfuzzer::Fuzzer) behind it.
///
/// ```ignore
/// pleach::language! { static JSON: Json = "grammars/json.ebnf"; }
///
/// fuzz_target!(|json: pleach::Sentence<Json>| { let _ = json.as_bytes(); });
/// fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
///     JSON.mutate(data, size, max_size, seed)
/// });
/// fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
///     JSON.crossover(data1, data2, out, seed)
/// });
/// ```
///
/// The grammar is given as in [`fuzz!`](crate::fuzz!), and settings may follow it: `, codec: text`, `, counters: 16384`,
/// `, errors: 0.1`, `, model: "json.model"`, `, mode: uncommon`, `, semantics: checksums`.
#[macro_export]
macro_rules! language {
    ($visibility:vis static $name:ident: $type:ident = $grammar:expr $(, $key:ident: $value:tt)*;) => {
        $($crate::__setting!($key);)*

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
                ::libfuzzer_sys::fuzzer_mutate,
            )
            .with_codec($crate::__codec!($($key $value)*))
            .with_errors($crate::__errors!($($key $value)*))
            .with_model($crate::__model!($($key $value)*), $crate::__mode!($($key $value)*))
            .with_semantics($crate::__semantics!($($key $value)*))
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

#[doc(hidden)]
#[macro_export]
macro_rules! __setting {
    (counters) => {};
    (codec) => {};
    (errors) => {};
    (model) => {};
    (mode) => {};
    (semantics) => {};
    ($other:ident) => {
        compile_error!(concat!(
            "there is no setting `",
            stringify!($other),
            "`: the settings are `counters`, `codec`, `errors`, `model`, `mode` and `semantics`"
        ));
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

#[doc(hidden)]
#[macro_export]
macro_rules! __grammar {
    ($path:literal) => {{
        const BYTES: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path));
        // Known when the target is built, so that the reader of texts is left out of one that needs none.
        const IS_COMPILED: bool = $crate::Grammar::is_compiled(BYTES);
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
