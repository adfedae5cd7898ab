//! What goes beside messages, on a queue pair of its own to each peer: words that are put, rings, farewells, and
//! reads of what peers show.
//!
//! A word is put by an RDMA write. For the peer to wake, the write takes one of its receives, of which there are
//! some on this lane; if none is free, the peer has news that it has not looked at yet, and does not sleep
//! without a look: so a write that tells nobody does then. All of this is rare, and may wait for the device.
//!
//! What is not rare is a word that is put quietly: one inline write, of which few are signalled, and nothing is
//! waited for. One that is aloud besides takes a receive of the peer, and each time these are used up the peer's
//! count is read first, which takes as long as the way there and back.

use std::sync::Arc;

use super::address::Place;
use super::descriptors::Descriptors;
use super::device::{Device, LOOK_AROUND, MUTE};
use super::layout::{Layout, Region, TABLE_WORDS, region_in};
use super::losses::{Loss, Losses, UNREAD};
use super::patience::Patience;
use crate::order::Rank;
use crate::provider::joined::Written;
use crate::sys::atomic::Ordering;
use crate::sys::ibverbs::{Batch, Completion, Cq, Pair, PostFailure, Status, Target, Words};
use crate::sys::time::Instant;
use crate::verbs::RegionKey;

/// The receives of this lane, for each peer.
pub(super) const RECEIVES: u32 = 16;

/// Its work requests under way, for each peer.
pub(super) const SENDS: u32 = 16;

/// The longest of what goes here: a word.
pub(super) const BYTES: usize = 8;

/// The way to one peer.
pub(super) struct Line {
    pair: Pair,
    /// What the peer shows.
    shown: Place,
    /// What the peer lets others write.
    reached: Place,
    /// What the peer's host lets others write.
    exposed: Place,
    receives: Descriptors,
    /// Receives that were posted again here.
    reposted: u64,
    /// Regions of the peer that were looked up.
    regions: Vec<(RegionKey, Region)>,
    /// A request that only asks whether the peer is there.
    probe: Option<u32>,
    /// A request for a word that was not answered in time.
    fetching: Option<u32>,
}

impl Line {
    pub(super) fn new(pair: Pair, shown: Place, reached: Place, exposed: Place) -> Line {
        Line {
            pair,
            shown,
            reached,
            exposed,
            receives: Descriptors::new(RECEIVES),
            reposted: 0,
            regions: Vec::new(),
            probe: None,
            fetching: None,
        }
    }

    /// The next word that is read there is not, and the device says that it is.
    #[cfg(planted)]
    pub(super) fn plant_empty_read(&mut self) {
        self.pair.plant_empty_read();
    }
}

/// The lane of one rank.
pub(super) struct Aside {
    pub(super) layout: Layout,
    pub(super) rank: Rank,
    /// One for each peer.
    pub(super) lines: Vec<Option<Line>>,
    pub(super) sends: Arc<Cq>,
    pub(super) receives: Arc<Cq>,
    pub(super) batch: Batch,
    /// What this rank shows.
    pub(super) shown: Arc<Words>,
    /// What it has read of others.
    pub(super) landing: Arc<Words>,
    /// What others write here.
    pub(super) reached: Arc<Words>,
    pub(super) device: Box<Device>,
    /// So many requests have completed, in whatever way.
    pub(super) heard: u64,
    pub(super) looked_at: Instant,
}

/// The peer is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost;

/// Where a word of a peer's is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Farewell,
    Of(Region, usize),
}

impl Aside {
    fn lane(&self) -> usize {
        self.layout.lanes - 1
    }

    /// Takes in what has become of requests.
    pub(super) fn reap(&mut self, losses: &Losses) {
        let Self { sends, batch, lines, heard, .. } = self;
        loop {
            if sends.poll(batch).is_err() || batch.is_empty() {
                return;
            }
            while let Some(completion) = batch.take() {
                *heard = heard.wrapping_add(1);
                let peer = completion.owner();
                let Some(Some(line)) = lines.get_mut(peer) else { continue };
                settle(&mut line.pair, &completion, peer, losses);
                if line.probe.is_some_and(|probe| line.pair.is_done(probe)) {
                    line.probe = None;
                }
            }
        }
    }

    /// Looks what the own device tells of itself, and whether it answers; of which something `is_asked`, beside what only
    /// asks whether a peer is there.
    pub(super) fn look(&mut self, now: Instant, is_asked: bool, losses: &Losses) {
        self.looked_at = now;
        // What has come while nobody looked counts.
        self.reap(losses);
        self.hear_device(losses);
        let Self { lines, device, heard, layout, rank, reached, .. } = self;
        let mut lines_there = lines.iter().flatten();
        let is_asked =
            is_asked || lines_there.any(|line| line.probe.is_some() && !line.pair.is_broken());
        if device.is_mute(now, is_asked, *heard) {
            let there = |peer| is_there(peer, *rank, *layout, reached);
            device.lose_all(losses, "ibv_poll_cq", MUTE, &there);
            // Nothing comes any more.
            lines.iter_mut().flatten().for_each(|line| line.pair.give_up());
        }
    }

    /// Takes in what the own device tells of itself.
    pub(super) fn hear_device(&mut self, losses: &Losses) {
        let Self { lines, device, layout, rank, reached, .. } = self;
        device.hear(losses, &|peer| is_there(peer, *rank, *layout, reached));
        for (peer, line) in lines.iter_mut().enumerate() {
            if let Some(line) = line
                && losses.of_peer(peer).is_some_and(Loss::is_told_by_device)
            {
                line.pair.give_up();
            }
        }
    }

    /// Passes the time to the next look at what was asked of the own device, which may have died.
    fn pass(&mut self, patience: &mut Patience, losses: &Losses) {
        let now = Instant::now();
        if now.saturating_since(self.looked_at) >= LOOK_AROUND {
            self.look(now, true, losses);
        }
        patience.pause();
    }

    /// Takes in what peers have told. Returns whether that was anything.
    pub(super) fn hear(&mut self, losses: &Losses) -> bool {
        let lane = self.lane();
        let Self { receives, batch, lines, shown, layout, .. } = self;
        let (mut heard, mut failed) = (false, false);
        loop {
            if receives.poll(batch).is_err() || batch.is_empty() {
                break;
            }
            while let Some(completion) = batch.take() {
                heard = true;
                let peer = completion.owner();
                let Some(Some(line)) = lines.get_mut(peer) else { continue };
                let Some((slot, _)) = line.pair.received(&completion) else {
                    fail(&mut line.pair, completion.status(), peer, losses);
                    failed = true;
                    continue;
                };
                if line.pair.post_receive(slot).is_ok() {
                    line.reposted += 1;
                    // Read by the peer's device, after what it may post because of it.
                    shown[layout.count(lane, peer)].store(line.reposted, Ordering::Release);
                }
            }
        }
        if failed {
            // By what, stands there.
            self.reap(losses);
        }
        heard
    }

    /// Posts something to a peer, waiting for room. Returns its number where it is a read.
    fn post(
        &mut self,
        peer: Rank,
        losses: &Losses,
        mut post: impl FnMut(&mut Line) -> Result<u32, PostFailure>,
    ) -> Result<u32, Lost> {
        let mut patience = Patience::default();
        loop {
            let line = self.lines.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
            match post(line) {
                Ok(number) => return Ok(number),
                Err(PostFailure::Full) => {}
                Err(PostFailure::Broken | PostFailure::TooLong) => return Err(Lost),
                Err(PostFailure::Verb(_)) => {
                    losses.note(peer, "ibv_post_send", "the device refuses it");
                    line.pair.give_up();
                    return Err(Lost);
                }
            }
            self.reap(losses);
            self.pass(&mut patience, losses);
        }
    }

    /// Reads words that a peer shows, and waits for them: they lie in the landing then, from `at` on, as they lie
    /// with the peer.
    fn read(
        &mut self,
        peer: Rank,
        from: usize,
        at: usize,
        count: usize,
        losses: &Losses,
    ) -> Result<(), Lost> {
        let number = self.post(peer, losses, |line| {
            let Place { address, key } = line.shown;
            let address = address.wrapping_add(from as u64 * 8);
            line.pair.post_read((address, key), at, count)
        })?;
        let mut patience = Patience::default();
        loop {
            self.reap(losses);
            let line = self.lines.get(peer).and_then(Option::as_ref).ok_or(Lost)?;
            if line.pair.is_broken() {
                return Err(Lost);
            }
            if line.pair.is_done(number) {
                break;
            }
            // It comes, or the device gives the peer up, or is given up itself.
            self.pass(&mut patience, losses);
        }
        self.landed(peer, at + count - 1, losses).map(drop)
    }

    /// The last word of a read that is done.
    fn landed(&mut self, peer: Rank, word: usize, losses: &Losses) -> Result<u64, Lost> {
        let line = self.lines.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
        line.pair.landed(word).ok_or_else(|| {
            losses.note(peer, "ibv_poll_cq", UNREAD);
            line.pair.give_up();
            Lost
        })
    }

    /// The region of a peer, if it has that.
    pub(super) fn region(
        &mut self,
        peer: Rank,
        key: RegionKey,
        losses: &Losses,
    ) -> Result<Option<Region>, Lost> {
        let line = self.lines.get(peer).and_then(Option::as_ref).ok_or(Lost)?;
        if let Some((_, region)) = line.regions.iter().find(|(known, _)| *known == key) {
            return Ok(Some(*region));
        }
        self.read(peer, 0, 0, TABLE_WORDS, losses)?;
        let landing = &self.landing;
        // The device wrote them before it told that it has.
        let table = std::array::from_fn(|at| landing[at].load(Ordering::Acquire));
        let region = region_in(&table, key);
        if let (Some(region), Some(Some(line))) = (region, self.lines.get_mut(peer)) {
            line.regions.push((key, region));
        }
        Ok(region)
    }

    /// Writes a word of a peer's, and has it hear of that.
    pub(super) fn tell(
        &mut self,
        peer: Rank,
        word: Word,
        value: u64,
        losses: &Losses,
    ) -> Result<(), Lost> {
        let at = match word {
            Word::Farewell => Some(self.layout.farewell(self.rank)),
            Word::Of(region, word) => self.layout.word(region, word),
        };
        let at = at.ok_or(Lost)? as u64 * 8;
        let mut aloud = false;
        self.post(peer, losses, |line| {
            let Place { address, key } = line.reached;
            let address = address.wrapping_add(at);
            aloud = line.receives.has_one();
            let target = if aloud {
                Target::MemoryAloud(address, key)
            } else {
                Target::Memory(address, key)
            };
            line.pair.post(target, &value.to_le_bytes(), &[], true)?;
            if aloud {
                line.receives.count_sent();
            }
            Ok(0)
        })?;
        // Requests of one pair are done in order: what is read now says what the peer had not heard yet when the
        // word was written.
        if aloud { Ok(()) } else { self.ring(peer, losses) }
    }

    /// Writes a word of a peer's among those that it lets others write, without waiting for room. It hears of that
    /// only if it is told `aloud`. Returns whether there was room.
    #[inline]
    pub(super) fn write(
        &mut self,
        peer: Rank,
        word: usize,
        value: u64,
        aloud: bool,
        losses: &Losses,
    ) -> Result<bool, Lost> {
        for again in [true, false] {
            let line = self.lines.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
            let Place { address, key } = line.reached;
            let address = address.wrapping_add(word as u64 * 8);
            let tells = aloud && line.receives.has_one();
            let target = if tells {
                Target::MemoryAloud(address, key)
            } else {
                Target::Memory(address, key)
            };
            match line.pair.post(target, &value.to_le_bytes(), &[], false) {
                Ok(()) if tells => line.receives.count_sent(),
                // As in `tell`.
                Ok(()) if aloud => self.ring(peer, losses)?,
                Ok(()) => {}
                Err(PostFailure::Full) => {
                    if again {
                        self.reap(losses);
                    }
                    continue;
                }
                Err(PostFailure::Broken | PostFailure::TooLong) => return Err(Lost),
                Err(PostFailure::Verb(_)) => {
                    losses.note(peer, "ibv_post_send", "the device refuses it");
                    line.pair.give_up();
                    return Err(Lost);
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Writes a word of the memory that the peer's host lets others write, waiting for room, and nobody hears of it. The
    /// device says of each when it is there: so, when the peer leaves, it is known at once that nothing is under way.
    pub(super) fn write_exposed(
        &mut self,
        peer: Rank,
        word: usize,
        value: u64,
        losses: &Losses,
    ) -> Result<(), Lost> {
        self.post(peer, losses, |line| {
            let Place { address, key } = line.exposed;
            let target = Target::Memory(address.wrapping_add(word as u64 * 8), key);
            line.pair.post(target, &value.to_le_bytes(), &[], true)?;
            Ok(0)
        })?;
        Ok(())
    }

    /// What has become of all that was posted to a peer, as far as was reaped. If some is under way, the device of this
    /// rank will say when it is done: requests of one pair are done in order.
    pub(super) fn written_by(&mut self, peer: Rank) -> Written {
        match self.lines.get(peer) {
            Some(Some(line)) if line.pair.is_broken() => Written::Lost,
            Some(Some(line)) if line.pair.is_idle() => Written::Arrived,
            Some(Some(_)) => {
                self.probe(peer);
                Written::UnderWay
            }
            _ => Written::Lost,
        }
    }

    /// Reads a word of a peer's among those that it lets others write, and waits for it, for some time. It is read
    /// after all that was written there before.
    pub(super) fn fetch(
        &mut self,
        peer: Rank,
        word: usize,
        losses: &Losses,
    ) -> Result<Option<u64>, Lost> {
        let at = self.layout.fetched(peer);
        let mut patience = Patience::default();
        // One that came too late has been asked before what this rank has written since, and counts for nothing.
        let mut is_ours = false;
        loop {
            let line = self.lines.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
            if line.pair.is_broken() {
                return Err(Lost);
            }
            match line.fetching.filter(|&number| !line.pair.is_done(number)) {
                Some(_) => {}
                None if is_ours => {
                    line.fetching = None;
                    return self.landed(peer, at, losses).map(Some);
                }
                None => {
                    let Place { address, key } = line.reached;
                    let from = address.wrapping_add(word as u64 * 8);
                    match line.pair.post_read((from, key), at, 1) {
                        Ok(number) => (line.fetching, is_ours) = (Some(number), true),
                        Err(PostFailure::Full) => {}
                        Err(_) => return Err(Lost),
                    }
                }
            }
            if patience.is_at_its_end() {
                return Ok(None);
            }
            self.reap(losses);
            patience.pause();
        }
    }

    /// Has a peer hear that there is something, unless it has yet to hear something else.
    pub(super) fn ring(&mut self, peer: Rank, losses: &Losses) -> Result<(), Lost> {
        let line = self.lines.get(peer).and_then(Option::as_ref).ok_or(Lost)?;
        if !line.receives.has_one() {
            let (lane, rank) = (self.lane(), self.rank);
            let (theirs, ours) = (self.layout.count(lane, rank), self.layout.count(lane, peer));
            self.read(peer, theirs, ours, 1, losses)?;
            let count = self.landed(peer, ours, losses)?;
            let line = self.lines.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
            if line.receives.note_returned(count).is_err() {
                losses.note(peer, "ibv_post_send", "it counts receives that nobody took");
                line.pair.give_up();
                return Err(Lost);
            }
            if !line.receives.has_one() {
                return Ok(());
            }
        }
        self.post(peer, losses, |line| {
            let Place { address, key } = line.reached;
            line.pair.post(Target::MemoryAloud(address, key), &[], &[], true)?;
            line.receives.count_sent();
            Ok(0)
        })?;
        Ok(())
    }

    /// Asks a peer's device whether it is there, if the last such request was answered. The answer is taken in by
    /// [`reap`](Aside::reap).
    pub(super) fn probe(&mut self, peer: Rank) {
        let Some(Some(line)) = self.lines.get_mut(peer) else { return };
        if line.probe.is_some() || line.pair.is_broken() {
            return;
        }
        // The first word that it shows: a read that nobody looks at.
        let Place { address, key } = line.shown;
        let at = self.layout.count(self.layout.lanes - 1, peer);
        let from =
            address.wrapping_add(self.layout.count(self.layout.lanes - 1, self.rank) as u64 * 8);
        line.probe = line.pair.post_read((from, key), at, 1).ok();
    }

    /// Whether the last such request is under way.
    pub(super) fn is_probed(&self, peer: Rank) -> bool {
        let line = self.lines.get(peer).and_then(Option::as_ref);
        line.is_some_and(|line| line.probe.is_some() && !line.pair.is_broken())
    }

    /// Whether there is room for a request to each peer.
    pub(super) fn has_room(&self) -> bool {
        self.lines.iter().flatten().all(|line| line.pair.has_room() || line.pair.is_broken())
    }

    /// Whether all that was posted to a peer is done.
    pub(super) fn is_idle(&self, peer: Rank) -> bool {
        match self.lines.get(peer) {
            Some(Some(line)) => line.pair.is_idle() || line.pair.is_broken(),
            _ => true,
        }
    }
}

/// Whether a rank is a peer of this one that has not said farewell.
fn is_there(peer: Rank, rank: Rank, layout: Layout, reached: &Words) -> bool {
    // Written by the peer's device, after all that the peer had sent was taken in by this one.
    peer != rank && reached[layout.farewell(peer)].load(Ordering::Acquire) == 0
}

/// Takes note of what has become of a request to a peer.
#[inline]
pub(super) fn settle(pair: &mut Pair, completion: &Completion, peer: Rank, losses: &Losses) {
    match completion.status() {
        Status::Done => drop(pair.completed(completion)),
        status => fail(pair, status, peer, losses),
    }
}

/// A pair has failed, and with it the peer.
#[cold]
pub(super) fn fail(pair: &mut Pair, status: Status, peer: Rank, losses: &Losses) {
    pair.give_up();
    match status {
        Status::Flushed => losses.note_that_it_followed(peer),
        // It was done, and is none that can be.
        Status::Done => losses.note(peer, "ibv_poll_cq", "it has completed what was not posted"),
        Status::Failed(refusal) => losses.note_refusal(peer, refusal),
    }
}
