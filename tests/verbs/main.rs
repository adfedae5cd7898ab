//! The conformance suite of the verbs: what every provider promises, checked on each.
//!
//! A provider joins by implementing [`fabric::Provider`] and one line of `conformance!` below. What
//! only one provider has is checked in a module of its own name. `planted` shows that the checks
//! reject providers that break the promises.

#[macro_use]
#[path = "../shared/forward.rs"]
mod forward;

#[path = "../shared/counting_allocator.rs"]
mod counting;
mod delivery;
mod departure;
#[path = "../shared/driven.rs"]
mod driven;
mod fabric;
mod fault;
#[cfg(all(target_os = "linux", feature = "ib"))]
mod ib;
#[cfg(target_os = "linux")]
mod joined;
mod planted;
mod reads;
mod refusals;
mod remote_words;
mod repaired;
#[cfg(target_os = "linux")]
mod shm;
mod stream;
mod threads;
#[cfg(all(target_os = "linux", feature = "ib"))]
mod unreliable;
mod wake;
mod warm;

/// Runs each promise of the list on `$provider`, as tests in a module of the name `$name`, with
/// this attribute if there is one.
macro_rules! conformance {
    ($name:ident, $provider:expr) => {
        conformance!($name, $provider, [cfg(all())]);
    };
    ($name:ident, $provider:expr, [$($attribute:tt)*]) => {
        conformance! { $name, $provider, [$($attribute)*],
            delivery: [
                messages_arrive_once_and_in_order,
                messages_arrive_once_and_in_order_between_threads,
                bytes_arrive_as_sent,
                a_message_waits_for_the_peer_to_open_its_end,
            ],
            departure: [
                all_that_a_peer_sent_before_it_went_can_be_polled,
                a_peer_that_is_gone_takes_nothing,
            ],
            reads: [
                a_payload_is_read_where_it_lies,
                payloads_are_read_in_both_directions_at_once,
                what_is_not_exposed_is_not_read,
                a_read_wakes,
                who_has_gone_is_not_read_from,
                a_copy_that_is_exposed_is_read_at_once,
                copies_need_room,
            ],
            refusals: [
                a_message_without_a_descriptor_is_refused,
                a_held_frame_occupies_its_descriptor,
                a_message_longer_than_the_descriptor_is_refused,
                a_vi_that_is_not_open_takes_nothing,
                addresses_that_do_not_exist_are_refused,
                limits_are_kept,
            ],
            remote_words: [
                a_word_is_read_and_fetched,
                words_that_do_not_exist_are_refused,
                registration_has_a_limit,
                whoever_reads_a_word_finds_what_was_sent_before_it,
                silent_words_come_in_order,
                no_wake_up_is_lost_where_the_sleeper_asks,
                one_who_has_gone_takes_words_in_vain,
            ],
            wake: [
                wait_returns_for_what_came_before,
                no_wake_up_is_lost_in_a_ping_pong,
                no_wake_up_is_lost_from_several_peers,
                a_put_wakes,
                the_departure_of_a_peer_wakes,
            ],
        }
    };
    (
        $name:ident, $provider:expr, $attribute:tt,
        $($module:ident: [$($test:ident,)*],)*
    ) => {
        mod $name {
            $(mod $module {
                #[allow(unused_imports)]
                use crate::fabric::*;
                conformance!(@tests $module, $provider, $attribute, [$($test,)*]);
            })*
        }
    };
    (@tests $module:ident, $provider:expr, $attribute:tt, [$($test:ident,)*]) => {
        $(#[test]
        #$attribute
        fn $test() {
            crate::$module::$test(&$provider);
        })*
    };
}

conformance!(on_threads, Threads);
#[cfg(target_os = "linux")]
conformance!(on_shm, Shm);
#[cfg(all(target_os = "linux", feature = "ib"))]
conformance!(
    on_ib,
    crate::ib::Ib,
    [ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
);
#[cfg(all(target_os = "linux", feature = "ib"))]
conformance!(
    on_ib_uc,
    crate::unreliable::Unreliable(runahead::internals::provider::Transport::Uc),
    [ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
);
#[cfg(all(target_os = "linux", feature = "ib"))]
conformance!(
    on_ib_ud,
    crate::unreliable::Unreliable(runahead::internals::provider::Transport::Ud),
    [ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
);
#[cfg(target_os = "linux")]
conformance!(on_one_of_joined, crate::joined::ONE_HOST);
#[cfg(target_os = "linux")]
conformance!(on_joined, crate::joined::TWO_HOSTS);
#[cfg(target_os = "linux")]
conformance!(on_slow_joined, crate::joined::OnSlowHosts(2));
#[cfg(all(target_os = "linux", feature = "ib"))]
conformance!(
    on_rdma_joined,
    crate::joined::OnHostsByRdma(2),
    [ignore = "needs an RDMA device, which RUNAHEAD_TEST_IB_DEVICE names"]
);
conformance!(on_threads_without_faults, FaultyThreads::planning(Default::default()));
conformance!(on_threads_with_delays, FaultyThreads::delaying(1, 9));
conformance!(on_threads_with_losses_repaired, crate::repaired::Repaired);
