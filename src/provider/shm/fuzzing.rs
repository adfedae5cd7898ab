//! A way in for the fuzz targets: where the parts of a segment lie that peers write.
//!
//! It decides nothing and is no part of the interface; without the feature `fuzzing` it is not
//! there.

use std::ops::Range;

use super::layout::{MAX_QUEUES, SegmentLayout, header};
use super::{filling, lent, offers, reading};
use crate::order::Rank;
use crate::provider::FabricSpec;
use crate::verbs::VerbsError;

/// Where the words lie that all ranks share, in bytes from the start of the file.
///
/// # Errors
///
/// As those of [`parts`].
pub fn shared(size: usize, spec: &FabricSpec) -> Result<Range<usize>, VerbsError> {
    let layout = SegmentLayout::new(size, spec)?;
    Ok(layout.shared()..layout.shared() + layout.shared_words * 8)
}

/// The parts, in bytes from the start of the file: the header; the port of each rank; the words
/// that all share; the regions of each rank, and the start of what it has registered; and for each
/// queue and pair the cells, returned descriptors, and the buffers; the heap of each rank; and for each
/// pair what one offers and lends to the other, how far a copy for it is, and whether that one can read it; and where each rank says
/// which process it is.
///
/// # Errors
///
/// [`VerbsError::AboveLimit`] if there can be no such segment.
pub fn parts(size: usize, spec: &FabricSpec) -> Result<Vec<Range<usize>>, VerbsError> {
    let layout = SegmentLayout::new(size, spec)?;
    let mut parts: Vec<_> = std::iter::once(0..header::BYTES).collect();
    let port = |rank: Rank| {
        let start = layout.control.port(rank);
        start..start + layout.control.ready(MAX_QUEUES)
    };
    parts.extend((0..size).map(port));
    parts.push(shared(size, spec)?);
    for rank in 0..size {
        parts.push(layout.registered(rank)..layout.registered(rank) + 64);
    }
    for (queue, its) in layout.queues.iter().enumerate() {
        let pairs = (0..size).flat_map(|receiver| (0..size).map(move |sender| (receiver, sender)));
        for (receiver, sender) in pairs.filter(|(receiver, sender)| receiver != sender) {
            let returns = layout.returns(queue, receiver, sender);
            parts.push(layout.cells(queue, receiver, sender)..returns);
            parts.push(returns..returns + its.cells * 8);
            let taken = layout.taken(queue, receiver, sender);
            parts.push(taken..taken + 8);
            parts.push(layout.buffers(queue, receiver, sender));
        }
    }
    parts.extend((0..size).map(|rank| layout.heap(rank)..layout.heap(rank) + layout.heap_bytes));
    let words = |start: usize, words: usize| start..start + words * 8;
    let pairs = (0..size).flat_map(|receiver| (0..size).map(move |sender| (receiver, sender)));
    for (receiver, sender) in pairs {
        parts.extend(layout.offers(receiver, sender).map(|at| words(at, offers::PAIR_WORDS)));
        parts.extend(layout.lent(receiver, sender).map(|at| words(at, lent::PAIR_WORDS)));
        parts.extend(layout.filled(receiver, sender).map(|at| words(at, filling::PAIR_WORDS)));
        parts.extend(layout.readable(receiver, sender).map(|at| words(at, reading::PAIR_WORDS)));
    }
    let identity = |rank: Rank| words(layout.control.identity(rank), reading::RANK_WORDS);
    parts.extend((0..size).map(identity));
    parts.retain(|part| !part.is_empty());
    Ok(parts)
}
