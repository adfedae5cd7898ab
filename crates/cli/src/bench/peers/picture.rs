//! The plot of `bench peers`: a row for each cell and figure. In a row, a dot is a contestant's
//! median and a line the range of its samples, in multiples of the best MPI's median.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use runahead::{Error, Result};

use super::cell::{Done, Entry};

const WIDTH: u32 = 1100;
const ROW: u32 = 28;
const REST: u32 = 150;
const NAMES: u32 = 430;
/// The colours of the contestants, in their order.
const COLOURS: [RGBColor; 13] = [
    RGBColor(40, 140, 90),
    RGBColor(120, 190, 150),
    RGBColor(150, 150, 80),
    RGBColor(200, 90, 60),
    RGBColor(230, 150, 130),
    RGBColor(215, 150, 30),
    RGBColor(235, 200, 110),
    RGBColor(60, 110, 180),
    RGBColor(140, 170, 220),
    RGBColor(120, 90, 170),
    RGBColor(180, 150, 210),
    RGBColor(60, 60, 60),
    RGBColor(150, 150, 150),
];

/// A row of the plot.
struct Row<'d> {
    name: String,
    best: f64,
    figure: &'static str,
    done: &'d Done,
}

/// An SVG of all cells.
///
/// # Errors
///
/// If it cannot be drawn.
pub(crate) fn picture(
    heading: &str,
    cells: &[(String, Done)],
    contestants: &[String],
) -> Result<String> {
    let mut rows = Vec::new();
    for (name, done) in cells {
        for &(figure, title) in done.what.figures() {
            let Some(compared) = done.compared.get(figure) else { continue };
            let name = done.what.row(name, title);
            rows.push(Row { name, best: compared.best_mpi, figure, done });
        }
    }
    let mut svg = String::new();
    draw(&mut svg, heading, &rows, contestants)
        .map_err(|error| Error::other(format!("cannot draw the plot: {error}")))?;
    Ok(svg)
}

/// The least and the largest multiple, with a margin.
fn range(rows: &[Row<'_>]) -> std::ops::Range<f64> {
    let all = rows.iter().flat_map(|row| {
        let values = row.done.contestants.values().flat_map(|entry| entry.values(row.figure));
        values.map(|value| value / row.best)
    });
    let (least, most) = all.fold((0.5f64, 2.0f64), |(least, most), multiple| {
        (least.min(multiple), most.max(multiple))
    });
    least.max(1e-4) / 1.2..most * 1.2
}

fn draw(
    svg: &mut String,
    heading: &str,
    rows: &[Row<'_>],
    contestants: &[String],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let count = rows.len();
    let area = SVGBackend::with_string(svg, (WIDTH, ROW * count as u32 + REST)).into_drawing_area();
    area.fill(&WHITE)?;
    let (titles, area) = area.split_vertically(70);
    for (at, line) in heading.lines().take(2).enumerate() {
        let size = if at == 0 { 17 } else { 12 };
        titles.draw(&Text::new(line.to_owned(), (14, 8 + 20 * at as i32), ("sans-serif", size)))?;
    }
    let mut x = 14;
    for (name, colour) in contestants.iter().zip(COLOURS) {
        titles.draw(&Circle::new((x + 4, 58), 4, colour.filled()))?;
        titles.draw(&Text::new(name.clone(), (x + 12, 52), ("sans-serif", 11)))?;
        x += 24 + 6 * name.len() as i32;
    }
    let mut chart = ChartBuilder::on(&area)
        .margin(10)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(NAMES)
        .build_cartesian_2d(range(rows).log_scale(), 0.0..count.max(1) as f64)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_labels(10)
        .x_desc("multiple of the best MPI's median (dots: medians; lines: from least to largest sample)")
        .light_line_style(WHITE)
        .draw()?;
    chart.draw_series([PathElement::new(
        [(1.0, 0.0), (1.0, count as f64)],
        BLACK.stroke_width(1),
    )])?;
    let origin = area.get_base_pixel();
    let font = ("sans-serif", 12).into_text_style(&area).pos(Pos::new(HPos::Right, VPos::Center));
    for (at, row) in rows.iter().enumerate() {
        // From the top down.
        let middle = (count - at) as f64 - 0.5;
        let (_, y_px) = chart.backend_coord(&(1.0, middle));
        let name = Text::new(row.name.clone(), (NAMES as i32, y_px - origin.1), font.clone());
        area.draw(&name)?;
        for (place, (name, colour)) in contestants.iter().zip(COLOURS).enumerate() {
            let Some(entry) = row.done.contestants.get(name) else { continue };
            let Some([least, median, most]) = multiples(entry, row) else { continue };
            let y = middle + 0.4 - 0.8 * (place as f64 + 0.5) / contestants.len() as f64;
            let line = [(least, y), (most, y)];
            chart.draw_series([PathElement::new(line, colour.stroke_width(1))])?;
            chart.draw_series([Circle::new((median, y), 3, colour.filled())])?;
        }
    }
    area.present()
}

fn multiples(entry: &Entry, row: &Row<'_>) -> Option<[f64; 3]> {
    let values = entry.values(row.figure);
    let least = values.iter().copied().reduce(f64::min)?;
    let most = values.iter().copied().reduce(f64::max)?;
    Some([least, entry.median(row.figure)?, most].map(|value| value / row.best))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::super::names::Contestant;
    use super::*;

    /// (The plot of all contestants had left out the last of them.)
    #[test]
    fn each_contestant_has_a_colour_of_its_own() {
        let mut colours = COLOURS.map(|RGBColor(red, green, blue)| [red, green, blue]).to_vec();
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() >= Contestant::value_variants().len());
    }
}
