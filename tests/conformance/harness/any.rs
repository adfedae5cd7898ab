//! All networks of the suite as one type, so that a test, and the runtime under it, is compiled once and not once for
//! each network: most of the time that building the suite took. It is no network, and passes every verb on.
//!
//! What a program runs on has its type known when it is compiled; the runtime is the same source, and asks of a type
//! nothing but its verbs. A verb that was not passed on would do here what it does by default, and all would seem well:
//! so they are compared with those of the trait.

use std::any::Any;
use std::time::Duration;

use runahead::Rank;
use runahead::verbs::{
    Completion, Cq, Fetched, Lent, LoanEnd, Multicast, Nic, NicAttributes, PeerState, PostError,
    Pulled, PutMode, QuietPuts, RegionKey, Reliability, VerbsError, Vi, ViSpec, WakeOn,
};

/// A frame of some network.
type AnyFrame = Box<dyn Any + Send>;

/// Some network.
pub struct AnyNic(Box<dyn Erased>);

impl AnyNic {
    pub fn new(nic: impl Nic<Frame: 'static> + 'static) -> AnyNic {
        AnyNic(Box::new(nic))
    }
}

/// The frame of this network, which got it as that of some.
fn its<T: 'static>(frame: AnyFrame) -> T {
    *frame.downcast().expect("a frame comes from the network that it goes to")
}

/// The verbs which take nothing and return nothing that depends on the network, given by their signatures.
macro_rules! erased {
    (
        reading { $(fn $read:ident($($of:ident: $seen:ty),*) $(-> $told:ty)?;)+ }
        changing { $(fn $change:ident($($by:ident: $given:ty),*) $(-> $made:ty)?;)+ }
    ) => {
        /// What can be asked of a network without knowing which it is.
        trait Erased: Send {
            $(fn $read(&self, $($of: $seen),*) $(-> $told)?;)+
            $(fn $change(&mut self, $($by: $given),*) $(-> $made)?;)+
            fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<AnyFrame>>, VerbsError>;
            fn bytes<'f>(&self, frame: &'f AnyFrame) -> &'f [u8];
            fn post_recv(&mut self, vi: Vi, frame: AnyFrame);
            fn poll_pull(&mut self, cq: Cq) -> Option<Pulled<AnyFrame>>;
            fn free_pulled(&mut self, frame: AnyFrame);
            fn wait_unless(
                &mut self,
                wake_on: WakeOn,
                ready: &dyn Fn(&dyn Fn(usize) -> u64) -> bool,
                timeout: Option<Duration>,
            );
            fn wake_many(&self, peers: &mut dyn Iterator<Item = Rank>);
        }

        impl<N: Nic<Frame: 'static>> Erased for N {
            $(fn $read(&self, $($of: $seen),*) $(-> $told)? {
                Nic::$read(self, $($of),*)
            })+

            $(fn $change(&mut self, $($by: $given),*) $(-> $made)? {
                Nic::$change(self, $($by),*)
            })+

            fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<AnyFrame>>, VerbsError> {
                let polled = Nic::poll_recv(self, cq)?;
                Ok(polled.map(|Completion { peer, frame }| Completion { peer, frame: Box::new(frame) as AnyFrame }))
            }

            fn bytes<'f>(&self, frame: &'f AnyFrame) -> &'f [u8] {
                Nic::bytes(self, frame.downcast_ref().expect("a frame is read by the network that it comes from"))
            }

            fn post_recv(&mut self, vi: Vi, frame: AnyFrame) {
                Nic::post_recv(self, vi, its(frame));
            }

            fn poll_pull(&mut self, cq: Cq) -> Option<Pulled<AnyFrame>> {
                let Pulled { peer, frame } = Nic::poll_pull(self, cq)?;
                Some(Pulled { peer, frame: frame.map(|it| Box::new(it) as AnyFrame) })
            }

            fn free_pulled(&mut self, frame: AnyFrame) {
                Nic::free_pulled(self, its(frame));
            }

            fn wait_unless(
                &mut self,
                wake_on: WakeOn,
                ready: &dyn Fn(&dyn Fn(usize) -> u64) -> bool,
                timeout: Option<Duration>,
            ) {
                Nic::wait_unless(self, wake_on, ready, timeout);
            }

            fn wake_many(&self, peers: &mut dyn Iterator<Item = Rank>) {
                Nic::wake_many(self, peers);
            }
        }

        impl Nic for AnyNic {
            type Frame = AnyFrame;

            $(fn $read(&self, $($of: $seen),*) $(-> $told)? {
                self.0.$read($($of),*)
            })+

            $(fn $change(&mut self, $($by: $given),*) $(-> $made)? {
                self.0.$change($($by),*)
            })+

            fn poll_recv(&mut self, cq: Cq) -> Result<Option<Completion<AnyFrame>>, VerbsError> {
                self.0.poll_recv(cq)
            }

            fn bytes<'f>(&self, frame: &'f AnyFrame) -> &'f [u8] {
                self.0.bytes(frame)
            }

            fn post_recv(&mut self, vi: Vi, frame: AnyFrame) {
                self.0.post_recv(vi, frame);
            }

            fn poll_pull(&mut self, cq: Cq) -> Option<Pulled<AnyFrame>> {
                self.0.poll_pull(cq)
            }

            fn free_pulled(&mut self, frame: AnyFrame) {
                self.0.free_pulled(frame);
            }

            fn wait_unless(
                &mut self,
                wake_on: WakeOn,
                ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
                timeout: Option<Duration>,
            ) {
                self.0.wait_unless(wake_on, &ready, timeout);
            }

            fn wake_many(&self, mut peers: impl Iterator<Item = Rank>) {
                self.0.wake_many(&mut peers);
            }
        }
    };
}

erased! {
    reading {
        fn attributes() -> &NicAttributes;
        fn rank() -> Rank;
        fn size() -> usize;
        fn read(key: RegionKey, word: usize) -> Result<u64, VerbsError>;
        fn read_of(writer: Rank, key: RegionKey, word: usize) -> Result<u64, VerbsError>;
        fn quiet_puts() -> QuietPuts;
        fn multicast() -> Multicast;
        fn pull_from_bytes(peer: Rank) -> Option<usize>;
        fn shared_words() -> usize;
        fn shares_words_with(peer: Rank) -> bool;
        fn copy_of(peer: Rank) -> usize;
        fn most_copies() -> usize;
        fn load_shared(word: usize) -> u64;
        fn store_shared(word: usize, value: u64);
        fn publish_shared(word: usize, value: u64) -> bool;
        fn store_shared_nearby(word: usize, value: u64);
        fn store_shared_at(peer: Rank, word: usize, value: u64) -> bool;
        fn wake(peer: Rank);
        fn peer_state(peer: Rank) -> PeerState;
        fn why_gone(peer: Rank) -> Option<String>;
    }
    changing {
        fn open_vi(vi: Vi, spec: &ViSpec) -> Result<Reliability, VerbsError>;
        fn post_send(vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError>;
        fn is_empty(cq: Cq) -> bool;
        fn has_nothing_from(vi: Vi) -> bool;
        fn peek_recv(vi: Vi) -> Option<&[u8]>;
        fn take_peeked(vi: Vi);
        fn register(words: usize) -> Result<RegionKey, VerbsError>;
        fn put(peer: Rank, key: RegionKey, word: usize, value: u64) -> Result<(), VerbsError>;
        fn post_put(peer: Rank, key: RegionKey, word: usize, value: u64, mode: PutMode) -> Result<bool, VerbsError>;
        fn fetch(peer: Rank, key: RegionKey, word: usize) -> Result<Fetched, VerbsError>;
        fn post_multicast(words: [u64; 2]) -> Result<(), VerbsError>;
        fn poll_multicast() -> Result<Option<(Rank, [u64; 2])>, VerbsError>;
        fn lend(peer: Rank, payload: &[u8]) -> Option<Lent>;
        fn take_back(peer: Rank, lent: Lent, end: LoanEnd);
        fn post_pull(vi: Vi, lent: Lent, len: usize) -> bool;
    }
}

/// The verbs of the trait that `text` does not pass on.
fn missing(text: &str) -> Vec<&'static str> {
    let verbs = include_str!("../../../src/verbs/mod.rs");
    let (_, verbs) = verbs.split_once("pub trait Nic").expect("the trait is there");
    let (verbs, _) = verbs.split_once("\n}").expect("and has an end");
    let verbs = verbs.lines().filter_map(|line| line.strip_prefix("    fn "));
    let names = verbs.map(|verb| verb.split(['(', '<']).next().expect("a split has a part"));
    // By default it is `wait_unless` with nothing to look at, and no network says otherwise.
    let passed_on =
        |name| ["(", "<"].map(|end| format!("fn {name}{end}")).iter().any(|it| text.contains(it));
    names.filter(|&name| name != "wait" && !passed_on(name)).collect()
}

#[test]
fn every_verb_is_passed_on() {
    let text = include_str!("any.rs");
    assert_eq!(missing(text), [""; 0]);
    // It would be noticed.
    assert_eq!(missing(&text.replace("fn wake(", "")), ["wake"]);
    assert!(missing("").len() > 30, "{:?}", missing(""));
}
