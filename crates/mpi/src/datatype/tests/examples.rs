//! The standard's own examples: type maps, bounds and counts that MPI 5.0, chapter 5, works out.

use std::sync::Arc;

use super::memory::type_map;
use crate::abi::{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG};
use crate::abi::{MPI_DISTRIBUTE_NONE, MPI_ORDER_C, MPI_ORDER_FORTRAN};
use crate::datatype::{Datatype, Predefined};

fn basic(name: &str) -> Arc<Datatype> {
    let predefined = Predefined::default();
    predefined.all().find(|datatype| datatype.name() == name.as_bytes()).expect("a name").clone()
}

/// The standard's `{(double, 0), (char, 8)}`, with extent 16.
fn double_char() -> Arc<Datatype> {
    let parts = [basic("MPI_DOUBLE"), basic("MPI_CHAR")];
    Datatype::structure::<i32>(&[1, 1], &[0, 8], &parts).expect("a structure")
}

/// The type map of the standard's examples: a double at each place, and a char after it.
fn doubles_and_chars(places: &[i64]) -> Vec<(&'static str, i64)> {
    places.iter().flat_map(|at| [("MPI_DOUBLE", *at), ("MPI_CHAR", at + 8)]).collect()
}

/// Lower bound and extent, and the true ones.
fn bounds(datatype: &Datatype) -> [i64; 4] {
    [datatype.lb(), datatype.extent(), datatype.true_lb(), datatype.true_extent()]
}

#[test]
fn a_structure_is_padded_to_its_largest_alignment() {
    let datatype = double_char();
    assert_eq!(type_map(&datatype), doubles_and_chars(&[0]));
    assert_eq!(bounds(&datatype), [0, 16, 0, 9]);
    assert_eq!(datatype.size(), 9);
}

#[test]
fn contiguous() {
    let datatype = Datatype::contiguous(3, &double_char()).expect("a datatype");
    assert_eq!(type_map(&datatype), doubles_and_chars(&[0, 16, 32]));
}

#[test]
fn vector() {
    let datatype = Datatype::vector(2, 3, 4, &double_char()).expect("a datatype");
    assert_eq!(type_map(&datatype), doubles_and_chars(&[0, 16, 32, 64, 80, 96]));
    let datatype = Datatype::vector(3, 1, -2, &double_char()).expect("a datatype");
    assert_eq!(type_map(&datatype), doubles_and_chars(&[0, -32, -64]));
    assert_eq!(bounds(&datatype), [-64, 80, -64, 73]);
}

#[test]
fn hvector_rounds_its_extent_up() {
    let datatype = Datatype::hvector::<i32>(2, 1, 5, &basic("MPI_INT")).expect("a datatype");
    assert_eq!(type_map(&datatype), [("MPI_INT", 0), ("MPI_INT", 5)]);
    assert_eq!(bounds(&datatype), [0, 12, 0, 9]);
}

#[test]
fn indexed() {
    let datatype = Datatype::indexed(&[3, 1], &[4, 0], &double_char()).expect("a datatype");
    assert_eq!(type_map(&datatype), doubles_and_chars(&[64, 80, 96, 0]));
    let datatype =
        Datatype::hindexed::<i32>(&[2, 1], &[40, 0], &double_char()).expect("a datatype");
    assert_eq!(type_map(&datatype), doubles_and_chars(&[40, 56, 0]));
    let datatype = Datatype::indexed_block(2, &[3, 0], &double_char()).expect("a datatype");
    assert_eq!(type_map(&datatype), doubles_and_chars(&[48, 64, 0, 16]));
    let datatype =
        Datatype::hindexed_block::<i32>(1, &[-8, 24], &double_char()).expect("a datatype");
    assert_eq!(type_map(&datatype), doubles_and_chars(&[-8, 24]));
}

#[test]
fn structure() {
    let parts = [basic("MPI_FLOAT"), double_char(), basic("MPI_CHAR")];
    let datatype =
        Datatype::structure::<i32>(&[2, 1, 3], &[0, 16, 26], &parts).expect("a datatype");
    let expected = [
        ("MPI_FLOAT", 0),
        ("MPI_FLOAT", 4),
        ("MPI_DOUBLE", 16),
        ("MPI_CHAR", 24),
        ("MPI_CHAR", 26),
        ("MPI_CHAR", 27),
        ("MPI_CHAR", 28),
    ];
    assert_eq!(type_map(&datatype), expected);
    assert_eq!(bounds(&datatype), [0, 32, 0, 29]);
}

#[test]
fn markers_stay_until_the_datatype_is_resized_again() {
    let int = basic("MPI_INT");
    let type1 = Datatype::resized::<i32>(-3, 9, &int).expect("a datatype");
    assert_eq!(bounds(&type1), [-3, 9, 0, 4]);
    let type2 = Datatype::contiguous(2, &type1).expect("a datatype");
    assert_eq!(type_map(&type2), [("MPI_INT", 0), ("MPI_INT", 9)]);
    assert_eq!(bounds(&type2), [-3, 18, 0, 13]);
    // Where there are markers, the data of other parts does not count.
    let mixed = Datatype::structure::<i32>(&[1, 1], &[0, 100], &[type1, int]).expect("a datatype");
    assert_eq!(bounds(&mixed), [-3, 9, 0, 104]);
    let again = Datatype::resized::<i64>(0, -8, &mixed).expect("a datatype");
    assert_eq!(bounds(&again), [0, -8, 0, 104]);
}

#[test]
fn markers_of_blocks_without_copies_do_not_count() {
    let int = basic("MPI_INT");
    let marked = Datatype::resized::<i32>(-40, 80, &int).expect("a datatype");
    let mixed = Datatype::structure::<i32>(&[0, 1], &[0, 4], &[marked, int]).expect("a datatype");
    assert_eq!(bounds(&mixed), [4, 4, 4, 4]);
}

#[test]
fn empty_type_maps_have_no_bounds_of_their_own() {
    let int = basic("MPI_INT");
    for empty in [
        Datatype::contiguous(0, &int),
        Datatype::vector(3, 0, 7, &int),
        Datatype::indexed::<i32>(&[], &[], &int),
        Datatype::structure::<i32>(&[0], &[10], std::slice::from_ref(&int)),
    ] {
        let empty = empty.expect("a datatype");
        assert_eq!((bounds(&empty), empty.size()), ([0; 4], 0));
        let marked = Datatype::resized::<i32>(0, 16, &empty).expect("a datatype");
        let three = Datatype::contiguous(3, &marked).expect("a datatype");
        assert_eq!((bounds(&three), three.size()), ([0, 48, 0, 0], 0));
    }
}

#[test]
fn subarrays_of_rows_and_of_columns() {
    // Rows 1 and 2, columns 2 to 4, of an array of 4 by 6.
    let int = basic("MPI_INT");
    let in_c = Datatype::subarray(&[4, 6], &[2, 3], &[1, 2], MPI_ORDER_C, &int);
    let in_c = in_c.expect("a datatype");
    let places = |map: Vec<(&str, i64)>| map.iter().map(|(_, at)| at / 4).collect::<Vec<_>>();
    assert_eq!(places(type_map(&in_c)), [8, 9, 10, 14, 15, 16]);
    assert_eq!(bounds(&in_c), [0, 96, 32, 36]);
    let in_fortran = Datatype::subarray(&[4, 6], &[2, 3], &[1, 2], MPI_ORDER_FORTRAN, &int);
    let in_fortran = in_fortran.expect("a datatype");
    assert_eq!(places(type_map(&in_fortran)), [9, 10, 13, 14, 17, 18]);
    assert_eq!(bounds(&in_fortran), [0, 96, 36, 40]);
}

#[test]
fn the_distributed_array_of_the_standard() {
    // FILEARRAY(100, 200, 300) on PROCESSORS(2, 3), distributed (CYCLIC(10), *, BLOCK).
    let (gsizes, psizes) = ([100, 200, 300], [2, 1, 3]);
    let distribs = [MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK];
    let default = MPI_DISTRIBUTE_DFLT_DARG;
    let dargs = [10, default, default];
    let mut owners = vec![0; 100 * 200 * 300];
    for rank in 0..6 {
        let share = Datatype::darray(
            6,
            rank,
            &gsizes,
            &distribs,
            &dargs,
            &psizes,
            MPI_ORDER_FORTRAN,
            &basic("MPI_BYTE"),
        );
        let share = share.expect("a datatype");
        assert_eq!(share.size(), 50 * 200 * 100);
        assert_eq!((share.lb(), share.extent()), (0, 6_000_000));
        // SAFETY: the array has all elements of each share.
        unsafe { share.unpack(&vec![rank as u8 + 1; share.size()], 0, owners.as_mut_ptr(), 1) };
    }
    for (place, owner) in owners.iter().enumerate() {
        let (first, third) = (place % 100, place / 100 / 200);
        let expected = first / 10 % 2 * 3 + third / 100 + 1;
        assert_eq!(usize::from(*owner), expected, "element {place}");
    }
}

#[test]
fn counts_and_elements_of_a_receive() {
    // Example of MPI_Get_count and MPI_Get_elements: one pair of reals, then one and a half.
    let pair = Datatype::contiguous(2, &basic("MPI_REAL")).expect("a datatype");
    assert_eq!((pair.count_of(8), pair.signature().elements_of(8)), (Some(1), Some(2)));
    assert_eq!((pair.count_of(12), pair.signature().elements_of(12)), (None, Some(3)));
    assert_eq!((pair.count_of(0), pair.signature().elements_of(0)), (Some(0), Some(0)));
    assert_eq!((pair.count_of(6), pair.signature().elements_of(6)), (None, None));
    // Two of a double, an int, and the next double.
    let datatype = basic("MPI_DOUBLE_INT");
    assert_eq!(datatype.count_of(20), None);
    assert_eq!(datatype.signature().elements_of(20), Some(3));
    assert_eq!(datatype.signature().elements_of(24), Some(4));
    assert_eq!(datatype.signature().elements_of(16), None);
    // A datatype without elements: nothing of it was received.
    let empty = Datatype::contiguous(0, &datatype).expect("a datatype");
    assert_eq!((empty.count_of(0), empty.signature().elements_of(0)), (Some(0), Some(0)));
}

#[test]
fn a_matrix_is_transposed_by_its_columns() {
    // Example *Transpose a matrix*: the columns, one after another.
    let (rows, columns) = (3, 4);
    let column = Datatype::vector(rows, 1, columns, &basic("MPI_INT")).expect("a datatype");
    let transposed = Datatype::hvector::<i32>(columns, 1, 4, &column).expect("a datatype");
    let matrix: Vec<i32> = (0..12).collect();
    let mut packed = vec![0; transposed.size()];
    // SAFETY: the matrix has all elements.
    unsafe { transposed.pack(matrix.as_ptr().cast(), 1, 0, &mut packed) };
    let elements: Vec<_> = packed
        .chunks_exact(4)
        .map(|bytes| i32::from_le_bytes(bytes.try_into().expect("four bytes")))
        .collect();
    assert_eq!(elements, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
}

#[test]
fn a_pair_is_one_predefined_datatype() {
    let (pair, integer) = (basic("MPI_2INT"), basic("MPI_INT"));
    assert_eq!(pair.sole_predefined(), pair.handle());
    let row = Datatype::vector(2, 3, 5, &pair).expect("a datatype");
    let rows = Datatype::structure::<i32>(
        &[2, 1, 0],
        &[0, 512, 900],
        &[row.clone(), pair.clone(), integer.clone()],
    );
    assert_eq!(row.sole_predefined(), pair.handle());
    assert_eq!(
        Datatype::contiguous(3, &integer).expect("a datatype").sole_predefined(),
        integer.handle()
    );
    let mixed =
        Datatype::structure::<i32>(&[1, 1], &[0, 512], &[row, integer]).expect("a structure");
    assert_eq!(mixed.sole_predefined(), None);
    // Which part has no element is not told from the parts, so such a datatype counts as one of several.
    assert_eq!(rows.expect("a structure").sole_predefined(), None);
    // Each has the one before it twice: all ways to the pair cannot be gone.
    let twice = |one: Arc<Datatype>| {
        Datatype::structure::<i32>(&[1, 1], &[0, 8], &[one.clone(), one]).expect("a structure")
    };
    let deep = (0..24).fold(pair.clone(), |one, _| twice(one));
    assert_eq!(deep.sole_predefined(), pair.handle());
    assert_eq!(Datatype::contiguous(0, &pair).expect("a datatype").sole_predefined(), None);
}
