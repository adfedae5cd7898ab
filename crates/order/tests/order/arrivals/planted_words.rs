//! Faults of ranks that publish, which must be found.

use std::sync::Arc;

use runahead_order::{Epoch, Rank, Signal};

use super::boxes::{Report, Search};
use super::cores::{Core, Progress, Published, Setup};
use super::locals::Wrong;
use super::planted::Fault;

/// A real core, with a fault between it and the words.
#[derive(Clone, Debug)]
struct Faulty {
    inner: Published,
    setup: Arc<Setup>,
    position: Rank,
}

impl Core for Faulty {
    type Key = <Published as Core>::Key;

    fn new(setup: &Arc<Setup>, position: Rank) -> Faulty {
        Faulty { inner: Published::new(setup, position), setup: setup.clone(), position }
    }

    fn key(&self) -> Self::Key {
        self.inner.key()
    }

    fn progress(&self) -> Progress {
        self.inner.progress()
    }

    fn may_enter(&self) -> bool {
        self.inner.may_enter()
    }

    fn enter(&mut self) -> Result<(), String> {
        self.inner.enter()
    }

    fn handle(&mut self, from: Rank, signal: Signal) -> Result<(), String> {
        self.inner.handle(from, signal)
    }

    fn look(&mut self, words: &[Option<Epoch>]) -> Result<(), String> {
        let mut words = words.to_vec();
        if let Some(Fault::ReadsAhead(member)) = self.setup.fault {
            words[member] = words[member].map(|epoch| self.setup.epochs.min(epoch + 1));
        }
        self.inner.look(&words)
    }

    fn due(&self) -> Vec<Rank> {
        self.inner.due()
    }

    fn take(&mut self, only: Option<Rank>, emit: &mut dyn FnMut(Rank, Signal)) {
        let position = self.position;
        let kept = |signal: &Signal| match self.setup.fault {
            Some(Fault::NotPublished(rank, epoch)) => (rank, epoch) == (position, signal.epoch),
            _ => false,
        };
        self.inner.take(only, &mut |to, signal| {
            if !kept(&signal) {
                emit(to, signal);
            }
        });
    }

    fn asks(&self) -> Vec<(Rank, Signal)> {
        self.inner.asks()
    }

    fn has_heard(&self, member: Rank, epoch: Epoch) -> bool {
        self.inner.has_heard(member, epoch)
    }

    fn check(&self) -> Result<(), String> {
        self.inner.check()
    }
}

fn found_with(size: usize, fault: Fault) -> Report {
    let setup = Setup { fault: Some(fault), ..Setup::published(size) };
    Search::<Faulty>::new(setup).run().0
}

/// A rank that publishes its first barrier and not its second; all that come first are found complete.
///
/// SEMANTICS: BAR-4
#[test]
fn a_rank_that_does_not_publish_is_missed() {
    for size in [2, 3] {
        found_with(size, Fault::None).require(&"no fault");
        let report = found_with(size, Fault::NotPublished(1, 2));
        let [(Wrong::Stuck(progress), trace)] = report.wrong.as_slice() else {
            panic!("{:?}", report.wrong)
        };
        assert!(progress[0].complete == 1 && progress[1].complete == 2, "{trace:#?}");
        // The second stands for the first, too.
        let report = found_with(size, Fault::NotPublished(1, 1));
        assert!(report.wrong.is_empty(), "{:?}", report.wrong);
    }
}

/// SEMANTICS: BAR-1
#[test]
fn a_rank_that_reads_more_than_was_published_is_caught() {
    for size in [2, 3] {
        let report = found_with(size, Fault::ReadsAhead(1));
        assert!(report.has(|wrong| matches!(wrong, Wrong::Imagined { of: 1, epoch: 2, .. })));
        assert!(report.has(|wrong| matches!(wrong, Wrong::Early { epoch: 2, without: 1, .. })));
    }
}
