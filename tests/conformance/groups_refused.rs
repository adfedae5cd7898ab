//! Groups that cannot be made: lists that will not do, ranks that do not want the same, and ranks
//! that have gone.

use runahead::{Algorithm, Error, GroupError, MessageError, Rank, Result};

use crate::harness::{Case, Gate, World, die, message_error};

fn group_error<T>(result: Result<T>) -> GroupError {
    match result {
        Err(Error::Group(error)) => error,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("a group was made"),
    }
}

/// A list that will not do is refused before anybody hears of it.
fn lists_that_will_not_do_are_refused(case: &Case) {
    for size in [1, 3] {
        case.run(size, |world, _| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % size);
            let make = |list: &[Rank]| world.group(list);
            match make(&[rank, size]) {
                Err(Error::RankOutOfRange { rank, size: named }) => {
                    assert_eq!((rank, named), (size, size));
                }
                other => panic!("{other:?}"),
            }
            assert_eq!(group_error(make(&[rank, rank])), GroupError::Twice(rank));
            assert_eq!(group_error(make(&[rank, next, rank])), GroupError::Twice(rank));
            assert_eq!(group_error(make(&[])), GroupError::WithoutCaller(rank));
            if next != rank {
                assert_eq!(group_error(make(&[next])), GroupError::WithoutCaller(rank));
            }
            // Nothing of that is left over.
            let group = make(&(0..size).collect::<Vec<_>>())?;
            assert!(matches!(group.end(false), Err(Error::NotTheWorld)));
            world.barrier()?.wait()
        });
    }
}

/// What one rank asks for.
type Wish = fn(&World) -> Result<World>;

/// All ranks but one want the same.
/// SEMANTICS: GRP-4
fn a_rank_that_wants_something_else_is_named(case: &Case) {
    let split: Wish = |world| world.split(1, 0);
    let dup: Wish = |world| world.dup();
    let flat: Wish = |world| world.dup_with(Algorithm::AllToAll);
    let group: Wish = |world| world.group(&(0..world.size()).collect::<Vec<_>>());
    let pairs = [
        (split, dup, "a duplicate"),
        (dup, split, "a split"),
        (dup, flat, "all-to-all"),
        (flat, dup, "barriers by board"),
        (split, group, "a group of the ranks"),
        (dup, group, "a group of the ranks"),
    ];
    for size in [2, 3, 5] {
        for (wanted, other, words) in pairs {
            for odd in 0..size {
                let outcome = case.outcome(&case.config(size), size, |world, step| {
                    step.to(format!("rank {odd} wants another"));
                    let wish = if world.rank() == odd { other } else { wanted };
                    let error = group_error(wish(world));
                    let GroupError::Disagree { rank, theirs, ours } = &error else {
                        panic!("{error}")
                    };
                    // Rank 0 says what it wants and who wants something else: where that is what
                    // rank 0 wants, the first other.
                    let first = if odd == 0 { 1 } else { odd };
                    let told = world.rank() == odd && words.contains("group");
                    if told {
                        assert!(*rank == 0 || *rank == first, "{error}");
                    } else if odd == 0 && words.contains("group") {
                        assert_eq!(*rank, 0, "{error}");
                    } else {
                        assert_eq!(*rank, first, "{error}");
                    }
                    assert_ne!(theirs, ours);
                    let text = error.to_string();
                    assert!(text.contains(words), "{text}");
                    Ok(())
                });
                outcome.unwrap();
            }
        }
    }
}

/// Members that were given other lists, or the same ranks in another order.
/// SEMANTICS: GRP-4
fn a_rank_with_another_list_is_named(case: &Case) {
    let lists: [(&[Rank], &[Rank]); 4] = [
        (&[0, 1, 2], &[0, 2, 1]),
        (&[0, 1, 2], &[2, 1, 0]),
        (&[0, 1, 2], &[0, 1, 2, 3]),
        (&[1, 0, 2], &[2, 0, 1, 3]),
    ];
    for (most, odd_list) in lists {
        for &odd in most {
            let said = Gate::new();
            let outcome = case.outcome(&case.config(4), 4, |world, step| {
                if world.rank() == 3 {
                    // It is in the one list, and stays until all have said what they want.
                    said.wait_progressing(3, world)?;
                    return Ok(());
                }
                step.to(format!("rank {odd} wants {odd_list:?} and not {most:?}"));
                let list = if world.rank() == odd { odd_list } else { most };
                let made = world.group(list);
                said.arrive();
                let error = group_error(made);
                let GroupError::Disagree { rank, theirs, ours } = &error else { panic!("{error}") };
                if world.rank() == odd {
                    assert!(most.contains(rank) && *rank != odd, "{error}");
                } else {
                    assert_eq!(*rank, odd, "{error}");
                    assert!(theirs.contains(&format!("{odd_list:?}")), "{error}");
                    assert!(ours.contains(&format!("{most:?}")), "{error}");
                }
                Ok(())
            });
            outcome.unwrap();
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Ended,
    Failed,
    Lost,
}

/// One rank goes while all others make a group with it: each of them is told, with its name; and
/// they can make a group of those who are left.
/// SEMANTICS: END-2, GRP-4
fn a_member_that_has_gone_is_named_to_all(case: &Case) {
    for size in [2, 3, 5] {
        for how in [How::Ended, How::Failed, How::Lost] {
            for gone in 0..size {
                for listed in [false, true] {
                    let told = Gate::new();
                    let outcome = case.outcome(&case.config(size), size, |world, step| {
                        if world.rank() == gone {
                            return match how {
                                How::Ended => Ok(()),
                                How::Failed => Err(Error::other("failed on purpose")),
                                How::Lost => die("lost on purpose"),
                            };
                        }
                        step.to(format!("making a group with {gone}, {how:?}"));
                        let everyone: Vec<Rank> = (0..size).collect();
                        let made = if listed { world.group(&everyone) } else { world.split(0, 0) };
                        let error = message_error(made.map(drop));
                        let expected = match how {
                            How::Lost => MessageError::PeerLost { rank: gone },
                            _ => {
                                let failed = how == How::Failed;
                                MessageError::PeerEnded { rank: gone, failed }
                            }
                        };
                        assert_eq!(error, expected, "at {}", world.rank());
                        if listed {
                            // The lists that they have sent each other may not have been read.
                            return Ok(());
                        }
                        step.to("making a group of those who are left");
                        let left: Vec<Rank> = (0..size).filter(|&rank| rank != gone).collect();
                        let group = world.group(&left)?;
                        group.barrier()?.wait()?;
                        told.arrive();
                        Ok(())
                    });
                    match (how, outcome) {
                        (How::Ended, Ok(_)) => {}
                        (How::Failed, Err(Error::Rank { rank, .. })) if rank == gone => {}
                        (How::Lost, Err(Error::Panicked { rank, .. })) if rank == gone => {}
                        (_, outcome) => panic!("{how:?}: {:?}", outcome.map(drop)),
                    }
                    if !listed {
                        assert!(told.has(size - 1), "somebody made no group");
                    }
                }
            }
        }
    }
}

suite!(
    lists_that_will_not_do_are_refused,
    a_rank_that_wants_something_else_is_named,
    a_rank_with_another_list_is_named,
    a_member_that_has_gone_is_named_to_all,
);
