//! Epochs and clocks about the powers of two at which some width ends, far apart, and at the end
//! of their own range. Built with overflow checks, as tests are.

use runahead_order::hold::Hold;
use runahead_order::{Algorithm, GroupId, Order, Ordering, Rank, Refused, Signal, SignalKind};

use crate::world::World;

const EDGES: [u32; 4] = [24, 32, 48, 63];

/// A world of `size` whose epochs and clocks start at `first`.
fn world_at(size: usize, algorithm: Algorithm, limit: usize, first: u64) -> World {
    let mut world = World::new(size, Ordering::Contained, limit);
    for order in &mut world.ranks {
        *order = order.clone().with_clocks_at(first);
    }
    let members: Vec<Rank> = (0..size).collect();
    world.add_group(GroupId::WORLD, &members, algorithm, first);
    world
}

/// Ranks run ahead of one another across every edge; barriers complete one by one, clocks go up by
/// one each, and a message across the edge is held until its barrier is complete.
///
/// SEMANTICS: BAR-3, BAR-4, CLK-3
#[test]
fn barriers_across_every_edge() {
    for algorithm in Algorithm::ALL {
        for edge in EDGES {
            for before in 0..4 {
                let first = (1u64 << edge) - before;
                let size = 5;
                let mut world = world_at(size, algorithm, 4, first);
                let mut hold = Hold::new(size);
                for rank in 0..size - 1 {
                    for _ in 0..4 {
                        world.initiate(rank, GroupId::WORLD).expect("the limit allows it");
                    }
                }
                let stamp = world.ranks[0].send_clock(4);
                assert_eq!(stamp, first + 4);
                // Where they publish there is none.
                let late = world.flight.first().copied();
                world.deliver_all();
                let clock = world.ranks[4].recv_clock(0);
                assert_eq!(hold.handle_arrival(0, stamp, clock, ()), Ok(None));
                for epoch in first + 1..=first + 4 {
                    for rank in 0..size {
                        assert_eq!(world.complete(rank, GroupId::WORLD), epoch - 1);
                        assert_eq!(world.ranks[rank].recv_clock(0), epoch - 1);
                    }
                    assert_eq!(hold.held_from(0), 1);
                    world.initiate(4, GroupId::WORLD).expect("nothing is open");
                    world.deliver_all();
                    // A signal from the other side of the edge comes late and changes nothing.
                    if let Some(late) = late {
                        world.hand_over(late).expect("a late signal is no fault");
                    }
                    let clock = world.ranks[4].recv_clock(0);
                    hold.poll_deliverable(|_| clock, |_, ()| ());
                }
                assert!(hold.is_empty());
                assert_eq!(world.complete(3, GroupId::WORLD), first + 4);
            }
        }
    }
}

/// A message may meet a receive clock that is very far on: it is due. One that is very far ahead is
/// not.
///
/// SEMANTICS: CLK-3, HOLD-1
#[test]
fn clocks_that_are_far_apart() {
    for edge in [8, 16, 24, 31, 32, 47, 48, 62, 63] {
        let mut hold = Hold::new(1);
        assert_eq!(hold.handle_arrival(0, 1, 1 << edge, "old"), Ok(Some("old")));
        assert_eq!(hold.handle_arrival(0, (1 << edge) + 1, 1 << edge, "new"), Ok(None));
        hold.poll_deliverable(|_| 1 << edge, |_, message| panic!("{message} is not due"));
        assert_eq!(hold.held_from(0), 1);
    }
}

/// A signal that stands for very many epochs is beyond what a correct peer can have entered.
///
/// SEMANTICS: SAFE-1, CLK-3
#[test]
fn jump_of_a_signal_is_refused() {
    for edge in EDGES {
        let mut world = world_at(2, Algorithm::AllToAll, 4, 7);
        let kind = SignalKind::Reached;
        let epoch = 1 << edge;
        let signal = Signal { kind, group: GroupId::WORLD, step: 0, epoch, clock: 0 };
        assert!(world.ranks[0].handle_signal(1, signal).is_err());
        assert_eq!(world.ranks[0], world_at(2, Algorithm::AllToAll, 4, 7).ranks[0]);
    }
}

/// The last epochs that there are: they are used up to the end of what is allowed, then refused,
/// and no signal about them overflows anything.
///
/// SEMANTICS: CLK-3, SAFE-1
#[test]
fn last_epochs() {
    for algorithm in Algorithm::ALL {
        for limit in [1, 2, 3] {
            let first = u64::MAX - 3;
            let size = 3;
            let mut world = World::new(size, Ordering::Contained, limit);
            world.add_group(GroupId::WORLD, &[0, 1, 2], algorithm, first);
            let mut used = 0;
            loop {
                let refused = Refused::EpochsExhausted(GroupId::WORLD);
                match world.initiate(0, GroupId::WORLD) {
                    Err(error) => {
                        assert_eq!(error, refused);
                        break;
                    }
                    Ok(_) => used += 1,
                }
                for rank in 1..size {
                    world.initiate(rank, GroupId::WORLD).expect("as at rank 0");
                }
                world.deliver_all();
            }
            assert_eq!(used, 2);
            for kind in [SignalKind::Reached, SignalKind::Ask] {
                for from in 0..size {
                    for step in 0..4 {
                        for epoch in [0, 1, u64::MAX - 1, u64::MAX] {
                            for clock in [0, 1, u64::MAX] {
                                let group = GroupId::WORLD;
                                let signal = Signal { kind, group, step, epoch, clock };
                                let _ = world.ranks[0].handle_signal(from, signal);
                                world.collect(0);
                                world.ask(0);
                            }
                        }
                    }
                }
            }
            assert_eq!(world.complete(0, GroupId::WORLD), first + 2);
        }
    }
}

/// Every first epoch at the very end, with every kind of signal from a peer that means harm.
///
/// SEMANTICS: CLK-3, SAFE-1
#[test]
fn groups_that_start_at_the_end() {
    for back in 0..6 {
        let first = u64::MAX - back;
        let mut rank = Order::new(0, 2, Ordering::Contained, 2);
        let kind = SignalKind::Reached;
        for group in [GroupId(1), GroupId(2)] {
            let signal = Signal { kind, group, step: 0, epoch: u64::MAX, clock: u64::MAX };
            rank.handle_signal(1, signal).expect("kept as an early one");
            rank.add_group(group, &[0, 1], Algorithm::AllToAll, first).expect("valid");
            let initiated = (0..4).take_while(|_| rank.handle_initiate(group).is_ok()).count();
            assert_eq!(initiated as u64, back.saturating_sub(1).min(2));
            let _ = rank.handle_signal(1, signal);
            rank.poll_signals(|_, _| true);
            rank.poll_asks(0, |_, _| ());
            rank.handle_drop(group);
        }
    }
}
