//! The wait loop: a rank looks a few times, then lets others run, then sleeps until the network has
//! something for it. Whatever it waits for, its barriers keep progressing. The part `waiting` says
//! what to do next; this does it. A sender that sleeps for room wakes its receiver first.
//!
//! Keeps rule FLOW-3 of SEMANTICS.md.

use std::time::Duration;

use super::Engine;
use crate::message::barriers::Want;
use crate::message::deposits;
use crate::message::error::MessageError;
use crate::message::waiting::{LOOKS_BEFORE_CLOCK, Notify, OnHost, WaitStep, WaitsFor};
use crate::order::Rank;
use crate::sys::time::Instant;
use crate::sys::{host, thread};
use crate::verbs::{Nic, WakeOn};

/// What wants the cores of this host. None if it does not say.
fn on_host<N: Nic>(nic: &N) -> Option<OnHost> {
    host::runnable_threads().map(|runnable| OnHost { runnable, asleep: nic.sleeping() })
}

impl<N: Nic> Engine<N> {
    /// Makes progress until `ready` returns something. Before it sleeps, `hopeless` may say that
    /// this can never be. `waits_for` is what ranks are told that ask.
    pub(super) fn wait_until<R>(
        &mut self,
        waits_for: WaitsFor,
        ready: impl FnMut(&mut Engine<N>) -> Result<Option<R>, MessageError>,
        hopeless: impl FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<R, MessageError> {
        let found = self.wait_deadline(waits_for, None, ready, hopeless)?;
        Ok(found.expect("without a deadline a wait ends only with a result"))
    }

    /// As `wait_until`; None when the deadline has passed.
    pub(super) fn wait_deadline<R>(
        &mut self,
        waits_for: WaitsFor,
        deadline: Option<Instant>,
        mut ready: impl FnMut(&mut Engine<N>) -> Result<Option<R>, MessageError>,
        mut hopeless: impl FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<Option<R>, MessageError> {
        self.check_broken()?;
        if let Some(found) = ready(self)? {
            return Ok(Some(found));
        }
        let mut found = None;
        let mut is_found = |engine: &mut Engine<N>| {
            found = ready(engine)?;
            Ok(found.is_some())
        };
        // What comes first may be a question.
        self.waiting.begin(waits_for);
        let result = self.wait_on(deadline, &mut is_found, &mut hopeless);
        self.waiting.end();
        result?;
        Ok(found)
    }

    /// Goes on waiting until something `is_found` or the deadline has passed. This and what follows is compiled once, and
    /// not for each that waits: a call more per look is little beside all that is looked at.
    fn wait_on(
        &mut self,
        deadline: Option<Instant>,
        is_found: &mut dyn FnMut(&mut Engine<N>) -> Result<bool, MessageError>,
        hopeless: &mut dyn FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<(), MessageError> {
        let mut news = self.progress()?;
        if is_found(self)? {
            return Ok(());
        }
        self.waiting.begin_looks();
        // What comes next, if that is known already.
        let mut next = None;
        for _ in 0..LOOKS_BEFORE_CLOCK {
            let step = self.waiting.step(news);
            if step != WaitStep::Spin {
                next = Some(step);
                break;
            }
            thread::spin_loop();
            news = self.progress()?;
            if is_found(self)? {
                return Ok(());
            }
        }
        self.wait_long(deadline, (news, next), is_found, hopeless)
    }

    /// As [`wait_on`](Engine::wait_on), by the clock.
    fn wait_long(
        &mut self,
        deadline: Option<Instant>,
        (mut news, mut next): (bool, Option<WaitStep>),
        is_found: &mut dyn FnMut(&mut Engine<N>) -> Result<bool, MessageError>,
        hopeless: &mut dyn FnMut(&mut Engine<N>) -> Result<(), MessageError>,
    ) -> Result<(), MessageError> {
        let start = Instant::now();
        let mut pace = self.waiting.begin_pace(start, self.config.stall_after, deadline.is_some());
        let result = loop {
            pace.handle_look(self.waiting.take_news(news));
            let step = next.take().unwrap_or_else(|| self.waiting.step_in(&pace));
            match step {
                WaitStep::Spin => thread::spin_loop(),
                WaitStep::Yield => self.let_others_run_in_wait(),
                WaitStep::Sleep => {}
            }
            if pace.is_for_clock(step) {
                let on_host = || on_host(&self.nic);
                self.waiting.handle_time(&mut pace, Instant::now(), on_host);
                let sleep = step == WaitStep::Sleep;
                // Where a loss was found, what came before it is looked at once more.
                let mut look_again = false;
                if pace.asks_for_hope(sleep) {
                    look_again = self.note_losses();
                    self.look_for_late();
                    if !look_again && let Err(error) = hopeless(self) {
                        break Err(error);
                    }
                    // A rank that goes to sleep does so in any case.
                    if !sleep {
                        self.wake_for_room();
                    }
                }
                // News of others put nothing off.
                let left = deadline.map(|end| pace.left_until(end));
                if !look_again && left.is_some_and(|left| left.is_zero()) {
                    break Ok(());
                }
                match self.look_for_stall(&mut pace) {
                    Ok(stall) if sleep && !look_again => {
                        let longest = left.into_iter().chain(stall).min();
                        if let Err(error) = self.sleep(longest) {
                            break Err(error);
                        }
                        pace.handle_time(Instant::now());
                    }
                    Ok(_) => {}
                    Err(error) => break Err(error),
                }
            }
            news = match self.progress() {
                Ok(news) => news,
                Err(error) => break Err(error),
            };
            match is_found(self) {
                Ok(false) => {}
                done => break done.map(drop),
            }
        };
        self.stats.wait_ns += Instant::now().saturating_since(start).as_nanos() as u64;
        result
    }

    /// Lets others run, once, if that is how this rank waits now. The first time that a call does it, a
    /// wait begins. Returns whether the call may look on for what it waits for alone: not where others
    /// may wait for what this rank makes of what has come meanwhile.
    #[inline]
    pub(super) fn let_others_run(&mut self, is_first: bool) -> bool {
        if is_first {
            self.waiting.begin_looks();
        }
        // Not after a foreign program has had a time slice, nor while a barrier has yet to be entered.
        if self.waiting.turns_for_others() == 0 || self.order().has_deferred() {
            return false;
        }
        let before = Instant::now();
        thread::yield_now();
        let away = Instant::now().saturating_since(before);
        self.waiting.handle_turn_of_others(away, || on_host(&self.nic));
        self.nobody_waits()
    }

    /// Lets others run, once, in a wait that goes by the clock.
    fn let_others_run_in_wait(&mut self) {
        if !self.waiting.has_own_core() {
            return thread::yield_now();
        }
        let before = Instant::now();
        thread::yield_now();
        let now = Instant::now();
        let time = (now.saturating_since(before), now);
        if self.waiting.handle_yield(time, || on_host(&self.nic)) {
            thread::change_core();
        }
    }

    /// From now on this rank waits so; what it had learnt about waiting is forgotten.
    pub fn set_notify(&mut self, notify: Notify) {
        self.waiting.set_notify(notify);
    }

    fn sleep(&mut self, longest: Option<Duration>) -> Result<(), MessageError> {
        // Memory that is in use keeps what is idle from going back to the system.
        self.close_read_areas(deposits::Look::AtOldest);
        if self.transfers.has_lent() && self.copy_all_lent() {
            // That may be what it waits for.
            return Ok(());
        }
        self.transfers.give_back_idle_memory();
        let soon = self.barriers.ask_to_be_woken(&mut self.nic, Instant::now)?;
        let asks = self.barriers.is_lossy() && self.order().open_barriers().next().is_some();
        let resend = asks.then_some(self.config.resend_after);
        let filling = self.longest_sleep_in_filling();
        let longest = longest.into_iter().chain(resend).chain(soon).chain(filling).min();
        let (wanted, is_held) = self.wanted_deposits();
        // A completion may also release what is held, contained or deferred.
        let kept = self.keeps_for_barriers()
            || is_held
            || !self.links.sending().is_empty()
            || self.order().has_deferred();
        let want = self.barriers.want(self.waiting.awaits_through(kept));
        let wake_on = self.waiting.wake_on(|but| self.matching.has_posted(but));
        // A rank that waits for a barrier is woken together with the others that do.
        let wake_on = WakeOn { together: want != Want::Nothing, ..wake_on };
        // So is one that waits for deposits.
        let has_wants = wanted != deposits::Want::Nothing;
        let wake_on = WakeOn { together: wake_on.together || has_wants, ..wake_on };
        self.wake_for_room();
        self.stats.sleeps += 1;
        self.barriers.tell_want(&self.nic, want);
        if let Some(words) = self.nic.shared_words() {
            self.deposits.tell_want(words, wanted);
        }
        let (barriers, deposits) = (&self.barriers, &self.deposits);
        let has_deposits = |load: &dyn Fn(usize) -> u64| deposits.has_wanted(load, wanted);
        let has_all =
            |load: &dyn Fn(usize) -> u64| barriers.has_wanted(load, want) || has_deposits(load);
        self.nic.wait_unless(wake_on, has_all, longest);
        self.waiting.handle_slept();
        Ok(())
    }

    /// Wakes the receivers for whose room this rank waits, before it sleeps. A receiver may be asleep
    /// over its messages, if they do not match what that one waits for, and would sleep on. Woken, it
    /// takes them in: it puts some into queues, and discards those that nobody will receive. Only
    /// then does room, or a clear-to-send, come back.
    ///
    /// Once is enough until the next message: a rank that was woken looks at all that came before
    /// it sleeps again. If two that wait for each other did it before each sleep, neither would
    /// ever sleep. A rank that looks for room again and again instead of sleeping does it too.
    pub(super) fn wake_for_room(&mut self) {
        match self.waiting.waits_for() {
            Some(WaitsFor::Send { to: peer, .. } | WaitsFor::Payload { peer, .. }) => {
                self.wake_about_news(peer);
            }
            Some(WaitsFor::HandOver) => {
                (0..self.size()).for_each(|peer| self.wake_about_news(peer))
            }
            _ => {}
        }
        self.links.poll_wakes(|to| self.nic.wake(to));
        for &to in self.transfers.streaming().iter().chain(self.waiting.room_at()) {
            if self.links.poll_wake(to) {
                self.nic.wake(to);
            }
        }
    }

    /// Wakes a rank, once after each message, which may be asleep over messages of this one.
    pub(super) fn wake_about_news(&mut self, to: Rank) {
        if self.links.poll_wake(to) {
            self.nic.wake(to);
        }
    }

    /// Where signals may be lost, asks for those that are missing, from time to time. News do not
    /// put it off: they may be of others.
    pub(super) fn ask_when_due(&mut self) -> Result<(), MessageError> {
        if !self.barriers.is_lossy() {
            return Ok(());
        }
        if self.order().open_barriers().next().is_none() {
            self.waiting.handle_nothing_open();
            return Ok(());
        }
        if !self.waiting.is_time_to_ask(self.config.resend_after, Instant::now) {
            return Ok(());
        }
        self.barriers.post_asks(&mut self.nic, &mut self.links)
    }
}
