//! What the others still need of a rank: up to which barrier they can do without it.

use runahead_order::{Algorithm, Carrier, GroupId, Order, Ordering};

/// A rank may leave when the others have all signals of its barriers, and not before; so too where it
/// publishes what it has entered.
///
/// SEMANTICS: END-1
#[test]
fn a_barrier_is_owed_until_its_signals_were_taken() {
    for published in [false, true] {
        let mut order = Order::new(0, 2, Ordering::Contained, 4);
        if published {
            order.add_group(GroupId::WORLD, &[0, 1], Carrier::board(0), 0).unwrap();
        } else {
            order.add_group(GroupId::WORLD, &[0, 1], Algorithm::Dissemination, 0).unwrap();
        }
        for epoch in 1..=3 {
            order.handle_initiate(GroupId::WORLD).unwrap();
            assert_eq!((order.send_clock(1), order.signalled_clock(1)), (epoch, epoch - 1));
            // What is refused for lack of credit is still owed.
            order.poll_signals(|_, _| false);
            assert_eq!(order.signalled_clock(1), epoch - 1);
            order.poll_signals(|_, _| true);
            order.poll_published(|_| ());
            assert_eq!(order.signalled_clock(1), epoch);
        }
    }
}

/// A member is known to have entered what it has signalled itself, and nothing else.
///
/// SEMANTICS: BAR-9
#[test]
fn who_has_not_signalled_is_not_known_to_have_entered() {
    let mut ranks = [0, 1].map(|rank| {
        let mut order = Order::new(rank, 2, Ordering::Contained, 4);
        order.add_group(GroupId::WORLD, &[0, 1], Algorithm::Dissemination, 0).unwrap();
        order
    });
    let heard = |order: &Order, epoch| order.has_heard(GroupId::WORLD, 1, epoch);
    for epoch in 1..=3 {
        assert!(!heard(&ranks[0], epoch));
        ranks[1].handle_initiate(GroupId::WORLD).unwrap();
        assert!(!heard(&ranks[0], epoch));
        let mut sent = Vec::new();
        ranks[1].poll_signals(|_, signal| {
            sent.push(signal);
            true
        });
        sent.drain(..).for_each(|signal| ranks[0].handle_signal(1, signal).unwrap());
        assert!(heard(&ranks[0], epoch) && !heard(&ranks[0], epoch + 1));
    }
}

/// Others may wait for what a rank makes of their signals as long as it has a group that signals: also one whose
/// barriers are open when it is dropped, and one that turns from publishing to signals.
///
/// SEMANTICS: BAR-6
#[test]
fn signals_are_expected_while_a_group_signals() {
    let mut order = Order::new(0, 2, Ordering::Contained, 4);
    assert!(!order.expects_signals());
    let (published, signalled) = (GroupId::WORLD, GroupId(1));
    order.add_group(published, &[0, 1], Carrier::board(0), 0).unwrap();
    assert!(!order.expects_signals());
    order.add_group(signalled, &[0, 1], Algorithm::Dissemination, 0).unwrap();
    assert!(order.expects_signals());
    order.handle_initiate(signalled).unwrap();
    order.handle_drop(signalled);
    assert!(order.expects_signals(), "its barrier is open");
    let mut other = Order::new(1, 2, Ordering::Contained, 4);
    other.add_group(signalled, &[0, 1], Algorithm::Dissemination, 0).unwrap();
    other.handle_initiate(signalled).unwrap();
    other.poll_signals(|_, signal| {
        order.handle_signal(1, signal).unwrap();
        true
    });
    order.poll_signals(|_, _| true);
    assert_eq!((order.members(signalled), order.expects_signals()), (None, false));
    order.reschedule(published, Algorithm::AllToAll).unwrap();
    assert!(order.expects_signals());
}
