//! Stall reports under random schedules of ranks of which some compute for long: of nobody it is said
//! that it is in a call that it had left before it was asked, or that it has not entered a barrier that
//! it had entered; and what each call that waits is called.
//!
//! Ranks report as soon as they would sleep. A rank that is asked has 50 ms of real time to answer, and
//! may rightly be said not to have answered where the machine is slow: a test that wants to see an
//! answer goes on to the next seed until it has come, and checks all reports on the way.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fastrand::Rng;
use runahead::internals::collective::Kind;
use runahead::internals::message::{Context, Notify, Patience};
use runahead::internals::order::GroupId;
use runahead::{
    Activity, Algorithm, Comm, Config, Exchange, Result, Source, StallReport, Tag, Whereabouts,
};
use runahead_testkit::effort::bound;

use super::wired::{Fault, Outcome, Shared, Wired, run, tight};

const BROADCAST: u8 = Kind::Broadcast as u8;
const REDUCE: u8 = Kind::Reduce as u8;
const EXCHANGE: u8 = Kind::Exchange as u8;
const AT_ONCE: Duration = Duration::from_nanos(1);

fn at_once(size: usize) -> Config {
    Config { stall_after: AT_ONCE, ..tight(size) }
}

/// Runs `program` at all ranks, which may come to a deadlock, and returns the reports with it.
fn reports<T: Send>(
    config: &Config,
    size: usize,
    seed: u64,
    program: impl Fn(&Comm<Wired>, &Shared) -> Result<T> + Sync,
) -> (Outcome<Result<T>>, Vec<StallReport>) {
    let all = Arc::new(Mutex::new(Vec::new()));
    let outcome = run(
        config,
        size,
        seed,
        |_| Fault::None,
        |comm, shared| {
            let all = Arc::clone(&all);
            comm.on_stall(move |report| {
                all.lock().unwrap().push(report.clone());
                assert!(all.lock().unwrap().len() < 50, "reports without end");
            })
            .unwrap();
            let result = program(&comm, shared);
            let ended = comm.end(result.is_err());
            result.and_then(|value| ended.map(|()| value))
        },
    );
    let all = std::mem::take(&mut *all.lock().unwrap());
    (outcome, all)
}

/// Of all seeds, the first with which `find` finds what it looks for.
fn first_seed<T>(find: impl Fn(u64) -> Option<T>) -> T {
    (0..).find_map(find).expect("there is no last seed")
}

fn place(report: &StallReport, rank: usize) -> Whereabouts {
    let found = report.others.iter().find(|(other, _)| *other == rank);
    found.expect("all other ranks are in a report").1
}

/// The report of a rank, which must be the only one.
fn only(reports: &[StallReport], rank: usize) -> &StallReport {
    let mut of_rank = reports.iter().filter(|report| report.rank == rank);
    let report = of_rank.next().unwrap_or_else(|| panic!("rank {rank} has not reported"));
    assert!(of_rank.next().is_none(), "rank {rank} has reported twice");
    report
}

fn receive(source: impl Into<Source>, tag: impl Into<Tag>) -> Activity {
    Activity::Receive { source: source.into(), tag: tag.into(), context: Context::WORLD }
}

fn collective(kind: u8, peer: Option<usize>) -> Activity {
    Activity::Collective { kind, number: 1, group: GroupId::WORLD, peer }
}

fn barrier(epoch: u64) -> Activity {
    Activity::Barrier { group: GroupId::WORLD, epoch }
}

/// One rank calls no barrier, and waits for a message instead.
// SEMANTICS: HANG-1
#[test]
fn a_missing_barrier_call_is_named() {
    for algorithm in Algorithm::ALL {
        let config = Config { algorithm, ..at_once(4) };
        let text = first_seed(|seed| {
            let called = AtomicU64::new(0);
            let (outcome, reports) = reports(&config, 4, seed, |comm, shared| {
                if comm.rank() == 2 {
                    return comm.recv::<u8>(0, 9).map(drop);
                }
                let barrier = comm.barrier()?;
                // One that is asked before it has called the barrier rightly says so.
                called.fetch_add(1, Ordering::Relaxed);
                while called.load(Ordering::Relaxed) < 3 {
                    comm.progress()?;
                    shared.turns.offer(comm.rank());
                }
                barrier.wait()
            });
            assert!(outcome.stuck, "{algorithm}, seed {seed}");
            for rank in [0, 1, 3] {
                let report = only(&reports, rank);
                assert_eq!(report.activity, barrier(1));
                assert_eq!(report.open_barrier, Some((GroupId::WORLD, 1)));
                match place(report, 2) {
                    Whereabouts::NoAnswer => assert_eq!(report.not_entered, [0; 0]),
                    Whereabouts::In(activity) => {
                        assert_eq!((activity, &report.not_entered[..]), (receive(0, 9), &[2][..]));
                    }
                    other => panic!("{algorithm}, seed {seed}: {other:?}"),
                }
            }
            let report = only(&reports, 0);
            let all = report.others.iter().all(|(_, place)| *place != Whereabouts::NoAnswer);
            let here = |rank| place(report, rank) == Whereabouts::In(barrier(1));
            (all && here(1) && here(3)).then(|| report.to_string())
        });
        let (head, tail) = text.split_once(" ms in ").expect("less than a second");
        assert!(head.starts_with("rank 0 has waited "), "{text}");
        let expected = "barrier 1 of world; not entered by [2]; ranks 1, 3: in barrier 1 of world; \
                        rank 2: in a receive from rank 0 with tag 9";
        assert_eq!(tail, expected);
    }
}

// SEMANTICS: HANG-1
#[test]
fn ranks_in_different_collectives_are_named() {
    let text = first_seed(|seed| {
        let (outcome, reports) = reports(&at_once(2), 2, seed, |comm, _| match comm.rank() {
            0 => comm.reduce(0, &[1u8], |a, b| a + b).map(drop),
            _ => comm.broadcast(0, &mut [1u8]),
        });
        assert!(outcome.stuck, "seed {seed}");
        let places = [collective(REDUCE, Some(1)), collective(BROADCAST, Some(0))];
        let told = [0, 1].map(|rank| {
            let report = only(&reports, rank);
            assert_eq!(report.activity, places[rank]);
            let other = place(report, 1 - rank);
            let right = other == Whereabouts::In(places[1 - rank]);
            let early = [Whereabouts::NoAnswer, Whereabouts::In(Activity::Nothing)];
            assert!(right || early.contains(&other), "{report}");
            right.then(|| report.to_string())
        });
        told[0].clone().filter(|_| told[1].is_some())
    });
    let expected = "in reduce number 1 of world, for rank 1; rank 1: in broadcast number 1 of world, \
                    for rank 0";
    assert!(text.ends_with(expected), "{text}");
}

// SEMANTICS: HANG-1
#[test]
fn a_cycle_of_receives_is_named() {
    let size = 3;
    first_seed(|seed| {
        let (outcome, reports) = reports(&at_once(size), size, seed, |comm, _| {
            let next = (comm.rank() + 1) % comm.size();
            comm.recv::<u8>(next, comm.rank() as u32).map(drop)
        });
        assert!(outcome.stuck, "seed {seed}");
        let mut complete = true;
        let what = |rank: usize| receive((rank + 1) % size, rank as u32);
        for rank in 0..size {
            let report = only(&reports, rank);
            assert_eq!(report.activity, what(rank));
            assert_eq!((report.open_barrier, &report.not_entered[..]), (None, &[][..]));
            for &(other, place) in &report.others {
                let early = place == Whereabouts::NoAnswer;
                assert!(early || place == Whereabouts::In(what(other)), "{report}");
                complete &= !early;
            }
        }
        complete.then_some(())
    });
}

/// The ways to wait for a rank that only receives what nobody sends.
type Way = (&'static str, fn(&Comm<Wired>) -> Result<()>, Activity);

fn ways() -> Vec<Way> {
    let any = Activity::Receive { source: Source::Any, tag: Tag::Any, context: Context::WORLD };
    vec![
        (
            "a full window",
            |comm| (0..2).try_for_each(|_| comm.send(1, 0, &[7u8])),
            Activity::Send { to: 1 },
        ),
        ("a large send", |comm| comm.send(1, 0, &[7u8; 40]), Activity::Rendezvous { peer: 1 }),
        (
            "a send that was posted",
            |comm| comm.isend(1, 0, &[7u8; 40])?.wait(),
            Activity::Send { to: 1 },
        ),
        ("a receive", |comm| comm.recv::<u8>(1, 5).map(drop), receive(1, 5)),
        ("a receive from any", |comm| comm.recv::<u8>(Source::Any, Tag::Any).map(drop), any),
        ("a posted receive", |comm| comm.irecv::<u8>(1, 5)?.wait().map(drop), receive(1, 5)),
        ("a probe", |comm| comm.probe(1, 5).map(drop), receive(1, 5)),
        ("a barrier", |comm| comm.barrier()?.wait(), barrier(1)),
        (
            "the limit of open barriers",
            |comm| (0..2).try_for_each(|_| comm.barrier().map(drop)),
            barrier(1),
        ),
        ("the end", |comm| comm.barrier().map(drop), Activity::Ending),
        (
            "a reduction",
            |comm| comm.reduce(0, &[1u8], |a, b| a + b).map(drop),
            collective(REDUCE, Some(1)),
        ),
        ("a broadcast", |comm| comm.broadcast(1, &mut [1u8]), collective(BROADCAST, Some(1))),
        (
            "an exchange",
            |comm| comm.exchange(&[&[1u8], &[]], Exchange::FirstArrived, |_, _| {}),
            collective(EXCHANGE, None),
        ),
    ]
}

// SEMANTICS: HANG-1
#[test]
fn every_wait_has_its_name() {
    let config = Config { open_barriers: 1, ..at_once(2) };
    for (name, call, activity) in ways() {
        first_seed(|seed| {
            let (outcome, reports) = reports(&config, 2, seed, |comm, _| match comm.rank() {
                0 => call(comm),
                _ => comm.recv::<u8>(0, 99).map(drop),
            });
            assert!(outcome.stuck, "{name}, seed {seed}");
            let own = only(&reports, 0);
            assert_eq!(own.activity, activity, "{name}, seed {seed}");
            let open = matches!(activity, Activity::Barrier { .. } | Activity::Ending);
            assert_eq!(own.open_barrier.is_some(), open, "{name}, seed {seed}");
            let other = place(only(&reports, 1), 0);
            let early = [Whereabouts::NoAnswer, Whereabouts::In(Activity::Nothing)];
            let right = other == Whereabouts::In(activity);
            assert!(right || early.contains(&other), "{name}, seed {seed}: {other:?}");
            right.then_some(())
        });
    }
}

/// A rank computes until the report has come: it has not answered, and is not said to lack the
/// barrier. Then it comes, and all come to their end.
// SEMANTICS: HANG-1
#[test]
fn a_rank_that_computes_does_not_answer_and_is_waited_for() {
    for patience in [Patience { polls: 0, yields: 0 }, Patience { polls: u32::MAX, yields: 0 }] {
        let told = Arc::new(AtomicU64::new(0));
        let config = Config { notify: Notify::Fixed(patience), ..at_once(2) };
        let all = Arc::new(Mutex::new(Vec::new()));
        let outcome = run(
            &config,
            2,
            3,
            |_| Fault::None,
            |comm, shared| {
                let rank = comm.rank();
                let (told_too, all, turns) =
                    (Arc::clone(&told), Arc::clone(&all), Arc::clone(&shared.turns));
                comm.on_stall(move |report| {
                    all.lock().unwrap().push(report.clone());
                    if report.activity == barrier(1) && rank == 0 {
                        told_too.fetch_add(1, Ordering::Relaxed);
                    }
                    turns.tell(1 - rank);
                })
                .unwrap();
                if rank == 1 {
                    let told = || told.load(Ordering::Relaxed) > 0;
                    match patience.polls {
                        0 => shared.turns.compute(rank, told),
                        _ => {
                            while !told() {
                                shared.turns.offer(rank);
                            }
                        }
                    }
                }
                comm.barrier()?.wait()?;
                comm.end(false)
            },
        );
        assert!(!outcome.stuck);
        outcome.values.into_iter().for_each(Result::unwrap);
        let all = all.lock().unwrap();
        let report = all.iter().find(|report| report.rank == 0 && report.activity == barrier(1));
        let report = report.expect("it has told");
        assert_eq!(place(report, 1), Whereabouts::NoAnswer);
        // It does not answer, and the board shows that it has not entered.
        assert_eq!(
            (report.open_barrier, &report.not_entered[..]),
            (Some((GroupId::WORLD, 1)), &[1][..])
        );
        assert_eq!(told.load(Ordering::Relaxed), 1, "once for each wait");
    }
}

#[test]
fn off_means_off() {
    for seed in 0..5 {
        let config = Config { stall_after: Duration::ZERO, ..tight(2) };
        let (outcome, told) = reports(&config, 2, seed, |comm, _| comm.recv::<u8>(Source::Any, 0));
        assert!(outcome.stuck && told.is_empty());
        // A wait that has a limit of its own tells its caller.
        let waited = AtomicU64::new(0);
        let (outcome, told) = reports(&at_once(2), 2, seed, |comm, shared| {
            if comm.rank() == 0 {
                let barrier = comm.barrier()?;
                // Longer than the other is given to answer.
                let error = barrier.wait_timeout(Duration::from_millis(60)).unwrap_err();
                assert!(error.to_string().contains("not entered by [1]"), "{error}");
                waited.store(1, Ordering::Relaxed);
                shared.turns.tell(1);
            } else {
                shared.turns.compute(1, || waited.load(Ordering::Relaxed) > 0);
            }
            Err::<(), _>(runahead::Error::other("enough"))
        });
        assert!(!outcome.stuck && told.is_empty(), "{told:?}");
    }
}

/// What all ranks do, one after the other.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Its epoch, the latest that was waited for before, and whether it is waited for.
    Barrier { epoch: u64, past: u64, waits: bool },
    /// To the next rank and from the one before.
    Ring,
    /// Its number.
    Reduce(u32),
}

const STEPS: usize = 5;

fn steps(rng: &mut Rng) -> Vec<Step> {
    let (mut epoch, mut past, mut number) = (0, 0, 0);
    let steps = (0..STEPS).map(|_| match rng.u8(..5) {
        kind @ 0..=2 => {
            epoch += 1;
            let step = Step::Barrier { epoch, past, waits: kind > 0 };
            past = if kind > 0 { epoch } else { past };
            step
        }
        3 => Step::Ring,
        _ => {
            number += 1;
            Step::Reduce(number)
        }
    });
    steps.collect()
}

/// What is known of the ranks, apart from the runtime.
struct Truth {
    size: usize,
    steps: Vec<Step>,
    /// How far each has come: 3s + 1 when it has begun step s, 3s + 2 when it has called the barrier
    /// that the step may be, 3s + 3 when it is done.
    phases: Vec<AtomicU64>,
    /// The last step in which rank 0 has reported, plus one.
    reported: AtomicU64,
}

/// What was seen in reports.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    answers: u32,
    silent: u32,
    named: u32,
}

impl Truth {
    fn phases(&self) -> Vec<u64> {
        self.phases.iter().map(|phase| phase.load(Ordering::Relaxed)).collect()
    }

    fn set(&self, shared: &Shared, rank: usize, phase: usize) {
        self.phases[rank].store(phase as u64, Ordering::Relaxed);
        (0..self.size).for_each(|other| shared.turns.tell(other));
    }

    /// Whether a rank can be in this, some time between two phases.
    fn may_be_in(&self, rank: usize, from: u64, to: u64, activity: Activity) -> bool {
        let end = 3 * STEPS as u64 + 1;
        if matches!(activity, Activity::Nothing | Activity::Ending) {
            return activity == Activity::Nothing || to >= end;
        }
        let (next, before) = ((rank + 1) % self.size, (rank + self.size - 1) % self.size);
        let in_step = |(at, step): (usize, &Step)| match (*step, activity) {
            (Step::Barrier { epoch, past, waits: true }, Activity::Barrier { epoch: said, .. }) => {
                past < said && said <= epoch
            }
            (Step::Ring, Activity::Send { to }) => to == next,
            (Step::Ring, activity) => activity == receive(before, at as u32),
            (Step::Reduce(number), Activity::Collective { kind: REDUCE, number: said, .. }) => {
                number == said
            }
            _ => false,
        };
        let during = |at: usize| from <= 3 * at as u64 + 2 && to > 3 * at as u64;
        self.steps.iter().enumerate().filter(|(at, _)| during(*at)).any(in_step)
    }

    /// Judges a report of a rank whose call began when the others had come as far as `before`.
    fn judge(&self, report: &StallReport, before: &[u64]) -> Result<Seen, String> {
        let after = self.phases();
        let mut seen = Seen::default();
        let wrong = |rank: usize, what: &str| {
            Err(format!(
                "{report}: rank {rank} {what}; {before:?} to {after:?} of {:?}",
                self.steps
            ))
        };
        let (own, now) = (report.rank, after[report.rank]);
        if !self.may_be_in(own, now, now, report.activity) {
            return wrong(own, "is not there itself");
        }
        for &(rank, place) in &report.others {
            let right = match place {
                Whereabouts::In(activity) => {
                    seen.answers += u32::from(activity != Activity::Nothing);
                    self.may_be_in(rank, before[rank], after[rank], activity)
                }
                Whereabouts::NoAnswer => {
                    seen.silent += 1;
                    true
                }
                Whereabouts::Ended => after[rank] > 3 * STEPS as u64,
                _ => false,
            };
            if !right {
                return wrong(rank, "had not been there since it was asked");
            }
            let Some((_, epoch)) = report.open_barrier else { continue };
            let is_it = |step: &Step| matches!(step, Step::Barrier { epoch: e, .. } if *e == epoch);
            let at =
                3 * self.steps.iter().position(is_it).expect("a barrier of the program") as u64;
            let named = report.not_entered.contains(&rank);
            seen.named += u32::from(named);
            if named && before[rank] >= at + 2 {
                return wrong(rank, "is named and had entered");
            }
            if !named && matches!(place, Whereabouts::In(_)) && after[rank] < at + 1 {
                return wrong(rank, "is not named and has not entered");
            }
        }
        Ok(seen)
    }
}

/// Takes all steps at one rank; ranks other than 0 compute now and then, until rank 0 has reported
/// where it waits for them.
fn take_steps(
    comm: &Comm<Wired>,
    shared: &Shared,
    truth: &Truth,
    rng: &mut Rng,
    begin: impl Fn(),
) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    for (at, step) in truth.steps.iter().enumerate() {
        let first = 3 * at;
        if rank != 0 && rng.u8(..3) == 0 {
            let done = || {
                let other = truth.phases[0].load(Ordering::Relaxed);
                let waits = (first as u64 + 1..first as u64 + 3).contains(&other);
                !waits || truth.reported.load(Ordering::Relaxed) > at as u64
            };
            shared.turns.compute(rank, done);
        }
        begin();
        truth.set(shared, rank, first + 1);
        match step {
            Step::Barrier { waits, .. } => {
                let barrier = comm.barrier()?;
                truth.set(shared, rank, first + 2);
                if *waits {
                    barrier.wait()?;
                }
            }
            Step::Ring => {
                comm.send((rank + 1) % size, at as u32, &[rank as u64])?;
                comm.recv::<u64>((rank + size - 1) % size, at as u32)?;
            }
            Step::Reduce(_) => drop(comm.reduce(0, &[1u8], |a, b| a.wrapping_add(b))?),
        }
        truth.set(shared, rank, first + 3);
    }
    begin();
    truth.set(shared, rank, 3 * STEPS + 1);
    Ok(())
}

/// What was seen in all reports of a run, or what was wrong with one.
fn explore(seed: u64, fault: Fault) -> Result<Seen, String> {
    let mut rng = Rng::with_seed(seed);
    let size = rng.usize(2..=4);
    let algorithm = Algorithm::ALL[rng.usize(..Algorithm::ALL.len())];
    let config = Config { algorithm, ..at_once(size) };
    let phases = (0..size).map(|_| AtomicU64::new(0)).collect();
    let steps = steps(&mut rng);
    let truth = Arc::new(Truth { size, steps, phases, reported: AtomicU64::new(0) });
    let slow = if rng.bool() { Fault::SlowControl } else { Fault::None };
    let faults = |rank| if rank == size - 1 && fault != Fault::None { fault } else { slow };
    let judged = Arc::new(Mutex::new(Ok(Seen::default())));
    let outcome = run(&config, size, seed, faults, |comm, shared| {
        let rank = comm.rank();
        let before = Arc::new(Mutex::new(truth.phases()));
        let (seen_before, known, judged) =
            (Arc::clone(&before), Arc::clone(&truth), Arc::clone(&judged));
        let turns = Arc::clone(&shared.turns);
        comm.on_stall(move |report| {
            let verdict = known.judge(report, &seen_before.lock().unwrap());
            let mut all = judged.lock().unwrap();
            match (&mut *all, verdict) {
                (Ok(all), Ok(new)) => {
                    all.answers += new.answers;
                    all.silent += new.silent;
                    all.named += new.named;
                }
                (Ok(_), Err(wrong)) => *all = Err(wrong),
                (Err(_), _) => {}
            }
            if rank == 0 {
                let at = known.phases[0].load(Ordering::Relaxed) / 3;
                known.reported.store(at + 1, Ordering::Relaxed);
                (0..known.size).for_each(|other| turns.tell(other));
            }
        })
        .unwrap();
        let mut rng = Rng::with_seed(seed ^ rank as u64);
        let begin = || *before.lock().unwrap() = truth.phases();
        let result = take_steps(&comm, shared, &truth, &mut rng, begin);
        let ended = comm.end(result.is_err());
        result.and(ended).map_err(|error| format!("rank {rank}: {error}"))
    });
    let judged = judged.lock().unwrap().clone()?;
    outcome.values.into_iter().collect::<Result<Vec<_>, _>>()?;
    if outcome.stuck { Err("stuck".to_owned()) } else { Ok(judged) }
}

// SEMANTICS: HANG-1
#[test]
fn nobody_is_said_to_be_where_it_was_not() {
    let mut all = Seen::default();
    for seed in 0..bound([20, 80, 80]) {
        let seen =
            explore(seed, Fault::None).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}"));
        all.answers += seen.answers;
        all.silent += seen.silent;
        all.named += seen.named;
    }
    println!("{all:?}");
    let few = bound([10, 20, 20]);
    assert!(all.answers > 2 * few && all.silent > few && all.named > few, "{all:?}");
}

// SEMANTICS: HANG-1
#[test]
fn old_and_false_places_are_found() {
    let expected = [
        (Fault::AnswersTooLow, "is named and had entered"),
        (Fault::AnswersLate, "had not been there since it was asked"),
        (Fault::AnswersElsewhere, "had not been there since it was asked"),
    ];
    for (fault, expected) in expected {
        let wrong = (0..60).filter_map(|seed| explore(seed, fault).err());
        let found = wrong
            .inspect(|wrong| println!("{fault:?}: {wrong}"))
            .any(|wrong| wrong.contains(expected));
        assert!(found, "{fault:?} went unnoticed");
    }
}
