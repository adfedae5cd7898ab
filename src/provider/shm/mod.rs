//! The shm provider: ranks are processes or threads of one host and share memory.
//!
//! All of it is one file without a name ([`Segment`]), which the processes inherit: nothing is left
//! behind, however the job ends. There is a ring for each ordered pair of ranks and completion
//! queue. A message of up to 56 bytes lies in one cache line of it; a longer one in a buffer that
//! is read where it lies and comes back with its descriptor. A rank that sleeps is woken by a
//! futex; as long as none does, a message costs its sender no fence.
//!
//! It takes address space for all that may ever be under way, within a stated limit
//! ([`bytes_needed`]); memory it takes as it is used.
//!
//! Nothing that lies in shared memory is trusted: lengths, numbers of buffers and places in rings
//! are read once and checked, and every rank keeps its own books in its own memory. What is
//! impossible breaks the connection: [`VerbsError::Corrupted`] once, and from then on the peer
//! counts as gone. A hostile peer that writes possible values can lose, delay or garble messages
//! and wake-ups. See [`Frame`] for what its readers are told.
//!
//! | file | what it is |
//! |---|---|
//! | `layout` | where everything lies |
//! | `segment` | the file: creating, joining, leaving |
//! | `cell`, `ring` | messages one way, descriptors the other |
//! | `inbox` | which rings are worth a look |
//! | `parker` | sleeping and waking |
//! | `fences` | which rank fences, so that neither a message nor a sleeper is overlooked |
//! | `claim` | taking a rank, and choosing the layout |
//! | `message` | messages in and out of the rings, with the unsafe code |
//! | `heap` | which parts of a rank's memory for large payloads are in use |
//! | `payloads` | large payloads: copied into their sender's heap, read there by their receiver |
//! | `rooms` | memory behind such a payload, which its sender fills later |
//! | `pair_words` | words of each sender and receiver of such payloads |
//! | `reading` | which ranks can read each other's memory |
//! | `filling` | how far a copy is that its sender makes while the receiver reads it |
//! | `offers`, `lent` | large payloads that their receiver reads in the memory of their sender: or else they are sent otherwise; or copied into the heap |
//! | `words` | shared words, and those that are put into registered memory |
//! | `nic` | the verbs |
//!
//! It is not for ranks on different hosts, nor for Linux's relatives: it needs memfd and futex.

mod cell;
mod claim;
mod copying;
mod fences;
mod filling;
#[cfg(fuzzing)]
pub mod fuzzing;
mod heap;
mod inbox;
mod layout;
mod lent;
mod message;
#[cfg(all(test, loom))]
mod models;
mod nic;
mod offers;
#[cfg(all(test, not(loom)))]
mod pair;
mod pair_words;
mod parker;
mod payloads;
mod reading;
mod ring;
mod rooms;
mod segment;
mod tell;
mod words;

pub use layout::MAX_RANKS;
pub use message::Frame;
pub use nic::ShmNic;
pub use offers::Offer;
pub use payloads::Payload;
pub use rooms::Room;
pub use segment::Segment;
pub use words::Exposed;

use layout::SegmentLayout;

use crate::provider::FabricSpec;
use crate::verbs::VerbsError;

/// Makes a fabric of `size` ranks of this process and gives each its interface, in the order of the
/// ranks.
///
/// # Errors
///
/// As by [`Segment::create`] and [`Segment::nic`].
pub fn connect(size: usize, spec: &FabricSpec) -> Result<Vec<ShmNic>, VerbsError> {
    // Before anything is made.
    SegmentLayout::new(size, spec)?;
    let segment = Segment::create(size)?;
    (0..size).map(|rank| segment.nic(rank, spec)).collect()
}

/// The length of the memory that a job of `size` ranks shares, in bytes: of address space, not of
/// memory in use. `usize::MAX` if one of the other limits is exceeded.
pub fn bytes_needed(size: usize, spec: &FabricSpec) -> usize {
    SegmentLayout::unlimited(size, spec).map_or(usize::MAX, |layout| layout.bytes)
}
