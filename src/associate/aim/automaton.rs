//! The automaton of a constraint's paths, which runs along the branches of a derivation (Aho and Corasick, over symbols).
//!
//! Its states are the beginnings of paths: how much of one the symbols above have in common with it, at the most. A state
//! knows the paths that end with it. There are as many states as the paths have symbols, some twenty.

use std::collections::BTreeMap;

use pleach_core::id::SymbolId;

/// What the symbols above have in common with the paths.
pub(super) type State = u16;

/// The state where no path has begun.
pub(super) const START: State = 0;

/// What is below a token that k-paths do not go on in.
pub(super) const OUTSIDE: State = State::MAX;

/// The paths that end with a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Ends {
    /// Those that are required, by their bits.
    pub(super) required: u8,
    /// Whether one is forbidden.
    pub(super) is_forbidden: bool,
}

#[derive(Debug)]
pub(super) struct Automaton {
    next: BTreeMap<(State, SymbolId), State>,
    /// The state of the longest end of what a state has in common, that is shorter.
    shorter: Vec<State>,
    ends: Vec<Ends>,
}

impl Automaton {
    /// The automaton of paths. O(symbols² · log) for few symbols.
    pub(super) fn new(required: &[Vec<SymbolId>], forbidden: &[Vec<SymbolId>]) -> Automaton {
        let mut automaton = Automaton {
            next: BTreeMap::new(),
            shorter: vec![START],
            ends: vec![Ends::default()],
        };
        // States in the order of their length, so that what is shorter is complete.
        let longest = required.iter().chain(forbidden).map(Vec::len).max();
        let paths = || {
            let required = required.iter().enumerate();
            let required = required.map(|(at, path)| (path, Some(at)));
            required.chain(forbidden.iter().map(|path| (path, None)))
        };
        for len in 1..=longest.unwrap_or(0) {
            for (path, number) in paths().filter(|(path, _)| path.len() >= len) {
                let above = path[..len - 1]
                    .iter()
                    .fold(START, |state, &symbol| automaton.child(state, symbol));
                let symbol = path[len - 1];
                let state = match automaton.next.get(&(above, symbol)) {
                    Some(&known) => known,
                    None => {
                        let shorter = match above {
                            START => START,
                            _ => automaton.step(automaton.shorter[above as usize], symbol),
                        };
                        let fresh = automaton.ends.len() as State;
                        automaton.next.insert((above, symbol), fresh);
                        automaton.ends.push(automaton.ends[shorter as usize]);
                        automaton.shorter.push(shorter);
                        fresh
                    }
                };
                if len == path.len() {
                    let ends = &mut automaton.ends[state as usize];
                    match number {
                        Some(at) => ends.required |= 1 << at,
                        None => ends.is_forbidden = true,
                    }
                }
            }
        }
        // What ends with a shorter path ends with what that ends with, which may have been noted later than the state was made.
        for state in 1..automaton.ends.len() {
            let shorter = automaton.ends[automaton.shorter[state] as usize];
            let ends = &mut automaton.ends[state];
            ends.required |= shorter.required;
            ends.is_forbidden |= shorter.is_forbidden;
        }
        automaton
    }

    /// The state that a path goes on to, which is there.
    fn child(&self, state: State, symbol: SymbolId) -> State {
        self.next.get(&(state, symbol)).copied().unwrap_or(START)
    }

    /// The state below a symbol.
    pub(super) fn step(&self, state: State, symbol: SymbolId) -> State {
        if state == OUTSIDE {
            return OUTSIDE;
        }
        let mut state = state;
        loop {
            if let Some(&next) = self.next.get(&(state, symbol)) {
                return next;
            }
            if state == START {
                return START;
            }
            state = self.shorter[state as usize];
        }
    }

    /// The paths that end in a state.
    pub(super) fn ends(&self, state: State) -> Ends {
        self.ends.get(state as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{Automaton, START};
    use pleach_core::id::SymbolId;
    use pleach_core::rng::Rng;

    /// Every branch of up to six of three symbols, with random paths: the automaton knows which paths end where.
    #[test]
    fn it_knows_every_path_that_ends() {
        let mut rng = Rng::new(4);
        let path = |rng: &mut Rng| -> Vec<SymbolId> {
            let len = 1 + rng.below(4);
            (0..len).map(|_| SymbolId(rng.below(3))).collect()
        };
        for _ in 0..100 {
            let required: Vec<_> = (0..rng.below(4)).map(|_| path(&mut rng)).collect();
            let forbidden: Vec<_> = (0..rng.below(3)).map(|_| path(&mut rng)).collect();
            let automaton = Automaton::new(&required, &forbidden);
            for number in 0..729u32 {
                let branch: Vec<SymbolId> = (0..6)
                    .map(|at| SymbolId(number / 3u32.pow(at) % 3))
                    .collect();
                let mut state = START;
                for at in 0..branch.len() {
                    state = automaton.step(state, branch[at]);
                    let ends = automaton.ends(state);
                    for (bit, path) in required.iter().enumerate() {
                        let is_end = branch[..=at].ends_with(path);
                        assert_eq!(ends.required >> bit & 1 == 1, is_end);
                    }
                    let mut refused = forbidden.iter();
                    let is_refused = refused.any(|path| branch[..=at].ends_with(path));
                    assert_eq!(ends.is_forbidden, is_refused);
                }
            }
        }
    }
}
