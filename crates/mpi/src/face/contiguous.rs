//! The predefined datatypes whose elements lie without gaps, by the number of their bytes.
//! Source: MPI 5.0, section *Predefined Datatypes*; the sizes stand in `datatype`.
//! Rules: one look at a table on the way of every message; zero says that the general way is to be taken.

use crate::abi::*;
use crate::datatype::{FIRST_HANDLE, HANDLES, contiguous_sizes};

static SIZES: [u8; HANDLES] = contiguous_sizes();

/// The size of an element of a predefined datatype without gaps; 0 for any other datatype.
#[inline(always)]
pub(crate) fn contiguous_size(datatype: MPI_Datatype) -> usize {
    SIZES.get(datatype.0.wrapping_sub(FIRST_HANDLE)).map_or(0, |&size| usize::from(size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::memory::predefined;
    use std::ffi::{c_int, c_long, c_longlong, c_short};

    #[test]
    fn what_has_gaps_is_not_contiguous() {
        let with_gaps = [MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT];
        for constant in DATATYPES.constants {
            let datatype = MPI_Datatype(constant.value as usize);
            let is_contiguous = datatype != MPI_DATATYPE_NULL && !with_gaps.contains(&datatype);
            assert_eq!(contiguous_size(datatype) > 0, is_contiguous, "{}", constant.name);
            // The general way comes to the same.
            let found = predefined().find(datatype.0).filter(|_| is_contiguous);
            let size = found.map_or(0, |datatype| datatype.size());
            assert_eq!(contiguous_size(datatype), size, "{}", constant.name);
        }
        for other in [0, 1, FIRST_HANDLE - 1, FIRST_HANDLE + HANDLES, usize::MAX] {
            assert_eq!(contiguous_size(MPI_Datatype(other)), 0);
        }
    }

    #[test]
    fn sizes_are_those_of_the_compiler() {
        for (datatype, size) in [
            (MPI_SHORT, size_of::<c_short>()),
            (MPI_INT, size_of::<c_int>()),
            (MPI_LONG, size_of::<c_long>()),
            (MPI_LONG_LONG, size_of::<c_longlong>()),
            (MPI_AINT, size_of::<MPI_Aint>()),
            (MPI_COUNT, size_of::<MPI_Count>()),
            (MPI_OFFSET, size_of::<MPI_Offset>()),
        ] {
            assert_eq!(contiguous_size(datatype), size, "{datatype:?}");
        }
    }
}
