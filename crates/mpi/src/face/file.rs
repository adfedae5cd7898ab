//! Files, which this library does not have: the null handle and its error handler, which hears of every refused call.
//! Source: MPI 5.0, sections on error handlers for files and on I/O error handling.
//! Rules: errors of files return by default, so that a program can go on without them.

use super::border::Out;
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use crate::abi::*;
use crate::dialect::Object;
use std::ffi::c_int;
use std::rc::Rc;

impl Library {
    /// What has the error handler of `MPI_FILE_NULL`: this rank alone, under the null handle's number.
    pub(super) fn of_files(&self) -> Result<Rc<Communicator>, Fault> {
        if let Some(made) = self.files.get() {
            return Ok(made.clone());
        }
        let own = self.the_own()?;
        let made = Communicator::new(own.comm.group(&[0])?, MPI_ERRORS_RETURN);
        made.handle.set(MPI_Comm(MPI_FILE_NULL.0));
        Ok(self.files.get_or_init(|| Rc::new(made)).clone())
    }

    /// The null handle is the only one there is.
    fn check_file(&self, file: MPI_File) -> Result<Rc<Communicator>, Fault> {
        let files = self.of_files()?;
        match file {
            MPI_FILE_NULL => Ok(files),
            _ => Err(Fault::handle(MPI_ERR_FILE, "fh", file.0).on(Some(&files))),
        }
    }
}

export! {
    /// Makes an error handler of a function.
    anytime fn MPI_File_create_errhandler(library; function: MPI_File_errhandler_function, errhandler: Out<MPI_Errhandler>) {
        // SAFETY: the two types differ in a handle's type alone, and handles are alike in size and alignment.
        let function: MPI_Comm_errhandler_function = unsafe { std::mem::transmute(function) };
        library.keep_handler(function, Object::File, errhandler)
    }

    /// Says what hears of the errors of files.
    fn MPI_File_set_errhandler(library; file: MPI_File, errhandler: MPI_Errhandler) {
        let files = library.check_file(file).map_err(|fault| fault.called("file"))?;
        library.refer_to_handler(errhandler)?;
        library.release_handler(files.handler.replace(errhandler));
        Ok(())
    }

    /// What hears of the errors of files.
    fn MPI_File_get_errhandler(library; file: MPI_File, errhandler: Out<MPI_Errhandler>) {
        let handler = library.check_file(file).map_err(|fault| fault.called("file"))?.handler.get();
        library.refer_to_handler(handler)?;
        errhandler.set("errhandler", handler)
    }

    /// Calls the error handler of files.
    fn MPI_File_call_errhandler(library; file: MPI_File, code: c_int) {
        let files = library.check_file(file)?;
        let fault = Fault::new(code, "the program called its error handler");
        library.call_handler(files.hearer(), "MPI_File_call_errhandler", &fault);
        Ok(())
    }
}
