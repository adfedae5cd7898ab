//! TCP connections, by which the processes of a job meet. They carry no message of the program.

use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::net::sockopt;

use super::stream::Stream;
use super::time::Deadline;

/// How long an attempt to connect may take, and the pause before the next.
const ATTEMPT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

/// A host that has not answered for so long, and then as often as this at such distances, is lost.
const SILENCE: Duration = Duration::from_secs(30);
const PROBE: Duration = Duration::from_secs(5);
const PROBES: u32 = 6;

/// Connects; tries again for so long, since the process that listens may come later.
pub(crate) fn connect(address: &str, limit: Duration) -> io::Result<Stream> {
    let deadline = Deadline::after(Some(limit));
    loop {
        let error = match attempt(address) {
            Ok(stream) => return Ok(stream),
            Err(error) => error,
        };
        if deadline.is_past() || error.kind() == io::ErrorKind::InvalidInput {
            return Err(error);
        }
        std::thread::sleep(PAUSE);
    }
}

fn attempt(address: &str) -> io::Result<Stream> {
    let mut last = None;
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, ATTEMPT).and_then(prepared) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("the name has no address")))
}

/// One that does not wait for more to send, and ends when the other host has gone without a word.
fn prepared(stream: TcpStream) -> io::Result<Stream> {
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(&stream, true)?;
    sockopt::set_tcp_keepidle(&stream, SILENCE)?;
    sockopt::set_tcp_keepintvl(&stream, PROBE)?;
    sockopt::set_tcp_keepcnt(&stream, PROBES)?;
    let unanswered = SILENCE + PROBE * PROBES;
    sockopt::set_tcp_user_timeout(&stream, u32::try_from(unanswered.as_millis()).unwrap_or(0))?;
    Ok(Stream::of(stream.into()))
}

/// A listening socket.
#[derive(Debug)]
pub(crate) struct Port(TcpListener);

impl Port {
    pub(crate) fn listen(address: &str) -> io::Result<Port> {
        let listener = TcpListener::bind(address)?;
        // A process may connect and go before it is accepted: accepting must not wait for it.
        listener.set_nonblocking(true)?;
        Ok(Port(listener))
    }

    /// The next pending connection, if there is one.
    pub(crate) fn accept(&self) -> io::Result<Option<Stream>> {
        match self.0.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                prepared(stream).map(Some)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Its address, with the port that the system has chosen.
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
