//! Copies of bytes: the ordinary one, but for what a processor is slow at; and one by non-temporal
//! (*streaming*) stores, which go past the caches to the memory, where the processor has such stores.
//!
//! # The ordinary copy
//!
//! Some C libraries copy from some KiB on by the instruction `rep movsb`. On processors of AMD (Zen 3 and
//! 4) it copies 2 GB/s instead of 45 where the destination lies up to 31 bytes further into its page
//! than the source into its own (bug 30994 of glibc). That is the common case here: large buffers of
//! `malloc` begin 16 bytes into a page, and payloads in shared memory at its start. So there the bytes
//! are copied from the end. On others that would be slower: an Intel Xeon copies 64 KiB in its caches at 38 to 40 GB/s,
//! and from the end at 17 to 18.
//!
//! # Streaming
//!
//! The ordinary copy first fetches each line that it writes. A line that another core has just read
//! comes from that core, and between cores that share no cache this takes long. A streaming copy
//! fetches nothing: the reader then fetches the bytes from the memory.

use std::sync::LazyLock;

use zerocopy::FromBytes;

/// Whether the processor has non-temporal stores that are used here.
pub(crate) const CAN_STREAM: bool = cfg!(all(target_arch = "x86_64", not(miri)));

/// Copies bytes into as many, as `copy_from_slice` does.
///
/// # Panics
///
/// If they are not as many.
#[inline]
pub(crate) fn copy_bytes(from: &[u8], to: &mut [u8]) {
    assert_eq!(from.len(), to.len(), "bytes are copied into as many");
    // SAFETY: both are borrowed, one of them mutably, and equally long.
    unsafe { copy(from.as_ptr(), to.as_mut_ptr(), to.len()) }
}

/// Appends the elements in `bytes`, as `extend_from_slice` does. What is left of less than one is left out.
#[inline]
pub(crate) fn append_elements<T: FromBytes>(bytes: &[u8], to: &mut Vec<T>) {
    let count = bytes.len().checked_div(size_of::<T>()).unwrap_or(0);
    to.reserve(count);
    // SAFETY: so many elements have place behind those that there are. Any bytes are one of them, and those that are
    // borrowed are elsewhere.
    unsafe {
        copy(bytes.as_ptr(), to.as_mut_ptr().add(to.len()).cast(), count * size_of::<T>());
        to.set_len(to.len() + count);
    }
}

/// Copies `len` bytes.
///
/// # Safety
///
/// `from` can be read and `to` written for `len` bytes, and they do not overlap. Meanwhile no other
/// thread writes either or reads the latter.
#[inline]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    if is_slow(from, to, len) && *SLOW_JUST_AHEAD {
        // SAFETY: as the caller promises.
        return unsafe { copy_backwards(from, to, len) };
    }
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(from, to, len) }
}

/// Copies `len` bytes, also where the two overlap: then as if they had lain elsewhere meanwhile.
///
/// # Safety
///
/// `from` can be read and `to` written for `len` bytes. Meanwhile no other thread writes either or reads the latter.
#[inline]
pub unsafe fn move_bytes(from: *const u8, to: *mut u8, len: usize) {
    if is_slow(from, to, len) && *SLOW_JUST_AHEAD {
        // SAFETY: as the caller promises, and they do not overlap.
        return unsafe { copy_backwards(from, to, len) };
    }
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy(from, to, len) }
}

/// What is shorter is copied fast in any place.
const SHORT_BYTES: usize = 2048;

/// Whether some processors copy slowly there, and the bytes may be copied from the end: none of them overlap.
#[inline]
fn is_slow(from: *const u8, to: *mut u8, len: usize) -> bool {
    let is_apart = || from.addr().abs_diff(to.addr()) >= len;
    len >= SHORT_BYTES && is_just_ahead(from, to) && is_apart()
}

/// Whether `to` lies up to 31 bytes further into its page than `from` into its own.
#[inline]
fn is_just_ahead(from: *const u8, to: *mut u8) -> bool {
    const PAGE: usize = 4096;
    let ahead = to.addr().wrapping_sub(from.addr()) % PAGE;
    cfg!(all(target_arch = "x86_64", not(miri))) && (1..32).contains(&ahead)
}

/// Whether this is a processor that is slow there.
static SLOW_JUST_AHEAD: LazyLock<bool> = LazyLock::new(|| is_slow_just_ahead(&vendor()));

/// Whether processors of this vendor are: AMD's, and Hygon's, which are built alike. (Zen 3 and 4 were measured, and no others.)
fn is_slow_just_ahead(vendor: &[u8; 12]) -> bool {
    matches!(vendor, b"AuthenticAMD" | b"HygonGenuine")
}

/// How the processor names its vendor.
#[cfg(all(target_arch = "x86_64", not(miri)))]
fn vendor() -> [u8; 12] {
    // SAFETY: every processor of this kind has the instruction. (It is safe to call from some compiler on.)
    #[allow(unused_unsafe)]
    let said = unsafe { std::arch::x86_64::__cpuid(0) };
    zerocopy::transmute!([said.ebx, said.edx, said.ecx])
}

/// It has none that matters.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn vendor() -> [u8; 12] {
    [0; 12]
}

/// As [`copy`], the last bytes first. So no load follows a store to the same place of another page,
/// which would hold it up.
///
/// # Safety
///
/// As by [`copy`].
#[inline(never)]
#[cfg(all(target_arch = "x86_64", not(miri)))]
unsafe fn copy_backwards(from: *const u8, to: *mut u8, len: usize) {
    /// What is loaded before any of it is stored. It has the size of a cache line.
    type Part = [u8; 64];

    let mut left = len;
    while left >= size_of::<Part>() {
        left -= size_of::<Part>();
        // SAFETY: the part from `left` on is within `len`, for which the caller promises that both can
        // be used.
        unsafe {
            let part = from.add(left).cast::<Part>().read_unaligned();
            to.add(left).cast::<Part>().write_unaligned(part);
        }
    }
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(from, to, left) }
}

/// The ordinary copy: it is as fast in any place.
///
/// # Safety
///
/// As by [`copy`].
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
unsafe fn copy_backwards(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: as the caller promises.
    unsafe { std::ptr::copy_nonoverlapping(from, to, len) }
}

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

    #[test]
    fn what_is_slow_is_told_by_the_places_within_pages() {
        let at = |address: usize| std::ptr::without_provenance_mut::<u8>(address);
        let slow = |from, to| is_just_ahead(at(from), at(to));
        for (from, to) in [(0, 1), (0, 31), (4096, 16), (4090, 4096), (16, 3 * 4096 + 32)] {
            assert_eq!(slow(from, to), CAN_STREAM, "from {from} to {to}");
        }
        for (from, to) in [(0, 0), (0, 32), (1, 0), (16, 4096), (4064, 4096)] {
            assert!(!slow(from, to), "from {from} to {to}");
        }
    }

    #[test]
    fn vendors_are_told_apart() {
        assert!(is_slow_just_ahead(b"AuthenticAMD") && is_slow_just_ahead(b"HygonGenuine"));
        assert!(!is_slow_just_ahead(b"GenuineIntel") && !is_slow_just_ahead(&[0; 12]));
    }

    /// The system reads the same name. (Planted: two registers in the other order.)
    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    fn the_vendor_is_what_the_system_says() {
        let said = std::fs::read_to_string("/proc/cpuinfo").expect("the system tells");
        let line = said.lines().find(|line| line.starts_with("vendor_id")).expect("a vendor");
        let name = line.split_once(": ").expect("a name").1;
        assert_eq!(String::from_utf8_lossy(&vendor()).trim(), name.trim());
    }

    /// (Planted: what overlaps is copied from the end, too.)
    #[test]
    fn nothing_is_copied_from_the_end_that_overlaps_or_is_short() {
        let at = |address: usize| std::ptr::without_provenance_mut::<u8>(address);
        let slow = |from, to, len| is_slow(at(from), at(to), len);
        for (from, to, len) in [(8192, 16, 8176), (16, 8224, 8208), (0, 1 << 20 | 31, 2048)] {
            assert_eq!(slow(from, to, len), CAN_STREAM, "{len} bytes from {from} to {to}");
            assert!(!slow(from, to, 2047), "{from} to {to}");
        }
        for (from, to, len) in [(8192, 16, 8177), (16, 8224, 8209), (0, 16, 2048)] {
            assert!(!slow(from, to, len), "{len} bytes from {from} to {to}");
        }
    }

    /// At each place of a line and beside it, with lengths around those that matter: all of it is
    /// there, and nothing beside it, as this processor copies and from the end.
    #[test]
    fn a_copy_is_whole_at_any_place_and_length() {
        fn from_the_end(from: &[u8], to: &mut [u8]) {
            // SAFETY: both are borrowed, one of them mutably, and equally long.
            unsafe { copy_backwards(from.as_ptr(), to.as_mut_ptr(), to.len()) }
        }
        let from: Vec<u8> = (0..3 * 4096).map(|at| (at % 251) as u8 + 1).collect();
        for place in (0..70).chain([4095, 4096, 4097, 4120]) {
            for len in [0, 1, 2047, 2048, 2049, 2111, 2112, 4096, 5000] {
                for copies in [copy_bytes, from_the_end] {
                    let mut to = vec![0; 3 * 4096];
                    let first = (from.as_ptr().addr() + 64).wrapping_sub(to.as_ptr().addr()) % 4096;
                    let (head, rest) = to.split_at_mut((first + place) % 4096);
                    copies(&from[64..64 + len], &mut rest[..len]);
                    assert_eq!(rest[..len], from[64..64 + len], "{len} bytes at {place}");
                    assert!(
                        head.iter().chain(&rest[len..]).all(|&byte| byte == 0),
                        "{len} at {place}"
                    );
                }
            }
        }
    }

    /// Memory is moved whole within itself, up and down, by any distance: less than its length, as many pages and some
    /// bytes as are slow, and more.
    #[test]
    fn what_overlaps_is_moved_whole() {
        const LEN: usize = 9000;
        let bytes: Vec<u8> = (0..4 * LEN).map(|at| (at * 7 % 251) as u8).collect();
        for distance in [0, 1, 16, 31, 32, 4096, 4097, 4112, 8200, LEN, LEN + 1, 3 * 4096 + 5] {
            for (from, to) in [(0, distance), (distance, 0)] {
                let mut moved = bytes.clone();
                // SAFETY: both lie in `moved`, which nobody else has.
                unsafe {
                    let start = moved.as_mut_ptr();
                    move_bytes(start.add(from), start.add(to), LEN);
                }
                let mut expected = bytes.clone();
                expected.copy_within(from..from + LEN, to);
                assert!(moved == expected, "from {from} to {to}");
            }
        }
    }

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
