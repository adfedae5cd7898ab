//! Algorithm 5.3 of pakin-2001: the prefix scan as one would write it for a data-parallel machine.
//!
//! In round j each element is combined with the one 2^j before it. Where that is another rank's, it
//! comes in a message of its own: that is the point of this program, which is the worst case for
//! barriers that stop nobody (§5.3.1).

use runahead::zerocopy::{FromBytes, Immutable, IntoBytes};
use runahead::{Comm, Rank, Result, Source};

/// "For the element of this global index, the one 2^j before it has this value."
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[zerocopy(crate = "runahead::zerocopy")]
#[repr(C)]
struct Remote {
    index: u64,
    value: u64,
}

/// The rank that has the element of this index: the last whose share starts at or before it. Rank
/// r of P has the elements from index `total * r / P` on.
pub fn owner(total: u64, ranks: usize, index: u64) -> Rank {
    (((index + 1) * ranks as u64 - 1) / total) as Rank
}

/// Replaces each element of all ranks by the combination of all up to and including it. `x` is this
/// rank's share of `total` elements. Whether a rank waits for the barriers between rounds is what
/// the thesis compares.
///
/// A rank sends everything of a round before it receives anything of it. The thesis adds flow
/// control for that (§5.1.1); here the library has it, and a send waits while the receiver's window
/// is full. That ends with any window, even of one message: a rank sends to higher ranks only, so
/// among the ranks of one round the highest that still sends is waited for by others and waits for
/// none of them. A receiver that is a round behind needs nothing more of a sender that has run
/// ahead, which had sent and received all of the earlier round; and barriers have credits of their
/// own, so that they pass by a full window.
///
/// Receives name no sender, and `incoming` has one place for each element: without the barrier, the
/// value of a later round could take the place of this round's.
///
/// Where this differs from the thesis (§5.1.1, algorithm 5.3), the thesis has a slip:
/// - It stores `x'[m.value] ← m.offset`, the two swapped, and the offset is global.
/// - Its p' is -1 for elements that have none 2^j before them: it would wait for those for ever.
/// - P need not divide N.
///
/// (Algorithm 5.2, which it comes from, says 2^(j-1) where 2^j is meant.)
///
/// # Errors
///
/// Those of the messages.
pub fn naive_scan(
    world: &Comm,
    wait: bool,
    total: u64,
    tag: u32,
    x: &mut [u64],
    op: impl Fn(u64, u64) -> u64,
) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    let start = total * rank as u64 / size as u64;
    let mut incoming: Vec<Option<u64>> = vec![None; x.len()];
    for j in 0..total.next_power_of_two().trailing_zeros() {
        let distance = 1 << j;
        for (i, &value) in x.iter().enumerate().rev() {
            let index = start + i as u64 + distance;
            if index >= total {
                continue;
            }
            let to = owner(total, size, index);
            if to == rank {
                break; // If one message goes to self, the rest will, too.
            }
            world.send(to, tag, &[Remote { index, value }])?;
        }

        // From the end, so that each value combined is one of the round before.
        for i in (0..x.len()).rev() {
            let before = (i as u64).checked_sub(distance);
            if let Some(before) = before {
                x[i] = op(x[before as usize], x[i]);
            }
        }

        for i in (0..x.len()).rev() {
            let index = start + i as u64;
            if index < distance || index - distance >= start {
                continue;
            }
            let before = loop {
                if let Some(before) = incoming[i].take() {
                    break before;
                }
                let mut room = [Remote { index: 0, value: 0 }];
                world.recv_into(&mut room, Source::Any, tag)?;
                let [Remote { index, value }] = room;
                incoming[(index - start) as usize] = Some(value);
            };
            x[i] = op(before, x[i]);
        }
        let barrier = world.barrier()?;
        if wait {
            barrier.wait()?;
        }
    }
    Ok(())
}
