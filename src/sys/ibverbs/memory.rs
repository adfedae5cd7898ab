//! Registered memory: pages that a device may read and write by itself.
//!
//! There are three kinds. Peers may access [`RegisteredWords`] at any time, as far as [`Access`]
//! permits, and this process accesses them only as atomics. The device accesses a [`Slot`] while it
//! is posted, and its owner at all other times. A slot cannot be copied, so it is never both.
//! [`Readable`] bytes belong to other code, and peers only read them.
//!
//! Registering takes system calls and pins memory. On the path of a message only long payloads are
//! registered.

use std::ffi::{c_int, c_void};
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use rustix::mm::{MapFlags, ProtFlags};

use super::device::Pd;
use super::{Failure, abi};
use crate::sys::atomic::plain::AtomicU64;
use crate::sys::memory::Mapped;

/// The registered length for `len` bytes: whole pages.
pub(crate) fn registered_bytes(len: usize) -> usize {
    len.max(1).checked_next_multiple_of(4096).unwrap_or(usize::MAX)
}

/// Zeroed pages of this process.
struct Pages {
    first: NonNull<u8>,
    len: usize,
}

impl Pages {
    /// At least `len` bytes.
    fn new(len: usize) -> Result<Pages, Failure> {
        let len = registered_bytes(len);
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, at an address that the system chooses, replaces nothing.
        let first = unsafe {
            rustix::mm::mmap_anonymous(ptr::null_mut(), len, protection, MapFlags::PRIVATE)
        };
        let failed = |code| Failure::Verb { verb: "mmap", code };
        let first = first.map_err(|errno| failed(errno.raw_os_error()))?;
        let first = NonNull::new(first.cast()).ok_or_else(|| failed(libc::ENOMEM))?;
        Ok(Pages { first, len })
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and whatever points into it is owned together
        // with it.
        let _ = unsafe { rustix::mm::munmap(self.first.as_ptr().cast::<c_void>(), self.len) };
    }
}

/// Pages that are registered with a device.
pub(super) struct Registered {
    mr: NonNull<abi::Mr>,
    pages: Pages,
    pd: Arc<Pd>,
}

// SAFETY: addresses, and their owners. Each access states why it is permitted.
unsafe impl Send for Registered {}
// SAFETY: as above.
unsafe impl Sync for Registered {}

impl Registered {
    pub(super) fn new(pd: &Arc<Pd>, len: usize, access: i32) -> Result<Registered, Failure> {
        let pages = Pages::new(len)?;
        let library = pd.context().library();
        let first = pages.first.as_ptr().cast();
        // SAFETY: the domain is valid, and the pages are mapped as long as the registration lasts.
        let mr = unsafe { (library.ibv_reg_mr)(pd.as_ptr(), first, pages.len, access) };
        let mr = NonNull::new(mr).ok_or_else(|| Failure::registration(pages.len))?;
        Ok(Registered { mr, pages, pd: Arc::clone(pd) })
    }

    /// The key for work requests of this process.
    pub(super) fn lkey(&self) -> u32 {
        // SAFETY: it is valid until this is dropped, and nobody writes it.
        unsafe { (*self.mr.as_ptr()).lkey }
    }

    fn rkey(&self) -> u32 {
        // SAFETY: as above.
        unsafe { (*self.mr.as_ptr()).rkey }
    }

    /// The place of some of its bytes.
    ///
    /// # Panics
    ///
    /// If it has not so many.
    pub(super) fn place(&self, offset: usize, len: usize) -> NonNull<u8> {
        let end = offset.checked_add(len);
        assert!(end.is_some_and(|end| end <= self.pages.len), "{len} bytes at {offset}");
        // SAFETY: it lies within the pages, or at their end.
        unsafe { self.pages.first.add(offset) }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let library = self.pd.context().library();
        // SAFETY: it is valid; a pair that has posted work on it holds this, so no such work is
        // left.
        unsafe { (library.ibv_dereg_mr)(self.mr.as_ptr()) };
    }
}

/// The access of peers to words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// None: only answers to this process's own requests are written here.
    Local,
    /// Read them.
    Read,
    /// Read and write them.
    ReadAndWrite,
}

/// Words that a device may read or write at any time.
pub(crate) struct RegisteredWords {
    registered: Registered,
    count: usize,
}

impl RegisteredWords {
    /// `count` words, all zero.
    pub(crate) fn new(
        pd: &Arc<Pd>,
        count: usize,
        access: Access,
    ) -> Result<Arc<RegisteredWords>, Failure> {
        let access = match access {
            Access::Local => abi::ACCESS_LOCAL_WRITE,
            Access::Read => abi::ACCESS_REMOTE_READ,
            Access::ReadAndWrite => {
                abi::ACCESS_LOCAL_WRITE | abi::ACCESS_REMOTE_WRITE | abi::ACCESS_REMOTE_READ
            }
        };
        let registered = Registered::new(pd, count * 8, access)?;
        Ok(Arc::new(RegisteredWords { registered, count }))
    }

    /// The address and key that a peer needs to access them.
    pub(crate) fn address(&self) -> (u64, u32) {
        (self.registered.place(0, 0).as_ptr().addr() as u64, self.registered.rkey())
    }

    /// Where some of them lie, for work requests of this process.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    pub(super) fn sge(&self, first: usize, count: usize) -> abi::Sge {
        assert!(first.checked_add(count).is_some_and(|end| end <= self.count));
        let addr = self.registered.place(first * 8, count * 8).as_ptr().addr() as u64;
        abi::Sge { addr, length: (count * 8) as u32, lkey: self.registered.lkey() }
    }
}

impl Deref for RegisteredWords {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        let first = self.registered.pages.first.cast::<AtomicU64>();
        // SAFETY: so many words lie in the pages, which start at a whole page and are valid as long
        // as this. Whatever the device writes, any bytes are a valid word; all access of this
        // process is atomic, and a device writes a word that is aligned as one.
        unsafe { std::slice::from_raw_parts(first.as_ptr(), self.count) }
    }
}

/// Words of a file that several processes have mapped, which peers may also write.
pub(crate) struct Foreign {
    mr: NonNull<abi::Mr>,
    words: Mapped<AtomicU64>,
    pd: Arc<Pd>,
}

// SAFETY: addresses, and what keeps them valid. The words are read and written as atomics, and a
// device writes one that is aligned as one.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Foreign {
    pub(crate) fn new(pd: &Arc<Pd>, words: Mapped<AtomicU64>) -> Result<Foreign, Failure> {
        let len = size_of_val(&*words);
        let first = words.as_ptr().cast_mut().cast();
        let access = abi::ACCESS_LOCAL_WRITE | abi::ACCESS_REMOTE_WRITE;
        // SAFETY: the domain is valid, and the words are mapped as long as the registration lasts,
        // which is no longer than this. Whatever the device writes, any bytes are valid words.
        let mr = unsafe { (pd.context().library().ibv_reg_mr)(pd.as_ptr(), first, len, access) };
        let mr = NonNull::new(mr).ok_or_else(|| Failure::registration(len))?;
        Ok(Foreign { mr, words, pd: Arc::clone(pd) })
    }

    /// The number of words.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// The address and key that a peer needs to write them.
    pub(crate) fn address(&self) -> (u64, u32) {
        // SAFETY: it is valid until this is dropped, and nobody writes it.
        let key = unsafe { (*self.mr.as_ptr()).rkey };
        (self.words.as_ptr().addr() as u64, key)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: it is valid, and this process posts no work on it.
        unsafe { (self.pd.context().library().ibv_dereg_mr)(self.mr.as_ptr()) };
    }
}

/// Bytes of other code that peers may read, as long as this exists.
///
/// It borrows the bytes only while it is created. That is sound: no device ever writes them, so
/// nothing that this process reads from its memory depends on this. A peer may read bytes that
/// change meanwhile, or that are part of something else by then, but that is not an access by this
/// process. The pages stay pinned, so a device reads the old contents even if they are unmapped.
/// The owner of the payload must make sure that peers read only bytes that are meant for them.
pub(crate) struct Readable {
    mr: NonNull<abi::Mr>,
    first: u64,
    pd: Arc<Pd>,
}

// SAFETY: as for `Registered`.
unsafe impl Send for Readable {}

impl Readable {
    pub(crate) fn new(pd: &Arc<Pd>, bytes: &[u8]) -> Result<Readable, Failure> {
        let first = bytes.as_ptr().cast_mut().cast();
        let reg_mr = pd.context().library().ibv_reg_mr;
        // SAFETY: the domain is valid, and the bytes are mapped while it is called. With this
        // access nobody writes them, neither a peer nor a device.
        let mr = unsafe { reg_mr(pd.as_ptr(), first, bytes.len(), abi::ACCESS_REMOTE_READ) };
        let mr = NonNull::new(mr).ok_or_else(|| Failure::registration(bytes.len()))?;
        Ok(Readable { mr, first: bytes.as_ptr().addr() as u64, pd: Arc::clone(pd) })
    }

    /// The address and key that a peer needs to read them.
    pub(crate) fn address(&self) -> (u64, u32) {
        // SAFETY: it is valid until this is dropped, and nobody writes it.
        let key = unsafe { (*self.mr.as_ptr()).rkey };
        (self.first, key)
    }
}

impl Drop for Readable {
    fn drop(&mut self) {
        // SAFETY: it is valid, and this process posts no work on it.
        unsafe { (self.pd.context().library().ibv_dereg_mr)(self.mr.as_ptr()) };
    }
}

/// The distance of slots for messages of `bytes` bytes: each has cache lines of its own.
pub(super) fn stride(bytes: usize) -> usize {
    bytes.max(1).checked_next_multiple_of(64).unwrap_or(usize::MAX)
}

/// The same, for slots with `front` bytes in front of each message.
pub(super) fn stride_behind(front: usize, bytes: usize) -> usize {
    stride(bytes).saturating_add(stride_of_front(front))
}

/// The length of the front, rounded so that the message behind starts at a cache line.
fn stride_of_front(front: usize) -> usize {
    front.next_multiple_of(64)
}

/// Memory for messages, in slots of one length.
pub(super) struct Slots {
    registered: Registered,
    stride: usize,
    bytes: usize,
    front: usize,
}

impl Slots {
    /// `count` slots of at least `bytes` bytes each, and the right to each of them. In front of
    /// each message the device puts `front` bytes of its own.
    pub(super) fn new(
        pd: &Arc<Pd>,
        count: u32,
        bytes: usize,
        front: usize,
    ) -> Result<(Arc<Slots>, Vec<Slot>), Failure> {
        Slots::with_access(pd, count, bytes, front, abi::ACCESS_LOCAL_WRITE)
    }

    fn with_access(
        pd: &Arc<Pd>,
        count: u32,
        bytes: usize,
        front: usize,
        access: c_int,
    ) -> Result<(Arc<Slots>, Vec<Slot>), Failure> {
        let stride = stride_behind(front, bytes);
        let len = stride.saturating_mul(count as usize);
        let registered = Registered::new(pd, len, access)?;
        let slots = Arc::new(Slots { registered, stride, bytes, front });
        let rights = (0..count).map(|index| Slot { slots: Arc::clone(&slots), index });
        let rights = rights.collect();
        Ok((slots, rights))
    }

    /// Where a slot lies, for work requests.
    pub(super) fn sge(&self, index: u32) -> abi::Sge {
        let len = self.front + self.bytes;
        let first = self.registered.place(self.message(index) - self.front, len);
        abi::Sge {
            addr: first.as_ptr().addr() as u64,
            length: len as u32,
            lkey: self.registered.lkey(),
        }
    }

    /// The offset at which the message of a slot starts.
    fn message(&self, index: u32) -> usize {
        index as usize * self.stride + stride_of_front(self.front)
    }

    /// The number of bytes in front of each message.
    pub(super) fn front(&self) -> usize {
        self.front
    }
}

/// Ownership of a slot: while it is owned here, no device writes to it. It keeps the memory alive.
pub(crate) struct Slot {
    slots: Arc<Slots>,
    index: u32,
}

impl Slot {
    /// Ownership of a slot that the device has released.
    ///
    /// # Safety
    ///
    /// The slot was [posted](Slot::surrender), its work has completed, and this is done once for
    /// each time.
    pub(super) unsafe fn given_back(slots: &Arc<Slots>, index: u32) -> Slot {
        Slot { slots: Arc::clone(slots), index }
    }

    /// A slot with memory of its own, for `bytes` bytes, which peers that know its address and key
    /// may read.
    pub(crate) fn alone(pd: &Arc<Pd>, bytes: usize) -> Result<Slot, Failure> {
        let access = abi::ACCESS_LOCAL_WRITE | abi::ACCESS_REMOTE_READ;
        // The length in a work request has 32 bits, and so has that of a message.
        let (slots, _) = Slots::with_access(pd, 1, bytes, 0, access)?;
        Ok(Slot { slots, index: 0 })
    }

    /// The address and key that a peer needs to read an [alone](Slot::alone) slot. The key gives no
    /// access to other slots.
    pub(crate) fn address(&self) -> (u64, u32) {
        let registered = &self.slots.registered;
        let first = registered.place(self.slots.message(self.index), self.slots.bytes);
        (first.as_ptr().addr() as u64, registered.rkey())
    }

    /// The length of the slot, in bytes.
    pub(crate) fn room(&self) -> usize {
        self.slots.bytes
    }

    /// The address of some of its bytes, for a work request of its owner.
    ///
    /// # Panics
    ///
    /// If they are not within the slot.
    pub(super) fn sge(&self, offset: usize, len: usize) -> abi::Sge {
        assert!(offset.checked_add(len).is_some_and(|end| end <= self.slots.bytes));
        let first = self.slots.registered.place(self.slots.message(self.index) + offset, len);
        let length = u32::try_from(len).expect("a piece is shorter");
        abi::Sge { addr: first.as_ptr().addr() as u64, length, lkey: self.slots.registered.lkey() }
    }

    /// Writes some of its bytes.
    ///
    /// # Panics
    ///
    /// If they are not within the slot.
    pub(crate) fn write(&mut self, offset: usize, bytes: &[u8]) {
        assert!(offset.checked_add(bytes.len()).is_some_and(|end| end <= self.slots.bytes));
        let at = self.slots.message(self.index) + offset;
        let place = self.slots.registered.place(at, bytes.len());
        // SAFETY: the bytes are within the pages, which `slots` keeps. Only the owner of the slot
        // accesses them, and that is the owner of this value.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place.as_ptr(), bytes.len()) };
    }

    /// Gives up ownership to the device.
    pub(super) fn surrender(self) -> u32 {
        self.index
    }

    /// Whether it is one of these.
    pub(super) fn is_of(&self, slots: &Arc<Slots>) -> bool {
        Arc::ptr_eq(&self.slots, slots)
    }

    /// The contents, from the first byte on, whose address is a multiple of 64; at most `len`
    /// bytes.
    pub(crate) fn bytes(&self, len: usize) -> &[u8] {
        let len = len.min(self.slots.bytes);
        let first = self.slots.registered.place(self.slots.message(self.index), len);
        // SAFETY: the bytes are within the pages, which `slots` keeps, and were zeroed at first.
        // Only the owner of the slot writes them, and that is the owner of this value.
        unsafe { std::slice::from_raw_parts(first.as_ptr(), len) }
    }
}
