//! Ranks that are threads of this process, at the hub of a launcher and at one where they meet; and
//! hostile ones.

use std::io;
use std::sync::Arc;

use serde_bytes::ByteBuf;

use super::frame::{Decoder, FRAME_BYTES, GREETING, ToHub, VALUE_BYTES};
use super::hub::{Refusal, lost};
use super::server::meet_within;
use super::*;
use crate::launch::error_report::Innermost;
use crate::order::Rank;
use crate::provider::{Bootstrap, BootstrapError};
use crate::sys::fd::{AsFd, OwnedFd};
use crate::sys::process::End;
use crate::sys::stream::{Door, Stream};
use crate::sys::tcp::{Port, connect};
use crate::sys::thread;
use crate::sys::time::Instant;

const LIMIT: Duration = Duration::from_secs(60);

/// What ranks that meet are told of collectives.
const SHAPE_RULES: &str = "shm\tbroadcast 4 1 1024 chain:4096\n";

fn hello(rank: Rank, size: usize) -> ToHub {
    ToHub::Hello { greeting: GREETING.to_owned(), rank, size }
}

fn entered(entered: Entered) -> Client {
    match entered {
        Entered::In(client, _) => client,
        Entered::Taken => panic!("it is taken"),
    }
}

/// One that has met the others, and heard what was measured.
fn met(answer: Entered) -> Client {
    let client = entered(answer);
    assert_eq!(client.shape_rules().unwrap(), SHAPE_RULES);
    client
}

/// Rank 0 of a meeting, and where it is.
fn first(size: usize, limit: Duration) -> (Client, String) {
    let port = Port::listen("127.0.0.1:0").unwrap();
    let address = port.address();
    let port = Some((port, SHAPE_RULES.to_owned()));
    let first = meet_within(0, size, &address, port, limit).unwrap();
    (met(first), address)
}

fn guest(rank: Rank, size: usize, address: &str) -> Client {
    met(meet_within(rank, size, address, None, LIMIT).unwrap())
}

fn hand_over(client: &mut Client, outcome: &Outcome) {
    client.put(OUTCOME, &outcome.encode().unwrap()).unwrap();
    client.commit().unwrap();
}

fn outcome(client: &mut Client, rank: Rank) -> Outcome {
    Outcome::decode(&client.get(rank, OUTCOME).unwrap())
}

/// The ranks whose processes are known to have ended.
fn ended(client: &Client) -> Vec<Rank> {
    let mut ended = Vec::new();
    client.for_each_ended(&mut |rank| ended.push(rank));
    ended
}

/// Lets each rank do something, all at once.
fn all<T: Send>(clients: Vec<Client>, one: impl Fn(Client) -> T + Sync) -> Vec<T> {
    let one = &one;
    let ranks = clients.into_iter().map(|client| ("rank".to_owned(), move || one(client)));
    thread::run_all(ranks).unwrap().into_iter().map(|ended| ended.unwrap()).collect()
}

/// The door of a launcher that serves.
fn launched(size: usize) -> OwnedFd {
    let (door, outside) = Door::create().unwrap();
    let server = Server::behind(door, size, Vec::new(), Vec::new());
    thread::begin("test", move || server.serve()).unwrap();
    outside
}

fn rank_of(outside: &OwnedFd, rank: Rank, size: usize) -> Client {
    let entry = Entry { rank, size, meeting: None };
    entered(Client::enter(Door::enter(outside).unwrap(), entry).unwrap())
}

#[test]
fn every_rank_gets_all_values_and_rank_0_all_outcomes() {
    let size = 4;
    let (meeting, address) = first(size, LIMIT);
    let guests = (1..size).map(|rank| guest(rank, size, &address));
    let outside = launched(size);
    let ranks = (0..size).map(|rank| rank_of(&outside, rank, size));
    for clients in [std::iter::once(meeting).chain(guests).collect::<Vec<_>>(), ranks.collect()] {
        all(clients, |mut client| {
            let rank = client.rank();
            let given = |rank: usize, round: usize| vec![rank as u8; 1000 * rank + round];
            for round in 0..3 {
                let all = client.all_gather(&round.to_string(), &given(rank, round)).unwrap();
                assert_eq!(all, [0, 1, 2, 3].map(|rank| given(rank, round)));
            }
            // Once more, and what none has put.
            assert_eq!(client.get(3, "1").unwrap(), given(3, 1));
            // More than fits on the way.
            hand_over(&mut client, &Outcome::Value(vec![rank as u8; 5_000_000]));
            if rank == 0 {
                let all = [0, 1, 2, 3].map(|rank| Outcome::Value(vec![rank; 5_000_000]));
                assert!(client.outcomes().unwrap() == all);
                let absent = client.get(3, "none").unwrap_err();
                assert_eq!(absent, BootstrapError::Ended { rank: 3 });
            }
        });
    }
}

/// A rank that comes when others have put something, and ended, hears of it.
#[test]
fn a_late_rank_learns_of_earlier_values_and_ends() {
    let (mut first, address) = first(3, LIMIT);
    // They do not wait for an answer.
    let mut said = vec![encode(&hello(1, 3)).unwrap()];
    said.push(encode(&ToHub::Fence(vec![("key".to_owned(), ByteBuf::from(*b"early"))])).unwrap());
    let panicked = Outcome::Panicked("oh".into());
    let outcome_of_1 = (OUTCOME.to_owned(), ByteBuf::from(panicked.encode().unwrap()));
    said.push(encode(&ToHub::Commit(vec![outcome_of_1])).unwrap());
    connect(&address, LIMIT).unwrap().send(&said.concat()).unwrap();
    assert_eq!(outcome(&mut first, 1), panicked);
    let all = all(vec![first, guest(2, 3, &address)], |mut client| {
        let met = client.all_gather("key", &[client.rank() as u8; 5]).unwrap();
        assert_eq!(outcome(&mut client, 1), panicked);
        assert!(ended(&client).contains(&1));
        // A second time it does not come.
        assert_eq!(client.fence().unwrap_err(), BootstrapError::Ended { rank: 1 });
        met
    });
    assert_eq!(all, [[&[0; 5][..], b"early", &[2; 5]], [&[0; 5][..], b"early", &[2; 5]]]);
}

/// The process of rank 0 ends when it knows all outcomes, and the hub with it. Before that the
/// other ranks have their answers.
#[test]
fn a_rank_has_its_answer_before_rank_0_has_its_outcome() {
    let size = 48;
    let (mut first, address) = first(size, LIMIT);
    let value = ByteBuf::from(Outcome::Value(vec![7]).encode().unwrap());
    let commit = encode(&ToHub::Commit(vec![(OUTCOME.to_owned(), value)])).unwrap();
    let has_more = |stream: &Stream, limit| {
        stream.receive(&mut [0; 64], Some(limit), &mut Vec::new()).unwrap() > Some(0)
    };
    for rank in 1..size {
        let guest = Arc::new(connect(&address, LIMIT).unwrap());
        guest.send(&encode(&hello(rank, size)).unwrap()).unwrap();
        assert!(has_more(&guest, LIMIT), "rank {rank} is not welcome");
        let (sender, commit) = (Arc::clone(&guest), commit.clone());
        // Rank 0 waits for it already, or not yet.
        thread::begin("test", move || sender.send(&commit).unwrap()).unwrap();
        assert_eq!(outcome(&mut first, rank), Outcome::Value(vec![7]));
        assert!(has_more(&guest, Duration::ZERO), "rank {rank} has no answer");
    }
}

/// Between what it has put and the fence, or after it.
/// SEMANTICS: END-2
#[test]
fn a_rank_that_disconnects_without_an_outcome_is_lost_to_all() {
    let (first, address) = first(4, LIMIT);
    let guests = [1, 2].map(|rank| guest(rank, 4, &address));
    let gone = guest(3, 4, &address);
    let mut clients = vec![first];
    clients.extend(guests);
    // One fence with it; then it puts something, and goes.
    let mut rounds = clients.clone();
    rounds.push(gone);
    all(rounds, |mut client| client.all_gather("here", b"1").unwrap());
    let mut asked = clients.clone();
    let waiting = all(vec![asked.remove(1)], |mut client| client.fence().unwrap_err());
    assert_eq!(waiting, [BootstrapError::Ended { rank: 3 }]);
    let why = "its process has ended without a word, or its host cannot be reached";
    for client in &mut clients {
        assert_eq!(outcome(client, 3), lost(3, why));
        assert_eq!(ended(client), [3]);
        // What it had put is known nonetheless.
        assert_eq!(client.get(3, "here").unwrap(), b"1");
    }
    // Its place is not another's.
    assert!(matches!(meet_within(3, 4, &address, None, LIMIT), Ok(Entered::Taken)));
}

/// Two processes with one number: the second is told, and the first goes on.
#[test]
fn a_second_process_with_the_number_of_a_rank_is_refused() {
    let (first, address) = first(2, LIMIT);
    let second = guest(1, 2, &address);
    for rank in [0, 1] {
        assert!(matches!(meet_within(rank, 2, &address, None, LIMIT), Ok(Entered::Taken)));
    }
    let met = all(vec![first, second], |mut client| client.all_gather("key", b"1").unwrap());
    assert_eq!(met, [[b"1"; 2], [b"1"; 2]]);
}

/// Requests that wait for it are answered, and later ones at once.
#[test]
fn an_ended_rank_fails_the_fences_that_it_has_not_called() {
    let now = Instant::now();
    let mut hub = hub::Hub::new(3, Some(LIMIT), now);
    for rank in 0..3 {
        assert_eq!(hub.handle_hello(hello(rank, 3)), Ok(rank));
    }
    let fence = || ToHub::Fence(Vec::new());
    let told = |hub: &mut hub::Hub| {
        let frames = std::iter::from_fn(|| hub.poll_send()).map(|(rank, bytes)| {
            let mut decoder = Decoder::default();
            decoder.handle_bytes(&bytes);
            (rank, decoder.poll_frame::<ToRank>(FRAME_BYTES).unwrap().unwrap())
        });
        frames.collect::<Vec<_>>()
    };
    hub.handle_frame(0, fence(), now).unwrap();
    assert_eq!(told(&mut hub), []);
    let put = ToHub::Commit(vec![("key".to_owned(), ByteBuf::from(*b"1"))]);
    hub.handle_frame(1, put, now).unwrap();
    assert_eq!(told(&mut hub), [(1, ToRank::Committed)]);
    hub.handle_loss(1, &lost(1, "why"));
    let end = || [ToRank::Broken { rank: 1 }, ToRank::Ended { rank: 1 }];
    assert_eq!(told(&mut hub), end().map(|frame| (0, frame)));
    hub.handle_frame(2, fence(), now).unwrap();
    let [broken, ended] = end();
    assert_eq!(told(&mut hub), [(2, ended), (2, broken)]);
}

/// Also where another process says so first.
#[test]
fn only_the_process_of_the_hub_can_be_rank_0() {
    let port = Port::listen("127.0.0.1:0").unwrap();
    let stranger = connect(&port.address(), LIMIT).unwrap();
    let (own, theirs) = Stream::pair().unwrap();
    let mut server = Server::at(port, 2, LIMIT, theirs, Vec::new());
    stranger.send(&encode(&hello(0, 2)).unwrap()).unwrap();
    let taken = encode(&ToRank::Taken).unwrap();
    let mut answer = vec![0; taken.len()];
    while !matches!(
        stranger.receive(&mut answer, Some(Duration::ZERO), &mut Vec::new()),
        Ok(Some(_))
    ) {
        server.drain(0);
    }
    assert_eq!(answer, taken);
    assert!(!server.hub.has_come(0));
    own.send(&encode(&hello(0, 2)).unwrap()).unwrap();
    server.drain(0);
    assert!(server.hub.has_come(0));
}

#[test]
fn ranks_that_never_connect_are_named() {
    let limit = Duration::from_secs(1);
    let (mut first, address) = first(4, limit);
    let mut one = met(meet_within(1, 4, &address, None, limit).unwrap());
    let error = thread::run_all(
        [&mut first, &mut one].map(|client| ("rank".to_owned(), || client.fence())).into_iter(),
    );
    let message = format!("ranks 2, 3 have not come to {address} within 1 s");
    for error in error.unwrap() {
        let message = message.clone();
        assert_eq!(error.unwrap(), Err(BootstrapError::Failed { message }));
    }
    // Nor are they waited for at the end.
    for rank in [2, 3] {
        let never = lost(rank, "its process has not come in time");
        assert_eq!(
            [&mut first, &mut one].map(|client| outcome(client, rank)),
            [never.clone(), never]
        );
    }
    assert_eq!([&one, &first].map(ended), [[2, 3], [2, 3]]);
    // Nobody listens there.
    let port = Port::listen("127.0.0.1:0").unwrap();
    let nowhere = port.address();
    drop(port);
    assert!(meet_within(1, 2, &nowhere, None, limit).is_err());
}

/// In the middle of a fence.
#[test]
fn ranks_notice_that_the_hub_has_gone() {
    for meeting in [None, Some(("there".to_owned(), LIMIT))] {
        let (own, hub) = Stream::pair().unwrap();
        hub.send(&encode(&ToRank::Welcome).unwrap()).unwrap();
        let expected = match &meeting {
            None => BootstrapError::Failed { message: "the launcher has ended".to_owned() },
            Some(_) => BootstrapError::Ended { rank: 0 },
        };
        let is_rank_0 = meeting.is_some();
        let entry = Entry { rank: 1, size: 2, meeting };
        let mut client = entered(Client::enter(own, entry).unwrap());
        assert_eq!(ended(&client), [0; 0]);
        drop(hub);
        assert_eq!(client.fence().unwrap_err(), expected);
        assert_eq!(client.commit().unwrap_err(), expected);
        assert_eq!(ended(&client), [0][..usize::from(is_rank_0)]);
    }
}

/// SEMANTICS: SAFE-1
#[test]
fn an_invalid_frame_of_the_hub_is_an_error() {
    for (bytes, why) in [
        (u64::MAX.to_le_bytes().to_vec(), "what the hub says: a frame of 18446744073709551615"),
        (encode(&ToRank::Fenced(Vec::new())).unwrap(), "the hub has said what was not expected"),
        (encode(&ToRank::Welcome).unwrap(), "the hub has said what was not expected"),
        (encode(&ToRank::Ended { rank: 7 }).unwrap(), "the launcher has ended"),
        (encode(&ToRank::Welcome).unwrap()[..8].to_vec(), "what the hub says: a frame of which"),
    ] {
        let (own, hub) = Stream::pair().unwrap();
        hub.send(&encode(&ToRank::Welcome).unwrap()).unwrap();
        hub.send(&bytes).unwrap();
        hub.close();
        let entry = Entry { rank: 1, size: 2, meeting: None };
        let mut client = entered(Client::enter(own, entry).unwrap());
        let message = client.fence().unwrap_err().to_string();
        assert!(message.starts_with(why), "{message}");
    }
}

/// SEMANTICS: SAFE-1
#[test]
fn strangers_and_invalid_greetings_disturb_no_rank() {
    let (first, address) = first(2, LIMIT);
    let greeting = |rank, size| encode(&hello(rank, size)).unwrap();
    let mut other_greeting = greeting(1, 2);
    other_greeting[12] ^= 1;
    let mut endless = greeting(1, 2);
    endless[..8].fill(255);
    let fence = encode(&ToHub::Fence(Vec::new())).unwrap();
    let strangers = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        vec![255; 100],
        greeting(7, 2),
        greeting(1, 3),
        fence,
        other_greeting,
        endless,
        Vec::new(),
        greeting(1, 2)[..10].to_vec(),
    ];
    let mut kept = Vec::new();
    for (index, stranger) in strangers.into_iter().enumerate() {
        let stream = connect(&address, LIMIT).unwrap();
        stream.send(&stranger).unwrap();
        if index < 7 {
            // It is shown the door.
            match stream.receive(&mut [0], Some(LIMIT), &mut Vec::new()) {
                Ok(end) => assert_eq!(end, Some(0), "{stranger:?}"),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::ConnectionReset),
            }
        }
        kept.push(stream);
    }
    let right = guest(1, 2, &address);
    let both =
        all(vec![first.clone(), right], |mut client| client.all_gather("key", b"1").unwrap());
    assert_eq!(both, [[b"1"; 2], [b"1"; 2]]);
}

/// A rank that says what no rank can say is lost, and its loss says why.
/// SEMANTICS: SAFE-1
#[test]
fn a_rank_that_sends_an_invalid_frame_is_lost() {
    let huge = u64::MAX.to_le_bytes().to_vec();
    let garbled = [&3_u64.to_le_bytes()[..], &[200; 3]].concat();
    let mut truncated =
        encode(&ToHub::Commit(vec![("key".to_owned(), ByteBuf::from([7; 9]))])).unwrap();
    truncated.truncate(15);
    let fence = || encode(&ToHub::Fence(Vec::new())).unwrap();
    let pair = || ("key".to_owned(), ByteBuf::new());
    let long = ("key".to_owned(), ByteBuf::from(vec![0; VALUE_BYTES + 1]));
    for (bytes, why) in [
        (huge, "a frame of 18446744073709551615 bytes, where at most 68719476736 were expected"),
        (garbled, "a frame that cannot be read: "),
        (truncated, "a frame of which only 15 bytes came"),
        (encode(&hello(1, 2)).unwrap(), "a second greeting"),
        ([fence(), fence()].concat(), "a fence within a fence"),
        (encode(&ToHub::Commit(vec![pair(), pair()])).unwrap(), "a second value under a key"),
        (encode(&ToHub::Commit(vec![long])).unwrap(), "a value that is too long"),
        (
            encode(&ToHub::Get { rank: 2, key: String::new() }).unwrap(),
            "a value of a rank that is none",
        ),
    ] {
        let (mut first, address) = first(2, LIMIT);
        let stream = connect(&address, LIMIT).unwrap();
        stream.send(&encode(&hello(1, 2)).unwrap()).unwrap();
        // Bytes not read when a connection is closed take with them those that were sent.
        let answers = [ToRank::Welcome, ToRank::ShapeRules(SHAPE_RULES.to_owned())];
        let mut left: usize = answers.iter().map(|frame| encode(frame).unwrap().len()).sum();
        while left > 0 {
            let received = stream.receive(&mut [0; 100], Some(LIMIT), &mut Vec::new());
            left -= received.unwrap().expect("an answer in time");
        }
        stream.send(&bytes).unwrap();
        drop(stream);
        let Outcome::Failed(report) = outcome(&mut first, 1) else { panic!("it is lost") };
        let message = crate::error::Error::from(report).to_string();
        assert!(message.contains("rank 1 is lost: ") && message.contains(why), "{message}");
    }
}

/// Its process ends, and what it had said of itself counts, if it has said it whole.
/// SEMANTICS: SAFE-1
#[test]
fn the_launcher_receives_an_outcome_sent_before_the_end() {
    let value = Outcome::Value(vec![7; 100]);
    let said = ToHub::Commit(vec![(OUTCOME.to_owned(), ByteBuf::from(value.encode().unwrap()))]);
    let whole = encode(&said).unwrap();
    let nonsense = ToHub::Commit(vec![(OUTCOME.to_owned(), ByteBuf::from([255; 3]))]);
    let aborted = ToHub::Abort { culprit: Some(1), message: "no".to_owned() };
    let ended = |joined| Outcome::Ended { end: End::Exited(3), joined };
    let joined = encode(&ToHub::Join).unwrap();
    let huge = u64::MAX.to_le_bytes().to_vec();
    let failed = |start: &'static str| {
        move |found: &Outcome| match found {
            Outcome::Failed(report) => {
                crate::error::Error::from(report.clone()).to_string().starts_with(start)
            }
            _ => false,
        }
    };
    let is = |expected: Outcome| move |found: &Outcome| *found == expected;
    type Test = Box<dyn Fn(&Outcome) -> bool>;
    let cases: [(Vec<u8>, Test); 8] = [
        (whole.clone(), Box::new(is(value))),
        (Vec::new(), Box::new(is(ended(false)))),
        (joined.clone(), Box::new(is(ended(true)))),
        ([joined, whole[..50].to_vec()].concat(), Box::new(is(ended(true)))),
        (whole[..whole.len() - 1].to_vec(), Box::new(is(ended(false)))),
        (encode(&nonsense).unwrap(), Box::new(failed("what it handed over cannot be read: "))),
        (huge, Box::new(failed("what it handed over cannot be read: a frame of 18446"))),
        (
            encode(&aborted).unwrap(),
            Box::new(is(Outcome::Failed(
                Innermost::Other { message: "no".into(), culprit: Some(1) }.into(),
            ))),
        ),
    ];
    for (bytes, is_right) in cases {
        let (door, outside) = Door::create().unwrap();
        let mut server = Server::behind(door, 2, Vec::new(), Vec::new());
        let stream = Door::enter(&outside).unwrap();
        stream.send(&encode(&hello(1, 2)).unwrap()).unwrap();
        stream.send(&bytes).unwrap();
        drop(stream);
        server.drain(1);
        let end = Outcome::Ended { end: End::Exited(3), joined: server.hub.has_joined(1) };
        server.end(1, &end);
        let found = server.hub.outcome(1).unwrap();
        assert!(is_right(&found), "{found:?}");
        assert_eq!(server.hub.outcome(0), None);
    }
}

/// It gets the memory of the job, and the results of earlier launches; a second process as the same
/// rank is refused; and a message at the door that is no stream counts for nothing.
#[test]
fn a_rank_is_admitted_once() {
    let (door, outside) = Door::create().unwrap();
    assert!(Door::is_one(&outside));
    let (pipe, _to) = crate::sys::fd::pipe().unwrap();
    assert!(!Door::is_one(&pipe));
    let returned: [Returned; 2] = [
        Ok(vec![ByteBuf::from([1, 2]), ByteBuf::new()]),
        Err(Innermost::Killed { rank: 3, signal: 9 }.into()),
    ];
    let history = returned.clone().map(|one| Arc::from(encode(&ToRank::Returned(one)).unwrap()));
    let fds = vec![pipe.as_fd().try_clone_to_owned().unwrap()];
    let server = Server::behind(door, 2, fds, history.to_vec());
    thread::begin("test", move || server.serve()).unwrap();
    rustix::net::send(&outside, b"nothing", rustix::net::SendFlags::NOSIGNAL).unwrap();
    let entry = Entry { rank: 1, size: 2, meeting: None };
    let enter = || Client::enter(Door::enter(&outside).unwrap(), entry.clone()).unwrap();
    let Entered::In(client, fds) = enter() else { panic!("it is the first") };
    let inode = |fd: &OwnedFd| rustix::fs::fstat(fd).unwrap().st_ino;
    assert_eq!(fds.iter().map(inode).collect::<Vec<_>>(), [inode(&pipe)]);
    for one in returned {
        assert_eq!(client.next_returned().unwrap(), one);
    }
    client.join().unwrap();
    assert!(matches!(enter(), Entered::Taken));
}

#[test]
fn a_hub_admits_each_rank_of_its_job_once() {
    let mut hub = hub::Hub::new(3, None, Instant::now());
    let mut enter = |frame| hub.handle_hello(frame);
    assert_eq!(enter(hello(1, 3)), Ok(1));
    assert_eq!(enter(hello(1, 3)), Err(Refusal::Taken));
    let other = ToHub::Hello { greeting: "runahead meets 1".into(), rank: 0, size: 3 };
    for wrong in [hello(3, 3), hello(0, 2), other, ToHub::Join] {
        assert!(matches!(enter(wrong), Err(Refusal::Protocol(_))));
    }
    hub.handle_loss(2, &lost(2, "why"));
    assert_eq!(hub.handle_hello(hello(2, 3)), Err(Refusal::Taken));
}

/// A rank that reads no answers cannot make the hub keep more and more for it: of values that are
/// there, and of some that never come. A rank that reads its answers may ask for ever.
///
/// SEMANTICS: SAFE-1
#[test]
fn endless_requests_without_reads_are_refused() {
    let get = |key: &str| ToHub::Get { rank: 0, key: key.to_owned() };
    for key in ["there", "never"] {
        let now = Instant::now();
        let mut hub = hub::Hub::new(2, None, now);
        assert_eq!([hub.handle_hello(hello(0, 2)), hub.handle_hello(hello(1, 2))], [Ok(0), Ok(1)]);
        let there = vec![("there".to_owned(), ByteBuf::from([1]))];
        hub.handle_frame(0, ToHub::Commit(there), now).unwrap();
        let taken = (0..100).take_while(|_| hub.handle_frame(1, get(key), now).is_ok()).count();
        assert_eq!(taken, hub::REQUESTS);
        assert!(std::iter::from_fn(|| hub.poll_send()).count() <= 1 + hub::REQUESTS);
        hub.handle_sent(1);
        assert_eq!(hub.handle_frame(1, get(key), now).is_ok(), key == "there");
    }
    let (mut first, address) = first(3, LIMIT);
    let mut reads = guest(1, 3, &address);
    first.put("long", &[1; VALUE_BYTES]).unwrap();
    first.commit().unwrap();
    let mute = connect(&address, LIMIT).unwrap();
    mute.send(&encode(&hello(2, 3)).unwrap()).unwrap();
    let flood = encode(&get("long")).unwrap().repeat(10_000);
    // The hub may refuse it before it has taken all.
    let _ = mute.send(&flood);
    assert_eq!(outcome(&mut first, 2), lost(2, "requests whose answers nobody reads"));
    for _ in 0..100 {
        assert_eq!(reads.get(0, "long").unwrap().len(), VALUE_BYTES);
    }
}

/// What the hub has for it is kept until it reads, and the others go on.
#[test]
fn a_rank_that_does_not_read_delays_no_other() {
    let size = 3;
    let (first, address) = first(size, LIMIT);
    let mute = connect(&address, LIMIT).unwrap();
    mute.send(&encode(&hello(2, size)).unwrap()).unwrap();
    let long = || vec![("long".to_owned(), ByteBuf::from(vec![0; VALUE_BYTES]))];
    mute.send(&encode(&ToHub::Fence(long())).unwrap()).unwrap();
    let clients = vec![first, guest(1, size, &address)];
    let met = all(clients, |mut client| {
        client.put("own", &[1; VALUE_BYTES]).unwrap();
        client.fence().unwrap();
        hand_over(&mut client, &Outcome::Value(Vec::new()));
        client.get(2, "long").unwrap().len()
    });
    assert_eq!(met, [VALUE_BYTES; 2]);
}
