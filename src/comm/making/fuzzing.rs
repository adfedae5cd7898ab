//! Entry points for the fuzz targets into the messages of group creation. Exists with
//! `--cfg fuzzing` only, and is no part of the interface.

use super::plan::Split;
use super::request::Request;

/// Decodes and encodes the request of a rank.
pub fn request(bytes: &[u8]) -> Option<Vec<u8>> {
    Request::decode(bytes).map(|request| request.encode())
}

/// Decodes the table that rank 0 of `size` ranks sends, plans for each rank, and encodes it.
pub fn split(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let split = Split::decode(bytes, size)?;
    for rank in 0..size {
        let _ = split.plan_for(rank, size);
    }
    Some(split.encode())
}
