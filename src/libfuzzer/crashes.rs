//! What has crashed the target before: the files that the engine leaves where `-artifact_prefix` says.
//!
//! A process dies with the input that crashes it and remembers nothing. The engine's own files do: they are read once, before the first
//! mutation, by each process of a campaign that goes on after a crash (`-fork` with `-ignore_crashes`, or started again), so
//! that it need not crash in the same way again ([`Session::shun`](pleach_core::mutate::Session::shun)).

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The files that are read, the first by name, which is a hash: so any of them.
const MOST_FILES: usize = 512;
/// Longer ones are passed over.
const MOST_BYTES: u64 = 1 << 16;
/// How the engine names what has crashed.
const CRASH: &str = "crash-";

/// The prefix of artifacts that the arguments of the engine give; the working directory without one, as for the engine.
pub(super) fn prefix(arguments: impl Iterator<Item = OsString>) -> PathBuf {
    arguments
        .filter_map(|argument| {
            let text = argument.into_string().ok()?;
            Some(PathBuf::from(text.strip_prefix("-artifact_prefix=")?))
        })
        .last()
        .unwrap_or_default()
}

/// The inputs that have crashed, in the order of their names. What cannot be read is passed over.
pub(super) fn inputs(prefix: &Path) -> Vec<Vec<u8>> {
    // A prefix is a directory only if it ends with a slash.
    let text = prefix.to_string_lossy();
    let (directory, start) = match text.rfind('/') {
        Some(at) => (&text[..=at], &text[at + 1..]),
        None => ("./", &text[..]),
    };
    let start = format!("{start}{CRASH}");
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&start))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths.truncate(MOST_FILES);
    paths
        .iter()
        .filter(|path| fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() <= MOST_BYTES))
        .filter_map(|path| fs::read(path).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{MOST_BYTES, inputs, prefix};

    #[test]
    fn the_last_prefix_counts() {
        let given = |arguments: &[&str]| prefix(arguments.iter().map(Into::into));
        assert_eq!(given(&["target", "corpus"]), PathBuf::new());
        assert_eq!(
            given(&[
                "target",
                "-artifact_prefix=a/",
                "-runs=1",
                "-artifact_prefix=b/c-"
            ]),
            Path::new("b/c-")
        );
    }

    #[test]
    fn crashes_are_read_from_where_the_engine_puts_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        write("crash-b", b"second");
        write("crash-a", b"first");
        write("leak-a", b"no crash");
        write("x-crash-a", b"with a prefix");
        write("crash-long", &vec![0; MOST_BYTES as usize + 1]);
        fs::create_dir(folder.path().join("crash-folder")).unwrap();
        let read = |end: &str| inputs(Path::new(&format!("{}/{end}", folder.path().display())));
        assert_eq!(read(""), [&b"first"[..], b"second"]);
        assert_eq!(read("x-"), [b"with a prefix"]);
        assert!(read("nowhere/").is_empty());
    }
}
