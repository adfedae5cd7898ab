//! Traces of a job: its processes while it runs, and the processes and files that it leaves behind.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::job::{Folder, MARK};
use runahead_testkit::processes::fields;

/// The directory of named memory.
const NAMED_MEMORY: &str = "/dev/shm";

/// A process, distinguished by its start time from others that had its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    started: u64,
}

impl Process {
    fn of(pid: u32) -> Option<Process> {
        let started = fields(pid)?.split(' ').nth(19)?.parse().ok()?;
        Some(Process { pid, started })
    }

    /// Whether the process exists, even as a zombie.
    fn is_there(self) -> bool {
        Process::of(self.pid) == Some(self)
    }

    /// Whether the process exists and is no zombie.
    pub fn is_running(self) -> bool {
        self.is_there() && fields(self.pid).is_some_and(|fields| !fields.starts_with(['Z', 'X']))
    }
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("the system lists its processes");
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The value of a variable in the environment that a process was started with.
fn variable(environment: &[u8], name: &str) -> Option<String> {
    let mut entries = environment.split(|&byte| byte == 0);
    let value = entries.find_map(|entry| entry.strip_prefix(format!("{name}=").as_bytes()))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

fn has_mark(pid: u32, mark: &str) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    variable(&environment, MARK).as_deref() == Some(mark)
}

/// The existing ranks that the process `starter` has started.
pub fn ranks_of(starter: u32, mark: &str) -> Vec<(usize, Process)> {
    let child = |pid: u32| {
        let fields = fields(pid)?;
        (fields.split(' ').nth(1)?.parse() == Ok(starter)).then_some(())?;
        let process = Process::of(pid)?;
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        (variable(&environment, MARK)? == mark).then_some(())?;
        // The rank is the third field of the launcher's job handle.
        let job = variable(&environment, runahead::launch::JOB_VARIABLE)?;
        Some((job.split(':').nth(2)?.parse().ok()?, process))
    };
    pids().filter_map(child).collect()
}

/// The state of a job's processes, for the investigation of a hang.
pub fn where_they_are(mark: &str) -> String {
    let read = |pid: u32, what: &str| {
        fs::read_to_string(format!("/proc/{pid}/{what}")).unwrap_or_default()
    };
    let one = |pid: u32| {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let job = variable(&environment, runahead::launch::JOB_VARIABLE).unwrap_or_default();
        let state = fields(pid).and_then(|fields| fields.chars().next()).unwrap_or('-');
        format!("{pid} job {job} state {state} in {} {}", read(pid, "wchan"), read(pid, "syscall"))
    };
    pids().filter(|&pid| has_mark(pid, mark)).map(one).collect::<Vec<_>>().join("\n")
}

/// The named memory that existed before a job.
pub struct Before {
    memory: BTreeSet<OsString>,
}

fn listing(folder: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect()
}

impl Before {
    pub fn now() -> Before {
        Before { memory: listing(Path::new(NAMED_MEMORY)) }
    }

    /// Named memory that was created since then and that no process uses. Memory that other
    /// programs created meanwhile is in use; a directory of `runahead bench peers` is its own.
    fn new_memory(&self) -> Vec<PathBuf> {
        let now = listing(Path::new(NAMED_MEMORY));
        let new = now.difference(&self.memory).map(|name| Path::new(NAMED_MEMORY).join(name));
        new.filter(|path| path.exists() && !is_used(path) && !is_of_a_bench(path)).collect()
    }
}

fn is_used(path: &Path) -> bool {
    let maps = |pid: u32| fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let opened = |pid: u32| {
        let fds = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten();
        fds.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok()).any(|target| target == path)
    };
    let name = path.to_string_lossy();
    pids().any(|pid| opened(pid) || maps(pid).contains(&*name))
}

/// Whether it is the directory of a `runahead bench peers` that runs, as its name says.
fn is_of_a_bench(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.strip_prefix("runahead-peers-").and_then(|rest| rest.split('-').next());
    pid.and_then(|pid| pid.parse().ok()).is_some_and(|pid| Process::of(pid).is_some())
}

/// The processes and files left by a job that has ended. `known` are processes that were seen in
/// it. The victim of a kill may leave the file that it was writing. Processes have until `limit` to
/// end.
pub fn left(
    mark: &str,
    known: &[Process],
    before: &Before,
    folder: &Folder,
    victim: Option<u32>,
    limit: Duration,
) -> Vec<String> {
    let mut found = Vec::new();
    let begin = Instant::now();
    let processes = loop {
        let marked = pids().filter(|&pid| has_mark(pid, mark));
        let zombies = known.iter().filter(|process| process.is_there()).map(|process| process.pid);
        let there: BTreeSet<u32> = marked.chain(zombies).collect();
        if there.is_empty() || begin.elapsed() > limit {
            break there;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let of_process = |pid: u32| {
        let fields = fields(pid).unwrap_or_default();
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        format!("process {pid} {}: {fields}", name.trim_end())
    };
    found.extend(processes.into_iter().map(of_process));
    let of_file = |path: PathBuf| path.display().to_string();
    found.extend(before.new_memory().into_iter().map(of_file));
    let is_ours = |name: &OsString| {
        let name = name.to_string_lossy();
        let being_written = victim.map(|pid| format!(".out.bin.{pid}.partial"));
        ["tmp", "cache", "in.u32", "in.u64", "out.bin"].contains(&&*name)
            || being_written.as_deref() == Some(&*name)
    };
    let here = listing(&folder.path("."));
    found.extend(here.iter().filter(|name| !is_ours(name)).map(|name| of_file(name.into())));
    let temporary = listing(&folder.path("tmp"));
    found.extend(temporary.iter().map(|name| of_file(folder.path("tmp").join(name))));
    // The cache may remain, but no temporary file of it, whose name begins with a dot.
    let mut folders = vec![folder.path("cache")];
    while let Some(inner) = folders.pop() {
        for path in listing(&inner).iter().map(|name| inner.join(name)) {
            let hidden = path.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
            match path.is_dir() {
                true => folders.push(path),
                false if hidden => found.push(of_file(path)),
                false => {}
            }
        }
    }
    found
}

/// Kills the remaining processes of a job.
pub fn end(mark: &str) {
    for pid in pids().filter(|&pid| has_mark(pid, mark)) {
        if let Some(pid) = Pid::from_raw(pid as i32) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
