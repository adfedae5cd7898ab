//! Memory of this library that calls use in turn, so that a steady loop of calls allocates nothing.
//! Each thread keeps some rooms and some lists; whoever takes one gives it back when dropped.
//! Rules: what is kept is bounded, and a large room that many calls had no use for goes back to the system.

use super::memory::Memory;
use runahead::zerocopy::{FromBytes, IntoBytes};
use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};

/// The unit of a room. It has the greatest alignment that C's types have.
type Unit = u128;

/// How many rooms a thread keeps, and how long they are together, in units.
const MOST_ROOMS: usize = 16;
const MOST_UNITS: usize = (16 << 20) / size_of::<Unit>();

/// A room above this many units is large: it goes back after so many rooms were taken that did not need it.
const LARGE_UNITS: usize = (64 << 10) / size_of::<Unit>();
const IDLE_AFTER: u64 = 4096;

/// How many lists a thread keeps, and how many entries each has room for.
const MOST_LISTS: usize = 8;
const MOST_LISTED: usize = 4096;

thread_local! {
    static KEPT: RefCell<Kept> = const { RefCell::new(Kept::new()) };
    static LISTS: Cell<Vec<Vec<Memory>>> = const { Cell::new(Vec::new()) };
}

/// Rooms that nobody uses.
struct Kept {
    /// Each with the number of the taking after which it was given back.
    rooms: Vec<(Box<[Unit]>, u64)>,
    /// How long they are together.
    units: usize,
    /// How many were taken so far.
    taken: u64,
}

impl Kept {
    const fn new() -> Kept {
        Kept { rooms: Vec::new(), units: 0, taken: 0 }
    }

    /// The smallest of them that is so long, of several the one used last; None if there is none.
    fn take(&mut self, length: usize) -> Option<Box<[Unit]>> {
        self.taken += 1;
        if self.taken.is_multiple_of(IDLE_AFTER) {
            self.free_idle();
        }
        // A large room is not for little, which would keep it from being idle.
        let fits = |room: usize| length <= room && (room <= LARGE_UNITS || length > room / 4);
        let rooms = self.rooms.iter().enumerate().rev();
        let fitting = rooms.filter(|(_, (room, _))| fits(room.len()));
        let (at, _) = fitting.min_by_key(|(_, (room, _))| room.len())?;
        let (room, _) = self.rooms.swap_remove(at);
        self.units -= room.len();
        Some(room)
    }

    /// Keeps a room, if there is place. Of too many the shortest goes.
    fn give_back(&mut self, room: Box<[Unit]>) {
        if room.is_empty() || self.units + room.len() > MOST_UNITS {
            return;
        }
        self.units += room.len();
        self.rooms.push((room, self.taken));
        if self.rooms.len() > MOST_ROOMS {
            let shortest = self.rooms.iter().enumerate().min_by_key(|(_, (room, _))| room.len());
            let at = shortest.map_or(0, |(at, _)| at);
            self.units -= self.rooms.swap_remove(at).0.len();
        }
    }

    /// Frees what is large and was not used for long.
    #[cold]
    fn free_idle(&mut self) {
        let taken = self.taken;
        self.rooms.retain(|(room, used)| room.len() <= LARGE_UNITS || taken - used < IDLE_AFTER);
        self.units = self.rooms.iter().map(|(room, _)| room.len()).sum();
    }
}

/// Room that is given back when dropped. It is warm: large memory that is freed goes back to the system.
pub(crate) struct Room(Box<[Unit]>);

impl Room {
    /// Room for so many bytes at least. What lies in it is left from others.
    pub(crate) fn new(bytes: usize) -> Room {
        let length = bytes.div_ceil(size_of::<Unit>());
        // A thread that ends keeps none.
        let kept = KEPT.try_with(|kept| kept.borrow_mut().take(length)).ok().flatten();
        Room(kept.unwrap_or_else(|| vec![0; length].into()))
    }

    /// Room that begins with a copy of these elements.
    pub(crate) fn copy_of<T: runahead::Element>(elements: &[T]) -> Room {
        let mut room = Room::new(size_of_val(elements));
        room.elements(elements.len()).copy_from_slice(elements);
        room
    }

    /// The address of the first unit, which is aligned for every type of C.
    pub(crate) fn address(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }

    /// How many bytes there is room for.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }

    /// The first of them, as so many elements.
    pub(crate) fn elements<T: runahead::Element>(&mut self, count: usize) -> &mut [T] {
        let bytes = &mut self.0.as_mut_bytes()[..count * size_of::<T>()];
        <[T]>::mut_from_bytes(bytes).expect("units are aligned as elements are")
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let room = std::mem::take(&mut self.0);
        let _ = KEPT.try_with(|kept| kept.borrow_mut().give_back(room));
    }
}

/// Bytes that lie in a room.
pub(crate) struct Bytes {
    room: Room,
    length: usize,
}

impl Bytes {
    /// So many, which are left from others.
    pub(crate) fn new(length: usize) -> Bytes {
        Bytes { room: Room::new(length), length }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.room.0.as_bytes()[..self.length]
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.room.0.as_mut_bytes()[..self.length]
    }
}

/// A list of memory, whose own is given back when dropped.
pub(crate) struct List(Vec<Memory>);

impl List {
    /// A list with nothing in it.
    pub(crate) fn new() -> List {
        // A thread that ends keeps none.
        let kept = LISTS.try_with(|lists| {
            let mut all = lists.take();
            let list = all.pop();
            lists.set(all);
            list
        });
        List(kept.ok().flatten().unwrap_or_default())
    }
}

impl Clone for List {
    fn clone(&self) -> List {
        let mut list = List::new();
        list.extend_from_slice(self);
        list
    }
}

impl Deref for List {
    type Target = Vec<Memory>;

    fn deref(&self) -> &Vec<Memory> {
        &self.0
    }
}

impl DerefMut for List {
    fn deref_mut(&mut self) -> &mut Vec<Memory> {
        &mut self.0
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let mut list = std::mem::take(&mut self.0);
        list.clear();
        let _ = LISTS.try_with(|lists| {
            let mut all = lists.take();
            if all.len() < MOST_LISTS && list.capacity() <= MOST_LISTED {
                all.push(list);
            }
            lists.set(all);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> (usize, usize) {
        KEPT.with_borrow(|kept| {
            assert_eq!(kept.units, kept.rooms.iter().map(|(room, _)| room.len()).sum());
            (kept.rooms.len(), kept.units * size_of::<Unit>())
        })
    }

    /// (Planted: the first that fits; a room that is dropped is freed.)
    #[test]
    fn the_smallest_room_that_fits_is_taken_again() {
        let (mut small, mut large) = (Room::new(100), Room::new(5000));
        let addresses = (small.address(), large.address());
        drop(small);
        drop(large);
        let (mut small, mut large) = (Room::new(90), Room::new(113));
        assert_eq!((small.address(), large.address()), addresses);
        let mut third = Room::new(1);
        assert!(third.address() != addresses.0 && third.address() != addresses.1);
        assert_eq!(third.bytes(), size_of::<Unit>());
    }

    /// (Planted: no limit of the number; none of the length; the longest goes.)
    #[test]
    fn what_is_kept_is_bounded() {
        drop(Room::new(MOST_UNITS * size_of::<Unit>() + 1));
        assert_eq!(kept(), (0, 0), "too long");
        drop((0..2 * MOST_ROOMS).map(|number| Room::new(16 * (1 + number))).collect::<Vec<_>>());
        let longest = MOST_ROOMS + 1..=2 * MOST_ROOMS;
        assert_eq!(kept(), (MOST_ROOMS, 16 * longest.sum::<usize>()));
        let half = MOST_UNITS * size_of::<Unit>() / 2;
        drop([Room::new(half), Room::new(half), Room::new(half)]);
        let (rooms, bytes) = kept();
        assert!(rooms <= MOST_ROOMS && bytes <= MOST_UNITS * size_of::<Unit>());
        drop((0..2 * MOST_LISTS).map(|_| List::new()).collect::<Vec<_>>());
        let lists = LISTS.take();
        assert_eq!(lists.len(), MOST_LISTS);
    }

    /// (Planted: what is idle stays; what is in use again and again goes.)
    #[test]
    fn a_large_room_that_is_idle_goes() {
        let large = 2 * LARGE_UNITS * size_of::<Unit>();
        drop(Room::new(large));
        for _ in 0..2 * IDLE_AFTER {
            drop(Room::new(large));
        }
        assert_eq!(kept(), (1, large));
        drop(Room::new(16));
        assert_eq!(kept().0, 2, "the small one, and the large one");
        for _ in 0..2 * IDLE_AFTER {
            drop(Room::new(16));
        }
        assert_eq!(kept().0, 1);
    }

    #[test]
    fn elements_and_bytes_are_what_was_put_there() {
        let mut room = Room::copy_of(&[1.5_f64, 2.5]);
        assert_eq!(room.elements::<f64>(2), [1.5, 2.5]);
        let mut bytes = Bytes::new(3);
        bytes.copy_from_slice(b"abc");
        assert_eq!(&*bytes, b"abc");
    }
}
