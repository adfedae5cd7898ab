//! Room for messages that no receive has met, where a library asks for it: a program may receive what
//! was sent last first, with any window.

use runahead::{Comm, Config, Message};

use super::{settle, worlds};

/// So many worlds; the last of them keeps what no receive has met, if that is asked for.
fn ranks(size: usize, window: u32, keeps: bool) -> Vec<Comm> {
    let config = Config { window_messages: window, ..Config::new(size) };
    let ranks = worlds(size, &config);
    if keeps {
        ranks[1].with_engine(|engine| engine.keep_unexpected()).unwrap();
    }
    ranks
}

fn settle_all(ranks: &[Comm]) {
    let ranks: Vec<&Comm> = ranks.iter().collect();
    for _ in 0..20 {
        settle(&ranks);
    }
}

/// Receives a message of rank 0 that may have yet to come.
fn try_recv(ranks: &[Comm], tag: u32) -> Option<Vec<u64>> {
    (0..4).find_map(|_| {
        settle_all(ranks);
        ranks[1].try_recv::<u64>(0, tag).unwrap().map(|Message { data, .. }| data)
    })
}

const WINDOWS: [u32; 4] = [1, 2, 3, 8];
const LENS: [usize; 2] = [1, 5000];

/// (Planted: only short messages make room; it is made before the message that fills the window is
/// in its queue.)
/// SEMANTICS: FLOW-1
#[test]
fn what_was_sent_last_is_received_first() {
    for (window, len) in WINDOWS.into_iter().flat_map(|window| LENS.map(|len| (window, len))) {
        for keeps in [false, true] {
            let ranks = ranks(2, window, keeps);
            for number in 0..40u64 {
                ranks[0].isend(1, 1, &vec![number; len]).unwrap();
            }
            ranks[0].isend(1, 2, &[7u64]).unwrap();
            let last = try_recv(&ranks, 2);
            assert_eq!(last, keeps.then(|| vec![7]), "{window} of {len}");
            for number in 0..40u64 {
                assert_eq!(try_recv(&ranks, 1), Some(vec![number; len]), "{window} of {len}");
            }
        }
    }
}

/// (Planted: nothing that was held makes room.)
/// SEMANTICS: FLOW-1
#[test]
fn what_was_held_makes_room_when_it_is_released() {
    for (window, len) in WINDOWS.into_iter().flat_map(|window| LENS.map(|len| (window, len))) {
        let ranks = ranks(3, window, true);
        ranks[0].barrier().unwrap();
        for number in 0..40u64 {
            ranks[0].isend(1, 1, &vec![number; len]).unwrap();
        }
        ranks[0].isend(1, 2, &[7u64]).unwrap();
        settle_all(&ranks);
        ranks[1].barrier().unwrap();
        settle_all(&ranks);
        assert_eq!(try_recv(&ranks, 2), None, "rank 2 is late");
        ranks[2].barrier().unwrap();
        assert_eq!(try_recv(&ranks, 2), Some(vec![7]), "{window} of {len}");
        for number in 0..40u64 {
            assert_eq!(try_recv(&ranks, 1), Some(vec![number; len]), "{window} of {len}");
        }
    }
}

/// A receive that is cancelled gives its message back to a place among some that have made room.
/// SEMANTICS: FLOW-1, FLOW-5
#[test]
fn what_a_receive_gives_back_makes_room_as_well() {
    for (window, len) in WINDOWS.into_iter().flat_map(|window| LENS.map(|len| (window, len))) {
        let ranks = ranks(2, window, true);
        let mut posted: Vec<_> = (0..3).map(|_| ranks[1].irecv::<u64>(0, 1).unwrap()).collect();
        for number in 0..40u64 {
            ranks[0].isend(1, 1, &vec![number; len]).unwrap();
            if number % 10 == 5 {
                settle_all(&ranks);
                drop(posted.pop());
            }
        }
        ranks[0].isend(1, 2, &[7u64]).unwrap();
        assert_eq!(try_recv(&ranks, 2), Some(vec![7]), "{window} of {len}");
        for number in 0..40u64 {
            assert_eq!(try_recv(&ranks, 1), Some(vec![number; len]), "{window} of {len}");
        }
    }
}
