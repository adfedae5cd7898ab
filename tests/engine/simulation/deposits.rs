//! Small collectives that deposit, blocking and not, by seeded schedules: ranks that sleep at once, windows of
//! one message, barriers in between, and groups that overlap. Nobody sleeps for ever, and the results are
//! right.

use runahead::{Config, Result};
use runahead_testkit::effort::bound;

use super::wired::{Fault, Wired, run, tight};

type World = runahead::Comm<Wired>;

fn add(a: u64, b: u64) -> u64 {
    a + b
}

/// Calls of all kinds in an order that all ranks draw alike.
fn calls(comm: &World, seed: u64) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (rank, size) = (comm.rank() as u64, comm.size() as u64);
    let sum = |end: u64| end * end.saturating_sub(1) / 2;
    for round in 0..bound([12, 20, 40]) {
        let root = random.usize(..comm.size());
        let is_root = comm.rank() == root;
        match random.u8(..11) {
            0 => {
                comm.barrier()?;
            }
            1 => {
                let all = comm.all_reduce(&[rank, round], add)?;
                assert_eq!(all, [sum(size), round * size]);
            }
            2 => {
                let total = comm.reduce(root, &[rank], add)?;
                assert_eq!(total, is_root.then(|| vec![sum(size)]));
            }
            3 => {
                let mut data = [if is_root { round } else { u64::MAX }];
                comm.broadcast(root, &mut data)?;
                assert_eq!(data, [round]);
            }
            4 => {
                let lower = comm.exclusive_scan(&[rank], add)?;
                assert_eq!(lower, (rank > 0).then(|| vec![sum(rank)]));
            }
            5 => {
                // Some of it is too long to be deposited.
                let parts = comm.all_gather(&vec![rank; 1 + comm.rank() * 8])?;
                assert!(
                    (0..comm.size()).all(|from| parts[from] == vec![from as u64; 1 + from * 8])
                );
            }
            6 => {
                let parts = comm.gather(root, &[rank])?;
                assert!(parts.is_none_or(|parts| parts.data().iter().copied().eq(0..size)));
            }
            7 => {
                let blocks: Vec<u64> = (0..size).map(|to| 10 * rank + to + round).collect();
                let all = comm.all_to_all(&blocks)?;
                assert!(all.into_iter().eq((0..size).map(|from| 10 * from + rank + round)));
            }
            8 => {
                let blocks: Vec<u64> = (0..size).map(|to| rank + to).collect();
                assert_eq!(comm.reduce_scatter(&blocks, add)?, [sum(size) + size * rank]);
            }
            9 => {
                let (blocks, mut mine): (Vec<u64>, _) = ((round..round + size).collect(), [0]);
                comm.scatter_into(root, if is_root { &blocks } else { &[] }, &mut mine)?;
                assert_eq!(mine, [round + rank]);
            }
            _ => {
                let sum_of = comm.iall_reduce(&[rank], add)?;
                let through = comm.scan(&[rank], add)?;
                assert_eq!(through, [sum(rank + 1)]);
                assert_eq!(sum_of.wait()?, [sum(size)]);
            }
        }
    }
    Ok(())
}

type Later<'r> = Box<dyn FnOnce() -> Result<()> + 'r>;

/// Nonblocking calls of all kinds in an order that all ranks draw alike, with barriers and blocking ones in between. Each
/// rank completes or drops them as it likes.
fn posted(comm: &World, seed: u64) -> Result<()> {
    let (rank, size) = (comm.rank() as u64, comm.size() as u64);
    let (mut alike, mut own) =
        (fastrand::Rng::with_seed(seed), fastrand::Rng::with_seed(seed * 31 + rank + 1));
    let sum = |end: u64| end * end.saturating_sub(1) / 2;
    let (mut sums, mut others): (Vec<_>, Vec<Later<'_>>) = (Vec::new(), Vec::new());
    for round in 0..bound([20, 30, 60]) {
        let root = alike.usize(..comm.size());
        let is_root = comm.rank() == root;
        // Some is too long to be deposited.
        let count = if alike.u8(..6) == 0 { 20 } else { 2 };
        match alike.u8(..11) {
            0 => {
                comm.barrier()?;
            }
            1..=3 => {
                let call = comm.iall_reduce(&vec![rank + round; count], add as fn(_, _) -> _)?;
                sums.push((call, vec![sum(size) + round * size; count]));
            }
            4 => {
                let call = comm.iscan(&vec![rank; count], add as fn(_, _) -> _)?;
                sums.push((call, vec![sum(rank + 1); count]));
            }
            5 => {
                let call = comm.igather(root, &vec![rank; comm.rank() * 8])?;
                others.push(Box::new(move || {
                    let parts = call.wait()?;
                    let is_right = |from: usize| vec![from as u64; from * 8];
                    assert!(
                        parts.is_none_or(|it| (0..it.len()).all(|at| it[at] == is_right(at)[..]))
                    );
                    Ok(())
                }));
            }
            6 => {
                let blocks: Vec<u64> = (0..size).map(|to| 10 * rank + to + round).collect();
                let call = comm.iall_to_all(&blocks)?;
                others.push(Box::new(move || {
                    let all = call.wait()?;
                    assert!(all.into_iter().eq((0..size).map(|from| 10 * from + rank + round)));
                    Ok(())
                }));
            }
            7 => {
                let parts: Vec<[u64; 1]> = (0..size).map(|to| [to + round]).collect();
                let parts: Vec<&[u64]> = parts.iter().map(|part| &part[..]).collect();
                let call = comm.iscatter(root, if is_root { &parts } else { &[] })?;
                others.push(Box::new(move || {
                    assert_eq!(call.wait()?, [rank + round]);
                    Ok(())
                }));
            }
            8 => {
                let mut data = vec![if is_root { round } else { u64::MAX }; count];
                let call = comm.ibroadcast(root, &mut data)?;
                assert_eq!(comm.scan(&[rank], add)?, [sum(rank + 1)]);
                call.wait()?;
                assert_eq!(data, vec![round; count]);
            }
            9 => assert_eq!(comm.all_reduce(&[round], add)?, [round * size]),
            _ => {
                let mut data = [if is_root { round } else { u64::MAX }];
                comm.broadcast(root, &mut data)?;
                assert_eq!(data, [round]);
            }
        }
        let at = own.usize(..sums.len().max(1));
        match own.u8(..8) {
            _ if sums.is_empty() => {}
            0 => drop(sums.swap_remove(at)),
            1 => assert!(sums[at].0.test().is_ok()),
            2 => {
                let any: Vec<_> = sums.iter().map(|(call, _)| call).collect();
                let found = comm.test_any(&any)?;
                if let Some(at) = found {
                    let (call, expected) = sums.swap_remove(at);
                    assert_eq!(call.wait()?, expected);
                }
            }
            3 | 4 => {
                let any: Vec<_> = sums.iter().map(|(call, _)| call).collect();
                let at = comm.wait_any(&any)?;
                let (call, expected) = sums.swap_remove(at);
                assert_eq!(call.wait()?, expected);
            }
            5 if !others.is_empty() => others.swap_remove(own.usize(..others.len()))()?,
            6 if !others.is_empty() => drop(others.swap_remove(own.usize(..others.len()))),
            _ => {}
        }
    }
    own.shuffle(&mut others);
    others.into_iter().try_for_each(|complete| complete())?;
    own.shuffle(&mut sums);
    sums.into_iter().try_for_each(|(call, expected)| {
        assert_eq!(call.wait()?, expected);
        Ok(())
    })
}

/// Whoever waits for what, in which order, and drops what: nobody waits for ever, and what is read is right.
// SEMANTICS: COL-8, COL-9, HOLD-1
#[test]
fn nobody_waits_for_ever_for_a_deposit_of_a_pending_call() {
    let mut deposits = 0;
    for size in 2..=4 {
        let config = Config { eager_bytes: 160, ..tight(size) };
        for seed in 0..bound([10, 300, 1500]) {
            let outcome = run(
                &config,
                size,
                seed,
                |_| Fault::None,
                |comm, _| {
                    let low = comm.split(u32::from(comm.rank() > 1), 0).unwrap();
                    let high = comm.split(u32::from(comm.rank() == 0), 0).unwrap();
                    posted(&comm, seed).unwrap();
                    for round in 0..2 {
                        posted(if round % 2 == 0 { &low } else { &high }, seed + round).unwrap();
                        comm.all_reduce(&[round], add).unwrap();
                    }
                    let made = comm.stats().unwrap().deposits;
                    drop((low, high));
                    comm.end(false).unwrap();
                    made
                },
            );
            assert!(!outcome.stuck, "{size} ranks, seed {seed}");
            deposits += outcome.values.iter().sum::<u64>();
        }
    }
    assert!(deposits > bound([600, 20_000, 20_000]), "{deposits}");
}

// SEMANTICS: COL-9, HOLD-1, CON-1
#[test]
fn nobody_waits_for_ever_for_a_deposit() {
    let mut deposits = 0;
    for size in 2..=4 {
        let config = Config { eager_bytes: 160, ..tight(size) };
        for seed in 0..bound([10, 200, 1000]) {
            let outcome = run(
                &config,
                size,
                seed,
                |_| Fault::None,
                |comm, _| {
                    // Two groups share rank 1, where there are so many.
                    let low = comm.split(u32::from(comm.rank() > 1), 0).unwrap();
                    let high = comm.split(u32::from(comm.rank() == 0), 0).unwrap();
                    calls(&comm, seed).unwrap();
                    for round in 0..3 {
                        calls(if round % 2 == 0 { &low } else { &high }, seed + round).unwrap();
                        comm.all_reduce(&[round], add).unwrap();
                    }
                    let made = comm.stats().unwrap().deposits;
                    drop((low, high));
                    comm.end(false).unwrap();
                    made
                },
            );
            assert!(!outcome.stuck, "{size} ranks, seed {seed}");
            deposits += outcome.values.iter().sum::<u64>();
        }
    }
    assert!(deposits > bound([250, 5000, 5000]), "{deposits}");
}
