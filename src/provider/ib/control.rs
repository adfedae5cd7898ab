//! The control queue pair to each peer. It carries everything but messages: words that are put,
//! wake-ups, farewells, and reads of the counts that peers show.
//!
//! A word is put by one inline RDMA write, of which few are signalled, and nothing is waited for.
//! To wake the peer it is a write with immediate, which takes one of the peer's receives; some are
//! posted on this lane. If none is free, the peer has news that it has not looked at yet, and does
//! not sleep without a look: so a plain write does then. Each time the receives are used up the
//! peer's count is read first, which takes as long as the way there and back.
//!
//! Wake-ups and farewells are rare, and may wait for the device.

use std::sync::Arc;

use super::address::RemoteAddress;
use super::backoff::Backoff;
use super::descriptors::Descriptors;
use super::device::{Device, LOOK_AROUND, MUTE};
use super::layout::MemoryLayout;
use super::losses::{Loss, Losses, UNREAD};
use crate::order::Rank;
use crate::sys::atomic::Ordering;
use crate::sys::ibverbs::{
    Batch, Completion, Cq, Pair, PostFailure, RegisteredWords, Status, Target,
};
use crate::sys::time::Instant;
use crate::verbs::{PutMode, Written};

/// The receives of this lane, for each peer.
pub(super) const RECEIVES: u32 = 16;

/// Its work requests under way, for each peer.
pub(super) const SENDS: u32 = 16;

/// The longest request here: a word.
pub(super) const BYTES: usize = 8;

/// The control queue pair to one peer, and the state of that peer.
pub(super) struct ControlLink {
    pair: Pair,
    /// What the peer shows.
    shown: RemoteAddress,
    /// What the peer lets others write.
    reached: RemoteAddress,
    /// What the peer's host lets others write.
    exposed: RemoteAddress,
    receives: Descriptors,
    /// Receives that were posted again here.
    reposted: u64,
    /// A request that only asks whether the peer is there.
    probe: Option<u32>,
    /// A request for a word that was not answered in time.
    fetching: Option<u32>,
}

impl ControlLink {
    pub(super) fn new(
        pair: Pair,
        shown: RemoteAddress,
        reached: RemoteAddress,
        exposed: RemoteAddress,
    ) -> ControlLink {
        ControlLink {
            pair,
            shown,
            reached,
            exposed,
            receives: Descriptors::new(RECEIVES),
            reposted: 0,
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

/// The control queue pairs of one rank.
pub(super) struct Control {
    pub(super) layout: MemoryLayout,
    pub(super) rank: Rank,
    /// One for each peer.
    pub(super) links: Vec<Option<ControlLink>>,
    pub(super) sends: Arc<Cq>,
    pub(super) receives: Arc<Cq>,
    pub(super) batch: Batch,
    /// What this rank shows.
    pub(super) shown: Arc<RegisteredWords>,
    /// What others write here.
    pub(super) reached: Arc<RegisteredWords>,
    pub(super) device: Box<Device>,
    /// So many requests have completed, in whatever way.
    pub(super) heard: u64,
    pub(super) looked_at: Instant,
}

/// The peer is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost;

impl Control {
    fn lane(&self) -> usize {
        self.layout.lanes - 1
    }

    /// Takes in the completions of requests.
    pub(super) fn reap(&mut self, losses: &Losses) {
        let Self { sends, batch, links, heard, .. } = self;
        loop {
            if sends.poll(batch).is_err() || batch.is_empty() {
                return;
            }
            while let Some(completion) = batch.take() {
                *heard = heard.wrapping_add(1);
                let peer = completion.owner();
                let Some(Some(link)) = links.get_mut(peer) else { continue };
                settle(&mut link.pair, &completion, peer, losses);
                if link.probe.is_some_and(|probe| link.pair.is_done(probe)) {
                    link.probe = None;
                }
            }
        }
    }

    /// Looks what the own device tells of itself, and whether it answers; of which something
    /// `is_asked`, beside what only asks whether a peer is there.
    pub(super) fn look(&mut self, now: Instant, is_asked: bool, losses: &Losses) {
        self.looked_at = now;
        // What has come while nobody looked counts.
        self.reap(losses);
        self.hear_device(losses);
        let Self { links, device, heard, layout, rank, reached, .. } = self;
        let mut links_there = links.iter().flatten();
        let is_asked =
            is_asked || links_there.any(|link| link.probe.is_some() && !link.pair.is_broken());
        if device.is_mute(now, is_asked, *heard) {
            let there = |peer| is_there(peer, *rank, *layout, reached);
            device.lose_all(losses, "ibv_poll_cq", MUTE, &there);
            // Nothing comes any more.
            links.iter_mut().flatten().for_each(|link| link.pair.give_up());
        }
    }

    /// Takes in what the own device tells of itself.
    pub(super) fn hear_device(&mut self, losses: &Losses) {
        let Self { links, device, layout, rank, reached, .. } = self;
        device.hear(losses, &|peer| is_there(peer, *rank, *layout, reached));
        for (peer, link) in links.iter_mut().enumerate() {
            if let Some(link) = link
                && losses.of_peer(peer).is_some_and(Loss::is_told_by_device)
            {
                link.pair.give_up();
            }
        }
    }

    /// Passes the time to the next look at the own device's requests; the device may have died.
    fn pass(&mut self, backoff: &mut Backoff, losses: &Losses) {
        let now = Instant::now();
        if now.saturating_since(self.looked_at) >= LOOK_AROUND {
            self.look(now, true, losses);
        }
        backoff.pause();
    }

    /// Takes in what peers have told. Returns whether that was anything.
    pub(super) fn hear(&mut self, losses: &Losses) -> bool {
        let lane = self.lane();
        let Self { receives, batch, links, shown, layout, .. } = self;
        let (mut heard, mut failed) = (false, false);
        loop {
            if receives.poll(batch).is_err() || batch.is_empty() {
                break;
            }
            while let Some(completion) = batch.take() {
                heard = true;
                let peer = completion.owner();
                let Some(Some(link)) = links.get_mut(peer) else { continue };
                let Some((slot, _)) = link.pair.received(&completion) else {
                    fail(&mut link.pair, completion.status(), peer, losses);
                    failed = true;
                    continue;
                };
                if link.pair.post_receive(slot).is_ok() {
                    link.reposted += 1;
                    // Read by the peer's device, after what it may post because of it.
                    shown[layout.count(lane, peer)].store(link.reposted, Ordering::Release);
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
        mut post: impl FnMut(&mut ControlLink) -> Result<u32, PostFailure>,
    ) -> Result<u32, Lost> {
        let mut backoff = Backoff::default();
        loop {
            let link = self.links.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
            match post(link) {
                Ok(number) => return Ok(number),
                Err(PostFailure::Full) => {}
                Err(PostFailure::Broken | PostFailure::TooLong) => return Err(Lost),
                Err(PostFailure::Verb(_)) => {
                    losses.note(peer, "ibv_post_send", "the device refuses it");
                    link.pair.give_up();
                    return Err(Lost);
                }
            }
            self.reap(losses);
            self.pass(&mut backoff, losses);
        }
    }

    /// Reads a word that a peer shows, and waits for it. It lies in the landing then, at `at`.
    fn read(&mut self, peer: Rank, from: usize, at: usize, losses: &Losses) -> Result<u64, Lost> {
        let number = self.post(peer, losses, |link| {
            let RemoteAddress { address, key } = link.shown;
            let address = address.wrapping_add(from as u64 * 8);
            link.pair.post_read((address, key), at, 1)
        })?;
        let mut backoff = Backoff::default();
        loop {
            self.reap(losses);
            let link = self.links.get(peer).and_then(Option::as_ref).ok_or(Lost)?;
            if link.pair.is_broken() {
                return Err(Lost);
            }
            if link.pair.is_done(number) {
                break;
            }
            // It comes, or the device gives the peer up, or is given up itself.
            self.pass(&mut backoff, losses);
        }
        self.landed(peer, at, losses)
    }

    /// The word of a read that is done.
    fn landed(&mut self, peer: Rank, word: usize, losses: &Losses) -> Result<u64, Lost> {
        let link = self.links.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
        link.pair.landed(word).ok_or_else(|| {
            losses.note(peer, "ibv_poll_cq", UNREAD);
            link.pair.give_up();
            Lost
        })
    }

    /// Writes into a peer's memory that this rank leaves, waiting for room, and has the peer hear
    /// of it.
    pub(super) fn say_farewell(&mut self, peer: Rank, losses: &Losses) -> Result<(), Lost> {
        let at = self.layout.farewell(self.rank) as u64 * 8;
        let mut is_told = false;
        self.post(peer, losses, |link| {
            let RemoteAddress { address, key } = link.reached;
            let address = address.wrapping_add(at);
            is_told = link.receives.has_one();
            let target = if is_told {
                Target::MemoryWithImmediate(address, key)
            } else {
                Target::Memory(address, key)
            };
            link.pair.post(target, &1_u64.to_le_bytes(), &[], true)?;
            if is_told {
                link.receives.count_sent();
            }
            Ok(0)
        })?;
        // Requests of one pair are done in order: the value read now tells how much the peer had
        // not heard yet when the word was written.
        if is_told { Ok(()) } else { self.wake(peer, losses) }
    }

    /// Writes a word of a peer's among those that it lets others write, without waiting for room.
    /// Returns whether there was room.
    #[inline]
    pub(super) fn write(
        &mut self,
        peer: Rank,
        word: usize,
        value: u64,
        mode: PutMode,
        losses: &Losses,
    ) -> Result<bool, Lost> {
        for again in [true, false] {
            let link = self.links.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
            let RemoteAddress { address, key } = link.reached;
            let address = address.wrapping_add(word as u64 * 8);
            let tells = mode.wakes() && link.receives.has_one();
            let target = if tells {
                Target::MemoryWithImmediate(address, key)
            } else {
                Target::Memory(address, key)
            };
            match link.pair.post(target, &value.to_le_bytes(), &[], false) {
                Ok(()) if tells => link.receives.count_sent(),
                // As in `say_farewell`.
                Ok(()) if mode.wakes() => self.wake(peer, losses)?,
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
                    link.pair.give_up();
                    return Err(Lost);
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Writes a word of the memory that the peer's host lets others write, waiting for room, and
    /// nobody hears of it. The device says of each when it is there: so, when the peer leaves, it
    /// is known at once that nothing is under way.
    pub(super) fn write_exposed(
        &mut self,
        peer: Rank,
        word: usize,
        value: u64,
        losses: &Losses,
    ) -> Result<(), Lost> {
        self.post(peer, losses, |link| {
            let RemoteAddress { address, key } = link.exposed;
            let target = Target::Memory(address.wrapping_add(word as u64 * 8), key);
            link.pair.post(target, &value.to_le_bytes(), &[], true)?;
            Ok(0)
        })?;
        Ok(())
    }

    /// What has become of all that was posted to a peer, as far as was reaped. If some is under
    /// way, the device of this rank will say when it is done: requests of one pair are done in
    /// order.
    pub(super) fn written_by(&mut self, peer: Rank) -> Written {
        match self.links.get(peer) {
            Some(Some(link)) if link.pair.is_broken() => Written::Lost,
            Some(Some(link)) if link.pair.is_idle() => Written::Arrived,
            Some(Some(_)) => {
                self.probe(peer);
                Written::UnderWay
            }
            _ => Written::Lost,
        }
    }

    /// Reads a word of a peer's among those that it lets others write, and waits for it, for some
    /// time. It is read after all that was written there before.
    pub(super) fn fetch(
        &mut self,
        peer: Rank,
        word: usize,
        losses: &Losses,
    ) -> Result<Option<u64>, Lost> {
        let at = self.layout.fetched(peer);
        let mut backoff = Backoff::default();
        // One that came too late has been asked before what this rank has written since, and counts
        // for nothing.
        let mut is_ours = false;
        loop {
            let link = self.links.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
            if link.pair.is_broken() {
                return Err(Lost);
            }
            match link.fetching.filter(|&number| !link.pair.is_done(number)) {
                Some(_) => {}
                None if is_ours => {
                    link.fetching = None;
                    return self.landed(peer, at, losses).map(Some);
                }
                None => {
                    let RemoteAddress { address, key } = link.reached;
                    let from = address.wrapping_add(word as u64 * 8);
                    match link.pair.post_read((from, key), at, 1) {
                        Ok(number) => (link.fetching, is_ours) = (Some(number), true),
                        Err(PostFailure::Full) => {}
                        Err(_) => return Err(Lost),
                    }
                }
            }
            if backoff.is_at_its_end() {
                return Ok(None);
            }
            self.reap(losses);
            backoff.pause();
        }
    }

    /// Wakes a peer by a write with immediate of no bytes, unless it has yet to look at another.
    pub(super) fn wake(&mut self, peer: Rank, losses: &Losses) -> Result<(), Lost> {
        let link = self.links.get(peer).and_then(Option::as_ref).ok_or(Lost)?;
        if !link.receives.has_one() {
            let (lane, rank) = (self.lane(), self.rank);
            let (theirs, ours) = (self.layout.count(lane, rank), self.layout.count(lane, peer));
            let count = self.read(peer, theirs, ours, losses)?;
            let link = self.links.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)?;
            if link.receives.note_returned(count).is_err() {
                losses.note(peer, "ibv_post_send", "it counts receives that nobody took");
                link.pair.give_up();
                return Err(Lost);
            }
            if !link.receives.has_one() {
                return Ok(());
            }
        }
        self.post(peer, losses, |link| {
            let RemoteAddress { address, key } = link.reached;
            link.pair.post(Target::MemoryWithImmediate(address, key), &[], &[], true)?;
            link.receives.count_sent();
            Ok(0)
        })?;
        Ok(())
    }

    /// Asks a peer's device whether it is there, if the last such request was answered. The answer
    /// is taken in by [`reap`](Control::reap).
    pub(super) fn probe(&mut self, peer: Rank) {
        let Some(Some(link)) = self.links.get_mut(peer) else { return };
        if link.probe.is_some() || link.pair.is_broken() {
            return;
        }
        // The first word that it shows: a read that nobody looks at.
        let RemoteAddress { address, key } = link.shown;
        let at = self.layout.count(self.layout.lanes - 1, peer);
        let from =
            address.wrapping_add(self.layout.count(self.layout.lanes - 1, self.rank) as u64 * 8);
        link.probe = link.pair.post_read((from, key), at, 1).ok();
    }

    /// Whether the last such request is under way.
    pub(super) fn is_probed(&self, peer: Rank) -> bool {
        let link = self.links.get(peer).and_then(Option::as_ref);
        link.is_some_and(|link| link.probe.is_some() && !link.pair.is_broken())
    }

    /// Whether there is room for a request to each peer.
    pub(super) fn has_room(&self) -> bool {
        self.links.iter().flatten().all(|link| link.pair.has_room() || link.pair.is_broken())
    }

    /// Whether all that was posted to a peer is done.
    pub(super) fn is_idle(&self, peer: Rank) -> bool {
        match self.links.get(peer) {
            Some(Some(link)) => link.pair.is_idle() || link.pair.is_broken(),
            _ => true,
        }
    }
}

/// Whether a rank is a peer of this one that has not said farewell.
fn is_there(peer: Rank, rank: Rank, layout: MemoryLayout, reached: &RegisteredWords) -> bool {
    // Written by the peer's device, after all that the peer had sent was taken in by this one.
    peer != rank && reached[layout.farewell(peer)].load(Ordering::Acquire) == 0
}

/// Notes the completion of a request to a peer.
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
