//! Duplicates that are agreed on while their ranks go on (`idup`): beside other makings, in any order,
//! with messages that come early, handles that are dropped, and ranks that differ or have gone.

use std::collections::BTreeSet;

use runahead::{Config, Error, GroupError, MessageError, Pending, Rank, Result};

use crate::groups::check_members;
use crate::harness::{Case, Gate, SIZES, Step, World, message_error};

/// The sizes with several ranks.
fn several(case: &Case) -> impl Iterator<Item = usize> {
    case.sizes(&SIZES).filter(|&size| size > 1)
}

/// Runs it with windows that have room for what some ranks call before others: a request counts as any
/// message does, until its receiver has called.
fn run<T: Send>(
    case: &Case,
    size: usize,
    program: impl Fn(&World, &Step) -> Result<T> + Sync,
) -> Vec<T> {
    let config = case.config(size);
    let window_messages = config.window_messages.max(16);
    case.run_with(&Config { window_messages, ..config }, size, program)
}

/// The id under which a communicator is printed.
fn id_of(comm: &World) -> String {
    format!("{comm:?}").rsplit_once(" in ").unwrap().1.to_owned()
}

/// Programs that would deadlock if the call waited: what the others need in order to call comes after
/// the call of rank 0, or after what that gives.
/// SEMANTICS: GRP-5
fn a_call_waits_for_nobody(case: &Case) {
    for size in several(case) {
        let everyone: Vec<Rank> = (0..size).collect();
        run(case, size, |world, step| {
            step.to("called, then sent");
            let twin = if world.rank() == 0 {
                let twin = world.idup()?;
                (1..size).try_for_each(|to| world.send(to, 1, &[to]))?;
                twin
            } else {
                assert_eq!(world.recv::<usize>(0, 1)?.data, [world.rank()]);
                world.idup()?
            };
            check_members(&twin.wait()?, &everyone, world, step)?;
            step.to("waited, then sent");
            let twin = world.idup()?;
            let twin = if world.rank() == 0 {
                let twin = twin.wait()?;
                (1..size).try_for_each(|to| world.send(to, 2, &[to]))?;
                twin
            } else {
                assert_eq!(world.recv::<usize>(0, 2)?.data, [world.rank()]);
                twin.wait()?
            };
            assert_eq!(twin.algorithm(), world.dup()?.algorithm());
            check_members(&twin, &everyone, world, step)
        });
    }
}

/// Each pair of neighbours has a communicator, and each rank calls for its own first: around the ring
/// no call comes before all others.
/// SEMANTICS: GRP-2, GRP-5
fn overlapping_groups_are_agreed_on_around_a_ring(case: &Case) {
    for size in several(case).filter(|&size| size > 2) {
        run(case, size, |world, step| {
            let (rank, next, previous) =
                (world.rank(), (world.rank() + 1) % size, (world.rank() + size - 1) % size);
            let (mut own, mut other) = (None, None);
            for first in 0..size {
                let pair = [first, (first + 1) % size];
                if pair.contains(&rank) {
                    let made = world.group(&pair)?;
                    if first == rank { own = Some(made) } else { other = Some(made) }
                }
            }
            let (own, other) = (own.unwrap(), other.unwrap());
            let (mut kept, mut ids) = (Vec::new(), BTreeSet::new());
            for round in 0..4 {
                step.to(format!("round {round}"));
                let (first, second) = (own.idup()?, other.idup()?);
                let (first, second) = if (rank + round) % 2 == 0 {
                    let second = second.wait()?;
                    (first.wait()?, second)
                } else {
                    (first.wait()?, second.wait()?)
                };
                // One pair after the other, as these wait.
                if rank == 0 {
                    check_members(&first, &[rank, next], world, step)?;
                }
                check_members(&second, &[previous, rank], world, step)?;
                if rank != 0 {
                    check_members(&first, &[rank, next], world, step)?;
                }
                for made in [first, second] {
                    assert!(ids.insert(id_of(&made)), "{made:?} of {ids:?}");
                    if round % 2 == 0 {
                        kept.push(made);
                    }
                }
            }
            world.barrier()?.wait()
        });
    }
}

/// Duplicates of several communicators, several of one, and other makings between, in another order
/// at each rank, as far as that is legal. Ids and places are used, left and used again.
/// SEMANTICS: GRP-2, GRP-5
fn duplicates_are_agreed_on_beside_other_makings(case: &Case) {
    for size in several(case) {
        let everyone: Vec<Rank> = (0..size).collect();
        let reversed: Vec<Rank> = (0..size).rev().collect();
        run(case, size, |world, step| {
            let rank = world.rank();
            let (turned, side) = (world.split(0, -(rank as i64))?, world.dup()?);
            let half = |rank: Rank| rank * 2 / size;
            let part = turned.split(half(rank) as u32, 0)?;
            let list: Vec<Rank> = (0..size).rev().filter(|&r| half(r) == half(rank)).collect();
            let (mut kept, mut ids) = (Vec::new(), BTreeSet::new());
            for round in 0..4 {
                step.to(format!("round {round}"));
                let (mut twins, mut turns, mut parts) = (Vec::new(), Vec::new(), Vec::new());
                let mut made = Vec::new();
                for turn in 0..4 {
                    match (turn + rank + round) % 4 {
                        0 => twins.extend([world.idup()?, world.idup()?]),
                        1 => turns.push(turned.idup()?),
                        2 => parts.push(part.idup()?),
                        _ => twins.push(world.idup()?),
                    }
                    // In the same turn at each rank: these wait.
                    if turn == 1 {
                        let again = side.split(rank as u32 % 2, 0)?;
                        let same: Vec<Rank> = (rank % 2..size).step_by(2).collect();
                        check_members(&again, &same, world, step)?;
                        made.push(again);
                    } else if turn == 2 {
                        let again = side.dup()?;
                        check_members(&again, &everyone, world, step)?;
                        // One is dropped while others are agreed on, and its place is used again.
                        let group = world.group(&list)?;
                        check_members(&group, &list, world, step)?;
                        made.push(group);
                    }
                }
                let waited = |requests: Vec<runahead::GroupRequest<_>>| {
                    requests.into_iter().map(|request| request.wait()).collect::<Result<Vec<_>>>()
                };
                let (parts, turns, twins) = if rank % 2 == 0 {
                    (waited(parts)?, waited(turns)?, waited(twins)?)
                } else {
                    let twins = waited(twins)?;
                    (waited(parts)?, waited(turns)?, twins)
                };
                for twin in &twins {
                    check_members(twin, &everyone, world, step)?;
                }
                check_members(&turns[0], &reversed, world, step)?;
                check_members(&parts[0], &list, world, step)?;
                for made in made.into_iter().chain(twins).chain(turns).chain(parts) {
                    assert!(ids.insert(id_of(&made)), "{made:?} of {ids:?}");
                    if (round + ids.len()) % 3 == 0 {
                        kept.push(made);
                    }
                }
            }
            kept.iter().try_for_each(|made| made.barrier().map(drop))?;
            world.barrier()?.wait()
        });
    }
}

/// A call for a list of ranks is no call of all, so it comes before that of a duplicate at one rank,
/// and after it at another.
/// SEMANTICS: GRP-5
fn a_list_and_a_duplicate_come_in_any_order(case: &Case) {
    for size in several(case) {
        let everyone: Vec<Rank> = (0..size).collect();
        run(case, size, |world, step| {
            for round in 0..3 {
                let (twin, group) = if (world.rank() + round) % 2 == 0 {
                    let group = world.group(&everyone)?;
                    (world.idup()?, group)
                } else {
                    (world.idup()?, world.group(&everyone)?)
                };
                check_members(&group, &everyone, world, step)?;
                check_members(&twin.wait()?, &everyone, world, step)?;
            }
            Ok(())
        });
    }
}

/// What others send in a duplicate is kept until this rank makes it, though it has made groups with
/// greater ids meanwhile.
/// SEMANTICS: GRP-1, GRP-5
fn messages_that_come_early_are_kept(case: &Case) {
    for size in several(case) {
        run(case, size, |world, step| {
            let twin = world.idup()?;
            let last = size - 1;
            if world.rank() == last {
                step.to("letting the others go first");
                let between = world.group(&[last])?;
                let after = world.idup()?;
                for from in 0..last {
                    assert_eq!(world.recv::<usize>(from, 1)?.data, [from]);
                }
                drop(between);
                assert!(twin.test()? && !after.test()?);
                let twin = twin.wait()?;
                for from in 0..last {
                    assert_eq!(twin.recv::<usize>(from, 2)?.data, [from]);
                }
                twin.barrier()?;
                world.barrier()?;
                after.wait()?.barrier()?.wait()
            } else {
                let twin = twin.wait()?;
                let rank = world.rank();
                let early = twin.isend(last, 2, &[rank])?;
                world.isend(last, 1, &[rank])?;
                early.wait()?;
                // Its signals come early, too.
                twin.barrier()?;
                world.barrier()?.wait()?;
                world.idup()?.wait()?.barrier()?.wait()
            }
        });
    }
}

/// What is sent to a group that this rank has dropped takes no room, though the group's id is above
/// one that is still to come.
/// SEMANTICS: GRP-3, GRP-5
fn a_group_dropped_beside_a_pending_one_takes_no_messages(case: &Case) {
    run(case, 2, |world, step| {
        let many = 3 * world.config().window_messages.max(2);
        if world.rank() == 1 {
            let twin = world.idup()?;
            drop(world.group(&[0, 1])?);
            world.send(0, 1, &[1u8])?;
            step.to("waiting for what is sent in vain");
            world.recv::<u8>(0, 2)?;
            assert!(!twin.test()?);
            world.send(0, 3, &[1u8])?;
            twin.wait()?.barrier()?.wait()
        } else {
            let group = world.group(&[0, 1])?;
            world.recv::<u8>(1, 1)?;
            step.to("sending in vain");
            (0..many).try_for_each(|_| group.send(1, 1, &[0u8; 9]))?;
            world.send(1, 2, &[1u8])?;
            world.recv::<u8>(1, 3)?;
            world.idup()?.wait()?.barrier()?.wait()
        }
    });
}

/// A rank that drops the handle has called all the same. It leaves the group when it makes another.
/// SEMANTICS: GRP-3, GRP-5
fn a_dropped_request_keeps_nobody(case: &Case) {
    for size in several(case) {
        let everyone: Vec<Rank> = (0..size).collect();
        run(case, size, |world, step| {
            let many = 3 * world.config().window_messages.max(2);
            for round in 0..3 {
                let gone = round % size;
                let twin = world.idup()?;
                if world.rank() == gone {
                    drop(twin);
                    // Behind their requests.
                    for from in (0..size).filter(|&from| from != gone) {
                        world.recv::<u8>(from, 1)?;
                    }
                    check_members(&world.dup()?, &everyone, world, step)?;
                } else {
                    let twin = twin.wait()?;
                    world.send(gone, 1, &[1u8])?;
                    check_members(&world.dup()?, &everyone, world, step)?;
                    step.to("sending in vain");
                    (0..many).try_for_each(|_| twin.send(gone, 1, &[0u8; 9]))?;
                }
                let (first, second) = (world.idup()?, world.idup()?);
                check_members(&second.wait()?, &everyone, world, step)?;
                check_members(&first.wait()?, &everyone, world, step)?;
            }
            // Some drop it, and the world ends.
            world.idup().map(drop)
        });
    }
}

/// It is waited for with other requests, whichever is complete first.
fn it_is_one_of_several_requests(case: &Case) {
    run(case, 3, |world, _| {
        let (rank, twin) = (world.rank(), world.idup()?);
        let halo = world.irecv::<usize>((rank + 1) % 3, 1)?;
        match rank {
            0 => {
                assert!(world.test_any::<&dyn Pending<_>>(&[&halo])?.is_none());
                world.send(1, 2, &[0u8])?;
            }
            // Before this rank 0 has no halo.
            1 => drop(world.recv::<u8>(0, 2)?),
            _ => {}
        }
        world.isend((rank + 2) % 3, 1, &[rank])?;
        let all: [&dyn Pending<_>; 2] = [&twin, &halo];
        assert!(world.wait_any(&all)? < 2);
        world.wait_all(&all)?;
        assert!(world.test_all(&all)? && twin.test()?);
        assert_eq!(halo.wait()?.data, [(rank + 1) % 3]);
        twin.wait()?.barrier()?.wait()
    });
}

/// All that differ are told so, whoever does.
/// SEMANTICS: GRP-4
fn a_rank_that_makes_another_group_is_named(case: &Case) {
    type Make = fn(&World) -> Result<World>;
    let idup: Make = |world| world.idup()?.wait();
    let others: [(Make, &str); 2] =
        [(|world| world.split(1, 0), "a split"), (|world| world.dup(), "a duplicate")];
    for size in [2, 3, 5] {
        for (other, words) in others {
            for (odd, swapped) in (0..size).flat_map(|odd| [(odd, false), (odd, true)]) {
                // Else one that ends may be missed before what it has sent was seen.
                let told = Gate::new();
                let outcome = case.outcome(&case.config(size), size, |world, step| {
                    step.to(format!("rank {odd} makes another"));
                    let make = if (world.rank() == odd) == swapped { idup } else { other };
                    match make(world) {
                        Err(Error::Group(error @ GroupError::Disagree { .. })) => {
                            let text = error.to_string();
                            assert!(text.contains(words), "{text}");
                            assert!(text.contains("a nonblocking duplicate"), "{text}");
                            told.arrive();
                            told.wait_progressing(size, world)
                        }
                        other => panic!("{other:?}"),
                    }
                });
                outcome.unwrap();
            }
        }
    }
}

/// A rank that has ended before it has called is named. One that has called is missed by nobody.
/// SEMANTICS: END-1, END-2
fn a_rank_that_ends_is_named_unless_it_has_called(case: &Case) {
    let calls = [true, false];
    for has_called in calls {
        run(case, 3, |world, step| {
            let rank = world.rank();
            if rank == 2 {
                if has_called {
                    drop(world.idup()?);
                }
                return Ok(());
            }
            step.to("calling for a duplicate");
            let twin = world.idup()?;
            world.wait_any(&[&twin])?;
            match (twin.wait(), has_called) {
                (Ok(twin), true) => {
                    twin.send(1 - rank, 1, &[rank])?;
                    assert_eq!(twin.recv::<usize>(1 - rank, 1)?.data, [1 - rank]);
                }
                (made, false) => {
                    let error = message_error(made);
                    assert_eq!(error, MessageError::PeerEnded { rank: 2, failed: false });
                }
                (Err(error), true) => panic!("{error}"),
            }
            step.to("going on without it");
            let pair = world.group(&[1, 0])?;
            let (first, second) = (pair.idup()?, pair.idup()?);
            check_members(&second.wait()?, &[1, 0], world, step)?;
            check_members(&first.wait()?, &[1, 0], world, step)
        });
    }
}

/// A request outlives its communicator, and ends with the world.
/// SEMANTICS: GRP-3
fn it_owns_what_it_needs(case: &Case) {
    for size in [1, 3] {
        let kept = run(case, size, |world, step| {
            let parent = world.dup()?;
            let twin = parent.idup()?;
            drop(parent);
            check_members(&twin.wait()?, &(0..size).collect::<Vec<_>>(), world, step)?;
            world.idup()
        });
        for twin in kept {
            assert!(matches!(twin.test(), Err(Error::Ended)));
            assert!(matches!(twin.wait(), Err(Error::Ended)));
        }
    }
}

suite!(
    a_call_waits_for_nobody,
    overlapping_groups_are_agreed_on_around_a_ring,
    duplicates_are_agreed_on_beside_other_makings,
    a_list_and_a_duplicate_come_in_any_order,
    messages_that_come_early_are_kept,
    a_group_dropped_beside_a_pending_one_takes_no_messages,
    a_dropped_request_keeps_nobody,
    it_is_one_of_several_requests,
    a_rank_that_makes_another_group_is_named,
    a_rank_that_ends_is_named_unless_it_has_called,
    it_owns_what_it_needs,
);
