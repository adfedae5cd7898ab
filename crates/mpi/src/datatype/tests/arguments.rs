//! Arguments: what is refused, with which error class, and what the contents tell of those accepted.

use std::sync::Arc;

use crate::abi::*;
use crate::datatype::{Contents, Datatype, Predefined, TypeError};

fn int() -> Arc<Datatype> {
    Predefined::default().find(0x209).expect("MPI_INT").clone()
}

/// The error class.
fn class(result: Result<Arc<Datatype>, TypeError>) -> i32 {
    result.map_or_else(|error| error.class(), |_| MPI_SUCCESS)
}

#[test]
fn what_is_not_allowed_has_the_standard_s_class() {
    let int = int();
    let refused = [
        (Datatype::contiguous(-1, &int), MPI_ERR_COUNT),
        (Datatype::contiguous(-1_i64, &int), MPI_ERR_COUNT),
        (Datatype::vector(-1, 1, 1, &int), MPI_ERR_COUNT),
        (Datatype::vector(1, -1, 1, &int), MPI_ERR_ARG),
        (Datatype::hvector::<i32>(1, -1, 1, &int), MPI_ERR_ARG),
        (Datatype::indexed(&[1, -1], &[0, 1], &int), MPI_ERR_ARG),
        (Datatype::indexed(&[1, 1], &[0], &int), MPI_ERR_ARG),
        (Datatype::indexed_block(-1, &[0], &int), MPI_ERR_ARG),
        (Datatype::structure::<i32>(&[-2], &[0], std::slice::from_ref(&int)), MPI_ERR_ARG),
        (Datatype::structure::<i32>(&[1], &[0], &[]), MPI_ERR_ARG),
        (Datatype::contiguous(i64::MAX, &int), MPI_ERR_VALUE_TOO_LARGE),
        (Datatype::hvector::<i32>(3, 1, isize::MAX, &int), MPI_ERR_VALUE_TOO_LARGE),
        (Datatype::hindexed::<i32>(&[1], &[isize::MAX], &int), MPI_ERR_VALUE_TOO_LARGE),
        (Datatype::hindexed::<i32>(&[1, 1], &[isize::MIN, 0], &int), MPI_ERR_VALUE_TOO_LARGE),
        (Datatype::vector(i64::MAX, i64::MAX, 0, &int), MPI_ERR_VALUE_TOO_LARGE),
        (Datatype::resized::<i32>(isize::MAX, 1, &int), MPI_ERR_VALUE_TOO_LARGE),
        (Datatype::subarray::<i32>(&[], &[], &[], MPI_ORDER_C, &int), MPI_ERR_ARG),
        (Datatype::subarray(&[4], &[5], &[0], MPI_ORDER_C, &int), MPI_ERR_ARG),
        (Datatype::subarray(&[4], &[0], &[0], MPI_ORDER_C, &int), MPI_ERR_ARG),
        (Datatype::subarray(&[4], &[2], &[3], MPI_ORDER_C, &int), MPI_ERR_ARG),
        (Datatype::subarray(&[4], &[2], &[-1], MPI_ORDER_C, &int), MPI_ERR_ARG),
        (Datatype::subarray(&[4], &[2], &[1], 99, &int), MPI_ERR_ARG),
    ];
    for (number, (result, expected)) in refused.into_iter().enumerate() {
        assert_eq!(class(result), expected, "case {number}");
    }
}

#[test]
fn a_distribution_that_does_not_fit_is_refused() {
    let darray = |size, rank, kind, argument, processes| {
        Datatype::darray(size, rank, &[10], &[kind], &[argument], &[processes], MPI_ORDER_C, &int())
    };
    let (block, default) = (MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG);
    assert_eq!(class(darray(2, 1, block, default, 2)), MPI_SUCCESS);
    assert_eq!(class(darray(2, 2, block, default, 2)), MPI_ERR_ARG);
    assert_eq!(class(darray(2, -1, block, default, 2)), MPI_ERR_ARG);
    assert_eq!(class(darray(3, 0, block, default, 2)), MPI_ERR_ARG);
    assert_eq!(class(darray(0, 0, block, default, 0)), MPI_ERR_ARG);
    // Blocks of 4 on two processes hold 8 of the 10 elements.
    assert_eq!(class(darray(2, 1, block, 4, 2)), MPI_ERR_ARG);
    assert_eq!(class(darray(2, 1, MPI_DISTRIBUTE_CYCLIC, 0, 2)), MPI_ERR_ARG);
    assert_eq!(class(darray(2, 1, MPI_DISTRIBUTE_NONE, default, 2)), MPI_ERR_ARG);
    assert_eq!(class(darray(2, 1, 5, default, 2)), MPI_ERR_ARG);
    // More processes than elements: the last one has none.
    let last = darray(16, 15, block, default, 16).expect("a datatype");
    assert_eq!((last.size(), last.extent()), (0, 40));
}

#[test]
fn nesting_has_a_limit_and_neither_making_nor_dropping_recurses_far() {
    let mut datatype = int();
    let mut levels = 0;
    // Each level has its own two parts, which do not lie in a row.
    let error = loop {
        let parts = [int(), datatype.clone(), datatype.clone()];
        match Datatype::structure::<i32>(&[1, 0, 1], &[0, 0, 8], &parts) {
            Ok(deeper) => (datatype, levels) = (deeper, levels + 1),
            Err(error) => break error,
        }
    };
    assert_eq!(error.class(), MPI_ERR_TYPE);
    assert!(levels > 1_000, "{levels}");
    let mut packed = vec![0; datatype.size()];
    let memory = vec![0_u8; datatype.extent() as usize];
    // SAFETY: the memory is as long as the datatype.
    let bytes = unsafe { datatype.pack(memory.as_ptr(), 1, 0, &mut packed) };
    assert_eq!(bytes, packed.len());
    for _ in 0..100_000 {
        datatype = Datatype::duplicate(&datatype);
    }
    drop(datatype);
}

/// Integers, addresses and large counts.
fn arguments(contents: &Contents) -> (i32, &[i32], &[isize], &[i64]) {
    let Contents { combiner, integers, addresses, large_counts, .. } = contents;
    (*combiner, integers, addresses, large_counts)
}

/// What the contents of the datatype are, and that the envelope counts them.
#[track_caller]
fn assert_contents(
    datatype: Result<Arc<Datatype>, TypeError>,
    expected: (i32, &[i32], &[isize], &[i64]),
) {
    let datatype = datatype.expect("a datatype");
    let contents = datatype.contents().expect("a derived datatype");
    assert_eq!(arguments(contents), expected);
    let envelope = datatype.envelope();
    assert_eq!(envelope.combiner, expected.0);
    assert_eq!(envelope.integers, expected.1.len());
    assert_eq!(envelope.addresses, expected.2.len());
    assert_eq!(envelope.large_counts, expected.3.len());
    assert_eq!(envelope.datatypes, contents.datatypes.len());
    assert!(!datatype.is_committed() && !datatype.is_predefined());
}

#[test]
fn contents_are_the_arguments() {
    let int = int();
    let expected = (MPI_COMBINER_CONTIGUOUS, [3].as_slice(), [].as_slice(), [].as_slice());
    assert_contents(Datatype::contiguous(3, &int), expected);
    assert_contents(Datatype::contiguous(3_i64, &int), (MPI_COMBINER_CONTIGUOUS, &[], &[], &[3]));
    let expected = (MPI_COMBINER_VECTOR, [2, 3, -4].as_slice(), [].as_slice(), [].as_slice());
    assert_contents(Datatype::vector(2, 3, -4, &int), expected);
    assert_contents(
        Datatype::hvector::<i32>(2, 3, -4, &int),
        (MPI_COMBINER_HVECTOR, &[2, 3], &[-4], &[]),
    );
    assert_contents(
        Datatype::hvector::<i64>(2_i64, 3, -4, &int),
        (MPI_COMBINER_HVECTOR, &[], &[], &[2, 3, -4]),
    );
    assert_contents(
        Datatype::indexed(&[1, 2], &[5, 9], &int),
        (MPI_COMBINER_INDEXED, &[2, 1, 2, 5, 9], &[], &[]),
    );
    assert_contents(
        Datatype::hindexed::<i32>(&[1, 2], &[5, 9], &int),
        (MPI_COMBINER_HINDEXED, &[2, 1, 2], &[5, 9], &[]),
    );
    assert_contents(
        Datatype::indexed_block(7, &[5, 9], &int),
        (MPI_COMBINER_INDEXED_BLOCK, &[2, 7, 5, 9], &[], &[]),
    );
    assert_contents(
        Datatype::hindexed_block::<i32>(7, &[5, 9], &int),
        (MPI_COMBINER_HINDEXED_BLOCK, &[2, 7], &[5, 9], &[]),
    );
    assert_contents(
        Datatype::structure::<i32>(&[1, 2], &[5, 9], &[int.clone(), int.clone()]),
        (MPI_COMBINER_STRUCT, &[2, 1, 2], &[5, 9], &[]),
    );
    assert_contents(
        Datatype::structure::<i64>(&[1_i64, 2], &[5, 9], &[int.clone(), int.clone()]),
        (MPI_COMBINER_STRUCT, &[], &[], &[2, 1, 2, 5, 9]),
    );
    assert_contents(
        Datatype::resized::<i32>(-1, 8, &int),
        (MPI_COMBINER_RESIZED, &[], &[-1, 8], &[]),
    );
    assert_contents(
        Datatype::subarray(&[4, 5], &[2, 3], &[0, 1], MPI_ORDER_C, &int),
        (MPI_COMBINER_SUBARRAY, &[2, 4, 5, 2, 3, 0, 1, MPI_ORDER_C], &[], &[]),
    );
    assert_contents(
        Datatype::subarray(&[4_i64, 5], &[2, 3], &[0, 1], MPI_ORDER_C, &int),
        (MPI_COMBINER_SUBARRAY, &[2, MPI_ORDER_C], &[], &[4, 5, 2, 3, 0, 1]),
    );
    let (kind, default) = (MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG);
    assert_contents(
        Datatype::darray(2, 1, &[9], &[kind], &[default], &[2], MPI_ORDER_C, &int),
        (MPI_COMBINER_DARRAY, &[2, 1, 1, 9, kind, default, 2, MPI_ORDER_C], &[], &[]),
    );
    assert_contents(
        Datatype::darray(2, 1, &[9_i64], &[kind], &[default], &[2], MPI_ORDER_C, &int),
        (MPI_COMBINER_DARRAY, &[2, 1, 1, kind, default, 2, MPI_ORDER_C], &[], &[9]),
    );
    let dup = Datatype::duplicate(&Datatype::contiguous(2, &int).expect("a datatype"));
    assert_contents(Ok(dup), (MPI_COMBINER_DUP, &[], &[], &[]));
}

#[test]
fn contents_keep_the_old_datatypes() {
    let old = Datatype::contiguous(2, &int()).expect("a datatype");
    old.set_name(b"pair of int");
    let new = Datatype::vector(2, 1, 3, &old).expect("a datatype");
    drop(old);
    let contents = new.contents().expect("a derived datatype");
    assert_eq!(contents.datatypes[0].name(), b"pair of int");
    assert!(
        contents.datatypes[0]
            .contents()
            .is_some_and(|old| old.datatypes[0].handle() == Some(0x209))
    );
}

#[test]
fn names_and_commitment() {
    let datatype = Datatype::contiguous(2, &int()).expect("a datatype");
    assert_eq!(datatype.name(), b"");
    datatype.set_name(&[b'n'; 500]);
    assert_eq!(datatype.name(), [b'n'; MPI_MAX_OBJECT_NAME - 1]);
    assert!(!Datatype::duplicate(&datatype).is_committed());
    datatype.commit();
    let copy = Datatype::duplicate(&datatype);
    assert!(copy.is_committed() && copy.name().is_empty() && !copy.is_predefined());
}
