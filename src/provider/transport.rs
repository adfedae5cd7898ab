//! The levels of reliability that RDMA offers, as users choose them. What they are made of is `sys/ibverbs`.
//!
//! It stands beside `ib`, since what a user says is checked in programs without RDMA as well.

use std::str::FromStr;

/// The kind of the queue pairs that messages go by: VIA's levels of reliability (pakin-2001 §4.1) on RDMA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    /// Reliably connected: devices repeat what is lost. VIA's reliable delivery.
    #[default]
    Rc,
    /// Unreliably connected: what is lost is lost, and `provider/reliable` repeats it.
    Uc,
    /// Datagrams: the same, and a message is no longer than a packet.
    Ud,
}

impl Transport {
    /// All of them, with their names.
    pub const NAMED: [(&'static str, Transport); 3] =
        [("rc", Transport::Rc), ("uc", Transport::Uc), ("ud", Transport::Ud)];
}

/// No transport has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no transport {name:?}; known are rc, uc, ud")]
pub struct InvalidTransport {
    /// The name.
    pub name: String,
}

impl std::fmt::Display for Transport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named = Transport::NAMED.iter().find(|(_, transport)| transport == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

impl FromStr for Transport {
    type Err = InvalidTransport;

    fn from_str(name: &str) -> Result<Transport, InvalidTransport> {
        let found = Transport::NAMED.iter().find(|(known, _)| *known == name);
        found
            .map(|&(_, transport)| transport)
            .ok_or_else(|| InvalidTransport { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transports_have_names() {
        for (name, transport) in Transport::NAMED {
            assert_eq!(name.parse(), Ok(transport));
        }
        let error = "tcp".parse::<Transport>().unwrap_err().to_string();
        for (name, _) in Transport::NAMED {
            assert!(error.contains(name), "{error}");
        }
        assert_eq!(Transport::default(), Transport::Rc);
    }
}
