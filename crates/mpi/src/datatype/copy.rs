//! The two copy loops, between a program's memory and the packed stream: a block, and equal blocks.
//!
//! All `unsafe` of the datatypes is here and at the doors that lead here. Memory is an address, since
//! `MPI_BOTTOM` makes addresses of displacements; the stream is a pointer that only these loops move.

use runahead::internals::copy::move_bytes;
use std::marker::PhantomData;
use std::ptr;

/// Out of memory into the stream.
pub(super) enum Pack {}

/// Out of the stream into memory.
pub(super) enum Unpack {}

/// Which way bytes go.
pub(super) trait Direction {
    /// Whether they go into the stream.
    const PACKS: bool;
}

impl Direction for Pack {
    const PACKS: bool = true;
}

impl Direction for Unpack {
    const PACKS: bool = false;
}

/// A piece of the packed stream, and how much of it is still to be moved.
pub(super) struct Stream<'a, D> {
    next: *mut u8,
    left: usize,
    piece: PhantomData<(&'a mut [u8], D)>,
}

impl<'a> Stream<'a, Pack> {
    /// A piece that is to be filled.
    ///
    /// # Safety
    ///
    /// Whatever address is given to this stream's methods, for as many bytes as they say, can be
    /// read as long as the stream lives.
    pub(super) unsafe fn to_fill(piece: &'a mut [u8]) -> Self {
        Self { next: piece.as_mut_ptr(), left: piece.len(), piece: PhantomData }
    }
}

impl<'a> Stream<'a, Unpack> {
    /// A piece that is to be taken out of.
    ///
    /// # Safety
    ///
    /// Whatever address is given to this stream's methods, for as many bytes as they say, can be
    /// written as long as the stream lives.
    pub(super) unsafe fn to_empty(piece: &'a [u8]) -> Self {
        // In this direction nothing is written through the pointer.
        Self { next: piece.as_ptr().cast_mut(), left: piece.len(), piece: PhantomData }
    }
}

/// The addresses of blocks with a stride.
struct Regular {
    next: usize,
    stride: isize,
    left: usize,
}

/// The addresses of every second block of `N` bytes: a stride that is known while compiling makes a
/// better loop.
struct EverySecond<const N: usize> {
    next: usize,
    left: usize,
}

impl Iterator for Regular {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let address = self.next;
        self.next = address.wrapping_add_signed(self.stride);
        Some(address)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<const N: usize> Iterator for EverySecond<N> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        let address = self.next;
        self.next = address.wrapping_add(2 * N);
        Some(address)
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Regular {}

impl<const N: usize> ExactSizeIterator for EverySecond<N> {}

/// Copies bytes. Short copies need no call: the last load and store overlap those before them.
///
/// # Safety
///
/// So many bytes can be read at `from` and written at `to`.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    /// Copies at least `N` and at most `2 * N` bytes.
    ///
    /// # Safety
    ///
    /// So many bytes can be read at `from` and written at `to`.
    #[inline(always)]
    unsafe fn two<const N: usize>(from: *const u8, to: *mut u8, bytes: usize) {
        // SAFETY: the first and the last N bytes are among those that the caller promises.
        unsafe {
            let first = from.cast::<[u8; N]>().read();
            let last = from.add(bytes - N).cast::<[u8; N]>().read();
            to.cast::<[u8; N]>().write(first);
            to.add(bytes - N).cast::<[u8; N]>().write(last);
        }
    }
    // SAFETY: each case has at least the bytes that it copies.
    unsafe {
        match bytes {
            1 => to.write(from.read()),
            2..4 => two::<2>(from, to, bytes),
            4..8 => two::<4>(from, to, bytes),
            8..16 => two::<8>(from, to, bytes),
            16..32 => two::<16>(from, to, bytes),
            32..64 => two::<32>(from, to, bytes),
            64..256 => {
                let whole = bytes / 32 * 32;
                for at in (0..whole).step_by(32) {
                    let part = from.add(at).cast::<[u8; 32]>().read();
                    to.add(at).cast::<[u8; 32]>().write(part);
                }
                // What is left is shorter than a part: the last part overlaps the one before it.
                let last = from.add(bytes - 32).cast::<[u8; 32]>().read();
                to.add(bytes - 32).cast::<[u8; 32]>().write(last);
            }
            _ => move_bytes(from, to, bytes),
        }
    }
}

impl<D: Direction> Stream<'_, D> {
    /// The bytes still to be moved.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Moves a block that begins at `address`, or as much of it as is left of the stream.
    #[inline]
    pub(super) fn block(&mut self, address: usize, bytes: usize) {
        let bytes = bytes.min(self.left);
        let memory = ptr::with_exposed_provenance_mut::<u8>(address);
        if bytes > 0 {
            // SAFETY: whoever made the stream promised that the memory at these addresses can be
            // read or written. The stream has at least so many bytes left.
            unsafe {
                match D::PACKS {
                    true => copy(memory, self.next, bytes),
                    false => copy(self.next, memory, bytes),
                }
            }
        }
        self.next = self.next.wrapping_add(bytes);
        self.left -= bytes;
    }

    /// Moves `count` blocks of `bytes` each, one every `stride` bytes from `address` on.
    ///
    /// # Panics
    ///
    /// If the stream has not so many bytes left.
    pub(super) fn blocks(&mut self, address: usize, count: usize, bytes: usize, stride: isize) {
        let all = Regular { next: address, stride, left: count };
        match bytes {
            1 => self.equal::<1>(all),
            2 => self.equal::<2>(all),
            4 if stride == 8 => self.equal::<4>(EverySecond::<4> { next: address, left: count }),
            4 => self.equal::<4>(all),
            8 if stride == 16 => self.equal::<8>(EverySecond::<8> { next: address, left: count }),
            8 => self.equal::<8>(all),
            12 => self.equal::<12>(all),
            16 => self.equal::<16>(all),
            24 => self.equal::<24>(all),
            32 => self.equal::<32>(all),
            40 => self.equal::<40>(all),
            64 => self.equal::<64>(all),
            _ => all.for_each(|address| self.block(address, bytes)),
        }
    }

    /// Moves a block of `bytes` from each of the offsets.
    ///
    /// # Panics
    ///
    /// If the stream has not so many bytes left.
    pub(super) fn scattered(&mut self, base: usize, offsets: &[isize], bytes: usize) {
        let all = offsets.iter().map(|offset| base.wrapping_add_signed(*offset));
        match bytes {
            1 => self.equal::<1>(all),
            2 => self.equal::<2>(all),
            4 => self.equal::<4>(all),
            8 => self.equal::<8>(all),
            12 => self.equal::<12>(all),
            16 => self.equal::<16>(all),
            24 => self.equal::<24>(all),
            32 => self.equal::<32>(all),
            _ => {
                for address in all {
                    self.block(address, bytes);
                }
            }
        }
    }

    /// Moves blocks whose length is known while compiling.
    #[inline]
    fn equal<const N: usize>(&mut self, blocks: impl ExactSizeIterator<Item = usize>) {
        let bytes = N.checked_mul(blocks.len()).filter(|bytes| *bytes <= self.left);
        let bytes = bytes.expect("a stream that has room for all blocks");
        let mut stream = self.next.cast::<[u8; N]>();
        for address in blocks {
            let memory = ptr::with_exposed_provenance_mut::<[u8; N]>(address);
            // SAFETY: as for a block; the stream has N bytes left for each of the blocks. An array
            // of bytes needs no alignment. A block is loaded whole before it is stored.
            unsafe {
                match D::PACKS {
                    true => stream.write(memory.read()),
                    false => memory.write(stream.read()),
                }
            }
            stream = stream.wrapping_add(1);
        }
        self.next = stream.cast();
        self.left -= bytes;
    }
}
