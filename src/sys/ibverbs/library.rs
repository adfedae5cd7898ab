//! Loads libibverbs at its first use. A program with RDMA therefore starts on every host, and names
//! the missing library or symbol.
//!
//! The functions on the path of a message are not symbols of the library: they are in the context
//! that a driver creates (`abi::ContextOps`).

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

use super::Failure;
use super::abi::{
    Ah, AhAttr, AsyncEvent, CompChannel, Context, Cq, Device, DeviceAttr, Gid, Mr, Pd, PortAttr,
    Qp, QpAttr, QpInitAttr,
};

/// The name of the library, on every distribution.
const NAME: &CStr = c"libibverbs.so.1";

/// Declares the functions that are used: a structure of them, and how to find them.
macro_rules! library {
    ($(fn $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The library's functions.
        pub(super) struct Library {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Library {
            /// Finds the functions.
            ///
            /// # Safety
            ///
            /// `handle` is that of libibverbs, which is never unloaded.
            unsafe fn find(handle: *mut c_void) -> Result<Library, String> {
                $(
                    let name = concat!(stringify!($name), "\0");
                    // SAFETY: the handle is valid, and the name ends with a zero.
                    let $name = unsafe { libc::dlsym(handle, name.as_ptr().cast()) };
                    if $name.is_null() {
                        return Err(said());
                    }
                )*
                Ok(Library {
                    $($name: {
                        type Function = unsafe extern "C" fn($($argument),*) $(-> $result)?;
                        // SAFETY: libibverbs has a function of this type under this name, and
                        // always will: its symbols have versions, of which the newest that fits is
                        // found.
                        unsafe { std::mem::transmute::<*mut c_void, Function>($name) }
                    },)*
                })
            }
        }
    };
}

library! {
    fn ibv_fork_init() -> c_int;
    fn ibv_get_device_list(*mut c_int) -> *mut *mut Device;
    fn ibv_free_device_list(*mut *mut Device);
    fn ibv_open_device(*mut Device) -> *mut Context;
    fn ibv_close_device(*mut Context) -> c_int;
    fn ibv_query_device(*mut Context, *mut DeviceAttr) -> c_int;
    fn ibv_query_port(*mut Context, u8, *mut PortAttr) -> c_int;
    fn ibv_query_gid(*mut Context, u8, c_int, *mut Gid) -> c_int;
    fn ibv_query_pkey(*mut Context, u8, c_int, *mut u16) -> c_int;
    fn ibv_get_async_event(*mut Context, *mut AsyncEvent) -> c_int;
    fn ibv_ack_async_event(*mut AsyncEvent);
    fn ibv_alloc_pd(*mut Context) -> *mut Pd;
    fn ibv_dealloc_pd(*mut Pd) -> c_int;
    fn ibv_reg_mr(*mut Pd, *mut c_void, usize, c_int) -> *mut Mr;
    fn ibv_dereg_mr(*mut Mr) -> c_int;
    fn ibv_create_comp_channel(*mut Context) -> *mut CompChannel;
    fn ibv_destroy_comp_channel(*mut CompChannel) -> c_int;
    fn ibv_create_cq(*mut Context, c_int, *mut c_void, *mut CompChannel, c_int) -> *mut Cq;
    fn ibv_destroy_cq(*mut Cq) -> c_int;
    fn ibv_get_cq_event(*mut CompChannel, *mut *mut Cq, *mut *mut c_void) -> c_int;
    fn ibv_ack_cq_events(*mut Cq, u32);
    fn ibv_create_qp(*mut Pd, *mut QpInitAttr) -> *mut Qp;
    fn ibv_modify_qp(*mut Qp, *mut QpAttr, c_int) -> c_int;
    fn ibv_destroy_qp(*mut Qp) -> c_int;
    fn ibv_create_ah(*mut Pd, *mut AhAttr) -> *mut Ah;
    fn ibv_destroy_ah(*mut Ah) -> c_int;
    fn ibv_attach_mcast(*mut Qp, *const Gid, u16) -> c_int;
    fn ibv_detach_mcast(*mut Qp, *const Gid, u16) -> c_int;
}

static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();

/// The library.
///
/// # Errors
///
/// [`Failure::NoLibrary`] if this host has none, or one that lacks the functions.
pub(super) fn library() -> Result<&'static Library, Failure> {
    let loaded = LIBRARY.get_or_init(|| {
        // SAFETY: the name ends with a zero. What the library does when it is loaded is its own
        // business; it is meant to be loaded.
        let handle = unsafe { libc::dlopen(NAME.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(said());
        }
        // SAFETY: it is that library, and nobody closes it.
        let library = unsafe { Library::find(handle) }?;
        // This lets a rank start other programs. With kernels before 5.12, its registered memory
        // would otherwise move while the device uses it. With later kernels it does nothing. If it
        // fails, a rank cannot do that. SAFETY: it was found, and nothing is registered yet.
        unsafe { (library.ibv_fork_init)() };
        Ok(library)
    });
    loaded.as_ref().map_err(|said| Failure::NoLibrary { said: said.clone() })
}

/// The system's message about the last failed load.
fn said() -> String {
    // SAFETY: it may be called at any time; the text is the calling thread's until its next call.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return NAME.to_string_lossy().into_owned();
    }
    // SAFETY: it is not null, and then a text that ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
