//! Payloads of one rank that another may read where they lie, by their numbers.
//!
//! A request may bear an *exposure*: where the payload lies, and a number below [`MOST`]. Its sender
//! gives that number to no other payload for that peer before this one was read or revoked. The
//! receiver says by one word which payloads it has read: a bit for each number, which changes each
//! time. So the newest word says all that those before it said. It also bounds what a peer can have
//! a rank keep, and what a rank may have locked for one peer.
//!
//! Plain state; the sender's half lies in [`Transfers`](super::Transfers).
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.

use zerocopy::byteorder::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::verbs::RemoteBuffer;

/// So many payloads of one rank may be exposed to another at a time.
pub(in crate::message) const MOST: u32 = u32::BITS;

/// Leave to read a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::message) struct Exposure {
    /// Below [`MOST`].
    pub(in crate::message) number: u8,
    pub(in crate::message) buffer: RemoteBuffer,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct ExposureWire {
    address: U64,
    key: U32,
    number: U32,
}

impl Exposure {
    /// Its length on the wire, in bytes.
    pub(in crate::message) const BYTES: usize = size_of::<ExposureWire>();

    /// As it goes on the wire, behind its header.
    pub(in crate::message) fn encode(self) -> [u8; Self::BYTES] {
        let RemoteBuffer { address, key } = self.buffer;
        let number = u32::from(self.number);
        let wire = ExposureWire { address: address.into(), key: key.into(), number: number.into() };
        zerocopy::transmute!(wire)
    }

    /// Reads what stands behind a header. What there cannot be is the caller's to find.
    ///
    /// # Errors
    ///
    /// The number, if there is no such; 0 if there are too few bytes.
    pub(in crate::message) fn decode(bytes: &[u8]) -> Result<Exposure, u32> {
        let Ok((wire, _)) = ExposureWire::ref_from_prefix(bytes) else { return Err(0) };
        let number = wire.number.get();
        let known = u8::try_from(number).ok().filter(|_| number < MOST).ok_or(number)?;
        let buffer = RemoteBuffer { address: wire.address.get(), key: wire.key.get() };
        Ok(Exposure { number: known, buffer })
    }
}

/// The sender's side: which numbers are in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::message) struct Exposures {
    out: u32,
    /// The last word of the peer.
    heard: u32,
}

impl Exposures {
    /// A number that is free.
    pub(in crate::message) fn free(&self) -> Option<u8> {
        let number = self.out.trailing_ones();
        (number < MOST).then_some(number as u8)
    }

    /// This one is in use from now on.
    pub(in crate::message) fn handle_exposed(&mut self, number: u8) {
        self.out |= 1 << number;
    }

    /// The peer was not told of this one: it is free again.
    pub(in crate::message) fn handle_withdrawn(&mut self, number: u8) {
        self.out &= !(1 << number);
    }

    /// The peer says what it has read. Those since it last said so; None if it names one that is
    /// not exposed.
    pub(in crate::message) fn handle_word(
        &mut self,
        word: u32,
    ) -> Option<impl Iterator<Item = u8> + use<>> {
        let back = std::mem::replace(&mut self.heard, word) ^ word;
        if back & !self.out != 0 {
            return None;
        }
        self.out &= !back;
        Some((0..MOST as u8).filter(move |number| back >> number & 1 == 1))
    }
}

/// The receiver's side: what a peer has exposed to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::message) struct RemoteReads {
    open: u32,
    word: u32,
}

impl RemoteReads {
    /// One was exposed. Returns false if it is already, which no correct peer does.
    #[must_use]
    pub(in crate::message) fn handle_exposed(&mut self, number: u8) -> bool {
        let bit = 1 << number;
        let was_free = self.open & bit == 0;
        self.open |= bit;
        was_free
    }

    /// It was read.
    pub(in crate::message) fn handle_read(&mut self, number: u8) {
        debug_assert!(self.open >> number & 1 == 1, "exposure {number} is read twice");
        self.open &= !(1 << number);
        self.word ^= 1 << number;
    }

    /// What the peer is told.
    pub(in crate::message) fn word(&self) -> u32 {
        self.word
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_encoded_exposure_decodes_to_itself(address in any::<u64>(), key in any::<u32>(), number in 0..MOST as u8) {
            let exposure = Exposure { number, buffer: RemoteBuffer { address, key } };
            prop_assert_eq!(Exposure::decode(&exposure.encode()), Ok(exposure));
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_bytes_gives_an_exposure_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            match Exposure::decode(&bytes) {
                Ok(exposure) => prop_assert_eq!(&exposure.encode()[..], &bytes[..Exposure::BYTES]),
                Err(number) => prop_assert!(bytes.len() < Exposure::BYTES || number >= MOST),
            }
        }

        /// Words may be left out: the newest says all. (Planted: a word that says what is open instead.)
        #[test]
        fn each_acknowledged_exposure_is_reported_once(steps in proptest::collection::vec((0..3u8, any::<u8>()), 0..300)) {
            let (mut exposures, mut reads, mut out, mut back) =
                (Exposures::default(), RemoteReads::default(), Vec::new(), Vec::new());
            for (step, which) in steps {
                match step {
                    0 => match exposures.free() {
                        Some(number) => {
                            exposures.handle_exposed(number);
                            prop_assert!(reads.handle_exposed(number));
                            prop_assert!(!reads.clone().handle_exposed(number));
                            out.push(number);
                        }
                        None => prop_assert_eq!(out.len() + back.len(), MOST as usize),
                    },
                    1 if !out.is_empty() => {
                        let number = out.swap_remove(which as usize % out.len());
                        reads.handle_read(number);
                        back.push(number);
                    }
                    1 => {}
                    _ => {
                        let heard: Vec<u8> = exposures.handle_word(reads.word()).unwrap().collect();
                        back.sort_unstable();
                        prop_assert_eq!(&heard, &back);
                        back.clear();
                        prop_assert_eq!(exposures.handle_word(reads.word()).unwrap().count(), 0);
                    }
                }
            }
        }
    }

    // SEMANTICS: SAFE-1
    #[test]
    fn an_acknowledgement_of_an_unknown_exposure_is_refused() {
        let mut exposures = Exposures::default();
        exposures.handle_exposed(3);
        assert_eq!(exposures.clone().handle_word(1 << 3).unwrap().collect::<Vec<_>>(), [3]);
        assert!(exposures.clone().handle_word(1 << 4).is_none());
        assert!(exposures.handle_word(u32::MAX).is_none());
    }
}
