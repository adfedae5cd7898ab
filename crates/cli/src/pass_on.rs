//! Forwards signals of `runahead run` to the ranks of its job: SIGTERM, SIGINT, SIGHUP, SIGQUIT,
//! SIGUSR1 and SIGUSR2. None of them ends the command itself.

use std::time::Duration;

use runahead::Result;
use runahead::launch::job::Job;

use crate::sys::Instant;
use crate::sys::signals::{END_REQUESTS, KILL, listen};

/// Starts forwarding. The terminal signals the ranks itself, so its signals are not sent twice. A
/// second SIGINT or SIGTERM, of any origin, kills the ranks. One that arrives together with the
/// first belongs to the same request, because `timeout` signals a command and its process group.
///
/// # Errors
///
/// The operating system's error, if it cannot create a pipe or a thread.
pub(crate) fn pass_signals_on(job: &mut Job) -> Result<()> {
    let signals = job.signals()?;
    let mut request = EndRequest::default();
    let hear = move |signal, by_kernel| {
        let is_second = END_REQUESTS.contains(&signal) && request.is_second(Instant::now());
        match (is_second, by_kernel) {
            (true, _) => signals.signal(KILL),
            (false, false) => signals.signal(signal),
            (false, true) => signals.note(signal),
        }
    };
    Ok(listen(hear)?)
}

/// A signal within this time of the first request belongs to it.
const REQUEST: Duration = Duration::from_millis(300);

/// When the user first asked the job to end.
#[derive(Debug, Default)]
struct EndRequest(Option<Instant>);

impl EndRequest {
    /// Notes that the user asks now, and returns whether this is a second request.
    fn is_second(&mut self, now: Instant) -> bool {
        now.saturating_duration_since(*self.0.get_or_insert(now)) >= REQUEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_to_end_that_arrive_together_count_as_one() {
        let (mut request, now) = (EndRequest::default(), Instant::now());
        assert!(!request.is_second(now));
        assert!(!request.is_second(now + REQUEST / 2));
        assert!(request.is_second(now + REQUEST));
        assert!(request.is_second(now + 10 * REQUEST));
    }
}
