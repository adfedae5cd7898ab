//! What datatypes become: regular ones stay small however large they are, contiguous ones are one block.
//!
//! Also what only sizes show: huge extents and counts, absolute addresses, pieces far inside.

use std::sync::Arc;

use crate::abi::MPI_ORDER_C;
use crate::datatype::{Datatype, Predefined, Span};

fn double() -> Arc<Datatype> {
    Predefined::default().find(0x214).expect("MPI_DOUBLE").clone()
}

fn entries(datatype: &Datatype) -> usize {
    datatype.layout.program.entries()
}

#[test]
fn what_lies_in_a_row_is_one_block() {
    let double = double();
    let in_a_row = [
        Datatype::contiguous(1_000, &double),
        Datatype::vector(10, 100, 100, &double),
        Datatype::hvector::<i32>(1_000, 1, 8, &double),
        Datatype::indexed(&[400, 0, 600], &[0, 7, 400], &double),
        Datatype::indexed_block(500, &[0, 500], &double),
        Datatype::structure::<i32>(&[1, 999], &[0, 8], &[double.clone(), double.clone()]),
        Datatype::subarray(&[50, 20], &[50, 20], &[0, 0], MPI_ORDER_C, &double),
    ];
    for datatype in in_a_row {
        let datatype = datatype.expect("a datatype");
        assert_eq!(datatype.span(1), Some(Span { offset: 0, bytes: 8_000 }));
        assert_eq!(datatype.span(3), Some(Span { offset: 0, bytes: 24_000 }));
        assert_eq!(datatype.span(0), Some(Span { offset: 0, bytes: 0 }));
    }
    // Rows 3 and 4 of an array lie in a row, but two such arrays do not.
    let rows = Datatype::subarray(&[50, 20], &[2, 20], &[3, 0], MPI_ORDER_C, &double);
    let rows = rows.expect("a datatype");
    assert_eq!(rows.span(1), Some(Span { offset: 480, bytes: 320 }));
    assert_eq!(rows.span(2), None);
    // A pair has a gap behind it.
    let pair = Predefined::default().find(0x229).expect("MPI_DOUBLE_INT").clone();
    assert_eq!((pair.span(1).map(|span| span.bytes), pair.span(2)), (Some(12), None));
}

#[test]
fn regular_datatypes_are_loops() {
    let double = double();
    let column = Datatype::vector(1_000_000, 1, 2, &double).expect("a datatype");
    assert_eq!(entries(&column), 2);
    let twice = Datatype::hvector::<i32>(1_000, 1, 16_000_000, &column).expect("a datatype");
    assert_eq!(entries(&twice), 2, "two loops with the same step become one");
    let box_ =
        Datatype::subarray(&[100, 100, 100], &[10, 20, 30], &[1, 2, 3], MPI_ORDER_C, &double);
    assert_eq!(entries(&box_.expect("a datatype")), 3);
    let displacements: Vec<i32> = (0..1_000).map(|block| 5 * block).collect();
    let regular = Datatype::indexed_block(2, &displacements, &double).expect("a datatype");
    assert_eq!(entries(&regular), 2, "regular steps in a list become a loop");
    let of_columns = Datatype::indexed_block(1, &displacements, &column).expect("a datatype");
    assert_eq!(entries(&of_columns), 3);
}

#[test]
fn neighbours_in_a_list_are_merged() {
    let double = double();
    let lengths = [2, 3, 1, 4, 2];
    let datatype = Datatype::indexed(&lengths, &[0, 2, 10, 11, 3], &double).expect("a datatype");
    // 0 to 4, 10 to 14, and 3 to 4 once more.
    assert_eq!(entries(&datatype), 3);
    let outer =
        Datatype::structure::<i32>(&[1, 1], &[0, 40], &[datatype, double]).expect("a datatype");
    assert_eq!(entries(&outer), 3, "the last block goes on in the next part");
}

#[test]
fn addresses_may_be_absolute() {
    let numbers = [1.0_f64, 2.0, 3.0];
    let more = [4.0_f64];
    let addresses = [numbers[1..].as_ptr().expose_provenance(), more.as_ptr().expose_provenance()];
    let datatype = Datatype::hindexed::<i32>(&[2, 1], &addresses.map(|at| at as isize), &double());
    let datatype = datatype.expect("a datatype");
    let mut packed = [0; 24];
    // SAFETY: from MPI_BOTTOM on, the datatype names these numbers.
    let bytes = unsafe { datatype.pack(std::ptr::null(), 1, 0, &mut packed) };
    assert_eq!(bytes, 24);
    let expected: Vec<u8> = [2.0_f64, 3.0, 4.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    assert_eq!(packed[..], expected);
}

#[test]
fn huge_datatypes_are_moved_in_pieces() {
    // 2^40 doubles, of which a piece of 16 bytes in the middle is wanted: every second double from
    // a base that lies so far before the memory that only this piece is in it.
    let count = 1_i64 << 40;
    let datatype = Datatype::vector(count, 1, 2, &double()).expect("a datatype");
    assert_eq!(datatype.size(), 1 << 43);
    assert_eq!(datatype.extent(), (1 << 44) - 8);
    let memory = [1.0_f64, 0.0, 2.0, 0.0];
    let middle = count / 2;
    let base = memory.as_ptr().wrapping_byte_sub(16 * middle as usize);
    let mut piece = [0; 16];
    // SAFETY: the piece is the two numbers in the memory.
    let bytes = unsafe { datatype.pack(base.cast(), 1, 8 * middle as usize, &mut piece) };
    assert_eq!(bytes, 16);
    assert_eq!(piece, [1.0_f64.to_le_bytes(), 2.0_f64.to_le_bytes()].concat()[..]);
    assert_eq!(datatype.signature().elements_of(8 * middle as usize), Some(middle as usize));
    assert!(datatype.packed_bytes(1 << 20).is_err());
    // Many copies of nothing are nothing.
    let empty = Datatype::contiguous(0, &datatype).expect("a datatype");
    let copies = Datatype::contiguous(i64::MAX, &empty).expect("a datatype");
    assert_eq!((copies.size(), copies.extent()), (0, 0));
}
