//! Settings are read from the environment.

use crate::libfuzzer::{Config, ModelMode};
use pleach_core::mutate::Heuristic;

#[test]
fn settings_are_read_and_checked() {
    let with = |name: &'static str, value: &'static str| {
        Config::from_variables(move |asked| (asked == name).then(|| value.to_owned()))
    };
    let default = Config::default();
    assert_eq!(Config::from_variables(|_| None), Ok(default));
    assert_eq!(with("PLEACH_K", "2"), Ok(Config { k: 2, ..default }));
    assert_eq!(
        with("PLEACH_STEERING", "0"),
        Ok(Config {
            steering: 0,
            ..default
        })
    );
    assert_eq!(
        with("PLEACH_BYTES", "0.5"),
        Ok(Config {
            bytes: 500,
            ..default
        })
    );
    assert_eq!(
        with("PLEACH_MAX_LEN", " 100 "),
        Ok(Config {
            max_len: 100,
            ..default
        })
    );
    assert_eq!(
        with("PLEACH_MAX_DEPTH", "7"),
        Ok(Config {
            max_depth: 7,
            ..default
        })
    );
    let text = |name, value| with(name, value).unwrap();
    assert_eq!(text("PLEACH_MODE", "self").mode, Some(ModelMode::Kept));
    assert_eq!(text("PLEACH_MODE", "common").mode, Some(ModelMode::Common));
    assert_eq!(
        text("PLEACH_MODE", "uncommon").mode,
        Some(ModelMode::Uncommon)
    );
    assert_eq!(text("PLEACH_RAW", "0").raw, Some(0));
    assert_eq!(text("PLEACH_CACHE", "100").cache, 100);
    assert!(text("PLEACH_AVOID", "1").avoid && !text("PLEACH_AVOID", "0").avoid);
    assert!(text("PLEACH_CLOCK", "1").clock && !text("PLEACH_CLOCK", "0").clock);
    assert!(text("PLEACH_STATS", "1").stats && !text("PLEACH_STATS", "0").stats);
    assert!(text("PLEACH_OFF", "1").off && !text("PLEACH_OFF", "0").off);
    assert_eq!(text("PLEACH_REWORD", "1").reword, 1000);
    assert_eq!(text("PLEACH_ERRORS", "0").errors, Some(0));
    assert_eq!(text("PLEACH_FEATURES", "0").features, 0);
    assert_eq!(text("PLEACH_LEN_CONTROL", "1000").len_control, 1000);
    let without = text("PLEACH_WITHOUT", "sites, opening,schedule").without;
    let names: Vec<_> = without.iter().map(Heuristic::name).collect();
    assert_eq!(names, ["sites", "opening", "schedule"]);
    assert_eq!(default.without.iter().count(), 0);
    const SHARE: &str = "a share from 0 to 1";
    for (name, value, expected) in [
        ("PLEACH_K", "0", "a whole number from 1 to 32"),
        ("PLEACH_K", "x", "a whole number from 1 to 32"),
        ("PLEACH_K", " ", "a whole number from 1 to 32"),
        ("PLEACH_STEERING", "2", SHARE),
        ("PLEACH_BYTES", "-1", SHARE),
        ("PLEACH_BYTES", "NaN", SHARE),
        ("PLEACH_REWORD", "half", SHARE),
        ("PLEACH_ERRORS", "1.5", SHARE),
        ("PLEACH_FEATURES", "33", "a whole number from 0 to 32"),
        (
            "PLEACH_LEN_CONTROL",
            "1001",
            "a whole number from 0 to 1000",
        ),
        ("PLEACH_MAX_LEN", "0", "a number of bytes from 1 on"),
        ("PLEACH_MAX_DEPTH", "0", "a whole number from 1 to 65536"),
        ("PLEACH_RAW", "1.1", SHARE),
        ("PLEACH_CACHE", "0", "a number of MiB from 1 to 4096"),
        ("PLEACH_AVOID", "0.5", "0 or 1"),
        ("PLEACH_MODE", "rare", "common, uncommon or self"),
        ("PLEACH_CLOCK", "2", "0 or 1"),
        ("PLEACH_STATS", "yes", "0 or 1"),
        (
            "PLEACH_WITHOUT",
            "sites,site",
            "names among operators, sites, opening, scalars, borrowing, absorbing, schedule, with commas between",
        ),
    ] {
        let error = with(name, value).unwrap_err().to_string();
        let expected = format!(
            "{name}={value} is not {expected}\nhelp: set {name} to {expected}, or unset it"
        );
        assert_eq!(error, expected);
    }
}

#[test]
fn a_setting_that_is_empty_counts_as_unset() {
    let config = Config::from_variables(|_| Some(String::new()));
    assert_eq!(config, Ok(Config::default()));
}
