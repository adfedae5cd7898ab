//! The options of a job that its user chooses by the environment.
//!
//! A launch reads them once, when a job starts. The program's choice wins, and then the variable is
//! not even read. Worlds that are created without a launch ignore the environment. An empty
//! variable counts as not set. The options of a world stand in the table of [`Options`].

use std::ffi::OsString;
use std::time::Duration;

use super::ranks::Ranks;
#[cfg(target_os = "linux")]
use super::watch::OWN_GRACE;
use crate::message::{Options, TuneCache};
use crate::options::{InvalidOption, OptionInfo, SECONDS, Values, number};
use crate::provider::Transport;
use crate::sys::host;

/// All options, in the order in which users see them: those of a world, and those of a job.
pub fn options() -> impl Iterator<Item = OptionInfo> {
    let job = [
        RANKS,
        GRACE,
        FABRIC,
        DEVICE,
        GID_INDEX,
        TRANSPORT,
        MULTICAST,
        READ_FROM,
        SERVICE_LEVEL,
        TRAFFIC_CLASS,
        HOSTS,
        HOST_ID,
        MEET,
        RANK,
        SIZE,
        JOB,
        MPI_BARRIER,
        MPI_THREADS,
    ];
    Options::ALL.into_iter().chain(job)
}

const fn job(
    [variable, flag]: [&'static str; 2],
    values: Values,
    default: &'static str,
    summary: &'static str,
) -> OptionInfo {
    OptionInfo { name: "", variable, flag, values, default, summary }
}

const RANKS: OptionInfo = job(
    ["RUNAHEAD_RANKS", ""],
    Values::Text("auto, threads or processes"),
    "auto: processes; threads in tests",
    "whether ranks are processes or threads",
);

/// Read by programs that start their ranks themselves, as processes.
const GRACE: OptionInfo = job(
    ["RUNAHEAD_GRACE_S", ""],
    Values::Number { least: 0, most: u64::MAX, unit: SECONDS, or: "0 for no limit" },
    "10",
    "how long the other ranks may go on when one has failed",
);

/// Read where the network of ranks is made, as are the options of RDMA and of hosts.
const FABRIC: OptionInfo = job(
    ["RUNAHEAD_FABRIC", "fabric"],
    Values::Text("shm, ib or mixed"),
    "shm",
    "the network: shared memory, RDMA devices, or shared memory within hosts and RDMA between them",
);

const DEVICE: OptionInfo = job(
    ["RUNAHEAD_IB_DEVICE", "device"],
    Values::Text("names, separated by commas"),
    "the first active one",
    "the RDMA devices; ranks of a host take one each, in turn",
);

const GID_INDEX: OptionInfo = job(
    ["RUNAHEAD_IB_GID_INDEX", "gid-index"],
    number(0, 255, ""),
    "a suitable one",
    "the index of a rank's address in the GID table of its RDMA port",
);

const TRANSPORT: OptionInfo = job(
    ["RUNAHEAD_IB_TRANSPORT", "transport"],
    Values::Text("rc, uc or ud"),
    "rc",
    "the RDMA queue pairs that carry messages: reliable, unreliable, or datagrams",
);

const MULTICAST: OptionInfo = job(
    ["RUNAHEAD_IB_MULTICAST", "multicast"],
    Values::Text("on or off"),
    "on",
    "whether RDMA devices send to all ranks at once, if they can",
);

const READ_FROM: OptionInfo = job(
    ["RUNAHEAD_IB_READ_FROM", "read-from"],
    Values::Number { least: 0, most: u64::MAX, unit: " bytes", or: "off" },
    "65536",
    "the length from which receivers read a payload in place by RDMA, the same at all ranks",
);

const SERVICE_LEVEL: OptionInfo = job(
    ["RUNAHEAD_IB_SL", "service-level"],
    number(0, 15, ""),
    "0",
    "the service level of RDMA traffic",
);

const TRAFFIC_CLASS: OptionInfo = job(
    ["RUNAHEAD_IB_TRAFFIC_CLASS", "traffic-class"],
    number(0, 255, ""),
    "0",
    "the traffic class of RDMA traffic on Ethernet",
);

const HOSTS: OptionInfo = job(
    ["RUNAHEAD_HOSTS", "hosts"],
    Values::Text("2x4, or a name for each rank, as in a,a,b,b"),
    "those with equal host ids",
    "for mixed, which ranks count as being on one host",
);

const HOST_ID: OptionInfo = job(
    ["RUNAHEAD_HOST_ID", ""],
    Values::Text("any text"),
    "its boot id",
    "for mixed, the id of this process's host",
);

/// Read by processes that another launcher has started, as are the two that follow.
pub(super) const MEET: OptionInfo = job(
    ["RUNAHEAD_MEET", ""],
    Values::Text("the host and the port of rank 0, as in node1:7117"),
    "not set",
    "makes a process that srun, mpirun or ssh has started a rank, on any host",
);

pub(super) const RANK: OptionInfo = job(
    ["RUNAHEAD_RANK", ""],
    Values::Text("a whole number below the number of ranks"),
    "from Slurm, Open MPI or a PMI",
    "for ranks that meet, the rank of this process",
);

pub(super) const SIZE: OptionInfo = job(
    ["RUNAHEAD_SIZE", ""],
    Values::Text("a whole number from 1"),
    "from Slurm, Open MPI or a PMI",
    "for ranks that meet, the number of ranks",
);

/// Read by the processes that a launcher starts.
pub(super) const JOB: OptionInfo = job(
    ["RUNAHEAD_JOB", ""],
    Values::Text("only what a launcher sets, for the processes that it starts"),
    "not set",
    "makes a process a rank of the job that started it",
);

/// Read by MPI's interface (`crates/mpi`), as is the one that follows. It alone knows their meaning.
pub const MPI_BARRIER: OptionInfo = job(
    ["RUNAHEAD_MPI_BARRIER", ""],
    Values::Text("traditional, guarded or runahead"),
    "traditional",
    "for MPI programs, whether MPI_Barrier returns at once",
);

/// Read where that is initialised.
pub const MPI_THREADS: OptionInfo = job(
    ["RUNAHEAD_MPI_THREADS", ""],
    Values::Text("serialized or multiple"),
    "serialized",
    "for MPI programs, whether threads may call at once",
);

/// What ranks are to be, where the program does not say it.
///
/// # Errors
///
/// If the variable cannot be used.
pub(super) fn ranks(value: impl Fn(&str) -> Option<OsString>) -> Result<Ranks, InvalidOption> {
    let said = RANKS.said(value)?;
    said.map_or(Ok(Ranks::Auto), |text| RANKS.named(&text))
}

/// How long the other ranks of a program that has started them itself go on when one has failed;
/// None for as long as they like.
///
/// # Errors
///
/// If the variable cannot be used.
#[cfg(target_os = "linux")]
pub(super) fn grace(
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<Duration>, InvalidOption> {
    let Some(text) = GRACE.said(value)? else { return Ok(Some(OWN_GRACE)) };
    let seconds = GRACE.number(&text)?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds)))
}

/// What the user has chosen of RDMA.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rdma {
    /// The names of devices, with commas between them; empty if none was named.
    pub(super) devices: String,
    pub(super) gid_index: Option<u32>,
    pub(super) transport: Transport,
    pub(super) without_multicast: bool,
    /// From which length on payloads are read where they lie, in bytes; the most for none.
    pub(super) read_from_bytes: Option<usize>,
    pub(super) service_level: u8,
    pub(super) traffic_class: u8,
    /// The ranks that reach each other by it.
    pub(super) between: Between,
}

/// The ranks between which the network is RDMA.
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

/// The choices of RDMA, if that is to be the network.
///
/// # Errors
///
/// The first variable that cannot be used.
pub(super) fn fabric(
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<Rdma>, InvalidOption> {
    let said = |option: &OptionInfo| option.said(&value);
    let number = |option: &OptionInfo| {
        let number = said(option)?.map(|text| option.number(&text));
        number.transpose()
    };
    let between = match said(&FABRIC)?.as_deref() {
        None | Some("shm") => return Ok(None),
        Some("ib") => Between::Ranks,
        Some("mixed") => Between::Hosts {
            list: said(&HOSTS)?.unwrap_or_default(),
            id: said(&HOST_ID)?.unwrap_or_else(host::id),
        },
        Some(other) => return Err(FABRIC.invalid(other)),
    };
    let gid_index = number(&GID_INDEX)?.map(|index| index as u32);
    let transport = said(&TRANSPORT)?.map(|text| TRANSPORT.named(&text)).transpose()?;
    let transport: Transport = transport.unwrap_or_default();
    if matches!(between, Between::Hosts { .. }) && transport != Transport::Rc {
        let why = "expected rc, the only one between the hosts of a mixed network".to_owned();
        return Err(TRANSPORT.refused(transport.to_string(), why));
    }
    let without_multicast = match said(&MULTICAST)?.as_deref().map(str::trim) {
        None | Some("on") => false,
        Some("off") => true,
        Some(other) => return Err(MULTICAST.invalid(other)),
    };
    let read_from_bytes = match said(&READ_FROM)? {
        Some(text) if text.trim() == "off" => Some(usize::MAX),
        Some(text) => Some(READ_FROM.number(&text)?.try_into().unwrap_or(usize::MAX)),
        None => None,
    };
    Ok(Some(Rdma {
        devices: said(&DEVICE)?.unwrap_or_default(),
        gid_index,
        transport,
        without_multicast,
        read_from_bytes,
        service_level: number(&SERVICE_LEVEL)?.unwrap_or(0) as u8,
        traffic_class: number(&TRAFFIC_CLASS)?.unwrap_or(0) as u8,
        between,
    }))
}

/// Checks that a variable may have this value.
///
/// # Errors
///
/// If it may not.
pub fn check(variable: &str, text: &str) -> Result<(), InvalidOption> {
    let only = |name: &str| match name {
        name if name == variable => Some(text.into()),
        // Else its options are not read.
        "RUNAHEAD_FABRIC" => Some("ib".into()),
        _ => None,
    };
    Options::new().or_environment(only)?;
    fabric(only).map(drop)
}

/// The id of this process's host: the user's choice, or else the system's.
pub fn host_id() -> String {
    let said = std::env::var(HOST_ID.variable).ok().filter(|id| !id.is_empty());
    said.unwrap_or_else(host::id)
}

/// The file that the environment names for what was measured, for commands that read it.
pub fn tune_cache() -> TuneCache {
    tune_cache_of(|name| std::env::var_os(name))
}

/// The same in another environment.
pub(super) fn tune_cache_of(variable: impl Fn(&str) -> Option<OsString>) -> TuneCache {
    let is_asked = |name: &str| name == "RUNAHEAD_TUNE_CACHE";
    let options = Options::new()
        .or_environment(|name| variable(name).filter(|_| is_asked(name)))
        .unwrap_or_default();
    options.tune_cache.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn error(error: InvalidOption) -> (&'static str, String) {
        (error.option, error.value.unwrap_or_default())
    }

    #[test]
    fn each_option_has_its_own_names() {
        let names: [fn(OptionInfo) -> &'static str; 3] =
            [|of| of.name, |of| of.variable, |of| of.flag];
        for name in names {
            let names: Vec<_> = options().map(name).filter(|name| !name.is_empty()).collect();
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        }
        // What a flag chooses it tells the ranks by the variable.
        assert!(options().all(|of| of.flag.is_empty() || of.variable.starts_with("RUNAHEAD_")));
        assert!(options().all(|of| !of.name.is_empty() || !of.variable.is_empty()));
    }

    #[test]
    fn the_kind_of_ranks_is_read_from_the_environment() {
        let said = |value: &'static str| ranks(|_| Some(value.into()));
        assert_eq!(ranks(|_| None), Ok(Ranks::Auto));
        assert_eq!(said(""), Ok(Ranks::Auto));
        for (name, value) in Ranks::NAMED {
            assert_eq!(said(name), Ok(value));
        }
        let error = said("fibres").unwrap_err().to_string();
        assert_eq!(error, "RUNAHEAD_RANKS is \"fibres\": expected auto, threads or processes");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_grace_is_read_in_whole_seconds() {
        let said = |value: &'static str| grace(|_| Some(value.into()));
        assert_eq!((grace(|_| None), said("")), (Ok(Some(OWN_GRACE)), Ok(Some(OWN_GRACE))));
        assert_eq!((said(" 3 "), said("0")), (Ok(Some(Duration::from_secs(3))), Ok(None)));
        for wrong in ["-1", "1.5", "soon"] {
            let expected = ("RUNAHEAD_GRACE_S", wrong.to_owned());
            assert_eq!(error(said(wrong).unwrap_err()), expected);
        }
    }

    fn said(set: &[(&str, &str)]) -> Result<Option<Rdma>, InvalidOption> {
        fabric(|name| set.iter().find(|(set, _)| *set == name).map(|set| set.1.into()))
    }

    #[test]
    fn the_network_is_read_from_the_environment() {
        assert_eq!(said(&[]), Ok(None));
        assert_eq!(said(&[("RUNAHEAD_FABRIC", "shm"), ("RUNAHEAD_IB_GID_INDEX", "x")]), Ok(None));
        assert_eq!(said(&[("RUNAHEAD_FABRIC", "ib")]), Ok(Some(Rdma::default())));
        let all = [
            ("RUNAHEAD_FABRIC", "ib"),
            ("RUNAHEAD_IB_DEVICE", "rxe1,rxe2"),
            ("RUNAHEAD_IB_GID_INDEX", " 1 "),
            ("RUNAHEAD_IB_TRANSPORT", "ud"),
            ("RUNAHEAD_IB_MULTICAST", "off"),
            ("RUNAHEAD_IB_READ_FROM", "4096 "),
            ("RUNAHEAD_IB_SL", "15"),
            ("RUNAHEAD_IB_TRAFFIC_CLASS", " 255"),
        ];
        let rdma = Rdma {
            devices: "rxe1,rxe2".into(),
            gid_index: Some(1),
            transport: Transport::Ud,
            without_multicast: true,
            read_from_bytes: Some(4096),
            service_level: 15,
            traffic_class: 255,
            between: Between::Ranks,
        };
        assert_eq!(said(&all), Ok(Some(rdma)));
        let set = said(&[("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_MULTICAST", " on")]);
        assert_eq!(set, Ok(Some(Rdma::default())));
        let set = said(&[("RUNAHEAD_FABRIC", "ib"), ("RUNAHEAD_IB_READ_FROM", "off")]);
        assert_eq!(set.unwrap().unwrap().read_from_bytes, Some(usize::MAX));
    }

    #[test]
    fn the_hosts_are_read_from_the_environment() {
        let hosts = |set: &[(&str, &str)]| match said(set) {
            Ok(Some(Rdma { between: Between::Hosts { list, id }, .. })) => (list, id),
            other => panic!("{other:?}"),
        };
        let mixed = ("RUNAHEAD_FABRIC", "mixed");
        let both = [mixed, ("RUNAHEAD_HOSTS", "2x2"), ("RUNAHEAD_HOST_ID", "here")];
        assert_eq!(hosts(&both), ("2x2".into(), "here".into()));
        let (list, id) = hosts(&[mixed]);
        assert!(list.is_empty() && !id.is_empty(), "{list:?} {id:?}");
        let wrong = said(&[mixed, ("RUNAHEAD_IB_TRANSPORT", "ud")]).unwrap_err().to_string();
        let expected = "RUNAHEAD_IB_TRANSPORT is \"ud\": expected rc, the only one between the hosts \
                        of a mixed network";
        assert_eq!(wrong, expected);
    }

    #[test]
    fn an_invalid_network_option_is_named() {
        assert_eq!(
            said(&[("RUNAHEAD_FABRIC", "tcp")]).unwrap_err().to_string(),
            "RUNAHEAD_FABRIC is \"tcp\": expected shm, ib or mixed"
        );
        for (variable, wrong, expected) in [
            ("RUNAHEAD_IB_TRANSPORT", "RC", "expected rc, uc or ud"),
            ("RUNAHEAD_IB_MULTICAST", "no", "expected on or off"),
            ("RUNAHEAD_IB_READ_FROM", "64K", "expected a whole number of bytes, or off"),
            ("RUNAHEAD_IB_SL", "16", "expected 0 to 15"),
            ("RUNAHEAD_IB_TRAFFIC_CLASS", "256", "expected 0 to 255"),
            ("RUNAHEAD_IB_GID_INDEX", "-1", "expected 0 to 255"),
            ("RUNAHEAD_IB_GID_INDEX", "256", "expected 0 to 255"),
            ("RUNAHEAD_IB_GID_INDEX", "one", "expected 0 to 255"),
        ] {
            let wrong_option = said(&[("RUNAHEAD_FABRIC", "ib"), (variable, wrong)]).unwrap_err();
            assert_eq!(wrong_option.why, expected);
            assert_eq!(error(wrong_option), (variable, wrong.to_owned()));
        }
        let unknown = "x".parse::<Transport>().unwrap_err().to_string();
        assert!(unknown.ends_with(&TRANSPORT.values.to_string()), "{unknown}");
    }
}
