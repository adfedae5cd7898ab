//! What a library on top of the runtime asks of the message layer: messages that are confirmed when
//! a receive has met them, and room for messages that none has met.

use runahead::internals::message::{Envelope, Lane, Pattern, RecvId};
use runahead::{Comm, Config, Source, Tag};

use super::{pair, settle};

const ANY: Pattern = Pattern { source: Source::Any, tag: Tag::Any };

/// Posts a receive for the answer, and then the message that asks for it.
fn post_confirmed(from: &Comm, to: usize, tag: u32, payload: &[u8]) -> RecvId {
    let (program, library) = (from.context_in(Lane::Program), from.context_in(Lane::Library));
    let answered = Pattern { source: Source::Rank(to), tag: Tag::Exactly(tag) };
    let envelope = Envelope { context: program, tag, element: Envelope::CONFIRMED };
    from.with_engine(|engine| {
        let answer = engine.post_recv(library, answered).unwrap();
        engine.post_send(to, envelope, payload).unwrap();
        answer
    })
    .unwrap()
}

fn is_answered(world: &Comm, answer: RecvId) -> bool {
    world.with_engine(|engine| engine.is_whole(answer)).unwrap()
}

fn post_recv(world: &Comm, pattern: Pattern) -> RecvId {
    let program = world.context_in(Lane::Program);
    world.with_engine(|engine| engine.post_recv(program, pattern)).unwrap().unwrap()
}

/// A short payload, and one that is sent by rendezvous.
fn payloads(config: &Config) -> [Vec<u8>; 2] {
    [vec![1; 8], vec![2; config.eager_bytes * 3]]
}

#[test]
fn a_message_is_confirmed_when_a_posted_receive_meets_it() {
    let config = Config::new(2);
    for payload in payloads(&config) {
        let (first, second) = pair(&config);
        // The receive comes later.
        let answer = post_confirmed(&first, 1, 7, &payload);
        settle(&[&first, &second]);
        assert!(!is_answered(&first, answer), "no receive has met it");
        let receive = post_recv(&second, ANY);
        settle(&[&first, &second]);
        assert!(is_answered(&first, answer), "nobody needs to wait for the receive");
        second.with_engine(|engine| engine.cancel_recv(receive)).unwrap();

        // It was there before. What was cancelled meets it again, and is not confirmed again.
        let receive = post_recv(&second, ANY);
        let other = post_confirmed(&first, 1, 7, &payload);
        settle(&[&first, &second]);
        assert!(!is_answered(&first, other));
        let next = post_recv(&second, ANY);
        settle(&[&first, &second]);
        assert!(is_answered(&first, other));
        for id in [receive, next] {
            second.with_engine(|engine| engine.cancel_recv(id)).unwrap();
        }
        for id in [answer, other] {
            first.with_engine(|engine| engine.discard_recv(id)).unwrap();
        }
    }
}

#[test]
fn a_message_is_confirmed_by_every_kind_of_receive() {
    let config = Config::new(2);
    let (first, second) = pair(&config);
    let short = &payloads(&config)[0];
    for round in 0..3 {
        // One that asks for nothing comes before, so that a template is known.
        first.send_bytes(1, 0, short).unwrap();
        assert_eq!(&second.recv_bytes(0, 0).unwrap().data, short);
        let answer = post_confirmed(&first, 1, 3, short);
        settle(&[&first, &second]);
        assert!(!is_answered(&first, answer));
        let mut room = vec![0; short.len()];
        let received = match round {
            0 => second.recv_bytes(0, 3).unwrap().data,
            1 => second.try_recv::<u8>(0, 3).unwrap().unwrap().data,
            _ => {
                second.recv_into(&mut room, 0, 3).unwrap();
                room
            }
        };
        assert_eq!(&received, short);
        settle(&[&first, &second]);
        assert!(is_answered(&first, answer));
        first.with_engine(|engine| engine.discard_recv(answer)).unwrap();
    }
    // To itself, too.
    let answer = post_confirmed(&first, 0, 4, short);
    assert!(!is_answered(&first, answer));
    first.recv_bytes(0, 4).unwrap();
    assert!(is_answered(&first, answer));
}

// SEMANTICS: FLOW-1
#[test]
fn messages_without_a_receive_make_room_where_a_library_asks_for_it() {
    for keeps in [false, true] {
        let config = Config { window_messages: 8, ..Config::new(2) };
        let (first, second) = pair(&config);
        if keeps {
            second.with_engine(|engine| engine.keep_unexpected()).unwrap();
        }
        for number in 0..100u64 {
            first.isend(1, 1, &[number]).unwrap();
        }
        first.isend(1, 2, &[7u64]).unwrap();
        for _ in 0..20 {
            settle(&[&first, &second]);
        }
        let last = second.try_recv::<u64>(0, 2).unwrap();
        assert_eq!(last.map(|message| message.data), keeps.then(|| vec![7]));
        for number in 0..100u64 {
            settle(&[&first, &second]);
            let message = second.try_recv::<u64>(0, 1).unwrap();
            assert_eq!(message.map(|message| message.data), Some(vec![number]));
        }
    }
}
