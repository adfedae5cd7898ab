//! Connections between hosts, by which the processes of a job meet. No message of a program goes this way.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// How long an attempt to connect may take, and how long it is until the next.
const ATTEMPT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// How long somebody may take to send what it has begun to, or to take what it is sent. Who takes longer is lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct Line(TcpStream);

impl Line {
    /// Connects; tries again for so long, since who listens may come later.
    pub(crate) fn connect(address: &str, limit: Duration) -> io::Result<Line> {
        let until = super::time::Instant::now().after(limit);
        loop {
            let error = match Line::attempt(address) {
                Ok(line) => return Ok(line),
                Err(error) => error,
            };
            let is_past = until.is_some_and(|until| super::time::Instant::now() >= until);
            if is_past || error.kind() == io::ErrorKind::InvalidInput {
                return Err(error);
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn attempt(address: &str) -> io::Result<Line> {
        let mut last = None;
        for address in address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, ATTEMPT).and_then(Line::of) {
                Ok(line) => return Ok(line),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| io::Error::other("the name has no address")))
    }

    fn of(stream: TcpStream) -> io::Result<Line> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Line(stream))
    }

    /// Another handle of it.
    pub(crate) fn another(&self) -> io::Result<Line> {
        Ok(Line(self.0.try_clone()?))
    }

    /// From now on what is received must come at once. For who has been told that something is there.
    pub(crate) fn expect_at_once(&self) -> io::Result<()> {
        self.0.set_read_timeout(Some(PATIENCE))
    }

    /// Sends all of it.
    pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.0).write_all(bytes)
    }

    /// Receives exactly so many bytes. Takes memory for them as they come.
    pub(crate) fn receive(&self, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        (&self.0).take(count).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != count {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes)
    }

    /// Ends it, also for other handles.
    pub(crate) fn close(&self) {
        // It fails if it has ended.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Where others connect to.
#[derive(Debug)]
pub(crate) struct Port(TcpListener);

impl Port {
    pub(crate) fn listen(address: &str) -> io::Result<Port> {
        let listener = TcpListener::bind(address)?;
        // Who has connected, and gone before it was accepted, is waited for by nobody.
        listener.set_nonblocking(true)?;
        Ok(Port(listener))
    }

    /// The next that has connected, if one has.
    pub(crate) fn accept(&self) -> io::Result<Option<Line>> {
        match self.0.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                Line::of(stream).map(Some)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where it is, with the number that the system has chosen.
    #[cfg(test)]
    pub(crate) fn address(&self) -> String {
        self.0.local_addr().map(|address| address.to_string()).unwrap_or_default()
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
