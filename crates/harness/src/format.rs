//! Reading and writing numbers: as text, one a line, or raw and little-endian.
//!
//! Whatever is wrong with a file is told with its name and the line or the byte where it is.

use std::path::Path;

use runahead::{Error, Result};

use super::number::Number;

/// How numbers stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One decimal number a line.
    Text,
    /// Little-endian, one after the other.
    Raw,
}

/// How much of a wrong line is shown.
const SHOWN_BYTES: usize = 40;

impl Format {
    /// The format of this name, for the command line.
    ///
    /// # Errors
    ///
    /// Naming the known ones, if it is none of them.
    pub fn named<T: Number>(name: &str) -> Result<Format, String> {
        match name {
            "text" => Ok(Format::Text),
            _ if name == T::RAW_NAME => Ok(Format::Raw),
            _ => Err(format!("unknown format {name:?}: expected text or {}", T::RAW_NAME)),
        }
    }

    /// The format that the ending of a file's name tells.
    pub fn of_ending<T: Number>(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()? {
            "txt" => Some(Format::Text),
            ending if ending == T::RAW_ENDING => Some(Format::Raw),
            _ => None,
        }
    }

    fn name<T: Number>(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Raw => T::RAW_NAME,
        }
    }
}

/// The format of the input and of the output: what was chosen, else what the endings tell.
///
/// # Errors
///
/// If the input's ending tells nothing, or the output's says something else.
pub fn choose<T: Number>(
    chosen: Option<Format>,
    input: &Path,
    output: Option<&Path>,
) -> Result<Format> {
    if let Some(format) = chosen {
        return Ok(format);
    }
    let Some(format) = Format::of_ending::<T>(input) else {
        return Err(Error::other(format!(
            "the ending of {} does not tell its format: it must be .txt or .{}, or give --format \
             text or --format {}",
            input.display(),
            T::RAW_ENDING,
            T::RAW_NAME
        )));
    };
    let Some(output) = output else { return Ok(format) };
    match Format::of_ending::<T>(output) {
        Some(other) if other != format => Err(Error::other(format!(
            "{} is named like a {} file, but the output is written in the format of the input, {}; \
             give --format {2} if that is what you want",
            output.display(),
            other.name::<T>(),
            format.name::<T>()
        ))),
        _ => Ok(format),
    }
}

/// Reads all numbers of a file.
///
/// # Errors
///
/// If it cannot be read, or holds something else.
pub fn read<T: Number>(path: &Path, format: Format) -> Result<Vec<T>> {
    let bytes = std::fs::read(path)
        .map_err(|error| Error::other(format!("cannot read {}: {error}", path.display())))?;
    let numbers = match format {
        Format::Text => from_text(&bytes),
        Format::Raw => from_raw(&bytes),
    };
    numbers.map_err(|what| Error::other(format!("{}: {what}", path.display())))
}

/// The numbers as the bytes of a file.
pub fn to_bytes<T: Number>(numbers: &[T], format: Format) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(numbers.len() * T::BYTES);
    for &number in numbers {
        match format {
            Format::Text => bytes.extend_from_slice(format!("{number}\n").as_bytes()),
            Format::Raw => number.append_raw(&mut bytes),
        }
    }
    bytes
}

fn from_raw<T: Number>(bytes: &[u8]) -> Result<Vec<T>, String> {
    let rest = bytes.len() % T::BYTES;
    if rest != 0 {
        return Err(format!(
            "byte {}: the file ends within a number: it has {} bytes, and a number has {}",
            bytes.len() - rest,
            bytes.len(),
            T::BYTES
        ));
    }
    Ok(bytes.chunks_exact(T::BYTES).map(T::from_raw).collect())
}

fn from_text<T: Number>(bytes: &[u8]) -> Result<Vec<T>, String> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    // A final newline ends the last line; it does not begin another.
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').zip(1..);
    lines.map(|(line, at)| number(line).map_err(|what| format!("line {at}: {what}"))).collect()
}

fn number<T: Number>(line: &[u8]) -> Result<T, String> {
    let line = line.strip_suffix(b"\r").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Err("the line is empty; a number was expected".to_owned());
    }
    let shown = shown(line);
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !digits(line) {
        let negative = line.strip_prefix(b"-").is_some_and(digits);
        let what = if negative { "is negative" } else { "is not an unsigned number" };
        return Err(format!("{shown} {what}"));
    }
    let number = str::from_utf8(line).ok().and_then(T::from_digits);
    number.ok_or_else(|| format!("{shown} is too large: the largest is {}", T::LARGEST))
}

fn shown(line: &[u8]) -> String {
    let first = &line[..line.len().min(SHOWN_BYTES)];
    let more = if first.len() < line.len() { "..." } else { "" };
    format!("\"{}{more}\"", first.escape_ascii())
}
