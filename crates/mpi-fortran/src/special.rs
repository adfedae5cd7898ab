//! The variables whose addresses stand for a choice: MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE and others.
//! They lie in one common block of `mpif.h`, so an argument is special when it points into the block.
//! Source: MPI 5.0, chapter *Language Bindings*, section on Fortran constants that are addresses.
//! Rules: the block's address is asked of the dynamic linker, as the program's copy may be the one that counts.

use crate::abi::*;
use crate::block::{ALIGNMENT_BYTES, LENGTH};
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// The block, aligned as compilers align a common block, so that a linker sees two of a kind.
#[repr(C, align(32))]
pub struct Block([c_int; LENGTH]);

const _: () = assert!(align_of::<Block>() == ALIGNMENT_BYTES && size_of::<Block>() == 4 * LENGTH);

/// The block, for a program that has none; programs with `mpif.h` bring their own under the same name.
#[allow(non_upper_case_globals)]
#[unsafe(no_mangle)]
pub static mpi_fortran_special_: Block = Block([0; LENGTH]);

/// What an argument that points into the block means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Bottom,
    InPlace,
    BufferAutomatic,
    Ignore,
    Unweighted,
    WeightsEmpty,
}

/// Where the block begins.
fn block() -> usize {
    static BLOCK: OnceLock<usize> = OnceLock::new();
    *BLOCK.get_or_init(|| {
        // SAFETY: the name ends with a null, and the call has no other condition.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"mpi_fortran_special_".as_ptr()) };
        if found.is_null() { (&raw const mpi_fortran_special_).addr() } else { found.addr() }
    })
}

/// What an address means, if it is special.
#[inline]
fn meaning(address: usize) -> Option<Meaning> {
    let word = address.wrapping_sub(block()) / size_of::<c_int>();
    match word {
        0 => Some(Meaning::Bottom),
        1 => Some(Meaning::InPlace),
        2 => Some(Meaning::BufferAutomatic),
        3..=19 => Some(Meaning::Ignore),
        20 => Some(Meaning::Unweighted),
        21 => Some(Meaning::WeightsEmpty),
        _ => None,
    }
}

/// A buffer as C wants it.
#[inline]
pub(crate) fn to_buffer(pointer: *mut c_void) -> *mut c_void {
    let special = |of: Address| std::ptr::without_provenance_mut(of.0);
    match meaning(pointer.addr()) {
        None => pointer,
        Some(Meaning::Bottom) => special(MPI_BOTTOM),
        Some(Meaning::InPlace) => special(MPI_IN_PLACE),
        Some(Meaning::BufferAutomatic) => special(MPI_BUFFER_AUTOMATIC),
        Some(_) => pointer,
    }
}

/// Whether a buffer is MPI_IN_PLACE.
pub(crate) fn is_in_place(pointer: *mut c_void) -> bool {
    meaning(pointer.addr()) == Some(Meaning::InPlace)
}

/// Statuses as C wants them: Fortran's are arrays of as many words, so only "none" differs.
#[inline]
pub(crate) fn to_statuses(pointer: *mut MPI_Status) -> *mut MPI_Status {
    match meaning(pointer.addr()) {
        Some(Meaning::Ignore) => std::ptr::null_mut(),
        _ => pointer,
    }
}

/// Weights of a graph as C wants them.
pub(crate) fn to_weights(pointer: *mut c_int) -> *mut c_int {
    match meaning(pointer.addr()) {
        Some(Meaning::Unweighted) => std::ptr::without_provenance_mut(MPI_UNWEIGHTED.0),
        Some(Meaning::WeightsEmpty) => std::ptr::without_provenance_mut(MPI_WEIGHTS_EMPTY.0),
        _ => pointer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::WORDS;

    /// The address of a word of the block.
    fn word(name: &str) -> *mut c_int {
        let before = WORDS.iter().take_while(|(of, _)| *of != name).map(|(_, words)| words);
        std::ptr::without_provenance_mut(block() + before.sum::<usize>() * size_of::<c_int>())
    }

    #[test]
    fn each_word_means_what_its_name_says() {
        assert_eq!(WORDS.iter().map(|(_, words)| words).sum::<usize>(), LENGTH);
        assert_eq!(to_buffer(word("MPI_BOTTOM").cast()).addr(), MPI_BOTTOM.0);
        assert_eq!(to_buffer(word("MPI_IN_PLACE").cast()).addr(), MPI_IN_PLACE.0);
        assert_eq!(to_buffer(word("MPI_BUFFER_AUTOMATIC").cast()).addr(), MPI_BUFFER_AUTOMATIC.0);
        assert!(to_statuses(word("MPI_STATUS_IGNORE").cast()).is_null());
        assert!(to_statuses(word("MPI_STATUSES_IGNORE").cast()).is_null());
        assert_eq!(to_weights(word("MPI_UNWEIGHTED")).addr(), MPI_UNWEIGHTED.0);
        assert_eq!(to_weights(word("MPI_WEIGHTS_EMPTY")).addr(), MPI_WEIGHTS_EMPTY.0);
    }

    #[test]
    fn what_lies_elsewhere_is_left_alone() {
        let mut own = [0; 4];
        let pointer = own.as_mut_ptr();
        assert_eq!(to_buffer(pointer.cast()), pointer.cast());
        assert_eq!(to_statuses(pointer.cast()), pointer.cast());
        assert_eq!(to_weights(pointer), pointer);
        let behind = word("MPI_BOTTOM").wrapping_add(LENGTH);
        assert_eq!(to_buffer(behind.cast()), behind.cast());
    }
}
