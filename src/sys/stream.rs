//! Sockets by which the processes of a job talk before they have a network: streams of bytes, a
//! door through which a process hands in its end of one, and letters, which carry a descriptor to a
//! process of the same host.
//!
//! It holds sockets and no protocol. None of them has a name in a file system; all are closed on
//! exec.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, Shutdown, SocketAddrUnix, SocketFlags, SocketType, sockopt,
};

use super::fd::ready;

/// So many descriptors go with one message.
pub(crate) const MOST_DESCRIPTORS: usize = 2;

/// One end of a connection: of a socket pair, or of TCP.
#[derive(Debug)]
pub(crate) struct Stream(OwnedFd);

impl Stream {
    /// Both ends of a connection between processes of this host.
    pub(crate) fn pair() -> io::Result<(Stream, Stream)> {
        let (one, other) = pair_of(SocketType::STREAM)?;
        Ok((Stream(one), Stream(other)))
    }

    /// A socket that is connected.
    pub(crate) fn of(fd: OwnedFd) -> Stream {
        Stream(fd)
    }

    /// Sends all of it, and waits for as long as that takes.
    pub(crate) fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match rustix::net::send(&self.0, bytes, SendFlags::NOSIGNAL) {
                Ok(count) => bytes = &bytes[count..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Sends what there is room for at once; says how many bytes that were.
    pub(crate) fn send_some(&self, bytes: &[u8]) -> io::Result<usize> {
        match rustix::net::send(&self.0, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Err(Errno::AGAIN | Errno::INTR) => Ok(0),
            sent => Ok(sent?),
        }
    }

    /// Sends a few bytes with descriptors, the first that are sent here: there is room for them.
    pub(crate) fn send_with(&self, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        match send_with(&self.0, None, bytes, fds)? {
            count if count == bytes.len() => Ok(()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    }

    /// Receives bytes, waiting until there are some or the time is up; descriptors that
    /// came with it are added to `fds`. None if there is nothing, 0 at the end.
    pub(crate) fn receive(
        &self,
        bytes: &mut [u8],
        limit: Option<Duration>,
        fds: &mut Vec<OwnedFd>,
    ) -> io::Result<Option<usize>> {
        if limit == Some(Duration::ZERO) || ready(&[self.0.as_fd()], limit)?[0] {
            receive_with(&self.0, bytes, fds).map(|received| received.map(|(count, _)| count))
        } else {
            Ok(None)
        }
    }

    /// Sends nothing more; the other end sees that once it has received all.
    pub(crate) fn end_sending(&self) {
        // It fails if the stream has ended.
        let _ = rustix::net::shutdown(&self.0, Shutdown::Write);
    }

    /// Ends it, also for other handles.
    pub(crate) fn close(&self) {
        // It fails if it has ended.
        let _ = rustix::net::shutdown(&self.0, Shutdown::Both);
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Where processes that have inherited the other side hand in their end of a stream.
#[derive(Debug)]
pub(crate) struct Door(OwnedFd);

impl Door {
    /// A door, and what others inherit of it.
    pub(crate) fn create() -> io::Result<(Door, OwnedFd)> {
        let (inside, outside) = pair_of(SocketType::SEQPACKET)?;
        Ok((Door(inside), outside))
    }

    /// The next stream that was handed in, if one was.
    pub(crate) fn accept(&self) -> io::Result<Option<Stream>> {
        loop {
            let mut fds = Vec::new();
            match receive_with(&self.0, &mut [0], &mut fds)? {
                None | Some((0, _)) => return Ok(None),
                // Whatever else comes this way is nothing.
                Some(_) => {
                    if let Some(fd) = fds.pop().filter(|fd| is_socket(fd, SocketType::STREAM)) {
                        return Ok(Some(Stream(fd)));
                    }
                }
            }
        }
    }

    /// Whether the inherited descriptor is a door at all.
    pub(crate) fn is_one(outside: &OwnedFd) -> bool {
        is_socket(outside, SocketType::SEQPACKET)
    }

    /// Hands in one end of a new stream at `outside`, the inherited descriptor, and returns the
    /// other.
    ///
    /// # Errors
    ///
    /// If nobody is behind it.
    pub(crate) fn enter(outside: &OwnedFd) -> io::Result<Stream> {
        let (own, theirs) = Stream::pair()?;
        send_with(outside, None, &[1], &[theirs.as_fd()])?;
        Ok(own)
    }
}

impl AsFd for Door {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Where other processes of this host send letters to, each with a descriptor. The system says who
/// has sent one.
#[derive(Debug)]
pub(crate) struct Letterbox(OwnedFd);

impl Letterbox {
    pub(crate) fn create() -> io::Result<Letterbox> {
        let socket = rustix::net::socket_with(
            AddressFamily::UNIX,
            SocketType::DGRAM,
            SocketFlags::CLOEXEC,
            None,
        )?;
        sockopt::set_socket_passcred(&socket, true)?;
        // The system chooses a name, which is in no file system and goes with the process.
        rustix::net::bind(&socket, &SocketAddrUnix::new_unnamed())?;
        Ok(Letterbox(socket))
    }

    /// What others call it.
    pub(crate) fn name(&self) -> io::Result<Vec<u8>> {
        let address = SocketAddrUnix::try_from(rustix::net::getsockname(&self.0)?)?;
        let name = address.abstract_name().map(<[u8]>::to_vec);
        name.ok_or_else(|| io::Error::other("a socket got no name"))
    }

    /// Sends a descriptor to another; waits for room there no longer than that.
    pub(crate) fn send(&self, name: &[u8], fd: BorrowedFd<'_>, limit: Duration) -> io::Result<()> {
        let address = SocketAddrUnix::new_abstract_name(name)?;
        sockopt::set_socket_timeout(&self.0, sockopt::Timeout::Send, Some(limit))?;
        send_with(&self.0, Some(&address), &[1], &[fd]).map(drop)
    }

    /// The descriptor in the next letter from the process of that number, if there is one. Others
    /// are thrown away.
    pub(crate) fn receive(&self, from_pid: u32) -> io::Result<Option<OwnedFd>> {
        loop {
            let mut fds = Vec::new();
            let Some((_, sender)) = receive_with(&self.0, &mut [0], &mut fds)? else {
                return Ok(None);
            };
            if sender == Some(from_pid)
                && let Some(fd) = fds.pop()
            {
                return Ok(Some(fd));
            }
        }
    }
}

impl AsFd for Letterbox {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn pair_of(kind: SocketType) -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::net::socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?)
}

/// Whether it is a socket of this kind, for processes of one host.
fn is_socket(fd: &OwnedFd, kind: SocketType) -> bool {
    sockopt::socket_domain(fd) == Ok(AddressFamily::UNIX) && sockopt::socket_type(fd) == Ok(kind)
}

fn send_with(
    socket: &OwnedFd,
    to: Option<&SocketAddrUnix>,
    bytes: &[u8],
    fds: &[BorrowedFd<'_>],
) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let (bytes, flags) = ([io::IoSlice::new(bytes)], SendFlags::NOSIGNAL);
    loop {
        let sent = match to {
            Some(to) => rustix::net::sendmsg_addr(socket, to, &bytes, &mut control, flags),
            None => rustix::net::sendmsg(socket, &bytes, &mut control, flags),
        };
        match sent {
            Err(Errno::INTR) => {}
            sent => return Ok(sent?),
        }
    }
}

/// Receives without waiting: how many bytes, and the process that has sent them where the socket
/// asks for that.
fn receive_with(
    socket: &OwnedFd,
    bytes: &mut [u8],
    fds: &mut Vec<OwnedFd>,
) -> io::Result<Option<(usize, Option<u32>)>> {
    let mut space = [MaybeUninit::uninit();
        rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS), ScmCredentials(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let mut into = [io::IoSliceMut::new(bytes)];
    let received = match rustix::net::recvmsg(socket, &mut into, &mut control, flags) {
        Err(Errno::AGAIN | Errno::INTR) => return Ok(None),
        received => received?,
    };
    let mut sender = None;
    for message in control.drain() {
        match message {
            RecvAncillaryMessage::ScmRights(received) => fds.extend(received),
            RecvAncillaryMessage::ScmCredentials(who) => {
                sender = u32::try_from(who.pid.as_raw_nonzero().get()).ok();
            }
            _ => {}
        }
    }
    Ok(Some((received.bytes, sender)))
}
