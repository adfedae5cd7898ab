//! Collectives over hosts as the sends and receives that the real calls make, in every interleaving: broadcasts and
//! reductions whose trees go from host to host, and all-gathers in which a member of each host passes blocks on.
//!
//! What the calls do is taken down ([`recorder`](super::recorder)) and explored, with barriers and more collectives around
//! it, against what wu-2005 says of mixed mode: one member of each host talks with others, and has the rest below it. That is
//! written down here once more, by lists, and not asked of the runtime.

use runahead::internals::order::Rank;
use runahead::{Comm, Result, Tree};

use super::program::*;
use super::recorder::{Recorder, orders, record_on, record_together};
use super::refine::{Wrong, explored};

type Parts = Vec<Vec<Op>>;

/// Every spread of three and four ranks over several hosts, of which some has several ranks. Hosts are numbered in the
/// order of their first ranks.
const SPREADS: [&[usize]; 16] = [
    &[0, 0, 1],
    &[0, 1, 0],
    &[0, 1, 1],
    &[0, 0, 0, 1],
    &[0, 0, 1, 0],
    &[0, 1, 0, 0],
    &[0, 1, 1, 1],
    &[0, 0, 1, 1],
    &[0, 1, 0, 1],
    &[0, 1, 1, 0],
    &[0, 0, 1, 2],
    &[0, 1, 0, 2],
    &[0, 1, 2, 0],
    &[0, 1, 1, 2],
    &[0, 1, 2, 1],
    &[0, 1, 2, 2],
];

const TREES: [Tree; 3] = [Tree::Binary, Tree::Binomial, Tree::Chain];

fn members(hosts: &[usize], host: usize) -> Vec<Rank> {
    (0..hosts.len()).filter(|&rank| hosts[rank] == host).collect()
}

/// The parent of each rank, and its children in the order in which it serves them.
fn mixed_tree(hosts: &[usize], tree: Tree, root: Rank) -> Vec<(Option<Rank>, Vec<Rank>)> {
    let count = hosts.iter().max().unwrap() + 1;
    let head = |host: usize| if host == hosts[root] { root } else { members(hosts, host)[0] };
    let part = |rank: Rank| {
        let host = hosts[rank];
        if head(host) != rank {
            return (Some(head(host)), vec![]);
        }
        let parent = tree.parent(host, hosts[root], count).map(head);
        let others = tree.children(host, hosts[root], count).map(head);
        let beside = members(hosts, host).into_iter().filter(|&other| other != rank);
        (parent, others.chain(beside).collect())
    };
    (0..hosts.len()).map(part).collect()
}

fn broadcast_parts(hosts: &[usize], tree: Tree, root: Rank) -> Parts {
    let part = |(parent, children): (Option<Rank>, Vec<Rank>)| {
        parent.map(recv).into_iter().chain(children.into_iter().map(send)).collect()
    };
    mixed_tree(hosts, tree, root).into_iter().map(part).collect()
}

fn reduce_parts(hosts: &[usize], tree: Tree, root: Rank) -> Parts {
    let part = |(parent, children): (Option<Rank>, Vec<Rank>)| {
        children.into_iter().map(recv).chain(parent.map(send)).collect()
    };
    mixed_tree(hosts, tree, root).into_iter().map(part).collect()
}

/// Each rank sends a word to all, and its block to those beside it and to one of each other host; the ranks of a host take
/// turns. A rank first takes the blocks that it passes on, then those of its host, then the others.
fn gather_parts(hosts: &[usize]) -> Parts {
    let size = hosts.len();
    let count = hosts.iter().max().unwrap() + 1;
    let place = |rank: Rank| members(hosts, hosts[rank]).iter().position(|&it| it == rank).unwrap();
    let relay = |host: usize, from: Rank| {
        let on = members(hosts, host);
        on[place(from) % on.len()]
    };
    let part = |rank: Rank| {
        let beside = || members(hosts, hosts[rank]).into_iter().filter(move |&it| it != rank);
        let away = || (0..size).filter(|&from| hosts[from] != hosts[rank]);
        let mut ops: Vec<Op> = (rank + 1..size).chain(0..rank).map(send).collect();
        let other_hosts = (0..count).filter(|&host| host != hosts[rank]);
        ops.extend(other_hosts.map(|host| relay(host, rank)).chain(beside()).map(send));
        let by = |from: Rank| relay(hosts[rank], from);
        for from in away().filter(|&from| by(from) == rank) {
            ops.extend([recv(from), recv(from)]);
            ops.extend(beside().map(send));
        }
        ops.extend(beside().flat_map(|from| [recv(from), recv(from)]));
        ops.extend(
            away().filter(|&from| by(from) != rank).flat_map(|from| [recv(from), recv(by(from))]),
        );
        ops
    };
    (0..size).map(part).collect()
}

/// What the real call does, which must be the same in every order in which nobody waits.
fn recorded(
    hosts: &[usize],
    tree: Tree,
    needs: &dyn Fn(Rank) -> Vec<Rank>,
    call: &dyn Fn(&Comm<Recorder>) -> Result<()>,
) -> Parts {
    let mut all: Vec<Parts> = orders(hosts.len(), needs)
        .iter()
        .map(|order| record_on(hosts, tree, order, call).expect("nobody has to wait"))
        .collect();
    all.dedup();
    assert_eq!(all.len(), 1, "{tree} on {hosts:?}: {all:?}");
    all.remove(0)
}

fn real_broadcast(hosts: &[usize], tree: Tree, root: Rank) -> Parts {
    let above = mixed_tree(hosts, tree, root);
    let needs = |rank: Rank| above[rank].0.into_iter().collect();
    recorded(hosts, tree, &needs, &|comm| comm.broadcast(root, &mut [comm.rank() as u32]))
}

fn real_reduce(hosts: &[usize], tree: Tree, root: Rank) -> Parts {
    let below = mixed_tree(hosts, tree, root);
    let needs = |rank: Rank| below[rank].1.clone();
    recorded(hosts, tree, &needs, &|comm| {
        comm.reduce(root, &[comm.rank() as u32], |a, b| a + b).map(drop)
    })
}

/// A block is one message behind the word, which does not fit beside it.
fn real_gather(hosts: &[usize], tree: Tree) -> Parts {
    record_together(hosts, tree, 64, &|comm| comm.all_gather(&[comm.rank() as u64; 6]).map(drop))
        .expect("all take part")
}

/// Broadcasts and reductions over hosts, before and after barriers that nobody waits for, refine those under blocking
/// barriers, and have one outcome.
///
/// SEMANTICS: COL-1, COL-3
#[test]
fn trees_over_hosts_refine_blocking_ones() {
    for hosts in SPREADS {
        for tree in TREES {
            for root in 0..hosts.len() {
                let next = (root + 1) % hosts.len();
                let real = [real_broadcast(hosts, tree, root), real_reduce(hosts, tree, next)];
                let rule = [broadcast_parts(hosts, tree, root), reduce_parts(hosts, tree, next)];
                for [first, second] in [[0, 1], [1, 0]] {
                    let of = |parts: &[Parts]| all(&[parts[first].clone(), parts[second].clone()]);
                    let report = explored(&of(&rule), &of(&real))
                        .unwrap_or_else(|wrong| panic!("{tree} on {hosts:?}\n{wrong}"));
                    assert_eq!((report.finals.len(), report.deadlocks.len()), (1, 0));
                }
            }
        }
    }
}

/// All-gathers with relays do too, and each rank takes all in one order.
///
/// SEMANTICS: COL-1, COL-5
#[test]
fn gathers_with_relays_refine_blocking_ones() {
    for hosts in SPREADS.into_iter().filter(|hosts| hosts.len() == 3) {
        for tree in TREES {
            let gather = real_gather(hosts, tree);
            let reduce = real_reduce(hosts, tree, 0);
            let rule = [gather_parts(hosts), reduce_parts(hosts, tree, 0)];
            for (real, rule) in [
                (all(&[gather.clone(), reduce.clone()]), all(&rule)),
                (all(&[reduce, gather]), all(&[rule[1].clone(), rule[0].clone()])),
            ] {
                let report = explored(&rule, &real)
                    .unwrap_or_else(|wrong| panic!("{tree} on {hosts:?}\n{wrong}"));
                assert_eq!((report.finals.len(), report.deadlocks.len()), (1, 0), "{real}");
            }
        }
    }
    // Of four ranks there are too many states: what they do is compared.
    for hosts in SPREADS {
        assert_eq!(
            Program::from_lists(vec![], real_gather(hosts, Tree::Chain)).ranks,
            Program::from_lists(vec![], gather_parts(hosts)).ranks,
            "{hosts:?}"
        );
    }
}

/// The faults that the check must find: a head of a host and a relay that pass on after a later barrier, and a relay that
/// is another than the one from which its host takes the block.
///
/// SEMANTICS: COL-1, COL-5
#[test]
fn faults_over_hosts_are_found() {
    let mut tried = [0; 3];
    for hosts in SPREADS.into_iter().filter(|hosts| hosts.len() == 3) {
        let nothing = vec![vec![]; hosts.len()];
        for rule in [
            broadcast_parts(hosts, Tree::Chain, 0),
            reduce_parts(hosts, Tree::Chain, 0),
            gather_parts(hosts),
        ] {
            let program = all(&[rule.clone(), nothing.clone()]);
            for (rank, ops) in rule.iter().enumerate() {
                // What it sends after it has received.
                let Some(first) = ops.iter().position(|op| matches!(op, Op::Recv(_))) else {
                    continue;
                };
                let passed = (first..ops.len()).rev().find(|&at| ops[at].message().is_some());
                let Some(passed) = passed else { continue };
                let mut wrong = program.clone();
                let late = wrong.ranks[rank].remove(passed);
                wrong.ranks[rank].push(late);
                let found = explored(&program, &wrong).expect_err("it passes on after the barrier");
                assert!(
                    matches!(
                        found.wrong,
                        Wrong::Deadlock(_) | Wrong::Partial(..) | Wrong::Final(_)
                    ),
                    "{found}"
                );
                tried[0] += 1;
            }
        }
        // The block of the first rank of a host of one, as the other rank of the host of two takes it.
        let rule = gather_parts(hosts);
        let program = all(&[rule]);
        for rank in 0..hosts.len() {
            let mut wrong = program.clone();
            let ops = &mut wrong.ranks[rank];
            let Some(at) = (1..ops.len()).rev().find(|&at| match (ops[at - 1], ops[at]) {
                (Op::Recv(Source::From(owner)), Op::Recv(Source::From(by))) => owner != by,
                _ => false,
            }) else {
                continue;
            };
            let Op::Recv(Source::From(owner)) = ops[at - 1] else { unreachable!("as was found") };
            ops[at] = recv(owner);
            explored(&program, &wrong).expect_err("it waits for one who does not send");
            tried[1] += 1;
        }
        // In the order of arrival.
        let rule = all(&[reduce_parts(hosts, Tree::Chain, 0), nothing]);
        let mut wrong = rule.clone();
        for op in wrong.ranks.iter_mut().flatten() {
            if let Op::Recv(source) = op {
                *source = Source::Any;
            }
        }
        if mixed_tree(hosts, Tree::Chain, 0)[0].1.len() > 1 {
            explored(&rule, &wrong).expect_err("an order of arrival");
            tried[2] += 1;
        }
    }
    assert!(tried.iter().all(|&times| times > 0), "{tried:?}");
}
