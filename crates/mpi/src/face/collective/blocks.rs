//! Blocks of several sizes: their counts and displacements as a program passes them, and where each lies.
//! Source: MPI 5.0, sections *Gather* to *All-to-All Scatter/Gather*, the v- and w-forms.
//! Rules: the lists are read when the call is made; where no block has an element, the address is not looked at.

use super::places::Places;
use super::{Wide, counted};
use crate::abi::*;
use crate::face::border::In;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::Buffer;
use std::ffi::c_void;

/// A list that a program passes, with its name.
pub(crate) type Listed<T> = (&'static str, In<T>);

/// Blocks of several sizes.
pub(crate) struct Blocks<C, D> {
    /// From where displacements count.
    pub(crate) address: *const c_void,
    /// How many there are.
    pub(crate) number: usize,
    pub(crate) counts: Listed<C>,
    pub(crate) displacements: Listed<D>,
}

impl<C: Wide, D: Wide> Blocks<C, D> {
    /// Where they lie, with displacements in elements of their datatype.
    pub(crate) fn of(
        self,
        library: &Library,
        (name, datatype): (&'static str, MPI_Datatype),
    ) -> Result<Places, Fault> {
        let (counts, displacements) = self.read()?;
        let most = counts.iter().map(|count| count.wide()).max().unwrap_or(0);
        let whole = library.memory(Buffer {
            address: self.address,
            count: most as i64,
            datatype,
            names: &["the buffer", "a count", "datatype"],
        });
        let whole = whole.map_err(|fault| match fault.code {
            MPI_ERR_TYPE => fault.called(name),
            _ => fault,
        })?;
        Places::listed(
            counts.iter().zip(displacements).map(|(count, at)| {
                Ok(whole.part(at.wide(), counted(self.counts.0, count.wide())?))
            }),
        )
    }

    /// Where they lie, with a datatype for each, and displacements in bytes.
    pub(crate) fn of_each(
        self,
        library: &Library,
        datatypes: Listed<MPI_Datatype>,
    ) -> Result<Places, Fault> {
        let (counts, displacements) = self.read()?;
        let (datatypes_name, datatypes) = datatypes;
        let datatypes = datatypes.slice(datatypes_name, self.number)?;
        let listed = counts.iter().zip(displacements).zip(datatypes);
        let memory = |((count, at), &datatype): ((&C, &D), &MPI_Datatype)| {
            let address = self.address.cast::<u8>().wrapping_offset(at.wide()).cast();
            let names = [self.counts.0, datatypes_name];
            library.typed_memory(address, counted(self.counts.0, count.wide())?, datatype, names)
        };
        Places::listed(listed.map(memory))
    }

    fn read(&self) -> Result<(&'static [C], &'static [D]), Fault> {
        let counts = self.counts.1.slice(self.counts.0, self.number)?;
        let displacements = self.displacements.1.slice(self.displacements.0, self.number)?;
        Ok((counts, displacements))
    }
}
