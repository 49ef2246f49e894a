//! What was reached for each goal over the inputs that were run, as SVG.

use plotters::prelude::*;

use super::report::{Report, plain};

const WIDTH: u32 = 860;
/// The height of the picture of one goal.
const HEIGHT: u32 = 240;

/// A picture for each goal that was ever reached, one below the other; nothing if none was.
pub(super) fn draw(report: &Report) -> Option<String> {
    let curves: Vec<(&str, Vec<(f64, f64)>)> = report
        .goals()
        .into_iter()
        .map(|goal| (goal, curve(report, goal)))
        .filter(|(_, points)| points.iter().any(|it| it.1 != 0.0))
        .collect();
    if curves.is_empty() {
        return None;
    }
    let mut picture = String::new();
    // Nothing is written but memory, so nothing fails.
    draw_all(&mut picture, &curves)?;
    Some(picture)
}

fn draw_all(picture: &mut String, curves: &[(&str, Vec<(f64, f64)>)]) -> Option<()> {
    let size = (WIDTH, HEIGHT * curves.len() as u32);
    let root = SVGBackend::with_string(picture, size).into_drawing_area();
    root.fill(&WHITE).ok()?;
    for ((goal, points), area) in curves.iter().zip(root.split_evenly((curves.len(), 1))) {
        draw_one(&area, goal, points)?;
    }
    root.present().ok()
}

/// Numbers farther from 0 are drawn as this: the marks of an axis have a bound only if its length is a number.
const FARTHEST: f64 = 1e300;

/// Inputs that were run, and what was reached by then; of nanoseconds, the milliseconds.
fn curve(report: &Report, goal: &str) -> Vec<(f64, f64)> {
    let unit = if goal == "time" { 1e-6 } else { 1.0 };
    let rows = report.generations.iter();
    rows.filter_map(|row| Some((row.inputs as f64, row.of(goal)? * unit)))
        .collect()
}

fn draw_one(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    goal: &str,
    points: &[(f64, f64)],
) -> Option<()> {
    let title = match goal {
        "coverage" => "functions covered",
        "mappings" => "pairs of structure and function",
        "failures" => "inputs that failed",
        "distinct-failures" => "places of failures",
        "time" => "milliseconds of the slowest input",
        "work" => "edge counts of the input with the most",
        name => name,
    };
    let points = points.iter();
    let points: Vec<(f64, f64)> = points
        .map(|&(inputs, number)| (inputs, number.clamp(-FARTHEST, FARTHEST)))
        .collect();
    let inputs = points.last().map_or(1.0, |it| it.0);
    let most = points.iter().map(|it| it.1).fold(0.0, f64::max);
    let least = points.iter().map(|it| it.1).fold(0.0, f64::min);
    let most = if most > least { most } else { least + 1.0 };
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        // The last label of an axis is as wide to the right as to the left.
        .margin_right(32)
        .x_label_area_size(28)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..inputs, least..most * 1.05)
        .ok()?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_desc("inputs")
        .x_labels(6)
        .y_labels(5)
        .x_label_formatter(&plain)
        .y_label_formatter(&plain)
        .max_light_lines(0)
        .draw()
        .ok()?;
    chart
        .draw_series(LineSeries::new(
            points,
            RGBColor(31, 119, 180).stroke_width(2),
        ))
        .ok()?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::draw_all;

    #[test]
    fn all_finite_numbers_can_be_drawn() {
        let extremes = [f64::MAX, f64::MIN, 1e300, -1e300, 5e-324, 1.0, 0.0];
        for first in extremes {
            for last in extremes {
                let curves = [("number", vec![(200.0, first), (400.0, last)])];
                let mut picture = String::new();
                assert_eq!(draw_all(&mut picture, &curves), Some(()));
                assert!(picture.contains("<polyline"), "{first} {last}: {picture}");
            }
        }
    }
}
