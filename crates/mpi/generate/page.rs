//! Writes the part of docs/MPI.md that lists every function with its state.
//! A function is implemented when a source of this crate defines it; each other one refuses.
//! Rules: the prose around the list is not touched; it stands between two marks.

use super::functions::Section;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The mark before the list.
const BEGIN: &str =
    "<!-- begin: functions, by `cargo run -p runahead-mpi --example generate` -->\n";

/// The mark behind the list.
const END: &str = "<!-- end: functions -->";

/// The page with its list made anew.
///
/// # Errors
///
/// Which mark the page lacks.
pub fn with_list(
    page: &str,
    sections: &[Section],
    implemented: &BTreeSet<String>,
) -> Result<String, String> {
    let lacks = |mark: &str| format!("the page lacks the line {}", mark.trim());
    let (before, rest) = page.split_once(BEGIN).ok_or_else(|| lacks(BEGIN))?;
    let (_, behind) = rest.split_once(END).ok_or_else(|| lacks(END))?;
    Ok(format!("{before}{BEGIN}{}{END}{behind}", list(sections, implemented)))
}

/// The list: how many functions work in each section, and all names.
fn list(sections: &[Section], implemented: &BTreeSet<String>) -> String {
    let count = |of: &[&Section]| {
        let names = of.iter().flat_map(|section| &section.functions).map(|function| &function.name);
        (names.clone().filter(|name| implemented.contains(*name)).count(), names.count())
    };
    let (work, all) = count(&sections.iter().collect::<Vec<_>>());
    let mut text = format!(
        "\nOf {all} functions {work} work, and {} refuse.\n\n| for | work | of |\n|---|--:|--:|\n",
        all - work
    );
    for section in sections {
        let (work, all) = count(&[section]);
        let _ = writeln!(text, "| {} | {work} | {all} |", section.title);
    }
    for section in sections {
        let _ = writeln!(text, "\n### {}\n", section.title);
        for (state, wanted) in [("Work", true), ("Refuse", false)] {
            let names = (section.functions.iter().map(|function| function.name.as_str()))
                .filter(|name| implemented.contains(*name) == wanted);
            let names = with_large_counts(names.collect());
            if !names.is_empty() {
                let _ = writeln!(text, "{state}: {}.\n", names.join(", "));
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text + "\n"
}

/// Names, where `f` and `f_c` become `f(_c)`.
fn with_large_counts(names: Vec<&str>) -> Vec<String> {
    let set: BTreeSet<_> = names.iter().copied().collect();
    (names.iter())
        .filter(|name| !name.strip_suffix("_c").is_some_and(|small| set.contains(small)))
        .map(|name| match set.contains(format!("{name}_c").as_str()) {
            true => format!("`{name}(_c)`"),
            false => format!("`{name}`"),
        })
        .collect()
}
