//! Runs a program under callgrind and reads what each [mark](crate::marks) has cost.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, process};

use crate::marks;

/// For each mark that was used: its instructions in all, and how often it was called.
pub type Counts = BTreeMap<String, Cost>;

/// What a mark has cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Instructions, those of what it calls included.
    pub instructions: u64,
    /// Calls.
    pub calls: u64,
}

impl Cost {
    /// Instructions for each call.
    pub fn each(self) -> f64 {
        self.instructions as f64 / self.calls as f64
    }
}

pub fn check_installed() -> Result<(), String> {
    let asked = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status();
    match asked {
        Ok(status) if status.success() => Ok(()),
        _ => Err("valgrind is not installed, and nothing can be counted without it".into()),
    }
}

/// Runs `program scenario NAME` under callgrind.
pub fn count(program: &Path, scenario: &str) -> Result<Counts, String> {
    let file = env::temp_dir().join(format!("runahead-counts.{}.{scenario}", process::id()));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no", "--dump-line=no"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(program)
        .args(["scenario", scenario])
        // What the ranks are told from outside must not change what is counted.
        .env_remove("RUNAHEAD_NOTIFY")
        .output()
        .map_err(|error| format!("valgrind cannot be run: {error}"))?;
    let profile = fs::read_to_string(&file);
    let _ = fs::remove_file(&file);
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{scenario} failed under callgrind:\n{said}"));
    }
    let profile = profile.map_err(|error| format!("{}: {error}", file.display()))?;
    let calls = String::from_utf8_lossy(&output.stdout).into_owned();
    read(&profile, &calls).map_err(|wrong| format!("{scenario}: {wrong}"))
}

/// Reads a profile in callgrind's format, and the calls that the program told.
fn read(profile: &str, told: &str) -> Result<Counts, String> {
    let mut found = BTreeMap::<String, u64>::new();
    let mut mark = None;
    for line in profile.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            mark = marks::NAMES.iter().find(|mark| is_mark(name, mark));
        } else if let (Some(mark), true) = (mark, line.starts_with(|c: char| c.is_ascii_digit())) {
            // Its own cost, and behind each `calls=` that of what it has called.
            let cost = line.split_whitespace().nth(1).and_then(|cost| cost.parse::<u64>().ok());
            let cost = cost.ok_or_else(|| format!("no cost in {line:?}"))?;
            *found.entry(mark.to_string()).or_default() += cost;
        }
    }
    let mut counts = Counts::new();
    for line in told.lines() {
        let (name, calls) = line.split_once(' ').ok_or_else(|| format!("no calls in {line:?}"))?;
        let calls = calls.parse().map_err(|_| format!("no number in {line:?}"))?;
        let instructions = found.remove(name).ok_or_else(|| format!("{name} was not counted"))?;
        counts.insert(name.to_owned(), Cost { instructions, calls });
    }
    match found.into_keys().next() {
        Some(name) => Err(format!("nobody told how often {name} was called")),
        None if counts.is_empty() => Err("nothing was counted".into()),
        None => Ok(counts),
    }
}

/// Whether a function is the mark: `counts::marks::NAME`, with a hash behind it or not.
fn is_mark(function: &str, mark: &str) -> bool {
    let Some((_, rest)) = function.split_once("counts::marks::") else { return false };
    rest.strip_prefix(mark)
        .is_some_and(|rest| !rest.starts_with(|c: char| c == '_' || c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROFILE: &str = "events: Ir\nfn=counts::marks::enter::h12\n0 5\ncfn=other\ncalls=3 0\n0 70\n\
        fn=other\n0 70\n\nfn=counts::marks::enter_last\n0 9\n\nfn=counts::marks::enter::h13\n0 1\n";

    #[test]
    fn what_a_mark_calls_counts_for_it() {
        let counts = read(PROFILE, "enter 4\nenter_last 1\n").unwrap();
        assert_eq!(counts["enter"], Cost { instructions: 76, calls: 4 });
        assert_eq!(counts["enter_last"], Cost { instructions: 9, calls: 1 });
        assert_eq!(counts["enter"].each(), 19.0);
    }

    #[test]
    fn what_does_not_fit_together_is_an_error() {
        for (profile, told) in [
            (PROFILE, "enter 4\n"),
            (PROFILE, "enter 4\nenter_last 1\nsend 1\n"),
            (PROFILE, "enter four\n"),
            (PROFILE, "enter\n"),
            ("fn=counts::marks::send\n0 x\n", "send 1\n"),
            ("fn=main\n0 1\n", ""),
        ] {
            assert!(read(profile, told).is_err(), "{told:?}");
        }
    }
}
