//! What the model says of calls and barriers, by terms that are easy to reckon with.

use runahead::internals::collective::Shape;
use runahead::{Launch, Result, ops};

use super::*;

/// Messages of any length take their sender 2 ns for each 10 bytes, their receiver 3, and 5
/// between hosts.
fn terms(cores: usize) -> Terms {
    let each = |ns: f64| BTreeMap::from([(10, ns), (1000, 100.0 * ns)]);
    let near = Link { os: each(2.0), or: each(3.0), way: each(0.0) };
    let far = Some(Link { way: each(5.0), ..near.clone() });
    // Of deposits 4, 6 and 1.
    let deposits = Link { os: each(4.0), or: each(6.0), way: each(1.0) };
    Terms { near, far, deposits, combine: each(1.0), switch: 0.0, cores }
}

fn predicted(kind: Kind, hosts: &[usize], shape: Shape, terms: &Terms) -> f64 {
    let hosts = Hosts::of(hosts.iter().copied());
    let in_shares = kind == Kind::AllReduce && shape.tree == Tree::Flat;
    let payload: usize = if in_shares { 100_usize.div_ceil(hosts.members()) } else { 100 };
    let each = shape.piece_bytes.min(payload);
    let lengths = (0..payload.div_ceil(each)).map(|nth| each.min(payload - nth * each));
    let pieces: Vec<usize> = lengths.collect();
    let combining = Combining::InTree;
    let is_deposited = false;
    let call = Call { kind, bytes: 100, pieces: &pieces, combining, is_deposited, hosts: &hosts };
    call.predicted_ns(shape.tree, terms).expect("it is known")
}

#[test]
fn little_is_reduced_to_rank_0_and_much_in_shares() {
    let hosts = Hosts::of([0; 4].into_iter());
    let of = |pieces: &[usize]| {
        let (kind, combining) = (Kind::AllReduce, Combining::InTree);
        let is_deposited = false;
        let call = Call { kind, bytes: 100, pieces, combining, is_deposited, hosts: &hosts };
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
    let is_deposited = false;
    then(&Call { kind, bytes, pieces: &[bytes], combining, is_deposited, hosts: &hosts })
}

fn given_ns(kind: Kind, size: usize, terms: &Terms) -> f64 {
    given((kind, Combining::Units), (size, 1000), |call| {
        call.predicted_ns(Tree::Flat, terms).expect("it is known")
    })
}

/// The word and the data to each that needs them, and of each whose are needed; one copy for all.
/// In the real call, too, in a group that has no place to deposit; in one that has, nobody sends a message.
/// (Planted: a model that posts where the call deposits.)
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
    let sent_in = |rank, (kind, bytes, combining), is_deposited| {
        given((kind, combining), (SIZE, bytes), |call| {
            let part = Call { is_deposited, ..*call }.part(rank, Tree::Flat).expect("it is known");
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
        let has_place = world;
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
            let deposits =
                [has_place, world].map(|comm| comm.is_deposited(kind, Tree::Flat, bytes));
            assert_eq!(deposits, [true, false], "{kind}");
            let (data, got) = (&data[..bytes / 8], &mut got[..bytes / 8]);
            for comm in [has_place, world] {
                let before = counts()?;
                match kind {
                    Kind::AllReduce => comm.all_reduce_into(data, got, ops::sum)?,
                    Kind::Scan => comm.scan_into(data, got, ops::sum)?,
                    _ => comm.exclusive_scan_into(data, got, ops::sum)?,
                }
                all.push(passed(counts()?, before));
            }
        }
        Ok(all)
    });
    for (rank, counted) in counted.expect("all succeed").into_iter().enumerate() {
        let both_ways = CALLS.into_iter().flat_map(|call| [(call, true), (call, false)]);
        for ((call, is_deposited), counts) in both_ways.zip(counted) {
            let (counts, expected) =
                (counts.map(|it| it as usize), sent_in(rank, call, is_deposited));
            assert_eq!(counts, expected, "{call:?} at {rank}, deposited: {is_deposited}");
        }
    }
}

/// What is deposited goes once to all, and a rank takes it in for itself. What is combined unit by unit is read there.
/// (Planted: a deposit that takes its time for each reader; one that is on its way as a message is; that the last rank of a
/// scan deposits.)
/// SEMANTICS: COL-11
#[test]
fn a_deposit_is_made_once_and_read_by_each() {
    let of = |kind, combining, size, terms: &Terms| {
        given((kind, combining), (size, 100), |call| {
            let call = Call { is_deposited: true, ..*call };
            call.predicted_ns(Tree::Flat, terms).expect("it is known")
        })
    };
    let (deposit, way, read, combine) = (40.0, 10.0, 60.0, 10.0);
    let (broadcast, in_tree) = (Kind::Broadcast, Combining::InTree);
    assert_eq!(of(broadcast, in_tree, 4, &terms(4)), deposit + way + read);
    assert_eq!(of(broadcast, in_tree, 4, &terms(1)), deposit + way + 3.0 * read);
    let all = 3.0 * (read + combine);
    assert_eq!(of(Kind::Reduce, in_tree, 4, &terms(4)), deposit + way + all);
    assert_eq!(of(Kind::Reduce, in_tree, 4, &terms(1)), 3.0 * deposit + all);
    assert_eq!(of(Kind::AllReduce, Combining::All, 4, &terms(4)), deposit + way + all);
    // The last rank has all to read, and nothing to deposit.
    for kind in [Kind::Scan, Kind::ExclusiveScan] {
        assert_eq!(of(kind, in_tree, 4, &terms(4)), deposit + way + all);
        // On one core others go on while it is on its way.
        assert_eq!(of(kind, in_tree, 4, &terms(1)), 3.0 * deposit + 6.0 * (read + combine));
    }
    let units = |terms: &Terms| of(Kind::AllReduce, Combining::Units, 4, terms);
    let (slow, quick) = (terms(1), Terms { deposits: Link::default(), ..terms(1) });
    // Each deposits once, and finds three.
    assert_eq!(units(&slow) - units(&quick), 4.0 * deposit + 4.0 * 3.0 * 6.0);
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
    for kind in [Kind::Broadcast, Kind::Reduce, Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan] {
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
    use Combining::{All, InTree, Units};
    let (reads_all, roots) =
        ([Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan], [Kind::Broadcast, Kind::Reduce]);
    let of_all = reads_all.map(|kind| [All, Units].map(|how| (kind, how))).concat();
    for (kind, combining) in of_all.into_iter().chain(roots.map(|kind| (kind, InTree))) {
        for size in [2, 3, 4, 8, 16] {
            let ns = |cores| {
                given((kind, combining), (size, 1000), |call| {
                    let call = Call { is_deposited: true, ..*call };
                    call.predicted_ns(Tree::Flat, &terms(cores)).expect("it is known")
                })
            };
            let [one, many] = [1, 8].map(ns);
            assert!(0.0 < many && many <= one, "{kind} of {size}, deposited: {one}, {many}");
        }
    }
    for kind in [Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan] {
        for size in [3, 4, 8, 16] {
            let [one, many] = [1, 8].map(|cores| given_ns(kind, size, &terms(cores)));
            assert!(0.0 < many && many <= one, "{kind} of {size}: {one}, {many}");
        }
    }
    let hosts = Hosts::of([0; 2].into_iter());
    let (kind, combining) = (Kind::AllToAll, InTree);
    for is_deposited in [false, true] {
        let call = Call { kind, bytes: 8, pieces: &[8], combining, is_deposited, hosts: &hosts };
        assert_eq!(call.predicted_ns(Tree::Flat, &terms(1)), None);
    }
}

#[test]
fn terms_are_straight_lines_between_lengths() {
    let term = BTreeMap::from([(10, 1.0), (20, 3.0)]);
    assert_eq!([5, 10, 15, 20, 40].map(|bytes| at(&term, bytes)), [1.0, 1.0, 2.0, 3.0, 6.0]);
    assert_eq!(at(&BTreeMap::new(), 5), 0.0);
}
