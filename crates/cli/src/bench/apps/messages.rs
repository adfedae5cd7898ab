//! Messages between pairs of ranks in the manner of the micro-benchmarks of OSU: there and back, exchanged, and many one
//! behind the other, of memory that was written before or of the same each time. What comes is checked. The same as
//! benches/peers/messages.c.

use runahead::{Comm, Error, Result};

use super::{RankReport, warm_up};
use crate::sys::now_ns;

/// As many messages follow one another in a window of OSU's, and in a round here; fewer where they are long.
const WINDOW: usize = 64;
const MOST_BYTES: usize = 64 << 20;
const TAG: u32 = 1;
const TAG_BACK: u32 = 2;

/// The ways, in the order in which they are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// There and back, of the same memory.
    ThereAndBack,
    /// From each to the other.
    Exchange,
    /// Blocking sends, one after the other.
    OneByOne,
    /// A window of sends that are posted, each of memory of its own.
    Window,
    /// The same of one memory.
    SameWindow,
}

impl Way {
    const ALL: [Way; 5] =
        [Way::ThereAndBack, Way::Exchange, Way::OneByOne, Way::Window, Way::SameWindow];

    /// Whether all words are written before each round, or the first alone, so that memory stays in caches.
    fn writes_all(self) -> bool {
        !matches!(self, Way::ThereAndBack | Way::SameWindow)
    }

    /// Whether this rank sends, and whether it receives.
    fn directions(self, rank: usize) -> (bool, bool) {
        let is_first = rank.is_multiple_of(2);
        match self {
            Way::ThereAndBack | Way::Exchange => (true, true),
            Way::OneByOne | Way::Window | Way::SameWindow => (is_first, !is_first),
        }
    }
}

/// The figures at rank 0: for each way the largest of the ranks' mean times of a message, in nanoseconds; then for
/// each how many messages that timed. There are fewer where they take long.
///
/// # Errors
///
/// Those of the calls; and if a message is wrong.
pub(super) fn run(world: &Comm, (bytes, most): (u32, u32), figure_ms: u32) -> Result<RankReport> {
    let n = bytes as usize / size_of::<u64>();
    let window = (MOST_BYTES / bytes as usize).clamp(1, WINDOW);
    let most_rounds = most.div_ceil(window as u32);
    let (mut figures, mut counts) = (Vec::new(), Vec::new());
    for way in Way::ALL {
        let room = || vec![0; window * n];
        let mut rounds = Rounds { world, way, n, number: 0, given: room(), got: room() };
        let count = warm_up(world, most_rounds, figure_ms, |count| rounds.mean_ns(count))?;
        let mine = rounds.mean_ns(count)?;
        figures.extend(world.reduce(0, &[mine], f64::max)?.into_iter().flatten());
        counts.push(f64::from(count) * window as f64);
    }
    if world.rank() == 0 {
        figures.append(&mut counts);
    }
    Ok(RankReport { figures, ..RankReport::default() })
}

/// Rounds of one way, one after the other.
struct Rounds<'w> {
    world: &'w Comm,
    way: Way,
    /// The words of a message.
    n: usize,
    /// The number of the round. What is sent differs in each, so that an old message is a wrong one.
    number: u64,
    /// The messages of a window, one behind the other.
    given: Vec<u64>,
    got: Vec<u64>,
}

impl Rounds<'_> {
    fn window(&self) -> usize {
        self.given.len() / self.n
    }

    /// The mean time of a message at this rank.
    fn mean_ns(&mut self, rounds: u32) -> Result<f64> {
        let rank = self.world.rank();
        let has_other = rank ^ 1 < self.world.size();
        let (sends, receives) = self.way.directions(rank);
        let mut spent_ns = 0;
        for _ in 0..rounds {
            self.number += 1;
            if sends {
                write(&mut self.given, (self.n, self.number), self.way.writes_all());
            }
            self.world.barrier()?.wait()?;
            if !has_other {
                continue;
            }
            let begin_ns = now_ns();
            self.round()?;
            spent_ns += now_ns() - begin_ns;
            if receives {
                check(&self.got, (self.n, self.number), self.way.writes_all())?;
            }
        }
        let messages = self.window() * if self.way == Way::ThereAndBack { 2 } else { 1 };
        Ok(spent_ns as f64 / (f64::from(rounds) * messages as f64))
    }

    /// As many messages as a window has.
    fn round(&mut self) -> Result<()> {
        let (world, n) = (self.world, self.n);
        let (rank, other) = (world.rank(), world.rank() ^ 1);
        let (is_first, window) = (rank.is_multiple_of(2), self.window());
        let (given, got) = (&self.given[..], &mut self.got[..]);
        match self.way {
            Way::ThereAndBack => {
                for _ in 0..window {
                    if is_first {
                        world.send(other, TAG, &given[..n])?;
                    }
                    world.recv_into(&mut got[..n], other, TAG)?;
                    if !is_first {
                        world.send(other, TAG, &given[..n])?;
                    }
                }
                return Ok(());
            }
            Way::Exchange => {
                for (given, got) in given.chunks(n).zip(got.chunks_mut(n)) {
                    world.send_receive_into(other, TAG, given, got, other, TAG)?;
                }
                return Ok(());
            }
            Way::OneByOne if is_first => {
                given.chunks(n).try_for_each(|message| world.send(other, TAG, message))?;
            }
            Way::Window | Way::SameWindow if is_first => world.scope(|scope| {
                let at = |k| if self.way == Way::Window { k * n } else { 0 };
                (0..window)
                    .try_for_each(|k| scope.isend(other, TAG, &given[at(k)..at(k) + n]).map(drop))
            })?,
            Way::OneByOne => {
                for message in got.chunks_mut(n) {
                    world.recv_into(message, other, TAG)?;
                }
            }
            Way::Window => world.scope(|scope| {
                let mut rooms = got.chunks_mut(n);
                rooms.try_for_each(|room| scope.irecv_into(room, other, TAG).map(drop))
            })?,
            Way::SameWindow => {
                let posted = (0..window).map(|_| world.irecv::<u64>(other, TAG));
                for receive in posted.collect::<Result<Vec<_>>>()? {
                    receive.wait_into(&mut got[..n])?;
                }
            }
        }
        match is_first {
            true => world.recv_into(&mut [0_u64], other, TAG_BACK).map(drop),
            false => world.send(other, TAG_BACK, &[0_u64]),
        }
    }
}

/// Word `at` of a message of a round.
fn word(number: u64, message: usize, at: usize) -> u64 {
    number + message as u64 + at as u64
}

/// Writes what is sent in a round: all messages; or the first word of the first, and the others once.
fn write(given: &mut [u64], (n, number): (usize, u64), all: bool) {
    if all {
        for (message, words) in given.chunks_mut(n).enumerate() {
            words.iter_mut().zip(0..).for_each(|(at, i)| *at = word(number, message, i));
        }
        return;
    }
    if number == 1 {
        given[..n].iter_mut().zip(0..).for_each(|(at, i)| *at = i);
    }
    given[0] = number;
}

/// Checks what was received in a round.
///
/// # Errors
///
/// If it is wrong.
fn check(got: &[u64], (n, number): (usize, u64), all: bool) -> Result<()> {
    let right = match all {
        true => got.chunks(n).enumerate().all(|(message, words)| {
            words.iter().enumerate().all(|(at, &found)| found == word(number, message, at))
        }),
        false => got[0] == number && got[1..n].iter().zip(1..).all(|(&found, i)| found == i),
    };
    if right { Ok(()) } else { Err(Error::other("a message is wrong")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_a_figure_and_its_messages() {
        let launch = runahead::Launch::new(3).threads();
        let told = launch.collect(|world| run(world, (16, 100), 1000)).unwrap();
        let (times, counts) = told[0].figures.split_at(5);
        assert!(times.iter().all(|&ns| ns > 0.0), "{times:?}");
        assert!(counts.iter().all(|&count| count == 64.0 || count == 128.0), "{counts:?}");
        assert!(told[1].figures.is_empty());
    }

    /// (Planted: a message of the round before, messages that are interchanged, and none at all.)
    #[test]
    fn a_wrong_message_is_an_error() {
        for all in [true, false] {
            let mut given = vec![0; 12];
            write(&mut given, (3, 1), all);
            assert!(check(&given, (3, 1), all).is_ok());
            assert!(check(&given, (3, 2), all).is_err() && check(&[0; 12], (3, 1), all).is_err());
            write(&mut given, (3, 2), all);
            assert!(check(&given, (3, 2), all).is_ok());
            given[2] += 1;
            assert!(check(&given, (3, 2), all).is_err());
        }
        let mut given = vec![0; 12];
        write(&mut given, (3, 1), true);
        given.rotate_left(3);
        assert!(check(&given, (3, 1), true).is_err());
    }
}
