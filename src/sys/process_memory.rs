//! Reads the memory of another process of this host, where the system allows it. (Linux.)
//!
//! The system copies, and checks: what the process has not mapped, or may not be read, is not copied.
//! Whatever the process does to that memory meanwhile, the copy has some bytes, and nothing of this
//! process but `room` is written.

use std::io;

/// Copies what lies at `address` in the memory of `process` into `room`. False if it could not all be
/// read: then `room` may have a part of it.
///
/// Between processes of one user the system allows it, unless it was told otherwise (`ptrace(2)`, *ptrace
/// access mode checking*; Yama's `ptrace_scope`).
pub(crate) fn read_process(process: u32, address: u64, room: &mut [u8]) -> bool {
    try_read_process(process, address, room).is_ok()
}

/// As [`read_process`], and in the same call the word that lies at `word_address`, which is read last.
///
/// # Errors
///
/// What the system says if not all of it could be read; [`PermissionDenied`](io::ErrorKind::PermissionDenied) if
/// it refuses.
pub(crate) fn read_process_and_word(
    process: u32,
    (address, room): (u64, &mut [u8]),
    word_address: u64,
) -> io::Result<u64> {
    let impossible = |_| io::Error::from(io::ErrorKind::InvalidInput);
    let pid = libc::pid_t::try_from(process).map_err(impossible)?;
    let from = usize::try_from(address).map_err(impossible)?;
    let word_from = usize::try_from(word_address).map_err(impossible)?;
    let mut word = [0; size_of::<u64>()];
    let len = room.len();
    let into = [
        libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: len },
        libc::iovec { iov_base: word.as_mut_ptr().cast(), iov_len: word.len() },
    ];
    // Addresses of the other process, which nothing here follows.
    let there = [
        libc::iovec { iov_base: std::ptr::without_provenance_mut(from), iov_len: len },
        libc::iovec { iov_base: std::ptr::without_provenance_mut(word_from), iov_len: word.len() },
    ];
    // SAFETY: `room` and `word` are borrowed mutably and so long; the system writes nothing else. It checks
    // what the other process has.
    let read = unsafe { libc::process_vm_readv(pid, into.as_ptr(), 2, there.as_ptr(), 2, 0) };
    let read = usize::try_from(read).map_err(|_| io::Error::last_os_error())?;
    // A long read may end early. What was read of it lies below the end of memory.
    if read < len {
        try_read_process(process, address + read as u64, &mut room[read..])?;
    }
    if read < len + word.len() {
        try_read_process(process, word_address, &mut word)?;
    }
    Ok(u64::from_ne_bytes(word))
}

/// As [`read_process`], with what the system says.
pub(crate) fn try_read_process(process: u32, address: u64, room: &mut [u8]) -> io::Result<()> {
    let (Ok(process), Ok(address)) = (libc::pid_t::try_from(process), usize::try_from(address))
    else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut done = 0;
    while done < room.len() {
        let rest = &mut room[done..];
        let Some(from) = address.checked_add(done) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let into = libc::iovec { iov_base: rest.as_mut_ptr().cast(), iov_len: rest.len() };
        // An address of the other process, which nothing here follows.
        let from =
            libc::iovec { iov_base: std::ptr::without_provenance_mut(from), iov_len: rest.len() };
        // SAFETY: `into` is borrowed mutably and so long; the system writes nothing else. `from` is
        // a place of the other process, which the system checks.
        let read = unsafe { libc::process_vm_readv(process, &into, 1, &from, 1, 0) };
        match usize::try_from(read) {
            Ok(read @ 1..) => done += read,
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(_) => return Err(io::Error::last_os_error()),
        }
    }
    Ok(())
}

/// What Yama allows, as its file says; None if the system has no Yama.
pub(crate) fn ptrace_scope() -> Option<String> {
    let text = std::fs::read_to_string(PTRACE_SCOPE).ok()?;
    Some(text.trim().to_owned())
}

/// Where the system says it.
pub(crate) const PTRACE_SCOPE: &str = "/proc/sys/kernel/yama/ptrace_scope";

#[cfg(all(test, not(loom), not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn a_process_reads_its_own_memory_and_nothing_that_is_not_mapped() {
        let there: Vec<u8> = (0..100_000_u32).map(|at| (at % 251) as u8).collect();
        let mut room = vec![0; 99_990];
        let (own, address) = (std::process::id(), there.as_ptr().addr() as u64);
        assert!(read_process(own, address + 10, &mut room));
        assert_eq!(room, there[10..]);
        assert!(read_process(own, 0, &mut []), "nothing is read nowhere");
        let word = 0x1234_5678_9abc_def0_u64;
        let word_address = std::ptr::from_ref(&word).addr() as u64;
        room.fill(0);
        let read = read_process_and_word(own, (address + 5, &mut room), word_address);
        assert_eq!((read.ok(), &room[..]), (Some(word), &there[5..99_995]));
        let nothing = read_process_and_word(own, (address, &mut []), word_address);
        assert_eq!(nothing.ok(), Some(word));
        for (address, word_address) in [(8, word_address), (address, 8), (u64::MAX, word_address)] {
            let error = read_process_and_word(own, (address, &mut room), word_address).unwrap_err();
            assert_ne!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
        }
        for (process, address) in [(own, 8), (own, u64::MAX), (u32::MAX, address), (0, address)] {
            assert!(!read_process(process, address, &mut room), "{process}, {address}");
        }
    }
}
