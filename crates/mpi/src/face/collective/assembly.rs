//! How what comes of each rank becomes the result of a collective.
//! Source: MPI 5.0, chapter *Collective Communication*.
//! Rules: operands are combined in the order of ranks, for every operator, from the lowest on, as the runtime's blocking
//! collectives do: both have the same bits, in all runs.

use super::places::Places;
use super::plan::Takes;
use super::reducer::{PIECE_BYTES, Reducer};
use super::workspace::Workspace;
use crate::face::memory::{Layout, Memory};
use runahead::internals::collective::posted::{self, Part};
use std::ffi::c_int;
use std::ops::Range;

/// A reduction at a rank that gets its result.
pub(crate) struct Combining {
    pub(crate) reducer: Reducer,
    /// What this rank gives.
    pub(crate) own: Memory,
    /// Where the result goes, and which element of what is combined is the first of it.
    pub(crate) result: (Memory, usize),
}

impl Combining {
    /// Puts what was combined where it belongs.
    fn put(&self, combined: &Memory) {
        let (mut result, first) = (self.result.0.clone(), self.result.1);
        result.copy_from(&combined.part(first as isize, result.count()));
    }

    /// Whether the result may lie at once where it belongs: it is as long as what each rank gives, and a loop of this library
    /// combines it.
    fn goes_in_place(&self) -> bool {
        let Combining { reducer, own, result: (result, first) } = self;
        let are_alike = match (own.layout(), result.layout()) {
            (Layout::Contiguous(size), Layout::Contiguous(other)) => size == other,
            _ => false,
        };
        let is_kernel = matches!(reducer, Reducer::Kernel(_, extent)
            if matches!(own.layout(), Layout::Contiguous(size) if size == extent));
        are_alike
            && is_kernel
            && *first == 0
            && result.count() == own.count()
            && own.bytes() > PIECE_BYTES
    }

    /// Combines what has come of each rank, lowest first. Of no rank, the result stays as it is.
    pub(crate) fn finish_with(&self, all: &[Workspace]) {
        for pair in all.windows(2) {
            self.reducer.combine(&pair[0].memory(), &pair[1].memory());
        }
        all.last().iter().for_each(|combined| self.put(&combined.memory()));
    }
}

/// What is taken of the ranks, one after the other.
#[expect(clippy::large_enum_variant, reason = "it lies in the record of a call, which is larger")]
pub(crate) enum Assembly {
    /// Each has its place. The next one is at this index.
    Places(Places, usize),
    /// They are combined.
    Combined(Combined),
}

/// What was combined so far.
pub(crate) struct Combined {
    combining: Combining,
    rooms: Rooms,
    /// Whether this rank's own data wait for their turn.
    has_own: bool,
    /// Whether they lie in the room [`OWN`], and not where the program has them.
    has_copied: bool,
    /// Whether what comes is combined at once where the result belongs, and whether something is there.
    in_place: bool,
    has_begun: bool,
    /// The room of what was combined. None as long as there is nothing.
    so_far: Option<usize>,
    /// The room of what is to be combined next.
    next: Option<usize>,
}

/// Room for what this rank gives, for what was combined, and for what comes next.
enum Rooms {
    /// For little data, where this stands.
    Here([[u128; HERE]; ROOMS]),
    Apart(Workspace),
}

/// Little data have so many times 16 bytes at most.
const HERE: usize = 2;

/// The room that begins with what this rank gives.
const OWN: usize = 0;

/// In a call whose units ranks combine for each other: the result, if it cannot lie where it belongs.
const TOTAL: usize = 1;

/// In such a call, which has as many ranks: what is combined next.
const SPARE: usize = 2;

/// How many rooms are needed: two for what is combined, and one for what waits.
const ROOMS: usize = 3;

impl Assembly {
    /// For what a rank takes.
    pub(super) fn of(takes: Takes, rank: c_int) -> Assembly {
        match takes {
            Takes::Nothing => Assembly::Places(Places::none(), 0),
            Takes::Places(_, places) => Assembly::Places(places, 0),
            Takes::Combined(ranks, combining) => {
                let rooms = Rooms::for_like(&combining.own, ranks.len());
                let (has_own, in_place) = (ranks.contains(&rank), combining.goes_in_place());
                let mut combined = Combined {
                    rooms,
                    has_own,
                    has_copied: false,
                    in_place,
                    has_begun: false,
                    so_far: None,
                    next: None,
                    combining,
                };
                // Where nothing takes its place, the program leaves it as it is until the call is complete.
                let Combining { own, result: (result, _), .. } = &combined.combining;
                if has_own && (!in_place || result.overlaps(own)) {
                    combined.copy_own();
                }
                Assembly::Combined(combined)
            }
        }
    }
}

impl Rooms {
    /// For data like these, of so many ranks.
    fn for_like(own: &Memory, ranks: usize) -> Rooms {
        match own.layout() {
            Layout::Contiguous(_) if own.bytes() <= size_of::<[u128; HERE]>() => {
                Rooms::Here([[0; HERE]; ROOMS])
            }
            layout => Rooms::Apart(Workspace::several(ROOMS.min(ranks), layout, own.count())),
        }
    }
}

impl Combined {
    /// The elements in these rooms. Whoever has them must not move the rooms meanwhile.
    fn rooms<const N: usize>(&mut self, which: [usize; N]) -> [Memory; N] {
        let own = &self.combining.own;
        match &mut self.rooms {
            Rooms::Here(rooms) => {
                // All by one address, so that what is read by one is not borrowed anew for the next.
                let first = rooms.as_mut_ptr();
                which.map(|room| {
                    let address = first.wrapping_add(room).cast();
                    Memory::new(address, own.count(), own.layout().clone())
                })
            }
            Rooms::Apart(rooms) => which.map(|room| rooms.memory_of(room)),
        }
    }

    /// Copies this rank's own data, if they are not: the result may take their place, and operators may write there.
    fn copy_own(&mut self) {
        if !std::mem::replace(&mut self.has_copied, true) {
            let [mut room] = self.rooms([OWN]);
            room.copy_from(&self.combining.own);
        }
    }

    /// Combines the data of the next rank where the result belongs.
    fn add_in_place(&mut self, data: &[u8]) {
        let Combining { reducer, result: (result, _), .. } = &mut self.combining;
        match (std::mem::replace(&mut self.has_begun, true), result.contiguous_mut()) {
            (true, Some(lower)) => reducer.combine_into_lower(lower, data),
            _ => result.put(0, data),
        }
    }

    /// A room in which nothing lies that is needed.
    fn free(&self) -> usize {
        let is_free =
            |&room: &usize| Some(room) != self.so_far && (room, self.has_own) != (OWN, true);
        (0..ROOMS).find(is_free).unwrap_or(OWN)
    }

    /// How many bytes an element has, if what each rank gives lies together and a loop of this library combines it.
    fn shared_element(&self) -> Option<usize> {
        match (&self.combining.reducer, self.combining.own.layout()) {
            (Reducer::Kernel(_, extent), Layout::Contiguous(size)) if extent == size => Some(*size),
            _ => None,
        }
    }

    /// Where the result of a shared call lies: at once where it belongs, if it may.
    fn total(&mut self) -> Memory {
        let Combining { own, result: (result, first), .. } = &self.combining;
        let is_alike =
            matches!(result.layout(), Layout::Contiguous(size) if *size == own.layout().size());
        if is_alike && *first == 0 && result.count() == own.count() {
            return result.clone();
        }
        self.so_far = Some(TOTAL);
        let [total] = self.rooms([TOTAL]);
        total
    }

    /// Combines these elements of all ranks, in this order.
    fn combine_block<'p>(&mut self, block: Range<usize>, parts: impl Iterator<Item = Part<'p>>) {
        self.copy_own();
        let (total, [own, spare]) = (self.total(), self.rooms([OWN, SPARE]));
        let part = |memory: &Memory| memory.part(block.start as isize, block.len());
        // An operator leaves what it has combined in place of the higher operand. That may be what this rank gives: nobody
        // needs it afterwards.
        let (mut so_far, mut free) = (part(&total), part(&spare));
        let mut is_begun = false;
        for given in parts {
            match (given, std::mem::replace(&mut is_begun, true)) {
                (Part::Own, false) => so_far.copy_from(&part(&own)),
                (Part::Theirs(bytes), false) => so_far.put(0, bytes),
                (Part::Own, true) => {
                    let own = part(&own);
                    self.combining.reducer.combine(&so_far, &own);
                    free = std::mem::replace(&mut so_far, own);
                }
                (Part::Theirs(bytes), true) => {
                    free.put(0, bytes);
                    self.combining.reducer.combine(&so_far, &free);
                    std::mem::swap(&mut so_far, &mut free);
                }
            }
        }
        let mut result = part(&total);
        if so_far.address() != result.address() {
            result.copy_from(&so_far);
        }
    }

    /// What lies in this room is that of the next rank.
    fn add(&mut self, next: usize) {
        if let Some(so_far) = self.so_far.replace(next) {
            let [lower, next] = self.rooms([so_far, next]);
            self.combining.reducer.combine(&lower, &next);
        }
    }
}

impl posted::Sealed for Assembly {}

impl posted::Assembly for Assembly {
    type Output = ();

    fn expected_bytes(&self, _: runahead::Rank) -> Option<usize> {
        Some(match self {
            Assembly::Places(places, next) => places.bytes_at(*next).unwrap_or(0),
            Assembly::Combined(combined) => combined.combining.own.bytes(),
        })
    }

    fn take_own(&mut self) {
        match self {
            Assembly::Places(_, next) => *next += 1,
            Assembly::Combined(combined) => {
                if !std::mem::take(&mut combined.has_own) {
                    return;
                }
                if !combined.in_place {
                    return combined.add(OWN);
                }
                let own = match combined.has_copied {
                    true => combined.rooms([OWN])[0].clone(),
                    false => combined.combining.own.clone(),
                };
                own.with_bytes(|own| combined.add_in_place(own));
            }
        }
    }

    fn take(&mut self, payload: &[u8]) {
        match self {
            Assembly::Places(places, next) => {
                places.at(*next).put(0, payload);
                *next += 1;
            }
            Assembly::Combined(combined) if combined.in_place => combined.add_in_place(payload),
            Assembly::Combined(combined) => {
                let room = combined.free();
                let [mut place] = combined.rooms([room]);
                place.put(0, payload);
                combined.next = Some(room);
            }
        }
    }

    fn room(&mut self, nth: usize, above_bytes: usize) -> Option<*mut [u8]> {
        match self {
            Assembly::Places(places, _) if places.bytes_at(nth)? > above_bytes => {
                places.at(nth).contiguous_mut().map(|room| room as *mut [u8])
            }
            _ => None,
        }
    }

    fn take_in_room(&mut self) {
        if let Assembly::Places(_, next) = self {
            *next += 1;
        }
    }

    fn combine(&mut self) {
        if let Assembly::Combined(combined) = self
            && let Some(next) = combined.next.take()
        {
            combined.add(next);
        }
    }

    fn shared_element(&self) -> Option<usize> {
        match self {
            Assembly::Places(..) => None,
            Assembly::Combined(combined) => combined.shared_element(),
        }
    }

    fn combine_block<'p>(&mut self, block: Range<usize>, parts: impl Iterator<Item = Part<'p>>) {
        if let Assembly::Combined(combined) = self {
            combined.combine_block(block, parts);
        }
    }

    fn unit(&mut self, unit: Range<usize>) -> &mut [u8] {
        match self {
            Assembly::Places(..) => &mut [],
            Assembly::Combined(combined) => {
                let part = combined.total().part(unit.start as isize, unit.len());
                // SAFETY: it is contiguous, and the program's or this call's own until the call is over.
                unsafe { std::slice::from_raw_parts_mut(part.address(), part.bytes()) }
            }
        }
    }

    fn finish(self) {
        if let Assembly::Combined(mut combined) = self
            && let Some(so_far) = combined.so_far
        {
            let [total] = combined.rooms([so_far]);
            combined.combining.put(&total);
        }
    }
}
