//! The macros of fuzz targets: here the one that defines a whole target, and in [`language`] what it is made of.
//!
//! Their expansions name `::libfuzzer_sys`, because libfuzzer-sys' own macros do: a target depends on it by that name.

mod language;

/// Defines a whole fuzz target: callback, mutator and crossover.
///
/// ```no_run
/// #![no_main]
///
/// pleach::fuzz! {
///     grammar: "grammars/json/json.ebnf",
///     |text: &[u8]| {
///         let Ok(text) = std::str::from_utf8(text) else { return };
///         let _ = text.parse::<f64>();
///     }
/// }
/// ```
///
/// The settings, `name: value,` each, stand in any order before the body. Only `grammar` is needed. The package of the target
/// depends on `pleach`, and on `libfuzzer-sys` by that name:
///
/// ```toml
/// [dependencies]
/// libfuzzer-sys = "0.4"
/// pleach = "0.1"
/// ```
///
/// # The body
///
/// It takes the text, which is a sentence of the grammar, as one of these:
///
/// | written | the text is |
/// |---|---|
/// | <code>\|text: &\[u8\]\|</code>, <code>\|text\|</code> | its bytes |
/// | <code>\|text: &str\|</code> | a string; an input that is not UTF-8, if there is one, is left out |
/// | <code>\|text: Vec\<u8>\|</code>, <code>\|text: String\|</code> | the same as values of its own |
///
/// `return` and `let … else { return }` work as in libfuzzer-sys' `fuzz_target!`. The body may yield a `libfuzzer_sys::Corpus`
/// instead of nothing, and so say whether the engine may keep the input:
///
/// ```no_run
/// #![no_main]
///
/// use libfuzzer_sys::Corpus;
///
/// pleach::fuzz! {
///     grammar: "grammars/json/json.ebnf",
///     |text: &str| {
///         let Ok(number) = text.parse::<f64>() else { return Corpus::Reject };
///         assert_eq!(number.to_string().parse(), Ok(number));
///         Corpus::Keep
///     }
/// }
/// ```
///
/// # `grammar`
///
/// A path relative to the manifest of the target's package; the file is built into the target. It is text in the
/// [notation](pleach_core::grammar::notation) of pleach, or what `pleach compile` has made of it: with that, the target links no reader of
/// texts, and a large grammar is there at once. `pleach convert` makes a grammar of another notation (`.g4`, `.pest`, `.abnf`, …) one of this.
/// Instead of a path it may be an expression that yields a [`Grammar`](crate::Grammar):
///
/// ```no_run
/// #![no_main]
///
/// const LISTS: &str = "list := '[' (item (',' item)*)? ']'; item := [0-9] | list;";
///
/// pleach::fuzz! {
///     grammar: LISTS.parse().expect("it is a grammar"),
///     |text: &str| { assert_eq!(text.matches('[').count(), text.matches(']').count()); }
/// }
/// ```
///
/// # `codec`
///
/// What the files of the corpus are: `choices`, the default, are derivations as bytes, and `text` is the texts themselves. See
/// [`InputCodec`](crate::libfuzzer::InputCodec).
///
/// ```no_run
/// #![no_main]
///
/// pleach::fuzz! {
///     grammar: "grammars/json/json.ebnf",
///     codec: text,
///     |text: &[u8]| { let _ = std::str::from_utf8(text); }
/// }
/// ```
///
/// # `errors`
///
/// The share of mutations that make an input slightly invalid, for error paths: see [`slip`](pleach_core::slip).
///
/// ```no_run
/// #![no_main]
///
/// pleach::fuzz! {
///     grammar: "grammars/json/json.ebnf",
///     errors: 0.1,
///     |text: &str| { let _ = text.parse::<f64>(); }
/// }
/// ```
///
/// # `model` and `mode`
///
/// `model` lets random derivations follow what `pleach learn` has learned from samples, by a path as that of the grammar. `mode: common` makes
/// them like the samples (the default), `mode: uncommon` unlike them, and `mode: self`, with a model or without, lets the model
/// learn from what the engine keeps: see [`model`](pleach_core::model).
///
/// ```no_run
/// #![no_main]
///
/// pleach::fuzz! {
///     grammar: "grammars/json/json.ebnf",
///     mode: self,
///     |text: &str| { let _ = text.parse::<f64>(); }
/// }
/// ```
///
/// # `semantics`
///
/// A function `fn(&Grammar) -> Result<Semantics<S>, E>`, whose hooks make right what the grammar cannot, as lengths and checksums: see
/// [`semantics`](pleach_core::semantics).
///
/// ```no_run
/// #![no_main]
///
/// use pleach::Grammar;
/// use pleach::semantics::{Error, Semantics, productions};
///
/// fn lengths(grammar: &Grammar) -> Result<Semantics, Error> {
///     let [file, length, body] = productions(grammar, ["file", "length", "body"])?;
///     Ok(Semantics::new(grammar).on_leave(file, move |node, ()| {
///         let len = node.child_text(body).len() as u8;
///         node.replace_child(length, &[len]);
///     }))
/// }
///
/// pleach::fuzz! {
///     grammar: "file := length body; length := [\\x00-\\xff]; body := [a-z]{0,20};".parse().expect("it is a grammar"),
///     semantics: lengths,
///     |file: &[u8]| { assert_eq!(usize::from(file[0]), file.len() - 1); }
/// }
/// ```
///
/// # `goals`
///
/// Names of numbers: an input that has a greater one than all before is kept, and mutated on. `time` (CPU time), `work` (edge counts) and
/// `allocated` (with [`Counting`](crate::libfuzzer::Counting)) are there; the target reports others by [`goal!`](crate::goal!).
/// `PLEACH_GOAL`, or `pleach fuzz --goal`, names others instead, and `none` leaves these out.
///
/// ```no_run
/// #![no_main]
///
/// pleach::fuzz! {
///     grammar: "grammars/json/json.ebnf",
///     goals: ["digits", "time"],
///     |text: &str| {
///         pleach::goal!("digits", text.bytes().filter(u8::is_ascii_digit).count());
///     }
/// }
/// ```
///
/// # `counters`
///
/// How many k-paths the engine tells apart as features: 4096 unless set, best a multiple of 64. Each costs a little in every run.
///
/// ```no_run
/// #![no_main]
///
/// pleach::fuzz! {
///     grammar: "grammars/json/json.ebnf",
///     counters: 16384,
///     |text: &str| { let _ = text.parse::<f64>(); }
/// }
/// ```
#[macro_export]
macro_rules! fuzz {
    ($($target:tt)*) => {
        $crate::__fuzz!(@settings [] $($target)*);
    };
}

/// Reads a target from left to right: settings, the body's parameter, the body. Every mistake that can be told ends in one error.
#[doc(hidden)]
#[macro_export]
macro_rules! __fuzz {
    (@settings $settings:tt || $($rest:tt)*) => {
        compile_error!("the body of `fuzz!` takes the text: write `|text: &[u8]| { … }`");
    };
    (@settings $settings:tt | $($rest:tt)*) => {
        $crate::__fuzz!(@parameter $settings $($rest)*);
    };
    (@settings [$($settings:tt)*] $key:ident: $value:tt, $($rest:tt)*) => {
        $crate::__fuzz!(@settings [$($settings)* ($key $value)] $($rest)*);
    };
    (@settings $settings:tt $key:ident: $value:tt | $($rest:tt)*) => {
        $crate::__fuzz!(@no_comma $key $value);
    };
    (@settings $settings:tt $key:ident: $value:tt || $($rest:tt)*) => {
        $crate::__fuzz!(@no_comma $key $value);
    };
    (@settings $settings:tt $key:ident: $value:tt $next:ident: $($rest:tt)*) => {
        $crate::__fuzz!(@no_comma $key $value);
    };
    (@settings [$($settings:tt)*] $key:ident: $value:expr, $($rest:tt)*) => {
        $crate::__fuzz!(@settings [$($settings)* ($key $value)] $($rest)*);
    };
    // This may be a body, too, whose comma is missing.
    (@settings $settings:tt $key:ident: $value:expr) => {
        compile_error!(concat!(
            "`fuzz!` needs a comma after `", stringify!($key), ": …`, and then the body: `|text: &[u8]| { … }`"
        ));
    };
    (@settings $settings:tt $key:ident: $value:expr; $($rest:tt)*) => {
        compile_error!(concat!(
            "`fuzz!` needs a comma after `", stringify!($key), ": …`, not a semicolon"
        ));
    };
    (@settings $settings:tt $key:ident = $($rest:tt)*) => {
        compile_error!(concat!(
            "a setting of `fuzz!` is written with a colon: `", stringify!($key), ": …,`"
        ));
    };
    (@settings []) => {
        compile_error!(
            "`fuzz!` needs a grammar and a body: `grammar: \"json.ebnf\", |text: &[u8]| { … }`"
        );
    };
    (@settings $settings:tt) => {
        compile_error!("`fuzz!` needs a body after its settings: `|text: &[u8]| { … }`");
    };
    (@settings $settings:tt $($rest:tt)*) => {
        compile_error!(concat!(
            "`fuzz!` takes settings, each with a comma after it, and then the body: \
            `grammar: \"json.ebnf\", |text: &[u8]| { … }`; it cannot read from here on: `",
            stringify!($($rest)*),
            "`"
        ));
    };
    (@no_comma $key:ident $value:tt) => {
        compile_error!(concat!(
            "`fuzz!` needs a comma after `", stringify!($key), ": ", stringify!($value), "`"
        ));
    };

    (@parameter $settings:tt $text:ident | $($body:tt)*) => {
        $crate::__fuzz!(@body $settings [$text] [&[u8]] $($body)*);
    };
    (@parameter $settings:tt mut $text:ident | $($body:tt)*) => {
        $crate::__fuzz!(@body $settings [mut $text] [&[u8]] $($body)*);
    };
    (@parameter $settings:tt _ | $($body:tt)*) => {
        $crate::__fuzz!(@body $settings [_] [&[u8]] $($body)*);
    };
    (@parameter $settings:tt $text:ident: $type:ty | $($body:tt)*) => {
        $crate::__fuzz!(@body $settings [$text] [$type] $($body)*);
    };
    (@parameter $settings:tt mut $text:ident: $type:ty | $($body:tt)*) => {
        $crate::__fuzz!(@body $settings [mut $text] [$type] $($body)*);
    };
    (@parameter $settings:tt _: $type:ty | $($body:tt)*) => {
        $crate::__fuzz!(@body $settings [_] [$type] $($body)*);
    };
    (@parameter $settings:tt $($rest:tt)*) => {
        compile_error!("the body of `fuzz!` takes the text by one name: write `|text: &[u8]| { … }`");
    };

    (@body $settings:tt $text:tt $type:tt -> $yields:ty $body:block $(,)?) => {
        $crate::__fuzz!(@check [] $settings $settings $text $type [-> $yields] { $body });
    };
    (@body $settings:tt $text:tt $type:tt $body:expr $(,)?) => {
        $crate::__fuzz!(@check [] $settings $settings $text $type [] $body);
    };
    (@body $settings:tt $text:tt $type:tt) => {
        compile_error!("`fuzz!` needs a body: `|text: &[u8]| { … }`");
    };
    (@body $settings:tt $text:tt $type:tt $body:expr, $($rest:tt)*) => {
        $crate::__fuzz!(@behind $($rest)*);
    };
    (@body $settings:tt $text:tt $type:tt $body:block $($rest:tt)*) => {
        $crate::__fuzz!(@behind $($rest)*);
    };
    (@body $settings:tt $text:tt $type:tt $($rest:tt)*) => {
        $crate::__fuzz!(@behind $($rest)*);
    };
    (@behind $($rest:tt)*) => {
        compile_error!(concat!(
            "the body of `fuzz!` comes last, after all settings; behind it stands `", stringify!($($rest)*), "`"
        ));
    };

    // The grammar, wherever it stands, and the other settings as `language!` takes them. What is none gets there too, and is
    // an error there.
    (@check [$($before:tt)*] [(grammar $grammar:tt) $($after:tt)*] $settings:tt $text:tt $type:tt $yields:tt $body:tt) => {
        $crate::__fuzz!(@target [$grammar] [$($before)* $($after)*] $text $type $yields $body);
    };
    (@check [$($before:tt)*] [$other:tt $($after:tt)*] $settings:tt $text:tt $type:tt $yields:tt $body:tt) => {
        $crate::__fuzz!(@check [$($before)* $other] [$($after)*] $settings $text $type $yields $body);
    };
    (@check $before:tt [] $settings:tt $text:tt $type:tt $yields:tt $body:tt) => {
        $crate::__fuzz!(@without_grammar $settings);
    };
    // A misspelled `grammar` is an unknown setting before it is a missing one.
    (@without_grammar [(counters $value:tt) $($rest:tt)*]) => { $crate::__fuzz!(@without_grammar [$($rest)*]); };
    (@without_grammar [(codec $value:tt) $($rest:tt)*]) => { $crate::__fuzz!(@without_grammar [$($rest)*]); };
    (@without_grammar [(errors $value:tt) $($rest:tt)*]) => { $crate::__fuzz!(@without_grammar [$($rest)*]); };
    (@without_grammar [(model $value:tt) $($rest:tt)*]) => { $crate::__fuzz!(@without_grammar [$($rest)*]); };
    (@without_grammar [(mode $value:tt) $($rest:tt)*]) => { $crate::__fuzz!(@without_grammar [$($rest)*]); };
    (@without_grammar [(goals $value:tt) $($rest:tt)*]) => { $crate::__fuzz!(@without_grammar [$($rest)*]); };
    (@without_grammar [(semantics $value:tt) $($rest:tt)*]) => { $crate::__fuzz!(@without_grammar [$($rest)*]); };
    (@without_grammar [($key:ident $value:tt) $($rest:tt)*]) => { $crate::__setting!($key); };
    (@without_grammar []) => {
        compile_error!("`fuzz!` needs a grammar: add `grammar: \"json.ebnf\",`");
    };

    (@target [$grammar:tt] [$(($key:ident $value:tt))*] [$($text:tt)+] [$type:ty] [$($yields:tt)*] $body:tt) => {
        // If the engine is missing, this is the only error: what is found through the name is not missed again.
        #[allow(unused_imports)]
        use ::libfuzzer_sys as __pleach_engine;

        $crate::__language! {
            [__pleach_engine] static PLEACH_LANGUAGE: PleachLanguage = $grammar $(, $key: $value)*;
        }

        __pleach_engine::fuzz_target!(
            init: PLEACH_LANGUAGE.load(),
            |input: $crate::libfuzzer::Input<'_, PleachLanguage>| -> __pleach_engine::Corpus {
                // What a body may yield. Its error is better than that of `From`, behind which it stands.
                #[diagnostic::on_unimplemented(
                    message = "the body of `fuzz!` yields a value of the type `{Self}`",
                    label = "it yields nothing, or a `libfuzzer_sys::Corpus`",
                    note = "end the body with `;`"
                )]
                trait __PleachYields {
                    fn corpus(self) -> __pleach_engine::Corpus;
                }
                impl __PleachYields for () {
                    fn corpus(self) -> __pleach_engine::Corpus {
                        __pleach_engine::Corpus::Keep
                    }
                }
                impl __PleachYields for __pleach_engine::Corpus {
                    fn corpus(self) -> __pleach_engine::Corpus {
                        self
                    }
                }
                // A body that never ends well has the type `!`, which has no name on stable Rust but this.
                trait __PleachReturn {
                    type Output;
                }
                impl<T> __PleachReturn for fn() -> T {
                    type Output = T;
                }
                #[diagnostic::do_not_recommend]
                impl __PleachYields for <fn() -> ! as __PleachReturn>::Output {
                    fn corpus(self) -> __pleach_engine::Corpus {
                        self
                    }
                }
                fn corpus<T: __PleachYields>(yielded: ::core::option::Option<T>) -> __pleach_engine::Corpus {
                    match yielded {
                        ::core::option::Option::Some(yielded) => yielded.corpus(),
                        ::core::option::Option::None => __pleach_engine::Corpus::Reject,
                    }
                }

                corpus(input.execute(|text: &[u8]| {
                    $crate::libfuzzer::__private::call::<$type, _>(text, |$($text)+| $($yields)* $body)
                }))
            }
        );
        __pleach_engine::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            PLEACH_LANGUAGE.mutate(data, size, max_size, seed)
        });
        __pleach_engine::fuzz_crossover!(|data1: &[u8], data2: &[u8], out: &mut [u8], seed: u32| {
            PLEACH_LANGUAGE.crossover(data1, data2, out, seed)
        });
    };
}
