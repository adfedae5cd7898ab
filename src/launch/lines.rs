//! The output of ranks, passed on in whole lines, so that lines of several ranks do not mix.
//!
//! The launcher never waits for the reader of its own output, as it has a hub to serve and limits of
//! time to keep. A thread for each of its two outputs, the [*outlet*](super::outlet), does. While an
//! outlet has no room, the launcher leaves the ranks' pipes to it unread. A rank that writes on then
//! waits once its pipe is full, as it would without a launcher. The others go on.

use std::io;
use std::time::Duration;

use super::outlet::Outlet;
use crate::order::Rank;
use crate::sys::fd::{AsFd, BorrowedFd, OwnedFd, never_wait, read_some, ready_for};
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

const SINKS: [Sink; 2] = [Sink::Out, Sink::Err];

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
    /// For each sink: lines that its outlet has not taken yet.
    joiners: [Joiner; 2],
    /// For each sink; None once its reader has gone.
    outlets: [Option<Outlet>; 2],
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
        let outlets = [
            Some(Outlet::open("stdout", io::stdout())?),
            Some(Outlet::open("stderr", io::stderr())?),
        ];
        Ok(Lines { streams, tag, joiners: Default::default(), outlets })
    }

    /// The descriptors to wait for, and whether each is waited for to be writable: of pipes whose
    /// outlet has room, and of the outlets.
    pub(super) fn fds(&self) -> impl Iterator<Item = (BorrowedFd<'_>, bool)> {
        let streams = self.streams.iter().filter(|stream| !is_held(&self.joiners, stream.sink));
        let streams = streams.map(|stream| (stream.from.as_fd(), false));
        let outlets = SINKS.into_iter().filter_map(|sink| {
            let outlet = self.outlets[sink as usize].as_ref()?;
            Some((outlet.as_fd(), is_held(&self.joiners, sink)))
        });
        streams.chain(outlets)
    }

    /// Passes on the output of pipes that are ready, in the order of [`fds`](Self::fds), as far as
    /// the outlets have room.
    pub(super) fn take(&mut self, ready: &[bool]) {
        let mut bytes = [0; READ_BYTES];
        let mut ready = ready.iter().copied();
        let Lines { streams, tag, joiners, .. } = self;
        let held = SINKS.map(|sink| is_held(joiners, sink));
        streams.retain_mut(|Stream { from, rank, sink, cutter }| {
            if held[*sink as usize] || !ready.next().unwrap_or(false) {
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
        for sink in SINKS {
            let Some(outlet) = &self.outlets[sink as usize] else { continue };
            let is_ready = ready.next().unwrap_or(false);
            let text = &mut self.joiners[sink as usize].text;
            if (is_ready || !text.is_empty()) && outlet.take(text).is_err() {
                self.close(sink);
            }
        }
    }

    /// All ranks have ended: passes on the rest, and waits until it is written. It does not wait for
    /// other processes that hold the ranks' pipes, also if they go on writing: no pipe held more
    /// than is read here.
    pub(super) fn finish(&mut self) {
        for _ in 0..LEFT_READS {
            self.take_all();
            // The outlets come behind the pipes, and bring nothing.
            let fds: Vec<_> = self.fds().take(self.streams.len()).collect();
            match ready_for(&fds, Some(Duration::ZERO)) {
                Ok(ready) if ready.contains(&true) => self.take(&ready),
                _ => break,
            }
        }
        for Stream { rank, sink, cutter, .. } in &mut self.streams {
            cutter.flush(|line| self.joiners[*sink as usize].add(*rank, self.tag, line));
        }
        self.take_all();
        self.streams.clear();
        self.outlets = [None, None];
    }

    /// Has the outlets take all lines, waiting for room.
    fn take_all(&mut self) {
        for sink in SINKS {
            let Some(outlet) = &self.outlets[sink as usize] else { continue };
            if outlet.take_all(&mut self.joiners[sink as usize].text).is_err() {
                self.close(sink);
            }
        }
    }

    /// The reader of this output has gone. The pipes of the ranks are closed too, so that they learn
    /// of it as they would without this process.
    fn close(&mut self, sink: Sink) {
        self.outlets[sink as usize] = None;
        self.joiners[sink as usize].text.clear();
        self.streams.retain(|stream| stream.sink != sink);
    }
}

/// Whether pipes are left unread, since their outlet has not taken yet what came before.
fn is_held(joiners: &[Joiner; 2], sink: Sink) -> bool {
    !joiners[sink as usize].text.is_empty()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::sys::fd::{pipe, write_some};

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

    /// An output whose reader takes nothing until it is told.
    struct Gated {
        /// Says that something is to be written, and hears when it may.
        gate: UnixStream,
        is_open: bool,
        to: UnixStream,
    }

    impl Write for Gated {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.is_open {
                self.gate.write_all(&[0])?;
                self.gate.read_exact(&mut [0])?;
                self.is_open = true;
            }
            self.to.write_all(bytes).map(|()| bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What a rank can write that nobody reads is bounded; it waits then, and the launcher does not.
    /// Nothing is lost by it. (Planted: a launcher that waits for the reader; one that reads on.)
    #[test]
    fn a_reader_that_does_not_read_stops_the_rank_that_writes_and_not_the_launcher() {
        let (gate, told) = UnixStream::pair().unwrap();
        let (to, mut reader) = UnixStream::pair().unwrap();
        let sink = Gated { gate: told, is_open: false, to };
        let outlets = [Some(Outlet::open("gated", sink).unwrap()), None];
        let (from, rank) = pipe().unwrap();
        never_wait(&rank).unwrap();
        let stream = Stream { from, rank: 0, sink: Sink::Out, cutter: Cutter::default() };
        let joiners = Default::default();
        let mut lines = Lines { streams: vec![stream], tag: false, joiners, outlets };
        // Dropped before the lines, which wait for what it keeps back.
        let mut gate = gate;
        let look = |lines: &mut Lines, limit| {
            let fds: Vec<_> = lines.fds().collect();
            let ready = ready_for(&fds, limit).unwrap();
            drop(fds);
            lines.take(&ready);
        };
        let (mut written, mut is_told) = (Vec::new(), false);
        loop {
            let before = written.len();
            while let line = format!("line {}\n", written.len())
                && let Ok(count) = write_some(&rank, line.as_bytes())
            {
                written.extend_from_slice(&line.as_bytes()[..count]);
            }
            look(&mut lines, Some(Duration::ZERO));
            assert!(written.len() < 4 << 20, "what nobody reads is kept without a bound");
            if is_told && written.len() == before && lines.fds().count() == 1 {
                break;
            }
            if !is_told && !written.is_empty() {
                gate.read_exact(&mut [0]).unwrap();
                is_told = true;
            }
        }
        gate.write_all(&[0]).unwrap();
        let all = std::thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).map(|_| all)
        });
        while lines.fds().count() < 2 {
            look(&mut lines, None);
        }
        drop(rank);
        lines.finish();
        assert!(all.join().unwrap().unwrap() == written);
    }

    /// The pipes of its ranks are closed then, at once, and those of the other output are not.
    /// (Planted: an end of the outlet that nobody looks for.)
    #[test]
    fn ranks_learn_that_the_reader_has_gone() {
        let (to, reader) = UnixStream::pair().unwrap();
        let outlets = [Some(Outlet::open("out", to).unwrap()), None];
        let (from_out, out) = pipe().unwrap();
        let (from_err, err) = pipe().unwrap();
        let stream = |from, sink| Stream { from, rank: 0, sink, cutter: Cutter::default() };
        let streams = vec![stream(from_out, Sink::Out), stream(from_err, Sink::Err)];
        let mut lines = Lines { streams, tag: false, joiners: Default::default(), outlets };
        drop(reader);
        write_some(&out, b"one line\n").unwrap();
        while lines.streams.len() > 1 {
            let fds: Vec<_> = lines.fds().collect();
            let ready = ready_for(&fds, None).unwrap();
            drop(fds);
            lines.take(&ready);
            // The outlet comes last.
            let is_over = ready.last() == Some(&true);
            assert!(!is_over || lines.streams.len() == 1, "the outlet has ended, and is kept");
        }
        assert_eq!(lines.streams[0].sink, Sink::Err);
        assert!(write_some(&out, b"x").is_err() && write_some(&err, b"x").is_ok());
        // There is nothing more to wait for but the other pipe.
        assert_eq!(lines.fds().count(), 1);
    }
}
