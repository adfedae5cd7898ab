//! A load that makes one process slow: threads that want its core all the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_setaffinity};

use runahead_testkit::processes::fields;

/// Threads beside a process, until it is dropped or its time has passed. The process may use no other
/// core meanwhile, and keeps to it afterwards.
pub struct Hog {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Hog {
    /// None if the process is not there any more.
    pub fn beside(pid: u32, threads: usize, lasting: Duration) -> Option<Hog> {
        // The processor that it was last on is the 39th field, and its state is the third.
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
                // Relaxed: it is only a wish.
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
        // Relaxed: it is only a wish; joining orders the rest.
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
