//! Structures and numbers of `src/sys/ibverbs/abi.rs` against those that `ibverbs-sys` makes of the
//! header of rdma-core: the size of each structure, and place and width of each field that is used.
//!
//! What of a structure is private to `abi` lies between such fields, and has no check of its own.

use std::mem::offset_of;

use ibverbs_sys as ffi;

use crate::abi;

/// The width of a field, in bytes.
fn width<T, F>(_: impl FnOnce(&T) -> &F) -> usize {
    size_of::<F>()
}

/// What is compared, and what it is here and there.
type Row = (String, i64, i64);

/// A row for place and width of each field; a field that has another name there stands with it.
macro_rules! fields {
    ($rows:ident: $ours:ident, $theirs:ident { $($field:ident $(= $name:ident)?),* $(,)? }) => { $(
        fields!(@one $rows, $ours, $theirs, $field, $($name)?);
    )* };
    (@one $rows:ident, $ours:ident, $theirs:ident, $field:ident,) => {
        fields!(@one $rows, $ours, $theirs, $field, $field);
    };
    (@one $rows:ident, $ours:ident, $theirs:ident, $field:ident, $name:ident) => {
        let what = concat!(stringify!($theirs), ".", stringify!($name));
        let here = offset_of!(abi::$ours, $field);
        let there = offset_of!(ffi::$theirs, $name);
        $rows.push((format!("place of {what}"), here as i64, there as i64));
        let here = width(|of: &abi::$ours| &of.$field);
        let there = width(|of: &ffi::$theirs| &of.$name);
        $rows.push((format!("width of {what}"), here as i64, there as i64));
    };
}

/// A row for the size of each structure.
macro_rules! sizes {
    ($rows:ident: $($ours:ident = $theirs:ident),* $(,)?) => { $(
        let (here, there) = (size_of::<abi::$ours>(), size_of::<ffi::$theirs>());
        $rows.push((concat!("size of ", stringify!($theirs)).into(), here as i64, there as i64));
    )* };
}

/// A row for each number.
macro_rules! numbers {
    ($rows:ident: $($ours:ident = $theirs:expr),* $(,)?) => { $(
        $rows.push((stringify!($ours).into(), i64::from(abi::$ours), i64::from($theirs)));
    )* };
}

/// Compares all, and says how much that was.
///
/// # Errors
///
/// Naming what differs.
pub fn compare() -> Result<String, String> {
    let mut rows = Vec::new();
    structures(&mut rows);
    messages(&mut rows);
    numbers(&mut rows);
    let differ = rows.iter().filter(|(_, here, there)| here != there);
    let lines: Vec<String> = differ
        .map(|(what, here, there)| format!("{what}: {here}, but {there} in rdma-core"))
        .collect();
    match lines.is_empty() {
        true => Ok(format!("{} sizes, places, widths and numbers are the same", rows.len())),
        false => Err(lines.join("\n")),
    }
}

fn structures(rows: &mut Vec<Row>) {
    sizes!(rows: ContextOps = ibv_context_ops, DeviceAttr = ibv_device_attr, Mr = ibv_mr,
        CompChannel = ibv_comp_channel, QpCap = ibv_qp_cap, QpInitAttr = ibv_qp_init_attr,
        Gid = ibv_gid, AhAttr = ibv_ah_attr, QpAttr = ibv_qp_attr, AsyncEvent = ibv_async_event);
    fields!(rows: Device, ibv_device { transport_type, name });
    fields!(rows: Context, ibv_context { ops, async_fd, num_comp_vectors });
    fields!(rows: ContextOps, ibv_context_ops { poll_cq, req_notify_cq, post_send, post_recv });
    fields!(rows: DeviceAttr, ibv_device_attr { max_mr_size, max_qp, max_qp_wr, max_sge, max_cq,
        max_cqe, max_mr, max_qp_rd_atom, max_qp_init_rd_atom, max_mcast_grp, phys_port_cnt });
    fields!(rows: PortAttr, ibv_port_attr { state, active_mtu, gid_tbl_len, max_msg_sz,
        pkey_tbl_len, lid, link_layer, flags });
    // What `ibv_query_port` may write beyond the fields that are used has room.
    let room = size_of::<abi::PortAttr>() >= size_of::<ffi::ibv_port_attr>();
    rows.push(("room for ibv_port_attr".into(), room.into(), 1));
    fields!(rows: Mr, ibv_mr { lkey, rkey });
    fields!(rows: CompChannel, ibv_comp_channel { fd });
    fields!(rows: Cq, ibv_cq { context });
    fields!(rows: Qp, ibv_qp { context, qp_num });
    fields!(rows: QpCap, ibv_qp_cap { max_send_wr, max_recv_wr, max_send_sge, max_recv_sge,
        max_inline_data });
    fields!(rows: QpInitAttr, ibv_qp_init_attr { qp_context, send_cq, recv_cq, srq, cap, qp_type,
        sq_sig_all });
    fields!(rows: AhAttr, ibv_ah_attr { dlid, sl, src_path_bits, static_rate, is_global,
        port_num });
    // The route comes first, and is no structure of its own here.
    let route = offset_of!(ffi::ibv_ah_attr, grh) as i64;
    let at = |field: usize| route + field as i64;
    for (what, here, there) in [
        ("dgid", offset_of!(abi::AhAttr, dgid), offset_of!(ffi::ibv_global_route, dgid)),
        (
            "flow_label",
            offset_of!(abi::AhAttr, flow_label),
            offset_of!(ffi::ibv_global_route, flow_label),
        ),
        (
            "sgid_index",
            offset_of!(abi::AhAttr, sgid_index),
            offset_of!(ffi::ibv_global_route, sgid_index),
        ),
        (
            "hop_limit",
            offset_of!(abi::AhAttr, hop_limit),
            offset_of!(ffi::ibv_global_route, hop_limit),
        ),
        (
            "traffic_class",
            offset_of!(abi::AhAttr, traffic_class),
            offset_of!(ffi::ibv_global_route, traffic_class),
        ),
    ] {
        rows.push((format!("place of ibv_ah_attr.grh.{what}"), here as i64, at(there)));
    }
    fields!(rows: QpAttr, ibv_qp_attr { qp_state, cur_qp_state, path_mtu, path_mig_state, qkey,
        rq_psn, sq_psn, dest_qp_num, qp_access_flags, cap, ah_attr, alt_ah_attr, pkey_index,
        alt_pkey_index, max_rd_atomic, max_dest_rd_atomic, min_rnr_timer, port_num, timeout,
        retry_cnt, rnr_retry, rate_limit });
    fields!(rows: AsyncEvent, ibv_async_event { element, event_type });
}

/// Work requests and their completions.
fn messages(rows: &mut Vec<Row>) {
    type Work = ffi::ibv_send_wr__bindgen_ty_2;
    sizes!(rows: Sge = ibv_sge, SendWork = ibv_send_wr, RecvWork = ibv_recv_wr,
        WorkCompletion = ibv_wc);
    rows.push(("size of ibv_grh".into(), abi::GRH_BYTES as i64, size_of::<ffi::ibv_grh>() as i64));
    fields!(rows: Sge, ibv_sge { addr, length, lkey });
    fields!(rows: SendWork, ibv_send_wr { wr_id, next, sg_list, num_sge, opcode, send_flags,
        imm_data = __bindgen_anon_1 });
    fields!(rows: RecvWork, ibv_recv_wr { wr_id, next, sg_list, num_sge });
    fields!(rows: WorkCompletion, ibv_wc { qp_num, src_qp });
    let wr = offset_of!(abi::SendWork, wr);
    for (what, here, there) in [
        (
            "rdma.remote_addr",
            offset_of!(abi::ToMemory, remote_addr),
            offset_of!(Work, rdma.remote_addr),
        ),
        ("rdma.rkey", offset_of!(abi::ToMemory, rkey), offset_of!(Work, rdma.rkey)),
        ("ud.ah", offset_of!(abi::ToQueuePair, ah), offset_of!(Work, ud.ah)),
        (
            "ud.remote_qpn",
            offset_of!(abi::ToQueuePair, remote_qpn),
            offset_of!(Work, ud.remote_qpn),
        ),
        (
            "ud.remote_qkey",
            offset_of!(abi::ToQueuePair, remote_qkey),
            offset_of!(Work, ud.remote_qkey),
        ),
    ] {
        let there = offset_of!(ffi::ibv_send_wr, wr) + there;
        rows.push((format!("place of ibv_send_wr.wr.{what}"), (wr + here) as i64, there as i64));
    }
}

fn numbers(rows: &mut Vec<Row>) {
    use ffi::{
        ibv_access_flags as access, ibv_port_state as port, ibv_qp_attr_mask as mask,
        ibv_qp_state as state, ibv_qp_type as kind, ibv_send_flags as flags, ibv_wc_opcode as done,
        ibv_wr_opcode as work,
    };
    numbers!(rows: QPT_RC = kind::IBV_QPT_RC, QPT_UC = kind::IBV_QPT_UC, QPT_UD = kind::IBV_QPT_UD,
        QPS_INIT = state::IBV_QPS_INIT, QPS_RTR = state::IBV_QPS_RTR, QPS_RTS = state::IBV_QPS_RTS,
        QP_STATE = mask::IBV_QP_STATE.0, QP_ACCESS_FLAGS = mask::IBV_QP_ACCESS_FLAGS.0,
        QP_PKEY_INDEX = mask::IBV_QP_PKEY_INDEX.0, QP_PORT = mask::IBV_QP_PORT.0,
        QP_QKEY = mask::IBV_QP_QKEY.0, QP_AV = mask::IBV_QP_AV.0,
        QP_PATH_MTU = mask::IBV_QP_PATH_MTU.0, QP_TIMEOUT = mask::IBV_QP_TIMEOUT.0,
        QP_RETRY_CNT = mask::IBV_QP_RETRY_CNT.0, QP_RNR_RETRY = mask::IBV_QP_RNR_RETRY.0,
        QP_RQ_PSN = mask::IBV_QP_RQ_PSN.0,
        QP_MAX_QP_RD_ATOMIC = mask::IBV_QP_MAX_QP_RD_ATOMIC.0,
        QP_MIN_RNR_TIMER = mask::IBV_QP_MIN_RNR_TIMER.0, QP_SQ_PSN = mask::IBV_QP_SQ_PSN.0,
        QP_MAX_DEST_RD_ATOMIC = mask::IBV_QP_MAX_DEST_RD_ATOMIC.0,
        QP_DEST_QPN = mask::IBV_QP_DEST_QPN.0,
        WR_RDMA_WRITE = work::IBV_WR_RDMA_WRITE,
        WR_RDMA_WRITE_WITH_IMM = work::IBV_WR_RDMA_WRITE_WITH_IMM, WR_SEND = work::IBV_WR_SEND,
        WR_RDMA_READ = work::IBV_WR_RDMA_READ,
        SEND_SIGNALED = flags::IBV_SEND_SIGNALED.0, SEND_INLINE = flags::IBV_SEND_INLINE.0,
        ACCESS_LOCAL_WRITE = access::IBV_ACCESS_LOCAL_WRITE.0,
        ACCESS_REMOTE_WRITE = access::IBV_ACCESS_REMOTE_WRITE.0,
        ACCESS_REMOTE_READ = access::IBV_ACCESS_REMOTE_READ.0,
        WC_RECV = done::IBV_WC_RECV, PORT_ACTIVE = port::IBV_PORT_ACTIVE,
        EVENT_CQ_ERR = ffi::IBV_EVENT_CQ_ERR, EVENT_QP_FATAL = ffi::IBV_EVENT_QP_FATAL,
        EVENT_QP_REQ_ERR = ffi::IBV_EVENT_QP_REQ_ERR,
        EVENT_QP_ACCESS_ERR = ffi::IBV_EVENT_QP_ACCESS_ERR,
        EVENT_PATH_MIG_ERR = ffi::IBV_EVENT_PATH_MIG_ERR,
        EVENT_DEVICE_FATAL = ffi::IBV_EVENT_DEVICE_FATAL,
        EVENT_PORT_ACTIVE = ffi::IBV_EVENT_PORT_ACTIVE, EVENT_PORT_ERR = ffi::IBV_EVENT_PORT_ERR,
        TRANSPORT_IWARP = ffi::IBV_TRANSPORT_IWARP, TRANSPORT_USNIC = ffi::IBV_TRANSPORT_USNIC,
        TRANSPORT_USNIC_UDP = ffi::IBV_TRANSPORT_USNIC_UDP,
        TRANSPORT_UNSPECIFIED = ffi::IBV_TRANSPORT_UNSPECIFIED);
}
