//! The shortest whole programs.
use runahead::{Exchange, Launch, Source, Tree};

#[test]
fn ring_with_barriers() {
    for size in [1, 2, 3, 5, 8, 13] {
        for window in [1, 4] {
            Launch::new(size)
                .window(window)
                .run(|world| {
                    let next = (world.rank() + 1) % size;
                    for step in 0..200u64 {
                        world.send(next, 1, &[step])?;
                        world.barrier()?;
                        let m = world.recv::<u64>(Source::Any, 1)?;
                        assert_eq!(m.data, [step]);
                    }
                    world.barrier()?.wait()?;
                    Ok(())
                })
                .unwrap();
        }
    }
}

#[test]
fn large_and_collective() {
    for size in [1, 2, 3, 5, 8] {
        for tree in Tree::ALL {
            let sums = Launch::new(size)
                .eager_bytes(64)
                .collect(|world| {
                    world.set_tree(tree);
                    let next = (world.rank() + 1) % size;
                    let big: Vec<u32> = (0..100_000).map(|i| i + world.rank() as u32).collect();
                    let request = world.isend(next, 3, &big)?;
                    let m = world.recv::<u32>(Source::Any, 3)?;
                    assert_eq!(m.data[7], 7 + m.source as u32);
                    request.wait()?;
                    let mut total = [0u64];
                    if let Some(sum) = world.reduce(0, &[world.rank() as u64 + 1], |a, b| a + b)? {
                        total[0] = sum[0];
                    }
                    world.multicast(0, &mut total)?;
                    let out: Vec<Vec<u64>> = (0..size)
                        .map(|to| vec![(world.rank() * 1000 + to) as u64; 30 * to + world.rank()])
                        .collect();
                    let out: Vec<&[u64]> = out.iter().map(|v| &v[..]).collect();
                    let mut got = vec![0; size];
                    world.exchange(&out, Exchange::Smart, |from, piece| {
                        got[from] += piece.len();
                        assert!(piece.iter().all(|&x| x as usize == from * 1000 + world.rank()));
                    })?;
                    for (from, got) in got.iter().enumerate() {
                        assert_eq!(*got, 30 * world.rank() + from);
                    }
                    Ok(total[0])
                })
                .unwrap();
            assert!(sums.iter().all(|&s| s as usize == size * (size + 1) / 2));
        }
    }
}
