//! `runahead tune --what collectives`: finds the shape of each collective for each number of ranks
//! and length of data (wu-2005 chapters 4 and 5), and stores what is faster than the default.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use runahead::internals::collective::{Kind, Shape, ShapeRule, ShapeRules};
use runahead::internals::options::tune_cache;
use runahead::internals::tune::cache::{Cache, Key};
use runahead::{Comm, Launch, Result, Tree, ops};
use serde::{Deserialize, Serialize};

use super::model::{Call, Terms};
use super::over_hosts;
use super::search::{LEAST_GAIN, Search};
use super::terms::{self, median};
use super::terms_shown;
use crate::info::file_of;
use crate::sys::now_ns;

/// The calls whose shape can be chosen.
const KINDS: [Kind; 5] =
    [Kind::Broadcast, Kind::Reduce, Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan];

/// The lengths of pieces, in bytes.
const PIECES: [usize; 6] = [8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10];

/// The lengths of data that are measured unless others are asked for, in bytes. What is shorter
/// fits into the eager limit: there no rank should forward.
pub(crate) const BYTES: [u32; 5] = [16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// How often a shape is called unless something else is asked for.
pub(crate) const CALLS: u16 = 40;

/// The options of the command.
pub(crate) struct Request {
    pub(crate) ranks: Vec<u16>,
    pub(crate) bytes: Vec<u32>,
    /// How often each shape is called; once more before, to make warm.
    pub(crate) calls: u16,
    /// Whether all shapes are measured too, to compare.
    pub(crate) exhaustive: bool,
    /// Whether later jobs go by what was found.
    pub(crate) remember: bool,
}

/// What was found for one call.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Cell {
    /// The call's name.
    call: String,
    bytes: usize,
    default: String,
    chosen: Option<String>,
    /// The time of the chosen shape by that of the default.
    gain: Option<f64>,
    /// Of how many shapes.
    shapes: usize,
    measured: usize,
    took_ns: u64,
    /// Of measuring all: how long that took, its choice, and the time of the choice above by the
    /// time of that one.
    exhaustive: Option<(u64, Option<String>, f64)>,
}

/// What a number of ranks has come to.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Found {
    provider: String,
    hosts: usize,
    terms: Terms,
    terms_ns: u64,
    cells: Vec<Cell>,
    rules: Vec<String>,
    /// What is measured besides where all shapes are.
    over_hosts: Vec<over_hosts::Row>,
}

/// A table for each number of ranks.
///
/// # Errors
///
/// If the ranks cannot be started, or one fails.
pub(crate) fn text(request: &Request) -> Result<String> {
    let mut parts = Vec::new();
    let mut bytes = request.bytes.clone();
    bytes.sort_unstable();
    bytes.dedup();
    let request = &Request { bytes, ranks: request.ranks.clone(), ..*request };
    for &ranks in &request.ranks {
        let found = Launch::new(ranks.into()).collect(|world| tuned(world, request))?;
        for found in found.into_iter().take(1) {
            let table = part(ranks, &found);
            parts.push(if request.remember { table + &store(ranks, &found) } else { table });
        }
    }
    Ok(parts.join("\n"))
}

/// Stores the rules in place of those that were stored for the same groups. Says whether that
/// succeeded.
fn store(ranks: u16, found: &Found) -> String {
    let Some(file) = file_of(tune_cache()) else {
        return "It is not stored: the cache is off.\n".to_owned();
    };
    let key = Key::of_rules(&found.provider);
    let group = (usize::from(ranks), found.hosts);
    let is_of_group =
        |rule: &str| rule.parse().is_ok_and(|rule: ShapeRule| (rule.ranks, rule.hosts) == group);
    let (count, shown) = (found.rules.len(), file.display());
    match Cache::remember_rules(&file, &key, is_of_group, found.rules.clone()) {
        true => format!("{count} rules are stored in {shown}.\n"),
        false => format!("They cannot be stored in {shown}.\n"),
    }
}

/// All ranks come to the same.
fn tuned(world: &Comm, request: &Request) -> Result<Found> {
    let begin = now_ns();
    let terms = terms::measure(world)?;
    let terms_ns = now_ns() - begin;
    let (mut cells, mut rules) = (Vec::new(), Vec::new());
    for kind in KINDS {
        for &bytes in &request.bytes {
            let bytes = bytes as usize;
            let (cell, chosen) = cell(world, &terms, (kind, bytes), request)?;
            let (ranks, hosts) = (world.size(), world.hosts().count());
            rules.push(ShapeRule { kind, ranks, hosts, bytes, shape: chosen });
            cells.push(cell);
        }
    }
    let rules = needed(&rules).iter().map(ShapeRule::to_string).collect();
    let hosts = world.hosts().count();
    let over_hosts = match request.exhaustive {
        true => over_hosts::measure(world, &request.bytes, request.calls)?,
        false => Vec::new(),
    };
    let provider = world.provider()?.to_owned();
    Ok(Found { provider, hosts, terms, terms_ns, cells, rules, over_hosts })
}

/// The rules that must be stored: what was chosen, and the default again behind it. They are in the
/// order of calls and lengths.
fn needed(rules: &[ShapeRule]) -> Vec<ShapeRule> {
    let mut needed: Vec<ShapeRule> = Vec::new();
    for &rule in rules {
        let before = needed.last().filter(|before| before.kind == rule.kind);
        if before.and_then(|before| before.shape) != rule.shape {
            needed.push(rule);
        }
    }
    needed
}

/// The shapes of a call, the default first. Those that are the same are one.
fn shapes(world: &Comm, kind: Kind, bytes: usize) -> Vec<Shape> {
    let mut shapes = vec![world.default_shape(kind, bytes)];
    let is_scan = matches!(kind, Kind::Scan | Kind::ExclusiveScan);
    for tree in Tree::SHAPES {
        // Scans double in both.
        let is_double = is_scan && tree == Tree::Binary;
        // With two ranks all trees have one shape.
        if is_double || world.size() == 2 && tree != Tree::Flat && tree != Tree::Chain {
            continue;
        }
        let many = PIECES.into_iter().filter(|&piece| 2 * piece <= bytes);
        // One for what travels in one piece, whatever that is.
        let pieces = many.chain([1 << 30]);
        shapes.extend(pieces.map(|piece_bytes| Shape { tree, piece_bytes }));
    }
    // Others may come to the same pieces, as the window bounds their number.
    let mut known: Vec<(Tree, Vec<usize>)> = Vec::new();
    shapes.retain(|&shape| {
        let travels = (shape.tree, world.piece_lengths(kind, shape, bytes));
        let is_new = !known.contains(&travels);
        known.push(travels);
        is_new
    });
    shapes
}

/// Finds the shape of one call.
fn cell(
    world: &Comm,
    terms: &Terms,
    (kind, bytes): (Kind, usize),
    request: &Request,
) -> Result<(Cell, Option<Shape>)> {
    let shapes = shapes(world, kind, bytes);
    let mut data = Data::new(world, kind, bytes, request.calls);
    let predict = |shape: Shape| {
        let pieces = world.piece_lengths(kind, shape, bytes);
        let combining = world.combining(kind, shape.tree, bytes);
        let is_deposited = world.is_deposited(kind, shape.tree, bytes);
        let hosts = world.hosts();
        let call = Call { kind, bytes, pieces: &pieces, combining, is_deposited, hosts };
        call.predicted_ns(shape.tree, terms).unwrap_or(f64::INFINITY)
    };
    let run = |mut search: Search, data: &mut Data| -> Result<Search> {
        while let Some(shape) = search.poll_next() {
            let ns = data.measured_ns(shape)?;
            search.handle_measured(shape, ns);
        }
        Ok(search)
    };
    let begin = now_ns();
    let search = run(Search::filtered(&shapes, predict), &mut data)?;
    let chosen = confirmed(&mut data, search.choice(), shapes[0])?;
    let took_ns = now_ns() - begin;
    let exhaustive = match request.exhaustive {
        false => None,
        true => {
            const TURNS: usize = 7;
            let begin = now_ns();
            let all = run(Search::exhaustive(&shapes), &mut data)?;
            let of_all = confirmed(&mut data, all.choice(), shapes[0])?;
            let all_ns = now_ns() - begin;
            let [one, other] = [chosen, of_all].map(|shape| shape.unwrap_or(shapes[0]));
            let behind = data.ratio(one, other, TURNS)?;
            Some((all_ns, of_all.map(|shape| shape.to_string()), behind))
        }
    };
    let cell = Cell {
        call: kind.to_string(),
        bytes,
        default: shapes[0].to_string(),
        chosen: chosen.map(|shape| shape.to_string()),
        gain: chosen.and_then(|_| search.gain()),
        shapes: shapes.len(),
        measured: search.measured(),
        took_ns,
        exhaustive,
    };
    Ok((cell, chosen))
}

/// The choice, if it is faster than the default in turns too: the fastest of many that were
/// measured once may have had luck. Not asked where that takes long, since luck does not last.
fn confirmed(data: &mut Data, choice: Option<Shape>, default: Shape) -> Result<Option<Shape>> {
    const LONG_NS: f64 = 300_000.0;
    const TURNS: usize = 3;
    let Some(choice) = choice else { return Ok(None) };
    if data.measured_ns(choice)? > LONG_NS {
        return Ok(Some(choice));
    }
    Ok((data.ratio(choice, default, TURNS)? < LEAST_GAIN).then_some(choice))
}

/// What a call works on.
struct Data<'w> {
    world: &'w Comm,
    kind: Kind,
    calls: u16,
    given: Vec<f64>,
    got: Vec<f64>,
}

impl Data<'_> {
    fn new(world: &Comm, kind: Kind, bytes: usize, calls: u16) -> Data<'_> {
        let n = bytes / size_of::<f64>();
        Data { world, kind, calls, given: vec![1.0; n], got: vec![0.0; n] }
    }

    /// The median time of a call in this shape, at the rank where it is the longest; the same at
    /// all.
    fn measured_ns(&mut self, shape: Shape) -> Result<f64> {
        let (ranks, hosts) = (self.world.size(), self.world.hosts().count());
        let rule = ShapeRule { kind: self.kind, ranks, hosts, bytes: 0, shape: Some(shape) };
        self.world.set_shape_rules(ShapeRules::new([rule]));
        let mut times = Vec::with_capacity(self.calls.into());
        for nth in 0..=self.calls {
            self.world.barrier()?.wait()?;
            let begin = now_ns();
            self.call()?;
            if nth > 0 {
                times.push(now_ns() - begin);
            }
        }
        self.world.set_shape_rules(ShapeRules::default());
        Ok(self.world.all_reduce(&[median(times)], ops::max)?[0])
    }

    /// How much longer one shape takes than another: the median of turns.
    fn ratio(&mut self, one: Shape, other: Shape, turns: usize) -> Result<f64> {
        if one == other {
            return Ok(1.0);
        }
        let mut ratios = Vec::new();
        for _ in 0..turns {
            let (one, other) = (self.measured_ns(one)?, self.measured_ns(other)?);
            ratios.push(one / other.max(1.0));
        }
        ratios.sort_by(f64::total_cmp);
        Ok(ratios[turns / 2])
    }

    fn call(&mut self) -> Result<()> {
        let (world, given, got) = (self.world, &mut self.given[..], &mut self.got[..]);
        match self.kind {
            Kind::Broadcast => world.broadcast(0, given),
            Kind::Reduce => world.reduce_into(0, given, got, ops::max),
            Kind::AllReduce => world.all_reduce_into(given, got, ops::max),
            Kind::Scan => world.scan_into(given, got, ops::max),
            _ => world.exclusive_scan_into(given, got, ops::max),
        }
    }
}

fn part(ranks: u16, found: &Found) -> String {
    let mut table = Table::new();
    let mut header = vec!["call", "bytes", "default", "chosen", "/ default", "measured", "ms"];
    let is_exhaustive = found.cells.iter().any(|cell| cell.exhaustive.is_some());
    if is_exhaustive {
        header.extend(["all: ms", "chosen of all", "time / of that"]);
    }
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    let ms = |ns: u64| format!("{:.1}", Duration::from_nanos(ns).as_secs_f64() * 1e3);
    let dash = |shape: &Option<String>| shape.clone().unwrap_or_else(|| "-".to_owned());
    for cell in &found.cells {
        let measured = format!("{} of {}", cell.measured, cell.shapes);
        let mut row = vec![
            cell.call.clone(),
            cell.bytes.to_string(),
            cell.default.clone(),
            dash(&cell.chosen),
            cell.gain.map_or("-".to_owned(), |gain| format!("{gain:.2}")),
            measured,
            ms(cell.took_ns),
        ];
        if let Some((took_ns, chosen, behind)) = &cell.exhaustive {
            row.extend([ms(*took_ns), dash(chosen), format!("{behind:.2}")]);
        }
        table.add_row(row);
    }
    for column in [1, 4, 5, 6, 7, 9] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let spent: u64 = found.terms_ns + found.cells.iter().map(|cell| cell.took_ns).sum::<u64>();
    let all: u64 = found.cells.iter().filter_map(|cell| Some(cell.exhaustive.as_ref()?.0)).sum();
    let mut summary = format!("{} ms, {} of them for the terms", ms(spent), ms(found.terms_ns));
    if is_exhaustive {
        let cells = found.cells.iter().filter_map(|cell| Some(cell.exhaustive.as_ref()?.2));
        let slow = cells.clone().filter(|&behind| behind > 1.05).count();
        let part = 100.0 * spent as f64 / all.max(1) as f64;
        summary += &format!(
            "; all shapes {} ms: {part:.1} % of that. {slow} of {} choices are more than 5 % behind",
            ms(all),
            cells.count()
        );
    }
    let (hosts, cores) = (found.hosts, found.terms.cores);
    let terms = terms_shown::text(&found.terms);
    let over_hosts = over_hosts::text(&found.over_hosts);
    format!(
        "{ranks} ranks on {hosts} hosts with {cores} cores:\n{table}\n{summary}.\n{over_hosts}{terms}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_stands_behind_what_was_chosen() {
        let rule = |bytes, shape: &str| -> ShapeRule {
            format!("scan 4 1 {bytes} {shape}").parse().expect("a rule")
        };
        let other: ShapeRule = "reduce 4 1 8 default".parse().expect("a rule");
        let all = [
            rule(1, "default"),
            rule(2, "flat:1"),
            rule(3, "flat:1"),
            rule(4, "default"),
            rule(5, "default"),
            rule(6, "chain:1"),
            other,
        ];
        assert_eq!(needed(&all), [rule(2, "flat:1"), rule(4, "default"), rule(6, "chain:1")]);
    }
}
