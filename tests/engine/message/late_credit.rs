//! A network that is not causal: the word that there is room comes later than what its sender has said since.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use runahead::internals::message::{CONTROL, EAGER, Notify};
use runahead::internals::verbs::{Completion, Cq, Nic, PostError, VerbsError, Vi};
use runahead::{Comm, Config, HostNic, Launch};

use crate::any_nic::AnyNic;

/// A network on which control frames come some looks after the next message, as long as it is late.
struct LateControl {
    inner: HostNic,
    late: Arc<AtomicBool>,
    /// So many looks more; None until a message has come.
    looks: Option<u32>,
}

impl LateControl {
    fn hides(&mut self, cq: Cq) -> bool {
        if cq != CONTROL || !self.late.load(Ordering::Relaxed) {
            return false;
        }
        self.looks = self.looks.map(|looks| looks.saturating_sub(1));
        self.looks != Some(0)
    }
}

impl Nic for LateControl {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = <HostNic as Nic>::SharedWords;
    type Multicast = runahead::internals::verbs::Absent;

    fn is_empty(&mut self, cq: Cq) -> bool {
        self.hides(cq) || self.inner.is_empty(cq)
    }

    fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<Self::Frame>>, VerbsError> {
        if self.hides(cq) {
            return Ok(None);
        }
        let found = self.inner.poll_recv(cq)?;
        match (&found, cq) {
            (Some(_), EAGER) => self.looks = Some(100),
            (Some(_), CONTROL) => self.looks = None,
            _ => {}
        }
        Ok(found)
    }

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        self.inner.post_send(vi, header, payload)
    }

    forward!(the_rest);
}

/// Who has made a group with others may compute for as long as it likes: what they wait for has left. (It lay in the
/// outbox of a rank that had returned, for want of a credit that was later than the answer.)
///
/// SEMANTICS: FLOW-3 GRP-3
#[test]
fn who_returns_with_a_group_has_told_the_others() {
    let config = Config { window_messages: 1, notify: Notify::Poll, ..Config::new(2) };
    for by_list in [false, true] {
        let mut nics = Launch::new(2).options(config.clone()).connect().unwrap().into_iter();
        let late = Arc::new(AtomicBool::new(true));
        let first =
            LateControl { inner: nics.next().unwrap(), late: Arc::clone(&late), looks: None };
        let (first_config, second_config) = (config.clone(), config.clone());
        let second = nics.next().unwrap();
        let (has_made, second_has_made) = channel();
        thread::scope(|scope| {
            scope.spawn(move || {
                let world = Comm::new(AnyNic::new(first), first_config).unwrap();
                let groups = groups(&world, by_list);
                let told = second_has_made.recv_timeout(Duration::from_secs(60));
                // So that all of it ends, whatever was found.
                late.store(false, Ordering::Relaxed);
                drop(groups);
                world.end(false).unwrap();
                told.expect("who computes has kept back what the other waits for");
            });
            scope.spawn(move || {
                let world = Comm::new(AnyNic::new(second), second_config).unwrap();
                let groups = groups(&world, by_list);
                has_made.send(()).unwrap();
                drop(groups);
                world.end(false).unwrap();
            });
        });
    }
}

fn groups<N: Nic>(world: &Comm<N>, by_list: bool) -> Vec<Comm<N>> {
    let make = |_| match by_list {
        true => world.group(&[0, 1]).unwrap(),
        false => world.dup().unwrap(),
    };
    (0..3).map(make).collect()
}
