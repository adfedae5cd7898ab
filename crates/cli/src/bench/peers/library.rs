//! Finds the MPIs of this machine, builds the programs with them, and starts the programs.
//!
//! This command contains the programs' sources, so it needs nothing but the MPI's compiler. It
//! builds them in a temporary directory, which it removes at its end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use runahead::{Error, Result};
use tempfile::TempDir;

use super::error::PeersError;
use super::names::{Kind, Library, Tuning, What};
use crate::sys;

/// The programs, with their sources.
const PROGRAMS: [(&str, &str); 11] = [
    ("micro", include_str!("../../../../../benches/peers/micro.c")),
    ("collectives", include_str!("../../../../../benches/peers/collectives.c")),
    ("messages", include_str!("../../../../../benches/peers/messages.c")),
    ("radix_sort", include_str!("../../../../../benches/peers/radix_sort.c")),
    ("natural_sort", include_str!("../../../../../benches/peers/natural_sort.c")),
    ("prefix_scan", include_str!("../../../../../benches/peers/prefix_scan.c")),
    ("stencil", include_str!("../../../../../benches/peers/stencil.c")),
    ("barrier_loop", include_str!("../../../../../benches/peers/barrier_loop.c")),
    ("all_reduce_loop", include_str!("../../../../../benches/peers/all_reduce_loop.c")),
    ("halo_loop", include_str!("../../../../../benches/peers/halo_loop.c")),
    ("overlap", include_str!("../../../../../benches/peers/overlap.c")),
];
const HEADERS: [(&str, &str); 2] = [
    ("common.h", include_str!("../../../../../benches/peers/common.h")),
    ("cluster_scan.h", include_str!("../../../../../benches/peers/cluster_scan.h")),
];

/// The variable that tells the programs after how many seconds to end in any case.
const LIMIT: &str = "RUNAHEAD_PEERS_LIMIT_S";

/// The variable that names the folder of MPICH with the standard interface, and what must be in it.
const FOLDER: &str = "RUNAHEAD_MPICH";
const FILES: [&str; 2] = ["bin/mpiexec", "lib/libmpi_abi.so.1"];
/// The variable by which programs find another library than the one that they were built with.
const PATHS: &str = "LD_LIBRARY_PATH";

impl Library {
    /// Those to compare with that are found in the PATH.
    const OTHERS: [Library; 2] = [Library::OpenMpi, Library::Mpich];
    pub(crate) const ALL: [Library; 4] =
        [Library::OpenMpi, Library::Mpich, Library::Runahead, Library::MpichAbi];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Library::OpenMpi => "Open MPI",
            Library::Mpich => "MPICH",
            Library::Runahead => "runahead's MPI",
            Library::MpichAbi => "MPICH with the standard interface",
        }
    }

    /// Its packages on Debian and Ubuntu, if there are any.
    fn packages(self) -> Option<&'static str> {
        match self {
            Library::OpenMpi => Some("openmpi-bin libopenmpi-dev"),
            Library::Mpich => Some("mpich libmpich-dev"),
            Library::Runahead | Library::MpichAbi => None,
        }
    }

    /// The library whose compiler builds the programs.
    fn builder(self) -> Library {
        match self {
            Library::MpichAbi => Library::Runahead,
            _ => self,
        }
    }

    /// A word of the version that MPI tells the programs, where they could run on several libraries.
    pub(crate) fn word(self) -> Option<&'static str> {
        match self {
            Library::OpenMpi | Library::Mpich => None,
            Library::Runahead => Some("runahead"),
            Library::MpichAbi => Some("MPICH"),
        }
    }

    /// Its compiler and its launcher in the PATH. Where both MPIs are installed, Debian's names tell
    /// them apart.
    fn tools(self) -> [[&'static str; 2]; 2] {
        match self {
            Library::OpenMpi => [["mpicc.openmpi", "mpirun.openmpi"], ["mpicc", "mpirun"]],
            Library::Mpich => [["mpicc.mpich", "mpiexec.mpich"], ["mpicc", "mpiexec"]],
            Library::Runahead | Library::MpichAbi => [["mpicc.runahead", "runahead"]; 2],
        }
    }

    /// Whether a launcher that prints `version` is this library's.
    fn is(self, version: &str) -> bool {
        let words: &[&str] = match self {
            Library::OpenMpi => &["Open MPI", "OpenRTE", "open-mpi"],
            Library::Mpich | Library::MpichAbi => &["HYDRA", "MPICH"],
            Library::Runahead => &["runahead"],
        };
        words.iter().any(|word| version.contains(word))
    }
}

/// The file of this name in the PATH that can be executed.
fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // An empty entry would mean the current directory, which is not searched.
    let folders = std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty());
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// An MPI with the programs built by it.
#[derive(Debug)]
pub(crate) struct Peer {
    library: Library,
    starter: PathBuf,
    /// The first line with a number of the launcher's version output.
    pub(crate) version: String,
    folder: PathBuf,
    /// The directory for Open MPI's files in memory.
    memory: Option<PathBuf>,
    /// The directory of the library that the programs are to find in place of the one that they were
    /// built with.
    instead: Option<PathBuf>,
}

/// All MPIs that are compared with, and the directory of their programs.
#[derive(Debug)]
pub(crate) struct Peers {
    found: BTreeMap<Library, Peer>,
    // Removed when this is dropped.
    _folders: [Option<TempDir>; 2],
}

/// The tools of an installed MPI.
struct Tools {
    compiler: PathBuf,
    starter: PathBuf,
    version: String,
    instead: Option<PathBuf>,
}

/// The version of a launcher, if it is this library's.
fn version(library: Library, starter: &Path) -> Option<String> {
    let said = Command::new(starter).arg("--version").stdin(Stdio::null()).output();
    let said = said.map_or(Vec::new(), |output| [output.stdout, output.stderr].concat());
    let version = String::from_utf8_lossy(&said);
    let number = |line: &&str| line.contains(|c: char| c.is_ascii_digit());
    let line = version.lines().find(number).unwrap_or("no version");
    library.is(&version).then(|| line.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The MPICH in the folder that the variable names, with the compiler of runahead's interface.
fn find_folder() -> Result<Tools, PeersError> {
    let library = Library::MpichAbi;
    let missing = |why: String| {
        let contestant = "mpich-abi";
        PeersError::NoFolder { contestant, variable: FOLDER, files: FILES.join(" and "), why }
    };
    let Some(folder) = folder() else { return Err(missing(format!("{FOLDER} is not set"))) };
    let absent = |error: std::io::Error| missing(format!("{}: {error}", folder.display()));
    let folder = folder.canonicalize().map_err(absent)?;
    if let Some(file) = FILES.iter().find(|file| !folder.join(file).is_file()) {
        return Err(missing(format!("{} has no {file}", folder.display())));
    }
    let starter = folder.join(FILES[0]);
    let Some(version) = version(library, &starter) else {
        return Err(missing(format!("{} is not MPICH's", starter.display())));
    };
    let compiler = find(library.builder())?.compiler;
    let instead = folder.join(FILES[1]).parent().map(Path::to_owned);
    Ok(Tools { compiler, starter, version, instead })
}

/// What the variable names, if it is set.
fn folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn find(library: Library) -> Result<Tools, PeersError> {
    if library == Library::MpichAbi {
        return find_folder();
    }
    let [[named, starter], _] = library.tools();
    let mut missing = if in_path(named).is_some() { starter } else { named };
    for [compiler, starter] in library.tools() {
        let (Some(compiler), Some(starter)) = (in_path(compiler), in_path(starter)) else {
            continue;
        };
        if let Some(version) = version(library, &starter) {
            return Ok(Tools { compiler, starter, version, instead: None });
        }
        missing = named;
    }
    let how = match library.packages() {
        Some(packages) => format!("On Debian and Ubuntu: `apt install {packages}`"),
        None => "`crates/mpi/install.sh PREFIX` installs it, below PREFIX/bin".to_owned(),
    };
    Err(PeersError::Missing { library: library.name(), tool: missing.to_owned(), how })
}

impl Peers {
    /// Finds these MPIs, and builds the programs with each.
    ///
    /// # Errors
    ///
    /// [`PeersError::Missing`] if one of `needed` is not installed; or if a program cannot be
    /// built.
    pub(crate) fn build(needed: &[Library], whats: &[What]) -> Result<Peers> {
        // If this process is killed, the number shows whose directory it was.
        let prefix = format!("runahead-peers-{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
        // Without /dev/shm, Open MPI uses its own place.
        let memory = tempfile::Builder::new().prefix(&prefix).tempdir_in("/dev/shm").ok();
        let mut found = BTreeMap::new();
        let mut programs: Vec<&str> = whats.iter().map(|&what| program(what)).collect();
        programs.sort_unstable();
        programs.dedup();
        for &library in needed {
            let tools = find(library)?;
            let builder = library.builder();
            let place = folder.path().join(format!("{builder:?}").to_lowercase());
            // What one library has built is what the other runs, not a copy.
            if !place.is_dir() {
                sys::create_dir(&place)?;
                for (name, text) in HEADERS {
                    sys::write(place.join(name), text)?;
                }
                let chosen = |(name, _): &(&'static str, _)| programs.contains(name);
                for (name, text) in PROGRAMS.into_iter().filter(chosen) {
                    compile(builder, &tools.compiler, &place, name, text)?;
                }
            }
            let Tools { starter, version, instead, .. } = tools;
            let memory = memory.as_ref().map(|memory| memory.path().to_owned());
            let peer = Peer { library, starter, version, folder: place, memory, instead };
            found.insert(library, peer);
        }
        Ok(Peers { found, _folders: [Some(folder), memory] })
    }

    pub(crate) fn versions(&self) -> impl Iterator<Item = String> + '_ {
        self.found.values().map(|peer| format!("{}: {}", peer.library.name(), peer.version))
    }

    pub(crate) fn get(&self, library: Library) -> Result<&Peer> {
        let missing = || Error::other(format!("{} was not asked for", library.name()));
        self.found.get(&library).ok_or_else(missing)
    }
}

/// The installed MPIs, and the errors of the others. A folder of MPICH counts if its variable is set.
///
/// # Errors
///
/// [`PeersError::NoMpi`] if none is.
pub(crate) fn present() -> Result<(Vec<Library>, Vec<PeersError>)> {
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    let named = folder().map(|_| Library::MpichAbi);
    for library in Library::OTHERS.into_iter().chain(named) {
        match find(library) {
            Ok(_) => here.push(library),
            Err(error) => missing.push(error),
        }
    }
    if here.is_empty() {
        let [first, second] = Library::OTHERS;
        return Err(PeersError::NoMpi {
            first: first.tools()[0][0],
            second: second.tools()[0][0],
            first_packages: first.packages().unwrap_or_default(),
            second_packages: second.packages().unwrap_or_default(),
        }
        .into());
    }
    Ok((here, missing))
}

fn compile(
    library: Library,
    compiler: &Path,
    folder: &Path,
    program: &'static str,
    text: &str,
) -> Result<()> {
    let source = folder.join(program).with_extension("c");
    sys::write(&source, text)?;
    let mut command = Command::new(compiler);
    command.arg("-O3").arg("-o").arg(folder.join(program)).arg(&source).stdin(Stdio::null());
    if library == Library::Runahead {
        // A path in the program would otherwise win over the variable, on some systems.
        command.arg("-Wl,--enable-new-dtags");
    }
    let failed = |told: String| PeersError::Build { library: library.name(), program, told };
    let output = command.output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() && folder.join(program).is_file() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&output.stderr);
    // The lines before the first error only name the including files.
    let line = told.lines().find(|line| line.contains("error")).or(told.lines().next());
    Err(failed(line.unwrap_or("no message").to_owned()).into())
}

/// The program that measures it.
fn program(what: What) -> &'static str {
    match what {
        What::Micro => "micro",
        What::Collectives | What::NonblockingCollectives => "collectives",
        What::Messages => "messages",
        What::RadixSort => "radix_sort",
        What::NaturalSort => "natural_sort",
        What::PrefixScan => "prefix_scan",
        What::StencilOverlap | What::StencilFence => "stencil",
        What::Barrier => "barrier_loop",
        What::AllReduceLoop => "all_reduce_loop",
        What::HaloLoop => "halo_loop",
        What::Overlap => "overlap",
    }
}

impl Peer {
    /// The command line of a sample, and the additions to its environment. As with runahead, there
    /// may be more ranks than cores, and no rank is bound to a single core.
    pub(crate) fn command(
        &self,
        what: What,
        (kind, tuning): (Kind, Tuning),
        ranks: usize,
        arguments: &[String],
        limit_s: u64,
    ) -> (Vec<OsString>, Vec<(&'static str, String)>) {
        let mut line: Vec<OsString> = vec![self.starter.clone().into()];
        // The programs' own limit applies when this process is no longer there to end them.
        let mut environment = vec![(LIMIT, (limit_s + 10).to_string())];
        match self.library {
            Library::OpenMpi => {
                line.extend(["--oversubscribe", "--bind-to", "none"].map(OsString::from));
                // It keeps its files where it always does, but in directories that this process
                // removes: when it is ended early, it leaves its files behind.
                environment.push(("TMPDIR", self.folder.display().to_string()));
                if let Some(memory) = &self.memory {
                    let name = "OMPI_MCA_btl_vader_backing_directory";
                    environment.push((name, memory.display().to_string()));
                }
                // In a container the user is root. This applies to this child alone.
                for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
                    environment.push((name, "1".to_owned()));
                }
            }
            Library::Mpich | Library::MpichAbi => {
                line.extend(["-bind-to", "none"].map(OsString::from));
            }
            Library::Runahead => line.push("run".into()),
        }
        if let Some(instead) = &self.instead {
            let others = std::env::var(PATHS).unwrap_or_default();
            let paths = [instead.display().to_string(), others];
            let paths: Vec<String> = paths.into_iter().filter(|path| !path.is_empty()).collect();
            environment.push((PATHS, paths.join(":")));
        }
        match tuning {
            Tuning::Plain => {}
            Tuning::YieldWhenIdle(yields) => {
                let value = if yields { "1" } else { "0" };
                line.extend(["--mca", "mpi_yield_when_idle", value].map(OsString::from));
            }
            Tuning::AsyncProgress => environment.push(("MPIR_CVAR_ASYNC_PROGRESS", "1".to_owned())),
            Tuning::Guarded => environment.push(("RUNAHEAD_MPI_BARRIER", "guarded".to_owned())),
        }
        line.extend(["-n".to_owned(), ranks.to_string()].map(OsString::from));
        line.push(self.folder.join(program(what)).into());
        line.push(if kind == Kind::Barrier { "barrier" } else { "ibarrier" }.into());
        line.extend(arguments.iter().map(OsString::from));
        (line, environment)
    }
}
