//! Barriers on a board of which each of several hosts has a copy, under every interleaving: members
//! enter and look, and words come to the other hosts.
//!
//! The words of one member come to a host in order, those of two members in any. A member that sees
//! as it enters that all have entered says so to its own host, in a sum.

use std::collections::VecDeque;

use runahead_order::barrier::{Barrier, MemberWord};
use runahead_order::hosts::Cell;
use runahead_order::{Epoch, Rank};

use crate::search::{Steps, System, search};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Plant {
    Nothing,
    /// A member tells the other hosts what it is about to enter.
    Hasty,
    /// The last epoch of a member does not come to the other hosts.
    Lost,
    /// Who sees that all of its own host have entered says that all have.
    SumOfOneHost,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    members: Vec<Barrier>,
    /// What each host shows of each member, and the sum.
    copies: Vec<Vec<Epoch>>,
    sums: Vec<Epoch>,
    /// What is on its way from each member to each host.
    lines: Vec<VecDeque<Epoch>>,
}

struct Job<'j> {
    host_of: &'j [usize],
    hosts: usize,
    last: Epoch,
    plant: Plant,
}

impl Job<'_> {
    fn new(host_of: &[usize], last: Epoch, plant: Plant) -> Job<'_> {
        Job { host_of, hosts: host_of.iter().max().unwrap() + 1, last, plant }
    }

    fn look(&self, world: &mut World, rank: Rank) {
        let host = self.host_of[rank];
        let World { members, copies, sums, .. } = world;
        // Of two members neither asks for the sum.
        members[rank].handle_complete(sums[host]);
        let load = |(other, cell, _): MemberWord| match cell {
            Cell::Complete => Some(sums[host]),
            _ => Some(copies[host][other]),
        };
        members[rank].look(self.last + 1, &load).unwrap();
    }

    fn enter(&self, world: &mut World, rank: Rank) {
        let host = self.host_of[rank];
        world.members[rank].handle_enter();
        let (_, epoch) = world.members[rank].poll_published().unwrap();
        world.copies[host][rank] = epoch;
        let lost = self.plant == Plant::Lost && epoch == self.last && rank == 0;
        for other in (0..self.hosts).filter(|&other| other != host && !lost) {
            let more = u64::from(self.plant == Plant::Hasty && rank == 0);
            world.lines[rank * self.hosts + other].push_back(epoch + more);
        }
        self.look(world, rank);
        let mut own = (0..self.host_of.len()).filter(|&other| self.host_of[other] == host);
        let all = match self.plant {
            Plant::SumOfOneHost => own.all(|other| world.copies[host][other] >= epoch),
            _ => world.members[rank].complete() >= epoch,
        };
        if all {
            world.sums[host] = epoch;
        }
    }
}

impl System for Job<'_> {
    type State = World;
    /// What happens, at which rank or on which line.
    type Step = (&'static str, usize);

    fn start(&self) -> World {
        let size = self.host_of.len();
        let mut lines = vec![VecDeque::new(); size * self.hosts];
        if self.plant == Plant::Hasty {
            (0..self.hosts).for_each(|host| lines[host].push_back(1));
        }
        World {
            members: (0..size).map(|own| Barrier::on_board(own, size, 0)).collect(),
            copies: vec![vec![0; size]; self.hosts],
            sums: vec![0; self.hosts],
            lines,
        }
    }

    fn steps(&mut self, world: &World, to: &mut Steps<Self>) -> Result<(), String> {
        let mut after = |step, change: &dyn Fn(&mut World)| {
            let mut next = world.clone();
            change(&mut next);
            to.certain(step, next);
        };
        for rank in 0..world.members.len() {
            after(("looks", rank), &|next| self.look(next, rank));
            if world.members[rank].entered() < self.last {
                after(("enters", rank), &|next| self.enter(next, rank));
            }
        }
        for line in 0..world.lines.len() {
            after(("a word comes", line), &|next| {
                if let Some(epoch) = next.lines[line].pop_front() {
                    next.copies[line % self.hosts][line / self.hosts] = epoch;
                }
            });
        }
        Ok(())
    }

    fn check(&self, world: &World) -> Result<(), String> {
        let entered = world.members.iter().map(Barrier::entered).min().unwrap_or(0);
        match world.members.iter().position(|member| member.complete() > entered) {
            Some(rank) => Err(format!("rank {rank} has completed what a member has not entered")),
            None => Ok(()),
        }
    }

    fn is_end(&self, world: &World) -> bool {
        world.members.iter().all(|member| member.complete() == self.last)
    }
}

/// The jobs that are small enough: which member is on which host, and how many barriers there are.
const JOBS: [(&[usize], Epoch); 4] =
    [(&[0, 1], 3), (&[0, 1, 1], 2), (&[0, 1, 2], 1), (&[0, 0, 1, 1], 1)];

/// SEMANTICS: BAR-1, BAR-3, BAR-4
#[test]
fn a_barrier_completes_everywhere_when_all_have_entered() {
    for (host_of, last) in JOBS {
        let found = search(&mut Job::new(host_of, last, Plant::Nothing));
        let states = found.unwrap_or_else(|error| panic!("{host_of:?}: {error}")).states;
        assert!(states > 100, "{host_of:?}: {states}");
    }
}

/// SEMANTICS: BAR-1, BAR-4
#[test]
fn what_is_wrong_is_noticed() {
    for plant in [Plant::Hasty, Plant::Lost, Plant::SumOfOneHost] {
        for (host_of, last) in JOBS {
            let found = search(&mut Job::new(host_of, last, plant));
            assert!(found.is_err(), "{plant:?} of {host_of:?}");
        }
    }
}
