//! Deposits whose message is too long for a slot and a rest: it lies in an area of its sender's memory, and the slot says
//! where. Here are the areas that a rank has open, and when it may close them.
//!
//! Keeps rules COL-5, COL-9 and SAFE-1 of SEMANTICS.md.
//!
//! # Correctness
//!
//! An area is closed when all that read the deposit have finished that call: the same is asked before a slot is used again.
//! So nobody reads there then. One that has gone reads nothing more, and one that has dropped the group has finished all
//! its calls. A rank that has dropped the group itself keeps what it knows of it until the last area is closed.

use super::joined::Joined;
use super::layout::{HEAD, Layout, SHORT_WORDS};
use super::members::{MemberSet, Readers};
use super::message::Lengths;
use super::{Deposits, at_mut, tag_of, written};
use crate::order::{Clock, GroupId, Rank};
use crate::verbs::{RemoteBuffer, SharedWords};

/// How many areas a rank has open at most. So far it runs ahead in calls in which it waits for nobody; then it sends messages.
const MOST_AREAS: usize = 16;

/// How a rank finds out which of its areas have been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum Look {
    /// By what it knows.
    None,
    /// It looks what the readers of the oldest have finished.
    AtOldest,
    /// It looks what all readers have finished.
    AtAll,
}

/// Where a message lies that is in an area. The readers of parts find theirs one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct Elsewhere {
    /// Where the first begins.
    pub(in crate::message) address: u64,
    /// How many bytes each reader gets.
    pub(in crate::message) len: u64,
    /// From the message of one reader to that of the next: 0 if it is the same for all.
    pub(in crate::message) stride: u64,
    /// How many bytes the room behind it has, if there is one.
    pub(in crate::message) room: u64,
}

impl Elsewhere {
    /// How many words say so.
    pub(super) const WORDS: usize = 4;

    pub(super) fn words(self) -> [u64; Self::WORDS] {
        [self.address, self.len, self.stride, self.room]
    }

    pub(super) fn of_words(words: [u64; Self::WORDS]) -> Elsewhere {
        let [address, len, stride, room] = words;
        Elsewhere { address, len, stride, room }
    }

    /// Where the message of a reader begins, in a deposit of `sender`. (A peer may say anything: then it begins somewhere.)
    pub(super) fn of_reader(self, reader: Rank, sender: Rank) -> u64 {
        let nth = reader - usize::from(reader > sender);
        self.address.wrapping_add(self.stride.wrapping_mul(nth as u64))
    }
}

/// How many bytes of a slot a message takes that lies elsewhere.
pub(in crate::message) const ELSEWHERE_BYTES: usize = 8 * Elsewhere::WORDS;

const _: () = assert!(Elsewhere::WORDS <= SHORT_WORDS);

/// An area that is open.
#[derive(Clone, Copy, Debug)]
struct Area {
    place: usize,
    group: GroupId,
    index: u64,
    readers: MemberSet,
    buffer: RemoteBuffer,
    bytes: usize,
    /// Whether this rank may write there still.
    is_written: bool,
}

/// The areas of a rank.
#[derive(Default)]
pub(super) struct Areas {
    /// The oldest first.
    open: Vec<Area>,
    bytes: usize,
    /// Groups that were dropped here.
    #[expect(clippy::vec_box, reason = "they come in boxes")]
    dropped: Vec<Box<Joined>>,
}

impl Areas {
    /// Whether none is open.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether one of so many bytes may be opened, where they may have `most_bytes` together.
    pub(super) fn has_room(&self, bytes: usize, most_bytes: usize) -> bool {
        self.open.len() < MOST_AREAS && self.bytes.saturating_add(bytes) <= most_bytes
    }

    /// One was opened for a deposit of a group at this place.
    pub(super) fn handle_open(
        &mut self,
        (place, group): (usize, GroupId),
        (index, readers): (u64, MemberSet),
        (buffer, bytes): (RemoteBuffer, usize),
        is_written: bool,
    ) {
        if self.open.capacity() == 0 {
            self.open.reserve_exact(MOST_AREAS);
        }
        self.bytes += bytes;
        self.open.push(Area { place, group, index, readers, buffer, bytes, is_written });
    }

    /// This rank writes no more in the room of an area.
    pub(super) fn handle_written(&mut self, buffer: RemoteBuffer) {
        if let Some(area) = self.open.iter_mut().find(|area| area.buffer == buffer) {
            area.is_written = false;
        }
    }

    /// This rank has dropped a group.
    pub(super) fn handle_drop(&mut self, joined: Box<Joined>) {
        if self.open.iter().any(|area| area.group == joined.group) {
            self.dropped.push(joined);
        }
    }

    /// One that nobody reads any more: the caller closes it. Who `has_gone` reads nothing.
    pub(super) fn poll_read<S: SharedWords + ?Sized>(
        &mut self,
        (layout, words, look): (Layout, &S, Look),
        groups: &mut [Option<Box<Joined>>],
        has_gone: impl Fn(Rank) -> bool,
    ) -> Option<RemoteBuffer> {
        let Areas { open, dropped, bytes } = self;
        let words = (look != Look::None).then_some(words);
        let mut is_read = |area: &Area| {
            if area.is_written {
                return false;
            }
            let here = groups[area.place].as_mut().filter(|joined| joined.group == area.group);
            let joined =
                here.or_else(|| dropped.iter_mut().find(|joined| joined.group == area.group));
            // There is one: it is kept as long as there is an area.
            joined.is_some_and(|joined| has_read(joined, area, (layout, words), &has_gone))
        };
        let at = match look {
            Look::AtOldest => is_read(open.first()?).then_some(0),
            Look::None | Look::AtAll => open.iter().position(is_read),
        }?;
        let Area { group, buffer, bytes: its, .. } = open.remove(at);
        *bytes -= its;
        if !dropped.is_empty() && !open.iter().any(|area| area.group == group) {
            dropped.retain(|joined| joined.group != group);
        }
        Some(buffer)
    }
}

/// Whether all that read what lies in an area have finished that call.
fn has_read<S: SharedWords + ?Sized>(
    joined: &mut Joined,
    area: &Area,
    (layout, words): (Layout, Option<&S>),
    has_gone: &impl Fn(Rank) -> bool,
) -> bool {
    let Joined { group, members, finished, .. } = joined;
    area.readers.iter().all(|member| {
        let finished = &mut finished[member];
        if let (true, Some(words)) = (*finished < area.index, words) {
            let rank = members[member];
            // First: what it has finished counts while the tag is the group's. It had been before the deposit.
            if words.load(layout.tag(area.place, rank)) != tag_of(*group) || has_gone(rank) {
                return true;
            }
            *finished = words.load(layout.finished(area.place, rank));
        }
        *finished >= area.index
    })
}

impl Deposits {
    /// Deposits a message that [lies elsewhere](Elsewhere), in an area of so many bytes of this rank's memory. There is
    /// [room](Deposits::is_free) for its words. False if it is sure that nobody sleeps without seeing it.
    pub(in crate::message) fn deposit_elsewhere<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        (index, readers): (u64, Readers),
        stamp: Clock,
        (message, area): (Elsewhere, (RemoteBuffer, usize)),
    ) -> bool {
        let Deposits { layout, rank, groups, count, areas, .. } = self;
        let Joined { group, own_finished, occupancy, .. } = at_mut(groups, place);
        let lengths = Lengths::ELSEWHERE.with_behind(own_finished.is_behind(index));
        let slot = layout.index(place, *rank, index);
        words.fill(slot + 1, &[lengths.encode(stamp)]);
        words.fill(slot + HEAD, &message.words());
        occupancy.handle_deposit(index, readers.set(), ELSEWHERE_BYTES);
        areas.handle_open((place, *group), (index, readers.set()), area, message.room > 0);
        *count += 1;
        // Last: whoever sees it reads all that was stored before, in the area too.
        words.publish(slot, written(index, readers))
    }

    /// Whether an area of so many bytes may be opened, where all may have `most_bytes` together.
    pub(in crate::message) fn has_room_for_area(&self, bytes: usize, most_bytes: usize) -> bool {
        self.areas.has_room(bytes, most_bytes)
    }

    /// This rank writes no more in the room of an area.
    pub(in crate::message) fn handle_written(&mut self, area: RemoteBuffer) {
        self.areas.handle_written(area);
    }

    /// Whether an area is open.
    pub(in crate::message) fn has_areas(&self) -> bool {
        !self.areas.is_empty()
    }

    /// An area that nobody reads any more: the caller closes it. Who `has_gone` reads nothing.
    pub(in crate::message) fn poll_read_area<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        look: Look,
        has_gone: impl Fn(Rank) -> bool,
    ) -> Option<RemoteBuffer> {
        self.areas.poll_read((self.layout, words, look), &mut self.groups, has_gone)
    }
}
