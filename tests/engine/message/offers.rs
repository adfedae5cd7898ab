//! Offers of long parts, to and from a peer that is written by the test: also of one that offers what it may not.

use std::sync::{Arc, Mutex};

use runahead::internals::message::{EAGER, Header, Kind, SIGNAL};
use runahead::internals::order::Rank;
use runahead::internals::verbs::RemoteBuffer;
use runahead::zerocopy::IntoBytes;
use runahead::{CollectiveError, Comm, Config, Error, MessageError, Result};

use super::scripted::{Script, Scripted};

/// So many elements are offered.
const LONG: usize = 10_000;

/// The marks of a message that begins a part, and of one that offers, in the header's element byte.
const BEGINS: u8 = 1 << 7;
const OFFERS: u8 = 1 << 6;

/// The length of the word behind the header, which begins with that of the part.
const WORD_BYTES: usize = 24;

/// Where the peer says that its part lies.
const THERE: RemoteBuffer = RemoteBuffer { address: 0x3000, key: 7 };

fn part(of: Rank) -> Vec<u32> {
    (0..LONG).map(|at| (of * LONG + at) as u32).collect()
}

fn world(size: usize, config: Config) -> (Comm<Scripted>, Arc<Mutex<Script>>) {
    let (nic, script) = Scripted::new(size);
    script.lock().unwrap().can_be_read = true;
    (Comm::new(nic, config).unwrap(), script)
}

/// Calls it into memory of the program, where parts have their places, and so are offered.
fn gather_into(world: &Comm<Scripted>) -> Result<Vec<u32>> {
    let mut all = vec![0; world.size() * LONG];
    world.all_gather_into(&part(0), &mut all)?;
    Ok(all)
}

/// Calls it without knowing how long the parts of others are.
fn gather(world: &Comm<Scripted>) -> Result<Vec<u32>> {
    Ok(world.all_gather(&part(0))?.into_data())
}

/// Combines elements by an operator that may call runahead, so that each piece is received first.
fn reduce(world: &Comm<Scripted>) -> Result<Vec<u32>> {
    world.all_reduce(&part(0), |a, b| a ^ b)
}

/// The header and the word of the peer's first message in an offering call: those of this rank, which calls the same.
fn own_beginning() -> (Header, Vec<u8>) {
    let (world, script) = world(2, Config::new(2));
    gather_into(&world).unwrap_err();
    let script = script.lock().unwrap();
    let (_, frame) = script.sent.iter().find(|(vi, _)| vi.cq == EAGER).expect("an offer was sent");
    let (header, payload) = Header::decode(frame).unwrap();
    assert_eq!((header.element, payload.len()), (BEGINS | OFFERS, WORD_BYTES + 12));
    (header, payload[..WORD_BYTES].to_vec())
}

/// A message of the peer with these marks, and after the word, if it begins a part of so many bytes, this.
fn message(marks: u8, part_bytes: usize, rest: &[u8]) -> Vec<u8> {
    let (header, mut payload) = own_beginning();
    payload[..8].copy_from_slice(&(part_bytes as u64).to_le_bytes());
    let payload = [if marks & BEGINS == 0 { &[] } else { &payload[..] }, rest].concat();
    let header = Header { element: marks, len: payload.len() as u64, ..header };
    [&header.encode()[..], &payload].concat()
}

/// Where the peer's part lies, as its message says it.
fn place() -> Vec<u8> {
    [&THERE.address.to_le_bytes()[..], &THERE.key.to_le_bytes()].concat()
}

fn arrive(script: &Mutex<Script>, polls: u32, frame: Vec<u8>) {
    let inboxes = &mut script.lock().unwrap().inboxes;
    inboxes[usize::from(EAGER.0)].push_back((polls, 1, frame));
}

/// A part that is offered is read, and its sender, which may sleep for that, is woken. (Planted: a rank that wakes
/// nobody.)
/// SEMANTICS: COL-10
#[test]
fn who_reads_a_part_wakes_its_sender() {
    let (world, script) = world(2, Config::new(2));
    script.lock().unwrap().memory.push((THERE, part(1).as_bytes().to_vec()));
    // So that this rank does not wait for a reader, for which it would wake that one.
    script.lock().unwrap().can_be_read = false;
    arrive(&script, 0, message(BEGINS | OFFERS, 4 * LONG, &place()));
    assert_eq!(gather_into(&world).unwrap(), [part(0), part(1)].concat());
    assert_eq!(script.lock().unwrap().wakes, [1]);
    assert_eq!(world.stats().unwrap().offers_accepted, 1);
}

/// A rank that has missed an offer withdraws its own before it waits for anything: else ranks could wait in a ring. Both
/// parts go in pieces then. (Planted: a rank that first waits until its own is read.)
/// SEMANTICS: COL-10
#[test]
fn who_misses_an_offer_withdraws_its_own_at_once() {
    let (world, script) = world(2, Config::new(2));
    arrive(&script, 0, message(BEGINS | OFFERS, 4 * LONG, &place()));
    for piece in part(1).chunks(1000) {
        arrive(&script, 50, message(0, 0, piece.as_bytes()));
    }
    assert_eq!(gather_into(&world).unwrap(), [part(0), part(1)].concat());
    let script = script.lock().unwrap();
    assert!(script.offers[0].is_withdrawn && script.offers[0].asked == 0, "{:?}", script.offers);
    assert_eq!(script.offers.len(), 1);
    let pieces = script.sent.iter().filter(|(vi, _)| vi.cq == EAGER).skip(1);
    let sent: Vec<u8> =
        pieces.flat_map(|(_, frame)| Header::decode(frame).unwrap().1.to_vec()).collect();
    assert_eq!(sent, part(0).as_bytes());
}

/// One that fails since a rank has gone withdraws what it offers to others, and leaves them that in pieces: they may need it
/// and not that rank. (Planted: a rank that leaves nothing.)
/// SEMANTICS: COL-10, END-2
#[test]
fn who_fails_leaves_the_others_their_parts() {
    let (world, script) = world(3, Config::new(3));
    script.lock().unwrap().left.push(2);
    arrive(&script, 0, message(BEGINS, 4 * LONG, part(1)[..1000].as_bytes()));
    for piece in part(1)[1000..].chunks(1000) {
        arrive(&script, 0, message(0, 0, piece.as_bytes()));
    }
    let lost = gather_into(&world).unwrap_err();
    assert!(matches!(lost, Error::Message(MessageError::PeerLost { rank: 2 })), "{lost}");
    let script = script.lock().unwrap();
    assert!(script.offers.iter().all(|offer| offer.is_withdrawn), "{:?}", script.offers);
    let frames = script.sent.iter().filter(|(vi, _)| vi.cq == EAGER && vi.peer == 1);
    // The first says where the part lies.
    let pieces = frames.skip(1).map(|(_, frame)| Header::decode(frame).unwrap().1);
    assert_eq!(pieces.collect::<Vec<_>>().concat(), part(0).as_bytes());
}

/// Nothing is offered, and nothing counted, that its receiver could not be told of. (Planted: an offer that is made before
/// it is known whether there is room for the message.)
/// SEMANTICS: COL-10
#[test]
fn nothing_is_offered_without_room_for_the_message() {
    let (world, script) = world(2, Config { window_messages: 1, ..Config::new(2) });
    world.send(1, 0, &[1u8]).unwrap();
    let lost = gather_into(&world).unwrap_err();
    assert!(matches!(lost, Error::Message(MessageError::PeerLost { rank: 1 })), "{lost}");
    assert_eq!(script.lock().unwrap().offers, []);
    assert_eq!(world.stats().unwrap().offers, 0);
    assert!(script.lock().unwrap().polls.contains(&SIGNAL), "it has looked");
}

/// What nobody may offer is told, and used by nobody. (Planted: an offer of an empty part that counts; a place of another
/// length; one where a piece is to come; one after all has come.)
/// SEMANTICS: COL-4, COL-10, SAFE-1
#[test]
fn what_a_peer_may_not_offer_is_told() {
    type Gather = fn(&Comm<Scripted>) -> Result<Vec<u32>>;
    type Messages<'m> = &'m [(u8, usize, &'m [u8])];
    let (begins, offers, all) = (BEGINS, BEGINS | OFFERS, 4 * LONG);
    let long = [place(), vec![0]].concat();
    let short = &place()[1..];
    let told: [(Gather, Messages<'_>, &str); 9] = [
        (gather_into, &[(offers, all, &long)], "offered 40000 bytes"),
        (gather_into, &[(offers, all, short)], "offered 40000 bytes"),
        (gather_into, &[(offers, all, &[])], "offered 40000 bytes"),
        (gather_into, &[(offers, all + 4, &place())], "10001 elements"),
        (gather, &[(offers, 0, &place())], "offered 0 bytes"),
        (gather, &[(offers, all + 1, &place())], "a piece of 0 bytes"),
        // A second one, and in place of a later piece, and when all has come.
        (gather_into, &[(offers, all, &place()), (offers, all, &place())], "a piece of 36 bytes"),
        (gather_into, &[(begins, all, &[1; 4]), (OFFERS, 0, &place())], "offered 39996 bytes"),
        (gather, &[(begins, 0, &[]), (OFFERS, 0, &place())], "offered 0 bytes"),
    ];
    for (case, (gather, messages, theirs)) in told.into_iter().enumerate() {
        // Of the third rank something is missing to the end.
        let (world, script) = world(3, Config::new(3));
        for &(marks, part_bytes, rest) in messages {
            arrive(&script, 0, message(marks, part_bytes, rest));
        }
        match gather(&world).unwrap_err() {
            Error::Collective(CollectiveError::Mismatch { from: 1, theirs: told, .. }) => {
                assert!(told.contains(theirs), "case {case}: {told}");
            }
            error => panic!("case {case}: {error}"),
        }
        assert_eq!(world.stats().unwrap().offers_accepted, 0, "case {case}");
    }
}

/// A long piece that does not belong where it comes, or has another length, is told, and put nowhere. (Planted: any length is
/// taken; any call.)
/// SEMANTICS: COL-4, SAFE-1
#[test]
fn a_long_piece_is_what_it_has_to_be() {
    // Payloads lie where this rank can read them, and no piece is sent without asking.
    let mut config = Config::new(2);
    config.eager_bytes = 512;
    let connect = || {
        let (nic, script) = Scripted::new(2);
        {
            let mut script = script.lock().unwrap();
            (script.read_from, script.copies) = (Some(4000), true);
        }
        (Comm::new(nic, config.clone()).unwrap(), script)
    };
    let beginning = {
        let (world, script) = connect();
        reduce(&world).unwrap_err();
        let script = script.lock().unwrap();
        let mut frames = script.sent.iter().filter(|(vi, _)| vi.cq == EAGER);
        frames.next().expect("its word was sent").1.clone()
    };
    let (header, word) = Header::decode(&beginning).unwrap();
    assert_eq!(header.element, BEGINS);
    // What follows what stands behind the word.
    let rest = (2 * LONG - (word.len() - WORD_BYTES)) as u64;
    let told = |bytes: u64| format!("a piece of {bytes} bytes");
    let request = Header { kind: Kind::Exposed, element: 0, transfer: 7, ..header };
    let there = [place(), vec![0; 4]].concat();
    let other = request.tag + 1;
    for (header, payload, theirs) in [
        (Header { len: rest - 4, ..request }, there.clone(), told(rest - 4)),
        (Header { len: rest + 4, ..request }, there.clone(), told(rest + 4)),
        (Header { len: rest, element: BEGINS, ..request }, there.clone(), told(rest)),
        (Header { kind: Kind::Eager, transfer: 0, len: 100, ..request }, vec![1; 100], told(100)),
        (
            Header { len: rest, tag: other, ..request },
            there.clone(),
            format!("its collective number {other}"),
        ),
    ] {
        let (world, script) = connect();
        let read = vec![1; header.len as usize];
        script.lock().unwrap().reads.push_back((0, 1, Some(read)));
        arrive(&script, 0, beginning.clone());
        arrive(&script, 0, [&header.encode()[..], &payload].concat());
        match reduce(&world).unwrap_err() {
            Error::Collective(CollectiveError::Mismatch { from: 1, theirs: told, .. }) => {
                assert!(told.contains(&theirs), "{theirs}: {told}");
            }
            error => panic!("{theirs}: {error}"),
        }
    }
}
