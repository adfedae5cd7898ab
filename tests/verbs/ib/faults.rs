//! Devices and queue pairs that fail, and reads that read nothing: built with `--cfg planted`.

use runahead::internals::message::{CONTROL, EAGER, SIGNAL};
use runahead::internals::verbs::{Fetched, PutMode, Vi};
use runahead::launch::run_on;
use runahead::{Config, Error, Launch};

use super::*;

/// The receives of a control queue pair.
const CONTROL_RECEIVES: u32 = 16;

/// A queue pair fails in the device, behind the back of the two that use it: each loses the other,
/// and nobody else.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn a_queue_pair_in_error_is_a_lost_peer() {
    let [mut here, mut there, mut other] = ranks::<_, 3>(&Ib, 4);
    here.post_send(to(1), &[1], &[]).unwrap();
    assert_eq!(receive_waiting(&mut there), [1]);
    here.plant_error(to(1));
    // Who waits hears of it, since what was posted for receiving comes back.
    while here.peer_state(1) == PeerState::Connected {
        here.wait(None);
        assert!(here.poll_recv(DATA).unwrap().is_none());
    }
    assert_eq!(here.loss(1), Some(("ibv_poll_cq", "its queue pair has failed")));
    assert!(here.why_gone(1).unwrap().contains("dmesg"));
    assert_eq!(here.post_send(to(1), &[1], &[]), Err(PostError::PeerGone(to(1))));
    // The other end hears of it when it sends.
    there.post_send(to(0), &[2], &[]).unwrap();
    while there.peer_state(0) == PeerState::Connected {
        there.wait(None);
        assert!(there.poll_recv(DATA).unwrap().is_none());
    }
    assert_eq!(there.loss(0), Some(("ibv_post_send", "the peer does not answer")));
    assert_eq!(there.post_send(to(0), &[1], &[]), Err(PostError::PeerGone(to(0))));
    for nic in [&mut here, &mut there] {
        nic.post_send(to(2), &[3], &[]).unwrap();
        assert_eq!(receive_waiting(&mut other), [3]);
        assert_eq!((nic.peer_state(2), nic.loss(2)), (PeerState::Connected, None));
    }
}

/// A device says that a read is done, and has read nothing (soft-RoCE does, where the other end
/// could not send the first packet of its answer): nobody is given what lay there before, and the
/// peer is lost.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn a_read_that_reads_nothing_is_a_lost_peer() {
    let why = "the device reports a read as done, but no data has arrived";
    let lost = Some(("ibv_poll_cq", why));
    // A payload, in a room that the same was read into before.
    let [mut here, mut there] = ranks(&Ib, 1);
    let buffer = reads(&mut there).expose(0, &[7; 100_000]).unwrap();
    for is_planted in [false, true] {
        if is_planted {
            here.plant_empty_read(to(1));
        }
        assert!(reads(&mut here).post_read(to(1), buffer, 100_000));
        let read = completed(&mut here);
        assert_eq!((read.peer, read.payload.is_none()), (1, is_planted));
        read.payload.into_iter().for_each(|payload| reads(&mut here).release(payload));
    }
    assert_eq!(here.loss(1), lost);
    assert!(here.why_gone(1).unwrap().contains(why));
    // A word, where another was before.
    let [mut here, mut there] = ranks(&Ib, 1);
    let key = there.register(2).unwrap();
    assert_eq!(here.register(2), Ok(key));
    put(&mut there, 1, key, 0, 5, PutMode::Silent);
    assert_eq!(here.fetch(1, key, 0), Ok(Fetched::Word(5)));
    here.plant_empty_fetch(1);
    assert_eq!(here.fetch(1, key, 1), Ok(Fetched::Gone));
    assert_eq!(here.loss(1), lost);
    // How many receives the peer has posted again on the control queue pair.
    let [mut here, _there] = ranks(&Ib, 1);
    here.plant_empty_fetch(1);
    (0..=CONTROL_RECEIVES).for_each(|_| here.wake(1));
    assert_eq!(here.loss(1), lost);
    // How many receives the peer has posted again.
    let [mut here, mut there] = ranks(&Ib, 1);
    here.post_send(to(1), &[1], &[]).unwrap();
    assert_eq!(receive_waiting(&mut there), [1]);
    here.plant_empty_read(to(1));
    assert_eq!(here.post_send(to(1), &[2], &[]), Err(PostError::PeerGone(to(1))));
    assert_eq!(here.loss(1), lost);
}

/// A device dies, and says nothing: whatever its rank waits for then, it waits in vain, and loses
/// all peers. (Planted: without the look in one of the loops, the test does not end.)
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn a_device_that_dies_is_the_loss_of_all_peers() {
    let lost = Some(("ibv_poll_cq", "the RDMA device of this rank does not answer"));
    let limit = Duration::from_millis(300);
    // It waits for a message; but who has left before is not lost by it.
    let [mut here, mut there, left] = ranks::<_, 3>(&Ib, 1);
    drop(left);
    while here.peer_state(2) == PeerState::Connected {
        here.wait(None);
    }
    here.plant_death(limit);
    there.post_send(to(0), &[1], &[]).unwrap();
    while here.peer_state(1) == PeerState::Connected {
        here.wait(None);
        assert!(here.poll_recv(DATA).unwrap().is_none(), "it is dead");
    }
    assert_eq!((here.loss(1), here.loss(2)), (lost, None));
    assert!(here.why_gone(1).unwrap().contains("dmesg"), "{:?}", here.why_gone(1));
    assert_eq!(here.post_send(to(1), &[1], &[]), Err(PostError::PeerGone(to(1))));
    // It waits for what the peer shows.
    let [mut here, _there] = ranks(&Ib, 1);
    (0..CONTROL_RECEIVES).for_each(|_| here.wake(1));
    // Long enough for it to take in that they are done.
    let until = Instant::now() + Duration::from_millis(500);
    while Instant::now() < until {
        here.wait(Some(Duration::from_millis(10)));
    }
    here.plant_death(limit);
    here.wake(1);
    assert_eq!(here.loss(1), lost);
    // It waits for room for words.
    let [mut here, mut there, _other] = ranks::<_, 3>(&Ib, 1);
    let key = there.register(1).unwrap();
    assert_eq!(here.register(1), Ok(key));
    put(&mut here, 1, key, 0, 1, PutMode::Immediate);
    here.plant_death(limit);
    for word in 0..1000 {
        put(&mut here, 1, key, 0, word, PutMode::Immediate);
    }
    assert_eq!((here.loss(1), here.loss(2)), (lost, lost));
    // It waits for a receive of the peer's.
    let [mut here, mut there] = ranks(&Ib, 1);
    here.post_send(to(1), &[1], &[]).unwrap();
    assert_eq!(receive_waiting(&mut there), [1]);
    here.plant_death(limit);
    assert_eq!(here.post_send(to(1), &[2], &[]), Err(PostError::PeerGone(to(1))));
    assert_eq!(here.loss(1), lost);
}

/// The same of a queue pair, under a program: the job ends, and says at which verb.
/// (What the rule END-2 of SEMANTICS.md says, on this network.)
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn a_queue_pair_in_error_ends_a_job_that_needs_it() {
    for cq in [EAGER, SIGNAL, CONTROL] {
        let fabric = Launch::new(3).fabric().unwrap();
        let mut nics = ib::connect(&settings(), 3, &fabric).unwrap();
        nics[1].plant_error(Vi { peer: 2, cq });
        let outcome = run_on(nics, &Config::new(3), |world| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % 3);
            for round in 0..u64::MAX {
                world.send(next, 0, &[round])?;
                world.barrier()?.wait()?;
                world.recv::<u64>((rank + 2) % 3, 0)?;
            }
            Ok(())
        });
        let error = outcome.unwrap_err();
        assert!(matches!(error.cause(), Error::Unreachable { rank: 1 | 2, .. }), "{error}");
        assert!(error.to_string().contains("is lost: ibv_"), "{error}");
    }
}
