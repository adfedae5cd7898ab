//! Releases by multicast over every interleaving of small groups: members write their epochs up the
//! tree, and the root's release goes to all at once. Each member gets it, or does not, early, late,
//! twice and in any order. A member that lacks it asks, by reading what the root has written down.
//! The cores are the real ones. (That words of the gather may be under way for any time is searched
//! in `written`; here they arrive when they are sent, and are looked at some time.)
//!
//! What must hold in every state stands in `interleavings`: it holds although any of the datagrams
//! may have been lost. The mutants show that the search notices.

use std::collections::BTreeSet;

use runahead_order::written::{datagram_of, read_datagram, word_of};
use runahead_order::{Algorithm, Carrier, Epoch, GroupId, Order, Ordering, ProtocolError, Rank};

use crate::interleavings::{GROUP, PLACE, Words, complete, entered};
use crate::search::{Searched, Steps, System, search};

/// The first in the list of members, which is in no order.
const ROOT: Rank = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// A member that lacks a release does not ask.
    NobodyAsks,
    /// The root writes down the next release before it may.
    AnswersEarly,
    /// The root writes down nothing.
    WritesNothingDown,
    /// The root writes down what it had released before.
    WritesDownLate,
    /// The root of a group that was dropped seals nothing.
    SealsNothing,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// The gather, and what the root writes when it seals the group.
    words: Words,
    /// For each rank, the datagrams that may still come: late, never, or as often as they like.
    air: Vec<BTreeSet<Epoch>>,
    /// What the root has written down.
    record: u64,
    /// The root has ended, and answers nobody.
    ended: bool,
}

struct Job {
    fan_in: u8,
    size: usize,
    epochs: Epoch,
    fault: Fault,
    /// Whether the root ends when all is complete at it.
    ends: bool,
    /// How often a member learnt of a release in each way.
    by_air: usize,
    by_asking: usize,
    by_word: usize,
}

impl Job {
    fn new(fan_in: u8, size: usize, epochs: Epoch, fault: Fault, ends: bool) -> Job {
        Job { fan_in, size, epochs, fault, ends, by_air: 0, by_asking: 0, by_word: 0 }
    }

    /// Writes what is due.
    fn flush(&self, mut state: State, rank: Rank) -> State {
        let State { words: Words { ranks, cells, .. }, record, air, .. } = &mut state;
        let mut released = None;
        ranks[rank].poll_signals(|to, signal| {
            match rank {
                ROOT => released = Some(signal.epoch),
                _ => cells[to][rank] = word_of(GROUP, signal.epoch, signal.clock),
            }
            true
        });
        if let Some(epoch) = released {
            match self.fault {
                Fault::WritesNothingDown => {}
                Fault::WritesDownLate => *record = word_of(GROUP, epoch - 1, 0),
                _ => *record = word_of(GROUP, epoch, 0),
            }
            assert_eq!(read_datagram(datagram_of(GROUP, epoch)), Some((GROUP, epoch)));
            for to in (0..self.size).filter(|&to| to != ROOT) {
                air[to].insert(epoch);
            }
        }
        state
    }

    /// What has come in the root's cell counts, too.
    fn look(&mut self, state: &mut State, rank: Rank) -> Result<bool, String> {
        let Words { ranks, cells, .. } = &mut state.words;
        let before = complete(&ranks[rank]);
        let news = ranks[rank].look_at_cells(|_, from| cells[rank][from]);
        let is_word = rank != ROOT && complete(&ranks[rank]) > before;
        self.by_word += usize::from(is_word);
        news.map_err(|error| error.to_string())
    }

    /// A datagram comes.
    fn hear(&mut self, state: &mut State, rank: Rank, epoch: Epoch) -> Result<bool, String> {
        let news = state.words.ranks[rank].handle_complete(ROOT, GROUP, epoch);
        news.map_err(|error| error.to_string())
    }

    /// A member that lacks a release reads what the root has written down.
    fn ask(&mut self, state: &mut State, rank: Rank) -> Result<bool, String> {
        let order = &mut state.words.ranks[rank];
        let lacks = order.lacking_words().any(|lacking| lacking.from == ROOT);
        if !lacks || self.fault == Fault::NobodyAsks || state.ended {
            return Ok(false);
        }
        let found = order.handle_complete_word(ROOT, GROUP, state.record);
        let found = found.map_err(|error| error.to_string())?;
        self.by_asking += usize::from(found);
        Ok(found)
    }
}

impl System for Job {
    type State = State;
    /// What happens, at which rank.
    type Step = (&'static str, Rank);

    fn start(&self) -> State {
        let size = self.size;
        let others = (0..size).filter(|&rank| rank != ROOT);
        let members: Vec<Rank> = std::iter::once(ROOT).chain(others).collect();
        let algorithm: Algorithm = format!("gather-multicast:{}", self.fan_in).parse().unwrap();
        State {
            words: Words::new(algorithm, &members),
            air: vec![BTreeSet::new(); size],
            record: 0,
            ended: false,
        }
    }

    /// Datagrams may be lost, all else is sure.
    fn steps(&mut self, state: &State, to: &mut Steps<Job>) -> Result<(), String> {
        for rank in 0..self.size {
            if state.words.may_enter(rank, self.epochs) {
                let mut entering = state.clone();
                let order = &mut entering.words.ranks[rank];
                if self.fault == Fault::AnswersEarly && rank == ROOT {
                    entering.record = word_of(GROUP, entered(order) + 1, 0);
                }
                order.handle_initiate(GROUP).map_err(|error| error.to_string())?;
                to.certain(("enters", rank), self.flush(entering, rank));
            }
            for from in 0..self.size {
                let mut delivered = state.clone();
                if delivered.words.deliver(rank, from) {
                    to.certain(("gets a word", rank), delivered);
                }
            }
            // Each comes, and may come again.
            for &epoch in &state.air[rank] {
                let mut hearing = state.clone();
                self.by_air += usize::from(self.hear(&mut hearing, rank, epoch)?);
                to.possible(("hears a release", rank), self.flush(hearing, rank));
            }
            let mut looking = state.clone();
            if self.look(&mut looking, rank)? {
                to.certain(("looks", rank), self.flush(looking, rank));
            }
            let mut asking = state.clone();
            if self.ask(&mut asking, rank)? {
                to.certain(("asks", rank), self.flush(asking, rank));
            }
        }
        if self.ends && !state.ended && complete(&state.words.ranks[ROOT]) == self.epochs {
            let mut ending = state.clone();
            ending.ended = true;
            if self.fault != Fault::SealsNothing {
                for member in (0..self.size).filter(|&member| member != ROOT) {
                    ending.words.under_way[member][ROOT].push_back(state.record);
                }
            }
            to.certain(("ends", ROOT), ending);
        }
        Ok(())
    }

    fn check(&self, state: &State) -> Result<(), String> {
        state.words.check()
    }

    fn is_end(&self, state: &State) -> bool {
        state.words.are_complete(self.epochs)
    }
}

/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4, BAR-5, END-1
#[test]
fn releases_may_be_lost_under_every_interleaving() {
    for (fan_in, size, epochs, ends) in [(2, 3, 1, true), (2, 3, 2, false), (3, 4, 1, false)] {
        let what = format!("fan-in {fan_in}, {size} ranks, {epochs} barriers");
        let mut job = Job::new(fan_in, size, epochs, Fault::None, ends);
        let found = search(&mut job);
        let Searched { states, ends: found } =
            found.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(found > 0, "{what}");
        // A root that does not end seals nothing.
        let ways = [job.by_air, job.by_asking, job.by_word + usize::from(!ends)];
        assert!(ways.iter().all(|&times| times > 0), "{what}: {ways:?}");
        println!("{what}: {states} states");
    }
}

/// SEMANTICS: BAR-1, BAR-3, BAR-4, END-1
#[test]
fn faults_of_releases_are_noticed() {
    for (fault, says) in [
        (Fault::NobodyAsks, "no end can be reached"),
        (Fault::AnswersEarly, "is complete, and"),
        (Fault::WritesNothingDown, "no end can be reached"),
        (Fault::WritesDownLate, "no end can be reached"),
        (Fault::SealsNothing, "no end can be reached"),
    ] {
        let mut job = Job::new(2, 3, 2, fault, fault == Fault::SealsNothing);
        let error = search(&mut job).expect_err("it is noticed");
        assert!(error.fault.contains(says), "{fault:?}: {error}");
    }
}

/// The rank of a member that hears nobody but the root, and has entered so many barriers.
fn leaf(entered: Epoch) -> Order {
    let mut order = Order::new(2, 3, Ordering::default(), 4000);
    let algorithm: Algorithm = "gather-multicast:2".parse().unwrap();
    assert_eq!(
        order.add_group(GROUP, &[ROOT, 0, 2], Carrier::Cells { algorithm, place: PLACE }, 0),
        Ok(())
    );
    enter(&mut order, entered);
    order
}

fn enter(order: &mut Order, more: Epoch) {
    for _ in 0..more {
        order.handle_initiate(GROUP).unwrap();
        order.poll_signals(|_, _| true);
    }
}

/// SEMANTICS: BAR-3
#[test]
fn an_old_release_takes_nothing_back() {
    let mut order = leaf(4);
    assert_eq!(order.handle_complete(ROOT, GROUP, 3), Ok(true));
    let three = order.clone();
    for epoch in [1, 2, 3] {
        assert_eq!(order.handle_complete(ROOT, GROUP, epoch), Ok(false));
    }
    for word in [word_of(GROUP, 2, 7), 0, word_of(GroupId(GROUP.0 + 1), 4, 0)] {
        assert_eq!(order.handle_complete_word(ROOT, GROUP, word), Ok(false));
    }
    assert_eq!(order, three);
    assert_eq!(order.handle_complete_word(ROOT, GROUP, word_of(GROUP, 4, 0)), Ok(true));
    assert_eq!(complete(&order), 4);
}

/// The cell keeps what the root has written there once, while releases come in another way for so
/// long that the epoch in it could be any. (Mutant: a word that is decoded again.) SEMANTICS:
/// BAR-3
#[test]
fn a_cell_counts_when_it_changes() {
    let mut order = leaf(1);
    let old = word_of(GroupId(GROUP.0 - 1), 9, 9);
    assert_eq!(order.look_at_cells(|_, _| old), Ok(false));
    let one = word_of(GROUP, 1, 1);
    assert_eq!(order.look_at_cells(|_, _| one), Ok(true));
    for epoch in 2..3000 {
        enter(&mut order, 1);
        assert!(order.are_cells_quiet(|_, _| one));
        assert_eq!(order.look_at_cells(|_, _| one), Ok(false));
        assert_eq!(order.handle_complete(ROOT, GROUP, epoch), Ok(true));
    }
    enter(&mut order, 1);
    // It comes after the release that says the same.
    assert_eq!(order.look_at_cells(|_, _| word_of(GROUP, 2999, 0)), Ok(true));
    assert_eq!(complete(&order), 2999);
    assert_eq!(order.look_at_cells(|_, _| word_of(GROUP, 3000, 0)), Ok(true));
    assert_eq!(complete(&order), 3000);
    enter(&mut order, 1);
    let (from, group) = (ROOT, GROUP);
    let fell = ProtocolError::EpochFell { from, group, epoch: 2998, before: 3000 };
    assert_eq!(order.look_at_cells(|_, _| word_of(GROUP, 2998, 0)), Err(fell));
}

/// SEMANTICS: SAFE-1
#[test]
fn what_nobody_can_have_released_names_its_sender() {
    let (mut order, group) = (leaf(5), GROUP);
    let wrong = |from, error| (from, Err::<bool, _>(error));
    for ((from, wrong), epoch) in [
        (wrong(0, ProtocolError::UnexpectedStep { from: 0, group, step: 0 }), 1),
        (wrong(7, ProtocolError::NotAMember { from: 7, group }), 1),
        (wrong(ROOT, ProtocolError::ImpossibleEpoch { from: ROOT, group, epoch: 6, limit: 5 }), 6),
    ] {
        assert_eq!(order.handle_complete(from, group, epoch), wrong);
        assert_eq!(order.handle_complete_word(from, group, word_of(group, epoch, 0)), wrong);
    }
    let group = GroupId(GROUP.0 + 1);
    let wrong = ProtocolError::NotAMember { from: ROOT, group };
    assert_eq!(order.handle_complete(ROOT, group, 1), Err(wrong));
    assert_eq!(complete(&order), 0);
}

/// In a group that publishes any member may say that all have entered.
/// SEMANTICS: BAR-1, SAFE-1
#[test]
fn a_member_that_publishes_may_say_what_is_complete() {
    let mut order = Order::new(0, 3, Ordering::default(), 4);
    order.add_group(GROUP, &[0, 1, 2], Carrier::board(PLACE), 0).unwrap();
    order.handle_initiate(GROUP).unwrap();
    order.poll_published(|_| ());
    let (from, group) = (2, GROUP);
    let wrong = ProtocolError::ImpossibleEpoch { from, group, epoch: 2, limit: 1 };
    assert_eq!(order.handle_complete(2, GROUP, 2), Err(wrong));
    assert_eq!([1, 1].map(|epoch| order.handle_complete(2, GROUP, epoch)), [Ok(true), Ok(false)]);
    assert_eq!(complete(&order), 1);
}
