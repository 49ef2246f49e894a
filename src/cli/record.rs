//! By which grammar the choice files of a directory were made.
//!
//! A choice sequence stands for one text by the grammar that it was made with, and for another by any other grammar: after a change of
//! the grammar, a crash decodes to something that never crashed, and nothing in the file tells. So whoever fills a directory with
//! inputs leaves a record in it, in the directory `.pleach`:
//!
//! ```text
//! corpus/json/.pleach/made-by                   which grammar, which codec
//! corpus/json/.pleach/f3eff1e945323a92.ebnf     that grammar, named by its fingerprint
//! ```
//!
//! `made-by` has a line for the grammar of all files but those that are listed below it, which an older one has made:
//!
//! ```text
//! pleach-record 1
//! choices f3eff1e945323a92
//! older 89b4361509f74330 crash-0a4d55a8d778e5022fab701977c5d840bbc486d0
//! ```
//!
//! libFuzzer reads corpus directories and those below them, but passes over those whose names begin with a dot; so do all verbs.
//! The record is in the directory itself, and not beside it, so that it goes along when the directory is copied or committed.
//! (`cargo fuzz cmin` makes a new directory; the artifacts' record is left then.)
//!
//! Files that were there before there was a record are taken for the grammar's that the first record names.
//!
//! Reading takes the time of one small file; [`Record::enter`] lists the directory, but only when the grammar has changed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pleach_core::{Codec, Grammar, Graph};

use super::failure::{Failure, note, warn};
use super::input::is_hidden;
use super::output::{Existing, write_file};
use super::recognize::Kind;
use super::report::count;

/// The directory of the record, in that of the inputs.
const FOLDER: &str = ".pleach";
const FILE: &str = "made-by";
/// The first line: what the file is, and in which form.
const HEAD: &str = "pleach-record 1";

/// The grammar and the codec that an input was made with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Maker {
    /// The fingerprint of the grammar.
    pub(super) fingerprint: u64,
    /// Whether inputs are texts rather than choice sequences.
    pub(super) is_text: bool,
}

impl Maker {
    pub(super) fn new(grammar: &Grammar, is_text: bool) -> Maker {
        Maker {
            fingerprint: grammar.fingerprint(),
            is_text,
        }
    }

    /// What its inputs are.
    pub(super) fn kind(self) -> Kind {
        Kind::of(self.is_text)
    }
}

/// The record of a directory.
#[derive(Debug)]
pub(super) struct Record {
    dir: PathBuf,
    /// What makes inputs now.
    maker: Option<Maker>,
    /// Files, by their names in one line, that older grammars have made.
    older: BTreeMap<String, Maker>,
}

/// What [`Record::enter`] has found: the files of the directory were made otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Change {
    /// How they were made.
    pub(super) before: Maker,
    /// How many there are.
    pub(super) files: u64,
}

impl Record {
    /// The record of a directory; an empty one if there is none, or none that can be read.
    pub(super) fn read(dir: &Path) -> Record {
        let text = fs::read_to_string(dir.join(FOLDER).join(FILE)).unwrap_or_default();
        let (maker, older) = parse(&text).unwrap_or_default();
        Record {
            dir: dir.to_owned(),
            maker,
            older,
        }
    }

    /// What makes the inputs of the directory now.
    pub(super) fn maker(&self) -> Option<Maker> {
        self.maker
    }

    /// Takes what makes the inputs of another directory for what has made these, if nothing says what has.
    pub(super) fn presume(&mut self, maker: Option<Maker>) {
        self.maker = self.maker.or(maker);
    }

    /// What has made a file of this name.
    fn maker_of(&self, name: &OsStr) -> Option<Maker> {
        self.older.get(&line(name)).copied().or(self.maker)
    }

    /// The file of a grammar that was kept.
    pub(super) fn grammar_file(&self, fingerprint: u64) -> PathBuf {
        let name = format!("{fingerprint:016x}.ebnf");
        self.dir.join(FOLDER).join(name)
    }

    /// A grammar that was kept, unless its file is missing or was changed.
    fn grammar(&self, fingerprint: u64) -> Option<Grammar> {
        let text = fs::read(self.grammar_file(fingerprint)).ok()?;
        let grammar = Grammar::parse(&text).ok()?;
        (grammar.fingerprint() == fingerprint).then_some(grammar)
    }

    /// The record of a directory that a verb is about to fill: a grammar makes its inputs from now on. Fails if it holds inputs of the
    /// other kind. To be ended by [`Record::finish`].
    pub(super) fn begin(dir: &Path, grammar: &Grammar, kind: Kind) -> Result<Record, Failure> {
        let mut record = Record::read(dir);
        if let Some(before) = record.maker
            && before.kind() != kind
            && has_files(dir)
        {
            let (dir, holds) = (dir.display(), before.kind());
            return Err(Failure::new(
                format_args!("{dir} holds {holds}, and {kind} are to be written"),
                "name another directory: what reads one takes all files in it for the same",
            ));
        }
        record.enter(grammar, kind.is_text())?;
        Ok(record)
    }

    /// Notes the files that were written since the record was begun, and says which of the others another grammar reads.
    pub(super) fn finish(
        mut self,
        names: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Result<(), Failure> {
        self.written(names)?;
        let mut older = self.older.values();
        if let Some(one) = older.next()
            && self.maker.is_some_and(|maker| !maker.is_text)
        {
            warn(format_args!(
                "{} still holds {} of another grammar, {}, which this one reads as other texts",
                self.dir.display(),
                count(self.older.len() as u64, "choice sequence"),
                self.grammar_file(one.fingerprint).display()
            ));
        }
        Ok(())
    }

    /// Lets a grammar make the inputs from now on; the directory is made if need be. If something else has made those that are there,
    /// they are noted as made by that, and the change is told.
    pub(super) fn enter(
        &mut self,
        grammar: &Grammar,
        is_text: bool,
    ) -> Result<Option<Change>, Failure> {
        let maker = Maker::new(grammar, is_text);
        let change = match self.maker {
            Some(before) if before != maker => Some(Change {
                before,
                files: self.age(before)?,
            }),
            _ => None,
        };
        let is_there = self.grammar_file(maker.fingerprint).exists();
        if self.maker.replace(maker) != Some(maker) || !is_there {
            self.save(grammar)?;
        }
        Ok(change.filter(|change| change.files > 0))
    }

    /// Notes that files were written by what makes inputs now, whatever made files of these names before.
    pub(super) fn written(
        &mut self,
        names: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Result<(), Failure> {
        let before = self.older.len();
        for name in names {
            self.older.remove(&line(name.as_ref()));
        }
        match self.older.len() == before {
            true => Ok(()),
            false => self.save_list(),
        }
    }

    /// Notes the files that are there as made by what has made inputs until now, but for those whose maker is known, and forgets
    /// those that are gone. Says how many are not made by what comes now.
    fn age(&mut self, before: Maker) -> Result<u64, Failure> {
        let failed = |error| Failure::file("read", &self.dir, &error);
        let mut older = BTreeMap::new();
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if is_hidden(&name) || entry.file_type().map_err(failed)?.is_dir() {
                continue;
            }
            let name = line(&name);
            let maker = self.older.get(&name).copied().unwrap_or(before);
            older.insert(name, maker);
        }
        self.older = older;
        Ok(self.older.len() as u64)
    }

    fn save(&self, grammar: &Grammar) -> Result<(), Failure> {
        let folder = self.dir.join(FOLDER);
        fs::create_dir_all(&folder)
            .map_err(|error| Failure::file("make the directory", &folder, &error))?;
        let file = self.grammar_file(grammar.fingerprint());
        write_file(&file, grammar.to_string().as_bytes(), Existing::Replace)?;
        self.save_list()
    }

    fn save_list(&self) -> Result<(), Failure> {
        let file = self.dir.join(FOLDER).join(FILE);
        write_file(
            &file,
            print(self.maker, &self.older).as_bytes(),
            Existing::Replace,
        )
    }
}

/// Finds what has made files, by the records of their directories.
#[derive(Debug, Default)]
pub(super) struct Makers {
    /// The records that were read, by their directories.
    records: BTreeMap<PathBuf, Record>,
}

impl Makers {
    /// The record of the directory that a file is in.
    fn record(&mut self, file: &Path) -> &Record {
        let dir = match file.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        };
        let records = self.records.entry(dir.to_owned());
        records.or_insert_with(|| Record::read(dir))
    }

    /// What has made a file, if a record says so.
    pub(super) fn maker(&mut self, file: &Path) -> Option<Maker> {
        let name = file.file_name()?;
        self.record(file).maker_of(name)
    }

    /// Whether all files are texts, or all choice sequences, if their records say so.
    pub(super) fn kind<'f>(&mut self, files: impl IntoIterator<Item = &'f Path>) -> Option<Kind> {
        let mut kinds = files.into_iter().map(|file| Some(self.maker(file)?.kind()));
        let first = kinds.next()??;
        kinds.all(|kind| kind == Some(first)).then_some(first)
    }

    /// The other grammar that has made a file of choices, if a record says so.
    pub(super) fn other(&mut self, file: &Path, grammar: &Grammar) -> Option<Other> {
        let maker = self.maker(file)?;
        if maker.is_text || maker.fingerprint == grammar.fingerprint() {
            return None;
        }
        let record = self.record(file);
        Some(Other {
            fingerprint: maker.fingerprint,
            file: record.grammar_file(maker.fingerprint),
            grammar: record.grammar(maker.fingerprint),
        })
    }
}

/// A grammar that has made a file, and is not the one that was named.
#[derive(Debug)]
pub(super) struct Other {
    pub(super) fingerprint: u64,
    /// Where it is kept.
    pub(super) file: PathBuf,
    /// The grammar, if it is there.
    pub(super) grammar: Option<Grammar>,
}

/// The codecs of files that several grammars have made: that of the grammar that is named, and those of others that were kept.
pub(super) struct Codecs {
    graph: Arc<Graph>,
    named: Codec,
    makers: Makers,
    others: BTreeMap<u64, Option<Codec>>,
    /// Files that others have made, one of them, and where its grammar is; and whether it was there.
    met: Met,
}

#[derive(Default)]
struct Met {
    kept: u64,
    lost: u64,
    one: Option<(PathBuf, PathBuf)>,
}

impl Codecs {
    pub(super) fn new(graph: &Arc<Graph>) -> Codecs {
        Codecs {
            graph: graph.clone(),
            named: Codec::new(graph),
            makers: Makers::default(),
            others: BTreeMap::new(),
            met: Met::default(),
        }
    }

    /// The codec of a file: that of the grammar that has made it, if a record says so and the grammar was kept.
    pub(super) fn of(&mut self, file: &Path) -> &Codec {
        let Some(other) = self.makers.other(file, self.graph.grammar()) else {
            return &self.named;
        };
        let codec = self.others.entry(other.fingerprint);
        let codec = codec.or_insert_with(|| Some(Codec::new(&Graph::new(other.grammar?).ok()?)));
        match codec {
            Some(_) => self.met.kept += 1,
            None => self.met.lost += 1,
        }
        self.met
            .one
            .get_or_insert_with(|| (file.to_owned(), other.file));
        codec.as_ref().unwrap_or(&self.named)
    }

    /// Says which files were made by others.
    pub(super) fn tell(&self, grammar: &str) {
        let Met { kept, lost, one } = &self.met;
        let Some((file, kept_in)) = one else {
            return;
        };
        let (file, kept_in) = (file.display(), kept_in.display());
        match (kept, lost) {
            (1, 0) => note(format_args!(
                "note: {file} was made with another version of the grammar than {grammar}; it is read by that version, {kept_in}"
            )),
            (kept @ 1.., _) => note(format_args!(
                "note: {kept} inputs were made with other versions of the grammar than {grammar}; they are read by those, {file} by {kept_in}"
            )),
            _ => {}
        }
        if *lost > 0 {
            warn(format_args!(
                "{} made with another version of the grammar than {grammar}, which was not kept: what is read is not what \
                 was meant",
                match lost {
                    1 => format!("{file} was"),
                    _ => format!("{lost} inputs were"),
                }
            ));
        }
    }
}

/// Whether there are inputs in a directory, or directories of them.
pub(super) fn has_files(dir: &Path) -> bool {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .into_iter()
        .any(|entry| !is_hidden(&entry.file_name()))
}

/// A name in one line.
fn line(name: &OsStr) -> String {
    name.to_string_lossy().escape_debug().to_string()
}

fn print(maker: Option<Maker>, older: &BTreeMap<String, Maker>) -> String {
    let kind = |maker: &Maker| match maker.is_text {
        true => "text",
        false => "choices",
    };
    let mut text = format!("{HEAD}\n");
    if let Some(maker) = maker {
        text += &format!("{} {:016x}\n", kind(&maker), maker.fingerprint);
    }
    for (name, maker) in older {
        let fingerprint = maker.fingerprint;
        text += &format!("older {} {fingerprint:016x} {name}\n", kind(maker));
    }
    text
}

/// What a record says; nothing if it is of another form.
fn parse(text: &str) -> Option<(Option<Maker>, BTreeMap<String, Maker>)> {
    fn maker(kind: &str, fingerprint: &str) -> Option<Maker> {
        let is_text = match kind {
            "text" => true,
            "choices" => false,
            _ => return None,
        };
        let fingerprint = u64::from_str_radix(fingerprint, 16).ok()?;
        Some(Maker {
            fingerprint,
            is_text,
        })
    }
    let mut lines = text.lines();
    if lines.next()? != HEAD {
        return None;
    }
    let (mut now, mut older) = (None, BTreeMap::new());
    for line in lines {
        match line.strip_prefix("older ") {
            None => {
                let (kind, fingerprint) = line.split_once(' ')?;
                now = Some(maker(kind, fingerprint)?);
            }
            Some(line) => {
                let mut parts = line.splitn(3, ' ');
                let made = maker(parts.next()?, parts.next()?)?;
                older.insert(parts.next()?.to_owned(), made);
            }
        }
    }
    Some((now, older))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::path::Path;

    use pleach_core::Grammar;

    use super::{Change, Maker, Makers, Record};

    fn grammar(text: &str) -> Grammar {
        text.parse().unwrap()
    }

    fn touch(dir: &Path, name: &str) {
        fs::write(dir.join(name), "").unwrap();
    }

    #[test]
    fn files_keep_the_grammar_that_made_them_through_changes() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("corpus");
        let [one, two, three] = ["a := [a-z];", "a := [a-z]+;", "a := 'x' a | 'y';"].map(grammar);
        let made = |name: &str| Record::read(&dir).maker_of(OsStr::new(name));
        assert_eq!(made("x"), None);

        // The directory is made.
        assert_eq!(Record::read(&dir).enter(&one, false).unwrap(), None);
        touch(&dir, "crash-1");
        touch(&dir, "with space");
        assert_eq!(Record::read(&dir).enter(&one, false).unwrap(), None);
        assert_eq!(made("crash-1"), Some(Maker::new(&one, false)));

        let change = Record::read(&dir).enter(&two, false).unwrap();
        let before = Maker::new(&one, false);
        assert_eq!(change, Some(Change { before, files: 2 }));
        touch(&dir, "crash-2");
        assert_eq!(Record::read(&dir).enter(&two, false).unwrap(), None);
        let third = Record::read(&dir).enter(&three, true).unwrap();
        let before = Maker::new(&two, false);
        assert_eq!(third, Some(Change { before, files: 3 }));
        touch(&dir, "crash-3");
        let makers =
            ["crash-1", "with space", "crash-2", "crash-3"].map(|name| made(name).unwrap());
        let expected = [(&one, false), (&one, false), (&two, false), (&three, true)];
        assert_eq!(
            makers,
            expected.map(|(grammar, is_text)| Maker::new(grammar, is_text))
        );
        for grammar in [&one, &two, &three] {
            let kept = Record::read(&dir).grammar(grammar.fingerprint()).unwrap();
            assert_eq!(kept, *grammar);
        }

        // What is written again is the present grammar's, and what is gone is forgotten.
        let mut record = Record::read(&dir);
        record.written(["crash-1", "new"]).unwrap();
        assert_eq!(made("crash-1"), Some(Maker::new(&three, true)));
        fs::remove_file(dir.join("crash-2")).unwrap();
        Record::read(&dir).enter(&one, false).unwrap();
        touch(&dir, "crash-2");
        assert_eq!(made("crash-2"), Some(Maker::new(&one, false)));
    }

    #[test]
    fn a_change_of_an_empty_directory_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut record = Record::read(folder.path());
        record.enter(&grammar("a := 'x';"), false).unwrap();
        touch(folder.path(), ".hidden");
        let mut record = Record::read(folder.path());
        let change = record.enter(&grammar("a := 'y';"), false).unwrap();
        assert_eq!(change, None);
    }

    #[test]
    fn what_is_no_record_says_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (grammar("a := 'x';"), grammar("a := 'y';"));
        Record::read(folder.path()).enter(&one, false).unwrap();
        let file = folder.path().join(".pleach/made-by");
        let whole = fs::read_to_string(&file).unwrap();
        assert_eq!(
            whole,
            format!("pleach-record 1\nchoices {:016x}\n", one.fingerprint())
        );
        for text in [
            "",
            "pleach-record 2\n",
            "pleach-record 1\nchoices\n",
            "pleach-record 1\nolder text 1\n",
            "\0",
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(Record::read(folder.path()).maker(), None, "{text:?}");
        }
        // Nor is a grammar that somebody has changed.
        fs::write(
            Record::read(folder.path()).grammar_file(one.fingerprint()),
            two.to_string(),
        )
        .unwrap();
        assert_eq!(Record::read(folder.path()).grammar(one.fingerprint()), None);
        let x = folder.path().join("x");
        assert!(Makers::default().maker(&x).is_none());
        assert_eq!(Makers::default().record(Path::new("x")).dir, Path::new("."));
    }
}
