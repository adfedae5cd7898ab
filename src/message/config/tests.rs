//! Tests of the table of options and of what is made of it.

use super::*;

/// The segments of all pairs take 64 MiB, or as few as there may be; over RDMA it is always
/// these.
#[test]
fn the_window_of_segments_is_as_large_as_memory_allows() {
    for (size, window) in [(1, 64), (2, 64), (4, 64), (8, 16), (16, 4), (64, 4), (256, 4)] {
        let config = Options::new().settled(size);
        assert_eq!(config, Config::new(size));
        assert_eq!(config.bulk_window, window, "{size} ranks");
        let all = size * size * config.bulk_window as usize * config.segment_bytes;
        assert!(all <= 64 << 20 || window == FEWEST_SEGMENTS, "{size} ranks");
        let little = Options::new().locking_little().settled(size);
        assert_eq!(little, Config { bulk_window: FEWEST_SEGMENTS, ..config });
        let chosen = Options::new().bulk_window(9).locking_little();
        assert_eq!(chosen.settled(size).bulk_window, 9);
    }
}

fn chosen(options: Options, set: &[(&str, &str)]) -> Result<Config, InvalidOption> {
    let value = |name: &str| set.iter().find(|(set, _)| *set == name).map(|set| set.1.into());
    options.or_environment(value).map(|options| options.settled(4))
}

#[test]
fn an_empty_environment_changes_nothing() {
    assert_eq!(chosen(Options::new(), &[]), Ok(Config::new(4)));
    let empty = Options::ALL.map(|info| (info.variable, ""));
    assert_eq!(chosen(Options::new(), &empty), Ok(Config::new(4)));
    // A program that does not tune is not told to.
    assert_ne!(Config::new(4).algorithm, Algorithm::Auto);
}

#[test]
fn the_environment_sets_options_that_the_program_leaves_open() {
    let set = [
        ("RUNAHEAD_BARRIER", "mcs-tree:3"),
        ("RUNAHEAD_SIGNALS", "messages"),
        ("RUNAHEAD_NOTIFY", "block"),
        ("RUNAHEAD_SLICE_US", " 300 "),
        ("RUNAHEAD_TUNE_CACHE", "here/tune"),
        ("RUNAHEAD_STALL_S", "5"),
    ];
    let config = chosen(Options::new(), &set).unwrap();
    assert_eq!(config.algorithm.to_string(), "mcs-tree:3");
    let expected = Config {
        algorithm: config.algorithm,
        signals: Signals::Messages,
        notify: Notify::Block,
        time_slice: TimeSlice::Of(Duration::from_micros(300)),
        tune_cache: TuneCache::File("here/tune".into()),
        stall_after: Duration::from_secs(5),
        ..Config::new(4)
    };
    assert_eq!(config, expected);
    let config = chosen(Options::new(), &[("RUNAHEAD_TUNE_CACHE", "off")]).unwrap();
    assert_eq!(config.tune_cache, TuneCache::Off);
}

/// Its variables are not even read.
#[test]
fn the_program_overrides_the_environment() {
    let variables = Options::ALL.map(|info| (info.variable, "nonsense"));
    let all = Options::from(Config::new(4));
    assert_eq!(chosen(all, &variables), Ok(Config::new(4)));
    let set = [("RUNAHEAD_BARRIER", "nonsense"), ("RUNAHEAD_TUNE_CACHE", "off")];
    let one = Options::new().algorithm(Algorithm::FlatTree);
    let expected =
        Config { algorithm: Algorithm::FlatTree, tune_cache: TuneCache::Off, ..Config::new(4) };
    assert_eq!(chosen(one, &set), Ok(expected));
}

/// What a time slice may be.
const SLICES: &str = "auto, 0 for what the system gives, or 100 to 100000 microseconds";

/// (Mutant: a variable that is read and not checked.)
#[test]
fn a_wrong_variable_is_named_with_what_was_expected() {
    for (variable, wrong, expected) in [
        ("RUNAHEAD_SIGNALS", "smoke", "auto, words or messages"),
        ("RUNAHEAD_NOTIFY", "", "poll, yield, block, spin-then-block or adaptive"),
        ("RUNAHEAD_SLICE_US", "99", SLICES),
        ("RUNAHEAD_SLICE_US", "100001", SLICES),
        ("RUNAHEAD_SLICE_US", "1.5", SLICES),
        ("RUNAHEAD_STALL_S", "-1", "a whole number of seconds, or 0 for never"),
        ("RUNAHEAD_STALL_S", "1 s", "a whole number of seconds, or 0 for never"),
        ("RUNAHEAD_STALL_S", " ", "a whole number of seconds, or 0 for never"),
        ("RUNAHEAD_STALL_S", "18446744073709551616", "a whole number of seconds, or 0 for never"),
    ] {
        let value = if wrong.is_empty() { "x" } else { wrong };
        let error = chosen(Options::new(), &[(variable, value)]).unwrap_err();
        assert_eq!((error.option, error.value.as_deref()), (variable, Some(value)));
        assert_eq!(error.why, format!("expected {expected}"));
    }
    for (said, slice) in [("auto", TimeSlice::Auto), (" 0 ", TimeSlice::System)] {
        let config = chosen(Options::new(), &[("RUNAHEAD_SLICE_US", said)]).unwrap();
        assert_eq!(config.time_slice, slice);
    }
    let longest = [("RUNAHEAD_STALL_S", "18446744073709551615")];
    let config = chosen(Options::new(), &longest).unwrap();
    assert_eq!(config.stall_after, Duration::from_secs(u64::MAX));
}

/// The tables say of names what reading them says.
#[test]
fn the_table_lists_the_values_that_parse() {
    for (variable, error) in [
        ("RUNAHEAD_SIGNALS", "x".parse::<Signals>().unwrap_err()),
        ("RUNAHEAD_NOTIFY", "x".parse::<Notify>().unwrap_err()),
    ] {
        let info = Options::ALL.into_iter().find(|info| info.variable == variable).unwrap();
        assert!(error.to_string().ends_with(&format!(": expected {}", info.values)));
    }
}

/// (Mutant: an option that is not checked.)
#[test]
fn each_number_is_checked_against_its_limits() {
    let config = Config::new(4);
    assert_eq!(config.check(), Ok(()));
    let slice_of = |time_slice| Config { time_slice, ..Config::new(4) };
    let slice = |us| slice_of(Duration::from_micros(us).into());
    assert_eq!((slice(100_000).check(), slice(100).check()), (Ok(()), Ok(())));
    assert_eq!(slice_of(TimeSlice::System).check(), Ok(()));
    for (wrong, option) in [
        (slice(99), "time_slice"),
        (slice(0), "time_slice"),
        (slice(100_001), "time_slice"),
        (Config { window_messages: 0, ..Config::new(4) }, "window_messages"),
        (Config { signal_window: 1 << 15, ..Config::new(4) }, "signal_window"),
        (Config { bulk_window: 0, ..Config::new(4) }, "bulk_window"),
        (Config { eager_bytes: 1 << 31, ..Config::new(4) }, "eager_bytes"),
        (Config { segment_bytes: 0, ..Config::new(4) }, "segment_bytes"),
        (Config { open_barriers: 0, ..Config::new(4) }, "open_barriers"),
        (Config { resend_after: Duration::from_secs(61), ..Config::new(4) }, "resend_after"),
        (Config { tune_budget: Duration::from_secs(601), ..Config::new(4) }, "tune_budget"),
    ] {
        assert_eq!(wrong.check().map_err(|error| error.option), Err(option));
    }
    #[cfg(target_pointer_width = "64")]
    assert!(Config { message_bytes: 1 << 37, ..config }.check().is_err());
}
