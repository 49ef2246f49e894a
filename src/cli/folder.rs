//! A directory of inputs that a verb fills.
//!
//! Files are named by what is in them, as libFuzzer names its own, unless the verb has a better name: the name is stable, the same input is
//! never written twice, and filling a directory a second time only adds to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::input::{Digest, digest, is_hidden};
use super::output::{Existing, write_file};

/// A directory being filled.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    existing: Existing,
    /// What was written, and the names of the files.
    written: BTreeMap<Digest, String>,
    bytes: u64,
}

impl Folder {
    /// Makes the directory, or takes an empty one, or with `force` any.
    pub(super) fn open(path: &Path, force: bool) -> Result<Folder, Failure> {
        match fs::read_dir(path) {
            Ok(entries) => {
                let mut names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
                if !force && names.any(|name| !is_hidden(&name)) {
                    return Err(Failure::new(
                        format_args!("{}: the directory is not empty", path.display()),
                        "name a new one, or add to it by --force",
                    ));
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir_all(path)
                .map_err(|error| Failure::file("make the directory", path, &error))?,
            Err(error) => return Err(Failure::file("open the directory", path, &error)),
        }
        Ok(Folder {
            path: path.to_owned(),
            existing: Existing::forced(force),
            written: BTreeMap::new(),
            bytes: 0,
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes an input, unless it was written before; says whether it was new.
    pub(super) fn add(&mut self, input: &[u8]) -> Result<bool, Failure> {
        self.add_named(input, name_of(input))
    }

    /// The same, to a file of this name.
    pub(super) fn add_named(&mut self, input: &[u8], name: String) -> Result<bool, Failure> {
        let digest = digest(input);
        if self.written.contains_key(&digest) {
            return Ok(false);
        }
        write_file(&self.path.join(&name), input, self.existing)?;
        self.written.insert(digest, name);
        self.bytes += input.len() as u64;
        Ok(true)
    }

    /// Deletes the inputs that were written at another time: files with names like those that are given here.
    pub(super) fn delete_others(&self) -> Result<(), Failure> {
        let names: BTreeSet<String> = self.names().collect();
        let read = |error| Failure::file("read the directory", &self.path, &error);
        for entry in fs::read_dir(&self.path).map_err(read)? {
            let entry = entry.map_err(read)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_digest = name.len() == 32 && name.bytes().all(|it| it.is_ascii_hexdigit());
            if is_digest && !names.contains(&name) {
                let path = entry.path();
                fs::remove_file(&path).map_err(|error| Failure::file("delete", &path, &error))?;
            }
        }
        Ok(())
    }

    /// The names of the files that were written.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.written.values().cloned()
    }

    /// How many inputs were written.
    pub(super) fn inputs(&self) -> u64 {
        self.written.len() as u64
    }

    /// How many bytes they have together.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// The name of the file with an input.
pub(super) fn name_of(input: &[u8]) -> String {
    format!("{:032x}", digest(input))
}
