//! Sends and receives with memory that the program lends until a scope has ended: what is sent comes as it was lent, what
//! is received lies in its place, and the memory is the program's again, whatever becomes of the scope.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use runahead::{Error, MessageError, Pending, Result};

use crate::harness::{Case, Gate, World, die, message_error};

/// One that fits a descriptor, and one that is above the eager limit.
const LENGTHS: [usize; 2] = [600, 100_000];

fn content(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 11 + at / 241 + seed * 5) as u8).collect()
}

/// How many messages are posted so that some have to wait, where nobody receives.
fn more_than_fit(world: &World) -> usize {
    world.config().window_messages as usize + 3
}

/// Receives messages of this length, which were lent together.
fn receive(world: &World, len: usize, count: usize) -> Result<()> {
    for number in 0..count {
        assert!(world.recv::<u8>(0, 1)?.data == content(number, len), "message {number}");
    }
    Ok(())
}

/// More than a window takes, in order among other messages. The scope has ended only when all have left, also those
/// whose requests were leaked, dropped, or waited for: the sender writes over its memory then.
/// (Planted: a scope that does not wait.)
/// SEMANTICS: FLOW-4, ORD-2
fn what_a_scope_has_lent_comes_as_it_was(case: &Case) {
    for len in LENGTHS {
        case.run(2, |world, step| {
            let count = more_than_fit(world);
            if world.rank() == 1 {
                step.to(format!("receiving {len} bytes"));
                assert_eq!(world.recv::<u32>(0, 7)?.data, [5]);
                for number in 0..count {
                    assert_eq!(world.recv::<u32>(0, 7)?.data, [number as u32]);
                    assert!(world.recv::<u8>(0, 1)?.data == content(number, len));
                }
                assert_eq!(world.recv::<u32>(0, 7)?.data, [6]);
                return world.barrier()?.wait();
            }
            let mut all: Vec<_> = (0..count).map(|number| content(number, len)).collect();
            let numbers: Vec<_> = (0..count as u32).map(|number| [number]).collect();
            world.isend(1, 7, &[5_u32])?;
            step.to(format!("lending {len} bytes"));
            let last = world.scope(|scope| {
                for (number, data) in numbers.iter().zip(&all) {
                    Box::leak(Box::new(scope.isend(1, 7, number)?));
                    let sent = scope.isend(1, 1, data)?;
                    if number[0] % 2 == 0 {
                        world.wait_all(&[&sent as &dyn Pending<_>])?;
                    }
                }
                scope.isend(1, 7, &[6_u32])
            })?;
            all.iter_mut().for_each(|data| data.fill(0));
            assert!(last.test()?, "the scope has waited for it");
            last.wait()?;
            world.barrier()?.wait()
        });
    }
}

/// A barrier of a group contains what is lent for a rank outside of it. The scope waits for the barrier.
/// SEMANTICS: CON-1, CON-3, FLOW-4
fn what_a_barrier_contains_stays_lent(case: &Case) {
    for len in LENGTHS {
        let lent = Gate::new();
        case.run(3, |world, step| {
            let pair = world.split_some((world.rank() < 2).then_some(0), 0)?;
            match world.rank() {
                0 => {
                    let pair = pair.expect("it is a member");
                    let mut data = content(3, len);
                    pair.barrier()?;
                    step.to("lending");
                    world.scope(|scope| {
                        let sent = scope.isend(2, 1, &data)?;
                        assert!(!sent.test()?, "rank 1 has not called the barrier");
                        lent.arrive();
                        Ok(())
                    })?;
                    data.fill(0);
                    Ok(())
                }
                1 => {
                    lent.wait_progressing(1, world)?;
                    step.to("calling the barrier late");
                    pair.expect("it is a member").barrier()?.wait()
                }
                _ => {
                    step.to("receiving");
                    assert!(world.recv::<u8>(0, 1)?.data == content(3, len));
                    Ok(())
                }
            }
        });
    }
}

/// How a scope ends before its time.
#[derive(Clone, Copy, Debug)]
enum Ends {
    Fails,
    Panics,
}

impl Ends {
    /// Ends the closure of a scope.
    fn end(self) -> Result<()> {
        match self {
            Ends::Fails => Err(Error::other("failed inside")),
            Ends::Panics => die("panicked inside"),
        }
    }

    /// Calls what ends so, and checks that it does.
    fn check(self, scope: impl FnOnce() -> Result<()>) {
        match (self, catch_unwind(AssertUnwindSafe(scope))) {
            (Ends::Fails, Ok(Err(error))) => assert_eq!(error.to_string(), "failed inside"),
            (Ends::Panics, Err(_)) => {}
            (_, other) => panic!("{self:?}: {other:?}"),
        }
    }
}

/// It waits for no receiver, but for one that may read where the data lie. The program has its memory back, and what has
/// not left comes all the same, as it was. (Planted: a scope that takes nothing back where its closure panics, or fails.)
/// SEMANTICS: FLOW-4
fn a_scope_that_fails_takes_back_what_it_has_lent(case: &Case) {
    for (len, ends) in LENGTHS.into_iter().flat_map(|len| [(len, Ends::Fails), (len, Ends::Panics)])
    {
        let taken_back = Gate::new();
        // There the receiver is waited for, which reads the first that were posted.
        let waits = (case.network.reads)(2, 0, 1, len);
        case.run(2, |world, step| {
            let count = more_than_fit(world);
            if world.rank() == 1 {
                if !waits {
                    step.to("computing");
                    taken_back.wait_computing(1);
                }
                step.to(format!("receiving {len} bytes, {ends:?}"));
                receive(world, len, count)?;
                return world.barrier()?.wait();
            }
            let mut all: Vec<_> = (0..count).map(|number| content(number, len)).collect();
            step.to(format!("lending {len} bytes, {ends:?}"));
            ends.check(|| {
                world.scope(|scope| {
                    for data in &all {
                        scope.isend(1, 1, data)?;
                    }
                    ends.end()
                })
            });
            all.iter_mut().for_each(|data| data.fill(0));
            taken_back.arrive();
            world.barrier()?.wait()
        });
    }
}

/// The outcome of a job whose rank 1 ended, or died.
fn check_gone<R: std::fmt::Debug>(dies: bool, outcome: Result<R>) {
    match (dies, outcome) {
        (false, Ok(_)) | (true, Err(Error::Panicked { rank: 1, .. })) => {}
        (_, other) => panic!("{other:?}"),
    }
}

/// A receiver that ends, or dies, while messages for it wait: the scope names it, and the program has its memory back.
/// One to another rank comes, as it was.
/// SEMANTICS: END-2, FLOW-4
fn a_receiver_that_goes_ends_the_scope(case: &Case) {
    for (len, dies) in LENGTHS.into_iter().flat_map(|len| [(len, false), (len, true)]) {
        let lent = Gate::new();
        let outcome = case.outcome(&case.config(3), 3, |world, step| {
            let count = more_than_fit(world);
            match world.rank() {
                0 => {
                    let mut all: Vec<_> = (0..count).map(|number| content(number, len)).collect();
                    step.to(format!("lending {len} bytes to one that goes"));
                    let scope = world.scope(|scope| {
                        for data in &all {
                            scope.isend(1, 1, data)?;
                        }
                        scope.isend(2, 1, &all[1])?;
                        lent.arrive();
                        Ok(())
                    });
                    all.iter_mut().for_each(|data| data.fill(0));
                    let error = message_error(scope);
                    let expected = match dies {
                        true => MessageError::PeerLost { rank: 1 },
                        false => MessageError::PeerEnded { rank: 1, failed: false },
                    };
                    assert_eq!(error, expected);
                    // It may have left after the scope only.
                    step.to("waiting for the other");
                    world.recv::<u8>(2, 2).map(drop)
                }
                1 => {
                    lent.wait_progressing(1, world)?;
                    if dies { die("gone") } else { Ok(()) }
                }
                _ => {
                    step.to("receiving");
                    assert!(world.recv::<u8>(0, 1)?.data == content(1, len));
                    world.send(0, 2, &[1_u8])
                }
            }
        });
        check_gone(dies, outcome);
    }
}

/// A scope in a scope, of another communicator of the rank: each waits for its own.
/// SEMANTICS: FLOW-4, GRP-1
fn scopes_may_lie_in_scopes(case: &Case) {
    for len in LENGTHS {
        case.run(2, |world, step| {
            let other = world.dup()?;
            if world.rank() == 1 {
                step.to("receiving");
                assert!(world.recv::<u8>(0, 1)?.data == content(1, len));
                assert!(other.recv::<u8>(0, 1)?.data == content(2, len));
                world.send(0, 9, &[1_u8])?;
                assert!(world.recv::<u8>(0, 1)?.data == content(3, len));
                return Ok(());
            }
            let [outer, mut inner, last] = [1, 2, 3].map(|seed| content(seed, len));
            world.scope(|scope| {
                scope.isend(1, 1, &outer)?;
                step.to("the inner one");
                other.scope(|scope| scope.isend(1, 1, &inner))?;
                inner.fill(0);
                step.to("the outer one");
                world.recv::<u8>(1, 9)?;
                scope.isend(1, 1, &last)
            })?;
            Ok(())
        });
    }
}

/// The world of a rank ends while another of its threads is in a scope. When that thread hears of it, its memory is its
/// own, and what it has lent comes as it was. (Planted: an end that takes nothing back.)
/// SEMANTICS: END-1, FLOW-4
fn the_end_of_the_world_takes_back_what_a_scope_has_lent(case: &Case) {
    const LEN: usize = 600;
    let (lent, ended) = (Arc::new(Gate::new()), Arc::new(Gate::new()));
    let threads: Mutex<Vec<JoinHandle<()>>> = Mutex::default();
    case.run(2, |world, step| {
        let other = world.dup()?;
        let count = more_than_fit(world);
        if world.rank() == 1 {
            step.to("computing until the other thread has its memory back");
            ended.wait_computing(1);
            step.to("receiving");
            return receive(&other, LEN, count);
        }
        let told = (lent.clone(), ended.clone());
        let thread = std::thread::spawn(move || {
            let (lent, ended) = told;
            let mut all: Vec<_> = (0..count).map(|number| content(number, LEN)).collect();
            let outcome = other.scope(|scope| {
                for data in &all {
                    scope.isend(1, 1, data)?;
                }
                lent.arrive();
                loop {
                    match other.progress() {
                        Ok(()) | Err(Error::Busy) => std::thread::yield_now(),
                        Err(error) => return Err(error),
                    }
                }
            });
            all.iter_mut().for_each(|data| data.fill(0));
            assert!(matches!(outcome, Err::<(), _>(Error::Ended)), "{outcome:?}");
            ended.arrive();
        });
        threads.lock().unwrap().push(thread);
        step.to("computing until the other thread has lent");
        lent.wait_computing(1);
        Ok(())
    });
    threads.into_inner().unwrap().into_iter().for_each(|thread| thread.join().unwrap());
}

/// What a scope receives lies where the program has said, whichever requests were waited for, and in which order; the
/// scope waits for all. A request that was waited for gives its memory back at once.
/// (Planted: a scope that does not wait for receives, one that forgets those whose requests were dropped.)
/// SEMANTICS: FLOW-4, ORD-2
fn what_a_scope_receives_lies_in_its_memory(case: &Case) {
    const COUNT: usize = 9;
    for len in LENGTHS {
        case.run(2, |world, step| {
            let other = 1 - world.rank();
            let data: Vec<_> =
                (0..COUNT).map(|number| content(number + world.rank(), len)).collect();
            let mut rooms = vec![vec![0_u8; len + 3]; COUNT];
            step.to(format!("exchanging {len} bytes"));
            world.scope(|scope| {
                let mut requests = Vec::new();
                for (number, room) in rooms.iter_mut().enumerate() {
                    let request = scope.irecv_into(room, other, 1)?;
                    if number % 3 > 0 {
                        requests.push((number, request));
                    }
                }
                data.iter().try_for_each(|data| scope.isend(other, 1, data).map(drop))?;
                // The last first; and some are not waited for here.
                while requests.len() > 2 {
                    let (number, request) = requests.pop().expect("there are more");
                    world.wait_all(&[&request as &dyn Pending<_>])?;
                    assert!(request.test()?);
                    let (status, room) = request.wait()?;
                    assert_eq!((status.source, status.bytes, room.len()), (other, len, len + 3));
                    assert!(room[..len] == content(number + other, len), "message {number}");
                    room[..len].fill(9);
                    room[len] = 9;
                }
                Ok(())
            })?;
            for (number, room) in rooms.iter().enumerate() {
                match room[len] {
                    9 => assert!(room[..len].iter().all(|&byte| byte == 9)),
                    _ => assert!(room[..len] == content(number + other, len), "message {number}"),
                }
            }
            assert_eq!(rooms.iter().filter(|room| room[len] == 9).count(), 4);
            world.barrier()?.wait()
        });
    }
}

/// A scope that ends before its time gives its receives up: the program has its memory back, nothing comes into it any
/// more, and the messages can be received. (Planted: a scope that does not cancel.)
/// SEMANTICS: FLOW-4
fn a_scope_that_fails_gives_up_what_it_receives(case: &Case) {
    for (len, ends) in LENGTHS.into_iter().flat_map(|len| [(len, Ends::Fails), (len, Ends::Panics)])
    {
        case.run(2, |world, step| {
            if world.rank() == 1 {
                step.to("sending when the other has its memory back, and before");
                world.send(0, 1, &content(1, len))?;
                world.recv::<u8>(0, 3)?;
                return world.send(0, 1, &content(2, len));
            }
            let mut rooms = [vec![0_u8; len], vec![0; len]];
            let [first, second] = &mut rooms;
            ends.check(|| {
                world.scope(|scope| {
                    let first = scope.irecv_into(first, 1, 1)?;
                    scope.irecv_into(second, 1, 1)?;
                    // It may lie in the memory by now; and is received once more, behind the scope.
                    while !first.test()? {}
                    ends.end()
                })
            });
            rooms.iter_mut().for_each(|room| room.fill(7));
            world.send(1, 3, &[1_u8])?;
            step.to("receiving what was given up");
            assert!(world.recv::<u8>(1, 1)?.data == content(1, len));
            assert!(world.recv::<u8>(1, 1)?.data == content(2, len));
            assert!(rooms.iter().flatten().all(|&byte| byte == 7), "something came");
            Ok(())
        });
    }
}

/// A message that is too long for its memory, or of other elements: the request tells it, else the scope does. It can be
/// received by another call. (Planted: a scope that says nothing.)
/// SEMANTICS: FLOW-4
fn what_does_not_fit_is_told_by_the_request_or_the_scope(case: &Case) {
    for (len, waits) in LENGTHS.into_iter().flat_map(|len| [(len, false), (len, true)]) {
        case.run(2, |world, step| {
            if world.rank() == 1 {
                step.to("sending");
                return (0..2).try_for_each(|seed| world.send(0, 1, &content(seed, len)));
            }
            step.to(format!("receiving {len} bytes into less"));
            let mut room = vec![0_u8; len - 1];
            let scope = world.scope(|scope| {
                let request = scope.irecv_into(&mut room, 1, 1)?;
                if waits {
                    let told = request.wait().map(drop);
                    assert!(matches!(told, Err(Error::Truncated { .. })), "{told:?}");
                }
                Ok(())
            });
            let expected = Error::Truncated { source_rank: 1, tag: 1, bytes: len, room: len - 1 };
            match waits {
                true => scope?,
                false => {
                    assert_eq!(scope.expect_err("it did not fit").to_string(), expected.to_string())
                }
            }
            assert!(world.recv::<u8>(1, 1)?.data == content(0, len));
            let mut words = vec![0_u32; len];
            let scope = world.scope(|scope| scope.irecv_into(&mut words, 1, 1).map(drop));
            assert!(matches!(scope, Err(Error::ElementSize { .. })), "{scope:?}");
            assert!(world.recv::<u8>(1, 1)?.data == content(1, len));
            Ok(())
        });
    }
}

/// A sender that ends, or dies, and had nothing sent: the scope names it.
/// SEMANTICS: END-2, FLOW-4
fn a_sender_that_goes_ends_the_scope(case: &Case) {
    for dies in [false, true] {
        let outcome = case.outcome(&case.config(2), 2, |world, step| {
            if world.rank() == 1 {
                return if dies { die("gone") } else { Ok(()) };
            }
            let mut room = vec![0_u8; LENGTHS[1]];
            step.to("receiving of one that goes");
            let scope = world.scope(|scope| scope.irecv_into(&mut room, 1, 1).map(drop));
            let expected = match dies {
                true => MessageError::PeerLost { rank: 1 },
                false => MessageError::PeerEnded { rank: 1, failed: false },
            };
            assert_eq!(message_error(scope), expected);
            Ok(())
        });
        check_gone(dies, outcome);
    }
}

suite_and_exposed!(
    what_a_scope_receives_lies_in_its_memory,
    a_scope_that_fails_gives_up_what_it_receives,
    what_does_not_fit_is_told_by_the_request_or_the_scope,
    a_sender_that_goes_ends_the_scope,
    what_a_scope_has_lent_comes_as_it_was,
    what_a_barrier_contains_stays_lent,
    a_scope_that_fails_takes_back_what_it_has_lent,
    a_receiver_that_goes_ends_the_scope,
    scopes_may_lie_in_scopes,
    the_end_of_the_world_takes_back_what_a_scope_has_lent,
);
