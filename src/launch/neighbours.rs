//! What ranks that [meet](super::meeting) have of each other where they are on one host: the memory by which they
//! reach each other, which they have from one of them, as no starter has made it for all to inherit; and who has ended.
//!
//! Each rank makes such memory, a few pages, and tells all where its file is. The ranks of a host take that of the lowest
//! of them, by the system's table of processes, and their own is gone. That takes processes that see each other: of one
//! user, and not in containers apart.
//!
//! A rank holds the processes of its host, so that none can be mistaken for another, and tells the network when one has
//! ended, however it did. So nobody needs rank 0, or any other, to hear of a loss next door. The one thread that this
//! takes sleeps while the job runs.
//!
//! It knows nothing of what goes through that memory, and nothing of ranks on other hosts but that they are there.

use std::io::ErrorKind;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::LaunchError;
use super::network::{FilePlace, Network};
use crate::error::{Error, Result};
use crate::message::MessageError;
use crate::order::Rank;
use crate::provider::joined::Hosts;
use crate::provider::{Bootstrap, BootstrapError};
use crate::sys::fd::{AsFd, OwnedFd, ready};
use crate::sys::{family, host, thread};

/// How long it is until the next attempt to wait, where the system refuses one.
const PAUSE: Duration = Duration::from_millis(100);

/// What a rank tells all others of where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seat {
    /// What the user calls its host, if anything.
    host: Option<String>,
    /// What tells the machine from others.
    machine: String,
    /// What tells the processes there that it sees from others.
    container: String,
    /// When its process began.
    start: u64,
    /// Where the memory is that it has made, and who it is.
    memory: FilePlace,
}

impl Seat {
    /// Whether each sees the other's process.
    fn sees(&self, other: &Seat) -> bool {
        (&self.machine, &self.container) == (&other.machine, &other.container)
    }

    /// Whether users and system say that they are on one host.
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
    /// The memory that this rank has made.
    own: Network,
}

impl Neighbours {
    /// Tells the others where this rank is, and learns where they are. `host_id` is what the user calls this host.
    ///
    /// # Errors
    ///
    /// [`LaunchError`] if there is no memory, or not all ranks have come; [`MessageError::PeerLost`] if one has ended.
    pub(super) fn meet(
        (rank, size): (Rank, usize),
        host_id: Option<&str>,
        bootstrap: &mut dyn Bootstrap,
    ) -> Result<Neighbours> {
        let own = Network::create(size)?;
        let memory = own.place()?;
        let unknown = || failed("/proc says nothing of this process".to_owned());
        let seat = Seat {
            host: host_id.map(str::to_owned),
            machine: host::id(),
            container: host::container_id(),
            start: family::began(memory.pid).ok_or_else(unknown)?,
            memory,
        };
        let bytes = postcard::to_stdvec(&seat).map_err(|error| failed(error.to_string()))?;
        let given = bootstrap.all_gather(&bytes).map_err(not_met)?;
        let read = |(rank, bytes): (Rank, &Vec<u8>)| {
            let unread = |_| failed(format!("what rank {rank} says of where it is cannot be read"));
            postcard::from_bytes(bytes).map_err(unread)
        };
        let seats = given.iter().enumerate().map(read).collect::<Result<Vec<Seat>>>()?;
        Ok(Neighbours { seats, rank, own })
    }

    /// Which rank is on which host.
    #[cfg(all(feature = "ib", not(loom)))]
    pub(super) fn hosts(&self) -> Hosts {
        let first = |seat: &Seat| self.seats.iter().position(|other| other.is_near(seat));
        Hosts::of_ids(&self.seats.iter().map(first).collect::<Vec<_>>())
    }

    /// Which one this rank is of those on its machine, whatever that is called, and how many these are: they share its
    /// devices.
    #[cfg(all(feature = "ib", not(loom)))]
    pub(super) fn local_rank(&self) -> (Rank, usize) {
        let is_here = |seat: &&Seat| seat.machine == self.seats[self.rank].machine;
        let count = |seats: &[Seat]| seats.iter().filter(is_here).count();
        (count(&self.seats[..self.rank]), count(&self.seats))
    }

    /// That all of them are on one.
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

    /// The memory of the ranks of this one's host, which is told of their ends from now on. All ranks call it.
    ///
    /// # Errors
    ///
    /// [`LaunchError::NotShared`] naming a rank of the same host with which this one can share nothing; as
    /// [`meet`](Self::meet) if others have not come so far.
    pub(super) fn share(self, hosts: &Hosts, bootstrap: &mut dyn Bootstrap) -> Result<Network> {
        let Neighbours { seats, rank, own } = self;
        let near = |other: &Rank| hosts.are_near(rank, *other);
        let not_shared =
            |other: Rank, message: String| LaunchError::NotShared { rank, other, message };
        let mut held = Vec::new();
        for other in (0..seats.len()).filter(near).filter(|other| *other != rank) {
            let Seat { memory, start, .. } = &seats[other];
            if !seats[other].sees(&seats[rank]) {
                let message = "they are on different hosts, or in different containers".to_owned();
                return Err(not_shared(other, message).into());
            }
            let refused = |error: std::io::Error| not_shared(other, error.to_string());
            let process = family::hold(memory.pid, *start).map_err(refused)?;
            held.push((other, process.ok_or(MessageError::PeerLost { rank: other })?));
        }
        let first = (0..seats.len()).find(near).unwrap_or(rank);
        let network = if first == rank {
            own
        } else {
            let refused = |error: std::io::Error| {
                let hint = match error.kind() {
                    ErrorKind::PermissionDenied => ": both processes must be of one user",
                    _ => "",
                };
                not_shared(first, format!("{error}{hint}"))
            };
            Network::of_another(seats[first].memory, seats.len()).map_err(refused)?
        };
        // Until all have it, who has made it stays.
        bootstrap.all_gather(&[]).map_err(not_met)?;
        if !held.is_empty() {
            let told = network.clone();
            let watch = thread::begin("neighbours", move || watch(held, &told));
            watch.map_err(|error| failed(error.to_string()))?;
        }
        Ok(network)
    }
}

/// Tells of the end of each of these processes, when it has ended.
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

fn not_met(error: BootstrapError) -> Error {
    match error {
        // What that rank says of it is what the user must know.
        BootstrapError::Ended { rank } => MessageError::PeerLost { rank }.into(),
        error => failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rank 1 of two, to whom rank 0 says what rank 1 says itself, but for what `lie` makes of it.
    struct Told<F>(F);

    impl<F: Fn(&mut Seat) + Send> Bootstrap for Told<F> {
        fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, BootstrapError> {
            let mut first = own.to_vec();
            if !own.is_empty() {
                let mut seat: Seat = postcard::from_bytes(own).unwrap();
                (self.0)(&mut seat);
                first = postcard::to_stdvec(&seat).unwrap();
            }
            Ok(vec![first, own.to_vec()])
        }
    }

    /// On the hosts that are listed, or on one.
    fn met(list: Option<&str>, lie: impl Fn(&mut Seat) + Send) -> Result<Network> {
        let mut told = Told(lie);
        let neighbours = Neighbours::meet((1, 2), None, &mut told)?;
        let hosts = match list {
            None => neighbours.one_host()?,
            Some(list) => Hosts::read(list, 2).unwrap(),
        };
        neighbours.share(&hosts, &mut told)
    }

    #[test]
    fn the_lowest_of_a_host_has_made_what_it_shares() {
        let made = Network::create(2).unwrap();
        let place = made.place().unwrap();
        let network = met(None, |seat| seat.memory = place).unwrap();
        assert_eq!(network.place().unwrap().inode, place.inode);
        // Each its own, where they share none, wherever the other is.
        let elsewhere = |seat: &mut Seat| {
            seat.container.push('x');
            seat.memory = place;
        };
        let network = met(Some("a,b"), elsewhere).unwrap();
        assert_ne!(network.place().unwrap().inode, place.inode);
    }

    /// Until all have it: whoever has made it may end, and its file with it, as soon as all have said the second time
    /// that they are there. (Planted: no second time; and one before the file is opened.)
    #[test]
    fn who_has_made_it_stays_until_all_have_it() {
        struct Maker(Option<Network>);

        impl Bootstrap for Maker {
            fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, BootstrapError> {
                if own.is_empty() {
                    self.0 = None;
                    return Ok(vec![Vec::new(); 2]);
                }
                let place = self.0.as_ref().expect("it is there").place().unwrap();
                Told(|seat: &mut Seat| seat.memory = place).all_gather(own)
            }
        }

        let mut maker = Maker(Some(Network::create(2).unwrap()));
        let neighbours = Neighbours::meet((1, 2), None, &mut maker).unwrap();
        let hosts = neighbours.one_host().unwrap();
        neighbours.share(&hosts, &mut maker).unwrap();
        assert!(maker.0.is_none(), "it was not waited for");
    }

    /// SEMANTICS: SAFE-1
    #[test]
    fn what_is_not_as_it_is_said_is_an_error() {
        let said = |list, lie: &(dyn Fn(&mut Seat) + Sync)| {
            met(list, lie).map(drop).unwrap_err().to_string()
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
        // Who has ended, and another process that has its number now.
        let lost = MessageError::PeerLost { rank: 0 }.to_string();
        assert_eq!(said(None, &|seat| seat.start += 1), lost);
        assert_eq!(said(None, &|seat| seat.memory.pid = 0), lost);
        // Something else, and what has taken the place of what was there.
        let message = "what is there is no memory of this job";
        assert_eq!(said(None, &|seat| seat.memory.fd = 1), not_shared(message));
        assert_eq!(said(None, &|seat| seat.memory.inode += 1), not_shared(message));
        let message = said(None, &|seat| seat.memory.fd = -1);
        assert!(message.starts_with("rank 1 and rank 0 are to share memory, and cannot: "));
        assert!(message.contains("No such file"), "{message}");
        let of_three = Network::create(3).unwrap();
        let place = of_three.place().unwrap();
        let message = said(None, &|seat| seat.memory = place);
        assert!(message.contains("it is for another number of ranks"), "{message}");
        let unread = Neighbours::meet((1, 2), None, &mut Garbled).map(drop).unwrap_err();
        let message = "what rank 0 says of where it is cannot be read";
        assert!(unread.to_string().ends_with(message), "{unread}");
    }

    /// Hosts are what users call them, devices those of the machine.
    #[cfg(all(feature = "ib", not(loom)))]
    #[test]
    fn who_is_where() {
        let own = Network::create(4).unwrap();
        let memory = own.place().unwrap();
        let seat = |(host, machine, container): (&str, &str, &str)| Seat {
            host: Some(host.to_owned()).filter(|host| !host.is_empty()),
            machine: machine.to_owned(),
            container: container.to_owned(),
            start: 0,
            memory,
        };
        let met = |rank, seats: [(&str, &str, &str); 4]| {
            let seats = seats.map(seat).to_vec();
            Neighbours { seats, rank, own: own.clone() }
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
        fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, BootstrapError> {
            Ok(vec![own[..own.len() / 2].to_vec(), own.to_vec()])
        }
    }
}
