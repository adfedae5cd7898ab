//! Faults in jobs over RDMA whose ranks read large payloads from each other all the time. A rank is
//! killed, its cable is pulled and plugged in again, or its memory may not be locked.
//!
//! They are ignored unless asked for, as those of `rdma`, whose job and network they use.

use std::process::Command;

use super::harness::{Test, part};
use super::rdma::{
    Job, RANK, alone, comes_back, kib_needed, killed, over_rdma, port_comes_back, stays_down,
    with_memlock,
};

pub const TESTS: &[Test] = tests![
    "payloads::": [
        a_killed_rank_is_named,
        a_link_comes_back,
        a_port_comes_back,
        a_link_stays_down,
        payloads_that_cannot_be_registered_come_in_segments,
    ],
];

/// The length of a payload. It is read in several pieces, one after the other.
const PAYLOAD_BYTES: usize = 1 << 20;

fn rounds(command: &mut Command) -> Job {
    Job::start_by_command(over_rdma(command).args([PAYLOAD_BYTES.to_string()]))
}

fn start() -> Job {
    rounds(&mut part("rounds 4"))
}

/// The killed rank has exposed a payload and reads another. Its readers learn of its loss, and the
/// rank that it reads from may reuse its memory. Repeated, since the kill comes at a different
/// moment. SEMANTICS: END-2, FLOW-4
fn a_killed_rank_is_named() {
    let _alone = alone();
    (0..3).for_each(|_| killed(start(), RANK));
}

/// The device repeats a read that was not answered.
/// SEMANTICS: FLOW-4
fn a_link_comes_back() {
    let _alone = alone();
    comes_back(start());
}

/// SEMANTICS: FLOW-4
fn a_port_comes_back() {
    let _alone = alone();
    port_comes_back(start());
}

/// SEMANTICS: END-2, FLOW-4
fn a_link_stays_down() {
    let _alone = alone();
    stays_down(start());
}

/// If no more memory may be locked, no payload is exposed or read. If one payload more may be, some
/// are. If enough may be locked, all are. Every other payload comes in segments.
/// SEMANTICS: FLOW-4
fn payloads_that_cannot_be_registered_come_in_segments() {
    let _alone = alone();
    let needed = kib_needed();
    let payload_kib = PAYLOAD_BYTES / 1024;
    for more_kib in [0, payload_kib + payload_kib / 4, 10 * payload_kib] {
        let mut job = rounds(with_memlock(needed + more_kib).args(["rounds", "4"]));
        job.goes_on();
        let ranks = job.end();
        println!("{more_kib} KiB more: {ranks:?}");
        for [exposed, read, rounds] in ranks {
            let is_expected = match more_kib {
                0 => exposed + read == 0,
                // A buffer that was registered once is kept.
                more if more < 2 * payload_kib => (1..=rounds + 1).contains(&(exposed + read)),
                _ => (exposed, read) == (rounds, rounds),
            };
            assert!(is_expected, "{more_kib} KiB more: {ranks:?}");
        }
    }
}
