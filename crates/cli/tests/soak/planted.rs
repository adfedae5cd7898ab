//! Tests of the soak itself: it must reject made-up outcomes, and programs with planted faults.

use std::time::Duration;

use crate::case::{Case, Fault, Form, Manner, PROGRAMS, Program, Starter};
use crate::collectives::{self, the_collectives_read_payloads_where_they_lie};
use crate::input::digest_line;
use crate::job::{Hit, Ran};
use crate::judge::{Accepted, judge, undisturbed};
use crate::refused::reads_are_refused;
use crate::soak::{SHORT, one};
use crate::table::{FEW, Table};
use crate::witness::a_report_parses_as_it_was_printed;

type Test = (&'static str, fn());

pub const TESTS: [Test; 9] = [
    ("right_outcomes_are_accepted", right_outcomes_are_accepted),
    ("made_up_faults_are_rejected", made_up_faults_are_rejected),
    ("programs_with_a_planted_fault_are_rejected", programs_with_a_planted_fault_are_rejected),
    ("wrong_data_of_a_collective_are_rejected", wrong_data_of_a_collective_are_rejected),
    ("a_soak_whose_faults_come_too_late_fails", a_soak_whose_faults_come_too_late_fails),
    ("the_seed_and_the_name_determine_a_case", the_seed_and_the_name_determine_a_case),
    ("a_report_parses_as_it_was_printed", a_report_parses_as_it_was_printed),
    ("the_collectives_read_payloads_where_they_lie", the_collectives_read_payloads_where_they_lie),
    ("reads_are_refused", reads_are_refused),
];

const RIGHT: u64 = 77;

fn case(fault: Fault, form: Form, starter: Starter) -> Case {
    let mut case = Case::drawn(1, fault, Program::PrefixScan, 0);
    (case.form, case.starter, case.ranks, case.victim) = (form, starter, 4, 2);
    (case.algorithm, case.notify, case.without_grace) = (String::new(), "", true);
    (case.moment, case.data_seed) = (0.3, 5);
    case
}

/// A job that succeeded.
fn good() -> Ran {
    let digest = String::from_utf8(digest_line(RIGHT)).unwrap();
    let out = format!(
        "Checked: yes\nwitness rank 0 done\nwitness rank 1 done\nwitness rank 3 done\n\
         witness result {digest}\n"
    );
    Ran { code: Some(0), out, written: Some(digest_line(RIGHT)), ..Ran::default() }
}

fn hit() -> Option<Hit> {
    Some(Hit { victim: 2, at_ns: 100, others_ended_after: Vec::new() })
}

/// A job of witnesses that failed as documented when rank 2 was killed: rank 3 needed rank 1, which
/// needed rank 2, and rank 0 had done its part.
fn killed(starter: Starter) -> Ran {
    let told = "rank 2 was killed by signal 9 (SIGKILL)";
    let (code, err) = match starter {
        Starter::Itself => (1, format!("Error: {told}\n")),
        Starter::Command => (137, format!("Error: {told}\nrunahead: {told}\n")),
    };
    let begins: String = (0..4).map(|rank| format!("witness rank {rank} begins\n")).collect();
    let ends = "witness rank 0 done\nwitness rank 1 failed 2 150 lost\nwitness rank 3 failed 1 180 ended\n";
    Ran { code: Some(code), err, out: begins + ends, hit: hit(), ..Ran::default() }
}

/// As [`killed`], before the ranks had met: the program of some has not begun.
fn killed_early(starter: Starter) -> Ran {
    let out = "witness rank 1 begins\nwitness rank 1 failed 2 150 lost\n".to_owned();
    Ran { out, ..killed(starter) }
}

/// As [`killed`], once all had returned; with what rank 0 says of the result, or not. Rank 0 does not say that one was killed.
fn late(has_result: bool) -> Ran {
    let mut ran = killed(Starter::Command);
    ran.err = ran.err.lines().filter(|line| line.starts_with("runahead: ")).collect();
    ran.err += "\n";
    ran.out = (0..6)
        .map(|rank| format!("witness rank {rank} begins\nwitness rank {rank} done\n"))
        .collect();
    if has_result {
        ran.out += &good().out;
    }
    ran
}

const STARTERS: [Starter; 2] = [Starter::Itself, Starter::Command];

fn verdict(case: &Case, ran: &Ran) -> Result<Accepted, Vec<String>> {
    judge(case, ran, &digest_line(RIGHT))
}

fn right_outcomes_are_accepted() {
    for starter in STARTERS {
        for form in [Form::Example, Form::Witness] {
            for fault in [Fault::Kill, Fault::Stop, Fault::Slow] {
                for hit in [hit(), None] {
                    let accepted = verdict(&case(fault, form, starter), &Ran { hit, ..good() });
                    assert!(accepted.unwrap().well);
                }
            }
        }
        let accepted = verdict(&case(Fault::Kill, Form::Witness, starter), &killed(starter));
        let times = [50, 80].map(Duration::from_nanos).to_vec();
        let expected = Accepted { had_their_error_after: times, ..Accepted::default() };
        assert_eq!(accepted, Ok(expected));
        let early = verdict(&case(Fault::Kill, Form::Witness, starter), &killed_early(starter));
        assert_eq!(early.unwrap().had_their_error_after.len(), 1);
    }
    let mut ended = killed(Starter::Command);
    ended.err += "runahead: 2 other ranks were terminated 2 s later\n";
    ended.out = "witness rank 1 failed 2 150 lost\n".to_owned();
    let case = case(Fault::Kill, Form::Witness, Starter::Command);
    assert!(verdict(&case, &ended).unwrap().ended_by_launcher);
    // All had returned, and rank 0 had ended, when another was killed.
    let late = late(true);
    assert!(verdict(&case, &late).is_ok(), "{:?}", verdict(&case, &late));
}

#[track_caller]
fn refused(case: &Case, ran: &Ran, complaint: &str) {
    let wrong = verdict(case, ran).expect_err(complaint);
    assert!(wrong.iter().any(|wrong| wrong.contains(complaint)), "{complaint}: {wrong:?}");
}

fn made_up_faults_are_rejected() {
    type Change = fn(&mut Ran);
    let of_good: [(&str, Change); 7] = [
        ("code Some(1)", |ran| ran.code = Some(1)),
        ("signal Some(11)", |ran| (ran.code, ran.signal) = (None, Some(11))),
        ("it wrote errors", |ran| ran.err += "runahead: a word\n"),
        ("it has no result", |ran| (ran.written, ran.out) = (None, "Checked: yes\n".into())),
        ("its result is wrong", |ran| {
            ran.written = Some(digest_line(RIGHT + 1));
            ran.out = ran.out.replace("4d", "4e");
        }),
        ("it hangs", |ran| ran.hung = Some("everywhere".into())),
        ("it has left", |ran| ran.left.push("process 7".into())),
    ];
    for (complaint, change) in of_good {
        for fault in [Fault::Stop, Fault::Slow] {
            for form in [Form::Example, Form::Witness] {
                let mut ran = Ran { hit: hit(), ..good() };
                change(&mut ran);
                refused(&case(fault, form, Starter::Itself), &ran, complaint);
            }
        }
    }
    let mut unchecked = good();
    unchecked.out.clear();
    let stop = case(Fault::Stop, Form::Example, Starter::Itself);
    refused(&stop, &unchecked, "it did not say that its result was checked");

    let of_killed: [(&str, Change); 12] = [
        ("it has no result", |ran| ran.code = Some(0)),
        ("code Some(2)", |ran| ran.code = Some(2)),
        ("signal Some(9)", |ran| (ran.code, ran.signal) = (None, Some(9))),
        ("its errors are not", |ran| ran.err.clear()),
        ("its errors are not", |ran| ran.err = ran.err.replace("rank 2", "rank 1")),
        ("its errors are not", |ran| ran.err += "thread 'main' panicked\n"),
        ("result is wrong", |ran| ran.out += "witness result 0000000000000001\n"),
        ("rank 3 did not say", |ran| ran.out = ran.out.replace("witness rank 3 failed", "rank 3")),
        ("rank 1 blames None", |ran| ran.out = ran.out.replace("failed 2", "failed -")),
        // Rank 0 has done its part, so no rank can have failed because of it.
        ("rank 1 blames Some(0)", |ran| ran.out = ran.out.replace("failed 2", "failed 0")),
        // Ranks 1 and 3 blame each other.
        ("rank 3 blames Some(1)", |ran| ran.out = ran.out.replace("failed 2", "failed 3")),
        ("it hangs", |ran| (ran.code, ran.hung) = (None, Some("everywhere".into()))),
    ];
    for starter in STARTERS {
        for (complaint, change) in of_killed {
            let mut ran = killed(starter);
            change(&mut ran);
            refused(&case(Fault::Kill, Form::Witness, starter), &ran, complaint);
        }
        // A job that has failed without a fault.
        let ran = Ran { hit: None, ..killed(starter) };
        refused(&case(Fault::Kill, Form::Witness, starter), &ran, "it wrote errors");
    }
    let late = late(false);
    let by_command = case(Fault::Kill, Form::Witness, Starter::Command);
    refused(&by_command, &late, "its errors are not");
    let mut ended = killed(Starter::Itself);
    ended.err.insert_str(0, "runahead: 2 ranks ran on 10 s after a failure, and were ended\n");
    let kill = case(Fault::Kill, Form::Witness, Starter::Itself);
    refused(&kill, &ended, "ranks ran on until they were ended");
}

/// The programs really run, and the fault meets them at a third of their time.
fn programs_with_a_planted_fault_are_rejected() {
    let plants = [
        (Fault::Kill, "ignores", "it has no result"),
        (Fault::Kill, "hangs", "it hangs"),
        (Fault::Kill, "mute", "did not say how it ended"),
        (Fault::Kill, "blames", "blames Some("),
        (Fault::Stop, "wrong", "its result is wrong"),
        (Fault::Stop, "orphan", "it has left process"),
        (Fault::Stop, "file", "/left"),
        (Fault::Stop, "memory", "/dev/shm/planted-"),
    ];
    for (fault, plant, complaint) in plants {
        let mut case = case(fault, Form::Witness, Starter::Itself);
        if fault == Fault::Stop {
            case.manner = Manner::Stop { lasting: Duration::from_millis(50) };
        }
        // Without the planted fault the case is accepted.
        let without = one(&case, SHORT).verdict;
        assert!(without.is_ok(), "{case}: {without:?}");
        case.part = plant;
        let mut seen = one(&case, SHORT);
        // On a busy machine the kill may come too late.
        for _ in 0..10 {
            if fault == Fault::Stop || seen.ran.hit.is_some() {
                break;
            }
            seen = one(&case, SHORT);
        }
        if plant == "memory" {
            remove_planted();
        }
        let wrong = seen.verdict.expect_err(plant);
        assert!(wrong.iter().any(|wrong| wrong.contains(complaint)), "{plant}: {wrong:?}");
    }
}

/// One rank gives other data than the others expect of it. They compare themselves.
fn wrong_data_of_a_collective_are_rejected() {
    let mut case = case(Fault::Stop, Form::Witness, Starter::Itself);
    case.program = Program::Collectives;
    case.manner = Manner::Stop { lasting: Duration::from_millis(50) };
    let without = one(&case, SHORT).verdict;
    assert!(without.is_ok(), "{case}: {without:?}");
    case.part = collectives::STALE;
    let seen = one(&case, SHORT);
    let wrong = seen.verdict.expect_err("it is planted");
    assert!(
        wrong.iter().any(|wrong| wrong == "it ended with code Some(1), signal None"),
        "{wrong:?}"
    );
    assert!(seen.ran.out.contains(collectives::WRONG), "{}", seen.ran.out);
}

/// Removes the files that the program has left. The soak must not: they may be another's.
fn remove_planted() {
    for entry in std::fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("planted-") {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn a_soak_whose_faults_come_too_late_fails() {
    let mut table = Table::default();
    let mut add = |hit: Option<Hit>| {
        let ran = Ran { hit, ..good() };
        let accepted = undisturbed(&case(Fault::Kill, Form::Example, Starter::Itself), &ran);
        // The made-up result is not the right one for this input.
        assert_eq!(accepted, Err(vec!["its result is wrong".to_owned()]));
        let accepted = Accepted { well: true, ..Accepted::default() };
        table.row(Fault::Kill, PROGRAMS[0]).add(Duration::ZERO, &ran, Ok(&accepted));
        table.too_late()
    };
    for _ in 1..FEW {
        assert!(add(None).is_empty());
    }
    assert_eq!(add(None), ["only 0 of 18 faults met a running job"]);
    for _ in 1..FEW {
        assert!(!add(hit()).is_empty());
    }
    assert!(add(hit()).is_empty());

    let mut table = Table::default();
    let accepted = Accepted { ended_by_launcher: true, ..Accepted::default() };
    let mut add = || {
        let ran = killed(Starter::Command);
        table.row(Fault::Kill, PROGRAMS[0]).add(Duration::ZERO, &ran, Ok(&accepted));
        table.too_often_ended()
    };
    assert!(add().is_empty());
    assert_eq!(add(), ["in 2 of 2 jobs that failed, ranks had to be ended"]);
}

fn the_seed_and_the_name_determine_a_case() {
    let drawn = |seed, number| format!("{:?}", Case::drawn(seed, Fault::Slow, PROGRAMS[1], number));
    assert_eq!(drawn(3, 9), drawn(3, 9));
    assert_ne!(drawn(3, 9), drawn(4, 9));
    assert_ne!(drawn(3, 9), drawn(3, 10));
}
