//! Heuristics that can be left out, to find out what each is worth.

use std::str::FromStr;

macro_rules! heuristics {
    ($($(#[$doc:meta])+ $variant:ident $name:literal,)+) => {
        /// What pleach does beyond drawing at random.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Heuristic {
            $($(#[$doc])+ $variant,)+
        }

        impl Heuristic {
            /// All of them.
            pub const ALL: &[Heuristic] = &[$(Heuristic::$variant),+];

            /// Its name in settings.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Heuristic::$variant => $name,)+
                }
            }
        }
    };
}

heuristics! {
    /// Operators are drawn by what they have yielded.
    Operators "operators",
    /// Sites are drawn by what operators have yielded at their nonterminals.
    Sites "sites",
    /// A campaign begins with a covering set.
    Opening "opening",
    /// Characters that programs treat specially come more often than others.
    Scalars "scalars",
    /// Subtrees of earlier parents are put elsewhere.
    Borrowing "borrowing",
    /// Items are taken out of a repetition and put before it.
    Absorbing "absorbing",
    /// Slow parents give way to others. A session draws no parents: whoever does sees to it.
    Schedule "schedule",
}

/// A set of heuristics, empty by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Heuristics(u16);

impl Heuristics {
    /// Whether one is among them.
    pub fn contains(self, heuristic: Heuristic) -> bool {
        self.0 >> heuristic as u8 & 1 == 1
    }

    /// Those among them.
    pub fn iter(self) -> impl Iterator<Item = Heuristic> {
        let all = Heuristic::ALL.iter().copied();
        all.filter(move |&it| self.contains(it))
    }
}

impl FromIterator<Heuristic> for Heuristics {
    fn from_iter<I: IntoIterator<Item = Heuristic>>(all: I) -> Heuristics {
        Heuristics(all.into_iter().fold(0, |set, it| set | 1 << it as u8))
    }
}

impl FromStr for Heuristics {
    type Err = UnknownHeuristic;

    /// Names with commas between.
    fn from_str(names: &str) -> Result<Heuristics, UnknownHeuristic> {
        let named = |name: &str| Heuristic::ALL.iter().copied().find(|it| it.name() == name);
        let all = names.split(',').map(|name| named(name.trim()));
        all.collect::<Option<_>>().ok_or(UnknownHeuristic)
    }
}

/// A name that no heuristic has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no heuristic has this name")]
pub struct UnknownHeuristic;
