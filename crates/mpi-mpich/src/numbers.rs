//! Numbers that stand for something: ranks, tags, codes, keyvals, modes, addresses, and the kinds of things.
//! A function with `_in` makes the library's number of MPICH's, one with `_out` the reverse.
//! Rules: what means nothing in MPICH's interface means nothing to the library, which refuses it.

use crate::abi::*;
use crate::tables;
use std::ffi::{c_int, c_void};
use std::ptr::{null_mut, without_provenance_mut};

/// What no constant is, of any group in `groups`.
const NOTHING: c_int = -1;

/// Defines both ways of groups that are tables and no more.
macro_rules! groups {
    ($($in:ident = $from:ident, $out:ident = $to:ident;)+) => {$(
        #[allow(dead_code)]
        pub(crate) fn $in(value: c_int) -> c_int {
            tables::$from(value).unwrap_or(NOTHING)
        }

        #[allow(dead_code)]
        pub(crate) fn $out(value: c_int) -> c_int {
            tables::$to(value).unwrap_or(value)
        }
    )+};
}

groups! {
    thread_in = thread_from, thread_out = thread_to;
    order_in = order_from, order_out = order_to;
    distribution_in = distribution_from, distribution_out = distribution_to;
    combiner_in = combiner_from, combiner_out = combiner_to;
    typeclass_in = typeclass_from, typeclass_out = typeclass_to;
    comparison_in = comparison_from, comparison_out = comparison_to;
    topology_in = topology_from, topology_out = topology_to;
    lock_in = lock_from, lock_out = lock_to;
    whence_in = whence_from, whence_out = whence_to;
    verbosity_in = verbosity_from, verbosity_out = verbosity_to;
    binding_in = binding_from, binding_out = binding_to;
    scope_in = scope_from, scope_out = scope_to;
    variable_in = variable_from, variable_out = variable_to;
    source_in = source_from, source_out = source_to;
}

/// A way to split; no way at all is a way.
pub(crate) fn split_in(value: c_int) -> c_int {
    if value == MPI_UNDEFINED { value } else { tables::split_from(value).unwrap_or(NOTHING) }
}

/// A rank, or what stands for one or none.
#[inline(always)]
pub(crate) fn rank_in(rank: c_int) -> c_int {
    const ANY_SOURCE: c_int = tables::MPI_ANY_SOURCE as c_int;
    const PROC_NULL: c_int = tables::MPI_PROC_NULL as c_int;
    const ROOT: c_int = tables::MPI_ROOT as c_int;
    match rank {
        0.. => rank,
        ANY_SOURCE => MPI_ANY_SOURCE,
        PROC_NULL => MPI_PROC_NULL,
        ROOT => MPI_ROOT,
        // It would mean something to the library.
        MPI_ROOT => MPI_ROOT - 1,
        _ => rank,
    }
}

/// As [`rank_in`], the reverse.
#[inline(always)]
pub(crate) fn rank_out(rank: c_int) -> c_int {
    match rank {
        MPI_ANY_SOURCE => tables::MPI_ANY_SOURCE as c_int,
        MPI_PROC_NULL => tables::MPI_PROC_NULL as c_int,
        MPI_ROOT => tables::MPI_ROOT as c_int,
        _ => rank,
    }
}

/// A tag, or any.
#[inline(always)]
pub(crate) fn tag_in(tag: c_int) -> c_int {
    const ANY_TAG: c_int = tables::MPI_ANY_TAG as c_int;
    match tag {
        ANY_TAG => MPI_ANY_TAG,
        // It would mean something to the library.
        MPI_ANY_TAG => MPI_ANY_TAG - 1,
        _ => tag,
    }
}

/// As [`tag_in`], the reverse.
#[inline(always)]
pub(crate) fn tag_out(tag: c_int) -> c_int {
    if tag == MPI_ANY_TAG { tables::MPI_ANY_TAG as c_int } else { tag }
}

/// The last class of MPICH's interface; codes of programs lie above it.
const LAST_CODE: c_int = tables::MPI_ERR_LASTCODE as c_int;

/// An error class or code.
pub(crate) fn code_in(code: c_int) -> c_int {
    match code {
        0 => MPI_SUCCESS,
        LAST_CODE.. => code - LAST_CODE + MPI_ERR_LASTCODE,
        _ => tables::error_from(code).unwrap_or(NOTHING),
    }
}

/// As [`code_in`], the reverse.
#[inline(always)]
pub(crate) fn code_out(code: c_int) -> c_int {
    /// What is no success.
    #[cold]
    fn of_failure(code: c_int) -> c_int {
        match code {
            MPI_ERR_LASTCODE.. => (code - MPI_ERR_LASTCODE).saturating_add(LAST_CODE),
            _ => tables::error_to(code).unwrap_or(tables::MPI_ERR_UNKNOWN as c_int),
        }
    }
    if code == MPI_SUCCESS { code } else { of_failure(code) }
}

/// The upper bits of a keyval that a program made.
const MADE_KEYVAL: c_int = 0xa400_0000_u32 as c_int;

/// Keyvals below are the library's own.
const FIRST_KEYVAL: c_int = 1 << 10;

/// A keyval.
pub(crate) fn keyval_in(keyval: c_int) -> c_int {
    match tables::keyval_from(keyval) {
        Some(predefined) => predefined,
        None if keyval ^ MADE_KEYVAL >= FIRST_KEYVAL => keyval ^ MADE_KEYVAL,
        None => NOTHING,
    }
}

/// As [`keyval_in`], the reverse.
pub(crate) fn keyval_out(keyval: c_int) -> c_int {
    tables::keyval_to(keyval).unwrap_or(keyval ^ MADE_KEYVAL)
}

/// Modes, which are sums of bits.
pub(crate) fn mode_in(mode: c_int) -> c_int {
    /// A mode that neither interface has.
    const NO_MODE: c_int = 1 << 30;
    let known = tables::MODES.iter().filter(|(_, theirs)| mode & theirs != 0);
    let (ours, theirs) = known.fold((0, 0), |sum, pair| (sum.0 | pair.0, sum.1 | pair.1));
    if theirs == mode { ours } else { ours | NO_MODE }
}

/// As [`mode_in`], the reverse.
pub(crate) fn mode_out(mode: c_int) -> c_int {
    let known = tables::MODES.iter().filter(|(ours, _)| mode & ours != 0);
    known.fold(0, |sum, (_, theirs)| sum | theirs)
}

/// The argument of a distribution. The standard has given the default a number that is also a size of blocks, which
/// cannot be asked for then.
pub(crate) fn darg_in(argument: c_int) -> c_int {
    const DEFAULT: c_int = tables::MPI_DISTRIBUTE_DFLT_DARG as c_int;
    match argument {
        DEFAULT => MPI_DISTRIBUTE_DFLT_DARG,
        MPI_DISTRIBUTE_DFLT_DARG => NOTHING,
        _ => argument,
    }
}

/// As [`darg_in`], the reverse.
pub(crate) fn darg_out(argument: c_int) -> c_int {
    match argument {
        MPI_DISTRIBUTE_DFLT_DARG => tables::MPI_DISTRIBUTE_DFLT_DARG as c_int,
        _ => argument,
    }
}

/// A buffer, or an address that stands for a choice.
#[inline(always)]
pub(crate) fn buffer_in<P: Pointer>(buffer: P) -> P {
    // Both choices lie at the end of all addresses.
    match buffer.number().cast_signed() as i64 {
        tables::MPI_IN_PLACE => P::from_number(MPI_IN_PLACE.0),
        tables::MPI_BUFFER_AUTOMATIC => P::from_number(MPI_BUFFER_AUTOMATIC.0),
        _ => buffer,
    }
}

/// A pointer to memory that the library reads, or writes to.
pub(crate) trait Pointer: Copy {
    /// Its address.
    fn number(self) -> usize;
    /// An address that nobody follows.
    fn from_number(number: usize) -> Self;
}

impl Pointer for *const c_void {
    fn number(self) -> usize {
        self.addr()
    }

    fn from_number(number: usize) -> Self {
        std::ptr::without_provenance(number)
    }
}

impl Pointer for *mut c_void {
    fn number(self) -> usize {
        self.addr()
    }

    fn from_number(number: usize) -> Self {
        without_provenance_mut(number)
    }
}

/// Whether a buffer is MPI_IN_PLACE.
pub(crate) fn is_in_place(buffer: *const c_void) -> bool {
    buffer.addr().cast_signed() as i64 == tables::MPI_IN_PLACE
}

/// Makes what the library has written to `place` the program's: the address of a buffer.
///
/// # Safety
///
/// The place has an address.
pub(crate) unsafe fn buffer_out(place: *mut c_void) {
    let place = place.cast::<*mut c_void>();
    // SAFETY: the caller vouches for the place.
    unsafe {
        if MPI_BUFFER_AUTOMATIC.is(*place) {
            *place = without_provenance_mut(tables::MPI_BUFFER_AUTOMATIC as isize as usize);
        }
    }
}

/// Where a program has a number that the library reads and writes.
pub(crate) struct Number {
    raw: *mut c_int,
    value: c_int,
}

impl Number {
    /// Reads it.
    ///
    /// # Safety
    ///
    /// The place has a number, or is null.
    pub(crate) unsafe fn read(raw: *mut c_int, convert: fn(c_int) -> c_int) -> Number {
        // SAFETY: the caller vouches for the place.
        let value = if raw.is_null() { NOTHING } else { convert(unsafe { *raw }) };
        Number { raw, value }
    }

    /// For the library: null, if the program's is.
    pub(crate) fn address(&mut self) -> *mut c_int {
        if self.raw.is_null() { null_mut() } else { &raw mut self.value }
    }

    /// Writes it.
    ///
    /// # Safety
    ///
    /// The place can be written to, or is null.
    pub(crate) unsafe fn write(&self, convert: fn(c_int) -> c_int) {
        if !self.raw.is_null() && self.value != NOTHING {
            // SAFETY: the caller vouches for the place.
            unsafe { *self.raw = convert(self.value) };
        }
    }
}
