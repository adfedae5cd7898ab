//! Large payloads that their receivers read by themselves: they come though the sender calls nothing.

use runahead::{Error, MessageError};

use crate::harness::{Case, Gate};

/// Also what is long enough where only that is read so.
const LEN: usize = 100_000;

fn content(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 13 + at / 249 + seed * 7) as u8).collect()
}

/// What `isend` has posted is received while its sender computes, however long: it calls nothing before all is here.
/// SEMANTICS: FLOW-4
fn a_payload_comes_though_its_sender_computes(case: &Case) {
    assert!((case.network.reads)(2, 0, 1, LEN), "it is for networks that can");
    let config = case.config(2);
    let most = config.window_messages.min(8) as usize;
    for posted_before in [false, true] {
        let (posted, received) = (Gate::new(), Gate::new());
        let stats = case.run_with(&config, 2, |world, step| {
            if world.rank() == 0 {
                posted.wait_computing(usize::from(posted_before));
                for number in 0..most {
                    world.isend(1, number as u32, &content(number, LEN + number))?;
                }
                posted.arrive();
                step.to("computing");
                received.wait_computing(1);
            } else {
                let _promise = received.promise();
                let early = posted_before.then(|| world.irecv::<u8>(0, 0)).transpose()?;
                posted.arrive();
                posted.wait_computing(2);
                // Not in the order in which they were sent.
                for number in (1..most).rev() {
                    step.to(format!("message {number}"));
                    let message = world.recv::<u8>(0, number as u32)?;
                    assert!(message.data == content(number, LEN + number));
                }
                step.to("the first");
                let first = early.map_or_else(|| world.recv::<u8>(0, 0), |early| early.wait())?;
                assert!(first.data == content(0, LEN));
            }
            world.stats()
        });
        let exposed_and_read = (stats[0].payloads_exposed, stats[1].payloads_read);
        assert_eq!(exposed_and_read, (most as u64, most as u64));
    }
}

/// What a send owns comes as it was, and is handed back once it has left: not a copy, but where it was. So it can be
/// sent again, in a loop that allocates it once. A receiver that goes gives it back too.
/// SEMANTICS: FLOW-4
fn what_a_send_owns_comes_back(case: &Case) {
    for len in [1, LEN] {
        case.run(2, |world, step| {
            if world.rank() == 1 {
                for round in 0..4 {
                    step.to(format!("{len} bytes, round {round}"));
                    assert!(world.recv::<u8>(0, 3)?.data == content(round, len));
                }
                return world.barrier()?.wait();
            }
            let mut data = content(0, len);
            let start = data.as_ptr();
            for round in 0..4 {
                step.to(format!("{len} bytes, round {round}"));
                data.copy_from_slice(&content(round, len));
                let sent = world.isend_owned(1, 3, data)?;
                assert!(sent.data() == content(round, len));
                world.wait_all(&[&sent])?;
                assert!(sent.test()?);
                data = sent.wait()?;
                assert_eq!(data.as_ptr(), start);
            }
            assert!(data == content(3, len));
            world.barrier()?.wait()?;
            // It goes on when its receiver has.
            let dropped = world.isend_owned(0, 4, data)?;
            drop(dropped);
            assert!(world.recv::<u8>(0, 4)?.data == content(3, len));
            Ok(())
        });
    }
}

/// Data whose send fails come back with the error, and lie where they lay: whether the call fails or the wait, of a
/// rank that does not exist and of a receiver that has ended. (Planted: a wait whose error has no data.)
/// SEMANTICS: FLOW-4, END-2
fn data_that_are_not_sent_come_back(case: &Case) {
    for len in [1, LEN] {
        case.run(2, |world, step| {
            let mut data = content(0, len);
            let start = data.as_ptr();
            step.to(format!("{len} bytes to nobody"));
            let failed = world.isend_owned(2, 3, data).unwrap_err();
            assert!(
                matches!(failed.error, Error::RankOutOfRange { rank: 2, size: 2 }),
                "{failed:?}"
            );
            data = failed.into_data();
            assert!(data.as_ptr() == start && data == content(0, len));
            if world.rank() == 1 {
                return Ok(());
            }
            step.to(format!("{len} bytes to a rank that ends"));
            let failed = loop {
                match world.isend_owned(1, 3, data).and_then(|sent| sent.wait()) {
                    Ok(sent) => data = sent,
                    Err(failed) => break failed,
                }
            };
            let ended = MessageError::PeerEnded { rank: 1, failed: false };
            assert!(
                matches!(&failed.error, Error::Message(error) if *error == ended),
                "{failed:?}"
            );
            let data = failed.into_data();
            assert!(data.as_ptr() == start && data == content(0, len));
            Ok(())
        });
    }
}

/// More than may be exposed at a time: all come, in their order, and every one of them is sent.
/// SEMANTICS: FLOW-4, ORD-2
fn any_number_of_payloads_may_be_posted(case: &Case) {
    const MESSAGES: usize = 80;
    let stats = case.run(2, |world, step| {
        let other = 1 - world.rank();
        let lengths = |number: usize| LEN - number % 3 * 49_990;
        let sends: Vec<_> = (0..MESSAGES)
            .map(|number| world.isend(other, 0, &content(number, lengths(number))))
            .collect::<Result<_, _>>()?;
        let mut room = vec![0_u8; LEN];
        for number in 0..MESSAGES {
            step.to(format!("message {number}"));
            let len = world.recv_into(&mut room, other, 0)?.bytes;
            assert!(room[..len] == content(number, lengths(number)), "message {number}");
        }
        step.to("sends");
        sends.into_iter().try_for_each(|send| send.wait())?;
        world.stats()
    });
    for rank in 0..2 {
        // Of those that are long, not all need have been exposed.
        assert_eq!(stats[rank].payloads_exposed, stats[1 - rank].payloads_read);
        assert!(stats[rank].payloads_exposed > 20, "{} were exposed", stats[rank].payloads_exposed);
    }
}

/// What a rank has asked for and does not want any more is not read, or read in vain; its sender is rid of it.
/// SEMANTICS: GRP-3
fn what_nobody_receives_is_not_waited_for(case: &Case) {
    let stats = case.run(2, |world, step| {
        let group = world.dup()?;
        if world.rank() == 0 {
            step.to("sending in vain");
            let sent = (0..3).map(|number| group.isend(1, 0, &content(number, LEN)));
            let sent = sent.collect::<Result<Vec<_>, _>>()?;
            world.send(1, 9, &[1_u8])?;
            sent.into_iter().try_for_each(|send| send.wait())?;
            step.to("sending once more");
            world.send(1, 1, &content(4, LEN))?;
        } else {
            drop(group);
            world.recv::<u8>(0, 9)?;
            step.to("receiving");
            assert!(world.recv::<u8>(0, 1)?.data == content(4, LEN));
        }
        world.stats()
    });
    assert_eq!((stats[0].payloads_exposed, stats[1].payloads_read), (4, 1));
}

/// A sender that fails, or dies, with payloads exposed: who needs one gets it whole or is told, and goes on.
/// SEMANTICS: END-2, SAFE-1
fn who_goes_with_payloads_exposed_is_named(case: &Case) {
    for panics in [false, true] {
        let posted = Gate::new();
        let outcome = case.ending_outcome(&case.config(3), 3, |world, step| {
            match world.rank() {
                0 => {
                    world.isend(1, 0, &content(0, LEN))?;
                    world.isend(2, 0, &content(0, 20 * LEN))?;
                    posted.arrive();
                    if panics {
                        crate::harness::die("on purpose");
                    }
                    return Err(Error::other("on purpose"));
                }
                rank => {
                    posted.wait_computing(1);
                    step.to("receiving");
                    match world.recv::<u8>(0, 0) {
                        Ok(message) => assert!(
                            message.data == content(0, if rank == 1 { LEN } else { 20 * LEN })
                        ),
                        Err(error) => assert_eq!(error.culprit(), Some(0), "{error}"),
                    }
                    let error = world.recv::<u8>(0, 0).unwrap_err();
                    assert_eq!(error.culprit(), Some(0), "{error}");
                    step.to("between the others");
                    let sent = world.isend(3 - rank, 5, &content(rank, LEN))?;
                    assert!(world.recv::<u8>(3 - rank, 5)?.data == content(3 - rank, LEN));
                    sent.wait()?;
                }
            }
            Ok(())
        });
        let error = outcome.unwrap_err();
        assert!(
            matches!(error, Error::Rank { rank: 0, .. } | Error::Panicked { rank: 0, .. }),
            "{error}"
        );
    }
}

/// A receiver that ends while it reads, or before: its sender is told, and may use its memory again.
/// SEMANTICS: END-1, END-2
fn a_receiver_that_goes_leaves_no_payload_exposed(case: &Case) {
    for reads in [false, true] {
        let came = Gate::new();
        case.run(2, |world, step| {
            if world.rank() == 1 {
                let receive = reads.then(|| world.irecv::<u8>(0, 0)).transpose()?;
                came.wait_progressing(1, world)?;
                step.to("going");
                drop(receive);
                return Ok(());
            }
            let mut payload = content(0, 5 * LEN);
            let posted = world.isend(1, 7, &payload)?;
            came.arrive();
            step.to("sending");
            for round in 0..3 {
                match world.send(1, 0, &payload) {
                    Ok(()) => {}
                    Err(Error::Message(MessageError::PeerEnded { rank: 1, failed: false })) => {}
                    Err(error) => panic!("{error}"),
                }
                payload.fill(round);
            }
            assert_eq!(posted.wait().map_err(|error| error.culprit()), Err(Some(1)));
            Ok(())
        });
    }
}

exposed!(
    a_payload_comes_though_its_sender_computes,
    what_a_send_owns_comes_back,
    data_that_are_not_sent_come_back,
    any_number_of_payloads_may_be_posted,
    what_nobody_receives_is_not_waited_for,
    who_goes_with_payloads_exposed_is_named,
    a_receiver_that_goes_leaves_no_payload_exposed,
);

#[cfg(all(target_os = "linux", feature = "ib"))]
suite!(
    @ ib, Ib, 4,
    a_payload_comes_though_its_sender_computes,
    any_number_of_payloads_may_be_posted,
    what_nobody_receives_is_not_waited_for,
    who_goes_with_payloads_exposed_is_named,
    a_receiver_that_goes_leaves_no_payload_exposed;
    device, device
);
on_two_hosts!(
    a_payload_comes_though_its_sender_computes,
    what_a_send_owns_comes_back,
    data_that_are_not_sent_come_back,
    any_number_of_payloads_may_be_posted,
    what_nobody_receives_is_not_waited_for,
);
