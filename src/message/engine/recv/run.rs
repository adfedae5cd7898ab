//! Runs of posted receives: those of one sender, which a call completes one after the other, in one visit of the engine.
//!
//! Keeps rules ORD-2, HOLD-1, FLOW-3 and SAFE-1 of SEMANTICS.md.
//!
//! # Correctness
//!
//! Each receive of a run is finished as [`finish_recv`](Engine::finish_recv) does on the fast path, and the same is asked
//! before: whether the next message of its sender is its, and whether what was noted of the last message holds for it. The
//! first that is not finished so ends the run. It is posted still, and a call that waits finishes it.

use crate::message::engine::Engine;
use crate::message::engine::fast_path::{Attempt, Looks};
use crate::message::inbound::Info;
use crate::message::matching::{RecvId, Source};
use crate::order::Rank;
use crate::verbs::Nic;

/// Receives that were posted for one sender, in the order in which a call completes them.
pub trait PostedRun {
    /// The next receive, with the most bytes that its message may have here; None at the end. A longer one ends the run.
    fn next(&mut self) -> Option<(RecvId, usize)>;

    /// This is the message of the receive that was next, and that has ended.
    fn handle_received(&mut self, info: &Info, payload: &[u8]);
}

impl<N: Nic> Engine<N> {
    /// Finishes the receives of a run whose messages lie here and are plain, until one is not, or is not of `from` alone.
    pub fn finish_run(&mut self, from: Rank, run: &mut impl PostedRun) {
        while let Some((id, most_bytes)) = run.next() {
            let Some((context, pattern)) = self.next_directly(id, from) else { break };
            if pattern.source != Source::Rank(from) {
                break;
            }
            let Some(expected) = self.template_for_posted(id, context, from) else { break };
            let attempt = self.recv_by_template(
                (pattern.tag, Looks::Once),
                expected,
                &|info: &Info| info.len <= most_bytes,
                |info: &Info, payload: &[u8]| run.handle_received(info, payload),
            );
            match attempt {
                Attempt::Done(()) => {
                    self.matching.handle_received(&mut self.obstacles, id, context)
                }
                Attempt::Not(_) => break,
            }
        }
    }
}
