//! One output of the launcher, which a reader takes as slowly as it likes: a thread writes to it and
//! waits for that reader, so that the launcher need not.
//!
//! Between the two is a socket, which bounds what is under way: some 200 KiB on Linux. The launcher
//! can wait for room in it, or for its end, together with all else for which it waits.

use std::io::{self, Write};
use std::time::Duration;

use crate::sys::fd::{AsFd, BorrowedFd};
use crate::sys::stream::Stream;
use crate::sys::thread;

/// How much is written at a time.
const WRITE_BYTES: usize = 1 << 16;

/// The launcher's end. Dropping it waits until all that it took is written, or its reader has gone.
#[derive(Debug)]
pub(super) struct Outlet(Stream);

impl Outlet {
    /// Starts the thread, of this name, that writes to `sink`.
    ///
    /// # Errors
    ///
    /// If the system refuses the socket or the thread.
    pub(super) fn open(name: &str, sink: impl Write + Send + 'static) -> io::Result<Outlet> {
        let (own, theirs) = Stream::pair()?;
        thread::begin(name, move || pass_on(&theirs, sink))?;
        Ok(Outlet(own))
    }

    /// Takes from the front of `text` what there is room for.
    ///
    /// # Errors
    ///
    /// If what was taken before could not be written: the reader has gone.
    pub(super) fn take(&self, text: &mut Vec<u8>) -> io::Result<()> {
        let mut taken = 0;
        let mut result = Ok(());
        while taken < text.len() {
            match self.0.send_some(&text[taken..]) {
                Ok(0) => break,
                Ok(count) => taken += count,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        text.drain(..taken);
        match result {
            Ok(()) if taken == 0 && self.is_over() => Err(io::ErrorKind::BrokenPipe.into()),
            result => result,
        }
    }

    /// Takes all of `text`, and waits for room.
    ///
    /// # Errors
    ///
    /// As by [`take`](Self::take).
    pub(super) fn take_all(&self, text: &mut Vec<u8>) -> io::Result<()> {
        let sent = self.0.send(text);
        text.clear();
        sent
    }

    /// Whether the thread has ended.
    fn is_over(&self) -> bool {
        matches!(self.hear(Some(Duration::ZERO)), Ok(Some(_)) | Err(_))
    }

    /// Waits for the end of the thread, which says nothing before.
    fn hear(&self, limit: Option<Duration>) -> io::Result<Option<usize>> {
        self.0.receive(&mut [0], limit, &mut Vec::new())
    }
}

impl AsFd for Outlet {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        self.0.end_sending();
        while let Ok(None) = self.hear(None) {}
    }
}

/// Writes to `sink` what comes, until nothing more does or its reader has gone.
fn pass_on(from: &Stream, mut sink: impl Write) {
    let mut bytes = vec![0; WRITE_BYTES];
    while let Ok(received) = from.receive(&mut bytes, None, &mut Vec::new()) {
        let written = match received {
            Some(0) => return,
            Some(count) => sink.write_all(&bytes[..count]).and_then(|()| sink.flush()),
            None => Ok(()),
        };
        if written.is_err() {
            return;
        }
    }
}
