//! A rank's interface to its network: messages, sleep, and the capabilities that some networks
//! have.

use std::time::Duration;

use super::{
    Completion, Cq, Multicast, NicAttributes, NoMulticast, PeerState, PostError, Reliability,
    RemoteRead, RemoteWords, SharedWords, VerbsError, Vi, ViSpec, WakeOn,
};
use crate::order::Rank;

/// A rank's network interface. Dropping it is how the rank leaves.
///
/// Eight methods make a network; those with a default are for networks that can do better.
pub trait Nic: Send + 'static {
    /// A filled receive descriptor.
    type Frame: Send;

    /// How it reads payloads where they lie.
    type RemoteRead: RemoteRead;

    /// How it writes words into the memory of peers.
    type RemoteWords: RemoteWords + ?Sized;

    /// The words that it shares with the ranks of its host.
    type SharedWords: SharedWords + ?Sized;

    /// How it sends to all ranks at once.
    type Multicast: Multicast + ?Sized;

    /// The rank whose interface this is, and the limits of its provider.
    fn attributes(&self) -> &NicAttributes;

    /// The rank whose interface this is. (No network has another answer than its attributes.)
    #[inline(always)]
    fn rank(&self) -> Rank {
        self.attributes().rank
    }

    /// The number of ranks that it connects, this one included. (As [`rank`](Nic::rank).)
    #[inline(always)]
    fn size(&self) -> usize {
        self.attributes().size
    }

    /// Opens the VI and posts its receive descriptors. Returns the reliability that it has, which
    /// may be *weaker* than asked for where the provider cannot do better: the caller then copes
    /// with loss, or refuses. A rank opens its VIs before it posts or polls on any, but may then
    /// post at once: the provider keeps what arrives before the peer has opened its end.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] naming the limit that `spec` exceeds, or the address that does not exist, is
    /// this rank itself, or was opened before.
    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError>;

    /// Sends `header` followed by `payload` as one message; both are copied before it returns.
    ///
    /// # Errors
    ///
    /// [`PostError`]: `QueueFull` is ordinary back-pressure (try later, nothing was sent); the
    /// others name the fault.
    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError>;

    /// Takes the next completed receive of `cq`, if there is one. Never blocks.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if the network itself has failed.
    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError>;

    /// Whether [`poll_recv`](Nic::poll_recv) would find nothing now on `cq`, and no remote read of
    /// it is under way. Costs a few loads, or else says false. A caller that polls again and again,
    /// mostly in vain, asks this first.
    #[inline(always)]
    fn is_empty(&mut self, cq: Cq) -> bool {
        let _ = cq;
        false
    }

    /// Whether nothing has come on `vi`. Costs a load or two, or else says false. It serves a
    /// caller that talks with that peer alone, and polls all peers from time to time.
    #[inline(always)]
    fn has_nothing_from(&mut self, vi: Vi) -> bool {
        let _ = vi;
        false
    }

    /// Shows the next message of `vi`, if there is one and a look into its own queue tells; else
    /// [`poll_recv`](Nic::poll_recv) finds it, and tells of failures. The message stays where it
    /// is: polls find it as if nobody had looked. It starts at an address divisible by 8. It serves
    /// a caller that waits for that peer alone, and polls all from time to time.
    #[inline]
    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        let _ = vi;
        None
    }

    /// Takes the message that [`peek_recv`](Nic::peek_recv) has just shown, and posts its
    /// descriptor again. The caller has asked the network nothing since then.
    #[inline]
    fn take_peeked(&mut self, vi: Vi) {
        let _ = vi;
    }

    /// The message in a filled descriptor. It starts at an address divisible by 8.
    fn bytes<'f>(&self, frame: &'f Self::Frame) -> &'f [u8];

    /// Posts the descriptor again, giving the peer room for one more message on `vi`.
    fn post_recv(&mut self, vi: Vi, frame: Self::Frame);

    /// Sleeps until there is news for this rank (see *wake-ups* in `verbs`), or the time is
    /// up. May return early without a reason. Returns at once when a poll would find something.
    fn wait(&mut self, timeout: Option<Duration>) {
        self.wait_unless(WakeOn::ANYTHING, |_| false, timeout);
    }

    /// As [`wait`](Nic::wait), but returns at once when `ready` says so. `ready` gets a function
    /// that [loads](SharedWords::load) a shared word; where there are none, it need not be asked.
    ///
    /// It is asked after all peers can see that this rank sleeps. So a peer that has stored a
    /// shared word and then [wakes](Nic::wake) this rank either is seen by `ready`, or wakes this
    /// rank. (A caller that asks `ready` first and then calls [`wait`](Nic::wait) loses the wake-up
    /// of a peer that stores and wakes in between.)
    ///
    /// Messages that `wake_on` does not include need not end it: what keeps a rank from sleeping on
    /// is for the caller to know. But no sleep begins while a poll would find something, whatever
    /// `wake_on` says: a peer that has sent such a message and then wakes either keeps this rank
    /// from falling asleep, or wakes it.
    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    );

    /// Wakes `peer` if it sleeps; costs no system call if it does not. One that does not exist is
    /// ignored.
    ///
    /// The default does nothing. It is right only where every message ends every sleep, whatever its
    /// [`WakeOn`] says, and the ranks share no words: else a peer may sleep on over what it was to
    /// look at.
    fn wake(&self, peer: Rank) {
        let _ = peer;
    }

    /// As [`wake`](Nic::wake), for several peers. Where it can be done, none of them runs in this
    /// rank's place before all are awake.
    fn wake_many(&self, peers: impl Iterator<Item = Rank>) {
        peers.for_each(|peer| self.wake(peer));
    }

    /// How many ranks of this host sleep in [`wait_unless`](Nic::wait_unless), and have not been woken.
    /// It may be out of date at once. The default says 0, for a network that does not know.
    fn sleeping(&self) -> usize {
        0
    }

    /// Whether `peer` is there. A rank that does not exist is [`PeerState::Gone`].
    fn peer_state(&self, peer: Rank) -> PeerState;

    /// In words for users, by what the network itself has noticed that `peer` is gone, and what
    /// helps: the verb that failed, and why. None if it has not, or the peer has left by itself.
    fn why_gone(&self, peer: Rank) -> Option<String> {
        let _ = peer;
        None
    }

    /// Remote read, if this network has it.
    #[inline(always)]
    fn remote_read(&mut self) -> Option<&mut Self::RemoteRead> {
        None
    }

    /// Remote words, if this network has them: to read those that have come.
    #[inline(always)]
    fn remote_words(&self) -> Option<&Self::RemoteWords> {
        None
    }

    /// Remote words, if this network has them: to put some.
    #[inline(always)]
    fn remote_words_mut(&mut self) -> Option<&mut Self::RemoteWords> {
        None
    }

    /// Shared words, if this network has them.
    #[inline(always)]
    fn shared_words(&self) -> Option<&Self::SharedWords> {
        None
    }

    /// Multicast, if this network has it.
    ///
    /// # Errors
    ///
    /// [`NoMulticast`]: why it has not.
    #[inline(always)]
    fn multicast(&mut self) -> Result<&mut Self::Multicast, NoMulticast> {
        Err(NoMulticast::NotOffered)
    }
}
