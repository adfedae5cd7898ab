//! Messages one after the other, by blocking calls and probes, and shifts, in which all send and receive at once.
//! Rules: a receive from anybody, or of any tag, has one message that it can meet.

use super::memory::digest;
use super::messages::{LARGE, Receive};
use super::program::Program;

impl Program {
    /// One message after the other.
    pub fn step_chain(&mut self) {
        let comm = self.one_of_comms();
        let base = self.tags();
        let (mut text, mut lines) = (String::new(), Vec::new());
        let mut n = 0;
        for group in self.groups(comm) {
            for _ in 0..self.rng.usize(0..7) {
                let all = group.all();
                let from = all[self.rng.usize(0..all.len())];
                let peers: Vec<_> =
                    group.peers(from).into_iter().filter(|to| *to != from).collect();
                if peers.is_empty() || n >= 8 {
                    continue;
                }
                let to = peers[self.rng.usize(0..peers.len())];
                let message = self.message(from, to, base + n % 8);
                let (of, count) = self.receiver_of(message.of, message.count, false);
                let memory = self.memory(&self.types[of].clone(), count);
                let source = group.rank_seen_by(to, from) as i64;
                let (source, tag) = match self.rng.u8(0..4) {
                    0 => (-2, message.tag),
                    1 => (source, -1),
                    _ => (source, message.tag),
                };
                let way = self.rng.usize(0..5);
                let receive = Receive {
                    owner: to,
                    source,
                    tag,
                    meets: None,
                    of,
                    count,
                    memory,
                    style: message.style & LARGE,
                };
                if message.count * self.types[message.of].size() > count * self.types[of].size() {
                    continue;
                }
                let (m, r) = (&message, &receive);
                text += &format!(
                    "\n  {from} {} {} {} {} {} {} {} {to} {} {} {} {} {} {way} {}",
                    group.rank_seen_by(from, to),
                    m.tag,
                    m.of,
                    m.count,
                    m.memory.text(),
                    m.mode,
                    m.style & LARGE,
                    r.source,
                    r.tag,
                    r.of,
                    r.count,
                    r.memory.text(),
                    r.style
                );
                lines.push((group.clone(), message, receive, way));
                n += 1;
            }
        }
        self.begin(&format!("chain {comm} {n}{text}"));
        for (index, (group, message, receive, way)) in lines.into_iter().enumerate() {
            let data = self.bytes_of(&message, 0);
            let mut bytes = receive.memory.filled(receive.owner, 0);
            receive.memory.scatter(&mut bytes, &self.types[receive.of].runs(receive.count), &data);
            let source = group.rank_seen_by(receive.owner, message.from).to_string();
            let tag = message.tag.to_string();
            if way != 0 {
                self.say_received("probe", index, &receive, &source, &tag, data.len());
            }
            self.say_received("receive", index, &receive, &source, &tag, data.len());
            self.say(receive.owner, &format!("receive {index} {}", digest(&bytes)));
        }
    }

    /// Every rank sends to one and receives from one, or from and to nobody.
    pub fn step_shift(&mut self) {
        let comm = self.one_of_comms();
        // The status of a nonblocking one is not set by MPICH.
        let ways = if self.whole { [0, 1, 2, 3] } else { [0, 0, 2, 2] };
        let (tag, way) = (self.tags(), ways[self.rng.usize(0..4)]);
        let mut entries = Vec::new();
        for group in self.groups(comm) {
            let all = group.all();
            let pair = self.exact_pair();
            // In an inter-communicator each sends to the other side, if there are as many there.
            let Some(targets) = group.permutation(&mut self.rng) else { continue };
            let cut: Vec<_> = all.iter().map(|_| self.rng.u8(0..5) == 0).collect();
            for (at, rank) in all.iter().enumerate() {
                let to = (!cut[at]).then_some(targets[at]);
                let from = targets.iter().position(|target| target == rank).expect("a permutation");
                let from = (!cut[from]).then_some(all[from]);
                entries.push((group.clone(), *rank, to, from, pair));
            }
        }
        let large = if self.rng.bool() { LARGE } else { 0 };
        let mut text = format!("shift {comm} {way} {}", entries.len());
        let mut memories = Vec::new();
        for (group, rank, to, from, pair) in &entries {
            let seen = |peer: &Option<usize>| {
                peer.map_or(-1, |peer| group.rank_seen_by(*rank, peer) as i64)
            };
            let (sends, receives) = if way < 2 {
                (pair.send, pair.receive)
            } else {
                ((pair.receive.0, 0), pair.receive)
            };
            let s = self.memory(&self.types[sends.0].clone(), sends.1);
            let r = self.memory(&self.types[receives.0].clone(), receives.1);
            text += &format!(
                "\n  {rank} {} {tag} {} {} {} 0 {large} {} {tag} {} {} {} 0 {large}",
                seen(to),
                sends.0,
                sends.1,
                s.text(),
                seen(from),
                receives.0,
                receives.1,
                r.text()
            );
            memories.push((s, r));
        }
        self.begin(&text);
        for (index, (group, rank, _, from, pair)) in entries.iter().enumerate() {
            let (s, r) = &memories[index];
            let mut bytes = r.filled(*rank, 0);
            let places = self.types[pair.receive.0].runs(pair.receive.1);
            let receive = Receive {
                owner: *rank,
                source: 0,
                tag,
                meets: None,
                of: pair.receive.0,
                count: pair.receive.1,
                memory: r.clone(),
                style: 0,
            };
            if let Some(from) = from {
                let at = entries.iter().position(|entry| entry.1 == *from).expect("a sender");
                let data = if way < 2 {
                    memories[at].0.gather(
                        &memories[at].0.filled(*from, 0),
                        &self.types[pair.send.0].runs(pair.send.1),
                    )
                } else {
                    memories[at].1.gather(&memories[at].1.filled(*from, 0), &places)
                };
                r.scatter(&mut bytes, &places, &data);
                let source = group.rank_seen_by(*rank, *from).to_string();
                self.say_received("shift", index, &receive, &source, &tag.to_string(), data.len());
            } else {
                self.say_received("shift", index, &receive, "null", "any", 0);
            }
            self.say(
                *rank,
                &format!("shift {index} {} {}", digest(&s.filled(*rank, 0)), digest(&bytes)),
            );
        }
    }
}
