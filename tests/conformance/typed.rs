//! Elements: what does not fit is refused and stays receivable.

use runahead::zerocopy::{FromBytes, Immutable, IntoBytes};
use runahead::{Error, Source, Tag};

use crate::harness::Case;

#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Particle {
    position: [f64; 3],
    charge: f64,
}

/// An element of more than 255 bytes states no size.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Wide([u64; 40]);

/// A message of other elements than were asked for is refused by every way of receiving, with both
/// sizes named, and can still be received as what it is. Large messages are no different.
/// SEMANTICS: ORD-2
fn other_elements_are_refused_and_stay(case: &Case) {
    for size in [1, 2, 5] {
        let mut config = case.config(size);
        config.eager_bytes = 100;
        case.run_with(&config, size, |world, step| {
            let next = (world.rank() + 1) % size;
            let previous = (world.rank() + size - 1) % size;
            for count in [2usize, 100] {
                step.to(format!("{count} elements"));
                let request = world.isend(next, 1, &vec![7u32; count])?;
                let refused = |error: Error| match error {
                    Error::ElementSize { source_rank, tag, bytes, sent, asked } => {
                        assert_eq!((source_rank, tag, bytes), (previous, 1, count * 4));
                        assert_eq!((sent, asked), (4, 8));
                    }
                    other => panic!("{other}"),
                };
                refused(world.recv::<u64>(previous, 1).unwrap_err());
                refused(world.recv_into(&mut [0u64; 100], Source::Any, 1).unwrap_err());
                refused(world.irecv::<u64>(previous, Tag::Any)?.wait().unwrap_err());
                refused(world.try_recv::<u64>(previous, 1).unwrap_err());
                assert_eq!(world.recv::<u32>(previous, 1)?.data, vec![7; count]);
                request.wait()?;
            }
            Ok(())
        });
    }
}

/// A message that is longer than the room is refused, with both lengths named, and stays.
/// SEMANTICS: ORD-2
fn what_is_too_long_is_refused_and_stays(case: &Case) {
    for size in [1, 2, 5] {
        let mut config = case.config(size);
        config.eager_bytes = 100;
        case.run_with(&config, size, |world, _| {
            let next = (world.rank() + 1) % size;
            let previous = (world.rank() + size - 1) % size;
            for count in [3usize, 200] {
                let request = world.isend(next, 1, &vec![9u16; count])?;
                let mut room = vec![0u16; count];
                match world.recv_into(&mut room[1..], previous, 1) {
                    Err(Error::Truncated { source_rank, tag, bytes, room }) => {
                        assert_eq!((source_rank, tag), (previous, 1));
                        assert_eq!((bytes, room), (2 * count, 2 * count - 2));
                    }
                    other => panic!("{other:?}"),
                }
                let status = world.recv_into(&mut room, previous, 1)?;
                assert_eq!((status.bytes, room), (2 * count, vec![9; count]));
                request.wait()?;
            }
            Ok(())
        });
    }
}

/// Raw bytes are received as any type of the right size, any message as raw bytes, and messages
/// without elements as messages.
/// SEMANTICS: ORD-2
fn bytes_structs_and_nothing_travel(case: &Case) {
    for size in [1, 2, 5] {
        case.run(size, |world, step| {
            let next = (world.rank() + 1) % size;
            let previous = (world.rank() + size - 1) % size;
            // A send to oneself waits for nobody; to others, even ranks receive second.
            step.to("raw bytes");
            world.send_bytes(next, 1, &[1, 0, 0, 0, 2, 0, 0, 0])?;
            assert!(matches!(world.recv::<[u8; 3]>(previous, 1), Err(Error::ElementSize { .. })));
            assert_eq!(world.recv::<u32>(previous, 1)?.data, [1u32.to_le(), 2u32.to_le()]);
            step.to("as raw bytes");
            world.send(next, 1, &[[1u8, 2, 3]])?;
            assert_eq!(world.recv_bytes(previous, 1)?.data, [1, 2, 3]);
            step.to("structs");
            let particle = Particle { position: [1.0, 2.0, -3.5], charge: f64::MIN_POSITIVE };
            world.send(next, 1, &[particle; 2])?;
            assert_eq!(world.recv::<Particle>(previous, 1)?.data, [particle; 2]);
            let wide = Wide(std::array::from_fn(|at| at as u64));
            world.send(next, 1, &[wide])?;
            assert_eq!(world.recv::<Wide>(previous, 1)?.data, [wide]);
            step.to("nothing");
            world.send::<u64>(next, 1, &[])?;
            let message = world.recv::<u64>(previous, 1)?;
            assert_eq!((message.source, message.data.len()), (previous, 0));
            world.send_bytes(next, 1, &[])?;
            assert_eq!(world.recv::<Particle>(previous, 1)?.data, []);
            Ok(())
        });
    }
}

suite!(
    other_elements_are_refused_and_stay,
    what_is_too_long_is_refused_and_stays,
    bytes_structs_and_nothing_travel,
);
