//! Rank processes that went wrong say anything to the hub of their job, in any pieces. It hears what honest ranks say,
//! and errors from the others: it does not panic, nor take memory for what is not there.
//!
//! SEMANTICS: SAFE-1
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::fuzzing::launch;

use memory::{Watched, most_asked_for};

#[path = "../shared/memory.rs"]
mod memory;

#[global_allocator]
static WATCHED: Watched = Watched;

/// More than all that one input can have written.
const MOST_BYTES: usize = 64 << 20;

const SIZE: usize = 3;

#[derive(Arbitrary, Debug)]
enum Say {
    /// As a rank comes, and enters its first fence.
    Come { stream: u8, rank: u8, key: u8, value: Vec<u8> },
    /// What a rank came to, as it is said at the end; `wrong_by` is added to its length.
    End { stream: u8, value: Result<Vec<u8>, String>, wrong_by: i8 },
    /// A value of one byte repeated very often.
    Long { stream: u8, byte: u8, times: u16 },
    /// Any bytes, cut in the middle.
    Bytes { stream: u8, bytes: Vec<u8>, cut: u8 },
    /// Any bytes as one frame.
    Frame { stream: u8, bytes: Vec<u8> },
    /// A length alone.
    Length { stream: u8, length: u64 },
}

impl Say {
    /// On which stream, and in which pieces.
    fn pieces(self) -> (u8, Vec<Vec<u8>>) {
        match self {
            Say::Come { stream, rank, key, value } => {
                let rank = usize::from(rank) % (SIZE + 1);
                (stream, vec![launch::first_words(rank, SIZE, &key.to_string(), &value)])
            }
            Say::End { stream, value, wrong_by } => {
                let value = value.as_ref().map(Vec::as_slice).map_err(String::as_str);
                let mut frame = launch::last_word(value);
                if let Some((length, _)) = frame.split_first_chunk_mut() {
                    let right = u64::from_le_bytes(*length);
                    *length = right.saturating_add_signed(wrong_by.into()).to_le_bytes();
                }
                (stream, vec![frame])
            }
            Say::Long { stream, byte, times } => {
                let value = vec![byte; usize::from(times) * 4];
                (stream, vec![launch::last_word(Ok(&value))])
            }
            Say::Bytes { stream, bytes, cut } => {
                let (start, end) = bytes.split_at(usize::from(cut).min(bytes.len()));
                (stream, vec![start.to_vec(), end.to_vec()])
            }
            Say::Frame { stream, bytes } => {
                let length = (bytes.len() as u64).to_le_bytes();
                (stream, vec![[&length[..], &bytes].concat()])
            }
            Say::Length { stream, length } => (stream, vec![length.to_le_bytes().to_vec()]),
        }
    }
}

fuzz_target!(|said: Vec<Say>| {
    let said: Vec<_> = said.into_iter().take(20).map(Say::pieces).collect();
    let pieces: Vec<(usize, &[u8])> = said
        .iter()
        .flat_map(|(stream, pieces)| {
            pieces.iter().map(|piece| (usize::from(*stream), piece.as_slice()))
        })
        .collect();
    let (job, asked) = most_asked_for(|| launch::job(&pieces, SIZE));
    assert!(asked <= MOST_BYTES, "{asked} bytes for what ranks have said");
    match job {
        Ok(values) => assert_eq!(values.len(), SIZE),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
