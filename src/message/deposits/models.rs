//! Deposits under every interleaving: what is read is whole and of the call, and no rank sleeps
//! through the deposits that it waits for.
//!
//! The words are as the providers make them (a store with release and a fence, a load with
//! acquire), and the sleep as a parker is: a mark, a fence, a last look. The planted faults show
//! that the models notice. Of two ranks all schedules of up to so many preemptions as a test says:
//! a wake-up is lost by one stop between two steps of one rank.

#![cfg(all(test, loom))]

mod areas;
mod late;
mod several;

use loom::sync::Arc;
use loom::thread;

use super::layout::RESTS;
use super::occupancy::Occupancy;
use super::*;
use crate::sys::atomic::{AtomicBool, AtomicU64, Ordering, fence};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// A store passes no fence.
    NoFence,
    /// A rank that deposits looks who sleeps before it does.
    LooksFirst,
    /// A rank that is to sleep says what it wants after its last look.
    WantsLate,
    /// What has come since the last look is taken for held.
    TakenForHeld,
    /// A slot is used again though it is not free.
    NotFree,
    /// A rank says that it has finished before it reads.
    FinishesEarly,
    /// A rank says that it has finished what is pending.
    FinishesPending,
    /// What a rank deposits does not say that something is pending.
    NotBehind,
    /// A rank looks which deposits lie there, or who is late, after it has judged.
    LooksLate,
    /// A rank that joins stores the tag first.
    TagFirst,
    /// A rank deposits for one that has yet to join.
    NotJoined,
}

const GROUP: GroupId = GroupId(7);
const INDEX: u64 = 1;
const AGAIN: u64 = INDEX + SLOTS as u64;
const AGAIN_AT_REST: u64 = INDEX + RESTS as u64;

/// The words that two or three ranks use for the calls `INDEX` and `AGAIN`, which share a slot, or
/// `AGAIN_AT_REST`, of which the rests share a place.
struct Memory {
    words: Vec<(usize, AtomicU64)>,
    fault: Fault,
}

fn layout(size: usize) -> Layout {
    Layout::behind(0, size, 1)
}

impl Memory {
    /// All are members from the beginning, under this tag.
    fn new(size: usize, tag: u64, fault: Fault) -> Memory {
        let layout = layout(size);
        let of = |rank| {
            let message = layout.message(0, rank, INDEX);
            [
                (layout.tag(0, rank), tag),
                (layout.finished(0, rank), 0),
                (layout.index(0, rank, INDEX), 0),
                (layout.stamp(0, rank, INDEX), 0),
                (message, 0),
                (layout.wants(rank), 0),
                (layout.wants(rank) + 1, 0),
            ]
        };
        Memory::of((0..size).flat_map(of), fault)
    }

    /// Of two ranks, of which one deposits what has a rest of one word.
    fn with_rest(fault: Fault) -> Memory {
        let layout = layout(2);
        let words = [
            (layout.tag(0, 1), tag_of(GROUP)),
            (layout.tag(0, 0), tag_of(GROUP)),
            (layout.finished(0, 1), 0),
            (layout.index(0, 0, INDEX), 0),
            (layout.stamp(0, 0, INDEX), 0),
            (layout.rest(0, 0, INDEX), 0),
        ];
        Memory::of(words.into_iter(), fault)
    }

    fn of(words: impl Iterator<Item = (usize, u64)>, fault: Fault) -> Memory {
        let words = words.map(|(word, value)| (word, AtomicU64::new(value)));
        Memory { words: words.collect(), fault }
    }

    fn word(&self, word: usize) -> Option<&AtomicU64> {
        self.words.iter().find(|&&(it, _)| it == word).map(|(_, place)| place)
    }
}

impl SharedWords for Memory {
    fn count(&self) -> usize {
        0
    }

    fn load(&self, word: usize) -> u64 {
        // Pairs with the store below. Other slots are never looked at.
        self.word(word).map_or(0, |place| place.load(Ordering::Acquire))
    }

    fn fill(&self, first: usize, values: &[u64]) {
        for (word, &value) in (first..).zip(values) {
            if let Some(place) = self.word(word) {
                // Pairs with the load above.
                place.store(value, Ordering::Release);
            }
        }
    }

    fn copy_into(&self, first: usize, values: &mut [u64]) {
        for (word, value) in (first..).zip(values) {
            // Behind the load of the index.
            *value = self.word(word).map_or(0, |place| place.load(Ordering::Relaxed));
        }
    }

    fn store(&self, word: usize, value: u64) {
        let Some(place) = self.word(word) else { return };
        // Pairs with the load above.
        place.store(value, Ordering::Release);
        if self.fault != Fault::NoFence {
            // Pairs with itself, and with the fence in `Bell::sleep`.
            fence(Ordering::SeqCst);
        }
    }
}

/// As the parkers of the providers, of a rank that sleeps once and at its end: whoever should have
/// woken it has taken the mark away. (Loom does not survive a deadlock that is expected.)
struct Bell(AtomicBool);

impl Bell {
    fn wake(&self) {
        fence(Ordering::SeqCst);
        self.0.swap(false, Ordering::AcqRel);
    }

    fn sleep(&self, ready: impl Fn() -> bool) {
        self.0.swap(true, Ordering::AcqRel);
        fence(Ordering::SeqCst);
        if ready() {
            self.0.store(false, Ordering::Relaxed);
        }
    }
}

struct Job {
    memory: Memory,
    bells: Vec<Bell>,
}

/// One rank of the job.
struct Member {
    job: Arc<Job>,
    deposits: Deposits,
    rank: Rank,
}

fn deposits(rank: Rank, size: usize) -> Deposits {
    let mut deposits = Deposits::with_places(layout(size), rank, 1);
    let members: Vec<Rank> = (0..size).collect();
    deposits.groups[0] = Some(Box::new(Joined::new(GROUP, &members, rank)));
    deposits
}

impl Job {
    fn others_of(&self, rank: Rank) -> MemberSet {
        MemberSet::below(self.bells.len()).without(MemberSet::only(rank))
    }
}

impl Member {
    fn others(&self) -> MemberSet {
        self.job.others_of(self.rank)
    }

    fn deposits(&mut self) {
        self.deposits_for(INDEX);
    }

    /// As the engine does it.
    fn deposits_for(&mut self, index: u64) {
        let Job { memory, bells } = &*self.job;
        let readers = self.others().into();
        let message = [self.rank as u8 + 1];
        let contents = Contents { head: &[], body: Body::Same(&message) };
        let looks = |deposits: &Deposits| deposits.wanting(memory, 0, (index, readers));
        let before = (memory.fault == Fault::LooksFirst).then(|| looks(&self.deposits));
        let outgoing = NewDeposit { index, stamp: 0, readers, contents };
        self.deposits.deposit(memory, 0, outgoing);
        let wanting = before.unwrap_or_else(|| looks(&self.deposits));
        wanting.into_iter().for_each(|rank| bells[rank].wake());
    }

    /// Looks whether a member of these has deposited for a later call, of which the rank tells instead of waiting.
    fn learns_that_one_never_comes(&mut self, all: MemberSet) -> bool {
        let memory = &self.job.memory;
        let judges = |deposits: &Deposits| {
            all.iter().map(|member| (member, INDEX)).any(|of| {
                let is_missing = deposits.stamp(memory, 0, of).is_none();
                is_missing && deposits.later(memory, 0, of, true).is_some()
            })
        };
        match memory.fault {
            Fault::LooksLate => {
                let is_late = judges(&self.deposits);
                self.deposits.look_for_late(memory);
                is_late
            }
            _ => {
                self.deposits.look_for_late(memory);
                judges(&self.deposits)
            }
        }
    }

    /// Sleeps until these have deposited, or until one that was missing has, which comes to the
    /// same here.
    fn waits(&mut self, all: MemberSet) {
        let job = Arc::clone(&self.job);
        let Job { memory, bells } = &*job;
        let is_there = |member| self.deposits.stamp(memory, 0, (member, INDEX)).is_some();
        if all.iter().all(is_there) {
            return;
        }
        let first = all.iter().find(|&member| !is_there(member));
        self.deposits.begin_wait(Awaited { place: 0, index: INDEX, first, all });
        if self.learns_that_one_never_comes(all) {
            return;
        }
        let is_held = |_, _| memory.fault == Fault::TakenForHeld;
        let (want, _) = self.deposits.want(memory, |_| false, is_held);
        let late = memory.fault == Fault::WantsLate;
        let seen = late && self.deposits.has_wanted(|word| memory.load(word), want);
        self.deposits.tell_want(memory, want);
        bells[self.rank].sleep(|| match late {
            true => seen,
            false => self.deposits.has_wanted(|word| memory.load(word), want),
        });
    }
}

/// Each rank runs its program. Panics if one would sleep for ever.
fn explore(fault: Fault, bound: usize, programs: &'static [fn(&mut Member)]) {
    explore_in(Memory::new, fault, bound, programs);
}

/// The same in this memory.
fn explore_in(
    memory: fn(usize, u64, Fault) -> Memory,
    fault: Fault,
    bound: usize,
    programs: &'static [fn(&mut Member)],
) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(bound);
    model.check(move || {
        let size = programs.len();
        let memory = memory(size, tag_of(GROUP), fault);
        let bells = programs.iter().map(|_| Bell(AtomicBool::new(false))).collect();
        let job = Arc::new(Job { memory, bells });
        let start = |(rank, program): (Rank, &fn(&mut Member))| {
            let job = Arc::clone(&job);
            let mut member = Member { job, deposits: deposits(rank, size), rank };
            let program = *program;
            thread::spawn(move || program(&mut member))
        };
        for thread in programs.iter().enumerate().map(start).collect::<Vec<_>>() {
            thread.join().unwrap();
        }
        for Bell(sleeping) in &job.bells {
            assert!(!sleeping.load(Ordering::Acquire), "somebody sleeps for ever");
        }
    });
}

fn all_gathers(member: &mut Member) {
    member.deposits();
    member.waits(member.others());
}

fn only_deposits(member: &mut Member) {
    member.deposits();
}

fn only_waits(member: &mut Member) {
    member.waits(member.others());
}

// SEMANTICS: COL-9
#[test]
fn deposits_wake_whoever_lacks_the_last_one() {
    explore(Fault::None, 3, &[all_gathers, all_gathers]);
    explore(Fault::None, 2, &[only_waits, only_deposits, only_deposits]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_without_a_fence_are_noticed() {
    explore(Fault::NoFence, 3, &[only_waits, only_deposits, only_deposits]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_after_the_look_are_noticed() {
    explore(Fault::LooksFirst, 3, &[all_gathers, all_gathers]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_with_late_wants_are_noticed() {
    explore(Fault::WantsLate, 3, &[only_waits, only_deposits]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_that_are_taken_for_held_are_noticed() {
    explore(Fault::TakenForHeld, 3, &[only_waits, only_deposits]);
}

/// Rank 0 deposits for a call and then, in the same room, for a later one, while rank 1 reads. The last
/// of `len` bytes says for which call they are.
fn reused(
    fault: Fault,
    (again, len): (u64, usize),
    memory: impl Fn() -> Memory + Send + Sync + 'static,
) {
    loom::model(move || {
        let memory = Arc::new(memory());
        let deposits_twice = {
            let memory = Arc::clone(&memory);
            thread::spawn(move || {
                let (mut own, readers) = (deposits(0, 2), Readers::only(0, 1));
                for (index, call) in [(INDEX, 1), (again, 2)] {
                    let mut message = vec![0; len];
                    message[len - 1] = call;
                    // Twice: the first time looks what all have finished.
                    let short = [(); 2].map(|()| own.is_short(0, (index, readers), len))[1];
                    let is_free = short || own.is_free(&*memory, 0, (index, readers), len);
                    if fault == Fault::NotFree {
                        own.at_mut(0).occupancy = Occupancy::NOTHING;
                    }
                    if is_free || fault == Fault::NotFree {
                        let contents = Contents { head: &[], body: Body::Same(&message) };
                        let outgoing = NewDeposit { index, stamp: index, readers, contents };
                        own.deposit(&*memory, 0, outgoing);
                    }
                }
            })
        };
        let (mut own, of) = (deposits(1, 2), (0, INDEX));
        if own.stamp(&*memory, 0, of).is_some() {
            if fault == Fault::FinishesEarly {
                own.handle_finished(&*memory, 0, INDEX);
            }
            let len = own.read(&*memory, 0, of).unwrap();
            assert_eq!(own.bytes(len).last(), Some(&1), "it is of another call");
            own.handle_finished(&*memory, 0, INDEX);
        }
        deposits_twice.join().unwrap();
    });
}

/// The same slot.
fn reused_slot(fault: Fault) {
    reused(fault, (AGAIN, 1), move || Memory::new(2, tag_of(GROUP), fault));
}

/// Another slot, and the same room for the rest.
fn reused_rest(fault: Fault) {
    reused(fault, (AGAIN_AT_REST, SHORT_WORDS * 8 + 1), move || Memory::with_rest(fault));
}

// SEMANTICS: COL-9
#[test]
fn deposits_do_not_change_while_they_are_read() {
    reused_slot(Fault::None);
    reused_rest(Fault::None);
}

#[test]
#[should_panic(expected = "it is of another call")]
fn deposits_in_a_slot_that_is_not_free_are_noticed() {
    reused_slot(Fault::NotFree);
}

#[test]
#[should_panic(expected = "it is of another call")]
fn deposits_with_a_rest_in_room_that_is_not_free_are_noticed() {
    reused_rest(Fault::NotFree);
}

#[test]
#[should_panic(expected = "it is of another call")]
fn deposits_that_are_finished_before_they_are_read_are_noticed() {
    reused_slot(Fault::FinishesEarly);
}

#[test]
#[should_panic(expected = "it is of another call")]
fn deposits_with_a_rest_that_are_finished_before_they_are_read_are_noticed() {
    reused_rest(Fault::FinishesEarly);
}

/// Rank 1 calls for `INDEX` without waiting and then for the next, of which it waits for nobody: it deposits, and says that
/// it has finished what it has. Rank 0 reads that, and uses the slot of `INDEX` again if it may, while rank 1 reads what lay
/// there.
fn reused_while_pending(fault: Fault) {
    const NEXT: u64 = INDEX + 1;
    loom::model(move || {
        let words = [
            (layout(2).tag(0, 0), tag_of(GROUP)),
            (layout(2).tag(0, 1), tag_of(GROUP)),
            (layout(2).finished(0, 1), 0),
            (layout(2).index(0, 0, INDEX), written(INDEX, Readers::only(0, 1))),
            (layout(2).stamp(0, 0, INDEX), 1),
            (layout(2).message(0, 0, INDEX), 1),
            (layout(2).index(0, 1, NEXT), 0),
            (layout(2).stamp(0, 1, NEXT), 0),
        ];
        let memory = Arc::new(Memory::of(words.into_iter(), fault));
        let reuses = {
            let memory = Arc::clone(&memory);
            thread::spawn(move || {
                let (mut own, readers) = (deposits(0, 2), Readers::only(0, 1));
                own.at_mut(0).occupancy.handle_deposit(INDEX, readers.set(), 1);
                if own.stamp(&*memory, 0, (1, NEXT)).is_some() {
                    own.read(&*memory, 0, (1, NEXT)).unwrap();
                }
                if own.is_free(&*memory, 0, (AGAIN, readers), 1) {
                    let contents = Contents { head: &[], body: Body::Same(&[2]) };
                    let outgoing = NewDeposit { index: AGAIN, stamp: 0, readers, contents };
                    own.deposit(&*memory, 0, outgoing);
                }
            })
        };
        let mut own = deposits(1, 2);
        if fault != Fault::NotBehind {
            own.begin_pending(0, (INDEX, MemberSet::only(0)));
        }
        let contents = Contents { head: &[], body: Body::Same(&[]) };
        let outgoing = NewDeposit { index: NEXT, stamp: 0, readers: Readers::only(1, 0), contents };
        own.deposit(&*memory, 0, outgoing);
        match fault {
            Fault::FinishesPending => memory.fill(layout(2).finished(0, 1), &[NEXT]),
            Fault::NotBehind => {}
            _ => own.handle_finished(&*memory, 0, NEXT),
        }
        assert!(own.stamp(&*memory, 0, (0, INDEX)).is_some(), "it was not read yet");
        let len = own.read(&*memory, 0, (0, INDEX)).unwrap();
        assert_eq!(own.bytes(len), [1], "it was not read yet");
        if fault == Fault::None {
            own.end_pending(&*memory, 0, INDEX);
        }
        reuses.join().unwrap();
    });
}

// SEMANTICS: COL-8, COL-9
#[test]
fn deposits_stay_while_the_call_that_reads_them_is_pending() {
    reused_while_pending(Fault::None);
}

#[test]
#[should_panic(expected = "it was not read yet")]
fn deposits_of_a_pending_call_that_is_said_to_be_finished_are_noticed() {
    reused_while_pending(Fault::FinishesPending);
}

#[test]
#[should_panic(expected = "it was not read yet")]
fn deposits_that_do_not_say_that_a_call_is_pending_are_noticed() {
    reused_while_pending(Fault::NotBehind);
}

/// A place is taken over from a group in which rank 1 had deposited.
fn taken_over(fault: Fault) {
    loom::model(move || {
        let memory = Memory::new(3, tag_of(GroupId(3)), fault);
        let index = layout(3).index(0, 1, INDEX);
        memory.word(index).unwrap().store(written(INDEX, Readers::only(1, 0)), Ordering::Relaxed);
        let memory = Arc::new(memory);
        let joins = {
            let memory = Arc::clone(&memory);
            thread::spawn(move || match fault {
                Fault::TagFirst => {
                    memory.store(layout(3).tag(0, 1), tag_of(GROUP));
                    memory.store(index, 0);
                }
                _ => Deposits::with_places(layout(3), 1, 1).join(&*memory, 0, GROUP, &[0, 1, 2]),
            })
        };
        let seen = deposits(0, 3).stamp(&*memory, 0, (1, INDEX));
        assert_eq!(seen, None, "it is of the group before");
        joins.join().unwrap();
    });
}

// SEMANTICS: COL-9, GRP-3
#[test]
fn deposits_of_a_group_before_are_never_seen() {
    taken_over(Fault::None);
}

#[test]
#[should_panic(expected = "it is of the group before")]
fn deposits_that_join_by_the_tag_first_are_noticed() {
    taken_over(Fault::TagFirst);
}

/// Rank 0 deposits for two calls that share a slot, while rank 1 joins the group, whose words at this place
/// say what it had finished of the group before. It finishes nothing, so what was deposited first stays.
fn joined_late(fault: Fault) {
    loom::model(move || {
        let memory = Memory::new(3, tag_of(GROUP), fault);
        let before = [(layout(3).tag(0, 1), tag_of(GroupId(3))), (layout(3).finished(0, 1), AGAIN)];
        for (word, value) in before {
            memory.word(word).unwrap().store(value, Ordering::Relaxed);
        }
        let memory = Arc::new(memory);
        let deposits_twice = {
            let memory = Arc::clone(&memory);
            thread::spawn(move || {
                let (mut own, readers) = (deposits(0, 3), Readers::only(0, 1));
                if fault == Fault::NotJoined {
                    own.at_mut(0).known = readers.set();
                }
                [INDEX, AGAIN].map(|index| {
                    let may = own.is_free(&*memory, 0, (index, readers), 1);
                    if may {
                        let contents = Contents { head: &[], body: Body::Same(&[1]) };
                        let outgoing = NewDeposit { index, stamp: index, readers, contents };
                        own.deposit(&*memory, 0, outgoing);
                    }
                    may
                })
            })
        };
        let mut own = Deposits::with_places(layout(3), 1, 1);
        own.join(&*memory, 0, GROUP, &[0, 1, 2]);
        let [was_deposited, _] = deposits_twice.join().unwrap();
        let is_there = own.stamp(&*memory, 0, (0, INDEX)).is_some();
        assert_eq!(is_there, was_deposited, "it was not read yet");
    });
}

// SEMANTICS: COL-9, GRP-1
#[test]
fn deposits_for_members_that_join_late_stay_until_they_are_read() {
    joined_late(Fault::None);
}

#[test]
#[should_panic(expected = "it was not read yet")]
fn deposits_for_members_that_have_not_joined_are_noticed() {
    joined_late(Fault::NotJoined);
}
