//! Frames that carry no payload of the program: barrier signals, and what the message layers of
//! two ranks tell each other.
//!
//! Signals and control frames travel on VIs of their own, so that they never wait behind data.
//! Signals have credits, or travel on an unreliable VI and are asked for again. Control frames need
//! none: the protocol bounds how many of each kind can be under way to one peer at a time (see
//! [`CONTROL_DESCRIPTORS`]). For that, they alone return credit: if messages and signals did so too,
//! a peer could send on the strength of those, while control frames that it has not looked at pile
//! up without end.
//!
//! Keeps rules FLOW-2 and SAFE-1 of SEMANTICS.md.

use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::Malformed;
use crate::order::{Clock, Epoch, GroupId, Signal, SignalKind};

/// The length of a signal or control frame in bytes.
pub const FRAME_BYTES: usize = 32;

/// Receive descriptors that hold every control frame that can be under way from one peer: two
/// `Credit` for each of three windows (a third would need credits that the first two return), one
/// each of `ClearToSend` (one transfer at a time), `Query` and `Answer` (one question at a time),
/// two of `Closing` (the second takes back what the first promised) and `Ended`.
pub const CONTROL_DESCRIPTORS: u32 = 6 + 6;

/// Cumulative counts of what was consumed of each window, modulo 2^16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Returned {
    /// Eager messages.
    pub eager: u16,
    /// Barrier signals.
    pub signal: u16,
    /// Segments of rendezvous payload.
    pub bulk: u16,
}

/// What one message layer tells another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Nothing but the credits that every control frame returns.
    Credit,
    /// There is room for the payload of your rendezvous `transfer`.
    ClearToSend {
        /// The transfer.
        transfer: u32,
    },
    /// How far have you entered the barriers of this group?
    Query {
        /// The group.
        group: GroupId,
    },
    /// So far.
    Answer {
        /// The group.
        group: GroupId,
        /// The latest epoch entered.
        entered: Epoch,
    },
    /// My program has returned: it will receive nothing more and call no more barriers.
    Closing {
        /// How many barriers that include you it has initiated; or, if it failed, how many of them
        /// can complete without it, because it has signalled all that its schedule holds.
        clock: Clock,
        /// Whether it returned an error.
        failed: bool,
    },
    /// I have handed over all that I owed, and go.
    Ended {
        /// How many eager messages I have sent you, requests included.
        eager: u64,
    },
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct ControlWire {
    kind: u8,
    flag: u8,
    eager: U16,
    signal: U16,
    bulk: U16,
    which: U32,
    zero: U32,
    value: U64,
    zeros: U64,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct SignalWire {
    kind: u8,
    zero: u8,
    step: U16,
    zeros: U32,
    group: U32,
    zeros_too: U32,
    epoch: U64,
    clock: U64,
}

const _: () = assert!(size_of::<ControlWire>() == FRAME_BYTES);
const _: () = assert!(size_of::<SignalWire>() == FRAME_BYTES);

impl Control {
    /// The frame as it goes on the wire.
    pub fn encode(&self, returned: Returned) -> [u8; FRAME_BYTES] {
        let (kind, flag, which, value) = match *self {
            Control::Credit => (1, 0, 0, 0),
            Control::ClearToSend { transfer } => (2, 0, transfer, 0),
            Control::Query { group } => (3, 0, group.0, 0),
            Control::Answer { group, entered } => (4, 0, group.0, entered),
            Control::Closing { clock, failed } => (5, failed as u8, 0, clock),
            Control::Ended { eager } => (6, 0, 0, eager),
        };
        let wire = ControlWire {
            kind,
            flag,
            eager: returned.eager.into(),
            signal: returned.signal.into(),
            bulk: returned.bulk.into(),
            which: which.into(),
            zero: 0.into(),
            value: value.into(),
            zeros: 0.into(),
        };
        zerocopy::transmute!(wire)
    }

    /// Reads a frame.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if it has not the length or kind of a control frame.
    pub fn decode(frame: &[u8]) -> Result<(Control, Returned), Malformed> {
        let length = || Malformed::Length { stated: FRAME_BYTES, found: frame.len() };
        let wire = ControlWire::ref_from_bytes(frame).map_err(|_| length())?;
        let (which, value) = (wire.which.get(), wire.value.get());
        let control = match wire.kind {
            1 => Control::Credit,
            2 => Control::ClearToSend { transfer: which },
            3 => Control::Query { group: GroupId(which) },
            4 => Control::Answer { group: GroupId(which), entered: value },
            5 => Control::Closing { clock: value, failed: wire.flag != 0 },
            6 => Control::Ended { eager: value },
            kind => return Err(Malformed::Kind(kind)),
        };
        let returned =
            Returned { eager: wire.eager.get(), signal: wire.signal.get(), bulk: wire.bulk.get() };
        Ok((control, returned))
    }
}

/// A signal as it goes on the wire.
pub fn encode_signal(signal: &Signal) -> [u8; FRAME_BYTES] {
    let wire = SignalWire {
        kind: match signal.kind {
            SignalKind::Reached => 1,
            SignalKind::Ask => 2,
        },
        zero: 0,
        step: signal.step.into(),
        zeros: 0.into(),
        group: signal.group.0.into(),
        zeros_too: 0.into(),
        epoch: signal.epoch.into(),
        clock: signal.clock.into(),
    };
    zerocopy::transmute!(wire)
}

/// Reads a signal.
///
/// # Errors
///
/// [`Malformed`] if it has not the length or kind of a signal.
pub fn decode_signal(frame: &[u8]) -> Result<Signal, Malformed> {
    let length = || Malformed::Length { stated: FRAME_BYTES, found: frame.len() };
    let wire = SignalWire::ref_from_bytes(frame).map_err(|_| length())?;
    let kind = match wire.kind {
        1 => SignalKind::Reached,
        2 => SignalKind::Ask,
        kind => return Err(Malformed::Kind(kind)),
    };
    Ok(Signal {
        kind,
        group: GroupId(wire.group.get()),
        step: wire.step.get(),
        epoch: wire.epoch.get(),
        clock: wire.clock.get(),
    })
}
