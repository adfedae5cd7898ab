//! Communicators made, used and dropped by all their blocking calls, under random schedules: what the
//! members agree on, and what a disagreement leads to.
//!
//! The programs are one sequence of what happens, dealt out to the ranks: so each has a right outcome
//! that is known beforehand, and nobody waits for anybody for ever.

use std::sync::Mutex;

use fastrand::Rng;
use runahead::{
    Algorithm, Comm, Config, Error, GroupError, GroupRequest, MessageError, Rank, Result, Tag,
};
use runahead_testkit::effort::bound;

use super::wired::{Fault, Wired, run, tight};

/// A communicator by its place in the list of all that are ever made; the world first.
type Which = usize;

#[derive(Clone, Debug)]
enum Event {
    /// Each member's color and key, and which communicator comes of each color.
    Split {
        parent: Which,
        wants: Vec<(Option<u32>, i64)>,
        made: Vec<(u32, Which)>,
    },
    Dup {
        parent: Which,
        made: Which,
    },
    /// A duplicate that nobody waits for yet. By rank in the parent, whether that rank calls for it
    /// as late as it may: before the next such call of all ranks of the parent.
    Idup {
        parent: Which,
        made: Which,
        late: Vec<bool>,
    },
    /// All wait for a duplicate, or all drop the request.
    Wait(Which),
    GiveUp(Which),
    /// The members, by their ranks in the parent.
    Group {
        parent: Which,
        list: Vec<Rank>,
        made: Which,
    },
    /// From and to, by their ranks in the communicator.
    Message {
        comm: Which,
        from: Rank,
        to: Rank,
        large: bool,
        any: bool,
    },
    /// A message that is never received; the communicator is dropped next by its receiver.
    Litter {
        comm: Which,
        from: Rank,
        to: Rank,
        large: bool,
    },
    Barrier(Which, bool),
    Drop(Which),
}
use Event::*;

struct Program {
    size: usize,
    /// The ranks in the world of all communicators ever made.
    members: Vec<Vec<Rank>>,
    events: Vec<Event>,
}

impl Program {
    fn random(rng: &mut Rng) -> Program {
        let size = rng.usize(2..=5);
        let mut program = Program { size, members: vec![(0..size).collect()], events: Vec::new() };
        let (mut live, mut pending) = (vec![0], Vec::new());
        for _ in 0..rng.usize(4..32) {
            let comm = live[rng.usize(..live.len())];
            let place = |rng: &mut Rng| rng.usize(..program.members[comm].len());
            match rng.u8(..16) {
                12 | 13 => {
                    let members = program.members[comm].clone();
                    let late = members.iter().map(|_| rng.bool()).collect();
                    program.members.push(members);
                    let made = program.members.len() - 1;
                    pending.push(made);
                    program.events.push(Idup { parent: comm, made, late });
                }
                14 | 15 if !pending.is_empty() => {
                    let made = pending.swap_remove(rng.usize(..pending.len()));
                    if rng.u8(..5) == 0 {
                        program.events.push(GiveUp(made));
                    } else {
                        live.push(made);
                        program.events.push(Wait(made));
                    }
                }
                0 | 1 => program.split(rng, comm, &mut live),
                2 => {
                    let members = program.members[comm].clone();
                    let made = program.add(members, &mut live);
                    program.events.push(Dup { parent: comm, made });
                }
                3 | 4 => {
                    let mut list: Vec<Rank> = (0..program.members[comm].len()).collect();
                    rng.shuffle(&mut list);
                    list.truncate(rng.usize(1..=list.len()));
                    let members = list.iter().map(|&rank| program.members[comm][rank]).collect();
                    let made = program.add(members, &mut live);
                    program.events.push(Group { parent: comm, list, made });
                }
                5..8 => {
                    let (from, to) = (place(rng), place(rng));
                    let (large, any) = (rng.bool(), rng.u8(..4) == 0);
                    program.events.push(Message { comm, from, to, large, any });
                }
                8 | 9 => program.events.push(Barrier(comm, rng.bool())),
                _ if comm > 0 => {
                    if rng.bool() {
                        let (from, to) = (place(rng), place(rng));
                        program.events.push(Litter { comm, from, to, large: rng.bool() });
                    }
                    program.events.push(Drop(comm));
                    live.retain(|&other| other != comm);
                }
                _ => {}
            }
        }
        program
    }

    fn add(&mut self, members: Vec<Rank>, live: &mut Vec<Which>) -> Which {
        self.members.push(members);
        live.push(self.members.len() - 1);
        self.members.len() - 1
    }

    fn split(&mut self, rng: &mut Rng, parent: Which, live: &mut Vec<Which>) {
        let want = |_: &Rank| ((rng.u8(..5) > 0).then(|| rng.u32(..3)), rng.i64(-1..2));
        let wants: Vec<_> = self.members[parent].iter().map(want).collect();
        let mut made = Vec::new();
        for color in 0..3 {
            let of = |&rank: &Rank| wants[rank].0 == Some(color);
            let mut places: Vec<Rank> = (0..wants.len()).filter(of).collect();
            places.sort_by_key(|&rank| (wants[rank].1, rank));
            if !places.is_empty() {
                let members = places.iter().map(|&rank| self.members[parent][rank]).collect();
                made.push((color, self.add(members, live)));
            }
        }
        self.events.push(Split { parent, wants, made });
    }

    /// Whether a rank that is late must have called for the duplicate `made` of `parent` by now.
    fn is_due(event: &Event, parent: Which, made: Which) -> bool {
        match *event {
            Split { parent: of, .. } | Dup { parent: of, .. } | Idup { parent: of, .. } => {
                of == parent
            }
            Drop(of) => of == parent,
            Wait(of) | GiveUp(of) => of == made,
            Group { .. } | Message { .. } | Litter { .. } | Barrier(..) => false,
        }
    }

    fn place(&self, comm: Which, rank: Rank) -> Option<Rank> {
        self.members[comm].iter().position(|&member| member == rank)
    }
}

/// What is known of the ranks, apart from the runtime: how many barriers of each communicator each
/// has begun to call, and under which name each rank knows it.
struct Truth {
    begun: Vec<Vec<u64>>,
    names: Vec<Vec<String>>,
}

/// Runs the part of one rank; Err says what was not as it must be.
fn one(world: Comm<Wired>, program: &Program, truth: &Mutex<Truth>) -> Result<(), String> {
    let rank = world.rank();
    let mut comms: Vec<Option<Comm<Wired>>> = program.members.iter().map(|_| None).collect();
    comms[0] = Some(world);
    let mut requests: Vec<Option<GroupRequest<Wired>>> = comms.iter().map(|_| None).collect();
    let mut late: Vec<(Which, Which)> = Vec::new();
    let told = |error: Error| format!("rank {rank}: {error}");
    for (number, event) in program.events.iter().enumerate() {
        for (parent, made) in
            late.extract_if(.., |&mut (of, made)| Program::is_due(event, of, made))
        {
            let request = comms[parent].as_ref().unwrap().idup().map_err(told)?;
            requests[made] = Some(request);
        }
        let content = |large: bool| vec![number as u32; if large { 20 } else { 2 }];
        match *event {
            Split { parent, ref wants, ref made } => {
                let Some(place) = program.place(parent, rank) else { continue };
                let (color, key) = wants[place];
                let comm = comms[parent].as_ref().unwrap().split_some(color, key).map_err(told)?;
                let which = made.iter().find(|(of, _)| Some(*of) == color).map(|(_, which)| *which);
                match (comm, which) {
                    (Some(comm), Some(which)) => {
                        check_made(&comm, which, program, truth)?;
                        comms[which] = Some(comm);
                    }
                    (None, None) => {}
                    (comm, which) => return Err(format!("{comm:?} instead of {which:?}")),
                }
            }
            Dup { parent, made } => {
                if let Some(comm) = &comms[parent] {
                    let comm = comm.dup().map_err(told)?;
                    check_made(&comm, made, program, truth)?;
                    comms[made] = Some(comm);
                }
            }
            Idup { parent, made, late: ref late_at } => match program.place(parent, rank) {
                Some(place) if late_at[place] => late.push((parent, made)),
                Some(_) => {
                    let request = comms[parent].as_ref().unwrap().idup().map_err(told)?;
                    requests[made] = Some(request);
                }
                None => {}
            },
            Wait(made) => {
                if let Some(request) = requests[made].take() {
                    let comm = request.wait().map_err(told)?;
                    check_made(&comm, made, program, truth)?;
                    comms[made] = Some(comm);
                }
            }
            GiveUp(made) => requests[made] = None,
            Group { parent, ref list, made } => {
                if program.place(made, rank).is_some() {
                    let parent = comms[parent].as_ref().unwrap();
                    let comm = parent.group(list).map_err(told)?;
                    check_made(&comm, made, program, truth)?;
                    comms[made] = Some(comm);
                }
            }
            Message { comm, from, to, large, any } => {
                let Some(own) = program.place(comm, rank) else { continue };
                let comm = comms[comm].as_ref().unwrap();
                if own == from {
                    comm.isend(to, 1, &content(large)).map(drop).map_err(told)?;
                }
                if own == to {
                    let tag = if any { Tag::Any } else { Tag::Exactly(1) };
                    let message = comm.recv::<u32>(from, tag).map_err(told)?;
                    if message.data != content(large) || message.source != from {
                        return Err(format!("rank {rank} received {message:?} for {number}"));
                    }
                }
            }
            Litter { comm, from, to, large } => {
                if program.place(comm, rank) == Some(from) {
                    let comm = comms[comm].as_ref().unwrap();
                    comm.isend(to, 1, &content(large)).map(drop).map_err(told)?;
                }
            }
            Barrier(which, waits) => {
                let Some(comm) = &comms[which] else { continue };
                truth.lock().unwrap().begun[which][rank] += 1;
                let barrier = comm.barrier().map_err(told)?;
                if waits {
                    let epoch = barrier.epoch();
                    barrier.wait().map_err(told)?;
                    let begun = &truth.lock().unwrap().begun[which];
                    if program.members[which].iter().any(|&member| begun[member] < epoch) {
                        return Err(format!("barrier {epoch} of {which} is complete: {begun:?}"));
                    }
                }
            }
            Drop(which) => comms[which] = None,
        }
    }
    for (parent, made) in late {
        requests[made] = Some(comms[parent].as_ref().unwrap().idup().map_err(told)?);
    }
    let world = comms[0].take().unwrap();
    // Who has ended cannot be sent to.
    world.barrier().and_then(|barrier| barrier.wait()).map_err(told)?;
    world.end(false).map_err(told)
}

/// All members have it under the same id, which none of them has seen; and in the right order.
// SEMANTICS: GRP-2
fn check_made(
    comm: &Comm<Wired>,
    which: Which,
    program: &Program,
    truth: &Mutex<Truth>,
) -> Result<(), String> {
    let world: Vec<Rank> = (0..comm.size()).map(|rank| comm.world_rank(rank).unwrap()).collect();
    if world != program.members[which] {
        return Err(format!("{comm:?} has {world:?} instead of {:?}", program.members[which]));
    }
    let own = world[comm.rank()];
    let name = format!("{comm:?}").rsplit_once(" in ").unwrap().1.to_owned();
    let mut truth = truth.lock().unwrap();
    for (other, names) in truth.names.iter().enumerate() {
        for &member in &world {
            let known = &names[member];
            if !known.is_empty() && (*known == name) != (other == which) {
                return Err(format!(
                    "rank {member} knows {other} as {known}, and {which} is {name}"
                ));
            }
        }
    }
    truth.names[which][own] = name;
    Ok(())
}

fn explore(seed: u64, fault: Fault) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    let program = Program::random(&mut rng);
    let algorithm = Algorithm::ALL[rng.usize(..Algorithm::ALL.len())];
    // What makes a group goes in pieces, or whole.
    let eager_bytes = [16, 256][rng.usize(..2)];
    let open_barriers = rng.usize(1..4);
    let tight = tight(program.size);
    // What was called before its receiver has counts as a message that nobody receives yet.
    let requests = program.events.iter().filter(|event| matches!(event, Idup { .. })).count();
    let window_messages = tight.window_messages + requests as u32;
    let config = Config { algorithm, open_barriers, eager_bytes, window_messages, ..tight };
    let count = program.members.len();
    let truth = Mutex::new(Truth {
        begun: vec![vec![0; program.size]; count],
        names: vec![vec![String::new(); program.size]; count],
    });
    let faults = |rank| if rank == 0 { fault } else { Fault::None };
    let outcome = run(&config, program.size, seed, faults, |comm, _| one(comm, &program, &truth));
    if outcome.stuck {
        return Err(format!("stuck: {:?} of {:?}", program.events, program.members));
    }
    outcome.values.into_iter().collect::<Result<(), _>>()
}

// SEMANTICS: GRP-1, GRP-2, GRP-3, GRP-5
#[test]
fn groups_come_and_go_as_all_expect() {
    for seed in 0..bound([100, 400, 400]) {
        explore(seed, Fault::None).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
    }
}

// SEMANTICS: GRP-1, GRP-2
#[test]
fn mistakes_in_making_groups_are_found() {
    for fault in [Fault::LaneIgnored, Fault::GroupIgnored, Fault::OffersOldIds] {
        let found = (0..60).filter(|&seed| explore(seed, fault).is_err()).take(6).count();
        assert_eq!(found, 6, "{fault:?} of 60");
    }
}

/// What a rank asks for that makes a group of all.
fn ask(comm: &Comm<Wired>, what: u8) -> Result<Comm<Wired>> {
    let everyone: Vec<Rank> = (0..comm.size()).collect();
    let turned: Vec<Rank> = everyone.iter().rev().copied().collect();
    match what {
        0 => comm.split(0, 0),
        1 => comm.dup(),
        2 => comm.dup_with(Algorithm::AllToAll),
        3 => comm.group(&everyone),
        5 => comm.idup()?.wait(),
        _ => comm.group(&turned),
    }
}

/// Of all pairs of calls, one rank makes the one and the others the other: everybody is told, and by
/// the name of a rank that wants something else than another.
// SEMANTICS: GRP-4
#[test]
fn who_wants_another_group_is_named_under_every_schedule() {
    for size in 2..=4 {
        // A call for a list and one of `idup` may come in any order, so neither is wrong for the other.
        let is_noticed = |&(a, b): &(u8, u8)| a.max(b) < 5 || ![3, 4].contains(&a.min(b));
        let pairs = (0..6).flat_map(|a| (0..6).map(move |b| (a, b)));
        for (common, odd_one) in pairs.filter(is_noticed) {
            for odd in 0..size {
                for seed in 0..bound([1, 3, 3]) {
                    let outcome = run(
                        &tight(size),
                        size,
                        seed,
                        |_| Fault::None,
                        |comm, _| {
                            let own = comm.rank();
                            let wants = |rank: Rank| if rank == odd { odd_one } else { common };
                            let made = ask(&comm, wants(own));
                            let told = match made {
                                Ok(made) => {
                                    made.barrier().and_then(|b| b.wait()).unwrap();
                                    None
                                }
                                Err(Error::Group(GroupError::Disagree { rank, .. })) => Some(rank),
                                // Who splits says what it wants to rank 0 alone, hears from it that it
                                // is wrong, and goes.
                                Err(Error::Message(MessageError::PeerEnded {
                                    rank,
                                    failed: false,
                                })) if rank != 0 && wants(rank) < 3 && wants(own) >= 3 => {
                                    Some(rank)
                                }
                                Err(error) => panic!("rank {own}: {error}"),
                            };
                            comm.end(false).unwrap();
                            told
                        },
                    );
                    let case =
                        format!("{odd} asks for {odd_one}, others for {common}, seed {seed}");
                    assert!(!outcome.stuck, "{case}: stuck");
                    for (rank, told) in outcome.values.iter().enumerate() {
                        if common == odd_one {
                            assert_eq!(*told, None, "{case}");
                            continue;
                        }
                        let named = told.unwrap_or_else(|| panic!("{case}: {rank} is not told"));
                        // In a split all hear from rank 0 who wants something else than it does.
                        let of_two = [odd, if odd == 0 { 1 } else { 0 }];
                        assert!(
                            of_two.contains(&named) || rank == odd,
                            "{case}: {named} to {rank}"
                        );
                    }
                }
            }
        }
    }
}
