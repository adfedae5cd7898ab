//! How the suite gets a fabric: the providers under test, and helpers that all tests share.

use runahead::internals::order::Rank;
use runahead::internals::provider::fault::{Fault, FaultPlan};
#[cfg(target_os = "linux")]
use runahead::internals::provider::shm;
use runahead::internals::provider::threads::{
    FabricSpec, QueueSpec, ThreadsNic, connect_with_remote_read,
};
use runahead::internals::verbs::{
    Completion, Cq, Nic, PutMode, RegionKey, Reliability, RemoteWords, VerbsError, Vi, ViSpec,
};

/// The queue that tests send on; the other one is for their acknowledgements.
pub const DATA: Cq = Cq(0);
pub const ACKS: Cq = Cq(1);

/// The longest message in the suite, in bytes.
pub const MAX_BYTES: usize = 4000;

/// How often a test looks for something before it says that it does not come.
pub const LOOKS: usize = 100_000;

/// Something that makes fabrics.
pub trait Provider {
    type Nic: Nic;

    /// Whether what a rank has done is there for the others when the call returns; else soon after.
    const AT_ONCE: bool = true;

    /// Whether as many messages as a VI has descriptors wait in their sender where it has none
    /// left.
    const QUEUES: bool = false;

    /// Makes a fabric with one completion queue for each of `queues`, whose VIs are to be opened
    /// with at most that. No VI is open yet.
    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic>;
}

/// Ranks of this process on the network for threads, which read each other's payloads.
pub struct Threads;

impl Provider for Threads {
    type Nic = ThreadsNic;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<ThreadsNic> {
        connect_with_remote_read(size, &layout(queues), 1).unwrap()
    }
}

/// The layout of a fabric for VIs of these specifications.
pub fn layout(queues: &[ViSpec]) -> FabricSpec {
    let queues = queues.iter().map(|vi| QueueSpec {
        recv_descriptors: vi.recv_descriptors,
        descriptor_bytes: vi.descriptor_bytes,
    });
    FabricSpec { queues: queues.collect(), shared_words: 64, heap_bytes: 16 << 20 }
}

/// Ranks of this process on shared memory.
#[cfg(target_os = "linux")]
pub struct Shm;

#[cfg(target_os = "linux")]
impl Provider for Shm {
    type Nic = shm::ShmNic;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<shm::ShmNic> {
        shm::connect(size, &layout(queues)).unwrap()
    }
}

pub struct FaultyThreads(FaultPlan);

impl FaultyThreads {
    pub fn planning(plan: FaultPlan) -> Self {
        Self(plan)
    }

    pub fn delaying(seed: u64, max_delay_ticks: u32) -> Self {
        Self(FaultPlan { seed, max_delay_ticks, ..FaultPlan::default() })
    }
}

impl Provider for FaultyThreads {
    type Nic = Fault<ThreadsNic>;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        let nics = Threads.connect(size, queues).into_iter();
        nics.map(|nic| Fault::new(nic, self.0.clone())).collect()
    }
}

/// A reliable VI with `recv_descriptors`.
pub fn reliable(recv_descriptors: u32) -> ViSpec {
    let reliability = Reliability::ReliableDelivery;
    ViSpec { recv_descriptors, descriptor_bytes: MAX_BYTES, reliability }
}

/// The VIs between all ranks, on queues 0, 1 … as `queues` say.
pub fn open_all<N: Nic>(nics: &mut [N], queues: &[ViSpec]) {
    let size = nics.len();
    for (rank, nic) in nics.iter_mut().enumerate() {
        for peer in (0..size).filter(|peer| *peer != rank) {
            for (cq, spec) in (0..).map(Cq).zip(queues) {
                nic.open_vi(Vi { peer, cq }, spec).unwrap();
            }
        }
    }
}

/// `N` ranks with reliable VIs of `recv_descriptors` between them on both queues.
pub fn ranks<P: Provider, const N: usize>(provider: &P, recv_descriptors: u32) -> [P::Nic; N] {
    let queues = [reliable(recv_descriptors); 2];
    let mut nics = provider.connect(N, &queues);
    open_all(&mut nics, &queues);
    nics.try_into().unwrap_or_else(|nics: Vec<_>| panic!("{} ranks instead of {N}", nics.len()))
}

/// The VI to `peer` that tests send on.
pub fn to(peer: Rank) -> Vi {
    Vi { peer, cq: DATA }
}

/// The next message on `cq`, which must come.
pub fn next<N: Nic>(nic: &mut N, cq: Cq) -> Completion<N::Frame> {
    let mut looks = 0..LOOKS;
    let arrived = looks.find_map(|look| {
        pause(look);
        nic.poll_recv(cq).unwrap()
    });
    arrived.expect("a message arrives")
}

/// What passes between two looks in vain: nothing at first, and later some time, for what moves by
/// itself.
pub fn pause(looks: usize) {
    if looks > 1000 {
        std::thread::sleep(std::time::Duration::from_micros(100));
    }
}

/// Waits until something has happened that soon will; it must have happened already where a
/// provider does all at once.
pub fn await_what_was_done<P: Provider>(_: &P, has_happened: impl Fn() -> bool) {
    let looks = if P::AT_ONCE { 1 } else { LOOKS };
    let happened = (0..looks).any(|look| {
        pause(look);
        has_happened()
    });
    assert!(happened, "it has not happened");
}

/// Takes the next message on [`DATA`], which must come, and posts its descriptor again.
pub fn receive<N: Nic>(nic: &mut N) -> (Rank, Vec<u8>) {
    let Completion { peer, frame } = next(nic, DATA);
    let bytes = nic.bytes(&frame).to_vec();
    nic.post_recv(to(peer), frame);
    (peer, bytes)
}

/// Whether a network has remote words; if so it says so both ways.
pub fn has_words<N: Nic>(nic: &mut N) -> bool {
    let has = nic.remote_words().is_some();
    assert_eq!(nic.remote_words_mut().is_some(), has);
    has
}

/// The remote words of a network that has them.
pub fn words<N: Nic>(nic: &mut N) -> &mut N::RemoteWords {
    nic.remote_words_mut().expect("it has remote words")
}

/// A word of this rank's memory, which `writer` puts.
pub fn read<N: Nic>(nic: &N, writer: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError> {
    nic.remote_words().expect("it has remote words").read(writer, key, word)
}

/// Puts a word, waiting for room.
pub fn put<N: Nic>(
    nic: &mut N,
    peer: Rank,
    key: RegionKey,
    word: usize,
    value: u64,
    mode: PutMode,
) {
    while !words(nic).post_put(peer, key, word, value, mode).unwrap() {
        nic.wait(None);
    }
}
