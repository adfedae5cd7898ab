//! Any bytes as a file or a value that a user gives: pictures and numbers of the examples, the file of
//! algorithms that were found, the file of a long measurement, and the values of options and of the
//! environment. They are read or refused, and what is read is written so that it reads the same.
//!
//! SEMANTICS: SAFE-1
#![no_main]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::str::FromStr;

use libfuzzer_sys::fuzz_target;
use runahead::fuzzing::launch;
use runahead::internals::options::options;
use runahead::internals::tune::cache::Cache;
use runahead::launch::Ranks;
use runahead::{Algorithm, Exchange, Notify, Tree};
use rustix::fs::MemfdFlags;

use format::Format;
use journal::{Journal, Terms};
use number::Number;
use pgm::Picture;

#[allow(dead_code, reason = "it is included for what reads files")]
#[path = "../../crates/harness/src/format.rs"]
mod format;
#[allow(dead_code, reason = "it is included for what reads files")]
#[path = "../../crates/cli/src/bench/journal.rs"]
mod journal;
#[allow(dead_code, reason = "it is included for what reads files")]
#[path = "../../crates/harness/src/number.rs"]
mod number;
#[allow(dead_code, reason = "it is included for what reads files")]
#[path = "../../crates/harness/src/output.rs"]
mod output;
#[allow(dead_code, reason = "it is included for what reads files")]
#[path = "../../examples/stencil/pgm.rs"]
mod pgm;

/// Where the file of the command looks for what it uses.
mod harness {
    pub(crate) use super::output;
}

mod sys {
    pub fn text_of(path: &std::path::Path) -> std::io::Result<Option<String>> {
        std::fs::read_to_string(path).map(Some)
    }
}

/// A file of these bytes, and its name.
fn file(bytes: &[u8]) -> (File, PathBuf) {
    let made = rustix::fs::memfd_create("fuzzed", MemfdFlags::CLOEXEC).expect("memory");
    let mut file = File::from(made);
    file.write_all(bytes).expect("memory");
    let path = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    (file, path)
}

/// What names something is named by what it writes, unless it is no name.
fn named<T: FromStr + PartialEq + std::fmt::Debug>(text: &str, show: impl Fn(&T) -> String) {
    if let Ok(value) = text.parse::<T>() {
        assert!(show(&value).parse::<T>().is_ok_and(|again| again == value), "{value:?}");
    }
}

fn numbers<T: Number>(path: &std::path::Path) {
    for format in [Format::Text, Format::Raw] {
        if let Ok(numbers) = format::read::<T>(path, format) {
            let (_file, path) = file(&format::to_bytes(&numbers, format));
            assert_eq!(format::read::<T>(&path, format).ok(), Some(numbers));
        }
    }
}

fn terms(measurement: &str) -> Terms {
    let (measurement, machine) = (measurement.to_owned(), "a".to_owned());
    Terms { measurement, runs: 3, threads: false, scale: 1, machine }
}

/// The file of a measurement, which is written anew when it is opened, and reads the same then.
fn journal(bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("runahead-fuzz-{}.json", std::process::id()));
    std::fs::write(&path, bytes).expect("a place for a file");
    let open = || Journal::<f64>::open(Some(path.clone()), terms("matrix")).ok();
    let cells = open().map(|journal| journal.cell("a").copied());
    let again = open().map(|journal| journal.cell("a").copied());
    assert_eq!(cells, again);
    std::fs::remove_file(&path).expect("the file");
}

/// The lines `NAME=VALUE` as an environment, or all of it as the value of every variable.
fn environment(bytes: &[u8]) {
    let mut set: BTreeMap<String, OsString> = BTreeMap::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        if let Some(at) = line.iter().position(|&byte| byte == b'=') {
            let name = String::from_utf8_lossy(&line[..at]).into_owned();
            set.insert(name, OsString::from_vec(line[at + 1..].to_vec()));
        }
    }
    let mut wrong = Vec::new();
    if set.is_empty() {
        for option in options().filter(|option| !option.variable.is_empty()) {
            let value = OsString::from_vec(bytes.to_vec());
            let outcome =
                launch::environment(|name| (name == option.variable).then(|| value.clone()));
            wrong.extend(outcome.err());
        }
    } else {
        let outcome = launch::environment(|name| set.get(name).cloned());
        if let Ok(config) = &outcome {
            assert_eq!(config.check(), Ok(()));
        }
        wrong.extend(outcome.err());
    }
    for error in wrong {
        let said = error.to_string();
        let mut names = options().map(|option| option.variable).chain(launch::launchers());
        assert!(!error.option.is_empty(), "{said}");
        assert!(names.any(|name| said.starts_with(name)), "{said}");
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(picture) = Picture::parse(bytes) {
        assert_eq!(picture.samples.len(), picture.width * picture.height);
        assert!(picture.samples.iter().all(|&sample| sample <= picture.white));
        assert_eq!(Picture::parse(&picture.to_bytes()), Ok(picture));
    }
    let (_file, path) = file(bytes);
    numbers::<u32>(&path);
    numbers::<u64>(&path);
    if let Some(cache) = Cache::load(&path) {
        for entry in cache.entries() {
            assert!(cache.known(&entry.key).is_none_or(|known| known != Algorithm::Auto));
        }
    }
    if bytes.first() == Some(&b'{') {
        journal(bytes);
    }
    environment(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    named::<Algorithm>(text, Algorithm::to_string);
    named::<Notify>(text, Notify::to_string);
    named::<Exchange>(text, |exchange| exchange.name().to_owned());
    named::<Tree>(text, |tree| tree.name().to_owned());
    let _ = text.parse::<Ranks>();
    if let Some(again) = launch::job_handle(text) {
        assert_eq!(launch::job_handle(&again), Some(again));
    }
});
