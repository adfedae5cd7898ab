//! Large payloads of `isend` and of collectives: once warm they take no memory and no page of it, and their receiver does
//! not need their sender.

use std::cell::Cell;
use std::sync::mpsc::channel;
use std::sync::{Barrier, Mutex};

use super::counting::{allocations, live_bytes};
use runahead::internals::provider::threads;
use runahead::{Comm, Config, Error, Launch, MessageError, Result, ops};
use runahead_testkit::effort::bound;

const WARM_UP: usize = 20;
const MEASURED: usize = 50;
/// So often collectives are measured.
const MEASUREMENTS: usize = 5;
/// Rounds of collectives in each.
const ROUNDS: usize = 10;

/// So many pages has the system given to this thread, without reading them from anywhere.
pub fn minor_faults() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").expect("proc is mounted");
    // The name of the thread, in brackets, may have spaces.
    let behind_name = &stat[stat.rfind(')').expect("a name") + 2..];
    behind_name.split(' ').nth(7).and_then(|field| field.parse().ok()).expect("a count")
}

/// Two ranks send each other payloads of so many bytes, and each receives by a call or has `posted` its receive; returns
/// how often each allocated, and how many pages it was given.
fn exchanged(bytes: usize, posted: bool) -> Vec<(u64, u64)> {
    let has_sent = Barrier::new(2);
    let counts = Launch::new(2).collect(|world| {
        let (peer, mine) = (1 - world.rank(), vec![world.rank() as u64; bytes / 8]);
        let mut room = vec![9; mine.len()];
        let exchange = |room: &mut [u64]| -> Result<()> {
            let receive = posted.then(|| world.irecv(peer, 1)).transpose()?;
            let sent = world.isend(peer, 1, &mine)?;
            match receive {
                Some(receive) => receive.wait_into(room)?,
                None => world.recv_into(room, peer, 1)?,
            };
            assert_eq!((room[0], room[room.len() - 1]), (peer as u64, peer as u64));
            sent.wait()?;
            world.barrier()?.wait()
        };
        (0..WARM_UP).try_for_each(|_| exchange(&mut room))?;
        // Somewhere between the others one comes before its receive, and is kept until then.
        let early = world.isend(peer, 2, &mine)?;
        world.barrier()?.wait()?;
        world.progress()?;
        world.recv_into(&mut room, peer, 2)?;
        early.wait()?;
        // And one comes before a barrier of its receiver, and is held.
        for ahead in 0..2 {
            let is_ahead = world.rank() == ahead;
            let sent = is_ahead.then(|| {
                let _runs_ahead = world.barrier()?;
                world.isend(peer, 2, &mine)
            });
            has_sent.wait();
            match sent.transpose()? {
                Some(sent) => sent.wait()?,
                None => {
                    world.progress()?;
                    world.barrier()?.wait()?;
                    world.recv_into(&mut room, peer, 2)?;
                }
            }
            world.barrier()?.wait()?;
        }
        assert!(world.stats()?.messages_held > 0);
        (0..WARM_UP).try_for_each(|_| exchange(&mut room))?;
        let (before, mut outcome) = (minor_faults(), Ok(()));
        let count = allocations(|| outcome = (0..MEASURED).try_for_each(|_| exchange(&mut room)));
        let faults = minor_faults() - before;
        outcome.map(|()| (count, faults))
    });
    counts.unwrap()
}

#[test]
fn large_payloads_take_no_memory_once_warm() {
    for (bytes, posted) in [(64 << 10, false), (4 << 20, false), (64 << 10, true), (4 << 20, true)]
    {
        for (count, faults) in exchanged(bytes, posted) {
            assert_eq!(count, 0, "allocations of {bytes} bytes, posted: {posted}");
            // The system may take a page away at any time. A new copy of each payload would take
            // 16 pages or more.
            assert!(faults < MEASURED as u64, "{faults} pages for {MEASURED} times {bytes} bytes");
        }
    }
}

/// The calls of collectives that write into memory of the program, in which each rank gives so many
/// bytes, or gets as many; returns how often each rank allocated, and how many pages it was given, in
/// each of some measurements.
fn collected(size: usize, bytes: usize) -> Vec<[(u64, u64); MEASUREMENTS]> {
    let counts = Launch::new(size).collect(|world| {
        let (rank, count) = (world.rank(), bytes / 8);
        let (own, mut one) = (vec![rank as u64; count], vec![9; count]);
        let (blocks, mut all) = (vec![rank as u64; count * size], vec![9; count * size]);
        let mut calls = || -> Result<()> {
            world.broadcast(0, &mut one)?;
            world.reduce_into(0, &own, &mut one, ops::sum)?;
            world.all_reduce_into(&own, &mut one, ops::sum)?;
            world.exclusive_scan_into(&own, &mut one, ops::sum)?;
            world.barrier()?.wait()?;
            world.all_gather_into(&own, &mut all)?;
            world.gather_into(0, &own, &mut all)?;
            world.scatter_into(0, &blocks, &mut one)?;
            world.barrier()?.wait()?;
            world.all_to_all_into(&blocks, &mut all)?;
            world.reduce_scatter_into(&blocks, &mut one, ops::sum)?;
            assert_eq!(one[count - 1], (size * (size - 1) / 2) as u64);
            assert!(all.iter().step_by(count).copied().eq(0..size as u64));
            world.barrier()?.wait()?;
            // An operator of the program's.
            world.reduce_scatter_into(&blocks, &mut one, |a, b| a ^ b)?;
            world.barrier()?.wait()
        };
        (0..WARM_UP).try_for_each(|_| calls())?;
        let mut measured = [(0, 0); MEASUREMENTS];
        for (count, faults) in &mut measured {
            let (before, mut outcome) = (minor_faults(), Ok(()));
            *count = allocations(|| outcome = (0..ROUNDS).try_for_each(|_| calls()));
            *faults = minor_faults() - before;
            outcome?;
        }
        Ok(measured)
    });
    counts.unwrap()
}

/// Whatever lengths the queues have had before: see `collectives`. Quick tests leave out 2 and 4 MiB: without optimisation
/// they take six times as long as the rest, which is what it takes to add numbers up.
#[test]
fn large_collectives_take_no_memory_once_warm() {
    let all = [(2, 64 << 10), (3, 64 << 10), (2, 1 << 20), (3, 2 << 20), (2, 4 << 20)];
    for &(size, bytes) in bound([&all[..3], &all, &all]) {
        for measured in collected(size, bytes) {
            // A new copy of each payload would take 16 pages or more a round.
            let is_warm = |&(count, faults): &(u64, u64)| count == 0 && faults < ROUNDS as u64;
            assert!(measured.iter().any(is_warm), "{size} ranks, {bytes} bytes: {measured:?}");
        }
    }
}

/// The result of a nonblocking reduction takes the place of the copy of what its rank has given. (Planted: it has memory of its own.)
// SEMANTICS: COL-8
#[test]
fn a_shared_reduction_keeps_its_data_once() {
    const COUNT: usize = 40_000;
    let kept = Launch::new(3).collect(|world| {
        let data = vec![world.rank() as u64; COUNT];
        let mut kept = 0;
        for round in 0..4 {
            let (before, most) = (live_bytes(), Cell::new(0));
            let request = world.iall_reduce(&data, |a, b| {
                most.set(most.get().max(live_bytes()));
                a + b
            })?;
            assert!(request.wait()? == vec![3; COUNT]);
            // Tables grow in the first. In any another rank may have combined all.
            kept = if round == 0 { 0 } else { kept.max(most.get() - before) };
        }
        Ok(kept)
    });
    let kept = kept.unwrap().into_iter().max().expect("there are ranks") as usize;
    let once = COUNT * size_of::<u64>();
    assert!((once..once * 3 / 2).contains(&kept), "{kept} bytes for {once}");
}

/// The root of a broadcast calls the runtime no more until all have what it has given.
// SEMANTICS: COL-2
#[test]
fn large_data_of_a_root_are_received_while_it_computes() {
    const RANKS: usize = 3;
    let (received, is_received) = channel();
    let is_received = Mutex::new(is_received);
    let sums = Launch::new(RANKS).collect(|world| {
        let mut data = vec![world.rank() as u8 + 3; 1 << 20];
        world.broadcast(0, &mut data)?;
        if world.rank() == 0 {
            // Its own again.
            data.fill(0);
            for _ in 1..RANKS {
                is_received.lock().unwrap().recv().expect("all others receive it");
            }
        } else {
            received.send(()).expect("rank 0 waits for it");
        }
        Ok(data.iter().map(|&byte| u64::from(byte)).sum::<u64>())
    });
    assert_eq!(sums.unwrap(), [0, 3 << 20, 3 << 20]);
}

/// Between its `isend` and the end of the test the sender calls the runtime no more. (Planted: a heap
/// of 0 bytes. Then the receiver waits for ever.)
// SEMANTICS: FLOW-4
#[test]
fn a_large_payload_is_received_while_its_sender_computes() {
    const BYTES: usize = 1 << 20;
    let (received, is_received) = channel();
    let is_received = Mutex::new(is_received);
    let sums = Launch::new(2).collect(|world| {
        if world.rank() == 0 {
            let mut payload = vec![3_u8; BYTES];
            let sent = world.isend(1, 4, &payload)?;
            // Its own again.
            payload.fill(0);
            // The long computation.
            is_received.lock().unwrap().recv().expect("rank 1 receives it");
            sent.wait()?;
            Ok(0)
        } else {
            let sum = world.recv::<u8>(0, 4)?.data.iter().map(|&byte| u64::from(byte)).sum();
            received.send(()).expect("rank 0 waits for it");
            Ok(sum)
        }
    });
    assert_eq!(sums.unwrap(), [0, 3 << 20]);
}

/// Where receivers read payloads where these lie, `isend` keeps a copy of one, and a send of what it owns, or has been
/// lent in a scope, keeps none.
// SEMANTICS: FLOW-4
#[test]
fn what_a_send_owns_is_not_copied() {
    const BYTES: usize = 8 << 20;
    let fabric = Launch::new(2).fabric().expect("the options are right");
    let nics = threads::connect_with_remote_read(2, &fabric, 1).expect("the fabric can be made");
    let ranks: Vec<_> = nics.into_iter().map(|nic| Comm::new(nic, Config::new(2))).collect();
    let [Ok(sender), Ok(receiver)] = &ranks[..] else { panic!("there are two") };
    let receive = || {
        let request = receiver.irecv::<u8>(0, 0).expect("rank 0 is there");
        while !request.test().expect("it comes") {
            sender.progress().expect("it goes");
        }
        assert!(request.wait().expect("it has come").data == vec![3; BYTES]);
    };
    // This network keeps a copy of its own of what is exposed.
    let kept = |send: &mut dyn FnMut()| {
        let before = live_bytes();
        send();
        live_bytes() - before
    };
    let data = vec![3_u8; BYTES];
    let copied = kept(&mut || {
        sender.isend(1, 0, &data).expect("it is posted");
    });
    receive();
    let (mut given, mut sent) = (Some(data), None);
    let owned = kept(&mut || {
        let data = given.take().expect("it is given once");
        sent = Some(sender.isend_owned(1, 0, data).expect("it is posted"));
    });
    receive();
    let data = sent.expect("it was sent").wait().expect("it has left");
    assert!(data == vec![3; BYTES]);
    let mut lent = 0;
    let scope = sender.scope(|scope| {
        lent = kept(&mut || {
            scope.isend(1, 0, &data).expect("it is posted");
        });
        receive();
        Ok(())
    });
    scope.expect("it has left");
    let few = |bytes: i64, copies: i64| (bytes - copies * BYTES as i64).abs() < 4096;
    assert!(few(copied, 2) && few(owned, 1), "{copied} bytes with a copy, {owned} without");
    assert!(few(lent, 1), "{lent} bytes in a scope");
}

/// Messages that wait, since the window of their receiver is full and so is the memory that both see: `isend` keeps a
/// copy of each, and a scope of none.
// SEMANTICS: FLOW-4
#[test]
fn what_waits_in_a_scope_is_not_copied() {
    const WAITING: usize = 6;
    for bytes in [16 << 10, 1 << 20] {
        let came = Barrier::new(2);
        let launch = Launch::new(2).window_messages(1).heap_bytes(0).eager_bytes(32 << 10);
        let kept = launch.collect(|world| {
            if world.rank() == 1 {
                for _ in 0..2 {
                    came.wait();
                    for _ in 0..=WAITING {
                        assert!(world.recv::<u8>(0, 1)?.data == vec![3; bytes]);
                    }
                    world.send(0, 2, &[1_u8])?;
                }
                return Ok([0; 2]);
            }
            let data = vec![3_u8; bytes];
            let before = live_bytes();
            for _ in 0..=WAITING {
                world.isend(1, 1, &data)?;
            }
            let copied = live_bytes() - before;
            came.wait();
            world.recv::<u8>(1, 2)?;
            let mut lent = 0;
            world.scope(|scope| {
                let before = live_bytes();
                for _ in 0..=WAITING {
                    scope.isend(1, 1, &data)?;
                }
                lent = live_bytes() - before;
                came.wait();
                world.recv::<u8>(1, 2).map(drop)
            })?;
            Ok([copied, lent])
        });
        let [copied, lent] = kept.unwrap()[0];
        assert!(copied > (WAITING * bytes / 2) as i64, "{copied} bytes of copies");
        assert!(lent < 8192, "{lent} bytes of {bytes} are kept for what is lent");
    }
}

/// One that has nothing more to do leaves, and what it has posted stays.
// SEMANTICS: END-1
#[test]
fn a_large_payload_is_received_after_its_sender_has_ended() {
    let received = Launch::new(2).collect(|world| {
        if world.rank() == 0 {
            world.isend(1, 4, &[8_u64; 40_000])?;
            return Ok(Vec::new());
        }
        let ended = world.recv::<u8>(0, 5).map(drop);
        let expected = MessageError::PeerEnded { rank: 0, failed: false };
        assert!(matches!(ended, Err(Error::Message(error)) if error == expected));
        Ok(world.recv::<u64>(0, 4)?.data)
    });
    assert_eq!(received.unwrap()[1], [8; 40_000]);
}

/// The same of one that has failed, which waits for nobody.
// SEMANTICS: END-2
#[test]
fn a_large_payload_is_received_after_its_sender_has_failed() {
    let received = Mutex::new(None);
    let outcome = Launch::new(2).collect(|world| {
        if world.rank() == 0 {
            world.isend(1, 4, &[8_u64; 40_000])?;
            return Err(Error::Busy);
        }
        let failed = world.recv::<u8>(0, 5).map(drop);
        let expected = MessageError::PeerEnded { rank: 0, failed: true };
        assert!(matches!(failed, Err(Error::Message(error)) if error == expected));
        *received.lock().unwrap() = Some(world.recv::<u64>(0, 4)?.data);
        Ok(())
    });
    assert!(outcome.is_err());
    assert_eq!(received.into_inner().unwrap().unwrap(), [8; 40_000]);
}

/// More than fits: the rest is kept by the sender, and asked for. All comes, in order.
// SEMANTICS: FLOW-4
#[test]
fn large_payloads_beyond_the_heap_are_asked_for() {
    for heap_bytes in [0, 1 << 20, 64 << 20] {
        let launch = Launch::new(2).heap_bytes(heap_bytes);
        let received = launch.collect(|world| {
            if world.rank() == 0 {
                for number in 0..40_u32 {
                    world.isend(1, 4, &vec![number; 20_000 + number as usize * 1000])?;
                }
                return Ok(0);
            }
            for number in 0..40_u32 {
                let payload = world.recv::<u32>(0, 4)?.data;
                assert_eq!(payload, vec![number; 20_000 + number as usize * 1000]);
            }
            Ok(40)
        });
        assert_eq!(received.unwrap(), [0, 40], "{heap_bytes} bytes");
    }
}
