//! The file: what it is, who may join, and what is refused.

use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

use runahead::internals::provider::shm::Segment;
use runahead::internals::verbs::{Nic, PeerState, VerbsError};
use rustix::fs::{MemfdFlags, SealFlags};
use rustix::io::FdFlags;

use super::spec;
use crate::fabric::*;

/// The file of a segment, to write what no rank writes.
fn file(segment: &Segment) -> File {
    File::from(segment.fd().try_clone_to_owned().unwrap())
}

/// A file of `len` zero bytes in memory that cannot shrink.
fn sealed(len: u64) -> File {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = File::from(rustix::fs::memfd_create("test", flags).unwrap());
    file.set_len(len).unwrap();
    rustix::fs::fcntl_add_seals(&file, SealFlags::SHRINK).unwrap();
    file
}

fn refusal(file: impl Into<OwnedFd>, size: usize) -> &'static str {
    match Segment::open(file.into(), size) {
        Err(VerbsError::NotASegment { size: stated, what }) if stated == size => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_has_no_name_and_is_not_handed_on() {
    let named = || {
        let names = std::fs::read_dir("/dev/shm").into_iter().flatten().flatten();
        names.map(|entry| entry.file_name()).collect::<std::collections::BTreeSet<_>>()
    };
    let before = named();
    let segment = Segment::create(2).unwrap();
    let link = format!("/proc/self/fd/{}", segment.fd().as_raw_fd());
    let link = std::fs::read_link(link).unwrap();
    assert_eq!(link.to_str(), Some("/memfd:runahead (deleted)"));
    let new: Vec<_> = named().difference(&before).cloned().collect();
    assert!(new.iter().all(|name| !name.to_string_lossy().contains("runahead")), "{new:?}");
    assert!(rustix::io::fcntl_getfd(segment.fd()).unwrap().contains(FdFlags::CLOEXEC));
    // Also where it came in without the flag.
    let fd = segment.fd().try_clone_to_owned().unwrap();
    rustix::io::fcntl_setfd(&fd, FdFlags::empty()).unwrap();
    let joined = Segment::open(fd, 2).unwrap();
    assert!(rustix::io::fcntl_getfd(joined.fd()).unwrap().contains(FdFlags::CLOEXEC));
}

#[test]
fn it_cannot_be_made_shorter() {
    let segment = Segment::create(2).unwrap();
    let len = file(&segment).metadata().unwrap().len();
    assert!(file(&segment).set_len(len - 1).is_err());
    let _nic = segment.nic(0, &spec(1, 64)).unwrap();
    let grown = file(&segment).metadata().unwrap().len();
    assert!(grown > len && file(&segment).set_len(len).is_err());
    // Nor can it be kept from growing.
    let seal = rustix::fs::fcntl_add_seals(segment.fd(), SealFlags::GROW);
    assert!(seal.is_err());
}

#[test]
fn what_is_no_segment_is_refused() {
    let plain = tempfile::tempfile().unwrap();
    plain.set_len(1 << 20).unwrap();
    assert_eq!(refusal(plain, 2), "it could shrink");
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    assert_eq!(refusal(rustix::fs::memfd_create("test", flags).unwrap(), 2), "it could shrink");
    assert_eq!(refusal(sealed(100), 2), "it is too short");
    assert_eq!(refusal(sealed(1 << 20), 2), "it starts with something else");
    let segment = Segment::create(200).unwrap();
    let fd = || segment.fd().try_clone_to_owned().unwrap();
    assert_eq!(refusal(fd(), 199), "it is for another number of ranks");
    assert_eq!(refusal(file(&Segment::create(1).unwrap()), 256), "it is too short");
    assert!(Segment::open(fd(), 200).is_ok());
    file(&segment).write_at(&[99], 12).unwrap();
    assert_eq!(refusal(fd(), 200), "another version made it");
    assert!(matches!(Segment::open(fd(), 257), Err(VerbsError::AboveLimit { .. })));
    assert!(matches!(Segment::create(257), Err(VerbsError::AboveLimit { .. })));
}

#[test]
fn ranks_must_agree_about_the_layout() {
    let segment = Segment::create(3).unwrap();
    let again = Segment::open(segment.fd().try_clone_to_owned().unwrap(), 3).unwrap();
    let _nic = segment.nic(0, &spec(4, 64)).unwrap();
    for other in [spec(5, 64), spec(4, 65), spec(8, 32)] {
        assert_eq!(segment.nic(1, &other).err(), Some(VerbsError::OtherLayout));
        assert_eq!(again.nic(1, &other).err(), Some(VerbsError::OtherLayout));
    }
    let refused = again.nic(1, &spec(1 << 16, 1 << 20)).err();
    assert!(matches!(refused, Some(VerbsError::AboveLimit { .. })));
    again.nic(1, &spec(4, 64)).unwrap();
    // Whatever somebody writes there later, the ranks of one process agree.
    file(&segment).write_at(&[0; 8], 16).unwrap();
    assert_eq!(segment.nic(2, &spec(5, 64)).err(), Some(VerbsError::OtherLayout));
}

#[test]
fn a_rank_has_one_interface() {
    let segment = Segment::create(3).unwrap();
    let again = Segment::open(segment.fd().try_clone_to_owned().unwrap(), 3).unwrap();
    let taken = |rank| Some(VerbsError::RankTaken { rank });
    let nic = segment.nic(1, &spec(4, 64)).unwrap();
    assert_eq!(segment.nic(1, &spec(4, 64)).err(), taken(1));
    assert_eq!(again.nic(1, &spec(4, 64)).err(), taken(1));
    drop(nic);
    assert_eq!(again.nic(1, &spec(4, 64)).err(), taken(1));
    // One that was given up before it came.
    again.mark_gone(2);
    assert_eq!(segment.nic(2, &spec(4, 64)).err(), taken(2));
    let no_peer = VerbsError::NoSuchPeer { peer: 3, size: 3 };
    assert_eq!(segment.nic(3, &spec(4, 64)).err(), Some(no_peer));
    segment.mark_gone(3);
    segment.mark_gone(usize::MAX);
    assert_eq!(again.nic(0, &spec(4, 64)).unwrap().peer_state(1), PeerState::Gone);
}

#[test]
fn two_mappings_are_one_memory() {
    let segment = Segment::create(2).unwrap();
    let again = Segment::open(segment.fd().try_clone_to_owned().unwrap(), 2).unwrap();
    let mut nics = [segment.nic(0, &spec(2, 300)), again.nic(1, &spec(2, 300))].map(Result::unwrap);
    let vi = runahead::internals::verbs::ViSpec { descriptor_bytes: 300, ..reliable(2) };
    open_all(&mut nics, &[vi]);
    let [here, there] = &mut nics;
    for number in 0..9 {
        here.post_send(to(1), &[number; 300], &[]).unwrap();
        assert_eq!(receive(there), (0, vec![number; 300]));
        there.post_send(to(0), &[number; 20], &[]).unwrap();
        assert_eq!(receive(here), (1, vec![number; 20]));
    }
}
