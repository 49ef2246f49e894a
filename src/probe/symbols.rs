//! The functions that points stand for.
//!
//! The compiler gives a block of code its counter after it has inlined, so a place belongs to a chain of functions: the one whose code it
//! is, the one into which that was inlined, and so on to the one that is called. All of them count as reached there. A block that
//! begins in one function and goes on in another, which was inlined without a branch of its own, is the first one's only.
//!
//! Debug information that is only good for backtraces (`line-tables-only`, which cargo-fuzz builds with; `pleach fuzz` has more) has names
//! without paths. Then the path is that of the file, and functions of one name in one file cannot be told apart: all `fmt` of a file
//! count as one.

use std::collections::BTreeMap;
use std::fs;
use std::hash::Hasher as _;
use std::ops::Index;
use std::path::Path;

use addr2line::Loader;
use object::{Object as _, ObjectSymbol as _};
use siphasher::sip::SipHasher13;

use crate::name::{in_module, path, without_arguments};
use crate::package::Packages;
use crate::{Error, Package, Points, Table};

/// The function whose address a probe tells: it gives away where the program was loaded.
const ANCHOR: &str = "LLVMFuzzerTestOneInput";

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
    is_coarse: bool,
}

impl Symbols {
    /// Symbols with these functions, and for each point the functions that it is in: for those who know them from elsewhere.
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

    /// The functions of a program's points, from its debug information. The packages say whose files are whose; those of the standard
    /// library and of registries are told without being named.
    ///
    /// Takes time for each point and each function into which its code was inlined.
    ///
    /// # Errors
    ///
    /// If the program cannot be read, has no symbol table, or has debug information for none of the points.
    pub fn read(program: &Path, table: &Table, packages: &[Package]) -> Result<Symbols, Error> {
        let no_symbols = |what: String| Error::NoSymbols {
            program: program.to_owned(),
            what,
        };
        let bytes = fs::read(program).map_err(|source| Error::File {
            path: program.to_owned(),
            source,
        })?;
        let file = object::File::parse(&*bytes).map_err(|error| no_symbols(error.to_string()))?;
        let anchor = file.symbols().find(|it| {
            let name = it.name().unwrap_or_default();
            it.is_definition() && name.trim_start_matches('_') == ANCHOR
        });
        let anchor = anchor.ok_or_else(|| no_symbols(String::new()))?.address();
        let moved = table.anchor.wrapping_sub(anchor);
        let loader = Loader::new(program).map_err(|error| no_symbols(error.to_string()))?;
        let mut gathered = Gathered::default();
        let mut points = Vec::with_capacity(table.places.len());
        for place in &table.places {
            let address = place.address.wrapping_sub(moved);
            points.push(gathered.chain(&loader, address, place.is_entry));
        }
        if gathered.found.is_empty() && !table.places.is_empty() {
            return Err(Error::NoDebugInfo {
                program: program.to_owned(),
            });
        }
        let is_coarse = gathered.is_coarse();
        let (functions, ids) = gathered.functions(&Packages::new(packages));
        for id in points.iter_mut().flatten() {
            *id = ids[id.0 as usize];
        }
        let mut symbols = Symbols::new(functions, &points, build_id(&file, &bytes));
        symbols.is_coarse = is_coarse;
        Ok(symbols)
    }

    /// All functions that have a point, sorted by name when they were read from a program.
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

    /// Says anew which packages are the user's own.
    pub fn set_own(&mut self, is_own: impl Fn(&str) -> bool) {
        for function in &mut self.functions {
            function.is_own = is_own(&function.package);
        }
    }

    /// The packages that have functions, in the order of their names, and how many functions each has. What is of no known package has the empty
    /// name.
    pub fn packages(&self) -> Vec<(&str, usize)> {
        let mut counts = BTreeMap::<&str, usize>::new();
        for function in &self.functions {
            *counts.entry(&function.package).or_default() += 1;
        }
        counts.into_iter().collect()
    }

    /// The functions with code at a line of a file, by the end of its path: `src/de.rs`, 12. The one whose lines are fewest comes first.
    pub fn at_line(&self, file: &str, line: u32) -> Vec<FunctionId> {
        let ids = (0..).map(FunctionId).zip(&self.functions);
        let ids = ids.filter(|(_, it)| {
            Path::new(&it.file).ends_with(file) && (it.line..=it.last_line).contains(&line)
        });
        let mut found: Vec<(u32, FunctionId)> =
            ids.map(|(id, it)| (it.last_line - it.line, id)).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// Whether the debug information has no paths, so that functions of one name in one file count as one.
    pub fn is_coarse(&self) -> bool {
        self.is_coarse
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

/// A linker's id, or else a hash of the whole program.
fn build_id(file: &object::File<'_>, bytes: &[u8]) -> String {
    let id = match (file.build_id(), file.mach_uuid()) {
        (Ok(Some(id)), _) => id.to_vec(),
        (_, Ok(Some(id))) => id.to_vec(),
        _ => {
            let mut hasher = SipHasher13::new();
            hasher.write(bytes);
            hasher.finish().to_be_bytes().to_vec()
        }
    };
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What tells functions apart: the path, or the name alone and the file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    name: String,
    /// Empty if the name is a path.
    file: String,
}

/// What is known of the functions by their names.
#[derive(Default)]
struct Gathered {
    /// The functions by what debug information calls them, which takes longer to read than to find.
    raw: BTreeMap<Key, FunctionId>,
    found: BTreeMap<Key, FunctionId>,
    /// For each function its lines in each file.
    lines: Vec<BTreeMap<String, Lines>>,
}

/// The lines of a function in a file. Macros bring in lines of others than its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Lines {
    /// Whether it begins there.
    is_entry: bool,
    /// How many points it has there.
    points: u32,
    first: u32,
    last: u32,
}

impl Gathered {
    /// The functions that an address is in, the innermost first.
    fn chain(&mut self, loader: &Loader, address: u64, is_entry: bool) -> Vec<FunctionId> {
        let (mut chain, mut outermost) = (Vec::new(), None);
        // What cannot be read is unknown; whether all is, is seen in the end.
        let Ok(mut frames) = loader.find_frames(address) else {
            return chain;
        };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|it| it.raw_name().ok());
            let Some(name) = name else {
                continue;
            };
            let (file, line) = match &frame.location {
                Some(place) => (place.file.unwrap_or_default(), place.line.unwrap_or(0)),
                None => ("", 0),
            };
            let id = self.id(&name, file);
            if !chain.contains(&id) {
                chain.push(id);
            }
            self.add(id, file, line);
            outermost = Some((id, file));
        }
        if let (true, Some((id, file))) = (is_entry, outermost) {
            let lines = self.lines[id.0 as usize].get_mut(file);
            if let Some(lines) = lines {
                lines.is_entry = true;
            }
        }
        chain
    }

    /// A function has a point at a line, which is 0 where no line of the source is to blame.
    fn add(&mut self, id: FunctionId, file: &str, line: u32) {
        let files = &mut self.lines[id.0 as usize];
        let new = Lines {
            is_entry: false,
            points: 0,
            first: line,
            last: line,
        };
        let lines = match files.get_mut(file) {
            _ if line == 0 => return,
            Some(lines) => lines,
            None => files.entry(file.to_owned()).or_insert(new),
        };
        lines.points += 1;
        lines.first = lines.first.min(line);
        lines.last = lines.last.max(line);
    }

    fn id(&mut self, raw: &str, file: &str) -> FunctionId {
        let key = |name: String, file: &str| Key {
            name,
            file: file.to_owned(),
        };
        let known = key(raw.to_owned(), file);
        if let Some(&id) = self.raw.get(&known) {
            return id;
        }
        let new = FunctionId(self.lines.len() as u32);
        let found = match path(raw) {
            Some(path) => key(path, ""),
            None => key(without_arguments(raw), file),
        };
        let id = *self.found.entry(found).or_insert(new);
        if id == new {
            self.lines.push(BTreeMap::new());
        }
        self.raw.insert(known, id);
        id
    }

    /// Whether names are mostly those that say too little. A few functions have none but these.
    fn is_coarse(&self) -> bool {
        let short = self.found.keys().filter(|key| !key.file.is_empty());
        2 * short.count() > self.found.len()
    }

    /// The functions by name, and what the ids have become.
    fn functions(self, packages: &Packages<'_>) -> (Vec<Function>, Vec<FunctionId>) {
        let mut functions: Vec<(Function, FunctionId)> = Vec::with_capacity(self.lines.len());
        for (key, id) in self.found {
            let files = &self.lines[id.0 as usize];
            let main = files.iter().max_by_key(|(_, it)| (it.is_entry, it.points));
            let (file, line, last_line) = match main {
                Some((file, lines)) => (file.clone(), lines.first, lines.last),
                None => (String::new(), 0, 0),
            };
            let (package, is_own) = packages.of(&file);
            let name = match key.file.is_empty() {
                true => key.name,
                false => in_module(&key.name, &key.file, &package),
            };
            let function = Function {
                name,
                file,
                line,
                last_line,
                package,
                is_own,
            };
            functions.push((function, id));
        }
        functions.sort();
        let mut ids = vec![FunctionId(0); functions.len()];
        for (new, (_, old)) in (0..).map(FunctionId).zip(&functions) {
            ids[old.0 as usize] = new;
        }
        (functions.into_iter().map(|(it, _)| it).collect(), ids)
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
