//! Ranks that are processes: this test program runs itself again.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

use runahead::internals::order::Rank;
use runahead::internals::provider::shm::{Segment, ShmNic};
use runahead::internals::provider::{FabricSpec, QueueSpec};
use runahead::internals::verbs::{Nic, PeerState, PostError, SharedWords};

use crate::fabric::*;

/// Names the file and the size to a process that is a rank.
const PART: &str = "RUNAHEAD_TEST_SEGMENT";

fn spec() -> FabricSpec {
    let queue = QueueSpec { recv_descriptors: 4, descriptor_bytes: MAX_BYTES };
    FabricSpec { queues: vec![queue], shared_words: 4, heap_bytes: 0 }
}

/// The interface of `rank`, with VIs to all others.
fn join(segment: &Segment, rank: Rank) -> ShmNic {
    let mut nic = segment.nic(rank, &spec()).unwrap();
    for peer in (0..nic.size()).filter(|peer| *peer != rank) {
        nic.open_vi(to(peer), &reliable(4)).unwrap();
    }
    nic
}

/// Another process that runs one test of this program. It ends with this one at the latest.
pub struct Process(Child);

impl Process {
    /// Starts it to run `test` alone, with the segment in its hands.
    pub fn start(segment: &Segment, test: &str) -> Process {
        let fd = segment.fd().as_raw_fd();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([test, "--exact", "--nocapture", "--test-threads=1"]);
        command.env(PART, format!("{fd} {}", segment.size()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        // SAFETY: between fork and exec it makes one system call, which is allowed there.
        unsafe {
            command.pre_exec(move || {
                let inherited = rustix::fd::BorrowedFd::borrow_raw(fd);
                rustix::io::fcntl_setfd(inherited, rustix::io::FdFlags::empty())?;
                Ok(())
            });
        }
        Process(command.spawn().unwrap())
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Waits until it has [said](say) `word`.
    pub fn await_word(&mut self, word: &str) {
        let mut lines = BufReader::new(self.0.stdout.as_mut().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains(word)), "{word} is said");
    }

    /// Waits until it has ended, as it should.
    pub fn finish(mut self) {
        let mut said = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        // Its input must stay open until it has ended.
        let input = self.0.stdin.take();
        assert!(self.0.wait().unwrap().success(), "{said}");
        drop(input);
    }

    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        assert_eq!(self.0.wait().unwrap().signal(), Some(9));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The segment that a process was started with; none where the test runs as an ordinary one.
pub fn inherited() -> Option<Segment> {
    let part = std::env::var(PART).ok()?;
    // Its input ends with the process that started it.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    let (fd, size) = part.split_once(' ').unwrap();
    let fd: RawFd = fd.parse().unwrap();
    // SAFETY: it was inherited for this, and nobody else in this process uses it.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    Some(Segment::open(fd, size.parse().unwrap()).unwrap())
}

/// Tells the process that started this one.
pub fn say(word: &str) {
    println!("{word}");
    std::io::stdout().flush().unwrap();
}

/// Takes the next message, sleeping until it comes, and posts its descriptor again.
fn receive_waiting(nic: &mut ShmNic) -> Vec<u8> {
    loop {
        if let Some(arrived) = nic.poll_recv(DATA).unwrap() {
            let bytes = nic.bytes(&arrived.frame).to_vec();
            nic.post_recv(to(arrived.peer), arrived.frame);
            return bytes;
        }
        nic.wait(None);
    }
}

fn message(round: usize) -> Vec<u8> {
    let len = [8, 56, 57, 1000, MAX_BYTES][round % 5];
    (0..len).map(|at| (at + round) as u8).collect()
}

const ROUNDS: usize = 500;

#[test]
fn two_processes_exchange_messages() {
    if let Some(segment) = inherited() {
        let mut nic = join(&segment, 1);
        for round in 0..ROUNDS {
            assert_eq!(receive_waiting(&mut nic), message(round));
            nic.post_send(to(0), &message(round), &[]).unwrap();
        }
        nic.store(3, 17);
        return;
    }
    let segment = Segment::create(2).unwrap();
    let mut nic = join(&segment, 0);
    let test = "shm::processes::two_processes_exchange_messages";
    let process = Process::start(&segment, test);
    for round in 0..ROUNDS {
        nic.post_send(to(1), &message(round), &[]).unwrap();
        assert_eq!(receive_waiting(&mut nic), message(round));
    }
    // It leaves by dropping its interface.
    while nic.peer_state(1) == PeerState::Connected {
        nic.wait(None);
    }
    assert_eq!(nic.load(3), 17);
    process.finish();
}

#[test]
fn what_a_killed_process_had_sent_arrives_and_sleepers_wake() {
    if let Some(segment) = inherited() {
        let mut nic = join(&segment, 1);
        for number in 0..4 {
            nic.post_send(to(0), &[number], &[0; 100]).unwrap();
        }
        say("sent");
        // Until it is killed.
        loop {
            nic.wait(None);
        }
    }
    let segment = Segment::create(3).unwrap();
    let (mut nic, mut other) = (join(&segment, 0), join(&segment, 2));
    let test = "shm::processes::what_a_killed_process_had_sent_arrives_and_sleepers_wake";
    let mut process = Process::start(&segment, test);
    process.await_word("sent");
    process.kill();
    assert_eq!(nic.peer_state(1), PeerState::Connected, "nobody has told yet");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while other.peer_state(1) == PeerState::Connected {
                other.wait(None);
            }
        });
        segment.mark_gone(1);
    });
    assert_eq!(nic.peer_state(1), PeerState::Gone);
    for number in 0..4 {
        let arrived = nic.poll_recv(DATA).unwrap().expect("all that it sent");
        assert_eq!((arrived.peer, nic.bytes(&arrived.frame)[0]), (1, number));
        nic.post_recv(to(1), arrived.frame);
    }
    assert!(nic.poll_recv(DATA).unwrap().is_none());
    assert_eq!(nic.post_send(to(1), &[1], &[]), Err(PostError::PeerGone(to(1))));
}
