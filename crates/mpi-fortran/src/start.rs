//! Calls whose Fortran form differs from C's: start and time, addresses, what returns a pointer or a string's length.
//! Source: MPI 5.0, appendix A, section on Fortran bindings with `mpif.h`.
//! Rules: each stands twice, as `mpi_` and as `pmpi_`, and calls C by the same kind of name.

#![allow(missing_docs, clippy::missing_safety_doc)]

use crate::abi::*;
use crate::arguments::{Ierror, Room, Text};
use crate::wrappers::*;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// Defines a procedure under both of its names; `$call` is the C function, if it needs one, chosen alike.
macro_rules! procedures {
    ($($name:ident, $p_name:ident$(: $call:ident = $c:ident, $p_c:ident)?;
       ($($argument:ident: $type:ty),* $(,)?) $(-> $returned:ty)? $body:block)+) => {$(
        procedures!(@one $name $($call $c)?; ($($argument: $type),*) $(-> $returned)? $body);
        procedures!(@one $p_name $($call $p_c)?; ($($argument: $type),*) $(-> $returned)? $body);
    )+};
    (@one $name:ident $($call:ident $c:ident)?; ($($argument:ident: $type:ty),*) $(-> $returned:ty)? $body:block) => {
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $returned)? {
            $(use crate::wrappers::$c as $call;)?
            // SAFETY: Fortran passes each argument by reference, and the call keeps the standard's rules.
            unsafe { $body }
        }
    };
}

pub(crate) use procedures;

procedures! {
    mpi_init_, pmpi_init_: call = MPI_Init, PMPI_Init; (ierror: Ierror) {
        ierror.set(call(null_mut(), null_mut()));
    }
    mpi_init_thread_, pmpi_init_thread_: call = MPI_Init_thread, PMPI_Init_thread;
    (required: *const c_int, provided: *mut c_int, ierror: Ierror) {
        ierror.set(call(null_mut(), null_mut(), *required, provided));
    }
    mpi_wtime_, pmpi_wtime_: call = MPI_Wtime, PMPI_Wtime; () -> f64 {
        call()
    }
    mpi_wtick_, pmpi_wtick_: call = MPI_Wtick, PMPI_Wtick; () -> f64 {
        call()
    }
    mpi_aint_add_, pmpi_aint_add_: call = MPI_Aint_add, PMPI_Aint_add;
    (base: *const MPI_Aint, displacement: *const MPI_Aint) -> MPI_Aint {
        call(*base, *displacement)
    }
    mpi_aint_diff_, pmpi_aint_diff_: call = MPI_Aint_diff, PMPI_Aint_diff;
    (left: *const MPI_Aint, right: *const MPI_Aint) -> MPI_Aint {
        call(*left, *right)
    }
    mpi_pcontrol_, pmpi_pcontrol_: call = MPI_Pcontrol, PMPI_Pcontrol; (level: *const c_int) {
        call(*level);
    }
    // Fortran has no pointer for the address of the buffer, and does not get it.
    mpi_buffer_detach_, pmpi_buffer_detach_: call = MPI_Buffer_detach, PMPI_Buffer_detach;
    (_buffer: *mut c_void, size: *mut c_int, ierror: Ierror) {
        let mut address: *mut c_void = null_mut();
        ierror.set(call((&raw mut address).cast(), size));
    }
    mpi_comm_detach_buffer_, pmpi_comm_detach_buffer_: call = MPI_Comm_detach_buffer, PMPI_Comm_detach_buffer;
    (comm: *const c_int, _buffer: *mut c_void, size: *mut c_int, ierror: Ierror) {
        let mut address: *mut c_void = null_mut();
        ierror.set(call(MPI_Comm_fromint(*comm), (&raw mut address).cast(), size));
    }
    mpi_session_detach_buffer_, pmpi_session_detach_buffer_:
    call = MPI_Session_detach_buffer, PMPI_Session_detach_buffer;
    (session: *const c_int, _buffer: *mut c_void, size: *mut c_int, ierror: Ierror) {
        let mut address: *mut c_void = null_mut();
        ierror.set(call(MPI_Session_fromint(*session), (&raw mut address).cast(), size));
    }
    mpi_info_create_env_, pmpi_info_create_env_: call = MPI_Info_create_env, PMPI_Info_create_env;
    (info: *mut c_int, ierror: Ierror) {
        let mut created = MPI_INFO_NULL;
        ierror.set(call(0, null_mut(), &mut created));
        *info = MPI_Info_toint(created);
    }
    // The lengths count the null in C, and Fortran has none.
    mpi_info_get_string_, pmpi_info_get_string_: call = MPI_Info_get_string, PMPI_Info_get_string;
    (info: *const c_int, key: *const c_char, buflen: *mut c_int, value: *mut c_char, flag: *mut c_int,
     ierror: Ierror, key_length: usize, value_length: usize) {
        let key = Text::trimmed(key, key_length);
        let mut room = Room::new(value_length);
        let wanted = (*buflen).clamp(0, c_int::try_from(value_length).unwrap_or(c_int::MAX - 1));
        let (mut length, mut found) = (if wanted > 0 { wanted + 1 } else { 0 }, 0);
        let code = ierror.set(call(MPI_Info_fromint(*info), key.as_ptr(), &mut length, room.as_mut_ptr(), &mut found));
        *flag = c_int::from(found != 0);
        if code == MPI_SUCCESS && found != 0 {
            *buflen = (length - 1).max(0);
            if wanted > 0 {
                room.write(value, value_length);
            }
        }
    }
    mpi_session_get_nth_pset_, pmpi_session_get_nth_pset_:
    call = MPI_Session_get_nth_pset, PMPI_Session_get_nth_pset;
    (session: *const c_int, info: *const c_int, n: *const c_int, pset_len: *mut c_int, pset_name: *mut c_char,
     ierror: Ierror, name_length: usize) {
        let mut room = Room::new(name_length);
        let wanted = (*pset_len).clamp(0, c_int::try_from(name_length).unwrap_or(c_int::MAX - 1));
        let mut length = if wanted > 0 { wanted + 1 } else { 0 };
        let (session, info) = (MPI_Session_fromint(*session), MPI_Info_fromint(*info));
        let code = ierror.set(call(session, info, *n, &mut length, room.as_mut_ptr()));
        if code == MPI_SUCCESS {
            *pset_len = (length - 1).max(0);
            if wanted > 0 {
                room.write(pset_name, name_length);
            }
        }
    }
    // Statuses are the same words in both of Fortran's bindings.
    mpi_status_f2f08_, pmpi_status_f2f08_;
    (from: *const MPI_Status, to: *mut MPI_Status, ierror: Ierror) {
        *to = *from;
        ierror.set(MPI_SUCCESS);
    }
    mpi_status_f082f_, pmpi_status_f082f_;
    (from: *const MPI_Status, to: *mut MPI_Status, ierror: Ierror) {
        *to = *from;
        ierror.set(MPI_SUCCESS);
    }
    // Arguments of programs are arrays of strings without an end of their own: nobody has asked for them yet.
    mpi_comm_spawn_, pmpi_comm_spawn_: call = MPI_Comm_call_errhandler, PMPI_Comm_call_errhandler;
    (_command: *const c_char, _argv: *const c_char, _maxprocs: *const c_int, _info: *const c_int,
     _root: *const c_int, comm: *const c_int, _intercomm: *mut c_int, _codes: *mut c_int, ierror: Ierror,
     _command_length: usize, _argv_length: usize) {
        eprintln!("MPI_COMM_SPAWN is not supported from Fortran");
        call(MPI_Comm_fromint(*comm), MPI_ERR_UNSUPPORTED_OPERATION);
        ierror.set(MPI_ERR_UNSUPPORTED_OPERATION);
    }
    mpi_comm_spawn_multiple_, pmpi_comm_spawn_multiple_:
    call = MPI_Comm_call_errhandler, PMPI_Comm_call_errhandler;
    (_count: *const c_int, _commands: *const c_char, _argvs: *const c_char, _maxprocs: *const c_int,
     _infos: *const c_int, _root: *const c_int, comm: *const c_int, _intercomm: *mut c_int, _codes: *mut c_int,
     ierror: Ierror, _commands_length: usize, _argvs_length: usize) {
        eprintln!("MPI_COMM_SPAWN_MULTIPLE is not supported from Fortran");
        call(MPI_Comm_fromint(*comm), MPI_ERR_UNSUPPORTED_OPERATION);
        ierror.set(MPI_ERR_UNSUPPORTED_OPERATION);
    }
    mpi_register_datarep_, pmpi_register_datarep_: call = MPI_File_call_errhandler, PMPI_File_call_errhandler;
    (_datarep: *const c_char, _read: *const c_void, _write: *const c_void, _extent: *const c_void,
     _extra_state: *const MPI_Aint, ierror: Ierror, _length: usize) {
        eprintln!("MPI_REGISTER_DATAREP is not supported from Fortran");
        call(MPI_FILE_NULL, MPI_ERR_UNSUPPORTED_OPERATION);
        ierror.set(MPI_ERR_UNSUPPORTED_OPERATION);
    }
}

/// The call is all: a compiler keeps in memory what it passes to a procedure that it cannot see.
#[unsafe(no_mangle)]
pub extern "C" fn mpi_f_sync_reg_(_variable: *mut c_void) {}

/// As `mpi_f_sync_reg_`.
#[unsafe(no_mangle)]
pub extern "C" fn pmpi_f_sync_reg_(_variable: *mut c_void) {}
