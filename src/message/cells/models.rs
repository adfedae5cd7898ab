//! Cells under every interleaving: nobody sleeps through the signal that it wants.
//!
//! The words are as the threads provider makes them; who is to sleep asks, and who signals looks, as the message
//! layer has them do. In hardware a device writes and reads the words, in the order in which it was told to, which
//! here a fence stands for. The planted faults show that the models notice.

#![cfg(all(test, loom))]

use std::convert::Infallible;

use loom::sync::Arc;
use loom::thread;

use super::*;
use crate::sys::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use crate::sys::thread::{Sleeper, park};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Who signals passes no fence.
    NoFence,
    /// Who signals looks for a want before it says what it has sent.
    LooksFirst,
    /// Who is to sleep asks what was sent before it says what it wants.
    AsksFirst,
    /// Who is to sleep does not ask.
    AsksNobody,
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
        // Pairs with the swap in `sleep`. (Of a store loom does not know that it comes after the swap which took the
        // one before it.)
        self.news.swap(true, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        if self.sleeping.swap(false, Ordering::AcqRel) {
            self.sleeper.wake();
        }
    }

    /// Returns whether it was woken, or did not sleep. (Loom does not survive a deadlock that is expected, so one who
    /// would sleep comes to its end instead where `parks` says so.)
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

    fn put(&mut self, to: Rank, word: usize, value: u64, aloud: bool) -> Result<bool, Infallible> {
        // Pairs with the loads below.
        self.job.words[to][word].store(value, Ordering::Release);
        if self.job.fault != Fault::NoFence || to != self.rank {
            fence(Ordering::SeqCst);
        }
        if aloud {
            self.job.bells[to].ring_news();
        }
        Ok(true)
    }

    fn read(&self, _: Rank, word: usize) -> Result<u64, Infallible> {
        // Pairs with the store above.
        Ok(self.job.words[self.rank][word].load(Ordering::Acquire))
    }

    fn fetch(&mut self, from: Rank, word: usize) -> Result<Fetched, Infallible> {
        fence(Ordering::SeqCst);
        // Pairs with the store above.
        Ok(Fetched::Word(self.job.words[from][word].load(Ordering::Acquire)))
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
        cells.join(0, GROUP);
        Member { job: Arc::clone(job), cells, rank }
    }

    fn signal(&mut self, epoch: u64) {
        let job = Arc::clone(&self.job);
        let mut memory = Memory { job: &job, rank: self.rank };
        let to = 1 - self.rank;
        if job.fault == Fault::LooksFirst {
            let Ok(want) = memory.read(to, LAYOUT.want(0, to));
            let Ok(_) = memory.put(self.rank, LAYOUT.sent(0, to), word(epoch), false);
            let aloud = reaches(word(epoch), want);
            let Ok(_) = memory.put(to, LAYOUT.cell(0, self.rank), word(epoch), aloud);
        } else {
            let Ok(_) = self.cells.put(&mut memory, 0, to, word(epoch));
        }
    }

    /// Waits as the message layer does. Returns whether the signal came.
    fn wait(&mut self, epoch: u64) -> bool {
        let job = Arc::clone(&self.job);
        let mut memory = Memory { job: &job, rank: self.rank };
        let from = 1 - self.rank;
        loop {
            let Ok(seen) = memory.read(from, LAYOUT.cell(0, from));
            if reaches(seen, word(epoch)) {
                return true;
            }
            let sleep = match job.fault {
                Fault::AsksFirst => {
                    let Ok(sent) = memory.fetch(from, LAYOUT.sent(0, self.rank));
                    let Ok(_) = memory.put(from, LAYOUT.want(0, self.rank), word(epoch), false);
                    let is_sent = matches!(sent, Fetched::Word(sent) if reaches(sent, word(epoch)));
                    if is_sent { Sleep::Short } else { Sleep::Long }
                }
                Fault::AsksNobody => {
                    let Ok(_) = memory.put(from, LAYOUT.want(0, self.rank), word(epoch), false);
                    Sleep::Long
                }
                _ => {
                    let Ok(sleep) = self.cells.ask(&mut memory, 0, from, word(epoch));
                    sleep
                }
            };
            match sleep {
                // Time passes.
                Sleep::Short | Sleep::Unsure => thread::yield_now(),
                Sleep::Long if !job.bells[self.rank].sleep(job.parks) => return false,
                Sleep::Long => {}
            }
        }
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

fn signals(member: &mut Member) {
    member.signal(1);
}

fn signals_two(member: &mut Member) {
    member.signal(1);
    member.signal(2);
}

/// As one that had no time to signal in between.
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
fn cells_that_look_for_wants_first_are_noticed() {
    model(Fault::LooksFirst, false, 3, [waits, signals]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn cells_that_are_asked_before_the_want_are_noticed() {
    model(Fault::AsksFirst, false, 3, [waits, signals]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn cells_that_are_not_asked_are_noticed() {
    model(Fault::AsksNobody, false, 3, [waits, signals]);
}
