//! Schedules of any algorithm with any parameter, at random: each is a barrier. (Every size up to 128
//! with small parameters, and that the check finds what is none: `crates/order/src/schedule/tests`.)

use proptest::prelude::*;
use runahead_order::Algorithm;
use runahead_order::schedule::check::check;
use runahead_order::schedule::{Schedule, names};

/// Any algorithm that there is; most parameters are small, and some larger than the group.
fn algorithm() -> impl Strategy<Value = Algorithm> {
    let number = prop_oneof![3 => 1..=9u8, 2 => 10..=70u8, 1 => 71..=255u8];
    (0..names::ALL.len(), number).prop_map(|(name, number)| {
        let name = &names::ALL[name];
        let number = name.parameter.map(|parameter| number.max(parameter.least));
        name.algorithm(number).expect("the parameter is in range")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// SEMANTICS: BAR-1, BAR-4
    #[test]
    fn every_algorithm_with_any_parameter_is_a_barrier(
        algorithm in algorithm(),
        size in 1..=64usize,
    ) {
        let schedules = Schedule::all(algorithm, size);
        let shape = check(&schedules);
        prop_assert!(shape.is_ok(), "{} at {}: {:?}", algorithm, size, shape);
        prop_assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
    }
}
