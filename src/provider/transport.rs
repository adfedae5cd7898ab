//! The levels of reliability that RDMA offers, as users choose them. What they are made of is
//! `sys/ibverbs`.
//!
//! It stands beside `ib`, since what a user says is checked in programs without RDMA as well.

use crate::names::named;

/// The kind of the queue pairs that messages go by: VIA's levels of reliability (pakin-2001 §4.1)
/// on RDMA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// Reliably connected: devices repeat lost packets. VIA's reliable delivery.
    #[default]
    Rc,
    /// Unreliably connected: devices repeat nothing, and `provider/reliable` repeats lost messages.
    Uc,
    /// Datagrams: the same, and a message is no longer than a packet.
    Ud,
}

named!("transport", Transport { Rc = "rc", Uc = "uc", Ud = "ud" });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transports_have_names() {
        for (name, transport) in Transport::NAMED {
            assert_eq!(name.parse(), Ok(transport));
        }
        let error = "tcp".parse::<Transport>().unwrap_err().to_string();
        assert_eq!(error, "unknown transport \"tcp\": expected rc, uc or ud");
        assert_eq!(Transport::default(), Transport::Rc);
    }
}
