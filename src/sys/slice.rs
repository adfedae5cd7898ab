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
/// The system's error; `Unsupported` if the system offers no choice.
#[cfg(target_os = "linux")]
pub(crate) fn ask_for_slices(of: Duration) -> io::Result<()> {
    let mut attributes = attributes()?;
    attributes.runtime_ns = of.as_nanos() as u64;
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
