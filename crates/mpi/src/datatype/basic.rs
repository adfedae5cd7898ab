//! The basic elements of type maps: size, alignment, class of operators, external32 size.
//!
//! Their numbers are the handles of the binary interface (MPI 5.0, section 20.3), so that a handle is
//! looked up with one index. Section 3.2.2 has the datatypes, section 14.5.2 the external32 sizes.

/// What kind of values an element has, and so which predefined operators take it (section 6.9.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Signed integers of C and Fortran, addresses, counts and offsets.
    Signed,
    /// Unsigned integers of C.
    Unsigned,
    /// IEEE floating point numbers of C and Fortran.
    Real,
    /// C's `long double`: 80 bits in 16 bytes here.
    LongDouble,
    /// Two of [`Class::Real`].
    Complex,
    /// Two of [`Class::LongDouble`].
    LongDoubleComplex,
    /// Fortran's LOGICAL.
    Logical,
    /// C's and C++'s `bool`.
    Bool,
    /// Bytes: bitwise operators only, and no conversion.
    Byte,
    /// Characters: no operator takes them.
    Character,
    /// Packed data: no operator takes it, and it matches every signature.
    Packed,
}

/// A basic datatype, the element that type maps and signatures consist of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Basic(u16);

/// What is known of a basic datatype.
struct Row {
    handle: u16,
    name: &'static str,
    size: u16,
    external: u16,
    class: Class,
}

impl Row {
    /// The same row with another size in external32.
    const fn external(mut self, bytes: u16) -> Self {
        self.external = bytes;
        self
    }
}

const fn row(handle: u16, name: &'static str, size: u16, class: Class) -> Row {
    Row { handle, name, size, external: size, class }
}

/// Every basic datatype of the binary interface, in the order of their handles.
static ROWS: [Row; 61] = [
    row(0x201, "MPI_AINT", 8, Class::Signed),
    row(0x202, "MPI_COUNT", 8, Class::Signed),
    row(0x203, "MPI_OFFSET", 8, Class::Signed),
    row(0x207, "MPI_PACKED", 1, Class::Packed),
    row(0x208, "MPI_SHORT", 2, Class::Signed),
    row(0x209, "MPI_INT", 4, Class::Signed),
    row(0x20a, "MPI_LONG", 8, Class::Signed).external(4),
    row(0x20b, "MPI_LONG_LONG_INT", 8, Class::Signed),
    row(0x20c, "MPI_UNSIGNED_SHORT", 2, Class::Unsigned),
    row(0x20d, "MPI_UNSIGNED", 4, Class::Unsigned),
    row(0x20e, "MPI_UNSIGNED_LONG", 8, Class::Unsigned).external(4),
    row(0x20f, "MPI_UNSIGNED_LONG_LONG", 8, Class::Unsigned),
    row(0x210, "MPI_FLOAT", 4, Class::Real),
    row(0x212, "MPI_C_COMPLEX", 8, Class::Complex),
    row(0x213, "MPI_CXX_FLOAT_COMPLEX", 8, Class::Complex),
    row(0x214, "MPI_DOUBLE", 8, Class::Real),
    row(0x216, "MPI_C_DOUBLE_COMPLEX", 16, Class::Complex),
    row(0x217, "MPI_CXX_DOUBLE_COMPLEX", 16, Class::Complex),
    row(0x218, "MPI_LOGICAL", 4, Class::Logical),
    row(0x219, "MPI_INTEGER", 4, Class::Signed),
    row(0x21a, "MPI_REAL", 4, Class::Real),
    row(0x21b, "MPI_COMPLEX", 8, Class::Complex),
    row(0x21c, "MPI_DOUBLE_PRECISION", 8, Class::Real),
    row(0x21d, "MPI_DOUBLE_COMPLEX", 16, Class::Complex),
    row(0x21e, "MPI_CHARACTER", 1, Class::Character),
    row(0x220, "MPI_LONG_DOUBLE", 16, Class::LongDouble),
    row(0x224, "MPI_C_LONG_DOUBLE_COMPLEX", 32, Class::LongDoubleComplex),
    row(0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX", 32, Class::LongDoubleComplex),
    row(0x238, "MPI_C_BOOL", 1, Class::Bool),
    row(0x239, "MPI_CXX_BOOL", 1, Class::Bool),
    row(0x23c, "MPI_WCHAR", 4, Class::Character).external(2),
    row(0x240, "MPI_INT8_T", 1, Class::Signed),
    row(0x241, "MPI_UINT8_T", 1, Class::Unsigned),
    row(0x243, "MPI_CHAR", 1, Class::Character),
    row(0x244, "MPI_SIGNED_CHAR", 1, Class::Signed),
    row(0x245, "MPI_UNSIGNED_CHAR", 1, Class::Unsigned),
    row(0x247, "MPI_BYTE", 1, Class::Byte),
    row(0x248, "MPI_INT16_T", 2, Class::Signed),
    row(0x249, "MPI_UINT16_T", 2, Class::Unsigned),
    row(0x250, "MPI_INT32_T", 4, Class::Signed),
    row(0x251, "MPI_UINT32_T", 4, Class::Unsigned),
    row(0x258, "MPI_INT64_T", 8, Class::Signed),
    row(0x259, "MPI_UINT64_T", 8, Class::Unsigned),
    row(0x2c0, "MPI_LOGICAL1", 1, Class::Logical),
    row(0x2c1, "MPI_INTEGER1", 1, Class::Signed),
    row(0x2c8, "MPI_LOGICAL2", 2, Class::Logical),
    row(0x2c9, "MPI_INTEGER2", 2, Class::Signed),
    row(0x2ca, "MPI_REAL2", 2, Class::Real),
    row(0x2d0, "MPI_LOGICAL4", 4, Class::Logical),
    row(0x2d1, "MPI_INTEGER4", 4, Class::Signed),
    row(0x2d2, "MPI_REAL4", 4, Class::Real),
    row(0x2d3, "MPI_COMPLEX4", 4, Class::Complex),
    row(0x2d8, "MPI_LOGICAL8", 8, Class::Logical),
    row(0x2d9, "MPI_INTEGER8", 8, Class::Signed),
    row(0x2da, "MPI_REAL8", 8, Class::Real),
    row(0x2db, "MPI_COMPLEX8", 8, Class::Complex),
    row(0x2e0, "MPI_LOGICAL16", 16, Class::Logical),
    row(0x2e1, "MPI_INTEGER16", 16, Class::Signed),
    row(0x2e2, "MPI_REAL16", 16, Class::Real),
    row(0x2e3, "MPI_COMPLEX16", 16, Class::Complex),
    row(0x2eb, "MPI_COMPLEX32", 32, Class::Complex),
];

/// The first handle of a datatype, that of `MPI_DATATYPE_NULL`.
pub(crate) const FIRST_HANDLE: usize = 0x200;

/// How many handles the binary interface reserves for predefined datatypes.
pub(crate) const HANDLES: usize = 0x100;

const ABSENT: u8 = u8::MAX;

/// The row of each handle.
static INDEX: [u8; HANDLES] = {
    let mut index = [ABSENT; HANDLES];
    let mut row = 0;
    while row < ROWS.len() {
        index[ROWS[row].handle as usize - FIRST_HANDLE] = row as u8;
        row += 1;
    }
    index
};

impl Basic {
    /// The basic datatype with that handle, if it is one.
    pub const fn new(handle: usize) -> Option<Self> {
        if handle < FIRST_HANDLE || handle >= FIRST_HANDLE + HANDLES {
            return None;
        }
        match INDEX[handle - FIRST_HANDLE] {
            ABSENT => None,
            _ => Some(Self(handle as u16)),
        }
    }

    /// The basic datatype with that handle, where it is known to be one.
    ///
    /// # Panics
    ///
    /// If it is none: while compiling, where it is called in a constant.
    pub(crate) const fn known(handle: usize) -> Self {
        match Self::new(handle) {
            Some(basic) => basic,
            None => panic!("not the handle of a basic datatype"),
        }
    }

    /// The sizes of all of them, by handle; 0 where there is none.
    pub(super) const fn sizes() -> [u8; HANDLES] {
        let mut sizes = [0; HANDLES];
        let mut row = 0;
        while row < ROWS.len() {
            sizes[ROWS[row].handle as usize - FIRST_HANDLE] = ROWS[row].size as u8;
            row += 1;
        }
        sizes
    }

    /// All of them, in the order of their handles.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| Self(row.handle))
    }

    fn row(self) -> &'static Row {
        &ROWS[usize::from(INDEX[usize::from(self.0) - FIRST_HANDLE])]
    }

    /// The handle in the binary interface.
    pub const fn handle(self) -> usize {
        self.0 as usize
    }

    /// The name that `MPI_Type_get_name` tells.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The bytes of one element.
    pub fn size(self) -> usize {
        usize::from(self.row().size)
    }

    /// The alignment that the compilers of this platform give it in a structure.
    pub fn alignment(self) -> usize {
        match self.class() {
            Class::Complex | Class::LongDoubleComplex => self.size() / 2,
            _ => self.size(),
        }
    }

    /// The bytes of one element in the external32 representation.
    pub fn external_size(self) -> usize {
        usize::from(self.row().external)
    }

    /// Which operators take it.
    pub fn class(self) -> Class {
        self.row().class
    }
}

impl std::fmt::Debug for Basic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_fixed_type_is_in_its_handle() {
        // Chapter 20: bits 3 to 5 of a handle from 0x240 on are the logarithm of the size.
        let fixed = Basic::all().filter(|basic| basic.handle() >= 0x240);
        let (mut count, mut wrong) = (0, Vec::new());
        for basic in fixed {
            count += 1;
            let told = 1 << (basic.handle() >> 3 & 7);
            // MPI_COMPLEX32 is MPI_COMPLEX16's neighbour: 32 bytes.
            if basic.size() != told {
                wrong.push(basic);
            }
        }
        assert_eq!((count, wrong), (30, vec![]));
    }

    #[test]
    fn rows_are_in_order_and_found_by_their_handle() {
        let handles: Vec<_> = Basic::all().map(Basic::handle).collect();
        assert!(handles.is_sorted_by(|a, b| a < b));
        for handle in FIRST_HANDLE - 2..FIRST_HANDLE + HANDLES + 2 {
            let expected = handles.contains(&handle).then_some(handle);
            assert_eq!(Basic::new(handle).map(Basic::handle), expected);
        }
        assert_eq!(Basic::known(0x214).name(), "MPI_DOUBLE");
    }

    #[test]
    fn sizes_are_those_of_the_c_compiler() {
        let sizes = [
            ("MPI_SHORT", size_of::<libc::c_short>()),
            ("MPI_LONG", size_of::<libc::c_long>()),
            ("MPI_WCHAR", size_of::<libc::wchar_t>()),
            ("MPI_LONG_DOUBLE", align_of::<libc::max_align_t>()),
            ("MPI_OFFSET", size_of::<libc::off_t>()),
        ];
        for (name, size) in sizes {
            let basic = Basic::all().find(|basic| basic.name() == name).expect("a basic datatype");
            assert_eq!(basic.size(), size, "{name}");
        }
    }
}
