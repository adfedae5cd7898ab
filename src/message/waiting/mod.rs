//! How one rank waits: what it waits for, how it learns of news, what may wake it, and how many
//! calls the fast path may serve before the rank looks for everything.
//!
//! Keeps rules FLOW-3 and HANG-1 of SEMANTICS.md. The wait loop itself is `engine/wait.rs`: it asks
//! this part, and acts. Nothing here touches the network or reads a clock; times are handed in.
//!
//! | file | holds |
//! |---|---|
//! | `notify` | whether a waiting rank spins, yields or sleeps |
//! | `migration` | whether a rank that shares its core in vain should be put on another |
//! | `pace` | when one wait looks at the clock, and gives up hope |
//! | `turns` | how many calls in a row may go the fast path |
//! | `asks` | when to ask for signals that may be lost |
//! | `activity` | what a call waits for, and the answer to a rank that asks |
//! | `stall` | when a wait is reported, and the report |

pub(super) mod activity;
mod asks;
mod migration;
mod notify;
mod pace;
mod stall;
mod turns;

pub(super) use activity::WaitsFor;
pub use activity::{Activity, CallInfo, CallNames};
pub(super) use notify::{Crowd, OnHost, WaitStep};
pub use notify::{Notify, Patience};
pub(super) use pace::{LOOKS_BEFORE_CLOCK, Pace};
pub(super) use stall::{ANSWER_TIME, StallStep};
pub use stall::{StallHandler, StallReport, Whereabouts};

use std::time::Duration;

use super::config::{BULK, CONTROL, SIGNAL};
use super::matching::{Context, RecvId, Source};
use crate::order::clocks::Seq;
use crate::order::{Epoch, GroupId, Rank};
use crate::sys::time::Instant;
use crate::verbs::WakeOn;
use asks::Asks;
use migration::Migration;
use notify::Waiter;
use turns::{POSTS, Turns};

/// What a rank knows of its own waiting.
pub(super) struct Waiting {
    turns: Turns,
    waiter: Waiter,
    migration: Migration,
    /// None outside a call that waits.
    waits_for: Option<WaitsFor>,
    /// Whether the wait is for one of several things, which any message may be.
    wakes_on_any: bool,
    /// The ranks at which a wait for one of several things needs room.
    room_at: Vec<Rank>,
    asks: Asks,
    /// The collective under way, or the last one.
    call: Option<CallInfo>,
    /// Whether there were news beside those that a poll finds.
    has_news: bool,
    handler: Option<(StallHandler, CallNames)>,
}

impl Waiting {
    /// For one of `size` ranks.
    pub(super) fn new(notify: Notify, crowd: Crowd, size: usize) -> Waiting {
        Waiting {
            turns: Turns::default(),
            waiter: Waiter::new(notify, crowd),
            migration: Migration::default(),
            waits_for: None,
            wakes_on_any: false,
            room_at: Vec::with_capacity(size),
            asks: Asks::default(),
            call: None,
            has_news: false,
            handler: None,
        }
    }

    /// From now on the rank waits so. What it had learnt about waiting is forgotten.
    pub(super) fn set_notify(&mut self, notify: Notify) {
        self.waiter.set_notify(notify);
    }

    /// The stall reports go to `handler`; `names` tells the names of collectives by their codes.
    pub(super) fn set_handler(&mut self, handler: StallHandler, names: CallNames) {
        self.handler = Some((handler, names));
    }

    /// Where the stall reports go.
    pub(super) fn handler(&self) -> Option<&(StallHandler, CallNames)> {
        self.handler.as_ref()
    }

    /// The rank is in this collective until the next call of this.
    pub(super) fn set_call(&mut self, call: CallInfo) {
        self.call = Some(call);
    }
}

/// What the rank waits for.
impl Waiting {
    /// A call begins to wait. Ranks that ask are told so from now on.
    pub(super) fn begin(&mut self, waits_for: WaitsFor) {
        self.waits_for = Some(waits_for);
    }

    /// The call waits no longer.
    pub(super) fn end(&mut self) {
        self.waits_for = None;
    }

    /// The wait that follows is for one of several things: a message, which may be any if
    /// `wakes_on_any`, or room at one of the ranks `room_at`.
    pub(super) fn begin_several(&mut self, wakes_on_any: bool, room_at: &[Rank]) {
        self.wakes_on_any = wakes_on_any;
        self.room_at.extend_from_slice(room_at);
    }

    /// The wait for one of several things is over.
    pub(super) fn end_several(&mut self) {
        self.wakes_on_any = false;
        self.room_at.clear();
    }

    /// What the rank waits for; None outside a call that waits.
    #[inline]
    pub(super) fn waits_for(&self) -> Option<WaitsFor> {
        self.waits_for
    }

    /// The ranks at which a wait for one of several things needs room.
    pub(super) fn room_at(&self) -> &[Rank] {
        &self.room_at
    }

    /// What the rank is in, as it tells others. `open` is its oldest open barrier; `posted` tells
    /// the context of a posted receive, and what a wait for it is outside a collective.
    pub(super) fn activity(
        &self,
        open: Option<(GroupId, Epoch)>,
        posted: impl FnOnce(RecvId, Source) -> (Context, Activity),
    ) -> Activity {
        let Some(waits_for) = self.waits_for else { return Activity::Nothing };
        let in_call =
            |context, peer, otherwise| {
                let call = self.call.filter(|call| Some(call.context) == context);
                call.map_or(otherwise, |CallInfo { kind, number, group, .. }| {
                    Activity::Collective { kind, number, group, peer }
                })
            };
        match waits_for {
            WaitsFor::Barriers { .. } => {
                open.map_or(Activity::Nothing, |(group, epoch)| Activity::Barrier { group, epoch })
            }
            WaitsFor::Send { to, context } => in_call(context, Some(to), Activity::Send { to }),
            WaitsFor::Receive { context, pattern } => {
                let (source, tag) = (pattern.source, pattern.tag);
                let receive = Activity::Receive { source, tag, context };
                in_call(Some(context), source.rank(), receive)
            }
            WaitsFor::Posted { id, source } => {
                let (context, otherwise) = posted(id, source);
                in_call(Some(context), source.rank(), otherwise)
            }
            WaitsFor::Payload { peer, context } => {
                in_call(Some(context), Some(peer), Activity::Rendezvous { peer })
            }
            WaitsFor::HandOver | WaitsFor::Leaving => Activity::Ending,
        }
    }
}

/// What wakes the rank.
impl Waiting {
    /// Which messages must wake the rank. Signals, control frames and payload always do: others
    /// wait for what this rank makes of them. A message need not, if this call waits for something
    /// else and no posted receive could take it: it would only be put into a queue. `has_posted`
    /// tells whether a receive is posted, but for this one.
    pub(super) fn wake_on(&self, has_posted: impl FnOnce(Option<RecvId>) -> bool) -> WakeOn {
        let others = 1 << SIGNAL.0 | 1 << CONTROL.0 | 1 << BULK.0;
        let (source, posted) = match self.waits_for {
            _ if self.wakes_on_any => return WakeOn::ANYTHING,
            Some(WaitsFor::Barriers { .. } | WaitsFor::Send { .. } | WaitsFor::Payload { .. }) => {
                (None, None)
            }
            Some(WaitsFor::Receive { pattern, .. }) => (Some(pattern.source), None),
            Some(WaitsFor::Posted { id, source }) => (Some(source), Some(id)),
            Some(WaitsFor::HandOver | WaitsFor::Leaving) | None => return WakeOn::ANYTHING,
        };
        match source {
            _ if has_posted(posted) => WakeOn::ANYTHING,
            Some(Source::Any) => WakeOn::ANYTHING,
            Some(Source::Rank(rank)) => {
                WakeOn { queues: others, peer: Some(rank), ..WakeOn::ANYTHING }
            }
            None => WakeOn { queues: others, peer: None, ..WakeOn::ANYTHING },
        }
    }

    /// Up to which place in the own order the completion of a barrier matters to a rank that goes
    /// to sleep; 0 for the next one that completes, None if none does. `keeps` if a completion may
    /// release what this rank keeps: what is held, contained or deferred.
    pub(super) fn awaits_through(&self, keeps: bool) -> Option<Seq> {
        let through = match self.waits_for {
            Some(WaitsFor::Barriers { through }) => through,
            Some(WaitsFor::HandOver) => Some(Seq::MAX),
            Some(WaitsFor::Send { .. }) => None,
            _ if keeps => None,
            _ => return None,
        };
        Some(through.filter(|_| !keeps).unwrap_or(0))
    }
}

/// The pace of a wait.
impl Waiting {
    /// A wait begins with looks that no look at the clock comes between.
    #[inline]
    pub(super) fn begin_looks(&mut self) {
        self.waiter.begin();
    }

    /// What to do after one of these looks, which found `news` or not.
    #[inline]
    pub(super) fn step(&mut self, news: bool) -> WaitStep {
        let news = self.take_news(news);
        self.waiter.next(news, Duration::ZERO)
    }

    /// What is waited for has come on, though no poll has found anything.
    #[inline]
    pub(super) fn note_news(&mut self) {
        self.has_news = true;
    }

    /// Whether there were news since the last time, or the look before has found `news`.
    #[inline]
    pub(super) fn take_news(&mut self, news: bool) -> bool {
        std::mem::take(&mut self.has_news) || news
    }

    /// The wait goes on, by the clock. It reports a stall after `stall_after`, unless that is zero,
    /// it has a time limit, or nobody gets the report. (A wait with a limit tells its caller.)
    pub(super) fn begin_pace(
        &self,
        start: Instant,
        stall_after: Duration,
        has_limit: bool,
    ) -> Pace {
        let leaves = matches!(self.waits_for, Some(WaitsFor::Leaving));
        let reports = !stall_after.is_zero() && !has_limit && !leaves && self.handler.is_some();
        Pace::new(start, self.waiter.wants_time(), reports.then_some(stall_after))
    }

    /// What to do after a look of a wait that goes by the clock.
    #[inline]
    pub(super) fn step_in(&mut self, pace: &Pace) -> WaitStep {
        self.waiter.next(pace.has_news(), pace.idle_for())
    }

    /// The wait looked at the clock after a step that was no sleep. What is `on_host` it says, if it can.
    #[inline]
    pub(super) fn handle_time(
        &mut self,
        pace: &mut Pace,
        now: Instant,
        on_host: impl FnOnce() -> Option<OnHost>,
    ) {
        self.waiter.note_absence(pace.handle_time(now), on_host);
    }

    /// Whether no rank of the job is known to want the core of this one.
    #[inline]
    pub(super) fn has_core(&self) -> bool {
        self.waiter.spins()
    }

    /// Whether the rank should have a core to itself, and may choose which.
    #[inline]
    pub(super) fn has_own_core(&self) -> bool {
        self.waiter.has_own_core()
    }

    /// The wait of a rank with a core of its own let others run for so long, until now. Returns whether the
    /// rank shares it in vain, and should ask for another.
    #[inline]
    pub(super) fn handle_yield(
        &mut self,
        time: (Duration, Instant),
        on_host: impl FnOnce() -> Option<OnHost>,
    ) -> bool {
        self.migration.handle_yield(time, self.waiter.crowd(), on_host)
    }
}

/// The fast path: each of these is a comparison or a subtraction.
impl Waiting {
    /// How often a call looks for what it waits for alone, before it looks for everything.
    #[inline(always)]
    pub(super) fn looks(&self) -> u32 {
        if self.waiter.spins() { turns::LOOKS } else { 1 }
    }

    /// How often a call lets others run, and looks for what it waits for alone, before it looks for
    /// everything: in a crowd those that it waits for may want this core.
    #[inline(always)]
    pub(super) fn turns_for_others(&self) -> u32 {
        if self.waiter.lets_go() { turns::FOR_OTHERS } else { 0 }
    }

    /// How often a rank lets others run until all have had a turn, if it begins a wait so: as often as there
    /// are ranks, since Linux does not take those of a core in turn.
    #[inline]
    pub(super) fn turns_for_all_others(&self) -> usize {
        if self.waiter.lets_go() { self.waiter.crowd().ranks } else { 0 }
    }

    /// The rank let others run for so long. What is `on_host`, see [`handle_time`](Self::handle_time).
    #[inline]
    pub(super) fn handle_turn_of_others(
        &mut self,
        away: Duration,
        on_host: impl FnOnce() -> Option<OnHost>,
    ) {
        self.waiter.note_absence(away, on_host);
        self.turns.handle_away(away);
    }

    /// Whether one more call may be served without a look for everything.
    #[inline(always)]
    pub(super) fn has_turn(&self) -> bool {
        self.turns.in_all > 0
    }

    /// Whether one more call may be served without so much as a look for what others may wait for:
    /// every [`turns::TURNS`]-th may not.
    #[inline(always)]
    pub(super) fn has_short_turn(&self) -> bool {
        !self.turns.in_all.is_multiple_of(turns::TURNS)
    }

    /// A call was served on the fast path.
    #[inline(always)]
    pub(super) fn handle_turn(&mut self) {
        self.turns.in_all -= 1;
    }

    /// A message was taken in on the fast path.
    #[inline(always)]
    pub(super) fn handle_taken(&mut self) {
        self.handle_turn();
        self.turns.posted = 0;
    }

    /// Whether one more receive may be posted without a look for what has come, where a window has so many messages.
    /// It counts as one.
    #[inline(always)]
    pub(super) fn has_post_turn(&mut self, window_messages: u32) -> bool {
        self.turns.posted += 1;
        self.turns.posted < window_messages
    }

    /// Whether the receive that was counted last looks whether others wait for this rank: the first, and then one of some.
    #[inline(always)]
    pub(super) fn is_post_to_look(&self) -> bool {
        self.turns.posted % POSTS == 1
    }

    /// All was looked for just now.
    #[inline(always)]
    pub(super) fn handle_all_looked_for(&mut self) {
        self.turns.renew();
    }

    /// Whether one more message may be sent by template, without a look for what others may wait
    /// for.
    #[inline(always)]
    pub(super) fn has_send_turn(&self) -> bool {
        self.turns.to_send > 0
    }

    /// A message was sent by template.
    #[inline(always)]
    pub(super) fn handle_send_turn(&mut self) {
        self.turns.to_send -= 1;
    }

    /// What others may wait for was looked for just before a message was sent.
    #[inline(always)]
    pub(super) fn renew_send_turns(&mut self) {
        self.turns.to_send = turns::TURNS;
    }

    /// Whether one more barrier may be entered without a look for what others may wait for.
    #[inline(always)]
    pub(super) fn has_enter_turn(&self) -> bool {
        self.turns.to_enter > 0
    }

    /// A barrier was entered on the fast path.
    #[inline(always)]
    pub(super) fn handle_enter_turn(&mut self) {
        self.turns.to_enter -= 1;
    }

    /// What others may wait for was looked for just before a barrier is entered.
    #[inline(always)]
    pub(super) fn renew_enter_turns(&mut self) {
        self.turns.to_enter = turns::TURNS;
    }
}

/// Questions for signals that may be lost.
impl Waiting {
    /// No barrier is open: nothing can be missing.
    pub(super) fn handle_nothing_open(&mut self) {
        self.asks.stop();
    }

    /// Whether it is time to ask for what open barriers lack. A question is asked `patience` after
    /// the one before it, or after the first look; `now` is called every few looks.
    pub(super) fn is_time_to_ask(
        &mut self,
        patience: Duration,
        now: impl FnOnce() -> Instant,
    ) -> bool {
        self.asks.is_due(patience, now)
    }

    /// The rank has slept: the next look is one at the clock.
    pub(super) fn handle_slept(&mut self) {
        self.asks.look_soon();
    }
}

#[cfg(test)]
mod tests;
