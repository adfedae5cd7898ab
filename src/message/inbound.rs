//! A message at its receiver: what is known of it, and where its payload is.
//!
//! Plain values, which the match queues keep and the engine hands to the program.

use super::matching::Context;
use super::transfers::exposures::Exposure;
use crate::order::Rank;

/// A received message, before it is matched with a receive.
#[derive(Debug)]
pub(super) struct Inbound<F> {
    pub(super) context: Context,
    pub(super) tag: u32,
    pub(super) element: u8,
    /// The length of the payload in bytes.
    pub(super) len: usize,
    pub(super) body: Body<F>,
}

/// Where the payload is.
#[derive(Debug)]
pub(super) enum Body<F> {
    /// In the receive descriptor, behind the header.
    Frame(F),
    /// With the sender, until it is cleared to send or read. The frame keeps the descriptor occupied,
    /// so that the message counts against the sender's window like any other. `exposure` is the
    /// number under which the payload is exposed, where it is.
    Request { frame: F, transfer: u32, exposure: Option<u8> },
    /// With the sender, too. Its descriptor was needed for other messages.
    Asked(Box<Asked>),
    /// Under way, into this slot.
    Gathering { slot: usize },
    /// Here: it was sent by this rank itself, or copied to make room for others.
    Owned(Vec<u8>),
}

/// What a request says of its payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) transfer: u32,
    pub(super) exposure: Option<Exposure>,
}

/// What can be known of a message before it is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// Who sent it.
    pub source: Rank,
    /// Its tag.
    pub tag: u32,
    /// The size of an element in bytes; 0 where it is above 254.
    pub element: u8,
    /// The length of its payload in bytes.
    pub len: usize,
}
