//! What a rank tells the others so that they can reach it: the wire format.
//!
//! All numbers are little-endian. No address is believed: one that does not fit is an error that
//! names the rank whose address it is to be.

use super::error::IbError;
use crate::order::Rank;
use crate::provider::{QueueSpec, Transport};

/// The first bytes, with the version in the last of them.
const MAGIC: [u8; 4] = *b"rIb\x05";

/// The numbers of packets have so many bits.
const PACKET_BITS: u32 = 24;

/// Memory of a rank that others may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RemoteAddress {
    pub(super) address: u64,
    pub(super) key: u32,
}

impl RemoteAddress {
    /// The address and key of word `index`, counted from 0.
    #[inline]
    pub(super) fn word(self, index: usize) -> (u64, u32) {
        (self.address.wrapping_add(index as u64 * 8), self.key)
    }
}

/// How a rank is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) gid: [u8; 16],
    pub(super) lid: u16,
    /// The library's number for the largest packet.
    pub(super) mtu: u8,
    pub(super) is_global: bool,
    /// How many RDMA reads its queue pairs can have under way, at least 1.
    pub(super) reads: u8,
    /// The kind of its queue pairs for messages, which must be the same at all ranks.
    pub(super) transport: Transport,
    /// From which length on it exposes payloads, in bytes; the most if it exposes none. It must be the
    /// same at all ranks.
    pub(super) read_from: u64,
    /// The number of the first packet of each of its queue pairs; and what its datagrams must name
    /// to be taken.
    pub(super) first_packet: u32,
    /// The number of its queue pair for datagrams; 0 if it has none.
    pub(super) datagrams: u32,
    /// What the others may read.
    pub(super) shown: RemoteAddress,
    /// What the others may write, too.
    pub(super) reached: RemoteAddress,
    /// Memory of its host that others may write; nowhere, if there is none.
    pub(super) exposed: RemoteAddress,
    /// What its queues are laid out for, which must be the same at all ranks.
    pub(super) queues: Vec<QueueSpec>,
    /// The numbers of its queue pairs: for each lane one for each rank, and 0 for itself and a rank
    /// that is not reached.
    pub(super) pairs: Vec<u32>,
}

impl Address {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.gid);
        bytes.extend(self.lid.to_le_bytes());
        bytes.extend([self.mtu, self.is_global.into(), self.reads, self.transport as u8]);
        bytes.extend(self.first_packet.to_le_bytes());
        bytes.extend(self.read_from.to_le_bytes());
        bytes.extend(self.datagrams.to_le_bytes());
        for place in [self.shown, self.reached, self.exposed] {
            bytes.extend(place.address.to_le_bytes());
            bytes.extend(place.key.to_le_bytes());
        }
        bytes.extend((self.queues.len() as u32).to_le_bytes());
        for queue in &self.queues {
            bytes.extend(queue.recv_descriptors.to_le_bytes());
            bytes.extend((queue.descriptor_bytes as u64).to_le_bytes());
        }
        for pair in &self.pairs {
            bytes.extend(pair.to_le_bytes());
        }
        bytes
    }

    /// Reads the address of `peer`, in a job of `size` ranks whose queues are laid out as `queues`
    /// say, and of this kind.
    ///
    /// # Errors
    ///
    /// [`IbError::Address`] naming its fault.
    pub(super) fn decode(
        bytes: &[u8],
        peer: Rank,
        size: usize,
        queues: &[QueueSpec],
        transport: Transport,
    ) -> Result<Address, IbError> {
        let wrong = |what| IbError::Address { peer, what };
        let mut reader = Reader(bytes);
        let address = reader.address(size, queues, transport).map_err(wrong)?;
        if reader.0.is_empty() { Ok(address) } else { Err(wrong("it is too long")) }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let (taken, rest) = self.0.split_first_chunk().ok_or("it is too short")?;
        self.0 = rest;
        Ok(*taken)
    }

    fn u32(&mut self) -> Result<u32, &'static str> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, &'static str> {
        self.take().map(u64::from_le_bytes)
    }

    fn remote_address(&mut self) -> Result<RemoteAddress, &'static str> {
        Ok(RemoteAddress { address: self.u64()?, key: self.u32()? })
    }

    fn address(
        &mut self,
        size: usize,
        queues: &[QueueSpec],
        transport: Transport,
    ) -> Result<Address, &'static str> {
        if self.take()? != MAGIC {
            return Err("it is none, or of another version");
        }
        let gid = self.take()?;
        let lid = self.take().map(u16::from_le_bytes)?;
        let [mtu, is_global, reads, kind] = self.take()?;
        if !(1..=5).contains(&mtu) || is_global > 1 || reads == 0 {
            return Err("it is none");
        }
        if kind != transport as u8 {
            return Err("its transport is another: all ranks need the same");
        }
        let first_packet = self.u32()?;
        if first_packet >> PACKET_BITS != 0 {
            return Err("the number of its first packet is none");
        }
        let (read_from, datagrams) = (self.u64()?, self.u32()?);
        let (shown, reached, exposed) =
            (self.remote_address()?, self.remote_address()?, self.remote_address()?);
        if self.u32()? as usize != queues.len() {
            return Err("its network is laid out otherwise");
        }
        for queue in queues {
            let descriptors = self.u32()?;
            if descriptors != queue.recv_descriptors || self.u64()? != queue.descriptor_bytes as u64
            {
                return Err("its network is laid out otherwise");
            }
        }
        let pairs = (0..(queues.len() + 1) * size).map(|_| self.u32()).collect::<Result<_, _>>()?;
        let queues = queues.to_vec();
        let is_global = is_global == 1;
        Ok(Address {
            gid,
            lid,
            mtu,
            is_global,
            reads,
            transport,
            read_from,
            first_packet,
            datagrams,
            shown,
            reached,
            exposed,
            queues,
            pairs,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const QUEUES: [QueueSpec; 2] = [
        QueueSpec { recv_descriptors: 16, descriptor_bytes: 64 },
        QueueSpec { recv_descriptors: 4, descriptor_bytes: 70_000 },
    ];

    fn example() -> Address {
        Address {
            gid: std::array::from_fn(|at| at as u8),
            lid: 0x1234,
            mtu: 5,
            is_global: true,
            reads: 16,
            transport: Transport::Uc,
            read_from: 1 << 40,
            first_packet: 0xab_cdef,
            datagrams: 0x1_2345,
            shown: RemoteAddress { address: u64::MAX - 1, key: 7 },
            reached: RemoteAddress { address: 0x7f00_0000_1000, key: u32::MAX },
            exposed: RemoteAddress { address: 0x7f00_1000_0000, key: 9 },
            queues: QUEUES.to_vec(),
            pairs: (0..9).map(|pair| pair * 1000).collect(),
        }
    }

    fn said(bytes: &[u8], size: usize, queues: &[QueueSpec]) -> String {
        Address::decode(bytes, 2, size, queues, Transport::Uc).unwrap_err().to_string()
    }

    #[test]
    fn an_encoded_address_decodes_to_itself() {
        let bytes = example().encode();
        assert_eq!(Address::decode(&bytes, 2, 3, &QUEUES, Transport::Uc), Ok(example()));
    }

    /// Each is an error that names the rank.
    #[test]
    fn an_address_that_does_not_fit_is_refused() {
        let bytes = example().encode();
        for len in 0..bytes.len() {
            assert!(said(&bytes[..len], 3, &QUEUES).contains("rank 2"), "{len} bytes");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(said(&longer, 3, &QUEUES).contains("too long"));
        assert!(said(&bytes, 2, &QUEUES).contains("too long"));
        assert!(said(&bytes, 4, &QUEUES).contains("too short"));
        let others = [QUEUES[0], QueueSpec { descriptor_bytes: 70_001, ..QUEUES[1] }];
        assert!(said(&bytes, 3, &others).contains("laid out otherwise"));
        assert!(said(&bytes, 3, &QUEUES[..1]).contains("laid out otherwise"));
        for (at, byte) in
            [(0, 0), (3, 1), (22, 0), (22, 6), (23, 2), (24, 0), (25, 0), (25, 3), (29, 1)]
        {
            let mut changed = bytes.clone();
            changed[at] = byte;
            assert!(Address::decode(&changed, 2, 3, &QUEUES, Transport::Uc).is_err(), "byte {at}");
        }
    }

    proptest! {
        /// SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Address::decode(&bytes, 1, 3, &QUEUES, Transport::Uc);
            let changed = [&example().encode()[..60], &bytes].concat();
            let _ = Address::decode(&changed, 1, 3, &QUEUES, Transport::Uc);
        }
    }
}
