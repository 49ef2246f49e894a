//! Settings from environment variables.

use std::ops::RangeInclusive;

use pleach_core::mutate::{
    Budget, DEFAULT_FEATURE_LEVEL, DEFAULT_LEN_CONTROL, DEFAULT_STEERING, Heuristic, Heuristics,
};

/// What a target makes of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ModelMode {
    /// What it regenerates is like the samples.
    Common,
    /// What it regenerates is unlike the samples.
    Uncommon,
    /// The model, if there is one, learns on from what the engine keeps.
    Kept,
}

/// The settings of a fuzz target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Config {
    /// `PLEACH_K`.
    pub k: usize,
    /// `PLEACH_STEERING`, out of 1000.
    pub steering: u32,
    /// `PLEACH_AVOID`.
    pub avoid: bool,
    /// `PLEACH_BYTES`, out of 1000.
    pub bytes: u32,
    /// `PLEACH_REWORD`, out of 1000.
    pub reword: u32,
    /// `PLEACH_ERRORS`, out of 1000; nothing if the target decides.
    pub errors: Option<u32>,
    /// `PLEACH_FEATURES`.
    pub features: usize,
    /// `PLEACH_LEN_CONTROL`.
    pub len_control: u32,
    /// `PLEACH_MAX_LEN`.
    pub max_len: usize,
    /// `PLEACH_MAX_DEPTH`.
    pub max_depth: u32,
    /// `PLEACH_RAW`, out of 1000; nothing if the codec decides.
    pub raw: Option<u32>,
    /// `PLEACH_CACHE`, in MiB.
    pub cache: usize,
    /// `PLEACH_MODE`; nothing if the target decides.
    pub mode: Option<ModelMode>,
    /// `PLEACH_CLOCK`.
    pub clock: bool,
    /// `PLEACH_STATS`.
    pub stats: bool,
    /// `PLEACH_WITHOUT`.
    pub without: Heuristics,
    /// `PLEACH_OFF`.
    pub off: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            k: 4,
            steering: DEFAULT_STEERING,
            avoid: true,
            bytes: 200,
            reword: 100,
            errors: None,
            features: DEFAULT_FEATURE_LEVEL,
            len_control: DEFAULT_LEN_CONTROL,
            max_len: 1 << 14,
            max_depth: 96,
            raw: None,
            cache: 32,
            mode: None,
            clock: true,
            stats: false,
            without: Heuristics::default(),
            off: false,
        }
    }
}

/// A setting that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name}={value} is not {expected}\nhelp: set {name} to {expected}, or unset it")]
pub struct BadSetting {
    name: &'static str,
    value: String,
    expected: String,
}

impl Config {
    /// The settings of this process.
    ///
    /// # Errors
    ///
    /// [`BadSetting`] names the first variable that has no usable value.
    pub fn from_env() -> Result<Config, BadSetting> {
        Config::from_variables(|name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    /// The settings that a look-up of variables gives. A variable that is empty counts as unset.
    ///
    /// # Errors
    ///
    /// [`BadSetting`] names the first variable that has no usable value.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Config, BadSetting> {
        let from = Variables(variable);
        let mut to = Config::default();
        from.read("PLEACH_K", whole(1..=32), &mut to.k)?;
        from.read("PLEACH_STEERING", share(), &mut to.steering)?;
        from.read("PLEACH_AVOID", flag(), &mut to.avoid)?;
        from.read("PLEACH_BYTES", share(), &mut to.bytes)?;
        from.read("PLEACH_REWORD", share(), &mut to.reword)?;
        from.read("PLEACH_ERRORS", share(), &mut to.errors)?;
        from.read("PLEACH_FEATURES", whole(0..=32), &mut to.features)?;
        from.read("PLEACH_LEN_CONTROL", whole(0..=1000), &mut to.len_control)?;
        from.read("PLEACH_MAX_LEN", bytes(), &mut to.max_len)?;
        from.read("PLEACH_MAX_DEPTH", whole(1..=65_536), &mut to.max_depth)?;
        from.read("PLEACH_RAW", share(), &mut to.raw)?;
        from.read("PLEACH_CACHE", mebibytes(1..=4096), &mut to.cache)?;
        from.read("PLEACH_MODE", mode(), &mut to.mode)?;
        from.read("PLEACH_CLOCK", flag(), &mut to.clock)?;
        from.read("PLEACH_STATS", flag(), &mut to.stats)?;
        from.read("PLEACH_WITHOUT", without(), &mut to.without)?;
        from.read("PLEACH_OFF", flag(), &mut to.off)?;
        Ok(to)
    }

    /// The bounds that mutation keeps.
    pub(super) fn budget(&self) -> Budget {
        Budget {
            max_len: self.max_len,
            max_depth: self.max_depth,
            ..Budget::default()
        }
    }
}

/// A look-up of variables.
struct Variables<V>(V);

impl<V: Fn(&str) -> Option<String>> Variables<V> {
    /// Stores what a variable is set to, if it is.
    fn read<T>(
        &self,
        name: &'static str,
        takes: Takes<impl Fn(&str) -> Option<T>>,
        place: &mut T,
    ) -> Result<(), BadSetting> {
        let Some(value) = (self.0)(name).filter(|value| !value.is_empty()) else {
            return Ok(());
        };
        *place = (takes.parse)(value.trim()).ok_or(BadSetting {
            name,
            value,
            expected: takes.expected,
        })?;
        Ok(())
    }
}

/// What a variable takes: in words, and as a value.
struct Takes<P> {
    expected: String,
    parse: P,
}

fn takes<T, P: Fn(&str) -> Option<T>>(expected: impl Into<String>, parse: P) -> Takes<P> {
    let expected = expected.into();
    Takes { expected, parse }
}

fn within<T: TryFrom<u64>>(range: RangeInclusive<u64>) -> impl Fn(&str) -> Option<T> {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number))?;
        T::try_from(number).ok()
    }
}

fn whole<T: TryFrom<u64>>(range: RangeInclusive<u64>) -> Takes<impl Fn(&str) -> Option<T>> {
    let (first, last) = (range.start(), range.end());
    let expected = format!("a whole number from {first} to {last}");
    takes(expected, within(range))
}

fn mebibytes(range: RangeInclusive<u64>) -> Takes<impl Fn(&str) -> Option<usize>> {
    let (first, last) = (range.start(), range.end());
    let expected = format!("a number of MiB from {first} to {last}");
    takes(expected, within(range))
}

fn bytes() -> Takes<impl Fn(&str) -> Option<usize>> {
    let most = u64::from(u32::MAX / 2);
    takes("a number of bytes from 1 on", within(1..=most))
}

/// A share, out of 1000.
fn share<T: From<u32>>() -> Takes<impl Fn(&str) -> Option<T>> {
    takes("a share from 0 to 1", |text: &str| {
        let share: f64 = text.parse().ok()?;
        let is_share = (0.0..=1.0).contains(&share);
        is_share.then(|| T::from((share * 1000.0).round() as u32))
    })
}

fn flag() -> Takes<impl Fn(&str) -> Option<bool>> {
    takes("0 or 1", |text: &str| {
        let number: u32 = within(0..=1)(text)?;
        Some(number == 1)
    })
}

fn without() -> Takes<impl Fn(&str) -> Option<Heuristics>> {
    let names: Vec<_> = Heuristic::ALL.iter().map(|it| it.name()).collect();
    let expected = format!("names among {}, with commas between", names.join(", "));
    takes(expected, |text: &str| text.parse().ok())
}

fn mode() -> Takes<impl Fn(&str) -> Option<Option<ModelMode>>> {
    takes("common, uncommon or self", |text: &str| {
        Some(Some(match text {
            "common" => ModelMode::Common,
            "uncommon" => ModelMode::Uncommon,
            "self" => ModelMode::Kept,
            _ => return None,
        }))
    })
}
