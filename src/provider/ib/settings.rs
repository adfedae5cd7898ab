//! Which device, port and address a rank uses: what the user has chosen, and what suits where
//! nothing is.

use std::sync::Arc;

use super::error::{ARMED, INITIALIZING, IbError, failed, no_devices};
use crate::order::Rank;
use crate::provider::Transport;
use crate::sys::ibverbs::{Context, Limits, Port, PortState, device_names, gid_type, kernel_names};

/// Places of a port's table of addresses that are looked at where none was chosen. Tables may have
/// a thousand places, nearly all of them empty.
const PLACES: u32 = 64;

/// What the user has chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// The names of devices, of which ranks take one each, in turn. If there are none, each takes
    /// the first with an active port.
    pub devices: Vec<String>,
    /// The place of the port's table of GIDs at which the own address stands. If none is said: on
    /// Ethernet that of an IPv4 address for RoCE v2 if there is one, on InfiniBand the first.
    pub gid_index: Option<u32>,
    /// The kind of queue pairs that messages go by.
    pub transport: Transport,
    /// Whether nothing is to be sent to all ranks at once, as where switches do not let it through.
    pub without_multicast: bool,
    /// From which length on receivers read a payload where it lies, in bytes; `usize::MAX` for
    /// never. If nothing is said, it is what suits. All ranks need the same.
    pub read_from_bytes: Option<usize>,
    /// The service level of all messages: 0 to 15.
    pub service_level: u8,
    /// The traffic class of all messages on Ethernet, and where else peers are named by GID.
    pub traffic_class: u8,
    /// Which one this rank is of those of the job that are on its host, from 0, and how many these
    /// are: they take its devices in turn, and share them. If nothing is said, all are there.
    pub local_rank: Option<(usize, usize)>,
}

impl Settings {
    /// Devices by their names, with commas between them, as users write them.
    pub fn with_devices(mut self, names: &str) -> Settings {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        self.devices = names.map(str::to_owned).collect();
        self
    }

    /// Whether a job of so many ranks, all of them on this host, would find what it needs.
    ///
    /// # Errors
    ///
    /// [`IbError`] naming the missing thing.
    pub fn check(&self, ranks: usize) -> Result<(), IbError> {
        let mut first_of_each = 0..ranks.min(self.devices.len().max(1));
        first_of_each.try_for_each(|it| choose(self, self.device_of(it)).map(drop))
    }

    /// Nothing is sent to all ranks at once.
    pub fn without_multicast(mut self) -> Settings {
        self.without_multicast = true;
        self
    }

    /// Receivers read payloads of so many bytes and more where they lie; with `usize::MAX`, none.
    pub fn with_read_from_bytes(mut self, bytes: usize) -> Settings {
        self.read_from_bytes = Some(bytes);
        self
    }

    /// The place of the own address in the port's table of GIDs.
    pub fn with_gid_index(mut self, index: u32) -> Settings {
        self.gid_index = Some(index);
        self
    }

    /// What is sent has this service level: 0 to 15.
    pub fn with_service_level(mut self, level: u8) -> Settings {
        self.service_level = level;
        self
    }

    /// What is sent has this traffic class, where peers are named by GID.
    pub fn with_traffic_class(mut self, class: u8) -> Settings {
        self.traffic_class = class;
        self
    }

    /// This rank is that one, from 0, of so many of the job that are on its host.
    pub fn with_local_rank(mut self, local_rank: usize, ranks_of_host: usize) -> Settings {
        self.local_rank = Some((local_rank, ranks_of_host));
        self
    }

    /// What a rank of a job of `size` has said of that, or what follows where it has said nothing.
    pub(super) fn local_rank(&self, rank: Rank, size: usize) -> (usize, usize) {
        self.local_rank.unwrap_or((rank, size))
    }

    /// How many ranks of a job of `size` have the same device as this one, itself among them.
    pub(super) fn sharing(&self, rank: Rank, size: usize) -> usize {
        let own = self.device(rank, size);
        let (_, ranks) = self.local_rank(rank, size);
        (0..ranks.min(size)).filter(|&other| self.device_of(other) == own).count().max(1)
    }

    /// The name of the device that a rank of a job of `size` takes, if devices were named.
    pub(super) fn device(&self, rank: Rank, size: usize) -> Option<&str> {
        self.device_of(self.local_rank(rank, size).0)
    }

    /// That of the rank that is this one on its host.
    fn device_of(&self, local_rank: usize) -> Option<&str> {
        let name = self.devices.get(local_rank % self.devices.len().max(1));
        name.map(String::as_str)
    }

    /// The kind of queue pairs that messages go by.
    pub fn with_transport(mut self, transport: Transport) -> Settings {
        self.transport = transport;
        self
    }
}

/// What a rank uses.
pub(super) struct Chosen {
    pub(super) device: String,
    pub(super) context: Arc<Context>,
    pub(super) limits: Limits,
    pub(super) number: u8,
    pub(super) port: Port,
    pub(super) gid_index: u8,
    pub(super) gid: [u8; 16],
    /// Whether peers are named by GID.
    pub(super) is_global: bool,
    pub(super) pkey_index: u16,
    /// What stands there: a partition, and a bit for its full members. 0 if that is not known.
    pkey: u16,
}

/// The bit of full members of a partition. Others reach none but those.
const FULL: u16 = 1 << 15;

/// The partition that all ports are in, unless somebody has made others.
const DEFAULT_PARTITION: u16 = 0x7fff;

/// The highest service level.
const LEVELS: u8 = 15;

impl Chosen {
    /// Port and partition.
    pub(super) fn at(&self) -> (u8, u16) {
        (self.number, self.pkey_index)
    }

    /// What requests bear, where it is not as usual.
    pub(super) fn route_in_words(&self, settings: &Settings) -> String {
        route_in_words(self.pkey, settings, self.is_global)
    }
}

fn route_in_words(pkey: u16, settings: &Settings, is_global: bool) -> String {
    let mut words = Vec::new();
    if pkey != 0 && pkey & FULL == 0 {
        words.push(format!(
            "in partition {pkey:#06x}, of which this port is no full member and reaches none but such"
        ));
    } else if pkey != 0 && pkey & !FULL != DEFAULT_PARTITION {
        words.push(format!("in partition {pkey:#06x}"));
    }
    if settings.service_level != 0 {
        words.push(format!("by service level {}", settings.service_level));
    }
    if settings.traffic_class != 0 && is_global {
        words.push(format!("by traffic class {}", settings.traffic_class));
    }
    words.join(", ")
}

/// The place of the partition that is used: the first of which the port is a full member, else the
/// first. With what stands there.
fn partition(table: impl IntoIterator<Item = u16>) -> (u16, u16) {
    let mut first = 0;
    for (index, pkey) in (0..).zip(table) {
        if pkey & FULL != 0 {
            return (index, pkey);
        }
        if index == 0 {
            first = pkey;
        }
    }
    (0, first)
}

/// Opens the device of a rank.
pub(super) fn choose(settings: &Settings, device: Option<&str>) -> Result<Chosen, IbError> {
    if settings.service_level > LEVELS {
        return Err(IbError::ServiceLevel { level: settings.service_level, most: LEVELS });
    }
    let known = device_names().map_err(|failure| failed(failure, None))?;
    if known.is_empty() {
        return Err(no_devices(kernel_names()));
    }
    // What is wrong with the choice of any rank is said by all.
    if let Some(name) = settings.devices.iter().find(|name| !known.contains(name)) {
        return Err(IbError::UnknownDevice { name: name.clone(), known });
    }
    let (device, context, limits, number, port) = match device {
        None => first_active(&known)?,
        Some(device) => active(device)?,
    };
    let (gid_index, gid) = gid(&device, &context, number, &port, settings.gid_index)?;
    let is_global = is_global(&port, settings.gid_index);
    // What cannot be asked for is as if it were not there.
    let table = (0..port.pkeys).map(|index| context.pkey(number, index).unwrap_or(0));
    let (pkey_index, pkey) = partition(table);
    Ok(Chosen {
        device,
        context,
        limits,
        number,
        port,
        gid_index,
        gid,
        is_global,
        pkey_index,
        pkey,
    })
}

/// Whether peers are named by GID, through this port and with this choice of the user's.
fn is_global(port: &Port, gid_index: Option<u32>) -> bool {
    port.is_ethernet || port.needs_gids || gid_index.is_some() || port.lid == 0
}

/// The largest packet that all ports take which ranks of a job of this host use, in bytes.
pub(super) fn packet_bytes(settings: &Settings, size: usize) -> Result<usize, IbError> {
    let ranks = size.min(settings.devices.len()).max(1);
    let chosen = |local_rank| choose(settings, settings.device_of(local_rank));
    let ports = (0..ranks).map(|local_rank| Ok(port_packet_bytes(&chosen(local_rank)?.port)));
    let bytes = ports.collect::<Result<Vec<_>, IbError>>()?;
    Ok(bytes.into_iter().min().unwrap_or(0))
}

/// The largest packet of a port, in bytes.
pub(super) fn port_packet_bytes(port: &Port) -> usize {
    128 << port.mtu.clamp(1, 5)
}

type Opened = (String, Arc<Context>, Limits, u8, Port);

/// The first device that has an active port; if none has, the fault of the first.
fn first_active(known: &[String]) -> Result<Opened, IbError> {
    let mut first = None;
    for device in known {
        match active(device) {
            Ok(opened) => return Ok(opened),
            Err(error) => drop(first.get_or_insert(error)),
        }
    }
    Err(first.unwrap_or(IbError::NoDevices))
}

/// The device, and its first active port.
fn active(device: &str) -> Result<Opened, IbError> {
    let verb = |failure| failed(failure, None);
    let unknown = || IbError::UnknownDevice { name: device.to_owned(), known: Vec::new() };
    let context = Context::open(device).map_err(verb)?.ok_or_else(unknown)?;
    if let Some(speaks) = context.foreign() {
        return Err(IbError::Foreign { device: device.to_owned(), speaks });
    }
    let limits = context.limits().map_err(verb)?;
    let mut first = None;
    for number in 1..=limits.ports {
        let port = context.port(number).map_err(verb)?;
        if port.state == PortState::Active {
            return Ok((device.to_owned(), context, limits, number, port));
        }
        first.get_or_insert((number, port));
    }
    let device = device.to_owned();
    Err(match first {
        Some((port, it)) => IbError::PortDown { device, port, state: state_text(it.state) },
        None => IbError::NoSuchPort { device, port: 1, ports: 0 },
    })
}

/// The state of a port, in a word.
pub(super) fn state_text(state: PortState) -> &'static str {
    match state {
        PortState::Active => "active",
        PortState::Other(1) => "down",
        PortState::Other(2) => INITIALIZING,
        PortState::Other(3) => ARMED,
        PortState::Other(_) => "in an unknown state",
    }
}

fn gid(
    device: &str,
    context: &Context,
    number: u8,
    port: &Port,
    chosen: Option<u32>,
) -> Result<(u8, [u8; 16]), IbError> {
    let at = |index| context.gid(number, index).map_err(|failure| failed(failure, None));
    let device = device.to_owned();
    if let Some(index) = chosen {
        // In a work request it has one byte.
        let Some(place) = u8::try_from(index).ok().filter(|_| index < port.gids) else {
            return Err(IbError::NoSuchGid { device, port: number, index, gids: port.gids });
        };
        let gid = at(index)?;
        if gid == [0; 16] {
            return Err(IbError::EmptyGid { device, port: number, index });
        }
        return Ok((place, gid));
    }
    if !port.is_ethernet {
        return Ok((0, at(0)?));
    }
    let mut best: Option<(u8, u8, [u8; 16])> = None;
    for index in 0..port.gids.min(PLACES) {
        let gid = at(index)?;
        if gid == [0; 16] {
            continue;
        }
        let fitness = fitness(gid, gid_type(&device, number, index).as_deref());
        if best.is_none_or(|(most, ..)| fitness > most) {
            best = Some((fitness, index as u8, gid));
        }
    }
    match best {
        Some((_, index, gid)) => Ok((index, gid)),
        None => Err(IbError::NoGid { device, port: number }),
    }
}

/// How well an address suits where none was chosen: those of RoCE v2 can be routed, and of these
/// IPv4 addresses are mostly the ones that somebody has given.
fn fitness(gid: [u8; 16], kind: Option<&str>) -> u8 {
    let is_v2 = kind.is_none_or(|kind| kind.contains("v2"));
    let is_ipv4 = gid[..10] == [0; 10] && gid[10..12] == [0xff; 2];
    let is_link_local = gid[0] == 0xfe && gid[1] & 0xc0 == 0x80;
    match (is_v2, is_ipv4, is_link_local) {
        (true, true, _) => 3,
        (true, _, false) => 2,
        (true, ..) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_names_are_separated_by_commas() {
        let devices = |names| Settings::default().with_devices(names).devices;
        assert_eq!(devices(" rxe1, rxe2 ,,"), ["rxe1", "rxe2"]);
        assert_eq!(devices(""), [""; 0]);
        assert_eq!(Settings::default().with_gid_index(3).gid_index, Some(3));
    }

    /// (Planted: the first partition, whatever it is.)
    #[test]
    fn the_first_partition_of_full_membership_is_chosen() {
        assert_eq!(partition([0xffff]), (0, 0xffff));
        assert_eq!(partition([0x7fff, 0, 0x8001, 0xffff]), (2, 0x8001));
        assert_eq!(partition([0x7fff, 0x0001]), (0, 0x7fff));
        assert_eq!(partition([]), (0, 0));
    }

    #[test]
    fn only_unusual_parts_of_a_route_are_described() {
        let said = |pkey, level, class, is_global| {
            let settings = Settings::default().with_service_level(level).with_traffic_class(class);
            route_in_words(pkey, &settings, is_global)
        };
        assert_eq!([said(0xffff, 0, 0, true), said(0, 0, 96, false)], ["", ""]);
        let all = said(0x8001, 3, 96, true);
        assert_eq!(all, "in partition 0x8001, by service level 3, by traffic class 96");
        assert!(said(0x7fff, 0, 0, false).contains("0x7fff, of which this port is no full member"));
    }

    #[test]
    fn a_service_level_above_the_limit_is_refused() {
        let refused = choose(&Settings::default().with_service_level(16), None).map(drop);
        assert_eq!(refused, Err(IbError::ServiceLevel { level: 16, most: 15 }));
    }

    /// (Planted: each rank has a device of its own.)
    #[test]
    fn ranks_are_distributed_over_the_devices() {
        let sharing = |names, ranks: &[Rank]| {
            let settings = Settings::default().with_devices(names);
            ranks.iter().map(|&rank| settings.sharing(rank, 7)).collect::<Vec<_>>()
        };
        assert_eq!(sharing("", &[0, 6]), [7, 7]);
        assert_eq!(sharing("a,b,c", &[0, 1, 2, 3]), [3, 2, 2, 3]);
        assert_eq!(sharing("a,b,a", &[0, 1, 2]), [5, 2, 5]);
        // Whatever its number in the job.
        let of_three = |local| Settings::default().with_devices("a,b").with_local_rank(local, 3);
        assert_eq!([0, 1, 2].map(|local| of_three(local).sharing(5, 7)), [2, 1, 2]);
        assert_eq!(of_three(0).device(5, 7), Some("a"));
        assert_eq!(Settings::default().with_devices("a,b").device(5, 7), Some("b"));
        assert_eq!(Settings::default().device(5, 7), None);
        assert_eq!(Settings::default().with_local_rank(0, 100).sharing(0, 7), 7);
    }

    const PORT: Port = Port {
        state: PortState::Active,
        mtu: 5,
        gids: 1,
        pkeys: 1,
        lid: 7,
        is_ethernet: false,
        needs_gids: false,
        message_bytes: 1 << 30,
    };

    #[test]
    fn peers_are_addressed_by_gid_where_a_lid_does_not_suffice() {
        assert!(!is_global(&PORT, None));
        assert!(is_global(&PORT, Some(0)) && is_global(&Port { lid: 0, ..PORT }, None));
        assert!(is_global(&Port { is_ethernet: true, ..PORT }, None));
        assert!(is_global(&Port { needs_gids: true, ..PORT }, None));
    }

    #[test]
    fn packet_sizes_follow_the_codes_of_the_library() {
        let port = |mtu| Port { mtu, ..PORT };
        let bytes = [1, 2, 3, 4, 5, 0, 9].map(|mtu| port_packet_bytes(&port(mtu)));
        assert_eq!(bytes, [256, 512, 1024, 2048, 4096, 256, 4096]);
    }

    #[test]
    fn an_assigned_address_is_preferred_to_a_link_local_one() {
        let ipv4 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 8, 0, 1];
        let mut link_local = [1; 16];
        (link_local[0], link_local[1]) = (0xfe, 0x80);
        let order = [
            fitness(ipv4, Some("IB/RoCE v1")),
            fitness(link_local, Some("RoCE v2")),
            fitness([0x20; 16], Some("RoCE v2")),
            fitness(ipv4, Some("RoCE v2")),
        ];
        assert!(order.is_sorted_by(|one, other| one < other), "{order:?}");
        assert_eq!(fitness(ipv4, None), 3, "an old kernel that does not say");
    }
}
