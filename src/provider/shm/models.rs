//! Loom models of what ranks do to the same memory at the same time: rings, ready bits, parkers,
//! and the three together. Rings and parkers are generic over where their words lie, and here they
//! lie in loom's.
//!
//! Which changes the models notice is listed in `.ci/weakenings`, and `bash .ci/weaken --long`
//! tries each: orderings made `Relaxed`, fences left out, two steps the other way round.
//!
//! Models of two threads and little to do are explored whole. The others are bounded in
//! *preemptions* (switches away from a thread that could go on), by 2 or 3: a lost wake-up takes
//! one rank that is stopped between two of its own steps while the other does all of its; a third
//! such stop is what a second bringer needs to come between. What a load may return is never
//! bounded.
//!
//! Not modelled: memory that a hostile process writes.

use std::sync::Arc;

// The file is compiled for models alone; what checks the layers looks at one file at a time.
#[cfg(all(test, loom))]
use loom::{cell::UnsafeCell, model, thread};

use super::cell::{CELL_WORDS, INLINE_WORDS, Storage};
use super::fences::Fences;
use super::inbox::{Habits, Inbox, announce, ready};
use super::parker::{Parker, WORDS, wake_many};
use super::ring::{Body, RingReceiver, RingSender, RingWords};
use super::tell::{is_gone, tell, tell_gone};
use crate::sys::atomic::{AtomicU64, Ordering, fence};
use crate::sys::futex::ModelFutex;
use crate::verbs::{Cq, WakeOn};

type Shared = Arc<[AtomicU64]>;

fn words(count: usize) -> Shared {
    std::iter::repeat_with(|| AtomicU64::new(0)).take(count).collect()
}

/// Longer than what fits a cell.
const LONG: usize = 100;

/// The two ends of a ring of `descriptors`, and its buffers of one word each.
struct Pair {
    outgoing: RingSender<Shared>,
    incoming: RingReceiver<Shared>,
    buffers: Arc<[UnsafeCell<u64>]>,
}

fn pair(descriptors: usize) -> Pair {
    let places = descriptors.next_power_of_two();
    let (cells, returns, taken) = (words(places * CELL_WORDS), words(places), words(1));
    let words = || RingWords {
        cells: Arc::clone(&cells),
        returns: Arc::clone(&returns),
        taken: Arc::clone(&taken),
    };
    Pair {
        outgoing: RingSender::new(words(), descriptors as u32, LONG),
        incoming: RingReceiver::new(words(), descriptors as u32, LONG),
        buffers: std::iter::repeat_with(|| UnsafeCell::new(0)).take(descriptors).collect(),
    }
}

/// Sends `value`, in its cell or in a buffer; false if the ring is full.
fn send(
    ring: &mut RingSender<Shared>,
    buffers: &[UnsafeCell<u64>],
    value: u64,
    place: Storage,
) -> bool {
    if !ring.has_descriptor().unwrap() {
        return false;
    }
    if place == Storage::Inline {
        ring.push_inline(&value.to_ne_bytes(), &(!value).to_ne_bytes());
        return true;
    }
    ring.take_buffers().unwrap();
    // SAFETY: the ring says that the buffer is the sender's. Loom checks that this is so.
    buffers[ring.next_buffer(false) as usize].with_mut(|word| unsafe { *word = value });
    ring.push_buffer(LONG, false);
    true
}

/// The next message, and where it lies; it still occupies its descriptor.
fn receive(ring: &mut RingReceiver<Shared>, buffers: &[UnsafeCell<u64>]) -> Option<(u64, Storage)> {
    let arrived = ring.look().unwrap()?;
    Some(match arrived.body {
        Body::Inline(words) => {
            assert_eq!((arrived.len, words[1]), (16, !words[0]));
            (words[0], Storage::Inline)
        }
        Body::Buffer(buffer) => {
            assert_eq!(arrived.len, LONG);
            // SAFETY: the ring says that the buffer is the receiver's. Loom checks that this is so.
            (buffers[buffer as usize].with(|word| unsafe { *word }), Storage::Buffer(buffer))
        }
    })
}

/// As [`receive`], of a message that is read before it is taken; its descriptor is posted again.
fn receive_shown(ring: &mut RingReceiver<Shared>, buffers: &[UnsafeCell<u64>]) -> Option<u64> {
    let mut words = [0; INLINE_WORDS];
    let value = match ring.peek(&mut words)? {
        (Storage::Inline, len) => {
            assert_eq!((len, words[1]), (16, !words[0]));
            words[0]
        }
        (Storage::Buffer(buffer), len) => {
            assert_eq!(len, LONG);
            // SAFETY: the ring says that the buffer is the receiver's. Loom checks that this is so.
            buffers[buffer as usize].with(|word| unsafe { *word })
        }
    };
    ring.take_peeked();
    Some(value)
}

const INLINE: Storage = Storage::Inline;
/// Some buffer: the ring says which.
const BUFFER: Storage = Storage::Buffer(0);

/// A thread that sends the messages 1, 2 … of these places.
fn send_all(
    mut outgoing: RingSender<Shared>,
    buffers: Arc<[UnsafeCell<u64>]>,
    places: &'static [Storage],
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        for (value, place) in (1..).zip(places) {
            while !send(&mut outgoing, &buffers, value, *place) {
                thread::yield_now();
            }
        }
    })
}

/// The messages of `places` go through a ring of `descriptors`, which come back at once, or each
/// with the message after it.
fn ring_model(descriptors: usize, places: &'static [Storage], hold: bool) {
    model(move || {
        let Pair { outgoing, mut incoming, buffers } = pair(descriptors);
        let sender = send_all(outgoing, Arc::clone(&buffers), places);
        let mut held = None;
        for value in 1..=places.len() as u64 {
            let (found, place) = loop {
                match receive(&mut incoming, &buffers) {
                    Some(found) => break found,
                    None => thread::yield_now(),
                }
            };
            assert_eq!(found, value);
            let given = if hold { held.replace(place) } else { Some(place) };
            given.into_iter().for_each(|place| incoming.give_back(place));
        }
        assert!(incoming.is_empty());
        sender.join().unwrap();
    });
}

/// The messages of `places` go through a ring of `descriptors`, each read before it is taken.
fn shown_model(descriptors: usize, places: &'static [Storage]) {
    model(move || {
        let Pair { outgoing, mut incoming, buffers } = pair(descriptors);
        let sender = send_all(outgoing, Arc::clone(&buffers), places);
        for value in 1..=places.len() as u64 {
            let found = loop {
                match receive_shown(&mut incoming, &buffers) {
                    Some(found) => break found,
                    None => thread::yield_now(),
                }
            };
            assert_eq!(found, value);
        }
        assert!(incoming.is_empty() && incoming.peek(&mut [0; INLINE_WORDS]).is_none());
        sender.join().unwrap();
    });
}

#[test]
fn ring_of_one_shown() {
    shown_model(1, &[INLINE, BUFFER, INLINE]);
}

#[test]
fn ring_of_two_shown() {
    shown_model(2, &[BUFFER, INLINE, BUFFER]);
}

#[test]
fn ring_of_one_cell() {
    ring_model(1, &[INLINE, INLINE, INLINE], false);
}

#[test]
fn ring_of_one_buffer() {
    ring_model(1, &[BUFFER, BUFFER, BUFFER], false);
}

#[test]
fn ring_of_two_comes_round() {
    ring_model(2, &[BUFFER, INLINE, BUFFER, BUFFER], false);
}

#[test]
fn ring_of_two_with_a_held_frame() {
    ring_model(2, &[BUFFER, BUFFER, BUFFER, INLINE], true);
}

/// What the senders see of the receiver.
struct Port {
    ready: Shared,
    parker: Arc<[ModelFutex]>,
}

impl Port {
    fn new() -> Arc<Port> {
        let parker = std::iter::repeat_with(ModelFutex::new).take(WORDS).collect();
        Arc::new(Port { ready: words(1), parker })
    }

    fn parker(&self) -> Parker<'_, Arc<[ModelFutex]>> {
        Parker(&self.parker)
    }

    fn tell(&self, sender: usize) {
        tell(ready(&self.ready, sender), || self.parker(), &Fences::plain(), sender, Cq(0));
    }
}

/// The receiver's side, with an inbox that clears bits at every opportunity.
struct Receiver {
    inbox: Inbox<Shared>,
    rings: Vec<(RingReceiver<Shared>, Arc<[UnsafeCell<u64>]>)>,
}

impl Receiver {
    fn new(port: &Port, rings: Vec<(RingReceiver<Shared>, Arc<[UnsafeCell<u64>]>)>) -> Receiver {
        let mut inbox = Inbox::new(Arc::clone(&port.ready), Habits { few: 0, looks: 1 });
        (0..rings.len()).for_each(|sender| inbox.open(sender));
        Receiver { inbox, rings }
    }

    /// As `poll_recv` and `post_recv` together.
    fn poll(&mut self) -> Option<(usize, u64)> {
        let rings = &mut self.rings;
        let found = self.inbox.poll(|sender| {
            let (ring, buffers) = &mut rings[sender];
            let (value, place) = receive(ring, buffers)?;
            ring.give_back(place);
            Some((sender, value))
        });
        self.inbox.sweep(&Fences::plain(), |_| false, |sender| !rings[sender].0.is_empty());
        found
    }

    fn sleep(&self, port: &Port) {
        let ready = || self.inbox.has_something(|sender| !self.rings[sender].0.is_empty());
        port.parker().sleep(&Fences::plain(), WakeOn::ANYTHING, None, ready, None);
    }
}

/// `messages` of each of `senders` reach a rank that sleeps when it finds nothing. Loom calls it a
/// deadlock if it sleeps and nobody wakes it.
fn inbox_model(senders: usize, messages: u64, preemptions: Option<usize>) {
    let mut model = model::Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        let port = Port::new();
        let mut rings = Vec::new();
        let mut threads = Vec::new();
        for sender in 0..senders {
            let Pair { mut outgoing, incoming, buffers } = pair(messages as usize);
            rings.push((incoming, Arc::clone(&buffers)));
            let port = Arc::clone(&port);
            threads.push(thread::spawn(move || {
                for value in 1..=messages {
                    assert!(send(&mut outgoing, &buffers, value, INLINE));
                    port.tell(sender);
                }
            }));
        }
        let mut receiver = Receiver::new(&port, rings);
        // A thread of its own, since a late wake-up would end a `join` too.
        threads.push(thread::spawn(move || {
            let mut next = vec![1; senders];
            while next.iter().any(|next| *next <= messages) {
                match receiver.poll() {
                    Some((sender, value)) => {
                        assert_eq!(value, next[sender]);
                        next[sender] += 1;
                    }
                    None => receiver.sleep(&port),
                }
            }
        }));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn inbox_loses_no_message() {
    inbox_model(1, 2, Some(2));
}

#[test]
fn inbox_serves_two_senders() {
    inbox_model(2, 1, Some(3));
}

/// How far a rank comes that is killed behind its message.
#[derive(Clone, Copy, PartialEq)]
enum Killed {
    /// It has not told of it, nor of any before.
    Silent,
    /// It has not told of it, but of another before.
    Between,
    /// It has begun to wake the receiver, and has not made the call.
    BeforeTheCall,
}

/// A rank is killed behind its message, before all is told of it; whoever saw it end tells of that.
fn killed_model(how: Killed) {
    let mut model = model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let port = Port::new();
        let gone = Arc::new(ModelFutex::new());
        let Pair { mut outgoing, incoming, buffers } = pair(2);
        let mut receiver = Receiver::new(&port, vec![(incoming, Arc::clone(&buffers))]);
        let launcher = {
            let (port, gone) = (Arc::clone(&port), Arc::clone(&gone));
            thread::spawn(move || {
                // The rank; that its end is seen orders what it did before what follows.
                if how == Killed::Between {
                    assert!(send(&mut outgoing, &buffers, 1, INLINE));
                    port.tell(0);
                }
                assert!(send(&mut outgoing, &buffers, 2, BUFFER));
                if how == Killed::BeforeTheCall {
                    announce(ready(&port.ready, 0));
                    stop_before_the_call(&port);
                }
                tell_gone(
                    &*gone,
                    || _ = announce(ready(&port.ready, 0)),
                    || port.parker().wake_with_news(),
                );
            })
        };
        let rank = thread::spawn(move || {
            let mut found = Vec::new();
            loop {
                let last = is_gone(&*gone);
                match receiver.poll() {
                    Some((_, value)) => found.push(value),
                    None if last => break,
                    None => receiver.sleep(&port),
                }
            }
            assert_eq!(found, if how == Killed::Between { vec![1, 2] } else { vec![2] });
        });
        launcher.join().unwrap();
        rank.join().unwrap();
    });
}

#[test]
fn what_a_killed_rank_had_sent_is_found() {
    killed_model(Killed::Between);
}

#[test]
fn what_a_killed_rank_had_never_told_of_is_found() {
    killed_model(Killed::Silent);
}

/// SEMANTICS: END-2
#[test]
fn whom_a_killed_rank_was_about_to_wake_is_woken() {
    killed_model(Killed::BeforeTheCall);
}

/// The parker alone, with a word that `ready` finds and one that only news tells of.
fn parker_model(owner: fn(&Port), bringers: &'static [fn(&Port)]) {
    let mut model = model::Builder::new();
    model.preemption_bound = (bringers.len() > 1).then_some(3);
    model.check(move || {
        let port = Port::new();
        let spawn = |body: fn(&Port)| {
            let port = Arc::clone(&port);
            thread::spawn(move || body(&port))
        };
        let threads = [spawn(owner)].into_iter().chain(bringers.iter().map(|body| spawn(*body)));
        for thread in threads.collect::<Vec<_>>() {
            thread.join().unwrap();
        }
    });
}

/// Begins to wake the owner, and is taken off its core for ever before the call.
fn stop_before_the_call(port: &Port) {
    fence(Ordering::SeqCst);
    if let Some(asleep) = port.parker().find_asleep(|_| true) {
        port.parker().change_number(asleep);
    }
}

// Relaxed on purpose: the parker's own fences must do.
fn bring(port: &Port, bit: u64) {
    port.ready[0].fetch_or(bit, Ordering::Relaxed);
}

fn has(port: &Port, bits: u64) -> bool {
    port.ready[0].load(Ordering::Relaxed) & bits == bits
}

fn ring(port: &Port) {
    bring(port, 1);
    port.parker().wake();
}

fn put<const BIT: u64>(port: &Port) {
    bring(port, BIT);
    port.parker().wake_with_news();
}

#[test]
fn parker_loses_nothing_that_is_in_memory() {
    let owner = |port: &Port| {
        while !has(port, 1) {
            port.parker().sleep(&Fences::plain(), WakeOn::ANYTHING, None, || has(port, 1), None);
        }
    };
    parker_model(owner, &[ring]);
}

#[test]
fn parker_loses_no_news() {
    let owner = |port: &Port| {
        while !has(port, 1) {
            port.parker().sleep(&Fences::plain(), WakeOn::ANYTHING, None, || false, None);
        }
    };
    parker_model(owner, &[put::<1>]);
}

#[test]
fn parker_serves_two_bringers_of_news() {
    let owner = |port: &Port| {
        while !has(port, 3) {
            port.parker().sleep(&Fences::plain(), WakeOn::ANYTHING, None, || false, None);
        }
    };
    parker_model(owner, &[put::<1>, put::<2>]);
}

#[test]
fn parker_serves_a_message_and_news() {
    let owner = |port: &Port| {
        let mut seen = false;
        while !(seen && has(port, 2)) {
            port.parker().sleep(
                &Fences::plain(),
                WakeOn::ANYTHING,
                None,
                || !seen && has(port, 1),
                None,
            );
            seen |= has(port, 1);
        }
    };
    parker_model(owner, &[ring, put::<2>]);
}

/// Of two bringers one is taken off its core while it wakes the owner, which waits for the other alone.
/// SEMANTICS: FLOW-3
#[test]
fn parker_is_woken_though_another_bringer_stops_halfway() {
    let owner = |port: &Port| {
        while !has(port, 1) {
            port.parker().sleep(&Fences::plain(), WakeOn::ANYTHING, None, || has(port, 1), None);
        }
    };
    parker_model(owner, &[ring, stop_before_the_call]);
}

/// Two owners that sleep together, and a bringer that wakes both, or one alone.
fn together_model(bringer: fn(&[Arc<Port>; 2], &ModelFutex)) {
    let mut model = model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let ports = [Port::new(), Port::new()];
        let broadcast_word = Arc::new(ModelFutex::new());
        let together = WakeOn { together: true, ..WakeOn::ANYTHING };
        let owners = ports.clone().map(|port| {
            let broadcast_word = Arc::clone(&broadcast_word);
            thread::spawn(move || {
                while !has(&port, 1) {
                    port.parker().sleep(
                        &Fences::plain(),
                        together,
                        Some(&*broadcast_word),
                        || has(&port, 1),
                        None,
                    );
                }
            })
        });
        let bringer = thread::spawn(move || bringer(&ports, &broadcast_word));
        owners.into_iter().chain([bringer]).for_each(|thread| thread.join().unwrap());
    });
}

/// An owner sleeps together with others, and then alone. Who wakes all may have found it in the first of
/// these sleeps, and must not note that it is woken from the second, of which one call for all knows nothing.
/// SEMANTICS: FLOW-3
#[test]
fn a_parker_that_sleeps_alone_next_is_not_taken_for_woken() {
    let mut model = model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let ports = [Port::new(), Port::new()];
        ports.iter().for_each(|port| port.parker().say_asleep(true));
        let broadcast_word = ModelFutex::new();
        let [owner, bringer] = [(); 2].map(|()| Arc::clone(&ports[0]));
        // It has woken by itself.
        let owner = move || {
            while !has(&owner, 1) {
                let ready = || has(&owner, 1);
                owner.parker().sleep(&Fences::plain(), WakeOn::ANYTHING, None, ready, None);
            }
        };
        let bringer = move || ring(&bringer);
        let threads = [thread::spawn(owner), thread::spawn(bringer)];
        wake_many(ports.iter().map(|port| port.parker()), Some(&broadcast_word));
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn parkers_woken_together_lose_nothing() {
    together_model(|ports, broadcast_word| {
        ports.iter().for_each(|port| bring(port, 1));
        wake_many(ports.iter().map(|port| port.parker()), Some(broadcast_word));
    });
}

#[test]
fn a_parker_woken_alone_wakes_one_of_those_asleep_together() {
    together_model(|ports, _| {
        for port in ports {
            bring(port, 1);
            port.parker().wake();
        }
    });
}
