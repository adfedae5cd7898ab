//! An error on its way to the error handler: the standard's class, the words, and what hears of it.
//! Source: MPI 5.0, section *Error Handling*; the classes stand in `abi`.
//! Rules: a message names the argument and its value, so that a program's author sees what to change.

use super::communicator::Communicator;
use super::errhandler::Hearer;
use super::status::Status;
use crate::abi::*;
use crate::datatype::TypeError;
use crate::objects::error::class_of;
use runahead::internals::message::MessageError;
use runahead::{InvalidOption, Rank};
use std::ffi::c_int;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

/// Why a call failed. It is one word, so that a call that succeeds hands little on.
#[derive(Clone)]
pub(crate) struct Fault(Box<Why>);

/// What is known of a failure.
#[derive(Clone)]
pub(crate) struct Why {
    /// The error class, or a code of the program's own.
    pub(crate) code: c_int,
    /// What is wrong.
    pub(crate) message: String,
    /// How long the argument's name is that the message begins with; 0 if it names none.
    pub(crate) name_bytes: usize,
    /// What hears of it, where that is not the communicator of the call.
    pub(crate) hearer: Option<Hearer>,
    /// The rank of the world whose end or failure it follows from.
    pub(crate) culprit: Option<Rank>,
    /// The status of the message, if one came.
    pub(crate) status: Option<Status>,
}

impl Fault {
    /// An error of this class.
    #[cold]
    pub(crate) fn new(code: c_int, message: impl Into<String>) -> Fault {
        let message = message.into();
        Fault(Box::new(Why {
            code,
            message,
            name_bytes: 0,
            hearer: None,
            culprit: None,
            status: None,
        }))
    }

    /// The same error, with what `change` changes.
    #[cold]
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Why)) -> Fault {
        change(&mut self.0);
        self
    }

    /// An argument by its name, and what it is.
    #[cold]
    pub(crate) fn argument(code: c_int, argument: &str, is: impl fmt::Display) -> Fault {
        let fault = Fault::new(code, format!("{argument} is {is}"));
        fault.with(|why| why.name_bytes = argument.len())
    }

    /// The same error, where the function calls this argument otherwise than others do.
    #[cold]
    pub(crate) fn called(self, argument: &str) -> Fault {
        self.with(|why| {
            let rest = why.message.split_off(why.name_bytes);
            if why.name_bytes > 0 {
                (why.message, why.name_bytes) = (argument.to_owned(), argument.len());
            }
            why.message.push_str(&rest);
        })
    }

    /// An error of the program's own callback, which has said all there is to say.
    #[cold]
    pub(crate) fn of_callback(code: c_int, callback: &str) -> Fault {
        Fault::new(code, format!("the program's {callback} returned error {code}"))
    }

    /// A null pointer where an address is needed.
    #[cold]
    pub(crate) fn null(argument: &str) -> Fault {
        Fault::argument(MPI_ERR_ARG, argument, "a null pointer")
    }

    /// An address that is no buffer.
    #[cold]
    pub(crate) fn of_buffer(argument: &str, what: &str) -> Fault {
        Fault::argument(MPI_ERR_BUFFER, argument, what)
    }

    /// One memory for two arguments, which the standard forbids: the data of one would change under the other.
    #[cold]
    pub(crate) fn aliased(argument: &str, what: &str) -> Fault {
        Fault::new(MPI_ERR_BUFFER, format!("{argument} is {what}: buffers may not overlap"))
    }

    /// As [`aliased`](Fault::aliased), of what is sent and what is received.
    #[cold]
    pub(crate) fn sent_and_received() -> Fault {
        Fault::aliased("recvbuf", "the memory of sendbuf")
    }

    /// A count, rank, tag or the like that cannot be used.
    #[cold]
    pub(crate) fn value(code: c_int, argument: &str, value: impl fmt::Display) -> Fault {
        Fault::argument(code, argument, value)
    }

    /// A handle that names nothing.
    #[cold]
    pub(crate) fn handle(code: c_int, argument: &str, value: usize) -> Fault {
        let what = match value {
            0..=LAST_PREDEFINED_HANDLE => "a null handle, or of another kind",
            _ => "not a valid handle",
        };
        Fault::argument(code, argument, format_args!("{what} ({value:#x})"))
    }

    /// There is no communicator, which no program that runs sees.
    #[cold]
    pub(crate) fn without_world() -> Fault {
        Fault::new(MPI_ERR_INTERN, "there is no world")
    }

    /// What this library does not support.
    #[cold]
    pub(crate) fn unsupported(what: &str) -> Fault {
        Fault::new(MPI_ERR_UNSUPPORTED_OPERATION, format!("{what} is not supported"))
    }

    /// The same error, for the handler of this communicator.
    pub(crate) fn on(self, comm: Option<&Rc<Communicator>>) -> Fault {
        self.with(|why| why.hearer = comm.map(|comm| comm.hearer()).or(why.hearer))
    }
}

impl Deref for Fault {
    type Target = Why;
    fn deref(&self) -> &Why {
        &self.0
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {}: {}", self.code, self.message)
    }
}

impl From<TypeError> for Fault {
    fn from(error: TypeError) -> Fault {
        Fault::new(error.class(), error.to_string())
    }
}

impl From<InvalidOption> for Fault {
    fn from(error: InvalidOption) -> Fault {
        Fault::new(MPI_ERR_OTHER, error.to_string())
    }
}

impl From<MessageError> for Fault {
    fn from(error: MessageError) -> Fault {
        Fault::from(runahead::Error::from(error))
    }
}

impl From<runahead::Error> for Fault {
    #[cold]
    fn from(error: runahead::Error) -> Fault {
        let culprit = error.culprit();
        Fault::new(class_of(&error), error.to_string()).with(|why| why.culprit = culprit)
    }
}
