//! The questions of a stalled wait, and its report: what this rank is in, and where the others are.
//!
//! When to ask and to report is the part `waiting`'s. The questions are those of a barrier wait that
//! runs out of time (see `barrier`): one at a time to each rank, and an old answer counts for
//! nothing.
//!
//! Keeps rule HANG-1 of SEMANTICS.md.

use std::time::Duration;

use super::Engine;
use crate::message::error::MessageError;
use crate::message::waiting::{
    Activity, CallInfo, CallNames, Pace, StallHandler, StallReport, StallStep, Whereabouts,
};
use crate::order::{GroupId, Rank};
use crate::verbs::Nic;

impl<N: Nic> Engine<N> {
    /// From now on `handler` is given the stall reports of this rank; `names` tells the names of
    /// collectives by their codes. Without a handler there are none.
    pub fn on_stall(&mut self, handler: StallHandler, names: CallNames) {
        self.waiting.set_handler(handler, names);
    }

    /// Says in which collective this rank sends and receives in the context of `call`, until the
    /// next call of this.
    pub fn set_call(&mut self, call: CallInfo) {
        self.waiting.set_call(call);
    }

    /// What this rank is in now.
    pub(super) fn activity(&self) -> Activity {
        self.waiting.activity(self.barriers.oldest_open(), |id, source| {
            (self.matching.context_of(id), self.activity_of_posted(id, source))
        })
    }

    /// Asks or reports, where it is time to. Returns when to look again.
    pub(super) fn look_for_stall(
        &mut self,
        pace: &mut Pace,
    ) -> Result<Option<Duration>, MessageError> {
        let answered = |peer| self.whereabouts(peer) != Whereabouts::NoAnswer;
        match pace.poll_stall(|| self.others().all(answered)) {
            StallStep::Nothing => Ok(None),
            StallStep::Later(left) => Ok(Some(left)),
            StallStep::Ask(given) => {
                let (group, epoch) = self.barriers.oldest_open().unwrap_or((GroupId::WORLD, 0));
                for peer in self.others() {
                    self.ask(peer, group, epoch);
                }
                self.flush()?;
                Ok(Some(given))
            }
            StallStep::Report => {
                self.report_stall(pace.waited());
                Ok(None)
            }
        }
    }

    fn report_stall(&self, waited: Duration) {
        let Some((handler, names)) = self.waiting.handler() else { return };
        let open_barrier = self.barriers.oldest_open();
        let not_entered = open_barrier.map_or_else(Vec::new, |(group, epoch)| {
            let members = self.order().members(group).unwrap_or(&[]).iter().copied();
            members.filter(|&member| self.says_not_entered(member, group, epoch)).collect()
        });
        handler(&StallReport {
            rank: self.rank(),
            waited,
            activity: self.activity(),
            open_barrier,
            not_entered,
            others: self.others().map(|peer| (peer, self.whereabouts(peer))).collect(),
            names: *names,
        });
    }

    fn whereabouts(&self, peer: Rank) -> Whereabouts {
        let peer = self.links.peer(peer);
        match peer.answer() {
            _ if peer.presence().is_lost() => Whereabouts::Lost,
            _ if peer.presence().has_ended() => Whereabouts::Ended,
            Some(answer) => Whereabouts::In(answer.activity),
            None => Whereabouts::NoAnswer,
        }
    }

    fn others(&self) -> impl Iterator<Item = Rank> + use<N> {
        let rank = self.rank();
        (0..self.size()).filter(move |&peer| peer != rank)
    }
}
