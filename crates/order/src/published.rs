//! The barriers of one group whose members publish what they have entered, where others can read
//! it.
//!
//! The schedule is all-to-all in one step: everyone learns of everyone, and nobody forwards. But
//! nothing is sent. A rank publishes the latest epoch that it has entered, once for all, and looks
//! at what the others have published. So entering costs the same at any size.
//!
//! A look begins at the member that was lacking last time: while that member has not entered, one
//! word says so. What was seen of a member is a lower bound, as a cell of [`super::epochs`] is.
//!
//! If everybody looked at everybody, a barrier would cost each rank more the more members there
//! are. So the last rank to enter, which finds the barrier complete as it enters, says so to all
//! others: it publishes the *completed epoch*, one that all members have entered. The completed
//! epoch is a short cut and never waited for; a rank that finds none looks on for itself.
//!
//! A group may be on several hosts ([`Published::on_hosts`]). Then the members of a host see each
//! other's words only, and [`super::hosts`] says what a host tells other hosts. Whoever says that
//! all members have entered an epoch, and however, it is one event: [`Published::handle_complete`].
//!
//! This module does not know where the words are (the message layer's board), nor other groups,
//! clocks or containment (see [`super::core`]). Ranks here are positions in the group.
//!
//! Keeps rules BAR-1 to BAR-5 of SEMANTICS.md.

use super::hosts::{Cell, HostBarrier, Topology, Write};
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
    /// The latest epoch that each member is known to have published; the own one is `Epoch::MAX`.
    /// Of a group on several hosts nothing is noted here.
    seen: Vec<Epoch>,
    /// Where the next look begins.
    lacking: Scratch<Rank>,
    /// Where the members are on several hosts.
    hosts: Option<Box<Hosts>>,
}

/// What is particular to a group on several hosts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Hosts {
    barrier: HostBarrier,
    /// The completed epoch that was said on this host, by this rank or by another.
    said: Epoch,
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
            seen,
            lacking: Scratch::default(),
            hosts: None,
        }
    }

    /// As [`new`](Published::new), of members on several hosts.
    pub fn on_hosts(own: Rank, size: usize, hosts: Topology, first: Epoch) -> Published {
        let barrier = HostBarrier::new(hosts, first);
        let hosts = Some(Box::new(Hosts { barrier, said: first }));
        Published { hosts, ..Published::new(own, size, first) }
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

    /// The others can do without this rank in this epoch and those before. The first rank of a host
    /// answers for what its host must pass on.
    #[inline]
    pub fn signalled(&self) -> Epoch {
        match self.hosts.as_deref() {
            Some(Hosts { barrier, .. }) if barrier.answers(self.own) => {
                // What is complete here was passed on, by this rank or by another.
                self.published.min(barrier.passed_on().max(self.complete))
            }
            _ => self.published,
        }
    }

    /// Enters the next epoch.
    #[inline]
    pub fn handle_enter(&mut self) {
        self.entered += 1;
        // Most often some member is known to lack it, and nothing else need be looked at.
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

    /// All members have entered `epoch`: a member has said so, of its host or of all. Returns
    /// whether a barrier has completed. More than this rank has entered is not believed.
    pub fn handle_complete(&mut self, epoch: Epoch) -> bool {
        let news = self.handle_complete_near(epoch);
        if let (Some(hosts), true) = (&mut self.hosts, news) {
            hosts.barrier.handle_complete(epoch);
            hosts.said = hosts.said.max(epoch);
        }
        news
    }

    /// The same in a group on one host.
    #[inline]
    pub(super) fn handle_complete_near(&mut self, epoch: Epoch) -> bool {
        let news = epoch > self.complete && epoch <= self.entered;
        if news {
            self.complete = epoch;
        }
        news
    }

    /// `member`, whose word all members see, has published at least `epoch`. Returns whether that
    /// was news.
    pub fn handle_published(&mut self, member: Rank, epoch: Epoch) -> bool {
        let seen = &mut self.seen[member];
        let news = epoch > *seen;
        if news {
            *seen = epoch;
            self.settle();
        }
        news
    }

    /// Looks at what the others have published, as far as it takes to say whether the next barrier
    /// of a group on one host is complete. `load` reads the word of a member, and gets what was
    /// seen there before. Returns whether a barrier has completed.
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

    /// As [`look`](Published::look), of a group on several hosts: at what members of this host have
    /// published, and at what other hosts have told. `load` reads a cell of a member, and gets
    /// whether that member is known to have said something; None if it has not. What is to be
    /// written after that ([`poll_write`](Published::poll_write)) must be, before the next look
    /// goes further.
    ///
    /// # Errors
    ///
    /// As by [`look`](Published::look).
    pub fn look_on_hosts(
        &mut self,
        limit: Epoch,
        mut load: impl FnMut(Rank, Cell, bool) -> Option<Epoch>,
    ) -> Result<bool, Impossible> {
        let Some(hosts) = self.hosts.as_deref().filter(|_| self.complete < self.entered) else {
            return Ok(false);
        };
        let near = hosts.barrier.topology().near();
        let said = if near.len() > 1 { load(near[0], Cell::Complete, false) } else { None };
        let news = said.is_some_and(|epoch| self.handle_complete(epoch));
        let Some(Hosts { barrier, .. }) = self.hosts.as_deref_mut() else { return Ok(news) };
        barrier.look(limit, load)?;
        let (before, reached) = (self.complete, barrier.complete().min(self.entered));
        self.complete = before.max(reached);
        Ok(news || reached > before)
    }

    /// What this rank is to write for its host now: see [`HostBarrier::poll_write`].
    #[inline]
    pub fn poll_write(&self) -> Option<Write> {
        self.hosts.as_deref()?.barrier.poll_write()
    }

    /// This rank has written that to each host that the round names.
    pub fn handle_written(&mut self, write: Write) {
        if let Some(hosts) = &mut self.hosts {
            hosts.barrier.handle_written(write);
        }
    }

    /// Whether this rank has found that all members have entered an epoch, and nobody on its host
    /// has said so.
    #[inline]
    pub fn has_found(&self) -> bool {
        let hosts = self.hosts.as_deref();
        hosts.is_some_and(|hosts| hosts.said < self.complete && hosts.has_mates())
    }

    /// What this rank is to say on its host now, if anything: the completed epoch.
    pub fn poll_found(&mut self) -> Option<Epoch> {
        let complete = self.complete;
        let found = self.has_found().then_some(complete);
        if let (Some(hosts), Some(epoch)) = (&mut self.hosts, found) {
            hosts.said = epoch;
        }
        found
    }

    /// Whether the members are on several hosts.
    #[inline]
    pub fn spans_hosts(&self) -> bool {
        self.hosts.is_some()
    }

    /// Whether [`look_on_hosts`](Published::look_on_hosts) would find nothing, and nothing is to be
    /// written. False does not mean that it would find something.
    pub fn is_quiet_on_hosts(&self, load: impl Fn(Rank, Cell, bool) -> Option<Epoch>) -> bool {
        let open = self.hosts.as_deref().filter(|_| self.complete < self.entered);
        open.is_none_or(|hosts| hosts.barrier.is_quiet(load))
    }

    /// Whether `member` is known to have published something for this group.
    #[inline]
    pub fn has_come(&self, member: Rank) -> bool {
        self.seen[member] > self.first
    }

    /// Whether [`look`](Published::look) would find nothing, as one word says: mostly that of the
    /// member that was lacking last time. False does not mean that it would find something.
    #[inline]
    pub fn is_quiet(&self, load: impl FnOnce(Rank, Epoch) -> Epoch) -> bool {
        let (member, complete) = (self.lacking.0, self.complete);
        let seen = self.seen[member];
        complete == self.entered || seen <= complete && load(member, seen) <= complete
    }

    /// The members that are not known to have entered `epoch`.
    pub fn lacking(&self, epoch: Epoch) -> impl Iterator<Item = Rank> + '_ {
        let is_complete = self.complete >= epoch;
        (0..self.seen.len()).filter(move |&member| !is_complete && self.seen[member] < epoch)
    }

    /// Whether any member but this rank is known to have entered `epoch`, or the one behind
    /// `first`.
    pub fn has_heard_of(&self, epoch: Epoch) -> bool {
        let told = |hosts: &Hosts| epoch == self.first + 1 && hosts.barrier.has_heard();
        self.lacking(epoch).count() + 1 < self.size() || self.hosts.as_deref().is_some_and(told)
    }

    /// Whether `member` is known to have entered `epoch`. False does not mean that it has not.
    pub fn has_heard(&self, member: Rank, epoch: Epoch) -> bool {
        match member == self.own {
            true => self.entered >= epoch,
            false => self.seen[member] >= epoch || self.complete >= epoch,
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

impl Hosts {
    fn has_mates(&self) -> bool {
        self.barrier.topology().near().len() > 1
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

    /// Where it is quiet a look finds nothing, and a look finds all that there is. (Planted: a
    /// quiet that takes a member for lacking that has entered; a look that ends with the last
    /// member, wherever it began.) SEMANTICS: BAR-1 BAR-4
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
    fn a_completed_epoch_stands_for_a_look_at_all() {
        let mut rank = Published::new(0, 4, 7);
        (0..3).for_each(|_| rank.handle_enter());
        assert!(!rank.handle_complete(7) && rank.handle_complete(9) && !rank.handle_complete(9));
        assert_eq!(rank.complete(), 9);
        // More than this rank has entered, and less than is known.
        assert!(!rank.handle_complete(11) && !rank.handle_complete(8));
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
