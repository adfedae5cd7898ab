//! Ranks on two hosts, by two networks that are [joined](crate::provider::host): a rank sleeps in
//! one of them, and looks for what the other brings after a beat. So here there is time, in beats
//! ([`crate::sys::beats`]): none passes while any rank can do anything, and of each model it is
//! said how many there are at most. More would be a wake-up that is owed, or a rank that sleeps
//! again though what it waits for is there.
//!
//! The networks are those of `src/provider/host/models.rs`. Ranks 0 and 2 are on one host, and rank
//! 1 on the other.

use super::ends::{receive_is_told, receive_loses, send_end, send_vanish};
use super::*;
use crate::provider::host::Hosts;
use crate::provider::host::models::{Both, connect};

impl Network for Both {
    fn connect(size: usize, spec: &FabricSpec) -> Vec<Self> {
        let hosts: Vec<usize> = (0..size).map(|rank| rank % 2).collect();
        let words = match spec.shared_words {
            0 => 0,
            _ => Config::shared_words_on(size, size.min(2)),
        };
        connect(&Hosts::of_ids(&hosts), &spec.queues, words)
    }
}

const fn beats(name: &'static str, most: usize, preemptions: usize) -> Model {
    Model { beats: Some(most), ..Model::new(name, Algorithm::Board, preemptions) }
}

/// The last to enter may find nobody whom it could wake.
// SEMANTICS: BAR-4, BAR-8
#[test]
fn no_rank_sleeps_through_a_barrier_of_two_hosts() {
    let model = beats("no rank sleeps through a barrier of two hosts", 1, 2);
    model.run::<Both, _>([barrier_wait, barrier_wait]);
    model.run::<Both, _>([barrier_wait, barrier]);
    // Signals are messages, which wake.
    let model = Model { algorithm: Algorithm::Butterfly, beats: Some(0), ..model };
    model.run::<Both, _>([barrier_wait, barrier_wait]);
}

// SEMANTICS: BAR-4, BAR-8
#[test]
fn three_ranks_on_two_hosts_sleep_through_no_barrier() {
    let model = beats("three ranks on two hosts sleep through no barrier", 1, 1);
    model.run::<Both, _>([barrier_wait, barrier_wait, barrier_wait]);
}

/// Who waits for a peer hears it at once, and finds the barrier complete.
// SEMANTICS: ORD-1, HOLD-1
#[test]
fn a_message_of_another_host_wakes_its_receiver() {
    let model = beats("a message of another host wakes its receiver", 0, 2);
    model.run::<Both, _>([barrier_send, barrier_receive]);
}

/// Credit wakes it: it is alone on its host, and sleeps where that comes.
// SEMANTICS: FLOW-1, ORD-2
#[test]
fn a_rank_asleep_for_credit_of_another_host_is_woken() {
    let model = beats("a rank asleep for credit of another host is woken", 0, 1);
    let model = Model { window: 1, ..model };
    model.run::<Both, _>([send_three, receive_three]);
}

// SEMANTICS: GRP-3
#[test]
fn a_dropped_group_returns_credit_to_another_host() {
    let model = beats("a dropped group returns credit to another host", 1, 1);
    let model = Model { window: 1, groups: &[&[0, 1]], ..model };
    model.run::<Both, _>([send_unwanted, drop_wait]);
}

// SEMANTICS: END-2
#[test]
fn a_rank_asleep_for_a_sender_on_another_host_learns_of_its_end() {
    let model = beats("a rank asleep for a sender on another host learns of its end", 0, 1);
    model.run::<Both, _>([send_end, receive_is_told]);
    model.run::<Both, _>([send_vanish, receive_loses]);
}
