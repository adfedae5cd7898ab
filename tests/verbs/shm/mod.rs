//! What only the shm provider has.

mod following;
mod hostile;
mod hostile_offers;
mod processes;
mod segment;
mod world;

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use fastrand::Rng;
use runahead::internals::provider::shm::{Segment, ShmNic, bytes_needed, connect};
use runahead::internals::provider::{FabricSpec, QueueSpec};
use runahead::internals::verbs::{
    Nic, PostError, Reliability, RemoteRead, Revoke, SharedWords, VerbsError, Vi, ViSpec, WakeOn,
};

use crate::fabric::*;

fn spec(recv_descriptors: u32, descriptor_bytes: usize) -> FabricSpec {
    FabricSpec {
        queues: vec![QueueSpec { recv_descriptors, descriptor_bytes }],
        shared_words: 0,
        heap_bytes: 0,
    }
}

#[test]
fn a_fabric_above_the_limits_is_refused() {
    let above = [
        (257, spec(1, 64)),
        (usize::MAX, spec(1, 64)),
        (2, spec(u32::MAX, 64)),
        (2, spec(1, usize::MAX)),
        (256, spec(1 << 16, 64)),
        (2, FabricSpec { shared_words: usize::MAX, ..spec(1, 64) }),
        (2, FabricSpec { heap_bytes: (1 << 30) + 1, ..spec(1, 64) }),
        (2, FabricSpec { heap_bytes: usize::MAX, ..spec(1, 64) }),
        (2, FabricSpec { queues: spec(1, 64).queues.repeat(17), ..spec(1, 64) }),
    ];
    for (size, spec) in above {
        let refused = connect(size, &spec).err();
        assert!(matches!(refused, Some(VerbsError::AboveLimit { .. })), "{size} ranks, {spec:?}");
    }
    assert_eq!(connect(0, &spec(1, 64)).unwrap().len(), 0);
    assert_eq!(connect(256, &spec(1, 64)).unwrap().len(), 256);
}

#[test]
fn what_does_not_fit_is_refused_with_its_length() {
    let large = spec(1 << 10, 1 << 20);
    let asked = bytes_needed(64, &large);
    let limit = 6 << 30;
    // 64 times 64 pairs of a thousand messages of a mebibyte.
    assert!(asked > 1 << 42);
    let what = "segment of shared memory in bytes";
    let refused = VerbsError::AboveLimit { provider: "shm", what, asked, limit };
    assert_eq!(connect(64, &large).err(), Some(refused));
    assert_eq!(bytes_needed(257, &large), usize::MAX);
    // As much as there may be of everything is too much, and can be said.
    let most = FabricSpec { queues: spec(1 << 16, 1 << 20).queues.repeat(16), ..spec(1, 64) };
    assert!(bytes_needed(256, &most) > 1 << 50);
    assert!(matches!(connect(256, &most), Err(VerbsError::AboveLimit { .. })));
}

/// Payloads that were exposed leave some memory with their rank, and the rest to the system, but not as soon as nothing is
/// exposed: the next step may need it.
#[test]
fn memory_of_payloads_goes_back_to_the_system() {
    let segment = Segment::create(2).unwrap();
    let spec = FabricSpec { heap_bytes: 64 << 20, ..spec(1, 64) };
    let mut nics = [0, 1].map(|rank| segment.nic(rank, &spec).unwrap());
    let vi = ViSpec { descriptor_bytes: 64, ..reliable(1) };
    nics[0].open_vi(to(1), &vi).unwrap();
    let used_bytes = || {
        let file = File::from(segment.fd().try_clone_to_owned().unwrap());
        file.metadata().unwrap().blocks() * 512
    };
    let idle = used_bytes();
    let payload = vec![7; 12 << 20];
    let exposed = [(); 4].map(|()| nics[0].expose(1, &payload).unwrap());
    assert!(used_bytes() - idle >= 48 << 20);
    for buffer in exposed {
        assert!(used_bytes() - idle >= 48 << 20, "some is exposed");
        nics[0].revoke(1, buffer, Revoke::AfterRead);
    }
    assert!(used_bytes() - idle >= 48 << 20, "it goes at once");
    for _ in 0..600 {
        // As a rank that waits and exposes no more.
        nics[0].wait_unless(WakeOn::ANYTHING, |_| false, Some(Duration::from_millis(50)));
        if used_bytes() - idle < 17 << 20 {
            break;
        }
    }
    let kept = used_bytes() - idle;
    assert!((8 << 20..17 << 20).contains(&kept), "{kept} bytes stay");
    // It is used again.
    let buffer = nics[0].expose(1, &payload).unwrap();
    nics[1].open_vi(to(0), &vi).unwrap();
    assert!(nics[1].post_read(to(0), buffer, payload.len()));
    let read = nics[1].poll_read(DATA).and_then(|read| read.payload);
    assert!(read.is_some_and(|read| read.as_ref() == payload));
}

/// Long messages of any length, of which some are copied past the caches, in buffers that are used
/// again.
#[test]
fn long_messages_are_whole_by_any_way_of_copying() {
    const LONGEST: usize = 70_000;
    let vi = ViSpec { recv_descriptors: 5, descriptor_bytes: LONGEST, ..reliable(5) };
    let [mut here, mut there]: [ShmNic; 2] =
        connect(2, &spec(5, LONGEST)).unwrap().try_into().ok().unwrap();
    here.open_vi(to(1), &vi).unwrap();
    there.open_vi(to(0), &vi).unwrap();
    let mut random = Rng::with_seed(7);
    for _ in 0..300 {
        let sent: Vec<u8> = (0..random.usize(15_000..=LONGEST)).map(|_| random.u8(..)).collect();
        let (header, payload) = sent.split_at(random.usize(0..100));
        here.post_send(to(1), header, payload).unwrap();
        assert!(receive(&mut there) == (0, sent));
    }
}

#[test]
fn a_vi_is_as_reliable_as_asked_or_more() {
    let opened = [Reliability::ReliableReception, Reliability::ReliableDelivery].map(|asked| {
        let mut nics = Shm.connect(2, &[reliable(1)]);
        nics[0].open_vi(to(1), &ViSpec { reliability: asked, ..reliable(1) }).unwrap()
    });
    assert_eq!(opened, [Reliability::ReliableReception; 2]);
}

#[test]
fn an_unreliable_vi_loses_what_meets_no_descriptor() {
    let mut nics = Shm.connect(2, &[reliable(2)]);
    let spec = ViSpec { reliability: Reliability::Unreliable, ..reliable(2) };
    assert_eq!(nics[0].open_vi(to(1), &spec), Ok(Reliability::Unreliable));
    nics[1].open_vi(to(0), &spec).unwrap();
    for number in 0..5 {
        nics[0].post_send(to(1), &[number], &[]).unwrap();
    }
    assert_eq!(nics[0].lost(), 3);
    assert_eq!([receive(&mut nics[1]).1, receive(&mut nics[1]).1], [[0], [1]]);
    nics[0].post_send(to(1), &[5], &[]).unwrap();
    assert_eq!(receive(&mut nics[1]).1, [5]);
    assert!(nics[1].poll_recv(DATA).unwrap().is_none());
    assert_eq!(nics[0].lost(), 3);
}

#[test]
fn senders_are_served_by_turns() {
    let [mut hub, mut one, mut two, mut three]: [ShmNic; 4] = ranks(&Shm, 3);
    for number in 0..3 {
        for spoke in [&mut one, &mut two, &mut three] {
            spoke.post_send(to(0), &[number], &[]).unwrap();
        }
    }
    let served: Vec<_> = (0..9).map(|_| receive(&mut hub)).collect();
    let turns = (0..3).flat_map(|number| [1, 2, 3].map(|peer| (peer, vec![number])));
    assert_eq!(served, turns.collect::<Vec<_>>());
}

/// Long enough for the receiver to leave silent senders alone, again and again.
#[test]
fn a_sender_that_was_silent_for_long_is_heard() {
    for size in [4, 9, 70] {
        let mut nics = Shm.connect(size, &[reliable(1)]);
        open_all(&mut nics, &[reliable(1)]);
        let (hub, spokes) = nics.split_first_mut().unwrap();
        for round in 0..4 {
            for spoke in &mut *spokes {
                spoke.post_send(to(0), &[round], &[]).unwrap();
                // Asleep or not, it must know.
                hub.wait(None);
                assert_eq!(receive(hub), (spoke.rank(), vec![round]));
                (0..3000).for_each(|_| assert!(hub.poll_recv(DATA).unwrap().is_none()));
            }
            hub.wait(Some(Duration::ZERO));
        }
    }
}

/// The receiver stops looking at the silent in the middle of a poll. Whoever has spoken up by then,
/// and has not had its turn, is heard all the same, at whichever look that is.
#[test]
fn who_speaks_up_when_the_silent_are_left_alone_is_heard() {
    let [mut hub, mut spokes @ ..]: [ShmNic; 9] = ranks(&Shm, 1);
    for looks in 0..200 {
        for spoke in &mut spokes {
            spoke.post_send(to(0), &[0], &[]).unwrap();
        }
        for _ in 0..8 {
            assert_eq!(receive(&mut hub).1, [0]);
        }
        (0..looks).for_each(|_| assert!(hub.poll_recv(DATA).unwrap().is_none()));
        for spoke in &mut spokes[5..] {
            spoke.post_send(to(0), &[looks], &[]).unwrap();
        }
        let mut heard = [(); 3].map(|()| receive(&mut hub));
        heard.sort_unstable();
        assert_eq!(heard, [6, 7, 8].map(|peer| (peer, vec![looks])));
    }
}

/// As above, at whatever moment: what lies in a ring while the silent are left alone is found at
/// the next look.
#[test]
fn what_lies_there_when_the_silent_are_left_alone_is_found() {
    let [mut hub, mut spokes @ ..]: [ShmNic; 9] = ranks(&Shm, 1);
    let mut dice = Rng::with_seed(1);
    for _ in 0..4000 {
        (0..dice.u32(..140)).for_each(|_| assert!(hub.poll_recv(DATA).unwrap().is_none()));
        let sent: Vec<_> = spokes.iter_mut().filter(|_| dice.bool()).collect();
        let count = sent.len();
        for spoke in sent {
            spoke.post_send(to(0), &[0], &[]).unwrap();
        }
        for _ in 0..count {
            let arrived = hub.poll_recv(DATA).unwrap().expect("it lies there");
            hub.post_recv(to(arrived.peer), arrived.frame);
        }
    }
}

#[test]
fn a_look_at_one_peer_tells_of_that_one() {
    let [mut hub, mut one, two] = ranks::<_, 3>(&Shm, 1);
    assert!(hub.has_nothing_from(to(1)) && hub.has_nothing_from(to(2)));
    one.post_send(to(0), &[1], &[]).unwrap();
    assert!(!hub.has_nothing_from(to(1)) && hub.has_nothing_from(to(2)));
    assert_eq!(receive(&mut hub), (1, vec![1]));
    assert!(hub.has_nothing_from(to(1)));
    // Of those that there are not it is not sure.
    assert!(!hub.has_nothing_from(to(0)) && !hub.has_nothing_from(to(3)));
    drop(two);
}

/// What came on one queue is no descriptor of another.
#[test]
fn a_frame_goes_back_to_its_own_ring_alone() {
    let [mut here, mut there] = ranks::<_, 2>(&Shm, 1);
    let acks = Vi { peer: 0, cq: ACKS };
    there.post_send(to(0), &[7; 100], &[]).unwrap();
    there.post_send(acks, &[8; 100], &[]).unwrap();
    let (data, ack) = (next(&mut here, DATA).frame, next(&mut here, ACKS).frame);
    here.post_recv(Vi { peer: 1, cq: ACKS }, data);
    assert_eq!(there.post_send(acks, &[9; 100], &[]), Err(PostError::NoDescriptor(acks)));
    assert_eq!(here.bytes(&ack), [8; 100]);
    here.post_recv(Vi { peer: 1, cq: ACKS }, ack);
    there.post_send(acks, &[9; 100], &[]).unwrap();
    let ack = next(&mut here, ACKS).frame;
    assert_eq!(here.bytes(&ack), [9; 100]);
}

/// Behind the last rank is none, and not the first rank's place on the next queue.
#[test]
fn nothing_is_sent_to_who_is_not_there() {
    let [mut here, mut there] = ranks::<_, 2>(&Shm, 1);
    for cq in [DATA, ACKS] {
        let beyond = Vi { peer: 2, cq };
        assert_eq!(there.post_send(beyond, &[7], &[]), Err(PostError::NotOpen(beyond)));
    }
    assert!(here.poll_recv(ACKS).unwrap().is_none());
}

/// What lies on any queue keeps its receiver from sleeping.
#[test]
fn nobody_sleeps_over_what_lies_there() {
    let [mut here, mut there] = ranks::<_, 2>(&Shm, 2);
    for cq in [DATA, ACKS] {
        let vi = Vi { peer: 0, cq };
        // The first makes it known that its ring is to be looked at.
        there.post_send(vi, &[1], &[]).unwrap();
        let first = next(&mut here, cq);
        there.post_send(vi, &[2], &[]).unwrap();
        here.wait(None);
        let second = next(&mut here, cq);
        assert_eq!([&first, &second].map(|next| here.bytes(&next.frame)), [[1], [2]]);
    }
}

/// A message is shown where it lies, short or long, and can be taken; until then it stays.
#[test]
fn what_has_come_is_shown() {
    let [mut here, mut there] = ranks::<_, 2>(&Shm, 1);
    for len in [1, 56, 57, 100, 3] {
        assert_eq!(here.peek_recv(to(1)), None);
        there.post_send(to(0), &vec![len as u8; len], &[]).unwrap();
        for _ in 0..2 {
            assert_eq!(here.peek_recv(to(1)), Some(&vec![len as u8; len][..]));
        }
        if len % 2 == 0 {
            here.take_peeked(to(1));
        } else {
            assert_eq!(receive(&mut here), (1, vec![len as u8; len]));
        }
    }
}

/// Who has nothing to look for sleeps, and is not back at once. (No load makes that shorter.)
#[test]
fn who_has_nothing_to_look_for_sleeps() {
    let [mut here, _there] = ranks::<_, 2>(&Shm, 1);
    let begun = Instant::now();
    (0..20).for_each(|_| here.wait(Some(Duration::from_millis(5))));
    // Some may return early without a reason.
    assert!(begun.elapsed() >= Duration::from_millis(50));
}

#[test]
fn a_frame_outlives_its_interface() {
    let [mut here, mut there, other] = ranks::<_, 3>(&Shm, 1);
    there.post_send(to(0), &[7; 100], &[]).unwrap();
    let frame = next(&mut here, DATA).frame;
    drop((here, there));
    assert_eq!(other.bytes(&frame), [7; 100]);
    drop(other);
    assert_eq!(format!("{frame:?}"), "100 bytes from rank 1");
}

#[test]
fn words_are_shared_by_all() {
    let [here, there, other] = ranks::<_, 3>(&Shm, 1);
    assert_eq!([&here, &there, &other].map(|nic| nic.count()), [64; 3]);
    for word in 0..64 {
        assert_eq!(there.load(word), 0);
        here.store(word, word as u64 + 1);
    }
    for word in 0..64 {
        assert_eq!([&here, &there, &other].map(|nic| nic.load(word)), [word as u64 + 1; 3]);
    }
}

#[test]
fn no_wake_up_is_lost_between_shared_words() {
    let [mut here, mut there] = ranks::<_, 2>(&Shm, 1);
    let play = |nic: &mut ShmNic, own: usize, first: bool| {
        for round in 1..=1000 {
            if first {
                nic.store(own, round);
                nic.wake(1 - own);
            }
            while nic.load(1 - own) != round {
                nic.wait_unless(WakeOn::ANYTHING, |load| load(1 - own) == round, None);
            }
            if !first {
                nic.store(own, round);
                nic.wake_many(std::iter::once(1 - own));
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| play(&mut here, 0, true));
        scope.spawn(|| play(&mut there, 1, false));
    });
}

/// However many sleep together, one call wakes them all.
#[test]
fn all_who_sleep_together_are_woken() {
    const ROUNDS: u64 = 60;
    let [mut one, mut other, rings] = ranks::<_, 3>(&Shm, 1);
    let together = WakeOn { together: true, ..WakeOn::ANYTHING };
    let sleep = |nic: &mut ShmNic, own: usize| {
        for round in 1..=ROUNDS {
            while nic.load(2) < round {
                nic.wait_unless(together, |load| load(2) >= round, None);
            }
            nic.store(own, round);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| sleep(&mut one, 0));
        scope.spawn(|| sleep(&mut other, 1));
        for round in 1..=ROUNDS {
            // Until they sleep, most often.
            std::thread::sleep(Duration::from_millis(1));
            rings.store(2, round);
            rings.wake_many([0, 1].into_iter());
            while [0, 1].iter().any(|&word| rings.load(word) < round) {
                std::thread::yield_now();
            }
        }
    });
}

/// Who sleeps, and has not been woken, is counted by all.
#[test]
fn who_sleeps_is_counted() {
    let [mut one, mut other, looks] = ranks::<_, 3>(&Shm, 1);
    let sleep = |nic: &mut ShmNic, own: usize| {
        while nic.load(own) == 0 {
            nic.wait_unless(WakeOn::ANYTHING, |load| load(own) > 0, None);
        }
    };
    let until = |number: usize| {
        while looks.sleeping() != number {
            std::thread::yield_now();
        }
    };
    until(0);
    std::thread::scope(|scope| {
        scope.spawn(|| sleep(&mut one, 0));
        scope.spawn(|| sleep(&mut other, 1));
        for (rank, left) in [(0, 1), (1, 0)] {
            until(left + 1);
            looks.store(rank, 1);
            looks.wake(rank);
            until(left);
        }
    });
}
