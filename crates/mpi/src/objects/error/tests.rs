//! Error codes: every class has a text, and what a program adds can be found and removed.
//! Rules: MPI 5.0, sections 9.4 and 9.5.
//! The check of the texts is shown to find two that are alike.

use std::collections::BTreeSet;

use runahead::{Error, MessageError};

use super::*;
use crate::abi::*;

/// Whether each of these classes has a text, and each another one.
fn are_told_apart(classes: &[c_int], text: impl Fn(c_int) -> Option<&'static str>) -> bool {
    let texts: BTreeSet<_> = classes.iter().filter_map(|class| text(*class)).collect();
    texts.len() == classes.len()
}

#[test]
fn every_class_has_a_text_of_its_own() {
    let tables = [&ERROR_CLASSES, &TOOL_ERRORS, &LAST_ERROR];
    let constants = tables.iter().flat_map(|table| table.constants);
    let classes: Vec<c_int> = constants.clone().map(|constant| constant.value as c_int).collect();
    assert!(classes.len() > 80);
    assert!(are_told_apart(&classes, class_text));
    for constant in constants {
        let text = class_text(constant.value as c_int).unwrap();
        assert!(text.starts_with(&format!("{}: ", constant.name)), "{text}");
        assert!(text.len() < MPI_MAX_ERROR_STRING);
    }
    // Two classes with one text, and one without.
    assert!(!are_told_apart(&classes, |class| class_text(class.max(2))));
    assert!(!are_told_apart(&classes, |class| class_text(class).filter(|_| class != 7)));
}

#[test]
fn codes_are_their_own_class_or_belong_to_one() {
    let mut codes = ErrorCodes::new();
    assert_eq!(codes.class_of(MPI_ERR_TAG), Ok(MPI_ERR_TAG));
    assert_eq!(codes.class_of(99), Err(CodeError::Unknown(99)));
    let class = codes.add_class().unwrap();
    let code = codes.add_code(class).unwrap();
    let other = codes.add_code(MPI_ERR_RANK).unwrap();
    assert!(class > MPI_ERR_LASTCODE && class < code && codes.last() == other);
    assert_eq!((codes.class_of(class), codes.class_of(code)), (Ok(class), Ok(class)));
    assert_eq!(codes.class_of(other), Ok(MPI_ERR_RANK));
    assert_eq!(codes.add_code(code), Err(CodeError::NoClass(code)));
    assert_eq!(codes.add_code(-1), Err(CodeError::NoClass(-1)));
}

#[test]
fn texts_can_be_changed_where_they_were_added() {
    let mut codes = ErrorCodes::new();
    let class = codes.add_class().unwrap();
    assert_eq!(codes.text(class), Ok(&b""[..]));
    codes.set_text(class, b"first").unwrap();
    codes.set_text(class, b"second").unwrap();
    assert_eq!(codes.text(class), Ok(&b"second"[..]));
    assert_eq!(codes.set_text(MPI_ERR_TAG, b"mine"), Err(CodeError::Predefined(MPI_ERR_TAG)));
    assert_eq!(codes.text(class + 1).unwrap_err().class(), MPI_ERR_ARG);
    let long = vec![b'x'; MPI_MAX_ERROR_STRING];
    assert_eq!(codes.set_text(class, &long), Err(CodeError::Text(long.len())));
    codes.set_text(class, &long[1..]).unwrap();
}

#[test]
fn what_is_in_use_stays() {
    let mut codes = ErrorCodes::new();
    let class = codes.add_class().unwrap();
    let code = codes.add_code(class).unwrap();
    codes.set_text(code, b"text").unwrap();
    assert_eq!(codes.remove_class(class), Err(CodeError::InUse { code: class, what: "a code" }));
    assert_eq!(codes.remove_code(code), Err(CodeError::InUse { code, what: "a text" }));
    assert_eq!(codes.remove_code(class), Err(CodeError::Unknown(class)));
    assert_eq!(codes.remove_class(code), Err(CodeError::NoClass(code)));
    assert_eq!(codes.remove_class(MPI_ERR_ARG), Err(CodeError::Predefined(MPI_ERR_ARG)));
    codes.remove_text(code).unwrap();
    assert_eq!(codes.remove_text(code), Err(CodeError::NoText(code)));
    codes.remove_code(code).unwrap();
    codes.remove_class(class).unwrap();
    assert_eq!(codes.class_of(class), Err(CodeError::Unknown(class)));
    // A program that still holds the removed number does not find another class under it.
    assert!(codes.add_class().unwrap() > code);
}

#[test]
fn a_dead_peer_is_an_aborted_process() {
    let lost = Error::from(MessageError::PeerLost { rank: 3 });
    assert_eq!(class_of(&lost), MPI_ERR_PROC_ABORTED);
    let ended = MessageError::PeerEnded { rank: 3, failed: true };
    let of_rank = Error::Rank { rank: 1, error: Box::new(ended.into()) };
    assert_eq!(class_of(&of_rank), MPI_ERR_PROC_ABORTED);
    assert_eq!(class_of(&Error::RankOutOfRange { rank: 9, size: 4 }), MPI_ERR_RANK);
    assert_eq!(class_of(&Error::TagOutOfRange { tag: u32::MAX }), MPI_ERR_TAG);
    let large = Error::from(MessageError::TooLarge { len: 9, limit: 8 });
    assert_eq!(class_of(&large), MPI_ERR_COUNT);
    assert_eq!(class_of(&Error::other("anything")), MPI_ERR_OTHER);
}
