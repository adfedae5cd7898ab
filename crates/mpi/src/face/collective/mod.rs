//! Collectives: blocking, nonblocking and persistent, each prepared once and started in the same way.
//! Source: MPI 5.0, chapter *Collective Communication*.
//! Rules: a started collective has posted all that this rank gives, and no rank forwards for another, so that none of it
//! needs a call of this rank to go on; a blocking one takes the runtime's blocking one where that has it, and no
//! rank has threads that call at once.

pub(crate) mod assembly;
pub(crate) mod barrier;
pub(crate) mod blocks;
pub(crate) mod fast;
pub(crate) mod movement;
pub(crate) mod movement_v;
pub(crate) mod places;
pub(crate) mod plan;
pub(crate) mod posting;
pub(crate) mod reducer;
pub(crate) mod reduction;
pub(crate) mod scatter_reduce;
pub(crate) mod workspace;

use super::communicator::Communicator;
use super::fault::Fault;
use super::library::Library;
use super::persistent::Persistent;
use super::request::{Request, State};
use crate::abi::*;
pub(crate) use blocks::Blocks;
pub(crate) use places::Places;
pub(crate) use posting::Posting;
use std::rc::Rc;

/// A collective with its arguments, to be started once or more often.
pub(crate) trait Prepared: Fn() -> State + 'static {}

impl<F: Fn() -> State + 'static> Prepared for F {}

/// How many lanes a persistent collective can have: two for each dimension of a grid.
const PERSISTENT_LANES: u32 = 256;

/// A count or a displacement of either width.
pub(crate) trait Wide: Copy + 'static {
    /// As wide as an address.
    fn wide(self) -> isize;
}

impl Wide for i32 {
    fn wide(self) -> isize {
        self as isize
    }
}

impl Wide for i64 {
    fn wide(self) -> isize {
        self as isize
    }
}

impl Wide for isize {
    fn wide(self) -> isize {
        self
    }
}

/// A count of either width, which is not negative.
pub(crate) fn counted(argument: &str, count: isize) -> Result<usize, Fault> {
    usize::try_from(count).map_err(|_| Fault::value(MPI_ERR_COUNT, argument, count))
}

impl Library {
    /// Runs a collective to its end.
    pub(crate) fn run_collective(
        &self,
        comm: &Rc<Communicator>,
        prepared: impl Prepared,
    ) -> Result<(), Fault> {
        prepared().complete(comm).map(drop)
    }

    /// Starts a collective.
    pub(crate) fn start_collective(
        &self,
        comm: Rc<Communicator>,
        prepared: impl Prepared,
    ) -> Result<MPI_Request, Fault> {
        self.keep_request(Request::new(Some(comm), prepared()))
    }

    /// Keeps a collective to be started later.
    pub(crate) fn keep_collective(
        &self,
        comm: Rc<Communicator>,
        prepared: impl Prepared,
    ) -> Result<MPI_Request, Fault> {
        // Ranks describe persistent collectives in the same order, and may start them in any.
        let (first, on) = (comm.next_calls(PERSISTENT_LANES), comm.clone());
        let start = move || {
            on.reserved.set(Some(first));
            let started = prepared();
            on.reserved.set(None);
            started
        };
        self.keep_persistent(comm, Persistent::Collective(Box::new(start)))
    }
}

/// Exports a collective in its three forms, each for both widths of counts.
///
/// The body prepares it. What stands behind `or` is tried first in the blocking form: it is None if the runtime has
/// no collective for these arguments, and depends on what is the same at all ranks alone.
macro_rules! collective {
    (
        $(#[$meta:meta])*
        fn $name:ident() fn $large:ident() fn $begin:ident() fn $begin_large:ident() fn $init:ident() fn $init_large:ident()
        ($library:ident, $comm:ident; $($argument:ident: $type:ty),* $(,)?) $body:block
        or $fast:expr
    ) => {
        $crate::face::export::export! {
            fn $name() and fn $large($library; $($argument: $type,)* comm: MPI_Comm) on comm {
                let $comm = $library.comm(comm)?;
                // The runtime's collectives are of one group.
                if !$comm.is_inter() && !$library.posts_collectives.get() && let Some(done) = $fast {
                    return done;
                }
                let prepared = $body?;
                $library.run_collective(&$comm, prepared)
            }

            fn $begin() and fn $begin_large($library; $($argument: $type,)* comm: MPI_Comm, request: $crate::face::border::Out<MPI_Request>) on comm {
                let $comm = $library.comm(comm)?;
                let prepared = $body?;
                request.set("request", $library.start_collective($comm, prepared)?)
            }

            fn $init() and fn $init_large($library; $($argument: $type,)* comm: MPI_Comm, info: MPI_Info, request: $crate::face::border::Out<MPI_Request>) on comm {
                $library.check_hints(info)?;
                let $comm = $library.comm(comm)?;
                let prepared = $body?;
                request.set("request", $library.keep_collective($comm, prepared)?)
            }
        }
    };
}

pub(crate) use collective;
