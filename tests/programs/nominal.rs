//! Which lines are programs that cannot deadlock, with their windows, whatever their ranks' timing.
//!
//! A line is what could happen one by one under blocking barriers. It is *sound* if no operation in it
//! ever waits for one that stands behind it, however polls and receives from any source choose. Then no
//! run can be stuck: of the operations that are not done, look at the first in the line; all before it
//! are done, so it can be done. That an operation needs nothing behind it is counted here for each
//! ordered pair of ranks, always on the safe side:
//!
//! - a message counts against its window until it is *surely* received. With classes
//!   ([`super::program::Class`]) the messages of a named source are received in order, so the first
//!   `n` receives, polls included, had the first `n`. Receives from any source may have been given the
//!   later messages of a rank that ran ahead instead; their messages count until a barrier of the
//!   world finds them all received, since what is sent after it cannot have come before. What meets a
//!   posted receive of a named source does not count (FLOW-5);
//! - a receive is admitted if the message that it may have to wait for has left: if the messages of its
//!   sender before it fit into the window with it. (Those behind it do not matter, even if receives are
//!   posted for them.)
//! - a blocking send is admitted if its message fits, and is not above the eager limit (a receive behind
//!   it would have to make room), unless a receive was posted for it;
//! - a collective is admitted if each pair in its group has room for one message.

use std::collections::BTreeMap;

use super::program::*;

/// The receiver, the group and the class of messages.
type Key = (usize, usize, Class);

/// How many of the messages of a class were sent, claimed by receives, and surely received.
#[derive(Clone, Debug, Default)]
struct Count {
    /// The numbers of its messages among those of their pair, and their senders.
    sent: Vec<(usize, usize)>,
    claimed: usize,
    received: usize,
    /// Claims of receives that are posted and not waited for.
    pending: usize,
}

/// A line as far as it was admitted.
#[derive(Clone, Debug)]
pub struct Nominal {
    groups: Vec<Group>,
    window: usize,
    eager_bytes: usize,
    classes: BTreeMap<Key, Count>,
    /// For each pair its messages: whether it is sure that each takes no room, once it has left.
    pairs: Vec<Vec<Vec<bool>>>,
    /// For each rank the classes of its posted receives, with their numbers among the claims.
    posted: Vec<Vec<(Key, usize)>>,
}

impl Nominal {
    pub fn new(program: &Program) -> Nominal {
        let size = program.size();
        Nominal {
            groups: program.groups.clone(),
            window: program.shape.window as usize,
            eager_bytes: program.shape.eager_bytes,
            classes: BTreeMap::new(),
            pairs: vec![vec![Vec::new(); size]; size],
            posted: vec![Vec::new(); size],
        }
    }

    /// Whether the message with this number among those of its pair fits with those before it.
    fn fits(&self, from: usize, to: usize, number: usize) -> bool {
        let before = self.pairs[from][to][..number].iter().filter(|&&received| !received);
        from == to || before.count() < self.window
    }

    /// The number of the next message of a pair.
    fn next(&self, from: usize, to: usize) -> usize {
        self.pairs[from][to].len()
    }

    fn is_member(&self, group: usize, rank: usize) -> bool {
        self.groups.get(group).is_some_and(|group| group.members.contains(&rank))
    }

    /// Whether the claim with this number finds a message whatever happens behind it.
    fn has_left(&self, key: &Key, claim: usize) -> bool {
        let Some(count) = self.classes.get(key) else { return false };
        let left = |&(number, from): &(usize, usize)| self.fits(from, key.0, number);
        match key.2.0 {
            Some(_) => count.sent.get(claim - 1).is_some_and(left),
            // Any of them may be the one that it waits for.
            None => count.sent.len() >= claim && count.sent.iter().all(left),
        }
    }

    /// Adds the operation, if the line stays sound.
    pub fn admit(&mut self, op: Op) -> bool {
        match op {
            Send { rank, group, to, tag, bytes, queued } => {
                if !self.is_member(group, rank) || !self.is_member(group, to) || tag > WILD {
                    return false;
                }
                let class = self.groups[group].class(rank, tag);
                let number = self.next(rank, to);
                let fits = self.fits(rank, to, number);
                let count = self.classes.entry((to, group, class)).or_default();
                // Claims of what is not sent yet are posted.
                let is_posted = class.0.is_some() && count.sent.len() < count.claimed;
                let asks = bytes > self.eager_bytes;
                // What is received from any source must have left whenever it is looked for.
                let needs = !queued || class.0.is_none();
                if needs && !fits || !queued && asks && !is_posted {
                    return false;
                }
                count.sent.push((number, rank));
                self.pairs[rank][to].push(false);
                self.settle(&(to, group, class));
            }
            Recv { rank, group, from, tag } | Post { rank, group, from, tag } => {
                let is_class = self.is_member(group, rank)
                    && from.is_none_or(|from| self.is_member(group, from))
                    && match (self.groups[group].loose, from, tag) {
                        (true, Some(_), None) | (false, None, Some(WILD)) => true,
                        (false, Some(_), Some(tag)) => tag < WILD,
                        _ => false,
                    };
                let key = (rank, group, (from, tag));
                let claim = self.classes.get(&key).map_or(0, |count| count.claimed) + 1;
                let posts = matches!(op, Post { .. });
                if !is_class || !posts && !self.has_left(&key, claim) {
                    return false;
                }
                let count = self.classes.entry(key).or_default();
                count.claimed = claim;
                if posts {
                    count.pending += 1;
                    self.posted[rank].push((key, claim));
                }
                self.settle(&key);
            }
            Complete { rank, nth } => {
                let posted = self.posted.get(rank).and_then(|posted| posted.get(nth));
                let Some(&(key, _)) = posted.filter(|(key, claim)| self.has_left(key, *claim))
                else {
                    return false;
                };
                self.posted[rank].remove(nth);
                if let Some(count) = self.classes.get_mut(&key) {
                    count.pending -= 1;
                }
            }
            Poll { rank, group, from, .. } | Probe { rank, group, from, .. } => {
                return self.is_member(group, rank)
                    && from.is_none_or(|from| self.is_member(group, from));
            }
            Pause { rank, .. } | Wait { rank } => return rank < self.pairs.len(),
            Barrier { group, .. } => {
                if group == 0 {
                    self.settle_any_source();
                }
                return group < self.groups.len();
            }
            Multicast { group, .. } | AllReduce { group, .. } => return self.has_room(group, op),
            Scan { group, .. } | Exchange { group, .. } => return self.has_room(group, op),
        }
        true
    }

    fn has_room(&self, group: usize, op: Op) -> bool {
        let Some(Group { members, .. }) = self.groups.get(group) else { return false };
        let room = |&a: &usize, &b: &usize| self.fits(a, b, self.next(a, b));
        let is_member = !matches!(op, Multicast { root, .. } if !members.contains(&root));
        is_member && members.iter().all(|a| members.iter().all(|b| room(a, b)))
    }

    /// What a class of a named source has surely received, or has a receive posted for.
    fn settle(&mut self, key: &Key) {
        let (Some(count), Some(from)) = (self.classes.get_mut(key), key.2.0) else { return };
        let received = count.claimed.min(count.sent.len()).max(count.received);
        for &(number, _) in &count.sent[count.received..received] {
            self.pairs[from][key.0][number] = true;
        }
        count.received = received;
    }

    /// A barrier of the world: what any source may have sent was received, if there are claims enough.
    fn settle_any_source(&mut self) {
        for (&(to, _, class), count) in &mut self.classes {
            let all = count.claimed - count.pending >= count.sent.len();
            if class.0.is_none() && all {
                for &(number, from) in &count.sent[count.received..] {
                    self.pairs[from][to][number] = true;
                }
                count.received = count.sent.len();
            }
        }
    }

    /// What receives what was sent and completes what was posted, so that nothing is left.
    pub fn rest(mut self) -> Vec<Op> {
        let mut rest = Vec::new();
        loop {
            let Some(op) = self.missing() else { return rest };
            let everyone = Barrier { group: 0, tried: 0, awaited: 0 };
            let op = op.into_iter().find(|&op| self.admit(op)).unwrap_or_else(|| {
                self.admit(everyone);
                everyone
            });
            rest.push(op);
        }
    }

    /// What could come next of that; None if nothing is left.
    fn missing(&self) -> Option<Vec<Op>> {
        let mut ops = Vec::new();
        for (&(rank, group, (from, tag)), count) in &self.classes {
            if count.sent.len() > count.claimed {
                ops.push(Recv { rank, group, from, tag });
            }
            if count.sent.len() < count.claimed {
                // Somebody sends what it waits for.
                let members = &self.groups[group].members;
                let froms = from.map_or(members.clone(), |from| vec![from]);
                ops.extend(froms.into_iter().map(|from| {
                    let tag = tag.unwrap_or(0);
                    Send { rank: from, group, to: rank, tag, bytes: 8, queued: true }
                }));
            }
        }
        let posted = self.posted.iter().enumerate();
        ops.extend(
            posted.flat_map(|(rank, posted)| {
                (0..posted.len()).map(move |nth| Complete { rank, nth })
            }),
        );
        (!ops.is_empty()).then_some(ops)
    }
}

impl Program {
    /// Whether the line is sound, and everything that is sent is received.
    pub fn is_sound(&self) -> bool {
        let mut nominal = Nominal::new(self);
        let is_admitted = self.line.iter().all(|&op| nominal.admit(op));
        is_admitted && nominal.missing().is_none()
    }

    /// The same without what is not sound, and with what is missing.
    pub fn repaired(&self) -> Program {
        let mut nominal = Nominal::new(self);
        let mut line: Vec<Op> = self.line.iter().copied().filter(|&op| nominal.admit(op)).collect();
        line.extend(nominal.rest());
        Program { line, ..self.clone() }
    }
}
