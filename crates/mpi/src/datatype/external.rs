//! The external32 representation: big-endian, `long` in 4 bytes, `long double` as IEEE binary128.
//!
//! MPI 5.0, section 5.3 *Canonical MPI_PACK and MPI_UNPACK*, and 14.5.2 for the representation. A value
//! that it does not hold gives `MPI_ERR_CONVERSION`; nothing is cut off in silence.

use super::{Basic, Class, Datatype, TypeError};

/// The elements of a run are converted through a buffer of so many bytes.
const CHUNK_BYTES: usize = 1024;

/// Where the packed bytes are, here and in external32.
#[derive(Default)]
struct Positions {
    native: usize,
    external: usize,
}

impl Datatype {
    /// The bytes that `count` of them take in external32.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if a buffer cannot be that long.
    pub fn external_bytes(&self, count: usize) -> Result<usize, TypeError> {
        let one = self.signature().sum(&Basic::external_size);
        let all = one.and_then(|bytes| bytes.checked_mul(count));
        let fitting = all.filter(|bytes| *bytes <= isize::MAX as usize);
        fitting.ok_or(TypeError::TooLarge { what: "external size" })
    }

    /// Packs `count` of them in external32 at the beginning of `room`. Returns how many bytes that
    /// took.
    ///
    /// # Errors
    ///
    /// [`TypeError::Room`] if there is too little room, [`TypeError::External`] for a value that
    /// external32 does not hold.
    ///
    /// # Safety
    ///
    /// As for [`Datatype::pack`].
    pub unsafe fn pack_external(
        &self,
        memory: *const u8,
        count: usize,
        room: &mut [u8],
    ) -> Result<usize, TypeError> {
        let needed = self.external_bytes(count)?;
        if needed > room.len() {
            return Err(TypeError::Room { needed, room: room.len() });
        }
        let mut at = Positions::default();
        let mut chunk = [0; CHUNK_BYTES];
        self.each_chunk(count, &mut |basic, elements| {
            let native = &mut chunk[..elements * basic.size()];
            // SAFETY: the caller promises it.
            unsafe { self.pack(memory, count, at.native, native) };
            let external = &mut room[at.external..][..elements * basic.external_size()];
            at.native += native.len();
            at.external += external.len();
            let pairs = native.chunks_exact(basic.size());
            let pairs = pairs.zip(external.chunks_exact_mut(basic.external_size()));
            pairs.into_iter().try_for_each(|(value, to)| to_external(basic, value, to))
        })?;
        Ok(needed)
    }

    /// Unpacks `count` of them from external32 at the beginning of `packed`. Returns how many bytes
    /// that took.
    ///
    /// # Errors
    ///
    /// [`TypeError::Truncated`] if there are too few bytes, [`TypeError::External`] for a value that
    /// this platform does not hold.
    ///
    /// # Safety
    ///
    /// As for [`Datatype::unpack`].
    pub unsafe fn unpack_external(
        &self,
        packed: &[u8],
        memory: *mut u8,
        count: usize,
    ) -> Result<usize, TypeError> {
        let needed = self.external_bytes(count)?;
        if needed > packed.len() {
            return Err(TypeError::Truncated { needed, present: packed.len() });
        }
        let mut at = Positions::default();
        let mut chunk = [0; CHUNK_BYTES];
        self.each_chunk(count, &mut |basic, elements| {
            let native = &mut chunk[..elements * basic.size()];
            let external = &packed[at.external..][..elements * basic.external_size()];
            let pairs = native.chunks_exact_mut(basic.size());
            let pairs = pairs.zip(external.chunks_exact(basic.external_size()));
            pairs.into_iter().try_for_each(|(value, from)| from_external(basic, from, value))?;
            // SAFETY: the caller promises it.
            unsafe { self.unpack(native, at.native, memory, count) };
            at.native += native.len();
            at.external += external.len();
            Ok(())
        })?;
        Ok(needed)
    }

    /// Calls `convert` with the elements of `count` datatypes, at most as many at once as a chunk
    /// holds.
    fn each_chunk(
        &self,
        count: usize,
        convert: &mut impl FnMut(Basic, usize) -> Result<(), TypeError>,
    ) -> Result<(), TypeError> {
        let mut each_run = |basic: Basic, elements: usize| {
            let mut left = elements;
            while left > 0 {
                let next = left.min(CHUNK_BYTES / basic.size());
                convert(basic, next)?;
                left -= next;
            }
            Ok(())
        };
        if let Some(basic) = self.signature().uniform() {
            return each_run(basic, self.signature().elements() * count);
        }
        (0..count).try_for_each(|_| self.signature().try_for_each(&mut each_run))
    }
}

/// Converts one element.
fn to_external(basic: Basic, value: &[u8], to: &mut [u8]) -> Result<(), TypeError> {
    match basic.class() {
        Class::LongDouble | Class::LongDoubleComplex => {
            for (value, to) in value.chunks_exact(16).zip(to.chunks_exact_mut(16)) {
                to.copy_from_slice(&quad_of_extended(value).to_be_bytes());
            }
        }
        Class::Complex => {
            let half = value.len() / 2;
            to.copy_from_slice(value);
            to.chunks_exact_mut(half).for_each(<[u8]>::reverse);
        }
        _ if to.len() == value.len() => {
            to.copy_from_slice(value);
            to.reverse();
        }
        class => {
            let (low, high) = value.split_at(to.len());
            let negative = class == Class::Signed && low[low.len() - 1] & 0x80 != 0;
            if high.iter().any(|byte| *byte != if negative { 0xff } else { 0 }) {
                return Err(TypeError::External { name: basic.name() });
            }
            // A positive value must not look negative, nor may a negative one turn positive.
            to.copy_from_slice(low);
            to.reverse();
        }
    }
    Ok(())
}

/// Converts one element back.
fn from_external(basic: Basic, from: &[u8], value: &mut [u8]) -> Result<(), TypeError> {
    match basic.class() {
        Class::LongDouble | Class::LongDoubleComplex => {
            for (value, from) in value.chunks_exact_mut(16).zip(from.chunks_exact(16)) {
                let bytes = from.try_into().expect("chunks of 16 bytes");
                extended_of_quad(u128::from_be_bytes(bytes), value);
            }
        }
        Class::Complex => {
            value.copy_from_slice(from);
            value.chunks_exact_mut(from.len() / 2).for_each(<[u8]>::reverse);
        }
        class => {
            let sign = class == Class::Signed && from[0] & 0x80 != 0;
            let (low, high) = value.split_at_mut(from.len());
            low.copy_from_slice(from);
            low.reverse();
            high.fill(if sign { 0xff } else { 0 });
        }
    }
    Ok(())
}

/// The bits of a binary128's exponent, which an x87 number has as many of.
const EXPONENT: u128 = 0x7fff;

/// x87's 80 bits as binary128: every value has one.
fn quad_of_extended(bytes: &[u8]) -> u128 {
    let word = |from: usize, to: usize| {
        bytes[from..to].iter().rev().fold(0_u128, |word, byte| word << 8 | u128::from(*byte))
    };
    let (significand, high) = (word(0, 8), word(8, 10));
    let (sign, mut exponent) = (high >> 15, high & EXPONENT);
    // The integer bit is written out here, and implied there. An exponent of 0 with that bit is a
    // way to write the least normal numbers.
    if exponent == 0 && significand >> 63 == 1 {
        exponent = 1;
    }
    let fraction = significand & (u128::MAX >> 65);
    sign << 127 | exponent << 112 | fraction << 49
}

/// The nearest of x87's values, ties to even.
fn extended_of_quad(quad: u128, bytes: &mut [u8]) {
    let (sign, mut exponent) = (quad >> 127, quad >> 112 & EXPONENT);
    let fraction = quad & (u128::MAX >> 16);
    let integer = u128::from(exponent != 0);
    let mut significand = integer << 63 | fraction >> 49;
    let rest = fraction & ((1 << 49) - 1);
    if exponent == EXPONENT {
        // A NaN must not become an infinity when its lower bits are cut off.
        significand |= u128::from(rest != 0) << 62;
    } else {
        let half = 1 << 48;
        if rest > half || rest == half && significand & 1 == 1 {
            significand += 1;
        }
        if significand >> 64 == 1 {
            significand >>= 1;
            exponent += 1;
        }
        if exponent == 0 && significand >> 63 == 1 {
            exponent = 1;
        }
    }
    bytes.fill(0);
    bytes[..8].copy_from_slice(&(significand as u64).to_le_bytes());
    bytes[8..10].copy_from_slice(&((sign << 15 | exponent) as u16).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Predefined;

    /// The value in external32, by the datatype with that handle.
    fn packed(handle: usize, value: &[u8]) -> Result<Vec<u8>, TypeError> {
        let predefined = Predefined::default();
        let datatype = predefined.find(handle).expect("a predefined datatype");
        let mut room = vec![0; datatype.external_bytes(1).expect("a small size")];
        // SAFETY: the value is one of that datatype.
        unsafe { datatype.pack_external(value.as_ptr(), 1, &mut room) }?;
        let mut back = vec![0; value.len()];
        // SAFETY: there is room for one.
        unsafe { datatype.unpack_external(&room, back.as_mut_ptr(), 1) }?;
        assert_eq!(back, value);
        Ok(room)
    }

    #[test]
    fn numbers_are_big_endian_and_long_has_four_bytes() {
        assert_eq!(packed(0x209, &1_i32.to_le_bytes()), Ok(vec![0, 0, 0, 1]));
        assert_eq!(packed(0x214, &1.0_f64.to_le_bytes()), Ok(vec![0x3f, 0xf0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(packed(0x20a, &(-2_i64).to_le_bytes()), Ok(vec![0xff, 0xff, 0xff, 0xfe]));
        let complex: Vec<_> = [1.0_f32, -2.0].iter().flat_map(|part| part.to_le_bytes()).collect();
        assert_eq!(packed(0x212, &complex), Ok(vec![0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let name = "MPI_LONG";
        for value in [1_i64 << 31, 1 << 40, -(1 << 31) - 1, i64::MIN] {
            assert_eq!(packed(0x20a, &value.to_le_bytes()), Err(TypeError::External { name }));
        }
        for value in [(1_i64 << 31) - 1, -(1 << 31)] {
            assert!(packed(0x20a, &value.to_le_bytes()).is_ok());
        }
        assert_eq!(packed(0x20e, &(u64::from(u32::MAX)).to_le_bytes()), Ok(vec![0xff; 4]));
        assert!(packed(0x20e, &(1_u64 << 32).to_le_bytes()).is_err());
    }

    /// An x87 number: sign and exponent, significand.
    fn extended(high: u16, significand: u64) -> Vec<u8> {
        let mut bytes = significand.to_le_bytes().to_vec();
        bytes.extend(high.to_le_bytes());
        bytes.resize(16, 0);
        bytes
    }

    #[test]
    fn long_doubles_become_binary128_and_come_back() {
        let one = packed(0x220, &extended(0x3fff, 1 << 63)).expect("a number");
        assert_eq!(one[..3], [0x3f, 0xff, 0]);
        let minus_three_halves = packed(0x220, &extended(0xbfff, 3 << 62)).expect("a number");
        assert_eq!(minus_three_halves[..4], [0xbf, 0xff, 0x80, 0]);
        for (high, significand) in
            [(0, 0), (0, 1), (0x8000, 12345), (0x7fff, 1 << 63), (0x7fff, 3 << 62), (0x7ffe, !0)]
        {
            packed(0x220, &extended(high, significand)).expect("a number");
        }
        // Rounded to the nearest: all ones in the fraction are carried into the exponent.
        let mut bytes = [0; 16];
        extended_of_quad((0x3fff << 112) | (u128::MAX >> 16), &mut bytes);
        assert_eq!(bytes.to_vec(), extended(0x4000, 1 << 63));
    }
}
