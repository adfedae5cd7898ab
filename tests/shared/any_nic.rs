//! All networks of the suite as one type, so that a test, and the runtime under it, is compiled once and not once for
//! each network: most of the time that building the suite took. It is no network, and passes every verb on.
//!
//! What a program runs on has its type known when it is compiled; the runtime is the same source, and asks of a type
//! nothing but its verbs. A verb that was not passed on would do here what it does by default, and all would seem well:
//! so they are compared with those of the trait.

use std::any::Any;
use std::time::Duration;

use runahead::Rank;
use runahead::internals::verbs::{
    Completion, Cq, Multicast, Nic, NicAttributes, NoMulticast, Offer, PeerState, PostError,
    ReadCompletion, Reliability, RemoteBuffer, RemoteRead, RemoteWords, Revoke, Room, SharedWords,
    VerbsError, Vi, ViSpec, WakeOn,
};

/// A frame of some network.
type AnyFrame = Box<dyn Any + Send>;

/// Some network.
pub struct AnyNic(Box<dyn Erased>);

impl AnyNic {
    pub fn new(
        nic: impl Nic<
            Frame: 'static,
            RemoteRead: RemoteRead<Payload: 'static, Offer: 'static, Room: 'static>,
            RemoteWords: Sized,
            SharedWords: Sized,
            Multicast: Sized,
        >,
    ) -> AnyNic {
        AnyNic(Box::new(nic))
    }
}

/// The frame of this network, which got it as that of some.
fn its<T: 'static>(frame: AnyFrame) -> T {
    *frame.downcast().expect("a frame comes from the network that it goes to")
}

/// A payload of some network that was read at a peer.
pub struct AnyPayload(Box<dyn Payload>);

trait Payload: AsRef<[u8]> + Any + Send {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: AsRef<[u8]> + Any + Send> Payload for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl AsRef<[u8]> for AnyPayload {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

/// What is offered by some network.
pub struct AnyOffer(Box<dyn ErasedOffer>);

trait ErasedOffer {
    fn buffer(&self) -> RemoteBuffer;
    fn is_accepted(&self) -> bool;
    fn withdraw(self: Box<Self>) -> bool;
}

impl<O: Offer> ErasedOffer for O {
    fn buffer(&self) -> RemoteBuffer {
        Offer::buffer(self)
    }

    fn is_accepted(&self) -> bool {
        Offer::is_accepted(self)
    }

    fn withdraw(self: Box<Self>) -> bool {
        Offer::withdraw(*self)
    }
}

impl Offer for AnyOffer {
    fn buffer(&self) -> RemoteBuffer {
        self.0.buffer()
    }

    fn is_accepted(&self) -> bool {
        self.0.is_accepted()
    }

    fn withdraw(self) -> bool {
        self.0.withdraw()
    }
}

/// A room of some network.
pub struct AnyRoom(Box<dyn ErasedRoom>);

trait ErasedRoom: Room + Any + Send {
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: Room + Any + Send> ErasedRoom for T {
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

impl Room for AnyRoom {
    fn load(&self, word: usize) -> u64 {
        self.0.load(word)
    }

    fn store(&mut self, word: usize, value: u64) {
        self.0.store(word, value);
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        self.0.write(at, bytes);
    }

    fn read(&self, at: usize, into: &mut [u8]) {
        self.0.read(at, into);
    }
}

/// What can be asked of remote read without knowing of which network it is.
trait ErasedRead {
    fn least_bytes(&mut self, peer: Rank) -> Option<usize>;
    fn copies(&mut self, peer: Rank) -> bool;
    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer>;
    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke);
    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool;
    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<AnyPayload>>;
    fn release(&mut self, payload: AnyPayload);
    fn share(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool;
    fn begin_copy(&mut self, peer: Rank, len: usize) -> Option<RemoteBuffer>;
    fn fill_copy(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]);
    fn bytes_here(&mut self, peer: Rank, payload: &mut AnyPayload) -> usize;
    fn offer(&mut self, peer: Rank, payload: &[u8]) -> Option<AnyOffer>;
    fn accept(&mut self, peer: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool;
    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, AnyRoom)>;
    fn room_behind(&mut self, peer: Rank, payload: &AnyPayload, bytes: usize) -> Option<AnyRoom>;
    fn close_room(&mut self, buffer: RemoteBuffer, room: AnyRoom);
    fn open_area(&mut self, len: usize) -> Option<RemoteBuffer>;
    fn write_area(&mut self, buffer: RemoteBuffer, at: usize, bytes: &[u8]);
    fn find_in_area(&mut self, peer: Rank, address: u64, len: usize) -> Option<AnyPayload>;
    fn close_area(&mut self, buffer: RemoteBuffer);
}

impl<R: RemoteRead<Payload: 'static, Offer: 'static, Room: 'static>> ErasedRead for R {
    fn least_bytes(&mut self, peer: Rank) -> Option<usize> {
        RemoteRead::least_bytes(self, peer)
    }

    fn copies(&mut self, peer: Rank) -> bool {
        RemoteRead::copies(self, peer)
    }

    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        RemoteRead::expose(self, peer, payload)
    }

    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke) {
        RemoteRead::revoke(self, peer, buffer, how);
    }

    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool {
        RemoteRead::post_read(self, vi, buffer, len)
    }

    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<AnyPayload>> {
        let ReadCompletion { peer, payload } = RemoteRead::poll_read(self, cq)?;
        Some(ReadCompletion { peer, payload: payload.map(|it| AnyPayload(Box::new(it))) })
    }

    fn release(&mut self, payload: AnyPayload) {
        let payload = payload.0.into_any().downcast();
        RemoteRead::release(self, *payload.expect("a payload goes back to its network"));
    }

    fn share(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        RemoteRead::share(self, peer, buffer)
    }

    fn begin_copy(&mut self, peer: Rank, len: usize) -> Option<RemoteBuffer> {
        RemoteRead::begin_copy(self, peer, len)
    }

    fn fill_copy(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) {
        RemoteRead::fill_copy(self, peer, buffer, payload);
    }

    fn bytes_here(&mut self, peer: Rank, payload: &mut AnyPayload) -> usize {
        let payload = (*payload.0).as_any_mut().downcast_mut();
        RemoteRead::bytes_here(
            self,
            peer,
            payload.expect("a payload comes from the network that is asked"),
        )
    }

    fn offer(&mut self, peer: Rank, payload: &[u8]) -> Option<AnyOffer> {
        RemoteRead::offer(self, peer, payload).map(|offer| AnyOffer(Box::new(offer)))
    }

    fn accept(&mut self, peer: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        RemoteRead::accept(self, peer, buffer, room)
    }

    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, AnyRoom)> {
        let (buffer, room) = RemoteRead::open_room(self, peer, payload, bytes)?;
        Some((buffer, AnyRoom(Box::new(room))))
    }

    fn room_behind(&mut self, peer: Rank, payload: &AnyPayload, bytes: usize) -> Option<AnyRoom> {
        let payload = (*payload.0).as_any().downcast_ref();
        let payload = payload.expect("a payload comes from the network that is asked");
        let room = RemoteRead::room_behind(self, peer, payload, bytes)?;
        Some(AnyRoom(Box::new(room)))
    }

    fn close_room(&mut self, buffer: RemoteBuffer, room: AnyRoom) {
        let room = room.0.into_any().downcast();
        RemoteRead::close_room(self, buffer, *room.expect("a room goes back to its network"));
    }

    fn open_area(&mut self, len: usize) -> Option<RemoteBuffer> {
        RemoteRead::open_area(self, len)
    }

    fn write_area(&mut self, buffer: RemoteBuffer, at: usize, bytes: &[u8]) {
        RemoteRead::write_area(self, buffer, at, bytes);
    }

    fn find_in_area(&mut self, peer: Rank, address: u64, len: usize) -> Option<AnyPayload> {
        RemoteRead::find_in_area(self, peer, address, len).map(|it| AnyPayload(Box::new(it)))
    }

    fn close_area(&mut self, buffer: RemoteBuffer) {
        RemoteRead::close_area(self, buffer);
    }
}

impl RemoteRead for AnyNic {
    type Payload = AnyPayload;
    type Offer = AnyOffer;
    type Room = AnyRoom;

    fn least_bytes(&mut self, peer: Rank) -> Option<usize> {
        self.0.reads().least_bytes(peer)
    }

    fn copies(&mut self, peer: Rank) -> bool {
        self.0.reads().copies(peer)
    }

    fn expose(&mut self, peer: Rank, payload: &[u8]) -> Option<RemoteBuffer> {
        self.0.reads().expose(peer, payload)
    }

    fn revoke(&mut self, peer: Rank, buffer: RemoteBuffer, how: Revoke) {
        self.0.reads().revoke(peer, buffer, how);
    }

    fn post_read(&mut self, vi: Vi, buffer: RemoteBuffer, len: usize) -> bool {
        self.0.reads().post_read(vi, buffer, len)
    }

    fn poll_read(&mut self, cq: Cq) -> Option<ReadCompletion<AnyPayload>> {
        self.0.reads().poll_read(cq)
    }

    fn release(&mut self, payload: AnyPayload) {
        self.0.reads().release(payload);
    }

    fn share(&mut self, peer: Rank, buffer: RemoteBuffer) -> bool {
        self.0.reads().share(peer, buffer)
    }

    fn begin_copy(&mut self, peer: Rank, len: usize) -> Option<RemoteBuffer> {
        self.0.reads().begin_copy(peer, len)
    }

    fn fill_copy(&mut self, peer: Rank, buffer: RemoteBuffer, payload: &[u8]) {
        self.0.reads().fill_copy(peer, buffer, payload);
    }

    fn bytes_here(&mut self, peer: Rank, payload: &mut AnyPayload) -> usize {
        self.0.reads().bytes_here(peer, payload)
    }

    fn offer(&mut self, peer: Rank, payload: &[u8]) -> Option<AnyOffer> {
        self.0.reads().offer(peer, payload)
    }

    fn accept(&mut self, peer: Rank, buffer: RemoteBuffer, room: &mut [u8]) -> bool {
        self.0.reads().accept(peer, buffer, room)
    }

    fn open_room(
        &mut self,
        peer: Rank,
        payload: &[u8],
        bytes: usize,
    ) -> Option<(RemoteBuffer, AnyRoom)> {
        self.0.reads().open_room(peer, payload, bytes)
    }

    fn room_behind(&mut self, peer: Rank, payload: &AnyPayload, bytes: usize) -> Option<AnyRoom> {
        self.0.reads().room_behind(peer, payload, bytes)
    }

    fn close_room(&mut self, buffer: RemoteBuffer, room: AnyRoom) {
        self.0.reads().close_room(buffer, room);
    }

    fn open_area(&mut self, len: usize) -> Option<RemoteBuffer> {
        self.0.reads().open_area(len)
    }

    fn write_area(&mut self, buffer: RemoteBuffer, at: usize, bytes: &[u8]) {
        self.0.reads().write_area(buffer, at, bytes);
    }

    fn find_in_area(&mut self, peer: Rank, address: u64, len: usize) -> Option<AnyPayload> {
        self.0.reads().find_in_area(peer, address, len)
    }

    fn close_area(&mut self, buffer: RemoteBuffer) {
        self.0.reads().close_area(buffer);
    }
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
            fn has_remote_read(&mut self) -> bool;
            fn reads(&mut self) -> &mut dyn ErasedRead;
            fn remote_words(&self) -> Option<&(dyn RemoteWords + 'static)>;
            fn remote_words_mut(&mut self) -> Option<&mut (dyn RemoteWords + 'static)>;
            fn shared_words(&self) -> Option<&(dyn SharedWords + 'static)>;
            fn multicast(&mut self) -> Result<&mut (dyn Multicast + 'static), NoMulticast>;
            fn wait_unless(
                &mut self,
                wake_on: WakeOn,
                ready: &dyn Fn(&dyn Fn(usize) -> u64) -> bool,
                timeout: Option<Duration>,
            );
            fn wake_many(&self, peers: &mut dyn Iterator<Item = Rank>);
        }

        impl<N> Erased for N
        where
            N: Nic<
                Frame: 'static,
                RemoteRead: RemoteRead<Payload: 'static, Room: 'static>,
                RemoteWords: Sized,
                SharedWords: Sized,
                Multicast: Sized,
            >,
        {
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

            fn has_remote_read(&mut self) -> bool {
                Nic::remote_read(self).is_some()
            }

            fn reads(&mut self) -> &mut dyn ErasedRead {
                Nic::remote_read(self).expect("it was asked whether there is remote read")
            }

            fn remote_words(&self) -> Option<&(dyn RemoteWords + 'static)> {
                Nic::remote_words(self).map(|words| words as _)
            }

            fn remote_words_mut(&mut self) -> Option<&mut (dyn RemoteWords + 'static)> {
                Nic::remote_words_mut(self).map(|words| words as _)
            }

            fn shared_words(&self) -> Option<&(dyn SharedWords + 'static)> {
                Nic::shared_words(self).map(|words| words as _)
            }

            fn multicast(&mut self) -> Result<&mut (dyn Multicast + 'static), NoMulticast> {
                Nic::multicast(self).map(|multicast| multicast as _)
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
            type RemoteRead = AnyNic;
            type RemoteWords = dyn RemoteWords;
            type SharedWords = dyn SharedWords;
            type Multicast = dyn Multicast;

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

            fn remote_read(&mut self) -> Option<&mut AnyNic> {
                self.0.has_remote_read().then_some(self)
            }

            fn remote_words(&self) -> Option<&(dyn RemoteWords + 'static)> {
                self.0.remote_words()
            }

            fn remote_words_mut(&mut self) -> Option<&mut (dyn RemoteWords + 'static)> {
                self.0.remote_words_mut()
            }

            fn shared_words(&self) -> Option<&(dyn SharedWords + 'static)> {
                self.0.shared_words()
            }

            fn multicast(&mut self) -> Result<&mut (dyn Multicast + 'static), NoMulticast> {
                self.0.multicast()
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
        fn wake(peer: Rank);
        fn sleeping() -> usize;
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
    }
}

/// The verbs of the trait that `text` does not pass on.
fn missing(text: &str) -> Vec<&'static str> {
    let verbs = include_str!("../../src/verbs/nic.rs");
    let (_, verbs) = verbs.split_once("pub trait Nic").expect("the trait is there");
    let (verbs, _) = verbs.split_once("\n}").expect("and has an end");
    let verbs = verbs.lines().filter_map(|line| line.strip_prefix("    fn "));
    let names = verbs.map(|verb| verb.split(['(', '<']).next().expect("a split has a part"));
    // What these do by default follows from other verbs, and no network says otherwise.
    let follows = |name| ["wait", "rank", "size"].contains(&name);
    let passed_on =
        |name| ["(", "<"].map(|end| format!("fn {name}{end}")).iter().any(|it| text.contains(it));
    names.filter(|&name| !follows(name) && !passed_on(name)).collect()
}

#[test]
fn every_verb_is_passed_on() {
    let text = include_str!("any_nic.rs");
    assert_eq!(missing(text), [""; 0]);
    // It would be noticed.
    assert_eq!(missing(&text.replace("fn wake(", "")), ["wake"]);
    assert_eq!(missing("").len(), 21, "{:?}", missing(""));
}
