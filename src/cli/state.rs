//! What `pleach coverage --state` keeps between runs.
//!
//! The covered windows and alternatives, and for each file that they came from its path, its stamp (size, times) and a digest of
//! its contents. A file with the stamp that it had is not even opened; one that is new, moved or touched is read, and
//! decoded only if its contents are unknown. A stamp proves nothing if the file could have been written again within the same
//! tick of the clock, so that of a file younger than [`SETTLING_SECONDS`] is not trusted. Of texts it is kept, too, that they
//! are invalid, but neither why nor where.
//!
//! ```text
//! magic  version  fingerprint  k   texts  checksum  payload (bincode)
//! 8      4        8            4   1      8         …
//! ```
//!
//! Whatever does not match is refused: a state of another grammar would report nonsense, and so would one of choice sequences
//! for texts.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use bincode::{Decode, Encode};
use pleach_core::Coverage;
use pleach_core::kpath::WindowTable;
use siphasher::sip::SipHasher13;
use std::hash::Hasher as _;

use super::failure::Failure;
use super::input::Digest;
use super::measure::Meter;
use super::output::{Existing, write_file};

const MAGIC: &[u8; 8] = b"pleachCV";
const VERSION: u32 = 2;
const HEADER_BYTES: usize = 8 + 4 + 8 + 4 + 1 + 8;
/// The most that a state may take, in the file and in memory: millions of files.
const MAX_BYTES: usize = 1 << 30;
/// The age from which a stamp is trusted: coarse file systems keep even seconds.
const SETTLING_SECONDS: u64 = 2;

/// What tells whether a file is the one that was read, without opening it.
#[derive(Clone, Default, PartialEq, Eq, Debug, Encode, Decode)]
pub(super) struct Stamp {
    size: u64,
    /// Nanoseconds since 1970.
    modified: u64,
    /// The same for the change of the file's entry, where there is such a thing: copying a time back does not copy this.
    changed: u64,
}

fn nanoseconds(since: Duration) -> u64 {
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Result<Stamp, Failure> {
        let metadata = fs::metadata(path).map_err(|error| Failure::file("read", path, &error))?;
        let modified = metadata.modified().ok();
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt as _;
            let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
            let rest = u64::try_from(metadata.ctime_nsec()).unwrap_or(0);
            seconds.saturating_mul(1_000_000_000).saturating_add(rest)
        };
        #[cfg(not(unix))]
        let changed = 0;
        Ok(Stamp {
            size: metadata.len(),
            modified: modified.map_or(0, nanoseconds),
            changed,
        })
    }

    /// The stamp of a file that would be written now.
    #[expect(
        clippy::disallowed_types,
        reason = "the age of a file says whether its time can be trusted; no result depends on it"
    )]
    pub(super) fn now() -> Stamp {
        let now = std::time::SystemTime::now();
        let now = now.duration_since(UNIX_EPOCH).map_or(0, nanoseconds);
        Stamp {
            size: 0,
            modified: now,
            changed: now,
        }
    }

    fn is_settled(&self, now: &Stamp) -> bool {
        let latest = self.modified.max(self.changed);
        latest.saturating_add(SETTLING_SECONDS * 1_000_000_000) < now.modified
    }
}

/// A file that was measured.
#[derive(Clone, PartialEq, Eq, Debug, Encode, Decode)]
pub(super) struct Record {
    path: Vec<u8>,
    stamp: Stamp,
    settled: bool,
    digest: Digest,
    valid: bool,
}

impl Record {
    pub(super) fn new(
        path: &Path,
        stamp: Stamp,
        digest: Digest,
        valid: bool,
        now: &Stamp,
    ) -> Record {
        Record {
            path: path.as_os_str().as_encoded_bytes().to_vec(),
            settled: stamp.is_settled(now),
            stamp,
            digest,
            valid,
        }
    }

    pub(super) fn digest(&self) -> Digest {
        self.digest
    }

    /// Whether the input was measured; otherwise it is a text that is not a sentence.
    pub(super) fn is_valid(&self) -> bool {
        self.valid
    }
}

#[derive(Encode, Decode)]
struct Payload {
    windows: Vec<u64>,
    expansions: Vec<u64>,
    files: Vec<Record>,
}

/// Measured coverage, and where it came from.
#[derive(Debug)]
pub(super) struct State {
    pub(super) meter: Meter,
    /// Sorted by path.
    files: Vec<Record>,
    /// The contents, each with whether it is valid; sorted.
    digests: Vec<(Digest, bool)>,
}

impl State {
    pub(super) fn new(meter: Meter, mut files: Vec<Record>) -> State {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        let digests = files.iter().map(|file| (file.digest, file.valid));
        let mut digests: Vec<(Digest, bool)> = digests.collect();
        digests.sort_unstable();
        digests.dedup();
        State {
            meter,
            files,
            digests,
        }
    }

    /// What this state says, and what was measured since, some of it perhaps again.
    pub(super) fn and(&self, mut meter: Meter, records: Vec<Record>) -> State {
        meter.union(&self.meter);
        // Of two records of a file, the newer one counts.
        let mut all = records;
        all.extend(self.files.iter().cloned());
        State::new(meter, all)
    }

    /// What is known of a file that has not changed since.
    pub(super) fn unchanged(&self, path: &Path, stamp: &Stamp) -> Option<&Record> {
        let path = path.as_os_str().as_encoded_bytes();
        let found = self
            .files
            .binary_search_by(|file| file.path.as_slice().cmp(path));
        let record = &self.files[found.ok()?];
        (record.settled && record.stamp == *stamp).then_some(record)
    }

    /// Whether contents are valid, if that is known; what they cover is then measured.
    pub(super) fn verdict(&self, digest: Digest) -> Option<bool> {
        let found = self
            .digests
            .binary_search_by_key(&digest, |&(known, _)| known);
        Some(self.digests[found.ok()?].1)
    }

    /// Whether everything that was measured is among these sorted digests.
    pub(super) fn is_within(&self, digests: &[Digest]) -> bool {
        let mut measured = self.digests.iter().filter(|&&(_, valid)| valid);
        measured.all(|(digest, _)| digests.binary_search(digest).is_ok())
    }

    /// Reads a state of texts or of choice sequences for this grammar and k; `None` if there is no such file.
    pub(super) fn load(
        path: &Path,
        windows: &Arc<WindowTable>,
        texts: bool,
    ) -> Result<Option<State>, Failure> {
        let bytes = match fs::metadata(path) {
            Ok(metadata) if metadata.len() > (MAX_BYTES + HEADER_BYTES) as u64 => Err(foreign()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            _ => Ok(fs::read(path).map_err(|error| Failure::file("read", path, &error))?),
        };
        let state = bytes.and_then(|bytes| State::from_bytes(&bytes, windows, texts));
        match state {
            Ok(state) => Ok(Some(state)),
            Err(refusal) => Err(Failure::new(
                format_args!("{}: {}", path.display(), refusal.message),
                refusal.help,
            )),
        }
    }

    /// Writes the state, in the place of the one before.
    pub(super) fn save(
        &self,
        path: &Path,
        windows: &WindowTable,
        texts: bool,
    ) -> Result<(), Failure> {
        match self.to_bytes(windows, texts) {
            Some(bytes) => write_file(path, &bytes, Existing::Replace),
            None => Err(Failure::new(
                format_args!(
                    "{}: the state would be too large to be read again",
                    path.display()
                ),
                "measure fewer files at a time, or leave out --state",
            )),
        }
    }

    fn to_bytes(&self, windows: &WindowTable, texts: bool) -> Option<Vec<u8>> {
        let payload = Payload {
            windows: self.meter.coverage.windows().words().to_vec(),
            expansions: self.meter.expansions.words().to_vec(),
            files: self.files.clone(),
        };
        let payload = bincode::encode_to_vec(&payload, configuration()).ok()?;
        // Decoding claims at most eight bytes of memory for a byte of the file.
        if payload.len() > MAX_BYTES / 8 {
            return None;
        }
        let fingerprint = windows.kpaths().graph().grammar().fingerprint();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(fingerprint.to_le_bytes());
        bytes.extend((windows.k() as u32).to_le_bytes());
        bytes.push(texts.into());
        bytes.extend(checksum(&payload).to_le_bytes());
        bytes.extend(payload);
        Some(bytes)
    }

    fn from_bytes(bytes: &[u8], windows: &Arc<WindowTable>, texts: bool) -> Result<State, Refusal> {
        let mut header = bytes;
        if take::<8>(&mut header) != Some(*MAGIC) {
            return Err(foreign());
        }
        let version = u32::from_le_bytes(take(&mut header).ok_or_else(damaged)?);
        if version != VERSION {
            return Err(Refusal {
                message: format!(
                    "the state has format {version}, and this program reads {VERSION}"
                ),
                help: "delete it to begin anew, or name another file",
            });
        }
        let fingerprint = u64::from_le_bytes(take(&mut header).ok_or_else(damaged)?);
        if fingerprint != windows.kpaths().graph().grammar().fingerprint() {
            return Err(Refusal {
                message: "the state belongs to another grammar".into(),
                help: "delete it to begin anew, or name another file",
            });
        }
        let k = u32::from_le_bytes(take(&mut header).ok_or_else(damaged)?);
        if k as usize != windows.k() {
            return Err(Refusal {
                message: format!("the state is one of -k {k}, not of -k {}", windows.k()),
                help: "ask for the same k, delete the state to begin anew, or name another file",
            });
        }
        let forms = ["choice sequences", "texts"];
        let [form] = take(&mut header).ok_or_else(damaged)?;
        let form = forms.get(usize::from(form)).ok_or_else(damaged)?;
        let wanted = forms[usize::from(texts)];
        if *form != wanted {
            return Err(Refusal {
                message: format!("the state is one of {form}, not of {wanted}"),
                help: "name another file for each, or delete it to begin anew",
            });
        }
        let sum = u64::from_le_bytes(take(&mut header).ok_or_else(damaged)?);
        let payload = header;
        if sum != checksum(payload) {
            return Err(damaged());
        }
        let (payload, length): (Payload, usize) =
            bincode::decode_from_slice(payload, configuration()).map_err(|_| damaged())?;
        if length != header.len() {
            return Err(damaged());
        }
        let mut meter = Meter::new(windows).map_err(|_| damaged())?;
        meter.coverage =
            Coverage::from_words(windows.kpaths(), payload.windows).ok_or_else(damaged)?;
        if !meter.expansions.restore(payload.expansions) {
            return Err(damaged());
        }
        Ok(State::new(meter, payload.files))
    }
}

/// Why a state is not taken, and what to do about it.
#[derive(Debug)]
struct Refusal {
    message: String,
    help: &'static str,
}

fn foreign() -> Refusal {
    Refusal {
        message: "this is not a coverage state".into(),
        help: "name another file: it is neither read nor replaced",
    }
}

fn damaged() -> Refusal {
    Refusal {
        message: "the state is cut off or damaged".into(),
        help: "delete it to begin anew, or name another file",
    }
}

fn configuration() -> impl bincode::config::Config {
    bincode::config::standard().with_limit::<MAX_BYTES>()
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new();
    hasher.write(bytes);
    hasher.finish()
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*taken)
}
