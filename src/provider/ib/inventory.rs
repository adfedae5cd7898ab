//! The RDMA devices, ports and addresses of this host, from which a user chooses.

use super::error::{IbError, failed, no_devices};
use super::settings::state_text;
use crate::sys::ibverbs::{Context, PortState, device_names, gid_type, kernel_names};

/// Places of a port's table of addresses that are listed.
const PLACES: u32 = 256;

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Its ports.
    pub ports: Vec<DevicePort>,
    /// How many queue pairs it can have.
    pub queue_pairs: u32,
    /// How many work requests a queue can have.
    pub work_requests: u32,
    /// How many completions a queue can have.
    pub completions: u32,
    /// How many regions of memory can be registered.
    pub regions: u32,
}

/// A port of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DevicePort {
    /// Its number, counted from 1.
    pub number: u8,
    /// Whether it can be used.
    pub is_active: bool,
    /// Its state.
    pub state: &'static str,
    /// What it is connected by.
    pub link: &'static str,
    /// Its largest packet, in bytes.
    pub mtu_bytes: u32,
    /// Its address within an InfiniBand subnet; 0 on Ethernet.
    pub lid: u16,
    /// Its addresses.
    pub gids: Vec<Gid>,
}

/// An address of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gid {
    /// Its place in the port's table.
    pub index: u32,
    /// It.
    pub gid: std::net::Ipv6Addr,
    /// What kind it is of, as the kernel calls it; empty if it does not say.
    pub kind: String,
}

/// The devices of this host.
///
/// # Errors
///
/// [`IbError`] naming the missing library, or the verb that failed; [`IbError::NoDevices`] if
/// there are none.
pub fn inventory() -> Result<Vec<Device>, IbError> {
    let verb = |failure| failed(failure, None);
    let names = device_names().map_err(verb)?;
    if names.is_empty() {
        return Err(no_devices(kernel_names()));
    }
    let mut devices = Vec::new();
    for name in names {
        let Some(context) = Context::open(&name).map_err(verb)? else { continue };
        let limits = context.limits().map_err(verb)?;
        let ports = (1..=limits.ports).map(|number| port(&name, &context, number));
        devices.push(Device {
            ports: ports.collect::<Result<_, _>>()?,
            name,
            queue_pairs: limits.queue_pairs,
            work_requests: limits.work_requests,
            completions: limits.completions,
            regions: limits.regions,
        });
    }
    Ok(devices)
}

fn port(device: &str, context: &Context, number: u8) -> Result<DevicePort, IbError> {
    let verb = |failure| failed(failure, None);
    let port = context.port(number).map_err(verb)?;
    let mut gids = Vec::new();
    for index in 0..port.gids.min(PLACES) {
        let gid = context.gid(number, index).map_err(verb)?;
        if gid != [0; 16] {
            let kind = gid_type(device, number, index).unwrap_or_default();
            gids.push(Gid { index, gid: gid.into(), kind });
        }
    }
    Ok(DevicePort {
        number,
        is_active: port.state == PortState::Active,
        state: state_text(port.state),
        link: if port.is_ethernet { "Ethernet" } else { "InfiniBand" },
        mtu_bytes: 128 << port.mtu.clamp(1, 5),
        lid: port.lid,
        gids,
    })
}
