//! Imports go downward only: each layer names only the layers below it; and threads, atomics, locks
//! and time have one place.

use std::fs;
use std::path::Path;

use super::paths::{Named, named};

/// For each layer, the parts of the crate that its files may name.
const LAYERS: [(&str, &[&str]); 11] = [
    ("names", &["names"]),
    ("options", &["options", "names", "order"]),
    ("sys", &["sys"]),
    ("order", &["order"]),
    ("tune", &["tune", "order", "sys"]),
    ("verbs", &["verbs", "order::Rank"]),
    ("provider", &["provider", "names", "verbs", "sys", "order::Rank"]),
    ("message", &["message", "names", "options", "order", "verbs", "sys"]),
    (
        "comm",
        &[
            "comm",
            "collective::Calls",
            "collective::Tree",
            "error",
            "message",
            "order",
            "provider",
            "sys",
            "tune",
            "verbs",
        ],
    ),
    ("collective", &["collective", "comm", "error", "message", "names", "order", "sys", "verbs"]),
    (
        "launch",
        &[
            "launch",
            "collective::ShapeRules",
            "comm",
            "error",
            "message",
            "names",
            "options",
            "order",
            "provider",
            "sys",
            "tune::cache",
            "verbs",
        ],
    ),
];

/// What only `sys` may name. (Of `core` the same as of `std`.)
const FORBIDDEN: [&str; 7] =
    ["std::thread", "std::sync", "std::time", "std::fs", "std::net", "std::os", "loom"];

/// What everyone may name of it.
const HARMLESS: [&str; 5] = [
    "std::sync::Arc",
    "std::sync::OnceLock",
    "std::time::Duration",
    "std::net::Ipv4Addr",
    "std::net::Ipv6Addr",
];

/// Names of the crate that a file of `layer` uses and may not, with their lines. Tests are bound
/// too; documentation may point anywhere.
fn trespasses(layer: &str, module: &[&str], text: &str) -> Vec<String> {
    let (_, allowed) = LAYERS.iter().find(|(name, _)| *name == layer).expect("a known layer");
    let fits =
        |named: &Named| allowed.iter().any(|name| named.starts_with(&format!("crate::{name}")));
    let all = named(text, module, true).into_iter();
    all.filter(|named| named.starts_with("crate") && !fits(named)).map(show).collect()
}

/// What a file of `layer` names of the operating system and may not, with the lines. Tests and
/// models may start threads as they like.
fn system_names(layer: &str, module: &[&str], text: &str) -> Vec<String> {
    let mut all = named(text, module, false);
    for named in &mut all {
        if named.path[0] == "core" {
            named.path[0] = "std".to_owned();
        }
    }
    let bad = |named: &&Named| {
        let imports_above = || {
            // `use std::sync` or `use std::*`: what is forbidden could be named without its path.
            let own = named.path.iter().filter(|segment| *segment != "*");
            let own: Vec<&str> = own.map(String::as_str).collect();
            FORBIDDEN.iter().any(|name| (*name).split("::").collect::<Vec<_>>().starts_with(&own))
        };
        let below = FORBIDDEN.iter().any(|name| named.starts_with(name));
        let forbidden = below || named.imported && imports_above();
        let channels =
            named.path[0].starts_with("crossbeam") && !["provider", "sys"].contains(&layer);
        channels || forbidden && !HARMLESS.iter().any(|name| named.starts_with(name))
    };
    all.iter().filter(bad).cloned().map(show).collect()
}

fn show(named: Named) -> String {
    format!("line {}: {}", named.line, named.path.join("::"))
}

/// Applies `check` to every file below the `src` of a crate: with its layer (or the name of a file that is in
/// none), its module and its text. Returns what it found, and the number of files.
fn check_all(of: &str, check: impl Fn(&str, &[&str], &str) -> Vec<String>) -> (Vec<String>, u32) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(of).join("src");
    let (mut folders, mut found, mut files) = (vec![source.clone()], Vec::new(), 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the crate") {
            let path = entry.expect("an entry of a folder of the crate").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = path.strip_prefix(&source).expect("below src").with_extension("");
            let mut module: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            module.pop_if(|last| matches!(&**last, "mod" | "lib"));
            let module: Vec<&str> = module.iter().map(|part| &**part).collect();
            let layer = module.first().copied().unwrap_or("lib");
            let text = fs::read_to_string(&path).expect("a source file");
            let bad = check(layer, &module, &text).into_iter();
            found.extend(bad.map(|line| format!("{}, {line}", path.display())));
            files += 1;
        }
    }
    (found, files)
}

/// Between crates the compiler sees to it.
#[test]
fn imports_go_downward() {
    let (found, files) = check_all(".", |layer, module, text| match layer {
        // They stand above all layers.
        "lib" | "error" => Vec::new(),
        layer => trespasses(layer, module, text),
    });
    assert!(files > 50, "only {files} files were found");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Threads, locks, atomics and time are named in `sys` alone, and channels in providers.
#[test]
fn the_operating_system_has_one_place() {
    for (of, at_least) in [(".", 50), ("crates/order", 20), ("crates/cli", 30)] {
        let (found, files) = check_all(of, |layer, module, text| match layer {
            "sys" => Vec::new(),
            layer => system_names(layer, module, text),
        });
        assert!(files > at_least, "only {files} files were found in {of}");
        assert!(found.is_empty(), "\n{}", found.join("\n"));
    }
}

/// The engine and its parts, and in which folder of `message` alone each has its methods.
const PARTS: [(&str, &str); 7] = [
    ("Engine", "engine"),
    ("Links", "links"),
    ("Matching", "matching"),
    ("Transfers", "transfers"),
    ("Gathering", "transfers"),
    ("Barriers", "barriers"),
    ("Waiting", "waiting"),
];

/// The type of which a line begins an `impl`.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?;
    let mut depth = 0;
    let end_of_parameters = rest.find(|letter| {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        depth == 0
    })?;
    let rest = rest[end_of_parameters..].trim_start_matches('>');
    let of = rest.split_once(" for ").map_or(rest, |(_, of)| of);
    let name = of.trim().split(['<', ' ', '{']).next()?;
    name.rsplit("::").next()
}

/// A reader who looks for what a part does finds all of it in one folder. (Planted: a method of the
/// links in the engine.)
#[test]
fn each_part_of_the_engine_has_its_methods_in_its_folder() {
    let mut met = [false; PARTS.len()];
    let met_here = std::cell::RefCell::new(&mut met);
    let (found, _) = check_all(".", |_, module, text| {
        let lines = text.lines().zip(1..).filter_map(|(line, number)| {
            let part = PARTS.iter().position(|(name, _)| implemented(line) == Some(name))?;
            met_here.borrow_mut()[part] = true;
            let is_home = module.starts_with(&["message", PARTS[part].1]);
            (!is_home).then(|| format!("line {number}: {line}"))
        });
        lines.collect()
    });
    assert!(found.is_empty(), "\n{}", found.join("\n"));
    assert_eq!(met, [true; PARTS.len()]);
    for (line, part) in [
        ("impl<N: Nic> Engine<N> {", Some("Engine")),
        ("impl<N: Nic<A = B<C>>> fmt::Debug for super::Engine<N> {", Some("Engine")),
        ("impl Frames for Links {", Some("Links")),
        ("impl Links {", Some("Links")),
        ("    impl Links {", None),
    ] {
        assert_eq!(implemented(line), part, "{line}");
    }
}

/// The check itself.
#[test]
fn an_upward_import_is_found() {
    let good = [
        ("order", "use crate::order::Rank;\n// crate::message\n/* crate::verbs */ fn f() {}"),
        ("order", "pub(crate) const NAME: &str = \"crate::verbs\"; pub(in crate::order) fn f() {}"),
        ("provider", "use crate::order::Rank;"),
        ("provider", "use crate::{order::Rank as R, verbs::{self, Nic}, sys::*};"),
        ("order", "use super::Rank; mod inner { use super::super::Rank; }"),
        ("order", "fn f<'a>(_: &'a str) -> impl Iterator + use<'a> { 'x'; '\\''; r#\"\"\"#; }"),
    ];
    for (layer, text) in good {
        assert_eq!(trespasses(layer, &[layer, "file"], text), [""; 0], "{text}");
    }
    let bad = [
        ("order", "use crate::verbs::Nic;"),
        ("order", "use crate::{order::Rank,\n    verbs::Nic};"),
        ("order", "use crate::{order::Rank, verbs as order};"),
        ("order", "use crate as root;"),
        ("order", "use crate::*;"),
        ("order", "use super::super::verbs::Nic;"),
        ("order", "use super::{super::{verbs}};"),
        ("order", "use self::super::super::verbs;"),
        ("order", "mod inner { fn f(_: super::super::super::verbs::Vi) {} }"),
        ("order", "mod inner {} fn f(_: super::super::verbs::Vi) {}"),
        ("order", "let text = \"// not a comment\"; crate::verbs::connect();"),
        ("order", "let quotes = (b'\"', '\"'); crate::verbs::connect(); //\""),
        ("order", "#[cfg(test)] mod tests { use crate::verbs::Nic; }"),
        ("order", "use r#crate::verbs::Nic;"),
        ("provider", "use crate::order::Signal;"),
        ("provider", "use crate::order;"),
        ("provider", "use crate::{order::{Rank, Signal}};"),
        ("verbs", "fn f() -> crate::orders::X {}"),
        ("verbs", "macro_rules! f { () => { $crate::message::Tag } }"),
    ];
    for (layer, text) in bad {
        assert_eq!(trespasses(layer, &[layer, "file"], text).len(), 1, "{text}");
    }
}

/// The check itself.
#[test]
fn a_name_of_the_operating_system_is_found() {
    let good = [
        ("message", "use std::{sync::{Arc, OnceLock}, time::Duration, collections::VecDeque};"),
        ("message", "use crate::sys::time::Instant; fn f() -> std::time::Duration {}"),
        ("message", "// std::thread\nconst NAME: &str = \"std::thread::spawn\";"),
        ("message", "#[cfg(test)]\nmod tests { use std::thread; }"),
        ("message", "#[cfg(all(test, loom))]\nuse loom::{thread, sync};\nfn f() {}"),
        ("message", "#![cfg(all(test, loom))]\nuse loom::thread;\nuse loom::sync;"),
        ("provider", "use crossbeam_channel::{Receiver, bounded};"),
    ];
    for (layer, text) in good {
        assert_eq!(system_names(layer, &[layer, "file"], text), [""; 0], "{text}");
    }
    let bad = [
        "use std::time::{Duration, Instant};",
        "use std::time::SystemTime;",
        "use std::{thread, fmt};",
        "use std::{\n    fmt,\n    thread::{self as t},\n};",
        "use std::{sync::{Arc, Mutex}};",
        "use std::sync::{Condvar};",
        "use std::sync::{Arc, RwLock as Lock};",
        "use std::sync::{Arc, atomic};",
        "use core::sync::atomic::AtomicU64;",
        "use std::sync; fn f(_: &sync::Mutex<()>) {}",
        "use std::sync::*;",
        "use std::*;",
        "use std as s;",
        "use std::{self as s};",
        "extern crate std as s;",
        "use ::std::time::Instant;",
        "use loom::thread;",
        "use crossbeam_channel::bounded;",
        "crossbeam_utils::thread::scope();",
        "fn f() { std::thread::yield_now() }",
        "fn f() { ::std::thread::spawn::<(), _>(f); }",
        "fn f() { use std::thread::yield_now; }",
        "#[cfg(test)]\nmod tests;\nuse std::thread;",
        "#[cfg(test)]\nmod tests { fn f() {} }\nfn f() { std::thread::park() }",
        "#[cfg(test)]\nuse std::{fmt, str};\nfn f() { std::thread::park() }",
        "fn f() { std :: thread\n    ::park() }",
    ];
    for text in bad {
        assert_eq!(system_names("message", &["message", "file"], text).len(), 1, "{text}");
    }
}
