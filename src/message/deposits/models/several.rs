//! A rank waits for several requests, and sleeps for any deposit of any.
//!
//! Keeps rules COL-8 and COL-9 of SEMANTICS.md.

use super::*;

/// Waits for any of two requests, which need what rank 1 and rank 2 deposit for the call; ends when both have.
pub(super) fn waits_for_several(member: &mut Member) {
    let job = Arc::clone(&member.job);
    let Job { memory, bells } = &*job;
    let (own, deposits) = (member.rank, &mut member.deposits);
    let parts = member.job.others_of(own).iter().map(|other| (0, (other, INDEX)));
    deposits.begin_wait_for_several(parts.collect::<Vec<_>>().into_iter());
    let judges = |deposits: &Deposits| {
        let is_there = |other| deposits.stamp(memory, 0, (other, INDEX)).is_some();
        job.others_of(own).iter().all(is_there)
    };
    let is_done = match memory.fault {
        Fault::LooksLate => {
            let is_done = judges(deposits);
            deposits.look_at_several(memory);
            is_done
        }
        _ => {
            deposits.look_at_several(memory);
            judges(deposits)
        }
    };
    if is_done || member.learns_that_one_never_comes(job.others_of(own)) {
        return;
    }
    let deposits = &mut member.deposits;
    let (want, _) = deposits.want(memory, |_| false, |_, _| false);
    deposits.tell_want(memory, want);
    bells[own].sleep(|| deposits.has_wanted(|word| memory.load(word), want));
}

// SEMANTICS: COL-8, COL-9
#[test]
fn deposits_wake_whoever_waits_for_several_requests() {
    explore(Fault::None, 3, &[waits_for_several, only_deposits]);
    explore(Fault::None, 2, &[waits_for_several, only_deposits, only_deposits]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_for_several_requests_that_are_looked_at_late_are_noticed() {
    explore(Fault::LooksLate, 3, &[waits_for_several, only_deposits]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_for_several_requests_without_a_fence_are_noticed() {
    explore(Fault::NoFence, 3, &[waits_for_several, only_deposits]);
}
