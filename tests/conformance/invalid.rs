//! Invalid use gives a typed error that names the argument, and the world goes on.

use runahead::internals::verbs::VerbsError;
use runahead::launch::LaunchError;
use runahead::{CollectiveError, Config, Error, Exchange, Launch, MAX_TAG, MessageError, Source};

use crate::harness::{Case, message_error};

fn arguments_out_of_range_are_named(case: &Case) {
    for size in [1, 3] {
        let mut config = case.config(size);
        config.message_bytes = 1000;
        case.run_with(&config, size, |world, step| {
            let out_of_range = |error: Error| match error {
                Error::RankOutOfRange { rank, size: named } => {
                    assert_eq!((rank, named), (size, size))
                }
                other => panic!("{other}"),
            };
            let tag_out_of_range = |error: Error| match error {
                Error::TagOutOfRange { tag } => assert_eq!(tag, MAX_TAG + 1),
                other => panic!("{other}"),
            };
            let (one, next) = ([1u8], (world.rank() + 1) % size);
            out_of_range(world.send(size, 1, &one).unwrap_err());
            out_of_range(world.send_bytes(size, 1, &one).unwrap_err());
            out_of_range(world.try_send(size, 1, &one).unwrap_err());
            out_of_range(world.isend(size, 1, &one).map(drop).unwrap_err());
            out_of_range(world.recv::<u8>(size, 1).unwrap_err());
            out_of_range(world.recv_into(&mut [0u8], size, 1).unwrap_err());
            out_of_range(world.recv_bytes(size, 1).unwrap_err());
            out_of_range(world.try_recv::<u8>(size, 1).unwrap_err());
            out_of_range(world.irecv::<u8>(size, 1).map(drop).unwrap_err());
            out_of_range(world.probe(size, 1).unwrap_err());
            out_of_range(world.try_probe(size, 1).unwrap_err());
            out_of_range(world.broadcast(size, &mut [0u8]).unwrap_err());
            out_of_range(world.reduce(size, &one, |a, _| a).unwrap_err());
            tag_out_of_range(world.send(next, MAX_TAG + 1, &one).unwrap_err());
            tag_out_of_range(world.isend(next, MAX_TAG + 1, &one).map(drop).unwrap_err());
            tag_out_of_range(world.recv::<u8>(Source::Any, MAX_TAG + 1).unwrap_err());
            tag_out_of_range(world.probe(next, MAX_TAG + 1).unwrap_err());
            let too_large = MessageError::TooLarge { len: 1001, limit: 1000 };
            assert_eq!(message_error(world.send(next, 1, &[0u8; 1001])), too_large);
            assert_eq!(message_error(world.isend(next, 1, &[0u8; 1001]).map(drop)), too_large);
            assert_eq!(message_error(world.try_send(next, 1, &[0u8; 1001])), too_large);
            match world.exchange::<u8>(&[], Exchange::FirstArrived, |_, _| {}) {
                Err(Error::Collective(CollectiveError::WrongCount {
                    given: 0,
                    size: named,
                    ..
                })) => {
                    assert_eq!(named, size);
                }
                other => panic!("{other:?}"),
            }
            step.to("going on");
            world.send(next, MAX_TAG, &[5u8; 1000])?;
            assert_eq!(world.recv::<u8>(Source::Any, MAX_TAG)?.data, [5; 1000]);
            world.broadcast(0, &mut [0u8])?;
            world.barrier()?.wait()
        });
    }
}

suite!(arguments_out_of_range_are_named);

#[test]
fn worlds_that_cannot_be_are_refused() {
    let nothing = |launch: Launch| launch.run(|_| panic!("no rank may start")).unwrap_err();
    assert!(matches!(nothing(Launch::new(0)), Error::Launch(LaunchError::NoRanks)));
    match nothing(Launch::new(257)) {
        Error::Launch(LaunchError::Network(VerbsError::AboveLimit { asked, limit, .. })) => {
            assert_eq!((asked, limit), (257, 256));
        }
        other => panic!("{other}"),
    }
    let with = |change: fn(&mut Config)| {
        let mut config = Config::new(2);
        change(&mut config);
        match nothing(Launch::new(2).options(config)) {
            Error::Option(error) => {
                (error.option, error.value.and_then(|value| value.parse::<usize>().ok()))
            }
            other => panic!("{other}"),
        }
    };
    assert_eq!(with(|c| c.window_messages = 0), ("window_messages", Some(0)));
    assert_eq!(with(|c| c.window_messages = 1 << 15), ("window_messages", Some(1 << 15)));
    assert_eq!(with(|c| c.signal_window = 0), ("signal_window", Some(0)));
    assert_eq!(with(|c| c.bulk_window = 0), ("bulk_window", Some(0)));
    assert_eq!(with(|c| c.eager_bytes = 1 << 31), ("eager_bytes", Some(1 << 31)));
    assert_eq!(with(|c| c.segment_bytes = 0), ("segment_bytes", Some(0)));
    assert_eq!(with(|c| c.open_barriers = 0), ("open_barriers", Some(0)));
    assert_eq!(with(|c| c.open_barriers = 1 << 17), ("open_barriers", Some(1 << 17)));
    // Within the range of the configuration, and above what threads can do.
    let launch = Launch::new(2).eager_bytes(1 << 25);
    assert!(matches!(
        nothing(launch),
        Error::Launch(LaunchError::Network(VerbsError::AboveLimit { .. }))
    ));
}
