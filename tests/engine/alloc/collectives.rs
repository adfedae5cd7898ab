//! Once warm, the collectives that write into memory of the program allocate nothing.

use std::sync::Barrier;

use super::counting::allocations;
use runahead::{Comm, Launch, Result, Tree, ops};

const WARM_UP: u32 = 100;
const MEASURED: u32 = 60;

/// So often it is measured. How long queues get depends on who runs when, so one that is longer than
/// ever may fall into a measurement; what a call allocates is in each of them.
const MEASUREMENTS: usize = 5;

/// Memory of the program for all calls.
struct Rooms {
    own: Vec<f64>,
    one: Vec<f64>,
    all: Vec<f64>,
    blocks: Vec<f64>,
}

impl Rooms {
    fn new(count: usize, size: usize) -> Rooms {
        let vec = |count| vec![1.0; count];
        Rooms {
            own: vec(count),
            one: vec(count),
            all: vec(count * size),
            blocks: vec(count * size),
        }
    }
}

/// More messages of collectives than ever lie unreceived in what is measured.
const DEEP: u32 = 24;

/// So many messages that no window is ever full: of what waits for one, a copy is kept.
const WINDOW: u32 = 64;

/// Each rank in turn stays behind while the others go on, so that every queue has been as long as it
/// can get, however the threads are scheduled.
fn stretch(world: &Comm, rooms: &mut Rooms, gates: &[Barrier]) -> Result<()> {
    world.set_tree(Tree::Flat);
    let Rooms { own, one, .. } = rooms;
    for (late, gate) in gates.iter().enumerate() {
        if world.rank() == late {
            gate.wait(); // the others have sent
            world.progress()?;
        }
        for _ in 0..DEEP {
            world.reduce_into(late, own, one, ops::sum)?;
        }
        if world.rank() != late {
            gate.wait();
        }
        world.barrier()?.wait()?;
    }
    Ok(())
}

/// Every such call. A barrier that waits keeps each rank from running far ahead.
fn round(world: &Comm, rooms: &mut Rooms) -> Result<()> {
    let Rooms { own, one, all, blocks } = rooms;
    world.all_reduce_into(own, one, ops::sum)?;
    one.fill(1.0);
    world.all_reduce_in_place(one, |a, b| a * b)?;
    world.reduce_into(1, own, one, ops::max)?;
    world.scan_into(own, one, ops::sum)?;
    world.exclusive_scan_into(own, one, ops::sum)?;
    world.barrier()?.wait()?;
    world.gather_into(0, own, all)?;
    world.all_gather_into(own, all)?;
    world.scatter_into(0, blocks, one)?;
    world.all_to_all_into(blocks, all)?;
    world.reduce_scatter_into(blocks, one, ops::min)?;
    world.broadcast(0, one)?;
    world.barrier()?.wait()
}

#[test]
fn collectives_into_the_programs_memory_allocate_nothing_once_warm() {
    for (size, count, tree) in [
        (2, 1, Tree::Flat),
        (2, 40, Tree::Binary),
        (4, 1, Tree::Flat),
        (4, 1, Tree::Chain),
        (4, 40, Tree::Binomial),
    ] {
        let gates: Vec<Barrier> = (0..size).map(|_| Barrier::new(size)).collect();
        let counts = Launch::new(size).window_messages(WINDOW).collect(|world| {
            let mut rooms = Rooms::new(count, size);
            stretch(world, &mut rooms, &gates)?;
            world.set_tree(tree);
            (0..WARM_UP).try_for_each(|_| round(world, &mut rooms))?;
            let mut counts = [0; MEASUREMENTS];
            for count in &mut counts {
                let mut outcome = Ok(());
                *count = allocations(|| {
                    outcome = (0..MEASURED).try_for_each(|_| round(world, &mut rooms));
                });
                outcome?;
            }
            Ok(counts)
        });
        let counts = counts.unwrap();
        let is_warm = |counts: &[_; MEASUREMENTS]| counts.contains(&0);
        assert!(counts.iter().all(is_warm), "{size} ranks, {tree}: {counts:?}");
    }
}
