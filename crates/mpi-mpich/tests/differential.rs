//! The random programs of crates/mpi, played by a player that is built with MPICH's header, on libmpi.so.12.
//! Rules: the same oracle says what must come, so each handle, status and code is converted both ways.

#[path = "common/mod.rs"]
#[allow(dead_code, reason = "other tests use more of it")]
mod shared;

#[path = "../../mpi/tests/differential/chains.rs"]
mod chains;
#[path = "../../mpi/tests/differential/collectives.rs"]
mod collectives;
#[path = "../../mpi/tests/differential/groups.rs"]
mod groups;
#[allow(dead_code, reason = "MPICH itself is tested with the standard interface")]
#[path = "../../mpi/tests/differential/job.rs"]
mod job;
#[path = "../../mpi/tests/differential/memory.rs"]
mod memory;
#[path = "../../mpi/tests/differential/messages.rs"]
mod messages;
#[path = "../../mpi/tests/differential/movement.rs"]
mod movement;
#[path = "../../mpi/tests/differential/neighbours.rs"]
mod neighbours;
#[path = "../../mpi/tests/differential/program.rs"]
mod program;
#[path = "../../mpi/tests/differential/reductions.rs"]
mod reductions;
#[path = "../../mpi/tests/differential/rounds.rs"]
mod rounds;
#[path = "../../mpi/tests/differential/types.rs"]
mod types;
#[path = "../../mpi/tests/differential/windows.rs"]
mod windows;

use job::{Library, Player};
use program::Program;
use proptest::strategy::ValueTree;
use rounds::{compare, first, trees};
use runahead_testkit::effort;

#[test]
fn random_programs_do_what_the_standard_says() {
    if !shared::has_mpich() {
        return;
    }
    compare(
        &Player::new(),
        first(),
        effort::number("RUNAHEAD_MPI_PROGRAMS", [100, 250, 5_000]) as usize,
    );
}

/// So the comparison is not of what both leave out (Planted: a few of the faults of crates/mpi).
#[test]
fn planted_faults_are_found() {
    if !shared::has_mpich() {
        return;
    }
    let player = Player::new();
    let numbered = trees(0, 120).into_iter().enumerate();
    let programs: Vec<_> =
        numbered.map(|(number, tree)| Program::new(number, 3, &tree.current(), true)).collect();
    for fault in ["tag", "count", "source", "exscan", "put", "none"] {
        let found = player.check(&Library::Faulty(fault), 3, &programs).is_err();
        assert_eq!(found, fault != "none", "{fault}");
    }
}
