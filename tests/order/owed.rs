//! What the others still need of a rank: up to which barrier they can do without it.

use runahead::order::{Algorithm, GroupId, Order, Ordering};

/// A rank may leave when the others have all signals of its barriers, and not before; so too where it
/// publishes what it has entered.
///
/// SEMANTICS: END-1
#[test]
fn a_barrier_is_owed_until_its_signals_were_taken() {
    for published in [false, true] {
        let mut order = Order::new(0, 2, Ordering::Contained, 4);
        if published {
            order.add_published_group(GroupId::WORLD, &[0, 1], 0, 0).unwrap();
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
