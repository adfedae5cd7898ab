//! Operators of reductions: the standard's, as loops over bytes, and the program's (MPI 5.0, section 6.9).
//! Rules: operands are in rank order, so `inout[i] = op(in[i], inout[i])` where `in` is of the lower ranks; buffers
//! need no alignment; one dispatch chooses a loop, which the compiler can vectorise.

use std::ffi::c_int;

use super::Classified;
use crate::abi::*;

mod complex;
mod element;
mod half;
mod logical;
#[cfg(target_arch = "x86_64")]
mod long_double;
mod numbers;
mod pairs;
#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
mod quad;
mod table;
#[cfg(test)]
mod tests;
mod user;
mod value;

pub use element::Element;
pub use table::{kernel, packed_kernel};
pub use user::{UserFunction, UserOperator};

/// A loop over elements: `inout[i] = op(in[i], inout[i])`.
///
/// Both slices have the same number of whole elements, which lie as in memory, with their padding.
pub type Kernel = fn(input: &[u8], inout: &mut [u8]);

/// An operator cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpError {
    /// The standard does not define the operator for the type.
    #[error("{operator} is not defined for elements of {element}")]
    Undefined {
        /// The operator.
        operator: &'static str,
        /// The elements.
        element: &'static str,
    },
    /// The standard defines it, and this library has no arithmetic for it on this machine.
    #[error("this library has no {operator} for elements of {element}")]
    Unsupported {
        /// The operator.
        operator: &'static str,
        /// The elements.
        element: &'static str,
    },
}

impl Classified for OpError {
    fn class(&self) -> c_int {
        match self {
            OpError::Undefined { .. } => MPI_ERR_OP,
            OpError::Unsupported { .. } => MPI_ERR_UNSUPPORTED_OPERATION,
        }
    }
}

/// Declares the predefined operators.
macro_rules! builtins {
    ($($(#[$meta:meta])* $name:ident = $handle:ident),+ $(,)?) => {
        /// A predefined operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Builtin {$($(#[$meta])* $name),+}

        impl Builtin {
            /// All of them.
            pub const ALL: &[Builtin] = &[$(Builtin::$name),+];

            /// The operator of a handle.
            pub fn of(handle: MPI_Op) -> Option<Builtin> {
                match handle {
                    $($handle => Some(Builtin::$name),)+
                    _ => None,
                }
            }

            /// The standard's name of it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Builtin::$name => stringify!($handle)),+
                }
            }
        }
    };
}

builtins! {
    /// The sum.
    Sum = MPI_SUM,
    /// The product.
    Prod = MPI_PROD,
    /// The least.
    Min = MPI_MIN,
    /// The greatest.
    Max = MPI_MAX,
    /// Whether both are true.
    Land = MPI_LAND,
    /// Whether one is true.
    Lor = MPI_LOR,
    /// Whether exactly one is true.
    Lxor = MPI_LXOR,
    /// The bits that both have.
    Band = MPI_BAND,
    /// The bits that one has.
    Bor = MPI_BOR,
    /// The bits that exactly one has.
    Bxor = MPI_BXOR,
    /// The least value, and the least index that goes with it.
    Minloc = MPI_MINLOC,
    /// The greatest value, and the least index that goes with it.
    Maxloc = MPI_MAXLOC,
    /// The first operand; in one-sided communication only.
    Replace = MPI_REPLACE,
    /// The second operand; in one-sided communication only.
    NoOp = MPI_NO_OP,
}

impl Builtin {
    /// Whether the operands may be exchanged. The two that choose one operand by its place are not.
    pub fn commutes(self) -> bool {
        self.reduces()
    }

    /// Whether it may be used in reductions, and not only in one-sided communication (MPI 5.0, section 12.3.4).
    pub fn reduces(self) -> bool {
        !matches!(self, Builtin::Replace | Builtin::NoOp)
    }
}

/// An operator that a program passes.
#[derive(Clone, Copy, Debug)]
pub enum Operator {
    /// A predefined one.
    Builtin(Builtin),
    /// The program's.
    User(UserOperator),
}

impl Operator {
    /// Whether the library may exchange operands (`MPI_Op_commutative`).
    pub fn commutes(&self) -> bool {
        match self {
            Operator::Builtin(builtin) => builtin.commutes(),
            Operator::User(user) => user.commutes,
        }
    }
}
