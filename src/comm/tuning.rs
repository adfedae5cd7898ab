//! Finding the algorithm of a group by measurement: the members run barriers of each candidate on
//! groups of their own, and rank 0 decides (hoefler-2005 §4.1.1).
//!
//! What is decided and how is [`crate::tune`]'s; here the words are carried and the barriers timed.
//! It is a collective of the members-to-be on stamped messages in the lane in which groups are
//! made, so it keeps to its superstep. The groups of the candidates get ids that all members have
//! agreed on, and are dropped at the end; what they have counted stays in the clocks of all alike.
//!
//! A group other than the world is made when its algorithm is known. The world must exist for its
//! members to talk at all; it is given another algorithm, and nobody goes on before all have done
//! so.

use std::path::PathBuf;
use std::time::Duration;

use super::Comm;
use super::making::{GroupError, place_in, places_in};
use crate::error::Result;
use crate::message::{Ids, TuneCache};
use crate::order::{Algorithm, GroupId, Rank};
use crate::sys::time::Instant;
use crate::tune::cache::{self, Cache, Key};
use crate::tune::candidates::candidates;
use crate::tune::choices::Choices;
use crate::tune::race::{Lap, Measurement, Race};
use crate::tune::word::{Word, decode_times, encode_times};
use crate::verbs::Nic;

/// The members of a group that is to be made, or is, as one of them sees it.
#[derive(Clone, Copy)]
pub(super) struct Members<'m> {
    /// Their ranks in the communicator over which they talk, in their order.
    pub(super) ranks: &'m [Rank],
    /// The caller's place.
    pub(super) own: usize,
}

/// How they are to measure.
struct Manner {
    budget: Duration,
    /// Whether all candidates run to the end.
    keeps_all: bool,
    /// The file that is looked into before, and written to afterwards.
    file: Option<PathBuf>,
}

/// What a rank can use for a new group: the lowest id, and the places of the board.
struct Unused {
    next: GroupId,
    free: u64,
}

impl Unused {
    fn encode(&self) -> Vec<u8> {
        [&self.next.0.to_le_bytes()[..], &self.free.to_le_bytes()].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Unused> {
        let (next, free) = bytes.split_first_chunk()?;
        let free = u64::from_le_bytes(free.try_into().ok()?);
        Some(Unused { next: GroupId(u32::from_le_bytes(*next)), free })
    }
}

/// What they know then: the lowest id that all can use, and the choice.
struct Found {
    next: GroupId,
    measurement: Measurement,
}

impl<N: Nic> Comm<N> {
    /// Times the candidates for the barrier algorithm of this communicator, and says which it would
    /// choose; docs/TUNING.md names the quantity. All ranks must call it; rank 0's budget
    /// counts, and a rank that loses its core can make it take longer. Nothing is looked up,
    /// remembered or changed. All get the same answer.
    ///
    /// ```
    /// # use std::time::Duration;
    /// runahead::launch(4, |world| {
    ///     let measured = world.measure_barriers(Duration::from_millis(5))?;
    ///     let same = world.dup_with(measured.chosen)?;
    ///     same.barrier()?.wait()
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Message`](crate::Error::Message) if a rank has ended or is lost.
    pub fn measure_barriers(&self, budget: Duration) -> Result<Measurement> {
        if self.size() < 2 {
            return Ok(Measurement::known(self.in_use(Algorithm::default())?));
        }
        let ranks: Vec<Rank> = (0..self.size()).collect();
        let members = Members { ranks: &ranks, own: self.rank() };
        let manner = Manner { budget, keeps_all: true, file: None };
        let _turn = self.making_turn()?;
        Ok(self.tune(members, None, &manner)?.measurement)
    }

    /// The algorithms that were found, for others to use.
    pub(super) fn known_choices(&self) -> Result<Choices> {
        self.home().choices(|choices| choices.clone())
    }

    /// What the world uses if it was to be `algorithm`.
    pub(super) fn in_use(&self, algorithm: Algorithm) -> Result<Algorithm> {
        let engine = self.engine()?;
        let by_signals = engine.signalled_by(algorithm, engine.size(), true);
        Ok(if engine.publishes(GroupId::WORLD) { Algorithm::Board } else { by_signals })
    }

    /// The algorithm of a group that is to be made with the id `id` and a place on the board, and
    /// the id that it then has. All members must `know` the same.
    pub(super) fn choose(
        &self,
        id: GroupId,
        place: Option<usize>,
        members: Members,
        known: &Choices,
    ) -> Result<(GroupId, Algorithm)> {
        let size = members.ranks.len();
        if !self.measures(size) {
            return Ok((id, Algorithm::default()));
        }
        let (id, chosen) = match known.known(size) {
            Some(chosen) => (id, chosen),
            None => {
                let found = self.tune(members, place, &self.manner())?;
                (found.next, found.measurement.chosen)
            }
        };
        self.home().choices(|choices| choices.learn(size, chosen))?;
        Ok((id, chosen))
    }

    /// Finds the algorithm of the world, and gives it to the world.
    pub(super) fn choose_for_world(&self) -> Result<Algorithm> {
        let default = self.in_use(Algorithm::default())?;
        let everyone: Vec<Rank> = (0..self.size()).collect();
        let members = Members { ranks: &everyone, own: self.rank() };
        let (_, chosen) = self.choose(GroupId::WORLD, None, members, &Choices::default())?;
        if chosen == default || chosen == Algorithm::Board {
            return Ok(default);
        }
        self.engine()?.reschedule(self.group_id(), chosen)?;
        // A signal that came before this rank had the new schedule would be read by the old one.
        if members.own == 0 {
            for &other in &everyone[1..] {
                self.recv_making(other)?;
            }
            self.tell(members, &[])?;
        } else {
            self.post_making(0, &[])?;
            self.recv_making(0)?;
        }
        Ok(chosen)
    }

    fn measures(&self, size: usize) -> bool {
        size > 1 && !self.sizes().tune_budget.is_zero()
    }

    fn manner(&self) -> Manner {
        let config = self.sizes();
        Manner {
            budget: config.tune_budget,
            keeps_all: false,
            file: match &config.tune_cache {
                TuneCache::Off => None,
                TuneCache::User => cache::user_file(),
                TuneCache::File(path) => Some(path.clone()),
            },
        }
    }

    /// `reserved` is the place of the group that is to be made: no candidate may have it.
    fn tune(&self, members: Members, reserved: Option<usize>, manner: &Manner) -> Result<Found> {
        let (next, free) = self.unused()?;
        let free = reserved.map_or(free, |place| free & !(1 << place));
        if members.own == 0 {
            return self.lead(members, manner, next, free);
        }
        self.post_making(members.ranks[0], &Unused { next, free }.encode())?;
        self.follow(members)
    }

    /// What rank 0 of the members does.
    fn lead(
        &self,
        members: Members,
        manner: &Manner,
        mut base: GroupId,
        mut free: u64,
    ) -> Result<Found> {
        let others = || members.ranks.iter().copied().filter(|&rank| rank != self.rank());
        for other in others() {
            let theirs = self.recv_making(other)?;
            let theirs = Unused::decode(&theirs).ok_or(GroupError::Unreadable { rank: other })?;
            base = base.max(theirs.next);
            free &= theirs.free;
        }
        let key = || -> Result<Key> {
            let provider = self.engine()?.nic().attributes().provider;
            Ok(Key::here(provider, members.ranks.len()))
        };
        if let Some(file) = &manner.file
            && let Some(chosen) = Cache::load(file).and_then(|cache| cache.known(&key().ok()?))
        {
            return self.announce(members, base, Measurement::known(chosen));
        }
        let start = Instant::now();
        let spent = || Instant::now().saturating_since(start);
        let (has_place, size) = (place_in(free).is_some(), members.ranks.len());
        let (has_board, usual) = {
            let engine = self.engine()?;
            (engine.has_board(), engine.signalled_by(Algorithm::default(), size, has_place))
        };
        let mut listed = candidates(size, has_place && has_board);
        // The one that is used where nothing is measured comes first.
        if let Some(at) = listed.iter().position(|&algorithm| algorithm == usual)
            && !has_board
        {
            listed[..=at].rotate_right(1);
        }
        let mut race = Race::new(listed, manner.budget, manner.keeps_all);
        let candidates = race.candidates().to_vec();
        let next = Ids::nth(base, candidates.len());
        let word = Word::Start { base, free, candidates: candidates.clone() };
        self.tell(members, word.to_string().as_bytes())?;
        let groups = self.make_candidates(members, base, free, &candidates)?;
        while let Some(lap) = race.next_lap(spent()) {
            self.tell(members, Word::Run(lap.clone()).to_string().as_bytes())?;
            let mut ranks = vec![self.run(&groups, &lap, 0)?];
            for other in others() {
                let times = decode_times(&self.recv_making(other)?, ranks[0].len());
                ranks.push(times.ok_or(GroupError::Unreadable { rank: other })?);
            }
            race.handle_lap(&lap, &ranks, spent());
        }
        let found = self.announce(members, next, race.measurement())?;
        // The others need not wait for this.
        if let Some(file) = &manner.file
            && found.measurement.sound
        {
            Cache::remember(file, key()?, found.measurement.chosen);
        }
        Ok(found)
    }

    /// The part of the other members: they do as rank 0 says.
    fn follow(&self, members: Members) -> Result<Found> {
        let first = members.ranks[0];
        let unreadable = || GroupError::Unreadable { rank: first };
        let mut groups = Vec::new();
        loop {
            let told = self.recv_making(first)?;
            let told = std::str::from_utf8(&told).map_err(|_| unreadable())?;
            match told.parse().map_err(|_| unreadable())? {
                Word::Start { base, free, candidates } => {
                    groups = self.make_candidates(members, base, free, &candidates)?;
                }
                Word::Run(lap) => {
                    let times = self.run(&groups, &lap, first)?;
                    self.post_making(first, &encode_times(&times))?;
                }
                Word::Chosen { next, measurement } => return Ok(Found { next, measurement }),
            }
        }
    }

    fn announce(&self, members: Members, next: GroupId, measurement: Measurement) -> Result<Found> {
        let word = Word::Chosen { next, measurement: measurement.clone() };
        self.tell(members, word.to_string().as_bytes())?;
        Ok(Found { next, measurement })
    }

    fn tell(&self, members: Members, bytes: &[u8]) -> Result<()> {
        let others = members.ranks.iter().filter(|&&rank| rank != self.rank());
        let posted = others.map(|&other| self.post_making(other, bytes));
        self.hand_over(posted.collect::<Result<Vec<_>>>()?)
    }

    fn make_candidates(
        &self,
        members: Members,
        base: GroupId,
        free: u64,
        candidates: &[Algorithm],
    ) -> Result<Vec<Comm<N>>> {
        let group = |(nth, &algorithm): (usize, &Algorithm)| {
            let id = Ids::nth(base, nth);
            // The board's is the first; cells are for each of them, as far as there are places.
            self.make_as(id, places_in(free).nth(nth), members, algorithm, algorithm)
        };
        candidates.iter().enumerate().map(group).collect()
    }

    /// Runs a lap that `first` has told, and returns the time of each batch in nanoseconds.
    fn run(&self, groups: &[Comm<N>], lap: &Lap, first: Rank) -> Result<Vec<u64>> {
        let mut times = Vec::with_capacity(lap.rounds as usize * lap.runs.len());
        for _ in 0..lap.rounds {
            for &candidate in &lap.runs {
                let group = groups.get(candidate).ok_or(GroupError::Unreadable { rank: first })?;
                let start = Instant::now();
                for _ in 0..lap.batch {
                    group.barrier()?.wait()?;
                }
                let time = Instant::now().saturating_since(start).as_nanos();
                times.push(u64::try_from(time).unwrap_or(u64::MAX));
            }
        }
        Ok(times)
    }
}
