//! Copies that are made while their receivers read them, look by look: what is taken when, and what becomes of the rest.

use std::sync::Mutex;
use std::time::Duration;

use runahead::Notify;
use runahead::internals::message::{
    BULK, Context, EAGER, Engine, Info, Kind, Memory, MessageError, Patience, RecvId, Source,
};
use runahead::internals::verbs::{PostError, RemoteBuffer, Revoke};

use super::exposed::{
    ANY, ENVELOPE, Ranked, accesses, come, config, exposed, header, receive, sent_on, words,
};
use super::scripted::{Access, Script, Scripted};

const LEN: usize = 50;

/// Rank 0 of 3, on a network that begins copies which their receivers read in place.
fn engine() -> Ranked {
    engine_that_waits(Notify::SpinThenBlock)
}

fn engine_that_waits(notify: Notify) -> Ranked {
    let (nic, script) = Scripted::new(3);
    {
        let mut script = script.lock().unwrap();
        (script.read_from, script.copies, script.begins) = (Some(1), true, true);
    }
    let mut engine = Engine::new(nic, config()).unwrap();
    engine.set_notify(notify);
    (engine, script)
}

fn bytes() -> Vec<u8> {
    (0..LEN as u8).collect()
}

/// A message of rank 1 comes, of which so many bytes are there by the looks at it.
fn come_so(script: &Mutex<Script>, number: u32, here: &[usize]) {
    come(script, EAGER, &exposed(number, LEN as u64));
    let mut script = script.lock().unwrap();
    script.reads.push_back((0, 1, Some(bytes())));
    script.here.extend(here);
}

fn is_released(script: &Mutex<Script>) -> bool {
    script.lock().unwrap().released == 1
}

fn accept(_: &Info) -> Result<(), MessageError> {
    Ok(())
}

/// The pieces in which a call gets it, each with its place.
fn receive_pieces(engine: &mut Engine<Scripted>) -> Result<Vec<(usize, Vec<u8>)>, MessageError> {
    let mut pieces = Vec::new();
    let put = |at: usize, piece: &[u8]| pieces.push((at, piece.to_vec()));
    let refuse = |_: &Info| MessageError::NothingCanArrive;
    engine.recv_pieces(Context::WORLD, ANY, |_| true, refuse, |_| (), put)?;
    Ok(pieces)
}

/// All pieces together.
fn all_of(pieces: Result<Vec<(usize, Vec<u8>)>, MessageError>) -> Vec<u8> {
    pieces.unwrap().into_iter().flat_map(|(_, piece)| piece).collect()
}

fn post_into(engine: &mut Engine<Scripted>, room: &mut [u8]) -> RecvId {
    let room = std::ptr::from_mut(room);
    // SAFETY: as each test sees to: it looks there between calls only.
    unsafe { engine.post_recv_into(Context::WORLD, ANY, room) }.unwrap()
}

/// A call that waits takes what is there. (Planted: it waits for all; it takes a part twice.)
// SEMANTICS: FLOW-4
#[test]
fn who_waits_takes_each_piece_when_it_is_there() {
    let (mut engine, script) = engine();
    come_so(&script, 3, &[0, 7, 7, 20, 7, LEN]);
    let pieces = receive_pieces(&mut engine).unwrap();
    let parts: Vec<_> = pieces.iter().map(|(at, piece)| (*at, piece.len())).collect();
    assert_eq!(parts, [(0, 7), (7, 13), (20, 30)]);
    assert_eq!(pieces.into_iter().flat_map(|(_, piece)| piece).collect::<Vec<_>>(), bytes());
    assert!(is_released(&script));
    assert_eq!(words(&script), [1 << 3], "its sender is told at once");
}

/// What is shown where it lies is shown as a whole. SEMANTICS: FLOW-4
#[test]
fn who_reads_it_where_it_lies_sees_all_of_it() {
    let (mut engine, script) = engine();
    come_so(&script, 0, &[0, 7, 20]);
    assert_eq!(receive(&mut engine), Ok(bytes()));
    come_so(&script, 1, &[0, 7]);
    let mut try_it = || engine.try_recv(Context::WORLD, ANY, accept, |_, b| b.to_vec()).unwrap();
    assert_eq!([try_it(), try_it()], [None, None], "a look waits for nobody");
    assert_eq!(try_it(), Some(bytes()));
    assert_eq!(words(&script), [1, 0b11]);
}

/// It goes to the memory of a posted receive as it comes. (Planted: a receive that is complete before its payload is.)
// SEMANTICS: FLOW-4
#[test]
fn a_posted_receive_gets_it_piece_by_piece() {
    let (mut engine, script) = engine();
    let mut room = vec![0xff; LEN];
    let id = post_into(&mut engine, &mut room);
    come_so(&script, 0, &[7, 7, 20, 30]);
    engine.progress().unwrap();
    assert_eq!((&room[..7], room[7]), (&bytes()[..7], 0xff));
    assert!(!engine.test_recv(id, Source::Any).unwrap() && room[19] == 19 && room[20] == 0xff);
    assert!(!is_released(&script) && words(&script).is_empty());
    let done = engine.finish_recv_into(id, Source::Any, accept, Memory(&mut room));
    assert_eq!(done.map(|info| info.len), Ok(LEN));
    assert!(room == bytes() && is_released(&script));
    assert_eq!(words(&script), [1], "its sender is told at once");
    // One that has no memory yet, or not enough, is shown all of it.
    for short in [0, LEN - 1] {
        let mut room = vec![0xff; short];
        let id = post_into(&mut engine, &mut room);
        come_so(&script, 1, &[7, 20, 30]);
        assert!(!engine.test_recv(id, Source::Any).unwrap());
        let found = engine.finish_recv(id, Source::Any, accept, |_, b| b.to_vec());
        assert!(found == Ok(bytes()) && room == vec![0xff; short]);
        come(&script, BULK, &header(Kind::Reads, 0, 0).encode());
    }
}

/// A receive that had some of it and is cancelled leaves all of it to the next. (Planted: the next gets the rest.)
// SEMANTICS: FLOW-4, HOLD-3
#[test]
fn what_a_cancelled_receive_had_is_received_by_another() {
    for kind in 0..3 {
        let (mut engine, script) = engine();
        let mut room = vec![0xff; LEN];
        let id = post_into(&mut engine, &mut room);
        come_so(&script, 0, &[7, 20, 20]);
        engine.progress().unwrap();
        engine.cancel_recv(id);
        room.fill(0xee);
        let mut other = vec![0; LEN];
        match kind {
            0 => other = receive(&mut engine).unwrap(),
            1 => other = all_of(receive_pieces(&mut engine)),
            _ => {
                let id = post_into(&mut engine, &mut other);
                engine.finish_recv_into(id, Source::Any, accept, Memory(&mut other)).unwrap();
            }
        }
        assert!(other == bytes() && room == vec![0xee; LEN], "{kind}");
        assert!(is_released(&script));
    }
}

/// Nobody waits for the rest of what nobody receives. SEMANTICS: GRP-3
#[test]
fn what_is_discarded_is_not_waited_for() {
    let (mut engine, script) = engine();
    let mut room = vec![0; LEN];
    let id = post_into(&mut engine, &mut room);
    come_so(&script, 2, &[7, 20]);
    engine.progress().unwrap();
    engine.discard_recv(id);
    engine.progress().unwrap();
    assert_eq!((is_released(&script), words(&script)), (true, vec![1 << 2]));
    assert_eq!(room[20], 0);
}

/// A sender that is lost before its copy is made was lost before it had sent. Whoever waits is told, and others are
/// received. (Planted: a receiver that waits on.)
// SEMANTICS: END-2
#[test]
fn a_sender_that_is_lost_in_a_copy_is_named() {
    let lost = MessageError::PeerLost { rank: 1 };
    for kind in 0..3 {
        let (mut engine, script) = engine();
        let mut room = vec![0; LEN];
        come_so(&script, 0, &[7; 5000]);
        let posted = (kind == 2).then(|| post_into(&mut engine, &mut room));
        engine.progress().unwrap();
        script.lock().unwrap().left.push(1);
        let error = match posted {
            Some(id) => engine
                .finish_recv_into(id, Source::Any, accept, Memory(&mut room))
                .map(|_| ())
                .unwrap_err(),
            None if kind == 0 => receive(&mut engine).unwrap_err(),
            None => receive_pieces(&mut engine).unwrap_err(),
        };
        assert_eq!(error, lost, "{kind}");
        let short = [&header(Kind::Eager, 3, 0).encode()[..], b"abc"].concat();
        script.lock().unwrap().inboxes[usize::from(EAGER.0)].push_back((0, 2, short));
        assert_eq!(receive(&mut engine), Ok(b"abc".to_vec()), "{kind}");
    }
}

/// Nobody wakes who sleeps until a copy is made. (Planted: it sleeps until something else comes.)
// SEMANTICS: FLOW-3
#[test]
fn who_waits_for_a_copy_does_not_sleep_for_long() {
    let (mut engine, script) = engine_that_waits(Notify::Block);
    come_so(&script, 0, &[7; 9]);
    assert_eq!(receive(&mut engine), Ok(bytes()));
    let script = script.lock().unwrap();
    assert!(!script.slept.is_empty());
    let short =
        |longest: &Option<Duration>| longest.is_some_and(|it| it <= Duration::from_millis(1));
    assert!(script.slept.iter().all(short), "{:?}", script.slept);
}

/// What was done with copies, and how many frames had been sent by then.
fn steps(script: &Mutex<Script>) -> Vec<(Access, usize)> {
    script.lock().unwrap().accesses.clone()
}

const COPY: RemoteBuffer = RemoteBuffer { address: 0x4000, key: 1 };

/// The receiver is told, then the copy is made, and the send is complete. (Planted: the copy comes first; none is made.)
// SEMANTICS: FLOW-4
#[test]
fn a_copy_is_made_when_its_receiver_knows_of_it() {
    for kind in 0..3 {
        let (mut engine, script) = engine();
        let payload = bytes();
        match kind {
            0 => engine.send(1, ENVELOPE, &payload).unwrap(),
            1 => {
                let id = engine.post_send(1, ENVELOPE, &payload).unwrap();
                assert!(engine.is_sent(id));
            }
            _ => {
                // SAFETY: it is not written while this engine is there.
                let left = unsafe { engine.lend_unless_sent(1, ENVELOPE, &payload) };
                assert!(left.unwrap().is_none(), "the memory is the program's again");
            }
        }
        let both = [(Access::Begun(1, LEN), 0), (Access::Filled(1, COPY, LEN), 1)];
        assert_eq!(steps(&script), both, "{kind}");
        come(&script, BULK, &header(Kind::Reads, 0, 1).encode());
        engine.progress().unwrap();
        assert_eq!(accesses(&script)[2..], [Access::Revoked(1, COPY, Revoke::AfterRead)]);
        assert_eq!(engine.stats().payloads_exposed, 1);
    }
}

/// What waits for credit or for the network is copied before its call returns. (Planted: it is copied when it leaves.)
// SEMANTICS: FLOW-4
#[test]
fn a_copy_is_made_by_the_call_that_posts_it() {
    let (mut engine, script) = engine();
    script.lock().unwrap().refuses.push((1, PostError::QueueFull));
    let id = engine.post_send(1, ENVELOPE, &bytes()).unwrap();
    assert!(!engine.is_sent(id) && sent_on(&script, EAGER).is_empty());
    assert_eq!(accesses(&script), [Access::Begun(1, LEN), Access::Filled(1, COPY, LEN)]);
    script.lock().unwrap().refuses.clear();
    engine.progress().unwrap();
    assert!(engine.is_sent(id));
    assert_eq!((sent_on(&script, EAGER).len(), accesses(&script).len()), (1, 2), "once");
}

/// The copy comes first where that is better: others are on their way to the same rank; the ranks share a core; several
/// ranks get the same. SEMANTICS: FLOW-4
#[test]
fn a_copy_comes_first_where_nobody_would_follow_it() {
    let (mut engine, script) = engine();
    engine.post_send(1, ENVELOPE, &bytes()).unwrap();
    engine.post_send(1, ENVELOPE, &bytes()).unwrap();
    assert_eq!(accesses(&script)[2..], [Access::Exposed(1, LEN)]);
    engine.post_send(2, ENVELOPE, &bytes()).unwrap();
    assert_eq!(accesses(&script)[3], Access::Begun(2, LEN), "another has nothing else to read");
    for notify in [Notify::Yield, Notify::Block] {
        let (mut engine, script) = engine_that_waits(notify);
        engine.post_send(1, ENVELOPE, &bytes()).unwrap();
        assert_eq!(accesses(&script), [Access::Exposed(1, LEN)], "{notify:?}");
    }
    let (mut engine, script) = engine_that_waits(Notify::Poll);
    let receivers = [((), 1), ((), 2)].into_iter();
    engine.post_send_to_each(receivers, ENVELOPE, &bytes(), |(), sent| sent.map(drop)).unwrap();
    assert_eq!(accesses(&script)[0], Access::Exposed(1, LEN));
}

/// A payload that found no room when it was posted, and is the last that is left. (Planted: its copy is begun and never
/// made.) SEMANTICS: FLOW-4
#[test]
fn what_was_kept_is_copied_before_its_receiver_is_told() {
    let (mut engine, script) = engine();
    (script.lock().unwrap().begins, script.lock().unwrap().room) = (false, Some(0));
    script.lock().unwrap().refuses.push((1, PostError::QueueFull));
    engine.post_send(1, ENVELOPE, &bytes()).unwrap();
    (script.lock().unwrap().begins, script.lock().unwrap().room) = (true, None);
    script.lock().unwrap().refuses.clear();
    engine.progress().unwrap();
    assert_eq!(steps(&script), [(Access::Exposed(1, LEN), 0)]);
    assert_eq!(sent_on(&script, EAGER).len(), 1);
}

/// A copy that grows is news: the rank goes on looking, and sleeps only when it grows no more. (Planted: it counts as
/// nothing.)
// SEMANTICS: FLOW-3
#[test]
fn who_follows_a_copy_that_grows_does_not_sleep() {
    let patience = Patience { polls: 3, yields: 0 };
    for (here, sleeps) in [((0..LEN).collect::<Vec<_>>(), false), (vec![7; 30], true)] {
        let (mut engine, script) = engine_that_waits(Notify::Fixed(patience));
        come_so(&script, 0, &here);
        assert_eq!(all_of(receive_pieces(&mut engine)), bytes());
        assert_eq!(!script.lock().unwrap().slept.is_empty(), sleeps);
    }
}

/// A sender that lends in vain learns that it had better copy at once, whether it copies when it has waited for long
/// enough, or before it sleeps; and whether its copies are begun or made first. (Planted: the time of either way is not
/// noted: then all is lent.)
// SEMANTICS: FLOW-4
#[test]
fn who_lends_in_vain_copies_at_once_later() {
    for (notify, begins) in [(Notify::Poll, true), (Notify::Poll, false), (Notify::Block, false)] {
        let (mut engine, script) = engine_that_waits(notify);
        (script.lock().unwrap().lends, script.lock().unwrap().begins) = (true, begins);
        for round in 0..128 {
            engine.send(1, ENVELOPE, &bytes()).unwrap();
            come(&script, BULK, &header(Kind::Reads, 0, (round + 1) % 2).encode());
            engine.progress().unwrap();
        }
        let ways = accesses(&script).into_iter().filter_map(|access| match access {
            Access::Lent(..) => Some(true),
            Access::Begun(..) | Access::Exposed(..) => Some(false),
            _ => None,
        });
        let ways: Vec<bool> = ways.collect();
        let lent = |ways: &[bool]| ways.iter().filter(|&&is_lent| is_lent).count();
        // The first 16 are lent, three copied, and one more is lent, which can be compared; then three of each 64 are.
        assert_eq!((ways.len(), lent(&ways[..64]), lent(&ways[64..])), (128, 17, 3), "{notify:?}");
    }
}
