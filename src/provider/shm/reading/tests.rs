//! Who can read whose memory, between ranks of one process.

use super::super::{ShmNic, connect};
use super::{PLACE, PROCESS, RANDOM, Reach, ReadEnd};
use crate::provider::{FabricSpec, QueueSpec};
use crate::sys::atomic::Ordering;
use crate::verbs::{Cq, LentEnd, RemoteRead, Vi};

/// A process that has got the number of a peer that has ended is not taken for it. (Planted: a rank that believes a process
/// number for good.)
/// SEMANTICS: COL-10, FLOW-4
#[test]
fn what_another_process_has_is_not_read() {
    let [here, mut there] = super::super::pair::pair(1 << 20);
    let payload = [7; 100];
    let mut room = [0; 100];
    let address = payload.as_ptr().expose_provenance() as u64;
    assert!(there.reading.try_reading(0));
    let random = &here.reading.ranks[0][RANDOM];
    let own = random.load(Ordering::Relaxed);
    // As if another had the number by now.
    random.store(own ^ 1, Ordering::Relaxed);
    assert_eq!(there.reading.read(0, address, &mut room), ReadEnd::Failed);
    random.store(own, Ordering::Relaxed);
    assert_eq!(there.reading.read(0, address, &mut room), ReadEnd::Read);
    assert_eq!(room, payload);
}

/// A rank that says that it lies elsewhere, or in another process, is not read.
/// SEMANTICS: COL-10, FLOW-4, SAFE-1
#[test]
fn a_rank_is_read_only_where_its_number_is_found() {
    for word in [PROCESS, PLACE, RANDOM] {
        let queue = QueueSpec { recv_descriptors: 2, descriptor_bytes: 64 };
        let fabric = FabricSpec { queues: vec![queue], shared_words: 0, heap_bytes: 0 };
        let [here, mut there] = <[ShmNic; 2]>::try_from(connect(2, &fabric).unwrap()).unwrap();
        let words = &here.reading.ranks[0];
        words[word].store(words[word].load(Ordering::Relaxed) ^ 1 << 40, Ordering::Relaxed);
        assert!(!there.reading.try_reading(0), "word {word}");
        assert!(there.reading.try_reading(1), "itself");
    }
}

/// Where the system refuses what it has allowed before, a reader waits for its sender's copy. What that one has moved it copies
/// nowhere else, so it is not waited for. (Planted: it is.)
/// SEMANTICS: FLOW-4
#[test]
fn a_copy_is_waited_for_only_where_one_is_made() {
    for is_moved in [false, true] {
        let [mut here, mut there] = super::super::pair::pair(1 << 20);
        there.reading.try_reading(0);
        let (payload, mut room) = (vec![7; 5000], vec![0; 5000]);
        let buffer = here.lend(1, &payload).expect("it can be read");
        assert!(there.post_read(Vi { peer: 0, cq: Cq(0) }, buffer, payload.len()));
        let read = there.poll_read(Cq(0)).and_then(|read| read.payload);
        let mut found = read.expect("it is done at once");
        there.reading.tell(0, Reach::Refused);
        if is_moved {
            assert!(here.move_lent(1, buffer, &payload));
            assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Failed);
            continue;
        }
        assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Refused);
        assert!(here.copy_lent(1, buffer, &payload));
        assert_eq!(there.take_lent(0, &mut found, &mut room), LentEnd::Copied);
        assert!(found.as_ref() == payload);
    }
}
