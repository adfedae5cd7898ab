//! The handle of a job: what a launcher tells a rank process by one environment variable.
//!
//! `VERSION:LAUNCH:RANK:SIZE:DOOR:LAUNCHER`, all of them decimal numbers. Where a program has
//! started its own ranks, it counts in the process that the launcher has started and in no other:
//! processes further down inherit the variable, and take no notice of it. Where a command has
//! started them, it counts in the first process that comes to a launch, there or below.

use crate::order::Rank;

/// The environment variable with the handle of a job. Launchers set it; users need not, and should
/// not.
pub const JOB_VARIABLE: &str = "RUNAHEAD_JOB";

/// The version of the protocol between launcher and rank. Both come from the same library, or do
/// not talk.
const VERSION: u32 = 2;

/// The content of the variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobHandle {
    /// For which launch of the program the process was started, from 1; or 0 for the first, in a
    /// job that was started by a command: there rank 0 goes on after it.
    pub(super) launch: u64,
    pub(super) rank: Rank,
    pub(super) size: usize,
    /// The number under which the process inherits the door to the launcher.
    pub(super) door: i32,
    /// The process that started it.
    pub(super) launcher: u32,
}

impl JobHandle {
    /// Reads the variable; None if it holds no handle.
    pub(super) fn read(text: &str) -> Option<JobHandle> {
        let fields: Vec<&str> = text.split(':').collect();
        let [version, launch, rank, size, door, launcher] = fields[..] else { return None };
        if number::<u32>(version)? != VERSION {
            return None;
        }
        let (launch, rank, size) = (number(launch)?, number(rank)?, number(size)?);
        let (door, launcher) = (number(door)?, number(launcher)?);
        (rank < size).then_some(JobHandle { launch, rank, size, door, launcher })
    }

    /// The text of the variable.
    pub(super) fn text(&self) -> String {
        let JobHandle { launch, rank, size, door, launcher } = self;
        format!("{VERSION}:{launch}:{rank}:{size}:{door}:{launcher}")
    }
}

/// A number in digits alone.
fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_handle_parses_from_its_text() {
        let handle = JobHandle { launch: 2, rank: 63, size: 64, door: 100, launcher: 4_000_000 };
        assert_eq!(handle.text(), "2:2:63:64:100:4000000");
        assert_eq!(JobHandle::read(&handle.text()), Some(handle));
        let handle = JobHandle { launch: 0, ..handle };
        assert_eq!(handle.text(), "2:0:63:64:100:4000000");
        assert_eq!(JobHandle::read(&handle.text()), Some(handle));
    }

    #[test]
    fn a_malformed_job_handle_is_refused() {
        for wrong in [
            "",
            "2",
            "yes",
            "1:1:0:2:3:100",
            "2:1:2:2:3:100",
            "2:1:0:0:3:100",
            "2:1:0:2:3,4:100",
            "2:1:0:2::100",
            "2:1:0:2:3",
            "2:1:0:2:3:100:",
            "2:1:0:2:-3:100",
            "2:1:+0:2:3:100",
            "2:1:0:2:99999999999:100",
            "2:1:0:2: 3:100",
            "2:99999999999999999999:0:2:3:100",
        ] {
            assert_eq!(JobHandle::read(wrong), None, "{wrong:?}");
        }
    }
}
