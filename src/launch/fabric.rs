//! Which network the ranks of a job have: memory of their host, or RDMA where the user wants it.

use super::LaunchError;
use super::environment::{self, Rdma};
use crate::comm::HostNic;
use crate::error::Result;
use crate::provider::FabricSpec;

/// What the user has said of RDMA, if that is to be the network.
///
/// # Errors
///
/// If a variable of the environment cannot be used.
pub(super) fn rdma() -> Result<Option<Rdma>> {
    let chosen = environment::fabric(|name| std::env::var_os(name));
    chosen.map_err(|(variable, error)| LaunchError::Environment { variable, error }.into())
}

#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
pub(super) use with_ib::{connect, join};
#[cfg(not(all(target_os = "linux", feature = "ib", not(loom))))]
pub(super) use without_ib::connect;
#[cfg(all(target_os = "linux", any(not(feature = "ib"), loom)))]
pub(super) use without_ib::join;

/// In a program that was built with it.
#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
mod with_ib {
    use super::*;
    use crate::error::Error;
    use crate::launch::exchange::Exchange;
    use crate::launch::ledger::Ledger;
    use crate::message::MessageError;
    use crate::order::Rank;
    use crate::provider::Transport;
    use crate::provider::ib::{self, BootstrapError, IbError, Settings};

    fn settings(rdma: &Rdma) -> Settings {
        let settings =
            Settings::default().with_devices(&rdma.devices).with_transport(rdma.transport);
        let settings = match rdma.gid_index {
            Some(index) => settings.with_gid_index(index),
            None => settings,
        };
        if rdma.without_multicast { settings.without_multicast() } else { settings }
    }

    fn failed(error: IbError) -> Error {
        match error {
            // What that rank says of it is what the user must know.
            IbError::Bootstrap(BootstrapError::Ended { rank }) => {
                MessageError::PeerLost { rank }.into()
            }
            error => LaunchError::Ib(error).into(),
        }
    }

    /// The interfaces of ranks that are threads of this process.
    pub(in crate::launch) fn connect(
        rdma: &Rdma,
        size: usize,
        spec: &FabricSpec,
    ) -> Result<Vec<HostNic>> {
        let settings = settings(rdma);
        if settings.transport == Transport::Rc {
            let nics = ib::connect(&settings, size, spec).map_err(failed)?;
            return Ok(nics.into_iter().map(HostNic::from).collect());
        }
        let nics = ib::connect_repaired(&settings, size, spec).map_err(failed)?;
        Ok(nics.into_iter().map(HostNic::from).collect())
    }

    /// The interface of a rank that is a process.
    pub(in crate::launch) fn join(
        rdma: &Rdma,
        (rank, size): (Rank, usize),
        spec: &FabricSpec,
        ledger: &Ledger,
    ) -> Result<HostNic> {
        let exchange = Box::new(Exchange::new(ledger.another()?, rank, size));
        let settings = settings(rdma);
        if settings.transport == Transport::Rc {
            let nic = ib::join(&settings, rank, size, spec, exchange).map_err(failed)?;
            return Ok(HostNic::from(nic));
        }
        let nic = ib::join_repaired(&settings, rank, size, spec, exchange).map_err(failed)?;
        Ok(HostNic::from(nic))
    }
}

/// In one that was not.
#[cfg(not(all(target_os = "linux", feature = "ib", not(loom))))]
mod without_ib {
    use super::*;

    /// There is none.
    pub(in crate::launch) fn connect(_: &Rdma, _: usize, _: &FabricSpec) -> Result<Vec<HostNic>> {
        Err(LaunchError::NotBuilt.into())
    }

    /// There is none.
    #[cfg(target_os = "linux")]
    pub(in crate::launch) fn join(
        _: &Rdma,
        _: (crate::order::Rank, usize),
        _: &FabricSpec,
        _: &crate::launch::ledger::Ledger,
    ) -> Result<HostNic> {
        Err(LaunchError::NotBuilt.into())
    }
}
