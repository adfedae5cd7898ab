//! The common block of `mpif.h` whose variables stand for a choice by their addresses.
//! The include file, the module and `special.rs` read it here.
//! Rules: all are INTEGERs, so they lie one behind the other.

/// The variables of the block in their order, each with how many words it has.
pub const WORDS: &[(&str, usize)] = &[
    ("MPI_BOTTOM", 1),
    ("MPI_IN_PLACE", 1),
    ("MPI_BUFFER_AUTOMATIC", 1),
    ("MPI_STATUS_IGNORE", 8),
    ("MPI_STATUSES_IGNORE", 8),
    ("MPI_ERRCODES_IGNORE", 1),
    ("MPI_UNWEIGHTED", 1),
    ("MPI_WEIGHTS_EMPTY", 1),
    // A multiple of the alignment, so that the library's block is as long as the program's.
    ("MPI_FORTRAN_RESERVED", 2),
];

/// The block's alignment in bytes, which compilers give to a common block.
pub const ALIGNMENT_BYTES: usize = 32;

const _: () = assert!((LENGTH * size_of::<i32>()).is_multiple_of(ALIGNMENT_BYTES));

/// How many words the block has.
pub const LENGTH: usize = {
    let (mut words, mut at) = (0, 0);
    while at < WORDS.len() {
        words += WORDS[at].1;
        at += 1;
    }
    words
};
