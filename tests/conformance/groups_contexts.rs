//! Messages of different communicators never mix: same ranks, same tags, wildcards, and messages
//! that come before their receiver has made the group.

use std::collections::VecDeque;
use std::time::Duration;

use runahead::internals::message::{EAGER, Header};
use runahead::internals::verbs::{Completion, Cq, Nic, VerbsError, WakeOn};
use runahead::{Config, HostNic, Rank, Result, Source, Tag};

use crate::harness::{Case, Host, Provider, SIZES, World};

/// A communicator, its duplicate, one with the ranks the other way round, and one of two that
/// overlap them.
fn communicators(world: &World) -> Result<Vec<World>> {
    let twin = world.dup()?;
    let reversed = twin.split(0, -(twin.rank() as i64))?;
    let rotated: Vec<Rank> = (0..world.size()).map(|rank| (rank + 1) % world.size()).collect();
    let rotated = world.group(&rotated)?;
    Ok(vec![twin, reversed, rotated])
}

/// Where each has room for all that is sent, messages of the same two ranks and the same tag are
/// asked for in an order of contexts that is not that of sending.
/// SEMANTICS: GRP-1
fn equal_tags_never_mix(case: &Case) {
    for size in case.sizes(&SIZES) {
        let mut config = case.config(size);
        config.window_messages = config.window_messages.max(16);
        config.eager_bytes = 64;
        case.run_with(&config, size, |world, step| {
            let groups = communicators(world)?;
            let all: Vec<&World> = std::iter::once(world).chain(&groups).collect();
            let (next, previous) = ((world.rank() + 1) % size, (world.rank() + size - 1) % size);
            let local = |comm: &World, rank: Rank| -> Rank {
                (0..size).find(|&r| comm.world_rank(r).is_ok_and(|w| w == rank)).unwrap()
            };
            for round in 0..8usize {
                step.to(format!("round {round}"));
                let large = if round % 2 == 0 { 3 } else { 300 };
                let posted: Vec<_> = match round % 4 {
                    0 => all.iter().map(|comm| comm.irecv::<u8>(Source::Any, Tag::Any)).collect(),
                    _ => Vec::new(),
                };
                for at in 0..all.len() {
                    let at = (at + round) % all.len();
                    for number in 0..2 {
                        let data = vec![(at * 2 + number) as u8; large];
                        all[at].isend(local(all[at], next), 1, &data)?;
                    }
                }
                let mut first = Vec::new();
                for posted in posted {
                    first.push(posted?.wait()?);
                }
                for at in 0..all.len() {
                    let at = if round % 3 == 0 { at } else { all.len() - 1 - at };
                    let comm = all[at];
                    let from = local(comm, previous);
                    for number in 0..2 {
                        let source = [Source::Any, Source::Rank(from)][number];
                        let posted = first.get(at).filter(|_| number == 0).cloned();
                        let message = match posted {
                            Some(message) => message,
                            None => {
                                assert_eq!(comm.probe(source, 1)?.source, from);
                                comm.recv::<u8>(source, Tag::Any)?
                            }
                        };
                        let expected = vec![(at * 2 + number) as u8; large];
                        assert_eq!((message.source, message.data), (from, expected), "of {at}");
                    }
                    assert_eq!(comm.try_probe(Source::Any, Tag::Any)?, None);
                }
                world.barrier()?.wait()?;
            }
            Ok(())
        });
    }
}

/// With a window of one: in the order of sending, and nothing is seen in any other context.
/// SEMANTICS: GRP-1
fn a_message_is_seen_in_its_context_alone(case: &Case) {
    for size in case.sizes(&SIZES).filter(|&size| size > 1) {
        case.run(size, |world, step| {
            let groups = communicators(world)?;
            let all: Vec<&World> = std::iter::once(world).chain(&groups).collect();
            for round in 0..all.len() * 2 {
                step.to(format!("round {round}"));
                let comm = all[round % all.len()];
                let (rank, last) = (comm.rank(), comm.size() - 1);
                if rank == 0 {
                    comm.send(last, 7, &[round])?;
                } else if rank == last {
                    comm.probe(Source::Any, Tag::Any)?;
                    for (at, other) in all.iter().enumerate().filter(|(at, _)| at % 4 != round % 4)
                    {
                        let found = other.try_recv::<usize>(Source::Any, Tag::Any)?;
                        assert_eq!(found, None, "of {round} in {at}");
                    }
                    assert_eq!(comm.recv::<usize>(Source::Any, 7)?.data, [round]);
                }
                world.barrier()?.wait()?;
            }
            Ok(())
        });
    }
}

/// Groups made and dropped one after the other, by members of which some are always behind.
/// SEMANTICS: GRP-1, GRP-2
fn early_messages_wait_for_their_group(case: &Case) {
    for size in [2, 3, 5, 8] {
        case.run(size, |world, step| {
            for round in 0..20 {
                step.to(format!("round {round}"));
                let (list, turn): (Vec<Rank>, _) =
                    ((0..size).map(|r| (r + round) % size).collect(), round % 3);
                let group = match turn {
                    0 => world.group(&list)?,
                    1 => world.split(0, (world.rank() + round) as i64 % size as i64)?,
                    _ => world.dup()?,
                };
                let (rank, size) = (group.rank(), group.size());
                // At once, whether the others have made it or not.
                group.isend((rank + 1) % size, 1, &[round])?;
                if round % 2 == 0 {
                    group.barrier()?;
                }
                let message = group.recv::<usize>(Source::Any, Tag::Any)?;
                assert_eq!(message.source, (rank + size - 1) % size);
                assert_eq!(message.data, [round]);
            }
            Ok(())
        });
    }
}

/// A network on which the last rank hears what makes a group only after all that the others have
/// sent in the group: `expected` messages.
pub struct Late {
    inner: HostNic,
    /// Messages of making, and what came after them from the same rank.
    kept: VecDeque<Completion<<HostNic as Nic>::Frame>>,
    early: usize,
    expected: usize,
}

impl Late {
    fn lane(&self, frame: &<HostNic as Nic>::Frame) -> (u32, u32) {
        let (header, _) = Header::decode(self.inner.bytes(frame)).expect("an honest peer");
        (header.context.group().0, header.context.bits() & 3)
    }
}

impl Nic for Late {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        if cq != EAGER || self.expected == 0 {
            return self.inner.poll_recv(cq);
        }
        while let Some(completion) = self.inner.poll_recv(cq)? {
            let (group, lane) = self.lane(&completion.frame);
            let behind = self.kept.iter().any(|kept| kept.peer == completion.peer);
            if self.early < self.expected && (completion.peer == 0 && lane == 2 || behind) {
                self.kept.push_back(completion);
                continue;
            }
            self.early += usize::from(group > 0 && lane == 0);
            return Ok(Some(completion));
        }
        let open = self.early >= self.expected;
        Ok(if open { self.kept.pop_front() } else { None })
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        // What was kept back until now makes no sound of its own.
        if self.kept.is_empty() || self.early < self.expected {
            self.inner.wait_unless(wake_on, ready, timeout);
        }
    }

    forward!(attributes, open_vi, post_send, bytes, post_recv, peer_state);
}

/// The network of [`Late`], for four ranks.
pub struct LateThreads;

/// Of ranks 1 and 2, one message each.
const EARLY: usize = 2;

impl Provider for LateThreads {
    type Nic = Late;
    const CAUSAL: bool = false;

    fn connect(size: usize, config: &Config) -> Vec<Late> {
        let nics = Host::connect(size, config).into_iter();
        nics.map(|inner| {
            let expected = if inner.rank() == size - 1 { EARLY } else { 0 };
            Late { inner, kept: VecDeque::new(), early: 0, expected }
        })
        .collect()
    }
}

/// One member is inside the call that makes the group while all the others have made it and sent:
/// nothing of it is lost, nothing is seen elsewhere, and each sender's order is kept.
/// SEMANTICS: GRP-1
#[test]
fn a_member_that_is_late_to_a_group_finds_what_was_sent() {
    for window in [None, Some(1), Some(3)] {
        for (bytes, how) in [(4, 0), (4, 1), (4, 2), (500, 0), (500, 1)] {
            let case = Case::on::<LateThreads>("groups_contexts", window);
            let mut config = case.config(4);
            config.eager_bytes = 200;
            case.run_with(&config, 4, |world, step| {
                step.to("making the group");
                let group = match how {
                    0 => world.split(0, 0)?,
                    // Each is heard in the order of the list: rank 0 last.
                    1 => world.group(&[1, 2, 0, 3])?,
                    _ => world.dup()?,
                };
                if world.rank() < 3 {
                    let rank = group.rank() as u8;
                    step.to("sending");
                    group.isend(3, 1, &vec![rank; bytes])?;
                    group.isend(3, 2, &vec![rank + 10; bytes])?;
                    world.isend(3, 1, &[world.rank() as u8 + 20])?;
                } else {
                    step.to("receiving what was early");
                    for tag in [1, 2] {
                        for _ in 0..3 {
                            let message = group.recv::<u8>(Source::Any, tag)?;
                            let value = message.source as u8 + (tag as u8 - 1) * 10;
                            assert_eq!(message.data, vec![value; bytes]);
                        }
                    }
                    for from in 0..3 {
                        assert_eq!(world.recv::<u8>(from, Tag::Any)?.data, [from as u8 + 20]);
                    }
                    assert_eq!(group.try_probe(Source::Any, Tag::Any)?, None);
                }
                world.barrier()?.wait()
            });
        }
    }
}

suite!(
    equal_tags_never_mix,
    a_message_is_seen_in_its_context_alone,
    early_messages_wait_for_their_group,
);
