//! The barriers of one group whose members publish what they have entered, where all can read it.
//!
//! The schedule is that of all-to-all, in one step: everyone learns of everyone, and nobody forwards.
//! But nothing is sent: a rank publishes the latest epoch that it has entered, once for all, and
//! looks at what the others have published. So entering costs the same at any size.
//!
//! A look begins at the member that was lacking last time: while it has not come, one word says so.
//! What was seen of the others is then older than what they have published, which is no harm: what is
//! seen of a member is a lower bound, as a cell of [`super::epochs`] is.
//!
//! If everybody looked at everybody, a barrier would cost each rank more the more members there are. So
//! whoever finds a barrier complete as it enters, the last, says so to all others: that is the group's
//! *sum*, an epoch that all members have entered. A sum is a short cut and never waited for; whoever
//! finds none looks on for itself.
//!
//! This does not know where the words are (the message layer's board), nor other groups, clocks or
//! containment (see [`super::core`]). Ranks here are positions in the group.
//!
//! Keeps rules BAR-1 to BAR-5 of SEMANTICS.md.

use super::scratch::Scratch;
use super::{Epoch, Rank};

/// The state of all barriers of one published group at one of its ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Published {
    own: Rank,
    first: Epoch,
    entered: Epoch,
    complete: Epoch,
    /// The latest epoch that was given out to be published.
    published: Epoch,
    /// Where hosts pass on what their members have entered, and this rank answers for its host: what was passed on.
    passed_on: Epoch,
    /// The latest epoch that each member is known to have published; the own one is `Epoch::MAX`.
    seen: Vec<Epoch>,
    /// Where the next look begins.
    lacking: Scratch<Rank>,
}

/// A member has published an epoch that it cannot have entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impossible {
    /// The member.
    pub member: Rank,
    /// What it has published.
    pub epoch: Epoch,
}

impl Published {
    /// No barrier has been entered beyond `first`. `own` is the place of this rank among the `size`
    /// members.
    pub fn new(own: Rank, size: usize, first: Epoch) -> Published {
        let mut seen = vec![first; size];
        seen[own] = Epoch::MAX;
        Published {
            own,
            first,
            entered: first,
            complete: first,
            published: first,
            passed_on: Epoch::MAX,
            seen,
            lacking: Scratch::default(),
        }
    }

    /// The epoch that the group starts after.
    #[inline]
    pub fn first(&self) -> Epoch {
        self.first
    }

    /// The latest epoch that this rank has entered.
    #[inline]
    pub fn entered(&self) -> Epoch {
        self.entered
    }

    /// All members are known to have entered this epoch and those before.
    #[inline]
    pub fn complete(&self) -> Epoch {
        self.complete
    }

    /// The others can learn that this rank has entered this epoch and those before.
    #[inline]
    pub fn published(&self) -> Epoch {
        self.published
    }

    /// The others can do without this rank in this epoch and those before.
    #[inline]
    pub fn signalled(&self) -> Epoch {
        // What is complete here was passed on, by whomever.
        self.published.min(self.passed_on.max(self.complete))
    }

    /// What others need that this rank has published is passed on by its host, for which it answers: that has been done
    /// up to `epoch`.
    #[inline]
    pub fn handle_passed_on(&mut self, epoch: Epoch) {
        self.passed_on = epoch;
    }

    /// Enters the next epoch.
    #[inline]
    pub fn handle_enter(&mut self) {
        self.entered += 1;
        // Most often somebody is known to lack it, and nothing else need be looked at.
        if self.seen[self.lacking.0] >= self.entered || self.seen.len() == 1 {
            self.settle();
        }
    }

    /// Whether there is something to be published.
    #[inline]
    pub fn has_news(&self) -> bool {
        self.published < self.entered
    }

    /// What is to be published now, if anything: the newest epoch, and that of the last time.
    #[inline]
    pub fn poll_published(&mut self) -> Option<(Epoch, Epoch)> {
        let before = std::mem::replace(&mut self.published, self.entered);
        (before < self.entered).then_some((before, self.entered))
    }

    /// A member has said that all have entered `epoch`. Returns whether a barrier has completed. What
    /// cannot be is not believed: this rank itself has not entered more than it has.
    #[inline]
    pub fn handle_sum(&mut self, epoch: Epoch) -> bool {
        let news = epoch > self.complete && epoch <= self.entered;
        if news {
            self.complete = epoch;
        }
        news
    }

    /// `member` has published at least `epoch`. Returns whether that was news.
    pub fn handle_published(&mut self, member: Rank, epoch: Epoch) -> bool {
        let seen = &mut self.seen[member];
        let news = epoch > *seen;
        if news {
            *seen = epoch;
            self.settle();
        }
        news
    }

    /// Looks at what the others have published, as far as it takes to say whether the next barrier is
    /// complete; `load` reads the word of a member, and gets what was seen there before. Returns
    /// whether a barrier has completed.
    ///
    /// # Errors
    ///
    /// [`Impossible`] if a member has published an epoch above `limit`.
    #[inline]
    pub fn look(
        &mut self,
        limit: Epoch,
        mut load: impl FnMut(Rank, Epoch) -> Epoch,
    ) -> Result<bool, Impossible> {
        if self.complete == self.entered {
            return Ok(false);
        }
        let seen = &mut self.seen[..];
        let from = self.lacking.0;
        let (mut floor, mut member) = (self.entered, from);
        loop {
            let known = &mut seen[member];
            if *known < self.entered {
                let epoch = load(member, *known);
                if epoch > limit {
                    return Err(Impossible { member, epoch });
                }
                if epoch >= self.entered {
                    *known = epoch;
                } else {
                    *known = epoch.max(*known);
                    if *known <= self.complete {
                        self.lacking.0 = member;
                        return Ok(false);
                    }
                    if *known < floor {
                        (floor, self.lacking.0) = (*known, member);
                    }
                }
            }
            member = if member + 1 < seen.len() { member + 1 } else { 0 };
            if member == from {
                break;
            }
        }
        self.complete = floor;
        Ok(true)
    }

    /// Whether `member` is known to have published something for this group.
    #[inline]
    pub fn has_come(&self, member: Rank) -> bool {
        self.seen[member] > self.first
    }

    /// Whether [`look`](Published::look) would find nothing, as one word says: mostly that of the member that
    /// was lacking last time. False does not mean that it would find something.
    #[inline]
    pub fn is_quiet(&self, load: impl FnOnce(Rank, Epoch) -> Epoch) -> bool {
        let (member, complete) = (self.lacking.0, self.complete);
        let seen = self.seen[member];
        complete == self.entered || seen <= complete && load(member, seen) <= complete
    }

    /// The members that are not known to have entered `epoch`.
    pub fn lacking(&self, epoch: Epoch) -> impl Iterator<Item = Rank> + '_ {
        (0..self.seen.len()).filter(move |&member| self.seen[member] < epoch)
    }

    /// Whether `member` is known to have entered `epoch`. False does not mean that it has not.
    pub fn has_heard(&self, member: Rank, epoch: Epoch) -> bool {
        match member == self.own {
            true => self.entered >= epoch,
            false => self.seen[member] >= epoch,
        }
    }

    /// The number of members.
    pub fn size(&self) -> usize {
        self.seen.len()
    }

    fn settle(&mut self) {
        let floor = self.seen.iter().copied().min().unwrap_or(Epoch::MAX);
        self.complete = self.complete.max(floor.min(self.entered));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(rank: &mut Published, words: &mut [Epoch]) {
        rank.handle_enter();
        let (before, epoch) = rank.poll_published().unwrap();
        assert_eq!(words[rank.own], before);
        words[rank.own] = epoch;
    }

    // SEMANTICS: BAR-1 BAR-4
    #[test]
    fn who_is_lacking_alone_is_looked_at() {
        let mut words = [0; 5];
        let mut ranks: Vec<Published> = (0..5).map(|own| Published::new(own, 5, 0)).collect();
        for rank in [3, 0, 1, 4] {
            enter(&mut ranks[rank], &mut words);
        }
        let mut loads = Vec::new();
        for _ in 0..3 {
            let mut load = |member: Rank, _| {
                loads.push(member);
                words[member]
            };
            assert_eq!(ranks[3].look(1, &mut load), Ok(false));
        }
        assert_eq!(loads, [0, 1, 2, 2, 2]);
        enter(&mut ranks[2], &mut words);
        for rank in &mut ranks {
            assert_eq!(rank.look(1, |member, _| words[member]), Ok(true));
            assert_eq!(rank.complete(), 1);
            assert_eq!(rank.look(1, |_, _| panic!("nothing is open")), Ok(false));
        }
    }

    /// Where it is quiet a look finds nothing, and a look finds all that there is. (Planted: a quiet that takes
    /// a member for lacking that has entered; a look that ends with the last member, wherever it began.)
    /// SEMANTICS: BAR-1 BAR-4
    #[test]
    fn a_look_finds_all_and_it_is_quiet_only_if_that_is_nothing() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut quiet, mut found) = (0, 0);
        for _ in 0..200 {
            let size = random.usize(1..5);
            let own = random.usize(..size);
            let mut words = vec![0; size];
            let mut rank = Published::new(own, size, 0);
            for _ in 0..40 {
                let member = random.usize(..size);
                if member == own {
                    enter(&mut rank, &mut words);
                } else if words[member] < rank.complete() + 3 {
                    words[member] += 1;
                }
                let is_quiet = rank.is_quiet(|member, _| words[member]);
                // Else the word of whoever lacked last says something.
                assert!(is_quiet || words[rank.lacking.0] > rank.complete());
                let completed = rank.look(100, |member, _| words[member]).unwrap();
                assert!(!(is_quiet && completed), "{rank:?} {words:?}");
                let reached = words.iter().copied().min().expect("there is a member");
                assert_eq!(rank.complete(), reached, "{rank:?} {words:?}");
                quiet += u32::from(is_quiet);
                found += u32::from(completed);
            }
        }
        assert!(quiet > 1000 && found > 300, "{quiet} {found}");
    }

    // SEMANTICS: BAR-3
    #[test]
    fn one_publication_stands_for_several_barriers() {
        let mut rank = Published::new(1, 3, 7);
        (0..4).for_each(|_| rank.handle_enter());
        assert_eq!(rank.poll_published(), Some((7, 11)));
        assert_eq!(rank.poll_published(), None);
        let words = [9, 0, 10];
        assert_eq!(rank.look(20, |member, _| words[member]), Ok(true));
        assert_eq!(rank.complete(), 9);
        // Less than before says nothing.
        assert_eq!(rank.look(20, |_, _| 3), Ok(false));
        assert_eq!(rank.lacking(10).collect::<Vec<_>>(), [0]);
        assert!(!rank.handle_published(2, 10) && rank.handle_published(0, 12));
        assert_eq!(rank.complete(), 10);
        assert!(rank.has_heard(0, 12) && rank.has_heard(1, 11) && !rank.has_heard(1, 12));
    }

    // SEMANTICS: BAR-5
    #[test]
    fn what_was_seen_before_entering_counts_once() {
        let mut rank = Published::new(0, 2, 0);
        assert!(rank.handle_published(1, 1));
        assert_eq!((rank.complete(), rank.entered()), (0, 0));
        rank.handle_enter();
        assert_eq!(rank.complete(), 1);
        rank.handle_enter();
        assert_eq!(rank.complete(), 1);
    }

    // SEMANTICS: BAR-1 BAR-3
    #[test]
    fn a_sum_stands_for_a_look_at_all() {
        let mut rank = Published::new(0, 4, 7);
        (0..3).for_each(|_| rank.handle_enter());
        assert!(!rank.handle_sum(7) && rank.handle_sum(9) && !rank.handle_sum(9));
        assert_eq!(rank.complete(), 9);
        // More than this rank has entered, and less than is known.
        assert!(!rank.handle_sum(11) && !rank.handle_sum(8));
        assert_eq!(rank.complete(), 9);
        // What was seen of the others is older than that, and is looked at afresh.
        assert_eq!(rank.look(20, |_, _| 9), Ok(false));
        assert_eq!(rank.look(20, |_, _| 10), Ok(true));
        assert_eq!(rank.complete(), 10);
    }

    // SEMANTICS: SAFE-1
    #[test]
    fn an_impossible_epoch_is_named() {
        let mut rank = Published::new(0, 3, 0);
        rank.handle_enter();
        let found = rank.look(5, |member, _| if member == 2 { 6 } else { 1 });
        assert_eq!(found, Err(Impossible { member: 2, epoch: 6 }));
        assert_eq!(rank.complete(), 0);
    }
}
