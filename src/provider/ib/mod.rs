//! The ib provider: ranks reach each other by RDMA, through devices that libibverbs knows:
//! InfiniBand, RoCE, and soft-RoCE, which any Ethernet interface can be.
//!
//! Each pair of ranks has a queue pair for each completion queue, reliably connected or as the user
//! wants it, and a reliably connected control queue pair. All are connected when the job starts,
//! and no memory is registered after that but for large payloads. Short messages travel in the work
//! request itself; longer ones are copied into registered memory of the VI, once at each end, as
//! the verbs promise their callers. One send in some is signalled. A message meets a receive
//! because its sender counts: the receiver shows how many receives it has posted again, and a
//! sender reads that number by an RDMA read when its own knowledge runs out. Words are put by RDMA
//! writes.
//!
//! Before a rank has its interface it asks the device of each peer once: so a route that does not
//! work is an error then, and not a peer lost at the first message.
//!
//! A rank polls completion queues, or sleeps on their channel. A rank that leaves waits until all
//! that it sent has arrived, and writes a farewell into each peer's memory. A peer that dies is
//! noticed by what the launcher says, by an error of a queue pair, or by silence: a waiting rank
//! asks the devices of its peers every second. A device of its own that fails is noticed by what it
//! tells, or by its own silence, for a minute; then all peers are lost.
//!
//! Where messages go by an unreliable transport nobody counts: a message that is lost, or meets no
//! receive, is for the layer above (`provider/reliable`) to repeat. The control queue pair stays
//! reliable: datagrams know neither reads nor writes.
//!
//! It is not causal: a message that was sent arrives a little later than its `post_send` returns.
//! Words that peers have shown or written are checked like a message; an impossible one breaks the
//! connection.
//!
//! | file | what it is |
//! |---|---|
//! | `settings` | which device, port and address |
//! | `inventory` | what there is to choose from |
//! | `address` | the wire format of an address |
//! | `endpoint` | making queue pairs, and connecting them |
//! | `layout` | what peers may read and write |
//! | `descriptors` | a sender's count of receives |
//! | `device` | the own device: what it tells, and whether it answers |
//! | `end` | one end of a VI, and a message in its memory |
//! | `control` | words, wake-ups, farewells |
//! | `multicast` | words to all ranks at once |
//! | `payloads` | large payloads, which peers read where they lie |
//! | `losses` | peers that are lost |
//! | `backoff` | waiting for the device |
//! | `nic` | the verbs; a file each for sending, receiving, sleeping, words, large payloads (`reading`), looking around and leaving |
//! | `repaired` | the same over unreliable transports, with lost messages repeated |
//!
//! docs/RDMA.md says how to run it, and what is missing.

mod address;
mod backoff;
mod control;
mod descriptors;
mod device;
mod end;
mod endpoint;
mod error;
mod inventory;
mod layout;
mod losses;
mod multicast;
mod nic;
mod payloads;
mod repaired;
mod settings;

pub use end::Frame;
pub use endpoint::MAX_RANKS;
pub use error::IbError;
pub use inventory::{Device, DevicePort, Gid, inventory};
pub use nic::IbNic;
pub use repaired::{connect_repaired, join_repaired};
pub use settings::Settings;

use endpoint::{Endpoint, Reach};

use crate::order::Rank;
use crate::provider::shm::Exposed;
use crate::provider::{Bootstrap, FabricSpec};
use crate::verbs::VerbsError;

/// Connects one rank of a job of `size` with all others, which do the same in their processes, on
/// any hosts.
///
/// # Errors
///
/// [`IbError`] naming the thing missing, wrong or too large, or the rank that has ended.
pub fn join(
    settings: &Settings,
    rank: Rank,
    size: usize,
    spec: &FabricSpec,
    bootstrap: Box<dyn Bootstrap>,
) -> Result<IbNic, IbError> {
    join_reaching(settings, (rank, size), spec, (&|_| true, None), bootstrap)
}

/// As [`join`], of ranks that are numbered among `size`, but connected with those only for which
/// `is_reached` says so: the others are reached otherwise. Of two ranks both must say the same.
/// Those that are connected may write the words that are `exposed`; all ranks expose as many, or
/// none.
///
/// # Errors
///
/// As by [`join`].
pub fn join_reaching(
    settings: &Settings,
    (rank, size): (Rank, usize),
    spec: &FabricSpec,
    (is_reached, exposed): (&dyn Fn(Rank) -> bool, Option<Exposed>),
    mut bootstrap: Box<dyn Bootstrap>,
) -> Result<IbNic, IbError> {
    let endpoint = Endpoint::open(settings, rank, size, spec, Reach { is_reached, exposed })?;
    let addresses =
        bootstrap.all_gather("address", &endpoint.address()).map_err(IbError::Bootstrap)?;
    let mut nic = endpoint.connect(&addresses)?;
    // What is sent to a queue pair that is not connected yet is lost, and sent again late.
    let said =
        bootstrap.all_gather("multicast", &nic.says_of_multicast()).map_err(IbError::Bootstrap)?;
    nic.agree_on_multicast(&said);
    let nic = nic.with_bootstrap(bootstrap);
    // All are connected by now.
    nic.ask_all();
    nic.await_answers()?;
    Ok(nic)
}

/// Makes a fabric of `size` ranks of this process and gives each its interface, in the order of the
/// ranks. They share memory in truth, and reach each other by RDMA nonetheless: for tests.
///
/// # Errors
///
/// As by [`join`].
pub fn connect(settings: &Settings, size: usize, spec: &FabricSpec) -> Result<Vec<IbNic>, IbError> {
    connect_reaching(settings, size, spec, &|_, _| true, &|_| None)
}

/// As [`connect`], where two ranks are connected only if `is_reached` says so of them, and each
/// exposes what `exposed` says.
///
/// # Errors
///
/// As by [`join`].
pub fn connect_reaching(
    settings: &Settings,
    size: usize,
    spec: &FabricSpec,
    is_reached: &dyn Fn(Rank, Rank) -> bool,
    exposed: &dyn Fn(Rank) -> Option<Exposed>,
) -> Result<Vec<IbNic>, IbError> {
    if size > MAX_RANKS {
        let (what, limit) = ("number of ranks", MAX_RANKS);
        let provider = endpoint::PROVIDER;
        return Err(VerbsError::AboveLimit { provider, what, asked: size, limit }.into());
    }
    let open = |rank| {
        let is_reached = |peer| is_reached(rank, peer);
        let reach = Reach { is_reached: &is_reached, exposed: exposed(rank) };
        Endpoint::open(settings, rank, size, spec, reach)
    };
    let endpoints = (0..size).map(open).collect::<Result<Vec<_>, _>>()?;
    let addresses: Vec<_> = endpoints.iter().map(Endpoint::address).collect();
    let connected = endpoints.into_iter().map(|endpoint| endpoint.connect(&addresses));
    let mut nics = connected.collect::<Result<Vec<_>, _>>()?;
    let said: Vec<_> = nics.iter().map(IbNic::says_of_multicast).collect();
    nics.iter_mut().for_each(|nic| nic.agree_on_multicast(&said));
    nics.iter().for_each(IbNic::ask_all);
    nics.iter().try_for_each(IbNic::await_answers)?;
    Ok(nics)
}
