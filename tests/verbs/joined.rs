//! What only joined networks have, and how the suite gets them: shared memory within hosts, and between them the network
//! for threads, or RDMA, which needs a device.
//!
//! A wake-up that is lost is not shown by the suite here: who sleeps looks into the other network each millisecond. It is
//! shown that nothing is lost. The models in `src/provider/joined/models.rs` show the wake-ups.

use std::cell::RefCell;
use std::thread;
use std::time::Duration;

use runahead::internals::order::Rank;
use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::provider::joined::{Far, Frame, Hosts, Joined, Written};
use runahead::internals::provider::shm::{self, ShmNic};
use runahead::internals::provider::threads::{self, FabricSpec, ThreadsNic};
use runahead::internals::verbs::{
    Cq, Fetched, Nic, PeerState, PutMode, QuietPuts, RegionKey, VerbsError, Vi, ViSpec,
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
    type Nic = Joined<ShmNic, ThreadsNic>;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        let hosts = hosts(size, self.0);
        let near = shm::connect(size, &copies(queues, &hosts)).unwrap();
        let far = threads::connect_with_remote_read(size, &layout(queues), 1).unwrap();
        let both = near.into_iter().zip(far).map(|(near, far)| {
            far.expose(exposed(&near, &hosts));
            Joined::new("shm+threads", (near, far), &hosts, WORDS)
        });
        both.collect()
    }
}

/// The same, where the network between hosts takes its time, and loses words that are under way to a rank that leaves,
/// as RDMA does.
pub struct OnSlowHosts(pub usize);

impl Provider for OnSlowHosts {
    type Nic = Joined<ShmNic, Fault<ThreadsNic>>;
    const AT_ONCE: bool = false;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<Self::Nic> {
        let hosts = hosts(size, self.0);
        let near = shm::connect(size, &copies(queues, &hosts)).unwrap();
        let far = threads::connect(size, &layout(queues)).unwrap();
        let plan = FaultPlan { seed: 5, max_delay_ticks: 30, ..FaultPlan::default() };
        let both = near.into_iter().zip(far).map(|(near, far)| {
            far.expose(exposed(&near, &hosts));
            let far = Fault::new(far, plan.clone());
            Joined::new("shm+slow threads", (near, far), &hosts, WORDS)
        });
        both.collect()
    }
}

/// The same, where ranks of different hosts reach each other by RDMA.
#[cfg(feature = "ib")]
pub struct OnHostsByRdma(pub usize);

#[cfg(feature = "ib")]
impl Provider for OnHostsByRdma {
    type Nic = Joined<ShmNic, runahead::internals::provider::ib::IbNic>;
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
        both.map(|both| Joined::new("shm+ib", both, &hosts, WORDS)).collect()
    }
}

/// Each message goes by the network of its receiver's host.
#[test]
fn ranks_of_one_host_use_the_near_network() {
    let [mut here, mut far, mut near] = ranks(&TWO_HOSTS, 1);
    for (from, is_near) in [(&mut far, false), (&mut near, true)] {
        from.post_send(to(0), &[7], &[]).unwrap();
        let arrived = next(&mut here, DATA);
        assert_eq!(matches!(arrived.frame, Frame::Near(_)), is_near);
        assert_eq!(here.bytes(&arrived.frame), [7]);
        here.post_recv(to(arrived.peer), arrived.frame);
    }
}

/// Whoever floods one network does not keep the other waiting. (Planted: a poll that looks into the near network first,
/// always.)
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

/// A rank that last heard of a near one sleeps until a far one speaks up, and the other way round, many times.
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

/// A word has one writer, and is found by its name; what a rank puts for others to fetch is there for all.
/// (Planted: `read_of` that reads the near network's, always; `post_put` to oneself in one network only.)
#[test]
fn words_of_near_and_far_ranks_are_apart() {
    let mut nics: [_; 3] = ranks(&TWO_HOSTS, 1);
    assert!(nics.iter().all(|nic| nic.quiet_puts() == QuietPuts::AsMessages));
    let keys: Vec<RegionKey> = nics.iter_mut().map(|nic| nic.register(4).unwrap()).collect();
    let key = keys[0];
    assert_eq!(keys, [key; 3]);
    for (from, nic) in nics.iter_mut().enumerate() {
        assert_eq!(nic.post_put(0, key, from, 10 + from as u64, PutMode::Silent), Ok(true));
    }
    assert_eq!([0, 1, 2].map(|rank| nics[0].read_of(rank, key, rank).unwrap()), [10, 11, 12]);
    for from in [1, 2] {
        assert_eq!(nics[from].fetch(0, key, 0), Ok(Fetched::Word(10)));
    }
    let none = VerbsError::NoSuchWord { peer: 0, key, word: 4 };
    assert_eq!(nics[0].read_of(1, key, 4), Err(none));
}

/// What a rank stores is there for the ranks of all hosts, and what it stores nearby for those of its own.
/// (Planted: a host's copy that begins where the first one's does.)
#[test]
fn each_host_has_a_copy_of_the_shared_words() {
    let nics: [_; 3] = ranks(&TWO_HOSTS, 1);
    assert_eq!([0, 1, 2].map(|rank| nics[rank].shared_words()), [WORDS; 3]);
    for (rank, nic) in nics.iter().enumerate() {
        nic.store_shared(rank, 10 + rank as u64);
        nic.store_shared_nearby(4 + rank, 20 + rank as u64);
    }
    let seen = |rank: usize| [0, 1, 2, 4, 5, 6].map(|word| nics[rank].load_shared(word));
    assert_eq!(seen(0), [10, 11, 12, 20, 0, 22]);
    assert_eq!(seen(1), [10, 11, 12, 0, 21, 0]);
    assert_eq!(seen(2), seen(0));
}

/// What a rank stores for one host is in the copy of that host and in no other, whichever of its ranks is named; its own
/// included. (Planted: a host that is told by the number of its rank; a word that goes to all.)
#[test]
fn a_word_goes_to_the_copy_of_one_host() {
    let nics: [_; 4] = ranks(&OnHosts(3), 1);
    let copies = |nic: &Joined<ShmNic, ThreadsNic>| [0, 1, 2, 3, 4].map(|rank| nic.copy_of(rank));
    assert!(nics.iter().all(|nic| copies(nic) == [0, 1, 2, 0, 0]));
    assert_eq!(nics.each_ref().map(Nic::most_copies), [usize::MAX; 4]);
    for (to, word) in [(0, 0), (1, 1), (2, 2), (3, 3)] {
        assert!(nics[2].store_shared_at(to, word, 30 + word as u64));
    }
    let seen = |rank: usize| [0, 1, 2, 3].map(|word| nics[rank].load_shared(word));
    let first = [30, 0, 0, 33];
    assert_eq!([0, 1, 2, 3].map(seen), [first, [0, 31, 0, 0], [0, 0, 32, 0], first]);
}

/// The same where the one of that host leaves by whom it went. (Planted: words for one host that are not written again.)
#[test]
fn words_for_one_host_go_on_when_one_of_it_has_left() {
    let [here, far, _near, also_far] = ranks::<_, 4>(&TWO_HOSTS, 1);
    assert!(here.store_shared_at(1, 0, 7));
    drop(far);
    also_far.store_shared_nearby(0, 0);
    assert!(here.store_shared_at(1, 1, 8));
    assert_eq!([0, 1].map(|word| also_far.load_shared(word)), [7, 8]);
}

/// The rank by which words went to its host leaves: they go by another, and those that were stored before are
/// written again. (Planted: a change that repeats nothing; one that goes on with the rank that has left.)
#[test]
fn words_go_on_when_one_of_a_host_has_left() {
    let [here, far, _near, also_far] = ranks::<_, 4>(&TWO_HOSTS, 1);
    here.store_shared(0, 7);
    here.store_shared(2, 8);
    drop(far);
    // As if they had been lost on their way.
    for word in [0, 2] {
        also_far.store_shared_nearby(word, 0);
    }
    here.store_shared(1, 9);
    assert_eq!([0, 1, 2].map(|word| also_far.load_shared(word)), [7, 9, 8]);
    drop(also_far);
    // In vain.
    here.store_shared(1, 10);
    assert_eq!(here.load_shared(1), 10);
}

/// Who only waits finds that, too. (What may still come by the rank that has left is `provider/joined/spread/model`'s: this
/// network says that nothing may.)
#[test]
fn who_waits_writes_again_what_may_be_lost() {
    let [mut here, far, _near, also_far] = ranks::<_, 4>(&TWO_HOSTS, 1);
    here.store_shared(0, 7);
    also_far.store_shared_nearby(0, 0);
    drop(far);
    here.wait(None);
    assert_eq!(also_far.load_shared(0), 7);
}

/// So does who waits and never sleeps, which asks only who is still there. (Planted: a `peer_state` that leaves words
/// alone.)
#[test]
fn who_only_looks_around_writes_again_what_may_be_lost() {
    let [here, far, near, also_far] = ranks::<_, 4>(&TWO_HOSTS, 1);
    here.store_shared(0, 7);
    also_far.store_shared_nearby(0, 0);
    assert_eq!(here.peer_state(3), PeerState::Connected);
    assert_eq!(also_far.load_shared(0), 0);
    drop((far, near));
    assert_eq!(here.peer_state(1), PeerState::Gone);
    assert_eq!(also_far.load_shared(0), 7);
}

/// A rank stores a word and leaves, and the one by which the word goes leaves before it has come. (Planted: no wait for
/// words in `drop`; one that is content when nothing is under way any more; one that goes on without writing again.)
/// SEMANTICS: END-1
#[test]
fn a_rank_that_leaves_is_not_content_with_what_is_lost() {
    let [here, far, _near, also_far] = ranks::<_, 4>(&OnSlowHosts(2), 1);
    here.store_shared(0, 7);
    assert_eq!(also_far.load_shared(0), 0, "it is under way");
    drop(far);
    drop(here);
    assert_eq!(also_far.load_shared(0), 7);
}

/// Nor is it content if nobody leaves: its word comes before its farewell.
/// SEMANTICS: END-1
#[test]
fn words_of_who_leaves_come_before_it_has_left() {
    let [here, _far, near, also_far] = ranks::<_, 4>(&OnSlowHosts(2), 1);
    here.store_shared(0, 7);
    near.store_shared(1, 8);
    drop((here, near));
    assert_eq!([0, 1].map(|word| also_far.load_shared(word)), [7, 8]);
}

/// A network for threads that keeps back what is written by one rank of another host.
struct Late {
    inner: ThreadsNic,
    /// By whom it is written that is kept back.
    by: Rank,
    kept: RefCell<Vec<(usize, u64)>>,
}

impl Nic for Late {
    type Frame = <ThreadsNic as Nic>::Frame;
    type RemoteRead = runahead::internals::verbs::Absent;
    type Multicast = runahead::internals::verbs::Absent;
    forward!(all_but_sending, post_send, wake);
}

impl Far for Late {
    fn write_exposed(&self, peer: Rank, word: usize, value: u64) -> bool {
        if peer != self.by || self.peer_state(peer) == PeerState::Gone {
            return self.inner.write_exposed(peer, word, value);
        }
        self.kept.borrow_mut().push((word, value));
        true
    }

    fn written_by(&self, peer: Rank) -> Written {
        match (peer == self.by, self.kept.borrow().is_empty()) {
            (true, false) => Written::UnderWay,
            (true, true) => Written::Lost,
            (false, _) => Written::Arrived,
        }
    }
}

/// What is under way by a rank that has said farewell may come late: nothing is written by another before, so that it
/// comes over nothing that is newer. (Planted: words that are written again at once.)
/// SEMANTICS: BAR-1
#[test]
fn what_comes_late_comes_before_what_is_newer() {
    let hosts = hosts(4, 2);
    let near = shm::connect(4, &copies(&[reliable(1)], &hosts)).unwrap();
    let far = threads::connect(4, &layout(&[reliable(1)])).unwrap();
    let both = near.into_iter().zip(far).map(|(near, inner)| {
        inner.expose(exposed(&near, &hosts));
        let far = Late { inner, by: 1, kept: RefCell::default() };
        Joined::new("shm+late threads", (near, far), &hosts, WORDS)
    });
    let ranks: Result<[_; 4], _> = both.collect::<Vec<_>>().try_into();
    let Ok([mut here, far, _near, also_far]) = ranks else { panic!("there are four") };
    here.store_shared(0, 7);
    drop(far);
    here.wait(Some(Duration::ZERO));
    here.store_shared(0, 8);
    assert_eq!(also_far.load_shared(0), 0, "it is held back");
    let kept = here.far().kept.take();
    assert_eq!(kept, [(0, 7)]);
    also_far.store_shared_nearby(0, 7);
    here.wait(Some(Duration::ZERO));
    assert_eq!(also_far.load_shared(0), 8);
    // That was all.
    also_far.store_shared_nearby(0, 9);
    here.wait(Some(Duration::ZERO));
    assert_eq!(also_far.load_shared(0), 9);
}

/// A limit is that of the narrower network, and queues that neither has are refused.
#[test]
fn limits_are_those_of_both() {
    let [mut here] = ranks(&ONE_HOST, 1);
    let limits = *here.attributes();
    let (near, far) = (*here.near().attributes(), *here.far().attributes());
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
