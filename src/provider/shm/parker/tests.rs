//! The parker on words that record their accesses: which ranks are woken, how, and which fall
//! asleep. The models check all that may happen between the steps.

use std::cell::RefCell;

use super::super::segment::Segment;
use super::*;
use crate::sys::atomic::Atomic;
use crate::sys::atomic::plain::AtomicU32;

/// The word names the wake-ups asked for, for every queue and peer, and is never that of the awake.
#[test]
fn a_sleeping_word_encodes_the_wanted_wake_ups() {
    assert_eq!(ASLEEP_TOGETHER.count_ones(), 1);
    let peers = [None, Some(0), Some(1), Some(255)];
    for queues in [0, 1, 0b1011, 1 << 13, u16::MAX] {
        for peer in peers {
            let wake_on = WakeOn { queues, peer, together: false };
            let word = encoded(wake_on, false);
            assert_ne!(word, NO);
            assert_eq!(encoded(wake_on, true), word | ASLEEP_TOGETHER);
            assert_eq!(word & ASLEEP_TOGETHER, 0);
            for (from, cq) in
                [0, 1, 2, 255].into_iter().flat_map(|r| (0..14).map(move |q| (r, Cq(q))))
            {
                assert_eq!(
                    wakes(word, from, cq),
                    wake_on.includes(from, cq),
                    "{wake_on:?} {from} {cq:?}"
                );
            }
            // Those that have no bit always wake.
            assert!(wakes(word, 7, Cq(14)) && wakes(word, 7, Cq(200)));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    /// With what the word was to be, and was.
    Wait(u32),
    WaitEither(u32),
    Wake,
    WakeAll,
}

use Call::{Wait, WaitEither, Wake, WakeAll};

#[derive(Debug, Default)]
struct Word {
    value: AtomicU32,
    calls: RefCell<Vec<Call>>,
    /// How long each wait was to last at most.
    limits: RefCell<Vec<Option<Duration>>>,
}

impl Word {
    fn get(&self) -> u32 {
        self.value.load(Ordering::Relaxed)
    }

    fn called(&self, call: Call) {
        self.calls.borrow_mut().push(call);
    }

    fn calls(&self) -> Vec<Call> {
        self.calls.take()
    }
}

impl Atomic for Word {
    type Value = u32;

    fn load(&self, order: Ordering) -> u32 {
        self.value.load(order)
    }

    fn store(&self, value: u32, order: Ordering) {
        self.value.store(value, order);
    }

    fn swap(&self, value: u32, order: Ordering) -> u32 {
        self.value.swap(value, order)
    }

    fn fetch_or(&self, value: u32, order: Ordering) -> u32 {
        self.value.fetch_or(value, order)
    }

    fn fetch_and(&self, value: u32, order: Ordering) -> u32 {
        self.value.fetch_and(value, order)
    }

    fn fetch_add(&self, value: u32, order: Ordering) -> u32 {
        self.value.fetch_add(value, order)
    }

    fn compare_exchange(
        &self,
        current: u32,
        new: u32,
        success: Ordering,
        failure: Ordering,
    ) -> Result<u32, u32> {
        self.value.compare_exchange(current, new, success, failure)
    }
}

/// Who waits is woken at once, without a reason.
impl Futex for Word {
    fn wait(&self, expected: u32, timeout: Option<Duration>) {
        assert_eq!(self.get(), expected);
        self.called(Wait(expected));
        self.limits.borrow_mut().push(timeout);
    }

    fn wait_either(&self, expected: u32, other: &Self, value: u32, timeout: Option<Duration>) {
        assert_eq!((self.get(), other.get()), (expected, value));
        self.called(WaitEither(expected));
        self.limits.borrow_mut().push(timeout);
    }

    fn wake(&self) {
        self.called(Wake);
    }

    fn wake_all(&self) {
        self.called(WakeAll);
    }
}

const TOGETHER: WakeOn = WakeOn { together: true, ..WakeOn::ANYTHING };

/// The words of a rank that does not sleep.
fn words() -> Vec<Word> {
    vec![Word::default(), Word::default()]
}

/// The words of one that does, for `wake_on`.
fn asleep(wake_on: WakeOn) -> Vec<Word> {
    let words = words();
    words[SLEEPING].store(encoded(wake_on, wake_on.together), Ordering::Relaxed);
    words
}

#[test]
fn a_sleeping_rank_is_woken_once() {
    let (awake, sleeper) = (words(), asleep(WakeOn::ANYTHING));
    Parker(&awake).wake();
    assert_eq!((awake[SLEEPING].get(), awake[SLEEPING].calls()), (NO, vec![]));
    Parker(&sleeper).wake();
    assert_eq!((sleeper[SLEEPING].get(), sleeper[SLEEPING].calls()), (NO, vec![Wake]));
    Parker(&sleeper).wake();
    assert_eq!((sleeper[SLEEPING].get(), sleeper[SLEEPING].calls()), (NO, vec![]));
    assert_eq!(sleeper[NEWS].get(), NO);
}

#[test]
fn a_message_wakes_only_a_rank_that_sleeps_for_it() {
    let wake_on = WakeOn { queues: 0b10, peer: Some(3), together: false };
    for (peer, cq, woken) in [(2, 1, true), (3, 0, true), (2, 0, false), (4, 2, false)] {
        let sleeper = asleep(wake_on);
        let before = sleeper[SLEEPING].get();
        Parker(&sleeper).wake_for(peer, Cq(cq));
        assert_eq!(sleeper[SLEEPING].get(), if woken { NO } else { before });
        assert_eq!(sleeper[SLEEPING].calls(), if woken { vec![Wake] } else { vec![] });
    }
}

#[test]
fn news_are_kept_for_the_next_sleep() {
    let words = asleep(WakeOn::ANYTHING);
    Parker(&words).wake_with_news();
    assert_eq!((words[NEWS].get(), words[SLEEPING].calls()), (YES, vec![Wake]));
    Parker(&words).wake_with_news();
    assert_eq!((words[NEWS].get(), words[SLEEPING].calls()), (YES, vec![]));
    Parker(&words).sleep(&Fences::plain(), WakeOn::ANYTHING, None, || false, None);
    assert_eq!((words[NEWS].get(), words[SLEEPING].calls()), (NO, vec![]));
    Parker(&words).sleep(&Fences::plain(), WakeOn::ANYTHING, None, || false, None);
    let expected = encoded(WakeOn::ANYTHING, false);
    assert_eq!(words[SLEEPING].calls(), [Wait(expected)]);
    assert_eq!(words[SLEEPING].get(), NO);
}

/// What is published between the first look and the mark that it sleeps is found by the second.
#[test]
fn a_rank_that_finds_something_at_its_second_look_does_not_sleep() {
    for looks in 0..3 {
        let (words, left) = (words(), RefCell::new(looks));
        let ready = || match left.take() {
            0 => true,
            more => {
                left.replace(more - 1);
                false
            }
        };
        Parker(&words).sleep(&Fences::plain(), WakeOn::ANYTHING, None, ready, None);
        assert_eq!(words[SLEEPING].calls().len(), usize::from(looks == 2), "{looks}");
        assert_eq!(words[SLEEPING].get(), NO);
    }
    // News, too.
    let words = words();
    let ready = || {
        Parker(&words).wake_with_news();
        false
    };
    Parker(&words).sleep(&Fences::plain(), WakeOn::ANYTHING, None, ready, None);
    assert_eq!((words[SLEEPING].calls(), words[NEWS].get()), (vec![], NO));
}

/// A rank that was not counted may miss something, and be missed: it sleeps for a moment, and no
/// longer, before it looks again. (Planted: to sleep as long as was asked for.)
///
/// SEMANTICS: FLOW-3
#[test]
fn a_rank_that_was_not_counted_sleeps_for_a_moment_only() {
    let segment = Segment::create(2).expect("memory");
    let short = Duration::from_micros(10);
    let broadcast_word = Word::default();
    for (wake_on, broadcast_word) in [(WakeOn::ANYTHING, None), (TOGETHER, Some(&broadcast_word))] {
        for (asked, limit) in [(None, MOMENT), (Some(10 * MOMENT), MOMENT), (Some(short), short)] {
            let (words, fences) = (words(), segment.fences());
            let sleep = || Parker(&words).sleep(&fences, wake_on, broadcast_word, || false, asked);
            sleep();
            while !fences.heavy() {}
            sleep();
            assert_eq!(words[SLEEPING].limits.take(), [Some(limit), asked]);
        }
    }
}

#[test]
fn only_ranks_that_want_to_and_can_sleep_together() {
    let broadcast_word = Word::default();
    broadcast_word.store(41, Ordering::Relaxed);
    for (wake_on, broadcast_word, together) in [
        (TOGETHER, Some(&broadcast_word), true),
        (TOGETHER, None, false),
        (WakeOn::ANYTHING, Some(&broadcast_word), false),
    ] {
        let words = words();
        Parker(&words).sleep(&Fences::plain(), wake_on, broadcast_word, || false, None);
        let until = encoded(wake_on, together);
        let expected = if together { WaitEither(until) } else { Wait(until) };
        assert_eq!(words[SLEEPING].calls(), [expected]);
    }
}

/// Nobody who sleeps is left asleep, and one call wakes all of a broadcast_word.
#[test]
fn all_sleeping_ranks_are_woken() {
    for (voices, alone, has_chorus) in
        (0..4).flat_map(|voices| (0..3).flat_map(move |n| [(voices, n, true), (voices, n, false)]))
    {
        let broadcast_word = Word::default();
        let mut ranks = vec![words()];
        ranks.extend((0..voices).map(|_| asleep(TOGETHER)));
        ranks.insert(ranks.len() / 2, words());
        ranks.extend((0..alone).map(|_| asleep(WakeOn::ANYTHING)));
        wake_many(ranks.iter().map(Parker), has_chorus.then_some(&broadcast_word));
        let at_once = has_chorus && voices > 1;
        assert_eq!(broadcast_word.calls(), if at_once { vec![WakeAll] } else { vec![] });
        assert_eq!(broadcast_word.get(), u32::from(at_once), "who is about to sleep sees it");
        let woken: Vec<Call> = ranks.iter().flat_map(|words| words[SLEEPING].calls()).collect();
        assert_eq!(woken, vec![Wake; if at_once { alone } else { voices + alone }]);
        assert!(ranks.iter().all(|words| words[SLEEPING].get() == NO));
    }
}
