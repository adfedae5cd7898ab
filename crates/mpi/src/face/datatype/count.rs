//! How much a message has, in elements of a datatype; addresses.
//! Source: MPI 5.0, sections *Return Status*, *Use of General Datatypes in Communication*, *Address and Size Functions*.
//! Rules: a status knows bytes; what they are in elements is worked out when it is asked.

use super::super::border::{In, Out};
use super::super::export::export;
use super::super::fault::Fault;
use super::super::library::Library;
use super::super::status::Status;
use super::{narrow, wide};
use crate::abi::*;
use std::ffi::c_void;

impl Library {
    /// The bytes of a message.
    fn bytes_of(&self, status: In<MPI_Status>) -> Result<usize, Fault> {
        // A status that the program must not pass is refused, whatever its address points at.
        if MPI_STATUS_IGNORE.is(status.address()) {
            return Err(Fault::new(MPI_ERR_ARG, "status is MPI_STATUS_IGNORE"));
        }
        Ok(Status::read_from(&status.value("status")?).bytes as usize)
    }

    /// How many basic elements a message has.
    fn elements_of(
        &self,
        status: In<MPI_Status>,
        datatype: MPI_Datatype,
    ) -> Result<Option<i64>, Fault> {
        let datatype = self.datatype(datatype)?;
        Ok(datatype.signature().elements_of(self.bytes_of(status)?).map(wide))
    }

    /// Says that a message has so many basic elements.
    fn set_elements(
        &self,
        status: Out<MPI_Status>,
        datatype: MPI_Datatype,
        count: impl Into<i64>,
    ) -> Result<(), Fault> {
        let count = count.into();
        let wrong = || Fault::value(MPI_ERR_COUNT, "count", count);
        let elements = usize::try_from(count).map_err(|_| wrong())?;
        let datatype = self.datatype(datatype)?;
        let bytes = datatype.signature().bytes_of(elements).ok_or_else(wrong)?;
        if MPI_STATUS_IGNORE.is(status.address()) {
            return Err(Fault::new(MPI_ERR_ARG, "status is MPI_STATUS_IGNORE"));
        }
        let mut words = status.value("status")?;
        Status { bytes: bytes as u64, ..Status::read_from(&words) }.write_to(&mut words);
        status.set("status", words)
    }
}

export! {
    /// How many whole datatypes a message has.
    fn MPI_Get_count() and fn MPI_Get_count_c(library; status: In<MPI_Status>, datatype: MPI_Datatype, count: Out<Count>) {
        let datatype = library.datatype(datatype)?;
        let found = datatype.count_of(library.bytes_of(status)?);
        count.set("count", narrow(found.map(wide)))
    }

    /// How many basic elements a message has.
    fn MPI_Get_elements() and fn MPI_Get_elements_c(library; status: In<MPI_Status>, datatype: MPI_Datatype, count: Out<Count>) {
        count.set("count", narrow(library.elements_of(status, datatype)?))
    }

    /// The older name of the form with large counts.
    fn MPI_Get_elements_x(library; status: In<MPI_Status>, datatype: MPI_Datatype, count: Out<MPI_Count>) {
        count.set("count", narrow(library.elements_of(status, datatype)?))
    }

    /// Makes a status tell so many basic elements.
    fn MPI_Status_set_elements() and fn MPI_Status_set_elements_c(library; status: Out<MPI_Status>, datatype: MPI_Datatype, count: Count) {
        library.set_elements(status, datatype, count)
    }

    /// The older name of the form with large counts.
    fn MPI_Status_set_elements_x(library; status: Out<MPI_Status>, datatype: MPI_Datatype, count: MPI_Count) {
        library.set_elements(status, datatype, count)
    }

    /// The address of a variable, counted from `MPI_BOTTOM`.
    fn MPI_Get_address(library; location: In<c_void>, address: Out<MPI_Aint>) {
        let _ = library;
        address.set("address", location.address().expose_provenance() as MPI_Aint)
    }
}
