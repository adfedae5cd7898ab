//! A cell: samples of all contestants, in turn, and their comparison.

use std::collections::BTreeMap;

use runahead::{Error, Result};
use serde::{Deserialize, Serialize};

use super::super::progress::Progress;
use super::super::sample::{interleave, median};
use super::disturbance::Watch;
use super::names::{Contestant, What};
use super::sample::{Ready, TIME, Taken};

/// An MPI that takes this many times as long as the fastest MPI in the first round is dropped. With
/// more polling ranks than cores, it takes minutes where others take one second.
const HOPELESS: f64 = 10.0;

/// The samples of a contestant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// In the order in which they were taken.
    pub(crate) samples: Vec<Taken>,
    /// How many more were taken and discarded, because something disturbed them.
    pub(crate) put_aside: usize,
    /// Why this contestant has fewer samples, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stopped: Option<String>,
}

impl Entry {
    pub(crate) fn values(&self, figure: &str) -> Vec<f64> {
        self.samples.iter().filter_map(|taken| taken.values.figures.get(figure).copied()).collect()
    }

    /// The median of a figure, if there is a sample with it.
    pub(crate) fn median(&self, figure: &str) -> Option<f64> {
        let values = self.values(figure);
        (!values.is_empty()).then(|| median(values.into_iter()))
    }

    pub(crate) fn disturbed(&self) -> usize {
        self.samples.iter().filter(|taken| taken.beside.disturbed).count()
    }
}

/// How runahead and the best MPI compare in a figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Compared {
    pub(crate) runahead: f64,
    pub(crate) best_mpi: f64,
    pub(crate) which_mpi: String,
    pub(crate) ratio: f64,
}

/// A finished cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) what: What,
    pub(crate) cores: usize,
    /// The bytes of a rank, of collectives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u32>,
    pub(crate) contestants: BTreeMap<String, Entry>,
    pub(crate) compared: BTreeMap<String, Compared>,
}

/// The number of samples, and how often a disturbed one may be taken again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) runs: usize,
    pub(crate) retakes: usize,
}

/// Takes all samples of a cell.
///
/// # Errors
///
/// If one cannot be taken, or is wrong.
pub(crate) fn measure(ready: &Ready<'_>, all: &[Contestant], effort: Effort) -> Result<Done> {
    let mut watch = Watch::new(ready.cores.clone());
    let part: Vec<Contestant> =
        all.iter().copied().filter(|one| one.takes_part(ready.cell.what)).collect();
    let mut entries = vec![Entry::default(); part.len()];
    let progress = Progress::new(part.len() * effort.runs);
    let mut taken = 0;
    interleave(&part, effort.runs, |at, contestant| {
        progress.next(format_args!("{}: {contestant}", ready.cell));
        // All samples of a round have the same load.
        let round = taken / part.len();
        taken += 1;
        if round == 1 && entries[at].stopped.is_none() {
            entries[at].stopped = hopeless(contestant, &part, &entries);
        }
        if entries[at].stopped.is_some() {
            return Ok(());
        }
        take(ready, contestant, round as u64, effort.retakes, &mut watch, &mut entries[at])
    })?;
    drop(progress);
    let named: Vec<(Contestant, Entry)> = part.into_iter().zip(entries).collect();
    let figures = ready.cell.what.figures().iter();
    let compared =
        figures.filter_map(|&(figure, _)| Some((figure.to_owned(), compare(&named, figure)?)));
    Ok(Done {
        what: ready.cell.what,
        cores: ready.cores.len(),
        bytes: ready.cell.choice.bytes(),
        compared: compared.collect(),
        contestants: named.into_iter().map(|(one, entry)| (one.to_string(), entry)).collect(),
    })
}

fn take(
    ready: &Ready<'_>,
    contestant: Contestant,
    seed: u64,
    retakes: usize,
    watch: &mut Watch,
    entry: &mut Entry,
) -> Result<()> {
    let mut kept: Option<Taken> = None;
    for _ in 0..=retakes {
        let Some(taken) = ready.take(contestant, seed, watch)? else {
            entry.stopped = Some("did not end within the limit".to_owned());
            break;
        };
        let before = kept.take();
        entry.put_aside += usize::from(before.is_some());
        // Of two disturbed samples, the less disturbed one.
        let keep = match before {
            Some(before)
                if taken.beside.disturbed
                    && before.beside.foreign_share < taken.beside.foreign_share =>
            {
                before
            }
            _ => taken,
        };
        let well = !keep.beside.disturbed;
        kept = Some(keep);
        if well {
            break;
        }
    }
    entry.samples.extend(kept);
    Ok(())
}

/// Why an MPI is dropped after the first round, if it is.
fn hopeless(one: Contestant, part: &[Contestant], entries: &[Entry]) -> Option<String> {
    let time = |entry: &Entry| entry.values(TIME).first().copied();
    let mpis = part.iter().zip(entries).filter(|(other, _)| other.is_mpi());
    let fastest = mpis.filter_map(|(_, entry)| time(entry)).fold(f64::INFINITY, f64::min);
    let mine = part.iter().zip(entries).find(|(other, _)| **other == one)?;
    let slow = one.is_mpi() && time(mine.1)? > HOPELESS * fastest;
    slow.then(|| format!("more than {HOPELESS} times as long as the fastest MPI"))
}

/// Compares runahead with the MPI that has the least median.
fn compare(named: &[(Contestant, Entry)], figure: &str) -> Option<Compared> {
    let medians = named.iter().filter_map(|(one, entry)| Some((*one, entry.median(figure)?)));
    let (mpis, ours): (Vec<_>, Vec<_>) = medians.partition(|(one, _)| one.is_mpi());
    let (_, runahead) = *ours.iter().find(|(one, _)| *one == Contestant::Runahead)?;
    let (which, best_mpi) = mpis.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let ratio = runahead / best_mpi;
    Some(Compared { runahead, best_mpi, which_mpi: which.to_string(), ratio })
}

/// The geometric mean of all ratios.
///
/// # Errors
///
/// If there are none.
pub(crate) fn geometric_mean(ratios: &[f64]) -> Result<f64> {
    match ratios.len() {
        0 => Err(Error::other("there is nothing to compare")),
        count => Ok((ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count as f64).exp()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::Values;
    use super::*;

    fn entry(times: &[f64]) -> Entry {
        let taken = |&time| Taken { values: Values::of_time(time), beside: Default::default() };
        Entry { samples: times.iter().map(taken).collect(), ..Entry::default() }
    }

    #[test]
    fn runahead_is_compared_with_the_mpi_of_least_median() {
        let named = [
            (Contestant::Runahead, entry(&[2.0, 1.0, 3.0])),
            (Contestant::RunaheadWaits, entry(&[0.1])),
            (Contestant::Openmpi, entry(&[5.0])),
            (Contestant::Mpich, entry(&[4.0, 4.0, 9.0])),
            (Contestant::MpichAsync, entry(&[])),
        ];
        let compared = compare(&named, TIME).unwrap();
        assert_eq!((compared.runahead, compared.best_mpi, compared.ratio), (2.0, 4.0, 0.5));
        assert_eq!(compared.which_mpi, "mpich");
        assert_eq!(compare(&named, "barrier_ns"), None);
        assert_eq!(compare(&named[1..], TIME), None);
        assert_eq!(compare(&named[..2], TIME), None);
    }

    #[test]
    fn a_hopeless_mpi_is_dropped_after_the_first_round() {
        let part = [Contestant::Runahead, Contestant::Openmpi, Contestant::Mpich];
        let of = |times: [f64; 3]| times.map(|time| entry(&[time]));
        let entries = of([90.0, 1.0, 10.5]);
        assert!(hopeless(Contestant::Mpich, &part, &entries).is_some());
        assert!(hopeless(Contestant::Openmpi, &part, &entries).is_none());
        // Runahead is the subject: all its samples count, however long they take.
        assert!(hopeless(Contestant::Runahead, &part, &entries).is_none());
        assert!(hopeless(Contestant::Mpich, &part, &of([0.1, 1.0, 9.0])).is_none());
    }

    #[test]
    fn the_geometric_mean_of_ratios() {
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
        assert!(geometric_mean(&[]).is_err());
    }
}
