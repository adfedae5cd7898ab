//! Sets of members of a small group.

use crate::order::Rank;

/// The fewest members of a group that deposits.
pub const LEAST_MEMBERS: usize = 2;

/// The most.
pub const MOST_MEMBERS: usize = 16;

/// Some members of a group of at most [`MOST_MEMBERS`], by their ranks in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberSet(u16);

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
        MemberSet(((1u32 << end) - 1) as u16)
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

    pub(super) const fn bits(self) -> u16 {
        self.0
    }

    pub(super) const fn of_bits(bits: u16) -> MemberSet {
        MemberSet(bits)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_members_that_were_put_in() {
        let all = MemberSet::below(MOST_MEMBERS);
        assert_eq!(all.iter().collect::<Vec<_>>(), (0..MOST_MEMBERS).collect::<Vec<_>>());
        let some = MemberSet::below(3).without(MemberSet::only(1)).with(15);
        assert_eq!(some.iter().collect::<Vec<_>>(), [0, 2, 15]);
        assert!(some.contains(15) && !some.contains(1) && !some.contains(16));
        assert!(MemberSet::NONE.iter().next().is_none() && MemberSet::below(0).is_empty());
        assert_eq!(some.with(16), some);
        assert_eq!(some.and(MemberSet::below(2)), MemberSet::only(0));
    }
}
