//! The all-gather of groups on several hosts: long blocks come once to each host and go on from there, short ones
//! come straight, and what comes out is the same.

use runahead::{CollectiveError, Error, MessageError, Result, Tree};

use crate::deposits::deposits;
use crate::harness::{Case, Spread, Step, World};

const LONG: usize = Spread::LONG;

fn block(from: usize, round: usize, count: usize) -> Vec<u64> {
    (0..count).map(|at| (from * 1_000_000 + round * 10_000 + at) as u64).collect()
}

/// Calls it with blocks of these lengths, and checks what comes out.
fn gather(world: &World, round: usize, counts: &[usize]) -> Result<()> {
    let parts = world.all_gather(&block(world.rank(), round, counts[world.rank()]))?;
    for (from, part) in parts.iter().enumerate() {
        assert!(part == block(from, round, counts[from]), "round {round}, part {from}");
    }
    assert_eq!(parts.len(), counts.len());
    Ok(())
}

/// Blocks of no, some and many elements, each rank in turn with each; and each in turn comes late. Between the calls
/// there are barriers that nobody waits for, and messages of the program.
/// SEMANTICS: COL-1, COL-5, COL-7
fn blocks_of_any_length_come_together(case: &Case) {
    for size in case.sizes(&Spread::SIZES) {
        let mut config = case.config(size);
        config.eager_bytes = 200;
        case.run_with(&config, size, |world, step: &Step| {
            for (at, tree) in [Tree::Auto, Tree::Binary, Tree::Flat].into_iter().enumerate() {
                if !case.has_part(size + at) {
                    continue;
                }
                world.set_tree(tree);
                let next = (world.rank() + 1) % size;
                let before = (world.rank() + size - 1) % size;
                for round in 0..2 * size {
                    step.to(format!("{tree}, round {round}"));
                    let lengths = [0, 1, 60, LONG, 1000, LONG + 3];
                    let counts: Vec<usize> =
                        (0..size).map(|rank| lengths[(rank + round) % lengths.len()]).collect();
                    if world.rank() == round % size {
                        (0..40).for_each(|_| std::thread::yield_now());
                    }
                    // Else a window of one would be full.
                    let received = world.irecv::<usize>(before, 1)?;
                    let sent = world.isend(next, 1, &[round])?;
                    gather(world, round, &counts)?;
                    assert_eq!(received.wait()?.data, [round]);
                    sent.wait()?;
                    world.barrier()?;
                }
            }
            Ok(())
        });
    }
}

/// A rank sends a word to each other, a long block of its own to those beside it and to one member of each other host,
/// and one that it passes on to those beside it. (Planted: a relay that is always the first of its host; a block that
/// goes to all.)
/// SEMANTICS: COL-1
fn a_long_block_goes_once_to_each_host(case: &Case) {
    for size in case.sizes(&[3, 5, 13]) {
        let spread = case.spread(size);
        let sent = case.run(size, |world, step: &Step| {
            step.to("a long block");
            world.barrier()?.wait()?;
            let before = world.stats()?.messages_sent;
            gather(world, 0, &vec![LONG; size])?;
            // When all have it, all has left.
            world.barrier()?.wait()?;
            Ok((world.stats()?.messages_sent - before, world.copies_payloads()))
        });
        // Where others see it, it makes one copy for all, and sends no message.
        if deposits(case, size) && sent[0].1 {
            assert_eq!(sent, vec![(0, true); size]);
            continue;
        }
        let sent: Vec<u64> = sent.into_iter().map(|(sent, _)| sent).collect();
        // For each rank, how often it sends a long block.
        let times = |rank: usize| {
            let beside = spread.beside(rank);
            match spread.is_shared() {
                true => beside + spread.hosts() - 1 + spread.turns(rank) * beside,
                false => size - 1,
            }
        };
        // All are as many messages.
        let each = (sent[0] - (size as u64 - 1)) / times(0) as u64;
        assert!(each > 0, "{sent:?}");
        for (rank, &sent) in sent.iter().enumerate() {
            assert_eq!(
                sent,
                size as u64 - 1 + each * times(rank) as u64,
                "rank {rank}, {each} each"
            );
        }
    }
}

/// A rank with a flat tree, which passes nothing on, is noticed before anybody waits for it.
/// SEMANTICS: COL-4
fn a_rank_that_passes_nothing_on_is_told(case: &Case) {
    let size = 3;
    if !case.spread(size).is_shared() {
        return;
    }
    case.run(size, |world, step: &Step| {
        step.to("another tree");
        world.set_tree(if world.rank() == 0 { Tree::Flat } else { Tree::Auto });
        match (world.rank(), world.all_gather(&vec![1_u64; LONG]).expect_err("they differ")) {
            (_, Error::Collective(CollectiveError::Mismatch { from: 0, .. })) => {}
            (0, Error::Collective(CollectiveError::Mismatch { .. })) => {}
            // It has noticed before it could send a word.
            (_, Error::Message(MessageError::PeerEnded { rank: 0, .. })) => {}
            (rank, error) => panic!("rank {rank}: {error}"),
        }
        Ok(())
    });
}

suite!(
    blocks_of_any_length_come_together,
    a_long_block_goes_once_to_each_host,
    a_rank_that_passes_nothing_on_is_told,
);

on_two_hosts!(
    blocks_of_any_length_come_together,
    a_long_block_goes_once_to_each_host,
    a_rank_that_passes_nothing_on_is_told,
);
