//! A network of one rank: its peers are frames written by a test.
//!
//! Where the rank sleeps and nothing is left for it, all peers count as gone, so that no call waits
//! for ever.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use runahead::message::{QUEUES, SIGNAL};
use runahead::order::Rank;
use runahead::verbs::{
    Completion, Cq, Nic, NicAttributes, PeerState, PostError, RegionKey, Reliability, VerbsError,
    Vi, ViSpec, WakeOn,
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
    gone: bool,
}

/// Rank 0 of a job.
pub struct Scripted {
    script: Arc<Mutex<Script>>,
    attributes: NicAttributes,
    size: usize,
}

/// A frame at an address divisible by 8.
pub struct Aligned {
    words: Vec<u64>,
    len: usize,
}

impl Scripted {
    pub fn new(size: usize) -> (Scripted, Arc<Mutex<Script>>) {
        let script = Script { signal_room: u32::MAX, ..Script::default() };
        let script = Arc::new(Mutex::new(script));
        let attributes = NicAttributes {
            provider: "scripted",
            max_ranks: size,
            max_message_bytes: usize::MAX,
            max_descriptors_per_vi: u32::MAX,
            completion_queues: QUEUES,
            max_registered_bytes: 0,
            max_regions: 0,
            inline_bytes: 0,
            causal: false,
        };
        (Scripted { script: Arc::clone(&script), attributes, size }, script)
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }
}

impl Nic for Scripted {
    type Frame = Aligned;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn rank(&self) -> Rank {
        0
    }

    fn size(&self) -> usize {
        self.size
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        Ok(Reliability::ReliableDelivery)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let mut script = self.script();
        if script.gone {
            return Err(PostError::PeerGone(vi));
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
            _ => Ok(inbox.pop_front().map(|(_, peer, bytes)| {
                let mut words = vec![0u64; bytes.len().div_ceil(8)];
                for (word, piece) in words.iter_mut().zip(bytes.chunks(8)) {
                    let mut whole = [0; 8];
                    whole[..piece.len()].copy_from_slice(piece);
                    *word = u64::from_ne_bytes(whole);
                }
                Completion { peer, frame: Aligned { words, len: bytes.len() } }
            })),
        }
    }

    fn bytes<'f>(&self, frame: &'f Aligned) -> &'f [u8] {
        &frame.words.as_bytes()[..frame.len]
    }

    fn post_recv(&mut self, _: Vi, _: Aligned) {}

    fn register(&mut self, _: usize) -> Result<RegionKey, VerbsError> {
        Ok(RegionKey(0))
    }

    fn put(&mut self, _: Rank, _: RegionKey, _: usize, _: u64) -> Result<(), VerbsError> {
        Ok(())
    }

    fn read(&self, _: RegionKey, _: usize) -> Result<u64, VerbsError> {
        Ok(0)
    }

    fn wait_unless(
        &mut self,
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        _: Option<Duration>,
    ) {
        let mut script = self.script();
        script.gone |= script.inboxes.iter().all(VecDeque::is_empty);
    }

    fn peer_state(&self, _: Rank) -> PeerState {
        if self.script().gone { PeerState::Gone } else { PeerState::Connected }
    }
}
