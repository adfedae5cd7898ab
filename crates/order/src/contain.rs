//! Containment: when a rank that ran ahead must keep something back, so that no rank outside the
//! group of an open barrier can notice it.
//!
//! Two things wait while a barrier is open here: (a) a message to a rank outside its group, and (b)
//! entering a barrier whose group is not a subset of its group. That lifts restriction 2 of
//! pakin-2001 §4.4.4 (hierarchical groups, figure 4.8). Programs whose barriers are all of the
//! world never meet either.
//!
//! This module decides, and has no queue. Messages wait in the message layer's outbox, barriers in
//! [`super::core`].
//!
//! Keeps rules CON-1 to CON-3 of SEMANTICS.md.

use super::clocks::Seq;

/// How messages and barriers of different groups are ordered against one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ordering {
    /// With containment: groups may overlap in any way.
    #[default]
    Contained,
    /// The rules of the thesis, without containment. Programs must accept its restriction 2: ranks
    /// that communicate across branches of a hierarchical group must synchronise explicitly.
    Pakin,
    /// The caller's own rule. Tests pass wrong rules, to show that the checkers find them.
    #[doc(hidden)]
    Other(Rule),
}

/// Whether something that the program posted at the given place must be kept back, given the groups
/// with barriers that were open then. See [`Ordering::keeps_back`].
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Rule(pub fn(Seq, &mut dyn Iterator<Item = OpenGroup>) -> bool);

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Rule {}

impl std::hash::Hash for Rule {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.0 as usize).hash(state);
    }
}

/// The open barriers of one group, as far as containment needs to know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenGroup {
    /// The place of the oldest open barrier in the rank's own order.
    pub oldest: Seq,
    /// The place of the newest.
    pub newest: Seq,
    /// Whether the oldest has been entered, rather than deferred.
    pub entered: bool,
    /// Whether the group contains all ranks concerned: the receiver of the message, or all members
    /// of the other barrier's group.
    pub holds: bool,
}

impl Ordering {
    /// Whether something must still be kept back, given the groups with open barriers. The program
    /// posted it when `through` was the place of its latest barrier.
    pub fn keeps_back(self, through: Seq, open: impl Iterator<Item = OpenGroup>) -> bool {
        let mut open = open.filter(|group| group.oldest <= through);
        match self {
            Ordering::Contained => open.any(|group| !group.holds),
            Ordering::Pakin => false,
            Ordering::Other(Rule(keeps_back)) => keeps_back(through, &mut open),
        }
    }
}
