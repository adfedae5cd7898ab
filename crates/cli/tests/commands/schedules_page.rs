//! docs/SCHEDULES.md and docs/OPTIONS.md equal the output of the command, which has all variables that the code reads.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn runahead(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_runahead"))
        .args(arguments)
        .output()
        .expect("the command was built with this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The first line in which two texts differ, counted from 1, with both versions.
fn difference(page: &str, printed: &str) -> Option<(usize, String, String)> {
    let line = |text: &str, at: usize| text.lines().nth(at).unwrap_or("(no line)").to_owned();
    let lines = page.lines().count().max(printed.lines().count());
    (0..lines)
        .map(|at| (at + 1, line(page, at), line(printed, at)))
        .find(|(_, page, printed)| page != printed)
}

#[test]
fn the_page_of_schedules_equals_the_output_of_the_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/SCHEDULES.md");
    let page = fs::read_to_string(path).expect("docs/SCHEDULES.md");
    let printed = runahead(&["schedules", "--markdown"]);
    assert_eq!(difference(&page, &printed), None, "make it again, as its first lines say");
    // The comparison notices a changed number, an additional line and a missing one.
    let changed = page.replacen("| 1 ", "| 2 ", 1);
    assert!(page != changed && difference(&changed, &printed).is_some());
    assert!(difference(&format!("{page}more\n"), &printed).is_some());
    assert!(difference(page.trim_end().rsplit_once('\n').unwrap().0, &printed).is_some());
    let tables: Vec<_> = page.lines().filter(|line| line.starts_with('|')).collect();
    let plain = runahead(&["schedules"]);
    assert!(plain.lines().filter(|line| line.starts_with('|')).eq(tables), "{plain}");
}

#[test]
fn info_lists_every_algorithm() {
    let printed = runahead(&["info", "--ranks", "100"]);
    for name in runahead::internals::order::schedule::names::ALL {
        let algorithm = name.default_algorithm().to_string();
        assert!(printed.contains(name.name) && printed.contains(&algorithm), "{printed}");
    }
}

/// It is as the read says that it is made by. What a process has not mapped is not read. (Planted: a process that reads
/// its own memory, which always succeeds.)
#[cfg(target_os = "linux")]
#[test]
fn info_says_whether_processes_may_read_each_other() {
    let read = |address: usize| {
        let place = [std::process::id().to_string(), address.to_string()];
        let mut command = Command::new(env!("CARGO_BIN_EXE_runahead"));
        command.arg("info-read").args(place).output().expect("the command was built with this test")
    };
    let number = Box::new(0x1234_5678_9abc_u64);
    let reader = read(std::ptr::from_ref(&*number).expose_provenance());
    let is_read = reader.status.success();
    assert!(!is_read || reader.stdout == format!("{number}\n").as_bytes(), "{reader:?}");
    let refused = read(8);
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{refused:?}");
    let printed = runahead(&["info"]);
    let may = if is_read { "may read" } else { "may not read" };
    let line = format!("A process {may} another's memory here (process_vm_readv");
    assert!(printed.lines().any(|printed| printed.starts_with(&line)), "{printed}");
}

#[test]
fn the_page_of_options_equals_the_output_of_the_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/OPTIONS.md");
    let page = fs::read_to_string(path).expect("docs/OPTIONS.md");
    let printed = runahead(&["info", "--markdown"]);
    assert_eq!(difference(&page, &printed), None, "make it again, as its first lines say");
}

/// Variables of the environment that no user sets: of a unit test, and what `bench peers` tells its own programs.
const OF_NO_USER: [&str; 2] = ["RUNAHEAD_COUNT", "RUNAHEAD_PEERS_LIMIT_S"];

/// The variables of the environment that a text names.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let end = |c: char| !c.is_ascii_uppercase() && c != '_';
    let names = text.match_indices("RUNAHEAD_").map(move |(at, _)| text[at..].split(end).next());
    names.flatten().filter(|name| !name.ends_with('_'))
}

/// The files below a folder of which the names end so, without those of tests.
fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_dir() {
            if !["tests", "target", "testkit"].contains(&&*name) {
                files(&path, end, found);
            }
        } else if name.ends_with(end) {
            found.push(path);
        }
    }
}

/// What the library, the command, MPI's interface and what it installs name is on the page. (Planted: a variable that is
/// not.)
#[test]
fn the_page_of_options_has_all_variables() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = runahead(&["info", "--markdown"]);
    let listed: BTreeSet<_> = variables(&page).collect();
    let is_missing = |name: &&str| {
        !name.starts_with("RUNAHEAD_TEST") && !OF_NO_USER.contains(name) && !listed.contains(name)
    };
    let mut found = Vec::new();
    for (folder, end) in [("src", ".rs"), ("crates", ".rs"), ("crates/mpi", ".sh")] {
        files(&root.join(folder), end, &mut found);
    }
    let mut named = BTreeSet::new();
    for path in found {
        let text = fs::read_to_string(&path).expect("a source");
        let missing: BTreeSet<_> = variables(&text).filter(is_missing).collect();
        assert!(
            missing.is_empty(),
            "{path:?} names {missing:?}, which runahead info does not list"
        );
        named.extend(variables(&text).map(str::to_owned));
    }
    let unread: Vec<_> = listed.iter().filter(|name| !named.contains(**name)).collect();
    assert!(unread.is_empty() && listed.len() > 25, "{unread:?} of {listed:?}");
    let planted = variables("std::env::var(\"RUNAHEAD_PLANTED\")").filter(is_missing);
    assert_eq!(planted.collect::<Vec<_>>(), ["RUNAHEAD_PLANTED"]);
    let told = runahead(&["info"]);
    assert!(listed.iter().all(|name| told.contains(name)), "{told}");
}

/// `run --help` lists each option that has a flag, with its values and its default.
/// (Mutant: a flag that does not come from the table.)
#[cfg(target_os = "linux")]
#[test]
fn help_lists_the_options() {
    let help = runahead(&["run", "--help"]);
    let words: Vec<_> = help.split_whitespace().collect();
    let help = words.join(" ");
    for option in runahead::internals::options::options().filter(|option| !option.flag.is_empty()) {
        let flag = format!("--{} <VALUE> ", option.flag);
        let (_, line) = help.split_once(&flag).expect("its line");
        let rest =
            format!("{}: expects {} [default: {}]", option.summary, option.values, option.default);
        assert!(line[1..].starts_with(&rest[1..]), "{flag}: {line}");
    }
}
