//! The texts of files of choices, as the target sees them: for `PLEACH_RENDER`.
//!
//! `pleach decode` knows the grammar, but not the hooks of a target. The target itself does, so it writes the texts.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes the texts of the inputs that arguments name, files and the files in directories, each under the name of its file. What
/// begins with a dash is the engine's, and what is not there is none of ours. Nothing is overwritten. Says how many.
pub(super) fn write(
    directory: &Path,
    arguments: impl Iterator<Item = OsString>,
    text_of: impl Fn(&[u8]) -> Vec<u8>,
) -> Result<String, String> {
    let paths = inputs(arguments)?;
    if paths.is_empty() {
        return Err(
            "PLEACH_RENDER: the arguments name no input\nhelp: name files or directories behind the target"
                .into(),
        );
    }
    fs::create_dir_all(directory)
        .map_err(|error| format!("PLEACH_RENDER={}: {error}", directory.display()))?;
    for path in &paths {
        let input = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let text = text_of(&input);
        let to = directory.join(path.file_name().unwrap_or_default());
        let written = File::create_new(&to).and_then(|mut file| file.write_all(&text));
        written.map_err(|error| {
            format!(
                "{}: {error}\nhelp: name an empty directory by PLEACH_RENDER",
                to.display()
            )
        })?;
    }
    Ok(format!("{} texts in {}", paths.len(), directory.display()))
}

/// The files, sorted within each directory.
fn inputs(arguments: impl Iterator<Item = OsString>) -> Result<Vec<PathBuf>, String> {
    let mut paths = Vec::new();
    for argument in arguments {
        let path = PathBuf::from(&argument);
        if argument.to_string_lossy().starts_with('-') {
            continue;
        }
        if !path.is_dir() {
            paths.push(path);
            continue;
        }
        let entries =
            fs::read_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let files = entries.flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
        files.sort();
        paths.append(&mut files);
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use super::write;

    #[test]
    fn texts_have_the_names_of_the_inputs_and_overwrite_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("corpus")).unwrap();
        for (name, input) in [("corpus/a", "1"), ("corpus/b", "22"), ("single", "333")] {
            fs::write(path(name), input).unwrap();
        }
        let arguments = || {
            let names = [path("corpus"), path("single")];
            let names = names.map(OsString::from).into_iter();
            std::iter::once(OsString::from("-runs=0")).chain(names)
        };
        let reversed = |input: &[u8]| [b"<", input, b">"].concat();
        let to = path("texts");
        let said = write(&to, arguments(), reversed).unwrap();
        assert_eq!(said, format!("3 texts in {}", to.display()));
        let texts = ["a", "b", "single"].map(|name| fs::read_to_string(to.join(name)).unwrap());
        assert_eq!(texts, ["<1>", "<22>", "<333>"]);

        let error = write(&to, arguments(), |_| b"other".to_vec()).unwrap_err();
        assert!(
            error.contains("texts/a: ") && error.contains("help: "),
            "{error}"
        );
        assert_eq!(fs::read(to.join("a")).unwrap(), b"<1>");
        let missing = std::iter::once(path("nowhere").into());
        let error = write(&to, missing, reversed).unwrap_err();
        assert!(error.contains("nowhere: "), "{error}");
        let none = std::iter::once(OsString::from("-runs=0"));
        let error = write(&path("more"), none, reversed).unwrap_err();
        assert!(
            error.starts_with("PLEACH_RENDER: the arguments name no input"),
            "{error}"
        );
        assert!(!path("more").exists());
    }
}
