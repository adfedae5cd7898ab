//! The parts of the examples that the bench measures: the programs that users read.

#![allow(dead_code, reason = "the examples need more of it")]

#[path = "../../../examples/shared/barriers.rs"]
pub mod barriers;
#[path = "../../../examples/shared/cluster_scan.rs"]
pub mod cluster_scan;
#[path = "../../../examples/shared/number.rs"]
pub mod number;
#[path = "../../../examples/shared/output.rs"]
pub mod output;
#[path = "../../../examples/shared/share.rs"]
pub mod share;
#[path = "../../../examples/shared/variant.rs"]
pub mod variant;
#[path = "../../../examples/shared/work.rs"]
pub mod work;
