//! Packing into memory of the program, and unpacking.
//! Source: MPI 5.0, sections *Pack and Unpack* and *Canonical MPI_PACK and MPI_UNPACK*.
//! Rules: packed data is the elements without gaps, as a message carries them; nothing goes before or behind.

use super::super::border::{In, Out};
use super::super::export::export;
use super::super::fault::Fault;
use super::super::library::Library;
use super::{array_length, length_of, narrow, wide};
use crate::abi::*;
use crate::datatype::{Datatype, TypeError};
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

/// The data of the program: address, count, datatype.
struct Data {
    memory: *mut u8,
    count: usize,
    datatype: Arc<Datatype>,
}

/// The part of a buffer from a position on.
struct Position {
    /// Where it begins in the buffer.
    at: usize,
    /// How many bytes the buffer has from there.
    left: usize,
}

impl Position {
    fn new(
        at: impl Into<i64>,
        argument: &'static str,
        size: impl Into<i64>,
    ) -> Result<Position, Fault> {
        let size = array_length(argument, size)?;
        let at = array_length("position", at)?;
        match size.checked_sub(at) {
            Some(left) => Ok(Position { at, left }),
            None => {
                Err(Fault::new(MPI_ERR_ARG, format!("position is {at}, behind the {size} bytes")))
            }
        }
    }

    /// The position behind so many bytes more.
    fn after<P: TryFrom<i64>>(&self, bytes: usize) -> Result<P, Fault> {
        let behind = wide(self.at + bytes);
        P::try_from(behind).map_err(|_| Fault::value(MPI_ERR_VALUE_TOO_LARGE, "position", behind))
    }
}

impl Library {
    /// The data that is packed, or the room that is unpacked into.
    fn data(
        &self,
        memory: *const c_void,
        argument: &'static str,
        count: impl Into<i64>,
        datatype: MPI_Datatype,
    ) -> Result<Data, Fault> {
        let count = length_of(argument, count)?;
        let datatype = self.committed(datatype)?;
        if memory.is_null() && count > 0 && datatype.size() > 0 && datatype.handle().is_some() {
            return Err(Fault::new(MPI_ERR_BUFFER, "the buffer is a null pointer"));
        }
        Ok(Data { memory: memory.cast_mut().cast(), count, datatype })
    }
}

/// Packs at a position; returns how many bytes.
fn pack(data: &Data, buffer: Out<c_void>, position: &Position) -> Result<usize, Fault> {
    let needed = data.datatype.packed_bytes(data.count)?;
    if needed > position.left {
        return Err(Fault::from(TypeError::Room { needed, room: position.left }));
    }
    let room = room(buffer, position, needed)?;
    // SAFETY: the caller in C vouches for the data.
    unsafe { data.datatype.pack(data.memory, data.count, 0, room) };
    Ok(needed)
}

/// Unpacks from a position; returns how many bytes.
fn unpack(data: &Data, buffer: In<c_void>, position: &Position) -> Result<usize, Fault> {
    let needed = data.datatype.packed_bytes(data.count)?;
    if needed > position.left {
        return Err(Fault::from(TypeError::Truncated { needed, present: position.left }));
    }
    let packed = packed(buffer, position, needed)?;
    // SAFETY: the caller in C vouches for the memory.
    unsafe { data.datatype.unpack(packed, 0, data.memory, data.count) };
    Ok(needed)
}

/// So many bytes of a buffer that is written to.
fn room(
    buffer: Out<c_void>,
    position: &Position,
    bytes: usize,
) -> Result<&'static mut [u8], Fault> {
    if bytes == 0 {
        return Ok(&mut []);
    }
    if buffer.is_null() {
        return Err(Fault::new(MPI_ERR_BUFFER, "outbuf is a null pointer"));
    }
    // SAFETY: the caller in C vouches for a buffer of the size that it tells, which has these bytes.
    Ok(unsafe {
        std::slice::from_raw_parts_mut(buffer.address().cast::<u8>().add(position.at), bytes)
    })
}

/// So many bytes of a buffer that is read.
fn packed(buffer: In<c_void>, position: &Position, bytes: usize) -> Result<&'static [u8], Fault> {
    if bytes == 0 {
        return Ok(&[]);
    }
    if buffer.is_null() {
        return Err(Fault::new(MPI_ERR_BUFFER, "inbuf is a null pointer"));
    }
    // SAFETY: as above.
    Ok(unsafe { std::slice::from_raw_parts(buffer.address().cast::<u8>().add(position.at), bytes) })
}

/// Packs in external32; returns how many bytes.
fn pack_external(data: &Data, buffer: Out<c_void>, position: &Position) -> Result<usize, Fault> {
    let needed = data.datatype.external_bytes(data.count)?;
    if needed > position.left {
        return Err(Fault::from(TypeError::Room { needed, room: position.left }));
    }
    let room = room(buffer, position, needed)?;
    // SAFETY: the caller in C vouches for the data.
    Ok(unsafe { data.datatype.pack_external(data.memory, data.count, room) }?)
}

/// Unpacks from external32; returns how many bytes.
fn unpack_external(data: &Data, buffer: In<c_void>, position: &Position) -> Result<usize, Fault> {
    let needed = data.datatype.external_bytes(data.count)?;
    if needed > position.left {
        return Err(Fault::from(TypeError::Truncated { needed, present: position.left }));
    }
    let packed = packed(buffer, position, needed)?;
    // SAFETY: the caller in C vouches for the memory.
    Ok(unsafe { data.datatype.unpack_external(packed, data.memory, data.count) }?)
}

/// The one representation that there is.
fn check_representation(datarep: In<c_char>) -> Result<(), Fault> {
    match datarep.string("datarep")?.as_str() {
        "external32" => Ok(()),
        other => {
            let message = format!("datarep is {other:?}: expected \"external32\"");
            Err(Fault::new(MPI_ERR_ARG, message))
        }
    }
}

export! {
    /// Packs behind what was packed before.
    fn MPI_Pack() and fn MPI_Pack_c(library; inbuf: In<c_void>, incount: Count, datatype: MPI_Datatype, outbuf: Out<c_void>, outsize: Count, position: Out<Count>, comm: MPI_Comm) on comm {
        library.comm(comm)?;
        let data = library.data(inbuf.address(), "incount", incount, datatype)?;
        let from = Position::new(position.value("position")?, "outsize", outsize)?;
        position.set("position", from.after(pack(&data, outbuf, &from)?)?)
    }

    /// Unpacks what lies behind what was unpacked before.
    fn MPI_Unpack() and fn MPI_Unpack_c(library; inbuf: In<c_void>, insize: Count, position: Out<Count>, outbuf: Out<c_void>, outcount: Count, datatype: MPI_Datatype, comm: MPI_Comm) on comm {
        library.comm(comm)?;
        let data = library.data(outbuf.address(), "outcount", outcount, datatype)?;
        let from = Position::new(position.value("position")?, "insize", insize)?;
        position.set("position", from.after(unpack(&data, inbuf, &from)?)?)
    }

    /// How much room packed data takes at most.
    fn MPI_Pack_size() and fn MPI_Pack_size_c(library; incount: Count, datatype: MPI_Datatype, comm: MPI_Comm, size: Out<Count>) on comm {
        library.comm(comm)?;
        let (count, datatype) = (length_of("incount", incount)?, library.committed(datatype)?);
        size.set("size", narrow(Some(wide(datatype.packed_bytes(count)?))))
    }

    /// Packs in external32.
    fn MPI_Pack_external(library; datarep: In<c_char>, inbuf: In<c_void>, incount: c_int, datatype: MPI_Datatype, outbuf: Out<c_void>, outsize: MPI_Aint, position: Out<MPI_Aint>) {
        check_representation(datarep)?;
        let data = library.data(inbuf.address(), "incount", incount, datatype)?;
        let from = Position::new(position.value("position")? as i64, "outsize", outsize as i64)?;
        position.set("position", from.after::<i64>(pack_external(&data, outbuf, &from)?)? as MPI_Aint)
    }

    /// The form with large counts.
    fn MPI_Pack_external_c(library; datarep: In<c_char>, inbuf: In<c_void>, incount: MPI_Count, datatype: MPI_Datatype, outbuf: Out<c_void>, outsize: MPI_Count, position: Out<MPI_Count>) {
        check_representation(datarep)?;
        let data = library.data(inbuf.address(), "incount", incount, datatype)?;
        let from = Position::new(position.value("position")?, "outsize", outsize)?;
        position.set("position", from.after(pack_external(&data, outbuf, &from)?)?)
    }

    /// Unpacks from external32.
    fn MPI_Unpack_external(library; datarep: In<c_char>, inbuf: In<c_void>, insize: MPI_Aint, position: Out<MPI_Aint>, outbuf: Out<c_void>, outcount: c_int, datatype: MPI_Datatype) {
        check_representation(datarep)?;
        let data = library.data(outbuf.address(), "outcount", outcount, datatype)?;
        let from = Position::new(position.value("position")? as i64, "insize", insize as i64)?;
        position.set("position", from.after::<i64>(unpack_external(&data, inbuf, &from)?)? as MPI_Aint)
    }

    /// The form with large counts.
    fn MPI_Unpack_external_c(library; datarep: In<c_char>, inbuf: In<c_void>, insize: MPI_Count, position: Out<MPI_Count>, outbuf: Out<c_void>, outcount: MPI_Count, datatype: MPI_Datatype) {
        check_representation(datarep)?;
        let data = library.data(outbuf.address(), "outcount", outcount, datatype)?;
        let from = Position::new(position.value("position")?, "insize", insize)?;
        position.set("position", from.after(unpack_external(&data, inbuf, &from)?)?)
    }

    /// How much room data takes in external32.
    fn MPI_Pack_external_size(library; datarep: In<c_char>, incount: c_int, datatype: MPI_Datatype, size: Out<MPI_Aint>) {
        check_representation(datarep)?;
        let (count, datatype) = (length_of("incount", incount)?, library.committed(datatype)?);
        size.set("size", wide(datatype.external_bytes(count)?) as MPI_Aint)
    }

    /// The form with large counts.
    fn MPI_Pack_external_size_c(library; datarep: In<c_char>, incount: MPI_Count, datatype: MPI_Datatype, size: Out<MPI_Count>) {
        check_representation(datarep)?;
        let (count, datatype) = (length_of("incount", incount)?, library.committed(datatype)?);
        size.set("size", wide(datatype.external_bytes(count)?))
    }
}
