//! Any bytes as a header, control frame or signal: decoded or refused, and what is decoded encodes
//! to bytes that decode to the same.
//!
//! SEMANTICS: SAFE-1
#![no_main]

use libfuzzer_sys::fuzz_target;
use runahead::message::{Control, Header, decode_signal, encode_signal};

fuzz_target!(|bytes: &[u8]| {
    if let Ok((header, payload)) = Header::decode(bytes) {
        let mut again = header.encode().to_vec();
        again.extend_from_slice(payload);
        assert_eq!(Header::decode(&again), Ok((header, payload)));
    }
    if let Ok((control, returned)) = Control::decode(bytes) {
        assert_eq!(Control::decode(&control.encode(returned)), Ok((control, returned)));
    }
    if let Ok(signal) = decode_signal(bytes) {
        assert_eq!(decode_signal(&encode_signal(&signal)), Ok(signal));
    }
});
