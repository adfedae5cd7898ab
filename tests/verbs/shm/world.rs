//! A job on it, with all layers above. (`.ci/mutants` leaves this file out: it compiles what is
//! below alone.)

use runahead::internals::provider::shm::connect;
use runahead::internals::provider::{FabricSpec, QueueSpec};
use runahead::launch::run_on;
use runahead::{Config, Source};

#[test]
fn a_world_of_64_ranks_runs() {
    const TAG: u32 = 1;
    let config = Config::new(64);
    let queues = config.vi_specs().map(|spec| QueueSpec {
        recv_descriptors: spec.recv_descriptors,
        descriptor_bytes: spec.descriptor_bytes,
    });
    let spec = FabricSpec { queues: queues.to_vec(), shared_words: 1024, heap_bytes: 0 };
    let nics = connect(64, &spec).unwrap();
    let sums = run_on(nics, &config, |world| {
        for step in 1..64 {
            let to = (world.rank() + step) % 64;
            world.send(to, TAG, &[world.rank() as u64])?;
        }
        world.barrier()?.wait()?;
        (1..64).map(|_| Ok(world.recv::<u64>(Source::Any, TAG)?.data[0])).sum::<Result<u64, _>>()
    });
    let all: u64 = (0..64).sum();
    assert_eq!(sums.unwrap(), (0..64).map(|rank| all - rank).collect::<Vec<u64>>());
}
