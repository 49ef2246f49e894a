//! The motivating example of FdLoop (*Directed Grammar-Based Test Generation*, figure 1): a greatest common divisor that divides by zero. It
//! reports how many divisions it takes, and counts what it allocates: for tests of goals. With `CHECKED` in the environment it takes no zero.
#![no_main]

use pleach::libfuzzer::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

pleach::fuzz! {
    grammar: GRAMMAR.parse().expect("it is a grammar"),
    goals: ["divisions"],
    |text: &str| {
        let numbers = text.strip_prefix("euclid(").and_then(|it| it.strip_suffix(')'));
        let Some((x, y)) = numbers.and_then(|it| it.split_once(',')) else { return };
        let (Ok(x), Ok(y)) = (x.parse(), y.parse()) else { return };
        if y == 0 && std::env::var_os("CHECKED").is_some() {
            return;
        }
        let mut remainders = Vec::new();
        euclid(x, y, &mut remainders);
        pleach::goal!("divisions", remainders.len());
    }
}

const GRAMMAR: &str = "
    start := 'euclid(' integer ',' integer ')';
    integer := '0' | number;
    number := nzdigit digit*;
    digit := '0' | nzdigit;
    nzdigit := [1-9];
";

fn euclid(x: u64, y: u64, remainders: &mut Vec<u64>) -> u64 {
    remainders.push(x % y);
    match x % y {
        0 => y,
        remainder => euclid(y, remainder, remainders),
    }
}
