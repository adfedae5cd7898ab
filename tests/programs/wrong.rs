//! Planted faults in whole runtimes: each is caught, and the same programs are right without it.

use std::time::Duration;

use runahead::Ordering;
use runahead_testkit::misreading::Misreading;

use super::nets::{Net, Outcome, Setup};
use super::planted::Mistake;
use super::program::*;
use super::{Test, complaint};

pub const TESTS: &[Test] = &[
    ("the_thesis_is_caught_on_its_own_pattern", the_thesis_is_caught_on_its_own_pattern),
    ("misreadings_of_containment_are_caught", misreadings_of_containment_are_caught),
    ("the_thesis_is_caught_at_random", the_thesis_is_caught_at_random),
    ("a_lost_message_is_caught", a_lost_message_is_caught),
    ("swapped_messages_are_caught", swapped_messages_are_caught),
    ("a_repeated_message_is_caught", a_repeated_message_is_caught),
    ("a_hasty_signal_is_caught", a_hasty_signal_is_caught),
    ("a_message_in_the_wrong_group_is_caught", a_message_in_the_wrong_group_is_caught),
    ("a_failure_at_random_is_made_small", a_failure_at_random_is_made_small),
    ("a_hang_is_reported", a_hang_is_reported),
];

/// A job of groups without wildcards, the world first.
fn job(groups: &[&[usize]], line: &[Op]) -> Program {
    let group = |members: &&[usize]| Group { members: members.to_vec(), loose: false };
    let shape = Shape {
        algorithm: "dissemination".to_owned(),
        notify: "adaptive".to_owned(),
        tree: "auto".to_owned(),
        window: 8,
        signal_window: 8,
        bulk_window: 2,
        eager_bytes: 48,
        open_barriers: 8,
        first_epoch: 0,
    };
    Program { seed: 0, shape, groups: groups.iter().map(group).collect(), line: line.to_vec() }
}

fn late(rank: usize) -> Op {
    Pause { rank, us: 5000 }
}

fn send(rank: usize, to: usize) -> Op {
    Send { rank, group: 0, to, tag: 0, bytes: 8, queued: false }
}

fn recv(rank: usize, from: usize) -> Op {
    Recv { rank, group: 0, from: Some(from), tag: Some(0) }
}

fn poll(rank: usize, from: usize) -> Op {
    Poll { rank, group: 0, from: Some(from), tag: Some(0), times: 200 }
}

fn barrier(group: usize) -> Op {
    Barrier { group, tried: 0, awaited: 0 }
}

/// The program is right without the fault, and some run with it is caught; returns what is said.
fn caught(program: &Program, faulty: Setup) -> String {
    assert!(program.is_sound(), "{program}");
    let sound = Setup { ordering: Ordering::default(), mistake: Mistake::None, ..faulty };
    for _ in 0..5 {
        assert_eq!(sound.run(program), Outcome::Right);
    }
    // Others may be so late that the fault does not show.
    let outcome = (0..200).map(|_| faulty.run(program)).find(|outcome| *outcome != Outcome::Right);
    match outcome.unwrap_or_else(|| panic!("{faulty:?} goes unnoticed")) {
        Outcome::Wrong(wrong) => wrong,
        other => panic!("{other:?}"),
    }
}

/// The oracle alone, without what ranks share besides.
fn ordered(ordering: Ordering) -> Setup {
    Setup { ordering, witnessed: false, ..Setup::on(Net::Host) }
}

const NOT_ALLOWED: &str = "blocking barriers do not allow it";

/// Rank 1 has passed a barrier that rank 0 has yet to come to, and tells rank 0 so through rank 2.
fn through_another() -> Program {
    job(
        &[&[0, 1, 2], &[0, 1]],
        &[late(0), poll(0, 2), barrier(1), send(1, 2), recv(2, 1), send(2, 0), recv(0, 2)],
    )
}

// SEMANTICS: CON-1, ORD-3
fn the_thesis_is_caught_on_its_own_pattern() {
    let wrong = caught(&through_another(), ordered(Ordering::Pakin));
    assert!(wrong.starts_with(NOT_ALLOWED), "{wrong}");
    let witnessed = Setup { witnessed: true, ..ordered(Ordering::Pakin) };
    let wrong = caught(&through_another(), witnessed);
    assert!(wrong.contains("sent after barrier 1 of group 1, called by 1 of 2"), "{wrong}");
}

// SEMANTICS: CON-1, CON-2, ORD-3
fn misreadings_of_containment_are_caught() {
    // Rank 0's second barrier is deferred, and contains its message all the same.
    let deferred = job(
        &[&[0, 1, 2], &[0, 1], &[0, 2]],
        &[
            late(1),
            Barrier { group: 1, tried: 1, awaited: 2 },
            poll(1, 0),
            send(1, 2),
            recv(2, 1),
            Barrier { group: 2, tried: 1, awaited: 0 },
            Send { rank: 0, group: 0, to: 1, tag: 0, bytes: 8, queued: true },
            recv(1, 0),
        ],
    );
    // Rank 0's third barrier, of the group of the first, waits for the second.
    let last = job(
        &[&[0, 1, 2], &[0, 2], &[0, 1]],
        &[
            late(1),
            late(2),
            late(2),
            Barrier { group: 2, tried: 1, awaited: 0 },
            poll(2, 1),
            Barrier { group: 1, tried: 1, awaited: 0 },
            Barrier { group: 2, tried: 1, awaited: 2 },
            send(1, 2),
            recv(2, 1),
        ],
    );
    for (misreading, program) in [
        (Misreading::EnteredOnly, &deferred),
        (Misreading::SubsetOfAny, &deferred),
        (Misreading::LastOnly, &last),
    ] {
        let wrong = caught(program, ordered(misreading.into()));
        assert!(wrong.starts_with(NOT_ALLOWED), "{misreading:?}: {wrong}");
    }
}

// SEMANTICS: CON-1, CON-2
fn the_thesis_is_caught_at_random() {
    let setup = Setup { witnessed: true, ..ordered(Ordering::Pakin) };
    let mut seeds = (0..400).map(Program::random).filter(|program| program.groups.len() > 2);
    assert!(seeds.any(|program| matches!(setup.run(&program), Outcome::Wrong(_))));
}

fn mistaken(mistake: Mistake) -> Setup {
    Setup { mistake, ..Setup::on(Net::Threads) }
}

// SEMANTICS: END-2
fn a_lost_message_is_caught() {
    let program =
        job(&[&[0, 1]], &[send(1, 0), send(1, 0), send(1, 0), recv(0, 1), recv(0, 1), recv(0, 1)]);
    for nth in 1..=3 {
        let wrong = caught(&program, mistaken(Mistake::LoseMessage(nth)));
        assert!(wrong.starts_with("rank 0: rank 1 "), "it has ended, and owes a message: {wrong}");
    }
}

// SEMANTICS: ORD-2
fn swapped_messages_are_caught() {
    let program = job(&[&[0, 1]], &[send(1, 0), send(1, 0), recv(0, 1), recv(0, 1)]);
    let wrong = caught(&program, mistaken(Mistake::SwapMessages(1)));
    assert!(wrong.contains("has message 1 of rank 1 before 0"), "{wrong}");
}

fn a_repeated_message_is_caught() {
    let program = job(&[&[0, 1]], &[send(0, 1), send(0, 1), recv(1, 0), recv(1, 0)]);
    for nth in 1..=2 {
        let wrong = caught(&program, mistaken(Mistake::RepeatMessage(nth)));
        // As a message received twice, as one that is left, as more than its sender says it sent, or by the
        // sender, which gets more room back than it has used.
        let more = "credit for more messages than were sent";
        let says = ["message 0 twice", "left in group 0", "rank 0 broke the protocol", more];
        assert!(says.iter().any(|says| wrong.contains(says)), "{wrong}");
    }
}

// SEMANTICS: BAR-1
fn a_hasty_signal_is_caught() {
    // As with the thesis's rules, of the second barrier: rank 0 has signalled it with the first.
    let program = job(
        &[&[0, 1, 2], &[0, 1]],
        &[
            Barrier { group: 1, tried: 0, awaited: 0 },
            late(0),
            poll(0, 2),
            Barrier { group: 1, tried: 0, awaited: 2 },
            send(1, 2),
            recv(2, 1),
            send(2, 0),
            recv(0, 2),
        ],
    );
    for algorithm in ["dissemination", "board"] {
        let shape = Shape { algorithm: algorithm.to_owned(), ..program.shape.clone() };
        let program = Program { shape, ..program.clone() };
        let setup = Setup { witnessed: false, ..mistaken(Mistake::RushSignal(1)) };
        let wrong = caught(&program, setup);
        assert!(wrong.starts_with(NOT_ALLOWED), "{algorithm}: {wrong}");
    }
}

// SEMANTICS: GRP-1
fn a_message_in_the_wrong_group_is_caught() {
    let in_group = |group| Send { rank: 0, group, to: 1, tag: 0, bytes: 8, queued: false };
    let from_group = |group| Recv { rank: 1, group, from: Some(0), tag: Some(0) };
    let program = job(
        &[&[0, 1], &[1, 0]],
        &[in_group(0), in_group(1), in_group(0), from_group(0), from_group(1), from_group(0)],
    );
    // The first message makes the group.
    for nth in 2..=4 {
        let wrong = caught(&program, mistaken(Mistake::WrongGroup(nth)));
        assert!(wrong.contains("rank 0 ") || wrong.contains("has message"), "{wrong}");
    }
}

fn a_failure_at_random_is_made_small() {
    let setup = mistaken(Mistake::RepeatMessage(5));
    let found = (0..50).map(Program::random).find_map(|program| {
        let wrong = matches!(setup.run(&program), Outcome::Wrong(_));
        complaint(setup, &program).filter(|_| wrong)
    });
    let text = found.expect("one of 50 notices");
    let operations = text.lines().filter(|line| line.starts_with("        Send {")).count();
    assert!(operations <= 4, "{text}");
}

/// What no sound program does: rank 1 waits for a message that is never sent, rank 0 for rank 1.
fn a_hang_is_reported() {
    let program = job(&[&[0, 1]], &[recv(1, 0), Barrier { group: 0, tried: 0, awaited: 3 }]);
    assert!(!program.is_sound());
    #[cfg(target_os = "linux")]
    let nets = [Net::Threads, Net::Host, Net::Processes];
    #[cfg(not(target_os = "linux"))]
    let nets = [Net::Threads, Net::Host];
    for net in nets {
        let setup = Setup { deadline: Duration::from_secs(1), ..Setup::on(net) };
        let text = complaint(setup, &program).expect("it hangs");
        assert!(text.starts_with("it hangs: no end after 1 s\n"), "{text}");
        assert!(text.contains(&program.to_string()), "{text}");
    }
}
