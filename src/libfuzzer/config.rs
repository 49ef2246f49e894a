//! Settings from environment variables.

use crate::mutate::{Budget, DEFAULT_FEATURE_LEVEL, DEFAULT_LEN_CONTROL, DEFAULT_STEERING};

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
    /// `PLEACH_RAW`, out of 1000.
    pub raw: u32,
    /// `PLEACH_CACHE`, in MiB.
    pub cache: usize,
    /// `PLEACH_MODE`; nothing if the target decides.
    pub mode: Option<ModelMode>,
    /// `PLEACH_CLOCK`.
    pub clock: bool,
    /// `PLEACH_STATS`.
    pub stats: bool,
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
            raw: 50,
            cache: 32,
            mode: None,
            clock: true,
            stats: false,
        }
    }
}

/// A setting that cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name}={value} is not {expected}\nhelp: set {name} to {expected}, or unset it")]
pub struct BadSetting {
    name: &'static str,
    value: String,
    expected: &'static str,
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

    /// The settings that a look-up of variables gives.
    ///
    /// # Errors
    ///
    /// [`BadSetting`] names the first variable that has no usable value.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Config, BadSetting> {
        let mut config = Config::default();
        let read = |name: &'static str,
                    expected: &'static str,
                    set: &mut dyn FnMut(&str) -> Option<()>| {
            let Some(value) = variable(name) else {
                return Ok(());
            };
            set(value.trim()).ok_or(BadSetting {
                name,
                value,
                expected,
            })
        };
        fn whole<T: TryFrom<u64>>(text: &str, range: std::ops::RangeInclusive<u64>) -> Option<T> {
            let number = text.parse().ok().filter(|number| range.contains(number))?;
            T::try_from(number).ok()
        }
        fn share(text: &str) -> Option<u32> {
            let share: f64 = text.parse().ok()?;
            (0.0..=1.0)
                .contains(&share)
                .then_some((share * 1000.0).round() as u32)
        }
        const SHARE: &str = "a share from 0 to 1";
        read("PLEACH_K", "a whole number from 1 to 32", &mut |text| {
            config.k = whole(text, 1..=32)?;
            Some(())
        })?;
        read("PLEACH_STEERING", SHARE, &mut |text| {
            config.steering = share(text)?;
            Some(())
        })?;
        read("PLEACH_AVOID", "0 or 1", &mut |text| {
            config.avoid = whole::<u32>(text, 0..=1)? == 1;
            Some(())
        })?;
        read("PLEACH_BYTES", SHARE, &mut |text| {
            config.bytes = share(text)?;
            Some(())
        })?;
        read("PLEACH_REWORD", SHARE, &mut |text| {
            config.reword = share(text)?;
            Some(())
        })?;
        read("PLEACH_ERRORS", SHARE, &mut |text| {
            config.errors = Some(share(text)?);
            Some(())
        })?;
        read(
            "PLEACH_FEATURES",
            "a whole number from 0 to 32",
            &mut |text| {
                config.features = whole(text, 0..=32)?;
                Some(())
            },
        )?;
        read(
            "PLEACH_LEN_CONTROL",
            "a whole number from 0 to 1000",
            &mut |text| {
                config.len_control = whole(text, 0..=1000)?;
                Some(())
            },
        )?;
        read(
            "PLEACH_MAX_LEN",
            "a number of bytes from 1 on",
            &mut |text| {
                config.max_len = whole(text, 1..=u64::from(u32::MAX / 2))?;
                Some(())
            },
        )?;
        read(
            "PLEACH_MAX_DEPTH",
            "a whole number from 1 to 65536",
            &mut |text| {
                config.max_depth = whole(text, 1..=65_536)?;
                Some(())
            },
        )?;
        read("PLEACH_RAW", SHARE, &mut |text| {
            config.raw = share(text)?;
            Some(())
        })?;
        read(
            "PLEACH_CACHE",
            "a number of MiB from 1 to 4096",
            &mut |text| {
                config.cache = whole(text, 1..=4096)?;
                Some(())
            },
        )?;
        read("PLEACH_MODE", "common, uncommon or self", &mut |text| {
            config.mode = Some(match text {
                "common" => ModelMode::Common,
                "uncommon" => ModelMode::Uncommon,
                "self" => ModelMode::Kept,
                _ => return None,
            });
            Some(())
        })?;
        read("PLEACH_CLOCK", "0 or 1", &mut |text| {
            config.clock = whole::<u32>(text, 0..=1)? == 1;
            Some(())
        })?;
        read("PLEACH_STATS", "0 or 1", &mut |text| {
            config.stats = whole::<u32>(text, 0..=1)? == 1;
            Some(())
        })?;
        Ok(config)
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
