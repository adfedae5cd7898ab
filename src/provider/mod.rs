//! Implementations of the verbs.
