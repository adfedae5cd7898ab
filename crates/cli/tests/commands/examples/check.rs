//! The checks of the programs notice errors, and output files appear only when they are complete.

use std::cell::Cell;
use std::fs;

use runahead::{Comm, Error, Launch, Result};
use runahead_harness::format::{Format, to_bytes};
use runahead_harness::measure::{Sample, measure, median};
use runahead_harness::output::Output;
use runahead_harness::program::{Program, check, run_once};
use runahead_harness::share;
use runahead_harness::variant::{self, Techniques};

use super::{listing, naive};

/// Sorts only each rank's share: right for one rank alone.
struct Forgetful;

impl Program for Forgetful {
    type Number = u32;
    const ITEMS: &'static str = "keys";
    const DONE: &'static str = "Sorted";
    const SEQUENTIAL: &'static str = "a sequential sort";

    fn parallel(&self, _: &Comm, _: &Techniques, _: u64, mine: &mut [u32]) -> Result<()> {
        mine.sort_unstable();
        Ok(())
    }

    fn sequential(&self, all: &mut [u32]) {
        all.sort_unstable();
    }

    fn choices(&self) -> String {
        String::new()
    }
}

#[test]
fn a_wrong_result_is_reported() {
    let told = |result: &[u32]| check(&Forgetful, &[3, 1, 2], result).unwrap_err().to_string();
    assert_eq!(told(&[1, 3, 2]), "wrong result: at index 1 there is 3; a sequential sort gives 2");
    assert_eq!(told(&[1, 2]), "wrong result: 2 keys of 3");
    check(&Forgetful, &[3, 1, 2], &[1, 2, 3]).unwrap();
}

#[test]
fn a_wrong_program_is_reported() {
    let all: Vec<u32> = (0..20).rev().collect();
    let run = |ranks| {
        Launch::new(ranks).run(|world| {
            let mine = (world.rank() == 0).then_some(&all[..]);
            match run_once(&Forgetful, &variant::best(), world, mine)? {
                Some((_, result)) => check(&Forgetful, &all, &result),
                None => Ok(()),
            }
        })
    };
    run(1).unwrap();
    match run(2).unwrap_err() {
        Error::Rank { rank: 0, error } => {
            let right = "wrong result: at index 0 there is 10; a sequential sort gives 0";
            assert_eq!(error.to_string(), right);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn shares_cover_everything_once() {
    for ranks in 1..=13 {
        for total in 0..=40 {
            share::check(total, ranks).unwrap();
            let start = |rank| share::start(total, ranks, rank);
            assert_eq!((start(0), start(ranks)), (0, total));
            for rank in 0..ranks {
                let range = start(rank)..start(rank + 1);
                let least = total / ranks as u64;
                assert!((least..=least + 1).contains(&(range.end - range.start)));
                assert!(range.into_iter().all(|index| naive::owner(total, ranks, index) == rank));
            }
        }
    }
    let error = share::check(u64::MAX / 2, 3).unwrap_err().to_string();
    assert_eq!(error, format!("{} elements are too many for 3 ranks", u64::MAX / 2));
}

#[test]
fn the_median_is_the_upper_of_the_middle_samples() {
    let samples: Vec<Sample> =
        [5, 1, 4, 2].map(|time_ns| Sample { ranks: 2, time_ns, wait_ns: 10 * time_ns }).to_vec();
    assert_eq!(median(&[]), None);
    assert_eq!(median(&samples[..1]), Some(samples[0]));
    assert_eq!(median(&samples[..3]), Some(samples[2]));
    assert_eq!(median(&samples), Some(samples[3]));
}

#[test]
fn only_rank_0_gets_the_measured_sample() {
    let ran = Launch::new(3).collect(|world| {
        let done = Cell::new(0);
        let (result, sample) = measure(world, || {
            done.set(done.get() + 1);
            Ok(world.rank())
        })?;
        assert_eq!((result, done.get()), (world.rank(), 1));
        Ok(sample.is_some())
    });
    assert_eq!(ran.unwrap(), [true, false, false]);
}

#[test]
fn an_output_file_appears_only_when_it_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.txt");
    let content = to_bytes(&[7u64, 8], Format::Text);

    let abandoned = Output::create(&path).unwrap();
    assert_eq!(listing(directory.path()).len(), 1);
    assert!(!path.exists(), "it has its name only when it is complete");
    drop(abandoned);
    assert_eq!(listing(directory.path()), [""; 0]);

    Output::create(&path).unwrap().finish(&content).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "7\n8\n");
    drop(Output::create(&path).unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), "7\n8\n");
    assert_eq!(listing(directory.path()), ["out.txt"]);
}
