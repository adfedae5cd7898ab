//! The functions that programs call, over `runahead::Comm` and the pure parts of this crate.
//! `library` owns the state, `export` makes the exported names, `border` runs them and calls error handlers.
//! Rules: imports go downward, from here to `objects` and `datatype` and to `abi`.

mod abort;
mod alloc;
mod attribute;
mod backlog;
mod border;
mod buffer;
mod code;
mod collective;
mod comm;
mod communicator;
mod datatype;
mod detached;
mod errhandler;
mod export;
mod fault;
mod file;
mod grequest;
mod group;
mod info;
mod init;
mod inter;
mod library;
mod look;
mod memory;
mod objects;
mod open_barrier;
mod operator;
mod persistent;
mod plain;
mod probe;
mod recv;
mod request;
mod send;
mod session;
mod sizes;
mod status;
mod table;
mod told;
mod tool;
mod topology;
mod unsupported;
mod wait;
mod window;
