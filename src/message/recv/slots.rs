//! The posted receives of a rank, by their numbers: a slab, whose free places are listed, so that posting one costs the same
//! however many there are.
//!
//! What a receive waits for, and which message is its, stands elsewhere ([`super::super::matching`]).

use std::ops::{Deref, DerefMut};

use super::Recv;

/// The posted receives. A place is free after [`release`](Recvs::release), and until it is given out again; nothing else
/// makes one free.
#[derive(Debug)]
pub(in crate::message) struct Recvs<F> {
    all: Vec<Recv<F>>,
    /// Each free place, once.
    free: Vec<u32>,
}

impl<F> Recvs<F> {
    pub(in crate::message) fn new() -> Recvs<F> {
        Recvs { all: Vec::new(), free: Vec::new() }
    }

    /// A place for one more.
    pub(super) fn claim(&mut self) -> usize {
        if let Some(at) = self.free.pop() {
            return at as usize;
        }
        self.all.push(Recv::Free);
        self.all.len() - 1
    }

    /// Makes a place free, and returns what was there.
    pub(in crate::message) fn release(&mut self, at: usize) -> Recv<F> {
        let was = std::mem::replace(&mut self.all[at], Recv::Free);
        if !matches!(was, Recv::Free) {
            self.free.push(at as u32);
        }
        was
    }
}

impl<F> Deref for Recvs<F> {
    type Target = [Recv<F>];
    #[inline]
    fn deref(&self) -> &[Recv<F>] {
        &self.all
    }
}

impl<F> DerefMut for Recvs<F> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Recv<F>] {
        &mut self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any order of posting and giving back: no place is given out twice, and there are never more than are needed.
    /// (Planted: a free place that is listed again when it is released again.)
    #[test]
    fn a_place_is_one_receives_and_is_used_again() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut recvs: Recvs<()> = Recvs::new();
        let (mut used, mut most) = (Vec::new(), 0);
        for _ in 0..5000 {
            if random.bool() && used.len() < 50 {
                let at = recvs.claim();
                assert!(!used.contains(&at), "{at} of {used:?}");
                assert!(matches!(recvs[at], Recv::Free));
                recvs[at] = Recv::Unwanted;
                used.push(at);
            } else if !used.is_empty() {
                let at = used.swap_remove(random.usize(..used.len()));
                assert!(matches!(recvs.release(at), Recv::Unwanted));
                // In vain.
                assert!(matches!(recvs.release(at), Recv::Free));
            }
            most = most.max(used.len());
            assert_eq!(recvs.len(), most);
        }
        assert_eq!(most, 50);
    }
}
