//! The verbs of a rank on one network or two. All go to the network of a peer, but for polls,
//! sleep, and the attributes of the whole.

use std::time::Duration;

use super::{Either, Far, Host, Networks, either};
use crate::order::Rank;
use crate::verbs::{
    Completion, Cq, Nic, NicAttributes, NoMulticast, PeerState, PostError, Reliability, VerbsError,
    Vi, ViSpec, WakeOn,
};

/// A filled receive descriptor of either network.
pub(super) type Frame<A, B> = Either<<A as Nic>::Frame, <B as Nic>::Frame>;

/// What a poll of a network found, as of either.
#[inline(always)]
pub(super) fn found<F, G>(
    polled: Result<Option<Completion<F>>, VerbsError>,
    of: impl Fn(F) -> G,
) -> Result<Option<Completion<G>>, VerbsError> {
    Ok(polled?.map(|Completion { peer, frame }| Completion { peer, frame: of(frame) }))
}

impl<A: Nic, B: Far> Nic for Host<A, B> {
    type Frame = Frame<A, B>;
    type RemoteRead = Host<A, B>;
    type RemoteWords = Host<A, B>;
    type SharedWords = Host<A, B>;
    type Multicast = B::Multicast;

    #[inline]
    fn attributes(&self) -> &NicAttributes {
        match &self.0 {
            Networks::Near(near) => near.attributes(),
            Networks::Far(far) => far.attributes(),
            Networks::Both(both) => &both.attributes,
        }
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        either!(self.reach_mut(vi.peer), nic => nic.open_vi(vi, spec))
    }

    #[inline(always)]
    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        either!(self.reach_mut(vi.peer), nic => nic.post_send(vi, header, payload))
    }

    #[inline(always)]
    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        match &mut self.0 {
            Networks::Near(near) => found(near.poll_recv(cq), Either::Near),
            Networks::Far(far) => found(far.poll_recv(cq), Either::Far),
            Networks::Both(both) => both.poll_recv(cq),
        }
    }

    #[inline(always)]
    fn is_empty(&mut self, cq: Cq) -> bool {
        match &mut self.0 {
            Networks::Near(near) => near.is_empty(cq),
            Networks::Far(far) => far.is_empty(cq),
            Networks::Both(both) => both.near.is_empty(cq) && both.far.is_empty(cq),
        }
    }

    #[inline(always)]
    fn has_nothing_from(&mut self, vi: Vi) -> bool {
        either!(self.reach_mut(vi.peer), nic => nic.has_nothing_from(vi))
    }

    #[inline(always)]
    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        either!(self.reach_mut(vi.peer), nic => nic.peek_recv(vi))
    }

    #[inline(always)]
    fn take_peeked(&mut self, vi: Vi) {
        either!(self.reach_mut(vi.peer), nic => nic.take_peeked(vi));
    }

    #[inline]
    fn bytes<'f>(&self, frame: &'f Self::Frame) -> &'f [u8] {
        match (&self.0, frame) {
            (Networks::Near(near), Either::Near(frame)) => near.bytes(frame),
            (Networks::Far(far), Either::Far(frame)) => far.bytes(frame),
            (Networks::Both(both), Either::Near(frame)) => both.near.bytes(frame),
            (Networks::Both(both), Either::Far(frame)) => both.far.bytes(frame),
            // A frame of another interface.
            _ => &[],
        }
    }

    #[inline]
    fn post_recv(&mut self, vi: Vi, frame: Self::Frame) {
        // As above, where it is of another interface.
        match frame {
            Either::Near(frame) => self.near_mut().map(|near| near.post_recv(vi, frame)),
            Either::Far(frame) => self.far_mut().map(|far| far.post_recv(vi, frame)),
        };
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        match &mut self.0 {
            Networks::Near(near) => near.wait_unless(wake_on, ready, timeout),
            Networks::Far(far) => far.wait_unless(wake_on, ready, timeout),
            Networks::Both(both) => both.wait_unless(wake_on, ready, timeout),
        }
    }

    #[inline]
    fn wake(&self, peer: Rank) {
        either!(self.reach(peer), nic => nic.wake(peer));
    }

    #[inline]
    fn wake_many(&self, peers: impl Iterator<Item = Rank>) {
        match &self.0 {
            Networks::Near(near) => near.wake_many(peers),
            Networks::Far(far) => far.wake_many(peers),
            Networks::Both(_) => peers.for_each(|peer| self.wake(peer)),
        }
    }

    /// With two networks, those ranks that sleep in the near one: the far one cannot say.
    fn sleeping(&self) -> usize {
        match &self.0 {
            Networks::Near(near) => near.sleeping(),
            Networks::Far(far) => far.sleeping(),
            Networks::Both(both) => both.near.sleeping(),
        }
    }

    #[inline]
    fn peer_state(&self, peer: Rank) -> PeerState {
        either!(self.reach(peer), nic => nic.peer_state(peer))
    }

    fn why_gone(&self, peer: Rank) -> Option<String> {
        either!(self.reach(peer), nic => nic.why_gone(peer))
    }

    /// If either network has it.
    #[inline]
    fn remote_read(&mut self) -> Option<&mut Host<A, B>> {
        let has = self.near_mut().is_some_and(|near| near.remote_read().is_some())
            || self.far_mut().is_some_and(|far| far.remote_read().is_some());
        has.then_some(self)
    }

    /// With two networks, both must have them.
    #[inline]
    fn remote_words(&self) -> Option<&Host<A, B>> {
        let has = match &self.0 {
            Networks::Near(near) => near.remote_words().is_some(),
            Networks::Far(far) => far.remote_words().is_some(),
            Networks::Both(both) => {
                both.near.remote_words().is_some() && both.far.remote_words().is_some()
            }
        };
        has.then_some(self)
    }

    #[inline]
    fn remote_words_mut(&mut self) -> Option<&mut Host<A, B>> {
        self.remote_words().is_some().then_some(self)
    }

    /// Where ranks share none, they are 0.
    #[inline(always)]
    fn shared_words(&self) -> Option<&Host<A, B>> {
        Some(self)
    }

    /// Where all ranks are reached by the far network.
    #[inline]
    fn multicast(&mut self) -> Result<&mut B::Multicast, NoMulticast> {
        match &mut self.0 {
            Networks::Far(far) => far.multicast(),
            Networks::Near(_) | Networks::Both(_) => Err(NoMulticast::NotOffered),
        }
    }
}
