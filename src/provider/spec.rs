//! What the networks between the ranks of one host are laid out by.

/// The layout of a fabric, the same for all its ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FabricSpec {
    /// The completion queues, [`Cq`](crate::verbs::Cq)`(0)` first.
    pub queues: Vec<QueueSpec>,
    /// The 8-byte words that all ranks share ([`crate::verbs::Nic::shared_words`]).
    pub shared_words: usize,
    /// How many bytes of payloads a rank may expose at a time where they are copied into memory that
    /// all ranks share; 0 for none. Networks without such memory have no use for it.
    pub heap_bytes: usize,
}

/// The most that a VI on one completion queue may be opened with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSpec {
    /// Receive descriptors for each VI.
    pub recv_descriptors: u32,
    /// The longest message, header included, in bytes.
    pub descriptor_bytes: usize,
}
