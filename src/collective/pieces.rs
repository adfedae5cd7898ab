//! The pieces in which the payload of a collective travels along an edge of its tree. Pure.
//!
//! All members compute the same pieces from the number of elements and the sizes of the world.

use std::ops::Range;

use super::call::Word;
use crate::comm::Element;

/// The smallest piece of a payload that travels in several, in bytes, where nothing was measured.
/// Its receiver reads or forwards one while the sender copies the next.
///
/// Measured with 2 cores and 8 ranks in trees that forward, with payloads of 512 KiB and 2 MiB,
/// this takes 0.5 to 0.8 times as long as one piece. Pieces of 256 KiB take nearly the same, and so
/// do 64 pieces instead of at most 7. 64 pieces of 16 KiB take 1.3 to 2.3 times as long as this.
pub(super) const PIECE_BYTES: usize = 64 << 10;

/// An eager limit below this is not worth keeping to.
const LEAST_EAGER_BYTES: usize = 128;

/// The most pieces after the first.
pub(super) const MOST_PIECES: usize = 8;

/// Up to so many pieces of the eager limit a payload travels in if each has one receiver, on the
/// same host: see [`least_piece`]. With more, a sender could run ahead of its receiver by few calls
/// only.
pub(super) const EAGER_PIECES: usize = 2 * MOST_PIECES;

/// The same where that one has other senders too.
pub(super) const FEW_EAGER_PIECES: usize = MOST_PIECES;

/// The smallest piece of a payload of so many bytes: the eager limit if it has up to `most` such
/// pieces, as far as the window allows so many. These need no asking, and lie in memory that is always warm. But each receiver has a
/// copy of its own.
///
/// Measured with 2 cores: two ranks take 0.6 to 0.8 times as long with 64 and 256 KiB as in pieces
/// of 64 KiB, and 1.5 times with 1 MiB. A chain of 3 to 8 takes 0.6 to 0.85 times as long with 64
/// KiB, a reduction of 4 0.83 times, and with 128 KiB 1.3 times.
pub(super) fn least_piece(
    bytes: usize,
    eager_bytes: usize,
    window_messages: u32,
    most: usize,
) -> usize {
    let most = most.min(most_pieces(window_messages, eager_bytes));
    match bytes <= most.saturating_mul(eager_bytes) {
        true => eager_bytes.clamp(LEAST_EAGER_BYTES, PIECE_BYTES),
        false => PIECE_BYTES,
    }
}

/// How many pieces after the first, of `least` bytes, a payload has at most, with this window. Two
/// calls fit into one, so that a rank which only sends need not wait for a receiver that has not
/// begun.
pub(super) fn most_pieces(window_messages: u32, least: usize) -> usize {
    // Small pieces were asked for, so that there are more.
    let most = MOST_PIECES * (PIECE_BYTES / least.max(1)).clamp(1, 4);
    (window_messages as usize / 2).saturating_sub(1).clamp(1, most)
}

/// Whether so many bytes travel behind the word of the call, eagerly.
#[inline]
pub(super) fn fits_behind_word(bytes: usize, (eager_bytes, message_bytes): (usize, usize)) -> bool {
    bytes.saturating_add(Word::BYTES) <= eager_bytes.min(message_bytes)
}

/// A part of the payload of an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Whether it is the first, which begins with the call's word.
    pub(super) begins: bool,
    /// Its elements.
    pub(super) range: Range<usize>,
}

impl Piece {
    /// The piece after the first `sent` of `count` elements (None before the first piece). It is
    /// usually as long as the eager limit permits.
    pub(super) fn eager<T: Element>(
        sent: Option<usize>,
        count: usize,
        eager_bytes: usize,
    ) -> Piece {
        let size = size_of::<T>();
        let (begins, start) = (sent.is_none(), sent.unwrap_or(0));
        let length = match begins {
            true => eager_bytes.saturating_sub(Word::BYTES) / size,
            // If hardly anything may be sent eagerly, one rendezvous for much is better.
            false if eager_bytes < LEAST_EAGER_BYTES => (PIECE_BYTES / size).max(1),
            false => (eager_bytes / size).max(1),
        };
        Piece { begins, range: start..count.min(start.saturating_add(length)) }
    }
}

/// The pieces of a payload, in order. The first is empty if the payload does not fit behind the
/// word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pieces {
    count: usize,
    /// Whether the payload fits behind the word, within the eager limit.
    fits: bool,
    /// The number of elements of the first piece, and of the others.
    first: usize,
    each: usize,
    /// Where the next piece begins; None before the first.
    next: Option<usize>,
}

impl Pieces {
    /// The pieces of `count` elements: one behind the word if it fits. Otherwise up to `most` after
    /// the word, of at least `least` bytes, or more where the longest message demands it.
    pub(super) fn new<T: Element>(
        count: usize,
        (eager_bytes, message_bytes): (usize, usize),
        (most, least): (usize, usize),
    ) -> Pieces {
        let (size, bytes) = (size_of::<T>(), count.saturating_mul(size_of::<T>()));
        let fits = fits_behind_word(bytes, (eager_bytes, message_bytes));
        let wanted = match most {
            ..=1 => count,
            most => count.div_ceil(most).max(least / size),
        };
        let each = wanted.min(message_bytes / size).max(1);
        Pieces { count, fits, first: if fits { count } else { 0 }, each, next: None }
    }

    /// Whether the whole payload travels behind the word, eagerly. If the word itself is above the
    /// eager limit, not even an empty payload does.
    pub(super) fn is_small(&self) -> bool {
        self.fits
    }
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let (begins, start, length) = match self.next {
            None => (true, 0, self.first),
            Some(start) if start < self.count => (false, start, self.each),
            Some(_) => return None,
        };
        let end = start.saturating_add(length).min(self.count);
        self.next = Some(end);
        Some(Piece { begins, range: start..end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A payload takes at most half of a window, or two messages.
    /// SEMANTICS: COL-2
    #[test]
    fn pieces_leave_half_of_the_window() {
        for window in 1..=4096 {
            for least in [1, 100, 2048, 8 << 10, 64 << 10, usize::MAX] {
                let messages = 1 + most_pieces(window, least);
                assert!(messages <= (window as usize / 2).max(2), "{messages} of {window}");
            }
        }
    }

    /// Pieces that are to be within the eager limit are, with any window and limit.
    #[test]
    fn eager_pieces_are_within_the_eager_limit() {
        let mut eagers = 0;
        for (window, eager) in
            [(128, 8192), (64, 4096), (32, 2048), (16, 1024), (8, 512), (1, 8192)]
        {
            for bytes in (1..300).map(|part| part * 1000) {
                let least = least_piece(bytes, eager, window, EAGER_PIECES);
                let most = most_pieces(window, least);
                let mut pieces = Pieces::new::<u8>(bytes, (eager, usize::MAX), (most, least));
                if least == eager {
                    eagers += 1;
                    let fits = pieces.all(|piece| piece.range.len() <= eager);
                    assert!(fits, "{bytes} bytes, a window of {window}");
                }
            }
        }
        assert!(eagers > 200, "{eagers}");
        // Others are as long as always.
        assert_eq!(least_piece(8192, 8192, 128, 0), PIECE_BYTES);
        assert_eq!(least_piece(16 * 8192 + 1, 8192, 128, EAGER_PIECES), PIECE_BYTES);
    }

    /// They cover the payload in order; only the first begins with a word; none but it is empty,
    /// none is above the limits; and there are not many.
    #[test]
    fn pieces_cover_the_payload() {
        for count in [0usize, 1, 2, 7, 1000, 8192, 8193, 100_000, 1_000_000] {
            for eager in [0, 16, 24, 28, 64, 8192] {
                for limit in [1, 100, usize::MAX] {
                    for most in [1, 3, MOST_PIECES] {
                        let pieces = Pieces::new::<u32>(count, (eager, limit), (most, PIECE_BYTES));
                        let small = pieces.is_small();
                        assert_eq!(small, 24 + 4 * count <= eager.min(limit));
                        if limit == 1 && count > 10_000 {
                            continue; // one element each
                        }
                        let all: Vec<Piece> = pieces.collect();
                        let mut at = 0;
                        for (number, piece) in all.iter().enumerate() {
                            assert_eq!(piece.begins, number == 0);
                            assert_eq!(piece.range.start, at);
                            assert!(number == 0 || !piece.range.is_empty());
                            assert!(number == 0 || piece.range.len() * 4 <= limit.max(4));
                            at = piece.range.end;
                        }
                        assert_eq!(at, count);
                        assert!(limit < usize::MAX || all.len() <= 1 + most, "{}", all.len());
                    }
                }
            }
        }
    }
}
