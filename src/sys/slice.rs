//! Sets the length of the calling thread's time slices, where the operating system permits it.
//!
//! Linux 6.12 and later does, by `sched_setattr` with a runtime under the ordinary policy. A
//! shorter slice gives no more time. It makes a woken thread run earlier, and be interrupted
//! earlier.

use std::io;
use std::time::Duration;

/// Asks for slices of this length; the system accepts 0.1 to 100 ms.
///
/// # Errors
///
/// The system's error; `Unsupported` if the system offers no choice, or none under the thread's policy.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_slices(of: Duration) -> io::Result<()> {
    let attributes = attributes()?;
    // Of other policies the same number says something else.
    if !attributes.is_fair() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    set(Attributes { runtime_ns: of.as_nanos() as u64, ..attributes })
}

/// As [`ask_for_slices`], unless the slices are as short already.
///
/// # Errors
///
/// As by that.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_shorter_slices(than: Duration) -> io::Result<()> {
    let is_longer = u128::from(attributes()?.runtime_ns) > than.as_nanos();
    if is_longer { ask_for_slices(than) } else { Ok(()) }
}

/// As above.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_shorter_slices(than: Duration) -> io::Result<()> {
    ask_for_slices(than)
}

/// How long the slices of this thread are; 0 where the system does not say.
#[cfg(all(test, target_os = "linux"))]
pub(crate) fn slices() -> io::Result<Duration> {
    Ok(Duration::from_nanos(attributes()?.runtime_ns))
}

#[cfg(target_os = "linux")]
fn set(attributes: Attributes) -> io::Result<()> {
    // SAFETY: the kernel reads as many bytes as the structure's size field says, and keeps nothing.
    let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // Older kernels accept and ignore it.
    let has = self::attributes()?.runtime_ns;
    if has == attributes.runtime_ns { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
}

/// As above.
#[cfg(not(target_os = "linux"))]
pub(crate) fn ask_for_slices(_of: Duration) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The first version of `struct sched_attr`; the kernel reads `size` to know that.
#[cfg(target_os = "linux")]
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime_ns: u64,
    deadline_ns: u64,
    period_ns: u64,
}

#[cfg(target_os = "linux")]
impl Attributes {
    /// Whether the thread has its share, as under the ordinary policy and that of batches.
    fn is_fair(&self) -> bool {
        [libc::SCHED_OTHER, libc::SCHED_BATCH].iter().any(|&fair| self.policy == fair as u32)
    }
}

#[cfg(target_os = "linux")]
fn attributes() -> io::Result<Attributes> {
    let mut attributes = Attributes::default();
    let bytes = size_of::<Attributes>() as u32;
    // SAFETY: the kernel writes at most `bytes` bytes there, and any bytes are a valid value.
    let result =
        unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, bytes, 0) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    attributes.size = bytes;
    Ok(attributes)
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use super::*;

    /// Shorter ones are asked for where they are longer, and a choice that is shorter stays. (Planted: what is shorter is made
    /// longer.)
    #[test]
    fn slices_are_made_shorter_and_never_longer() {
        let asked = std::thread::spawn(|| {
            let micros = Duration::from_micros;
            if ask_for_slices(micros(300)).is_ok() {
                for (than, then_us) in [(500, 300), (200, 200), (250, 200)] {
                    ask_for_shorter_slices(micros(than)).unwrap();
                    assert_eq!(attributes().unwrap().runtime_ns, then_us * 1000);
                }
            }
        });
        asked.join().unwrap();
    }

    /// Under another policy nothing is changed: that of idle programs, and that of deadlines where the system lets this thread
    /// have it. (Planted: a thread that has deadlines is asked for slices.)
    #[test]
    fn a_thread_of_another_policy_keeps_it() {
        const MS: u64 = 1_000_000;
        let idle = Attributes { policy: libc::SCHED_IDLE as u32, ..Attributes::default() };
        let (runtime_ns, deadline_ns, period_ns) = (5 * MS, 50 * MS, 50 * MS);
        let policy = libc::SCHED_DEADLINE as u32;
        let deadlines = Attributes { policy, runtime_ns, deadline_ns, period_ns, ..idle };
        let keeps = move |chosen: Attributes| {
            let size = size_of::<Attributes>() as u32;
            if set(Attributes { size, ..chosen }).is_err() && chosen.policy == policy {
                return;
            }
            let before = attributes().unwrap();
            let refused = ask_for_slices(Duration::from_micros(300)).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::Unsupported);
            let after = attributes().unwrap();
            assert_eq!((after.policy, after.runtime_ns), (before.policy, before.runtime_ns));
        };
        for chosen in [idle, deadlines] {
            std::thread::spawn(move || keeps(chosen)).join().unwrap();
        }
    }

    /// What is asked for is what the system then says; or it says that it has no such choice.
    #[test]
    fn the_time_slice_is_set_as_requested_or_refused() {
        let asked = std::thread::spawn(|| {
            let before = attributes().unwrap();
            match ask_for_slices(Duration::from_micros(300)) {
                Ok(()) => {
                    let after = attributes().unwrap();
                    assert_eq!(after.runtime_ns, 300_000);
                    assert_eq!((after.policy, after.nice), (before.policy, before.nice));
                }
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::Unsupported),
            }
        });
        asked.join().unwrap();
    }
}
