//! Ranks that exchange long parts with one that lies about offers, over real shared memory: what the others give each other
//! stays right, and where something of the liar is missing for good, its name is told.
//!
//! Keeps rules COL-10 and SAFE-1 of SEMANTICS.md.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use runahead::internals::message::{EAGER, Header};
use runahead::internals::provider::shm::{self, ShmNic};
use runahead::internals::verbs::{
    Absent, Nic, Offer, OfferOf, PostError, ReadPayload, RemoteBuffer, RemoteRead, RoomOf, Vi,
};
use runahead::{CollectiveError, Comm, Config, Error, Launch, MessageError, Notify, Rank, Result};

use crate::any_nic::AnyNic;

const SIZE: usize = 4;
const LIAR: Rank = 2;
const ROUNDS: usize = 4;

/// So many elements are offered.
const LONG: usize = 20_000;

/// The marks of a message that offers, in the header's element byte.
const OFFERS: u8 = 1 << 7 | 1 << 6;

/// What the liar has where nothing of its parts is.
static ELSEWHERE: [u32; LONG] = [u32::MAX; LONG];

#[derive(Clone, Copy, Debug)]
enum Lie {
    None,
    /// It accepts without reading.
    AcceptsUnread,
    /// It tells another place, by so much, or another number.
    Tells {
        address: fn(u64) -> u64,
        key: fn(u32) -> u32,
    },
    /// It says that what it offers was accepted, though it never made the offer, so it never sends it otherwise.
    NeverMade,
    /// It tells of each offer so many times.
    Floods(usize),
}

/// An interface of shared memory with lies.
struct Liar {
    inner: ShmNic,
    lie: Lie,
    /// Whether it lies by now.
    begins: Arc<AtomicBool>,
    /// How often it has lied.
    lies: Arc<AtomicUsize>,
}

impl Liar {
    /// The lie that is due.
    fn lie(&self) -> Lie {
        if self.begins.load(Ordering::Relaxed) { self.lie } else { Lie::None }
    }
}

impl Nic for Liar {
    type Frame = <ShmNic as Nic>::Frame;
    type RemoteRead = Liar;
    type RemoteWords = Absent;
    type SharedWords = <ShmNic as Nic>::SharedWords;
    type Multicast = Absent;

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let times = match (self.lie(), Header::decode(&[header, payload].concat())) {
            (Lie::Floods(times), Ok((header, _))) if vi.cq == EAGER && header.element == OFFERS => {
                times
            }
            _ => 1,
        };
        for _ in 1..times {
            // As far as there is room.
            self.lies.fetch_add(1, Ordering::Relaxed);
            let _ = self.inner.post_send(vi, header, payload);
        }
        self.inner.post_send(vi, header, payload)
    }

    fn remote_read(&mut self) -> Option<&mut Liar> {
        Some(self)
    }

    forward!(the_rest, poll_recv, peek_recv, is_empty);
}

/// An offer, and what is told of it.
struct Lying {
    inner: OfferOf<ShmNic>,
    buffer: RemoteBuffer,
    never_made: bool,
}

impl Offer for Lying {
    fn buffer(&self) -> RemoteBuffer {
        self.buffer
    }

    fn is_accepted(&self) -> bool {
        self.never_made || self.inner.is_accepted()
    }

    fn withdraw(self) -> bool {
        self.inner.withdraw() && !self.never_made
    }
}

impl RemoteRead for Liar {
    type Payload = ReadPayload<ShmNic>;
    type Offer = Lying;
    type Room = RoomOf<ShmNic>;

    forward!(exposed_reads);

    fn offer(&mut self, peer: Rank, payload: &[u8]) -> Option<Lying> {
        let inner = self.inner.offer(peer, payload)?;
        let RemoteBuffer { address, key } = inner.buffer();
        let lie = self.lie();
        let buffer = match lie {
            Lie::Tells { address: place, key: number } => {
                RemoteBuffer { address: place(address), key: number(key) }
            }
            Lie::NeverMade => RemoteBuffer { address, key: key.wrapping_add(1) },
            _ => inner.buffer(),
        };
        self.lies.fetch_add(usize::from(buffer != inner.buffer()), Ordering::Relaxed);
        Some(Lying { inner, buffer, never_made: matches!(lie, Lie::NeverMade) })
    }

    fn accept(&mut self, peer: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        match self.lie() {
            Lie::AcceptsUnread => {
                let is_accepted = self.inner.accept(peer, buffer, &mut []);
                self.lies.fetch_add(usize::from(is_accepted), Ordering::Relaxed);
                is_accepted
            }
            _ => self.inner.accept(peer, buffer, room),
        }
    }

    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, RoomOf<ShmNic>)> {
        self.inner.open_room(peer, payload, bytes)
    }

    fn room_behind(
        &mut self,
        peer: Rank,
        payload: &ReadPayload<ShmNic>,
        bytes: usize,
    ) -> Option<RoomOf<ShmNic>> {
        self.inner.room_behind(peer, payload, bytes)
    }

    fn close_room(&mut self, buffer: RemoteBuffer, room: RoomOf<ShmNic>) {
        self.inner.close_room(buffer, room);
    }
}

fn part(from: Rank, to: Rank, round: usize) -> Vec<u32> {
    let first = (from * 1_000_003 + to * 10_007 + round * 101) as u32;
    (first..first + LONG as u32).collect()
}

/// What a rank got in a call.
struct Round {
    blocks: Vec<u32>,
    outcome: Result<()>,
}

impl Round {
    fn block(&self, from: Rank) -> &[u32] {
        &self.blocks[from * LONG..][..LONG]
    }
}

/// Calls `all_to_all` and `all_gather` in turn. What was given changes after each call.
fn round(comm: &Comm<AnyNic>, me: Rank, members: &[Rank], round: usize) -> Round {
    let mut blocks = vec![0; members.len() * LONG];
    let outcome = match round % 2 {
        0 => {
            let mut given: Vec<u32> = members.iter().flat_map(|&to| part(me, to, round)).collect();
            let outcome = comm.all_to_all_into(&given, &mut blocks);
            given.fill(7);
            outcome
        }
        _ => {
            let mut given = part(me, 0, round);
            let outcome = comm.all_gather_into(&given, &mut blocks);
            given.fill(7);
            outcome
        }
    };
    Round { blocks, outcome }
}

/// What a rank is to get of another in a round.
fn given(from: Rank, to: Rank, round: usize) -> Vec<u32> {
    part(from, if round.is_multiple_of(2) { to } else { 0 }, round)
}

/// What became of a rank that does not lie.
struct Told {
    rank: Rank,
    rounds: Vec<Round>,
    /// What the honest ranks got of each other after that, if they still can.
    alone: Vec<Round>,
    accepted: u64,
}

/// The members of all calls but the last, and those of the last.
const ALL: [Rank; SIZE] = [0, 1, 2, 3];
const HONEST: [Rank; SIZE - 1] = [0, 1, 3];

/// How it is that all offer.
#[derive(Clone, Copy, Debug)]
enum Why {
    /// Their heaps have no room for what they give.
    NoRoom,
    /// Nobody wants their cores.
    HaveCores,
}

const WHY: [Why; 2] = [Why::NoRoom, Why::HaveCores];

/// Runs some rounds of all, and then some of those that do not lie; the liar ends after so many. Returns what became of the
/// others, and how many lies were told.
fn play(why: Why, lie: Lie, liar_rounds: usize) -> (Vec<Told>, usize) {
    let config = match why {
        Why::NoRoom => Config { heap_bytes: 1 << 20, ..Config::new(SIZE) },
        Why::HaveCores => Config { notify: Notify::SpinThenBlock, ..Config::new(SIZE) },
    };
    let fabric = Launch::new(SIZE).options(config.clone()).fabric().unwrap();
    let (tell, told) = channel();
    let lies = Arc::new(AtomicUsize::new(0));
    for (rank, inner) in shm::connect(SIZE, &fabric).unwrap().into_iter().enumerate() {
        let (config, tell, lies) = (config.clone(), tell.clone(), Arc::clone(&lies));
        thread::spawn(move || {
            let begins = Arc::new(AtomicBool::new(false));
            let is_flooded = matches!(lie, Lie::Floods(_));
            let lie = if rank == LIAR { lie } else { Lie::None };
            let nic = Liar { inner, lie, begins: Arc::clone(&begins), lies };
            let world = Comm::new(AnyNic::new(nic), config).unwrap();
            let honest = world.split(u32::from(rank == LIAR), 0).unwrap();
            // Each finds out whether it can read the others: nothing is offered before.
            round(&world, rank, &ALL, 0).outcome.unwrap();
            begins.store(true, Ordering::Relaxed);
            let mut rounds: Vec<Round> = Vec::new();
            let number_of_rounds = if rank == LIAR { liar_rounds } else { ROUNDS };
            while rounds.len() < number_of_rounds
                && rounds.last().is_none_or(|round| round.outcome.is_ok())
            {
                rounds.push(round(&world, rank, &ALL, rounds.len()));
            }
            // Who is told of other calls than its own ends, and the others miss it.
            let ends = rank == LIAR || is_flooded;
            let alone = if ends { 0 } else { ROUNDS };
            let alone = (0..alone).map(|number| round(&honest, rank, &HONEST, number)).collect();
            let accepted = world.stats().unwrap().offers_accepted;
            if rank != LIAR {
                tell.send(Told { rank, rounds, alone, accepted }).unwrap();
            }
        });
    }
    let next = || told.recv_timeout(Duration::from_secs(60)).expect("nobody hangs, or panics");
    let told = HONEST.map(|_| next());
    (told.into(), lies.load(Ordering::Relaxed))
}

impl Told {
    /// What those that do not lie have given this rank is right, in each call that has succeeded.
    fn others_are_right(&self) {
        for (members, rounds) in [(&ALL[..], &self.rounds), (&HONEST, &self.alone)] {
            let done = rounds.iter().enumerate().filter(|(_, round)| round.outcome.is_ok());
            for (number, round) in done {
                for (at, &from) in members.iter().enumerate().filter(|&(_, &from)| from != LIAR) {
                    let right = given(from, self.rank, number);
                    assert!(round.block(at) == right, "{from} to {} in {number}", self.rank);
                }
            }
        }
        assert!(self.alone.iter().all(|round| round.outcome.is_ok()));
    }
}

/// Plays where every call succeeds, and hands to `check` what the liar gave to each in each round: what it got, and what is
/// right.
fn all_succeed(lie: Lie, mut check: impl FnMut(&[u32], &[u32])) {
    WHY.into_iter().for_each(|why| all_succeed_where(why, lie, &mut check));
}

fn all_succeed_where(why: Why, lie: Lie, check: &mut impl FnMut(&[u32], &[u32])) {
    let (told, lies) = play(why, lie, ROUNDS);
    // One that is late may have read none.
    let accepted: u64 = told.iter().map(|told| told.accepted).sum();
    assert!(lies > 0 && accepted > 0, "{lie:?}");
    for told in told {
        told.others_are_right();
        assert_eq!((told.rounds.len(), told.alone.len()), (ROUNDS, ROUNDS), "{lie:?}");
        for (number, round) in told.rounds.iter().enumerate() {
            round.outcome.as_ref().unwrap_or_else(|error| panic!("{lie:?}: {error}"));
            check(round.block(LIAR), &given(LIAR, told.rank, number));
        }
    }
}

/// It lacks what it has not read, and nobody else does.
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn who_accepts_unread_harms_itself() {
    all_succeed(Lie::AcceptsUnread, |got, right| assert!(got == right));
}

/// What cannot be read there, or was not offered by that number, comes otherwise. (Planted: a receiver that takes for read what
/// was not.)
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn what_is_not_where_it_is_said_to_be_comes_otherwise() {
    let places: [fn(u64) -> u64; 6] =
        [|_| 0, |_| 8, |_| 1 << 46, |_| 1 << 63, |_| u64::MAX, |_| u64::MAX - 4095];
    for address in places {
        let lie = Lie::Tells { address, key: |key| key };
        all_succeed(lie, |got, right| assert!(got == right));
    }
    let numbers: [fn(u32) -> u32; 3] = [|_| 0, |key| key.wrapping_add(1), |key| !key];
    for key in numbers {
        let lie = Lie::Tells { address: |address| address, key };
        all_succeed(lie, |got, right| assert!(got == right));
    }
}

/// Whoever tells another place of its own memory gives what lies there, to those whom it tells that.
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn what_lies_at_a_wrong_place_is_what_the_liar_gives() {
    let lie = Lie::Tells { address: |_| ELSEWHERE.as_ptr().addr() as u64, key: |key| key };
    let mut wrong = 0;
    all_succeed(lie, |got, right| {
        wrong += usize::from(got == ELSEWHERE);
        assert!(got == right || got == ELSEWHERE);
    });
    assert!(wrong > 0);
}

/// A rank that waits for a part that was said to be offered, and never was, is told at the end of the liar whose it is. Those
/// that wait go on with each other. (Planted: a rank that withdraws, and sends nothing.)
/// SEMANTICS: COL-10, SAFE-1, END-2
#[test]
fn who_never_made_an_offer_is_named() {
    WHY.into_iter().for_each(never_made);
}

fn never_made(why: Why) {
    let (told, lies) = play(why, Lie::NeverMade, 1);
    assert!(lies > 0);
    for told in told {
        told.others_are_right();
        assert_eq!(told.alone.len(), ROUNDS);
        let lost = told.rounds.last().unwrap().outcome.as_ref().unwrap_err();
        assert!(
            matches!(
                lost,
                Error::Message(
                    MessageError::PeerEnded { rank: LIAR, .. }
                        | MessageError::PeerLost { rank: LIAR }
                )
            ),
            "{lost}"
        );
    }
}

/// One that tells of each offer again and again is named by those that notice, and keeps nobody for ever. Those that have
/// all when the second word comes get it in no later call. (Planted: a receiver that reads one part twice.)
/// SEMANTICS: COL-4, COL-10, SAFE-1
#[test]
fn who_tells_of_an_offer_again_is_named() {
    for (times, why) in [2, 3].into_iter().flat_map(|times| WHY.map(|why| (times, why))) {
        let (told, lies) = play(why, Lie::Floods(times), ROUNDS);
        assert!(lies > 0);
        let mut named = 0;
        let fails = |rank: Rank| {
            let of = told.iter().filter(|told| told.rank == rank);
            of.flat_map(|told| &told.rounds).any(|round| round.outcome.is_err())
        };
        for told in &told {
            told.others_are_right();
            match told.rounds.last().unwrap().outcome.as_ref() {
                Ok(()) => {}
                Err(Error::Collective(CollectiveError::Mismatch { from: LIAR, .. })) => named += 1,
                // One that was told so has ended.
                Err(Error::Message(
                    MessageError::PeerEnded { rank, .. } | MessageError::PeerLost { rank },
                )) => assert!(*rank == LIAR || fails(*rank), "{rank}"),
                Err(error) => panic!("{error}"),
            }
        }
        assert!(named > 0, "{times} times, {why:?}");
    }
}
