//! The unreliable transports as a job has them: with the layer that repeats lost messages.
//!
//! A rank that only computes answers nothing, however long; whether a peer is there at all is asked
//! beside, of its device. So the layer above gives nobody up by itself.
//!
//! Keeps rules NET-1 and NET-2 of SEMANTICS.md, by `provider/reliable`.

use super::{IbError, IbNic, Settings, settings};
use crate::order::Rank;
use crate::provider::reliable::{Header, Reliable, Timeouts, beneath};
use crate::provider::{Bootstrap, FabricSpec, Transport};

fn timeouts() -> Timeouts {
    Timeouts { tries: u32::MAX, ..Timeouts::default() }
}

/// The layout as the transport allows it: a message is no longer than a packet, header of the layer
/// and all. So it must be for datagrams. An unreliable connection loses a message of which any
/// packet is lost or late, so that on a network that reorders none of several packets would ever
/// come.
fn fitting(settings: &Settings, size: usize, spec: &FabricSpec) -> Result<FabricSpec, IbError> {
    let mut spec = FabricSpec { shared_words: 0, ..spec.clone() };
    if settings.transport != Transport::Rc {
        let most = settings::packet_bytes(settings, size)?.saturating_sub(Header::BYTES);
        for queue in &mut spec.queues {
            queue.descriptor_bytes = queue.descriptor_bytes.min(most);
        }
    }
    Ok(spec)
}

/// As [`join`](super::join), with lost messages repeated. Messages may have to be shorter than
/// `spec` says: [`attributes`](crate::verbs::Nic::attributes) say how short.
///
/// # Errors
///
/// As by [`join`](super::join).
pub fn join_repaired(
    settings: &Settings,
    rank: Rank,
    size: usize,
    spec: &FabricSpec,
    bootstrap: Box<dyn Bootstrap>,
) -> Result<Reliable<IbNic>, IbError> {
    let spec = fitting(settings, size, spec)?;
    let nic = super::join(settings, rank, size, &beneath(&spec), bootstrap)?;
    Ok(Reliable::new(nic, &spec, timeouts())?)
}

/// As [`connect`](super::connect), with lost messages repeated; else as [`join_repaired`].
///
/// # Errors
///
/// As by [`connect`](super::connect).
pub fn connect_repaired(
    settings: &Settings,
    size: usize,
    spec: &FabricSpec,
) -> Result<Vec<Reliable<IbNic>>, IbError> {
    let spec = fitting(settings, size, spec)?;
    let nics = super::connect(settings, size, &beneath(&spec))?;
    nics.into_iter().map(|nic| Ok(Reliable::new(nic, &spec, timeouts())?)).collect()
}
