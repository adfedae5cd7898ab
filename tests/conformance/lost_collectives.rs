//! Collectives from which a rank is missing for good: it was lost, it failed, or it ended in good
//! order without a call. Whoever needs it is told, and nobody else.

use runahead::{Error, Exchange, MessageError, Result, Tree};

use crate::harness::{Case, Gate, World, die, message_error};

const SIZES: [usize; 3] = [2, 3, 5];

/// How a rank goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    Lost,
    Failed,
    InOrder,
}

impl Going {
    const ALL: [Going; 3] = [Going::Lost, Going::Failed, Going::InOrder];

    fn go(self) -> Result<()> {
        match self {
            Going::Lost => die("gone"),
            Going::Failed => Err(Error::other("gone")),
            Going::InOrder => Ok(()),
        }
    }

    /// What those are told who need rank `gone`.
    fn told(self, gone: usize) -> MessageError {
        match self {
            Going::Lost => MessageError::PeerLost { rank: gone },
            _ => MessageError::PeerEnded { rank: gone, failed: self == Going::Failed },
        }
    }
}

/// Whether a rank is told of one that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Must,
    /// It only sends to it, and may have done that before.
    May,
    Never,
}

type Collective = (&'static str, fn(&World, usize) -> Result<()>);

/// Calls in which everybody needs everybody, each with that number of elements for each rank.
fn all_need_all() -> Vec<Collective> {
    vec![
        ("all_gather", |world, count| world.all_gather(&vec![1u64; count]).map(drop)),
        ("all_to_all", |world, count| {
            world.all_to_all(&vec![1u64; count * world.size()]).map(drop)
        }),
        ("all_to_all_v", |world, count| {
            let (own, size) = (vec![1u64; count], world.size());
            world.all_to_all_v(&vec![&own[..]; size], &vec![count; size]).map(drop)
        }),
        ("reduce_scatter", |world, count| {
            let data = vec![1u64; count * world.size()];
            world.reduce_scatter(&data, |a, b| a + b).map(drop)
        }),
        ("reduce_scatter_v", |world, count| {
            let size = world.size();
            let data = vec![1u64; count * size];
            world.reduce_scatter_v(&data, &vec![count; size], |a, b| a + b).map(drop)
        }),
        ("exchange, dumb", |world, count| exchange(world, count, Exchange::Pairwise)),
        ("exchange, smart", |world, count| exchange(world, count, Exchange::FirstArrived)),
        ("exchange_parts", |world, count| {
            let own = vec![1u64; count];
            world.exchange_parts(&vec![&own[..]; world.size()]).map(drop)
        }),
    ]
}

fn exchange(world: &World, count: usize, how: Exchange) -> Result<()> {
    let own = vec![1u64; count];
    world.exchange(&vec![&own[..]; world.size()], how, |_, _| {})
}

fn all_reduce(world: &World, count: usize) -> Result<()> {
    world.all_reduce(&vec![1u64; count], |a, b| a + b).map(drop)
}

/// Runs `call` without rank `gone`. Each of the others stays until all have returned from it, so
/// that nobody is told by the end of a third.
fn without(
    case: &Case,
    (size, gone, going): (usize, usize, Going),
    what: &str,
    call: impl Fn(&World) -> Result<()> + Sync,
    told: impl Fn(usize) -> Told + Sync,
) {
    // What fails at the others may be hidden behind the failure of the missing rank.
    let (returned, checked) = (Gate::new(), Gate::new());
    let what = format!("{what}, {size} ranks, without {gone}, {going:?}");
    let outcome = case.ending_outcome(&case.config(size), size, |world, step| {
        let rank = world.rank();
        if rank == gone {
            return going.go();
        }
        step.to(&what);
        let promise = returned.promise();
        let result = call(world);
        match (result, told(rank)) {
            (Ok(()), Told::May | Told::Never) => {}
            (Err(Error::Message(error)), Told::Must | Told::May) => {
                assert_eq!(error, going.told(gone), "{what}, at {rank}");
            }
            (result, told) => panic!("{what}, at {rank}: {told:?}, and it is {result:?}"),
        }
        checked.arrive();
        drop(promise);
        step.to(format!("{what}: done"));
        returned.wait_progressing(size - 1, world)
    });
    assert!(checked.has(size - 1), "{what}: {outcome:?}");
    match (going, outcome) {
        (Going::Lost, Err(Error::Panicked { rank, message })) => {
            assert_eq!((rank, message.as_str()), (gone, "gone"), "{what}");
        }
        (Going::Failed, Err(Error::Rank { rank, .. })) => assert_eq!(rank, gone, "{what}"),
        (Going::InOrder, Ok(_)) => {}
        (_, outcome) => panic!("{what}: {outcome:?}"),
    }
}

fn all_cases(sizes: &[usize]) -> impl Iterator<Item = (usize, usize, Going)> {
    let gone = |&size: &usize| (0..size).map(move |gone| (size, gone));
    let all = sizes.iter().flat_map(gone);
    all.flat_map(|(size, gone)| Going::ALL.map(|going| (size, gone, going)))
}

/// SEMANTICS: END-2, COL-5
fn everybody_is_told_where_all_need_all(case: &Case) {
    let mut parts = 0..;
    for which in all_cases(&SIZES) {
        for count in [0, 3, 3000] {
            for (name, call) in all_need_all() {
                let part = parts.next().unwrap();
                if !(case.has_part(part) && case.has_part_in_guest(part / 4)) {
                    continue;
                }
                let what = format!("{name} of {count}");
                without(case, which, &what, |world| call(world, count), |_| Told::Must);
            }
        }
        // Each rank combines a share.
        let call = |world: &World| {
            world.set_tree(Tree::Flat);
            all_reduce(world, 5000)
        };
        without(case, which, "all_reduce", call, |_| Told::Must);
    }
}

/// What the others have sent each other in the call that failed fills windows. It keeps nobody from making a
/// group with the rest, and from going on in it. (Planted: a rank that makes no room.)
/// SEMANTICS: END-2, FLOW-1
fn those_who_are_left_go_on_in_a_group(case: &Case) {
    let mut parts = 0..;
    for which @ (size, gone, _) in all_cases(&SIZES[1..]) {
        let rest: Vec<usize> = (0..size).filter(|&rank| rank != gone).collect();
        for (name, call) in all_need_all() {
            let part = parts.next().unwrap();
            if !(case.has_part(part) && case.has_part_in_guest(part / 4)) {
                continue;
            }
            let go_on = |world: &World| {
                let failed = call(world, 3000);
                let group = world.group(&rest).expect("all of them make it");
                let count = group.all_reduce(&[1usize], |a, b| a + b).expect("nobody is missing");
                assert_eq!(count, [rest.len()]);
                call(&group, 3000).expect("nobody is missing");
                failed
            };
            without(case, which, &format!("{name}, and a group"), go_on, |_| Told::Must);
        }
    }
}

/// SEMANTICS: END-2, COL-5, COL-6
fn who_does_not_need_a_rank_goes_on_without(case: &Case) {
    for (nth, which @ (size, gone, _)) in all_cases(&SIZES).enumerate() {
        if !case.has_part(nth) {
            continue;
        }
        let root = size - 1;
        let from_root = |rank| match (gone == root, rank == root) {
            (true, _) => Told::Must,
            (false, true) => Told::May,
            (false, false) => Told::Never,
        };
        let to_root = |rank| match (gone == root, rank == root) {
            (true, _) => Told::May,
            (false, true) => Told::Must,
            (false, false) => Told::Never,
        };
        let above = |rank| if rank > gone { Told::Must } else { Told::May };
        for count in [1, 3000] {
            let data = vec![1u64; count];
            let scatter = |world: &World| {
                let parts = vec![&data[..]; size];
                world.scatter(root, if world.rank() == root { &parts } else { &[] }).map(drop)
            };
            without(case, which, "scatter", scatter, from_root);
            let gather = |world: &World| world.gather(root, &data).map(drop);
            without(case, which, "gather", gather, to_root);
            let broadcast = |world: &World| {
                world.set_tree(Tree::Flat);
                world.broadcast(root, &mut data.clone())
            };
            without(case, which, "broadcast", broadcast, from_root);
            let reduce = |world: &World| {
                world.set_tree(Tree::Flat);
                world.reduce(root, &data, |a, b| a + b).map(drop)
            };
            without(case, which, "reduce", reduce, to_root);
            let scan = |world: &World| {
                world.set_tree(Tree::Flat);
                world.scan(&data, |a, b| a + b).map(drop)
            };
            without(case, which, "scan", scan, above);
            let scan = |world: &World| {
                world.set_tree(Tree::Flat);
                world.exclusive_scan(&data, |a, b| a + b).map(drop)
            };
            without(case, which, "exclusive_scan", scan, above);
        }
    }
}

/// Runs `call` without rank `gone`, where those who are told end with an error themselves, and
/// others may learn of it only by that.
fn in_turn(
    case: &Case,
    (size, gone, going): (usize, usize, Going),
    what: &str,
    call: impl Fn(&World) -> Result<()> + Sync,
    must: impl Fn(usize) -> bool + Sync,
) {
    let what = format!("{what}, {size} ranks, without {gone}, {going:?}");
    let checked = Gate::new();
    let outcome = case.ending_outcome(&case.config(size), size, |world, step| {
        let rank = world.rank();
        if rank == gone {
            return going.go();
        }
        step.to(&what);
        let result = call(world);
        match &result {
            Ok(()) => assert!(!must(rank), "{what}: rank {rank} was not told"),
            // A failure may follow from a failure; that its word did not get out makes it a loss.
            Err(Error::Message(
                MessageError::PeerEnded { failed: true, .. } | MessageError::PeerLost { .. },
            )) => {}
            Err(Error::Message(error)) => assert_eq!(*error, going.told(gone), "{what}"),
            Err(error) => panic!("{what}, at {rank}: {error}"),
        }
        checked.arrive();
        result
    });
    assert!(checked.has(size - 1), "{what}: {outcome:?}");
    match outcome {
        Ok(_) => assert!(going == Going::InOrder && !(0..size).any(&must), "{what}"),
        Err(error) => assert_eq!(error.culprit(), Some(gone), "{what}: {error}"),
    }
}

/// Calls through trees, and whether a rank must be told of one that has gone.
type Relayed = (&'static str, fn(&World, usize) -> Result<()>, fn(usize, usize) -> bool);

fn relayed() -> Vec<Relayed> {
    let mut calls: Vec<Relayed> = vec![
        ("all_reduce", all_reduce, |rank, gone| rank != gone),
        (
            "scan",
            |world, count| world.scan(&vec![1u64; count], |a, b| a + b).map(drop),
            |rank, gone| rank > gone,
        ),
        (
            "broadcast",
            |world, count| world.broadcast(0, &mut vec![1u64; count]),
            |rank, gone| gone == 0 && rank != 0,
        ),
        (
            "reduce",
            |world, count| world.reduce(0, &vec![1u64; count], |a, b| a + b).map(drop),
            |rank, gone| gone != 0 && rank == 0,
        ),
    ];
    for (name, call) in all_need_all() {
        calls.push((name, call, |rank, gone| rank != gone));
    }
    calls
}

/// A rank that fails over the missing one may be needed itself, in every tree.
/// SEMANTICS: END-2
fn a_failure_over_a_missing_rank_reaches_those_behind(case: &Case) {
    let mut parts = 0..;
    for which @ (_, gone, _) in all_cases(&SIZES) {
        for tree in Tree::ALL {
            for count in [1, 5000] {
                for (name, call, must) in relayed() {
                    let part = parts.next().unwrap();
                    if !(case.has_part(part) && case.has_part_in_guest(part / 4)) {
                        continue;
                    }
                    let call = |world: &World| {
                        world.set_tree(tree);
                        call(world, count)
                    };
                    in_turn(case, which, &format!("{name}, {tree}"), call, |rank| must(rank, gone));
                }
            }
        }
    }
}

/// Where only the sum of what is to come is known, a rank that goes after it has said how much it
/// has, and before it has sent it, is named; also while another, which has nothing, stays.
/// SEMANTICS: END-2
fn a_rank_that_owes_part_of_a_sum_is_named(case: &Case) {
    for how in Exchange::ALL {
        for going in Going::ALL {
            let (returned, checked) = (Gate::new(), Gate::new());
            let outcome = case.ending_outcome(&case.config(3), 3, |world, step| {
                world.set_tree(Tree::Binary);
                step.to(format!("exchange, {how}, {going:?}"));
                if world.rank() == 2 {
                    // As the first part of an exchange with something for rank 0.
                    let mut counts = vec![5u64, 0, 0];
                    world.reduce(0, &counts, |a, b| a + b)?;
                    world.broadcast(0, &mut counts)?;
                    return going.go();
                }
                let promise = returned.promise();
                let result = world.exchange(&[[0u64; 0].as_slice(); 3], how, |_, _| {});
                if world.rank() == 0 {
                    let error = message_error(result);
                    // Of two that ended in good order, either may be named.
                    match going {
                        Going::InOrder => assert!(
                            matches!(error, MessageError::PeerEnded { failed: false, .. }),
                            "{error}"
                        ),
                        going => assert_eq!(error, going.told(2)),
                    }
                    checked.arrive();
                    return Ok(());
                }
                result?;
                drop(promise);
                if going == Going::InOrder {
                    return Ok(());
                }
                // Until rank 0 has returned.
                returned.wait_progressing(2, world)
            });
            assert!(checked.has(1), "{how}, {going:?}: {outcome:?}");
            assert_eq!(outcome.is_ok(), going == Going::InOrder, "{outcome:?}");
        }
    }
}

/// A rank that had nothing for this one, and has ended in good order, keeps nobody from waiting for
/// one that has.
/// SEMANTICS: END-2, COL-5
fn who_owes_nothing_may_end_before_those_who_do(case: &Case) {
    let mut config = case.config(3);
    // So that the late piece need not wait.
    config.window_messages = config.window_messages.max(4);
    for how in Exchange::ALL {
        let ended = Gate::new();
        case.run_with(&config, 3, |world, step| {
            world.set_tree(Tree::Binary);
            step.to(format!("exchange, {how}"));
            if world.rank() != 1 {
                let mut came = Vec::new();
                world.exchange(&[[0u64; 0].as_slice(); 3], how, |_, piece| {
                    came.extend_from_slice(piece)
                })?;
                assert_eq!(came, [7; 3][..if world.rank() == 0 { 3 } else { 0 }]);
                assert!(world.rank() != 0 || ended.has(1), "it did not wait for the late piece");
                return Ok(());
            }
            // The two parts of an exchange, and a pause between them until rank 2 has ended.
            let mut counts = vec![3u64, 0, 0];
            world.reduce(0, &counts, |a, b| a + b)?;
            world.broadcast(0, &mut counts)?;
            let error = message_error(world.recv::<u8>(2, 1));
            assert_eq!(error, MessageError::PeerEnded { rank: 2, failed: false });
            ended.arrive();
            world.set_tree(Tree::Flat);
            // This one expects to hear from all, and so is told of those who have ended.
            let error = message_error(world.exchange(&[&[7u64; 3], &[], &[]], how, |_, _| {}));
            assert!(matches!(error, MessageError::PeerEnded { failed: false, .. }), "{error}");
            Ok(())
        });
    }
}

/// A rank that failed since another was lost, before it made the call, is not blamed for it: who
/// waits for both is told of the one that was lost. (The end of a rank may be heard of before the
/// loss of one on another host.)
/// SEMANTICS: END-2
fn the_lost_rank_is_named_and_not_one_that_failed_over_it(case: &Case) {
    for (what, call) in all_need_all() {
        let checked = Gate::new();
        let outcome = case.ending_outcome(&case.config(3), 3, |world, step| {
            step.to(what);
            match world.rank() {
                // Mostly rank 2 has made its call then, and the test holds in any case.
                0 => {
                    for _ in 0..300 {
                        world.progress()?;
                        std::thread::yield_now();
                    }
                    die("gone")
                }
                1 => world.recv::<u8>(0, 1).map(drop),
                _ => {
                    let error = message_error(call(world, 1));
                    let later = !(case.network.sees)(3, 2, 0)
                        && error == MessageError::PeerEnded { rank: 1, failed: true };
                    assert!(
                        later || error == MessageError::PeerLost { rank: 0 },
                        "{what}: {error}"
                    );
                    checked.arrive();
                    Ok(())
                }
            }
        });
        assert!(checked.has(1), "{what}: {outcome:?}");
    }
}

suite!(
    everybody_is_told_where_all_need_all,
    the_lost_rank_is_named_and_not_one_that_failed_over_it,
    those_who_are_left_go_on_in_a_group,
    who_does_not_need_a_rank_goes_on_without,
    a_failure_over_a_missing_rank_reaches_those_behind,
    a_rank_that_owes_part_of_a_sum_is_named,
    who_owes_nothing_may_end_before_those_who_do,
);
