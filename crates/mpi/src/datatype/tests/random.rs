//! Random datatypes against the reference: bounds, elements, packing and unpacking whole and in pieces.
//!
//! [`compare`] is the checker. The last test plants faults, each of which it must find.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;

use super::memory::Memory;
use super::model::{Facts, Model};
use super::plan::{Plan, plans};
use crate::datatype::{Cursor, Datatype, Predefined};

/// Type maps of more elements are left out: the reference is slow.
const MOST_ELEMENTS: u64 = 1_500;

fn facts(datatype: &Datatype) -> Facts {
    Facts {
        size: datatype.size(),
        bounds: (datatype.lb(), datatype.extent()),
        true_bounds: (datatype.true_lb(), datatype.true_extent()),
        elements: datatype.signature().elements(),
        hash: datatype.signature().hash(1),
    }
}

/// A byte that tells displacements apart.
fn byte_at(displacement: i64) -> u8 {
    (displacement.wrapping_mul(0x9e37_79b9) >> 7) as u8
}

/// The pieces between the cuts.
fn pieces(total: usize, cuts: &[Index]) -> Vec<(usize, usize)> {
    let mut ends: Vec<_> = cuts.iter().map(|cut| cut.index(total + 1)).collect();
    ends.extend([0, total]);
    ends.sort_unstable();
    ends.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).collect()
}

/// Compares the datatype with the reference; says what differs.
fn compare(
    datatype: &Arc<Datatype>,
    model: &Model,
    count: usize,
    cuts: &[Index],
) -> Result<(), String> {
    let equal = |what: &str, same: bool| same.then_some(()).ok_or_else(|| what.to_owned());
    let (found, expected) = (facts(datatype), model.facts());
    equal("size", found.size == expected.size)?;
    equal("true bounds", found.true_bounds == expected.true_bounds)?;
    equal("bounds", found.bounds == expected.bounds)?;
    equal("elements", found.elements == expected.elements)?;
    equal("hash", found.hash == expected.hash)?;
    equal("hash of several", datatype.signature().hash(count) == model.hash(count))?;

    let places = model.displacements(count);
    let memory = Memory::new(datatype, count, byte_at);
    let stream: Vec<_> = places.iter().map(|at| byte_at(*at)).collect();
    equal("packed bytes", datatype.packed_bytes(count) == Ok(stream.len()))?;
    equal("pack", memory.pack(datatype, count, 0, stream.len() + 3) == stream)?;
    let span_holds = datatype.span(count).is_none_or(|span| {
        let consecutive = (0..span.bytes as i64).map(|byte| span.offset as i64 + byte);
        consecutive.eq(places.iter().copied())
    });
    equal("span", span_holds)?;
    for (start, bytes) in pieces(stream.len(), cuts) {
        let piece = memory.pack(datatype, count, start, bytes);
        equal("pack a piece", piece == stream[start..start + bytes])?;
    }

    let sent: Vec<_> = (0..stream.len()).map(|at| (at % 251) as u8 | 1).collect();
    let blank = Memory::new(datatype, count, |_| 0);
    let mut expected = blank.clone();
    for (at, value) in places.iter().zip(&sent) {
        expected.bytes[(expected.base as i64 + at) as usize] = *value;
    }
    let mut unpacked = blank.clone();
    equal("unpacked bytes", unpacked.unpack(datatype, count, 0, &sent) == sent.len())?;
    equal("unpack", unpacked == expected)?;
    let mut by_pieces = blank.clone();
    let base = by_pieces.bytes.as_mut_ptr().wrapping_add(by_pieces.base);
    let cursor = Cursor::new(datatype.clone(), base, count);
    let mut cursor = cursor.map_err(|error| error.to_string())?;
    for (start, bytes) in pieces(sent.len(), cuts) {
        equal("position", cursor.position() == start)?;
        // SAFETY: the memory has all bytes that the datatype names.
        let used = unsafe { cursor.unpack_next(&sent[start..start + bytes]) };
        equal("unpacked piece", used == bytes)?;
    }
    equal("left", cursor.left() == 0)?;
    equal("unpack by pieces", by_pieces == expected)?;

    for cut in cuts {
        let bytes = cut.index(2 * found.size + 1);
        let elements = datatype.signature().elements_of(bytes);
        equal("elements of bytes", elements == model.elements_of(bytes))?;
        if let (Some(elements), true) = (elements, found.size > 0) {
            equal("bytes of elements", datatype.signature().bytes_of(elements) == Some(bytes))?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn datatypes_are_what_the_standard_defines(
        plan in plans().prop_filter("small", |plan| plan.weight() <= MOST_ELEMENTS),
        count in 0..4_usize,
        cuts in prop::collection::vec(any::<Index>(), 0..12),
    ) {
        let datatype = plan.build(&Predefined::default()).expect("arguments that are allowed");
        let difference = compare(&datatype, &plan.expand(), count, &cuts).err();
        prop_assert_eq!(difference, None);
    }
}

/// A datatype that is almost right, and the plan for the right one.
fn almost(right: &Plan, wrong: &Plan) -> Result<(), String> {
    let datatype = wrong.build(&Predefined::default()).expect("arguments that are allowed");
    compare(&datatype, &right.expand(), 2, &[])
}

#[test]
fn planted_faults_are_found() {
    let int = || Box::new(Plan::Predefined(0x209));
    let right = Plan::Vector(3, 2, 4, int());
    assert_eq!(almost(&right, &right), Ok(()));
    let faults = [
        (Plan::Vector(3, 2, 3, int()), "true bounds"),
        (Plan::Vector(3, 1, 4, int()), "size"),
        // The same bytes, but the second block before the first.
        (Plan::Indexed(vec![(2, 4), (2, 0), (2, 8)], int()), "pack"),
        // The middle block elsewhere.
        (Plan::Indexed(vec![(2, 0), (2, 5), (2, 8)], int()), "pack"),
        // Another element of the same size.
        (Plan::Vector(3, 2, 4, Box::new(Plan::Predefined(0x219))), "hash"),
        // Fewer and larger elements.
        (Plan::Vector(3, 1, 2, Box::new(Plan::Predefined(0x214))), "elements"),
        // Another extent.
        (Plan::Resized(0, 44, Box::new(right.clone())), "bounds"),
        (Plan::Resized(-4, 44, Box::new(right.clone())), "bounds"),
    ];
    for (wrong, difference) in faults {
        assert_eq!(almost(&right, &wrong), Err(difference.to_owned()), "{wrong:?}");
    }
    // The reference without its first element, so with fewer bytes than the datatype moves.
    let mut model = right.expand();
    model.0.remove(0);
    let datatype = right.build(&Predefined::default()).expect("arguments that are allowed");
    assert!(compare(&datatype, &model, 1, &[]).is_err());
    // Two elements of different sizes change places: nothing but their sequence differs.
    let pair = |first, second: usize| {
        Plan::Struct(vec![(1, 0, Plan::Predefined(first)), (1, 4, Plan::Predefined(second))])
    };
    assert_eq!(almost(&pair(0x209, 0x219), &pair(0x219, 0x209)), Err("hash".to_owned()));
}
