//! A message that a receive was posted for can always be sent: it needs no room in the window for
//! longer than until it has met that receive, in whatever order the program waits.

use std::ops::Range;

use runahead::internals::message::Notify;
use runahead::{Config, RecvRequest, Result, Source, Tag};

use crate::harness::{AnyNic, Case, Step, World};

/// What a payload is made of, and how many of them; the longer one is a rendezvous.
const LENGTHS: [usize; 2] = [3, 300];

/// The case's window and one of two, and ranks that sleep at once and that poll.
fn configs(case: &Case, size: usize) -> Vec<Config> {
    let mut config = case.config(size);
    (config.eager_bytes, config.segment_bytes) = (64, 128);
    let own = [Notify::Block, Notify::default()].map(|notify| Config { notify, ..config.clone() });
    let two = Config { window_messages: 2, notify: Notify::Block, ..config };
    own.into_iter().chain([two]).collect()
}

/// Runs a program of which the test shows that nobody in it waits for ever.
fn run(
    case: &Case,
    config: &Config,
    size: usize,
    program: impl Fn(&World, &Step) -> Result<()> + Sync,
) {
    case.ending_outcome(config, size, program).expect("every rank succeeds");
}

fn data(number: usize, len: usize) -> Vec<u16> {
    vec![number as u16; len]
}

/// Waits for receives and finds in each what was sent as the message of that number.
fn wait_all(
    receives: impl IntoIterator<Item = (usize, RecvRequest<u16, AnyNic>)>,
    len: usize,
) -> Result<()> {
    for (number, receive) in receives {
        assert_eq!(receive.wait()?.data, data(number, len), "message {number}");
    }
    Ok(())
}

fn send_all(comm: &World, to: usize, numbers: Range<usize>, len: usize) -> Result<()> {
    let sends = numbers.map(|number| comm.isend(to, 1, &data(number, len)));
    let sends = sends.collect::<Result<Vec<_>>>()?;
    sends.into_iter().try_for_each(|send| send.wait())
}

/// More receives are posted than the window has messages; sends are waited for first, or last, or in
/// between.
/// SEMANTICS: FLOW-5
fn all_that_is_posted_for_can_be_sent(case: &Case) {
    for config in configs(case, 2) {
        let many = config.window_messages as usize + 3;
        for (len, order) in LENGTHS.into_iter().flat_map(|len| [(len, 0), (len, 1), (len, 2)]) {
            run(case, &config, 2, |world, step| {
                let other = 1 - world.rank();
                let receives = (0..many).map(|_| world.irecv::<u16>(other, 1));
                let mut receives: Vec<_> =
                    receives.collect::<Result<Vec<_>>>()?.into_iter().enumerate().collect();
                world.barrier()?;
                step.to(format!("{many} of length {len} in order {order}"));
                match order {
                    0 => send_all(world, other, 0..many, len)?,
                    1 => {
                        send_all(world, other, 0..many / 2, len)?;
                        wait_all(receives.drain(..many / 2), len)?;
                        send_all(world, other, many / 2..many, len)?;
                    }
                    _ => {
                        for number in 0..many {
                            world.isend(other, 1, &data(number, len))?;
                        }
                        // The last one first.
                        receives.reverse();
                    }
                }
                step.to("receiving");
                wait_all(receives, len)
            });
        }
    }
}

/// The same among several, with blocking sends, receives from anybody and with any tag, in a group, and
/// with half of the receives posted after their messages have come.
/// SEMANTICS: FLOW-5, ORD-2, HOLD-3
fn all_that_is_posted_for_anybody_can_be_sent(case: &Case) {
    for config in configs(case, 3) {
        let many = config.window_messages as usize + 3;
        for len in LENGTHS {
            run(case, &config, 3, |world, step| {
                let group = world.split(u32::from(world.rank() == 1), 0)?;
                if world.rank() == 1 {
                    return world.barrier()?.wait();
                }
                let other = 1 - group.rank();
                let wild = (0..many).map(|_| group.irecv::<u16>(Source::Any, Tag::Any));
                let mut receives: Vec<_> =
                    wild.collect::<Result<Vec<_>>>()?.into_iter().enumerate().collect();
                step.to(format!("sending {many} of length {len}"));
                for number in 0..many {
                    group.send(other, number as u32, &data(number, len))?;
                }
                world.barrier()?.wait()?;
                step.to("sending to receives that are posted late");
                let late = many..many + config.window_messages as usize;
                for number in late.clone() {
                    group.isend(other, number as u32, &data(number, len))?;
                }
                while group.try_probe(other, late.start as u32)?.is_none() {
                    std::thread::yield_now();
                }
                for number in late.clone() {
                    receives.push((number, group.irecv(Source::Any, number as u32)?));
                }
                // All of the window is taken, and what is sent now has its receive as well.
                receives.push((late.end, group.irecv(other, Tag::Any)?));
                group.isend(other, 0, &data(late.end, len))?.wait()?;
                step.to("receiving");
                receives.reverse();
                wait_all(receives, len)
            });
        }
    }
}

/// Others that nobody has asked for yet take up the rest of the window.
/// SEMANTICS: FLOW-5
fn what_was_not_asked_for_does_not_stop_it(case: &Case) {
    for config in configs(case, 2) {
        let window = config.window_messages as usize;
        // So many are not received; they leave room for one.
        let unexpected = window - 1;
        for len in LENGTHS {
            run(case, &config, 2, |world, step| {
                let other = 1 - world.rank();
                let receives = (0..window + 3).map(|_| world.irecv::<u16>(other, 1));
                let receives = receives.collect::<Result<Vec<_>>>()?;
                world.barrier()?;
                step.to("sending the half that is asked for");
                send_all(world, other, 0..window / 2, len)?;
                step.to("sending what nobody asks for");
                for number in 0..unexpected {
                    world.isend(other, 2, &[number as u16])?.wait()?;
                }
                step.to("sending the rest");
                send_all(world, other, window / 2..window + 3, len)?;
                wait_all(receives.into_iter().enumerate(), len)?;
                for number in 0..unexpected {
                    assert_eq!(world.recv::<u16>(other, 2)?.data, [number as u16]);
                }
                Ok(())
            });
        }
    }
}

/// A receive that is given up after its message made room gives the message back to its old place.
/// SEMANTICS: ORD-2, FLOW-5
fn what_made_room_keeps_its_place(case: &Case) {
    for config in configs(case, 2) {
        let many = config.window_messages as usize + 3;
        for len in LENGTHS {
            run(case, &config, 2, |world, step| {
                let other = 1 - world.rank();
                let receives = (0..many).map(|_| world.irecv::<u16>(other, 1));
                let receives = receives.collect::<Result<Vec<_>>>()?;
                world.barrier()?;
                send_all(world, other, 0..many, len)?;
                step.to("waiting for the last");
                let last = receives.last().expect("there are some");
                while !last.test()? {
                    std::thread::yield_now();
                }
                // Some of them stay, and keep what they have.
                let mut kept = Vec::new();
                for (number, receive) in receives.into_iter().enumerate().rev() {
                    if number % 3 == 0 {
                        kept.push((number, receive));
                    }
                }
                step.to("receiving what was given back");
                for number in (0..many).filter(|number| number % 3 > 0) {
                    assert_eq!(world.recv::<u16>(Source::Any, 1)?.data, data(number, len));
                }
                wait_all(kept, len)?;
                // The window is as wide as before.
                world.barrier()?.wait()?;
                for number in 0..config.window_messages as usize {
                    world.isend(other, 3, &data(number, 3))?.wait()?;
                }
                for number in 0..config.window_messages as usize {
                    assert_eq!(world.recv::<u16>(other, 3)?.data, data(number, 3));
                }
                Ok(())
            });
        }
    }
}

suite_and_exposed!(
    all_that_is_posted_for_can_be_sent,
    all_that_is_posted_for_anybody_can_be_sent,
    what_was_not_asked_for_does_not_stop_it,
    what_made_room_keeps_its_place,
);
