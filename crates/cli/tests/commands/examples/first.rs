//! The two programs to read first: the ring, which README.md and the library's documentation show,
//! and the stencil on a rod, which compares its result with that of a sequential program.

use std::path::Path;

use super::{command, run, sizes, succeed};

/// A file of the repository.
fn text(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).expect("a file of the repository")
}

/// The first block of code of a page of Markdown.
fn first_block(page: &str) -> String {
    let fenced = page.split_once("```").expect("a block of code").1;
    let (_language, block) = fenced.split_once('\n').expect("a line");
    block.split_once("```").expect("the end of the block").0.to_owned()
}

#[test]
fn readme_and_documentation_show_the_ring() {
    let ring = text("examples/ring.rs");
    let (_header, program) = ring.split_once("\n\n").expect("a header");
    assert_eq!(first_block(&text("README.md")), program, "README.md");
    let library = text("src/lib.rs");
    let lines = library.lines().map_while(|line| line.strip_prefix("//!"));
    let page: String =
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect();
    assert_eq!(first_block(&page), program, "src/lib.rs");
    assert!(ring.lines().count() <= 30);
    assert!(text("examples/stencil_1d.rs").lines().count() <= 100);
}

#[test]
fn each_rank_of_the_ring_receives_from_the_one_before() {
    let out = succeed(&mut command("ring"));
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    let right: Vec<String> =
        (0..8).map(|rank| format!("rank {rank} received {}", (rank + 7) % 8)).collect();
    assert_eq!(lines, right);
}

#[test]
fn the_rod_equals_that_of_a_sequential_program() {
    for &ranks in sizes() {
        for cells in [ranks, ranks + 1, 100] {
            let out = succeed(&mut command(&format!("stencil_1d {ranks} {cells} 30")));
            let begin = format!("{cells} cells, 30 steps, {ranks} ranks: ");
            assert!(out.starts_with(&begin) && out.ends_with(" s; checked\n"), "{out}");
        }
    }
}

#[test]
fn an_impossible_rod_is_refused() {
    for (arguments, error) in [
        ("x", "ranks: expected a positive integer"),
        ("3 0", "cells: expected a positive integer"),
        ("3 7 -1", "steps: expected a positive integer"),
        ("3 2", "2 cells are too few for 3 ranks"),
    ] {
        let outcome = run(&mut command(&format!("stencil_1d {arguments}")));
        assert_eq!((outcome.code, &outcome.out[..]), (Some(1), ""), "{outcome:?}");
        assert!(outcome.err.contains(error), "{outcome:?}");
    }
}
