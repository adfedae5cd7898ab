//! What only the shm provider has.

mod processes;
