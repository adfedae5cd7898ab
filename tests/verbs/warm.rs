//! Once warm, the data path of the threads provider allocates nothing, and that of RDMA neither,
//! nor the layer that repairs what unreliable networks lose.

mod repaired;

use crate::counting::allocations;
use runahead::internals::provider::threads::{FabricSpec, QueueSpec, ThreadsNic, connect};
use runahead::internals::verbs::{
    Completion, Cq, Nic, PutMode, Reliability, RemoteWords, Vi, ViSpec,
};

pub(super) const DESCRIPTORS: u32 = 8;
pub(super) const QUEUE: Cq = Cq(0);

fn layout() -> FabricSpec {
    let queue = QueueSpec { recv_descriptors: DESCRIPTORS, descriptor_bytes: 4096 };
    FabricSpec { queues: vec![queue], shared_words: 0, heap_bytes: 0 }
}

fn pair() -> [ThreadsNic; 2] {
    opened(connect(2, &layout()).unwrap())
}

fn opened<N: Nic>(nics: Vec<N>) -> [N; 2] {
    opened_with(nics, 4096)
}

pub(super) fn opened_with<N: Nic>(nics: Vec<N>, descriptor_bytes: usize) -> [N; 2] {
    let spec = ViSpec {
        recv_descriptors: DESCRIPTORS,
        descriptor_bytes,
        reliability: Reliability::ReliableDelivery,
    };
    let mut nics: [_; 2] = nics.try_into().ok().unwrap();
    for (rank, nic) in nics.iter_mut().enumerate() {
        nic.open_vi(Vi { peer: 1 - rank, cq: QUEUE }, &spec).unwrap();
    }
    nics
}

/// A window full of messages of `len` bytes one way, and one back.
fn round<N: Nic>([here, there]: &mut [N; 2], len: usize) {
    let payload = [5; 4096];
    for _ in 0..DESCRIPTORS {
        here.post_send(Vi { peer: 1, cq: QUEUE }, &[1; 24], &payload[24..len]).unwrap();
    }
    there.wait(None);
    for _ in 0..DESCRIPTORS {
        let arrived = next(there);
        assert_eq!(there.bytes(&arrived.frame).len(), len);
        there.post_recv(Vi { peer: 0, cq: QUEUE }, arrived.frame);
    }
    there.post_send(Vi { peer: 0, cq: QUEUE }, &[1; 24], &payload[24..len]).unwrap();
    let arrived = next(here);
    here.post_recv(Vi { peer: 1, cq: QUEUE }, arrived.frame);
}

/// The next message, which must come.
fn next<N: Nic>(nic: &mut N) -> Completion<N::Frame> {
    loop {
        match nic.poll_recv(QUEUE).unwrap() {
            Some(arrived) => return arrived,
            None => nic.wait(None),
        }
    }
}

#[test]
fn the_data_path_allocates_nothing_once_warm() {
    let mut nics = pair();
    let cold = allocations(|| round(&mut nics, 4096));
    assert!(cold > 0, "the first buffers must be counted, or the counter is broken");
    // A buffer fits any message of its VI: once there are enough, the length does not matter.
    for len in [24, 64, 65, 1000, 4096] {
        assert_eq!(allocations(|| (0..100).for_each(|_| round(&mut nics, len))), 0, "{len} bytes");
    }
}

#[test]
fn short_messages_and_words_allocate_nothing_at_all() {
    let mut nics = pair();
    let [key, _] = nics.each_mut().map(|nic| nic.register(1).unwrap());
    let count = allocations(|| {
        round(&mut nics, 64);
        assert_eq!(nics[0].post_put(1, key, 0, 7, PutMode::Immediate), Ok(true));
        assert_eq!(nics[1].read(0, key, 0), Ok(7));
    });
    assert_eq!(count, 0);
}

#[cfg(all(target_os = "linux", feature = "ib"))]
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn rdma_allocates_nothing() {
    use runahead::internals::provider::ib;
    let device = std::env::var("RUNAHEAD_TEST_IB_DEVICE").expect("a device is named");
    let settings = ib::Settings::default().with_devices(&device);
    let mut nics = opened(ib::connect(&settings, 2, &layout()).unwrap());
    let [key, _] = nics.each_mut().map(|nic| nic.register(1).unwrap());
    let put = |nic: &mut ib::IbNic| {
        while !nic.post_put(1, key, 0, 7, PutMode::Immediate).unwrap() {
            nic.wait(None);
        }
    };
    put(&mut nics[0]);
    for len in [24, 64, 256, 1000, 4096] {
        let count = allocations(|| {
            (0..20).for_each(|_| round(&mut nics, len));
            put(&mut nics[0]);
            nics[0].wake(1);
        });
        assert_eq!(count, 0, "{len} bytes");
    }
}

/// By the unreliable transports, with the layer that repairs. Datagrams are as long as packets may
/// be.
#[cfg(all(target_os = "linux", feature = "ib"))]
#[test]
#[ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
fn rdma_by_unreliable_transports_allocates_nothing() {
    use runahead::internals::provider::{Transport, ib};
    let device = std::env::var("RUNAHEAD_TEST_IB_DEVICE").expect("a device is named");
    let spec = |bytes| FabricSpec {
        queues: vec![QueueSpec { recv_descriptors: DESCRIPTORS, descriptor_bytes: bytes }],
        shared_words: 0,
        heap_bytes: 0,
    };
    for transport in [Transport::Uc, Transport::Ud] {
        let settings = ib::Settings::default().with_devices(&device).with_transport(transport);
        let nics = ib::connect_repaired(&settings, 2, &spec(900)).unwrap();
        let mut nics = opened_with(nics, 900);
        (0..50).for_each(|_| round(&mut nics, 900));
        for len in [24, 256, 900] {
            let count = allocations(|| (0..20).for_each(|_| round(&mut nics, len)));
            assert_eq!(count, 0, "{transport:?}, {len} bytes");
        }
    }
}
