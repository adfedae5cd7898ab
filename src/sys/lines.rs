//! Cache lines: brings those that this rank will write to its core before it does.
//!
//! A line that another core has read last must come from there before it can be written, and be that core's no
//! more. The processor does so in the background if it is told in time. Nothing that a program can see changes.

/// The least that moves between caches, in bytes.
#[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
const LINE_BYTES: usize = 64;

/// So much is brought at most, in bytes: a core has some dozens of lines under way, and waits for the next.
#[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
const MOST_BYTES: usize = 24 * LINE_BYTES;

/// The `bytes` from `first` on will be written soon. The first of many are brought.
#[inline(always)]
pub(crate) fn bring_to_write(first: *const u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri), not(loom)))]
    {
        // From the start of the first line on.
        let before = first.addr() % LINE_BYTES;
        let mut at = 0;
        while at < before + bytes.min(MOST_BYTES) {
            let line = first.wrapping_sub(before).wrapping_add(at);
            // SAFETY: a hint, which reads and writes nothing: a processor takes it for any address, mapped or
            // not, and one that does not know it does nothing.
            unsafe {
                std::arch::asm!("prefetchw [{}]", in(reg) line, options(nostack, preserves_flags));
            }
            at += LINE_BYTES;
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri), not(loom))))]
    let _ = (first, bytes);
}
