//! runahead: a message-passing runtime for bulk-synchronous programs in which a barrier stops
//! nobody.

pub mod order;
pub mod provider;
mod sys;
pub mod verbs;
