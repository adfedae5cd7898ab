//! Attributes: Fortran's are numbers as wide as an address, C's are pointers, and procedures get all by reference.
//! A keyval keeps Fortran's procedures and its extra state in a block, which stays: its attributes may outlive it.
//! Source: MPI 5.0, sections on caching and on attributes between languages.
//! Rules: a predefined attribute is a number in Fortran where C gets the address of one.

#![allow(missing_docs, clippy::missing_safety_doc)]

use crate::abi::*;
use crate::arguments::Ierror;
use crate::start::procedures;
use crate::wrappers::*;
use std::ffi::{c_int, c_void};
use std::ptr::without_provenance_mut;

/// Fortran's copy procedure: object, keyval, extra state, value, copied value, whether to copy, error.
type Copy = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *const MPI_Aint,
    *const MPI_Aint,
    *mut MPI_Aint,
    *mut c_int,
    *mut c_int,
);
/// Fortran's delete procedure: object, keyval, value, extra state, error.
type Delete =
    unsafe extern "C" fn(*const c_int, *const c_int, *const MPI_Aint, *const MPI_Aint, *mut c_int);

/// What a keyval of Fortran's needs.
struct Key {
    copy: Copy,
    delete: Delete,
    extra_state: MPI_Aint,
}

/// Defines C's two callbacks of an object that call Fortran's procedures.
macro_rules! callbacks {
    ($($handle:ident: $copy:ident, $delete:ident, $to:path;)+) => {$(
        /// Copies an attribute by Fortran's procedure.
        ///
        /// # Safety
        ///
        /// The state is a [`Key`], and the other pointers are valid.
        unsafe extern "C" fn $copy(
            object: $handle, keyval: c_int, state: *mut c_void, value: *mut c_void, copied: *mut c_void,
            flag: *mut c_int,
        ) -> c_int {
            let (object, value) = ($to(object), value.addr().cast_signed());
            let (mut new, mut is_copied, mut code) = (0, 0, MPI_SUCCESS);
            // SAFETY: the library hands back the keyval's state; C's binding says that a pointer goes to `copied`.
            unsafe {
                let key = &*state.cast::<Key>();
                (key.copy)(&object, &keyval, &key.extra_state, &value, &mut new, &mut is_copied, &mut code);
                *flag = c_int::from(is_copied != 0);
                if is_copied != 0 {
                    *copied.cast::<MPI_Aint>() = new;
                }
            }
            code
        }

        /// Deletes an attribute by Fortran's procedure.
        ///
        /// # Safety
        ///
        /// The state is a [`Key`].
        unsafe extern "C" fn $delete(
            object: $handle, keyval: c_int, value: *mut c_void, state: *mut c_void,
        ) -> c_int {
            let (object, value, mut code) = ($to(object), value.addr().cast_signed(), MPI_SUCCESS);
            // SAFETY: the library hands back the keyval's state.
            unsafe {
                let key = &*state.cast::<Key>();
                (key.delete)(&object, &keyval, &value, &key.extra_state, &mut code);
            }
            code
        }
    )+};
}

callbacks! {
    MPI_Comm: copy_of_comm, delete_of_comm, MPI_Comm_toint;
    MPI_Datatype: copy_of_type, delete_of_type, MPI_Type_toint;
    MPI_Win: copy_of_win, delete_of_win, MPI_Win_toint;
}

/// Keeps what a keyval needs.
fn key(copy: Copy, delete: Delete, extra_state: MPI_Aint) -> *mut c_void {
    (&raw mut *Box::leak(Box::new(Key { copy, delete, extra_state }))).cast()
}

/// What Fortran sees of an attribute whose value C gets.
///
/// # Safety
///
/// The value is that of an attribute of this keyval.
unsafe fn value_of(keyval: c_int, value: *mut c_void) -> MPI_Aint {
    match keyval {
        MPI_TAG_UB..=MPI_UNIVERSE_SIZE
        | MPI_WIN_DISP_UNIT
        | MPI_WIN_CREATE_FLAVOR
        | MPI_WIN_MODEL => {
            // SAFETY: the value of this attribute is the address of an `int`.
            unsafe { *value.cast::<c_int>() as MPI_Aint }
        }
        // SAFETY: the value of this attribute is the address of an `MPI_Aint`.
        MPI_WIN_SIZE => unsafe { *value.cast::<MPI_Aint>() },
        _ => value.addr().cast_signed(),
    }
}

/// An attribute's value as C keeps it.
fn pointer(value: MPI_Aint) -> *mut c_void {
    without_provenance_mut(value.cast_unsigned())
}

/// Defines the calls on attributes of one kind of object.
macro_rules! attributes {
    ($from:path, $copy:ident, $delete:ident;
     $create:ident, $p_create:ident: $c_create:ident, $p_c_create:ident;
     $set:ident, $p_set:ident: $c_set:ident, $p_c_set:ident;
     $get:ident, $p_get:ident: $c_get:ident, $p_c_get:ident;) => {
        procedures! {
            $create, $p_create: call = $c_create, $p_c_create;
            (copy: Copy, delete: Delete, keyval: *mut c_int, extra_state: *const MPI_Aint, ierror: Ierror) {
                ierror.set(call(Some($copy), Some($delete), keyval, key(copy, delete, *extra_state)));
            }
            $set, $p_set: call = $c_set, $p_c_set;
            (object: *const c_int, keyval: *const c_int, value: *const MPI_Aint, ierror: Ierror) {
                ierror.set(call($from(*object), *keyval, pointer(*value)));
            }
            $get, $p_get: call = $c_get, $p_c_get;
            (object: *const c_int, keyval: *const c_int, value: *mut MPI_Aint, flag: *mut c_int,
             ierror: Ierror) {
                let mut found: *mut c_void = pointer(0);
                let mut is_set = 0;
                let code = ierror.set(call($from(*object), *keyval, (&raw mut found).cast(), &mut is_set));
                *flag = c_int::from(is_set != 0);
                if code == MPI_SUCCESS && is_set != 0 {
                    *value = value_of(*keyval, found);
                }
            }
        }
    };
}

attributes! {
    MPI_Comm_fromint, copy_of_comm, delete_of_comm;
    mpi_comm_create_keyval_, pmpi_comm_create_keyval_: MPI_Comm_create_keyval, PMPI_Comm_create_keyval;
    mpi_comm_set_attr_, pmpi_comm_set_attr_: MPI_Comm_set_attr, PMPI_Comm_set_attr;
    mpi_comm_get_attr_, pmpi_comm_get_attr_: MPI_Comm_get_attr, PMPI_Comm_get_attr;
}

attributes! {
    MPI_Type_fromint, copy_of_type, delete_of_type;
    mpi_type_create_keyval_, pmpi_type_create_keyval_: MPI_Type_create_keyval, PMPI_Type_create_keyval;
    mpi_type_set_attr_, pmpi_type_set_attr_: MPI_Type_set_attr, PMPI_Type_set_attr;
    mpi_type_get_attr_, pmpi_type_get_attr_: MPI_Type_get_attr, PMPI_Type_get_attr;
}

attributes! {
    MPI_Win_fromint, copy_of_win, delete_of_win;
    mpi_win_create_keyval_, pmpi_win_create_keyval_: MPI_Win_create_keyval, PMPI_Win_create_keyval;
    mpi_win_set_attr_, pmpi_win_set_attr_: MPI_Win_set_attr, PMPI_Win_set_attr;
    mpi_win_get_attr_, pmpi_win_get_attr_: MPI_Win_get_attr, PMPI_Win_get_attr;
}

/// The copy procedure of MPI 1, whose values are INTEGERs.
type OldCopy = unsafe extern "C" fn(
    *const c_int,
    *const c_int,
    *const c_int,
    *const c_int,
    *mut c_int,
    *mut c_int,
    *mut c_int,
);
/// The delete procedure of MPI 1.
type OldDelete =
    unsafe extern "C" fn(*const c_int, *const c_int, *const c_int, *const c_int, *mut c_int);

/// What a keyval of MPI 1 needs.
struct OldKey {
    copy: OldCopy,
    delete: OldDelete,
    extra_state: c_int,
}

/// Copies an attribute of MPI 1.
///
/// # Safety
///
/// The state is an [`OldKey`], and the other pointers are valid.
unsafe extern "C" fn old_copy(
    comm: MPI_Comm,
    keyval: c_int,
    state: *mut c_void,
    value: *mut c_void,
    copied: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    let (comm, value) = (MPI_Comm_toint(comm), value.addr() as c_int);
    let (mut new, mut is_copied, mut code) = (0, 0, MPI_SUCCESS);
    // SAFETY: the library hands back the keyval's state; C's binding says that a pointer goes to `copied`.
    unsafe {
        let key = &*state.cast::<OldKey>();
        (key.copy)(&comm, &keyval, &key.extra_state, &value, &mut new, &mut is_copied, &mut code);
        *flag = c_int::from(is_copied != 0);
        if is_copied != 0 {
            *copied.cast::<MPI_Aint>() = new as MPI_Aint;
        }
    }
    code
}

/// Deletes an attribute of MPI 1.
///
/// # Safety
///
/// The state is an [`OldKey`].
unsafe extern "C" fn old_delete(
    comm: MPI_Comm,
    keyval: c_int,
    value: *mut c_void,
    state: *mut c_void,
) -> c_int {
    let (comm, value, mut code) = (MPI_Comm_toint(comm), value.addr() as c_int, MPI_SUCCESS);
    // SAFETY: the library hands back the keyval's state.
    unsafe {
        let key = &*state.cast::<OldKey>();
        (key.delete)(&comm, &keyval, &value, &key.extra_state, &mut code);
    }
    code
}

procedures! {
    mpi_keyval_create_, pmpi_keyval_create_: call = MPI_Comm_create_keyval, PMPI_Comm_create_keyval;
    (copy: OldCopy, delete: OldDelete, keyval: *mut c_int, extra_state: *const c_int, ierror: Ierror) {
        let key = Box::leak(Box::new(OldKey { copy, delete, extra_state: *extra_state }));
        ierror.set(call(Some(old_copy), Some(old_delete), keyval, (&raw mut *key).cast()));
    }
    mpi_attr_put_, pmpi_attr_put_: call = MPI_Comm_set_attr, PMPI_Comm_set_attr;
    (comm: *const c_int, keyval: *const c_int, value: *const c_int, ierror: Ierror) {
        ierror.set(call(MPI_Comm_fromint(*comm), *keyval, pointer(*value as MPI_Aint)));
    }
    mpi_attr_get_, pmpi_attr_get_: call = MPI_Comm_get_attr, PMPI_Comm_get_attr;
    (comm: *const c_int, keyval: *const c_int, value: *mut c_int, flag: *mut c_int, ierror: Ierror) {
        let mut found: *mut c_void = pointer(0);
        let mut is_set = 0;
        let code = ierror.set(call(MPI_Comm_fromint(*comm), *keyval, (&raw mut found).cast(), &mut is_set));
        *flag = c_int::from(is_set != 0);
        if code == MPI_SUCCESS && is_set != 0 {
            *value = value_of(*keyval, found) as c_int;
        }
    }
}

/// Defines the predefined procedures that a program hands over: they do what their names say.
macro_rules! predefined {
    ($value:ty; $($null_copy:ident, $duplicate:ident, $null_delete:ident;)+) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $null_copy(
            _: *const c_int, _: *const c_int, _: *const $value, _: *const $value, _: *mut $value,
            flag: *mut c_int, ierror: *mut c_int,
        ) {
            // SAFETY: the wrapper of a copy callback passes valid pointers.
            unsafe {
                *flag = 0;
                *ierror = MPI_SUCCESS;
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $duplicate(
            _: *const c_int, _: *const c_int, _: *const $value, value: *const $value, copied: *mut $value,
            flag: *mut c_int, ierror: *mut c_int,
        ) {
            // SAFETY: the wrapper of a copy callback passes valid pointers.
            unsafe {
                *copied = *value;
                *flag = 1;
                *ierror = MPI_SUCCESS;
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $null_delete(
            _: *const c_int, _: *const c_int, _: *const $value, _: *const $value, ierror: *mut c_int,
        ) {
            // SAFETY: the wrapper of a delete callback passes a valid pointer.
            unsafe { *ierror = MPI_SUCCESS };
        }
    )+};
}

predefined! {
    MPI_Aint;
    mpi_comm_null_copy_fn_, mpi_comm_dup_fn_, mpi_comm_null_delete_fn_;
    mpi_type_null_copy_fn_, mpi_type_dup_fn_, mpi_type_null_delete_fn_;
    mpi_win_null_copy_fn_, mpi_win_dup_fn_, mpi_win_null_delete_fn_;
}

predefined! {
    c_int;
    mpi_null_copy_fn_, mpi_dup_fn_, mpi_null_delete_fn_;
}
