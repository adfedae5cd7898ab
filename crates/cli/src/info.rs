//! `runahead info`: tables of everything that a user can choose.

use std::path::PathBuf;

use comfy_table::{CellAlignment, Table, presets};
use runahead::internals::options::{OptionInfo, Values, host_id, options, tune_cache};
use runahead::internals::order::schedule::{Schedule, check, names};
use runahead::internals::tune::cache::{self, Cache, Key};
use runahead::internals::verbs::Nic;
use runahead::{Algorithm, Launch, Tree, TuneCache};

/// All tables, with hops and signals counted for a barrier of `ranks`.
pub(crate) fn text(ranks: usize) -> String {
    let (algorithms, aliases) = (algorithms(ranks), aliases().join(", "));
    let trees: Vec<_> = Tree::ALL.iter().map(|tree| tree.name()).collect();
    let (trees, tree, networks) = (trees.join(", "), Tree::default(), networks());
    let (rdma, variables, remembered) = (rdma(), variables(), remembered());
    let reads = reads();
    let host = host_id();
    format!(
        "Barrier algorithms, for {ranks} ranks:\n{algorithms}\n\n\
         You can choose the number after a colon. Aliases: {aliases}\n\n\
         Trees of collectives: {trees} (default {tree})\n\n\
         Networks:\n{networks}\n\n{reads}\n\n{rdma}\n\n\
         This host's id: {host}\n\n\
         The environment, for what a program does not choose itself:\n{variables}\n\n\
         {remembered}\n"
    )
}

/// Each alias with its default, and the algorithm that it stands for.
fn aliases() -> Vec<String> {
    let aliases = names::ALL.into_iter().filter(|name| name.is_alias());
    let pairs = aliases.map(|name| {
        let written = match name.parameter {
            Some(parameter) => format!("{}:{}", name.name, parameter.default),
            None => name.name.to_owned(),
        };
        format!("{written} = {}", name.default_algorithm())
    });
    pairs.collect()
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    table
}

fn algorithms(ranks: usize) -> Table {
    let mut table = table(&["name", "hops", "signals", "per rank", "what it does"]);
    for algorithm in Algorithm::ALL {
        let shape = check::check(&Schedule::all(algorithm, ranks))
            .expect("the built-in schedules are right at every size");
        let default = if algorithm == Algorithm::default() { " (default)" } else { "" };
        table.add_row([
            format!("{algorithm}{default}"),
            shape.hops.to_string(),
            shape.signals.to_string(),
            shape.max_sends_per_rank.to_string(),
            algorithm.summary().to_owned(),
        ]);
    }
    let [none, auto] = ["-", names::AUTO].map(str::to_owned);
    let summary = Algorithm::Auto.summary().to_owned();
    table.add_row([auto, none.clone(), none.clone(), none, summary]);
    for column in 1..=3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

const fn tool(
    variable: &'static str,
    values: &'static str,
    default: &'static str,
    summary: &'static str,
) -> OptionInfo {
    OptionInfo { name: "", variable, flag: "", values: Values::Text(values), default, summary }
}

/// What tools beside programs read: `runahead bench`, and the compilers that `crates/mpi/install.sh` installs.
const OF_TOOLS: [OptionInfo; 4] = [
    tool(
        "RUNAHEAD_MPICH",
        "a folder with bin/mpiexec and lib/libmpi_abi.so.1",
        "not set",
        "for runahead bench peers, where MPICH with MPI's standard interface is",
    ),
    tool("RUNAHEAD_CC", "a command", "cc", "for mpicc, the compiler of C"),
    tool("RUNAHEAD_CXX", "a command", "c++", "for mpicxx, the compiler of C++"),
    tool(
        "RUNAHEAD_FC",
        "a command",
        "gfortran",
        "for mpifort and install.sh, the compiler of Fortran",
    ),
];

fn variables() -> Table {
    let mut table = table(&["name", "values", "what it chooses", "now"]);
    for option in options().chain(OF_TOOLS).filter(|option| !option.variable.is_empty()) {
        let now = std::env::var_os(option.variable).unwrap_or_default();
        let what = format!("{} (default: {})", option.summary, option.default);
        table.add_row([option.variable, &option.values.to_string(), &what, &now.to_string_lossy()]);
    }
    table
}

/// The page docs/OPTIONS.md.
pub(crate) fn markdown() -> String {
    let code = |prefix: &str, name: &str| match name {
        "" => String::new(),
        name => format!("`{prefix}{name}`"),
    };
    let mut chosen_by_all = table(&["variable", "`run`", "`Options`", "values", "default", "what"]);
    let mut chosen_by_programs = table(&["`Options`", "values", "default", "what"]);
    for option in options() {
        let (name, values) = (code("", option.name), option.values.to_string());
        if option.variable.is_empty() {
            chosen_by_programs.add_row([&*name, &values, option.default, option.summary]);
        } else {
            let [variable, flag] = [code("", option.variable), code("--", option.flag)];
            let row = [&*variable, &flag, &name, &values, option.default, option.summary];
            chosen_by_all.add_row(row);
        }
    }
    let mut read_by_tools = table(&["variable", "values", "default", "what"]);
    for option in OF_TOOLS {
        let values = option.values.to_string();
        read_by_tools.add_row([
            &*code("", option.variable),
            &values,
            option.default,
            option.summary,
        ]);
    }
    format!(
        "# Options\n\n\
         `runahead info --markdown` prints this page from the tables in `src/message/config.rs`,\n\
         `src/launch/environment.rs` and `crates/cli/src/info.rs`; tests compare it with them, and look for\n\
         variables that the code reads and this page lacks.\n\n\
         A program chooses by the methods of `Options`, which `Launch` has too. Its user chooses, for\n\
         programs that leave it open, by a variable of the environment or a flag of `runahead run`. The\n\
         program wins over the flag, and the flag over the variable. An empty variable counts as not\n\
         set. [RDMA.md](RDMA.md) says more about the network, and [TUNING.md](TUNING.md) about speed.\n\n\
         {chosen_by_all}\n\n\
         These the program alone chooses. All ranks must have the same:\n\n\
         {chosen_by_programs}\n\n\
         These are read by tools beside programs. What tests read stands in\n\
         [VERIFICATION.md](VERIFICATION.md):\n\n\
         {read_by_tools}\n"
    )
}

/// The file of a choice; None if there is to be no file, or if the user has no cache directory.
pub(crate) fn file_of(place: TuneCache) -> Option<PathBuf> {
    match place {
        TuneCache::User => cache::user_file(),
        TuneCache::File(path) => Some(path),
        _ => None,
    }
}

/// What is stored on this host: algorithms that `auto` has chosen, and rules for collectives.
fn remembered() -> String {
    let Some(file) = file_of(tune_cache()) else {
        return "What is measured is not stored: the cache is off.".to_owned();
    };
    let shown = file.display();
    let Some(cache) = Cache::load(&file) else {
        return format!("What is measured is not stored: {shown} is not a cache of runahead.");
    };
    let host = Key::here("", 0).host;
    let mut table = table(&["network", "ranks", "cores", "algorithm, or a rule for collectives"]);
    for entry in cache.entries().iter().filter(|entry| entry.key.host == host) {
        // A rule names the number of ranks itself.
        let ranks = match entry.key.ranks {
            0 => "-".to_owned(),
            ranks => ranks.to_string(),
        };
        let cores = entry.key.cores.to_string();
        table.add_row([&entry.key.provider, &ranks, &cores, &entry.choice]);
    }
    if table.row_count() == 0 {
        return format!("What was measured on this host: none yet in {shown}.");
    }
    format!("What was measured on this host, in {shown}:\n{table}")
}

fn networks() -> Table {
    let mut table = table(&["name", "most ranks", "causal", "what it is"]);
    let what = "shared memory; ranks are processes or threads of one host";
    match Launch::new(2).connect() {
        Ok(nics) => {
            let limits = nics[0].attributes();
            let causal = if limits.causal { "yes" } else { "no" };
            table.add_row([limits.provider, &limits.max_ranks.to_string(), causal, what]);
        }
        Err(error) => {
            table.add_row(["of the host", "-", "-", &error.to_string()]);
        }
    }
    #[cfg(all(target_os = "linux", feature = "ib"))]
    {
        let most = runahead::internals::provider::ib::MAX_RANKS.to_string();
        table.add_row(["ib", &most, "no", "ranks are processes, of any hosts, on RDMA devices"]);
        let what = "the one within hosts, and the other between them";
        table.add_row(["mixed", &most, "no", what]);
    }
    table
}

/// Whether ranks may read each other's memory.
#[cfg(target_os = "linux")]
fn reads() -> String {
    crate::reads::told()
}

#[cfg(not(target_os = "linux"))]
fn reads() -> String {
    "Ranks do not read each other's memory on this system.".to_owned()
}

/// The RDMA devices of this host, or the missing library.
#[cfg(all(target_os = "linux", feature = "ib"))]
fn rdma() -> String {
    use runahead::internals::provider::ib::inventory;
    let devices = match inventory() {
        Ok(devices) => devices,
        Err(error) => return format!("RDMA (`runahead run --fabric ib`): {error}."),
    };
    let mut table = table(&["device", "port", "state", "link", "MTU", "GID index", "GID", "kind"]);
    let mut limits = String::new();
    for device in devices {
        limits += &format!(
            "\n{}: {} queue pairs, {} work requests and {} completions in a queue, {} regions of memory",
            device.name,
            device.queue_pairs,
            device.work_requests,
            device.completions,
            device.regions
        );
        for port in device.ports {
            let mut row = [
                device.name.clone(),
                port.number.to_string(),
                port.state.to_owned(),
                port.link.to_owned(),
                port.mtu_bytes.to_string(),
            ];
            if port.gids.is_empty() {
                table.add_row(row.iter().map(String::as_str).chain(["-", "none", ""]));
            }
            for gid in port.gids {
                let place = [gid.index.to_string(), gid.gid.to_string(), gid.kind];
                table.add_row(row.iter().chain(&place));
                // Further rows of the same port leave these cells empty.
                row = std::array::from_fn(|_| String::new());
            }
        }
    }
    format!("RDMA devices (`runahead run --fabric ib`):\n{table}{limits}")
}

/// What is missing.
#[cfg(not(all(target_os = "linux", feature = "ib")))]
fn rdma() -> String {
    "RDMA: this command was built without it (on Linux, build it with `--features ib`).".to_owned()
}
