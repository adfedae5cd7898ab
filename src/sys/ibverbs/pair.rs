//! Queue pairs, of any of the kinds in `transport`: creates and connects them, and posts requests.
//!
//! A pair owns the memory of its messages. Posting a send copies the message. A short one goes into
//! the work request itself. A longer one goes into a slot of the send queue, which is reused after
//! a completion of this request or a later one. A received message is in a [`Slot`], which its
//! reader owns until it is posted again. The device therefore never accesses memory that safe code
//! owns.

use std::ptr::{self, NonNull};
use std::sync::Arc;

use super::device::Pd;
use super::memory::{Registered, RegisteredWords, Slot, Slots, stride};
use super::queue::{Completion, Cq};
use super::transport::{Ah, Remote, Route, Transport};
use super::{Failure, abi};
use crate::sys::atomic::Ordering;

mod marks;
mod payload;
mod shape;

pub(crate) use payload::PayloadRead;
use payload::PendingRead;
pub(crate) use shape::PairShape;
use shape::create;

/// The operation of a posted request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A message, for the peer's next receive.
    Receive,
    /// A write to this address, with this key.
    Memory(u64, u32),
    /// A write with immediate data, which takes a receive of the peer and so notifies it.
    MemoryWithImmediate(u64, u32),
}

/// Why a request could not be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PostFailure {
    /// The limit of requests in flight is reached.
    Full,
    /// The pair has failed already.
    Broken,
    /// The message is longer than the pair permits.
    TooLong,
    /// The verb failed, with this error number.
    Verb(i32),
}

/// The number of signalled work requests in each queue length.
const SIGNALLED: u32 = 4;

/// A queue pair.
pub(crate) struct Pair {
    qp: NonNull<abi::Qp>,
    transport: Transport,
    /// The destination of its datagrams.
    to: Option<(Ah, abi::ToQueuePair)>,
    /// The multicast group whose datagrams it receives.
    group: Option<abi::Gid>,
    number: u32,
    owner: u32,
    pd: Arc<Pd>,
    _cqs: [Arc<Cq>; 2],
    slots: Arc<Slots>,
    /// The slots that the device owns.
    with_device: Vec<bool>,
    /// The slots of longer messages in flight: one for each work request.
    outgoing: Registered,
    send_bytes: usize,
    stride: usize,
    inline_bytes: usize,
    /// The most work requests in flight.
    depth: u32,
    /// The number of posted work requests, and of those known to be done. Both wrap around.
    posted: u32,
    done: u32,
    /// The destination of words read from the peer.
    landing: Arc<RegisteredWords>,
    /// The mark in the place that a read is to fill.
    mark: u64,
    /// The payload that is being read from the peer.
    reading: Option<PendingRead>,
    broken: bool,
    /// The next read is to be done without reading anything.
    #[cfg(planted)]
    reads_nothing: bool,
}

// SAFETY: it is the only one to post to its queues, and the library may be called by any thread.
unsafe impl Send for Pair {}

impl Pair {
    /// A pair that is not connected yet, with all its receives posted.
    pub(crate) fn new(
        pd: &Arc<Pd>,
        send_cq: &Arc<Cq>,
        recv_cq: &Arc<Cq>,
        landing: &Arc<RegisteredWords>,
        (port, pkey_index): (u8, u16),
        shape: &PairShape,
    ) -> Result<Pair, Failure> {
        let depth = shape.depth();
        let stride = stride(shape.send_bytes);
        let room = stride.saturating_mul(depth as usize);
        let outgoing = Registered::new(pd, room, abi::ACCESS_LOCAL_WRITE)?;
        let front = shape.transport.front_bytes();
        let (slots, rights) = Slots::new(pd, shape.receives, shape.receive_bytes, front)?;
        let (qp, inline_bytes) = create(pd, send_cq, recv_cq, shape, depth)?;
        // SAFETY: it was just made; nobody writes this field.
        let number = unsafe { (*qp.as_ptr()).qp_num };
        let mut pair = Pair {
            qp,
            transport: shape.transport,
            to: None,
            group: None,
            number,
            owner: shape.owner,
            pd: Arc::clone(pd),
            _cqs: [Arc::clone(send_cq), Arc::clone(recv_cq)],
            slots,
            with_device: vec![false; rights.len()],
            outgoing,
            send_bytes: shape.send_bytes,
            stride,
            inline_bytes,
            depth,
            posted: 0,
            done: 0,
            landing: Arc::clone(landing),
            mark: marks::new(),
            reading: None,
            broken: false,
            #[cfg(planted)]
            reads_nothing: false,
        };
        let (attr, mask) = shape.transport.initial(port, pkey_index, shape.qkey);
        pair.modify(attr, mask)?;
        for slot in rights {
            let posted = pair.post_receive(slot);
            posted.map_err(|code| Failure::Verb { verb: "ibv_post_recv", code })?;
        }
        Ok(pair)
    }

    /// The number by which peers name it.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Whether other ranks than the peer may send to it.
    pub(crate) fn takes_datagrams(&self) -> bool {
        self.transport == Transport::Ud
    }

    /// The longest message that travels within the work request (inline).
    pub(crate) fn inline_bytes(&self) -> usize {
        self.inline_bytes
    }

    /// Connects the pair, or sets the destination of its datagrams. Its own first packet has the
    /// number `first_packet`.
    pub(crate) fn connect(
        &mut self,
        route: &Route,
        remote: &Remote,
        first_packet: u32,
    ) -> Result<(), Failure> {
        let (attr, mask) = self.transport.ready_to_receive(route, remote);
        self.modify(attr, mask)?;
        let (attr, mask) = self.transport.ready_to_send(remote, first_packet);
        self.modify(attr, mask)?;
        if self.transport == Transport::Ud {
            let ah = Ah::new(&self.pd, route, remote)?;
            let (remote_qpn, remote_qkey) = (remote.number, remote.qkey);
            let to = abi::ToQueuePair { ah: ah.as_ptr(), remote_qpn, remote_qkey };
            self.to = Some((ah, to));
        }
        Ok(())
    }

    /// Attaches the pair to a multicast group; for datagrams only, and only once.
    pub(crate) fn attach(&mut self, group: [u8; 16]) -> Result<(), Failure> {
        let group = abi::Gid(group);
        let attach = self.pd.context().library().ibv_attach_mcast;
        // SAFETY: the pair is valid, and so is the address, which is not needed after the call.
        Failure::check("ibv_attach_mcast", unsafe { attach(self.qp.as_ptr(), &group, 0) })?;
        self.group = Some(group);
        Ok(())
    }

    /// Makes the pair fail in the device, as if the device had found an error (for tests).
    #[cfg(planted)]
    pub(crate) fn plant_error(&mut self) -> Result<(), Failure> {
        let failed = abi::QpAttr { qp_state: abi::QPS_ERR, ..Default::default() };
        self.modify(failed, abi::QP_STATE)
    }

    /// Makes the next read complete without reading anything (for tests).
    #[cfg(planted)]
    pub(crate) fn plant_empty_read(&mut self) {
        self.reads_nothing = true;
    }

    fn modify(&mut self, mut attr: abi::QpAttr, mask: i32) -> Result<(), Failure> {
        let modify = self.pd.context().library().ibv_modify_qp;
        // SAFETY: the pair is valid, and the fields that the mask names are set.
        Failure::check("ibv_modify_qp", unsafe { modify(self.qp.as_ptr(), &mut attr, mask) })
    }

    /// Posts a receive into a slot of this pair; one of another is dropped.
    ///
    /// # Errors
    ///
    /// The error number; the slot is then lost.
    #[inline]
    pub(crate) fn post_receive(&mut self, slot: Slot) -> Result<(), i32> {
        if !slot.is_of(&self.slots) {
            return Ok(());
        }
        let Some(post) = self.pd.context().ops().post_recv else { return Err(libc::EOPNOTSUPP) };
        let index = slot.surrender();
        let mut sge = self.slots.sge(index);
        let mut work = abi::RecvWork {
            wr_id: u64::from(self.owner) << 32 | u64::from(index),
            next: ptr::null_mut(),
            sg_list: &mut sge,
            num_sge: 1,
        };
        let mut bad = ptr::null_mut();
        // SAFETY: the pair is valid, and so are the request and its list, which are not needed
        // after the call. The slot lies in registered memory that this pair keeps, and its right
        // was just given up.
        let code = unsafe { post(self.qp.as_ptr(), &mut work, &mut bad) };
        if code != 0 {
            return Err(code);
        }
        self.with_device[index as usize] = true;
        Ok(())
    }

    /// The slot and the length of a received message. None if the completion is not a successful
    /// receive of this pair.
    #[inline]
    pub(crate) fn received(&mut self, completion: &Completion) -> Option<(Slot, usize)> {
        if completion.is_receive() { self.given_back(completion) } else { None }
    }

    /// The slot of a failed receive. Its completion does not say that it is a receive, so the queue
    /// must be one for receives only.
    #[inline]
    pub(crate) fn given_back(&mut self, completion: &Completion) -> Option<(Slot, usize)> {
        let index = completion.number();
        let is_with_device = self.with_device.get_mut(index as usize)?;
        if completion.qp_num() != self.number || !*is_with_device {
            return None;
        }
        *is_with_device = false;
        // SAFETY: it was posted, which `with_device` said, and has completed; that says so no
        // longer.
        let slot = unsafe { Slot::given_back(&self.slots, index) };
        Some((slot, completion.len().saturating_sub(self.slots.front())))
    }

    /// Whether another work request may be posted, as far as the completions tell.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.posted.wrapping_sub(self.done) < self.depth
    }

    /// Whether all posted requests are known to be done.
    pub(crate) fn is_idle(&self) -> bool {
        self.posted == self.done
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Makes all later posts fail.
    pub(crate) fn give_up(&mut self) {
        self.broken = true;
    }

    /// Posts `head` followed by `tail`. The request has a completion if `signalled`, or if it is
    /// the pair's turn to signal one.
    ///
    /// # Errors
    ///
    /// [`PostFailure`]; nothing was posted then.
    #[inline]
    pub(crate) fn post(
        &mut self,
        target: Target,
        head: &[u8],
        tail: &[u8],
        signalled: bool,
    ) -> Result<(), PostFailure> {
        let len = head.len() + tail.len();
        if len > self.send_bytes {
            return Err(PostFailure::TooLong);
        }
        let sge = |part: &[u8]| abi::Sge {
            addr: part.as_ptr().addr() as u64,
            length: part.len() as u32,
            lkey: 0,
        };
        let memory =
            |remote_addr, rkey| abi::WorkTarget { rdma: abi::ToMemory { remote_addr, rkey } };
        let (opcode, to) = match (target, &self.to) {
            (Target::Receive, Some((_, to))) => (abi::WR_SEND, abi::WorkTarget { ud: *to }),
            (Target::Receive, None) => (abi::WR_SEND, memory(0, 0)),
            (Target::Memory(address, key), _) => (abi::WR_RDMA_WRITE, memory(address, key)),
            (Target::MemoryWithImmediate(address, key), _) => {
                (abi::WR_RDMA_WRITE_WITH_IMM, memory(address, key))
            }
        };
        if len <= self.inline_bytes {
            let mut list = [sge(head), sge(tail)];
            let mut entries = 2;
            if tail.is_empty() {
                entries = usize::from(!head.is_empty());
            } else if head.is_empty() {
                (list[0], entries) = (list[1], 1);
            }
            let flags = abi::SEND_INLINE;
            return self.submit(opcode, flags, &mut list[..entries], to, signalled);
        }
        if !self.has_room() || self.broken {
            return Err(if self.broken { PostFailure::Broken } else { PostFailure::Full });
        }
        let at = (self.posted % self.depth) as usize * self.stride;
        let place = self.outgoing.place(at, len).as_ptr();
        // SAFETY: the place lies in registered memory of this pair, of which no reference exists.
        // Work that lay there is done: as many requests are under way as there are places, at most.
        unsafe {
            ptr::copy_nonoverlapping(head.as_ptr(), place, head.len());
            ptr::copy_nonoverlapping(tail.as_ptr(), place.add(head.len()), tail.len());
        }
        let (addr, lkey) = (place.addr() as u64, self.outgoing.lkey());
        let mut list = [abi::Sge { addr, length: len as u32, lkey }];
        self.submit(opcode, 0, &mut list, to, signalled)
    }

    /// Posts a read of `count` words from this address of the peer, with this key, into the landing
    /// words from `into` on. The read has a completion. After it, [`landed`](Pair::landed) says
    /// whether the words have arrived. Returns the number of the request.
    ///
    /// # Errors
    ///
    /// [`PostFailure`]; nothing was posted then.
    pub(crate) fn post_read(
        &mut self,
        from: (u64, u32),
        into: usize,
        count: usize,
    ) -> Result<u32, PostFailure> {
        let (mut list, number) = ([self.landing.sge(into, count)], self.posted);
        let from = abi::ToMemory { remote_addr: from.0, rkey: from.1 };
        // The mark is written before the request is posted, so before the device may write there.
        self.landing[into + count - 1].store(self.mark, Ordering::Release);
        self.submit(abi::WR_RDMA_READ, 0, &mut list, abi::WorkTarget { rdma: from }, true)?;
        Ok(number)
    }

    /// The last word of a completed read. None if nothing has arrived, although the device reports
    /// success. If several reads to the same word are in flight, this is reliable only for the
    /// first.
    pub(crate) fn landed(&self, word: usize) -> Option<u64> {
        // The device wrote it before it wrote the completion.
        let landed = self.landing[word].load(Ordering::Acquire);
        (landed != self.mark).then_some(landed)
    }

    /// Whether the posted request with this number is known to be done.
    pub(crate) fn is_done(&self, number: u32) -> bool {
        let (ago, under_way) =
            (self.posted.wrapping_sub(number), self.posted.wrapping_sub(self.done));
        ago > under_way
    }

    /// Posts a request. Its list names words, or registered memory that this pair keeps and that
    /// nothing else uses before it is done (a slot of its own, or the buffer of [`PendingRead`]).
    /// If it is inline, the list may name any memory.
    #[inline]
    fn submit(
        &mut self,
        opcode: i32,
        flags: u32,
        list: &mut [abi::Sge],
        to: abi::WorkTarget,
        signalled: bool,
    ) -> Result<(), PostFailure> {
        if self.broken {
            return Err(PostFailure::Broken);
        }
        if !self.has_room() {
            return Err(PostFailure::Full);
        }
        let Some(post) = self.pd.context().ops().post_send else {
            return Err(PostFailure::Verb(libc::EOPNOTSUPP));
        };
        // One in each part of the queue is signalled, so the queue is never full of unsignalled
        // requests.
        let tells = signalled || self.posted.is_multiple_of((self.depth / SIGNALLED).max(1));
        #[cfg(planted)]
        let (opcode, list) = match opcode {
            abi::WR_RDMA_READ if std::mem::take(&mut self.reads_nothing) => {
                (abi::WR_RDMA_WRITE, &mut list[..0])
            }
            _ => (opcode, list),
        };
        let mut work = abi::SendWork {
            wr_id: u64::from(self.owner) << 32 | u64::from(self.posted),
            next: ptr::null_mut(),
            sg_list: list.as_mut_ptr(),
            num_sge: list.len() as i32,
            opcode,
            send_flags: flags | if tells { abi::SEND_SIGNALED } else { 0 },
            imm_data: 0,
            wr: to,
            rest: [0; 18],
        };
        let mut bad = ptr::null_mut();
        // SAFETY: the pair is valid, and so are the request and its list, which are not needed
        // after the call; nor is what an inline request names. An address handle is valid as long
        // as the pair is. Of the rest the caller has taken care.
        match unsafe { post(self.qp.as_ptr(), &mut work, &mut bad) } {
            0 => {
                self.posted = self.posted.wrapping_add(1);
                Ok(())
            }
            libc::ENOMEM => Err(PostFailure::Full),
            code => Err(PostFailure::Verb(code)),
        }
    }

    /// Notes that a request is done, and with it all earlier ones. Returns whether it belonged to
    /// this pair.
    #[inline]
    pub(crate) fn completed(&mut self, completion: &Completion) -> bool {
        if completion.qp_num() != self.number {
            return false;
        }
        let done = completion.number().wrapping_add(1);
        if done.wrapping_sub(self.done) <= self.posted.wrapping_sub(self.done) {
            self.done = done;
        }
        true
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        let library = self.pd.context().library();
        if let Some(group) = &self.group {
            // The library refuses to destroy an attached pair.
            // SAFETY: pair and address are valid.
            unsafe { (library.ibv_detach_mcast)(self.qp.as_ptr(), group, 0) };
        }
        // SAFETY: it is valid; afterwards the device reaches no memory that was posted to it, and
        // only then the memory is freed, which stands in fields of this.
        unsafe { (library.ibv_destroy_qp)(self.qp.as_ptr()) };
    }
}
