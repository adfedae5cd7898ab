//! The tables of docs/VERIFICATION.md that say where each check runs are those of today's sources.
//!
//! `.ci/checks --write` makes them from what the built tests say they have. Building all of that is
//! not for a test. So beside the places it counts the marks of tests in each folder, and this counts
//! them again: a test that came, went or is ignored since is noticed. `.ci/checks --folders` writes
//! the counts again, and a diff shows where the test went.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// How a list of tests in a source begins, as in `.ci/checks`.
const LISTS: [&str; 9] = [
    "suite!(",
    "suite_and_exposed!(",
    "exposed!(",
    "in_calls!(",
    "on_many_hosts!(",
    "on_two_hosts!(",
    "conformance!(",
    "const TESTS:",
    "pub const TESTS:",
];

/// Tests, names with an underscore in lists of tests, and what is ignored.
type Marks = [usize; 3];

fn marks(text: &str) -> Marks {
    let ([mut tests, mut listed, mut ignored], mut in_list) = ([0; 3], false);
    for line in text.lines().map(str::trim) {
        tests += usize::from(line == "#[test]");
        ignored += usize::from(line.starts_with("#[ignore"));
        in_list |= LISTS.iter().any(|begin| line.starts_with(begin));
        if in_list {
            let words = line.split(|other: char| !other.is_alphanumeric() && other != '_');
            listed += words.filter(|word| word.contains('_')).count();
            in_list = !line.ends_with(");") && !line.ends_with("];");
        }
    }
    [tests, listed, ignored]
}

/// Adds the marks of each folder below this one that has some.
fn of_folders(folder: &Path, root: &Path, found: &mut BTreeMap<String, Marks>) {
    let mut own = [0; 3];
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry of that folder").path();
        if path.is_dir() && !path.ends_with("target") {
            of_folders(&path, root, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            own.iter_mut().zip(marks(&text)).for_each(|(own, more)| *own += more);
        }
    }
    if own != [0; 3] {
        let name = folder.strip_prefix(root).expect("below the root").to_string_lossy();
        found.insert(name.into_owned(), own);
    }
}

/// The rows of the table of folders in a page.
fn rows(page: &str) -> BTreeMap<String, Marks> {
    let table = page.split("| folder | tests | names in lists | ignored |").nth(1);
    let table = table.unwrap_or_default().lines().skip(2).take_while(|row| row.starts_with('|'));
    let row = |row: &str| {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let marks = [2, 3, 4].map(|at| cells.get(at).and_then(|cell| cell.parse().ok()));
        (cells[1].trim_matches('`').to_owned(), marks.map(Option::unwrap_or_default))
    };
    table.map(row).collect()
}

#[test]
fn the_list_of_checks_is_that_of_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/VERIFICATION.md")).expect("the page");
    let (written, mut found) = (rows(&page), BTreeMap::new());
    ["src", "tests", "crates"].iter().for_each(|of| of_folders(&root.join(of), root, &mut found));
    assert!(found.len() > 40, "{found:?}");
    let differ = |(name, marks): &(&String, &Marks)| written.get(*name) != Some(*marks);
    let differ: Vec<_> = found.iter().filter(differ).collect();
    let gone: Vec<_> = written.keys().filter(|name| !found.contains_key(*name)).collect();
    assert!(
        differ.is_empty() && gone.is_empty(),
        "docs/VERIFICATION.md is behind: run .ci/checks --folders. There are {differ:?}, and {gone:?} \
         have no tests"
    );
}

/// The lines of a text that ask for the number of cores, or choose some, and do not say above that
/// what they need: `// CORES: ` and how the test differs from one on two quiet cores.
fn unmarked(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let asks = |line: &str| {
        ["available_parallelism()", "Command::new(\"taskset\")"].iter().any(|it| line.contains(it))
    };
    let is_marked = |at: &usize| *at > 0 && lines[at - 1].starts_with("// CORES: ");
    (0..lines.len()).filter(|&at| asks(lines[at]) && !is_marked(&at)).map(|at| at + 1).collect()
}

fn check_cores(folder: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry of that folder").path();
        if path.is_dir() {
            wrong.extend(check_cores(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            wrong.extend(unmarked(&text).iter().map(|line| format!("{}:{line}", path.display())));
        }
    }
    wrong
}

/// Tests take it that they have two cores, which may be busy. What depends on others says so.
#[test]
fn a_test_that_depends_on_the_cores_says_so() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["tests/conformance", "tests/engine", "tests/programs", "tests/verbs"];
    let crates = ["crates/cli/tests", "crates/order/tests", "crates/testkit/tests"];
    let wrong = folders.iter().chain(&crates).flat_map(|of| check_cores(&root.join(of)));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "no `// CORES: ` stands above: {wrong:?}");
    let asks = "let cores = available_parallelism();";
    assert_eq!(unmarked(&format!("// CORES: any number.\n{asks}\n\n{asks}\n")), [4]);
}

/// The check itself: a test that comes, goes or is ignored is noticed, on its own and in a list.
#[test]
fn a_test_that_moves_is_noticed() {
    let text =
        "#[test]\nfn a() {}\n\nsuite!(\n    all_is_well,\n    it_ends,\n);\nlet some_name = 3;\n";
    assert_eq!(marks(text), [1, 2, 0]);
    assert_eq!(marks(&text.replace("    it_ends,\n", "")), [1, 1, 0]);
    assert_eq!(marks(&text.replace("#[test]", "#[test]\n#[ignore = \"long\"]")), [1, 2, 1]);
    assert_eq!(marks("    pub const TESTS: &[Test] = tests![\n        a_b,\n    ];\n"), [0, 1, 0]);
    let page = "| folder | tests | names in lists | ignored |\n|---|---:|---:|---:|\n\
                | `src/a` | 3 |  | 1 |\n\nText\n";
    assert_eq!(rows(page), BTreeMap::from([("src/a".to_owned(), [3, 0, 1])]));
}
