//! How the processes of a job exchange addresses: in the ledger that all of them have.
//!
//! It is for one host, as the ledger is. Ranks of several hosts [meet](super::meeting).

use super::ledger::{LOOK, Ledger};
use crate::order::Rank;
use crate::provider::{Bootstrap, BootstrapError};
use crate::sys::thread;

/// The exchange of one rank.
#[derive(Debug)]
pub(super) struct Exchange {
    ledger: Ledger,
    rank: Rank,
    size: usize,
    round: u64,
}

impl Exchange {
    pub(super) fn new(ledger: Ledger, rank: Rank, size: usize) -> Exchange {
        Exchange { ledger, rank, size, round: 0 }
    }
}

impl Bootstrap for Exchange {
    fn all_gather(&mut self, own: &[u8]) -> Result<Vec<Vec<u8>>, BootstrapError> {
        let round = self.round;
        self.round += 1;
        self.ledger.give(self.rank, round, own)?;
        let mut all = Vec::with_capacity(self.size);
        for rank in 0..self.size {
            all.push(loop {
                // Asked first: who has ended may have given something before.
                let has_ended = self.ledger.is_complete(rank);
                if let Some(given) = self.ledger.given(rank, round)? {
                    break given;
                }
                if has_ended {
                    return Err(BootstrapError::Ended { rank });
                }
                thread::park(Some(LOOK));
            });
        }
        Ok(all)
    }

    fn has_ended(&self, rank: Rank) -> bool {
        self.ledger.is_complete(rank)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Outcome;
    use super::*;

    fn exchanges(size: usize) -> (Ledger, Vec<Exchange>) {
        let ledger = Ledger::create().unwrap();
        let of = |rank| Exchange::new(ledger.another().unwrap(), rank, size);
        let exchanges = (0..size).map(of).collect();
        (ledger, exchanges)
    }

    #[test]
    fn each_gets_what_all_have_given() {
        let (_ledger, exchanges) = exchanges(3);
        std::thread::scope(|scope| {
            for mut exchange in exchanges {
                scope.spawn(move || {
                    let rank = exchange.rank;
                    let given = |rank: usize, round: usize| vec![rank as u8; 1000 * rank + round];
                    for round in 0..3 {
                        let all = exchange.all_gather(&given(rank, round)).unwrap();
                        assert_eq!(all, [0, 1, 2].map(|rank| given(rank, round)));
                    }
                });
            }
        });
    }

    #[test]
    fn a_rank_that_has_ended_is_named() {
        let (ledger, mut exchanges) = exchanges(3);
        ledger.give(1, 0, b"there").unwrap();
        ledger.hand_over(1, &Outcome::Value(Vec::new())).unwrap();
        ledger.hand_over(2, &Outcome::Panicked("oh".into())).unwrap();
        assert!(exchanges[0].has_ended(2) && !exchanges[0].has_ended(0));
        let error = exchanges[0].all_gather(b"here").unwrap_err();
        assert_eq!(error, BootstrapError::Ended { rank: 2 });
    }

    /// SEMANTICS: SAFE-1
    #[test]
    fn a_length_that_cannot_be_is_an_error() {
        let (ledger, mut exchanges) = exchanges(2);
        ledger.give_of_length(1, 0, u64::MAX).unwrap();
        assert!(matches!(exchanges[0].all_gather(b""), Err(BootstrapError::Failed { .. })));
    }
}
