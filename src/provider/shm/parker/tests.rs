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
    let peers = [None, Some(0), Some(1), Some(255)];
    for queues in [0, 1, 0b1011, 1 << 13, u16::MAX] {
        for peer in peers {
            let wake_on = WakeOn { queues, peer, together: false };
            let word = encoded(wake_on);
            assert_ne!(word, NO);
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

const SLEEPS_TOGETHER: WakeOn = WakeOn { together: true, ..WakeOn::ANYTHING };

/// The words of a rank that has not slept yet.
fn words() -> Vec<Word> {
    (0..WORDS).map(|_| Word::default()).collect()
}

/// The number of its first sleep, alone.
const FIRST: u32 = 4;

/// The words of one that sleeps, for `wake_on`.
fn asleep(wake_on: WakeOn) -> Vec<Word> {
    let words = words();
    Parker(&words).next_number(wake_on.together);
    words[SLEEPING].store(encoded(wake_on), Ordering::Relaxed);
    words
}

/// Whether it is noted that it was woken from its first sleep, and the word was changed that it sleeps on.
fn is_woken(words: &[Word]) -> bool {
    let woken = words[WOKEN].get() == FIRST;
    assert_eq!(words[NUMBER].get(), if woken { FIRST | CALLED } else { FIRST });
    woken
}

#[test]
fn a_sleeping_rank_is_woken_once() {
    let (awake, sleeper) = (words(), asleep(WakeOn::ANYTHING));
    Parker(&awake).wake();
    assert_eq!((awake[NUMBER].get(), awake[NUMBER].calls()), (0, vec![]));
    assert!(!is_woken(&sleeper));
    Parker(&sleeper).wake();
    assert_eq!((is_woken(&sleeper), sleeper[NUMBER].calls()), (true, vec![Wake]));
    Parker(&sleeper).wake();
    assert_eq!((is_woken(&sleeper), sleeper[NUMBER].calls()), (true, vec![]));
    assert_eq!(sleeper[NEWS].get(), NO);
    // Its next sleep is another one.
    assert_eq!(Parker(&sleeper).next_number(false), 2 * FIRST);
    Parker(&sleeper).wake();
    assert_eq!(sleeper[NUMBER].calls(), [Wake]);
}

/// A bringer that stops before the call keeps nobody else from making it, and one that goes on later, when
/// the rank sleeps again, does not hide that.
///
/// SEMANTICS: FLOW-3
#[test]
fn a_bringer_that_stops_halfway_keeps_no_rank_asleep() {
    let sleeper = asleep(WakeOn::ANYTHING);
    let found = Parker(&sleeper).find_asleep(|_| true).expect("it sleeps");
    Parker(&sleeper).change_number(found);
    Parker(&sleeper).wake();
    assert_eq!((is_woken(&sleeper), sleeper[NUMBER].calls()), (true, vec![Wake]));
    let second = Parker(&sleeper).next_number(false);
    Parker(&sleeper).change_number(found);
    Parker(&sleeper).note_woken(found);
    assert_eq!(sleeper[NUMBER].get(), second);
    Parker(&sleeper).wake();
    assert_eq!((sleeper[NUMBER].calls(), sleeper[WOKEN].get()), (vec![Wake], second));
}

/// Numbers of sleeps come again.
#[test]
fn what_was_noted_of_a_sleep_of_the_same_number_does_not_count() {
    let words = asleep(WakeOn::ANYTHING);
    words[NUMBER].store(!CALLED, Ordering::Relaxed);
    words[WOKEN].store(0, Ordering::Relaxed);
    assert_eq!(Parker(&words).next_number(false), 0);
    Parker(&words).wake();
    assert_eq!((words[NUMBER].calls(), words[WOKEN].get()), (vec![Wake], 0));
}

#[test]
fn a_message_wakes_only_a_rank_that_sleeps_for_it() {
    let wake_on = WakeOn { queues: 0b10, peer: Some(3), together: false };
    for (peer, cq, woken) in [(2, 1, true), (3, 0, true), (2, 0, false), (4, 2, false)] {
        let sleeper = asleep(wake_on);
        Parker(&sleeper).wake_for(peer, Cq(cq));
        assert_eq!(is_woken(&sleeper), woken);
        assert_eq!(sleeper[NUMBER].calls(), if woken { vec![Wake] } else { vec![] });
    }
}

#[test]
fn news_are_kept_for_the_next_sleep() {
    let words = asleep(WakeOn::ANYTHING);
    Parker(&words).wake_with_news();
    assert_eq!((words[NEWS].get(), words[NUMBER].calls()), (YES, vec![Wake]));
    Parker(&words).wake_with_news();
    assert_eq!((words[NEWS].get(), words[NUMBER].calls()), (YES, vec![]));
    Parker(&words).sleep(&Fences::plain(), WakeOn::ANYTHING, None, || false, None);
    assert_eq!((words[NEWS].get(), words[NUMBER].calls()), (NO, vec![]));
    Parker(&words).sleep(&Fences::plain(), WakeOn::ANYTHING, None, || false, None);
    assert_eq!(words[NUMBER].calls(), [Wait(2 * FIRST)]);
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
        assert_eq!(words[NUMBER].calls().len(), usize::from(looks == 2), "{looks}");
        assert_eq!(words[SLEEPING].get(), NO);
    }
    // News, too.
    let words = words();
    let ready = || {
        Parker(&words).wake_with_news();
        false
    };
    Parker(&words).sleep(&Fences::plain(), WakeOn::ANYTHING, None, ready, None);
    assert_eq!((words[NUMBER].calls(), words[NEWS].get()), (vec![], NO));
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
    for (wake_on, broadcast_word) in
        [(WakeOn::ANYTHING, None), (SLEEPS_TOGETHER, Some(&broadcast_word))]
    {
        for (asked, limit) in [(None, MOMENT), (Some(10 * MOMENT), MOMENT), (Some(short), short)] {
            let (words, fences) = (words(), segment.fences());
            let sleep = || Parker(&words).sleep(&fences, wake_on, broadcast_word, || false, asked);
            sleep();
            while !fences.heavy() {}
            sleep();
            assert_eq!(words[NUMBER].limits.take(), [Some(limit), asked]);
        }
    }
}

#[test]
fn only_ranks_that_want_to_and_can_sleep_together() {
    let broadcast_word = Word::default();
    broadcast_word.store(41, Ordering::Relaxed);
    for (wake_on, broadcast_word, together) in [
        (SLEEPS_TOGETHER, Some(&broadcast_word), true),
        (SLEEPS_TOGETHER, None, false),
        (WakeOn::ANYTHING, Some(&broadcast_word), false),
    ] {
        let words = words();
        Parker(&words).sleep(&Fences::plain(), wake_on, broadcast_word, || false, None);
        let expected = if together { WaitEither(FIRST | TOGETHER) } else { Wait(FIRST) };
        assert_eq!(words[NUMBER].calls(), [expected]);
    }
}

/// Nobody who sleeps is left asleep, and one call wakes all of a broadcast_word.
#[test]
fn all_sleeping_ranks_are_woken() {
    for (voices, alone, has_chorus) in [0, 1, 2, 3, AT_ONCE + 2]
        .into_iter()
        .flat_map(|voices| (0..3).flat_map(move |n| [(voices, n, true), (voices, n, false)]))
    {
        let broadcast_word = Word::default();
        let mut ranks = vec![words()];
        ranks.extend((0..voices).map(|_| asleep(SLEEPS_TOGETHER)));
        ranks.insert(ranks.len() / 2, words());
        ranks.extend((0..alone).map(|_| asleep(WakeOn::ANYTHING)));
        wake_many(ranks.iter().map(Parker), has_chorus.then_some(&broadcast_word));
        let at_once = has_chorus && voices > 1;
        assert_eq!(broadcast_word.calls(), if at_once { vec![WakeAll] } else { vec![] });
        assert_eq!(broadcast_word.get(), u32::from(at_once), "who is about to sleep sees it");
        let woken: Vec<Call> = ranks.iter().flat_map(|words| words[NUMBER].calls()).collect();
        let beyond = voices.saturating_sub(AT_ONCE);
        assert_eq!(woken, vec![Wake; if at_once { alone + beyond } else { voices + alone }]);
        let is_done = |words: &Vec<Word>| Parker(words).find_asleep(|_| true).is_none();
        assert!(ranks.iter().all(is_done));
    }
}

/// Who is called does not count as asleep, though nobody has noted yet that it is woken. (Planted: it does.)
#[test]
fn who_is_about_to_be_woken_is_not_counted() {
    let words = asleep(WakeOn::ANYTHING);
    let parker = Parker(&words);
    assert!(parker.is_asleep());
    let number = parker.find_asleep(|_| true).expect("it sleeps");
    parker.change_number(number);
    assert!(!parker.is_asleep() && parker.find_asleep(|_| true).is_some());
    parker.note_woken(number);
    assert!(!parker.is_asleep());
}
