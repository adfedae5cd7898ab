//! A copy of bytes by non-temporal (*streaming*) stores, which go past the caches to the memory,
//! where the processor has such stores.
//!
//! The ordinary copy first fetches each line that it writes. A line that another core has just read
//! comes from that core, and between cores that share no cache this takes long. A streaming copy
//! fetches nothing: the reader then fetches the bytes from the memory.

/// Whether the processor has non-temporal stores that are used here.
pub(crate) const CAN_STREAM: bool = cfg!(all(target_arch = "x86_64", not(miri)));

/// Copies `len` bytes by non-temporal stores where there are such. A thread that sees what the
/// caller publishes afterwards also sees these bytes.
///
/// # Safety
///
/// `from` can be read and `to` written for `len` bytes, and they do not overlap. Meanwhile no other
/// thread writes either or reads the latter.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) unsafe fn copy_streaming(from: *const u8, to: *mut u8, len: usize) {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_sfence, _mm_stream_si128};

    /// A cache line, which the processor writes as a whole.
    const LINE: usize = 64;
    const PART: usize = 16;

    let before = to.align_offset(LINE).min(len);
    let lines = (len - before) / LINE;
    let after = before + lines * LINE;
    // SAFETY: all offsets are within `len`, for which the caller promises that both can be used.
    // The streaming stores start at whole lines, so they are aligned. The fence orders them before
    // everything that this thread does next.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, before);
        for line in (before..after).step_by(LINE) {
            for part in (line..line + LINE).step_by(PART) {
                _mm_stream_si128(to.add(part).cast(), _mm_loadu_si128(from.add(part).cast()));
            }
        }
        _mm_sfence();
        std::ptr::copy_nonoverlapping(from.add(after), to.add(after), len - after);
    }
}

/// The ordinary copy.
///
/// # Safety
///
/// As above.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub(crate) unsafe fn copy_streaming(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(from, to, len) }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// At each place of a line, and of each length up to some lines: all of it is there, and
    /// nothing beside it.
    #[test]
    fn a_streaming_copy_is_whole_at_any_place_and_length() {
        let from: Vec<u8> = (0..400).map(|at| (at % 251) as u8 + 1).collect();
        for place in 0..70 {
            for len in (0..=300).step_by(7).chain([63, 64, 65, 127, 128, 129]) {
                let mut to = vec![0; 500];
                // SAFETY: both are long enough, and nobody else has them.
                unsafe {
                    copy_streaming(from[place..].as_ptr(), to[100 - place..].as_mut_ptr(), len)
                };
                let (head, rest) = to.split_at(100 - place);
                assert_eq!(rest[..len], from[place..place + len], "{len} bytes at {place}");
                assert!(
                    head.iter().chain(&rest[len..]).all(|&byte| byte == 0),
                    "{len} bytes at {place}"
                );
            }
        }
    }
}
