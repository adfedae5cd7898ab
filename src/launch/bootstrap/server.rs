//! The streams of a hub: accepting processes, reading their frames, and sending those of the hub.
//!
//! It never waits for one process. Frames that a rank does not read stay queued, and frames that
//! have come in part stay buffered. So a rank that is stopped, or a stranger, delays no other. It
//! keeps SAFE-1.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::frame::{Decoder, FRAME_BYTES, HELLO_BYTES, ProtocolError, ToHub, ToRank, encode};
use super::hub::{Hub, Refusal, lost};
use super::{Client, Entered, Entry, MEETING_LIMIT, Outcome};
use crate::order::Rank;
use crate::provider::BootstrapError;
use crate::sys::fd::{AsFd, BorrowedFd, OwnedFd, ready_for};
use crate::sys::stream::{Door, Stream};
use crate::sys::tcp::{Port, connect};
use crate::sys::thread;
use crate::sys::time::Instant;

/// How many bytes are read at a time, and how often in turn, before other processes have theirs.
const READ_BYTES: usize = 1 << 16;
const READS: usize = 16;

/// How processes connect.
#[derive(Debug)]
enum Entrance {
    /// Those that have inherited it.
    Door(Door),
    /// Those that can reach it.
    Port(Port),
}

/// A process that has connected.
#[derive(Debug)]
struct Connection {
    stream: Stream,
    decoder: Decoder,
    /// Its rank; None as long as it has not sent its hello.
    rank: Option<Rank>,
    /// Whether it is of this process: rank 0 of a meeting is.
    is_own: bool,
    outgoing: VecDeque<Arc<[u8]>>,
    /// How much of the first has been sent.
    sent: usize,
    is_over: bool,
}

/// A hub and its streams.
#[derive(Debug)]
pub(in crate::launch) struct Server {
    pub(in crate::launch) hub: Hub,
    entrance: Entrance,
    connections: Vec<Connection>,
    /// The descriptors that go with the welcome, and the frames after it.
    fds: Vec<OwnedFd>,
    history: Vec<Arc<[u8]>>,
}

impl Server {
    /// The hub of a launcher: ranks come through the door, and get these descriptors, and what
    /// earlier launches have returned, as frames.
    pub(in crate::launch) fn behind(
        door: Door,
        size: usize,
        fds: Vec<OwnedFd>,
        history: Vec<Arc<[u8]>>,
    ) -> Server {
        let hub = Hub::new(size, None, Instant::now());
        Server { hub, entrance: Entrance::Door(door), connections: Vec::new(), fds, history }
    }

    /// The hub of ranks that meet; rank 0 has the other end of this stream. They get these frames
    /// after the welcome.
    pub(super) fn at(
        port: Port,
        size: usize,
        limit: Duration,
        own: Stream,
        history: Vec<Arc<[u8]>>,
    ) -> Server {
        let hub = Hub::new(size, Some(limit), Instant::now());
        let connections = vec![Connection::new(own, true)];
        let entrance = Entrance::Port(port);
        Server { hub, entrance, connections, fds: Vec::new(), history }
    }

    /// The descriptors to wait for, and whether each is waited for to be writable.
    pub(in crate::launch) fn fds(&self) -> impl Iterator<Item = (BorrowedFd<'_>, bool)> {
        let entrance = match &self.entrance {
            Entrance::Door(door) => door.as_fd(),
            Entrance::Port(port) => port.as_fd(),
        };
        let streams = self.connections.iter();
        let streams = streams.map(|it| (it.stream.as_fd(), !it.outgoing.is_empty()));
        std::iter::once((entrance, false)).chain(streams)
    }

    /// Reads and writes where `is_ready`, in the order of [`fds`](Self::fds).
    pub(in crate::launch) fn progress(&mut self, ready: &[bool]) {
        for (index, _) in ready.iter().skip(1).enumerate().filter(|(_, ready)| **ready) {
            self.read(index, READS);
        }
        if ready.first() == Some(&true) {
            self.accept();
        }
        self.hub.handle_timeout(Instant::now());
        self.write();
    }

    /// Reads all that a rank has sent whose process has ended.
    pub(in crate::launch) fn drain(&mut self, rank: Rank) {
        self.accept();
        for index in 0..self.connections.len() {
            if self.connections[index].rank.is_none_or(|of| of == rank) {
                self.read(index, usize::MAX);
            }
        }
        self.write();
    }

    /// The process of a rank has ended. This is its outcome if it has put none itself.
    pub(in crate::launch) fn end(&mut self, rank: Rank, outcome: &Outcome) {
        self.hub.handle_loss(rank, outcome);
        self.write();
    }

    fn accept(&mut self) {
        loop {
            let accepted = match &self.entrance {
                Entrance::Door(door) => door.accept(),
                Entrance::Port(port) => port.accept(),
            };
            // A connection that cannot be accepted has gone, or there is no room for it; its
            // process sees that.
            let Ok(Some(stream)) = accepted else { return };
            self.connections.push(Connection::new(stream, false));
            self.read(self.connections.len() - 1, READS);
        }
    }

    /// Reads from a process, so often at most.
    fn read(&mut self, index: usize, reads: usize) {
        let mut bytes = [0; READ_BYTES];
        for _ in 0..reads {
            let connection = &mut self.connections[index];
            if connection.is_over {
                return;
            }
            let received =
                connection.stream.receive(&mut bytes, Some(Duration::ZERO), &mut Vec::new());
            let result = match received {
                Ok(None) => return,
                Ok(Some(0)) | Err(_) => {
                    let whole = connection.decoder.handle_end();
                    return self.over(index, whole.err());
                }
                Ok(Some(count)) => {
                    connection.decoder.handle_bytes(&bytes[..count]);
                    self.handle_frames(index)
                }
            };
            if let Err(error) = result {
                return self.over(index, Some(error));
            }
        }
    }

    fn handle_frames(&mut self, index: usize) -> Result<(), ProtocolError> {
        loop {
            let connection = &mut self.connections[index];
            let most = if connection.rank.is_some() { FRAME_BYTES } else { HELLO_BYTES };
            let Some(frame) = connection.decoder.poll_frame(most)? else { return Ok(()) };
            if let Some(rank) = connection.rank {
                self.hub.handle_frame(rank, frame, Instant::now())?;
                continue;
            }
            let is_guest = matches!(self.entrance, Entrance::Port(_)) && !connection.is_own;
            let refusal = match &frame {
                // That is this process.
                ToHub::Hello { rank: 0, .. } if is_guest => Refusal::Taken,
                _ => match self.hub.handle_hello(frame) {
                    Ok(rank) => {
                        self.welcome(index, rank)?;
                        continue;
                    }
                    Err(refusal) => refusal,
                },
            };
            match refusal {
                Refusal::Protocol(error) => return Err(error),
                Refusal::Taken => {
                    // If this does not arrive, the process sees its stream end.
                    let _ = connection.stream.send_some(&encode(&ToRank::Taken)?);
                    return Err(ProtocolError::Unexpected("a rank that has come before"));
                }
            }
        }
    }

    fn welcome(&mut self, index: usize, rank: Rank) -> Result<(), ProtocolError> {
        let welcome = encode(&ToRank::Welcome)?;
        let fds: Vec<_> = self.fds.iter().map(AsFd::as_fd).collect();
        let connection = &mut self.connections[index];
        connection.rank = Some(rank);
        connection.outgoing.extend(self.history.iter().cloned());
        match connection.stream.send_with(&welcome, &fds) {
            // One that has gone since may have put its outcome.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(ProtocolError::Unexpected("a process that takes no welcome"))
            }
            _ => Ok(()),
        }
    }

    /// Nothing more comes from this process.
    fn over(&mut self, index: usize, error: Option<ProtocolError>) {
        let connection = &mut self.connections[index];
        if connection.is_over {
            return;
        }
        connection.is_over = true;
        connection.stream.close();
        let Some(rank) = connection.rank else { return };
        match (&self.entrance, error) {
            // The end of its process tells more than that of its stream.
            (Entrance::Door(_), None | Some(ProtocolError::Truncated { .. })) => {}
            (Entrance::Door(_), Some(error)) => {
                let message = format!("what it handed over cannot be read: {error}");
                self.hub.handle_loss(rank, &Outcome::failed(message));
            }
            (Entrance::Port(_), None) => self.hub.handle_loss(rank, &lost(rank, GONE)),
            (Entrance::Port(_), Some(error)) => self.hub.handle_loss(rank, &lost(rank, error)),
        }
    }

    /// Sends what there is room for.
    fn write(&mut self) {
        while let Some((rank, bytes)) = self.hub.poll_send() {
            let mut all = self.connections.iter_mut();
            if let Some(connection) = all.find(|it| it.rank == Some(rank) && !it.is_over) {
                connection.outgoing.push_back(bytes);
            }
        }
        // Rank 0 of a meeting comes last, the first that has connected. Its process may end as soon
        // as it has its frames, and what has not left for others by then is lost.
        let failed = |connection: &mut Connection| connection.write().is_err();
        let mut failed: Vec<bool> = self.connections.iter_mut().rev().map(failed).collect();
        failed.reverse();
        for connection in self.connections.iter().filter(|it| it.outgoing.is_empty()) {
            if let Some(rank) = connection.rank {
                self.hub.handle_sent(rank);
            }
        }
        for index in (0..failed.len()).filter(|&index| failed[index]) {
            // Frames that it sent before it went count.
            self.read(index, usize::MAX);
            self.over(index, None);
        }
        self.connections.retain(|connection| !connection.is_over);
        if failed.contains(&true) {
            self.write();
        }
    }

    /// Serves until the process ends.
    pub(super) fn serve(mut self) {
        loop {
            let until = self.hub.poll_timeout();
            let limit = until.map(|until| until.saturating_since(Instant::now()));
            let fds: Vec<_> = self.fds().collect();
            let Ok(ready) = ready_for(&fds, limit) else { return };
            drop(fds);
            self.progress(&ready);
        }
    }
}

impl Connection {
    fn new(stream: Stream, is_own: bool) -> Connection {
        let (decoder, outgoing) = (Decoder::default(), VecDeque::new());
        Connection { stream, decoder, rank: None, is_own, outgoing, sent: 0, is_over: false }
    }

    fn write(&mut self) -> io::Result<()> {
        while let Some(bytes) = self.outgoing.front().filter(|_| !self.is_over) {
            match self.stream.send_some(&bytes[self.sent..])? {
                0 => break,
                count => self.sent += count,
            }
            if self.sent == bytes.len() {
                self.outgoing.pop_front();
                self.sent = 0;
            }
        }
        Ok(())
    }
}

const GONE: &str = "its process has ended without a word, or its host cannot be reached";

/// Connects to the meeting place; rank 0 listens there and accepts the others.
///
/// # Errors
///
/// If rank 0 cannot listen there, or is not there in time.
pub(in crate::launch) fn meet(
    rank: Rank,
    size: usize,
    address: &str,
    shape_rules: impl FnOnce() -> String,
) -> Result<Entered, BootstrapError> {
    let port = (rank == 0).then(|| Port::listen(address)).transpose().map_err(refused)?;
    let port = port.map(|port| (port, shape_rules()));
    meet_within(rank, size, address, port, MEETING_LIMIT)
}

/// The same with another limit; rank 0 has its port and the text already.
pub(super) fn meet_within(
    rank: Rank,
    size: usize,
    address: &str,
    port: Option<(Port, String)>,
    limit: Duration,
) -> Result<Entered, BootstrapError> {
    let stream = match port {
        Some((port, shape_rules)) => {
            let (own, theirs) = Stream::pair()?;
            let shape_rules = encode(&ToRank::ShapeRules(shape_rules)).map_err(io::Error::other)?;
            let server = Server::at(port, size, limit, theirs, vec![shape_rules.into()]);
            thread::begin("bootstrap", move || server.serve())?;
            own
        }
        None => connect(address, limit)?,
    };
    let meeting = Some((address.to_owned(), limit));
    Client::enter(stream, Entry { rank, size, meeting })
}

fn refused(error: io::Error) -> BootstrapError {
    let is_elsewhere = error.kind() == io::ErrorKind::AddrNotAvailable;
    let hint = if is_elsewhere { ": it is to run there" } else { "" };
    BootstrapError::Failed { message: format!("{error}{hint}") }
}
