//! The reduce-scatter of a group on several hosts: for each rank elsewhere the members of a host combine what they
//! have first, and one message crosses the network (wu-2005 chapter 3: mixed mode). The members take turns as
//! *combiners*. Each piece goes on while the next is under way.
//!
//! Keeps rules COL-1, COL-3, COL-4, COL-5 and COL-7 of SEMANTICS.md.
//!
//! # Correctness
//!
//! What a rank posts waits for no room, so each goes on receiving. Copies are kept until they leave, without a bound of
//! their own (COL-5). A member that has ended is passed over: the others get what this rank has for them.
//!
//! A member sends another first its parts of what that one combines for other hosts, in the order of their ranks, and
//! then its part of that one's own block. It takes them in the same order. Elements are combined on each host in the order of its members, and these results
//! in the order of hosts. Where the members of each host have consecutive ranks, that is the order of ranks.

use std::ops::Range;

use super::Tree;
use super::blocks::SendBlocks;
use super::call::Call;
use super::combine::combine_into;
use super::edge::{PostedSends, put_off};
use super::hosts::OVER_HOSTS_BYTES;
use super::pieces::Piece;
use crate::comm::element::copy;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::order::Rank;
use crate::verbs::Nic;

impl<N: Nic> Comm<N> {
    /// Whether the blocks of a reduce-scatter, of which the longest has so many elements, go over hosts. With a
    /// flat tree no rank combines for another. Where ranks of one host are not consecutive, operands change
    /// places, so the operator has to be one that is known to commute.
    pub(super) fn combines_on_hosts<T: Element>(&self, call: &Call, longest: usize) -> bool {
        let hosts = self.hosts();
        hosts.are_shared()
            && self.tree.get() != Tree::Flat
            && longest.saturating_mul(size_of::<T>()) >= OVER_HOSTS_BYTES
            && (hosts.are_in_order() || call.has_known_operator())
    }

    /// Combines the blocks for this rank of all members in `result`. What this rank has of the others' blocks is
    /// `outgoing`.
    pub(super) fn combine_over_hosts<T: Element>(
        &self,
        call: Call,
        outgoing: SendBlocks<'_, T>,
        result: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, size, hosts) = (self.rank(), self.size(), self.hosts());
        // So that a rank with another tree is noticed.
        let call = call.with_tree(self.tree.get());
        let own_host = hosts.host(rank);
        let part = |to| outgoing.part(to, size);
        // For whom a member of this host combines.
        let combined_by = |by: Rank| {
            let away = (0..size).filter(move |&to| hosts.host(to) != own_host);
            away.filter(move |&to| hosts.combiner(own_host, to) == by).chain([by])
        };

        let (mut posted, mut unserved) = (PostedSends::default(), Ok(()));
        for by in hosts.beside(rank) {
            for to in combined_by(by) {
                for piece in self.pieces_in::<T>(&call, part(to).len(), true) {
                    let sent = self.post_in(&call, by, part(to), &piece, &mut posted);
                    put_off(sent, &mut unserved)?;
                }
            }
        }
        for to in combined_by(rank).filter(|&to| to != rank) {
            let count = part(to).len();
            self.collectives.scratch.with_room(count, |total| {
                for piece in self.pieces_in::<T>(&call, count, true) {
                    self.combine_on_host(
                        &call,
                        &part(to)[piece.range.clone()],
                        total,
                        &piece,
                        combine,
                    )?;
                    let sent = self.post_in(&call, to, total, &piece, &mut posted);
                    put_off(sent, &mut unserved)?;
                }
                Ok::<(), Error>(())
            })?;
        }
        self.collectives.scratch.with_room(result.len(), |total| {
            for piece in self.pieces_in::<T>(&call, result.len(), true) {
                let Range { start, end } = piece.range;
                self.combine_on_host(&call, &part(rank)[start..end], total, &piece, combine)?;
            }
            self.combine_hosts(&call, total, result, combine)
        })?;
        self.see_off(posted)?;
        unserved
    }

    /// Combines one piece of what the members of this host have for one rank in its place in `total`. That of
    /// this rank is `own`.
    fn combine_on_host<T: Element>(
        &self,
        call: &Call,
        own: &[T],
        total: &mut [T],
        piece: &Piece,
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, hosts) = (self.rank(), self.hosts());
        let members = hosts.members_of(hosts.host(rank));
        for (at, &from) in members.iter().enumerate() {
            let left = members[at..].iter().copied().filter(|&left| left != rank);
            let place = piece.range.clone();
            match (at, from == rank) {
                (0, true) => copy(own, &mut total[place]),
                (_, true) => combine_into(&mut total[place], own, combine),
                (0, false) => self
                    .recv_in(call, from, total, piece)
                    .map_err(|error| self.most_telling(call, left, error))?,
                (_, false) => self
                    .recv_and_combine(call, from, total, piece, combine)
                    .map_err(|error| self.most_telling(call, left, error))?,
            }
        }
        Ok(())
    }

    /// Combines what all hosts have for this rank, in the order of hosts. That of its own is `own`.
    fn combine_hosts<T: Element>(
        &self,
        call: &Call,
        own: &[T],
        result: &mut [T],
        combine: &impl Fn(T, T) -> T,
    ) -> Result<()> {
        let (rank, hosts) = (self.rank(), self.hosts());
        let own_host = hosts.host(rank);
        let by = |host: usize| hosts.combiner(host, rank);
        for host in 0..hosts.count() {
            let left = (host..hosts.count()).filter(|&host| host != own_host).map(by);
            if host == own_host {
                match host {
                    0 => copy(own, result),
                    _ => combine_into(result, own, combine),
                }
                continue;
            }
            for piece in self.pieces_in::<T>(call, result.len(), true) {
                match host {
                    0 => self.recv_in(call, by(host), result, &piece),
                    _ => self.recv_and_combine(call, by(host), result, &piece, combine),
                }
                .map_err(|error| self.most_telling(call, left.clone(), error))?;
            }
        }
        Ok(())
    }
}
