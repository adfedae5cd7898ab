//! A send of memory that the program gives away until the message has left.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.
//!
//! # Correctness
//!
//! Within a host the memory of the vector is lent to the message layer. It is changed and freed no earlier than the message
//! has left or the memory was taken back, or the world has ended, whose end takes it back: see [`LentData`]. A request
//! that is forgotten frees nothing.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Arc;

use zerocopy::IntoBytes;

use super::element::stated_size;
use super::home::Visit;
use super::{Comm, Element, HostNic, SendRequest};
use crate::error::{Error, Result};
use crate::message::SendId;
use crate::order::Rank;
use crate::sys::thread;
use crate::verbs::Nic;

/// A send that owns its data, and hands them back; see [`Comm::isend_owned`].
pub struct OwnedSendRequest<T, N: Nic = HostNic> {
    pub(super) request: SendRequest<N>,
    data: Data<T, N>,
}

/// Why data that were given to [`Comm::isend_owned`] were not sent, and the data: nothing is lost.
///
/// In a function that returns [`Result`], `?` keeps the error and drops the data.
///
/// ```
/// runahead::launch(1, |world| {
///     let failed = world.isend_owned(1, 0, vec![7; 1000]).unwrap_err();
///     assert!(matches!(failed.error, runahead::Error::RankOutOfRange { rank: 1, .. }));
///     assert_eq!(failed.into_data(), vec![7; 1000]);
///     Ok(())
/// }).unwrap();
/// ```
pub struct OwnedSendError<T> {
    /// What went wrong.
    pub error: Error,
    data: Vec<T>,
}

impl<T> OwnedSendError<T> {
    /// The data that were given.
    pub fn into_data(self) -> Vec<T> {
        self.data
    }
}

impl<T> From<OwnedSendError<T>> for Error {
    fn from(failed: OwnedSendError<T>) -> Error {
        failed.error
    }
}

impl<T> fmt::Display for OwnedSendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.data.len() {
            1 => write!(f, "1 element was not sent"),
            count => write!(f, "{count} elements were not sent"),
        }
    }
}

// Not derived: elements need not be `Debug`, and may be many.
impl<T> fmt::Debug for OwnedSendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.data.len();
        let elements = if count == 1 { "element" } else { "elements" };
        f.debug_struct("OwnedSendError")
            .field("error", &self.error)
            .field("data", &format_args!("{count} {elements}"))
            .finish()
    }
}

impl<T> std::error::Error for OwnedSendError<T> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Who else has the data.
enum Data<T, N: Nic> {
    /// Nobody: what has to be sent of them was copied.
    Own(Vec<T>),
    /// The message layer, until they have left.
    Shared(Arc<Elements<T>>),
    /// The same, which reads them where they lie.
    Lent(LentData<T, N>),
}

/// Data that are lent until their message has left. They are taken back when this is dropped.
struct LentData<T, N: Nic> {
    visit: Visit<N>,
    id: SendId,
    data: Vec<T>,
}

impl<T, N: Nic> LentData<T, N> {
    /// Takes the data back, if they are lent still. A copy leaves in their place, if the message still can.
    fn take_back(&self) {
        loop {
            let is_back = match self.visit.engine() {
                Ok(mut engine) => engine.reclaim(self.id),
                // Another thread of the rank is in a call.
                Err(Error::Busy) => false,
                // The world has ended, and has taken them back.
                Err(_) => true,
            };
            if is_back {
                return;
            }
            thread::yield_now();
        }
    }
}

impl<T, N: Nic> Drop for LentData<T, N> {
    fn drop(&mut self) {
        self.take_back();
    }
}

struct Elements<T>(Vec<T>);

impl<T: Element + Sync> AsRef<[u8]> for Elements<T> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl<T: Element, N: Nic> Data<T, N> {
    /// The data, which nobody else needs after this.
    fn into_vec(self) -> Vec<T> {
        match self {
            Data::Own(data) => data,
            Data::Lent(mut lent) => {
                lent.take_back();
                std::mem::take(&mut lent.data)
            }
            // A message that has left, or never will, is kept nowhere. Else they are copied.
            Data::Shared(data) => {
                Arc::try_unwrap(data).map_or_else(|shared| shared.0.clone(), |data| data.0)
            }
        }
    }
}

impl<N: Nic> Comm<N> {
    /// As [`isend`](Comm::isend), of data that it owns: [`wait`](OwnedSendRequest::wait) hands them
    /// back. A payload above the eager limit is then read where it lies, and no copy is made: over RDMA,
    /// and within a host as by [`Scope::isend`](crate::Scope::isend).
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
    /// [`OwnedSendError`], with the data, where [`isend`](Comm::isend) fails: nothing was sent.
    pub fn isend_owned<T: Element + Sync>(
        &self,
        to: Rank,
        tag: u32,
        data: Vec<T>,
    ) -> Result<OwnedSendRequest<T, N>, OwnedSendError<T>> {
        let checked = self.envelope(to, tag, stated_size::<T>());
        let checked = checked.and_then(|(to, envelope)| Ok((to, envelope, self.engine()?)));
        let (to, envelope, mut engine) = match checked {
            Ok(checked) => checked,
            Err(error) => return Err(OwnedSendError { error, data }),
        };
        if engine.may_lend_payload(to, size_of_val(&*data)) {
            // Not dropped if the call is unwound.
            let data = ManuallyDrop::new(data);
            // SAFETY: they are plain bytes, which nobody changes or frees before `LentData` has taken them back. A
            // vector keeps its memory when it is moved. Of a request that is forgotten they are never freed.
            let posted = unsafe { engine.post_send_lent(to, envelope, data.as_bytes()) };
            drop(engine);
            let data = ManuallyDrop::into_inner(data);
            return match posted {
                Ok(id) => {
                    let data = Data::Lent(LentData { visit: self.visit, id, data });
                    Ok(OwnedSendRequest { request: SendRequest::new(self, id), data })
                }
                Err(error) => Err(OwnedSendError { error: error.into(), data }),
            };
        }
        let (posted, data) = match engine.keeps_payloads(to, size_of_val(&*data)) {
            // No copy of it goes to the receiver.
            true => {
                let shared = Arc::new(Elements(data));
                (engine.post_send_shared(to, envelope, shared.clone()), Data::Shared(shared))
            }
            false => (engine.post_send(to, envelope, data.as_bytes()), Data::Own(data)),
        };
        drop(engine);
        match posted {
            Ok(id) => Ok(OwnedSendRequest { request: SendRequest::new(self, id), data }),
            Err(error) => Err(OwnedSendError { error: error.into(), data: data.into_vec() }),
        }
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
            Data::Lent(lent) => &lent.data,
        }
    }

    /// Waits until the message has left, and hands its data back.
    ///
    /// # Errors
    ///
    /// [`OwnedSendError`], with the data, where [`SendRequest::wait`] fails.
    pub fn wait(self) -> Result<Vec<T>, OwnedSendError<T>> {
        let OwnedSendRequest { request, data } = self;
        let sent = request.wait();
        let data = data.into_vec();
        match sent {
            Ok(()) => Ok(data),
            Err(error) => Err(OwnedSendError { error, data }),
        }
    }
}

impl<T, N: Nic> fmt::Debug for OwnedSendRequest<T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedSendRequest").field(&self.request).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_element_is_not_several() {
        let told = |count: usize| {
            let error = Error::RankOutOfRange { rank: 9, size: 2 };
            let failed = OwnedSendError { error, data: vec![7u8; count] };
            (failed.to_string(), format!("{failed:?}"))
        };
        let (one, debugged) = told(1);
        assert_eq!(one, "1 element was not sent");
        assert!(debugged.ends_with("data: 1 element }"), "{debugged}");
        assert_eq!(told(2).0, "2 elements were not sent");
    }
}
