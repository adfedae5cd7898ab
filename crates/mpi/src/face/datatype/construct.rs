//! Making, committing and freeing datatypes.
//! Source: MPI 5.0, sections *Datatype Constructors* to *Duplicating a Datatype*.
//! Rules: arguments are checked where the datatype is made; here are arrays and handles only.

use super::super::border::{In, Out};
use super::super::export::export;
use super::super::fault::Fault;
use super::super::library::Library;
use super::{array_length, length_of};
use crate::abi::*;
use crate::datatype::{Count as AnyCount, Datatype, TypeError};
use crate::objects::attribute::Kind;
use std::ffi::c_int;
use std::sync::Arc;

impl Library {
    /// Gives the program a handle of what was made.
    fn hand_out(
        &self,
        made: Result<Arc<Datatype>, TypeError>,
        newtype: Out<MPI_Datatype>,
    ) -> Result<(), Fault> {
        newtype.set("newtype", self.keep_datatype(made?)?)
    }
}

export! {
    /// Copies in a row.
    fn MPI_Type_contiguous() and fn MPI_Type_contiguous_c(library; count: Count, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let old = library.named_datatype("oldtype", oldtype)?;
        library.hand_out(Datatype::contiguous(count, &old), newtype)
    }

    /// Equal blocks, the stride in elements.
    fn MPI_Type_vector() and fn MPI_Type_vector_c(library; count: Count, blocklength: Count, stride: Count, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let old = library.named_datatype("oldtype", oldtype)?;
        library.hand_out(Datatype::vector(count, blocklength, stride, &old), newtype)
    }

    /// Equal blocks, the stride in bytes.
    fn MPI_Type_create_hvector() and fn MPI_Type_create_hvector_c(library; count: Count, blocklength: Count, stride: <Count as AnyCount>::Address, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let old = library.named_datatype("oldtype", oldtype)?;
        library.hand_out(Datatype::hvector(count, blocklength, stride, &old), newtype)
    }

    /// Blocks of their own lengths, displacements in elements.
    fn MPI_Type_indexed() and fn MPI_Type_indexed_c(library; count: Count, array_of_blocklengths: In<Count>, array_of_displacements: In<Count>, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let (old, count) = (library.named_datatype("oldtype", oldtype)?, length_of("count", count)?);
        let lengths = array_of_blocklengths.slice("array_of_blocklengths", count)?;
        let displacements = array_of_displacements.slice("array_of_displacements", count)?;
        library.hand_out(Datatype::indexed(lengths, displacements, &old), newtype)
    }

    /// Blocks of their own lengths, displacements in bytes.
    fn MPI_Type_create_hindexed() and fn MPI_Type_create_hindexed_c(library; count: Count, array_of_blocklengths: In<Count>, array_of_displacements: In<<Count as AnyCount>::Address>, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let (old, count) = (library.named_datatype("oldtype", oldtype)?, length_of("count", count)?);
        let lengths = array_of_blocklengths.slice("array_of_blocklengths", count)?;
        let displacements = array_of_displacements.slice("array_of_displacements", count)?;
        library.hand_out(Datatype::hindexed(lengths, displacements, &old), newtype)
    }

    /// Blocks of one length, displacements in elements.
    fn MPI_Type_create_indexed_block() and fn MPI_Type_create_indexed_block_c(library; count: Count, blocklength: Count, array_of_displacements: In<Count>, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let (old, count) = (library.named_datatype("oldtype", oldtype)?, length_of("count", count)?);
        let displacements = array_of_displacements.slice("array_of_displacements", count)?;
        library.hand_out(Datatype::indexed_block(blocklength, displacements, &old), newtype)
    }

    /// Blocks of one length, displacements in bytes.
    fn MPI_Type_create_hindexed_block() and fn MPI_Type_create_hindexed_block_c(library; count: Count, blocklength: Count, array_of_displacements: In<<Count as AnyCount>::Address>, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let (old, count) = (library.named_datatype("oldtype", oldtype)?, length_of("count", count)?);
        let displacements = array_of_displacements.slice("array_of_displacements", count)?;
        library.hand_out(Datatype::hindexed_block(blocklength, displacements, &old), newtype)
    }

    /// Blocks of their own lengths and datatypes, displacements in bytes.
    fn MPI_Type_create_struct() and fn MPI_Type_create_struct_c(library; count: Count, array_of_blocklengths: In<Count>, array_of_displacements: In<<Count as AnyCount>::Address>, array_of_types: In<MPI_Datatype>, newtype: Out<MPI_Datatype>) {
        let count = length_of("count", count)?;
        let lengths = array_of_blocklengths.slice("array_of_blocklengths", count)?;
        let displacements = array_of_displacements.slice("array_of_displacements", count)?;
        let handles = array_of_types.slice("array_of_types", count)?.iter();
        let types: Result<Vec<_>, _> =
            handles.map(|handle| library.named_datatype("array_of_types", *handle)).collect();
        library.hand_out(Datatype::structure(lengths, displacements, &types?), newtype)
    }

    /// A box out of an array.
    fn MPI_Type_create_subarray() and fn MPI_Type_create_subarray_c(library; ndims: c_int, array_of_sizes: In<Count>, array_of_subsizes: In<Count>, array_of_starts: In<Count>, order: c_int, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let (old, ndims) = (library.named_datatype("oldtype", oldtype)?, array_length("ndims", ndims)?);
        let sizes = array_of_sizes.slice("array_of_sizes", ndims)?;
        let subsizes = array_of_subsizes.slice("array_of_subsizes", ndims)?;
        let starts = array_of_starts.slice("array_of_starts", ndims)?;
        library.hand_out(Datatype::subarray(sizes, subsizes, starts, order, &old), newtype)
    }

    /// A process's share of a distributed array.
    fn MPI_Type_create_darray() and fn MPI_Type_create_darray_c(library; size: c_int, rank: c_int, ndims: c_int, array_of_gsizes: In<Count>, array_of_distribs: In<c_int>, array_of_dargs: In<c_int>, array_of_psizes: In<c_int>, order: c_int, oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let (old, ndims) = (library.named_datatype("oldtype", oldtype)?, array_length("ndims", ndims)?);
        let gsizes = array_of_gsizes.slice("array_of_gsizes", ndims)?;
        let distribs = array_of_distribs.slice("array_of_distribs", ndims)?;
        let dargs = array_of_dargs.slice("array_of_dargs", ndims)?;
        let psizes = array_of_psizes.slice("array_of_psizes", ndims)?;
        let made = Datatype::darray(size, rank, gsizes, distribs, dargs, psizes, order, &old);
        library.hand_out(made, newtype)
    }

    /// The same data with other bounds.
    fn MPI_Type_create_resized() and fn MPI_Type_create_resized_c(library; oldtype: MPI_Datatype, lb: <Count as AnyCount>::Address, extent: <Count as AnyCount>::Address, newtype: Out<MPI_Datatype>) {
        let old = library.named_datatype("oldtype", oldtype)?;
        library.hand_out(Datatype::resized::<Count>(lb, extent, &old), newtype)
    }

    /// The same once more, with copies of the attributes.
    fn MPI_Type_dup(library; oldtype: MPI_Datatype, newtype: Out<MPI_Datatype>) {
        let old = library.named_datatype("oldtype", oldtype)?;
        let handle = library.keep_datatype(Datatype::duplicate(&old))?;
        if let Err(fault) = library.copy_attributes(Kind::Type, oldtype.0, handle.0) {
            library.types.borrow_mut().remove(handle.0);
            newtype.set("newtype", MPI_DATATYPE_NULL)?;
            return Err(fault);
        }
        newtype.set("newtype", handle)
    }

    /// Allows communication of a datatype.
    fn MPI_Type_commit(library; datatype: Out<MPI_Datatype>) {
        let handle = datatype.value("datatype")?;
        library.datatype(handle)?.commit();
        Ok(())
    }

    /// Frees a handle; what uses the datatype keeps it.
    fn MPI_Type_free(library; datatype: Out<MPI_Datatype>) {
        let handle = datatype.value("datatype")?;
        if library.datatype(handle)?.is_predefined() {
            return Err(Fault::from(TypeError::Predefined));
        }
        library.delete_attributes(Kind::Type, handle.0)?;
        library.types.borrow_mut().remove(handle.0);
        datatype.set("datatype", MPI_DATATYPE_NULL)
    }
}
