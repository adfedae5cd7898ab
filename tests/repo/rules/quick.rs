//! Whether a plain `cargo test` runs what stands below a citation: without `--ignored`, without
//! RDMA, and without a `--cfg` that only the gate sets.
//!
//! It reads text, formatted by rustfmt: what encloses a line is less indented. A function of
//! `tests` that is no `#[test]` itself runs where a list names it, or another function that runs
//! so. A list of the conformance suite is quick if one network and window of it is, by its macro.

use std::collections::BTreeSet;

/// The sources, and what of them a plain `cargo test` leaves out.
pub struct Sources<'s> {
    sources: &'s [(String, String)],
    /// Files without their `.rs`: with them goes the folder of that name.
    modules: BTreeSet<String>,
    /// Macros that list tests of which none is quick.
    lists: BTreeSet<String>,
}

impl<'s> Sources<'s> {
    pub fn new(sources: &'s [(String, String)]) -> Sources<'s> {
        let mut lists = BTreeSet::new();
        for (_, text) in sources.iter().filter(|(name, _)| name.ends_with("conformance/harness.rs"))
        {
            lists.extend(slow_lists(text));
        }
        let modules = sources.iter().flat_map(|(name, text)| modules_left_out(name, text));
        Sources { sources, modules: modules.collect(), lists }
    }

    /// Whether what the citation in this line of a file stands above is quick. It is known to run
    /// somewhere.
    pub fn is_quick(&self, name: &str, text: &str, citation: usize) -> bool {
        if !self.is_built(name) {
            return false;
        }
        let lines: Vec<&str> = text.lines().collect();
        let mut item = citation;
        while lines.get(item).is_some_and(|line| is_above(line.trim_start())) {
            item += 1;
        }
        self.runs(name, &lines, item, &mut BTreeSet::new())
    }

    /// Whether a plain `cargo test` builds this file.
    fn is_built(&self, name: &str) -> bool {
        let module = name.strip_suffix(".rs").unwrap_or(name);
        let above = module.match_indices('/').map(|(end, _)| &module[..end]);
        let is_loom = name.starts_with("src/") && name.ends_with("/models.rs");
        !is_loom
            && !name.starts_with("fuzz/")
            && !above.chain([module]).any(|module| self.modules.contains(module))
    }

    /// Whether this line is run: nothing that encloses it is left out, and if it is a part of a
    /// function of `tests` that is no test, that function is used by one.
    fn runs(&self, name: &str, lines: &[&str], line: usize, asked: &mut BTreeSet<String>) -> bool {
        let around = enclosing(lines, line);
        let is_left_out = |&at: &usize| {
            attributes(lines, at).any(is_left_out)
                || self.lists.iter().any(|list| lines[at].trim_start().starts_with(list.as_str()))
        };
        if around.iter().any(is_left_out) {
            return false;
        }
        let Some((function, at)) = around.iter().find_map(|&at| Some((function(lines[at])?, at)))
        else {
            return true;
        };
        if !name.starts_with("tests/") || attributes(lines, at).any(|line| line == "#[test]") {
            return true;
        }
        function == "main"
            || asked.insert(function.to_owned()) && self.is_used(name, function, asked)
    }

    /// Whether something that runs names this function: a list, or another function.
    fn is_used(&self, name: &str, function: &str, asked: &mut BTreeSet<String>) -> bool {
        let target = name.splitn(3, '/').take(2).collect::<Vec<_>>().join("/") + "/";
        let of_target = self.sources.iter().filter(|(other, _)| other.starts_with(&target));
        let with_it = of_target.filter(|(_, text)| text.contains(function));
        for (other, text) in with_it.filter(|(other, _)| self.is_built(other)) {
            let lines: Vec<&str> = text.lines().collect();
            for at in 0..lines.len() {
                let names_it =
                    names(lines[at], function) && self::function(lines[at]) != Some(function);
                if names_it && self.runs(other, &lines, at, asked) {
                    return true;
                }
            }
        }
        false
    }
}

/// Whether this attribute leaves out of a plain `cargo test` what it stands above.
fn is_left_out(attribute: &str) -> bool {
    if attribute.starts_with("#[ignore") {
        return true;
    }
    let mut condition = attribute.to_owned();
    while let Some(start) = condition.find("not(") {
        let end = condition[start..].find(')').map_or(condition.len(), |end| start + end + 1);
        condition.replace_range(start..end, "");
    }
    let ways = ["feature = \"ib\"", "planted", "guest", "loom", "fuzzing", "unstamped"];
    attribute.starts_with("#[cfg(") && ways.iter().any(|way| condition.contains(way))
}

/// Comments and attributes.
fn is_above(line: &str) -> bool {
    line.starts_with("//") || line.starts_with("#[")
}

/// The attributes of the item that begins in a line.
fn attributes<'l>(lines: &'l [&str], item: usize) -> impl Iterator<Item = &'l str> {
    let above = lines[..item].iter().rev().map(|line| line.trim());
    above.take_while(|line| is_above(line)).filter(|line| line.starts_with("#["))
}

/// The line itself and all that enclose it: where a block begins, each is less indented.
fn enclosing(lines: &[&str], line: usize) -> Vec<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut found = vec![line];
    let mut least = lines.get(line).map_or(0, |line| indent(line));
    for at in (0..line).rev().filter(|&at| !lines[at].trim().is_empty()) {
        // A head in several lines ends with `) {`, as little indented as it begins.
        let begins = !lines[at].trim_start().starts_with([')', '}', ']']);
        let ends_head = found.last().is_some_and(|&last| lines[last].trim_start().starts_with(')'));
        if indent(lines[at]) < least || ends_head && begins && indent(lines[at]) == least {
            least = indent(lines[at]);
            found.push(at);
        }
    }
    found
}

/// The function that a line begins, if it does.
fn function(line: &str) -> Option<&str> {
    let mut words = line.split(|other: char| !other.is_alphanumeric() && other != '_');
    let is_function =
        line.trim_start().starts_with("fn ") || line.contains("pub") && line.contains("fn ");
    is_function.then(|| words.by_ref().skip_while(|&word| word != "fn").nth(1)).flatten()
}

/// Whether the code of a line has this word.
fn names(line: &str, word: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|other: char| !other.is_alphanumeric() && other != '_').any(|other| other == word)
}

/// The modules that a file declares and a plain `cargo test` leaves out, as paths without `.rs`.
fn modules_left_out(name: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
    let folder = match file {
        "main.rs" | "lib.rs" | "mod.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", file.trim_end_matches(".rs")),
    };
    let declared = lines.iter().enumerate().filter_map(|(at, line)| {
        let module =
            line.trim().trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
        attributes(&lines, at).any(is_left_out).then(|| format!("{folder}/{module}"))
    });
    declared.collect()
}

/// The macros of the conformance suite that list tests and have none of them quick: neither do they
/// say `quick` themselves, nor do they hand all on to one that does.
fn slow_lists(text: &str) -> Vec<String> {
    let macros: Vec<(&str, &str)> = text
        .split("macro_rules! ")
        .skip(1)
        .filter_map(|text| text.split_once(" {")?.1.split_once("\n}\n").map(|body| (text, body.0)))
        .filter_map(|(text, body)| Some((text.split_once(" {")?.0, body)))
        .collect();
    let mut quick: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = quick.len();
        for (name, body) in &macros {
            let hands_on = |other: &&str| body.contains(&format!("{other}!($"));
            if names_in(body, "quick") || quick.iter().any(hands_on) {
                quick.insert(name);
            }
        }
        if quick.len() == before {
            break;
        }
    }
    let slow = macros.iter().filter(|(name, _)| !quick.contains(name));
    slow.map(|(name, _)| format!("{name}!")).collect()
}

fn names_in(text: &str, word: &str) -> bool {
    text.lines().any(|line| names(line, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one citation in it, and whether that is quick.
    fn is_quick(name: &str, text: &str, others: &[(&str, &str)]) -> bool {
        let mut sources = vec![(name.to_owned(), text.to_owned())];
        sources.extend(others.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())));
        let citation = text.lines().position(|line| line.contains("SEMANTICS:"));
        Sources::new(&sources).is_quick(name, text, citation.expect("a citation"))
    }

    const HARNESS: (&str, &str) = (
        "tests/conformance/harness.rs",
        "macro_rules! all {\n    ($test) => { all!(@ quick, matrix); };\n}\n\
         macro_rules! more {\n    ($test) => { all!($test); };\n}\n\
         macro_rules! none {\n    ($test) => { all!(@ device, device); };\n}\n",
    );

    #[test]
    fn what_a_plain_run_leaves_out_is_not_quick() {
        for (name, text) in [
            ("tests/a/b.rs", "// SEMANTICS: A\n#[test]\nfn a() {}"),
            ("src/a/tests.rs", "// SEMANTICS: A\n#[test]\n#[cfg(not(loom))]\nfn a() {}"),
            ("tests/a/b.rs", "/// SEMANTICS: A\nfn a() {}\n\n#[test]\nfn b() {\n    a();\n}"),
            ("tests/a/b.rs", "/// SEMANTICS: A\nfn a() {}\n\nconst TESTS: &[T] = &[(\"a\", a)];"),
            (
                "tests/a/b.rs",
                "#[test]\nfn a(\n    b: u8,\n) {\n    // SEMANTICS: A\n    assert!(b);\n}",
            ),
            ("tests/conformance/b.rs", "more!(a);\n/// SEMANTICS: A\nfn a() {}"),
            ("tests/conformance/b.rs", "all!(\n    b,\n    a,\n);\n/// SEMANTICS: A\nfn a() {}"),
        ] {
            assert!(is_quick(name, text, &[HARNESS]), "{text}");
        }
        for (name, text) in [
            ("fuzz/fuzz_targets/a.rs", "//! SEMANTICS: A"),
            ("src/a/models.rs", "// SEMANTICS: A\n#[test]\nfn a() {}"),
            ("tests/a/b.rs", "// SEMANTICS: A\n#[test]\n#[ignore = \"long\"]\nfn a() {}"),
            ("src/a/tests.rs", "// SEMANTICS: A\n#[test]\n#[cfg(loom)]\nfn a() {}"),
            (
                "tests/a/b.rs",
                "#[cfg(feature = \"ib\")]\nmod a {\n    // SEMANTICS: A\n    #[test]\n    fn a() {}\n}",
            ),
            ("tests/a/b.rs", "/// SEMANTICS: A\nfn a() {}"),
            (
                "tests/a/b.rs",
                "/// SEMANTICS: A\nfn a() {}\n\n#[test]\n#[ignore = \"b\"]\nfn b() {\n    a();\n}",
            ),
            ("tests/a/b.rs", "/// SEMANTICS: A\nfn a() {\n    b();\n}\n\nfn b() {\n    a();\n}"),
            (
                "tests/a/b.rs",
                "#[test]\n#[ignore = \"b\"]\nfn a(\n    b: u8,\n) {\n    // SEMANTICS: A\n    assert!(b);\n}",
            ),
            ("tests/conformance/b.rs", "none!(a);\n/// SEMANTICS: A\nfn a() {}"),
            ("tests/conformance/b.rs", "none!(\n    b,\n    a,\n);\n/// SEMANTICS: A\nfn a() {}"),
            (
                "tests/conformance/b.rs",
                "#[cfg(all(target_os = \"linux\", feature = \"ib\"))]\nall!(a);\n/// SEMANTICS: A\nfn a() {}",
            ),
        ] {
            assert!(!is_quick(name, text, &[HARNESS]), "{text}");
        }
        let test = "// SEMANTICS: A\n#[test]\nfn a() {}";
        for (name, text, is) in [
            ("tests/a/main.rs", "#[cfg(feature = \"ib\")]\nmod b;", false),
            ("tests/a/main.rs", "#[cfg(target_os = \"linux\")]\nmod b;", true),
            ("tests/a/main.rs", "#[cfg(not(guest))]\nmod b;", true),
            ("tests/a/main.rs", "#[cfg(all(target_os = \"linux\", guest))]\nmod b;", false),
        ] {
            assert_eq!(is_quick("tests/a/b.rs", test, &[(name, text)]), is, "{text}");
            assert_eq!(is_quick("tests/a/b/c.rs", test, &[(name, text)]), is, "{text}");
        }
    }
}
