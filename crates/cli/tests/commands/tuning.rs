//! The cache file in which jobs remember algorithms, tested with whole jobs and with the command.
//! No test here uses the user's own file.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use runahead::internals::tune::cache::{Cache, Key};
use runahead::internals::verbs::Nic;
use runahead::{Algorithm, Config, Launch, TuneCache};

fn config(path: &Path, budget_us: u64) -> Config {
    Config {
        algorithm: Algorithm::Auto,
        tune_budget: Duration::from_micros(budget_us),
        tune_cache: TuneCache::File(path.to_owned()),
        ..Config::new(3)
    }
}

/// The key of a job with this number of ranks on this host.
fn here(ranks: usize) -> Key {
    let nics = Launch::new(1).connect().expect("a network");
    Key::here(nics[0].attributes().provider, ranks)
}

/// The algorithm that the ranks of a job of three use.
fn job(config: Config) -> Algorithm {
    let used = Launch::new(3).options(config).collect(|world| {
        world.barrier()?.wait()?;
        Ok(world.algorithm())
    });
    let used = used.expect("no rank fails");
    assert!(used.iter().all(|of| *of == used[0]), "{used:?}");
    used[0]
}

#[test]
fn the_next_job_uses_the_algorithm_that_the_first_has_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache").join("tune.txt");
    // Enough time, on any machine, for the rounds that it takes to find the fastest.
    let found = job(config(&path, 20_000_000));
    let key = here(3);
    let cache = Cache::load(&path).expect("a file of ours");
    assert_eq!(cache.known(&key), Some(found));
    // The next job looks the entry up: it uses a changed one, which no measurement would give.
    assert!(Cache::remember(&path, key, Algorithm::FlatTree));
    assert_eq!(job(config(&path, 20_000_000)), Algorithm::FlatTree);
}

#[test]
fn a_bad_cache_file_does_not_fail_a_job() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("corrupt", &b"runahead-tune 1\nnode\t\xff\xfe\0\n"[..]),
        ("foreign", b"Dear diary,\n"),
        ("binary", &[0xff; 5000]),
        ("empty", b""),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        job(config(&path, 1000));
        if name == "foreign" || name == "binary" {
            assert_eq!(fs::read(&path).unwrap(), text);
        }
    }
    // The path of the file is a directory, or lies below a file.
    job(config(folder.path(), 1000));
    job(config(&folder.path().join("foreign").join("tune.txt"), 1000));
    job(Config { tune_cache: TuneCache::Off, ..config(folder.path(), 1000) });
}

#[test]
fn concurrent_jobs_leave_a_valid_cache_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tune.txt");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| job(config(&path, 20_000_000)));
        }
    });
    let cache = Cache::load(&path).expect("a file of ours");
    assert!(cache.known(&here(3)).is_some());
}

fn runahead(arguments: &[&str], set: &[(&str, &Path)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_runahead"))
        .args(arguments)
        .envs(set.iter().copied())
        .output()
        .expect("the command was built with this test")
}

fn printed(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn info_lists_the_environment_and_the_remembered_algorithms() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tune.txt");
    let info = |place: &Path| printed(runahead(&["info"], &[("RUNAHEAD_TUNE_CACHE", place)]));
    for variable in runahead::internals::options::options() {
        assert!(info(Path::new("off")).contains(variable.variable));
    }
    assert!(info(Path::new("off")).contains("is off"));
    assert!(info(&path).contains("none yet"));
    assert!(Cache::remember(&path, here(12), Algorithm::BinomialTree));
    let text = info(&path);
    let line = text.lines().find(|line| line.contains("binomial-tree") && line.contains("| 12 "));
    assert!(line.is_some(), "{text}");
    assert!(text.lines().any(|line| line.starts_with("| auto ")), "{text}");
    fs::write(&path, "Dear diary,\n").unwrap();
    assert!(info(&path).contains("not a cache of runahead"));
}

#[test]
fn tune_prints_every_candidate_and_remembers_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tune.txt");
    let set = [("RUNAHEAD_TUNE_CACHE", &*path)];
    let text = printed(runahead(&["tune", "--ranks", "3", "--budget-ms", "5"], &set));
    for candidate in runahead::internals::tune::candidates::candidates(3, true) {
        assert!(text.contains(&candidate.to_string()), "{text}");
    }
    assert!(!path.exists());
    // More time than all rounds of a race take.
    let budget = ["--budget-ms", "20000", "--remember"];
    let text = printed(runahead(&[&["tune", "--ranks", "2,3"], &budget[..]].concat(), &set));
    assert!(text.matches("Stored in").count() == 2, "{text}");
    let cache = Cache::load(&path).unwrap();
    for ranks in [2, 3] {
        assert!(cache.known(&here(ranks)).is_some());
    }
}

/// What is stored replaces what stood there for the same groups, and nothing else.
#[test]
fn tune_finds_the_shapes_of_collectives_and_remembers_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tune.txt");
    let set = [("RUNAHEAD_TUNE_CACHE", &*path)];
    let tune = |more: &[&str]| {
        let bytes = ["--bytes", "64,40000", "--calls", "2"];
        let first = [&["tune", "--what", "collectives", "--ranks", "2,3"], &bytes[..]].concat();
        printed(runahead(&[&first, more].concat(), &set))
    };
    let text = tune(&[]);
    for call in ["broadcast", "reduce", "all_reduce", "scan", "exclusive_scan"] {
        let rows = text.lines().filter(|line| line.starts_with(&format!("| {call} ")));
        assert_eq!(rows.count(), 4, "{text}");
    }
    assert!(text.contains("3 ranks on 1 hosts") && !path.exists(), "{text}");
    // The terms that it has measured, for each number of ranks.
    // Of deposits up to what a broadcast deposits.
    for (line, times) in [
        ("Terms of messages between ranks on a host:", 2),
        ("Terms of deposits, which ranks on a host read:", 2),
        (" 262144 |", 2 * 2),
        ("| 4194304 |", 2),
        ("Hockney: ", 2 * 2),
    ] {
        assert_eq!(text.matches(line).count(), times, "{line}: {text}");
    }
    // A rule that no measurement gives; one for groups on other hosts; another number of ranks; an
    // algorithm.
    let rule = |text: &str| vec![text.to_owned()];
    let before = ["scan 3 1 5 flat:7", "scan 3 2 5 flat:7", "scan 4 1 5 flat:7"];
    let key = Key { ranks: 0, ..here(3) };
    for of in before {
        assert!(Cache::remember_rules(&path, &key, |_| false, rule(of)));
    }
    assert!(Cache::remember(&path, here(3), Algorithm::FlatTree));
    let text = tune(&["--remember", "--exhaustive"]);
    assert_eq!(text.matches("rules are stored in").count(), 2, "{text}");
    assert!(text.contains("% of that.") && text.contains("more than 5 % behind"), "{text}");
    let cache = Cache::load(&path).unwrap();
    let kept: Vec<_> = cache.rules().filter(|(_, rule)| before.contains(rule)).collect();
    assert_eq!(kept, [(&key, before[1]), (&key, before[2])]);
    assert_eq!(cache.known(&here(3)), Some(Algorithm::FlatTree));
    for (_, rule) in cache.rules() {
        assert!(rule.parse::<runahead::internals::collective::ShapeRule>().is_ok(), "{rule}");
    }
    // It cannot be stored, or is not to be.
    let off = [("RUNAHEAD_TUNE_CACHE", Path::new("off"))];
    let one = ["tune", "--what", "collectives", "--bytes", "64", "--ranks", "2", "--remember"];
    assert!(printed(runahead(&one, &off)).contains("It is not stored: the cache is off."));
    let taken = [("RUNAHEAD_TUNE_CACHE", folder.path())];
    assert!(printed(runahead(&one, &taken)).contains("They cannot be stored in"));
}

#[test]
fn options_of_something_else_are_refused() {
    for wrong in [
        &["--bytes", "64"][..],
        &["--calls", "3"],
        &["--exhaustive"],
        &["--what", "collectives", "--budget-ms", "5"],
        &["--what", "collectives", "--competitors", "1"],
    ] {
        let output = runahead(&[&["tune"], wrong].concat(), &[]);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.stdout.is_empty() && said.contains("--what"), "{said}");
    }
}

#[test]
fn tuning_for_no_ranks_is_refused() {
    let output = runahead(&["tune", "--ranks", "0"], &[]);
    assert!(!output.status.success() && output.stdout.is_empty());
}

/// Runs itself in processes with different environments. Each prints the algorithms of a launch
/// that chooses none, and of one that does.
#[test]
fn the_environment_chooses_unless_the_program_does() {
    if std::env::var_os("CHILD_OF_THIS_TEST").is_some() {
        for launch in [Launch::new(2), Launch::new(2).algorithm(Algorithm::FlatTree)] {
            match launch.collect(|world| Ok(world.algorithm())) {
                Ok(used) => println!("uses {used:?}"),
                Err(error) => println!("says {error}"),
            }
        }
        return;
    }
    let child = |barrier: &str| {
        let name = "tuning::the_environment_chooses_unless_the_program_does";
        let output = Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", name, "--nocapture"])
            .env("CHILD_OF_THIS_TEST", "yes")
            .env("RUNAHEAD_BARRIER", barrier)
            .env("RUNAHEAD_TUNE_CACHE", "off")
            .output();
        printed(output.expect("this test can be run"))
    };
    for (barrier, said) in [
        ("", "uses [Board, Board]"),
        ("all-to-all", "uses [AllToAll, AllToAll]"),
        ("nonsense", "says RUNAHEAD_BARRIER is \"nonsense\": expected one of board, "),
    ] {
        let text = child(barrier);
        assert!(text.contains(said), "{text}");
        assert!(text.contains("uses [FlatTree, FlatTree]"), "{text}");
    }
    assert!(!child("auto").contains("Auto"));
}
