//! The environment variables with which a user sets what the program does not choose itself.
//!
//! Only [`Launch`](super::Launch) reads them, once, when a job starts. The program's choice wins,
//! and then the variable is not even read. Worlds that are created without a `Launch` ignore the
//! environment. An empty variable counts as not set.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::time::Duration;

use super::ranks::Ranks;
#[cfg(target_os = "linux")]
use super::watch::OWN_GRACE;
use crate::message::{Config, TuneCache};
use crate::names::UnknownName;
use crate::order::schedule::InvalidAlgorithm;
use crate::provider::Transport;
use crate::sys::host;

/// An environment variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: &'static str,
    /// The possible values.
    pub values: &'static str,
    /// What the variable sets, in one line.
    pub summary: &'static str,
}

/// All variables, in the order in which users see them.
pub const VARIABLES: [Variable; 22] = [
    BARRIER,
    SIGNALS,
    NOTIFY,
    SLICE,
    TUNE_CACHE,
    STALL,
    RANKS,
    GRACE,
    FABRIC,
    IB_DEVICE,
    IB_GID_INDEX,
    IB_TRANSPORT,
    IB_MULTICAST,
    IB_PULL,
    IB_SL,
    IB_TRAFFIC_CLASS,
    HOSTS,
    HOST_ID,
    MEET,
    RANK,
    SIZE,
    JOB,
];

const BARRIER: Variable = Variable {
    name: "RUNAHEAD_BARRIER",
    values: "an algorithm, or auto",
    summary: "the barrier algorithm of the world",
};

const SIGNALS: Variable = Variable {
    name: "RUNAHEAD_SIGNALS",
    values: "auto, words or messages",
    summary: "how barrier signals travel between ranks that share no memory (default: auto, over RDMA as words)",
};

const NOTIFY: Variable = Variable {
    name: "RUNAHEAD_NOTIFY",
    values: "poll, yield, block, spin-then-block or adaptive",
    summary: "how a rank waits (default: adaptive)",
};

const SLICE: Variable = Variable {
    name: "RUNAHEAD_SLICE_US",
    values: "100 to 100000, or 0",
    summary: "a rank's time slices in microseconds, on Linux 6.12 and later (default: 0, the system's)",
};

const TUNE_CACHE: Variable = Variable {
    name: "RUNAHEAD_TUNE_CACHE",
    values: "off, or a file",
    summary: "where auto stores its choices (default: a file in the user's cache directory)",
};

/// Read by [`stall`](super::stall), also for worlds on networks of other kinds.
const STALL: Variable = Variable {
    name: super::STALL_VARIABLE,
    values: "whole seconds, or 0",
    summary: "how long a call waits before it reports where every rank is; 0 for never (default: 60)",
};

const RANKS: Variable = Variable {
    name: "RUNAHEAD_RANKS",
    values: "threads, processes, or auto",
    summary: "whether ranks are processes or threads (default: processes; threads in tests)",
};

/// Read by programs that start their ranks themselves, as processes.
const GRACE: Variable = Variable {
    name: "RUNAHEAD_GRACE_S",
    values: "whole seconds, or 0",
    summary: "how long the other ranks may go on when one has failed; 0 for no limit (default: 10)",
};

/// Read where the network of ranks is made.
const FABRIC: Variable = Variable {
    name: "RUNAHEAD_FABRIC",
    values: "shm, ib or mixed",
    summary: "the network: shared memory, RDMA devices, or shared memory within hosts and RDMA between them (default: shm)",
};

const IB_DEVICE: Variable = Variable {
    name: "RUNAHEAD_IB_DEVICE",
    values: "names, separated by commas",
    summary: "the RDMA devices; ranks take one each, in turn (default: the first active one)",
};

const IB_GID_INDEX: Variable = Variable {
    name: "RUNAHEAD_IB_GID_INDEX",
    values: "0 to 255",
    summary: "the index of a rank's address in its RDMA port's GID table (default: a suitable one)",
};

const IB_TRANSPORT: Variable = Variable {
    name: "RUNAHEAD_IB_TRANSPORT",
    values: "rc, uc or ud",
    summary: "the RDMA queue pairs that carry messages: reliable, unreliable, or datagrams (default: rc)",
};

const IB_MULTICAST: Variable = Variable {
    name: "RUNAHEAD_IB_MULTICAST",
    values: "on or off",
    summary: "whether RDMA devices send to all ranks at once, if they can (default: on)",
};

const IB_PULL: Variable = Variable {
    name: "RUNAHEAD_IB_PULL",
    values: "off, or a number of bytes",
    summary: "the length from which receivers read a payload in place by RDMA, the same at all ranks (default: 65536)",
};

const IB_SL: Variable = Variable {
    name: "RUNAHEAD_IB_SL",
    values: "0 to 15",
    summary: "the service level of RDMA traffic (default: 0)",
};

const IB_TRAFFIC_CLASS: Variable = Variable {
    name: "RUNAHEAD_IB_TRAFFIC_CLASS",
    values: "0 to 255",
    summary: "the traffic class of RDMA traffic on Ethernet (default: 0)",
};

const HOSTS: Variable = Variable {
    name: "RUNAHEAD_HOSTS",
    values: "2x4, or a name for each rank",
    summary: "for mixed, which ranks count as being on one host (default: those with equal host ids)",
};

const HOST_ID: Variable = Variable {
    name: "RUNAHEAD_HOST_ID",
    values: "any text",
    summary: "for mixed, the id of this process's host (default: its boot id)",
};

/// Read by processes that another starter than this library has started, as are the two that
/// follow.
pub(super) const MEET: Variable = Variable {
    name: "RUNAHEAD_MEET",
    values: "HOST:PORT, of rank 0",
    summary: "makes a process that srun, mpirun or ssh has started a rank, on any host",
};

pub(super) const RANK: Variable = Variable {
    name: "RUNAHEAD_RANK",
    values: "a whole number",
    summary: "for ranks that meet, the rank of this process (default: from Slurm, Open MPI or a PMI)",
};

pub(super) const SIZE: Variable = Variable {
    name: "RUNAHEAD_SIZE",
    values: "a whole number",
    summary: "for ranks that meet, the number of ranks (default: from Slurm, Open MPI or a PMI)",
};

/// Read by the processes that a launcher starts.
const JOB: Variable = Variable {
    name: "RUNAHEAD_JOB",
    values: "set by launchers only",
    summary: "makes a process a rank of the job that started it",
};

/// The value of a variable cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidValue {
    /// It names no algorithm.
    #[error(transparent)]
    Algorithm(#[from] InvalidAlgorithm),
    /// It names nothing of its kind.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// It is no number of microseconds that a time slice can have.
    #[error("invalid time slice {0:?}: expected 100 to 100000 microseconds, or 0")]
    Slice(String),
    /// It is no number of seconds.
    #[error("invalid number of seconds {0:?}: expected a whole number")]
    Seconds(String),
    /// It names no network.
    #[error("unknown network {0:?}: expected shm, ib or mixed")]
    Fabric(String),
    /// It is no place in a table of addresses.
    #[error("invalid GID index {0:?}: expected 0 to 255")]
    GidIndex(String),
    /// Between hosts messages go by another.
    #[error("{0} is no transport between the hosts of a mixed network: it must be rc")]
    TransportBetweenHosts(Transport),
    /// It switches nothing.
    #[error("invalid switch {0:?}: expected on or off")]
    Switch(String),
    /// It is no length from which on payloads are read.
    #[error("invalid length {0:?}: expected off or a number of bytes")]
    PullFrom(String),
    /// No service level.
    #[error("invalid service level {0:?}: expected 0 to 15")]
    ServiceLevel(String),
    /// No traffic class.
    #[error("invalid traffic class {0:?}: expected 0 to 255")]
    TrafficClass(String),
    /// It is no place where ranks can meet.
    #[error("invalid address {0:?}: expected a host and a port, as in node1:7117")]
    Meet(String),
    /// It is no rank, or no number of ranks.
    #[error("invalid rank or size {0:?}: expected a whole number, and the rank below the size")]
    Place(String),
    /// Ranks are to meet, and nobody says which one this is, or how many there are.
    #[error(
        "it is not set, and neither is what Slurm (SLURM_PROCID, SLURM_NTASKS), Open MPI or a PMI sets"
    )]
    NoPlace,
    /// It is not UTF-8.
    #[error("{0:?} is not valid UTF-8")]
    NoText(OsString),
}

/// What the program has chosen itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chosen {
    pub(super) algorithm: bool,
    pub(super) signals: bool,
    pub(super) notify: bool,
    pub(super) slice: bool,
    pub(super) tune_cache: bool,
}

/// Takes from the environment what the program has not chosen. `value` gives the value of a
/// variable.
///
/// # Errors
///
/// The name of the variable that cannot be used, and why.
pub(super) fn apply(
    config: &mut Config,
    chosen: Chosen,
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<(), (&'static str, InvalidValue)> {
    let value = |variable: Variable| value(variable.name).filter(|value| !value.is_empty());
    if !chosen.algorithm
        && let Some(name) = value(BARRIER)
    {
        let algorithm = text(&name).and_then(|name| Ok(name.parse()?));
        config.algorithm = algorithm.map_err(|error| (BARRIER.name, error))?;
    }
    if !chosen.signals
        && let Some(name) = value(SIGNALS)
    {
        let signals = text(&name).and_then(|name| Ok(name.parse()?));
        config.signals = signals.map_err(|error| (SIGNALS.name, error))?;
    }
    if !chosen.notify
        && let Some(name) = value(NOTIFY)
    {
        let notify = text(&name).and_then(|name| Ok(name.parse()?));
        config.notify = notify.map_err(|error| (NOTIFY.name, error))?;
    }
    if !chosen.slice
        && let Some(slice) = value(SLICE)
    {
        config.slice_us = slice_us(&slice).map_err(|error| (SLICE.name, error))?;
    }
    if !chosen.tune_cache
        && let Some(place) = value(TUNE_CACHE)
    {
        config.tune_cache = tune_cache(place);
    }
    Ok(())
}

/// What ranks are to be, where the program does not say it.
///
/// # Errors
///
/// The name of the variable if it cannot be used, and why.
pub(super) fn ranks(
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<Ranks, (&'static str, InvalidValue)> {
    let Some(value) = value(RANKS.name).filter(|value| !value.is_empty()) else {
        return Ok(Ranks::Auto);
    };
    let ranks = text(&value).and_then(|name| Ok(name.parse()?));
    ranks.map_err(|error| (RANKS.name, error))
}

/// How long the other ranks of a program that has started them itself go on when one has failed;
/// None for as long as they like.
///
/// # Errors
///
/// The name of the variable if it cannot be used, and why.
#[cfg(target_os = "linux")]
pub(super) fn grace(
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<Duration>, (&'static str, InvalidValue)> {
    let Some(value) = value(GRACE.name).filter(|value| !value.is_empty()) else {
        return Ok(Some(OWN_GRACE));
    };
    let seconds = text(&value)
        .and_then(|text| text.trim().parse().map_err(|_| InvalidValue::Seconds(text.to_owned())));
    let seconds = seconds.map_err(|error| (GRACE.name, error))?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds)))
}

/// What the user has said of RDMA.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rdma {
    /// The names of devices, with commas between them; empty if none was named.
    pub(super) devices: String,
    pub(super) gid_index: Option<u32>,
    pub(super) transport: Transport,
    pub(super) without_multicast: bool,
    /// From which length on payloads are read where they lie, in bytes; the most for none.
    pub(super) pull_from_bytes: Option<usize>,
    pub(super) service_level: u8,
    pub(super) traffic_class: u8,
    /// Who reaches whom by it.
    pub(super) between: Between,
}

/// Between whom the network is RDMA.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Between {
    /// All ranks.
    #[default]
    Ranks,
    /// Those on different hosts.
    Hosts {
        /// Which rank is on which, as the user has written it; empty if that follows from ids.
        list: String,
        /// The id of this process's host.
        id: String,
    },
}

/// What is said of RDMA, if that is to be the network.
///
/// # Errors
///
/// The name of the variable that cannot be used, and why.
pub(super) fn fabric(
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<Rdma>, (&'static str, InvalidValue)> {
    let value = |variable: Variable| {
        let value = value(variable.name).filter(|value| !value.is_empty());
        let value = value.map(|value| text(&value).map(str::to_owned)).transpose();
        value.map_err(|error| (variable.name, error))
    };
    let between = match value(FABRIC)?.as_deref() {
        None | Some("shm") => return Ok(None),
        Some("ib") => Between::Ranks,
        Some("mixed") => Between::Hosts {
            list: value(HOSTS)?.unwrap_or_default(),
            id: value(HOST_ID)?.unwrap_or_else(host::id),
        },
        Some(other) => return Err((FABRIC.name, InvalidValue::Fabric(other.to_owned()))),
    };
    let index = |text: String| match text.trim().parse::<u8>() {
        Ok(index) => Ok(index.into()),
        Err(_) => Err((IB_GID_INDEX.name, InvalidValue::GidIndex(text))),
    };
    let gid_index = value(IB_GID_INDEX)?.map(index).transpose()?;
    let transport = |text: String| {
        let wrong = |error| (IB_TRANSPORT.name, InvalidValue::Name(error));
        text.trim().parse::<Transport>().map_err(wrong)
    };
    let transport = value(IB_TRANSPORT)?.map(transport).transpose()?.unwrap_or_default();
    let without_multicast = match value(IB_MULTICAST)?.as_deref().map(str::trim) {
        None | Some("on") => false,
        Some("off") => true,
        Some(other) => return Err((IB_MULTICAST.name, InvalidValue::Switch(other.to_owned()))),
    };
    let pull_from = |text: String| match text.trim() {
        "off" => Ok(usize::MAX),
        number => number.parse().map_err(|_| (IB_PULL.name, InvalidValue::PullFrom(text.clone()))),
    };
    let pull_from_bytes = value(IB_PULL)?.map(pull_from).transpose()?;
    let level = |text: String| match text.trim().parse::<u8>() {
        Ok(level) if level < 16 => Ok(level),
        _ => Err((IB_SL.name, InvalidValue::ServiceLevel(text))),
    };
    let service_level = value(IB_SL)?.map(level).transpose()?.unwrap_or(0);
    let class = |text: String| match text.trim().parse::<u8>() {
        Ok(class) => Ok(class),
        Err(_) => Err((IB_TRAFFIC_CLASS.name, InvalidValue::TrafficClass(text))),
    };
    let traffic_class = value(IB_TRAFFIC_CLASS)?.map(class).transpose()?.unwrap_or(0);
    let devices = value(IB_DEVICE)?.unwrap_or_default();
    if matches!(between, Between::Hosts { .. }) && transport != Transport::Rc {
        return Err((IB_TRANSPORT.name, InvalidValue::TransportBetweenHosts(transport)));
    }
    Ok(Some(Rdma {
        devices,
        gid_index,
        transport,
        without_multicast,
        pull_from_bytes,
        service_level,
        traffic_class,
        between,
    }))
}

/// What tells this process's host from others: what the user says, or else the system.
pub fn host_id() -> String {
    let said = std::env::var(HOST_ID.name).ok().filter(|id| !id.is_empty());
    said.unwrap_or_else(host::id)
}

/// What the variable of the cache says, for those who look at the file themselves.
pub fn tune_cache_of_environment() -> TuneCache {
    let place = std::env::var_os(TUNE_CACHE.name).filter(|place| !place.is_empty());
    place.map_or(TuneCache::User, tune_cache)
}

fn tune_cache(place: OsString) -> TuneCache {
    if place == "off" { TuneCache::Off } else { TuneCache::File(PathBuf::from(place)) }
}

fn slice_us(value: &OsStr) -> Result<u32, InvalidValue> {
    let text = text(value)?;
    let known = |us: &u32| *us == 0 || (100..=100_000).contains(us);
    text.trim().parse().ok().filter(known).ok_or_else(|| InvalidValue::Slice(text.to_owned()))
}

fn text(value: &OsStr) -> Result<&str, InvalidValue> {
    value.to_str().ok_or_else(|| InvalidValue::NoText(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::Algorithm;

    const NOTHING: Chosen =
        Chosen { algorithm: false, signals: false, notify: false, slice: false, tune_cache: false };

    fn applied(
        chosen: Chosen,
        set: &[(&str, &str)],
    ) -> Result<Config, (&'static str, InvalidValue)> {
        let mut config = Config::new(4);
        let value = |name: &str| set.iter().find(|(set, _)| *set == name).map(|set| set.1.into());
        apply(&mut config, chosen, value).map(|()| config)
    }

    #[test]
    fn an_empty_environment_changes_nothing() {
        assert_eq!(applied(NOTHING, &[]), Ok(Config::new(4)));
        let empty = VARIABLES.map(|variable| (variable.name, ""));
        assert_eq!(applied(NOTHING, &empty), Ok(Config::new(4)));
        // A program that does not tune is not told to.
        assert_ne!(Config::new(4).algorithm, Algorithm::Auto);
    }

    #[test]
    fn what_the_program_leaves_open_is_taken() {
        let set = [("RUNAHEAD_BARRIER", "mcs-tree:3"), ("RUNAHEAD_TUNE_CACHE", "off")];
        let config = applied(NOTHING, &set).unwrap();
        assert_eq!(config.algorithm.to_string(), "mcs-tree:3");
        assert_eq!(config.tune_cache, TuneCache::Off);
        let config = applied(NOTHING, &[("RUNAHEAD_TUNE_CACHE", "here/tune")]).unwrap();
        assert_eq!(config.tune_cache, TuneCache::File("here/tune".into()));
        let config = applied(NOTHING, &[("RUNAHEAD_SIGNALS", "messages")]).unwrap();
        assert_eq!(config.signals, crate::message::Signals::Messages);
        let config = applied(NOTHING, &[("RUNAHEAD_BARRIER", "auto")]).unwrap();
        assert_eq!(config.algorithm, Algorithm::Auto);
    }

    #[test]
    fn what_the_program_has_chosen_wins() {
        let set = [("RUNAHEAD_BARRIER", "nonsense"), ("RUNAHEAD_TUNE_CACHE", "off")];
        let all =
            Chosen { algorithm: true, signals: true, notify: true, slice: true, tune_cache: true };
        assert_eq!(applied(all, &set), Ok(Config::new(4)));
        let one =
            Chosen { algorithm: true, signals: true, notify: true, slice: true, tune_cache: false };
        assert_eq!(applied(one, &set).unwrap().tune_cache, TuneCache::Off);
    }

    #[test]
    fn what_ranks_are_can_be_said() {
        let said = |value: &'static str| ranks(|_| Some(value.into()));
        assert_eq!(ranks(|_| None), Ok(Ranks::Auto));
        assert_eq!(said(""), Ok(Ranks::Auto));
        assert_eq!(said("threads"), Ok(Ranks::Threads));
        assert_eq!(said("processes"), Ok(Ranks::Processes));
        let (name, error) = said("fibres").unwrap_err();
        assert_eq!(name, "RUNAHEAD_RANKS");
        assert!(error.to_string().contains("\"fibres\""), "{error}");
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
        let (name, error) = applied(NOTHING, &[("RUNAHEAD_BARRIER", "nonsense")]).unwrap_err();
        assert_eq!(name, "RUNAHEAD_BARRIER");
        let error = error.to_string();
        assert!(
            error.contains("\"nonsense\": expected one of board, ") && error.ends_with(", auto")
        );
    }

    #[test]
    fn an_unknown_way_of_signals_is_an_error() {
        let (name, error) = applied(NOTHING, &[("RUNAHEAD_SIGNALS", "smoke")]).unwrap_err();
        assert_eq!(name, "RUNAHEAD_SIGNALS");
        let error = error.to_string();
        assert!(error.contains("\"smoke\": expected auto, words or messages"), "{error}");
    }

    #[test]
    fn a_time_slice_is_some_microseconds() {
        let said = |text| applied(NOTHING, &[("RUNAHEAD_SLICE_US", text)]).map(|c| c.slice_us);
        assert_eq!((said("300"), said(" 0 "), said("")), (Ok(300), Ok(0), Ok(0)));
        for wrong in ["99", "100001", "-1", "1.5", "4294967296", "short"] {
            let (name, error) = said(wrong).unwrap_err();
            assert_eq!(name, "RUNAHEAD_SLICE_US");
            assert!(error.to_string().contains(wrong), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_grace_is_some_seconds() {
        let said = |value: &'static str| grace(|_| Some(value.into()));
        assert_eq!((grace(|_| None), said("")), (Ok(Some(OWN_GRACE)), Ok(Some(OWN_GRACE))));
        assert_eq!((said(" 3 "), said("0")), (Ok(Some(Duration::from_secs(3))), Ok(None)));
        for wrong in ["-1", "1.5", "soon"] {
            let (name, error) = said(wrong).unwrap_err();
            assert_eq!((name, error), ("RUNAHEAD_GRACE_S", InvalidValue::Seconds(wrong.into())));
        }
    }

    #[test]
    fn a_network_can_be_chosen() {
        let said = |set: &'static [(&str, &str)]| {
            let value = move |name: &str| set.iter().find(|(set, _)| *set == name);
            fabric(move |name| value(name).map(|set| set.1.into()))
        };
        assert_eq!(said(&[]), Ok(None));
        assert_eq!(said(&[("RUNAHEAD_FABRIC", "shm"), ("RUNAHEAD_IB_GID_INDEX", "x")]), Ok(None));
        assert_eq!(said(&[("RUNAHEAD_FABRIC", "ib")]), Ok(Some(Rdma::default())));
        let all = [
            ("RUNAHEAD_FABRIC", "ib"),
            ("RUNAHEAD_IB_DEVICE", "rxe1,rxe2"),
            ("RUNAHEAD_IB_GID_INDEX", " 1 "),
            ("RUNAHEAD_IB_TRANSPORT", "ud"),
            ("RUNAHEAD_IB_MULTICAST", "off"),
            ("RUNAHEAD_IB_PULL", "4096 "),
            ("RUNAHEAD_IB_SL", "15"),
            ("RUNAHEAD_IB_TRAFFIC_CLASS", " 255"),
        ];
        let value = |name: &str| all.iter().find(|(set, _)| *set == name).map(|set| set.1.into());
        let (devices, transport) = ("rxe1,rxe2".into(), Transport::Ud);
        let rdma = Rdma {
            devices,
            gid_index: Some(1),
            transport,
            without_multicast: true,
            pull_from_bytes: Some(4096),
            service_level: 15,
            traffic_class: 255,
            between: Between::Ranks,
        };
        assert_eq!(fabric(value), Ok(Some(rdma)));
        let hosts = |set| match said(set) {
            Ok(Some(Rdma { between: Between::Hosts { list, id }, .. })) => (list, id),
            other => panic!("{other:?}"),
        };
        let both = &[
            ("RUNAHEAD_FABRIC", "mixed"),
            ("RUNAHEAD_HOSTS", "2x2"),
            ("RUNAHEAD_HOST_ID", "here"),
        ];
        assert_eq!(hosts(both), ("2x2".into(), "here".into()));
        let (list, id) = hosts(&[("RUNAHEAD_FABRIC", "mixed")]);
        assert!(list.is_empty() && !id.is_empty(), "{list:?} {id:?}");
        let wrong = InvalidValue::Fabric("tcp".into());
        assert_eq!(said(&[("RUNAHEAD_FABRIC", "tcp")]), Err(("RUNAHEAD_FABRIC", wrong)));
        let wrong = InvalidValue::Name("RC".parse::<Transport>().unwrap_err());
        let set = said(&[("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_TRANSPORT", "RC")]);
        assert_eq!(set, Err(("RUNAHEAD_IB_TRANSPORT", wrong)));
        let set = said(&[("RUNAHEAD_FABRIC", "mixed"), ("RUNAHEAD_IB_TRANSPORT", "ud")]);
        let wrong = InvalidValue::TransportBetweenHosts(Transport::Ud);
        assert_eq!(set, Err(("RUNAHEAD_IB_TRANSPORT", wrong)));
        let on = [("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_MULTICAST", " on")];
        let value = |name: &str| on.iter().find(|(set, _)| *set == name).map(|set| set.1.into());
        assert_eq!(fabric(value), Ok(Some(Rdma::default())));
        assert_eq!(
            said(&[("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_MULTICAST", "no")]),
            Err(("RUNAHEAD_IB_MULTICAST", InvalidValue::Switch("no".into())))
        );
        let set = said(&[("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_PULL", "off")]);
        assert_eq!(set.unwrap().unwrap().pull_from_bytes, Some(usize::MAX));
        assert_eq!(
            said(&[("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_PULL", "64K")]),
            Err(("RUNAHEAD_IB_PULL", InvalidValue::PullFrom("64K".into())))
        );
        assert_eq!(
            said(&[("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_SL", "16")]),
            Err(("RUNAHEAD_IB_SL", InvalidValue::ServiceLevel("16".into())))
        );
        assert_eq!(
            said(&[("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_TRAFFIC_CLASS", "256")]),
            Err(("RUNAHEAD_IB_TRAFFIC_CLASS", InvalidValue::TrafficClass("256".into())))
        );
        for index in ["-1", "256", "one"] {
            let value = |name: &str| match name {
                "RUNAHEAD_FABRIC" => Some("ib".into()),
                "RUNAHEAD_IB_GID_INDEX" => Some(index.into()),
                _ => None,
            };
            let wrong = InvalidValue::GidIndex(index.into());
            assert_eq!(fabric(value), Err(("RUNAHEAD_IB_GID_INDEX", wrong)));
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_text_is_an_error() {
        use std::os::unix::ffi::OsStringExt;
        let bytes = |_: &str| Some(OsString::from_vec(vec![0xff]));
        let error = apply(&mut Config::new(4), NOTHING, bytes).unwrap_err();
        assert_eq!(error, ("RUNAHEAD_BARRIER", InvalidValue::NoText(bytes("").unwrap())));
    }
}
