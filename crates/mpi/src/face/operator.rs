//! Operators by their handles, and how a reduction applies one to elements of a datatype.
//! Source: MPI 5.0, sections *Predefined Reduction Operations*, *User-Defined Reduction Operations*, *Process-Local
//! Reduction*. Rules: one dispatch for each call; nothing is borrowed while the program's function runs.

use super::border::{In, Out};
use super::export::export;
use super::fault::Fault;
use super::library::{Library, keep};
use super::memory::checked_count;
use crate::abi::*;
use crate::objects::op::{Builtin, Element, Kernel, Operator, UserFunction, UserOperator, kernel};
use std::ffi::{c_int, c_void};

/// An operator on elements of one datatype.
#[derive(Clone, Copy)]
pub(crate) struct Reduction {
    /// Whether operands may be exchanged.
    pub(crate) commutes: bool,
    /// How far elements lie apart in memory, in bytes.
    pub(crate) extent: isize,
    apply: Apply,
}

#[derive(Clone, Copy)]
enum Apply {
    Builtin(Kernel),
    User(UserOperator, MPI_Datatype),
}

impl Reduction {
    /// Combines elements: `inout[i] = op(in[i], inout[i])`, where `in` is of the lower ranks.
    ///
    /// # Safety
    ///
    /// Both addresses are of `count` elements of the datatype, and those at `inout` may be written to. Nothing of
    /// the library is borrowed, since the operator may be the program's.
    pub(crate) unsafe fn apply(&self, input: *const u8, inout: *mut u8, count: usize) {
        if count == 0 {
            return;
        }
        match &self.apply {
            Apply::Builtin(kernel) => {
                let bytes = count * self.extent as usize;
                // SAFETY: so many bytes are the elements of a predefined datatype; the caller vouches for them.
                let (input, inout) = unsafe {
                    (
                        std::slice::from_raw_parts(input, bytes),
                        std::slice::from_raw_parts_mut(inout, bytes),
                    )
                };
                kernel(input, inout);
            }
            Apply::User(operator, datatype) => {
                // SAFETY: as the caller promises.
                unsafe { operator.call(input, inout, count as MPI_Count, *datatype, self.extent) };
            }
        }
    }
}

impl Library {
    /// An operator by its handle.
    pub(crate) fn operator(&self, op: MPI_Op) -> Result<Operator, Fault> {
        if let Some(builtin) = Builtin::of(op) {
            return Ok(Operator::Builtin(builtin));
        }
        let made = self.objects.operators.borrow().get(op.0).copied();
        made.map(Operator::User).ok_or_else(|| Fault::handle(MPI_ERR_OP, "op", op.0))
    }

    /// What a reduction of elements of a datatype does.
    pub(crate) fn reduction(&self, op: MPI_Op, datatype: MPI_Datatype) -> Result<Reduction, Fault> {
        let operator = self.operator(op)?;
        let layout = self.layout(datatype)?;
        let (extent, apply) = match operator {
            Operator::Builtin(builtin) => {
                let element = Element::of(datatype).filter(|_| builtin.reduces());
                let element = element.ok_or_else(|| {
                    let message = format!("{} is not defined for this datatype", builtin.name());
                    Fault::new(MPI_ERR_OP, message)
                })?;
                (element.extent() as isize, Apply::Builtin(kernel(builtin, element)?))
            }
            Operator::User(user) => (layout.extent(), Apply::User(user, datatype)),
        };
        Ok(Reduction { commutes: operator.commutes(), extent, apply })
    }

    fn keep_operator(
        &self,
        function: UserFunction,
        commute: c_int,
        op: Out<MPI_Op>,
    ) -> Result<(), Fault> {
        let operator = UserOperator { function, commutes: commute != 0 };
        op.set("op", MPI_Op(keep(&self.objects.operators, operator)?))
    }
}

export! {
    /// Makes an operator of a function.
    fn MPI_Op_create(library; user_fn: MPI_User_function, commute: c_int, op: Out<MPI_Op>) {
        let function = user_fn.ok_or_else(|| Fault::null("user_fn"))?;
        library.keep_operator(UserFunction::Small(function), commute, op)
    }

    /// Makes an operator of a function with a large count.
    fn MPI_Op_create_c(library; user_fn: MPI_User_function_c, commute: c_int, op: Out<MPI_Op>) {
        let function = user_fn.ok_or_else(|| Fault::null("user_fn"))?;
        library.keep_operator(UserFunction::Large(function), commute, op)
    }

    /// Frees an operator. Operations that were begun with it keep it.
    fn MPI_Op_free(library; op: Out<MPI_Op>) {
        let handle = op.value("op")?;
        if library.objects.operators.borrow_mut().remove(handle.0).is_none() {
            return Err(Fault::handle(MPI_ERR_OP, "op", handle.0));
        }
        op.set("op", MPI_OP_NULL)
    }

    /// Whether operands may be exchanged.
    fn MPI_Op_commutative(library; op: MPI_Op, commute: Out<c_int>) {
        commute.set("commute", c_int::from(library.operator(op)?.commutes()))
    }

    /// Combines elements of this process.
    fn MPI_Reduce_local() and fn MPI_Reduce_local_c(library; inbuf: In<c_void>, inoutbuf: Out<c_void>, count: Count, datatype: MPI_Datatype, op: MPI_Op) {
        let count = checked_count(count.into())?;
        let reduction = library.reduction(op, datatype)?;
        let (input, inout) = (inbuf.address().cast::<u8>(), inoutbuf.address().cast::<u8>());
        let special = |address: *const u8| MPI_IN_PLACE.is(address) || (address.is_null() && count > 0);
        if special(input) || special(inout) {
            return Err(Fault::new(MPI_ERR_BUFFER, "inbuf or inoutbuf is no buffer"));
        }
        if count > 0 && input == inout.cast_const() {
            return Err(Fault::new(MPI_ERR_BUFFER, "inbuf and inoutbuf are the same"));
        }
        // SAFETY: the caller in C vouches for both buffers; nothing is borrowed.
        unsafe { reduction.apply(input, inout, count) };
        Ok(())
    }
}
