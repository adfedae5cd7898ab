//! `runahead tune`: measures the candidates for a barrier algorithm on this machine, and prints a
//! table.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use runahead::internals::options::tune_cache;
use runahead::internals::order::Rank;
use runahead::internals::tune::cache::{Cache, Key};
use runahead::internals::verbs::Nic;
use runahead::{Algorithm, Comm, Launch, Measurement, Result, Source};

use super::model::{Terms, predicted_barrier_ns};
use crate::info::file_of;

/// The options of the command.
pub(crate) struct Request {
    pub(crate) ranks: Vec<u16>,
    pub(crate) budget: Duration,
    pub(crate) competitors: u16,
    pub(crate) remember: bool,
}

/// A table for each number of ranks.
///
/// # Errors
///
/// If the ranks cannot be started.
pub(crate) fn text(request: &Request) -> Result<String> {
    let mut parts = Vec::new();
    for &ranks in &request.ranks {
        let measured = measure(ranks.into(), request.competitors.into(), request.budget)?;
        parts.push(part(ranks.into(), request, &measured)?);
    }
    Ok(parts.join("\n"))
}

/// Measures a group of `ranks` beside `competitors` more ranks, which only spin. Without these,
/// also the terms of the model.
fn measure(
    ranks: usize,
    competitors: usize,
    budget: Duration,
) -> Result<(Measurement, Option<Terms>)> {
    let launch = Launch::new(ranks + competitors).algorithm(Algorithm::default());
    let measured = launch.collect(|world| {
        if world.rank() >= ranks {
            while world.try_recv::<u8>(Source::Rank(0), 0)?.is_none() {}
            return Ok(None);
        }
        let members: Vec<Rank> = (0..ranks).collect();
        let group = world.group(&members)?;
        let has_terms = competitors == 0 && ranks > 1;
        let terms = if has_terms { terms_of(&group)? } else { None };
        let measured = group.measure_barriers(budget)?;
        if world.rank() == 0 {
            for competitor in ranks..world.size() {
                world.send::<u8>(competitor, 0, &[])?;
            }
        }
        Ok(Some((measured, terms)))
    })?;
    // All members have the same measurement.
    let measured = measured.into_iter().flatten().next();
    Ok(measured.unwrap_or_else(|| (Measurement::known(Algorithm::default()), None)))
}

/// The terms of the model, where they can be measured.
fn terms_of(group: &Comm) -> Result<Option<Terms>> {
    #[cfg(target_os = "linux")]
    return super::terms::measure(group).map(Some);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = group;
        Ok(None)
    }
}

fn part(
    ranks: usize,
    request: &Request,
    (measured, terms): &(Measurement, Option<Terms>),
) -> Result<String> {
    let nic = &Launch::new(1).connect()?[0];
    let key = Key::here(nic.attributes().provider, ranks);
    let (cores, competitors) = (key.cores, request.competitors);
    let rounds = measured.rows.first().map_or(0, |row| row.rounds);
    let table = table(ranks, measured, terms.as_ref());
    let verdict = match (measured.sound, measured.rows.is_empty()) {
        (_, true) => "There is only one candidate.".to_owned(),
        (false, _) => format!("{rounds} rounds are too few to decide: allow more time."),
        (true, _) => format!("Auto chooses {}.", measured.chosen),
    };
    let remembered = if request.remember && measured.sound && !measured.rows.is_empty() {
        let file = file_of(tune_cache());
        match file.map(|file| (Cache::remember(&file, key, measured.chosen), file)) {
            Some((true, file)) => format!(" Stored in {}.", file.display()),
            Some((false, file)) => format!(" It cannot be stored in {}.", file.display()),
            None => " It is not stored: the cache is off.".to_owned(),
        }
    } else {
        String::new()
    };
    Ok(format!(
        "{ranks} ranks on {cores} cores, {competitors} competitors, {rounds} rounds; \
         barrier and wait, back to back:\n{table}\n{verdict}{remembered}\n"
    ))
}

fn table(ranks: usize, measured: &Measurement, terms: Option<&Terms>) -> Table {
    let mut table = Table::new();
    let header = ["algorithm", "median, us", "/ default", "by the model, us", "measured / that"];
    let shown = if terms.is_some() { header.len() } else { 3 };
    table.load_style(presets::ASCII_MARKDOWN).set_header(&header[..shown]);
    let default = measured.rows.first().map_or(0, |row| row.median_ns) as f64;
    for row in &measured.rows {
        let median = row.median_ns as f64;
        let ratio = if default > 0.0 { format!("{:.2}", median / default) } else { "-".to_owned() };
        let mut cells = vec![row.algorithm.to_string(), format!("{:.2}", median / 1000.0), ratio];
        if let Some(terms) = terms {
            let predicted = predicted_barrier_ns(row.algorithm, ranks, terms);
            cells.push(format!("{:.2}", predicted / 1000.0));
            cells.push(format!("{:.2}", median / predicted.max(1.0)));
        }
        table.add_row(cells);
    }
    for column in 1..shown {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
