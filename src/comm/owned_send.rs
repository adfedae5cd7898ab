//! A send of memory that the program gives away until the message has left.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.

use std::fmt;
use std::sync::Arc;

use zerocopy::IntoBytes;

use super::element::stated_size;
use super::{Comm, Element, HostNic, SendRequest};
use crate::error::Result;
use crate::message::SharedPayload;
use crate::order::Rank;
use crate::verbs::Nic;

/// A send that owns its data, and hands them back; see [`Comm::isend_owned`].
pub struct OwnedSendRequest<T, N: Nic = HostNic> {
    pub(super) request: SendRequest<N>,
    data: Data<T>,
}

/// Who else has the data.
enum Data<T> {
    /// Nobody: what has to be sent of them was copied.
    Own(Vec<T>),
    /// The message layer, until they have left.
    Shared(Arc<Elements<T>>),
}

struct Elements<T>(Vec<T>);

impl<T: Element + Sync> AsRef<[u8]> for Elements<T> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl<N: Nic> Comm<N> {
    /// As [`isend`](Comm::isend), of data that it owns: [`wait`](OwnedSendRequest::wait) hands them
    /// back. Over RDMA, a payload above the eager limit is then read where it lies, and no copy is
    /// made. Within a host the payload is copied into memory that its receiver sees, and nobody
    /// waits for this rank after that.
    ///
    /// ```
    /// runahead::launch(2, |world| {
    ///     let other = 1 - world.rank();
    ///     let mut halo = vec![world.rank() as f64; 1000];
    ///     for step in 0..3 {
    ///         let sent = world.isend_owned(other, step, halo)?;
    ///         let came = world.recv::<f64>(other, step)?.data;
    ///         halo = sent.wait()?;
    ///         halo[0] += came[0];
    ///     }
    ///     Ok(())
    /// }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As by [`isend`](Comm::isend); the data are gone then.
    pub fn isend_owned<T: Element + Sync>(
        &self,
        to: Rank,
        tag: u32,
        data: Vec<T>,
    ) -> Result<OwnedSendRequest<T, N>> {
        let (to, envelope) = self.envelope(to, tag, stated_size::<T>())?;
        let mut engine = self.engine()?;
        let (id, data) = match engine.keeps_payloads(to, size_of_val(&*data)) {
            false => (engine.post_send(to, envelope, data.as_bytes())?, Data::Own(data)),
            true => {
                let data = Arc::new(Elements(data));
                let shared: SharedPayload = data.clone();
                (engine.post_send_shared(to, envelope, shared)?, Data::Shared(data))
            }
        };
        drop(engine);
        Ok(OwnedSendRequest { request: SendRequest::new(self, id), data })
    }
}

impl<T: Element, N: Nic> OwnedSendRequest<T, N> {
    /// Whether the message has left; or never will, because its receiver has ended.
    ///
    /// # Errors
    ///
    /// As by [`SendRequest::test`].
    pub fn test(&self) -> Result<bool> {
        self.request.test()
    }

    /// The data, which nobody changes meanwhile.
    pub fn data(&self) -> &[T] {
        match &self.data {
            Data::Own(data) => data,
            Data::Shared(data) => &data.0,
        }
    }

    /// Waits until the message has left, and hands its data back.
    ///
    /// # Errors
    ///
    /// As by [`SendRequest::wait`]; the data are gone then.
    pub fn wait(self) -> Result<Vec<T>> {
        self.request.wait()?;
        Ok(match self.data {
            Data::Own(data) => data,
            // A message that has left is kept nowhere.
            Data::Shared(data) => {
                Arc::try_unwrap(data).map_or_else(|shared| shared.0.clone(), |data| data.0)
            }
        })
    }
}

impl<T, N: Nic> fmt::Debug for OwnedSendRequest<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedSendRequest").field(&self.request).finish()
    }
}
