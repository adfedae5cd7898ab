//! Takes down which messages a real call sends and consumes, and in which order.
//!
//! The ranks are real communicators in one thread. They call one after the other, in an order in
//! which nobody has to wait; a call that would sleep finds all others gone and fails. Calls in which
//! ranks need each other are made in a thread each.

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runahead::internals::message::EAGER;
use runahead::internals::order::Rank;
use runahead::internals::provider::threads::{Frame, ThreadsNic, connect};
use runahead::internals::verbs::{
    Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, SharedWords, VerbsError,
    Vi, ViSpec, WakeOn,
};
use runahead::launch::Launch;
use runahead::{Comm, Config, Result, Tree};

use super::program::{Op, recv, send};

type Log = Arc<Mutex<Vec<Op>>>;

/// The network of one rank, which takes down what it does.
pub struct Recorder {
    inner: ThreadsNic,
    log: Log,
    slept: Cell<bool>,
    /// Whether a call that would sleep fails.
    alone: bool,
    hosts: OnHosts,
}

/// The host of each rank. There are too few words for a board.
#[derive(Clone)]
pub struct OnHosts(Vec<usize>);

impl SharedWords for OnHosts {
    fn count(&self) -> usize {
        1
    }

    fn load(&self, _: usize) -> u64 {
        0
    }

    fn store(&self, _: usize, _: u64) {}

    fn host_of(&self, peer: Rank) -> usize {
        self.0[peer]
    }
}

/// Every order of the ranks in which each comes after those that it needs.
pub fn orders(size: usize, needs: &dyn Fn(Rank) -> Vec<Rank>) -> Vec<Vec<Rank>> {
    let mut orders = vec![vec![]];
    for _ in 0..size {
        let longer = orders.iter().flat_map(|order: &Vec<Rank>| {
            let may = move |rank: &Rank| {
                !order.contains(rank) && needs(*rank).iter().all(|needed| order.contains(needed))
            };
            (0..size).filter(may).map(move |rank| [order.as_slice(), &[rank]].concat())
        });
        orders = longer.collect();
    }
    orders
}

/// Lets these ranks make the call, in this order; returns what each of all has done.
pub fn record(
    size: usize,
    tree: Tree,
    order: &[Rank],
    call: &dyn Fn(&Comm<Recorder>) -> Result<()>,
) -> Result<Vec<Vec<Op>>> {
    record_on(&(0..size).collect::<Vec<_>>(), tree, order, call)
}

/// The same, with ranks on these hosts.
pub fn record_on(
    hosts: &[usize],
    tree: Tree,
    order: &[Rank],
    call: &dyn Fn(&Comm<Recorder>) -> Result<()>,
) -> Result<Vec<Vec<Op>>> {
    let (comms, logs) = ranks(hosts, true, &Config::new(hosts.len()))?;
    for &rank in order {
        comms[rank].set_tree(tree);
        call(&comms[rank])?;
    }
    Ok(logs.iter().map(|log| log.lock().unwrap().clone()).collect())
}

/// Lets all ranks make the call at the same time, each in a thread of its own, where messages have at
/// most so many bytes; returns what each has done.
pub fn record_together(
    hosts: &[usize],
    tree: Tree,
    message_bytes: usize,
    call: &(dyn Fn(&Comm<Recorder>) -> Result<()> + Sync),
) -> Result<Vec<Vec<Op>>> {
    let mut config = Config::new(hosts.len());
    (config.eager_bytes, config.message_bytes) = (message_bytes, message_bytes);
    let (comms, logs) = ranks(hosts, false, &config)?;
    std::thread::scope(|scope| {
        let calls = comms.into_iter().map(|comm| {
            scope.spawn(move || {
                comm.set_tree(tree);
                call(&comm)?;
                comm.end(false)
            })
        });
        let calls: Vec<_> = calls.collect();
        calls.into_iter().try_for_each(|call| call.join().expect("no rank panics"))
    })?;
    Ok(logs.iter().map(|log| log.lock().unwrap().clone()).collect())
}

/// The ranks on these hosts, and what each does.
fn ranks(hosts: &[usize], alone: bool, config: &Config) -> Result<(Vec<Comm<Recorder>>, Vec<Log>)> {
    let size = hosts.len();
    let fabric = Launch::new(size).options(config.clone()).fabric()?;
    let nics = connect(size, &fabric).expect("a network of threads");
    let logs: Vec<Log> = (0..size).map(|_| Log::default()).collect();
    let recorders = nics.into_iter().zip(&logs).map(|(inner, log)| {
        let (log, hosts) = (Arc::clone(log), OnHosts(hosts.to_vec()));
        Comm::new(Recorder { inner, log, slept: Cell::new(false), alone, hosts }, config.clone())
    });
    Ok((recorders.collect::<Result<Vec<_>>>()?, logs))
}

impl Nic for Recorder {
    type Frame = Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = OnHosts;
    type Multicast = runahead::internals::verbs::Absent;

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        self.inner.post_send(vi, header, payload)?;
        if vi.cq == EAGER {
            self.log.lock().unwrap().push(send(vi.peer));
        }
        Ok(())
    }

    fn post_recv(&mut self, vi: Vi, frame: Frame) {
        self.inner.post_recv(vi, frame);
        if vi.cq == EAGER {
            self.log.lock().unwrap().push(recv(vi.peer));
        }
    }

    fn wait_unless(
        &mut self,
        wake_on: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        match self.alone {
            true => self.slept.set(true),
            false => self.inner.wait_unless(wake_on, ready, timeout),
        }
    }

    fn wake(&self, peer: Rank) {
        self.inner.wake(peer);
    }

    fn shared_words(&self) -> Option<&OnHosts> {
        Some(&self.hosts)
    }

    fn peer_state(&self, peer: Rank) -> PeerState {
        if self.slept.get() { PeerState::Gone } else { self.inner.peer_state(peer) }
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Frame>>, VerbsError> {
        self.inner.poll_recv(cq)
    }

    fn attributes(&self) -> &NicAttributes {
        self.inner.attributes()
    }

    fn open_vi(&mut self, vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError> {
        self.inner.open_vi(vi, spec)
    }

    fn bytes<'f>(&self, frame: &'f Frame) -> &'f [u8] {
        self.inner.bytes(frame)
    }
}
