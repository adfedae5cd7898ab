//! The terms of the model, measured in the job itself: what a message of each length takes of its
//! sender and of its receiver, and how long it is on its way (wu-2005 §4.5.1; the method is that of
//! its reference 12, MagPIe's `logp_mpi`).

use std::collections::BTreeMap;

use runahead::internals::collective::{Kind, ShapeRules};
use runahead::{Algorithm, Comm, Error, Notify, Rank, Result, Tree, ops};

use super::model::{Link, Terms, predicted_barrier_ns};
use crate::sys::{allowed_cores, now_ns};

/// The lengths of the messages, in bytes.
const BYTES: [usize; 8] = [8, 1 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// How often each is measured; the median counts. The longest are measured less often.
const TIMES: usize = 15;

const DATA: u32 = 1;
const FLAG: u32 = 2;
const BACK: u32 = 3;

/// Measures the terms. All ranks call it, and get the same.
///
/// # Errors
///
/// Those of the calls.
pub(super) fn measure(world: &Comm) -> Result<Terms> {
    warm_up(world)?;
    let hosts = world.hosts();
    let mate = (1..world.size()).find(|&other| hosts.host(other) == hosts.host(0));
    let stranger = (1..world.size()).find(|&other| hosts.host(other) != hosts.host(0));
    let near = mate.map(|mate| link(world, mate)).transpose()?;
    let far = stranger.map(|stranger| link(world, stranger)).transpose()?;
    let deposits = mate.map(|mate| deposits(world, mate)).transpose()?.unwrap_or_default();
    let most = (0..world.size()).map(|rank| {
        (0..world.size()).filter(|&other| hosts.host(other) == hosts.host(rank)).count()
    });
    // Hosts of a test share the cores of one machine.
    let cores = allowed_cores().len();
    let more_than_cores = most.max().is_some_and(|ranks| ranks > cores);
    let barrier_ns = more_than_cores.then(|| barrier_ns(world)).transpose()?;
    let near = near.or_else(|| far.clone()).unwrap_or_default();
    let mut terms = Terms { near, far, deposits, combine: combine(), switch: 0.0, cores };
    if let Some(barrier_ns) = barrier_ns {
        terms.switch = switch_ns(barrier_ns, world.algorithm(), world.size(), &terms);
    }
    shared(world, &terms)
}

/// How long a switch takes, of which it follows that a barrier takes so long.
fn switch_ns(barrier_ns: f64, algorithm: Algorithm, ranks: usize, terms: &Terms) -> f64 {
    let (mut low, mut high) = (0.0, barrier_ns);
    for _ in 0..40 {
        let switch = f64::midpoint(low, high);
        let predicted = predicted_barrier_ns(algorithm, ranks, &Terms { switch, ..terms.clone() });
        if predicted < barrier_ns { low = switch } else { high = switch }
    }
    low
}

/// Each rank sends to each other, often enough for all memory between them to be warm, and long
/// enough for the system to have spread the ranks over the cores.
fn warm_up(world: &Comm) -> Result<()> {
    const WARM_NS: u64 = 150_000_000;
    /// What each rank has for all others together, at most.
    const MOST_BYTES: usize = 8 << 20;
    let begin = now_ns();
    // Messages through all places of a window, then large ones.
    let window = world.config().window_messages as usize;
    for (bytes, least) in [(8 << 10, window.min(1000 / world.size())), (256 << 10, 1)] {
        let n = bytes.min(MOST_BYTES / world.size()) / size_of::<u64>();
        let (given, mut got) = (vec![1_u64; n * world.size()], vec![0_u64; n * world.size()]);
        let mut goes_on = [1_u8];
        for nth in 0.. {
            world.all_to_all_into(&given, &mut got)?;
            goes_on[0] = u8::from(nth < least || 2 * (now_ns() - begin) < WARM_NS);
            world.broadcast(0, &mut goes_on)?;
            if goes_on == [0] {
                break;
            }
        }
    }
    world.barrier()?.wait()
}

/// What rank 0 has measured, at all ranks.
fn shared(world: &Comm, terms: &Terms) -> Result<Terms> {
    let failed = |error: serde_json::Error| Error::other(error);
    let text = serde_json::to_vec(terms).map_err(failed)?;
    let mut length = [text.len()];
    world.broadcast(0, &mut length)?;
    let mut bytes = text;
    bytes.resize(length[0], 0);
    world.broadcast(0, &mut bytes)?;
    serde_json::from_slice(&bytes).map_err(failed)
}

/// The terms of messages between rank 0 and another.
fn link(world: &Comm, peer: Rank) -> Result<Link> {
    between(world, peer, || timed_link(world, peer))
}

/// The terms of deposits between rank 0 and another, which reads them: of broadcasts.
fn deposits(world: &Comm, peer: Rank) -> Result<Link> {
    let takes_part = [0, peer].contains(&world.rank());
    let pair = world.split_some(takes_part.then_some(0), 0)?;
    between(world, peer, || match &pair {
        Some(pair) => timed_deposits(pair),
        None => Ok(Link::default()),
    })
}

/// Times something between rank 0 and another; the others sleep, so that these two have cores.
fn between(world: &Comm, peer: Rank, timed: impl FnOnce() -> Result<Link>) -> Result<Link> {
    let takes_part = [0, peer].contains(&world.rank());
    world.set_notify(if takes_part { Notify::SpinThenBlock } else { Notify::Block })?;
    apart(world, peer)?;
    let link = timed()?;
    world.barrier()?.wait()?;
    world.set_notify(world.config().notify)?;
    Ok(link)
}

fn timed_link(world: &Comm, peer: Rank) -> Result<Link> {
    let mut link = Link::default();
    for bytes in BYTES {
        let times = if bytes > 1 << 20 { TIMES / 3 } else { TIMES };
        let mut data = vec![1_u64; bytes / 8];
        let (mut os, mut or, mut half) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..times {
            if world.rank() == 0 {
                let begin = now_ns();
                let sent = world.isend(peer, DATA, &data)?;
                os.push(now_ns() - begin);
                sent.wait()?;
                // It is there before this.
                world.send(peer, FLAG, &[0_u8])?;
                or.push(world.recv::<u64>(peer, BACK)?.data[0]);
                let begin = now_ns();
                let sent = world.isend(peer, DATA, &data)?;
                world.recv_into(&mut data, peer, BACK)?;
                half.push((now_ns() - begin) / 2);
                sent.wait()?;
            } else if world.rank() == peer {
                // Before it comes: what is long needs room.
                let posted = world.irecv(0, DATA)?;
                world.recv::<u8>(0, FLAG)?;
                let begin = now_ns();
                posted.wait_into(&mut data)?;
                world.send(0, BACK, &[now_ns() - begin])?;
                world.recv_into(&mut data, 0, DATA)?;
                world.isend(0, BACK, &data)?.wait()?;
            }
        }
        link.insert(bytes, (median(os), median(or), median(half)));
    }
    Ok(link)
}

/// The two of a group.
fn timed_deposits(pair: &Comm) -> Result<Link> {
    // What was found before is not what is measured.
    pair.set_shape_rules(ShapeRules::default());
    let mut link = Link::default();
    for bytes in BYTES {
        if !pair.is_deposited(Kind::Broadcast, Tree::Flat, bytes) {
            continue;
        }
        let mut data = vec![1_u64; bytes / 8];
        let (mut os, mut or, mut half) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..TIMES {
            if pair.rank() == 0 {
                let begin = now_ns();
                pair.broadcast(0, &mut data)?;
                os.push(now_ns() - begin);
                // It is there before this.
                pair.send(1, FLAG, &[0_u8])?;
                or.push(pair.recv::<u64>(1, BACK)?.data[0]);
                let begin = now_ns();
                pair.broadcast(0, &mut data)?;
                pair.broadcast(1, &mut data)?;
                half.push((now_ns() - begin) / 2);
            } else {
                pair.recv::<u8>(0, FLAG)?;
                let begin = now_ns();
                pair.broadcast(0, &mut data)?;
                pair.send(0, BACK, &[now_ns() - begin])?;
                pair.broadcast(0, &mut data)?;
                pair.broadcast(1, &mut data)?;
            }
        }
        link.insert(bytes, (median(os), median(or), median(half)));
    }
    Ok(link)
}

/// The two exchange messages until the system has given each a core.
fn apart(world: &Comm, peer: Rank) -> Result<()> {
    const APART_NS: u64 = 50_000_000;
    let begin = now_ns();
    let mut goes_on = [1_u8];
    while goes_on == [1] {
        if world.rank() == 0 {
            goes_on[0] = u8::from(now_ns() - begin < APART_NS);
            world.send(peer, FLAG, &goes_on)?;
            world.recv::<u8>(peer, BACK)?;
        } else if world.rank() == peer {
            world.recv_into(&mut goes_on, 0, FLAG)?;
            world.send(0, BACK, &goes_on)?;
        } else {
            return Ok(());
        }
    }
    Ok(())
}

/// What combining takes beside reading.
fn combine() -> BTreeMap<usize, f64> {
    let measured = BYTES.map(|bytes| {
        let (mut total, theirs) = (vec![0.5_f64; bytes / 8], vec![1.5_f64; bytes / 8]);
        let mut timed = |combines: bool| {
            let times = (0..TIMES).map(|_| {
                let begin = now_ns();
                match combines {
                    true => total.iter_mut().zip(&theirs).for_each(|(a, b)| *a = ops::sum(*a, *b)),
                    false => total.copy_from_slice(&theirs),
                }
                std::hint::black_box(&mut total);
                now_ns() - begin
            });
            median(times.collect())
        };
        let (copying, combining) = (timed(false), timed(true));
        (bytes, (combining - copying).max(0.0))
    });
    measured.into()
}

/// How long a barrier that all wait for takes.
fn barrier_ns(world: &Comm) -> Result<f64> {
    let mut times = Vec::new();
    // Until each rank has learnt how to wait.
    for _ in 0..20 * TIMES {
        world.barrier()?.wait()?;
    }
    for _ in 0..4 * TIMES {
        let begin = now_ns();
        world.barrier()?.wait()?;
        times.push(now_ns() - begin);
    }
    Ok(median(times))
}

/// The median; 0 of none.
pub(super) fn median(mut times: Vec<u64>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0) as f64
}
