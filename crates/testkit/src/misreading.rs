//! Plausible misreadings of containment, each of which is wrong: the checkers must find them.

use runahead_order::Ordering;
use runahead_order::contain::Rule;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misreading {
    /// Only barriers that were entered contain, not deferred ones.
    EnteredOnly,
    /// Only the last open barrier contains.
    LastOnly,
    /// It is enough to lie within any of the open groups.
    SubsetOfAny,
}

impl From<Misreading> for Ordering {
    fn from(misreading: Misreading) -> Ordering {
        Ordering::Other(Rule(match misreading {
            Misreading::EnteredOnly => {
                |_, mut open| (&mut open).any(|group| group.entered && !group.holds)
            }
            Misreading::LastOnly => |through, open| {
                let last = open.max_by_key(|group| group.newest.min(through));
                last.is_some_and(|group| !group.holds)
            },
            Misreading::SubsetOfAny => |_, open| {
                let mut open = open.peekable();
                open.peek().is_some() && !open.any(|group| group.holds)
            },
        }))
    }
}
