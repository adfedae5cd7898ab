//! Meetings of ranks that are threads, each with a ledger of its own.

use super::*;
use crate::launch::ledger::GIVEN_BYTES;

const LIMIT: Duration = Duration::from_secs(60);

fn place(rank: Rank, size: usize, address: &str) -> Place {
    Place { rank, size, address: address.to_owned() }
}

/// Rank 0, with its bell, and where it is.
fn hub(size: usize, limit: Duration) -> (Meeting, Bell, String) {
    let port = Port::listen("127.0.0.1:0").unwrap();
    let address = port.address();
    let (ledger, bell) = (Ledger::create().unwrap(), Bell::create().unwrap());
    let heard = bell.another().unwrap();
    let held = Meeting::held(port, &place(0, size, &address), ledger, bell, limit).unwrap();
    (held, heard, address)
}

fn guest(rank: Rank, size: usize, address: &str) -> Meeting {
    let (ledger, bell) = (Ledger::create().unwrap(), Bell::create().unwrap());
    Meeting::come_within(&place(rank, size, address), ledger, bell, LIMIT).unwrap()
}

/// Waits until a rank's end is known.
fn ended(meeting: &Meeting, rank: Rank) -> Outcome {
    while !meeting.has_ended(rank) {
        thread::park(Some(LOOK));
    }
    meeting.ledger.outcome(rank)
}

#[test]
fn each_gets_what_all_have_given_and_rank_0_what_they_returned() {
    let size = 4;
    let (first, bell, address) = hub(size, LIMIT);
    let given = |rank: usize, round: usize| vec![rank as u8; 1000 * rank + round];
    let one = |rank: Rank| {
        let mut meeting = if rank == 0 { first.clone() } else { guest(rank, size, &address) };
        for round in 0..3 {
            let all = meeting.all_gather(&given(rank, round)).unwrap();
            assert_eq!(all, [0, 1, 2, 3].map(|rank| given(rank, round)));
        }
        let outcome = Outcome::Value(vec![rank as u8; 100_000]);
        meeting.ledger.hand_over(rank, &outcome).unwrap();
        meeting.end(&outcome).unwrap();
        if rank == 3 {
            // That the others ended well is known, and not with what.
            assert_eq!(ended(&meeting, 1), Outcome::Value(Vec::new()));
        }
    };
    let one = &one;
    let ranks = (0..size).map(|rank| (format!("rank {rank}"), move || one(rank)));
    thread::run_all(ranks).unwrap().into_iter().for_each(|ended| ended.unwrap());
    for rank in 1..size {
        assert_eq!(ended(&first, rank), Outcome::Value(vec![rank as u8; 100_000]));
    }
    bell.wait().unwrap();
}

/// Who comes when others have given something, and ended, hears of it.
#[test]
fn who_comes_late_hears_what_was_said_before() {
    let (first, _bell, address) = hub(3, LIMIT);
    let early = guest(1, 3, &address);
    early.say(&Frame::give(1, 0, b"early").unwrap()).unwrap();
    early.end(&Outcome::Panicked("oh".into())).unwrap();
    first.say(&Frame::give(0, 0, b"first").unwrap()).unwrap();
    let mut late = guest(2, 3, &address);
    assert_eq!(late.all_gather(b"late").unwrap(), [&b"first"[..], b"early", b"late"]);
    assert_eq!(ended(&late, 1), Outcome::Panicked("oh".into()));
}

/// SEMANTICS: END-2
#[test]
fn who_goes_without_a_word_is_lost_to_all() {
    let (first, _bell, address) = hub(4, LIMIT);
    let guests = [1, 2].map(|rank| guest(rank, 4, &address));
    let gone = guest(3, 4, &address);
    gone.say(&Frame::give(3, 0, b"here").unwrap()).unwrap();
    let Way::Line(line, _) = &*gone.way else { panic!("rank 3 is no hub") };
    line.close();
    for meeting in guests.iter().chain([&first]) {
        assert_eq!(ended(meeting, 3), lost(3));
    }
    // What it had given is known nonetheless.
    assert_eq!(first.ledger.given(3, 0).unwrap().unwrap(), b"here");
    // Its seat is not another's.
    let mut second = guest(3, 4, &address);
    let error = second.all_gather(b"again").unwrap_err();
    assert_eq!(error, BootstrapError::Ended { rank: 0 });
    // Who waits for it waits for nobody else first.
    let mut waiting = guests[0].clone();
    waiting.round = 1;
    assert_eq!(waiting.all_gather(b"1").unwrap_err(), BootstrapError::Ended { rank: 3 });
}

#[test]
fn who_does_not_come_is_named() {
    let limit = Duration::from_millis(200);
    let (mut first, _bell, address) = hub(4, limit);
    let one = guest(1, 4, &address);
    one.say(&Frame::give(1, 0, b"1").unwrap()).unwrap();
    while first.ledger.given(1, 0).unwrap().is_none() {
        thread::park(Some(LOOK));
    }
    let error = first.all_gather(b"0").unwrap_err();
    let message = format!("ranks 2, 3 have not come to {address} within 0 s");
    assert_eq!(error, BootstrapError::Failed { message });
    // Nor is it waited for at the end.
    assert_eq!([2, 3].map(|rank| ended(&first, rank)), [2, 3].map(lost));
    assert_eq!(ended(&one, 3), lost(3));
    assert!(!first.has_ended(1));
    // Nobody listens there.
    let port = Port::listen("127.0.0.1:0").unwrap();
    let nowhere = place(1, 2, &port.address());
    drop(port);
    let (ledger, bell) = (Ledger::create().unwrap(), Bell::create().unwrap());
    assert!(Meeting::come_within(&nowhere, ledger, bell, limit).is_err());
}

/// SEMANTICS: SAFE-1
#[test]
fn strangers_and_what_is_no_frame_disturb_nobody() {
    let (mut first, _bell, address) = hub(2, LIMIT);
    let hello = |rank, size| Hello { rank, size }.frame().bytes();
    let give = Frame::give(1, 0, b"false").unwrap().bytes();
    // It goes on for as long as anybody listens.
    let mut long_end = Frame::end(1, &Outcome::Value(Vec::new())).unwrap().bytes();
    long_end[9..17].copy_from_slice(&(1u64 << 30).to_le_bytes());
    let mut other_greeting = hello(1, 2);
    *other_greeting.last_mut().unwrap() ^= 1;
    let mut endless = hello(1, 2);
    endless[9..17].fill(255);
    let strangers = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        vec![255; 100],
        hello(0, 2),
        hello(7, 2),
        hello(1, 3),
        give,
        long_end,
        other_greeting,
        endless,
        Vec::new(),
    ];
    for stranger in strangers {
        let line = Line::connect(&address, LIMIT).unwrap();
        line.send(&stranger).unwrap();
        if !stranger.is_empty() {
            // It is shown the door.
            line.expect_at_once().unwrap();
            let kind = line.receive(1).unwrap_err().kind();
            let doors = [io::ErrorKind::UnexpectedEof, io::ErrorKind::ConnectionReset];
            assert!(doors.contains(&kind), "{kind:?}: {stranger:?}");
        }
    }
    let mut right = guest(1, 2, &address);
    let both = [(&mut first, b"0"), (&mut right, b"1")];
    let gather = both.map(|(meeting, own)| ("rank".to_owned(), move || meeting.all_gather(own)));
    for all in thread::run_all(gather.into_iter()).unwrap() {
        assert_eq!(all.unwrap().unwrap(), [b"0", b"1"]);
    }
    // A rank that speaks for another, or nonsense, is lost.
    right.say(&Frame::give(0, 1, b"not 0").unwrap()).unwrap();
    assert_eq!(ended(&first, 1), lost(1));
    assert_eq!(first.ledger.given(0, 1).unwrap(), None);
}

#[test]
fn frames_come_as_they_went_and_wrong_heads_are_refused() {
    let outcome = Outcome::Failed(lost_told());
    let frames = [
        Frame::give(3, 2, &[7; 1000]).unwrap(),
        Frame::end(2, &outcome).unwrap(),
        Frame::end(2, &Outcome::Value(vec![1, 2])).unwrap(),
        Frame::heard(),
        Hello { rank: 1, size: 5 }.frame(),
    ];
    for frame in frames {
        let bytes = frame.bytes();
        let (head, rest) = bytes.split_at(HEAD_BYTES as usize);
        let (read, length) = Frame::of_head(head, 5).unwrap();
        assert_eq!((Frame { bytes: rest.to_vec(), ..read }, length), (frame, rest.len() as u64));
    }
    assert_eq!(Frame::end(2, &outcome).unwrap().outcome().unwrap(), outcome);
    let head = |kind: u8, rank: u32, round: u32, length: u64| {
        let parts = [&[kind][..], &rank.to_le_bytes(), &round.to_le_bytes(), &length.to_le_bytes()];
        Frame::of_head(&parts.concat(), 5)
    };
    assert!(head(1, 4, 15, GIVEN_BYTES - 8).is_ok());
    for (kind, rank, round, length) in [
        (4, 0, 0, 0),
        (1, 5, 0, 0),
        (1, 0, 16, 0),
        (1, 0, 0, GIVEN_BYTES - 7),
        (2, 0, 0, (1 << 32) + 1),
        (3, 0, 0, 1),
        (0, 0, 0, 17),
    ] {
        assert!(head(kind, rank, round, length).is_err(), "{kind} {rank} {round} {length}");
    }
    // Values are for rank 0 alone.
    assert_eq!(Frame::end(2, &Outcome::Value(vec![1, 2])).unwrap().for_all().bytes, [0]);
    assert_eq!(Frame::end(2, &outcome).unwrap().for_all(), Frame::end(2, &outcome).unwrap());
}

fn lost_told() -> Told {
    Said::PeerLost { rank: 1 }.into()
}
