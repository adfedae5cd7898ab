//! How a job ends before its time: by `MPI_Abort`, or by an error that nobody handles.
//! Source: MPI 5.0, sections *Startup* and *Error Handling*.
//! Rules: the message names the rank and the call; the launcher learns of it before the process ends.

use super::border::On;
use super::export::export;
use super::fault::{Fault, Why};
use super::library::{LIBRARY, Library};
use crate::abi::*;
use std::ffi::c_int;

impl Library {
    /// Ends this process with an error of the job.
    pub(crate) fn abort(&self, code: c_int, message: &str) -> ! {
        self.abort_by(&Fault::new(code, message))
    }

    /// As [`abort`](Library::abort). Which rank the failure follows from, whoever has started the job learns.
    pub(super) fn abort_by(&self, fault: &Fault) -> ! {
        let Why { code, message, culprit, .. } = &**fault;
        let rank = self.rank_and_ranks().map(|(rank, _)| rank);
        let error = runahead::Error::Reported { message: message.clone(), culprit: *culprit };
        let is_told = self.entry().as_mut().is_some_and(|entry| entry.fail(&error));
        match rank {
            _ if is_told => {}
            Some(rank) => eprintln!("runahead: rank {rank}: {message}"),
            None => eprintln!("runahead: {message}"),
        }
        // No destructor of this thread ends the runtime in an orderly way.
        self.begin_end();
        // What it writes to standard output through C is written then. An exit code has eight bits.
        std::process::exit(if code & 0xff == 0 { 1 } else { code & 0xff })
    }

    /// A function was called outside of the library's life.
    #[cold]
    pub(crate) fn refuse_outside(&self, name: &str) -> ! {
        let when = if self.has_ended() { "after MPI_Finalize" } else { "before MPI_Init" };
        self.abort(MPI_ERR_OTHER, &format!("{name} was called {when}"))
    }

    /// Calls the error handler. Returns the error code, if that returns.
    #[cold]
    pub(crate) fn handle_fault(&self, name: &str, on: On, fault: Fault) -> c_int {
        let hearer = match (fault.hearer, on) {
            (Some(hearer), _) => Some(hearer),
            (None, On::Comm(comm)) => self.comm(comm).ok().map(|comm| comm.hearer()),
            (None, On::Nothing) => None,
        };
        let hearer =
            hearer.or_else(|| self.rank_and_ranks().map(|_| self.predefined_handlers.hearer()));
        let Some(hearer) = hearer else {
            let message = format!("{name}: {}", fault.message);
            self.abort_by(&fault.with(|why| why.message = message));
        };
        self.call_handler(hearer, name, &fault)
    }
}

export! {
    /// Ends the job. It waits for no other thread, since that may be in a call for ever.
    fn MPI_Abort(_comm: MPI_Comm, code: c_int) -> c_int {
        // What comes of them changes nothing now.
        let _ = LIBRARY.guard();
        LIBRARY.abort(code, &format!("MPI_Abort was called with code {code}"))
    }
}
