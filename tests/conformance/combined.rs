//! The reduce-scatter of groups on several hosts: the ranks of a host combine long blocks first, and what comes out is
//! the same.

use runahead::{CollectiveError, Error, MessageError, Tree, ops};

use crate::deposits::deposits;
use crate::harness::{Case, Spread, Step};

const LONG: usize = Spread::LONG;

/// An operator that is associative and does not commute: of functions `x -> a x + b`, the one after the other.
type Affine = [u32; 2];

fn after(first: Affine, second: Affine) -> Affine {
    let [a, b] = first;
    let [c, d] = second;
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

fn element(rank: usize, round: usize, at: usize) -> Affine {
    [(2 * (rank + at + round) + 1) as u32, (rank * 31 + at * 7 + round) as u32]
}

/// Blocks of no, some and many elements, with an operator that does not commute: elements are combined in the order of
/// ranks. Each rank in turn comes late; between the calls there are barriers that nobody waits for.
/// (Planted: hosts that are combined in the reverse order.)
/// SEMANTICS: COL-1, COL-3, COL-5, COL-7
fn blocks_of_any_length_are_combined_in_the_order_of_ranks(case: &Case) {
    for size in case.sizes(&Spread::SIZES) {
        let mut config = case.config(size);
        config.eager_bytes = 200;
        case.run_with(&config, size, |world, step: &Step| {
            for (at, tree) in [Tree::Auto, Tree::Binary, Tree::Flat].into_iter().enumerate() {
                if !case.has_part(size + at) {
                    continue;
                }
                world.set_tree(tree);
                for round in 0..2 * size {
                    step.to(format!("{tree}, round {round}"));
                    let lengths = [0, 1, 60, LONG, 1000, LONG + 3];
                    let counts: Vec<usize> =
                        (0..size).map(|rank| lengths[(rank + round) % lengths.len()]).collect();
                    let total = counts.iter().sum();
                    let mine = |rank| (0..total).map(move |at| element(rank, round, at));
                    if world.rank() == round % size {
                        (0..40).for_each(|_| std::thread::yield_now());
                    }
                    let data: Vec<Affine> = mine(world.rank()).collect();
                    let result = world.reduce_scatter_v(&data, &counts, after)?;
                    let first: usize = counts[..world.rank()].iter().sum();
                    let of = |at| (0..size).map(|rank| element(rank, round, at)).reduce(after);
                    let right =
                        (first..first + counts[world.rank()]).map(|at| of(at).expect("some"));
                    assert!(result.into_iter().eq(right), "{tree}, round {round}");
                    world.barrier()?;
                }
            }
            Ok(())
        });
    }
}

/// A rank gets its block from each beside it, and once from each other host; and from each beside it what it combines for
/// others. (Planted: a combiner that is always the first of its host.)
/// SEMANTICS: COL-1, COL-5
fn a_block_comes_once_from_each_host(case: &Case) {
    for size in case.sizes(&[3, 5, 13]) {
        let spread = case.spread(size);
        let came = case.run(size, |world, step: &Step| {
            step.to("a long block");
            // Nobody has sent anything yet.
            let before = world.stats()?.messages_received;
            world.barrier()?.wait()?;
            let result = world.reduce_scatter(&vec![1_u64; LONG * size], ops::sum)?;
            assert!(result == [size as u64; LONG]);
            Ok((world.stats()?.messages_received - before, world.copies_payloads()))
        });
        // Where ranks see it, each reads its own as the others have written it.
        if deposits(case, size) && came[0].1 {
            assert_eq!(came, vec![(0, true); size]);
            continue;
        }
        let came: Vec<u64> = came.into_iter().map(|(came, _)| came).collect();
        // How many blocks come to each rank.
        let times = |rank: usize| {
            let beside = spread.beside(rank);
            match spread.is_shared() {
                true => beside + spread.hosts() - 1 + spread.turns(rank) * beside,
                false => size - 1,
            }
        };
        // All are as many messages.
        let each = came[0] / times(0) as u64;
        assert!(each > 0, "{came:?}");
        for (rank, &came) in came.iter().enumerate() {
            assert_eq!(came, each * times(rank) as u64, "rank {rank}, {each} each");
        }
    }
}

/// A rank with a flat tree, which combines for nobody, is noticed before anybody waits for it for ever.
/// SEMANTICS: COL-4
fn a_rank_that_combines_for_nobody_is_told(case: &Case) {
    let size = 3;
    if !case.spread(size).is_shared() {
        return;
    }
    case.run(size, |world, step: &Step| {
        step.to("another tree");
        world.set_tree(if world.rank() == 0 { Tree::Flat } else { Tree::Auto });
        let data = vec![1_u64; LONG * size];
        match world.reduce_scatter(&data, ops::sum).expect_err("they differ") {
            Error::Collective(CollectiveError::Mismatch { .. }) => {}
            // It has noticed before it could send a word.
            Error::Message(MessageError::PeerEnded { .. }) => {}
            error => panic!("rank {}: {error}", world.rank()),
        }
        Ok(())
    });
}

suite!(
    blocks_of_any_length_are_combined_in_the_order_of_ranks,
    a_block_comes_once_from_each_host,
    a_rank_that_combines_for_nobody_is_told,
);

on_two_hosts!(
    blocks_of_any_length_are_combined_in_the_order_of_ranks,
    a_block_comes_once_from_each_host,
    a_rank_that_combines_for_nobody_is_told,
);
