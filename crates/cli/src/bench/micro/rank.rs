//! The measurements of `runahead bench micro` at one rank. Rank 0 returns the figures.

use runahead::{Comm, Element, Result};

use crate::bench::apps::RankReport;
use crate::bench::sample::median;
use crate::sys::now_ns;

const PING_TAG: u32 = 1;
const STREAM_TAG: u32 = 2;
const DONE_TAG: u32 = 3;
const BULK_BYTES: usize = 1 << 20;

/// All measurements, one after the other: half a round trip, the rate, the bandwidth, a barrier
/// until it is complete, the call alone, and, where asked for, the bandwidth of a broadcast.
pub(crate) fn run(
    world: &Comm,
    repetitions: u32,
    calls: u32,
    with_broadcasts: bool,
) -> Result<RankReport> {
    let repeat = |each: &dyn Fn() -> Result<f64>| {
        // The first repetition is a warm-up and does not count.
        each()?;
        let times = (0..repetitions).map(|_| each()).collect::<Result<Vec<f64>>>()?;
        Ok::<f64, runahead::Error>(median(times.into_iter()))
    };
    let mut figures = vec![
        repeat(&|| ping_pong_ns(world, calls))?,
        repeat(&|| rate_per_s(world, calls))?,
        repeat(&|| bandwidth_per_s(world, (calls / 40).max(2)))?,
        repeat(&|| barrier_wait_ns(world, calls))?,
        repeat(&|| barrier_call_ns(world, calls))?,
    ];
    if with_broadcasts {
        figures.push(repeat(&|| broadcast_per_s(world, (calls / 40).max(2)))?);
    }
    let figures = if world.rank() == 0 { figures } else { Vec::new() };
    Ok(RankReport { figures, ..RankReport::default() })
}

/// The time since `begin_ns`, for one of `count`.
fn each_ns(begin_ns: u64, count: u32) -> f64 {
    (now_ns() - begin_ns).max(1) as f64 / f64::from(count)
}

fn ping_pong_ns(world: &Comm, calls: u32) -> Result<f64> {
    let mut room = [0u64];
    world.barrier()?.wait()?;
    let begin_ns = now_ns();
    for _ in 0..calls {
        match world.rank() {
            0 => {
                world.send(1, PING_TAG, &room)?;
                world.recv_into(&mut room, 1, PING_TAG)?;
            }
            1 => {
                world.recv_into(&mut room, 0, PING_TAG)?;
                world.send(0, PING_TAG, &room)?;
            }
            _ => break,
        }
    }
    Ok(each_ns(begin_ns, 2 * calls))
}

/// The time of one of `calls` messages like `data`, sent one after the other, until the last is
/// received. Sends wait while the window is full.
fn stream_ns<T: Element>(world: &Comm, calls: u32, data: &mut [T]) -> Result<f64> {
    let mut done = [0u8];
    world.barrier()?.wait()?;
    let begin_ns = now_ns();
    match world.rank() {
        0 => {
            for _ in 0..calls {
                world.send(1, STREAM_TAG, data)?;
            }
            world.recv_into(&mut done, 1, DONE_TAG)?;
        }
        1 => {
            for _ in 0..calls {
                world.recv_into(data, 0, STREAM_TAG)?;
            }
            world.send(0, DONE_TAG, &done)?;
        }
        _ => {}
    }
    Ok(each_ns(begin_ns, calls))
}

fn rate_per_s(world: &Comm, calls: u32) -> Result<f64> {
    Ok(1e9 / stream_ns(world, calls, &mut [0u64])?)
}

fn bandwidth_per_s(world: &Comm, calls: u32) -> Result<f64> {
    let mut bulk = vec![1u8; if world.rank() < 2 { BULK_BYTES } else { 0 }];
    Ok(BULK_BYTES as f64 * 1e9 / stream_ns(world, calls, &mut bulk)?)
}

/// The bandwidth of broadcasts of what the root has just written, from the end of a barrier until all have it, as the
/// slowest sees it.
fn broadcast_per_s(world: &Comm, calls: u32) -> Result<f64> {
    let mut bulk = vec![0u8; BULK_BYTES];
    let mut spent_ns = 0;
    for number in 0..calls {
        if world.rank() == 0 {
            bulk.fill(number as u8);
        }
        world.barrier()?.wait()?;
        let begin_ns = now_ns();
        world.broadcast(0, &mut bulk)?;
        spent_ns += now_ns() - begin_ns;
        if bulk[BULK_BYTES - 1] != number as u8 {
            return Err(runahead::Error::other("a broadcast has a wrong result"));
        }
    }
    let slowest_ns = world.all_reduce(&[spent_ns], u64::max)?[0];
    Ok(BULK_BYTES as f64 * f64::from(calls) * 1e9 / slowest_ns.max(1) as f64)
}

fn barrier_wait_ns(world: &Comm, calls: u32) -> Result<f64> {
    world.barrier()?.wait()?;
    let begin_ns = now_ns();
    for _ in 0..calls {
        world.barrier()?.wait()?;
    }
    Ok(each_ns(begin_ns, calls))
}

/// Times only the calls, as many at a time as may be open, so that none of them waits.
fn barrier_call_ns(world: &Comm, calls: u32) -> Result<f64> {
    let open = world.config().open_barriers.clamp(1, 1 << 10) as u32;
    let at_a_time = open.min(calls);
    let mut spent_ns = 0;
    let turns = calls.div_ceil(at_a_time);
    for _ in 0..turns {
        world.barrier()?.wait()?;
        let begin_ns = now_ns();
        for _ in 0..at_a_time {
            world.barrier()?;
        }
        spent_ns += now_ns() - begin_ns;
    }
    world.barrier()?.wait()?;
    Ok(spent_ns as f64 / f64::from(turns * at_a_time))
}
