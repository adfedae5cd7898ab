//! Error codes by their numbers: classes, texts, and what the program adds.
//! Source: MPI 5.0, sections *Error Codes and Classes* and *Error Classes, Error Codes, and Error Handlers*.
//! Rules: all of it works before the library is initialised and after it was finalized.

use super::border::{In, Out};
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use crate::abi::*;
use crate::objects::error::{CodeError, ErrorCodes};
use std::ffi::{c_char, c_int};

impl Library {
    fn add_code(
        &self,
        add: impl FnOnce(&mut ErrorCodes) -> Result<c_int, CodeError>,
    ) -> Result<c_int, Fault> {
        let code = add(&mut self.objects.codes.borrow_mut())?;
        if let Some(predefined) = self.objects.predefined.get() {
            predefined.update(MPI_LASTUSEDCODE, code);
        }
        Ok(code)
    }
}

export! {
    /// The class of an error code.
    anytime fn MPI_Error_class(library; errorcode: c_int, errorclass: Out<c_int>) {
        let class = library.objects.codes.borrow().class_of(errorcode)?;
        errorclass.set("errorclass", class)
    }

    /// What an error code says.
    anytime fn MPI_Error_string(library; errorcode: c_int, string: Out<c_char>, resultlen: Out<c_int>) {
        let text = library.objects.codes.borrow().text(errorcode)?.to_vec();
        string.set_bytes("string", &text)?;
        resultlen.set("resultlen", text.len() as c_int)
    }

    /// Adds an error class.
    anytime fn MPI_Add_error_class(library; errorclass: Out<c_int>) {
        let class = library.add_code(ErrorCodes::add_class)?;
        errorclass.set("errorclass", class)
    }

    /// Adds an error code to a class.
    anytime fn MPI_Add_error_code(library; errorclass: c_int, errorcode: Out<c_int>) {
        let code = library.add_code(|codes| codes.add_code(errorclass))?;
        errorcode.set("errorcode", code)
    }

    /// Says what an added error code means.
    anytime fn MPI_Add_error_string(library; errorcode: c_int, string: In<c_char>) {
        let text = string.bytes("string")?;
        Ok(library.objects.codes.borrow_mut().set_text(errorcode, text)?)
    }

    /// Removes an added error class.
    anytime fn MPI_Remove_error_class(library; errorclass: c_int) {
        Ok(library.objects.codes.borrow_mut().remove_class(errorclass)?)
    }

    /// Removes an added error code.
    anytime fn MPI_Remove_error_code(library; errorcode: c_int) {
        Ok(library.objects.codes.borrow_mut().remove_code(errorcode)?)
    }

    /// Removes what an added error code says.
    anytime fn MPI_Remove_error_string(library; errorcode: c_int) {
        Ok(library.objects.codes.borrow_mut().remove_text(errorcode)?)
    }
}
