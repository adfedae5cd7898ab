//! Atomics and fences: the standard library's, or loom's in a model.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};
pub(crate) use std::sync::atomic::compiler_fence;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

/// An atomic word of the standard library or of loom. Code that is generic over it can be modelled,
/// although its real words are in memory that processes share, where loom's cannot be.
pub(crate) trait Atomic {
    type Value: Copy;
    fn load(&self, order: Ordering) -> Self::Value;
    fn store(&self, value: Self::Value, order: Ordering);
    fn swap(&self, value: Self::Value, order: Ordering) -> Self::Value;
    fn fetch_or(&self, value: Self::Value, order: Ordering) -> Self::Value;
    fn fetch_and(&self, value: Self::Value, order: Ordering) -> Self::Value;
    /// Adds, wrapping around.
    fn fetch_add(&self, value: Self::Value, order: Ordering) -> Self::Value;
    fn compare_exchange(
        &self,
        current: Self::Value,
        new: Self::Value,
        success: Ordering,
        failure: Ordering,
    ) -> Result<Self::Value, Self::Value>;
}

// Always inlined: otherwise the ordering is not a constant, and each access branches on it.
macro_rules! atomic {
    ($($atomic:ty: $value:ty),* $(,)?) => {
        $(impl Atomic for $atomic {
            type Value = $value;
            #[inline(always)]
            fn load(&self, order: Ordering) -> $value {
                <$atomic>::load(self, order)
            }
            #[inline(always)]
            fn store(&self, value: $value, order: Ordering) {
                <$atomic>::store(self, value, order);
            }
            #[inline(always)]
            fn swap(&self, value: $value, order: Ordering) -> $value {
                <$atomic>::swap(self, value, order)
            }
            #[inline(always)]
            fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                <$atomic>::fetch_or(self, value, order)
            }
            #[inline(always)]
            fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                <$atomic>::fetch_and(self, value, order)
            }
            #[inline(always)]
            fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                <$atomic>::fetch_add(self, value, order)
            }
            #[inline(always)]
            fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                <$atomic>::compare_exchange(self, current, new, success, failure)
            }
        })*
    };
}

/// The standard library's words, also in a model's build.
pub(crate) mod plain {
    pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64};

    use super::{Atomic, Ordering};

    atomic!(AtomicU32: u32, AtomicU64: u64);
}

#[cfg(loom)]
atomic!(AtomicU64: u64);
