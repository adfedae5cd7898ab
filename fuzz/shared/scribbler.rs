//! Somebody who shares the memory of a job and writes into it what he likes: any byte of it, and mostly
//! where something is.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use arbitrary::Arbitrary;
use runahead::fuzzing::shm::parts;
use runahead::provider::FabricSpec;
use runahead::provider::shm::Segment;

/// One write.
#[derive(Arbitrary, Clone, Debug)]
pub struct Scribble {
    /// Which part of the segment.
    part: u8,
    /// Where in it; from its end if negative. In words, or in bytes where bytes are written.
    at: i16,
    /// Only words that are not zero count.
    used: bool,
    what: What,
}

/// How much of a part is looked at for words in use.
const LOOKED_AT: usize = 2048;

#[derive(Arbitrary, Clone, Debug)]
enum What {
    Word(u64),
    /// What stands there, and so much.
    Add(i8),
    /// One bit of it the other way.
    Flip(u8),
    /// What stands in another part, or elsewhere in this one.
    Copy {
        part: u8,
        at: i16,
    },
    /// The lap, the buffer or the length of a word of a ring, and so much.
    Lap(i8),
    Buffer(i8),
    Length(i8),
    Bytes(Vec<u8>),
}

pub struct Scribbler {
    file: File,
    parts: Vec<Range<usize>>,
}

impl Scribbler {
    pub fn new(segment: &Segment, spec: &FabricSpec) -> Scribbler {
        let file = File::from(segment.fd().try_clone_to_owned().expect("a file"));
        Scribbler { file, parts: parts(segment.size(), spec).expect("a segment that is there") }
    }

    fn place(&self, part: u8, at: i16, unit: usize) -> u64 {
        let part = &self.parts[usize::from(part) % self.parts.len()];
        let units = part.len() / unit;
        (part.start + i64::from(at).rem_euclid(units as i64) as usize * unit) as u64
    }

    /// One of the words of a part that are not zero.
    fn used(&self, part: u8, at: i16) -> u64 {
        let range = &self.parts[usize::from(part) % self.parts.len()];
        let mut bytes = [0; LOOKED_AT];
        let bytes = &mut bytes[..range.len().min(LOOKED_AT)];
        self.file.read_exact_at(bytes, range.start as u64).expect("memory");
        let is_used = |(_, word): &(usize, &[u8])| *word != [0; 8];
        let used: Vec<usize> =
            bytes.chunks_exact(8).enumerate().filter(is_used).map(|w| w.0).collect();
        match used.len() {
            0 => self.place(part, at, 8),
            words => (range.start + used[usize::from(at as u16) % words] * 8) as u64,
        }
    }

    fn word(&self, at: u64) -> u64 {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, at).expect("memory");
        u64::from_le_bytes(bytes)
    }

    pub fn scribble(&self, scribble: &Scribble) {
        let Scribble { part, at, used, what } = scribble;
        if let What::Bytes(bytes) = what {
            let start = self.place(*part, *at, 1);
            let end = self.parts.iter().map(|part| part.end).max().unwrap_or(0) as u64;
            let most = bytes.len().min((end - start) as usize);
            self.file.write_all_at(&bytes[..most], start).expect("memory");
            return;
        }
        let place = match used {
            true => self.used(*part, *at),
            false => self.place(*part, *at, 8),
        };
        let old = self.word(place);
        let plus = |by: i8, bits: u32| old.wrapping_add_signed(i64::from(by) << bits);
        let new = match *what {
            What::Word(word) => word,
            What::Add(by) | What::Length(by) => plus(by, 0),
            What::Buffer(by) => plus(by, 22),
            What::Lap(by) => plus(by, 40),
            What::Flip(bit) => old ^ 1 << (bit % 64),
            What::Copy { part, at } => self.word(self.place(part, at, 8)),
            What::Bytes(_) => old,
        };
        self.file.write_all_at(&new.to_le_bytes(), place).expect("memory");
    }
}
