//! The device of this rank: what it tells of itself, and whether it answers at all.
//!
//! Requests that fail tell otherwise that a peer has failed. A device that fails as a whole
//! completes none, so it is read what the device tells (`ibv_get_async_event`), and noticed when
//! nothing that was asked of it is done, or has failed, for a minute. Then all peers are lost: no
//! rank hangs.
//!
//! It does not ask; that is `control`'s.

use std::time::Duration;

use super::losses::Losses;
use crate::order::Rank;
use crate::sys::ibverbs::{Event, Events};
use crate::sys::time::Instant;

/// The verb by which a device tells of itself.
pub(super) const EVENTS: &str = "ibv_get_async_event";

/// A device as a whole, or what all peers need of it, has failed.
pub(super) const FAILED: &str = "the RDMA device of this rank has failed";
pub(super) const TAKEN: &str = "the RDMA device of this rank was taken away";
pub(super) const QUEUE: &str = "a completion queue of this rank has failed";
pub(super) const MUTE: &str = "the RDMA device of this rank does not answer";

/// How often it is looked at.
pub(super) const LOOK_AROUND: Duration = Duration::from_millis(100);

/// How long a device may take for a request: it gives up a peer that is silent after some 8 s, and
/// may take four times as long.
const LIMIT: Duration = Duration::from_secs(60);

/// The most that a time between two looks counts: a rank that was stopped for a while could not see
/// what came meanwhile.
const STEP: Duration = Duration::from_secs(1);

/// How long a port that has come up again is spoken of.
const RECENTLY: Duration = Duration::from_secs(60);

/// How long a device has been silent, as far as this rank has looked.
#[derive(Debug)]
struct Watch {
    limit: Duration,
    silent: Duration,
    looked_at: Instant,
    /// So many requests were done or had failed, when it was looked at last.
    heard: u64,
}

impl Watch {
    fn new(now: Instant) -> Watch {
        Watch { limit: LIMIT, silent: Duration::ZERO, looked_at: now, heard: 0 }
    }

    /// Whether the device answers no more. Something `is_asked` of it; `heard` so many of all
    /// requests have completed.
    fn is_over(&mut self, now: Instant, is_asked: bool, heard: u64) -> bool {
        let passed = now.saturating_since(self.looked_at).min(STEP);
        self.looked_at = now;
        if !is_asked || heard != self.heard {
            (self.silent, self.heard) = (Duration::ZERO, heard);
            return false;
        }
        self.silent = self.silent.saturating_add(passed);
        self.silent >= self.limit
    }
}

/// The state of the port that this rank uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Port {
    Up,
    Down,
    UpSince(Instant),
}

/// Which peers an event concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concern {
    Everyone,
    Peer(Rank),
}

/// The device of a rank.
pub(super) struct Device {
    name: String,
    number: u8,
    port: Port,
    /// None once it has told that it has failed.
    events: Option<Events>,
    /// The numbers of its queue pairs: for each lane one for each peer.
    pairs: Vec<u32>,
    size: usize,
    watch: Watch,
    /// How it sends, where that is not as usual: what its requests bear.
    pub(super) route_text: String,
}

impl Device {
    pub(super) fn new(
        (name, number): (String, u8),
        route_text: String,
        events: Events,
        pairs: Vec<u32>,
        size: usize,
    ) -> Device {
        let watch = Watch::new(Instant::now());
        Device {
            name,
            number,
            port: Port::Up,
            events: Some(events),
            pairs,
            size,
            watch,
            route_text,
        }
    }

    /// Takes in what the device has told. Notes the peers that are lost by it, of those that are
    /// `there`.
    pub(super) fn hear(&mut self, losses: &Losses, is_there: &dyn Fn(Rank) -> bool) {
        while let Some(event) = self.events.as_ref().and_then(Events::next) {
            let Some((concern, why)) = self.take(event, Instant::now()) else { continue };
            match concern {
                Concern::Everyone => {
                    self.events = None;
                    self.lose_all(losses, EVENTS, why, is_there);
                }
                Concern::Peer(peer) if is_there(peer) => losses.note(peer, EVENTS, why),
                Concern::Peer(_) => {}
            }
        }
    }

    /// Which peers are lost by an event, and why.
    fn take(&mut self, event: Event, now: Instant) -> Option<(Concern, &'static str)> {
        match event {
            Event::DeviceFailed => return Some((Concern::Everyone, FAILED)),
            Event::DeviceGone => return Some((Concern::Everyone, TAKEN)),
            Event::QueueFailed => return Some((Concern::Everyone, QUEUE)),
            Event::PairFailed { number, how } => {
                // 0 stands for pairs that are not; and none of these sends to a group.
                let at = self.pairs.iter().position(|&own| own == number && own != 0)?;
                return Some((Concern::Peer(at % self.size), how));
            }
            Event::PortDown(number) if number == self.number => self.port = Port::Down,
            Event::PortUp(number) if number == self.number && self.port == Port::Down => {
                self.port = Port::UpSince(now);
            }
            Event::PortDown(_) | Event::PortUp(_) | Event::Other => {}
        }
        None
    }

    /// Looks whether the device answers. Something `is_asked` of it, and so many requests have
    /// completed at all. Returns whether it answers no more: all peers are lost then.
    pub(super) fn is_mute(&mut self, now: Instant, is_asked: bool, heard: u64) -> bool {
        self.watch.is_over(now, is_asked, heard)
    }

    /// Notes that all peers that are `there` are lost, by which verb that was noticed, and why.
    pub(super) fn lose_all(
        &self,
        losses: &Losses,
        verb: &'static str,
        why: &'static str,
        is_there: &dyn Fn(Rank) -> bool,
    ) {
        (0..self.size).filter(|&peer| is_there(peer)).for_each(|peer| losses.note(peer, verb, why));
    }

    /// What is wrong with the port here, for one whose peer does not answer.
    pub(super) fn port_in_words(&self, now: Instant) -> Option<String> {
        let (number, name) = (self.number, &self.name);
        match self.port {
            Port::Down => Some(format!("port {number} of {name}, the device here, is down")),
            Port::UpSince(since) if now.saturating_since(since) < RECENTLY => {
                Some(format!("port {number} of {name}, the device here, was down until just now"))
            }
            _ => None,
        }
    }

    /// The device is given up so soon; for tests.
    #[cfg(planted)]
    pub(super) fn plant_limit(&mut self, limit: Duration) {
        self.watch.limit = limit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> Device {
        let watch = Watch::new(Instant::now());
        // Two lanes of three ranks, of which this is rank 1.
        let pairs = vec![7, 0, 8, 9, 0, 10];
        let name = "mlx5_0".to_owned();
        Device {
            name,
            number: 2,
            port: Port::Up,
            events: None,
            pairs,
            size: 3,
            watch,
            route_text: String::new(),
        }
    }

    /// (Planted: an event of any port; the pair's place for its peer.)
    #[test]
    fn an_event_loses_the_peers_that_it_concerns() {
        let (mut device, now) = (device(), Instant::now());
        let everyone = |why| Some((Concern::Everyone, why));
        assert_eq!(device.take(Event::DeviceFailed, now), everyone(FAILED));
        assert_eq!(device.take(Event::DeviceGone, now), everyone(TAKEN));
        assert_eq!(device.take(Event::QueueFailed, now), everyone(QUEUE));
        let of = |number| Event::PairFailed { number, how: "so" };
        let lost = |peer| Some((Concern::Peer(peer), "so"));
        assert_eq!([7, 9].map(|number| device.take(of(number), now)), [lost(0); 2]);
        assert_eq!([8, 10].map(|number| device.take(of(number), now)), [lost(2); 2]);
        assert_eq!([0, 11].map(|number| device.take(of(number), now)), [None; 2]);
        assert_eq!((device.take(Event::Other, now), device.port_in_words(now)), (None, None));
    }

    #[test]
    fn the_port_is_mentioned_while_it_is_down_and_shortly_after() {
        let (mut device, now) = (device(), Instant::now());
        let later = |seconds| now.after(Duration::from_secs(seconds)).unwrap();
        // Another's, and one that was up.
        device.take(Event::PortDown(1), now);
        device.take(Event::PortUp(2), now);
        assert_eq!(device.port_in_words(now), None);
        device.take(Event::PortDown(2), now);
        device.take(Event::PortUp(1), now);
        let said = device.port_in_words(later(1000)).unwrap();
        assert_eq!(said, "port 2 of mlx5_0, the device here, is down");
        device.take(Event::PortUp(2), later(1000));
        assert!(device.port_in_words(later(1010)).unwrap().contains("was down"));
        assert_eq!(device.port_in_words(later(1100)), None);
    }

    #[test]
    fn a_failed_device_loses_only_the_peers_that_are_there() {
        let losses = Losses::of(3);
        device().lose_all(&losses, EVENTS, FAILED, &|peer| peer == 2);
        assert_eq!([0, 1, 2].map(|peer| losses.has(peer)), [false, false, true]);
    }

    /// (Planted: a silence that a completion does not end; a stop that counts whole.)
    #[test]
    fn a_device_is_given_up_after_a_minute_of_observed_silence() {
        let start = Instant::now();
        let at = |seconds| start.after(Duration::from_secs(seconds)).unwrap();
        let mut watch = Watch::new(start);
        // Nothing is expected of a device of which nothing is asked.
        assert!((1..200).all(|second| !watch.is_over(at(second), false, 0)));
        assert!((200..259).all(|second| !watch.is_over(at(second), true, 0)));
        // At last one answer.
        assert!((259..318).all(|second| !watch.is_over(at(second), true, 1)));
        // A rank that was stopped has looked twice.
        assert!(!watch.is_over(at(10_000), true, 2) && !watch.is_over(at(20_000), true, 2));
        assert!((20_001..20_059).all(|second| !watch.is_over(at(second), true, 2)));
        assert!(watch.is_over(at(20_059), true, 2));
    }
}
