//! Queue pairs that fail: built with `--cfg planted`.

use runahead::internals::verbs::{Cq, Vi};

use super::*;

/// A queue pair that fails in the device is a lost peer, also where nothing is promised.
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn a_queue_pair_in_error_is_a_lost_peer() {
    for transport in BOTH {
        let queue = ViSpec { descriptor_bytes: 900, ..reliable(4) };
        let mut nics = bare(transport, 2, &[queue]);
        open_all(&mut nics, &[queue]);
        nics[0].plant_error(Vi { peer: 1, cq: Cq(0) });
        while nics[0].peer_state(1) == PeerState::Connected {
            nics[0].wait(None);
            assert!(nics[0].poll_recv(DATA).unwrap().is_none());
        }
        assert_eq!(nics[0].loss(1), Some(("ibv_poll_cq", "its queue pair has failed")));
    }
}
