//! What the pages of this repository link to is there: files, images, and sections by their anchor.
//! Links to other places are not followed. What code and pages cite is in the bibliography.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Linked, and not made yet. What stands here must be missing, so that the list stays short.
const TO_COME: [&str; 0] = [];

/// The lines of a page without those in code blocks, and without code in the lines.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            // Every other part stands between backticks; an odd one out is no code.
            let parts: Vec<&str> = line.split('`').collect();
            let code = |at: usize| at % 2 == 1 && at + 1 < parts.len();
            let kept = parts.iter().enumerate().map(|(at, part)| if code(at) { "" } else { part });
            prose.extend(kept.chain(["\n"]));
        }
    }
    prose
}

/// The targets of the links and images of a page: `[text](target)`, `[text]: target`, and `src` and
/// `href` of HTML.
fn targets(text: &str) -> Vec<String> {
    let prose = prose(text);
    let mut found = Vec::new();
    for (opening, closing) in [("](", ')'), ("src=\"", '"'), ("href=\"", '"'), ("\n[", '\n')] {
        for (start, _) in prose.match_indices(opening) {
            let rest = prose[start + opening.len()..].split(closing).next().unwrap_or_default();
            let target = match opening {
                // A definition; other lines that begin with a bracket are links of the first kind.
                "\n[" => rest.split_once("]: ").map(|(_, target)| target),
                _ => Some(rest),
            };
            // A title may stand behind the target.
            found.extend(target.and_then(|target| target.split_whitespace().next()));
        }
    }
    found.into_iter().map(|target| target.trim_matches(['<', '>']).to_owned()).collect()
}

/// The anchors of the headings of a page, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut seen = BTreeMap::<String, usize>::new();
    let mut anchors = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if fenced || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let before = seen.entry(anchor.clone()).or_default();
        anchors.push(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
        *before += 1;
    }
    anchors
}

/// A path without `.` and `..`, or nothing where it leads out of the repository.
fn tidy(path: &Path) -> Option<PathBuf> {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => tidy.push(part),
            Component::CurDir => {}
            Component::ParentDir => tidy.pop().then_some(())?,
            _ => return None,
        }
    }
    Some(tidy)
}

/// The links of `page` that lead nowhere. `read` gives the bytes of a file, or of a folder none.
fn broken(page: &str, text: &str, read: impl Fn(&Path) -> Option<Vec<u8>>) -> Vec<String> {
    let leads_somewhere = |target: &str| {
        let (file, anchor) = target.split_once('#').map_or((target, None), |(f, a)| (f, Some(a)));
        let path = match file {
            "" => Some(PathBuf::from(page)),
            file => tidy(&Path::new(page).parent().unwrap_or(Path::new("")).join(file)),
        };
        let Some(bytes) = path.and_then(|path| read(&path)) else { return false };
        let linked = String::from_utf8_lossy(&bytes);
        anchor.is_none_or(|anchor| anchors(&linked).iter().any(|found| found == anchor))
    };
    let own = targets(text).into_iter().filter(|target| {
        !["http://", "https://", "mailto:"].iter().any(|other| target.starts_with(other))
    });
    let broken = own.filter(|target| !leads_somewhere(target));
    broken.map(|target| format!("{page} links to {target}, which is not there")).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| {
        let whole = root.join(path);
        if whole.is_dir() { Some(Vec::new()) } else { fs::read(whole).ok() }
    };
    for path in TO_COME {
        assert!(read(Path::new(path)).is_none(), "{path} is there: strike it from TO_COME");
    }
    let mut pages = vec!["README.md".to_owned(), "SEMANTICS.md".to_owned()];
    for entry in fs::read_dir(root.join("docs")).expect("the folder of the pages") {
        let name = entry.expect("a page").file_name().into_string().expect("a plain name");
        pages.extend(name.ends_with(".md").then(|| format!("docs/{name}")));
    }
    let mut links = 0;
    let mut found = Vec::new();
    for page in &pages {
        let text = fs::read_to_string(root.join(page)).expect("a page");
        links += targets(&text).len();
        let to_come = |path: &Path| TO_COME.iter().any(|known| Path::new(known) == path);
        let read = |path: &Path| read(path).or_else(|| to_come(path).then(Vec::new));
        found.extend(broken(page, &text, read));
    }
    assert!(pages.len() > 3 && links > 10, "{links} links were found in {pages:?}");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// The papers that a text cites by key: a name, a hyphen and a year, as in `pakin-2001`.
fn citations(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_key = |word: &&str| {
        word.split_once('-').is_some_and(|(name, year)| {
            name.len() > 1
                && name.bytes().all(|byte| byte.is_ascii_lowercase())
                && matches!(year.parse(), Ok(1900..2100))
        })
    };
    words.filter(is_key).collect()
}

/// The Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("a file").path();
        if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Each paper that the code or a page cites has an entry, and each entry is cited.
#[test]
fn every_citation_has_an_entry() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bibliography = fs::read_to_string(root.join("docs/BIBLIOGRAPHY.md")).expect("the page");
    let entries = bibliography.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut left: BTreeSet<&str> = entries.collect();
    let known = left.clone();
    assert!(known.len() > 2, "{known:?}");
    let mut files: Vec<_> = ["README.md", "SEMANTICS.md"].map(|page| root.join(page)).into();
    for page in fs::read_dir(root.join("docs")).expect("the folder of the pages") {
        let page = page.expect("a page").path();
        let is_page = page.extension().is_some_and(|extension| extension == "md");
        files.extend((is_page && !page.ends_with("BIBLIOGRAPHY.md")).then_some(page));
    }
    for folder in ["src", "crates", "tests", "examples", "benches"] {
        sources(&root.join(folder), &mut files);
    }
    for file in files.iter().filter(|file| !file.ends_with("tests/repo/links.rs")) {
        let text = fs::read_to_string(file).expect("a source");
        for key in citations(&text) {
            assert!(known.contains(key), "{file:?} cites {key}: docs/BIBLIOGRAPHY.md has no entry");
            left.remove(key);
        }
    }
    assert!(left.is_empty(), "docs/BIBLIOGRAPHY.md has entries that nothing cites: {left:?}");
}

/// Each variable of the environment that a page names is on the page of options, or one of the tests. What is on that page
/// is what the code reads, which a test of the command checks.
#[test]
fn variables_that_pages_name_are_options() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let options = fs::read_to_string(root.join("docs/OPTIONS.md")).expect("the page");
    let rows = options.lines().filter_map(|line| line.strip_prefix("| `RUNAHEAD_"));
    let known: Vec<_> = rows.filter_map(|row| row.split('`').next()).collect();
    let mut named = 0;
    for page in ["README.md", "SEMANTICS.md", "BENCH", "MPI", "PORTING", "RDMA", "TUNING"] {
        let path = if page.contains('.') { page.to_owned() } else { format!("docs/{page}.md") };
        let text = fs::read_to_string(root.join(&path)).expect("a page");
        for (at, _) in text.match_indices("RUNAHEAD_") {
            let end = |c: char| !c.is_ascii_uppercase() && c != '_';
            let name = text[at..].split(end).next().expect("the name");
            let is_of_tests = ["RUNAHEAD_TEST", "RUNAHEAD_RDMA", "RUNAHEAD_SOAK"]
                .iter()
                .any(|start| name.starts_with(start));
            let is_known =
                is_of_tests || name == "RUNAHEAD_" || known.contains(&&name["RUNAHEAD_".len()..]);
            assert!(is_known, "{path} names {name}, which is no option");
            named += 1;
        }
    }
    assert!(named > 40, "{named}");
}

#[test]
fn citations_are_found() {
    let text = "As (pakin-2001 §4.1) and [kini-2003](x#kini-2003), not utf-8, x86-64, a-1999.";
    assert_eq!(citations(text), BTreeSet::from(["kini-2003", "pakin-2001"]));
}

/// The check itself, on a page with one link at a time.
#[test]
fn broken_links_are_found() {
    let other = "# One\n## 2. Two (and `three`)\n## Same\n## Same\n```sh\n# not a heading\n```\n";
    let read = |path: &Path| match path.to_str() {
        Some("docs/other.md") => Some(other.into()),
        Some("docs/page.md") => Some("# Here\n".into()),
        Some("LICENSE" | "docs") => Some(Vec::new()),
        _ => None,
    };
    let wrong = |link: &str| broken("docs/page.md", &format!("# Here\nA {link} b.\n"), read);
    let good = [
        "[x](other.md)",
        "[x](./other.md \"title\")",
        "[x](../LICENSE)",
        "[x](../docs)",
        "[x](#here)",
        "[x](other.md#2-two-and-three)",
        "[x](other.md#same) [y](other.md#same-1)",
        "[x](https://example.org/nothing)",
        "`[x](nothing.md)`",
        "\n```\n[x](nothing.md)\n```\n",
        "\n[x]: other.md\n",
        "[![x](other.md)](other.md)",
    ];
    for link in good {
        assert_eq!(wrong(link), [""; 0], "{link}");
    }
    let bad = [
        "[x](nothing.md)",
        "![x](nothing.svg)",
        "[![x](nothing.svg)](other.md)",
        "<img width=\"9\" src=\"nothing.svg\">",
        "<a href=\"nothing.md\">x</a>",
        "[`x`](nothing.md)",
        "[x](LICENSE)",
        "[x](../../LICENSE)",
        "[x](/LICENSE)",
        "[x](#there)",
        "[x](other.md#same-2)",
        "[x](other.md#not-a-heading)",
        "\n```\ncode\n```\n[x](nothing.md)",
        "\n[x]: nothing.md\n",
        "[x\ny](nothing.md)",
        "don`t [x](nothing.md)",
    ];
    for link in bad {
        assert_eq!(wrong(link).len(), 1, "{link}");
    }
}
