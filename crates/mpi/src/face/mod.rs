//! The functions that programs call, over `runahead::Comm` and the pure parts of this crate.
//! `library` owns the state, `export` makes the exported names, `border` runs them and calls error handlers.
//! Rules: imports go downward, from here to `objects` and `datatype` and to `abi`.

pub(crate) mod abort;
pub(crate) mod alloc;
pub(crate) mod attribute;
pub(crate) mod backlog;
pub(crate) mod border;
pub(crate) mod buffer;
pub(crate) mod code;
pub(crate) mod collective;
pub(crate) mod comm;
pub(crate) mod communicator;
pub(crate) mod datatype;
pub(crate) mod detached;
pub(crate) mod errhandler;
pub(crate) mod export;
pub(crate) mod fault;
pub(crate) mod file;
pub(crate) mod grequest;
pub(crate) mod group;
pub(crate) mod info;
pub(crate) mod init;
pub(crate) mod inter;
pub(crate) mod library;
pub(crate) mod look;
pub(crate) mod memory;
pub(crate) mod objects;
pub(crate) mod open_barrier;
pub(crate) mod operator;
pub(crate) mod persistent;
pub(crate) mod plain;
pub(crate) mod probe;
pub(crate) mod recv;
pub(crate) mod request;
pub(crate) mod send;
pub(crate) mod session;
pub(crate) mod sizes;
pub(crate) mod status;
pub(crate) mod table;
pub(crate) mod told;
pub(crate) mod tool;
pub(crate) mod topology;
pub(crate) mod unsupported;
pub(crate) mod wait;
pub(crate) mod window;
