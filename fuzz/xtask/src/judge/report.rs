//! What judging says in the end.

use std::fmt;

use super::{Finding, Share};

/// A table with a row for each grammar, and sums of all and of those that have lost nothing.
pub(super) struct Report<'f> {
    pub(super) findings: &'f [Finding],
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole {
            0 => f.write_str("none"),
            _ => write!(f, "{} / {}", self.part, self.whole),
        }
    }
}

impl Finding {
    /// Whether nothing is said to be left out, and yet a verdict differs from the tool's.
    fn is_refuted(&self) -> bool {
        let wrong = |share: Share| share.part < share.whole;
        self.left_out.is_empty()
            && (wrong(self.sentences) || wrong(self.seen) || wrong(self.unseen))
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| grammar | left out | sentences accepted | texts parsed, looked at | not looked at |"
        )?;
        writeln!(f, "|---|---|---|---|---|")?;
        for it in self.findings {
            match &it.failed {
                Some(reason) => {
                    let reason = reason.lines().next().unwrap_or_default();
                    writeln!(f, "| `{}` | {reason} | | | |", it.name)?;
                }
                None => writeln!(
                    f,
                    "| `{}` | {} | {} | {} | {} |",
                    it.name,
                    it.left_out.len(),
                    it.sentences,
                    it.seen,
                    it.unseen
                )?,
            }
        }
        let judged = || self.findings.iter().filter(|it| it.failed.is_none());
        let sum = |of: &[&Finding], share: fn(&Finding) -> Share| {
            let shares = of.iter().map(|it| share(it));
            shares.fold(Share::default(), |sum, it| Share {
                part: sum.part + it.part,
                whole: sum.whole + it.whole,
            })
        };
        let all: Vec<&Finding> = judged().collect();
        let whole: Vec<&Finding> = judged().filter(|it| it.left_out.is_empty()).collect();
        for (name, of) in [("all", all), ("nothing left out", whole)] {
            writeln!(
                f,
                "| {name}: {} | | {} | {} | {} |",
                of.len(),
                sum(&of, |it| it.sentences),
                sum(&of, |it| it.seen),
                sum(&of, |it| it.unseen)
            )?;
        }
        let refuted: Vec<&str> = judged()
            .filter(|it| it.is_refuted())
            .map(|it| it.name.as_str())
            .collect();
        writeln!(
            f,
            "\nRefuted, with nothing left out: {}",
            match refuted.is_empty() {
                true => "none".to_owned(),
                false => refuted.join(", "),
            }
        )
    }
}
