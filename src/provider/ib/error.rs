//! What can go wrong with RDMA before a rank has its interface, each with what helps.

use crate::order::Rank;
use crate::provider::BootstrapError;
use crate::sys::ibverbs::{Cause, Failure};
use crate::verbs::VerbsError;

/// A rank could not be connected by RDMA.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IbError {
    /// The library is not on this host.
    #[error(
        "RDMA needs the library libibverbs, which cannot be loaded ({said}); Debian has it in the packages \
         libibverbs1 and ibverbs-providers"
    )]
    NoLibrary {
        /// What the system says.
        said: String,
    },
    /// The host has no device.
    #[error(
        "this host has no RDMA device; Linux makes one of any Ethernet interface, in software: \
         `rdma link add rxe0 type rxe netdev INTERFACE`"
    )]
    NoDevices,
    /// The kernel has devices, and the library offers none of them.
    #[error(
        "the kernel has the RDMA devices {}, and libibverbs offers none of them: it lacks their driver (Debian has \
         it in ibverbs-providers), or /dev/infiniband/uverbs* are missing (load ib_uverbs; a container must be given \
         them)", .known.join(", ")
    )]
    NoDriver {
        /// Those that the kernel has.
        known: Vec<String>,
    },
    /// The device cannot be used: its queue pairs are connected by other means than verbs.
    #[error(
        "the RDMA device {device} speaks {speaks}: only InfiniBand, RoCE and soft-RoCE are known here; choose another \
         (`--device`), `runahead info` lists them"
    )]
    Foreign {
        /// The device.
        device: String,
        /// What it speaks.
        speaks: &'static str,
    },
    /// There is no device of this name.
    #[error("there is no RDMA device {name:?}: expected one of {}", .known.join(", "))]
    UnknownDevice {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The device has no such port.
    #[error("the RDMA device {device} has no port {port}: it has {ports}, counted from 1")]
    NoSuchPort {
        /// The device.
        device: String,
        /// The port asked for.
        port: u8,
        /// How many it has.
        ports: u8,
    },
    /// The port cannot be used now.
    #[error("port {port} of the RDMA device {device} is not active but {state}: {}", up(.state))]
    PortDown {
        /// The device.
        device: String,
        /// The port.
        port: u8,
        /// Its state.
        state: &'static str,
    },
    /// The table of addresses has no such place.
    #[error(
        "port {port} of the RDMA device {device} has no GID index {index}: its table has places 0 to {}",
        .gids.saturating_sub(1)
    )]
    NoSuchGid {
        /// The device.
        device: String,
        /// The port.
        port: u8,
        /// The index asked for.
        index: u32,
        /// How many places the table has.
        gids: u32,
    },
    /// The place of the table is empty.
    #[error(
        "port {port} of the RDMA device {device} has no address at GID index {index}; `runahead info` lists \
         those that it has"
    )]
    EmptyGid {
        /// The device.
        device: String,
        /// The port.
        port: u8,
        /// The index.
        index: u32,
    },
    /// There is no such service level.
    #[error("there is no service level {level}: they are 0 to {most}")]
    ServiceLevel {
        /// The level asked for.
        level: u8,
        /// The highest.
        most: u8,
    },
    /// The port has no address at all.
    #[error(
        "port {port} of the RDMA device {device} has no address: give the interface below it one, as by \
         `ip address add`"
    )]
    NoGid {
        /// The device.
        device: String,
        /// The port.
        port: u8,
    },
    /// The device cannot do as much.
    #[error("the RDMA device {device} has {limit} {what}, and {asked} would be needed{remedy}")]
    TooMuch {
        /// The device.
        device: String,
        /// Of what.
        what: &'static str,
        /// How much.
        asked: u64,
        /// How much it can.
        limit: u64,
        /// What helps, as a part of the sentence.
        remedy: &'static str,
    },
    /// The device has no RDMA reads.
    #[error(
        "the RDMA device {device} allows no RDMA reads (its max_qp_rd_atom is 0), and they are needed here, by every \
         transport; choose another (`--device`), or see whether its driver or firmware has a setting for them"
    )]
    NoReads {
        /// The device.
        device: String,
    },
    /// Memory cannot be registered, and so locked.
    #[error(
        "ibv_reg_mr{}: {bytes} bytes cannot be registered, of {needed} that this rank needs: {}{}",
        for_rank(.peer), std::io::Error::from_raw_os_error(*.code), more_memory(*.code, *.needed)
    )]
    Registration {
        /// For which peer, if for one.
        peer: Option<Rank>,
        /// How many bytes.
        bytes: usize,
        /// Of how many that the rank needs for all its peers together.
        needed: usize,
        /// The error number.
        code: i32,
    },
    /// A verb failed.
    #[error(
        "{verb}{}: {}{remedy}",
        for_rank(.peer), std::io::Error::from_raw_os_error(*.code)
    )]
    Verb {
        /// Its name.
        verb: &'static str,
        /// For which peer, if for one.
        peer: Option<Rank>,
        /// The error number.
        code: i32,
        /// What helps, as a part of the sentence.
        remedy: &'static str,
    },
    /// What a peer has given as its address is none, or none that fits.
    #[error("the address that rank {peer} has given cannot be used: {what}")]
    Address {
        /// The peer.
        peer: Rank,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A peer that has told its address cannot be reached there.
    #[error("rank {peer} cannot be reached by RDMA: {why}")]
    Unreached {
        /// The peer.
        peer: Rank,
        /// The verb that has shown it, what became of it, and what helps.
        why: String,
    },
    /// The ranks could not tell each other their addresses.
    #[error("the ranks cannot exchange addresses: {0}")]
    Bootstrap(BootstrapError),
    /// The network cannot be laid out so.
    #[error(transparent)]
    Verbs(#[from] VerbsError),
}

/// What brings up a port in this state. The states between down and active are those of InfiniBand
/// alone: the cable is in, and the subnet manager has yet to give the port its address.
fn up(state: &str) -> &'static str {
    match state {
        INITIALIZING | ARMED => "is there a subnet manager (opensm, or one in a switch)?",
        _ => "check the cable, or `ip link` for the interface below it",
    }
}

/// A port that waits for the subnet manager, in a word.
pub(super) const INITIALIZING: &str = "initializing";
pub(super) const ARMED: &str = "armed";

/// Without any device that could be used: why not.
pub(super) fn no_devices(in_kernel: Vec<String>) -> IbError {
    if in_kernel.is_empty() { IbError::NoDevices } else { IbError::NoDriver { known: in_kernel } }
}

/// A peer from which nothing has ever come, if it `is_silence`: what only keeps packets back is
/// more likely than that its host has gone down just now.
pub(super) fn unreached(peer: Rank, why: String, is_silence: bool) -> IbError {
    let hint = match is_silence {
        true => {
            "; nothing has come from it yet: with RoCE a firewall must let UDP port 4791 through and the addresses have a route, \
             on InfiniBand both ports must be full members of one partition"
        }
        false => "",
    };
    IbError::Unreached { peer, why: why + hint }
}

fn for_rank(peer: &Option<Rank>) -> String {
    peer.map_or(String::new(), |peer| format!(", for rank {peer}"))
}

/// What helps a user who lacks memory, as a part of the sentence. The shell counts it in units of
/// 1024 bytes.
fn more_memory(code: i32, needed: usize) -> String {
    // Where no memory at all may be locked the kernel says EPERM.
    if Cause::of(code) == Cause::Other {
        return String::new();
    }
    format!(
        "; if no more memory may be locked, allow as much (`ulimit -l {}`, or memlock in \
         /etc/security/limits.conf; a card's driver locks its queues besides, so some more), or use less: smaller \
         windows, fewer ranks",
        needed.div_ceil(1024)
    )
}

/// The error of a verb that failed, for `peer` if for one, with what mostly helps; of a rank that
/// needs so many bytes of registered memory.
pub(super) fn failed_needing(failure: Failure, peer: Option<Rank>, needed: usize) -> IbError {
    match failure {
        Failure::Registration { bytes, code } => {
            IbError::Registration { peer, bytes, needed, code }
        }
        failure => failed(failure, peer),
    }
}

/// As [`failed_needing`], where no memory is registered.
pub(super) fn failed(failure: Failure, peer: Option<Rank>) -> IbError {
    match failure {
        Failure::NoLibrary { said } => IbError::NoLibrary { said },
        Failure::Registration { bytes, .. } => failed_needing(failure, peer, bytes),
        Failure::Verb { verb, code } => {
            IbError::Verb { verb, peer, code, remedy: remedy(verb, code) }
        }
    }
}

fn remedy(verb: &str, code: i32) -> &'static str {
    match (verb, Cause::of(code)) {
        ("ibv_create_qp" | "ibv_create_cq", Cause::Memory) => {
            "; if no more memory may be locked, allow more (`ulimit -l`, or memlock in \
             /etc/security/limits.conf), or use less: smaller windows, fewer ranks; or the device has no more of them, \
             for all jobs on this host (`runahead info` says how many it has)"
        }
        ("ibv_create_qp", _) => {
            "; the device may have no queue pairs of this kind: most have reliably connected ones (`--transport rc`)"
        }
        ("ibv_open_device" | "ibv_get_device_list", Cause::Denied) => {
            "; /dev/infiniband/uverbs* must be readable and writable: belong to its group, mostly rdma"
        }
        ("ibv_get_device_list", _) => {
            "; the kernel has no RDMA: load the driver of the device, or rdma_rxe"
        }
        ("ibv_modify_qp", _) => {
            "; both ports must be in one network, and the GID index must name an address from which the \
             peer's can be reached"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_verb_peer_and_remedy() {
        let said = |verb, code, peer| failed(Failure::Verb { verb, code }, peer).to_string();
        let error = said("ibv_create_qp", 12, Some(3));
        assert!(error.starts_with("ibv_create_qp, for rank 3: "), "{error}");
        assert!(error.contains("`ulimit -l`"), "{error}");
        let error = said("ibv_create_qp", 95, Some(3));
        assert!(error.contains("`--transport rc`") && !error.contains("ulimit"), "{error}");
        let registration = |code| {
            let failure = Failure::Registration { bytes: 8192, code };
            failed_needing(failure, Some(3), 1_000_000).to_string()
        };
        let error = registration(12);
        let start = "ibv_reg_mr, for rank 3: 8192 bytes cannot be registered, of 1000000 that";
        assert!(error.starts_with(start) && error.contains("`ulimit -l 977`"), "{error}");
        assert!(
            registration(1).contains("`ulimit -l 977`") && !registration(22).contains("ulimit")
        );
        let error = said("ibv_open_device", 13, None);
        assert!(error.contains("uverbs") && !error.contains("rank"), "{error}");
        let error = unreached(2, "ibv_post_send: no".into(), true).to_string();
        assert!(error.starts_with("rank 2 cannot be reached by RDMA: ibv_post_send: no; "));
        assert!(error.contains("4791") && error.contains("partition"), "{error}");
        let error = unreached(2, "ibv_poll_cq: no".into(), false).to_string();
        assert!(error.ends_with("ibv_poll_cq: no"), "{error}");
        let error = said("ibv_modify_qp", 22, Some(1));
        assert!(error.contains("GID index"), "{error}");
        let down =
            |state| IbError::PortDown { device: "mlx5_0".into(), port: 1, state }.to_string();
        assert!(down("down").contains("cable") && !down("down").contains("subnet"));
        assert!([INITIALIZING, ARMED].into_iter().all(|state| down(state).contains("opensm")));
        assert_eq!(no_devices(Vec::new()), IbError::NoDevices);
        let error = no_devices(vec!["mlx5_0".into()]).to_string();
        assert!(error.contains("mlx5_0") && error.contains("ibverbs-providers"), "{error}");
        let known = vec!["rxe1".to_owned(), "rxe2".to_owned()];
        let error = IbError::UnknownDevice { name: "mlx5_7".into(), known }.to_string();
        assert!(error.contains("mlx5_7") && error.ends_with("rxe1, rxe2"), "{error}");
    }
}
