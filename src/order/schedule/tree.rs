//! Written next.
use super::Step;
use crate::order::Rank;
pub(super) fn flat(_rank: Rank, _size: usize) -> Vec<Step> {
    Vec::new()
}
pub(super) fn binary(_rank: Rank, _size: usize) -> Vec<Step> {
    Vec::new()
}
