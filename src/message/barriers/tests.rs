//! The barriers of a few ranks in one thread. Words go by a [network of memory](memory), and frames
//! into a list.

mod memory;

use std::num::NonZeroU8;
use std::time::Duration;

use super::board::{Load, Want};
use super::cells::NAP;
use super::*;
use crate::message::error::MessageError;
use crate::order::{InvalidGroup, Signal, SignalKind};
use crate::sys::atomic::Ordering::Relaxed;
use crate::sys::time::Instant;
use memory::{Can, Net};

const WORLD: GroupId = GroupId::WORLD;
const GROUP: GroupId = GroupId(1);
const OTHER: GroupId = GroupId(2);
const BY_MULTICAST: Algorithm = Algorithm::GatherMulticast { fan_in: NonZeroU8::new(7).unwrap() };

/// Frames that a rank has sent. Some peers have gone, and there is room for so many.
struct Wire {
    gone: Vec<Rank>,
    room: usize,
    sent: Vec<(Rank, Signal)>,
}

impl Wire {
    fn new(room: usize) -> Wire {
        Wire { gone: Vec::new(), room, sent: Vec::new() }
    }
}

impl Frames for Wire {
    fn has_gone(&self, peer: Rank) -> bool {
        self.gone.contains(&peer)
    }

    fn post_signal<N: Nic>(
        &mut self,
        _: &mut N,
        to: Rank,
        signal: &Signal,
    ) -> Result<bool, MessageError> {
        let has_room = self.sent.len() < self.room;
        self.sent.extend(has_room.then_some((to, *signal)));
        Ok(has_room)
    }
}

struct Member {
    barriers: Barriers,
    nic: Net,
}

impl Member {
    /// Initiates a barrier, and publishes or writes what is due. Returns the signals that are
    /// frames.
    fn enter(&mut self, group: GroupId) -> Vec<(Rank, Signal)> {
        self.barriers.handle_initiate(group).unwrap();
        let mut wire = Wire::new(usize::MAX);
        self.barriers.poll_signals(&mut self.nic, &mut wire).unwrap();
        self.barriers.poll_published(&self.nic).unwrap();
        wire.sent
    }

    fn add(&mut self, id: GroupId, members: &[Rank], place: Option<usize>) -> Algorithm {
        self.barriers.add_group(&mut self.nic, id, members, (Algorithm::Board, place)).unwrap()
    }

    fn poll_cells(&mut self, now: Instant) -> bool {
        self.barriers.poll_cells(&mut self.nic, false, || now).unwrap()
    }

    fn has_wanted(&self, want: Want) -> bool {
        self.barriers.has_wanted(&|word| Load::load(&self.nic, word), want)
    }

    fn complete(&self, group: GroupId) -> u64 {
        self.barriers.order().progress_of(group).unwrap().1
    }
}

fn world(can: Can, size: usize, algorithm: Algorithm) -> Vec<Member> {
    let config = Config { algorithm, open_barriers: 2, ..Config::new(size) };
    let words = Config::shared_words_on(size, if can == Can::Hosts { size.div_ceil(2) } else { 1 });
    let member = |mut nic: Net| {
        let mut barriers = Barriers::new(&mut nic, &config).unwrap();
        barriers.handle_open(&mut nic, false, algorithm);
        Member { barriers, nic }
    };
    Net::connect(can, size, words).into_iter().map(member).collect()
}

/// Mutant: the rank that publishes first says that its epoch is complete.
// SEMANTICS: BAR-1, BAR-4
#[test]
fn the_last_rank_to_enter_wakes_those_that_want_the_barrier() {
    let mut all = world(Can::Board, 3, Algorithm::Board);
    all[0].enter(WORLD);
    let want = all[0].barriers.want(Some(u64::MAX));
    assert_eq!(want, Want::Epoch { place: WORLD_PLACE, epoch: 1 });
    assert_eq!(all[0].barriers.want(None), Want::Nothing);
    let Member { barriers, nic } = &mut all[0];
    barriers.tell_want(nic, want);
    all[1].enter(WORLD);
    assert!(all[1].nic.woken().is_empty() && !all[0].has_wanted(want));
    assert!(all.iter().all(|member| !member.barriers.has_completed()));

    all[2].enter(WORLD);
    assert_eq!(all[2].nic.woken(), [0]);
    let Stats { publications, ranks_woken, .. } = all[2].barriers.stats();
    assert_eq!((publications, ranks_woken), (1, 1));
    assert!(all[2].barriers.poll_completed() && !all[2].barriers.poll_completed());
    assert!(all[0].has_wanted(want) && !all[0].barriers.is_board_quiet(&all[0].nic));
    for Member { barriers, nic } in &mut all[..2] {
        assert!(barriers.poll_board(nic).unwrap() && barriers.poll_completed());
        assert!(barriers.is_board_quiet(nic));
    }
}

/// Mutant: a rank that enters a barrier of the sole group never looks.
// SEMANTICS: BAR-1, BAR-4, BAR-6
#[test]
fn a_sole_group_is_looked_at_by_the_rank_that_may_be_the_last() {
    let mut all = world(Can::Board, 3, Algorithm::Board);
    let mut enter = |rank: Rank| {
        let Member { barriers, nic } = &mut all[rank];
        barriers.note_sole(WORLD);
        let sole = barriers.sole_group(WORLD).expect("the world is alone");
        let (ticket, next) = barriers.enter_sole(nic, sole, || false)?;
        assert_eq!(barriers.sole_group(WORLD), Some(sole));
        if let Next::Look { before } = next {
            barriers.look_as_last(nic, sole, before).unwrap();
        }
        Some((ticket.epoch, barriers.has_completed()))
    };
    // As many as may be open.
    assert_eq!([enter(0), enter(0), enter(0)], [Some((1, false)), Some((2, false)), None]);
    assert_eq!([enter(1), enter(2)], [Some((1, false)), Some((1, true))]);
    let Member { barriers, nic } = &mut all[0];
    let sole = barriers.sole_group(WORLD).unwrap();
    assert!(!barriers.is_sole_quiet(nic, sole));
    barriers.look_at_sole(nic, sole).unwrap();
    assert_eq!((all[0].complete(WORLD), all[0].barriers.stats().publications), (1, 2));

    // A barrier of another group ends it.
    all[0].add(GROUP, &[0, 1], Some(1));
    all[0].enter(GROUP);
    assert_eq!(all[0].barriers.sole_group(WORLD), None);
    all[0].barriers.note_sole(WORLD);
    assert_eq!(all[0].barriers.sole_group(WORLD), None);
}

/// Of two, the other finds by itself what this rank could find. What is held does not wait for
/// that.
///
/// Mutant: a rank that keeps messages does not look.
// SEMANTICS: BAR-4, HOLD-1
#[test]
fn the_last_of_a_pair_looks_only_for_what_it_holds_or_for_one_that_sleeps() {
    for (sleeps, holds, expected) in [
        (0, false, Next::Nothing),
        (0, true, Next::Look { before: 0 }),
        (1, false, Next::Look { before: 0 }),
    ] {
        let mut all = world(Can::Board, 2, Algorithm::Board);
        all[0].enter(WORLD);
        let Member { barriers, nic } = &mut all[1];
        nic.memory.sleeps.store(sleeps, Relaxed);
        barriers.note_sole(WORLD);
        let sole = barriers.sole_group(WORLD).unwrap();
        let (_, next) = barriers.enter_sole(nic, sole, || holds).unwrap();
        assert_eq!(next, expected);
    }
}

/// Mutant: a member that publishes on another host counts as seen.
// SEMANTICS: BAR-1, BAR-4, BAR-9
#[test]
fn a_rank_sees_its_own_host_and_hears_of_others() {
    let mut all = world(Can::Hosts, 3, Algorithm::Board);
    let sees = |member: &Member, rank| {
        let Member { barriers, nic } = member;
        let has_entered = barriers.has_entered(nic, rank, WORLD, 1);
        (barriers.sees(rank, WORLD), barriers.is_out_of_sight(rank, WORLD), has_entered)
    };
    all[0].enter(WORLD);
    all[2].enter(WORLD);
    assert_eq!(sees(&all[0], 1), (true, false, false));
    // It is alone on its host, and has told this one.
    assert_eq!(sees(&all[0], 2), (false, true, true));
    assert_eq!(sees(&all[2], 0), (false, true, false));
    assert!(!all[0].barriers.has_completed());
    all[1].enter(WORLD);
    assert_eq!(all[1].barriers.stats().hosts_told, 1);
    for Member { barriers, nic } in &mut all {
        barriers.poll_board(nic).unwrap();
        assert!(barriers.has_completed() && barriers.are_hosts_quiet(nic));
        assert!(barriers.is_settled(nic));
    }
}

/// Mutant: a signal that found no room counts as sent.
// SEMANTICS: BAR-3, BAR-4
#[test]
fn a_signal_without_room_stays_due_and_a_rank_that_has_gone_needs_none() {
    let mut all = world(Can::Frames, 4, Algorithm::AllToAll);
    let mut wire = Wire::new(1);
    wire.gone.push(2);
    let Member { barriers, nic } = &mut all[0];
    barriers.handle_initiate(WORLD).unwrap();
    barriers.poll_signals(nic, &mut wire).unwrap();
    assert_eq!((wire.sent.len(), barriers.owes_nothing()), (1, false));
    wire.room = usize::MAX;
    barriers.poll_signals(nic, &mut wire).unwrap();
    assert!(barriers.owes_nothing());
    let mut to: Vec<Rank> = wire.sent.iter().map(|&(to, _)| to).collect();
    to.sort_unstable();
    assert_eq!((to, barriers.stats().signals_sent), (vec![1, 3], 2));

    for from in 1..4 {
        assert!(!all[0].barriers.has_completed());
        let signals = all[from].enter(WORLD);
        let (_, signal) = signals.into_iter().find(|&(to, _)| to == 0).unwrap();
        all[0].barriers.handle_signal(from, signal).unwrap();
        // Once more: it says nothing new.
        all[0].barriers.handle_signal(from, signal).unwrap();
    }
    assert!(all[0].barriers.poll_completed() && !all[0].barriers.poll_completed());
}

/// Mutant: the first question is always for the first group.
// SEMANTICS: BAR-4
#[test]
fn questions_begin_with_another_group_each_time() {
    let mut all = world(Can::Frames, 2, Algorithm::AllToAll);
    all[0].add(GROUP, &[0, 1], None);
    all[0].enter(WORLD);
    all[0].enter(GROUP);
    let Member { barriers, nic } = &mut all[0];
    barriers.handle_open(nic, true, Algorithm::AllToAll);
    assert!(barriers.is_lossy());
    let mut asked = Vec::new();
    for _ in 0..4 {
        let mut wire = Wire::new(1);
        barriers.post_asks(nic, &mut wire).unwrap();
        let [(1, signal)] = wire.sent[..] else { panic!("one question to the other rank") };
        assert_eq!((signal.kind, signal.epoch), (SignalKind::Ask, 1));
        asked.push(signal.group);
    }
    assert_eq!(asked, [GROUP, WORLD, GROUP, WORLD]);
    assert_eq!(barriers.stats().signals_asked, 4);
}

/// Mutant: a rank that asks to be woken does not look once more.
// SEMANTICS: BAR-4
#[test]
fn a_word_wakes_the_rank_that_has_asked_for_it() {
    let mut all = world(Can::Cells, 2, Algorithm::AllToAll);
    let ask = |member: &mut Member| {
        member.barriers.ask_to_be_woken(&mut member.nic, Instant::now).unwrap()
    };
    assert_eq!(ask(&mut all[0]), None);
    all[0].enter(WORLD);
    assert_eq!(ask(&mut all[0]), Some(NAP));
    assert!(all[0].barriers.are_cells_quiet(&all[0].nic));
    assert!(all[1].enter(WORLD).is_empty());
    assert_eq!(all[1].nic.woken(), [0]);
    // It has come before this rank sleeps.
    assert_eq!(ask(&mut all[0]), Some(Duration::ZERO));
    assert!(!all[0].barriers.are_cells_quiet(&all[0].nic) && all[0].poll_cells(Instant::now()));
    let Stats { signals_sent, signals_written, signals_notified, .. } = all[1].barriers.stats();
    assert_eq!((signals_sent, signals_written, signals_notified), (1, 1, 1));
    assert_eq!(all[0].complete(WORLD), 1);
    let Member { barriers, nic } = &all[0];
    assert!(barriers.has_written(nic, 1, WORLD, 1) && !barriers.has_written(nic, 1, WORLD, 2));
}

/// Mutant: a member that lacks a release asks at once, or never.
// SEMANTICS: BAR-3, BAR-4
#[test]
fn a_release_comes_to_all_at_once_and_is_asked_for_if_it_was_lost() {
    let mut all = world(Can::Cells, 3, BY_MULTICAST);
    let start = Instant::now();
    let patience = Config::new(3).resend_after;
    for epoch in 1..=2 {
        all[0].nic.memory.is_deaf.store(epoch - 1, Relaxed);
        (0..3).for_each(|rank| drop(all[rank].enter(WORLD)));
        assert!(all[0].poll_cells(start));
        let Member { barriers, nic } = &mut all[0];
        barriers.poll_signals(nic, &mut Wire::new(0)).unwrap();
        assert_eq!(barriers.stats().releases_sent, epoch);
        assert_eq!([all[1].poll_cells(start), all[2].poll_cells(start)], [epoch == 1; 2]);
    }
    let Member { barriers, nic } = &mut all[1];
    assert_eq!(barriers.ask_to_be_woken(nic, || start).unwrap(), Some(patience));
    let later = start.after(patience).unwrap();
    assert!(all[1].poll_cells(later) && all[1].complete(WORLD) == 2);
    let Stats { releases_asked, releases_missed, .. } = all[1].barriers.stats();
    assert_eq!((releases_asked, releases_missed), (1, 1));
    // The root ends, and asks nobody whether they have it.
    let Member { barriers, nic } = &mut all[0];
    assert!(barriers.seal_all(nic).unwrap());
    assert!(all[2].poll_cells(start) && all[2].complete(WORLD) == 2);
}

/// Mutant: a place is left while a member may still read its words.
// SEMANTICS: GRP-3
#[test]
fn a_place_is_taken_and_left() {
    let mut all = world(Can::Board, 3, Algorithm::Board);
    let has_free = |member: &Member| member.barriers.free_places(&member.nic) >> 1 & 1 == 1;
    for member in &mut all[..2] {
        assert!(has_free(member));
        assert_eq!(member.add(GROUP, &[0, 1], Some(1)), Algorithm::Board);
        assert!(!has_free(member) && member.barriers.order().place_of(GROUP) == Some(1));
        let asked = (Algorithm::Board, Some(1));
        let again = member.barriers.add_group(&mut member.nic, OTHER, &[0, 1], asked);
        assert_eq!(again, Err(InvalidGroup::PlaceInUse(1)));
    }
    assert!(has_free(&all[2]));
    for rank in 0..2 {
        let Member { barriers, nic } = &mut all[rank];
        barriers.handle_drop(GROUP);
        assert!(!barriers.owes_nothing());
        barriers.poll_published(nic).unwrap();
        assert!(barriers.owes_nothing());
        assert_eq!(has_free(&all[0]), rank == 1);
    }
}

/// Mutant: a group without a place signals by words.
// SEMANTICS: BAR-4
#[test]
fn a_group_goes_by_what_its_place_and_the_network_permit() {
    for (can, place, expected) in [
        (Can::Board, Some(1), Algorithm::Board),
        (Can::Board, None, Algorithm::Board.by_signals()),
        (Can::Frames, Some(1), Algorithm::Board.by_signals()),
        (Can::Cells, Some(1), Algorithm::AllToAll),
        (Can::Cells, None, Algorithm::Board.by_signals()),
    ] {
        let mut all = world(can, 2, Algorithm::Board);
        assert_eq!(all[0].add(GROUP, &[0, 1], place), expected, "{can:?} {place:?}");
        let order = all[0].barriers.order();
        let places = (order.place_of(GROUP), order.cells_of(GROUP));
        let has = |which| place.filter(|_| can == which);
        assert_eq!(places, (has(Can::Board), has(Can::Cells)));
        let is_frame = places == (None, None);
        assert_eq!(all[0].enter(GROUP).is_empty(), !is_frame);
    }
}

/// Mutant: a rank says of a group of the past that it has entered nothing.
// SEMANTICS: BAR-9
#[test]
fn a_rank_that_is_asked_tells_what_it_has_entered() {
    let mut all = world(Can::Board, 2, Algorithm::Board);
    for member in &mut all {
        member.add(GROUP, &[0, 1], Some(1));
    }
    let Member { barriers, .. } = &mut all[0];
    barriers.handle_ids_used(OTHER);
    assert_eq!((barriers.oldest_open(), barriers.answer(1, (GROUP, 1, 1))), (None, 0));
    all[0].enter(GROUP);
    all[0].enter(WORLD);
    assert_eq!(all[0].barriers.oldest_open(), Some((GROUP, 1)));
    assert_eq!(all[0].barriers.answer(1, (GROUP, 1, 1)), 1);
    all[1].enter(GROUP);
    let Member { barriers, nic } = &mut all[0];
    barriers.poll_board(nic).unwrap();
    barriers.handle_drop(GROUP);
    barriers.poll_published(nic).unwrap();
    assert_eq!(barriers.order().progress_of(GROUP), None);
    assert_eq!(barriers.answer(1, (GROUP, 1, 1)), 1);
    assert_eq!(barriers.oldest_open(), Some((WORLD, 1)));
}
