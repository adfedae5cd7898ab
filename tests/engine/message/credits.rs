//! Credits come back in time, and control frames always find a descriptor.

use runahead::Config;

use super::{pair, settle};

// SEMANTICS: FLOW-1, FLOW-2
#[test]
fn returned_credits_never_overrun_the_control_descriptors() {
    // Rank 0 calls nothing but `barrier`; rank 1 lags behind and returns a batch of credits each
    // time. Whatever rank 0 learns by other frames, it must make room for these.
    for signal_window in [1, 2, 3, 16] {
        let config = Config { signal_window, ..Config::new(2) };
        let (first, second) = pair(&config);
        for _ in 0..100 {
            for _ in 0..signal_window {
                first.barrier().unwrap();
            }
            second.progress().unwrap();
            for _ in 0..signal_window {
                second.barrier().unwrap();
            }
        }
        settle(&[&first, &second]);
        assert!(first.barrier().is_ok() && second.barrier().is_ok());
    }
}

// SEMANTICS: FLOW-1, FLOW-2
#[test]
fn answering_each_message_never_overruns_the_control_descriptors() {
    for window_messages in [1, 2, 3, 8] {
        let config = Config { window_messages, ..Config::new(2) };
        let (first, second) = pair(&config);
        for round in 0..200u64 {
            first.send(1, 0, &[round]).unwrap();
            assert_eq!(second.recv::<u64>(0, 0).unwrap().data, [round]);
            second.send(0, 0, &[round]).unwrap();
            assert_eq!(first.recv::<u64>(1, 0).unwrap().data, [round]);
        }
    }
}

// SEMANTICS: FLOW-1, ORD-3
#[test]
fn a_window_that_is_partly_consumed_lets_the_next_message_through() {
    // As many messages are left lying as the window holds but one, then one after the other is
    // received: each must make room for the next, though no batch is ever full.
    for window in [2u32, 3, 8, 9] {
        let config = Config { window_messages: window, ..Config::new(2) };
        let (first, second) = pair(&config);
        for _ in 1..window {
            first.isend(1, 1, &[0u8]).unwrap();
        }
        for number in 0..20u64 {
            first.isend(1, 2, &[number]).unwrap();
        }
        for number in 0..20u64 {
            settle(&[&first, &second]);
            let message = second.try_recv::<u64>(0, 2).unwrap();
            assert_eq!(message.map(|m| m.data), Some(vec![number]), "window {window}");
        }
    }
}

// SEMANTICS: FLOW-1
#[test]
fn a_sender_stops_at_its_window() {
    for window in [1u32, 2, 5] {
        let config = Config { window_messages: window, ..Config::new(2) };
        let (first, second) = pair(&config);
        let mut sent = 0;
        while first.try_send(1, 0, &[sent]).unwrap() {
            sent += 1;
            second.progress().unwrap();
        }
        assert_eq!(sent, window);
        assert_eq!(second.recv::<u32>(0, 0).unwrap().data, [0]);
        settle(&[&second, &first]);
        assert!(first.try_send(1, 0, &[sent]).unwrap());
        assert!(!first.try_send(1, 0, &[sent]).unwrap());
    }
}
