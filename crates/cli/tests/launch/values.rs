//! What a program that starts itself does once, what each rank does, and what comes back.

use std::fs;

use super::harness::{Test, part, succeed};

pub const TESTS: &[Test] = &[
    ("code_before_and_after_a_launch", code_before_and_after_a_launch),
    ("later_launches", later_launches),
    ("threads_before_processes", threads_before_processes),
    ("values_of_many_bytes", values_of_many_bytes),
    ("sixty_four_ranks", sixty_four_ranks),
    ("messages_and_barriers", messages_and_barriers),
    ("standard_input_is_for_rank_0", standard_input_is_for_rank_0),
    ("nothing_is_left", nothing_is_left),
];

fn code_before_and_after_a_launch() {
    for size in [1, 2, 5] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let ended = succeed(&mut part(&format!("values {size} {}", file.path().display())));
        // It ran in each process, and was seen once.
        assert_eq!(fs::read(file.path()).unwrap().len(), size + 1);
        let mut expected = vec!["after 0".to_owned(), "before".to_owned()];
        expected.extend((0..size).map(|rank| format!("in {rank}")));
        assert_eq!(ended.sorted(), expected);
        assert!(ended.out.starts_with("before\n") && ended.out.ends_with("after 0\n"));
    }
}

fn later_launches() {
    let ended = succeed(&mut part("launches"));
    let count = |line: &str| ended.out.lines().filter(|found| *found == line).count();
    for (line, times) in [
        ("start", 1),
        ("first", 2),
        ("[10, 11]", 1),
        ("rank 1: on purpose", 1),
        ("third", 4),
        ("fourth", 1),
    ] {
        assert_eq!(count(line), times, "{line}: {}", ended.out);
    }
    assert_eq!(ended.out.lines().count(), 11);
}

fn threads_before_processes() {
    assert_eq!(succeed(&mut part("mixed")).out, "thread\nthread\n");
}

fn values_of_many_bytes() {
    succeed(&mut part("many-values 5"));
}

fn sixty_four_ranks() {
    succeed(&mut part("ring 64"));
    assert_eq!(succeed(&mut part("pids 64")).out, "processes\n");
}

fn messages_and_barriers() {
    for size in [1, 2, 3, 5, 8] {
        succeed(&mut part(&format!("ring {size}")));
        succeed(part(&format!("ring {size}")).env("RUNAHEAD_RANKS", "threads"));
    }
}

fn standard_input_is_for_rank_0() {
    let mut command = part("echo 3");
    command.stdin(std::process::Stdio::piped());
    let mut running = super::harness::start(&mut command);
    running.say("one\ntwo");
    let ended = running.end();
    let lines = [r#"rank 0 read "one\ntwo""#, r#"rank 1 read """#, r#"rank 2 read """#];
    assert_eq!(ended.sorted(), lines, "{ended:?}");
}

fn nothing_is_left() {
    let names = || {
        let entries = fs::read_dir("/dev/shm").unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("runahead")).collect::<Vec<_>>()
    };
    let before = names();
    succeed(&mut part("left"));
    assert_eq!(names(), before);
}
