//! A rank that goes without a word: those who wait for it learn of it and do not sleep on.

use std::panic::resume_unwind;

use runahead::{Comm, Error, Exchange, Launch, MessageError, Result};

/// Runs `wait` at all ranks but the last, which panics as soon as all have come.
fn without_the_last(size: usize, wait: impl Fn(&Comm) -> Result<()> + Sync) {
    let lost = size - 1;
    let result = Launch::new(size).run(|world| {
        world.barrier()?.wait()?;
        if world.rank() == lost {
            // As a panic, but without its message on the terminal.
            resume_unwind(Box::new("gone"));
        }
        let error = wait(world).expect_err("the lost rank is needed");
        // Of the ranks that wait for one another, some see the second fall over the first.
        match &error {
            Error::Message(
                MessageError::PeerLost { .. }
                | MessageError::PeerEnded { failed: true, .. }
                | MessageError::EndedBeforeBarrier { .. },
            ) => Err(error),
            other => panic!("{other}"),
        }
    });
    match result.expect_err("a rank was lost") {
        Error::Panicked { rank, message } => assert_eq!((rank, &message[..]), (lost, "gone")),
        other => panic!("{other}"),
    }
}

#[test]
fn a_receive_learns_of_it() {
    for size in [2, 3, 5, 8] {
        without_the_last(size, |world| world.recv::<u64>(world.size() - 1, 0).map(drop));
    }
}

#[test]
fn a_barrier_learns_of_it() {
    for size in [2, 3, 5, 8] {
        without_the_last(size, |world| world.barrier()?.wait());
    }
}

#[test]
fn an_exchange_learns_of_it() {
    for size in [2, 3, 5, 8] {
        for how in Exchange::ALL {
            let mine = [0u32; 100];
            without_the_last(size, |world| world.exchange(&vec![&mine[..]; size], how, |_, _| {}));
        }
    }
}

#[test]
fn calls_in_which_all_need_all_learn_of_it() {
    let sum = |a: u64, b: u64| a + b;
    for size in [2, 3, 5, 8] {
        for count in [1, 8 << 10] {
            let mine = vec![1; count * size];
            without_the_last(size, |world| world.all_gather(&mine).map(drop));
            without_the_last(size, |world| world.all_to_all(&mine).map(drop));
            without_the_last(size, |world| world.reduce_scatter(&mine, sum).map(drop));
            without_the_last(size, |world| world.all_reduce(&mine, sum).map(drop));
        }
    }
}
