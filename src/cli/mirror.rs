//! A directory that gets a file of the same name for each input.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use pleach_core::Grammar;

use super::failure::Failure;
use super::input::InputFile;
use super::output::{Existing, write_file};
use super::recognize::Kind;
use super::record::Record;

/// The directory.
#[derive(Debug)]
pub(super) struct Mirror<'a> {
    dir: &'a Path,
    existing: Existing,
}

impl<'a> Mirror<'a> {
    /// Makes the directory, after a look at all inputs: no two of one name, and without `force` nothing in the way.
    pub(super) fn open(
        dir: &'a Path,
        files: &[InputFile],
        force: bool,
    ) -> Result<Mirror<'a>, Failure> {
        let mut sources: BTreeMap<&Path, &Path> = BTreeMap::new();
        for file in files {
            let target = dir.join(&file.name);
            if let Some(other) = sources.insert(&file.name, &file.path) {
                return Err(Failure::new(
                    format_args!(
                        "{} and {} would both become {}",
                        other.display(),
                        file.path.display(),
                        target.display()
                    ),
                    "write them to different directories, one run for each",
                ));
            }
            if !force && fs::symlink_metadata(&target).is_ok() {
                return Err(Failure::new(
                    format_args!("{}: it exists already", target.display()),
                    "name another directory, or replace files by --force",
                ));
            }
        }
        fs::create_dir_all(dir)
            .map_err(|error| Failure::file("make the directory", dir, &error))?;
        Ok(Mirror {
            dir,
            existing: Existing::forced(force),
        })
    }

    /// Notes in the directories of the files that these are to become choice sequences of a grammar.
    pub(super) fn begin(&self, files: &[InputFile], grammar: &Grammar) -> Result<(), Failure> {
        for dir in self.by_directory(files).keys() {
            Record::begin(dir, grammar, Kind::Choices)?;
        }
        Ok(())
    }

    /// Notes that files have become choice sequences of the grammar that was noted.
    pub(super) fn finish<'f>(
        &self,
        files: impl IntoIterator<Item = &'f InputFile>,
    ) -> Result<(), Failure> {
        for (dir, names) in self.by_directory(files) {
            Record::read(&dir).finish(names)?;
        }
        Ok(())
    }

    /// The names of what files become, by the directories.
    fn by_directory<'f>(
        &self,
        files: impl IntoIterator<Item = &'f InputFile>,
    ) -> BTreeMap<PathBuf, Vec<&'f OsStr>> {
        let mut names: BTreeMap<PathBuf, Vec<&OsStr>> = BTreeMap::new();
        for file in files {
            let target = self.dir.join(&file.name);
            if let (Some(dir), Some(name)) = (target.parent(), file.name.file_name()) {
                names.entry(dir.to_owned()).or_default().push(name);
            }
        }
        names
    }

    /// Writes what became of an input. Threads may do so at the same time.
    pub(super) fn write(&self, file: &InputFile, bytes: &[u8]) -> Result<(), Failure> {
        let target = self.dir.join(&file.name);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::file("make the directory", folder, &error))?;
        }
        write_file(&target, bytes, self.existing)
    }
}
