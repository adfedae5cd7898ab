//! Barriers and requests own what they need: they outlive their communicator, go to other threads,
//! and find the world ended when it has.

use std::sync::{Arc, Barrier as Meeting};
use std::thread;

use runahead::{Comm, Config, Error, Result};

use super::{pair, settle};

/// What a struct of a program may hold: nothing borrows.
struct Step {
    comm: Comm,
    barrier: runahead::Barrier,
    sent: runahead::SendRequest,
    received: runahead::RecvRequest<u8>,
}

impl Step {
    fn begin(comm: Comm) -> Result<Step> {
        let other = 1 - comm.rank();
        let received = comm.irecv(other, 3)?;
        let sent = comm.isend(other, 3, &[comm.rank() as u8])?;
        let barrier = comm.barrier()?;
        Ok(Step { comm, barrier, sent, received })
    }

    fn end(self) -> Result<Comm> {
        self.barrier.wait()?;
        self.sent.wait()?;
        assert_eq!(self.received.wait()?.data, [1 - self.comm.rank() as u8]);
        Ok(self.comm)
    }
}

#[test]
fn a_struct_holds_a_communicator_and_its_requests() {
    let (first, second) = pair(&Config::new(2));
    let steps = [Step::begin(first).unwrap(), Step::begin(second).unwrap()];
    settle(&[&steps[0].comm, &steps[1].comm]);
    // All of it goes to another thread and back.
    let worlds = thread::spawn(move || steps.map(|step| step.end().unwrap())).join().unwrap();
    settle(&[&worlds[0], &worlds[1]]);
}

/// The group of a receive is dropped with the receive, and that of a barrier at once. The barrier
/// completes all the same.
/// (Mutant: a receive that does not keep its group.)
///
/// SEMANTICS: GRP-3
#[test]
fn requests_outlive_their_communicator() {
    let (first, second) = pair(&Config::new(2));
    let one = thread::spawn(move || (first.dup().unwrap(), first));
    let (other, second) = (second.dup().unwrap(), second);
    let (group, first) = one.join().unwrap();
    let received = group.irecv::<u8>(1, 5).unwrap();
    let later = group.irecv::<u8>(1, 6).unwrap();
    let barrier = group.barrier().unwrap();
    drop(group);
    let entered = other.barrier().unwrap();
    other.send(0, 5, &[7u8]).unwrap();
    settle(&[&first, &second]);
    assert!(barrier.test().unwrap());
    barrier.wait().unwrap();
    entered.wait().unwrap();
    assert_eq!(received.wait().unwrap().data, [7]);
    // The last one drops the group; nobody else's receive gets what is sent to it now.
    drop(later);
    other.send(0, 6, &[8u8]).unwrap();
    settle(&[&first, &second]);
    let world = first.irecv::<u8>(1, 6).unwrap();
    settle(&[&first, &second]);
    assert!(!world.test().unwrap());
}

/// (Mutant: an engine that stays where its world was dropped.)
#[test]
fn requests_find_that_the_world_has_ended() {
    let (first, second) = pair(&Config::new(2));
    let barrier = first.barrier().unwrap();
    let sent = first.isend(1, 0, &[1u8]).unwrap();
    let mut gathered = first.iall_gather(&[1u8]).unwrap();
    let received = first.irecv::<u8>(1, 0).unwrap();
    drop(first);
    assert!(matches!(barrier.test(), Err(Error::Ended)));
    assert!(matches!(barrier.wait(), Err(Error::Ended)));
    assert!(matches!(sent.test(), Err(Error::Ended)));
    assert!(matches!(sent.wait(), Err(Error::Ended)));
    assert!(matches!(gathered.test(), Err(Error::Ended)));
    assert!(matches!(received.wait(), Err(Error::Ended)));
    drop(gathered);
    // The other one has lost it.
    assert!(second.recv::<u8>(0, 9).is_err());
}

/// One thread waits by a barrier alone, and the other calls by the communicator: one of them is
/// refused. When the wait is over the other one has the rank again.
///
/// SEMANTICS: GRP-3
#[test]
fn two_threads_never_call_at_once() {
    let (first, second) = pair(&Config::new(2));
    let barrier = first.barrier().unwrap();
    let there = Arc::new(Meeting::new(2));
    let waiting = thread::spawn({
        let there = there.clone();
        move || {
            there.wait();
            loop {
                match barrier.test() {
                    Ok(true) => return barrier.wait(),
                    Ok(false) | Err(Error::Busy) => thread::yield_now(),
                    Err(error) => return Err(error),
                }
            }
        }
    });
    there.wait();
    for _ in 0..100 {
        match first.progress() {
            Ok(()) | Err(Error::Busy) => {}
            Err(error) => panic!("{error}"),
        }
    }
    second.barrier().unwrap();
    waiting.join().unwrap().unwrap();
    // Theirs is the turn of nobody now.
    first.progress().unwrap();
    first.send(1, 0, &[1u8]).unwrap();
    assert_eq!(second.recv::<u8>(0, 0).unwrap().data, [1]);
}

/// The communicator goes while a barrier of it is waited for in another thread: the wait goes on, or
/// finds the world ended where it has not begun. The rank is lost to the others when it is over.
#[test]
fn a_world_goes_when_the_wait_is_over() {
    // The look at whether the other thread waits may be what refuses that thread.
    let waited = std::iter::repeat_with(wait_while_the_world_goes)
        .find(|waited| !matches!(waited, Err(Error::Busy)));
    assert!(matches!(waited, Some(Ok(()) | Err(Error::Ended))), "{waited:?}");
}

fn wait_while_the_world_goes() -> Result<()> {
    let (first, second) = pair(&Config::new(2));
    let barrier = first.barrier().unwrap();
    let waiting = thread::spawn(move || barrier.wait());
    while !matches!(first.progress(), Err(Error::Busy)) && !waiting.is_finished() {
        thread::yield_now();
    }
    drop(first);
    second.barrier().unwrap();
    let waited = waiting.join().unwrap();
    assert!(second.recv::<u8>(0, 9).is_err());
    waited
}
