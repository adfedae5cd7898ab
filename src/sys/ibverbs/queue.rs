//! Completion queues, and the channel on which a process sleeps until one of them gets a
//! completion.

use std::os::fd::BorrowedFd;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};

use super::device::Context;
use super::{Failure, abi};
#[cfg(planted)]
use crate::sys::atomic::{AtomicBool, Ordering};

/// The number of completions that are taken at once.
const BATCH: usize = 16;

/// A completion channel.
pub(crate) struct Channel {
    channel: NonNull<abi::CompChannel>,
    context: Arc<Context>,
    /// The completion vector of its queues.
    vector: i32,
}

// SAFETY: as for the context.
unsafe impl Send for Channel {}
// SAFETY: as for the context.
unsafe impl Sync for Channel {}

impl Channel {
    /// A channel for rank `rank`. Ranks take the device's completion vectors (interrupts) in turn,
    /// so that no single processor handles them all.
    pub(crate) fn new(context: &Arc<Context>, rank: usize) -> Result<Arc<Channel>, Failure> {
        let vector = vector_of(rank, context.completion_vectors());
        // SAFETY: the context is valid.
        let channel = unsafe { (context.library().ibv_create_comp_channel)(context.as_ptr()) };
        let channel =
            NonNull::new(channel).ok_or_else(|| Failure::last("ibv_create_comp_channel"))?;
        let channel = Channel { channel, context: Arc::clone(context), vector };
        // A poll for events must not wait for one.
        let failed = |_| Failure::last("fcntl");
        crate::sys::fd::never_wait(channel.fd()).map_err(failed)?;
        Ok(Arc::new(channel))
    }

    fn fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the channel is valid, and its file is open, until this is dropped.
        unsafe { BorrowedFd::borrow_raw((*self.channel.as_ptr()).fd) }
    }

    /// Sleeps until an [armed](Cq::arm) queue gets a completion, or until the time limit. May
    /// return early.
    pub(crate) fn wait(&self, timeout: Option<Duration>) {
        let mut fds = [PollFd::from_borrowed_fd(self.fd(), PollFlags::IN)];
        // A time that does not fit is longer than any sleep.
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        // An interrupted sleep is like an early return.
        let _ = rustix::event::poll(&mut fds, timeout.as_ref());
    }

    /// Takes the pending events. They carry no further information.
    pub(crate) fn drain(&self) {
        let library = self.context.library();
        loop {
            let (mut cq, mut cookie) = (ptr::null_mut(), ptr::null_mut());
            // SAFETY: the channel is valid, and it writes two pointers.
            let code =
                unsafe { (library.ibv_get_cq_event)(self.channel.as_ptr(), &mut cq, &mut cookie) };
            if code != 0 {
                return;
            }
            // SAFETY: the queue of an event that was not acknowledged is not destroyed before it
            // is.
            unsafe { (library.ibv_ack_cq_events)(cq, 1) };
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        // SAFETY: the queues that tell it hold an `Arc` of it, so none is left.
        unsafe { (self.context.library().ibv_destroy_comp_channel)(self.channel.as_ptr()) };
    }
}

/// One of `count` completion vectors; the first, if the device does not say how many there are.
fn vector_of(rank: usize, count: i32) -> i32 {
    let count = usize::try_from(count).unwrap_or(0).max(1);
    (rank % count) as i32
}

/// A completion queue.
pub(crate) struct Cq {
    cq: NonNull<abi::Cq>,
    context: Arc<Context>,
    _channel: Arc<Channel>,
    /// Whether the device was made to write no more completions (for tests).
    #[cfg(planted)]
    is_dead: AtomicBool,
}

// SAFETY: as for the context.
unsafe impl Send for Cq {}
// SAFETY: as for the context.
unsafe impl Sync for Cq {}

impl Cq {
    /// A queue with room for `entries` completions.
    pub(crate) fn new(channel: &Arc<Channel>, completions: u32) -> Result<Arc<Cq>, Failure> {
        let context = &channel.context;
        let entries = i32::try_from(completions.max(1)).unwrap_or(i32::MAX);
        let (cookie, tells) = (ptr::null_mut(), channel.channel.as_ptr());
        // SAFETY: context and channel are valid.
        let cq = unsafe {
            (context.library().ibv_create_cq)(
                context.as_ptr(),
                entries,
                cookie,
                tells,
                channel.vector,
            )
        };
        let cq = NonNull::new(cq).ok_or_else(|| Failure::last("ibv_create_cq"))?;
        Ok(Arc::new(Cq {
            cq,
            context: Arc::clone(context),
            _channel: Arc::clone(channel),
            #[cfg(planted)]
            is_dead: AtomicBool::new(false),
        }))
    }

    /// Makes the device write no more completions here (for tests).
    #[cfg(planted)]
    pub(crate) fn plant_death(&self) {
        // It orders nothing: the test polls in the same thread.
        self.is_dead.store(true, Ordering::Relaxed);
    }

    pub(super) fn as_ptr(&self) -> *mut abi::Cq {
        self.cq.as_ptr()
    }

    /// Arms the queue: the next completion notifies the channel, once. A completion that has
    /// already arrived may not, so the caller polls again after arming.
    pub(crate) fn arm(&self) -> Result<(), Failure> {
        const VERB: &str = "ibv_req_notify_cq";
        let Some(arm) = self.context.ops().req_notify_cq else {
            return Err(Failure::Verb { verb: VERB, code: libc::EOPNOTSUPP });
        };
        // SAFETY: the queue is valid.
        Failure::check(VERB, unsafe { arm(self.as_ptr(), 0) })
    }

    /// Takes the pending completions into an empty batch. Never waits.
    #[inline]
    pub(crate) fn poll(&self, batch: &mut Batch) -> Result<(), Failure> {
        const VERB: &str = "ibv_poll_cq";
        let Some(poll) = self.context.ops().poll_cq else {
            return Err(Failure::Verb { verb: VERB, code: libc::EOPNOTSUPP });
        };
        debug_assert!(batch.is_empty(), "completions would be lost");
        #[cfg(planted)]
        if self.is_dead.load(Ordering::Relaxed) {
            return Ok(());
        }
        // SAFETY: the queue is valid, and it writes as many completions as there is room for, at
        // most.
        let count = unsafe { poll(self.as_ptr(), BATCH as i32, batch.completions.as_mut_ptr()) };
        let Ok(count) = usize::try_from(count) else { return Err(Failure::last(VERB)) };
        (batch.next, batch.len) = (0, count.min(BATCH));
        Ok(())
    }
}

impl Drop for Cq {
    fn drop(&mut self) {
        // SAFETY: the queue pairs that use it hold an `Arc` of it, so none is left. All events that
        // were taken were acknowledged.
        unsafe { (self.context.library().ibv_destroy_cq)(self.as_ptr()) };
    }
}

/// A batch of completions.
#[derive(Default)]
pub(crate) struct Batch {
    completions: Box<[abi::WorkCompletion; BATCH]>,
    next: usize,
    len: usize,
}

impl Batch {
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.next == self.len
    }

    /// The next completion.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<Completion> {
        if self.is_empty() {
            return None;
        }
        let completion = Completion(self.completions[self.next]);
        self.next += 1;
        Some(completion)
    }
}

/// The completion of a work request. Only a queue creates one.
#[derive(Clone, Copy)]
pub(crate) struct Completion(abi::WorkCompletion);

/// Whether a work request succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Done,
    /// It was flushed, since its queue pair had failed before.
    Flushed,
    /// It failed.
    Failed(Refusal),
}

/// Why a work request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The library's status number.
    pub(crate) status: i32,
    /// The vendor's error number, which its support asks for.
    pub(crate) vendor: u32,
}

impl Completion {
    /// The owner: the number that the queue pair was created with.
    #[inline(always)]
    pub(crate) fn owner(&self) -> usize {
        (self.0.wr_id >> 32) as usize
    }

    #[inline(always)]
    pub(crate) fn status(&self) -> Status {
        match self.0.status {
            0 => Status::Done,
            5 => Status::Flushed,
            status => Status::Failed(Refusal { status, vendor: self.0.vendor_err }),
        }
    }

    /// The index among the work requests of its owner.
    #[inline(always)]
    pub(super) fn number(&self) -> u32 {
        self.0.wr_id as u32
    }

    #[inline(always)]
    pub(super) fn qp_num(&self) -> u32 {
        self.0.qp_num
    }

    /// The number of the queue pair that sent the received datagram; valid for datagrams only.
    #[inline(always)]
    pub(crate) fn sender(&self) -> u32 {
        self.0.src_qp
    }

    /// Whether this is a successful receive. For a failure it is not known, since a failure has
    /// only an owner: a driver leaves old contents in `opcode` and `byte_len` (ibv_poll_cq(3)).
    #[inline(always)]
    pub(super) fn is_receive(&self) -> bool {
        self.0.status == 0 && self.0.opcode & abi::WC_RECV != 0
    }

    /// The length of the received message, if this is a successful receive.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.0.byte_len as usize
    }
}

/// The status of a request that was not answered.
pub(crate) const SILENT: &str = "the peer does not answer";

/// The status of a request that the peer's device refused.
pub(crate) const REFUSED: &str = "the peer allows no such access";

impl Refusal {
    /// The meaning in words.
    pub(crate) fn text(self) -> &'static str {
        match self.status {
            1 => "local length error",
            2 => "local queue pair error",
            4 => "local protection error",
            7 => "the peer's answer is none",
            8 => "local access error",
            9 => "the peer found the request invalid",
            10 => REFUSED,
            11 => "the peer could not do it",
            12 => SILENT,
            13 => "the peer has no receive posted",
            19 => "the device has failed",
            _ => "the device refuses it",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mlx4 and mlx5 write neither opcode nor length of a request that has failed: there stands
    /// what the last message that came has left, and its slot still holds it. (Planted: a look at
    /// the opcode alone.)
    #[test]
    fn a_failed_receive_is_no_message() {
        let said = |status| {
            let mut said = abi::WorkCompletion::default();
            (said.status, said.opcode, said.byte_len) = (status, abi::WC_RECV, 100);
            Completion(said)
        };
        assert!(said(0).is_receive());
        assert!([4, 5, 13].into_iter().all(|status| !said(status).is_receive()));
    }

    #[test]
    fn ranks_use_completion_vectors_in_turn() {
        let vectors = |count| [0, 1, 4, 255].map(|rank| vector_of(rank, count));
        assert_eq!(vectors(4), [0, 1, 0, 3]);
        assert!([1, 0, -1].into_iter().all(|count| vectors(count) == [0; 4]));
    }

    #[test]
    fn a_failed_completion_has_its_status_and_vendor_error() {
        let mut said = abi::WorkCompletion::default();
        (said.status, said.vendor_err) = (12, 0x81);
        let refusal = Refusal { status: 12, vendor: 0x81 };
        assert_eq!(Completion(said).status(), Status::Failed(refusal));
        said.status = 5;
        assert_eq!(Completion(said).status(), Status::Flushed);
    }
}
