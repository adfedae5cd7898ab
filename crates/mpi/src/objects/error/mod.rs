//! Error codes: classes of the standard, what the program adds to them, and what each says.
//! Rules: a code is a class or belongs to one; what the program adds lies above `MPI_ERR_LASTCODE`, and no number
//! is used twice (MPI 5.0, section 9.4, *Error Codes and Classes*, and 9.5).

use std::collections::BTreeMap;
use std::ffi::c_int;

use super::Classified;
use crate::abi::{MPI_ERR_ARG, MPI_ERR_LASTCODE, MPI_MAX_ERROR_STRING};

mod classes;
mod runtime;
#[cfg(test)]
mod tests;

pub use classes::class_text;
pub use runtime::class_of;

/// What can be wrong with a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// Neither the standard nor the program has such a code.
    #[error("{0} is no error code")]
    Unknown(c_int),
    /// The code is no class.
    #[error("{0} is no error class")]
    NoClass(c_int),
    /// The code is the standard's, which programs cannot change.
    #[error("error code {0} is one of the library's own")]
    Predefined(c_int),
    /// The text is too long.
    #[error("the text has {0} characters; it may have {most}", most = MPI_MAX_ERROR_STRING - 1)]
    Text(usize),
    /// The code has no text to be removed.
    #[error("error code {0} has no text")]
    NoText(c_int),
    /// The code still has a text, or the class a code.
    #[error("error code {code} still has {what}")]
    InUse {
        /// The code.
        code: c_int,
        /// What must be removed before.
        what: &'static str,
    },
    /// There are no more numbers.
    #[error("there are no more error codes")]
    Exhausted,
}

impl Classified for CodeError {
    fn class(&self) -> c_int {
        MPI_ERR_ARG
    }
}

/// The codes of a process.
#[derive(Debug)]
pub struct ErrorCodes {
    added: BTreeMap<c_int, Added>,
    last: c_int,
}

/// A code that the program has added.
#[derive(Debug)]
struct Added {
    /// Its class: itself, if it is one.
    class: c_int,
    text: Option<Box<[u8]>>,
}

impl ErrorCodes {
    /// The codes of the standard.
    pub const fn new() -> ErrorCodes {
        ErrorCodes { added: BTreeMap::new(), last: MPI_ERR_LASTCODE }
    }

    /// The largest code there ever was: the value of the attribute `MPI_LASTUSEDCODE`.
    pub fn last(&self) -> c_int {
        self.last
    }

    /// Adds a class (`MPI_Add_error_class`).
    ///
    /// # Errors
    ///
    /// If there are no more numbers.
    pub fn add_class(&mut self) -> Result<c_int, CodeError> {
        self.add(None)
    }

    /// Adds a code to a class (`MPI_Add_error_code`).
    ///
    /// # Errors
    ///
    /// If it is no class.
    pub fn add_code(&mut self, class: c_int) -> Result<c_int, CodeError> {
        if self.class_of(class) != Ok(class) {
            return Err(CodeError::NoClass(class));
        }
        self.add(Some(class))
    }

    fn add(&mut self, class: Option<c_int>) -> Result<c_int, CodeError> {
        let code = self.last.checked_add(1).ok_or(CodeError::Exhausted)?;
        self.last = code;
        self.added.insert(code, Added { class: class.unwrap_or(code), text: None });
        Ok(code)
    }

    /// Says what an added code means (`MPI_Add_error_string`).
    ///
    /// # Errors
    ///
    /// If the code was not added, or the text is too long.
    pub fn set_text(&mut self, code: c_int, text: &[u8]) -> Result<(), CodeError> {
        let added = self.added(code)?;
        if text.len() >= MPI_MAX_ERROR_STRING {
            return Err(CodeError::Text(text.len()));
        }
        added.text = Some(text.into());
        Ok(())
    }

    /// Removes a class (`MPI_Remove_error_class`).
    ///
    /// # Errors
    ///
    /// If it was not added, is no class, or still has a code or a text.
    pub fn remove_class(&mut self, class: c_int) -> Result<(), CodeError> {
        if self.added(class)?.class != class {
            return Err(CodeError::NoClass(class));
        }
        if self.added.iter().any(|(code, added)| added.class == class && *code != class) {
            return Err(CodeError::InUse { code: class, what: "a code" });
        }
        self.remove(class)
    }

    /// Removes a code (`MPI_Remove_error_code`).
    ///
    /// # Errors
    ///
    /// If it was not added, is a class, or still has a text.
    pub fn remove_code(&mut self, code: c_int) -> Result<(), CodeError> {
        if self.added(code)?.class == code {
            return Err(CodeError::Unknown(code));
        }
        self.remove(code)
    }

    fn remove(&mut self, code: c_int) -> Result<(), CodeError> {
        if self.added(code)?.text.is_some() {
            return Err(CodeError::InUse { code, what: "a text" });
        }
        self.added.remove(&code);
        Ok(())
    }

    /// Removes the text of an added code (`MPI_Remove_error_string`).
    ///
    /// # Errors
    ///
    /// If the code was not added, or has none.
    pub fn remove_text(&mut self, code: c_int) -> Result<(), CodeError> {
        self.added(code)?.text.take().map(drop).ok_or(CodeError::NoText(code))
    }

    /// The class of a code (`MPI_Error_class`).
    ///
    /// # Errors
    ///
    /// If there is no such code.
    pub fn class_of(&self, code: c_int) -> Result<c_int, CodeError> {
        if class_text(code).is_some() {
            return Ok(code);
        }
        self.added.get(&code).map(|added| added.class).ok_or(CodeError::Unknown(code))
    }

    /// What a code says (`MPI_Error_string`): nothing, if it was added without a text.
    ///
    /// # Errors
    ///
    /// If there is no such code.
    pub fn text(&self, code: c_int) -> Result<&[u8], CodeError> {
        if let Some(text) = class_text(code) {
            return Ok(text.as_bytes());
        }
        let added = self.added.get(&code).ok_or(CodeError::Unknown(code))?;
        Ok(added.text.as_deref().unwrap_or_default())
    }

    fn added(&mut self, code: c_int) -> Result<&mut Added, CodeError> {
        if class_text(code).is_some() {
            return Err(CodeError::Predefined(code));
        }
        self.added.get_mut(&code).ok_or(CodeError::Unknown(code))
    }
}

impl Default for ErrorCodes {
    fn default() -> ErrorCodes {
        ErrorCodes::new()
    }
}
