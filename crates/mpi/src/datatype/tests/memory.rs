//! Buffers for the tests: memory around a base address, and what packing and unpacking does with it.

use std::iter;
use std::sync::Arc;

use crate::datatype::{Basic, Datatype};

/// Bytes around a base, of which a type map may name those before it as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) bytes: Vec<u8>,
    /// Where the base lies in them.
    pub(super) base: usize,
}

impl Memory {
    /// Memory that has all bytes which `count` of the datatype name, with contents given by their
    /// displacement.
    pub(super) fn new(datatype: &Datatype, count: usize, contents: impl Fn(i64) -> u8) -> Self {
        let reach = datatype.extent() * (count as i64 - 1).max(0);
        let low = datatype.true_lb() + reach.min(0);
        let high = datatype.true_lb() + datatype.true_extent() + reach.max(0);
        let (low, high) = (low.min(0), high.max(0));
        let bytes = (low..high).map(contents).collect();
        Self { bytes, base: (-low) as usize }
    }

    /// Packs a piece of the data.
    pub(super) fn pack(
        &self,
        datatype: &Datatype,
        count: usize,
        start: usize,
        bytes: usize,
    ) -> Vec<u8> {
        let mut piece = vec![0; bytes];
        let base = self.bytes.as_ptr().wrapping_add(self.base);
        // SAFETY: the memory has all bytes that the datatype names.
        let packed = unsafe { datatype.pack(base, count, start, &mut piece) };
        piece.truncate(packed);
        piece
    }

    /// Unpacks a piece of the data, and tells how much of it was used.
    pub(super) fn unpack(
        &mut self,
        datatype: &Datatype,
        count: usize,
        start: usize,
        piece: &[u8],
    ) -> usize {
        let base = self.bytes.as_mut_ptr().wrapping_add(self.base);
        // SAFETY: the memory has all bytes that the datatype names.
        unsafe { datatype.unpack(piece, start, base, count) }
    }
}

/// The type map: each element's name and displacement, found out by packing memory whose bytes tell
/// where they are.
pub(super) fn type_map(datatype: &Arc<Datatype>) -> Vec<(&'static str, i64)> {
    let digit = |shift: u32| {
        Memory::new(datatype, 1, |at| (at >> shift) as u8).pack(datatype, 1, 0, datatype.size())
    };
    let addresses: Vec<_> = iter::zip(digit(0), digit(8))
        .map(|(low, high)| i64::from(i16::from_le_bytes([low, high])))
        .collect();
    let mut map = Vec::new();
    let mut at = 0;
    let mut each = |basic: Basic, elements: usize| {
        for _ in 0..elements {
            let element = &addresses[at..at + basic.size()];
            assert!(element.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{element:?}");
            map.push((basic.name(), element[0]));
            at += basic.size();
        }
        Ok::<_, ()>(())
    };
    datatype.signature().try_for_each(&mut each).expect("it never fails");
    assert_eq!(at, datatype.size());
    map
}
