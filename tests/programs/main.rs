//! Whole runtimes under random programs: up to 8 ranks with all their calls, as threads on every
//! provider and on networks that delay, lose and repeat, and as processes, compared with blocking
//! barriers and unlimited buffering.
//!
//! A program is a line of operations as blocking barriers could run it, dealt out to the ranks
//! ([`program`]), which cannot deadlock whatever their timing ([`nominal`]). Each rank writes down what
//! it does and sees ([`play`]), and [`oracle`] says whether blocking barriers allow that, which is what
//! ORD-3 promises. Here each run is one of many that there could be: all of them, of small programs, are
//! looked at in `crates/testkit/tests/model`; and `tests/engine/simulation` runs engines in one thread, without what blocks.
//!
//! A program that fails is made smaller, and printed so that it can be pasted into [`found`]. One that
//! hangs is printed after a minute, and left to itself.
//!
//! `RUNAHEAD_TESTS`, or `RUNAHEAD_PROGRAMS` alone, sets how many programs run on each network, and a sixth as many in processes;
//! `RUNAHEAD_PROGRAMS_FROM` the seed of the first.

#[macro_use]
#[path = "../shared/forward.rs"]
mod forward;

mod found;
mod nets;
mod nominal;
mod oracle;
#[expect(dead_code, reason = "some of these mistakes only the simulation makes")]
#[path = "../shared/planted.rs"]
mod planted;
mod play;
#[cfg(target_os = "linux")]
mod processes;
mod program;
mod random;
mod shrink;
mod tampered;
mod wrong;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use nets::{Net, Outcome, Setup};
use oracle::Event;
use program::Program;
use runahead_testkit::effort;

/// A test: its name and what it does.
pub type Test = (&'static str, fn());

const TESTS: &[Test] = &[
    ("on_the_network_of_this_host", || on(Net::Host, programs())),
    ("on_threads", || on(Net::Threads, programs())),
    ("on_a_network_that_delays", || on(Net::Delayed, programs())),
    ("on_a_network_that_delays_with_a_board", || on(Net::DelayedBoard, programs())),
    ("on_a_network_that_loses_signals", || on(Net::Lossy, programs())),
    #[cfg(target_os = "linux")]
    ("in_processes", || on(Net::Processes, programs().div_ceil(6))),
    ("random_programs_are_sound_and_of_all_kinds", random_programs_are_sound_and_of_all_kinds),
    ("messages_are_held_and_polls_find_and_miss", messages_are_held_and_polls_find_and_miss),
    ("shrinking_ends_at_what_fails", shrinking_ends_at_what_fails),
];

/// How long a run may take, and all of them, where a program is made smaller. What takes longer is not
/// taken for a failure.
const SHORT: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_secs(60);

fn number(variable: &str, default: u64) -> u64 {
    let asked = std::env::var(variable).ok();
    asked.map_or(default, |number| number.parse().expect("a number"))
}

fn programs() -> u64 {
    effort::number("RUNAHEAD_PROGRAMS", [120, 600, 5000])
}

/// Random programs on one network.
// SEMANTICS: ORD-1, ORD-2, ORD-3, BAR-1, BAR-3, BAR-4, BAR-5, BAR-6, BAR-8, CON-1, CON-2, CON-3
// SEMANTICS: HOLD-1, HOLD-2, GRP-1, FLOW-1, FLOW-3, FLOW-4, FLOW-5, COL-1, END-1, FEN-1, CLK-3
fn on(net: Net, count: u64) {
    let from = number("RUNAHEAD_PROGRAMS_FROM", 0);
    for seed in from..from + count {
        require(Setup::on(net), &Program::random(seed));
    }
}

/// Runs the program; if that goes wrong, panics with the smallest that does.
fn require(setup: Setup, program: &Program) {
    if let Some(text) = complaint(setup, program) {
        panic!("{text}");
    }
}

/// What is wrong, with a program to paste; None if nothing is.
fn complaint(setup: Setup, program: &Program) -> Option<String> {
    let wrong = match setup.run(program) {
        Outcome::Right => return None,
        Outcome::Hung => {
            let after = setup.deadline.as_secs();
            return Some(report(setup, program, &format!("it hangs: no end after {after} s")));
        }
        Outcome::Wrong(wrong) => wrong,
    };
    // What depends on timing may take some runs to come again.
    let begin = Instant::now();
    let short = Setup { deadline: setup.deadline.min(SHORT), ..setup };
    let again = |program: &Program| {
        (0..20).find_map(|_| match short.run(program) {
            Outcome::Wrong(wrong) => Some(wrong),
            _ => None,
        })
    };
    let small = shrink::shrink(
        program.clone(),
        |program| again(program).is_some(),
        || begin.elapsed() < LONG,
    );
    let last = again(&small).unwrap_or(wrong);
    Some(report(setup, &small, &last))
}

fn report(setup: Setup, program: &Program, wrong: &str) -> String {
    let Setup { net, .. } = setup;
    format!("{wrong}\nPaste into the list of tests/programs/found.rs:\n(Net::{net:?}, {program}),")
}

fn random_programs_are_sound_and_of_all_kinds() {
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for seed in 0..3000 {
        let program = Program::random(seed);
        assert!(program.is_sound(), "{program}");
        assert!(program.size() <= 8);
        for op in &program.line {
            let text = format!("{op:?}");
            *kinds.entry(text.split(' ').next().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    assert_eq!(kinds.len(), 13, "{kinds:?}");
    assert!(kinds.values().all(|&times| times > 500), "{kinds:?}");
}

/// What random programs are there to meet is met: the oracle has something to say.
fn messages_are_held_and_polls_find_and_miss() {
    let setup = Setup::on(Net::Threads);
    let (mut held, mut found, mut missed, mut saw) = (0, 0, 0, 0);
    for seed in 0..160 {
        let program = Program::random(seed);
        let logs = setup.logs(&program).expect("no rank fails");
        for event in logs.iter().flatten() {
            match event {
                Event::Held(messages) => held += messages,
                Event::Took { wanted, .. } => found += u64::from(wanted.from.is_none()),
                Event::Missed(_) => missed += 1,
                Event::Saw(..) => saw += 1,
                _ => {}
            }
        }
    }
    let counts = [held, found, missed, saw];
    assert!(counts.into_iter().all(|count| count > 10), "{counts:?}");
}

fn shrinking_ends_at_what_fails() {
    // What fails here: a message that is polled for before it is sent.
    let fails = |program: &Program| {
        let poll = program.line.iter().position(|op| matches!(op, program::Poll { .. }));
        let send = program.line.iter().rposition(|op| matches!(op, program::Send { .. }));
        poll.zip(send).is_some_and(|(poll, send)| poll < send)
    };
    let mut tried = 0;
    for seed in (0..30).filter(|&seed| fails(&Program::random(seed))) {
        tried += 1;
        let small = shrink::shrink(Program::random(seed), fails, || true);
        assert!(small.is_sound() && fails(&small));
        // The poll, the send, the receive, and for some messages a barrier; the groups of these.
        assert!(small.line.len() <= 4 && small.groups.len() <= 3, "{small}");
    }
    assert!(tried > 10);
}

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    {
        let mut args = std::env::args().skip(1);
        if args.next().as_deref() == Some(processes::PLAY) {
            return match processes::play_in_processes(&args.next().unwrap_or_default()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(wrong) => {
                    eprintln!("{wrong}");
                    ExitCode::FAILURE
                }
            };
        }
    }
    let tests = [TESTS, found::TESTS, tampered::TESTS, wrong::TESTS].concat();
    let tests = tests.into_iter().map(|(name, test)| {
        libtest_mimic::Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), tests.collect()).exit_code()
}
