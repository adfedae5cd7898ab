//! The shapes of one-to-many and many-to-one communication.

use super::call::Call;
use super::{Hosts, Kind, Shape, ShapeRules};
use crate::comm::Comm;
use crate::message::MOST_MEMBERS;
use crate::names::named;
use crate::order::Rank;
use crate::verbs::Nic;

/// Who combines what in a call whose result needs the data of several ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combining {
    /// Ranks combine in the order of the tree, or each a share.
    InTree,
    /// All give each other all data, and each combines all.
    All,
    /// The same, and they combine [units](super::Units) for each other.
    Units,
}

/// The shape of a collective ([pakin-2001] figure 5.3).
///
/// On several hosts broadcasts and reductions go from host to host in the trees that forward: one
/// rank of each host, which is the root or else the lowest, has the others of its host as children
/// beside the hosts below ([wu-2005] chapter 3). Scans go from rank to rank. Unless the tree is flat,
/// a long block of an all-gather comes to one rank of each host, which passes it on.
///
/// [wu-2005]: crate::bibliography#wu-2005
/// [pakin-2001]: crate::bibliography#pakin-2001
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tree {
    /// What was measured on the host where the job was started (`runahead tune --what collectives
    /// --remember`). Where nothing was, it is binomial for 32 KiB and more that go to several hosts,
    /// and else the choice of [`Tree::choose`], for each call.
    #[default]
    Auto,
    /// The root exchanges messages with every other rank itself. Without a root, all ranks exchange
    /// messages with all others. Linear in the number of ranks. But no rank forwards for another,
    /// so a descheduled rank delays no other ([pakin-2001] §5.4.1).
    ///
    /// [pakin-2001]: crate::bibliography#pakin-2001
    Flat,
    /// Each rank has up to two children. Logarithmic; a descheduled rank delays all ranks below it.
    Binary,
    /// The binomial tree: the root has children at distances 1, 2, 4, ..., and so have they, except
    /// for ranks that have a parent already. As deep as the binary tree, with all ranks of a level
    /// busy.
    Binomial,
    /// Each rank has one child. Linear; a descheduled rank delays all ranks behind it. But large
    /// data pass through it in pieces, so each rank sends them only once.
    Chain,
}

named!(
    "tree",
    Tree {
        Auto = "auto",
        Flat = "flat",
        Binary = "binary",
        Binomial = "binomial",
        Chain = "chain",
    }
);

/// Up to so many bytes of all members together, where one copy serves all of them, each reads what the others have given
/// in a reduction to all or a scan. A rank that has posted its data is needed no more: the last to post goes
/// on at once, whoever is off its core.
///
/// It is what a rank posts before it receives, with heaps as they are by default. Measured with 2 cores, in times of
/// shares, a binomial tree or a chain, in which ranks wait for what others combine: an `all_reduce` 0.94, 0.97, 0.70 with
/// 64 KiB, 256 KiB and 1 MiB at 4 ranks, and 0.84, 0.84, 0.72 at 8; a scan 0.67, 0.64, 0.72, and 0.77, 0.40, 0.79. In a
/// loop of 200 us of work beside bursts an `all_reduce` 0.74 to 0.91, beside competitors 0.72 to 0.74.
pub(super) const GIVEN_BYTES: usize = 8 << 20;

/// So many ranks at most where each posts a message to each other. Where they deposit there may be more.
pub(super) const EACH_READS_RANKS: usize = 16;

impl Tree {
    /// All that are a shape: [`Tree::Auto`] is none of its own.
    pub const SHAPES: [Tree; 4] = [Tree::Flat, Tree::Binary, Tree::Binomial, Tree::Chain];

    /// What [`Tree::Auto`] stands for, where nothing was measured and the members are on one host,
    /// in a call of `kind` with `bytes` of payload at each of `size` members, who all know these
    /// three, and whether one copy of large data serves all of them, as within a host.
    ///
    /// It is flat, because then no rank forwards for another: a descheduled rank delays only itself
    /// ([pakin-2001] §5.4.1). It is another tree only if the root of a flat one, or every rank in a
    /// scan, would send so much that it takes clearly longer. Measured on 2 cores, relative to the
    /// flat tree:
    ///
    /// | call | ranks | bytes | ratio |
    /// |---|---|---|---|
    /// | broadcast, binomial | 4 to 8 | up to 8 KiB | 0.9 to 1.2 |
    /// | the same, a copy for each member | 4 to 8 | 128 KiB | 0.9 to 1.1 |
    /// | | 4 to 8 | 512 KiB | 0.8 |
    /// | | 4 to 8 | 2 to 4 MiB | 0.35 to 0.6 |
    /// | reduce, binary | 4 to 8 | up to 8 KiB | 1.1 to 1.8 |
    /// | | 8 | 1 to 4 MiB | 0.8 to 1.0 |
    /// | all_reduce, binomial, one copy, beside shares | 8 | 32 to 256 KiB | 0.6 to 1.0 |
    /// | scan, doubling, a copy for each member | 4 to 8 | up to 8 KiB | 0.8 to 1.1 |
    /// | | 16 | 4 KiB | 0.85 |
    /// | | 4 to 8 | 32 KiB | 0.45 to 0.6 |
    /// | scan, chain | 4 to 8 | 128 KiB | 0.25 to 0.55 |
    /// | | 4 to 8 | 1 to 4 MiB | 0.2 to 0.3 |
    ///
    /// A reduction to all ranks treats large data differently; see [`Comm::all_reduce`].
    /// Collectives that move different data to each rank (gather, scatter, exchanges) are always
    /// flat.
    ///
    /// [pakin-2001]: crate::bibliography#pakin-2001
    pub fn choose(kind: Kind, bytes: usize, size: usize, one_copy: bool) -> Tree {
        const KIB: usize = 1 << 10;
        match kind {
            Kind::Broadcast if bytes >= 512 * KIB && size > 2 && !one_copy => Tree::Binomial,
            // The root of a flat tree combines all; with more cores than two a tree shares that.
            Kind::Reduce if bytes >= 1024 * KIB && size >= 8 => Tree::Binary,
            // No rank forwards, nor combines for another.
            Kind::AllReduce | Kind::Scan | Kind::ExclusiveScan
                if one_copy
                    && size <= EACH_READS_RANKS
                    && bytes.saturating_mul(size) <= GIVEN_BYTES =>
            {
                Tree::Flat
            }
            // In shares each rank has two messages with each other.
            Kind::AllReduce if one_copy && size >= 8 && (32 * KIB..=256 * KIB).contains(&bytes) => {
                Tree::Binomial
            }
            // All trees of two are one, and nobody forwards.
            Kind::Scan | Kind::ExclusiveScan if size == 2 => Tree::Flat,
            Kind::Scan | Kind::ExclusiveScan if bytes >= 64 * KIB => Tree::Chain,
            // A flat scan has P^2 / 2 messages.
            Kind::Scan | Kind::ExclusiveScan if bytes > 8 * KIB || size > 16 => Tree::Binomial,
            _ => Tree::Flat,
        }
    }

    /// The parent of `rank` in the tree with this root; None for the root. [`Tree::Auto`] has the
    /// shape of [`Tree::Flat`] here. (On several hosts, trees that forward have hosts as their
    /// nodes where this says ranks.)
    pub fn parent(self, rank: Rank, root: Rank, size: usize) -> Option<Rank> {
        let place = place(rank, root, size);
        let parent = match self {
            Tree::Auto | Tree::Flat => 0,
            Tree::Binary => place.checked_sub(1)? / 2,
            // Without its highest bit.
            Tree::Binomial => place - highest_bit(place)?,
            Tree::Chain => place.checked_sub(1)?,
        };
        (place != 0).then(|| (parent + root) % size)
    }

    /// The children of `rank`, in the order in which the rank serves and combines them.
    pub fn children(self, rank: Rank, root: Rank, size: usize) -> impl Iterator<Item = Rank> {
        let place = place(rank, root, size);
        // The first child, the largest number of children, and whether their distances double.
        let (first, most) = match self {
            Tree::Auto | Tree::Flat if place == 0 => (1, size),
            Tree::Auto | Tree::Flat => (1, 0),
            Tree::Binary => (2 * place + 1, 2),
            Tree::Binomial => (place + highest_bit(place).map_or(1, |bit| 2 * bit), size),
            Tree::Chain => (place + 1, 1),
        };
        let doubles = self == Tree::Binomial;
        let next = move |child: &usize| match doubles {
            true => Some(place + 2 * (child - place)),
            false => Some(child + 1),
        };
        let places = std::iter::successors(Some(first), next).take(most);
        places.take_while(move |&place| place < size).map(move |place| (place + root) % size)
    }
}

fn highest_bit(place: usize) -> Option<usize> {
    place.checked_ilog2().map(|bit| 1 << bit)
}

impl<N: Nic> Comm<N> {
    /// The shape of the trees of this communicator's collectives.
    pub fn tree(&self) -> Tree {
        self.tree.get()
    }

    /// Sets the shape of the trees of this communicator's collectives. All members must set the
    /// same shape, between the same calls.
    pub fn set_tree(&self, tree: Tree) {
        self.tree.set(tree);
    }

    /// Goes by these shape rules from the next call on. All members must give the same, between the same
    /// calls. Groups that are made later go by them too.
    #[doc(hidden)]
    pub fn set_shape_rules(&self, rules: ShapeRules) {
        self.collectives.group_rules.replace(rules.of_group(self.size(), self.hosts().count()));
        self.collectives.shape_rules.replace(rules);
    }

    /// The rules that it goes by, for the groups that it makes.
    pub(crate) fn shape_rules(&self) -> ShapeRules {
        self.collectives.shape_rules.borrow().clone()
    }

    /// Which members are on which host.
    #[doc(hidden)]
    pub fn hosts(&self) -> &Hosts {
        self.collectives.hosts()
    }

    /// What [`Tree::Auto`] stands for in a call of `kind` with `bytes` of payload at each member,
    /// and the smallest piece if that was measured.
    pub(super) fn choose_shape(&self, kind: Kind, bytes: usize) -> (Tree, Option<usize>) {
        match self.collectives.group_rules.borrow().shape(kind, bytes) {
            Some(Shape { tree, piece_bytes }) => (tree, Some(piece_bytes)),
            None => (self.default_tree(kind, bytes), None),
        }
    }

    /// The same where nothing was measured.
    fn default_tree(&self, kind: Kind, bytes: usize) -> Tree {
        let is_scan = matches!(kind, Kind::Scan | Kind::ExclusiveScan);
        let is_near = self.hosts().count() == 1 && self.size() <= MOST_MEMBERS;
        // A deposit serves all higher ranks: it takes no message for each.
        let is_small_scan = is_scan && is_near && self.is_in_slot(bytes);
        // So does what lies in an area. Whether a group has a place for deposits counts for nothing here: groups of one size
        // combine in one order.
        let is_given = (is_scan || kind == Kind::AllReduce)
            && is_near
            && self.copies_payloads()
            && self.goes_at_once::<u8>(bytes)
            && bytes.saturating_mul(self.size()) <= GIVEN_BYTES;
        match is_small_scan || is_given {
            true => Tree::Flat,
            false => self.hosts().choose(kind, bytes, self.copies_payloads()),
        }
    }

    /// The shape of calls of which nothing was measured.
    #[doc(hidden)]
    pub fn default_shape(&self, kind: Kind, bytes: usize) -> Shape {
        let tree = self.default_tree(kind, bytes);
        let payload = self.payload_bytes(kind, tree, bytes);
        Shape { tree, piece_bytes: self.least_piece(kind, tree, payload) }
    }

    /// Who combines what in a call with `bytes` at each member.
    #[doc(hidden)]
    pub fn combining(&self, kind: Kind, tree: Tree, bytes: usize) -> Combining {
        let reads_all = matches!(kind, Kind::AllReduce | Kind::Scan | Kind::ExclusiveScan);
        match tree == Tree::Flat && reads_all {
            true if kind == Kind::AllReduce && self.each_combines(bytes) => Combining::All,
            true if self.gives(bytes) => Combining::Units,
            true if kind == Kind::AllReduce && self.given_part_bytes(bytes).is_some() => {
                Combining::Units
            }
            _ => Combining::InTree,
        }
    }

    /// Whether what a member gives in such a call is deposited, once for all that read it.
    #[doc(hidden)]
    pub fn is_deposited(&self, kind: Kind, tree: Tree, bytes: usize) -> bool {
        tree == Tree::Flat
            && match kind {
                Kind::Broadcast | Kind::Reduce => self.deposits(kind, bytes),
                Kind::AllReduce | Kind::Scan | Kind::ExclusiveScan => {
                    let is_given =
                        self.combining(kind, tree, bytes) == Combining::Units && self.gives(bytes);
                    self.deposits(kind, bytes) || is_given && self.collectives.has_place
                }
                _ => false,
            }
    }

    /// The lengths of the pieces of a payload in a call with `bytes` at each member.
    #[doc(hidden)]
    pub fn piece_lengths(&self, kind: Kind, shape: Shape, bytes: usize) -> Vec<usize> {
        if self.combining(kind, shape.tree, bytes) == Combining::Units {
            let part = self.given_part_bytes(bytes).unwrap_or(bytes).max(1);
            return (0..bytes).step_by(part).map(|at| part.min(bytes - at)).collect();
        }
        let forwards = match shape.tree {
            Tree::Flat => kind == Kind::AllReduce && self.combines_in_shares(bytes),
            _ => true,
        };
        let payload = self.payload_bytes(kind, shape.tree, bytes);
        let pieces = self.pieces_of_at_least::<u8>(shape.piece_bytes, payload, forwards);
        let lengths = pieces.map(|piece| piece.range.len());
        lengths.filter(|&length| length > 0 || payload == 0).collect()
    }

    /// How long a payload of such a call is: a share, where each member combines one.
    fn payload_bytes(&self, kind: Kind, tree: Tree, bytes: usize) -> usize {
        match kind == Kind::AllReduce && tree == Tree::Flat && self.combines_in_shares(bytes) {
            true => bytes.div_ceil(self.size()),
            false => bytes,
        }
    }

    /// This rank's parent in the tree of a call; None for the root.
    pub(super) fn parent_in(&self, call: &Call) -> Option<Rank> {
        self.hosts().parent(call.tree, self.rank(), call.root)
    }

    /// This rank's children in the tree of a call, in the order in which it serves and combines
    /// them.
    pub(super) fn children_in(&self, call: &Call) -> impl Iterator<Item = Rank> {
        self.hosts().children(call.tree, self.rank(), call.root)
    }
}

/// The position of a rank in a tree whose root is at 0.
fn place(rank: Rank, root: Rank, size: usize) -> usize {
    (rank + size - root) % size
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
    fn small_data_go_by_flat_trees() {
        for kind in Kind::ALL {
            for size in 1..=16 {
                assert_eq!(Tree::choose(kind, 8 << 10, size, size == 4), Tree::Flat, "{kind}");
                assert_ne!(Tree::choose(kind, usize::MAX, size, size == 4), Tree::Auto, "{kind}");
            }
        }
        assert_eq!(Tree::choose(Kind::Broadcast, 1 << 20, 4, false), Tree::Binomial);
        assert_eq!(Tree::choose(Kind::Broadcast, 1 << 20, 4, true), Tree::Flat);
        assert_eq!(Tree::choose(Kind::Scan, 2 << 20, 4, true), Tree::Flat);
        assert_eq!(Tree::choose(Kind::Scan, (2 << 20) + 1, 4, true), Tree::Chain);
        assert_eq!(Tree::choose(Kind::Scan, 1 << 20, 4, false), Tree::Chain);
        assert_eq!(Tree::choose(Kind::Scan, 1 << 20, 2, true), Tree::Flat);
        assert_eq!(Tree::choose(Kind::Scan, 64 << 10, 16, true), Tree::Flat);
        assert_eq!(Tree::choose(Kind::Scan, 64 << 10, 17, true), Tree::Chain);
        assert_eq!(Tree::choose(Kind::Scan, 16 << 10, 4, false), Tree::Binomial);
        let all_reduce =
            |kib: usize, size, one_copy| Tree::choose(Kind::AllReduce, kib << 10, size, one_copy);
        for (kib, size, one_copy, tree) in [
            (31, 17, true, Tree::Flat),
            (32, 17, true, Tree::Binomial),
            (256, 17, true, Tree::Binomial),
            (257, 17, true, Tree::Flat),
            (64, 8, true, Tree::Flat),
            (256, 16, true, Tree::Flat),
            (64, 8, false, Tree::Flat),
        ] {
            assert_eq!(all_reduce(kib, size, one_copy), tree, "{kib} KiB, {size} ranks");
        }
        assert_eq!(Tree::choose(Kind::Gather, 1 << 20, 4, false), Tree::Flat);
    }

    #[test]
    fn unknown_names_list_the_known() {
        let error = "star".parse::<Tree>().unwrap_err().to_string();
        assert_eq!(error, "unknown tree \"star\": expected auto, flat, binary, binomial or chain");
    }
}
