//! The clocks of one rank against their definition, computed afresh each time from the list of all
//! barriers that the rank ever initiated.

use proptest::collection::vec;
use proptest::prelude::*;
use runahead_order::clocks::{Clocks, Slot};
use runahead_order::{Clock, Epoch, Rank};

const PEERS: usize = 5;

/// A barrier that this rank has initiated.
#[derive(Clone, Debug)]
struct Barrier {
    group: usize,
    epoch: Epoch,
    complete: bool,
}

/// The definition: everything that ever happened, and no idea of speed.
#[derive(Clone, Debug, Default)]
struct Oracle {
    /// What stands for the barriers before the test.
    base: Clock,
    /// The members of every group that there ever was.
    groups: Vec<Vec<Rank>>,
    history: Vec<Barrier>,
}

impl Oracle {
    fn with(&self, peer: Rank) -> impl Iterator<Item = &Barrier> {
        self.history.iter().filter(move |barrier| self.groups[barrier.group].contains(&peer))
    }

    fn send_clock(&self, peer: Rank) -> Clock {
        self.base + self.with(peer).count() as Clock
    }

    /// The prefix rule.
    fn recv_clock(&self, peer: Rank) -> Clock {
        self.base + self.with(peer).take_while(|barrier| barrier.complete).count() as Clock
    }

    /// What the text of the thesis describes: how many have completed.
    fn completions(&self, peer: Rank) -> Clock {
        self.base + self.with(peer).filter(|barrier| barrier.complete).count() as Clock
    }

    fn clock_of(&self, group: usize, epoch: Epoch, peer: Rank) -> Option<Clock> {
        let wanted = |b: &Barrier| b.group == group && b.epoch == epoch;
        self.with(peer).position(wanted).map(|before| self.base + before as Clock + 1)
    }
}

/// What happens to the rank. Numbers are reduced to what is there.
#[derive(Clone, Debug)]
enum Event {
    Add { members: Vec<bool>, first: Epoch },
    Initiate(usize),
    Complete(usize),
    Drop(usize),
}

fn event() -> impl Strategy<Value = Event> {
    let first = prop_oneof![Just(0), Just((1 << 48) - 2), Just(1 << 63), 0..100u64];
    // Where all groups hold everybody the clocks are kept in another way; but for those that include no peer.
    let [all, none] = [true, false].map(|is_member| Just(vec![is_member; PEERS]));
    let members = prop_oneof![2 => vec(any::<bool>(), PEERS), 2 => all, 1 => none];
    prop_oneof![
        2 => (members, first)
            .prop_map(|(members, first)| Event::Add { members, first }),
        8 => any::<usize>().prop_map(Event::Initiate),
        7 => any::<usize>().prop_map(Event::Complete),
        2 => any::<usize>().prop_map(Event::Drop),
    ]
}

/// A group that exists in the clocks.
#[derive(Clone, Debug)]
struct Live {
    group: usize,
    slot: Slot,
    dropped: bool,
    open: usize,
    latest: Epoch,
}

struct Run {
    clocks: Clocks,
    oracle: Oracle,
    live: Vec<Live>,
}

impl Run {
    fn new(base: Clock) -> Run {
        let oracle = Oracle { base, ..Oracle::default() };
        Run { clocks: Clocks::starting_at(PEERS, base), oracle, live: Vec::new() }
    }

    fn apply(&mut self, event: &Event) {
        let Run { clocks, oracle, live } = self;
        match event {
            Event::Add { members, first } => {
                // Rank 0 is the rank whose clocks these are. Where it is alone, the barriers include no peer.
                let is_lone = members.iter().all(|is_member| !is_member);
                let is_in = |r: &Rank| members[*r] || *r == 0 && !is_lone;
                let members: Vec<Rank> = (0..PEERS).filter(is_in).collect();
                let slot = clocks.add_group(&members, *first);
                let group = oracle.groups.len();
                oracle.groups.push(members);
                live.push(Live { group, slot, dropped: false, open: 0, latest: *first });
            }
            Event::Initiate(choice) => {
                let mut usable: Vec<_> = live.iter_mut().filter(|live| !live.dropped).collect();
                let count = usable.len().max(1);
                let Some(live) = usable.get_mut(choice % count) else { return };
                let (epoch, seq) = clocks.handle_initiate(live.slot);
                oracle.history.push(Barrier { group: live.group, epoch, complete: false });
                live.latest += 1;
                live.open += 1;
                assert_eq!((epoch, seq), (live.latest, oracle.history.len() as u64));
            }
            Event::Complete(choice) => {
                let mut open: Vec<_> = live.iter_mut().filter(|live| live.open > 0).collect();
                let count = open.len().max(1);
                let Some(live) = open.get_mut(choice % count) else { return };
                let oldest = live.latest + 1 - live.open as u64;
                assert_eq!(clocks.handle_complete_through(live.slot, oldest), 1);
                live.open -= 1;
                let mut history = oracle.history.iter_mut();
                let oldest = history.find(|b| b.group == live.group && !b.complete);
                oldest.expect("it is open").complete = true;
            }
            Event::Drop(choice) => {
                let count = live.len().max(1);
                if let Some(live) = live.get_mut(choice % count) {
                    live.dropped = true;
                }
            }
        }
        live.retain(|live| {
            !(live.dropped && clocks.fold_group(live.slot, &oracle.groups[live.group]))
        });
    }

    /// Everything that can be asked, against the definition; `recv` stands for the receive clock.
    fn compare(&self, recv: impl Fn(&Oracle, Rank) -> Clock) -> Result<(), String> {
        let Run { clocks, oracle, live } = self;
        let check = |what: String, got: u64, should: u64| {
            if got == should { Ok(()) } else { Err(format!("{what}: {got}, should be {should}")) }
        };
        for peer in 0..PEERS {
            let (send, receive) = (clocks.send_clock(peer), clocks.recv_clock(peer));
            check(format!("send clock toward {peer}"), send, oracle.send_clock(peer))?;
            check(format!("receive clock toward {peer}"), receive, recv(oracle, peer))?;
        }
        for live in live {
            let (slot, latest, open) = (live.slot, live.latest, live.open as u64);
            check("latest epoch".into(), clocks.initiated(slot), latest)?;
            check("open".into(), clocks.open_count(slot) as u64, open)?;
            for epoch in latest.saturating_sub(open + 2)..=latest + 1 {
                for &peer in &oracle.groups[live.group] {
                    let should = oracle.clock_of(live.group, epoch, peer);
                    let got = clocks.clock_of(slot, epoch, peer);
                    let is_open = epoch > latest - open && epoch <= latest;
                    // Of complete ones, the latest alone is kept, and not always.
                    if is_open || got.is_some() {
                        let what = format!("clock of {epoch} toward {peer}");
                        check(what, got.unwrap_or(0), should.unwrap_or(0))?;
                    }
                }
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// SEMANTICS: CLK-1, CLK-2, CLK-4
    #[test]
    fn clocks_are_what_their_definition_says(
        events in vec(event(), 1..120),
        base in prop_oneof![Just(0), Just((1u64 << 32) - 20), Just((1u64 << 63) - 20)],
    ) {
        let mut run = Run::new(base);
        for event in &events {
            let receive: Vec<_> = (0..PEERS).map(|peer| run.clocks.recv_clock(peer)).collect();
            run.apply(event);
            prop_assert_eq!(run.compare(Oracle::recv_clock), Ok(()));
            // No clock ever falls, and dropping moves none.
            for (peer, before) in receive.into_iter().enumerate() {
                let now = run.clocks.recv_clock(peer);
                let may_move = matches!(event, Event::Complete(_));
                prop_assert!(now == before || may_move && now > before);
            }
        }
    }

    /// Two states with the same history are equal, whatever memory they keep for reuse.
    ///
    /// SEMANTICS: CLK-4
    #[test]
    fn clone_is_equal_and_goes_on_alike(
        events in vec(event(), 1..40),
        more in vec(event(), 1..40),
    ) {
        let mut run = Run::new(0);
        events.iter().for_each(|event| run.apply(event));
        let copy = run.clocks.clone();
        prop_assert_eq!(&copy, &run.clocks);
        let (oracle, live) = (run.oracle.clone(), run.live.clone());
        let mut other = Run { clocks: copy, oracle, live };
        for event in &more {
            run.apply(event);
            other.apply(event);
            prop_assert_eq!(&run.clocks, &other.clocks);
        }
    }
}

/// A planted fault: against the rule of the thesis, which counts completions, the comparison fails.
/// It is the course of erratum 5: the later barrier completes first.
///
/// SEMANTICS: CLK-2
#[test]
fn rule_of_the_thesis_is_rejected() {
    let mut run = Run::new(0);
    let everyone = || Event::Add { members: vec![true; PEERS], first: 0 };
    for event in [everyone(), everyone(), Event::Initiate(0), Event::Initiate(1)] {
        run.apply(&event);
        assert_eq!(run.compare(Oracle::completions), Ok(()));
    }
    run.apply(&Event::Complete(1));
    let wrong = "receive clock toward 0: 0, should be 1";
    assert_eq!(run.compare(Oracle::completions), Err(wrong.to_owned()));
    assert_eq!(run.compare(Oracle::recv_clock), Ok(()));
    run.apply(&Event::Complete(0));
    assert_eq!(run.compare(Oracle::completions), Ok(()));
}

/// The clocks are the same for all peers, and said at once, for as long as no barrier includes some of them alone: whatever
/// groups there are, and whatever a lone rank calls. A group that was dropped without a barrier leaves no trace.
///
/// SEMANTICS: CLK-1, CLK-4
#[test]
fn one_clock_is_for_all_until_a_barrier_includes_some() {
    let mut clocks = Clocks::new(PEERS);
    let all: Vec<Rank> = (0..PEERS).collect();
    let whole = clocks.add_group(&all, 0);
    let (lone, unused, some) =
        (clocks.add_group(&[], 0), clocks.add_group(&[0, 1], 0), clocks.add_group(&[0, 2], 0));
    for expected in 1..=3 {
        clocks.handle_initiate(whole);
        clocks.handle_initiate(lone);
        assert_eq!(clocks.send_clock_of_all(), Some(expected));
    }
    clocks.handle_complete_through(lone, 3);
    clocks.handle_complete_through(whole, 2);
    assert!((0..PEERS).all(|peer| clocks.recv_clock(peer) == 2));
    assert!(clocks.fold_group(unused, &[0, 1]));
    assert_eq!(clocks.send_clock_of_all(), Some(3));
    clocks.handle_initiate(some);
    assert_eq!(clocks.send_clock_of_all(), None);
    assert_eq!((clocks.send_clock(0), clocks.send_clock(1), clocks.send_clock(2)), (4, 3, 4));
    clocks.handle_complete_through(whole, 3);
    clocks.handle_complete_through(some, 1);
    assert!(clocks.fold_group(some, &[0, 2]));
    assert_eq!((clocks.send_clock_of_all(), clocks.send_clock(2)), (None, 4));
}
