//! libibverbs as runahead declares it against the crates `ibverbs-sys` and `ibverbs`, which take it
//! from rdma-core: whether structures and numbers are the same, and whether a queue pair of the one
//! exchanges messages with a queue pair of the other.
//!
//! ```sh
//! foreign layout                      # needs no device
//! foreign exchange rxe1 rxe2 1        # ours on the first, theirs on the second, by this GID
//! ```

#[path = "../../../../src/sys/ibverbs/abi.rs"]
#[allow(dead_code, reason = "the library has more use for it")]
mod abi;
mod exchange;
mod layout;
#[path = "../../../../src/sys/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the library has more use for it")]
mod sys;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["layout"] => layout::compare(),
        ["exchange", ours, theirs, gid] => match gid.parse() {
            Ok(gid) => exchange::exchange(ours, theirs, gid),
            Err(_) => Err(format!("unknown index {gid:?}: expected a number from 0 to 255")),
        },
        _ => Err("expected `layout`, or `exchange DEVICE DEVICE GID-INDEX`".to_owned()),
    };
    match outcome {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
