//! Posted receives that take the next message of their sender straight out of the network, and those that must not. All
//! ranks are driven in one thread, so what each call asks of the network is determined.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use runahead::internals::message::{Info, Lane, Notify, Pattern, PostedRun, RecvId, Tag};
use runahead::internals::verbs::{Completion, Cq, Nic, PostError, VerbsError, Vi};
use runahead::{Comm, Config, Error, HostNic, Launch, Rank, Source};

use crate::any_nic::AnyNic;

/// A network that counts how often a rank asked it for messages of anybody, and notes of whom it asked for the next.
struct Watched {
    inner: HostNic,
    polls: Arc<AtomicU32>,
    peeks: Arc<Mutex<Vec<Rank>>>,
    looks: Arc<AtomicU32>,
}

impl Nic for Watched {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = <HostNic as Nic>::RemoteRead;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = <HostNic as Nic>::SharedWords;
    type Multicast = runahead::internals::verbs::Absent;

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        self.polls.fetch_add(1, Ordering::Relaxed);
        self.inner.poll_recv(cq)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        self.inner.post_send(vi, header, payload)
    }

    fn peek_recv(&mut self, vi: Vi) -> Option<&[u8]> {
        self.peeks.lock().unwrap().push(vi.peer);
        self.inner.peek_recv(vi)
    }

    fn remote_read(&mut self) -> Option<&mut Self::RemoteRead> {
        self.inner.remote_read()
    }

    fn is_empty(&mut self, cq: Cq) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.inner.is_empty(cq)
    }

    forward!(the_rest);
}

struct Job {
    worlds: Vec<Comm<AnyNic>>,
    /// How often each rank looked whether a queue had anything.
    looks: Vec<Arc<AtomicU32>>,
    polls: Vec<Arc<AtomicU32>>,
    peeks: Vec<Arc<Mutex<Vec<Rank>>>>,
}

fn job(size: usize, config: Config) -> Job {
    let config = Config { notify: Notify::Poll, ..config };
    let nics = Launch::new(size).options(config.clone()).connect().unwrap();
    let polls: Vec<_> = (0..size).map(|_| Arc::default()).collect();
    let peeks: Vec<_> = (0..size).map(|_| Arc::default()).collect();
    let looks: Vec<_> = (0..size).map(|_| Arc::default()).collect();
    let watched = nics.into_iter().enumerate().map(|(rank, inner)| {
        let [polls, looks] = [&polls, &looks].map(|counts| Arc::clone(&counts[rank]));
        let nic = Watched { inner, polls, peeks: Arc::clone(&peeks[rank]), looks };
        Comm::new(AnyNic::new(nic), config.clone()).unwrap()
    });
    let worlds = watched.collect();
    let job = Job { worlds, looks, polls, peeks };
    job.worlds.iter().for_each(|world| world.progress().unwrap());
    (0..size).for_each(|rank| drop(job.asked(rank)));
    job
}

impl Job {
    /// How often a rank polled, and of whom it looked for the next message.
    fn asked(&self, rank: Rank) -> (u32, Vec<Rank>) {
        (
            self.polls[rank].swap(0, Ordering::Relaxed),
            std::mem::take(&mut self.peeks[rank].lock().unwrap()),
        )
    }
}

/// A window of messages, posted for before they come or after: each post asks the network for nothing, and each wait for
/// the next message of its sender alone. (Planted: a post that looks for all; a receive that stays posted.)
///
/// SEMANTICS: ORD-2
#[test]
fn a_window_of_posted_receives_goes_straight() {
    let job = job(2, Config::new(2));
    let [first, second] = &job.worlds[..] else { unreachable!() };
    for (round, early) in [false, true, false, true].into_iter().enumerate() {
        let send = || (0..9_u64).for_each(|value| first.send(1, 3, &[value]).unwrap());
        if early {
            send();
        }
        let receives: Vec<_> = (0..9).map(|_| second.irecv::<u64>(0, 3).unwrap()).collect();
        assert_eq!(job.asked(1), (0, vec![]), "posts, round {round}");
        if !early {
            send();
        }
        let mut room = [0];
        for (value, receive) in (0..).zip(receives) {
            receive.wait_into(&mut room).unwrap();
            assert_eq!(room, [value]);
        }
        // The very first one is looked at, judged and taken.
        let peeks = if round == 0 { 11 } else { 9 };
        assert_eq!(job.asked(1), (0, vec![0; peeks]), "waits, round {round}");
    }
    // Nothing is posted any more.
    first.send(1, 3, &[7_u64]).unwrap();
    assert_eq!(second.recv::<u64>(0, 3).unwrap().data, [7]);
    assert_eq!(job.asked(1), (0, vec![0]));
    assert_eq!(second.stats().unwrap().messages_received, 37);
}

/// Others may wait for a rank that posts: of receives that are posted in a row, the first looks for that, and each eighth
/// behind it. (Planted: none does; each does.)
///
/// SEMANTICS: FLOW-3
#[test]
fn some_of_the_posts_look_whether_others_wait() {
    let job = job(2, Config::new(2));
    let second = &job.worlds[1];
    job.looks[1].store(0, Ordering::Relaxed);
    let (mut looked, mut receives) = (Vec::new(), Vec::new());
    for number in 1..=24 {
        receives.push(second.irecv::<u64>(0, 3).unwrap());
        if job.looks[1].swap(0, Ordering::Relaxed) > 0 {
            looked.push(number);
        }
    }
    assert_eq!(looked, [1, 9, 17]);
}

/// What has come may fill the window of its sender: before as many receives are posted, it is taken in.
/// (Planted: posts that never look.)
///
/// SEMANTICS: FLOW-5
#[test]
fn posts_of_a_window_take_in_what_has_come() {
    let job = job(2, Config { window_messages: 4, ..Config::new(2) });
    let [first, second] = &job.worlds[..] else { unreachable!() };
    for _ in 0..3 {
        for value in 0..4_u64 {
            assert!(first.try_send(1, 3, &[value]).unwrap());
        }
        assert!(!first.try_send(1, 3, &[4_u64]).unwrap(), "the window is full");
        let receives: Vec<_> = (0..4).map(|_| second.irecv::<u64>(0, 3).unwrap()).collect();
        assert!(job.asked(1).0 > 0);
        assert!(first.try_send(1, 4, &[4_u64]).unwrap(), "what has met its receive keeps others");
        for (value, receive) in (0..).zip(receives) {
            assert_eq!(receive.wait().unwrap().data, [value]);
        }
        assert_eq!(second.recv::<u64>(0, 4).unwrap().data, [4]);
    }
}

/// A receive that was posted before and may take the message has it, whichever is waited for first; one for another
/// sender is in nobody's way. (Planted: receives before are not looked at; all of them are in the way.)
///
/// SEMANTICS: ORD-2
#[test]
fn receives_that_were_posted_before_come_first() {
    let job = job(3, Config::new(3));
    let [first, second, third] = &job.worlds[..] else { unreachable!() };
    for _ in 0..3 {
        // From anybody.
        let (any, named) =
            (second.irecv::<u64>(Source::Any, 1).unwrap(), second.irecv::<u64>(0, 1).unwrap());
        (1..3_u64).for_each(|value| first.send(1, 1, &[value]).unwrap());
        assert_eq!(named.wait().unwrap().data, [2]);
        assert_eq!(any.wait().unwrap().data, [1]);
        // Of the same sender, with any tag, and with another one.
        for tag in [None, Some(2)] {
            let posted = match tag {
                None => second.irecv::<u64>(0, Tag::Any),
                Some(tag) => second.irecv::<u64>(0, tag),
            };
            let (before, behind) = (posted.unwrap(), second.irecv::<u64>(0, 1).unwrap());
            match tag {
                None => (1..3_u64).for_each(|value| first.send(1, 1, &[value]).unwrap()),
                Some(tag) => {
                    first.send(1, 1, &[2_u64]).unwrap();
                    first.send(1, tag, &[1_u64]).unwrap();
                }
            }
            assert_eq!(behind.wait().unwrap().data, [2]);
            assert_eq!(before.wait().unwrap().data, [1]);
        }
        // Of another sender.
        first.send(1, 1, &[5_u64]).unwrap();
        assert_eq!(second.recv::<u64>(0, 1).unwrap().data, [5]);
        let (other, own) = (second.irecv::<u64>(2, 1).unwrap(), second.irecv::<u64>(0, 1).unwrap());
        first.send(1, 1, &[6_u64]).unwrap();
        job.asked(1);
        assert_eq!(own.wait().unwrap().data, [6]);
        assert_eq!(job.asked(1), (0, vec![0]));
        third.send(1, 1, &[7_u64]).unwrap();
        assert_eq!(other.wait().unwrap().data, [7]);
    }
}

/// What was noticed before comes before; what is ahead is held; what does not fit is refused, and received otherwise.
/// (Planted: messages that were kept are not looked at.)
///
/// SEMANTICS: ORD-1, ORD-2, HOLD-1
#[test]
fn what_stands_before_a_posted_receive_is_seen() {
    let job = job(2, Config::new(2));
    let [first, second] = &job.worlds[..] else { unreachable!() };
    for _ in 0..2 {
        first.send(1, 1, &[0_u64]).unwrap();
        assert_eq!(second.recv::<u64>(0, 1).unwrap().data, [0]);
        // Noticed, but of another tag than the first receive takes.
        first.send(1, 2, &[1_u64]).unwrap();
        second.probe(0, 2).unwrap();
        first.send(1, 1, &[2_u64]).unwrap();
        first.send(1, 2, &[3_u64]).unwrap();
        let (one, two) = (second.irecv::<u64>(0, 1).unwrap(), second.irecv::<u64>(0, 2).unwrap());
        assert_eq!(one.wait().unwrap().data, [2]);
        assert_eq!(two.wait().unwrap().data, [1]);
        assert_eq!(second.recv::<u64>(0, 2).unwrap().data, [3]);
        // The same, and a call asks for what was noticed: what a posted receive took straight says nothing of that.
        first.send(1, 2, &[1_u64]).unwrap();
        second.probe(0, 2).unwrap();
        first.send(1, 1, &[2_u64]).unwrap();
        first.send(1, 2, &[3_u64]).unwrap();
        assert_eq!(second.irecv::<u64>(0, 1).unwrap().wait().unwrap().data, [2]);
        assert_eq!(second.recv::<u64>(0, 2).unwrap().data, [1]);
        assert_eq!(second.recv::<u64>(0, 2).unwrap().data, [3]);
        // From beyond a barrier.
        let posted = second.irecv::<u64>(0, 1).unwrap();
        first.barrier().unwrap();
        first.send(1, 1, &[4_u64]).unwrap();
        assert!(!posted.test().unwrap(), "it is ahead");
        second.barrier().unwrap();
        first.send(1, 1, &[5_u64]).unwrap();
        let after = second.irecv::<u64>(0, 1).unwrap();
        assert_eq!(after.wait().unwrap().data, [5]);
        assert_eq!(posted.wait().unwrap().data, [4]);
        // Refused.
        first.send(1, 1, &[6_u64, 7]).unwrap();
        let told = second.irecv::<u64>(0, 1).unwrap().wait_into(&mut [0]).unwrap_err();
        assert!(matches!(told, Error::Truncated { .. }), "{told}");
        let told = second.irecv::<u32>(0, 1).unwrap().wait().unwrap_err();
        assert!(matches!(told, Error::ElementSize { .. }), "{told}");
        assert_eq!(second.recv::<u64>(0, 1).unwrap().data, [6, 7]);
        let barrier = (first.barrier().unwrap(), second.barrier().unwrap());
        barrier.1.wait().unwrap();
        barrier.0.wait().unwrap();
    }
}

/// Who is served by one sender alone looks for others all the same, where it has posted for them: what they send may fill
/// a window, or ask for room. (Planted: it does not.)
///
/// SEMANTICS: FLOW-3, FLOW-5
#[test]
fn others_that_were_posted_for_have_their_turn() {
    let job = job(3, Config::new(3));
    let [first, second, third] = &job.worlds[..] else { unreachable!() };
    let serve = |calls: u64| {
        for value in 0..calls {
            first.send(1, 1, &[value]).unwrap();
            assert_eq!(second.irecv::<u64>(0, 1).unwrap().wait().unwrap().data, [value]);
        }
    };
    serve(70);
    assert_eq!(job.asked(1).0, 0, "nobody else may want anything");
    let other = second.irecv::<u64>(2, 1).unwrap();
    third.send(1, 1, &[9_u64]).unwrap();
    job.asked(1);
    serve(70);
    assert!(job.asked(1).0 > 0, "the third rank has no turn");
    assert!(other.test().unwrap());
    assert_eq!(other.wait().unwrap().data, [9]);
}

/// Receives of a library on top, and what has come for them.
#[derive(Default)]
struct Run {
    ids: std::vec::IntoIter<RecvId>,
    came: Vec<u8>,
}

/// The most bytes that a message may have here.
const ROOM: usize = 2;

impl PostedRun for Run {
    fn next(&mut self) -> Option<(RecvId, usize)> {
        self.ids.as_slice().first().map(|&id| (id, ROOM))
    }

    fn handle_received(&mut self, info: &Info, payload: &[u8]) {
        assert_eq!(info.len, payload.len());
        self.came.extend(payload);
        self.ids.next();
    }
}

impl Run {
    /// Posts these receives.
    fn post(at: &Comm<AnyNic>, receives: impl IntoIterator<Item = (Source, u32)>) -> Run {
        let context = at.context_in(Lane::Program);
        let receives = receives.into_iter();
        let ids = receives.map(|(source, tag)| {
            let pattern = Pattern { source, tag: Tag::Exactly(tag) };
            at.with_engine(|engine| engine.post_recv(context, pattern)).unwrap().unwrap()
        });
        Run { ids: ids.collect::<Vec<_>>().into_iter(), came: Vec::new() }
    }

    /// What comes of a run of messages of rank 0.
    fn came(&mut self, at: &Comm<AnyNic>) -> Vec<u8> {
        at.with_engine(|engine| engine.finish_run(0, self)).unwrap();
        std::mem::take(&mut self.came)
    }

    /// Waits for what is left.
    fn wait(self, at: &Comm<AnyNic>) -> Vec<u8> {
        let received = self.ids.flat_map(|id| {
            let accept = |_: &_| Ok::<_, Error>(());
            let read = |_: &Info, payload: &[u8]| payload.to_vec();
            at.with_engine(|engine| engine.finish_recv(id, Source::Any, accept, read))
                .unwrap()
                .unwrap()
        });
        received.collect()
    }
}

/// A run takes what lies there for it, one look a message, and ends where a message has yet to come.
/// (Planted: one that takes all at once, of whatever tag or length; one whose receives stay posted.)
///
/// SEMANTICS: ORD-2
#[test]
fn a_run_takes_what_lies_there() {
    let job = job(2, Config::new(2));
    let [first, second] = &job.worlds[..] else { unreachable!() };
    let send = |tag: u32, data: &[u8]| first.send(1, tag, data).unwrap();
    // Nothing was noted of a message yet.
    let mut run = Run::post(second, [(0.into(), 1)]);
    send(1, &[1]);
    assert_eq!(run.came(second), []);
    assert_eq!(run.wait(second), [1]);
    send(1, &[1]);
    assert_eq!(second.recv::<u8>(0, 1).unwrap().data, [1]);
    let mut run = Run::post(second, [(0.into(), 1); 5]);
    (2..5).for_each(|value| send(1, &[value]));
    job.asked(1);
    assert_eq!(run.came(second), [2, 3, 4]);
    assert_eq!(job.asked(1), (0, vec![0; 4]));
    (5..8).for_each(|value| send(1, &[value]));
    assert_eq!(run.came(second), [5, 6]);
    // Nothing is posted any more.
    assert_eq!(second.recv::<u8>(0, 1).unwrap().data, [7]);
    // Of another tag, and too long.
    let mut run = Run::post(second, [(0.into(), 1), (0.into(), 2), (0.into(), 1)]);
    send(1, &[8]);
    send(1, &[9]);
    send(2, &[10]);
    assert_eq!(run.came(second), [8]);
    assert_eq!(run.came(second), []);
    assert_eq!(run.wait(second), [10, 9]);
    send(1, &[11]);
    assert_eq!(second.recv::<u8>(0, 1).unwrap().data, [11]);
    let mut run = Run::post(second, [(0.into(), 1); 2]);
    send(1, &[12, 13]);
    send(1, &[14, 15, 16]);
    assert_eq!(run.came(second), [12, 13]);
    assert_eq!(run.came(second), []);
    assert_eq!(run.wait(second), [14, 15, 16]);
}

/// A run leaves what is not its turn: messages beyond a barrier, and those that a receive before may take.
/// (Planted: one that asks for the template alone.)
///
/// SEMANTICS: HOLD-1, ORD-2
#[test]
fn a_run_leaves_what_is_not_its_turn() {
    let job = job(2, Config::new(2));
    let [first, second] = &job.worlds[..] else { unreachable!() };
    let send = |data: &[u8]| first.send(1, 1, data).unwrap();
    for _ in 0..2 {
        send(&[0]);
        assert_eq!(second.recv::<u8>(0, 1).unwrap().data, [0]);
        let mut run = Run::post(second, [(0.into(), 1); 3]);
        send(&[1]);
        let barrier = first.barrier().unwrap();
        send(&[2]);
        assert_eq!(run.came(second), [1]);
        assert_eq!(run.came(second), []);
        second.barrier().unwrap().wait().unwrap();
        barrier.wait().unwrap();
        send(&[3]);
        assert_eq!(run.wait(second), [2, 3]);
        send(&[4]);
        assert_eq!(second.recv::<u8>(0, 1).unwrap().data, [4]);
        let any = second.irecv::<u8>(Source::Any, 1).unwrap();
        let mut run = Run::post(second, [(0.into(), 1)]);
        send(&[5]);
        send(&[6]);
        assert_eq!(run.came(second), []);
        assert_eq!(run.wait(second), [6]);
        assert_eq!(any.wait().unwrap().data, [5]);
        send(&[7]);
        assert_eq!(second.recv::<u8>(0, 1).unwrap().data, [7]);
        let mut run = Run::post(second, [(0.into(), 1), (Source::Any, 1), (1.into(), 2)]);
        send(&[8]);
        send(&[9]);
        assert_eq!(run.came(second), [8]);
        assert_eq!(run.came(second), []);
        second.send(1, 2, &[10_u8]).unwrap();
        assert_eq!(run.wait(second), [9, 10]);
    }
}
