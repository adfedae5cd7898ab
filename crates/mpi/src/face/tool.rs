//! The interface of tools: this library has no variables, no events and no categories, and says so.
//! `MPI_Pcontrol` does nothing here; a profiling tool may define it.
//! Source: MPI 5.0, chapter *Tool Support*.
//! Rules: these calls return their own error classes, and never call an error handler.

use super::border::{In, Out};
use super::export::export;
use super::fault::Fault;
use super::table::Table;
use crate::abi::*;
use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The state of the interface.
struct Tools {
    /// How often it was initialised and not yet finalized.
    begun: usize,
    /// The sessions of performance variables, which have no variables to keep.
    sessions: Table<()>,
}

static TOOLS: Mutex<Tools> = Mutex::new(Tools { begun: 0, sessions: Table::new() });

/// The state, for one thread at a time; a call that failed has changed nothing.
fn tools() -> MutexGuard<'static, Tools> {
    TOOLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers a call, if the interface is initialised.
fn answer(body: impl FnOnce(&mut Tools) -> Result<(), c_int>) -> c_int {
    let mut tools = tools();
    match tools.begun {
        0 => MPI_T_ERR_NOT_INITIALIZED,
        _ => body(&mut tools).err().unwrap_or(MPI_SUCCESS),
    }
}

/// A call about something that does not exist.
fn lacking(class: c_int) -> c_int {
    answer(|_| Err(class))
}

/// A call that says how many things there are.
fn none(count: Out<c_int>) -> c_int {
    answer(|_| give(count, 0))
}

/// Writes a result.
fn give<T>(out: Out<T>, value: T) -> Result<(), c_int> {
    out.set("result", value).map_err(|_: Fault| MPI_T_ERR_INVALID)
}

/// A call on a session, which has no handle for any variable but the one that stands for all.
fn on_session(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> c_int {
    answer(|tools| match (tools.sessions.get(session.0), handle) {
        (None, _) => Err(MPI_T_ERR_INVALID_SESSION),
        (Some(()), MPI_T_PVAR_ALL_HANDLES) => Ok(()),
        (Some(()), _) => Err(MPI_T_ERR_INVALID_HANDLE),
    })
}

export! {
    /// Tells a profiling tool how much to do; here is none.
    fn MPI_Pcontrol(_level: c_int) -> c_int {
        MPI_SUCCESS
    }

    /// Begins the use of the interface; may be called at any time, and more than once.
    fn MPI_T_init_thread(_required: c_int, provided: Out<c_int>) -> c_int {
        tools().begun += 1;
        answer(|_| give(provided, MPI_THREAD_SERIALIZED))
    }

    /// Ends one use of the interface.
    fn MPI_T_finalize() -> c_int {
        answer(|tools| {
            tools.begun -= 1;
            Ok(())
        })
    }

    fn MPI_T_category_changed(update_number: Out<c_int>) -> c_int { none(update_number) }
    fn MPI_T_category_get_num(num_cat: Out<c_int>) -> c_int { none(num_cat) }
    fn MPI_T_cvar_get_num(num_cvar: Out<c_int>) -> c_int { none(num_cvar) }
    fn MPI_T_pvar_get_num(num_pvar: Out<c_int>) -> c_int { none(num_pvar) }
    fn MPI_T_event_get_num(num_events: Out<c_int>) -> c_int { none(num_events) }
    fn MPI_T_source_get_num(num_sources: Out<c_int>) -> c_int { none(num_sources) }

    fn MPI_T_category_get_categories(_cat_index: c_int, _len: c_int, _indices: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_category_get_cvars(_cat_index: c_int, _len: c_int, _indices: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_category_get_events(_cat_index: c_int, _len: c_int, _indices: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_category_get_pvars(_cat_index: c_int, _len: c_int, _indices: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_category_get_num_events(_cat_index: c_int, _num_events: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_category_get_info(
        _cat_index: c_int, _name: Out<c_char>, _name_len: Out<c_int>, _desc: Out<c_char>, _desc_len: Out<c_int>,
        _num_cvars: Out<c_int>, _num_pvars: Out<c_int>, _num_categories: Out<c_int>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_category_get_index(_name: In<c_char>, _cat_index: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_NAME)
    }

    fn MPI_T_cvar_get_index(_name: In<c_char>, _cvar_index: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_NAME)
    }
    fn MPI_T_cvar_get_info(
        _cvar_index: c_int, _name: Out<c_char>, _name_len: Out<c_int>, _verbosity: Out<c_int>,
        _datatype: Out<MPI_Datatype>, _enumtype: Out<MPI_T_enum>, _desc: Out<c_char>, _desc_len: Out<c_int>,
        _bind: Out<c_int>, _scope: Out<c_int>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_cvar_handle_alloc(
        _cvar_index: c_int, _object: Out<c_void>, _handle: Out<MPI_T_cvar_handle>, _count: Out<c_int>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_cvar_handle_free(_handle: Out<MPI_T_cvar_handle>) -> c_int { lacking(MPI_T_ERR_INVALID_HANDLE) }
    fn MPI_T_cvar_read(_handle: MPI_T_cvar_handle, _value: Out<c_void>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_cvar_write(_handle: MPI_T_cvar_handle, _value: In<c_void>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }

    fn MPI_T_enum_get_info(
        _enumtype: MPI_T_enum, _num: Out<c_int>, _name: Out<c_char>, _name_len: Out<c_int>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_enum_get_item(
        _enumtype: MPI_T_enum, _index: c_int, _value: Out<c_int>, _name: Out<c_char>, _name_len: Out<c_int>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }

    /// Begins a session of performance variables.
    fn MPI_T_pvar_session_create(session: Out<MPI_T_pvar_session>) -> c_int {
        answer(|tools| {
            let made = tools.sessions.insert(()).ok_or(MPI_T_ERR_OUT_OF_SESSIONS)?;
            give(session, MPI_T_pvar_session(made))
        })
    }

    /// Ends a session of performance variables.
    fn MPI_T_pvar_session_free(session: Out<MPI_T_pvar_session>) -> c_int {
        answer(|tools| {
            let made = session.value("session").map_err(|_| MPI_T_ERR_INVALID)?;
            tools.sessions.remove(made.0).ok_or(MPI_T_ERR_INVALID_SESSION)?;
            give(session, MPI_T_PVAR_SESSION_NULL)
        })
    }

    fn MPI_T_pvar_get_index(_name: In<c_char>, _var_class: c_int, _pvar_index: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_NAME)
    }
    fn MPI_T_pvar_get_info(
        _pvar_index: c_int, _name: Out<c_char>, _name_len: Out<c_int>, _verbosity: Out<c_int>,
        _var_class: Out<c_int>, _datatype: Out<MPI_Datatype>, _enumtype: Out<MPI_T_enum>, _desc: Out<c_char>,
        _desc_len: Out<c_int>, _bind: Out<c_int>, _readonly: Out<c_int>, _continuous: Out<c_int>,
        _atomic: Out<c_int>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_pvar_handle_alloc(
        _session: MPI_T_pvar_session, _pvar_index: c_int, _object: Out<c_void>, _handle: Out<MPI_T_pvar_handle>,
        _count: Out<c_int>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_pvar_handle_free(_session: MPI_T_pvar_session, _handle: Out<MPI_T_pvar_handle>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_pvar_read(_session: MPI_T_pvar_session, _handle: MPI_T_pvar_handle, _value: Out<c_void>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_pvar_readreset(
        _session: MPI_T_pvar_session, _handle: MPI_T_pvar_handle, _value: Out<c_void>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_pvar_write(_session: MPI_T_pvar_session, _handle: MPI_T_pvar_handle, _value: In<c_void>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_pvar_reset(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> c_int {
        on_session(session, handle)
    }
    fn MPI_T_pvar_start(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> c_int {
        on_session(session, handle)
    }
    fn MPI_T_pvar_stop(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> c_int {
        on_session(session, handle)
    }

    fn MPI_T_event_get_index(_name: In<c_char>, _event_index: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_NAME)
    }
    fn MPI_T_event_get_info(
        _event_index: c_int, _name: Out<c_char>, _name_len: Out<c_int>, _verbosity: Out<c_int>,
        _datatypes: Out<MPI_Datatype>, _displacements: Out<MPI_Aint>, _num_elements: Out<c_int>,
        _enumtype: Out<MPI_T_enum>, _info: Out<MPI_Info>, _desc: Out<c_char>, _desc_len: Out<c_int>,
        _bind: Out<c_int>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_event_handle_alloc(
        _event_index: c_int, _object: Out<c_void>, _info: MPI_Info, _registration: Out<MPI_T_event_registration>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_event_handle_free(
        _registration: MPI_T_event_registration, _user_data: Out<c_void>, _free: MPI_T_event_free_cb_function,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_handle_get_info(_registration: MPI_T_event_registration, _info: Out<MPI_Info>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_handle_set_info(_registration: MPI_T_event_registration, _info: MPI_Info) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_register_callback(
        _registration: MPI_T_event_registration, _safety: MPI_T_cb_safety, _info: MPI_Info,
        _user_data: Out<c_void>, _callback: MPI_T_event_cb_function,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_callback_get_info(
        _registration: MPI_T_event_registration, _safety: MPI_T_cb_safety, _info: Out<MPI_Info>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_callback_set_info(
        _registration: MPI_T_event_registration, _safety: MPI_T_cb_safety, _info: MPI_Info,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_set_dropped_handler(
        _registration: MPI_T_event_registration, _handler: MPI_T_event_dropped_cb_function,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_read(_event: MPI_T_event_instance, _element: c_int, _value: Out<c_void>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_copy(_event: MPI_T_event_instance, _value: Out<c_void>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_get_source(_event: MPI_T_event_instance, _source_index: Out<c_int>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }
    fn MPI_T_event_get_timestamp(_event: MPI_T_event_instance, _timestamp: Out<MPI_Count>) -> c_int {
        lacking(MPI_T_ERR_INVALID_HANDLE)
    }

    fn MPI_T_source_get_info(
        _source_index: c_int, _name: Out<c_char>, _name_len: Out<c_int>, _desc: Out<c_char>,
        _desc_len: Out<c_int>, _ordering: Out<MPI_T_source_order>, _ticks_per_second: Out<MPI_Count>,
        _max_ticks: Out<MPI_Count>, _info: Out<MPI_Info>,
    ) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
    fn MPI_T_source_get_timestamp(_source_index: c_int, _timestamp: Out<MPI_Count>) -> c_int {
        lacking(MPI_T_ERR_INVALID_INDEX)
    }
}
