//! The layout against what its users rely on: nothing overlaps, nothing lies outside, what
//! different ranks write is apart, and nothing is wasted beyond that.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::provider::QueueSpec;

fn fabrics() -> impl Strategy<Value = FabricSpec> {
    let lengths =
        prop_oneof![0..200_usize, Just(INLINE_BYTES), Just(INLINE_BYTES + 1), 4000..4200_usize];
    let queue = (0..10_u32, lengths).prop_map(|(recv_descriptors, descriptor_bytes)| QueueSpec {
        recv_descriptors,
        descriptor_bytes,
    });
    (vec(queue, 0..4), 0..600_usize, 0..3_usize).prop_map(|(queues, shared_words, heap_pages)| {
        FabricSpec { queues, shared_words, heap_bytes: heap_pages * PAGE }
    })
}

fn all_pairs(size: usize) -> impl Iterator<Item = (Rank, Rank)> {
    (0..size).flat_map(move |receiver| (0..size).map(move |sender| (receiver, sender)))
}

/// Everything that somebody uses, as the other files take it.
fn parts(layout: &SegmentLayout) -> Vec<Range<usize>> {
    let control = layout.control;
    let part = |start: usize, len: usize| start..start + len;
    let mut parts = vec![part(0, header::BYTES), part(layout.shared(), layout.shared_words * 8)];
    for rank in 0..control.size() {
        let port = control.port(rank);
        parts.push(part(port, PORT_STATES * 4));
        let ready = |queue| part(port + control.ready(queue), control.ready_words() * 8);
        parts.extend((0..MAX_QUEUES).map(ready));
        parts.push(part(control.identity(rank), reading::RANK_WORDS * 8));
        parts.push(part(layout.registered(rank), REGISTERED_BYTES));
        parts.push(part(layout.heap(rank), layout.heap_bytes));
    }
    for (receiver, sender) in all_pairs(control.size()) {
        let words = [
            (layout.offers(receiver, sender), offers::PAIR_WORDS),
            (layout.readable(receiver, sender), reading::PAIR_WORDS),
            (layout.lent(receiver, sender), lent::PAIR_WORDS),
            (layout.filled(receiver, sender), filling::PAIR_WORDS),
        ];
        parts.extend(words.iter().filter_map(|(at, count)| at.map(|at| part(at, count * 8))));
    }
    for (queue, of) in layout.queues.iter().enumerate() {
        for receiver in 0..control.size() {
            for sender in 0..control.size() {
                parts.push(part(layout.cells(queue, receiver, sender), of.cells * 64));
                parts.push(part(layout.returns(queue, receiver, sender), of.cells * 8));
                parts.push(part(layout.taken(queue, receiver, sender), 8));
                parts.push(layout.buffers(queue, receiver, sender));
            }
        }
    }
    parts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_part_has_its_own_place(size in 1..5_usize, spec in fabrics()) {
        let layout = SegmentLayout::new(size, &spec).unwrap();
        let mut parts = parts(&layout);
        parts.retain(|part| !part.is_empty());
        parts.sort_by_key(|part| part.start);
        for (one, next) in parts.iter().zip(&parts[1..]) {
            prop_assert!(one.end <= next.start, "{one:?} and {next:?} overlap");
            prop_assert!(next.start - one.end < PAGE, "much is wasted between {one:?} and {next:?}");
            prop_assert_eq!(next.start % 8, 0);
        }
        let last = parts.last().unwrap().end;
        prop_assert!(last <= layout.bytes && layout.bytes - last < 2 * PAGE);
        prop_assert_eq!((layout.bytes % PAGE, layout.control.bytes() % PAGE), (0, 0));
        prop_assert_eq!(SegmentLayout::unlimited(size, &spec).unwrap(), layout);
    }

    #[test]
    fn words_of_different_ranks_are_on_different_lines(size in 2..5_usize, spec in fabrics()) {
        let layout = SegmentLayout::new(size, &spec).unwrap();
        let apart = |at: usize| at.is_multiple_of(128);
        for rank in 0..size {
            prop_assert!(apart(layout.control.port(rank)) && apart(layout.registered(rank)));
            prop_assert!(layout.control.port(rank) < layout.control.bytes());
        }
        prop_assert!(apart(layout.shared()) && layout.shared() >= layout.control.bytes());
        for (queue, of) in layout.queues.iter().enumerate() {
            prop_assert!(of.cells.is_power_of_two() && of.cells >= of.descriptors);
            prop_assert!(of.cells < 2 * of.descriptors.max(1));
            let needs_buffer = of.message_bytes > INLINE_BYTES;
            prop_assert_eq!(of.stride > 0, needs_buffer);
            prop_assert!(!needs_buffer || of.stride >= of.message_bytes);
            prop_assert!(!needs_buffer || of.stride < of.message_bytes + 64);
            prop_assert_eq!(of.stride % 64, 0);
            for (receiver, sender) in (0..size).flat_map(|r| (0..size).map(move |s| (r, s))) {
                prop_assert!(apart(layout.cells(queue, receiver, sender)));
                prop_assert!(apart(layout.returns(queue, receiver, sender)));
                prop_assert!(apart(layout.taken(queue, receiver, sender)));
                let buffers = layout.buffers(queue, receiver, sender);
                prop_assert_eq!(buffers.len(), of.descriptors * of.stride);
                prop_assert_eq!(buffers.start % 64, 0);
            }
            prop_assert_eq!(layout.buffers(queue, 0, 0).start % PAGE, 0);
        }
    }

    /// Ranks that disagree find it out.
    #[test]
    fn different_layouts_have_different_hashes(
        one in 1..9_usize, one_spec in fabrics(), other in 1..9_usize, other_spec in fabrics(),
    ) {
        let (one, other) = (SegmentLayout::new(one, &one_spec).unwrap(), SegmentLayout::new(other, &other_spec).unwrap());
        prop_assert_eq!(one.hash() == other.hash(), one == other);
        prop_assert!(one.hash() != 0);
    }
}

#[test]
fn each_number_of_a_fabric_changes_the_hash() {
    let queue =
        |recv_descriptors, descriptor_bytes| QueueSpec { recv_descriptors, descriptor_bytes };
    let spec = |shared_words, queues: &[QueueSpec]| FabricSpec {
        queues: queues.to_vec(),
        shared_words,
        heap_bytes: 0,
    };
    let all = [
        (2, spec(8, &[queue(5, 40), queue(4, 100)])),
        (3, spec(8, &[queue(5, 40), queue(4, 100)])),
        // In the same places.
        (2, spec(9, &[queue(5, 40), queue(4, 100)])),
        (2, spec(8, &[queue(6, 40), queue(4, 100)])),
        (2, spec(8, &[queue(5, 41), queue(4, 100)])),
        (2, spec(8, &[queue(4, 40), queue(5, 100)])),
        (2, spec(8, &[queue(5, 40)])),
        (2, spec(8, &[])),
    ];
    let mut numbers: Vec<u64> =
        all.iter().map(|(size, spec)| SegmentLayout::new(*size, spec).unwrap().hash()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), all.len());
}

#[test]
fn the_limits_are_those_of_the_widest_queue() {
    let queue =
        |recv_descriptors, descriptor_bytes| QueueSpec { recv_descriptors, descriptor_bytes };
    let queues = vec![queue(5, 400), queue(9, 40), queue(1, 100)];
    let attributes = SegmentLayout::new(3, &FabricSpec { queues, shared_words: 1, heap_bytes: 0 })
        .unwrap()
        .attributes(2, 3);
    assert_eq!((attributes.max_message_bytes, attributes.max_descriptors_per_vi), (400, 9));
    assert_eq!((attributes.completion_queues, attributes.max_ranks), (3, 256));
    assert_eq!((attributes.rank, attributes.size), (2, 3));
    assert_eq!((attributes.max_registered_bytes, attributes.max_regions), (64 << 10, 16));
    let none =
        SegmentLayout::new(3, &FabricSpec { queues: vec![], shared_words: 1, heap_bytes: 0 })
            .unwrap()
            .attributes(0, 3);
    assert_eq!((none.max_message_bytes, none.max_descriptors_per_vi), (0, 0));
}

/// As much as is allowed is allowed, and not one more.
#[test]
fn each_limit_is_kept() {
    let queue =
        |recv_descriptors, descriptor_bytes| QueueSpec { recv_descriptors, descriptor_bytes };
    let fits = |size, shared_words, queues: &[QueueSpec]| {
        let spec = FabricSpec { queues: queues.to_vec(), shared_words, heap_bytes: 0 };
        SegmentLayout::unlimited(size, &spec).is_ok()
    };
    let least = queue(1, 8);
    for (within, above) in [
        (fits(256, 1, &[least]), fits(257, 1, &[least])),
        (fits(2, MAX_SHARED_WORDS, &[least]), fits(2, MAX_SHARED_WORDS + 1, &[least])),
        (fits(2, 1, &[least; 16]), fits(2, 1, &[least; 17])),
        (fits(2, 1, &[queue(1 << 16, 8)]), fits(2, 1, &[queue((1 << 16) + 1, 8)])),
        (fits(2, 1, &[queue(1, 1 << 20)]), fits(2, 1, &[queue(1, (1 << 20) + 1)])),
    ] {
        assert!(within && !above);
    }
    // What is summed up is not cut: from one descriptor on to the next it only grows.
    let bytes = |size, descriptors| {
        let spec = FabricSpec {
            queues: vec![queue(descriptors, 1 << 20)],
            shared_words: 0,
            heap_bytes: 0,
        };
        SegmentLayout::unlimited(size, &spec).unwrap().bytes
    };
    assert_eq!(bytes(2, 1 << 10) - bytes(2, 1 << 9), 4 * ((1 << 29) + (1 << 9) * 72));
    assert_eq!(
        bytes(16, 1 << 16),
        256 * (1 << 16) * ((1 << 20) + 72) + bytes(16, 0) - 256 * (128 + 128)
    );
}
