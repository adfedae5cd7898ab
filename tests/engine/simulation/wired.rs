//! The network of ranks that take [`Turns`], and the faults that are planted in it.
//!
//! It is the real threads provider; only sleeping and the choice of who runs are the turns'. A
//! planted fault breaks one rule on purpose, so that the model of that rule can be shown to notice.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runahead::internals::message::{
    Activity, BULK, CONTROL, Context, Control, EAGER, Header, Lane, QUEUES, SIGNAL,
};
use runahead::internals::order::{GroupId, Rank};
use runahead::internals::provider::threads::{Frame, ThreadsNic, connect};
use runahead::internals::verbs::{
    Completion, Cq, Nic, PeerState, PostError, SharedWords, VerbsError, Vi, WakeOn,
};
use runahead::launch::Launch;
use runahead::{Comm, Config};

use super::turns::Turns;

/// What the first message of a collective on an edge begins with.
pub type CallWord = [u8; 24];

/// A planted fault of a rank's network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    #[default]
    None,
    /// No fault: control frames are found some polls later.
    SlowControl,
    /// A signal does not leave while its receiver has data of this rank that it has not consumed.
    SignalsLeaveBehindData,
    /// A signal is not seen while there is data of its sender that was not consumed.
    SignalsArriveBehindData,
    /// No signal is seen while the rank is in a call marked with [`Shared::in_call`].
    DeafInCalls,
    /// What the rank says of its end is lost.
    SilentEnd,
    /// It says that it has initiated one barrier less than it has.
    EndsTooLow,
    /// It says that it has initiated one barrier more.
    EndsTooHigh,
    /// Nobody's interface is seen closed.
    SeesNobodyGo,
    /// It answers that it has entered one barrier less than it has.
    AnswersTooLow,
    /// It answers what it would have answered the last time.
    AnswersLate,
    /// It answers that it is in a send to itself where it is in a barrier, and in one where it is not.
    AnswersElsewhere,
    /// What it sends in a group goes to the world.
    GroupIgnored,
    /// What it sends to make a group goes to its program's messages.
    LaneIgnored,
    /// It says that its next group may get the id of its first.
    OffersOldIds,
    /// It wakes nobody whose room it needs.
    NeverRings,
    /// Nobody learns of the room that it has made while it is in a call marked with
    /// [`Shared::in_call`].
    KeepsRoom,
    /// Its data begins with this, the first word of a collective, and carries this tag.
    Word(u32, CallWord),
}

/// What all networks of a job share.
pub struct Shared {
    pub turns: Arc<Turns>,
    size: usize,
    /// Messages from one rank to another that were sent and not consumed.
    under_way: Vec<AtomicUsize>,
    /// Whether a rank is in a call in which [`Fault::DeafInCalls`] is deaf.
    pub in_call: Vec<AtomicBool>,
    /// The tag of the last data frame of each rank, and what it begins with.
    pub words: Vec<Mutex<(u32, CallWord)>>,
}

/// One rank's network.
pub struct Wired {
    inner: ThreadsNic,
    shared: Arc<Shared>,
    fault: Fault,
    last_answer: (u64, Activity),
    /// The messages that it has consumed, as each peer was told last.
    told: Vec<u16>,
    /// What has come on each queue and was looked at before it was polled.
    here: [VecDeque<Completion<Frame>>; QUEUES as usize],
    /// Control frames on their way, and the polls until the first of them is found.
    late: VecDeque<Completion<Frame>>,
    polls: u32,
}

/// How a job went.
pub struct Outcome<T> {
    /// What each rank returned; where the job is stuck, some may be missing.
    pub values: Vec<T>,
    /// Whether nobody could go on any more.
    pub stuck: bool,
    pub shared: Arc<Shared>,
}

/// Runs `program` at all ranks by turns.
pub fn run<T: Send>(
    config: &Config,
    size: usize,
    seed: u64,
    fault: impl Fn(Rank) -> Fault,
    program: impl Fn(Comm<Wired>, &Shared) -> T + Sync,
) -> Outcome<T> {
    let values: Vec<_> = (0..size).map(|_| Mutex::new(None)).collect();
    let faults = (0..size).map(fault).collect();
    // Compiled once, and not for each program.
    let shared = run_untyped(config, seed, faults, &|rank, comm, shared| {
        let value = program(comm, shared);
        *values[rank].lock().unwrap() = Some(value);
    });
    let values = values.into_iter().filter_map(|value| value.into_inner().unwrap()).collect();
    Outcome { values, stuck: shared.turns.is_stuck(), shared }
}

/// The core that all ranks of a job run on: one that passes its turn on need not wake another core,
/// which takes most of the time otherwise.
#[derive(Clone, Copy)]
struct Core(#[cfg(target_os = "linux")] usize);

impl Core {
    fn current() -> Core {
        Core(
            #[cfg(target_os = "linux")]
            rustix::thread::sched_getcpu(),
        )
    }

    /// Keeps the calling thread there, if the system lets it.
    fn keep(self) {
        #[cfg(target_os = "linux")]
        {
            let mut cores = rustix::thread::CpuSet::new();
            cores.set(self.0);
            let _ = rustix::thread::sched_setaffinity(None, &cores);
        }
    }
}

fn run_untyped(
    config: &Config,
    seed: u64,
    faults: Vec<Fault>,
    program: &(dyn Fn(Rank, Comm<Wired>, &Shared) + Sync),
) -> Arc<Shared> {
    let size = faults.len();
    let fabric = Launch::new(size).options(config.clone()).fabric().unwrap();
    let nics = connect(size, &fabric).unwrap();
    let shared = Arc::new(Shared {
        turns: Turns::new(size, seed),
        size,
        under_way: (0..size * size).map(|_| AtomicUsize::new(0)).collect(),
        in_call: (0..size).map(|_| AtomicBool::new(false)).collect(),
        words: (0..size).map(|_| Mutex::default()).collect(),
    });
    let core = Core::current();
    std::thread::scope(|scope| {
        let ranks = nics.into_iter().zip(faults).enumerate().map(|(rank, (inner, fault))| {
            let shared = &shared;
            let shared_too = Arc::clone(shared);
            let last_answer = (0, Activity::Nothing);
            let (late, polls) = (VecDeque::new(), 0);
            let (told, here) = (vec![0; size], Default::default());
            let wired =
                Wired { inner, shared: shared_too, fault, last_answer, told, here, late, polls };
            scope.spawn(move || {
                core.keep();
                let _seated = shared.turns.begin(rank);
                program(rank, Comm::new(wired, config.clone()).unwrap(), shared)
            })
        });
        let ranks: Vec<_> = ranks.collect();
        for rank in ranks {
            match rank.join() {
                // Where nobody can go on, a call that never returns is broken off by a panic.
                Err(panic) if !shared.turns.is_stuck() => std::panic::resume_unwind(panic),
                _ => {}
            }
        }
    });
    shared
}

/// The sizes that leave the least room, and ranks that sleep at once.
pub fn tight(size: usize) -> Config {
    Config {
        window_messages: 1,
        signal_window: 1,
        bulk_window: 1,
        eager_bytes: 16,
        segment_bytes: 16,
        notify: runahead::internals::message::Notify::Block,
        ..Config::new(size)
    }
}

impl Shared {
    fn under_way(&self, from: Rank, to: Rank) -> &AtomicUsize {
        &self.under_way[from * self.size + to]
    }
}

impl Wired {
    fn post_control(&mut self, vi: Vi, frame: &[u8]) -> Result<(), PostError> {
        let (mut control, mut returned) = Control::decode(frame).expect("the runtime's own frame");
        if self.fault == Fault::KeepsRoom
            && self.shared.in_call[self.rank()].load(Ordering::Relaxed)
        {
            returned.eager = self.told[vi.peer];
        }
        self.told[vi.peer] = returned.eager;
        match (&mut control, self.fault) {
            (Control::Closing { .. } | Control::Ended { .. }, Fault::SilentEnd) => return Ok(()),
            (Control::Closing { clock, .. }, Fault::EndsTooLow) => *clock = clock.saturating_sub(1),
            (Control::Closing { clock, .. }, Fault::EndsTooHigh) => *clock += 1,
            (Control::Answer { entered, .. }, Fault::AnswersTooLow) => {
                *entered = entered.saturating_sub(1);
            }
            (Control::Answer { activity, .. }, Fault::AnswersElsewhere) => {
                *activity = match *activity {
                    Activity::Barrier { .. } => Activity::Send { to: self.rank() },
                    _ => Activity::Barrier { group: GroupId::WORLD, epoch: 1 },
                }
            }
            (Control::Answer { entered, activity, .. }, Fault::AnswersLate) => {
                std::mem::swap(entered, &mut self.last_answer.0);
                std::mem::swap(activity, &mut self.last_answer.1);
            }
            _ => {}
        }
        self.inner.post_send(vi, &control.encode(returned), &[])
    }

    /// Whether a fault lets nothing of a queue be seen.
    fn is_deaf(&self, cq: Cq) -> bool {
        let rank = self.rank();
        // A job that is stuck is found out; its ranks are to come to their end.
        if cq != SIGNAL || self.shared.turns.is_stuck() {
            return false;
        }
        let mut data = (0..self.size()).map(|from| self.shared.under_way(from, rank));
        match self.fault {
            Fault::SignalsArriveBehindData => data.any(|n| n.load(Ordering::Relaxed) > 0),
            Fault::DeafInCalls => self.shared.in_call[rank].load(Ordering::Relaxed),
            _ => false,
        }
    }

    /// The next that has come on a queue.
    fn look(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        self.shared.turns.offer(self.rank());
        if self.is_deaf(cq) {
            return Ok(None);
        }
        if cq == CONTROL && self.fault == Fault::SlowControl {
            while let Some(frame) = self.inner.poll_recv(cq)? {
                self.late.push_back(frame);
            }
            self.polls += 1;
            // Nothing of a rank that has gone is late.
            let gone = |late: &Completion<Frame>| self.peer_state(late.peer) == PeerState::Gone;
            let is_due = self.polls.is_multiple_of(8) || self.late.iter().any(gone);
            return Ok(if is_due { self.late.pop_front() } else { None });
        }
        self.inner.poll_recv(cq)
    }

    fn post_data(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let (decoded, _) = Header::decode(&[header, payload].concat()).expect("its own frame");
        if let Some(word) = payload.first_chunk() {
            *self.shared.words[self.rank()].lock().unwrap() = (decoded.tag, *word);
        }
        match self.fault {
            Fault::Word(tag, word) if payload.len() >= word.len() => {
                let payload = [&word, &payload[word.len()..]].concat();
                self.inner.post_send(vi, &Header { tag, ..decoded }.encode(), &payload)
            }
            Fault::GroupIgnored | Fault::LaneIgnored => {
                let group = decoded.context.group();
                let program = Context::new(group, Lane::Program);
                let context = match self.fault {
                    Fault::LaneIgnored => program,
                    _ if decoded.context == program => Context::WORLD,
                    _ => decoded.context,
                };
                self.inner.post_send(vi, &Header { context, ..decoded }.encode(), payload)
            }
            Fault::OffersOldIds
                if decoded.context == Context::new(decoded.context.group(), Lane::Making) =>
            {
                // What it wants has that id behind the key, or, in what rank 0 tells all, it stands at the front.
                let mut payload = payload.to_vec();
                let at = if payload.first() == Some(&11) { 1..5 } else { 20..24 };
                if let Some(id) = payload.get_mut(at) {
                    id.copy_from_slice(&1u32.to_le_bytes());
                }
                self.inner.post_send(vi, header, &payload)
            }
            _ => self.inner.post_send(vi, header, payload),
        }
    }
}

impl Nic for Wired {
    type Frame = Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = Wired;
    type Multicast = runahead::internals::verbs::Absent;

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        self.shared.turns.offer(self.rank());
        let waits = self.shared.under_way(self.rank(), vi.peer).load(Ordering::Relaxed) > 0;
        if vi.cq == SIGNAL && waits && self.fault == Fault::SignalsLeaveBehindData {
            return Err(PostError::QueueFull(vi));
        }
        match vi.cq {
            CONTROL => self.post_control(vi, header)?,
            EAGER => {
                self.post_data(vi, header, payload)?;
                let under_way = self.shared.under_way(self.rank(), vi.peer);
                under_way.fetch_add(1, Ordering::Relaxed);
            }
            _ => self.inner.post_send(vi, header, payload)?,
        }
        self.shared.turns.tell_message(vi.peer, self.rank(), vi.cq);
        Ok(())
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        let deaf = self.is_deaf(cq);
        match (!deaf).then(|| self.here[usize::from(cq.0)].pop_front()).flatten() {
            None => self.look(cq),
            found => Ok(found),
        }
    }

    fn is_empty(&mut self, cq: Cq) -> bool {
        let Ok(found) = self.look(cq) else { return false };
        let deaf = self.is_deaf(cq);
        let here = &mut self.here[usize::from(cq.0)];
        here.extend(found);
        here.is_empty() || deaf
    }

    fn has_nothing_from(&mut self, vi: Vi) -> bool {
        let Ok(found) = self.look(vi.cq) else { return false };
        let deaf = self.is_deaf(vi.cq);
        let here = &mut self.here[usize::from(vi.cq.0)];
        here.extend(found);
        deaf || here.iter().all(|found| found.peer != vi.peer)
    }

    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        while let Ok(Some(found)) = self.look(vi.cq) {
            self.here[usize::from(vi.cq.0)].push_back(found);
        }
        let mut here = self.here[usize::from(vi.cq.0)].iter();
        let first = here.find(|found| found.peer == vi.peer)?;
        Some(self.inner.bytes(&first.frame))
    }

    fn take_peeked(&mut self, vi: Vi) {
        let here = &mut self.here[usize::from(vi.cq.0)];
        let at = here.iter().position(|found| found.peer == vi.peer).expect("it was shown");
        let taken = here.remove(at).expect("it is there");
        self.post_recv(vi, taken.frame);
    }

    fn post_recv(&mut self, vi: Vi, frame: Frame) {
        if vi.cq == EAGER {
            let under_way = self.shared.under_way(vi.peer, self.rank());
            under_way.fetch_sub(1, Ordering::Relaxed);
        }
        if vi.cq != BULK {
            self.shared.turns.tell(vi.peer);
        }
        self.inner.post_recv(vi, frame);
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        if ready(&|word| self.load(word)) {
            return;
        }
        let shared = Arc::clone(&self.shared);
        if !self.late.is_empty() || self.here.iter().any(|here| !here.is_empty()) {
            return shared.turns.offer(self.rank());
        }
        let woken = shared.turns.sleep_for(self.rank(), Some(wake_on), timeout);
        if !woken && !shared.turns.is_stuck() {
            // Nobody else runs, so nothing comes: it is the time limit that passes.
            self.inner.wait(timeout);
        }
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        match self.inner.peer_state(peer) {
            _ if self.shared.turns.is_stuck() => PeerState::Gone,
            _ if self.fault == Fault::SeesNobodyGo => PeerState::Connected,
            state => state,
        }
    }

    fn wake(&self, peer: Rank) {
        if self.fault != Fault::NeverRings {
            self.wake_many(std::iter::once(peer));
        }
    }

    fn wake_many(&self, peers: impl Iterator<Item = Rank>) {
        for peer in peers {
            self.shared.turns.tell(peer);
            self.inner.wake(peer);
        }
    }

    fn shared_words(&self) -> Option<&Wired> {
        Some(self)
    }

    forward!(attributes, open_vi, bytes);
}

impl SharedWords for Wired {
    fn count(&self) -> usize {
        self.inner.count()
    }

    fn load(&self, word: usize) -> u64 {
        self.shared.turns.offer(self.rank());
        self.inner.load(word)
    }

    fn store(&self, word: usize, value: u64) {
        self.inner.store(word, value);
        self.shared.turns.offer(self.rank());
    }
}

impl Drop for Wired {
    fn drop(&mut self) {
        // All learn that it has gone; none of them runs before it has.
        (0..self.inner.size()).for_each(|peer| self.shared.turns.tell(peer));
    }
}
