//! Messages of all lengths: eager, at the limit, and above it by rendezvous.

use runahead::{Config, Source};

use runahead_testkit::effort::bound;

use crate::harness::{Case, Gate};

const EAGER: usize = 256;
const SEGMENT: usize = 1000;

const LENGTHS: [usize; 12] = [
    0,
    1,
    39,
    40,
    41,
    EAGER - 1,
    EAGER,
    EAGER + 1,
    SEGMENT - 1,
    SEGMENT,
    SEGMENT + 1,
    7 * SEGMENT + 3,
];

fn longest() -> usize {
    bound([1 << 17, 1 << 20, 1 << 20])
}

fn config(case: &Case, size: usize) -> Config {
    let mut config = case.config(size);
    (config.eager_bytes, config.segment_bytes) = (EAGER, SEGMENT);
    config
}

fn content(from: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 31 + at / 251 + from * 7) as u8).collect()
}

/// Both directions at once, posted before and after the message comes, held across barriers.
/// SEMANTICS: FLOW-4, ORD-1, ORD-2
fn messages_of_all_lengths_arrive_whole(case: &Case) {
    for &size in bound([&[2, 3][..], &[1, 2, 3, 5], &[1, 2, 3, 5]]) {
        let longest = (size <= 3).then(longest);
        case.run_with(&config(case, size), size, |world, step| {
            let rank = world.rank();
            let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
            for len in LENGTHS.into_iter().chain(longest) {
                let (ours, theirs) = (content(rank, len), content(previous, len));
                step.to(format!("{len} bytes, receive posted before"));
                let receive = world.irecv::<u8>(previous, 1)?;
                let send = world.isend(next, 1, &ours)?;
                world.barrier()?;
                assert_eq!(receive.wait()?.data, theirs);
                send.wait()?;
                step.to(format!("{len} bytes, receive posted after, held"));
                world.barrier()?;
                let send = world.isend(next, 2, &ours)?;
                world.barrier()?;
                let receive = world.irecv::<u8>(Source::Any, 2)?;
                while !receive.test()? {
                    std::thread::yield_now();
                }
                assert_eq!(receive.wait()?.data, theirs);
                send.wait()?;
                step.to(format!("{len} bytes, blocking"));
                let mut room = vec![0u8; len + 1];
                if rank % 2 == 0 && size > 1 {
                    world.send(next, 3, &ours)?;
                    assert_eq!(world.recv_into(&mut room, previous, 3)?.bytes, len);
                } else {
                    let send = world.isend(next, 3, &ours)?;
                    assert_eq!(world.recv_into(&mut room, previous, 3)?.bytes, len);
                    send.wait()?;
                }
                assert_eq!(room[..len], theirs);
                step.to(format!("{len} bytes, polled"));
                let send = world.isend(next, 4, &ours)?;
                let polled = loop {
                    if let Some(message) = world.try_recv::<u8>(previous, 4)? {
                        break message;
                    }
                    std::thread::yield_now();
                };
                assert_eq!(polled.data, theirs);
                send.wait()?;
            }
            Ok(())
        });
    }
}

/// Large and small messages to one rank keep their order, however they are mixed.
/// SEMANTICS: ORD-2, FLOW-4
fn large_and_small_do_not_overtake(case: &Case) {
    for size in [2, 3, 5] {
        case.run_with(&config(case, size), size, |world, step| {
            let rank = world.rank();
            let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
            let lengths = |number: usize| [3, EAGER + 1, 5 * SEGMENT, 0, EAGER][number % 5];
            for number in 0..30 {
                world.isend(next, 1, &content(number, lengths(number)))?;
                if number % 7 == 0 {
                    world.barrier()?;
                }
            }
            for number in 0..30 {
                step.to(format!("message {number}"));
                let message = world.recv::<u8>(previous, 1)?;
                assert_eq!(message.data, content(number, lengths(number)));
            }
            Ok(())
        });
    }
}

/// A large message sent after a barrier is held like a small one, and its payload does not move.
/// SEMANTICS: ORD-1, HOLD-1
fn a_large_message_is_held(case: &Case) {
    let tried = Gate::new();
    case.run_with(&config(case, 3), 3, |world, step| {
        if world.rank() == 2 {
            tried.wait_progressing(1, world)?;
            return world.barrier()?.wait();
        }
        world.barrier()?;
        if world.rank() == 0 {
            step.to("sending");
            return world.send(1, 1, &content(0, 5000));
        }
        let receive = world.irecv::<u8>(0, 1)?;
        for _ in 0..50 {
            assert!(!receive.test()?);
            assert_eq!(world.try_probe(Source::Any, 1)?, None);
        }
        tried.arrive();
        step.to("receiving");
        assert_eq!(receive.wait()?.data, content(0, 5000));
        Ok(())
    });
}

/// A payload of which a part was gathered for a receive that was given up goes on to where the next one wants
/// it, and leaves no descriptor behind: there are more than the window has.
/// SEMANTICS: FLOW-4, ORD-2
fn what_has_begun_to_come_goes_on_into_memory(case: &Case) {
    const LEN: usize = 9 * SEGMENT + 5;
    for looks in 0..24 {
        case.run_with(&config(case, 2), 2, |world, step| {
            if world.rank() == 0 {
                return (0..3).try_for_each(|number| world.send(1, 1, &content(number, LEN)));
            }
            for number in 0..3 {
                step.to(format!("message {number} after {looks} looks"));
                let receive = world.irecv::<u8>(0, 1)?;
                for _ in 0..looks {
                    world.progress()?;
                    std::thread::yield_now();
                }
                drop(receive);
                let mut room = vec![0u8; LEN + 1];
                assert_eq!(world.recv_into(&mut room, 0, 1)?.bytes, LEN);
                assert_eq!(room[..LEN], content(number, LEN));
            }
            Ok(())
        });
    }
}

suite_and_exposed!(
    messages_of_all_lengths_arrive_whole,
    what_has_begun_to_come_goes_on_into_memory,
    large_and_small_do_not_overtake,
    a_large_message_is_held
);

in_calls!(messages_of_all_lengths_arrive_whole, large_and_small_do_not_overtake);
