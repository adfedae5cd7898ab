//! The name of the calling thread: a number that no other thread of this process has while this one lives.
//!
//! It is asked for in each call of a program, and each of these is a few nanoseconds long.
//!
//! # Correctness
//!
//! On Linux the name is the address of the thread's own block, which the ABIs of these processors keep
//! in a register and, on x86-64, at the front of the block itself. A thread that begins may be given
//! the block of one that has ended. The system hands it on under a lock, so what the older thread
//! did comes before what the younger does. In a library that a program loads, a variable of the
//! thread would cost a function call, since nobody knows where it lies until the library is loaded.

/// The name of the calling thread; 0, which is nobody's, where it has not yet [been given](give_name) one.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
#[inline(always)]
pub(super) fn thread_name() -> u64 {
    let name;
    // SAFETY: the first word behind this register is the address of the block (System V ABI for x86-64,
    // section on thread-local storage).
    unsafe {
        std::arch::asm!("mov {}, qword ptr fs:[0]", out(reg) name, options(pure, readonly, nostack, preserves_flags));
    }
    name
}

/// As above.
#[cfg(all(target_os = "linux", target_arch = "aarch64", not(miri)))]
#[inline(always)]
pub(super) fn thread_name() -> u64 {
    let name;
    // SAFETY: a program may read this register, which Linux leaves to it. It is not `pure`: the compiler does not know that
    // the register is another in another thread.
    unsafe {
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) name, options(nomem, nostack, preserves_flags));
    }
    name
}

/// The name of the calling thread, which has one from now on.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
pub(super) fn give_name() -> u64 {
    thread_name()
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
)))]
pub(super) use counted::{give_name, thread_name};

/// Names that are counted, and never used again.
#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(miri)
)))]
mod counted {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU64, Ordering};

    thread_local! {
        static NAME: Cell<u64> = const { Cell::new(0) };
    }

    /// The name of the calling thread, or 0.
    #[inline(always)]
    pub(in crate::sys) fn thread_name() -> u64 {
        NAME.with(Cell::get)
    }

    /// The name of the calling thread, which has one from now on.
    pub(in crate::sys) fn give_name() -> u64 {
        // Nothing is told by it.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NAME.with(|name| {
            if name.get() == 0 {
                name.set(NEXT.fetch_add(1, Ordering::Relaxed));
            }
            name.get()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn threads_that_live_at_the_same_time_have_names_of_their_own() {
        const THREADS: usize = 8;
        let together = Barrier::new(THREADS);
        let name = || {
            let name = give_name();
            together.wait();
            assert!(name != 0 && name == thread_name());
            name
        };
        let mut names = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(name)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), THREADS);
    }
}
