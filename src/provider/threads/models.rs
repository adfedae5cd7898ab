//! Loom models of the threads provider as a whole: its queues, the descriptors and buffers that
//! come back, the end of a rank, and the words that ranks share. They drive [`ThreadsNic`] itself;
//! only the channels are a stand-in (`sys/channel.rs`), since loom does not see crossbeam's.
//!
//! Each model has two ranks, and explores all schedules with up to [`PREEMPTIONS`] preemptions (a
//! switch away from a thread that could go on). Every lost wake-up and every message that overtakes
//! an earlier one needs one or two: one rank stopped between two steps of its own, while the
//! other does all of its. Visible values are not bounded: a load may return any that the memory
//! model allows.
//!
//! Not modelled: crossbeam itself, and three ranks at once; the parker with two bringers has models
//! of its own (`parker.rs`). Which changes the models notice is listed in `.ci/weakenings`.

#[cfg(all(test, loom))]
use loom::{model::Builder, thread};

use super::{ThreadsNic, connect};
use crate::provider::{FabricSpec, QueueSpec};
use crate::verbs::{
    Cq, Nic, PeerState, PostError, PutMode, RegionKey, Reliability, RemoteWords, SharedWords, Vi,
    ViSpec,
};

const PREEMPTIONS: usize = 2;

const CQ: Cq = Cq(0);
/// Longer than what fits a frame.
const LONG: usize = 80;

/// Two ranks with `descriptors` each way and two shared words, in a thread each.
fn model(descriptors: u32, programs: [fn(ThreadsNic); 2]) {
    let mut model = Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(move || {
        let queues = vec![QueueSpec { recv_descriptors: descriptors, descriptor_bytes: LONG }];
        let nics = connect(2, &FabricSpec { queues, shared_words: 2, heap_bytes: 0 }).unwrap();
        let start = |(mut nic, program): (ThreadsNic, fn(ThreadsNic))| {
            let spec = ViSpec {
                recv_descriptors: descriptors,
                descriptor_bytes: LONG,
                reliability: Reliability::ReliableReception,
            };
            let peer = 1 - nic.rank();
            nic.open_vi(Vi { peer, cq: CQ }, &spec).unwrap();
            // What `post_put` writes into; before the other rank starts.
            nic.register(2).unwrap();
            (nic, program)
        };
        let ready: Vec<_> = nics.into_iter().zip(programs).map(start).collect();
        let start =
            |(nic, program): (ThreadsNic, fn(ThreadsNic))| thread::spawn(move || program(nic));
        for thread in ready.into_iter().map(start).collect::<Vec<_>>() {
            thread.join().unwrap();
        }
    });
}

fn to(peer: usize) -> Vi {
    Vi { peer, cq: CQ }
}

/// Sends `value` in a message of `len` bytes; waits for a descriptor.
fn send(nic: &mut ThreadsNic, value: u8, len: usize) {
    loop {
        match nic.post_send(to(1), &[value], &vec![value; len - 1]) {
            Ok(()) => return,
            Err(PostError::NoDescriptor(_)) => thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Receives `values` in this order, sleeping where nothing is there. Says where each lay.
fn receive(nic: &mut ThreadsNic, values: std::ops::RangeInclusive<u8>) -> Vec<usize> {
    let mut places = Vec::new();
    for value in values {
        let frame = loop {
            match nic.poll_recv(CQ).unwrap() {
                Some(completion) => break completion.frame,
                None => nic.wait(None),
            }
        };
        assert!(nic.bytes(&frame).iter().all(|byte| *byte == value));
        places.push(nic.bytes(&frame).as_ptr().addr());
        nic.post_recv(to(0), frame);
    }
    places
}

/// Every message arrives, in order, and wakes who sleeps for it.
#[test]
fn threads_queue_loses_no_message() {
    model(
        2,
        [
            |mut nic| {
                (1..=2).for_each(|value| send(&mut nic, value, 8));
                // Else its end would wake the receiver.
                std::mem::forget(nic);
            },
            |mut nic| drop(receive(&mut nic, 1..=2)),
        ],
    );
}

/// A descriptor that comes back brings its buffer: the next message makes none.
#[test]
fn threads_queue_uses_a_buffer_again() {
    model(
        1,
        [
            |mut nic| (1..=2).for_each(|value| send(&mut nic, value, LONG)),
            |mut nic| {
                let places = receive(&mut nic, 1..=2);
                assert_eq!(places[0], places[1], "a buffer was made while one was free");
            },
        ],
    );
}

/// Who sees that a rank has gone finds all that it had sent.
#[test]
fn threads_queue_has_all_of_a_rank_that_has_gone() {
    model(
        2,
        [
            |mut nic| (1..=2).for_each(|value| send(&mut nic, value, 8)),
            |mut nic| {
                let mut found = 0;
                loop {
                    let last = nic.peer_state(0) == PeerState::Gone;
                    match nic.poll_recv(CQ).unwrap() {
                        Some(_) => found += 1,
                        None if last => break,
                        None => nic.wait(None),
                    }
                }
                assert_eq!(found, 2);
            },
        ],
    );
}

/// Words that are put are seen in their order, and each wakes who sleeps.
#[test]
fn threads_words_are_seen_in_order() {
    model(
        1,
        [
            |mut nic| {
                let key = RegionKey(0);
                nic.post_put(1, key, 0, 1, PutMode::Immediate).unwrap();
                nic.post_put(1, key, 1, 1, PutMode::Immediate).unwrap();
            },
            |mut nic| {
                let key = RegionKey(0);
                while nic.read(0, key, 1).unwrap() == 0 {
                    nic.wait(None);
                }
                assert_eq!(nic.read(0, key, 0).unwrap(), 1);
            },
        ],
    );
}

/// A rank that sees a word of the board sees all that was published before it.
#[test]
fn threads_board_is_seen_in_order() {
    model(
        1,
        [
            |nic| {
                nic.store(0, 1);
                nic.store(1, 1);
            },
            |nic| {
                if nic.load(1) == 1 {
                    assert_eq!(nic.load(0), 1);
                }
            },
        ],
    );
}

/// Of two who publish and then look, one sees the other: what the board's wake-ups rest on.
#[test]
fn threads_board_shows_one_of_two_ranks_the_other() {
    fn publish_and_look(nic: &ThreadsNic) -> bool {
        nic.store(nic.rank(), 1);
        nic.load(1 - nic.rank()) == 1
    }
    let mut model = Builder::new();
    model.preemption_bound = Some(PREEMPTIONS);
    model.check(|| {
        let queues = vec![QueueSpec { recv_descriptors: 1, descriptor_bytes: 8 }];
        let nics = connect(2, &FabricSpec { queues, shared_words: 2, heap_bytes: 0 }).unwrap();
        let threads = nics.into_iter().map(|nic| thread::spawn(move || publish_and_look(&nic)));
        let seen: Vec<bool> =
            threads.collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(seen.contains(&true), "neither sees the other");
    });
}
