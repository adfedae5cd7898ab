//! Nonblocking collectives as the sends that the real calls post, in every interleaving.
//!
//! [`recorder`](super::recorder) takes down what each call does at a rank while nobody else has
//! called. What must be posted follows from what the collective is for. With receives where the
//! program waits, before or after a barrier, it is explored against the same under blocking barriers.

use std::cell::Cell;

use runahead::internals::collective::Kind;
use runahead::internals::order::Rank;
use runahead::{Comm, Result, Tree};

use super::program::*;
use super::recorder::{Recorder, record};
use super::refine::{Wrong, explored};

const KINDS: [Kind; 13] = [
    Kind::Ibroadcast,
    Kind::Ireduce,
    Kind::IallReduce,
    Kind::Iscan,
    Kind::IexclusiveScan,
    Kind::Igather,
    Kind::IallGather,
    Kind::Iscatter,
    Kind::IreduceScatter,
    Kind::IallToAll,
    Kind::IallToAllV,
    Kind::IreduceScatterV,
    Kind::Iexchange,
];

/// The others, from the one behind `rank` on.
fn behind(rank: Rank, size: usize) -> Vec<Rank> {
    (1..size).map(|distance| (rank + distance) % size).collect()
}

/// Whom a rank has something for, which nobody else can have for them.
fn receivers(kind: Kind, root: Rank, size: usize, rank: Rank) -> Vec<Rank> {
    match kind {
        Kind::Ibroadcast | Kind::Iscatter if rank != root => vec![],
        Kind::Ireduce | Kind::Igather if rank == root => vec![],
        Kind::Ireduce | Kind::Igather => vec![root],
        Kind::Iscan | Kind::IexclusiveScan => (rank + 1..size).collect(),
        _ => behind(rank, size),
    }
}

/// Whose data a rank needs, in the order in which it takes them.
fn senders(kind: Kind, root: Rank, size: usize, rank: Rank) -> Vec<Rank> {
    let has = |&from: &Rank| receivers(kind, root, size, from).contains(&rank);
    match kind {
        Kind::Ireduce => behind(root, size).into_iter().filter(has).collect(),
        _ => (0..size).filter(has).collect(),
    }
}

fn call(kind: Kind, comm: &Comm<Recorder>, root: Rank, waits: bool) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    let add = |a: usize, b: usize| a + b;
    let blocks = vec![[rank].as_slice().to_vec(); size].concat();
    let parts: Vec<&[usize]> = blocks.chunks(1).collect();
    let mut room = [rank];
    macro_rules! made {
        ($request:expr) => {{
            let request = $request?;
            if waits { request.wait().map(drop) } else { Ok(()) }
        }};
    }
    match kind {
        Kind::Ibroadcast => made!(comm.ibroadcast(root, &mut room)),
        Kind::Ireduce => made!(comm.ireduce(root, &[rank], add)),
        Kind::IallReduce => made!(comm.iall_reduce(&[rank], add)),
        Kind::Iscan => made!(comm.iscan(&[rank], add)),
        Kind::IexclusiveScan => made!(comm.iexclusive_scan(&[rank], add)),
        Kind::Igather => made!(comm.igather(root, &[rank])),
        Kind::IallGather => made!(comm.iall_gather(&[rank])),
        Kind::Iscatter => made!(comm.iscatter(root, &parts)),
        Kind::IreduceScatter => made!(comm.ireduce_scatter(&blocks, add)),
        Kind::IallToAll => made!(comm.iall_to_all(&blocks)),
        Kind::IallToAllV => made!(comm.iall_to_all_v(&parts, &vec![1; size])),
        Kind::IreduceScatterV => made!(comm.ireduce_scatter_v(&blocks, &vec![1; size], add)),
        Kind::Iexchange => made!(comm.iexchange(&parts)),
        other => panic!("{other} is a blocking one"),
    }
}

/// All calls, sizes and roots.
fn calls() -> impl Iterator<Item = (Kind, usize, Rank)> {
    let sizes = |kind| (2..=4).flat_map(move |size| (0..size).map(move |root| (kind, size, root)));
    KINDS.into_iter().flat_map(sizes)
}

fn sends(to: Vec<Rank>) -> Vec<Op> {
    to.into_iter().map(send).collect()
}

/// Whether a call, between two barriers, posts all that it must although nobody else has called; and
/// whether, when all have, it posts nothing more.
fn posts_all_at_once(
    (kind, size, root): (Kind, usize, Rank),
    tree: Tree,
    call: &dyn Fn(&Comm<Recorder>, bool) -> Result<()>,
) -> Result<(), String> {
    for rank in 0..size {
        let must = sends(receivers(kind, root, size, rank));
        let alone = |comm: &Comm<Recorder>| {
            comm.barrier()?;
            call(comm, false)?;
            comm.barrier().map(drop)
        };
        let posted = record(size, tree, &[rank], &alone).map_err(|error| error.to_string())?;
        if posted[rank] != must {
            return Err(format!("rank {rank} has posted {:?}", posted[rank]));
        }
        // Last of all, so that it finds what it needs.
        let order: Vec<Rank> = behind(rank, size).into_iter().chain([rank]).collect();
        let left = Cell::new(size);
        let last_waits = |comm: &Comm<Recorder>| {
            left.set(left.get() - 1);
            call(comm, left.get() == 0)
        };
        let done = record(size, tree, &order, &last_waits).map_err(|error| error.to_string())?;
        let sent: Vec<Op> =
            done[rank].iter().copied().filter(|op| op.message().is_some()).collect();
        if sent != must {
            return Err(format!("rank {rank} has sent {sent:?} when it has waited"));
        }
    }
    Ok(())
}

/// SEMANTICS: COL-8
#[test]
fn real_calls_post_all_at_once() {
    for (kind, size, root) in calls() {
        for tree in Tree::ALL {
            let real = |comm: &Comm<Recorder>, waits| call(kind, comm, root, waits);
            posts_all_at_once((kind, size, root), tree, &real)
                .unwrap_or_else(|wrong| panic!("{kind}, {tree}, root {root} of {size}: {wrong}"));
        }
    }
}

/// A call that forwards in a tree, when the program waits, is told from one that posts all.
///
/// SEMANTICS: COL-8
#[test]
fn a_call_that_posts_when_it_waits_is_found() {
    for (size, root) in [(4, 0), (4, 3)] {
        let forwarding = |comm: &Comm<Recorder>, waits| match waits || comm.rank() == root {
            true => comm.broadcast(root, &mut [comm.rank()]),
            false => Ok(()),
        };
        let wrong = (Kind::Ibroadcast, size, root);
        posts_all_at_once(wrong, Tree::Binary, &forwarding).expect_err("a call that forwards");
    }
}

/// What a rank does who calls, passes a barrier and waits, or waits first; `posts_late` if messages
/// leave only then.
fn part(
    (kind, size, root): (Kind, usize, Rank),
    rank: Rank,
    passes_first: bool,
    posts_late: bool,
) -> Vec<Op> {
    let posted: Vec<Op> = receivers(kind, root, size, rank).into_iter().map(isend).collect();
    let taken: Vec<Op> = senders(kind, root, size, rank).into_iter().map(recv).collect();
    let meeting = vec![barrier(0)];
    match (passes_first, posts_late) {
        (false, _) => [posted, taken, meeting].concat(),
        (true, false) => [posted, meeting, taken].concat(),
        (true, true) => [meeting, posted, taken].concat(),
    }
}

/// Those of three or fewer ranks, and one of each pattern.
fn patterns() -> impl Iterator<Item = (Kind, usize, Rank)> {
    let kinds = [Kind::Ibroadcast, Kind::Ireduce, Kind::IallReduce, Kind::Iscan];
    calls().filter(move |(kind, size, root)| {
        let rootless = matches!(kind, Kind::IallReduce | Kind::Iscan);
        kinds.contains(kind) && *size <= 3 && !(rootless && *root > 0)
    })
}

/// Whoever passes a barrier with a call pending, the others get what they need, and all see what they
/// would have seen under blocking barriers.
///
/// SEMANTICS: COL-8
#[test]
fn no_rank_can_tell_which_rank_passed_a_barrier_first() {
    for what @ (kind, size, root) in patterns() {
        for first in 0..1u32 << size {
            let ranks = |posts_late: bool| {
                let passes = |rank: Rank| first >> rank & 1 == 1;
                let ranks = (0..size).map(|rank| part(what, rank, passes(rank), posts_late));
                Program::from_lists(vec![(0..size).collect()], ranks.collect())
            };
            let program = ranks(false);
            let report = explored(&program, &program)
                .unwrap_or_else(|wrong| panic!("{kind}, root {root}\n{wrong}"));
            assert_eq!((report.finals.len(), report.deadlocks.len()), (1, 0), "{program}");
            // Who waits before the barrier for one that posts only behind it waits for ever.
            let needs = |rank: Rank| senders(kind, root, size, rank);
            let stranded = (0..size).filter(|rank| first >> rank & 1 == 0);
            let mut stranded =
                stranded.filter(|&rank| needs(rank).iter().any(|from| first >> from & 1 == 1));
            if stranded.next().is_some() {
                let found = explored(&program, &ranks(true)).expect_err("a late post");
                assert!(matches!(found.wrong, Wrong::Deadlock(_) | Wrong::Partial(..)), "{found}");
            }
        }
    }
}
