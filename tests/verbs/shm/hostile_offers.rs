//! A peer that lies about offers in the memory that ranks share: of their states, its process, its place and its lengths.
//! It harms its own pair: nothing of it is accepted but what can be read, and the other pairs stay right.
//!
//! Keeps rules COL-10 and SAFE-1 of SEMANTICS.md.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::channel;

use fastrand::Rng;
use runahead::internals::provider::shm::{Segment, ShmNic};
use runahead::internals::verbs::{Offer, OfferOf, RemoteBuffer, RemoteRead};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

use super::hostile::{SIZE, Scribbler, join};
use super::processes::{Process, inherited, say};

/// The rank that lies. Rank 0 meets it, and rank 2.
const LIAR: usize = 1;
const OTHER: usize = 2;

const PAGE: usize = 4096;

// What the words of a pair may say of an offer, below its number.
const STANDS: u64 = 1;
const ACCEPTED: u64 = 2;
const WITHDRAWN: u64 = 3;

/// It takes a while to read so much.
const WITHDRAWN_BYTES: usize = 1 << 20;

/// The three words in which a rank tells where it is.
#[derive(Clone, Copy)]
enum Tells {
    Process,
    Place,
    Random,
}

/// Ranks that have met, and where they have written what the liar changes.
struct Scene {
    nics: Vec<ShmNic>,
    scribbler: Scribbler,
    /// For each rank, where it tells its process; its place and its number follow.
    identities: Vec<usize>,
}

impl Scene {
    /// No rank has tried yet whether it can read another.
    fn new() -> Scene {
        let segment = Segment::create(SIZE).unwrap();
        let nics = join(&segment);
        let scribbler = Scribbler::new(&segment);
        let identities = identities(&scribbler);
        Scene { nics, scribbler, identities }
    }

    /// Each rank has found out that it can read each other.
    fn met() -> Scene {
        let mut scene = Scene::new();
        for _ in 0..2 {
            for (from, to) in [(0, LIAR), (LIAR, 0), (0, OTHER), (OTHER, 0)] {
                scene.nics[from].offer(to, &[1]);
            }
        }
        scene
    }

    fn told(&self, rank: usize, tells: Tells) -> usize {
        self.identities[rank] + 8 * tells as usize
    }

    /// Offers from one rank to another. Also returns where its state lies, which is the word that it has changed.
    fn offer(&mut self, from: usize, to: usize, payload: &[u8]) -> (OfferOf<ShmNic>, usize) {
        let before = self.scribbler.words();
        let offer = self.nics[from].offer(to, payload).expect("it can be read");
        let state = state(offer.buffer().key, STANDS);
        let after = self.scribbler.words();
        let mut changed = (0..after.len()).filter(|&at| before[at] != after[at]);
        let at = changed.next().expect("an offer changes a word");
        assert!(after[at] == state && changed.next().is_none());
        (offer, 8 * at)
    }

    /// Rank 2 reads what rank 0 offers, and the other way round.
    fn others_are_right(&mut self) {
        for (from, to) in [(0, OTHER), (OTHER, 0)] {
            let payload = payload_of(from);
            let offer = self.nics[from].offer(to, &payload).expect("it can be read");
            let mut room = vec![0; payload.len()];
            assert!(self.nics[to].accept(from, offer.buffer(), &mut room) && room == payload);
            assert!(offer.is_accepted() && !offer.withdraw());
        }
    }

    /// Whether rank 0 accepts this of the liar.
    fn accepts(&mut self, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        self.nics[0].accept(LIAR, buffer, room)
    }
}

/// Sets this when it is dropped, also by a panic.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Some pages, none of which is like another.
fn payload_of(rank: usize) -> Vec<u8> {
    let bytes: Vec<u8> = (0..251).map(|at| at + rank as u8).collect();
    bytes.repeat(100)
}

const fn state(number: u32, of: u64) -> u64 {
    (number as u64) << 32 | of
}

/// Where ranks tell their process: it is followed by the place of a number, and by that number.
fn identities(scribbler: &Scribbler) -> Vec<usize> {
    let (memory, own) = (File::open("/proc/self/mem").unwrap(), u64::from(std::process::id()));
    let is_one = |told: &[u64]| {
        let mut found = [0; 8];
        told[0] == own
            && memory.read_exact_at(&mut found, told[1]).is_ok()
            && u64::from_ne_bytes(found) == told[2]
    };
    let words = scribbler.words();
    let found: Vec<usize> = (0..words.len() - 2).filter(|&at| is_one(&words[at..])).collect();
    assert_eq!(found.len(), SIZE, "each rank tells its process once");
    found.into_iter().map(|at| 8 * at).collect()
}

/// Of an offer there is one word that says that it was accepted. By any other the sender has its payload back, and sends it
/// otherwise. (Planted: an offer of any number that counts as accepted; a state of any kind that does.)
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn a_wrong_state_is_not_taken_for_an_accepted_offer() {
    type Wrong = fn(u32) -> u64;
    let wrong: [Wrong; 11] = [
        |_| 0,
        |_| u64::MAX,
        |number| state(number, 0),
        |number| state(number, 4),
        |number| state(number, u64::from(u32::MAX)),
        |number| state(number, WITHDRAWN),
        |number| state(number - 1, ACCEPTED),
        |number| state(number + 1, ACCEPTED),
        |number| state(number + 1, WITHDRAWN),
        |number| state(number + 1, STANDS),
        |_| state(0, STANDS),
    ];
    let payload = [7; 10_000];
    for wrong in wrong {
        let mut scene = Scene::met();
        let (offer, at) = scene.offer(0, LIAR, &payload);
        let number = offer.buffer().key;
        scene.scribbler.write(at, wrong(number));
        assert!(!offer.is_accepted(), "{:#x}", wrong(number));
        scene.others_are_right();
        assert!(offer.withdraw(), "{:#x}: it is to be sent otherwise", wrong(number));
        // One that seems to stand keeps this rank from offering: it sends otherwise.
        let stands = scene.scribbler.word(at) & u64::from(u32::MAX) == STANDS;
        assert_eq!(scene.nics[0].offer(LIAR, &payload).is_none(), stands, "{:#x}", wrong(number));
        scene.others_are_right();
    }
}

/// Who says that it has read what it has not lacks that itself. It can say so of one offer, and of none that was withdrawn
/// or is still to be made. (Planted: an offer that leaves in its pair what the peer has written there; offers of one number.)
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn what_was_accepted_unread_is_one_offer() {
    let payload = [7; 10_000];
    let mut scene = Scene::met();
    let (offer, at) = scene.offer(0, LIAR, &payload);
    let number = offer.buffer().key;
    scene.scribbler.write(at, state(number, ACCEPTED));
    assert!(offer.is_accepted() && !offer.withdraw());

    let (offer, _) = scene.offer(0, LIAR, &payload);
    assert!(!offer.is_accepted() && offer.withdraw(), "the one before was accepted");
    // First withdrawn, then accepted; and the next before it is made.
    for (early, next) in [(number + 1, number + 2), (number + 3, number + 3)] {
        scene.scribbler.write(at, state(early, ACCEPTED));
        let (offer, _) = scene.offer(0, LIAR, &payload);
        assert_eq!(offer.buffer().key, next);
        assert!(!offer.is_accepted() && offer.withdraw(), "{early} was accepted, of {next}");
    }
    scene.others_are_right();
}

/// Of one that is nobody, another process, or elsewhere, nothing is read, whether it says so from the start or later; nor is
/// anything offered to it by one who has found that out, except as it likes. (Planted: a process number cut to 32 bits; one
/// that is believed once its owner was read.)
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn nothing_is_read_of_who_is_another() {
    if inherited().is_some() {
        say("here");
        loop {
            std::thread::park();
        }
    }
    let test = "shm::hostile_offers::nothing_is_read_of_who_is_another";
    let mut process = Process::start(&Segment::create(SIZE).unwrap(), test);
    process.await_word("here");
    let (own, another) = (u64::from(std::process::id()), u64::from(process.id()));
    let payload = [7; 10_000];
    let lies: Vec<(Tells, u64)> = [
        [0, 1, another, own | 1 << 32, u64::from(u32::MAX), 1 << 31, u64::MAX]
            .map(|process| (Tells::Process, process))
            .to_vec(),
        [0, 8, 1 << 46, 1 << 63, u64::MAX, u64::MAX - 3]
            .map(|place| (Tells::Place, place))
            .to_vec(),
        [0, 1, u64::MAX].map(|random| (Tells::Random, random)).to_vec(),
    ]
    .concat();
    for (tells, lie) in lies {
        for is_late in [false, true] {
            let mut scene = if is_late { Scene::met() } else { Scene::new() };
            let at = scene.told(LIAR, tells);
            let truth = scene.scribbler.word(at);
            scene.scribbler.write(at, lie);
            // It offers what is there, and in the right way.
            scene.nics[0].offer(LIAR, &payload);
            let offer = scene.nics[LIAR].offer(0, &payload);
            assert_eq!(offer.is_some(), is_late, "{lie:#x}: it learns that it was read");
            let buffer = offer.as_ref().map_or(RemoteBuffer { address: 8, key: 1 }, Offer::buffer);
            assert!(!scene.accepts(buffer, &mut [0; 10_000]), "{lie:#x}");
            assert!(offer.is_none_or(Offer::withdraw), "{lie:#x}: it was not accepted");
            for _ in 0..2 {
                scene.nics[OTHER].offer(0, &[1]);
                scene.nics[0].offer(OTHER, &[1]);
            }
            scene.others_are_right();
            scene.scribbler.write(at, truth);
        }
    }
    process.kill();
}

/// A part is read whole, or not at all, whatever length it is said to have. (Planted: a read that is content with some.)
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn what_is_not_there_in_full_is_not_accepted() {
    // SAFETY: a new mapping, of which nothing is borrowed.
    let page = unsafe {
        let two = mmap_anonymous(
            std::ptr::null_mut(),
            2 * PAGE,
            ProtFlags::READ | ProtFlags::WRITE,
            MapFlags::PRIVATE,
        );
        let two = two.unwrap();
        // It cannot be read, and nobody maps anything else there.
        mprotect(two.byte_add(PAGE), PAGE, MprotectFlags::empty()).unwrap();
        two
    };
    let mut scene = Scene::met();
    let there = page.addr() as u64;
    for (address, len) in [
        (there, PAGE + 1),
        (there, 1 << 20),
        (there + PAGE as u64 - 1, 2),
        (there + PAGE as u64, 1),
        (8, 1),
        (u64::MAX, 1),
        (u64::MAX - 4095, 8192),
    ] {
        let (offer, _) = scene.offer(LIAR, 0, &[1]);
        let lie = RemoteBuffer { address, ..offer.buffer() };
        assert!(!scene.accepts(lie, &mut vec![0; len]), "{len} bytes at {address:#x}");
        assert!(!offer.is_accepted());
        // It is the lie that is not accepted.
        let whole = RemoteBuffer { address: there, ..lie };
        assert!(scene.accepts(whole, &mut [1; PAGE]) && offer.is_accepted());
        scene.others_are_right();
    }
    // SAFETY: it was mapped above, and nothing of it is borrowed.
    unsafe { munmap(page, 2 * PAGE).unwrap() };
}

/// An offer that the state of its pair does not tell of was not made, or is none any more. (Planted: a receiver
/// that neither looks whether it stands nor whether it could accept.)
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn what_was_never_offered_is_not_accepted() {
    let mut scene = Scene::met();
    let payload = [7; 10_000];
    let mut room = [0; 10_000];
    let (offer, at) = scene.offer(LIAR, 0, &payload);
    let RemoteBuffer { address, key } = offer.buffer();
    for made_up in [0, key - 1, key + 1, key ^ 1 << 31, u32::MAX] {
        assert!(!scene.accepts(RemoteBuffer { address, key: made_up }, &mut room), "{made_up}");
    }
    for told in [0, state(key, 0), state(key, ACCEPTED), state(key, WITHDRAWN), u64::MAX] {
        scene.scribbler.write(at, told);
        assert!(!scene.accepts(offer.buffer(), &mut room), "{told:#x}");
        assert_eq!(scene.scribbler.word(at), told, "it is left as it was");
    }
    // One pair tells of nothing in another.
    assert!(!scene.nics[OTHER].accept(LIAR, offer.buffer(), &mut room));
    scene.others_are_right();
}

/// One who writes all the time what it likes into the words of its pairs, and of where it is, gets some offers or none; each
/// is whole that is accepted, and the others get theirs. (Planted: a receiver that takes for read what could not be.)
/// SEMANTICS: COL-10, SAFE-1
#[test]
fn a_flood_of_states_harms_no_other_pair() {
    let mut scene = Scene::met();
    let payload = payload_of(LIAR);
    let (to, from) = (scene.offer(0, LIAR, &payload).1, scene.offer(LIAR, 0, &payload).1);
    let words = [to, to + 8, from, from + 8, scene.told(LIAR, Tells::Process)];
    let truths = words.map(|at| scene.scribbler.word(at));
    let is_over = AtomicBool::new(false);
    let rounds = AtomicU32::new(0);
    let flooding = scene.scribbler.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut dice = Rng::with_seed(5);
            while !is_over.load(Ordering::Relaxed) {
                // Now and then an offer stands for a whole round of the receiver, however the two are scheduled.
                if dice.usize(..8) == 0 {
                    let number = flooding.word(from) >> 32;
                    flooding.write(words[4], truths[4]);
                    flooding.write(from, state(number as u32, STANDS));
                    let now = rounds.load(Ordering::Relaxed);
                    let is_next = || rounds.load(Ordering::Relaxed).wrapping_sub(now) >= 2;
                    while !is_next() && !is_over.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                }
                let which = dice.usize(..words.len());
                let number = flooding.word(words[which]) >> 32;
                let word = match dice.usize(..6) {
                    0 => truths[which],
                    1 => dice.u64(..),
                    of => state((number + dice.u64(..2)) as u32, of as u64 - 1),
                };
                flooding.write(words[which], word);
                // So that some stand for a while.
                (0..dice.usize(..4000)).for_each(|_| std::hint::spin_loop());
            }
        });
        // Where this fails, the flood ends too.
        let ends = Ends(&is_over);
        let (mut made, mut accepted) = (0, 0);
        for _ in 0..200_000 {
            rounds.fetch_add(1, Ordering::Relaxed);
            if made >= 300 && accepted >= 30 {
                break;
            }
            let mut room = vec![0; payload.len()];
            if let Some(offer) = scene.nics[0].offer(LIAR, &payload) {
                made += 1;
                offer.withdraw();
            }
            // It may be what seems to stand just now.
            let key = (scene.scribbler.word(from) >> 32) as u32;
            let buffer = RemoteBuffer { address: payload.as_ptr().addr() as u64, key };
            if scene.accepts(buffer, &mut room) {
                accepted += 1;
                assert!(room == payload, "all of it was read");
            }
            scene.others_are_right();
        }
        drop(ends);
        assert!(made >= 300 && accepted >= 30, "{made} offers, {accepted} accepted");
    });
}

/// A sender that withdraws may change its payload at once, also where the receiver is reading: one that has read then does not
/// use it. (Planted: a receiver that does not ask whether it could accept.)
/// SEMANTICS: COL-10
#[test]
fn what_is_withdrawn_while_it_is_read_is_not_used() {
    let Scene { mut nics, .. } = Scene::met();
    let (mut there, mut here) = (nics.remove(OTHER), nics.remove(0));
    let (tell, told) = channel();
    let (answer, answered) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (mut room, mut right) = (vec![0; WITHDRAWN_BYTES], vec![0; WITHDRAWN_BYTES]);
            for (buffer, byte) in told {
                right.fill(byte);
                let is_accepted = there.accept(0, buffer, &mut room);
                assert!(!is_accepted || room == right);
                answer.send(is_accepted).unwrap();
            }
        });
        let (mut payload, mut dice) = (vec![0; WITHDRAWN_BYTES], Rng::with_seed(3));
        let mut counts = [0; 2];
        // Until both have come about: how often either does hangs on the machine.
        for round in 0..100_000_u32 {
            if counts.iter().all(|&count| count >= 100) && round >= 2000 {
                break;
            }
            let byte = (round % 250) as u8 + 1;
            payload.fill(byte);
            let offer = here.offer(OTHER, &payload).expect("the last one is done");
            tell.send((offer.buffer(), byte)).unwrap();
            let most = 1 << dice.u32(4..14);
            (0..dice.u32(..most)).for_each(|_| std::hint::spin_loop());
            let is_withdrawn = offer.withdraw();
            payload.fill(u8::MAX);
            assert_eq!(answered.recv().unwrap(), !is_withdrawn, "one of the two");
            counts[usize::from(is_withdrawn)] += 1;
        }
        assert!(counts.iter().all(|&count| count >= 100), "{counts:?}");
        drop(tell);
    });
}
