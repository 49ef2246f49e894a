//! Heuristics that can be left out, to find out what each is worth.

/// What a session does beyond drawing at random.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[non_exhaustive]
pub enum Heuristic {
    /// Operators are drawn by what they have yielded.
    Operators,
    /// Sites are drawn by what operators have yielded at their nonterminals.
    Sites,
    /// A campaign begins with a covering set.
    Opening,
    /// Characters that programs treat specially come more often than others.
    Scalars,
    /// Subtrees of earlier parents are put elsewhere.
    Borrowing,
    /// Items are taken out of a repetition and put before it.
    Absorbing,
}

impl Heuristic {
    /// All of them.
    pub const ALL: [Heuristic; 6] = [
        Heuristic::Operators,
        Heuristic::Sites,
        Heuristic::Opening,
        Heuristic::Scalars,
        Heuristic::Borrowing,
        Heuristic::Absorbing,
    ];

    /// Its name in settings.
    pub const fn name(self) -> &'static str {
        match self {
            Heuristic::Operators => "operators",
            Heuristic::Sites => "sites",
            Heuristic::Opening => "opening",
            Heuristic::Scalars => "scalars",
            Heuristic::Borrowing => "borrowing",
            Heuristic::Absorbing => "absorbing",
        }
    }
}
