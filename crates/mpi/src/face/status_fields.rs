//! What a program asks of a status, and sets in one.
//! Source: MPI 5.0, sections *Return Status* and *Generalized Requests* (which fill a status).
//! Rules: the words of a status are read and written by `status.rs` alone.

use super::border::{In, Out};
use super::export::export;
use super::fault::Fault;
use super::status::Status;
use crate::abi::*;
use std::ffi::c_int;

/// Changes a status of the program.
fn change(status: Out<MPI_Status>, how: impl FnOnce(&mut MPI_Status)) -> Result<(), Fault> {
    let mut told = status.value("status")?;
    how(&mut told);
    status.set("status", told)
}

export! {
    /// Whether the operation was cancelled.
    anytime fn MPI_Test_cancelled(_library; status: In<MPI_Status>, flag: Out<c_int>) {
        let status = Status::read_from(&status.value("status")?);
        flag.set("flag", c_int::from(status.is_cancelled))
    }

    /// Says whether the operation was cancelled.
    anytime fn MPI_Status_set_cancelled(_library; status: Out<MPI_Status>, flag: c_int) {
        change(status, |told| {
            let changed = Status { is_cancelled: flag != 0, ..Status::read_from(told) };
            changed.write_to(told);
        })
    }

    /// The rank that sent the message.
    anytime fn MPI_Status_get_source(_library; status: In<MPI_Status>, source: Out<c_int>) {
        source.set("source", status.value("status")?.MPI_SOURCE)
    }

    /// The tag of the message.
    anytime fn MPI_Status_get_tag(_library; status: In<MPI_Status>, tag: Out<c_int>) {
        tag.set("tag", status.value("status")?.MPI_TAG)
    }

    /// The error of the operation.
    anytime fn MPI_Status_get_error(_library; status: In<MPI_Status>, error: Out<c_int>) {
        error.set("err", status.value("status")?.MPI_ERROR)
    }

    /// Says which rank sent the message.
    anytime fn MPI_Status_set_source(_library; status: Out<MPI_Status>, source: c_int) {
        change(status, |told| told.MPI_SOURCE = source)
    }

    /// Says which tag the message has.
    anytime fn MPI_Status_set_tag(_library; status: Out<MPI_Status>, tag: c_int) {
        change(status, |told| told.MPI_TAG = tag)
    }

    /// Says which error the operation had.
    anytime fn MPI_Status_set_error(_library; status: Out<MPI_Status>, error: c_int) {
        change(status, |told| told.MPI_ERROR = error)
    }
}
