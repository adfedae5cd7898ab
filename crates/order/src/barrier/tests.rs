//! The barriers of a group on one board, by one member and by all.

use super::*;

fn enter(rank: &mut Barrier, words: &mut [Epoch]) {
    rank.handle_enter();
    let (before, epoch) = rank.poll_published().unwrap();
    assert_eq!(words[rank.own], before);
    words[rank.own] = epoch;
}

/// What the words say; nobody has said what is complete.
fn said(words: &[Epoch]) -> impl Fn(MemberWord) -> Option<Epoch> {
    move |(member, cell, _)| (cell == Cell::Entered).then(|| words[member])
}

// SEMANTICS: BAR-1 BAR-4
#[test]
fn only_the_member_that_is_lacking_is_looked_at() {
    let mut words = [0; 5];
    let mut ranks: Vec<Barrier> = (0..5).map(|own| Barrier::on_board(own, 5, 0)).collect();
    for rank in [3, 0, 1, 4] {
        enter(&mut ranks[rank], &mut words);
    }
    let loads = std::cell::RefCell::new(Vec::new());
    for _ in 0..3 {
        let load = |word: MemberWord| {
            loads.borrow_mut().extend((word.1 == Cell::Entered).then_some(word.0));
            said(&words)(word)
        };
        assert_eq!(ranks[3].look(1, &load), Ok(false));
    }
    assert_eq!(loads.into_inner(), [0, 1, 2, 2, 2]);
    enter(&mut ranks[2], &mut words);
    for rank in &mut ranks {
        assert_eq!(rank.look(1, &said(&words)), Ok(true));
        assert_eq!(rank.complete(), 1);
        assert_eq!(rank.look(1, &|_: MemberWord| panic!("nothing is open")), Ok(false));
    }
}

/// Where it is quiet a look finds nothing, and a look finds all that there is. (Mutants: a
/// quiet that takes a member for lacking that has entered; a look that ends with the last
/// member, wherever it began.) SEMANTICS: BAR-1 BAR-4
#[test]
fn a_look_finds_all_and_it_is_quiet_only_if_that_is_nothing() {
    let mut random = fastrand::Rng::with_seed(7);
    let (mut quiet, mut found) = (0, 0);
    for _ in 0..200 {
        let size = random.usize(1..5);
        let own = random.usize(..size);
        let mut words = vec![0; size];
        let mut rank = Barrier::on_board(own, size, 0);
        for _ in 0..40 {
            let member = random.usize(..size);
            if member == own {
                enter(&mut rank, &mut words);
            } else if words[member] < rank.complete() + 3 {
                words[member] += 1;
            }
            let is_quiet = rank.is_quiet(&said(&words));
            // Else the word of whoever lacked last says something.
            assert!(is_quiet || words[rank.near.lacking()] > rank.complete());
            let completed = rank.look(100, &said(&words)).unwrap();
            assert!(!(is_quiet && completed), "{rank:?} {words:?}");
            let reached = words.iter().copied().min().expect("there is a member");
            assert_eq!(rank.complete(), reached, "{rank:?} {words:?}");
            quiet += u32::from(is_quiet);
            found += u32::from(completed);
        }
    }
    assert!(quiet > 1000 && found > 300, "{quiet} {found}");
}

// SEMANTICS: BAR-3
#[test]
fn one_publication_stands_for_several_barriers() {
    let mut rank = Barrier::on_board(1, 3, 7);
    (0..4).for_each(|_| rank.handle_enter());
    assert_eq!(rank.poll_published(), Some((7, 11)));
    assert_eq!(rank.poll_published(), None);
    let words = [9, 0, 10];
    assert_eq!(rank.look(20, &said(&words)), Ok(true));
    assert_eq!(rank.complete(), 9);
    // Less than before says nothing.
    assert_eq!(rank.look(20, &said(&[3; 3])), Ok(false));
    assert_eq!([0, 1, 2].map(|member| rank.lacks(member, 10)), [true, false, false]);
    assert!(!rank.handle_published(2, 10) && rank.handle_published(0, 12));
    assert_eq!(rank.complete(), 10);
    assert!(rank.has_heard(0, 12) && rank.has_heard(1, 11) && !rank.has_heard(1, 12));
}

// SEMANTICS: BAR-5
#[test]
fn what_was_seen_before_entering_counts_once() {
    let mut rank = Barrier::on_board(0, 2, 0);
    assert!(rank.handle_published(1, 1));
    assert_eq!((rank.complete(), rank.entered()), (0, 0));
    rank.handle_enter();
    assert_eq!(rank.complete(), 1);
    rank.handle_enter();
    assert_eq!(rank.complete(), 1);
}

// SEMANTICS: BAR-1 BAR-3
#[test]
fn a_completed_epoch_stands_for_a_look_at_all() {
    let mut rank = Barrier::on_board(0, 4, 7);
    (0..3).for_each(|_| rank.handle_enter());
    assert!(!rank.handle_complete(7) && rank.handle_complete(9) && !rank.handle_complete(9));
    assert_eq!(rank.complete(), 9);
    // More than this rank has entered, and less than is known.
    assert!(!rank.handle_complete(11) && !rank.handle_complete(8));
    assert_eq!(rank.complete(), 9);
    // What was seen of the others is older than that, and is looked at afresh.
    assert_eq!(rank.look(20, &said(&[9; 4])), Ok(false));
    assert_eq!(rank.look(20, &said(&[10; 4])), Ok(true));
    assert_eq!(rank.complete(), 10);
}

// SEMANTICS: SAFE-1
#[test]
fn an_impossible_epoch_is_named() {
    let mut rank = Barrier::on_board(0, 3, 0);
    rank.handle_enter();
    let found = rank.look(5, &said(&[1, 1, 6]));
    assert_eq!(found, Err(Impossible { member: 2, epoch: 6 }));
    assert_eq!(rank.complete(), 0);
}
