//! Signals as words, over every interleaving of small groups: each rank enters its barriers, looks at its cells, and
//! writes what is due; words travel on their own, in order between two ranks, and a newer one covers an older one
//! that nobody has looked at. It is searched exhaustively; the cores are the real ones.
//!
//! In every state nobody has completed what somebody has not entered, and where nothing is under way and all have
//! looked, all have completed what all have entered. One who never looks again withholds nothing that it need not
//! forward (*flat*). The planted faults show that the search notices.

use std::collections::{HashSet, VecDeque};

use runahead::order::schedule::Step;
use runahead::order::written::{MOST_ID, word_of};
use runahead::order::{Algorithm, Epoch, GroupId, Order, Ordering, ProtocolError, Rank, Schedule};

const GROUP: GroupId = GroupId(3);
const PLACE: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// A newer word takes the place of one under way, and is of the epoch before.
    SaysLess,
    /// A word that is under way is lost when the next is written.
    LosesTheLast,
    /// Who has not entered says that it has.
    SignalsEarly,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    ranks: Vec<Order>,
    /// For each rank and sender.
    cells: Vec<Vec<u64>>,
    under_way: Vec<Vec<VecDeque<u64>>>,
}

struct Search {
    size: usize,
    epochs: Epoch,
    fault: Fault,
    found: HashSet<State>,
    complete: usize,
}

fn entered(order: &Order) -> Epoch {
    order.progress_of(GROUP).expect("it exists").0
}

fn complete(order: &Order) -> Epoch {
    order.progress_of(GROUP).expect("it exists").1
}

impl Search {
    fn new(algorithm: Algorithm, size: usize, epochs: Epoch, fault: Fault) -> (Search, State) {
        let members: Vec<Rank> = (0..size).rev().collect();
        let rank = |rank| {
            let mut order = Order::new(rank, size, Ordering::default(), 2);
            let written = order.add_written_group(GROUP, &members, algorithm, PLACE, 0);
            assert_eq!(written, Ok(true));
            order
        };
        let state = State {
            ranks: (0..size).map(rank).collect(),
            cells: vec![vec![0; size]; size],
            under_way: vec![vec![VecDeque::new(); size]; size],
        };
        let search = Search { size, epochs, fault, found: HashSet::new(), complete: 0 };
        (search, state)
    }

    /// Writes what is due.
    fn flush(&self, state: &mut State, rank: Rank) {
        let (ranks, under_way) = (&mut state.ranks, &mut state.under_way);
        ranks[rank].poll_signals(|to, signal| {
            let line = &mut under_way[to][rank];
            let less = u64::from(self.fault == Fault::SaysLess && signal.epoch > 1);
            if self.fault == Fault::LosesTheLast && signal.epoch > 1 {
                line.clear();
                return true;
            }
            line.push_back(word_of(GROUP, signal.epoch - less, signal.clock - less));
            true
        });
    }

    fn look(&self, state: &mut State, rank: Rank) -> Result<bool, ProtocolError> {
        let State { ranks, cells, .. } = state;
        let load = |place, from: Rank| {
            assert_eq!(place, PLACE);
            cells[rank][from]
        };
        let quiet = ranks[rank].are_cells_quiet(load);
        let news = ranks[rank].look_at_cells(load)?;
        assert!(!(quiet && news), "what is quiet says nothing");
        Ok(news)
    }

    /// All states from one on. What is wrong ends it.
    fn run(&mut self, first: State) -> Result<(), String> {
        let mut open = vec![first];
        while let Some(state) = open.pop() {
            if self.found.contains(&state) {
                continue;
            }
            self.check(&state)?;
            let mut ended = true;
            for rank in 0..self.size {
                if entered(&state.ranks[rank]) < self.epochs
                    && state.ranks[rank].may_initiate(GROUP).is_ok()
                {
                    let mut next = state.clone();
                    if self.fault == Fault::SignalsEarly {
                        let to = (rank + 1) % self.size;
                        next.under_way[to][rank].push_back(word_of(GROUP, self.epochs, 0));
                        open.push(next.clone());
                    }
                    next.ranks[rank].handle_initiate(GROUP).map_err(|error| error.to_string())?;
                    self.flush(&mut next, rank);
                    open.push(next);
                    ended = false;
                }
                for from in 0..self.size {
                    let mut next = state.clone();
                    if let Some(word) = next.under_way[rank][from].pop_front() {
                        next.cells[rank][from] = word;
                        open.push(next);
                        ended = false;
                    }
                }
                let mut next = state.clone();
                if self.look(&mut next, rank).map_err(|error| error.to_string())? {
                    self.flush(&mut next, rank);
                    open.push(next);
                    ended = false;
                }
            }
            if ended {
                let stuck = state.ranks.iter().any(|order| complete(order) < self.epochs);
                if stuck {
                    return Err("nothing goes on, and somebody waits".to_owned());
                }
                self.complete += 1;
            }
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

/// The algorithms that differ in a group of this size.
fn algorithms(size: usize) -> Vec<Algorithm> {
    let mut found: Vec<(Algorithm, Vec<Vec<Step>>)> = Vec::new();
    for algorithm in Algorithm::ALL {
        let sorted = |schedule: &Schedule| {
            let mut steps = schedule.steps().to_vec();
            for step in &mut steps {
                step.send_to.sort_unstable();
                step.recv_from.sort_unstable();
            }
            steps
        };
        let all: Vec<_> = Schedule::all(algorithm, size).iter().map(sorted).collect();
        if found.iter().all(|(_, known)| *known != all) {
            found.push((algorithm, all));
        }
    }
    found.into_iter().map(|(algorithm, _)| algorithm).collect()
}

/// SEMANTICS: BAR-1, BAR-2, BAR-3, BAR-4, BAR-5
#[test]
fn words_are_signals_under_every_interleaving() {
    for (size, epochs) in [(2, 3), (3, 1), (3, 2), (4, 1)] {
        for algorithm in algorithms(size) {
            // Everyone to everyone has by far the most states.
            if size as Epoch * epochs > 3 && size > 2 && algorithm == Algorithm::Board {
                continue;
            }
            let (mut search, first) = Search::new(algorithm, size, epochs, Fault::None);
            let result = search.run(first);
            assert_eq!(result, Ok(()), "{algorithm}, {size} ranks, {epochs} barriers");
            assert!(search.complete > 0);
            println!("{algorithm}, {size} ranks, {epochs} barriers: {} states", search.found.len());
        }
    }
}

/// SEMANTICS: BAR-1, BAR-4
#[test]
fn faults_of_words_are_noticed() {
    for (fault, says) in [
        (Fault::SaysLess, "somebody waits"),
        (Fault::LosesTheLast, "somebody waits"),
        (Fault::SignalsEarly, "is complete, and"),
    ] {
        let (mut search, first) = Search::new(Algorithm::Dissemination, 2, 2, fault);
        let error = search.run(first).unwrap_err();
        assert!(error.contains(says), "{error}");
    }
}

/// No schedule signals one rank twice: there is one cell for each sender.
/// SEMANTICS: BAR-4
#[test]
fn a_cell_holds_one_kind_of_signal() {
    let twice = |algorithm: Algorithm, size: usize| {
        Schedule::all(algorithm, size).iter().any(|schedule| {
            let mut to: Vec<Rank> =
                schedule.steps().iter().flat_map(|step| step.send_to.iter().copied()).collect();
            let count = to.len();
            to.sort_unstable();
            to.dedup();
            to.len() < count
        })
    };
    for algorithm in Algorithm::ALL {
        let numbers: &[u8] =
            if algorithm.parameter().is_some() { &[1, 2, 3, 4, 7, 255] } else { &[0] };
        for number in numbers {
            let algorithm = match number {
                0 => algorithm,
                number => format!("{}:{number}", algorithm.name()).parse().unwrap(),
            };
            let found = (1..=128).find(|&size| twice(algorithm, size));
            assert_eq!(found, None, "{algorithm}");
        }
    }
}

fn pair(first: Epoch) -> Order {
    let mut order = Order::new(0, 2, Ordering::default(), 4);
    order.add_written_group(GROUP, &[0, 1], Algorithm::AllToAll, PLACE, first).unwrap();
    order
}

/// SEMANTICS: SAFE-1, BAR-7
#[test]
fn what_no_peer_writes_is_said_to_be_so() {
    let group = GROUP;
    for first in [0, 40, (1 << 20) - 2, (1 << 40) + 17] {
        let mut order = pair(first);
        let say = |order: &mut Order, word| order.look_at_cells(|_, _| word);
        let nothing = [0, word_of(GroupId(1), first + 1, 1), word_of(GROUP, first, 1)];
        for word in nothing {
            assert_eq!(say(&mut order, word), Ok(false), "nothing is open");
        }
        for _ in 0..3 {
            order.handle_initiate(GROUP).unwrap();
            order.poll_signals(|_, _| true);
        }
        for word in nothing {
            assert_eq!(say(&mut order, word), Ok(false), "it says nothing yet");
        }
        let clock = |epoch: Epoch| order.clock_of(GROUP, epoch, 1).unwrap();
        let (two, clock_of_two) = (word_of(GROUP, first + 2, clock(first + 2)), clock(first + 2));
        let limit = first + 3 + 4;
        for (word, wrong) in [
            (
                word_of(GROUP, limit + 1, 0),
                ProtocolError::ImpossibleEpoch { from: 1, group, epoch: limit + 1, limit },
            ),
            (
                word_of(GroupId(4), 1, 1),
                ProtocolError::ForeignWord { from: 1, group, word: word_of(GroupId(4), 1, 1) },
            ),
            (
                word_of(GROUP, first + 2, clock_of_two + 1),
                ProtocolError::OrderMismatch {
                    from: 1,
                    group,
                    epoch: first + 2,
                    theirs: clock_of_two + 1,
                    ours: clock_of_two,
                },
            ),
        ] {
            assert_eq!(say(&mut order.clone(), word), Err(wrong.clone()));
            assert_eq!(wrong.from(), 1);
        }
        assert_eq!(say(&mut order, two), Ok(true));
        assert_eq!(complete(&order), first + 2);
        assert!(order.has_written(GROUP, 1, first + 2, two));
        assert!(!order.has_written(GROUP, 1, first + 3, two));
        let fell = |epoch| ProtocolError::EpochFell { from: 1, group, epoch, before: first + 2 };
        assert_eq!(say(&mut order, word_of(GROUP, first + 1, 0)), Err(fell(first + 1)));
        assert_eq!(say(&mut order, 0), Err(fell(0)));
        assert_eq!(say(&mut order, two), Ok(false));
    }
}

/// SEMANTICS: BAR-4, GRP-2
#[test]
fn what_does_not_suit_goes_by_messages() {
    let mut order = Order::new(0, 3, Ordering::default(), 2);
    let all = [0, 1, 2];
    let last = GroupId(MOST_ID);
    order.add_group(GROUP, &all, Algorithm::Butterfly, 0).unwrap();
    assert_eq!(order.add_written_group(last, &all, Algorithm::AllToAll, PLACE, 0), Ok(true));
    let beyond = GroupId(MOST_ID + 1);
    assert_eq!(order.add_written_group(beyond, &all, Algorithm::AllToAll, PLACE, 0), Ok(false));
    let cells = [GROUP, last, beyond, GroupId(9)].map(|group| order.cells_of(group));
    assert_eq!(cells, [None, Some(PLACE), None, None]);
    assert!(order.hears_all_directly(last) && !order.hears_all_directly(GROUP));
    order.reschedule(last, Algorithm::Dissemination).unwrap();
    assert_eq!(order.cells_of(last), Some(PLACE));
    assert!(!order.hears_all_directly(last));
}

/// What is waited for is the first signal in the order of the steps, one for each group.
/// SEMANTICS: BAR-4
#[test]
fn who_is_lacking_first_is_said() {
    let mut order = Order::new(0, 4, Ordering::default(), 4);
    let all = [0, 1, 2, 3];
    order.add_written_group(GROUP, &all, Algorithm::Dissemination, PLACE, 0).unwrap();
    assert_eq!(order.lacking_words().count(), 0);
    order.handle_initiate(GROUP).unwrap();
    let lacking = |order: &Order| {
        let all: Vec<_> = order.lacking_words().map(|it| (it.place, it.from, it.epoch)).collect();
        all
    };
    assert_eq!(lacking(&order), [(PLACE, 3, 1)]);
    let mut cells = [0; 4];
    cells[2] = word_of(GROUP, 1, 0);
    assert_eq!(order.look_at_cells(|_, from| cells[from]), Ok(false));
    assert_eq!(lacking(&order), [(PLACE, 3, 1)]);
    cells[3] = word_of(GROUP, 2, 0);
    assert!(!order.are_cells_quiet(|_, from| cells[from]));
    assert_eq!(order.look_at_cells(|_, from| cells[from]), Ok(true));
    assert_eq!(lacking(&order), []);
    order.handle_initiate(GROUP).unwrap();
    assert_eq!(lacking(&order), [(PLACE, 2, 2)]);
}
