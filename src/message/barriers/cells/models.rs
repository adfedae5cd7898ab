//! Cells under every interleaving: nobody sleeps through the signal that it lacks.
//!
//! The words are as the threads provider makes them. A rank that is to sleep sets its flag and
//! looks once more, and a rank that signals looks at the flag, as the message layer has them do.
//! Here a nap never ends, so the models show that the flag suffices where ranks share memory. In
//! hardware a device writes the words, in the order in which it was told to; there a word and a
//! flag may cross, and the nap ends. The planted faults show that the models notice.

#![cfg(all(test, loom))]

use std::convert::Infallible;

use loom::sync::Arc;
use loom::thread;

use super::*;
use crate::order::written::{Said, read};
use crate::sys::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use crate::sys::thread::{Sleeper, park};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// A rank that signals passes no fence.
    NoFence,
    /// A rank that signals looks at the flag before it puts the word, and not after.
    LooksFirst,
    /// A rank that is to sleep looks once more before it sets its flag.
    SetsLate,
    /// A rank that is to sleep sets no flag.
    SetsNone,
    /// A rank that signals clears the flag after it has put the word.
    ClearsLate,
}

const GROUP: GroupId = GroupId(5);
const SIZE: usize = 2;
const LAYOUT: Layout = Layout { size: SIZE, places: 1 };

/// As the doorbells of the providers, for news.
struct Bell {
    news: AtomicBool,
    sleeping: AtomicBool,
    sleeper: Sleeper,
}

impl Bell {
    fn new() -> Bell {
        let (news, sleeping) = (AtomicBool::new(false), AtomicBool::new(false));
        Bell { news, sleeping, sleeper: Sleeper::new() }
    }

    fn ring_news(&self) {
        // Pairs with the swap in `sleep`. (Of a store loom does not know that it comes after the
        // swap which took the one before it.)
        self.news.swap(true, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        if self.sleeping.swap(false, Ordering::AcqRel) {
            self.sleeper.wake();
        }
    }

    /// Returns whether it was woken, or did not sleep. (Loom does not survive a deadlock that is
    /// expected, so one who would sleep comes to its end instead where `parks` says so.)
    fn sleep(&self, parks: bool) -> bool {
        self.sleeper.enlist();
        self.sleeping.swap(true, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        if !self.news.swap(false, Ordering::AcqRel) {
            if !parks {
                return false;
            }
            park(None);
        }
        self.sleeping.store(false, Ordering::Relaxed);
        true
    }
}

struct Job {
    /// Of each rank.
    words: Vec<Vec<AtomicU64>>,
    bells: Vec<Bell>,
    fault: Fault,
    parks: bool,
}

/// The words as one rank puts them.
struct Memory<'j> {
    job: &'j Job,
    rank: Rank,
}

impl Puts for Memory<'_> {
    type Error = Infallible;

    fn put(
        &mut self,
        to: Rank,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, Infallible> {
        // Pairs with the load below.
        self.job.words[to][word].store(value, Ordering::Release);
        if self.job.fault != Fault::NoFence {
            fence(Ordering::SeqCst);
        }
        if mode.wakes() {
            self.job.bells[to].ring_news();
        }
        Ok(true)
    }

    fn read(&self, _: Rank, word: usize) -> Result<u64, Infallible> {
        // Pairs with the store above.
        Ok(self.job.words[self.rank][word].load(Ordering::Acquire))
    }
}

struct Member {
    job: Arc<Job>,
    cells: Cells,
    rank: Rank,
}

fn word(epoch: u64) -> u64 {
    word_of(GROUP, epoch, 0)
}

impl Member {
    fn new(job: &Arc<Job>, rank: Rank) -> Member {
        let mut cells = Cells::laid_out(LAYOUT, rank, RegionKey(0));
        cells.join(0, GROUP, &[0, 1]);
        Member { job: Arc::clone(job), cells, rank }
    }

    fn signal(&mut self, epoch: u64) {
        let job = Arc::clone(&self.job);
        let mut memory = Memory { job: &job, rank: self.rank };
        let to = 1 - self.rank;
        let (cell, asleep) = (LAYOUT.cell(0, self.rank), LAYOUT.asleep(to));
        match job.fault {
            Fault::LooksFirst => {
                let Ok(flag) = memory.read(to, asleep);
                let mode = if flag == 0 { PutMode::Silent } else { PutMode::Immediate };
                let Ok(_) = memory.put(to, cell, word(epoch), mode);
            }
            Fault::ClearsLate => {
                let Ok(_) = memory.put(to, cell, word(epoch), PutMode::Silent);
                let Ok(flag) = memory.read(to, asleep);
                if flag != 0 {
                    let Ok(_) = memory.put(to, cell, word(epoch), PutMode::Immediate);
                    let Ok(_) = memory.put(self.rank, asleep, 0, PutMode::Silent);
                }
            }
            _ => {
                let Ok(_) = self.cells.put(&mut memory, 0, to, word(epoch));
            }
        }
    }

    fn has_come(&self, epoch: u64) -> bool {
        let from = 1 - self.rank;
        let Ok(seen) = Memory { job: &self.job, rank: self.rank }.read(from, LAYOUT.cell(0, from));
        matches!(read(seen, GROUP, epoch, 0), Said::Reached { epoch: said, .. } if said >= epoch)
    }

    /// Waits as the message layer does, with a nap that never ends. Returns whether the signal
    /// came.
    fn wait(&mut self, epoch: u64) -> bool {
        let job = Arc::clone(&self.job);
        let mut memory = Memory { job: &job, rank: self.rank };
        let from = 1 - self.rank;
        while !self.has_come(epoch) {
            if job.fault != Fault::SetsLate && job.fault != Fault::SetsNone {
                let Ok(()) = self.cells.set_asleep(&mut memory, from);
            }
            let came = self.has_come(epoch);
            if job.fault == Fault::SetsLate {
                let Ok(()) = self.cells.set_asleep(&mut memory, from);
            }
            if !came && !job.bells[self.rank].sleep(job.parks) {
                return false;
            }
        }
        true
    }
}

/// Each of two ranks runs its program.
fn model(fault: Fault, parks: bool, bound: usize, programs: [fn(&mut Member); SIZE]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(bound);
    model.check(move || {
        let words = || (0..LAYOUT.words()).map(|_| AtomicU64::new(0)).collect();
        let job = Arc::new(Job {
            words: (0..SIZE).map(|_| words()).collect(),
            bells: (0..SIZE).map(|_| Bell::new()).collect(),
            fault,
            parks,
        });
        let start = |(rank, program): (Rank, fn(&mut Member))| {
            let mut member = Member::new(&job, rank);
            thread::spawn(move || program(&mut member))
        };
        for thread in programs.into_iter().enumerate().map(start).collect::<Vec<_>>() {
            thread.join().unwrap();
        }
        for bell in &job.bells {
            let sleeps = bell.sleeping.load(Ordering::Acquire);
            assert!(!sleeps, "somebody sleeps for ever");
        }
    });
}

fn waits(member: &mut Member) {
    member.wait(1);
}

fn waits_for_two(member: &mut Member) {
    if member.wait(1) {
        member.wait(2);
    }
}

/// Sleeps again after the first.
fn waits_for_the_second(member: &mut Member) {
    if member.wait(1) {
        member.wait(2);
    }
}

fn signals(member: &mut Member) {
    member.signal(1);
}

fn signals_two(member: &mut Member) {
    member.signal(1);
    member.signal(2);
}

/// As a rank that had no time to signal in between.
fn signals_the_second(member: &mut Member) {
    member.signal(2);
}

fn meets(member: &mut Member) {
    member.signal(1);
    member.wait(1);
}

// SEMANTICS: BAR-4
#[test]
fn cells_wake_who_sleeps_for_one() {
    model(Fault::None, true, 4, [waits, signals]);
    model(Fault::None, true, 4, [waits, signals_the_second]);
}

// SEMANTICS: BAR-3 BAR-4
#[test]
fn cells_wake_who_sleeps_for_one_after_the_other() {
    model(Fault::None, true, 3, [waits_for_two, signals_two]);
}

// SEMANTICS: BAR-4
#[test]
fn cells_wake_both_of_two() {
    model(Fault::None, true, 3, [meets, meets]);
}

#[test]
fn cells_let_nobody_sleep_for_ever() {
    model(Fault::None, false, 3, [waits, signals]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn cells_without_a_fence_are_noticed() {
    model(Fault::NoFence, false, 3, [waits, signals]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn cells_whose_flag_is_looked_at_first_are_noticed() {
    model(Fault::LooksFirst, false, 3, [waits, signals]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn cells_whose_flag_is_set_late_are_noticed() {
    model(Fault::SetsLate, false, 3, [waits, signals]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn cells_whose_flag_is_forgotten_are_noticed() {
    model(Fault::SetsNone, false, 3, [waits, signals]);
}

/// The sleeper has set its flag for the second signal when the first one clears it.
#[test]
#[should_panic(expected = "sleeps for ever")]
fn cells_whose_flag_is_cleared_late_are_noticed() {
    model(Fault::ClearsLate, false, 4, [waits_for_the_second, signals_two]);
}
