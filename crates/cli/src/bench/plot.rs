//! The plot of `runahead bench app`: a row for each way, a dot for each sample, a bar for the
//! median.

use plotters::prelude::*;
use runahead::{Error, Result};

use super::names::{Notify, Way};
use super::sample::Series;

const WIDTH: u32 = 900;
const ROW: u32 = 26;
const REST: u32 = 150;

/// An SVG of all samples.
///
/// # Errors
///
/// If it cannot be drawn.
pub(crate) fn picture(heading: &str, rows: &[(Way, Series)]) -> Result<String> {
    let mut svg = String::new();
    draw(&mut svg, heading, rows)
        .map_err(|error| Error::other(format!("cannot draw the plot: {error}")))?;
    Ok(svg)
}

fn colour(notify: Notify) -> RGBColor {
    match notify {
        Notify::Poll => RGBColor(200, 90, 60),
        Notify::Yield => RGBColor(215, 150, 30),
        Notify::Block => RGBColor(60, 110, 180),
        Notify::SpinThenBlock => RGBColor(120, 90, 170),
        Notify::Adaptive => RGBColor(40, 140, 90),
    }
}

fn draw(
    svg: &mut String,
    heading: &str,
    rows: &[(Way, Series)],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let count = rows.len();
    let longest = rows.iter().map(|(_, series)| series.max_s()).fold(0.0, f64::max);
    // From the top downward, and not on the lines of the mesh.
    let height = |at: usize| (count - at) as f64 - 0.5;

    let size = (WIDTH, ROW * count as u32 + REST);
    let area = SVGBackend::with_string(svg, size).into_drawing_area();
    area.fill(&WHITE)?;
    let (titles, area) = area.split_vertically(64);
    for (at, line) in heading.lines().enumerate() {
        let font = if at == 0 { ("sans-serif", 17) } else { ("sans-serif", 13) };
        titles.draw(&Text::new(line.to_owned(), (14, 8 + 20 * at as i32), font))?;
    }
    let mut chart = ChartBuilder::on(&area)
        .margin(10)
        .margin_top(16)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(180)
        .build_cartesian_2d(0.0..(1.06 * longest).max(1e-9), 0.0..count as f64)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_labels(8)
        .x_desc("time of a sample, s (dots: samples; bar: their median)")
        .light_line_style(WHITE)
        .draw()?;
    let origin = area.get_base_pixel();
    let (_, top_px) = chart.backend_coord(&(0.0, count as f64));
    area.draw(&Text::new("variant/notify", (14, top_px - 12 - origin.1), ("sans-serif", 12)))?;
    // Names beside the rows: labels of an axis would stand at its ticks.
    let right = plotters::style::text_anchor::Pos::new(
        plotters::style::text_anchor::HPos::Right,
        plotters::style::text_anchor::VPos::Center,
    );
    for (at, (way, series)) in rows.iter().enumerate() {
        let y = height(at);
        let colour = colour(way.notify);
        let name = ("sans-serif", 14).into_text_style(&area).pos(right);
        let (x_px, y_px) = chart.backend_coord(&(0.0, y));
        let median = series.median_s();
        chart.draw_series([Rectangle::new(
            [(0.0, y - 0.3), (median, y + 0.3)],
            colour.mix(0.3).filled(),
        )])?;
        chart.draw_series([PathElement::new(
            [(median, y - 0.36), (median, y + 0.36)],
            colour.stroke_width(3),
        )])?;
        chart.draw_series(
            series.times_s().map(|time| Circle::new((time, y), 3, colour.mix(0.7).filled())),
        )?;
        area.draw(&Text::new(way.to_string(), (x_px - 8 - origin.0, y_px - origin.1), name))?;
    }
    area.present()
}
