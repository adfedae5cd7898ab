//! How a job ends before its time: by `MPI_Abort`, or by an error that nobody handles.
//! Source: MPI 5.0, sections *Startup* and *Error Handling*.
//! Rules: the message names the rank and the call; the launcher learns of it before the process ends.

use super::border::On;
use super::communicator::Communicator;
use super::export::export;
use super::fault::{Fault, Why};
use super::library::Library;
use crate::abi::*;
use std::ffi::c_int;
use std::rc::Rc;

impl Library {
    /// Ends this process with an error of the job.
    pub(crate) fn abort(&self, code: c_int, message: &str) -> ! {
        self.abort_by(&Fault::new(code, message))
    }

    /// As [`abort`](Library::abort). Which rank the failure follows from, whoever has started the job learns.
    pub(super) fn abort_by(&self, fault: &Fault) -> ! {
        let Why { code, message, culprit, .. } = &**fault;
        let rank = self.world().map(|world| world.rank);
        let error = runahead::Error::Reported { message: message.clone(), culprit: *culprit };
        let is_told = match self.entry.try_borrow_mut().as_deref_mut() {
            Ok(Some(entry)) => entry.fail(&error),
            _ => false,
        };
        match rank {
            _ if is_told => {}
            Some(rank) => eprintln!("runahead: rank {rank}: {message}"),
            None => eprintln!("runahead: {message}"),
        }
        // What it writes to standard output through C is written then. An exit code has eight bits.
        std::process::exit(if code & 0xff == 0 { 1 } else { code & 0xff })
    }

    /// A function was called outside of the library's life.
    #[cold]
    pub(crate) fn refuse_outside(&self, name: &str) -> ! {
        let when = if self.has_ended() { "after MPI_Finalize" } else { "before MPI_Init" };
        self.abort(MPI_ERR_OTHER, &format!("{name} was called {when}"))
    }

    /// The communicator whose handler hears of an error that belongs to none: `MPI_COMM_SELF`. Where the program has
    /// left that one fatal, it is `MPI_COMM_WORLD`, as it was before MPI 4.0, since most programs set that alone.
    fn comm_of_errors(&self) -> Option<Rc<Communicator>> {
        self.own().filter(|own| own.handler.get() != MPI_ERRORS_ARE_FATAL).or_else(|| self.world())
    }

    /// Calls the error handler. Returns the error code, if that returns.
    #[cold]
    pub(crate) fn handle_fault(&self, name: &str, on: On, fault: Fault) -> c_int {
        let comm = match (&fault.comm, on) {
            (Some(comm), _) => Some(comm.clone()),
            (None, On::Comm(comm)) => self.comm(comm).ok(),
            (None, On::Nothing) => None,
        };
        let Some(comm) = comm.or_else(|| self.comm_of_errors()) else {
            let message = format!("{name}: {}", fault.message);
            self.abort_by(&fault.with(|why| why.message = message));
        };
        self.call_handler(&comm, name, &fault)
    }
}

export! {
    /// Ends the job.
    anytime fn MPI_Abort(library; _comm: MPI_Comm, code: c_int) {
        // What comes of them changes nothing now.
        let _ = library.guard();
        library.abort(code, &format!("MPI_Abort was called with code {code}"))
    }
}
