//! The measured terms, for people: those of wu-2005 §4.5.1 by length, and what they are in the models of Hockney and LogGP
//! (wu-2005 §4.2).

use comfy_table::{CellAlignment, Table, presets};

use super::model::{Link, Terms, at};

/// The terms of each kind of link, and those of the machine.
pub(super) fn text(terms: &Terms) -> String {
    let mut text = String::new();
    // The near ones stand for both where each rank has a host of its own.
    let links = [
        ("messages between ranks on a host", Some(&terms.near)),
        ("messages between ranks on different hosts", terms.far.as_ref()),
        ("deposits, which ranks on a host read", Some(&terms.deposits)),
    ];
    for (of, link) in links.into_iter().filter_map(|(of, link)| Some((of, link?))) {
        if link.os.is_empty() {
            continue;
        }
        text += &format!("Terms of {of}:\n{}\n", table(link, terms));
        text += &format!("{}\n", models(link));
    }
    if terms.switch > 0.0 {
        text += &format!(
            "A switch between ranks of a core: {:.2} us, from a barrier of all.\n",
            us(terms.switch)
        );
    }
    text
}

fn us(ns: f64) -> f64 {
    ns / 1000.0
}

/// How long a message of so many bytes is on its way from post to take, in nanoseconds: half of a ping-pong.
fn half_trip_ns(link: &Link, bytes: usize) -> f64 {
    at(&link.os, bytes) + at(&link.way, bytes) + at(&link.or, bytes)
}

fn table(link: &Link, terms: &Terms) -> Table {
    let mut table = Table::new();
    let header = ["bytes", "os, us", "or, us", "way, us", "half a trip, us", "GB/s", "combine, us"];
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    for (&bytes, &os) in &link.os {
        let half_trip = half_trip_ns(link, bytes);
        let times = [os, at(&link.or, bytes), at(&link.way, bytes), half_trip];
        let mut row = vec![bytes.to_string()];
        row.extend(times.map(|ns| format!("{:.2}", us(ns))));
        row.push(format!("{:.2}", bytes as f64 / half_trip.max(1.0)));
        row.push(format!("{:.2}", us(at(&terms.combine, bytes))));
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn models(link: &Link) -> String {
    let (alpha, per_byte) = hockney(link);
    let shortest = link.os.keys().next().copied().unwrap_or(0);
    let overhead = f64::midpoint(at(&link.os, shortest), at(&link.or, shortest));
    format!(
        "Hockney: {:.2} us and {per_byte:.3} ns a byte. LogGP: L {:.2} us, o {:.2} us, G {:.3} ns a byte.",
        us(alpha),
        us(at(&link.way, shortest)),
        us(overhead),
        gap_per_byte(link)
    )
}

/// Start-up time in nanoseconds, and nanoseconds a byte: the straight line through half trips that is least off, where each
/// counts by what it is off in parts of itself.
fn hockney(link: &Link) -> (f64, f64) {
    // Sums of products of 1 / t and m / t; the line has to be 1 there.
    let [mut ones, mut mixed, mut squares, mut by_one, mut by_bytes] = [0.0; 5];
    for &bytes in link.os.keys() {
        let time = half_trip_ns(link, bytes).max(1.0);
        let (one, bytes) = (1.0 / time, bytes as f64 / time);
        ones += one * one;
        mixed += one * bytes;
        squares += bytes * bytes;
        by_one += one;
        by_bytes += bytes;
    }
    let determinant = ones * squares - mixed * mixed;
    if determinant <= 0.0 {
        return (0.0, 0.0);
    }
    let alpha = (by_one * squares - by_bytes * mixed) / determinant;
    let per_byte = (by_bytes * ones - by_one * mixed) / determinant;
    (alpha, per_byte)
}

/// What one byte more costs a message that is long: the slope between the two longest.
fn gap_per_byte(link: &Link) -> f64 {
    let mut longest = link.os.keys().rev();
    let (Some(&last), Some(&before)) = (longest.next(), longest.next()) else { return 0.0 };
    (half_trip_ns(link, last) - half_trip_ns(link, before)) / (last - before) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Terms of which half a trip is a straight line: 500 ns and a quarter of a nanosecond a byte.
    fn straight() -> Terms {
        let mut near = Link::default();
        for bytes in [8, 1 << 10, 1 << 20] {
            near.os.insert(bytes, 100.0 + bytes as f64 / 8.0);
            near.or.insert(bytes, 200.0 + bytes as f64 / 8.0);
            near.way.insert(bytes, 200.0);
        }
        Terms { near, ..Terms::default() }
    }

    /// (Planted: the slope counts by the time and not by its part.)
    #[test]
    fn a_straight_line_is_found() {
        let Terms { near, .. } = straight();
        let (alpha, per_byte) = hockney(&near);
        assert!((alpha - 500.0).abs() < 0.01 && (per_byte - 0.25).abs() < 1e-6);
        assert!((gap_per_byte(&near) - 0.25).abs() < 1e-9);
        // A point far off in nanoseconds and near in parts moves the start-up time little.
        let mut near = near;
        *near.way.get_mut(&(1 << 20)).unwrap() *= 100.0;
        let (alpha, _) = hockney(&near);
        assert!((alpha - 500.0).abs() < 25.0, "{alpha}");
        assert_eq!(hockney(&Link::default()), (0.0, 0.0));
    }

    #[test]
    fn all_terms_are_told() {
        let mut terms = straight();
        terms.combine.insert(8, 40.0);
        terms.switch = 2345.0;
        terms.far = Some(terms.near.clone());
        let said = text(&terms);
        let line = "| 1024    |   0.23 |   0.33 |    0.20 |            0.76 | 1.35 |";
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed(&said).contains(&squeezed(line)), "{said}");
        let models =
            "Hockney: 0.50 us and 0.250 ns a byte. LogGP: L 0.20 us, o 0.15 us, G 0.250 ns a byte.";
        assert_eq!(said.matches(models).count(), 2, "{said}");
        assert!(said.contains("ranks on different hosts") && said.contains("core: 2.35 us"));
        assert_eq!(text(&Terms::default()), "");
    }
}
