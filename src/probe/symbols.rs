//! The functions that points stand for.

use std::ops::Index;

use crate::Points;

/// A function of the program, as an index of [`Symbols::functions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

/// A function of the program. All instances of a generic one are the same function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub struct Function {
    /// Its path, demangled, without generic arguments: `serde_json::de::Deserializer::parse_value`.
    pub name: String,
    /// The file that it is in, as the compiler was told; empty if unknown.
    pub file: String,
    /// The least line of it that has a point; 0 if unknown.
    pub line: u32,
    /// The greatest line of it that has a point; 0 if unknown.
    pub last_line: u32,
    /// The package that it is of: `core`, `alloc` and the like for the standard library, and empty if unknown.
    pub package: String,
    /// Whether that is one of the packages that the user writes or tests, rather than a dependency or the standard library.
    pub is_own: bool,
}

/// Which functions the points of a program stand for.
///
/// A function counts as reached by a point if its code is there, inlined or not. So one that was inlined everywhere is known, too, if
/// a part of it has a counter; one without branches that was inlined everywhere has none.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Symbols {
    functions: Vec<Function>,
    /// The functions of all points, one point's after the other's, and where those of each begin.
    of_points: Vec<FunctionId>,
    starts: Vec<u32>,
    build_id: String,
}

impl Symbols {
    /// Symbols with these functions, sorted by nothing in particular, and for each point the functions that it is in. For tests, and for those
    /// who know the functions from elsewhere.
    ///
    /// # Panics
    ///
    /// If a point names a function that is not there.
    pub fn new(
        functions: Vec<Function>,
        points: &[Vec<FunctionId>],
        build_id: impl Into<String>,
    ) -> Symbols {
        let mut symbols = Symbols {
            functions,
            build_id: build_id.into(),
            ..Symbols::default()
        };
        symbols.starts.push(0);
        for point in points {
            for &function in point {
                let count = symbols.functions.len();
                assert!((function.0 as usize) < count, "no such function");
                symbols.of_points.push(function);
            }
            symbols.starts.push(symbols.of_points.len() as u32);
        }
        symbols
    }

    /// All functions that have a point.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// The functions that a point is in, the innermost first; none for a point that is not there.
    pub fn of_point(&self, point: u32) -> &[FunctionId] {
        let at = point as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(&start), Some(&end)) => &self.of_points[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The functions that a set of points reaches, in ascending order.
    pub fn reached(&self, points: &Points) -> Vec<FunctionId> {
        let functions = points.as_slice().iter();
        let functions = functions.flat_map(|&point| self.of_point(point));
        let mut functions: Vec<FunctionId> = functions.copied().collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// What tells this build of the program from others: a linker's build id, or else a hash of the program.
    pub fn build_id(&self) -> &str {
        &self.build_id
    }
}

impl Index<FunctionId> for Symbols {
    type Output = Function;

    fn index(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }
}

impl Function {
    /// A function of a name, of which nothing else is known.
    pub fn named(name: impl Into<String>) -> Function {
        Function {
            name: name.into(),
            file: String::new(),
            line: 0,
            last_line: 0,
            package: String::new(),
            is_own: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Function, FunctionId, Symbols};
    use crate::Points;

    #[test]
    fn points_reach_the_functions_that_they_are_in() {
        let functions = ["main", "parse", "digit"].map(Function::named).to_vec();
        let [main, parse, digit] = [0, 1, 2].map(FunctionId);
        let points = [vec![main], vec![parse, main], vec![], vec![digit, parse]];
        let symbols = Symbols::new(functions, &points, "b1d");
        assert_eq!(symbols.of_point(1), [parse, main]);
        assert!(symbols.of_point(2).is_empty() && symbols.of_point(9).is_empty());
        assert_eq!(
            symbols.reached(&Points::new(vec![0, 3])),
            [main, parse, digit]
        );
        assert_eq!(symbols[digit].name, "digit");
        assert_eq!(symbols.build_id(), "b1d");
    }
}
