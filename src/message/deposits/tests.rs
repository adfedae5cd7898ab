//! The deposits of a few ranks in one thread, over words that lie with their readers at once.

mod areas;
mod late;

use std::cell::RefCell;

use super::layout::RESTS;
use super::*;
use crate::verbs::SharedWords;

pub(super) const GROUP: GroupId = GroupId(3);
const OTHER: GroupId = GroupId(4);
pub(super) const PLACE: usize = 2;
const BEFORE: usize = 5;

/// The words of one host.
pub(super) struct Memory(RefCell<Vec<u64>>);

impl SharedWords for Memory {
    fn count(&self) -> usize {
        self.0.borrow().len()
    }

    fn load(&self, word: usize) -> u64 {
        self.0.borrow()[word]
    }

    fn store(&self, word: usize, value: u64) {
        assert!(word >= BEFORE, "a word of the board");
        self.0.borrow_mut()[word] = value;
    }
}

pub(super) fn memory(size: usize) -> Memory {
    let words = Layout::behind(BEFORE, size, 1).words();
    Memory(RefCell::new(vec![0; words]))
}

/// All ranks of a group of `size`, whose members are the ranks of the world the other way round.
pub(super) fn group(memory: &Memory, size: usize, group: GroupId) -> Vec<Deposits> {
    let mut all: Vec<Deposits> = (0..size).map(|rank| of(memory, size, rank)).collect();
    for deposits in &mut all {
        deposits.join(memory, PLACE, group, &(0..size).rev().collect::<Vec<_>>());
    }
    all
}

pub(super) fn of(memory: &Memory, size: usize, rank: Rank) -> Deposits {
    Deposits::new(rank, (size, 1), (BEFORE, memory.count()))
}

pub(super) fn outgoing(index: u64, readers: impl Into<Readers>, message: &[u8]) -> NewDeposit<'_> {
    let contents = Contents { head: &[], body: Body::Same(message) };
    NewDeposit { index, stamp: 7, readers: readers.into(), contents }
}

/// What a member's deposit for a call says to its reader.
fn read(reader: &mut Deposits, memory: &Memory, of: (Rank, u64)) -> Result<Vec<u8>, NotCopied> {
    reader.read(memory, PLACE, of).map(|len| reader.bytes(len).to_vec())
}

/// Every length, also of a last word that is not full. Mutants: the length of the word before; the
/// slot of the call before.
// SEMANTICS: COL-9
#[test]
fn what_is_deposited_is_read() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let bytes: Vec<u8> = (1..=MOST_BYTES).map(|at| at as u8).collect();
    for (index, len) in (1..).zip(0..=MOST_BYTES) {
        let of = (0, index);
        assert_eq!(all[0].stamp(&memory, PLACE, of), None);
        // The first member is rank 2.
        let readers = MemberSet::only(1).with(2);
        all[2].deposit(&memory, PLACE, outgoing(index, readers, &bytes[..len]));
        for reader in [0, 1] {
            assert_eq!(all[reader].stamp(&memory, PLACE, of), Some(7));
            assert_eq!(read(&mut all[reader], &memory, of), Ok(bytes[..len].to_vec()));
            assert_eq!(all[reader].stamp(&memory, PLACE, (1, index)), None);
            all[reader].handle_finished(&memory, PLACE, index);
        }
    }
    assert_eq!(all[2].count(), MOST_BYTES as u64 + 1);
}

/// What is short is written at once where nothing need be looked at first, and lies there as by the general way. (Planted:
/// the stamp and the length are left out; the last bytes are; a member that has not joined is passed over; what
/// one reader has finished counts for all; a rank that is behind is not; a rest is none.)
// SEMANTICS: COL-9
#[test]
fn what_is_short_lies_there_as_ever() {
    let readers = Readers::from(MemberSet::only(1).with(2));
    let bytes = [3; 8 * SHORT_WORDS + 1];
    for (head, len) in
        (0..=3).flat_map(|head| (0..=bytes.len() - 8 * head).map(move |len| (head, len)))
    {
        let (short, general) = (memory(3), memory(3));
        let written = |memory: &Memory, is_short: bool| {
            let mut own = group(memory, 3, GROUP).remove(2);
            assert!(own.is_free(memory, PLACE, (5, readers), len));
            let (head, body) = (&[7, 8, 9][..head], &bytes[..len]);
            let contents = Contents { head, body: Body::Same(body) };
            let outgoing = NewDeposit { index: 5, stamp: 11, readers, contents };
            match is_short {
                true => own
                    .is_short(PLACE, (5, readers), 8 * head.len() + len)
                    .then(|| own.deposit_short(memory, PLACE, (5, readers), 11, (head, body))),
                false => Some(own.deposit_any(memory, PLACE, outgoing)),
            }
        };
        assert_eq!(written(&general, false), Some(true));
        let fits = 8 * head + len <= 8 * SHORT_WORDS;
        assert_eq!(written(&short, true), fits.then_some(true), "{head} and {len}");
        assert!(!fits || short.0 == general.0, "{head} words and {len} bytes");
    }

    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let short = |own: &mut Deposits, index: u64| {
        let is_short = own.is_short(PLACE, (index, readers), 1);
        if is_short {
            own.deposit_short(&memory, PLACE, (index, readers), 0, (&[], b"x"));
        }
        is_short
    };
    assert!(!short(&mut all[2], 1), "nobody is known to have joined");
    assert!(all[2].is_free(&memory, PLACE, (1, readers), 1));
    assert!(short(&mut all[2], 1));
    let again = 1 + SLOTS as u64;
    all[1].handle_finished(&memory, PLACE, 1);
    assert!(!all[2].is_free(&memory, PLACE, (again, readers), 1));
    assert!(!short(&mut all[2], again) && !short(&mut all[2], again), "one has not finished");
    all[0].handle_finished(&memory, PLACE, 1);
    assert!(!short(&mut all[2], again), "it was not looked at");
    assert!(all[2].is_free(&memory, PLACE, (again, readers), 1));
    assert!(!short(&mut all[2], again) && short(&mut all[2], again), "the second knows");
    all[2].begin_pending(PLACE, (again + 1, MemberSet::only(1)));
    assert!(!short(&mut all[2], again + 2), "it is behind");
}

/// Each reader has a message of its own in one deposit, whichever member deposits: of words or not, in the slot or with a
/// rest, as whose part the slot ends. (Planted: the rest begins a word early or late; the parts for higher members lie where
/// those for lower ones begin; the head is a word shorter.)
// SEMANTICS: COL-9
#[test]
fn each_reader_reads_its_part() {
    const MEMBERS: usize = 4;
    let bytes: Vec<u8> = (0..2 * MOST_BYTES).map(|at| (at % 251) as u8 + 1).collect();
    for (each, head_words) in (0..300).flat_map(|each| [(each, 1), (each, 3)]) {
        let head = &[9, 10, 11][..head_words];
        let parts = &bytes[..MEMBERS * each];
        for sender in 0..MEMBERS {
            let memory = memory(MEMBERS);
            let mut all = group(&memory, MEMBERS, GROUP);
            let readers = MemberSet::below(MEMBERS).without(MemberSet::only(sender));
            let contents = Contents { head, body: Body::Parts(parts) };
            // Member 0 is the last rank.
            let new = NewDeposit { index: 1, stamp: 7, readers: readers.into(), contents };
            all[MEMBERS - 1 - sender].deposit(&memory, PLACE, new);
            for member in readers.iter() {
                let expected = [head.as_bytes(), &parts[each * member..][..each]].concat();
                let found = read(&mut all[MEMBERS - 1 - member], &memory, (sender, 1));
                assert_eq!(found, Ok(expected), "{each} bytes from {sender} to {member}");
            }
        }
    }
}

/// Mutants: a slot is free when one of its readers has finished; when it was never used.
// SEMANTICS: COL-9
#[test]
fn a_slot_is_free_when_all_that_read_it_have_finished() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let readers = Readers::from(MemberSet::only(1).with(2));
    for index in 1..=SLOTS as u64 {
        assert!(all[2].is_free(&memory, PLACE, (index, readers), 1));
        all[2].deposit(&memory, PLACE, outgoing(index, readers, b"x"));
    }
    let again = 1 + SLOTS as u64;
    assert!(!all[2].is_free(&memory, PLACE, (again, readers), 1));
    all[1].handle_finished(&memory, PLACE, 1);
    assert!(!all[2].is_free(&memory, PLACE, (again, readers), 1));
    all[0].handle_finished(&memory, PLACE, 2);
    assert!(all[2].is_free(&memory, PLACE, (again, readers), 1));
    assert!(!all[2].is_free(&memory, PLACE, (again + 1, readers), 1));
}

/// What is longer than a slot has a rest, for which there is less room. What is shorter needs none. (Planted: the rests
/// are not looked at; a short deposit takes one.)
// SEMANTICS: COL-9
#[test]
fn there_is_room_for_a_rest_when_all_that_read_the_last_one_have_finished() {
    let memory = memory(2);
    let mut all = group(&memory, 2, GROUP);
    let reader = Readers::from(MemberSet::only(1));
    let (short, long) = ([1; SHORT_WORDS * 8], [2; SHORT_WORDS * 8 + 1]);
    for index in 1..=RESTS as u64 {
        all[1].deposit(&memory, PLACE, outgoing(index, reader, &long));
    }
    let next = 1 + RESTS as u64;
    assert!(!all[1].is_free(&memory, PLACE, (next, reader), long.len()));
    assert!(all[1].is_free(&memory, PLACE, (next, reader), short.len()));
    all[1].deposit(&memory, PLACE, outgoing(next, reader, &short));
    for index in 1..next {
        assert_eq!(read(&mut all[0], &memory, (0, index)), Ok(long.to_vec()));
    }
    all[0].handle_finished(&memory, PLACE, 1);
    assert!(all[1].is_free(&memory, PLACE, (next + RESTS as u64, reader), long.len()));
    assert!(!all[1].is_free(&memory, PLACE, (next + 1, reader), long.len()));
    assert_eq!(read(&mut all[0], &memory, (0, next)), Ok(short.to_vec()));
}

/// A place is used by one group after the other. What a member says that it has finished is of the group before as
/// long as its tag is. (Planted: tags are not asked for. Then a slot is used again before that member has read it.)
// SEMANTICS: COL-9, GRP-1
#[test]
fn a_slot_is_free_only_for_members_that_have_joined() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    all.iter_mut().for_each(|deposits| deposits.handle_finished(&memory, PLACE, 20));
    all.iter_mut().for_each(|deposits| deposits.handle_drop(&memory, GROUP));
    let [one, both] = [MemberSet::only(1), MemberSet::only(1).with(2)].map(Readers::from);
    let members = [2, 1, 0];
    // Rank 2 is member 0.
    all[2].join(&memory, PLACE, OTHER, &members);
    assert!(!all[2].is_free(&memory, PLACE, (1, one), 1));
    all[1].join(&memory, PLACE, OTHER, &members);
    assert!(
        all[2].is_free(&memory, PLACE, (1, one), 1)
            && !all[2].is_free(&memory, PLACE, (1, both), 1)
    );
    all[0].join(&memory, PLACE, OTHER, &members);
    for index in 1..=SLOTS as u64 {
        assert!(all[2].is_free(&memory, PLACE, (index, both), 1));
        all[2].deposit(&memory, PLACE, outgoing(index, both, b"x"));
    }
    assert!(!all[2].is_free(&memory, PLACE, (1 + SLOTS as u64, both), 1));
}

/// It counts as a message to those that read it, and others may find it changed while they look.
// SEMANTICS: COL-9, COL-4
#[test]
fn a_deposit_is_seen_by_its_readers_alone() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    all[2].deposit(&memory, PLACE, outgoing(1, MemberSet::only(2), b"x"));
    assert_eq!(all[0].stamp(&memory, PLACE, (0, 1)), Some(7));
    assert_eq!(all[1].stamp(&memory, PLACE, (0, 1)), None);
    // Nor does it end, or keep from, a sleep.
    let load = |word| memory.load(word);
    for (reader, wakes) in [(0, true), (1, false)] {
        let awaited = Awaited { place: PLACE, index: 1, first: Some(0), all: MemberSet::only(0) };
        all[reader].begin_wait(awaited);
        let (want, is_held) = all[reader].want(&memory, |_| false, |_, _| false);
        assert_eq!((all[reader].has_wanted(load, want), is_held), (wakes, false));
    }
}

/// Nobody says what it has finished: what it deposits tells.
// SEMANTICS: COL-9
#[test]
fn a_deposit_says_that_calls_before_are_finished() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    for index in 1..20 {
        for own in &mut all {
            assert!(own.is_free(&memory, PLACE, (index, MemberSet::below(3).into()), 1), "{index}");
            own.deposit(&memory, PLACE, outgoing(index, MemberSet::below(3), b"y"));
        }
        for own in &mut all {
            (0..3).for_each(|member| _ = own.read(&memory, PLACE, (member, index)).unwrap());
        }
    }
}

/// A rank with a pending call deposits for a later one: it has not finished the first, and its slot is not used again.
/// (Planted: what is deposited says that all before is finished; the floor is that of the latest call.)
// SEMANTICS: COL-8, COL-9
#[test]
fn what_is_pending_is_not_finished() {
    let memory = memory(2);
    let mut all = group(&memory, 2, GROUP);
    let (first, again) = (1, 1 + SLOTS as u64);
    // Rank 0 is member 1, and has yet to read what rank 1 gives in the first call.
    let (to_pending, to_other) = (MemberSet::only(1), MemberSet::only(0));
    all[1].deposit(&memory, PLACE, outgoing(first, to_pending, b"kept"));
    all[0].begin_pending(PLACE, (first, to_other));
    all[0].deposit(&memory, PLACE, outgoing(again - 1, to_other, b""));
    read(&mut all[1], &memory, (1, again - 1)).unwrap();
    all[0].handle_finished(&memory, PLACE, again - 1);
    assert!(!all[1].is_free(&memory, PLACE, (again, to_pending.into()), 1));
    assert!(
        all[1].is_free(&memory, PLACE, (again + 1, to_pending.into()), 1),
        "nothing lies there"
    );
    assert_eq!(read(&mut all[0], &memory, (0, first)), Ok(b"kept".to_vec()));
    all[0].end_pending(&memory, PLACE, first);
    assert!(all[1].is_free(&memory, PLACE, (again, to_pending.into()), 1));
    // It has caught up, and says so by what it deposits next.
    all[1].deposit(&memory, PLACE, outgoing(again, to_pending, b""));
    all[0].deposit(&memory, PLACE, outgoing(again + 1, to_other, b""));
    read(&mut all[1], &memory, (1, again + 1)).unwrap();
    assert!(all[1].is_free(&memory, PLACE, (again + SLOTS as u64, to_pending.into()), 1));
}

/// A pending call is no call that this rank has left out, nor is one that was read late. (Planted: a pending call is
/// not known; one that is read late stands for those after it.)
// SEMANTICS: COL-4, COL-8
#[test]
fn what_is_pending_is_not_left_over() {
    let memory = memory(2);
    let mut all = group(&memory, 2, GROUP);
    for index in 1..=4 {
        all[1].deposit(&memory, PLACE, outgoing(index, MemberSet::only(1), b""));
    }
    let left_over = |reader: &Deposits, index| reader.left_over(&memory, PLACE, (0, index));
    all[0].begin_pending(PLACE, (1, MemberSet::only(0)));
    all[0].begin_pending(PLACE, (3, MemberSet::only(0)));
    // The second is missing here.
    assert_eq!((left_over(&all[0], 2), left_over(&all[0], 4)), (None, Some(2)));
    read(&mut all[0], &memory, (0, 2)).unwrap();
    assert_eq!(left_over(&all[0], 4), None);
    read(&mut all[0], &memory, (0, 4)).unwrap();
    read(&mut all[0], &memory, (0, 1)).unwrap();
    assert_eq!((left_over(&all[0], 3), left_over(&all[0], 5)), (None, None));
}

/// A member has left out a call and deposits for later ones. (Planted: a deposit for others counts.)
// SEMANTICS: COL-4, COL-8
#[test]
fn what_a_member_deposits_later_is_found() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let far = SLOTS as u64;
    let later = |reader: &Deposits, all| reader.later(&memory, PLACE, (0, 1), all);
    all[2].deposit(&memory, PLACE, outgoing(2, MemberSet::only(1), b""));
    assert_eq!(later(&all[0], true), None);
    all[2].deposit(&memory, PLACE, outgoing(far, MemberSet::only(2), b""));
    assert_eq!((later(&all[0], true), later(&all[0], false)), (Some(far), None));
    all[2].deposit(&memory, PLACE, outgoing(4, MemberSet::only(2), b""));
    assert_eq!((later(&all[0], true), later(&all[0], false)), (Some(4), Some(4)));
}

/// A rank that waits for several requests sleeps for any deposit of any, and for one that came since it looked it does not
/// sleep. (Planted: it looks after it has judged; whoever deposits wakes it, whose deposits it does not read.)
// SEMANTICS: COL-8, COL-9
#[test]
fn a_wait_for_several_requests_is_ended_by_any_deposit() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let load = |word| memory.load(word);
    // Rank 0 is member 2.
    let to_first = MemberSet::only(2);
    let parts = [(PLACE, (0, 1)), (PLACE, (1, 1)), (PLACE, (1, 3))];
    all[0].begin_wait_for_several(parts.into_iter());
    all[2].deposit(&memory, PLACE, outgoing(1, to_first, b""));
    all[0].look_at_several(&memory);
    assert_eq!(all[0].seen_of_several().collect::<Vec<_>>(), [(PLACE, (0, 1))]);
    let (want, _) = all[0].want(&memory, |_| false, |_, _| false);
    assert!(want == Want::Any && !all[0].has_wanted(load, want));
    all[0].tell_want(&memory, want);
    all[1].deposit(&memory, PLACE, outgoing(1, to_first, b""));
    assert!(all[0].has_wanted(load, want));
    assert_eq!(all[1].wanting(&memory, PLACE, (1, to_first.into())).to_vec(), [0]);
    assert!(all[1].wanting(&memory, PLACE, (1, MemberSet::only(0).into())).is_empty());
    all[0].look_at_several(&memory);
    assert!(!all[0].has_wanted(load, want));
    all[1].deposit(&memory, PLACE, outgoing(3, to_first, b""));
    all[0].look_at_several(&memory);
    assert_eq!(all[0].want(&memory, |_| false, |_, _| false), (Want::Nothing, false));
    all[0].end_wait_for_several();
    assert_eq!(all[0].seen_of_several().count(), 0);
}

/// Two ranks have not called the same: one that has deposited for a call, and one that did not read
/// it. Mutants: a call that was read; one of which this rank was no reader.
// SEMANTICS: COL-4
#[test]
fn what_lies_there_unread_is_found() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let mut deposit = |index, readers| {
        all[2].deposit(&memory, PLACE, outgoing(index, readers, b""));
    };
    // Rank 0 is member 2.
    deposit(1, MemberSet::only(2));
    deposit(2, MemberSet::only(1));
    deposit(3, MemberSet::only(2));
    let left_over = |reader: &Deposits| reader.left_over(&memory, PLACE, (0, 3));
    assert_eq!((left_over(&all[0]), left_over(&all[1])), (Some(1), Some(2)));
    all[0].read(&memory, PLACE, (0, 1)).unwrap();
    assert_eq!(left_over(&all[0]), None);
}

/// Mutants: whoever deposits wakes all that sleep for the call; or nobody that lacks what comes by
/// message.
// SEMANTICS: COL-9
#[test]
fn the_deposit_that_completes_what_is_wanted_wakes() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let everyone = Readers::from(MemberSet::below(3));
    let wait = |all: &mut [Deposits], rank: usize, index, of| {
        let first = of == MemberSet::only(1);
        let awaited = Awaited { place: PLACE, index, first: first.then_some(1), all: of };
        all[rank].begin_wait(awaited);
        let (want, is_held) = all[rank].want(&memory, |_| false, |_, _| true);
        assert!(!is_held && !all[rank].has_wanted(|word| memory.load(word), want));
        all[rank].tell_want(&memory, want);
        all[rank].end_wait();
    };
    // Rank 0 is member 2 and waits for both others; rank 1 is member 1 and waits for rank 2.
    wait(&mut all, 0, 5, MemberSet::below(2));
    wait(&mut all, 1, 5, MemberSet::only(0));
    all[1].deposit(&memory, PLACE, outgoing(5, everyone, b""));
    assert!(all[1].wanting(&memory, PLACE, (5, everyone)).is_empty());
    all[2].deposit(&memory, PLACE, outgoing(5, everyone, b""));
    assert_eq!(all[2].wanting(&memory, PLACE, (5, everyone)).to_vec(), [1, 0]);
    assert_eq!(all[2].wanting(&memory, PLACE, (5, MemberSet::only(2).into())).to_vec(), [0]);
    assert!(all[2].wanting(&memory, PLACE, (6, everyone)).is_empty());

    // That of rank 2 has come as a message.
    let awaited = Awaited { place: PLACE, index: 6, first: Some(1), all: MemberSet::below(2) };
    all[0].begin_wait(awaited);
    let (want, _) = all[0].want(&memory, |rank| rank == 2, |_, _| true);
    all[0].tell_want(&memory, want);
    all[1].deposit(&memory, PLACE, outgoing(6, everyone, b""));
    assert_eq!(all[1].wanting(&memory, PLACE, (6, everyone)).to_vec(), [0]);
    // It lies there and is held: no deposit ends that.
    assert_eq!(all[0].want(&memory, |_| false, |_, _| true), (Want::Nothing, true));
    // It has come since this rank looked: it does not sleep.
    let (want, is_held) = all[0].want(&memory, |_| false, |_, _| false);
    assert!(all[0].has_wanted(|word| memory.load(word), want) && !is_held);
    all[0].end_wait();
    assert_eq!(all[0].want(&memory, |_| false, |_, _| true), (Want::Nothing, false));
}

/// A wait for whichever comes first wants what is missing, though some is held.
// SEMANTICS: COL-9
#[test]
fn a_wait_for_any_wants_what_is_missing() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let awaited = Awaited { place: PLACE, index: 1, first: None, all: MemberSet::below(2) };
    all[0].begin_wait(awaited);
    all[1].deposit(&memory, PLACE, outgoing(1, MemberSet::below(3), b""));
    let (want, is_held) = all[0].want(&memory, |_| false, |_, _| true);
    let (of, late) = (MemberSet::only(0), MemberSet::only(0));
    assert_eq!((want, is_held), (Want::All { place: PLACE, index: 1, of, late }, true));
    all[2].deposit(&memory, PLACE, outgoing(1, MemberSet::below(3), b""));
    assert!(all[0].has_wanted(|word| memory.load(word), want));
    assert_eq!(
        all[0].want(&memory, |_| false, |_, _| true),
        (Want::of(PLACE, 1, MemberSet::NONE), true)
    );
}

/// The second group has the place of the first. Mutants: the tag is stored first; slots are not
/// cleared.
// SEMANTICS: COL-9, GRP-3
#[test]
fn deposits_of_a_group_before_are_not_seen() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    all[1].deposit(&memory, PLACE, outgoing(1, MemberSet::only(2), b"old"));
    all[1].handle_drop(&memory, GROUP);
    // What lies there can be read after its writer has dropped the group.
    assert_eq!(read(&mut all[0], &memory, (1, 1)).unwrap(), b"old");
    all[0].handle_drop(&memory, GROUP);
    assert_eq!(all[0].place_of(GROUP), None);

    all[0].join(&memory, PLACE, OTHER, &[2, 1, 0]);
    assert_eq!((all[0].place_of(OTHER), all[1].place_of(OTHER)), (Some(PLACE), None));
    assert_eq!(all[0].stamp(&memory, PLACE, (1, 1)), None);
    all[1].join(&memory, PLACE, OTHER, &[2, 1, 0]);
    assert_eq!(all[0].stamp(&memory, PLACE, (1, 1)), None);
    all[1].deposit(&memory, PLACE, outgoing(1, MemberSet::only(2), b"new"));
    assert_eq!(read(&mut all[0], &memory, (1, 1)).unwrap(), b"new");
}

// SEMANTICS: COL-9
#[test]
fn groups_of_another_size_or_on_several_hosts_do_not_deposit() {
    let size = MOST_MEMBERS + 1;
    let memory = memory(size);
    let mut deposits = of(&memory, size, 0);
    let everyone: Vec<Rank> = (0..size).collect();
    let mut deposits_in = |memory: &Memory, place, members: &[Rank]| {
        deposits.join(memory, place, GROUP, members);
        deposits.place_of(GROUP)
    };
    assert_eq!(deposits_in(&memory, PLACE, &everyone), None);
    assert_eq!(deposits_in(&memory, PLACE, &everyone[..MOST_MEMBERS]), Some(PLACE));
    assert_eq!(deposits_in(&memory, PLACE, &[0]), None);
    // The places behind have no words for it.
    assert_eq!(deposits_in(&memory, PLACES, &[0, 1, 2]), None);
    let mut on_two_hosts = Deposits::new(0, (size, 2), (BEFORE, memory.count()));
    on_two_hosts.join(&memory, PLACE, GROUP, &[0, 1, 2]);
    assert_eq!(on_two_hosts.place_of(GROUP), None);
    // Where it would be in vain there are no words for it, so that jobs on many hosts stay small.
    assert_eq!(Layout::behind(BEFORE, 256, 16).words(), BEFORE.next_multiple_of(16));
    // Where there are too few words none does.
    let mut few = Deposits::new(0, (size, 1), (BEFORE, memory.count() - 1));
    few.join(&memory, PLACE, GROUP, &[0, 1, 2]);
    assert_eq!(few.place_of(GROUP), None);
}

/// A peer stores anything.
// SEMANTICS: SAFE-1
#[test]
fn false_words_are_errors_and_no_panic() {
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    let (layout, of) = (Layout::behind(BEFORE, 3, 1), (1, 1));
    all[1].deposit(&memory, PLACE, outgoing(1, MemberSet::only(2), b"some"));
    for (len, fits) in [(MOST_BYTES, true), (MOST_BYTES + 1, false), (0x7fe, false)] {
        memory.store(layout.stamp(PLACE, 1, 1), u64::MAX << LEN_BITS | len as u64);
        let read = all[0].read(&memory, PLACE, of);
        assert_eq!(read, if fits { Ok(len) } else { Err(NotCopied::TooLong(len)) });
    }
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..10_000 {
        let word = random.usize(BEFORE..memory.count());
        memory.store(word, if random.bool() { random.u64(..) } else { random.u64(..4) });
        for index in 1..=4 {
            if all[0].stamp(&memory, PLACE, (1, index)).is_some() {
                let _ = all[0].read(&memory, PLACE, (1, index));
            }
            all[0].left_over(&memory, PLACE, (1, index));
            all[0].is_free(&memory, PLACE, (index, MemberSet::below(2).into()), 1);
            all[0].wanting(&memory, PLACE, (index, MemberSet::below(2).into()));
        }
    }
}
