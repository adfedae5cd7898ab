//! Collectives in which everybody sends to everybody, with room for one message: they end in every
//! schedule, since a rank goes on receiving while it cannot send.

use runahead::{CollectiveError, Comm, Error, Exchange, Message, MessageError, Result};

use super::wired::{Fault, Wired, run, tight};

/// More than one message for each.
const COUNT: usize = 9;

fn own(comm: &Comm<Wired>) -> Vec<u32> {
    vec![comm.rank() as u32; COUNT]
}

/// What each rank is to have: one part of each.
fn expected(size: usize) -> Vec<u32> {
    (0..size as u32).flat_map(|rank| [rank; COUNT]).collect()
}

/// Runs `call` in several schedules; returns in how many somebody waited for ever.
fn stuck(call: &(dyn Fn(&Comm<Wired>) -> Result<Vec<u32>> + Sync)) -> usize {
    let mut stuck = 0;
    for size in 2..=4 {
        for seed in 0..12 {
            let config = runahead::Config { eager_bytes: 160, ..tight(size) };
            let outcome = run(
                &config,
                size,
                seed,
                |_| Fault::None,
                |comm, _| {
                    comm.barrier().unwrap();
                    let data = call(&comm).unwrap();
                    assert_eq!(data, expected(comm.size()));
                    comm.end(false).unwrap();
                },
            );
            stuck += usize::from(outcome.stuck);
        }
    }
    stuck
}

// SEMANTICS: COL-5, COL-7
#[test]
fn exchanges_end_with_any_window() {
    let all = |own: &Vec<u32>, size| vec![own.clone(); size].concat();
    assert_eq!(stuck(&|comm| Ok(comm.all_gather(&own(comm))?.into_data())), 0);
    assert_eq!(stuck(&|comm| comm.all_to_all(&all(&own(comm), comm.size()))), 0);
    for how in Exchange::ALL {
        let exchange = |comm: &Comm<Wired>| {
            let (own, size) = (own(comm), comm.size());
            let mut parts = vec![Vec::new(); size];
            let outgoing = vec![own.as_slice(); size];
            // Twice, so that ranks run ahead into the second.
            comm.exchange(&outgoing, how, |_, _| {})?;
            comm.exchange(&outgoing, how, |from, piece| parts[from].extend_from_slice(piece))?;
            Ok(parts.concat())
        };
        assert_eq!(stuck(&exchange), 0);
    }
}

/// Who first sends all that it has, and then receives, waits for others that do the same.
// SEMANTICS: COL-7
#[test]
fn who_sends_first_and_receives_then_is_found() {
    let first_send = |comm: &Comm<Wired>| {
        let (own, others) = (own(comm), (0..comm.size()).filter(|&rank| rank != comm.rank()));
        for to in others {
            for half in [&own[..4], &own[4..]] {
                comm.send(to, 1, half)?;
            }
        }
        let mut all = vec![Vec::new(); comm.size()];
        for (from, part) in all.iter_mut().enumerate() {
            if from == comm.rank() {
                *part = own.clone();
                continue;
            }
            for _ in 0..2 {
                let Message { data, .. } = comm.recv::<u32>(from, 1)?;
                part.extend(data);
            }
        }
        Ok(all.concat())
    };
    assert!(stuck(&first_send) > 0, "nobody waited for ever");
}

/// A rank whose words say anything: who receives them says so, or waits for what was announced until
/// that rank has ended. Nothing panics, and no room is made for what does not come.
// SEMANTICS: COL-4, SAFE-1
#[test]
fn words_that_say_anything_do_no_harm() {
    type Call<'c> = &'c (dyn Fn(&Comm<Wired>) -> Result<()> + Sync);
    let calls: [Call; 9] = [
        &|comm| comm.broadcast(1, &mut [1u32, 2]),
        &|comm| comm.reduce(0, &[1u32, 2], |a, b| a + b).map(drop),
        &|comm| comm.all_reduce(&[1u32, 2], |a, b| a + b).map(drop),
        &|comm| comm.gather(0, &[1u32, 2]).map(drop),
        &|comm| comm.all_gather(&[1u32, 2]).map(drop),
        &|comm| comm.scatter(1, &[&[1u32, 2] as &[u32], &[3]][..2 * comm.rank()]).map(drop),
        &|comm| comm.reduce_scatter(&[1u32, 2], |a, b| a + b).map(drop),
        &|comm| comm.all_to_all(&[1u32, 2]).map(drop),
        &|comm| comm.exchange_parts(&[&[1u32, 2], &[3]]).map(drop),
    ];
    // What is deposited could not be forged on the way.
    let algorithm = runahead::Algorithm::AllToAll;
    let config = runahead::Config { algorithm, eager_bytes: 160, ..tight(2) };
    for (number, call) in calls.iter().enumerate() {
        let outcome = |fault: Fault| {
            let faults = [Fault::None, fault];
            run(
                &config,
                2,
                0,
                |rank| faults[rank],
                |comm, _| {
                    let result = call(&comm);
                    let _ = comm.end(false);
                    result
                },
            )
        };
        let honest = outcome(Fault::None);
        assert!(!honest.stuck && honest.values.iter().all(Result::is_ok));
        let (tag, word) = *honest.shared.words[1].lock().unwrap();
        for at in 0..word.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut forged = word;
                forged[at] = value;
                let told = outcome(Fault::Word(tag, forged));
                assert!(!told.stuck, "call {number}, byte {at} is {value}");
                // An operator is compared only where both sides have one.
                let same = forged == word || (16..20).contains(&at);
                match &told.values[0] {
                    Ok(()) if same => {}
                    Err(Error::Collective(CollectiveError::Mismatch { from: 1, .. })) => {}
                    Err(Error::Message(MessageError::PeerEnded { rank: 1, .. })) => {}
                    other => panic!("call {number}, byte {at} is {value}: {other:?}"),
                }
                assert!(!same || told.values[0].is_ok());
            }
        }
    }
}
