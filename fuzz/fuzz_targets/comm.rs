//! A hostile peer of a communicator, over real shared memory: both ranks post messages, barriers and
//! collectives that do not wait, and rank 1 besides writes any bytes anywhere into the memory of both, so
//! that headers, the words of collectives and lengths lie. Then rank 1 goes, and rank 0 makes calls that
//! wait. Every call ends, with a result or a typed error; while nobody has scribbled, what arrives is what
//! was sent.
//!
//! SEMANTICS: SAFE-1, COL-4, END-2
#![no_main]

use std::time::Duration;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::fuzzing::deposits::of_world;
use runahead::internals::provider::shm::{Segment, ShmNic};
use runahead::internals::provider::{FabricSpec, QueueSpec};
use runahead::{Algorithm, Comm, Config, Error, Exchange, Notify, Source, Tree};

use scribbler::{Scribble, Scribbler};

#[path = "../shared/scribbler.rs"]
mod scribbler;

const TAG: u32 = 1;

/// A call that does not wait.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Call {
    Progress,
    Barrier,
    TrySend { count: u8 },
    Isend { count: u8 },
    TryRecv { small: bool },
    TryProbe,
    Irecv,
    Imulticast { root: bool, count: u8 },
    Igather { root: bool, count: u8 },
    IallGather { count: u8 },
    Iscatter { root: bool, count: u8 },
    IallToAll { count: u8 },
    Iexchange { count: u8 },
    Ireduce { root: bool, count: u8 },
    IallReduce { count: u8 },
    Iscan { count: u8 },
    IreduceScatter { count: u8 },
}

/// A call that waits.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Wait {
    Barrier,
    Send { count: u8 },
    Recv,
    RecvAny,
    RecvInto { count: u8 },
    Multicast { root: bool, count: u8 },
    Gather { root: bool, count: u8 },
    AllGather { count: u8 },
    Scatter { root: bool, count: u8 },
    AllToAll { count: u8 },
    Exchange { count: u8 },
    Reduce { root: bool, count: u8 },
    AllReduce { count: u8 },
    Scan { count: u8 },
    ReduceScatter { count: u8 },
    Split,
    Dup,
    Group,
}

#[derive(Arbitrary, Clone, Debug)]
enum Act {
    /// Of rank 0.
    Victim(Call),
    /// Of rank 1.
    Hostile(Call),
    /// Rank 1 calls a collective in which it only sends, so that it does not wait.
    Sends(Sends),
    Scribble(Scribble),
    /// Both call the same collective, and what rank 1 has sent for it is changed before rank 0 does.
    Together(Call, Vec<Scribble>),
}

/// Rank 1 makes a call, and what it has sent is changed. Rank 0 makes the same when rank 1 has gone.
#[derive(Arbitrary, Clone, Debug)]
struct Lie {
    sends: Sends,
    scribbles: Vec<Scribble>,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Sends {
    Multicast { count: u8 },
    Gather { count: u8 },
    Scatter { count: u8 },
    Reduce { count: u8 },
}

impl Sends {
    fn call(self, hostile: &Comm<ShmNic>) {
        let mine = |of: u8| data(1, count(of) % 16);
        // Rank 1 may be lied to as well.
        let _ = match self {
            Sends::Multicast { count } => hostile.broadcast(1, &mut mine(count)),
            Sends::Gather { count } => hostile.gather(0, &mine(count)).map(drop),
            Sends::Scatter { count } => hostile.scatter(1, &[&mine(count)[..], &[]]).map(drop),
            Sends::Reduce { count } => hostile.reduce(0, &mine(count), add).map(drop),
        };
    }

    /// The same call of rank 0, by the count that the call goes by there.
    fn answer(self) -> Wait {
        let own = |of: u8| (count(of) % 16) as u8;
        match self {
            Sends::Multicast { count } => Wait::Multicast { root: true, count: own(count) },
            Sends::Gather { count } => Wait::Gather { root: false, count: own(count) },
            Sends::Scatter { count } => Wait::Scatter { root: true, count },
            Sends::Reduce { count } => Wait::Reduce { root: false, count: own(count) },
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Input {
    board: bool,
    tree: u8,
    acts: Vec<Act>,
    lies: Vec<Lie>,
    waits: Vec<Wait>,
    /// Rank 1 ends its world rather than going without a word.
    ends: bool,
    failed: bool,
}

/// The most elements of 4 bytes, some above the eager limit.
fn count(count: u8) -> usize {
    usize::from(count % 48)
}

fn data(from: usize, count: usize) -> Vec<u32> {
    (0..count as u32).map(|at| at * 2 + from as u32).collect()
}

/// One operator for both: they are told apart by their names.
fn add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

/// What a call says, unless nobody could have said it.
fn settle<T>(outcome: runahead::Result<T>, honest: bool) -> Option<T> {
    match outcome {
        Ok(value) => Some(value),
        Err(Error::RankOutOfRange { .. } | Error::Ended) => panic!("rank 0 makes no such mistake"),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(error.culprit() != Some(0) || !honest, "it is nobody's fault: {error}");
            None
        }
    }
}

/// As [`settle`], of a call of which nothing more is asked.
fn tell<T>(outcome: runahead::Result<T>, honest: bool) {
    let _ = settle(outcome, honest);
}

/// Makes a call whose request is given up at once, or after a look.
fn call(comm: &Comm<ShmNic>, call: Call, honest: bool) {
    let own = comm.rank();
    let other = 1 - own;
    let mine = |of: u8| data(own, count(of));
    match call {
        Call::Progress => tell(comm.progress(), honest),
        Call::Barrier => tell(comm.try_barrier(), honest),
        Call::TrySend { count } => tell(comm.try_send(other, TAG, &mine(count)), honest),
        Call::Isend { count } => tell(comm.isend(other, TAG, &mine(count)), honest),
        Call::TryRecv { small } => {
            // Elements of another size than were sent are refused.
            if small {
                tell(comm.try_recv::<u8>(Source::Any, TAG), honest);
            } else if let Some(Some(message)) =
                settle(comm.try_recv::<u32>(Source::Any, TAG), honest)
            {
                assert!(!honest || message.data == data(other, message.data.len()));
            }
        }
        Call::TryProbe => tell(comm.try_probe(Source::Any, TAG), honest),
        Call::Irecv => {
            let Some(request) = settle(comm.irecv::<u32>(Source::Rank(other), TAG), honest) else {
                return;
            };
            tell(request.test(), honest);
        }
        Call::Imulticast { root, count } => {
            let mut room = mine(count);
            let request = comm.ibroadcast(root.into(), &mut room);
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::Igather { root, count } => {
            let request = comm.igather(root.into(), &mine(count));
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::IallGather { count } => {
            let request = comm.iall_gather(&mine(count));
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::Iscatter { root, count } => {
            let parts = [mine(count), mine(count / 2)];
            let request = comm.iscatter(root.into(), &[&parts[0][..], &parts[1][..]]);
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::IallToAll { count } => {
            let request = comm.iall_to_all(&mine(count & !1));
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::Iexchange { count } => {
            let parts = [mine(count), mine(count / 2)];
            let request = comm.iexchange(&[&parts[0][..], &parts[1][..]]);
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::Ireduce { root, count } => {
            let request = comm.ireduce(root.into(), &mine(count), add);
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::IallReduce { count } => {
            let request = comm.iall_reduce(&mine(count), add);
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::Iscan { count } => {
            let request = comm.iscan(&mine(count), add);
            tell(request.and_then(|mut request| request.test()), honest);
        }
        Call::IreduceScatter { count } => {
            let request = comm.ireduce_scatter(&mine(count & !1), add);
            tell(request.and_then(|mut request| request.test()), honest);
        }
    }
}

fn wait(comm: &Comm<ShmNic>, wait: Wait, honest: bool) {
    let mine = |of: u8| data(0, count(of));
    let root_of = |root: bool| usize::from(root);
    match wait {
        Wait::Barrier => {
            tell(comm.barrier().and_then(|barrier| barrier.wait()), honest);
        }
        Wait::Send { count } => tell(comm.send(1, TAG, &mine(count)), honest),
        Wait::Recv => {
            if let Some(message) = settle(comm.recv::<u32>(Source::Rank(1), TAG), honest) {
                assert!(!honest || message.data == data(1, message.data.len()));
            }
        }
        Wait::RecvAny => tell(comm.recv::<u32>(Source::Any, TAG), honest),
        Wait::RecvInto { count } => {
            tell(comm.recv_into(&mut mine(count), Source::Any, TAG), honest);
        }
        Wait::Multicast { root, count } => {
            let mut room = mine(count);
            let done = settle(comm.broadcast(root_of(root), &mut room), honest);
            assert!(!honest || done.is_none() || room == data(root_of(root), room.len()));
        }
        Wait::Gather { root, count } => {
            let parts = settle(comm.gather(root_of(root), &mine(count)), honest).flatten();
            if let Some(parts) = parts {
                assert_eq!((parts.len(), &parts[0]), (2, &mine(count)[..]));
                assert!(!honest || parts[1] == data(1, parts[1].len()));
            }
        }
        Wait::AllGather { count } => tell(comm.all_gather(&mine(count)), honest),
        Wait::Scatter { root, count } => {
            let parts = [mine(count), mine(count / 2)];
            tell(comm.scatter(root_of(root), &[&parts[0][..], &parts[1][..]]), honest);
        }
        Wait::AllToAll { count } => tell(comm.all_to_all(&mine(count & !1)), honest),
        Wait::Exchange { count } => {
            let parts = [mine(count), mine(count / 2)];
            let how = Exchange::ALL[usize::from(count) % 2];
            let mut heard = 0;
            let hear = |_, part: &[u32]| heard += part.len();
            tell(comm.exchange(&[&parts[0][..], &parts[1][..]], how, hear), honest);
            assert!(heard < 1 << 16, "more than ever came");
        }
        Wait::Reduce { root, count } => {
            tell(comm.reduce(root_of(root), &mine(count), add), honest);
        }
        Wait::AllReduce { count } => tell(comm.all_reduce(&mine(count), add), honest),
        Wait::Scan { count } => tell(comm.scan(&mine(count), add), honest),
        Wait::ReduceScatter { count } => {
            tell(comm.reduce_scatter(&mine(count & !1), add), honest);
        }
        Wait::Split => tell(comm.split(0, 0), honest),
        Wait::Dup => tell(comm.dup(), honest),
        Wait::Group => tell(comm.group(&[0, 1]), honest),
    }
}

fuzz_target!(|input: Input| {
    let config = Config {
        // Rank 1 never waits for room: it makes fewer calls than this.
        window_messages: 128,
        eager_bytes: 96,
        segment_bytes: 64,
        message_bytes: 1 << 12,
        open_barriers: 8,
        algorithm: if input.board { Algorithm::Board } else { Algorithm::Dissemination },
        notify: Notify::Block,
        stall_after: Duration::ZERO,
        ..Config::new(2)
    };
    let queue = |spec: &runahead::internals::verbs::ViSpec| QueueSpec {
        recv_descriptors: spec.recv_descriptors,
        descriptor_bytes: spec.descriptor_bytes,
    };
    let queues = config.vi_specs().iter().map(queue).collect();
    let spec =
        FabricSpec { queues, shared_words: config.shared_words(2), heap_bytes: config.heap_bytes };
    let segment = Segment::create(2).expect("memory");
    let world = |rank| {
        let nic = segment.nic(rank, &spec).expect("nobody has written yet");
        let world = Comm::new(nic, config.clone()).expect("a fabric for it");
        world.set_tree(Tree::ALL[usize::from(input.tree) % Tree::ALL.len()]);
        world
    };
    let (victim, hostile) = (world(0), world(1));
    let scribbler = Scribbler::new(&segment, &spec).with_words((2, &spec), of_world(2));
    let mut honest = true;
    for act in input.acts.iter().take(60) {
        match act {
            Act::Victim(what) => call(&victim, *what, honest),
            Act::Hostile(what) => call(&hostile, *what, honest),
            Act::Sends(what) => what.call(&hostile),
            Act::Scribble(scribble) => {
                honest = false;
                scribbler.scribble(scribble);
            }
            Act::Together(what, scribbles) => {
                honest &= scribbles.is_empty();
                scribbler.look();
                call(&hostile, *what, honest);
                scribbles.iter().take(4).for_each(|scribble| scribbler.scribble(scribble));
                call(&victim, *what, honest);
            }
        }
    }
    for Lie { sends, scribbles } in input.lies.iter().take(4) {
        honest &= scribbles.is_empty();
        scribbler.look();
        sends.call(&hostile);
        scribbles.iter().take(4).for_each(|scribble| scribbler.scribble(scribble));
    }
    if input.ends {
        let _ = hostile.end(true);
    } else {
        drop(hostile);
    }
    segment.mark_gone(1);
    input.lies.iter().take(4).for_each(|lie| wait(&victim, lie.sends.answer(), honest));
    input.waits.iter().take(8).for_each(|what| wait(&victim, *what, honest));
    let _ = victim.end(input.failed);
});
