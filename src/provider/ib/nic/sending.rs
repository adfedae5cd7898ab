//! How a rank sends: a message meets a receive because its sender counts. The receiver shows how
//! many receives it has posted again, and a sender reads that number by an RDMA read when its own
//! knowledge runs out. It knows no credits; those are the message layer's.

use super::IbNic;
use crate::provider::ib::backoff::Backoff;
use crate::provider::ib::control;
use crate::provider::ib::end::End;
use crate::provider::ib::losses::{NOT_POSTED, TOO_MANY_RETURNED, UNREAD};
use crate::sys::ibverbs::{PostFailure, Target};
use crate::verbs::{PostError, VerbsError, Vi};

impl IbNic {
    #[inline]
    pub(super) fn send(&mut self, vi: Vi, header: &[u8], payload: &[u8]) -> Result<(), PostError> {
        let index = self.index(vi);
        let Some(Some(End { spec: Some(spec), descriptors, .. })) = self.ends.get(index) else {
            return Err(PostError::NotOpen(vi));
        };
        let (len, limit) = (header.len().saturating_add(payload.len()), spec.descriptor_bytes);
        if len > limit {
            return Err(PostError::TooLong { vi, len, limit });
        }
        // What meets no receive of an unreliable VI is lost, and nobody counts.
        let has_one = !self.is_reliable || descriptors.has_one();
        let should_ask = self.is_reliable && descriptors.should_ask();
        if self.is_gone(vi.peer) {
            return Err(PostError::PeerGone(vi));
        }
        if !has_one && !self.has_receives(index) {
            let is_gone = self.is_gone(vi.peer);
            return Err(if is_gone {
                PostError::PeerGone(vi)
            } else {
                PostError::NoDescriptor(vi)
            });
        }
        if should_ask {
            // If there is no room for the question now, it is asked later.
            let _ = self.ask(index);
        }
        for again in [true, false] {
            let Some(Some(end)) = self.ends.get_mut(index) else { break };
            match end.pair.post(Target::Receive, header, payload, false) {
                Ok(()) => {
                    if self.is_reliable {
                        end.descriptors.count_sent();
                    }
                    return Ok(());
                }
                Err(PostFailure::Full) if again => drop(self.reap()),
                Err(PostFailure::Full) => {}
                Err(PostFailure::TooLong) => return Err(PostError::TooLong { vi, len, limit }),
                Err(PostFailure::Broken) => return Err(PostError::PeerGone(vi)),
                Err(PostFailure::Verb(_)) => {
                    end.pair.give_up();
                    self.losses.note(vi.peer, "ibv_post_send", NOT_POSTED);
                    return Err(PostError::PeerGone(vi));
                }
            }
        }
        self.starved = true;
        Err(PostError::QueueFull(vi))
    }

    /// Takes in the completions of sends. Returns whether there were any.
    pub(super) fn reap(&mut self) -> bool {
        let Self { sends, batch, ends, layout, losses, faults, .. } = self;
        let mut reaped = false;
        loop {
            if sends.poll(batch).is_err() || batch.is_empty() {
                return reaped;
            }
            reaped = true;
            while let Some(completion) = batch.take() {
                let index = completion.owner();
                let Some(Some(end)) = ends.get_mut(index) else { continue };
                let peer = index % layout.size;
                control::settle(&mut end.pair, &completion, peer, losses);
                if end.asked.is_some_and(|asked| end.pair.is_done(asked)) {
                    end.asked = None;
                    let at = layout.count(index / layout.size, peer);
                    let Some(count) = end.pair.landed(at) else {
                        end.pair.give_up();
                        losses.note(peer, "ibv_poll_cq", UNREAD);
                        continue;
                    };
                    if end.descriptors.note_returned(count).is_err() {
                        end.pair.give_up();
                        losses.note(peer, "ibv_post_send", TOO_MANY_RETURNED);
                        let what = "number of receive descriptors";
                        faults.push(VerbsError::Corrupted { peer, what });
                    }
                }
            }
        }
    }

    /// Asks for the receives of the peer, unless that is under way.
    pub(super) fn ask(&mut self, index: usize) -> Result<(), PostFailure> {
        let at = self.layout.count(index / self.layout.size, index % self.layout.size);
        let Some(Some(end)) = self.ends.get_mut(index) else { return Ok(()) };
        if end.asked.is_none() {
            let counted = (end.counted.address, end.counted.key);
            end.asked = Some(end.pair.post_read(counted, at, 1)?);
        }
        Ok(())
    }

    /// Asks for the receives of the peer, and waits for the answer. Returns whether there are any.
    #[cold]
    pub(super) fn has_receives(&mut self, index: usize) -> bool {
        let mut backoff = Backoff::default();
        // The answer to a question that was asked before may say so already.
        for fresh in [false, true] {
            loop {
                match if fresh { self.ask(index) } else { Ok(()) } {
                    Ok(()) => break,
                    Err(PostFailure::Full) if !self.is_gone(index % self.layout.size) => {}
                    Err(_) => return false,
                }
                self.reap();
                self.look_around();
                backoff.pause();
            }
            loop {
                self.reap();
                let Some(Some(end)) = self.ends.get(index) else { return false };
                if end.pair.is_broken() || self.is_gone(index % self.layout.size) {
                    return false;
                }
                if end.descriptors.has_one() {
                    return true;
                }
                if end.asked.is_none() {
                    break;
                }
                // It comes, or the device gives the peer up, or is given up itself.
                self.look_around();
                backoff.pause();
            }
        }
        false
    }
}
