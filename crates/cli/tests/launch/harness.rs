//! Starts the programs under test, and collects their output and exit status.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub use runahead_testkit::processes::state;
pub use runahead_testkit::programs::{clean, this_program};

/// A test: its name and its function.
pub type Test = (&'static str, fn());

pub const SIGINT: i32 = 2;
pub const SIGKILL: i32 = 9;
pub const SIGUSR1: i32 = 10;
pub const SIGTERM: i32 = 15;
pub const SIGCONT: i32 = 18;
pub const SIGSTOP: i32 = 19;

/// The argument that makes this program play a part.
pub const PART: &str = "part";

/// A test that takes longer than this hangs. Nothing is measured by it.
const HANGS: Duration = Duration::from_secs(300);

/// A part of this program, with arguments that are separated by spaces.
pub fn part(line: &str) -> Command {
    let mut command = Command::new(this_program());
    command.arg(PART).args(line.split_whitespace()).stdin(Stdio::null());
    command
}

/// `runahead run`, with arguments that are separated by spaces.
pub fn run(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runahead"));
    command.arg("run").args(line.split_whitespace()).stdin(Stdio::null());
    command
}

/// A part of this program, as a job of `runahead run`.
pub fn run_part(options: &str, line: &str) -> Command {
    let mut command = run(options);
    command.arg("--").arg(this_program()).arg(PART).args(line.split_whitespace());
    command
}

/// The exit status and the output of a program.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub out: String,
    pub err: String,
}

impl Ended {
    /// The lines of its standard output, sorted.
    pub fn sorted(&self) -> Vec<&str> {
        let mut lines: Vec<_> = self.out.lines().collect();
        lines.sort_unstable();
        lines
    }

    /// Checks that it has failed with this exit code, and returns the last line of its errors.
    #[track_caller]
    pub fn failed(&self, code: i32) -> &str {
        assert_eq!(self.status.code(), Some(code), "{self:?}");
        self.err.lines().last().expect("a message")
    }
}

/// A running program.
pub struct Running {
    pub child: Child,
    pub out: BufReader<ChildStdout>,
}

impl Running {
    /// The next line of its standard output.
    #[track_caller]
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("UTF-8");
        assert!(line.ends_with('\n'), "the program has ended, with {line:?}");
        line.trim_end().to_owned()
    }

    /// Writes to its standard input.
    pub fn say(&mut self, text: &str) {
        let stdin = self.child.stdin.as_mut().expect("a pipe");
        stdin.write_all(text.as_bytes()).expect("it listens");
    }

    pub fn signal(&self, signal: i32) {
        kill(self.child.id(), signal);
    }

    /// Waits until it and all other writers of its pipes have ended.
    pub fn end(mut self) -> Ended {
        drop(self.child.stdin.take());
        let mut err = self.child.stderr.take().expect("a pipe");
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            err.read_to_string(&mut text).map(|_| text)
        });
        let mut out = String::new();
        let mut reader = self.out;
        let output = std::thread::spawn(move || reader.read_to_string(&mut out).map(|_| out));
        let begin = Instant::now();
        while !(output.is_finished() && errors.is_finished()) {
            if begin.elapsed() > HANGS {
                let _ = self.child.kill();
                panic!("the program hangs");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let [out, err] = [output, errors].map(|text| text.join().unwrap().expect("UTF-8"));
        Ended { status: self.child.wait().expect("it can be waited for"), out, err }
    }
}

/// Starts a program.
pub fn start(command: &mut Command) -> Running {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it can be started");
    let out = BufReader::new(child.stdout.take().expect("a pipe"));
    Running { child, out }
}

/// Runs a program to its end.
pub fn ended(command: &mut Command) -> Ended {
    start(command).end()
}

/// Runs a program that must succeed, and returns its output.
#[track_caller]
pub fn succeed(command: &mut Command) -> Ended {
    let ended = ended(command);
    assert!(ended.status.success() && ended.err.is_empty(), "{command:?}: {ended:?}");
    ended
}

/// Sends a signal to a process.
pub fn kill(pid: u32, signal: i32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).expect("a process");
    let signal = rustix::process::Signal::from_named_raw(signal).expect("a signal");
    rustix::process::kill_process(pid, signal).expect("it is there");
}

/// Whether a process has ended, even if as a zombie.
pub fn is_gone(pid: &u32) -> bool {
    matches!(state(*pid), None | Some('Z' | 'X'))
}

/// Waits until a condition holds.
pub fn until(mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < HANGS, "it is never so");
        std::thread::sleep(Duration::from_millis(1));
    }
}
