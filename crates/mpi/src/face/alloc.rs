//! Memory that a program gets of the library.
//! Source: MPI 5.0, section *Memory Allocation*.
//! Rules: it is aligned for every type of C, and its size stands in front of it.

use super::border::Out;
use super::export::export;
use super::fault::Fault;
use crate::abi::*;
use std::alloc::{Layout, alloc, dealloc};
use std::ffi::c_void;

/// As much as a cache line, so that no allocation shares one with its size.
const ALIGNMENT: usize = 64;

/// The memory of an allocation of this size, with room for the size in front.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(ALIGNMENT)?, ALIGNMENT).ok()
}

export! {
    /// Allocates memory.
    fn MPI_Alloc_mem(library; size: MPI_Aint, info: MPI_Info, baseptr: Out<*mut c_void>) {
        library.check_hints(info)?;
        let bytes = usize::try_from(size).map_err(|_| Fault::value(MPI_ERR_ARG, "size", size))?;
        let refused = || Fault::new(MPI_ERR_NO_MEM, format!("there are no {bytes} bytes of memory"));
        let layout = layout(bytes).ok_or_else(refused)?;
        // SAFETY: the layout has a size, and the size fits in front of what the program gets.
        let address = unsafe {
            let start = alloc(layout);
            if start.is_null() {
                return Err(refused());
            }
            start.cast::<usize>().write(bytes);
            start.add(ALIGNMENT)
        };
        baseptr.set("baseptr", address.cast())
    }

    /// Frees memory that `MPI_Alloc_mem` has given.
    fn MPI_Free_mem(_library; base: Out<c_void>) {
        if base.is_null() {
            return Ok(());
        }
        // SAFETY: the program vouches for an address that it was given, so the size stands before it.
        unsafe {
            let start = base.address().cast::<u8>().sub(ALIGNMENT);
            if let Some(layout) = layout(start.cast::<usize>().read()) {
                dealloc(start, layout);
            }
        }
        Ok(())
    }
}
