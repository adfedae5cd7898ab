//! Loom models of sleep and wake-up where there are two networks. [`Host`] is the code itself, and
//! so is the shared memory within hosts; the network between them is a [model of one](device),
//! which rests as `provider/ib` does.
//!
//! A rank sleeps in one network. A message of the other, or a word that is merely written into
//! memory, it finds by a look after a [`BEAT`](super::BEAT) at the latest. With time, therefore,
//! nothing is ever lost, and nothing would be seen of a wake-up that is: so beats are counted
//! ([`beats`]). None passes while anybody can do anything, so there is none in a run at all if all
//! that comes wakes who sleeps, and one if something has to be looked for. What is said of each
//! case is how many there are at most; one more is a fault, and so is a rank that nothing wakes.
//!
//! Rank 0 is the one that sleeps; rank 2 is on its host, and rank 1 on another. Ranks are made
//! before the threads start, and those that do not end in the model end when all threads have: so
//! nobody's end wakes who should have been woken before.
//!
//! One bringer: schedules of up to 3 preemptions (switches away from a thread that could go on);
//! two: of up to 2. A wake-up is lost by one thread that is stopped between two of its own steps
//! while the other does all of its. What a load may return is never bounded.
//!
//! Not modelled: a word that is still on its way when its writer sleeps
//! (`message/barriers/board/paths/model.rs` has words on their way, and no sleep), more than one queue, and
//! what a device loses.
//!
//! Keeps rules BAR-4 and FLOW-3 of SEMANTICS.md. Which changes the models notice is listed in
//! `.ci/weakenings`.

mod device;

pub(crate) use device::Device;

use super::{Host, Hosts};
use crate::order::Rank;
use crate::provider::shm::{Segment, ShmNic};
use crate::provider::{FabricSpec, QueueSpec};
use crate::sys::beats::{self, counted};
use crate::sys::explore::{explore_beats, spawn};
use crate::verbs::{
    Cq, Nic, PeerState, PutMode, RegionKey, Reliability, RemoteWords, SharedWords, Vi, ViSpec,
    WakeOn,
};

pub(crate) type Both = Host<ShmNic, Device>;

/// The interfaces of ranks on these hosts. Each host has shared memory of its own, and a copy of so
/// many words.
pub(crate) fn connect(hosts: &Hosts, queues: &[QueueSpec], words: usize) -> Vec<Both> {
    let size = hosts.ranks();
    let far_spec = FabricSpec { queues: queues.to_vec(), shared_words: 0, heap_bytes: 0 };
    let spec = FabricSpec { shared_words: words * hosts.count(), ..far_spec.clone() };
    let segments: Vec<Segment> =
        (0..hosts.count()).map(|_| Segment::create(size).unwrap()).collect();
    let both = Device::connect(hosts, &far_spec).into_iter().enumerate().map(|(rank, far)| {
        let host = hosts.of(rank).unwrap() as usize;
        let near = segments[host].nic(rank, &spec).unwrap();
        far.expose(near.exposed(host * words, words));
        Host::both("shm+device", near, far, hosts, words)
    });
    both.collect()
}

const SLEEPS: Rank = 0;
const FAR: Rank = 1;
const NEAR: Rank = 2;

const DATA: Cq = Cq(0);
/// The one region of each rank.
const KEY: RegionKey = RegionKey(0);
const WORD: usize = 0;

/// What may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Message,
    /// A word that is put with an immediate.
    Put,
    /// A shared word. Who stores it rings ranks of its own host; a device that writes it tells
    /// nobody.
    Shared,
    /// The end of the rank.
    End,
}

use News::{End, Message, Put, Shared};

const ALL: [News; 4] = [Message, Put, Shared, End];

/// In which network a rank sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bed {
    /// That by which it has heard nothing yet, or last.
    Near,
    /// That by which it has heard last.
    Far,
    /// That of a peer.
    Of(Rank),
}

fn vi(peer: Rank) -> Vi {
    Vi { peer, cq: DATA }
}

fn ranks() -> [Both; 3] {
    let queue = QueueSpec { recv_descriptors: 2, descriptor_bytes: 8 };
    let spec = ViSpec {
        recv_descriptors: 2,
        descriptor_bytes: 8,
        reliability: Reliability::ReliableDelivery,
    };
    let mut ranks = connect(&Hosts::of_ids(&[0, 1, 0]), &[queue], 1);
    for (rank, nic) in ranks.iter_mut().enumerate() {
        assert_eq!(nic.register(1), Ok(KEY));
        for peer in (0..3).filter(|&peer| peer != rank) {
            nic.open_vi(vi(peer), &spec).unwrap();
        }
    }
    ranks.try_into().ok().expect("three")
}

/// Brings the news, all in turn; the last may be the end.
fn bring(mut nic: Both, news: &[News]) -> Option<Both> {
    for news in news {
        match news {
            Message => nic.post_send(vi(SLEEPS), &[1], &[]).unwrap(),
            Put => {
                let words = nic.remote_words_mut().unwrap();
                assert_eq!(words.post_put(SLEEPS, KEY, 0, 1, PutMode::Immediate), Ok(true));
            }
            Shared => {
                // Of ranks on other hosts it does not know whether they sleep.
                if nic.rank() == NEAR {
                    nic.store(WORD, 1);
                    nic.wake(SLEEPS);
                } else {
                    assert!(nic.write_at(SLEEPS, WORD, 1));
                }
            }
            End => {
                drop(nic);
                return None;
            }
        }
    }
    Some(nic)
}

/// What a rank has polled, by the rank that sent it.
#[derive(Default)]
struct Heard([u32; 3]);

impl Heard {
    fn poll(&mut self, nic: &mut Both) {
        while let Some(arrived) = nic.poll_recv(DATA).unwrap() {
            self.0[arrived.peer] += 1;
            nic.post_recv(vi(arrived.peer), arrived.frame);
        }
    }

    fn has(&self, nic: &Both, (by, news): (Rank, News)) -> bool {
        match news {
            Message => self.0[by] > 0,
            Put => nic.read(by, KEY, 0) == Ok(1),
            Shared => nic.load(WORD) == 1,
            End => nic.peer_state(by) == PeerState::Gone,
        }
    }
}

/// Looks, and sleeps as long as something is missing.
fn sleep_until(nic: &mut Both, bed: Bed, all: &[(Rank, News)]) {
    let peer = if let Bed::Of(peer) = bed { Some(peer) } else { None };
    let wake_on = WakeOn { peer, ..WakeOn::ANYTHING };
    let mut heard = Heard::default();
    loop {
        heard.poll(nic);
        // Each is looked for once.
        let lacking: Vec<_> = all.iter().filter(|&&news| !heard.has(nic, news)).collect();
        if lacking.is_empty() {
            return;
        }
        let lacks_word = lacking.iter().any(|(_, news)| *news == Shared);
        nic.wait_unless(wake_on, |load| lacks_word && load(WORD) == 1, None);
    }
}

/// The ranks, where rank 0 would sleep there.
fn before(bed: Bed) -> [Both; 3] {
    let mut ranks = ranks();
    if bed == Bed::Far {
        ranks[FAR].post_send(vi(SLEEPS), &[1], &[]).unwrap();
        Heard::default().poll(&mut ranks[SLEEPS]);
    }
    ranks
}

/// Rank 0 sleeps until these news of these ranks are there, of whom each has a thread; there are so
/// many beats at most.
fn model(most: usize, preemptions: usize, bed: Bed, all: &'static [(Rank, &'static [News])]) {
    explore_beats(&format!("{bed:?}, {all:?}"), preemptions, most, move || {
        let mut ranks = before(bed).map(Some);
        beats::begin(1 + all.len(), most);
        let mut threads = Vec::new();
        for &(rank, news) in all {
            let nic = ranks[rank].take().unwrap();
            threads.push(spawn(counted(move || bring(nic, news))));
        }
        let mut nic = ranks[SLEEPS].take().unwrap();
        threads.push(spawn(counted(move || {
            let each =
                |&(rank, news): &(Rank, &'static [News])| news.iter().map(move |&n| (rank, n));
            sleep_until(&mut nic, bed, &all.iter().flat_map(each).collect::<Vec<_>>());
            Some(nic)
        })));
        // All end behind the last.
        let stayed: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        drop((stayed, ranks));
    });
}

/// Each of the news alone.
const EACH: [[&[(Rank, &[News])]; 4]; 2] = [
    [&[(FAR, &[Message])], &[(FAR, &[Put])], &[(FAR, &[Shared])], &[(FAR, &[End])]],
    [&[(NEAR, &[Message])], &[(NEAR, &[Put])], &[(NEAR, &[Shared])], &[(NEAR, &[End])]],
];

// SEMANTICS: BAR-4, FLOW-3
#[test]
fn an_arrival_on_the_network_of_a_sleep_ends_it() {
    for (news, far) in ALL.iter().zip(EACH[0]) {
        // Nobody is told of a word that a device writes.
        let most = usize::from(*news == Shared);
        model(most, 3, Bed::Far, far);
    }
    for near in EACH[1] {
        model(0, 3, Bed::Near, near);
    }
}

// SEMANTICS: BAR-4, FLOW-3
#[test]
fn an_arrival_on_the_other_network_is_found_after_a_beat() {
    EACH[0].iter().for_each(|far| model(1, 3, Bed::Near, far));
    EACH[1].iter().for_each(|near| model(1, 3, Bed::Far, near));
}

/// The one news wakes it, or a beat, and what a look behind that does not find yet, another wakes
/// it for.
// SEMANTICS: BAR-4, FLOW-3
#[test]
fn arrivals_on_both_networks_are_found_after_a_beat() {
    const BOTH: [&[(Rank, &[News])]; 4] = [
        &[(NEAR, &[Message]), (FAR, &[Message])],
        &[(NEAR, &[Put]), (FAR, &[Shared])],
        &[(NEAR, &[Shared]), (FAR, &[Put])],
        &[(NEAR, &[Message]), (FAR, &[End])],
    ];
    for both in BOTH {
        model(1, 2, Bed::Near, both);
        model(1, 2, Bed::Far, both);
    }
}

/// Whoever waits for a peer sleeps where that is heard, whatever it has heard last.
// SEMANTICS: BAR-4, FLOW-3
#[test]
fn a_rank_that_waits_for_a_peer_sleeps_in_its_network() {
    model(0, 3, Bed::Of(FAR), EACH[0][0]);
    model(0, 3, Bed::Of(NEAR), EACH[1][0]);
    model(1, 3, Bed::Of(NEAR), EACH[0][2]);
    model(1, 3, Bed::Of(FAR), EACH[1][2]);
}

/// The first of several messages may be found by a look; behind it, each wakes who sleeps.
// SEMANTICS: FLOW-3
#[test]
fn a_rank_sleeps_in_the_network_of_its_last_arrival() {
    for (by, other) in [(FAR, Bed::Near), (NEAR, Bed::Far)] {
        explore_beats(&format!("answers to {by}, {other:?}"), 2, 1, move || {
            let mut ranks = before(other).map(Some);
            beats::begin(2, 1);
            let [mut here, mut there] = [SLEEPS, by].map(|rank| ranks[rank].take().unwrap());
            let asks = spawn(counted(move || {
                there.post_send(vi(SLEEPS), &[1], &[]).unwrap();
                let mut heard = Heard::default();
                while heard.0[SLEEPS] == 0 {
                    heard.poll(&mut there);
                    if heard.0[SLEEPS] == 0 {
                        let peer = Some(SLEEPS);
                        there.wait_unless(WakeOn { peer, ..WakeOn::ANYTHING }, |_| false, None);
                    }
                }
                there.post_send(vi(SLEEPS), &[2], &[]).unwrap();
                there
            }));
            let answers = spawn(counted(move || {
                let mut heard = Heard::default();
                let mut answered = false;
                while heard.0[by] < 2 {
                    let before = heard.0[by];
                    heard.poll(&mut here);
                    if heard.0[by] > 0 && !answered {
                        here.post_send(vi(by), &[1], &[]).unwrap();
                        answered = true;
                    } else if heard.0[by] == before {
                        here.wait_unless(WakeOn::ANYTHING, |_| false, None);
                    }
                }
                here
            }));
            let stayed = [asks, answers].map(|thread| thread.join().unwrap());
            drop((stayed, ranks));
        });
    }
}

/// Two ranks of a host wait for a word of another host, which is written by the device of one of
/// them: each finds it, be it the one or the other.
// SEMANTICS: BAR-4
#[test]
fn a_word_written_by_a_device_is_found_by_all_ranks_of_its_host() {
    for beds in [[Bed::Near, Bed::Far], [Bed::Far, Bed::Near]] {
        explore_beats(&format!("a word for all, {beds:?}"), 2, 1, move || {
            let mut ranks = before(beds[0]).map(Some);
            beats::begin(3, 1);
            let [here, near, far] = [SLEEPS, NEAR, FAR].map(|rank| ranks[rank].take().unwrap());
            let bringer = spawn(counted(move || bring(far, &[Shared])));
            let bed = |bed| if bed == Bed::Far { Bed::Of(FAR) } else { Bed::Of(SLEEPS) };
            let beds = [beds[0], bed(beds[1])];
            let sleepers = [here, near].into_iter().zip(beds).map(|(mut nic, bed)| {
                spawn(counted(move || {
                    sleep_until(&mut nic, bed, &[(FAR, Shared)]);
                    Some(nic)
                }))
            });
            let threads: Vec<_> = sleepers.collect();
            let stayed: Vec<_> =
                threads.into_iter().chain([bringer]).map(|thread| thread.join().unwrap()).collect();
            drop(stayed);
        });
    }
}
