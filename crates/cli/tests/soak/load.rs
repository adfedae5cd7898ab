//! A load that makes one process slow: threads that spin on its core.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};

use runahead_testkit::processes::fields;

/// Threads that spin on the core of a process, until this is dropped or the time has passed. The
/// process is bound to that core, and remains so afterwards.
pub struct Hog {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Hog {
    /// None if the process has ended.
    pub fn beside(pid: u32, threads: usize, lasting: Duration) -> Option<Hog> {
        // The 39th field of stat is the last processor; `fields` begin with the third, the state.
        let core = fields(pid)?.split(' ').nth(36)?.parse().ok()?;
        let pid = Pid::from_raw(pid as i32)?;
        let mut only = CpuSet::new();
        only.set(core);
        sched_setaffinity(Some(pid), &only).ok()?;
        let stop = Arc::new(AtomicBool::new(false));
        let end = Instant::now() + lasting;
        let spin = |stop: Arc<AtomicBool>| {
            move || {
                let _ = sched_setaffinity(None, &only);
                // Relaxed: a late load only delays the end. Pairs with the store of `drop`.
                while !stop.load(Ordering::Relaxed) && Instant::now() < end {
                    std::hint::spin_loop();
                }
            }
        };
        let threads = (0..threads).map(|_| std::thread::spawn(spin(Arc::clone(&stop)))).collect();
        Some(Hog { stop, threads })
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        // Relaxed: pairs with the loads of the threads; joining them orders everything else.
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
