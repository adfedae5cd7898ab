//! What a library on top of the runtime asks of the message layer: messages that are confirmed when
//! a receive has met them. [`confirmed`](super::confirmed) has what barriers do to these.

use runahead::internals::message::{Envelope, Lane, Pattern, RecvId};
use runahead::{Comm, Config, Source, Tag};

use super::settle;

/// Two worlds, with a library that asks for confirmations.
fn pair(config: &Config) -> (Comm, Comm) {
    let (first, second) = super::pair(config);
    for world in [&first, &second] {
        world.with_engine(|engine| engine.keep_unexpected()).unwrap();
    }
    (first, second)
}

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

/// A call that receives the long message while it waits confirms it before the payload is here.
#[test]
fn a_large_message_is_confirmed_by_calls_that_wait_for_its_payload() {
    let config = Config::new(2);
    let long = &payloads(&config)[1];
    for into in [false, true] {
        let (first, second) = pair(&config);
        let answer = post_confirmed(&first, 1, 3, long);
        settle(&[&first, &second]);
        assert!(!is_answered(&first, answer));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let source = Source::Rank(1);
                let none = |_: &_| Ok::<_, runahead::MessageError>(());
                let end = |engine: &mut runahead::internals::message::Engine<_>| {
                    engine.finish_recv(answer, source, none, |_, _| ())
                };
                first.with_engine(end).unwrap().unwrap();
                first.recv_bytes(1, 9).unwrap();
            });
            let mut room = vec![0; long.len()];
            if into {
                second.recv_into(&mut room, 0, 3).unwrap();
            } else {
                room = second.recv_bytes(0, 3).unwrap().data;
            }
            assert_eq!(&room, long);
            second.send_bytes(0, 9, &[]).unwrap();
        });
    }
}
