//! A network that makes one mistake on purpose, to show that the checks find it.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use runahead::Config;
use runahead::internals::message::{CONTROL, Context, Control, EAGER, Header, Lane, SIGNAL};
use runahead::internals::order::GroupId;
use runahead::internals::verbs::{Completion, Cq, Nic, PostError, SharedWords, VerbsError, Vi};

/// The mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    None,
    /// The n-th message that arrives is lost.
    LoseMessage(u64),
    /// The n-th message that arrives is overtaken by the next of its sender.
    SwapMessages(u64),
    /// The n-th message sent is sent twice.
    RepeatMessage(u64),
    /// The n-th signal that arrives is lost.
    LoseSignal(u64),
    /// The n-th signal sent, or epoch published, is one epoch too high.
    RushSignal(u64),
    /// The n-th message sent goes to another group of its receiver, or to the world.
    WrongGroup(u64),
    /// The n-th message sent goes to the lane of the collectives.
    WrongLane(u64),
    /// From the n-th control frame on, one message that was consumed is not returned.
    KeepCredit(u64),
    /// Messages of groups that are yet to be made here are lost.
    LoseEarly,
    /// The n-th group gets the id of the one before it. (Made by whoever runs the ranks.)
    IdTwice(u64),
}

/// A [`Nic`] with a mistake.
pub struct Planted<N: Nic> {
    inner: N,
    mistake: Mistake,
    /// Messages and signals arrived; signals, messages and control frames sent.
    counts: [u64; 5],
    /// The lowest id of a group that is not made yet.
    next_group: Arc<AtomicU32>,
    kept: Option<Completion<N::Frame>>,
    next: Option<Completion<N::Frame>>,
    made: Arc<AtomicBool>,
    /// Epochs published.
    published: Cell<u64>,
}

impl<N: Nic> Planted<N> {
    /// `made` is set when the mistake is made; `next_group` is the lowest id that a group may get.
    pub fn new(
        inner: N,
        mistake: Mistake,
        made: Arc<AtomicBool>,
        next_group: Arc<AtomicU32>,
    ) -> Self {
        Self {
            inner,
            mistake,
            counts: [0; 5],
            next_group,
            kept: None,
            next: None,
            made,
            published: Cell::new(0),
        }
    }

    fn post_astray(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let frame = [header, payload].concat();
        let (decoded, _) = Header::decode(&frame).expect("the runtime's own frame");
        let group = decoded.context.group();
        let context = match self.mistake {
            Mistake::WrongLane(_) => Context::new(group, Lane::Collective),
            _ if group == GroupId::WORLD => Context::new(GroupId(1), Lane::Program),
            _ => Context::WORLD,
        };
        self.inner.post_send(vi, &Header { context, ..decoded }.encode(), payload)
    }

    fn is_early(&self, completion: &Completion<N::Frame>) -> bool {
        let (header, _) = Header::decode(self.inner.bytes(&completion.frame)).expect("a message");
        header.context.group().0 >= self.next_group.load(Ordering::Relaxed)
    }

    fn err(&self) {
        self.made.store(true, Ordering::Relaxed);
    }
}

impl<N: Nic> Nic for Planted<N> {
    type Frame = N::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = Planted<N>;
    type Multicast = runahead::internals::verbs::Absent;

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        if vi.cq == SIGNAL {
            self.counts[2] += 1;
            if self.mistake == Mistake::RushSignal(self.counts[2]) {
                self.err();
                let mut frame = header.to_vec();
                // Epoch and clock, both little-endian.
                for field in [16..24, 24..32] {
                    let value = u64::from_le_bytes(frame[field.clone()].try_into().unwrap()) + 1;
                    frame[field].copy_from_slice(&value.to_le_bytes());
                }
                return self.inner.post_send(vi, &frame, payload);
            }
        }
        if vi.cq == EAGER {
            self.counts[3] += 1;
            let nth = self.counts[3];
            if [Mistake::WrongGroup(nth), Mistake::WrongLane(nth)].contains(&self.mistake) {
                self.err();
                return self.post_astray(vi, header, payload);
            }
            if self.mistake == Mistake::RepeatMessage(nth) {
                self.inner.post_send(vi, header, payload)?;
                self.err();
            }
        }
        if vi.cq == CONTROL {
            self.counts[4] += 1;
            let (control, mut returned) = Control::decode(header).expect("its own frame");
            if let Mistake::KeepCredit(n) = self.mistake
                && n <= self.counts[4]
                && returned.eager > 0
            {
                self.err();
                returned.eager -= 1;
                return self.inner.post_send(vi, &control.encode(returned), payload);
            }
        }
        self.inner.post_send(vi, header, payload)
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<N::Frame>>, VerbsError> {
        if cq == EAGER && self.next.is_some() {
            return Ok(self.next.take());
        }
        let Some(completion) = self.inner.poll_recv(cq)? else { return Ok(None) };
        let Some(count) = [EAGER, SIGNAL].iter().position(|&queue| queue == cq) else {
            return Ok(Some(completion));
        };
        self.counts[count] += 1;
        let peer = completion.peer;
        let lost = match self.mistake {
            Mistake::LoseMessage(n) => cq == EAGER && n == self.counts[0],
            Mistake::LoseSignal(n) => cq == SIGNAL && n == self.counts[1],
            Mistake::LoseEarly => cq == EAGER && self.is_early(&completion),
            _ => false,
        };
        if lost {
            self.err();
            self.inner.post_recv(Vi { peer, cq }, completion.frame);
            return self.poll_recv(cq);
        }
        if cq == EAGER {
            if self.mistake == Mistake::SwapMessages(self.counts[0]) {
                self.kept = Some(completion);
                return self.poll_recv(cq);
            }
            if let Some(kept) = self.kept.take_if(|kept| kept.peer == peer) {
                self.err();
                self.next = Some(kept);
            }
        }
        Ok(Some(completion))
    }

    fn shared_words(&self) -> Option<&Planted<N>> {
        self.inner.shared_words().map(|_| self)
    }

    forward!(attributes, open_vi, bytes, post_recv, wait_unless, wake, peer_state);
}

impl<N: Nic> Planted<N> {
    fn words(&self) -> &N::SharedWords {
        self.inner.shared_words().expect("the network within shares words")
    }
}

impl<N: Nic> SharedWords for Planted<N> {
    fn count(&self) -> usize {
        self.words().count()
    }

    fn load(&self, word: usize) -> u64 {
        self.words().load(word)
    }

    fn store(&self, word: usize, value: u64) {
        // Epochs come first, and each rank's first word is for a group that starts.
        let is_epoch = word < Config::BOARD_SLOTS * self.size().next_multiple_of(16);
        let is_entered = is_epoch && value != self.load(word);
        self.published.set(self.published.get() + u64::from(is_entered));
        if is_entered && self.mistake == Mistake::RushSignal(self.published.get()) {
            self.err();
            return self.words().store(word, value + 1);
        }
        self.words().store(word, value);
    }
}
