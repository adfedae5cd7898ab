//! How processes become the ranks of a job that no starter of this library has started: they meet at rank 0, by TCP,
//! on any hosts.
//!
//! Whoever starts them - `srun`, `mpirun`, `ssh` - tells each its rank ([`environment`](super::environment)). Each has a
//! [`Ledger`] of its own, as the processes of one host have one together. What a rank writes that others must know, it
//! sends to rank 0, and that to all others, which write it into theirs: what it gives when the job starts, and that and
//! how it has ended. So what reads the ledger need not know where the ranks are. A connection that ends before its rank
//! has said how it ended is that rank's loss. What the closures returned goes to rank 0 alone.
//!
//! Those of one host also have each other as [neighbours](super::neighbours). No message of the program goes this way. The one thread that each process has for it sleeps while the job runs.
//!
//! It is not for networks on which there are enemies: who can reach the port can be a rank, as with other starters. But
//! nothing that comes is trusted to be well formed (SAFE-1).

mod frame;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::ledger::{LOOK, Ledger, Outcome};
use super::starter::Place;
use super::told::{Said, Told};
use crate::order::Rank;
use crate::provider::{Bootstrap, BootstrapError};
use crate::sys::fd::{AsFd, Bell, BorrowedFd, ready};
use crate::sys::lock::Lock;
use crate::sys::tcp::{Line, Port};
use crate::sys::thread;
use crate::sys::time::Instant;
use frame::{Frame, HEAD_BYTES, Hello, Kind};

/// How long rank 0 is waited for, and it for all others.
const MEETING_LIMIT: Duration = Duration::from_secs(60);

/// How long a rank waits at its end until rank 0 has what it came to.
const FAREWELL_LIMIT: Duration = Duration::from_secs(10);

/// A rank's part in it.
#[derive(Clone)]
pub(super) struct Meeting {
    place: Arc<Place>,
    ledger: Arc<Ledger>,
    way: Arc<Way>,
    round: u64,
    limit: Duration,
}

/// How what a rank says reaches the others.
enum Way {
    /// It is rank 0.
    Hub(Arc<Hub>),
    /// By rank 0; and what rings when that has the rank's end, or is gone.
    Line(Line, Bell),
}

impl Meeting {
    /// Comes to the meeting. `ledger` is this process's own; `bell` rings when a rank has ended.
    ///
    /// # Errors
    ///
    /// If rank 0 cannot listen there, or is not there in time.
    pub(super) fn come(place: &Place, ledger: Ledger, bell: Bell) -> io::Result<Meeting> {
        Meeting::come_within(place, ledger, bell, MEETING_LIMIT)
    }

    fn come_within(
        place: &Place,
        ledger: Ledger,
        bell: Bell,
        limit: Duration,
    ) -> io::Result<Meeting> {
        if place.rank == 0 {
            let port = Port::listen(&place.address)?;
            return Meeting::held(port, place, ledger, bell, limit);
        }
        let line = Line::connect(&place.address, limit)?;
        line.send(&Hello { rank: place.rank, size: place.size }.frame().bytes())?;
        let heard = Bell::create()?;
        let ledger = Arc::new(ledger);
        let reader = Reader {
            line: line.another()?,
            ledger: Arc::clone(&ledger),
            rank: place.rank,
            size: place.size,
            rings: [bell, heard.another()?],
        };
        thread::begin("meeting", move || reader.read())?;
        let way = Arc::new(Way::Line(line, heard));
        Ok(Meeting { place: Arc::new(place.clone()), ledger, way, round: 0, limit })
    }

    /// As rank 0, where the others come to.
    fn held(
        port: Port,
        place: &Place,
        ledger: Ledger,
        bell: Bell,
        limit: Duration,
    ) -> io::Result<Meeting> {
        let ledger = Arc::new(ledger);
        let seats = Lock::<Seats>::default();
        seats.with(|seats| seats.lines.resize(place.size, None));
        let hub = Arc::new(Hub { seats, ledger: Arc::clone(&ledger), bell, size: place.size });
        let serving = Arc::clone(&hub);
        // Somewhat later than those who wait for them give up, who can name them all.
        let until = Instant::now().after(limit * 5 / 4);
        thread::begin("meeting", move || serving.serve(port, until))?;
        let way = Arc::new(Way::Hub(hub));
        Ok(Meeting { place: Arc::new(place.clone()), ledger, way, round: 0, limit })
    }

    fn say(&self, frame: &Frame) -> io::Result<()> {
        match &*self.way {
            Way::Hub(hub) => {
                hub.pass_on(frame);
                Ok(())
            }
            Way::Line(line, _) => line.send(&frame.bytes()),
        }
    }

    /// Tells the others how this rank has ended, and rank 0 what it came to; waits until that has it, or is gone.
    pub(super) fn end(&self, outcome: &Outcome) -> io::Result<()> {
        self.say(&Frame::end(self.place.rank, outcome)?)?;
        if let Way::Line(_, heard) = &*self.way
            && !ready(&[heard.as_fd()], Some(FAREWELL_LIMIT))?[0]
        {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "rank 0 does not answer"));
        }
        Ok(())
    }

    /// Who has not given anything in this round.
    fn missing(&self, round: u64) -> String {
        let lacks = |&rank: &Rank| !matches!(self.ledger.given(rank, round), Ok(Some(_)));
        let ranks: Vec<_> =
            (0..self.place.size).filter(lacks).map(|rank| rank.to_string()).collect();
        let (ranks, have) = match &ranks[..] {
            [rank] => (format!("rank {rank}"), "has"),
            ranks => (format!("ranks {}", ranks.join(", ")), "have"),
        };
        let (address, seconds) = (&self.place.address, self.limit.as_secs());
        format!("{ranks} {have} not come to {address} within {seconds} s")
    }
}

impl Bootstrap for Meeting {
    fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, BootstrapError> {
        let (rank, round) = (self.place.rank, self.round);
        self.round += 1;
        self.ledger.give(rank, round, own)?;
        self.say(&Frame::give(rank, round, own)?)?;
        let until = Instant::now().after(self.limit);
        let mut all: Vec<Option<Vec<u8>>> = vec![None; self.place.size];
        loop {
            for (rank, given) in all.iter_mut().enumerate().filter(|(_, given)| given.is_none()) {
                // Asked first: who has ended may have given something before.
                let has_ended = self.ledger.is_complete(rank);
                *given = self.ledger.given(rank, round)?;
                if given.is_none() && has_ended {
                    return Err(BootstrapError::Ended { rank });
                }
            }
            if all.iter().all(Option::is_some) {
                return Ok(all.into_iter().flatten().collect());
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(BootstrapError::Failed { message: self.missing(round) });
            }
            thread::park(Some(LOOK));
        }
    }

    fn has_ended(&self, rank: Rank) -> bool {
        self.ledger.is_complete(rank)
    }
}

/// A rank that is lost.
fn lost(rank: Rank) -> Outcome {
    let why = "its process has not come, has ended without a word, or its host cannot be reached"
        .to_owned();
    Outcome::Failed(Told::from(Said::Unreachable { rank, why }))
}

/// Writes into a ledger what a rank has said.
fn write(ledger: &Ledger, frame: &Frame) -> io::Result<()> {
    match frame.kind {
        Kind::Give => ledger.give(frame.rank, frame.round, &frame.bytes),
        Kind::End if !ledger.is_complete(frame.rank) => {
            ledger.hand_over(frame.rank, &frame.outcome()?)
        }
        _ => Ok(()),
    }
}

/// Receives the next frame of a line, which must be of one of these kinds: nobody has to listen to more.
fn receive(line: &Line, size: usize, kinds: &[Kind]) -> io::Result<Frame> {
    let head = line.receive(HEAD_BYTES)?;
    let (mut frame, length) = Frame::of_head(&head, size)?;
    if !kinds.contains(&frame.kind) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    // The head is here, so the rest is on its way.
    frame.bytes = line.receive(length)?;
    Ok(frame)
}

/// The first frame of these bytes, read and written again.
#[cfg(fuzzing)]
pub(super) fn again(bytes: &[u8], size: usize) -> Option<Vec<u8>> {
    let (head, rest) = bytes.split_at_checked(HEAD_BYTES as usize)?;
    let (mut frame, length) = Frame::of_head(head, size).ok()?;
    frame.bytes = rest.get(..usize::try_from(length).ok()?)?.to_vec();
    assert!(frame.rank < size && frame.bytes.len() as u64 == length);
    if let Ok(hello) = Hello::of(&frame) {
        assert_eq!(hello.frame(), frame);
    }
    // What a rank came to is told to the others without its value.
    if frame.kind == Kind::End
        && let (Ok(outcome), Ok(told)) = (frame.outcome(), frame.for_all().outcome())
    {
        let value = matches!(outcome, Outcome::Value(_));
        assert!(if value { told == Outcome::Value(Vec::new()) } else { told == outcome });
    }
    Some(frame.bytes())
}

/// What a rank hears from rank 0.
struct Reader {
    line: Line,
    ledger: Arc<Ledger>,
    rank: Rank,
    size: usize,
    rings: [Bell; 2],
}

impl Reader {
    /// Reads until rank 0 is gone.
    fn read(&self) {
        while let Ok(frame) = receive(&self.line, self.size, &[Kind::Give, Kind::End, Kind::Heard])
        {
            let result = match frame.kind {
                Kind::Heard => {
                    self.rings[1].ring();
                    Ok(())
                }
                _ if frame.rank == self.rank => Ok(()),
                _ => write(&self.ledger, &frame),
            };
            if result.is_err() {
                break;
            }
        }
        self.line.close();
        // Who cannot be heard any more is lost. Of others nothing is known from now on but what the network tells.
        if !self.ledger.is_complete(0) {
            let _ = self.ledger.hand_over(0, &lost(0));
        }
        self.rings.iter().for_each(Bell::ring);
    }
}

/// What all come to, at rank 0.
struct Hub {
    seats: Lock<Seats>,
    ledger: Arc<Ledger>,
    bell: Bell,
    size: usize,
}

#[derive(Default)]
struct Seats {
    /// Of each rank but 0 that has come and is still there.
    lines: Vec<Option<Arc<Line>>>,
    /// What has been said so far, for those who come later.
    said: Vec<Frame>,
}

impl Hub {
    /// Lets processes in, and hears all that have come, until this process ends. Who has not come until then is lost.
    fn serve(&self, port: Port, mut until: Option<Instant>) {
        // Who has connected, and not said who it is.
        let mut strangers: Vec<Arc<Line>> = Vec::new();
        loop {
            let seated: Vec<(Rank, Arc<Line>)> = self.seats.with(|seats| {
                let lines = seats.lines.iter().enumerate();
                lines.filter_map(|(rank, line)| Some((rank, Arc::clone(line.as_ref()?)))).collect()
            });
            let mut fds: Vec<BorrowedFd<'_>> = vec![port.as_fd()];
            fds.extend(seated.iter().map(|(_, line)| line.as_fd()));
            fds.extend(strangers.iter().map(|line| line.as_fd()));
            let limit = until.map(|until| until.saturating_since(Instant::now()));
            let Ok(is_ready) = ready(&fds, limit) else { return };
            if until.is_some_and(|until| Instant::now() >= until) {
                until = None;
                let has_come = |rank: &Rank| seated.iter().any(|(seated, _)| seated == rank);
                (1..self.size).filter(|rank| !has_come(rank)).for_each(|rank| self.lose(rank));
            }
            let (of_seated, of_strangers) = is_ready[1..].split_at(seated.len());
            for ((rank, line), _) in seated.iter().zip(of_seated).filter(|(_, ready)| **ready) {
                if self.hear(*rank, line).is_err() {
                    self.lose(*rank);
                }
            }
            let mut left = Vec::new();
            for (line, &ready) in strangers.drain(..).zip(of_strangers) {
                if !ready {
                    left.push(line);
                } else if self.seat(&line).is_err() {
                    // Whoever that was, it is none of the job's.
                    line.close();
                }
            }
            strangers = left;
            if is_ready[0]
                && let Ok(Some(line)) = port.accept()
                && line.expect_at_once().is_ok()
            {
                strangers.push(Arc::new(line));
            }
        }
    }

    /// Gives a process its seat, and tells it what was said.
    fn seat(&self, line: &Arc<Line>) -> io::Result<()> {
        let hello = Hello::of(&receive(line, self.size, &[Kind::Hello])?)?;
        self.seats.with(|seats| {
            let is_free = hello.rank != 0 && seats.lines[hello.rank].is_none();
            if hello.size != self.size || !is_free || self.ledger.is_complete(hello.rank) {
                return Err(io::ErrorKind::InvalidData.into());
            }
            for frame in &seats.said {
                line.send(&frame.bytes())?;
            }
            seats.lines[hello.rank] = Some(Arc::clone(line));
            Ok(())
        })
    }

    /// Hears what a rank has to say.
    fn hear(&self, rank: Rank, line: &Line) -> io::Result<()> {
        let frame = receive(line, self.size, &[Kind::Give, Kind::End])?;
        if frame.rank != rank {
            return Err(io::ErrorKind::InvalidData.into());
        }
        write(&self.ledger, &frame)?;
        if frame.kind == Kind::End {
            self.bell.ring();
        }
        self.pass_on(&frame);
        if frame.kind == Kind::End { line.send(&Frame::heard().bytes()) } else { Ok(()) }
    }

    /// Sends it to all others.
    fn pass_on(&self, frame: &Frame) {
        let frame = frame.for_all();
        let bytes = frame.bytes();
        self.seats.with(|seats| {
            for (rank, line) in seats.lines.iter().enumerate() {
                if let Some(line) = line.as_ref().filter(|_| rank != frame.rank)
                    && line.send(&bytes).is_err()
                {
                    // It is heard as ended.
                    line.close();
                }
            }
            seats.said.push(frame);
        });
    }

    /// A rank that cannot be heard any more.
    fn lose(&self, rank: Rank) {
        if let Some(line) = self.seats.with(|seats| seats.lines[rank].take()) {
            line.close();
        }
        if !self.ledger.is_complete(rank) {
            let outcome = lost(rank);
            let _ = self.ledger.hand_over(rank, &outcome);
            self.bell.ring();
            if let Ok(frame) = Frame::end(rank, &outcome) {
                self.pass_on(&frame);
            }
        }
    }
}

#[cfg(test)]
mod tests;
