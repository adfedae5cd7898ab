//! The naive reference: a type map as the list of all its elements and markers.
//!
//! Every function is the definition of the standard (MPI 5.0, section 5.1), written without regard
//! for time or room, and without a line of what is tested.

use crate::datatype::Basic;

/// An element or a marker of a type map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Element(Basic),
    Lb,
    Ub,
}

/// A type map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Model(pub(super) Vec<(Entry, i64)>);

/// What is asked of a datatype, and of its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) size: usize,
    pub(super) bounds: (i64, i64),
    pub(super) true_bounds: (i64, i64),
    pub(super) elements: usize,
    pub(super) hash: u64,
}

impl Model {
    pub(super) fn element(basic: Basic) -> Self {
        Self(vec![(Entry::Element(basic), 0)])
    }

    /// Appends copies of `old` at multiples of its extent from `displacement` on.
    pub(super) fn append(&mut self, displacement: i64, length: i64, old: &Self) {
        let extent = old.extent();
        for copy in 0..length {
            let at = displacement + copy * extent;
            self.0.extend(old.0.iter().map(|(entry, place)| (*entry, place + at)));
        }
    }

    /// The elements, with new markers instead of those that there are.
    pub(super) fn resized(self, lb: i64, extent: i64) -> Self {
        let elements = self.0.into_iter().filter(|(entry, _)| matches!(entry, Entry::Element(_)));
        let mut entries: Vec<_> = elements.collect();
        entries.extend([(Entry::Lb, lb), (Entry::Ub, lb + extent)]);
        Self(entries)
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = (Basic, i64)> {
        self.0.iter().filter_map(|(entry, at)| match entry {
            Entry::Element(basic) => Some((*basic, *at)),
            _ => None,
        })
    }

    fn markers(&self, kind: Entry) -> impl Iterator<Item = i64> {
        self.0.iter().filter(move |(entry, _)| *entry == kind).map(|(_, at)| *at)
    }

    pub(super) fn lb(&self) -> i64 {
        let least = self.elements().map(|(_, at)| at).min();
        self.markers(Entry::Lb).min().or(least).unwrap_or(0)
    }

    pub(super) fn extent(&self) -> i64 {
        let lb = self.lb();
        if let Some(ub) = self.markers(Entry::Ub).max() {
            return ub - lb;
        }
        let end = self.elements().map(|(basic, at)| at + basic.size() as i64).max();
        let alignment = self.elements().map(|(basic, _)| basic.alignment() as i64).max();
        let mut extent = end.unwrap_or(lb) - lb;
        while extent % alignment.unwrap_or(1) != 0 {
            extent += 1;
        }
        extent
    }

    pub(super) fn facts(&self) -> Facts {
        let low = self.elements().map(|(_, at)| at).min().unwrap_or(0);
        let high = self.elements().map(|(basic, at)| at + basic.size() as i64).max();
        Facts {
            size: self.elements().map(|(basic, _)| basic.size()).sum(),
            bounds: (self.lb(), self.extent()),
            true_bounds: (low, high.unwrap_or(0) - low),
            elements: self.elements().count(),
            hash: self.hash(1),
        }
    }

    /// The hash of the elements' sequence, `count` times over.
    pub(super) fn hash(&self, count: usize) -> u64 {
        let sequence = || self.elements().map(|(basic, _)| basic.handle() as u64);
        (0..count).flat_map(|_| sequence()).fold(0_u64, |hash, element| {
            hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(element)
        })
    }

    /// The displacement of every byte of the packed data of `count` of them.
    pub(super) fn displacements(&self, count: usize) -> Vec<i64> {
        let extent = self.extent();
        let mut bytes = Vec::new();
        for copy in 0..count as i64 {
            for (basic, at) in self.elements() {
                bytes.extend((0..basic.size() as i64).map(|byte| copy * extent + at + byte));
            }
        }
        bytes
    }

    /// How many whole elements so many bytes of the packed data are, if the last one is whole.
    pub(super) fn elements_of(&self, bytes: usize) -> Option<usize> {
        let sizes: Vec<_> = self.elements().map(|(basic, _)| basic.size()).collect();
        if sizes.is_empty() {
            return Some(0);
        }
        let (mut left, mut elements) = (bytes, 0);
        for size in sizes.iter().cycle() {
            match left {
                0 => break,
                _ if left < *size => return None,
                _ => (left, elements) = (left - size, elements + 1),
            }
        }
        Some(elements)
    }
}
