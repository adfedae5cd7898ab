//! The blocks of a heap against an oracle that keeps a list of those in use.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// What an oracle knows of a block: where it begins, how much was asked for, and its key.
type Taken = (Block, usize);

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT_BYTES).max(1).next_power_of_two()
}

/// Whether a block of so many units could be placed beside those in use, at a multiple of its length.
fn has_room(taken: &[Taken], heap_bytes: usize, units_wanted: usize) -> bool {
    let count = heap_bytes / UNIT_BYTES;
    (0..count).step_by(units_wanted).any(|first| {
        first + units_wanted <= count
            && taken.iter().all(|&(block, bytes)| {
                let its = block.at / UNIT_BYTES;
                first + units_wanted <= its || its + units(bytes) <= first
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Blocks lie apart and within the heap, a block is refused only where none fits, one is free when
    /// all its users have given it back, and when all have come back the heap is as it was. (Planted: a
    /// buddy of another order is merged; a block that comes back is not merged; a user is not
    /// counted.)
    #[test]
    fn blocks_never_overlap_and_a_heap_that_is_free_is_whole(
        heap_units in 1..200_usize,
        steps in vec((0..4_u8, 1..70_000_usize, any::<usize>()), 0..200),
    ) {
        let heap_bytes = heap_units * UNIT_BYTES;
        let mut heap = Heap::new(heap_bytes);
        let mut taken: Vec<Taken> = Vec::new();
        for (step, bytes, which) in steps {
            if step == 3 && !taken.is_empty() {
                // One more user has the same block.
                let again = taken[which % taken.len()];
                prop_assert!(heap.share(again.0));
                let others = [
                    Block { key: again.0.key ^ 1, ..again.0 },
                    Block { at: again.0.at + 8, ..again.0 },
                ];
                prop_assert!(others.iter().all(|&other| !heap.share(other)));
                taken.push(again);
            } else if step > 0 || taken.is_empty() {
                match heap.take(bytes) {
                    Some(block) => {
                        prop_assert!(has_room(&taken, heap_bytes, units(bytes)));
                        prop_assert!(block.at + bytes <= heap_bytes);
                        prop_assert_eq!(block.at % (units(bytes) * UNIT_BYTES), 0);
                        for &(other, its) in &taken {
                            let apart = block.at + bytes <= other.at || other.at + its <= block.at;
                            prop_assert!(apart, "{:?} and {:?} overlap", block, other);
                        }
                        taken.push((block, bytes));
                    }
                    None => prop_assert!(!has_room(&taken, heap_bytes, units(bytes))),
                }
            } else {
                let (block, _) = taken.swap_remove(which % taken.len());
                heap.give_back(block);
                // Neither more often than it was taken, nor by another key, nor in its middle.
                if !taken.iter().any(|(other, _)| *other == block) {
                    heap.give_back(block);
                    prop_assert!(!heap.share(block));
                }
                heap.give_back(Block { key: block.key ^ 1, ..block });
                heap.give_back(Block { at: block.at + 8, ..block });
            }
            let blocks: std::collections::HashSet<usize> = taken.iter().map(|it| it.0.at).collect();
            prop_assert_eq!(heap.used_blocks, blocks.len());
        }
        for (block, _) in taken {
            heap.give_back(block);
        }
        let mut whole = Heap::new(heap_bytes);
        whole.lay_out();
        let lengths = |heap: &Heap| -> Vec<(usize, u8)> {
            let units = heap.units.iter().enumerate();
            let free = units.filter_map(|(at, unit)| match unit {
                Unit::Free { order, .. } => Some((at, *order)),
                _ => None,
            });
            free.collect()
        };
        if !heap.units.is_empty() {
            prop_assert_eq!(lengths(&heap), lengths(&whole));
        }
    }
}

#[test]
fn the_block_that_came_back_last_is_taken_first() {
    let mut heap = Heap::new(16 * UNIT_BYTES);
    let blocks: Vec<Block> = (0..16).map(|_| heap.take(UNIT_BYTES).unwrap()).collect();
    assert_eq!(heap.take(1), None);
    // None of them has a free buddy.
    for which in [2, 9, 4] {
        heap.give_back(blocks[which]);
    }
    for which in [4, 9, 2] {
        assert_eq!(heap.take(1).unwrap().at, blocks[which].at);
    }
}

/// A loop that takes and gives back the same lengths goes over the same memory.
#[test]
fn the_same_steps_use_the_same_memory() {
    let mut heap = Heap::new(64 << 20);
    let mut places = Vec::new();
    for _ in 0..10 {
        let blocks = [4 << 20, 64 << 10, 1 << 20].map(|bytes| heap.take(bytes).unwrap());
        places.push(blocks.map(|block| block.at));
        blocks.into_iter().for_each(|block| heap.give_back(block));
    }
    places.dedup();
    assert_eq!(places.len(), 1, "{places:?}");
}

#[test]
fn a_heap_without_room_gives_no_block() {
    for bytes in [0, 1, UNIT_BYTES - 1] {
        assert_eq!(Heap::new(bytes).take(1), None);
    }
    let mut heap = Heap::new(3 * UNIT_BYTES);
    assert_eq!(heap.take(3 * UNIT_BYTES), None, "four units");
    assert_eq!(heap.take(usize::MAX), None);
    assert_eq!(heap.take(2 * UNIT_BYTES).map(|block| block.at), Some(0));
}

/// What lies beyond a bound goes back once, when nothing is in use and it was not needed for a while.
#[test]
fn memory_of_an_idle_heap_goes_back() {
    let (mut heap, begin) = (Heap::new(64 << 20), Instant::now());
    let after = |spans: u32| move || begin.after(KEPT_FOR * spans).expect("a moment");
    let small = heap.take(1000).unwrap();
    let large = heap.take((17 << 20) + 1).unwrap();
    assert_eq!((small.at, large.at), (0, 32 << 20));
    heap.give_back(large);
    assert_eq!(heap.poll_idle(after(9)), None, "a block is in use");
    heap.give_back(small);
    assert_eq!(heap.poll_idle(after(0)), None, "the span begins");
    assert_eq!(heap.poll_idle(after(1)), None, "it was needed in this one");
    assert_eq!(heap.poll_idle(after(1)), None, "the span has just begun");
    assert_eq!(heap.poll_idle(after(2)), None, "it was needed in the one before");
    assert_eq!(heap.poll_idle(after(3)), Some(KEPT_BYTES..(49 << 20) + UNIT_BYTES));
    assert_eq!(heap.poll_idle(after(9)), None);
    let again = heap.take(KEPT_BYTES).unwrap();
    heap.give_back(again);
    assert_eq!(heap.poll_idle(after(20)), None, "that much stays");
}

/// What is needed again and again stays, and what is less goes back. (Planted: it goes back each time.)
#[test]
fn memory_that_is_needed_in_each_step_stays() {
    let (mut heap, begin) = (Heap::new(64 << 20), Instant::now());
    for step in 0..10 {
        let block = heap.take(if step == 0 { 64 << 20 } else { 32 << 20 }).unwrap();
        heap.give_back(block);
        let given = heap.poll_idle(|| begin.after(KEPT_FOR * 3 / 4 * step).expect("a moment"));
        // The spans end at steps 2, 4 and 6.
        assert_eq!(given, (step == 6).then_some(32 << 20..64 << 20), "{step}");
    }
}
