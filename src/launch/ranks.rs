//! Whether the ranks of a job are processes or threads.

use std::path::Path;

use crate::names::named;

/// What the ranks of a job are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ranks {
    /// Processes, or threads where processes would not do:
    ///
    /// - on other systems than Linux;
    /// - where another thread than the main one starts the job, or a rank does;
    /// - in programs that cargo has built for tests or benchmarks, since a harness runs many parts
    ///   in one process, and starting that again would run them all again. They are told by their
    ///   place: a directory named `deps`, and a name that ends with a hyphen and 16 hexadecimal
    ///   digits.
    #[default]
    Auto,
    /// Threads of the calling process.
    Threads,
    /// Processes that run the same program; see [`launch`](super::launch()). On other systems than
    /// Linux, or where another thread than the main one starts the job, that is an error.
    Processes,
}

named!("kind of ranks", Ranks { Auto = "auto", Threads = "threads", Processes = "processes" });

/// Whether cargo has built the program at `path` for a test or a benchmark.
pub(super) fn is_harness(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let hash = stem.and_then(|stem| stem.rsplit_once('-')).map(|(_, hash)| hash);
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit());
    folder.is_some_and(|folder| folder == "deps") && hash.is_some_and(is_hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_harness_is_recognised_by_its_path() {
        for yes in ["/p/target/debug/deps/launch-0123456789abcdef", "deps/a-b-00000000ffffffff.exe"]
        {
            assert!(is_harness(Path::new(yes)), "{yes}");
        }
        for no in [
            "/p/target/debug/launch",
            "/p/target/debug/launch-0123456789abcdef",
            "/p/target/debug/deps/launch",
            "/p/target/debug/deps/launch-0123456789abcde",
            "/p/target/debug/deps/launch-0123456789abcdeg",
            "/p/deps/bin/launch-0123456789abcdef",
            "/",
            "",
        ] {
            assert!(!is_harness(Path::new(no)), "{no}");
        }
        // This one is.
        assert!(is_harness(&std::env::current_exe().unwrap()));
    }

    #[test]
    fn kinds_of_ranks_parse_from_their_names() {
        for (name, ranks) in Ranks::NAMED {
            assert_eq!(name.parse(), Ok(ranks));
        }
        let error = "fibres".parse::<Ranks>().unwrap_err().to_string();
        assert_eq!(error, "unknown kind of ranks \"fibres\": expected auto, threads or processes");
    }
}
