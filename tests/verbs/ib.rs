//! What only RDMA has, and how the suite gets it. All of it needs a device: these tests are left
//! out unless they are asked for by `--ignored`, and then fail if there is none.
//!
//! A wake-up that is lost is not shown by the suite here: who sleeps looks around from time to
//! time. It is shown that nothing is lost.

#[cfg(planted)]
mod faults;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use runahead::internals::order::Rank;
use runahead::internals::provider::ib::{self, IbError, IbNic, Settings, inventory};
use runahead::internals::provider::{Bootstrap, BootstrapError};
use runahead::internals::verbs::{
    Multicast, Nic, NoMulticast, PeerState, PostError, PutMode, Reliability, RemoteRead,
    RemoteWords, Revoke, ViSpec,
};

use crate::fabric::*;
use crate::reads::{completed, reads};

/// The variable that names the device, or several with commas between them, of which ranks take one
/// in turn.
const DEVICE: &str = "RUNAHEAD_TEST_IB_DEVICE";

pub fn settings() -> Settings {
    let device = std::env::var(DEVICE).unwrap_or_else(|_| panic!("{DEVICE} names no device"));
    Settings::default().with_devices(&device)
}

/// Ranks of this process that reach each other by RDMA.
pub struct Ib;

impl Provider for Ib {
    type Nic = IbNic;
    const AT_ONCE: bool = false;

    fn connect(&self, size: usize, queues: &[ViSpec]) -> Vec<IbNic> {
        match ib::connect(&settings(), size, &layout(queues)) {
            Ok(nics) => nics,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn wrong_choices_are_said() {
    let refused =
        |settings: Settings| ib::connect(&settings, 2, &layout(&[reliable(1)])).unwrap_err();
    let known: Vec<_> = inventory().unwrap().into_iter().map(|device| device.name).collect();
    let unknown = IbError::UnknownDevice { name: "none7".into(), known };
    assert_eq!(refused(Settings::default().with_devices("none7")), unknown);
    let error = refused(settings().with_gid_index(200));
    assert!(matches!(error, IbError::EmptyGid { index: 200, .. }), "{error}");
    let error = refused(settings().with_gid_index(1 << 20));
    assert!(matches!(error, IbError::NoSuchGid { index: 1_048_576, .. }), "{error}");
    let queues = [ViSpec { recv_descriptors: 1 << 15, ..reliable(1) }];
    let error = ib::connect(&settings(), 2, &layout(&queues)).unwrap_err();
    assert!(error.to_string().contains("number of descriptors per VI"), "{error}");
}

#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn it_is_reliable_whatever_is_asked() {
    for asked in
        [Reliability::Unreliable, Reliability::ReliableDelivery, Reliability::ReliableReception]
    {
        let mut nics = Ib.connect(2, &[reliable(1)]);
        let has = nics[0].open_vi(to(1), &ViSpec { reliability: asked, ..reliable(1) });
        assert_eq!(has, Ok(Reliability::ReliableDelivery));
    }
}

/// More words than the peer has receives for them: it hears that there is news, and finds the last.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn words_need_nobody_who_listens() {
    let [mut here, mut there] = ranks(&Ib, 1);
    let key = there.register(2).unwrap();
    assert_eq!(here.register(2), Ok(key));
    for round in 1..=3 {
        for value in 1..=100 {
            put(&mut here, 1, key, 0, value, PutMode::Immediate);
            here.wake(1);
        }
        put(&mut here, 1, key, 1, round, PutMode::Immediate);
        while read(&there, 0, key, 1) != Ok(round) {
            there.wait(None);
        }
        assert_eq!(read(&there, 0, key, 0), Ok(100));
    }
}

/// A frame keeps its memory, whatever becomes of the interface.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn a_frame_outlives_its_interface() {
    let [mut here, mut there, other] = ranks::<_, 3>(&Ib, 1);
    there.post_send(to(0), &[7; 1000], &[]).unwrap();
    let frame = next(&mut here, DATA).frame;
    drop((here, there));
    assert_eq!(other.bytes(&frame), [7; 1000]);
    drop(other);
    assert_eq!(format!("{frame:?}"), "1000 bytes from rank 1");
}

/// Ranks that leave at the same time do not wait for each other's answers.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn all_may_leave_at_once() {
    for _ in 0..5 {
        let nics: [IbNic; 5] = ranks(&Ib, 4);
        thread::scope(|scope| {
            for mut nic in nics {
                scope.spawn(move || {
                    let rank = nic.rank();
                    for peer in (0..5).filter(|&peer| peer != rank) {
                        // One that has left takes nothing.
                        let _ = nic.post_send(to(peer), &[1; 300], &[]);
                    }
                });
            }
        });
    }
}

/// Addresses go through files of a directory, and nobody says which process has ended.
struct Files {
    folder: PathBuf,
    rank: Rank,
    size: usize,
}

impl Files {
    fn file(&self, rank: Rank, key: &str) -> PathBuf {
        self.folder.join(format!("{key}-{rank}"))
    }
}

impl Bootstrap for Files {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), BootstrapError> {
        let unfinished = self.folder.join(format!("unfinished-{}", self.rank));
        fs::write(&unfinished, value)?;
        Ok(fs::rename(&unfinished, self.file(self.rank, key))?)
    }

    fn commit(&mut self) -> Result<(), BootstrapError> {
        Ok(())
    }

    /// Whoever gets a value waits for it.
    fn fence(&mut self) -> Result<(), BootstrapError> {
        Ok(())
    }

    fn get(&mut self, rank: Rank, key: &str) -> Result<Vec<u8>, BootstrapError> {
        loop {
            match fs::read(self.file(rank, key)) {
                Ok(bytes) => return Ok(bytes),
                Err(_) => thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn abort(&mut self, _: Option<Rank>, _: &str) {}
}

/// Names the directory to a process that is a rank.
const FOLDER: &str = "RUNAHEAD_TEST_IB_FOLDER";

fn join(folder: &Path, rank: Rank) -> IbNic {
    let bootstrap = Files { folder: folder.to_owned(), rank, size: 2 };
    let spec = layout(&[reliable(4)]);
    let mut nic = ib::join(&settings(), rank, 2, &spec, Box::new(bootstrap)).unwrap();
    nic.open_vi(to(1 - rank), &reliable(4)).unwrap();
    nic
}

/// Another process that runs one test of this program, as rank 1. It ends with this one at the
/// latest.
struct Process(Child);

impl Process {
    fn start(folder: &Path, test: &str) -> Process {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args([test, "--exact", "--nocapture", "--ignored", "--test-threads=1"]);
        command.env(FOLDER, folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        Process(command.spawn().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The directory that this process was started with; none where the test runs as an ordinary one.
fn inherited() -> Option<PathBuf> {
    let folder = std::env::var_os(FOLDER)?;
    // Its input ends with the process that started it.
    thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    Some(folder.into())
}

/// Takes the next message, sleeping until it comes, and posts its descriptor again.
fn receive_waiting(nic: &mut IbNic) -> Vec<u8> {
    loop {
        if let Some(arrived) = nic.poll_recv(DATA).unwrap() {
            let bytes = nic.bytes(&arrived.frame).to_vec();
            nic.post_recv(to(arrived.peer), arrived.frame);
            return bytes;
        }
        nic.wait(None);
    }
}

#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn two_processes_exchange_messages() {
    const ROUNDS: usize = 100;
    let message = |round: usize| vec![round as u8; [8, 64, 65, 1000, MAX_BYTES][round % 5]];
    if let Some(folder) = inherited() {
        let mut nic = join(&folder, 1);
        for round in 0..ROUNDS {
            assert_eq!(receive_waiting(&mut nic), message(round));
            nic.post_send(to(0), &message(round), &[]).unwrap();
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), "ib::two_processes_exchange_messages");
    let mut nic = join(folder.path(), 0);
    for round in 0..ROUNDS {
        nic.post_send(to(1), &message(round), &[]).unwrap();
        assert_eq!(receive_waiting(&mut nic), message(round));
    }
    // It leaves by dropping its interface.
    while nic.peer_state(1) == PeerState::Connected {
        nic.wait(None);
    }
    assert_eq!(nic.loss(1), None, "it has said farewell");
    // Its input must stay open until it has ended.
    let input = process.0.stdin.take();
    assert!(process.0.wait().unwrap().success());
    drop(input);
}

/// Nobody says that it has ended: its device's silence does.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn a_killed_process_is_noticed_by_its_silence() {
    if let Some(folder) = inherited() {
        let mut nic = join(&folder, 1);
        nic.post_send(to(0), &[1], &[0; 1000]).unwrap();
        println!("sent");
        std::io::stdout().flush().unwrap();
        // Until it is killed.
        loop {
            nic.wait(None);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "ib::a_killed_process_is_noticed_by_its_silence";
    let mut process = Process::start(folder.path(), test);
    let mut nic = join(folder.path(), 0);
    let mut lines = BufReader::new(process.0.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("sent")));
    while nic.poll_recv(DATA).unwrap().is_none() {
        nic.wait(None);
    }
    assert_eq!(nic.peer_state(1), PeerState::Connected);
    process.0.kill().unwrap();
    process.0.wait().unwrap();
    // It only waits, and is sent nothing.
    while nic.peer_state(1) == PeerState::Connected {
        nic.wait(None);
    }
    assert_eq!(nic.loss(1), Some(("ibv_post_send", "the peer does not answer")));
    assert_eq!(nic.post_send(to(1), &[1], &[]), Err(PostError::PeerGone(to(1))));
    assert!(nic.poll_recv(DATA).unwrap().is_none());
}

/// A payload of some length is copied to where one lay that was read, so that nothing is registered
/// for it. Where one was taken back that a peer may be reading, no other is put: the peer would not
/// know. (Planted: a room that is kept however its exposure has ended; one that is not kept.)
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn rooms_are_used_again_once_they_were_read() {
    let [mut here, mut there] = ranks(&Ib, 1);
    let mut is_read = |byte: u8, buffer| {
        assert!(reads(&mut here).post_read(to(1), buffer, 100_000));
        let Some(payload) = completed(&mut here).payload else { return false };
        assert!(payload.as_ref().iter().all(|&read| read == byte));
        reads(&mut here).release(payload);
        true
    };
    let first = reads(&mut there).expose(0, &[1; 100_000]).unwrap();
    // Its owner has it back, and what is read is the copy.
    assert!(is_read(1, first));
    reads(&mut there).revoke(0, first, Revoke::AfterRead);
    let second = reads(&mut there).expose(0, &[2; 100_000]).unwrap();
    assert_eq!(second, first);
    assert!(is_read(2, second));
    // More at a time than there are rooms for.
    let others: Vec<_> = (3..15).map(|at| vec![at; 100_000]).collect();
    let exposed: Vec<_> =
        others.iter().map(|other| reads(&mut there).expose(0, other).unwrap()).collect();
    for (other, &exposed) in others.iter().zip(&exposed) {
        assert!(exposed != second && is_read(other[0], exposed));
    }
    let in_place = |&at: &usize| exposed[at].address == others[at].as_ptr().addr() as u64;
    assert_eq!((0..12).filter(in_place).collect::<Vec<_>>(), [7, 8, 9, 10, 11]);
    exposed.into_iter().for_each(|exposed| reads(&mut there).revoke(0, exposed, Revoke::AfterRead));
    assert!(is_read(2, second), "it is exposed still");
    reads(&mut there).revoke(0, second, Revoke::AtOnce);
    let third = reads(&mut there).expose(0, &[3; 100_000]).unwrap();
    assert!(third.key != second.key);
    assert!(is_read(3, third));
    assert!(!is_read(3, second));
}

/// Each rank's words reach all others by one request, also those on the same device; and another
/// job hears nothing. The cables lose nothing here, and still any of them may be lost: so it is
/// sent until it has come.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn words_reach_all_ranks_at_once() {
    const SIZE: usize = 6;
    let mut nics = Ib.connect(SIZE, &[reliable(1)]);
    let mut others = Ib.connect(2, &[reliable(1)]);
    assert!(nics[0].multicast().is_ok());
    for from in 0..SIZE {
        let (words, deadline) = ([7, from as u64], Instant::now() + Duration::from_secs(10));
        let mut lack: BTreeSet<Rank> = (0..SIZE).filter(|&rank| rank != from).collect();
        let mut sent = 0;
        while !lack.is_empty() {
            assert!(Instant::now() < deadline, "ranks {lack:?} have not heard of rank {from}");
            nics[from].multicast().unwrap().post(words);
            sent += 1;
            thread::sleep(Duration::from_millis(50));
            for (rank, nic) in nics.iter_mut().enumerate() {
                while let Some(heard) = nic.multicast().unwrap().poll() {
                    // Those before it were sent more than once, maybe.
                    assert!(heard.0 <= from && heard.1 == [7, heard.0 as u64], "{heard:?}");
                    assert!(heard.0 != rank, "rank {rank} hears itself");
                    if heard.0 == from {
                        lack.remove(&rank);
                    }
                }
            }
        }
        println!("rank {from} was heard by all after {sent} sent");
    }
    for other in &mut others {
        assert_eq!(other.multicast().unwrap().poll(), None);
    }
    let mut nics =
        ib::connect(&settings().without_multicast(), 2, &layout(&[reliable(1)])).unwrap();
    assert_eq!(nics[1].multicast().err(), Some(NoMulticast::NotOffered));
}
