//! Runs one rank's part of a program through the public interface, and writes down what it sees.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use runahead::internals::verbs::Nic;
use runahead::{
    Barrier, Comm, Config, Error, Message, Rank, RecvRequest, Result, SendRequest, Source, Status,
    Tag,
};

use super::oracle::{Event, Log, Seen, Wanted};
use super::program::{Class, Group, Op, Op::*, Program, Sent, Shape, Step, number_in, payload};

impl Shape {
    pub fn config(&self, size: usize) -> Config {
        Config {
            algorithm: self.algorithm.parse().expect("the name of an algorithm"),
            notify: self.notify.parse().expect("the name of a way of waiting"),
            window_messages: self.window,
            signal_window: self.signal_window,
            bulk_window: self.bulk_window,
            eager_bytes: self.eager_bytes,
            segment_bytes: 64,
            open_barriers: self.open_barriers,
            first_epoch: self.first_epoch,
            resend_after: Duration::from_micros(200),
            ..Config::new(size)
        }
    }
}

/// How many ranks have called each barrier of each group: a channel that the runtime cannot see, for
/// ranks that share memory. What was sent after a barrier may be received only when all have called it.
pub struct Witness(Vec<Vec<AtomicUsize>>);

impl Witness {
    pub fn new(program: &Program) -> Witness {
        let barriers = || program.line.iter().map(|_| AtomicUsize::new(0)).collect();
        Witness(program.groups.iter().map(|_| barriers()).collect())
    }

    fn call(&self, group: usize, nth: usize) {
        self.0[group][nth - 1].fetch_add(1, Ordering::SeqCst);
    }

    /// Whether all members have called the `nth` barrier of a group, and so those before it.
    // SEMANTICS: ORD-1, BAR-1, CON-1
    fn check(
        &self,
        program: &Program,
        group: usize,
        nth: usize,
        who: impl Fn() -> String,
    ) -> Result<()> {
        let Some(before) = nth.checked_sub(1) else { return Ok(()) };
        let called = self.0[group][before].load(Ordering::SeqCst);
        let size = program.groups[group].members.len();
        if called == size {
            return Ok(());
        }
        let who = who();
        let text = format!("{who} barrier {nth} of group {group}, called by {called} of {size}");
        Err(Error::other(text))
    }
}

/// A receive, the event that posted it, and what it takes.
type Posted<N> = (RecvRequest<u8, N>, usize, Wanted);

struct Play<'c, N: Nic> {
    program: &'c Program,
    messages: &'c [Sent],
    witness: Option<&'c Witness>,
    rank: Rank,
    /// The groups that this rank is a member of; the world first.
    comms: Vec<Option<&'c Comm<N>>>,
    log: Log,
    /// How many messages of each group and class this rank has received.
    had: BTreeMap<(usize, Class), usize>,
    /// Receives that are to be completed, each with the event that posted it; None where polls had
    /// made it needless.
    posted: VecDeque<Option<Posted<N>>>,
    sends: Vec<SendRequest<N>>,
    /// Barriers that were not waited for.
    open: Vec<Barrier<N>>,
    /// How many barriers of each group it has called.
    called: Vec<usize>,
}

/// What this rank does, and what it sees.
pub fn play<N: Nic>(world: &Comm<N>, program: &Program, witness: Option<&Witness>) -> Result<Log> {
    let rank = world.rank();
    let groups = program.groups.iter().enumerate().skip(1);
    let made = groups.map(|(at, group)| make(world, rank, at, group));
    let made: Vec<Option<Comm<N>>> = made.collect::<Result<_>>()?;
    let comms: Vec<_> = [Some(world)].into_iter().chain(made.iter().map(Option::as_ref)).collect();
    let tree = program.shape.tree.parse().map_err(Error::other)?;
    comms.iter().flatten().for_each(|comm| comm.set_tree(tree));
    let messages = program.messages();
    let mut play = Play {
        program,
        messages: &messages,
        witness,
        rank,
        called: vec![0; comms.len()],
        comms,
        log: Log::new(),
        had: BTreeMap::new(),
        posted: VecDeque::new(),
        sends: Vec::new(),
        open: Vec::new(),
    };
    program.steps(rank).into_iter().try_for_each(|step| play.step(step))?;
    play.finish()
}

/// A group of the program, made one way or the other; None for those who are no members.
fn make<N: Nic>(world: &Comm<N>, rank: Rank, at: usize, group: &Group) -> Result<Option<Comm<N>>> {
    let place = group.members.iter().position(|&member| member == rank);
    if at.is_multiple_of(2) {
        let color = place.map(|_| at as u32);
        return world.split_some(color, place.unwrap_or(0) as i64);
    }
    place.map(|_| world.group(&group.members)).transpose()
}

impl<'c, N: Nic> Play<'c, N> {
    fn comm(&self, group: usize) -> &'c Comm<N> {
        self.comms[group].expect("it is a member")
    }

    fn members(&self, group: usize) -> &'c [usize] {
        &self.program.groups[group].members
    }

    /// The place of a rank of the world in a group.
    fn local(&self, group: usize, rank: usize) -> Rank {
        let place = self.members(group).iter().position(|&member| member == rank);
        place.expect("it is a member")
    }

    fn pattern(&self, wanted: Wanted) -> (Source, Tag) {
        let source = wanted.from.map(|from| Source::Rank(self.local(wanted.group, from)));
        (source.unwrap_or(Source::Any), wanted.tag.map_or(Tag::Any, Tag::Exactly))
    }

    fn step(&mut self, step: Step) -> Result<()> {
        match step {
            Step::Claim { op, total } => self.claim(op, total),
            Step::Enter { at, group, nth, tried, awaited } => {
                self.enter(at, group, nth, tried, awaited)
            }
            Step::Do { at, op } => self.operate(at, op),
        }
    }

    fn operate(&mut self, at: usize, op: Op) -> Result<()> {
        match op {
            Send { group, to, tag, bytes, queued, .. } => {
                let (comm, data) = (self.comm(group), payload(at, bytes));
                let to = self.local(group, to);
                match queued {
                    false => comm.send(to, tag, &data)?,
                    true if at.is_multiple_of(2) => {
                        comm.isend(to, tag, &data)?;
                    }
                    true => self.sends.push(comm.isend(to, tag, &data)?),
                }
                self.log.push(Event::Sent(at));
            }
            Complete { nth, .. } => {
                if let Some((request, posted, wanted)) = self.posted.remove(nth).flatten() {
                    let message = request.wait()?;
                    self.took(posted, wanted, &message)?;
                }
            }
            Poll { group, from, tag, times, .. } => {
                let wanted = Wanted { group, from, tag };
                let (source, tag) = self.pattern(wanted);
                for _ in 0..times {
                    if let Some(message) = self.comm(group).try_recv::<u8>(source, tag)? {
                        return self.took(self.log.len(), wanted, &message);
                    }
                    std::thread::yield_now();
                }
                self.log.push(Event::Missed(wanted));
            }
            Probe { group, from, tag, .. } => {
                let wanted = Wanted { group, from, tag };
                let (source, tag) = self.pattern(wanted);
                let event = match self.comm(group).try_probe(source, tag)? {
                    None => Event::Missed(wanted),
                    Some(Status { source, tag, bytes, .. }) => {
                        let from = self.members(group)[source];
                        Event::Saw(wanted, Seen { from, tag, bytes, number: None })
                    }
                };
                self.log.push(event);
            }
            Pause { us, .. } => std::thread::sleep(Duration::from_micros(us.into())),
            Wait { .. } => {
                if let Some(barrier) = self.open.pop() {
                    barrier.wait()?;
                    self.waited()?;
                }
            }
            op => {
                self.log.push(Event::Joined(at));
                self.collect(at, op)?;
            }
        }
        Ok(())
    }

    fn claim(&mut self, op: Op, total: usize) -> Result<()> {
        let (Recv { group, from, tag, .. } | Post { group, from, tag, .. }) = op else {
            return Ok(());
        };
        let wanted = Wanted { group, from, tag };
        let (source, tag) = self.pattern(wanted);
        let comm = self.comm(group);
        let posts = matches!(op, Post { .. });
        let mut has_posted = false;
        loop {
            let pending = self.posted.iter().flatten().filter(|posted| posted.2 == wanted).count();
            let had = self.had.get(&(group, (from, wanted.tag))).copied().unwrap_or(0);
            if had + pending >= total {
                break;
            }
            if posts {
                self.posted.push_back(Some((comm.irecv(source, tag)?, self.log.len(), wanted)));
                self.log.push(Event::Posted(wanted));
                has_posted = true;
            } else {
                let message = comm.recv::<u8>(source, tag)?;
                self.took(self.log.len(), wanted, &message)?;
            }
        }
        if posts && !has_posted {
            self.posted.push_back(None);
        }
        Ok(())
    }

    fn took(&mut self, posted: usize, wanted: Wanted, message: &Message<u8>) -> Result<()> {
        let Message { source, tag, ref data, .. } = *message;
        let group = wanted.group;
        let from = self.members(group)[source];
        let number = number_in(data).map_err(Error::other)?;
        let seen = Seen { from, tag, bytes: data.len(), number };
        self.log.push(Event::Took { posted, wanted, seen });
        let class = self.program.groups[group].class(from, tag);
        *self.had.entry((group, class)).or_default() += 1;
        let Some(witness) = self.witness else { return Ok(()) };
        let sent = number.and_then(|number| self.messages.iter().find(|m| m.number == number));
        for (group, &nth) in sent.iter().flat_map(|sent| sent.after.iter().enumerate()) {
            let rank = self.rank;
            witness.check(self.program, group, nth, || {
                format!("rank {rank} has received {seen:?}, which was sent after")
            })?;
        }
        Ok(())
    }

    fn enter(
        &mut self,
        at: usize,
        group: usize,
        nth: usize,
        tried: bool,
        awaited: bool,
    ) -> Result<()> {
        let comm = self.comm(group);
        if let Some(witness) = self.witness {
            witness.call(group, nth);
        }
        self.log.push(Event::Joined(at));
        self.called[group] = nth;
        let barrier = match tried {
            false => comm.barrier()?,
            true => loop {
                if let Some(barrier) = comm.try_barrier()? {
                    break barrier;
                }
                std::thread::yield_now();
            },
        };
        if awaited {
            barrier.wait()?;
            return self.waited();
        }
        self.open.push(barrier);
        Ok(())
    }

    /// The newest barrier that had not been waited for is complete, and so all are.
    fn waited(&mut self) -> Result<()> {
        self.log.push(Event::Waited);
        let Some(witness) = self.witness else { return Ok(()) };
        let rank = self.rank;
        self.called.iter().enumerate().try_for_each(|(group, &nth)| {
            witness.check(self.program, group, nth, || format!("rank {rank} has waited for"))
        })
    }

    /// A collective, whose result follows from its place in the line.
    fn collect(&mut self, at: usize, op: Op) -> Result<()> {
        let group = op.group().unwrap_or(0);
        let (comm, members) = (self.comm(group), self.members(group));
        let share = |rank: usize, count: usize| -> Vec<u64> {
            (0..count).map(|place| ((rank + 1) * (at + place + 1)) as u64).collect()
        };
        let sum = |ranks: &[usize], count: usize| -> Vec<u64> {
            let shares = ranks.iter().map(|&rank| share(rank, count));
            shares.fold(vec![0; count], |sum, share| {
                sum.iter().zip(share).map(|(sum, share)| sum + share).collect()
            })
        };
        let is_right = match op {
            Multicast { root, bytes, .. } => {
                let is_root = root == self.rank;
                let mut data = if is_root { payload(at, bytes) } else { vec![0; bytes] };
                comm.broadcast(self.local(group, root), &mut data)?;
                data == payload(at, bytes)
            }
            AllReduce { count, .. } => {
                let all = comm.all_reduce(&share(self.rank, count), |a, b| a + b)?;
                all == sum(members, count)
            }
            Scan { count, .. } => {
                let through = comm.scan(&share(self.rank, count), |a, b| a + b)?;
                through == sum(&members[..=comm.rank()], count)
            }
            Exchange { bytes, .. } => {
                let part = |from: usize, to: usize| {
                    payload(at + 8 * from + to, (from * 7 + to * 3 + at) % (bytes + 1))
                };
                let own: Vec<_> = members.iter().map(|&to| part(self.rank, to)).collect();
                let own: Vec<&[u8]> = own.iter().map(Vec::as_slice).collect();
                let parts = comm.exchange_parts(&own)?;
                let parts = parts.iter().map(<[u8]>::to_vec);
                parts.eq(members.iter().map(|&from| part(from, self.rank)))
            }
            _ => true,
        };
        if is_right { Ok(()) } else { Err(Error::other(format!("{op:?} at {at} is wrong"))) }
    }

    /// Nothing is left, unless something came twice.
    fn finish(mut self) -> Result<Log> {
        self.sends.drain(..).try_for_each(SendRequest::wait)?;
        for (group, comm) in self.comms.iter().enumerate() {
            let Some(comm) = comm else { continue };
            if let Some(more) = comm.try_probe(Source::Any, Tag::Any)? {
                let text = format!("rank {} has {more:?} left in group {group}", self.rank);
                return Err(Error::other(text));
            }
        }
        self.log.push(Event::Held(self.comm(0).stats()?.messages_held));
        Ok(self.log)
    }
}
