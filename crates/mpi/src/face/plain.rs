//! The predefined datatypes whose elements lie without gaps, by the number of their bytes.
//! Source: MPI 5.0, appendix A, and the sizes of C's types on the platform.
//! Rules: one look at a table on the way of every message; zero says that the general way is to be taken.

use crate::abi::*;
use std::ffi::{c_int, c_long, c_longlong, c_short};

/// The predefined datatypes lie from here on.
const FIRST: usize = MPI_DATATYPE_NULL.0;

const COUNT: usize = 256;

static SIZES: [u8; COUNT] = sizes();

/// The size of an element of a predefined datatype without gaps; 0 for any other datatype.
#[inline(always)]
pub(crate) fn plain_size(datatype: MPI_Datatype) -> usize {
    SIZES.get(datatype.0.wrapping_sub(FIRST)).map_or(0, |&size| usize::from(size))
}

const fn sizes() -> [u8; COUNT] {
    let mut sizes = [0; COUNT];
    let known = [
        (size_of::<c_short>(), [MPI_SHORT, MPI_UNSIGNED_SHORT].as_slice()),
        (size_of::<c_int>(), &[MPI_INT, MPI_UNSIGNED, MPI_WCHAR, MPI_LOGICAL, MPI_INTEGER]),
        (size_of::<c_long>(), &[MPI_LONG, MPI_UNSIGNED_LONG]),
        (size_of::<c_longlong>(), &[MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG]),
        (size_of::<MPI_Aint>(), &[MPI_AINT]),
        (size_of::<MPI_Count>(), &[MPI_COUNT, MPI_OFFSET]),
        (4, &[MPI_FLOAT, MPI_REAL, MPI_REAL4, MPI_COMPLEX4]),
        (8, &[MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8]),
        (8, &[MPI_C_FLOAT_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_COMPLEX, MPI_COMPLEX8]),
        (16, &[MPI_C_DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX16]),
        (16, &[MPI_LONG_DOUBLE, MPI_REAL16, MPI_INTEGER16, MPI_LOGICAL16]),
        (32, &[MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_COMPLEX32]),
        (1, &[MPI_PACKED, MPI_BYTE, MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_CHARACTER]),
        (1, &[MPI_C_BOOL, MPI_CXX_BOOL, MPI_INT8_T, MPI_UINT8_T, MPI_LOGICAL1, MPI_INTEGER1]),
        (2, &[MPI_INT16_T, MPI_UINT16_T, MPI_LOGICAL2, MPI_INTEGER2, MPI_REAL2]),
        (4, &[MPI_INT32_T, MPI_UINT32_T, MPI_LOGICAL4, MPI_INTEGER4]),
        (8, &[MPI_INT64_T, MPI_UINT64_T, MPI_LOGICAL8, MPI_INTEGER8]),
        (8, &[MPI_2INT, MPI_2REAL, MPI_2INTEGER, MPI_FLOAT_INT]),
        (16, &[MPI_2DOUBLE_PRECISION]),
    ];
    let mut row = 0;
    while row < known.len() {
        let (size, datatypes) = known[row];
        let mut at = 0;
        while at < datatypes.len() {
            sizes[datatypes[at].0 - FIRST] = size as u8;
            at += 1;
        }
        row += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::memory::predefined;

    #[test]
    fn what_has_gaps_is_not_plain() {
        let with_gaps = [MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT];
        for constant in DATATYPES.constants {
            let datatype = MPI_Datatype(constant.value as usize);
            let is_plain = datatype != MPI_DATATYPE_NULL && !with_gaps.contains(&datatype);
            assert_eq!(plain_size(datatype) > 0, is_plain, "{}", constant.name);
            // The general way comes to the same.
            let found = predefined().find(datatype.0).filter(|_| is_plain);
            let size = found.map_or(0, |datatype| datatype.size());
            assert_eq!(plain_size(datatype), size, "{}", constant.name);
        }
        for other in [0, 1, FIRST - 1, FIRST + COUNT, usize::MAX] {
            assert_eq!(plain_size(MPI_Datatype(other)), 0);
        }
    }
}
