//! The oracle alone: it lets pass what blocking barriers do, and rejects what was tampered with.

use std::collections::VecDeque;

use fastrand::Rng;

use super::Test;
use super::oracle::{Event, Log, Seen, Wanted, check};
use super::program::*;

pub const TESTS: &[Test] = &[
    ("what_blocking_barriers_do_is_allowed", what_blocking_barriers_do_is_allowed),
    ("a_message_before_its_barrier_is_rejected", a_message_before_its_barrier_is_rejected),
    ("swapped_messages_are_rejected", swapped_messages_are_rejected),
    ("a_message_twice_or_never_is_rejected", a_message_twice_or_never_is_rejected),
    ("a_message_in_another_group_is_rejected", a_message_in_another_group_is_rejected),
    ("a_poll_that_misses_after_a_fence_is_rejected", a_poll_that_misses_after_a_fence_is_rejected),
    ("a_probe_of_the_second_is_rejected", a_probe_of_the_second_is_rejected),
];

/// A posted receive: the event, what is wanted, and what it got.
type Posted = (usize, Wanted, Option<Sent>);

/// An interpreter of programs with blocking barriers and unlimited buffers, that does one operation
/// after the other as they stand in the line. A message is there as soon as it is sent.
struct Blocking<'p> {
    program: &'p Program,
    messages: Vec<Sent>,
    logs: Vec<Log>,
    /// Sent and not received, nor kept for a posted receive.
    there: Vec<Sent>,
    /// Of each rank.
    posted: Vec<VecDeque<Option<Posted>>>,
    had: Vec<(usize, usize, Class)>,
    open: Vec<usize>,
}

fn run(program: &Program) -> Vec<Log> {
    let size = program.size();
    let mut blocking = Blocking {
        program,
        messages: program.messages(),
        logs: vec![Log::new(); size],
        there: Vec::new(),
        posted: vec![VecDeque::new(); size],
        had: Vec::new(),
        open: vec![0; size],
    };
    let mut steps: Vec<VecDeque<Step>> = (0..size).map(|rank| program.steps(rank).into()).collect();
    for (at, op) in program.line.iter().enumerate() {
        for (rank, steps) in steps.iter_mut().enumerate() {
            let joint = |group: usize| program.groups[group].members.contains(&rank);
            if op.rank() == Some(rank) || op.rank().is_none() && op.group().is_some_and(joint) {
                blocking.step(rank, at, steps.pop_front().expect("one for each"));
            }
        }
    }
    blocking.logs
}

fn is_for(wanted: &Wanted, rank: usize, sent: &Sent) -> bool {
    (sent.to, sent.group) == (rank, wanted.group)
        && wanted.from.is_none_or(|from| from == sent.from)
        && wanted.tag.is_none_or(|tag| tag == sent.tag)
}

fn seen(sent: &Sent) -> Seen {
    let number = (sent.bytes >= 4).then_some(sent.number);
    Seen { from: sent.from, tag: sent.tag, bytes: sent.bytes, number }
}

impl Blocking<'_> {
    fn find(&self, rank: usize, wanted: &Wanted) -> Option<usize> {
        self.there.iter().position(|sent| is_for(wanted, rank, sent))
    }

    fn took(&mut self, rank: usize, posted: usize, wanted: Wanted, sent: &Sent) {
        let class = self.program.groups[sent.group].class(sent.from, sent.tag);
        self.had.push((rank, sent.group, class));
        self.logs[rank].push(Event::Took { posted, wanted, seen: seen(sent) });
    }

    fn step(&mut self, rank: usize, at: usize, step: Step) {
        let here = self.logs[rank].len();
        match step {
            Step::Claim { op, total } => {
                let (Recv { group, from, tag, .. } | Post { group, from, tag, .. }) = op else {
                    return;
                };
                let wanted = Wanted { group, from, tag };
                let key = (rank, group, (from, tag));
                let had = self.had.iter().filter(|had| **had == key).count();
                let same = |posted: &&Posted| posted.1 == wanted;
                let pending = self.posted[rank].iter().flatten().filter(same).count();
                let needed = had + pending < total;
                let found = self.find(rank, &wanted).filter(|_| needed);
                let found = found.map(|place| self.there.remove(place));
                if matches!(op, Recv { .. }) {
                    if needed {
                        let sent = found.expect("a sound program has sent it");
                        self.took(rank, here, wanted, &sent);
                    }
                    return;
                }
                self.posted[rank].push_back(needed.then_some((here, wanted, found)));
                if needed {
                    self.logs[rank].push(Event::Posted(wanted));
                }
            }
            Step::Enter { awaited, .. } => {
                self.logs[rank].push(Event::Joined(at));
                if awaited {
                    self.logs[rank].push(Event::Waited);
                } else {
                    self.open[rank] += 1;
                }
            }
            Step::Do { op, .. } => match op {
                Send { to, .. } => {
                    let sent = self.messages.iter().find(|sent| sent.number == at).cloned();
                    let sent = sent.expect("it is one of the messages");
                    self.logs[rank].push(Event::Sent(at));
                    let mut posted = self.posted[to].iter_mut().flatten();
                    match posted.find(|(_, wanted, got)| got.is_none() && is_for(wanted, to, &sent))
                    {
                        Some((_, _, got)) => *got = Some(sent),
                        None => self.there.push(sent),
                    }
                }
                Complete { nth, .. } => {
                    if let Some((posted, wanted, sent)) = self.posted[rank].remove(nth).flatten() {
                        let sent = sent.expect("a sound program has sent it");
                        self.took(rank, posted, wanted, &sent);
                    }
                }
                Poll { group, from, tag, .. } | Probe { group, from, tag, .. } => {
                    let wanted = Wanted { group, from, tag };
                    let takes = matches!(op, Poll { .. });
                    match self.find(rank, &wanted) {
                        None => self.logs[rank].push(Event::Missed(wanted)),
                        Some(place) if takes => {
                            let sent = self.there.remove(place);
                            self.took(rank, here, wanted, &sent);
                        }
                        Some(place) => {
                            let seen = Seen { number: None, ..seen(&self.there[place]) };
                            self.logs[rank].push(Event::Saw(wanted, seen));
                        }
                    }
                }
                Wait { .. } if self.open[rank] > 0 => {
                    self.open[rank] -= 1;
                    self.logs[rank].push(Event::Waited);
                }
                Pause { .. } | Wait { .. } => {}
                _ => self.logs[rank].push(Event::Joined(at)),
            },
        }
    }
}

/// Tampers with the logs of many programs, each in one place; every one must be rejected.
fn rejects(why: &[&str], tamper: impl Fn(&Program, &mut [Log], &mut Rng) -> bool) {
    let mut tampered = 0;
    for seed in 0..400 {
        let program = Program::random(seed);
        let mut logs = run(&program);
        if tamper(&program, &mut logs, &mut Rng::with_seed(seed)) {
            tampered += 1;
            let wrong = check(&program, &logs, true).expect_err("it was tampered with");
            assert!(why.iter().any(|why| wrong.contains(why)), "{why:?}: {wrong}");
        }
    }
    assert!(tampered > 30, "only {tampered} were tampered with");
}

/// The oracle is no stricter than the reference.
fn what_blocking_barriers_do_is_allowed() {
    for seed in 0..400 {
        let program = Program::random(seed);
        let logs = run(&program);
        assert_eq!(check(&program, &logs, true), Ok(()), "{program}");
    }
}

/// Places (rank, place in its log) of receives that are no posted ones.
fn takes(logs: &[Log]) -> Vec<(usize, usize)> {
    let places = |(rank, log): (usize, &Log)| {
        let own = log.iter().enumerate().filter(move |(at, event)| {
            matches!(event, Event::Took { posted, seen, .. } if posted == at && seen.number.is_some())
        });
        own.map(|(at, _)| (rank, at)).collect::<Vec<_>>()
    };
    logs.iter().enumerate().flat_map(places).collect()
}

fn wanted_and_seen(event: &Event) -> Option<(Wanted, Seen)> {
    match event {
        Event::Took { wanted, seen, .. } => Some((*wanted, *seen)),
        _ => None,
    }
}

/// Moves an event of a log up; those that posted receives stay what they are.
fn move_up(log: &mut Log, from: usize, to: usize) {
    let event = log.remove(from);
    log.insert(to, event);
    for (at, event) in log.iter_mut().enumerate() {
        if let Event::Took { posted, .. } = event {
            *posted = match *posted {
                old if old == from && at == to => to,
                old if (to..from).contains(&old) => old + 1,
                old => old,
            };
        }
    }
}

// SEMANTICS: ORD-1, ORD-3
fn a_message_before_its_barrier_is_rejected() {
    rejects(&["blocking barriers do not allow it"], |program, logs, _| {
        let messages = program.messages();
        for (rank, at) in takes(logs) {
            let number = wanted_and_seen(&logs[rank][at]).and_then(|(_, seen)| seen.number);
            let sent =
                messages.iter().find(|sent| Some(sent.number) == number).expect("it was sent");
            // Sent after a barrier to which both come: received right before it, and before nothing
            // of the same class.
            let place = logs[rank][..at].iter().rposition(|event| match event {
                Event::Joined(place) => match program.line[*place] {
                    Barrier { group, .. } => {
                        *place < sent.number && program.groups[group].members.contains(&sent.from)
                    }
                    _ => false,
                },
                _ => false,
            });
            let Some(place) = place else { continue };
            let others = logs[rank][place..at]
                .iter()
                .any(|event| !matches!(event, Event::Joined(_) | Event::Sent(_) | Event::Waited));
            if !others {
                move_up(&mut logs[rank], at, place);
                return true;
            }
        }
        false
    });
}

// SEMANTICS: ORD-2
fn swapped_messages_are_rejected() {
    // A probe between them may be what shows it.
    rejects(&["before", "which nobody sent so", "do not allow it"], |_, logs, _| {
        let takes = takes(logs);
        for (nth, &(rank, first)) in takes.iter().enumerate() {
            for &(other, second) in &takes[nth + 1..] {
                let [a, b] =
                    [(rank, first), (other, second)].map(|(r, at)| wanted_and_seen(&logs[r][at]));
                let (Some((one, a)), Some((two, b))) = (a, b) else { continue };
                if rank == other && (one, a.from) == (two, b.from) {
                    logs[rank].swap(first, second);
                    for at in [first, second] {
                        if let Event::Took { posted, .. } = &mut logs[rank][at] {
                            *posted = at;
                        }
                    }
                    return true;
                }
            }
        }
        false
    });
}

fn a_message_twice_or_never_is_rejected() {
    rejects(&["twice"], |_, logs, rng| {
        let takes = takes(logs);
        let Some(&(rank, at)) = takes.get(rng.usize(..takes.len().max(1))) else { return false };
        let mut again = logs[rank][at].clone();
        let end = logs[rank].len();
        if let Event::Took { posted, .. } = &mut again {
            *posted = end;
        }
        logs[rank].push(again);
        true
    });
    rejects(&["is lost"], |_, logs, rng| {
        let takes = takes(logs);
        let Some(&(rank, at)) = takes.get(rng.usize(..takes.len().max(1))) else { return false };
        logs[rank][at] = Event::Waited;
        true
    });
}

// SEMANTICS: GRP-1
fn a_message_in_another_group_is_rejected() {
    rejects(&["which nobody sent so"], |program, logs, _| {
        let groups = program.groups.len();
        let found = takes(logs).into_iter().next().filter(|_| groups > 1);
        let Some((rank, at)) = found else { return false };
        if let Event::Took { wanted, .. } = &mut logs[rank][at] {
            wanted.group = (wanted.group + 1) % groups;
        }
        true
    });
}

// SEMANTICS: FEN-1
fn a_poll_that_misses_after_a_fence_is_rejected() {
    rejects(&["has not found message"], |program, logs, _| {
        let messages = program.messages();
        for (rank, at) in takes(logs) {
            let (wanted, seen) = wanted_and_seen(&logs[rank][at]).expect("a receive");
            let sent = messages.iter().find(|sent| Some(sent.number) == seen.number);
            let Some(sent) = sent.filter(|sent| !sent.queued) else { continue };
            // A poll that comes upon such a message may find nothing.
            let asks = |sent: &Sent| sent.queued && sent.bytes > program.shape.eager_bytes;
            if messages.iter().any(|sent| asks(sent) && is_for(&wanted, rank, sent)) {
                continue;
            }
            let fence = |event: &Event| match event {
                Event::Joined(place) => {
                    *place > sent.number
                        && program.line[*place].group() == Some(0)
                        && matches!(program.line[*place], Barrier { .. })
                }
                _ => false,
            };
            let Some(fence) = logs[rank][..at].iter().position(fence) else { continue };
            if logs[rank][fence..at].contains(&Event::Waited) {
                logs[rank].insert(at, Event::Missed(wanted));
                for (place, event) in logs[rank].iter_mut().enumerate().skip(at) {
                    if let Event::Took { posted, .. } = event {
                        *posted += usize::from(*posted >= at && place > at);
                    }
                }
                return true;
            }
        }
        false
    });
}

// SEMANTICS: ORD-2
fn a_probe_of_the_second_is_rejected() {
    rejects(&["before", "which nobody sent so"], |_, logs, _| {
        let takes = takes(logs);
        for pair in takes.windows(2) {
            let [(rank, first), (other, second)] = [pair[0], pair[1]];
            let [a, b] =
                [(rank, first), (other, second)].map(|(r, at)| wanted_and_seen(&logs[r][at]));
            let (Some((one, a)), Some((two, b))) = (a, b) else { continue };
            if rank == other && (one, a.from) == (two, b.from) && a.bytes != b.bytes {
                // Where the first was received, the second is seen before.
                logs[rank].push(Event::Waited);
                let end = logs[rank].len() - 1;
                move_up(&mut logs[rank], end, first);
                logs[rank][first] = Event::Saw(one, b);
                return true;
            }
        }
        false
    });
}
