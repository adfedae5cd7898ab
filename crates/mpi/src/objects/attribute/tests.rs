//! Attributes: the life of keyvals, the order of callbacks, and what their errors do.
//! Rules: MPI 5.0, section 7.7; callbacks here note each call in a list that their extra state points to.
//! The order of deletion is shown to differ from the order of setting.

use std::cell::RefCell;

use super::*;
use crate::abi::{
    Address, MPI_COMM_DUP_FN, MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, MPI_TAG_UB,
};

type Notes = RefCell<Vec<(&'static str, usize, c_int, usize)>>;

/// What a value makes the functions below do.
const REFUSED: usize = 66;
const NOT_COPIED: usize = 7;

unsafe extern "C" fn copy(
    object: usize,
    keyval: c_int,
    extra_state: *mut c_void,
    value: *mut c_void,
    copy: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: the tests pass such a list, and places to write to.
    unsafe {
        (*extra_state.cast::<Notes>()).borrow_mut().push(("copy", object, keyval, value.addr()));
        *copy.cast::<*mut c_void>() = value.wrapping_byte_add(1);
        *flag = c_int::from(value.addr() != NOT_COPIED);
    }
    if value.addr() == REFUSED { 321 } else { MPI_SUCCESS }
}

unsafe extern "C" fn delete(
    object: usize,
    keyval: c_int,
    value: *mut c_void,
    extra_state: *mut c_void,
) -> c_int {
    // SAFETY: the tests pass such a list.
    unsafe {
        (*extra_state.cast::<Notes>()).borrow_mut().push(("delete", object, keyval, value.addr()));
    }
    if value.addr() == REFUSED { 123 } else { MPI_SUCCESS }
}

fn value(number: usize) -> *mut c_void {
    ptr::without_provenance_mut(number)
}

fn noting(keyvals: &mut Keyvals, notes: &Notes) -> c_int {
    let extra_state = ptr::from_ref(notes).cast_mut().cast();
    let (copy, delete) = (CopyFunction::User(copy), DeleteFunction::User(delete));
    keyvals.create(Kind::Comm, copy, delete, extra_state)
}

/// As freeing an object does it.
fn delete_all(attributes: &mut Attributes, object: usize) -> Result<(), AttributeError> {
    while let Some(attribute) = attributes.last().cloned() {
        // SAFETY: nothing is borrowed.
        unsafe { attribute.delete(object) }?;
        attributes.remove(attribute.number());
    }
    Ok(())
}

#[test]
fn attributes_are_deleted_in_reverse() {
    let (notes, mut keyvals, mut attributes) =
        (Notes::default(), Keyvals::new(), Attributes::new());
    let numbers: Vec<c_int> = (0..3).map(|_| noting(&mut keyvals, &notes)).collect();
    for (number, at) in numbers.iter().zip(10..) {
        attributes.set(Rc::clone(keyvals.find(Kind::Comm, *number).unwrap()), value(at));
    }
    // Setting the first again makes it the last.
    attributes.set(Rc::clone(keyvals.find(Kind::Comm, numbers[0]).unwrap()), value(20));
    delete_all(&mut attributes, 5).unwrap();
    let expected = [(numbers[0], 20), (numbers[2], 12), (numbers[1], 11)];
    assert_eq!(*notes.borrow(), expected.map(|(number, value)| ("delete", 5, number, value)));
    assert!(attributes.is_empty());
}

#[test]
fn attributes_are_copied_in_order_as_their_functions_say() {
    let (notes, mut keyvals, mut attributes) =
        (Notes::default(), Keyvals::new(), Attributes::new());
    let create = |keyvals: &mut Keyvals, function: Address| {
        // SAFETY: the functions are predefined.
        let copy = unsafe { CopyFunction::from_address(function) };
        // SAFETY: as above.
        let delete = unsafe { DeleteFunction::from_address(MPI_COMM_NULL_DELETE_FN) };
        keyvals.create(Kind::Comm, copy, delete, ptr::null_mut())
    };
    let null = create(&mut keyvals, MPI_COMM_NULL_COPY_FN);
    let dup = create(&mut keyvals, MPI_COMM_DUP_FN);
    let (first, second) = (noting(&mut keyvals, &notes), noting(&mut keyvals, &notes));
    for (number, at) in [(null, 1), (first, 2), (dup, 3), (second, NOT_COPIED)] {
        attributes.set(Rc::clone(keyvals.find(Kind::Comm, number).unwrap()), value(at));
    }
    // SAFETY: nothing is borrowed.
    let copies = unsafe { copy_all(&attributes.to_vec(), 9) }.unwrap();
    let values: Vec<_> = copies.to_vec().iter().map(|a| (a.number(), a.value().addr())).collect();
    assert_eq!(values, [(first, 3), (dup, 3)]);
    assert_eq!(*notes.borrow(), [("copy", 9, first, 2), ("copy", 9, second, NOT_COPIED)]);
}

#[test]
fn a_failing_function_keeps_the_attribute() {
    let (notes, mut keyvals, mut attributes) =
        (Notes::default(), Keyvals::new(), Attributes::new());
    let (first, second) = (noting(&mut keyvals, &notes), noting(&mut keyvals, &notes));
    attributes.set(Rc::clone(keyvals.find(Kind::Comm, first).unwrap()), value(1));
    attributes.set(Rc::clone(keyvals.find(Kind::Comm, second).unwrap()), value(REFUSED));
    let error = delete_all(&mut attributes, 5).unwrap_err();
    assert_eq!(error, AttributeError::Callback { callback: "delete", number: second, code: 123 });
    assert_eq!((error.class(), attributes.to_vec().len()), (123, 2));
    // SAFETY: nothing is borrowed.
    let (error, copied) = unsafe { copy_all(&attributes.to_vec(), 5) }.unwrap_err();
    assert_eq!((error.class(), copied.to_vec().len()), (321, 1));
}

#[test]
fn a_freed_keyval_lives_while_it_is_used() {
    let (notes, mut keyvals, mut attributes) =
        (Notes::default(), Keyvals::new(), Attributes::new());
    let number = noting(&mut keyvals, &notes);
    let keyval = Rc::downgrade(keyvals.find(Kind::Comm, number).unwrap());
    attributes.set(keyval.upgrade().unwrap(), value(1));
    keyvals.free(Kind::Comm, number).unwrap();
    assert_eq!(keyvals.find(Kind::Comm, number).unwrap_err().class(), MPI_ERR_KEYVAL);
    assert_eq!(keyvals.free(Kind::Comm, number), Ok(()));
    assert_eq!(keyvals.free(Kind::Type, number).unwrap_err().class(), MPI_ERR_KEYVAL);
    assert_eq!(attributes.find(number).unwrap().value(), value(1));
    assert_ne!(noting(&mut keyvals, &notes), number);
    delete_all(&mut attributes, 5).unwrap();
    assert_eq!(*notes.borrow(), [("delete", 5, number, 1)]);
    assert!(keyval.upgrade().is_none());
    assert_eq!(keyvals.free(Kind::Comm, number).unwrap_err().class(), MPI_ERR_KEYVAL);
}

#[test]
fn keyvals_are_of_one_kind() {
    let (notes, mut keyvals) = (Notes::default(), Keyvals::new());
    let number = noting(&mut keyvals, &notes);
    let error = keyvals.find(Kind::Type, number).unwrap_err();
    assert_eq!(error.to_string(), format!("keyval {number} is not a datatype keyval"));
    assert_eq!(keyvals.free(Kind::Win, number).unwrap_err().class(), MPI_ERR_KEYVAL);
    assert!(keyvals.find(Kind::Comm, number).is_ok());
    let error = keyvals.find(Kind::Comm, MPI_TAG_UB).unwrap_err();
    assert_eq!(error, AttributeError::Predefined { number: MPI_TAG_UB });
    let none = Attributes::new();
    assert_eq!(none.existing(number).unwrap_err().class(), MPI_ERR_KEYVAL);
}

#[test]
fn predefined_values_have_an_address_each() {
    let values = Predefined::new([(MPI_TAG_UB, 1 << 30), (506, 7)]);
    let read = |number| {
        let address: *mut c_int = values.find(number).unwrap().cast();
        // SAFETY: it is an int that lives as long as the values do.
        unsafe { address.read() }
    };
    assert_eq!((read(MPI_TAG_UB), read(506)), (1 << 30, 7));
    let before = values.find(506);
    values.update(506, 8);
    assert_eq!((read(506), values.find(506)), (8, before));
    assert_eq!(values.find(505), None);
}
