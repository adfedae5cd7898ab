//! What the types promise.

use runahead::{Barrier, Comm, Error, HostNic, RecvRequest, SendRequest};
use static_assertions::{assert_impl_all, assert_not_impl_any};

assert_impl_all!(Comm: Send);
assert_not_impl_any!(Comm: Sync);
// Requests own what they need, and go where a struct goes that holds them with their communicator.
assert_impl_all!(Barrier: Send);
assert_not_impl_any!(Barrier: Sync);
assert_impl_all!(SendRequest: Send);
assert_not_impl_any!(SendRequest: Sync);
assert_impl_all!(RecvRequest<u8>: Send);
assert_not_impl_any!(RecvRequest<u8>: Sync);
assert_impl_all!(Error: Send, Sync, std::error::Error);
assert_impl_all!(HostNic: Send);

/// An error can be handed on as any error can.
#[test]
fn errors_are_errors() {
    let handed_on: Box<dyn std::error::Error + Send + Sync + 'static> =
        Error::RankOutOfRange { rank: 3, size: 2 }.into();
    assert_eq!(
        handed_on.to_string(),
        "rank 3 is out of range: the communicator has 2 ranks, 0 to 1"
    );
}
