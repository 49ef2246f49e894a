//! Curves over CPU time, as SVG: the median of the seeds as a line, their range as a band.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use crate::measure::{LEVELS, Point};
use crate::report::{Group, Subject};
use crate::results::Summary;
use crate::statistics::spread;

/// Points of a line.
const STEPS: usize = 60;
const SIZE: (u32, u32) = (860, 480);

/// A quantity that is drawn.
struct Curve {
    file: String,
    title: String,
    value: Box<dyn Fn(&Point) -> u64>,
}

fn all(subject: &Subject<'_>) -> Vec<Curve> {
    let key = subject.key;
    let mut curves = vec![
        Curve {
            file: format!("{key}-edges.svg"),
            title: format!("{key}: edges"),
            value: Box::new(|it| it.edges),
        },
        Curve {
            file: format!("{key}-accepted.svg"),
            title: format!("{key}: edges by accepted inputs"),
            value: Box::new(|it| it.edges_accepted),
        },
    ];
    let levels = subject.arms[0].results[0].measured.k_paths.len();
    // Lower levels are full soon, and in the tables.
    if let Some((index, k)) = LEVELS.into_iter().enumerate().take(levels).next_back() {
        curves.push(Curve {
            file: format!("{key}-{k}-paths.svg"),
            title: format!("{key}: {k}-paths"),
            value: Box::new(move |it| it.k_paths.get(index).copied().unwrap_or(0)),
        });
    }
    curves
}

/// The files with their titles.
pub(crate) fn files(subject: &Subject<'_>) -> Vec<(String, String)> {
    all(subject)
        .into_iter()
        .map(|curve| (curve.file, curve.title))
        .collect()
}

/// The files with their contents.
pub(crate) fn curves(subject: &Subject<'_>) -> Result<Vec<(String, String)>> {
    let draw = |curve: Curve| {
        let svg = draw(subject, &curve).map_err(|error| anyhow!("{}: {error}", curve.file))?;
        Ok((curve.file, svg))
    };
    all(subject).into_iter().map(draw).collect()
}

/// The value that a result had at a time.
fn at(result: &Summary, value: &dyn Fn(&Point) -> u64, cpu: f64) -> f64 {
    let curve = &result.measured.curve;
    let next = curve.partition_point(|it| it.cpu <= cpu);
    match next {
        0 => 0.0,
        next => value(&curve[next - 1]) as f64,
    }
}

fn draw(subject: &Subject<'_>, curve: &Curve) -> Result<String, Box<dyn std::error::Error>> {
    let results = || subject.arms.iter().flat_map(|it| &it.results);
    let end = results().map(|it| it.cpu).fold(0.1, f64::max);
    let top = results()
        .map(|it| at(it, &curve.value, f64::INFINITY))
        .fold(1.0, f64::max);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(&curve.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..end, 0.0..top * 1.05)?;
        chart
            .configure_mesh()
            .max_light_lines(0)
            .x_desc("CPU seconds")
            .y_label_formatter(&|value| format!("{value:.0}"))
            .draw()?;
        for (index, arm) in subject.arms.iter().enumerate() {
            let color = Palette99::pick(index).to_rgba();
            let points = line(arm, curve, end);
            let band = points.iter().map(|it| (it.0, it.3));
            let band: Vec<_> = band
                .chain(points.iter().rev().map(|it| (it.0, it.2)))
                .collect();
            chart.draw_series([Polygon::new(band, color.mix(0.12).filled())])?;
            let median = points.iter().map(|it| (it.0, it.1));
            chart
                .draw_series(LineSeries::new(median, color.stroke_width(2)))?
                .label(arm.name)
                .legend(move |(x, y)| {
                    PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2))
                });
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        root.present()?;
    }
    Ok(svg)
}

/// Time, median, least and greatest value.
fn line(arm: &Group<'_>, curve: &Curve, end: f64) -> Vec<(f64, f64, f64, f64)> {
    let point = |step: usize| {
        let cpu = end * step as f64 / STEPS as f64;
        let spread = spread(&arm.sample(|it| at(it, &curve.value, cpu)))?;
        Some((cpu, spread.median, spread.least, spread.most))
    };
    (0..=STEPS).filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::{at, curves, files};
    use crate::fixtures::results;
    use crate::report::Subject;

    #[test]
    fn every_curve_is_drawn_and_the_same_each_time() {
        let results = results();
        let subject = &Subject::all(&results)[0];
        let drawn = curves(subject).unwrap();
        assert_eq!(drawn, curves(subject).unwrap());
        let names: Vec<_> = drawn.iter().map(|(name, _)| name.clone()).collect();
        let expected: Vec<_> = files(subject).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, expected);
        assert_eq!(
            names,
            ["edges", "accepted", "4-paths"].map(|what| format!("{}-{what}.svg", subject.key))
        );
        for (name, svg) in &drawn {
            assert!(
                svg.starts_with("<svg") && svg.ends_with("</svg>\n"),
                "{name}"
            );
            for arm in ["raw", "pleach", "tuned", "CPU seconds"] {
                assert!(svg.contains(arm), "{name} has no {arm}");
            }
        }
    }

    #[test]
    fn a_value_lasts_until_the_next() {
        let results = results();
        let value = |cpu| at(&results[0], &|it| it.k_paths[0], cpu);
        assert_eq!(
            [0.0, 2.4, 2.5, 9.9, 10.0, 99.0].map(value),
            [0.0, 0.0, 10.0, 30.0, 40.0, 40.0]
        );
    }
}
