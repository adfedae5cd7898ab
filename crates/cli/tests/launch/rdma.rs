//! Faults in jobs over RDMA. A rank is killed or stopped, its cable is pulled and plugged in again,
//! or its memory may not be locked. No rank hangs, the error names the lost rank with the verb that
//! has shown it and a remedy, and no file or process is left behind.
//!
//! They run only with `--ignored`. They need the emulated machine of tests/rdma, which has four
//! devices, one for each rank, and pulls the cables.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::harness::{
    Ended, PART, Running, SIGCONT, SIGKILL, SIGSTOP, Test, ended, is_gone, kill, part, start,
    state, this_program, until,
};

pub const TESTS: &[Test] = tests![
    "rdma::": [
        a_killed_rank_is_named,
        a_stopped_rank_is_waited_for,
        a_link_comes_back,
        a_port_comes_back,
        a_link_stays_down,
        a_port_that_is_down_is_named,
        a_blocked_path_is_named,
        the_error_names_the_lockable_memory_needed,
    ],
    "unreliable::": [
        a_killed_rank_is_named_over_unreliable_transports,
        messages_sent_before_the_end_arrive,
    ],
];

/// The rank that meets the fault. Its device belongs to host 3.
pub const RANK: usize = 2;
pub const HOST: &str = "3";

/// The time within which a job with a lost rank must end: many times what it takes.
const ENDS: Duration = Duration::from_secs(100);

/// All tests share one network.
pub fn alone() -> MutexGuard<'static, ()> {
    static NETWORK: Mutex<()> = Mutex::new(());
    NETWORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A command of tests/rdma/hosts.sh, such as `link_down 2`.
fn hosts(words: &str) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/rdma/hosts.sh");
    let mut command = Command::new("bash");
    command.arg(script).args(words.split_whitespace()).stdin(Stdio::null());
    command
}

pub fn happens(words: &str) {
    let status = hosts(words).status().expect("there is bash");
    assert!(status.success(), "{words}: {status}");
}

/// Runs the part over RDMA, with a device for each rank.
pub fn over_rdma(command: &mut Command) -> &mut Command {
    let devices = std::env::var("RUNAHEAD_TEST_IB_DEVICE").expect("RUNAHEAD_TEST_IB_DEVICE");
    assert_eq!(devices.split(',').count(), 4, "a device for each rank: {devices}");
    command.env("RUNAHEAD_FABRIC", "ib").env("RUNAHEAD_IB_DEVICE", devices)
}

/// A job of four ranks that exchange messages round by round.
pub struct Job {
    running: Running,
    pub pids: [u32; 4],
    shared: BTreeSet<OsString>,
}

/// The files of shared memory of this machine.
pub fn shared_files() -> BTreeSet<OsString> {
    let files = std::fs::read_dir("/dev/shm").expect("a directory");
    files.map(|file| file.expect("it can be read").file_name()).collect()
}

impl Job {
    fn start() -> Job {
        Job::start_by("rc")
    }

    fn start_by(transport: &str) -> Job {
        let mut command = part("rounds 4");
        command.env("RUNAHEAD_IB_TRANSPORT", transport);
        Job::start_by_command(over_rdma(&mut command))
    }

    /// Starts a job of the part `rounds 4`, with payloads of any length.
    pub fn start_by_command(command: &mut Command) -> Job {
        let shared = shared_files();
        let mut running = start(command.stdin(Stdio::piped()));
        let mut pids = [0; 4];
        for _ in 0..4 {
            let line = running.line();
            let (rank, pid) = line.split_once(' ').unwrap();
            pids[rank.parse::<usize>().unwrap()] = pid.parse().unwrap();
        }
        let mut job = Job { running, pids, shared };
        job.goes_on();
        job
    }

    /// Waits until the job has done rounds that began after this call.
    pub fn goes_on(&mut self) {
        if let Some(said) = self.goes_on_or_fails() {
            panic!("{said}");
        }
    }

    /// As [`goes_on`](Job::goes_on), or until the job fails: returns its output then.
    fn goes_on_or_fails(&mut self) -> Option<String> {
        let begin = Instant::now();
        let mut rounds = 0;
        while rounds < 3 {
            let line = self.running.line();
            if !line.starts_with("round ") {
                let mut err = String::new();
                let stderr = self.running.child.stderr.as_mut().expect("a pipe");
                stderr.read_to_string(&mut err).expect("UTF-8");
                return Some(format!("{line}; {err}"));
            }
            // Rounds printed before the call are read at once.
            rounds = if begin.elapsed() < Duration::from_millis(500) { 0 } else { rounds + 1 };
        }
        None
    }

    /// Ends the job, which must succeed. Returns for each rank the payloads that it has exposed,
    /// those that it has read, and its rounds.
    pub fn end(mut self) -> [[u64; 3]; 4] {
        self.running.say("stop\n");
        let ended = self.running.end();
        assert!(ended.status.success() && ended.err.is_empty(), "{ended:?}");
        assert!(!ended.out.contains("lost"), "{ended:?}");
        nothing_is_left(&self.pids, &self.shared);
        [0, 1, 2, 3].map(|rank| {
            let start = format!("rank {rank} has exposed ");
            let line = ended.out.lines().find_map(|line| line.strip_prefix(&start));
            let counts = line.and_then(|line| line.split_once(" and read "));
            let (exposed, more) = counts.expect("a line");
            let (read, rounds) = more.split_once(" in ").expect("rounds");
            [exposed, read, rounds].map(|count| count.parse().expect("a number"))
        })
    }

    /// Waits until the job has failed. Returns its end, and the error that each rank has printed.
    pub fn fail(self) -> (Ended, [Option<String>; 4]) {
        let begin = Instant::now();
        let ended = self.running.end();
        assert!(begin.elapsed() < ENDS, "it has taken {} s", begin.elapsed().as_secs());
        nothing_is_left(&self.pids, &self.shared);
        let said = [0, 1, 2, 3].map(|rank| {
            let start = format!("rank {rank}: ");
            ended.out.lines().find_map(|line| Some(line.strip_prefix(&start)?.to_owned()))
        });
        (ended, said)
    }
}

/// Checks that no process of a job is left, and no file that did not exist before.
fn nothing_is_left(pids: &[u32], shared: &BTreeSet<OsString>) {
    until(|| pids.iter().all(is_gone));
    assert_eq!(shared_files(), *shared, "files are left");
}

/// Checks that an error names the lost rank, or a rank that has failed because of it.
#[track_caller]
pub fn assert_named(said: &str, lost: usize) {
    let is_lost = said == format!("rank {lost} is lost: it went without ending its world");
    let followed = said.ends_with("has ended with an error, and this call needs it");
    assert!(is_lost || followed, "{said}");
}

/// SEMANTICS: END-2
fn a_killed_rank_is_named() {
    let _alone = alone();
    killed(Job::start(), RANK);
}

/// Kills a rank of the job, and checks that all others learn of it.
pub fn killed(job: Job, rank: usize) {
    kill(job.pids[rank], SIGKILL);
    let (ended, said) = job.fail();
    assert_eq!(ended.failed(1), format!("Error: rank {rank} was killed by signal 9 (SIGKILL)"));
    assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
    for other in (0..4).filter(|&other| other != rank) {
        assert_named(said[other].as_ref().expect("it has printed its error"), rank);
    }
}

/// Over these transports no send to the killed rank fails. A waiting rank probes the peer's device.
// SEMANTICS: END-2, NET-1
fn a_killed_rank_is_named_over_unreliable_transports() {
    let _alone = alone();
    for transport in ["uc", "ud"] {
        let job = Job::start_by(transport);
        kill(job.pids[RANK], SIGKILL);
        let (ended, said) = job.fail();
        assert_eq!(ended.failed(1), "Error: rank 2 was killed by signal 9 (SIGKILL)");
        for rank in [0, 1, 3] {
            assert_named(said[rank].as_ref().expect("it has printed its error"), RANK);
        }
    }
}

/// A rank that ends its world stays until its messages are acknowledged, also those that the
/// network has lost.
// SEMANTICS: NET-2
fn messages_sent_before_the_end_arrive() {
    let _alone = alone();
    happens("loss 10%");
    for transport in ["uc", "ud"] {
        let mut command = part("owes 4");
        command.env("RUNAHEAD_IB_TRANSPORT", transport);
        let ended = ended(over_rdma(&mut command));
        assert!(ended.status.success() && ended.err.is_empty(), "{transport}: {ended:?}");
        assert_eq!(ended.out, "all is sent\nall has come\n", "{transport}");
    }
    happens("loss 0");
}

/// The device of a stopped rank still answers. The longer stop exceeds the patience of any device.
fn a_stopped_rank_is_waited_for() {
    let _alone = alone();
    [1, 16].into_iter().for_each(|seconds| stopped(Job::start(), Duration::from_secs(seconds)));
}

/// Stops a rank of the job for a while, and checks that the job goes on afterwards.
pub fn stopped(mut job: Job, lasting: Duration) {
    let pid = job.pids[RANK];
    kill(pid, SIGSTOP);
    until(|| state(pid) == Some('T'));
    sleep(lasting);
    assert_eq!(state(pid), Some('T'));
    kill(pid, SIGCONT);
    job.goes_on();
    job.end();
}

/// Begins a fault, and ends it 2 s after this call, or as soon as the fault is in force. Starting a
/// command takes its time on a busy machine, and devices are patient for only some 8 s.
fn for_a_while(begins: &str, ends: &str) {
    let begin = Instant::now();
    happens(begins);
    sleep(Duration::from_secs(2).saturating_sub(begin.elapsed()));
    happens(ends);
    println!("it has taken {} ms at most", begin.elapsed().as_millis());
}

/// The outage is shorter than the time for which a device repeats requests. Packets are lost in the
/// switch, as during its restart.
fn a_link_comes_back() {
    let _alone = alone();
    comes_back(Job::start());
}

pub fn comes_back(mut job: Job) {
    for_a_while(&format!("path_down {HOST}"), &format!("path_up {HOST}"));
    job.goes_on();
    job.end();
}

/// The cable itself is pulled out.
fn a_port_comes_back() {
    let _alone = alone();
    port_comes_back(Job::start());
}

/// While the cable is out, the port is down and the device cannot send. soft-RoCE may end a
/// connection then. If it cannot send the first packet of a read's answer, it later continues with
/// the second, which the other end refuses. So the job may fail, but only if the device has counted
/// an answer that it could not send. No rank may have read wrong data, which the job checks.
pub fn port_comes_back(mut job: Job) {
    let before = answers_unsent();
    for_a_while(&format!("link_down {HOST}"), &format!("link_up {HOST}"));
    match job.goes_on_or_fails() {
        None => drop(job.end()),
        Some(said) => {
            println!("{said}");
            assert_ne!(answers_unsent(), before, "{said}");
            let (ended, _) = job.fail();
            let message = [said, ended.out, ended.err].concat();
            let why = [
                "its queue pair has failed",
                "the device reports a read as done",
                "the peer does not answer",
            ];
            assert!(why.iter().any(|why| message.contains(why)), "{message}");
            assert!(!message.contains("panicked"), "{message}");
        }
    }
}

/// The number of answers that the device of the host could not send.
fn answers_unsent() -> u64 {
    let path = format!("/sys/class/infiniband/rxe{HOST}/ports/1/hw_counters/send_rnr_err");
    let count = std::fs::read_to_string(path).expect("soft-RoCE has it");
    count.trim().parse().expect("a number")
}

/// SEMANTICS: END-2
fn a_link_stays_down() {
    let _alone = alone();
    stays_down(Job::start());
}

/// Rank 2 is cut off for good. All ranks learn of it, and the job's error names the verb that has
/// shown it and a remedy.
pub fn stays_down(job: Job) {
    happens(&format!("link_down {HOST}"));
    let begin = Instant::now();
    let (ended, said) = job.fail();
    println!("all have ended after {} ms", begin.elapsed().as_millis());
    happens(&format!("link_up {HOST}"));
    for rank in [0, 1, 3] {
        assert_named(said[rank].as_ref().expect("it has printed its error"), RANK);
    }
    assert!(said[RANK].as_ref().is_some_and(|said| said.contains(" is lost: ")), "{said:?}");
    // The error of the first rank that noticed. Both ends of the cable notice at about the same
    // time, so it may be rank 2, which has lost another.
    let message = ended.failed(1);
    let is_lost = |rank| message.contains(&format!("rank 2: rank {rank} is lost: ibv_p"));
    let is_named =
        message.contains(": rank 2 is lost: ibv_p") || [0, 1, 3].into_iter().any(is_lost);
    assert!(is_named, "{message}");
    assert!(message.contains(": the peer does not answer; "), "{message}");
    // Rank 2 itself knows that its own port is down.
    let remedy = match message.contains(": rank 2 is lost: ibv_p") {
        true => "check the cable and the port of its device",
        false => "port 1 of rxe3, the device here, is down",
    };
    assert!(message.contains(remedy), "{message}");
    assert_eq!(ended.err.lines().count(), 1, "{ended:?}");
}

fn a_port_that_is_down_is_named() {
    let _alone = alone();
    happens(&format!("link_down {HOST}"));
    let ended = ended(over_rdma(&mut part("rounds 4")));
    happens(&format!("link_up {HOST}"));
    let message = ended.failed(1);
    assert!(message.contains("port 1 of the RDMA device rxe3 is not active but down"), "{message}");
    assert!(message.contains("check the cable"), "{message}");
}

/// A switch or a firewall drops all packets: connecting the ranks fails with the usual remedy.
fn a_blocked_path_is_named() {
    let _alone = alone();
    happens(&format!("path_down {HOST}"));
    let ended = ended(over_rdma(&mut part("rounds 4")));
    happens(&format!("path_up {HOST}"));
    let message = ended.failed(1);
    let unreached = "cannot be reached by RDMA: ibv_post_send: the peer does not answer; ";
    assert!(message.contains("the ranks cannot be connected by RDMA: rank "), "{message}");
    assert!(message.contains(unreached) && message.contains("UDP port 4791"), "{message}");
    let is_named = message.contains("rank 2 cannot be") || message.contains("rank 2: the ranks");
    assert!(is_named, "{message}");
}

/// This program with a limit on locked memory, in KiB.
pub fn with_memlock(kib: usize) -> Command {
    let mut command = hosts(&format!("with_memlock {kib}"));
    command.arg(this_program()).arg(PART);
    command
}

/// The amount that the error names is enough, and no less is.
fn the_error_names_the_lockable_memory_needed() {
    let _alone = alone();
    let kib = kib_needed();
    let with = |kib: usize| ended(over_rdma(with_memlock(kib).args(["ring", "4"])));
    let allowed = with(kib);
    assert!(allowed.status.success() && allowed.err.is_empty(), "{kib} KiB: {allowed:?}");
    assert_eq!(with(kib - 4).status.code(), Some(1));
}

/// The memory in KiB that each of four ranks must be able to lock, according to the error.
pub fn kib_needed() -> usize {
    let refused = ended(over_rdma(with_memlock(64).args(["ring", "4"])));
    let message = refused.failed(1);
    assert!(message.contains("ibv_reg_mr"), "{message}");
    let number = |after: &str, before: &str| {
        let (_, rest) = message.split_once(after)?;
        rest.split_once(before)?.0.parse::<usize>().ok()
    };
    let bytes = number(": ibv_reg_mr: ", " bytes cannot be registered, of ");
    let needed = number(" bytes cannot be registered, of ", " that this rank needs: ");
    assert!(bytes.is_some() && bytes < needed, "{message}");
    assert!(message.contains("Cannot allocate memory"), "{message}");
    let kib = number("`ulimit -l ", "`").expect("the remedy");
    assert_eq!(Some(kib), needed.map(|needed| needed.div_ceil(1024)), "{message}");
    kib
}
