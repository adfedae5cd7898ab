//! Two ends of a connection of the reliability layer, and between them a network that first breaks and then heals:
//! frames are lost, repeated, late and out of order, in any pattern, and time is handed in. What has to come of it:
//! every message is delivered once and in order, never more is kept than a window, nobody has to be told of anything
//! but by frames and by time, and once the network has healed all comes to its end.
//!
//! The core keeps numbers; what would be bytes is kept here, at the places that it says. Planted faults show that the
//! checks bite: each changes what an end sends, keeps or says of its deadlines.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use runahead::internals::provider::reliable::{
    Connection, Frame, Kind, Moment, Taken, Timeouts, Transmit,
};

/// What an end does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plant {
    Nothing,
    /// It acknowledges one message that has not come.
    AcknowledgesTooFar,
    /// It acknowledges one message less than has come.
    AcknowledgesTooLittle,
    /// It never sends an acknowledgement alone.
    NeverAcknowledgesAlone,
    /// It sends nothing a second time.
    NeverRepeats,
    /// It sends the newest again instead of the oldest.
    RepeatsTheNewest,
    /// It says that it has nothing to do at any time.
    ForgetsItsTimer,
    /// It never asks.
    NeverAsks,
    /// It delivers what comes again.
    DeliversTwice,
    /// It delivers as things come.
    DeliversEarly,
    /// It says that there is room for one more than there is.
    TellsTooMuchRoom,
    /// It never says that there is room again.
    KeepsRoom,
    /// Of its numbers 16 bits go over the wire.
    CutsNumbers,
    /// It takes a message for acknowledged when it has been sent.
    LeavesEarly,
    /// What it keeps for repetitions lies one place off.
    KeepsAtAnotherPlace,
}

/// What was wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Violation {
    OutOfOrder {
        expected: u64,
        found: u64,
    },
    /// A place holds nothing, or something is overwritten that is still needed.
    Place(u64),
    Impossible,
    Lost,
    /// Nothing more happens, and not all has come.
    Stuck,
    /// It goes on and on.
    Endless,
    /// An end has left, and not all that it had sent has come.
    LeftOwing {
        delivered: u64,
    },
    /// More under way than there are descriptors.
    TooMuch,
}

/// What happens, and how often.
#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    window: u32,
    first: u64,
    /// Messages in each direction.
    counts: [u64; 2],
    /// Of 100 frames, as long as the network is broken.
    lost: u32,
    repeated: u32,
    /// The longest delay, in microseconds; any frame may overtake another within that.
    delay: u64,
    /// When it heals.
    heals_at: Duration,
    /// Frames that are lost in a row at the beginning, in each direction.
    cut: [u32; 2],
    /// Of 100 turns, in how many the layer above takes nothing and posts nothing.
    lazy: u32,
}

struct End {
    connection: Connection,
    plant: Plant,
    /// The number after the highest that was sent.
    sent: u64,
    /// What was posted, at the places of its numbers.
    copies: Vec<Option<u64>>,
    /// What has come.
    kept: Vec<Option<u64>>,
    posted: u64,
    to_post: u64,
    delivered: u64,
    /// Of these, how many still lie in their descriptors.
    held: u64,
    has_left: bool,
}

impl End {
    fn new(case: &Case, to_post: u64, plant: Plant) -> End {
        let window = case.window as usize;
        End {
            connection: Connection::new(case.window, case.first, timeouts()),
            plant,
            sent: case.first,
            copies: vec![None; 2 * window],
            kept: vec![None; window],
            posted: 0,
            to_post,
            delivered: 0,
            held: 0,
            has_left: false,
        }
    }

    fn place(&self, number: u64) -> usize {
        (number % self.connection.window()) as usize
    }

    fn place_of_copy(&self, number: u64) -> usize {
        (number % self.connection.capacity()) as usize
    }

    /// The layer above: takes what has come, posts what it can.
    fn turn(&mut self, now: Moment, is_lazy: bool) -> Result<(), Violation> {
        if !is_lazy {
            while self.held > 0 && self.plant != Plant::KeepsRoom {
                self.held -= 1;
                self.connection.handle_repost(now);
            }
            while let Some(number) = self.connection.poll_deliver() {
                if self.plant == Plant::DeliversEarly {
                    self.held += 1;
                    continue;
                }
                let place = self.place(number);
                let found = self.kept[place].take().ok_or(Violation::Place(number))?;
                self.deliver(found)?;
                self.held += 1;
            }
        }
        while self.posted < self.to_post && !(is_lazy && self.posted > 0) {
            if !self.connection.can_post() {
                self.connection.handle_refused(now);
                break;
            }
            let number = self.connection.handle_post(now);
            let place = match self.plant {
                Plant::KeepsAtAnotherPlace => self.place_of_copy(number + 1),
                _ => self.place_of_copy(number),
            };
            self.copies[place] = Some(self.posted);
            self.posted += 1;
        }
        Ok(())
    }

    fn deliver(&mut self, found: u64) -> Result<(), Violation> {
        let expected = self.delivered;
        if found != expected {
            return Err(Violation::OutOfOrder { expected, found });
        }
        self.delivered += 1;
        Ok(())
    }

    /// The next frame: its bytes, with the message as a number.
    fn transmit(&mut self, now: Moment) -> Result<Option<Vec<u8>>, Violation> {
        while let Some(Transmit { mut header, mut message }) = self.connection.poll_transmit(now) {
            let newest = self.sent;
            let is_again = message.is_some_and(|number| number < newest);
            self.sent = newest.max(message.map_or(newest, |number| number + 1));
            match self.plant {
                Plant::AcknowledgesTooFar => header.ack = header.ack.wrapping_add(1),
                Plant::AcknowledgesTooLittle => header.ack = header.ack.wrapping_sub(1),
                Plant::NeverAcknowledgesAlone if header.kind == Kind::Ack => continue,
                Plant::NeverAsks if header.kind == Kind::Ask => continue,
                Plant::NeverRepeats if is_again => continue,
                Plant::RepeatsTheNewest if is_again => {
                    message = Some(newest - 1);
                    header.number = (newest - 1) as u32;
                }
                Plant::TellsTooMuchRoom => header.room = header.room.wrapping_add(1),
                Plant::CutsNumbers => header.number &= 0xffff,
                _ => {}
            }
            let mut bytes = header.encode().to_vec();
            if let Some(number) = message {
                let copy =
                    self.copies[self.place_of_copy(number)].ok_or(Violation::Place(number))?;
                bytes.extend(copy.to_le_bytes());
            }
            return Ok(Some(bytes));
        }
        if self.connection.is_lost() { Err(Violation::Lost) } else { Ok(None) }
    }

    fn receive(&mut self, now: Moment, bytes: &[u8]) -> Result<(), Violation> {
        let frame = Frame::new_checked(bytes).map_err(|_| Violation::Impossible)?;
        let message = frame.message().first_chunk().copied().map(u64::from_le_bytes);
        let taken = self.connection.handle_frame(now, frame.header());
        match (taken.map_err(|_| Violation::Impossible)?, message) {
            (Taken::New(_), Some(message)) if self.plant == Plant::DeliversEarly => {
                self.deliver(message)?;
            }
            (Taken::New(number), Some(message)) => {
                let place = self.place(number);
                let is_taken = self.kept[place].replace(message).is_some();
                let kept = self.kept.iter().flatten().count() as u64;
                if is_taken || kept + self.held > self.connection.window() {
                    return Err(Violation::TooMuch);
                }
            }
            (Taken::Nothing, Some(message)) if self.plant == Plant::DeliversTwice => {
                self.deliver(message)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether it has nothing left to do.
    fn is_done(&self, to_come: u64) -> bool {
        let has_sent = match self.plant {
            Plant::LeavesEarly => self.connection.poll_timeout() != Some(Moment::ZERO),
            _ => self.connection.is_settled(),
        };
        self.posted == self.to_post && has_sent && self.delivered == to_come
    }

    fn timeout(&self) -> Option<Moment> {
        if self.plant == Plant::ForgetsItsTimer { None } else { self.connection.poll_timeout() }
    }
}

fn timeouts() -> Timeouts {
    Timeouts {
        first_timeout: Duration::from_micros(500),
        longest_timeout: Duration::from_millis(8),
        ack_delay: Duration::from_micros(50),
        tries: 400,
    }
}

/// The frames under way, by when they come.
struct Network {
    draws: fastrand::Rng,
    under_way: BTreeMap<(Moment, u64), (usize, Vec<u8>)>,
    number: u64,
    /// Frames that are still lost in a row, by whom they are for.
    cut: [u32; 2],
}

impl Network {
    fn carry(&mut self, case: &Case, now: Moment, to: usize, bytes: Vec<u8>) {
        let is_broken = now < case.heals_at;
        let cut = &mut self.cut[to];
        if *cut > 0 {
            *cut -= 1;
            return;
        }
        let draws = &mut self.draws;
        let times = match is_broken {
            true if draws.u32(0..100) < case.lost => 0,
            true if draws.u32(0..100) < case.repeated => 2,
            _ => 1,
        };
        for _ in 0..times {
            let delay = draws.u64(1..=if is_broken { case.delay + 1 } else { 20 });
            let at = now + Duration::from_micros(delay);
            self.under_way.insert((at, self.number), (to, bytes.clone()));
            self.number += 1;
        }
    }

    fn arrive(&mut self, now: Moment) -> Option<(usize, Vec<u8>)> {
        let first = self.under_way.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(first.remove())
    }

    fn next(&self) -> Option<Moment> {
        self.under_way.keys().next().map(|(at, _)| *at)
    }
}

/// Runs a case in which end 0 does something wrong, or nothing.
fn run(case: &Case, plant: Plant) -> Result<(), Violation> {
    let [first, second] = case.counts;
    let mut ends = [End::new(case, first, plant), End::new(case, second, Plant::Nothing)];
    let draws = fastrand::Rng::with_seed(case.seed);
    let mut network = Network { draws, under_way: BTreeMap::new(), number: 0, cut: case.cut };
    // When the layer above comes back by itself: at first, and after it was lazy.
    let mut back_at = [Some(Moment::ZERO); 2];
    let mut now = Moment::ZERO;
    // Nothing takes longer than to wait for the longest timeout once, and for each frame of a cut, and then some for
    // each message.
    let tries = u64::from(1 + case.cut[0] + case.cut[1]);
    let until = case.heals_at + Duration::from_millis(8 * tries + 5 * (first + second));
    for _ in 0..100_000 {
        let mut has_news = [false; 2];
        while let Some((to, bytes)) = network.arrive(now) {
            if !ends[to].has_left {
                ends[to].receive(now, &bytes)?;
                has_news[to] = true;
            }
        }
        for at in 0..2 {
            let is_due = |time: Option<Moment>| time.is_some_and(|time| time <= now);
            let is_called = is_due(back_at[at]) || has_news[at] || is_due(ends[at].timeout());
            if ends[at].has_left || !is_called {
                continue;
            }
            let is_lazy = network.draws.u32(0..100) < case.lazy;
            back_at[at] = is_lazy.then_some(now + Duration::from_micros(100));
            ends[at].turn(now, is_lazy)?;
            while let Some(bytes) = ends[at].transmit(now)? {
                network.carry(case, now, 1 - at, bytes);
            }
        }
        for at in 0..2 {
            let to_come = ends[1 - at].to_post;
            // Who leaves takes nothing more, and the other learns of it when all has come that is under way.
            ends[at].has_left |= ends[at].is_done(to_come);
            if ends[at].has_left && !network.under_way.values().any(|(to, _)| *to == 1 - at) {
                ends[1 - at].connection.handle_gone();
                ends[1 - at].turn(now, false)?;
                let delivered = ends[1 - at].delivered;
                if delivered < ends[at].to_post {
                    return Err(Violation::LeftOwing { delivered });
                }
                return Ok(());
            }
        }
        let there = (0..2).filter(|&at| !ends[at].has_left);
        let next =
            there.flat_map(|at| [ends[at].timeout(), back_at[at]]).flatten().chain(network.next());
        now = next.min().ok_or(Violation::Stuck)?.max(now);
        if now > until {
            return Err(Violation::Endless);
        }
    }
    Err(Violation::Endless)
}

fn case() -> impl Strategy<Value = Case> {
    let window = prop_oneof![4 => 1..9u32, 1 => Just(64)];
    let first = prop_oneof![
        Just(0),
        // About to wrap around, of 32 bits and, once more, of many.
        (1u64 << 32) - 40..1 << 32,
        (7u64 << 32) - 40..7 << 32,
        0..1u64 << 60,
    ];
    let network = (0..=60u32, 0..=40u32, 0..2000u64, 0..20_000u64, [0..20u32, 0..20]);
    (any::<u64>(), window, first, [0..60u64, 0..60], network, 0..=70u32).prop_map(
        |(seed, window, first, counts, network, lazy)| {
            let (lost, repeated, delay, heals_at, cut) = network;
            let heals_at = Duration::from_micros(heals_at);
            Case { seed, window, first, counts, lost, repeated, delay, heals_at, cut, lazy }
        },
    )
}

proptest! {
    // SEMANTICS: NET-1, NET-2
    #[test]
    fn whatever_breaks_and_heals_all_arrives_once_and_in_order(case in case()) {
        prop_assert_eq!(run(&case, Plant::Nothing), Ok(()));
    }

    /// A peer may send what it likes: it is taken, or called impossible, and nothing is kept beyond the window.
    // SEMANTICS: SAFE-1
    #[test]
    fn a_peer_that_lies_does_no_harm(
        window in 1..5u32,
        first in prop_oneof![Just(0), (1u64 << 32) - 3..1 << 32],
        frames in proptest::collection::vec((0..4u8, 0..8u32, 0..8u32, 0..8u32, any::<u8>()), 0..60),
    ) {
        let mut connection = Connection::new(window, first, timeouts());
        let mut kept = std::collections::BTreeSet::new();
        let mut now = Moment::ZERO;
        let mut held = 0;
        for (kind, number, ack, room, then) in frames {
            let kind = [Kind::Data, Kind::Ack, Kind::Ask, Kind::Farewell][usize::from(kind)];
            // Mostly near what is possible, on either side of it.
            let near = |by: u32| (first as u32).wrapping_add(by).wrapping_sub(2);
            let (number, ack, room) = (near(number), near(ack), near(room));
            let header = runahead::internals::provider::reliable::Header { kind, number, ack, room };
            let before = connection.clone();
            match connection.handle_frame(now, &header) {
                Ok(Taken::New(number)) => prop_assert!(kept.insert(number)),
                Ok(Taken::Nothing) => {}
                Err(_) => prop_assert_eq!(&before, &connection),
            }
            prop_assert!(kept.len() as u64 + held <= u64::from(window));
            if connection.can_post() && then % 2 == 0 {
                connection.handle_post(now);
            }
            if then % 3 == 0 && let Some(number) = connection.poll_deliver() {
                prop_assert!(kept.remove(&number));
                held += 1;
            }
            if then % 5 == 0 && held > 0 {
                connection.handle_repost(now);
                held -= 1;
            }
            while connection.poll_transmit(now).is_some() {}
            now += Duration::from_micros(u64::from(then) * 10);
        }
    }
}

/// A case that gives each planted fault an occasion.
fn rough(seed: u64) -> Case {
    Case {
        seed,
        window: 2 + seed as u32 % 3,
        first: [0, 0xffff_fff0, 0xfff0][seed as usize % 3],
        // Where messages go one way, nothing else says what acknowledgements do.
        counts: [40, seed % 2 * 40],
        lost: 30,
        repeated: 30,
        delay: 300,
        heals_at: Duration::from_millis(40),
        cut: [0, 0],
        lazy: 30,
    }
}

/// In how many of 40 rough cases a planted fault is noticed.
fn noticed(plant: Plant) -> usize {
    (0..40).filter(|&seed| run(&rough(seed), plant).is_err()).count()
}

#[test]
fn planted_faults_are_noticed() {
    assert_eq!(noticed(Plant::Nothing), 0);
    for (plant, at_least) in [
        (Plant::AcknowledgesTooFar, 40),
        (Plant::AcknowledgesTooLittle, 40),
        (Plant::NeverAcknowledgesAlone, 12),
        (Plant::NeverRepeats, 40),
        (Plant::RepeatsTheNewest, 38),
        (Plant::ForgetsItsTimer, 18),
        (Plant::NeverAsks, 12),
        (Plant::DeliversTwice, 20),
        (Plant::DeliversEarly, 20),
        (Plant::TellsTooMuchRoom, 40),
        (Plant::KeepsRoom, 20),
        (Plant::CutsNumbers, 20),
        (Plant::LeavesEarly, 8),
        (Plant::KeepsAtAnotherPlace, 40),
    ] {
        let noticed = noticed(plant);
        assert!(noticed >= at_least, "{plant:?} is noticed in {noticed} of 40");
    }
}

fn post(connection: &mut Connection, count: u64, now: Moment) {
    for _ in 0..count {
        connection.handle_post(now);
    }
}

/// Takes what `from` has to send now to `to`, and returns what kinds of frames these were.
fn pass(from: &mut Connection, to: &mut Connection, now: Moment) -> Vec<Kind> {
    let frames = std::iter::from_fn(|| from.poll_transmit(now));
    frames
        .map(|Transmit { header, .. }| {
            to.handle_frame(now, &header).expect("it keeps to the protocol");
            header.kind
        })
        .collect()
}

/// Who was refused for want of room asks for it, is told of it unasked, and tells the layer above; then nobody has
/// anything to do.
// SEMANTICS: NET-1
#[test]
fn room_is_asked_for_and_told() {
    let new = || Connection::new(1, 0, timeouts());
    let (mut here, mut there) = (new(), new());
    let now = Moment::ZERO;
    here.handle_post(now);
    assert_eq!(pass(&mut here, &mut there, now), [Kind::Data]);
    assert_eq!(there.poll_deliver(), Some(0));
    assert_eq!(pass(&mut there, &mut here, now), [Kind::Ack]);
    assert!(here.is_settled() && here.can_post());
    assert_eq!(here.poll_timeout(), None, "nobody wants anything");
    // This one waits for a descriptor; for the next there is no room here.
    here.handle_post(now);
    assert!(here.poll_transmit(now).is_none() && !here.can_post());
    here.handle_refused(now);
    let at = here.poll_timeout().expect("it asks");
    assert_eq!(at, timeouts().first_timeout);
    assert_eq!(pass(&mut here, &mut there, at), [Kind::Ask]);
    assert_eq!(pass(&mut there, &mut here, at), [Kind::Ack]);
    assert!(!here.take_new_room() && !here.can_post());
    there.handle_repost(at);
    assert_eq!(pass(&mut there, &mut here, at), [Kind::Ack]);
    assert!(here.can_post() && here.take_new_room() && !here.take_new_room());
    assert_eq!(pass(&mut here, &mut there, at), [Kind::Data]);
    assert_eq!(pass(&mut there, &mut here, at), [Kind::Ack]);
    assert_eq!((here.poll_timeout(), there.poll_timeout()), (None, None));
    here.handle_refused(at);
    assert!(here.poll_timeout().is_some(), "it asks though nothing is under way");
}

/// Acknowledgements wait for something to travel with, as long as half a window is left; not where something is missing.
#[test]
fn acknowledgements_travel_with_messages() {
    let new = || Connection::new(8, 0, timeouts());
    let (mut here, mut there) = (new(), new());
    let now = Moment::ZERO;
    post(&mut here, 3, now);
    assert_eq!(pass(&mut here, &mut there, now), [Kind::Data; 3]);
    assert_eq!(there.poll_timeout(), Some(timeouts().ack_delay));
    there.handle_post(now);
    assert_eq!(pass(&mut there, &mut here, now), [Kind::Data]);
    assert!(here.is_settled());
    assert_eq!(
        there.poll_timeout(),
        Some(timeouts().first_timeout),
        "nothing is owed but an answer"
    );
    post(&mut here, 2, now);
    assert!(here.poll_transmit(now).is_some(), "the first is lost");
    assert_eq!(pass(&mut here, &mut there, now), [Kind::Data]);
    assert_eq!(pass(&mut there, &mut here, now), [Kind::Ack], "another is missing");
    post(&mut here, 3, now);
    let again = timeouts().first_timeout;
    assert_eq!(pass(&mut here, &mut there, again), [Kind::Data; 4], "the lost one too");
    assert_eq!(pass(&mut there, &mut here, again), [Kind::Ack], "half a window, and an old one");
}

/// A peer that answers nothing is lost, after as many tries as it may take and no less; one that answers late is not.
// SEMANTICS: NET-1
#[test]
fn a_peer_that_answers_nothing_is_lost() {
    let mut connection = Connection::new(4, 0, timeouts());
    connection.handle_post(Moment::ZERO);
    let mut sent = 0;
    let mut now = Moment::ZERO;
    let answer = Connection::new(4, 0, timeouts()).farewell().header;
    while !connection.is_lost() {
        assert!(sent < 2000, "it goes on for ever");
        while connection.poll_transmit(now).is_some() {
            sent += 1;
        }
        // It answers once, that nothing has come: from then on it may be silent for as long again.
        if sent == 200 {
            assert_eq!(connection.handle_frame(now, &answer), Ok(Taken::Nothing));
        }
        now = connection.poll_timeout().unwrap_or(now);
    }
    // Once at first, and then the tries of before and after the answer.
    assert_eq!(sent, 200 + timeouts().tries);
    assert!(now > Duration::from_secs(4), "less and less often: {now:?}");
    assert_eq!(connection.poll_timeout(), None);
}
