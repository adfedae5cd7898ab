//! The stall report: a rank that has waited inside one call for longer than a limit asks all others
//! where they are, tells a handler who is where, and goes on waiting.
//!
//! It says what the ranks said, and draws no conclusion: who waits for whom is for the reader to see.
//! The questions are those of a barrier wait that runs out of time (see `barrier`): one at a time to
//! each rank, and an old answer counts for nothing.
//!
//! Keeps rule HANG-1 of SEMANTICS.md.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Engine;
use crate::message::activity::{Activity, CallInfo, CallNames, Waiting};
use crate::message::error::{MessageError, listed};
use crate::message::matching::{Context, Source};
use crate::order::{Epoch, GroupId, Rank};
use crate::sys::time::Instant;
use crate::verbs::Nic;

/// Who gets the reports.
pub type StallHandler = Arc<dyn Fn(&StallReport) + Send + Sync>;

/// A rank has waited inside one call for longer than the limit; where the others are.
///
/// Each says where it was when it answered, after it had been asked. It may have gone on since. Ranks
/// are those of the world, in every group.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StallReport {
    /// The rank that waits.
    pub rank: Rank,
    /// How long it has waited.
    pub waited: Duration,
    /// In what.
    pub activity: Activity,
    /// The oldest barrier that is open at this rank, with its group.
    pub open_barrier: Option<(GroupId, Epoch)>,
    /// The members of that group that say that they have not entered that barrier.
    pub not_entered: Vec<Rank>,
    /// All other ranks, in order, and where they are.
    pub others: Vec<(Rank, Whereabouts)>,
    names: CallNames,
}

/// Where a rank is, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Whereabouts {
    /// It says that it is in this.
    In(Activity),
    /// It has not answered in time: it computes outside the runtime, or is not scheduled.
    NoAnswer,
    /// It has ended.
    Ended,
    /// It has gone without ending its world.
    Lost,
}

/// What the engine keeps for it.
#[derive(Default)]
pub(super) struct StallState {
    /// What the rank waits for now.
    pub(super) waiting: Option<Waiting>,
    /// The collective under way, or the last one.
    call: Option<CallInfo>,
    handler: Option<(StallHandler, CallNames)>,
}

/// How far one wait has come with its report.
pub(super) enum Stalling {
    /// It will not report, or has.
    Done,
    /// It asks when this is past.
    Until(Instant),
    /// It has asked, and reports when all have answered or this is past.
    Asked(Instant),
}

impl<N: Nic> Engine<N> {
    /// From now on `handler` is given the stall reports of this rank; `names` tells the names of
    /// collectives by their codes. Without a handler there are none.
    pub fn on_stall(&mut self, handler: StallHandler, names: CallNames) {
        self.stall.handler = Some((handler, names));
    }

    /// Says in which collective this rank sends and receives in the context of `call`, until the
    /// next call of this.
    pub fn set_call(&mut self, call: CallInfo) {
        self.stall.call = Some(call);
    }

    /// What this rank is in now.
    pub(super) fn activity(&self) -> Activity {
        let Some(waiting) = self.stall.waiting else { return Activity::Nothing };
        let in_call =
            |context: Option<Context>, peer: Option<Rank>, otherwise: Activity| {
                let call = self.stall.call.filter(|call| Some(call.context) == context);
                call.map_or(otherwise, |CallInfo { kind, number, group, .. }| {
                    Activity::Collective { kind, number, group, peer }
                })
            };
        let payload = |peer| Activity::Rendezvous { peer };
        match waiting {
            Waiting::Barriers { .. } => match self.oldest_open() {
                Some((group, epoch)) => Activity::Barrier { group, epoch },
                None => Activity::Nothing,
            },
            Waiting::Send { to, context } => in_call(context, Some(to), Activity::Send { to }),
            Waiting::Receive { context, pattern } => {
                let (source, tag) = (pattern.source, pattern.tag);
                let receive = Activity::Receive { source, tag, context };
                let peer = match source {
                    Source::Any => None,
                    Source::Rank(rank) => Some(rank),
                };
                in_call(Some(context), peer, receive)
            }
            Waiting::Posted { id, source } => {
                let peer = match source {
                    Source::Any => None,
                    Source::Rank(rank) => Some(rank),
                };
                in_call(
                    Some(self.matching.context_of(id)),
                    peer,
                    self.activity_of_posted(id, source),
                )
            }
            Waiting::Payload { peer, context } => in_call(Some(context), Some(peer), payload(peer)),
            Waiting::HandOver | Waiting::Leaving => Activity::Ending,
        }
    }

    /// For a wait that begins now. One that has a time limit tells its caller when that has passed,
    /// and reports nothing else.
    pub(super) fn begin_stalling(&self, start: Instant, has_limit: bool) -> Stalling {
        let limit = self.config.stall_after;
        let is_off = limit.is_zero() || has_limit || self.stall.handler.is_none();
        let leaves = matches!(self.stall.waiting, Some(Waiting::Leaving));
        match start.after(limit) {
            Some(until) if !is_off && !leaves => Stalling::Until(until),
            _ => Stalling::Done,
        }
    }

    /// Asks or reports, where it is time to. Returns when to look again.
    pub(super) fn look_for_stall(
        &mut self,
        stalling: &mut Stalling,
        start: Instant,
        now: Instant,
    ) -> Result<Option<Duration>, MessageError> {
        let until = match *stalling {
            Stalling::Done => return Ok(None),
            Stalling::Until(until) if now < until => until,
            Stalling::Until(_) => {
                let (group, epoch) = self.oldest_open().unwrap_or((GroupId::WORLD, 0));
                for peer in self.others() {
                    self.ask(peer, group, epoch);
                }
                self.flush()?;
                let waited = now.saturating_since(start);
                let longest = (waited / 10).clamp(super::barrier::ANSWER_TIME, LONGEST_ANSWER_TIME);
                let until = now.after(longest).unwrap_or(now);
                *stalling = Stalling::Asked(until);
                until
            }
            Stalling::Asked(until) => {
                let answered = |peer| self.whereabouts(peer) != Whereabouts::NoAnswer;
                if now < until && !self.others().all(answered) {
                    until
                } else {
                    *stalling = Stalling::Done;
                    self.report_stall(now.saturating_since(start));
                    return Ok(None);
                }
            }
        };
        Ok(Some(until.saturating_since(now)))
    }

    fn report_stall(&self, waited: Duration) {
        let Some((handler, names)) = &self.stall.handler else { return };
        let open_barrier = self.oldest_open();
        let not_entered = open_barrier.map_or_else(Vec::new, |(group, epoch)| {
            let members = self.order.members(group).unwrap_or(&[]).iter().copied();
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
        let peer = &self.peers[peer];
        match peer.answered {
            _ if peer.presence.is_lost() => Whereabouts::Lost,
            _ if peer.presence.has_ended() => Whereabouts::Ended,
            Some(answer) => Whereabouts::In(answer.activity),
            None => Whereabouts::NoAnswer,
        }
    }

    fn others(&self) -> impl Iterator<Item = Rank> + use<N> {
        let rank = self.rank();
        (0..self.size()).filter(move |&peer| peer != rank)
    }
}

/// How long the others are given to answer, at most. At least it is as long as in a barrier wait.
const LONGEST_ANSWER_TIME: Duration = Duration::from_secs(1);

impl fmt::Display for StallReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} has waited ", self.rank)?;
        match self.waited.as_secs() {
            0 => write!(f, "{} ms ", self.waited.as_millis())?,
            seconds => write!(f, "{seconds} s ")?,
        }
        self.activity.write(f, self.names)?;
        if let Some((group, epoch)) = self.open_barrier {
            if self.activity != (Activity::Barrier { group, epoch }) {
                write!(f, "; barrier {epoch} of {group} is open")?;
            }
            f.write_str(&listed("not entered by", &self.not_entered))?;
        }
        // Many are often in the same.
        let mut told: Vec<Whereabouts> = Vec::new();
        for &(_, place) in &self.others {
            if told.contains(&place) {
                continue;
            }
            told.push(place);
            let same = self.others.iter().filter(|(_, other)| *other == place);
            let ranks: Vec<String> = same.map(|(rank, _)| rank.to_string()).collect();
            let word = if ranks.len() == 1 { "rank" } else { "ranks" };
            write!(f, "; {word} {}: ", ranks.join(", "))?;
            match place {
                Whereabouts::In(activity) => activity.write(f, self.names)?,
                Whereabouts::NoAnswer => write!(f, "no answer (computing, or descheduled)")?,
                Whereabouts::Ended => write!(f, "ended")?,
                Whereabouts::Lost => write!(f, "lost, without ending the world")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Tag;
    use crate::message::matching::Lane;

    #[test]
    fn a_report_is_one_line_and_names_equal_places_once() {
        let barrier = Activity::Barrier { group: GroupId::WORLD, epoch: 7 };
        let peer = Some(1);
        let reduce = Activity::Collective { kind: 1, number: 5, group: GroupId::WORLD, peer };
        let receive = Activity::Receive {
            source: Source::Rank(0),
            tag: Tag::Exactly(9),
            context: Context::WORLD,
        };
        let report = StallReport {
            rank: 2,
            waited: Duration::from_millis(60_400),
            activity: barrier,
            open_barrier: Some((GroupId::WORLD, 7)),
            not_entered: vec![0, 1],
            others: vec![
                (0, Whereabouts::In(reduce)),
                (1, Whereabouts::In(receive)),
                (3, Whereabouts::NoAnswer),
            ],
            names: |_| "reduce",
        };
        // As in docs/ARCHITECTURE.md.
        assert_eq!(
            report.to_string(),
            "rank 2 has waited 60 s in barrier 7 of world; not entered by [0, 1]; rank 0: in reduce \
             number 5 of world, for rank 1; rank 1: in a receive from rank 0 with tag 9; rank 3: no \
             answer (computing, or descheduled)"
        );
        let context = Context::new(GroupId(4), Lane::Program);
        let any = Source::Any;
        let report = StallReport {
            activity: Activity::Receive { source: any, tag: Tag::Any, context },
            waited: Duration::from_millis(52),
            not_entered: Vec::new(),
            others: vec![
                (0, Whereabouts::Lost),
                (1, Whereabouts::In(Activity::Nothing)),
                (3, Whereabouts::Ended),
                (4, Whereabouts::In(Activity::Nothing)),
                (5, Whereabouts::In(Activity::Rendezvous { peer: 4 })),
                (6, Whereabouts::In(Activity::Ending)),
                (7, Whereabouts::In(Activity::Send { to: 2 })),
            ],
            ..report
        };
        assert_eq!(
            report.to_string(),
            "rank 2 has waited 52 ms in a receive from any rank with any tag of group 4; barrier 7 \
             of world is open; rank 0: lost, without ending the world; ranks 1, 4: not in a call \
             that waits; rank 3: ended; rank 5: in the transfer of a large message with \
             rank 4; rank 6: at the end of its program; rank 7: in a send to rank 2"
        );
    }
}
