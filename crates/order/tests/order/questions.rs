//! What can be asked of a rank: each question against its definition, for a group that signals, one that
//! publishes, and one that does not exist.

use runahead_order::core::board::{Awaited, Publication, Word};
use runahead_order::hosts::Cell;
use runahead_order::{
    Algorithm, Carrier, Epoch, GroupId, Order, Ordering, ProtocolError, Rank, Signal, SignalKind,
};

const SIGNALLED: GroupId = GroupId(1);
const PUBLISHED: GroupId = GroupId(2);
const UNKNOWN: GroupId = GroupId(9);
const PLACE: usize = 7;
const LIMIT: usize = 4;

/// `rank` of a job of 4, with `SIGNALLED` of 3, 1 and 2, and `PUBLISHED` of 2 and 1.
fn rank(rank: Rank, algorithm: Algorithm) -> Order {
    let mut order = Order::new(rank, 4, Ordering::Pakin, LIMIT);
    order.add_group(SIGNALLED, &[3, 1, 2], algorithm, 0).unwrap();
    if rank != 3 {
        order.add_group(PUBLISHED, &[2, 1], Carrier::board(PLACE), 0).unwrap();
    }
    order
}

fn reached(group: GroupId, epoch: Epoch) -> Signal {
    Signal { kind: SignalKind::Reached, group, step: 0, epoch, clock: 0 }
}

/// What a rank has to signal.
fn due(order: &mut Order) -> Vec<(Rank, Signal)> {
    let mut due = Vec::new();
    order.poll_signals(|to, signal| {
        due.push((to, signal));
        true
    });
    due
}

#[test]
fn the_groups_are_told_as_they_were_made() {
    let order = rank(1, Algorithm::AllToAll);
    assert_eq!((order.rank(), order.size(), order.open_limit()), (1, 4, LIMIT));
    for (group, members) in [(SIGNALLED, &[3, 1, 2][..]), (PUBLISHED, &[2, 1])] {
        assert_eq!(order.members(group), Some(members));
        // Also of ranks that the job does not have.
        for other in 0..9 {
            assert_eq!(order.is_member(group, other), Some(members.contains(&other)));
        }
    }
    assert_eq!((order.members(UNKNOWN), order.is_member(UNKNOWN, 1)), (None, None));
    assert_eq!(
        [SIGNALLED, PUBLISHED, UNKNOWN].map(|g| order.place_of(g)),
        [None, Some(PLACE), None]
    );
}

/// The members of a flat tree below its root hear of the root alone: it passes on that the others have
/// entered, and nothing of theirs is ever missing.
///
/// SEMANTICS: BAR-9
#[test]
fn what_others_pass_on_is_neither_heard_nor_lacking() {
    let mut order = rank(1, Algorithm::FlatTree);
    let heard = |order: &Order, epoch| [1, 2, 3].map(|of| order.has_heard(SIGNALLED, of, epoch));
    let lacks = |order: &Order, epoch| [1, 2, 3].map(|of| order.lacks(SIGNALLED, of, epoch));
    order.handle_initiate(SIGNALLED).unwrap();
    assert_eq!(heard(&order, 1), [true, false, false]);
    assert_eq!(lacks(&order, 1), [false, false, true]);
    order.handle_signal(3, reached(SIGNALLED, 1)).unwrap();
    assert_eq!(order.progress_of(SIGNALLED), Some((1, 1, 1)));
    assert_eq!(heard(&order, 1), [true, false, true]);
    assert_eq!(lacks(&order, 1), [false; 3]);
    assert_eq!(heard(&order, 2), [false; 3]);
    assert_eq!(lacks(&order, 2), [false, false, true]);
    // Nor does anything come of who is no member, or of no group.
    for (group, of) in [(SIGNALLED, 0), (SIGNALLED, 8), (UNKNOWN, 1)] {
        assert!(!order.has_heard(group, of, 0) && !order.lacks(group, of, 9));
    }
}

/// SEMANTICS: BAR-9
#[test]
fn what_is_published_is_heard_or_lacking() {
    let mut order = rank(1, Algorithm::AllToAll);
    for epoch in 1..=3 {
        assert!(!order.has_heard(PUBLISHED, 2, epoch) && order.lacks(PUBLISHED, 2, epoch));
        assert!(!order.has_heard(PUBLISHED, 1, epoch));
        order.handle_initiate(PUBLISHED).unwrap();
        assert!(order.has_heard(PUBLISHED, 1, epoch) && !order.lacks(PUBLISHED, 1, epoch));
        order.handle_published(2, PUBLISHED, epoch).unwrap();
        assert!(order.has_heard(PUBLISHED, 2, epoch) && !order.lacks(PUBLISHED, 2, epoch));
        assert!(!order.has_heard(PUBLISHED, 3, epoch) && !order.lacks(PUBLISHED, 3, epoch));
    }
}

/// SEMANTICS: BAR-1 BAR-4
#[test]
fn a_published_barrier_is_awaited_until_it_completes() {
    let mut order = rank(1, Algorithm::AllToAll);
    let awaited = |order: &Order| order.awaited().collect::<Vec<_>>();
    assert!(awaited(&order).is_empty() && !order.has_signals());
    // By signals: nothing that a driver would look for on the board.
    order.handle_initiate(SIGNALLED).unwrap();
    assert!(awaited(&order).is_empty() && order.has_signals());
    due(&mut order);
    assert!(!order.has_signals());
    for entered in 1..=2 {
        order.handle_initiate(PUBLISHED).unwrap();
        let await_ = Awaited { place: PLACE, group: PUBLISHED, complete: 0, entered };
        assert_eq!(awaited(&order), [await_]);
        assert!(order.has_signals());
        let mut published = Vec::new();
        order.poll_published(|publication| published.push(publication));
        let (before, epoch) = (entered - 1, entered);
        assert_eq!(published, [Publication { place: PLACE, group: PUBLISHED, before, epoch }]);
        assert!(!order.has_signals());
    }
    assert_eq!(order.look(&|_: Word| Some(1)), Ok(true));
    assert_eq!(
        awaited(&order),
        [Awaited { place: PLACE, group: PUBLISHED, complete: 1, entered: 2 }]
    );
    assert_eq!(order.look(&|_: Word| None), Ok(false));
    order.handle_published(2, PUBLISHED, 2).unwrap();
    assert!(awaited(&order).is_empty());
}

/// SEMANTICS: SAFE-1
#[test]
fn what_cannot_have_been_published_is_refused() {
    let mut order = rank(1, Algorithm::AllToAll);
    order.handle_initiate(PUBLISHED).unwrap();
    let outsider = |from, group| Err(ProtocolError::NotAMember { from, group });
    for from in [0, 3, 17] {
        assert_eq!(order.handle_published(from, PUBLISHED, 1), outsider(from, PUBLISHED));
    }
    assert_eq!(order.handle_published(2, UNKNOWN, 1), outsider(2, UNKNOWN));
    let signals = ProtocolError::UnexpectedStep { from: 2, group: SIGNALLED, step: 0 };
    assert_eq!(order.handle_published(2, SIGNALLED, 1), Err(signals));
    // One barrier is entered here, and the peer can be ahead by as many as may be open.
    let limit = 1 + LIMIT as Epoch;
    for epoch in [limit + 1, Epoch::MAX] {
        let fault = ProtocolError::ImpossibleEpoch { from: 2, group: PUBLISHED, epoch, limit };
        assert_eq!(order.handle_published(2, PUBLISHED, epoch), Err(fault.clone()));
        assert_eq!(order.look(&|_: Word| Some(epoch)), Err(fault));
    }
    assert_eq!(order.progress_of(PUBLISHED), Some((1, 0, 1)));
    order.handle_published(2, PUBLISHED, limit).unwrap();
    assert_eq!(order.progress_of(PUBLISHED), Some((1, 1, 1)));
}

#[test]
fn open_barriers_are_told_with_their_places() {
    let mut order = rank(1, Algorithm::AllToAll);
    for group in [SIGNALLED, PUBLISHED, SIGNALLED, SIGNALLED] {
        order.handle_initiate(group).unwrap();
    }
    let open = |order: &Order| order.open_barriers().collect::<Vec<_>>();
    assert_eq!(open(&order), [(SIGNALLED, 1, 3), (PUBLISHED, 1, 1)]);
    let places = |order: &Order, group| [0, 1, 2, 3, 4].map(|epoch| order.seq_of(group, epoch));
    assert_eq!(places(&order, SIGNALLED), [None, Some(1), Some(3), Some(4), None]);
    assert_eq!(places(&order, PUBLISHED), [None, Some(2), None, None, None]);
    let clocks =
        |order: &Order, peer| [1, 2, 3].map(|epoch| order.clock_of(SIGNALLED, epoch, peer));
    assert_eq!(clocks(&order, 2), [1, 3, 4].map(Some));
    assert_eq!(clocks(&order, 3), [1, 2, 3].map(Some));
    let through = |order: &Order| (0..9).take_while(|&seq| order.is_complete_through(seq)).count();
    assert_eq!(through(&order), 1);
    for from in [2, 3] {
        order.handle_signal(from, reached(SIGNALLED, 2)).unwrap();
    }
    assert_eq!(open(&order), [(SIGNALLED, 3, 3), (PUBLISHED, 1, 1)]);
    // The latest complete one is still known.
    assert_eq!(places(&order, SIGNALLED), [None, None, Some(3), Some(4), None]);
    assert_eq!(through(&order), 2);
    order.handle_published(2, PUBLISHED, 1).unwrap();
    assert_eq!(open(&order), [(SIGNALLED, 3, 3)]);
    assert_eq!(through(&order), 4);
    assert_eq!((order.seq_of(UNKNOWN, 1), order.clock_of(UNKNOWN, 1, 2)), (None, None));
}

/// SEMANTICS: CON-2
#[test]
fn a_deferred_barrier_is_told_until_it_is_entered() {
    let mut order = Order::new(1, 3, Ordering::Contained, LIMIT);
    order.add_group(SIGNALLED, &[0, 1], Carrier::board(0), 0).unwrap();
    order.add_group(PUBLISHED, &[1, 2], Carrier::board(1), 0).unwrap();
    order.handle_initiate(SIGNALLED).unwrap();
    assert!(!order.has_deferred());
    order.handle_initiate(PUBLISHED).unwrap();
    assert!(order.has_deferred());
    order.handle_published(0, SIGNALLED, 1).unwrap();
    assert!(!order.has_deferred());
}

/// Where a peer has room for few questions, those about one group do not crowd out the others'.
///
/// SEMANTICS: BAR-4
#[test]
fn each_group_asks_first_in_its_turn() {
    let (mut order, others) = (Order::new(0, 2, Ordering::Pakin, LIMIT), [5, 6, 8].map(GroupId));
    order.poll_asks(3, |_, _| panic!("there is no group"));
    for group in others {
        order.add_group(group, &[0, 1], Algorithm::AllToAll, 0).unwrap();
        order.handle_initiate(group).unwrap();
    }
    for turn in [0, 1, 2, 3, 4, 5, u64::MAX] {
        let mut asked = Vec::new();
        order.poll_asks(turn, |to, ask| {
            assert_eq!((to, ask.kind, ask.epoch), (1, SignalKind::Ask, 1));
            asked.push(ask.group);
        });
        let mut turned = others;
        turned.rotate_left((turn % 3) as usize);
        assert_eq!(asked, turned, "{turn}");
    }
}

/// The barrier that a question is about has completed here, if its clock is one that has been reached.
///
/// SEMANTICS: BAR-4 GRP-3
#[test]
fn a_group_of_the_past_is_answered_for_by_its_clock() {
    let mut order = Order::new(0, 2, Ordering::Pakin, LIMIT);
    order.add_group(SIGNALLED, &[0, 1], Algorithm::AllToAll, 0).unwrap();
    for epoch in 1..=2 {
        order.handle_initiate(SIGNALLED).unwrap();
        order.handle_signal(1, reached(SIGNALLED, epoch)).unwrap();
    }
    due(&mut order);
    let past = |order: &Order| {
        [0, 1, 2, 3].map(|clock| order.has_completed_in_the_past(SIGNALLED, 1, clock))
    };
    // No other has its name, though the floor stays below: it is of the past once it is gone.
    let mut listed = order.clone();
    listed.handle_ids_used(SIGNALLED);
    listed.handle_id_used(SIGNALLED);
    assert_eq!(past(&listed), [false; 4]);
    listed.handle_drop(SIGNALLED);
    assert_eq!(past(&listed), [false, true, true, false]);
    listed.handle_signal(1, reached(SIGNALLED, 3)).unwrap();
    // It is there; it is gone, but one of its name may come again; it is of the past.
    order.handle_ids_used(SIGNALLED);
    assert_eq!(past(&order), [false; 4]);
    order.handle_drop(SIGNALLED);
    assert_eq!((order.members(SIGNALLED), past(&order)), (None, [false; 4]));
    order.handle_ids_used(PUBLISHED);
    assert_eq!(past(&order), [false, true, true, false]);
    listed.handle_ids_used(PUBLISHED);
    assert_eq!(listed, order);
    // No name comes back.
    order.handle_ids_used(GroupId::WORLD);
    assert_eq!(past(&order), [false, true, true, false]);
    for clock in [0, 1, 2, 3] {
        let ask = Signal { kind: SignalKind::Ask, clock, ..reached(SIGNALLED, 2) };
        // Asked twice, it is answered once.
        for _ in 0..2 {
            order.handle_signal(1, ask).unwrap();
        }
        let answers: Vec<_> = [(1, reached(SIGNALLED, 2))].into_iter().collect();
        let due = due(&mut order);
        assert_eq!(due, if clock == 1 || clock == 2 { answers } else { vec![] }, "{clock}");
    }
}

/// Signals of groups that will never be made do not take the room of others.
///
/// SEMANTICS: SAFE-1 GRP-3
#[test]
fn signals_of_the_past_take_no_room() {
    let mut order = Order::new(0, 2, Ordering::Pakin, LIMIT);
    let fill = |order: &mut Order, group| {
        let early = |step| Signal { step: step as _, ..reached(group, 1) };
        let mut kept = (0..).take_while(|&step| order.handle_signal(1, early(step)).is_ok());
        kept.by_ref().take(2 * Order::EARLY_LIMIT).count()
    };
    assert_eq!(fill(&mut order, PUBLISHED), Order::EARLY_LIMIT);
    // What is kept can still be renewed.
    order.handle_signal(1, reached(PUBLISHED, 2)).unwrap();
    order.handle_ids_used(PUBLISHED);
    assert_eq!(fill(&mut order, UNKNOWN), 0);
    order.handle_ids_used(GroupId(PUBLISHED.0 + 1));
    assert_eq!(fill(&mut order, UNKNOWN), Order::EARLY_LIMIT);
    // A late one is not kept.
    order.handle_signal(1, reached(PUBLISHED, 3)).unwrap();
    order.handle_ids_used(GroupId(UNKNOWN.0 + 1));
    let fresh = Order::new(0, 2, Ordering::Pakin, LIMIT);
    let mut last = fresh.clone();
    last.handle_ids_used(GroupId(UNKNOWN.0 + 1));
    assert_eq!(order, last);
}

/// Also where the last that it owes leaves after it was dropped, and whatever the groups beside it do.
///
/// SEMANTICS: GRP-3
#[test]
fn a_dropped_group_is_forgotten_when_all_of_it_has_been_said() {
    let others = [GroupId(3), GroupId(0)];
    for (dropped, published) in [(GroupId(1), false), (GroupId(2), true)] {
        let mut order = Order::new(0, 2, Ordering::Pakin, LIMIT);
        for group in [others[0], dropped, others[1]] {
            match published {
                true => order.add_group(group, &[0, 1], Carrier::board(PLACE), 0).unwrap(),
                false => order.add_group(group, &[0, 1], Algorithm::AllToAll, 0).unwrap(),
            }
            match published {
                true => order.handle_published(1, group, 1).unwrap(),
                false => order.handle_signal(1, reached(group, 1)).unwrap(),
            }
            order.handle_initiate(group).unwrap();
        }
        assert_eq!(order.completions(), 3);
        order.handle_drop(dropped);
        assert!(order.members(dropped).is_some(), "the others do not know yet");
        order.poll_published(|_| ());
        due(&mut order);
        assert_eq!(order.members(dropped), None);
        assert!(others.iter().all(|&group| order.members(group).is_some()));
    }
}

#[test]
fn a_look_says_of_whom_something_is_known() {
    let mut order = Order::new(0, 3, Ordering::Pakin, LIMIT);
    order.add_group(PUBLISHED, &[0, 1, 2], Carrier::board(PLACE), 5).unwrap();
    let look = |order: &mut Order, published: [Option<Epoch>; 3]| {
        order.handle_initiate(PUBLISHED).unwrap();
        let known = std::cell::RefCell::new([None; 3]);
        let load = |word: Word| {
            assert_eq!((word.place, word.group), (PLACE, PUBLISHED));
            if word.cell != Cell::Entered {
                return None;
            }
            known.borrow_mut()[word.rank] = Some(word.known);
            published[word.rank]
        };
        let news = order.look(&load).unwrap();
        (news, known.into_inner())
    };
    assert_eq!(look(&mut order, [None, Some(6), None]), (false, [None, Some(false), Some(false)]));
    assert_eq!(look(&mut order, [None, Some(7), Some(7)]), (true, [None, Some(true), Some(false)]));
    assert_eq!(order.progress_of(PUBLISHED), Some((7, 7, 7)));
    assert_eq!(look(&mut order, [None, Some(8), Some(8)]), (true, [None, Some(true), Some(true)]));
}

/// Of what came before the group was made, the newest counts, in whatever order it came.
///
/// SEMANTICS: BAR-3
#[test]
fn the_newest_early_signal_counts() {
    for epochs in [[1, 2], [2, 1], [2, 2]] {
        let mut order = Order::new(0, 2, Ordering::Pakin, LIMIT);
        for epoch in epochs {
            let clock = epoch;
            order.handle_signal(1, Signal { clock, ..reached(SIGNALLED, epoch) }).unwrap();
        }
        order.add_group(SIGNALLED, &[0, 1], Algorithm::AllToAll, 0).unwrap();
        assert!(order.has_heard(SIGNALLED, 1, 2) && !order.has_heard(SIGNALLED, 1, 3));
        for epoch in 1..=2 {
            order.handle_initiate(SIGNALLED).unwrap();
            assert_eq!((order.completions(), order.poll_fault()), (epoch, None));
        }
    }
}

/// Questions that nobody takes the answers of fill no more memory than is for them.
///
/// SEMANTICS: SAFE-1
#[test]
fn answers_that_cannot_leave_are_limited() {
    let mut order = Order::new(0, 2, Ordering::Pakin, LIMIT);
    order.add_group(SIGNALLED, &[0, 1], Algorithm::AllToAll, 0).unwrap();
    order.handle_initiate(SIGNALLED).unwrap();
    order.handle_signal(1, reached(SIGNALLED, 1)).unwrap();
    due(&mut order);
    order.handle_drop(SIGNALLED);
    assert_eq!(order.members(SIGNALLED), None);
    for step in 0..=Order::EARLY_LIMIT as u16 {
        order
            .handle_signal(1, Signal { kind: SignalKind::Ask, step, ..reached(SIGNALLED, 1) })
            .unwrap();
    }
    assert!(!order.owes_nothing());
    assert_eq!(due(&mut order).len(), Order::EARLY_LIMIT);
    assert!(order.owes_nothing());
}
