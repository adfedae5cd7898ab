//! Every rule of SEMANTICS.md is cited by a quick test and by a model and claimed by a file of a
//! `src`, and nothing cites or claims a rule that does not exist.
//!
//! A citation is a comment line `SEMANTICS: ID` (several IDs with commas). Models are the files that
//! explore states, schedules or inputs (below `tests/model`, `tests/order/arrivals`, `tests/engine/simulation` and
//! `fuzz`, and the loom models of `src`, in files named `models.rs`); tests are all other files of `tests`
//! and the unit tests of `src`. A citation counts where something runs: above a `#[test]` that is not ignored; in `tests` also
//! above a function that tests call (one that none calls is a lint), or above an assertion; in a fuzz
//! target at its head. Anywhere else it is a fault. A claim is a sentence in the `//!` text at
//! the head of a file of `src`: "Keeps rules ", IDs with commas, "and" and "to", " of SEMANTICS.md".
//!
//! A test is *quick* if a plain `cargo test` runs it ([`quick`]): without `--ignored`, without the
//! feature `ib`, without a `--cfg`. A function that tests call is quick if a list of quick tests
//! names it, or code beside it.

#[path = "rules/quick.rs"]
mod quick;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The folders whose citations count as models.
const MODELS: [&str; 4] =
    ["tests/model/", "tests/order/arrivals/", "tests/engine/simulation/", "fuzz/fuzz_targets/"];

/// The rules that stand in a text: lines that begin with `**ID** `, where the rule says MUST or MAY.
fn rules(text: &str) -> BTreeMap<String, bool> {
    let mut rules = BTreeMap::new();
    for paragraph in text.split("\n\n") {
        for (start, _) in paragraph.match_indices("**").step_by(2) {
            let rest = &paragraph[start + 2..];
            let Some(end) = rest.find("** ") else { continue };
            if (start == 0 || paragraph[..start].ends_with('\n')) && is_id(&rest[..end]) {
                let sentence = rest[end..].split(". ").next().unwrap_or_default();
                let binding = sentence.contains("MUST") || sentence.contains("MAY");
                rules.insert(rest[..end].to_owned(), binding);
            }
        }
    }
    rules
}

fn is_id(word: &str) -> bool {
    word.split_once('-').is_some_and(|(name, number)| {
        (3..=4).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_uppercase())
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The IDs that a source text cites, each with its line, and whether something runs below that.
fn citations(name: &str, text: &str) -> Vec<(String, usize, bool)> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("//")) {
        let Some((_, ids)) = line.split_once("SEMANTICS:") else { continue };
        let ids = ids.split([',', ' ']).map(|id| id.trim_matches(['.', ')', '(']));
        let runs = runs_below(name, line, &lines[at + 1..]);
        found.extend(ids.filter(|id| is_id(id)).map(|id| (id.to_owned(), at, runs)));
    }
    found
}

/// Whether the lines `below` a citation begin with something that a test or a fuzzer runs.
fn runs_below(name: &str, citation: &str, below: &[&str]) -> bool {
    if citation.starts_with("//!") {
        return name.starts_with("fuzz/");
    }
    let is_above = |line: &&&str| line.starts_with("//") || line.starts_with("#[");
    let attributes: Vec<_> = below.iter().take_while(is_above).collect();
    let has = |start: &str| attributes.iter().any(|line| line.starts_with(start));
    let first = below.get(attributes.len()).copied().unwrap_or_default();
    let is_function = first.split_whitespace().take(2).any(|word| word == "fn");
    if has("#[ignore") {
        return false;
    }
    let checks = first.starts_with("assert") || first.starts_with("prop_assert");
    is_function && has("#[test]") || name.starts_with("tests/") && (is_function || checks)
}

/// The IDs that the head of a file of `src` claims to keep, or what is wrong with the claim.
fn claims(text: &str) -> Result<Vec<String>, String> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("//!"));
    let head: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let head = head.join(" ");
    let mut claimed = Vec::new();
    for (start, keeps) in head.match_indices("Keeps ") {
        let claim = &head[start..];
        let rest = &claim[keeps.len()..];
        let (rest, several) = match (rest.strip_prefix("rule "), rest.strip_prefix("rules ")) {
            (Some(rest), _) => (rest, false),
            (_, Some(rest)) => (rest, true),
            _ => continue,
        };
        let quoted = || format!("{:?}", claim.chars().take(60).collect::<String>());
        let Some((list, _)) = rest.split_once(" of SEMANTICS.md") else {
            return Err(format!("{} does not end with \"of SEMANTICS.md\"", quoted()));
        };
        let first = claimed.len();
        for part in list.split(", ").flat_map(|part| part.split(" and ")) {
            let ids = match part.split_once(" to ") {
                Some((from, to)) => range(from, to),
                None => Some(vec![part.to_owned()]).filter(|_| is_id(part)),
            };
            claimed.extend(ids.ok_or_else(|| format!("{}: what is {part:?}?", quoted()))?);
        }
        if several != (claimed.len() - first > 1) {
            return Err(format!("{}: one rule or several?", quoted()));
        }
    }
    Ok(claimed)
}

/// The IDs from one to another of the same name.
fn range(from: &str, to: &str) -> Option<Vec<String>> {
    if !is_id(from) || !is_id(to) {
        return None;
    }
    let ((name, first), (last_name, last)) = (from.split_once('-')?, to.split_once('-')?);
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    let rises = name == last_name && first < last;
    rises.then(|| (first..=last).map(|number| format!("{name}-{number}")).collect())
}

/// What is wrong with the claims, one complaint a line.
fn wrong_claims(rules: &BTreeMap<String, bool>, sources: &[(String, String)]) -> Vec<String> {
    let mut kept = BTreeSet::new();
    let mut complaints = Vec::new();
    for (name, text) in sources.iter().filter(|(name, _)| name.starts_with("src/")) {
        match claims(text) {
            Err(wrong) => complaints.push(format!("{name}: {wrong}")),
            Ok(ids) => {
                let unknown = ids.iter().filter(|id| !rules.contains_key(*id));
                let wrong = unknown.map(|id| format!("{name} keeps {id}, which is no rule"));
                complaints.extend(wrong);
                kept.extend(ids);
            }
        }
    }
    let unclaimed = rules.keys().filter(|id| !kept.contains(*id));
    complaints.extend(unclaimed.map(|id| format!("{id} is kept by no file of src")));
    complaints
}

/// Every `.rs` file below the folders of this name of all crates, with its path relative to its crate.
fn of_all_crates(name: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for of in [".", "crates/order", "crates/testkit", "crates/cli"].map(|of| root.join(of)) {
        if of.join(name).is_dir() {
            sources(&of.join(name), &of, &mut found);
        }
    }
    found
}

/// Every `.rs` file below `folder`, with its path relative to the crate.
fn sources(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate") {
        let path = entry.expect("an entry of a folder of the crate").path();
        if path.is_dir() {
            sources(&path, root, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy();
            found.push((name.into_owned(), fs::read_to_string(&path).expect("a source file")));
        }
    }
}

/// What is wrong with the citations, one complaint a line.
fn complaints(rules: &BTreeMap<String, bool>, sources: &[(String, String)]) -> Vec<String> {
    let (mut tested, mut modelled) = (BTreeSet::new(), BTreeSet::new());
    let mut quick = BTreeSet::new();
    let known = quick::Sources::new(sources);
    let mut complaints = Vec::new();
    for (name, text) in sources {
        let is_model = MODELS.iter().any(|folder| name.starts_with(folder))
            || name.starts_with("src/") && name.ends_with("/models.rs");
        for (id, line, runs) in citations(name, text) {
            if !runs {
                complaints.push(format!("{name} cites {id} where nothing runs"));
                continue;
            }
            if !rules.contains_key(&id) {
                complaints.push(format!("{name} cites {id}, which is no rule"));
            }
            if is_model {
                modelled.insert(id);
                continue;
            }
            if known.is_quick(name, text, line) {
                quick.insert(id.clone());
            }
            tested.insert(id);
        }
    }
    for (id, binding) in rules {
        if !binding {
            complaints.push(format!("{id} does not say MUST or MAY in its first sentence"));
        }
        if !tested.contains(id) {
            complaints.push(format!("{id} is cited by no test"));
        } else if !quick.contains(id) {
            complaints.push(format!("{id} is cited by no quick test"));
        }
        if !modelled.contains(id) {
            complaints.push(format!("{id} is cited by no model"));
        }
    }
    complaints
}

/// The rules of SEMANTICS.md.
fn all_rules(root: &Path) -> BTreeMap<String, bool> {
    let semantics = fs::read_to_string(root.join("SEMANTICS.md")).expect("SEMANTICS.md");
    let rules = rules(&semantics);
    assert!(rules.len() > 30, "only {} rules were found: {rules:?}", rules.len());
    rules
}

#[test]
fn every_rule_has_a_quick_test_and_a_model() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = all_rules(root);
    let mut found = [of_all_crates("tests"), of_all_crates("src")].concat();
    sources(&root.join("fuzz/fuzz_targets"), root, &mut found);
    // This file's own examples are not citations.
    found.retain(|(name, _)| !name.starts_with("tests/repo/rules"));
    let complaints = complaints(&rules, &found);
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_rule_is_kept_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let complaints = wrong_claims(&all_rules(root), &of_all_crates("src"));
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// The check itself, on texts with one fault each.
#[test]
fn faults_in_the_citations_are_found() {
    let semantics = "**ABC-1** A thing MUST be so.\nReason.\n\n**ABC-2** Another MUST not.\n";
    let good = [
        ("tests/model/a.rs".to_owned(), "/// SEMANTICS: ABC-1, ABC-2\nfn a() {}".to_owned()),
        (
            "tests/b.rs".to_owned(),
            "// SEMANTICS: ABC-1\n// and SEMANTICS: ABC-2.\n#[test]\nfn b() {}".to_owned(),
        ),
    ];
    let rules_of = |text| rules(text);
    let found = rules_of(semantics);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["ABC-1", "ABC-2"]);
    assert_eq!(complaints(&found, &good), Vec::<String>::new());

    let unmodelled = [good[1].clone()];
    assert_eq!(complaints(&found, &unmodelled).len(), 2);
    let untested = [good[0].clone()];
    assert_eq!(complaints(&found, &untested).len(), 2);
    let mut unknown = good.to_vec();
    unknown[1].1.push_str("\n// SEMANTICS: XYZ-9\nfn c() {}");
    assert_eq!(complaints(&found, &unknown), ["tests/b.rs cites XYZ-9, which is no rule"]);
    let mut in_code = good.to_vec();
    in_code[1].1 = "let text = \"SEMANTICS: ABC-1\"; // SEMANTICS ABC-2".to_owned();
    assert_eq!(complaints(&found, &in_code).len(), 2);
    // Where nothing runs, one rule is cited by no test, and the citation is a fault of its own.
    for (name, dead) in [
        ("tests/b.rs", "//! SEMANTICS: ABC-2"),
        ("tests/b.rs", "/// SEMANTICS: ABC-2\nconst A: u8 = 1;"),
        ("tests/b.rs", "/// SEMANTICS: ABC-2"),
        ("tests/b.rs", "/// SEMANTICS: ABC-2\n#[test]\n#[ignore = \"slow\"]\nfn a() {}"),
        ("src/b.rs", "/// SEMANTICS: ABC-2\nfn not_a_test() {}"),
        ("src/b.rs", "// SEMANTICS: ABC-2\nassert!(true);"),
    ] {
        let one = "// SEMANTICS: ABC-1\n#[test]\nfn b() {}\n".to_owned();
        let found = complaints(&found, &[good[0].clone(), (name.to_owned(), one + dead)]);
        assert_eq!(found.len(), 2, "{dead}: {found:?}");
        assert!(found[0].ends_with("cites ABC-2 where nothing runs"), "{found:?}");
        assert_eq!(found[1], "ABC-2 is cited by no test");
    }
    // With RDMA alone is not quick.
    let needs = "// SEMANTICS: ABC-1\n#[test]\nfn b() {}\n\n#[cfg(feature = \"ib\")]\nmod c {\n    \
                 // SEMANTICS: ABC-2\n    #[test]\n    fn c() {}\n}";
    let slow = [good[0].clone(), ("tests/b.rs".to_owned(), needs.to_owned())];
    assert_eq!(complaints(&found, &slow), ["ABC-2 is cited by no quick test"]);
    // The models of src count as models, and as nothing else.
    let loom = ("src/a/models.rs".to_owned(), good[1].1.clone());
    assert_eq!(complaints(&found, &[good[1].clone(), loom.clone()]), Vec::<String>::new());
    assert_eq!(complaints(&found, &[good[0].clone(), loom]).len(), 2);
    let weak = rules_of("**ABC-1** A thing is so. It MUST.\n");
    assert!(complaints(&weak, &[]).iter().any(|complaint| complaint.contains("MUST or MAY")));
}

/// The check itself, on heads with one fault each.
#[test]
fn faults_in_the_claims_are_found() {
    let rules: String = (1..=5).map(|n| format!("**ABC-{n}** It MUST.\n\n")).collect();
    let rules = self::rules(&(rules + "**XYZ-1** It MAY.\n"));
    let wrong = |head: &str| {
        let elsewhere =
            ("tests/a.rs".to_owned(), "//! Keeps rule ABC-9 of SEMANTICS.md".to_owned());
        wrong_claims(&rules, &[("src/a.rs".to_owned(), head.to_owned()), elsewhere])
    };
    let good = [
        "//! It. Keeps rules ABC-1 to ABC-5 and XYZ-1 of SEMANTICS.md.",
        "//! Keeps rules ABC-1,\n//! ABC-2 to\n//! ABC-4, ABC-5 and XYZ-1 of\n//! SEMANTICS.md. So.",
        "//! Keeps rule XYZ-1 of SEMANTICS.md.\n\n//! Keeps rules ABC-1 to ABC-5 of SEMANTICS.md",
    ];
    for head in good {
        assert_eq!(wrong(head), [""; 0], "{head}");
    }
    let bad = [
        ("//! Keeps rules ABC-1 to ABC-5 of SEMANTICS.md.", "XYZ-1 is kept by no file of src"),
        ("//! Keeps rules ABC-2 to ABC-5 and XYZ-1 of SEMANTICS.md.", "ABC-1 is kept by no file"),
        ("//! Keeps rules ABC-1 to ABC-6 and XYZ-1 of SEMANTICS.md.", "ABC-6, which is no rule"),
        ("//! Keeps rules ABC-1 to ABC-5, XYZ-1 and XYZ-2 of SEMANTICS.md.", "keeps XYZ-2, which"),
    ];
    for (head, complaint) in bad {
        let found = wrong(head);
        assert!(found.len() == 1 && found[0].contains(complaint), "{head}: {found:?}");
    }
    let unreadable = [
        ("//! Keeps rules ABC-5 to ABC-1 of SEMANTICS.md", "what is \"ABC-5 to ABC-1\"?"),
        ("//! Keeps rules ABC-1 to XYZ-1 of SEMANTICS.md", "what is"),
        ("//! Keeps rules ABC-1 and abc-2 of SEMANTICS.md", "what is \"abc-2\"?"),
        ("//! Keeps rules ABC-1 and ABC-2.", "does not end with"),
        ("//! Keeps rule ABC-1 and ABC-2 of SEMANTICS.md", "one rule or several"),
        ("//! Keeps rules ABC-1 of SEMANTICS.md", "one rule or several"),
    ];
    for (head, complaint) in unreadable {
        let found = wrong(head);
        assert!(found[0].contains(complaint), "{head}: {found:?}");
        assert_eq!(found.len(), 1 + rules.len(), "nothing is claimed: {found:?}");
    }
    let in_code = "// Keeps rules ABC-1 to ABC-5 and XYZ-1 of SEMANTICS.md.";
    assert_eq!(wrong(in_code).len(), rules.len());
}
