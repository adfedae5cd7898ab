//! A device's reports about itself: that it, or one of its queues, has failed, or that a port has
//! gone down or come up.
//!
//! Each event is acknowledged at once, so destroying the object that it names never waits for it
//! (ibv_get_async_event(3)). The provider (`provider/ib/device`) knows what an event means for a
//! peer.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use super::device::Context;
use super::{Failure, abi};

/// An event of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The device has failed as a whole.
    DeviceFailed,
    /// The device was removed.
    DeviceGone,
    /// A completion queue has failed.
    QueueFailed,
    /// The queue pair with this number has failed, and how.
    PairFailed { number: u32, how: &'static str },
    /// This port is no longer usable.
    PortDown(u8),
    /// This port is usable again.
    PortUp(u8),
    /// An event without meaning here.
    Other,
}

/// The object that an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Device,
    Queue,
    Pair(&'static str),
    PortDown,
    PortUp,
    Other,
}

fn kind_of(event: c_int) -> Kind {
    match event {
        abi::EVENT_DEVICE_FATAL => Kind::Device,
        abi::EVENT_CQ_ERR => Kind::Queue,
        abi::EVENT_QP_FATAL => {
            Kind::Pair("the device here can no more work on its queue pair (QP_FATAL)")
        }
        abi::EVENT_QP_REQ_ERR => {
            Kind::Pair("the device here has got a request from it that is none (QP_REQ_ERR)")
        }
        abi::EVENT_QP_ACCESS_ERR => {
            Kind::Pair("it has asked for memory that it may not reach (QP_ACCESS_ERR)")
        }
        abi::EVENT_PATH_MIG_ERR => {
            Kind::Pair("the device here found no other path to it (PATH_MIG_ERR)")
        }
        abi::EVENT_PORT_ERR => Kind::PortDown,
        abi::EVENT_PORT_ACTIVE => Kind::PortUp,
        _ => Kind::Other,
    }
}

/// The events of an open device.
pub(crate) struct Events(Arc<Context>);

impl Events {
    /// Makes reading events non-blocking.
    pub(crate) fn of(context: &Arc<Context>) -> Result<Events, Failure> {
        // SAFETY: the context is valid; the library has opened the file, and closes it with the
        // context.
        let fd = unsafe { BorrowedFd::borrow_raw((*context.as_ptr()).async_fd) };
        crate::sys::fd::never_wait(fd).map_err(|_| Failure::last("fcntl"))?;
        Ok(Events(Arc::clone(context)))
    }

    /// The next event, if there is one. Once the device is removed, each call says so.
    pub(crate) fn next(&self) -> Option<Event> {
        let (library, mut event) = (self.0.library(), MaybeUninit::<abi::AsyncEvent>::uninit());
        // SAFETY: the context is valid, and so large is what it writes.
        let code = unsafe { (library.ibv_get_async_event)(self.0.as_ptr(), event.as_mut_ptr()) };
        if code != 0 {
            // Linux reports in this way that the driver has released the device.
            let code = std::io::Error::last_os_error().raw_os_error();
            return (code == Some(libc::EIO)).then_some(Event::DeviceGone);
        }
        // SAFETY: it returned 0, and so has written it.
        let mut event = unsafe { event.assume_init() };
        let said = match kind_of(event.event_type) {
            Kind::Device => Event::DeviceFailed,
            Kind::Queue => Event::QueueFailed,
            Kind::Pair(how) => {
                // SAFETY: an event of this kind names a queue pair. The kernel forgets the events
                // of one that is destroyed, and this one cannot be before it is acknowledged below.
                let number = unsafe { (*event.element.qp).qp_num };
                Event::PairFailed { number, how }
            }
            // SAFETY: an event of this kind names a port.
            Kind::PortDown => Event::PortDown(unsafe { event.element.port_num } as u8),
            // SAFETY: as above.
            Kind::PortUp => Event::PortUp(unsafe { event.element.port_num } as u8),
            Kind::Other => Event::Other,
        };
        // SAFETY: it was taken above, and is acknowledged once.
        unsafe { (library.ibv_ack_async_event)(&mut event) };
        Some(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All events of the library, by number.
    #[test]
    fn each_event_of_the_library_has_its_kind() {
        let names = (0..20).map(|event| match kind_of(event) {
            Kind::Device => 'D',
            Kind::Queue => 'C',
            Kind::Pair(_) => 'Q',
            Kind::PortDown => 'd',
            Kind::PortUp => 'u',
            Kind::Other => '-',
        });
        assert_eq!(names.collect::<String>(), "CQQQ---QDud---------");
        assert_eq!(kind_of(-1), Kind::Other);
        let named = [(1, "QP_FATAL"), (2, "QP_REQ_ERR"), (3, "QP_ACCESS_ERR"), (7, "PATH_MIG_ERR")];
        for (event, name) in named {
            assert!(matches!(kind_of(event), Kind::Pair(how) if how.contains(name)), "{name}");
        }
    }
}
