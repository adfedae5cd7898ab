//! Datatypes: where the data of a message lies, and what its elements are. Pure: nothing communicates.
//!
//! MPI 5.0, chapter 5 *Datatypes*. A datatype is reference counted and, but for its name and whether it
//! is committed, never changes. It is flattened when it is made, so that committing costs nothing.

mod basic;
mod bounds;
mod construct;
mod contents;
mod copy;
mod cursor;
mod error;
mod external;
mod layout;
mod predefined;
mod program;
mod signature;
mod walk;

#[cfg(test)]
mod tests;

pub use basic::{Basic, Class};
pub(crate) use basic::{FIRST_HANDLE, HANDLES};
pub use contents::{Contents, Count, Envelope};
pub use cursor::Cursor;
pub use error::TypeError;
pub(crate) use predefined::contiguous_sizes;
pub use predefined::{Predefined, TypeClass};
pub use signature::Signature;

use std::collections::HashSet;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use copy::Stream;
use layout::Layout;

use crate::abi;

/// The bytes of a message that lie in a row: no copy is needed to send them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Where they begin, counted from the buffer's address.
    pub offset: isize,
    /// How many they are.
    pub bytes: usize,
}

/// A datatype.
#[derive(Debug)]
pub struct Datatype {
    layout: Layout,
    /// The span of one, if it lies in a row.
    span: Option<Span>,
    /// Whether copies of it lie in a row too.
    dense: bool,
    origin: Origin,
    committed: AtomicBool,
    name: Mutex<Vec<u8>>,
}

/// Where a datatype comes from.
#[derive(Debug)]
enum Origin {
    /// The binary interface defines it, under this handle.
    Predefined(usize),
    /// A constructor made it, for the program or, unnamed, for the library.
    Derived(Contents),
}

impl Datatype {
    fn new(layout: Layout, origin: Origin, committed: bool, name: &str) -> Self {
        let span = layout.program.as_block().map(|(offset, bytes)| Span { offset, bytes });
        let bytes = layout.program.bytes;
        let dense = bytes == 0 || i64::try_from(bytes) == Ok(layout.extent);
        let (committed, name) = (AtomicBool::new(committed), Mutex::new(name.into()));
        Self { layout, span, dense, origin, committed, name }
    }

    fn derived(layout: Layout, contents: Contents) -> Arc<Self> {
        Arc::new(Self::new(layout, Origin::Derived(contents), false, ""))
    }

    /// The bytes of its elements (`MPI_Type_size`).
    #[inline]
    pub fn size(&self) -> usize {
        self.layout.program.bytes
    }

    /// The lower bound, in bytes.
    #[inline]
    pub fn lb(&self) -> i64 {
        self.layout.lb
    }

    /// The extent, in bytes: the step from one to the next in a buffer.
    #[inline]
    pub fn extent(&self) -> i64 {
        self.layout.extent
    }

    /// The lower bound of its elements, whatever its markers say.
    pub fn true_lb(&self) -> i64 {
        self.layout.true_lb
    }

    /// The extent of its elements, whatever its markers say.
    pub fn true_extent(&self) -> i64 {
        self.layout.true_extent
    }

    /// The sequence of its elements.
    pub fn signature(&self) -> &Signature {
        &self.layout.signature
    }

    /// Allows its use in communication.
    pub fn commit(&self) {
        self.committed.store(true, Ordering::Relaxed);
    }

    /// Whether communication may use it.
    #[inline]
    pub fn is_committed(&self) -> bool {
        self.committed.load(Ordering::Relaxed)
    }

    /// Whether the program cannot free it: it is predefined, named or not.
    pub fn is_predefined(&self) -> bool {
        match &self.origin {
            Origin::Predefined(_) => true,
            Origin::Derived(contents) => matches!(
                contents.combiner,
                abi::MPI_COMBINER_F90_REAL
                    | abi::MPI_COMBINER_F90_COMPLEX
                    | abi::MPI_COMBINER_F90_INTEGER
                    | abi::MPI_COMBINER_VALUE_INDEX
            ),
        }
    }

    /// The handle in the binary interface, of a named predefined datatype.
    pub fn handle(&self) -> Option<usize> {
        match self.origin {
            Origin::Predefined(handle) => Some(handle),
            Origin::Derived(_) => None,
        }
    }

    /// The basic element, if the datatype is one: what predefined operators apply to.
    pub fn basic(&self) -> Option<Basic> {
        match &self.origin {
            Origin::Predefined(handle) => Basic::new(*handle),
            Origin::Derived(_) if self.is_predefined() => self.layout.signature.uniform(),
            Origin::Derived(_) => None,
        }
    }

    /// The handle of the predefined datatype that all of it consists of, if it is one only.
    ///
    /// A pair of a value and an index counts as one, as it does for operators. Its [`signature`](Self::signature)
    /// has two elements.
    pub fn sole_predefined(&self) -> Option<usize> {
        let (mut sole, mut visited, mut next) = (None, HashSet::new(), vec![self]);
        while let Some(datatype) = next.pop() {
            let handle = match datatype.contents() {
                _ if datatype.size() == 0 => continue,
                Some(contents) if !datatype.is_predefined() => {
                    // A datatype may come again and again within others, each time with the same parts.
                    let parts = contents.datatypes.iter().map(Arc::as_ref);
                    next.extend(parts.filter(|part| visited.insert(ptr::from_ref(*part))));
                    continue;
                }
                _ => datatype.handle().or_else(|| Some(datatype.basic()?.handle()))?,
            };
            if *sole.get_or_insert(handle) != handle {
                return None;
            }
        }
        sole
    }

    /// The name; at first that of the constant, or nothing. C strings have no zero within.
    pub fn name(&self) -> Vec<u8> {
        self.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives it a name, of which as much is kept as `MPI_MAX_OBJECT_NAME` allows.
    pub fn set_name(&self, name: &[u8]) {
        let name = &name[..name.len().min(abi::MPI_MAX_OBJECT_NAME - 1)];
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = name.into();
    }

    /// How it was made (`MPI_Type_get_envelope`).
    pub fn envelope(&self) -> Envelope {
        self.contents().map_or(Envelope::NAMED, Envelope::from)
    }

    /// The arguments that it was made with (`MPI_Type_get_contents`); a named one has none.
    pub fn contents(&self) -> Option<&Contents> {
        match &self.origin {
            Origin::Predefined(_) => None,
            Origin::Derived(contents) => Some(contents),
        }
    }

    /// Where the bytes of `count` of them lie, if that is in a row.
    #[inline]
    pub fn span(&self, count: usize) -> Option<Span> {
        let span = self.span?;
        match count {
            1 => Some(span),
            0 => Some(Span { offset: 0, bytes: 0 }),
            _ if self.dense => {
                let bytes = span.bytes.checked_mul(count)?;
                Some(Span { offset: span.offset, bytes })
            }
            _ => None,
        }
    }

    /// The bytes that `count` of them take when packed.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if a buffer cannot be that long.
    #[inline]
    pub fn packed_bytes(&self, count: usize) -> Result<usize, TypeError> {
        let bytes = self.size().checked_mul(count).filter(|bytes| *bytes <= isize::MAX as usize);
        bytes.ok_or(TypeError::TooLarge { what: "size of the data" })
    }

    /// How many of them `bytes` are (`MPI_Get_count`); `None` if the last one is not whole.
    pub fn count_of(&self, bytes: usize) -> Option<usize> {
        match self.size() {
            0 => (bytes == 0).then_some(0),
            size => bytes.is_multiple_of(size).then(|| bytes / size),
        }
    }

    /// Packs a piece of `count` of them, which begins at byte `start` of the packed data, into
    /// `piece`. Returns how many bytes were packed: all of the piece, or up to the end of the data.
    ///
    /// # Safety
    ///
    /// The type map, `count` times from `memory` on, names bytes that can be read. Nothing writes to
    /// them meanwhile.
    pub unsafe fn pack(
        &self,
        memory: *const u8,
        count: usize,
        start: usize,
        piece: &mut [u8],
    ) -> usize {
        let bytes = piece.len();
        // SAFETY: the program names the bytes of the type map, which the caller lets be read.
        let mut stream = unsafe { Stream::to_fill(piece) };
        let (address, layout) = (memory.expose_provenance(), &self.layout);
        layout.program.repeat_run(address, count, layout.extent as isize, start, &mut stream);
        bytes - stream.left()
    }

    /// Unpacks `piece`, which begins at byte `start` of the packed data, into `count` of them.
    /// Returns how many bytes were unpacked: all of the piece, or up to the end of the data.
    ///
    /// # Safety
    ///
    /// The type map, `count` times from `memory` on, names bytes that can be written. Nothing else
    /// reads or writes them meanwhile.
    pub unsafe fn unpack(
        &self,
        piece: &[u8],
        start: usize,
        memory: *mut u8,
        count: usize,
    ) -> usize {
        // SAFETY: the program names the bytes of the type map, which the caller lets be written.
        let mut stream = unsafe { Stream::to_empty(piece) };
        let (address, layout) = (memory.expose_provenance(), &self.layout);
        layout.program.repeat_run(address, count, layout.extent as isize, start, &mut stream);
        piece.len() - stream.left()
    }
}

impl Drop for Datatype {
    /// Takes nested datatypes apart one by one: a long chain of them would overflow the stack.
    fn drop(&mut self) {
        let Origin::Derived(contents) = &mut self.origin else { return };
        let mut nested = std::mem::take(&mut contents.datatypes);
        while let Some(datatype) = nested.pop() {
            let Some(mut last) = Arc::into_inner(datatype) else { continue };
            if let Origin::Derived(contents) = &mut last.origin {
                nested.append(&mut contents.datatypes);
            }
        }
    }
}
