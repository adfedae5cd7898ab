//! The programs that the tests of `failures` start: one rank is killed, or fails, and the others need
//! it.

use std::time::Duration;

use runahead::{Error, MessageError, Result, Source, launch};

use super::harness::{is_gone, kill, state, until};
use super::parts::print;

pub fn die() -> ! {
    kill(std::process::id(), 9);
    loop {
        std::thread::park();
    }
}

/// Kills this process when its first thread has slept for a while.
pub fn die_asleep(pid: u32) -> ! {
    let mut asleep = 0;
    until(|| {
        asleep = if state(pid) == Some('S') { asleep + 1 } else { 0 };
        asleep == 50
    });
    die()
}

/// Rank 1 of 3 is killed in a call, when it has given its data and sleeps. The others then come to
/// that call, and to the next.
pub fn lost_in_call() -> Result<()> {
    const CALLS: u64 = 10;
    launch(3, |world| {
        let mut pid = [std::process::id()];
        world.broadcast(1, &mut pid)?;
        let [pid] = pid;
        let add = |call| world.all_reduce(&[call], |a, b| a + b).map(|sum| sum[0]);
        for call in 0..CALLS {
            assert_eq!(add(call)?, 3 * call);
        }
        if world.rank() == 1 {
            std::thread::spawn(move || die_asleep(pid));
            add(CALLS)?;
        }
        until(|| is_gone(&pid));
        assert_eq!(add(CALLS)?, 3 * CALLS);
        let error = add(CALLS + 1).expect_err("rank 1 is needed");
        print(format_args!("rank {}: {error}", world.rank()));
        Err(error)
    })
}

/// Rank 1 of 4 is killed after the others have told it that they are about to wait for it. Rank 3
/// then goes on with rank 2, which has learned of the loss.
pub fn lost(how: &str) -> Result<()> {
    launch(4, |world| {
        let three = if world.rank() < 3 { Some(world.group(&[0, 1, 2])?) } else { None };
        match world.rank() {
            1 => {
                for _ in 0..3 {
                    world.recv::<u8>(Source::Any, 0)?;
                }
                die()
            }
            rank => {
                world.send(1, 0, &[0u8])?;
                if rank == 3 {
                    // Rank 3 does not need the lost rank. (A message sent past a barrier does not
                    // leave its group before the barrier has completed.)
                    if how != "barrier" {
                        assert_eq!(world.recv::<u64>(2, 1)?.data, [7]);
                    }
                    world.send(2, 1, &[8u64])?;
                    print("rank 3 went on");
                    return Ok(());
                }
            }
        }
        let waits = match how {
            "recv" => world.recv::<u8>(1, 0).map(drop),
            "barrier" => three.as_ref().unwrap_or(world).barrier()?.wait(),
            // Until the credit is used up.
            "send" => loop {
                if let Err(error) = world.send(1, 2, &[0u64; 1 << 9]) {
                    break Err(error);
                }
            },
            "reduce" => world.all_reduce(&[1u64], |a, b| a + b).map(drop),
            other => panic!("no way {other}"),
        };
        let error = waits.expect_err("rank 1 is needed");
        match &error {
            Error::Message(
                MessageError::PeerLost { rank: 1 }
                | MessageError::EndedBeforeBarrier { rank: 1, .. },
            ) => print(format_args!("rank {} has lost rank 1", world.rank())),
            // In a reduction a rank may learn first that another has failed for the same reason.
            Error::Message(MessageError::PeerEnded { failed: true, .. }) if how == "reduce" => {}
            other => print(format_args!("rank {}: {other}", world.rank())),
        }
        if world.rank() == 2 {
            if how != "barrier" {
                world.send(3, 1, &[7u64])?;
            }
            assert_eq!(world.recv::<u64>(3, 1)?.data, [8]);
        }
        Err(error)
    })
}

/// All ranks print their process ids, and then wait for a message from any source.
pub fn any(size: usize, how: &[String]) -> Result<()> {
    launch(size, |world| {
        // A rank that is killed later has entered this barrier, and the others have its signal.
        world.barrier()?.wait()?;
        print(format_args!("{} {}", world.rank(), std::process::id()));
        let waited = match how[1].as_str() {
            "recv" => world.recv::<u8>(Source::Any, 0).map(drop),
            "probe" => world.probe(Source::Any, 0).map(drop),
            "irecv" => world.irecv::<u8>(Source::Any, 0)?.wait().map(drop),
            other => panic!("no way {other}"),
        };
        let error = waited.expect_err("nobody sends");
        print(format_args!("rank {}: {error}", world.rank()));
        Err(error)
    })
}

/// Rank 1 of 3 is killed or fails. The others learn of it, and then make no call: for ever, or for
/// a while.
pub fn deaf(how: &str) -> Result<()> {
    launch(3, |world| {
        if world.rank() == 1 {
            return if how == "fails" { Err(Error::other("its own")) } else { die() };
        }
        world.recv::<u8>(1, 0).expect_err("rank 1 is gone");
        let work = Duration::from_millis(if how == "works" { 500 } else { 1_000_000 });
        std::thread::sleep(work);
        print(format_args!("rank {} has done its work", world.rank()));
        Ok(())
    })
}
