//! A rank's side of the bootstrap: one stream to the hub, for requests and their answers.
//!
//! It has no thread. Reports of the ends of other ranks, which the hub sends unasked, are read when
//! the rank makes a request or looks for them.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_bytes::ByteBuf;

use super::frame::{
    Decoder, FRAME_BYTES, GREETING, Pairs, Returned, ToHub, ToRank, VALUE_BYTES, encode,
};
use super::{OUTCOME, Outcome};
use crate::order::Rank;
use crate::provider::{Bootstrap, BootstrapError};
use crate::sys::fd::OwnedFd;
use crate::sys::lock::Lock;
use crate::sys::stream::Stream;
use crate::sys::time::Deadline;

/// How much is read at a time.
const READ_BYTES: usize = 1 << 16;

/// The rank that connects, and how it waits.
#[derive(Clone, Debug)]
pub(in crate::launch) struct Entry {
    pub(in crate::launch) rank: Rank,
    pub(in crate::launch) size: usize,
    /// The meeting place, for error messages, and how long to wait there; None where a launcher
    /// watches over all.
    pub(in crate::launch) meeting: Option<(String, Duration)>,
}

impl Entry {
    /// The hub answers in time, or has gone: it gives up earlier than its clients.
    fn limit(&self) -> Option<Duration> {
        self.meeting.as_ref().map(|(_, limit)| *limit * 3 / 2)
    }

    /// The error where the hub cannot be reached any more.
    fn hub_ended(&self) -> BootstrapError {
        match self.meeting {
            Some(_) => BootstrapError::Ended { rank: 0 },
            None => BootstrapError::Failed { message: "the launcher has ended".to_owned() },
        }
    }
}

/// The answer to the hello.
pub(in crate::launch) enum Entered {
    /// The rank is in, and has these descriptors of the launcher's.
    In(Client, Vec<OwnedFd>),
    /// Another process is that rank, or was.
    Taken,
}

/// The stream of a rank. A clone shares it.
#[derive(Clone)]
pub(in crate::launch) struct Client {
    entry: Arc<Entry>,
    line: Arc<Lock<Line>>,
}

struct Line {
    stream: Stream,
    decoder: Decoder,
    /// What came with the welcome.
    fds: Vec<OwnedFd>,
    /// Values that were put and not committed.
    fresh: Pairs,
    /// Values that others had put at the last fences.
    values: Vec<HashMap<String, ByteBuf>>,
    has_ended: Vec<bool>,
    /// Whether the stream has failed.
    is_cut: bool,
}

impl Client {
    /// Sends the hello, and waits for the answer.
    ///
    /// # Errors
    ///
    /// If the stream fails, or the hub does not answer in time.
    pub(in crate::launch) fn enter(
        stream: Stream,
        entry: Entry,
    ) -> Result<Entered, BootstrapError> {
        let (rank, size, limit) = (entry.rank, entry.size, entry.limit());
        let line = Line {
            stream,
            decoder: Decoder::default(),
            fds: Vec::new(),
            fresh: Pairs::new(),
            values: vec![HashMap::new(); size],
            has_ended: vec![false; size],
            is_cut: false,
        };
        let client = Client { entry: Arc::new(entry), line: Arc::new(Lock::new(line)) };
        let hello = ToHub::Hello { greeting: GREETING.to_owned(), rank, size };
        match client.ask(&hello, limit)? {
            ToRank::Welcome => {
                let fds = client.line.with(|line| std::mem::take(&mut line.fds));
                Ok(Entered::In(client, fds))
            }
            ToRank::Taken => Ok(Entered::Taken),
            _ => Err(unexpected()),
        }
    }

    /// The shape rules. To be called once, first.
    ///
    /// # Errors
    ///
    /// If the hub sends none.
    pub(in crate::launch) fn shape_rules(&self) -> Result<String, BootstrapError> {
        match self.answer(self.entry.limit())? {
            ToRank::ShapeRules(text) => Ok(text),
            _ => Err(unexpected()),
        }
    }

    /// The values of the next of the earlier launches.
    ///
    /// # Errors
    ///
    /// If the launcher sends none.
    pub(in crate::launch) fn next_returned(&self) -> Result<Returned, BootstrapError> {
        match self.answer(None)? {
            ToRank::Returned(returned) => Ok(returned),
            _ => Err(unexpected()),
        }
    }

    /// Reports that this rank has come to its launch.
    pub(in crate::launch) fn join(&self) -> Result<(), BootstrapError> {
        self.say(&ToHub::Join)
    }

    /// The outcomes of all ranks, once all have ended.
    pub(in crate::launch) fn outcomes(&mut self) -> Result<Vec<Outcome>, BootstrapError> {
        let size = self.size();
        let one = |rank| Ok(Outcome::decode(&self.get(rank, OUTCOME)?));
        (0..size).map(one).collect()
    }

    fn say(&self, frame: &impl Serialize) -> Result<(), BootstrapError> {
        let bytes = encode(frame).map_err(failed)?;
        let sent = self.line.with(|line| line.stream.send(&bytes));
        sent.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => self.entry.hub_ended(),
            _ => error.into(),
        })
    }

    /// Sends a request and waits for the answer; without a limit, for ever.
    fn ask(&self, frame: &ToHub, limit: Option<Duration>) -> Result<ToRank, BootstrapError> {
        let bytes = encode(frame).map_err(failed)?;
        match self.line.with(|line| line.stream.send(&bytes)) {
            Ok(()) => self.answer(limit),
            // A hub that has gone may have sent the reason before.
            Err(_) => self.answer(Some(Duration::ZERO)),
        }
    }

    /// The next frame that is an answer.
    fn answer(&self, limit: Option<Duration>) -> Result<ToRank, BootstrapError> {
        let deadline = Deadline::after(limit);
        loop {
            match self.line.with(|line| line.receive(deadline)).map_err(failed)? {
                Some(ToRank::Ended { rank }) => self.note_end(rank),
                Some(frame) => return Ok(frame),
                None if self.line.with(|line| line.is_cut) => return Err(self.entry.hub_ended()),
                None if deadline.is_past() => {
                    let message = "rank 0 does not answer".to_owned();
                    return Err(BootstrapError::Failed { message });
                }
                None => {}
            }
        }
    }

    fn note_end(&self, rank: Rank) {
        self.line.with(|line| {
            if let Some(has_ended) = line.has_ended.get_mut(rank) {
                *has_ended = true;
            }
        });
    }

    fn take_fresh(&self) -> Pairs {
        self.line.with(|line| std::mem::take(&mut line.fresh))
    }

    /// Of ranks that have not come in time.
    fn missing(&self, ranks: &[Rank]) -> BootstrapError {
        let names: Vec<_> = ranks.iter().map(Rank::to_string).collect();
        let (ranks, have) = match &names[..] {
            [rank] => (format!("rank {rank}"), "has"),
            ranks => (format!("ranks {}", ranks.join(", ")), "have"),
        };
        let at = self.entry.meeting.as_ref().map_or(String::new(), |(address, limit)| {
            format!(" to {address} within {} s", limit.as_secs())
        });
        BootstrapError::Failed { message: format!("{ranks} {have} not come{at}") }
    }
}

impl Bootstrap for Client {
    fn rank(&self) -> Rank {
        self.entry.rank
    }

    fn size(&self) -> usize {
        self.entry.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), BootstrapError> {
        if key != OUTCOME && value.len() > VALUE_BYTES {
            let message = format!("{} bytes are too long a value", value.len());
            return Err(BootstrapError::Failed { message });
        }
        let pair = (key.to_owned(), ByteBuf::from(value));
        self.line.with(|line| line.fresh.push(pair));
        Ok(())
    }

    fn commit(&mut self) -> Result<(), BootstrapError> {
        match self.ask(&ToHub::Commit(self.take_fresh()), self.entry.limit())? {
            ToRank::Committed => Ok(()),
            _ => Err(unexpected()),
        }
    }

    fn fence(&mut self) -> Result<(), BootstrapError> {
        match self.ask(&ToHub::Fence(self.take_fresh()), self.entry.limit())? {
            ToRank::Fenced(pairs) if pairs.len() == self.entry.size => {
                self.line.with(|line| {
                    for (values, pairs) in line.values.iter_mut().zip(pairs) {
                        values.extend(pairs);
                    }
                });
                Ok(())
            }
            ToRank::Broken { rank } => Err(BootstrapError::Ended { rank }),
            ToRank::Missing { ranks } => Err(self.missing(&ranks)),
            _ => Err(unexpected()),
        }
    }

    fn get(&mut self, rank: Rank, key: &str) -> Result<Vec<u8>, BootstrapError> {
        let known = self
            .line
            .with(|line| line.values.get(rank).and_then(|values| values.get(key)).cloned());
        if let Some(value) = known {
            return Ok(value.into_vec());
        }
        // However long the rank goes on: it is known when it has ended.
        match self.ask(&ToHub::Get { rank, key: key.to_owned() }, None)? {
            ToRank::Value(Some(value)) => Ok(value.into_vec()),
            ToRank::Value(None) => Err(BootstrapError::Ended { rank }),
            _ => Err(unexpected()),
        }
    }

    fn abort(&mut self, culprit: Option<Rank>, message: &str) {
        // If this cannot be sent, the hub sees the end of this process.
        let _ = self.say(&ToHub::Abort { culprit, message: message.to_owned() });
    }

    /// One look at the stream, for all ranks.
    fn for_each_ended(&self, note: &mut dyn FnMut(Rank)) {
        let now = Deadline::after(Some(Duration::ZERO));
        // Nothing was requested, so nothing else can come. Bytes that cannot be read cut the
        // stream; its next use returns the error.
        while let Ok(Some(frame)) = self.line.with(|line| line.receive(now)) {
            if let ToRank::Ended { rank } = frame {
                self.note_end(rank);
            }
        }
        let ended: Vec<Rank> = self.line.with(|line| {
            let hub_has_ended = line.is_cut && self.entry.meeting.is_some();
            let has_ended = |&rank: &Rank| line.has_ended[rank] || hub_has_ended && rank == 0;
            (0..line.has_ended.len()).filter(has_ended).collect()
        });
        ended.into_iter().for_each(note);
    }
}

impl Line {
    /// The next frame; None if none has come in time, or none will come any more.
    fn receive(&mut self, deadline: Deadline) -> io::Result<Option<ToRank>> {
        loop {
            let polled = self.decoder.poll_frame(FRAME_BYTES);
            if let Some(frame) = polled.map_err(|error| self.cut(error))? {
                return Ok(Some(frame));
            }
            if self.is_cut {
                return Ok(None);
            }
            let mut bytes = [0; READ_BYTES];
            match self.stream.receive(&mut bytes, deadline.left(), &mut self.fds) {
                Ok(Some(0)) => {
                    self.is_cut = true;
                    self.decoder.handle_end().map_err(|error| self.cut(error))?;
                }
                Ok(Some(count)) => self.decoder.handle_bytes(&bytes[..count]),
                Ok(None) if deadline.is_past() => return Ok(None),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => self.is_cut = true,
                Err(error) => return Err(error),
            }
        }
    }

    /// Bytes after this are ignored.
    fn cut(&mut self, error: super::ProtocolError) -> io::Error {
        self.is_cut = true;
        self.decoder = Decoder::default();
        self.stream.close();
        io::Error::new(io::ErrorKind::InvalidData, format!("what the hub says: {error}"))
    }
}

fn failed(error: impl ToString) -> BootstrapError {
    BootstrapError::Failed { message: error.to_string() }
}

fn unexpected() -> BootstrapError {
    failed("the hub has said what was not expected")
}
