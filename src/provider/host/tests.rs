//! A rank on two networks, which are stand-ins that note what they are asked.
//!
//! Where it sleeps, and for how long: in every case, in one of them, and not longer than a beat,
//! after a look at what it waits for. So whatever comes by the other network, or into the host's
//! board, is seen a beat later at most, and no wake-up is lost.
//!
//! What it registers: with both networks, or with neither.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::provider::words::Regions;
use crate::sys::shared::OneAtATime;
use crate::verbs::{
    Absent, Completion, Cq, Fetched, NicAttributes, PeerState, PostError, PutMode, RegionKey,
    Reliability, RemoteWords, SharedWords, VerbsError, Vi, ViSpec, WakeOn,
};

const WORDS: usize = 4;
/// Of the other host's copy, which comes second.
const WORD: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Near,
    Far,
}

/// A wait that could sleep: in which network, and for how long at most.
type Sleep = (Which, Option<Duration>);

#[derive(Clone, Default)]
struct Notes(Arc<OneAtATime<Vec<Sleep>>>);

struct Network {
    which: Which,
    attributes: NicAttributes,
    notes: Notes,
    /// What the shared words say.
    said: u64,
    arrives: bool,
    regions: Regions,
    /// Whether it refuses the next region, within its limits or not.
    refuses: bool,
}

impl Network {
    fn new(which: Which, notes: &Notes, said: u64, arrives: bool) -> Network {
        let attributes = NicAttributes {
            provider: "noted",
            rank: 1,
            size: 4,
            max_ranks: 4,
            max_message_bytes: 1,
            max_descriptors_per_vi: 1,
            completion_queues: 1,
            max_registered_bytes: 0,
            max_regions: 0,
            inline_bytes: 0,
            causal: true,
        };
        let (notes, regions) = (notes.clone(), Regions::default());
        Network { which, attributes, notes, said, arrives, regions, refuses: false }
    }

    /// One with these limits of regions and registered bytes.
    fn registering(which: Which, regions: usize, bytes: usize) -> Network {
        let mut network = Network::new(which, &Notes::default(), 0, false);
        network.attributes.max_regions = regions;
        network.attributes.max_registered_bytes = bytes;
        network
    }
}

impl Far for Network {
    fn write_exposed(&self, _: Rank, _: usize, _: u64) -> bool {
        true
    }

    fn written_by(&self, _: Rank) -> Written {
        Written::Arrived
    }
}

impl Nic for Network {
    type Frame = ();
    type RemoteRead = Absent;
    type RemoteWords = Network;
    type SharedWords = Network;
    type Multicast = Absent;

    fn attributes(&self) -> &NicAttributes {
        &self.attributes
    }

    fn open_vi(&mut self, _: Vi, _: &ViSpec) -> Result<Reliability, VerbsError> {
        Ok(Reliability::ReliableDelivery)
    }

    fn post_send(&mut self, _: Vi, _: &[u8], _: &[u8]) -> Result<(), PostError> {
        Ok(())
    }

    fn poll_recv(&mut self, _: Cq) -> Result<Option<Completion<()>>, VerbsError> {
        Ok(self.arrives.then_some(Completion { peer: 0, frame: () }))
    }

    fn bytes<'f>(&self, _: &'f ()) -> &'f [u8] {
        &[]
    }

    fn post_recv(&mut self, _: Vi, _: ()) {}

    fn wait_unless(
        &mut self,
        _: WakeOn,
        ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
        timeout: Option<Duration>,
    ) {
        // A network of which the words are looks itself.
        if !ready(&|word| self.load(word)) && timeout != Some(Duration::ZERO) {
            self.notes.0.try_use().unwrap().push((self.which, timeout));
        }
    }

    fn peer_state(&self, _: Rank) -> PeerState {
        PeerState::Connected
    }

    #[inline(always)]
    fn shared_words(&self) -> Option<&Network> {
        Some(self)
    }

    #[inline(always)]
    fn remote_words(&self) -> Option<&Network> {
        Some(self)
    }

    #[inline(always)]
    fn remote_words_mut(&mut self) -> Option<&mut Network> {
        Some(self)
    }
}

impl RemoteWords for Network {
    fn is_one_sided(&self) -> bool {
        true
    }

    fn register(&mut self, words: usize) -> Result<RegionKey, VerbsError> {
        if std::mem::take(&mut self.refuses) {
            return Err(VerbsError::Corrupted { peer: 1, what: "region" });
        }
        self.regions.register(&self.attributes, words)
    }

    fn post_put(
        &mut self,
        _: Rank,
        _: RegionKey,
        _: usize,
        _: u64,
        _: PutMode,
    ) -> Result<bool, VerbsError> {
        unreachable!("nobody puts here")
    }

    fn fetch(&mut self, _: Rank, _: RegionKey, _: usize) -> Result<Fetched, VerbsError> {
        unreachable!("nobody fetches here")
    }

    fn read(&self, _: Rank, _: RegionKey, _: usize) -> Result<u64, VerbsError> {
        unreachable!("nobody reads here")
    }
}

impl SharedWords for Network {
    fn count(&self) -> usize {
        if self.which == Which::Near { 2 * WORDS } else { 0 }
    }

    /// Only of the copy of the own host, the second.
    fn load(&self, word: usize) -> u64 {
        assert_eq!((self.which, word), (Which::Near, WORDS + WORD));
        self.said
    }

    fn store(&self, _: usize, _: u64) {
        unreachable!("nobody stores here")
    }
}

/// Where it sleeps: in the network of the peer that it waits for, else where it last heard
/// something.
fn expected(peer: Option<Rank>, heard_far: bool) -> Which {
    match peer {
        // Hosts are 0, 1, 0, 1.
        Some(peer) => [Which::Far, Which::Near][peer % 2],
        None if heard_far => Which::Far,
        None => Which::Near,
    }
}

// (Planted: a sleep in the far network without a look at the words; a timeout that is passed on as
// it is.)
// SEMANTICS: BAR-4
#[test]
fn a_rank_sleeps_in_one_network_for_a_beat_after_a_look() {
    let hosts = Hosts::of_ids(&[0, 1, 0, 1]);
    let mut slept = 0;
    for (heard_far, said) in [(false, 0), (true, 0), (false, 9), (true, 9)] {
        for peer in [None, Some(0), Some(2), Some(3)] {
            for timeout in [None, Some(Duration::from_micros(10)), Some(Duration::from_secs(5))] {
                let notes = Notes::default();
                let near = Network::new(Which::Near, &notes, said, !heard_far);
                let far = Network::new(Which::Far, &notes, said, heard_far);
                let mut nic = Host::both("noted", near, far, &hosts, WORDS);
                assert!(nic.poll_recv(Cq(0)).unwrap().is_some());
                let wake_on = WakeOn { peer, ..WakeOn::ANYTHING };
                nic.wait_unless(wake_on, |load| load(WORD) == 9, timeout);
                let longest = timeout.map_or(BEAT, |timeout| timeout.min(BEAT));
                let sleeps = if said == 9 {
                    vec![]
                } else {
                    vec![(expected(peer, heard_far), Some(longest))]
                };
                assert_eq!(
                    *notes.0.try_use().unwrap(),
                    sleeps,
                    "{peer:?}, {heard_far}, {timeout:?}"
                );
                slept += sleeps.len();
            }
        }
    }
    assert_eq!(slept, 24);
}

// (Planted: to begin with the near network in any case.)
// SEMANTICS: FLOW-3
#[test]
fn a_rank_alone_on_its_host_sleeps_in_the_far_network() {
    for (ids, which) in [([0, 1, 2, 2], Which::Far), ([0, 1, 0, 1], Which::Near)] {
        let notes = Notes::default();
        let [near, far] =
            [Which::Near, Which::Far].map(|which| Network::new(which, &notes, 0, false));
        let mut nic = Host::both("noted", near, far, &Hosts::of_ids(&ids), 0);
        nic.wait(None);
        assert_eq!(*notes.0.try_use().unwrap(), [(which, Some(BEAT))]);
    }
}

fn registers(near: Network, far: Network) -> Host<Network, Network> {
    Host::both("noted", near, far, &Hosts::of_ids(&[0, 1, 0, 1]), 0)
}

/// Whichever has the lower limit, of regions or of bytes. (Planted: only a region that is too long
/// by itself is refused before one of them has registered it.)
#[test]
fn what_is_above_the_limits_of_one_network_neither_registers() {
    let (low, lower, high) = ((2, 800), (9, 199), (9, 1600));
    for (near, far) in [(low, high), (high, low), (lower, high), (high, lower)] {
        let [near, far] = [(Which::Near, near), (Which::Far, far)]
            .map(|(which, (regions, bytes))| Network::registering(which, regions, bytes));
        let mut nic = registers(near, far);
        assert_eq!([nic.register(10), nic.register(10)], [Ok(RegionKey(0)), Ok(RegionKey(1))]);
        assert!(matches!(nic.register(10), Err(VerbsError::AboveLimit { .. })));
        let Networks::Both(both) = &nic.0 else { unreachable!("it has both") };
        let third = |network: &Network| network.regions.words(RegionKey(2));
        assert_eq!([third(&both.near), third(&both.far)], [None, None]);
    }
}

/// As a device may that has run out of memory. (Planted: the near network registers first.)
#[test]
fn keys_stay_those_of_both_where_the_far_network_refuses_one() {
    let [near, mut far] =
        [Which::Near, Which::Far].map(|which| Network::registering(which, 9, 1600));
    far.refuses = true;
    let mut nic = registers(near, far);
    assert!(nic.register(10).is_err());
    assert_eq!([nic.register(10), nic.register(20)], [Ok(RegionKey(0)), Ok(RegionKey(1))]);
}
