//! Places: who may have which, and for how long. One thread, and words that are plain cells.

use std::cell::Cell;

use super::layout::LINE;
use super::*;
use crate::order::relay::{PORTS, rounds};

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
}

fn job(size: usize) -> (Memory, Vec<Board>) {
    let words = vec![Cell::new(0); Layout::new(size).words()];
    (Memory(words), (0..size).map(|rank| Board::new(rank, size)).collect())
}

fn read(board: &Board, words: &Memory, group: GroupId, rank: Rank) -> Option<Epoch> {
    board.read(words, Word { place: 5, group, rank, known: false })
}

const FIRST: GroupId = GroupId(3);
const SECOND: GroupId = GroupId(4);

#[test]
fn no_word_has_two_meanings() {
    for size in [1, 2, 3, 16, 17, 100] {
        words_are_distinct(Layout::new(size), size, 0);
        for hosts in [2, 5, 17, 65] {
            let (layout, rounds) = (Layout::with_cells(size, hosts), rounds(hosts, PORTS));
            assert!(layout.words() > Layout::new(size).words());
            words_are_distinct(layout, size, rounds);
        }
    }
    // Of the most ranks, each on a host of its own, so many copies as the network within a host has room for.
    assert!(Layout::with_cells(256, 256).words() * 256 <= 1 << 25);
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
            take(layout.sum(place, rank));
        }
        for (place, round) in (0..CELL_PLACES).flat_map(|at| (0..rounds).map(move |it| (at, it))) {
            (1..=PORTS).for_each(|port| take(layout.cell(place, round, port, rank)));
            take(layout.passed(place, round, rank));
        }
    }
}

/// Groups on many hosts get the first places, which have cells; others leave them to those, if they can.
/// (Planted: a group that counts its members and not their hosts.)
// SEMANTICS: BAR-4
#[test]
fn only_some_places_are_for_groups_on_many_hosts() {
    let board = Board::on_hosts(0, vec![0, 0, 1, 2, 0], 2);
    let (few, many): ([Rank; 4], [Rank; 3]) = ([0, 1, 2, 4], [0, 2, 3]);
    assert_eq!([3, CELL_PLACES].map(|place| board.fits(&many, place)), [true, false]);
    assert_eq!([3, CELL_PLACES].map(|place| board.fits(&few, place)), [true, true]);
    let cells = (1 << CELL_PLACES) - 1;
    assert_eq!((board.preferred(&few, !1), board.preferred(&many, !1)), (!cells, !1));
    assert_eq!(board.preferred(&few, 6), 6);
    // Where hosts are few, all places are alike; and who does not exist is for others to refuse.
    let board = Board::new(0, 5);
    assert_eq!((board.preferred(&many, !1), board.fits(&many, 60)), (!1, true));
    assert!(board.fits(&[9], 60));
}

// SEMANTICS: BAR-1
#[test]
fn a_place_is_free_when_all_members_are_done() {
    let (words, mut boards) = job(3);
    for board in &mut boards {
        assert!(board.is_free(&words, 5) && !board.is_free(&words, WORLD_PLACE));
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
    assert!(boards[1].is_free(&words, 5) && !boards[0].is_free(&words, 5));
    boards[0].handle_drop(FIRST);
    boards[0].retire(&words, |_| false);
    assert!(boards[0].has_dropped());
    boards[0].retire(&words, |group| group == FIRST);
    assert!(!boards[0].has_dropped() && !boards[0].is_free(&words, 5));
    // Who is done has entered all the same.
    assert_eq!(read(&boards[2], &words, FIRST, 0), Some(4));
    boards[2].handle_drop(FIRST);
    assert!(!boards[0].is_free(&words, 5));
    boards[2].retire(&words, |_| true);
    assert!(boards[0].is_free(&words, 5) && boards[2].is_free(&words, 5));
    // Who has gone on to another is done with the first.
    for rank in [2, 1] {
        boards[rank].join(&words, 5, SECOND, &[1, 2], 0);
    }
    assert!(boards[0].is_free(&words, 5) && !boards[1].is_free(&words, 5));
    assert_eq!(read(&boards[1], &words, SECOND, 2), Some(0));
}

/// Rank 0 makes, drops and is done with a group, and makes the next there, before rank 1 has made the
/// first: rank 1 sees rightly that rank 0 has entered nothing.
// SEMANTICS: BAR-1, GRP-3
#[test]
fn who_comes_late_sees_nothing_of_the_next_group() {
    let (words, mut boards) = job(3);
    boards[0].join(&words, 5, FIRST, &[0, 1], 0);
    boards[0].handle_drop(FIRST);
    boards[0].retire(&words, |_| true);
    assert!(boards[0].is_free(&words, 5));
    boards[1].join(&words, 5, FIRST, &[0, 1], 0);
    assert!(!boards[0].is_free(&words, 5) && boards[0].may_join(5));
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
