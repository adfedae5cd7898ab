//! The one place where threads, atomics, time and the operating system are named.
