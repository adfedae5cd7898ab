//! The memory that a call communicates: an address, a number of elements, and their layout.
//! Source: MPI 5.0, sections on blocking communication and on datatypes in communication.
//! Rules: what is contiguous is neither copied nor looked at; all else goes through `datatype`.

use super::contiguous::contiguous_size;
use super::fault::Fault;
use super::library::Library;
use super::rooms::Bytes;
use crate::abi::*;
use crate::datatype::{Datatype, Predefined};
use runahead::internals::copy::move_bytes;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock};

/// A buffer as a program passes it.
#[derive(Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) address: *const c_void,
    pub(crate) count: i64,
    pub(crate) datatype: MPI_Datatype,
    /// What the arguments for the address, the count and the datatype are called.
    pub(crate) names: &'static [&'static str; 3],
}

/// The buffer that these arguments describe.
macro_rules! buffer {
    ($address:ident, $count:ident, $datatype:ident) => {
        $crate::face::memory::Buffer {
            address: $address.address(),
            count: $count.into(),
            datatype: $datatype,
            names: &[stringify!($address), stringify!($count), stringify!($datatype)],
        }
    };
}

pub(crate) use buffer;

/// Memory of the program, which it leaves to the library until the operation is complete.
#[derive(Clone)]
pub(crate) struct Memory {
    address: *mut u8,
    count: usize,
    layout: Layout,
}

/// How the elements lie.
#[derive(Clone)]
pub(crate) enum Layout {
    /// Without gaps, each of so many bytes.
    Contiguous(usize),
    /// As a datatype says.
    Derived(Arc<Datatype>),
}

impl Layout {
    /// How many bytes one element has, gaps not counted.
    pub(crate) fn size(&self) -> usize {
        match self {
            Layout::Contiguous(size) => *size,
            Layout::Derived(datatype) => datatype.size(),
        }
    }

    /// How far the next element lies behind one, in bytes.
    pub(crate) fn extent(&self) -> isize {
        match self {
            Layout::Contiguous(size) => *size as isize,
            Layout::Derived(datatype) => datatype.extent() as isize,
        }
    }
}

impl Layout {
    /// Where the bytes of `count` elements begin and end, counted from the address of the first.
    pub(crate) fn bounds(&self, count: usize) -> (isize, isize) {
        let far = self.extent().wrapping_mul(count.saturating_sub(1) as isize);
        let (lower, upper) = match self {
            Layout::Contiguous(size) => (0, *size as isize),
            Layout::Derived(datatype) => {
                let lower = datatype.true_lb() as isize;
                (lower, lower.wrapping_add(datatype.true_extent() as isize))
            }
        };
        match count {
            0 => (0, 0),
            _ => (lower.min(lower.wrapping_add(far)), upper.max(upper.wrapping_add(far))),
        }
    }
}

impl Library {
    /// The layout of a datatype that the program may communicate.
    #[inline(always)]
    pub(crate) fn layout(&self, datatype: MPI_Datatype) -> Result<Layout, Fault> {
        match contiguous_size(datatype) {
            0 => self.derived_layout(datatype),
            size => Ok(Layout::Contiguous(size)),
        }
    }

    fn derived_layout(&self, datatype: MPI_Datatype) -> Result<Layout, Fault> {
        let datatype = self.datatype(datatype)?;
        match datatype.is_committed() {
            true => Ok(Layout::Derived(datatype)),
            false => Err(Fault::argument(MPI_ERR_TYPE, "datatype", "not committed")),
        }
    }

    /// A datatype by its handle, predefined or made by the program.
    pub(crate) fn datatype(&self, datatype: MPI_Datatype) -> Result<Arc<Datatype>, Fault> {
        let found = match self.types.borrow().get(datatype.0) {
            Some(made) => Some(made.clone()),
            None => predefined().find(datatype.0).cloned(),
        };
        found.ok_or_else(|| Fault::handle(MPI_ERR_TYPE, "datatype", datatype.0))
    }

    /// The memory of a call.
    #[inline(always)]
    pub(crate) fn memory(
        &self,
        Buffer { address, count, datatype, names }: Buffer,
    ) -> Result<Memory, Fault> {
        let [name, count_name, datatype_name] = names;
        let Ok(count) = usize::try_from(count) else {
            return Err(Fault::value(MPI_ERR_COUNT, count_name, count));
        };
        let layout = self.layout(datatype).map_err(|fault| fault.called(datatype_name))?;
        check_bytes(&layout, count, count_name)?;
        if address.is_null() && count > 0 && matches!(layout, Layout::Contiguous(_)) {
            return Err(Fault::of_buffer(name, "a null pointer"));
        }
        if MPI_IN_PLACE.is(address) {
            return Err(Fault::of_buffer(name, "MPI_IN_PLACE, which is not allowed here"));
        }
        Ok(Memory { address: address.cast_mut().cast(), count, layout })
    }

    /// The memory of one of several blocks: where it has no elements, its address is not looked at.
    pub(crate) fn typed_memory(
        &self,
        address: *const c_void,
        count: usize,
        datatype: MPI_Datatype,
        [count_name, datatype_name]: [&str; 2],
    ) -> Result<Memory, Fault> {
        let layout = self.layout(datatype).map_err(|fault| fault.called(datatype_name))?;
        check_bytes(&layout, count, count_name)?;
        Ok(Memory { address: address.cast_mut().cast(), count, layout })
    }
}

/// As many elements as an address space can have.
#[inline(always)]
fn check_bytes(layout: &Layout, count: usize, count_name: &str) -> Result<(), Fault> {
    let bytes = layout.size().checked_mul(count);
    match bytes.is_some_and(|bytes| bytes <= isize::MAX as usize) {
        true => Ok(()),
        false => Err(Fault::value(MPI_ERR_COUNT, count_name, count)),
    }
}

/// So many elements in each of so many blocks.
pub(crate) fn checked_total(blocks: usize, count: usize) -> Result<usize, Fault> {
    blocks.checked_mul(count).ok_or_else(|| Fault::value(MPI_ERR_COUNT, "count", count))
}

/// The predefined datatypes.
pub(crate) fn predefined() -> &'static Predefined {
    static PREDEFINED: LazyLock<Predefined> = LazyLock::new(Predefined::default);
    &PREDEFINED
}

/// A count, which is not negative.
#[inline(always)]
pub(crate) fn checked_count(count: i64) -> Result<usize, Fault> {
    usize::try_from(count).map_err(|_| Fault::value(MPI_ERR_COUNT, "count", count))
}

impl Memory {
    /// `count` elements of this layout.
    pub(crate) fn new(address: *mut u8, count: usize, layout: Layout) -> Memory {
        Memory { address, count, layout }
    }

    /// The address of the first element.
    pub(crate) fn address(&self) -> *mut u8 {
        self.address
    }

    /// Memory of this library, which the caller keeps until the operation is complete.
    pub(crate) fn of_bytes(bytes: &mut [u8]) -> Memory {
        Memory { address: bytes.as_mut_ptr(), count: bytes.len(), layout: Layout::Contiguous(1) }
    }

    /// How many bytes its elements have, gaps not counted.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        match &self.layout {
            Layout::Contiguous(size) => size * self.count,
            Layout::Derived(datatype) => datatype.size() * self.count,
        }
    }

    /// The number of elements.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The layout of an element.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Whether both have data, and these begin at the same place: a program has given one memory twice. To ask costs one
    /// comparison where the addresses differ.
    #[inline(always)]
    pub(crate) fn begins_with(&self, other: &Memory) -> bool {
        self.address == other.address && self.data_begin_with(other)
    }

    /// As [`begins_with`](Memory::begins_with), of one address, from which datatypes may have different data.
    #[cold]
    fn data_begin_with(&self, other: &Memory) -> bool {
        let first = |memory: &Memory| memory.layout.bounds(memory.count).0;
        self.bytes() > 0 && other.bytes() > 0 && first(self) == first(other)
    }

    /// Whether both have memory in common, gaps counted.
    pub(crate) fn overlaps(&self, other: &Memory) -> bool {
        let [(begin, end), (its_begin, its_end)] = [self, other].map(|memory| {
            let (lower, upper) = memory.layout.bounds(memory.count);
            let address = memory.address.addr();
            (address.wrapping_add_signed(lower), address.wrapping_add_signed(upper))
        });
        begin < its_end && its_begin < end
    }

    /// `count` elements, from `at` on, which may lie outside of these.
    pub(crate) fn part(&self, at: isize, count: usize) -> Memory {
        let address = self.address.wrapping_offset(at.wrapping_mul(self.layout.extent()));
        Memory { address, count, layout: self.layout.clone() }
    }

    /// All of `number` blocks as large as this one, which is the first.
    pub(crate) fn whole(&self, number: usize) -> Result<Memory, Fault> {
        let count = checked_total(number, self.count)?;
        check_bytes(&self.layout, count, "count")?;
        Ok(self.part(0, count))
    }

    /// Where the bytes are and how many, if they lie together.
    #[inline(always)]
    fn span(&self) -> Option<(*mut u8, usize)> {
        match &self.layout {
            Layout::Contiguous(size) => Some((self.address, size * self.count)),
            Layout::Derived(datatype) => {
                let span = datatype.span(self.count)?;
                // With absolute addresses the program passes null: the offset is the address.
                let address = self.address.expose_provenance().wrapping_add_signed(span.offset);
                Some((std::ptr::with_exposed_provenance_mut(address), span.bytes))
            }
        }
    }

    /// The bytes, if they lie together.
    #[inline(always)]
    pub(crate) fn contiguous(&self) -> Option<&[u8]> {
        match self.span()? {
            (_, 0) => Some(&[]),
            // SAFETY: the program vouches for its memory until the operation is complete.
            (address, bytes) => Some(unsafe { std::slice::from_raw_parts(address, bytes) }),
        }
    }

    /// As [`contiguous`](Memory::contiguous), to be written to.
    #[inline(always)]
    pub(crate) fn contiguous_mut(&mut self) -> Option<&mut [u8]> {
        match self.span()? {
            (_, 0) => Some(&mut []),
            // SAFETY: as above, and the program leaves what is received into alone.
            (address, bytes) => Some(unsafe { std::slice::from_raw_parts_mut(address, bytes) }),
        }
    }

    /// Lets `see` see the bytes, one element after the other without gaps.
    #[inline(always)]
    pub(crate) fn with_bytes<R>(&self, see: impl FnOnce(&[u8]) -> R) -> R {
        match self.contiguous() {
            Some(bytes) => see(bytes),
            None => self.with_packed(see),
        }
    }

    /// As [`with_bytes`](Memory::with_bytes), of memory with gaps.
    fn with_packed<R>(&self, see: impl FnOnce(&[u8]) -> R) -> R {
        see(&self.packed())
    }

    /// A copy of the bytes without gaps, in a room of this library.
    pub(crate) fn packed(&self) -> Bytes {
        let mut bytes = Bytes::new(self.bytes());
        self.pack(&mut bytes);
        bytes
    }

    /// A copy of the bytes without gaps.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        self.pack(&mut bytes);
        bytes
    }

    /// Copies the bytes without gaps to where there is room for just them.
    pub(crate) fn pack(&self, into: &mut [u8]) {
        match (self.span(), &self.layout) {
            (Some((address, count)), _) => {
                let count = count.min(into.len());
                if count > 0 {
                    // SAFETY: the program vouches for its memory. Another process may write to that of a window, so no
                    // slice lies over it.
                    unsafe { move_bytes(address, into.as_mut_ptr(), count) };
                }
            }
            (None, Layout::Contiguous(_)) => {}
            // SAFETY: the program vouches for the memory that its datatype names.
            (None, Layout::Derived(datatype)) => unsafe {
                datatype.pack(self.address, self.count, 0, into);
            },
        }
    }

    /// Puts bytes where they belong, of which the first is that with this index. What lies behind the end is
    /// left out.
    #[inline(always)]
    pub(crate) fn put(&mut self, at: usize, bytes: &[u8]) {
        match self.span() {
            Some((address, room)) => {
                let fit = room.saturating_sub(at).min(bytes.len());
                if fit > 0 {
                    // SAFETY: the program vouches for its memory, which has room for so many. Another process may
                    // write to that of a window, so no slice lies over it.
                    unsafe { move_bytes(bytes.as_ptr(), address.add(at), fit) };
                }
            }
            None => self.unpack(at, bytes),
        }
    }

    fn unpack(&mut self, at: usize, bytes: &[u8]) {
        if let Layout::Derived(datatype) = &self.layout {
            let fit = self.bytes().saturating_sub(at).min(bytes.len());
            // SAFETY: the program vouches for the memory that its datatype names, and leaves it alone.
            unsafe { datatype.unpack(&bytes[..fit], at, self.address, self.count) };
        }
    }

    /// Copies all elements from other memory, as far as there is room.
    pub(crate) fn copy_from(&mut self, other: &Memory) {
        match (self.span(), other.span()) {
            (Some((to, room)), Some((from, bytes))) => {
                // SAFETY: both are memory of the program, of at least so many bytes; they may overlap.
                unsafe { move_bytes(from, to, room.min(bytes)) };
            }
            _ => self.put(0, &other.packed()),
        }
    }
}
