//! What verbs with models share: reading and writing them, and what is made of them.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use pleach_core::Codec;
use pleach_core::model::{Exponent, Model, ONE, Reading};

use super::failure::Failure;
use super::output::{Existing, write_file};

/// The longest model that is read.
const MAX_MODEL_BYTES: u64 = 1 << 28;

/// How a model is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Mode {
    /// As the samples
    Common,
    /// As the samples are not: probabilities are inverted
    Uncommon,
    /// As the samples, and no larger than the largest: the surroundings of failures
    Failure,
}

/// What is made of a model.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ReadingArgs {
    /// How the model is used [default: common]
    #[arg(long, value_enum)]
    pub(super) mode: Option<Mode>,
    /// Add this to every probability, from 0 to 1, before the exponent [default: 0]
    #[arg(long, value_name = "D", value_parser = damping)]
    damping: Option<u32>,
    /// Raise probabilities to this power, from -8 to 8 [default: 1; of uncommon, -1]
    #[arg(long, value_name = "S", value_parser = exponent, allow_negative_numbers = true)]
    exponent: Option<Exponent>,
}

/// A share, out of [`ONE`].
fn damping(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok((share * ONE as f64).round() as u32),
        _ => Err("it takes a number from 0 to 1".into()),
    }
}

fn exponent(text: &str) -> Result<Exponent, String> {
    let parts = text.parse::<f64>().ok().map(|it| (it * 256.0).round());
    let parts = parts.filter(|it| it.abs() <= 1e6).map(|it| it as i32);
    parts
        .and_then(Exponent::new)
        .ok_or_else(|| "it takes a number from -8 to 8".into())
}

/// A count, of which fractions count.
pub(super) fn amount(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(count) if (0.0..=1e9).contains(&count) => Ok((count * ONE as f64).round() as u64),
        _ => Err("it takes a number from 0 to 1000000000".into()),
    }
}

impl ReadingArgs {
    pub(super) fn reading(self) -> Reading {
        let mut reading = match self.mode {
            Some(Mode::Uncommon) => Reading::UNCOMMON,
            Some(Mode::Common | Mode::Failure) | None => Reading::COMMON,
        };
        reading.damping = self.damping.unwrap_or(reading.damping);
        reading.exponent = self.exponent.unwrap_or(reading.exponent);
        reading
    }

    /// Whether the user asks for anything.
    pub(super) fn is_given(self) -> bool {
        self.mode.is_some() || self.damping.is_some() || self.exponent.is_some()
    }
}

/// Reads a model, in binary or JSON.
pub(super) fn load(path: &Path, codec: &Arc<Codec>) -> Result<Model, Failure> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_MODEL_BYTES).read_to_end(&mut bytes))
        .map_err(|error| Failure::file("read", path, &error))?;
    let model = match (Model::is_binary(&bytes), str::from_utf8(&bytes)) {
        (false, Ok(text)) if text.trim_start().starts_with('{') => Model::from_json(codec, text),
        _ => Model::from_bytes(codec, &bytes),
    };
    model.map_err(|error| Failure::of(path.display(), error))
}

/// Writes a model, as JSON if the file's name says so, and gives its length.
pub(super) fn write(path: &Path, model: &Model, existing: Existing) -> Result<u64, Failure> {
    let is_json = path.extension().is_some_and(|it| it == "json");
    let bytes = match is_json {
        true => model.to_json().into_bytes(),
        false => model.to_bytes(),
    };
    write_file(path, &bytes, existing)?;
    Ok(bytes.len() as u64)
}
