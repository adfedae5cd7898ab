//! Sessions: another way into the library, beside `MPI_Init`, for parts of a program that know nothing of each other.
//! All share one runtime. It begins with the first of them. It ends with the last, if `MPI_Init` was among them, and with
//! the process otherwise, since a program may always begin another session.
//! Source: MPI 5.0, section *The Sessions Model*.

use super::border::{In, Out, locked};
use super::errhandler::Hearer;
use super::export::export;
use super::fault::Fault;
use super::library::{LIBRARY, Library, Model, keep};
use crate::abi::*;
use crate::dialect::Object;
use crate::objects::group::Group;
use crate::objects::info::Info;
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;
use std::rc::Rc;

/// The sets of processes that there are, by their names.
const SETS: [&str; 2] = ["mpi://WORLD", "mpi://SELF"];

/// A session.
pub(crate) struct Session {
    handler: Cell<MPI_Errhandler>,
}

/// The thread support of a session that asks for none.
const USUAL_LEVEL: c_int = MPI_THREAD_SERIALIZED;

// SAFETY: the C library has this function, by which C++ and Rust end what a thread has.
unsafe extern "C" {
    fn __cxa_thread_atexit_impl(
        end: extern "C" fn(*mut c_void),
        argument: *mut c_void,
        library: *mut c_void,
    ) -> c_int;
}

/// Ends the runtime of a program that has used sessions alone, as a program ends that calls `MPI_Finalize`.
extern "C" fn end_with_thread(_: *mut c_void) {
    let ends = || LIBRARY.sessions.borrow().is_empty() && LIBRARY.begin_end();
    // Where the job is aborted, nothing is waited for.
    if LIBRARY.is_running() && !LIBRARY.is_ending() && locked(ends) {
        // Nobody is left to hear of an error; the launcher notices what the others make of it.
        let _ = LIBRARY.stop_runtime();
    }
}

/// Has the runtime end with this thread. What was asked for last comes first, so what the runtime keeps for this
/// thread is still there.
fn end_runtime_with_thread() {
    // SAFETY: the function takes any argument, and finds the library in whatever state it is.
    unsafe { __cxa_thread_atexit_impl(end_with_thread, null_mut(), null_mut()) };
}

impl Session {
    /// What hears of its errors, under this handle.
    fn hearer(&self, session: MPI_Session) -> Hearer {
        Hearer { handler: self.handler.get(), handle: MPI_Comm(session.0) }
    }
}

impl Library {
    pub(super) fn session(&self, session: MPI_Session) -> Result<Rc<Session>, Fault> {
        // Others may begin at any time.
        let found = locked(|| self.sessions.borrow().get(session.0).cloned());
        found.ok_or_else(|| Fault::handle(MPI_ERR_SESSION, "session", session.0))
    }

    /// Runs a call on a session; an error goes to the session's handler.
    fn on_session(
        &self,
        session: MPI_Session,
        call: impl FnOnce(&Session) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let found = self.session(session)?;
        call(&found).map_err(|fault| fault.with(|why| why.hearer = Some(found.hearer(session))))
    }

    /// Begins a session, in a call that may overlap others: it reaches no communicator, unless it begins the runtime.
    fn begin_session(
        &self,
        level: c_int,
        errhandler: MPI_Errhandler,
    ) -> Result<MPI_Session, Fault> {
        self.start_runtime(level)?;
        self.refer_to_handler(errhandler)?;
        let handler = Cell::new(errhandler);
        Ok(MPI_Session(keep(&self.sessions, Rc::new(Session { handler }))?))
    }

    /// The thread support that a session asks for.
    fn level_of_hints(&self, info: MPI_Info) -> Result<c_int, Fault> {
        if info == MPI_INFO_NULL {
            return Ok(USUAL_LEVEL);
        }
        let named = |info: &Info| {
            let Some(name) = info.value(b"thread_level")? else { return Ok(USUAL_LEVEL) };
            let level = THREAD_LEVELS.constants.iter().find(|level| level.name.as_bytes() == name);
            level.map(|level| level.value as c_int).ok_or_else(|| {
                Fault::value(MPI_ERR_INFO_VALUE, "thread_level", String::from_utf8_lossy(name))
            })
        };
        self.with_info(info, named)?
    }

    /// The members of a set.
    fn set(&self, name: &str) -> Result<Group, Fault> {
        let (world, own) = (self.world(), self.own());
        // Names are URIs, whose scheme and authority are in letters of either case (RFC 3986, section 6.2.2.1).
        let of = match SETS.iter().position(|set| set.eq_ignore_ascii_case(name)) {
            Some(0) => world,
            Some(_) => own,
            None => return Err(Fault::new(MPI_ERR_ARG, format!("there is no process set {name}"))),
        };
        of.map(|comm| comm.group()).ok_or_else(Fault::without_world)
    }

    /// Makes a communicator of a group, whose members alone call it.
    fn comm_of_group(&self, group: &Group, errhandler: MPI_Errhandler) -> Result<MPI_Comm, Fault> {
        let world = self.the_world()?;
        // Before the others join: an error then leaves no communicator that nobody has.
        self.refer_to_handler(errhandler)?;
        let made = self.create_of_group(&world, group);
        match made.as_ref().map(|made| self.comm(*made)) {
            Ok(Ok(comm)) => self.release_handler(comm.handler.replace(errhandler)),
            _ => self.release_handler(errhandler),
        }
        made
    }
}

export! {
    /// Begins a session.
    anytime fn MPI_Session_init(library; info: MPI_Info, errhandler: MPI_Errhandler, session: Out<MPI_Session>) {
        let level = library.level_of_hints(info)?;
        session.set("session", library.begin_session(level, errhandler)?)
    }

    /// Ends a session.
    fn MPI_Session_finalize(library; session: Out<MPI_Session>) {
        let handle = session.value("session")?;
        library.on_session(handle, |session| {
            library.release_handler(session.handler.get());
            Ok(())
        })?;
        let is_last = locked(|| {
            let mut sessions = library.sessions.borrow_mut();
            sessions.remove(handle.0);
            sessions.is_empty()
        });
        session.set("session", MPI_SESSION_NULL)?;
        if library.model() == Model::Before && is_last {
            end_runtime_with_thread();
        }
        library.stop_if_last()
    }

    /// How many sets of processes there are.
    fn MPI_Session_get_num_psets(library; session: MPI_Session, info: MPI_Info, count: Out<c_int>) {
        library.check_hints(info)?;
        library.on_session(session, |_| count.set("npset_names", SETS.len() as c_int))
    }

    /// The name of a set of processes, and how long it is with its null.
    fn MPI_Session_get_nth_pset(library; session: MPI_Session, info: MPI_Info, n: c_int, length: Out<c_int>, name: Out<c_char>) {
        library.check_hints(info)?;
        library.on_session(session, |_| {
            let set = usize::try_from(n).ok().and_then(|at| SETS.get(at));
            let set = set.ok_or_else(|| Fault::value(MPI_ERR_ARG, "n", n))?;
            let room = usize::try_from(length.value("pset_len")?).unwrap_or(0);
            if room > 0 {
                name.set_string("pset_name", set, room)?;
            }
            length.set("pset_len", set.len() as c_int + 1)
        })
    }

    /// What a session is like.
    fn MPI_Session_get_info(library; session: MPI_Session, info: Out<MPI_Info>) {
        library.on_session(session, |_| {
            let mut told = Info::default();
            told.set(b"thread_level", library.thread_level_name().as_bytes())?;
            info.set("info_used", library.keep_info(told)?)
        })
    }

    /// How many processes a set has.
    fn MPI_Session_get_pset_info(library; session: MPI_Session, name: In<c_char>, info: Out<MPI_Info>) {
        library.on_session(session, |_| {
            let group = library.set(&name.string("pset_name")?)?;
            let mut told = Info::default();
            told.set(b"mpi_size", group.size().to_string().as_bytes())?;
            info.set("info", library.keep_info(told)?)
        })
    }

    /// The members of a set.
    fn MPI_Group_from_session_pset(library; session: MPI_Session, name: In<c_char>, group: Out<MPI_Group>) {
        library.on_session(session, |_| {
            let members = library.set(&name.string("pset_name")?)?;
            group.set("newgroup", library.keep_group(members)?)
        })
    }

    /// Makes a communicator of a group, whose members alone call it.
    fn MPI_Comm_create_from_group(library; group: MPI_Group, _stringtag: In<c_char>, info: MPI_Info, errhandler: MPI_Errhandler, newcomm: Out<MPI_Comm>) {
        library.check_hints(info)?;
        let group = library.group(group)?;
        newcomm.set("newcomm", library.comm_of_group(&group, errhandler)?)
    }

    /// Makes an inter-communicator of two groups. The remote one is looked at by the leader alone.
    fn MPI_Intercomm_create_from_groups(library; local_group: MPI_Group, local_leader: c_int, remote_group: MPI_Group, _remote_leader: c_int, _stringtag: In<c_char>, info: MPI_Info, errhandler: MPI_Errhandler, newintercomm: Out<MPI_Comm>) {
        library.check_hints(info)?;
        let local = library.comm_of_group(&library.group_called("local_group", local_group)?, errhandler)?;
        let remote = || Ok(library.group_called("remote_group", remote_group)?.members().to_vec());
        let made = library.create_inter(&library.comm(local)?, local_leader, remote);
        library.free_comm(local)?;
        newintercomm.set("newintercomm", made?)
    }

    /// Makes an error handler of a function.
    anytime fn MPI_Session_create_errhandler(library; function: MPI_Session_errhandler_function, errhandler: Out<MPI_Errhandler>) {
        // SAFETY: the two types differ in a handle's type alone, and handles are alike in size and alignment.
        let function: MPI_Comm_errhandler_function = unsafe { std::mem::transmute(function) };
        library.keep_handler(function, Object::Session, errhandler)
    }

    /// Gives a session an error handler.
    fn MPI_Session_set_errhandler(library; session: MPI_Session, errhandler: MPI_Errhandler) {
        library.on_session(session, |session| {
            library.refer_to_handler(errhandler)?;
            library.release_handler(session.handler.replace(errhandler));
            Ok(())
        })
    }

    /// The error handler of a session.
    fn MPI_Session_get_errhandler(library; session: MPI_Session, errhandler: Out<MPI_Errhandler>) {
        library.on_session(session, |session| {
            let handler = session.handler.get();
            library.refer_to_handler(handler)?;
            errhandler.set("errhandler", handler)
        })
    }

    /// Calls the error handler of a session.
    fn MPI_Session_call_errhandler(library; session: MPI_Session, code: c_int) {
        let hearer = library.session(session)?.hearer(session);
        let fault = Fault::new(code, "the program called its error handler");
        library.call_handler(hearer, "MPI_Session_call_errhandler", &fault);
        Ok(())
    }
}
