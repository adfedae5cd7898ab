//! The messages between rank 0 and the others while a group chooses its algorithm. Pure.
//!
//! Words are lines of text: they are few, and not on the path of a running program.

use std::fmt;
use std::str::FromStr;

use super::choices::schedule;
use super::race::{Lap, MOST_IN_BATCH, MOST_ROUNDS, Measurement, Row};
use crate::order::{Algorithm, GroupId};

/// The most candidates in one race.
pub const MOST_CANDIDATES: usize = 32;

/// A message of rank 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// Create a group for each of these algorithms, with ids from `base` on.
    Start {
        /// The id of the first.
        base: GroupId,
        /// The free places for these groups, one bit for each: of the board, or of cells.
        free: u64,
        /// The algorithms.
        candidates: Vec<Algorithm>,
    },
    /// Run a lap and report the times.
    Run(Lap),
    /// The choice is made. The lowest id that all can use now is `next`.
    Chosen {
        /// The lowest id that none of the members has used.
        next: GroupId,
        /// The choice, and the times.
        measurement: Measurement,
    },
}

/// The text is not a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word::Start { base, free, candidates } => {
                write!(f, "start {} {free}", base.0)?;
                candidates.iter().try_for_each(|candidate| write!(f, " {candidate}"))
            }
            Word::Run(lap) => {
                write!(f, "run {} {}", lap.rounds, lap.batch)?;
                lap.runs.iter().try_for_each(|&candidate| write!(f, " {candidate}"))
            }
            Word::Chosen { next, measurement: Measurement { chosen, sound, rows } } => {
                write!(f, "chosen {} {chosen} {}", next.0, u8::from(*sound))?;
                rows.iter().try_for_each(|Row { algorithm, rounds, median_ns }| {
                    write!(f, " {algorithm} {rounds} {median_ns}")
                })
            }
        }
    }
}

impl FromStr for Word {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Word, Unreadable> {
        read(text).ok_or(Unreadable)
    }
}

fn read(text: &str) -> Option<Word> {
    let mut parts = text.split(' ');
    let (kind, number) = (parts.next()?, parts.next()?);
    let rest: Vec<&str> = parts.collect();
    Some(match kind {
        "start" => {
            let (free, rest) = rest.split_first()?;
            let free = free.parse().ok()?;
            let candidates: Vec<_> = rest.iter().copied().map(schedule).collect::<Option<_>>()?;
            if candidates.len() > MOST_CANDIDATES {
                return None;
            }
            Word::Start { base: GroupId(number.parse().ok()?), free, candidates }
        }
        "run" => {
            let rounds = number.parse().ok().filter(|rounds| (1..=MOST_ROUNDS).contains(rounds))?;
            let (batch, rest) = rest.split_first()?;
            let batch = batch.parse().ok().filter(|batch| (1..=MOST_IN_BATCH).contains(batch))?;
            let runs: Vec<usize> = rest
                .iter()
                .map(|part| part.parse().ok().filter(|&run| run < MOST_CANDIDATES))
                .collect::<Option<_>>()?;
            if runs.len() > MOST_CANDIDATES {
                return None;
            }
            Word::Run(Lap { rounds, batch, runs })
        }
        "chosen" => {
            let (chosen, rest) = rest.split_first()?;
            let (sound, rest) = rest.split_first()?;
            let (rows, left) = rest.as_chunks::<3>();
            if !left.is_empty() || rows.len() > MOST_CANDIDATES {
                return None;
            }
            let row = |[algorithm, rounds, median_ns]: &[&str; 3]| {
                Some(Row {
                    algorithm: schedule(algorithm)?,
                    rounds: rounds.parse().ok()?,
                    median_ns: median_ns.parse().ok()?,
                })
            };
            let measurement = Measurement {
                chosen: schedule(chosen)?,
                sound: match *sound {
                    "0" => false,
                    "1" => true,
                    _ => return None,
                },
                rows: rows.iter().map(row).collect::<Option<_>>()?,
            };
            Word::Chosen { next: GroupId(number.parse().ok()?), measurement }
        }
        _ => return None,
    })
}

/// A rank's times, in the form in which rank 0 gets them.
pub fn encode_times(times: &[u64]) -> Vec<u8> {
    times.iter().flat_map(|time| time.to_le_bytes()).collect()
}

/// Reads a rank's times; None unless there are exactly `count`.
pub fn decode_times(bytes: &[u8], count: usize) -> Option<Vec<u64>> {
    let (times, left) = bytes.as_chunks::<8>();
    let all = left.is_empty() && times.len() == count;
    all.then(|| times.iter().map(|time| u64::from_le_bytes(*time)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn algorithm() -> impl Strategy<Value = Algorithm> {
        prop_oneof![
            (0..Algorithm::ALL.len()).prop_map(|at| Algorithm::ALL[at]),
            (1..9u8).prop_map(|n| format!("mcs-tree:{n}").parse().unwrap()),
        ]
    }

    fn word() -> impl Strategy<Value = Word> {
        let row = (algorithm(), any::<u32>(), any::<u64>())
            .prop_map(|(algorithm, rounds, median_ns)| Row { algorithm, rounds, median_ns });
        prop_oneof![
            (any::<u32>(), any::<u64>(), vec(algorithm(), 0..9)).prop_map(
                |(base, free, candidates)| Word::Start { base: GroupId(base), free, candidates }
            ),
            (1..=MOST_ROUNDS, 1..=MOST_IN_BATCH, vec(0..MOST_CANDIDATES, 0..9))
                .prop_map(|(rounds, batch, runs)| Word::Run(Lap { rounds, batch, runs })),
            (any::<u32>(), algorithm(), any::<bool>(), vec(row, 0..9)).prop_map(
                |(next, chosen, sound, rows)| {
                    let measurement = Measurement { chosen, sound, rows };
                    Word::Chosen { next: GroupId(next), measurement }
                }
            ),
        ]
    }

    /// Up to three of the letters of which words consist.
    fn few_letters() -> impl Strategy<Value = String> {
        let letters: Vec<char> = " :-".chars().chain('a'..='z').chain('0'..='9').collect();
        vec(select(letters), 0..=3).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn an_encoded_word_parses_to_itself(word in word()) {
            prop_assert_eq!(word.to_string().parse(), Ok(word));
        }

        // SEMANTICS: SAFE-1
        #[test]
        fn parsing_any_text_gives_a_word_or_an_error(
            word in word(), at in 0..60usize, to in few_letters(),
        ) {
            let mut text = word.to_string();
            let at = at.min(text.len());
            text.replace_range(at.., &to);
            if let Ok(word) = text.parse::<Word>() {
                prop_assert_eq!(word.to_string().parse(), Ok(word));
            }
        }

        #[test]
        fn encoded_times_decode_to_themselves(times in vec(any::<u64>(), 0..20)) {
            let bytes = encode_times(&times);
            prop_assert_eq!(decode_times(&bytes, times.len()), Some(times.clone()));
            prop_assert_eq!(decode_times(&bytes, times.len() + 1), None);
            prop_assert_eq!(decode_times(&[&bytes[..], &[1]].concat(), times.len()), None);
        }
    }
}
