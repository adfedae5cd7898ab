//! Collectives as the sends and receives that the real calls make, in every interleaving.
//!
//! [`recorder`](super::recorder) takes down what [`Comm::multicast`] and [`Comm::reduce`] do, in
//! every order in which nobody has to wait; what is taken down is explored, with barriers and more
//! collectives around it, against the same collectives as the tree alone says they should be, under
//! blocking barriers. So the order of operations is the runtime's own, and the specification is not.

use runahead::internals::order::Rank;
use runahead::{Comm, Result, Source, Tree};

use super::corpus::setting;
use super::explore::explore;
use super::machine::{Machine, Setting};
use super::program::*;
use super::protocol::{Real, Rules, shapes};
use super::recorder::{Recorder, orders, record};
use super::refine::{Wrong, explored};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Multicast,
    Reduce,
    Scan,
    Gather,
    Scatter,
}
use Kind::*;

const KINDS: [Kind; 5] = [Multicast, Reduce, Scan, Gather, Scatter];

/// Each rank's part, one list for each.
type Parts = Vec<Vec<Op>>;

/// What the tree says.
fn specified(kind: Kind, tree: Tree, root: Rank, size: usize) -> Parts {
    let part = |rank| {
        let parent = tree.parent(rank, root, size);
        let children = tree.children(rank, root, size);
        match kind {
            Multicast => parent.map(recv).into_iter().chain(children.map(send)).collect(),
            Reduce => children.map(recv).chain(parent.map(send)).collect(),
            Scan => scan(tree, rank, size),
            // Nobody forwards, whatever the tree.
            Gather if rank == root => (0..size).filter(|&from| from != root).map(recv).collect(),
            Scatter if rank == root => (root + 1..size).chain(0..root).map(send).collect(),
            Gather => vec![send(root)],
            Scatter => vec![recv(root)],
        }
    };
    (0..size).map(part).collect()
}

/// A rank's part in a scan.
fn scan(tree: Tree, rank: Rank, size: usize) -> Vec<Op> {
    match tree {
        Tree::Chain => {
            let next = Some(rank + 1).filter(|&next| next < size);
            rank.checked_sub(1).map(recv).into_iter().chain(next.map(send)).collect()
        }
        Tree::Binary | Tree::Binomial => {
            let round = |distance: usize| {
                let to = Some(rank + distance).filter(|&to| to < size);
                to.map(send).into_iter().chain(rank.checked_sub(distance).map(recv))
            };
            [1, 2].into_iter().flat_map(round).collect()
        }
        _ => (rank + 1..size).map(send).chain((0..rank).map(recv)).collect(),
    }
}

/// Who must have made its call for this rank's to need no waiting.
fn needs(kind: Kind, tree: Tree, root: Rank, size: usize, rank: Rank) -> Vec<Rank> {
    match kind {
        Multicast => tree.parent(rank, root, size).into_iter().collect(),
        Reduce => tree.children(rank, root, size).collect(),
        Scan => (0..rank).collect(),
        Gather if rank == root => (0..size).filter(|&from| from != root).collect(),
        Scatter if rank != root => vec![root],
        Gather | Scatter => vec![],
    }
}

fn call(kind: Kind, comm: &Comm<Recorder>, root: Rank) -> Result<()> {
    match kind {
        Multicast => comm.broadcast(root, &mut [comm.rank() as u32]),
        Reduce => comm.reduce(root, &[comm.rank() as u32], |a, b| a + b).map(drop),
        Scan => comm.scan(&[comm.rank() as u32], |a, b| a + b).map(drop),
        Gather => comm.gather(root, &[comm.rank() as u32]).map(drop),
        Scatter => {
            let parts = vec![&[7u32] as &[u32]; comm.size()];
            comm.scatter(root, if comm.rank() == root { &parts } else { &[] }).map(drop)
        }
    }
}

/// What the real call does, which must be the same in every order of the ranks.
fn recorded(
    kind: Kind,
    tree: Tree,
    root: Rank,
    size: usize,
    call: &dyn Fn(&Comm<Recorder>) -> Result<()>,
) -> Result<Parts, String> {
    let needs = |rank| needs(kind, tree, root, size, rank);
    let mut found: Option<Parts> = None;
    for order in orders(size, &needs) {
        let parts = record(size, tree, &order, call)
            .map_err(|error| format!("in the order {order:?}: {error}"))?;
        if found.get_or_insert_with(|| parts.clone()) != &parts {
            return Err(format!("in the order {order:?}, ranks do otherwise: {parts:?}"));
        }
    }
    Ok(found.expect("there is an order"))
}

/// All trees, sizes and roots.
fn trees() -> impl Iterator<Item = (Tree, usize, Rank)> {
    let sizes = |tree| (2..=4).flat_map(move |size| (0..size).map(move |root| (tree, size, root)));
    Tree::SHAPES.into_iter().flat_map(sizes)
}

/// The real parts, before and after barriers, refine the specified ones under blocking barriers.
///
/// SEMANTICS: COL-1, COL-3
#[test]
fn real_collectives_refine_blocking_ones() {
    for (tree, size, root) in trees() {
        let pairs = [
            (Multicast, Reduce),
            (Reduce, Multicast),
            (Multicast, Multicast),
            (Scan, Reduce),
            (Gather, Scan),
            (Scatter, Gather),
        ];
        for (first, second) in pairs {
            let next = (root + 1) % size;
            let real = |kind, root| {
                recorded(kind, tree, root, size, &|comm| call(kind, comm, root)).unwrap()
            };
            let real = all(&[real(first, root), real(second, next), real(first, root)]);
            let rule = |kind, root| specified(kind, tree, root, size);
            let rule = all(&[rule(first, root), rule(second, next), rule(first, root)]);
            let report = explored(&rule, &real).unwrap_or_else(|wrong| panic!("{tree}\n{wrong}"));
            // In whatever order contributions arrive, they are taken in one.
            assert_eq!((report.finals.len(), report.deadlocks.len()), (1, 0), "{real}");
        }
    }
}

/// SEMANTICS: COL-1
#[test]
fn forwarding_after_a_later_barrier_is_found() {
    let mut tried = 0;
    for (tree, size, root) in trees() {
        for kind in KINDS {
            let rule = specified(kind, tree, root, size);
            let is_inside = |rank: &Rank| {
                let ops = &rule[*rank];
                ops.iter().any(|op| op.message().is_some()) && matches!(ops[0], Op::Recv(_))
            };
            let Some(late) = (0..size).find(is_inside) else { continue };
            let program = all(&[rule.clone(), vec![vec![]; size]]);
            let mut wrong = program.clone();
            let ops = &mut wrong.ranks[late];
            ops.rotate_right(1);
            let first_send = ops.iter().position(|op| op.message().is_some()).unwrap();
            let meeting = ops.remove(0);
            ops.insert(first_send - 1, meeting);
            let found = explored(&program, &wrong).expect_err("a late forward went unnoticed");
            assert!(matches!(found.wrong, Wrong::Deadlock(_) | Wrong::Partial(..)), "{found}");
            tried += 1;
        }
    }
    // Multicasts and reductions, with each root, of four ranks in a binary or binomial tree, and of
    // three or four in a chain; and scans in a chain.
    assert_eq!(tried, 2 * (4 + 4 + 3 + 4) + (3 + 4));
}

/// A rank that stays away from a barrier, while all others pass it and do their part: those that
/// only send must have done theirs. Returns whether they have in all runs.
fn senders_finish(kind: Kind, tree: Tree, root: Rank, size: usize, fence: &[Op]) -> bool {
    let parts = specified(kind, tree, root, size);
    let sends = |rank: Rank| parts[rank].iter().all(|op| op.message().is_some());
    shapes().all(|shape| {
        (0..size).all(|absent| {
            let ranks = (0..size).map(|rank| match rank == absent {
                true => Vec::new(),
                false => [&[barrier(0)], fence, &parts[rank]].concat(),
            });
            let program = Program::from_lists(vec![(0..size).collect()], ranks.collect());
            let setting = Setting { rules: Rules { shape, ..Rules::default() }, ..setting() };
            let mut machine = Machine::<Real>::new(&program, setting);
            let search = explore(&mut machine, 1_000_000, |machine, whole, stuck| {
                let mut ranks = machine.ranks(whole).enumerate();
                let waits = ranks
                    .any(|(rank, entry)| sends(rank) && entry.local.pc < program.ranks[rank].len());
                (stuck && waits).then_some(())
            });
            search.found.is_none()
        })
    })
}

/// SEMANTICS: COL-2
#[test]
fn a_rank_that_only_sends_waits_for_no_barrier() {
    for (tree, size, root) in trees() {
        for kind in KINDS {
            assert!(senders_finish(kind, tree, root, size, &[]), "{kind:?} {tree} {root} {size}");
            // The real calls: nobody else has called anything.
            for rank in 0..size {
                if needs(kind, tree, root, size, rank).is_empty() {
                    let ahead = |comm: &Comm<Recorder>| {
                        comm.barrier()?;
                        call(kind, comm, root)
                    };
                    record(size, tree, &[rank], &ahead).unwrap();
                }
            }
        }
    }
}

/// SEMANTICS: COL-2
#[test]
fn a_sender_that_waits_for_the_barrier_is_found() {
    for (tree, size, root) in trees() {
        for kind in KINDS {
            assert!(!senders_finish(kind, tree, root, size, &[wait()]), "{kind:?} {tree}");
            let fenced = |comm: &Comm<Recorder>| {
                comm.barrier()?.wait()?;
                call(kind, comm, root)
            };
            let sender = (0..size).find(|&rank| needs(kind, tree, root, size, rank).is_empty());
            assert!(record(size, tree, &[sender.unwrap()], &fenced).is_err());
        }
    }
}

/// Whether this rank has what it is to have when only these take part.
fn suffices(kind: Kind, tree: Tree, root: Rank, size: usize, present: &[Rank]) -> bool {
    let parts = specified(kind, tree, root, size);
    let ranks = (0..size).map(|rank| match present.contains(&rank) {
        true => parts[rank].clone(),
        false => Vec::new(),
    });
    let program = Program::from_lists(vec![(0..size).collect()], ranks.collect());
    let mut machine = Machine::<Real>::new(&program, setting());
    let search = explore(&mut machine, 1_000_000, |machine, whole, stuck| {
        let mut ranks = machine.ranks(whole).enumerate();
        let waits = ranks.any(|(rank, entry)| entry.local.pc < program.ranks[rank].len());
        (stuck && waits).then_some(())
    });
    let real = record(size, tree, present, &|comm| call(kind, comm, root)).is_ok();
    assert_eq!(real, search.found.is_none(), "{kind:?} {tree} {root} {size} {present:?}");
    real
}

/// SEMANTICS: COL-6
#[test]
fn a_scan_needs_lower_ranks_only() {
    for (tree, size, _) in trees() {
        for last in 0..size {
            assert!(suffices(Scan, tree, 0, size, &(0..=last).collect::<Vec<_>>()));
        }
        // A reduction to each rank in turn would not do.
        assert!(!suffices(Reduce, tree, 0, size, &[0]), "{tree} {size}");
    }
}

/// SEMANTICS: COL-5
#[test]
fn no_data_wait_for_a_third_rank() {
    let mut late = 0;
    for (tree, size, root) in trees() {
        for rank in (0..size).filter(|&rank| rank != root) {
            for kind in [Scatter, Multicast] {
                let direct = kind == Scatter || tree == Tree::Flat;
                let reached = suffices(kind, tree, root, size, &[root, rank]);
                assert!(reached || !direct, "{kind:?} {tree} {root} {size}");
                late += u32::from(!reached);
            }
        }
    }
    assert!(late > 0, "trees that forward were to be found");
}

/// Combining in the order of arrival: the real call would be taken down differently in different
/// orders of the ranks, and the explorer finds several outcomes.
///
/// SEMANTICS: COL-3
#[test]
fn combining_in_order_of_arrival_is_found() {
    for (tree, size, root) in
        trees().filter(|&(tree, size, root)| tree.children(root, root, size).count() > 1)
    {
        let wild = |comm: &Comm<Recorder>| {
            let (rank, size) = (comm.rank(), comm.size());
            let mut total = rank;
            for _ in tree.children(rank, root, size) {
                total += comm.recv::<usize>(Source::Any, 0)?.data[0];
            }
            let parent = tree.parent(rank, root, size);
            parent.map_or(Ok(()), |parent| comm.send(parent, 0, &[total]))
        };
        recorded(Reduce, tree, root, size, &wild).expect_err("an order of arrival");
        let rule = all(&[specified(Reduce, tree, root, size), vec![vec![]; size]]);
        let mut wrong = rule.clone();
        for op in wrong.ranks.iter_mut().flatten() {
            if let Op::Recv(source) = op {
                *source = super::program::Source::Any;
            }
        }
        let found = explored(&rule, &wrong).expect_err("an order of arrival");
        assert!(matches!(found.wrong, Wrong::Final(_)), "{found}");
    }
}
