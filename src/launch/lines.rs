//! The output of ranks, passed on in whole lines, so that lines of several ranks do not mix.

use std::io::{self, Write};
use std::time::Duration;

use crate::order::Rank;
use crate::sys::fd::{AsFd, BorrowedFd, OwnedFd, never_wait, read_some};
use crate::sys::process::Child;

/// A line that is longer is passed on in parts, between which others' may come.
pub const LINE_BYTES: usize = 1 << 20;
/// How much is read of a pipe at a time, and ...
const READ_BYTES: usize = 1 << 16;
/// ... how often when its writers have ended: a pipe holds 64 KiB, and at most 1 MiB unless the
/// system's settings are changed.
const LEFT_READS: usize = 32;

/// Takes the text of one source apart into whole lines.
#[derive(Debug, Default)]
struct Cutter {
    /// The line that has begun.
    rest: Vec<u8>,
}

impl Cutter {
    /// Takes `bytes` in, and passes on the lines that are whole now.
    fn take(&mut self, bytes: &[u8], mut pass: impl FnMut(&[u8])) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.rest.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.rest.len() >= LINE_BYTES {
                self.flush(&mut pass);
            }
        }
    }

    /// Passes on the last line, which no newline ends.
    fn flush(&mut self, mut pass: impl FnMut(&[u8])) {
        if !self.rest.is_empty() {
            pass(&self.rest);
            self.rest.clear();
        }
    }
}

/// Puts the lines of several sources into one text.
#[derive(Debug, Default)]
struct Joiner {
    text: Vec<u8>,
    /// The source of the last line, if that lacks its newline.
    open: Option<Rank>,
}

impl Joiner {
    /// Adds a line, or a part of one.
    fn add(&mut self, rank: Rank, tag: bool, line: &[u8]) {
        if self.open.is_some_and(|open| open != rank) {
            self.text.push(b'\n');
            self.open = None;
        }
        if tag && self.open.is_none() {
            self.text.extend_from_slice(format!("[{rank}] ").as_bytes());
        }
        self.text.extend_from_slice(line);
        self.open = (!line.ends_with(b"\n")).then_some(rank);
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
    rank: Rank,
    sink: Sink,
    cutter: Cutter,
}

/// The streams of all ranks.
#[derive(Debug)]
pub(super) struct Lines {
    streams: Vec<Stream>,
    tag: bool,
    /// For each sink.
    joiners: [Joiner; 2],
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
                streams.push(Stream { from, rank, sink, cutter: Cutter::default() });
            }
        }
        Ok(Lines { streams, tag, joiners: Default::default() })
    }

    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.streams.iter().map(|stream| stream.from.as_fd())
    }

    /// Passes on the output of pipes that are ready, in the order of [`fds`](Self::fds).
    pub(super) fn take(&mut self, ready: &[bool]) {
        let mut bytes = [0; READ_BYTES];
        let mut ready = ready.iter().copied();
        let Lines { streams, tag, joiners } = self;
        streams.retain_mut(|Stream { from, rank, sink, cutter }| {
            if !ready.next().unwrap_or(false) {
                return true;
            }
            let pass = |line: &[u8]| joiners[*sink as usize].add(*rank, *tag, line);
            match read_some(&*from, &mut bytes) {
                Ok(Some(count)) if count > 0 => cutter.take(&bytes[..count], pass),
                Ok(None) => {}
                // The end. What is left is a line without a newline.
                Ok(Some(_)) | Err(_) => {
                    cutter.flush(pass);
                    return false;
                }
            }
            true
        });
        self.write();
    }

    /// All ranks have ended: passes on the rest. It does not wait for other processes that hold
    /// their pipes, also if they go on writing: no pipe held more than is read here.
    pub(super) fn finish(&mut self) {
        for _ in 0..LEFT_READS {
            let fds: Vec<BorrowedFd<'_>> = self.fds().collect();
            match crate::sys::fd::ready(&fds, Some(Duration::ZERO)) {
                Ok(ready) if ready.contains(&true) => self.take(&ready),
                _ => break,
            }
        }
        for Stream { rank, sink, cutter, .. } in &mut self.streams {
            cutter.flush(|line| self.joiners[*sink as usize].add(*rank, self.tag, line));
        }
        self.write();
        self.streams.clear();
    }

    /// Writes the joined lines. If the reader has gone, the pipes of the ranks are closed too, so
    /// that they learn of it as they would without this process.
    fn write(&mut self) {
        for sink in [Sink::Out, Sink::Err] {
            let text = &mut self.joiners[sink as usize].text;
            let written = match sink {
                _ if text.is_empty() => Ok(()),
                Sink::Out => put(io::stdout().lock(), text),
                Sink::Err => put(io::stderr().lock(), text),
            };
            text.clear();
            if written.is_err() {
                self.streams.retain(|stream| stream.sink != sink);
            }
        }
    }
}

fn put(mut to: impl Write, text: &[u8]) -> io::Result<()> {
    to.write_all(text)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_passed_on_whole_from_any_pieces() {
        let text = b"one\ntwo\n\nthree\xff\nfour";
        let lines: [&[u8]; 5] = [b"one\n", b"two\n", b"\n", b"three\xff\n", b"four"];
        for length in 1..=text.len() {
            let (mut cutter, mut passed) = (Cutter::default(), Vec::new());
            for piece in text.chunks(length) {
                cutter.take(piece, |line| passed.push(line.to_vec()));
            }
            assert_eq!(passed, lines[..4]);
            cutter.flush(|line| passed.push(line.to_vec()));
            cutter.flush(|line| passed.push(line.to_vec()));
            assert_eq!(passed, lines);
        }
    }

    #[test]
    fn an_endless_line_uses_bounded_memory() {
        let (mut cutter, mut joiner) = (Cutter::default(), Joiner::default());
        let piece = [b'x'; 1 << 16];
        for _ in 0..64 {
            cutter.take(&piece, |line| joiner.add(3, true, line));
            assert!(cutter.rest.len() < LINE_BYTES);
        }
        // Its parts come together again.
        assert_eq!(joiner.text.len(), "[3] ".len() + 64 * piece.len());
    }

    #[test]
    fn a_missing_newline_is_added_before_another_rank_s_line() {
        let mut joiner = Joiner::default();
        for (rank, line) in [(0, "a\n"), (1, "b"), (1, "c"), (0, "d"), (2, "e\n"), (0, "f")] {
            joiner.add(rank, true, line.as_bytes());
        }
        assert_eq!(String::from_utf8_lossy(&joiner.text), "[0] a\n[1] bc\n[0] d\n[2] e\n[0] f");
    }
}
