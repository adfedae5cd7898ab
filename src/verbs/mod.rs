//! The verbs: what the message layer asks of a network, in the words of the Virtual Interface
//! Architecture (VIA; pakin-2001 §2.2.2 and table 5.7).
//!
//! A [`Nic`] holds one endpoint, a [`Vi`], for each peer and completion queue. Receive descriptors
//! are posted ahead; a message that meets none is an error on a reliable VI and lost on an
//! unreliable one. Sends are copied before [`Nic::post_send`] returns, so they need no completion.
//! Receives complete on the completion queue of their VI and are read in place.
//!
//! A provider implements [`Nic`] and nothing else. It moves bytes and knows no barriers, clocks,
//! tags or credits. The trait is used by static dispatch only.
//!
//! # What a provider promises
//!
//! - **Order**: on one reliable VI, messages complete in the order in which they were posted. There
//!   is no order between VIs.
//! - **Causality**, where [`NicAttributes::causal`] says so: a message whose `post_send` returned
//!   is found by every poll that happens after, also when the poller learnt of it over a third
//!   rank. `wait` on a barrier then implies that a poll sees what was sent before the barrier.
//! - **No invention**: bytes arrive as sent. The layer above still trusts none of them.
//! - **Wake-ups**: [`Nic::wait`] returns soon after anything arrives for this rank (a message, or a
//!   word by [`Nic::put`]), after a send queue that was full has room again, and after any peer has
//!   gone; also when that happened just before the call. Words, remote reads, room and departures end one `wait`,
//!   not every later one: after a `wait` the caller looks at all that it waits for.
//!
//! # Words that are put
//!
//! A region is memory of one rank into which peers write words. [`Nic::put`] writes one and wakes its owner.
//! [`Nic::post_put`] does it for those who write often, and whose words the peer looks at anyway: it waits for
//! nothing and, unless it is to, wakes nobody. Who is to sleep until such a word changes does what
//! [`Nic::post_put`] says, at the cost of a question to the peer: so sleepers pay, and writers do not.
//!
//! # Capabilities
//!
//! What only some networks have is a trait of its own, for which the layer above asks the network
//! once: [`RemoteRead`] and [`Multicast`]. A network that lacks one says [`Absent`].
//!
//! # Shared words
//!
//! Where all ranks see the same memory, or each host has a copy of it, a provider may offer them words that each can
//! read and write in place ([`Nic::shared_words`]). What they mean is the caller's to say; nobody is told of
//! a store, unless with [`Nic::wake`]. A rank that is to sleep until a shared word changes asks for
//! it in [`Nic::wait_unless`]: if one rank stores and then rings, and the other sleeps unless it
//! finds what was stored, no wake-up is lost.

mod error;
mod multicast;
mod remote_read;

use std::time::Duration;

pub use error::{PostError, VerbsError};
pub use multicast::{Multicast, NoMulticast};
pub use remote_read::{ReadCompletion, RemoteBuffer, RemoteRead, Revoke};

use crate::order::Rank;

/// The number of a completion queue of a [`Nic`]. Each VI belongs to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cq(pub u8);

/// One end of a connection to `peer`: the VI whose receives complete on `cq`, at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vi {
    /// The rank at the other end.
    pub peer: Rank,
    /// The completion queue of its receives.
    pub cq: Cq,
}

/// VIA's levels of reliability, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reliability {
    /// Messages may be lost, delayed and duplicated; never damaged.
    Unreliable,
    /// Arrives exactly once and in order, or the connection is broken.
    ReliableDelivery,
    /// As reliable delivery; besides, `post_send` returns only when it lies in the peer's memory.
    ReliableReception,
}

/// What a VI is opened with. Both ends must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViSpec {
    /// The number of receive descriptors, posted at opening and reposted one by one.
    pub recv_descriptors: u32,
    /// The longest message that a descriptor can take, header included, in bytes.
    pub descriptor_bytes: usize,
    /// The weakest level of reliability that will do.
    pub reliability: Reliability,
}

/// The limits of a provider, as `VipQueryNic` states them (pakin-2001 table 5.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NicAttributes {
    /// The provider's name.
    pub provider: &'static str,
    /// The most ranks a job may have on it.
    pub max_ranks: usize,
    /// The longest message, header included, in bytes.
    pub max_message_bytes: usize,
    /// The most receive descriptors pending on one VI.
    pub max_descriptors_per_vi: u32,
    /// The number of completion queues; [`Cq`] numbers are below it.
    pub completion_queues: u8,
    /// The most memory that one rank may register, in bytes.
    pub max_registered_bytes: usize,
    /// The most regions that one rank may register.
    pub max_regions: usize,
    /// Messages up to this length travel without a buffer of their own, in bytes.
    pub inline_bytes: usize,
    /// Whether arrival respects causality across VIs (see the module's promises).
    pub causal: bool,
}

/// Registered memory of one rank; valid at every peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegionKey(pub u32);

/// What words that are put without waking anybody are worth on a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuietPuts {
    /// They cannot be put.
    None,
    /// They cost about as much as messages.
    AsMessages,
    /// They cost less: the peer's processor has no part in them, and no descriptor is used. Still each peer costs
    /// a write.
    Remote,
}

/// Whether the owner of a word hears of it when a peer puts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PutMode {
    /// It is woken: RDMA's write with immediate data.
    Immediate,
    /// It is not: a plain RDMA write. It finds the word when it looks.
    Silent,
}

impl PutMode {
    /// Whether the owner is woken.
    #[inline]
    pub fn wakes(self) -> bool {
        self == PutMode::Immediate
    }
}

/// What a question for a word of a peer has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The word.
    Word(u64),
    /// The peer's interface has not answered within some milliseconds.
    Late,
    /// The peer has gone.
    Gone,
}

/// What stands for a capability that a network does not have: there is no value of it, so all that is
/// asked of one compiles to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {}

/// A receive that has completed. The frame occupies its descriptor until it is reposted.
#[derive(Debug)]
pub struct Completion<F> {
    /// Who sent it.
    pub peer: Rank,
    /// The filled descriptor; [`Nic::bytes`] reads it.
    pub frame: F,
}

/// Which messages end a sleep; words by [`Nic::put`], room, departures and [`Nic::wake`] always do. A
/// provider may take it as [`WakeOn::ANYTHING`]: to wake too often is no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WakeOn {
    /// The completion queues on which a message of any peer does: the lowest bit is for [`Cq`]`(0)`.
    pub queues: u16,
    /// The peer whose messages do on every queue.
    pub peer: Option<Rank>,
    /// Whether this rank may be woken together with all others that say so, by a peer that
    /// [wakes several](Nic::wake_many) of them.
    pub together: bool,
}

impl WakeOn {
    /// Every message.
    pub const ANYTHING: WakeOn = WakeOn { queues: u16::MAX, peer: None, together: false };

    /// Whether a message of `peer` on `cq` ends the sleep.
    pub fn includes(self, peer: Rank, cq: Cq) -> bool {
        self.queues.checked_shr(cq.0.into()).is_some_and(|queues| queues & 1 == 1)
            || self.peer == Some(peer)
    }
}

/// A payload that network `N` has read at a peer.
pub type ReadPayload<N> = <<N as Nic>::RemoteRead as RemoteRead>::Payload;

/// What became of a peer, as far as the network can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerState {
    /// Nothing is known against it.
    Connected,
    /// Its network interface is closed: it has ended, orderly or not. All it sent can be polled.
    Gone,
}

/// What has become of words that were written into the memory of another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Some are under way.
    UnderWay,
    /// All lie there.
    Arrived,
    /// The way is closed: some may not have come, and these never will.
    Lost,
}

/// A rank's network interface.
pub trait Nic: Send + 'static {
    /// A filled receive descriptor.
    type Frame: Send;

    /// How it reads payloads where they lie; [`Absent`] if it cannot.
    type RemoteRead: RemoteRead;

    /// How it sends to all ranks at once; [`Absent`] if it cannot.
    type Multicast: Multicast;

    /// The limits of this provider.
    fn attributes(&self) -> &NicAttributes;

    /// The rank whose interface this is.
    fn rank(&self) -> Rank;

    /// The number of ranks that it connects, this one included.
    fn size(&self) -> usize;

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
    /// others name what was wrong.
    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError>;

    /// Takes the next completed receive of `cq`, if there is one. Never blocks.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if the network itself has failed.
    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError>;

    /// Whether [`poll_recv`](Nic::poll_recv) would find nothing now on `cq`, and no remote read of it
    /// is under way. Costs a few loads, or else says false. A caller that polls again and again, mostly
    /// in vain, asks this first.
    #[inline(always)]
    fn is_empty(&mut self, cq: Cq) -> bool {
        let _ = cq;
        false
    }

    /// Whether nothing has come on `vi`. Costs a load or two, or else says false. It serves a caller
    /// that talks with that peer alone, and polls all peers from time to time.
    #[inline(always)]
    fn has_nothing_from(&mut self, vi: Vi) -> bool {
        let _ = vi;
        false
    }

    /// Shows the next message of `vi`, if there is one and a look into its own queue tells; else
    /// [`poll_recv`](Nic::poll_recv) finds it, and tells of failures. The message stays where it is: polls find it
    /// as if nobody had looked. It starts at an address divisible by 8. For who waits for that peer alone, and
    /// polls all from time to time.
    #[inline]
    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        let _ = vi;
        None
    }

    /// Takes the message that [`peek_recv`](Nic::peek_recv) has just shown, and posts its descriptor again.
    /// Nothing was asked of the network since then.
    #[inline]
    fn take_peeked(&mut self, vi: Vi) {
        let _ = vi;
    }

    /// The message in a filled descriptor. It starts at an address divisible by 8.
    fn bytes<'f>(&self, frame: &'f Self::Frame) -> &'f [u8];

    /// Posts the descriptor again, giving the peer room for one more message on `vi`.
    fn post_recv(&mut self, vi: Vi, frame: Self::Frame);

    /// Registers `words` zeroed 8-byte words that peers may [`put`](Nic::put) into.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] naming the limit that it would exceed.
    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError>;

    /// Writes one 8-byte word into `peer`'s region, which may be this rank's own. It is seen whole,
    /// and whoever reads it sees what happened before the `put`. It wakes the peer. Into the memory
    /// of a peer that has gone it is written in vain.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if the peer has no such region or word.
    fn put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
    ) -> Result<(), VerbsError>;

    /// Reads a word of a region of this rank.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if there is no such region or word.
    fn read(&self, key: RegionKey, word: usize) -> Result<u64, VerbsError>;

    /// As [`read`](Nic::read), of a word that nobody puts but `writer`, which may be this rank itself. Where ranks reach
    /// one another by several networks, each has its own memory for it, and this says which.
    ///
    /// # Errors
    ///
    /// As by [`read`](Nic::read).
    #[inline]
    fn read_of(&self, writer: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
        let _ = writer;
        self.read(key, word)
    }

    /// Whether [`post_put`](Nic::post_put) and [`fetch`](Nic::fetch) can be used, and what they are worth. All ranks
    /// say the same.
    fn quiet_puts(&self) -> QuietPuts {
        QuietPuts::None
    }

    /// As [`put`](Nic::put), without waiting, and the peer is woken only if `mode` says so. Returns false if there is no
    /// room for it now, which is ordinary back-pressure: nothing was put, and a [`wait`](Nic::wait) ends when there
    /// is room again. Words for one peer are written in the order in which they were put.
    ///
    /// The region is one of this rank's own: for this verb all ranks register regions of the same lengths in the
    /// same order. The peer need not have done so yet.
    ///
    /// No wake-up is lost between two ranks that do this: the writer first posts a word to itself that says what
    /// it is about to put, then [reads](Nic::read) whether the peer wants to be woken, and then puts the word, with an
    /// immediate if so. Who is to sleep puts the word that says so, then [fetches](Nic::fetch) what the writer says of itself, and
    /// sleeps only if that is not what it waits for. One of the two sees the word of the other.
    ///
    /// # Errors
    ///
    /// [`VerbsError`] if there is no such peer, or this rank has no such word.
    fn post_put(
        &mut self,
        peer: Rank,
        key: RegionKey,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, VerbsError> {
        let _ = (value, mode);
        Err(VerbsError::NoSuchWord { peer, key, word })
    }

    /// Asks for a word of `peer`'s region, which is one as for [`post_put`](Nic::post_put), and waits for it. The
    /// peer itself does nothing for it. What this rank has put there before was written when it is read.
    ///
    /// # Errors
    ///
    /// As by [`post_put`](Nic::post_put).
    fn fetch(&mut self, peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError> {
        Err(VerbsError::NoSuchWord { peer, key, word })
    }

    /// Remote read, if this network has it. All ranks say the same.
    #[inline(always)]
    fn remote_read(&mut self) -> Option<&mut Self::RemoteRead> {
        None
    }

    /// Multicast, if this network has it. All ranks say the same.
    ///
    /// # Errors
    ///
    /// [`NoMulticast`]: why it has not.
    #[inline(always)]
    fn multicast(&mut self) -> Result<&mut Self::Multicast, NoMulticast> {
        Err(NoMulticast::NotOffered)
    }

    /// Sleeps until there is news for this rank (see *wake-ups* above), or the time is up. May
    /// return early without a reason. Returns at once when a poll would find something.
    fn wait(&mut self, timeout: Option<Duration>) {
        self.wait_unless(WakeOn::ANYTHING, |_| false, timeout);
    }

    /// As [`wait`](Nic::wait), but returns at once when `ready` says so of the shared words, which it is
    /// given to be [loaded](Nic::load_shared); where there are none, it need not be asked. It is asked after all
    /// peers can see that this rank sleeps: a peer that has stored a shared word and then
    /// [wakes](Nic::wake) this rank either is seen by `ready`, or wakes this rank. Messages that `wake_on` does
    /// not include need not end it: what keeps a rank from sleeping on is for the caller to know. But no
    /// sleep begins while a poll would find something, whatever `wake_on` says: a peer that has sent such
    /// a message and then wakes either keeps this rank from falling asleep, or wakes it.
    ///
    /// (There is no such call made of [`wait`](Nic::wait): whoever asks `ready` first and then sleeps loses the
    /// wake-up of a peer that stores and wakes in between.)
    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    );

    /// The number of 8-byte words that the ranks of each host share, zero at first; 0 where ranks share no
    /// memory. All ranks say the same.
    fn shared_words(&self) -> usize {
        0
    }

    /// Whether what `peer` stores in a shared word is there for this rank when that returns: they are on one host.
    fn shares_words_with(&self, peer: Rank) -> bool {
        let _ = peer;
        self.shared_words() > 0
    }

    /// The host of `peer`, whose ranks share words, by a number from 0; all ranks say the same of one
    /// peer. Where there is only one host, and of ranks that do not exist, it is 0.
    fn host_of(&self, peer: Rank) -> usize {
        let _ = peer;
        0
    }

    /// Reads a shared word. Whoever reads it sees what happened before it was stored. The value is
    /// as little to be trusted as a message.
    ///
    /// # Panics
    ///
    /// If there is no such word.
    fn load_shared(&self, word: usize) -> u64 {
        panic!("{} shares no word {word}", self.attributes().provider)
    }

    /// Stores a shared word. It is seen whole.
    ///
    /// Ranks that each store a word and then load those of the others are sure to see them only where a
    /// rank sleeps, or is about to ([`wait_unless`](Nic::wait_unless)): then either `ready` finds all words
    /// there, or one of those that store finds all words, and that the other sleeps. (If nobody does, nobody may
    /// have seen them all. Who looks again later finds them.) A word has one writer, and those of one rank are seen
    /// by all in the order in which it has stored them.
    ///
    /// # Panics
    ///
    /// If there is no such word.
    fn store_shared(&self, word: usize, value: u64) {
        panic!("{} shares no word {word} for {value}", self.attributes().provider)
    }

    /// As [`store_shared`](Nic::store_shared). False if it is sure that no rank sleeps, or is about to, without
    /// seeing the word: then nobody need be looked for that would have to be woken for it.
    ///
    /// # Panics
    ///
    /// If there is no such word.
    #[inline]
    fn publish_shared(&self, word: usize, value: u64) -> bool {
        self.store_shared(word, value);
        true
    }

    /// Writes a shared word of another host, by way of `peer`, which is there. It comes there a little later; what
    /// one rank writes by way of one peer comes in order. Nobody is woken. False if `peer` is gone, or has no such
    /// word; what was under way to it then may come, late, or be lost ([`written_at`](Nic::written_at)).
    fn write_shared_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        let _ = (peer, word, value);
        false
    }

    /// What has become of all that was written by way of `peer`, also if it is gone.
    fn written_at(&self, peer: Rank) -> Written {
        let _ = peer;
        Written::Arrived
    }

    /// Wakes `peer` if it sleeps; costs no system call if it does not. One that does not exist is
    /// ignored.
    fn wake(&self, peer: Rank) {
        let _ = peer;
    }

    /// As [`wake`](Nic::wake), for several peers. Where it can be done, none of them runs in this
    /// rank's place before all are awake.
    fn wake_many(&self, peers: impl Iterator<Item = Rank>) {
        peers.for_each(|peer| self.wake(peer));
    }

    /// What became of `peer`. A rank that does not exist is [`PeerState::Gone`].
    fn peer_state(&self, peer: Rank) -> PeerState;

    /// In words for users, by what the network itself has noticed that `peer` is gone, and what helps: the verb
    /// that failed, and why. None if it has not, or the peer has left by itself.
    fn why_gone(&self, peer: Rank) -> Option<String> {
        let _ = peer;
        None
    }
}
