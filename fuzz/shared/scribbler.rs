//! Somebody who shares the memory of a job and writes into it what he likes: any byte of it, but mostly
//! where something is, or where something has just been written.

use std::cell::RefCell;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use arbitrary::Arbitrary;
use runahead::fuzzing::shm::{parts, shared};
use runahead::internals::provider::FabricSpec;
use runahead::internals::provider::shm::Segment;

/// One write.
#[derive(Arbitrary, Clone, Debug)]
pub struct Scribble {
    place: Place,
    what: What,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Place {
    /// One of the words that somebody has written since the last write of this kind: of a message, the
    /// first word of its cell, or those of its bytes.
    Fresh { which: u8 },
    /// One of the words of a part that are not zero.
    Used { part: u8, at: u8 },
    /// Any word of a part; from its end if negative.
    Any { part: u8, at: i16 },
}

#[derive(Arbitrary, Clone, Debug)]
enum What {
    Word(u64),
    /// What stands there, and so much in one of its fields.
    Add {
        by: i8,
        field: u8,
    },
    /// One bit of it the other way.
    Flip(u8),
    /// What stands elsewhere.
    Copy(Place),
    /// From there on.
    Bytes(Vec<u8>),
}

/// Where fields begin: numbers, and in words of a ring the length, what is much for a length, the
/// buffer and the lap.
const FIELDS: [u32; 4] = [0, 6, 22, 40];

/// How much of a part is looked at for words in use, in bytes.
const LOOKED_AT: usize = 2048;

pub struct Scribbler {
    file: File,
    parts: Vec<Range<usize>>,
    /// What stood in the parts when it was last looked.
    seen: RefCell<Vec<Vec<u8>>>,
}

impl Scribbler {
    pub fn new(segment: &Segment, spec: &FabricSpec) -> Scribbler {
        let file = File::from(segment.fd().try_clone_to_owned().expect("a file"));
        let parts = parts(segment.size(), spec).expect("a segment that is there");
        let seen = parts.iter().map(|part| look(&file, part)).collect();
        Scribbler { file, parts, seen: RefCell::new(seen) }
    }

    /// These shared words are parts of their own, each of which is [looked at](LOOKED_AT) from its start.
    #[allow(dead_code, reason = "not all targets know what lies there")]
    pub fn with_words(
        mut self,
        (size, spec): (usize, &FabricSpec),
        words: impl IntoIterator<Item = Range<usize>>,
    ) -> Scribbler {
        let start = shared(size, spec).expect("a segment that is there").start;
        let bytes = |words: Range<usize>| start + words.start * 8..start + words.end * 8;
        self.parts.extend(words.into_iter().map(bytes));
        self.look();
        self
    }

    /// From now on, only what is written later is fresh.
    #[allow(dead_code, reason = "not all targets know when something begins")]
    pub fn look(&self) {
        *self.seen.borrow_mut() = self.parts.iter().map(|part| look(&self.file, part)).collect();
    }

    /// Where a word is.
    fn at(&self, place: Place) -> u64 {
        match place {
            Place::Fresh { which } => self.fresh(which),
            Place::Used { part, at } => self.used(part, at),
            Place::Any { part, at } => {
                let part = &self.parts[usize::from(part) % self.parts.len()];
                let words = part.len() as i64 / 8;
                (part.start + i64::from(at).rem_euclid(words) as usize * 8) as u64
            }
        }
    }

    fn fresh(&self, which: u8) -> u64 {
        let mut fresh = Vec::new();
        for (part, seen) in self.parts.iter().zip(self.seen.borrow().iter()) {
            let now = look(&self.file, part);
            let pairs = now.chunks_exact(8).zip(seen.chunks_exact(8)).enumerate();
            let changed = pairs.filter(|(_, (now, seen))| now != seen);
            fresh.extend(changed.map(|(at, _)| part.start + at * 8));
        }
        match fresh.len() {
            0 => self.used(which, which),
            words => fresh[usize::from(which) % words] as u64,
        }
    }

    fn used(&self, part: u8, at: u8) -> u64 {
        let part = &self.parts[usize::from(part) % self.parts.len()];
        let bytes = look(&self.file, part);
        let words = bytes.chunks_exact(8).enumerate();
        let used: Vec<usize> = words.filter(|(_, word)| *word != [0; 8]).map(|w| w.0).collect();
        match used.len() {
            0 => part.start as u64,
            words => (part.start + used[usize::from(at) % words] * 8) as u64,
        }
    }

    fn word(&self, at: u64) -> u64 {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, at).expect("memory");
        u64::from_le_bytes(bytes)
    }

    pub fn scribble(&self, scribble: &Scribble) {
        let Scribble { place, what } = scribble;
        let at = self.at(*place);
        if let What::Bytes(bytes) = what {
            let end = self.parts.iter().map(|part| part.end).max().unwrap_or(0) as u64;
            let most = bytes.len().min((end - at) as usize);
            self.file.write_all_at(&bytes[..most], at).expect("memory");
            return;
        }
        let old = self.word(at);
        let new = match *what {
            What::Word(word) => word,
            What::Add { by, field } => {
                let field = FIELDS[usize::from(field) % FIELDS.len()];
                old.wrapping_add_signed(i64::from(by) << field)
            }
            What::Flip(bit) => old ^ 1 << (bit % 64),
            What::Copy(from) => self.word(self.at(from)),
            What::Bytes(_) => old,
        };
        self.file.write_all_at(&new.to_le_bytes(), at).expect("memory");
    }
}

fn look(file: &File, part: &Range<usize>) -> Vec<u8> {
    let mut bytes = vec![0; part.len().min(LOOKED_AT)];
    file.read_exact_at(&mut bytes, part.start as u64).expect("memory");
    bytes
}
