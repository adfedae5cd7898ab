//! Any bytes as what one rank tells another: headers, control frames with the credits that they bring,
//! signals, what is told when a group is made, when an algorithm is looked for, and when ranks meet. They are
//! decoded or refused, and what is decoded encodes to bytes that decode to the same.
//!
//! SEMANTICS: SAFE-1
#![no_main]

use libfuzzer_sys::fuzz_target;
use runahead::fuzzing::{launch, making};
use runahead::internals::message::{
    Control, Header, STAMP_BITS, decode_signal, encode_signal, unwrap_stamp,
};
use runahead::internals::tune::choices::Choices;
use runahead::internals::tune::word::{Word, decode_times, encode_times};

fuzz_target!(|bytes: &[u8]| {
    if let Ok((header, payload)) = Header::decode(bytes) {
        let mut again = header.encode().to_vec();
        again.extend_from_slice(payload);
        assert_eq!(Header::decode(&again), Ok((header, payload)));
        // Whatever the clock here: the low bits of a stamp are those that came.
        for near in [0, header.tag.into(), u64::MAX, header.len << 32] {
            let stamp = unwrap_stamp(header.stamp, near);
            assert_eq!(stamp & ((1 << STAMP_BITS) - 1), header.stamp);
        }
    }
    if let Ok((control, returned)) = Control::decode(bytes) {
        assert_eq!(Control::decode(&control.encode(returned)), Ok((control, returned)));
    }
    if let Ok(signal) = decode_signal(bytes) {
        assert_eq!(decode_signal(&encode_signal(&signal)), Ok(signal));
    }
    if let Some(again) = making::request(bytes) {
        assert_eq!(making::request(&again), Some(again));
    }
    for size in [1, 2, 5] {
        if let Some(again) = making::split(bytes, size) {
            assert_eq!(making::split(&again, size), Some(again));
        }
    }
    if let Some(times) = decode_times(bytes, bytes.len() / 8) {
        assert_eq!(encode_times(&times), bytes);
        assert_eq!(decode_times(bytes, times.len() + 1), None);
    }
    if let Some((error, again)) = launch::error_report(bytes) {
        let _ = error.to_string();
        assert_eq!(launch::error_report(&again).map(|(_, bytes)| bytes), Some(again));
    }
    for read in [launch::frame_of_rank, launch::frame_of_hub] {
        if let Some(again) = read(bytes) {
            assert_eq!(read(&again), Some(again));
        }
    }
    if let Some(again) = launch::seat(bytes) {
        assert_eq!(launch::seat(&again), Some(again));
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(word) = text.parse::<Word>() {
        assert_eq!(word.to_string().parse(), Ok(word));
    }
    if let Ok(choices) = text.parse::<Choices>() {
        assert_eq!(choices.to_string().parse(), Ok(choices));
    }
});
