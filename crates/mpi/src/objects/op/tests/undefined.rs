//! Which operators are defined for which types, from the tables of the standard.
//! Rules: MPI 5.0, section 6.9.2; what goes beyond it is listed here by itself.
//! Every predefined datatype is asked for.

use super::*;

/// The groups of types of the standard's table.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    Integer,
    Floating,
    Complex,
    Logical,
    Byte,
    Pair,
}

fn group(element: Element) -> Group {
    match element.name() {
        "a signed integer" | "an unsigned integer" => Group::Integer,
        "a truth value" => Group::Logical,
        "a byte" => Group::Byte,
        "a value and an index" => Group::Pair,
        name if name.starts_with("a complex") => Group::Complex,
        _ => Group::Floating,
    }
}

fn is_defined(operator: Builtin, group: Group) -> bool {
    use Group::{Byte, Complex, Floating, Integer, Logical, Pair};
    match operator {
        Builtin::Max | Builtin::Min => [Integer, Floating].contains(&group),
        Builtin::Sum | Builtin::Prod => [Integer, Floating, Complex].contains(&group),
        // The standard has no logical operators on floating-point numbers.
        Builtin::Land | Builtin::Lor | Builtin::Lxor => {
            [Integer, Logical, Floating].contains(&group)
        }
        Builtin::Band | Builtin::Bor | Builtin::Bxor => [Integer, Byte].contains(&group),
        Builtin::Minloc | Builtin::Maxloc => group == Pair,
        Builtin::Replace | Builtin::NoOp => true,
    }
}

#[test]
#[cfg_attr(not(all(target_arch = "x86_64", target_env = "gnu")), ignore = "some are refused")]
fn operators_are_defined_where_the_standard_says() {
    for &element in Element::ALL {
        for &operator in Builtin::ALL {
            let found = kernel(operator, element);
            assert_eq!(
                found.is_ok(),
                is_defined(operator, group(element)),
                "{operator:?} {element:?}"
            );
            if let Err(error) = found {
                assert_eq!(error.class(), MPI_ERR_OP);
                assert!(error.to_string().starts_with(operator.name()));
            }
        }
    }
    // The check tells the groups apart.
    assert!(!is_defined(Builtin::Band, group(Element::F32)));
    assert!(kernel(Builtin::Band, Element::F32).is_err());
}

#[test]
fn what_no_machine_computes_says_so() {
    let (operator, element) = (Builtin::Sum.name(), Element::F128.name());
    let error = OpError::Unsupported { operator, element };
    assert_eq!(error.class(), MPI_ERR_UNSUPPORTED_OPERATION);
    assert_eq!(
        error.to_string(),
        "this library has no MPI_SUM for elements of a floating-point number of 128 bits"
    );
}

#[test]
fn every_datatype_has_an_element_or_none() {
    let none = [MPI_DATATYPE_NULL, MPI_PACKED, MPI_CHARACTER, MPI_WCHAR];
    for constant in DATATYPES.constants {
        let datatype = MPI_Datatype(constant.value as usize);
        assert_eq!(Element::of(datatype).is_none(), none.contains(&datatype), "{}", constant.name);
    }
    assert_eq!(Element::of(MPI_Datatype(1 << 20)), None);
    assert_eq!(Builtin::of(MPI_OP_NULL), None);
    assert_eq!(Builtin::of(MPI_LXOR).map(Builtin::name), Some("MPI_LXOR"));
}

#[test]
fn a_users_function_gets_all_elements_in_order() {
    use std::ffi::c_void;
    unsafe extern "C" fn subtract(
        input: *mut c_void,
        inout: *mut c_void,
        count: *mut c_int,
        datatype: *mut MPI_Datatype,
    ) {
        // SAFETY: the test passes so many.
        let (input, inout) = unsafe {
            assert_eq!(*datatype, MPI_INT);
            let count = *count as usize;
            (
                std::slice::from_raw_parts(input.cast::<i32>(), count),
                std::slice::from_raw_parts_mut(inout.cast::<i32>(), count),
            )
        };
        for (a, b) in input.iter().zip(inout) {
            *b = a - *b;
        }
    }
    let operator = UserOperator { function: UserFunction::Small(subtract), commutes: false };
    let (input, mut inout) = ([10, 20], [1, 2]);
    // SAFETY: two elements of four bytes each.
    unsafe { operator.call(input.as_ptr().cast(), inout.as_mut_ptr().cast(), 2, MPI_INT, 4) };
    assert_eq!(inout, [9, 18]);
    assert!(!Operator::User(operator).commutes() && Operator::Builtin(Builtin::Sum).commutes());
}
