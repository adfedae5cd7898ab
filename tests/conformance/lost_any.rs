//! Receives from any source while a member of their group is missing: what has come is received, and
//! nobody waits for what nobody may send.

use runahead::{Algorithm, Error, MessageError, Notify, Result, Source, Tag};

use crate::harness::{Case, Gate, World, die, message_error};
use crate::waiting::ways;

/// The ways to wait for a message of anybody.
const WAITS: [fn(&dyn Receives) -> MessageError; 3] =
    [|world| world.recv(), |world| world.probe(), |world| world.posted()];

/// The calls of a world that wait for anybody, and fail.
trait Receives {
    fn recv(&self) -> MessageError;
    fn probe(&self) -> MessageError;
    fn posted(&self) -> MessageError;
}

impl<N: runahead::internals::verbs::Nic> Receives for runahead::Comm<N> {
    fn recv(&self) -> MessageError {
        message_error(self.recv::<u8>(Source::Any, Tag::Any))
    }

    fn probe(&self) -> MessageError {
        message_error(self.probe(Source::Any, Tag::Any))
    }

    fn posted(&self) -> MessageError {
        message_error(self.irecv::<u8>(Source::Any, 1).and_then(|request| request.wait()))
    }
}

/// How a rank goes that owes the others something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    Lost,
    Failed,
}

impl Going {
    const ALL: [Going; 2] = [Going::Lost, Going::Failed];

    fn go(self) -> Result<()> {
        match self {
            Going::Lost => die("gone"),
            Going::Failed => Err(Error::other("gone")),
        }
    }

    fn told(self, rank: usize) -> MessageError {
        match self {
            Going::Lost => MessageError::PeerLost { rank },
            Going::Failed => MessageError::PeerEnded { rank, failed: true },
        }
    }
}

/// Lets others run, so often that one that waits has looked many times.
fn linger(world: &World) -> Result<()> {
    for _ in 0..3000 {
        world.progress()?;
        std::thread::yield_now();
    }
    Ok(())
}

/// All who are left wait for anybody, however they wait, and each is told who is missing.
/// SEMANTICS: END-3
fn nobody_waits_for_anybody_when_one_is_missing(case: &Case) {
    for notify in ways() {
        for going in Going::ALL {
            for (size, gone) in [(2, 0), (3, 1), (5, 4)] {
                for wait in WAITS {
                    let mut config = case.config(size);
                    config.notify = notify;
                    // They stay until all have been told, so that each is told of the first.
                    let (told, checked) = (Gate::new(), Gate::new());
                    let outcome = case.ending_outcome(&config, size, |world, step| {
                        if world.rank() == gone {
                            return going.go();
                        }
                        step.to(format!("waiting for anybody, {going:?}"));
                        let promise = told.promise();
                        let error = wait(world);
                        assert_eq!(error, going.told(gone), "{size} ranks");
                        checked.arrive();
                        drop(promise);
                        told.wait_progressing(size - 1, world)
                    });
                    assert!(checked.has(size - 1), "{outcome:?}");
                }
            }
        }
    }
}

/// All that the missing rank had sent is received first, from any source, and then by its name what
/// others send; one that has nothing to wait for is told nothing.
/// SEMANTICS: END-3
fn what_a_missing_rank_had_sent_is_received_first(case: &Case) {
    for going in Going::ALL {
        let (told, checked) = (Gate::new(), Gate::new());
        let mut config = case.config(3);
        config.window_messages = config.window_messages.max(8);
        let outcome = case.ending_outcome(&config, 3, |world, step| {
            match world.rank() {
                1 => {
                    for number in 0..4u32 {
                        world.send(0, 1, &[number])?;
                    }
                    return going.go();
                }
                0 => {
                    let promise = told.promise();
                    for number in 0..4u32 {
                        step.to(format!("receiving number {number} of the missing rank"));
                        assert_eq!(world.recv::<u32>(Source::Any, 1)?.data, [number]);
                    }
                    step.to("receiving from any");
                    let error = message_error(world.recv::<u32>(Source::Any, 1));
                    assert_eq!(error, going.told(1));
                    drop(promise);
                    step.to("receiving from one that is there");
                    assert_eq!(world.recv::<u32>(2, 1)?.data, [7]);
                    // Polls do not wait, and so are told nothing.
                    assert_eq!(world.try_recv::<u32>(Source::Any, 1)?, None);
                    assert_eq!(world.try_probe(Source::Any, Tag::Any)?, None);
                    checked.arrive();
                }
                _ => {
                    told.wait_progressing(1, world)?;
                    world.send(0, 1, &[7u32])?;
                }
            }
            Ok(())
        });
        assert!(checked.has(1), "{going:?}: {outcome:?}");
    }
}

/// A rank that has ended in good order, or is no member of the group, is missed by nobody.
/// SEMANTICS: END-3
fn who_is_not_missing_ends_no_receive(case: &Case) {
    let mut config = case.config(4);
    config.notify = Notify::Block;
    // In good order, in the world; and without a word, outside the group.
    for orderly in [true, false] {
        let (seen, checked) = (Gate::new(), Gate::new());
        let outcome = case.ending_outcome(&config, 4, |world, step| {
            if world.rank() == 1 {
                return if orderly { Ok(()) } else { die("gone") };
            }
            let group = (!orderly).then(|| world.group(&[0, 2, 3])).transpose()?;
            let group = group.as_ref().unwrap_or(world);
            let last = group.size() - 1;
            if group.rank() == last {
                seen.wait_progressing(1, world)?;
                // While the other waits.
                linger(world)?;
                return group.send(0, 1, &[9u8]);
            }
            if group.rank() == 0 {
                let promise = seen.promise();
                step.to("watching rank 1 go");
                let error = message_error(world.recv::<u8>(1, 1));
                let expected = match orderly {
                    true => MessageError::PeerEnded { rank: 1, failed: false },
                    false => MessageError::PeerLost { rank: 1 },
                };
                assert_eq!(error, expected);
                drop(promise);
                step.to("receiving from any");
                let message = group.recv::<u8>(Source::Any, 1)?;
                assert_eq!((message.source, message.data), (last, vec![9]));
                checked.arrive();
            }
            Ok(())
        });
        assert!(checked.has(1), "{outcome:?}");
        assert_eq!(outcome.is_ok(), orderly, "{outcome:?}");
    }
}

/// A message that is held until a barrier completes has come, and is waited for.
/// SEMANTICS: END-3, HOLD-1
fn what_is_held_and_will_be_released_is_waited_for(case: &Case) {
    let mut config = case.config(4);
    config.notify = Notify::Block;
    // The missing rank forwards nothing.
    config.algorithm = Algorithm::AllToAll;
    let (sent, seen, checked) = (Gate::new(), Gate::new(), Gate::new());
    let outcome = case.ending_outcome(&config, 4, |world, step| {
        if world.rank() == 1 {
            sent.wait_computing(1);
            die("gone");
        }
        let group = world.group(&[0, 2, 3])?;
        match world.rank() {
            3 => {
                let promise = sent.promise();
                group.barrier()?;
                world.send(0, 1, &[3u8])?;
                drop(promise);
            }
            2 => {
                seen.wait_progressing(1, world)?;
                // While the other waits.
                linger(world)?;
                group.barrier()?;
            }
            _ => {
                let promise = seen.promise();
                group.barrier()?;
                step.to("watching rank 1 go");
                let error = message_error(world.recv::<u8>(1, 1));
                assert_eq!(error, MessageError::PeerLost { rank: 1 });
                while world.stats()?.messages_held == 0 {
                    world.progress()?;
                }
                drop(promise);
                step.to("receiving what is held");
                let message = world.recv::<u8>(Source::Any, 1)?;
                assert_eq!((message.source, message.data), (3, vec![3]));
                checked.arrive();
            }
        }
        Ok(())
    });
    assert!(checked.has(1), "{outcome:?}");
}

/// What is held behind a barrier that the missing rank has not entered never comes.
/// SEMANTICS: END-3
fn what_is_held_for_ever_is_not_waited_for(case: &Case) {
    for going in Going::ALL {
        let (held, told, checked) = (Gate::new(), Gate::new(), Gate::new());
        let outcome = case.ending_outcome(&case.config(4), 4, |world, step| {
            match world.rank() {
                1 => {
                    held.wait_computing(1);
                    return going.go();
                }
                0 => {
                    let promises = (held.promise(), told.promise());
                    world.barrier()?;
                    while world.stats()?.messages_held == 0 {
                        world.progress()?;
                    }
                    drop(promises.0);
                    step.to("receiving from any");
                    let error = message_error(world.recv::<u8>(Source::Any, 1));
                    assert_eq!(error, going.told(1));
                    checked.arrive();
                }
                rank => {
                    world.barrier()?;
                    if rank == 2 {
                        world.isend(0, 1, &[2u8])?;
                    }
                    step.to("progressing until the other was told");
                    told.wait_progressing(1, world)?;
                }
            }
            Ok(())
        });
        assert!(checked.has(1), "{going:?}: {outcome:?}");
    }
}

suite!(
    nobody_waits_for_anybody_when_one_is_missing,
    what_a_missing_rank_had_sent_is_received_first,
    who_is_not_missing_ends_no_receive,
    what_is_held_and_will_be_released_is_waited_for,
    what_is_held_for_ever_is_not_waited_for,
);

on_many_hosts!(
    nobody_waits_for_anybody_when_one_is_missing,
    what_a_missing_rank_had_sent_is_received_first,
    who_is_not_missing_ends_no_receive,
    what_is_held_and_will_be_released_is_waited_for,
    what_is_held_for_ever_is_not_waited_for,
);
