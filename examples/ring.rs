//! Each rank of a ring sends its number to the next, past a barrier that returns at once.
//!
//! `cargo run --release --example ring`

const TAG: u32 = 7;

fn main() -> runahead::Result<()> {
    // Eight ranks of this program, each a process.
    runahead::launch(8, |world| {
        let next = (world.rank() + 1) % world.size();
        world.send(next, TAG, &[world.rank() as u64])?;

        // Returns at once: this rank runs ahead of those that are late.
        world.barrier()?;
        let message = world.recv::<u64>(runahead::Source::Any, TAG)?;

        // A traditional barrier, if you need one.
        world.barrier()?.wait()?;
        println!("rank {} received {}", world.rank(), message.data[0]);
        Ok(())
    })
}
