//! The program's opaque objects that need no communication, and the strings that name things in them.
//! Source: MPI 5.0, chapters on groups and caching, info objects, and the environment.
//! Rules: what a handle names is copied out before the program's own functions run.

use super::border::{In, Out};
use super::fault::Fault;
use super::table::Table;
use crate::abi::MPI_ERR_ARG;
use crate::objects::Classified;
use crate::objects::attribute::{Attributes, Keyvals, Kind, Predefined};
use crate::objects::error::ErrorCodes;
use crate::objects::info::Info;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int};

/// The objects of a process.
pub(crate) struct Objects {
    pub(super) infos: RefCell<Table<Info>>,
    pub(super) codes: RefCell<ErrorCodes>,
    pub(crate) keyvals: RefCell<Keyvals>,
    /// What the program has cached, by the kind and the handle of the object.
    pub(super) attributes: RefCell<BTreeMap<(Kind, usize), Attributes>>,
    pub(super) predefined: OnceCell<Predefined>,
}

impl Objects {
    /// No objects but the predefined ones.
    pub(super) const fn new() -> Objects {
        Objects {
            infos: RefCell::new(Table::new()),
            codes: RefCell::new(ErrorCodes::new()),
            keyvals: RefCell::new(Keyvals::new()),
            attributes: RefCell::new(BTreeMap::new()),
            predefined: OnceCell::new(),
        }
    }
}

impl<E: Classified> From<E> for Fault {
    #[cold]
    fn from(error: E) -> Fault {
        Fault::new(error.class(), error.to_string())
    }
}

/// The length of an array, which is not negative.
pub(crate) fn length(argument: &str, length: c_int) -> Result<usize, Fault> {
    usize::try_from(length).map_err(|_| Fault::value(MPI_ERR_ARG, argument, length))
}

impl In<c_char> {
    /// The bytes of a string, whose null is not part of it.
    pub(crate) fn bytes(self, argument: &'static str) -> Result<&'static [u8], Fault> {
        if self.is_null() {
            return Err(Fault::null(argument));
        }
        // SAFETY: the caller in C vouches for a string that ends with a null, and leaves it alone during the call.
        Ok(unsafe { CStr::from_ptr(self.address()) }.to_bytes())
    }
}

impl Out<c_char> {
    /// Writes bytes and a null, for which the caller has room.
    pub(crate) fn set_bytes(self, argument: &'static str, bytes: &[u8]) -> Result<(), Fault> {
        for (at, byte) in bytes.iter().chain(&[0]).enumerate() {
            self.set_at(argument, at, *byte as c_char)?;
        }
        Ok(())
    }
}
