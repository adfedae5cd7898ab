//! The reference: blocking barriers with unlimited buffering, and whether they allow what was observed.
//!
//! What is allowed is fixed by four rules about one run of a program:
//!
//! 1. **Once**: every message is received once, by its receiver, in its group, undamaged.
//! 2. **In order**: a receive or probe takes, of all messages of one sender that match it, the first that
//!    no receive posted before it has.
//! 3. **Replay**: there is an order of all that the ranks did in which each rank does what it did, as it
//!    did it; nobody receives or sees what is not sent yet; nobody leaves a barrier before all its
//!    members have come to it, nor a collective before those whose data it needs have.
//! 4. **Fence** (FEN-1, causal networks only): after waiting for a barrier, a poll that finds nothing is
//!    wrong where a blocking send had been done before its sender called that barrier. Except that a
//!    poll may have come upon a message above the eager limit first, whose payload is under way: then it
//!    says that nothing is there, and looks no further.
//!
//! Rules 1 to 3 hold if and only if blocking barriers could have shown the ranks the same: *If*, since a
//! run under blocking barriers is itself such an order, and its channels are FIFO for each pair. *Only
//! if*, since the order of rule 3 is a run under blocking barriers, in which each message is under way
//! until just before it is received: buffers are unlimited and may keep it for so long, so polls may
//! miss it; and by rule 2 no FIFO channel keeps it from being the one that its receive takes. Rule 3 says
//! the same as: the graph of what happened before what (each rank's own order; each send before its
//! receive; each member's entry into a barrier before each member's exit) has no cycle. Where there is an
//! order the simple search below finds it, since what can be done next stays possible whatever else is
//! done before. What collectives return follows from their arguments and is checked where they return.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::program::*;

/// What a receive takes: source (a rank of the world) and tag, None for any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    pub group: usize,
    pub from: Option<usize>,
    pub tag: Option<u32>,
}

/// A message as its receiver sees it; number None where it is too short to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub from: usize,
    pub tag: u32,
    pub bytes: usize,
    pub number: Option<usize>,
}

/// What a rank did and saw, in its own order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// It sent the message that stands at this place of the line.
    Sent(usize),
    /// It posted a receive.
    Posted(Wanted),
    /// The receive that was posted by that event got a message; the event itself for a blocking one.
    Took { posted: usize, wanted: Wanted, seen: Seen },
    /// A probe saw a message.
    Saw(Wanted, Seen),
    /// A poll or probe found nothing.
    Missed(Wanted),
    /// It called the barrier or collective that stands at this place of the line.
    Joined(usize),
    /// It has waited for all its barriers so far.
    Waited,
    /// So many messages had come to it ahead of their barriers, at its end. No rule is about that.
    Held(u64),
}

/// What one rank did and saw.
pub type Log = Vec<Event>;

/// A receive that got a message, or a probe that saw one, with the message.
struct Match<'l> {
    rank: usize,
    at: usize,
    posted: usize,
    wanted: &'l Wanted,
    number: usize,
}

/// Whether blocking barriers allow the logs of all ranks; Err says what they do not.
// SEMANTICS: ORD-1, ORD-2, ORD-3, BAR-1, GRP-1
pub fn check(program: &Program, logs: &[Log], causal: bool) -> Result<(), String> {
    let messages: BTreeMap<usize, Sent> =
        program.messages().into_iter().map(|sent| (sent.number, sent)).collect();
    let mut taken = BTreeMap::new();
    let mut matches = Vec::new();
    for (rank, log) in logs.iter().enumerate() {
        matches.extend(matches_of(rank, log, &messages, &mut taken)?);
    }
    if let Some(lost) = messages.keys().find(|&number| !taken.contains_key(number)) {
        return Err(format!("message {lost} is lost: {:?}", messages[lost]));
    }
    in_order(&matches, &messages, &taken)?;
    replay(program, logs, &matches)?;
    if causal { fenced(program, logs, &messages, &taken) } else { Ok(()) }
}

fn fits(wanted: &Wanted, rank: usize, sent: &Sent) -> bool {
    sent.to == rank
        && sent.group == wanted.group
        && wanted.from.is_none_or(|from| from == sent.from)
        && wanted.tag.is_none_or(|tag| tag == sent.tag)
}

/// Which receive of which rank, by the event that posted it, got each message.
type Taken = BTreeMap<usize, usize>;

/// Says which message each event of a rank is about. Those that are too short to say are the first of
/// their sender that look so and are not taken yet: with rule 2, no others could be.
fn matches_of<'l>(
    rank: usize,
    log: &'l [Event],
    messages: &BTreeMap<usize, Sent>,
    taken: &mut Taken,
) -> Result<Vec<Match<'l>>, String> {
    let mut receives: Vec<_> = log
        .iter()
        .enumerate()
        .filter_map(|(at, event)| match event {
            Event::Took { posted, wanted, seen } => Some((*posted, at, wanted, seen, true)),
            Event::Saw(wanted, seen) => Some((at, at, wanted, seen, false)),
            _ => None,
        })
        .collect();
    receives.sort_unstable_by_key(|&(posted, at, ..)| (posted, at));
    let mut matches = Vec::new();
    for (posted, at, wanted, seen, takes) in receives {
        let looks = |sent: &Sent| {
            let same = (sent.from, sent.tag, sent.bytes) == (seen.from, seen.tag, seen.bytes);
            same && fits(wanted, rank, sent)
        };
        let found = match seen.number {
            Some(number) => messages.get(&number).filter(|sent| looks(sent)),
            None => messages.values().find(|sent| looks(sent) && !taken.contains_key(&sent.number)),
        };
        let Some(sent) = found else {
            return Err(format!(
                "rank {rank}, with {wanted:?}, has {seen:?}, which nobody sent so"
            ));
        };
        let number = sent.number;
        if takes && taken.insert(number, posted).is_some() {
            return Err(format!("rank {rank} has received message {number} twice"));
        }
        matches.push(Match { rank, at, posted, wanted, number });
    }
    Ok(matches)
}

/// Rule 2.
fn in_order(
    matches: &[Match<'_>],
    messages: &BTreeMap<usize, Sent>,
    taken: &Taken,
) -> Result<(), String> {
    for Match { rank, posted, wanted, number, .. } in matches {
        let from = messages[number].from;
        let before = messages.range(..number).map(|(_, sent)| sent);
        let mut before = before.filter(|sent| sent.from == from && fits(wanted, *rank, sent));
        if let Some(passed) = before.find(|sent| taken[&sent.number] >= *posted) {
            let passed = passed.number;
            return Err(format!(
                "rank {rank}, with {wanted:?}, has message {number} of rank {from} before {passed}"
            ));
        }
    }
    Ok(())
}

/// Rule 3.
fn replay(program: &Program, logs: &[Log], matches: &[Match<'_>]) -> Result<(), String> {
    let about: BTreeMap<(usize, usize), usize> =
        matches.iter().map(|found| ((found.rank, found.at), found.number)).collect();
    let mut next = vec![0; logs.len()];
    let mut sent = BTreeSet::new();
    // Who has called collectives in which not all need all.
    let mut called: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let joins = |next: &[usize], rank: usize| match logs[rank].get(next[rank]) {
        Some(Event::Joined(at)) => Some(*at),
        _ => None,
    };
    loop {
        let before = next.clone();
        for rank in 0..logs.len() {
            while let Some(event) = logs[rank].get(next[rank]) {
                let can = match event {
                    Event::Sent(number) => sent.insert(*number),
                    Event::Took { .. } | Event::Saw(..) => {
                        sent.contains(&about[&(rank, next[rank])])
                    }
                    Event::Posted(_) | Event::Missed(_) | Event::Waited | Event::Held(_) => true,
                    Event::Joined(at) => {
                        let group = program.line[*at].group().unwrap_or(0);
                        let members = &program.groups[group].members;
                        let done = called.entry(*at).or_default();
                        let can = match program.line[*at] {
                            Multicast { root, .. } => rank == root || done.contains(&root),
                            Scan { .. } => {
                                members.iter().take_while(|&&m| m != rank).all(|m| done.contains(m))
                            }
                            // All or none go on.
                            _ => {
                                done.contains(&rank)
                                    || members
                                        .iter()
                                        .all(|&member| joins(&next, member) == Some(*at))
                            }
                        };
                        if can {
                            match program.line[*at] {
                                Multicast { .. } | Scan { .. } => drop(done.insert(rank)),
                                _ => done.extend(members),
                            }
                        }
                        can
                    }
                };
                if !can {
                    break;
                }
                next[rank] += 1;
            }
        }
        if next == before {
            break;
        }
    }
    if (0..logs.len()).all(|rank| next[rank] == logs[rank].len()) {
        return Ok(());
    }
    let mut text = "blocking barriers do not allow it; they get no further than".to_owned();
    for (rank, log) in logs.iter().enumerate() {
        let message = about.get(&(rank, next[rank]));
        let message = message.map_or(String::new(), |number| format!(" (message {number})"));
        text += &match log.get(next[rank]) {
            Some(event) => format!("\n  rank {rank}: before {event:?}{message}"),
            None => format!("\n  rank {rank}: its end"),
        };
    }
    Err(text)
}

/// Rule 4.
// SEMANTICS: FEN-1, BAR-8
fn fenced(
    program: &Program,
    logs: &[Log],
    messages: &BTreeMap<usize, Sent>,
    taken: &Taken,
) -> Result<(), String> {
    let groups = program.groups.len();
    for (rank, log) in logs.iter().enumerate() {
        let (mut called, mut waited) = (vec![0; groups], vec![0; groups]);
        for (at, event) in log.iter().enumerate() {
            match event {
                Event::Joined(at) => {
                    if let Barrier { group, .. } = program.line[*at] {
                        called[group] += 1;
                    }
                }
                Event::Waited => waited.clone_from(&called),
                Event::Missed(wanted) => {
                    let is_there = |sent: &&Sent| {
                        let behind = |group: usize| {
                            let members = &program.groups[group].members;
                            members.contains(&sent.from) && waited[group] > sent.after[group]
                        };
                        fits(wanted, rank, sent)
                            && !sent.queued
                            && taken[&sent.number] >= at
                            && (0..groups).any(behind)
                    };
                    let is_under_way = |sent: &Sent| {
                        let asks = sent.queued && sent.bytes > program.shape.eager_bytes;
                        asks && fits(wanted, rank, sent) && taken[&sent.number] >= at
                    };
                    if messages.values().any(is_under_way) {
                        continue;
                    }
                    if let Some(missed) = messages.values().find(is_there) {
                        let number = missed.number;
                        return Err(format!(
                            "rank {rank} has not found message {number} with {wanted:?}, which was \
                             sent before a barrier that it has waited for"
                        ));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}
