//! Calls that were pending, over and over, leave nothing behind, whether they were waited for or dropped.

use super::groups::{SLACK_BYTES, check_live, counts, host, rounds};
use runahead::{Config, ops};

/// What a member gives comes by a deposit, so its message never does. (Planted: a receive that stays posted when the
/// deposit is taken.)
// SEMANTICS: COL-8, COL-9
#[test]
fn pending_collectives_leave_nothing_behind() {
    let (config, rounds) = (Config::new(3), rounds());
    let made = counts(host(&config, 3), &config, rounds, |world, number| {
        // Before the others: a rank may end when it has these of all.
        drop(world.iall_reduce(&[number], ops::max)?);
        let (first, second) =
            (world.iall_reduce(&[number], ops::sum)?, world.iall_gather(&[number])?);
        assert_eq!(second.wait()?.len(), 3);
        assert_eq!(first.wait()?, [3 * number]);
        Ok(())
    });
    check_live(&made, rounds, SLACK_BYTES);
}

/// (Planted: a proposal that is never settled.)
// SEMANTICS: GRP-5
#[test]
fn pending_duplicates_leave_nothing_behind() {
    let (config, rounds) = (Config::new(3), rounds() / 2);
    let made = counts(host(&config, 3), &config, rounds, |world, _| {
        drop(world.idup()?);
        let (first, second) = (world.idup()?, world.idup()?);
        second.wait().map(drop)?;
        first.wait().map(drop)
    });
    check_live(&made, rounds, SLACK_BYTES);
}
