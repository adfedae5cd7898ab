//! Takes down which messages a real call sends and consumes, and in which order.
//!
//! The ranks are real communicators in one thread. They call one after the other, in an order in
//! which nobody has to wait; a call that would sleep finds all others gone and fails.

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runahead::internals::message::EAGER;
use runahead::internals::order::Rank;
use runahead::internals::provider::threads::{Frame, ThreadsNic, connect};
use runahead::internals::verbs::{
    Completion, Cq, Nic, NicAttributes, PeerState, PostError, Reliability, VerbsError, Vi, ViSpec,
    WakeOn,
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
    let config = Config::new(size);
    let fabric = Launch::new(size).options(config.clone()).fabric()?;
    let nics = connect(size, &fabric).expect("a network of threads");
    let logs: Vec<Log> = (0..size).map(|_| Log::default()).collect();
    let recorders = nics.into_iter().zip(&logs).map(|(inner, log)| {
        let nic = Recorder { inner, log: Arc::clone(log), slept: Cell::new(false) };
        Comm::new(nic, config.clone())
    });
    let comms = recorders.collect::<Result<Vec<_>>>()?;
    for &rank in order {
        comms[rank].set_tree(tree);
        call(&comms[rank])?;
    }
    Ok(logs.iter().map(|log| log.lock().unwrap().clone()).collect())
}

impl Nic for Recorder {
    type Frame = Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
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
        _: WakeOn,
        _: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        _: Option<Duration>,
    ) {
        self.slept.set(true);
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
