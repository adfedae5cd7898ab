//! Releases by multicast over every interleaving of small groups: members write their epochs up the tree, the root's
//! release goes to all at once, and each member gets it, or does not, early, late, twice and in any order. Who lacks it
//! asks, by reading what the root has written down; who is asked before it releases answers by a word. The cores are the
//! real ones, and what counts of what has come is the real one too. (That words of the gather may be under way for any
//! time is searched in `written`; here they arrive when they are sent, and are looked at some time.)
//!
//! In every state nobody has completed what somebody has not entered; where nothing goes on any more, all have completed
//! what all have entered, although any of the datagrams may have been lost. The planted faults show that the search
//! notices.

use std::collections::{BTreeSet, HashSet, VecDeque};

use runahead::order::released::{Released, datagram_of, read_datagram};
use runahead::order::written::{reaches, word_of};
use runahead::order::{Algorithm, Epoch, GroupId, Order, Ordering, Rank};

const GROUP: GroupId = GroupId(3);
const PLACE: usize = 2;
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
    ranks: Vec<Order>,
    heard: Vec<Released>,
    /// For each rank and sender, of the gather and of answers by words.
    cells: Vec<Vec<u64>>,
    under_way: Vec<Vec<VecDeque<u64>>>,
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

struct Search {
    size: usize,
    epochs: Epoch,
    fault: Fault,
    found: HashSet<State>,
    /// Whether the root ends when all is complete at it.
    ends: bool,
    all_complete: usize,
    /// How often a member learnt of a release in each way.
    by_air: usize,
    by_asking: usize,
    by_word: usize,
}

fn entered(order: &Order) -> Epoch {
    order.progress_of(GROUP).expect("it exists").0
}

fn complete(order: &Order) -> Epoch {
    order.progress_of(GROUP).expect("it exists").1
}

impl Search {
    fn new(fan_in: u8, size: usize, epochs: Epoch, fault: Fault) -> (Search, State) {
        let members: Vec<Rank> =
            std::iter::once(ROOT).chain((0..size).filter(|&it| it != ROOT)).collect();
        let algorithm: Algorithm = format!("gather-multicast:{fan_in}").parse().unwrap();
        let rank = |rank| {
            let mut order = Order::new(rank, size, Ordering::default(), 2);
            assert_eq!(order.add_written_group(GROUP, &members, algorithm, PLACE, 0), Ok(true));
            order
        };
        let state = State {
            ranks: (0..size).map(rank).collect(),
            heard: vec![Released::new(GROUP, ROOT, 0, 0); size],
            cells: vec![vec![0; size]; size],
            under_way: vec![vec![VecDeque::new(); size]; size],
            air: vec![BTreeSet::new(); size],
            sent: vec![0; size],
            wants: vec![0; size],
            answered: vec![0; size],
            sure: vec![0; size],
            ended: false,
        };
        let search = Search {
            size,
            epochs,
            fault,
            found: HashSet::new(),
            ends: false,
            all_complete: 0,
            by_air: 0,
            by_asking: 0,
            by_word: 0,
        };
        (search, state)
    }

    /// Writes what is due.
    fn flush(&self, mut state: State, rank: Rank) -> State {
        let State { ranks, cells, under_way, sent, wants, answered, air, .. } = &mut state;
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
        let State { ranks, cells, heard, .. } = state;
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
        let lacking = state.ranks[rank].lacking_words().find(|lacking| lacking.from == ROOT)?;
        Some(word_of(GROUP, lacking.epoch, 0))
    }

    /// A datagram comes.
    fn hear(&mut self, state: &mut State, rank: Rank, epoch: Epoch) -> Result<bool, String> {
        if self.fault == Fault::OldOverwrites {
            let cell = state.cells[rank][ROOT];
            state.heard[rank] = Released::new(GROUP, ROOT, 0, cell);
        }
        let entered = entered(&state.ranks[rank]);
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
            let found = state.heard[rank].handle_answer(sent, entered(&state.ranks[rank]));
            self.by_asking += usize::from(found);
        } else {
            state.sure[rank] = want;
        }
        true
    }

    /// What may follow: first what is sure to, then what is not, as datagrams may be lost.
    fn next_states(&mut self, state: &State) -> Result<(Vec<State>, Vec<State>), String> {
        let (mut open, mut unsure) = (Vec::new(), Vec::new());
        for rank in 0..self.size {
            let order = &state.ranks[rank];
            if entered(order) < self.epochs && order.may_initiate(GROUP).is_ok() {
                let mut next = state.clone();
                if self.fault == Fault::AnswersEarly && rank == ROOT {
                    next.sent = vec![word_of(GROUP, entered(order) + 1, 0); self.size];
                }
                next.ranks[rank].handle_initiate(GROUP).map_err(|error| error.to_string())?;
                open.push(self.flush(next, rank));
            }
            for from in 0..self.size {
                let mut next = state.clone();
                if let Some(word) = next.under_way[rank][from].pop_front() {
                    next.cells[rank][from] = word;
                    open.push(next);
                }
            }
            // Each comes, and may come again.
            for &epoch in &state.air[rank] {
                let mut next = state.clone();
                self.by_air += usize::from(self.hear(&mut next, rank, epoch)?);
                unsure.push(next);
            }
            let mut next = state.clone();
            if self.look(&mut next, rank)? {
                open.push(self.flush(next, rank));
            }
            let mut next = state.clone();
            if self.ask(&mut next, rank) {
                open.push(next);
            }
        }
        if self.ends && !state.ended && complete(&state.ranks[ROOT]) == self.epochs {
            let mut next = state.clone();
            next.ended = true;
            if self.fault != Fault::SealsNothing {
                for to in (0..self.size).filter(|&to| to != ROOT) {
                    next.under_way[to][ROOT].push_back(state.sent[to]);
                }
            }
            open.push(next);
        }
        Ok((open, unsure))
    }

    /// All states from one on. What is wrong ends it.
    fn run(&mut self, first: State) -> Result<(), String> {
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            if self.found.contains(&state) {
                continue;
            }
            self.check(&state)?;
            let (next, unsure) = self.next_states(&state)?;
            // What changes nothing is no step, and what is still in the air may be lost.
            let goes_on = next.iter().any(|next| *next != state);
            if !goes_on {
                if state.ranks.iter().any(|order| complete(order) < self.epochs) {
                    return Err("nothing goes on, and somebody waits".to_owned());
                }
                self.all_complete += 1;
            }
            open.extend(next.into_iter().chain(unsure));
            self.found.insert(state);
        }
        Ok(())
    }

    fn check(&self, state: &State) -> Result<(), String> {
        let least = state.ranks.iter().map(entered).min().unwrap_or(0);
        match state.ranks.iter().map(complete).max() {
            Some(most) if most > least => Err(format!("{most} is complete, and {least} entered")),
            _ => Ok(()),
        }
    }
}

/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4, BAR-5, END-1
#[test]
fn releases_may_be_lost_under_every_interleaving() {
    for (fan_in, size, epochs, ends) in [(2, 3, 1, true), (2, 3, 2, false), (3, 4, 1, false)] {
        let (mut search, first) = Search::new(fan_in, size, epochs, Fault::None);
        search.ends = ends;
        let result = search.run(first);
        let what = format!("fan-in {fan_in}, {size} ranks, {epochs} barriers");
        assert_eq!(result, Ok(()), "{what}");
        assert!(search.all_complete > 0);
        let ways = [search.by_air, search.by_asking, search.by_word];
        assert!(ways.iter().all(|&times| times > 0), "{what}: {ways:?}");
        println!("{what}: {} states", search.found.len());
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
        let (mut search, first) = Search::new(2, 3, 2, fault);
        search.ends = fault == Fault::SealsNothing;
        let error = search.run(first).unwrap_err();
        assert!(error.contains(says), "{fault:?}: {error}");
    }
}
