//! The shapes of one-to-many and many-to-one communication.

use std::fmt;
use std::str::FromStr;

use crate::comm::Comm;
use crate::order::Rank;
use crate::verbs::Nic;

/// The shape of a multicast or reduction (pakin-2001 figure 5.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tree {
    /// The root exchanges messages with every other rank itself. Linear in the number of ranks, but
    /// a descheduled rank delays nobody else: the default (pakin-2001 §5.4.1).
    #[default]
    Flat,
    /// Each rank has up to two children. Logarithmic, and a descheduled rank delays all below it.
    Binary,
}

impl Tree {
    /// All of them, in the order in which they are listed to users.
    pub const ALL: [Tree; 2] = [Tree::Flat, Tree::Binary];

    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Tree::Flat => "flat",
            Tree::Binary => "binary",
        }
    }

    /// The parent of `rank` in the tree with this root; None for the root.
    pub fn parent(self, rank: Rank, root: Rank, size: usize) -> Option<Rank> {
        let place = place(rank, root, size);
        let parent = match self {
            Tree::Flat => 0,
            Tree::Binary => place.checked_sub(1)? / 2,
        };
        (place != 0).then(|| (parent + root) % size)
    }

    /// The children of `rank`, in the order in which they are served and combined.
    pub fn children(self, rank: Rank, root: Rank, size: usize) -> impl Iterator<Item = Rank> {
        let place = place(rank, root, size);
        let places = match self {
            Tree::Flat if place == 0 => 1..size,
            Tree::Flat => 0..0,
            Tree::Binary => 2 * place + 1..(2 * place + 3).min(size),
        };
        places.map(move |place| (place + root) % size)
    }
}

impl<N: Nic> Comm<N> {
    /// The shape of the trees of this communicator's collectives.
    pub fn tree(&self) -> Tree {
        self.tree.get()
    }

    /// Chooses the shape of the trees of this communicator's collectives. All members must choose
    /// the same, between the same calls.
    pub fn set_tree(&self, tree: Tree) {
        self.tree.set(tree);
    }
}

/// Where a rank stands in a tree whose root stands at 0.
fn place(rank: Rank, root: Rank, size: usize) -> usize {
    (rank + size - root) % size
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No tree has this name; the message lists those that there are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown tree {0:?}; known are {known}", known = known())]
pub struct UnknownTree(pub String);

fn known() -> String {
    Tree::ALL.map(Tree::name).join(", ")
}

impl FromStr for Tree {
    type Err = UnknownTree;

    fn from_str(name: &str) -> Result<Tree, UnknownTree> {
        let found = Tree::ALL.into_iter().find(|tree| tree.name() == name);
        found.ok_or_else(|| UnknownTree(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every rank but the root is the child of its parent, once, and the root reaches all.
    #[test]
    fn parents_and_children_agree() {
        for tree in Tree::ALL {
            for size in 1..=40 {
                for root in 0..size {
                    let mut reached = vec![root];
                    let mut at = 0;
                    while at < reached.len() {
                        for child in tree.children(reached[at], root, size) {
                            assert_eq!(tree.parent(child, root, size), Some(reached[at]));
                            reached.push(child);
                        }
                        at += 1;
                    }
                    assert_eq!(tree.parent(root, root, size), None);
                    reached.sort_unstable();
                    assert_eq!(reached, (0..size).collect::<Vec<_>>(), "{tree} from {root}");
                }
            }
        }
    }

    #[test]
    fn unknown_names_list_the_known() {
        let error = "star".parse::<Tree>().unwrap_err().to_string();
        assert_eq!(error, "unknown tree \"star\"; known are flat, binary");
    }
}
