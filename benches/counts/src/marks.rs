//! What is counted: the calls made through one of these functions. What is not made through one
//! (warming up, playing the other ranks) does not count.

use std::hint::black_box;

macro_rules! marks {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $(
            $(#[$doc])*
            #[inline(never)]
            pub fn $name<R>(work: impl FnOnce() -> R) -> R {
                // Else the compiler makes one function of those that do the same.
                black_box(stringify!($name));
                black_box(work())
            }
        )*

        /// The names of all of them.
        pub const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

marks! {
    /// A message is sent.
    send
    /// A message is received.
    receive
    /// A rank that is not the last calls the barrier.
    enter
    /// The last rank calls the barrier.
    enter_last
    /// A rank that is not the last receives what the barrier releases.
    release
    /// The last rank does.
    release_last
    /// A rank makes progress in the middle of a barrier.
    progress
}

/// Says on standard output how often each was called, for whoever reads the counts.
pub fn tell(calls: &[(&str, usize)]) {
    for (name, calls) in calls {
        assert!(NAMES.contains(name), "{name} is no mark");
        println!("{name} {calls}");
    }
}
