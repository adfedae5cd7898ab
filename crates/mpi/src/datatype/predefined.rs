//! The predefined datatypes: basic ones, pairs of value and index, and those that Fortran asks for by
//! precision and range. The face owns the one [`Predefined`], and hands out its datatypes.
//!
//! MPI 5.0, sections 3.2.2, 6.9.4 (pairs), 19.1.9 (Fortran kinds); handles as in chapter 20.

use std::sync::{Arc, Mutex, PoisonError};

use super::basic::{Basic, FIRST_HANDLE, HANDLES};
use super::layout::{Composer, Layout};
use super::{Contents, Datatype, Origin, TypeError};
use crate::abi;

/// A pair of a value and an index: handle, name, value, index.
const PAIRS: [(usize, &str, usize, usize); 9] = [
    (0x228, "MPI_FLOAT_INT", 0x210, 0x209),
    (0x229, "MPI_DOUBLE_INT", 0x214, 0x209),
    (0x22a, "MPI_LONG_INT", 0x20a, 0x209),
    (0x22b, "MPI_2INT", 0x209, 0x209),
    (0x22c, "MPI_SHORT_INT", 0x208, 0x209),
    (0x22d, "MPI_LONG_DOUBLE_INT", 0x220, 0x209),
    (0x230, "MPI_2REAL", 0x21a, 0x21a),
    (0x231, "MPI_2DOUBLE_PRECISION", 0x21c, 0x21c),
    (0x232, "MPI_2INTEGER", 0x219, 0x219),
];

/// By handle, the size of each predefined datatype whose elements lie without gaps; else 0.
pub(crate) const fn contiguous_sizes() -> [u8; HANDLES] {
    let mut sizes = Basic::sizes();
    let mut at = 0;
    while at < PAIRS.len() {
        let (handle, _, value, index) = PAIRS[at];
        let (value, index) = (sizes[value - FIRST_HANDLE], sizes[index - FIRST_HANDLE]);
        // An index behind a shorter value is aligned, and an element behind a shorter index.
        if value == index {
            sizes[handle - FIRST_HANDLE] = value + index;
        }
        at += 1;
    }
    sizes
}

/// What `MPI_Type_match_size` looks among: Fortran's kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeClass {
    /// REAL of some kind.
    Real,
    /// INTEGER of some kind.
    Integer,
    /// COMPLEX of some kind.
    Complex,
}

impl TypeClass {
    /// The class that one of the `MPI_TYPECLASS_` constants names.
    ///
    /// # Errors
    ///
    /// [`TypeError::Argument`] if it is none of them.
    pub fn new(value: i32) -> Result<Self, TypeError> {
        match value {
            abi::MPI_TYPECLASS_REAL => Ok(Self::Real),
            abi::MPI_TYPECLASS_INTEGER => Ok(Self::Integer),
            abi::MPI_TYPECLASS_COMPLEX => Ok(Self::Complex),
            _ => Err(TypeError::Argument {
                argument: "typeclass",
                value: i64::from(value),
                expected: "MPI_TYPECLASS_REAL, _INTEGER or _COMPLEX",
            }),
        }
    }
}

/// The kinds of REAL that the Fortran compiler has: decimal precision, decimal exponent, handle of
/// REAL, handle of COMPLEX.
const REALS: [(i32, i32, usize, usize); 3] =
    [(6, 37, 0x2d2, 0x2db), (15, 307, 0x2da, 0x2e3), (33, 4931, 0x2e2, 0x2eb)];

/// The kinds of INTEGER: decimal digits, handle.
const INTEGERS: [(i32, usize); 5] = [(2, 0x2c1), (4, 0x2c9), (9, 0x2d1), (18, 0x2d9), (38, 0x2e1)];

/// All predefined datatypes.
#[derive(Debug)]
pub struct Predefined {
    by_handle: Vec<Option<Arc<Datatype>>>,
    /// Those without a name, made when first asked for: each set of arguments has one datatype.
    unnamed: Mutex<Vec<Arc<Datatype>>>,
}

impl Default for Predefined {
    fn default() -> Self {
        let mut by_handle = vec![None; HANDLES];
        let named = |layout, handle, name| {
            Some(Arc::new(Datatype::new(layout, Origin::Predefined(handle), true, name)))
        };
        for basic in Basic::all() {
            let (layout, handle) = (Layout::element(basic), basic.handle());
            by_handle[handle - FIRST_HANDLE] = named(layout, handle, basic.name());
        }
        for (handle, name, value, index) in PAIRS {
            let layout = pair(Basic::known(value), Basic::known(index));
            by_handle[handle - FIRST_HANDLE] = named(layout, handle, name);
        }
        Self { by_handle, unnamed: Mutex::default() }
    }
}

/// A value and, at the next aligned place, an index.
fn pair(value: Basic, index: Basic) -> Layout {
    let displacement = value.size().next_multiple_of(index.alignment()) as i64;
    let mut composer = Composer::default();
    let composed = composer
        .add(0, 1, &Layout::element(value))
        .and_then(|()| composer.add(displacement, 1, &Layout::element(index)))
        .and_then(|()| composer.finish());
    composed.expect("two elements are neither large nor deep")
}

impl Predefined {
    /// The datatype with that handle, if it is predefined and not `MPI_DATATYPE_NULL`.
    #[inline]
    pub fn find(&self, handle: usize) -> Option<&Arc<Datatype>> {
        self.by_handle.get(handle.wrapping_sub(FIRST_HANDLE))?.as_ref()
    }

    /// All named ones.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Datatype>> {
        self.by_handle.iter().flatten()
    }

    /// The datatype with that handle.
    fn known(&self, handle: usize) -> &Arc<Datatype> {
        self.find(handle).expect("the handle of a predefined datatype")
    }

    /// `MPI_Type_match_size`: the Fortran datatype of that size.
    ///
    /// # Errors
    ///
    /// [`TypeError::NoMatch`] if there is none.
    pub fn match_size(&self, class: TypeClass, size: i32) -> Result<&Arc<Datatype>, TypeError> {
        let handles = match class {
            TypeClass::Real => [0x2ca, 0x2d2, 0x2da, 0x2e2].as_slice(),
            TypeClass::Integer => &[0x2c1, 0x2c9, 0x2d1, 0x2d9, 0x2e1],
            TypeClass::Complex => &[0x2d3, 0x2db, 0x2e3, 0x2eb],
        };
        let mut datatypes = handles.iter().map(|handle| self.known(*handle));
        let found =
            datatypes.find(|datatype| i64::try_from(datatype.size()) == Ok(i64::from(size)));
        found.ok_or(TypeError::NoMatch { what: "size", value: i64::from(size) })
    }

    /// `MPI_Type_create_f90_real`, or `_complex`: at least that precision and exponent range.
    /// `None` stands for `MPI_UNDEFINED`.
    ///
    /// # Errors
    ///
    /// [`TypeError::NoMatch`] if there is none; [`TypeError::Argument`] if nothing is asked for.
    pub fn f90_real(
        &self,
        precision: Option<i32>,
        range: Option<i32>,
        complex: bool,
    ) -> Result<Arc<Datatype>, TypeError> {
        if precision.is_none() && range.is_none() {
            let (argument, value) = ("p", i64::from(abi::MPI_UNDEFINED));
            let expected = "a precision or a range";
            return Err(TypeError::Argument { argument, value, expected });
        }
        let (least, reach) = (precision.unwrap_or(0), range.unwrap_or(0));
        let kind =
            REALS.iter().find(|(digits, exponent, ..)| least <= *digits && reach <= *exponent);
        let Some((.., real, complex_handle)) = kind else {
            let largest = REALS[REALS.len() - 1];
            let (what, value) =
                if least > largest.0 { ("precision", least) } else { ("range", reach) };
            return Err(TypeError::NoMatch { what, value: i64::from(value) });
        };
        let (combiner, handle) = match complex {
            false => (abi::MPI_COMBINER_F90_REAL, real),
            true => (abi::MPI_COMBINER_F90_COMPLEX, complex_handle),
        };
        let undefined = abi::MPI_UNDEFINED;
        let asked = [precision.unwrap_or(undefined), range.unwrap_or(undefined)];
        Ok(self.unnamed(Contents::new(combiner, &[]).integers(&asked), || {
            self.known(*handle).layout.clone()
        }))
    }

    /// `MPI_Type_create_f90_integer`: at least that many decimal digits.
    ///
    /// # Errors
    ///
    /// [`TypeError::NoMatch`] if there is none.
    pub fn f90_integer(&self, digits: i32) -> Result<Arc<Datatype>, TypeError> {
        let kind = INTEGERS.iter().find(|(most, _)| digits <= *most);
        let (_, handle) =
            kind.ok_or(TypeError::NoMatch { what: "range", value: i64::from(digits) })?;
        let contents = Contents::new(abi::MPI_COMBINER_F90_INTEGER, &[]).integers(&[digits]);
        Ok(self.unnamed(contents, || self.known(*handle).layout.clone()))
    }

    /// `MPI_Type_get_value_index`: the pair of these two, if there is a named one.
    pub fn value_index(&self, value: &Datatype, index: &Datatype) -> Option<&Arc<Datatype>> {
        let (value, index) = (value.handle()?, index.handle()?);
        let pair = PAIRS.iter().find(|(_, _, of, by)| (*of, *by) == (value, index))?;
        Some(self.known(pair.0))
    }

    /// Value and index of a predefined pair: what MINLOC and MAXLOC apply to.
    pub fn pair_of(datatype: &Datatype) -> Option<(Basic, Basic)> {
        let handle = datatype.handle()?;
        let (_, _, value, index) = PAIRS.iter().find(|(of, ..)| *of == handle)?;
        Some((Basic::known(*value), Basic::known(*index)))
    }

    /// The unnamed datatype with these contents, made unless it was asked for before.
    fn unnamed(&self, contents: Contents, layout: impl FnOnce() -> Layout) -> Arc<Datatype> {
        let mut unnamed = self.unnamed.lock().unwrap_or_else(PoisonError::into_inner);
        let same = unnamed.iter().find(|datatype| {
            datatype.contents().is_some_and(|made| {
                made.combiner == contents.combiner && made.integers == contents.integers
            })
        });
        if let Some(same) = same {
            return same.clone();
        }
        let datatype = Arc::new(Datatype::new(layout(), Origin::Derived(contents), true, ""));
        unnamed.push(datatype.clone());
        datatype
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::Class;

    #[test]
    fn every_handle_of_the_interface_has_its_datatype_and_name() {
        let predefined = Predefined::default();
        let mut found = 0;
        for constant in abi::DATATYPES.constants {
            let handle = constant.value as usize;
            let Some(datatype) = predefined.find(handle) else {
                assert_eq!(constant.name, "MPI_DATATYPE_NULL");
                continue;
            };
            let name = String::from_utf8(datatype.name()).expect("a name in ASCII");
            let synonyms =
                [("MPI_LONG_LONG", "MPI_LONG_LONG_INT"), ("MPI_C_FLOAT_COMPLEX", "MPI_C_COMPLEX")];
            let expected = synonyms.iter().find(|(of, _)| *of == constant.name);
            assert_eq!(name, expected.map_or(constant.name, |(_, name)| *name));
            assert!(datatype.is_committed() && datatype.is_predefined());
            assert_eq!(datatype.handle(), Some(handle));
            found += 1;
        }
        // The synonyms are counted twice, and nothing is predefined that has no constant.
        assert_eq!(found - 2, predefined.all().count());
    }

    #[test]
    fn pairs_lie_as_in_c() {
        let predefined = Predefined::default();
        let facts = PAIRS.map(|(handle, ..)| {
            let pair = predefined.known(handle);
            (pair.size(), pair.extent(), pair.true_extent())
        });
        // FLOAT_INT, DOUBLE_INT, LONG_INT, 2INT, SHORT_INT, LONG_DOUBLE_INT, 2REAL, 2DOUBLE, 2INTEGER
        let expected = [
            (8, 8, 8),
            (12, 16, 12),
            (12, 16, 12),
            (8, 8, 8),
            (6, 8, 8),
            (20, 32, 20),
            (8, 8, 8),
            (16, 16, 16),
            (8, 8, 8),
        ];
        assert_eq!(facts, expected);
        for (handle, ..) in PAIRS {
            let (value, index) = Predefined::pair_of(predefined.known(handle)).expect("a pair");
            let numbers = [Class::Signed, Class::Real, Class::LongDouble];
            assert!(numbers.contains(&value.class()) && index.class() != Class::LongDouble);
        }
    }

    #[test]
    fn fortran_kinds_are_the_least_that_do() {
        let predefined = Predefined::default();
        let size = |p, r| predefined.f90_real(p, r, false).map(|datatype| datatype.size());
        assert_eq!(size(Some(6), None), Ok(4));
        assert_eq!(size(Some(7), None), Ok(8));
        assert_eq!(size(Some(6), Some(38)), Ok(8));
        assert_eq!(size(Some(16), Some(10)), Ok(16));
        assert_eq!(size(Some(34), None), Err(TypeError::NoMatch { what: "precision", value: 34 }));
        let same = [(); 2].map(|()| predefined.f90_integer(10).expect("a kind"));
        assert!(Arc::ptr_eq(&same[0], &same[1]) && same[0].size() == 8);
        assert!(same[0].is_predefined() && same[0].is_committed() && same[0].handle().is_none());
        assert_eq!(same[0].envelope().combiner, abi::MPI_COMBINER_F90_INTEGER);
        assert_eq!(same[0].basic().map(Basic::name), Some("MPI_INTEGER8"));
        let complex = predefined.match_size(TypeClass::Complex, 16).expect("a kind");
        assert_eq!(complex.name(), b"MPI_COMPLEX16");
        assert!(predefined.match_size(TypeClass::Integer, 3).is_err());
        assert!(predefined.match_size(TypeClass::Real, -4).is_err());
    }
}
