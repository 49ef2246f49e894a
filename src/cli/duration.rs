//! Durations on the command line: `60`, `60s`, `2m`, `1h30m`.

/// Reads a duration as whole seconds, which is what the engine counts.
pub(crate) fn seconds(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let seconds = match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => text.parse().ok(),
        false => humantime::parse_duration(text)
            .ok()
            .map(|duration| duration.as_secs()),
    };
    match seconds.map(u32::try_from) {
        Some(Ok(seconds @ 1..)) => Ok(seconds),
        Some(Ok(0)) => Err("write a second or more".into()),
        Some(Err(_)) => Err(format!("write {} seconds or fewer", u32::MAX)),
        None => Err("write seconds, or numbers with units, as in 60, 60s, 2m or 1h30m".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn durations_are_seconds_or_numbers_with_units() {
        let table = [
            ("60", Some(60)),
            ("60s", Some(60)),
            ("2m", Some(120)),
            ("2min", Some(120)),
            ("1h", Some(3600)),
            ("1h30m", Some(5400)),
            ("1h 30m", Some(5400)),
            ("1d", Some(86_400)),
            ("4294967295", Some(u32::MAX)),
            ("1500ms", Some(1)),
            ("0", None),
            ("0s", None),
            ("500ms", None),
            ("4294967296", None),
            ("99999999999999999999", None),
            ("-1", None),
            ("1.5", None),
            ("60x", None),
            ("s", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(seconds(text).ok(), expected, "{text:?}");
        }
    }
}
