//! What is asked before a short cut is taken, and the short cuts, against the long way: on copies of one state
//! both must say and leave the same. The states are those of a rank that anything happens to.

use std::collections::BTreeSet;

use fastrand::Rng;
use runahead_order::core::board::Word;
use runahead_order::core::sole::SoleGroup;
use runahead_order::hosts::Cell;
use runahead_order::{
    Algorithm, Carrier, GroupId, Order, Ordering, Rank, Refused, Signal, SignalKind,
};

const SIZE: usize = 4;
const LIMIT: usize = 3;

/// The groups of rank 0: how they learn of each other, and the members.
const GROUPS: [(GroupId, bool, &[Rank]); 5] = [
    (GroupId::WORLD, true, &[0, 1, 2, 3]),
    (GroupId(1), true, &[2, 0]),
    (GroupId(2), false, &[0, 1, 2, 3]),
    (GroupId(3), false, &[3, 0, 1]),
    (GroupId(4), true, &[1, 0, 2]),
];

fn place(group: GroupId) -> usize {
    10 + group.0 as usize
}

/// A rank with some of the groups.
fn rank(dice: &mut Rng) -> Order {
    let mut order = Order::new(0, SIZE, Ordering::Contained, LIMIT);
    for (group, published, members) in GROUPS {
        let added = match published {
            _ if dice.u8(..3) == 0 => continue,
            true => order.add_group(group, members, Carrier::board(place(group)), 0),
            false => order.add_group(group, members, Algorithm::AllToAll, 0),
        };
        added.unwrap();
    }
    order
}

/// Something happens; what cannot is refused, and changes nothing.
fn happen(order: &mut Order, dice: &mut Rng) {
    let (group, published, members) = GROUPS[dice.usize(..GROUPS.len())];
    let (from, epoch) = (members[dice.usize(..members.len())], dice.u64(1..6));
    match dice.u8(..10) {
        0..3 => drop(order.handle_initiate(group)),
        3..7 if from != 0 && published => drop(order.handle_published(from, group, epoch)),
        3..7 if from != 0 => {
            let kind = if dice.u8(..5) == 0 { SignalKind::Ask } else { SignalKind::Reached };
            let _ = order.handle_signal(from, Signal { kind, group, step: 0, epoch, clock: 0 });
        }
        7 => order.poll_signals(|_, _| dice.bool()),
        8 => order.poll_published(|_| ()),
        9 if dice.u8(..8) == 0 => order.handle_drop(group),
        _ => {}
    }
}

/// Runs `check` on many states.
fn on_all_kinds(check: impl Fn(&mut Order, &mut Rng)) {
    for seed in 0..300 {
        let mut dice = Rng::with_seed(seed);
        let mut order = rank(&mut dice);
        for _ in 0..60 {
            happen(&mut order, &mut dice);
            check(&mut order, &mut dice);
        }
    }
}

fn owes(order: &Order) -> bool {
    let (mut order, mut owes) = (order.clone(), false);
    order.poll_signals(|_, _| {
        owes = true;
        false
    });
    order.poll_published(|_| owes = true);
    owes
}

fn open_groups(order: &Order) -> impl Iterator<Item = &[Rank]> {
    order.open_barriers().map(|(group, ..)| order.members(group).expect("it is open"))
}

/// SEMANTICS: BAR-1 FLOW-2 CON-1
#[test]
fn what_is_asked_first_is_so() {
    on_all_kinds(|order, _| {
        assert_eq!(order.owes_nothing(), !owes(order));
        let all = open_groups(order).all(|members| members.len() == SIZE);
        assert_eq!(order.holds_all_in_open_barriers(), all);
        let signals = GROUPS
            .iter()
            .any(|&(group, ..)| order.members(group).is_some() && order.place_of(group).is_none());
        assert_eq!(order.expects_signals(), signals);
    });
}

/// A barrier that nothing keeps back is entered the short way, and only that, and it is as if it had gone the long
/// one.
///
/// SEMANTICS: BAR-1 BAR-6 CON-3
#[test]
fn to_enter_directly_is_to_enter() {
    let counts = std::cell::Cell::new([0; 2]);
    on_all_kinds(|order, dice| {
        let (group, ..) = GROUPS[dice.usize(..GROUPS.len())];
        let (before, mut long) = (order.clone(), order.clone());
        let mut fresh = 0;
        before.clone().poll_published(|publication| fresh += u32::from(publication.group == group));
        let may = order.may_initiate(group).is_ok()
            && order.place_of(group).is_some()
            && order.holds_all_in_open_barriers()
            && !order.has_deferred()
            && fresh == 0;
        let Some((ticket, publication)) = order.handle_initiate_published(group) else {
            assert!(!may && *order == before);
            return;
        };
        assert!(may);
        assert_eq!(long.handle_initiate(group), Ok(ticket));
        let mut published = Vec::new();
        long.poll_published(|publication| published.push(publication));
        // What others of its groups have to publish the long way publishes as well.
        let mut rest = Vec::new();
        order.poll_published(|publication| rest.push(publication));
        rest.push(publication);
        let both = [published, rest].map(|all| {
            all.into_iter()
                .map(|p| (p.place, p.group.0, p.before, p.epoch))
                .collect::<BTreeSet<_>>()
        });
        assert_eq!(both[0], both[1]);
        assert_eq!(*order, long);
        counts.set([
            counts.get()[0] + 1,
            counts.get()[1] + usize::from(open_groups(order).count() > 1),
        ]);
    });
    let [entered, beside_others] = counts.get();
    assert!(entered > 300 && beside_others > 100, "{entered} {beside_others}");
}

/// A group is sole while no other has an open barrier and nothing is left to be done for it. Its barriers are entered
/// the short way then, and found complete, as by the long one.
///
/// SEMANTICS: BAR-1 BAR-3 BAR-4 CLK-1 CON-3
#[test]
fn a_sole_group_is_entered_and_looked_at_as_any() {
    let counts = std::cell::Cell::new([0; 6]);
    let count = |at: usize, of: usize| {
        let mut all = counts.get();
        all[at] += of;
        counts.set(all);
    };
    on_all_kinds(|order, dice| {
        let (group, ..) = GROUPS[dice.usize(..GROUPS.len())];
        let mut fresh = false;
        order.clone().poll_published(|publication| fresh |= publication.group == group);
        let alone = order.open_barriers().all(|(open, ..)| open == group);
        let (known, dropped) = (order.place_of(group), order.may_initiate(group));
        let dropped = dropped == Err(Refused::NoSuchGroup(group));
        let is_sole = known.is_some() && !dropped && !fresh && alone && !order.has_deferred();
        assert_eq!(order.sole_group(group).is_some(), is_sole);
        let Some(sole) = order.sole_group(group) else { return };
        let mut noted = order.note_sole_group(group);
        assert_eq!((sole.group(), Some(sole.place())), (group, known));
        count(0, 1);
        // As often as it may, while whatever is published comes and goes.
        for _ in 0..3 {
            let mut long = order.clone();
            let ticket = match order.entering_sole(sole) {
                None => {
                    assert_eq!(long.may_initiate(group), order.may_initiate(group));
                    assert!(matches!(order.may_initiate(group), Err(Refused::OpenLimit { .. })));
                    count(1, 1);
                    None
                }
                Some(publication) => {
                    assert_eq!(long, *order);
                    let ticket = order.handle_enter_sole(sole, &mut noted);
                    assert_eq!(long.handle_initiate(group), Ok(ticket));
                    let mut published = Vec::new();
                    long.poll_published(|publication| published.push(publication));
                    published.retain(|publication| publication.group == group);
                    assert_eq!(published, [publication]);
                    order.poll_published(|publication| assert_ne!(publication.group, group));
                    count(2, 1);
                    Some(ticket)
                }
            };
            assert_eq!((&*order, order.sole_group(group)), (&long, Some(sole)));
            assert_eq!(order.noted_sole_group(&noted), Some(sole));
            let seqs = ticket.map(|ticket| ticket.seq).into_iter().chain([0, 1, u64::MAX]);
            for seq in seqs {
                let complete = order.is_complete_through(seq);
                assert_eq!(order.is_sole_complete_through(sole, seq), complete);
                count(3, usize::from(complete));
            }
            let words = words(order, dice);
            let at = |word: Word| words[word.place - 10][word.rank];
            let sum = |word: Word| words[word.place - 10][word.rank].filter(|_| word.rank == 1);
            let quiet = order.is_board_quiet(&at);
            assert_eq!(order.is_sole_quiet(sole, &at), quiet);
            count(4, usize::from(quiet));
            // Copies have forgotten where to begin, both of them.
            (*order, long) = (order.clone(), order.clone());
            let load = |word: Word| if word.cell == Cell::Complete { sum(word) } else { at(word) };
            let found = order.look_at_sole(sole, &load);
            assert_eq!(found, long.look(&load));
            assert_eq!(*order, long);
            let complete = order.progress_of(group).map(|(_, complete, _)| complete);
            assert_eq!(Some(order.sole_complete(sole)), complete);
            count(5, usize::from(found == Ok(true)));
        }
    });
    let all = counts.get();
    assert!(all.iter().all(|&count| count > 300), "{all:?}");
}

/// SEMANTICS: BAR-1
#[test]
fn epochs_run_out_the_short_way_too() {
    let mut order = Order::new(0, 2, Ordering::Contained, LIMIT);
    order.add_group(GroupId::WORLD, &[0, 1], Carrier::board(0), u64::MAX - 2).unwrap();
    let sole = order.sole_group(GroupId::WORLD).unwrap();
    let mut noted = order.note_sole_group(GroupId::WORLD);
    assert_eq!(order.entering_sole(sole).map(|entering| entering.epoch), Some(u64::MAX - 1));
    assert_eq!(order.handle_enter_sole(sole, &mut noted).epoch, u64::MAX - 1);
    assert!(order.entering_sole(sole).is_none());
    assert!(order.handle_initiate_published(GroupId::WORLD).is_none());
    let exhausted = Err(Refused::EpochsExhausted(GroupId::WORLD));
    assert_eq!(order.may_initiate(GroupId::WORLD), exhausted);
    let mut order = Order::new(0, 2, Ordering::Contained, LIMIT);
    order.add_group(GroupId::WORLD, &[0, 1], Carrier::board(0), u64::MAX).unwrap();
    assert!(order.handle_initiate_published(GroupId::WORLD).is_none());
}

/// The answers that callers keep as long as the version stays the same: stamps, and of which groups
/// each is the sole one; whether signals may come, something is owed, or something contained.
type Answers = (Vec<u64>, Vec<Option<SoleGroup>>, [bool; 3]);

fn answers(order: &Order) -> Answers {
    let stamps = (0..SIZE).map(|peer| order.post(peer).stamp).collect();
    let soles = GROUPS.iter().map(|&(group, ..)| order.sole_group(group)).collect();
    let contains = !order.holds_all_in_open_barriers();
    (stamps, soles, [order.expects_signals(), !order.owes_nothing(), contains])
}

/// No answer that a caller has kept becomes wrong without a new version: a stamp, a sole group, or
/// that nothing comes, is owed or is contained. (Mutants: each `note_change` of the core left out.)
///
/// SEMANTICS: CLK-1 CON-1 BAR-1
#[test]
fn a_kept_answer_goes_wrong_only_with_a_new_version() {
    let mut changes = [0; 5];
    for seed in 0..400 {
        let mut dice = Rng::with_seed(seed);
        let mut order = rank(&mut dice);
        for _ in 0..60 {
            let (before, version) = (answers(&order), order.version());
            let (group, published, members) = GROUPS[dice.usize(..GROUPS.len())];
            match dice.u8(..12) {
                0 if published => {
                    drop(order.add_group(group, members, Carrier::board(place(group)), 0))
                }
                0 => drop(order.add_group(group, members, Algorithm::AllToAll, 0)),
                1 => drop(order.reschedule(group, Algorithm::Dissemination)),
                2 => drop(order.handle_complete(members[0], group, dice.u64(1..4))),
                3 => drop(order.handle_initiate_published(group)),
                4 => {
                    let noted = order.note_sole_group(group);
                    if let Some(sole) = order.noted_sole_group(&noted)
                        && order.entering_sole(sole).is_some()
                    {
                        order.handle_enter_sole(sole, &mut noted.clone());
                    }
                }
                _ => happen(&mut order, &mut dice),
            }
            let after = answers(&order);
            let kept = before.1.iter().zip(&after.1).filter(|(before, _)| before.is_some());
            let appears = |at: usize| !before.2[at] && after.2[at];
            let wrong = [
                before.0 != after.0,
                kept.into_iter().any(|(before, after)| before != after),
                appears(0),
                appears(1),
                appears(2),
            ];
            assert!(order.version() != version || wrong == [false; 5], "seed {seed}: {wrong:?}");
            (0..5).for_each(|at| changes[at] += usize::from(wrong[at]));
        }
    }
    assert!(changes.iter().all(|&count| count > 20), "{changes:?}");
}

/// Words that anybody may have published; nobody is further than is possible.
fn words(order: &Order, dice: &mut Rng) -> Vec<[Option<u64>; SIZE]> {
    let entered = |group| order.progress_of(group).map_or(0, |(entered, ..)| entered);
    let word = |most: u64, dice: &mut Rng| (dice.u8(..4) > 0).then(|| dice.u64(..most + 1));
    GROUPS.iter().map(|&(group, ..)| [(); SIZE].map(|()| word(entered(group) + 1, dice))).collect()
}

/// A board that is quiet has nothing for a look, and one with nothing open is quiet. Whoever reads a word is told
/// whether its rank is known to have published; and sums are asked for where they can say something.
///
/// SEMANTICS: BAR-3 BAR-4
#[test]
fn a_quiet_board_has_nothing_for_a_look() {
    let counts = std::cell::Cell::new([0; 3]);
    on_all_kinds(|order, dice| {
        let words = words(order, dice);
        let at = |word: Word| words[word.place - 10][word.rank];
        let known = |word: Word| order.has_heard(word.group, word.rank, 1);
        let checked = |word: Word| {
            assert_eq!((word.known, word.place), (known(word), place(word.group)));
            at(word)
        };
        let quiet = order.is_board_quiet(&checked);
        let mut looked = order.clone();
        let asked = std::cell::Cell::new(0);
        let sum = |word: Word| {
            asked.set(asked.get() + 1);
            let members = order.members(word.group).unwrap();
            assert!(members.len() > 2 && word.rank == members[0]);
            assert_eq!(word.known, known(word));
            None
        };
        let load = |word: Word| if word.cell == Cell::Complete { sum(word) } else { at(word) };
        let found = looked.look(&load).unwrap();
        assert!(!(quiet && found));
        let awaited: Vec<_> = order.awaited().collect();
        assert!(quiet || !awaited.is_empty());
        // Who waits for a larger group has asked for its sum; what completes may have others entered meanwhile.
        let large = awaited.iter().filter(|group| order.members(group.group).unwrap().len() > 2);
        assert!(asked.get() >= large.count());
        if dice.bool() {
            *order = looked;
        }
        let [a, b, c] = counts.get();
        let waits = !awaited.is_empty();
        counts.set([a + usize::from(quiet && waits), b + usize::from(found), c + asked.get()]);
    });
    let all = counts.get();
    assert!(all.iter().all(|&count| count > 500), "{all:?}");
}

/// What every word says: the completed epoch, and what each member has entered.
fn said(complete: Option<u64>, entered: Option<u64>) -> impl Fn(Word) -> Option<u64> {
    move |word| if word.cell == Cell::Complete { complete } else { entered }
}

/// One look finds what a sum says, and beyond it what the members' own words say.
///
/// SEMANTICS: BAR-1 BAR-3
#[test]
fn a_look_finds_more_than_the_sum_says() {
    let mut order = Order::new(0, 3, Ordering::Contained, LIMIT);
    order.add_group(GroupId::WORLD, &[0, 1, 2], Carrier::board(0), 0).unwrap();
    for _ in 0..3 {
        order.handle_initiate(GroupId::WORLD).unwrap();
    }
    order.poll_published(|_| ());
    assert_eq!(order.look(&said(Some(1), Some(2))), Ok(true));
    assert_eq!(order.completions(), 2);
    // The sum alone, and words alone.
    assert_eq!(order.look(&said(Some(3), Some(2))), Ok(true));
    assert_eq!(order.completions(), 3);
    order.handle_initiate(GroupId::WORLD).unwrap();
    order.poll_published(|_| ());
    assert_eq!(order.look(&said(None, Some(4))), Ok(true));
    assert_eq!(order.completions(), 4);
}
