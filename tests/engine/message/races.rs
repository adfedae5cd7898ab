//! What happens between two looks at the network: a peer that ends just when something is posted to
//! it, and a receive that is given up just when its message was matched.

use std::sync::{Arc, Mutex};

use runahead::internals::message::{Notify, Patience};
use runahead::internals::verbs::{Nic, PostError, Vi};
use runahead::{Algorithm, Comm, Config, HostNic, Launch};

use super::{settle, worlds};

use crate::any_nic::AnyNic;

type Hook = Arc<Mutex<Option<Box<dyn FnOnce() + Send>>>>;

/// A network that does something else just before it posts a message.
struct Hooked {
    inner: HostNic,
    hook: Hook,
}

impl Nic for Hooked {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let hook = self.hook.lock().unwrap().take();
        if let Some(hook) = hook {
            hook();
        }
        self.inner.post_send(vi, header, payload)
    }

    forward!(all_but_sending);
}

/// A peer that sends, ends in good order and is gone between a look at the network and a post to it
/// is not lost, and neither is what it sent.
///
/// SEMANTICS: END-1, END-2
#[test]
fn who_ends_in_good_order_is_not_taken_for_lost() {
    let config = Config { window_messages: 1, ..Config::new(2) };
    let hook = Hook::default();
    let mut nics = Launch::new(2).options(config.clone()).connect().unwrap();
    let second = Comm::new(AnyNic::new(nics.pop().unwrap()), config.clone()).unwrap();
    let inner = nics.pop().unwrap();
    let first = Comm::new(AnyNic::new(Hooked { inner, hook: hook.clone() }), config).unwrap();

    first.isend(1, 0, &[1u8]).unwrap();
    let never_received = first.isend(1, 0, &[2u8]).unwrap();
    let posted = first.irecv::<u8>(1, 0).unwrap();
    assert_eq!(second.recv::<u8>(0, 0).unwrap().data, [1]);
    *hook.lock().unwrap() = Some(Box::new(move || {
        second.send(0, 0, &[7u8]).unwrap();
        second.end(false).unwrap();
    }));
    assert!(!posted.test().unwrap());
    assert_eq!(posted.wait().unwrap().data, [7]);
    let error = never_received.wait().unwrap_err();
    assert_eq!(error.to_string(), "rank 1 has ended, and this call needs it");
    first.end(false).unwrap();
}

/// The payload of a large message flows to the next posted receive if the one that had matched it
/// is given up, whatever the program waits for next.
///
/// SEMANTICS: FLOW-4
#[test]
fn a_transfer_goes_on_for_the_next_receive() {
    for given_up in [false, true] {
        let algorithm = Algorithm::AllToAll;
        let config = Config { eager_bytes: 8, algorithm, ..Config::new(3) };
        let mut all = worlds(3, &config);
        let (third, second, first) = (all.pop().unwrap(), all.pop().unwrap(), all.pop().unwrap());
        let matched = first.irecv::<u8>(1, 0).unwrap();
        let next = first.irecv::<u8>(1, 0).unwrap();
        first.barrier().unwrap();
        second.barrier().unwrap();
        let large = second.isend(0, 0, &[3u8; 100]).unwrap();
        settle(&[&first, &second]);
        third.barrier().unwrap();
        // This handles the signal that releases the message, and nothing else.
        first.send(2, 5, &[1u8]).unwrap();
        let kept = (!given_up).then_some(matched);
        settle(&[&first, &second, &third]);
        assert!(large.test().unwrap(), "given up: {given_up}");
        drop((kept, next));
    }
}

/// "Never sleep" is a patience too.
#[test]
fn patience_without_end() {
    let patience = Patience { polls: u32::MAX, yields: 4 };
    let config = Config { notify: Notify::Fixed(patience), ..Config::new(2) };
    let run = Launch::new(2).options(config).run(|world| {
        if world.rank() == 0 {
            world.recv::<u8>(1, 0).map(drop)
        } else {
            std::thread::yield_now();
            world.send(0, 0, &[1u8])
        }
    });
    run.unwrap();
}

/// A send that waits for room at a rank that is there does not fail because a barrier of both, which
/// does not keep the message back, has become hopeless.
///
/// SEMANTICS: END-2
#[test]
fn a_hopeless_barrier_fails_no_send_that_it_does_not_contain() {
    let config = Config { window_messages: 1, ..Config::new(3) };
    let sent = Mutex::new(None);
    let run = Launch::new(3).options(config).run(|world| {
        match world.rank() {
            0 => {
                world.send(1, 0, &[1u8])?;
                world.barrier()?;
                let second = world.send(1, 0, &[2u8]);
                *sent.lock().unwrap() = Some(second);
            }
            1 => {
                assert!(world.recv::<u8>(2, 0).is_err(), "rank 2 has ended");
                for _ in 0..1000 {
                    std::thread::yield_now();
                }
                assert_eq!(world.recv::<u8>(0, 0)?.data, [1]);
                while sent.lock().unwrap().is_none() {
                    world.progress()?;
                    std::thread::yield_now();
                }
            }
            _ => {} // ends without calling the barrier
        }
        Ok(())
    });
    sent.into_inner().unwrap().expect("rank 0 has sent").unwrap();
    let error = run.unwrap_err().to_string();
    // Ranks 1 and 2 are both to blame, and either may be named.
    assert!(error.ends_with(" finished without entering it"), "{error}");
    assert!(error.contains("barrier 1 of world cannot complete"), "{error}");
}
