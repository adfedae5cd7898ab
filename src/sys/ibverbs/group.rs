//! Membership of a host in a multicast group, so that switches and the host's own kernel let
//! datagrams to it through.
//!
//! Attaching a queue pair to a group (`pair`) tells only the device. On InfiniBand the subnet
//! manager must also know the group, and this code does not tell it. On RoCE v2 a group is an IPv4
//! address, and an ordinary socket makes a host a member. The kernel then tells the switches by
//! IGMP. (librdmacm has the kernel do the same.)

use std::io;
use std::net::{Ipv4Addr, UdpSocket};

/// The membership of this host in a group, on one of its interfaces. It ends when this is dropped.
pub(crate) struct Membership {
    _socket: UdpSocket,
}

impl Membership {
    /// Joins `group` on the interface that has this address.
    pub(crate) fn join(group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<Membership> {
        // The kernel chooses the port. Datagrams to the group have another, so none arrive here.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.join_multicast_v4(&group, &interface)?;
        Ok(Membership { _socket: socket })
    }
}

/// The IPv4 address that a GID maps, if any.
pub(crate) fn ipv4_of(gid: [u8; 16]) -> Option<Ipv4Addr> {
    match gid {
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d] => Some(Ipv4Addr::new(a, b, c, d)),
        _ => None,
    }
}

/// The GID of an IPv4 address.
pub(crate) fn gid_of(address: Ipv4Addr) -> [u8; 16] {
    address.to_ipv6_mapped().octets()
}
