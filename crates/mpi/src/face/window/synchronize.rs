//! Epochs: fences, locks, and the four calls of ranks that name each other.
//! Source: MPI 5.0, section *Synchronization Calls*.
//! Rules: operations are done already, so these only wait: for all, for a lock, or for those that were named.

use super::{HELD, Window};
use crate::abi::*;
use crate::face::border::Out;
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::objects::group::Group;
use std::ffi::c_int;
use std::sync::atomic::{Ordering, fence};

/// Tags of the window's own messages: a rank has opened its memory, a rank has done its operations.
const POSTED: u32 = 1;
const COMPLETED: u32 = 2;

/// An epoch that is not as the call needs it.
fn wrong_epoch(what: &str) -> Fault {
    Fault::new(MPI_ERR_RMA_SYNC, what)
}

impl Window {
    /// The ranks here of a group's members.
    fn ranks(&self, group: &Group) -> Result<Vec<c_int>, Fault> {
        let all = self.comm.group();
        let rank = |&member: &usize| all.rank_of(member).map(|rank| rank as c_int);
        let ranks: Option<Vec<_>> = group.members().iter().map(rank).collect();
        ranks.ok_or_else(|| {
            Fault::new(MPI_ERR_GROUP, "group has a member that is not in the window")
        })
    }

    fn lock(&self, library: &Library, rank: c_int, is_exclusive: bool) -> Result<(), Fault> {
        let own = HELD | self.comm.comm.rank() as u32;
        self.spin(library, &self.locks(rank).access, |held| match (is_exclusive, held) {
            (true, 0) => Some(own),
            (false, _) if held < HELD - 1 => Some(held + 1),
            _ => None,
        })
    }

    fn unlock(&self, rank: c_int, is_exclusive: bool) {
        let access = &self.locks(rank).access;
        fence(Ordering::SeqCst);
        match is_exclusive {
            true => access.store(0, Ordering::Release),
            false => {
                access.fetch_sub(1, Ordering::Release);
            }
        }
    }

    /// Whether this rank has a lock, of this rank or of all.
    fn check_locked(&self, rank: Option<c_int>) -> Result<(), Fault> {
        let locked = self.epoch.locked.borrow();
        let is_locked = match rank {
            Some(rank) => locked.iter().any(|(of, _)| *of == rank),
            None => !locked.is_empty(),
        };
        match is_locked || self.epoch.all_locked.get() {
            true => {
                fence(Ordering::SeqCst);
                Ok(())
            }
            false => Err(wrong_epoch("nothing is locked there")),
        }
    }

    /// Tells ranks something.
    fn tell(&self, ranks: &[c_int], tag: u32) -> Result<(), Fault> {
        fence(Ordering::SeqCst);
        for &rank in ranks {
            self.comm.comm.send_bytes(rank as usize, tag, &[])?;
        }
        Ok(())
    }

    /// Waits until ranks have told something.
    fn hear(&self, ranks: &[c_int], tag: u32) -> Result<(), Fault> {
        for &rank in ranks {
            self.comm.comm.recv_bytes(rank as usize, tag)?;
        }
        fence(Ordering::SeqCst);
        Ok(())
    }
}

export! {
    /// Ends an epoch of all ranks, and begins another.
    fn MPI_Win_fence(library; assertion: c_int, win: MPI_Win) {
        library.on_window(win, |window| {
            if !window.epoch.locked.borrow().is_empty() || window.epoch.all_locked.get() {
                return Err(wrong_epoch("a lock is held"));
            }
            window.epoch.fenced.set(assertion & MPI_MODE_NOSUCCEED == 0);
            window.meet()
        })
    }

    /// Locks the memory of a rank.
    fn MPI_Win_lock(library; lock_type: c_int, rank: c_int, _assertion: c_int, win: MPI_Win) {
        library.on_window(win, |window| {
            let is_exclusive = match lock_type {
                MPI_LOCK_EXCLUSIVE => true,
                MPI_LOCK_SHARED => false,
                _ => return Err(Fault::value(MPI_ERR_LOCKTYPE, "lock_type", lock_type)),
            };
            if window.comm.destination(rank, "rank")?.is_none() {
                return Ok(());
            }
            let has_lock = window.epoch.locked.borrow().iter().any(|(of, _)| *of == rank);
            if has_lock || window.epoch.all_locked.get() {
                return Err(wrong_epoch("this rank has a lock there"));
            }
            window.lock(library, rank, is_exclusive)?;
            window.epoch.locked.borrow_mut().push((rank, is_exclusive));
            Ok(())
        })
    }

    /// Unlocks the memory of a rank.
    fn MPI_Win_unlock(library; rank: c_int, win: MPI_Win) {
        library.on_window(win, |window| {
            if window.comm.destination(rank, "rank")?.is_none() {
                return Ok(());
            }
            let mut locked = window.epoch.locked.borrow_mut();
            let at = locked.iter().position(|(of, _)| *of == rank);
            let at = at.ok_or_else(|| wrong_epoch("this rank has no lock there"))?;
            let (rank, is_exclusive) = locked.swap_remove(at);
            window.unlock(rank, is_exclusive);
            Ok(())
        })
    }

    /// Locks the memory of all ranks, together with others.
    fn MPI_Win_lock_all(library; _assertion: c_int, win: MPI_Win) {
        library.on_window(win, |window| {
            if window.epoch.all_locked.get() || !window.epoch.locked.borrow().is_empty() {
                return Err(wrong_epoch("this rank has a lock"));
            }
            for rank in 0..window.comm.size {
                window.lock(library, rank, false)?;
            }
            window.epoch.all_locked.set(true);
            Ok(())
        })
    }

    /// Unlocks the memory of all ranks.
    fn MPI_Win_unlock_all(library; win: MPI_Win) {
        library.on_window(win, |window| {
            if !window.epoch.all_locked.replace(false) {
                return Err(wrong_epoch("this rank has not locked all"));
            }
            (0..window.comm.size).for_each(|rank| window.unlock(rank, false));
            Ok(())
        })
    }

    /// Completes operations on a rank, which they are.
    fn MPI_Win_flush(library; rank: c_int, win: MPI_Win) {
        library.on_window(win, |window| match window.comm.destination(rank, "rank")? {
            Some(_) => window.check_locked(Some(rank)),
            None => Ok(()),
        })
    }

    /// Completes operations on all ranks, which they are.
    fn MPI_Win_flush_all(library; win: MPI_Win) {
        library.on_window(win, |window| window.check_locked(None))
    }

    /// Completes operations on a rank here, which they are.
    fn MPI_Win_flush_local(library; rank: c_int, win: MPI_Win) {
        library.on_window(win, |window| match window.comm.destination(rank, "rank")? {
            Some(_) => window.check_locked(Some(rank)),
            None => Ok(()),
        })
    }

    /// Completes operations on all ranks here, which they are.
    fn MPI_Win_flush_local_all(library; win: MPI_Win) {
        library.on_window(win, |window| window.check_locked(None))
    }

    /// Makes stores of this rank and of others seen; memory is one for all.
    fn MPI_Win_sync(library; win: MPI_Win) {
        library.on_window(win, |_| {
            fence(Ordering::SeqCst);
            Ok(())
        })
    }

    /// Opens this rank's memory to the ranks of a group.
    fn MPI_Win_post(library; group: MPI_Group, _assertion: c_int, win: MPI_Win) {
        library.on_window(win, |window| {
            let ranks = window.ranks(&library.group(group)?)?;
            if window.epoch.posted.borrow().is_some() {
                return Err(wrong_epoch("this rank's memory is open"));
            }
            window.tell(&ranks, POSTED)?;
            *window.epoch.posted.borrow_mut() = Some(ranks);
            Ok(())
        })
    }

    /// Begins operations on the memory of the ranks of a group, once it is open.
    fn MPI_Win_start(library; group: MPI_Group, _assertion: c_int, win: MPI_Win) {
        library.on_window(win, |window| {
            let ranks = window.ranks(&library.group(group)?)?;
            if window.epoch.started.borrow().is_some() {
                return Err(wrong_epoch("an epoch was started"));
            }
            window.hear(&ranks, POSTED)?;
            *window.epoch.started.borrow_mut() = Some(ranks);
            Ok(())
        })
    }

    /// Ends the operations that `MPI_Win_start` has begun.
    fn MPI_Win_complete(library; win: MPI_Win) {
        library.on_window(win, |window| {
            let started = window.epoch.started.borrow_mut().take();
            let ranks = started.ok_or_else(|| wrong_epoch("no epoch was started"))?;
            window.tell(&ranks, COMPLETED)
        })
    }

    /// Closes this rank's memory, when those that it was open to have done.
    fn MPI_Win_wait(library; win: MPI_Win) {
        library.on_window(win, |window| {
            let posted = window.epoch.posted.borrow_mut().take();
            let ranks = posted.ok_or_else(|| wrong_epoch("this rank's memory is not open"))?;
            window.hear(&ranks, COMPLETED)
        })
    }

    /// Closes this rank's memory, if those that it was open to have done.
    fn MPI_Win_test(library; win: MPI_Win, flag: Out<c_int>) {
        library.on_window(win, |window| {
            let mut posted = window.epoch.posted.borrow_mut();
            let Some(ranks) = posted.as_mut() else {
                return Err(wrong_epoch("this rank's memory is not open"));
            };
            let mut left = Vec::new();
            for &rank in ranks.iter() {
                let mut found = window.comm.comm.try_probe(rank as usize, COMPLETED)?;
                if found.is_none() && library.guard()? {
                    found = window.comm.comm.try_probe(rank as usize, COMPLETED)?;
                }
                match found {
                    Some(_) => window.hear(&[rank], COMPLETED)?,
                    None => left.push(rank),
                }
            }
            let is_done = left.is_empty();
            *ranks = left;
            if is_done {
                *posted = None;
            } else {
                library.handle_empty_poll();
            }
            flag.set("flag", c_int::from(is_done))
        })
    }
}
