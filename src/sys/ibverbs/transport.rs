//! The kinds of queue pairs, which are VIA's levels of reliability on RDMA: their states up to
//! sending, and address handles, which name the destination of datagrams.
//!
//! It posts nothing; `pair` does.

use std::ptr::NonNull;
use std::sync::Arc;

use super::device::Pd;
use super::{Failure, abi};

/// A kind of queue pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Transport {
    /// Reliably connected: nothing is lost; has RDMA writes and reads.
    #[default]
    Rc,
    /// Unreliably connected: a message is lost, without notice, if a packet of it is lost or if it
    /// meets no receive. Has RDMA writes, but no reads.
    Uc,
    /// Unreliable datagrams: a message is one packet, and each may go to another queue pair. Has no
    /// RDMA.
    Ud,
}

/// The route from this process to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) port: u8,
    pub(crate) gid_index: u8,
    /// Whether peers are named by GID, as on Ethernet, instead of by LID.
    pub(crate) is_global: bool,
    /// The index of the partition in the port's table.
    pub(crate) pkey_index: u16,
    pub(crate) service_level: u8,
    /// Used on Ethernet, and wherever peers are named by GID.
    pub(crate) traffic_class: u8,
}

/// A queue pair of a peer; or, for datagrams, a multicast group: its GID, and the number that means
/// all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    pub(crate) number: u32,
    /// The key (Q_Key) that a datagram must name to be accepted.
    pub(crate) qkey: u32,
    /// The number of its first packet, of 24 bits.
    pub(crate) first_packet: u32,
    pub(crate) gid: [u8; 16],
    pub(crate) lid: u16,
    /// The largest packet that both ends accept, as the library's number.
    pub(crate) mtu: i32,
    /// The most RDMA reads in flight that both ends support.
    pub(crate) reads: u8,
}

/// How often an unanswered request is repeated. The maximum is 7, which soft-RoCE takes for
/// infinity.
const RETRIES: u8 = 6;

/// How long an answer may take: 4 us times two to the power of this, 1 s, as in UCX. A peer that is
/// unreachable for some 8 s is therefore lost; devices may take up to four times as long.
const TIMEOUT: u8 = 18;

/// How often a message that meets no receive is repeated. That happens only if the peer has
/// miscounted.
const RECEIVE_RETRIES: u8 = 6;

/// The pause in between: the library's number for 20 ms.
const RECEIVE_TIMER: u8 = 22;

/// The attributes that bring a queue pair into its next state, and the mask of those that are set.
type Transition = (abi::QpAttr, i32);

impl Transport {
    /// The library's number for it.
    pub(super) fn number(self) -> i32 {
        match self {
            Transport::Rc => abi::QPT_RC,
            Transport::Uc => abi::QPT_UC,
            Transport::Ud => abi::QPT_UD,
        }
    }

    /// The number of bytes that the device puts in front of a received message.
    pub(super) fn front_bytes(self) -> usize {
        if self == Transport::Ud { abi::GRH_BYTES } else { 0 }
    }

    /// The first state (INIT), in which receives may be posted.
    pub(super) fn initial(self, port: u8, pkey_index: u16, qkey: u32) -> Transition {
        let access = match self {
            Transport::Rc => abi::ACCESS_REMOTE_WRITE | abi::ACCESS_REMOTE_READ,
            Transport::Uc | Transport::Ud => 0,
        };
        let attr = abi::QpAttr {
            qp_state: abi::QPS_INIT,
            port_num: port,
            pkey_index,
            qkey,
            qp_access_flags: access as u32,
            ..Default::default()
        };
        let own = if self == Transport::Ud { abi::QP_QKEY } else { abi::QP_ACCESS_FLAGS };
        (attr, abi::QP_STATE | abi::QP_PKEY_INDEX | abi::QP_PORT | own)
    }

    /// The second state (RTR), in which it receives.
    pub(super) fn ready_to_receive(self, route: &Route, remote: &Remote) -> Transition {
        let attr = abi::QpAttr {
            qp_state: abi::QPS_RTR,
            path_mtu: remote.mtu,
            dest_qp_num: remote.number,
            rq_psn: remote.first_packet,
            max_dest_rd_atomic: remote.reads,
            min_rnr_timer: RECEIVE_TIMER,
            ah_attr: way(route, remote),
            ..Default::default()
        };
        let connected = abi::QP_AV | abi::QP_PATH_MTU | abi::QP_DEST_QPN | abi::QP_RQ_PSN;
        let own = match self {
            Transport::Rc => connected | abi::QP_MAX_DEST_RD_ATOMIC | abi::QP_MIN_RNR_TIMER,
            Transport::Uc => connected,
            Transport::Ud => 0,
        };
        (attr, abi::QP_STATE | own)
    }

    /// The third state (RTS), in which it also sends.
    pub(super) fn ready_to_send(self, remote: &Remote, first_packet: u32) -> Transition {
        let attr = abi::QpAttr {
            qp_state: abi::QPS_RTS,
            timeout: TIMEOUT,
            retry_cnt: RETRIES,
            rnr_retry: RECEIVE_RETRIES,
            sq_psn: first_packet,
            max_rd_atomic: remote.reads,
            ..Default::default()
        };
        let own = match self {
            Transport::Rc => {
                abi::QP_TIMEOUT | abi::QP_RETRY_CNT | abi::QP_RNR_RETRY | abi::QP_MAX_QP_RD_ATOMIC
            }
            Transport::Uc | Transport::Ud => 0,
        };
        (attr, abi::QP_STATE | abi::QP_SQ_PSN | own)
    }
}

fn way(route: &Route, remote: &Remote) -> abi::AhAttr {
    abi::AhAttr {
        dgid: abi::Gid(remote.gid),
        sgid_index: route.gid_index,
        hop_limit: if route.is_global { 64 } else { 0 },
        traffic_class: if route.is_global { route.traffic_class } else { 0 },
        dlid: remote.lid,
        sl: route.service_level,
        is_global: route.is_global.into(),
        port_num: route.port,
        ..Default::default()
    }
}

/// An address handle: the route to a peer, or to a multicast group.
pub(crate) struct Ah {
    ah: NonNull<abi::Ah>,
    pd: Arc<Pd>,
}

// SAFETY: as for the context: the library may be called by any threads at once.
unsafe impl Send for Ah {}

impl Ah {
    pub(crate) fn new(pd: &Arc<Pd>, route: &Route, remote: &Remote) -> Result<Ah, Failure> {
        let mut attr = way(route, remote);
        // SAFETY: the domain is valid, and the attributes are set.
        let ah = unsafe { (pd.context().library().ibv_create_ah)(pd.as_ptr(), &mut attr) };
        let ah = NonNull::new(ah).ok_or_else(|| Failure::last("ibv_create_ah"))?;
        Ok(Ah { ah, pd: Arc::clone(pd) })
    }

    pub(super) fn as_ptr(&self) -> *mut abi::Ah {
        self.ah.as_ptr()
    }
}

impl Drop for Ah {
    fn drop(&mut self) {
        // SAFETY: it is valid. The pair that posts requests with it keeps it, and ends before it.
        unsafe { (self.pd.context().library().ibv_destroy_ah)(self.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTE: Route = Route {
        port: 1,
        gid_index: 2,
        is_global: true,
        pkey_index: 4,
        service_level: 3,
        traffic_class: 96,
    };
    const REMOTE: Remote =
        Remote { number: 7, qkey: 9, first_packet: 11, gid: [1; 16], lid: 0, mtu: 3, reads: 16 };

    /// What of the attributes a kind of queue pair may and must have, says the table of
    /// `ibv_modify_qp(3)`.
    #[test]
    fn each_transport_sets_the_attributes_that_it_has() {
        let masks = |kind: Transport| {
            let steps = [
                kind.initial(1, 4, 5),
                kind.ready_to_receive(&ROUTE, &REMOTE),
                kind.ready_to_send(&REMOTE, 3),
            ];
            steps.map(|(_, mask)| mask)
        };
        let (initial, connected) = (0b11_0001, 0x0010_1180);
        assert_eq!(masks(Transport::Uc), [initial | 1 << 3, connected | 1, 1 << 16 | 1]);
        assert_eq!(masks(Transport::Ud), [initial | 1 << 6, 1, 1 << 16 | 1]);
        let reliable = [initial | 1 << 3, connected | 0x2_8001, 1 << 16 | 0x2e01];
        assert_eq!(masks(Transport::Rc), reliable);
        assert_eq!([Transport::Uc, Transport::Ud].map(Transport::front_bytes), [0, 40]);
    }

    /// (Planted: one of the two left at 1.)
    #[test]
    fn a_queue_pair_may_ask_for_as_many_reads_as_it_answers() {
        let asked = Transport::Rc.ready_to_send(&REMOTE, 3).0.max_rd_atomic;
        let answered = Transport::Rc.ready_to_receive(&ROUTE, &REMOTE).0.max_dest_rd_atomic;
        assert_eq!([asked, answered], [16; 2]);
    }

    /// (Planted: each of the three left out.)
    #[test]
    fn partition_level_and_class_are_those_of_the_route() {
        assert_eq!(Transport::Rc.initial(1, 4, 5).0.pkey_index, 4);
        let way = |route: &Route| {
            let way = Transport::Rc.ready_to_receive(route, &REMOTE).0.ah_attr;
            (way.sl, way.traffic_class)
        };
        assert_eq!(way(&ROUTE), (3, 96));
        // By LID nothing bears a class.
        assert_eq!(way(&Route { is_global: false, ..ROUTE }), (3, 0));
    }
}
