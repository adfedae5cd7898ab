//! When a wait is reported as stalled, and the report: where all other ranks are.
//!
//! A rank that has waited inside one call for longer than a limit asks all others, gives them some
//! time to answer, tells a handler, and waits on. The report says what the ranks said, and draws no
//! conclusion: the reader finds out which waits for which.
//!
//! Keeps rule HANG-1 of SEMANTICS.md.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::activity::{Activity, CallNames};
use crate::message::error::listed;
use crate::order::{Epoch, GroupId, Rank};
use crate::sys::time::Instant;

/// The program's function that is given the reports.
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
    /// What it waits in.
    pub activity: Activity,
    /// The oldest barrier that is open at this rank, with its group.
    pub open_barrier: Option<(GroupId, Epoch)>,
    /// The members of that group that say that they have not entered that barrier.
    pub not_entered: Vec<Rank>,
    /// All other ranks, in order, and where they are.
    pub others: Vec<(Rank, Whereabouts)>,
    pub(in crate::message) names: CallNames,
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

/// How long a rank is given to answer, at least.
pub(in crate::message) const ANSWER_TIME: Duration = Duration::from_millis(50);
/// The same, at most.
const LONGEST_ANSWER_TIME: Duration = Duration::from_secs(1);

/// How far one wait has come with its report.
pub(super) enum Stalling {
    /// It will not report, or has.
    Done,
    /// It asks when this is past.
    Until(Instant),
    /// It has asked, and reports when all have answered or this is past.
    Asked(Instant),
}

/// What a wait is to do about its report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) enum StallStep {
    /// Nothing, ever.
    Nothing,
    /// Nothing, for so long.
    Later(Duration),
    /// It asks all others now, and gives them so long.
    Ask(Duration),
    /// It reports now.
    Report,
}

impl Stalling {
    /// Of a wait that began at `start`, and asks `after` so long or never.
    pub(super) fn new(start: Instant, after: Option<Duration>) -> Stalling {
        let until = after.and_then(|after| start.after(after));
        until.map_or(Stalling::Done, Stalling::Until)
    }

    /// What to do now, after having `waited` for so long.
    pub(super) fn poll(
        &mut self,
        now: Instant,
        waited: Duration,
        all_answered: impl FnOnce() -> bool,
    ) -> StallStep {
        let (step, next) = match *self {
            Stalling::Done => return StallStep::Nothing,
            Stalling::Until(until) if now < until => {
                return StallStep::Later(until.saturating_since(now));
            }
            Stalling::Until(_) => {
                let longest = (waited / 10).clamp(ANSWER_TIME, LONGEST_ANSWER_TIME);
                let until = now.after(longest).unwrap_or(now);
                (StallStep::Ask(until.saturating_since(now)), Stalling::Asked(until))
            }
            Stalling::Asked(until) if now < until && !all_answered() => {
                return StallStep::Later(until.saturating_since(now));
            }
            Stalling::Asked(_) => (StallStep::Report, Stalling::Done),
        };
        *self = next;
        step
    }
}

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
    use crate::message::matching::{Context, Lane, Source, Tag};

    const LIMIT: Duration = Duration::from_secs(2);

    /// SEMANTICS: HANG-1
    #[test]
    fn a_stalled_wait_asks_once_and_reports_once() {
        let start = Instant::now();
        let at = |time| start.after(time).unwrap();
        for answered in [false, true] {
            let mut stalling = Stalling::new(start, Some(LIMIT));
            let mut poll = |time, all_answered| stalling.poll(at(time), time, || all_answered);
            // What was answered before it has asked is old, and counts for nothing.
            let early = LIMIT - Duration::from_millis(1);
            assert_eq!(poll(early, true), StallStep::Later(Duration::from_millis(1)));
            // A tenth of what it has waited.
            let given = Duration::from_millis(200);
            assert_eq!(poll(LIMIT, true), StallStep::Ask(given));
            assert_eq!(poll(LIMIT, false), StallStep::Later(given));
            let time = if answered { LIMIT } else { LIMIT + given };
            assert_eq!(poll(time, answered), StallStep::Report);
            assert_eq!(poll(2 * LIMIT, true), StallStep::Nothing);
        }
    }

    #[test]
    fn the_time_to_answer_is_bounded_from_below_and_above() {
        let start = Instant::now();
        for (waited, given) in [(1, ANSWER_TIME), (60_000, LONGEST_ANSWER_TIME)] {
            let waited = Duration::from_millis(waited);
            let mut stalling = Stalling::new(start, Some(waited));
            let now = start.after(waited).unwrap();
            assert_eq!(stalling.poll(now, waited, || false), StallStep::Ask(given));
        }
        let mut never = Stalling::new(start, None);
        let late = Duration::from_secs(3600);
        assert_eq!(never.poll(start.after(late).unwrap(), late, || false), StallStep::Nothing);
    }

    #[test]
    fn a_stall_report_is_one_line_and_names_equal_activities_once() {
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
