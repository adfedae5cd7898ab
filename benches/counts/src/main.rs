//! What runahead's bookkeeping costs, in instructions, and whether that is within its targets.
//!
//! It counts and does not time: valgrind's callgrind executes the ranks of a job in one thread, one
//! after the other, so that every run gives the same numbers. It says nothing about caches, fences,
//! or ranks that really run at the same time; `runahead bench micro` measures those.
//!
//! Without arguments it builds itself a second time without stamps, runs every [scenario](scenarios)
//! under callgrind, prints the tables, and fails if a [target](targets) is missed.

mod callgrind;
mod flat;
mod marks;
mod report;
mod scenarios;
mod targets;

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use callgrind::Counts;
use scenarios::Scenario;

/// This program, built with stamps and without.
struct Builds {
    stamped: PathBuf,
    unstamped: PathBuf,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let outcome = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => count_all(),
        // The counted program itself.
        ["scenario", name] => match name.parse::<Scenario>() {
            Ok(scenario) => {
                scenario.run();
                Ok(true)
            }
            Err(wrong) => Err(wrong),
        },
        _ => Err("usage: counts    (or: counts scenario NAME, to be run under callgrind)".into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("counts: {error}");
            ExitCode::FAILURE
        }
    }
}

fn count_all() -> Result<bool, String> {
    callgrind::check_installed()?;
    let builds = build()?;
    let count = |build: &PathBuf, scenario: Scenario| -> Result<Counts, String> {
        callgrind::count(build, &scenario.to_string())
    };
    let mut report = report::Report::default();
    for scenario in Scenario::all() {
        let unstamped = match scenario {
            Scenario::Message | Scenario::Held => Some(count(&builds.unstamped, scenario)?),
            _ => None,
        };
        report.add(scenario, count(&builds.stamped, scenario)?, unstamped);
    }
    println!("{}", report.tables());
    let missed = targets::missed(&report);
    for miss in &missed {
        println!("MISSED: {miss}");
    }
    Ok(missed.is_empty())
}

/// Builds this program both ways; what has not changed is not built again.
fn build() -> Result<Builds, String> {
    let home = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let build = |directory: &str, flags: &str| -> Result<PathBuf, String> {
        let target = home.join("../../target").join(directory);
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--release", "--locked", "--manifest-path"]);
        cargo.arg(home.join("Cargo.toml")).env("CARGO_TARGET_DIR", &target);
        cargo.env("RUSTFLAGS", flags).env_remove("CARGO_ENCODED_RUSTFLAGS");
        let status = cargo.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
        if !status.success() {
            return Err(format!("the build for target/{directory} failed"));
        }
        Ok(target.join("release/counts"))
    };
    Ok(Builds { stamped: build("counts", "")?, unstamped: build("unstamped", "--cfg unstamped")? })
}
