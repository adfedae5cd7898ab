//! A rank sleeps for what a member never deposits, since that one has left the call out and deposits for the next.
//!
//! Keeps rules COL-4 and COL-9 of SEMANTICS.md.

use super::several::waits_for_several;
use super::*;

const NEXT: u64 = INDEX + 1;

impl Memory {
    /// Of ranks that deposit for the call `INDEX` and the next.
    fn of_two_calls(size: usize, tag: u64, fault: Fault) -> Memory {
        let mut memory = Memory::new(size, tag, fault);
        for rank in 1..size {
            for word in [layout(size).index(0, rank, NEXT), layout(size).stamp(0, rank, NEXT)] {
                memory.words.push((word, AtomicU64::new(0)));
            }
        }
        memory
    }
}

fn deposits_for_the_next(member: &mut Member) {
    member.deposits_for(NEXT);
}

fn deposits_for_both(member: &mut Member) {
    [INDEX, NEXT].into_iter().for_each(|index| member.deposits_for(index));
}

fn late(fault: Fault, bound: usize, programs: &'static [fn(&mut Member)]) {
    explore_in(Memory::of_two_calls, fault, bound, programs);
}

// SEMANTICS: COL-4, COL-9
#[test]
fn deposits_for_the_next_call_wake_whoever_waits_for_one_that_never_comes() {
    late(Fault::None, 3, &[only_waits, deposits_for_the_next]);
    late(Fault::None, 2, &[only_waits, deposits_for_the_next, deposits_for_both]);
}

// SEMANTICS: COL-4, COL-8, COL-9
#[test]
fn deposits_for_the_next_call_wake_whoever_waits_for_several_requests() {
    late(Fault::None, 3, &[waits_for_several, deposits_for_the_next]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_for_the_next_call_that_are_noted_late_are_noticed() {
    late(Fault::LooksLate, 3, &[only_waits, deposits_for_the_next]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_for_the_next_call_without_a_fence_are_noticed() {
    late(Fault::NoFence, 3, &[only_waits, deposits_for_the_next]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_for_the_next_call_after_the_look_are_noticed() {
    late(Fault::LooksFirst, 3, &[only_waits, deposits_for_the_next]);
}

#[test]
#[should_panic(expected = "sleeps for ever")]
fn deposits_for_the_next_call_with_late_wants_are_noticed() {
    late(Fault::WantsLate, 3, &[only_waits, deposits_for_the_next]);
}
