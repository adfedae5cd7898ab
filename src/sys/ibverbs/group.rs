//! What a datagram to a multicast group needs beside its queue pair: that the host is a member, so that switches and
//! the host's own kernel let it through.
//!
//! A device that attaches a queue pair to a group says so to itself. On InfiniBand the subnet manager must know it
//! besides, which nobody tells it here. On RoCE v2 a group is an IPv4 address, and what makes a host a member of
//! that is an ordinary socket: the kernel then tells the switches by IGMP (librdmacm has the kernel do the same).
//!
//! Attaching is the pair's (`pair`).

use std::io;
use std::net::{Ipv4Addr, UdpSocket};

/// This host is a member of a group, on one of its interfaces, as long as this is kept.
pub(crate) struct Membership {
    _socket: UdpSocket,
}

impl Membership {
    /// Joins `group` on the interface that has this address.
    pub(crate) fn join(group: Ipv4Addr, interface: Ipv4Addr) -> io::Result<Membership> {
        // Nothing ever comes to its port: it is the kernel's choice, and what is sent to the group has another.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.join_multicast_v4(&group, &interface)?;
        Ok(Membership { _socket: socket })
    }
}

/// The IPv4 address that a GID is made of, if it is.
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
