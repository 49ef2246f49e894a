//! Are these inputs texts, or choice sequences?
//!
//! Files of choices carry no mark, every text decodes, and so a corpus that is read as the other kind gives figures that look
//! like any others. What tells them apart is that both forms are rare in the other: encoding is canonical, so what
//! pleach has written comes back when it is decoded and encoded, which a text hardly ever does (its letters are greater than most
//! numbers of alternatives); and few sequences of small numbers are sentences, or text at all.
//!
//! Each input gives a [`Clue`], from whether it is canonical, how much of it is, whether it parses, and whether it is plain
//! text. The clues of a few inputs, taken evenly from all of them, are weighed: one side wins if it outweighs the other
//! several times, and otherwise nobody knows, which is for the user to settle by `--text` or `--choices`. Inputs without a clue
//! (empty ones, or such that mean the same both ways) count for nothing.
//!
//! The cost is bounded: [`SAMPLE`] inputs of [`MAX_BYTES`], and [`BUDGET`] for all parsing together. Choice sequences, which are
//! mostly seen at a glance, take no parser. The result depends on the grammar and the inputs only.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use pleach_core::choice::{Codec, Encoder, Scratch};
use pleach_core::parse::{Budget, Refusal, Workspace};
use pleach_core::{Graph, Parser, slip};
use serde::Serialize;

use super::failure::{Failure, note};
use super::input::{InputFile, read_input};
use super::record::Makers;

/// The inputs that are looked at.
const SAMPLE: usize = 48;
/// Inputs that are longer are not looked at, unless all are.
const MAX_BYTES: u64 = 64 << 10;
/// What parsing all of them may cost: a second or two.
const BUDGET: Budget = Budget {
    steps: 20_000_000,
    bytes: 256 << 20,
};
/// What a text of one input may take of that.
const STEPS_OF_ONE: u64 = 4_000_000;
/// How many times more one side has to weigh.
const MAJORITY: u32 = 4;
/// The weight of a clue that is wrong in one of many thousand inputs.
const STRONG: u32 = 8;
/// The weight of a clue that is right more often than not.
const WEAK: u32 = 1;
/// Below this length, what is canonical may be so by chance.
const LONG: usize = 4;

/// What inputs are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) enum Kind {
    #[serde(rename = "text")]
    Texts,
    #[serde(rename = "choices")]
    Choices,
}

impl Kind {
    pub(super) fn of(is_text: bool) -> Kind {
        match is_text {
            true => Kind::Texts,
            false => Kind::Choices,
        }
    }

    pub(super) fn is_text(self) -> bool {
        self == Kind::Texts
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Texts => "texts",
            Kind::Choices => "choice sequences",
        })
    }
}

/// What the user says that inputs are.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct KindArgs {
    /// The inputs are texts [default: found out from the inputs]
    #[arg(long)]
    text: bool,
    /// The inputs are choice sequences, as `pleach seed` and fuzz targets write them
    #[arg(long, conflicts_with = "text")]
    choices: bool,
}

impl KindArgs {
    /// What the user says, if anything.
    pub(super) fn stated(self) -> Option<Kind> {
        match self {
            KindArgs { text: true, .. } => Some(Kind::Texts),
            KindArgs { choices: true, .. } => Some(Kind::Choices),
            _ => None,
        }
    }

    /// What files are; says so if it had to be found out and they are texts.
    pub(super) fn of_files(self, graph: &Arc<Graph>, files: &[InputFile]) -> Result<Kind, Failure> {
        if let Some(kind) = self.stated() {
            return Ok(kind);
        }
        let recorded = Makers::default().kind(files.iter().map(|file| &*file.path));
        settled(recorded, || of_files(graph, files))
    }

    /// What a single input is that was read from a file, or from standard input by `-`, and that messages call `name`.
    pub(super) fn of_file(
        self,
        graph: &Arc<Graph>,
        file: &Path,
        name: &str,
        input: &[u8],
    ) -> Result<Kind, Failure> {
        if let Some(kind) = self.stated() {
            return Ok(kind);
        }
        settled(Makers::default().kind([file]), || {
            let mut recognizer = Recognizer::new(graph);
            recognizer.add(input);
            recognizer.answer(name)
        })
    }
}

/// What inputs are of which a record says that they are of a kind, and of which more can be found out. Corpora of texts have anything
/// in them; and a text among choice sequences is seen.
fn settled(
    recorded: Option<Kind>,
    found: impl FnOnce() -> Result<Kind, Failure>,
) -> Result<Kind, Failure> {
    match recorded {
        Some(Kind::Texts) => Ok(Kind::Texts),
        _ => found().or_else(|unknown| recorded.ok_or(unknown)),
    }
}

/// Whether an input that was taken for a text is a choice sequence rather.
pub(super) fn is_choice_sequence(graph: &Arc<Graph>, input: &[u8]) -> bool {
    let mut recognizer = Recognizer::new(graph);
    recognizer.add(input);
    recognizer.verdict() == Some(Kind::Choices)
}

/// Whether files that were taken for texts are choice sequences rather.
pub(super) fn are_choices(graph: &Arc<Graph>, files: &[InputFile]) -> bool {
    let looked = look(graph, files);
    looked.is_ok_and(|(recognizer, _)| recognizer.verdict() == Some(Kind::Choices))
}

/// Finds out what files are, and says so if they are texts.
pub(super) fn of_files(graph: &Arc<Graph>, files: &[InputFile]) -> Result<Kind, Failure> {
    let (recognizer, streams) = look(graph, files)?;
    let name = match files {
        [file] => file.path.display().to_string(),
        _ => String::new(),
    };
    match recognizer.seen.inputs == 0 && streams > 0 {
        true => Err(unknown(&name)),
        false => recognizer.answer(&name),
    }
}

/// Looks at a few of the files; says, too, how many of these cannot be looked at without using them up.
fn look(graph: &Arc<Graph>, files: &[InputFile]) -> Result<(Recognizer, u32), Failure> {
    let mut recognizer = Recognizer::new(graph);
    let mut too_long: Option<(u64, &Path)> = None;
    let mut streams = 0u32;
    let count = files.len().min(SAMPLE);
    let mut input = Vec::new();
    for at in 0..count {
        // The names of files that pleach and engines write are hashes: any of them will do.
        let path = &files[at * files.len() / count].path;
        let metadata = fs::metadata(path).map_err(|error| Failure::file("read", path, &error))?;
        // What is read from a pipe is gone.
        if !metadata.is_file() {
            streams += 1;
            continue;
        }
        let size = metadata.len();
        if size > MAX_BYTES {
            let shortest = too_long.filter(|&(least, _)| least <= size);
            too_long = shortest.or(Some((size, path)));
            continue;
        }
        read_input(path, &mut input)?;
        recognizer.add(&input);
        if recognizer.is_sure() {
            break;
        }
    }
    if recognizer.seen.inputs == 0
        && let Some((_, path)) = too_long
    {
        read_input(path, &mut input)?;
        recognizer.add(&input);
    }
    Ok((recognizer, streams))
}

/// The failure of inputs that nobody can tell the kind of. A single one has a name.
fn unknown(name: &str) -> Failure {
    let help = "say so by --text or --choices";
    match name {
        "" => Failure::new(
            "it cannot be told whether the inputs are texts or choice sequences",
            help,
        ),
        name => Failure::new(
            format_args!("{name}: it cannot be told whether this is a text or a choice sequence"),
            help,
        ),
    }
}

/// What one input says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Clue {
    Nothing,
    Text(u32),
    Choices(u32),
}

/// Whether a text is a sentence, as far as that was found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sentence {
    Yes,
    No,
    Unknown,
}

/// Looks at inputs of a grammar.
pub(super) struct Recognizer {
    graph: Arc<Graph>,
    codec: Codec,
    parser: Option<Parser>,
    workspace: Workspace,
    steps_left: u64,
    seen: Seen,
}

/// What was seen.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Seen {
    inputs: u32,
    empty: u32,
    sentences: u32,
    /// The weights of both sides.
    texts: u32,
    choices: u32,
}

impl Recognizer {
    pub(super) fn new(graph: &Arc<Graph>) -> Recognizer {
        Recognizer {
            graph: graph.clone(),
            codec: Codec::new(graph),
            parser: None,
            workspace: Workspace::new(),
            steps_left: BUDGET.steps,
            seen: Seen::default(),
        }
    }

    /// Weighs an input in.
    fn add(&mut self, input: &[u8]) {
        self.seen.inputs += 1;
        match self.clue(input) {
            Clue::Nothing => {}
            Clue::Text(weight) => self.seen.texts += weight,
            Clue::Choices(weight) => self.seen.choices += weight,
        }
    }

    /// What an input says.
    fn clue(&mut self, input: &[u8]) -> Clue {
        if input.is_empty() {
            self.seen.empty += 1;
            return Clue::Nothing;
        }
        // Nothing else ends like that.
        if !slip::split(input).1.is_empty() {
            return Clue::Choices(STRONG);
        }
        let agreement = self.agreement(input);
        let is_canonical = agreement == Agreement::Whole;
        let looks = Looks::of(input);
        if is_canonical && looks != Looks::Plain {
            return Clue::Choices(if input.len() >= 2 { STRONG } else { WEAK });
        }
        let sentence = self.sentence(input);
        self.seen.sentences += u32::from(sentence == Sentence::Yes);
        let is_long = input.len() >= LONG;
        match (sentence, agreement, looks) {
            (Sentence::No, Agreement::Whole, _) if is_long => Clue::Choices(STRONG),
            (Sentence::No, Agreement::Whole, _) => Clue::Choices(WEAK),
            (_, Agreement::Whole, _) => Clue::Nothing,
            (Sentence::Yes, Agreement::Little, Looks::Plain) => Clue::Text(STRONG),
            (_, Agreement::Little, Looks::Plain | Looks::Damaged) if is_long => Clue::Text(WEAK),
            (Sentence::No, Agreement::Much, Looks::Odd) if is_long => Clue::Choices(STRONG),
            (Sentence::No, _, Looks::Odd) => Clue::Choices(WEAK),
            _ => Clue::Nothing,
        }
    }

    /// How much of an input is as encoding would write it.
    fn agreement(&self, input: &[u8]) -> Agreement {
        let mut encoder = Encoder::new();
        self.codec
            .walk(input, &mut Scratch::default(), &mut encoder);
        let canonical = encoder.finish();
        if canonical == input {
            return Agreement::Whole;
        }
        // Choices stay at their places, only smaller: what was in range is as it was.
        let both = canonical.iter().zip(input);
        let same = both.filter(|(one, other)| one == other).count();
        match same * 4 >= input.len() * 3 {
            true => Agreement::Much,
            false => Agreement::Little,
        }
    }

    /// Whether an input is a sentence.
    fn sentence(&mut self, input: &[u8]) -> Sentence {
        let parser = self.parser.get_or_insert_with(|| Parser::new(&self.graph));
        let steps = STEPS_OF_ONE.min(self.steps_left);
        let budget = Budget { steps, ..BUDGET };
        match parser.parse(input, budget, &mut self.workspace) {
            Ok(_) => Sentence::Yes,
            Err(Refusal::NoSentence { .. }) => Sentence::No,
            Err(_) => {
                self.steps_left -= steps;
                Sentence::Unknown
            }
        }
    }

    /// Whether more inputs would hardly change the verdict.
    fn is_sure(&self) -> bool {
        const ENOUGH: u32 = 16 * STRONG;
        let Seen { texts, choices, .. } = self.seen;
        texts.max(choices) >= ENOUGH && texts.min(choices) == 0
    }

    /// The verdict, said aloud if it is texts; a single input has a name.
    fn answer(&self, name: &str) -> Result<Kind, Failure> {
        let Seen {
            inputs, sentences, ..
        } = self.seen;
        let kind = match self.verdict() {
            Some(kind) => kind,
            // The empty choice sequence is the usual beginning of a corpus; no grammar needs the empty text to be told from it.
            None if self.seen.empty == inputs => Kind::Choices,
            None => return Err(unknown(name)),
        };
        if kind == Kind::Texts {
            match name {
                "" => note(format_args!(
                    "note: the inputs are read as texts ({sentences} of the {inputs} looked at are sentences); --choices reads them as choice sequences"
                )),
                name => note(format_args!(
                    "note: {name} is read as a text; --choices reads it as a choice sequence"
                )),
            }
        }
        Ok(kind)
    }

    /// What most inputs are; `None` if they do not say.
    fn verdict(&self) -> Option<Kind> {
        let Seen { texts, choices, .. } = self.seen;
        match () {
            () if texts > choices * MAJORITY => Some(Kind::Texts),
            () if choices > texts * MAJORITY => Some(Kind::Choices),
            () => None,
        }
    }
}

/// How much of an input is as encoding would write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Agreement {
    Whole,
    Much,
    Little,
}

/// What bytes look like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Looks {
    /// Text without control characters, but for white space.
    Plain,
    /// Text, but for a part of the bytes, or in another encoding than UTF-8.
    Damaged,
    /// Small numbers.
    Odd,
}

impl Looks {
    fn of(input: &[u8]) -> Looks {
        if is_utf16(input) {
            return Looks::Damaged;
        }
        let is_control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c');
        if str::from_utf8(input).is_ok_and(|text| !text.contains(is_control)) {
            return Looks::Plain;
        }
        let controls = input
            .iter()
            .filter(|&&byte| is_control(byte.into()) && byte < b' ');
        let controls = controls.count();
        // A third of a few bytes is next to nothing.
        match controls == input.len() || controls * 3 >= input.len().max(LONG * 3) {
            true => Looks::Odd,
            false => Looks::Damaged,
        }
    }
}

/// Whether bytes are text as UTF-16 has it, most of it ASCII: a byte of every pair is 0, and the other one is not.
fn is_utf16(input: &[u8]) -> bool {
    let (pairs, rest) = input.as_chunks::<2>();
    let is_ascii = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    let count = |zero: usize| {
        let letters = pairs
            .iter()
            .filter(|pair| pair[zero] == 0 && is_ascii(pair[1 - zero]));
        letters.count()
    };
    rest.is_empty() && pairs.len() >= LONG && count(0).max(count(1)) * 8 >= pairs.len() * 7
}

#[cfg(test)]
mod tests;
