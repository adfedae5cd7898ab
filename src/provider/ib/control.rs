//! The control queue pair to each peer. It carries everything but messages: written words,
//! wake-ups, farewells, and reads of the counts that peers show.
//!
//! A word travels in one inline RDMA write. Few of these writes are signalled, and the caller waits
//! for none. A write that wakes the peer carries immediate data, which consumes one of the peer's
//! receives on this queue pair. When this rank knows of no free receive, it first reads the peer's
//! count of reposted receives, which takes a round trip. If none is free then either, the peer has
//! completions that it has not polled. It polls before it sleeps, so a plain write is enough.
//!
//! Wake-ups and farewells are rare, and may wait for the device.

use std::sync::Arc;

use super::address::RemoteAddress;
use super::backoff::Backoff;
use super::descriptors::Descriptors;
use super::device::{Device, LOOK_AROUND, MUTE};
use super::layout::MemoryLayout;
use super::losses::{Loss, Losses, NOT_POSTED, TOO_MANY_RETURNED, UNREAD};
use crate::order::Rank;
use crate::sys::atomic::Ordering;
use crate::sys::ibverbs::{
    Batch, Completion, Cq, Pair, PostFailure, RegisteredWords, Status, Target,
};
use crate::sys::time::Instant;
use crate::verbs::{PutMode, Written};

/// The number of receives posted for each peer.
pub(super) const RECEIVES: u32 = 16;

/// The most work requests in flight to each peer.
pub(super) const SENDS: u32 = 16;

/// The length of the longest write: one word.
pub(super) const BYTES: usize = 8;

/// The control queue pair to one peer, and the state of that peer.
pub(super) struct ControlLink {
    pair: Pair,
    /// The peer's words that others may read.
    shown: RemoteAddress,
    /// The peer's words that others may write.
    reached: RemoteAddress,
    /// The words of the peer's host that others may write.
    exposed: RemoteAddress,
    receives: Descriptors,
    /// The number of receives that this rank has reposted.
    reposted: u64,
    /// A read in flight that only asks whether the peer's device answers.
    probe: Option<u32>,
    /// A read of [`ControlPairs::fetch`] that was not answered in time.
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

    /// Makes the next read complete although no word has arrived.
    #[cfg(planted)]
    pub(super) fn plant_empty_read(&mut self) {
        self.pair.plant_empty_read();
    }

    /// Posts the write of one word to the peer's memory at this address and key. It carries
    /// immediate data if it `notifies` the peer and a receive is known to be free. Returns whether
    /// it does.
    #[inline]
    fn post_word(
        &mut self,
        (address, key): (u64, u32),
        value: u64,
        notifies: bool,
        signalled: bool,
    ) -> Result<bool, PostFailure> {
        let is_notified = notifies && self.receives.has_one();
        let target = if is_notified {
            Target::MemoryWithImmediate(address, key)
        } else {
            Target::Memory(address, key)
        };
        self.pair.post(target, &value.to_le_bytes(), &[], signalled)?;
        if is_notified {
            self.receives.count_sent();
        }
        Ok(is_notified)
    }

    /// Returns whether a failed post may be repeated once there is room. Any other failure loses
    /// the peer.
    #[inline]
    fn check_is_full(
        &mut self,
        peer: Rank,
        failure: PostFailure,
        losses: &Losses,
    ) -> Result<(), Lost> {
        match failure {
            PostFailure::Full => Ok(()),
            PostFailure::Broken | PostFailure::TooLong => Err(Lost),
            PostFailure::Verb(_) => Err(self.lose(peer, ("ibv_post_send", NOT_POSTED), losses)),
        }
    }

    /// Gives the peer up. `verb` and `why` tell the user how the loss was noticed.
    #[cold]
    fn lose(
        &mut self,
        peer: Rank,
        (verb, why): (&'static str, &'static str),
        losses: &Losses,
    ) -> Lost {
        losses.note(peer, verb, why);
        self.pair.give_up();
        Lost
    }
}

/// The control queue pairs of one rank.
pub(super) struct ControlPairs {
    pub(super) layout: MemoryLayout,
    pub(super) rank: Rank,
    /// One for each peer; None for this rank and for ranks that are not reached by RDMA.
    pub(super) links: Vec<Option<ControlLink>>,
    pub(super) sends: Arc<Cq>,
    pub(super) receives: Arc<Cq>,
    pub(super) batch: Batch,
    /// The words of this rank that peers may read.
    pub(super) shown: Arc<RegisteredWords>,
    /// The words of this rank that peers may write.
    pub(super) reached: Arc<RegisteredWords>,
    pub(super) device: Box<Device>,
    /// The number of requests that have completed, successfully or not.
    pub(super) heard: u64,
    pub(super) looked_at: Instant,
}

/// The peer is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost;

impl ControlPairs {
    fn lane(&self) -> usize {
        self.layout.lanes - 1
    }

    #[inline]
    fn link(&mut self, peer: Rank) -> Result<&mut ControlLink, Lost> {
        self.links.get_mut(peer).and_then(Option::as_mut).ok_or(Lost)
    }

    /// Polls the completions of posted requests.
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

    /// Takes in the events of this rank's device and checks that the device still answers. The
    /// caller states in `is_asked` whether it waits for the device; probes in flight count too.
    pub(super) fn look(&mut self, now: Instant, is_asked: bool, losses: &Losses) {
        self.looked_at = now;
        // Completions that have come since the last look show that the device answers.
        self.reap(losses);
        self.hear_device(losses);
        let Self { links, device, heard, layout, rank, reached, .. } = self;
        let mut links_there = links.iter().flatten();
        let is_asked =
            is_asked || links_there.any(|link| link.probe.is_some() && !link.pair.is_broken());
        if device.is_mute(now, is_asked, *heard) {
            let there = |peer| is_there(peer, *rank, *layout, reached);
            device.lose_all(losses, "ibv_poll_cq", MUTE, &there);
            // No request will complete any more.
            links.iter_mut().flatten().for_each(|link| link.pair.give_up());
        }
    }

    /// Takes in the events of this rank's device.
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

    /// Pauses between two polls, and regularly checks that the device still answers.
    fn pass(&mut self, backoff: &mut Backoff, losses: &Losses) {
        let now = Instant::now();
        if now.saturating_since(self.looked_at) >= LOOK_AROUND {
            self.look(now, true, losses);
        }
        backoff.pause();
    }

    /// Polls the notifications of peers. Returns whether there were any.
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
                    // Pairs with the read by the peer's device: the receive is posted before a
                    // sender can count on it.
                    shown[layout.count(lane, peer)].store(link.reposted, Ordering::Release);
                }
            }
        }
        if failed {
            // The completions of requests tell the cause.
            self.reap(losses);
        }
        heard
    }

    /// Posts a request to a peer, waiting for room. Returns what `post` returns.
    fn post<T>(
        &mut self,
        peer: Rank,
        losses: &Losses,
        mut post: impl FnMut(&mut ControlLink) -> Result<T, PostFailure>,
    ) -> Result<T, Lost> {
        let mut backoff = Backoff::default();
        loop {
            let link = self.link(peer)?;
            match post(link) {
                Ok(posted) => return Ok(posted),
                Err(failure) => link.check_is_full(peer, failure, losses)?,
            }
            self.reap(losses);
            self.pass(&mut backoff, losses);
        }
    }

    /// Reads word `from` of those that a peer shows, and waits for it. It lands in word `at`.
    fn read(&mut self, peer: Rank, from: usize, at: usize, losses: &Losses) -> Result<u64, Lost> {
        let number =
            self.post(peer, losses, |link| link.pair.post_read(link.shown.word(from), at, 1))?;
        let mut backoff = Backoff::default();
        loop {
            self.reap(losses);
            let link = self.link(peer)?;
            if link.pair.is_broken() {
                return Err(Lost);
            }
            if link.pair.is_done(number) {
                break;
            }
            // This ends: the read completes, the device gives the peer up, or `pass` the device.
            self.pass(&mut backoff, losses);
        }
        self.landed(peer, at, losses)
    }

    /// The word of a read that is done.
    fn landed(&mut self, peer: Rank, word: usize, losses: &Losses) -> Result<u64, Lost> {
        let link = self.link(peer)?;
        let landed = link.pair.landed(word);
        landed.ok_or_else(|| link.lose(peer, ("ibv_poll_cq", UNREAD), losses))
    }

    /// Writes into a peer's memory that this rank leaves, waiting for room, and wakes the peer.
    pub(super) fn say_farewell(&mut self, peer: Rank, losses: &Losses) -> Result<(), Lost> {
        let word = self.layout.farewell(self.rank);
        let is_notified =
            self.post(peer, losses, |link| link.post_word(link.reached.word(word), 1, true, true))?;
        // `wake` may find no receive free, and then sends nothing. Requests of one queue pair are
        // done in order, so the peer polls one of those receives after the word was written.
        if is_notified { Ok(()) } else { self.wake(peer, losses) }
    }

    /// Writes a word of those that a peer lets others write, without waiting for room. Returns
    /// whether there was room.
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
            let link = self.link(peer)?;
            match link.post_word(link.reached.word(word), value, mode.wakes(), false) {
                Ok(is_notified) => {
                    if mode.wakes() && !is_notified {
                        // As in `say_farewell`.
                        self.wake(peer, losses)?;
                    }
                    return Ok(true);
                }
                Err(failure) => link.check_is_full(peer, failure, losses)?,
            }
            if again {
                self.reap(losses);
            }
        }
        Ok(false)
    }

    /// Writes a word of the memory that the peer's host lets others write, waiting for room, and
    /// wakes nobody. Every such write is signalled: when the peer leaves, this rank knows at once
    /// that no write is in flight.
    pub(super) fn write_exposed(
        &mut self,
        peer: Rank,
        word: usize,
        value: u64,
        losses: &Losses,
    ) -> Result<(), Lost> {
        self.post(peer, losses, |link| {
            link.post_word(link.exposed.word(word), value, false, true).map(drop)
        })
    }

    /// The state of all that was posted to a peer, as of the last poll. If requests are in flight,
    /// a probe is posted behind them. Its completion completes them too, since requests of one
    /// queue pair are done in order.
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

    /// Reads a word of those that a peer lets others write, and waits for it for a bounded time.
    /// Returns None if the time has passed. The read follows all earlier writes to that peer.
    pub(super) fn fetch(
        &mut self,
        peer: Rank,
        word: usize,
        losses: &Losses,
    ) -> Result<Option<u64>, Lost> {
        let at = self.layout.fetched(peer);
        let mut backoff = Backoff::default();
        // An earlier call's read that is late was posted before this rank's latest writes: its
        // word is ignored.
        let mut is_ours = false;
        loop {
            let link = self.link(peer)?;
            if link.pair.is_broken() {
                return Err(Lost);
            }
            match link.fetching.filter(|&number| !link.pair.is_done(number)) {
                Some(_) => {}
                None if is_ours => {
                    link.fetching = None;
                    return self.landed(peer, at, losses).map(Some);
                }
                None => match link.pair.post_read(link.reached.word(word), at, 1) {
                    Ok(number) => (link.fetching, is_ours) = (Some(number), true),
                    Err(PostFailure::Full) => {}
                    Err(_) => return Err(Lost),
                },
            }
            if backoff.is_at_its_end() {
                return Ok(None);
            }
            self.reap(losses);
            backoff.pause();
        }
    }

    /// Wakes a peer by a write with immediate data and no bytes, unless it has yet to poll another.
    pub(super) fn wake(&mut self, peer: Rank, losses: &Losses) -> Result<(), Lost> {
        if !self.link(peer)?.receives.has_one() {
            let (theirs, ours) = self.counts_with(peer);
            let count = self.read(peer, theirs, ours, losses)?;
            let link = self.link(peer)?;
            if link.receives.note_returned(count).is_err() {
                return Err(link.lose(peer, ("ibv_post_send", TOO_MANY_RETURNED), losses));
            }
            if !link.receives.has_one() {
                return Ok(());
            }
        }
        self.post(peer, losses, |link| {
            let RemoteAddress { address, key } = link.reached;
            link.pair.post(Target::MemoryWithImmediate(address, key), &[], &[], true)?;
            link.receives.count_sent();
            Ok(())
        })
    }

    /// Asks whether a peer's device answers, unless an earlier probe is still in flight. The answer
    /// is taken in by [`reap`](ControlPairs::reap).
    pub(super) fn probe(&mut self, peer: Rank) {
        let (theirs, ours) = self.counts_with(peer);
        let Ok(link) = self.link(peer) else { return };
        if link.probe.is_none() && !link.pair.is_broken() {
            // A read whose word is ignored.
            link.probe = link.pair.post_read(link.shown.word(theirs), ours, 1).ok();
        }
    }

    /// Where the count of receives that a peer has reposted for this rank stands among the peer's
    /// words, and in which word it lands here.
    fn counts_with(&self, peer: Rank) -> (usize, usize) {
        (self.layout.count(self.lane(), self.rank), self.layout.count(self.lane(), peer))
    }

    /// Whether a probe of a peer is in flight.
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

/// Whether a rank is a peer of this one and has not said farewell.
fn is_there(peer: Rank, rank: Rank, layout: MemoryLayout, reached: &RegisteredWords) -> bool {
    // Pairs with the farewell that the peer's device writes behind all that the peer has sent.
    peer != rank && reached[layout.farewell(peer)].load(Ordering::Acquire) == 0
}

/// Takes in the completion of a request to a peer.
#[inline]
pub(super) fn settle(pair: &mut Pair, completion: &Completion, peer: Rank, losses: &Losses) {
    match completion.status() {
        Status::Done => drop(pair.completed(completion)),
        status => fail(pair, status, peer, losses),
    }
}

/// A queue pair has failed: its peer is lost.
#[cold]
pub(super) fn fail(pair: &mut Pair, status: Status, peer: Rank, losses: &Losses) {
    pair.give_up();
    match status {
        Status::Flushed => losses.note_that_it_followed(peer),
        // The device reports success of a request that does not exist.
        Status::Done => losses.note(peer, "ibv_poll_cq", "it has completed what was not posted"),
        Status::Failed(refusal) => losses.note_refusal(peer, refusal),
    }
}
