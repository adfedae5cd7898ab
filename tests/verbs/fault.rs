//! What the fault middleware does to messages, over the threads provider.

use runahead::internals::provider::fault::{Fault, FaultPlan};
use runahead::internals::provider::threads::ThreadsNic;
use runahead::internals::verbs::{Cq, Nic, Reliability, Vi};

use crate::fabric::*;

/// The queue that is lossy in these tests; the other one, [`DATA`], is reliable.
const LOSSY: Cq = ACKS;

const COUNT: u64 = 2000;

fn ranks_with<const N: usize>(plan: &FaultPlan) -> [Fault<ThreadsNic>; N] {
    let plan = FaultPlan { seed: 42, lossy: vec![LOSSY], ..plan.clone() };
    ranks(&FaultyThreads::planning(plan), 8)
}

/// Sends `COUNT` numbers from rank 1 to rank 0 on `cq`, in windows of 8, and returns those that
/// arrive, in their order.
fn numbers(nics: &mut [Fault<ThreadsNic>; 2], cq: Cq) -> Vec<u64> {
    let [here, there] = nics;
    let mut arrived = Vec::new();
    for number in 0..COUNT {
        there.post_send(Vi { peer: 0, cq }, &number.to_le_bytes(), &[]).unwrap();
        if number % 8 == 7 {
            // More polls than any delay lasts, and than there are descriptors and copies.
            for _ in 0..64 {
                if let Some(completion) = here.poll_recv(cq).unwrap() {
                    let bytes = here.bytes(&completion.frame).first_chunk().copied().unwrap();
                    arrived.push(u64::from_le_bytes(bytes));
                    here.post_recv(Vi { peer: 1, cq }, completion.frame);
                }
            }
        }
    }
    arrived
}

fn in_order() -> Vec<u64> {
    (0..COUNT).collect()
}

#[test]
fn a_lossy_queue_loses_messages_and_counts_them() {
    let mut nics = ranks_with(&FaultPlan { drop_per_mille: 100, ..FaultPlan::default() });
    let arrived = numbers(&mut nics, LOSSY);
    let dropped = nics[0].counts().dropped;
    assert!((100..300).contains(&dropped), "about a tenth is lost: {dropped}");
    assert_eq!(arrived.len() as u64 + dropped, COUNT);
    assert!(arrived.is_sorted_by(|a, b| a < b), "without delays what arrives is in order");
}

#[test]
fn a_lossy_queue_repeats_messages_and_counts_them() {
    let mut nics = ranks_with(&FaultPlan { duplicate_per_mille: 100, ..FaultPlan::default() });
    let mut arrived = numbers(&mut nics, LOSSY);
    let duplicated = nics[0].counts().duplicated;
    assert!((100..300).contains(&duplicated), "about a tenth comes twice: {duplicated}");
    assert_eq!(arrived.len() as u64, COUNT + duplicated);
    arrived.dedup();
    assert_eq!(arrived, in_order());
}

#[test]
fn a_lossy_queue_with_delays_reorders() {
    let mut nics = ranks_with(&FaultPlan { max_delay_ticks: 9, ..FaultPlan::default() });
    let mut arrived = numbers(&mut nics, LOSSY);
    assert!(!arrived.is_sorted());
    arrived.sort();
    assert_eq!(arrived, in_order());
    assert!(nics[0].counts().delayed > COUNT / 2);
}

#[test]
fn a_reliable_queue_only_comes_late() {
    let plan = FaultPlan {
        drop_per_mille: 500,
        duplicate_per_mille: 500,
        max_delay_ticks: 9,
        ..FaultPlan::default()
    };
    let mut nics = ranks_with(&plan);
    assert_eq!(numbers(&mut nics, DATA), in_order());
    let counts = nics[0].counts();
    assert_eq!((counts.dropped, counts.duplicated), (0, 0));
    assert!(counts.delayed > COUNT / 2);
}

#[test]
fn with_delays_messages_of_different_peers_overtake_one_another() {
    let plan = FaultPlan { max_delay_ticks: 9, ..FaultPlan::default() };
    let mut overtaken = 0;
    let [mut here, mut first, mut second] = ranks_with(&plan);
    for _ in 0..100 {
        first.post_send(to(0), &[], &[]).unwrap();
        second.post_send(to(0), &[], &[]).unwrap();
        overtaken += u64::from(receive(&mut here).0 == 2);
        receive(&mut here);
    }
    assert!((10..90).contains(&overtaken), "{overtaken} of 100");
}

#[test]
fn the_same_seed_makes_the_same_faults() {
    let plan = FaultPlan {
        drop_per_mille: 100,
        duplicate_per_mille: 100,
        max_delay_ticks: 9,
        ..FaultPlan::default()
    };
    let run = || {
        let mut nics = ranks_with(&plan);
        (numbers(&mut nics, LOSSY), nics[0].counts())
    };
    assert_eq!(run(), run());
}

#[test]
fn a_message_that_meets_no_descriptor_is_lost_on_a_lossy_queue() {
    let [mut here, mut there] = ranks_with(&FaultPlan::default());
    for number in 0..11 {
        there.post_send(Vi { peer: 0, cq: LOSSY }, &[number], &[]).unwrap();
    }
    assert_eq!(there.counts().dropped, 3);
    for number in 0..8 {
        let arrived = next(&mut here, LOSSY);
        assert_eq!(here.bytes(&arrived.frame), [number]);
    }
    assert!(here.poll_recv(LOSSY).unwrap().is_none());
}

#[test]
fn it_states_what_it_spoils() {
    let opened = |max_delay_ticks| {
        let plan = FaultPlan { lossy: vec![LOSSY], max_delay_ticks, ..FaultPlan::default() };
        let mut nics = FaultyThreads::planning(plan).connect(2, &[reliable(1); 2]);
        let vis =
            [DATA, LOSSY].map(|cq| nics[0].open_vi(Vi { peer: 1, cq }, &reliable(1)).unwrap());
        (nics[0].attributes().causal, vis)
    };
    use Reliability::{ReliableDelivery, ReliableReception, Unreliable};
    assert_eq!(opened(0), (true, [ReliableReception, Unreliable]));
    assert_eq!(opened(1), (false, [ReliableDelivery, Unreliable]));
}

#[test]
fn it_does_not_sleep_on_what_it_keeps_back() {
    let plan = FaultPlan { max_delay_ticks: 50, ..FaultPlan::default() };
    let [mut here, mut there] = ranks_with(&plan);
    let mut waits = 0;
    for _ in 0..20 {
        there.post_send(to(0), &[], &[]).unwrap();
        // A poll takes it in; nobody will ring again, so a wait that slept would not return.
        let completion = loop {
            match here.poll_recv(DATA).unwrap() {
                Some(completion) => break completion,
                None => here.wait(None),
            }
            waits += 1;
        };
        here.post_recv(to(1), completion.frame);
    }
    assert!(waits > 20, "it was kept back, and waited for");
}
