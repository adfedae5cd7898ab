//! Whether a process of this user may read the memory of another on this host, as ranks do with large
//! payloads: found out by a read.
//!
//! A process may mostly read the memory of those that it has started. Ranks have started none of each
//! other. So a process that this one starts reads this one's.

use std::hint::black_box;
use std::io::{self, Write};
use std::process::Command;

use runahead::Result;
use runahead::internals::launch::{ptrace_scope, read_process};

/// What the user is told.
pub(crate) fn told() -> String {
    says(is_read(), ptrace_scope())
}

/// Reads a word in the memory of another process, and prints it.
///
/// # Errors
///
/// What the system says, if it cannot be read.
pub(crate) fn read(process: u32, address: u64) -> Result<()> {
    let mut word = [0; 8];
    read_process(process, address, &mut word)?;
    Ok(writeln!(io::stdout(), "{}", u64::from_ne_bytes(word))?)
}

/// Has another process read a random number here.
fn is_read() -> Result<(), String> {
    let number = black_box(Box::new(fastrand::u64(..)));
    let address = std::ptr::from_ref(&*number).expose_provenance();
    let reader = std::env::current_exe().and_then(|program| {
        let place = [std::process::id().to_string(), address.to_string()];
        Command::new(program).arg("info-read").args(place).output()
    });
    let reader = reader.map_err(|error| error.to_string())?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match said(&reader.stdout) == black_box(number).to_string() {
        true => Ok(()),
        false => Err(said(&reader.stderr).trim_start_matches("error: ").to_owned()),
    }
}

fn says(read: Result<(), String>, scope: Option<(String, &str)>) -> String {
    let why = match read {
        Ok(()) => {
            return "A process may read another's memory here (process_vm_readv): large messages \
                    are copied once."
                .to_owned();
        }
        Err(why) => why,
    };
    let yama = match scope {
        Some((scope, file)) if scope != "0" => {
            format!(" Yama's ptrace_scope is {scope} ({file}); with 0 it may.")
        }
        _ => String::new(),
    };
    format!(
        "A process may not read another's memory here (process_vm_readv: {why}): large messages \
         are copied twice.{yama}"
    )
}

#[cfg(test)]
mod tests {
    use runahead::Error;

    use super::*;

    #[test]
    fn the_reason_is_named() {
        let file = "/proc/scope";
        let refused = || Err(Error::from(io::Error::from_raw_os_error(1)).to_string());
        let may_not = "A process may not read another's memory here (process_vm_readv: ";
        for (scope, named) in [
            (None, None),
            (Some(("0".to_owned(), file)), None),
            (Some(("1".to_owned(), file)), Some("Yama's ptrace_scope is 1 (/proc/scope)")),
        ] {
            let text = says(refused(), scope.clone());
            assert!(text.starts_with(may_not) && text.contains("not permitted"), "{text}");
            assert_eq!(text.contains("Yama"), named.is_some(), "{text}");
            assert!(named.is_none_or(|named| text.contains(named)), "{text}");
            assert!(says(Ok(()), scope).starts_with("A process may read another's memory here"));
        }
    }
}
