//! Which rank may join which place, and when. One thread, and words that are plain cells.

use std::cell::Cell;

use super::layout::LINE;
use super::*;
use crate::message::barriers::places::WORLD_PLACE;
use crate::order::hosts::{Cell as Said, ports, rounds};

struct Memory(Vec<Cell<u64>>);

impl Load for Memory {
    fn load(&self, word: usize) -> u64 {
        self.0[word].get()
    }
}

impl Words for Memory {
    fn store(&self, word: usize, value: u64) {
        self.0[word].set(value);
    }

    fn write_at(&self, _: Rank, _: usize, _: u64) -> bool {
        false
    }

    fn written_at(&self, _: Rank) -> Written {
        Written::Arrived
    }
}

fn job(size: usize) -> (Memory, Vec<Board>) {
    let words = vec![Cell::new(0); Layout::new(size).words()];
    (Memory(words), (0..size).map(|rank| Board::new(rank, size)).collect())
}

fn read(board: &Board, words: &Memory, group: GroupId, rank: Rank) -> Option<Epoch> {
    board.read(words, Word { place: 5, group, rank, cell: Said::Entered, known: false })
}

fn is_free(board: &Board, words: &Memory, place: usize) -> bool {
    board.free(words) >> place & 1 == 1
}

const FIRST: GroupId = GroupId(3);
const SECOND: GroupId = GroupId(4);

#[test]
fn no_word_has_two_meanings() {
    for size in [1, 2, 3, 16, 17, 100] {
        words_are_distinct(Layout::new(size), size, 0);
        for hosts in [2, 5, 17, 65] {
            let ports = ports(hosts);
            let (layout, rounds) = (Layout::on_hosts(size, hosts, ports), rounds(hosts, ports));
            assert!(layout.words() > Layout::new(size).words());
            words_are_distinct(layout, size, rounds);
        }
    }
    // Of the most ranks, each on a host of its own, the network within a host has room for the
    // words of all hosts.
    for hosts in [64, 256] {
        assert!(Layout::on_hosts(256, hosts, ports(hosts)).words() * hosts <= 1 << 25);
    }
}

fn words_are_distinct(layout: Layout, size: usize, rounds: usize) {
    let mut seen = vec![false; layout.words()];
    let mut take = |word: usize| assert!(!std::mem::replace(&mut seen[word], true), "{word}");
    for rank in 0..size {
        take(layout.wants(rank));
        assert_eq!(layout.wants(rank) % LINE, 0);
        for place in 0..PLACES {
            take(layout.epoch(place, rank));
            take(layout.tag(place, rank));
            take(layout.completed(place, rank));
        }
        for (place, round) in (0..PLACES).flat_map(|at| (0..rounds).map(move |it| (at, it))) {
            take(layout.has_told(place, round, rank));
            match round {
                // A rank is either on this host or tells it.
                0 => assert_eq!(layout.cell(place, round, rank), layout.epoch(place, rank)),
                _ => take(layout.cell(place, round, rank)),
            }
        }
    }
}

/// A group on one host has none of what those on several have, beside ranks of other hosts.
/// (Mutant: a group that counts the hosts of all ranks.)
// SEMANTICS: BAR-4
#[test]
fn only_groups_on_several_hosts_tell_others() {
    let words = Memory(vec![Cell::new(0); Layout::on_hosts(5, 3, 2).words()]);
    let mut board = Board::on_hosts(0, vec![0, 0, 1, 2, 0], ports);
    for (place, members, spans) in
        [(3, &[0, 1, 4][..], false), (4, &[0, 2], true), (5, &[4, 0, 3, 2], true)]
    {
        board.join(&words, place, GroupId(place as u32), members, 0);
        assert_eq!(board.spans_hosts(place), spans, "{members:?}");
    }
    assert_eq!(board.first_near(5), Some(4));
    assert_eq!([1, 2, 4].map(|rank| board.is_far(rank)), [false, true, false]);
}

/// Of a rank on another host no word may have come, though it has entered barriers; its place is
/// not free before. (Mutant: far ranks are judged as near ones are.)
// SEMANTICS: BAR-1
#[test]
fn a_far_member_is_done_when_it_has_said_so() {
    let layout = Layout::on_hosts(2, 2, 1);
    let words = Memory(vec![Cell::new(0); layout.words()]);
    let mut board = Board::on_hosts(0, vec![0, 1], ports);
    board.join(&words, 5, FIRST, &[0, 1], 0);
    board.handle_drop(FIRST);
    board.retire(&words, |_| true);
    assert!(board.may_join(5) && !board.has_dropped() && !board.spans_hosts(5));
    let says = |tag| {
        words.store(layout.tag(5, 1), tag);
        is_free(&board, &words, 5)
    };
    let before = tag_of(GroupId(FIRST.0 - 1)) | DONE;
    let tags = [0, before, tag_of(FIRST), tag_of(FIRST) | DONE, tag_of(SECOND)];
    assert_eq!(tags.map(says), [false, false, false, true, true]);
}

// SEMANTICS: BAR-1
#[test]
fn a_place_is_free_when_all_members_are_done() {
    let (words, mut boards) = job(3);
    for board in &mut boards {
        assert!(is_free(board, &words, 5) && !is_free(board, &words, WORLD_PLACE));
        assert!(board.may_join(5) && !board.may_join(PLACES));
        assert_eq!(board.free(&words), !1);
    }
    let members = [2, 0];
    for &rank in &members {
        boards[rank].join(&words, 5, FIRST, &members, 0);
    }
    boards[0].publish(&words, 5, 4);
    assert_eq!(read(&boards[2], &words, FIRST, 0), Some(4));
    assert_eq!(read(&boards[2], &words, SECOND, 0), None);
    // Rank 1 was never there.
    assert!(is_free(&boards[1], &words, 5) && !is_free(&boards[0], &words, 5));
    boards[0].handle_drop(FIRST);
    boards[0].retire(&words, |_| false);
    assert!(boards[0].has_dropped());
    boards[0].retire(&words, |group| group == FIRST);
    assert!(!boards[0].has_dropped() && !is_free(&boards[0], &words, 5));
    // A rank that is done has entered all the same.
    assert_eq!(read(&boards[2], &words, FIRST, 0), Some(4));
    boards[2].handle_drop(FIRST);
    assert!(!is_free(&boards[0], &words, 5));
    boards[2].retire(&words, |_| true);
    assert!(is_free(&boards[0], &words, 5) && is_free(&boards[2], &words, 5));
    // A rank that has gone on to another group is done with the first.
    for rank in [2, 1] {
        boards[rank].join(&words, 5, SECOND, &[1, 2], 0);
    }
    assert!(is_free(&boards[0], &words, 5) && !is_free(&boards[1], &words, 5));
    assert_eq!(read(&boards[1], &words, SECOND, 2), Some(0));
}

/// Rank 0 makes, drops and is done with a group, and makes the next there, before rank 1 has made
/// the first: rank 1 sees rightly that rank 0 has entered nothing.
// SEMANTICS: BAR-1, GRP-3
#[test]
fn who_comes_late_sees_nothing_of_the_next_group() {
    let (words, mut boards) = job(3);
    boards[0].join(&words, 5, FIRST, &[0, 1], 0);
    boards[0].handle_drop(FIRST);
    boards[0].retire(&words, |_| true);
    assert!(is_free(&boards[0], &words, 5));
    boards[1].join(&words, 5, FIRST, &[0, 1], 0);
    assert!(!is_free(&boards[0], &words, 5) && boards[0].may_join(5));
    for rank in [0, 2] {
        boards[rank].join(&words, 5, SECOND, &[0, 2], 0);
    }
    boards[0].publish(&words, 5, 3);
    assert_eq!(read(&boards[1], &words, FIRST, 0), None);
    assert_eq!(read(&boards[2], &words, SECOND, 0), Some(3));
}

#[test]
fn who_wants_it_is_woken() {
    let (words, mut boards) = job(4);
    boards[0].join(&words, 5, FIRST, &[0, 1, 2, 3], 0);
    let wants = [Want::Any, Want::Epoch { place: 5, epoch: 3 }, Want::Epoch { place: 6, epoch: 1 }];
    for (board, want) in boards[1..].iter_mut().zip(wants) {
        board.want(&words, want);
    }
    boards[0].want(&words, Want::Any);
    let woken = |epoch| boards[0].wanting(&words, 5, epoch).collect::<Vec<_>>();
    assert_eq!([woken(2), woken(3), woken(9)], [vec![1], vec![1, 2], vec![1, 2]]);
    boards[2].want(&words, Want::Nothing);
    // What does not fit into a word is wanted with all else.
    boards[3].want(&words, Want::Epoch { place: 5, epoch: 1 << 56 });
    assert_eq!(boards[0].wanting(&words, 5, 3).collect::<Vec<_>>(), [1, 3]);
}
