//! Loans: payloads of one rank that another may read where they lie.
//!
//! A request may bear a loan: where the payload lies, and a number below [`MOST`], which its sender gives to no other
//! loan to that peer before this one has come back. The receiver says which have come back by one word of a bit for
//! each number: the bit changes each time. So the newest word says all that those before it said, it bounds what a
//! peer can have a rank keep, and what a rank may have locked for one peer.
//!
//! Plain state; `lending` and `pulls` move it.
//!
//! Keeps rules FLOW-4 and SAFE-1 of SEMANTICS.md.

use zerocopy::byteorder::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::verbs::RemoteBuffer;

/// So many loans one rank may have of another.
pub(super) const MOST: u32 = u32::BITS;

/// Leave to read a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loan {
    /// Below [`MOST`].
    pub(super) number: u8,
    pub(super) lent: RemoteBuffer,
}

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct LoanWire {
    address: U64,
    key: U32,
    number: U32,
}

impl Loan {
    /// Its length on the wire, in bytes.
    pub(super) const BYTES: usize = size_of::<LoanWire>();

    /// The loan as it goes on the wire, behind its header.
    pub(super) fn encode(self) -> [u8; Self::BYTES] {
        let RemoteBuffer { address, key } = self.lent;
        let number = u32::from(self.number);
        let wire = LoanWire { address: address.into(), key: key.into(), number: number.into() };
        zerocopy::transmute!(wire)
    }

    /// Reads what stands behind a header. What there cannot be is the caller's to find.
    ///
    /// # Errors
    ///
    /// The number, if there is no such; 0 if there are too few bytes.
    pub(super) fn decode(bytes: &[u8]) -> Result<Loan, u32> {
        let Ok((wire, _)) = LoanWire::ref_from_prefix(bytes) else { return Err(0) };
        let number = wire.number.get();
        let known = u8::try_from(number).ok().filter(|_| number < MOST).ok_or(number)?;
        let lent = RemoteBuffer { address: wire.address.get(), key: wire.key.get() };
        Ok(Loan { number: known, lent })
    }
}

/// The sender's side: which numbers are in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Loans {
    out: u32,
    /// The last word of the peer.
    heard: u32,
}

impl Loans {
    /// A number that is free.
    pub(super) fn free(&self) -> Option<u8> {
        let number = self.out.trailing_ones();
        (number < MOST).then_some(number as u8)
    }

    /// This one is in use from now on.
    pub(super) fn handle_lent(&mut self, number: u8) {
        self.out |= 1 << number;
    }

    /// The peer says what has come back. Those that have since it last said so; None if it names one that was not out.
    pub(super) fn handle_word(&mut self, word: u32) -> Option<impl Iterator<Item = u8> + use<>> {
        let back = std::mem::replace(&mut self.heard, word) ^ word;
        if back & !self.out != 0 {
            return None;
        }
        self.out &= !back;
        Some((0..MOST as u8).filter(move |number| back >> number & 1 == 1))
    }
}

/// The receiver's side: what a peer has lent to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Debts {
    open: u32,
    word: u32,
}

impl Debts {
    /// One was lent. Returns false if it is out already, which no correct peer lends.
    #[must_use]
    pub(super) fn handle_lent(&mut self, number: u8) -> bool {
        let bit = 1 << number;
        let was_free = self.open & bit == 0;
        self.open |= bit;
        was_free
    }

    /// It has come back.
    pub(super) fn give_back(&mut self, number: u8) {
        debug_assert!(self.open >> number & 1 == 1, "loan {number} comes back twice");
        self.open &= !(1 << number);
        self.word ^= 1 << number;
    }

    /// What the peer is told.
    pub(super) fn word(&self) -> u32 {
        self.word
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(address in any::<u64>(), key in any::<u32>(), number in 0..MOST as u8) {
            let loan = Loan { number, lent: RemoteBuffer { address, key } };
            prop_assert_eq!(Loan::decode(&loan.encode()), Ok(loan));
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn any_bytes_are_a_loan_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            match Loan::decode(&bytes) {
                Ok(loan) => prop_assert_eq!(&loan.encode()[..], &bytes[..Loan::BYTES]),
                Err(number) => prop_assert!(bytes.len() < Loan::BYTES || number >= MOST),
            }
        }

        /// Words may be left out: the newest says all. (Planted: a word that says what is open instead.)
        #[test]
        fn what_comes_back_is_heard_of_once(steps in proptest::collection::vec((0..3u8, any::<u8>()), 0..300)) {
            let (mut loans, mut debts, mut out, mut back) =
                (Loans::default(), Debts::default(), Vec::new(), Vec::new());
            for (step, which) in steps {
                match step {
                    0 => match loans.free() {
                        Some(number) => {
                            loans.handle_lent(number);
                            prop_assert!(debts.handle_lent(number));
                            prop_assert!(!debts.clone().handle_lent(number));
                            out.push(number);
                        }
                        None => prop_assert_eq!(out.len() + back.len(), MOST as usize),
                    },
                    1 if !out.is_empty() => {
                        let number = out.swap_remove(which as usize % out.len());
                        debts.give_back(number);
                        back.push(number);
                    }
                    1 => {}
                    _ => {
                        let heard: Vec<u8> = loans.handle_word(debts.word()).unwrap().collect();
                        back.sort_unstable();
                        prop_assert_eq!(&heard, &back);
                        back.clear();
                        prop_assert_eq!(loans.handle_word(debts.word()).unwrap().count(), 0);
                    }
                }
            }
        }
    }

    // SEMANTICS: SAFE-1
    #[test]
    fn what_was_not_lent_does_not_come_back() {
        let mut loans = Loans::default();
        loans.handle_lent(3);
        assert_eq!(loans.clone().handle_word(1 << 3).unwrap().collect::<Vec<_>>(), [3]);
        assert!(loans.clone().handle_word(1 << 4).is_none());
        assert!(loans.handle_word(u32::MAX).is_none());
    }
}
