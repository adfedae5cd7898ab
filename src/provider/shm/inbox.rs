//! Which rings of a completion queue are worth a look.
//!
//! Each rank has a bit for each sender, its *ready bit*. A sender publishes its message, and then
//! sets its bit if it is clear ([`announce`]). The receiver looks only into rings whose bit it has
//! seen. It leaves the bits set, so that steady traffic changes none; only when it has looked many
//! times in vain, and more than a few rings take part, it clears the bits of those that were silent
//! ([`Inbox::sweep`]). A poll that finds nothing therefore costs a handful of loads at any number
//! of ranks.
//!
//! No message is overlooked: the sender publishes and then looks at its bit; the receiver clears
//! the bit and then looks into the ring. With a fence between the two steps on both sides
//! ([`Fences`]), at least one of them sees the other.
//!
//! A stray bit of a rank without a ring is not looked at. One of a rank with a ring costs a look.

use std::ops::Deref;

use super::fences::Fences;
use crate::sys::atomic::{Atomic, Ordering, fence};

const BITS: usize = 64;

/// Which of the ready words `sender` has its bit in, and that bit.
pub(super) fn ready_bit(sender: usize) -> (usize, u64) {
    (sender / BITS, 1 << (sender % BITS))
}

/// The bit of `sender` in the ready words of a receiver.
pub(super) fn ready<A>(words: &[A], sender: usize) -> (&A, u64) {
    let (word, bit) = ready_bit(sender);
    (&words[word], bit)
}

/// Tells the receiver that the sender whose ready bit this is has published something. The caller
/// has put a [light fence](Fences::light) behind the message. Returns whether the bit was clear;
/// then there is a fence behind it.
#[inline(always)]
pub(super) fn announce<A: Atomic<Value = u64>>((word, bit): (&A, u64)) -> bool {
    // Pairs with the changes in `sweep`: the caller's fence orders it behind the message.
    if word.load(Ordering::Relaxed) & bit != 0 {
        return false;
    }
    // Pairs with the loads in `poll` and `has_something`.
    word.fetch_or(bit, Ordering::AcqRel);
    // Orders the bit before the caller's look whether the receiver sleeps. Pairs with the fence
    // in the sleep of the parker.
    fence(Ordering::SeqCst);
    true
}

/// How long an inbox puts up with silent rings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    /// As many rings are looked into without end.
    pub(super) few: u32,
    /// Looks in vain between two sweeps.
    pub(super) looks: u32,
}

/// What is known of 64 senders: a bit for each.
#[derive(Clone, Copy, Debug, Default)]
struct Senders {
    /// Those that have a ring.
    open: u64,
    /// Those whose bit was seen.
    known: u64,
    /// Those that something came from since the last sweep.
    heard: u64,
}

/// The receiver's side of one completion queue.
pub(super) struct Inbox<W> {
    ready: W,
    habits: Habits,
    /// For each ready word.
    senders: Vec<Senders>,
    /// The first to look at.
    next: usize,
    /// Looks in vain since the last sweep.
    vain: u32,
}

impl<A: Atomic<Value = u64>, W: Deref<Target = [A]>> Inbox<W> {
    pub(super) fn new(ready: W, habits: Habits) -> Self {
        let senders = vec![Senders::default(); ready.len()];
        Self { ready, habits, senders, next: 0, vain: 0 }
    }

    /// From now on `sender` has a ring.
    pub(super) fn open(&mut self, sender: usize) {
        self.senders[sender / BITS].open |= 1 << (sender % BITS);
    }

    /// From now on `sender` has none.
    pub(super) fn close(&mut self, sender: usize) {
        let left = !(1 << (sender % BITS));
        let senders = &mut self.senders[sender / BITS];
        senders.open &= left;
        senders.known &= left;
    }

    /// Whether a [`poll`](Inbox::poll) would find nothing, and no [`sweep`](Inbox::sweep) is due.
    /// It counts as a look at each ring; `is_empty` says whether one holds nothing.
    #[inline(always)]
    pub(super) fn is_empty(&mut self, is_empty: impl Fn(usize) -> bool) -> bool {
        let mut looks = 0;
        for word in 0..self.senders.len() {
            let senders = &mut self.senders[word];
            // Pairs with the change in `announce`.
            let seen = self.ready[word].load(Ordering::Acquire);
            senders.known |= seen & senders.open;
            let mut left = senders.known;
            while left != 0 {
                if !is_empty(word * BITS + left.trailing_zeros() as usize) {
                    return false;
                }
                left &= left - 1;
                looks += 1;
            }
        }
        self.vain = self.vain.saturating_add(looks);
        self.vain < self.habits.looks
    }

    /// Looks into the rings, from one behind the last that gave something on, until `look` finds
    /// something.
    #[inline]
    pub(super) fn poll<T>(&mut self, mut look: impl FnMut(usize) -> Option<T>) -> Option<T> {
        let words = self.senders.len();
        let (first, start) = (self.next / BITS, (self.next % BITS) as u32);
        let lowest = u64::MAX << start;
        // The first word comes twice: its upper bits, and at last its lower ones. If it is the only
        // one it is turned instead, so that the first to look at is the lowest bit.
        let steps = if words == 1 { 1 } else { words + 1 };
        for step in 0..steps {
            let word = if first + step < words { first + step } else { first + step - words };
            let senders = &mut self.senders[word];
            // Pairs with the change in `announce`.
            senders.known |= self.ready[word].load(Ordering::Acquire) & senders.open;
            let known = senders.known;
            let (mut left, turned_by) = match step {
                _ if words == 1 => (known.rotate_right(start), start),
                0 => (known & lowest, 0),
                _ if step == words => (known & !lowest, 0),
                _ => (known, 0),
            };
            while left != 0 {
                let bit = (turned_by + left.trailing_zeros()) as usize % BITS;
                left &= left - 1;
                let sender = word * BITS + bit;
                if let Some(found) = look(sender) {
                    senders.heard |= 1 << bit;
                    self.next = if sender + 1 < words * BITS { sender + 1 } else { 0 };
                    return Some(found);
                }
                // The sweep that follows each poll keeps it far from its end.
                self.vain += 1;
            }
        }
        None
    }

    /// Clears the bits of silent rings, if it is time. `speaks` says whether something was taken
    /// out of a ring without a poll since it was asked last, and `holds` whether it holds
    /// something.
    #[inline]
    pub(super) fn sweep(
        &mut self,
        fences: &Fences,
        speaks: impl Fn(usize) -> bool,
        holds: impl Fn(usize) -> bool,
    ) {
        if self.vain >= self.habits.looks {
            self.sweep_now(fences, speaks, holds);
        }
    }

    #[cold]
    fn sweep_now(
        &mut self,
        fences: &Fences,
        speaks: impl Fn(usize) -> bool,
        holds: impl Fn(usize) -> bool,
    ) {
        self.vain = 0;
        let known = self.senders.iter().map(|senders| senders.known.count_ones());
        if known.sum::<u32>() <= self.habits.few {
            return;
        }
        for word in 0..self.senders.len() {
            let senders = &mut self.senders[word];
            let mut silent = senders.known & !std::mem::take(&mut senders.heard);
            for bit in (0..BITS).filter(|bit| senders.known & 1 << bit != 0) {
                if speaks(word * BITS + bit) {
                    silent &= !(1 << bit);
                }
            }
            if silent == 0 {
                continue;
            }
            // Pairs with the load in `announce`.
            self.ready[word].fetch_and(!silent, Ordering::AcqRel);
            // Orders it before the looks. Pairs with the fence of the callers of `announce`: either
            // they see the bit cleared, or the message is seen here.
            if !fences.heavy() {
                // They may not see it, and are looked at on.
                continue;
            }
            for bit in (0..BITS).filter(|bit| silent & 1 << bit != 0) {
                // One that holds something stays known; its sender will set the bit again.
                if !holds(word * BITS + bit) {
                    senders.known &= !(1 << bit);
                }
            }
        }
    }

    /// Whether a poll would find something, or a ring that it has not known of.
    #[inline]
    pub(super) fn has_something(&self, holds: impl Fn(usize) -> bool) -> bool {
        self.senders.iter().zip(&*self.ready).enumerate().any(|(word, (senders, ready))| {
            let mut left = senders.known;
            // Pairs with the change in `announce`.
            ready.load(Ordering::Acquire) & senders.open & !left != 0
                || std::iter::from_fn(|| {
                    let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                    left &= left - 1;
                    Some(bit)
                })
                .any(|bit| holds(word * BITS + bit))
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::cell::Cell;

    use super::super::segment::Segment;
    use super::*;
    use crate::sys::atomic::plain::AtomicU64;

    const HABITS: Habits = Habits { few: 2, looks: 8 };

    fn inbox(words: usize, senders: &[usize]) -> Inbox<Vec<AtomicU64>> {
        let bits: Vec<AtomicU64> = (0..words).map(|_| AtomicU64::new(0)).collect();
        let mut inbox = Inbox::new(bits, HABITS);
        senders.iter().for_each(|&sender| inbox.open(sender));
        for &sender in senders {
            announce(ready(&inbox.ready, sender));
        }
        inbox
    }

    /// Whoever has something is served once in a turn, though all others have something all the
    /// time. (Planted: turns that begin anew with the first, or that come round within a word.)
    #[test]
    fn every_sender_is_served_once_in_a_turn() {
        for senders in [vec![1], vec![0, 63, 64], vec![5, 6, 70, 127, 128, 190], (0..256).collect()]
        {
            let mut inbox = inbox(4, &senders);
            let mut last = vec![0; 256];
            for turn in 1..10 * senders.len() {
                let from = inbox.poll(Some).expect("all have something");
                assert!(senders.contains(&from));
                last[from] = turn;
                let oldest = senders.iter().map(|&sender| last[sender]).min().unwrap();
                assert!(turn - oldest <= senders.len(), "{senders:?}: {last:?}");
            }
        }
    }

    #[test]
    fn only_senders_with_a_ring_and_a_ready_bit_are_polled() {
        let mut inbox = inbox(2, &[3, 70]);
        announce(ready(&inbox.ready, 5));
        inbox.open(71);
        inbox.close(70);
        let mut looked = Vec::new();
        assert_eq!(
            inbox.poll(|sender| -> Option<()> {
                looked.push(sender);
                None
            }),
            None
        );
        assert_eq!(looked, [3]);
        // One that is not known yet counts as something: it is worth a look.
        announce(ready(&inbox.ready, 71));
        assert!(inbox.has_something(|_| false));
        assert_eq!(inbox.poll(|sender| (sender == 71).then_some(sender)), Some(71));
        assert!(!inbox.has_something(|_| false) && inbox.has_something(|sender| sender == 71));
    }

    /// It is never quiet where something is, or where a ring has spoken up; and it is not where the
    /// silent are to be left alone, so that they are. (Planted: one that does not see new bits, and
    /// one that does not count its looks.)
    #[test]
    fn an_inbox_is_empty_when_a_poll_would_find_nothing() {
        let mut inbox = inbox(2, &[1, 2, 65]);
        assert!(inbox.is_empty(|_| true));
        for something in [1, 2, 65] {
            assert!(!inbox.is_empty(|sender| sender != something));
        }
        inbox.open(70);
        announce(ready(&inbox.ready, 70));
        assert!(!inbox.is_empty(|sender| sender != 70));
        let quiet = (0..10).take_while(|_| inbox.is_empty(|_| true)).count();
        assert!((1..10).contains(&quiet), "no sweep is ever due");
        assert_eq!(inbox.poll(|_| None::<()>), None);
        inbox.sweep(&Fences::plain(), |_| false, |_| false);
        let looked = Cell::new(0);
        assert!(inbox.is_empty(|_| {
            looked.set(looked.get() + 1);
            true
        }));
        assert!(looked.get() < 4, "the silent are looked at still");
    }

    /// Who was served since the last sweep is looked at on, though it holds nothing at that time.
    #[test]
    fn a_sender_that_was_served_is_not_silent() {
        let mut inbox = inbox(1, &[1, 2, 3]);
        for _ in 0..8 {
            assert_eq!(inbox.poll(|sender| (sender == 2).then_some(())), Some(()));
            inbox.sweep(&Fences::plain(), |_| false, |_| false);
        }
        let mut looked = Vec::new();
        let looks = inbox.poll(|sender| -> Option<()> {
            looked.push(sender);
            None
        });
        assert_eq!((looks, looked), (None, vec![2]));
    }

    /// Its bit is cleared, and it will set that again only with its next message.
    #[test]
    fn a_silent_sender_with_a_message_is_still_polled() {
        for something in [1, 2, 65, 70] {
            let mut inbox = inbox(2, &[1, 2, 65, 70]);
            (0..HABITS.looks).for_each(|_| assert_eq!(inbox.poll(|_| None::<()>), None));
            inbox.sweep(&Fences::plain(), |_| false, |sender| sender == something);
            let mut looked = Vec::new();
            let looks = inbox.poll(|sender| -> Option<()> {
                looked.push(sender);
                None
            });
            assert_eq!((looks, looked), (None, vec![something]));
        }
    }

    /// As long as a sender may not see that its bit was cleared it is looked at on; then it is left
    /// alone. (Planted: to leave it alone at once.)
    ///
    /// SEMANTICS: FLOW-3
    #[test]
    fn a_sender_is_skipped_only_once_it_can_see_its_cleared_bit() {
        let segment = Segment::create(2).expect("memory");
        let fences = segment.fences();
        let mut inbox = inbox(1, &[1, 2, 3]);
        let mut sweep = || {
            let mut looked = 0;
            for _ in 0..HABITS.looks {
                looked = 0;
                inbox.poll(|_| -> Option<()> {
                    looked += 1;
                    None
                });
            }
            inbox.sweep(&fences, |_| false, |_| false);
            looked
        };
        assert_eq!((sweep(), sweep()), (3, 3), "it was not counted until then");
        while !fences.heavy() {}
        sweep();
        assert_eq!(sweep(), 0);
    }

    #[test]
    fn after_the_last_sender_the_first_is_next() {
        let mut inbox = inbox(2, &[0, 127]);
        assert_eq!(inbox.poll(|sender| (sender == 127).then_some(())), Some(()));
        let mut looked = Vec::new();
        let looks = inbox.poll(|sender| -> Option<()> {
            looked.push(sender);
            None
        });
        assert_eq!((looks, looked), (None, vec![0, 127]));
    }

    #[test]
    fn silent_senders_are_skipped_until_they_announce_a_message() {
        let mut inbox = inbox(2, &[1, 2, 3, 65]);
        let (looks, speaks) = (Cell::new(0), Cell::new(None));
        let look = |inbox: &mut Inbox<Vec<AtomicU64>>, something: &[usize]| {
            let found = inbox.poll(|sender| {
                looks.set(looks.get() + 1);
                something.contains(&sender).then_some(sender)
            });
            let speaks = |sender| speaks.get() == Some(sender);
            inbox.sweep(&Fences::plain(), speaks, |sender| something.contains(&sender));
            found
        };
        // Sender 2 is heard of in each round; 65 holds something when it is swept.
        for _ in 0..8 {
            look(&mut inbox, &[2]);
        }
        assert!(looks.take() > 8);
        look(&mut inbox, &[]);
        assert!(looks.take() <= 2, "the silent are looked at still");
        // Who is heard of in another way is looked at on; the third, for which the silent are
        // swept, is not.
        announce(ready(&inbox.ready, 1));
        announce(ready(&inbox.ready, 3));
        speaks.set(Some(3));
        for _ in 0..8 {
            look(&mut inbox, &[2]);
        }
        looks.take();
        look(&mut inbox, &[]);
        assert_eq!(
            looks.take(),
            2,
            "one that was heard of is left alone, or one that was not is looked at"
        );
        announce(ready(&inbox.ready, 65));
        assert_eq!(look(&mut inbox, &[65]), Some(65));
    }
}
