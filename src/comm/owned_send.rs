//! A send of memory that the program gives away until the message has left.
//!
//! Keeps rule FLOW-4 of SEMANTICS.md.

use std::fmt;
use std::sync::Arc;

use zerocopy::IntoBytes;

use super::element::stated_size;
use super::{Comm, Element, HostNic, SendRequest};
use crate::error::{Error, Result};
use crate::order::Rank;
use crate::verbs::Nic;

/// A send that owns its data, and hands them back; see [`Comm::isend_owned`].
pub struct OwnedSendRequest<T, N: Nic = HostNic> {
    pub(super) request: SendRequest<N>,
    data: Data<T>,
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

impl<T: Element> Data<T> {
    /// The data, once nobody else needs them.
    fn into_vec(self) -> Vec<T> {
        match self {
            Data::Own(data) => data,
            // A message that has left, or never will, is kept nowhere. Else they are copied.
            Data::Shared(data) => {
                Arc::try_unwrap(data).map_or_else(|shared| shared.0.clone(), |data| data.0)
            }
        }
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
