//! The network of a job: memory of the host, RDMA where the user chooses it, or the one within
//! hosts and the other between them.

use super::LaunchError;
use super::environment::{self, Rdma};
use crate::comm::HostNic;
use crate::error::Result;
#[cfg(target_os = "linux")]
use crate::launch::bootstrap::Client;
#[cfg(target_os = "linux")]
use crate::launch::neighbours::Neighbours;
#[cfg(target_os = "linux")]
use crate::provider::Bootstrap;
use crate::provider::FabricSpec;

/// The user's choices of RDMA, if that is to be the network.
///
/// # Errors
///
/// If a variable of the environment cannot be used.
pub(super) fn rdma() -> Result<Option<Rdma>> {
    Ok(environment::fabric(|name| std::env::var_os(name))?)
}

/// The interface of a rank that meets the others.
#[cfg(target_os = "linux")]
pub(super) fn meet(rdma: Option<&Rdma>, spec: &FabricSpec, bootstrap: &Client) -> Result<HostNic> {
    if let Some(rdma) = rdma {
        return meet_by_rdma(rdma, spec, bootstrap);
    }
    let mut bootstrap = bootstrap.clone();
    let neighbours = Neighbours::meet(None, &mut bootstrap)?;
    let hosts = neighbours.one_host()?;
    Ok(neighbours.share(&hosts)?.nic(bootstrap.rank(), spec)?)
}

#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
pub(super) use with_ib::{IS_BUILT, connect, join, meet_by_rdma};
#[cfg(not(all(target_os = "linux", feature = "ib", not(loom))))]
pub(super) use without_ib::connect;
#[cfg(all(target_os = "linux", any(not(feature = "ib"), loom)))]
pub(super) use without_ib::{IS_BUILT, join, meet_by_rdma};

/// In a program that was built with it.
#[cfg(all(target_os = "linux", feature = "ib", not(loom)))]
mod with_ib {
    use super::*;
    use crate::error::Error;
    use crate::launch::environment::Between;
    use crate::launch::neighbours::not_met;
    use crate::launch::network::Network;
    use crate::message::Config;
    use crate::order::Rank;
    use crate::provider::Transport;
    use crate::provider::host::{Hosts, Rdma as RdmaNic};
    use crate::provider::ib::{self, IbError, Settings};
    use crate::provider::shm;
    use crate::sys::host;
    use crate::verbs::Nic;

    /// The name of the two networks together.
    const MIXED: &str = "shm+ib";

    fn settings(rdma: &Rdma) -> Settings {
        let settings =
            Settings::default().with_devices(&rdma.devices).with_transport(rdma.transport);
        let settings =
            settings.with_service_level(rdma.service_level).with_traffic_class(rdma.traffic_class);
        let settings = match rdma.gid_index {
            Some(index) => settings.with_gid_index(index),
            None => settings,
        };
        let settings = match rdma.read_from_bytes {
            Some(bytes) => settings.with_read_from_bytes(bytes),
            None => settings,
        };
        // Between hosts, and by unreliable transports, barriers are released otherwise.
        let none_wanted = rdma.without_multicast
            || rdma.transport != Transport::Rc
            || rdma.between != Between::Ranks;
        if none_wanted { settings.without_multicast() } else { settings }
    }

    /// The near network, which has the shared words of each host, and how many each has.
    fn copies(spec: &FabricSpec, hosts: &Hosts) -> (FabricSpec, usize) {
        let words = match spec.shared_words {
            0 => 0,
            _ => Config::shared_words_on(hosts.ranks(), hosts.count()),
        };
        let shared_words = words.saturating_mul(hosts.count());
        (FabricSpec { shared_words, ..spec.clone() }, words)
    }

    /// The shared words of a rank's host.
    fn exposed(near: &shm::ShmNic, hosts: &Hosts, words: usize) -> Option<shm::Exposed> {
        let host = hosts.of(near.rank())? as usize;
        (words > 0).then(|| near.exposed(host * words, words))
    }

    fn failed(error: IbError) -> Error {
        match error {
            IbError::Bootstrap(error) => not_met(error),
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
        let Between::Hosts { list, .. } = &rdma.between else {
            if settings.transport == Transport::Rc {
                let nics = ib::connect(&settings, size, spec).map_err(failed)?;
                return Ok(nics.into_iter().map(|nic| RdmaNic::far(nic).into()).collect());
            }
            let nics = ib::connect_repaired(&settings, size, spec).map_err(failed)?;
            return Ok(nics.into_iter().map(|nic| RdmaNic::from(nic).into()).collect());
        };
        let hosts =
            if list.is_empty() { Hosts::of_ids(&vec![(); size]) } else { read(list, size)? };
        let near = |spec| shm::connect(size, spec).map_err(LaunchError::Network);
        if hosts.count() == 1 {
            return Ok(near(spec)?.into_iter().map(HostNic::from).collect());
        }
        let (copies, words) = copies(spec, &hosts);
        let near = near(&copies)?;
        let is_far = |one, other| !hosts.are_near(one, other);
        let exposed = |rank: Rank| exposed(&near[rank], &hosts, words);
        let far = ib::connect_reaching(&settings, size, spec, &is_far, &exposed);
        let both = near.into_iter().zip(far.map_err(failed)?.into_iter().map(RdmaNic::far));
        Ok(both.map(|(near, far)| HostNic::both(MIXED, near, far, &hosts, words)).collect())
    }

    /// There is RDMA.
    pub(in crate::launch) const IS_BUILT: bool = true;

    /// The interface of a rank that meets the others, and may share a host with some.
    pub(in crate::launch) fn meet_by_rdma(
        rdma: &Rdma,
        spec: &FabricSpec,
        bootstrap: &Client,
    ) -> Result<HostNic> {
        let (settings, mut bootstrap) = (settings(rdma), bootstrap.clone());
        let named = match &rdma.between {
            // A host's own id says nothing of containers, whose processes do not see each other.
            Between::Hosts { id, .. } => (*id != host::id()).then_some(id.as_str()),
            Between::Ranks => None,
        };
        let neighbours = Neighbours::meet(named, &mut bootstrap)?;
        let (local_rank, ranks_of_host) = neighbours.local_rank();
        let settings = settings.with_local_rank(local_rank, ranks_of_host);
        let Between::Hosts { list, .. } = &rdma.between else {
            return join_all(&settings, spec, bootstrap);
        };
        let hosts =
            if list.is_empty() { neighbours.hosts() } else { read(list, bootstrap.size())? };
        let network = neighbours.share(&hosts)?;
        join_hosts(&settings, spec, (&hosts, &network), bootstrap)
    }

    /// The interface of a rank that reaches all others by RDMA.
    fn join_all(settings: &Settings, spec: &FabricSpec, bootstrap: Client) -> Result<HostNic> {
        let (rank, size, bootstrap) = (bootstrap.rank(), bootstrap.size(), Box::new(bootstrap));
        if settings.transport == Transport::Rc {
            let nic = ib::join(settings, rank, size, spec, bootstrap).map_err(failed)?;
            return Ok(RdmaNic::far(nic).into());
        }
        let nic = ib::join_repaired(settings, rank, size, spec, bootstrap).map_err(failed)?;
        Ok(RdmaNic::from(nic).into())
    }

    /// The interface of a rank that has the memory of all from its launcher.
    pub(in crate::launch) fn join(
        rdma: &Rdma,
        spec: &FabricSpec,
        bootstrap: &Client,
        network: &Network,
    ) -> Result<HostNic> {
        let (settings, mut bootstrap) = (settings(rdma), bootstrap.clone());
        let Between::Hosts { list, id } = &rdma.between else {
            return join_all(&settings, spec, bootstrap);
        };
        let hosts = if list.is_empty() {
            Hosts::of_ids(&bootstrap.all_gather("host", id.as_bytes()).map_err(not_met)?)
        } else {
            read(list, bootstrap.size())?
        };
        join_hosts(&settings, spec, (&hosts, network), bootstrap)
    }

    /// The hosts that the user listed.
    fn read(list: &str, size: usize) -> Result<Hosts> {
        Ok(Hosts::read(list, size).map_err(LaunchError::Hosts)?)
    }

    /// The interface of a rank that shares memory with those of its host, and reaches others by
    /// RDMA.
    fn join_hosts(
        settings: &Settings,
        spec: &FabricSpec,
        (hosts, network): (&Hosts, &Network),
        bootstrap: Client,
    ) -> Result<HostNic> {
        let (rank, size, bootstrap) = (bootstrap.rank(), bootstrap.size(), Box::new(bootstrap));
        if hosts.count() == 1 {
            return Ok(network.nic(rank, spec)?);
        }
        let (copies, words) = copies(spec, hosts);
        let near = network.near(rank, &copies)?;
        let is_far = |peer| !hosts.are_near(rank, peer);
        let reach: (&dyn Fn(Rank) -> bool, _) = (&is_far, exposed(&near, hosts, words));
        let far = ib::join_reaching(settings, (rank, size), spec, reach, bootstrap);
        let far = RdmaNic::far(far.map_err(failed)?);
        Ok(HostNic::both(MIXED, near, far, hosts, words))
    }
}

/// In a program that was built without it.
#[cfg(not(all(target_os = "linux", feature = "ib", not(loom))))]
mod without_ib {
    use super::*;

    /// There is no RDMA.
    pub(in crate::launch) fn connect(_: &Rdma, _: usize, _: &FabricSpec) -> Result<Vec<HostNic>> {
        Err(LaunchError::NotBuilt.into())
    }

    /// There is no RDMA.
    #[cfg(target_os = "linux")]
    pub(in crate::launch) fn join(
        _: &Rdma,
        _: &FabricSpec,
        _: &Client,
        _: &crate::launch::network::Network,
    ) -> Result<HostNic> {
        Err(LaunchError::NotBuilt.into())
    }

    /// There is no RDMA.
    #[cfg(target_os = "linux")]
    pub(in crate::launch) fn meet_by_rdma(_: &Rdma, _: &FabricSpec, _: &Client) -> Result<HostNic> {
        Err(LaunchError::NotBuilt.into())
    }

    /// There is no RDMA.
    #[cfg(target_os = "linux")]
    pub(in crate::launch) const IS_BUILT: bool = false;
}
