//! The board under every interleaving: no rank sleeps through the barrier that it waits for.
//!
//! The words are as the providers make them (a store with release and a fence, a load with
//! acquire), and the sleep as a doorbell is: a mark, a fence, a last look. The planted faults show
//! that the models notice.
//!
//! Two ranks of which one only enters: all schedules. Else those of up to so many preemptions as
//! the test says, 4 for two ranks that both sleep, 2 for three of which one only enters, 1 for
//! three that all sleep (more takes minutes). A wake-up is lost by one stop between two steps of
//! one rank; 1 is the least that could show it, so of three that all sleep nothing more complicated
//! is known.

#![cfg(all(test, loom))]

use loom::sync::Arc;
use loom::thread;

use super::*;
use crate::order::barrier::{Barrier, MemberWord};
use crate::order::hosts::{Target, Write};
use crate::sys::atomic::{AtomicBool, AtomicU64, Ordering, fence};
use crate::sys::thread::{Sleeper, park};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// A store passes no fence.
    NoFence,
    /// A rank that enters looks before it stores.
    LooksFirst,
    /// A rank that is to sleep says what it wants after its last look.
    WantsLate,
    /// A rank that joins stores the tag first.
    TagFirst,
    /// A rank that joins stores the completed epoch last.
    CompletedLast,
    /// A rank that enters says that all have.
    CompletesAlone,
}

/// The words of one place.
struct Memory {
    layout: Layout,
    epochs: Vec<AtomicU64>,
    /// None where all are members from the beginning.
    tags: Option<Vec<AtomicU64>>,
    wants: Vec<AtomicU64>,
    completed: Vec<AtomicU64>,
    fault: Fault,
}

impl Memory {
    fn new(size: usize, fault: Fault) -> Memory {
        let words = || (0..size).map(|_| AtomicU64::new(0)).collect();
        let (epochs, wants, completed) = (words(), words(), words());
        Memory { layout: Layout::new(size), epochs, tags: None, wants, completed, fault }
    }

    /// None for a tag that never changes.
    fn word(&self, word: usize) -> Option<&AtomicU64> {
        let of = |first: fn(Layout, Rank) -> usize| {
            (0..self.epochs.len()).find(|&rank| first(self.layout, rank) == word)
        };
        if let Some(rank) = of(|layout, rank| layout.epoch(0, rank)) {
            return Some(&self.epochs[rank]);
        }
        if let Some(rank) = of(Layout::wants) {
            return Some(&self.wants[rank]);
        }
        if let Some(rank) = of(|layout, rank| layout.completed(0, rank)) {
            return Some(&self.completed[rank]);
        }
        let rank = of(|layout, rank| layout.tag(0, rank)).expect("a word of the place");
        self.tags.as_ref().map(|tags| &tags[rank])
    }
}

impl Load for Memory {
    fn load(&self, word: usize) -> u64 {
        // Pairs with the store below.
        self.word(word).map_or(tag_of(GROUP), |word| word.load(Ordering::Acquire))
    }
}

impl Words for Memory {
    fn store(&self, word: usize, value: u64) {
        if let Some(word) = self.word(word) {
            // Pairs with the load above.
            word.store(value, Ordering::Release);
        }
        if self.fault != Fault::NoFence {
            // Pairs with itself, and with the fence in `Bell::sleep`.
            fence(Ordering::SeqCst);
        }
    }

    fn write_at(&self, _: Rank, _: usize, _: u64) -> bool {
        unreachable!("there is one host")
    }

    fn written_at(&self, _: Rank) -> Written {
        unreachable!("there is one host")
    }
}

/// As the doorbells of the providers.
struct Bell {
    sleeping: AtomicBool,
    sleeper: Sleeper,
    /// Whether sleepers really sleep; else they come to their end with the mark set, and whoever
    /// should have woken them has taken it away. (Loom does not survive a deadlock that is
    /// expected.)
    parks: bool,
}

impl Bell {
    fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.sleeping.swap(false, Ordering::AcqRel) {
            self.sleeper.wake();
        }
    }

    fn sleep(&self, ready: impl Fn() -> bool) {
        self.sleeper.enlist();
        self.sleeping.swap(true, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        if !ready() {
            if !self.parks {
                return;
            }
            park(None);
        }
        self.sleeping.store(false, Ordering::Relaxed);
    }
}

struct Job {
    memory: Memory,
    bells: Vec<Bell>,
}

const GROUP: GroupId = GroupId(7);

/// One rank of the job.
struct Member {
    job: Arc<Job>,
    board: Board,
    entered: Epoch,
}

impl Member {
    fn new(job: &Arc<Job>, rank: Rank) -> Member {
        let size = job.bells.len();
        let mut board = Board::new(rank, size);
        board.places.join(0, GROUP, &(0..size).collect::<Vec<_>>());
        Member { job: Arc::clone(job), board, entered: 0 }
    }

    /// As the message layer does it.
    fn enter(&mut self, epoch: Epoch) {
        let Job { memory, bells } = &*self.job;
        let before = std::mem::replace(&mut self.entered, epoch);
        let complete = || {
            let mut reached = (before + 1..=epoch).rev();
            reached.find(|&epoch| self.board.has_reached(memory, 0, epoch))
        };
        let seen_before = if memory.fault == Fault::LooksFirst { complete() } else { None };
        self.board.publish(memory, 0, epoch);
        let seen = if memory.fault == Fault::LooksFirst { seen_before } else { complete() };
        let said = if memory.fault == Fault::CompletesAlone { Some(epoch) } else { seen };
        if let Some(complete) = said {
            self.board.publish_completed(memory, 0, complete);
        }
        if let Some(complete) = seen {
            self.board.wanting(memory, 0, complete).for_each(|rank| bells[rank].ring());
        }
    }

    fn wait(&mut self, epoch: Epoch, want: Want) {
        let job = Arc::clone(&self.job);
        let memory = &job.memory;
        while !self.board.has_reached(memory, 0, epoch) {
            let bell = &job.bells[self.board.rank];
            if memory.fault == Fault::WantsLate {
                let ready = self.board.has_reached(memory, 0, epoch);
                self.board.want(memory, want);
                bell.sleep(|| ready);
            } else {
                self.board.want(memory, want);
                bell.sleep(|| self.board.has_reached(memory, 0, epoch));
            }
            if !bell.parks {
                return;
            }
        }
    }
}

/// Each rank runs its program. Loom calls it a deadlock if one sleeps for ever. Ranks have threads
/// of their own, since in loom a late wake-up would end a `join` too.
fn model(bound: Option<usize>, programs: &'static [fn(&mut Member)]) {
    explore(Fault::None, true, bound, programs);
}

/// As `model`, of programs that sleep once at most and at their end. Panics if one would sleep for
/// ever.
fn sleep_at_the_end(fault: Fault, programs: &'static [fn(&mut Member)]) {
    explore(fault, false, Some(3), programs);
}

fn explore(fault: Fault, parks: bool, bound: Option<usize>, programs: &'static [fn(&mut Member)]) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = bound;
    model.check(move || {
        let sleeping = || AtomicBool::new(false);
        let bell = || Bell { sleeping: sleeping(), sleeper: Sleeper::new(), parks };
        let bells = programs.iter().map(|_| bell()).collect();
        let job = Arc::new(Job { memory: Memory::new(programs.len(), fault), bells });
        let start = |(rank, program): (Rank, &fn(&mut Member))| {
            let (mut member, program) = (Member::new(&job, rank), *program);
            thread::spawn(move || program(&mut member))
        };
        for thread in programs.iter().enumerate().map(start).collect::<Vec<_>>() {
            thread.join().unwrap();
        }
        for bell in &job.bells {
            let sleeps = bell.sleeping.load(Ordering::Acquire);
            assert!(!sleeps, "somebody sleeps for ever");
        }
    });
}

fn one_barrier(member: &mut Member) {
    member.enter(1);
    member.wait(1, Want::Epoch { place: 0, epoch: 1 });
}

fn one_barrier_of_any(member: &mut Member) {
    member.enter(1);
    member.wait(1, Want::Any);
}

/// Enters and is not seen again.
fn enters(member: &mut Member) {
    member.enter(1);
}

fn runs_ahead(member: &mut Member) {
    member.enter(1);
    member.enter(2);
    member.wait(2, Want::Epoch { place: 0, epoch: 2 });
}

fn waits_for_the_first_of_two(member: &mut Member) {
    member.enter(1);
    member.enter(2);
    member.wait(1, Want::Epoch { place: 0, epoch: 1 });
}

/// As one whose entries were deferred.
fn enters_both(member: &mut Member) {
    member.enter(2);
}

fn two_barriers(member: &mut Member) {
    member.enter(1);
    member.wait(1, Want::Epoch { place: 0, epoch: 1 });
    member.enter(2);
    member.wait(2, Want::Epoch { place: 0, epoch: 2 });
}

// SEMANTICS: BAR-4
#[test]
fn board_wakes_one_of_two() {
    model(None, &[one_barrier, enters]);
    model(Some(4), &[one_barrier, one_barrier_of_any]);
}

// SEMANTICS: BAR-4
#[test]
fn board_wakes_two_of_three() {
    model(Some(2), &[one_barrier, one_barrier, enters]);
    model(Some(1), &[one_barrier, one_barrier, one_barrier]);
}

// SEMANTICS: BAR-4
#[test]
fn board_wakes_for_the_epoch_that_is_wanted() {
    model(Some(2), &[runs_ahead, two_barriers]);
    model(Some(2), &[waits_for_the_first_of_two, enters_both]);
}

#[test]
fn board_lets_nobody_sleep_for_ever() {
    sleep_at_the_end(Fault::None, &[one_barrier, enters, enters]);
    sleep_at_the_end(Fault::None, &[one_barrier, one_barrier]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn board_without_a_fence_is_noticed() {
    sleep_at_the_end(Fault::NoFence, &[one_barrier, enters, enters]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn board_that_is_looked_at_first_is_noticed() {
    sleep_at_the_end(Fault::LooksFirst, &[one_barrier, one_barrier]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn board_with_late_wants_is_noticed() {
    sleep_at_the_end(Fault::WantsLate, &[one_barrier, enters]);
}

/// Two ranks enter; a third, which has entered before, looks at the completed epoch alone.
fn looked_up(fault: Fault) {
    fn looks(member: &mut Member) {
        let memory = &member.job.memory;
        let first = Word { place: 0, group: GROUP, rank: 0, cell: Cell::Complete, known: true };
        let said = member.board.read(memory, first).unwrap_or(0);
        let seen = |rank| member.board.read(memory, Word { rank, cell: Cell::Entered, ..first });
        assert!((0..2).all(|rank| seen(rank) >= Some(said)), "the completed epoch says too much");
    }
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let bell =
            || Bell { sleeping: AtomicBool::new(false), sleeper: Sleeper::new(), parks: false };
        let memory = Memory::new(3, fault);
        memory.epochs[2].store(2, Ordering::Relaxed);
        let job = Arc::new(Job { memory, bells: (0..3).map(|_| bell()).collect() });
        let programs: [fn(&mut Member); 2] = [
            |member| {
                member.enter(1);
                member.enter(2)
            },
            enters,
        ];
        let threads: Vec<_> = programs
            .into_iter()
            .enumerate()
            .map(|(rank, program)| {
                let mut member = Member::new(&job, rank);
                thread::spawn(move || program(&mut member))
            })
            .collect();
        looks(&mut Member::new(&job, 2));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

// SEMANTICS: BAR-1
#[test]
fn board_completed_epoch_says_nothing_that_is_not_so() {
    looked_up(Fault::None);
}

#[test]
#[should_panic(expected = "the completed epoch says too much")]
fn board_completed_epoch_of_one_is_noticed() {
    looked_up(Fault::CompletesAlone);
}

/// A place is taken over from a group that had come to epoch 9.
fn taken_over(fault: Fault) {
    loom::model(move || {
        let mut memory = Memory::new(2, fault);
        memory.epochs[1] = AtomicU64::new(9);
        memory.completed[1] = AtomicU64::new(9);
        memory.tags = Some((0..2).map(|_| AtomicU64::new(tag_of(GroupId(3)) | DONE)).collect());
        let memory = Arc::new(memory);
        let joins = {
            let memory = Arc::clone(&memory);
            thread::spawn(move || {
                let (layout, tag) = (memory.layout, tag_of(GROUP));
                match memory.fault {
                    Fault::TagFirst => {
                        memory.store(layout.tag(0, 1), tag);
                        memory.store(layout.epoch(0, 1), 0);
                    }
                    Fault::CompletedLast => {
                        memory.store(layout.epoch(0, 1), 0);
                        memory.store(layout.tag(0, 1), tag);
                        memory.store(layout.completed(0, 1), 0);
                    }
                    _ => Board::new(1, 2).join(&*memory, 0, GROUP, &[1, 0], 0),
                }
            })
        };
        let word = |cell| Word { place: 0, group: GROUP, rank: 1, cell, known: false };
        let board = Board::new(0, 2);
        for cell in [Cell::Complete, Cell::Entered] {
            let seen = board.read(&*memory, word(cell));
            assert!(seen.is_none_or(|epoch| epoch == 0), "{seen:?} is of the group before");
        }
        joins.join().unwrap();
    });
}

// SEMANTICS: BAR-1
#[test]
fn board_shows_nothing_of_the_group_before() {
    taken_over(Fault::None);
}

#[test]
#[should_panic(expected = "is of the group before")]
fn board_with_the_completed_epoch_last_is_noticed() {
    taken_over(Fault::CompletedLast);
}

#[test]
#[should_panic(expected = "is of the group before")]
fn board_with_the_tag_first_is_noticed() {
    taken_over(Fault::TagFirst);
}

/// The words of a host with two members of a group of three, and what they write to the third's
/// host. Nobody sleeps, so a provider leaves its fences out.
struct TwoOfThree {
    layout: Layout,
    epochs: [AtomicU64; 2],
    has_told: [AtomicU64; 2],
    /// What each has written there.
    there: [AtomicU64; 2],
}

impl TwoOfThree {
    fn word(&self, word: usize) -> Option<&AtomicU64> {
        let of = |rank: Rank| {
            let epoch = (self.layout.epoch(0, rank) == word).then_some(&self.epochs[rank]);
            epoch.or((self.layout.has_told(0, 0, rank) == word).then_some(&self.has_told[rank]))
        };
        of(0).or_else(|| of(1))
    }
}

impl Load for TwoOfThree {
    fn load(&self, word: usize) -> u64 {
        let is_tag = (0..3).any(|rank| self.layout.tag(0, rank) == word);
        let else_said = if is_tag { tag_of(GROUP) } else { 0 };
        // Pairs with the store below.
        self.word(word).map_or(else_said, |word| word.load(Ordering::Acquire))
    }
}

impl Words for TwoOfThree {
    fn store(&self, word: usize, value: u64) {
        if let Some(word) = self.word(word) {
            // Pairs with the load above.
            word.store(value, Ordering::Release);
        }
    }

    fn write_at(&self, _: Rank, word: usize, value: u64) -> bool {
        let rank = (0..2).find(|&rank| self.layout.cell(0, 0, rank) == word);
        if let Some(rank) = rank {
            self.there[rank].store(value, Ordering::Release);
        }
        true
    }

    fn written_at(&self, _: Rank) -> Written {
        Written::Arrived
    }
}

/// Two members of one host enter, look once and compute: one of them has told the other host, or
/// both. (Store buffering: without fences each could miss the other's word.)
fn last_to_enter(board_fences: bool) {
    loom::model(move || {
        let word = || AtomicU64::new(0);
        let pair = || [word(), word()];
        let layout = Layout::on_hosts(3, 2, 1);
        let (epochs, has_told, there) = (pair(), pair(), pair());
        let memory = Arc::new(TwoOfThree { layout, epochs, has_told, there });
        let enter = |rank: Rank| {
            let mut board = Board::on_hosts(rank, vec![0, 0, 1], |_| 1);
            board.join(&*memory, 0, GROUP, &[0, 1, 2], 0);
            let memory = Arc::clone(&memory);
            move || {
                match board_fences {
                    true => board.publish(&*memory, 0, 1),
                    false => memory.publish(board.layout.epoch(0, rank), 1),
                };
                let topology = board.topology(&[0, 1, 2]).expect("they are on several");
                let mut barriers = Barrier::on_hosts(rank, topology, 0);
                barriers.handle_enter();
                let load = |(rank, cell, known): MemberWord| {
                    board.read(&*memory, Word { place: 0, group: GROUP, rank, cell, known })
                };
                barriers.look(2, &load).expect("nobody enters more");
                if let Some(Write { to: Target::Round(round), epoch }) = barriers.poll_write() {
                    board.tell_hosts(&*memory, 0, (round, epoch));
                }
            }
        };
        let (one, mut other) = (enter(0), enter(1));
        let one = thread::spawn(one);
        other();
        one.join().unwrap();
        let told = memory.there.iter().any(|there| there.load(Ordering::Acquire) == 1);
        assert!(told, "nobody has told the other host");
    });
}

// SEMANTICS: BAR-4
#[test]
fn board_of_hosts_is_told_by_the_last_to_enter() {
    last_to_enter(true);
}

#[test]
#[should_panic(expected = "nobody has told the other host")]
fn board_of_hosts_without_a_fence_is_noticed() {
    last_to_enter(false);
}
