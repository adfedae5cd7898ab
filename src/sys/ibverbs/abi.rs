//! The structures of libibverbs as its header lays them out for programs of 64 bits, and the few of
//! its numbers that are used here.
//!
//! They are taken from `infiniband/verbs.h` of rdma-core 44.0, which Debian 12 has, and are written
//! by hand: they are few and never change. A program that was built years ago runs on today's
//! library, whose symbols have versions for that. Sizes and offsets are asserted at compile time.
//! `tests` has a C compiler compare them with the header where there is one; `tests/rdma/foreign`
//! compares them, and each field that is used, with the crate `ibverbs-sys`, which has rdma-core
//! 55.0.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `struct ibv_device`, as far as it is looked at.
#[repr(C)]
pub(super) struct Device {
    ops: [*mut c_void; 2],
    node_type: c_int,
    pub(super) transport_type: c_int,
    pub(super) name: [c_char; 64],
}

/// `struct ibv_context`, as far as it is looked at: a driver makes it.
#[repr(C)]
pub(super) struct Context {
    device: *mut Device,
    pub(super) ops: ContextOps,
    cmd_fd: c_int,
    pub(super) async_fd: c_int,
    pub(super) num_comp_vectors: c_int,
}

/// `struct ibv_context_ops`: what of the library is no symbol.
#[repr(C)]
pub(super) struct ContextOps {
    before_poll: [*mut c_void; 11],
    pub(super) poll_cq: Option<unsafe extern "C" fn(*mut Cq, c_int, *mut WorkCompletion) -> c_int>,
    pub(super) req_notify_cq: Option<unsafe extern "C" fn(*mut Cq, c_int) -> c_int>,
    before_post: [*mut c_void; 12],
    pub(super) post_send:
        Option<unsafe extern "C" fn(*mut Qp, *mut SendWork, *mut *mut SendWork) -> c_int>,
    pub(super) post_recv:
        Option<unsafe extern "C" fn(*mut Qp, *mut RecvWork, *mut *mut RecvWork) -> c_int>,
    after_post: [*mut c_void; 5],
}

/// `struct ibv_device_attr`.
#[repr(C)]
pub(super) struct DeviceAttr {
    fw_ver: [u8; 64],
    guids: [u64; 2],
    pub(super) max_mr_size: u64,
    page_size_cap: u64,
    vendor: [u32; 3],
    pub(super) max_qp: c_int,
    pub(super) max_qp_wr: c_int,
    device_cap_flags: c_uint,
    pub(super) max_sge: c_int,
    max_sge_rd: c_int,
    pub(super) max_cq: c_int,
    pub(super) max_cqe: c_int,
    pub(super) max_mr: c_int,
    max_pd: c_int,
    pub(super) max_qp_rd_atom: c_int,
    before_init: [c_int; 2],
    pub(super) max_qp_init_rd_atom: c_int,
    between: [c_int; 7],
    pub(super) max_mcast_grp: c_int,
    after: [c_int; 5],
    max_srq: c_int,
    srq: [c_int; 2],
    max_pkeys: u16,
    local_ca_ack_delay: u8,
    pub(super) phys_port_cnt: u8,
}

/// `struct ibv_port_attr`.
#[repr(C)]
pub(super) struct PortAttr {
    pub(super) state: c_int,
    max_mtu: c_int,
    pub(super) active_mtu: c_int,
    pub(super) gid_tbl_len: c_int,
    port_cap_flags: u32,
    pub(super) max_msg_sz: u32,
    bad_pkey_cntr: u32,
    qkey_viol_cntr: u32,
    pub(super) pkey_tbl_len: u16,
    pub(super) lid: u16,
    sm_lid: u16,
    bytes: [u8; 8],
    pub(super) link_layer: u8,
    pub(super) flags: u8,
    port_cap_flags2: u16,
    /// Newer libraries write so much more.
    pub(super) room: [u32; 4],
}

/// `struct ibv_pd`, which is only passed on.
#[repr(C)]
pub(super) struct Pd {
    context: *mut Context,
}

/// `struct ibv_mr`.
#[repr(C)]
pub(super) struct Mr {
    context: *mut Context,
    pd: *mut Pd,
    addr: *mut c_void,
    length: usize,
    handle: u32,
    pub(super) lkey: u32,
    pub(super) rkey: u32,
}

/// `struct ibv_comp_channel`.
#[repr(C)]
pub(super) struct CompChannel {
    context: *mut Context,
    pub(super) fd: c_int,
    refcnt: c_int,
}

/// `struct ibv_cq`, as far as it is looked at.
#[repr(C)]
pub(super) struct Cq {
    pub(super) context: *mut Context,
}

/// `struct ibv_qp`, as far as it is looked at.
#[repr(C)]
pub(super) struct Qp {
    pub(super) context: *mut Context,
    qp_context: *mut c_void,
    pd: *mut Pd,
    cqs: [*mut Cq; 2],
    srq: *mut c_void,
    handle: u32,
    pub(super) qp_num: u32,
}

/// `struct ibv_qp_cap`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct QpCap {
    pub(super) max_send_wr: u32,
    pub(super) max_recv_wr: u32,
    pub(super) max_send_sge: u32,
    pub(super) max_recv_sge: u32,
    pub(super) max_inline_data: u32,
}

/// `struct ibv_qp_init_attr`.
#[repr(C)]
pub(super) struct QpInitAttr {
    pub(super) qp_context: *mut c_void,
    pub(super) send_cq: *mut Cq,
    pub(super) recv_cq: *mut Cq,
    pub(super) srq: *mut c_void,
    pub(super) cap: QpCap,
    pub(super) qp_type: c_int,
    pub(super) sq_sig_all: c_int,
}

/// `union ibv_gid`, which is aligned as two words.
#[repr(C, align(8))]
#[derive(Clone, Copy, Default)]
pub(super) struct Gid(pub(super) [u8; 16]);

/// `struct ibv_ah_attr`, with `struct ibv_global_route` at its start.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct AhAttr {
    pub(super) dgid: Gid,
    pub(super) flow_label: u32,
    pub(super) sgid_index: u8,
    pub(super) hop_limit: u8,
    pub(super) traffic_class: u8,
    pub(super) dlid: u16,
    pub(super) sl: u8,
    pub(super) src_path_bits: u8,
    pub(super) static_rate: u8,
    pub(super) is_global: u8,
    pub(super) port_num: u8,
}

/// `struct ibv_qp_attr`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct QpAttr {
    pub(super) qp_state: c_int,
    pub(super) cur_qp_state: c_int,
    pub(super) path_mtu: c_int,
    pub(super) path_mig_state: c_int,
    pub(super) qkey: u32,
    pub(super) rq_psn: u32,
    pub(super) sq_psn: u32,
    pub(super) dest_qp_num: u32,
    pub(super) qp_access_flags: c_uint,
    pub(super) cap: QpCap,
    pub(super) ah_attr: AhAttr,
    pub(super) alt_ah_attr: AhAttr,
    pub(super) pkey_index: u16,
    pub(super) alt_pkey_index: u16,
    pub(super) draining: [u8; 2],
    pub(super) max_rd_atomic: u8,
    pub(super) max_dest_rd_atomic: u8,
    pub(super) min_rnr_timer: u8,
    pub(super) port_num: u8,
    pub(super) timeout: u8,
    pub(super) retry_cnt: u8,
    pub(super) rnr_retry: u8,
    pub(super) alt: [u8; 2],
    pub(super) rate_limit: u32,
}

/// `struct ibv_sge`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct Sge {
    pub(super) addr: u64,
    pub(super) length: u32,
    pub(super) lkey: u32,
}

/// `struct ibv_ah`, which is only passed on.
#[repr(C)]
pub(super) struct Ah {
    context: *mut Context,
}

/// `wr.rdma` of `struct ibv_send_wr`: where it is read or written.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct ToMemory {
    pub(super) remote_addr: u64,
    pub(super) rkey: u32,
}

/// `wr.ud` of `struct ibv_send_wr`: where a datagram goes.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct ToQueuePair {
    pub(super) ah: *mut Ah,
    pub(super) remote_qpn: u32,
    pub(super) remote_qkey: u32,
}

/// `wr` of `struct ibv_send_wr`, as far as it is used.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) union WorkTarget {
    pub(super) rdma: ToMemory,
    pub(super) ud: ToQueuePair,
}

/// `struct ibv_send_wr`.
#[repr(C)]
pub(super) struct SendWork {
    pub(super) wr_id: u64,
    pub(super) next: *mut SendWork,
    pub(super) sg_list: *mut Sge,
    pub(super) num_sge: c_int,
    pub(super) opcode: c_int,
    pub(super) send_flags: c_uint,
    pub(super) imm_data: u32,
    pub(super) wr: WorkTarget,
    pub(super) rest: [u32; 18],
}

/// `struct ibv_recv_wr`.
#[repr(C)]
pub(super) struct RecvWork {
    pub(super) wr_id: u64,
    pub(super) next: *mut RecvWork,
    pub(super) sg_list: *mut Sge,
    pub(super) num_sge: c_int,
}

/// `struct ibv_wc`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct WorkCompletion {
    pub(super) wr_id: u64,
    pub(super) status: c_int,
    pub(super) opcode: c_int,
    pub(super) vendor_err: u32,
    pub(super) byte_len: u32,
    imm_data: u32,
    pub(super) qp_num: u32,
    pub(super) src_qp: u32,
    wc_flags: c_uint,
    pkey_index: u16,
    slid: u16,
    sl: u8,
    dlid_path_bits: u8,
}

/// `element` of `struct ibv_async_event`, as far as it is looked at.
#[repr(C)]
pub(super) union Element {
    pub(super) qp: *mut Qp,
    pub(super) port_num: c_int,
}

/// `struct ibv_async_event`.
#[repr(C)]
pub(super) struct AsyncEvent {
    pub(super) element: Element,
    pub(super) event_type: c_int,
}

// `enum ibv_event_type`.
pub(super) const EVENT_CQ_ERR: c_int = 0;
pub(super) const EVENT_QP_FATAL: c_int = 1;
pub(super) const EVENT_QP_REQ_ERR: c_int = 2;
pub(super) const EVENT_QP_ACCESS_ERR: c_int = 3;
pub(super) const EVENT_PATH_MIG_ERR: c_int = 7;
pub(super) const EVENT_DEVICE_FATAL: c_int = 8;
pub(super) const EVENT_PORT_ACTIVE: c_int = 9;
pub(super) const EVENT_PORT_ERR: c_int = 10;

// `enum ibv_qp_type`.
pub(super) const QPT_RC: c_int = 2;
pub(super) const QPT_UC: c_int = 3;
pub(super) const QPT_UD: c_int = 4;

// `enum ibv_qp_state`.
pub(super) const QPS_INIT: c_int = 1;
pub(super) const QPS_RTR: c_int = 2;
pub(super) const QPS_RTS: c_int = 3;
#[cfg(any(test, planted))]
pub(super) const QPS_ERR: c_int = 6;

// `enum ibv_qp_attr_mask`.
pub(super) const QP_STATE: c_int = 1;
pub(super) const QP_ACCESS_FLAGS: c_int = 1 << 3;
pub(super) const QP_PKEY_INDEX: c_int = 1 << 4;
pub(super) const QP_PORT: c_int = 1 << 5;
pub(super) const QP_QKEY: c_int = 1 << 6;
pub(super) const QP_AV: c_int = 1 << 7;
pub(super) const QP_PATH_MTU: c_int = 1 << 8;
pub(super) const QP_TIMEOUT: c_int = 1 << 9;
pub(super) const QP_RETRY_CNT: c_int = 1 << 10;
pub(super) const QP_RNR_RETRY: c_int = 1 << 11;
pub(super) const QP_RQ_PSN: c_int = 1 << 12;
pub(super) const QP_MAX_QP_RD_ATOMIC: c_int = 1 << 13;
pub(super) const QP_MIN_RNR_TIMER: c_int = 1 << 15;
pub(super) const QP_SQ_PSN: c_int = 1 << 16;
pub(super) const QP_MAX_DEST_RD_ATOMIC: c_int = 1 << 17;
pub(super) const QP_DEST_QPN: c_int = 1 << 20;

// `enum ibv_wr_opcode`.
pub(super) const WR_RDMA_WRITE: c_int = 0;
pub(super) const WR_RDMA_WRITE_WITH_IMM: c_int = 1;
pub(super) const WR_SEND: c_int = 2;
pub(super) const WR_RDMA_READ: c_int = 4;

// `enum ibv_send_flags`.
pub(super) const SEND_SIGNALED: c_uint = 1 << 1;
pub(super) const SEND_INLINE: c_uint = 1 << 3;

// `enum ibv_access_flags`.
pub(super) const ACCESS_LOCAL_WRITE: c_int = 1;
pub(super) const ACCESS_REMOTE_WRITE: c_int = 1 << 1;
pub(super) const ACCESS_REMOTE_READ: c_int = 1 << 2;

// `enum ibv_wc_opcode`: of a receive.
pub(super) const WC_RECV: c_int = 1 << 7;

// `enum ibv_port_state`.
pub(super) const PORT_ACTIVE: c_int = 4;

/// `IBV_QPF_GRH_REQUIRED`, of a port's flags.
pub(super) const PORT_NEEDS_GRH: u8 = 1;

// `enum ibv_transport_type`.
pub(super) const TRANSPORT_IWARP: c_int = 1;
pub(super) const TRANSPORT_USNIC: c_int = 2;
pub(super) const TRANSPORT_USNIC_UDP: c_int = 3;
pub(super) const TRANSPORT_UNSPECIFIED: c_int = 4;

/// `struct ibv_grh`: what a device puts in front of a datagram, whether there was one or not.
pub(super) const GRH_BYTES: usize = 40;

/// What each structure must measure, and where some of its fields must lie.
macro_rules! layout {
    ($($name:ident: $size:literal { $($field:ident: $place:literal),* },)*) => {
        $(const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(std::mem::offset_of!($name, $field) == $place);)*
        };)*
    };
}

#[cfg(target_pointer_width = "64")]
layout! {
    ContextOps: 256 { poll_cq: 88, req_notify_cq: 96, post_send: 200, post_recv: 208 },
    DeviceAttr: 232 { max_qp: 108, max_mr: 136, max_qp_rd_atom: 144, max_qp_init_rd_atom: 156, max_mcast_grp: 188, max_srq: 212, phys_port_cnt: 227 },
    // The header's ends here at 52.
    PortAttr: 68 { gid_tbl_len: 12, max_msg_sz: 20, pkey_tbl_len: 32, lid: 34, link_layer: 46, flags: 47, room: 52 },
    Mr: 48 { lkey: 36, rkey: 40 },
    CompChannel: 16 { fd: 8 },
    QpCap: 20 {},
    QpInitAttr: 64 { cap: 32, qp_type: 52 },
    AhAttr: 32 { sgid_index: 20, traffic_class: 22, dlid: 24, sl: 26, port_num: 30 },
    QpAttr: 144 {
        qp_access_flags: 32,
        ah_attr: 56,
        pkey_index: 120,
        max_rd_atomic: 126,
        port_num: 129,
        rnr_retry: 132,
        rate_limit: 136
    },
    Sge: 16 {},
    ToMemory: 16 { remote_addr: 0, rkey: 8 },
    ToQueuePair: 16 { ah: 0, remote_qpn: 8, remote_qkey: 12 },
    SendWork: 128 { opcode: 28, send_flags: 32, imm_data: 36, wr: 40, rest: 56 },
    RecvWork: 32 { num_sge: 24 },
    WorkCompletion: 48 { byte_len: 20, qp_num: 28, src_qp: 32, wc_flags: 36 },
    AsyncEvent: 16 { element: 0, event_type: 8 },
}

// Of these the library makes larger ones.
#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(std::mem::offset_of!(Device, transport_type) == 20);
    assert!(std::mem::offset_of!(Device, name) == 24);
    assert!(std::mem::offset_of!(Context, ops) == 8);
    assert!(std::mem::offset_of!(Context, async_fd) == 268);
    assert!(std::mem::offset_of!(Context, num_comp_vectors) == 272);
    assert!(std::mem::offset_of!(Qp, qp_num) == 52);
};
