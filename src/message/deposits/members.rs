//! Sets of members of a small group, and who reads a deposit.
//!
//! Keeps rules COL-9 and SAFE-1 of SEMANTICS.md.

use crate::order::Rank;

/// The fewest members of a group that deposits.
pub const LEAST_MEMBERS: usize = 2;

/// The most.
pub const MOST_MEMBERS: usize = 64;

/// Some members of a group of at most [`MOST_MEMBERS`], by their ranks in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberSet(u64);

impl MemberSet {
    /// No member.
    pub const NONE: MemberSet = MemberSet(0);

    /// The members before `end`.
    ///
    /// # Panics
    ///
    /// If `end` is above [`MOST_MEMBERS`].
    #[inline]
    pub const fn below(end: Rank) -> MemberSet {
        assert!(end <= MOST_MEMBERS);
        match end {
            0 => MemberSet::NONE,
            _ => MemberSet(u64::MAX >> (MOST_MEMBERS - end)),
        }
    }

    /// The set with one more member. One from [`MOST_MEMBERS`] on is left out: its group does not
    /// deposit.
    #[inline]
    pub const fn with(self, member: Rank) -> MemberSet {
        if member < MOST_MEMBERS { MemberSet(self.0 | 1 << member) } else { self }
    }

    /// The set without the members of another.
    #[inline]
    pub const fn without(self, others: MemberSet) -> MemberSet {
        MemberSet(self.0 & !others.0)
    }

    /// Those that are in both sets.
    #[inline]
    pub const fn and(self, others: MemberSet) -> MemberSet {
        MemberSet(self.0 & others.0)
    }

    /// One member.
    #[inline]
    pub const fn only(member: Rank) -> MemberSet {
        MemberSet::NONE.with(member)
    }

    /// Whether a member is in the set.
    #[inline]
    pub const fn contains(self, member: Rank) -> bool {
        member < MOST_MEMBERS && self.0 >> member & 1 == 1
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, lowest first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Rank> + Clone {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let member = bits.trailing_zeros() as Rank;
            let is_there = bits != 0;
            bits &= bits.wrapping_sub(1);
            is_there.then_some(member)
        })
    }

    pub(super) const fn bits(self) -> u64 {
        self.0
    }

    pub(super) const fn of_bits(bits: u64) -> MemberSet {
        MemberSet(bits)
    }
}

/// Who reads a deposit: the members of a range, but for its sender. Sixteen bits say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readers {
    sender: u8,
    first: u8,
    end: u8,
}

const _: () = assert!(MOST_MEMBERS <= u8::MAX as usize);

impl Readers {
    /// Those from `first` to before `end`, but for the `sender`.
    ///
    /// # Panics
    ///
    /// If `end` or the sender is above [`MOST_MEMBERS`].
    #[inline]
    pub const fn between(sender: Rank, first: Rank, end: Rank) -> Readers {
        assert!(sender <= MOST_MEMBERS && end <= MOST_MEMBERS);
        let first = if first < end { first } else { end };
        Readers { sender: sender as u8, first: first as u8, end: end as u8 }
    }

    /// One member.
    ///
    /// # Panics
    ///
    /// If there is no such member.
    #[inline]
    pub const fn only(sender: Rank, member: Rank) -> Readers {
        Readers::between(sender, member, member + 1)
    }

    /// These members, if there are any, and no other lies between them but the `sender`.
    pub fn of(sender: Rank, members: impl Iterator<Item = Rank>) -> Option<Readers> {
        let (mut set, mut end) = (MemberSet::NONE, 0);
        for member in members {
            set = set.with(member);
            end = end.max(member + 1);
        }
        let first = set.iter().next()?;
        let is_small = end <= MOST_MEMBERS && sender <= MOST_MEMBERS;
        let readers = is_small.then(|| Readers::between(sender, first, end))?;
        (readers.set() == set).then_some(readers)
    }

    /// As a set.
    #[inline]
    pub const fn set(self) -> MemberSet {
        let all = MemberSet::below(self.end as Rank).without(MemberSet::below(self.first as Rank));
        all.without(MemberSet::only(self.sender as Rank))
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.set().is_empty()
    }

    /// As bits. Who sent it need not be told.
    #[inline]
    pub(super) const fn bits(self) -> u16 {
        (self.first as u16) << 8 | self.end as u16
    }
}

/// Exactly these read, whoever has sent it: members of a range, but one at most.
#[cfg(test)]
impl From<MemberSet> for Readers {
    fn from(members: MemberSet) -> Readers {
        let by = |sender| Readers::of(sender, members.iter());
        (0..=MOST_MEMBERS).find_map(by).expect("a range of members")
    }
}

/// Whether `member`, who is not the sender, reads a deposit by such bits. A peer stores any.
#[inline]
pub(super) const fn reads(bits: u16, member: Rank) -> bool {
    let (first, end) = ((bits >> 8) as Rank, (bits & 0xff) as Rank);
    first <= member && member < end
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_members_that_were_put_in() {
        let all = MemberSet::below(MOST_MEMBERS);
        assert_eq!(all.iter().collect::<Vec<_>>(), (0..MOST_MEMBERS).collect::<Vec<_>>());
        let some = MemberSet::below(3).without(MemberSet::only(1)).with(63);
        assert_eq!(some.iter().collect::<Vec<_>>(), [0, 2, 63]);
        assert!(some.contains(63) && !some.contains(1) && !some.contains(64));
        assert!(MemberSet::NONE.iter().next().is_none() && MemberSet::below(0).is_empty());
        assert_eq!(some.with(64), some);
        assert_eq!(some.and(MemberSet::below(2)), MemberSet::only(0));
    }

    /// All ranges of all senders. (Planted: the last member is left out; the sender reads its own; members with others between
    /// them are taken for a range.)
    // SEMANTICS: COL-9
    #[test]
    fn those_read_that_are_told_to() {
        for (sender, first, end) in
            [(0, 1, 64), (63, 0, 64), (5, 0, 9), (5, 7, 8), (2, 3, 3), (9, 9, 10)]
        {
            let readers = Readers::between(sender, first, end);
            let members: Vec<_> = (first..end).filter(|&member| member != sender).collect();
            assert_eq!(readers.set().iter().collect::<Vec<_>>(), members);
            assert_eq!(readers.is_empty(), members.is_empty());
            let read = (0..MOST_MEMBERS).filter(|&it| it != sender && reads(readers.bits(), it));
            assert_eq!(read.collect::<Vec<_>>(), members);
            let again = Readers::of(sender, members.iter().copied());
            assert_eq!(again.map(Readers::set), (!members.is_empty()).then(|| readers.set()));
        }
        assert_eq!(Readers::of(1, [0, 3].into_iter()), None);
        assert_eq!(Readers::of(0, 1..MOST_MEMBERS + 1), None);
        assert_eq!(Readers::of(7, [3].into_iter()), Some(Readers::only(7, 3)));
    }
}
