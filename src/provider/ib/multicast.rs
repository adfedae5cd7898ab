//! Words that go to all ranks at once: a queue pair for datagrams at each rank, attached to a
//! multicast group of the job (kini-2003 §5.3).
//!
//! The group's address and a tag that each datagram bears follow from the addresses of all ranks,
//! so jobs do not disturb each other: most never meet, as they have other groups, and those that do
//! drop datagrams with another tag. A datagram of another job, or not from the queue pair of the
//! rank that it names, is dropped like one that was lost; the meaning of its words is for the
//! caller to judge.
//!
//! It works on RoCE v2 with IPv4 addresses. Where it does not, [`Caster::open`] or [`Caster::join`]
//! says why, and all ranks do without.

use std::net::Ipv4Addr;
use std::sync::Arc;

use super::settings::Chosen;
use crate::order::Rank;
use crate::sys::ibverbs::{
    Batch, Channel, Cq, Membership, Pair, PairShape, Pd, PostFailure, RegisteredWords, Remote,
    Route, Target, Transport, gid_of, ipv4_of,
};
use crate::verbs::Multicast;

/// Datagrams that may wait to be taken. Each member of a group may be so many barriers behind, and
/// the last counts.
const RECEIVES: u32 = 64;
/// Requests under way.
const SENDS: u32 = 32;
/// Stands for all queue pairs of a group.
const EVERYONE: u32 = 0xff_ffff;
/// What datagrams must name to be taken by a queue pair: as good as any. The upper bit would be the
/// device's.
const QKEY: u32 = 0x1a4e_ad01;

/// A datagram: the tag of the job, the sender's rank, and two words.
const BYTES: usize = 32;

fn encode(tag: u64, rank: Rank, words: [u64; 2]) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (place, word) in bytes.chunks_exact_mut(8).zip([tag, rank as u64, words[0], words[1]]) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// The sender's rank and its words, if it is a datagram of the job with this tag.
fn decode(bytes: &[u8], tag: u64) -> Option<(Rank, [u64; 2])> {
    let bytes: &[u8; BYTES] = bytes.try_into().ok()?;
    let mut words = bytes.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes));
    let mut next = || words.next().unwrap_or(0);
    let (theirs, rank) = (next(), next());
    (theirs == tag).then_some(())?;
    Some((usize::try_from(rank).ok()?, [next(), next()]))
}

/// A number that no two jobs share, nearly, out of the addresses of all ranks: FNV-1a.
fn tag_of(addresses: &[Vec<u8>]) -> u64 {
    let bytes = addresses.iter().flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |tag, &byte| {
        (tag ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The group of a job: one of those that are of local use, and whose addresses on Ethernet are
/// nobody else's.
fn group_of(tag: u64) -> Ipv4Addr {
    let [a, b, c, ..] = (tag ^ tag >> 32).to_le_bytes();
    Ipv4Addr::new(239, 64 | a & 63, b, c)
}

/// The queue pair of one rank.
pub struct Caster {
    pair: Pair,
    sends: Arc<Cq>,
    receives: Arc<Cq>,
    batch: Batch,
    settled: Batch,
    rank: Rank,
    tag: u64,
    /// The numbers of all ranks' queue pairs.
    numbers: Vec<u32>,
    membership: Option<Membership>,
    /// Whether anybody wants to hear.
    listening: bool,
}

/// Why there is no multicast, for users.
pub(super) type Why = &'static str;

impl Multicast for Caster {
    fn post(&mut self, words: [u64; 2]) {
        let datagram = encode(self.tag, self.rank, words);
        for _ in 0..2 {
            match self.pair.post(Target::Receive, &datagram, &[], false) {
                Err(PostFailure::Full) => {}
                _ => return,
            }
            self.settle();
        }
    }

    #[inline]
    fn poll(&mut self) -> Option<(Rank, [u64; 2])> {
        self.listening = true;
        while self.has_something() {
            let Some(completion) = self.batch.take() else { break };
            // One that has failed leaves the pair without that receive, at worst without any: then
            // all is lost, as any datagram may be.
            let Some((slot, len)) = self.pair.received(&completion) else { continue };
            let heard = decode(slot.bytes(len), self.tag);
            let heard = heard.filter(|_| len == BYTES);
            let _ = self.pair.post_receive(slot);
            let is_theirs = |&(rank, _): &(Rank, _)| {
                // A group's datagrams come back to their sender as well.
                rank != self.rank && self.numbers.get(rank) == Some(&completion.sender())
            };
            if let Some(heard) = heard.filter(is_theirs) {
                return Some(heard);
            }
        }
        None
    }
}

impl Caster {
    /// Makes the queue pair of a rank, which belongs to no group yet.
    pub(super) fn open(
        chosen: &Chosen,
        pd: &Arc<Pd>,
        channel: &Arc<Channel>,
        landing: &Arc<RegisteredWords>,
        rank: Rank,
    ) -> Result<Caster, Why> {
        if !chosen.port.is_ethernet {
            return Err("on InfiniBand the subnet manager would have to be told of the group");
        }
        if ipv4_of(chosen.gid).is_none() {
            return Err("a rank's GID is that of no IPv4 address");
        }
        if chosen.limits.multicast_groups == 0 {
            return Err("a device knows no multicast groups");
        }
        let failed = |_| "a device makes no queue pair for datagrams";
        let cq = |completions| Cq::new(channel, completions).map_err(failed);
        let (sends, receives) = (cq(SENDS)?, cq(RECEIVES)?);
        let shape = PairShape {
            transport: Transport::Ud,
            qkey: QKEY,
            owner: 0,
            receives: RECEIVES,
            receive_bytes: BYTES,
            sends: SENDS,
            send_bytes: BYTES,
            inline_bytes: BYTES as u32,
        };
        let pair = Pair::new(pd, &sends, &receives, landing, chosen.at(), &shape);
        Ok(Caster {
            pair: pair.map_err(failed)?,
            sends,
            receives,
            batch: Batch::default(),
            settled: Batch::default(),
            rank,
            tag: 0,
            numbers: Vec::new(),
            membership: None,
            listening: false,
        })
    }

    /// The number of its queue pair.
    pub(super) fn number(&self) -> u32 {
        self.pair.number()
    }

    /// Joins the group of the job whose ranks have these addresses and these queue pairs.
    pub(super) fn join(
        &mut self,
        route: &Route,
        gid: [u8; 16],
        addresses: &[Vec<u8>],
        numbers: Vec<u32>,
    ) -> Result<(), Why> {
        if numbers.contains(&0) {
            return Err("a rank has no queue pair for datagrams");
        }
        self.tag = tag_of(addresses);
        self.numbers = numbers;
        let group = group_of(self.tag);
        let interface = ipv4_of(gid).ok_or("a rank's GID is that of no IPv4 address")?;
        // Without it the device may get the group's packets all the same, or not: the kernel
        // refuses it where no interface has the address, or too many groups were joined
        // (net.ipv4.igmp_max_memberships).
        self.membership = Membership::join(group, interface).ok();
        if self.membership.is_none() {
            return Err(
                "a host cannot join the group (net.ipv4.igmp_max_memberships may be too low)",
            );
        }
        let all = Remote {
            number: EVERYONE,
            qkey: QKEY,
            first_packet: 0,
            gid: gid_of(group),
            lid: 0,
            mtu: 1,
            reads: 0,
        };
        let first_packet = fastrand::u32(..1 << 24);
        self.pair.connect(route, &all, first_packet).map_err(|_| "no datagram finds its way")?;
        self.pair.attach(gid_of(group)).map_err(|_| "a device joins no group (ibv_attach_mcast)")
    }

    fn settle(&mut self) {
        while self.sends.poll(&mut self.settled).is_ok() && !self.settled.is_empty() {
            while let Some(completion) = self.settled.take() {
                self.pair.completed(&completion);
            }
        }
    }

    /// Whether something has come that somebody wants to hear.
    pub(super) fn has_news(&mut self) -> bool {
        self.listening && self.has_something()
    }

    fn has_something(&mut self) -> bool {
        if self.batch.is_empty() {
            let _ = self.receives.poll(&mut self.batch);
        }
        !self.batch.is_empty()
    }

    /// The queue on which datagrams complete, if this rank listens.
    pub(super) fn awaited(&self) -> Option<&Arc<Cq>> {
        self.listening.then_some(&self.receives)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_datagram_is_read_by_the_same_job_only() {
        let bytes = encode(7, 3, [5, u64::MAX]);
        assert_eq!(decode(&bytes, 7), Some((3, [5, u64::MAX])));
        assert_eq!(decode(&bytes, 8), None);
        assert_eq!(decode(&bytes[..31], 7), None);
        assert_eq!(decode(&[bytes.as_slice(), &[0]].concat(), 7), None);
    }

    #[test]
    fn each_job_has_its_own_multicast_group() {
        let job = |byte| vec![vec![1, 2, 3], vec![4, byte]];
        let tags: std::collections::BTreeSet<u64> =
            (0..200).map(|byte| tag_of(&job(byte))).collect();
        let groups: std::collections::BTreeSet<Ipv4Addr> =
            tags.iter().copied().map(group_of).collect();
        assert_eq!((tags.len(), groups.len()), (200, 200));
        for group in groups {
            assert!(group.is_multicast() && group.octets()[0] == 239, "{group}");
            assert_eq!(ipv4_of(gid_of(group)), Some(group));
        }
        assert_eq!(ipv4_of([0xfe; 16]), None);
    }

    proptest! {
        /// SEMANTICS: SAFE-1
        #[test]
        fn decoding_any_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64), tag: u64) {
            let _ = decode(&bytes, tag);
            let mut ours = bytes;
            ours.resize(BYTES, 0);
            ours[..8].copy_from_slice(&tag.to_le_bytes());
            let _ = decode(&ours, tag);
        }
    }
}
