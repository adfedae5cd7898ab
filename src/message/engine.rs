//! Progress: takes what the network has received, tells the order core, hands on what may be
//! delivered, and sends what is due.
//!
//! The path of a message inwards is `poll_network` → hold queue → `deliver` → match queue; outwards
//! it is `post` (in `send`) or, where it must wait, the outbox → `flush_outboxes`. The operations
//! that programs call are in the other files of this folder.
//!
//! Keeps rules FLOW-1, FLOW-2 and SAFE-1 of SEMANTICS.md.

use super::config::{BULK, CONTROL, Config, EAGER, QUEUES, SIGNAL};
use super::control::{Control, FRAME_BYTES, Returned, decode_signal, encode_signal};
use super::credit::Window;
use super::error::{MessageError, Violation};
use super::header::{Header, Kind, unwrap_stamp};
use super::matching::MatchQueue;
use super::peer::Peer;
use super::recv::{Body, Inbound, Matching, Recv};
use super::rendezvous::Gathered;
use crate::order::hold::Hold;
use crate::order::{GroupId, Order, Rank, Signal};
use crate::sys::time::Instant;
use crate::verbs::{Completion, Nic, PostError, Reliability, VerbsError, Vi};

/// What a rank's message layer has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Messages sent to other ranks.
    pub messages_sent: u64,
    /// Messages received from other ranks.
    pub messages_received: u64,
    /// Of these, how many came ahead of their barrier and were held.
    pub messages_held: u64,
    /// Barrier signals sent, repetitions included.
    pub signals_sent: u64,
    /// Questions for signals that were missing.
    pub signals_asked: u64,
    /// Time spent waiting inside calls, in nanoseconds.
    pub wait_ns: u64,
    /// How often a waiting call gave up polling and slept.
    pub sleeps: u64,
}

/// The contexts of a communicator: the program's messages, and its collectives' own.
pub(super) const CONTEXTS: usize = 2;

/// The message layer of one rank.
pub struct Engine<N: Nic> {
    pub(super) nic: N,
    pub(super) config: Config,
    pub(super) order: Order,
    pub(super) hold: Hold<Inbound<N::Frame>>,
    /// Indexed by context.
    pub(super) matching: Matching<N::Frame>,
    pub(super) peers: Vec<Peer>,
    pub(super) recvs: Vec<Recv<N::Frame>>,
    /// Posted receives that have matched a request whose transfer has yet to start.
    pub(super) matched_requests: Vec<u32>,
    pub(super) gathered: Vec<Gathered>,
    /// Peers with something in their outbox.
    sending: Vec<Rank>,
    /// Peers with transfers that may stream.
    streaming: Vec<Rank>,
    /// Peers with control frames due.
    due: Vec<Rank>,
    /// As much of `order.completions()` as the hold queue and the outboxes have seen.
    seen_completions: u64,
    /// Whether signals may be lost.
    pub(super) lossy: bool,
    pub(super) next_ask: Option<Instant>,
    pub(super) idle_looks: u32,
    /// How many peers are closing, ended or lost.
    pub(super) leaving: usize,
    /// Peers whose interface was found closed, until the next look at the network.
    pub(super) suspects: Vec<Rank>,
    pub(super) stats: Stats,
    /// A violation after which the world cannot go on; every later call returns it again.
    broken: Option<MessageError>,
}

impl<N: Nic> Engine<N> {
    /// Opens all VIs of `nic`, with the world as the only group.
    ///
    /// # Errors
    ///
    /// [`MessageError::Verbs`] if the provider's limits do not allow what `config` asks for.
    ///
    /// # Panics
    ///
    /// If `config` has not passed [`Config::check`].
    pub fn new(mut nic: N, config: Config) -> Result<Engine<N>, MessageError> {
        let (rank, size) = (nic.rank(), nic.size());
        let mut order = Order::new(rank, size, config.ordering, config.open_barriers);
        let everyone: Vec<Rank> = (0..size).collect();
        order
            .add_group(GroupId::WORLD, &everyone, config.algorithm, config.first_epoch)
            .expect("the group of all ranks is always valid");
        let mut lossy = false;
        for peer in everyone.into_iter().filter(|&peer| peer != rank) {
            for (cq, spec) in (0..QUEUES).map(crate::verbs::Cq).zip(config.vi_specs()) {
                let has = nic.open_vi(Vi { peer, cq }, &spec)?;
                lossy |= cq == SIGNAL && has == Reliability::Unreliable;
                // A signal that is lost is asked for again; nothing else may be lost.
                if has < spec.reliability && cq != SIGNAL {
                    let provider = nic.attributes().provider;
                    return Err(VerbsError::TooUnreliable { provider, cq }.into());
                }
            }
        }
        let mut peers: Vec<Peer> = (0..size).map(|_| Peer::new(&config)).collect();
        if lossy {
            // Nobody can count what may be lost; what is too much is lost and asked for again.
            peers.iter_mut().for_each(|peer| peer.signal = Window::new(None));
        }
        Ok(Engine {
            order,
            hold: Hold::new(size),
            matching: (0..CONTEXTS).map(|_| MatchQueue::new(size)).collect(),
            peers,
            recvs: Vec::new(),
            matched_requests: Vec::new(),
            gathered: Vec::new(),
            sending: Vec::with_capacity(size),
            streaming: Vec::with_capacity(size),
            due: Vec::with_capacity(size),
            seen_completions: 0,
            lossy,
            next_ask: None,
            idle_looks: 0,
            leaving: 0,
            suspects: Vec::with_capacity(size),
            stats: Stats::default(),
            broken: None,
            nic,
            config,
        })
    }

    /// The rank whose engine this is.
    pub fn rank(&self) -> Rank {
        self.order.rank()
    }

    /// The number of ranks in the world.
    pub fn size(&self) -> usize {
        self.order.size()
    }

    /// The sizes and choices of the world.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The network underneath.
    pub fn nic(&self) -> &N {
        &self.nic
    }

    /// What has been done so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The ordering state, to look at.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Handles all that has been received and sends all that is due, without waiting. Returns
    /// whether anything was received.
    ///
    /// # Errors
    ///
    /// [`MessageError::Protocol`] if a peer broke the protocol, which ends this world: every later
    /// call returns the same. [`MessageError::Verbs`] and [`MessageError::Post`] if the network
    /// failed.
    pub fn progress(&mut self) -> Result<bool, MessageError> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        // What these had sent before they went is found by the poll that follows.
        let suspected = self.suspects.len();
        let result = self.poll_network().and_then(|news| {
            self.judge_suspects(suspected);
            self.flush()?;
            self.ask_when_due(news)?;
            Ok(news)
        });
        self.remember(result)
    }

    /// As [`progress`](Engine::progress), for barrier signals alone: a call that does not wait
    /// still passes on what others wait for.
    pub(super) fn progress_signals(&mut self) -> Result<(), MessageError> {
        if let Some(broken) = &self.broken {
            return Err(broken.clone());
        }
        let result = self.poll_signals().and_then(|news| {
            if news || !self.due.is_empty() {
                self.handle_completions()?;
                self.flush()?;
            }
            Ok(())
        });
        self.remember(result)?;
        if self.order.has_signals() {
            // They wait for credit, which control frames bring.
            self.progress()?;
        }
        Ok(())
    }

    /// Ends this world with an error that every later call returns again.
    pub(super) fn break_with(&mut self, error: MessageError) -> Result<(), MessageError> {
        self.remember(Err(error))
    }

    fn remember<T>(&mut self, result: Result<T, MessageError>) -> Result<T, MessageError> {
        if let Err(error @ (MessageError::Protocol { .. } | MessageError::Verbs(_))) = &result {
            self.broken = Some(error.clone());
        }
        result
    }

    fn poll_network(&mut self) -> Result<bool, MessageError> {
        // Signals come first, and data after them: when a barrier completes, what its members sent
        // before it has then been looked for later than their signals (rule FEN-1).
        let mut news = self.poll_signals()?;
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(CONTROL)? {
            news = true;
            let decoded = Control::decode(self.nic.bytes(&frame));
            self.nic.post_recv(Vi { peer, cq: CONTROL }, frame);
            let (control, returned) =
                decoded.map_err(|malformed| MessageError::protocol(peer, malformed))?;
            self.handle_returned(peer, returned)?;
            self.handle_control(peer, control)?;
        }
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(BULK)? {
            news = true;
            self.handle_segment(peer, frame)?;
        }
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(EAGER)? {
            news = true;
            self.handle_message(peer, frame)?;
        }
        self.handle_completions()?;
        Ok(news)
    }

    fn poll_signals(&mut self) -> Result<bool, MessageError> {
        let mut news = false;
        while let Some(Completion { peer, frame }) = self.nic.poll_recv(SIGNAL)? {
            news = true;
            let decoded = decode_signal(self.nic.bytes(&frame));
            self.nic.post_recv(Vi { peer, cq: SIGNAL }, frame);
            let signal = decoded.map_err(|malformed| MessageError::protocol(peer, malformed))?;
            if !self.lossy && self.peers[peer].signal_returns.handle_consumed() {
                self.control_due(peer).credit = true;
            }
            self.order
                .handle_signal(peer, signal)
                .map_err(|fault| MessageError::protocol(peer, fault))?;
        }
        Ok(news)
    }

    fn handle_message(&mut self, from: Rank, frame: N::Frame) -> Result<(), MessageError> {
        let violation = |violation| Err(MessageError::protocol(from, violation));
        let header = match Header::decode(self.nic.bytes(&frame)) {
            Ok((header, _)) => header,
            Err(malformed) => return violation(malformed.into()),
        };
        if header.kind == Kind::Segment {
            return violation(Violation::UnknownTransfer(header.transfer));
        }
        if header.context as usize >= self.matching.len() {
            return violation(Violation::UnknownContext(header.context));
        }
        let (len, limit) = (header.len as usize, self.config.message_bytes);
        if len > limit {
            return violation(Violation::TooLarge { len, limit });
        }
        let peer = &mut self.peers[from];
        peer.received_eager += 1;
        if peer.leaving.ended.is_some_and(|eager| peer.received_eager > eager) {
            return violation(Violation::AfterEnd);
        }
        self.stats.messages_received += 1;
        let body = match header.kind {
            Kind::Request => Body::Request { frame, transfer: header.transfer },
            _ => Body::Frame(frame),
        };
        let Header { element, context, tag, .. } = header;
        let stamp = unwrap_stamp(header.stamp, self.order.recv_clock(from));
        self.arrive(from, stamp, Inbound { context, tag, element, len, body })
    }

    /// A message has come from `from`, or from this rank itself.
    pub(super) fn arrive(
        &mut self,
        from: Rank,
        stamp: crate::order::Clock,
        message: Inbound<N::Frame>,
    ) -> Result<(), MessageError> {
        let recv_clock = self.order.recv_clock(from);
        match self.hold.handle_arrival(from, stamp, recv_clock, message) {
            Ok(Some(message)) => {
                let requests = &mut self.matched_requests;
                deliver(&mut self.matching, &mut self.recvs, requests, from, message);
                Ok(())
            }
            Ok(None) => {
                self.stats.messages_held += 1;
                Ok(())
            }
            Err(fault) => Err(MessageError::protocol(from, fault)),
        }
    }

    /// Barriers have completed since last time: looks at what was held.
    pub(super) fn handle_completions(&mut self) -> Result<(), MessageError> {
        let completions = self.order.completions();
        if completions != self.seen_completions {
            self.seen_completions = completions;
            let (order, matching, recvs) = (&self.order, &mut self.matching, &mut self.recvs);
            let requests = &mut self.matched_requests;
            self.hold.poll_deliverable(
                |from| order.recv_clock(from),
                |from, message| deliver(matching, recvs, requests, from, message),
            );
        }
        self.start_matched_pulls()
    }

    fn handle_control(&mut self, from: Rank, control: Control) -> Result<(), MessageError> {
        let peer = &mut self.peers[from];
        match control {
            Control::Credit => {}
            // It may have been on its way to clear another when its program returned.
            Control::ClearToSend { .. } if peer.leaving.closing.is_some() => {}
            Control::ClearToSend { transfer } => {
                let Some(found) = peer.transfers.iter_mut().find(|t| t.id == transfer) else {
                    let violation = Violation::UnknownTransfer(transfer);
                    return Err(MessageError::protocol(from, violation));
                };
                found.clear = true;
                if found.payload.is_some() && !peer.streaming {
                    peer.streaming = true;
                    self.streaming.push(from);
                }
            }
            Control::Query { group } => {
                let entered = self.order.progress_of(group).map_or(0, |(entered, ..)| entered);
                self.control_due(from).answer = Some((group, entered));
            }
            Control::Answer { group, entered } => match peer.ask_again.take() {
                Some(group) => self.control_due(from).query = Some(group),
                None => {
                    peer.asked = false;
                    peer.answered = Some((group, entered));
                }
            },
            Control::Closing { clock, failed } => {
                peer.leaving.closing = Some((clock, failed));
                self.leaving += 1;
                self.drop_undeliverable(from);
            }
            Control::Ended { eager } => {
                if eager < peer.received_eager {
                    return Err(MessageError::protocol(from, Violation::AfterEnd));
                }
                peer.leaving.ended = Some(eager);
            }
        }
        Ok(())
    }

    fn handle_returned(&mut self, from: Rank, returned: Returned) -> Result<(), MessageError> {
        let peer = &mut self.peers[from];
        let wrong = if !peer.eager.handle_returned(returned.eager) {
            "messages"
        } else if !peer.bulk.handle_returned(returned.bulk) {
            "segments"
        } else if !self.lossy && !peer.signal.handle_returned(returned.signal) {
            "signals"
        } else {
            return Ok(());
        };
        Err(MessageError::protocol(from, Violation::FalseCredit(wrong)))
    }

    /// Sends all that is due and may leave.
    pub(super) fn flush(&mut self) -> Result<(), MessageError> {
        self.flush_signals()?;
        if !self.due.is_empty() {
            self.flush_control()?;
        }
        if !self.sending.is_empty() {
            self.flush_outboxes()?;
        }
        if !self.streaming.is_empty() {
            self.flush_streams()?;
        }
        Ok(())
    }

    fn flush_signals(&mut self) -> Result<(), MessageError> {
        let (nic, peers, stats, lossy) =
            (&mut self.nic, &mut self.peers, &mut self.stats, self.lossy);
        let mut failed = None;
        self.order.poll_signals(|to, signal| {
            post_signal(nic, &mut peers[to], lossy, to, &signal).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                false
            }) && {
                stats.signals_sent += 1;
                true
            }
        });
        failed.map_or(Ok(()), Err)
    }

    /// Asks for the signals that open barriers lack.
    pub(super) fn post_asks(&mut self) -> Result<(), MessageError> {
        let (nic, peers, stats) = (&mut self.nic, &mut self.peers, &mut self.stats);
        let mut failed = None;
        self.order.poll_asks(|to, ask| {
            stats.signals_asked += 1;
            if let Err(error) = post_signal(nic, &mut peers[to], true, to, &ask) {
                failed.get_or_insert(error);
            }
        });
        failed.map_or(Ok(()), Err)
    }

    /// The control frames that `peer` is to get with the next flush.
    pub(super) fn control_due(&mut self, peer: Rank) -> &mut super::peer::Due {
        let due = &mut self.peers[peer].due;
        if !due.listed {
            due.listed = true;
            self.due.push(peer);
        }
        due
    }

    fn flush_control(&mut self) -> Result<(), MessageError> {
        let (nic, peers) = (&mut self.nic, &mut self.peers);
        let mut failed = None;
        self.due.retain(|&to| {
            let peer = &mut peers[to];
            let mut full = false;
            while !full && let Some(control) = next_control(peer) {
                match post_control(nic, peer, to, control) {
                    Ok(()) => forget_control(peer, control),
                    Err(PostError::QueueFull(_)) => full = true,
                    Err(PostError::PeerGone(_)) => peer.due = Default::default(),
                    Err(error) => {
                        failed.get_or_insert(error);
                        return true;
                    }
                }
            }
            peer.due.listed = full;
            full
        });
        failed.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Notes that `peer` has something in its outbox.
    pub(super) fn list_sending(&mut self, peer: Rank) {
        if !std::mem::replace(&mut self.peers[peer].sending, true) {
            self.sending.push(peer);
        }
    }

    fn flush_outboxes(&mut self) -> Result<(), MessageError> {
        let mut sending = std::mem::take(&mut self.sending);
        let mut result = Ok(());
        sending.retain(|&to| {
            if result.is_ok() {
                result = self.flush_outbox(to);
            }
            let more = !self.peers[to].outbox.is_empty();
            self.peers[to].sending = more;
            more
        });
        self.sending = sending;
        result
    }

    fn flush_streams(&mut self) -> Result<(), MessageError> {
        let mut streaming = std::mem::take(&mut self.streaming);
        let mut result = Ok(());
        streaming.retain(|&to| {
            if result.is_ok() {
                result = self.flush_stream(to);
            }
            let more = self.peers[to].transfers.iter().any(|t| t.clear && t.payload.is_some());
            self.peers[to].streaming = more;
            more
        });
        self.streaming = streaming;
        result
    }

    /// One more eager message of `from` has been consumed: its descriptor is free.
    pub(super) fn release(&mut self, from: Rank, frame: N::Frame) {
        self.nic.post_recv(Vi { peer: from, cq: EAGER }, frame);
        if self.peers[from].eager_returns.handle_consumed() {
            self.control_due(from).credit = true;
        }
    }
}

/// Matches a deliverable message with a posted receive, or keeps it for one to come.
fn deliver<F>(
    matching: &mut [MatchQueue<Inbound<F>>],
    recvs: &mut [Recv<F>],
    matched_requests: &mut Vec<u32>,
    from: Rank,
    message: Inbound<F>,
) {
    let (context, tag) = (message.context as usize, message.tag);
    if let Some((id, matched)) = matching[context].handle_deliverable(from, tag, message) {
        if matched.message.is_request() {
            matched_requests.push(id.0);
        }
        recvs[id.0 as usize] = Recv::Matched(matched);
    }
}

/// Whether the signal was taken; false where the peer has no room for it now.
fn post_signal<N: Nic>(
    nic: &mut N,
    peer: &mut Peer,
    lossy: bool,
    to: Rank,
    signal: &Signal,
) -> Result<bool, MessageError> {
    if !peer.signal.is_open() {
        // One who has gone needs no signal, and has no room for it.
        return Ok(peer.is_gone());
    }
    let frame = encode_signal(signal);
    match nic.post_send(Vi { peer: to, cq: SIGNAL }, &frame, &[]) {
        Ok(()) => {
            if !lossy {
                peer.signal.handle_sent();
            }
            Ok(true)
        }
        // One who has gone needs no signal.
        Err(PostError::PeerGone(_)) => Ok(true),
        Err(PostError::QueueFull(_)) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn post_control<N: Nic>(
    nic: &mut N,
    peer: &mut Peer,
    to: Rank,
    control: Control,
) -> Result<(), PostError> {
    let returned = Returned {
        eager: peer.eager_returns.count(),
        signal: peer.signal_returns.count(),
        bulk: peer.bulk_returns.count(),
    };
    let frame: [u8; FRAME_BYTES] = control.encode(returned);
    nic.post_send(Vi { peer: to, cq: CONTROL }, &frame, &[])?;
    peer.eager_returns.handle_told();
    peer.signal_returns.handle_told();
    peer.bulk_returns.handle_told();
    Ok(())
}

/// The next control frame due, in the order in which they must be sent.
fn next_control(peer: &Peer) -> Option<Control> {
    let due = &peer.due;
    let credit = due.credit
        && (peer.eager_returns.is_due()
            || peer.signal_returns.is_due()
            || peer.bulk_returns.is_due());
    let first = due.clear_to_send.map(|transfer| Control::ClearToSend { transfer });
    first
        .or(due.query.map(|group| Control::Query { group }))
        .or(due.answer.map(|(group, entered)| Control::Answer { group, entered }))
        .or(credit.then_some(Control::Credit))
        .or(due.closing)
        .or(due.ended)
}

fn forget_control(peer: &mut Peer, control: Control) {
    let due = &mut peer.due;
    match control {
        Control::Credit => due.credit = false,
        Control::ClearToSend { .. } => due.clear_to_send = None,
        Control::Query { .. } => due.query = None,
        Control::Answer { .. } => due.answer = None,
        Control::Closing { .. } => due.closing = None,
        Control::Ended { .. } => due.ended = None,
    }
}
