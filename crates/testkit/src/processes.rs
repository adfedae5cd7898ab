//! What the system says of other processes. (Linux.)

use std::fs;

/// The state of a process, as one letter; None if it has gone.
pub fn state(pid: u32) -> Option<char> {
    fields(pid)?.chars().next()
}

/// What `/proc/PID/stat` has behind the name of the process, from its state on; None if it has gone.
pub fn fields(pid: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may have brackets and spaces of its own.
    Some(stat.rsplit_once(") ")?.1.to_owned())
}
