//! A way into a job without a closure, for a library that gives programs an interface of its own:
//! one call makes the world, another ends it.
//!
//! The process joins the job that the environment names. A process that nobody has started for a job
//! is a job of one rank by itself. After the end the program goes on in every rank.

use super::member::Member;
use super::{Launch, place};
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::launch::threads::begin_rank;

/// A rank that has entered its job.
pub struct Entry {
    /// None where it is alone.
    member: Option<Box<Member>>,
}

/// Enters the job of this process, with the choices of `launch`; the size is that of the job.
///
/// # Errors
///
/// [`Error::Launch`] if this process was a rank before, or the others cannot be found.
pub fn enter(launch: &Launch) -> Result<(Comm, Entry)> {
    let Some(mut member) = place::enter()? else {
        let alone = launch.of_size(1);
        let nic = alone.connect()?.swap_remove(0);
        let world = begin_rank(nic, alone.settled()?, "", alone.on_stall.clone())?;
        return Ok((world, Entry { member: None }));
    };
    let rank = member.rank;
    let named = |error| Error::Rank { rank, error: Box::new(error) };
    if let Err(error) = member.join(launch) {
        place::leave(*member);
        return Err(named(error));
    }
    match member.world(launch) {
        Ok(world) => Ok((world, Entry { member: Some(member) })),
        Err(error) => {
            member.hand_over(Some(&error));
            place::leave(*member);
            Err(named(error))
        }
    }
}

impl Entry {
    /// Ends the world, and hands over that the program has ended well. Every communicator of it that
    /// is left answers with [`Error::Ended`] from then on.
    ///
    /// # Errors
    ///
    /// As by [`Comm::end`].
    pub fn end(mut self, world: &Comm) -> Result<()> {
        let ended = world.end_explained(false);
        if let Some(mut member) = self.member.take() {
            member.hand_over(ended.as_ref().err());
            if member.meets() && member.rank == 0 {
                // The others meet at a thread of this process, which must not end before they have.
                let _ = member.results();
            }
            place::leave(*member);
        }
        ended
    }

    /// Hands over that the program ends with an error. The caller ends the process. Returns whether
    /// whoever has started the job will tell its user.
    pub fn fail(&mut self, error: &Error) -> bool {
        let Some(member) = &mut self.member else { return false };
        member.hand_over(Some(error));
        !member.meets()
    }
}
