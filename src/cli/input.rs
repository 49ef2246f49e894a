//! The files of a corpus that come into the program.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use siphasher::sip128::SipHasher13;

use super::failure::{Failure, note};

/// The longest input that is read: what can be decoded in memory, and far more than engines write.
pub(super) const MAX_INPUT_BYTES: u64 = 256 << 20;

/// A hash of contents with a fixed definition, so that names and states are the same on every machine.
pub(super) type Digest = u128;

pub(super) fn digest(bytes: &[u8]) -> Digest {
    SipHasher13::new().hash(bytes).as_u128()
}

/// Reads everything, and one byte more than the limit of what is longer, so that the reader of it can tell.
pub(super) fn read_up_to(reader: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads an input, replacing what is in `bytes`.
pub(super) fn read_input(path: &Path, bytes: &mut Vec<u8>) -> Result<(), Failure> {
    let file = File::open(path).map_err(|error| Failure::file("read", path, &error))?;
    read_whole(file, path, bytes)
}

fn read_whole(reader: impl Read, path: &Path, bytes: &mut Vec<u8>) -> Result<(), Failure> {
    bytes.clear();
    let read = reader.take(MAX_INPUT_BYTES + 1).read_to_end(bytes);
    read.map_err(|error| Failure::file("read", path, &error))?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(Failure::new(
            format_args!(
                "{}: the input is longer than {} MiB",
                path.display(),
                MAX_INPUT_BYTES >> 20
            ),
            "leave it out",
        ));
    }
    Ok(())
}

/// Reads the one input of a verb, `-` from standard input, which must not be that of the grammar too; gives the name that
/// messages have for it.
pub(super) fn read_named(
    path: &Path,
    grammar: &Path,
    bytes: &mut Vec<u8>,
) -> Result<String, Failure> {
    let stdin = Path::new("-");
    if path.is_dir() {
        return Err(Failure::new(
            format_args!("{}: this is a directory", path.display()),
            "name a file in it; `pleach coverage` reads directories",
        ));
    }
    if path != stdin {
        read_input(path, bytes)?;
        return Ok(path.display().to_string());
    }
    if grammar == stdin {
        return Err(Failure::new(
            "standard input cannot be both the grammar and the input",
            "name a file for one of them",
        ));
    }
    let name = "<stdin>";
    read_whole(io::stdin(), Path::new(name), bytes)?;
    Ok(name.to_owned())
}

/// A file of a corpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct InputFile {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its name below the directory that was given, or its own name.
    pub(super) name: PathBuf,
}

/// The files that the paths stand for: a file for itself, a directory for all files below it, sorted. In directories,
/// hidden files and what is not a file are left out, and links to directories are not followed.
pub(super) fn collect(paths: &[PathBuf]) -> Result<Vec<InputFile>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let kind = fs::metadata(path).map_err(|error| Failure::file("read", path, &error))?;
        if !kind.is_dir() {
            let name = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
            files.push(InputFile {
                path: path.clone(),
                name,
            });
            continue;
        }
        let before = files.len();
        files_below(path, &mut files)?;
        files[before..].sort_by(|a, b| a.name.cmp(&b.name));
        if files.len() == before {
            note(format_args!("note: {} has no files", path.display()));
        }
    }
    Ok(files)
}

fn files_below(root: &Path, files: &mut Vec<InputFile>) -> Result<(), Failure> {
    let mut open = vec![PathBuf::new()];
    while let Some(name) = open.pop() {
        // Joining an empty name would leave a slash behind.
        let place = |name: &Path| match name.as_os_str().is_empty() {
            true => root.to_owned(),
            false => root.join(name),
        };
        let folder = place(&name);
        let failed = |error: io::Error| Failure::file("read", &folder, &error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if is_hidden(&entry.file_name()) {
                continue;
            }
            let name = name.join(entry.file_name());
            let path = place(&name);
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                open.push(name);
            } else if kind.is_file()
                || kind.is_symlink() && fs::metadata(&path).is_ok_and(|kind| kind.is_file())
            {
                files.push(InputFile { path, name });
            }
        }
    }
    Ok(())
}

pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
