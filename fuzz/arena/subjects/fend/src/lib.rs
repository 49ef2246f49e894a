//! `fend-core`: every calculation ends, and its result is a text that can be calculated again.

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};

use fend_core::{Context, ExchangeRateFnV2, ExchangeRateFnV2Options, Interrupt};

/// The grammar of its inputs.
pub const GRAMMAR: &str = include_str!("../../../../../grammars/fend/fend.ebnf");

/// Stops a calculation after a number of checks: no clock, so the same text always stops at the same place.
struct Fuel(AtomicU32);

impl Fuel {
    fn new(checks: u32) -> Fuel {
        Fuel(AtomicU32::new(checks))
    }
}

impl Interrupt for Fuel {
    fn should_interrupt(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            })
            .is_err()
    }
}

/// Exchange rates that never change.
struct Rates;

impl ExchangeRateFnV2 for Rates {
    fn relative_to_base_currency(
        &self,
        currency: &str,
        _options: &ExchangeRateFnV2Options,
    ) -> Result<f64, Box<dyn Error + Send + Sync + 'static>> {
        match currency {
            "USD" => Ok(1.0),
            "EUR" => Ok(0.9),
            "GBP" => Ok(0.8),
            "JPY" => Ok(150.0),
            _ => Err("an unknown currency".into()),
        }
    }
}

/// Checks that one calculation may make.
const CHECKS: u32 = 6_000;

/// The stack of a calculation. Parser, evaluator and printer recurse on the text, and a term that applies itself recurses
/// until the checks run out.
const STACK: usize = 512 << 20;

/// Calculates `text`, then its result. True if there is one; a calculation that is left out because of known limits has none.
pub fn run(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    if known(text) {
        return false;
    }
    std::thread::scope(|scope| {
        let calculation = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || calculate(text));
        calculation
            .expect("a thread starts")
            .join()
            .expect("a calculation ends without panic")
    })
}

fn calculate(text: &str) -> bool {
    let mut context = Context::new();
    context.set_random_u32_fn(|| 0x9e37_79b9);
    context.set_exchange_rate_handler_v2(Rates);
    let Ok(result) = fend_core::evaluate_with_interrupt(text, &mut context, &Fuel::new(CHECKS))
    else {
        return false;
    };
    let printed = result.get_main_result().to_owned();
    let spans: String = result
        .get_main_result_spans()
        .map(|span| span.string())
        .collect();
    assert_eq!(spans, printed, "the spans are not the result");
    if !known(&printed) {
        let _ = fend_core::evaluate_with_interrupt(&printed, &mut context, &Fuel::new(CHECKS));
    }
    true
}

/// Texts that are not calculated because of known limits of fend-core 1.5.9.
fn known(text: &str) -> bool {
    // A row of signs takes time that grows with the square of its length, and so does a long chain of operators.
    // Superscript digits are summed up in 64 bits, without regard to their number.
    text.len() > 1500
        || text.chars().filter(|&c| is_superscript(c)).count() > 18
        || parser_steps(text) > 100_000
        || dice_steps(text) > 2_000_000
        || counts_far(text)
}

fn is_superscript(c: char) -> bool {
    matches!(c, '⁰'..='⁹' | '¹' | '²' | '³')
}

/// An estimate of the parser's work.
///
/// It reads a group again for every sum in front of it (the search for an implicit sum reads the next term and throws it
/// away) and for every number in front of it (the search for a mixed fraction does the same), so its time is exponential in
/// the depth of nesting, without a check of the interrupt.
fn parser_steps(text: &str) -> u64 {
    let mut steps = 0u64;
    // For each open group: how often it is read, and the times that its next member is read.
    let mut open = vec![(1u64, 2u64)];
    for c in text.chars() {
        let (times, members) = *open.last().expect("the outermost group stays open");
        steps = steps.saturating_add(times);
        match c {
            '(' => {
                let inner = times.saturating_mul(members);
                open.push((inner, 2));
            }
            ')' if open.len() > 1 => {
                open.pop();
            }
            // A lambda reaches to the end of the group.
            '\\' | 'λ' | ':' | '>' => {
                let inner = times.saturating_mul(members);
                *open.last_mut().expect("the outermost group stays open") = (inner, 2);
            }
            '+' | '-' | '−' | '/' | '÷' | '∕' => {
                open.last_mut().expect("the outermost group stays open").1 += 1
            }
            _ => {}
        }
    }
    steps
}

/// An estimate of the work that dice make.
///
/// A distribution is a list that is searched from the front for every pair of outcomes, again without a check. Where a
/// variable may stand for a die any number of times, the estimate gives up.
fn dice_steps(text: &str) -> u64 {
    let number = |digits: &str| {
        if digits.is_empty() {
            1
        } else {
            digits.parse::<u64>().unwrap_or(u64::MAX)
        }
    };
    let mut outcomes = 1u64;
    let mut steps = 0u64;
    for (at, _) in text.match_indices('d') {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let count = number(&before[before.trim_end_matches(|c: char| c.is_ascii_digit()).len()..]);
        let faces =
            &after[..after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
        if faces.is_empty() {
            continue;
        }
        let size = count.saturating_mul(number(faces));
        outcomes = outcomes.saturating_mul(size);
        steps = steps.saturating_add(if count == 1 {
            size
        } else {
            size.saturating_pow(3) / 6
        });
    }
    if outcomes > 1 && text.contains(['=', ':', '.']) {
        return u64::MAX;
    }
    steps.saturating_add(outcomes.saturating_mul(outcomes))
}

/// Whether the evaluator may count to a large number in steps that are not checked or that cost more and more: it goes
/// from date to date day by day, shifts left one place after the other, and multiplies a factorial's growing product.
fn counts_far(text: &str) -> bool {
    let is_power = |c: char| c == '^' || is_superscript(c);
    let is_product = |c: char| matches!(c, '*' | '×' | '✕');
    let exponent = |three: &[u8]| {
        three[0].is_ascii_digit()
            && matches!(three[1], b'e' | b'E')
            && !three[2].is_ascii_alphabetic()
    };
    let long_number = |word: &str| word.len() > 5 && word.starts_with(|c: char| c.is_ascii_digit());
    let is_large = text.contains(is_power)
        || text.contains("**")
        || text.contains("illion")
        || text.contains("googol")
        || text.as_bytes().windows(3).any(exponent)
        || text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != ',' && c != '_')
            .any(long_number);
    let factorials = text.matches('!').count();
    // The factorial of a factorial, unless it starts from one digit.
    let has_two_digits = text
        .as_bytes()
        .windows(2)
        .any(|two| two.iter().all(u8::is_ascii_digit));
    let is_nested = factorials > 2 || factorials > 1 && has_two_digits;
    let steps = text.contains('@') || text.contains("date") || text.contains("<<");
    steps && (is_large || factorials > 0 || text.contains(is_product))
        || factorials > 0 && is_large
        || is_nested
}

#[cfg(test)]
mod tests;
