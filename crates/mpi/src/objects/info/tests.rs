//! Info objects against a list of pairs, and their limits.
//! Rules: MPI 5.0, chapter 10: order, lengths, and the class of each error.
//! The comparison is shown to reject keys that have lost their order.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Set(u8, u8),
    Delete(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..6_u8, any::<u8>()).prop_map(|(key, value)| Step::Set(key, value)),
        (0..6_u8).prop_map(Step::Delete),
    ]
}

fn keys(info: &Info) -> Vec<Vec<u8>> {
    (0..info.key_count()).map(|index| info.key(index as c_int).unwrap().to_vec()).collect()
}

proptest! {
    #[test]
    fn an_info_object_is_an_ordered_list_of_pairs(steps in prop::collection::vec(step(), 0..40)) {
        let mut info = Info::new();
        let mut pairs: Vec<([u8; 1], [u8; 1])> = Vec::new();
        for step in steps {
            match step {
                Step::Set(key, value) => {
                    info.set(&[key], &[value]).unwrap();
                    match pairs.iter_mut().find(|pair| pair.0 == [key]) {
                        Some(pair) => pair.1 = [value],
                        None => pairs.push(([key], [value])),
                    }
                }
                Step::Delete(key) => {
                    let known = pairs.iter().any(|pair| pair.0 == [key]);
                    prop_assert_eq!(info.delete(&[key]).is_ok(), known);
                    pairs.retain(|pair| pair.0 != [key]);
                }
            }
            let expected: Vec<Vec<u8>> = pairs.iter().map(|pair| pair.0.to_vec()).collect();
            prop_assert_eq!(keys(&info), expected);
            for (key, value) in &pairs {
                prop_assert_eq!(info.value(key), Ok(Some(&value[..])));
            }
        }
    }
}

#[test]
fn lengths_are_limited() {
    let mut info = Info::new();
    let (key, value) = (vec![b'k'; MPI_MAX_INFO_KEY - 1], vec![b'v'; MPI_MAX_INFO_VAL - 1]);
    info.set(&key, &value).unwrap();
    assert_eq!(info.value(&key), Ok(Some(&value[..])));
    let long = vec![b'k'; MPI_MAX_INFO_KEY];
    assert_eq!(info.set(&long, b"").unwrap_err().class(), MPI_ERR_INFO_KEY);
    assert_eq!(info.value(&long).unwrap_err().class(), MPI_ERR_INFO_KEY);
    assert_eq!(info.set(b"", b"").unwrap_err().class(), MPI_ERR_INFO_KEY);
    let long = vec![b'v'; MPI_MAX_INFO_VAL];
    assert_eq!(info.set(b"k", &long).unwrap_err().class(), MPI_ERR_INFO_VALUE);
    assert_eq!(info.delete(b"k"), Err(InfoError::NoKey("k".into())));
    assert_eq!(info.delete(b"k").unwrap_err().class(), MPI_ERR_INFO_NOKEY);
    assert_eq!(info.key(1).unwrap_err().class(), MPI_ERR_ARG);
    assert_eq!(info.key(-1).unwrap_err().class(), MPI_ERR_ARG);
    assert_eq!(info.key_count(), 1);
}

#[test]
fn a_value_is_cut_to_its_buffer_and_its_length_told() {
    assert_eq!(fitting(b"value", 6), Ok((&b"value"[..], 6)));
    assert_eq!(fitting(b"value", 3), Ok((&b"va"[..], 6)));
    assert_eq!(fitting(b"value", 1), Ok((&b""[..], 6)));
    assert_eq!(fitting(b"value", 0), Ok((&b""[..], 6)));
    assert_eq!(fitting(b"value", -1).unwrap_err().class(), MPI_ERR_ARG);
}

#[test]
fn the_environment_can_be_read_and_copied() {
    let mut info = Info::environment(&Environment {
        command: b"prog".into(),
        arguments: vec![b"-n".into(), b"3".into()],
        ranks: 4,
        thread_level: "MPI_THREAD_SINGLE",
        ..Environment::default()
    });
    assert_eq!(info.value(b"argv"), Ok(Some(&b"-n 3"[..])));
    assert_eq!(info.value(b"maxprocs"), Ok(Some(&b"4"[..])));
    assert_eq!(info.value(b"wdir"), Ok(None));
    assert_eq!(info.set(b"wdir", b"/").unwrap_err().class(), MPI_ERR_INFO);
    assert_eq!(info.delete(b"argv"), Err(InfoError::ReadOnly));
    let mut copy = info.dup();
    copy.delete(b"argv").unwrap();
    assert_eq!(copy.key_count() + 1, info.key_count());
}

#[test]
fn the_comparison_rejects_keys_that_have_lost_their_order() {
    let mut info = Info::new();
    info.set(b"b", b"").unwrap();
    info.set(b"a", b"").unwrap();
    let mut sorted = keys(&info);
    sorted.sort();
    assert_ne!(sorted, keys(&info));
}
