//! Attributes that programs cache on communicators, datatypes and windows, under keyvals with callbacks.
//! Rules: a freed keyval lives on while an attribute uses it; attributes are copied in the order in which they were
//! set and deleted in the reverse order; a failing callback leaves the attribute (MPI 5.0, section 7.7, *Caching*).

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::{Rc, Weak};

use super::Classified;
use crate::abi::{MPI_ERR_KEYVAL, MPI_SUCCESS};
use crate::dialect::Object;

mod callbacks;
mod predefined;
#[cfg(test)]
mod tests;

pub use callbacks::{CopyFunction, DeleteFunction, UserCopy, UserDelete};
pub use predefined::Predefined;

/// What can be wrong with a keyval or an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeError {
    /// No keyval of this kind has this number, or it was freed.
    #[error("keyval {number} is not a {} keyval", .kind.name())]
    Unknown {
        /// The number.
        number: c_int,
        /// What the attribute is to be cached on.
        kind: Kind,
    },
    /// The keyval is one of the library's, which programs may only read.
    #[error("keyval {number} is predefined; its attribute can only be read")]
    Predefined {
        /// The number.
        number: c_int,
    },
    /// The object has no attribute of this keyval.
    #[error("there is no attribute of keyval {number}")]
    NotSet {
        /// The number.
        number: c_int,
    },
    /// A function of the program's failed.
    #[error("the {callback} function of keyval {number} failed with code {code}")]
    Callback {
        /// `copy` or `delete`.
        callback: &'static str,
        /// The number of the keyval.
        number: c_int,
        /// What it returned.
        code: c_int,
    },
}

impl Classified for AttributeError {
    /// What a callback returned is handed on as it is.
    fn class(&self) -> c_int {
        match self {
            AttributeError::Callback { code, .. } => *code,
            _ => MPI_ERR_KEYVAL,
        }
    }
}

/// On what a keyval's attributes are cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// On communicators.
    Comm,
    /// On datatypes.
    Type,
    /// On windows.
    Win,
}

impl Kind {
    /// What handles of it are of.
    fn object(self) -> Object {
        match self {
            Kind::Comm => Object::Comm,
            Kind::Type => Object::Datatype,
            Kind::Win => Object::Win,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Comm => "communicator",
            Kind::Type => "datatype",
            Kind::Win => "window",
        }
    }
}

/// What stands behind the number of a keyval.
#[derive(Debug)]
pub struct Keyval {
    number: c_int,
    kind: Kind,
    /// What happens when an object is duplicated.
    pub copy: CopyFunction,
    /// What happens when an attribute is deleted.
    pub delete: DeleteFunction,
    /// What both functions are handed.
    pub extra_state: *mut c_void,
}

/// The keyvals of a process.
#[derive(Debug)]
pub struct Keyvals {
    live: BTreeMap<c_int, Rc<Keyval>>,
    /// Those that were freed, of which some are still used by attributes.
    freed: BTreeMap<c_int, Weak<Keyval>>,
    next: c_int,
}

/// The first number of a program's keyval: above those of the standard.
const FIRST: c_int = 1 << 10;

impl Keyvals {
    /// No keyvals but those of the standard.
    pub const fn new() -> Keyvals {
        Keyvals { live: BTreeMap::new(), freed: BTreeMap::new(), next: FIRST }
    }

    /// Makes a keyval and returns its number. A number is not used again, so a freed one stays unknown.
    pub fn create(
        &mut self,
        kind: Kind,
        copy: CopyFunction,
        delete: DeleteFunction,
        extra_state: *mut c_void,
    ) -> c_int {
        let number = self.next;
        self.next += 1;
        self.live.insert(number, Rc::new(Keyval { number, kind, copy, delete, extra_state }));
        number
    }

    /// Changes a keyval that no attribute has yet; another interface may have to adapt its functions.
    pub fn replace(&mut self, number: c_int, change: impl FnOnce(&mut Keyval)) {
        if let Some(keyval) = self.live.get_mut(&number).and_then(Rc::get_mut) {
            change(keyval);
        }
    }

    /// Frees a keyval. Attributes that have it keep it until they are deleted. As long as one does, programs may
    /// free it again, which some do in delete functions.
    ///
    /// # Errors
    ///
    /// If there is none of this kind and number.
    pub fn free(&mut self, kind: Kind, number: c_int) -> Result<(), AttributeError> {
        match self.find(kind, number) {
            Ok(keyval) => {
                let keyval = Rc::downgrade(keyval);
                self.live.remove(&number);
                self.freed.retain(|_, freed| freed.strong_count() > 0);
                self.freed.insert(number, keyval);
                Ok(())
            }
            Err(error) => {
                let freed = self.freed.get(&number).and_then(Weak::upgrade);
                freed.filter(|keyval| keyval.kind == kind).map(drop).ok_or(error)
            }
        }
    }

    /// The keyval of this number.
    ///
    /// # Errors
    ///
    /// If there is none of this kind, or it is one of the library's own.
    pub fn find(&self, kind: Kind, number: c_int) -> Result<&Rc<Keyval>, AttributeError> {
        if predefined::is_predefined(kind, number) {
            return Err(AttributeError::Predefined { number });
        }
        let keyval = self.live.get(&number).filter(|keyval| keyval.kind == kind);
        keyval.ok_or(AttributeError::Unknown { number, kind })
    }
}

impl Default for Keyvals {
    fn default() -> Keyvals {
        Keyvals::new()
    }
}

/// An attribute of one object.
#[derive(Clone, Debug)]
pub struct Attribute {
    keyval: Rc<Keyval>,
    value: *mut c_void,
}

impl Attribute {
    /// What the program has cached.
    pub fn value(&self) -> *mut c_void {
        self.value
    }

    /// The number of its keyval.
    pub fn number(&self) -> c_int {
        self.keyval.number
    }

    /// Calls the delete function. `object` is the handle on which the attribute is cached.
    ///
    /// # Errors
    ///
    /// If the function fails; the attribute is to stay then.
    ///
    /// # Safety
    ///
    /// The function is the program's, and may call the library: no lock may be held, and nothing borrowed.
    pub unsafe fn delete(&self, object: usize) -> Result<(), AttributeError> {
        let Keyval { number, kind, extra_state, delete, .. } = *self.keyval;
        // SAFETY: the caller holds nothing that the program's function could need.
        match unsafe { delete.call((kind.object(), object), number, self.value, extra_state) } {
            MPI_SUCCESS => Ok(()),
            code => Err(AttributeError::Callback { callback: "delete", number, code }),
        }
    }

    /// Calls the copy function. Returns the attribute of the duplicate, if it is to have one.
    ///
    /// # Errors
    ///
    /// If the function fails.
    ///
    /// # Safety
    ///
    /// As [`Attribute::delete`].
    pub unsafe fn copy(&self, object: usize) -> Result<Option<Attribute>, AttributeError> {
        let Keyval { number, kind, extra_state, copy, .. } = *self.keyval;
        let mut value = ptr::null_mut();
        // SAFETY: as the caller promises.
        match unsafe {
            copy.call((kind.object(), object), number, extra_state, self.value, &mut value)
        } {
            Ok(true) => Ok(Some(Attribute { keyval: Rc::clone(&self.keyval), value })),
            Ok(false) => Ok(None),
            Err(code) => Err(AttributeError::Callback { callback: "copy", number, code }),
        }
    }
}

/// The attributes of one object, in the order in which they were set.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    entries: Vec<Attribute>,
}

impl Attributes {
    /// No attributes.
    pub const fn new() -> Attributes {
        Attributes { entries: Vec::new() }
    }

    /// The attribute of a keyval.
    pub fn find(&self, number: c_int) -> Option<&Attribute> {
        self.entries.iter().find(|attribute| attribute.keyval.number == number)
    }

    /// The attribute of a keyval that is to be deleted.
    ///
    /// # Errors
    ///
    /// If the object has none.
    pub fn existing(&self, number: c_int) -> Result<&Attribute, AttributeError> {
        self.find(number).ok_or(AttributeError::NotSet { number })
    }

    /// Caches a value. The delete function of one that it replaces was called before.
    pub fn set(&mut self, keyval: Rc<Keyval>, value: *mut c_void) {
        // A replaced attribute counts as set now, so it moves to the end.
        self.remove(keyval.number);
        self.entries.push(Attribute { keyval, value });
    }

    /// Takes over what a copy function made.
    pub fn push(&mut self, attribute: Attribute) {
        self.entries.push(attribute);
    }

    /// Forgets the attribute of a keyval, after its delete function was called. Returns whether there was one.
    pub fn remove(&mut self, number: c_int) -> bool {
        let before = self.entries.len();
        self.entries.retain(|attribute| attribute.keyval.number != number);
        self.entries.len() < before
    }

    /// The attribute that is to be deleted first when the object is freed: the one set last.
    ///
    /// It stays until [`Attributes::remove`], so that its delete function can still read it.
    pub fn last(&self) -> Option<&Attribute> {
        self.entries.last()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Copies of all, to call their copy functions by, in the order in which they were set.
    pub fn to_vec(&self) -> Vec<Attribute> {
        self.entries.clone()
    }
}

/// Calls the copy functions of some attributes. Returns those of the duplicate.
///
/// # Errors
///
/// If one fails: with the error come the attributes that were copied before it, to be deleted again.
///
/// # Safety
///
/// As [`Attribute::delete`].
pub unsafe fn copy_all(
    attributes: &[Attribute],
    object: usize,
) -> Result<Attributes, (AttributeError, Attributes)> {
    let mut copies = Attributes::new();
    for attribute in attributes {
        // SAFETY: as the caller promises.
        match unsafe { attribute.copy(object) } {
            Ok(Some(copy)) => copies.push(copy),
            Ok(None) => {}
            Err(error) => return Err((error, copies)),
        }
    }
    Ok(copies)
}
