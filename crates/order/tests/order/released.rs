//! Releases by multicast over every interleaving of small groups: members write their epochs up the tree, the root's
//! release goes to all at once, and each member gets it, or does not, early, late, twice and in any order. Who lacks it
//! asks, by reading what the root has written down; who is asked before it releases answers by a word. The cores are the
//! real ones, and what counts of what has come is the real one too. (That words of the gather may be under way for any
//! time is searched in `written`; here they arrive when they are sent, and are looked at some time.)
//!
//! What is checked in every state stands in `interleavings`: it holds although any of the datagrams may have been lost. The
//! planted faults show that the search notices.

use std::collections::BTreeSet;

use runahead_order::released::{Released, datagram_of, read_datagram};
use runahead_order::written::{reaches, word_of};
use runahead_order::{Algorithm, Epoch, Rank};

use crate::interleavings::{Found, GROUP, Next, Words, complete, entered, search};

/// The first in the list of members, which is in no order.
const ROOT: Rank = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Who lacks a release does not ask.
    NobodyAsks,
    /// The root writes down the next release before it may.
    AnswersEarly,
    /// Who asks leaves no want, and the root has not released yet.
    LeavesNoWant,
    /// What comes last counts, and not what is newest.
    OldOverwrites,
    /// The root of a group that was dropped seals nothing.
    SealsNothing,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// The gather, and answers by words.
    words: Words,
    heard: Vec<Released>,
    /// For each rank, the datagrams that may still come: late, never, or as often as they like.
    air: Vec<BTreeSet<Epoch>>,
    /// What the root has written down for each, and what each wants of it.
    sent: Vec<u64>,
    wants: Vec<u64>,
    answered: Vec<u64>,
    /// The want of which a member is sure.
    sure: Vec<u64>,
    /// The root has ended, and answers nobody.
    ended: bool,
}

struct Job {
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
    fn new(size: usize, epochs: Epoch, fault: Fault, ends: bool) -> Job {
        Job { size, epochs, fault, ends, by_air: 0, by_asking: 0, by_word: 0 }
    }

    fn start(&self, fan_in: u8) -> State {
        let size = self.size;
        let others = (0..size).filter(|&rank| rank != ROOT);
        let members: Vec<Rank> = std::iter::once(ROOT).chain(others).collect();
        let algorithm: Algorithm = format!("gather-multicast:{fan_in}").parse().unwrap();
        State {
            words: Words::new(algorithm, &members),
            heard: vec![Released::new(GROUP, ROOT, 0, 0); size],
            air: vec![BTreeSet::new(); size],
            sent: vec![0; size],
            wants: vec![0; size],
            answered: vec![0; size],
            sure: vec![0; size],
            ended: false,
        }
    }

    /// Writes what is due.
    fn flush(&self, mut state: State, rank: Rank) -> State {
        let State { words, sent, wants, answered, air, .. } = &mut state;
        let Words { ranks, cells, under_way } = words;
        let mut released = None;
        ranks[rank].poll_signals(|to, signal| {
            let word = word_of(GROUP, signal.epoch, signal.clock);
            if rank != ROOT {
                cells[to][rank] = word;
                return true;
            }
            sent[to] = word;
            if wants[to] != answered[to] && reaches(word, wants[to]) {
                answered[to] = wants[to];
                under_way[to][rank].push_back(word);
            }
            released = Some(signal.epoch);
            true
        });
        if let Some(epoch) = released {
            assert_eq!(read_datagram(datagram_of(GROUP, epoch)), Some((GROUP, epoch)));
            for to in (0..self.size).filter(|&to| to != ROOT) {
                air[to].insert(epoch);
            }
        }
        state
    }

    /// What has come in the root's cell counts, too.
    fn look(&mut self, state: &mut State, rank: Rank) -> Result<bool, String> {
        let State { words: Words { ranks, cells, .. }, heard, .. } = state;
        if rank != ROOT && heard[rank].handle_cell(cells[rank][ROOT], entered(&ranks[rank])) {
            self.by_word += 1;
        }
        let load = |_, from: Rank| match rank != ROOT && from == ROOT {
            true => heard[rank].word(),
            false => cells[rank][from],
        };
        ranks[rank].look_at_cells(load).map_err(|error| error.to_string())
    }

    fn lacks_release(state: &State, rank: Rank) -> Option<u64> {
        let mut lacking = state.words.ranks[rank].lacking_words();
        let lacking = lacking.find(|lacking| lacking.from == ROOT)?;
        Some(word_of(GROUP, lacking.epoch, 0))
    }

    /// A datagram comes.
    fn hear(&mut self, state: &mut State, rank: Rank, epoch: Epoch) -> Result<bool, String> {
        if self.fault == Fault::OldOverwrites {
            let cell = state.words.cells[rank][ROOT];
            state.heard[rank] = Released::new(GROUP, ROOT, 0, cell);
        }
        let entered = entered(&state.words.ranks[rank]);
        let news = state.heard[rank].handle_datagram(ROOT, epoch, entered);
        news.map_err(|error| error.to_string())
    }

    /// A member that lacks a release leaves a want, and reads what the root has written down.
    fn ask(&mut self, state: &mut State, rank: Rank) -> bool {
        let Some(want) = Self::lacks_release(state, rank) else { return false };
        if self.fault == Fault::NobodyAsks || state.sure[rank] == want || state.ended {
            return false;
        }
        if self.fault != Fault::LeavesNoWant {
            state.wants[rank] = want;
        }
        let sent = state.sent[rank];
        if reaches(sent, want) {
            let entered = entered(&state.words.ranks[rank]);
            let found = state.heard[rank].handle_answer(sent, entered);
            self.by_asking += usize::from(found);
        } else {
            state.sure[rank] = want;
        }
        true
    }

    /// What may follow: datagrams may be lost, all else is sure.
    fn next(&mut self, state: &State) -> Result<Next<State>, String> {
        let mut next = Next::new();
        for rank in 0..self.size {
            if state.words.may_enter(rank, self.epochs) {
                let mut entering = state.clone();
                let order = &mut entering.words.ranks[rank];
                if self.fault == Fault::AnswersEarly && rank == ROOT {
                    entering.sent = vec![word_of(GROUP, entered(order) + 1, 0); self.size];
                }
                order.handle_initiate(GROUP).map_err(|error| error.to_string())?;
                next.sure.push(self.flush(entering, rank));
            }
            for from in 0..self.size {
                let mut delivered = state.clone();
                if delivered.words.deliver(rank, from) {
                    next.sure.push(delivered);
                }
            }
            // Each comes, and may come again.
            for &epoch in &state.air[rank] {
                let mut hearing = state.clone();
                self.by_air += usize::from(self.hear(&mut hearing, rank, epoch)?);
                next.unsure.push(hearing);
            }
            let mut looking = state.clone();
            if self.look(&mut looking, rank)? {
                next.sure.push(self.flush(looking, rank));
            }
            let mut asking = state.clone();
            if self.ask(&mut asking, rank) {
                next.sure.push(asking);
            }
        }
        if self.ends && !state.ended && complete(&state.words.ranks[ROOT]) == self.epochs {
            let mut ending = state.clone();
            ending.ended = true;
            if self.fault != Fault::SealsNothing {
                for to in (0..self.size).filter(|&to| to != ROOT) {
                    ending.words.under_way[to][ROOT].push_back(state.sent[to]);
                }
            }
            next.sure.push(ending);
        }
        Ok(next)
    }

    fn search(&mut self, fan_in: u8) -> Result<Found, String> {
        let first = self.start(fan_in);
        search(first, self.epochs, |state| &state.words, |state| self.next(state))
    }
}

/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4, BAR-5, END-1
#[test]
fn releases_may_be_lost_under_every_interleaving() {
    for (fan_in, size, epochs, ends) in [(2, 3, 1, true), (2, 3, 2, false), (3, 4, 1, false)] {
        let what = format!("fan-in {fan_in}, {size} ranks, {epochs} barriers");
        let mut job = Job::new(size, epochs, Fault::None, ends);
        let found = job.search(fan_in);
        let Found { states, ended } = found.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(ended > 0, "{what}");
        let ways = [job.by_air, job.by_asking, job.by_word];
        assert!(ways.iter().all(|&times| times > 0), "{what}: {ways:?}");
        println!("{what}: {states} states");
    }
}

/// SEMANTICS: BAR-1, BAR-3, BAR-4, END-1
#[test]
fn faults_of_releases_are_noticed() {
    for (fault, says) in [
        (Fault::NobodyAsks, "somebody waits"),
        (Fault::AnswersEarly, "is complete, and"),
        (Fault::LeavesNoWant, "somebody waits"),
        (Fault::OldOverwrites, "somebody waits"),
        (Fault::SealsNothing, "somebody waits"),
    ] {
        let mut job = Job::new(3, 2, fault, fault == Fault::SealsNothing);
        let error = job.search(2).err().expect("it is noticed");
        assert!(error.contains(says), "{fault:?}: {error}");
    }
}
