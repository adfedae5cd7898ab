//! The two copy loops, between a program's memory and the packed stream: a block, and equal blocks.
//!
//! All `unsafe` of the datatypes is here and at the doors that lead here. Memory is an address, since
//! `MPI_BOTTOM` makes addresses of displacements; the stream is a pointer that only these loops move.

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

/// How far apart equal blocks are: known while compiling, where that makes a better loop.
trait Stride: Copy {
    fn bytes(self) -> isize;
}

impl Stride for isize {
    fn bytes(self) -> isize {
        self
    }
}

/// Every second one of blocks of `N` bytes.
#[derive(Clone, Copy)]
struct EverySecond<const N: usize>;

impl<const N: usize> Stride for EverySecond<N> {
    fn bytes(self) -> isize {
        2 * N as isize
    }
}

impl<D: Direction> Stream<'_, D> {
    /// The bytes still to be moved.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// Moves a block that begins at `address`, or as much of it as is left of the stream.
    pub(super) fn block(&mut self, address: usize, bytes: usize) {
        let bytes = bytes.min(self.left);
        let memory = ptr::with_exposed_provenance_mut::<u8>(address);
        if bytes > 0 {
            // SAFETY: whoever made the stream promised that the memory at these addresses can be
            // read or written. The stream has at least so many bytes left. The two may overlap.
            unsafe {
                match D::PACKS {
                    true => ptr::copy(memory.cast_const(), self.next, bytes),
                    false => ptr::copy(self.next.cast_const(), memory, bytes),
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
        match bytes {
            1 => self.equal::<1, _>(address, count, stride),
            2 => self.equal::<2, _>(address, count, stride),
            4 if stride == 8 => self.equal::<4, _>(address, count, EverySecond::<4>),
            4 => self.equal::<4, _>(address, count, stride),
            8 if stride == 16 => self.equal::<8, _>(address, count, EverySecond::<8>),
            8 => self.equal::<8, _>(address, count, stride),
            12 => self.equal::<12, _>(address, count, stride),
            16 => self.equal::<16, _>(address, count, stride),
            24 => self.equal::<24, _>(address, count, stride),
            32 => self.equal::<32, _>(address, count, stride),
            40 => self.equal::<40, _>(address, count, stride),
            64 => self.equal::<64, _>(address, count, stride),
            _ => {
                let mut address = address;
                for _ in 0..count {
                    self.block(address, bytes);
                    address = address.wrapping_add_signed(stride);
                }
            }
        }
    }

    /// The same for blocks whose length is known while compiling.
    #[inline]
    fn equal<const N: usize, S: Stride>(&mut self, address: usize, count: usize, stride: S) {
        let bytes = N.checked_mul(count).filter(|bytes| *bytes <= self.left);
        let bytes = bytes.expect("a stream that has room for all blocks");
        let mut stream = self.next.cast::<[u8; N]>();
        let mut memory = ptr::with_exposed_provenance_mut::<[u8; N]>(address);
        for _ in 0..count {
            // SAFETY: as for a block; the stream has N bytes left for each of `count` rounds. An
            // array of bytes needs no alignment. A block is loaded whole before it is stored.
            unsafe {
                match D::PACKS {
                    true => stream.write(memory.read()),
                    false => memory.write(stream.read()),
                }
            }
            stream = stream.wrapping_add(1);
            memory = memory.wrapping_byte_offset(stride.bytes());
        }
        self.next = stream.cast();
        self.left -= bytes;
    }
}
