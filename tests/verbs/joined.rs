//! What only joined networks have, and how the suite gets them: shared memory within hosts, and
//! between them the network for threads, or RDMA, which needs a device.
//!
//! A wake-up that is lost is not shown by the suite here: who sleeps looks into the other network
//! each millisecond. It is shown that nothing is lost. The models in `src/provider/host/models.rs`
//! show the wake-ups.

use std::thread;

use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::provider::host::{Either, Host, Hosts};
use runahead::internals::provider::shm::{self, ShmNic};
use runahead::internals::provider::threads::{self, FabricSpec, ThreadsNic};
use runahead::internals::verbs::{
    Cq, Fetched, Nic, PutMode, RegionKey, RemoteWords, SharedWords, VerbsError, Vi, ViSpec, Written,
};

use crate::fabric::*;

/// Ranks of this process, on one host in turn, as many as there are.
pub struct OnHosts(pub usize);

/// All ranks are near.
pub const ONE_HOST: OnHosts = OnHosts(1);
/// Of two ranks each is far from the other, of three the first and the last are near.
pub const TWO_HOSTS: OnHosts = OnHosts(2);

fn hosts(size: usize, count: usize) -> Hosts {
    Hosts::of_ids(&(0..size).map(|rank| rank % count).collect::<Vec<_>>())
}

/// The shared words of each host.
const WORDS: usize = 8;

fn copies(queues: &[ViSpec], hosts: &Hosts) -> FabricSpec {
    FabricSpec { shared_words: WORDS * hosts.count(), ..layout(queues) }
}

fn exposed(near: &ShmNic, hosts: &Hosts) -> shm::Exposed {
    near.exposed(hosts.of(near.rank()).unwrap() as usize * WORDS, WORDS)
}

impl Provider for OnHosts {
    type Nic = Host<ShmNic, ThreadsNic>;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        let hosts = hosts(size, self.0);
        let near = shm::connect(size, &copies(queues, &hosts)).unwrap();
        let far = threads::connect_with_remote_read(size, &layout(queues), 1).unwrap();
        let both = near.into_iter().zip(far).map(|(near, far)| {
            far.expose(exposed(&near, &hosts));
            Host::both("shm+threads", near, far, &hosts, WORDS)
        });
        both.collect()
    }
}

/// The same, where the network between hosts takes its time, and loses words that are under way to
/// a rank that leaves, as RDMA does.
pub struct OnSlowHosts(pub usize);

impl Provider for OnSlowHosts {
    type Nic = Host<ShmNic, Fault<ThreadsNic>>;
    const AT_ONCE: bool = false;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        let hosts = hosts(size, self.0);
        let near = shm::connect(size, &copies(queues, &hosts)).unwrap();
        let far = threads::connect(size, &layout(queues)).unwrap();
        let plan = FaultPlan { seed: 5, max_delay_ticks: 30, ..FaultPlan::default() };
        let both = near.into_iter().zip(far).map(|(near, far)| {
            far.expose(exposed(&near, &hosts));
            let far = Fault::new(far, plan.clone());
            Host::both("shm+slow threads", near, far, &hosts, WORDS)
        });
        both.collect()
    }
}

/// The same, where ranks of different hosts reach each other by RDMA.
#[cfg(feature = "ib")]
pub struct OnHostsByRdma(pub usize);

#[cfg(feature = "ib")]
impl Provider for OnHostsByRdma {
    type Nic = Host<ShmNic, runahead::internals::provider::ib::IbNic>;
    const AT_ONCE: bool = false;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        let hosts = hosts(size, self.0);
        let near = shm::connect(size, &copies(queues, &hosts)).unwrap();
        let is_far = |one, other| !hosts.are_near(one, other);
        let exposed = |rank: usize| Some(exposed(&near[rank], &hosts));
        let (settings, spec) = (crate::ib::settings(), layout(queues));
        let far = runahead::internals::provider::ib::connect_reaching(
            &settings, size, &spec, &is_far, &exposed,
        );
        let both = near.into_iter().zip(far.unwrap_or_else(|error| panic!("{error}")));
        both.map(|(near, far)| Host::both("shm+ib", near, far, &hosts, WORDS)).collect()
    }
}

/// Each message goes by the network of its receiver's host.
#[test]
fn ranks_of_one_host_use_the_near_network() {
    let [mut here, mut far, mut near] = ranks(&TWO_HOSTS, 1);
    for (from, is_near) in [(&mut far, false), (&mut near, true)] {
        from.post_send(to(0), &[7], &[]).unwrap();
        let arrived = next(&mut here, DATA);
        assert_eq!(matches!(arrived.frame, Either::Near(_)), is_near);
        assert_eq!(here.bytes(&arrived.frame), [7]);
        here.post_recv(to(arrived.peer), arrived.frame);
    }
}

/// Whoever floods one network does not keep the other waiting. (Planted: a poll that looks into the
/// near network first, always.)
#[test]
fn neither_network_starves() {
    const WINDOW: u32 = 8;
    let [mut here, mut far, mut near] = ranks(&TWO_HOSTS, WINDOW);
    for _ in 0..WINDOW {
        far.post_send(to(0), &[1], &[]).unwrap();
        near.post_send(to(0), &[2], &[]).unwrap();
    }
    let mut came = Vec::new();
    for _ in 0..WINDOW {
        let (peer, _) = receive(&mut here);
        came.push(peer);
        // There is always something of both.
        let again = if peer == 1 { &mut far } else { &mut near };
        again.post_send(to(0), &[3], &[]).unwrap();
    }
    let of_far = came.iter().filter(|&&peer| peer == 1).count();
    assert_eq!(of_far, came.len() / 2, "{came:?}");
}

/// A rank that last heard of a near one sleeps until a far one speaks up, and the other way round,
/// many times.
#[test]
fn news_of_either_network_end_a_sleep() {
    const ROUNDS: u64 = 100;
    let [mut here, far, near] = ranks(&TWO_HOSTS, 1);
    thread::scope(|scope| {
        for mut nic in [far, near] {
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    while nic
                        .poll_recv(DATA)
                        .unwrap()
                        .map(|it| nic.post_recv(to(0), it.frame))
                        .is_none()
                    {
                        nic.wait(None);
                    }
                    nic.post_send(to(0), &round.to_le_bytes(), &[]).unwrap();
                }
            });
        }
        for round in 0..ROUNDS {
            for peer in [1, 2] {
                here.post_send(to(peer), &[], &[]).unwrap();
                let arrived = loop {
                    match here.poll_recv(DATA).unwrap() {
                        Some(arrived) => break arrived,
                        None => here.wait(None),
                    }
                };
                assert_eq!(arrived.peer, peer);
                assert_eq!(here.bytes(&arrived.frame), round.to_le_bytes());
                here.post_recv(to(peer), arrived.frame);
            }
        }
    });
}

/// A word has one writer, and is found by its name; what a rank puts for others to fetch is there
/// for all. (Planted: `read` that reads the near network's, always; `post_put` to oneself in one
/// network only.)
#[test]
fn words_of_near_and_far_ranks_are_apart() {
    let mut nics: [_; 3] = ranks(&TWO_HOSTS, 1);
    assert!(nics.iter().all(|nic| nic.remote_words().is_some_and(|words| !words.is_one_sided())));
    let keys: Vec<RegionKey> = nics.iter_mut().map(|nic| nic.register(4).unwrap()).collect();
    let key = keys[0];
    assert_eq!(keys, [key; 3]);
    for (from, nic) in nics.iter_mut().enumerate() {
        assert_eq!(nic.post_put(0, key, from, 10 + from as u64, PutMode::Silent), Ok(true));
    }
    assert_eq!([0, 1, 2].map(|rank| nics[0].read(rank, key, rank).unwrap()), [10, 11, 12]);
    for from in [1, 2] {
        assert_eq!(nics[from].fetch(0, key, 0), Ok(Fetched::Word(10)));
    }
    let none = VerbsError::NoSuchWord { peer: 0, key, word: 4 };
    assert_eq!(nics[0].read(1, key, 4), Err(none));
}

/// What a rank stores is there for the ranks of its host, and for no others.
/// (Planted: a host's words that begin where the first one's do.)
#[test]
fn each_host_has_shared_words_of_its_own() {
    let nics: [_; 3] = ranks(&TWO_HOSTS, 1);
    assert_eq!([0, 1, 2].map(|rank| nics[rank].count()), [WORDS; 3]);
    for (rank, nic) in nics.iter().enumerate() {
        nic.store(rank, 10 + rank as u64);
        nic.publish(4 + rank, 20 + rank as u64);
    }
    let seen = |rank: usize| [0, 1, 2, 4, 5, 6].map(|word| nics[rank].load(word));
    assert_eq!(seen(0), [10, 0, 12, 20, 0, 22]);
    assert_eq!(seen(1), [0, 11, 0, 0, 21, 0]);
    assert_eq!(seen(2), seen(0));
}

/// What a rank writes by way of another is among the words of that one's host and of no other,
/// whichever of its ranks is named; it is no way to ranks of the own host. (Planted: a host that is
/// told by the number of its rank.)
#[test]
fn a_word_goes_to_the_host_of_a_peer() {
    let nics: [_; 4] = ranks(&OnHosts(3), 1);
    let hosts = |nic: &Host<ShmNic, ThreadsNic>| [0, 1, 2, 3, 4].map(|rank| nic.host_of(rank));
    assert!(nics.iter().all(|nic| hosts(nic) == [0, 1, 2, 0, 0]));
    for (to, word) in [(0, 0), (1, 1), (3, 3)] {
        assert!(nics[2].write_at(to, word, 30 + word as u64));
        assert_eq!(nics[2].written_at(to), Written::Arrived);
    }
    assert!(!nics[2].write_at(2, 2, 1) && !nics[2].write_at(1, WORDS, 1));
    let seen = |rank: usize| [0, 1, 2, 3].map(|word| nics[rank].load(word));
    let first = [30, 0, 0, 33];
    assert_eq!([0, 1, 2, 3].map(seen), [first, [0, 31, 0, 0], [0; 4], first]);
}

/// When a rank has left there is no way by it any more, but by another of its host.
#[test]
fn words_go_by_another_when_one_of_a_host_has_left() {
    let [here, far, _near, also_far] = ranks::<_, 4>(&TWO_HOSTS, 1);
    assert!(here.write_at(1, 0, 7));
    drop(far);
    assert!(!here.write_at(1, 1, 8) && here.write_at(3, 1, 9));
    assert_eq!([0, 1].map(|word| also_far.load(word)), [7, 9]);
    drop(also_far);
    assert!(!here.write_at(3, 1, 10));
}

/// What takes its time is said to be under way until it is there, or lost if its way is closed
/// before. (Planted: words that have arrived when they are written; none that are lost.)
/// SEMANTICS: END-1
#[test]
fn it_is_known_what_has_become_of_words() {
    let [here, far, _near, also_far] = ranks::<_, 4>(&OnSlowHosts(2), 1);
    assert!(here.write_at(1, 0, 7) && here.write_at(3, 1, 8));
    assert_eq!([0, 1].map(|word| also_far.load(word)), [0; 2], "they are under way");
    drop(far);
    let becomes = |peer| loop {
        match here.written_at(peer) {
            Written::UnderWay => assert_eq!(also_far.load(peer / 2), 0),
            said => return said,
        }
    };
    assert_eq!([1, 3].map(becomes), [Written::Lost, Written::Arrived]);
    assert_eq!([0, 1].map(|word| also_far.load(word)), [0, 8]);
}

/// A limit is that of the narrower network, and queues that neither has are refused.
#[test]
fn limits_are_those_of_both() {
    let queues = [reliable(1); 2];
    let near = shm::connect(1, &copies(&queues, &hosts(1, 1))).unwrap().remove(0);
    let far = threads::connect(1, &layout(&queues)).unwrap().remove(0);
    let mut here = Host::both("both", near, far, &hosts(1, 1), WORDS);
    let limits = *here.attributes();
    let [near] = ranks(&Shm, 1).map(|nic| *nic.attributes());
    let [far] = ranks(&Threads, 1).map(|nic| *nic.attributes());
    assert_eq!(limits.max_ranks, near.max_ranks.min(far.max_ranks));
    assert_eq!(
        limits.max_registered_bytes,
        near.max_registered_bytes.min(far.max_registered_bytes)
    );
    assert!(near.causal && far.causal && !limits.causal);
    let cq = Cq(limits.completion_queues);
    let missing = VerbsError::NoSuchQueue { cq, limit: limits.completion_queues };
    assert_eq!(here.poll_recv(cq).err(), Some(missing));
    let nobody = Vi { peer: 1, cq: DATA };
    let error = here.open_vi(nobody, &reliable(1)).unwrap_err();
    assert_eq!(error, VerbsError::NoSuchPeer { peer: 1, size: 1 });
}
