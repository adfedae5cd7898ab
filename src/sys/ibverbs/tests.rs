//! The structures and numbers of `abi` against the header of the library, by a C compiler.
//!
//! They are asserted when compiling, too, from what this test has said; it is for new ones, and for
//! other processors. It needs `cc` and `infiniband/verbs.h` (Debian: libibverbs-dev), and so is
//! left out unless it is asked for.

use std::fs;
use std::mem::offset_of;
use std::process::Command;

use super::abi;

/// What C calls it, and what it is here.
fn known() -> Vec<(&'static str, i64)> {
    let size = |size: usize| size as i64;
    vec![
        ("sizeof(struct ibv_context_ops)", size(size_of::<abi::ContextOps>())),
        ("offsetof(struct ibv_context, ops)", size(offset_of!(abi::Context, ops))),
        ("offsetof(struct ibv_context, async_fd)", size(offset_of!(abi::Context, async_fd))),
        (
            "offsetof(struct ibv_context, num_comp_vectors)",
            size(offset_of!(abi::Context, num_comp_vectors)),
        ),
        ("sizeof(struct ibv_async_event)", size(size_of::<abi::AsyncEvent>())),
        ("offsetof(struct ibv_async_event, element)", size(offset_of!(abi::AsyncEvent, element))),
        (
            "offsetof(struct ibv_async_event, event_type)",
            size(offset_of!(abi::AsyncEvent, event_type)),
        ),
        ("offsetof(struct ibv_context_ops, poll_cq)", size(offset_of!(abi::ContextOps, poll_cq))),
        (
            "offsetof(struct ibv_context_ops, req_notify_cq)",
            size(offset_of!(abi::ContextOps, req_notify_cq)),
        ),
        (
            "offsetof(struct ibv_context_ops, post_send)",
            size(offset_of!(abi::ContextOps, post_send)),
        ),
        (
            "offsetof(struct ibv_context_ops, post_recv)",
            size(offset_of!(abi::ContextOps, post_recv)),
        ),
        ("offsetof(struct ibv_device, name)", size(offset_of!(abi::Device, name))),
        (
            "offsetof(struct ibv_device, transport_type)",
            size(offset_of!(abi::Device, transport_type)),
        ),
        ("sizeof(struct ibv_device_attr)", size(size_of::<abi::DeviceAttr>())),
        (
            "offsetof(struct ibv_device_attr, max_mr_size)",
            size(offset_of!(abi::DeviceAttr, max_mr_size)),
        ),
        ("offsetof(struct ibv_device_attr, max_qp)", size(offset_of!(abi::DeviceAttr, max_qp))),
        ("offsetof(struct ibv_device_attr, max_cqe)", size(offset_of!(abi::DeviceAttr, max_cqe))),
        (
            "offsetof(struct ibv_device_attr, max_qp_rd_atom)",
            size(offset_of!(abi::DeviceAttr, max_qp_rd_atom)),
        ),
        (
            "offsetof(struct ibv_device_attr, max_qp_init_rd_atom)",
            size(offset_of!(abi::DeviceAttr, max_qp_init_rd_atom)),
        ),
        (
            "offsetof(struct ibv_qp_attr, max_rd_atomic)",
            size(offset_of!(abi::QpAttr, max_rd_atomic)),
        ),
        (
            "offsetof(struct ibv_qp_attr, max_dest_rd_atomic)",
            size(offset_of!(abi::QpAttr, max_dest_rd_atomic)),
        ),
        (
            "offsetof(struct ibv_device_attr, max_mcast_grp)",
            size(offset_of!(abi::DeviceAttr, max_mcast_grp)),
        ),
        (
            "offsetof(struct ibv_device_attr, phys_port_cnt)",
            size(offset_of!(abi::DeviceAttr, phys_port_cnt)),
        ),
        // Here there is more room behind.
        ("sizeof(struct ibv_port_attr)", size(offset_of!(abi::PortAttr, room))),
        ("offsetof(struct ibv_port_attr, active_mtu)", size(offset_of!(abi::PortAttr, active_mtu))),
        (
            "offsetof(struct ibv_port_attr, gid_tbl_len)",
            size(offset_of!(abi::PortAttr, gid_tbl_len)),
        ),
        ("offsetof(struct ibv_port_attr, max_msg_sz)", size(offset_of!(abi::PortAttr, max_msg_sz))),
        ("offsetof(struct ibv_port_attr, lid)", size(offset_of!(abi::PortAttr, lid))),
        ("offsetof(struct ibv_port_attr, link_layer)", size(offset_of!(abi::PortAttr, link_layer))),
        ("offsetof(struct ibv_port_attr, flags)", size(offset_of!(abi::PortAttr, flags))),
        ("sizeof(struct ibv_mr)", size(size_of::<abi::Mr>())),
        ("offsetof(struct ibv_mr, lkey)", size(offset_of!(abi::Mr, lkey))),
        ("offsetof(struct ibv_mr, rkey)", size(offset_of!(abi::Mr, rkey))),
        ("offsetof(struct ibv_comp_channel, fd)", size(offset_of!(abi::CompChannel, fd))),
        ("offsetof(struct ibv_qp, qp_num)", size(offset_of!(abi::Qp, qp_num))),
        ("sizeof(struct ibv_qp_init_attr)", size(size_of::<abi::QpInitAttr>())),
        ("offsetof(struct ibv_qp_init_attr, cap)", size(offset_of!(abi::QpInitAttr, cap))),
        ("offsetof(struct ibv_qp_init_attr, qp_type)", size(offset_of!(abi::QpInitAttr, qp_type))),
        ("sizeof(struct ibv_ah_attr)", size(size_of::<abi::AhAttr>())),
        ("offsetof(struct ibv_ah_attr, grh.sgid_index)", size(offset_of!(abi::AhAttr, sgid_index))),
        (
            "offsetof(struct ibv_ah_attr, grh.traffic_class)",
            size(offset_of!(abi::AhAttr, traffic_class)),
        ),
        ("offsetof(struct ibv_ah_attr, sl)", size(offset_of!(abi::AhAttr, sl))),
        (
            "offsetof(struct ibv_port_attr, pkey_tbl_len)",
            size(offset_of!(abi::PortAttr, pkey_tbl_len)),
        ),
        ("offsetof(struct ibv_qp_attr, pkey_index)", size(offset_of!(abi::QpAttr, pkey_index))),
        ("offsetof(struct ibv_ah_attr, dlid)", size(offset_of!(abi::AhAttr, dlid))),
        ("offsetof(struct ibv_ah_attr, is_global)", size(offset_of!(abi::AhAttr, is_global))),
        ("offsetof(struct ibv_ah_attr, port_num)", size(offset_of!(abi::AhAttr, port_num))),
        ("sizeof(struct ibv_qp_attr)", size(size_of::<abi::QpAttr>())),
        ("offsetof(struct ibv_qp_attr, path_mtu)", size(offset_of!(abi::QpAttr, path_mtu))),
        ("offsetof(struct ibv_qp_attr, rq_psn)", size(offset_of!(abi::QpAttr, rq_psn))),
        ("offsetof(struct ibv_qp_attr, dest_qp_num)", size(offset_of!(abi::QpAttr, dest_qp_num))),
        (
            "offsetof(struct ibv_qp_attr, qp_access_flags)",
            size(offset_of!(abi::QpAttr, qp_access_flags)),
        ),
        ("offsetof(struct ibv_qp_attr, ah_attr)", size(offset_of!(abi::QpAttr, ah_attr))),
        (
            "offsetof(struct ibv_qp_attr, max_rd_atomic)",
            size(offset_of!(abi::QpAttr, max_rd_atomic)),
        ),
        (
            "offsetof(struct ibv_qp_attr, min_rnr_timer)",
            size(offset_of!(abi::QpAttr, min_rnr_timer)),
        ),
        ("offsetof(struct ibv_qp_attr, port_num)", size(offset_of!(abi::QpAttr, port_num))),
        ("offsetof(struct ibv_qp_attr, timeout)", size(offset_of!(abi::QpAttr, timeout))),
        ("offsetof(struct ibv_qp_attr, rnr_retry)", size(offset_of!(abi::QpAttr, rnr_retry))),
        ("sizeof(struct ibv_sge)", size(size_of::<abi::Sge>())),
        ("sizeof(struct ibv_send_wr)", size(size_of::<abi::SendWork>())),
        ("offsetof(struct ibv_send_wr, opcode)", size(offset_of!(abi::SendWork, opcode))),
        ("offsetof(struct ibv_send_wr, send_flags)", size(offset_of!(abi::SendWork, send_flags))),
        (
            "offsetof(struct ibv_send_wr, wr.rdma.remote_addr)",
            size(offset_of!(abi::SendWork, wr) + offset_of!(abi::ToMemory, remote_addr)),
        ),
        (
            "offsetof(struct ibv_send_wr, wr.rdma.rkey)",
            size(offset_of!(abi::SendWork, wr) + offset_of!(abi::ToMemory, rkey)),
        ),
        (
            "offsetof(struct ibv_send_wr, wr.ud.ah)",
            size(offset_of!(abi::SendWork, wr) + offset_of!(abi::ToQueuePair, ah)),
        ),
        (
            "offsetof(struct ibv_send_wr, wr.ud.remote_qpn)",
            size(offset_of!(abi::SendWork, wr) + offset_of!(abi::ToQueuePair, remote_qpn)),
        ),
        (
            "offsetof(struct ibv_send_wr, wr.ud.remote_qkey)",
            size(offset_of!(abi::SendWork, wr) + offset_of!(abi::ToQueuePair, remote_qkey)),
        ),
        ("sizeof(struct ibv_grh)", size(abi::GRH_BYTES)),
        ("offsetof(struct ibv_qp_attr, qkey)", size(offset_of!(abi::QpAttr, qkey))),
        ("offsetof(struct ibv_qp_attr, sq_psn)", size(offset_of!(abi::QpAttr, sq_psn))),
        ("sizeof(struct ibv_recv_wr)", size(size_of::<abi::RecvWork>())),
        ("offsetof(struct ibv_recv_wr, num_sge)", size(offset_of!(abi::RecvWork, num_sge))),
        ("sizeof(struct ibv_wc)", size(size_of::<abi::WorkCompletion>())),
        ("offsetof(struct ibv_wc, status)", size(offset_of!(abi::WorkCompletion, status))),
        ("offsetof(struct ibv_wc, opcode)", size(offset_of!(abi::WorkCompletion, opcode))),
        ("offsetof(struct ibv_wc, byte_len)", size(offset_of!(abi::WorkCompletion, byte_len))),
        ("offsetof(struct ibv_wc, qp_num)", size(offset_of!(abi::WorkCompletion, qp_num))),
        ("offsetof(struct ibv_wc, src_qp)", size(offset_of!(abi::WorkCompletion, src_qp))),
        ("IBV_QPT_RC", abi::QPT_RC.into()),
        ("IBV_QPT_UC", abi::QPT_UC.into()),
        ("IBV_QPT_UD", abi::QPT_UD.into()),
        ("IBV_QPS_INIT", abi::QPS_INIT.into()),
        ("IBV_QPS_RTR", abi::QPS_RTR.into()),
        ("IBV_QPS_RTS", abi::QPS_RTS.into()),
        ("IBV_QPS_ERR", abi::QPS_ERR.into()),
        ("IBV_QP_STATE", abi::QP_STATE.into()),
        ("IBV_QP_ACCESS_FLAGS", abi::QP_ACCESS_FLAGS.into()),
        ("IBV_QP_PKEY_INDEX", abi::QP_PKEY_INDEX.into()),
        ("IBV_QP_PORT", abi::QP_PORT.into()),
        ("IBV_QP_QKEY", abi::QP_QKEY.into()),
        ("IBV_QP_AV", abi::QP_AV.into()),
        ("IBV_QP_PATH_MTU", abi::QP_PATH_MTU.into()),
        ("IBV_QP_TIMEOUT", abi::QP_TIMEOUT.into()),
        ("IBV_QP_RETRY_CNT", abi::QP_RETRY_CNT.into()),
        ("IBV_QP_RNR_RETRY", abi::QP_RNR_RETRY.into()),
        ("IBV_QP_RQ_PSN", abi::QP_RQ_PSN.into()),
        ("IBV_QP_MAX_QP_RD_ATOMIC", abi::QP_MAX_QP_RD_ATOMIC.into()),
        ("IBV_QP_MIN_RNR_TIMER", abi::QP_MIN_RNR_TIMER.into()),
        ("IBV_QP_SQ_PSN", abi::QP_SQ_PSN.into()),
        ("IBV_QP_MAX_DEST_RD_ATOMIC", abi::QP_MAX_DEST_RD_ATOMIC.into()),
        ("IBV_QP_DEST_QPN", abi::QP_DEST_QPN.into()),
        ("IBV_WR_RDMA_WRITE", abi::WR_RDMA_WRITE.into()),
        ("IBV_WR_RDMA_WRITE_WITH_IMM", abi::WR_RDMA_WRITE_WITH_IMM.into()),
        ("IBV_WR_SEND", abi::WR_SEND.into()),
        ("IBV_WR_RDMA_READ", abi::WR_RDMA_READ.into()),
        ("IBV_SEND_SIGNALED", abi::SEND_SIGNALED.into()),
        ("IBV_SEND_INLINE", abi::SEND_INLINE.into()),
        ("IBV_ACCESS_LOCAL_WRITE", abi::ACCESS_LOCAL_WRITE.into()),
        ("IBV_ACCESS_REMOTE_WRITE", abi::ACCESS_REMOTE_WRITE.into()),
        ("IBV_ACCESS_REMOTE_READ", abi::ACCESS_REMOTE_READ.into()),
        ("IBV_WC_RECV", abi::WC_RECV.into()),
        ("IBV_PORT_ACTIVE", abi::PORT_ACTIVE.into()),
        ("IBV_EVENT_CQ_ERR", abi::EVENT_CQ_ERR.into()),
        ("IBV_EVENT_QP_FATAL", abi::EVENT_QP_FATAL.into()),
        ("IBV_EVENT_QP_REQ_ERR", abi::EVENT_QP_REQ_ERR.into()),
        ("IBV_EVENT_QP_ACCESS_ERR", abi::EVENT_QP_ACCESS_ERR.into()),
        ("IBV_EVENT_PATH_MIG_ERR", abi::EVENT_PATH_MIG_ERR.into()),
        ("IBV_EVENT_DEVICE_FATAL", abi::EVENT_DEVICE_FATAL.into()),
        ("IBV_EVENT_PORT_ACTIVE", abi::EVENT_PORT_ACTIVE.into()),
        ("IBV_EVENT_PORT_ERR", abi::EVENT_PORT_ERR.into()),
        ("IBV_WC_SUCCESS", 0),
        ("IBV_WC_WR_FLUSH_ERR", 5),
        ("IBV_WC_BAD_RESP_ERR", 7),
        ("IBV_WC_REM_ACCESS_ERR", 10),
        ("IBV_WC_RETRY_EXC_ERR", 12),
        ("IBV_WC_RNR_RETRY_EXC_ERR", 13),
        ("IBV_WC_FATAL_ERR", 19),
        ("offsetof(struct ibv_wc, vendor_err)", size(offset_of!(abi::WorkCompletion, vendor_err))),
        ("IBV_LINK_LAYER_ETHERNET", 2),
        ("IBV_QPF_GRH_REQUIRED", abi::PORT_NEEDS_GRH.into()),
        ("IBV_TRANSPORT_IWARP", abi::TRANSPORT_IWARP.into()),
        ("IBV_TRANSPORT_USNIC", abi::TRANSPORT_USNIC.into()),
        ("IBV_TRANSPORT_USNIC_UDP", abi::TRANSPORT_USNIC_UDP.into()),
        ("IBV_TRANSPORT_UNSPECIFIED", abi::TRANSPORT_UNSPECIFIED.into()),
    ]
}

#[test]
#[ignore = "needs cc and infiniband/verbs.h (Debian: libibverbs-dev)"]
fn structures_and_numbers_are_those_of_the_header() {
    let known = known();
    let lines =
        known.iter().map(|(name, _)| format!("printf(\"%lld\\n\", (long long)({name}));\n"));
    let program = format!(
        "#include <infiniband/verbs.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n{}}}\n",
        lines.collect::<String>()
    );
    let folder = tempfile::tempdir().unwrap();
    let (source, built) = (folder.path().join("layout.c"), folder.path().join("layout"));
    fs::write(&source, program).unwrap();
    let compiled = Command::new("cc").arg(&source).arg("-o").arg(&built).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let said = Command::new(&built).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let said: Vec<i64> = said.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(said.len(), known.len());
    let wrong: Vec<_> = known.iter().zip(&said).filter(|((_, here), said)| here != *said).collect();
    assert!(wrong.is_empty(), "name, here, in the header: {wrong:?}");
}
