//! Jobs over RDMA whose ranks read large payloads at each other all the time, and to which something happens in the
//! middle of that: a rank's process is killed, its cable is pulled out and put back, its memory may not be locked.
//!
//! They are left out as those of `rdma` are, whose job and network they use.

use std::process::Command;

use super::harness::{Test, part};
use super::rdma::{
    Job, alone, comes_back, kib_needed, killed, over_rdma, port_comes_back, stays_down,
    with_memlock,
};

pub const TESTS: &[Test] = &[
    ("payloads::a_killed_rank_is_named", a_killed_rank_is_named),
    ("payloads::a_link_comes_back", a_link_comes_back),
    ("payloads::a_port_comes_back", a_port_comes_back),
    ("payloads::a_link_stays_down", a_link_stays_down),
    ("payloads::what_may_not_be_registered_comes_in_segments", in_segments),
];

/// Of several pieces: while one is read the next are not asked for.
const PAYLOAD_BYTES: usize = 1 << 20;

fn rounds(command: &mut Command) -> Job {
    Job::start_by_command(over_rdma(command).args([PAYLOAD_BYTES.to_string()]))
}

fn start() -> Job {
    rounds(&mut part("rounds 4"))
}

/// With what it has lent, and with what it reads: whoever reads there is told, and whoever has lent to it may use
/// its memory again. More than once, since it dies at another moment each time.
/// SEMANTICS: END-2, FLOW-4
fn a_killed_rank_is_named() {
    let _alone = alone();
    (0..3).for_each(|_| killed(start()));
}

/// A read is asked for again by its device.
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

/// Where no more may be locked nothing is lent, and nothing read; where only one payload more may be, now this and now
/// that; and where all may be, all. Whatever is not read comes in segments.
/// SEMANTICS: FLOW-4
fn in_segments() {
    let _alone = alone();
    let needed = kib_needed();
    let payload_kib = PAYLOAD_BYTES / 1024;
    for more_kib in [0, payload_kib + payload_kib / 4, 10 * payload_kib] {
        let mut job = rounds(with_memlock(needed + more_kib).args(["rounds", "4"]));
        job.goes_on();
        let ranks = job.end();
        println!("{more_kib} KiB more: {ranks:?}");
        for [lent, read, rounds] in ranks {
            let is_expected = match more_kib {
                0 => lent + read == 0,
                // A room that was registered once is kept.
                more if more < 2 * payload_kib => (1..=rounds + 1).contains(&(lent + read)),
                _ => (lent, read) == (rounds, rounds),
            };
            assert!(is_expected, "{more_kib} KiB more: {ranks:?}");
        }
    }
}
