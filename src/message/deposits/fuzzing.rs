//! A way in for the fuzz targets: where the deposits of a world lie.
//!
//! It decides nothing and is no part of the interface; without the flag `fuzzing` it is not
//! there.

use std::ops::Range;

use super::layout::{LINE, Layout, RESTS, SLOTS};
use crate::message::barriers::board_words;
use crate::order::Rank;

/// So many slots are told together.
const TOGETHER: usize = 16;

/// The shared words of the world's deposits, where its `size` ranks are on one host: for each rank what it sleeps for; its
/// tag and what it has finished; its slots, some at a time; and each of its rests.
pub fn of_world(size: usize) -> Vec<Range<usize>> {
    // The world has the first place.
    let (layout, place) = (Layout::behind(board_words(size, 1), size, 1), 0);
    let from = |first: usize, words: usize| first..first + words;
    let of_rank = |rank: Rank| {
        let (slots, tag) = (layout.index(place, rank, 0), layout.tag(place, rank));
        let some = (0..SLOTS / TOGETHER).map(move |nth| slots + nth * TOGETHER * LINE);
        let rests = (0..RESTS as u64).map(move |nth| layout.rest(place, rank, nth));
        let rest_words = layout.rest(place, rank, 1) - layout.rest(place, rank, 0);
        [from(layout.wants(rank), 2), tag..layout.finished(place, rank) + 1]
            .into_iter()
            .chain(some.map(move |first| from(first, TOGETHER * LINE)))
            .chain(rests.map(move |first| from(first, rest_words)))
    };
    (0..size).flat_map(of_rank).collect()
}
