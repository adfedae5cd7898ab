//! Withholding: for each algorithm, size and rank, the barrier does not complete anywhere while
//! that rank stays out, and completes everywhere when it comes in.

use runahead_order::{Algorithm, GroupId, Order, Ordering, Rank, Schedule};

use crate::world::{World, all_to_all, butterfly_of_4};

const SIZES: [usize; 8] = [1, 2, 3, 4, 5, 7, 8, 13];
const EPOCHS: u64 = 3;

/// Keeps `missing` out of one barrier after another. The others have all their barriers open from
/// the beginning, so that signals of later epochs are about as well.
fn withhold(mut world: World, missing: Rank) -> Result<(), String> {
    let size = world.ranks.len();
    let initiate = |world: &mut World, rank| {
        world.initiate(rank, GroupId::WORLD).expect("the limit allows it");
    };
    for rank in (0..size).filter(|&rank| rank != missing) {
        (0..EPOCHS).for_each(|_| initiate(&mut world, rank));
    }
    for epoch in 1..=EPOCHS {
        world.deliver_all();
        for rank in 0..size {
            if world.complete(rank, GroupId::WORLD) >= epoch {
                return Err(format!("{rank} completed epoch {epoch} without {missing}"));
            }
        }
        initiate(&mut world, missing);
        world.deliver_all();
        for rank in 0..size {
            if world.complete(rank, GroupId::WORLD) != epoch {
                return Err(format!("{rank} is stuck in epoch {epoch} with {missing}"));
            }
        }
    }
    Ok(())
}

fn by_hand(size: usize, schedule: impl Fn(Rank) -> Schedule) -> World {
    let mut world = World::new(size, Ordering::Contained, EPOCHS as usize);
    let members: Vec<Rank> = (0..size).collect();
    for rank in 0..size {
        let order: &mut Order = &mut world.ranks[rank];
        let made = order.add_group(GroupId::WORLD, &members, &schedule(rank), 0);
        made.expect("the world is a group");
    }
    world
}

/// SEMANTICS: BAR-1, BAR-4
#[test]
fn every_algorithm_size_and_rank() {
    for algorithm in Algorithm::ALL {
        for size in SIZES {
            for missing in 0..size {
                let world = World::of_all(size, algorithm, EPOCHS as usize);
                let outcome = withhold(world, missing);
                assert_eq!(outcome, Ok(()), "{algorithm} of {size}");
            }
        }
    }
}

/// SEMANTICS: BAR-1, BAR-4
#[test]
fn schedules_made_by_hand() {
    for missing in 0..4 {
        assert_eq!(withhold(by_hand(4, butterfly_of_4), missing), Ok(()));
    }
    for size in SIZES {
        for missing in 0..size {
            let world = by_hand(size, |rank| all_to_all(rank, size));
            assert_eq!(withhold(world, missing), Ok(()));
        }
    }
}

/// The test itself must notice a schedule that forgets somebody: a butterfly of four without its
/// second stage completes in pairs, and one whose last arrival never comes completes nowhere.
///
/// SEMANTICS: BAR-1, BAR-4
#[test]
#[should_panic(expected = "complete Some(1), entered Some(0)")]
fn half_a_butterfly_is_noticed() {
    let mut world = World::new(4, Ordering::Contained, EPOCHS as usize);
    world.add_group(GroupId::WORLD, &[0, 1, 2, 3], Algorithm::Butterfly, 0);
    for (rank, order) in world.ranks.iter_mut().enumerate() {
        *order = Order::new(rank, 4, Ordering::Contained, EPOCHS as usize);
        let mut steps = butterfly_of_4(rank).steps().to_vec();
        steps.remove(2);
        steps[1].send_to.clear();
        let schedule = Schedule::from_steps(rank, 4, steps);
        order.add_group(GroupId::WORLD, &[0, 1, 2, 3], &schedule, 0).expect("valid");
    }
    let _ = withhold(world, 3);
}

/// SEMANTICS: BAR-4
#[test]
fn signal_that_never_comes_is_noticed() {
    let world = by_hand(4, |rank| {
        let mut steps = butterfly_of_4(rank).steps().to_vec();
        if rank == 2 {
            steps[1].send_to.clear();
        }
        Schedule::from_steps(rank, 4, steps)
    });
    assert_eq!(withhold(world, 3), Err("0 is stuck in epoch 1 with 3".to_owned()));
}
