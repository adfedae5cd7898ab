//! Somebody writes what he likes into the memory that ranks share. They may get wrong messages,
//! lose some, or be told that a peer wrote what is impossible; they do not panic, hang or fault.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use runahead::internals::provider::shm::{Frame, Segment, ShmNic, bytes_needed};
use runahead::internals::provider::{FabricSpec, QueueSpec};
use runahead::internals::verbs::{
    Cq, LentEnd, Nic, Offer, OfferOf, PeerState, PostError, PutMode, ReadCompletion, RegionKey,
    RemoteBuffer, RemoteRead, RemoteWords, Revoke, SharedWords, VerbsError, Vi, ViSpec,
};

use super::processes::{Process, inherited, say};
use crate::fabric::*;

pub const SIZE: usize = 3;
const LONGEST: [usize; 2] = [200, 32];
const DESCRIPTORS: [u32; 2] = [3, 2];
const HEAP_BYTES: usize = 16 << 12;
const OFFERED_BYTES: usize = 5000;

fn spec() -> FabricSpec {
    let queues = DESCRIPTORS.into_iter().zip(LONGEST);
    let queues = queues.map(|(recv_descriptors, descriptor_bytes)| QueueSpec {
        recv_descriptors,
        descriptor_bytes,
    });
    FabricSpec { queues: queues.collect(), shared_words: 8, heap_bytes: HEAP_BYTES }
}

/// The interfaces of all ranks, with all VIs open.
pub fn join(segment: &Segment) -> Vec<ShmNic> {
    let vis = DESCRIPTORS.into_iter().zip(LONGEST).map(|(descriptors, descriptor_bytes)| ViSpec {
        descriptor_bytes,
        ..reliable(descriptors)
    });
    let nics = (0..SIZE).map(|rank| segment.nic(rank, &spec()).unwrap());
    let mut nics: Vec<_> = nics.collect();
    open_all(&mut nics, &vis.collect::<Vec<_>>());
    nics
}

/// Who writes into the memory of others.
#[derive(Clone)]
pub struct Scribbler {
    file: Arc<File>,
    len: usize,
}

impl Scribbler {
    pub fn new(segment: &Segment) -> Scribbler {
        let file = File::from(segment.fd().try_clone_to_owned().unwrap());
        Scribbler { file: Arc::new(file), len: bytes_needed(SIZE, &spec()) }
    }

    /// All words there are.
    pub fn words(&self) -> Vec<u64> {
        let mut bytes = vec![0; self.len];
        self.file.read_exact_at(&mut bytes, 0).unwrap();
        let words = bytes.chunks_exact(8);
        words.map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
    }

    pub fn write(&self, at: usize, word: u64) {
        self.file.write_all_at(&word.to_le_bytes(), at as u64).unwrap();
    }

    pub fn word(&self, at: usize) -> u64 {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, at as u64).unwrap();
        u64::from_le_bytes(bytes)
    }

    /// A word that is in use, on a random page or behind it.
    fn used(&self, dice: &mut Rng) -> usize {
        const PAGE: usize = 4096;
        let (pages, first) = (self.len / PAGE, dice.usize(..self.len / PAGE));
        for page in (first..first + pages).map(|page| page % pages) {
            let mut bytes = [0; PAGE];
            self.file.read_exact_at(&mut bytes, (page * PAGE) as u64).unwrap();
            let used = bytes.chunks_exact(8).enumerate().filter(|(_, word)| **word != [0; 8]);
            let used: Vec<usize> = used.map(|(at, _)| page * PAGE + at * 8).collect();
            if !used.is_empty() {
                return used[dice.usize(..used.len())];
            }
        }
        0
    }

    /// Changes one word, mostly one in use, mostly to something near what stood there or stands
    /// elsewhere.
    fn scribble(&self, dice: &mut Rng) {
        let at = match dice.usize(..8) {
            0 => dice.usize(..self.len / 8) * 8,
            // The word behind one in use: the next cell, the next descriptor.
            1 => (self.used(dice) + [8, 64][dice.usize(..2)]).min(self.len - 8),
            _ => self.used(dice),
        };
        let old = self.word(at);
        let new = match dice.usize(..8) {
            0 => 0,
            1 => u64::MAX,
            2 => dice.u64(..),
            3 => old.wrapping_add(1),
            // One lap on, or back.
            4 => old.wrapping_add(1 << 40),
            5 => old.wrapping_sub(1 << 40),
            6 => self.word(self.used(dice)),
            _ => old ^ 1 << dice.usize(..64),
        };
        self.write(at, new);
    }
}

/// Stands in the address of a copy that is being made.
const BEGUN: u64 = 1 << 62;

/// What became of the calls of a victim.
#[derive(Default)]
struct Counts {
    messages: usize,
    corrupted: usize,
    accepted: usize,
    /// What was offered last: by whom, to whom, and how it is found.
    told: Vec<(usize, usize, RemoteBuffer)>,
}

/// A rank that does at random what a rank may do.
struct Victim {
    nic: ShmNic,
    held: Vec<(Vi, Frame)>,
    exposed: Vec<(usize, RemoteBuffer)>,
    /// What it offers, which does not change meanwhile.
    offered: Vec<(OfferOf<ShmNic>, Vec<u8>)>,
    /// Whether it is told of payloads where there can be none.
    is_misled: bool,
}

impl Victim {
    fn new(nic: ShmNic, is_misled: bool) -> Victim {
        Victim { nic, held: Vec::new(), exposed: Vec::new(), offered: Vec::new(), is_misled }
    }

    /// Exposes a payload, or revokes what was exposed if there is no room.
    fn expose(&mut self, peer: usize, dice: &mut Rng) {
        let payload = vec![3; dice.usize(..9000)];
        match self.nic.expose(peer, &payload) {
            Some(buffer) => self.exposed.push((peer, buffer)),
            None => {
                for (peer, buffer) in self.exposed.drain(..) {
                    let how =
                        [Revoke::AfterRead, Revoke::AtOnce][usize::from(dice.usize(..20) == 0)];
                    self.nic.revoke(peer, buffer, how);
                }
            }
        }
    }

    /// Reads what a peer is said to have exposed.
    fn read(&mut self, vi: Vi, dice: &mut Rng) {
        let (mut address, mut len) = (dice.u64(..14) << 12, dice.usize(..9000));
        if self.is_misled && dice.usize(..8) == 0 {
            match dice.usize(..4) {
                0 => address += 8,
                1 => address = u64::MAX - dice.u64(..len as u64 + 1),
                2 => address = HEAP_BYTES as u64,
                _ => len = HEAP_BYTES - address as usize + 1,
            }
        }
        // Some are said to be copied still.
        let begun = if dice.usize(..4) == 0 { BEGUN } else { 0 };
        let buffer = RemoteBuffer { address: address | begun, key: dice.u32(..4) };
        assert!(self.nic.post_read(vi, buffer, len));
        let ReadCompletion { peer, payload } = self.nic.poll_read(vi.cq).expect("it is done");
        assert_eq!(peer, vi.peer);
        match payload {
            // Said to be lent: it is not, so nothing is read.
            Some(mut payload) if self.nic.is_lent(&payload) => {
                let end = self.nic.take_lent(peer, &mut payload, &mut vec![0; len]);
                assert!(end != LentEnd::Taken, "{address:#x} was never lent");
            }
            Some(mut payload) => {
                let here = self.nic.bytes_here(peer, &mut payload);
                assert!(here == len || here < len && begun != 0);
                // All of it can be read, whatever it is.
                assert_eq!(std::hint::black_box(payload.as_ref().to_vec()).len(), here);
                assert!(address as usize + len <= HEAP_BYTES && address % 4096 == 0);
                self.nic.release(payload);
            }
            None => assert_eq!(self.nic.peer_state(peer), PeerState::Gone),
        }
    }

    /// Offers a payload, or withdraws one. Only a rank that is misled may find that it was read and also that it was not.
    fn offer(&mut self, peer: usize, dice: &mut Rng, counts: &mut Counts) {
        if !self.offered.is_empty() && dice.bool() {
            let (offer, _) = self.offered.swap_remove(dice.usize(..self.offered.len()));
            let is_accepted = offer.is_accepted();
            assert!(offer.withdraw() != is_accepted || self.is_misled);
            return;
        }
        let payload = vec![self.nic.rank() as u8; OFFERED_BYTES];
        if let Some(offer) = self.nic.offer(peer, &payload) {
            counts.told.push((self.nic.rank(), peer, offer.buffer()));
            self.offered.push((offer, payload));
        }
    }

    /// Accepts what it was offered, or what nobody has.
    fn accept(&mut self, dice: &mut Rng, counts: &mut Counts) {
        let told = counts.told.iter().rposition(|&(_, to, _)| to == self.nic.rank());
        let Some((from, _, mut buffer)) = told.map(|at| counts.told.swap_remove(at)) else {
            return;
        };
        let mut room = [u8::MAX; OFFERED_BYTES];
        if self.is_misled && dice.usize(..4) == 0 {
            buffer.key = buffer.key.wrapping_add(dice.u32(..3));
            let far = dice.u64(..);
            buffer.address = buffer.address.wrapping_add(far >> dice.u32(..64));
        }
        if self.nic.accept(from, buffer, &mut room) {
            counts.accepted += 1;
            assert!(self.is_misled || room == [from as u8; OFFERED_BYTES]);
        }
    }

    fn act(&mut self, dice: &mut Rng, counts: &mut Counts) {
        let vi = Vi {
            peer: (self.nic.rank() + 1 + dice.usize(..2)) % SIZE,
            cq: Cq(dice.usize(..2) as u8),
        };
        let longest = LONGEST[usize::from(vi.cq.0)];
        match dice.usize(..20) {
            0..6 => {
                let header = vec![1; dice.usize(..longest + 1)];
                let payload = vec![2; dice.usize(..longest - header.len() + 1)];
                match self.nic.post_send(vi, &header, &payload) {
                    Ok(()) | Err(PostError::NoDescriptor(_) | PostError::PeerGone(_)) => {}
                    Err(other) => panic!("{other}"),
                }
            }
            6..12 => match self.nic.poll_recv(vi.cq) {
                Ok(None) => {}
                Ok(Some(arrived)) => {
                    assert!(self.nic.bytes(&arrived.frame).len() <= longest);
                    counts.messages += 1;
                    self.held.push((Vi { peer: arrived.peer, ..vi }, arrived.frame));
                    let most = SIZE * DESCRIPTORS.iter().sum::<u32>() as usize;
                    assert!(self.held.len() <= most, "no more frames than descriptors");
                }
                Err(VerbsError::Corrupted { peer, .. }) => {
                    counts.corrupted += 1;
                    assert_eq!(self.nic.peer_state(peer), PeerState::Gone);
                    // Nothing more is shown of it, on any queue.
                    for cq in [Cq(0), Cq(1)] {
                        assert!(self.nic.peek_recv(Vi { peer, cq }).is_none());
                    }
                    assert_eq!(
                        self.nic.post_send(Vi { peer, ..vi }, &[], &[]),
                        Err(PostError::PeerGone(Vi { peer, ..vi }))
                    );
                }
                Err(other) => panic!("{other}"),
            },
            12 => self.nic.wait(Some(Duration::ZERO)),
            13 => {
                let key = RegionKey(dice.usize(..3) as u32);
                let mode = [PutMode::Silent, PutMode::Immediate][dice.usize(..2)];
                let registered = self.nic.register(4);
                match (registered, self.nic.post_put(vi.peer, key, dice.usize(..8), 5, mode)) {
                    (Ok(_) | Err(VerbsError::AboveLimit { .. }), Ok(true)) => {}
                    (_, Err(VerbsError::NoSuchWord { .. })) => {}
                    other => panic!("{other:?}"),
                }
                let _ = self.nic.read(vi.peer, key, dice.usize(..8));
            }
            14 => {
                self.nic.store(dice.usize(..8), dice.u64(..));
                self.nic.load(dice.usize(..8));
                self.nic.wake(vi.peer);
            }
            15 => self.expose(vi.peer, dice),
            16 => self.read(vi, dice),
            17 => self.offer(vi.peer, dice, counts),
            18 => self.accept(dice, counts),
            _ => {
                if let Some(bytes) = self.nic.peek_recv(vi) {
                    assert!(bytes.len() <= longest);
                    // It stays where it is, and is found by a poll, or is taken.
                    if dice.bool() {
                        self.nic.take_peeked(vi);
                        counts.messages += 1;
                    }
                }
            }
        }
        if !self.held.is_empty() && dice.usize(..2) == 0 {
            let (vi, frame) = self.held.swap_remove(dice.usize(..self.held.len()));
            self.nic.post_recv(vi, frame);
        }
    }
}

/// All ranks by turns, and somebody who writes in between if `scribbles`.
fn play(seed: u64, steps: usize, scribbles: bool) -> Counts {
    let mut dice = Rng::with_seed(seed);
    let segment = Segment::create(SIZE).unwrap();
    let nics = join(&segment).into_iter();
    let mut victims: Vec<_> = nics.map(|nic| Victim::new(nic, scribbles)).collect();
    let scribbler = Scribbler::new(&segment);
    let mut counts = Counts::default();
    for step in 0..steps {
        victims[dice.usize(..SIZE)].act(&mut dice, &mut counts);
        if scribbles && step > 40 && step % 8 == 0 {
            scribbler.scribble(&mut dice);
        }
    }
    counts
}

#[test]
fn a_word_written_by_a_stranger_is_an_error_at_worst() {
    let mut total = Counts::default();
    for seed in 0..200 {
        let counts = play(seed, 400, true);
        total.messages += counts.messages;
        total.corrupted += counts.corrupted;
        total.accepted += counts.accepted;
    }
    // They did get somewhere, and it was noticed.
    assert!(total.messages > 2000, "{} messages", total.messages);
    assert!(total.corrupted > 100, "{} errors", total.corrupted);
    assert!(total.accepted > 100, "{} offers", total.accepted);
    // It is the scribbling that is noticed.
    let honest = play(0, 4000, false);
    assert!(honest.messages > 100 && honest.corrupted == 0 && honest.accepted > 20);
}

/// It is told of by the next poll, on any queue, and nothing more is read of that peer.
// SEMANTICS: SAFE-1
#[test]
fn a_payload_outside_of_its_senders_heap_breaks_the_connection() {
    let heap = HEAP_BYTES as u64;
    for (address, len) in [
        (heap, 1),
        (0, HEAP_BYTES + 1),
        (heap - 4096, 4097),
        (8, 8),
        (u64::MAX >> 1, 2),
        (0, usize::MAX),
    ] {
        let segment = Segment::create(SIZE).unwrap();
        let mut nics = join(&segment);
        let mut nic = nics.remove(0);
        let vi = Vi { peer: 2, cq: Cq(1) };
        let read = |nic: &mut ShmNic, address, len| {
            assert!(nic.post_read(vi, RemoteBuffer { address, key: 0 }, len));
            nic.poll_read(vi.cq).expect("it is done").payload.is_some()
        };
        assert!(read(&mut nic, 0, HEAP_BYTES) && read(&mut nic, heap - 4096, 4096));
        assert!(!read(&mut nic, address, len), "{len} bytes at {address}");
        assert!(!nic.is_empty(Cq(0)) && !nic.has_nothing_from(vi));
        let fault = VerbsError::Corrupted { peer: 2, what: "place of a payload" };
        assert_eq!(nic.poll_recv(Cq(0)).map(drop), Err(fault));
        assert!(nic.is_empty(Cq(0)));
        assert!(!read(&mut nic, 0, 1), "it counts as gone");
        assert_eq!((nic.peer_state(2), nic.peer_state(1)), (PeerState::Gone, PeerState::Connected));
    }
}

#[test]
fn a_process_that_scribbles_all_the_time_does_no_more() {
    if let Some(segment) = inherited() {
        let (scribbler, mut dice) = (Scribbler::new(&segment), Rng::with_seed(77));
        say("scribbling");
        loop {
            scribbler.scribble(&mut dice);
        }
    }
    for seed in 0..5 {
        let segment = Segment::create(SIZE).unwrap();
        let nics = join(&segment).into_iter();
        let mut victims: Vec<_> = nics.map(|nic| Victim::new(nic, true)).collect();
        let test = "shm::hostile::a_process_that_scribbles_all_the_time_does_no_more";
        let mut stranger = Process::start(&segment, test);
        stranger.await_word("scribbling");
        let (mut dice, mut counts) = (Rng::with_seed(seed), Counts::default());
        for _ in 0..20_000 {
            victims[dice.usize(..SIZE)].act(&mut dice, &mut counts);
        }
        stranger.kill();
    }
}
