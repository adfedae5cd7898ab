//! The formats of `--json`, on which users rely, to the letter; the table and the plot.

use std::fs;

use serde_json::{Value, json};

use super::{command, json as read, keys, positive, succeed};

#[test]
fn app_writes_the_documented_json_for_every_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.json");
    for (app, ranks, load, more) in [
        ("radix-sort", 3, "none", ""),
        ("natural-sort", 3, "none", ""),
        ("prefix-scan", 3, "one", ""),
        ("stencil", 2, "competitors", "--order fence"),
        ("stencil", 3, "none", "--threads"),
        ("barrier", 2, "burst", ""),
        ("all-reduce-loop", 3, "none", ""),
        ("halo-loop", 2, "none", ""),
    ] {
        let line = format!(
            "app --app {app} --ranks {ranks} --load {load} --variants base,best --notify \
             yield,spin-then-block --runs 2 --scale 500 {more}"
        );
        let text = succeed(command(&line).arg("--json").arg(&path));
        let results = read(&path);
        assert_eq!(keys(&results), ["app", "load", "ranks", "runs", "variants"]);
        assert_eq!(results["app"], json!(app));
        assert_eq!(results["ranks"], json!(ranks));
        assert_eq!(results["load"], json!(load));
        assert_eq!(results["runs"], json!(2));
        let variants = &results["variants"];
        let names = ["base/spin-then-block", "base/yield", "best/spin-then-block", "best/yield"];
        assert_eq!(keys(variants), names);
        for name in names {
            assert!(text.lines().any(|line| line.starts_with(&format!("| {name} "))), "{text}");
            check_figures(name, &variants[name]);
        }
        assert!(text.contains("machine: ") && text.starts_with(&format!("{app}, {ranks} ranks")));
    }
}

fn check_figures(name: &str, figures: &Value) {
    let all = ["max_s", "median_s", "min_s", "notify", "samples_s", "wait_s"];
    assert_eq!(keys(figures), all);
    assert_eq!(Some(figures["notify"].as_str().unwrap()), name.split('/').nth(1));
    let samples: Vec<f64> = figures["samples_s"].as_array().unwrap().iter().map(positive).collect();
    assert_eq!(samples.len(), 2);
    assert_eq!(positive(&figures["min_s"]), samples[0].min(samples[1]));
    assert_eq!(positive(&figures["max_s"]), samples[0].max(samples[1]));
    assert_eq!(positive(&figures["median_s"]), (samples[0] + samples[1]) / 2.0);
    assert!(figures["wait_s"].as_f64().unwrap() >= 0.0);
}

#[test]
fn micro_writes_the_documented_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("micro.json");
    for more in ["--ranks 2", "--ranks 3", "--ranks 2 --threads"] {
        let line = format!("micro --scale 100 {more}");
        let text = succeed(command(&line).arg("--json").arg(&path));
        let figures = read(&path);
        let all = [
            "bandwidth_bytes_per_s",
            "bare_barrier_ns",
            "bare_copies_bytes_per_s",
            "bare_copy_bytes_per_s",
            "barrier_call_ns",
            "barrier_wait_ns",
            "broadcast_bytes_per_s",
            "cache_line_ns",
            "message_rate_per_s",
            "ping_pong_ns",
            "ranks",
        ];
        assert_eq!(keys(&figures), all);
        for key in all {
            // The floors need two cores.
            let copies = ["bare_copy_bytes_per_s", "bare_copies_bytes_per_s"];
            let floors = ["cache_line_ns", "bare_barrier_ns", copies[0], copies[1]];
            if floors.contains(&key) && figures[key].is_null() {
                // CORES: with one there are no floors.
                assert!(std::thread::available_parallelism().unwrap().get() == 1);
            } else {
                positive(&figures[key]);
            }
        }
        assert!(text.contains("barrier, until complete"), "{text}");
    }
}

#[test]
fn the_plot_names_every_way_and_shows_every_sample() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.svg");
    let line = "app --app barrier --ranks 2 --variants base,best --notify block,adaptive --runs 3 \
                --scale 500 --plot";
    succeed(command(line).arg(&path));
    let svg = fs::read_to_string(path).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for text in ["base/block", "base/adaptive", "best/block", "best/adaptive"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.contains("time of a sample, s") && svg.contains("barrier, 2 ranks on"));
    // A dot for each sample.
    assert_eq!(svg.matches("<circle").count(), 4 * 3);
}

#[test]
fn a_way_named_twice_is_run_once() {
    let line = "app --app barrier --ranks 2 --variants best,best --notify block,block --runs 1 \
                --scale 500";
    let text = succeed(&mut command(line));
    assert_eq!(text.lines().filter(|line| line.starts_with("| best/block")).count(), 1, "{text}");
}

#[test]
fn help_explains_the_variants() {
    let text = succeed(&mut command("app --help"));
    for words in ["butterfly, wait", "no waiting", "competitors", "spin-then-block"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // Hidden options are for tests.
    assert!(!text.contains("--scale"), "{text}");
}
