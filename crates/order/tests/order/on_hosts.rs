//! A group on several hosts as the driver of an [`Order`] sees it: the writes to other hosts and to
//! its own, and the words that a rank still owes.

use std::collections::HashMap;

use runahead_order::core::board::{HostWrite, Word};
use runahead_order::hosts::{Cell, Target, Topology, Write};
use runahead_order::{Carrier, Epoch, GroupId, Order, Ordering, ProtocolError, Rank};

const PLACE: usize = 5;
const GROUP: GroupId = GroupId::WORLD;

/// One member of a group on hosts, and the words of its host.
struct Member {
    order: Order,
    words: HashMap<(Rank, Cell), Epoch>,
}

impl Member {
    fn new(own: Rank, host_of: &[u32], ports: usize) -> Member {
        let members: Vec<Rank> = (0..host_of.len()).collect();
        let mut order = Order::new(own, members.len(), Ordering::Contained, 4);
        let hosts = Some(Topology::new(own, host_of, ports));
        order.add_group(GROUP, &members, Carrier::Board { place: PLACE, hosts }, 0).unwrap();
        Member { order, words: HashMap::new() }
    }

    fn say(&mut self, rank: Rank, cell: Cell, epoch: Epoch) {
        self.words.insert((rank, cell), epoch);
    }

    fn enter(&mut self) {
        self.order.handle_initiate(GROUP).unwrap();
        let (own, words) = (self.order.rank(), &mut self.words);
        self.order.poll_published(|entered| {
            words.insert((own, Cell::Entered), entered.epoch);
        });
    }

    fn try_look(&mut self) -> Result<bool, ProtocolError> {
        let words = &self.words;
        let load = |word: Word| {
            assert_eq!((word.place, word.group), (PLACE, GROUP));
            words.get(&(word.rank, word.cell)).copied()
        };
        self.order.look(&load)
    }

    fn look(&mut self) -> bool {
        self.try_look().unwrap()
    }

    /// What it is to write to other hosts now, which is `taken` or not.
    fn writes(&mut self, taken: bool) -> Vec<(usize, Epoch)> {
        let mut writes = Vec::new();
        self.order.poll_writes(|HostWrite { place, group, write: Write { to, epoch } }| {
            assert_eq!((place, group), (PLACE, GROUP));
            let Target::Round(round) = to else { return false };
            writes.push((round, epoch));
            taken
        });
        writes
    }

    /// What it is to say on its own host now.
    fn found(&mut self) -> Vec<(usize, Epoch)> {
        let mut found = Vec::new();
        let written =
            self.order.poll_writes(|HostWrite { place, write: Write { to, epoch }, .. }| {
                found.extend((to == Target::OwnHost).then_some((place, epoch)));
                to == Target::OwnHost
            });
        assert_eq!(written, found.len() as u64);
        found
    }

    fn complete(&self) -> Option<Epoch> {
        self.order.progress_of(GROUP).map(|(_, complete, _)| complete)
    }

    fn is_quiet(&self) -> bool {
        self.order.are_hosts_quiet(&|word: Word| self.words.get(&(word.rank, word.cell)).copied())
    }
}

const ROUND: Cell = Cell::Told { round: 0 };

/// The last rank of a host to enter tells the other host, however often it must try. It says once on
/// its own host that a barrier is complete. (Mutants: a write that counts though it was not taken; a
/// completed epoch that is said each time.) SEMANTICS: BAR-1, BAR-4
#[test]
fn the_last_of_a_host_tells_and_says_what_it_finds() {
    let mut member = Member::new(0, &[0, 0, 1], 1);
    member.enter();
    assert!(!member.look() && member.writes(true).is_empty() && member.is_quiet());
    member.say(1, Cell::Entered, 1);
    assert!(!member.is_quiet() && !member.look());
    for _ in 0..2 {
        assert!(!member.is_quiet());
        assert_eq!(member.writes(false), [(0, 1)]);
    }
    member.say(2, ROUND, 1);
    assert!(!member.look(), "what others need is not told yet");
    assert_eq!(member.writes(true), [(0, 1)]);
    assert!(!member.order.has_heard(GROUP, 2, 1));
    assert!(member.look() && member.writes(true).is_empty());
    assert!(member.order.has_heard(GROUP, 2, 1) && !member.order.lacks(GROUP, 2, 1));
    assert_eq!((member.found(), member.found()), (vec![(PLACE, 1)], vec![]));
    assert_eq!(member.complete(), Some(1));
}

/// What a mate has told need not be told again, and what a mate says is complete is not said again;
/// more than this rank has entered is not believed. SEMANTICS: BAR-1, BAR-3, SAFE-1
#[test]
fn what_a_mate_has_done_is_not_done_again() {
    let mut member = Member::new(1, &[0, 0, 1], 1);
    member.enter();
    member.say(0, Cell::Entered, 1);
    member.say(0, Cell::HasTold { round: 0 }, 1);
    assert!(!member.look() && member.writes(true).is_empty());
    member.say(0, Cell::Complete, 2);
    assert!(!member.look());
    member.say(0, Cell::Complete, 1);
    assert!(member.look() && member.found().is_empty());
    member.enter();
    member.say(2, ROUND, 2);
    member.say(0, Cell::Entered, 2);
    assert!(!member.look(), "not told yet");
    assert_eq!(member.writes(true), [(0, 2)]);
    assert!(member.look() && member.complete() == Some(2));
    member.enter();
    member.say(0, Cell::Entered, 3);
    member.say(2, ROUND, 8);
    let (from, group) = (2, GROUP);
    let wrong = ProtocolError::ImpossibleEpoch { from, group, epoch: 8, limit: 7 };
    assert_eq!(member.try_look(), Err(wrong));
    let wrong = ProtocolError::UnexpectedStep { from, group, step: 0 };
    assert_eq!(member.order.handle_published(2, GROUP, 2), Err(wrong));
}

/// A rank alone on its host says nothing to itself; a group is not forgotten before what was found
/// is said. SEMANTICS: BAR-4, GRP-3
#[test]
fn a_dropped_group_says_what_it_has_found() {
    for (host_of, found) in [(&[0, 1][..], vec![]), (&[0, 0, 1], vec![(PLACE, 1)])] {
        let mut member = Member::new(0, host_of, 1);
        member.enter();
        for mate in 1..host_of.len() - 1 {
            member.say(mate, Cell::Entered, 1);
        }
        member.order.handle_drop(GROUP);
        member.say(host_of.len() - 1, ROUND, 1);
        member.look();
        assert_eq!((member.writes(true), member.complete()), (vec![(0, 1)], Some(0)));
        assert!(member.look());
        assert_eq!(member.complete().is_some(), !found.is_empty(), "{host_of:?}");
        assert_eq!((member.found(), member.complete()), (found, None));
    }
}

/// The first rank of a host is needed as long as its host has not passed on what others need, and
/// no longer once the barrier is complete. (Mutants: every rank of a host answers for it; a member
/// that hears that a barrier is complete still tells the rounds of it.) SEMANTICS: END-1, END-2
#[test]
fn what_a_host_passes_on_is_owed_by_its_first_rank() {
    // With one port three hosts take two rounds.
    let host_of = [0, 0, 1, 2];
    let mut mate = Member::new(1, &host_of, 1);
    mate.enter();
    assert_eq!(mate.order.signalled_clock(3), 1);
    let mut first = Member::new(0, &host_of, 1);
    (0..3).for_each(|_| first.enter());
    let owed = |member: &Member| member.order.signalled_clock(3);
    assert_eq!(owed(&first), 0);
    first.say(1, Cell::Entered, 3);
    assert!(!first.look());
    assert_eq!((first.writes(true), owed(&first)), (vec![(0, 3)], 0));
    // Host 0 hears host 2 in the first round, and host 1 in the second.
    first.say(3, ROUND, 2);
    assert!(!first.look());
    assert_eq!(owed(&first), 0);
    assert_eq!((first.writes(true), owed(&first)), (vec![(1, 2)], 2));
    first.say(2, Cell::Told { round: 1 }, 3);
    assert!(first.look());
    assert_eq!((first.complete(), owed(&first)), (Some(2), 2));
    first.say(0, Cell::Complete, 3);
    assert!(first.look());
    assert_eq!((first.complete(), owed(&first)), (Some(3), 3));
}

/// A write says to which round it belongs, and a host that has told everything has nothing to
/// write. SEMANTICS: BAR-3
#[test]
fn one_write_stands_for_several_barriers() {
    let mut member = Member::new(0, &[0, 1], 1);
    (0..3).for_each(|_| member.enter());
    assert!(!member.look());
    let mut writes = Vec::new();
    member.order.poll_writes(|told| {
        writes.push(told.write);
        true
    });
    assert_eq!(writes, [Write { to: Target::Round(0), epoch: 3 }]);
    member.say(1, ROUND, 2);
    assert!(member.look());
    assert_eq!(member.complete(), Some(2));
    assert!(member.writes(true).is_empty());
}
