//! Nonblocking collectives of bytes between two ranks that share memory and can read each other's, whose long data stay as they are
//! until the call is over: they are read where they lie, and are the program's again when it is.

use std::ops::Range;

use runahead::internals::collective::Kind;
use runahead::internals::collective::posted::{Assembly, Given, Records, Sealed};
use runahead::internals::message::{Envelope, Lane};
use runahead::{
    CollectiveError, CollectiveRequest, Comm, Config, Error, Notify, Pending, Rank, Result,
};

use super::{settle_all, worlds_that_lend};

/// Long enough to be lent, and not a whole number of pages.
const LONG: usize = (200 << 10) + 5;

/// A rank of the two gives this to all.
const ALL: Range<Rank> = 0..2;

/// One place for what comes of the other rank, and one of its own before or behind it.
struct Places<'d> {
    room: &'d mut [u8],
    /// Whether the place is handed out before something comes.
    has_room: bool,
    /// What came was there already.
    in_room: bool,
}

impl<'d> Places<'d> {
    fn new(room: &'d mut [u8]) -> Places<'d> {
        Places { room, has_room: true, in_room: false }
    }
}

impl Sealed for Places<'_> {}

impl Assembly for Places<'_> {
    /// Whether it was there already.
    type Output = bool;

    fn expected_bytes(&self, _: Rank) -> Option<usize> {
        Some(self.room.len())
    }

    fn take_own(&mut self) {}

    fn take(&mut self, payload: &[u8]) {
        self.room.copy_from_slice(payload);
    }

    fn room(&mut self, _: usize, above_bytes: usize) -> Option<*mut [u8]> {
        let has_room = self.has_room && self.room.len() > above_bytes;
        has_room.then_some(std::ptr::from_mut(self.room))
    }

    fn take_in_room(&mut self) {
        self.in_room = true;
    }

    fn finish(self) -> bool {
        self.in_room
    }
}

type Request<'d> = CollectiveRequest<Places<'d>>;

/// Two worlds that have found out that each can read the other.
fn pair(heap_bytes: usize) -> Vec<Comm> {
    pair_that(heap_bytes, Notify::Adaptive)
}

/// The same, whose ranks wait so.
fn pair_that(heap_bytes: usize, notify: Notify) -> Vec<Comm> {
    worlds_that_lend(2, &Config { heap_bytes, notify, eager_bytes: 4096, ..Config::new(2) })
}

fn bytes(seed: usize) -> Vec<u8> {
    (0..LONG).map(|at| ((at + 17 * seed) % 251) as u8).collect()
}

/// Calls a collective without a root but 0. What is given stays, if it is said so.
fn post<'d>(
    comm: &Comm,
    kind: Kind,
    (given, stays): (Given<'_>, bool),
    from: Option<(Rank, usize)>,
    room: &'d mut [u8],
) -> Result<Option<Request<'d>>> {
    let (from, places) = (from.unwrap_or((0, 0)), Places::new(room));
    // SAFETY: each test leaves it alone until the request is over.
    unsafe { comm.post_bytes((kind, 0), (0, ""), (given, stays), from, places, &Records::new()) }
}

/// Rank 0 broadcasts what stays.
fn lend<'d>(comm: &Comm, payload: &[u8], nothing: &'d mut [u8]) -> Request<'d> {
    let given = (Given::Same(ALL, payload), true);
    let request = post(comm, Kind::Ibroadcast, given, None, nothing);
    request.unwrap().expect("it has yet to be read")
}

/// Rank 1 takes what rank 0 broadcasts.
fn take<'d>(comm: &Comm, room: &'d mut [u8]) -> Request<'d> {
    let request = post(comm, Kind::Ibroadcast, (Given::Nothing, true), Some((0, 1)), room);
    request.unwrap().expect("it takes something")
}

fn fetched(comm: &Comm) -> u64 {
    comm.stats().unwrap().payloads_fetched
}

/// One copy, straight to its place, whether the receive or the message comes first. (Planted: a receive without a place; a
/// call that deposits all the same; one that takes what lies in its place for something else.)
/// SEMANTICS: COL-8, FLOW-4
#[test]
fn what_stays_is_read_where_it_lies() {
    let ranks = pair(4 << 20);
    for round in 0..6 {
        let (payload, mut room) = (bytes(round), vec![0; LONG]);
        let (given, taken) = match round % 2 {
            0 => (lend(&ranks[0], &payload, &mut []), take(&ranks[1], &mut room)),
            _ => {
                let taken = take(&ranks[1], &mut room);
                (lend(&ranks[0], &payload, &mut []), taken)
            }
        };
        assert!(taken.wait().unwrap(), "it was brought to its place");
        given.wait().unwrap();
        assert!(room == payload, "round {round}");
    }
    assert_eq!((fetched(&ranks[1]), ranks[0].stats().unwrap().deposits), (6, 0));
}

/// How a rank ends its call while nobody has read what it has lent.
#[derive(Clone, Copy, Debug)]
enum Ends {
    Waits,
    WaitsForAny,
    Looks,
    Drops,
}

/// It waits for nobody, and what it writes afterwards is not seen; also where there is no room for a copy that others see.
/// (Planted: a call that leaves its memory lent when it has waited, when it looks, or when it is dropped; one that sleeps until it
/// is read.)
/// SEMANTICS: COL-8, FLOW-4
#[test]
fn who_ends_its_call_has_its_memory_back() {
    for (heap_bytes, notify) in [4 << 20, 64 << 10]
        .into_iter()
        .flat_map(|heap_bytes| [Notify::Adaptive, Notify::Block].map(|it| (heap_bytes, it)))
    {
        for ends in [Ends::Waits, Ends::WaitsForAny, Ends::Looks, Ends::Drops] {
            let ranks = pair_that(heap_bytes, notify);
            for round in 0..3 {
                let (mut payload, mut room) = (bytes(round), vec![0; LONG]);
                let mut given = lend(&ranks[0], &payload, &mut []);
                match ends {
                    Ends::Waits => drop(given.wait().unwrap()),
                    Ends::WaitsForAny => {
                        ranks[0].wait_any(&[&given as &dyn Pending]).unwrap();
                        given.wait().unwrap();
                    }
                    Ends::Looks => {
                        while !given.test().unwrap() {}
                        given.wait().unwrap();
                    }
                    Ends::Drops => drop(given),
                }
                payload.fill(0xee);
                take(&ranks[1], &mut room).wait().unwrap();
                assert!(room == bytes(round), "{ends:?}, heap of {heap_bytes}, round {round}");
                settle_all(&ranks);
            }
            assert_eq!(ranks[0].stats().unwrap().sleeps, 0);
        }
    }
}

/// What may change at once is copied in the call, and so is what others combine, and what is short.
/// (Planted: all is lent.)
/// SEMANTICS: COL-8
#[test]
fn what_does_not_stay_is_copied_in_the_call() {
    let ranks = pair(4 << 20);
    let mut payload = bytes(1);
    for (kind, len, stays) in [
        (Kind::Ibroadcast, LONG, false),
        (Kind::Ireduce, LONG, true),
        (Kind::Ibroadcast, 100 << 10, true),
    ] {
        let mut room = vec![0; len];
        let (giver, taker) = if kind == Kind::Ireduce { (1, 0) } else { (0, 1) };
        let given = (Given::Same(ALL, &payload[..len]), stays);
        assert!(post(&ranks[giver], kind, given, None, &mut []).unwrap().is_none());
        payload.fill(0xee);
        let from = Some((giver, 1));
        let taken = post(&ranks[taker], kind, (Given::Nothing, true), from, &mut room);
        assert!(!taken.unwrap().expect("it takes something").wait().unwrap());
        assert!(room == bytes(1)[..len], "{kind}");
        payload = bytes(1);
        settle_all(&ranks);
    }
    assert_eq!(ranks.iter().map(fetched).sum::<u64>(), 0);
}

/// Each reads what the other has for it. (Planted: the part for itself is lent.)
/// SEMANTICS: COL-8, FLOW-4
#[test]
fn both_lend_in_an_exchange() {
    let ranks = pair(4 << 20);
    for (round, kind) in
        [Kind::IallGather, Kind::IallToAll, Kind::IallToAllV].into_iter().enumerate()
    {
        let of = |from: usize, to: usize| bytes(round + 3 * from + 5 * to);
        let all = [0, 1].map(|rank| [of(rank, 0), of(rank, 1)]);
        let blocks = [0, 1].map(|rank: usize| all[rank].concat());
        let parts = [0, 1].map(|rank: usize| [&*all[rank][0], &*all[rank][1]]);
        let mut rooms = [vec![0; LONG], vec![0; LONG]];
        let requests: Vec<_> = rooms
            .iter_mut()
            .enumerate()
            .map(|(rank, room)| {
                let given = match kind {
                    Kind::IallGather => Given::Same(ALL, &all[rank][0]),
                    Kind::IallToAll => Given::Blocks(&blocks[rank]),
                    _ => Given::Parts(&parts[rank]),
                };
                post(&ranks[rank], kind, (given, true), Some((0, 2)), room)
            })
            .collect();
        let mut requests: Vec<_> = requests.into_iter().map(|it| it.unwrap().unwrap()).collect();
        // In one thread none may wait for the other to look.
        settle_all(&ranks);
        while !requests.iter_mut().all(|request| request.test().unwrap()) {
            settle_all(&ranks);
        }
        requests.into_iter().for_each(|request| assert!(request.wait().unwrap(), "{kind}"));
        for (rank, room) in rooms.iter().enumerate() {
            let to = if kind == Kind::IallGather { 0 } else { rank };
            assert!(*room == of(1 - rank, to), "{kind} at {rank}");
        }
    }
    assert_eq!(ranks.iter().map(fetched).sum::<u64>(), 6);
}

/// Its place is the program's again, though the data come afterwards. (Planted: a receive that keeps its place.)
/// SEMANTICS: COL-8, FLOW-4
#[test]
fn a_call_that_is_dropped_writes_nothing() {
    let ranks = pair(4 << 20);
    for has_come in [false, true] {
        let (payload, mut room) = (bytes(2), vec![7; LONG]);
        let taken = take(&ranks[1], &mut room);
        let given = if has_come {
            let given = lend(&ranks[0], &payload, &mut []);
            drop(taken);
            given
        } else {
            drop(taken);
            room.fill(7);
            lend(&ranks[0], &payload, &mut [])
        };
        settle_all(&ranks);
        given.wait().unwrap();
        assert!(has_come || room.iter().all(|&byte| byte == 7));
        // The next call is as any other.
        let given = lend(&ranks[0], &payload, &mut []);
        assert!(take(&ranks[1], &mut room).wait().unwrap());
        given.wait().unwrap();
        assert!(room == payload);
        settle_all(&ranks);
    }
}

/// A peer that sends something else, of the right length, is named, and so is one of another length. (Planted: what was brought to
/// its place is not checked.)
/// SEMANTICS: COL-4, SAFE-1
#[test]
fn what_is_brought_to_its_place_is_checked() {
    // The word of a call, a piece, another call, and one byte less.
    let bare = |kind: Kind| 0x40 | kind as u8;
    for (element, len) in [
        (0x80, LONG),
        (0, LONG),
        (bare(Kind::IallGather), LONG),
        (bare(Kind::Ibroadcast), LONG - 1),
    ] {
        let ranks = pair(4 << 20);
        let (payload, mut room) = (bytes(2), vec![0; LONG]);
        let taken = take(&ranks[1], &mut room);
        let context = ranks[0].context_in(Lane::Collective);
        let envelope = Envelope { context, tag: 1, element };
        ranks[0]
            .with_engine(|engine| {
                // SAFETY: it lives until it has left, or the engine does not.
                unsafe { engine.post_send_lent(1, envelope, &payload[..len]) }
            })
            .unwrap()
            .unwrap();
        match taken.wait() {
            Err(Error::Collective(CollectiveError::Mismatch { from: 0, .. })) => {}
            other => panic!("{element:#x}, {len} bytes: {other:?}"),
        }
        drop(ranks);
    }
}

/// Where one rank has gone, the call fails, and what was lent to the others is the program's again all the same: they get it as it
/// was. (Planted: what was posted before the failure stays lent.)
/// SEMANTICS: COL-8, FLOW-4
#[test]
fn a_call_that_cannot_be_posted_has_its_memory_back() {
    let config = Config { heap_bytes: 4 << 20, eager_bytes: 4096, ..Config::new(3) };
    let mut ranks = worlds_that_lend(3, &config);
    let gone = ranks.pop().unwrap();
    gone.end(false).unwrap();
    settle_all(&ranks);
    let mut payload = bytes(3);
    let parts = [&*payload, &*payload, &*payload];
    let given = (Given::Parts(&parts), true);
    let failed = post(&ranks[0], Kind::Iscatter, given, None, &mut []);
    assert!(failed.is_err(), "one has ended");
    payload.fill(0xee);
    let mut room = vec![0; LONG];
    let taken = post(&ranks[1], Kind::Iscatter, (Given::Nothing, true), Some((0, 1)), &mut room);
    taken.unwrap().expect("it takes something").wait().unwrap();
    assert!(room == bytes(3));
}

/// After four payloads that were taken back before they were read, one is copied in the call. (Planted: what is taken back does not
/// count.)
/// SEMANTICS: FLOW-4
#[test]
fn who_does_not_come_in_time_is_lent_no_more() {
    let ranks = pair(4 << 20);
    let mut room = vec![0; LONG];
    for round in 0..5 {
        let payload = bytes(round);
        let given = (Given::Same(ALL, &payload), true);
        let given = post(&ranks[0], Kind::Ibroadcast, given, None, &mut []).unwrap();
        assert_eq!(given.is_some(), round < 4, "round {round}");
        drop(given);
        take(&ranks[1], &mut room).wait().unwrap();
        assert!(room == payload, "round {round}");
        settle_all(&ranks);
    }
    assert_eq!(fetched(&ranks[1]), 0);
}
