//! How long a call of a collective takes, by measured terms: the parameterised LogP model of
//! wu-2005 §4.5, played through message by message and unit by unit. Pure.
//!
//! wu's equations 4.3 to 4.6 say what three ways of overlapping cost, and one has to measure which
//! of them holds. Here ranks that want a core wait for one, so that what overlaps comes out by
//! itself.

use std::collections::BTreeMap;

use runahead::internals::collective::{Combining, Hosts, Kind};
use runahead::internals::order::Schedule;
use runahead::{Algorithm, Rank, Tree};
use serde::{Deserialize, Serialize};

use super::play::{Operation, Play, near};

/// A signal is as long as the shortest message.
const SIGNAL_BYTES: usize = 8;

/// The terms of messages of some lengths, between two ranks: nanoseconds by bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Link {
    /// What posting takes of the sender's core: wu's `os(m)`.
    pub(crate) os: BTreeMap<usize, f64>,
    /// What taking in takes of the receiver's core: `or(m)`.
    pub(crate) or: BTreeMap<usize, f64>,
    /// How long a message is on its way besides: `L`, and `g(m)` where a network carries it.
    pub(crate) way: BTreeMap<usize, f64>,
}

/// The terms of a machine.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Terms {
    /// Between ranks of one host.
    pub(crate) near: Link,
    /// Between ranks of different hosts, if there are several.
    pub(crate) far: Option<Link>,
    /// Combining a message's bytes, beside taking them in.
    pub(crate) combine: BTreeMap<usize, f64>,
    /// A switch from one rank of a core to another.
    pub(crate) switch: f64,
    /// The cores of each host.
    pub(crate) cores: usize,
}

/// Between two lengths that were measured, and beyond the last, the term is a straight line.
pub(super) fn at(term: &BTreeMap<usize, f64>, bytes: usize) -> f64 {
    let below = term.range(..=bytes).next_back();
    let above = term.range(bytes..).next();
    match (below, above) {
        (Some((&low, &first)), Some((&high, &last))) if low < high => {
            first + (last - first) * (bytes - low) as f64 / (high - low) as f64
        }
        (None, Some((_, &value))) | (Some((_, &value)), Some(_)) => value,
        (Some((&most, &value)), None) => value * bytes as f64 / most.max(1) as f64,
        (None, None) => 0.0,
    }
}

/// A call whose shape is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'h> {
    pub(crate) kind: Kind,
    /// The length of what each rank gives.
    pub(crate) bytes: usize,
    /// The lengths of the pieces in which it travels; or a share of it, where each rank combines
    /// one.
    pub(crate) pieces: &'h [usize],
    /// Who combines what.
    pub(crate) combining: Combining,
    pub(crate) hosts: &'h Hosts,
}

impl Call<'_> {
    /// How long the last rank takes in this tree, in nanoseconds. None for calls that the model
    /// does not know.
    pub(crate) fn predicted_ns(&self, tree: Tree, terms: &Terms) -> Option<f64> {
        let parts: Option<Vec<_>> =
            (0..self.hosts.members()).map(|rank| self.part(rank, tree)).collect();
        Some(Play::new(terms, self.hosts, parts?).run())
    }

    fn part(&self, rank: Rank, tree: Tree) -> Option<Vec<Operation>> {
        match self.combining {
            Combining::InTree => self.part_in_tree(rank, tree),
            Combining::All => Some(self.part_of_all(rank)),
            Combining::Units => Some(self.part_of_given(rank)),
        }
    }

    fn part_in_tree(&self, rank: Rank, tree: Tree) -> Option<Vec<Operation>> {
        let (root, size, pieces) = (0, self.hosts.members(), self.pieces);
        let parent = (0..size)
            .find(|&other| self.hosts.children(tree, other, root).any(|child| child == rank));
        let children: Vec<Rank> = self.hosts.children(tree, rank, root).collect();
        let in_shares = tree == Tree::Flat && pieces.iter().sum::<usize>() < self.bytes;
        let mut part = Vec::new();
        match self.kind {
            Kind::Broadcast => {
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(parent.map(|from| take(from, piece, bytes, false)));
                    part.extend(self.post_to_all(rank, &children, piece, bytes));
                }
            }
            Kind::Reduce | Kind::AllReduce if !in_shares => {
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(children.iter().map(|&from| take(from, piece, bytes, true)));
                    match (parent, self.kind) {
                        (Some(to), _) => {
                            part.push(Operation::Post { to, piece, bytes, copies: true })
                        }
                        (None, Kind::AllReduce) => {
                            let down = piece + pieces.len();
                            part.extend(self.post_to_all(rank, &children, down, bytes));
                        }
                        (None, _) => {}
                    }
                }
                if self.kind == Kind::AllReduce
                    && let Some(from) = parent
                {
                    for (piece, &bytes) in pieces.iter().enumerate() {
                        let down = piece + pieces.len();
                        part.push(take(from, down, bytes, false));
                        part.extend(self.post_to_all(rank, &children, down, bytes));
                    }
                }
            }
            // Each combines a share, and gives it to all.
            Kind::AllReduce => {
                let others: Vec<Rank> = (rank + 1..size).chain(0..rank).collect();
                for &to in &others {
                    let post = |(piece, &bytes)| Operation::Post { to, piece, bytes, copies: true };
                    part.extend(pieces.iter().enumerate().map(post));
                }
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(
                        (0..size)
                            .filter(|&from| from != rank)
                            .map(|from| take(from, piece, bytes, true)),
                    );
                }
                for (piece, &bytes) in pieces.iter().enumerate() {
                    part.extend(self.post_to_all(rank, &others, piece + pieces.len(), bytes));
                }
                for &from in others.iter().rev() {
                    let get = |(piece, &bytes)| take(from, piece + pieces.len(), bytes, false);
                    part.extend(pieces.iter().enumerate().map(get));
                }
            }
            Kind::Scan | Kind::ExclusiveScan => match tree {
                Tree::Chain => {
                    for (piece, &bytes) in pieces.iter().enumerate() {
                        part.extend(rank.checked_sub(1).map(|from| take(from, piece, bytes, true)));
                        let next = Some(rank + 1).filter(|&next| next < size);
                        part.extend(next.map(|to| Operation::Post {
                            to,
                            piece,
                            bytes,
                            copies: true,
                        }));
                    }
                }
                Tree::Flat => {
                    for to in rank + 1..size {
                        let post =
                            |(piece, &bytes)| Operation::Post { to, piece, bytes, copies: true };
                        part.extend(pieces.iter().enumerate().map(post));
                    }
                    for from in 0..rank {
                        part.extend(
                            pieces
                                .iter()
                                .enumerate()
                                .map(|(piece, &bytes)| take(from, piece, bytes, true)),
                        );
                    }
                }
                _ => {
                    let (mut distance, bytes) = (1, self.bytes);
                    while distance < size {
                        let to = Some(rank + distance).filter(|&to| to < size);
                        part.extend(to.map(|to| Operation::Post {
                            to,
                            piece: distance,
                            bytes,
                            copies: true,
                        }));
                        part.extend(
                            rank.checked_sub(distance)
                                .map(|from| take(from, distance, bytes, true)),
                        );
                        distance *= 2;
                    }
                }
            },
            _ => return None,
        }
        Some(part)
    }

    /// A rank posts all its data to all others, and combines what they have posted.
    fn part_of_all(&self, rank: Rank) -> Vec<Operation> {
        let others: Vec<Rank> = (0..self.hosts.members()).filter(|&other| other != rank).collect();
        let mut part = Vec::new();
        for (piece, &bytes) in self.pieces.iter().enumerate() {
            part.extend(self.post_to_all(rank, &others, piece, bytes));
        }
        for (piece, &bytes) in self.pieces.iter().enumerate() {
            part.extend(others.iter().map(|&from| take(from, piece, bytes, true)));
        }
        part
    }

    /// A rank posts the word of the call and all its data, and reads what the others, or the lower
    /// ones, have posted where it lies. All that has to be combined it combines unit by unit.
    fn part_of_given(&self, rank: Rank) -> Vec<Operation> {
        const WORD: usize = 0;
        const DATA: usize = 1;
        let (size, in_scan) = (self.hosts.members(), self.kind != Kind::AllReduce);
        let others = || (0..size).filter(|&other| other != rank);
        let to: Vec<Rank> = others().filter(|&to| !in_scan || to > rank).collect();
        let mut part: Vec<Operation> = self.post_to_all(rank, &to, WORD, 0).collect();
        part.extend(self.post_to_all(rank, &to, DATA, self.bytes));
        for from in others().filter(|&from| !in_scan || from < rank) {
            part.extend([WORD, DATA].map(|piece| take(from, piece, 0, false)));
        }
        if rank > 0 || !in_scan {
            part.push(Operation::Help { bytes: self.bytes, in_scan });
        }
        part
    }

    /// A piece for each of `children`: those on the rank's own host read one copy.
    fn post_to_all(
        &self,
        rank: Rank,
        children: &[Rank],
        piece: usize,
        bytes: usize,
    ) -> impl Iterator<Item = Operation> {
        let mut has_copied = false;
        children.iter().map(move |&to| {
            let copies = !near(self.hosts, rank, to) || !std::mem::replace(&mut has_copied, true);
            Operation::Post { to, piece, bytes, copies }
        })
    }
}

/// How long a barrier of all ranks of one host takes with this algorithm, in nanoseconds: its
/// schedule with the terms of the shortest messages (the LogP model; hoefler-2005 §2.1.3 and §2.2).
pub(crate) fn predicted_barrier_ns(algorithm: Algorithm, ranks: usize, terms: &Terms) -> f64 {
    let hosts = Hosts::of((0..ranks).map(|_| 0));
    let on_board = |rank: Rank| {
        let others = (0..ranks).filter(|&other| other != rank);
        let seen = others.map(|from| Operation::See { from, piece: 0 });
        std::iter::once(Operation::Tell { piece: 0, bytes: SIGNAL_BYTES }).chain(seen).collect()
    };
    let by_signals = |rank: Rank| {
        let mut part = Vec::new();
        for (nth, step) in Schedule::new(algorithm, rank, ranks).steps().iter().enumerate() {
            let arrivals = step.recv_from.iter();
            part.extend(arrivals.map(|it| take(it.rank, it.step.into(), SIGNAL_BYTES, false)));
            let bytes = SIGNAL_BYTES;
            let post = |&to| Operation::Post { to, piece: nth, bytes, copies: true };
            part.extend(step.send_to.iter().map(post));
        }
        part
    };
    let parts = match algorithm {
        Algorithm::Board => (0..ranks).map(on_board).collect(),
        _ => (0..ranks).map(by_signals).collect(),
    };
    Play::new(terms, &hosts, parts).run()
}

fn take(from: Rank, piece: usize, bytes: usize, combines: bool) -> Operation {
    Operation::Take { from, piece, bytes, combines }
}

#[cfg(test)]
mod tests {
    use runahead::internals::collective::Shape;
    use runahead::{Launch, Result, ops};

    use super::*;

    /// Messages of any length take their sender 2 ns for each 10 bytes, their receiver 3, and 5
    /// between hosts.
    fn terms(cores: usize) -> Terms {
        let each = |ns: f64| BTreeMap::from([(10, ns), (1000, 100.0 * ns)]);
        let near = Link { os: each(2.0), or: each(3.0), way: each(0.0) };
        let far = Some(Link { way: each(5.0), ..near.clone() });
        Terms { near, far, combine: each(1.0), switch: 0.0, cores }
    }

    fn predicted(kind: Kind, hosts: &[usize], shape: Shape, terms: &Terms) -> f64 {
        let hosts = Hosts::of(hosts.iter().copied());
        let in_shares = kind == Kind::AllReduce && shape.tree == Tree::Flat;
        let payload: usize = if in_shares { 100_usize.div_ceil(hosts.members()) } else { 100 };
        let each = shape.piece_bytes.min(payload);
        let lengths = (0..payload.div_ceil(each)).map(|nth| each.min(payload - nth * each));
        let pieces: Vec<usize> = lengths.collect();
        let combining = Combining::InTree;
        let call = Call { kind, bytes: 100, pieces: &pieces, combining, hosts: &hosts };
        call.predicted_ns(shape.tree, terms).expect("it is known")
    }

    #[test]
    fn little_is_reduced_to_rank_0_and_much_in_shares() {
        let hosts = Hosts::of([0; 4].into_iter());
        let of = |pieces: &[usize]| {
            let (kind, combining) = (Kind::AllReduce, Combining::InTree);
            let call = Call { kind, bytes: 100, pieces, combining, hosts: &hosts };
            call.part(1, Tree::Flat).expect("it is known").len()
        };
        // One message to rank 0 and one from it; or to each other and from each, twice.
        assert_eq!((of(&[100]), of(&[25])), (2, 12));
    }

    /// A call in which ranks of one host give each other so many bytes.
    fn given<R>(
        (kind, combining): (Kind, Combining),
        (size, bytes): (usize, usize),
        then: impl FnOnce(&Call) -> R,
    ) -> R {
        let hosts = Hosts::of((0..size).map(|_| 0));
        then(&Call { kind, bytes, pieces: &[bytes], combining, hosts: &hosts })
    }

    fn given_ns(kind: Kind, size: usize, terms: &Terms) -> f64 {
        given((kind, Combining::Units), (size, 1000), |call| {
            call.predicted_ns(Tree::Flat, terms).expect("it is known")
        })
    }

    /// The word and the data to each that needs them, and of each whose are needed; one copy for all.
    /// In the real call, too, in a group that has no place to deposit.
    /// SEMANTICS: COL-11
    #[test]
    fn ranks_that_give_post_what_the_call_posts() {
        const SIZE: usize = 4;
        const BYTES: usize = 64 << 10;
        const LITTLE: usize = 4 << 10;
        const CALLS: [(Kind, usize, Combining); 4] = [
            (Kind::AllReduce, LITTLE, Combining::All),
            (Kind::AllReduce, BYTES, Combining::Units),
            (Kind::Scan, BYTES, Combining::Units),
            (Kind::ExclusiveScan, BYTES, Combining::Units),
        ];
        let sent_in = |rank, (kind, bytes, combining)| {
            given((kind, combining), (SIZE, bytes), |call| {
                let part = call.part(rank, Tree::Flat).expect("it is known");
                let posts = |it: &&Operation| matches!(it, Operation::Post { .. });
                let takes = |it: &&Operation| matches!(it, Operation::Take { .. });
                let copied = part.iter().filter_map(|it| match *it {
                    Operation::Post { bytes, copies: true, .. } => Some(bytes),
                    _ => None,
                });
                let count = part.iter().filter(posts).count();
                assert_eq!(copied.sum::<usize>(), if count > 0 { bytes } else { 0 });
                [count, part.iter().filter(takes).count()]
            })
        };
        let counted = Launch::new(SIZE).threads().collect(|world| {
            // The board has places for so many groups.
            let others = (0..16).map(|_| world.dup()).collect::<Result<Vec<_>>>()?;
            let world = others.last().expect("there are some");
            world.barrier()?.wait()?;
            let (data, mut got) = ([1_u64; BYTES / 8], [0; BYTES / 8]);
            let passed = |now: [u64; 2], before: [u64; 2]| [0, 1].map(|at| now[at] - before[at]);
            // Nothing of another call comes in between.
            let counts = || -> Result<[u64; 2]> {
                world.barrier()?.wait()?;
                let stats = world.stats()?;
                world.barrier()?.wait()?;
                Ok([stats.messages_sent, stats.messages_received])
            };
            let mut all = Vec::new();
            for (kind, bytes, expected) in CALLS {
                assert_eq!(world.combining(kind, Tree::Flat, bytes), expected, "{kind}");
                let (data, got) = (&data[..bytes / 8], &mut got[..bytes / 8]);
                let before = counts()?;
                match kind {
                    Kind::AllReduce => world.all_reduce_into(data, got, ops::sum)?,
                    Kind::Scan => world.scan_into(data, got, ops::sum)?,
                    _ => world.exclusive_scan_into(data, got, ops::sum)?,
                }
                all.push(passed(counts()?, before));
            }
            Ok(all)
        });
        for (rank, counted) in counted.expect("all succeed").into_iter().enumerate() {
            for (call, counts) in CALLS.into_iter().zip(counted) {
                let counts = counts.map(|it| it as usize);
                assert_eq!(counts, sent_in(rank, call), "{call:?} at {rank}");
            }
        }
    }

    /// 1000 bytes in four units of 250: with a core each, a rank combines its own and copies the others.
    #[test]
    fn ranks_that_give_share_the_work() {
        let posted = 200.0 + 5.0 * 2.0;
        let (taken, read) = (6.0 * 3.0, 0.3 * 250.0 - 3.0);
        let combined = 3.0 * (read + 25.0);
        let each = posted + taken + combined + 3.0 * read;
        let of = |cores| given_ns(Kind::AllReduce, 4, &terms(cores));
        let is_near = |ns: f64, expected: f64| assert!((ns - expected).abs() < 0.1, "{ns}");
        is_near(of(4), each);
        is_near(of(1), 4.0 * each);
        // The last to post finds all there, and leaves its core to nobody until it has combined all.
        let slow = Terms { switch: 7.0, ..terms(1) };
        is_near(given_ns(Kind::AllReduce, 4, &slow), 4.0 * each + 6.0 * 7.0);
    }

    /// In the order of ranks each needs one step for each unit, as in a chain. None waits for another.
    #[test]
    fn ranks_of_a_scan_begin_with_what_is_done() {
        let posted = 3.0 * 200.0 + (5.0 + 3.0 + 1.0) * 2.0;
        let (taken, read) = ((2.0 + 4.0 + 6.0) * 3.0, 0.3 * 250.0 - 3.0);
        let steps = 3.0 * 4.0 * (read + 25.0);
        for (kind, switch) in [(Kind::Scan, 0.0), (Kind::ExclusiveScan, 7.0)] {
            let ns = given_ns(kind, 4, &Terms { switch, ..terms(1) });
            let expected = posted + taken + steps + 3.0 * switch;
            assert!((ns - expected).abs() < 0.1, "{ns}, not {expected}");
            assert!(given_ns(kind, 4, &terms(4)) < 0.6 * ns);
        }
    }

    fn whole(tree: Tree) -> Shape {
        Shape { tree, piece_bytes: 100 }
    }

    #[test]
    fn a_message_takes_its_sender_then_its_way_then_its_receiver() {
        let of = |hosts: &[usize]| predicted(Kind::Broadcast, hosts, whole(Tree::Flat), &terms(2));
        assert_eq!((of(&[0, 0]), of(&[0, 1])), (20.0 + 30.0, 20.0 + 50.0 + 30.0));
        let reduced = predicted(Kind::Reduce, &[0, 0], whole(Tree::Flat), &terms(2));
        assert_eq!(reduced, 20.0 + 30.0 + 10.0);
    }

    #[test]
    fn ranks_take_turns_where_there_are_more_than_cores() {
        // One copy for both; then they read, one after the other or at once.
        let of = |cores| predicted(Kind::Broadcast, &[0; 3], whole(Tree::Flat), &terms(cores));
        // (What is not copied is as short as can be.)
        let posted = 20.0 + 2.0;
        assert_eq!((of(1), of(3)), (posted + 60.0, posted + 30.0));
        // A switch between any two.
        let slow = Terms { switch: 7.0, ..terms(1) };
        assert!(predicted(Kind::Broadcast, &[0; 3], whole(Tree::Flat), &slow) >= of(1) + 14.0);
    }

    #[test]
    fn pieces_overlap() {
        let of = |bytes, cores| {
            let shape = Shape { tree: Tree::Chain, piece_bytes: bytes };
            predicted(Kind::Broadcast, &[0; 4], shape, &terms(cores))
        };
        // Three hops of all, or of the last piece.
        assert_eq!(of(100, 4), 3.0 * 50.0);
        assert!(of(10, 4) < 0.6 * of(100, 4));
        // On one core nothing overlaps: the work is the same.
        assert!((of(10, 1) - of(100, 1)).abs() < 1.0, "{} {}", of(10, 1), of(100, 1));
    }

    #[test]
    fn the_pieces_of_one_sender_follow_each_other_between_hosts() {
        let shape = Shape { tree: Tree::Chain, piece_bytes: 10 };
        let took = predicted(Kind::Broadcast, &[0, 1], shape, &terms(4));
        // Ten times its way of 5, and not 2, the sender's part.
        assert_eq!(took, 2.0 + 10.0 * 5.0 + 3.0);
    }

    /// Over hosts one message goes to each.
    #[test]
    fn a_tree_over_hosts_brings_less_than_a_flat_one() {
        let hosts = [0, 0, 0, 1, 1, 1];
        let of = |tree| predicted(Kind::Broadcast, &hosts, whole(tree), &terms(4));
        assert!(of(Tree::Binomial) < of(Tree::Flat));
    }

    #[test]
    fn a_barrier_takes_its_rounds_and_on_the_board_one_store() {
        let ns = |algorithm, ranks, cores| {
            let near = Link {
                os: BTreeMap::from([(8, 2.0)]),
                or: BTreeMap::from([(8, 3.0)]),
                way: BTreeMap::from([(8, 10.0)]),
            };
            let terms = Terms { near, ..terms(cores) };
            predicted_barrier_ns(algorithm, ranks, &terms)
        };
        assert_eq!(ns(Algorithm::Board, 8, 8), 2.0 + 10.0);
        for (ranks, rounds) in [(2, 1.0), (4, 2.0), (8, 3.0)] {
            assert_eq!(ns(Algorithm::Dissemination, ranks, 8), rounds * (2.0 + 10.0 + 3.0));
        }
        // Rank 0 hears seven and tells seven, one after the other.
        assert_eq!(ns(Algorithm::FlatTree, 8, 8), 12.0 + 7.0 * 3.0 + 7.0 * 2.0 + 10.0 + 3.0);
        assert!(ns(Algorithm::FlatTree, 8, 1) > ns(Algorithm::FlatTree, 8, 8));
    }

    /// No rank waits for ever, in any shape of any call, and more cores never take longer by much.
    #[test]
    fn every_shape_of_every_call_ends() {
        for kind in
            [Kind::Broadcast, Kind::Reduce, Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan]
        {
            for hosts in [vec![0; 2], vec![0; 3], vec![0; 8], vec![0, 1, 0, 1, 1], vec![0, 1, 2]] {
                for tree in Tree::SHAPES {
                    for piece_bytes in [1, 10, 33, 100, 1000] {
                        let shape = Shape { tree, piece_bytes };
                        let [one, many] =
                            [1, 8].map(|cores| predicted(kind, &hosts, shape, &terms(cores)));
                        assert!(
                            0.0 < many && many <= one * 1.5,
                            "{kind} {shape} {hosts:?}: {one}, {many}"
                        );
                    }
                }
            }
        }
        for kind in [Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan] {
            for size in [3, 4, 8, 16] {
                let [one, many] = [1, 8].map(|cores| given_ns(kind, size, &terms(cores)));
                assert!(0.0 < many && many <= one, "{kind} of {size}: {one}, {many}");
            }
        }
        let hosts = Hosts::of([0; 2].into_iter());
        let (kind, combining) = (Kind::AllToAll, Combining::InTree);
        let call = Call { kind, bytes: 8, pieces: &[8], combining, hosts: &hosts };
        assert_eq!(call.predicted_ns(Tree::Flat, &terms(1)), None);
    }

    #[test]
    fn terms_are_straight_lines_between_lengths() {
        let term = BTreeMap::from([(10, 1.0), (20, 3.0)]);
        assert_eq!([5, 10, 15, 20, 40].map(|bytes| at(&term, bytes)), [1.0, 1.0, 2.0, 3.0, 6.0]);
        assert_eq!(at(&BTreeMap::new(), 5), 0.0);
    }
}
