//! A program with the algorithms of the examples, whose ranks report how they end: the error, the
//! rank to blame for it, and the time.
//!
//! Each rank prints one line when its program begins, and one when it has done its part or failed:
//! see [`Report`]. Each line is written at once. Rank 0 prints the job's result. A planted fault
//! makes it a program that the soak has to reject.

use std::io::Write;
use std::time::Duration;

use runahead::{Comm, Error, Exchange, Launch, Result};
use runahead_harness::share;

use crate::case::Program;
use crate::collectives;
use crate::input::{self, Sizes};
use crate::prefix_scan::naive::naive_scan;
use crate::radix_sort::sort::radix_sort;
use crate::stencil::heat::{Block, Order};

/// A rank's own report of its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub rank: usize,
    /// None if the rank has done its part.
    pub failure: Option<Failure>,
}

/// An error that a rank's call has returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The rank to blame for it.
    pub culprit: Option<usize>,
    /// Its time, by the monotonic clock.
    pub at_ns: u64,
    pub message: String,
}

/// The part of a witness without a planted fault.
pub const WITNESS: &str = "witness";

/// The ranks that have reported the begin of their program. A rank that fails while the ranks still
/// meet reports nothing: the job does.
pub fn begun(out: &str) -> Vec<usize> {
    let rank =
        |line: &str| line.strip_prefix("witness rank ")?.strip_suffix(" begins")?.parse().ok();
    out.lines().filter_map(rank).collect()
}

/// The begin of the line with the result.
const RESULT: &str = "witness result ";

impl Report {
    fn line(&self) -> String {
        let Report { rank, failure } = self;
        match failure {
            None => format!("witness rank {rank} done"),
            Some(Failure { culprit, at_ns, message }) => {
                let culprit = culprit.map_or("-".to_owned(), |culprit| culprit.to_string());
                format!("witness rank {rank} failed {culprit} {at_ns} {message}")
            }
        }
    }

    fn of_line(line: &str) -> Option<Report> {
        let (rank, what) = line.strip_prefix("witness rank ")?.split_once(' ')?;
        let failure = match what.strip_prefix("failed ") {
            None => (what == "done").then_some(None)?,
            Some(what) => {
                let mut words = what.splitn(3, ' ');
                let culprit = words.next()?.parse().ok();
                let at_ns = words.next()?.parse().ok()?;
                Some(Failure { culprit, at_ns, message: words.next()?.to_owned() })
            }
        };
        Some(Report { rank: rank.parse().ok()?, failure })
    }

    /// The reports in the output of a job.
    pub fn all(out: &str) -> Vec<Report> {
        out.lines().filter_map(Report::of_line).collect()
    }
}

/// The result that a job of witnesses has printed.
pub fn result(out: &str) -> Option<Vec<u8>> {
    out.lines().find_map(|line| line.strip_prefix(RESULT)).map(|digest| digest.as_bytes().to_vec())
}

/// The monotonic clock, which all processes share.
pub fn now_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

fn print(line: &str) {
    let _ = std::io::stdout().lock().write_all(format!("{line}\n").as_bytes());
}

/// Plays a part of this program: a witness, with or without a planted fault.
pub fn play(args: &[String]) -> Result<()> {
    let [kind, program, ranks, seed] = args else { return Err(Error::other("four arguments")) };
    let number = |text: &String| text.parse::<u64>().map_err(Error::other);
    let (ranks, seed) = (number(ranks)? as usize, number(seed)?);
    let program = Program::named(program).ok_or_else(|| Error::other("no such program"))?;
    let plant = kind.as_str();
    let launch = match program {
        Program::Collectives => collectives::launch(ranks),
        _ => Launch::new(ranks),
    };
    let result = launch.run(|world| {
        if (plant, world.rank()) == ("orphan", 0) {
            leave_a_child()?;
        }
        print(&format!("witness rank {} begins", world.rank()));
        let outcome = work(program, seed, world, plant);
        let culprit = |error: &Error| match plant {
            "blames" => Some(world.rank()),
            _ => error.culprit(),
        };
        let failure = outcome.as_ref().err().map(|error| Failure {
            culprit: culprit(error),
            at_ns: now_ns(),
            message: error.to_string(),
        });
        if plant != "mute" {
            print(&Report { rank: world.rank(), failure }.line());
        }
        match (plant, &outcome) {
            ("hangs", Err(_)) => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            ("ignores", Err(_)) => return Ok(()),
            _ => {}
        }
        if let Some(digest) = outcome? {
            let digest = if plant == "wrong" { !digest } else { digest };
            print(&format!("{RESULT}{}", String::from_utf8_lossy(&input::digest_line(digest))));
        }
        Ok(())
    });
    match plant {
        "file" => std::fs::write(std::env::temp_dir().join("left"), "left")?,
        "memory" => std::fs::write(format!("/dev/shm/planted-{}", std::process::id()), "left")?,
        "ignores" => return Ok(()),
        _ => {}
    }
    result
}

/// Leaves a process that the soak must find, although it holds none of the job's streams.
fn leave_a_child() -> Result<()> {
    use std::process::{Command, Stdio};
    let mut command = Command::new("sleep");
    command.arg("1000").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[allow(clippy::zombie_processes, reason = "that is the fault")]
    command.spawn()?;
    Ok(())
}

/// Runs the program at one rank. Rank 0 gets a digest of the result.
fn work(program: Program, seed: u64, world: &Comm, plant: &str) -> Result<Option<u64>> {
    let (sizes, first) = (Sizes::usual(), world.rank() == 0);
    let wait = false;
    match program {
        Program::RadixSort => {
            let all = first.then(|| input::keys(seed, &sizes));
            let (total, mut mine) = share::scatter(world, all.as_deref())?;
            radix_sort(world, wait, Exchange::default(), total, 1, &mut mine)?;
            let all = share::gather(world, mine)?;
            Ok(all.map(|all| input::digest(&input::bytes_u32(&all))))
        }
        Program::PrefixScan => {
            let all = first.then(|| input::numbers(seed, &sizes));
            let (total, mut mine) = share::scatter(world, all.as_deref())?;
            naive_scan(world, wait, total, 16, &mut mine, u64::wrapping_add)?;
            let all = share::gather(world, mine)?;
            Ok(all.map(|all| input::digest(&input::bytes_u64(&all))))
        }
        Program::Stencil => {
            let start = first.then(|| input::heat(&sizes));
            let mut block = Block::scatter(world, start.as_ref())?;
            let order = if seed & 1 == 0 { Order::Overlap } else { Order::Fence };
            block.run(sizes.steps, order, wait)?;
            Ok(block.gather(start.as_ref())?.map(|field| field.digest()))
        }
        Program::Collectives => {
            let digest = collectives::work(seed, &sizes, world, plant)?;
            Ok(first.then_some(digest))
        }
    }
}

/// A test of the soak: it reads the reports that the ranks print.
pub fn a_report_parses_as_it_was_printed() {
    let failure = Failure { culprit: Some(2), at_ns: 77, message: "rank 2 is lost: why".into() };
    let reports = [
        Report { rank: 1, failure: None },
        Report { rank: 0, failure: Some(failure.clone()) },
        Report { rank: 3, failure: Some(Failure { culprit: None, ..failure }) },
    ];
    for report in &reports {
        assert_eq!(Report::of_line(&report.line()).as_ref(), Some(report));
    }
    for line in ["", "witness rank x done", "witness rank 1 doing", "witness rank 1 failed 2"] {
        assert_eq!(Report::of_line(line), None, "{line}");
    }
    let out = "witness rank 2 begins\nwitness rank 1 done\nwitness rank 0 begins\nrank 3 begins\n";
    assert_eq!((begun(out), Report::all(out).len()), (vec![2, 0], 1));
}
