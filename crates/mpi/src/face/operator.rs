//! Operators by their handles.
//! Source: MPI 5.0, sections *Predefined Reduction Operations* and *User-Defined Reduction Operations*.
//! Rules: an operator is copied out of its table, so a call that was begun with it outlives its handle.

use super::border::Out;
use super::export::export;
use super::fault::Fault;
use super::library::{Library, keep};
use crate::abi::*;
use crate::objects::op::{UserFunction, UserOperator};
use std::ffi::c_int;

impl Library {
    fn keep_operator(
        &self,
        function: UserFunction,
        commute: c_int,
        op: Out<MPI_Op>,
    ) -> Result<(), Fault> {
        let operator = UserOperator { function, commutes: commute != 0 };
        op.set("op", MPI_Op(keep(&self.operators, operator)?))
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
        if library.operators.borrow_mut().remove(handle.0).is_none() {
            return Err(Fault::handle(MPI_ERR_OP, "op", handle.0));
        }
        op.set("op", MPI_OP_NULL)
    }

    /// Whether operands may be exchanged.
    fn MPI_Op_commutative(library; op: MPI_Op, commute: Out<c_int>) {
        commute.set("commute", c_int::from(library.operator(op)?.commutes()))
    }
}
