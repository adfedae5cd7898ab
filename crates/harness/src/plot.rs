//! The picture of a comparison: a bar for each variant, with the range of its runs.

use std::fmt::Display;
use std::fs::{File, create_dir_all};
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use runahead::{Error, Result};

use super::measure::{Sample, median};

const SIZE: (u32, u32) = (720, 300);
const TIME: RGBColor = RGBColor(70, 110, 160);
const WAITING: RGBColor = RGBColor(170, 195, 225);

/// Makes sure, before the runs, that the picture can be written after them. Folders that are missing
/// are made.
///
/// # Errors
///
/// If it cannot.
pub fn prepare(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = folder.map_or(Ok(()), create_dir_all);
    // An old picture stays until the new one is drawn.
    let opened = made.and_then(|()| File::options().append(true).create(true).open(path));
    opened.map(drop).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &dyn Display) -> Error {
    Error::other(format!("{}: the picture cannot be written: {error}", path.display()))
}

/// Draws the median time of each variant, how much of it was waiting, and the shortest and longest
/// run, as an SVG.
///
/// # Errors
///
/// If the file cannot be written.
pub fn plot(path: &Path, title: &str, rows: &[(&str, &[Sample])]) -> Result<()> {
    draw(path, title, rows).map_err(|error| failed(path, &error))
}

fn draw(
    path: &Path,
    title: &str,
    rows: &[(&str, &[Sample])],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let milliseconds = |ns: u64| ns as f64 / 1e6;
    let longest = rows.iter().flat_map(|(_, samples)| *samples).map(|sample| sample.time_ns).max();
    let top = milliseconds(longest.unwrap_or(1)) * 1.08;

    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 16))
        .margin(12)
        .x_label_area_size(30)
        .y_label_area_size(64)
        .build_cartesian_2d((0..rows.len()).into_segmented(), 0.0..top)?;
    let name = |at: &SegmentValue<usize>| match at {
        SegmentValue::CenterOf(at) => rows.get(*at).map_or(String::new(), |row| row.0.to_owned()),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(rows.len())
        .x_label_formatter(&name)
        .y_desc("ms (light: waiting)")
        .light_line_style(WHITE)
        .draw()?;
    // Beside the line of the range, to its right.
    let text = ("sans-serif", 14).into_text_style(&area).pos(Pos::new(HPos::Left, VPos::Bottom));
    let base = rows.first().and_then(|(_, samples)| median(samples));
    let base = base.map_or(1.0, |sample| milliseconds(sample.time_ns));
    for (at, (_, samples)) in rows.iter().enumerate() {
        let Some(middle) = median(samples) else { continue };
        let computing = milliseconds(middle.time_ns.saturating_sub(middle.wait_ns));
        let bar = |from: f64, to: f64, colour: RGBColor| {
            let corners = [(SegmentValue::Exact(at), from), (SegmentValue::Exact(at + 1), to)];
            let mut bar = Rectangle::new(corners, colour.filled());
            bar.set_margin(0, 0, 24, 24);
            bar
        };
        let time = milliseconds(middle.time_ns);
        chart.draw_series([bar(0.0, computing, TIME), bar(computing, time, WAITING)])?;
        let times = samples.iter().map(|sample| milliseconds(sample.time_ns));
        let (low, high) = (times.clone().fold(time, f64::min), times.fold(time, f64::max));
        let range = [low, high].map(|time| (SegmentValue::CenterOf(at), time));
        chart.draw_series([PathElement::new(range, BLACK)])?;
        let ratio = format!("  {:.2}", time / base);
        let place = (SegmentValue::CenterOf(at), time + top * 0.01);
        chart.draw_series([Text::new(ratio, place, text.clone())])?;
    }
    area.present()
}
