//! Posted sends and receives: whose handles are dropped, and which fill memory of the program.

use runahead::{Error, Source, Tag};

use crate::harness::{Case, Gate};

/// A dropped receive gives up what had matched: the message keeps its place, also when its payload
/// is under way, and the next posted receive or the next call gets it.
/// SEMANTICS: ORD-2
fn a_dropped_receive_loses_nothing(case: &Case) {
    for len in [3, 2000] {
        for size in [1, 2, 3, 5] {
            let mut config = case.config(size);
            config.window_messages = config.window_messages.max(4);
            (config.eager_bytes, config.segment_bytes) = (100, 300);
            case.run_with(&config, size, |world, step| {
                let (rank, next) = (world.rank(), (world.rank() + 1) % size);
                let previous = (rank + size - 1) % size;
                for round in 0..6u8 {
                    step.to(format!("round {round} of {len} bytes"));
                    let unmatched = world.irecv::<u8>(Source::Any, 9)?;
                    let first = world.irecv::<u8>(previous, 1)?;
                    let second = world.irecv::<u8>(Source::Any, Tag::Any)?;
                    for number in 0..4u8 {
                        world.isend(next, 1, &vec![round * 4 + number; len])?;
                    }
                    for _ in 0..round * 4 {
                        world.progress()?;
                    }
                    while round % 2 == 0 && !first.test()? {
                        std::thread::yield_now();
                    }
                    drop(unmatched);
                    if round % 3 == 0 {
                        // The second posted receive may take over what the first gave back.
                        drop(first);
                        drop(second);
                    } else {
                        drop(second);
                        drop(first);
                    }
                    for number in 0..4 {
                        let message = world.recv::<u8>(previous, 1)?;
                        assert_eq!(message.data, vec![round * 4 + number; len]);
                    }
                    assert_eq!(world.try_probe(Source::Any, Tag::Any)?, None);
                    // What the previous rank sends in its next round is not to be seen in this.
                    world.barrier()?;
                }
                Ok(())
            });
        }
    }
}

/// Of several posted receives the one posted first is served first.
/// SEMANTICS: ORD-2
fn posted_receives_are_served_in_their_order(case: &Case) {
    for size in [1, 2, 3, 5] {
        let mut config = case.config(size);
        config.window_messages = config.window_messages.max(4); // all four are there at once
        case.run_with(&config, size, |world, step| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % size);
            let previous = (rank + size - 1) % size;
            let receives = [
                world.irecv::<u8>(previous, Tag::Any)?,
                world.irecv::<u8>(previous, 2)?,
                world.irecv::<u8>(Source::Any, 1)?,
                world.irecv::<u8>(Source::Any, Tag::Any)?,
            ];
            for (number, tag) in [1, 1, 2, 2].into_iter().enumerate() {
                world.isend(next, tag, &[number as u8])?;
            }
            step.to("waiting for the last first");
            let mut got = Vec::new();
            for receive in receives.into_iter().rev() {
                got.push(receive.wait()?.data[0]);
            }
            assert_eq!(got, [3, 1, 2, 0]);
            Ok(())
        });
    }
}

/// A posted receive fills the front of the memory that its wait is given. What does not fit is refused, is as it
/// was, and is received by another call.
/// SEMANTICS: ORD-2
fn a_posted_receive_fills_the_memory_of_the_program(case: &Case) {
    for size in [2, 3, 5] {
        case.run(size, |world, step| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % size);
            let previous = (rank + size - 1) % size;
            for len in [0, 3, 2000, 40_000] {
                step.to(format!("{len} numbers"));
                let short = world.irecv::<u32>(previous, 1)?;
                let other = world.irecv::<u32>(Source::Any, 2)?;
                let wide = world.irecv::<u64>(previous, 3)?;
                for tag in 1..4 {
                    world.isend(next, tag, &vec![tag + rank as u32; len | 1])?;
                }
                let sent = |tag| vec![tag + previous as u32; len | 1];
                let mut room = vec![9; len + 2];
                let status = other.wait_into(&mut room)?;
                assert_eq!((status.source, status.tag, status.bytes), (previous, 2, 4 * (len | 1)));
                let (front, behind) = room.split_at(len | 1);
                assert!(front == sent(2) && behind.iter().all(|&it| it == 9));

                let mut little = vec![8; len | 1];
                let refused = short.wait_into(&mut little[..len / 2]).unwrap_err();
                let expected = Error::Truncated {
                    source_rank: previous,
                    tag: 1,
                    bytes: 4 * (len | 1),
                    room: 4 * (len / 2),
                };
                assert_eq!(refused.to_string(), expected.to_string());
                assert!(little.iter().all(|&it| it == 8));
                assert_eq!(world.recv::<u32>(previous, 1)?.data, sent(1));

                // They are elements of another size.
                let refused = wide.wait_into(&mut vec![0; len + 2]).unwrap_err();
                assert!(matches!(refused, Error::ElementSize { sent: 4, asked: 8, .. }));
                assert_eq!(world.recv_into(&mut little, previous, 3)?.bytes, 4 * (len | 1));
                assert_eq!(little, sent(3));
            }
            Ok(())
        });
    }
}

/// A dropped send is sent, large ones and those without credit included.
/// SEMANTICS: END-1
fn a_dropped_send_is_sent(case: &Case) {
    for size in [2, 3, 8] {
        let posted = Gate::new();
        case.run(size, |world, step| {
            let (rank, next) = (world.rank(), (world.rank() + 1) % size);
            let previous = (rank + size - 1) % size;
            for number in 0..10u32 {
                world.isend(next, 1, &[number])?;
                world.isend(next, 1, &vec![number; 3000])?;
            }
            posted.arrive();
            posted.wait_computing(size);
            for number in 0..10u32 {
                step.to(format!("message {number}"));
                assert_eq!(world.recv::<u32>(previous, 1)?.data, [number]);
                assert_eq!(world.recv::<u32>(previous, 1)?.data, vec![number; 3000]);
            }
            Ok(())
        });
    }
}

suite_and_exposed!(
    a_dropped_receive_loses_nothing,
    posted_receives_are_served_in_their_order,
    a_posted_receive_fills_the_memory_of_the_program,
    a_dropped_send_is_sent,
);
