//! The programs that the tests of `mixed` start on two hosts: ranks 0 and 1 are on one, ranks 2 and
//! 3 on the other.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use runahead::{Launch, Result, launch};

use super::parts::print;

/// Rank 0 floods rank 2 until a send is refused. Then ranks 1 and 3 complete their barriers, and
/// only then does rank 2 receive. The ranks signal these steps by files in `place`, outside the
/// library.
pub fn flood(place: &str) -> Result<()> {
    const BARRIERS: usize = 50;
    let said = |what: &str| Path::new(place).join(what);
    let say = |what: &str| std::fs::write(said(what), "");
    let wait_for = |what: &str| {
        while !said(what).exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    launch(4, |world| {
        let messages = 4 * u64::from(world.config().window_messages);
        match world.rank() {
            0 => {
                let mut was_refused = false;
                for number in 0..messages {
                    let data = [number; 100];
                    if !world.try_send(2, 0, &data)? {
                        if !was_refused {
                            print("was refused");
                            say("refused")?;
                        }
                        was_refused = true;
                        world.send(2, 0, &data)?;
                    }
                }
            }
            2 => {
                wait_for("done 1");
                wait_for("done 3");
                for number in 0..messages {
                    assert_eq!(world.recv::<u64>(0, 0)?.data, [number; 100]);
                }
                print("all has come in order");
            }
            rank => {
                let pair = world.group(&[1, 3])?;
                wait_for("refused");
                for _ in 0..BARRIERS {
                    pair.barrier()?.wait()?;
                }
                print("barriers are done");
                say(&format!("done {rank}"))?;
            }
        }
        Ok(())
    })
}

/// Rank 2 leaves at once in the first round, and a little later in each further one. The others
/// exchange sums past barriers. They end with a barrier that only rank 3 waits for.
pub fn leave_early(rounds: Range<usize>) -> Result<()> {
    const STEPS: u64 = 30;
    for round in rounds.clone() {
        let sums = Launch::new(4).collect(|world| {
            let rank = world.rank();
            if rank == 2 {
                std::thread::sleep(Duration::from_millis(3 * round as u64));
                return Ok(0);
            }
            let three = world.group(&[0, 1, 3])?;
            let mut sum = 0;
            for step in 0..STEPS {
                three.barrier()?;
                if step % 5 == 0 {
                    sum += three.all_reduce(&[step + rank as u64], |a, b| a + b)?[0];
                }
            }
            let last = three.barrier()?;
            if rank == 3 {
                last.wait()?;
            }
            Ok(sum)
        })?;
        let sum: u64 = (0..STEPS).step_by(5).map(|step| 3 * step + 4).sum();
        assert_eq!(sums, [sum, sum, 0, sum]);
    }
    print(format_args!("{} rounds", rounds.len()));
    Ok(())
}
