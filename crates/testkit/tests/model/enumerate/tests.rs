//! What is left out is covered: every program without exception is shortened by the five reasons that
//! the parent module gives, one at a time and written anew here, and must end up as one that is taken.

use std::collections::HashSet;

use runahead::internals::order::Rank;

use super::*;

type Lists = Vec<Vec<Op>>;

fn sends_to(lists: &Lists, from: Rank, to: Rank) -> usize {
    lists[from].iter().filter(|op| op.message().is_some_and(|(other, _)| other == to)).count()
}

/// The place of a receive of this rank that can never be satisfied.
fn unsatisfied(lists: &Lists, rank: Rank) -> Option<usize> {
    let sent: Vec<usize> = (0..lists.len()).map(|from| sends_to(lists, from, rank)).collect();
    let total: usize = sent.iter().sum();
    let (mut by_name, mut all) = (vec![0; lists.len()], 0);
    lists[rank].iter().position(|op| {
        let Op::Recv(source) = *op else { return false };
        all += 1;
        if let Source::From(from) = source {
            by_name[from] += 1;
            return by_name[from] > sent[from] || all > total;
        }
        all > total
    })
}

fn idle_wait(ops: &[Op]) -> Option<usize> {
    let is_idle = |at: &usize| {
        let before = ops[..*at].iter().rev().take_while(|op| **op != Op::Wait);
        *at + 1 == ops.len() || !before.into_iter().any(|op| op.barrier_group().is_some())
    };
    (0..ops.len()).find(|at| ops[*at] == Op::Wait && is_idle(at))
}

/// Makes the program shorter or plainer, if there is a reason to.
fn shorten(lists: &mut Lists) -> bool {
    for rank in 0..lists.len() {
        if let Some(at) = idle_wait(&lists[rank]) {
            lists[rank].remove(at);
            return true;
        }
        if let Some(at) = unsatisfied(lists, rank) {
            lists[rank].truncate(at);
            return true;
        }
        let senders: Vec<Rank> =
            (0..lists.len()).filter(|&from| sends_to(lists, from, rank) > 0).collect();
        for at in 0..lists[rank].len() {
            match (lists[rank][at], &senders[..]) {
                (Op::Poll(Source::From(from)), _) if !senders.contains(&from) => {
                    lists[rank].remove(at);
                    return true;
                }
                (Op::Poll(Source::Any), []) => {
                    lists[rank].remove(at);
                    return true;
                }
                (Op::Poll(Source::Any), &[only]) => lists[rank][at] = poll(only),
                (Op::Recv(Source::Any), &[only]) => lists[rank][at] = recv(only),
                _ => continue,
            }
            return true;
        }
    }
    false
}

fn renamed(lists: &Lists, groups: &[Vec<Rank>], order: &[Rank]) -> Lists {
    let name = |source| match source {
        Source::From(rank) => Source::From(order[rank]),
        Source::Any => Source::Any,
    };
    let rename = |&op: &Op| match op {
        Op::Send { to, .. } => send(order[to]),
        Op::Recv(source) => Op::Recv(name(source)),
        Op::Poll(source) => Op::Poll(name(source)),
        Op::Barrier(group) => {
            let members: HashSet<Rank> = groups[group].iter().map(|&rank| order[rank]).collect();
            let is_it = |other: &Vec<Rank>| members == other.iter().copied().collect();
            barrier(groups.iter().position(is_it).expect("all groups of this size are there"))
        }
        other => other,
    };
    let mut ranks = vec![Vec::new(); lists.len()];
    for (rank, ops) in lists.iter().enumerate() {
        ranks[order[rank]] = ops.iter().map(rename).collect();
    }
    ranks
}

/// Every list up to a length, without exception.
fn all_lists(alphabet: &[Op], most: usize) -> Vec<Vec<Op>> {
    let mut all = vec![vec![]];
    let mut from = 0;
    for _ in 0..most {
        let to = all.len();
        for at in from..to {
            for &op in alphabet {
                let longer = [all[at].as_slice(), &[op]].concat();
                all.push(longer);
            }
        }
        from = to;
    }
    all
}

fn covers_all(bounds: Bounds) {
    let programs = Programs::new(bounds.clone());
    let mut taken = HashSet::new();
    for part in 0..programs.parts() {
        let each = programs.for_each(part, |lists| {
            assert!(taken.insert(lists.clone()), "twice: {lists:?}");
            Ok::<(), ()>(())
        });
        each.expect("none is refused");
    }
    let lists_of = |rank: Rank| {
        let mut alphabet = programs.alphabet(rank);
        alphabet.extend([recv_any(), poll_any()]);
        all_lists(&alphabet, bounds.each)
    };
    let lists: Vec<_> = (0..bounds.size).map(lists_of).collect();
    let third = lists.get(2).cloned().unwrap_or_default();
    let (mut count, mut plain) = (0, 0);
    let mut cover = |mut program: Lists| {
        if program.iter().map(Vec::len).sum::<usize>() > bounds.total {
            return;
        }
        count += 1;
        let own = program.clone();
        while shorten(&mut program) {}
        plain += usize::from(own == program);
        let names: HashSet<Lists> =
            orders(bounds.size).iter().map(|o| renamed(&program, &bounds.groups, o)).collect();
        let found = names.iter().filter(|names| taken.contains(*names)).count();
        assert_eq!(found, 1, "{own:?} as {program:?}");
    };
    for a in &lists[0] {
        for b in &lists[1] {
            if bounds.size == 2 {
                cover(vec![a.clone(), b.clone()]);
            }
            // Shorter lists come first.
            let length = a.len() + b.len();
            for c in third.iter().take_while(|c| length + c.len() <= bounds.total) {
                cover(vec![a.clone(), b.clone(), c.clone()]);
            }
        }
    }
    println!("{count} programs, of which {plain} cannot be shortened: {} are taken", taken.len());
    assert!(taken.len() * 2 < count && plain < count);
}

/// SEMANTICS: ORD-3
#[test]
fn every_program_of_two_ranks_is_covered() {
    let groups = vec![vec![0, 1]];
    covers_all(Bounds { size: 2, groups, each: 2, total: 4 });
}

/// SEMANTICS: ORD-3
#[test]
fn every_program_of_three_ranks_is_covered() {
    let groups = vec![vec![0, 1], vec![1, 2], vec![0, 2], vec![0, 1, 2]];
    covers_all(Bounds { size: 3, groups, each: 3, total: 3 });
}
