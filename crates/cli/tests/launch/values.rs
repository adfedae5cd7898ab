//! Programs that start themselves: the code that runs once, the code of each rank, and the values
//! that the ranks return.

use std::fs;

use super::harness::{Test, part, succeed};

pub const TESTS: &[Test] = tests![
    "": [
        output_before_and_after_a_launch_appears_once,
        later_launches_depend_on_the_results_of_earlier_ones,
        a_launch_of_threads_may_precede_one_of_processes,
        ranks_return_values_of_a_megabyte,
        a_job_of_sixty_four_ranks_runs,
        ranks_exchange_messages_past_barriers,
        only_rank_0_reads_standard_input,
        jobs_leave_no_files_behind,
    ],
];

fn output_before_and_after_a_launch_appears_once() {
    for size in [1, 2, 5] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let ended = succeed(&mut part(&format!("values {size} {}", file.path().display())));
        // The code ran in each process, but its output appeared once.
        assert_eq!(fs::read(file.path()).unwrap().len(), size + 1);
        let mut expected = vec!["after 0".to_owned(), "before".to_owned()];
        expected.extend((0..size).map(|rank| format!("in {rank}")));
        assert_eq!(ended.sorted(), expected);
        assert!(ended.out.starts_with("before\n") && ended.out.ends_with("after 0\n"));
    }
}

fn later_launches_depend_on_the_results_of_earlier_ones() {
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

fn a_launch_of_threads_may_precede_one_of_processes() {
    assert_eq!(succeed(&mut part("mixed")).out, "thread\nthread\n");
}

fn ranks_return_values_of_a_megabyte() {
    succeed(&mut part("many-values 5"));
}

fn a_job_of_sixty_four_ranks_runs() {
    succeed(&mut part("ring 64"));
    assert_eq!(succeed(&mut part("pids 64")).out, "processes\n");
}

fn ranks_exchange_messages_past_barriers() {
    for size in [1, 2, 3, 5, 8] {
        succeed(&mut part(&format!("ring {size}")));
        succeed(part(&format!("ring {size}")).env("RUNAHEAD_RANKS", "threads"));
    }
}

fn only_rank_0_reads_standard_input() {
    let mut command = part("echo 3");
    command.stdin(std::process::Stdio::piped());
    let mut running = super::harness::start(&mut command);
    running.say("one\ntwo");
    let ended = running.end();
    let lines = [r#"rank 0 read "one\ntwo""#, r#"rank 1 read """#, r#"rank 2 read """#];
    assert_eq!(ended.sorted(), lines, "{ended:?}");
}

fn jobs_leave_no_files_behind() {
    let names = || {
        let entries = fs::read_dir("/dev/shm").unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("runahead")).collect::<Vec<_>>()
    };
    let before = names();
    succeed(&mut part("left"));
    assert_eq!(names(), before);
}
