//! Memory that a program lends until its message has left: no copy of it is kept, it is the program's again in any
//! case, and a message that has not left can be taken back.

use runahead::internals::message::{Envelope, Lane, SendId};
use runahead::{Comm, Config, Message};

use super::{settle, worlds};

/// Short, and above the eager limit.
const LENS: [usize; 2] = [8, 20_000];

/// Two worlds whose window is one message, and where large payloads have no memory to be copied to before they
/// leave.
fn pair() -> Vec<Comm> {
    let config = Config { window_messages: 1, heap_bytes: 0, eager_bytes: 4096, ..Config::new(2) };
    worlds(2, &config)
}

fn settle_all(ranks: &[Comm]) {
    let ranks: Vec<&Comm> = ranks.iter().collect();
    for _ in 0..8 {
        settle(&ranks);
    }
}

/// Memory that the test changes while it is lent, as no program may, to see what is read and when.
struct Buffer {
    address: *mut [u8],
}

impl Buffer {
    fn new(len: usize) -> Buffer {
        Buffer { address: Box::into_raw(vec![1; len].into_boxed_slice()) }
    }

    fn fill(&self, value: u8) {
        // SAFETY: it is this test's, and nobody reads it meanwhile: all ranks are driven by this thread.
        unsafe { (*self.address).fill(value) };
    }

    fn lend(&self, ranks: &[Comm], tag: u32) -> Option<SendId> {
        let envelope = Envelope { context: ranks[0].context_in(Lane::Program), tag, element: 1 };
        let lent = ranks[0].with_engine(|engine| {
            // SAFETY: it lives until the end of its test, and is changed between calls only.
            unsafe { engine.lend_unless_sent(1, envelope, &*self.address) }
        });
        lent.unwrap().unwrap()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: it came from a box.
        drop(unsafe { Box::from_raw(self.address) });
    }
}

fn is_sent(ranks: &[Comm], id: SendId) -> bool {
    ranks[0].with_engine(|engine| engine.is_sent(id)).unwrap()
}

/// Receives a message of rank 0 that may have yet to come.
fn receive(ranks: &[Comm], tag: u32) -> Option<Vec<u8>> {
    (0..4).find_map(|_| {
        settle_all(ranks);
        ranks[1].try_recv::<u8>(0, tag).unwrap().map(|Message { data, .. }| data)
    })
}

/// SEMANTICS: FLOW-4
#[test]
fn what_is_lent_is_read_when_the_message_leaves() {
    for len in LENS {
        let ranks = pair();
        let buffer = Buffer::new(len);
        ranks[0].isend(1, 1, &[0u8]).unwrap();
        let id = buffer.lend(&ranks, 2).expect("the window is full");
        settle_all(&ranks);
        assert!(!is_sent(&ranks, id));
        buffer.fill(2);
        assert_eq!(receive(&ranks, 1), Some(vec![0]));
        assert_eq!(receive(&ranks, 2), Some(vec![2; len]));
        settle_all(&ranks);
        assert!(is_sent(&ranks, id));
    }
}

/// SEMANTICS: FLOW-4
#[test]
fn what_is_reclaimed_is_not_read_any_more() {
    for len in LENS {
        let ranks = pair();
        let buffer = Buffer::new(len);
        ranks[0].isend(1, 1, &[0u8]).unwrap();
        let id = buffer.lend(&ranks, 2).expect("the window is full");
        assert!(ranks[0].with_engine(|engine| engine.reclaim(id)).unwrap());
        buffer.fill(2);
        assert_eq!(receive(&ranks, 1), Some(vec![0]));
        assert_eq!(receive(&ranks, 2), Some(vec![1; len]));
        // It changes nothing that has left.
        settle_all(&ranks);
        assert!(ranks[0].with_engine(|engine| engine.reclaim(id)).unwrap());
        assert!(is_sent(&ranks, id));
    }
}

/// Its place in the outbox stays, so that later ones count as sent.
/// SEMANTICS: ORD-1, FLOW-4
#[test]
fn a_message_that_has_not_left_can_be_taken_back() {
    for len in LENS {
        let ranks = pair();
        let buffers: Vec<_> = (0..3).map(|_| Buffer::new(len)).collect();
        ranks[0].isend(1, 1, &[0u8]).unwrap();
        let ids: Vec<_> = buffers
            .iter()
            .map(|buffer| buffer.lend(&ranks, 2).expect("the window is full"))
            .collect();
        let cancel = |id| ranks[0].with_engine(|engine| engine.cancel_send(id)).unwrap();
        buffers[0].fill(10);
        buffers[2].fill(12);
        assert!(cancel(ids[1]));
        assert_eq!(receive(&ranks, 1), Some(vec![0]));
        assert_eq!(receive(&ranks, 2), Some(vec![10; len]));
        assert_eq!(receive(&ranks, 2), Some(vec![12; len]));
        assert_eq!(receive(&ranks, 2), None);
        for &id in &ids {
            assert!(is_sent(&ranks, id) && !cancel(id), "{id:?}");
        }
    }
}
