//! Places, and which ranks are woken. One thread, and words that are plain; the network may be
//! full.

use std::collections::BTreeSet;
use std::convert::Infallible;

use super::*;
use crate::message::barriers::places::WORLD_PLACE;
use crate::order::{Clock, Epoch, SignalKind};

/// The memory of all ranks, as one of them puts words.
struct Memory {
    rank: Rank,
    words: Vec<Vec<u64>>,
    is_full: bool,
    woken: Vec<Rank>,
}

impl Memory {
    fn new(layout: Layout) -> Memory {
        let words = vec![vec![0; layout.words()]; layout.size];
        Memory { rank: 0, words, is_full: false, woken: Vec::new() }
    }

    fn of(&mut self, rank: Rank) -> &mut Memory {
        self.rank = rank;
        self
    }
}

impl Puts for Memory {
    type Error = Infallible;

    fn put(
        &mut self,
        to: Rank,
        word: usize,
        value: u64,
        mode: PutMode,
    ) -> Result<bool, Infallible> {
        if self.is_full && to != self.rank {
            return Ok(false);
        }
        self.words[to][word] = value;
        self.woken.extend(mode.wakes().then_some(to));
        Ok(true)
    }

    fn read(&self, _: Rank, word: usize) -> Result<u64, Infallible> {
        Ok(self.words[self.rank][word])
    }
}

const GROUP: GroupId = GroupId(4);
const PLACE: usize = 1;

fn job(size: usize) -> (Memory, Vec<Cells>) {
    let layout = Layout { size, places: 2 };
    let joined = |rank| {
        let mut cells = Cells::laid_out(layout, rank, RegionKey(0));
        cells.join(PLACE, GROUP, &(0..size).collect::<Vec<_>>());
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
        assert!(layout.places == PLACES || (size + 1) * (layout.places + 1) + size > words);
        let of = |place| (0..size).map(move |rank| layout.cell(place, rank));
        let at = |place| of(place).chain([layout.released(place)]);
        let flags = (0..size).map(|rank| layout.asleep(rank));
        let all: Vec<usize> = (0..layout.places).flat_map(at).chain(flags).collect();
        assert_eq!(all.len(), layout.words());
        assert!(all.into_iter().collect::<BTreeSet<_>>().into_iter().eq(0..layout.words()));
    }
}

/// SEMANTICS: BAR-4
#[test]
fn only_a_rank_that_is_asleep_is_woken_and_once() {
    let (mut memory, cells) = job(2);
    let signal = |memory: &mut Memory, epoch| {
        let Ok(posted) = cells[0].put(memory.of(0), PLACE, 1, word(epoch));
        assert_eq!(memory.words[1][cells[1].layout.cell(PLACE, 0)], word(epoch));
        posted
    };
    assert_eq!(signal(&mut memory, 1), Signalled::Silently);
    for epoch in [2, 4] {
        // The flag is for the next signal, whichever, and may be set again.
        for _ in 0..2 {
            assert_eq!(cells[1].set_asleep(memory.of(1), 0), Ok(()));
        }
        assert_eq!(signal(&mut memory, epoch), Signalled::Waking);
        assert_eq!(signal(&mut memory, epoch + 1), Signalled::Silently);
    }
    assert_eq!(memory.woken, [1, 1]);
    // A rank that wakes another is not woken by that.
    assert_eq!(cells[1].put(memory.of(1), PLACE, 0, word(1)), Ok(Signalled::Silently));
}

/// SEMANTICS: BAR-4, FLOW-2
#[test]
fn a_signal_that_finds_no_room_wakes_later() {
    let (mut memory, cells) = job(2);
    memory.is_full = true;
    // The flag has no room: the sleeper naps, and asks again.
    assert_eq!(cells[1].set_asleep(memory.of(1), 0), Ok(()));
    assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word(1)), Ok(Signalled::NoRoom));
    memory.is_full = false;
    assert_eq!(cells[1].set_asleep(memory.of(1), 0), Ok(()));
    memory.is_full = true;
    for _ in 0..3 {
        assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word(1)), Ok(Signalled::NoRoom));
    }
    memory.is_full = false;
    assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word(1)), Ok(Signalled::Waking));
    assert_eq!(memory.woken, [1]);
}

/// A peer can write what it likes; it is woken in vain, at most, and once.
/// SEMANTICS: SAFE-1
#[test]
fn a_flag_that_is_nonsense_wakes_its_writer_only() {
    let (mut memory, cells) = job(3);
    for flag in [u64::MAX, 2, word(1)] {
        memory.words[0][cells[0].layout.asleep(1)] = flag;
        assert_eq!(cells[0].put(memory.of(0), PLACE, 2, word(1)), Ok(Signalled::Silently));
        assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word(1)), Ok(Signalled::Waking));
        assert_eq!(cells[0].put(memory.of(0), PLACE, 1, word(1)), Ok(Signalled::Silently));
    }
    assert_eq!(memory.woken, [1; 3]);
}

/// SEMANTICS: GRP-3
#[test]
fn a_place_is_free_when_this_rank_is_done() {
    let (mut memory, mut cells) = job(2);
    let here = &mut cells[0];
    here.join(WORLD_PLACE, GroupId::WORLD, &[0, 1]);
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
    assert_eq!(here.places.place_of(signal(GROUP, 1, 1).group), Some(PLACE));
    here.retire(|group| group == GROUP);
    assert!(!here.has_dropped());
    assert_eq!((here.free(), here.places.place_of(GROUP)), (1 << PLACE, None));
    // A flag is for whatever comes next, also of another group.
    assert_eq!(cells[1].set_asleep(memory.of(1), 0), Ok(()));
    let next = GroupId(GROUP.0 + 1);
    cells.iter_mut().for_each(|cells| cells.join(PLACE, next, &[0, 1]));
    let put = |memory: &mut Memory| cells[0].put(memory.of(0), PLACE, 1, word_of(next, 1, 0));
    assert_eq!(
        [put(&mut memory), put(&mut memory)],
        [Ok(Signalled::Waking), Ok(Signalled::Silently)]
    );
}

/// Instead of the board all write to all, while they are few.
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
