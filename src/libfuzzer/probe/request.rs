//! What a probe is asked for.

use std::fs;
use std::path::Path;
use std::str::FromStr;

/// The first line of a request.
const HEAD: &str = "pleach-probe 1";
const HELP: &str =
    "help: `pleach` writes these files; install it in the version that the target depends on";

/// What a probe is asked for.
#[derive(Debug)]
pub(super) struct Request {
    /// The number of the first input to run.
    first: u32,
    /// Whether the inputs are texts.
    pub(super) is_text: bool,
    /// Nanoseconds that an input may take.
    pub(super) timeout: u64,
    /// MiB that the process may have.
    pub(super) memory: u64,
    /// Whether every record is written at once.
    pub(super) flush: bool,
    /// Whether edge counts are added up, and numbers that the target reports are recorded.
    pub(super) numbers: bool,
    inputs: Vec<u8>,
}

impl Request {
    pub(super) fn read(directory: &Path) -> Result<Request, String> {
        let file = |name: &str| {
            let path = directory.join(name);
            fs::read(&path)
                .map_err(|error| format!("PLEACH_PROBE: {}: {error}\n{HELP}", path.display()))
        };
        let text = file("request")?;
        let text = String::from_utf8_lossy(&text);
        let wrong = |what: &str| format!("PLEACH_PROBE={}: {what}\n{HELP}", directory.display());
        let mut lines = text.lines();
        if lines.next() != Some(HEAD) {
            return Err(wrong("a request of another version"));
        }
        let mut request = Request {
            first: 0,
            is_text: false,
            timeout: u64::MAX,
            memory: u64::MAX,
            flush: false,
            numbers: false,
            inputs: file("inputs")?,
        };
        for line in lines {
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            let done = match name {
                "first" => set(&mut request.first, value),
                "memory" => set(&mut request.memory, value),
                "timeout" => value.parse::<u64>().is_ok_and(|it| {
                    request.timeout = it.saturating_mul(1_000_000);
                    true
                }),
                "texts" => yes_or_no(&mut request.is_text, value),
                "flush" => yes_or_no(&mut request.flush, value),
                "numbers" => yes_or_no(&mut request.numbers, value),
                // Those that are to come are for others.
                _ => true,
            };
            if !done {
                return Err(wrong(&format!("`{line}` is not a request")));
            }
        }
        if lengths(&request.inputs).any(|len| len.is_none()) {
            return Err(wrong("the file `inputs` is cut"));
        }
        Ok(request)
    }

    /// The inputs to run, with their numbers.
    pub(super) fn inputs(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let inputs = lengths(&self.inputs).flatten();
        let inputs = inputs.map(|(start, end)| &self.inputs[start..end]);
        (0..).zip(inputs).skip(self.first as usize)
    }
}

fn set<T: FromStr>(to: &mut T, value: &str) -> bool {
    value.parse().is_ok_and(|it| {
        *to = it;
        true
    })
}

fn yes_or_no(to: &mut bool, value: &str) -> bool {
    *to = value == "yes";
    *to || value == "no"
}

/// Where the inputs in a file begin and end; in the end nothing, if it is cut.
fn lengths(file: &[u8]) -> impl Iterator<Item = Option<(usize, usize)>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = &file[at..];
        if rest.is_empty() {
            return None;
        }
        let found = rest.split_first_chunk().and_then(|(len, rest)| {
            let len = u32::from_le_bytes(*len) as usize;
            let start = file.len() - rest.len();
            (len <= rest.len()).then_some((start, start + len))
        });
        at = found.map_or(file.len(), |(_, end)| end);
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Request;

    fn write(folder: &Path, request: &str, inputs: &[u8]) {
        fs::write(folder.join("request"), request).unwrap();
        fs::write(folder.join("inputs"), inputs).unwrap();
    }

    #[test]
    fn inputs_keep_their_numbers_when_a_process_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = b"\x02\0\0\0ab\0\0\0\0\x01\0\0\0c";
        let request = "pleach-probe 1\ntexts yes\nfirst 1\ntimeout 20\nshape round\nnumbers yes\n";
        write(folder.path(), request, inputs);
        let request = Request::read(folder.path()).unwrap();
        assert!(request.is_text && !request.flush && request.numbers);
        assert_eq!((request.timeout, request.memory), (20_000_000, u64::MAX));
        let inputs: Vec<_> = request.inputs().collect();
        assert_eq!(inputs, [(1, &b""[..]), (2, b"c")]);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let message = |request: &str, inputs: &[u8]| {
            write(folder.path(), request, inputs);
            Request::read(folder.path()).unwrap_err()
        };
        let table: [(&str, &[u8], &str); 6] = [
            ("pleach-probe 2\n", b"", "another version"),
            ("", b"", "another version"),
            (
                "pleach-probe 1\nfirst -1",
                b"",
                "`first -1` is not a request",
            ),
            (
                "pleach-probe 1\ntexts maybe",
                b"",
                "`texts maybe` is not a request",
            ),
            ("pleach-probe 1", b"\x05\0\0\0abc", "`inputs` is cut"),
            ("pleach-probe 1", b"\x01\0\0", "`inputs` is cut"),
        ];
        for (request, inputs, expected) in table {
            let message = message(request, inputs);
            assert!(message.contains(expected), "{message}");
            assert!(message.contains("\nhelp: "), "{message}");
        }
        fs::remove_file(folder.path().join("inputs")).unwrap();
        write_request_only(folder.path());
    }

    fn write_request_only(folder: &Path) {
        fs::write(folder.join("request"), "pleach-probe 1\n").unwrap();
        let message = Request::read(folder).unwrap_err();
        assert!(message.contains("/inputs: "), "{message}");
    }
}
