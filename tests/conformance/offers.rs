//! Long parts that their receivers read in the memory of their senders, or that are withdrawn and sent otherwise: what
//! comes out is the same.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::provider::shm::{self, ShmNic};
use runahead::{CollectiveError, Config, Error, Launch, MessageError, Notify, Result, ops};
use runahead_testkit::data::{counting, progression, spoil};
use runahead_testkit::effort::bound;

use crate::harness::{Case, Gate, Host, Provider, Step, World};

/// So many elements are offered, of whatever length.
const LONG: usize = 40_000;

/// The sizes in which there is no room. Each rank compares what all give each other.
fn sizes() -> &'static [usize] {
    bound([&[2, 3, 5][..], &[2, 3, 5, 8], &[2, 3, 5, 8]])
}

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

    // Those who allocate have a place for what is as long as theirs.
    step.to(format!("all_gather of both forms {round}"));
    let mut given = part(rank, 0, round);
    match (rank + round).is_multiple_of(2) {
        true => got = world.all_gather(&given)?.into_data(),
        false => world.all_gather_into(&given, &mut got)?,
    }
    spoil(&mut given);
    assert!(got == all, "all_gather of both forms, round {round}");

    step.to(format!("all_gather of several lengths {round}"));
    let count = |rank: usize| if rank == round % size { LONG } else { LONG - rank };
    let mut given = part(rank, 0, round)[..count(rank)].to_vec();
    let parts = world.all_gather(&given)?;
    spoil(&mut given);
    for from in 0..size {
        assert!(
            parts[from] == part(from, 0, round)[..count(from)],
            "round {round}, part of {from}"
        );
    }

    step.to(format!("all_reduce {round}"));
    let mut sums = progression((rank + round) as u64, 1, size * LONG);
    world.all_reduce_in_place(&mut sums, ops::sum)?;
    // The sum of what all ranks have there.
    let first = (0..size).map(|rank| (rank + round) as u64).sum();
    assert!(sums == progression(first, size as u64, size * LONG), "all_reduce, round {round}");
    Ok(())
}

/// Returns how many offers were made, and how many accepted.
fn rounds(case: &Case, size: usize, set: fn(&mut Config)) -> (u64, u64) {
    let mut config = case.config(size);
    set(&mut config);
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

/// Nothing long goes at once.
fn no_room(config: &mut Config) {
    config.heap_bytes = 1 << 20;
}

/// All goes at once, and nobody wants the core of another.
fn own_cores(config: &mut Config) {
    config.notify = Notify::SpinThenBlock;
}

/// The sizes in which all offer for want of room, and those in which they do since they have cores.
fn who_offer() -> impl Iterator<Item = (usize, fn(&mut Config))> {
    let no_room = sizes().iter().map(|&size| (size, no_room as fn(&mut Config)));
    let own_cores = [2, 3, 4].map(|size| (size, own_cores as fn(&mut Config)));
    no_room.chain(own_cores)
}

/// What is offered comes as it was when it was given, whether it is read or not. (Planted: a rank without a place for what
/// it is offered, which takes that for an error.)
/// SEMANTICS: COL-5, COL-7, COL-10
#[test]
fn offered_parts_are_those_that_were_given() {
    for (size, set) in who_offer() {
        let case = Case::on::<Host>("offers", None);
        let (made, accepted) = rounds(&case, size, set);
        assert!(accepted > 0 && accepted <= made, "{size} ranks: {accepted} of {made}");
    }
    // A group of one has nobody to offer anything, and in a larger one too many would wait.
    for size in [1, 5] {
        let case = Case::on::<Host>("offers", None);
        assert_eq!(rounds(&case, size, own_cores), (0, 0), "{size} ranks");
    }
}

/// The same where every third offer is missed: all the same comes, and nobody waits for ever. (Planted: a receiver that
/// uses what it could not read; ranks that wait for parts that they have missed, and withdraw nothing meanwhile.)
/// SEMANTICS: COL-5, COL-7, COL-10
#[test]
fn what_is_withdrawn_is_sent_otherwise() {
    for (size, set) in who_offer() {
        let case = Case::on::<Late>("offers", None);
        let (made, accepted) = rounds(&case, size, set);
        assert!(0 < accepted && accepted < made, "{size} ranks: {accepted} of {made}");
    }
}

/// A rank whose core another wants offers nothing that goes at once: it would keep that one from it while it waits.
/// SEMANTICS: COL-10
#[test]
fn who_shares_a_core_copies_what_goes_at_once() {
    let case = Case::on::<Host>("offers", None);
    assert_eq!(rounds(&case, 3, |config| config.notify = Notify::Yield), (0, 0));
}

/// Blocks that are longer are copied first. Then some calls offer them and some copy, the same ones at all ranks. From then on
/// each goes by what took less: the first rank, for which the other stays away where both copy, offers. (Planted: a rank that
/// never tries; one that forgets what it has tried.)
/// SEMANTICS: COL-5, COL-10
#[test]
fn longer_blocks_are_tried_both_ways() {
    const LONGER: usize = 80_000;
    let case = Case::on::<Host>("offers", None);
    let mut config = case.config(2);
    own_cores(&mut config);
    let (entered, longest) = (Gate::new(), Mutex::new(Duration::ZERO));
    case.run_with(&config, 2, |world, step: &Step| {
        let rank = world.rank();
        let mut called = 0;
        let mut calls = |count: usize| -> Result<u64> {
            let before = world.stats()?.offers;
            for _ in 0..count {
                called += 1;
                step.to(format!("call {called}"));
                if (12..=14).contains(&called) {
                    match rank {
                        0 => entered.arrive(),
                        _ => {
                            entered.wait_computing(called - 11);
                            std::thread::sleep(
                                Duration::from_millis(50) + 10 * *longest.lock().unwrap(),
                            );
                        }
                    }
                }
                let began = Instant::now();
                let of = |rank: usize| counting((rank * 1_000_003 + called * 101) as u32, LONGER);
                let (mut given, mut got) = (of(rank), vec![0; 2 * LONGER]);
                world.all_gather_into(&given, &mut got)?;
                spoil(&mut given);
                if rank == 0 && called <= 11 {
                    let mut longest = longest.lock().unwrap();
                    *longest = began.elapsed().max(*longest);
                }
                assert!(got == [of(0), of(1)].concat(), "call {called}");
            }
            Ok(world.stats()?.offers - before)
        };
        assert_eq!((calls(8)?, calls(3)?, calls(3)?), (0, 3, 0));
        let offers = calls(10)?;
        // The other may hold either for better, and all its calls go that way.
        assert!(offers == 10 || rank == 1 && offers == 0, "{offers} offers");
        world.barrier()?.wait()
    });
}

/// What travels with the word of its call is not offered: nothing would be left to send otherwise. (Planted: it is.)
/// SEMANTICS: COL-10
#[test]
fn what_travels_with_its_word_is_not_offered() {
    let case = Case::on::<Late>("offers", None);
    let made = rounds(&case, 3, |config| {
        own_cores(config);
        config.eager_bytes = 4 * LONG + 64;
    });
    assert_eq!(made, (0, 0));
}

/// A rank that gives less than another has no place for what that one offers. Where it has to give as much, both are told so.
/// Where it need not, it gets a copy, and the other is told.
/// SEMANTICS: COL-4, COL-10
#[test]
fn who_gives_less_takes_no_offer() {
    // Of as many bytes as say where something is offered; of a length that is not offered; and of one that is.
    for (count, into) in
        [3, 1000, 15_000].into_iter().flat_map(|count| [(count, true), (count, false)])
    {
        let case = Case::on::<Host>("offers", None);
        let mut config = case.config(2);
        own_cores(&mut config);
        case.run_with(&config, 2, |world, step: &Step| {
            step.to(format!("{count} elements, {into}"));
            let rank = world.rank();
            // Else they do not know yet that they can read each other.
            world.all_gather_into(&part(rank, 0, 0), &mut vec![0; 2 * LONG])?;
            let count = if rank == 0 { LONG } else { count };
            let given = part(rank, 0, 1)[..count].to_vec();
            let outcome = match into || rank == 0 {
                true => world.all_gather_into(&given, &mut vec![0; 2 * count]),
                false => {
                    let parts = world.all_gather(&given)?;
                    assert!(parts[0] == part(0, 0, 1)[..] && parts[1] == given[..]);
                    return Ok(());
                }
            };
            match outcome {
                Err(Error::Collective(CollectiveError::Mismatch { from, .. })) => {
                    assert_eq!(from, 1 - rank);
                }
                other => panic!("{other:?}"),
            }
            // What it has posted leaves while it is there.
            std::thread::sleep(Duration::from_millis(20));
            Ok(())
        });
    }
}

/// A rank that fails in the call, since another has ended, leaves copies of what it had offered: one that could not read that
/// waits for it, and not for the one that has gone. (Planted: a rank that leaves its call by the error at once.)
/// SEMANTICS: COL-5, COL-10, END-2
#[test]
fn who_fails_leaves_copies_of_what_it_has_offered() {
    // Some have rank 1 miss what rank 0 offers, in the last call.
    for rounds in 1..=3 {
        let case = Case::on::<Late>("offers", None);
        let mut config = case.config(3);
        own_cores(&mut config);
        case.run_with(&config, 3, |world, step: &Step| {
            let rank = world.rank();
            let given: Vec<u32> = (0..3).flat_map(|to| part(rank, to, 0)).collect();
            let mut got = vec![0; 3 * LONG];
            for _ in 0..rounds {
                world.all_to_all_into(&given, &mut got)?;
            }
            if rank == 2 {
                // Until the others are in their calls, mostly.
                std::thread::sleep(Duration::from_millis(20));
                return Ok(());
            }
            step.to(format!("without the last, {rounds}"));
            match world.all_to_all_into(&given, &mut got) {
                Err(Error::Message(MessageError::PeerEnded { rank: 2, .. })) => {}
                other => panic!("{other:?}"),
            }
            // It is not gone yet: who waits for it waits for so long.
            std::thread::sleep(Duration::from_millis(50));
            Ok(())
        });
    }
}
