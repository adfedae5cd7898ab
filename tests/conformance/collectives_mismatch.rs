//! Every way in which two ranks can call a collective differently, with what they are told, and
//! arguments that cannot be.

use runahead::internals::collective::{Combining, Kind};
use runahead::{CollectiveError, Error, Exchange, MessageError, Result, Tree};

use crate::harness::{Case, Gate, World};

type Called<'c> = &'c (dyn Fn(&World) -> Result<()> + Sync);

/// Rank 0 makes one call and rank 1 the other: rank 0 must be told of rank 1, in these words.
fn told(case: &Case, tree: Tree, ours: Called, theirs: Called, words: [&str; 2]) {
    let mut config = case.config(2);
    config.window_messages = config.window_messages.max(8);
    let told = Gate::new();
    case.run_with(&config, 2, |world, step| {
        world.set_tree(tree);
        if world.rank() == 1 {
            // It may be told too, or that rank 0 has ended.
            match theirs(world) {
                Ok(())
                | Err(Error::Collective(CollectiveError::Mismatch { from: 0, .. }))
                | Err(Error::Message(MessageError::PeerEnded { rank: 0, .. })) => {}
                Err(error) => panic!("{error}"),
            }
            // Else rank 0 might be told of its end instead.
            told.wait_progressing(1, world)?;
        } else {
            let _told = told.promise();
            step.to(format!("being told of {}", words[0]));
            let error = ours(world).expect_err(words[0]);
            let Error::Collective(CollectiveError::Mismatch { from: 1, theirs, ours }) = &error
            else {
                panic!("{error}")
            };
            assert!(theirs.contains(words[0]), "{theirs:?} says nothing of {:?}", words[0]);
            assert!(ours.contains(words[1]), "{ours:?} says nothing of {:?}", words[1]);
        }
        Ok(())
    });
}

fn add(a: u32, b: u32) -> u32 {
    a + b
}

fn multiply(a: u32, b: u32) -> u32 {
    a * b
}

/// Kind, root, tree, count, element size and operator.
/// SEMANTICS: COL-4
fn what_differs_is_named(case: &Case) {
    let sum: Called = &|world| world.all_reduce(&[1u32, 2], add).map(drop);
    let wide: Called = &|world| world.all_reduce(&[1u64], |a, b| a + b).map(drop);
    let long: Called = &|world| world.all_reduce(&[1u32; 3], add).map(drop);
    let product: Called = &|world| world.all_reduce(&[1u32, 2], multiply).map(drop);
    let barred: Called = &|world| world.reduce(0, &[1u32, 2], add).map(drop);
    for tree in Tree::ALL {
        told(case, tree, sum, long, ["3 elements of 4 bytes", "2 elements of 4 bytes"]);
        told(case, tree, sum, wide, ["1 elements of 8 bytes", "2 elements of 4 bytes"]);
        told(case, tree, sum, product, ["operator", "operator"]);
        told(case, tree, sum, barred, ["reduce", "all_reduce"]);
    }
    let chained: Called = &|world| {
        world.set_tree(Tree::Chain);
        world.all_reduce(&[1u32, 2], add).map(drop)
    };
    told(case, Tree::Flat, sum, chained, ["chain", "flat"]);

    let gather: Called = &|world| world.gather(0, &[1u32]).map(drop);
    let bytes: Called = &|world| world.gather(0, &[1u8]).map(drop);
    told(case, Tree::Auto, gather, bytes, ["elements of 1 bytes", "elements of 4 bytes"]);
    told(case, Tree::Auto, gather, barred, ["reduce with root 0", "gather with root 0"]);
    // Two calls later it shows that the roots were others.
    let roots: Called = &|world| world.gather(1, &[1u32]).map(drop).and_then(|()| gather(world));
    let twice: Called = &|world| gather(world).and_then(|()| gather(world));
    told(case, Tree::Auto, roots, twice, ["number 1", "number 2"]);

    let scatter: Called = &|world| world.scatter(1, &[&[1u32], &[2]]).map(drop);
    let all_gather: Called = &|world| world.all_gather(&[1u32]).map(drop);
    told(case, Tree::Auto, all_gather, scatter, ["scatter with root 1", "all_gather"]);
    told(
        case,
        Tree::Auto,
        &scatter_from_1,
        &|world| world.broadcast(1, &mut [1u32]),
        ["broadcast", "scatter"],
    );
    let even: Called = &|world| world.all_to_all(&[1u32, 2]).map(drop);
    let more: Called = &|world| world.all_to_all(&[1u32; 4]).map(drop);
    told(case, Tree::Auto, even, more, ["2 elements of 4 bytes", "1 elements of 4 bytes"]);
    let share: Called = &|world| world.reduce_scatter(&[1u32, 2], add).map(drop);
    let other: Called = &|world| world.reduce_scatter(&[1u32, 2], multiply).map(drop);
    told(case, Tree::Auto, share, other, ["operator", "operator"]);
    told(case, Tree::Auto, share, even, ["all_to_all", "reduce_scatter"]);
    let counted = |counts: [usize; 2]| {
        move |world: &World| world.reduce_scatter_v(&[1u32; 4], &counts, add).map(drop)
    };
    told(case, Tree::Auto, &counted([3, 1]), &counted([2, 2]), ["2 elements", "3 elements"]);
    // Rank 0 expects 5 elements, and rank 1 has 2 for it.
    let of = |to_other: usize, from_other: usize| {
        move |world: &World| {
            let (data, rank) = (vec![7u32; to_other], world.rank());
            let mut outgoing = [&[][..]; 2];
            outgoing[1 - rank] = &data;
            let mut expected = [0; 2];
            expected[1 - rank] = from_other;
            world.all_to_all_v(&outgoing, &expected).map(drop)
        }
    };
    told(case, Tree::Auto, &of(0, 5), &of(2, 0), ["2 elements", "5 elements"]);
    let exchange: Called = &|world| world.exchange(&[&[1u32], &[2]], Exchange::Pairwise, |_, _| {});
    told(case, Tree::Auto, exchange, even, ["all_to_all", "exchange"]);
}

fn scatter_from_1(world: &World) -> Result<()> {
    world.scatter::<u32>(1, &[]).map(drop)
}

/// So many elements of 4 bytes are above the eager limit.
const MANY: usize = 3_000;

/// Rank `liar` of 3 makes one call, and the others another of `kind`, in which ranks give each other their data. Each of the
/// others that needs the liar's must be told of it, in these words. Whoever needs nothing of it gets its result.
fn told_by_all(case: &Case, kind: Kind, liar: usize, [ours, theirs]: [Called; 2], words: &str) {
    const SIZE: usize = 3;
    let mut config = case.config(SIZE);
    config.window_messages = config.window_messages.max(8);
    let told = Gate::new();
    case.run_with(&config, SIZE, |world, step| {
        if world.combining(kind, Tree::Flat, MANY * size_of::<u32>()) != Combining::Units {
            return Ok(());
        }
        step.to(format!("{kind}, with {words} at {liar}"));
        if world.rank() == liar {
            match theirs(world) {
                Ok(())
                | Err(Error::Collective(CollectiveError::Mismatch { .. }))
                | Err(Error::Message(MessageError::PeerEnded { .. })) => {}
                Err(error) => panic!("{error}"),
            }
            return told.wait_progressing(SIZE - 1, world);
        }
        let promise = told.promise();
        let outcome = ours(world);
        match outcome {
            Ok(()) => assert!(kind != Kind::AllReduce && world.rank() < liar, "{kind}, {words}"),
            Err(Error::Collective(CollectiveError::Mismatch { from, theirs, .. })) => {
                assert_eq!(from, liar, "{theirs}");
                assert!(theirs.contains(words), "{theirs:?} says nothing of {words:?}");
            }
            Err(error) => panic!("{kind}, with {words} at {liar}: {error}"),
        }
        // Else another might be told of this one's end instead.
        drop(promise);
        told.wait_progressing(SIZE - 1, world)
    });
}

/// Whoever gives other data, or other numbers of them, is named by all that read them. (Planted: a rank that compares no
/// words; one that compares no operators.)
/// SEMANTICS: COL-4, COL-11
fn what_differs_is_named_by_all_to_whom_it_is_given(case: &Case) {
    fn call<T: runahead::Element>(
        world: &World,
        kind: Kind,
        data: &[T],
        combine: impl Fn(T, T) -> T,
    ) -> Result<()> {
        match kind {
            Kind::AllReduce => world.all_reduce(data, combine).map(drop),
            Kind::Scan => world.scan(data, combine).map(drop),
            _ => world.exclusive_scan(data, combine).map(drop),
        }
    }
    let all = [Kind::AllReduce, Kind::Scan, Kind::ExclusiveScan];
    for (at, kind) in all.into_iter().enumerate() {
        let ours: Called = &|world| call(world, kind, &[1u32; MANY], add);
        let gathers: Called = &|world| world.all_gather(&[1u32; MANY]).map(drop);
        let other = if kind == Kind::Scan { Kind::ExclusiveScan } else { Kind::Scan };
        let scans: Called = &|world| call(world, other, &[1u32; MANY], add);
        let reduces: Called = &|world| call(world, Kind::AllReduce, &[1u32; MANY], add);
        let theirs: [(Called, &str); 7] = [
            (&|world| call(world, kind, &[1u32; MANY - 1], add), "2999 elements of 4 bytes"),
            (&|world| call(world, kind, &[1u32; MANY + 1], add), "3001 elements of 4 bytes"),
            // Within the eager limit.
            (&|world| call(world, kind, &[1u32; MANY / 3], add), "1000 elements of 4 bytes"),
            (
                &|world| call(world, kind, &[1u16; 2 * MANY], |a, b| a + b),
                "6000 elements of 2 bytes",
            ),
            (&|world| call(world, kind, &[1u32; MANY], multiply), "another operator"),
            (gathers, "all_gather"),
            // A scan gives lower ranks nothing, and they would wait for it.
            if kind == Kind::AllReduce { (gathers, "all_gather") } else { (scans, other.name()) },
        ];
        for (nth, (theirs, words)) in theirs.into_iter().enumerate() {
            for liar in 0..3 {
                if case.has_half(at + nth + liar) {
                    told_by_all(case, kind, liar, [ours, theirs], words);
                }
            }
        }
        if kind != Kind::AllReduce {
            told_by_all(case, kind, 0, [ours, reduces], "all_reduce");
        }
    }
}

/// Arguments that cannot be are refused before anything is sent, and named.
fn wrong_arguments_are_refused(case: &Case) {
    case.run(3, |world, _| {
        let refused = |result: Result<()>, message: &str| {
            let error = result.expect_err(message);
            assert!(matches!(error, Error::Collective(_)), "{error}");
            assert_eq!(error.to_string(), message);
        };
        let none: &[&[u8]] = &[];
        let add = |a: u8, b: u8| a + b;
        refused(
            world.exchange(none, Exchange::FirstArrived, |_, _| {}),
            "outgoing of exchange has 0 parts, and there are 3 ranks",
        );
        refused(
            world.exchange_parts(none).map(drop),
            "outgoing of exchange has 0 parts, and there are 3 ranks",
        );
        refused(
            world.all_to_all_v(&[&[1u8] as &[u8]; 3], &[1, 1]).map(drop),
            "expected of all_to_all_v has 2 parts, and there are 3 ranks",
        );
        refused(
            world.all_to_all_v(&[&[1u8] as &[u8]; 3], &[2; 3]).map(drop),
            "outgoing of all_to_all_v has 1 elements, and 2 are stated",
        );
        refused(
            world.all_to_all(&[1u8; 4]).map(drop),
            "all_to_all was given 4 elements, which 3 ranks cannot share evenly",
        );
        refused(
            world.reduce_scatter(&[1u8; 5], add).map(drop),
            "reduce_scatter was given 5 elements, which 3 ranks cannot share evenly",
        );
        refused(
            world.reduce_scatter_v(&[1u8; 5], &[5], add).map(drop),
            "counts of reduce_scatter_v has 1 parts, and there are 3 ranks",
        );
        refused(
            world.reduce_scatter_v(&[1u8; 5], &[1, 2, usize::MAX], add).map(drop),
            &format!("data of reduce_scatter_v has 5 elements, and {} are stated", usize::MAX),
        );
        if world.rank() == 0 {
            refused(
                world.scatter(0, none).map(drop),
                "parts of scatter has 0 parts, and there are 3 ranks",
            );
        }
        for result in [world.gather(3, &[1u8]).map(drop), world.scatter(3, none).map(drop)] {
            assert!(matches!(result, Err(Error::RankOutOfRange { rank: 3, size: 3 })));
        }
        // None of these counted as a call.
        assert_eq!(world.all_reduce(&[1u8], add)?, [3]);
        Ok(())
    });
}

suite!(
    what_differs_is_named,
    what_differs_is_named_by_all_to_whom_it_is_given,
    wrong_arguments_are_refused
);
