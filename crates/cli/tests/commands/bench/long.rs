//! The measurements that take long: an interrupted one resumes.

use std::fs;

use super::{command, fail, json, keys, positive, succeed};

#[test]
fn a_matrix_resumes_from_its_file_and_refuses_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matrix.json");
    let line = "matrix --apps barrier,stencil --ranks 2 --loads none --runs 2 --scale 500 --json";
    let first = succeed(command(line).arg(&path));
    assert!(
        first.lines().last().unwrap().contains("of each of 3 cells: geometric mean"),
        "{first}"
    );
    let results = json(&path);
    let common = ["cells", "machine", "measurement", "runs", "scale", "threads"];
    assert_eq!(keys(&results), common);
    let cells = [
        "barrier, 2 ranks, none",
        "stencil fence, 2 ranks, none",
        "stencil overlap, 2 ranks, none",
    ];
    assert_eq!(keys(&results["cells"]), cells);
    for cell in cells {
        let cell = &results["cells"][cell];
        assert_eq!(keys(cell), ["best_fixed", "left_out_s", "ratio", "samples_s"]);
        positive(&cell["ratio"]);
        let samples = &cell["samples_s"];
        assert_eq!(samples["best/adaptive"].as_array().unwrap().len(), 2);
        // Each combination was measured or left out: 4 variants, 4 ways of waiting.
        assert_eq!(keys(samples).len() - 1 + keys(&cell["left_out_s"]).len(), 16);
        for chosen in cell["best_fixed"].as_array().unwrap() {
            assert!(samples.get(chosen.as_str().unwrap()).is_some(), "{chosen}");
        }
    }
    // Finished cells are shown and not measured again.
    let mut fewer = results.clone();
    fewer["cells"].as_object_mut().unwrap().remove(cells[0]);
    fs::write(&path, fewer.to_string()).unwrap();
    let second = succeed(command(line).arg(&path));
    let again = json(&path);
    for cell in &cells[1..] {
        assert_eq!(again["cells"][cell], results["cells"][cell]);
        let line = |text: &str| text.lines().find(|line| line.starts_with(cell)).map(str::to_owned);
        assert!(line(&first).is_some() && line(&first) == line(&second));
    }
    assert_eq!(keys(&again["cells"]), cells);

    // The file of another measurement is refused.
    let other = line.replace("--runs 2", "--runs 3");
    let (code, told) = fail(command(&other).arg(&path));
    assert!(code == 1 && told.contains("a file of another measurement or machine"), "{told}");
    fs::write(&path, "Dear diary,\n").unwrap();
    let (code, told) = fail(command(line).arg(&path));
    assert!(code == 1 && told.contains("expected a file of this measurement"), "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "Dear diary,\n");
}

#[test]
fn slowdown_reports_the_measured_and_the_ideal_slowdown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slowdown.json");
    let line = "slowdown --apps barrier,radix-sort --ranks 2,3 --runs 2 --scale 500 --json";
    let text = succeed(command(line).arg(&path));
    let results = json(&path);
    assert_eq!(keys(&results["cells"]).len(), 4);
    // CORES: the ideal depends on how many ranks have one of their own.
    let cores = std::thread::available_parallelism().unwrap().get();
    for (name, cell) in results["cells"].as_object().unwrap() {
        assert!(text.lines().any(|line| line.starts_with(name)), "{text}");
        assert_eq!(keys(cell), ["competitors_s", "ideal", "none_s", "slowdown"]);
        let ratio = positive(&cell["competitors_s"]) / positive(&cell["none_s"]);
        assert!((positive(&cell["slowdown"]) / ratio - 1.0).abs() < 1e-9);
        let ranks = if name.contains("2 ranks") { 2 } else { 3 };
        let ideal = 1.0 + cores.min(ranks) as f64 / ranks as f64;
        assert!((positive(&cell["ideal"]) - ideal).abs() < 1e-9);
    }
}
