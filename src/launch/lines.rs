//! What ranks write, passed on in whole lines, so that those of several ranks do not mix.

use std::io::{self, Write};

use crate::order::Rank;
use crate::sys::fd::{AsFd, BorrowedFd, OwnedFd, never_wait, read_some};
use crate::sys::process::Child;

/// A line that is longer is passed on in parts, between which others' may come.
pub const LINE_BYTES: usize = 1 << 20;

/// Takes the text of one source apart into whole lines.
#[derive(Debug, Default)]
struct Cutter {
    /// The line that has begun.
    rest: Vec<u8>,
}

impl Cutter {
    /// Takes `bytes` in, and adds to `out` the lines that are whole now, each after `tag`.
    fn take(&mut self, bytes: &[u8], tag: &[u8], out: &mut Vec<u8>) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.rest.len() >= LINE_BYTES {
                self.flush(tag, out);
            }
        }
    }

    /// Adds what is left, which no newline ends.
    fn flush(&mut self, tag: &[u8], out: &mut Vec<u8>) {
        if !self.rest.is_empty() {
            out.extend_from_slice(tag);
            out.append(&mut self.rest);
        }
    }
}

/// Standard output, or standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sink {
    Out,
    Err,
}

/// One of the two streams of a rank.
#[derive(Debug)]
struct Stream {
    from: OwnedFd,
    sink: Sink,
    tag: Vec<u8>,
    cutter: Cutter,
}

/// The streams of all ranks.
#[derive(Debug)]
pub(super) struct Lines {
    streams: Vec<Stream>,
    /// Whether the last line written to the sink lacks its newline.
    unfinished: [bool; 2],
}

impl Lines {
    /// The pipes of all ranks; with a tag, each line begins with the number of its rank.
    pub(super) fn of(children: &mut [Child], tag: bool) -> io::Result<Lines> {
        let mut streams = Vec::new();
        for (rank, child) in children.iter_mut().enumerate() {
            let (out, err) = child.streams();
            let out = out.map(|out| (OwnedFd::from(out), Sink::Out));
            let err = err.map(|err| (OwnedFd::from(err), Sink::Err));
            for (from, sink) in out.into_iter().chain(err) {
                never_wait(&from)?;
                let tag = if tag { tag_of(rank) } else { Vec::new() };
                streams.push(Stream { from, sink, tag, cutter: Cutter::default() });
            }
        }
        Ok(Lines { streams, unfinished: [false; 2] })
    }

    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.streams.iter().map(|stream| stream.from.as_fd())
    }

    /// Passes on what those have written that are ready, in the order of [`fds`](Self::fds).
    pub(super) fn take(&mut self, ready: &[bool]) {
        let mut bytes = [0; 1 << 16];
        let mut ready = ready.iter().copied();
        let mut text = [Vec::new(), Vec::new()];
        self.streams.retain_mut(|stream| {
            if !ready.next().unwrap_or(false) {
                return true;
            }
            let out = &mut text[stream.sink as usize];
            match read_some(&stream.from, &mut bytes) {
                Ok(Some(count)) if count > 0 => {
                    stream.cutter.take(&bytes[..count], &stream.tag, out);
                    true
                }
                Ok(None) => true,
                // The end. What is left is a line without a newline.
                Ok(Some(_)) | Err(_) => {
                    stream.cutter.flush(&stream.tag, out);
                    false
                }
            }
        });
        self.write(Sink::Out, &text[0]);
        self.write(Sink::Err, &text[1]);
    }

    /// All ranks have ended: passes on what is left. Whoever else holds their pipes is not waited for.
    pub(super) fn finish(&mut self) {
        loop {
            let fds: Vec<BorrowedFd<'_>> = self.fds().collect();
            let ready = crate::sys::fd::ready(&fds, Some(std::time::Duration::ZERO));
            let Ok(ready) = ready else { break };
            if !ready.contains(&true) {
                break;
            }
            self.take(&ready);
        }
        let mut text = [Vec::new(), Vec::new()];
        for stream in &mut self.streams {
            stream.cutter.flush(&stream.tag, &mut text[stream.sink as usize]);
        }
        self.write(Sink::Out, &text[0]);
        self.write(Sink::Err, &text[1]);
        self.streams.clear();
    }

    /// Writes lines. If nobody listens any more, the ranks learn of that as they would without us:
    /// what they write goes nowhere.
    fn write(&mut self, sink: Sink, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let unfinished = &mut self.unfinished[sink as usize];
        let written = match sink {
            Sink::Out => put(io::stdout().lock(), *unfinished, text),
            Sink::Err => put(io::stderr().lock(), *unfinished, text),
        };
        *unfinished = !text.ends_with(b"\n");
        if written.is_err() {
            self.streams.retain(|stream| stream.sink != sink);
        }
    }
}

fn put(mut to: impl Write, unfinished: bool, text: &[u8]) -> io::Result<()> {
    if unfinished {
        to.write_all(b"\n")?;
    }
    to.write_all(text)?;
    to.flush()
}

fn tag_of(rank: Rank) -> Vec<u8> {
    format!("[{rank}] ").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_whatever_the_pieces() {
        let text = b"one\ntwo\n\nthree\xff\nfour";
        for length in 1..=text.len() {
            let (mut cutter, mut out) = (Cutter::default(), Vec::new());
            for piece in text.chunks(length) {
                let before = out.len();
                cutter.take(piece, b"[7] ", &mut out);
                assert!(out.len() == before || out.ends_with(b"\n"));
            }
            assert_eq!(out, b"[7] one\n[7] two\n[7] \n[7] three\xff\n");
            cutter.flush(b"[7] ", &mut out);
            cutter.flush(b"[7] ", &mut out);
            assert_eq!(out, b"[7] one\n[7] two\n[7] \n[7] three\xff\n[7] four");
        }
    }

    #[test]
    fn a_line_without_end_takes_no_more_than_so_much_memory() {
        let (mut cutter, mut out) = (Cutter::default(), Vec::new());
        let piece = [b'x'; 1 << 16];
        for _ in 0..64 {
            cutter.take(&piece, b"", &mut out);
            assert!(cutter.rest.len() < LINE_BYTES);
        }
        assert_eq!(out.len(), 64 * piece.len());
    }
}
