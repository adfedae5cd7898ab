//! Ranks that combine large data for each other with one whose room has nonsense, over real shared memory: no call fails or
//! waits for it, and what comes of others is right.
//!
//! Keeps rules COL-11 and SAFE-1 of SEMANTICS.md.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use runahead::internals::collective::{Combining, Kind};
use runahead::internals::provider::shm::{self, ShmNic};
use runahead::internals::verbs::{
    Absent, Nic, ReadPayload, RemoteBuffer, RemoteRead, Room, RoomOf,
};
use runahead::{Comm, Config, Launch, Rank, Result, Tree};

use crate::any_nic::AnyNic;

const SIZE: usize = 4;
const LIAR: Rank = 1;
const HONEST: [Rank; SIZE - 1] = [0, 2, 3];

/// Some thirteen units.
const LONG: usize = 50_000;

/// Each call so often.
const ROUNDS: usize = 8;

/// What the room of the liar has in place of what it combines.
const NONSENSE: u32 = u32::MAX;

/// What the liar tells, from before its peers hear of its room: what it has claimed, and what it has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    /// It claims all units, and does none.
    Claims,
    /// It says that it has done all.
    Done,
    /// Other bits each time, of units that there are not too.
    Random,
}

impl Lie {
    fn words(self) -> [u64; 2] {
        match self {
            Lie::Claims => [u64::MAX, 0],
            Lie::Done => [0, u64::MAX],
            Lie::Random => [fastrand::u64(..), fastrand::u64(..)],
        }
    }
}

/// The room of a liar, or any room of an honest rank.
struct LyingRoom {
    inner: RoomOf<ShmNic>,
    lie: Option<Lie>,
}

impl LyingRoom {
    fn lie(&mut self, lie: Lie) {
        for (word, value) in lie.words().into_iter().enumerate() {
            self.inner.store(word, value);
        }
    }
}

impl Room for LyingRoom {
    fn load(&self, word: usize) -> u64 {
        self.inner.load(word)
    }

    fn store(&mut self, word: usize, value: u64) {
        match self.lie {
            Some(lie) => self.lie(lie),
            None => self.inner.store(word, value),
        }
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        if self.lie.is_none() {
            self.inner.write(at, bytes);
        }
    }

    fn read(&self, at: usize, into: &mut [u8]) {
        self.inner.read(at, into);
    }
}

/// An interface of shared memory whose own rooms have nonsense.
struct Liar {
    inner: ShmNic,
    lie: Option<Lie>,
    /// Whether rooms lie in areas, and not behind copies that are exposed.
    in_areas: bool,
    /// Whether it lies by now.
    begins: Arc<AtomicBool>,
}

impl Liar {
    /// A room of this rank.
    fn own(&self, inner: RoomOf<ShmNic>, bytes: usize) -> LyingRoom {
        let lie = self.lie.filter(|_| self.begins.load(Ordering::Relaxed));
        let mut room = LyingRoom { inner, lie };
        if let Some(lie) = lie {
            room.inner.write(0, &NONSENSE.to_ne_bytes().repeat(bytes / 4));
            room.lie(lie);
        }
        room
    }
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

impl RemoteRead for Liar {
    type Payload = ReadPayload<ShmNic>;
    type Offer = Absent;
    type Room = LyingRoom;

    forward!(exposed_reads);

    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, LyingRoom)> {
        let (buffer, inner) = self.inner.open_room(peer, payload, bytes)?;
        Some((buffer, self.own(inner, bytes)))
    }

    fn room_behind(
        &mut self,
        peer: Rank,
        payload: &ReadPayload<ShmNic>,
        bytes: usize,
    ) -> Option<LyingRoom> {
        let inner = self.inner.room_behind(peer, payload, bytes)?;
        let is_own = peer == self.rank();
        Some(if is_own { self.own(inner, bytes) } else { LyingRoom { inner, lie: None } })
    }

    fn open_area(&mut self, len: usize) -> Option<RemoteBuffer> {
        if self.in_areas { self.inner.open_area(len) } else { None }
    }

    forward!(areas);

    fn close_room(&mut self, buffer: RemoteBuffer, room: LyingRoom) {
        self.inner.close_room(buffer, room.inner);
    }
}

const KINDS: [Kind; 3] = [Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan];

fn element(rank: Rank, round: usize, at: usize) -> u32 {
    (rank * 1_000_003 + round * 10_007 + at) as u32
}

/// The sum of these ranks' elements, behind a first part.
fn sum(first: u32, ranks: &[Rank], round: usize, at: usize) -> u32 {
    ranks.iter().fold(first, |sum, &rank| sum.wrapping_add(element(rank, round, at)))
}

/// Makes a call, and counts what is wrong in its result. With a liar among its members, that is made with nonsense in the
/// place of what it has combined.
fn wrong_in(comm: &Comm<AnyNic>, me: Rank, members: &[Rank], round: usize) -> Result<usize> {
    let kind = KINDS[round % KINDS.len()];
    let given: Vec<u32> = (0..LONG).map(|at| element(me, round, at)).collect();
    assert_eq!(comm.combining(kind, Tree::Flat, size_of_val(&given[..])), Combining::Units);
    let add = |one: u32, other: u32| one.wrapping_add(other);
    let mut got = vec![0; LONG];
    match kind {
        Kind::AllReduce => comm.all_reduce_into(&given, &mut got, add)?,
        Kind::Scan => comm.scan_into(&given, &mut got, add)?,
        _ => comm.exclusive_scan_into(&given, &mut got, add)?,
    }
    let needed = |&&rank: &&Rank| match kind {
        Kind::AllReduce => true,
        Kind::Scan => rank <= me,
        _ => rank < me,
    };
    let needed: Vec<Rank> = members.iter().filter(needed).copied().collect();
    // A rank of a scan adds what is above the liar.
    let added = |&&rank: &&Rank| kind != Kind::AllReduce && rank > LIAR;
    let added: Vec<Rank> = needed.iter().filter(added).copied().collect();
    let is_wrong = |at: usize| got[at] != sum(0, &needed, round, at);
    let wrong: Vec<usize> = (0..LONG).filter(|&at| is_wrong(at)).collect();
    if !wrong.is_empty() {
        let is_harmed = members.contains(&LIAR) && me != LIAR;
        assert!(is_harmed && (kind == Kind::AllReduce || me > LIAR), "{kind} at {me}");
    }
    for &at in &wrong {
        assert_eq!(got[at], sum(NONSENSE, &added, round, at), "{kind} at {me}");
    }
    Ok(wrong.len())
}

/// How many elements were wrong at the honest ranks, and how many they might have read of the liar.
fn play(lie: Lie, in_areas: bool) -> (usize, usize) {
    let config = Config::new(SIZE);
    let fabric = Launch::new(SIZE).options(config.clone()).fabric().unwrap();
    let (tell, told) = channel();
    for (rank, inner) in shm::connect(SIZE, &fabric).unwrap().into_iter().enumerate() {
        let (config, tell) = (config.clone(), tell.clone());
        thread::spawn(move || {
            fastrand::seed(7);
            let begins = Arc::new(AtomicBool::new(false));
            let lie = (rank == LIAR).then_some(lie);
            let nic = Liar { inner, lie, in_areas, begins: Arc::clone(&begins) };
            let world = Comm::new(AnyNic::new(nic), config).unwrap();
            let honest = world.split(u32::from(rank == LIAR), 0).unwrap();
            let all: Vec<Rank> = (0..SIZE).collect();
            assert_eq!(wrong_in(&world, rank, &all, 0).expect("nobody lies"), 0);
            begins.store(true, Ordering::Relaxed);
            let mut counts = (0, 0);
            for round in 0..ROUNDS * KINDS.len() {
                let wrong = wrong_in(&world, rank, &all, round).expect("no call fails");
                let reads = rank > LIAR || KINDS[round % KINDS.len()] == Kind::AllReduce;
                counts = (counts.0 + wrong, counts.1 + if reads { LONG } else { 0 });
            }
            let stats = world.stats().unwrap();
            assert_eq!(stats.deposits > 0, in_areas);
            if rank == LIAR {
                return tell.send((0, 0)).unwrap();
            }
            for round in 0..KINDS.len() {
                assert_eq!(wrong_in(&honest, rank, &HONEST, round).expect("nobody lies"), 0);
            }
            tell.send(counts).unwrap();
        });
    }
    drop(tell);
    let next = |_| told.recv_timeout(Duration::from_secs(60)).expect("nobody hangs, or panics");
    (0..SIZE).map(next).fold((0, 0), |sums, counts| (sums.0 + counts.0, sums.1 + counts.1))
}

/// A claim binds nobody. (Planted: a rank that leaves alone what others have claimed.)
/// SEMANTICS: COL-11, SAFE-1
#[test]
fn who_claims_all_and_does_nothing_is_not_waited_for() {
    for in_areas in [false, true] {
        assert_eq!(play(Lie::Claims, in_areas).0, 0);
    }
}

/// Its peers copy all from it, as they would use false data. What they combine otherwise is right. (Planted: a rank that copies
/// from the beginning of a room.)
/// SEMANTICS: COL-11, SAFE-1
#[test]
fn who_says_falsely_that_it_has_done_all_spoils_what_others_have_of_it() {
    for in_areas in [false, true] {
        let (wrong, of) = play(Lie::Done, in_areas);
        assert_eq!(wrong, of);
    }
}

/// Whatever stands in its words, of units that are not there too. (Planted: a rank that believes in units behind the last.)
/// SEMANTICS: COL-11, SAFE-1
#[test]
fn random_words_are_no_panic_and_no_wait() {
    for in_areas in [false, true] {
        let (wrong, of) = play(Lie::Random, in_areas);
        assert!(0 < wrong && wrong < of, "{wrong} of {of}");
    }
}
