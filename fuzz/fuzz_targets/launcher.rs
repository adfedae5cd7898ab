//! A rank process that went wrong writes on the sheets that the processes of a job share. Whoever reads
//! them gets what honest ranks have handed over, or errors: it does not panic, nor take memory for what is
//! not there.
//!
//! SEMANTICS: SAFE-1
#![no_main]

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::fuzzing::launch;
use rustix::fs::MemfdFlags;

use memory::{Watched, most_asked_for};

#[path = "../shared/memory.rs"]
mod memory;

#[global_allocator]
static WATCHED: Watched = Watched;

/// More than all that one input can have written.
const MOST_BYTES: usize = 64 << 20;

/// The distance between the pages of a ledger, and what stands before what a rank hands over.
const PAGE: u64 = 1 << 36;
const HEAD: u64 = 24;
const SIZE: usize = 3;

#[derive(Arbitrary, Debug)]
enum Write {
    /// A page as a rank would write it: how it is marked, its kind, what it hands over, and by how much
    /// its length is wrong.
    Page { rank: u8, state: u8, kind: u8, wrong_by: i8, bytes: Vec<u8> },
    /// The same, of a piece repeated very often.
    Long { rank: u8, piece: [u8; 2], times: u16, last: [u8; 3] },
    /// Any bytes anywhere near the start of a page.
    Bytes { rank: u8, at: u8, bytes: Vec<u8> },
    /// One byte far away: the sheet is longer than what is in it.
    Far { at: u64 },
    /// So many half GiB that nobody has written, but for the last byte.
    Hole { rank: u8, halves: u8 },
    /// A length alone.
    Length { rank: u8, length: u64 },
    /// What a launch returned, in the history: kind, number of parts if not the right one, parts.
    Launch { kind: u8, count: Option<u64>, parts: Vec<Vec<u8>> },
    /// Any bytes in the history.
    History { bytes: Vec<u8> },
}

struct Sheets {
    ledger: File,
    history: File,
    at: u64,
}

impl Sheets {
    fn page(&self, rank: u8, state: u64, kind: u64, length: u64, bytes: &[u8]) {
        let start = PAGE * (u64::from(rank) % SIZE as u64);
        self.ledger.write_all_at(bytes, start + HEAD).expect("memory");
        let head = [state, kind, length].map(u64::to_le_bytes).concat();
        self.ledger.write_all_at(&head, start).expect("memory");
    }

    fn append(&mut self, bytes: &[u8]) {
        self.history.write_all_at(bytes, self.at).expect("memory");
        self.at += bytes.len() as u64;
    }
}

fuzz_target!(|writes: Vec<Write>| {
    let sheet = || File::from(rustix::fs::memfd_create("fuzzed", MemfdFlags::CLOEXEC).unwrap());
    let mut sheets = Sheets { ledger: sheet(), history: sheet(), at: 0 };
    for write in writes.into_iter().take(20) {
        match write {
            Write::Page { rank, state, kind, wrong_by, bytes } => {
                let length = (bytes.len() as u64).saturating_add_signed(wrong_by.into());
                sheets.page(rank, u64::from(state % 4), u64::from(kind % 3), length, &bytes);
            }
            Write::Long { rank, piece, times, last } => {
                let mut bytes = piece.repeat(usize::from(times) * 4);
                bytes.extend_from_slice(&last);
                sheets.page(rank, 2, 1, bytes.len() as u64, &bytes);
            }
            Write::Bytes { rank, at, bytes } => {
                let start = PAGE * (u64::from(rank) % SIZE as u64) + u64::from(at);
                sheets.ledger.write_all_at(&bytes, start).expect("memory");
            }
            Write::Far { at } => {
                sheets.ledger.write_all_at(&[1], at % (PAGE * SIZE as u64)).expect("memory");
            }
            Write::Hole { rank, halves } => {
                let length = u64::from(halves % 32) << 29;
                sheets.page(rank, 2, 0, length, &[]);
                let start = PAGE * (u64::from(rank) % SIZE as u64);
                sheets.ledger.write_all_at(&[1], start + HEAD + length).expect("memory");
            }
            Write::Length { rank, length } => {
                let start = PAGE * (u64::from(rank) % SIZE as u64);
                let head = [2, 0, length].map(u64::to_le_bytes).concat();
                sheets.ledger.write_all_at(&head, start).expect("memory");
            }
            Write::Launch { kind, count, parts } => {
                let count = count.unwrap_or(parts.len() as u64);
                sheets.append(&[u64::from(kind % 3), count].map(u64::to_le_bytes).concat());
                for part in parts {
                    sheets.append(&(part.len() as u64).to_le_bytes());
                    sheets.append(&part);
                }
            }
            Write::History { bytes } => sheets.append(&bytes),
        }
    }
    let (job, asked) = most_asked_for(|| launch::job(OwnedFd::from(sheets.ledger), SIZE));
    assert!(asked <= MOST_BYTES, "{asked} bytes for what a ledger holds");
    match job {
        Ok(values) => assert_eq!(values.len(), SIZE),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let words = sheets.at / 8;
    let history = OwnedFd::from(sheets.history);
    let (launches, asked) = most_asked_for(|| launch::launches(history).collect::<Vec<_>>());
    assert!(asked <= MOST_BYTES, "{asked} bytes for what a history holds");
    for returned in launches {
        match returned {
            Ok(values) => assert!(values.len() as u64 <= words),
            Err(error) => drop(error.to_string()),
        }
    }
});
