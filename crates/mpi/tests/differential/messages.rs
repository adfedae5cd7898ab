//! Steps of point-to-point communication, and which receive each message meets.
//! Rules: a receive from anybody has a tag that one sender uses, so no timing changes the result.

use std::rc::Rc;

use super::groups::Group;
use super::memory::{Memory, digest};
use super::program::Program;

/// Bits of the style, as in `c/messages.c`.
const PERSISTENT: usize = 1;
const BLOCKING: usize = 2;
const FREED_TYPE: usize = 4;
pub const LARGE: usize = 8;
const CANCELLED: usize = 16;
const READY: usize = 3;

/// One message: the world's ranks of both ends, and its data.
#[derive(Clone, Debug)]
pub struct Message {
    pub from: usize,
    pub to: usize,
    pub tag: i64,
    pub of: usize,
    pub count: usize,
    pub memory: Memory,
    pub mode: usize,
    pub style: usize,
}

/// One receive of one rank.
#[derive(Clone, Debug)]
pub struct Receive {
    pub owner: usize,
    /// As the text has them: -2 is anybody, -1 is nobody, and any tag.
    pub source: i64,
    pub tag: i64,
    /// The message that it meets; none if it is from nobody, or cancelled.
    pub meets: Option<usize>,
    pub of: usize,
    pub count: usize,
    pub memory: Memory,
    pub style: usize,
}

impl Program {
    /// The tags of this step: no other of this program or of those around it has them.
    pub fn tags(&self) -> i64 {
        ((self.number * 40 + self.step + 1) * 8 % 30_000) as i64
    }

    fn style(&mut self, sends: bool) -> usize {
        let kind = match self.rng.u8(0..8) {
            0 | 1 => PERSISTENT,
            2..=4 if sends => BLOCKING,
            _ => 0,
        };
        kind + if self.rng.u8(0..4) == 0 { FREED_TYPE } else { 0 }
            + if self.rng.u8(0..4) == 0 { LARGE } else { 0 }
    }

    pub fn message(&mut self, from: usize, to: usize, tag: i64) -> Message {
        let of = self.one_of_types();
        let mut count = self.count(of);
        let mode = self.rng.usize(0..READY);
        let style = self.style(true);
        // Data in the attached buffer must fit together.
        if mode == 2 && count * self.types[of].size() > 30_000 {
            count = 1;
        }
        let memory = self.memory(&self.types[of].clone(), count);
        Message { from, to, tag, of, count, memory, mode, style }
    }

    pub fn bytes_of(&self, message: &Message, round: usize) -> Vec<u8> {
        let places = self.types[message.of].runs(message.count);
        message.memory.gather(&message.memory.filled(message.from, round), &places)
    }

    /// The lines of a receive that is met by so much data.
    pub fn say_received(
        &mut self,
        what: &str,
        index: usize,
        receive: &Receive,
        source: &str,
        tag: &str,
        bytes: usize,
    ) {
        let made = &self.types[receive.of];
        let elements = if made.size() == 0 {
            0
        } else {
            bytes / made.size() * made.map.len() + partial(made, bytes)
        };
        let count = match made.map.len() {
            length if elements % length == 0 => (elements / length).to_string(),
            _ => "undefined".to_owned(),
        };
        let line =
            format!("{what} {index} source {source} tag {tag} count {count} elements {elements}");
        self.say(receive.owner, &line);
    }

    /// Messages of one group, and receives for them in random order.
    fn traffic(
        &mut self,
        group: &Rc<Group>,
        receives: &mut Vec<Receive>,
        messages: &mut Vec<Message>,
        alone: bool,
    ) {
        let base = self.tags();
        let first = messages.len();
        for from in group.all() {
            for _ in 0..self.rng.usize(0..4) {
                let peers = group.peers(from);
                let to = peers[self.rng.usize(0..peers.len())];
                let tag = base + self.rng.i64(0..3);
                let message = self.message(from, to, tag);
                messages.push(message);
            }
        }
        for owner in group.all() {
            let mine: Vec<_> =
                (first..messages.len()).filter(|at| messages[*at].to == owner).collect();
            for attempt in 0.. {
                let mut order = mine.clone();
                self.rng.shuffle(&mut order);
                let sources: Vec<_> = mine.iter().map(|at| messages[*at].from).collect();
                let one_source = sources.windows(2).all(|pair| pair[0] == pair[1]);
                let slots: Vec<_> = order
                    .iter()
                    .map(|at| {
                        let message = &messages[*at];
                        let mut slot =
                            (group.rank_seen_by(owner, message.from) as i64, message.tag);
                        let only = mine.iter().all(|other| {
                            messages[*other].tag != message.tag
                                || messages[*other].from == message.from
                        });
                        if attempt < 3 {
                            match self.rng.u8(0..5) {
                                0 if only => slot.0 = -2,
                                1 => slot.1 = -1,
                                2 if alone && one_source => slot = (-2, -1),
                                _ => {}
                            }
                        }
                        slot
                    })
                    .collect();
                let Some(meetings) =
                    meet(&slots, &mine, messages, |from| group.rank_seen_by(owner, from) as i64)
                else {
                    continue;
                };
                for (slot, at) in slots.iter().zip(meetings) {
                    let message = messages[at].clone();
                    let (of, mut count) = self.receiver_of(message.of, message.count, false);
                    if of == message.of
                        && count == message.count
                        && self.types[of].disjoint(count + 1)
                    {
                        count += self.rng.usize(0..2);
                    }
                    let memory = self.memory(&self.types[of].clone(), count);
                    let style = self.style(false);
                    receives.push(Receive {
                        owner,
                        source: slot.0,
                        tag: slot.1,
                        meets: Some(at),
                        of,
                        count,
                        memory,
                        style,
                    });
                }
                break;
            }
            if self.rng.u8(0..3) == 0 {
                let of = self.one_of_types();
                let memory = self.memory(&self.types[of].clone(), 1);
                let (nobody, style) = (self.rng.bool(), self.style(false));
                let peers = group.peers(owner);
                let source =
                    group.rank_seen_by(owner, peers[self.rng.usize(0..peers.len())]) as i64;
                receives.push(Receive {
                    owner,
                    source: if nobody { -1 } else { source },
                    tag: if nobody { 5 } else { base + 7 },
                    meets: None,
                    of,
                    count: 1,
                    memory,
                    style: match (nobody, self.whole) {
                        (true, true) => style,
                        (true, false) => style & !PERSISTENT,
                        (false, _) => style & LARGE | CANCELLED,
                    },
                });
            }
        }
    }

    /// Messages whose receives are all posted before.
    pub fn step_exchange(&mut self) {
        let comm = self.one_of_comms();
        let (ready, last) = (self.rng.bool(), self.rng.bool());
        let rounds = if self.rng.u8(0..3) == 0 { 2 } else { 1 };
        let (mut receives, mut messages) = (Vec::new(), Vec::new());
        for group in self.groups(comm) {
            self.traffic(&group, &mut receives, &mut messages, last);
        }
        if ready {
            for message in &mut messages {
                if self.rng.u8(0..3) == 0 {
                    message.mode = READY;
                }
            }
        }
        // After an error, only waiting for one after the other says of each what became of it.
        let way = self.rng.usize(0..9);
        let exceeding: Vec<_> =
            receives.iter().map(|receive| self.exceeds(receive, &messages)).collect();
        let way = if exceeding.contains(&true) { 6 } else { way };
        let persistent = receives
            .iter()
            .map(|receive| receive.style)
            .chain(messages.iter().map(|message| message.style));
        let persistent = persistent.into_iter().any(|style| style & PERSISTENT != 0);
        // MPICH takes the status of a persistent request with the first look, and one with nobody for inactive.
        let way = if !self.whole && persistent && way != 6 { 0 } else { way };
        let mut text = format!(
            "exchange {comm} {rounds} {} {} {way} {}",
            u8::from(ready),
            u8::from(last),
            receives.len()
        );
        for r in &receives {
            let (owner, source, tag, of, count) = (r.owner, r.source, r.tag, r.of, r.count);
            text += &format!(
                "\n  {owner} {source} {tag} {of} {count} {} 0 {}",
                r.memory.text(),
                r.style
            );
        }
        text += &format!("\n  {}", messages.len());
        for m in &messages {
            let to = self.comms[comm][m.from]
                .clone()
                .expect("a sender that is a member")
                .rank_seen_by(m.from, m.to);
            let (from, tag, of, count) = (m.from, m.tag, m.of, m.count);
            text += &format!(
                "\n  {from} {to} {tag} {of} {count} {} {} {}",
                m.memory.text(),
                m.mode,
                m.style
            );
        }
        self.begin(&text);
        for round in 0..rounds {
            for (index, receive) in receives.iter().enumerate() {
                let mut bytes = receive.memory.filled(receive.owner, round);
                let Some(meets) = receive.meets else {
                    if receive.style & CANCELLED != 0 {
                        self.say(
                            receive.owner,
                            &format!("receive {index} cancelled 1 {}", digest(&bytes)),
                        );
                    } else {
                        self.say_received("receive", index, receive, "null", "any", 0);
                        self.say(receive.owner, &format!("receive {index} {}", digest(&bytes)));
                    }
                    continue;
                };
                if exceeding[index] {
                    self.say(receive.owner, &format!("receive {index} class truncated"));
                    continue;
                }
                let message = &messages[meets];
                let data = self.bytes_of(message, round);
                receive.memory.scatter(
                    &mut bytes,
                    &self.types[receive.of].runs(receive.count),
                    &data,
                );
                let group = self.comms[comm][receive.owner].clone().expect("a member");
                let source = group.rank_seen_by(receive.owner, message.from).to_string();
                self.say_received(
                    "receive",
                    index,
                    receive,
                    &source,
                    &message.tag.to_string(),
                    data.len(),
                );
                self.say(receive.owner, &format!("receive {index} {}", digest(&bytes)));
            }
            for (index, message) in messages.iter().enumerate() {
                let bytes = message.memory.filled(message.from, round);
                self.say(message.from, &format!("send {index} {}", digest(&bytes)));
            }
        }
    }

    fn exceeds(&self, receive: &Receive, messages: &[Message]) -> bool {
        receive.meets.is_some_and(|at| {
            let message = &messages[at];
            message.count * self.types[message.of].size()
                > receive.count * self.types[receive.of].size()
        })
    }
}

/// The elements of the last, incomplete datatype.
fn partial(made: &super::types::Type, bytes: usize) -> usize {
    let (mut left, mut elements) = (bytes % made.size(), 0);
    for (_, basic) in &made.map {
        if left < super::types::SIZES[*basic] || left == 0 {
            break;
        }
        left -= super::types::SIZES[*basic];
        elements += 1;
    }
    elements
}

/// Which message each receive meets: in the order of posting, each the first that fits. None if one is left without.
fn meet(
    slots: &[(i64, i64)],
    mine: &[usize],
    messages: &[Message],
    rank: impl Fn(usize) -> i64,
) -> Option<Vec<usize>> {
    let mut left = mine.to_vec();
    let meetings = slots.iter().map(|(source, tag)| {
        let fits = |at: &usize| {
            let message = &messages[*at];
            (*source == -2 || *source == rank(message.from)) && (*tag == -1 || *tag == message.tag)
        };
        let position = left.iter().position(fits)?;
        Some(left.remove(position))
    });
    meetings.collect()
}
