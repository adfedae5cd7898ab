//! Words that ranks share, many at a time: written one behind the other before the word that tells of them, and
//! read after it. Keeps rule SAFE-1 of SEMANTICS.md: a peer that writes them meanwhile changes what is read, and
//! nothing else.
//!
//! A processor fetches those lines from another core at once that it comes to within its next few hundred
//! instructions. Word by word, a KiB takes 128 loads and as many stores, so it waits for the first lines before it
//! comes to the last. Where there are wider ones, a line takes four and four.
//!
//! # Correctness
//!
//! Rust has no atomic access to more than a word, and an ordinary one would be a data race if a peer broke the
//! protocol. The instructions below are none of Rust's accesses: they give some bytes. The compiler moves no access
//! to memory across them. On x86-64 no load comes before an earlier load, and no store before an earlier
//! store (Intel's manual, volume 3, *Memory Ordering*). So these loads come after the acquiring load of the word
//! that tells of them, and these stores before the releasing store of that word.

#[cfg(loom)]
use super::atomic::AtomicU64;
#[cfg(not(loom))]
use super::atomic::plain::AtomicU64;
use super::atomic::{Atomic, Ordering};

/// A line, as processors move it between cores.
#[cfg(not(any(loom, miri, not(target_arch = "x86_64"))))]
const LINE_BYTES: usize = 64;
#[cfg(not(any(loom, miri, not(target_arch = "x86_64"))))]
const LINE_WORDS: usize = LINE_BYTES / 8;

/// Words of 8 bytes that ranks share.
pub(crate) trait Words: Atomic<Value = u64> + Sized {
    /// Writes bytes one behind the other. What is left of the last word is 0. Who sees a word that this thread
    /// releases later sees these.
    ///
    /// # Panics
    ///
    /// If there are fewer words.
    #[inline(always)]
    fn store_bytes(words: &[Self], bytes: &[u8]) {
        store_each(words, bytes);
    }

    /// Reads words one behind the other, which were written before one that this thread has acquired.
    ///
    /// # Panics
    ///
    /// If there are fewer words.
    #[inline(always)]
    fn load_words(words: &[Self], values: &mut [u64]) {
        load_each(words, values);
    }
}

#[inline(always)]
fn store_each(words: &[impl Atomic<Value = u64>], bytes: &[u8]) {
    let words = &words[..bytes.len().div_ceil(8)];
    let (whole, rest) = bytes.as_chunks();
    for (word, &bytes) in words.iter().zip(whole) {
        // Pairs with the load below: the word that tells of it is acquired before.
        word.store(u64::from_ne_bytes(bytes), Ordering::Release);
    }
    if let (false, Some(word)) = (rest.is_empty(), words.last()) {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        word.store(u64::from_ne_bytes(last), Ordering::Release);
    }
}

#[inline(always)]
fn load_each(words: &[impl Atomic<Value = u64>], values: &mut [u64]) {
    for (word, value) in words[..values.len()].iter().zip(values) {
        // Ordered by the acquiring load of the word that tells of these, which came before.
        *value = word.load(Ordering::Relaxed);
    }
}

/// One by one: in a model, and where the processor has nothing wider.
#[cfg(any(loom, miri, not(target_arch = "x86_64")))]
impl Words for AtomicU64 {}

#[cfg(not(any(loom, miri, not(target_arch = "x86_64"))))]
impl Words for AtomicU64 {
    #[inline(always)]
    fn store_bytes(words: &[Self], bytes: &[u8]) {
        let lines = bytes.len() / LINE_BYTES;
        assert!(lines <= words.len() / LINE_WORDS, "{lines} lines to {} words", words.len());
        // SAFETY: both have so many lines. The words are atomic, so they may be written by a shared reference.
        unsafe { copy_lines(bytes.as_ptr(), words.as_ptr().cast_mut().cast(), lines) };
        store_each(&words[lines * LINE_WORDS..], &bytes[lines * LINE_BYTES..]);
    }

    #[inline(always)]
    fn load_words(words: &[Self], values: &mut [u64]) {
        let lines = values.len() / LINE_WORDS;
        assert!(lines <= words.len() / LINE_WORDS, "{lines} lines of {} words", words.len());
        // SAFETY: both have so many lines, and nobody else has the values.
        unsafe { copy_lines(words.as_ptr().cast(), values.as_mut_ptr().cast(), lines) };
        load_each(&words[lines * LINE_WORDS..], &mut values[lines * LINE_WORDS..]);
    }
}

/// Copies lines of 64 bytes, in their order, each by four loads and then four stores.
///
/// # Safety
///
/// `from` can be read and `to` written for so many lines, and they do not overlap. Other threads may write the one or read the
/// other meanwhile.
#[cfg(not(any(loom, miri, not(target_arch = "x86_64"))))]
#[inline(always)]
unsafe fn copy_lines(from: *const u8, to: *mut u8, lines: usize) {
    for line in 0..lines {
        // SAFETY: the line is one of those that the caller names. Every processor of this kind has these
        // instructions, which ask for no alignment.
        unsafe {
            std::arch::asm!(
                "movdqu {a}, [{from}]",
                "movdqu {b}, [{from} + 16]",
                "movdqu {c}, [{from} + 32]",
                "movdqu {d}, [{from} + 48]",
                "movdqu [{to}], {a}",
                "movdqu [{to} + 16], {b}",
                "movdqu [{to} + 32], {c}",
                "movdqu [{to} + 48], {d}",
                from = in(reg) from.add(line * LINE_BYTES),
                to = in(reg) to.add(line * LINE_BYTES),
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                options(nostack, preserves_flags),
            );
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Of each length up to some lines, and from each place of a line: all of it is there, 0 behind the last byte in its
    /// word, and nothing beside it. (Planted: a line is left out, one more is written, the rest is not.)
    #[test]
    fn bytes_are_whole_at_any_place_and_length() {
        let bytes: Vec<u8> = (0..400).map(|at| (at % 251) as u8 + 1).collect();
        for place in 0..17 {
            for from in 0..9 {
                for len in 0..=300 {
                    let words: Vec<_> = (0..64).map(|_| AtomicU64::new(u64::MAX)).collect();
                    AtomicU64::store_bytes(&words[place..], &bytes[from..from + len]);
                    let mut expected = bytes[from..from + len].to_vec();
                    expected.resize(len.next_multiple_of(8), 0);
                    let mut read = vec![0; 64];
                    AtomicU64::load_words(&words, &mut read);
                    let read: Vec<u8> = read.into_iter().flat_map(u64::to_ne_bytes).collect();
                    let (before, rest) = read.split_at(8 * place);
                    let (found, behind) = rest.split_at(expected.len());
                    assert!(found == expected, "{len} bytes from {from} at {place}");
                    let mut beside = before.iter().chain(behind);
                    assert!(beside.all(|&byte| byte == 255), "beside {len} at {place}");
                }
            }
        }
    }

    /// Any number of words from any on, into memory that begins anywhere, and nothing beside them. (Planted as above.)
    #[test]
    fn words_are_read_whole_from_any_place() {
        let words: Vec<_> = (1..=64).map(AtomicU64::new).collect();
        for place in 0..17 {
            for len in 0..=40 {
                let mut values = vec![0; 64];
                AtomicU64::load_words(&words[place..], &mut values[9..9 + len]);
                let expected: Vec<u64> = (1..=64).skip(place).take(len).collect();
                assert_eq!(values[9..9 + len], expected, "{len} from {place}");
                let mut beside = values[..9].iter().chain(&values[9 + len..]);
                assert!(beside.all(|&value| value == 0), "beside {len} from {place}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "range end index 3 out of range")]
    fn fewer_words_than_bytes_are_refused() {
        AtomicU64::store_bytes(&[AtomicU64::new(0), AtomicU64::new(0)], &[1; 17]);
    }

    #[test]
    #[should_panic(expected = "15")]
    fn fewer_words_than_values_are_refused() {
        let words: Vec<_> = (0..15).map(AtomicU64::new).collect();
        AtomicU64::load_words(&words, &mut [0; 16]);
    }
}
