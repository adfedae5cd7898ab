//! Ranks that go without a word: who needs one learns of it, and nobody else does.

use std::thread;

use runahead::{Comm, Config, Error, MessageError};

use super::scripted::Scripted;
use super::{pair, settle, worlds};

fn lost(rank: usize) -> impl Fn(Error) -> bool {
    move |error| matches!(error, Error::Message(MessageError::PeerLost { rank: r }) if r == rank)
}

/// Payloads of more than 8 bytes stay with their sender until they are asked for.
fn asking(size: usize) -> Config {
    Config { eager_bytes: 8, heap_bytes: 0, ..Config::new(size) }
}

// SEMANTICS: END-2
#[test]
fn a_receive_that_waits_learns_of_the_loss() {
    for _ in 0..200 {
        let (first, second) = pair(&Config::new(2));
        thread::scope(|scope| {
            let waits = scope.spawn(move || first.recv::<u8>(1, 0).map(drop));
            drop(second);
            assert!(waits.join().unwrap().is_err_and(lost(1)));
        });
    }
}

// SEMANTICS: END-2
#[test]
fn a_barrier_that_waits_learns_of_the_loss() {
    for _ in 0..200 {
        let (first, second) = pair(&Config::new(2));
        thread::scope(|scope| {
            let waits = scope.spawn(move || first.barrier()?.wait());
            drop(second);
            assert!(waits.join().unwrap().is_err_and(lost(1)));
        });
    }
}

/// The first look at a barrier after a member has gone says so, however it went. (Planted: a look that says nothing when
/// it finds that somebody has gone.)
// SEMANTICS: END-2
#[test]
fn the_next_look_at_a_barrier_learns_of_the_loss() {
    let [first, second, third] = <[_; 3]>::try_from(worlds(3, &Config::new(3))).unwrap();
    let barrier = first.barrier().unwrap();
    third.barrier().unwrap();
    settle(&[&first, &second, &third]);
    assert!(!barrier.test().unwrap());
    drop(third);
    assert!(!barrier.test().unwrap(), "it had entered, and another is missing");
    drop(second);
    assert!(barrier.test().is_err_and(lost(1)));
}

// SEMANTICS: END-2
#[test]
fn only_those_who_need_a_lost_rank_fail() {
    let config = Config { window_messages: 1, eager_bytes: 8, ..Config::new(3) };
    let mut all = worlds(3, &config);
    let (third, second, first) = (all.pop().unwrap(), all.pop().unwrap(), all.pop().unwrap());
    let sent = first.isend(1, 0, &[1u8]).unwrap();
    let queued = first.isend(1, 0, &[2u8]).unwrap();
    let large = first.isend(1, 0, &[3u8; 100]).unwrap();
    settle(&[&first, &second, &third]);
    drop(second);
    third.send(0, 0, &[4u8]).unwrap();
    assert_eq!(first.recv::<u8>(2, 0).unwrap().data, [4]);
    first.send(2, 0, &[5u8]).unwrap();
    assert_eq!(third.recv::<u8>(0, 0).unwrap().data, [5]);
    assert!(first.recv::<u8>(1, 0).is_err_and(lost(1)));
    sent.wait().unwrap();
    assert!(queued.wait().is_err_and(lost(1)));
    assert!(large.wait().is_err_and(lost(1)));
    assert!(first.send(1, 0, &[6u8]).is_err_and(lost(1)));
    // Nothing is owed to the lost one any more.
    thread::scope(|scope| {
        scope.spawn(|| third.end(false).unwrap());
        first.end(false).unwrap();
    });
}

// SEMANTICS: END-2
#[test]
fn a_stream_to_a_lost_rank_fails_nobody_else() {
    let config = Config { segment_bytes: 8, bulk_window: 1, ..asking(3) };
    let mut all = worlds(3, &config);
    let (third, second, first) = (all.pop().unwrap(), all.pop().unwrap(), all.pop().unwrap());
    let request = first.isend(1, 0, &[0u8; 100]).unwrap();
    let posted = second.irecv::<u8>(0, 0).unwrap();
    // The first segment is under way, and credit for the second is too.
    second.progress().unwrap();
    first.progress().unwrap();
    second.progress().unwrap();
    drop(posted);
    drop(second);
    third.send(0, 0, &[4u8]).unwrap();
    settle(&[&first, &third]);
    assert_eq!(first.recv::<u8>(2, 0).unwrap().data, [4]);
    assert!(request.wait().is_err_and(lost(1)));
}

// SEMANTICS: END-2
#[test]
fn a_large_message_whose_sender_is_lost_fails_though_others_of_it_are_held() {
    let config = asking(2);
    for posted in [false, true] {
        let (first, second) = pair(&config);
        second.isend(0, 0, &[1u8; 100]).unwrap();
        second.barrier().unwrap();
        second.isend(0, 0, &[2u8]).unwrap();
        first.progress().unwrap();
        drop(second);
        let outcome = match posted {
            true => first.irecv::<u8>(1, 0).unwrap().wait(),
            false => first.recv::<u8>(1, 0),
        };
        assert!(outcome.is_err_and(lost(1)));
    }
}

// SEMANTICS: HOLD-2
#[test]
fn what_a_lost_rank_left_unfinished_keeps_no_other_message_back() {
    let config = asking(3);
    let mut all = worlds(3, &config);
    let (third, second, first) = (all.pop().unwrap(), all.pop().unwrap(), all.pop().unwrap());
    second.isend(0, 0, &[1u8; 100]).unwrap();
    first.progress().unwrap();
    third.isend(0, 0, &[2u8]).unwrap();
    drop(second);
    assert!(first.recv::<u8>(1, 0).is_err_and(lost(1)));
    assert_eq!(first.recv::<u8>(runahead::Source::Any, 0).unwrap().data, [2]);
}

// SEMANTICS: END-2
#[test]
fn a_held_message_of_a_failed_rank_is_not_waited_for_in_vain() {
    let (first, second) = pair(&Config::new(2));
    second.barrier().unwrap();
    second.isend(0, 0, &[1u8]).unwrap();
    second.end(true).unwrap();
    let error = first.recv::<u8>(1, 0).unwrap_err();
    assert!(
        matches!(error, Error::Message(MessageError::PeerEnded { rank: 1, failed: true })),
        "{error}"
    );
}

// SEMANTICS: END-2
#[test]
fn polling_learns_of_the_loss_too() {
    let config = Config { window_messages: 1, ..asking(2) };
    let (first, second) = pair(&config);
    let barrier = first.barrier().unwrap();
    first.isend(1, 0, &[0u8]).unwrap();
    let queued = first.isend(1, 0, &[1u8]).unwrap();
    let large = first.isend(1, 0, &[1u8; 100]).unwrap();
    second.isend(0, 5, &[1u8; 100]).unwrap();
    let unmatched = first.irecv::<u8>(1, 0).unwrap();
    let unfinished = first.irecv::<u8>(1, 5).unwrap();
    // Its payload never comes.
    first.progress().unwrap();
    drop(second);
    let outcome = |test: &dyn Fn() -> runahead::Result<bool>| {
        (0..4).map(|_| test()).find(|outcome| !matches!(outcome, Ok(false)))
    };
    assert!(outcome(&|| barrier.test()).unwrap().is_err_and(lost(1)));
    assert!(outcome(&|| unmatched.test()).unwrap().is_err_and(lost(1)));
    assert!(outcome(&|| unfinished.test()).unwrap().is_err_and(lost(1)));
    assert!(outcome(&|| queued.test()).unwrap().unwrap());
    assert!(outcome(&|| large.test()).unwrap().unwrap());
    assert!(outcome(&|| first.try_send(1, 0, &[2u8])).unwrap().is_err_and(lost(1)));
}

// SEMANTICS: END-2
#[test]
fn a_send_that_is_only_tried_learns_of_the_loss() {
    let config = Config { window_messages: 1, ..Config::new(2) };
    let (first, second) = pair(&config);
    assert!(first.try_send(1, 0, &[0u8]).unwrap());
    drop(second);
    let refused = (0..4).map(|_| first.try_send(1, 0, &[1u8])).find(|outcome| outcome.is_err());
    assert!(refused.unwrap().is_err_and(lost(1)));
}

/// Rank 0 alone on its host has told the other host by way of rank 1. That one is lost, which a send
/// finds. (Mutant: a rank that finds it by a post writes nothing again; the other host then waits.)
// SEMANTICS: BAR-4, END-2
#[test]
fn a_post_that_finds_a_rank_gone_has_its_words_written_by_way_of_another() {
    let (nic, script) = Scripted::new(3);
    let hosts = vec![0, 1, 1];
    (script.lock().unwrap().hosts, script.lock().unwrap().words) = (hosts, vec![0; 1 << 16]);
    let world = Comm::new(nic, Config::new(3)).unwrap();
    world.barrier().unwrap();
    let (via, word, epoch) = script.lock().unwrap().written.pop().expect("the other host is told");
    let other = 3 - via;
    script.lock().unwrap().left.push(via);
    assert!(world.try_send(via, 0, &[1u8]).is_err_and(lost(via)));
    let written = &script.lock().unwrap().written;
    assert!(written.contains(&(other, word, epoch)), "{written:?}, and not by {via}");
}
