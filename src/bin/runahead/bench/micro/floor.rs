//! The floor under every message: how long a cache line takes from a core to another that spins on it.

use runahead::Result;

use crate::bench::sample::median;
use crate::sys::{self, AtomicU64, Ordering};

/// One way, in nanoseconds: the median of `repetitions`, each of so many round trips.
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
            // Odd numbers are questions, even ones answers. Pairs with the stores of the other side.
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
