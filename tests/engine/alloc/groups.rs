//! Groups that are made and dropped, over and over, leave nothing behind and cost the same each time.
//!
//! Counted are the bytes that the ranks have asked for and not given back, all together, and how often
//! they ask. 4,000 rounds in each case, and with `RUNAHEAD_TESTS=gate` 20,000.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::yield_now;
use std::time::Duration;

use super::counting::{allocations, live_bytes};
use runahead::internals::message::SIGNAL;
use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::verbs::Nic;
use runahead::launch::run_on;
use runahead::{Comm, Config, HostNic, Launch, Result};
use runahead_testkit::effort::bound;

/// Rounds before the first count, and how often the bytes are counted after these.
const WARM_UP: u64 = 1000;
const INTERVALS: usize = 5;

pub(super) fn rounds() -> u64 {
    bound([4_000, 20_000, 100_000])
}

/// What all ranks have asked for and not given back, at the border of each two intervals, and how often
/// they asked in the first interval and in the last.
#[derive(Debug)]
pub(super) struct Counts {
    live: [i64; INTERVALS + 1],
    allocations: [u64; 2],
}

/// Where all ranks meet outside the runtime. Who waits makes progress: another may still have to ask it
/// for a signal that was lost.
struct Gate {
    size: usize,
    come: AtomicUsize,
}

impl Gate {
    fn pass<N: Nic>(&self, world: &Comm<N>) -> Result<()> {
        let before = self.come.fetch_add(1, Ordering::SeqCst);
        let all = (before / self.size + 1) * self.size;
        while self.come.load(Ordering::SeqCst) < all {
            world.progress()?;
            yield_now();
        }
        Ok(())
    }
}

/// Counts over all ranks, at moments at which nothing is under way.
pub(super) fn counts<N: Nic>(
    nics: Vec<N>,
    config: &Config,
    rounds: u64,
    round: impl Fn(&Comm<N>, u64) -> Result<()> + Sync,
) -> Counts {
    let gate = Gate { size: nics.len(), come: AtomicUsize::new(0) };
    let each = run_on(nics, config, |world| {
        let quiet = |number: u64| -> Result<i64> {
            // Twice: what the first left to be done, the second does.
            world.barrier()?.wait()?;
            world.barrier()?.wait()?;
            gate.pass(world)?;
            let live = live_bytes();
            gate.pass(world)?;
            round(world, number).map(|()| live)
        };
        let run = |from: u64, to: u64| (from..to).try_for_each(|number| round(world, number));
        run(0, WARM_UP)?;
        let each = (rounds - WARM_UP) / INTERVALS as u64;
        let mut live = [quiet(WARM_UP)?; INTERVALS + 1];
        let mut counted = [0; INTERVALS];
        for interval in 0..INTERVALS {
            let from = WARM_UP + interval as u64 * each;
            let mut ran = Ok(());
            counted[interval] = allocations(|| ran = run(from, from + each));
            ran?;
            live[interval + 1] = quiet(from + each)?;
        }
        Ok((live, [counted[0], counted[INTERVALS - 1]]))
    });
    let each = each.expect("the rounds go well");
    let sum = |which: usize| each.iter().map(|(live, _)| live[which]).sum();
    let all = |which: usize| each.iter().map(|(_, counts)| counts[which]).sum();
    Counts { live: std::array::from_fn(sum), allocations: [all(0), all(1)] }
}

pub(super) fn host(config: &Config, size: usize) -> Vec<HostNic> {
    Launch::new(size).options(config.clone()).connect().expect("a network of threads")
}

fn lossy(config: &Config, size: usize) -> Vec<Fault<HostNic>> {
    let plan = FaultPlan {
        seed: 5,
        lossy: vec![SIGNAL],
        drop_per_mille: 30,
        duplicate_per_mille: 150,
        max_delay_ticks: 3,
        ..FaultPlan::default()
    };
    host(config, size).into_iter().map(|nic| Fault::new(nic, plan.clone())).collect()
}

/// What an ordinary interval may leave behind, beside an eighth of a byte in each round.
pub(super) const SLACK_BYTES: i64 = 512;

/// Where signals are lost, who does not run for a while is asked meanwhile, and the asking waits in queues.
const LOSSY_SLACK_BYTES: i64 = 2048;

/// What all intervals together may leave behind, likewise.
const TOTAL_SLACK_BYTES: i64 = 16_384;

/// A leak leaves something in every interval, so the interval that left least decides. A queue is as long as
/// the schedule of the threads makes it: it may double late, by thousands of bytes, and three queues in three
/// intervals. All together they reach an end (91,419 bytes in each of six runs of 100,000 rounds, or less).
/// What goes into a list that grows shows in few intervals, and in the total.
pub(super) fn check_live(counts: &Counts, rounds: u64, slack_bytes: i64) {
    println!("{counts:?} in {rounds} rounds");
    let grown = counts.live.windows(2).map(|pair| pair[1] - pair[0]);
    let least = grown.min().expect("there are several intervals");
    let each = (rounds - WARM_UP) as i64 / INTERVALS as i64;
    assert!(
        least <= slack_bytes + each / 8,
        "at least {least} bytes more after each {each} rounds: {counts:?}"
    );
    let total = counts.live[INTERVALS] - counts.live[0];
    assert!(total <= TOTAL_SLACK_BYTES + rounds as i64 / 8, "{total} bytes more: {counts:?}");
}

/// Late rounds ask for memory as often as early ones, or an eighth more. That holds only where no signal is
/// lost: else it depends on what was lost, and on how long who has the answer did not run.
fn check_allocations(counts: &Counts) {
    let [first, last] = counts.allocations;
    assert!(last <= first + first / 8, "a round costs more than it did: {counts:?}");
}

#[test]
fn groups_leave_nothing_behind() {
    let (config, rounds) = (Config::new(3), rounds());
    let made = counts(host(&config, 3), &config, rounds, |world, number| {
        drop(world.split(world.rank() as u32 % 2, number as i64)?);
        Ok(())
    });
    check_live(&made, rounds, SLACK_BYTES);
    check_allocations(&made);
    let open = counts(host(&config, 3), &config, rounds, |world, _| {
        let group = world.split(0, -(world.rank() as i64))?;
        // Never received, and a barrier that is open.
        group.isend((group.rank() + 1) % 3, 1, &[7u64])?;
        group.barrier()?;
        Ok(())
    });
    check_live(&open, rounds, SLACK_BYTES);
    check_allocations(&open);
}

#[test]
fn groups_leave_nothing_behind_where_signals_are_lost() {
    let rounds = 2 * WARM_UP + rounds() / 20;
    check_live(&lossy_rounds(rounds, || ()), rounds, LOSSY_SLACK_BYTES);
}

fn lossy_rounds(rounds: u64, leave: impl Fn() + Sync) -> Counts {
    let config = Config { resend_after: Duration::from_micros(30), ..Config::new(2) };
    counts(lossy(&config, 2), &config, rounds, |world, _| {
        let group = world.dup()?;
        group.barrier()?;
        drop(group);
        drop(world.group(&[world.rank()])?);
        leave();
        Ok(())
    })
}

/// A planted leak: one word in each round.
#[test]
fn a_leak_is_found_where_signals_are_lost() {
    let rounds = 3 * WARM_UP;
    let leaking = lossy_rounds(rounds, || std::mem::forget(std::hint::black_box(Box::new(1u64))));
    let found = std::panic::catch_unwind(|| check_live(&leaking, rounds, LOSSY_SLACK_BYTES));
    assert!(found.is_err(), "{leaking:?}");
}

/// A planted leak: one byte in each round.
#[test]
fn a_leak_is_found() {
    let (config, rounds) = (Config::new(2), 4 * WARM_UP);
    let leaking = counts(host(&config, 2), &config, rounds, |world, _| {
        std::mem::forget(std::hint::black_box(Box::new(1u8)));
        drop(world.dup()?);
        Ok(())
    });
    let found = std::panic::catch_unwind(|| check_live(&leaking, rounds, SLACK_BYTES));
    assert!(found.is_err(), "{leaking:?}");
}

/// A planted leak: a list of each rank that grows by one word in each round.
#[test]
fn a_list_that_grows_is_found() {
    thread_local!(static LIST: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) });
    let (config, rounds) = (Config::new(3), 4 * WARM_UP);
    let leaking = counts(host(&config, 3), &config, rounds, |world, number| {
        LIST.with_borrow_mut(|list| list.push(number));
        drop(world.dup()?);
        Ok(())
    });
    let found = std::panic::catch_unwind(|| check_live(&leaking, rounds, SLACK_BYTES));
    assert!(found.is_err(), "{leaking:?}");
}

/// Planted growth: rounds that ask for memory the more often the more there were before.
#[test]
fn rounds_that_become_dearer_are_found() {
    let (config, rounds) = (Config::new(2), 4 * WARM_UP);
    let dearer = counts(host(&config, 2), &config, rounds, |world, number| {
        (0..number / 50).for_each(|it| drop(std::hint::black_box(Box::new(it))));
        drop(world.dup()?);
        Ok(())
    });
    let found = std::panic::catch_unwind(|| check_allocations(&dearer));
    assert!(found.is_err(), "{dearer:?}");
}

/// What queues that double leave behind is not taken for a leak, however much it is.
#[test]
fn queues_that_double_are_no_leak() {
    let seen = [
        [83_371, 83_371, 91_219, 91_219, 91_219, 91_219],
        [84_851, 86_371, 86_371, 87_459, 90_531, 90_531],
    ];
    for live in seen {
        check_live(&Counts { live, allocations: [1, 1] }, 4 * WARM_UP, SLACK_BYTES);
    }
}
