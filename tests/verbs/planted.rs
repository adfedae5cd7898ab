//! Providers that break a promise, and the checks that must notice it.

use runahead::internals::verbs::{Nic, PostError, Vi};

use crate::fabric::*;
use crate::stream::{Violation, by_turns, by_turns_within, in_parallel};

/// What is done to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plant {
    Nothing,
    Swap,
    Lose,
    Repeat,
    Damage,
}

/// The message from rank 0 to rank 1 that it is done to.
const AT: u64 = 20;

/// A provider with one planted fault.
struct Planted<N> {
    inner: N,
    plant: Plant,
    posted: u64,
    /// A message that waits for the next one to go first.
    swapped: Option<Vec<u8>>,
}

impl<N: Nic> Nic for Planted<N> {
    type Frame = N::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let number = self.posted;
        if (self.inner.rank(), vi) != (0, to(1)) {
            return self.inner.post_send(vi, header, payload);
        }
        self.posted += 1;
        if number != AT {
            self.inner.post_send(vi, header, payload)?;
            return self.swapped.take().map_or(Ok(()), |late| self.inner.post_send(vi, &late, &[]));
        }
        let mut message = [header, payload].concat();
        match self.plant {
            Plant::Nothing => {}
            Plant::Lose => return Ok(()),
            Plant::Swap => {
                self.swapped = Some(message);
                return Ok(());
            }
            Plant::Repeat => self.inner.post_send(vi, header, payload)?,
            Plant::Damage => *message.last_mut().expect("no message is empty") ^= 1,
        }
        self.inner.post_send(vi, &message, &[])
    }

    forward!(all_but_sending);
}

/// A fabric of three with one planted fault, and a window that leaves room for it.
fn planted(plant: Plant) -> Vec<impl Nic> {
    let nics: [_; 3] = ranks(&Threads, 9);
    let planted = |inner| Planted { inner, plant, posted: 0, swapped: None };
    nics.into_iter().map(planted).collect()
}

const WINDOW: u32 = 8;

fn out_of_order(expected: u64, found: u64) -> Result<(), Violation> {
    Err(Violation::OutOfOrder { from: 0, expected, found })
}

#[test]
fn a_stream_without_a_planted_fault_is_accepted() {
    assert_eq!(by_turns(planted(Plant::Nothing), WINDOW, 50), Ok(()));
    assert_eq!(in_parallel(planted(Plant::Nothing), WINDOW, 50), Ok(()));
}

#[test]
fn two_swapped_messages_are_noticed() {
    assert_eq!(by_turns(planted(Plant::Swap), WINDOW, 50), out_of_order(AT, AT + 1));
    assert_eq!(in_parallel(planted(Plant::Swap), WINDOW, 50), out_of_order(AT, AT + 1));
}

#[test]
fn a_lost_message_is_noticed() {
    assert_eq!(by_turns(planted(Plant::Lose), WINDOW, 50), out_of_order(AT, AT + 1));
    assert_eq!(in_parallel(planted(Plant::Lose), WINDOW, 50), out_of_order(AT, AT + 1));
}

#[test]
fn the_loss_of_the_last_message_is_noticed() {
    let outcome = by_turns_within(5000, planted(Plant::Lose), WINDOW, AT + 1);
    assert_eq!(outcome, Err(Violation::Stalled));
}

#[test]
fn a_repeated_message_is_noticed() {
    assert_eq!(by_turns(planted(Plant::Repeat), WINDOW, 50), out_of_order(AT + 1, AT));
}

#[test]
fn a_damaged_message_is_noticed() {
    let damaged = Err(Violation::Damaged { from: 0, expected: AT });
    assert_eq!(by_turns(planted(Plant::Damage), WINDOW, 50), damaged);
}
