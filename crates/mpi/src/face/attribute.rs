//! Attributes of communicators and datatypes, and keyvals of all kinds, by their numbers.
//! Source: MPI 5.0, section *Caching*, and *Environmental Inquiries* for the predefined ones.
//! Rules: nothing is borrowed while a callback runs; an attribute that is being deleted can still be read.

use super::border::Out;
use super::communicator::MAX_TAG;
use super::export::export;
use super::fault::Fault;
use super::library::Library;
use crate::abi::*;
use crate::objects::attribute::{
    Attribute, AttributeError, Attributes, CopyFunction, DeleteFunction, Kind, Predefined, copy_all,
};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

impl Library {
    fn create_keyval(
        &self,
        kind: Kind,
        (copy, delete): (Address, Address),
        keyval: Out<c_int>,
        extra_state: *mut c_void,
    ) -> Result<(), Fault> {
        if keyval.is_null() {
            return Err(Fault::null("keyval"));
        }
        // SAFETY: the caller in C passes functions of this form.
        let (copy, delete) =
            unsafe { (CopyFunction::from_address(copy), DeleteFunction::from_address(delete)) };
        let number = self.objects.keyvals.borrow_mut().create(kind, copy, delete, extra_state);
        keyval.set("keyval", number)
    }

    fn free_keyval(&self, kind: Kind, keyval: Out<c_int>) -> Result<(), Fault> {
        self.objects.keyvals.borrow_mut().free(kind, keyval.value("keyval")?)?;
        keyval.set("keyval", MPI_KEYVAL_INVALID)
    }

    /// Lets `see` see or change the attributes of an object.
    fn with_attributes<R>(&self, on: (Kind, usize), see: impl FnOnce(&mut Attributes) -> R) -> R {
        see(self.objects.attributes.borrow_mut().entry(on).or_default())
    }

    fn attribute(&self, on: (Kind, usize), number: c_int) -> Option<Attribute> {
        self.objects.attributes.borrow().get(&on)?.find(number).cloned()
    }

    pub(super) fn set_attribute(
        &self,
        on: (Kind, usize),
        number: c_int,
        value: *mut c_void,
    ) -> Result<(), Fault> {
        let keyval = Rc::clone(self.objects.keyvals.borrow().find(on.0, number)?);
        if let Some(replaced) = self.attribute(on, number) {
            // SAFETY: nothing is borrowed.
            unsafe { replaced.delete(on.1) }?;
        }
        self.with_attributes(on, |attributes| attributes.set(keyval, value));
        Ok(())
    }

    pub(super) fn tell_attribute(
        &self,
        on: (Kind, usize),
        number: c_int,
        (value, flag): (Out<*mut c_void>, Out<c_int>),
    ) -> Result<(), Fault> {
        let found = match self.attribute(on, number) {
            // A freed keyval still tells what is cached under it.
            Some(attribute) => Some(attribute.value()),
            None => match self.objects.keyvals.borrow().find(on.0, number) {
                Ok(_) => None,
                Err(AttributeError::Predefined { .. }) => self.predefined().find(number),
                Err(error) => return Err(error.into()),
            },
        };
        if let Some(found) = found {
            value.set("attribute_val", found)?;
        }
        flag.set("flag", c_int::from(found.is_some()))
    }

    pub(super) fn delete_attribute(&self, on: (Kind, usize), number: c_int) -> Result<(), Fault> {
        match self.attribute(on, number) {
            Some(attribute) => {
                // SAFETY: nothing is borrowed.
                unsafe { attribute.delete(on.1) }?;
                self.with_attributes(on, |attributes| attributes.remove(number));
                Ok(())
            }
            // What was never set is deleted already, if it could be set.
            None => Ok(self.objects.keyvals.borrow().find(on.0, number).map(drop)?),
        }
    }

    /// Copies the attributes of an object to its duplicate, as the copy functions say.
    pub(crate) fn copy_attributes(&self, kind: Kind, from: usize, to: usize) -> Result<(), Fault> {
        let attributes =
            self.objects.attributes.borrow().get(&(kind, from)).map(Attributes::to_vec);
        let Some(attributes) = attributes else { return Ok(()) };
        // SAFETY: nothing is borrowed.
        let (copies, failed) = match unsafe { copy_all(&attributes, from) } {
            Ok(copies) => (copies, None),
            Err((error, copies)) => (copies, Some(error)),
        };
        self.with_attributes((kind, to), |attributes| *attributes = copies);
        match failed {
            Some(error) => {
                // The first error is the one that counts.
                let _ = self.delete_attributes(kind, to);
                Err(error.into())
            }
            None => Ok(()),
        }
    }

    /// Deletes the attributes of an object that is about to be freed, the last one set first. If a function fails,
    /// its attribute and those before it stay, and the object is not to be freed.
    pub(crate) fn delete_attributes(&self, kind: Kind, object: usize) -> Result<(), Fault> {
        loop {
            let last = self
                .objects
                .attributes
                .borrow()
                .get(&(kind, object))
                .map(|set| set.last().cloned());
            match last {
                Some(Some(attribute)) => {
                    // SAFETY: nothing is borrowed.
                    unsafe { attribute.delete(object) }?;
                    self.with_attributes((kind, object), |attributes| {
                        attributes.remove(attribute.number())
                    });
                }
                Some(None) => {
                    self.objects.attributes.borrow_mut().remove(&(kind, object));
                }
                None => return Ok(()),
            }
        }
    }

    fn predefined(&self) -> &Predefined {
        self.objects.predefined.get_or_init(|| {
            let ranks = self.world().map_or(1, |world| world.size);
            Predefined::new([
                (MPI_TAG_UB, MAX_TAG),
                (MPI_IO, MPI_ANY_SOURCE),
                (MPI_HOST, MPI_PROC_NULL),
                (MPI_WTIME_IS_GLOBAL, 0),
                (MPI_APPNUM, 0),
                (MPI_LASTUSEDCODE, self.objects.codes.borrow().last()),
                (MPI_UNIVERSE_SIZE, ranks),
            ])
        })
    }

    /// A communicator that may have attributes.
    fn on_comm(&self, comm: MPI_Comm) -> Result<(Kind, usize), Fault> {
        self.comm(comm)?;
        Ok((Kind::Comm, comm.0))
    }

    /// A datatype that may have attributes, committed or not.
    fn on_type(&self, datatype: MPI_Datatype) -> Result<(Kind, usize), Fault> {
        let is_predefined = datatype != MPI_DATATYPE_NULL
            && DATATYPES.constants.iter().any(|constant| constant.value == datatype.0 as isize);
        if is_predefined || self.types.borrow().get(datatype.0).is_some() {
            return Ok((Kind::Type, datatype.0));
        }
        Err(Fault::handle(MPI_ERR_TYPE, "datatype", datatype.0))
    }
}

export! {
    /// Makes a keyval for communicators.
    fn MPI_Comm_create_keyval(library; copy_fn: Address, delete_fn: Address, keyval: Out<c_int>, extra_state: Out<c_void>) {
        library.create_keyval(Kind::Comm, (copy_fn, delete_fn), keyval, extra_state.address())
    }

    /// Frees a keyval for communicators.
    fn MPI_Comm_free_keyval(library; keyval: Out<c_int>) {
        library.free_keyval(Kind::Comm, keyval)
    }

    /// Caches a value on a communicator.
    fn MPI_Comm_set_attr(library; comm: MPI_Comm, keyval: c_int, value: Out<c_void>) on comm {
        library.set_attribute(library.on_comm(comm)?, keyval, value.address())
    }

    /// What is cached on a communicator.
    fn MPI_Comm_get_attr(library; comm: MPI_Comm, keyval: c_int, value: Out<*mut c_void>, flag: Out<c_int>) on comm {
        library.tell_attribute(library.on_comm(comm)?, keyval, (value, flag))
    }

    /// Deletes what is cached on a communicator.
    fn MPI_Comm_delete_attr(library; comm: MPI_Comm, keyval: c_int) on comm {
        library.delete_attribute(library.on_comm(comm)?, keyval)
    }

    /// The deprecated name of `MPI_Comm_create_keyval`.
    fn MPI_Keyval_create(library; copy_fn: Address, delete_fn: Address, keyval: Out<c_int>, extra_state: Out<c_void>) {
        library.create_keyval(Kind::Comm, (copy_fn, delete_fn), keyval, extra_state.address())
    }

    /// The deprecated name of `MPI_Comm_free_keyval`.
    fn MPI_Keyval_free(library; keyval: Out<c_int>) {
        library.free_keyval(Kind::Comm, keyval)
    }

    /// The deprecated name of `MPI_Comm_set_attr`.
    fn MPI_Attr_put(library; comm: MPI_Comm, keyval: c_int, value: Out<c_void>) on comm {
        library.set_attribute(library.on_comm(comm)?, keyval, value.address())
    }

    /// The deprecated name of `MPI_Comm_get_attr`.
    fn MPI_Attr_get(library; comm: MPI_Comm, keyval: c_int, value: Out<*mut c_void>, flag: Out<c_int>) on comm {
        library.tell_attribute(library.on_comm(comm)?, keyval, (value, flag))
    }

    /// The deprecated name of `MPI_Comm_delete_attr`.
    fn MPI_Attr_delete(library; comm: MPI_Comm, keyval: c_int) on comm {
        library.delete_attribute(library.on_comm(comm)?, keyval)
    }

    /// Makes a keyval for datatypes.
    fn MPI_Type_create_keyval(library; copy_fn: Address, delete_fn: Address, keyval: Out<c_int>, extra_state: Out<c_void>) {
        library.create_keyval(Kind::Type, (copy_fn, delete_fn), keyval, extra_state.address())
    }

    /// Frees a keyval for datatypes.
    fn MPI_Type_free_keyval(library; keyval: Out<c_int>) {
        library.free_keyval(Kind::Type, keyval)
    }

    /// Caches a value on a datatype.
    fn MPI_Type_set_attr(library; datatype: MPI_Datatype, keyval: c_int, value: Out<c_void>) {
        library.set_attribute(library.on_type(datatype)?, keyval, value.address())
    }

    /// What is cached on a datatype.
    fn MPI_Type_get_attr(library; datatype: MPI_Datatype, keyval: c_int, value: Out<*mut c_void>, flag: Out<c_int>) {
        library.tell_attribute(library.on_type(datatype)?, keyval, (value, flag))
    }

    /// Deletes what is cached on a datatype.
    fn MPI_Type_delete_attr(library; datatype: MPI_Datatype, keyval: c_int) {
        library.delete_attribute(library.on_type(datatype)?, keyval)
    }

    /// Makes a keyval for windows.
    fn MPI_Win_create_keyval(library; copy_fn: Address, delete_fn: Address, keyval: Out<c_int>, extra_state: Out<c_void>) {
        library.create_keyval(Kind::Win, (copy_fn, delete_fn), keyval, extra_state.address())
    }

    /// Frees a keyval for windows.
    fn MPI_Win_free_keyval(library; keyval: Out<c_int>) {
        library.free_keyval(Kind::Win, keyval)
    }
}
