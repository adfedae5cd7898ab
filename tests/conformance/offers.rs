//! Long parts that their receivers read in the memory of their senders, or that are withdrawn and sent otherwise: what
//! comes out is the same.

use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::provider::shm::{self, ShmNic};
use runahead::{Config, Launch, Result, ops};
use runahead_testkit::data::{counting, progression, spoil};

use crate::harness::{Case, Host, Provider, Step, World};

/// So many elements are offered, of whatever length.
const LONG: usize = 40_000;

const SIZES: [usize; 4] = [2, 3, 5, 8];

/// Threads of one process on shared memory, of which each misses every third offer, as one that comes late.
struct Late;

impl Provider for Late {
    type Nic = Fault<ShmNic>;
    const CAUSAL: bool = true;
    const SHARES_WORDS: bool = true;

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        let fabric = Launch::new(size).options(config.clone()).fabric();
        let nics = shm::connect(size, &fabric.expect("the configuration is right"));
        let plan = FaultPlan { misses_offers: true, ..FaultPlan::default() };
        let nics = nics.expect("the fabric can be made").into_iter();
        nics.map(|nic| Fault::new(nic, plan.clone()).with_shared_words()).collect()
    }
}

fn part(from: usize, to: usize, round: usize) -> Vec<u32> {
    counting((from * 1_000_003 + to * 10_007 + round * 101) as u32, LONG)
}

/// Each call that offers, with what it is to give. Data change after each, so what is read late is wrong.
fn round(world: &World, step: &Step, round: usize) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let parts = |ends: &dyn Fn(usize) -> (usize, usize)| -> Vec<Vec<u32>> {
        (0..size).map(ends).map(|(from, to)| part(from, to, round)).collect()
    };
    let to_each = parts(&|to| (rank, to));
    let from_each = parts(&|from| (from, rank));
    // The part for rank 0 of each.
    let all = parts(&|from| (from, 0)).concat();

    step.to(format!("all_to_all {round}"));
    let mut given = to_each.concat();
    let mut got = vec![0; size * LONG];
    world.all_to_all_into(&given, &mut got)?;
    spoil(&mut given);
    assert!(got == from_each.concat(), "all_to_all, round {round}");

    step.to(format!("all_to_all_v {round}"));
    let counts = |from: usize, to: usize| if from == to { LONG } else { LONG - from };
    let slices: Vec<&[u32]> = (0..size).map(|to| &to_each[to][..counts(rank, to)]).collect();
    let expected: Vec<usize> = (0..size).map(|from| counts(from, rank)).collect();
    let parts = world.all_to_all_v(&slices, &expected)?;
    for from in 0..size {
        assert!(parts[from] == from_each[from][..expected[from]], "part of {from}");
    }

    step.to(format!("all_gather {round}"));
    let mut given = part(rank, 0, round);
    world.all_gather_into(&given, &mut got)?;
    spoil(&mut given);
    assert!(got == all, "all_gather, round {round}");

    // Of some, who allocate, nobody knows how long they are: these read nothing.
    step.to(format!("all_gather of both forms {round}"));
    let mut given = part(rank, 0, round);
    match (rank + round).is_multiple_of(2) {
        true => got = world.all_gather(&given)?.into_data(),
        false => world.all_gather_into(&given, &mut got)?,
    }
    spoil(&mut given);
    assert!(got == all, "all_gather of both forms, round {round}");

    step.to(format!("all_reduce {round}"));
    let mut sums = progression((rank + round) as u64, 1, size * LONG);
    world.all_reduce_in_place(&mut sums, ops::sum)?;
    // The sum of what all ranks have there.
    let first = (0..size).map(|rank| (rank + round) as u64).sum();
    assert!(sums == progression(first, size as u64, size * LONG), "all_reduce, round {round}");
    Ok(())
}

/// Returns how many offers were made, and how many accepted.
fn rounds(case: &Case, size: usize) -> (u64, u64) {
    // So that nothing long goes at once.
    let mut config = case.config(size);
    config.heap_bytes = 1 << 20;
    let stats = case.run_with(&config, size, |world, step: &Step| {
        for number in 0..size + 2 {
            if world.rank() == number % size {
                (0..40).for_each(|_| std::thread::yield_now());
            }
            round(world, step, number)?;
            world.barrier()?;
        }
        world.stats()
    });
    let sum = |of: fn(&runahead::Stats) -> u64| stats.iter().map(of).sum();
    (sum(|stats| stats.offers), sum(|stats| stats.offers_accepted))
}

/// What is offered comes as it was when it was given, whether it is read or not. (Planted: a rank without a place for what
/// it is offered, which takes that for an error.)
/// SEMANTICS: COL-5, COL-7, COL-10
#[test]
fn offered_parts_are_those_that_were_given() {
    for size in SIZES {
        let case = Case::on::<Host>("offers", None);
        let (made, accepted) = rounds(&case, size);
        assert!(accepted > 0 && accepted <= made, "{size} ranks: {accepted} of {made}");
    }
}

/// The same where every third offer is missed: all the same comes, and nobody waits for ever. (Planted: a receiver that
/// uses what it could not read; ranks that wait for parts that they have missed, and withdraw nothing meanwhile.)
/// SEMANTICS: COL-5, COL-7, COL-10
#[test]
fn what_is_withdrawn_is_sent_otherwise() {
    for size in SIZES {
        let case = Case::on::<Late>("offers", None);
        let (made, accepted) = rounds(&case, size);
        assert!(0 < accepted && accepted < made, "{size} ranks: {accepted} of {made}");
    }
}
