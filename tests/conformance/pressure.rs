//! Back-pressure: windows, and what goes on while they are full.

use runahead::Source;

use crate::harness::{Case, Gate, SIZES};

/// Everybody floods everybody, by posted sends and by `try_send`.
/// SEMANTICS: FLOW-1, FLOW-3
fn floods_in_all_directions_get_through(case: &Case) {
    for size in case.sizes(&SIZES) {
        let each = if size > 5 { 10 } else { 60 };
        case.run(size, |world, step| {
            step.to("flooding by posted sends");
            for number in 0..each {
                for to in 0..size {
                    world.isend(to, 1, &[number])?;
                }
                if number % 16 == 0 {
                    world.barrier()?;
                }
            }
            for from in 0..size {
                for number in 0..each {
                    assert_eq!(world.recv::<u32>(from, 1)?.data, [number]);
                }
            }
            step.to("flooding by try_send");
            let (mut sent, mut received) = (vec![0; size], vec![0; size]);
            while sent.iter().chain(&received).any(|&count| count < each) {
                for (to, sent) in sent.iter_mut().enumerate() {
                    if *sent < each && world.try_send(to, 2, &[*sent])? {
                        *sent += 1;
                    }
                }
                while let Some(message) = world.try_recv::<u32>(Source::Any, 2)? {
                    assert_eq!(message.data, [received[message.source]]);
                    received[message.source] += 1;
                }
                std::thread::yield_now();
            }
            Ok(())
        });
    }
}

/// A window takes as many messages as it says, received and held ones included; taking one makes
/// room for one.
/// SEMANTICS: FLOW-1
fn a_full_window_refuses(case: &Case) {
    for ahead in [false, true] {
        let (full, taken) = (Gate::new(), Gate::new());
        case.run(2, |world, step| {
            let window = world.config().window_messages;
            if world.rank() == 1 {
                // Progresses, so that the messages are in its memory for certain.
                step.to("withheld");
                full.wait_progressing(1, world)?;
                if ahead {
                    world.barrier()?.wait()?;
                }
                for number in 0..window {
                    assert_eq!(world.recv::<u32>(0, 1)?.data, [number]);
                }
                world.progress()?;
                taken.arrive();
                step.to("receiving the last");
                assert_eq!(world.recv::<u32>(0, 1)?.data, [window]);
                return Ok(());
            }
            if ahead {
                world.barrier()?;
            }
            for number in 0..window {
                assert!(world.try_send(1, 1, &[number])?, "{number} of {window}");
            }
            for _ in 0..50 {
                assert!(!world.try_send(1, 1, &[window])?, "more than the window");
            }
            full.arrive();
            step.to("waiting for room");
            taken.wait_progressing(1, world)?;
            while !world.try_send(1, 1, &[window])? {
                std::thread::yield_now();
            }
            Ok(())
        });
    }
}

/// A rank whose window to a withheld peer is full forwards the barrier signals of others, and its
/// own signals do not wait behind the data.
/// SEMANTICS: FLOW-2, FLOW-3
fn a_sender_without_credit_keeps_barriers_going(case: &Case) {
    for size in [3, 5, 8] {
        for algorithm in runahead::Algorithm::ALL {
            let mut config = case.config(size);
            config.algorithm = algorithm;
            let synchronised = Gate::new();
            case.run_with(&config, size, |world, step| {
                let window = world.config().window_messages;
                if world.rank() == 0 {
                    step.to("flooding rank 1");
                    for number in 0..window {
                        world.send(1, 1, &[number])?;
                    }
                    for _ in 0..10 {
                        world.barrier()?;
                    }
                    step.to("sending without credit");
                    world.send(1, 1, &[window])?;
                    assert!(synchronised.has(size - 1), "the send has waited for rank 1");
                    return Ok(());
                }
                for number in 0..10 {
                    step.to(format!("barrier {number}"));
                    world.barrier()?.wait()?;
                }
                synchronised.arrive();
                if world.rank() == 1 {
                    // Takes nothing until all others have completed all barriers.
                    synchronised.wait_progressing(size - 1, world)?;
                    for number in 0..=window {
                        assert_eq!(world.recv::<u32>(0, 1)?.data, [number]);
                    }
                }
                Ok(())
            });
        }
    }
}

/// Two ranks that only call barriers, and look at the network in turns, never run out of room for
/// the frames that return credit.
/// SEMANTICS: FLOW-2, FLOW-4
fn returned_credit_always_finds_room(case: &Case) {
    for signal_window in [1, 16] {
        let mut config = case.config(2);
        config.signal_window = signal_window;
        let (ahead, followed) = (Gate::new(), Gate::new());
        let each = signal_window as usize;
        case.run_with(&config, 2, |world, step| {
            for round in 1..=100 {
                step.to(format!("round {round}"));
                if world.rank() == 0 {
                    for _ in 0..each {
                        world.barrier()?;
                    }
                    ahead.arrive();
                    if case.network.causal {
                        followed.wait_computing(round);
                    } else {
                        // Signals take a while to come; the barriers open might become too many.
                        followed.wait_progressing(round, world)?;
                    }
                } else {
                    ahead.wait_progressing(round, world)?;
                    world.progress()?;
                    for _ in 0..each {
                        world.barrier()?;
                    }
                    followed.arrive();
                }
            }
            Ok(())
        });
    }
}

/// The same for messages: a rank that finds what it receives already there sends replies for ever.
/// SEMANTICS: FLOW-1, FLOW-4
fn replies_always_find_room(case: &Case) {
    case.run(2, |world, step| {
        let window = world.config().window_messages;
        for round in 0..200u32 {
            step.to(format!("round {round}"));
            if world.rank() == 0 {
                for number in 0..window {
                    world.send(1, 1, &[number])?;
                }
                for number in 0..window {
                    assert_eq!(world.recv::<u32>(1, 2)?.data, [number]);
                }
            } else {
                for number in 0..window {
                    assert_eq!(world.recv::<u32>(0, 1)?.data, [number]);
                    world.progress()?;
                }
                for number in 0..window {
                    world.send(0, 2, &[number])?;
                }
            }
        }
        Ok(())
    });
}

suite_and_exposed!(
    floods_in_all_directions_get_through,
    a_full_window_refuses,
    a_sender_without_credit_keeps_barriers_going,
    returned_credit_always_finds_room,
    replies_always_find_room,
);

in_calls!(floods_in_all_directions_get_through);
