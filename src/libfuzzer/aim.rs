//! What a campaign is aimed at, for `PLEACH_AIM`: a function, as `pleach fuzz --aim` names it.
//!
//! Two things bring a campaign there. Inputs are changed so that they satisfy a constraint under which inputs have reached the function
//! ([`Session::aim`]). And the sanitizer's counters say after each run whether it has reached it: some of the inputs that have stand in as
//! parents for those that the engine draws, which it is not told. What is kept is the engine's business as ever.
//!
//! `PLEACH_AIM` names a file of lines with a name and values:
//!
//! ```text
//! pleach-aim 1
//! fingerprint f3eff1e945323a92
//! points 1021 1022 1040
//! constraint +3.17.25 +4 -5.6
//! parents 500
//! ```
//!
//! | line | values |
//! |---|---|
//! | `fingerprint` | of the grammar, in hexadecimal, as in [`describe`](super::describe) |
//! | `points` | the numbers of the counters that belong to the function |
//! | `constraint` | k-paths that inputs have (`+`) or have not (`-`): the numbers of their symbols, with dots between; any of the constraints will do |
//! | `parents` | of 1000 mutations, how many begin with an input that has got there; 500 if missing |
//!
//! Per run it costs a look at the counters of the function.

use std::path::Path;

use pleach_core::Grammar;
use pleach_core::id::{Id as _, SymbolId};
use pleach_core::mutate::{Constraint, Session};
use pleach_core::rng::Rng;

use super::counters::Target;

/// How many inputs that got there are remembered, and the longest of them.
const REMEMBERED: usize = 64;
const LONGEST: usize = 1 << 14;
/// Of those that come when there is no room, one in so many takes the place of another.
const RENEWED: u64 = 16;
/// How many of 1000 mutations begin with one of them, unless set otherwise.
const PARENTS: u32 = 500;

/// What the campaign is aimed at, and how it is getting on.
#[derive(Debug)]
pub(super) struct Aim {
    target: Target,
    points: Vec<u32>,
    /// Out of 1000.
    share: u32,
    parents: Vec<Vec<u8>>,
    /// Runs that have reached the function.
    reached: u64,
    /// The number of the first of them.
    first: u64,
}

/// What a file says.
#[derive(Debug, Default, PartialEq)]
struct Request {
    points: Vec<u32>,
    constraints: Vec<Constraint>,
    parents: Option<u32>,
}

impl Aim {
    /// Reads what the campaign is aimed at, and lets the session know.
    pub(super) fn read(path: &Path, session: &mut Session) -> Result<Aim, String> {
        let name = format!("PLEACH_AIM={}", path.display());
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{name}: cannot read it: {error}\nhelp: unset it"))?;
        let grammar = session.codec().graph().grammar();
        let request = Request::parse(&text, grammar)
            .map_err(|error| format!("{name}: {error}\nhelp: let `pleach fuzz --aim` write it"))?;
        let target = Target::find().map_err(|error| format!("{name}: {error}"))?;
        if let Some(point) = request.points.iter().find(|&&it| !target.has_point(it)) {
            return Err(format!(
                "{name}: there is no counter {point}; the target is another one, or was built anew\nhelp: let `pleach fuzz --aim` write it"
            ));
        }
        session.aim(&request.constraints);
        Ok(Aim {
            target,
            points: request.points,
            share: request.parents.unwrap_or(PARENTS),
            parents: Vec::new(),
            reached: 0,
            first: 0,
        })
    }

    /// An input has run, the one of this number.
    pub(super) fn ran(&mut self, input: &[u8], number: u64) {
        if !self
            .points
            .iter()
            .any(|&point| self.target.is_covered(point))
        {
            return;
        }
        self.reached += 1;
        if self.reached == 1 {
            self.first = number;
        }
        if self.share == 0 || input.len() > LONGEST {
            return;
        }
        if self.parents.len() < REMEMBERED {
            self.parents.push(input.to_vec());
        } else if self.reached.is_multiple_of(RENEWED) {
            let place = (self.reached / RENEWED) as usize % REMEMBERED;
            self.parents[place].clear();
            self.parents[place].extend_from_slice(input);
        }
    }

    /// What to mutate, of at most `max_size` bytes, instead of an input of this size that the engine has drawn; nothing to leave it at
    /// that. What is to become shorter is never replaced.
    pub(super) fn instead(&self, max_size: usize, size: usize, seed: u64) -> Option<&[u8]> {
        // Not what the session draws from the same seed.
        let mut rng = Rng::new(!seed);
        if self.parents.is_empty() || max_size < size || !rng.per_mille(self.share) {
            return None;
        }
        let parent = &self.parents[rng.index(self.parents.len())];
        (parent.len() <= max_size).then_some(parent)
    }

    /// A line for the report, of a number of runs.
    pub(super) fn line(&self, runs: u64) -> String {
        let Aim { reached, first, .. } = self;
        format!("aim: reached: {reached} of: {runs} first: {first}")
    }
}

impl Request {
    fn parse(text: &str, grammar: &Grammar) -> Result<Request, String> {
        let mut lines = text.lines();
        if lines.next() != Some("pleach-aim 1") {
            return Err("it does not begin with `pleach-aim 1`".into());
        }
        let mut request = Request::default();
        for line in lines.filter(|line| !line.is_empty()) {
            let (name, values) = line.split_once(' ').unwrap_or((line, ""));
            let wrong = || format!("the line `{line}` makes no sense");
            match name {
                "fingerprint" => {
                    let fingerprint = u64::from_str_radix(values, 16).map_err(|_| wrong())?;
                    if fingerprint != grammar.fingerprint() {
                        return Err("the grammar is another one".into());
                    }
                }
                "points" => {
                    let points = values.split_whitespace().map(str::parse);
                    request.points = points.collect::<Result<_, _>>().map_err(|_| wrong())?;
                }
                "constraint" => {
                    let constraint = constraint(values, grammar).ok_or_else(wrong)?;
                    request.constraints.push(constraint);
                }
                "parents" => {
                    let parents = values.parse().ok().filter(|&it| it <= 1000);
                    request.parents = Some(parents.ok_or_else(wrong)?);
                }
                // Of a later version.
                _ => {}
            }
        }
        Ok(request)
    }
}

/// Reads `+3.17.25 +4 -5.6`.
fn constraint(values: &str, grammar: &Grammar) -> Option<Constraint> {
    let mut constraint = Constraint::default();
    for value in values.split_whitespace() {
        let (paths, path) = match value.split_at_checked(1)? {
            ("+", path) => (&mut constraint.required, path),
            ("-", path) => (&mut constraint.forbidden, path),
            _ => return None,
        };
        let symbol = |number: &str| {
            let number: usize = number.parse().ok()?;
            (number < grammar.symbols().len()).then(|| SymbolId::from_index(number))
        };
        paths.push(path.split('.').map(symbol).collect::<Option<_>>()?);
    }
    Some(constraint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_is_taken_for_this_grammar_only() {
        let grammar: Grammar = "s := a | b; a := 'x' s; b := 'y';".parse().unwrap();
        let fingerprint = grammar.fingerprint();
        let path = |numbers: &[usize]| -> Vec<SymbolId> {
            numbers.iter().map(|&it| SymbolId::from_index(it)).collect()
        };
        let head = format!("pleach-aim 1\nfingerprint {fingerprint:016x}\n");
        let text =
            format!("{head}points 3 5\nlater 1\nconstraint +0.2 -1\nconstraint -4\nparents 0\n");
        let constraints = vec![
            Constraint {
                required: vec![path(&[0, 2])],
                forbidden: vec![path(&[1])],
            },
            Constraint {
                required: vec![],
                forbidden: vec![path(&[4])],
            },
        ];
        let expected = Request {
            points: vec![3, 5],
            constraints,
            parents: Some(0),
        };
        assert_eq!(Request::parse(&text, &grammar), Ok(expected));
        assert_eq!(Request::parse(&head, &grammar), Ok(Request::default()));

        let other = format!("pleach-aim 1\nfingerprint {:016x}\n", fingerprint ^ 1);
        assert_eq!(
            Request::parse(&other, &grammar).unwrap_err(),
            "the grammar is another one"
        );
        assert_eq!(
            Request::parse("pleach-aim 2\n", &grammar).unwrap_err(),
            "it does not begin with `pleach-aim 1`"
        );
        for line in [
            "points x",
            "constraint +5",
            "constraint 1",
            "constraint +1..2",
            "parents 1001",
        ] {
            let text = format!("{head}{line}\n");
            assert_eq!(
                Request::parse(&text, &grammar).unwrap_err(),
                format!("the line `{line}` makes no sense")
            );
        }
    }
}
