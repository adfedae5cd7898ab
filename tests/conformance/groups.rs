//! Communicators for groups: who is in them, in which order, and under which rank each is known.

use runahead::{Algorithm, Comm, Error, MessageError, Rank, Result, Source, Tag};

use crate::harness::{Case, Gate, SIZES, World, message_error};

/// What a rank of so many asks of a split.
type Want = fn(rank: Rank, size: usize) -> (Option<u32>, i64);

const WANTS: [Want; 9] = [
    |_, _| (Some(0), 0),
    |rank, _| (Some(u32::MAX), -(rank as i64)),
    |rank, _| (Some(rank as u32 % 2), 7),
    |rank, size| (Some(rank as u32 % 3), (size - rank) as i64),
    |rank, _| (Some(rank as u32), 0),
    |rank, _| (Some(5), [i64::MAX, i64::MIN, -1, 0][rank % 4]),
    |rank, _| ((rank % 2 == 1).then_some(9), -(rank as i64 / 2)),
    |rank, _| ((rank == 0).then_some(0), 0),
    |_, _| (None, 0),
];

/// The ranks of the group of `rank`, in their order, as the words of the call say.
fn expected(want: Want, rank: Rank, size: usize) -> Option<Vec<Rank>> {
    let own = want(rank, size).0?;
    let mut members: Vec<_> = (0..size).filter(|&r| want(r, size).0 == Some(own)).collect();
    members.sort_by_key(|&r| (want(r, size).1, r));
    Some(members)
}

/// All members exchange what they know, and then a barrier holds all of them.
pub fn check_members(
    group: &World,
    members: &[Rank],
    world: &World,
    step: &crate::harness::Step,
) -> Result<()> {
    step.to(format!("checking {members:?}"));
    let own = members.iter().position(|&member| member == world.rank()).unwrap();
    assert_eq!((group.rank(), group.size()), (own, members.len()));
    for (rank, &member) in members.iter().enumerate() {
        assert_eq!(group.world_rank(rank)?, member);
    }
    // The id stands in what is printed: all have the same.
    let id = format!("{group:?}").rsplit_once(" in ").unwrap().1.to_owned();
    for to in 0..group.size() {
        group.isend(to, 1, id.as_bytes())?;
    }
    for from in 0..group.size() {
        let message = group.recv::<u8>(from, Tag::Any)?;
        assert_eq!((message.source, message.tag), (from, 1));
        assert_eq!(String::from_utf8_lossy(&message.data), id);
    }
    let barrier = group.barrier()?;
    assert_eq!(barrier.epoch(), 1);
    barrier.wait()
}

/// SEMANTICS: GRP-2
fn a_split_makes_the_groups_of_its_colors(case: &Case) {
    for size in case.sizes(&SIZES) {
        case.run(size, |world, step| {
            let rank = world.rank();
            for (number, want) in WANTS.into_iter().enumerate() {
                step.to(format!("split {number}"));
                let (color, key) = want(rank, size);
                // The two calls may meet.
                let group = match color {
                    Some(color) if rank % 2 == 0 => Some(world.split(color, key)?),
                    color => world.split_some(color, key)?,
                };
                let members = expected(want, rank, size);
                assert_eq!(group.is_some(), members.is_some());
                if let (Some(group), Some(members)) = (group, members) {
                    check_members(&group, &members, world, step)?;
                }
            }
            Ok(())
        });
    }
}

/// SEMANTICS: GRP-2
fn a_duplicate_has_the_same_ranks(case: &Case) {
    for size in case.sizes(&SIZES) {
        case.run(size, |world, step| {
            let everyone: Vec<_> = (0..size).collect();
            let twin = world.dup()?;
            check_members(&twin, &everyone, world, step)?;
            assert_eq!(twin.algorithm(), world.algorithm());
            for algorithm in [Algorithm::AllToAll, Algorithm::Butterfly] {
                let other = twin.dup_with(algorithm)?;
                assert_eq!(other.algorithm(), algorithm);
                check_members(&other, &everyone, world, step)?;
                assert_eq!(other.dup()?.algorithm(), algorithm);
            }
            let reversed = world.split(0, -(world.rank() as i64))?;
            let twin = reversed.dup()?;
            drop(reversed);
            let everyone: Vec<_> = (0..size).rev().collect();
            check_members(&twin, &everyone, world, step)
        });
    }
}

/// Only the members call; others never hear of it.
/// SEMANTICS: GRP-2
fn a_group_has_the_ranks_of_its_list_in_their_order(case: &Case) {
    for size in case.sizes(&SIZES) {
        let everyone: Vec<Rank> = (0..size).collect();
        let mut lists = vec![everyone.clone(), everyone.iter().rev().copied().collect()];
        lists.extend((0..size).map(|rank| vec![rank]));
        lists.push((0..size).map(|at| (at * 3 + 1) % size).collect());
        lists.push((0..size).filter(|rank| rank % 2 == 0).rev().collect());
        lists.push((size / 2..size).collect());
        lists.push((0..size.div_ceil(2)).rev().collect());
        lists.retain(|list| {
            let mut sorted = list.clone();
            sorted.sort_unstable();
            sorted.windows(2).all(|pair| pair[0] != pair[1])
        });
        case.run(size, |world, step| {
            let mut kept = Vec::new();
            for list in lists.iter().filter(|list| list.contains(&world.rank())) {
                step.to(format!("the group {list:?}"));
                let group = world.group(list)?;
                check_members(&group, list, world, step)?;
                // Some stay.
                if list.len() % 2 == 0 {
                    kept.push(group);
                }
            }
            Ok(())
        });
    }
}

/// Groups of groups, down to single ranks; all of them live, and their ids differ.
/// SEMANTICS: GRP-2
fn groups_are_made_out_of_groups(case: &Case) {
    for size in case.sizes(&SIZES) {
        case.run(size, |world, step| {
            let mut chain = vec![world.dup()?];
            let mut members: Vec<Rank> = (0..size).collect();
            while members.len() > 1 {
                let parent = chain.last().unwrap();
                step.to(format!("splitting {members:?}"));
                let half = |rank: Rank| rank * 2 / members.len();
                let own = half(parent.rank());
                let child = parent.split(own as u32, -(parent.rank() as i64))?;
                let places = (0..members.len()).filter(|&at| half(at) == own).rev();
                members = places.map(|at| members[at]).collect();
                check_members(&child, &members, world, step)?;
                // Out of the child, a group of its ranks: they are named by their ranks in it.
                let list: Vec<Rank> = (0..members.len()).rev().collect();
                let turned: Vec<Rank> = members.iter().rev().copied().collect();
                check_members(&child.group(&list)?, &turned, world, step)?;
                chain.push(child);
            }
            let mut names: Vec<_> = chain.iter().map(|comm| format!("{comm:?}")).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), chain.len(), "{names:?}");
            // The parents first: the children need them not.
            while !chain.is_empty() {
                drop(chain.remove(0));
                if let Some(child) = chain.last() {
                    child.barrier()?.wait()?;
                }
            }
            Ok(())
        });
    }
}

/// Every call that takes or names a rank means the rank in its communicator; errors of the message
/// layer name ranks of the world.
fn ranks_are_those_of_the_communicator(case: &Case) {
    let (size, list) = (5, [3, 0, 4]);
    let outcome = case.outcome(&case.config(size), size, |world, step| {
        if !list.contains(&world.rank()) {
            return Ok(());
        }
        let group = world.group(&list)?;
        let (rank, next, previous) = (group.rank(), (group.rank() + 1) % 3, (group.rank() + 2) % 3);
        step.to("received");
        group.isend(next, 1, &[rank as u16])?;
        assert_eq!(group.probe(Source::Any, 1)?.source, previous);
        assert_eq!(group.try_probe(previous, 1)?.map(|status| status.source), Some(previous));
        let message = group.recv::<u16>(Source::Any, 1)?;
        assert_eq!((message.source, &message.data[..]), (previous, &[previous as u16][..]));
        step.to("received into room");
        group.isend(next, 2, &[rank as u16, 0])?;
        match group.recv::<u64>(previous, 2) {
            Err(Error::ElementSize { source_rank, .. }) => assert_eq!(source_rank, previous),
            other => panic!("{other:?}"),
        }
        match group.recv_into(&mut [0u16], Source::Any, 2) {
            Err(Error::Truncated { source_rank, .. }) => assert_eq!(source_rank, previous),
            other => panic!("{other:?}"),
        }
        assert_eq!(group.recv_into(&mut [0u16; 2], Source::Any, 2)?.source, previous);
        step.to("received by a posted receive");
        let posted = group.irecv::<u8>(Source::Any, 3)?;
        let exact = group.irecv::<u8>(previous, 4)?;
        group.isend(next, 3, &[rank as u8])?;
        group.isend(next, 4, &[rank as u8])?;
        assert_eq!(posted.wait()?.source, previous);
        assert_eq!(exact.wait()?.source, previous);
        step.to("polled");
        group.isend(next, 5, &[1u8])?;
        let polled = loop {
            if let Some(message) = group.try_recv::<u8>(Source::Any, 5)? {
                break message;
            }
            std::thread::yield_now();
        };
        assert_eq!(polled.source, previous);
        group.isend(rank, 6, &[1u8])?;
        assert_eq!(group.recv_bytes(Source::Any, 6)?.source, rank);
        assert!(matches!(
            group.send(3, 1, &[0u8]),
            Err(Error::RankOutOfRange { rank: 3, size: 3 })
        ));
        assert!(matches!(group.world_rank(3), Err(Error::RankOutOfRange { rank: 3, size: 3 })));
        group.barrier()?.wait()?;
        if rank == 2 {
            return Ok(()); // rank 4 of the world
        }
        step.to("receiving from one that has ended");
        let error = message_error(group.recv::<u8>(2, 9));
        assert_eq!(error, MessageError::PeerEnded { rank: 4, failed: false });
        let barrier = group.barrier()?;
        match message_error(barrier.wait()) {
            MessageError::EndedBeforeBarrier { rank: 4, epoch: 2, .. } => Ok(()),
            other => panic!("{other}"),
        }
    });
    // What can never complete fails the end of the world too.
    let Err(Error::Rank { error, .. }) = outcome else { panic!("{outcome:?}") };
    let Error::Message(MessageError::EndedBeforeBarrier { rank: 4, .. }) = *error else {
        panic!("{error}")
    };
}

/// A wait with a time limit names those who have not entered, by their ranks in the world.
/// SEMANTICS: BAR-9
fn a_wait_that_runs_out_of_time_names_ranks_of_the_world(case: &Case) {
    let list = [3, 1, 2];
    let (entered, looked) = (Gate::new(), Gate::new());
    case.run(4, |world, step| {
        if !list.contains(&world.rank()) {
            return Ok(());
        }
        let group = world.group(&list)?;
        if world.rank() == 1 {
            step.to("keeping out of the barrier");
            looked.wait_progressing(2, world)?;
            return group.barrier()?.wait();
        }
        let promise = looked.promise();
        let barrier = group.barrier()?;
        entered.arrive();
        entered.wait_progressing(2, world)?;
        step.to("waiting for a while");
        let error = message_error(barrier.wait_timeout(std::time::Duration::from_millis(1)));
        let MessageError::BarrierTimeout { not_entered, no_answer, .. } = error else {
            panic!("{error}")
        };
        // Nobody computes for long, but the machine may be busy.
        assert!(not_entered.iter().all(|&rank| rank == 1), "{not_entered:?}");
        assert!(not_entered.contains(&1) || no_answer.contains(&1), "{no_answer:?}");
        drop(promise);
        barrier.wait()
    });
}

/// A world ended is ended for all its communicators.
fn nothing_works_after_the_end_of_the_world(case: &Case) {
    for size in [1, 3] {
        let kept = case.run(size, |world, _| {
            let (twin, own) = (world.dup()?, world.group(&[world.rank()])?);
            twin.barrier()?;
            Ok((twin, own))
        });
        for (rank, (twin, own)) in kept.into_iter().enumerate() {
            assert_eq!((twin.rank(), twin.size(), own.size()), (rank, size, 1));
            is_ended(&twin);
            is_ended(&own);
            assert!(matches!(own.end(false), Err(Error::NotTheWorld)));
        }
    }
}

fn is_ended<N: runahead::internals::verbs::Nic>(comm: &Comm<N>) {
    let ended = |error: Error| assert!(matches!(error, Error::Ended), "{error}");
    ended(comm.send(0, 1, &[1u8]).unwrap_err());
    ended(comm.isend(0, 1, &[1u8]).map(drop).unwrap_err());
    ended(comm.try_send(0, 1, &[1u8]).unwrap_err());
    ended(comm.recv::<u8>(0, 1).unwrap_err());
    ended(comm.irecv::<u8>(0, 1).map(drop).unwrap_err());
    ended(comm.try_recv::<u8>(0, 1).unwrap_err());
    ended(comm.probe(0, 1).unwrap_err());
    ended(comm.barrier().map(drop).unwrap_err());
    ended(comm.try_barrier().map(drop).unwrap_err());
    ended(comm.progress().unwrap_err());
    ended(comm.split(0, 0).map(drop).unwrap_err());
    ended(comm.split_some(None, 0).map(drop).unwrap_err());
    ended(comm.dup().map(drop).unwrap_err());
    ended(comm.idup().map(drop).unwrap_err());
    ended(comm.group(&[comm.rank()]).map(drop).unwrap_err());
    if comm.size() > 1 {
        ended(comm.broadcast(0, &mut [1u8]).unwrap_err());
    }
}

suite!(
    a_split_makes_the_groups_of_its_colors,
    a_duplicate_has_the_same_ranks,
    a_group_has_the_ranks_of_its_list_in_their_order,
    groups_are_made_out_of_groups,
    ranks_are_those_of_the_communicator,
    a_wait_that_runs_out_of_time_names_ranks_of_the_world,
    nothing_works_after_the_end_of_the_world,
);
