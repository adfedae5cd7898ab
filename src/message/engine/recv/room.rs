//! Room for later messages: copies a message that a posted receive has matched out of its
//! descriptor when its sender runs short of credit. So it does with what no receive has met, where that
//! could keep others from coming for ever.
//!
//! Keeps rules FLOW-1 and FLOW-5 of SEMANTICS.md.
//!
//! The program may take matched messages late and in any order. Messages for other posted receives
//! must not wait for that. While its sender has plenty of credit, a message stays in its descriptor
//! until the program takes it, which saves a copy. The number of copies is bounded by the number of
//! posted receives.

use crate::message::engine::Engine;
use crate::message::engine::reads::exposure_of;
use crate::message::header::Header;
use crate::message::inbound::{Asked, Body, Inbound};
use crate::message::matching::{Context, Lane, RecvId};
use crate::order::{GroupId, Rank};
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// A posted receive has matched a message. Copies it out of its descriptor, if it lies in one,
    /// if it belongs to a collective or its sender has little credit left.
    pub(super) fn settle_room(&mut self, id: RecvId) {
        let Some(matched) = self.matching.matched(id) else { return };
        let Body::Frame(_) = &matched.message.body else { return };
        let from = matched.source;
        if matched.message.context.is_of_collectives() || self.links.peer(from).is_crowded() {
            self.copy_out(id);
        } else {
            self.links.handle_kept(from);
        }
    }

    /// Copies all matched messages of `from` out of their descriptors: its sender is short of
    /// credit.
    pub(in crate::message) fn make_room(&mut self, from: Rank) {
        let of_it = self.matching.all_matched().filter(|(_, matched)| matched.source == from);
        let of_it: Vec<RecvId> = of_it.map(|(id, _)| id).collect();
        of_it.into_iter().for_each(|id| self.copy_out(id));
    }

    /// For a library on top, as MPI has it. From now on, messages that no receive has met make room
    /// for others too: a program may receive what was sent last first. Then no window bounds how
    /// many this rank keeps. And messages are confirmed, as `Envelope::CONFIRMED` asks for it.
    pub fn keep_unexpected(&mut self) {
        self.keeps_unexpected = true;
    }

    /// A collective of this group has failed here, since a rank has gone. Others may have sent more for
    /// that call, or for later ones that this rank will not make. From now on, such messages make room for
    /// others too: else these ranks could never again tell this one anything.
    pub fn give_up(&mut self, group: GroupId) {
        if !self.given_up.contains(&group) {
            self.given_up.push(group);
        }
        self.matching.look_anew(Context::new(group, Lane::Collective));
        self.make_room_of_all_unexpected();
    }

    /// A group is dropped, and its messages with it.
    pub(in crate::message) fn forget_given_up(&mut self, group: GroupId) {
        self.given_up.retain(|&given_up| given_up != group);
    }

    #[inline]
    fn makes_room_of_unexpected(&self) -> bool {
        self.keeps_unexpected || !self.given_up.is_empty()
    }

    /// Takes the messages of `from` that no receive has met out of their descriptors, if their sender
    /// is short of credit: all if a library asks for that, or those of collectives that were given up.
    #[inline]
    pub(in crate::message) fn make_room_of_unexpected(&mut self, from: Rank) {
        if self.makes_room_of_unexpected() && self.links.peer(from).is_crowded() {
            self.empty_unexpected(from);
        }
    }

    /// As [`make_room_of_unexpected`](Engine::make_room_of_unexpected), of all senders.
    pub(in crate::message) fn make_room_of_all_unexpected(&mut self) {
        if self.makes_room_of_unexpected() {
            (0..self.size()).for_each(|from| self.make_room_of_unexpected(from));
        }
    }

    #[cold]
    fn empty_unexpected(&mut self, from: Rank) {
        let Engine { nic, matching, keeps_unexpected, given_up, .. } = self;
        let mut freed = Vec::new();
        matching.for_each_new_unexpected_of(from, |message| {
            let context = message.context;
            let is_given_up = context.is_of_collectives() && given_up.contains(&context.group());
            if !(*keeps_unexpected || is_given_up) {
                return false;
            }
            let emptied = take_out(nic, message);
            let was_full = emptied.is_some();
            freed.extend(emptied);
            was_full
        });
        freed.into_iter().for_each(|frame| self.release(from, frame));
    }

    /// Takes a matched message out of its descriptor, if it lies in one.
    pub(super) fn copy_out(&mut self, id: RecvId) {
        let Some(matched) = self.matching.matched_mut(id) else { return };
        let from = matched.source;
        if let Some(frame) = take_out(&self.nic, &mut matched.message) {
            self.release(from, frame);
        }
    }
}

/// Takes a message out of its descriptor, if it lies in one: copies its payload, or what its request
/// says of that. Returns the descriptor.
fn take_out<N: Nic>(nic: &N, message: &mut Inbound<N::Frame>) -> Option<N::Frame> {
    let body = match &message.body {
        Body::Frame(frame) => Body::Owned(nic.bytes(frame)[Header::BYTES..].to_vec()),
        Body::Request { frame, transfer, exposure } => {
            let exposure = exposure.and_then(|number| exposure_of(nic, frame, number));
            Body::Asked(Box::new(Asked { transfer: *transfer, exposure }))
        }
        _ => return None,
    };
    match std::mem::replace(&mut message.body, body) {
        Body::Frame(frame) | Body::Request { frame, .. } => Some(frame),
        _ => None,
    }
}
