//! Numbers as the tables show them.

/// Three significant digits, and all digits of large numbers, in groups.
pub fn number(value: f64) -> String {
    let decimals = match value.abs() {
        0.0..1.0 => 3,
        1.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped + rest
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0.000"),
            (0.3456, "0.346"),
            (1.0, "1.00"),
            (12.34, "12.3"),
            (999.4, "999"),
            (1234567.8, "1 234 568"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }
}
