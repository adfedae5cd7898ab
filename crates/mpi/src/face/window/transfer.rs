//! Operations on the memory of other ranks: put, get, accumulate, and those that return what was there.
//! Source: MPI 5.0, section *Communication Calls* of one-sided communication.
//! Rules: both sides have equally many bytes; accumulate operations on one rank come one after the other, each whole.

use super::Window;
use super::target::Place;
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::face::memory::{Buffer, Layout, Memory, buffer, checked_count};
use crate::face::request::{Request, State};
use crate::face::status::Status;
use crate::objects::op::{Builtin, Element, Kernel, Operator, packed_kernel};
use std::ffi::{c_int, c_void};
use std::rc::Rc;

/// The elements on the other side.
struct There {
    rank: c_int,
    displacement: MPI_Aint,
    count: i64,
    datatype: MPI_Datatype,
}

/// What an accumulate operation does.
enum Combination {
    /// Nothing.
    Leave,
    /// The new bytes take the place of the old.
    Replace,
    /// Old and new are combined.
    Combine(Kernel),
}

impl Library {
    /// The place of elements of another rank; None for `MPI_PROC_NULL`.
    fn place(&self, window: &Window, there: &There) -> Result<Option<Place>, Fault> {
        let Some(target) = window.target(there.rank)? else { return Ok(None) };
        let count = checked_count(there.count)?;
        let layout = self.layout(there.datatype);
        let layout = layout.map_err(|fault| fault.called("target_datatype"))?;
        Ok(Some(target.place(there.displacement, count, layout)?))
    }

    /// What an operator does to elements of a datatype.
    fn combination(&self, op: MPI_Op, datatype: MPI_Datatype) -> Result<Combination, Fault> {
        let builtin = match self.operator(op)? {
            Operator::Builtin(Builtin::NoOp) => return Ok(Combination::Leave),
            Operator::Builtin(Builtin::Replace) => return Ok(Combination::Replace),
            Operator::Builtin(builtin) => builtin,
            Operator::User(_) => {
                return Err(Fault::new(
                    MPI_ERR_OP,
                    "op is no predefined operator, which it must be here",
                ));
            }
        };
        let undefined = || {
            let message = format!("{} is not defined for this datatype", builtin.name());
            Fault::new(MPI_ERR_OP, message)
        };
        // A datatype of the program's must consist of one predefined datatype.
        let made = self.datatype(datatype)?;
        let predefined = made.sole_predefined().ok_or_else(undefined)?;
        let element = Element::of(MPI_Datatype(predefined)).ok_or_else(undefined)?;
        Ok(Combination::Combine(packed_kernel(builtin, element)?))
    }

    fn put(&self, window: &Window, origin: &Memory, there: &There) -> Result<(), Fault> {
        let Some(place) = self.place(window, there)? else { return Ok(()) };
        check_equal(origin.bytes(), place.bytes())?;
        origin.with_bytes(|bytes| place.write(bytes))
    }

    fn get(&self, window: &Window, mut origin: Memory, there: &There) -> Result<(), Fault> {
        let Some(place) = self.place(window, there)? else { return Ok(()) };
        check_equal(origin.bytes(), place.bytes())?;
        origin.put(0, &place.read()?);
        Ok(())
    }

    /// Combines elements here with those there, and returns in `result` what was there.
    fn accumulate(
        &self,
        window: &Window,
        origin: Option<Memory>,
        result: Option<Memory>,
        there: &There,
        op: MPI_Op,
    ) -> Result<(), Fault> {
        let Some(place) = self.place(window, there)? else { return Ok(()) };
        // No operator has to be defined on no elements.
        if place.bytes() == 0 {
            return self.operator(op).map(drop);
        }
        let combination = self.combination(op, there.datatype)?;
        if let Some(result) = &result {
            check_equal(result.bytes(), place.bytes())?;
        }
        let new = match (&combination, &origin) {
            (Combination::Leave, _) | (_, None) => Vec::new(),
            (_, Some(origin)) => {
                check_equal(origin.bytes(), place.bytes())?;
                origin.to_bytes()
            }
        };
        let old = window.atomically(self, there.rank, || {
            let old = place.read()?;
            match combination {
                Combination::Leave => {}
                Combination::Replace => place.write(&new)?,
                Combination::Combine(kernel) => {
                    let mut combined = old.clone();
                    kernel(&new, &mut combined);
                    place.write(&combined)?;
                }
            }
            Ok(old)
        })?;
        if let Some(mut result) = result {
            result.put(0, &old);
        }
        Ok(())
    }

    /// The request of an operation that is done.
    fn done(&self, window: &Rc<Window>, request: Out<MPI_Request>) -> Result<(), Fault> {
        let done = Request::new(Some(window.comm.clone()), State::Done(Status::EMPTY));
        request.set("request", self.keep_request(done)?)
    }

    /// The memory of an operand, if the operator uses it.
    fn operand(&self, buffer: Buffer, op: MPI_Op) -> Result<Option<Memory>, Fault> {
        match op {
            MPI_NO_OP => Ok(None),
            _ => self.memory(buffer).map(Some),
        }
    }
}

/// Both sides have equally many bytes.
fn check_equal(here: usize, there: usize) -> Result<(), Fault> {
    match here == there {
        true => Ok(()),
        false => {
            let message = format!("the origin has {here} bytes, and the target {there}");
            Err(Fault::new(MPI_ERR_ARG, message))
        }
    }
}

/// The buffer of one element.
macro_rules! one_of {
    ($address:ident, $datatype:ident) => {
        Buffer {
            address: $address.address(),
            count: 1,
            datatype: $datatype,
            names: &[stringify!($address), "the count", stringify!($datatype)],
        }
    };
}

/// One element of a predefined datatype.
fn one(rank: c_int, displacement: MPI_Aint, datatype: MPI_Datatype) -> There {
    There { rank, displacement, count: 1, datatype }
}

export! {
    /// Writes to another rank's memory.
    fn MPI_Put() and fn MPI_Put_c(library; origin_addr: In<c_void>, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, win: MPI_Win) {
        library.on_window(win, |window| {
            let origin = library.memory(buffer!(origin_addr, origin_count, origin_datatype))?;
            let there = There { rank: target_rank, displacement: target_disp, count: target_count.into(), datatype: target_datatype };
            library.put(window, &origin, &there)
        })
    }

    /// Reads another rank's memory.
    fn MPI_Get() and fn MPI_Get_c(library; origin_addr: Out<c_void>, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, win: MPI_Win) {
        library.on_window(win, |window| {
            let origin = library.memory(buffer!(origin_addr, origin_count, origin_datatype))?;
            let there = There { rank: target_rank, displacement: target_disp, count: target_count.into(), datatype: target_datatype };
            library.get(window, origin, &there)
        })
    }

    /// Writes to another rank's memory; the request is complete.
    fn MPI_Rput() and fn MPI_Rput_c(library; origin_addr: In<c_void>, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, win: MPI_Win, request: Out<MPI_Request>) {
        library.on_window(win, |window| {
            let origin = library.memory(buffer!(origin_addr, origin_count, origin_datatype))?;
            let there = There { rank: target_rank, displacement: target_disp, count: target_count.into(), datatype: target_datatype };
            library.put(window, &origin, &there)?;
            library.done(window, request)
        })
    }

    /// Reads another rank's memory; the request is complete.
    fn MPI_Rget() and fn MPI_Rget_c(library; origin_addr: Out<c_void>, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, win: MPI_Win, request: Out<MPI_Request>) {
        library.on_window(win, |window| {
            let origin = library.memory(buffer!(origin_addr, origin_count, origin_datatype))?;
            let there = There { rank: target_rank, displacement: target_disp, count: target_count.into(), datatype: target_datatype };
            library.get(window, origin, &there)?;
            library.done(window, request)
        })
    }

    /// Combines with another rank's memory.
    fn MPI_Accumulate() and fn MPI_Accumulate_c(library; origin_addr: In<c_void>, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win) {
        library.on_window(win, |window| {
            let origin = library.operand(buffer!(origin_addr, origin_count, origin_datatype), op)?;
            let there = There { rank: target_rank, displacement: target_disp, count: target_count.into(), datatype: target_datatype };
            library.accumulate(window, origin, None, &there, op)
        })
    }

    /// Combines with another rank's memory; the request is complete.
    fn MPI_Raccumulate() and fn MPI_Raccumulate_c(library; origin_addr: In<c_void>, origin_count: Count, origin_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win, request: Out<MPI_Request>) {
        library.on_window(win, |window| {
            let origin = library.operand(buffer!(origin_addr, origin_count, origin_datatype), op)?;
            let there = There { rank: target_rank, displacement: target_disp, count: target_count.into(), datatype: target_datatype };
            library.accumulate(window, origin, None, &there, op)?;
            library.done(window, request)
        })
    }

    /// Combines with another rank's memory, and returns what was there.
    fn MPI_Get_accumulate() and fn MPI_Get_accumulate_c(library; origin_addr: In<c_void>, origin_count: Count, origin_datatype: MPI_Datatype, result_addr: Out<c_void>, result_count: Count, result_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win) {
        library.on_window(win, |window| {
            let origin = library.operand(buffer!(origin_addr, origin_count, origin_datatype), op)?;
            let result = library.memory(buffer!(result_addr, result_count, result_datatype))?;
            let there = There { rank: target_rank, displacement: target_disp, count: target_count.into(), datatype: target_datatype };
            library.accumulate(window, origin, Some(result), &there, op)
        })
    }

    /// Combines with another rank's memory, and returns what was there; the request is complete.
    fn MPI_Rget_accumulate() and fn MPI_Rget_accumulate_c(library; origin_addr: In<c_void>, origin_count: Count, origin_datatype: MPI_Datatype, result_addr: Out<c_void>, result_count: Count, result_datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, target_count: Count, target_datatype: MPI_Datatype, op: MPI_Op, win: MPI_Win, request: Out<MPI_Request>) {
        library.on_window(win, |window| {
            let origin = library.operand(buffer!(origin_addr, origin_count, origin_datatype), op)?;
            let result = library.memory(buffer!(result_addr, result_count, result_datatype))?;
            let there = There { rank: target_rank, displacement: target_disp, count: target_count.into(), datatype: target_datatype };
            library.accumulate(window, origin, Some(result), &there, op)?;
            library.done(window, request)
        })
    }

    /// Combines one element with another rank's, and returns what was there.
    fn MPI_Fetch_and_op(library; origin_addr: In<c_void>, result_addr: Out<c_void>, datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, op: MPI_Op, win: MPI_Win) {
        library.on_window(win, |window| {
            let origin = library.operand(one_of!(origin_addr, datatype), op)?;
            let result = library.memory(one_of!(result_addr, datatype))?;
            library.accumulate(window, origin, Some(result), &one(target_rank, target_disp, datatype), op)
        })
    }

    /// Replaces one element of another rank, if it is as expected; returns what was there.
    fn MPI_Compare_and_swap(library; origin_addr: In<c_void>, compare_addr: In<c_void>, result_addr: Out<c_void>, datatype: MPI_Datatype, target_rank: c_int, target_disp: MPI_Aint, win: MPI_Win) {
        library.on_window(win, |window| {
            if !matches!(library.layout(datatype)?, Layout::Contiguous(_)) {
                return Err(Fault::value(MPI_ERR_TYPE, "datatype", "none that can be compared"));
            }
            let origin = library.memory(one_of!(origin_addr, datatype))?;
            let compare = library.memory(one_of!(compare_addr, datatype))?;
            let mut result = library.memory(one_of!(result_addr, datatype))?;
            let there = one(target_rank, target_disp, datatype);
            let Some(place) = library.place(window, &there)? else { return Ok(()) };
            let old = window.atomically(library, target_rank, || {
                let old = place.read()?;
                if compare.with_bytes(|bytes| bytes == old) {
                    origin.with_bytes(|bytes| place.write(bytes))?;
                }
                Ok(old)
            })?;
            result.put(0, &old);
            Ok(())
        })
    }
}
