//! The lists of `.ci` name lines of the code, by their text, to be made wrong. Each of them still
//! stands there, so that no check is lost when code is moved.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> Option<String> {
    fs::read_to_string(root().join(path)).ok()
}

/// What is wrong with a list of weakenings, whose format `.ci/weakenings` says. Edits of one
/// weakening follow each other, as in `.ci/weaken`.
fn faults(list: &str, text: impl Fn(&str) -> Option<String>) -> (usize, Vec<String>) {
    let (mut edits, mut faults) = (0, Vec::new());
    for block in list.split("\n\n") {
        let mut changed: HashMap<&str, Vec<String>> = HashMap::new();
        let (mut name, mut file, mut within, mut line) = ("", "", None, "");
        for row in block.lines().filter(|row| !row.starts_with('#')) {
            let (key, value) = row.split_once(':').unwrap_or((row, ""));
            let value = value.trim();
            match key {
                "name" => name = value,
                "file" => (file, within) = (value, None),
                "in" => within = Some(value),
                "line" => line = value,
                "with" => {
                    edits += 1;
                    let lines = changed.entry(file).or_insert_with(|| {
                        let text = text(file).unwrap_or_default();
                        text.lines().map(|line| line.trim().to_owned()).collect()
                    });
                    match place(lines, within.take(), line) {
                        Ok(at) => value.clone_into(&mut lines[at]),
                        Err(fault) => faults.push(format!("{name}: {file}: {fault}")),
                    }
                }
                _ => {}
            }
        }
    }
    (edits, faults)
}

/// Where the line stands: once in the file, or first below the one line `within`.
fn place(lines: &[String], within: Option<&str>, line: &str) -> Result<usize, String> {
    let all = |wanted: &str| -> Vec<usize> {
        let found = lines.iter().enumerate().filter(|(_, line)| *line == wanted);
        found.map(|(at, _)| at).collect()
    };
    let only = |wanted: &str| match all(wanted)[..] {
        [at] => Ok(at),
        [] => Err(format!("no line is {wanted:?}")),
        _ => Err(format!("more than one line is {wanted:?}")),
    };
    let Some(within) = within else { return only(line) };
    let above = only(within)?;
    let below = all(line).into_iter().find(|&at| at > above);
    below.ok_or_else(|| format!("no line below {within:?} is {line:?}"))
}

#[test]
fn each_weakening_names_a_line_of_the_code() {
    let list = text(".ci/weakenings").expect("the list of weakenings");
    let (edits, faults) = faults(&list, text);
    assert!(edits > 100, "only {edits} edits are listed");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn stale_weakenings_are_noticed() {
    let code =
        |path: &str| (path == "a.rs").then(|| "fn f() {\n    x;\n    y;\n}\nx;\n".to_owned());
    let faults = |edit: &str| faults(&format!("name: n\n{edit}\nmodels: m\n"), code).1;
    assert!(faults("file: a.rs\nline: y;\nwith: z;").is_empty());
    assert!(faults("file: a.rs\nin: fn f() {\nline: x;\nwith: z;").is_empty());
    assert!(faults("file: a.rs\nline: y;\nwith: z;\nline: z;\nwith:").is_empty());
    for (edit, fault) in [
        ("file: b.rs\nline: y;\nwith: z;", "no line is \"y;\""),
        ("file: a.rs\nline: z;\nwith: y;", "no line is \"z;\""),
        ("file: a.rs\nline: x;\nwith: z;", "more than one line is \"x;\""),
        ("file: a.rs\nin: }\nline: y;\nwith: z;", "no line below \"}\" is \"y;\""),
        ("file: a.rs\nline: y;\nwith: z;\nline: y;\nwith: z;", "no line is \"y;\""),
    ] {
        assert!(faults(edit)[0].ends_with(fault), "{:?}", faults(edit));
    }
}

/// Each mutant that is explained in `.ci/mutants-survivors` is one of a line that is there.
#[test]
fn each_explained_mutant_is_of_a_line_of_the_code() {
    let list = text(".ci/mutants-survivors").expect("the list of survivors");
    let entries: Vec<_> =
        list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    assert!(entries.len() > 10, "only {} survivors are explained", entries.len());
    for entry in entries {
        let (file, rest) = entry.split_once(" | ").expect("a file, a line and a change");
        let change = [" | replace ", " | delete "].into_iter().filter_map(|word| rest.rfind(word));
        let line = &rest[..change.max().expect("a change")];
        let code = text(&format!("crates/order/{file}")).or_else(|| text(file));
        let stands = code.is_some_and(|code| code.lines().any(|of| of.trim() == line));
        assert!(stands, "{file} has no line {line:?}");
    }
}
