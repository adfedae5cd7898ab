//! Written next.
use super::Step;
use crate::order::Rank;
pub(super) fn steps(_rank: Rank, _size: usize) -> Vec<Step> {
    Vec::new()
}
