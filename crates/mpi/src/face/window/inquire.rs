//! What a program asks of a window: its ranks, name, attributes, info, error handler, and the memory of others.
//! Source: MPI 5.0, sections on window attributes, on naming objects and on error handlers.
//! Rules: predefined attributes are addresses of numbers that live as long as the window.

use super::Window;
use super::target::{Access, Target};
use crate::abi::*;
use crate::dialect::Object;
use crate::face::border::{In, Out};
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::objects::attribute::Kind;
use crate::objects::info::Info;
use std::ffi::{c_char, c_int, c_void};

/// The error handler of a window, as one of a communicator: both get the address of a handle.
fn as_comm_function(function: MPI_Win_errhandler_function) -> MPI_Comm_errhandler_function {
    // SAFETY: the two types differ in a handle's type alone, and handles are alike in size and alignment.
    unsafe { std::mem::transmute(function) }
}

impl Window {
    /// The memory of a rank, or of the first that has some, if it can be loaded here; none otherwise.
    fn shown(&self, rank: c_int) -> Result<Target, Fault> {
        let none = Target { access: Access::Mapped, base: 0, bytes: 0, unit: 1 };
        let target = match self.comm.destination(rank, "rank")? {
            Some(_) => self.targets[rank as usize],
            None => self.targets.iter().copied().find(|of| of.bytes > 0).unwrap_or(none),
        };
        match target.access {
            Access::Mapped if self.flavor != MPI_WIN_FLAVOR_DYNAMIC => Ok(target),
            _ => Ok(Target { unit: target.unit, ..none }),
        }
    }
}

impl Library {
    /// A window that may have attributes.
    fn on_win(&self, win: MPI_Win) -> Result<(Kind, usize), Fault> {
        self.window(win)?;
        Ok((Kind::Win, win.0))
    }

    /// A predefined attribute.
    fn window_attribute(&self, win: MPI_Win, keyval: c_int) -> Result<Option<*mut c_void>, Fault> {
        let window = self.window(win)?;
        let own = &window.targets[window.comm.rank as usize];
        Ok(match keyval {
            MPI_WIN_BASE => Some(std::ptr::with_exposed_provenance_mut(own.base)),
            MPI_WIN_SIZE => Some((&raw const window.size).cast_mut().cast()),
            MPI_WIN_DISP_UNIT => Some((&raw const window.unit).cast_mut().cast()),
            MPI_WIN_CREATE_FLAVOR => Some((&raw const window.shown_flavor).cast_mut().cast()),
            MPI_WIN_MODEL => Some((&raw const window.model).cast_mut().cast()),
            _ => None,
        })
    }
}

export! {
    /// The members.
    fn MPI_Win_get_group(library; win: MPI_Win, group: Out<MPI_Group>) {
        library.on_window(win, |window| group.set("group", library.keep_group(window.comm.group())?))
    }

    /// Gives a window a name.
    fn MPI_Win_set_name(library; win: MPI_Win, name: In<c_char>) {
        library.on_window(win, |window| {
            let mut name = name.string("win_name")?;
            while name.len() >= MPI_MAX_OBJECT_NAME {
                name.pop();
            }
            *window.name.borrow_mut() = name;
            Ok(())
        })
    }

    /// The name of a window; the null handle has one, too (MPI 5.0, section on naming objects).
    fn MPI_Win_get_name(library; win: MPI_Win, name: Out<c_char>, length: Out<c_int>) {
        if win == MPI_WIN_NULL {
            let bytes = name.set_string("win_name", "MPI_WIN_NULL", MPI_MAX_OBJECT_NAME)?;
            return length.set("resultlen", bytes as c_int);
        }
        library.on_window(win, |window| {
            let bytes = name.set_string("win_name", &window.name.borrow(), MPI_MAX_OBJECT_NAME)?;
            length.set("resultlen", bytes as c_int)
        })
    }

    /// Takes hints, of which none changes anything.
    fn MPI_Win_set_info(library; win: MPI_Win, info: MPI_Info) {
        library.on_window(win, |_| library.with_info(info, |_| ()))
    }

    /// The hints in use, which are none.
    fn MPI_Win_get_info(library; win: MPI_Win, info: Out<MPI_Info>) {
        library.on_window(win, |_| info.set("info_used", library.keep_info(Info::default())?))
    }

    /// The memory of a rank, where all may load and store.
    fn MPI_Win_shared_query(library; win: MPI_Win, rank: c_int, size: Out<MPI_Aint>, disp_unit: Out<c_int>, baseptr: Out<*mut c_void>) {
        library.on_window(win, |window| {
            let shown = window.shown(rank)?;
            size.set("size", shown.bytes as MPI_Aint)?;
            disp_unit.set("disp_unit", shown.unit as c_int)?;
            baseptr.set("baseptr", std::ptr::with_exposed_provenance_mut(shown.base))
        })
    }

    /// The memory of a rank, with a large unit.
    fn MPI_Win_shared_query_c(library; win: MPI_Win, rank: c_int, size: Out<MPI_Aint>, disp_unit: Out<MPI_Aint>, baseptr: Out<*mut c_void>) {
        library.on_window(win, |window| {
            let shown = window.shown(rank)?;
            size.set("size", shown.bytes as MPI_Aint)?;
            disp_unit.set("disp_unit", shown.unit as MPI_Aint)?;
            baseptr.set("baseptr", std::ptr::with_exposed_provenance_mut(shown.base))
        })
    }

    /// Caches a value on a window.
    fn MPI_Win_set_attr(library; win: MPI_Win, keyval: c_int, value: Out<c_void>) {
        library.set_attribute(library.on_win(win)?, keyval, value.address())
    }

    /// What is cached on a window.
    fn MPI_Win_get_attr(library; win: MPI_Win, keyval: c_int, value: Out<*mut c_void>, flag: Out<c_int>) {
        match library.window_attribute(win, keyval)? {
            Some(found) => {
                value.set("attribute_val", found)?;
                flag.set("flag", 1)
            }
            None => library.tell_attribute(library.on_win(win)?, keyval, (value, flag)),
        }
    }

    /// Deletes what is cached on a window.
    fn MPI_Win_delete_attr(library; win: MPI_Win, keyval: c_int) {
        library.delete_attribute(library.on_win(win)?, keyval)
    }

    /// Makes an error handler of a function.
    anytime fn MPI_Win_create_errhandler(library; function: MPI_Win_errhandler_function, errhandler: Out<MPI_Errhandler>) {
        library.keep_handler(as_comm_function(function), Object::Win, errhandler)
    }

    /// Gives a window an error handler.
    fn MPI_Win_set_errhandler(library; win: MPI_Win, errhandler: MPI_Errhandler) {
        library.on_window(win, |window| {
            library.refer_to_handler(errhandler)?;
            library.release_handler(window.comm.handler.replace(errhandler));
            Ok(())
        })
    }

    /// The error handler of a window.
    fn MPI_Win_get_errhandler(library; win: MPI_Win, errhandler: Out<MPI_Errhandler>) {
        library.on_window(win, |window| {
            let handler = window.comm.handler.get();
            library.refer_to_handler(handler)?;
            errhandler.set("errhandler", handler)
        })
    }

    /// Calls the error handler of a window.
    fn MPI_Win_call_errhandler(library; win: MPI_Win, code: c_int) {
        let window = library.window(win)?;
        let fault = Fault::new(code, "the program called its error handler");
        library.call_handler(window.comm.hearer(), "MPI_Win_call_errhandler", &fault);
        Ok(())
    }
}
