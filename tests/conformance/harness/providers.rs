//! What the suite runs on.

use runahead::internals::message::SIGNAL;
#[cfg(target_os = "linux")]
use runahead::internals::provider::FabricSpec;
use runahead::internals::provider::fault::{Fault, FaultPlan};
#[cfg(all(target_os = "linux", not(guest)))]
use runahead::internals::provider::host::Far;
#[cfg(target_os = "linux")]
use runahead::internals::provider::host::{Host as HostNetwork, Hosts};
#[cfg(any(not(guest), all(target_os = "linux", feature = "ib")))]
use runahead::internals::provider::reliable::Reliable;
#[cfg(not(guest))]
use runahead::internals::provider::reliable::{Timeouts, beneath};
#[cfg(target_os = "linux")]
use runahead::internals::provider::shm::{self, ShmNic};
use runahead::internals::provider::threads::{self, ThreadsNic};
use runahead::internals::verbs::{Cq, Nic, NicAttributes};
use runahead::{Algorithm, Config, HostNic, Launch};

#[cfg(not(guest))]
use crate::driven::{Driven, drive};

/// A network of `size` ranks for worlds of a given configuration.
pub trait Provider {
    /// What is tested.
    type Nic: Nic<RemoteWords: Sized, SharedWords: Sized, Multicast: Sized>;

    /// Whether arrival respects causality across VIs.
    const CAUSAL: bool;

    /// Whether the ranks share words, so that barriers can go by the board.
    const SHARES_WORDS: bool = false;

    /// Whether the ranks can write words into each other's memory, so that signals can be such.
    const WRITES_WORDS: bool = false;

    /// Whether a rank can send words to all others at once.
    const MULTICASTS: bool = false;

    /// Whether receivers read payloads of `len` bytes by themselves where `from` exposes them to `to`.
    fn reads(size: usize, from: usize, to: usize, len: usize) -> bool {
        let _ = (size, from, to, len);
        false
    }

    /// Whether `rank` of `size` sees at once what another has published.
    fn sees(size: usize, rank: usize, other: usize) -> bool {
        let _ = (size, rank, other);
        Self::SHARES_WORDS
    }

    /// What a group uses that asks for the default algorithm.
    fn default_algorithm() -> Algorithm {
        let default = Algorithm::default();
        if Self::SHARES_WORDS { default } else { default.by_signals() }
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic>;
}

/// Threads of one process, on the network for threads.
pub struct Threads;

impl Provider for Threads {
    type Nic = ThreadsNic;
    const CAUSAL: bool = true;
    const SHARES_WORDS: bool = true;
    const WRITES_WORDS: bool = true;

    fn connect(size: usize, config: &Config) -> Vec<ThreadsNic> {
        let fabric = Launch::new(size).options(config.clone()).fabric();
        threads::connect(size, &fabric.expect("the configuration is right"))
            .expect("the fabric can be made")
    }
}

/// Threads of one process, on the network for threads, where receivers read large payloads by themselves: all that are
/// above the eager limit.
#[cfg(not(guest))]
pub struct Exposed;

#[cfg(not(guest))]
impl Provider for Exposed {
    type Nic = ThreadsNic;
    const CAUSAL: bool = true;
    const SHARES_WORDS: bool = true;
    const WRITES_WORDS: bool = true;

    fn reads(_: usize, _: usize, _: usize, _: usize) -> bool {
        true
    }

    fn connect(size: usize, config: &Config) -> Vec<ThreadsNic> {
        let fabric = Launch::new(size).options(config.clone()).fabric();
        threads::connect_with_remote_read(size, &fabric.expect("the configuration is right"), 1)
            .expect("the fabric can be made")
    }
}

/// The same, where it takes time, and everything else as well.
#[cfg(not(guest))]
pub struct ExposedLate;

#[cfg(not(guest))]
impl Provider for ExposedLate {
    type Nic = Fault<ThreadsNic>;
    const CAUSAL: bool = false;

    fn reads(_: usize, _: usize, _: usize, _: usize) -> bool {
        true
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        let plan = FaultPlan { seed: 37, max_delay_ticks: 60, ..FaultPlan::default() };
        Exposed::connect(size, config)
            .into_iter()
            .map(|nic| Fault::new(nic, plan.clone()))
            .collect()
    }
}

/// Threads of one process, on the network that ranks on this host have: on Linux, shared memory.
pub struct Host;

impl Provider for Host {
    type Nic = HostNic;
    const CAUSAL: bool = true;
    const SHARES_WORDS: bool = true;
    const WRITES_WORDS: bool = cfg!(target_os = "linux");

    fn connect(size: usize, config: &Config) -> Vec<HostNic> {
        Launch::new(size).options(config.clone()).connect().expect("the fabric can be made")
    }
}

#[cfg(all(target_os = "linux", feature = "ib"))]
fn ib_settings() -> runahead::internals::provider::ib::Settings {
    const DEVICE: &str = "RUNAHEAD_TEST_IB_DEVICE";
    let device = std::env::var(DEVICE).unwrap_or_else(|_| panic!("{DEVICE} names no device"));
    runahead::internals::provider::ib::Settings::default().with_devices(&device)
}

/// Threads of one process that reach each other by RDMA. Receivers read by themselves all that is above the eager limit.
#[cfg(all(target_os = "linux", feature = "ib"))]
pub struct Ib;

#[cfg(all(target_os = "linux", feature = "ib"))]
impl Provider for Ib {
    type Nic = runahead::internals::provider::ib::IbNic;
    const CAUSAL: bool = false;
    const WRITES_WORDS: bool = true;
    const MULTICASTS: bool = true;

    fn reads(_: usize, _: usize, _: usize, _: usize) -> bool {
        true
    }

    /// Signals are words, by which everyone tells everyone.
    fn default_algorithm() -> Algorithm {
        Algorithm::AllToAll
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        let settings = ib_settings().with_read_from_bytes(1);
        let fabric = Launch::new(size).options(config.clone()).fabric();
        let fabric = fabric.expect("the configuration is right");
        match runahead::internals::provider::ib::connect(&settings, size, &fabric) {
            Ok(nics) => nics,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The same by an unreliable transport, with the layer that repairs what is lost. It does so in calls, so this is for
/// tests that [`in_calls`] names.
#[cfg(all(target_os = "linux", feature = "ib"))]
fn unreliable_ib(
    transport: runahead::internals::provider::Transport,
    size: usize,
    config: &Config,
) -> Vec<Reliable<runahead::internals::provider::ib::IbNic>> {
    let settings = ib_settings().with_transport(transport);
    let fabric = Launch::new(size).options(config.clone()).fabric();
    let fabric = fabric.expect("the configuration is right");
    match runahead::internals::provider::ib::connect_repaired(&settings, size, &fabric) {
        Ok(nics) => nics,
        Err(error) => panic!("{error}"),
    }
}

/// By unreliable connections.
#[cfg(all(target_os = "linux", feature = "ib"))]
pub struct IbUc;

#[cfg(all(target_os = "linux", feature = "ib"))]
impl Provider for IbUc {
    type Nic = Reliable<runahead::internals::provider::ib::IbNic>;
    const CAUSAL: bool = false;

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        unreliable_ib(runahead::internals::provider::Transport::Uc, size, config)
    }
}

/// By datagrams.
#[cfg(all(target_os = "linux", feature = "ib"))]
pub struct IbUd;

#[cfg(all(target_os = "linux", feature = "ib"))]
impl Provider for IbUd {
    type Nic = Reliable<runahead::internals::provider::ib::IbNic>;
    const CAUSAL: bool = false;

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        unreliable_ib(runahead::internals::provider::Transport::Ud, size, config)
    }
}

/// Two hosts: the first half of the ranks, and the others.
#[cfg(target_os = "linux")]
fn two_hosts(size: usize) -> Hosts {
    Hosts::of_ids(&(0..size).map(|rank| 2 * rank < size).collect::<Vec<_>>())
}

/// The near network, with the shared words of each host, and how many each has.
#[cfg(target_os = "linux")]
fn copies(fabric: &FabricSpec, hosts: &Hosts) -> (FabricSpec, usize) {
    let words = Config::shared_words_on(hosts.ranks(), hosts.count());
    (FabricSpec { shared_words: words * hosts.count(), ..fabric.clone() }, words)
}

#[cfg(target_os = "linux")]
fn exposed(near: &ShmNic, hosts: &Hosts, words: usize) -> shm::Exposed {
    near.exposed(hosts.of(near.rank()).expect("each rank has one") as usize * words, words)
}

/// Threads of one process, taken to be on two hosts: by shared memory within each, and by the network for threads
/// between them.
#[cfg(all(target_os = "linux", not(guest)))]
pub struct Mixed;

#[cfg(all(target_os = "linux", not(guest)))]
impl Provider for Mixed {
    type Nic = HostNetwork<ShmNic, ThreadsNic>;
    const CAUSAL: bool = false;
    const SHARES_WORDS: bool = true;
    const WRITES_WORDS: bool = true;

    fn sees(size: usize, rank: usize, other: usize) -> bool {
        two_hosts(size).are_near(rank, other)
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        join_threads(size, config, "shm+threads", |far| far)
    }
}

/// The same, where the network between hosts takes its time, and loses words that are under way to a rank that leaves.
#[cfg(all(target_os = "linux", not(guest)))]
pub struct MixedSlow;

#[cfg(all(target_os = "linux", not(guest)))]
impl Provider for MixedSlow {
    type Nic = HostNetwork<ShmNic, Fault<ThreadsNic>>;
    const CAUSAL: bool = false;
    const SHARES_WORDS: bool = true;

    fn sees(size: usize, rank: usize, other: usize) -> bool {
        two_hosts(size).are_near(rank, other)
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        let plan = FaultPlan { seed: 37, max_delay_ticks: 60, ..FaultPlan::default() };
        join_threads(size, config, "shm+slow threads", |far| Fault::new(far, plan.clone()))
    }
}

/// As many hosts as there can be with 1 to 3 ranks on each: of 13 ranks, seven.
#[cfg(all(target_os = "linux", not(guest)))]
fn many_hosts(size: usize) -> Hosts {
    const HOST_OF: [u8; 13] = [0, 1, 2, 3, 1, 4, 2, 0, 3, 1, 5, 6, 0];
    Hosts::of_ids(&(0..size).map(|rank| HOST_OF[rank % HOST_OF.len()]).collect::<Vec<_>>())
}

/// Threads of one process, taken to be on many hosts.
#[cfg(all(target_os = "linux", not(guest)))]
pub struct Many;

#[cfg(all(target_os = "linux", not(guest)))]
impl Provider for Many {
    type Nic = HostNetwork<ShmNic, ThreadsNic>;
    const CAUSAL: bool = false;
    const SHARES_WORDS: bool = true;
    const WRITES_WORDS: bool = true;

    fn sees(size: usize, rank: usize, other: usize) -> bool {
        many_hosts(size).are_near(rank, other)
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        join_on(many_hosts(size), config, "shm+threads", |far| far)
    }
}

/// Each rank on a host of its own: of enough ranks, hosts that do not all tell each other.
#[cfg(all(target_os = "linux", not(guest)))]
pub struct Apart;

#[cfg(all(target_os = "linux", not(guest)))]
impl Provider for Apart {
    type Nic = HostNetwork<ShmNic, ThreadsNic>;
    const CAUSAL: bool = false;
    const SHARES_WORDS: bool = true;
    const WRITES_WORDS: bool = true;

    fn sees(_: usize, rank: usize, other: usize) -> bool {
        rank == other
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        let hosts = Hosts::of_ids(&(0..size).collect::<Vec<_>>());
        join_on(hosts, config, "shm+threads", |far| far)
    }
}

/// The same as [`Many`], where the network between hosts takes its time, and loses words that are under way to a rank that
/// leaves.
#[cfg(all(target_os = "linux", not(guest)))]
pub struct ManySlow;

#[cfg(all(target_os = "linux", not(guest)))]
impl Provider for ManySlow {
    type Nic = HostNetwork<ShmNic, Fault<ThreadsNic>>;
    const CAUSAL: bool = false;
    const SHARES_WORDS: bool = true;

    fn sees(size: usize, rank: usize, other: usize) -> bool {
        many_hosts(size).are_near(rank, other)
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        let plan = FaultPlan { seed: 41, max_delay_ticks: 60, ..FaultPlan::default() };
        let between = |far| Fault::new(far, plan.clone());
        join_on(many_hosts(size), config, "shm+slow threads", between)
    }
}

/// Shared memory within each of two hosts, and between them what `between` makes of the network for threads.
#[cfg(all(target_os = "linux", not(guest)))]
fn join_threads<B: Far>(
    size: usize,
    config: &Config,
    name: &'static str,
    between: impl Fn(ThreadsNic) -> B,
) -> Vec<HostNetwork<ShmNic, B>> {
    join_on(two_hosts(size), config, name, between)
}

/// The same of any hosts.
#[cfg(all(target_os = "linux", not(guest)))]
fn join_on<B: Far>(
    hosts: Hosts,
    config: &Config,
    name: &'static str,
    between: impl Fn(ThreadsNic) -> B,
) -> Vec<HostNetwork<ShmNic, B>> {
    let size = hosts.ranks();
    let fabric = Launch::new(size).options(config.clone()).fabric();
    let fabric = fabric.expect("the configuration is right");
    let (copies, words) = copies(&fabric, &hosts);
    let near = shm::connect(size, &copies).expect("the fabric can be made");
    let far = threads::connect(size, &fabric).expect("the fabric can be made");
    let both = near.into_iter().zip(far).map(|(near, far)| {
        far.expose(exposed(&near, &hosts, words));
        HostNetwork::both(name, near, between(far), &hosts, words)
    });
    both.collect()
}

/// Threads of one process, taken to be on two hosts: by shared memory within each, and by RDMA between them.
#[cfg(all(target_os = "linux", feature = "ib"))]
pub struct MixedIb;

#[cfg(all(target_os = "linux", feature = "ib"))]
impl Provider for MixedIb {
    type Nic = HostNetwork<ShmNic, runahead::internals::provider::ib::IbNic>;
    const CAUSAL: bool = false;
    const SHARES_WORDS: bool = true;
    const WRITES_WORDS: bool = true;

    /// Between hosts, if it is long enough.
    fn reads(size: usize, from: usize, to: usize, len: usize) -> bool {
        !two_hosts(size).are_near(from, to) && len >= 64 << 10
    }

    fn sees(size: usize, rank: usize, other: usize) -> bool {
        two_hosts(size).are_near(rank, other)
    }

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        const DEVICE: &str = "RUNAHEAD_TEST_IB_DEVICE";
        let device = std::env::var(DEVICE).unwrap_or_else(|_| panic!("{DEVICE} names no device"));
        let settings = runahead::internals::provider::ib::Settings::default().with_devices(&device);
        let fabric = Launch::new(size).options(config.clone()).fabric();
        let fabric = fabric.expect("the configuration is right");
        let hosts = two_hosts(size);
        let (copies, words) = copies(&fabric, &hosts);
        let is_far = |one, other| !hosts.are_near(one, other);
        let near = shm::connect(size, &copies).expect("the fabric can be made");
        let exposed = |rank: usize| Some(exposed(&near[rank], &hosts, words));
        let connect = runahead::internals::provider::ib::connect_reaching;
        match connect(&settings, size, &fabric, &is_far, &exposed) {
            Ok(far) => {
                let both = near.into_iter().zip(far);
                both.map(|(near, far)| HostNetwork::both("shm+ib", near, far, &hosts, words))
                    .collect()
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// The same, where everything is delayed, so that queues overtake one another.
pub struct Delayed;

impl Provider for Delayed {
    type Nic = Fault<HostNic>;
    const CAUSAL: bool = false;

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        faulty(size, config, Vec::new())
    }
}

/// As [`Delayed`], and barrier signals are lost, repeated and reordered too.
pub struct Lossy;

impl Provider for Lossy {
    type Nic = Fault<HostNic>;
    const CAUSAL: bool = false;

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        faulty(size, config, vec![SIGNAL])
    }
}

/// Threads of one process, on a network that loses, repeats, delays and reorders whatever goes over it, and the layer
/// that repairs that. Ranks are driven, as many tests keep one from calling the runtime until others have come on
/// without it, and what was lost is repaired in calls.
#[cfg(not(guest))]
pub struct Repaired;

#[cfg(not(guest))]
impl Provider for Repaired {
    type Nic = Driven<Reliable<Fault<ThreadsNic>>>;
    const CAUSAL: bool = false;

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        drive(RepairedInCalls::connect(size, config), Reliable::progress, None)
    }
}

/// The same, and nobody drives.
#[cfg(not(guest))]
pub struct RepairedInCalls;

#[cfg(not(guest))]
impl Provider for RepairedInCalls {
    type Nic = Reliable<Fault<ThreadsNic>>;
    const CAUSAL: bool = false;

    fn connect(size: usize, config: &Config) -> Vec<Self::Nic> {
        let fabric = Launch::new(size).options(config.clone()).fabric();
        let fabric = fabric.expect("the configuration is right");
        let beneath = beneath(&fabric);
        let plan = FaultPlan {
            seed: 31,
            lossy: (0..beneath.queues.len() as u8).map(Cq).collect(),
            drop_per_mille: 20,
            duplicate_per_mille: 20,
            max_delay_ticks: 20,
            ..FaultPlan::default()
        };
        // About to wrap around.
        let (first, timeouts) = (u64::from(u32::MAX) - 20, Timeouts::default());
        let nics = threads::connect(size, &beneath).expect("the fabric can be made").into_iter();
        let repaired = |nic| {
            let faulty = Fault::new(nic, plan.clone());
            let nic = Reliable::numbered_from(faulty, &fabric, timeouts, first);
            nic.expect("it is laid out for that")
        };
        nics.map(repaired).collect()
    }
}

fn faulty(size: usize, config: &Config, lossy: Vec<Cq>) -> Vec<Fault<HostNic>> {
    let plan = FaultPlan {
        seed: 29,
        lossy,
        drop_per_mille: 60,
        duplicate_per_mille: 150,
        max_delay_ticks: 60,
        ..FaultPlan::default()
    };
    Host::connect(size, config).into_iter().map(|nic| Fault::new(nic, plan.clone())).collect()
}

/// Each provider is the one that it is called after.
#[test]
fn providers_are_what_they_are_called() {
    let name = |attributes: &NicAttributes| attributes.provider;
    let config = Config::new(1);
    assert_eq!(name(Threads::connect(1, &config)[0].attributes()), "threads");
    let host = if cfg!(target_os = "linux") { "shm" } else { "threads" };
    assert_eq!(name(Host::connect(1, &config)[0].attributes()), host);
}
