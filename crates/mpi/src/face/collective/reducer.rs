//! An operator for the elements of one call.
//! Source: MPI 5.0, sections *Global Reduction Operations* and *User-Defined Reduction Operations*.
//! Rules: operands are combined in the order of ranks; nothing is borrowed while a function of the program runs.

use crate::abi::*;
use crate::datatype::Datatype;
use crate::face::fault::Fault;
use crate::face::library::{LIBRARY, Library, keep};
use crate::face::memory::{Layout, Memory};
use crate::objects::op::{Element, Kernel, Operator, UserOperator, kernel};
use std::sync::Arc;

/// So many bytes of what is combined into lower operands are copied at a time: they stay in the nearest cache.
pub(crate) const PIECE_BYTES: usize = 4 << 10;

/// A place for them.
#[repr(align(64))]
struct Piece([u8; PIECE_BYTES]);

/// An operator for the elements of one call.
#[derive(Clone)]
pub(crate) enum Reducer {
    /// A loop over elements without gaps, which are so many bytes apart.
    Kernel(Kernel, usize),
    /// A function of the program, with the datatype that it is told, and what this is where the program made it.
    User(UserOperator, MPI_Datatype, Option<Arc<Datatype>>),
}

impl Library {
    /// What predefined operators work on, if it is that. Of an unnamed predefined datatype, as Fortran asks for,
    /// it is that of the kind.
    fn element(&self, datatype: MPI_Datatype) -> Result<Option<Element>, Fault> {
        if let Some(element) = Element::of(datatype) {
            return Ok(Some(element));
        }
        let basic = self.datatype(datatype)?.basic();
        Ok(basic.and_then(|basic| Element::of(MPI_Datatype(basic.handle()))))
    }

    /// The operator of a call.
    pub(crate) fn reducer(&self, op: MPI_Op, datatype: MPI_Datatype) -> Result<Reducer, Fault> {
        match self.operator(op)? {
            Operator::User(user) => {
                let made = self.types.borrow().get(datatype.0).cloned();
                Ok(Reducer::User(user, datatype, made))
            }
            Operator::Builtin(builtin) => {
                let Some(element) = self.element(datatype)? else {
                    let message = format!("{} is not defined for this datatype", builtin.name());
                    return Err(Fault::new(MPI_ERR_OP, message));
                };
                if !builtin.reduces() {
                    let message = format!("{} is not for reductions", builtin.name());
                    return Err(Fault::new(MPI_ERR_OP, message));
                }
                Ok(Reducer::Kernel(kernel(builtin, element)?, element.extent()))
            }
        }
    }
}

/// A handle for a datatype that the program has freed since the call; None if it has not.
fn lend(datatype: MPI_Datatype, made: &Arc<Datatype>) -> Option<MPI_Datatype> {
    let is_there = LIBRARY.types.borrow().get(datatype.0).is_some();
    if is_there { None } else { keep(&LIBRARY.types, made.clone()).ok().map(MPI_Datatype) }
}

impl Reducer {
    /// `inout[i] = op(input[i], inout[i])`, where `input` is of lower ranks.
    pub(crate) fn combine(&self, input: &Memory, inout: &Memory) {
        let count = input.count().min(inout.count());
        if count == 0 {
            return;
        }
        let (from, to) = (input.address(), inout.address());
        match self {
            Reducer::Kernel(kernel, extent) => {
                // SAFETY: both have so many elements, without gaps, and do not overlap.
                let (from, to) = unsafe {
                    let bytes = extent * count;
                    (
                        std::slice::from_raw_parts(from, bytes),
                        std::slice::from_raw_parts_mut(to, bytes),
                    )
                };
                kernel(from, to);
            }
            Reducer::User(user, datatype, made) => {
                let lent = made.as_ref().and_then(|made| lend(*datatype, made));
                let told = lent.unwrap_or(*datatype);
                // SAFETY: both have so many elements of the datatype; nothing of the library is borrowed.
                unsafe {
                    user.call(from, to, count as MPI_Count, told, input.layout().extent());
                }
                if let Some(lent) = lent {
                    LIBRARY.types.borrow_mut().remove(lent.0);
                }
            }
        }
    }

    /// `lower[i] = op(lower[i], higher[i])`, of as many elements without gaps, if a loop of this library does that. (It leaves what it
    /// combines in place of the higher operand, which is another's here.)
    pub(crate) fn combine_into_lower(&self, lower: &mut [u8], higher: &[u8]) {
        let Reducer::Kernel(kernel, extent) = self else { return };
        let mut room = Piece([0; PIECE_BYTES]);
        let step = PIECE_BYTES / extent * extent;
        for (lower, higher) in lower.chunks_mut(step).zip(higher.chunks(step)) {
            let piece = &mut room.0[..higher.len()];
            piece.copy_from_slice(higher);
            kernel(lower, piece);
            lower.copy_from_slice(piece);
        }
    }

    /// Whether this layout is one that the operator works on.
    pub(crate) fn check(&self, layout: &Layout) -> Result<(), Fault> {
        match self {
            Reducer::Kernel(_, extent) if layout.extent() != *extent as isize => {
                Err(Fault::new(MPI_ERR_OP, "the operator is not defined for this datatype"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::op::Builtin;

    /// The least of numbers keeps the higher operand where the comparison is false.
    #[test]
    fn pieces_are_combined_in_the_order_of_ranks() {
        let least = kernel(Builtin::Min, Element::of(MPI_DOUBLE).expect("numbers"));
        let reducer = Reducer::Kernel(least.expect("their least"), size_of::<f64>());
        let count = 2 * PIECE_BYTES / size_of::<f64>() + 3;
        let bytes = |of: &dyn Fn(usize) -> f64| -> Vec<u8> {
            (0..count).flat_map(|at| of(at).to_ne_bytes()).collect()
        };
        let mut lower = bytes(&|at| if at % 3 == 0 { f64::NAN } else { at as f64 });
        let higher = bytes(&|at| if at % 5 == 0 { f64::NAN } else { 500.0 });
        reducer.combine_into_lower(&mut lower, &higher);
        let expected = bytes(&|at| match (at % 3, at % 5) {
            (_, 0) => f64::NAN,
            (0, _) => 500.0,
            _ => 500f64.min(at as f64),
        });
        assert_eq!(lower, expected);
    }
}
