//! `regex-syntax`, and the engines of `regex-automata` behind it: what was read survives printing, as a syntax tree and as the
//! representation that it is translated to, and all engines agree.
//!
//! A pattern's length and nesting, the size of what it compiles to and the haystacks are bounded, so that a run takes
//! some microseconds rather than milliseconds.

mod cost;

use regex_automata::nfa::thompson::backtrack::BoundedBacktracker;
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::captures::Captures;
use regex_automata::{Input, meta};
use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::literal::{ExtractKind, Extractor, Seq};
use regex_syntax::hir::translate::{Translator, TranslatorBuilder};
use regex_syntax::hir::{self, Hir, HirKind};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/regex/regex.ebnf");

/// The longest pattern that is tried.
const MAX_PATTERN: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 12
};
/// The deepest nesting of a pattern.
const NEST_LIMIT: u32 = if cfg!(feature = "deep") { 1 << 20 } else { 100 };
/// The most that translating may cost.
const MAX_COST: usize = 12;
/// The most bytes of a compiled pattern.
const NFA_SIZE_LIMIT: usize = 1 << 15;
/// The most bytes of a lazily built automaton.
const CACHE_CAPACITY: usize = 1 << 15;
/// The longest part of the pattern that is also a haystack.
const MAX_HAYSTACK: usize = 64;

/// What patterns are matched on, besides their own text.
const HAYSTACKS: [&[u8]; 3] = [
    b"",
    "aA0_ zß-\r\nκΣς Ж\u{2028}\u{1F600}z9".as_bytes(),
    b"ab1\xFF\xC3\n\x80bz",
];

/// Reads `text` as a pattern, prints it, compiles it and matches it. True if the pattern is right.
pub fn run(text: &[u8]) -> bool {
    let Ok(pattern) = std::str::from_utf8(text) else {
        return false;
    };
    if pattern.len() > MAX_PATTERN {
        return false;
    }
    let tree = match parse(pattern) {
        Ok(tree) => tree,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    let printed = print(&tree);
    let again = parse(&printed).expect("a printed tree is a pattern");
    assert_eq!(print(&again), printed, "the second print differs");

    if cost::of(&tree) > MAX_COST {
        return true;
    }
    let hir = match translator().translate(pattern, &tree) {
        Ok(hir) => hir,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            assert!(
                translator().translate(&printed, &again).is_err(),
                "only the printed tree is translated: {printed}"
            );
            return false;
        }
    };
    let same = translator().translate(&printed, &again);
    assert_eq!(
        same.as_ref(),
        Ok(&hir),
        "printing changed the tree: {printed}"
    );

    // regex-syntax 0.8.11 prints a repetition of a repetition without a group: of `(?:a{2})?` comes `a{2}?`.
    let again = (!repeats_repetition(&hir)).then(|| reread(&hir));
    extract(&hir);
    run_engines(&hir, again.as_ref(), text);
    true
}

fn parse(pattern: &str) -> Result<Ast, Box<ast::Error>> {
    ast::parse::ParserBuilder::new()
        .nest_limit(NEST_LIMIT)
        .build()
        .parse(pattern)
        .map_err(Box::new)
}

fn print(tree: &Ast) -> String {
    let mut printed = String::new();
    ast::print::Printer::new()
        .print(tree, &mut printed)
        .expect("a string takes all that is written");
    printed
}

/// Bytes that are no UTF-8 may match, as in `regex::bytes`.
fn translator() -> Translator {
    TranslatorBuilder::new().utf8(false).build()
}

/// What the printed form of `hir` is translated to, which has the same properties.
fn reread(hir: &Hir) -> Hir {
    let mut printed = String::new();
    hir::print::Printer::new()
        .print(hir, &mut printed)
        .expect("a string takes all that is written");
    // The printed form nests deeper than the pattern.
    let tree = ast::parse::ParserBuilder::new()
        .nest_limit(8 * NEST_LIMIT)
        .build()
        .parse(&printed)
        .expect("a printed representation is a pattern");
    let again = translator()
        .translate(&printed, &tree)
        .expect("a printed representation is translated");
    let (left, right) = (hir.properties(), again.properties());
    assert_eq!(left.minimum_len(), right.minimum_len(), "{printed}");
    assert_eq!(left.maximum_len(), right.maximum_len(), "{printed}");
    assert_eq!(left.look_set(), right.look_set(), "{printed}");
    assert_eq!(left.is_utf8(), right.is_utf8(), "{printed}");
    assert_eq!(
        left.explicit_captures_len(),
        right.explicit_captures_len(),
        "{printed}"
    );
    again
}

/// Whether some repetition is of a repetition. Recursion is bounded, as nesting is.
fn repeats_repetition(hir: &Hir) -> bool {
    if let HirKind::Repetition(outer) = hir.kind()
        && matches!(outer.sub.kind(), HirKind::Repetition(_))
    {
        return true;
    }
    hir.kind().subs().iter().any(repeats_repetition)
}

/// The literals that a match starts or ends with, once as they are and once as a prefilter takes them.
fn extract(hir: &Hir) {
    for kind in [ExtractKind::Prefix, ExtractKind::Suffix] {
        let mut extractor = Extractor::new();
        extractor.kind(kind.clone()).limit_total(64);
        let literals: Seq = extractor.extract(hir);
        let longest = literals.max_literal_len();
        let mut best = literals.clone();
        match kind {
            ExtractKind::Prefix => best.optimize_for_prefix_by_preference(),
            _ => best.optimize_for_suffix_by_preference(),
        }
        if let (Some(best), Some(longest)) = (best.max_literal_len(), longest) {
            assert!(best <= longest, "a literal grew");
        }
        if let (Some(most), Some(literals)) = (hir.properties().maximum_len(), literals.literals())
        {
            assert!(
                literals.iter().all(|literal| literal.len() <= most),
                "a literal longer than any match"
            );
        }
    }
}

/// Compiles `hir` and matches with all engines; what was printed and read again matches the same.
fn run_engines(hir: &Hir, again: Option<&Hir>, text: &[u8]) {
    let Some(nfa) = compile(hir) else {
        return;
    };
    let other = again
        .and_then(compile)
        .and_then(|nfa| PikeVM::new_from_nfa(nfa).ok());
    let pike = PikeVM::new_from_nfa(nfa.clone()).expect("an automaton of bounded size");
    let backtracker = BoundedBacktracker::new_from_nfa(nfa).expect("an automaton of bounded size");
    let config = meta::Config::new()
        .utf8_empty(false)
        .nfa_size_limit(Some(NFA_SIZE_LIMIT))
        .onepass_size_limit(Some(NFA_SIZE_LIMIT))
        .hybrid_cache_capacity(CACHE_CAPACITY)
        .dfa_size_limit(Some(NFA_SIZE_LIMIT));
    let meta = meta::Builder::new()
        .configure(config)
        .build_from_hir(hir)
        .ok();

    let mut pike_cache = pike.create_cache();
    let mut backtracker_cache = backtracker.create_cache();
    let mut meta_cache = meta.as_ref().map(meta::Regex::create_cache);
    let own = &text[..text.len().min(MAX_HAYSTACK)];
    for haystack in HAYSTACKS.into_iter().chain([own]) {
        let input = Input::new(haystack);
        let mut expected = pike.create_captures();
        pike.search(&mut pike_cache, &input, &mut expected);
        check(hir, &expected, haystack);

        let mut found = backtracker.create_captures();
        if backtracker
            .try_search(&mut backtracker_cache, &input, &mut found)
            .is_ok()
        {
            assert_eq!(
                slots(&found),
                slots(&expected),
                "the backtracker differs on {haystack:?}"
            );
        }
        if let (Some(meta), Some(cache)) = (&meta, &mut meta_cache) {
            let mut found = meta.create_captures();
            meta.search_captures_with(cache, &input, &mut found);
            assert_eq!(
                slots(&found),
                slots(&expected),
                "meta differs on {haystack:?}"
            );
            let half = meta.search_half_with(cache, &input);
            assert_eq!(
                half.map(|half| half.offset()),
                expected.get_match().map(|found| found.end()),
                "half a search differs on {haystack:?}"
            );
        }
        if let Some(other) = &other {
            let mut found = other.create_captures();
            other.search(&mut other.create_cache(), &input, &mut found);
            // A group that is repeated zero times is not printed, and the numbers of the later ones change.
            if found.group_len() == expected.group_len() {
                assert_eq!(
                    slots(&found),
                    slots(&expected),
                    "what was printed differs on {haystack:?}"
                );
            }
            assert_eq!(
                found.get_match(),
                expected.get_match(),
                "what was printed differs on {haystack:?}"
            );
        }
    }
}

fn compile(hir: &Hir) -> Option<NFA> {
    let config = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::All)
        .nfa_size_limit(Some(NFA_SIZE_LIMIT));
    thompson::Compiler::new()
        .configure(config)
        .build_from_hir(hir)
        .ok()
}

fn slots(captures: &Captures) -> Option<&[Option<regex_automata::util::primitives::NonMaxUsize>]> {
    captures.is_match().then(|| captures.slots())
}

/// A match is no shorter and no longer than the representation says, and groups lie within the haystack.
fn check(hir: &Hir, captures: &Captures, haystack: &[u8]) {
    let Some(found) = captures.get_match() else {
        return;
    };
    let properties = hir.properties();
    // Unlike its documentation says, there is no least length as soon as one alternative never matches: `[a&&b]|c`.
    assert!(
        properties
            .minimum_len()
            .is_none_or(|least| least <= found.len()),
        "a match that is too short"
    );
    assert!(
        properties
            .maximum_len()
            .is_none_or(|most| found.len() <= most),
        "a match that is too long"
    );
    for group in captures.iter().flatten() {
        assert!(group.start <= group.end && group.end <= haystack.len());
    }
}

#[cfg(test)]
mod tests;
