//! A network of one rank: its peers are frames written by a test.
//!
//! Where the rank sleeps and nothing is left for it, all peers count as gone, so that no call waits
//! for ever.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use runahead::internals::message::{EAGER, QUEUES, SIGNAL};
use runahead::internals::order::Rank;
use runahead::internals::verbs::{
    Completion, Cq, Nic, NicAttributes, Offer, PeerState, PostError, ReadCompletion, Reliability,
    RemoteBuffer, RemoteRead, Revoke, Room, SharedWords, VerbsError, Vi, ViSpec, WakeOn, Written,
};
use runahead::zerocopy::IntoBytes;

/// What rank 0 has before it and behind it.
#[derive(Default)]
pub struct Script {
    /// For each queue, the frames to come: how many polls of the queue later, from whom, what.
    pub inboxes: [VecDeque<(u32, Rank, Vec<u8>)>; QUEUES as usize],
    /// What was sent.
    pub sent: Vec<(Vi, Vec<u8>)>,
    /// In which order queues were polled.
    pub polls: Vec<Cq>,
    /// How many signals the peers have room for.
    pub signal_room: u32,
    /// From which length on payloads are exposed and read.
    pub read_from: Option<usize>,
    /// Whether what is exposed is a copy that the receiver reads in place.
    pub copies: bool,
    /// Whether copies are begun before they are made.
    pub begins: bool,
    /// Whether payloads are lent. None is taken.
    pub lends: bool,
    /// How many bytes are there of what is read in place, by the looks at it; all, after these.
    pub here: VecDeque<usize>,
    /// For how long it has slept at most.
    pub slept: Vec<Option<Duration>>,
    /// How many payloads find room to be exposed; all where it is not said.
    pub room: Option<usize>,
    /// How many payloads that were read were released.
    pub released: usize,
    /// Whether reads are refused.
    pub refuses_reads: bool,
    /// What was exposed, revoked and read, and how many frames had been sent by then.
    pub accesses: Vec<(Access, usize)>,
    /// What comes of reads: how many polls later, from whom, what.
    pub reads: VecDeque<(u32, Rank, Option<Vec<u8>>)>,
    /// The host of each rank, where ranks share words with those of their host.
    pub hosts: Vec<usize>,
    /// The words of this host.
    pub words: Vec<u64>,
    /// What was written to other hosts: by way of which rank, which word, what.
    pub written: Vec<(Rank, usize, u64)>,
    /// What is said of messages to these ranks, none of which is sent.
    pub refuses: Vec<Refusal>,
    /// Whether peers can read what this rank offers.
    pub can_be_read: bool,
    /// What it has offered.
    pub offers: Vec<Offered>,
    /// What it reads where peers offer.
    pub memory: Vec<(RemoteBuffer, Vec<u8>)>,
    /// Whom it has woken.
    pub wakes: Vec<Rank>,
    /// Ranks that have gone.
    pub left: Vec<Rank>,
    gone: bool,
}

/// What is said of a message to this rank.
pub type Refusal = (Rank, fn(Vi) -> PostError);

/// A payload that was offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// How often it was asked whether the peer has read it, which none does.
    pub asked: usize,
    pub is_withdrawn: bool,
}

/// What was done with a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Exposed(Rank, usize),
    /// A payload of so many bytes that is lent.
    Lent(Rank, usize),
    /// A copy of so many bytes that is made later, and its payload then.
    Begun(Rank, usize),
    Filled(Rank, RemoteBuffer, usize),
    /// What was exposed before, to another as well.
    Shared(Rank, RemoteBuffer),
    Revoked(Rank, RemoteBuffer, Revoke),
    /// A payload with a room of so many bytes.
    Opened(Rank, usize, usize),
    Closed(RemoteBuffer),
    Read(Vi, RemoteBuffer, usize),
}

impl Script {
    fn note(&mut self, access: Access) {
        self.accesses.push((access, self.sent.len()));
    }
}

/// Rank 0 of a job.
pub struct Scripted {
    script: Arc<Mutex<Script>>,
    attributes: NicAttributes,
}

/// A frame at an address divisible by 8.
pub struct Aligned {
    words: Vec<u64>,
    len: usize,
}

fn aligned(bytes: &[u8]) -> Aligned {
    let mut words = vec![0u64; bytes.len().div_ceil(8)];
    for (word, piece) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut whole = [0; 8];
        whole[..piece.len()].copy_from_slice(piece);
        *word = u64::from_ne_bytes(whole);
    }
    Aligned { words, len: bytes.len() }
}

impl Scripted {
    pub fn new(size: usize) -> (Scripted, Arc<Mutex<Script>>) {
        let script = Script { signal_room: u32::MAX, ..Script::default() };
        let script = Arc::new(Mutex::new(script));
        let attributes = NicAttributes {
            provider: "scripted",
            rank: 0,
            size,
            max_ranks: size,
            max_message_bytes: usize::MAX,
            max_descriptors_per_vi: u32::MAX,
            completion_queues: QUEUES,
            max_registered_bytes: 0,
            max_regions: 0,
            inline_bytes: 0,
            causal: false,
        };
        (Scripted { script: Arc::clone(&script), attributes }, script)
    }

    /// Whether a peer has gone.
    fn has_left(&self, peer: Rank) -> bool {
        let script = self.script();
        script.gone || script.left.contains(&peer)
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }
}

impl RemoteRead for Scripted {
    type Payload = Aligned;
    type Offer = ScriptedOffer;
    type Room = ScriptedRoom;

    fn least_bytes(&mut self, _: Rank) -> Option<usize> {
        self.script().read_from
    }

    fn copies(&mut self, _: Rank) -> bool {
        self.script().copies
    }

    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        let mut script = self.script();
        if let Some(room) = &mut script.room {
            *room = room.checked_sub(1)?;
        }
        script.note(Access::Exposed(peer, payload.len()));
        Some(RemoteBuffer { address: 0x1000, key: script.accesses.len() as u32 })
    }

    fn begin_copy(&mut self, peer: Rank, len: usize) -> Option<RemoteBuffer> {
        let mut script = self.script();
        if !script.begins {
            return None;
        }
        script.note(Access::Begun(peer, len));
        Some(RemoteBuffer { address: 0x4000, key: script.accesses.len() as u32 })
    }

    fn fill_copy(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) {
        self.script().note(Access::Filled(peer, buffer, payload.len()));
    }

    fn lend(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        let mut script = self.script();
        if !script.lends {
            return None;
        }
        script.note(Access::Lent(peer, payload.len()));
        Some(RemoteBuffer { address: 0x5000, key: script.accesses.len() as u32 })
    }

    fn copy_lent(&mut self, _: Rank, _: RemoteBuffer, _: &[u8]) -> bool {
        true
    }

    fn bytes_here(&mut self, _: Rank, payload: &mut Aligned) -> usize {
        let len = payload.as_ref().len();
        self.script().here.pop_front().unwrap_or(len)
    }

    fn share(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        self.script().note(Access::Shared(peer, buffer));
        true
    }

    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke) {
        self.script().note(Access::Revoked(peer, buffer, how));
    }

    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool {
        let mut script = self.script();
        if !script.refuses_reads {
            script.note(Access::Read(vi, buffer, len));
        }
        !script.refuses_reads
    }

    fn poll_read(&mut self, _: Cq) -> Option<ReadCompletion<Aligned>> {
        let mut script = self.script();
        match script.reads.front_mut() {
            Some((polls, ..)) if *polls > 0 => {
                *polls -= 1;
                None
            }
            _ => {
                let (_, peer, payload) = script.reads.pop_front()?;
                let payload = payload.map(|payload| aligned(&payload));
                Some(ReadCompletion { peer, payload })
            }
        }
    }

    fn release(&mut self, payload: Aligned) {
        drop(payload);
        self.script().released += 1;
    }

    fn offer(&mut self, _: Rank, _: &[u8]) -> Option<ScriptedOffer> {
        let mut script = self.script();
        if !script.can_be_read {
            return None;
        }
        let index = script.offers.len();
        script.offers.push(Offered::default());
        Some(ScriptedOffer { script: Arc::clone(&self.script), index })
    }

    fn accept(&mut self, _: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        let script = self.script();
        let found = script.memory.iter().find(|(place, _)| *place == buffer);
        found.map(|(_, payload)| room.copy_from_slice(payload)).is_some()
    }

    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, ScriptedRoom)> {
        let mut script = self.script();
        if let Some(room) = &mut script.room {
            *room = room.checked_sub(1)?;
        }
        script.note(Access::Opened(peer, payload.len(), bytes));
        let buffer = RemoteBuffer { address: 0x3000, key: script.accesses.len() as u32 };
        Some((buffer, ScriptedRoom(vec![0; bytes])))
    }

    fn room_behind(&mut self, _: Rank, payload: &Aligned, bytes: usize) -> Option<ScriptedRoom> {
        Some(ScriptedRoom(vec![payload.as_ref()[0]; bytes]))
    }

    fn close_room(&mut self, buffer: RemoteBuffer, _: ScriptedRoom) {
        self.script().note(Access::Closed(buffer));
    }
}

/// A room in which nothing is told.
pub struct ScriptedRoom(Vec<u8>);

impl Room for ScriptedRoom {
    fn load(&self, _: usize) -> u64 {
        0
    }

    fn store(&mut self, _: usize, _: u64) {}

    fn write(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn read(&self, at: usize, into: &mut [u8]) {
        into.copy_from_slice(&self.0[at..at + into.len()]);
    }
}

/// One of the payloads that were offered.
pub struct ScriptedOffer {
    script: Arc<Mutex<Script>>,
    index: usize,
}

impl ScriptedOffer {
    fn with<R>(&self, act: impl FnOnce(&mut Offered) -> R) -> R {
        act(&mut self.script.lock().unwrap().offers[self.index])
    }
}

impl Offer for ScriptedOffer {
    fn buffer(&self) -> RemoteBuffer {
        RemoteBuffer { address: 0x2000, key: self.index as u32 }
    }

    fn is_accepted(&self) -> bool {
        self.with(|offered| offered.asked += 1);
        false
    }

    fn withdraw(self) -> bool {
        true
    }
}

impl Drop for ScriptedOffer {
    fn drop(&mut self) {
        self.with(|offered| offered.is_withdrawn = true);
    }
}

impl SharedWords for Scripted {
    fn count(&self) -> usize {
        self.script().words.len()
    }

    fn load(&self, word: usize) -> u64 {
        self.script().words[word]
    }

    fn store(&self, word: usize, value: u64) {
        self.script().words[word] = value;
    }

    fn host_of(&self, peer: Rank) -> usize {
        self.script().hosts[peer]
    }

    fn write_at(&self, peer: Rank, word: usize, value: u64) -> bool {
        if self.has_left(peer) {
            return false;
        }
        self.script().written.push((peer, word, value));
        true
    }

    fn written_at(&self, peer: Rank) -> Written {
        if self.has_left(peer) { Written::Lost } else { Written::Arrived }
    }
}

impl AsRef<[u8]> for Aligned {
    fn as_ref(&self) -> &[u8] {
        &self.words.as_bytes()[..self.len]
    }
}

impl Nic for Scripted {
    type Frame = Aligned;
    type RemoteRead = Scripted;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = Scripted;
    type Multicast = runahead::internals::verbs::Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        Ok(Reliability::ReliableDelivery)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        if self.has_left(vi.peer) {
            return Err(PostError::PeerGone(vi));
        }
        let mut script = self.script();
        if let Some((_, error)) =
            script.refuses.iter().find(|(peer, _)| vi == Vi { peer: *peer, cq: EAGER })
        {
            return Err(error(vi));
        }
        if vi.cq == SIGNAL {
            let room = script.signal_room.checked_sub(1);
            script.signal_room = room.ok_or(PostError::NoDescriptor(vi))?;
        }
        script.sent.push((vi, [header, payload].concat()));
        Ok(())
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Aligned>>, VerbsError> {
        let mut script = self.script();
        script.polls.push(cq);
        let inbox = &mut script.inboxes[usize::from(cq.0)];
        match inbox.front_mut() {
            Some((polls, ..)) if *polls > 0 => {
                *polls -= 1;
                Ok(None)
            }
            _ => Ok(inbox
                .pop_front()
                .map(|(_, peer, bytes)| Completion { peer, frame: aligned(&bytes) })),
        }
    }

    fn remote_read(&mut self) -> Option<&mut Scripted> {
        Some(self)
    }

    fn shared_words(&self) -> Option<&Scripted> {
        (!self.script().hosts.is_empty()).then_some(self)
    }

    fn bytes<'f>(&self, frame: &'f Aligned) -> &'f [u8] {
        frame.as_ref()
    }

    fn post_recv(&mut self, _: Vi, _: Aligned) {}

    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        longest: Option<Duration>,
    ) {
        let mut script = self.script();
        script.slept.push(longest);
        script.gone |= script.inboxes.iter().all(VecDeque::is_empty)
            && script.reads.is_empty()
            && script.here.is_empty();
    }

    fn wake(&self, peer: Rank) {
        self.script().wakes.push(peer);
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        if self.has_left(peer) { PeerState::Gone } else { PeerState::Connected }
    }
}
