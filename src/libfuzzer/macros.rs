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
/// a [`Grammar`](crate::Grammar). The text is `&[u8]`, or `&str` for grammars that derive UTF-8 only. The body may yield
/// `()` or a `libfuzzer_sys::Corpus`. `counters: 16384`, before the body, sets how many k-paths are told apart as features
/// (a multiple of 64; 4096 by default; each costs a little in every run). `codec: text`, beside it in any order, makes the
/// inputs texts instead of choice sequences (`codec: choices`, the default): see
/// [`InputCodec`](crate::libfuzzer::InputCodec).
#[macro_export]
macro_rules! fuzz {
    (grammar: $grammar:tt, $($rest:tt)*) => {
        $crate::__fuzz!([$grammar] [4096] [choices] $($rest)*);
    };
    (grammar: $grammar:expr, $($rest:tt)*) => {
        $crate::__fuzz!([$grammar] [4096] [choices] $($rest)*);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __fuzz {
    ([$grammar:expr] [$_default:expr] [$codec:ident] counters: $counters:expr, $($rest:tt)*) => {
        $crate::__fuzz!([$grammar] [$counters] [$codec] $($rest)*);
    };
    ([$grammar:expr] [$counters:expr] [$_default:ident] codec: $codec:ident, $($rest:tt)*) => {
        $crate::__fuzz!([$grammar] [$counters] [$codec] $($rest)*);
    };
    ([$grammar:expr] [$counters:expr] [$codec:ident] |$text:ident: &[u8]| $body:expr) => {
        $crate::__fuzz!(@target [$grammar] [$counters] [$codec] |text| {
            let $text: &[u8] = text;
            ::libfuzzer_sys::Corpus::from($body)
        });
    };
    ([$grammar:expr] [$counters:expr] [$codec:ident] |$text:ident: &str| $body:expr) => {
        $crate::__fuzz!(@target [$grammar] [$counters] [$codec] |text| {
            match ::core::str::from_utf8(text) {
                ::core::result::Result::Ok($text) => ::libfuzzer_sys::Corpus::from($body),
                ::core::result::Result::Err(_) => ::libfuzzer_sys::Corpus::Reject,
            }
        });
    };
    (@target [$grammar:expr] [$counters:expr] [$codec:ident] |$text:ident| $body:block) => {
        $crate::language! {
            static PLEACH_LANGUAGE: PleachLanguage = $grammar, codec: $codec, counters: $counters;
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
/// The grammar is given as in [`fuzz!`](crate::fuzz!); `, codec: text`, `, counters: 16384` or both may follow it.
#[macro_export]
macro_rules! language {
    ($visibility:vis static $name:ident: $type:ident = $grammar:expr;) => {
        $crate::language! { $visibility static $name: $type = $grammar, codec: choices, counters: 4096; }
    };
    ($visibility:vis static $name:ident: $type:ident = $grammar:expr, counters: $counters:expr;) => {
        $crate::language! { $visibility static $name: $type = $grammar, codec: choices, counters: $counters; }
    };
    ($visibility:vis static $name:ident: $type:ident = $grammar:expr, codec: $codec:ident;) => {
        $crate::language! { $visibility static $name: $type = $grammar, codec: $codec, counters: 4096; }
    };
    ($visibility:vis static $name:ident: $type:ident = $grammar:expr, counters: $counters:expr, codec: $codec:ident;) => {
        $crate::language! { $visibility static $name: $type = $grammar, codec: $codec, counters: $counters; }
    };
    ($visibility:vis static $name:ident: $type:ident = $grammar:expr, codec: $codec:ident, counters: $counters:expr;) => {
        /// A grammar.
        #[derive(Clone, Copy, Debug)]
        $visibility struct $type;

        $visibility static $name: $crate::libfuzzer::Fuzzer = {
            #[used]
            #[cfg_attr(
                any(target_os = "linux", target_os = "freebsd", target_os = "netbsd"),
                unsafe(link_section = "__libfuzzer_extra_counters")
            )]
            static COUNTERS: $crate::libfuzzer::Counters<{ $counters }> = $crate::libfuzzer::Counters::new();

            $crate::libfuzzer::Fuzzer::new(
                || $crate::__grammar!($grammar),
                COUNTERS.as_slice(),
                ::libfuzzer_sys::fuzzer_mutate,
            )
            .with_codec($crate::__codec!($codec))
        };

        impl $crate::libfuzzer::Language for $type {
            fn fuzzer() -> &'static $crate::libfuzzer::Fuzzer {
                &$name
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __codec {
    (choices) => {
        $crate::libfuzzer::InputCodec::Choices
    };
    (text) => {
        $crate::libfuzzer::InputCodec::Text
    };
    ($other:ident) => {
        compile_error!(concat!(
            "there is no codec `",
            stringify!($other),
            "`: write `codec: choices` or `codec: text`"
        ))
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __grammar {
    ($path:literal) => {
        $crate::libfuzzer::__private::parse(
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path)),
            $path,
        )
    };
    ($grammar:expr) => {
        ::core::result::Result::Ok($grammar)
    };
}
