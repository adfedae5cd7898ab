//! The player built, and run by several ranks on this library or on another with the same interface.
//! Rules: what a rank has written before it failed is compared too, so that a failure names its program.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use runahead::launch::job::Job;

use super::program::Program;
use super::shared::{compile, folder, root};

/// The longest that a job may take.
const LIMIT: Duration = Duration::from_secs(120);

/// What is found where a rank has written nothing more.
pub const ENDED: &str = "the end";

/// What is expected of a job that has written all that it must.
const ENDS_WELL: &str = "a job that ends well";

/// What the player runs on.
#[derive(Clone, Debug)]
pub enum Library {
    /// The library that is tested, with barriers of this mode.
    Own(&'static str),
    /// This one, with a library of faults between.
    Faulty(&'static str),
    /// MPICH below this folder, with `bin/mpiexec` and `lib/libmpi_abi.so.1`.
    Mpich(PathBuf),
}

/// A folder with the player and the library.
pub struct Player {
    folder: tempfile::TempDir,
}

/// Where what is written first differs from what must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub program: usize,
    pub rank: usize,
    pub expected: String,
    pub found: String,
}

impl Difference {
    /// Whether a rank has written something that is wrong, and not just ended.
    pub fn is_of_data(&self) -> bool {
        self.found != ENDED && self.expected != ENDS_WELL
    }
}

fn sources() -> PathBuf {
    root().join("tests/differential/c")
}

impl Player {
    /// Builds it in a folder of its own.
    pub fn new() -> Self {
        let folder = folder();
        let files = ["player", "layouts", "messages", "collectives", "groups", "windows"];
        let files = files.map(|name| sources().join(format!("{name}.c")));
        compile(folder.path(), &files, "player", &["-std=gnu11"]);
        let faults = [sources().join("faults.c")];
        compile(folder.path(), &faults, "faults.so", &["-std=gnu11", "-shared", "-fPIC"]);
        Self { folder }
    }

    /// Plays programs in one job. Returns what each rank has written, and whether the job ended well.
    pub fn play(&self, library: &Library, ranks: usize, text: &str) -> (Vec<String>, bool) {
        let run = tempfile::tempdir_in(self.folder.path()).expect("a folder");
        let (program, player) = (run.path().join("program"), self.folder.path().join("player"));
        fs::write(&program, text).expect("a file");
        let files = [program.as_os_str(), run.path().as_os_str()];
        let well = match library {
            Library::Mpich(prefix) => Command::new("timeout")
                .arg(LIMIT.as_secs().to_string())
                .arg(prefix.join("bin/mpiexec"))
                .args(["-n", &ranks.to_string()])
                .arg(player)
                .args(files)
                .env("LD_LIBRARY_PATH", prefix.join("lib"))
                .status()
                .expect("timeout and mpiexec")
                .success(),
            Library::Own(_) | Library::Faulty(_) => {
                let job = Job::new(ranks, player).args(files).timeout(LIMIT);
                let job = job.env("LD_LIBRARY_PATH", self.folder.path());
                let job = match library {
                    Library::Faulty(fault) => job
                        .env("LD_PRELOAD", self.folder.path().join("faults.so"))
                        .env("FAULT", *fault),
                    Library::Own(mode) => job.env("RUNAHEAD_MPI_BARRIER", *mode),
                    Library::Mpich(_) => job,
                };
                job.run().expect("a job").code() == 0
            }
        };
        let told =
            (0..ranks).map(|rank| fs::read(run.path().join(rank.to_string())).unwrap_or_default());
        (told.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect(), well)
    }

    /// Plays programs, and says where the first that differs does so.
    pub fn check(
        &self,
        library: &Library,
        ranks: usize,
        programs: &[Program],
    ) -> Result<(), Difference> {
        let text: String = programs.iter().map(|program| program.text.as_str()).collect();
        let (told, well) = self.play(library, ranks, &text);
        compare(programs, &told, matches!(library, Library::Mpich(_)))?;
        if well {
            return Ok(());
        }
        let (expected, found) = (ENDS_WELL.to_owned(), "one that fails".to_owned());
        let program = programs.last().map_or(0, |program| program.number);
        Err(Difference { program, rank: 0, expected, found })
    }
}

/// Whether a line is what it must be. MPICH 5.0.2 does not count the elements of every datatype of several kinds: it
/// says that they cannot be counted, or a number that so many whole items cannot have.
fn same(expected: &str, found: &str, by_mpich: bool) -> bool {
    let miscounted = || {
        let (counted, elements) = found.split_once(" elements ")?;
        let (right, _) = expected.split_once(" elements ")?;
        let elements: i64 = elements.parse().ok()?;
        let items: i64 = counted.rsplit(' ').next()?.parse().ok()?;
        Some(right == counted && (elements == UNDEFINED || items > 0 && elements % items != 0))
    };
    expected == found || by_mpich && miscounted().unwrap_or(false)
}

/// What each rank writes before the first program: how an operator that was made with the large form composes
/// (3, 5) and (7, 11).
const BEFORE_ALL: &str = "0.0 operators 21 46";

/// MPI_UNDEFINED.
const UNDEFINED: i64 = -32766;

/// Compares what ranks have written with what they must write.
pub fn compare(programs: &[Program], told: &[String], by_mpich: bool) -> Result<(), Difference> {
    let mut lines: Vec<_> = told.iter().map(|told| told.lines()).collect();
    let first = programs.first().map_or(0, |program| program.number);
    let mut differences = Vec::new();
    for (rank, lines) in lines.iter_mut().enumerate() {
        let (expected, found) = (BEFORE_ALL.to_owned(), lines.next().unwrap_or(ENDED).to_owned());
        if found != expected {
            differences.push(Difference { program: first, rank, expected, found });
        }
    }
    for program in programs {
        for (rank, lines) in lines.iter_mut().enumerate() {
            for expected in &program.expected[rank] {
                let found = lines.next().unwrap_or(ENDED);
                if !same(expected, found, by_mpich) {
                    let (expected, found) = (expected.clone(), found.to_owned());
                    differences.push(Difference { program: program.number, rank, expected, found });
                    break;
                }
            }
        }
        // A rank that stopped because of another's mistake says less than the other.
        differences.sort_by_key(|difference| difference.found == ENDED);
        if let Some(first) = std::mem::take(&mut differences).into_iter().next() {
            return Err(first);
        }
    }
    match lines.iter_mut().enumerate().find_map(|(rank, lines)| Some((rank, lines.next()?))) {
        None => Ok(()),
        Some((rank, found)) => Err(Difference {
            program: programs.last().map_or(0, |program| program.number),
            rank,
            expected: ENDED.to_owned(),
            found: found.to_owned(),
        }),
    }
}
