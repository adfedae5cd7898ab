//! Barriers of overlapping, nested, equal and disjoint groups, all open at once, in every order, with
//! each rank withheld in turn.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use runahead::{Algorithm, Error, MessageError, Rank, Result, Source, Tag};

use crate::harness::{Case, Gate, World, message_error};

/// The members of one group.
type Members = &'static [Rank];

/// Sets of groups of four ranks; each is tried in every order.
const SETS: [&[Members]; 4] = [
    // Overlapping, in a ring.
    &[&[0, 1], &[1, 2], &[2, 3], &[3, 0]],
    // Nested, three deep, and the whole.
    &[&[0, 1, 2, 3], &[2, 0, 1], &[1, 2], &[1]],
    // Equal ones, in two orders, and two disjoint ones that overlap them.
    &[&[0, 1, 2], &[2, 1, 0], &[0, 3], &[1, 2]],
    // Rows and columns.
    &[&[0, 1], &[2, 3], &[0, 2], &[1, 3]],
];

fn permutations(of: usize) -> Vec<Vec<usize>> {
    if of == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(of - 1);
    let grown = |list: &Vec<usize>| {
        (0..of).map(|at| [&list[..at], &[of - 1], &list[at..]].concat()).collect::<Vec<_>>()
    };
    shorter.iter().flat_map(grown).collect()
}

/// What is known apart from the runtime: how many barriers each rank has begun to call, by group.
struct Truth {
    begun: Vec<[AtomicU64; 4]>,
}

impl Truth {
    fn new(groups: usize) -> Truth {
        let none = || std::array::from_fn(|_| AtomicU64::new(0));
        Truth { begun: (0..groups).map(|_| none()).collect() }
    }

    fn begin(&self, group: usize, rank: Rank) {
        self.begun[group][rank].fetch_add(1, Ordering::SeqCst);
    }

    /// All members have called as many barriers of the group as `epoch`.
    fn require_all(&self, group: usize, members: &[Rank], epoch: u64) {
        for &member in members {
            let begun = self.begun[group][member].load(Ordering::SeqCst);
            assert!(begun >= epoch, "{members:?}: {epoch} is complete without rank {member}");
        }
    }
}

fn make(set: &[Members], world: &World) -> Result<Vec<Option<World>>> {
    let mut made = Vec::new();
    for members in set {
        let own = members.contains(&world.rank());
        made.push(if own { Some(world.group(members)?) } else { None });
    }
    Ok(made)
}

/// All but one rank open the barriers of all their groups, in the given order: none completes that
/// needs the withheld rank, nor any after it, and no message is seen that was sent after one. Then
/// the rank is let in, and all complete.
/// SEMANTICS: GRP-1, BAR-1, BAR-4, BAR-8, ORD-1, CON-1, CON-2
fn barriers_of_all_groups_are_open_at_once(case: &Case) {
    let mut config = case.config(4);
    config.resend_after = Duration::from_micros(100);
    for set in SETS {
        let orders = permutations(set.len()).into_iter().enumerate();
        let orders: Vec<_> = orders.filter(|&(nth, _)| case.has_half(nth)).collect();
        let gates: Vec<_> = orders.iter().map(|_| [(); 4].map(|()| Gate::new())).collect();
        let truth = Truth::new(set.len());
        case.run_with(&config, 4, |world, step| {
            let groups = make(set, world)?;
            let rank = world.rank();
            for ((_, order), gates) in orders.iter().zip(&gates) {
                for (w, gate) in gates.iter().enumerate() {
                    step.to(format!("{set:?} in the order {order:?} without {w}"));
                    let promise = (rank != w).then(|| gate.promise());
                    if rank == w {
                        // Others may need what it owes them from before.
                        gate.wait_progressing(3, world)?;
                    }
                    let mut open = Vec::new();
                    let mut needs_w = false;
                    for &at in order {
                        let Some(group) = &groups[at] else { continue };
                        truth.begin(at, rank);
                        let barrier = group.try_barrier()?.expect("few are open");
                        needs_w |= set[at].contains(&w);
                        open.push((barrier, at, needs_w));
                    }
                    // To the next rank of the last group: it has as many barriers before it.
                    let last = order.iter().rev().find(|&&at| set[at].contains(&rank)).copied();
                    let last = last.unwrap();
                    let group = groups[last].as_ref().unwrap();
                    let to = (group.rank() + 1) % group.size();
                    group.isend(to, 1, &[rank])?;
                    if rank != w {
                        for _ in 0..6 {
                            for (barrier, _, needs_w) in &open {
                                assert!(!(barrier.test()? && *needs_w), "complete without {w}");
                            }
                            for (at, group) in groups.iter().enumerate() {
                                let Some(group) = group else { continue };
                                let Some(found) = group.try_probe(Source::Any, Tag::Any)? else {
                                    continue;
                                };
                                let from = group.world_rank(found.source)?;
                                let held = |members: &&Members| {
                                    [w, from, rank].iter().all(|rank| members.contains(rank))
                                };
                                let early = from != rank && set.iter().any(|m| held(&m));
                                assert!(!early, "a message of {from} in {at} before {w} came");
                            }
                        }
                    }
                    drop(promise);
                    while let Some((barrier, at, _)) = open.pop() {
                        let epoch = barrier.epoch();
                        barrier.wait()?;
                        truth.require_all(at, set[at], epoch);
                    }
                    // Who has sent to this rank: whoever stands before it in its own last group.
                    for (at, members) in set.iter().enumerate() {
                        let Some(own) = members.iter().position(|&m| m == rank) else { continue };
                        let before = members[(own + members.len() - 1) % members.len()];
                        let last = order.iter().rev().find(|&&at| set[at].contains(&before));
                        if last == Some(&at) {
                            let message =
                                groups[at].as_ref().unwrap().recv::<usize>(Source::Any, 1)?;
                            assert_eq!(message.data, [before]);
                        }
                    }
                }
            }
            Ok(())
        });
    }
}

/// Many barriers of each group open, with blocking calls alone: containment makes them wait, as
/// traditional barriers would, and everybody gets through, by every algorithm.
/// SEMANTICS: BAR-4, CON-2, CON-3
fn blocking_calls_get_through_in_every_order(case: &Case) {
    for (which, algorithm) in Algorithm::ALL.into_iter().enumerate() {
        let mut config = case.config(4);
        config.algorithm = algorithm;
        config.resend_after = Duration::from_micros(100);
        for (nth, set) in SETS.into_iter().enumerate() {
            if !case.has_half(which + nth) {
                continue;
            }
            let truth = Truth::new(set.len());
            case.run_with(&config, 4, |world, step| {
                let groups = make(set, world)?;
                // All orders, over a few algorithms.
                let orders = permutations(set.len()).into_iter().skip(which % 4).step_by(4);
                for (number, order) in orders.enumerate() {
                    step.to(format!("{set:?} in the order {order:?}"));
                    for at in order {
                        let Some(group) = &groups[at] else { continue };
                        let times = 1 + number % 2;
                        for _ in 0..times {
                            truth.begin(at, world.rank());
                            let barrier = group.barrier()?;
                            if number % 3 == 0 {
                                let epoch = barrier.epoch();
                                barrier.wait()?;
                                truth.require_all(at, set[at], epoch);
                            }
                        }
                        // A collective of the group, among its open barriers.
                        let sum = group.reduce(0, &[1u32], |a, b| a + b)?;
                        let all = set[at].len() as u32;
                        assert_eq!(sum, (group.rank() == 0).then(|| vec![all]));
                    }
                }
                Ok(())
            });
        }
    }
}

/// Barriers of disjoint groups need nothing of each other, in whichever order they are called.
/// SEMANTICS: BAR-1
fn disjoint_groups_wait_for_nobody_else(case: &Case) {
    let done = Gate::new();
    case.run(5, |world, step| {
        let rank = world.rank();
        let half = world.split(u32::from(rank >= 2), 0)?;
        if rank < 2 {
            for number in 0..10u64 {
                step.to(format!("barrier {number} of the first two"));
                half.send((rank + 1) % 2, 1, &[number])?;
                half.barrier()?.wait()?;
                assert_eq!(half.recv::<u64>(Source::Any, 1)?.data, [number]);
            }
            done.arrive();
            return half.barrier()?.wait();
        }
        // The other three come to nothing before the first two are through.
        done.wait_computing(2);
        half.barrier()?.wait()
    });
}

/// What two ranks do together while something of one of them is contained for ever.
type Together = fn(&World) -> Result<()>;

/// A rank whose part of a collective is contained by a barrier that a member has ended without calling
/// is told so: nobody else of the collective could tell it.
/// SEMANTICS: END-2, CON-1
fn a_collective_that_is_contained_for_ever_names_the_member(case: &Case) {
    let all: [Together; 3] = [
        |both| both.all_gather(&[both.rank(); 100]).map(drop),
        |both| both.all_reduce(&[1u64], |a, b| a + b).map(drop),
        |both| both.split(0, 0).map(drop),
    ];
    all.into_iter().for_each(|together| contained_for_ever(case, together));
}

fn contained_for_ever(case: &Case, together: Together) {
    let mut config = case.config(3);
    config.window_messages = 1;
    config.eager_bytes = 64;
    let outcome = case.outcome(&config, 3, |world, step| {
        let rank = world.rank();
        let left = if rank < 2 { Some(world.group(&[1, 0])?) } else { None };
        let right = if rank != 1 { Some(world.group(&[2, 0])?) } else { None };
        let Some(right) = right else { return Ok(()) };
        if let Some(left) = left {
            left.barrier()?;
        }
        step.to("a collective");
        match message_error(together(&right)) {
            MessageError::EndedBeforeBarrier { rank: 1, epoch: 1, .. } if rank == 0 => {}
            MessageError::PeerEnded { rank: 0, .. } if rank == 2 => {}
            other => panic!("{other}"),
        }
        Ok(())
    });
    // At its end rank 0 is told once more.
    let Err(Error::Rank { rank: 0, error }) = outcome else { panic!("{outcome:?}") };
    let told = matches!(*error, Error::Message(MessageError::EndedBeforeBarrier { rank: 1, .. }));
    assert!(told, "{error}");
}

suite!(
    a_collective_that_is_contained_for_ever_names_the_member,
    barriers_of_all_groups_are_open_at_once,
    blocking_calls_get_through_in_every_order,
    disjoint_groups_wait_for_nobody_else,
);

on_many_hosts!(
    a_collective_that_is_contained_for_ever_names_the_member,
    barriers_of_all_groups_are_open_at_once,
    blocking_calls_get_through_in_every_order,
    disjoint_groups_wait_for_nobody_else,
);
