//! Beginning and end of the library, and what a program may ask of it at any time.
//! Source: MPI 5.0, chapter *MPI Environmental Management*, sections on startup, versions, clocks and threads.
//! Rules: the process joins the job that started it, or is a job of one rank.

use super::border::{In, Out, locked};
use super::communicator::Communicator;
use super::export::export;
use super::fault::Fault;
use super::library::{Library, Model};
use super::open_barrier::guard_time;
use crate::abi::*;
use crate::objects::attribute::Kind;
use runahead::Launch;
use runahead::internals::launch::enter;
use runahead::internals::options::MPI_THREADS;
use std::cell::Cell;
use std::ffi::{c_char, c_double, c_int};
use std::rc::Rc;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Instant;

thread_local! {
    /// Whether the library was initialised in this thread.
    static IS_MAIN: Cell<bool> = const { Cell::new(false) };
}

impl Library {
    fn initialize(&self, required: c_int) -> Result<c_int, Fault> {
        match self.model() {
            Model::Before => {}
            Model::Running => {
                return Err(Fault::new(MPI_ERR_OTHER, "the library is initialised already"));
            }
            Model::Finalized => {
                return Err(Fault::new(MPI_ERR_OTHER, "the library was finalized already"));
            }
        }
        let given = self.start_runtime(required)?;
        self.set_model(Model::Running);
        IS_MAIN.set(true);
        Ok(given)
    }

    /// Begins the runtime, if neither `MPI_Init` nor a session has. Returns the thread support.
    pub(super) fn start_runtime(&self, required: c_int) -> Result<c_int, Fault> {
        if self.has_ended() || self.is_ending() {
            return Err(Fault::new(MPI_ERR_OTHER, "the library was finalized already"));
        }
        if self.is_running() {
            return Ok(self.thread_level.load(Ordering::Relaxed));
        }
        origin();
        let allows_threads = allows_threads()?;
        self.posts_collectives.set(allows_threads);
        self.choose_barriers()?;
        // A size is asked for by no program of MPI: that of the job holds.
        let (world, entry) = enter(&Launch::new(1))?;
        self.eager_bytes.set(world.with_engine(|engine| {
            engine.keep_unexpected();
            engine.config().eager_bytes
        })?);
        let own = world.group(&[world.rank()])?;
        let world = Rc::new(Communicator::new(world, MPI_ERRORS_ARE_FATAL));
        let own = Rc::new(Communicator::new(own, MPI_ERRORS_ARE_FATAL));
        world.handle.set(MPI_COMM_WORLD);
        *world.name.borrow_mut() = "MPI_COMM_WORLD".to_owned();
        own.handle.set(MPI_COMM_SELF);
        *own.name.borrow_mut() = "MPI_COMM_SELF".to_owned();
        self.begin(world, own, entry);
        let given = match required {
            level if level <= MPI_THREAD_SINGLE => MPI_THREAD_SINGLE,
            level if level <= MPI_THREAD_FUNNELED => MPI_THREAD_FUNNELED,
            level if level <= MPI_THREAD_SERIALIZED || !allows_threads => MPI_THREAD_SERIALIZED,
            _ => MPI_THREAD_MULTIPLE,
        };
        if given == MPI_THREAD_MULTIPLE {
            self.share();
        }
        self.thread_level.store(given, Ordering::Relaxed);
        Ok(given)
    }

    fn finalize(&self) -> Result<(), Fault> {
        if self.model() != Model::Running {
            return Err(Fault::new(MPI_ERR_OTHER, "MPI_Init was not called, or MPI_Finalize was"));
        }
        // Callbacks show what is open, and so does the program, which goes on while a session keeps the runtime.
        self.complete_barriers()?;
        // While all still works: a program hangs what it wants to end on MPI_COMM_SELF (MPI 5.0, section 11.2.4).
        self.delete_attributes(Kind::Comm, MPI_COMM_SELF.0)?;
        self.delete_attributes(Kind::Comm, MPI_COMM_WORLD.0)?;
        self.set_model(Model::Finalized);
        self.stop_if_last()
    }

    /// Ends the runtime, if `MPI_Finalize` was called and no session is left.
    pub(super) fn stop_if_last(&self) -> Result<(), Fault> {
        // Nobody begins a session from then on. The end waits for other ranks, and without the lock: what they wait for may
        // be a thread of this one that asks whether the library was finalized.
        let ends = locked(|| {
            self.model() == Model::Finalized
                && self.sessions.borrow().is_empty()
                && self.begin_end()
        });
        if ends { self.stop_runtime() } else { Ok(()) }
    }

    /// Ends the runtime.
    pub(super) fn stop_runtime(&self) -> Result<(), Fault> {
        let world = self.world();
        let entry = self.entry().take();
        let (Some(world), Some(entry)) = (world, entry) else {
            return Err(Fault::without_world());
        };
        self.complete_barriers()?;
        // Nobody ends while others may need it (MPI 5.0, MPI_Finalize is collective).
        world.comm.barrier()?.wait()?;
        let ended = entry.end(&world.comm);
        self.end();
        Ok(ended?)
    }
}

/// Whether the user allows `MPI_THREAD_MULTIPLE`. All ranks of a job find the same.
fn allows_threads() -> Result<bool, Fault> {
    let level = MPI_THREADS.said(|name| std::env::var_os(name))?;
    match level.as_deref() {
        None | Some("serialized") => Ok(false),
        Some("multiple") => Ok(true),
        Some(level) => Err(MPI_THREADS.invalid(level).into()),
    }
}

/// The time from which `MPI_Wtime` counts.
fn origin() -> Instant {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    *ORIGIN.get_or_init(Instant::now)
}

/// The name of this host.
fn processor_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map_or_else(|_| "localhost".to_owned(), |name| name.trim().to_owned())
}

export! {
    /// Initialises the library.
    anytime fn MPI_Init(library; _argc: In<c_int>, _argv: In<*mut *mut c_char>) {
        library.initialize(MPI_THREAD_SINGLE).map(drop)
    }

    /// Initialises the library, for a program with threads.
    anytime fn MPI_Init_thread(library; _argc: In<c_int>, _argv: In<*mut *mut c_char>, required: c_int, provided: Out<c_int>) {
        let given = library.initialize(required)?;
        provided.set("provided", given)
    }

    /// Ends the library: no function but those below may be called afterwards.
    fn MPI_Finalize(library;) {
        library.finalize()
    }

    /// Whether the library was ever initialised.
    anytime fn MPI_Initialized(library; flag: Out<c_int>) {
        flag.set("flag", c_int::from(library.model() != Model::Before))
    }

    /// Whether the library was finalized.
    anytime fn MPI_Finalized(library; flag: Out<c_int>) {
        flag.set("flag", c_int::from(library.model() == Model::Finalized))
    }

    /// The thread support that the program was given.
    fn MPI_Query_thread(library; provided: Out<c_int>) {
        provided.set("provided", library.thread_level.load(Ordering::Relaxed))
    }

    /// Whether this thread has initialised the library.
    fn MPI_Is_thread_main(_library; flag: Out<c_int>) {
        flag.set("flag", c_int::from(IS_MAIN.get()))
    }

    /// The version of the standard.
    anytime fn MPI_Get_version(_library; version: Out<c_int>, subversion: Out<c_int>) {
        version.set("version", MPI_VERSION)?;
        subversion.set("subversion", MPI_SUBVERSION)
    }

    /// The version of this library, in words.
    anytime fn MPI_Get_library_version(_library; version: Out<c_char>, length: Out<c_int>) {
        let (library, interface) = (env!("CARGO_PKG_VERSION"), crate::dialect::INTERFACE);
        let text = format!("runahead {library} (MPI 5.0, {interface})");
        let written = version.set_string("version", &text, MPI_MAX_LIBRARY_VERSION_STRING)?;
        length.set("resultlen", written as c_int)
    }

    /// The version of the binary interface.
    anytime fn MPI_Abi_get_version(_library; version: Out<c_int>, subversion: Out<c_int>) {
        version.set("abi_major", MPI_ABI_VERSION)?;
        subversion.set("abi_minor", MPI_ABI_SUBVERSION)
    }

    /// The name of this host.
    fn MPI_Get_processor_name(_library; name: Out<c_char>, length: Out<c_int>) {
        let written = name.set_string("name", &processor_name(), MPI_MAX_PROCESSOR_NAME)?;
        length.set("resultlen", written as c_int)
    }

    /// The time in seconds.
    fn MPI_Wtime() -> c_double {
        guard_time("MPI_Wtime");
        origin().elapsed().as_secs_f64()
    }

    /// The resolution of the time in seconds.
    fn MPI_Wtick() -> c_double {
        1e-9
    }
}
