//! Grey pictures in PGM files: plain (P2) and raw (P5), of 8 and of 16 bits, one picture a file.
//!
//! Whatever is wrong with a file is a typed error that says where. A header promises nothing: no
//! memory is taken for more samples than the file can hold.

use std::io;
use std::path::{Path, PathBuf};

/// How the samples stand in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// P2: decimal numbers.
    Plain,
    /// P5: bytes, or big-endian pairs of bytes where the largest sample needs them.
    Raw,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// How it stands in a file.
    pub encoding: Encoding,
    /// Samples in a row; at least 1.
    pub width: usize,
    /// Rows; at least 1.
    pub height: usize,
    /// The sample that means white; at least 1.
    pub white: u16,
    /// The samples, row by row from the top; 0 is black.
    pub samples: Vec<u16>,
}

/// What is wrong with a PGM file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PgmError {
    /// It is something else.
    #[error("it is no PGM file: it begins with \"{begin}\", not with P2 or P5")]
    NotPgm {
        /// Its first bytes, escaped.
        begin: String,
    },
    /// It ends where a number or the samples must come.
    #[error("it ends before {what}")]
    Ends {
        /// What is missing.
        what: &'static str,
    },
    /// There is something else where a number must be.
    #[error("byte {at}: {what} is \"{found}\", which is no unsigned number")]
    NotANumber {
        /// Where.
        at: usize,
        /// What the number would be.
        what: &'static str,
        /// What is there, escaped and cut short.
        found: String,
    },
    /// A number is too small or too large.
    #[error("byte {at}: {what} is {found}; it must be from {least} to {largest}")]
    OutOfRange {
        /// Where.
        at: usize,
        /// What the number is.
        what: &'static str,
        /// The number, as it stands there, cut short.
        found: String,
        /// The least allowed.
        least: usize,
        /// The largest allowed.
        largest: usize,
    },
    /// There is no space after the header.
    #[error("byte {at}: one white-space byte must follow the largest sample")]
    NoSpace {
        /// Where.
        at: usize,
    },
    /// There are fewer samples than the header says.
    #[error(
        "a picture of {width} x {height} has {} samples; the file has {found}", .width * .height
    )]
    TooShort {
        /// Samples in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// How many samples there are.
        found: usize,
    },
    /// There is more after the last sample.
    #[error("byte {at}: there is more after the last sample; one picture is all that is read")]
    TooLong {
        /// Where.
        at: usize,
    },
}

/// A PGM file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It cannot be read at all.
    #[error("cannot read {}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is wrong.
    #[error("{}: {source}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: PgmError,
    },
}

/// The largest width and height: so large that no real picture is refused, and so small that their
/// product can be counted.
const LARGEST_SIDE: usize = 1 << 20;
/// How much of the wrong text is shown.
const SHOWN_BYTES: usize = 20;

impl Picture {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or holds something else.
    pub fn read(path: &Path) -> Result<Picture, ReadError> {
        let path_buf = || path.to_owned();
        let bytes =
            std::fs::read(path).map_err(|source| ReadError::Io { path: path_buf(), source })?;
        Picture::parse(&bytes).map_err(|source| ReadError::Wrong { path: path_buf(), source })
    }

    /// The picture that is the content of a file.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn parse(bytes: &[u8]) -> Result<Picture, PgmError> {
        let ended = bytes.get(2).is_none_or(|&byte| ends_number(byte));
        let encoding = match bytes.get(..2) {
            Some(b"P2") if ended => Encoding::Plain,
            Some(b"P5") if ended => Encoding::Raw,
            _ => return Err(PgmError::NotPgm { begin: shown(bytes, 3) }),
        };
        let mut text = Text { bytes, at: 2 };
        let width = text.number("the width", 1, LARGEST_SIDE)?;
        let height = text.number("the height", 1, LARGEST_SIDE)?;
        let white = text.number("the largest sample", 1, u16::MAX.into())? as u16;
        let count = width * height;
        let samples = match encoding {
            Encoding::Plain => text.samples(count, white)?,
            Encoding::Raw => text.raw_samples(count, white)?,
        };
        match samples.len() {
            found if found < count => Err(PgmError::TooShort { width, height, found }),
            _ => Ok(Picture { encoding, width, height, white, samples }),
        }
    }

    /// The content of a file with this picture.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Picture { encoding, width, height, white, .. } = self;
        let magic = match encoding {
            Encoding::Plain => "P2",
            Encoding::Raw => "P5",
        };
        let mut bytes = format!("{magic}\n{width} {height}\n{white}\n").into_bytes();
        match encoding {
            // Lines must not be longer than 70 characters: ten samples have at most 60.
            Encoding::Plain => {
                for line in self.samples.chunks(self.width).flat_map(|row| row.chunks(10)) {
                    let words: Vec<String> = line.iter().map(u16::to_string).collect();
                    bytes.extend_from_slice(words.join(" ").as_bytes());
                    bytes.push(b'\n');
                }
            }
            Encoding::Raw if is_narrow(self.white) => {
                bytes.extend(self.samples.iter().map(|&sample| sample as u8));
            }
            Encoding::Raw => bytes.extend(self.samples.iter().flat_map(|s| s.to_be_bytes())),
        }
        bytes
    }
}

/// Whether a raw sample has one byte.
fn is_narrow(white: u16) -> bool {
    white <= u8::MAX.into()
}

/// The place in a file up to which it has been read.
struct Text<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Text<'b> {
    fn rest(&self) -> &'b [u8] {
        &self.bytes[self.at..]
    }

    /// Skips white space, and comments from `#` to the end of their line.
    fn skip_space(&mut self) {
        let mut comment = false;
        let is_skipped = |byte: &&u8| {
            comment = if comment { !matches!(byte, b'\n' | b'\r') } else { **byte == b'#' };
            comment || is_space(**byte)
        };
        self.at += self.rest().iter().take_while(is_skipped).count();
    }

    /// The next number, and where it stood.
    fn number(
        &mut self,
        what: &'static str,
        least: usize,
        largest: usize,
    ) -> Result<usize, PgmError> {
        self.skip_space();
        let (at, rest) = (self.at, self.rest());
        let end = rest.iter().position(|&byte| ends_number(byte));
        let word = &rest[..end.unwrap_or(rest.len())];
        let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if rest.is_empty() {
            return Err(PgmError::Ends { what });
        }
        if digits < word.len() || digits == 0 {
            return Err(PgmError::NotANumber { at, what, found: shown(word, SHOWN_BYTES) });
        }
        self.at += digits;
        let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        number.filter(|number| (least..=largest).contains(number)).ok_or_else(|| {
            PgmError::OutOfRange { at, what, found: shown(word, SHOWN_BYTES), least, largest }
        })
    }

    /// At most `count` plain samples.
    fn samples(&mut self, count: usize, white: u16) -> Result<Vec<u16>, PgmError> {
        let mut samples = Vec::new();
        self.skip_space();
        while !self.rest().is_empty() {
            if samples.len() == count {
                return Err(PgmError::TooLong { at: self.at });
            }
            samples.push(self.number("a sample", 0, white.into())? as u16);
            self.skip_space();
        }
        Ok(samples)
    }

    /// At most `count` raw samples.
    fn raw_samples(&mut self, count: usize, white: u16) -> Result<Vec<u16>, PgmError> {
        match self.rest().first() {
            None => return Err(PgmError::Ends { what: "the samples" }),
            Some(&byte) if is_space(byte) => self.at += 1,
            Some(_) => return Err(PgmError::NoSpace { at: self.at }),
        }
        let (start, width) = (self.at, if is_narrow(white) { 1 } else { 2 });
        if self.rest().len() > count * width {
            return Err(PgmError::TooLong { at: start + count * width });
        }
        let samples = self.rest().chunks_exact(width).enumerate().map(|(index, sample)| {
            let sample = sample.iter().fold(0, |number, &byte| number << 8 | u16::from(byte));
            if sample <= white {
                return Ok(sample);
            }
            let (at, found) = (start + index * width, sample.to_string());
            let (what, largest) = ("a sample", white.into());
            Err(PgmError::OutOfRange { at, what, found, least: 0, largest })
        });
        samples.collect()
    }
}

/// White space as PGM has it.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// Whether a number ends before this byte.
fn ends_number(byte: u8) -> bool {
    is_space(byte) || byte == b'#'
}

fn shown(bytes: &[u8], most: usize) -> String {
    let first = &bytes[..bytes.len().min(most)];
    let more = if first.len() < bytes.len() { "..." } else { "" };
    format!("{}{more}", first.escape_ascii())
}
