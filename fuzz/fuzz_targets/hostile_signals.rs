//! Any signals from anybody, between any barriers: handled or refused, never a panic. Never is one taken
//! that no member could have sent, for an epoch that nobody can have reached, and never does a barrier
//! complete without this rank having entered it.
//!
//! SEMANTICS: SAFE-1
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use runahead::Algorithm;
use runahead::internals::order::{GroupId, Order, Ordering, Signal, SignalKind};

#[derive(Arbitrary, Debug)]
enum Operation {
    Barrier {
        group: u8,
    },
    Signal {
        from: u8,
        ask: bool,
        group: u32,
        step: u16,
        epoch: u64,
        clock: u64,
    },
    /// As `Signal`, with values that are likely to be taken.
    Likely {
        from: u8,
        ask: bool,
        group: u8,
        step: u8,
        ahead: u8,
        clock: u8,
    },
    Flush {
        taken: bool,
    },
    Ask,
    Drop {
        group: u8,
    },
}

#[derive(Arbitrary, Debug)]
struct Input {
    rank: u8,
    algorithm: u8,
    first: u64,
    operations: Vec<Operation>,
}

const SIZE: usize = 4;
const OPEN_LIMIT: usize = 4;

/// What is taken could have been sent.
fn handle(order: &mut Order, from: u8, signal: Signal) {
    let from = usize::from(from) % SIZE;
    let before = order.progress_of(signal.group);
    let taken = order.handle_signal(from, signal).is_ok();
    let Some((entered, ..)) = before.filter(|_| taken) else { return };
    assert!(order.is_member(signal.group, from) != Some(false), "rank {from} is no member");
    if signal.kind == SignalKind::Reached {
        let limit = entered.saturating_add(OPEN_LIMIT as u64);
        assert!((1..=limit).contains(&signal.epoch), "epoch {} of {limit}", signal.epoch);
    }
}

fuzz_target!(|input: Input| {
    let rank = usize::from(input.rank) % SIZE;
    let algorithm = Algorithm::ALL[usize::from(input.algorithm) % Algorithm::ALL.len()];
    let mut order = Order::new(rank, SIZE, Ordering::Contained, OPEN_LIMIT);
    let pair = [rank, (rank + 1) % SIZE];
    order.add_group(GroupId(0), &[0, 1, 2, 3], algorithm, 0).unwrap();
    order.add_group(GroupId(1), &pair, algorithm, input.first).unwrap();
    for operation in input.operations.iter().take(1000) {
        match *operation {
            Operation::Barrier { group } => {
                let _ = order.handle_initiate(GroupId(u32::from(group) % 3));
                let _ = order.poll_fault();
            }
            Operation::Signal { from, ask, group, step, epoch, clock } => {
                let kind = if ask { SignalKind::Ask } else { SignalKind::Reached };
                let signal = Signal { kind, group: GroupId(group), step, epoch, clock };
                handle(&mut order, from, signal);
            }
            Operation::Likely { from, ask, group, step, ahead, clock } => {
                let kind = if ask { SignalKind::Ask } else { SignalKind::Reached };
                let group = GroupId(u32::from(group % 3));
                let (entered, ..) = order.progress_of(group).unwrap_or_default();
                let epoch = entered.saturating_add(u64::from(ahead % 5));
                let (step, clock) = (u16::from(step % 4), u64::from(clock % 8));
                let signal = Signal { kind, group, step, epoch, clock };
                handle(&mut order, from, signal);
            }
            Operation::Flush { taken } => order.poll_signals(|_, _| taken),
            Operation::Ask => order.poll_asks(0, |_, _| {}),
            Operation::Drop { group } => order.handle_drop(GroupId(u32::from(group) % 3)),
        }
        for group in 0..2 {
            if let Some((entered, complete, initiated)) = order.progress_of(GroupId(group)) {
                assert!(complete <= entered && entered <= initiated);
            }
        }
        for peer in 0..SIZE {
            assert!(order.recv_clock(peer) <= order.send_clock(peer));
        }
    }
});
