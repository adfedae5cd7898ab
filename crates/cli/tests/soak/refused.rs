//! A rank that the system lets read no other's memory any more, from some moment on.

use std::io;

/// From now on the system refuses this thread to read the memory of processes, as it does where it was told to (`ptrace(2)`).
///
/// # Errors
///
/// If the system cannot be told so.
pub fn refuse_reads() -> io::Result<()> {
    let statement = |code, k| libc::sock_filter { code, jt: 0, jf: 0, k };
    let load_number = statement((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, 0);
    let is_read = libc::sock_filter {
        code: (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
        jt: 0,
        jf: 1,
        k: libc::SYS_process_vm_readv as u32,
    };
    let returns = |what| statement((libc::BPF_RET | libc::BPF_K) as u16, what);
    let refusal = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    let mut program = [load_number, is_read, returns(refusal), returns(libc::SECCOMP_RET_ALLOW)];
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: numbers alone.
    let may_filter = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    // SAFETY: the system copies the program, which lives until then.
    let filters = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &filter) };
    if may_filter == 0 && filters == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A test of the soak: what the system refuses then.
pub fn reads_are_refused() {
    let refused = std::thread::spawn(|| {
        let (word, mut read) = (7u64, 0u64);
        let into = libc::iovec { iov_base: (&raw mut read).cast(), iov_len: 8 };
        let from = libc::iovec { iov_base: (&raw const word).cast_mut().cast(), iov_len: 8 };
        // SAFETY: of this process; `read` lives, and has so many bytes.
        let reads =
            || unsafe { libc::process_vm_readv(std::process::id() as i32, &into, 1, &from, 1, 0) };
        assert_eq!(reads(), 8);
        refuse_reads().expect("the system has filters");
        (reads(), io::Error::last_os_error().kind())
    });
    assert_eq!(refused.join().expect("no panic"), (-1, io::ErrorKind::PermissionDenied));
}
