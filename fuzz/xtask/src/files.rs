//! The files of a directory.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// A file below a directory.
pub(crate) struct File {
    pub(crate) path: PathBuf,
    /// Its path below the directory, with slashes.
    pub(crate) name: String,
}

/// The files below a directory, sorted by name. What is hidden is left out, and links to directories are not followed.
pub(crate) fn files_below(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        let failed = || folder.display().to_string();
        for entry in fs::read_dir(&folder).with_context(failed)? {
            let entry = entry.with_context(failed)?;
            let (path, kind) = (entry.path(), entry.file_type().with_context(failed)?);
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            if kind.is_dir() {
                open.push((path, format!("{prefix}{name}/")));
            } else if path.is_file() {
                let name = prefix.clone() + &name;
                files.push(File { path, name });
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}
