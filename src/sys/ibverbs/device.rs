//! Devices, their ports and addresses, and the protection domains of memory and queue pairs.

use std::ffi::CStr;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use super::Failure;
use super::abi;
use super::library::{Library, library};
use crate::sys::file;

/// The names of the devices of this host.
///
/// # Errors
///
/// [`Failure`] if the library is missing, or the kernel has no RDMA.
pub(crate) fn device_names() -> Result<Vec<String>, Failure> {
    with_devices(|devices| Ok(devices.iter().map(|device| name_of(*device)).collect()))
}

/// Passes the list of devices to `look`. The list is valid only during the call.
fn with_devices<T>(
    look: impl FnOnce(&[NonNull<abi::Device>]) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let library = library()?;
    let mut count = 0;
    // SAFETY: it writes the number, and returns a list of its own or null.
    let list = unsafe { (library.ibv_get_device_list)(&mut count) };
    if list.is_null() {
        return Err(Failure::last("ibv_get_device_list"));
    }
    let devices = (0..usize::try_from(count).unwrap_or(0)).filter_map(|index| {
        // SAFETY: the list has so many entries.
        NonNull::new(unsafe { *list.add(index) })
    });
    let devices: Vec<_> = devices.collect();
    let seen = look(&devices);
    // SAFETY: it is the list from above, of which nothing is used any more. What was opened stays
    // open.
    unsafe { (library.ibv_free_device_list)(list) };
    seen
}

fn name_of(device: NonNull<abi::Device>) -> String {
    // SAFETY: the device belongs to a list that is valid, and its name is a text that ends with a
    // zero within its 64 bytes, as the library makes it.
    let name = unsafe { CStr::from_ptr((&raw const (*device.as_ptr()).name).cast()) };
    name.to_string_lossy().into_owned()
}

/// The protocol of a device of this kind, if it is not one of InfiniBand's. An unknown kind counts
/// as InfiniBand.
fn foreign(transport: i32) -> Option<&'static str> {
    match transport {
        abi::TRANSPORT_IWARP => Some("iWARP"),
        abi::TRANSPORT_USNIC | abi::TRANSPORT_USNIC_UDP => Some("usNIC"),
        abi::TRANSPORT_UNSPECIFIED => Some("a protocol of its own"),
        _ => None,
    }
}

/// The names of this host's devices in the kernel, whether or not the library has a driver for
/// each.
pub(crate) fn kernel_names() -> Vec<String> {
    names_in(Path::new("/sys/class/infiniband"))
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The limits of a device, as far as they matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The number of ports, which are counted from 1.
    pub(crate) ports: u8,
    pub(crate) queue_pairs: u32,
    /// Work requests in one queue.
    pub(crate) work_requests: u32,
    pub(crate) completion_queues: u32,
    /// Entries of a completion queue.
    pub(crate) completions: u32,
    pub(crate) regions: u32,
    /// Bytes of one region.
    pub(crate) region_bytes: u64,
    /// RDMA reads in flight on one queue pair, at either end.
    pub(crate) reads: u32,
    /// Multicast groups to which queue pairs may be attached.
    pub(crate) multicast_groups: u32,
}

/// The state of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortState {
    /// The port is usable.
    Active,
    /// The port is in this state of the library, in which it is not usable.
    Other(i32),
}

/// The attributes of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) state: PortState,
    /// The library's number for the largest packet: 1 for 256 bytes, to 5 for 4096.
    pub(crate) mtu: i32,
    /// The size of its address (GID) table.
    pub(crate) gids: u32,
    /// The size of its partition table.
    pub(crate) pkeys: u16,
    /// Its address within an InfiniBand subnet; 0 on Ethernet.
    pub(crate) lid: u16,
    pub(crate) is_ethernet: bool,
    /// Whether peers must be named by GID, whatever the link. That is so if the ports of one card
    /// share a LID, as with virtual functions (ibv_query_port(3), `IBV_QPF_GRH_REQUIRED`).
    pub(crate) needs_gids: bool,
    pub(crate) message_bytes: u32,
}

/// An open device.
pub(crate) struct Context {
    context: NonNull<abi::Context>,
    library: &'static Library,
    /// The protocol of its queue pairs, if it is not one of InfiniBand's.
    foreign: Option<&'static str>,
}

// SAFETY: libibverbs may be called by any threads at once, as its manual says; the pointer is freed
// by the last owner.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Opens the device with this name; None if there is none.
    pub(crate) fn open(name: &str) -> Result<Option<Arc<Context>>, Failure> {
        let library = library()?;
        with_devices(|devices| {
            let Some(device) = devices.iter().find(|device| name_of(**device) == name) else {
                return Ok(None);
            };
            // SAFETY: the device belongs to the list, which is valid.
            let context = unsafe { (library.ibv_open_device)(device.as_ptr()) };
            let context = NonNull::new(context).ok_or_else(|| Failure::last("ibv_open_device"))?;
            // SAFETY: as above; nobody writes this field.
            let foreign = foreign(unsafe { (*device.as_ptr()).transport_type });
            Ok(Some(Arc::new(Context { context, library, foreign })))
        })
    }

    /// The foreign protocol that prevents connecting this device's queue pairs by verbs alone.
    /// InfiniBand, RoCE, soft-RoCE and Omni-Path have none.
    pub(crate) fn foreign(&self) -> Option<&'static str> {
        self.foreign
    }

    pub(super) fn as_ptr(&self) -> *mut abi::Context {
        self.context.as_ptr()
    }

    pub(super) fn library(&self) -> &'static Library {
        self.library
    }

    pub(super) fn ops(&self) -> &abi::ContextOps {
        // SAFETY: the context is valid until this is dropped; the driver wrote its functions when
        // it was opened, and nobody writes them later.
        unsafe { &(*self.context.as_ptr()).ops }
    }

    /// The number of its completion vectors (interrupts).
    pub(super) fn completion_vectors(&self) -> i32 {
        // SAFETY: the context is valid, and nobody writes the field after the device was opened.
        unsafe { (*self.context.as_ptr()).num_comp_vectors }
    }

    pub(crate) fn limits(&self) -> Result<Limits, Failure> {
        // SAFETY: it consists of numbers.
        let mut attr: abi::DeviceAttr = unsafe { std::mem::zeroed() };
        // SAFETY: the context is valid, and so large is what it writes.
        let code = unsafe { (self.library.ibv_query_device)(self.as_ptr(), &mut attr) };
        Failure::check("ibv_query_device", code)?;
        let number = |number: i32| u32::try_from(number).unwrap_or(0);
        Ok(Limits {
            ports: attr.phys_port_cnt,
            queue_pairs: number(attr.max_qp),
            work_requests: number(attr.max_qp_wr),
            completion_queues: number(attr.max_cq),
            completions: number(attr.max_cqe),
            regions: number(attr.max_mr),
            region_bytes: attr.max_mr_size,
            reads: number(attr.max_qp_rd_atom.min(attr.max_qp_init_rd_atom)),
            multicast_groups: number(attr.max_mcast_grp),
        })
    }

    pub(crate) fn port(&self, port: u8) -> Result<Port, Failure> {
        // SAFETY: it consists of numbers.
        let mut attr: abi::PortAttr = unsafe { std::mem::zeroed() };
        // SAFETY: the context is valid. The symbol writes the start of the structure, in old
        // versions of the library as in new ones; what it does not write stays zero.
        let code = unsafe { (self.library.ibv_query_port)(self.as_ptr(), port, &mut attr) };
        Failure::check("ibv_query_port", code)?;
        let state = match attr.state {
            abi::PORT_ACTIVE => PortState::Active,
            other => PortState::Other(other),
        };
        Ok(Port {
            state,
            mtu: attr.active_mtu,
            gids: u32::try_from(attr.gid_tbl_len).unwrap_or(0),
            pkeys: attr.pkey_tbl_len,
            lid: attr.lid,
            is_ethernet: attr.link_layer == 2,
            needs_gids: attr.flags & abi::PORT_NEEDS_GRH != 0,
            message_bytes: attr.max_msg_sz,
        })
    }

    /// The partition at an index of the table, with a bit for full members; 0 if the entry is
    /// empty.
    pub(crate) fn pkey(&self, port: u8, index: u16) -> Result<u16, Failure> {
        let mut pkey = 0;
        // SAFETY: the context is valid, and so large is what it writes.
        let code =
            unsafe { (self.library.ibv_query_pkey)(self.as_ptr(), port, index.into(), &mut pkey) };
        Failure::check("ibv_query_pkey", code)?;
        Ok(u16::from_be(pkey))
    }

    /// The address at an index of the table; all zero if the entry is empty.
    pub(crate) fn gid(&self, port: u8, index: u32) -> Result<[u8; 16], Failure> {
        let mut gid = abi::Gid::default();
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        // SAFETY: the context is valid, and so large is what it writes.
        let code = unsafe { (self.library.ibv_query_gid)(self.as_ptr(), port, index, &mut gid) };
        match Failure::check("ibv_query_gid", code) {
            Ok(()) => Ok(gid.0),
            // Linux reports an empty entry in this way.
            Err(Failure::Verb { code: libc::ENODATA | libc::EINVAL, .. }) => Ok([0; 16]),
            Err(failure) => Err(failure),
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: whatever was made from it holds an `Arc` of it, so nothing is left.
        unsafe { (self.library.ibv_close_device)(self.as_ptr()) };
    }
}

/// The kernel's name for the kind of address at an index of a port's table, if it has one.
pub(crate) fn gid_type(device: &str, port: u8, index: u32) -> Option<String> {
    let folder = Path::new("/sys/class/infiniband").join(device);
    let path = folder.join(format!("ports/{port}/gid_attrs/types/{index}"));
    let text = String::from_utf8(file::read(&path, 100)?).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// A protection domain: only memory and queue pairs of one domain can be used together.
pub(crate) struct Pd {
    pd: NonNull<abi::Pd>,
    context: Arc<Context>,
}

// SAFETY: as for the context.
unsafe impl Send for Pd {}
// SAFETY: as for the context.
unsafe impl Sync for Pd {}

impl Pd {
    pub(crate) fn new(context: &Arc<Context>) -> Result<Arc<Pd>, Failure> {
        // SAFETY: the context is valid.
        let pd = unsafe { (context.library.ibv_alloc_pd)(context.as_ptr()) };
        let pd = NonNull::new(pd).ok_or_else(|| Failure::last("ibv_alloc_pd"))?;
        Ok(Arc::new(Pd { pd, context: Arc::clone(context) }))
    }

    pub(super) fn as_ptr(&self) -> *mut abi::Pd {
        self.pd.as_ptr()
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl Drop for Pd {
    fn drop(&mut self) {
        // SAFETY: whatever belongs to it holds an `Arc` of it, so nothing is left.
        unsafe { (self.context.library.ibv_dealloc_pd)(self.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_with_foreign_protocols_are_named() {
        // mlx5, rxe and hfi1, and a kind that is too new to be known.
        assert_eq!([0, -1, 5].map(foreign), [None; 3]);
        // siw and cxgb4; and efa.
        assert_eq!([1, 4].map(foreign), [Some("iWARP"), Some("a protocol of its own")]);
    }

    #[test]
    fn devices_are_those_that_the_kernel_lists() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["mlx5_1", "mlx5_0"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert_eq!(names_in(folder.path()), ["mlx5_0", "mlx5_1"]);
        assert_eq!(names_in(&folder.path().join("none")), [""; 0]);
    }
}
