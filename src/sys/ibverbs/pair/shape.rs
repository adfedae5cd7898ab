//! The parameters of a queue pair, and its creation with as much room for inline messages as the
//! device offers.

use std::ptr::{self, NonNull};
use std::sync::Arc;

use crate::sys::ibverbs::device::Pd;
use crate::sys::ibverbs::memory::{registered_bytes, stride, stride_behind};
use crate::sys::ibverbs::queue::Cq;
use crate::sys::ibverbs::transport::Transport;
use crate::sys::ibverbs::{Failure, abi};

/// The parameters of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairShape {
    /// The kind of queue pair.
    pub(crate) transport: Transport,
    /// The key (Q_Key) that a datagram must name to be accepted; only the lower 31 bits are free.
    pub(crate) qkey: u32,
    /// The owner number in its completions.
    pub(crate) owner: u32,
    /// The number of receives that are posted at the start.
    pub(crate) receives: u32,
    /// The longest received message, in bytes.
    pub(crate) receive_bytes: usize,
    /// The most work requests in flight.
    pub(crate) sends: u32,
    /// The longest sent message, in bytes.
    pub(crate) send_bytes: usize,
    /// The wanted limit for messages within the work request (inline), in bytes; the device may
    /// offer less.
    pub(crate) inline_bytes: u32,
}

impl PairShape {
    /// The number of work requests that may be in flight. Slots must stay consecutive where the
    /// count of requests wraps around.
    pub(super) fn depth(&self) -> u32 {
        self.sends.max(1).next_power_of_two()
    }

    /// The registered memory of such a pair, in bytes.
    pub(crate) fn registered_bytes(&self) -> usize {
        let room =
            |stride: usize, count: u32| registered_bytes(stride.saturating_mul(count as usize));
        let receive = stride_behind(self.transport.front_bytes(), self.receive_bytes);
        room(stride(self.send_bytes), self.depth()).saturating_add(room(receive, self.receives))
    }
}

/// Creates a queue pair with the largest inline limit that the device offers, up to the wanted one.
pub(super) fn create(
    pd: &Arc<Pd>,
    send_cq: &Arc<Cq>,
    recv_cq: &Arc<Cq>,
    shape: &PairShape,
    depth: u32,
) -> Result<(NonNull<abi::Qp>, usize), Failure> {
    let mut inline_bytes = shape.inline_bytes;
    loop {
        let mut attr = abi::QpInitAttr {
            qp_context: ptr::null_mut(),
            send_cq: send_cq.as_ptr(),
            recv_cq: recv_cq.as_ptr(),
            srq: ptr::null_mut(),
            cap: abi::QpCap {
                max_send_wr: depth,
                max_recv_wr: shape.receives.max(1),
                max_send_sge: 2,
                max_recv_sge: 1,
                max_inline_data: inline_bytes,
            },
            qp_type: shape.transport.number(),
            sq_sig_all: 0,
        };
        // SAFETY: domain and queues are valid, and the attributes are set.
        let qp = unsafe { (pd.context().library().ibv_create_qp)(pd.as_ptr(), &mut attr) };
        match NonNull::new(qp) {
            Some(qp) => return Ok((qp, attr.cap.max_inline_data as usize)),
            None if inline_bytes == 0 => return Err(Failure::last("ibv_create_qp")),
            // It may be that.
            None => inline_bytes /= 2,
        }
    }
}
