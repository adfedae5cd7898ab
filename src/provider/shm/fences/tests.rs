//! That no wake-up is lost where publishers leave out their fences: every run of small models of
//! the protocol on processors that delay stores.
//!
//! Loom has no fence that one thread executes for another, so it cannot run the code itself. Here
//! are the steps of it, as a list for each rank, on the test kit's memory that delays stores. A
//! moment that passes does what the system's fence does, where the system has left somebody out,
//! and behind it the sleeper looks again.

use runahead_testkit::search::{Steps, System, search};
use runahead_testkit::tso::{Memory, SystemFence};

use super::super::nic::ShmNic;
use super::super::pair::pair;
use super::super::segment::Segment;
use super::{AWAKE_AFTER, Fences, MOMENT, Own};
use crate::sys::atomic::{Atomic, Ordering};
use crate::sys::time::Instant;
use crate::verbs::{Cq, Nic, SharedWords, Vi};

/// Words of the memory.
const MAY_SLEEP: usize = 0;
const SLEEPING: usize = 1;
/// What is published: one word for each publisher.
const PUBLISHED: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Stores 1 into a word.
    Store(usize),
    /// Adds to a word, in one step.
    Add(usize, i8),
    /// A fence of the rank's own.
    Fence,
    /// A fence of the system's, in all ranks; or a moment.
    FenceEverywhere,
    /// A fence if the word is not 0.
    FenceIf(usize),
    /// A fence if the word is not 0; else it ends the rank's part.
    FenceOrEnd(usize),
    /// Ends the rank's part if the word is 0.
    OnlyIf(usize),
    /// Goes to its last step, which is to sleep, if the word is 0.
    SleepUnless(usize),
    /// Ends the rank's part.
    End,
    /// Sleeps until it is woken.
    Sleep,
    /// Wakes whoever sleeps, or is about to.
    Wake,
}

use Step::*;

const WORDS: usize = 6;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    memory: Memory,
    /// At which of its steps each rank is.
    at: Vec<usize>,
    /// The system's fence that a rank waits for.
    fences: Vec<Option<SystemFence>>,
    woken: bool,
}

/// Ranks that take these steps, one after the other.
struct Ranks<'a> {
    counted_before: i8,
    steps: &'a [&'a [Step]],
}

impl Ranks<'_> {
    /// The states that follow by the next step of a rank.
    fn step(&self, state: &State, rank: usize) -> Vec<State> {
        let steps = self.steps[rank];
        let Some(&step) = steps.get(state.at[rank]) else { return Vec::new() };
        let mut next = state.clone();
        let State { memory, at, fences, woken } = &mut next;
        let end = steps.len();
        at[rank] += 1;
        match step {
            Store(word) => memory.store(rank, word, 1),
            Add(word, more) => {
                memory.update(rank, word, |value| value + more);
            }
            Fence => memory.fence(rank),
            FenceIf(word) | FenceOrEnd(word) if memory.load(rank, word) != 0 => memory.fence(rank),
            FenceIf(_) => {}
            FenceOrEnd(_) | End => at[rank] = end,
            FenceEverywhere => match &state.fences[rank] {
                None => {
                    fences[rank] = Some(SystemFence::begin(memory, rank));
                    at[rank] -= 1;
                }
                Some(fence) if fence.is_done() => fences[rank] = None,
                Some(fence) => {
                    let reached = |(fence, memory)| {
                        let mut next = State { memory, ..state.clone() };
                        next.fences[rank] = Some(fence);
                        next
                    };
                    return fence.next(memory).into_iter().map(reached).collect();
                }
            },
            OnlyIf(word) if memory.load(rank, word) == 0 => at[rank] = end,
            SleepUnless(word) if memory.load(rank, word) == 0 => at[rank] = end - 1,
            OnlyIf(_) | SleepUnless(_) => {}
            Sleep if !*woken => return Vec::new(),
            Sleep => {}
            Wake => *woken = true,
        }
        vec![next]
    }
}

impl System for Ranks<'_> {
    type State = State;
    /// The rank, and its step; None where a store of it arrives.
    type Step = (usize, Option<Step>);

    fn start(&self) -> State {
        let mut words = [0; WORDS];
        words[MAY_SLEEP] = self.counted_before;
        let many = self.steps.len();
        State {
            memory: Memory::new(&words, many),
            at: vec![0; many],
            fences: vec![None; many],
            woken: false,
        }
    }

    fn steps(&mut self, state: &State, to: &mut Steps<Self>) -> Result<(), String> {
        for (rank, steps) in self.steps.iter().enumerate() {
            let mut arrived = state.clone();
            if arrived.memory.arrive(rank) {
                to.certain((rank, None), arrived);
            }
            for next in self.step(state, rank) {
                to.certain((rank, steps.get(state.at[rank]).copied()), next);
            }
        }
        Ok(())
    }

    fn check(&self, _: &State) -> Result<(), String> {
        Ok(())
    }

    fn is_end(&self, state: &State) -> bool {
        state.at.iter().zip(self.steps).all(|(&at, steps)| at == steps.len())
    }
}

/// Whether somebody sleeps for ever in some run.
fn loses_a_wake_up(counted_before: i8, steps: &[&[Step]]) -> bool {
    search(&mut Ranks { counted_before, steps }).is_err()
}

/// Publishes its word, and wakes who sleeps if all words of so `many` are there: it looks at one
/// after the other.
fn publisher(own: usize, light: Step, many: usize) -> Vec<Step> {
    let words = (0..many).map(|word| OnlyIf(PUBLISHED + word));
    let mut steps = vec![Store(PUBLISHED + own), light];
    steps.extend(words.chain([OnlyIf(SLEEPING), Wake]));
    steps
}

/// Says that it sleeps, passes these fences, and sleeps unless all words are there.
fn sleeper(fences: &[Step], many: usize) -> Vec<Step> {
    let words = (0..many).map(|word| SleepUnless(PUBLISHED + word));
    let fences = fences.iter().copied();
    [Add(SLEEPING, 1)].into_iter().chain(fences).chain(words).chain([End, Sleep]).collect()
}

const LIGHT: Step = FenceIf(MAY_SLEEP);
/// Of a rank that is not counted yet, and of one that is.
const HEAVY: [&[Step]; 2] = [&[Add(MAY_SLEEP, 1), FenceEverywhere], &[Fence]];

fn loses(counted_before: i8, ranks: &[Vec<Step>]) -> bool {
    let ranks: Vec<&[Step]> = ranks.iter().map(Vec::as_slice).collect();
    loses_a_wake_up(counted_before, &ranks)
}

/// Every number of publishers up to three, with one that sleeps, counted before or not, and who may
/// have published a word of the same kind just before.
///
/// SEMANTICS: BAR-4, FLOW-3
#[test]
fn no_wake_up_is_lost() {
    for many in 1..=3 {
        for (counted, heavy) in (0..).zip(HEAVY) {
            let mut ranks: Vec<_> = (0..many).map(|own| publisher(own, LIGHT, many)).collect();
            ranks.push(sleeper(heavy, many));
            assert!(!loses(counted, &ranks), "{many} publishers, counted: {counted}");
            // The last of the publishers is the sleeper itself.
            let own = ranks.remove(many - 1);
            let sleeps = ranks.remove(many - 1);
            ranks.push([&own[..2], &sleeps].concat());
            assert!(!loses(counted, &ranks), "{many} publishers, one sleeps, counted: {counted}");
        }
    }
}

/// A publisher that sees none counted has no rank to wake for what it published, and need not look;
/// nor need those of several publishers that see it so.
///
/// SEMANTICS: BAR-4, FLOW-3
#[test]
fn a_publisher_that_sees_no_rank_counted_need_not_look() {
    let publish = |own, many| publisher(own, FenceOrEnd(MAY_SLEEP), many);
    for (counted, heavy) in (0..).zip(HEAVY) {
        assert!(!loses(counted, &[publish(0, 1), sleeper(heavy, 1)]), "counted: {counted}");
        let ranks = [publish(0, 2), publish(1, 2), sleeper(heavy, 2)];
        assert!(!loses(counted, &ranks), "two, counted: {counted}");
    }
    // A word that does not count the ranks that may sleep says nothing.
    assert!(loses(0, &[publisher(0, FenceOrEnd(WORDS - 1), 1), sleeper(HEAVY[0], 1)]));
}

/// Unless it has set a ready bit that was cleared: it is by the bit that who sleeps later finds the
/// message, and that came behind the look at the count.
///
/// SEMANTICS: FLOW-3
#[test]
fn a_sender_that_has_set_a_ready_bit_looks_for_sleepers() {
    const BIT: usize = PUBLISHED + 1;
    let tell = |looks: &[Step]| {
        let set = [Store(PUBLISHED), FenceIf(MAY_SLEEP), Add(BIT, 1)];
        [&set, looks].concat()
    };
    // It looks into the ring if it sees the bit: that is to look for both.
    let sleeper = sleeper(HEAVY[0], 2);
    assert!(!loses(0, &[tell(&[OnlyIf(SLEEPING), Wake]), sleeper.clone()]));
    assert!(loses(0, &[tell(&[OnlyIf(MAY_SLEEP + WORDS - 1), Wake]), sleeper]));
}

/// The system leaves ranks out: a rank that is counted looks a first time for nothing, and after a
/// moment again.
///
/// SEMANTICS: BAR-4, FLOW-3
#[test]
fn a_pause_replaces_the_fence_of_the_system() {
    for many in 1..=3 {
        let first = [Add(MAY_SLEEP, 1), Fence];
        let looks = |fences: &[Step]| {
            let mut ranks: Vec<_> = (0..many).map(|own| publisher(own, LIGHT, many)).collect();
            ranks.push(sleeper(fences, many));
            loses(0, &ranks)
        };
        assert!(looks(&first), "one look is enough");
        assert!(looks(&[&first[..], HEAVY[1]].concat()), "two looks without the moment are enough");
        assert!(!looks(&[&first[..], &[FenceEverywhere], HEAVY[1]].concat()), "{many} publishers");
    }
}

/// Another rank is counted no more meanwhile.
#[test]
fn a_rank_that_is_uncounted_loses_no_wake_up() {
    let publish = |own| publisher(own, LIGHT, 2);
    let leaves = vec![Add(MAY_SLEEP, -1)];
    assert!(!loses(1, &[publish(0), publish(1), sleeper(HEAVY[0], 2), leaves]));
}

/// Each step that the protocol rests on is left out, or is in the wrong place.
#[test]
fn planted_faults_are_found() {
    // A word that is always 0: no fence.
    let never = FenceIf(WORDS - 1);
    let one = |light| vec![publisher(0, light, 1)];
    let two = |light| vec![publisher(0, light, 2), publisher(1, light, 2)];
    for (what, counted, mut ranks, sleeper) in [
        ("it fences for itself alone", 0, one(LIGHT), sleeper(&[Add(MAY_SLEEP, 1), Fence], 1)),
        ("it never fences", 0, one(LIGHT), sleeper(&[Add(MAY_SLEEP, 1)], 1)),
        ("publishers never fence, and it is counted", 1, one(never), sleeper(HEAVY[1], 1)),
        ("publishers never fence, and are two", 0, two(never), sleeper(HEAVY[0], 2)),
        (
            "it is counted too late",
            0,
            two(LIGHT),
            sleeper(&[FenceEverywhere, Add(MAY_SLEEP, 1)], 2),
        ),
        ("it takes itself for counted, and is not", 0, one(LIGHT), sleeper(HEAVY[1], 1)),
    ] {
        ranks.push(sleeper);
        assert!(loses(counted, &ranks), "not found: {what}");
    }
}

/// A rank that publishes or takes for long and does not sleep is counted no more, nor is one that leaves.
#[test]
fn a_rank_that_no_longer_sleeps_is_uncounted() {
    let segment = Segment::create(2).expect("memory");
    let (sleeper, publisher) = (segment.fences(), segment.fences());
    let counted = || {
        let word: &Fences = &publisher;
        Atomic::load(&**word.may_sleep.as_ref().expect("they are not plain"), Ordering::Relaxed)
    };
    if let Own::Unable = publisher.own.get() {
        // The system has no fences for others: all are counted for ever.
        assert_eq!(counted(), 2);
        return;
    }
    for _ in 0..2 {
        assert_eq!(counted(), 0);
        assert!(!publisher.light(), "nobody sleeps");
        assert!(!sleeper.heavy(), "not every rank may know yet that it is counted");
        while !sleeper.heavy() {}
        // What others publish says nothing of it.
        (0..2 * AWAKE_AFTER).for_each(|_| assert!(publisher.light(), "one may sleep"));
        // It sleeps once more in between, which counts from the start.
        (0..AWAKE_AFTER).for_each(|_| assert!(sleeper.light(), "this one may sleep"));
        assert!(sleeper.heavy());
        (0..AWAKE_AFTER).for_each(|_| assert!(sleeper.light(), "this one may sleep"));
        assert_eq!(counted(), 1);
        sleeper.light();
        assert_eq!(counted(), 0);
        // What it takes counts as well, and alone.
        assert!(!sleeper.heavy(), "it was counted no more");
        (0..AWAKE_AFTER).for_each(|_| sleeper.note_taken());
        assert_eq!(counted(), 1);
        sleeper.note_taken();
        // One that is not counted changes nothing.
        (0..2 * AWAKE_AFTER).for_each(|_| sleeper.note_taken());
    }
    drop(segment.fences());
    assert_eq!(counted(), 0);
    assert!(!sleeper.heavy(), "it was not counted");
    assert_eq!(counted(), 1);
    drop(sleeper);
    assert_eq!(counted(), 0);
}

/// A rank that only receives is counted no more either, whichever way it takes what has come. (Planted: each of
/// the three ways left out.)
#[test]
fn a_rank_that_takes_much_and_publishes_nothing_is_uncounted() {
    type Take = fn(&mut [ShmNic; 2]);
    const FROM: Vi = Vi { peer: 0, cq: Cq(0) };
    const TO: Vi = Vi { peer: 1, ..FROM };
    let peeked: Take = |[from, to]| {
        from.post_send(TO, &[1], &[]).expect("room");
        assert!(to.peek_recv(FROM).is_some());
        to.take_peeked(FROM);
    };
    let polled: Take = |[from, to]| {
        from.post_send(TO, &[1], &[]).expect("room");
        let came = to.poll_recv(FROM.cq).expect("nothing is wrong").expect("a message");
        to.post_recv(FROM, came.frame);
    };
    let words: Take = |[_, to]| SharedWords::copy_into(to, 0, &mut [0]);
    for take in [peeked, polled, words] {
        let mut nics = pair(1 << 20);
        while !nics[1].fences.heavy() {}
        for _ in 0..=AWAKE_AFTER {
            assert!(nics[0].fences.light(), "one may sleep");
            take(&mut nics);
        }
        let is_able = !matches!(nics[1].fences.own.get(), Own::Unable);
        assert_eq!(nics[0].fences.light(), !is_able, "it has taken so many, and did not sleep");
    }
}

/// Over and over within a moment, it is not sure yet; and a rank for which the system does nothing
/// needs a moment, too.
///
/// SEMANTICS: FLOW-3
#[test]
fn a_heavy_fence_is_not_sure_within_a_moment() {
    let segment = Segment::create(2).expect("memory");
    for is_able in [true, false] {
        let began = Instant::now();
        let fences = segment.fences();
        if !is_able {
            fences.own.set(Own::Unable);
            fences.count_as_sleeper(fences.may_sleep.as_ref().expect("they are not plain"));
        }
        while !fences.heavy() {}
        assert!(Instant::now().saturating_since(began) >= MOMENT, "sure at once");
        assert!(fences.heavy() && fences.heavy());
    }
    // What is only a fence needs none.
    assert!(Fences::plain().heavy());
}

#[cfg(test)]
mod with_threads {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use runahead_testkit::effort::bound;

    use super::super::super::segment::Segment;
    use super::super::MOMENT;

    /// The fences themselves, on the processors of this machine: of a rank that publishes and one
    /// that becomes counted at the same time, over and over, never do both miss the other, when the
    /// second has looked again after a moment. (Planted: heavy fences that are sure at once,
    /// without the system's; noticed in one run of three.)
    ///
    /// SEMANTICS: FLOW-3
    #[test]
    fn on_this_machine_publisher_or_sleeper_sees_the_other() {
        // CORES: two that are quiet show most; with one, or beside others, few rounds overlap.
        sees_the_other(false, bound([10_000, 100_000, 100_000]));
    }

    /// As above, with one that is counted all the time. (Planted: a publisher that fences only
    /// where nobody is.)
    ///
    /// SEMANTICS: FLOW-3
    #[test]
    fn on_this_machine_a_sleeper_that_stays_counted_is_seen() {
        sees_the_other(true, bound([10_000, 100_000, 100_000]));
    }

    fn sees_the_other(stays_counted: bool, rounds: u32) {
        let segment = Segment::create(2).expect("memory");
        let [published, sleeping, begun, done] = [const { AtomicU32::new(0) }; 4];
        // Memory that the sleeper has written: stores to it hold up what the publisher stores
        // behind them.
        let held_up = Mutex::new(vec![0_u8; 4096]);
        let write = |value: u32| {
            let mut memory = held_up.lock().expect("no panic");
            memory.fill(value as u8);
            memory
        };
        // Both begin a round at about the same time, and end it together. Where they share a core
        // they have to let each other run.
        let meet = |at: &AtomicU32, round: u32| {
            at.fetch_add(1, Ordering::AcqRel);
            let mut looks = 0_u32;
            while at.load(Ordering::Acquire) < 2 * round {
                looks += 1;
                if looks.is_multiple_of(1024) {
                    thread::yield_now();
                }
            }
        };
        let (publisher, sleeper) = thread::scope(|scope| {
            let publisher = scope.spawn(|| {
                let fences = segment.fences();
                let round = |round: u32| {
                    meet(&begun, round);
                    let memory = write(round);
                    published.store(round, Ordering::Release);
                    fences.light();
                    let sees = sleeping.load(Ordering::Relaxed) == round;
                    // Only now: this is a fence.
                    drop(memory);
                    meet(&done, round);
                    sees
                };
                (1..=rounds).map(round).collect::<Vec<bool>>()
            });
            let sleeper = scope.spawn(|| {
                let lasting = segment.fences();
                while stays_counted && !lasting.heavy() {}
                let round = |round: u32| {
                    // Or else one that is not counted, each time.
                    let fresh = (!stays_counted).then(|| segment.fences());
                    let fences = fresh.as_ref().unwrap_or(&lasting);
                    drop(write(0));
                    meet(&begun, round);
                    // At another moment of what the publisher does.
                    (0..round % 64).for_each(|_| std::hint::spin_loop());
                    sleeping.swap(round, Ordering::AcqRel);
                    let is_sure = fences.heavy();
                    assert!(is_sure || !stays_counted);
                    let sees = || published.load(Ordering::Relaxed) == round;
                    let sees = sees()
                        || !is_sure && {
                            thread::sleep(MOMENT);
                            assert!(fences.heavy());
                            sees()
                        };
                    meet(&done, round);
                    sees
                };
                (1..=rounds).map(round).collect::<Vec<bool>>()
            });
            (publisher.join().expect("no panic"), sleeper.join().expect("no panic"))
        });
        let missed =
            publisher.iter().zip(&sleeper).filter(|&(publisher, sleeper)| !publisher && !sleeper);
        assert_eq!(missed.count(), 0, "both have missed the other");
    }
}
