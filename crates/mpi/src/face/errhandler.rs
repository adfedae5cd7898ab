//! Error handlers: what happens when a call fails.
//! Source: MPI 5.0, section *Error Handling*.
//! Rules: a handler that the program made lives while a communicator has it, freed or not.

use super::border::{Out, locked};
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::{Library, keep};
use crate::abi::*;
use crate::dialect::{self, Object};
use std::ffi::c_int;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An error handler that the program made.
pub(crate) struct ErrorHandler {
    function: MPI_Comm_errhandler_function,
    /// On whose errors it is called.
    of: Object,
    /// Handles that the program has of it, and communicators that have it.
    references: usize,
}

/// Which error handler hears of an error, and the object that it is told: a communicator, a window, a file or a session.
/// It is a copy, so that a call which may overlap others counts no references.
#[derive(Clone, Copy)]
pub(crate) struct Hearer {
    pub(crate) handler: MPI_Errhandler,
    /// Handles of all kinds are as wide as a communicator's.
    pub(crate) handle: MPI_Comm,
}

impl Communicator {
    /// What hears of its errors.
    pub(crate) fn hearer(&self) -> Hearer {
        Hearer { handler: self.handler.get(), handle: self.handle.get() }
    }
}

/// The error handlers of `MPI_COMM_SELF` and `MPI_COMM_WORLD`, for calls that may overlap those that use the
/// communicators. Each is a number of its own: who reads it hears of the handler before a change, or after.
pub(crate) struct PredefinedHandlers {
    own: AtomicUsize,
    world: AtomicUsize,
}

impl PredefinedHandlers {
    /// Every error is fatal.
    pub(crate) const fn new() -> PredefinedHandlers {
        let fatal = MPI_ERRORS_ARE_FATAL.0;
        PredefinedHandlers { own: AtomicUsize::new(fatal), world: AtomicUsize::new(fatal) }
    }

    /// The program has given a communicator this handler.
    fn set(&self, comm: MPI_Comm, handler: MPI_Errhandler) {
        match comm {
            // Relaxed, pairs with the loads of `hearer`: what the number names is looked up in its table.
            MPI_COMM_SELF => self.own.store(handler.0, Ordering::Relaxed),
            MPI_COMM_WORLD => self.world.store(handler.0, Ordering::Relaxed),
            _ => {}
        }
    }

    /// What hears of an error that belongs to no object: `MPI_COMM_SELF`. Where the program has left that one fatal, it
    /// is `MPI_COMM_WORLD`, as it was before MPI 4.0, since most programs set that alone.
    pub(crate) fn hearer(&self) -> Hearer {
        // Relaxed, pairs with the stores of `set`.
        match MPI_Errhandler(self.own.load(Ordering::Relaxed)) {
            MPI_ERRORS_ARE_FATAL => {
                // Relaxed, pairs with the stores of `set`.
                let handler = MPI_Errhandler(self.world.load(Ordering::Relaxed));
                Hearer { handler, handle: MPI_COMM_WORLD }
            }
            handler => Hearer { handler, handle: MPI_COMM_SELF },
        }
    }
}

impl Library {
    /// Calls an error handler. Returns the error code, if it returns.
    pub(super) fn call_handler(&self, hearer: Hearer, name: &str, fault: &Fault) -> c_int {
        let function = match hearer.handler {
            MPI_ERRORS_RETURN => return fault.code,
            MPI_Errhandler(handle) => {
                locked(|| self.handlers.borrow().get(handle).map(|made| (made.function, made.of)))
            }
        };
        let Some((Some(function), of)) = function else {
            let class = self.class_name(fault.code);
            let message = format!("{name}: {} ({class})", fault.message);
            self.abort_by(&fault.clone().with(|why| why.message = message));
        };
        let mut handle = MPI_Comm(dialect::handle_in_memory(of, hearer.handle.0));
        let mut code = dialect::code(fault.code);
        // SAFETY: the program gave this function for this purpose; nothing of the library is borrowed.
        unsafe { function(&mut handle, &mut code) };
        fault.code
    }

    /// The standard's name of an error class.
    fn class_name(&self, code: c_int) -> String {
        let found = ERROR_CLASSES.constants.iter().find(|constant| constant.value == code as isize);
        found.map_or_else(|| format!("error {code}"), |constant| constant.name.to_owned())
    }

    /// One more reference to a handler, which must be one.
    pub(crate) fn refer_to_handler(&self, handler: MPI_Errhandler) -> Result<(), Fault> {
        match handler {
            MPI_ERRORS_ARE_FATAL | MPI_ERRORS_ABORT | MPI_ERRORS_RETURN => Ok(()),
            MPI_Errhandler(handle) => locked(|| match self.handlers.borrow_mut().get_mut(handle) {
                Some(made) => {
                    made.references += 1;
                    Ok(())
                }
                None => Err(Fault::handle(MPI_ERR_ERRHANDLER, "errhandler", handle)),
            }),
        }
    }

    /// One reference less.
    pub(crate) fn release_handler(&self, handler: MPI_Errhandler) {
        locked(|| {
            let mut handlers = self.handlers.borrow_mut();
            let Some(made) = handlers.get_mut(handler.0) else { return };
            made.references -= 1;
            if made.references == 0 {
                handlers.remove(handler.0);
            }
        });
    }

    /// Keeps an error handler of objects of a kind.
    pub(super) fn keep_handler(
        &self,
        function: MPI_Comm_errhandler_function,
        of: Object,
        errhandler: Out<MPI_Errhandler>,
    ) -> Result<(), Fault> {
        if function.is_none() {
            return Err(Fault::null("the error handler's function"));
        }
        let made = ErrorHandler { function, of, references: 1 };
        errhandler.set("errhandler", MPI_Errhandler(keep(&self.handlers, made)?))
    }

    fn set_handler(&self, comm: MPI_Comm, handler: MPI_Errhandler) -> Result<(), Fault> {
        if let Some(promised) = self.promised_handler(comm) {
            self.refer_to_handler(handler)?;
            self.release_handler(promised.replace(handler));
            return Ok(());
        }
        let comm = self.comm(comm)?;
        self.refer_to_handler(handler)?;
        self.predefined_handlers.set(comm.handle.get(), handler);
        self.release_handler(comm.handler.replace(handler));
        Ok(())
    }
}

export! {
    /// Makes an error handler of a function.
    anytime fn MPI_Comm_create_errhandler(library; function: MPI_Comm_errhandler_function, errhandler: Out<MPI_Errhandler>) {
        library.keep_handler(function, Object::Comm, errhandler)
    }

    /// Gives a communicator an error handler.
    fn MPI_Comm_set_errhandler(library; comm: MPI_Comm, errhandler: MPI_Errhandler) on comm {
        library.set_handler(comm, errhandler)
    }

    /// The error handler of a communicator.
    fn MPI_Comm_get_errhandler(library; comm: MPI_Comm, errhandler: Out<MPI_Errhandler>) on comm {
        let handler = match library.promised_handler(comm) {
            Some(promised) => promised.get(),
            None => library.comm(comm)?.handler.get(),
        };
        library.refer_to_handler(handler)?;
        errhandler.set("errhandler", handler)
    }

    /// Frees a handle of an error handler.
    anytime fn MPI_Errhandler_free(library; errhandler: Out<MPI_Errhandler>) {
        let handler = errhandler.value("errhandler")?;
        let known = [MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN].contains(&handler);
        if !known && library.handlers.borrow().get(handler.0).is_none() {
            return Err(Fault::handle(MPI_ERR_ERRHANDLER, "errhandler", handler.0));
        }
        library.release_handler(handler);
        errhandler.set("errhandler", MPI_ERRHANDLER_NULL)
    }

    /// Calls the error handler of a communicator.
    fn MPI_Comm_call_errhandler(library; comm: MPI_Comm, code: c_int) on comm {
        let comm = library.comm(comm)?;
        let fault = Fault::new(code, "the program called its error handler");
        library.call_handler(comm.hearer(), "MPI_Comm_call_errhandler", &fault);
        Ok(())
    }
}
