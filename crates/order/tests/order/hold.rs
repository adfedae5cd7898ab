//! The hold queue against a plain list of everything that has arrived.

use proptest::collection::vec;
use proptest::prelude::*;
use runahead_order::hold::Hold;
use runahead_order::{Clock, Rank};

const SENDERS: usize = 4;

/// A message, named by its how-many-th arrival.
type Name = u32;

/// What a queue of held messages does, for the queue, the oracle and a wrong one.
trait Holding {
    fn arrive(&mut self, from: Rank, stamp: Clock, clocks: &[Clock], name: Name) -> Option<Name>;
    fn poll(&mut self, clocks: &[Clock]) -> Vec<(Rank, Name)>;
    fn held(&self, from: Rank) -> Vec<(Clock, Name)>;
}

impl Holding for Hold<Name> {
    fn arrive(&mut self, from: Rank, stamp: Clock, clocks: &[Clock], name: Name) -> Option<Name> {
        // Who asks before is told the same, and leaves the same or nothing.
        let (mut direct, before) = (self.clone(), self.clone());
        let goes_first = self.held_from(from) == 0;
        let delivers = goes_first && direct.handle_stamp_to_deliver(from, stamp, clocks[from]);
        let arrived = self.handle_arrival(from, stamp, clocks[from], name);
        let arrived = arrived.expect("stamps do not fall");
        assert_eq!(delivers, arrived.is_some());
        assert_eq!(direct, if delivers { self.clone() } else { before });
        arrived
    }

    fn poll(&mut self, clocks: &[Clock]) -> Vec<(Rank, Name)> {
        let mut delivered = Vec::new();
        self.poll_deliverable(|from| clocks[from], |from, name| delivered.push((from, name)));
        assert_eq!(self.is_empty(), (0..SENDERS).all(|from| self.held_from(from) == 0));
        delivered
    }

    fn held(&self, from: Rank) -> Vec<(Clock, Name)> {
        let held: Vec<_> = self.iter_from(from).map(|(stamp, &name)| (stamp, name)).collect();
        assert_eq!(held.len(), self.held_from(from));
        held
    }
}

/// All that is held, in order of arrival. A message is deliverable when its stamp allows it and no
/// earlier one of the same sender is held; of those, the one that arrived first goes first.
#[derive(Default)]
struct Oracle(Vec<(Rank, Clock, Name)>);

impl Holding for Oracle {
    fn arrive(&mut self, from: Rank, stamp: Clock, clocks: &[Clock], name: Name) -> Option<Name> {
        let behind = self.0.iter().any(|&(sender, ..)| sender == from);
        if !behind && stamp <= clocks[from] {
            return Some(name);
        }
        self.0.push((from, stamp, name));
        None
    }

    fn poll(&mut self, clocks: &[Clock]) -> Vec<(Rank, Name)> {
        let mut delivered = Vec::new();
        loop {
            let head = |at: usize| {
                let (from, stamp, _) = self.0[at];
                stamp <= clocks[from] && self.0[..at].iter().all(|&(sender, ..)| sender != from)
            };
            let Some(at) = (0..self.0.len()).find(|&at| head(at)) else { return delivered };
            let (from, _, name) = self.0.remove(at);
            delivered.push((from, name));
        }
    }

    fn held(&self, from: Rank) -> Vec<(Clock, Name)> {
        let own = self.0.iter().filter(|held| held.0 == from);
        own.map(|&(_, stamp, name)| (stamp, name)).collect()
    }
}

/// The thesis's queue (algorithm 4.2): one FIFO for all senders, so that a message that is held
/// holds up everyone behind it.
#[derive(Default)]
struct OneFifo(Vec<(Rank, Clock, Name)>);

impl Holding for OneFifo {
    fn arrive(&mut self, from: Rank, stamp: Clock, clocks: &[Clock], name: Name) -> Option<Name> {
        if self.0.is_empty() && stamp <= clocks[from] {
            return Some(name);
        }
        self.0.push((from, stamp, name));
        None
    }

    fn poll(&mut self, clocks: &[Clock]) -> Vec<(Rank, Name)> {
        let ready = self.0.iter().take_while(|&&(from, stamp, _)| stamp <= clocks[from]).count();
        self.0.drain(..ready).map(|(from, _, name)| (from, name)).collect()
    }

    fn held(&self, from: Rank) -> Vec<(Clock, Name)> {
        let own = self.0.iter().filter(|held| held.0 == from);
        own.map(|&(_, stamp, name)| (stamp, name)).collect()
    }
}

#[derive(Clone, Debug)]
enum Event {
    /// A message with a stamp that is so much above the sender's last one.
    Arrive(Rank, Clock),
    /// The receive clock for a sender goes up by so much.
    Lift(Rank, Clock),
    Poll,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..SENDERS, 0..3u64).prop_map(|(from, by)| Event::Arrive(from, by)),
        2 => (0..SENDERS, 0..4u64).prop_map(|(from, by)| Event::Lift(from, by)),
        2 => Just(Event::Poll),
    ]
}

/// Whether the two do the same all along.
fn agree(one: &mut impl Holding, other: &mut impl Holding, events: &[Event], base: Clock) -> bool {
    let mut clocks = [base; SENDERS];
    let mut stamps = [base; SENDERS];
    for (name, event) in (0..).zip(events) {
        let same = match *event {
            Event::Arrive(from, by) => {
                stamps[from] += by;
                let stamp = stamps[from];
                one.arrive(from, stamp, &clocks, name) == other.arrive(from, stamp, &clocks, name)
            }
            Event::Lift(from, by) => {
                clocks[from] += by;
                true
            }
            Event::Poll => one.poll(&clocks) == other.poll(&clocks),
        };
        if !same || (0..SENDERS).any(|from| one.held(from) != other.held(from)) {
            return false;
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// SEMANTICS: ORD-2, HOLD-1, HOLD-2, HOLD-3
    #[test]
    fn hold_queue_is_the_list(
        events in vec(event(), 1..150),
        base in prop_oneof![Just(0), Just((1u64 << 48) - 3), Just((1u64 << 63) - 3)],
    ) {
        prop_assert!(agree(&mut Hold::new(SENDERS), &mut Oracle::default(), &events, base));
    }
}

/// A planted fault: one FIFO for all senders is told apart by the shortest course that matters, a
/// held message of one sender and one of another that is due.
///
/// SEMANTICS: HOLD-2
#[test]
fn one_fifo_for_all_senders_is_rejected() {
    let course = [Event::Arrive(1, 1), Event::Arrive(2, 0)];
    assert!(!agree(&mut OneFifo::default(), &mut Oracle::default(), &course, 0));
    assert!(agree(&mut Hold::new(SENDERS), &mut Oracle::default(), &course, 0));
    // It is not rejected for anything else.
    let harmless = [Event::Arrive(1, 1), Event::Arrive(1, 1), Event::Lift(1, 1), Event::Poll];
    assert!(agree(&mut OneFifo::default(), &mut Oracle::default(), &harmless, 0));
}

/// Messages of several senders become deliverable by one barrier: they come in the order in which
/// they were noticed, also where a later head stands behind an earlier one of its own sender.
///
/// SEMANTICS: HOLD-3, ORD-2
#[test]
fn deliverable_messages_come_in_order_of_arrival() {
    let mut hold = Hold::new(3);
    let arrivals = [(2, "c1"), (0, "a1"), (2, "c2"), (1, "b1"), (0, "a2"), (1, "b2")];
    for (from, name) in arrivals {
        assert_eq!(hold.handle_arrival(from, 1, 0, name), Ok(None));
    }
    assert_eq!(hold.handle_arrival(1, 2, 0, "b3"), Ok(None));
    assert_eq!(hold.handle_arrival(0, 1, 0, "a3"), Ok(None));
    let mut delivered = Vec::new();
    hold.poll_deliverable(|_| 1, |_, name| delivered.push(name));
    assert_eq!(delivered, ["c1", "a1", "c2", "b1", "a2", "b2", "a3"]);
    assert_eq!((hold.held_from(1), hold.is_empty()), (1, false));
}

/// What is due but stands behind a held message of its own sender waits with it.
///
/// SEMANTICS: ORD-2, HOLD-2
#[test]
fn message_never_overtakes_its_own_sender() {
    let mut hold = Hold::new(2);
    assert_eq!(hold.handle_arrival(0, 1, 0, "first"), Ok(None));
    // The clock has moved, and nobody has polled yet.
    assert_eq!(hold.handle_arrival(0, 1, 1, "second"), Ok(None));
    assert_eq!(hold.handle_arrival(1, 1, 1, "of another"), Ok(Some("of another")));
    let mut delivered = Vec::new();
    hold.poll_deliverable(|_| 1, |_, name| delivered.push(name));
    assert_eq!(delivered, ["first", "second"]);
}
