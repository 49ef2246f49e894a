//! What a probe has written, read as it comes.
//!
//! The form is described where targets write it, in `libfuzzer/probe/record.rs`. A process that dies may leave half a frame, which is
//! passed over; everything else that is not as it should be is an error with its place.

use std::time::Duration;

use crate::{Error, Place, Points, Table, Verdict};

/// No frame is as long as this.
const LONGEST: usize = 1 << 30;
/// The bytes of a frame before its own.
const HEAD: usize = 5;

/// A run as it is in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Recorded {
    pub(crate) verdict: Verdict,
    pub(crate) cpu: Duration,
    /// The number of a set of this process.
    pub(crate) set: usize,
}

/// What is known of a run beside its record.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Numbers {
    /// The sum of edge counts.
    pub(crate) count: Option<u64>,
    /// Numbers of names of this process, and what was reported under them.
    pub(crate) of_names: Vec<(usize, f64)>,
}

/// A frame.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Record {
    Table(Table),
    Set(Points),
    Name(String),
    /// Of the run that comes next.
    Numbers(Numbers),
    Run(Recorded),
    End,
}

/// Reads the records of one process.
#[derive(Debug)]
pub(crate) struct Reader {
    /// What is not read yet, from `at` on.
    bytes: Vec<u8>,
    at: usize,
    /// Where in the file `at` is.
    offset: u64,
    /// The number of points; nothing before the table.
    points: Option<usize>,
    sets: usize,
    names: usize,
    /// The number of the input whose run comes next.
    next: u32,
    has_ended: bool,
}

impl Reader {
    /// A reader of the records of a process that begins with this input.
    pub(crate) fn new(first: u32) -> Reader {
        Reader {
            bytes: Vec::new(),
            at: 0,
            offset: 0,
            points: None,
            sets: 0,
            names: 0,
            next: first,
            has_ended: false,
        }
    }

    /// Takes in what has come.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.drain(..self.at);
        self.at = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// The next record; nothing if it has not come yet.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, Error> {
        loop {
            let rest = &self.bytes[self.at..];
            let Some((head, rest)) = rest.split_first_chunk::<HEAD>() else {
                return Ok(None);
            };
            let [name, len @ ..] = *head;
            let len = u32::from_le_bytes(len) as usize;
            if len > LONGEST {
                return Err(self.damaged("a record is too long"));
            }
            if self.has_ended {
                return Err(self.damaged("a record behind the last"));
            }
            let Some(bytes) = rest.get(..len) else {
                return Ok(None);
            };
            let record = self.read(name, bytes).map_err(|what| self.damaged(what))?;
            match &record {
                Some(Record::Table(table)) => self.points = Some(table.places.len()),
                Some(Record::Set(_)) => self.sets += 1,
                Some(Record::Name(_)) => self.names += 1,
                Some(Record::Numbers(_)) => {}
                Some(Record::Run(_)) => self.next += 1,
                Some(Record::End) => self.has_ended = true,
                None => {}
            }
            self.at += HEAD + len;
            self.offset += (HEAD + len) as u64;
            if record.is_some() {
                return Ok(record);
            }
        }
    }

    fn damaged(&self, what: &'static str) -> Error {
        Error::Damaged {
            offset: self.offset,
            what,
        }
    }

    /// A frame of a known name.
    fn read(&self, name: u8, bytes: &[u8]) -> Result<Option<Record>, &'static str> {
        let points = match (name, self.points) {
            (b'H', None) => return table(bytes).map(Record::Table).map(Some),
            (b'H', Some(_)) => return Err("a second table of points"),
            (_, None) => return Err("there is no table of points before it"),
            (_, Some(points)) => points,
        };
        Ok(Some(match name {
            b'S' => Record::Set(set(bytes, points)?),
            b'R' => Record::Run(self.run(bytes)?),
            b'N' => Record::Name(String::from_utf8_lossy(bytes).into_owned()),
            b'G' => Record::Numbers(numbers(bytes, self.names)?),
            b'E' if bytes.is_empty() => Record::End,
            b'E' => return Err("the last record is not empty"),
            // What targets to come may add.
            _ => return Ok(None),
        }))
    }

    fn run(&self, bytes: &[u8]) -> Result<Recorded, &'static str> {
        let cut = "a run is cut";
        let (input, rest) = bytes.split_first_chunk().ok_or(cut)?;
        let (set, rest) = rest.split_first_chunk().ok_or(cut)?;
        let (cpu, rest) = rest.split_first_chunk().ok_or(cut)?;
        let (&verdict, text) = rest.split_first().ok_or(cut)?;
        if u32::from_le_bytes(*input) != self.next {
            return Err("a run of another input than the next");
        }
        let set = u32::from_le_bytes(*set) as usize;
        if set >= self.sets {
            return Err("a run with a set that is not there");
        }
        let text = String::from_utf8_lossy(text);
        let verdict = match verdict {
            0 => Verdict::Kept,
            1 => Verdict::Rejected,
            2 => {
                let (place, message) = text.split_once('\n').ok_or("a panic without a place")?;
                Verdict::Panicked {
                    place: place.into(),
                    message: message.into(),
                }
            }
            3 => Verdict::TimedOut,
            4 => Verdict::Killed {
                what: text.into_owned(),
            },
            _ => return Err("an unknown verdict"),
        };
        Ok(Recorded {
            verdict,
            cpu: Duration::from_nanos(u64::from_le_bytes(*cpu)),
            set,
        })
    }
}

fn table(bytes: &[u8]) -> Result<Table, &'static str> {
    const ENTRY: usize = 9;
    let wrong = "the table of points is cut";
    let (anchor, rest) = bytes.split_first_chunk().ok_or(wrong)?;
    if rest.len() % ENTRY != 0 {
        return Err(wrong);
    }
    let (addresses, entries) = rest.split_at(rest.len() / ENTRY * 8);
    let (addresses, _) = addresses.as_chunks();
    let places = addresses.iter().zip(entries);
    let places = places.map(|(address, &is_entry)| Place {
        address: u64::from_le_bytes(*address),
        is_entry: is_entry == 1,
    });
    Ok(Table {
        anchor: u64::from_le_bytes(*anchor),
        places: places.collect(),
    })
}

fn numbers(bytes: &[u8], names: usize) -> Result<Numbers, &'static str> {
    let cut = "numbers are cut";
    let (count, rest) = bytes.split_first_chunk().ok_or(cut)?;
    let (entries, []) = rest.as_chunks::<12>() else {
        return Err(cut);
    };
    let mut of_names = Vec::with_capacity(entries.len());
    for entry in entries {
        let [a, b, c, d, number @ ..] = *entry;
        let name = u32::from_le_bytes([a, b, c, d]) as usize;
        let number = f64::from_le_bytes(number);
        if name >= names {
            return Err("a number with a name that is not there");
        }
        if !number.is_finite() {
            return Err("a number that is not finite");
        }
        of_names.push((name, number));
    }
    Ok(Numbers {
        count: Some(u64::from_le_bytes(*count)),
        of_names,
    })
}

fn set(bytes: &[u8], points: usize) -> Result<Points, &'static str> {
    let (numbers, []) = bytes.as_chunks() else {
        return Err("a set of points is cut");
    };
    let numbers: Vec<u32> = numbers.iter().map(|it| u32::from_le_bytes(*it)).collect();
    if !numbers.is_sorted_by(|one, other| one < other) {
        return Err("a set of points is not sorted");
    }
    if numbers.last().is_some_and(|&last| last as usize >= points) {
        return Err("a set has a point that is not there");
    }
    Ok(Points::new(numbers))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Numbers, Reader, Record, Recorded};
    use crate::{Error, Place, Points, Table, Verdict};

    fn frame(name: u8, bytes: &[u8]) -> Vec<u8> {
        let len = (bytes.len() as u32).to_le_bytes();
        [&[name], &len[..], bytes].concat()
    }

    fn numbers(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|it| it.to_le_bytes()).collect()
    }

    fn table() -> Vec<u8> {
        let words = [0x1000u64, 0x1010, 0x1020, 0x2000];
        let mut bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
        bytes.extend([1, 0, 1]);
        frame(b'H', &bytes)
    }

    fn run(input: u32, set: u32, verdict: u8, text: &str) -> Vec<u8> {
        let mut bytes = numbers(&[input, set]);
        bytes.extend(1500u64.to_le_bytes());
        bytes.push(verdict);
        bytes.extend(text.as_bytes());
        frame(b'R', &bytes)
    }

    fn reported(count: u64, of_names: &[(u32, f64)]) -> Vec<u8> {
        let mut bytes = count.to_le_bytes().to_vec();
        for (name, number) in of_names {
            bytes.extend(name.to_le_bytes());
            bytes.extend(number.to_le_bytes());
        }
        frame(b'G', &bytes)
    }

    /// All that is written of a process that begins with input 3 and dies at input 6.
    fn file() -> Vec<Vec<u8>> {
        vec![
            table(),
            frame(b'S', &numbers(&[0, 2])),
            run(3, 0, 0, ""),
            run(4, 0, 1, ""),
            frame(b'?', b"from the future"),
            frame(b'S', &[]),
            frame(b'N', b"depth"),
            reported(77, &[(0, -2.5)]),
            run(5, 1, 3, ""),
            run(6, 0, 2, "src/a.rs:1:2\nno\nway"),
        ]
    }

    fn read(reader: &mut Reader) -> Result<Vec<Record>, Error> {
        let mut records = Vec::new();
        while let Some(record) = reader.next()? {
            records.push(record);
        }
        Ok(records)
    }

    fn read_all(file: &[u8]) -> Result<Vec<Record>, Error> {
        let mut reader = Reader::new(3);
        reader.feed(file);
        read(&mut reader)
    }

    fn expected() -> Vec<Record> {
        let place = |address, is_entry| Place { address, is_entry };
        let run = |set, verdict| {
            Record::Run(Recorded {
                verdict,
                cpu: Duration::from_nanos(1500),
                set,
            })
        };
        vec![
            Record::Table(Table {
                anchor: 0x1000,
                places: vec![
                    place(0x1010, true),
                    place(0x1020, false),
                    place(0x2000, true),
                ],
            }),
            Record::Set(Points::new(vec![0, 2])),
            run(0, Verdict::Kept),
            run(0, Verdict::Rejected),
            Record::Set(Points::default()),
            Record::Name("depth".into()),
            Record::Numbers(Numbers {
                count: Some(77),
                of_names: vec![(0, -2.5)],
            }),
            run(1, Verdict::TimedOut),
            run(
                0,
                Verdict::Panicked {
                    place: "src/a.rs:1:2".into(),
                    message: "no\nway".into(),
                },
            ),
        ]
    }

    #[test]
    fn records_are_read_in_any_blocks() {
        let file = file().concat();
        assert_eq!(read_all(&file).unwrap(), expected());
        for size in 1..file.len() {
            let (mut reader, mut records) = (Reader::new(3), Vec::new());
            for block in file.chunks(size) {
                reader.feed(block);
                records.extend(read(&mut reader).unwrap());
            }
            assert_eq!(records, expected());
        }
    }

    #[test]
    fn a_file_that_is_cut_is_read_up_to_there() {
        let (file, expected) = (file().concat(), expected());
        for len in 0..file.len() {
            let records = read_all(&file[..len]).unwrap();
            assert_eq!(records, expected[..records.len()]);
        }
    }

    #[test]
    fn damage_is_named_with_its_place() {
        let set = frame(b'S', &numbers(&[0, 2]));
        let begun = [table(), set.clone()].concat();
        let table_of: [(Vec<u8>, usize, &str); 17] = [
            (set.clone(), 0, "no table of points before"),
            (frame(b'H', &[1, 2, 3]), 0, "table of points is cut"),
            (frame(b'H', &[0; 12]), 0, "table of points is cut"),
            ([table(), table()].concat(), 1, "second table"),
            (
                [table(), frame(b'S', &[1, 2])].concat(),
                1,
                "set of points is cut",
            ),
            (
                [table(), frame(b'S', &numbers(&[2, 1]))].concat(),
                1,
                "not sorted",
            ),
            (
                [table(), frame(b'S', &numbers(&[1, 1]))].concat(),
                1,
                "not sorted",
            ),
            (
                [table(), frame(b'S', &numbers(&[3]))].concat(),
                1,
                "point that is not there",
            ),
            (
                [begun.clone(), run(4, 0, 0, "")].concat(),
                2,
                "another input",
            ),
            (
                [begun.clone(), reported(1, &[(0, 1.0)])].concat(),
                2,
                "name that is not there",
            ),
            (
                [begun.clone(), frame(b'G', &[0; 11])].concat(),
                2,
                "numbers are cut",
            ),
            (
                [begun.clone(), frame(b'G', &[0; 4])].concat(),
                2,
                "numbers are cut",
            ),
            (
                [begun.clone(), run(3, 1, 0, "")].concat(),
                2,
                "set that is not there",
            ),
            (
                [begun.clone(), run(3, 0, 5, "")].concat(),
                2,
                "unknown verdict",
            ),
            (
                [begun.clone(), run(3, 0, 2, "nowhere")].concat(),
                2,
                "panic without a place",
            ),
            (
                [begun.clone(), frame(b'R', &[0; 16])].concat(),
                2,
                "run is cut",
            ),
            (
                [begun.clone(), b"S\xff\xff\xff\xff".to_vec()].concat(),
                2,
                "too long",
            ),
        ];
        for (file, frames, expected) in table_of {
            let offset = [0, table().len(), begun.len()][frames];
            match read_all(&file) {
                Err(Error::Damaged { offset: at, what }) => {
                    assert!(what.contains(expected), "{what} for {expected}");
                    assert_eq!(at, offset as u64, "{what}");
                }
                other => panic!("{expected}: {other:?}"),
            }
        }
        let ended = [begun, frame(b'E', &[]), run(3, 0, 0, "")].concat();
        let message = read_all(&ended).unwrap_err().to_string();
        assert!(message.contains("behind the last"), "{message}");
    }

    /// Whatever a byte is changed to, reading ends, and with no more records than there are.
    #[test]
    fn no_changed_byte_breaks_the_reader() {
        let file = file().concat();
        for at in 0..file.len() {
            for value in [0, 1, 4, 0x7f, 0x80, 0xff, b'R', b'S'] {
                let mut changed = file.clone();
                changed[at] = value;
                if let Ok(records) = read_all(&changed) {
                    assert!(records.len() <= expected().len());
                }
            }
        }
    }
}
