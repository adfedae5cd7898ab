//! The state of the library: one for each process, as MPI has it.
//! Rules: no borrow of a table lasts while the program's own functions run, since these may call the library.
//!
//! # Threads
//!
//! Up to `MPI_THREAD_SERIALIZED` a program promises that its calls do not overlap, and no call takes a lock. The calls that
//! are allowed at any time may overlap all others: they, and what else uses their tables, take a [turn](super::turn). They
//! reach no communicator, nor does the handler of their errors: what they need of those is atomic, or a copy.
//! With `MPI_THREAD_MULTIPLE` each call takes a turn, and one that waits passes it on. A user allows that level by
//! `RUNAHEAD_MPI_THREADS`, for all ranks of a job: the runtime's own collectives wait with the turn in their hands, so all
//! ranks take the messages of [`Posting`](super::collective::Posting) in their place.

use super::backlog::Backlog;
use super::buffer::Buffer;
use super::collective::assembly::Assembly;
use super::communicator::{Communicator, RankEngine};
use super::errhandler::{ErrorHandler, PredefinedHandlers};
use super::fault::Fault;
use super::objects::Objects;
use super::open_barrier::OpenBarrier;
use super::probe::Message;
use super::request::{Request, SENT, State};
use super::session::Session;
use super::status::Status;
use super::table::Table;
use super::window::Window;
use crate::abi::*;
use crate::datatype::Datatype;
use crate::objects::group::Group;
use crate::objects::op::{Builtin, Operator, UserOperator};
use runahead::internals::collective::posted::Records;
use runahead::internals::launch::Entry;
use std::cell::{Cell, OnceCell, RefCell};
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How far the program has got with the library.
const BEFORE: u8 = 0;
const RUNNING: u8 = 1;
const FINALIZED: u8 = 2;
/// It is running, and threads may call it at once.
const SHARED: u8 = 3;

/// How far the program has got with `MPI_Init` and `MPI_Finalize`; sessions begin the runtime, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Before,
    Running,
    Finalized,
}

/// What the handle of a communicator that the program has made stands for.
pub(crate) enum Named {
    /// A communicator.
    Made(Rc<Communicator>),
    /// It is being made: `MPI_Comm_idup`. It has an error handler already, which programs change at once.
    Promised(Rc<Cell<MPI_Errhandler>>),
}

/// The state of the library.
pub(crate) struct Library {
    /// How far the runtime has got.
    phase: AtomicU8,
    model: AtomicU8,
    /// Whether a thread ends the runtime, or the job.
    is_ending: AtomicBool,
    pub(super) sessions: RefCell<Table<Rc<Session>>>,
    /// The thread support that the program was given.
    pub(crate) thread_level: AtomicI32,
    /// The end of the job, until it has come. A thread may end the job while another is in a call.
    pub(super) entry: Mutex<Option<Entry>>,
    /// This rank and the number of ranks; no ranks before there is a world.
    rank: AtomicI32,
    ranks: AtomicI32,
    pub(super) predefined_handlers: PredefinedHandlers,
    world: RefCell<Option<Rc<Communicator>>>,
    own: RefCell<Option<Rc<Communicator>>>,
    pub(crate) comms: RefCell<Table<Named>>,
    pub(crate) handlers: RefCell<Table<ErrorHandler>>,
    pub(crate) requests: RefCell<Table<Request>>,
    /// Records of the runtime's nonblocking collectives, which calls use in turn.
    pub(super) records: Records<Assembly>,
    /// What has the error handler of files.
    pub(super) files: OnceCell<Rc<Communicator>>,
    pub(crate) windows: RefCell<Table<Rc<Window>>>,
    pub(crate) messages: RefCell<Table<Message>>,
    /// The datatypes that the program has made.
    pub(crate) types: RefCell<Table<Arc<Datatype>>>,
    pub(crate) groups: RefCell<Table<Group>>,
    pub(crate) objects: Objects,
    /// The operators that the program has made.
    pub(crate) operators: RefCell<Table<UserOperator>>,
    /// Requests that the program has freed before they were complete.
    pub(crate) detached: RefCell<Vec<Request>>,
    /// The longest message that a send may leave behind.
    pub(crate) eager_bytes: Cell<usize>,
    pub(crate) backlog: RefCell<Backlog>,
    /// The buffer for buffered sends in communicators that have none of their own.
    pub(crate) buffer: Buffer,
    pub(crate) open_barrier: OpenBarrier,
    /// How many polls in a row have found nothing.
    pub(crate) empty_polls: Cell<u32>,
    /// Whether ranks may have threads that call at once: then all of them post their collectives.
    pub(crate) posts_collectives: Cell<bool>,
}

// SAFETY: of what is no atomic, only calls of the program reach anything. These do not overlap, since it was given no
// higher level than `MPI_THREAD_SERIALIZED`, or each has its turn. `MPI_Abort` alone has none: where threads may call at
// once, it reads atomics, what a lock guards, and the mode of barriers, which nobody writes once the library runs.
unsafe impl Sync for Library {}

/// The library of this process.
pub(crate) static LIBRARY: Library = Library {
    phase: AtomicU8::new(BEFORE),
    model: AtomicU8::new(BEFORE),
    is_ending: AtomicBool::new(false),
    sessions: RefCell::new(Table::new()),
    thread_level: AtomicI32::new(MPI_THREAD_SINGLE),
    entry: Mutex::new(None),
    rank: AtomicI32::new(0),
    ranks: AtomicI32::new(0),
    predefined_handlers: PredefinedHandlers::new(),
    world: RefCell::new(None),
    own: RefCell::new(None),
    comms: RefCell::new(Table::new()),
    handlers: RefCell::new(Table::new()),
    requests: RefCell::new(Table::new()),
    records: Records::new(),
    files: OnceCell::new(),
    windows: RefCell::new(Table::new()),
    messages: RefCell::new(Table::new()),
    types: RefCell::new(Table::new()),
    groups: RefCell::new(Table::new()),
    objects: Objects::new(),
    operators: RefCell::new(Table::new()),
    detached: RefCell::new(Vec::new()),
    eager_bytes: Cell::new(0),
    backlog: RefCell::new(Backlog::new()),
    buffer: Buffer::new(),
    open_barrier: OpenBarrier::new(),
    empty_polls: Cell::new(0),
    posts_collectives: Cell::new(false),
};

impl Library {
    /// Whether it is initialised and not finalized.
    #[inline(always)]
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase.load(Ordering::Acquire), RUNNING | SHARED)
    }

    /// Whether it is running, and one thread at a time calls it.
    #[inline(always)]
    pub(crate) fn has_one_caller(&self) -> bool {
        self.phase.load(Ordering::Acquire) == RUNNING
    }

    /// Whether threads may call it at once, so that a call that waits lets others in.
    #[inline(always)]
    pub(crate) fn has_threads(&self) -> bool {
        self.phase.load(Ordering::Relaxed) == SHARED
    }

    /// From now on threads may call it at once.
    pub(super) fn share(&self) {
        self.phase.store(SHARED, Ordering::Release);
    }

    /// Whether a thread ends the runtime, or the job: nothing begins any more.
    pub(super) fn is_ending(&self) -> bool {
        // Pairs with the swap in `begin_end`.
        self.is_ending.load(Ordering::Acquire)
    }

    /// This thread ends the runtime, or the job. False if another does already.
    pub(super) fn begin_end(&self) -> bool {
        // Pairs with the load in `is_ending`.
        !self.is_ending.swap(true, Ordering::AcqRel)
    }

    /// Whether its runtime has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.phase.load(Ordering::Acquire) == FINALIZED
    }

    /// How far the program has got with `MPI_Init` and `MPI_Finalize`.
    pub(super) fn model(&self) -> Model {
        match self.model.load(Ordering::Acquire) {
            BEFORE => Model::Before,
            RUNNING => Model::Running,
            _ => Model::Finalized,
        }
    }

    /// The program has got so far.
    pub(super) fn set_model(&self, model: Model) {
        let phase = match model {
            Model::Before => BEFORE,
            Model::Running => RUNNING,
            Model::Finalized => FINALIZED,
        };
        self.model.store(phase, Ordering::Release);
    }

    /// It is initialised from now on.
    pub(super) fn begin(&self, world: Rc<Communicator>, own: Rc<Communicator>, entry: Entry) {
        // The first request of all: every send that has left at once has it.
        let sent = keep(&self.requests, Request::new(None, State::Done(Status::EMPTY)));
        debug_assert_eq!(sent.ok(), Some(SENT.0));
        // Relaxed, and the number of ranks last with Release: it pairs with the Acquire of `rank_and_ranks`.
        self.rank.store(world.rank, Ordering::Relaxed);
        self.ranks.store(world.size, Ordering::Release);
        *self.world.borrow_mut() = Some(world);
        *self.own.borrow_mut() = Some(own);
        *self.entry() = Some(entry);
        self.phase.store(RUNNING, Ordering::Release);
    }

    /// The end of the job.
    pub(super) fn entry(&self) -> MutexGuard<'_, Option<Entry>> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This rank and the number of ranks, once there is a world; for calls that may overlap others.
    pub(super) fn rank_and_ranks(&self) -> Option<(c_int, c_int)> {
        // Pairs with the Release of `begin`.
        let ranks = self.ranks.load(Ordering::Acquire);
        // Relaxed: it was stored before what was just read.
        (ranks > 0).then(|| (self.rank.load(Ordering::Relaxed), ranks))
    }

    /// It is finalized from now on.
    pub(super) fn end(&self) {
        self.phase.store(FINALIZED, Ordering::Release);
    }

    /// Runs a call of the engine, by whatever communicator.
    #[inline(always)]
    pub(crate) fn with_engine<R>(
        &self,
        call: impl FnOnce(&mut RankEngine) -> R,
    ) -> Result<R, Fault> {
        match &*self.world.borrow() {
            Some(world) => Ok(world.comm.with_engine(call)?),
            None => Err(Fault::without_world()),
        }
    }

    /// `MPI_COMM_WORLD`.
    pub(crate) fn the_world(&self) -> Result<Rc<Communicator>, Fault> {
        self.world().ok_or_else(Fault::without_world)
    }

    /// `MPI_COMM_SELF`.
    pub(crate) fn the_own(&self) -> Result<Rc<Communicator>, Fault> {
        self.own().ok_or_else(Fault::without_world)
    }

    /// `MPI_COMM_WORLD`, once there is one.
    pub(crate) fn world(&self) -> Option<Rc<Communicator>> {
        self.world.borrow().clone()
    }

    /// `MPI_COMM_SELF`, once there is one.
    pub(crate) fn own(&self) -> Option<Rc<Communicator>> {
        self.own.borrow().clone()
    }

    /// A communicator by its handle.
    #[inline]
    pub(crate) fn comm(&self, comm: MPI_Comm) -> Result<Rc<Communicator>, Fault> {
        let found = match comm {
            MPI_COMM_WORLD => self.world.borrow().clone(),
            MPI_COMM_SELF => self.own.borrow().clone(),
            MPI_Comm(handle) => match self.comms.borrow().get(handle) {
                Some(Named::Made(comm)) => Some(comm.clone()),
                _ => None,
            },
        };
        found.ok_or_else(|| self.without_comm(comm))
    }

    #[cold]
    fn without_comm(&self, comm: MPI_Comm) -> Fault {
        match self.comms.borrow().get(comm.0) {
            Some(Named::Promised(_)) => {
                Fault::argument(MPI_ERR_COMM, "comm", "being made: its request is not complete")
            }
            _ => Fault::handle(MPI_ERR_COMM, "comm", comm.0),
        }
    }

    /// As [`comm`](Library::comm), where the function calls the argument otherwise.
    pub(crate) fn comm_called(
        &self,
        name: &str,
        comm: MPI_Comm,
    ) -> Result<Rc<Communicator>, Fault> {
        self.comm(comm).map_err(|fault| fault.called(name))
    }

    /// Keeps a communicator, which gets its handle.
    pub(crate) fn keep_comm(&self, comm: Communicator) -> Result<MPI_Comm, Fault> {
        let comm = Rc::new(comm);
        let handle = keep(&self.comms, Named::Made(comm.clone()))?;
        comm.handle.set(MPI_Comm(handle));
        Ok(MPI_Comm(handle))
    }
}

impl Library {
    /// An operator by its handle.
    pub(crate) fn operator(&self, op: MPI_Op) -> Result<Operator, Fault> {
        match (Builtin::of(op), self.operators.borrow().get(op.0)) {
            (Some(builtin), _) => Ok(Operator::Builtin(builtin)),
            (None, Some(made)) => Ok(Operator::User(*made)),
            (None, None) => Err(Fault::handle(MPI_ERR_OP, "op", op.0)),
        }
    }

    /// As [`group`](Library::group), where the function calls the argument otherwise.
    pub(crate) fn group_called(&self, name: &str, group: MPI_Group) -> Result<Group, Fault> {
        self.group(group).map_err(|fault| fault.called(name))
    }

    /// A group by its handle.
    pub(crate) fn group(&self, group: MPI_Group) -> Result<Group, Fault> {
        match (group, self.groups.borrow().get(group.0)) {
            (MPI_GROUP_EMPTY, _) => Ok(Group::empty()),
            (_, Some(made)) => Ok(made.clone()),
            (_, None) => Err(Fault::handle(MPI_ERR_GROUP, "group", group.0)),
        }
    }

    /// Keeps a group; one without members is the predefined one.
    pub(crate) fn keep_group(&self, group: Group) -> Result<MPI_Group, Fault> {
        match group.size() {
            0 => Ok(MPI_GROUP_EMPTY),
            _ => Ok(MPI_Group(keep(&self.groups, group)?)),
        }
    }
}

/// Keeps an object in a table; returns its handle.
#[inline]
pub(crate) fn keep<T>(table: &RefCell<Table<T>>, object: T) -> Result<usize, Fault> {
    let kept = table.borrow_mut().insert(object);
    kept.ok_or_else(|| Fault::new(MPI_ERR_INTERN, "there are too many objects of this kind"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::face::memory::predefined;
    use crate::face::table::FIRST_HANDLE;
    use proptest::prelude::*;

    /// A number that a program may pass for a handle: a small one, one like those that tables give, or any.
    fn number() -> impl Strategy<Value = usize> {
        prop_oneof![0..5000_usize, FIRST_HANDLE..FIRST_HANDLE + 5000, any::<usize>()]
    }

    proptest! {
        /// There is no world, and of each kind the predefined ones and one more are known. (Planted: a lookup by the
        /// place alone.) What takes the turn is left out, since tests of the turn run beside this one.
        #[test]
        fn a_number_is_a_known_handle_or_an_error_of_its_class(number in number()) {
            let library = &LIBRARY;
            let freed = keep(&library.groups, Group::new(vec![0])).unwrap();
            library.groups.borrow_mut().remove(freed);
            let group = keep(&library.groups, Group::new(vec![0])).unwrap();
            prop_assert_ne!(group, freed);
            for number in [number, group, freed] {
                let is_group = number == group || number == MPI_GROUP_EMPTY.0;
                let is_type = predefined().find(number).is_some();
                let is_op = Builtin::of(MPI_Op(number)).is_some();
                let looked_up = [
                    (library.comm(MPI_Comm(number)).err(), false, MPI_ERR_COMM, "comm"),
                    (library.group(MPI_Group(number)).err(), is_group, MPI_ERR_GROUP, "group"),
                    (library.datatype(MPI_Datatype(number)).err(), is_type, MPI_ERR_TYPE, "datatype"),
                    (library.operator(MPI_Op(number)).err(), is_op, MPI_ERR_OP, "op"),
                    (library.with_request(MPI_Request(number), |_| ()).err(), false, MPI_ERR_REQUEST, "request"),
                ];
                for (fault, is_known, class, argument) in looked_up {
                    prop_assert_eq!(fault.is_none(), is_known, "{} {:#x}", argument, number);
                    let Some(fault) = fault else { continue };
                    prop_assert_eq!(fault.code, class);
                    prop_assert!(fault.message.starts_with(&[argument, " is "].concat()));
                }
            }
            library.groups.borrow_mut().remove(group);
        }
    }
}
