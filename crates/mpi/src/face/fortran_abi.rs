//! What a program may ask of the binary interface itself: sizes of C's types, and what Fortran's are.
//! Source: MPI 5.0, chapter *Application Binary Interface*, sections on querying and setting the Fortran ABI.
//! Rules: Fortran is that of the usual compilers, with four bytes for INTEGER and 1 for a LOGICAL that is true. To set
//! the same is no error; to set another is `MPI_ERR_ABI`.

use super::border::{In, Out};
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use crate::abi::*;
use crate::objects::info::Info;
use std::ffi::c_int;

/// Fortran's types that have a size of their own, with it in bytes.
const SIZES_BYTES: &[(&[u8], usize)] = &[
    (b"mpi_logical_size", 4),
    (b"mpi_integer_size", 4),
    (b"mpi_real_size", 4),
    (b"mpi_double_precision_size", 8),
];

/// Fortran's types that a compiler may lack.
const OPTIONAL: &[(&[u8], MPI_Datatype)] = &[
    (b"mpi_logical1_supported", MPI_LOGICAL1),
    (b"mpi_logical2_supported", MPI_LOGICAL2),
    (b"mpi_logical4_supported", MPI_LOGICAL4),
    (b"mpi_logical8_supported", MPI_LOGICAL8),
    (b"mpi_logical16_supported", MPI_LOGICAL16),
    (b"mpi_integer1_supported", MPI_INTEGER1),
    (b"mpi_integer2_supported", MPI_INTEGER2),
    (b"mpi_integer4_supported", MPI_INTEGER4),
    (b"mpi_integer8_supported", MPI_INTEGER8),
    (b"mpi_integer16_supported", MPI_INTEGER16),
    (b"mpi_real2_supported", MPI_REAL2),
    (b"mpi_real4_supported", MPI_REAL4),
    (b"mpi_real8_supported", MPI_REAL8),
    (b"mpi_real16_supported", MPI_REAL16),
    (b"mpi_complex4_supported", MPI_COMPLEX4),
    (b"mpi_complex8_supported", MPI_COMPLEX8),
    (b"mpi_complex16_supported", MPI_COMPLEX16),
    (b"mpi_complex32_supported", MPI_COMPLEX32),
    (b"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX),
];

impl Library {
    /// What the interface says of Fortran's types.
    fn fortran(&self) -> Result<Info, Fault> {
        let mut info = Info::default();
        for (key, bytes) in SIZES_BYTES {
            info.set(key, bytes.to_string().as_bytes())?;
        }
        for (key, datatype) in OPTIONAL {
            let known: &[u8] = if self.datatype(*datatype).is_ok() { b"true" } else { b"false" };
            info.set(key, known)?;
        }
        Ok(info)
    }
}

/// A LOGICAL of so many bytes, the lowest first.
fn logical(size_bytes: c_int, is_true: bool) -> Result<Vec<u8>, Fault> {
    match size_bytes {
        1 | 2 | 4 | 8 | 16 => {
            let mut bytes = vec![0; usize::try_from(size_bytes).unwrap_or_default()];
            bytes[0] = u8::from(is_true);
            Ok(bytes)
        }
        _ => Err(Fault::value(MPI_ERR_ARG, "logical_size", size_bytes)),
    }
}

/// Writes a LOGICAL.
fn give(value: Out<u8>, argument: &'static str, bytes: &[u8]) -> Result<(), Fault> {
    bytes.iter().enumerate().try_for_each(|(at, byte)| value.set_at(argument, at, *byte))
}

export! {
    /// Says how large C's types are.
    anytime fn MPI_Abi_get_info(library; info: Out<MPI_Info>) {
        let mut sizes = Info::default();
        for (key, bytes) in [
            ("mpi_aint_size", size_of::<MPI_Aint>()),
            ("mpi_count_size", size_of::<MPI_Count>()),
            ("mpi_offset_size", size_of::<MPI_Offset>()),
        ] {
            sizes.set(key.as_bytes(), bytes.to_string().as_bytes())?;
        }
        info.set("info", library.keep_info(sizes)?)
    }

    /// Says which kinds of hardware this process is confined to: the host, by the name that `MPI_Comm_split_type` knows.
    fn MPI_Get_hw_resource_info(library; info: Out<MPI_Info>) {
        let mut hardware = Info::default();
        hardware.set(b"mpi_shared_memory", b"true")?;
        info.set("hw_info", library.keep_info(hardware)?)
    }

    /// Says which types Fortran has.
    anytime fn MPI_Abi_get_fortran_info(library; info: Out<MPI_Info>) {
        info.set("info", library.keep_info(library.fortran()?)?)
    }

    /// Takes what a program says of Fortran's types, if it is as the library has them.
    anytime fn MPI_Abi_set_fortran_info(library; info: MPI_Info) {
        let ours = library.fortran()?;
        for index in 0..c_int::try_from(ours.key_count()).unwrap_or(c_int::MAX) {
            let key = ours.key(index)?;
            let theirs = library.with_info(info, |info| info.value(key).map(|of| of.map(Vec::from)))??;
            if theirs.is_some() && theirs.as_deref() != ours.value(key)? {
                let key = String::from_utf8_lossy(key);
                return Err(Fault::new(MPI_ERR_ABI, format!("{key} is another than this library's")));
            }
        }
        Ok(())
    }

    /// Says what a LOGICAL of some size is when it is true, and when it is false.
    anytime fn MPI_Abi_get_fortran_booleans(
        _library;
        logical_size: c_int,
        logical_true: Out<u8>,
        logical_false: Out<u8>,
        is_set: Out<c_int>,
    ) {
        give(logical_true, "logical_true", &logical(logical_size, true)?)?;
        give(logical_false, "logical_false", &logical(logical_size, false)?)?;
        is_set.set("is_set", 1)
    }

    /// Takes what a program says of LOGICALs, if it is as the library has them.
    anytime fn MPI_Abi_set_fortran_booleans(
        _library;
        logical_size: c_int,
        logical_true: In<u8>,
        logical_false: In<u8>,
    ) {
        for (value, argument, is_true) in
            [(logical_true, "logical_true", true), (logical_false, "logical_false", false)]
        {
            let ours = logical(logical_size, is_true)?;
            if value.slice(argument, ours.len())? != ours {
                return Err(Fault::new(MPI_ERR_ABI, format!("{argument} is another than this library's")));
            }
        }
        Ok(())
    }
}
