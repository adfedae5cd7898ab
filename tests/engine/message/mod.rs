//! The message layer by its whole stack: credits, ends, losses and rendezvous in the situations
//! that random programs seldom meet.
//!
//! Most tests drive all ranks in one thread by calls that do not wait, so that what happens is
//! determined. Where a call must wait, the others have done all that it needs before.

mod confirmed;
mod confirmed_lossy;
mod contain;
mod credits;
mod crowded;
mod ending;
mod exposed;
mod exposed_lent;
mod fast_path;
mod filling;
mod groups;
mod header;
mod hostile;
mod hostile_areas;
mod hostile_offers;
mod hostile_rooms;
mod late_credit;
mod lent;
mod lent_collectives;
mod lent_near;
mod library;
mod lost;
mod offers;
mod owned;
mod parts;
mod posted_directly;
mod races;
mod refused;
mod released;
mod rooms;
mod scripted;
mod simulated;
mod stalls;
mod steady;
mod steady_barriers;
mod unexpected;
mod written;

use runahead::{Comm, Config, Launch};

/// The worlds of all ranks, to be driven in one thread.
fn worlds(size: usize, config: &Config) -> Vec<Comm> {
    let nics = Launch::new(size).options(config.clone()).connect().unwrap();
    nics.into_iter().map(|nic| Comm::new(nic, config.clone()).unwrap()).collect()
}

/// Two worlds.
fn pair(config: &Config) -> (Comm, Comm) {
    let mut both = worlds(2, config);
    let second = both.pop().unwrap();
    (both.pop().unwrap(), second)
}

/// The worlds of all ranks, of which rank 0 and each other have found out that they can read each other.
fn worlds_that_lend(size: usize, config: &Config) -> Vec<Comm> {
    let ranks = worlds(size, config);
    for (from, to) in (1..size).flat_map(|other| [(0, other), (other, 0)]) {
        ranks[from].isend(to, 99, &vec![0u8; config.eager_bytes + 1]).unwrap();
        settle_all(&ranks);
        assert!(ranks[to].try_recv::<u8>(from, 99).unwrap().is_some());
    }
    settle_all(&ranks);
    ranks
}

/// As [`settle`], of all.
fn settle_all(ranks: &[Comm]) {
    settle(&ranks.iter().collect::<Vec<_>>());
}

/// Lets every rank make progress until nothing more can happen between so few.
fn settle(worlds: &[&Comm]) {
    for _ in 0..8 {
        for world in worlds {
            world.progress().unwrap();
        }
    }
}
