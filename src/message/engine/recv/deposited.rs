//! Receiving what a member gives in a collective: its deposit, or a message.
//!
//! Keeps rules HOLD-1, FLOW-3, END-2 and COL-4 of SEMANTICS.md.
//!
//! # Correctness
//!
//! A member's message of a later call may come while its deposit of this call lies there unseen. The
//! sender has stored the deposit before it sent that message. So a reader that finds the message
//! looks for the deposit after that, and finds it.

use crate::message::config::EAGER;
use crate::message::deposits::{Awaited, MemberSet};
use crate::message::engine::Engine;
use crate::message::engine::fast_path::{AskedBy, Attempt, Looks};
use crate::message::error::MessageError;
use crate::message::inbound::Info;
use crate::message::matching::{Context, Pattern, Source, Tag};
use crate::message::obstacles::Obstacles;
use crate::message::waiting::WaitsFor;
use crate::order::{GroupId, Rank};
use crate::sys::thread;
use crate::verbs::{Nic, Vi};

/// What a call of a collective waits for from one member of its group: a deposit or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FromMember {
    /// The group.
    pub group: GroupId,
    /// The index of the call, from 1 on.
    pub index: u64,
    /// The member, by its rank in the group.
    pub member: Rank,
    /// All of whom the call needs something still, this one among them.
    pub all: MemberSet,
    /// What is known of that.
    pub soon: Soon,
}

/// What comes of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soon {
    /// A deposit, so long. It was read.
    Read(usize),
    /// Probably a message. A member that is in the same call did not deposit, or something has come that is none.
    Message,
    /// Nobody knows yet.
    Unknown,
}

/// The way by which something of a member has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Deposit,
    Message,
}

impl<N: Nic> Engine<N> {
    /// Receives what a member gives in a call: its deposit, or a message as by [`Engine::recv`].
    /// What is deposited is not shown to `accept`; `left_over` makes the error if a deposit of an
    /// earlier call, with this index, was never read here. The members of the group deposit
    /// ([`deposits_in`](Engine::deposits_in)).
    ///
    /// # Errors
    ///
    /// As by [`Engine::recv`]; [`MessageError::Protocol`] if it has deposited what cannot be.
    pub fn recv_of_member<R, E: From<MessageError>>(
        &mut self,
        context: Context,
        awaited: FromMember,
        accept: impl Fn(&Info) -> Result<(), E>,
        left_over: impl FnOnce(u64) -> E,
        mut read: impl FnOnce(&Info, &[u8]) -> R,
    ) -> Result<R, E> {
        let FromMember { group, index, member, all, soon } = awaited;
        let Some(place) = self.deposits.place_of(group) else {
            return Err(MessageError::NothingCanArrive.into());
        };
        let (of, from) = ((member, index), self.deposits.world_rank(place, member));
        let pattern = Pattern { source: Source::Rank(from), tag: Tag::Any };
        let mut way = (soon == Soon::Message).then_some(Way::Message);
        if way == Some(Way::Message) {
            // It may be another than is asked for.
            let takes = |info: &Info| accept(info).is_ok();
            let attempt = match self.template_from(context, pattern) {
                Some(expected) => {
                    self.recv_by_template((pattern.tag, Looks::ForAWhile), expected, &takes, read)
                }
                None => self.recv_asking((context, pattern), AskedBy::Call, &takes, read)?,
            };
            match attempt {
                Attempt::Done(result) => return Ok(result),
                Attempt::Not(back) => (way, read) = (None, back),
            }
        }
        let awaited = Awaited { place, index, first: Some(member), all };
        match way.map_or_else(|| self.wait_for_member(context, from, awaited), Ok)? {
            Way::Message => self.recv(context, pattern, accept, read),
            Way::Deposit => {
                if let Some(before) = self.left_over(place, of) {
                    return Err(left_over(before));
                }
                let bytes = self.read_deposit(place, of)?;
                let info = Info { source: from, tag: index as u32, element: 0, len: bytes.len() };
                Ok(read(&info, bytes))
            }
        }
    }

    /// Reads what a member deposits in a call, if that is what comes next of it, and comes soon
    /// ([`deposited`](Engine::deposited)). Else [`recv_of_member`](Engine::recv_of_member) has to find out.
    ///
    /// # Errors
    ///
    /// As by [`recv_of_member`](Engine::recv_of_member).
    pub fn read_soon_of(
        &mut self,
        context: Context,
        group: GroupId,
        of: (Rank, u64),
    ) -> Result<Soon, MessageError> {
        let Some(place) = self.deposits.place_of(group) else { return Ok(Soon::Message) };
        let pattern =
            Pattern { source: Source::Rank(self.deposits.world_rank(place, of.0)), tag: Tag::Any };
        // What was taken in is found without a look.
        if self.matching.peek(context, pattern).is_some() {
            return Ok(Soon::Unknown);
        }
        let comes = match self.comes_at_once_of(place, of) {
            true => Some(Way::Deposit),
            false => {
                // Deposits may lie there in each call, and others wait meanwhile.
                if !self.waiting.has_turn() || !self.may_serve_itself() {
                    self.progress()?;
                }
                self.comes_soon_of(place, of)?
            }
        };
        match comes {
            Some(Way::Deposit) if self.left_over(place, of).is_none() => {
                self.read_deposit(place, of).map(|bytes| Soon::Read(bytes.len()))
            }
            Some(Way::Message) => Ok(Soon::Message),
            _ => Ok(Soon::Unknown),
        }
    }

    /// What was read last of a deposit, which is so long. It lies there until this rank [has
    /// finished](Engine::finish_deposits) the call.
    #[inline]
    pub fn deposited(&self, len: usize) -> &[u8] {
        match &self.deposited {
            None => self.deposits.bytes(len),
            Some((payload, _)) => &payload.as_ref()[..len],
        }
    }

    /// Whether a member's deposit may be read, and nothing else is known to be due before. Others may wait for this
    /// rank: every 64th call asks.
    #[inline]
    fn comes_at_once_of(&mut self, place: usize, of: (Rank, u64)) -> bool {
        let comes = self.waiting.has_short_turn()
            && !self.obstacles.has_any(Obstacles::TO_ENTER)
            && self.is_deposited(place, of);
        if comes {
            self.waiting.handle_turn();
        }
        comes
    }

    /// Looks for a while whether a member's deposit may be read, or anything of it has come.
    #[inline]
    fn comes_soon_of(
        &mut self,
        place: usize,
        of: (Rank, u64),
    ) -> Result<Option<Way>, MessageError> {
        if !self.may_serve_itself() || !self.waiting.has_turn() {
            return Ok(None);
        }
        if self.order().awaited().next().is_some() {
            self.look_at_board()?;
        }
        self.waiting.handle_turn();
        let vi = Vi { peer: self.deposits.world_rank(place, of.0), cq: EAGER };
        let (looks, turns) = (self.waiting.looks(), self.waiting.turns_for_others());
        for look in 0..looks + turns {
            if look >= looks {
                if !self.let_others_run(look == looks) {
                    return Ok(None);
                }
            } else if look > 0 {
                thread::one_at_a_time();
            }
            let may_have_come = !self.nic.has_nothing_from(vi);
            if self.is_deposited(place, of) {
                return Ok(Some(Way::Deposit));
            }
            if may_have_come {
                return Ok((!self.lies_there(place, of)).then_some(Way::Message));
            }
        }
        Ok(None)
    }

    /// Waits for a deposit or a message of a member.
    fn wait_for_member(
        &mut self,
        context: Context,
        from: Rank,
        awaited: Awaited,
    ) -> Result<Way, MessageError> {
        let Awaited { place, index, first, all } = awaited;
        let of = (first.unwrap_or(0), index);
        let source = Source::Rank(from);
        let pattern = Pattern { source, tag: Tag::Any };
        self.deposits.begin_wait(awaited);
        // Messages of others may come in place of deposits that are wanted.
        self.waiting.begin_several(all != MemberSet::only(of.0), &[]);
        let result = self.wait_until(
            WaitsFor::Receive { context, pattern },
            |engine| {
                let has_come = engine.peek(context, pattern).is_some();
                if engine.is_deposited(place, of) {
                    return Ok(Some(Way::Deposit));
                }
                // A deposit that is held comes before a later message.
                let is_next = has_come && !engine.lies_there(place, of);
                Ok(is_next.then_some(Way::Message))
            },
            |engine| {
                if engine.check_held_deposit(from)? {
                    return Ok(());
                }
                engine.check_receivable(context, source)?;
                engine.check_is_heard(context, source)?;
                engine.check_others(context, awaited)
            },
        );
        self.waiting.end_several();
        self.deposits.end_wait();
        result
    }

    /// Fails if nothing can come any more of another member that the call needs something of. The one
    /// that this rank waits for may itself wait until this rank learns of that.
    fn check_others(&self, context: Context, awaited: Awaited) -> Result<(), MessageError> {
        let Awaited { place, index, first, all } = awaited;
        let others = first.map_or(all, |first| all.without(MemberSet::only(first)));
        for member in others.iter().filter(|&member| !self.lies_there(place, (member, index))) {
            let source = Source::Rank(self.deposits.world_rank(place, member));
            if self.peek(context, Pattern { source, tag: Tag::Any }).is_none() {
                self.check_receivable(context, source)?;
            }
        }
        Ok(())
    }
}
