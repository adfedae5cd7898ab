//! Imports go downward only: each layer names only the layers below it.

use std::fs;
use std::path::Path;

/// For each layer, the parts of the crate that its files may name.
const LAYERS: [(&str, &[&str]); 8] = [
    ("sys", &["sys"]),
    ("order", &["order"]),
    ("verbs", &["verbs", "order::Rank"]),
    ("provider", &["provider", "verbs", "sys", "order::Rank"]),
    ("message", &["message", "order", "verbs", "sys"]),
    ("comm", &["comm", "collective::Tree", "error", "message", "order", "provider", "verbs"]),
    ("collective", &["collective", "comm", "error", "message", "order", "verbs"]),
    ("launch", &["launch", "comm", "error", "message", "order", "provider", "sys", "verbs"]),
];

/// Names of the crate that a file of `layer` uses and may not, with their lines.
fn trespasses(layer: &str, text: &str) -> Vec<String> {
    let (_, allowed) = LAYERS.iter().find(|(name, _)| *name == layer).expect("a known layer");
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.trim_start();
        // Documentation may point anywhere.
        if code.starts_with("//") {
            continue;
        }
        for (at, _) in code.match_indices("crate::") {
            let path = &code[at + "crate::".len()..];
            let fits = |allowed: &&&str| {
                path.strip_prefix(**allowed)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
            };
            if !allowed.iter().any(|name| fits(&name)) {
                found.push(format!("line {}: {code}", number + 1));
            }
        }
    }
    found
}

fn check(folder: &Path, layer: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder of the crate") {
        let path = entry.expect("an entry of a folder of the crate").path();
        if path.is_dir() {
            check(&path, layer, found);
        } else {
            let text = fs::read_to_string(&path).expect("a source file");
            let bad = trespasses(layer, &text).into_iter();
            found.extend(bad.map(|line| format!("{}, {line}", path.display())));
        }
    }
}

#[test]
fn imports_go_downward() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (layer, _) in LAYERS {
        check(&source.join(layer), layer, &mut found);
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Threads, atomics and time are named in `sys` alone.
#[test]
fn the_operating_system_has_one_place() {
    let forbidden = ["std::thread", "std::sync::atomic", "std::time::Instant", "loom::"];
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (layer, _) in LAYERS.iter().filter(|(layer, _)| *layer != "sys") {
        let mut folders = vec![source.join(layer)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder of the crate") {
                let path = entry.expect("an entry of a folder of the crate").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = fs::read_to_string(&path).expect("a source file");
                // Tests and models may start threads as they like.
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                let code = code.split("#[cfg(all(test").next().unwrap_or_default();
                let names = forbidden.iter().filter(|name| {
                    code.lines().any(|l| !l.trim_start().starts_with("//") && l.contains(**name))
                });
                found.extend(names.map(|name| format!("{} names {name}", path.display())));
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// The check itself.
#[test]
fn an_upward_import_is_found() {
    assert!(trespasses("order", "use crate::order::Rank;\n// crate::message").is_empty());
    assert_eq!(trespasses("order", "use crate::verbs::Nic;").len(), 1);
    assert_eq!(trespasses("provider", "use crate::order::Signal;").len(), 1);
    assert!(trespasses("provider", "use crate::order::Rank;").is_empty());
    assert_eq!(trespasses("verbs", "fn f() -> crate::orders::X {}").len(), 1);
}
