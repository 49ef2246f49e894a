//! `lightningcss`: a style sheet survives printing, minifying and compiling for old browsers.
//!
//! Length and nesting are bounded, since the parser and all that works on a style sheet recurse.

mod known;
#[cfg(test)]
mod tests;

use lightningcss::css_modules;
use lightningcss::stylesheet::{
    MinifyOptions, ParserFlags, ParserOptions, PrinterOptions, StyleSheet,
};
use lightningcss::targets::{Browsers, Targets};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/css/css.ebnf");

/// The longest style sheet that is tried.
const MAX_TEXT: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    1 << 13
};
/// The deepest nesting of brackets.
const MAX_NESTING: usize = if cfg!(feature = "deep") {
    usize::MAX
} else {
    48
};

/// Browsers that have little of what a style sheet may use.
const OLD: Browsers = Browsers {
    android: None,
    chrome: Some(60 << 16),
    edge: None,
    firefox: Some(50 << 16),
    ie: Some(11 << 16),
    ios_saf: None,
    opera: None,
    safari: Some(9 << 16),
    samsung: None,
};
/// Browsers that have most of it.
const NEW: Browsers = Browsers {
    android: None,
    chrome: Some(100 << 16),
    edge: None,
    firefox: Some(100 << 16),
    ie: None,
    ios_saf: None,
    opera: None,
    safari: Some(15 << 16),
    samsung: None,
};

/// Reads `text` as a style sheet, prints it, minifies it and compiles it for browsers, and reads what comes out. True if `text`
/// is accepted.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if text.len() > MAX_TEXT
        || nesting(text) > MAX_NESTING
        || known::adds_sums(text)
        || known::turns_far(text)
    {
        return false;
    }
    let sheet = match StyleSheet::parse(text, options()) {
        Ok(sheet) => sheet,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without a message");
            return false;
        }
    };
    for minify in [false, true] {
        // What is read again is not always what was printed, as the crate rounds numbers and leaves out what it takes for redundant.
        let printed = print(&sheet, minify, Targets::default());
        if let Some(again) = reread(&printed) {
            reread(&print(&again, minify, Targets::default()));
        }
    }
    // See `known::replace_keywords`.
    let has_palette = text.contains("override-colors");
    for browsers in [None, Some(NEW), Some(OLD)] {
        if browsers.is_some() && has_palette {
            continue;
        }
        minify(
            sheet.clone(),
            Targets {
                browsers,
                ..Targets::default()
            },
        );
    }
    check_modules(text);
    true
}

/// What was printed is a style sheet. Nothing if that is known to fail.
fn reread(printed: &str) -> Option<StyleSheet<'_>> {
    if known::adds_sums(printed) || known::is_misread(printed) || known::turns_far(printed) {
        return None;
    }
    let sheet = StyleSheet::parse(printed, options());
    Some(sheet.unwrap_or_else(|error| panic!("printed text is refused: {error}\n{printed}")))
}

fn minify(mut sheet: StyleSheet, targets: Targets) {
    if targets.browsers.is_some() {
        known::replace_keywords(&mut sheet);
    }
    let options = MinifyOptions {
        targets,
        ..MinifyOptions::default()
    };
    if sheet.minify(options).is_err() {
        return;
    }
    // Nesting is compiled for browsers without it to selectors that need not be right: of `a::before{& b{}}` comes `a::before b{}`.
    let printed = print(&sheet, true, targets);
    if !known::adds_sums(&printed) && !known::turns_far(&printed) {
        let _ = StyleSheet::parse(&printed, self::options());
    }
}

fn options<'a>() -> ParserOptions<'a> {
    ParserOptions {
        flags: ParserFlags::NESTING
            | ParserFlags::CUSTOM_MEDIA
            | ParserFlags::DEEP_SELECTOR_COMBINATOR,
        ..ParserOptions::default()
    }
}

fn print(sheet: &StyleSheet, minify: bool, targets: Targets) -> String {
    let options = PrinterOptions {
        minify,
        targets,
        ..PrinterOptions::default()
    };
    sheet
        .to_css(options)
        .map(|result| result.code)
        .unwrap_or_default()
}

/// As a CSS module, whose names become other ones.
fn check_modules(text: &str) {
    let options = ParserOptions {
        css_modules: Some(css_modules::Config {
            dashed_idents: true,
            ..css_modules::Config::default()
        }),
        ..options()
    };
    if let Ok(sheet) = StyleSheet::parse(text, options) {
        let _ = sheet.to_css(PrinterOptions {
            minify: true,
            ..PrinterOptions::default()
        });
    }
}

/// The depth of brackets, whether or not they are in strings.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
