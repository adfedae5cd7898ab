//! A hostile peer of the message layer, over real shared memory: rank 0 is honest and makes calls of its
//! engine, and rank 1 sends it frames, nearly right or not at all, publishes on the board, and writes any
//! bytes anywhere into the memory of both. Then it goes without a word. Rank 0 ends every call in time,
//! with a result or an error; who broke the protocol is told by every call from then on.
//!
//! SEMANTICS: SAFE-1, END-2
#![no_main]

use std::sync::Arc;
use std::time::Duration;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::internals::message::{
    Activity, BULK, CONTROL, Cause, Context, Control, EAGER, Engine, Envelope, FRAME_BYTES, Header,
    Kind, Lane, MessageError, Pattern, RecvId, Returned, SIGNAL, Source, Tag, encode_signal,
};
use runahead::internals::order::{GroupId, Signal, SignalKind, Ticket};
use runahead::internals::provider::shm::{Segment, ShmNic};
use runahead::internals::provider::{FabricSpec, QueueSpec};
use runahead::internals::verbs::{Cq, Nic, PostError, SharedWords, VerbsError, Vi};
use runahead::{Algorithm, Config, Notify};

use scribbler::{Scribble, Scribbler};

#[path = "../shared/scribbler.rs"]
mod scribbler;

const HOSTILE: usize = 1;
const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };

/// A number near to what is going on, or near to where counters come round.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Number {
    Small(u8),
    Near(u8, i8),
    Any(u64),
}

impl Number {
    fn value(self) -> u64 {
        match self {
            Number::Small(number) => u64::from(number % 8),
            Number::Near(bit, by) => (1u64 << (bit % 64)).wrapping_add_signed(by.into()),
            Number::Any(number) => number,
        }
    }
}

#[derive(Arbitrary, Clone, Debug)]
enum Frame {
    Signal {
        ask: bool,
        group: u8,
        step: u8,
        epoch: Number,
        clock: Number,
    },
    Control {
        kind: u8,
        which: Number,
        value: Number,
        second: Number,
        returned: [u8; 3],
    },
    Data {
        bulk: bool,
        kind: u8,
        context: u8,
        tag: u8,
        stamp: Number,
        len: Option<u16>,
        transfer: u8,
        there: u8,
    },
    Bytes {
        queue: u8,
        bytes: Vec<u8>,
    },
    /// What rank 0 has sent comes back to it.
    Echo {
        queue: u8,
        from: u8,
    },
}

#[derive(Arbitrary, Clone, Debug)]
enum Act {
    Progress,
    Barrier {
        group: bool,
    },
    TestBarrier,
    Post {
        to_itself: bool,
        len: u8,
    },
    TrySend {
        len: u8,
    },
    TryRecv {
        context: u8,
        tag: Option<u8>,
    },
    PostRecv {
        context: u8,
    },
    TestRecv {
        which: u8,
    },
    Cancel {
        which: u8,
    },
    Probe {
        context: u8,
    },
    AddGroup {
        published: bool,
    },
    DropGroup,
    Frame(Frame),
    /// One that is changed when it has been sent.
    Lie(Frame, Scribble),
    /// It ends, as a correct rank would do.
    End {
        clock: Number,
        failed: bool,
    },
    /// Rank 1 gives back what it holds, as an honest one would.
    Drain {
        queue: u8,
    },
    /// On the board, where the words of each place have a line.
    Publish {
        word: u8,
        rank: bool,
        value: Number,
    },
    Scribble(Scribble),
}

/// A call that waits: made when rank 1 has gone.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Wait {
    Barrier,
    Send { len: u8 },
    Recv { context: u8 },
    RecvFrom,
    Probe,
    Posted { which: u8 },
}

#[derive(Arbitrary, Debug)]
struct Input {
    board: bool,
    /// Counters start shortly before they come round.
    late: bool,
    acts: Vec<Act>,
    waits: Vec<Wait>,
    failed: bool,
}

fn config(input: &Input) -> Config {
    Config {
        window_messages: 4,
        signal_window: 3,
        bulk_window: 2,
        eager_bytes: 64,
        segment_bytes: 48,
        message_bytes: 1 << 12,
        open_barriers: 3,
        algorithm: if input.board { Algorithm::Board } else { Algorithm::Dissemination },
        first_epoch: if input.late { (1 << 48) - 2 } else { 0 },
        notify: Notify::Block,
        stall_after: Duration::from_nanos(1),
        ..Config::new(2)
    }
}

fn context(number: u8) -> Context {
    // The world's four lanes, one that is none, and the same of a group.
    let lane = match number % 5 {
        0 => Lane::Program,
        1 => Lane::Collective,
        2 => Lane::Making,
        3 => Lane::Library,
        _ => return Context::from_bits(4),
    };
    Context::new(GroupId(u32::from(number / 5 % 2)), lane)
}

fn control(kind: u8, which: u32, value: u64, second: u64) -> Control {
    let group = GroupId(which);
    match kind % 8 {
        0 => Control::Credit,
        1 => Control::ClearToSend { transfer: which },
        2 => Control::Query { group, epoch: value, clock: second },
        3 => Control::Answer { group, entered: value, activity: Activity::Nothing },
        4 => {
            let peer = Some(second as u32 as usize);
            let activity = Activity::Collective { kind, number: which, group, peer };
            Control::Answer { group, entered: value, activity }
        }
        5 => Control::Answer {
            group,
            entered: value,
            activity: Activity::Barrier { group, epoch: second },
        },
        6 => {
            let rank = which as usize;
            let cause = match (second >> 1) & 3 {
                0 | 1 => None,
                2 => Some(Cause::Lost(rank)),
                _ => Some(Cause::Ended { rank, group: GroupId::WORLD, epoch: value as u32 }),
            };
            let reads = (second >> 32) as u32;
            Control::Closing { clock: value, failed: second & 1 == 1, cause, reads }
        }
        _ => Control::Ended { eager: value, segments: second },
    }
}

struct Hostile {
    nic: ShmNic,
    /// How many messages and segments it has sent.
    sent: [u64; 2],
    /// What it has had from rank 0, for each queue.
    heard: [Vec<Vec<u8>>; 4],
    first_epoch: u64,
}

impl Hostile {
    fn send(&mut self, frame: &Frame) {
        let near = |number: Number| match number {
            Number::Small(_) => self.first_epoch.wrapping_add(number.value()),
            other => other.value(),
        };
        let (cq, bytes) = match frame {
            Frame::Signal { ask, group, step, epoch, clock } => {
                let kind = if *ask { SignalKind::Ask } else { SignalKind::Reached };
                let (epoch, clock) = (near(*epoch), near(*clock));
                let group = GroupId(u32::from(group % 3));
                let signal = Signal { kind, group, step: u16::from(step % 4), epoch, clock };
                (SIGNAL, encode_signal(&signal).to_vec())
            }
            Frame::Control { kind, which, value, second, returned: [eager, signal, bulk] } => {
                let [eager, signal, bulk] = [eager, signal, bulk].map(|count| u16::from(*count));
                let control = control(*kind, which.value() as u32, near(*value), second.value());
                let frame: [u8; FRAME_BYTES] = control.encode(Returned { eager, signal, bulk });
                (CONTROL, frame.to_vec())
            }
            Frame::Data { bulk, kind, context: number, tag, stamp, len, transfer, there } => {
                let kinds = [
                    Kind::Eager,
                    Kind::Request,
                    Kind::Segment,
                    Kind::Exposed,
                    Kind::Reads,
                    Kind::Confirmed,
                ];
                let kind = kinds[usize::from(*kind) % kinds.len()];
                let payload =
                    vec![*tag; if kind == Kind::Request { 0 } else { usize::from(there % 65) }];
                let len = len.map_or(payload.len() as u64, u64::from);
                let header = Header {
                    kind,
                    element: transfer & 0x80,
                    context: context(*number),
                    tag: u32::from(tag % 4),
                    stamp: near(*stamp),
                    len,
                    transfer: u32::from(transfer % 4),
                };
                (if *bulk { BULK } else { EAGER }, [&header.encode()[..], &payload].concat())
            }
            Frame::Bytes { queue, bytes } => (Cq(queue % 4), bytes.clone()),
            Frame::Echo { queue, from } => {
                let Some(heard) = self.heard[usize::from(from % 4)].pop() else { return };
                (Cq(queue % 4), heard)
            }
        };
        // It may be too long, or have no descriptor.
        let sent = self.nic.post_send(Vi { peer: 0, cq }, &bytes, &[]).is_ok();
        self.sent[0] += u64::from(sent && cq == EAGER);
        self.sent[1] += u64::from(sent && cq == BULK);
    }

    /// Says that it ends, having sent what it has; and that it has called so many barriers.
    fn end(&mut self, clock: Number, failed: bool) {
        let [eager, segments] = self.sent;
        let clock = match clock {
            Number::Small(_) => self.first_epoch.wrapping_add(clock.value()),
            other => other.value(),
        };
        let closing = Control::Closing { clock, failed, cause: None, reads: 0 };
        for control in [closing, Control::Ended { eager, segments }] {
            let frame = control.encode(Returned::default());
            let _ = self.nic.post_send(Vi { peer: 0, cq: CONTROL }, &frame, &[]);
        }
    }

    fn drain(&mut self, queue: u8) {
        let cq = Cq(queue % 4);
        // What is there, and no more: its own ring may have been scribbled on.
        for _ in 0..8 {
            let Ok(Some(arrived)) = self.nic.poll_recv(cq) else { break };
            let heard = &mut self.heard[usize::from(cq.0)];
            heard.push(self.nic.bytes(&arrived.frame).to_vec());
            self.nic.post_recv(Vi { peer: 0, cq }, arrived.frame);
        }
    }
}

struct Victim {
    engine: Engine<ShmNic>,
    tickets: Vec<Ticket>,
    posted: Vec<(RecvId, Source)>,
    broken: Option<MessageError>,
    /// Whether it has made another group, and dropped it.
    made: bool,
    dropped: bool,
}

impl Victim {
    /// What came of a call is what may come of it.
    fn check(&mut self, outcome: Result<(), MessageError>) {
        if let Some(broken) = &self.broken {
            assert_eq!(outcome.as_ref(), Err(broken), "a broken world goes on");
            return;
        }
        match outcome {
            Err(error @ MessageError::Protocol { from, .. }) => {
                assert_eq!(from, HOSTILE, "{error}");
                self.broken = Some(error);
            }
            Err(error @ MessageError::Verbs(VerbsError::Corrupted { peer, .. })) => {
                assert_eq!(peer, HOSTILE, "{error}");
                self.broken = Some(error);
            }
            Err(MessageError::PeerEnded { rank, .. } | MessageError::PeerLost { rank }) => {
                assert_eq!(rank, HOSTILE);
            }
            Err(MessageError::EndedBeforeBarrier { rank, .. }) => assert_eq!(rank, HOSTILE),
            Err(MessageError::Post(PostError::NoDescriptor(vi) | PostError::PeerGone(vi))) => {
                assert_eq!(vi.peer, HOSTILE);
            }
            Err(error @ (MessageError::Post(_) | MessageError::Verbs(_))) => panic!("{error}"),
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(()) => {}
        }
    }

    fn act(&mut self, act: &Act) {
        let envelope = Envelope { context: Context::WORLD, tag: 1, element: 0 };
        let engine = &mut self.engine;
        let group = |second: bool| GroupId(second.into());
        let outcome = match *act {
            Act::Progress => engine.progress().map(drop),
            Act::Barrier { group: second } => {
                engine.try_barrier(group(second)).map(|ticket| self.tickets.push(ticket))
            }
            Act::TestBarrier => match self.tickets.last() {
                Some(&ticket) => engine.test_barrier(ticket).map(drop),
                None => return,
            },
            Act::Post { to_itself, len } => {
                let to = if to_itself { 0 } else { HOSTILE };
                engine.post_send(to, envelope, &[7; 256][..usize::from(len)]).map(drop)
            }
            Act::TrySend { len } => {
                engine.try_send(HOSTILE, envelope, &[8; 256][..usize::from(len)]).map(drop)
            }
            Act::TryRecv { context: number, tag } => {
                let Some(context) = self.known(number) else { return };
                let tag = tag.map_or(Tag::Any, |tag| Tag::Exactly(u32::from(tag % 4)));
                let pattern = Pattern { source: Source::Any, tag };
                self.engine.try_recv(context, pattern, accept, read).map(drop)
            }
            Act::PostRecv { context: number } => {
                let Some(context) = self.known(number).filter(|_| self.posted.len() < 8) else {
                    return;
                };
                let source = if number & 8 == 0 { Source::Any } else { Source::Rank(HOSTILE) };
                let posted = self.engine.post_recv(context, Pattern { source, tag: Tag::Any });
                posted.map(|id| self.posted.push((id, source)))
            }
            Act::TestRecv { which } => {
                if self.posted.is_empty() {
                    return;
                }
                let (id, source) = self.posted[usize::from(which) % self.posted.len()];
                self.engine.test_recv(id, source).map(drop)
            }
            Act::Cancel { which } => {
                if self.posted.is_empty() {
                    return;
                }
                let which = usize::from(which) % self.posted.len();
                let (id, _) = self.posted.swap_remove(which);
                return self.engine.cancel_recv(id);
            }
            Act::Probe { context: number } => {
                let Some(context) = self.known(number) else { return };
                self.engine.try_probe(context, ANY).map(drop)
            }
            Act::AddGroup { published } if !self.made => {
                self.made = true;
                let (algorithm, place) = match published {
                    true => (Algorithm::Board, Some(1)),
                    false => (Algorithm::Dissemination, None),
                };
                engine.add_group(GroupId(1), &[0, 1], algorithm, place).map(drop)
            }
            Act::DropGroup if self.made && !self.dropped => {
                self.dropped = true;
                // What was posted is given up first, as communicators do it.
                self.posted.drain(..).for_each(|(id, _)| engine.cancel_recv(id));
                engine.drop_group(GroupId(1))
            }
            _ => return,
        };
        // Making and dropping a group does not look whether the world goes on.
        let is_local = matches!(act, Act::AddGroup { .. } | Act::DropGroup);
        if is_local && (outcome.is_ok() || self.broken.is_some()) {
            return;
        }
        self.check(outcome);
    }

    /// The context, if rank 0 has that group and lane.
    fn known(&self, number: u8) -> Option<Context> {
        let context = context(number);
        let there = context.group() == GroupId::WORLD
            || !self.dropped && self.engine.order().members(context.group()).is_some();
        Some(context).filter(|context| there && context.lane().is_some())
    }

    fn wait(&mut self, wait: Wait) {
        let envelope = Envelope { context: Context::WORLD, tag: 1, element: 0 };
        let from = Pattern { source: Source::Rank(HOSTILE), tag: Tag::Any };
        let engine = &mut self.engine;
        let outcome = match wait {
            Wait::Barrier => match self.tickets.last() {
                Some(&ticket) => engine.wait_barrier(ticket),
                None => return,
            },
            Wait::Send { len } => engine.send(HOSTILE, envelope, &[9; 256][..usize::from(len)]),
            Wait::Recv { context: number } => {
                let Some(context) = self.known(number) else { return };
                self.engine.recv(context, ANY, accept, read).map(drop)
            }
            Wait::RecvFrom => engine.recv(Context::WORLD, from, accept, read).map(drop),
            Wait::Probe => engine.probe(Context::WORLD, from).map(drop),
            Wait::Posted { which } => {
                if self.posted.is_empty() {
                    return;
                }
                let which = usize::from(which) % self.posted.len();
                let (id, source) = self.posted.swap_remove(which);
                self.engine.finish_recv(id, source, accept, read).map(drop)
            }
        };
        self.check(outcome);
    }
}

fn accept(_: &runahead::internals::message::Info) -> Result<(), MessageError> {
    Ok(())
}

fn read(info: &runahead::internals::message::Info, bytes: &[u8]) -> usize {
    assert_eq!(bytes.len(), info.len, "a message is as long as was said");
    bytes.iter().map(|&byte| usize::from(byte)).sum()
}

fuzz_target!(|input: Input| {
    let config = config(&input);
    let queues = config.vi_specs();
    let queue = |spec: &runahead::internals::verbs::ViSpec| QueueSpec {
        recv_descriptors: spec.recv_descriptors,
        descriptor_bytes: spec.descriptor_bytes,
    };
    let queues_spec = queues.iter().map(queue).collect();
    let spec = FabricSpec {
        queues: queues_spec,
        shared_words: config.shared_words(2),
        heap_bytes: config.heap_bytes,
    };
    let segment = Segment::create(2).expect("memory");
    let mut nic = segment.nic(HOSTILE, &spec).expect("nobody has written yet");
    for (cq, spec) in queues.iter().enumerate() {
        nic.open_vi(Vi { peer: 0, cq: Cq(cq as u8) }, spec).expect("a fabric for these");
    }
    let scribbler = Scribbler::new(&segment, &spec);
    let first_epoch = config.first_epoch;
    let engine =
        Engine::new(segment.nic(0, &spec).expect("free"), config).expect("a fabric for it");
    let (tickets, posted) = (Vec::new(), Vec::new());
    let mut victim = Victim { engine, tickets, posted, broken: None, made: false, dropped: false };
    victim.engine.on_stall(Arc::new(|report| drop(report.to_string())), |_| "a collective");
    let mut hostile = Hostile { nic, sent: [0; 2], heard: Default::default(), first_epoch };
    for act in input.acts.iter().take(200) {
        match act {
            Act::Frame(frame) => hostile.send(frame),
            Act::Lie(frame, scribble) => {
                scribbler.look();
                hostile.send(frame);
                scribbler.scribble(scribble);
            }
            Act::End { clock, failed } => hostile.end(*clock, *failed),
            Act::Drain { queue } => hostile.drain(*queue),
            Act::Publish { word, rank, value } => {
                let words = hostile.nic.count();
                let value = match value {
                    Number::Small(_) => first_epoch.wrapping_add(value.value()),
                    other => other.value(),
                };
                let word = usize::from(*word) * 16 + usize::from(*rank);
                hostile.nic.store(word % words, value);
            }
            Act::Scribble(scribble) => scribbler.scribble(scribble),
            act => victim.act(act),
        }
    }
    // It goes without a word, and whatever it scribbles from now on is read by nobody who waits.
    drop(hostile);
    segment.mark_gone(HOSTILE);
    input.waits.iter().take(8).for_each(|wait| victim.wait(*wait));
    let ended = victim.engine.end(input.failed);
    if let Some(broken) = &victim.broken {
        assert_eq!(ended.as_ref(), Err(broken), "a broken world ends well");
    }
});
