//! Places, and who is woken for what. One thread, and words that are plain; the network may be full.

use std::collections::BTreeSet;
use std::convert::Infallible;

use super::*;
use crate::order::{Clock, Epoch, SignalKind};

/// The memory of all ranks, as one of them puts words.
struct Memory {
    rank: Rank,
    words: Vec<Vec<u64>>,
    is_full: bool,
    late: bool,
    fetches: usize,
    aloud: Vec<Rank>,
}

impl Memory {
    fn new(layout: Layout) -> Memory {
        let words = vec![vec![0; layout.words()]; layout.size];
        Memory { rank: 0, words, is_full: false, late: false, fetches: 0, aloud: Vec::new() }
    }

    fn of(&mut self, rank: Rank) -> &mut Memory {
        self.rank = rank;
        self
    }
}

impl Puts for Memory {
    type Error = Infallible;

    fn put(&mut self, to: Rank, word: usize, value: u64, aloud: bool) -> Result<bool, Infallible> {
        if self.is_full && to != self.rank {
            return Ok(false);
        }
        self.words[to][word] = value;
        self.aloud.extend(aloud.then_some(to));
        Ok(true)
    }

    fn read(&self, _: Rank, word: usize) -> Result<u64, Infallible> {
        Ok(self.words[self.rank][word])
    }

    fn fetch(&mut self, from: Rank, word: usize) -> Result<Fetched, Infallible> {
        self.fetches += 1;
        Ok(if self.late { Fetched::Late } else { Fetched::Word(self.words[from][word]) })
    }
}

const GROUP: GroupId = GroupId(4);
const PLACE: usize = 1;

fn job(size: usize) -> (Memory, Vec<Cells>) {
    let layout = Layout { size, places: 2 };
    let joined = |rank| {
        let mut cells = Cells::laid_out(layout, rank, RegionKey(0));
        cells.join(PLACE, GROUP);
        cells
    };
    (Memory::new(layout), (0..size).map(joined).collect())
}

fn word(epoch: Epoch) -> u64 {
    word_of(GROUP, epoch, 0)
}

#[test]
fn no_word_has_two_meanings() {
    for (words, size) in [(1 << 15, 2), (1 << 15, 256), (100, 5), (0, 3)] {
        let layout = Layout::within(words, size);
        assert!(layout.places == 1 || layout.words() <= words);
        assert!(layout.places == MOST_PLACES || 3 * size * (layout.places + 1) > words);
        let of = |rank| {
            move |place| {
                [layout.cell(place, rank), layout.want(place, rank), layout.sent(place, rank)]
            }
        };
        let all: Vec<usize> =
            (0..size).flat_map(|rank| (0..layout.places).flat_map(of(rank))).collect();
        assert_eq!(all.len(), layout.words());
        assert!(all.into_iter().collect::<BTreeSet<_>>().into_iter().eq(0..layout.words()));
    }
}

/// SEMANTICS: BAR-4
#[test]
fn only_who_wants_it_is_woken_and_once() {
    let (mut memory, mut cells) = job(2);
    let put = |cells: &mut Vec<Cells>, memory: &mut Memory, epoch| {
        let Ok(posted) = cells[0].put(memory.of(0), PLACE, 1, word(epoch));
        posted
    };
    assert_eq!(put(&mut cells, &mut memory, 1), Posted::Quietly);
    assert_eq!(memory.words[1][cells[1].layout.cell(PLACE, 0)], word(1));
    let ask = |cells: &mut Vec<Cells>, memory: &mut Memory, epoch| {
        let Ok(sleep) = cells[1].ask(memory.of(1), PLACE, 0, word(epoch));
        sleep
    };
    // What was sent is there, or on its way.
    assert_eq!(ask(&mut cells, &mut memory, 1), Sleep::Unsure);
    assert_eq!(ask(&mut cells, &mut memory, 1), Sleep::Short);
    assert_eq!((ask(&mut cells, &mut memory, 3), memory.fetches), (Sleep::Unsure, 1));
    assert_eq!(ask(&mut cells, &mut memory, 3), Sleep::Long);
    assert_eq!(put(&mut cells, &mut memory, 2), Posted::Quietly);
    // It has been told, and need not be asked again.
    let fetches = memory.fetches;
    assert_eq!(ask(&mut cells, &mut memory, 3), Sleep::Long);
    assert_eq!(memory.fetches, fetches);
    assert_eq!(put(&mut cells, &mut memory, 4), Posted::Aloud);
    assert_eq!(put(&mut cells, &mut memory, 5), Posted::Quietly);
    assert_eq!(memory.aloud, [1]);
}

/// SEMANTICS: BAR-4, FLOW-2
#[test]
fn what_finds_no_room_is_aloud_later() {
    let (mut memory, mut cells) = job(2);
    let mut ask = |memory: &mut Memory, epoch| cells[1].ask(memory.of(1), PLACE, 0, word(epoch));
    assert_eq!([1, 1].map(|epoch| ask(&mut memory, epoch)), [Ok(Sleep::Unsure), Ok(Sleep::Long)]);
    memory.is_full = true;
    // The want has no room either, or the answer is late: nobody sleeps for long.
    assert_eq!(ask(&mut memory, 2), Ok(Sleep::Short));
    memory.is_full = false;
    memory.late = true;
    assert_eq!([2, 2].map(|epoch| ask(&mut memory, epoch)), [Ok(Sleep::Unsure), Ok(Sleep::Short)]);
    memory.words[0][cells[0].layout.want(PLACE, 1)] = word(1);
    memory.is_full = true;
    for _ in 0..3 {
        assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word(1)), Ok(Posted::NoRoom));
    }
    memory.is_full = false;
    assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word(1)), Ok(Posted::Aloud));
    assert_eq!(memory.aloud, [1]);
}

/// A peer can write what it likes; it wakes itself in vain, at most.
/// SEMANTICS: SAFE-1
#[test]
fn a_want_that_is_nonsense_wakes_nobody() {
    let (mut memory, mut cells) = job(2);
    for want in [u64::MAX, 1, word_of(GroupId(9), 1, 0), word_of(GroupId(0), 1, 0)] {
        memory.words[0][cells[0].layout.want(PLACE, 1)] = want;
        assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word(1)), Ok(Posted::Quietly));
    }
}

/// SEMANTICS: GRP-3
#[test]
fn a_place_is_free_when_this_rank_is_done() {
    let (mut memory, mut cells) = job(2);
    let here = &mut cells[0];
    here.join(WORLD_PLACE, GroupId::WORLD);
    assert_eq!(here.free(), 0);
    here.handle_drop(GROUP);
    here.handle_drop(GROUP);
    here.handle_drop(GroupId(17));
    assert!(here.has_dropped() && !here.may_join(PLACE));
    here.retire(|_| false);
    assert!(here.has_dropped());
    // As long as it is not done, its signals still go there.
    let kind = SignalKind::Reached;
    let signal = |group, epoch: Epoch, clock: Clock| Signal { kind, group, step: 0, epoch, clock };
    assert_eq!(here.place_of(signal(GROUP, 1, 1).group), Some(PLACE));
    here.retire(|group| group == GROUP);
    assert!(!here.has_dropped());
    assert_eq!((here.free(), here.place_of(GROUP)), (1 << PLACE, None));
    // What the last group wanted is none of the next one's.
    for sleep in [Sleep::Unsure, Sleep::Long] {
        assert_eq!(cells[1].ask(memory.of(1), PLACE, 0, word(1)), Ok(sleep));
    }
    let next = GroupId(GROUP.0 + 1);
    cells.iter_mut().for_each(|cells| cells.join(PLACE, next));
    assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word_of(next, 1, 0)), Ok(Posted::Quietly));
    assert_eq!(cells[1].ask(memory.of(1), PLACE, 0, word_of(next, 2, 0)), Ok(Sleep::Unsure));
    assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word_of(next, 2, 0)), Ok(Posted::Aloud));
}

/// The board of who asks for one becomes that in which all write to all, while they are few.
#[test]
fn the_default_is_flat_in_small_groups() {
    for (asked, size, gets) in [
        (Algorithm::Board, 2, Algorithm::AllToAll),
        (Algorithm::Auto, MOST_FLAT, Algorithm::AllToAll),
        (Algorithm::Board, MOST_FLAT + 1, Algorithm::Dissemination),
        (Algorithm::BinomialTree, 5, Algorithm::BinomialTree),
    ] {
        assert_eq!(by_words(asked, size), gets);
    }
}
