//! From a device to an interface: an endpoint has all its queue pairs and gives its address; with
//! the addresses of all it becomes a connected [`IbNic`].
//!
//! Connections are made when a job starts, all of them: each pair of ranks has one queue pair for
//! each completion queue, and a control queue pair. Memory is registered here, and for large
//! payloads (`payloads`), and nowhere else.

use std::sync::Arc;

use super::address::{Address, RemoteAddress};
use super::control::{self, ControlLink, ControlPairs};
use super::device::Device;
use super::end::End;
use super::error::{IbError, failed, failed_needing};
use super::layout::MemoryLayout;
use super::multicast::{Caster, Why};
use super::nic::{CqInbox, IbNic, Parts};
use super::payloads::{DEFAULT_FROM_BYTES, Payloads};
use super::settings::{Settings, choose, port_packet_bytes};
use crate::order::Rank;
use crate::provider::limits::within;
use crate::provider::shm::Exposed;
use crate::provider::{FabricSpec, QueueSpec, Transport};
use crate::sys::ibverbs::{
    self, Access, Batch, Channel, Cq, Events, Failure, Foreign, Limits, Pair, PairShape, Pd, Port,
    RegisteredWords, Remote, Route, registered_bytes,
};
use crate::sys::time::Instant;
use crate::verbs::{NicAttributes, VerbsError};

pub(super) const PROVIDER: &str = "ib";
/// The most ranks of a job.
pub const MAX_RANKS: usize = 256;
const MAX_QUEUES: usize = 15;
const MAX_MESSAGE_BYTES: usize = 1 << 30;
const MAX_DESCRIPTORS_PER_VI: usize = 1 << 14;
/// Messages up to this length should travel in the work request, if the device has room for them
/// there.
const INLINE_BYTES: u32 = 256;
/// The most messages of one VI that the device may have to acknowledge, and how much memory they
/// may take, in bytes: as much as lies on the way to a peer and back. More wait with their sender.
const SENDS: u32 = 128;
const SEND_BYTES: usize = 512 << 10;
/// The most RDMA reads of a queue pair that are under way: so many hide the way there and back, and
/// a responder keeps state for each.
const MAX_READS: u8 = 16;
/// Regions of memory of a queue pair, for what it sends and what it receives; and those of a rank
/// beside them, for words.
const REGIONS_OF_PAIR: u64 = 2;
const REGIONS: u64 = 4;

/// Which peers a rank reaches, and what they can reach of it beside its own memory.
pub(super) struct Reach<'a> {
    /// Not asked of the rank itself.
    pub(super) is_reached: &'a dyn Fn(Rank) -> bool,
    /// As many words at each rank, or none at all.
    pub(super) exposed: Option<Exposed>,
}

/// All that a rank needs to be connected.
pub(super) struct Endpoint {
    rank: Rank,
    layout: MemoryLayout,
    queues: Vec<QueueSpec>,
    device: String,
    route: Route,
    address: Address,
    /// For each lane one for each peer.
    pairs: Vec<Option<Pair>>,
    inboxes: Vec<CqInbox>,
    channel: Arc<Channel>,
    sends: Arc<Cq>,
    control_sends: Arc<Cq>,
    control_receives: Arc<Cq>,
    shown: Arc<RegisteredWords>,
    reached: Arc<RegisteredWords>,
    events: Events,
    route_text: String,
    /// Or why there is none.
    caster: Result<Box<Caster>, Option<Why>>,
    exposed: Option<Foreign>,
    payloads: Box<Payloads>,
}

/// What the queue pairs of one lane are made for, without their numbers. The control lane is always
/// reliable.
fn shape_of(lane: usize, queues: &[QueueSpec], transport: Transport) -> PairShape {
    let shape = |receives, receive_bytes, sends| PairShape {
        transport: match transport {
            Transport::Uc if lane < queues.len() => ibverbs::Transport::Uc,
            Transport::Ud if lane < queues.len() => ibverbs::Transport::Ud,
            _ => ibverbs::Transport::Rc,
        },
        qkey: 0,
        owner: 0,
        receives,
        receive_bytes,
        sends,
        send_bytes: receive_bytes,
        inline_bytes: INLINE_BYTES.min(receive_bytes.next_multiple_of(64) as u32),
    };
    match queues.get(lane) {
        Some(queue) => {
            let room = (SEND_BYTES / queue.descriptor_bytes.max(64)).clamp(2, SENDS as usize);
            // Beside messages there is a read, at most.
            let sends = (queue.recv_descriptors + 1).min(room as u32).next_power_of_two();
            shape(queue.recv_descriptors, queue.descriptor_bytes, sends)
        }
        None => shape(control::RECEIVES, control::BYTES, control::SENDS),
    }
}

fn check(size: usize, spec: &FabricSpec) -> Result<(), VerbsError> {
    let within = within(PROVIDER);
    within("number of ranks", size, MAX_RANKS)?;
    within("number of completion queues", spec.queues.len(), MAX_QUEUES)?;
    for queue in &spec.queues {
        within("message length", queue.descriptor_bytes, MAX_MESSAGE_BYTES)?;
        let descriptors = queue.recv_descriptors as usize;
        within("number of descriptors per VI", descriptors, MAX_DESCRIPTORS_PER_VI)?;
    }
    Ok(())
}

/// Checks that the device can do it, so that the lacking capability is named, and not the verb that
/// fails of it. So many ranks of this host share it, and need about the same. What other jobs have
/// of it is not known.
fn check_device(
    (device, limits): (&str, &Limits),
    peers: u32,
    sharing: usize,
    shapes: &[PairShape],
) -> Result<(), IbError> {
    // Payloads, counts of receives and words put are read, on the control lane at least.
    if limits.reads == 0 {
        return Err(IbError::NoReads { device: device.to_owned() });
    }
    let peers = u64::from(peers);
    let most = |of: fn(&PairShape) -> u32| shapes.iter().map(of).max().unwrap_or(0).into();
    let sends: u64 = shapes.iter().map(|shape| u64::from(shape.sends)).sum();
    let pairs = peers * shapes.len() as u64;
    let all = |of_one: u64| of_one.saturating_mul(sharing as u64);
    let less = "; fewer ranks, or smaller windows, need less";
    let shared = "by all ranks of this host that share it: fewer ranks, or more devices (`--device`), need less";
    let needs = [
        ("queue pairs", all(pairs), limits.queue_pairs, shared),
        ("regions of memory", all(REGIONS_OF_PAIR * pairs + REGIONS), limits.regions, shared),
        ("completion queues", all(shapes.len() as u64 + 2), limits.completion_queues, shared),
        (
            "work requests in a queue",
            most(|shape| shape.sends.max(shape.receives)),
            limits.work_requests,
            less,
        ),
        ("completions in a queue", peers * most(|shape| shape.receives), limits.completions, less),
        ("completions in a queue", peers * sends, limits.completions, less),
    ];
    for (what, asked, limit, remedy) in needs {
        if asked > limit.into() {
            let device = device.to_owned();
            return Err(IbError::TooMuch { device, what, asked, limit: limit.into(), remedy });
        }
    }
    Ok(())
}

/// Checks that each message fits into a packet, where it must.
fn check_packets(port: &Port, spec: &FabricSpec, transport: Transport) -> Result<(), VerbsError> {
    let asked = spec.queues.iter().map(|queue| queue.descriptor_bytes).max().unwrap_or(0);
    let limit = port_packet_bytes(port);
    if transport == Transport::Ud && asked > limit {
        let what = "message length by datagrams, which is that of a packet,";
        return Err(VerbsError::AboveLimit { provider: PROVIDER, what, asked, limit });
    }
    Ok(())
}

/// How much memory a rank registers, in bytes.
fn needed_bytes(layout: MemoryLayout, peers: usize, shapes: &[PairShape]) -> usize {
    let words = [layout.shown_words(), layout.reached_words(), layout.landing_words()];
    let words = words.into_iter().map(|words| registered_bytes(words.saturating_mul(8)));
    let pairs = shapes.iter().map(PairShape::registered_bytes).fold(0, usize::saturating_add);
    let pairs = pairs.saturating_mul(peers);
    words.fold(pairs, usize::saturating_add)
}

impl Endpoint {
    /// Opens the device of a rank, and makes all that it needs to be connected with those ranks
    /// that are reached by it.
    pub(super) fn open(
        settings: &Settings,
        rank: Rank,
        size: usize,
        spec: &FabricSpec,
        Reach { is_reached, exposed }: Reach<'_>,
    ) -> Result<Endpoint, IbError> {
        if rank >= size {
            return Err(VerbsError::NoSuchPeer { peer: rank, size }.into());
        }
        check(size, spec)?;
        let chosen = choose(settings, settings.device(rank, size))?;
        check_packets(&chosen.port, spec, settings.transport)?;
        let is_peer = |peer: Rank| peer != rank && is_reached(peer);
        let peers = (0..size).filter(|&peer| is_peer(peer)).count() as u32;
        let layout = MemoryLayout { size, lanes: spec.queues.len() + 1 };
        let queues = &spec.queues;
        let shape_of = |lane| shape_of(lane, queues, settings.transport);
        let shapes: Vec<_> = (0..layout.lanes).map(shape_of).collect();
        let sharing = settings.sharing(rank, size);
        check_device((&chosen.device, &chosen.limits), peers, sharing, &shapes)?;
        let needed = needed_bytes(layout, peers as usize, &shapes);
        let needed = exposed.as_ref().map_or(needed, |words| needed.saturating_add(words.bytes()));
        let failed = |failure| failed_needing(failure, None, needed);
        // Packets of an earlier connection between pairs of the same numbers are none of this one.
        let first_packet = fastrand::u32(..1 << 24);
        let events = Events::of(&chosen.context).map_err(failed)?;
        let pd = Pd::new(&chosen.context).map_err(failed)?;
        let channel =
            Channel::new(&chosen.context, settings.local_rank(rank, size).0).map_err(failed)?;
        let words = |count, access| RegisteredWords::new(&pd, count, access).map_err(failed);
        let shown = words(layout.shown_words(), Access::Read)?;
        let reached = words(layout.reached_words(), Access::ReadAndWrite)?;
        let landing = words(layout.landing_words(), Access::Local)?;
        let exposed =
            exposed.map(|words| Foreign::new(&pd, words.0).map_err(failed)).transpose()?;
        let cq = |completions| Cq::new(&channel, completions).map_err(failed);
        let (lanes, beside) = (&shapes[..queues.len()], shapes[queues.len()]);
        let sends = cq(peers * lanes.iter().map(|shape| shape.sends).sum::<u32>())?;
        let (control_sends, control_receives) =
            (cq(peers * beside.sends)?, cq(peers * beside.receives)?);
        let inboxes = lanes.iter().map(|shape| Ok(CqInbox::new(cq(peers * shape.receives)?)));
        let inboxes: Vec<CqInbox> = inboxes.collect::<Result<_, IbError>>()?;
        let mut pairs = Vec::with_capacity(layout.lanes * size);
        for (lane, shape) in shapes.iter().enumerate() {
            let (to, from) = match inboxes.get(lane) {
                Some(inbox) => (&sends, inbox.cq()),
                None => (&control_sends, &control_receives),
            };
            for peer in 0..size {
                // On the control lane the peer is number enough.
                let owner = if lane < queues.len() { lane * size + peer } else { peer };
                let shape = PairShape { owner: owner as u32, qkey: first_packet, ..*shape };
                let pair = is_peer(peer)
                    .then(|| Pair::new(&pd, to, from, &landing, chosen.at(), &shape))
                    .transpose()
                    .map_err(|failure| failed_needing(failure, Some(peer), needed))?;
                pairs.push(pair);
            }
        }
        let caster = match settings.without_multicast {
            true => Err(None),
            false => {
                Caster::open(&chosen, &pd, &channel, &landing, rank).map(Box::new).map_err(Some)
            }
        };
        let from_bytes = match settings.read_from_bytes.unwrap_or(DEFAULT_FROM_BYTES) {
            _ if settings.transport != Transport::Rc => None,
            usize::MAX => None,
            from => Some(from.max(1)),
        };
        let payloads = Box::new(Payloads::new(&pd, from_bytes, chosen.port.message_bytes));
        let place = |words: &RegisteredWords| {
            let (address, key) = words.address();
            RemoteAddress { address, key }
        };
        let foreign = |words: &Foreign| {
            let (address, key) = words.address();
            RemoteAddress { address, key }
        };
        let address = Address {
            gid: chosen.gid,
            lid: chosen.port.lid,
            mtu: chosen.port.mtu.clamp(1, 5) as u8,
            is_global: chosen.is_global,
            reads: chosen.limits.reads.clamp(1, MAX_READS.into()) as u8,
            transport: settings.transport,
            first_packet,
            read_from: from_bytes.map_or(u64::MAX, |from| from as u64),
            datagrams: caster.as_ref().map_or(0, |caster| caster.number()),
            shown: place(&shown),
            reached: place(&reached),
            exposed: exposed.as_ref().map_or(RemoteAddress { address: 0, key: 0 }, foreign),
            queues: queues.clone(),
            pairs: pairs.iter().map(|pair| pair.as_ref().map_or(0, Pair::number)).collect(),
        };
        let route = Route {
            port: chosen.number,
            gid_index: chosen.gid_index,
            is_global: chosen.is_global,
            pkey_index: chosen.pkey_index,
            service_level: settings.service_level,
            traffic_class: settings.traffic_class,
        };
        let route_text = chosen.route_in_words(settings);
        Ok(Endpoint {
            rank,
            layout,
            queues: queues.clone(),
            device: chosen.device,
            route,
            address,
            pairs,
            inboxes,
            channel,
            sends,
            control_sends,
            control_receives,
            shown,
            reached,
            events,
            route_text,
            caster,
            exposed,
            payloads,
        })
    }

    /// What the others must know.
    pub(super) fn address(&self) -> Vec<u8> {
        self.address.encode()
    }

    /// Connects it with all others, whose addresses stand in the order of their ranks.
    pub(super) fn connect(mut self, addresses: &[Vec<u8>]) -> Result<IbNic, IbError> {
        let MemoryLayout { size, lanes } = self.layout;
        let mut known = Vec::with_capacity(size);
        for peer in 0..size {
            let bytes = addresses.get(peer);
            let bytes = bytes.ok_or(IbError::Address { peer, what: "it is missing" })?;
            let address = Address::decode(bytes, peer, size, &self.queues, self.address.transport)?;
            if address.is_global != self.address.is_global {
                return Err(IbError::Address {
                    peer,
                    what: "one of the two is on Ethernet, or has a GID index chosen, and the other is not",
                });
            }
            if address.read_from != self.address.read_from {
                return Err(IbError::Address {
                    peer,
                    what: "it exposes payloads of another length: all ranks need the same \
                           RUNAHEAD_IB_READ_FROM",
                });
            }
            known.push(address);
        }
        let mut pairs = std::mem::take(&mut self.pairs).into_iter();
        let mut connect = |lane: usize, peer: Rank| -> Result<Option<Pair>, Failure> {
            let Some(mut pair) = pairs.next().flatten() else { return Ok(None) };
            let theirs = &known[peer];
            let remote = Remote {
                number: theirs.pairs[lane * size + self.rank],
                qkey: theirs.first_packet,
                first_packet: theirs.first_packet,
                gid: theirs.gid,
                lid: theirs.lid,
                mtu: theirs.mtu.min(self.address.mtu).into(),
                reads: theirs.reads.min(self.address.reads),
            };
            pair.connect(&self.route, &remote, self.address.first_packet)?;
            Ok(Some(pair))
        };
        let mut ends = Vec::with_capacity((lanes - 1) * size);
        for lane in 0..lanes - 1 {
            for (peer, theirs) in known.iter().enumerate() {
                let pair = connect(lane, peer).map_err(|failure| failed(failure, Some(peer)))?;
                let at = self.layout.count(lane, self.rank) as u64 * 8;
                let RemoteAddress { address, key } = theirs.shown;
                let counted = RemoteAddress { address: address.wrapping_add(at), key };
                let remote = theirs.pairs[lane * size + self.rank];
                ends.push(pair.map(|pair| End::new(pair, counted, remote)));
            }
        }
        let mut links = Vec::with_capacity(size);
        for (peer, theirs) in known.iter().enumerate() {
            let pair = connect(lanes - 1, peer).map_err(|failure| failed(failure, Some(peer)))?;
            links.push(
                pair.map(|pair| {
                    ControlLink::new(pair, theirs.shown, theirs.reached, theirs.exposed)
                }),
            );
        }
        let numbers = known.iter().map(|address| address.datagrams).collect();
        let opened = std::mem::replace(&mut self.caster, Err(None));
        let caster = opened.and_then(|mut caster| {
            let joined = caster.join(&self.route, self.address.gid, addresses, numbers);
            joined.map(|()| caster).map_err(Some)
        });
        let attributes = self.attributes(&ends);
        let control = ControlPairs {
            layout: self.layout,
            rank: self.rank,
            links,
            sends: self.control_sends,
            receives: self.control_receives,
            batch: Batch::default(),
            shown: Arc::clone(&self.shown),
            reached: Arc::clone(&self.reached),
            device: Box::new(Device::new(
                (self.device.clone(), self.route.port),
                self.route_text,
                self.events,
                self.address.pairs,
                size,
            )),
            heard: 0,
            looked_at: Instant::now(),
        };
        Ok(IbNic::new(Parts {
            attributes,
            device: self.device,
            layout: self.layout,
            is_reliable: self.address.transport == Transport::Rc,
            queues: self.queues,
            ends,
            inboxes: self.inboxes,
            channel: self.channel,
            sends: self.sends,
            control,
            shown: self.shown,
            reached: self.reached,
            caster,
            exposed: self.exposed,
            payloads: self.payloads,
        }))
    }

    fn attributes(&self, ends: &[Option<End>]) -> NicAttributes {
        let inline = ends.iter().flatten().map(|end| end.pair.inline_bytes()).min();
        let longest = self.queues.iter().map(|queue| queue.descriptor_bytes).max();
        NicAttributes {
            provider: PROVIDER,
            rank: self.rank,
            size: self.layout.size,
            max_ranks: MAX_RANKS,
            max_message_bytes: longest.unwrap_or(0),
            max_descriptors_per_vi: self
                .queues
                .iter()
                .map(|queue| queue.recv_descriptors)
                .max()
                .unwrap_or(0),
            completion_queues: self.queues.len() as u8,
            max_registered_bytes: super::layout::REGION_WORDS * 8,
            max_regions: super::layout::MAX_REGIONS,
            inline_bytes: inline.unwrap_or(0),
            causal: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        ports: 1,
        queue_pairs: 600,
        work_requests: 64,
        completion_queues: 28,
        completions: 960,
        regions: 1216,
        region_bytes: 1 << 30,
        reads: 1,
        multicast_groups: 0,
    };

    fn checked(limits: Limits, peers: u32, sharing: usize) -> Result<(), String> {
        let queue = QueueSpec { recv_descriptors: 64, descriptor_bytes: 100 };
        let shapes: Vec<_> =
            (0..5).map(|lane| shape_of(lane, &[queue; 4], Transport::Rc)).collect();
        let checked = check_device(("mlx5_0", &limits), peers, sharing, &shapes);
        checked.map_err(|error| error.to_string())
    }

    /// (Planted: a need that is that of one rank.)
    #[test]
    fn the_needs_of_ranks_that_share_a_device_are_added() {
        let limits = Limits { work_requests: 128, completions: 1 << 20, ..LIMITS };
        assert_eq!(checked(limits, 30, 4), Ok(()));
        // Each of these is enough, and one less is not.
        let less = [
            (Limits { queue_pairs: 599, ..limits }, "queue pairs, and 600 would be needed"),
            (Limits { regions: 1215, ..limits }, "regions of memory, and 1216 would be needed"),
            (Limits { completion_queues: 27, ..limits }, "completion queues, and 28 would"),
        ];
        for (limits, what) in less {
            let error = checked(limits, 30, 4).unwrap_err();
            assert!(error.contains(what) && error.contains("share it"), "{error}");
            assert_eq!(checked(limits, 30, 3), Ok(()));
        }
        let error = checked(Limits { work_requests: 63, ..limits }, 30, 4).unwrap_err();
        assert!(error.contains("63 work requests") && !error.contains("share"), "{error}");
        assert!(checked(LIMITS, 30, 4).is_err(), "completions");
    }

    #[test]
    fn a_device_without_reads_is_refused() {
        let error = checked(Limits { reads: 0, ..LIMITS }, 1, 1).unwrap_err();
        assert!(error.contains("mlx5_0") && error.contains("max_qp_rd_atom is 0"), "{error}");
    }
}
