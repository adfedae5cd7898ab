//! A member deposits for a later call than the one of which a rank waits for it: the rank is woken and looks again.
//!
//! Keeps rules COL-4, COL-8 and COL-9 of SEMANTICS.md.

use super::*;

/// A rank sleeps for what a member never gives, since that one has left the call out: its deposit for a later call wakes. (Noticed: it
/// slept on, and told of it when it reported a stall. Planted: one that has given what is wanted wakes, too; one for other readers
/// does; what came since the last look is not seen; what was seen keeps awake; a wait for several sleeps on; a blocking call
/// does not.)
// SEMANTICS: COL-4, COL-8, COL-9
#[test]
fn a_later_deposit_wakes_who_waits_for_an_earlier_one_that_never_comes() {
    // Rank 0 is member 2, and waits for members 0 and 1, which are ranks 2 and 1.
    let (others, reader) = (MemberSet::below(2), MemberSet::only(2));
    for is_several in [false, true] {
        let memory = memory(3);
        let mut all = group(&memory, 3, GROUP);
        let load = |word| memory.load(word);
        let begin = |own: &mut Deposits| match is_several {
            false => {
                own.begin_wait(Awaited { place: PLACE, index: 5, first: Some(1), all: others })
            }
            true => own.begin_wait_for_several(others.iter().map(|member| (PLACE, (member, 5)))),
        };
        // Before it looks what that means, which the caller does.
        let want = |own: &mut Deposits| {
            own.look_for_late(&memory);
            own.want(&memory, |_| false, |_, _| false)
        };
        begin(&mut all[0]);
        let (wanted, is_held) = want(&mut all[0]);
        assert!(!is_held && !all[0].has_wanted(load, wanted));
        all[0].tell_want(&memory, wanted);
        // Member 0 gives, and goes on. Nothing more is wanted of it.
        all[2].deposit(&memory, PLACE, outgoing(5, reader, b""));
        if is_several {
            all[0].look_at_several(&memory);
        }
        all[2].deposit(&memory, PLACE, outgoing(6, reader, b""));
        assert!(!all[0].has_wanted(load, wanted));
        // Member 1 leaves 5 out. What others read of it tells rank 0 nothing.
        all[1].deposit(&memory, PLACE, outgoing(6, MemberSet::only(0), b""));
        assert!(all[1].wanting(&memory, PLACE, (6, MemberSet::only(0).into())).is_empty());
        assert!(!all[0].has_wanted(load, wanted));
        all[1].deposit(&memory, PLACE, outgoing(9, reader, b""));
        assert_eq!(all[1].wanting(&memory, PLACE, (9, reader.into())).to_vec(), [0]);
        if !is_several {
            assert!(
                all[2].wanting(&memory, PLACE, (6, reader.into())).is_empty(),
                "it has given 5"
            );
        }
        assert!(all[0].has_wanted(load, wanted), "it has come since this rank looked");
        // Then it sleeps again: that may be held, or come by a message. A barrier may tell more.
        let (wanted, may_be_held) = want(&mut all[0]);
        assert!(may_be_held && !all[0].has_wanted(load, wanted), "{wanted:?}");
        // The next wait knows nothing of that.
        all[0].end_wait();
        all[0].end_wait_for_several();
        begin(&mut all[0]);
        let (wanted, may_be_held) = all[0].want(&memory, |_| false, |_, _| false);
        assert!(!may_be_held && all[0].has_wanted(load, wanted));
    }

    // A blocking call is not told of what is later, and does not stay awake for it.
    let memory = memory(3);
    let mut all = group(&memory, 3, GROUP);
    all[0].begin_wait(Awaited { place: PLACE, index: 5, first: None, all: others });
    all[1].deposit(&memory, PLACE, outgoing(6, reader, b""));
    all[0].look_for_late(&memory);
    let (wanted, may_be_held) = all[0].want(&memory, |_| false, |_, _| false);
    assert!(!may_be_held && !all[0].has_wanted(|word| memory.load(word), wanted));
}

/// Any words of a peer's wants, beside any call: at most this rank's own is earlier. (Planted: a call that is no earlier one; one of
/// another place, also of what is wanted of this call; one of which this rank is no member.)
// SEMANTICS: COL-9, SAFE-1
#[test]
fn which_earlier_call_is_wanted_is_told_by_any_word() {
    let mut random = fastrand::Rng::with_seed(8);
    let back = |want: Want, index| want.encode().calls_back(PLACE, index, 3);
    let of = MemberSet::only(3).with(7);
    for (wanted, index, expected) in
        [(5, 6, Some(1)), (5, 5, None), (6, 5, None), (1, 60, Some(59))]
    {
        assert_eq!(back(Want::of(PLACE, wanted, of), index), expected);
        assert_eq!(back(Want::of(PLACE + 1, wanted, of), index), None);
        assert_eq!(back(Want::of(PLACE, wanted, MemberSet::only(7)), index), None);
    }
    assert_eq!((back(Want::Any, 9), back(Want::Nothing, 9)), (None, None));
    // Who wants that of this call, or any.
    let wanted = |want: Want, place, index| want.encode().of(place, index, 3);
    let want = Want::of(PLACE, 5, of);
    assert_eq!(wanted(want, PLACE, 5), of);
    assert_eq!([wanted(want, PLACE + 1, 5), wanted(want, PLACE, 6)], [MemberSet::NONE; 2]);
    assert_eq!(wanted(Want::Any, PLACE, 5), MemberSet::only(3));
    assert_eq!(wanted(Want::Nothing, PLACE, 5), MemberSet::NONE);
    // All of an index is told.
    let far = 1 << 40;
    assert_eq!(back(Want::of(PLACE, far - 1, of), far + 1), Some(2));
    for _ in 0..10_000 {
        let most = 1 << random.u32(1..48);
        let index = random.u64(1..most);
        let found = Wants { call: random.u64(..), of: random.u64(..) }.calls_back(PLACE, index, 3);
        assert!(found.is_none_or(|back| 0 < back && back < index));
    }
}
