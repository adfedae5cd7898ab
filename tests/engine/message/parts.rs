//! Messages that are here in part: what lies behind them, and whose rest will never come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use runahead::internals::message::{BULK, EAGER, Notify};
use runahead::internals::verbs::{Nic, PostError, Vi};
use runahead::{Algorithm, Comm, Config, Error, HostNic, Launch, MessageError};

use crate::any_nic::AnyNic;

/// What a rank does wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Nothing,
    /// It sends no payload, and tells when it is asked for some.
    Withhold,
    /// It waits until that has been, sends its second message to rank 0, and is gone; or it waits before its
    /// first already.
    AnnounceAndGo {
        waits_before: u32,
    },
}

struct Wrong {
    inner: HostNic,
    does: Does,
    was_asked: Arc<AtomicBool>,
    to_first: u32,
}

impl Nic for Wrong {
    type Frame = <HostNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type RemoteWords = runahead::internals::verbs::Absent;
    type SharedWords = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;

    fn post_send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        if self.does == Does::Withhold && vi.cq == BULK {
            self.was_asked.store(true, Ordering::Release);
            return Err(PostError::QueueFull(vi));
        }
        self.to_first += u32::from((vi.peer, vi.cq) == (0, EAGER));
        let goes = match self.does {
            Does::AnnounceAndGo { waits_before } => {
                while self.to_first >= waits_before && !self.was_asked.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                self.to_first == 2
            }
            _ => false,
        };
        self.inner.post_send(vi, header, payload)?;
        assert!(!goes, "this rank goes without a word, as it should");
        Ok(())
    }

    forward!(all_but_sending);
}

/// Rank 0 has a message of rank 1 in part, and behind it one of rank 2, of which only the header came
/// before that rank was lost; and perhaps one before that, which came whole. Rank 1 is there and may send the
/// rest; rank 2 cannot, and is named at once.
///
/// SEMANTICS: COL-5, END-2
#[test]
fn a_lost_rank_is_named_also_behind_the_part_of_another() {
    one_is_lost_behind_another(1);
    one_is_lost_behind_another(2);
}

fn one_is_lost_behind_another(waits_before: u32) {
    let (was_asked, found_out) =
        (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let algorithm = Algorithm::AllToAll;
    let config = Config { eager_bytes: 48, algorithm, notify: Notify::Block, ..Config::new(3) };
    let nics = Launch::new(3).options(config.clone()).connect().unwrap();
    let (tell, told) = channel();
    let mut others = Vec::new();
    let does = [Does::Nothing, Does::Withhold, Does::AnnounceAndGo { waits_before }];
    for (inner, does) in nics.into_iter().zip(does) {
        let nic = Wrong { inner, does, was_asked: Arc::clone(&was_asked), to_first: 0 };
        let (config, tell, found_out) = (config.clone(), tell.clone(), Arc::clone(&found_out));
        let rank = thread::spawn(move || {
            let world = Comm::new(AnyNic::new(nic), config).unwrap();
            let large = [7u8; 300];
            let first: &[u8] = if world.rank() == 0 { &[] } else { &large };
            let result = world.exchange_parts(&[first, &[], &[]]).map(drop);
            if world.rank() == 0 {
                tell.send(result).unwrap();
            }
            // Rank 1 may be done, or miss rank 2, too. It goes on and withholds, and is not gone, until rank 0
            // has found out.
            while world.rank() == 1 && !found_out.load(Ordering::Acquire) {
                let _ = world.progress();
                thread::yield_now();
            }
        });
        others.push(rank);
    }
    let result = told.recv_timeout(Duration::from_secs(60)).expect("it waits for who is lost");
    found_out.store(true, Ordering::Release);
    let lost = Error::Message(MessageError::PeerLost { rank: 2 });
    assert_eq!(result.unwrap_err().to_string(), lost.to_string());
    let ends = others.into_iter().map(|rank| rank.join().is_ok());
    assert_eq!(ends.collect::<Vec<_>>(), [true, true, false], "only rank 2 panicked");
}
