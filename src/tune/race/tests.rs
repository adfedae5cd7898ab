//! Races with scripted times: no barrier, no clock.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const MS: Duration = Duration::from_millis(1);

fn listed() -> Vec<Algorithm> {
    ["dissemination", "all-to-all", "binomial-tree"].map(|name| name.parse().unwrap()).to_vec()
}

/// Runs a race of these candidates on two ranks, the second a little faster than the first, whose
/// barriers take what `time` says of a candidate and a round. Returns what came of it, the laps,
/// and the time spent.
fn race(
    budget: Duration,
    keeps_all: bool,
    mut time: impl FnMut(usize, u32) -> u64,
) -> (Measurement, Vec<Lap>, Duration) {
    let mut race = Race::new(listed(), budget, keeps_all);
    let (mut spent, mut laps, mut round) = (Duration::ZERO, Vec::new(), 0);
    while let Some(lap) = race.next_lap(spent) {
        let mut times = Vec::new();
        for _ in 0..lap.rounds {
            let batch = u64::from(lap.batch);
            times.extend(lap.runs.iter().map(|&candidate| time(candidate, round) * batch));
            round += 1;
        }
        spent += Duration::from_nanos(times.iter().sum());
        let faster = times.iter().map(|time| time - time / 10).collect();
        race.handle_lap(&lap, &[faster, times], spent);
        laps.push(lap);
    }
    (race.measurement(), laps, spent)
}

fn chosen(measurement: &Measurement) -> String {
    measurement.chosen.to_string()
}

#[test]
fn the_fastest_wins_early_and_the_slow_drop_out() {
    let (result, laps, spent) =
        race(1000 * MS, false, |candidate, _| [9000, 4000, 8000][candidate]);
    assert_eq!(chosen(&result), "all-to-all");
    assert!(result.sound && spent < 10 * MS, "{spent:?}");
    assert_eq!(laps[0], Lap { rounds: 1, batch: 1, runs: vec![0, 1, 2] });
    assert_eq!((laps.len(), laps[1].batch), (2, MOST_IN_BATCH));
    let medians: Vec<_> = result.rows.iter().map(|row| (row.rounds, row.median_ns)).collect();
    // For one barrier, of the slower rank.
    assert_eq!(medians, [(16, 9000), (16, 4000), (16, 8000)]);
}

#[test]
fn ties_go_to_the_default() {
    let (result, laps, spent) = race(3 * MS, false, |candidate, _| [4100, 4000, 4000][candidate]);
    assert_eq!(chosen(&result), "dissemination");
    assert!(result.sound);
    // Nobody drops out, and the budget is used, not more.
    assert!(spent <= 3 * MS && spent > 2 * MS, "{spent:?}");
    assert!(laps.iter().all(|lap| lap.runs.len() == 3));
}

#[test]
fn noise_goes_to_the_default() {
    // The default is slower in the median by far, and faster in every third round.
    let noisy = |candidate, round| match candidate {
        0 if round % 3 == 0 => 1000,
        0 => 9000,
        _ => 5000,
    };
    let (result, ..) = race(Duration::from_micros(170), false, noisy);
    assert!(result.rows[0].rounds < 16);
    assert_eq!(chosen(&result), "dissemination");
}

#[test]
fn one_slow_round_changes_nothing() {
    let disturbed =
        |candidate, round| if round == 5 { 4_000_000 } else { [9000, 4000, 8000][candidate] };
    let (result, ..) = race(1000 * MS, false, disturbed);
    assert_eq!(chosen(&result), "all-to-all");
}

#[test]
fn the_warm_up_does_not_count() {
    let warm = |candidate, round| {
        if round == 0 { [1, 90_000, 1][candidate] } else { [9000, 4000, 8000][candidate] }
    };
    let (result, ..) = race(1000 * MS, false, warm);
    assert_eq!(chosen(&result), "all-to-all");
}

#[test]
fn a_budget_that_the_warm_up_uses_up_leaves_the_default() {
    let (result, laps, _) = race(MS, false, |candidate, _| [900_000, 400_000, 800_000][candidate]);
    assert_eq!((chosen(&result), result.sound, laps.len()), ("dissemination".to_owned(), false, 1));
    assert!(result.rows.iter().all(|row| (row.rounds, row.median_ns) == (0, 0)));
    // Three rounds fit, and that is too few.
    let (result, laps, _) = race(MS, false, |candidate, _| [90_000, 40_000, 80_000][candidate]);
    assert_eq!((chosen(&result), result.sound), ("dissemination".to_owned(), false));
    assert!(laps.len() > 1 && result.rows[1].rounds > 0);
}

#[test]
fn a_lap_is_begun_only_if_it_should_fit() {
    // From the third lap on a rank has lost its core.
    let mut rounds = 0;
    let (_, laps, spent) = race(10 * MS, true, |_, round| {
        rounds = round + 1;
        if round > 16 { 1_000_000 } else { 10_000 }
    });
    assert_eq!(laps.iter().map(|lap| lap.rounds).sum::<u32>(), rounds);
    assert_eq!(laps.len(), 3, "one lap too long, and none after it");
    assert!(spent > 10 * MS);
}

#[test]
fn all_candidates_can_run_to_the_end() {
    let (result, laps, spent) = race(20 * MS, true, |candidate, _| [9000, 4000, 8000][candidate]);
    assert_eq!(chosen(&result), "all-to-all");
    assert!(laps.iter().all(|lap| lap.runs == [0, 1, 2]) && spent <= 20 * MS);
    assert!(result.rows.iter().all(|row| row.rounds == result.rows[0].rounds));
}

#[test]
fn no_race_goes_on_for_ever() {
    // Times of nothing, as from a clock that stands still.
    let (result, laps, _) = race(1000 * MS, false, |_, _| 0);
    assert_eq!(chosen(&result), "dissemination");
    assert_eq!(laps.iter().skip(1).map(|lap| lap.rounds).sum::<u32>(), MOST_ROUNDS);
}

#[test]
fn a_single_candidate_needs_no_race() {
    let mut race = Race::new(listed()[..1].to_vec(), MS, false);
    let lap = race.next_lap(Duration::ZERO).unwrap();
    race.handle_lap(&lap, &[vec![1]], MS / 10);
    assert_eq!(race.next_lap(MS / 10), None);
    assert_eq!(race.measurement().chosen, Algorithm::Dissemination);
}

#[test]
fn the_chance_of_a_series_of_wins_is_that_of_a_coin() {
    assert_eq!([by_chance(1, 1), by_chance(0, 4), by_chance(2, 2)], [0.5, 1.0, 0.25]);
    assert!((by_chance(3, 4) - 5.0 / 16.0).abs() < 1e-12);
    assert!(by_chance(7, 7) > CHANCE && by_chance(8, 8) <= CHANCE);
    assert!(by_chance(0, 0) > CHANCE && by_chance(256, 512) > 0.5);
}

proptest! {
    #[test]
    fn the_choice_is_a_candidate_and_the_same_each_time(
        times in vec(1..50_000u64, 3 * 20),
        budget_us in 0..2000u64,
        keeps_all: bool,
    ) {
        let time = |candidate: usize, round: u32| times[(round as usize % 20) * 3 + candidate];
        let run = || race(Duration::from_micros(budget_us), keeps_all, time);
        let (result, laps, _) = run();
        prop_assert_eq!(run().0, result.clone());
        prop_assert!(listed().contains(&result.chosen));
        prop_assert!(laps.iter().all(|lap| (1..=MOST_ROUNDS).contains(&lap.rounds)));
        prop_assert!(result.sound || result.chosen == Algorithm::Dissemination);
        // Nothing wins by less than the margin.
        if result.chosen != Algorithm::Dissemination {
            let row = result.rows.iter().find(|row| row.algorithm == result.chosen).unwrap();
            let same_rounds = row.rounds == result.rows[0].rounds;
            prop_assert!(!same_rounds || row.median_ns <= result.rows[0].median_ns);
        }
    }
}
