//! Collectives with a rank that says falsely where its data lie, over real shared memory: whoever reads them is told of it, or
//! finds other bytes of that rank's memory, and what others have is right.
//!
//! Keeps rules COL-9 and SAFE-1 of SEMANTICS.md.

use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use runahead::internals::provider::shm::{self, ShmNic};
use runahead::internals::verbs::{Absent, Nic, ReadPayload, RemoteBuffer, RemoteRead, RoomOf};
use runahead::{Comm, Config, Error, Launch, MessageError, Rank, ops};

use crate::any_nic::AnyNic;

const SIZE: usize = 3;
const LIAR: Rank = 1;

/// Above a slot, and below what is shared.
const COUNT: usize = 700;

/// An interface of shared memory that says of its areas that they lie elsewhere.
struct Liar {
    inner: ShmNic,
    /// What is added to each address. None if it has no areas.
    shift: Option<u64>,
}

impl Nic for Liar {
    type Frame = <ShmNic as Nic>::Frame;
    type RemoteRead = Liar;
    type RemoteWords = Absent;
    type SharedWords = <ShmNic as Nic>::SharedWords;
    type Multicast = Absent;

    fn remote_read(&mut self) -> Option<&mut Liar> {
        Some(self)
    }

    forward!(the_rest, post_send, poll_recv, peek_recv, is_empty);
}

impl Liar {
    fn truth(&self, told: RemoteBuffer) -> RemoteBuffer {
        RemoteBuffer { address: told.address.wrapping_sub(self.shift.unwrap_or(0)), ..told }
    }
}

impl RemoteRead for Liar {
    type Payload = ReadPayload<ShmNic>;
    type Offer = Absent;
    type Room = RoomOf<ShmNic>;

    forward!(exposed_reads);

    fn open_area(&mut self, len: usize) -> Option<RemoteBuffer> {
        let shift = self.shift?;
        let there = self.inner.open_area(len)?;
        Some(RemoteBuffer { address: there.address.wrapping_add(shift), ..there })
    }

    fn write_area(&mut self, told: RemoteBuffer, at: usize, bytes: &[u8]) {
        self.inner.write_area(self.truth(told), at, bytes);
    }

    forward!(find_in_area);

    fn close_area(&mut self, told: RemoteBuffer) {
        self.inner.close_area(self.truth(told));
    }
}

/// What the honest ranks have of a broadcast of the liar, and whether one without it is right afterwards.
fn play(shift: u64) -> Vec<Result<Vec<u64>, Error>> {
    let config = Config::new(SIZE);
    let fabric = Launch::new(SIZE).options(config.clone()).fabric().unwrap();
    let (tell, told) = channel();
    // A rank goes when all are done: it is not lost.
    let done = Arc::new(Barrier::new(SIZE));
    for (rank, inner) in shm::connect(SIZE, &fabric).unwrap().into_iter().enumerate() {
        let (config, tell, done) = (config.clone(), tell.clone(), done.clone());
        thread::spawn(move || {
            let nic = Liar { inner, shift: Some(if rank == LIAR { shift } else { 0 }) };
            let world = Comm::new(AnyNic::new(nic), config).unwrap();
            let honest = world.split(u32::from(rank == LIAR), 0).unwrap();
            let mut data = vec![if rank == LIAR { 7 } else { 0 }; COUNT];
            let got = world.broadcast(LIAR, &mut data);
            if rank == LIAR {
                got.unwrap();
                assert_eq!(world.stats().unwrap().deposits, 1);
                tell.send(None).unwrap();
                done.wait();
                return;
            }
            // Who has met a broken protocol says so in every call.
            if !matches!(got, Err(Error::Message(_))) {
                let ranks = honest.all_gather(&vec![rank as u64; COUNT]).unwrap();
                assert!(ranks[0] == vec![0; COUNT] && ranks[1] == vec![2; COUNT]);
            }
            tell.send(Some(got.map(|()| data))).unwrap();
            done.wait();
        });
    }
    drop(tell);
    let next = |_| told.recv_timeout(Duration::from_secs(60)).expect("nobody hangs, or panics");
    (0..SIZE).filter_map(next).collect()
}

/// (Planted: an address that is not checked; one at which no word may begin.)
/// SEMANTICS: COL-9, SAFE-1
#[test]
fn what_lies_nowhere_is_an_error_that_names_its_sender() {
    assert!(play(0).into_iter().all(|got| got.unwrap() == vec![7; COUNT]));
    let heap = Config::new(SIZE).heap_bytes as u64;
    for shift in [heap, heap - 64, 1 << 40, 1 << 63, u64::MAX - 63, 1, 4] {
        for got in play(shift) {
            let named =
                matches!(&got, Err(Error::Message(MessageError::Protocol { from: LIAR, .. })));
            assert!(named, "{shift:#x}: {got:?}");
        }
    }
}

/// It is as if the sender had given those. (What lies there begins with no word of the call.)
/// SEMANTICS: COL-4, SAFE-1
#[test]
fn what_lies_elsewhere_in_its_memory_is_some_bytes() {
    for shift in [8, 64, 4096, heap_end()] {
        for got in play(shift) {
            assert!(matches!(got, Err(Error::Collective(_))), "{shift:#x}: {got:?}");
        }
    }
}

/// From the first area to where there is just room for one more.
fn heap_end() -> u64 {
    (Config::new(SIZE).heap_bytes - 8192) as u64
}

/// What the honest ranks have of a reduction of so many elements that they share the work, where the liar goes by the larger of
/// these eager limits: it deposits all with its word, or sends it so. They have read an area before.
fn reduce(
    (has_areas, is_nonblocking): (bool, bool),
    [eager_bytes, larger_bytes]: [usize; 2],
    count: usize,
) -> Vec<Result<Vec<u64>, Error>> {
    const RANKS: usize = 4;
    let mut larger = Config::new(RANKS);
    larger.eager_bytes = larger_bytes;
    let fabric = Launch::new(RANKS).options(larger.clone()).fabric().unwrap();
    let (tell, told) = channel();
    let done = Arc::new(Barrier::new(RANKS));
    for (rank, inner) in shm::connect(RANKS, &fabric).unwrap().into_iter().enumerate() {
        let is_liar = rank == LIAR;
        let (mut config, tell, done) = (larger.clone(), tell.clone(), done.clone());
        if !is_liar {
            config.eager_bytes = eager_bytes;
        }
        thread::spawn(move || {
            let shift = (!is_liar || has_areas).then_some(0);
            let world = Comm::new(AnyNic::new(Liar { inner, shift }), config).unwrap();
            // What the liar sends too much of may come at any time.
            let got = world.split(u32::from(is_liar), 0).and_then(|honest| {
                let mut data = vec![if is_liar || rank == 0 { 7 } else { 0 }; COUNT];
                honest.broadcast(0, &mut data)?;
                assert!(data == vec![7; COUNT]);
                let given = vec![rank as u64; count];
                match is_nonblocking {
                    false => world.all_reduce(&given, ops::sum),
                    true => world.iall_reduce(&given, ops::sum).and_then(|it| it.wait()),
                }
            });
            // One that has failed goes at once: the others are told, and wait for it no more. The liar has given what it owes
            // where it has deposited that.
            let stays = (got.is_ok() || is_liar && has_areas).then_some(world);
            tell.send((!is_liar).then_some(got)).unwrap();
            done.wait();
            drop(stays);
        });
    }
    drop(tell);
    let next = |_| told.recv_timeout(Duration::from_secs(60)).expect("nobody hangs, or panics");
    (0..RANKS).filter_map(next).collect()
}

/// A rank takes what has come for what it is, or says what is wrong with it. (Planted: what lies in a slot is taken for what
/// lies in an area, and a panic then.)
/// SEMANTICS: COL-4, SAFE-1
#[test]
fn another_eager_limit_is_an_error_or_all_the_same() {
    let is_told =
        |got: &Result<_, Error>| matches!(got, Err(Error::Collective(_) | Error::Message(_)));
    let (shared, limits) = (3000, [8 << 10, 64 << 10]);
    for is_nonblocking in [false, true] {
        // All that is needed is there, but for a room. If the liar finds no place it sends too much instead.
        for got in reduce((true, is_nonblocking), limits, shared) {
            let is_right = got.as_ref().is_ok_and(|sums| *sums == [6; 3000]);
            assert!(is_right || is_told(&got), "{is_nonblocking}: {got:?}");
        }
        for got in reduce((false, is_nonblocking), limits, shared) {
            assert!(is_told(&got), "{is_nonblocking}: {got:?}");
        }
        // It has place in a slot.
        for got in reduce((true, is_nonblocking), [300, 64 << 10], 100) {
            assert!(is_told(&got), "{is_nonblocking}, in a slot: {got:?}");
        }
    }
}
