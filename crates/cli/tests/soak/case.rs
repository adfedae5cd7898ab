//! A case: the fault, the rank and job that it meets, and the moment. All of it is drawn from the
//! soak's seed and the case's name, so that any case can be repeated alone.

use std::fmt;
use std::process::Command;
use std::time::Duration;

use fastrand::Rng;

use crate::collectives;
use crate::input::{self, Sizes};
use crate::job::{Folder, PART};
use crate::witness::WITNESS;
use runahead_testkit::programs::{example, this_program};

/// The kind of fault that meets a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL.
    Kill,
    /// SIGSTOP, and SIGCONT later.
    Stop,
    /// The rank gets little processor time for a while.
    Slow,
}

/// The algorithm that the job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    RadixSort,
    PrefixScan,
    Stencil,
    /// No example: see `collectives.rs`.
    Collectives,
}

/// The program that runs the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The example itself.
    Example,
    /// A program that runs the example's algorithm, and whose ranks report how they end; see
    /// `witness.rs`.
    Witness,
}

/// The process that starts the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    /// The program.
    Itself,
    /// `runahead run`.
    Command,
}

/// The fault in detail.
#[derive(Clone, Debug, PartialEq)]
pub enum Manner {
    Kill,
    Stop {
        lasting: Duration,
    },
    /// SIGSTOP and SIGCONT in quick turns.
    Turns {
        lasting: Duration,
        seed: u64,
    },
    /// Threads that spin on the victim's core, while the victim may use no other.
    Hog {
        threads: usize,
        lasting: Duration,
    },
}

pub const FAULTS: [Fault; 3] = [Fault::Kill, Fault::Stop, Fault::Slow];
pub const PROGRAMS: [Program; 4] =
    [Program::RadixSort, Program::PrefixScan, Program::Stencil, Program::Collectives];
const NOTIFY: [&str; 6] = ["", "poll", "yield", "block", "spin-then-block", "adaptive"];

impl Fault {
    pub fn name(self) -> &'static str {
        match self {
            Fault::Kill => "kill",
            Fault::Stop => "stop",
            Fault::Slow => "slow",
        }
    }
}

impl Program {
    pub fn name(self) -> &'static str {
        match self {
            Program::RadixSort => "radix_sort",
            Program::PrefixScan => "prefix_scan",
            Program::Stencil => "stencil",
            Program::Collectives => "collectives",
        }
    }

    pub fn named(name: &str) -> Option<Program> {
        PROGRAMS.into_iter().find(|program| program.name() == name)
    }
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    pub fault: Fault,
    pub program: Program,
    pub number: u32,
    pub soak_seed: u64,
    pub form: Form,
    pub starter: Starter,
    pub ranks: usize,
    pub victim: usize,
    pub algorithm: String,
    pub notify: &'static str,
    /// Whether the launcher lets ranks run on for ever after a failure. A rank that does not notice
    /// the failure is then never ended.
    pub without_grace: bool,
    /// The moment of the fault, as a share of the time that the job takes undisturbed.
    pub moment: f64,
    pub manner: Manner,
    pub data_seed: u64,
    /// The part that a witness plays: it may have a plant.
    pub part: &'static str,
}

impl Case {
    pub fn drawn(soak_seed: u64, fault: Fault, program: Program, number: u32) -> Case {
        let name = format!("{soak_seed}/{}/{}/{number}", fault.name(), program.name());
        let mut source = Rng::with_seed(input::digest(name.as_bytes()));
        let starter = source.choice([Starter::Itself, Starter::Command]).expect("two");
        // The example has several launches, and a job of the command may have one.
        let must_witness = (program, starter) == (Program::Stencil, Starter::Command)
            || program == Program::Collectives;
        let wants_witness = fault == Fault::Kill && source.bool();
        let form = if must_witness || wants_witness { Form::Witness } else { Form::Example };
        let notify = NOTIFY[source.usize(..NOTIFY.len())];
        // Polling needs a core for each rank, and few machines have eight.
        let ranks = if notify == "poll" { 2 } else { source.usize(2..=8) };
        let mut algorithms = vec![String::new(), "auto".to_owned()];
        algorithms.extend(runahead::Algorithm::ALL.map(|algorithm| algorithm.to_string()));
        let manner = match fault {
            Fault::Kill => Manner::Kill,
            Fault::Stop => Manner::Stop { lasting: Duration::from_millis(source.u64(100..=3000)) },
            Fault::Slow => {
                let lasting = Duration::from_millis(source.u64(200..=1500));
                match source.bool() {
                    true => Manner::Turns { lasting, seed: source.u64(..) },
                    false => Manner::Hog { threads: source.usize(1..=3), lasting },
                }
            }
        };
        Case {
            fault,
            program,
            number,
            soak_seed,
            form,
            starter,
            ranks,
            victim: source.usize(..ranks),
            algorithm: algorithms.swap_remove(source.usize(..algorithms.len())),
            notify,
            without_grace: source.bool(),
            moment: source.f64() * 1.1,
            manner,
            data_seed: source.u64(..),
            part: WITNESS,
        }
    }

    /// The name of the case. With the seed it determines the case.
    pub fn name(&self) -> String {
        format!("{}/{}/{}", self.fault.name(), self.program.name(), self.number)
    }

    /// The command line that repeats the case.
    pub fn again(&self) -> String {
        let release = if cfg!(debug_assertions) { "" } else { " --release" };
        format!(
            "RUNAHEAD_SOAK_SEED={} RUNAHEAD_SOAK_CASE={} cargo test{release} --test soak",
            self.soak_seed,
            self.name()
        )
    }

    /// The command that starts the job, in `folder`.
    pub fn command(&self, folder: &Folder) -> Command {
        let (name, ranks) = (self.program.name(), self.ranks.to_string());
        let mut line: Vec<String> = Vec::new();
        match self.form {
            Form::Witness => {
                line.push(this_program().display().to_string());
                line.extend([PART, self.part, name, &ranks].map(str::to_owned));
                line.push(self.data_seed.to_string());
            }
            Form::Example => {
                line.push(example(name).display().to_string());
                line.extend(["--ranks", &ranks].map(str::to_owned));
                // The examples choose their algorithm themselves, and ignore the variable.
                if !self.algorithm.is_empty() {
                    line.extend(["--algorithm".to_owned(), self.algorithm.clone()]);
                }
                line.extend(self.arguments(folder));
            }
        }
        let mut command = match self.starter {
            Starter::Itself => Command::new(&line[0]),
            Starter::Command => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_runahead"));
                command.args(["run", "-n", &ranks]).arg(&line[0]);
                command
            }
        };
        command.args(&line[1..]);
        command.env("RUNAHEAD_BARRIER", &self.algorithm).env("RUNAHEAD_NOTIFY", self.notify);
        command.env("RUNAHEAD_GRACE_S", if self.without_grace { "0" } else { "" });
        command
    }

    /// The arguments with which the example works on the drawn data, and writes its result.
    fn arguments(&self, folder: &Folder) -> Vec<String> {
        let sizes = Sizes::usual();
        let path = |name: &str| folder.path(name).display().to_string();
        let files = |more: &[&str], kind: &str| {
            let input = path(&format!("in.{kind}"));
            let bytes = match self.program {
                Program::RadixSort => input::bytes_u32(&input::keys(self.data_seed, &sizes)),
                _ => input::bytes_u64(&input::numbers(self.data_seed, &sizes)),
            };
            std::fs::write(&input, bytes).expect("a file");
            let mut line: Vec<String> = more.iter().map(|&word| word.to_owned()).collect();
            line.extend(["--check", "--input"].map(str::to_owned));
            line.extend([input, "--output".to_owned(), path("out.bin")]);
            line
        };
        match self.program {
            Program::RadixSort => files(&["--format", "u32le"], "u32"),
            Program::PrefixScan => files(&["--variant", "naive", "--format", "u64le"], "u64"),
            Program::Stencil => {
                let Sizes { width, height, steps, .. } = sizes;
                let order = if self.data_seed & 1 == 0 { "overlap" } else { "fence" };
                let mut line = format!(
                    "--runs 1 --width {width} --height {height} --steps {steps} --order {order}"
                );
                line += " --output";
                let mut line: Vec<String> = line.split(' ').map(str::to_owned).collect();
                line.push(path("out.bin"));
                line
            }
            Program::Collectives => panic!("it is no example"),
        }
    }

    /// The right result of the job; None if only an undisturbed run can tell.
    pub fn right(&self) -> Option<Vec<u8>> {
        let sizes = Sizes::usual();
        let bytes = match self.program {
            Program::RadixSort => input::bytes_u32(&input::sorted(self.data_seed, &sizes)),
            Program::PrefixScan => input::bytes_u64(&input::sums(self.data_seed, &sizes)),
            Program::Stencil if self.form == Form::Example => return None,
            Program::Stencil => return Some(input::digest_line(input::heat_digest(&sizes))),
            Program::Collectives => {
                let right = collectives::right(self.data_seed, &sizes, self.ranks);
                return Some(input::digest_line(right));
            }
        };
        Some(match self.form {
            Form::Example => bytes,
            Form::Witness => input::digest_line(input::digest(&bytes)),
        })
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = |text: &str| if text.is_empty() { "default".to_owned() } else { text.to_owned() };
        write!(
            f,
            "{}: {:?} of rank {} of {} at {:.3}, {:?} started by {:?}, barrier {}, notify {}{}",
            self.name(),
            self.manner,
            self.victim,
            self.ranks,
            self.moment,
            self.form,
            self.starter,
            how(&self.algorithm),
            how(self.notify),
            if self.without_grace { ", no grace" } else { "" }
        )
    }
}
