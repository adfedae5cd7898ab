//! Collectives that one rank calls otherwise than the rest: all pairs of calls that differ in one
//! argument, at two to four ranks, each under several schedules.
//!
//! The oracle runs the calls over plain queues: who sends to whom follows from tree and root. Three
//! things can come of a pair:
//!
//! - somebody takes a message that belongs to another call: it must say so, and name the sender;
//! - somebody waits for one who has come to its end without sending: it must name that rank;
//! - nobody takes a message of the other call. Such pairs *cannot be noticed*: for instance a
//!   multicast from rank 0, called at rank 1 as a reduction to rank 0, where both only send. Or all
//!   who are left wait for each other (both called to receive): under blocking barriers, too, they
//!   would for ever.
//!
//! Where another length or element size is given, and with up to three ranks another tree, somebody
//! always notices, since who sends to whom is the same.

use std::collections::{BTreeMap, VecDeque};

use runahead::{CollectiveError, Comm, Element, Error, MessageError, Result, Tree};
use runahead_testkit::effort::bound;

use super::wired::{Fault, Wired, run, tight};

/// Up to three ranks, these send the same ways and only their names differ; a chain does not, which
/// other roots stand for.
const TREES: [Tree; 2] = [Tree::Flat, Tree::Binary];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Multicast,
    Reduce,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call {
    kind: Kind,
    tree: Tree,
    root: usize,
    len: usize,
    element: usize,
}

/// What a rank is told, or the first elements that its calls give it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Values(Vec<Option<u64>>),
    Mismatch(usize),
    Gone(usize),
    Else(String),
}

impl Call {
    fn parent(&self, rank: usize, size: usize) -> Option<usize> {
        self.tree.parent(rank, self.root, size)
    }

    fn children(&self, rank: usize, size: usize) -> Vec<usize> {
        self.tree.children(rank, self.root, size).collect()
    }

    /// Whom this rank receives from, and then whom it sends to.
    fn part(&self, rank: usize, size: usize) -> (Vec<usize>, Vec<usize>) {
        let parent = self.parent(rank, size).into_iter().collect();
        let children = self.children(rank, size);
        match self.kind {
            Kind::Multicast => (parent, children),
            Kind::Reduce => (children, parent),
        }
    }

    /// What a rank has when all have called this.
    fn value(&self, rank: usize, size: usize) -> Option<u64> {
        match self.kind {
            Kind::Multicast => Some(self.root as u64 + 1),
            Kind::Reduce if rank == self.root => Some((1..=size as u64).sum()),
            Kind::Reduce => None,
        }
    }

    /// Makes the calls, up to the first error.
    fn make_all(calls: &[Call], comm: &Comm<Wired>) -> Told {
        let values: Result<Vec<_>, Told> = calls.iter().map(|call| call.make(comm)).collect();
        values.map_or_else(|told| told, Told::Values)
    }

    fn make(&self, comm: &Comm<Wired>) -> Result<Option<u64>, Told> {
        comm.set_tree(self.tree);
        match self.element {
            1 => self.make_of::<u8>(comm, u64::from),
            2 => self.make_of::<u16>(comm, u64::from),
            _ => self.make_of::<u32>(comm, u64::from),
        }
    }

    fn make_of<T>(&self, comm: &Comm<Wired>, wide: fn(T) -> u64) -> Result<Option<u64>, Told>
    where
        T: Element + std::ops::Add<Output = T> + TryFrom<usize>,
    {
        let own = || T::try_from(comm.rank() + 1).unwrap_or_else(|_| unreachable!("it is small"));
        let mut data = vec![own(); self.len];
        let result: Result<Option<Vec<T>>> = match self.kind {
            Kind::Multicast => comm.broadcast(self.root, &mut data).map(|()| Some(data)),
            Kind::Reduce => comm.reduce(self.root, &data, |a, b| a + b),
        };
        result.map(|data| data.map(|data| wide(data[0]))).map_err(|error| match error {
            Error::Collective(CollectiveError::Mismatch { from, .. }) => Told::Mismatch(from),
            Error::Message(MessageError::PeerEnded { rank, .. }) => Told::Gone(rank),
            error => Told::Else(error.to_string()),
        })
    }

    /// All that differ from it in one argument, with the name of the argument.
    fn others(&self, size: usize) -> Vec<(&'static str, Call)> {
        let kind = match self.kind {
            Kind::Multicast => Kind::Reduce,
            Kind::Reduce => Kind::Multicast,
        };
        let mut others = vec![("kind", Call { kind, ..*self })];
        others.extend((0..size).map(|root| ("root", Call { root, ..*self })));
        others.extend(TREES.map(|tree| ("tree", Call { tree, ..*self })));
        others.extend([1, 2, 3].map(|len| ("length", Call { len, ..*self })));
        others.extend([1, 2, 4].map(|element| ("element", Call { element, ..*self })));
        // As many bytes in other elements.
        let halves = Call { len: self.len * 2, element: self.element / 2, ..*self };
        others.push(("element", halves));
        others.retain(|(_, other)| other != self);
        others
    }
}

/// What comes of it: for each rank what it is told; None where it waits for ever. Each rank makes
/// its own list of calls, all of one length.
fn oracle(calls: &[Vec<Call>]) -> Vec<Option<Told>> {
    let size = calls.len();
    let mut told: Vec<Option<Told>> = vec![None; size];
    let mut under_way = vec![vec![VecDeque::new(); size]; size];
    // How many calls are done, and whom the next one still receives from.
    let receives = |rank: usize, at: usize| match calls[rank].get(at) {
        Some(call) => VecDeque::from(call.part(rank, size).0),
        None => VecDeque::new(),
    };
    let mut at: Vec<_> = (0..size).map(|rank| (0, receives(rank, 0))).collect();
    loop {
        let mut moved = false;
        for rank in 0..size {
            while told[rank].is_none() {
                let (done, left) = &mut at[rank];
                let Some(call) = calls[rank].get(*done) else {
                    let values = calls[rank].iter().map(|call| call.value(rank, size));
                    told[rank] = Some(Told::Values(values.collect()));
                    continue;
                };
                let Some(&from) = left.front() else {
                    for to in call.part(rank, size).1 {
                        under_way[rank][to].push_back((*done, *call));
                    }
                    at[rank] = (*done + 1, receives(rank, *done + 1));
                    moved = true;
                    continue;
                };
                match under_way[from][rank].pop_front() {
                    Some(theirs) if theirs == (*done, *call) => drop(left.pop_front()),
                    Some(_) => told[rank] = Some(Told::Mismatch(from)),
                    None if told[from].is_some() => told[rank] = Some(Told::Gone(from)),
                    None => break,
                }
                moved = true;
            }
        }
        if !moved {
            return told;
        }
    }
}

/// Runs the calls; says what is wrong with what the ranks are told.
fn check(calls: &[Vec<Call>], seed: u64, fault: &dyn Fn(usize) -> Fault) -> Result<(), String> {
    let size = calls.len();
    let expected = oracle(calls);
    let faults: Vec<Fault> = (0..size).map(fault).collect();
    let config = wide(size);
    let outcome = run(
        &config,
        size,
        seed,
        |rank| faults[rank],
        |comm, _| {
            let told = Call::make_all(&calls[comm.rank()], &comm);
            (told, comm.end(false).is_ok())
        },
    );
    let wrong = |text: String| Err(format!("{text}; expected {expected:?} of {calls:?}"));
    if outcome.stuck != expected.contains(&None) {
        return wrong(format!("stuck: {}", outcome.stuck));
    }
    for (rank, ((told, _), expected)) in outcome.values.iter().zip(&expected).enumerate() {
        let parts = calls[rank].iter().map(|call| call.part(rank, size));
        let (receives, sends): (Vec<_>, Vec<_>) = parts.unzip();
        let (receives, sends) = (receives.concat(), sends.concat());
        let right = match (told, expected) {
            // Nobody frees it; the end of the run does.
            (_, None) => outcome.stuck,
            (told, Some(expected)) if told == expected => true,
            // Who is sent to may have ended before; and who was to send may have been told that.
            (Told::Gone(named), Some(_)) => {
                let failed = !matches!(outcome.values[*named].0, Told::Values(_));
                sends.contains(named) || receives.contains(named) && failed
            }
            _ => false,
        };
        if !right {
            return wrong(format!("rank {rank} is told {told:?}"));
        }
    }
    Ok(())
}

/// Room for what ranks send that nobody takes, and for a call's word.
fn wide(size: usize) -> runahead::Config {
    // A group without a place on the board deposits nothing: the oracle and the forger know messages.
    let algorithm = runahead::Algorithm::AllToAll;
    runahead::Config { algorithm, window_messages: 8, eager_bytes: 64, ..tight(size) }
}

fn bases(size: usize) -> Vec<Call> {
    let mut bases = Vec::new();
    for kind in [Kind::Multicast, Kind::Reduce] {
        for tree in TREES {
            bases.extend((0..size).map(|root| Call { kind, tree, root, len: 2, element: 2 }));
        }
    }
    bases
}

/// Every pair: size, argument, and what each rank calls; last of all, `next`.
fn pairs(next: &[Call]) -> Vec<(usize, &'static str, Vec<Vec<Call>>)> {
    let mut pairs = Vec::new();
    for size in 2..=4 {
        for (nth, base) in bases(size).into_iter().enumerate() {
            for (argument, other) in base.others(size) {
                // In quick tests one of four, and another of each call.
                let deviants = 0..size;
                let few = bound([size == 4, false, false]);
                for deviant in deviants.filter(|deviant| !few || (deviant + nth + nth / 4) % 4 == 0)
                {
                    let mut calls = vec![[&[base], next].concat(); size];
                    calls[deviant][0] = other;
                    pairs.push((size, argument, calls));
                }
            }
        }
    }
    pairs
}

// SEMANTICS: COL-4
#[test]
fn calls_that_differ_are_noticed() {
    let last = Call { kind: Kind::Reduce, tree: Tree::Flat, root: 0, len: 2, element: 2 };
    let first = Call { kind: Kind::Multicast, ..last };
    [&[] as &[Call], &[first, last]].into_iter().for_each(differ);
}

/// All pairs, with these calls behind them.
fn differ(next: &[Call]) {
    let mut tally: BTreeMap<(&str, usize), [u32; 3]> = BTreeMap::new();
    for (size, argument, calls) in pairs(next) {
        for seed in 0..bound([1, 1 + u64::from(size < 4), 1 + u64::from(size < 4)]) {
            check(&calls, seed, &|_| Fault::None).unwrap_or_else(|wrong| panic!("{wrong}"));
        }
        let outcome = oracle(&calls);
        let mismatch = |told: &Option<Told>| matches!(told, Some(Told::Mismatch(_)));
        let noticed = outcome.iter().any(mismatch);
        let silent = outcome.iter().all(|told| matches!(told, Some(Told::Values(_))));
        let kind = if noticed { 0 } else { 1 + usize::from(silent) };
        tally.entry((argument, size)).or_default()[kind] += 1;
        let same_ways = argument == "length" || argument == "element";
        if same_ways || argument == "tree" && size < 4 {
            assert!(noticed, "{calls:?}");
        }
    }
    for ((argument, size), [noticed, waits, silent]) in tally {
        // What nobody can tell at once comes out with later calls, mostly.
        assert!(noticed > 0 || next.is_empty(), "{argument} at {size} ranks");
        println!(
            "{argument} at {size} ranks, {} more calls: {noticed} noticed, {waits} where somebody waits in vain, \
             {silent} where nobody can tell",
            next.len()
        );
    }
}

// SEMANTICS: COL-4
#[test]
fn equal_calls_are_right() {
    for size in 2..=4 {
        for base in bases(size) {
            for seed in 0..4 {
                check(&vec![vec![base; 2]; size], seed, &|_| Fault::None).unwrap();
            }
        }
    }
}

/// A rank whose messages carry the tag and the word of the others' call, as if nothing were compared.
// SEMANTICS: COL-4
#[test]
fn calls_that_are_not_told_apart_are_found() {
    let next = Call { kind: Kind::Reduce, tree: Tree::Flat, root: 0, len: 2, element: 2 };
    let (tried, found) = forged(&[]);
    assert!(tried > 20 && found == tried, "{found} of {tried}");
    // All frames of the rank carry one word here, which another call than the first may notice.
    let (tried, found) = forged(&[next]);
    assert!(tried > 20 && found > tried / 3, "{found} of {tried}");
}

/// How often somebody took a message of another call, and how often it was found that it was told
/// nothing.
fn forged(next: &[Call]) -> (u32, u32) {
    let (mut tried, mut found) = (0, 0);
    for (size, argument, calls) in pairs(next) {
        // The rest shows in the length of the payload, too.
        if size > 3 || !matches!(argument, "kind" | "root" | "tree") {
            continue;
        }
        let outcome = oracle(&calls);
        let found_out = outcome.iter().enumerate().find_map(|(rank, told)| match told {
            &Some(Told::Mismatch(from)) => Some((rank, from)),
            _ => None,
        });
        let Some((rank, from)) = found_out else { continue };
        // The tag that the rank which takes the message expects, as a job of equal calls shows it.
        let seen = run(
            &wide(size),
            size,
            0,
            |_| Fault::None,
            |comm, _| {
                let told = Call::make_all(&calls[rank], &comm);
                comm.end(false).unwrap();
                told
            },
        );
        let sender = (0..size).find(|&r| !calls[rank].last().unwrap().part(r, size).1.is_empty());
        let (tag, word) = *seen.shared.words[sender.unwrap()].lock().unwrap();
        tried += 1;
        let fault = |r| if r == from { Fault::Word(tag, word) } else { Fault::None };
        found += u32::from(check(&calls, 0, &fault).is_err());
    }
    (tried, found)
}
