//! Ranks of one host that [meet](super::bootstrap): they share memory that one of them makes, since
//! no launcher has made it for all, and they watch each other's processes.
//!
//! Each rank has a letterbox, a socket whose name it puts into the bootstrap. The lowest rank of a
//! host makes the memory and sends its descriptor to the others. That takes processes that see each
//! other: in one network namespace and one process namespace. The system names the sender of each
//! letter, so no other process can send another file.
//!
//! A rank holds a descriptor of each process of its host, so that none can be mistaken for another,
//! and notes in the network when one has ended, however it did. So a rank hears of a loss on its
//! host without rank 0. The one thread that this takes sleeps while the job runs.
//!
//! It knows nothing of the content of that memory, and of ranks on other hosts only that they
//! exist.

use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::LaunchError;
use super::network::Network;
use crate::error::{Error, Result};
use crate::message::MessageError;
use crate::order::Rank;
use crate::provider::host::Hosts;
use crate::provider::{Bootstrap, BootstrapError};
use crate::sys::fd::{AsFd, OwnedFd, ready};
use crate::sys::stream::Letterbox;
use crate::sys::time::Deadline;
use crate::sys::{family, host, process, thread};

/// How long it is until the next attempt to wait, where the system refuses one.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a letter may take.
const LETTER_LIMIT: Duration = Duration::from_secs(60);

/// The place of a rank, which it puts for all others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seat {
    /// The user's name of its host, if there is one.
    host: Option<String>,
    /// The id of the machine.
    machine: String,
    /// What tells the processes there that it sees from others.
    container: String,
    /// Its process, and when that began.
    pid: u32,
    start: u64,
    /// The name of its letterbox.
    letterbox: Vec<u8>,
}

impl Seat {
    /// Whether each sees the other's process.
    fn sees(&self, other: &Seat) -> bool {
        (&self.machine, &self.container) == (&other.machine, &other.container)
    }

    /// Whether both are on one host, by the users' names or the system's ids.
    #[cfg(all(feature = "ib", not(loom)))]
    fn is_near(&self, other: &Seat) -> bool {
        match (&self.host, &other.host) {
            (None, None) => self.sees(other),
            (one, other) => one == other,
        }
    }
}

/// Where all ranks are.
pub(super) struct Neighbours {
    seats: Vec<Seat>,
    rank: Rank,
    letterbox: Letterbox,
}

impl Neighbours {
    /// Exchanges the places of all ranks. `host_id` is the user's name of this host.
    ///
    /// # Errors
    ///
    /// [`LaunchError`] if not all ranks have come; [`MessageError::PeerLost`] if one has ended.
    pub(super) fn meet(host_id: Option<&str>, bootstrap: &mut dyn Bootstrap) -> Result<Neighbours> {
        let letterbox = Letterbox::create().map_err(|error| failed(error.to_string()))?;
        let pid = process::own_pid();
        let unknown = || failed("/proc says nothing of this process".to_owned());
        let seat = Seat {
            host: host_id.map(str::to_owned),
            machine: host::id(),
            container: host::container_id(),
            pid,
            start: family::began(pid).ok_or_else(unknown)?,
            letterbox: letterbox.name().map_err(|error| failed(error.to_string()))?,
        };
        let bytes = postcard::to_stdvec(&seat).map_err(|error| failed(error.to_string()))?;
        let given = bootstrap.all_gather("seat", &bytes).map_err(not_met)?;
        let read = |(rank, bytes): (Rank, &Vec<u8>)| {
            let unread = |_| failed(format!("what rank {rank} says of where it is cannot be read"));
            postcard::from_bytes(bytes).map_err(unread)
        };
        let seats = given.iter().enumerate().map(read).collect::<Result<Vec<Seat>>>()?;
        Ok(Neighbours { seats, rank: bootstrap.rank(), letterbox })
    }

    /// Which rank is on which host.
    #[cfg(all(feature = "ib", not(loom)))]
    pub(super) fn hosts(&self) -> Hosts {
        let first = |seat: &Seat| self.seats.iter().position(|other| other.is_near(seat));
        Hosts::of_ids(&self.seats.iter().map(first).collect::<Vec<_>>())
    }

    /// The index, from 0, of this rank among those on its machine, and their number: they share its
    /// devices.
    #[cfg(all(feature = "ib", not(loom)))]
    pub(super) fn local_rank(&self) -> (Rank, usize) {
        let is_here = |seat: &&Seat| seat.machine == self.seats[self.rank].machine;
        let count = |seats: &[Seat]| seats.iter().filter(is_here).count();
        (count(&self.seats[..self.rank]), count(&self.seats))
    }

    /// The one host that all ranks are on.
    ///
    /// # Errors
    ///
    /// [`LaunchError::OtherHost`] naming the first that is not on this one.
    pub(super) fn one_host(&self) -> Result<Hosts> {
        let own = &self.seats[self.rank];
        match self.seats.iter().position(|seat| !seat.sees(own)) {
            None => Ok(Hosts::of_ids(&vec![(); self.seats.len()])),
            Some(other) => Err(LaunchError::OtherHost { rank: self.rank, other }.into()),
        }
    }

    /// The memory of the ranks of this one's host, in which their ends are noted from now on. All
    /// ranks call it.
    ///
    /// # Errors
    ///
    /// [`LaunchError::NotShared`] naming a rank of the same host with which this one can share
    /// nothing; [`MessageError::PeerLost`] if one has ended.
    pub(super) fn share(self, hosts: &Hosts) -> Result<Network> {
        let Neighbours { seats, rank, letterbox } = self;
        let near = |other: &Rank| hosts.are_near(rank, *other);
        let not_shared =
            |other: Rank, message: String| LaunchError::NotShared { rank, other, message };
        let mut held = Vec::new();
        for other in (0..seats.len()).filter(near).filter(|other| *other != rank) {
            let Seat { pid, start, .. } = seats[other];
            if !seats[other].sees(&seats[rank]) {
                let message = "they are on different hosts, or in different containers".to_owned();
                return Err(not_shared(other, message).into());
            }
            let refused = |error: io::Error| not_shared(other, error.to_string());
            let process = family::hold(pid, start).map_err(refused)?;
            held.push((other, process.ok_or(MessageError::PeerLost { rank: other })?));
        }
        let network = match held.first() {
            Some((first, process)) if *first < rank => {
                let file = receive(&letterbox, seats[*first].pid, process)
                    .map_err(|error| not_shared(*first, error.to_string()))?
                    .ok_or(MessageError::PeerLost { rank: *first })?;
                Network::open(file, seats.len())
                    .map_err(|error| not_shared(*first, error.to_string()))?
            }
            _ => {
                let network = Network::create(seats.len())?;
                for (other, _) in &held {
                    // The descriptor stays with its receiver, whatever becomes of this process. A
                    // rank that takes no letters is lost, and calls that need it return that.
                    letterbox.send(&seats[*other].letterbox, network.fd(), LETTER_LIMIT).or_else(
                        |error| match error.kind() {
                            io::ErrorKind::ConnectionRefused => Ok(()),
                            _ => Err(not_shared(*other, error.to_string())),
                        },
                    )?;
                }
                network
            }
        };
        if !held.is_empty() {
            let told = network.clone();
            let watch = thread::begin("neighbours", move || watch(held, &told));
            watch.map_err(|error| failed(error.to_string()))?;
        }
        Ok(network)
    }
}

/// The file in a letter from the process of that number, which is held; None if it has ended
/// without writing one.
fn receive(letterbox: &Letterbox, pid: u32, process: &OwnedFd) -> io::Result<Option<OwnedFd>> {
    let deadline = Deadline::after(Some(LETTER_LIMIT));
    loop {
        let is_ready = ready(&[letterbox.as_fd(), process.as_fd()], deadline.left())?;
        match letterbox.receive(pid)? {
            Some(file) => return Ok(Some(file)),
            // Asked before the letters were looked at.
            None if is_ready[1] => return Ok(None),
            None if deadline.is_past() => return Err(io::ErrorKind::TimedOut.into()),
            None => {}
        }
    }
}

/// Reports the end of each of these processes to the network.
fn watch(mut held: Vec<(Rank, OwnedFd)>, network: &Network) {
    while !held.is_empty() {
        let fds: Vec<_> = held.iter().map(|(_, process)| process.as_fd()).collect();
        let Ok(ended) = ready(&fds, None) else {
            // A wait that fails is no reason to leave the others to wait for ever.
            thread::park(Some(PAUSE));
            continue;
        };
        let mut ended = ended.into_iter();
        held.retain(|(rank, _)| {
            let has_ended = ended.next() == Some(true);
            if has_ended {
                network.mark_gone(*rank);
            }
            !has_ended
        });
    }
}

fn failed(message: String) -> Error {
    LaunchError::Resources { message }.into()
}

pub(super) fn not_met(error: BootstrapError) -> Error {
    match error {
        // What that rank says of it is what the user must know.
        BootstrapError::Ended { rank } => MessageError::PeerLost { rank }.into(),
        error => failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::stream::Letterbox;

    /// Rank 1 of two, which hears of rank 0 what it says itself, but for what `lie` makes of it.
    struct Told<F>(F, Vec<Vec<u8>>);

    impl<F: Fn(&mut Seat) + Send> Bootstrap for Told<F> {
        fn rank(&self) -> Rank {
            1
        }

        fn size(&self) -> usize {
            2
        }

        fn put(&mut self, _: &str, own: &[u8]) -> Result<(), BootstrapError> {
            let mut seat: Seat = postcard::from_bytes(own).unwrap();
            (self.0)(&mut seat);
            self.1 = vec![postcard::to_stdvec(&seat).unwrap(), own.to_vec()];
            Ok(())
        }

        fn commit(&mut self) -> Result<(), BootstrapError> {
            Ok(())
        }

        fn fence(&mut self) -> Result<(), BootstrapError> {
            Ok(())
        }

        fn get(&mut self, rank: Rank, _: &str) -> Result<Vec<u8>, BootstrapError> {
            Ok(self.1[rank].clone())
        }

        fn abort(&mut self, _: Option<Rank>, _: &str) {}
    }

    fn met(lie: impl Fn(&mut Seat) + Send) -> Result<Neighbours> {
        Neighbours::meet(None, &mut Told(lie, Vec::new()))
    }

    /// On the hosts that are listed, or on one.
    fn shared(list: Option<&str>, neighbours: Neighbours) -> Result<Network> {
        let hosts = match list {
            None => neighbours.one_host()?,
            Some(list) => Hosts::read(list, 2).unwrap(),
        };
        neighbours.share(&hosts)
    }

    /// A file that rank 0, this process, sends to rank 1.
    fn send(neighbours: &Neighbours, file: &impl AsFd) {
        let to = neighbours.letterbox.name().unwrap();
        Letterbox::create().unwrap().send(&to, file.as_fd(), LETTER_LIMIT).unwrap();
    }

    fn inode(network: &Network) -> u64 {
        rustix::fs::fstat(network.fd()).unwrap().st_ino
    }

    #[test]
    fn the_lowest_rank_of_a_host_creates_the_shared_memory() {
        let made = Network::create(2).unwrap();
        let neighbours = met(|_| {}).unwrap();
        send(&neighbours, &made.fd());
        // It may end, and its memory stays.
        let of_first = inode(&made);
        drop(made);
        assert_eq!(inode(&shared(None, neighbours).unwrap()), of_first);
        // Each its own, where they share none, wherever the other is.
        let neighbours = met(|seat| seat.container.push('x')).unwrap();
        let made = Network::create(2).unwrap();
        send(&neighbours, &made.fd());
        assert_ne!(inode(&shared(Some("a,b"), neighbours).unwrap()), inode(&made));
    }

    /// Two ranks of one process, each with a thread.
    #[test]
    fn the_lowest_rank_sends_its_memory_to_the_others() {
        let [first, second] = [met(|_| {}).unwrap(), met(|_| {}).unwrap()];
        let names = [&first, &second].map(|neighbours| neighbours.letterbox.name().unwrap());
        let both = [(0, first), (1, second)].map(|(rank, mut neighbours)| {
            for (seat, name) in neighbours.seats.iter_mut().zip(&names) {
                seat.letterbox.clone_from(name);
            }
            Neighbours { rank, ..neighbours }
        });
        let share = both.map(|neighbours| {
            ("rank".to_owned(), move || shared(None, neighbours).map(|network| inode(&network)))
        });
        let made = thread::run_all(share.into_iter()).unwrap();
        let made: Vec<u64> = made.into_iter().map(|made| made.unwrap().unwrap()).collect();
        assert_eq!(made[0], made[1]);
    }

    /// SEMANTICS: SAFE-1
    #[test]
    fn a_false_statement_about_a_host_is_an_error() {
        let said = |list, lie: &(dyn Fn(&mut Seat) + Sync)| {
            let shared = met(lie).and_then(|neighbours| shared(list, neighbours));
            shared.map(drop).unwrap_err().to_string()
        };
        let elsewhere = |seat: &mut Seat| seat.container.push('x');
        let other = LaunchError::OtherHost { rank: 1, other: 0 };
        assert_eq!(said(None, &elsewhere), other.to_string());
        let not_shared = |message: &str| {
            let message = message.to_owned();
            LaunchError::NotShared { rank: 1, other: 0, message }.to_string()
        };
        let message = "they are on different hosts, or in different containers";
        assert_eq!(said(Some("a,a"), &elsewhere), not_shared(message));
        // A process that has ended, and another that has its number now.
        let lost = MessageError::PeerLost { rank: 0 }.to_string();
        assert_eq!(said(None, &|seat| seat.start += 1), lost);
        assert_eq!(said(None, &|seat| seat.pid = 0), lost);
        // Something else than the memory of this job.
        let refused = |file: &dyn Fn(&Neighbours)| {
            let neighbours = met(|_| {}).unwrap();
            file(&neighbours);
            let message = shared(None, neighbours).map(drop).unwrap_err().to_string();
            assert!(message.starts_with("rank 1 and rank 0 are to share memory, and cannot: "));
            message
        };
        refused(&|neighbours| send(neighbours, &io::stdin()));
        let message = refused(&|neighbours| send(neighbours, &Network::create(3).unwrap().fd()));
        assert!(message.contains("it is for another number of ranks"), "{message}");
        let garbled = Neighbours::meet(None, &mut Garbled).map(drop).unwrap_err();
        let message = "what rank 0 says of where it is cannot be read";
        assert!(garbled.to_string().ends_with(message), "{garbled}");
    }

    /// A rank that has sent its memory and ended has sent it; one that ended before that is lost;
    /// and letters of other processes are none.
    #[test]
    fn a_letter_counts_only_from_the_expected_sender() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let held = family::hold(child.id(), family::began(child.id()).unwrap()).unwrap().unwrap();
        let letterbox = Letterbox::create().unwrap();
        let file = Network::create(1).unwrap();
        let name = letterbox.name().unwrap();
        // This process has no letter to send for the other.
        Letterbox::create().unwrap().send(&name, file.fd(), LETTER_LIMIT).unwrap();
        child.kill().unwrap();
        assert!(receive(&letterbox, child.id(), &held).unwrap().is_none());
        Letterbox::create().unwrap().send(&name, file.fd(), LETTER_LIMIT).unwrap();
        // As if it were that process that has ended.
        let received = receive(&letterbox, process::own_pid(), &held).unwrap();
        assert!(received.is_some());
        child.wait().unwrap();
    }

    /// Hosts are what users call them, devices those of the machine.
    #[cfg(all(feature = "ib", not(loom)))]
    #[test]
    fn ranks_are_placed_on_hosts_and_devices() {
        let seat = |(host, machine, container): (&str, &str, &str)| Seat {
            host: Some(host.to_owned()).filter(|host| !host.is_empty()),
            machine: machine.to_owned(),
            container: container.to_owned(),
            pid: 1,
            start: 0,
            letterbox: Vec::new(),
        };
        let met = |rank, seats: [(&str, &str, &str); 4]| {
            let seats = seats.map(seat).to_vec();
            Neighbours { seats, rank, letterbox: Letterbox::create().unwrap() }
        };
        let hosts = |neighbours: &Neighbours| {
            let hosts = neighbours.hosts();
            [0, 1, 2, 3].map(|rank| hosts.of(rank).unwrap())
        };
        // Ranks in turn on two machines, one of which has two containers.
        let seats = [("", "m", "a"), ("", "n", "a"), ("", "m", "a"), ("", "m", "b")];
        assert_eq!(hosts(&met(0, seats)), [0, 1, 0, 2]);
        let local = [0, 1, 2, 3].map(|rank| met(rank, seats).local_rank());
        assert_eq!(local, [(0, 3), (0, 1), (1, 3), (2, 3)]);
        let named = [("x", "m", "a"), ("y", "m", "a"), ("x", "m", "a"), ("", "m", "a")];
        assert_eq!(hosts(&met(0, named)), [0, 1, 0, 2]);
        assert_eq!(met(2, named).local_rank(), (2, 4));
    }

    struct Garbled;

    impl Bootstrap for Garbled {
        fn rank(&self) -> Rank {
            1
        }

        fn size(&self) -> usize {
            2
        }

        fn put(&mut self, _: &str, _: &[u8]) -> Result<(), BootstrapError> {
            Ok(())
        }

        fn commit(&mut self) -> Result<(), BootstrapError> {
            Ok(())
        }

        fn fence(&mut self) -> Result<(), BootstrapError> {
            Ok(())
        }

        fn get(&mut self, _: Rank, _: &str) -> Result<Vec<u8>, BootstrapError> {
            Ok(vec![255; 3])
        }

        fn abort(&mut self, _: Option<Rank>, _: &str) {}
    }
}
