//! Links by themselves: what has come is told, what is due is polled, and after each poll the
//! obstacles are compared with a recount. Each test names the fault that was planted against it.

use super::*;
use crate::message::control::{Cause, Control};
use crate::message::header::{Header, Kind};
use crate::message::transfers::kept::Kept;
use crate::message::waiting::Activity;
use crate::order::{GroupId, Order, Ordering};
use crate::verbs::{PostError, Vi};

const WINDOW: u32 = 4;
const VI: Vi = Vi { peer: PEER, cq: EAGER };
/// This rank, the peer of most tests, and the number of ranks.
const OWN: Rank = 0;
const PEER: Rank = 1;
const SIZE: usize = 4;

struct Here {
    links: Links,
    obstacles: Obstacles,
}

impl Here {
    fn new(lossy: bool) -> Here {
        let (window_messages, bulk_window, signal_window) = (WINDOW, 2, WINDOW);
        let config = Config { window_messages, bulk_window, signal_window, ..Config::new(SIZE) };
        Here { links: Links::new(OWN, SIZE, &config, lossy), obstacles: Obstacles::NONE }
    }

    /// Posts what is due; `refuse` says what is not taken.
    fn flush_but(
        &mut self,
        mut refuse: impl FnMut(&Sent) -> Option<PostError>,
    ) -> (Vec<Sent>, Result<(), PostError>) {
        let mut sent = Vec::new();
        let result = self.links.poll_due(&mut self.obstacles, |to, frame| {
            let frame = match frame {
                DueFrame::Reads | DueFrame::Confirmed(_) => {
                    Sent { to, control: None, returned: Returned::default() }
                }
                DueFrame::Control(bytes) => {
                    let (control, returned) = Control::decode(&bytes).unwrap();
                    Sent { to, control: Some(control), returned }
                }
            };
            refuse(&frame).map_or(Ok(()), Err)?;
            sent.push(frame);
            Ok(())
        });
        assert_eq!(self.obstacles, self.links.recount());
        (sent, result)
    }

    /// Posts what is due; all of it is control frames for `PEER`.
    fn flush(&mut self) -> Vec<Control> {
        let (sent, result) = self.flush_but(|_| None);
        result.unwrap();
        assert!(!self.links.has_due() && sent.iter().all(|sent| sent.to == PEER));
        sent.into_iter().map(|sent| sent.control.unwrap()).collect()
    }

    fn tell(&mut self, control: Control) {
        self.links.tell(&mut self.obstacles, PEER, control);
    }

    fn receive(&mut self, cq: Cq) -> Result<(), Violation> {
        self.links.handle_received(&mut self.obstacles, PEER, cq)
    }

    fn consume(&mut self, cq: Cq) {
        self.links.handle_consumed(&mut self.obstacles, PEER, cq);
    }

    fn close(&mut self, from: Rank, clock: Clock, failed: bool, cause: Option<Cause>) {
        let closing = Closing { clock, failed, cause };
        self.links.handle_closing(&mut self.obstacles, from, closing).unwrap();
        assert_eq!(self.obstacles, self.links.recount());
    }

    fn lose(&mut self, rank: Rank) -> bool {
        let lost = self.links.handle_gone(&mut self.obstacles, rank);
        assert_eq!(self.obstacles, self.links.recount());
        lost
    }
}

#[derive(Debug, PartialEq)]
struct Sent {
    to: Rank,
    /// None says which payloads were read.
    control: Option<Control>,
    returned: Returned,
}

fn query(epoch: u64) -> Control {
    Control::Query { group: GroupId::WORLD, epoch, clock: epoch }
}

fn answer(entered: u64) -> Answer {
    Answer { group: GroupId::WORLD, entered, activity: Activity::Nothing }
}

const CLEAR: Control = Control::ClearToSend { transfer: 7 };
const CLOSING: Control = Control::Closing { clock: 3, failed: false, cause: None, reads: 0 };

// (Planted: a count that is taken for that of another queue.)
// SEMANTICS: FLOW-1
#[test]
fn each_queue_has_credit_of_its_own_and_false_credit_names_it() {
    let mut here = Here::new(false);
    let links = &mut here.links;
    for (cq, window) in [(EAGER, 4), (BULK, 2), (SIGNAL, 4)] {
        (0..window).for_each(|_| {
            assert!(links.peer(PEER).has_credit(cq));
            links.handle_sent(PEER, cq);
        });
        assert!(!links.peer(PEER).has_credit(cq) && links.peer(2).has_credit(cq));
    }
    let returned = Returned { eager: 1, signal: 0, bulk: 2 };
    links.handle_returned(PEER, returned).unwrap();
    let has = [EAGER, BULK, SIGNAL].map(|cq| links.peer(PEER).has_credit(cq));
    assert_eq!(has, [true, true, false]);
    for (returned, of) in [
        (Returned { eager: 5, ..returned }, "messages"),
        (Returned { bulk: 3, ..returned }, "segments"),
        (Returned { signal: 5, ..returned }, "signals"),
    ] {
        assert_eq!(links.handle_returned(PEER, returned), Err(Violation::FalseCredit(of)));
    }
}

// (Planted: lossy signals that are counted as others are.)
// SEMANTICS: FLOW-1
#[test]
fn signals_that_may_be_lost_take_no_credit_and_return_none() {
    let mut here = Here::new(true);
    for _ in 0..100 {
        assert!(here.links.peer(PEER).has_credit(SIGNAL));
        here.links.handle_sent(PEER, SIGNAL);
        let due = here.links.handle_received_and_consumed(&mut here.obstacles, PEER, SIGNAL);
        assert!(!due && here.obstacles == Obstacles::NONE);
    }
    here.links.handle_returned(PEER, Returned { signal: 1234, ..Returned::default() }).unwrap();
}

// (Planted: a credit frame that goes though another has told the same; one that tells no counts.)
// SEMANTICS: FLOW-1
#[test]
fn what_was_consumed_is_told_after_half_a_window_and_by_any_frame() {
    let mut here = Here::new(false);
    (0..2).for_each(|_| here.receive(EAGER).unwrap());
    here.consume(EAGER);
    assert_eq!((here.obstacles, here.flush()), (Obstacles::NONE, vec![]));
    here.consume(EAGER);
    assert_eq!(here.obstacles, Obstacles::CONTROL_DUE);
    let (sent, _) = here.flush_but(|_| None);
    let returned = Returned { eager: 2, ..Returned::default() };
    assert_eq!(sent, [Sent { to: PEER, control: Some(Control::Credit), returned }]);
    // The clear-to-send says it, so nothing is left to say.
    let credit =
        |here: &mut Here| here.links.handle_received_and_consumed(&mut here.obstacles, PEER, EAGER);
    assert_eq!([credit(&mut here), credit(&mut here)], [false, true]);
    here.tell(CLEAR);
    let (sent, _) = here.flush_but(|_| None);
    let returned = Returned { eager: 4, ..returned };
    assert_eq!(sent, [Sent { to: PEER, control: Some(CLEAR), returned }]);
}

// (Planted: frames that leave in the order in which they were told; a second one of a kind.)
// SEMANTICS: FLOW-2
#[test]
fn control_frames_leave_in_their_order_one_of_each_kind() {
    let mut here = Here::new(false);
    here.links.tell_ended(&mut here.obstacles, PEER);
    let old = Control::Closing { clock: 2, failed: false, cause: None, reads: 0 };
    [old, CLOSING].into_iter().for_each(|control| here.tell(control));
    (0..4).for_each(|_| here.receive(EAGER).unwrap());
    here.consume(EAGER);
    let said = Control::Answer { group: GroupId::WORLD, entered: 1, activity: Activity::Nothing };
    [said, query(5), CLEAR].into_iter().for_each(|control| here.tell(control));
    let ended = Control::Ended { eager: 0, segments: 0 };
    // The clear-to-send returns the credit.
    assert_eq!(here.flush(), [CLEAR, query(5), said, CLOSING, ended]);
}

// (Planted: a peer without room that is taken off the list; one whose turn ends that of others.)
// SEMANTICS: FLOW-2
#[test]
fn what_finds_no_room_stays_due_and_keeps_no_other_peer_waiting() {
    let mut here = Here::new(false);
    for to in 1..SIZE {
        here.links.tell(&mut here.obstacles, to, CLEAR);
        here.links.tell(&mut here.obstacles, to, query(5));
    }
    let too_long = PostError::TooLong { vi: VI, len: 1, limit: 0 };
    let (sent, result) = here.flush_but(|frame| match (frame.to, frame.control) {
        (1, Some(Control::Query { .. })) => Some(PostError::QueueFull(VI)),
        (2, _) => Some(too_long.clone()),
        (3, _) => Some(PostError::PeerGone(VI)),
        _ => None,
    });
    assert_eq!((sent.len(), sent[0].to, sent[0].control), (1, 1, Some(CLEAR)));
    assert_eq!(result, Err(too_long));
    assert_eq!(here.obstacles, Obstacles::CONTROL_DUE);
    let (sent, _) = here.flush_but(|_| None);
    let left: Vec<_> = sent.iter().map(|sent| (sent.to, sent.control.unwrap())).collect();
    assert_eq!(left, [(1, query(5)), (2, CLEAR), (2, query(5))]);
    assert_eq!(here.obstacles, Obstacles::NONE);
}

// (Planted: a word about reads that takes no credit; one that goes beside a closing.)
// SEMANTICS: FLOW-1, END-2
#[test]
fn what_was_read_is_told_where_there_is_credit_or_by_the_closing() {
    let mut here = Here::new(false);
    for _ in 0..2 {
        here.links.tell_reads(&mut here.obstacles, PEER);
        let (sent, _) = here.flush_but(|_| None);
        assert!(matches!(sent[..], [Sent { to: PEER, control: None, .. }]));
    }
    here.links.tell_reads(&mut here.obstacles, PEER);
    assert_eq!(here.flush_but(|_| None).0, []);
    assert!(here.links.has_due() && !here.links.has_said_all());
    here.links.handle_returned(PEER, Returned { bulk: 2, ..Returned::default() }).unwrap();
    here.tell(CLOSING);
    assert_eq!(here.flush(), [CLOSING]);
    assert!(here.links.has_said_all());
    // It is told no more to one that has gone.
    here.lose(PEER);
    here.links.tell_reads(&mut here.obstacles, PEER);
    assert!(!here.links.has_due());
}

// (Planted: an answer to an old question that counts; an answer that nobody asked for.)
// SEMANTICS: HANG-1
#[test]
fn an_answer_counts_if_nothing_was_asked_since() {
    let mut here = Here::new(false);
    let world = GroupId::WORLD;
    let handle = |here: &mut Here, entered| {
        here.links.handle_answer(&mut here.obstacles, PEER, answer(entered));
        here.links.peer(PEER).answer_about(world)
    };
    let ask = |here: &mut Here, epoch| here.links.ask(&mut here.obstacles, PEER, query(epoch));
    assert_eq!(handle(&mut here, 1), None);
    ask(&mut here, 5);
    assert_eq!(here.flush(), [query(5)]);
    // One question at a time: these two are put as one when the first is answered.
    (6..=7).for_each(|epoch| ask(&mut here, epoch));
    assert_eq!(here.flush(), []);
    assert_eq!(handle(&mut here, 4), None);
    assert_eq!(here.flush(), [query(7)]);
    assert_eq!(handle(&mut here, 6), Some(6));
    assert_eq!(handle(&mut here, 9), Some(6));
    assert_eq!(here.links.peer(PEER).answer(), Some(answer(6)));
    assert_eq!(here.links.peer(PEER).answer_about(GroupId(3)), None);
    // What was said before counts no more.
    ask(&mut here, 8);
    assert_eq!(here.links.peer(PEER).answer(), None);
}

fn message(tag: u32, posted: Posted) -> QueuedMessage {
    let (kind, context) = (Kind::Eager, Context::WORLD);
    let header = Header { kind, element: 0, context, tag, stamp: 0, len: 0, transfer: 0 };
    QueuedMessage { header, posted, payload: Kept::NONE, is_cancelled: false }
}

// (Planted: one that is put back behind the others; one that leaves without credit; a list that
// forgets a peer with messages.)
// SEMANTICS: ORD-1, FLOW-1
#[test]
fn messages_leave_in_their_order_and_one_that_was_put_back_comes_first() {
    let posted = Order::new(OWN, SIZE, Ordering::Contained, 1).post(PEER);
    let Here { mut links, mut obstacles } = Here::new(false);
    for index in 1..=6 {
        assert_eq!(links.queue(&mut obstacles, PEER, message(index as u32, posted)), index);
    }
    assert_eq!((links.sending(), obstacles), (&[PEER][..], Obstacles::SENDING));
    assert!(links.poll_message(PEER, |_| false).is_none());
    let first = links.poll_message(PEER, |_| true).unwrap();
    links.put_back(PEER, first);
    for index in 1..=4 {
        assert!(!links.has_left(PEER, index));
        assert_eq!(links.poll_message(PEER, |_| true).unwrap().header.tag, index as u32);
        links.handle_sent(PEER, EAGER);
        links.handle_left(PEER);
        assert!(links.has_left(PEER, index));
        links.settle_sending(&mut obstacles);
        assert_eq!((obstacles, links.recount()), (Obstacles::SENDING, Obstacles::SENDING));
    }
    // The window is full.
    assert!(links.poll_message(PEER, |_| true).is_none());
    links.handle_returned(PEER, Returned { eager: 4, ..Returned::default() }).unwrap();
    let taken = links.poll_message(PEER, |_| true).unwrap();
    // What was dropped has not left, and what comes back is dropped too.
    links.cut(PEER);
    links.put_back(PEER, taken);
    assert!(links.is_cut(PEER) && links.queued(PEER).is_empty());
    links.settle_sending(&mut obstacles);
    assert_eq!((links.sending(), obstacles), (&[][..], Obstacles::NONE));
    assert!(!links.has_left(PEER, 5) && !links.is_cut(2));
}

// (Planted: a peer that is woken each time; one whose messages are forgotten where another's wait.)
#[test]
fn a_peer_is_woken_once_for_what_was_sent_to_it() {
    let posted = Order::new(OWN, SIZE, Ordering::Contained, 1).post(PEER);
    let Here { mut links, mut obstacles } = Here::new(false);
    for to in [2, PEER] {
        links.queue(&mut obstacles, to, message(0, posted));
        links.handle_sent(to, EAGER);
    }
    assert!(links.poll_wake(PEER) && !links.poll_wake(PEER));
    links.handle_sent(PEER, EAGER);
    for expected in [vec![2, PEER], vec![]] {
        let mut woken = Vec::new();
        links.poll_wakes(|to| woken.push(to));
        assert_eq!(woken, expected);
    }
}

// (Planted, one each: a version, a context, a window and another message that are not looked at.)
// SEMANTICS: CLK-1, CON-1, FLOW-1
#[test]
fn what_was_noted_on_the_fast_path_holds_until_something_else_comes_between() {
    let Here { mut links, mut obstacles } = Here::new(false);
    let (world, other) = (Context::WORLD, Context::from_bits(0x0300_0000));
    assert_eq!((links.noted_stamp(PEER, 3), links.noted_stamp(SIZE, 3)), (None, None));
    links.note_sent(PEER, 3, 17);
    assert_eq!((links.noted_stamp(PEER, 3), links.noted_stamp(PEER, 4)), (Some(17), None));
    (0..WINDOW).for_each(|_| links.handle_sent(PEER, EAGER));
    assert_eq!(links.noted_stamp(PEER, 3), None);

    let note = |links: &mut Links| links.note_received(PEER, 3, (world, Template::NONE));
    let noted =
        |links: &Links, version, context| links.noted_template(PEER, version, context).is_some();
    assert!(!noted(&links, 3, world) && links.noted_template(SIZE, 3, world).is_none());
    note(&mut links);
    assert!(noted(&links, 3, world) && !noted(&links, 4, world) && !noted(&links, 3, other));
    links.handle_received_and_consumed(&mut obstacles, PEER, EAGER);
    links.handle_received(&mut obstacles, PEER, BULK).unwrap();
    assert!(noted(&links, 3, world));
    links.handle_received(&mut obstacles, PEER, EAGER).unwrap();
    assert!(!noted(&links, 3, world));
    note(&mut links);
    links.handle_kept(PEER);
    assert!(!noted(&links, 3, world));
}

// (Planted: room that is made while there is plenty; room that is made again and again.)
// SEMANTICS: FLOW-5
#[test]
fn kept_messages_make_room_once_their_sender_is_crowded() {
    let mut here = Here::new(false);
    (0..3).for_each(|_| here.receive(EAGER).unwrap());
    here.links.handle_kept(PEER);
    assert!(!here.links.peer(PEER).is_crowded() && !here.links.poll_room(PEER));
    here.receive(EAGER).unwrap();
    assert!(here.links.peer(PEER).is_crowded() && here.links.peer(PEER).fills_matched());
    assert!(here.links.poll_room(PEER) && !here.links.poll_room(PEER));
}

// (Planted: an obstacle that is not raised, for each of the two ways to leave; a peer that has ended
// and is not heard out.)
// SEMANTICS: END-2
#[test]
fn one_that_leaves_is_told_from_one_that_is_lost() {
    let mut here = Here::new(false);
    assert_eq!(here.links.check_hears(PEER), Ok(()));
    here.receive(EAGER).unwrap();
    here.close(PEER, 3, false, None);
    assert_eq!(here.obstacles, Obstacles::LEAVING);
    let ended = Err(MessageError::PeerEnded { rank: PEER, failed: false });
    assert_eq!(here.links.check_hears(PEER), ended);
    // It has sent one more message.
    here.links.handle_ended(PEER, 2, 0).unwrap();
    assert_eq!(here.links.check_not_exhausted(PEER), Ok(()));
    here.receive(EAGER).unwrap();
    assert_eq!(here.links.check_not_exhausted(PEER), ended);
    assert!(!here.lose(PEER) && here.links.known_loss().is_none());

    let mut here = Here::new(false);
    here.links.handle_failure(2);
    assert!(here.links.peer(2).presence().has_failed());
    assert!(!here.links.handle_seen_closed(2) && here.links.handle_seen_closed(2));
    assert!(here.lose(2) && !here.lose(2));
    assert_eq!(here.obstacles, Obstacles::LEAVING);
    let lost = Err(MessageError::PeerLost { rank: 2 });
    assert_eq!(
        (here.links.check_hears(2), here.links.check_not_exhausted(2)),
        (lost.clone(), lost)
    );
    // The frames for one that has gone count as said.
    here.links.tell(&mut here.obstacles, 2, CLEAR);
    assert!(here.links.has_said_all());
}

// (Planted: a message that its receiver would have received, and is excused.)
// SEMANTICS: END-2
#[test]
fn a_message_for_one_that_ran_ahead_to_its_end_is_excused() {
    let mut here = Here::new(false);
    here.close(PEER, 3, false, None);
    let error = here.links.check_hears(PEER);
    assert_eq!(here.links.excuse(PEER, 2, error.clone(), ()), Ok(()));
    assert_eq!(here.links.excuse(PEER, 3, error.clone(), ()), error);
    // Of another rank; of one that fails after all; of one that is lost.
    let other = Err(MessageError::PeerEnded { rank: 2, failed: false });
    assert_eq!(here.links.excuse(PEER, 2, other.clone(), ()), other);
    here.close(PEER, 3, true, None);
    let error = here.links.check_hears(PEER);
    assert_eq!(here.links.excuse(PEER, 2, error.clone(), ()), error);
    let lost = Err(MessageError::PeerLost { rank: PEER });
    assert_eq!(here.links.excuse(PEER, 2, lost.clone(), ()), lost);
}

// (Planted: a loss that is believed though more is known here; an own loss that counts less.)
// SEMANTICS: END-2
#[test]
fn the_loss_that_others_tell_of_counts_while_nothing_better_is_known() {
    let mut here = Here::new(false);
    here.close(PEER, 3, true, Some(Cause::Lost(2)));
    assert_eq!(here.links.known_loss(), Some(2));
    assert_eq!(here.links.told_cause(PEER, &[0, 1, 2]), Some(Cause::Lost(2)));
    assert_eq!(here.links.told_cause(PEER, &[0, 1]), None);
    here.lose(3);
    assert_eq!(here.links.known_loss(), Some(3));
    here.close(2, 3, false, None);
    assert_eq!(here.links.told_cause(PEER, &[0, 1, 2]), None);
    // A rank that has ended in good order is no loss. That it lacked a barrier is believed as long.
    let mut here = Here::new(false);
    let ended = Cause::Ended { rank: 2, group: GroupId::WORLD, epoch: 4 };
    here.close(PEER, 3, true, Some(ended));
    assert_eq!(here.links.known_loss(), None);
    assert_eq!(here.links.told_cause(PEER, &[0, 1, 2]), Some(ended));
    here.close(2, 3, false, None);
    assert_eq!(here.links.told_cause(PEER, &[0, 1, 2]), None);
    // Whoever has lost this rank is told nothing new.
    let mut here = Here::new(false);
    here.close(PEER, 3, true, Some(Cause::Lost(OWN)));
    assert_eq!((here.links.known_loss(), here.links.told_cause(PEER, &[OWN])), (None, None));
}

// (Planted: a loss of no rank that is taken; a message after the end.)
// SEMANTICS: SAFE-1
#[test]
fn an_end_that_cannot_be_is_a_violation() {
    let mut here = Here::new(false);
    for rank in [PEER, SIZE, usize::MAX] {
        for cause in [Cause::Lost(rank), Cause::Ended { rank, group: GroupId::WORLD, epoch: 1 }] {
            let closing = Closing { clock: 3, failed: true, cause: Some(cause) };
            let refused = here.links.handle_closing(&mut here.obstacles, PEER, closing);
            assert_eq!(refused, Err(Violation::UnknownCause(rank)));
        }
    }
    assert_eq!(here.links.handle_ended(PEER, 0, 0), Err(Violation::EndOutOfOrder));
    assert_eq!((here.obstacles, here.links.recount()), (Obstacles::NONE, Obstacles::NONE));
    here.receive(BULK).unwrap();
    here.close(PEER, 3, false, None);
    assert_eq!(here.links.handle_ended(PEER, 5, 0), Err(Violation::AfterEnd));
    here.links.handle_ended(PEER, 1, 1).unwrap();
    here.receive(EAGER).unwrap();
    for cq in [BULK, EAGER] {
        assert_eq!(here.receive(cq), Err(Violation::AfterEnd));
    }
}
