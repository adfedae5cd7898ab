//! Planted faults: a network that breaks its promises. Either the runtime says so by a typed error
//! that names the peer, without a panic of its own, or the checks of this suite fail.

use runahead::internals::message::{
    CONTROL, EAGER, SIGNAL, Violation, decode_signal, encode_signal,
};
use runahead::internals::verbs::{Cq, Nic, PostError, Vi};
use runahead::{Config, Error, HostNic, MessageError};

use crate::harness::{Case, Host, Provider};
use crate::{ordering, withholding};

/// What a tampered interface makes of a message on its way out: how often it goes, and with which
/// header.
type Tamper = fn(cq: Cq, number: u64, header: &mut Vec<u8>) -> usize;

/// An interface that tampers with what it sends.
pub struct Tampered {
    inner: HostNic,
    tamper: Tamper,
    /// Messages sent on each queue.
    sent: [u64; 4],
}

impl Nic for Tampered {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let number = &mut self.sent[usize::from(vi.cq.0)];
        *number += 1;
        let mut header = header.to_vec();
        for _ in 0..(self.tamper)(vi.cq, *number, &mut header) {
            self.inner.post_send(vi, &header, payload)?;
        }
        Ok(())
    }

    forward!(all_but_sending);
}

/// Declares a provider whose interfaces tamper, each in the same way.
macro_rules! tampering {
    ($name:ident, $tamper:expr) => {
        struct $name;

        impl Provider for $name {
            type Nic = Tampered;
            const CAUSAL: bool = true;

            fn connect(size: usize, config: &Config) -> Vec<Tampered> {
                let nics = Host::connect(size, config).into_iter();
                nics.map(|inner| Tampered { inner, tamper: $tamper, sent: [0; 4] }).collect()
            }
        }
    };
}

tampering!(Honest, |_, _, _| 1);
tampering!(Unstamped, |cq, _, header| {
    if cq == EAGER {
        header[8..14].fill(0);
    }
    1
});
tampering!(Hasty, |cq, _, header| {
    if cq == SIGNAL {
        // Says that one more barrier has been entered than was.
        let mut signal = decode_signal(header).unwrap();
        (signal.epoch, signal.clock) = (signal.epoch + 1, 0);
        *header = encode_signal(&signal).to_vec();
    }
    1
});
tampering!(Leaky, |cq, number, _| usize::from(cq != EAGER || number != 3));
tampering!(Doubling, |cq, _, _| if cq == CONTROL { 2 } else { 1 });
tampering!(BadKind, |cq, number, header| {
    if cq == EAGER && number == 3 {
        header[0] = 0xee;
    }
    1
});
tampering!(BadContext, |cq, number, header| {
    if cq == EAGER && number == 3 {
        header[2..4].fill(0xff);
    }
    1
});
tampering!(Intruder, |cq, number, header| {
    if cq == EAGER && number == 3 {
        // The program's lane of the first group.
        header[2..4].copy_from_slice(&[4, 0]);
    }
    1
});
tampering!(BadLength, |cq, number, header| {
    if cq == EAGER && number == 3 {
        header[16] ^= 0x40;
    }
    1
});
tampering!(Short, |cq, number, header| {
    if cq == EAGER && number == 3 {
        header.truncate(11);
    }
    1
});
tampering!(FallingStamp, |cq, number, header| {
    if cq == EAGER && number == 3 {
        header[8..14].fill(0);
    }
    1
});
tampering!(WildSignal, |cq, number, header| {
    if cq == SIGNAL && number == 2 {
        header[16..24].fill(0x7f);
    }
    1
});
tampering!(NoSuchStep, |cq, number, header| {
    if cq == SIGNAL && number == 2 {
        header[2] = 0x55;
    }
    1
});

/// The checks of this suite fail on `P`: their panic reaches the caller, through the launch.
fn is_caught<P: Provider>(check: fn(&Case)) {
    let case = Case::on::<P>("planted", None);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&case)));
    assert!(caught.is_err(), "the check has not noticed the fault");
}

/// The wrapper alone changes nothing.
#[test]
fn honest_networks_pass() {
    let case = Case::on::<Honest>("planted", None);
    ordering::what_follows_a_barrier_is_held_until_it_completes(&case);
    withholding::nobody_completes_without_the_withheld_rank(&case);
}

/// Messages that claim to be older than the barrier are delivered before it.
/// SEMANTICS: ORD-1
#[test]
fn a_lost_stamp_is_caught() {
    is_caught::<Unstamped>(ordering::what_follows_a_barrier_is_held_until_it_completes);
}

/// A rank that claims to have entered one barrier more completes the others' too early, once it
/// calls any: here the one before.
/// SEMANTICS: BAR-1
#[test]
fn a_hasty_signal_is_caught() {
    is_caught::<Hasty>(|case| {
        let looked = crate::harness::Gate::new();
        case.run(2, |world, _| {
            world.barrier()?.wait()?;
            if world.rank() == 1 {
                looked.wait_computing(1);
                return world.barrier()?.wait();
            }
            let barrier = world.barrier()?;
            let early = (0..20).any(|_| barrier.test().is_ok_and(|complete| complete));
            looked.arrive();
            assert!(!early, "complete without rank 1");
            barrier.wait()
        });
    });
}

/// Runs a program with many messages and barriers and returns the error that ends it.
fn error_of<P: Provider>() -> MessageError {
    let case = Case::on::<P>("planted", None);
    let outcome = case.outcome(&case.config(2), 2, |world, step| {
        for number in 0..10u32 {
            step.to(format!("message {number}"));
            world.send(1 - world.rank(), 1, &[number; 8])?;
            world.barrier()?;
            assert_eq!(world.recv::<u32>(1 - world.rank(), 1)?.data, [number; 8]);
        }
        Ok(())
    });
    match outcome {
        Err(Error::Rank { rank, error }) => match *error {
            Error::Message(error) => {
                if let MessageError::Protocol { from, .. } = error {
                    assert_eq!(from, 1 - rank, "it names the sender");
                }
                error
            }
            other => panic!("{other}"),
        },
        other => panic!("{other:?}"),
    }
}

fn violation_of<P: Provider>() -> Violation {
    match error_of::<P>() {
        MessageError::Protocol { violation, .. } => violation,
        other => panic!("{other}"),
    }
}

/// Bytes that no correct peer sends end the world with an error that names the sender.
/// SEMANTICS: SAFE-1, HOLD-4
#[test]
fn damaged_frames_are_protocol_errors() {
    assert!(matches!(violation_of::<BadKind>(), Violation::Malformed(_)));
    assert!(matches!(violation_of::<BadLength>(), Violation::Malformed(_)));
    assert!(matches!(violation_of::<Short>(), Violation::Malformed(_)));
    assert!(matches!(violation_of::<BadContext>(), Violation::UnknownContext(_)));
    assert!(matches!(violation_of::<FallingStamp>(), Violation::Order(_)));
    assert!(matches!(violation_of::<WildSignal>(), Violation::Order(_)));
    assert!(matches!(violation_of::<NoSuchStep>(), Violation::Order(_)));
}

/// A message for a group that its sender does not belong to, before and after its receiver has made
/// it: that ends the world, and nobody receives it.
/// SEMANTICS: SAFE-1, GRP-1
#[test]
fn an_intruder_is_a_protocol_error() {
    for early in [false, true] {
        let case = Case::on::<Intruder>("planted", None);
        let outcome = case.outcome(&case.config(3), 3, |world, step| {
            if world.rank() == 2 {
                // The third of these goes astray.
                for number in 0..4u32 {
                    world.send(0, 1, &[number])?;
                }
                step.to("waiting");
                return world.barrier()?.wait();
            }
            if early && world.rank() == 0 {
                // All that the intruder has sent has come before the last of it.
                for number in [0, 1, 3u32] {
                    assert_eq!(world.recv::<u32>(2, 1)?.data, [number]);
                }
            }
            step.to("making a group");
            let group = world.group(&[0, 1])?;
            if world.rank() == 0 {
                step.to("receiving");
                let message = group.recv::<u32>(runahead::Source::Any, runahead::Tag::Any)?;
                panic!("received {message:?}");
            }
            world.barrier()?.wait()
        });
        let Err(Error::Rank { rank: 0, error }) = outcome else { panic!("{outcome:?}") };
        assert!(
            matches!(
                *error,
                Error::Message(MessageError::Protocol {
                    from: 2,
                    violation: Violation::UnknownContext(_)
                })
            ),
            "{error}"
        );
    }
}

/// A message that a reliable network loses is noticed at the latest when its sender has gone.
/// SEMANTICS: END-2
#[test]
fn a_lost_message_is_noticed() {
    let case = Case::on::<Leaky>("planted", None);
    let outcome = case.outcome(&case.config(2), 2, |world, step| {
        for number in 0..4u32 {
            step.to(format!("message {number}"));
            if world.rank() == 0 {
                world.send(1, 1, &[number])?;
            } else {
                // The third never comes; the fourth stands in its place.
                let expected = if number == 2 { 3 } else { number };
                assert_eq!(world.recv::<u32>(0, 1)?.data, [expected]);
            }
        }
        Ok(())
    });
    let Err(Error::Rank { rank: 1, error }) = outcome else { panic!("{outcome:?}") };
    assert!(
        matches!(*error, Error::Message(MessageError::PeerLost { rank: 0 })),
        "it has gone, and not all that it had sent came: {error}"
    );
}

/// Control frames that come twice are either harmless or a typed error; never a panic or a hang.
/// SEMANTICS: SAFE-1
#[test]
fn repeated_control_frames_do_no_harm() {
    for window in [None, Some(1)] {
        let case = Case::on::<Doubling>("planted", window);
        let mut config = case.config(2);
        config.eager_bytes = 64;
        config.window_messages = config.window_messages.max(2); // two messages are there at once
        let outcome = case.outcome(&config, 2, |world, step| {
            for number in 0..20u32 {
                step.to(format!("message {number}"));
                let request = world.isend(1 - world.rank(), 1, &[number; 50])?;
                world.send(1 - world.rank(), 2, &[number])?;
                world.barrier()?;
                assert_eq!(world.recv::<u32>(1 - world.rank(), 1)?.data, [number; 50]);
                assert_eq!(world.recv::<u32>(1 - world.rank(), 2)?.data, [number]);
                request.wait()?;
            }
            Ok(())
        });
        if let Err(error) = outcome {
            let Error::Rank { error, .. } = error else { panic!("{error}") };
            assert!(matches!(*error, Error::Message(_)), "{error}");
        }
    }
}
