//! Collectives: calls that all ranks of a communicator make, in the same order.
//!
//! Each is a tree, which is pure data ([`Tree`]), or an exchange of everybody with everybody
//! (`direct`), and messages in a context of their own, which the program's receives never see. A
//! rank waits only for those whose data it needs: a leaf of a reduction and the root of a broadcast
//! only send, an interior rank returns when it has forwarded (pakin-2001 §4.4.1). They are stamped
//! like all messages, so they keep to their superstep (§4.4.2, table 4.2).
//!
//! | call | MPI | which ranks exchange messages |
//! |---|---|---|
//! | `broadcast`, `reduce` | bcast, reduce | the tree |
//! | `all_reduce` | allreduce | the tree, twice; two ranks, and large data with a flat one: all with all |
//! | `scan`, `exclusive_scan` | scan, exscan | all lower with all higher, or rounds, or a chain |
//! | `gather`, `scatter` | gatherv, scatterv | the root with all |
//! | `all_gather`, `reduce_scatter`, `reduce_scatter_v` | allgatherv, reduce_scatter | all with all |
//! | `all_to_all`, `all_to_all_v` | alltoall, alltoallv | all with all |
//! | `exchange`, `exchange_parts` | - | all with all; counts only the senders know |
//! | `ibroadcast`, `ireduce`, `iall_reduce` ... | ibcast, ireduce, iallreduce ... | all with all, or with the root: see [`posted`] |
//!
//! In a small group within a host, what is short and the same for all that need it lies where they see it
//! (`small`), and no messages go.
//!
//! A rank forwards *before* its call returns, never later: forwarding after a later barrier would
//! stamp old data as new.
//!
//! `call` says which messages belong together, `edge` sends and receives them between two ranks,
//! `any_source` takes them as they come,
//! `small` deposits short ones, `pieces` divides long ones, and `calls` keeps what
//! a communicator needs from call to call.
//!
//! Keeps rules COL-1 to COL-11 of SEMANTICS.md.

mod all_reduce;
mod all_to_all;
mod any_source;
mod at_once;
mod block_ways;
mod blocks;
mod broadcast;
mod call;
mod calls;
mod combine;
mod combined;
mod deposited;
mod direct;
mod edge;
mod exchange;
mod gather;
mod given;
mod helped;
mod hosts;
mod kind;
mod offered;
mod offers;
pub mod ops;
mod parts;
mod pieces;
pub mod posted;
mod prefixes;
mod reduce;
mod reduce_scatter;
mod relayed;
mod rooms;
mod scan;
mod shapes;
mod small;
mod stall;
mod taking;
mod tree;
mod units;

pub(crate) use calls::Calls;
pub use exchange::Exchange;
#[doc(hidden)]
pub use hosts::Hosts;
pub use kind::{CollectiveError, Kind};
pub use parts::Parts;
pub use posted::CollectiveRequest;
#[doc(hidden)]
pub use shapes::{Shape, ShapeRule, ShapeRules};
#[doc(hidden)]
pub use tree::Combining;
pub use tree::Tree;
#[doc(hidden)]
pub use units::{Step, Told, Units};
