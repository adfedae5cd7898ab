//! Barrier signals as frames: the barriers say what is due, and the links have the window, and know
//! which peers have gone.
//!
//! Keeps rules FLOW-2 and END-2 of SEMANTICS.md.

use super::Links;
use crate::message::barriers::Frames;
use crate::message::config::SIGNAL;
use crate::message::control::encode_signal;
use crate::message::error::MessageError;
use crate::order::{Rank, Signal};
use crate::verbs::{Nic, PostError, Vi};

impl Frames for Links {
    fn has_gone(&self, peer: Rank) -> bool {
        self.peer(peer).presence().is_gone()
    }

    fn post_signal<N: Nic>(
        &mut self,
        nic: &mut N,
        to: Rank,
        signal: &Signal,
    ) -> Result<bool, MessageError> {
        if !self.peer(to).has_credit(SIGNAL) {
            return Ok(false);
        }
        match nic.post_send(Vi { peer: to, cq: SIGNAL }, &encode_signal(signal), &[]) {
            Ok(()) => {
                self.handle_sent(to, SIGNAL);
                Ok(true)
            }
            Err(PostError::PeerGone(_)) => Ok(true),
            Err(PostError::QueueFull(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
