//! The tables: what was counted, for each message and for each rank and barrier.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::callgrind::Counts;
use crate::scenarios::{Kinds, Ranks, Scenario};

/// What all scenarios have come to.
#[derive(Default)]
pub struct Report {
    stamped: BTreeMap<Scenario, Counts>,
    unstamped: BTreeMap<Scenario, Counts>,
}

impl Report {
    pub fn add(&mut self, scenario: Scenario, stamped: Counts, unstamped: Option<Counts>) {
        self.stamped.insert(scenario, stamped);
        self.unstamped.extend(unstamped.map(|counts| (scenario, counts)));
    }

    /// Instructions for one message, with stamps and without: sent and received, or, where it was held,
    /// with the calls between in which that happened.
    pub fn message(&self, scenario: Scenario) -> Option<(f64, f64)> {
        let each = |counts: &Counts| counts.values().map(|cost| cost.each()).sum();
        Some((each(self.stamped.get(&scenario)?), each(self.unstamped.get(&scenario)?)))
    }

    /// Instructions for one rank and one barrier of two ranks that do nothing else: the call of the first, that of the
    /// last, and their waits.
    pub fn steady_barrier(&self) -> Option<[f64; 4]> {
        self.barrier_of_two(Scenario::Barriers)
    }

    /// The same of another scenario of two ranks.
    fn barrier_of_two(&self, scenario: Scenario) -> Option<[f64; 4]> {
        let counts = self.stamped.get(&scenario)?;
        let each = |mark: &str| counts.get(mark).map(|cost| cost.each());
        Some([each("enter")?, each("enter_last")?, each("release")?, each("release_last")?])
    }

    /// Instructions for one rank and one barrier, in the mean over the members: of the call, of
    /// progress, and of the receive that it releases.
    pub fn barrier(&self, scenario: Scenario) -> Option<[f64; 3]> {
        let Scenario::Barrier { ranks, kind, size } = scenario else { return None };
        let counts = self.stamped.get(&scenario)?;
        let each = |mark: &str| counts.get(mark).map(|cost| cost.each());
        let last = 1.0 / size as f64;
        // Where nobody is played as the last, all do the same.
        let mean = |most: &str, of_last: &str| {
            let most = each(most).unwrap_or_default();
            most * (1.0 - last) + each(of_last).unwrap_or(most) * last
        };
        let rounds = match (kind, ranks) {
            (Kinds::Board, _) => 0.0,
            _ => f64::from(size.ilog2()),
        };
        let progress = each("progress").unwrap_or_default() * rounds;
        Some([mean("enter", "enter_last"), progress, mean("release", "release_last")])
    }

    /// As [`barrier`](Report::barrier), all of it.
    pub fn whole_barrier(&self, ranks: Ranks, kind: Kinds, size: usize) -> Option<f64> {
        Some(self.barrier(Scenario::Barrier { ranks, kind, size })?.iter().sum())
    }

    /// All of it, as Markdown.
    pub fn tables(&self) -> String {
        let mut text = String::from(
            "| a message of 8 bytes, over shared memory | with stamps | without | they add |\n\
             |---|---:|---:|---:|\n",
        );
        for scenario in [Scenario::Message, Scenario::Held] {
            if let Some((with, without)) = self.message(scenario) {
                let (name, added) = (self.message_name(scenario), with - without);
                let share = 100.0 * added / without;
                let _ = writeln!(
                    text,
                    "| {name} | {with:.1} | {without:.1} | {added:.1} ({share:.1} %) |"
                );
            }
        }
        for (scenario, name) in [
            (Scenario::Barriers, "two ranks and nothing but barriers"),
            (Scenario::Posted, "two ranks, each with a receive posted"),
        ] {
            let Some([first, last, waits, waits_last]) = self.barrier_of_two(scenario) else {
                continue;
            };
            let _ = writeln!(text, "\n| {name} | call | wait |\n|---|---:|---:|");
            let _ = writeln!(text, "| the first | {first:.1} | {waits:.1} |");
            let _ = writeln!(
                text,
                "| the last, which finds it complete | {last:.1} | {waits_last:.1} |"
            );
        }
        text += "\n| barrier | members | call | progress | receive | in all |\n|---|---:|---:|---:|---:|---:|\n";
        for &scenario in self.stamped.keys() {
            let (Some(parts), Scenario::Barrier { ranks, kind, size }) =
                (self.barrier(scenario), scenario)
            else {
                continue;
            };
            let name = format!("{kind:?}").to_lowercase();
            let network = match ranks {
                Ranks::Shm => "shm",
                Ranks::Flat => "flat",
                Ranks::Lone => "flat, few ranks real",
            };
            let [call, progress, receive] = parts;
            let all: f64 = parts.iter().sum();
            let _ = writeln!(
                text,
                "| {name}, {network} | {size} | {call:.1} | {progress:.1} | {receive:.1} | {all:.1} |"
            );
        }
        text
    }

    fn message_name(&self, scenario: Scenario) -> String {
        let counts = self.stamped.get(&scenario);
        let each = |mark: &str| counts.and_then(|counts| counts.get(mark)).map(|cost| cost.each());
        match scenario {
            Scenario::Held => "ahead: sent, held, released by a barrier, received".into(),
            _ => format!(
                "sent ({:.1}) and received ({:.1})",
                each("send").unwrap_or_default(),
                each("receive").unwrap_or_default()
            ),
        }
    }
}
