//! Copies that a rank keeps for a while, in memory that it keeps from one to the next: warm, so that a steady loop takes
//! no page of the system. What is idle goes back, when the rank sleeps or a copy ends.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.
//!
//! Malloc gives memory back when much of it is free, and takes it anew for the next copy. A new page costs as much as a copy of
//! it: 4 ranks that scanned 1 MiB each took up to 480 pages a call, and twice the time.

use std::sync::Arc;
use std::time::Duration;

use zerocopy::IntoBytes;

use crate::sys::copy::copy_bytes;
use crate::sys::lock::Lock;
use crate::sys::time::Instant;

/// The most that a rank keeps, in bytes, and the longest room.
const MOST_KEPT_BYTES: usize = 16 << 20;

/// A room in which no copy has lain for so long goes back.
const KEPT_FOR: Duration = Duration::from_secs(2);

/// What is shorter is no reason for malloc to give memory back.
pub const LEAST_WARM_BYTES: usize = 16 << 10;

/// Copies begin so far into their room. Long memory of malloc begins where the room does in its page, and a processor that reads one
/// while it writes to the other at the same place in a page takes them for one: 4 ranks that combined parts of 256 KiB
/// took 1.3 times as long.
const LEAD_BYTES: usize = 64;

/// A room that no copy has.
struct Room {
    words: Vec<u64>,
    /// Since when.
    since: Instant,
}

impl Room {
    fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}

/// Rooms that no copy has, the latest last.
#[derive(Default)]
pub(super) struct WarmMemory(Lock<Vec<Room>>);

impl WarmMemory {
    /// The shortest room in which so many words have place, or a new one. Anything stands in it.
    fn take(&self, words: usize) -> Vec<u64> {
        let kept = self.0.with(|rooms| {
            let fitting = (0..rooms.len()).filter(|&at| rooms[at].words.len() >= words);
            let shortest = fitting.min_by_key(|&at| rooms[at].words.len())?;
            Some(rooms.remove(shortest).words)
        });
        kept.unwrap_or_else(|| vec![0; words])
    }

    /// Keeps a room, and gives back for that what was not used for the longest time.
    fn keep(&self, words: Vec<u64>, now: Instant) {
        if size_of_val(&*words) > MOST_KEPT_BYTES {
            return;
        }
        self.0.with(|rooms| {
            rooms.push(Room { words, since: now });
            let mut bytes: usize = rooms.iter().map(Room::bytes).sum();
            rooms.retain(|room| {
                let stays = bytes <= MOST_KEPT_BYTES;
                bytes -= if stays { 0 } else { room.bytes() };
                stays
            });
        });
        self.give_back_idle(|| now);
    }

    /// Gives back the rooms in which no copy has lain for long.
    pub(super) fn give_back_idle(&self, now: impl FnOnce() -> Instant) {
        self.0.with(|rooms| {
            let Some(longest_idle) = rooms.first() else { return };
            let now = now();
            let is_idle = |room: &Room| now.saturating_since(room.since) >= KEPT_FOR;
            if is_idle(longest_idle) {
                rooms.retain(|room| !is_idle(room));
            }
        });
    }

    /// A copy of these bytes.
    pub(super) fn copy_of(self: &Arc<Self>, bytes: &[u8]) -> Copied {
        self.copy_behind(&[], bytes)
    }

    /// The same, with a copy of `head` before it.
    pub(super) fn copy_behind(self: &Arc<Self>, head: &[u8], bytes: &[u8]) -> Copied {
        let len = head.len() + bytes.len();
        if len < LEAST_WARM_BYTES {
            return Copied(Memory::Apart([head, bytes].concat()));
        }
        let room = self.take((LEAD_BYTES + len).div_ceil(size_of::<u64>()));
        let mut copied = InRoom { room, len, rooms: self.clone() };
        let bytes_there = &mut copied.room.as_mut_bytes()[LEAD_BYTES..][..len];
        let (head_place, place) = bytes_there.split_at_mut(head.len());
        copy_bytes(head, head_place);
        copy_bytes(bytes, place);
        Copied(Memory::InRoom(copied))
    }
}

/// A copy of some bytes, aligned for 8 if they are many.
pub struct Copied(Memory);

enum Memory {
    Apart(Vec<u8>),
    InRoom(InRoom),
}

/// So many bytes of a room that goes back when this is dropped.
struct InRoom {
    room: Vec<u64>,
    len: usize,
    rooms: Arc<WarmMemory>,
}

impl Drop for InRoom {
    fn drop(&mut self) {
        self.rooms.keep(std::mem::take(&mut self.room), Instant::now());
    }
}

impl Copied {
    /// Of nothing.
    pub(super) const NONE: Copied = Copied(Memory::Apart(Vec::new()));

    /// Of these bytes, in memory of its own.
    pub(super) fn apart(bytes: &[u8]) -> Copied {
        Copied(Memory::Apart(bytes.to_vec()))
    }
}

impl AsRef<[u8]> for Copied {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Memory::Apart(bytes) => bytes,
            Memory::InRoom(InRoom { room, len, .. }) => &room.as_bytes()[LEAD_BYTES..][..*len],
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn kept(rooms: &WarmMemory) -> Vec<usize> {
        rooms.0.with(|rooms| rooms.iter().map(Room::bytes).collect())
    }

    /// SEMANTICS: FLOW-4
    #[test]
    fn a_copy_lies_where_an_earlier_one_has_lain() {
        let rooms: Arc<WarmMemory> = Arc::default();
        let bytes: Vec<u8> = (0..LEAST_WARM_BYTES + 3).map(|at| at as u8).collect();
        let first = rooms.copy_of(&bytes);
        let place = first.as_ref().as_ptr();
        assert_eq!((first.as_ref(), kept(&rooms)), (&*bytes, vec![]));
        drop(first);
        assert_eq!(kept(&rooms), [LEAST_WARM_BYTES + LEAD_BYTES + 8]);
        let [again, other] = [&bytes[3..], &bytes].map(|bytes| rooms.copy_of(bytes));
        assert_eq!((again.as_ref(), again.as_ref().as_ptr()), (&bytes[3..], place));
        assert_eq!(other.as_ref(), bytes);
        assert_eq!(rooms.copy_behind(&bytes[..5], &bytes[5..]).as_ref(), bytes);
        assert_eq!(rooms.copy_behind(b"a", b"b").as_ref(), b"ab");
        assert!(other.as_ref().as_ptr() != place);
    }

    /// As long as a room of so many bytes allows.
    fn copy_in(rooms: &Arc<WarmMemory>, room_bytes: usize) -> Copied {
        rooms.copy_of(&vec![0; room_bytes - LEAD_BYTES])
    }

    #[test]
    fn the_shortest_room_is_taken_that_fits() {
        let rooms: Arc<WarmMemory> = Arc::default();
        let lengths = [4, 2, 3].map(|times| times * LEAST_WARM_BYTES);
        drop(lengths.map(|len| copy_in(&rooms, len)));
        let _copy = copy_in(&rooms, lengths[1] + 1);
        assert_eq!(kept(&rooms), [lengths[0], lengths[1]]);
    }

    #[test]
    fn what_was_not_used_for_long_makes_place_for_what_was() {
        let rooms: Arc<WarmMemory> = Arc::default();
        for part in [8, 1, 4] {
            drop(copy_in(&rooms, MOST_KEPT_BYTES / part));
        }
        assert_eq!(kept(&rooms), [MOST_KEPT_BYTES], "the last has lain there, too");
        drop([4; 3].map(|part| copy_in(&rooms, MOST_KEPT_BYTES / part)));
        let part = MOST_KEPT_BYTES / 4;
        assert_eq!(kept(&rooms), [part, part]);
        drop(copy_in(&rooms, MOST_KEPT_BYTES + 1));
        assert_eq!(kept(&rooms), [part, part]);
        drop(rooms.copy_of(&[0; LEAST_WARM_BYTES - 1]));
        assert_eq!(kept(&rooms), [part, part]);
    }

    /// Whether a rank looks, as it does before it sleeps, or keeps another one.
    /// SEMANTICS: FLOW-4
    #[test]
    fn what_is_idle_for_two_seconds_goes_back() {
        let (rooms, begin) = (WarmMemory::default(), Instant::now());
        let at = |ms| begin.after(Duration::from_millis(ms)).expect("a time");
        rooms.give_back_idle(|| unreachable!("nothing is kept"));
        rooms.keep(vec![0; 1], at(0));
        rooms.keep(vec![0; 2], at(1000));
        rooms.give_back_idle(|| at(1999));
        assert_eq!(kept(&rooms), [8, 16]);
        rooms.give_back_idle(|| at(2000));
        assert_eq!(kept(&rooms), [16]);
        rooms.keep(vec![0; 3], at(2999));
        assert_eq!(kept(&rooms), [16, 24]);
        rooms.keep(vec![0; 4], at(3000));
        assert_eq!(kept(&rooms), [24, 32]);
        rooms.give_back_idle(|| at(9000));
        assert_eq!(kept(&rooms), []);
    }
}
