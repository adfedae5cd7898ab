//! What a rank process is told by its starter, in one variable of its environment.
//!
//! `VERSION:LAUNCH:RANK:SIZE:FDS:STARTER`, all of them decimal numbers. Where a program has
//! started its own ranks, it counts in the process that the starter has started and in no other:
//! processes further down inherit the variable, and take no notice of it. Where a command has started
//! them, it counts in the first process that comes to a launch, there or below.

use crate::order::Rank;

/// The variable of the environment by which a process is told that it is a rank. Users need not, and
/// should not, set it.
pub const JOB_VARIABLE: &str = "RUNAHEAD_JOB";

/// The version of what starter and rank say to each other; they come from the same library or do not
/// talk.
const VERSION: u32 = 1;

/// What the variable says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    /// For which launch of the program the process was started, from 1; or 0 for the first, in a job
    /// that was started by a command: there rank 0 goes on after it.
    pub(super) launch: u64,
    pub(super) rank: Rank,
    pub(super) size: usize,
    pub(super) fds: Fds,
    /// The process that started it.
    pub(super) starter: u32,
}

/// The numbers of what the process inherits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fds {
    pub(super) segment: i32,
    pub(super) ledger: i32,
    pub(super) bell: i32,
    /// What earlier launches returned, and the standard output: where a program started itself.
    pub(super) own: Option<Own>,
}

/// What only the ranks inherit that a program starts from itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Own {
    pub(super) history: i32,
    pub(super) stdout: i32,
}

impl Ticket {
    /// Reads the variable; None if it does not say what it must.
    pub(super) fn read(text: &str) -> Option<Ticket> {
        let fields: Vec<&str> = text.split(':').collect();
        let [version, launch, rank, size, fds, starter] = fields[..] else { return None };
        if number::<u32>(version)? != VERSION {
            return None;
        }
        let fds = fds.split(',').map(number).collect::<Option<Vec<i32>>>()?;
        let (launch, rank, size) = (number(launch)?, number(rank)?, number(size)?);
        let own = match fds[..] {
            [_, _, _] => None,
            [_, _, _, history, stdout] => Some(Own { history, stdout }),
            _ => return None,
        };
        if rank >= size || (launch == 0) != own.is_none() {
            return None;
        }
        let fds = Fds { segment: fds[0], ledger: fds[1], bell: fds[2], own };
        Some(Ticket { launch, rank, size, fds, starter: number(starter)? })
    }

    /// What the variable is set to.
    pub(super) fn text(&self) -> String {
        let Ticket { launch, rank, size, fds, starter } = self;
        let Fds { segment, ledger, bell, own } = fds;
        let own = own.map_or(String::new(), |own| format!(",{},{}", own.history, own.stdout));
        format!("{VERSION}:{launch}:{rank}:{size}:{segment},{ledger},{bell}{own}:{starter}")
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
    fn what_is_written_is_read() {
        let own = Some(Own { history: 9, stdout: 6 });
        let fds = Fds { segment: 3, ledger: 4, bell: 5, own };
        let ticket = Ticket { launch: 2, rank: 63, size: 64, fds, starter: 4_000_000 };
        assert_eq!(ticket.text(), "1:2:63:64:3,4,5,9,6:4000000");
        assert_eq!(Ticket::read(&ticket.text()), Some(ticket));
        let ticket = Ticket { launch: 0, fds: Fds { own: None, ..fds }, ..ticket };
        assert_eq!(ticket.text(), "1:0:63:64:3,4,5:4000000");
        assert_eq!(Ticket::read(&ticket.text()), Some(ticket));
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [
            "",
            "1",
            "yes",
            "2:1:0:2:3,4,5,6,7:100",
            "1:1:2:2:3,4,5,6,7:100",
            "1:1:0:0:3,4,5,6,7:100",
            "1:1:0:2:3,4,5:100",
            "1:0:0:2:3,4,5,6,7:100",
            "1:1:0:2:3,4,5,6:100",
            "1:1:0:2::100",
            "1:1:0:2:3,4,5,6,7",
            "1:1:0:2:3,4,5,6,7:100:",
            "1:1:0:2:3,4,5,6,-7:100",
            "1:1:+0:2:3,4,5,6,7:100",
            "1:1:0:2:3,4,5,6,99999999999:100",
            "1:1:0:2: 3,4,5,6,7:100",
            "1:99999999999999999999:0:2:3,4,5,6,7:100",
        ] {
            assert_eq!(Ticket::read(wrong), None, "{wrong:?}");
        }
    }
}
