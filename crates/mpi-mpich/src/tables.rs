//! Conversions of constants, a function for each group of `constants.txt` and each way.
//! The build script writes them.
//! Rules: what is no constant of the group has no counterpart.

use std::ffi::c_int;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
