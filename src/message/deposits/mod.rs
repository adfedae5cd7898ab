//! Deposits: messages of collectives that lie in memory which the members of a group share,
//! each written once by its sender and read in place by all that need it (wu-2005 §2.4: *put* and
//! *group get* in one stage; there ranks synchronise in between). One of the parts of the engine.
//!
//! Keeps rules COL-5, COL-9, HOLD-1 and SAFE-1 of SEMANTICS.md.
//!
//! A deposit is another way for a collective's message: it has the same bytes, the same stamp, and
//! is held and contained alike. Nobody forwards or combines for others, nobody is told of it but
//! ranks that sleep for it, and it takes no room of a window. Where a rank may not deposit, it
//! sends messages to the same ranks. So those that read look at both, and need not agree with it.
//!
//! # Words
//!
//! In a world on one host, a group of [`LEAST_MEMBERS`] to [`MOST_MEMBERS`] ranks that has one of the first places of the board
//! has its deposits there too. For each place each rank has
//!
//! - a *tag*: the group for which its words beside it count;
//! - [`SLOTS`] slots. A call of a collective has an index, which only grows. Each so many calls use the
//!   same slot. A slot has the index with those that read it, the stamp with the length, and the message;
//! - room for a few *rests* of messages that are longer than a slot. Again, each so many calls use the
//!   same one, if they need any;
//! - what it has *finished*: it reads no deposit of a call up to this index any more (`reading`).
//!
//! What is longer than a slot and a rest lies in an *area* of its sender's memory, and the slot says where (`areas`).
//!
//! And each rank has its *wants*: the deposits for which it sleeps.
//!
//! # Correctness
//!
//! A sender stores the index last, so a rank that sees the index sees the message. A slot is used
//! again only when all that read its last deposit have finished that call, and so is the room for a
//! rest. So what lies there does not change while it is read. A rank that deposits for a call has finished those before it, so
//! mostly nobody looks at what others have finished. Only nonblocking calls may be pending longer: a rank that has yet to read
//! something of such a call says so in what it deposits, and has not finished that call. A rank that finds no room sends messages.
//!
//! A rank joins as on the board: it stores first the slots and what it has finished, and then the
//! tag. It may do so once all members of the last group at the place are done with it, and these
//! read its words no more. Nothing is deposited for a member whose tag is not the group's yet: what it
//! has finished would be that of another group, and the place might be given away before it has read.
//! Until then it is sent messages, which are kept.
//!
//! No wake-up is lost, as on the board ([`super::barriers`]), with deposits in the place of epochs.
//! A rank that deposits (1) stores the deposit, (2) passes a fence, (3) looks at what those sleep
//! for that read it, and (4) wakes those for which all lies there that they want. A rank that is to
//! sleep (1) stores what it wants, (2) passes a fence, (3) looks, and sleeps if some of it is
//! missing. Take the rank whose fence comes last of those whose deposits a sleeper wants. If the
//! sleeper's fence comes before, that rank sees its wants and all deposits, and wakes it. Else the
//! sleeper sees all deposits. (What is wanted is two words, both stored before the fence.
//! Who sees one of an earlier sleep has passed its own fence first.) One that deposits wakes nobody who lacks others still. What comes by
//! messages is not wanted, and wakes as messages do.
//!
//! A rank that has left a call out gives nothing for it, and what others sleep for never comes. It wakes them when it deposits for
//! a later call that they read, and has not deposited for the one that they want: so they are told at once that the two have
//! not called the same. The argument is the same, with that deposit in the place of the wanted one.

mod apart;
mod areas;
#[cfg(fuzzing)]
pub mod fuzzing;
mod joined;
mod layout;
mod looks;
mod members;
mod message;
mod occupancy;
mod reading;
mod waiting;

use areas::Areas;
pub(in crate::message) use areas::{ELSEWHERE_BYTES, Elsewhere, Look};
pub(in crate::message) use layout::Layout;
pub use layout::MOST_BYTES;
use members::reads;
pub use members::{LEAST_MEMBERS, MOST_MEMBERS, MemberSet, Readers};
pub use message::{Body, Contents, MOST_HEAD_BYTES};
pub(super) use waiting::{Awaited, Want};
use waiting::{Part, Wants};

use zerocopy::IntoBytes;

use crate::order::{Clock, GroupId, Rank};
use crate::verbs::SharedWords;
use joined::Joined;
use layout::{HEAD, PLACES, SHORT_WORDS, SLOTS};
use message::{LEN_BITS, Lengths, Staging, TooLong};
use occupancy::has_rest;

/// The index stands above so many bits, which say who reads the deposit. Of an index 48 bits
/// count.
const READER_BITS: u32 = 16;

/// The deposits of one rank, and what it reads of others'.
pub(super) struct Deposits {
    layout: Layout,
    rank: Rank,
    /// The groups that deposit, by their places.
    groups: Vec<Option<Box<Joined>>>,
    /// The wants of this rank, as its own words have them.
    wants: Wants,
    awaited: Option<Awaited>,
    /// Those of them that have deposited for later calls, as this rank last looked.
    late: MemberSet,
    /// The deposits that a wait for several requests is for.
    parts: Vec<Part>,
    /// How many this rank has made.
    count: u64,
    staging: Staging,
    areas: Areas,
}

/// A message to be deposited.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewDeposit<'b> {
    /// The index of the call.
    pub(super) index: u64,
    /// The sender's clock toward all that read it.
    pub(super) stamp: Clock,
    /// Which members read it.
    pub(super) readers: Readers,
    /// At most [`MOST_BYTES`] in all.
    pub(super) contents: Contents<'b>,
}

/// Why a deposit was not copied. (It stands where errors do, so that a short one costs no more.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotCopied {
    /// Its length is above [`MOST_BYTES`]: no correct peer says so.
    TooLong(usize),
    /// It lies in the memory of the sender.
    There {
        /// Where it begins.
        address: u64,
        /// How many bytes there are.
        len: u64,
        /// How many the room behind them has.
        room: u64,
    },
}

/// The first word of a slot.
const fn written(index: u64, readers: Readers) -> u64 {
    index << READER_BITS | readers.bits() as u64
}

/// Whether such a word is of this call, and for this member.
const fn is_for(word: u64, index: u64, member: Rank) -> bool {
    index_of(word) == index && reads(word as u16, member)
}

const fn index_of(written: u64) -> u64 {
    written >> READER_BITS
}

const fn tag_of(group: GroupId) -> u64 {
    // Words that were never stored are 0.
    group.0 as u64 + 1
}

/// The group at a place where one deposits.
#[inline]
fn at_mut(groups: &mut [Option<Box<Joined>>], place: usize) -> &mut Joined {
    groups[place].as_mut().expect("the place of a group that deposits")
}

impl Deposits {
    /// Of a rank of a world of `size`, whose ranks are on so many `hosts` and share `words` words, of which
    /// the first `before` are the board's. On several hosts, or where there are too few, no group
    /// deposits.
    pub(super) fn new(
        rank: Rank,
        (size, hosts): (usize, usize),
        (before, words): (usize, usize),
    ) -> Deposits {
        let layout = Layout::behind(before, size, hosts);
        let places = if hosts <= 1 && words >= layout.words() { PLACES } else { 0 };
        Deposits::with_places(layout, rank, places)
    }

    fn with_places(layout: Layout, rank: Rank, places: usize) -> Deposits {
        let groups = (0..places).map(|_| None).collect();
        let staging = Staging::new();
        let (awaited, parts) = (None, Vec::new());
        let late = MemberSet::NONE;
        Deposits {
            layout,
            rank,
            groups,
            wants: Wants::NOTHING,
            awaited,
            late,
            parts,
            count: 0,
            staging,
            areas: Areas::default(),
        }
    }

    /// How many deposits this rank has made.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// A group has taken a place of the board, which was free at all members. It deposits there if
    /// it is small, which all know alike.
    pub(super) fn join<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        group: GroupId,
        members: &[Rank],
    ) {
        let Deposits { layout, rank, .. } = *self;
        let Some(at) = self.groups.get_mut(place) else { return };
        let is_small = (LEAST_MEMBERS..=MOST_MEMBERS).contains(&members.len());
        let fits = is_small && members.iter().all(|&member| layout.has_words(member));
        *at = fits.then(|| {
            let own = members.iter().position(|&member| member == rank).unwrap_or(0);
            Box::new(Joined::new(group, members, own))
        });
        if !fits {
            return;
        }
        // Whoever sees the tag must not see what was deposited for the group before.
        (0..SLOTS as u64).for_each(|nth| words.fill(layout.index(place, rank, nth), &[0]));
        words.fill(layout.finished(place, rank), &[0]);
        words.store(layout.tag(place, rank), tag_of(group));
    }

    /// The program has dropped a group. What lies there can be read still. This rank reads nothing more of it.
    pub(super) fn handle_drop<S: SharedWords + ?Sized>(&mut self, words: &S, group: GroupId) {
        let Some(place) = self.place_of(group) else { return };
        words.fill(self.layout.finished(place, self.rank), &[u64::MAX]);
        if let Some(joined) = self.groups[place].take() {
            self.areas.handle_drop(joined);
        }
    }

    /// Where a group deposits, if it does: all members say the same.
    #[inline]
    pub(super) fn place_of(&self, group: GroupId) -> Option<usize> {
        self.groups.iter().position(|at| at.as_ref().is_some_and(|joined| joined.group == group))
    }

    #[inline]
    fn at(&self, place: usize) -> &Joined {
        self.groups[place].as_ref().expect("the place of a group that deposits")
    }

    #[inline]
    fn at_mut(&mut self, place: usize) -> &mut Joined {
        at_mut(&mut self.groups, place)
    }

    /// The number of members of the group at a place.
    #[inline]
    pub(super) fn size(&self, place: usize) -> usize {
        self.at(place).members.len()
    }

    /// This rank, in the group at a place.
    #[inline]
    pub(super) fn own(&self, place: usize) -> Rank {
        self.at(place).own
    }

    /// The ranks in the world of the members.
    #[inline]
    pub(super) fn members(&self, place: usize) -> &[Rank] {
        &self.at(place).members
    }

    /// The rank in the world of a member.
    #[inline]
    pub(super) fn world_rank(&self, place: usize, member: Rank) -> Rank {
        self.at(place).members[member]
    }

    /// Whether there is room for a deposit of so many `bytes` for a call, if these read it: they have joined
    /// the group, and all that read what lies there have finished that call.
    #[inline]
    pub(super) fn is_free<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        (index, readers): (u64, Readers),
        bytes: usize,
    ) -> bool {
        let Deposits { layout, groups, .. } = self;
        let Joined { group, members, known, occupancy, finished, .. } = at_mut(groups, place);
        for member in readers.set().without(*known).iter() {
            if words.load(layout.tag(place, members[member])) != tag_of(*group) {
                return false;
            }
            *known = known.with(member);
        }
        occupancy.occupants(index, bytes).into_iter().all(|(last, readers)| {
            readers.iter().all(|member| {
                let finished = &mut finished[member];
                if *finished < last {
                    // What it says wrongly is to its own harm alone: that it has finished what it
                    // has yet to read.
                    *finished = words.load(layout.finished(place, members[member]));
                }
                *finished >= last
            })
        })
    }

    /// Whether a message of so many `bytes`, the same for all these readers, lies in the slot of a call, and there is
    /// room without a look at what others have finished.
    #[inline(always)]
    pub(super) fn is_short(
        &mut self,
        place: usize,
        (index, readers): (u64, Readers),
        bytes: usize,
    ) -> bool {
        let joined = self.at_mut(place);
        let is_short = !has_rest(bytes)
            && readers.set().without(joined.known).is_empty()
            && joined.occupancy.in_slot(index) <= joined.all_finished
            && !joined.own_finished.is_behind(index);
        if !is_short {
            joined.look_at_finished();
        }
        is_short
    }

    /// As [`deposit`](Deposits::deposit), of a message that [is short](Deposits::is_short).
    #[inline(always)]
    pub(super) fn deposit_short<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        (index, readers): (u64, Readers),
        stamp: Clock,
        (head, body): (&[u64], &[u8]),
    ) -> bool {
        let bytes = 8 * head.len() + body.len();
        debug_assert!(self.is_short(place, (index, readers), bytes));
        let Deposits { layout, rank, groups, count, .. } = self;
        let joined = at_mut(groups, place);
        let lengths = Lengths::of_one(bytes);
        let slot = layout.index(place, *rank, index);
        words.fill(slot + 1, &[lengths.encode(stamp)]);
        words.fill(slot + HEAD, head);
        words.fill_bytes(slot + HEAD + head.len(), body);
        joined.occupancy.handle_deposit(index, readers.set(), bytes);
        *count += 1;
        // Last: whoever sees it reads all that was stored before.
        words.publish(slot, written(index, readers))
    }

    /// Whether the rank has looked in vain for room, and there has been none since.
    #[inline]
    pub(super) fn is_full(&self, place: usize) -> bool {
        self.at(place).occupancy.is_full
    }

    /// The rank has looked for room for a while, and there is none.
    pub(super) fn handle_full(&mut self, place: usize) {
        self.at_mut(place).occupancy.is_full = true;
    }

    /// Deposits a message, for which there is [room](Deposits::is_free). False if it is sure that nobody
    /// sleeps without seeing it.
    ///
    /// # Panics
    ///
    /// If the message is too long.
    #[inline]
    pub(super) fn deposit<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        outgoing: NewDeposit<'_>,
    ) -> bool {
        let NewDeposit { index, stamp, readers, contents: Contents { head, body } } = outgoing;
        let of = (index, readers);
        debug_assert!(self.is_free(words, place, of, outgoing.contents.len(self.size(place))));
        match body {
            Body::Same(body) if self.is_short(place, of, 8 * head.len() + body.len()) => {
                self.deposit_short(words, place, of, stamp, (head, body))
            }
            _ => self.deposit_any(words, place, outgoing),
        }
    }

    /// As [`deposit`](Deposits::deposit), of any message.
    fn deposit_any<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        outgoing: NewDeposit<'_>,
    ) -> bool {
        let NewDeposit { index, stamp, readers, contents } = outgoing;
        let bytes = contents.len(self.size(place));
        let Deposits { layout, rank, groups, staging, count, .. } = self;
        let Joined { own, members, own_finished, occupancy, finished, prepared, .. } =
            at_mut(groups, place);
        let (layout, rank, sender) = (*layout, *rank, (*own, members.len()));
        let lengths = contents.lengths(sender.1).with_behind(own_finished.is_behind(index));
        let (slot, rest) = (layout.message(place, rank, index), layout.rest(place, rank, index));
        let rest_words = bytes.div_ceil(8).saturating_sub(SHORT_WORDS);
        if *prepared != index {
            // All its lines at once. The stores would bring them one after the other.
            words.prepare_to_fill(rest, rest_words);
        }
        // From so many words of the message on.
        let fill_from = |first: usize, bytes: &[u8]| {
            let in_slot = (8 * SHORT_WORDS.saturating_sub(first)).min(bytes.len());
            let (in_slot, behind) = bytes.split_at(in_slot);
            words.fill_bytes(slot + first, in_slot);
            if !behind.is_empty() {
                words.fill_bytes(rest + first.saturating_sub(SHORT_WORDS), behind);
            }
        };
        match contents.pieces(sender) {
            // Each piece begins with a word: it is written there at once.
            [lower, higher] if higher.is_empty() || lower.len().is_multiple_of(8) => {
                let head_words = contents.head.len();
                fill_from(0, contents.head.as_bytes());
                fill_from(head_words, lower);
                fill_from(head_words + lower.len() / 8, higher);
            }
            _ => fill_from(0, staging.put(&contents, lengths, sender).as_bytes()),
        }
        words.fill(layout.stamp(place, rank, index), &[lengths.encode(stamp)]);
        occupancy.handle_deposit(index, readers.set(), bytes);
        *count += 1;
        // Last: whoever sees it reads all that was stored before.
        let may_sleep = words.publish(layout.index(place, rank, index), written(index, readers));
        // The next is likely as long. Who has read what lies there has its lines. (Of shorter ones that is no gain.)
        let next = index + 1;
        let [_, (last, readers)] = occupancy.occupants(next, bytes);
        if rest_words > 0 && readers.iter().all(|member| finished[member] >= last) {
            words.prepare_to_fill(layout.rest(place, rank, next), rest_words);
            *prepared = next;
        }
        may_sleep
    }

    /// The first word of the slot that a member uses for a call, if its words are the group's.
    #[inline]
    fn slot_word(
        &self,
        load: &impl Fn(usize) -> u64,
        place: usize,
        (member, index): (Rank, u64),
    ) -> Option<u64> {
        let joined = self.at(place);
        let rank = joined.members[member];
        // Before the slot: until a member's tag was seen, its words may be those of another group.
        let is_its = joined.known.contains(member)
            || load(self.layout.tag(place, rank)) == tag_of(joined.group);
        let word = load(self.layout.index(place, rank, index));
        is_its.then_some(word)
    }

    /// Whether a member's deposit for a call lies there for this rank.
    #[inline]
    fn is_there(
        &self,
        load: &impl Fn(usize) -> u64,
        place: usize,
        (member, index): (Rank, u64),
    ) -> bool {
        let word = self.slot_word(load, place, (member, index));
        word.is_some_and(|word| is_for(word, index, self.at(place).own))
    }

    /// The stamp of a member's deposit for a call, modulo 2^48; None if it does not lie there for this
    /// rank.
    #[inline]
    pub(super) fn stamp<S: SharedWords + ?Sized>(
        &self,
        words: &S,
        place: usize,
        (member, index): (Rank, u64),
    ) -> Option<u64> {
        let is_there = self.is_there(&|word| words.load(word), place, (member, index));
        let stamp = || self.layout.stamp(place, self.world_rank(place, member), index);
        is_there.then(|| words.load(stamp()) >> LEN_BITS)
    }

    /// Copies what a member's deposit for a call says to this rank, which lies there. Returns how many
    /// [bytes](Deposits::bytes) that are.
    ///
    /// # Errors
    ///
    /// [`NotCopied::There`] where it lies elsewhere; [`NotCopied::TooLong`] if the member has broken the protocol.
    #[inline]
    pub(super) fn read<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        (member, index): (Rank, u64),
    ) -> Result<usize, NotCopied> {
        let Deposits { layout, groups, staging, .. } = self;
        let Joined { own, members, known, finished, read, .. } = at_mut(groups, place);
        let rank = members[member];
        let (slot, rest) = (layout.index(place, rank, index), layout.rest(place, rank, index));
        let (lengths, first) = (Lengths::decode(words.load(slot + 1)), slot + HEAD);
        let lengths = lengths.map_err(|TooLong(len)| NotCopied::TooLong(len))?;
        *known = known.with(member);
        if !lengths.is_behind {
            // It has deposited, so it has finished the calls before.
            finished[member] = finished[member].max(index - 1);
        }
        read[member].add(index);
        match lengths.room_of_one() {
            // The most frequent: one message to all, which lies in the slot.
            Some(room) if room <= SHORT_WORDS => {
                words.copy_into(first, staging.room(room));
                Ok(lengths.whole())
            }
            _ if lengths.is_elsewhere() => {
                let mut place = [0; Elsewhere::WORDS];
                words.copy_into(first, &mut place);
                let place = Elsewhere::of_words(place);
                let address = place.of_reader(*own, member);
                Err(NotCopied::There { address, len: place.len, room: place.room })
            }
            _ => Ok(staging.take(lengths, *own, (member, members.len()), |word, into| {
                let in_slot = SHORT_WORDS.saturating_sub(word).min(into.len());
                let (slot, behind) = into.split_at_mut(in_slot);
                words.copy_into(first + word, slot);
                if !behind.is_empty() {
                    words.copy_into(rest + word.saturating_sub(SHORT_WORDS), behind);
                }
            })),
        }
    }

    /// What was [read](Deposits::read) last.
    #[inline]
    pub(super) fn bytes(&self, len: usize) -> &[u8] {
        self.staging.bytes(len)
    }

    /// This rank makes a nonblocking call, in which each of these members gives it something: it reads that
    /// when the program waits for it.
    pub(super) fn begin_pending(&mut self, place: usize, (index, of): (u64, MemberSet)) {
        let joined = self.at_mut(place);
        joined.own_finished.begin_pending(index);
        of.iter().for_each(|member| joined.read[member].add(index));
    }

    /// This rank reads nothing more of a nonblocking call.
    pub(super) fn end_pending<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        index: u64,
    ) {
        self.at_mut(place).own_finished.end_pending(index);
        self.tell_finished(words, place);
    }

    /// This rank has read all that it needs of the calls up to this one, but for those that are pending.
    #[inline]
    pub(super) fn handle_finished<S: SharedWords + ?Sized>(
        &mut self,
        words: &S,
        place: usize,
        index: u64,
    ) {
        self.at_mut(place).own_finished.note(index);
        self.tell_finished(words, place);
    }

    #[inline]
    fn tell_finished<S: SharedWords + ?Sized>(&mut self, words: &S, place: usize) {
        if let Some(floor) = self.at_mut(place).own_finished.poll_floor() {
            // Nobody sleeps for it.
            words.fill(self.layout.finished(place, self.rank), &[floor]);
        }
    }
}

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, not(loom)))]
mod tests;
