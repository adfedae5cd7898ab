//! Info objects by their handles.
//! Source: MPI 5.0, chapter *The Info Object*.
//! Rules: all of it works before the library is initialised and after it was finalized; `MPI_INFO_ENV` is made when
//! somebody asks for it.

use super::border::{In, Out, locked};
use super::export::export;
use super::fault::Fault;
use super::library::{Library, keep};
use super::objects::length;
use crate::abi::*;
use crate::objects::info::{Environment, Info, fitting};
use std::ffi::{CStr, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::Ordering;

impl Library {
    /// Lets `see` see an info object.
    pub(crate) fn with_info<R>(
        &self,
        info: MPI_Info,
        see: impl FnOnce(&Info) -> R,
    ) -> Result<R, Fault> {
        locked(|| match (info, self.objects.infos.borrow().get(info.0)) {
            (MPI_INFO_ENV, _) => Ok(see(&self.environment(arguments()))),
            (_, Some(made)) => Ok(see(made)),
            (_, None) => Err(Fault::handle(MPI_ERR_INFO, "info", info.0)),
        })
    }

    /// Looks whether hints that change nothing here are an info object, or none.
    pub(crate) fn check_hints(&self, info: MPI_Info) -> Result<(), Fault> {
        if info == MPI_INFO_NULL { Ok(()) } else { self.with_info(info, |_| ()) }
    }

    /// Lets `change` change an info object.
    pub(crate) fn change_info<R>(
        &self,
        info: MPI_Info,
        change: impl FnOnce(&mut Info) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        if info == MPI_INFO_ENV {
            return change(&mut self.environment(arguments()));
        }
        locked(|| match self.objects.infos.borrow_mut().get_mut(info.0) {
            Some(made) => change(made),
            None => Err(Fault::handle(MPI_ERR_INFO, "info", info.0)),
        })
    }

    /// Keeps an info object.
    pub(crate) fn keep_info(&self, info: Info) -> Result<MPI_Info, Fault> {
        locked(|| Ok(MPI_Info(keep(&self.objects.infos, info)?)))
    }

    /// How the program was started.
    fn environment(&self, mut arguments: Vec<Vec<u8>>) -> Info {
        let mut environment = Environment::default();
        if !arguments.is_empty() {
            environment.command = arguments.remove(0);
        }
        environment.arguments = arguments;
        environment.ranks = self.rank_and_ranks().map_or(1, |(_, ranks)| ranks as usize);
        let host = std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
        environment.host = host.trim_ascii().to_vec();
        environment.directory = std::env::current_dir()
            .map(|path| path.into_os_string().into_vec())
            .unwrap_or_default();
        environment.thread_level = self.thread_level_name();
        Info::environment(&environment)
    }

    /// The standard's name of the thread support that the program was given.
    pub(super) fn thread_level_name(&self) -> &'static str {
        // Relaxed: a number that stands for itself, and pairs with the store of `start_runtime`.
        let given = self.thread_level.load(Ordering::Relaxed) as isize;
        let level = THREAD_LEVELS.constants.iter().find(|level| level.value == given);
        level.map_or("", |level| level.name)
    }
}

/// The program and its arguments.
fn arguments() -> Vec<Vec<u8>> {
    std::env::args_os().map(OsStringExt::into_vec).collect()
}

export! {
    /// Makes an info object without keys.
    anytime fn MPI_Info_create(library; info: Out<MPI_Info>) {
        info.set("info", library.keep_info(Info::new())?)
    }

    /// Makes an info object that says how a program with these arguments was started.
    anytime fn MPI_Info_create_env(library; argc: c_int, argv: In<*const c_char>, info: Out<MPI_Info>) {
        let count = if argv.is_null() { 0 } else { length("argc", argc)? };
        let given = argv.slice("argv", count)?.iter().take_while(|argument| !argument.is_null());
        // SAFETY: the caller in C vouches for strings that end with a null.
        let given = given.map(|argument| unsafe { CStr::from_ptr(*argument) }.to_bytes().to_vec());
        let given: Vec<_> = given.collect();
        let made = library.environment(if given.is_empty() { arguments() } else { given });
        info.set("info", library.keep_info(made.dup())?)
    }

    /// Sets the value of a key.
    anytime fn MPI_Info_set(library; info: MPI_Info, key: In<c_char>, value: In<c_char>) {
        let (key, value) = (key.bytes("key")?, value.bytes("value")?);
        library.change_info(info, |info| Ok(info.set(key, value)?))
    }

    /// Forgets a key.
    anytime fn MPI_Info_delete(library; info: MPI_Info, key: In<c_char>) {
        let key = key.bytes("key")?;
        library.change_info(info, |info| Ok(info.delete(key)?))
    }

    /// The value of a key, cut to a buffer of which the caller says how long it is without its null.
    anytime fn MPI_Info_get(library; info: MPI_Info, key: In<c_char>, valuelen: c_int, value: Out<c_char>, flag: Out<c_int>) {
        let key = key.bytes("key")?;
        let found = library.with_info(info, |info| Ok::<_, Fault>(info.value(key)?.map(<[u8]>::to_vec)))??;
        if let Some(found) = &found {
            let (part, _) = fitting(found, valuelen.saturating_add(1))?;
            value.set_bytes("value", part)?;
        }
        flag.set("flag", c_int::from(found.is_some()))
    }

    /// The value of a key, cut to a buffer, and how long the buffer must be.
    anytime fn MPI_Info_get_string(library; info: MPI_Info, key: In<c_char>, buflen: Out<c_int>, value: Out<c_char>, flag: Out<c_int>) {
        let key = key.bytes("key")?;
        let found = library.with_info(info, |info| Ok::<_, Fault>(info.value(key)?.map(<[u8]>::to_vec)))??;
        if let Some(found) = &found {
            let room = buflen.value("buflen")?;
            let (part, needed) = fitting(found, room)?;
            if room > 0 {
                value.set_bytes("value", part)?;
            }
            buflen.set("buflen", needed)?;
        }
        flag.set("flag", c_int::from(found.is_some()))
    }

    /// The length of the value of a key, without its null.
    anytime fn MPI_Info_get_valuelen(library; info: MPI_Info, key: In<c_char>, valuelen: Out<c_int>, flag: Out<c_int>) {
        let key = key.bytes("key")?;
        let found = library.with_info(info, |info| Ok::<_, Fault>(info.value(key)?.map(<[u8]>::len)))??;
        if let Some(found) = found {
            valuelen.set("valuelen", found as c_int)?;
        }
        flag.set("flag", c_int::from(found.is_some()))
    }

    /// The number of keys.
    anytime fn MPI_Info_get_nkeys(library; info: MPI_Info, nkeys: Out<c_int>) {
        let count = library.with_info(info, Info::key_count)?;
        nkeys.set("nkeys", count as c_int)
    }

    /// A key by its index.
    anytime fn MPI_Info_get_nthkey(library; info: MPI_Info, n: c_int, key: Out<c_char>) {
        let found = library.with_info(info, |info| Ok::<_, Fault>(info.key(n)?.to_vec()))??;
        key.set_bytes("key", &found)
    }

    /// Copies an info object.
    anytime fn MPI_Info_dup(library; info: MPI_Info, newinfo: Out<MPI_Info>) {
        let copy = library.with_info(info, Info::dup)?;
        newinfo.set("newinfo", library.keep_info(copy)?)
    }

    /// Frees an info object.
    anytime fn MPI_Info_free(library; info: Out<MPI_Info>) {
        let handle = info.value("info")?;
        if library.objects.infos.borrow_mut().remove(handle.0).is_none() {
            return Err(Fault::handle(MPI_ERR_INFO, "info", handle.0));
        }
        info.set("info", MPI_INFO_NULL)
    }
}
