//! Many programs on all cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Takes `0..count` in turn on as many threads as there are cores. Each thread has a state of its
/// own, made by `start`; what `finish` makes of them is returned when nothing is left.
///
/// # Panics
///
/// As `work` does: with the message of the lowest index that failed, of those that were tried.
pub fn spread<S, R: Send>(
    count: usize,
    start: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> Result<(), String> + Sync,
    finish: impl Fn(S) -> R + Sync,
) -> Vec<R> {
    // Relaxed: it only deals out numbers; what the threads made is handed over by joining them.
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<(usize, String)>> = Mutex::new(None);
    let run = || {
        let mut state = start();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return finish(state);
            }
            if let Err(wrong) = work(&mut state, at) {
                next.store(count, Ordering::Relaxed);
                let mut failed = failed.lock().expect("nobody panics with the lock");
                if failed.as_ref().is_none_or(|(other, _)| at < *other) {
                    *failed = Some((at, wrong));
                }
            }
        }
    };
    // CORES: any number; more of them end sooner.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let states = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    if let Some((_, wrong)) = failed.into_inner().expect("nobody panics with the lock") {
        panic!("{wrong}");
    }
    states
}

/// A failure anywhere is a failure of the whole, and nothing is left out.
#[test]
fn every_index_is_taken_once_and_a_failure_is_reported() {
    let take = |list: &mut Vec<usize>, at| {
        list.push(at);
        Ok(())
    };
    let lists = spread(1000, Vec::new, take, |list| list);
    let mut all: Vec<usize> = lists.concat();
    all.sort_unstable();
    assert_eq!(all, (0..1000).collect::<Vec<_>>());
    let fails = |_: &mut (), at| if at == 700 { Err("number 700".to_owned()) } else { Ok(()) };
    let told = std::panic::catch_unwind(|| spread(1000, || (), fails, |()| ())).unwrap_err();
    assert_eq!(told.downcast_ref::<String>().map(String::as_str), Some("number 700"));
}
