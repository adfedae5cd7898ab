//! The floor under all measurements: how long a cache line takes to another core that spins on it,
//! how long a barrier of two bare words takes, and how fast memory is copied once, and twice.

use runahead::Result;

use crate::bench::sample::median;
use crate::sys::{self, AtomicU64, Ordering};

/// The time of a cache line, one way, in nanoseconds: the median of `repetitions`, each of
/// `round_trips`.
///
/// # Errors
///
/// If a thread cannot stay on its core.
pub(crate) fn cache_line_ns(cores: [usize; 2], repetitions: u32, round_trips: u32) -> Result<f64> {
    let word = AtomicU64::new(0);
    let last = 2 * u64::from(repetitions) * u64::from(round_trips);
    let times = sys::scope(|scope| {
        let answers = scope.spawn(|| {
            let bound = sys::stay_on(&cores[1..]);
            // Odd numbers are questions, even ones answers. Pairs with the stores of the other
            // side.
            for question in (1..last).step_by(2) {
                while word.load(Ordering::Acquire) != question {
                    sys::spin_loop();
                }
                word.store(question + 1, Ordering::Release);
            }
            bound
        });
        let asks = scope.spawn(|| {
            let bound = sys::stay_on(&cores[..1]);
            let mut answer = 0;
            let mut times = Vec::new();
            for _ in 0..repetitions {
                let begin_ns = sys::now_ns();
                for _ in 0..round_trips {
                    word.store(answer + 1, Ordering::Release);
                    answer += 2;
                    while word.load(Ordering::Acquire) != answer {
                        sys::spin_loop();
                    }
                }
                times.push((sys::now_ns() - begin_ns) as f64 / 2.0 / f64::from(round_trips));
            }
            bound.map(|()| times)
        });
        let answered = answers.join().unwrap_or(Ok(()));
        let times = asks.join().unwrap_or_else(|_| Ok(Vec::new()));
        answered.and(times)
    })?;
    Ok(median(times.into_iter()))
}

/// A word on a cache line of its own, which processors do not prefetch along with another's.
#[repr(align(128))]
struct Alone(AtomicU64);

/// The time of a barrier of two threads, in nanoseconds. Each thread only increments a word of its
/// own and waits for the other's. The median of `repetitions`, each of `barriers`.
///
/// # Errors
///
/// If a thread cannot stay on its core.
pub(crate) fn bare_barrier_ns(cores: [usize; 2], repetitions: u32, barriers: u32) -> Result<f64> {
    let words = [0, 0].map(|zero| Alone(AtomicU64::new(zero)));
    let count = |own: usize| {
        let bound = sys::stay_on(&cores[own..=own]);
        let (mut epoch, mut times) = (0, Vec::new());
        for _ in 0..repetitions {
            let begin_ns = sys::now_ns();
            for _ in 0..barriers {
                epoch += 1;
                // Pairs with the load of the other.
                words[own].0.store(epoch, Ordering::Release);
                while words[1 - own].0.load(Ordering::Acquire) < epoch {
                    sys::spin_loop();
                }
            }
            times.push((sys::now_ns() - begin_ns) as f64 / f64::from(barriers));
        }
        bound.map(|()| times)
    };
    let count = &count;
    let times = sys::scope(|scope| {
        let other = scope.spawn(move || count(1));
        let times = scope.spawn(move || count(0)).join().unwrap_or_else(|_| Ok(Vec::new()));
        other.join().unwrap_or_else(|_| Ok(Vec::new())).and(times)
    })?;
    Ok(median(times.into_iter()))
}

/// The next buffer of the other thread, for which this one spins; None where that one has ended.
fn next(buffers: &sys::mpsc::Receiver<Vec<u8>>) -> Option<Vec<u8>> {
    loop {
        match buffers.try_recv() {
            Ok(buffer) => return Some(buffer),
            Err(sys::mpsc::TryRecvError::Empty) => sys::spin_loop(),
            Err(sys::mpsc::TryRecvError::Disconnected) => return None,
        }
    }
}

/// The bandwidth from one thread to another through shared buffers, in bytes a second: one thread
/// copies in, the other copies out. The median of `repetitions`, each of `mib`. Buffers of 64 KiB
/// circulate, 4 MiB in all.
///
/// # Errors
///
/// If a thread cannot stay on its core.
pub(crate) fn bare_copies_per_s(cores: [usize; 2], repetitions: u32, mib: u32) -> Result<f64> {
    const PIECE: usize = 64 << 10;
    let (filled, to_empty) = sys::mpsc::channel::<Vec<u8>>();
    let (emptied, to_fill) = sys::mpsc::channel();
    for _ in 0..64 {
        emptied.send(vec![0; PIECE]).map_err(runahead::Error::other)?;
    }
    let pieces = mib as usize * (1 << 20) / PIECE;
    let times = sys::scope(|scope| {
        let fills = scope.spawn(move || {
            let bound = sys::stay_on(&cores[..1]);
            let from = vec![1; 1 << 20];
            for piece in from.chunks(PIECE).cycle().take(pieces * repetitions as usize) {
                let Some(mut buffer) = next(&to_fill) else { break };
                buffer.copy_from_slice(piece);
                if filled.send(buffer).is_err() {
                    break;
                }
            }
            bound
        });
        let empties = scope.spawn(move || {
            let bound = sys::stay_on(&cores[1..]);
            let mut to = vec![0; 1 << 20];
            let mut times = Vec::new();
            for _ in 0..repetitions {
                let begin_ns = sys::now_ns();
                for at in (0..to.len()).step_by(PIECE).cycle().take(pieces) {
                    let Some(buffer) = next(&to_empty) else { break };
                    to[at..at + PIECE].copy_from_slice(&buffer);
                    // Else the compiler leaves out a copy that nobody reads.
                    std::hint::black_box(&mut to[at..at + PIECE]);
                    // At the end the other thread is gone.
                    let _ = emptied.send(buffer);
                }
                times.push((pieces * PIECE) as f64 / (sys::now_ns() - begin_ns) as f64 * 1e9);
            }
            bound.map(|()| times)
        });
        let times = empties.join().unwrap_or_else(|_| Ok(Vec::new()));
        fills.join().unwrap_or(Ok(())).and(times)
    })?;
    Ok(median(times.into_iter()))
}

/// The bandwidth of one copy of a MiB that another thread has just written on its core, in bytes a second: only the
/// copies are timed. The median of `repetitions`, each of `mib`.
///
/// # Errors
///
/// If a thread cannot stay on its core.
pub(crate) fn bare_copy_per_s(cores: [usize; 2], repetitions: u32, mib: u32) -> Result<f64> {
    const BYTES: usize = 1 << 20;
    let (written, to_copy) = sys::mpsc::channel::<Vec<u8>>();
    let (copied, to_write) = sys::mpsc::channel();
    copied.send(vec![0; BYTES]).map_err(runahead::Error::other)?;
    let times = sys::scope(|scope| {
        let writes = scope.spawn(move || {
            let bound = sys::stay_on(&cores[..1]);
            for number in 0..mib * repetitions {
                let Some(mut buffer) = next(&to_write) else { break };
                buffer.fill(number as u8);
                if written.send(buffer).is_err() {
                    break;
                }
            }
            bound
        });
        let copies = scope.spawn(move || {
            let bound = sys::stay_on(&cores[1..]);
            let mut to = vec![0; BYTES];
            let mut times = Vec::new();
            for _ in 0..repetitions {
                let mut spent_ns = 0;
                for _ in 0..mib {
                    let Some(buffer) = next(&to_copy) else { break };
                    let begin_ns = sys::now_ns();
                    to.copy_from_slice(&buffer);
                    // Else nobody reads what was copied, and nothing is.
                    std::hint::black_box(&mut to);
                    spent_ns += sys::now_ns() - begin_ns;
                    // At the end the other thread is gone.
                    let _ = copied.send(buffer);
                }
                times.push((mib as usize * BYTES) as f64 * 1e9 / spent_ns.max(1) as f64);
            }
            bound.map(|()| times)
        });
        let times = copies.join().unwrap_or_else(|_| Ok(Vec::new()));
        writes.join().unwrap_or(Ok(())).and(times)
    })?;
    Ok(median(times.into_iter()))
}
