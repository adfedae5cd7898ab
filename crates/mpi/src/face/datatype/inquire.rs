//! What programs ask of a datatype: sizes, bounds, names, and how it was made.
//! Source: MPI 5.0, sections *Datatype Extents*, *Decoding a Datatype* and *Naming Objects*.
//! Rules: what does not fit an `int` is `MPI_UNDEFINED`; a datatype in the contents gets a handle of its own.

use super::super::border::{In, Out};
use super::super::export::export;
use super::super::fault::Fault;
use super::super::library::Library;
use super::{array_length, narrow, wide};
use crate::abi::*;
use crate::datatype::{Contents, Datatype, Envelope, TypeError};
use std::ffi::{c_char, c_int};
use std::sync::Arc;

/// Writes a list into an array of at least as many elements.
fn fill<T: Copy>(
    argument: &'static str,
    array: Out<T>,
    room: impl Into<i64>,
    values: &[T],
) -> Result<(), Fault> {
    let room = array_length(argument, room)?;
    if room < values.len() {
        let expected = values.len();
        let message = format!("{argument} has room for {room} elements: expected {expected}");
        return Err(Fault::new(MPI_ERR_ARG, message));
    }
    values.iter().enumerate().try_for_each(|(at, value)| array.set_at(argument, at, *value))
}

/// The contents of a datatype, which a named predefined one does not have.
fn contents_of(datatype: &Arc<Datatype>) -> Result<&Contents, Fault> {
    datatype.contents().ok_or_else(|| Fault::from(TypeError::Predefined))
}

/// The same for the function with `int`s, which cannot tell large counts.
fn small_envelope(datatype: &Datatype) -> Result<Envelope, Fault> {
    let envelope = datatype.envelope();
    if envelope.large_counts > 0 {
        return Err(Fault::from(TypeError::LargeCounts));
    }
    Ok(envelope)
}

impl Library {
    /// Writes handles of the old datatypes in the contents.
    fn fill_datatypes(
        &self,
        array: Out<MPI_Datatype>,
        room: impl Into<i64>,
        datatypes: &[Arc<Datatype>],
    ) -> Result<(), Fault> {
        // The room is checked before any handle is made.
        fill("array_of_datatypes", array, room, &vec![MPI_DATATYPE_NULL; datatypes.len()])?;
        for (at, datatype) in datatypes.iter().enumerate() {
            array.set_at("array_of_datatypes", at, self.handle_of(datatype)?)?;
        }
        Ok(())
    }

    fn type_size(&self, datatype: MPI_Datatype) -> Result<MPI_Count, Fault> {
        Ok(wide(self.datatype(datatype)?.size()))
    }
}

export! {
    /// The bytes of the data of one.
    fn MPI_Type_size() and fn MPI_Type_size_c(library; datatype: MPI_Datatype, size: Out<Count>) {
        size.set("size", narrow(Some(library.type_size(datatype)?)))
    }

    /// The older name of the form with large counts.
    fn MPI_Type_size_x(library; datatype: MPI_Datatype, size: Out<MPI_Count>) {
        size.set("size", library.type_size(datatype)?)
    }

    /// Lower bound and extent.
    fn MPI_Type_get_extent(library; datatype: MPI_Datatype, lb: Out<MPI_Aint>, extent: Out<MPI_Aint>) {
        library.tell_extent(datatype, lb, extent, |bound| bound as MPI_Aint)
    }

    /// The form with large counts.
    fn MPI_Type_get_extent_c(library; datatype: MPI_Datatype, lb: Out<MPI_Count>, extent: Out<MPI_Count>) {
        library.tell_extent(datatype, lb, extent, |bound| bound)
    }

    /// Its older name.
    fn MPI_Type_get_extent_x(library; datatype: MPI_Datatype, lb: Out<MPI_Count>, extent: Out<MPI_Count>) {
        library.tell_extent(datatype, lb, extent, |bound| bound)
    }

    /// True lower bound and true extent: those of the data.
    fn MPI_Type_get_true_extent(library; datatype: MPI_Datatype, true_lb: Out<MPI_Aint>, true_extent: Out<MPI_Aint>) {
        library.tell_true_extent(datatype, true_lb, true_extent, |bound| bound as MPI_Aint)
    }

    /// The form with large counts.
    fn MPI_Type_get_true_extent_c(library; datatype: MPI_Datatype, true_lb: Out<MPI_Count>, true_extent: Out<MPI_Count>) {
        library.tell_true_extent(datatype, true_lb, true_extent, |bound| bound)
    }

    /// Its older name.
    fn MPI_Type_get_true_extent_x(library; datatype: MPI_Datatype, true_lb: Out<MPI_Count>, true_extent: Out<MPI_Count>) {
        library.tell_true_extent(datatype, true_lb, true_extent, |bound| bound)
    }

    /// The name, at first that of the constant or nothing. The null handle has one too.
    fn MPI_Type_get_name(library; datatype: MPI_Datatype, type_name: Out<c_char>, resultlen: Out<c_int>) {
        let name = match datatype {
            MPI_DATATYPE_NULL => b"MPI_DATATYPE_NULL".to_vec(),
            _ => library.datatype(datatype)?.name(),
        };
        type_name.set_bytes("type_name", &name)?;
        resultlen.set("resultlen", name.len() as c_int)
    }

    /// Gives a name.
    fn MPI_Type_set_name(library; datatype: MPI_Datatype, type_name: In<c_char>) {
        let datatype = library.datatype(datatype)?;
        datatype.set_name(type_name.bytes("type_name")?);
        Ok(())
    }

    /// How many arguments made it.
    fn MPI_Type_get_envelope(library; datatype: MPI_Datatype, num_integers: Out<c_int>, num_addresses: Out<c_int>, num_datatypes: Out<c_int>, combiner: Out<c_int>) {
        let datatype = library.datatype(datatype)?;
        let envelope = small_envelope(&datatype)?;
        num_integers.set("num_integers", narrow(Some(wide(envelope.integers))))?;
        num_addresses.set("num_addresses", narrow(Some(wide(envelope.addresses))))?;
        num_datatypes.set("num_datatypes", narrow(Some(wide(envelope.datatypes))))?;
        combiner.set("combiner", envelope.combiner)
    }

    /// The form with large counts.
    fn MPI_Type_get_envelope_c(library; datatype: MPI_Datatype, num_integers: Out<MPI_Count>, num_addresses: Out<MPI_Count>, num_large_counts: Out<MPI_Count>, num_datatypes: Out<MPI_Count>, combiner: Out<c_int>) {
        let envelope = library.datatype(datatype)?.envelope();
        num_integers.set("num_integers", wide(envelope.integers))?;
        num_addresses.set("num_addresses", wide(envelope.addresses))?;
        num_large_counts.set("num_large_counts", wide(envelope.large_counts))?;
        num_datatypes.set("num_datatypes", wide(envelope.datatypes))?;
        combiner.set("combiner", envelope.combiner)
    }

    /// The arguments that made it.
    fn MPI_Type_get_contents(library; datatype: MPI_Datatype, max_integers: c_int, max_addresses: c_int, max_datatypes: c_int, array_of_integers: Out<c_int>, array_of_addresses: Out<MPI_Aint>, array_of_datatypes: Out<MPI_Datatype>) {
        let datatype = library.datatype(datatype)?;
        small_envelope(&datatype)?;
        let contents = contents_of(&datatype)?;
        fill("array_of_integers", array_of_integers, max_integers, &contents.integers)?;
        fill("array_of_addresses", array_of_addresses, max_addresses, &contents.addresses)?;
        library.fill_datatypes(array_of_datatypes, max_datatypes, &contents.datatypes)
    }

    /// The form with large counts.
    fn MPI_Type_get_contents_c(library; datatype: MPI_Datatype, max_integers: MPI_Count, max_addresses: MPI_Count, max_large_counts: MPI_Count, max_datatypes: MPI_Count, array_of_integers: Out<c_int>, array_of_addresses: Out<MPI_Aint>, array_of_large_counts: Out<MPI_Count>, array_of_datatypes: Out<MPI_Datatype>) {
        let datatype = library.datatype(datatype)?;
        let contents = contents_of(&datatype)?;
        fill("array_of_integers", array_of_integers, max_integers, &contents.integers)?;
        fill("array_of_addresses", array_of_addresses, max_addresses, &contents.addresses)?;
        fill("array_of_large_counts", array_of_large_counts, max_large_counts, &contents.large_counts)?;
        library.fill_datatypes(array_of_datatypes, max_datatypes, &contents.datatypes)
    }
}

impl Library {
    /// Tells lower bound and extent.
    fn tell_extent<T>(
        &self,
        datatype: MPI_Datatype,
        lb: Out<T>,
        extent: Out<T>,
        as_told: impl Fn(i64) -> T,
    ) -> Result<(), Fault> {
        let datatype = self.datatype(datatype)?;
        lb.set("lb", as_told(datatype.lb()))?;
        extent.set("extent", as_told(datatype.extent()))
    }

    /// Tells true lower bound and true extent.
    fn tell_true_extent<T>(
        &self,
        datatype: MPI_Datatype,
        true_lb: Out<T>,
        true_extent: Out<T>,
        as_told: impl Fn(i64) -> T,
    ) -> Result<(), Fault> {
        let datatype = self.datatype(datatype)?;
        true_lb.set("true_lb", as_told(datatype.true_lb()))?;
        true_extent.set("true_extent", as_told(datatype.true_extent()))
    }
}
