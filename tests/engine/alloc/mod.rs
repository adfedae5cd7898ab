//! What is warm asks for no memory, and what is dropped gives it back: counted by the allocator of this test binary,
//! for each thread apart.

mod collectives;
mod comm;
#[path = "../../shared/counting_allocator.rs"]
mod counting;
#[cfg(target_os = "linux")]
mod forms;
mod groups;
mod memory_per_peer;
#[cfg(target_os = "linux")]
mod payloads;
mod pending;
