//! What programs cache on datatypes.
//! Source: MPI 5.0, section *Caching*, functions on datatypes.
//! Rules: nothing is borrowed while a copy or delete function of the program runs.

use super::super::border::Out;
use super::super::export::export;
use super::super::fault::Fault;
use super::super::library::Library;
use crate::abi::*;
use crate::objects::attribute::{
    Attribute, Attributes, CopyFunction, DeleteFunction, Kind, copy_all,
};
use std::ffi::{c_int, c_void};

impl Library {
    /// Lets `change` see and change the attributes of a datatype.
    fn type_attributes<R>(
        &self,
        handle: MPI_Datatype,
        change: impl FnOnce(&mut Attributes) -> R,
    ) -> Result<R, Fault> {
        self.datatype(handle)?;
        Ok(change(self.type_attributes.borrow_mut().entry(handle.0).or_default()))
    }

    /// Copies of the attributes, for a duplicate, as the program's functions say.
    pub(super) fn copy_type_attributes(&self, handle: MPI_Datatype) -> Result<Attributes, Fault> {
        let attributes = self.type_attributes(handle, |attributes| attributes.to_vec())?;
        // SAFETY: nothing is borrowed.
        unsafe { copy_all(&attributes, handle.0) }.map_err(|(error, copied)| {
            // There is no duplicate: what it would have had goes again, and errors of that stay untold.
            for attribute in copied.to_vec().iter().rev() {
                // SAFETY: nothing is borrowed.
                let _ = unsafe { attribute.delete(handle.0) };
            }
            Fault::from(error)
        })
    }

    /// Deletes one attribute, after its delete function has agreed.
    fn delete_type_attribute(
        &self,
        handle: MPI_Datatype,
        attribute: &Attribute,
    ) -> Result<(), Fault> {
        // SAFETY: nothing is borrowed.
        unsafe { attribute.delete(handle.0) }?;
        self.type_attributes(handle, |attributes| attributes.remove(attribute.number()))?;
        Ok(())
    }

    /// Deletes all attributes, the one set last first.
    pub(super) fn delete_type_attributes(&self, handle: MPI_Datatype) -> Result<(), Fault> {
        while let Some(last) =
            self.type_attributes(handle, |attributes| attributes.last().cloned())?
        {
            self.delete_type_attribute(handle, &last)?;
        }
        self.type_attributes.borrow_mut().remove(&handle.0);
        Ok(())
    }
}

export! {
    /// Makes a keyval.
    fn MPI_Type_create_keyval(library; type_copy_attr_fn: Address, type_delete_attr_fn: Address, type_keyval: Out<c_int>, extra_state: Out<c_void>) {
        // SAFETY: the program vouches for its functions.
        let copy = unsafe { CopyFunction::from_address(type_copy_attr_fn) };
        // SAFETY: as above.
        let delete = unsafe { DeleteFunction::from_address(type_delete_attr_fn) };
        let mut keyvals = library.keyvals.borrow_mut();
        let number = keyvals.create(Kind::Type, copy, delete, extra_state.address());
        type_keyval.set("type_keyval", number)
    }

    /// Frees a keyval; attributes keep it.
    fn MPI_Type_free_keyval(library; type_keyval: Out<c_int>) {
        let number = type_keyval.value("type_keyval")?;
        library.keyvals.borrow_mut().free(Kind::Type, number)?;
        type_keyval.set("type_keyval", MPI_KEYVAL_INVALID)
    }

    /// Caches a value; the one before it is deleted.
    fn MPI_Type_set_attr(library; datatype: MPI_Datatype, type_keyval: c_int, attribute_val: Out<c_void>) {
        let keyval = library.keyvals.borrow().find(Kind::Type, type_keyval)?.clone();
        let old = library.type_attributes(datatype, |attributes| attributes.find(type_keyval).cloned())?;
        if let Some(old) = old {
            // SAFETY: nothing is borrowed.
            unsafe { old.delete(datatype.0) }?;
        }
        library.type_attributes(datatype, |attributes| attributes.set(keyval, attribute_val.address()))
    }

    /// Tells a cached value, if there is one.
    fn MPI_Type_get_attr(library; datatype: MPI_Datatype, type_keyval: c_int, attribute_val: Out<*mut c_void>, flag: Out<c_int>) {
        library.keyvals.borrow().find(Kind::Type, type_keyval)?;
        let value = library.type_attributes(datatype, |attributes| {
            attributes.find(type_keyval).map(Attribute::value)
        })?;
        if let Some(value) = value {
            attribute_val.set("attribute_val", value)?;
        }
        flag.set("flag", c_int::from(value.is_some()))
    }

    /// Deletes a cached value.
    fn MPI_Type_delete_attr(library; datatype: MPI_Datatype, type_keyval: c_int) {
        library.keyvals.borrow().find(Kind::Type, type_keyval)?;
        let attribute =
            library.type_attributes(datatype, |attributes| attributes.existing(type_keyval).cloned())?;
        library.delete_type_attribute(datatype, &attribute?)
    }
}
