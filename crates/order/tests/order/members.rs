//! The members of a group, seen through what depends on them: which lists are valid, whom a
//! barrier signals and hears, which group lies within which.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;
use runahead_order::{
    Algorithm, GroupId, InvalidGroup, Order, Ordering, ProtocolError, Rank, Signal, SignalKind,
};

const SIZE: usize = 7;
const OWN: Rank = 3;

/// What the documentation says about a list, in the order in which it is read.
fn judge(members: &[Rank]) -> Result<(), InvalidGroup> {
    for (at, &rank) in members.iter().enumerate() {
        if rank >= SIZE {
            return Err(InvalidGroup::NoSuchRank { rank, size: SIZE });
        }
        if members[..at].contains(&rank) {
            return Err(InvalidGroup::Twice(rank));
        }
    }
    if members.contains(&OWN) { Ok(()) } else { Err(InvalidGroup::WithoutCaller(OWN)) }
}

fn distinct() -> impl Strategy<Value = Vec<Rank>> {
    let chosen = (0..1u32 << SIZE).prop_map(|set| {
        (0..SIZE).filter(|&rank| rank == OWN || set >> rank & 1 == 1).collect::<Vec<_>>()
    });
    chosen.prop_shuffle()
}

proptest! {
    /// SEMANTICS: SAFE-1
    #[test]
    fn lists_are_judged(members in vec(0..SIZE + 1, 0..SIZE + 1)) {
        let mut rank = Order::new(OWN, SIZE, Ordering::Contained, 2);
        let before = rank.clone();
        let made = rank.add_group(GroupId(1), &members, Algorithm::AllToAll, 0);
        prop_assert_eq!(&made, &judge(&members));
        prop_assert_eq!(rank.members(GroupId(1)), made.is_ok().then_some(&members[..]));
        prop_assert_eq!(rank == before, made.is_err());
    }

    /// A barrier signals every other member, hears every other member and nobody else.
    ///
    /// SEMANTICS: BAR-4, SAFE-1
    #[test]
    fn members_are_signalled_and_heard(members in distinct()) {
        let mut rank = Order::new(OWN, SIZE, Ordering::Contained, 2);
        let group = GroupId(1);
        rank.add_group(group, &members, Algorithm::AllToAll, 0).expect("valid");
        rank.handle_initiate(group).expect("nothing is open");
        let mut signalled = BTreeSet::new();
        rank.poll_signals(|to, _| signalled.insert(to));
        let others: BTreeSet<_> = members.iter().copied().filter(|&m| m != OWN).collect();
        prop_assert_eq!(&signalled, &others);
        let kind = SignalKind::Reached;
        let signal = Signal { kind, group, step: 0, epoch: 1, clock: 1 };
        for from in (0..SIZE + 2).filter(|&from| from != OWN) {
            let heard = rank.handle_signal(from, signal);
            let member = others.contains(&from);
            let should =
                if member { Ok(()) } else { Err(ProtocolError::NotAMember { from, group }) };
            prop_assert_eq!(heard, should);
            prop_assert_eq!(rank.has_heard(group, from, 1), member);
        }
        prop_assert_eq!(rank.progress_of(group), Some((1, 1, 1)));
    }

    /// With a barrier of one group open, another's would be entered exactly if it lies within, and
    /// a message leaves exactly for members.
    ///
    /// SEMANTICS: CON-1, CON-2
    #[test]
    fn groups_within_groups(outer in distinct(), inner in distinct(), inner_first in any::<bool>()) {
        let mut rank = Order::new(OWN, SIZE, Ordering::Contained, 2);
        let (outer_id, inner_id) = (GroupId(1), GroupId(2));
        let mut add = |id, members: &[Rank]| {
            rank.add_group(id, members, Algorithm::AllToAll, 0).expect("valid");
        };
        if inner_first {
            add(inner_id, &inner);
            add(outer_id, &outer);
        } else {
            add(outer_id, &outer);
            add(inner_id, &inner);
        }
        rank.handle_initiate(outer_id).expect("nothing is open");
        // A barrier of this rank alone is complete already.
        let open = outer.len() > 1;
        let within = inner.iter().all(|member| outer.contains(member));
        prop_assert_eq!(rank.would_enter(inner_id), !open || within);
        for peer in 0..SIZE {
            let may = !open || outer.contains(&peer);
            prop_assert_eq!(rank.may_leave(peer, rank.post(peer)), may);
        }
    }
}
