//! Programs that read and write real files.

use std::fs;
use std::path::Path;

use super::{command, listing, sizes, succeed};

type Operator = fn(u64, u64) -> u64;

fn numbers(count: usize) -> Vec<u64> {
    let mut source = fastrand::Rng::with_seed(count as u64);
    (0..count).map(|_| source.u64(..)).collect()
}

fn keys(count: usize) -> Vec<u32> {
    let mut source = fastrand::Rng::with_seed(count as u64);
    let mut keys: Vec<u32> = (0..count).map(|_| source.u32(..)).collect();
    // The ends of the range, and many equal keys.
    for (key, value) in keys.iter_mut().step_by(3).zip([u32::MAX, 0, 7, 7, u32::MAX, 1 << 31]) {
        *key = value;
    }
    keys
}

fn lines<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(|number| number.to_string() + "\n").collect()
}

fn scanned(numbers: &[u64], op: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    let mut sum = None;
    let next = |&number: &u64| {
        sum = Some(sum.map_or(number, |sum| op(sum, number)));
        sum
    };
    numbers.iter().filter_map(next).collect()
}

/// Writes `content` to a file, runs the program on it and returns the content of its output file.
fn through(line: &str, ending: &str, content: &[u8]) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).with_extension(ending);
    fs::write(at("in"), content).unwrap();
    let mut command = command(line);
    succeed(command.arg("--input").arg(at("in")).arg("--output").arg(at("out")));
    assert_eq!(listing(directory.path()), [format!("in.{ending}"), format!("out.{ending}")]);
    assert_eq!(fs::read(at("in")).unwrap(), content, "the input is left alone");
    fs::read(at("out")).unwrap()
}

#[test]
fn sorts_text_and_raw_at_all_sizes() {
    for &ranks in sizes() {
        for count in [0, 1, 7, 300] {
            let keys = keys(count);
            let mut sorted = keys.clone();
            sorted.sort_unstable();
            let line = format!("radix_sort --ranks {ranks}");
            let text = through(&line, "txt", lines(&keys).as_bytes());
            assert_eq!(String::from_utf8(text).unwrap(), lines(&sorted), "{line}");
            let raw: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
            let right: Vec<u8> = sorted.iter().flat_map(|key| key.to_le_bytes()).collect();
            assert_eq!(through(&line, "u32", &raw), right, "{line}");
        }
    }
}

#[test]
fn scans_text_and_raw_at_all_sizes() {
    for &ranks in sizes() {
        for count in [0, 1, 7, 200] {
            for kind in ["naive", "cluster"] {
                let numbers = numbers(count);
                let right = scanned(&numbers, u64::wrapping_add);
                let line = format!("prefix_scan --variant {kind} --ranks {ranks} --window 4");
                let text = through(&line, "txt", lines(&numbers).as_bytes());
                assert_eq!(String::from_utf8(text).unwrap(), lines(&right), "{line}");
                let raw: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
                let right: Vec<u8> = right.iter().flat_map(|n| n.to_le_bytes()).collect();
                assert_eq!(through(&line, "u64", &raw), right, "{line}");
            }
        }
    }
}

#[test]
fn scans_with_every_operator() {
    let numbers = numbers(60);
    let operators = [
        ("sum", u64::wrapping_add as Operator),
        ("max", u64::max),
        ("min", u64::min),
        ("xor", |a, b| a ^ b),
    ];
    for (name, op) in operators {
        for kind in ["naive", "cluster"] {
            // Also more ranks than numbers, so that some ranks have none.
            for (ranks, count) in [(5, 60), (13, 6)] {
                let line = format!("prefix_scan --variant {kind} --op {name} --ranks {ranks}");
                let text = through(&line, "txt", lines(&numbers[..count]).as_bytes());
                let right = lines(&scanned(&numbers[..count], op));
                assert_eq!(String::from_utf8(text).unwrap(), right, "{line}");
            }
        }
    }
}

#[test]
fn sorts_in_every_variant_window_and_digit() {
    let keys = keys(150);
    let mut sorted = keys.clone();
    sorted.sort_unstable();
    for options in [
        "--only base",
        "--only nonblocking",
        "--only best",
        "--tree binary --exchange pairwise",
        "--window 1",
        "--window 1 --only base",
        "--window 4 --digit-bits 3",
        "--digit-bits 8",
    ] {
        let line = format!("radix_sort --ranks 5 --check {options}");
        let text = through(&line, "txt", lines(&keys).as_bytes());
        assert_eq!(String::from_utf8(text).unwrap(), lines(&sorted), "{line}");
    }
}

#[test]
fn lines_may_end_in_any_way() {
    for content in ["3\n1\n2", "3\r\n1\r\n2\r\n", "3\r\n1\n2\r\n", " 3\n\t1 \n002\n"] {
        assert_eq!(through("radix_sort --ranks 2", "txt", content.as_bytes()), b"1\n2\n3\n");
        assert_eq!(through("prefix_scan --ranks 2", "txt", content.as_bytes()), b"3\n4\n6\n");
    }
}

#[test]
fn the_output_says_what_was_done_and_whether_it_was_checked() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("in.txt");
    fs::write(&input, "5\n4\n").unwrap();
    let told = |line: &str| succeed(command(line).arg("--input").arg(&input));
    let out = told("radix_sort --ranks 3");
    assert!(out.starts_with("Sorted 2 keys on 3 ranks, 1 bit at a time, in "), "{out}");
    assert!(out.ends_with(" of it waiting\n") && !out.contains("Checked"), "{out}");
    let out = told("radix_sort --ranks 3 --check");
    assert!(out.ends_with("\nChecked: the result is that of a sequential sort.\n"), "{out}");
    let out = told("prefix_scan --check");
    assert!(out.starts_with("Scanned 2 elements on 8 ranks, cluster scan with sum, in "), "{out}");
    assert!(out.ends_with("\nChecked: the result is that of a sequential scan.\n"), "{out}");
    assert_eq!(listing(directory.path()), ["in.txt"]);
}

#[test]
fn a_given_format_overrides_the_file_extensions() {
    let directory = tempfile::tempdir().unwrap();
    let (input, output) = (directory.path().join("in.dat"), directory.path().join("out.u32"));
    fs::write(&input, "2\n1\n").unwrap();
    let in_and_out = |line: &str, input: &Path, output: &Path| {
        succeed(command(line).arg("--input").arg(input).arg("--output").arg(output));
    };
    in_and_out("radix_sort --format text", &input, &output);
    assert_eq!(fs::read(&output).unwrap(), b"1\n2\n");
    // "1\n2\n" is also one raw key.
    in_and_out("radix_sort --format u32le", &output, &input);
    assert_eq!(fs::read(&input).unwrap(), b"1\n2\n");
}

#[test]
fn a_file_may_be_sorted_in_place() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("keys.txt");
    fs::write(&file, "2\n3\n1\n").unwrap();
    succeed(command("radix_sort --input").arg(&file).arg("--output").arg(&file));
    assert_eq!(fs::read(&file).unwrap(), b"1\n2\n3\n");
    assert_eq!(listing(directory.path()), ["keys.txt"]);
}

#[cfg(unix)]
#[test]
fn an_output_keeps_its_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("in.txt"), "2\n1\n").unwrap();
    fs::write(at("real.txt"), "old").unwrap();
    fs::set_permissions(at("real.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.txt", at("link.txt")).unwrap();
    succeed(command("radix_sort --input").arg(at("in.txt")).arg("--output").arg(at("link.txt")));
    assert!(at("link.txt").is_symlink());
    assert_eq!(fs::read(at("real.txt")).unwrap(), b"1\n2\n");
    let mode = fs::metadata(at("real.txt")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(listing(directory.path()), ["in.txt", "link.txt", "real.txt"]);
}
