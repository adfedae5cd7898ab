//! Starts a process that ends with its parent, watches it, and describes the own process. (Linux.)
//!
//! It does not decide when a process starts or ends, and knows nothing of ranks. It contains all
//! code that runs between fork and exec.

use std::ffi::{CString, OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStderr, ChildStdout, Command, Stdio};
use std::sync::Arc;

use rustix::io::{Errno, FdFlags, fcntl_getfd, fcntl_setfd};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, getpid, getppid, getrlimit, pidfd_open,
    pidfd_send_signal, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{CpuSet, gettid, sched_getaffinity, sched_setaffinity, set_name};
use serde::{Deserialize, Serialize};

use super::fd::{AsFd, BorrowedFd, OwnedFd};

/// The destination of a process's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Streams {
    /// The same as this process's.
    Inherited,
    /// Standard output is discarded; standard error is this process's.
    Quiet,
    /// Pipes.
    Piped,
}

/// A process to start.
pub(crate) struct Start<'a> {
    pub(crate) program: &'a OsStr,
    pub(crate) arg0: Option<&'a OsStr>,
    pub(crate) args: &'a [OsString],
    /// Variables that it has in addition to this process's environment.
    pub(crate) env: &'a [(OsString, OsString)],
    /// Whether it reads this process's standard input; otherwise it reads end of file.
    pub(crate) stdin: bool,
    pub(crate) streams: Streams,
    /// The descriptors that it inherits, with the same numbers.
    pub(crate) inherit: Arc<OwnedFd>,
    /// The core to which it is bound.
    pub(crate) core: Option<usize>,
    /// How many files it may open, if that differs from this process.
    pub(crate) files: Option<Rlimit>,
}

impl Start<'_> {
    /// Starts it. It is killed when the calling *thread* ends.
    ///
    /// # Errors
    ///
    /// If the program does not exist, may not be executed, or the system cannot create a process.
    pub(crate) fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(self.program);
        command.args(self.args).envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(arg0) = self.arg0 {
            command.arg0(arg0);
        }
        command.stdin(if self.stdin { Stdio::inherit() } else { Stdio::null() });
        match self.streams {
            Streams::Inherited => {}
            Streams::Quiet => drop(command.stdout(Stdio::null())),
            Streams::Piped => drop(command.stdout(Stdio::piped()).stderr(Stdio::piped())),
        }
        let (inherited, files) = (Arc::clone(&self.inherit), self.files);
        let cores = self.core.map(|core| {
            let mut cores = CpuSet::new();
            cores.set(core);
            cores
        });
        let starter = getpid();
        let prepare = move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            // It may have ended before that was said.
            if getppid() != Some(starter) {
                return Err(Errno::SRCH.into());
            }
            if let Some(cores) = &cores {
                sched_setaffinity(None, cores)?;
            }
            if let Some(files) = &files {
                setrlimit(Resource::Nofile, *files)?;
            }
            fcntl_setfd(&*inherited, FdFlags::empty())?;
            Ok(())
        };
        // SAFETY: between fork and exec it only makes system calls, each of which is safe in a
        // signal handler, and reads memory that was allocated before. It allocates nothing, takes
        // no lock, and cannot panic; an error is a number.
        unsafe { command.pre_exec(prepare) };
        let mut child = command.spawn()?;
        let pid = Pid::from_child(&child);
        // The number cannot mean another process: this one was not waited for yet.
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => Ok(Child { child, pidfd, end: None }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error.into())
            }
        }
    }
}

/// How many files this process may open, as long as this lives.
#[derive(Debug)]
pub(crate) struct FileLimit {
    before: Option<Rlimit>,
}

/// So many files a process has open beside what it asks for.
const OTHER_FILES: usize = 64;

impl FileLimit {
    /// Allows so many beside some others, if the system lets it.
    pub(crate) fn allow(files: usize) -> FileLimit {
        let before = getrlimit(Resource::Nofile);
        let needed = (files + OTHER_FILES) as u64;
        let wanted = before.maximum.map_or(needed, |maximum| needed.min(maximum));
        if before.current.is_none_or(|current| current >= wanted) {
            return FileLimit { before: None };
        }
        let raised = Rlimit { current: Some(wanted), maximum: before.maximum };
        // If it may not, it sees that when it opens them.
        let is_raised = setrlimit(Resource::Nofile, raised).is_ok();
        FileLimit { before: is_raised.then_some(before) }
    }

    /// How many it could open before, if that was changed.
    pub(crate) fn before(&self) -> Option<Rlimit> {
        self.before
    }
}

impl Drop for FileLimit {
    fn drop(&mut self) {
        if let Some(before) = self.before.take() {
            let _ = setrlimit(Resource::Nofile, before);
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    Exited(i32),
    Killed(i32),
}

/// A child process. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Child {
    child: std::process::Child,
    pidfd: OwnedFd,
    end: Option<End>,
}

impl Child {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Becomes readable when the process has ended.
    pub(crate) fn ended(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Its output, if it goes into pipes.
    pub(crate) fn streams(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdout.take(), self.child.stderr.take())
    }

    /// How it ended, if it has ended.
    pub(crate) fn end(&mut self) -> Option<End> {
        if self.end.is_none() {
            self.end = match self.child.try_wait() {
                Ok(None) => None,
                Ok(Some(status)) => Some(match (status.code(), status.signal()) {
                    (Some(code), _) => End::Exited(code),
                    (None, signal) => End::Killed(signal.unwrap_or_default()),
                }),
                // This process was started to ignore the end of its children: the child has ended,
                // and its status is lost.
                Err(_) => Some(End::Exited(0)),
            };
        }
        self.end
    }

    /// Sends it a signal. Nothing happens if it has ended, or if there is no such signal.
    pub(crate) fn signal(&self, signal: i32) {
        if let (None, Some(signal)) = (self.end, Signal::from_named_raw(signal)) {
            let _ = pidfd_send_signal(&self.pidfd, signal);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.end().is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

pub(crate) const SIGINT: i32 = Signal::INT.as_raw();
pub(crate) const SIGTERM: i32 = Signal::TERM.as_raw();
pub(crate) const SIGKILL: i32 = Signal::KILL.as_raw();
/// The signals that a terminal sends to all processes of a job, by its keys or at its end.
pub(crate) const TERMINAL: [i32; 3] =
    [Signal::INT.as_raw(), Signal::QUIT.as_raw(), Signal::HUP.as_raw()];

/// The number of a signal, with its name if it has a common one.
pub(crate) fn signal_name(signal: i32) -> String {
    const NAMES: [(Signal, &str); 20] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::IO, "SIGIO"),
        (Signal::SYS, "SIGSYS"),
    ];
    let known = NAMES.iter().find(|(known, _)| known.as_raw() == signal);
    known.map_or(format!("signal {signal}"), |(_, name)| format!("signal {signal} ({name})"))
}

/// The process.
pub(crate) fn own_pid() -> u32 {
    std::process::id()
}

/// Whether `parent` started this process, and still exists.
pub(crate) fn started_by(pid: u32) -> bool {
    getppid().is_some_and(|parent| parent.as_raw_nonzero().get().cast_unsigned() == pid)
}

/// Whether the calling thread is the one that `main` runs in.
pub(crate) fn on_main_thread() -> bool {
    gettid() == getpid()
}

/// The running program, even if its file is gone; the name by which it was called; and its
/// arguments.
pub(crate) fn own_command() -> (OsString, Option<OsString>, Vec<OsString>) {
    let mut args = std::env::args_os();
    let arg0 = args.next();
    ("/proc/self/exe".into(), arg0, args.collect())
}

/// Makes the system list this process by the name of its program, instead of the link by which it
/// was started.
pub(crate) fn show_own_name() {
    // If that fails, the process is listed by another name, and nothing else changes.
    let Ok(path) = std::env::current_exe() else { return };
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    // The system appends this if the file has been removed since.
    let name = name.strip_suffix(b" (deleted)").unwrap_or(name);
    if let Ok(name) = CString::new(name) {
        let _ = set_name(&name);
    }
}

/// The cores that this process may use.
pub(crate) fn allowed_cores() -> io::Result<Vec<usize>> {
    let allowed = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core)).collect())
}

/// Takes over the inherited descriptor with this number. None if there is none.
///
/// Call it only for numbers that the parent of this process has named, and once for each.
pub(crate) fn adopt(number: i32) -> Option<OwnedFd> {
    use std::os::fd::FromRawFd;
    if number <= 2 {
        return None;
    }
    // SAFETY: it is not used for longer than this function takes, and a number that stands for
    // nothing gives an error.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    // Descriptors that this process has opened itself are closed on exec.
    if fcntl_getfd(fd).ok()?.contains(FdFlags::CLOEXEC) {
        return None;
    }
    fcntl_setfd(fd, FdFlags::CLOEXEC).ok()?;
    // SAFETY: it is open, and was open before this program began, which nobody else in it knows:
    // the starter tells its number for this purpose alone.
    Some(unsafe { OwnedFd::from_raw_fd(number) })
}

/// A duplicate of this process's standard output, for a process whose own is discarded at the
/// start.
pub(crate) fn copy_of_stdout() -> io::Result<OwnedFd> {
    Ok(rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?)
}

/// Makes `fd` the standard output from now on. Earlier output stays where it went.
pub(crate) fn replace_stdout(fd: &OwnedFd) -> io::Result<()> {
    // It fails only if standard output is closed, and then nobody reads it.
    let _ = io::stdout().flush();
    Ok(rustix::stdio::dup2_stdout(fd)?)
}

/// Ends the process. Its output so far stays.
pub(crate) fn exit(code: i32) -> ! {
    let _ = io::stdout().flush();
    let _ = io::stderr().flush();
    std::process::exit(code)
}
