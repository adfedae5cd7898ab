//! A queue pair of runahead and one of the crate `ibverbs`, reliably connected, send each other
//! messages of all kinds: within the work request, in one packet, and in several. Then ours writes
//! into memory of theirs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ibverbs::{
    CompletionQueue, Gid, MemoryRegion, QueuePair, QueuePairEndpoint, ibv_qp_type, ibv_wc,
};

use crate::sys::ibverbs::{
    Access, Batch, Channel, Completion, Context, Cq, Failure, Pair, PairShape, Pd, Port,
    RegisteredWords, Remote, Route, Status, Target, Transport,
};

const PORT: u8 = 1;
/// The number of the first packet that ours sends. Theirs always begins with 0.
const FIRST_PACKET: u32 = 0x00ab_cdef;
/// A number that our completions bear.
const OWNER: u32 = 3;
/// Message lengths, in bytes. A packet has at most 4,096.
const LENGTHS: [usize; 8] = [0, 1, 8, 100, 1000, 4096, 4097, 20_000];
const ROUNDS: usize = 20;
const LONGEST_BYTES: usize = 20_000;
/// soft-RoCE in an emulated machine is slow; a message that is lost never comes.
const LIMIT: Duration = Duration::from_secs(60);

/// What is asked for again and again, until there is some.
fn within_limit<T>(
    what: &str,
    mut ask: impl FnMut() -> Result<Option<T>, String>,
) -> Result<T, String> {
    let begin = Instant::now();
    while begin.elapsed() < LIMIT {
        if let Some(found) = ask()? {
            return Ok(found);
        }
        std::thread::yield_now();
    }
    Err(format!("{what} did not come within {} s", LIMIT.as_secs()))
}

/// Waits for the one completion of ours, and returns it.
fn ours_completed(what: &str, cq: &Cq) -> Result<Completion, String> {
    let completion = within_limit(what, || {
        let mut batch = Batch::default();
        cq.poll(&mut batch).map_err(ours_failed)?;
        let completion = batch.take();
        if !batch.is_empty() {
            return Err(format!("{what} is not all that was completed"));
        }
        Ok(completion)
    })?;
    match completion.status() {
        Status::Done => Ok(completion),
        status => Err(format!("{what}: ours says {status:?}")),
    }
}

fn ours_failed(failure: Failure) -> String {
    format!("ours: {failure:?}")
}

fn theirs_failed(error: std::io::Error) -> String {
    format!("theirs: {error}")
}

/// Waits for the one completion of theirs, and returns its length in bytes.
fn theirs_completed(what: &str, cq: &CompletionQueue<'_>) -> Result<usize, String> {
    within_limit(what, || {
        let mut completions = [ibv_wc::default()];
        let completed = cq.poll(&mut completions).map_err(theirs_failed)?;
        match completed.first() {
            None => Ok(None),
            Some(done) if done.is_valid() => Ok(Some(done.len())),
            Some(done) => Err(format!("{what}: theirs says {:?}", done.error())),
        }
    })
}

/// The bytes of a message: each round and length has others.
fn content(seed: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at * 7 + seed * 31 + len) as u8).collect()
}

/// Our end: a queue pair and what belongs to it.
struct Ours {
    context: Arc<Context>,
    port: Port,
    pair: Pair,
    send_cq: Arc<Cq>,
    recv_cq: Arc<Cq>,
}

impl Ours {
    /// One on this device that is not connected yet.
    fn new(device: &str) -> Result<Ours, String> {
        let context = Context::open(device).map_err(ours_failed)?;
        let context = context.ok_or_else(|| format!("ours: there is no device {device}"))?;
        let pd = Pd::new(&context).map_err(ours_failed)?;
        let channel = Channel::new(&context, 0).map_err(ours_failed)?;
        let send_cq = Cq::new(&channel, 64).map_err(ours_failed)?;
        let recv_cq = Cq::new(&channel, 64).map_err(ours_failed)?;
        let landing = RegisteredWords::new(&pd, 8, Access::Local).map_err(ours_failed)?;
        let shape = PairShape {
            transport: Transport::Rc,
            qkey: 0,
            owner: OWNER,
            receives: 4,
            receive_bytes: LONGEST_BYTES,
            sends: 4,
            send_bytes: LONGEST_BYTES,
            inline_bytes: 64,
        };
        let pair = Pair::new(&pd, &send_cq, &recv_cq, &landing, (PORT, 0), &shape);
        let port = context.port(PORT).map_err(ours_failed)?;
        Ok(Ours { context, port, pair: pair.map_err(ours_failed)?, send_cq, recv_cq })
    }

    /// Where theirs finds it.
    fn endpoint(&self, gid_index: u8) -> Result<QueuePairEndpoint, String> {
        let gid = self.context.gid(PORT, gid_index.into()).map_err(ours_failed)?;
        let gid = Some(Gid::from(ibverbs_sys::ibv_gid { raw: gid }));
        Ok(QueuePairEndpoint { num: self.pair.number(), lid: self.port.lid, gid })
    }

    fn connect(&mut self, gid_index: u8, theirs: &QueuePairEndpoint) -> Result<(), String> {
        let their_gid = theirs.gid.ok_or("theirs has no address")?;
        let mut gid = [0; 16];
        gid[..8].copy_from_slice(&their_gid.subnet_prefix().to_be_bytes());
        gid[8..].copy_from_slice(&their_gid.interface_id().to_be_bytes());
        let route = Route {
            port: PORT,
            gid_index,
            is_global: true,
            pkey_index: 0,
            service_level: 0,
            traffic_class: 0,
        };
        let remote = Remote {
            number: theirs.num,
            qkey: 0,
            first_packet: 0,
            gid,
            lid: theirs.lid,
            mtu: self.port.mtu,
            reads: 1,
        };
        self.pair.connect(&route, &remote, FIRST_PACKET).map_err(ours_failed)
    }

    /// Posts, and waits until the work request is done.
    fn post(&mut self, target: Target, bytes: &[u8]) -> Result<(), String> {
        // The first bytes apart, as the provider posts a header.
        let (head, tail) = bytes.split_at(bytes.len().min(5));
        let posted = self.pair.post(target, head, tail, true);
        posted.map_err(|failure| format!("ours: {failure:?}"))?;
        let completion = ours_completed("that our work is done", &self.send_cq)?;
        match self.pair.completed(&completion) {
            true => Ok(()),
            false => Err("what is done is no work of ours".to_owned()),
        }
    }
}

/// Their end, and the memory that its messages lie in.
struct Theirs<'a> {
    pair: QueuePair<'a>,
    cq: &'a CompletionQueue<'a>,
    inbox: MemoryRegion<u8>,
    outbox: MemoryRegion<u8>,
}

/// A message of ours to theirs.
fn send_there(ours: &mut Ours, theirs: &mut Theirs<'_>, bytes: &[u8]) -> Result<(), String> {
    // SAFETY: nothing else is posted to `inbox`, which is left alone until this is done.
    unsafe { theirs.pair.post_receive(&mut theirs.inbox, .., 1) }.map_err(theirs_failed)?;
    ours.post(Target::Receive, bytes)?;
    let came = theirs_completed("a message of ours", theirs.cq)?;
    match theirs.inbox[..came] == *bytes {
        true => Ok(()),
        false => Err(format!("{came} bytes came wrong of our {}", bytes.len())),
    }
}

/// A message of theirs to ours.
fn send_back(ours: &mut Ours, theirs: &mut Theirs<'_>, bytes: &[u8]) -> Result<(), String> {
    theirs.outbox[..bytes.len()].copy_from_slice(bytes);
    // SAFETY: `outbox` is left alone until the completion of this.
    unsafe { theirs.pair.post_send(&mut theirs.outbox, ..bytes.len(), 2) }
        .map_err(theirs_failed)?;
    let completion = ours_completed("a message of theirs", &ours.recv_cq)?;
    let received = ours.pair.received(&completion);
    let (slot, came) = received.ok_or("what has come is no message to ours")?;
    if slot.bytes(came) != bytes || completion.owner() != OWNER as usize {
        return Err(format!("{came} bytes came wrong of their {}", bytes.len()));
    }
    ours.pair.post_receive(slot).map_err(|code| format!("ours: ibv_post_recv: {code}"))?;
    theirs_completed("that their send is done", theirs.cq).map(drop)
}

/// Exchanges messages between a pair of ours on one device and one of theirs on another, each with
/// the address of this index. Says how many.
///
/// # Errors
///
/// Saying what cannot be made, does not come, or comes wrong.
pub fn exchange(our_device: &str, their_device: &str, gid_index: u8) -> Result<String, String> {
    let devices = ibverbs::devices().map_err(theirs_failed)?;
    let device = devices.iter().find(|device| {
        device.name().is_some_and(|name| name.to_bytes() == their_device.as_bytes())
    });
    let device = device.ok_or_else(|| format!("theirs: there is no device {their_device}"))?;
    let context = device.open().map_err(theirs_failed)?;
    let cq = context.create_cq(16, 0).map_err(theirs_failed)?;
    let pd = context.alloc_pd().map_err(theirs_failed)?;
    let prepared = pd
        .create_qp(&cq, &cq, ibv_qp_type::IBV_QPT_RC)
        .set_gid_index(gid_index.into())
        .set_rq_psn(FIRST_PACKET)
        // Some 8 s, as ours.
        .set_timeout(18)
        .set_max_send_wr(4)
        .set_max_recv_wr(4)
        .allow_remote_rw()
        .build()
        .map_err(theirs_failed)?;

    let mut ours = Ours::new(our_device)?;
    ours.connect(gid_index, &prepared.endpoint())?;
    let mut theirs = Theirs {
        pair: prepared.handshake(ours.endpoint(gid_index)?).map_err(theirs_failed)?,
        cq: &cq,
        inbox: pd.allocate(LONGEST_BYTES).map_err(theirs_failed)?,
        outbox: pd.allocate(LONGEST_BYTES).map_err(theirs_failed)?,
    };
    for round in 0..ROUNDS {
        for len in LENGTHS {
            send_there(&mut ours, &mut theirs, &content(round, len))?;
            send_back(&mut ours, &mut theirs, &content(round + ROUNDS, len))?;
        }
    }

    // Ours writes into their memory, of which theirs hears nothing.
    let bytes = content(1, 3000);
    let (address, key) = (theirs.inbox.as_ptr().addr() as u64, theirs.inbox.rkey().key);
    ours.post(Target::Memory(address, key), &bytes)?;
    if theirs.inbox[..3000] != bytes[..] {
        return Err("what ours has written is not what lies there".to_owned());
    }
    let messages = 2 * ROUNDS * LENGTHS.len();
    Ok(format!("{messages} messages of up to {LONGEST_BYTES} bytes, and a write, came right"))
}
