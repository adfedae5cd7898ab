//! A way in for the fuzz targets to what ranks tell one another when a group is made.
//!
//! It decides nothing and is no part of the interface; without the feature `fuzzing` it is not
//! there.

use super::plan::Split;
use super::request::Request;

/// What a rank wants, read and written again.
pub fn request(bytes: &[u8]) -> Option<Vec<u8>> {
    Request::decode(bytes).map(|request| request.encode())
}

/// What rank 0 of `size` ranks tells, applied by each of them, and written again.
pub fn split(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let split = Split::decode(bytes, size)?;
    for rank in 0..size {
        let _ = split.plan_for(rank, size);
    }
    Some(split.encode())
}
