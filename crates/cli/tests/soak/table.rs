//! The outcomes of all cases, as a table.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use crate::case::{FAULTS, Fault, PROGRAMS, Program};
use crate::job::Ran;
use crate::judge::Accepted;

/// With fewer cases than this, most faults may by chance come after the end of their jobs.
pub const FEW: u32 = 18;

/// The outcomes of one fault with one program.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub cases: u32,
    /// The number of faults that met a running rank.
    pub met: u32,
    pub well: u32,
    pub failed: u32,
    pub ended_by_launcher: u32,
    pub wrong: u32,
    others_ended_after: Vec<Duration>,
    had_their_error_after: Vec<Duration>,
    undisturbed: Vec<Duration>,
}

/// All rows, by fault and program.
#[derive(Clone, Debug, Default)]
pub struct Table(BTreeMap<(usize, usize), Row>);

impl Row {
    pub fn add(&mut self, alone: Duration, ran: &Ran, verdict: Result<&Accepted, &Vec<String>>) {
        self.cases += 1;
        self.met += u32::from(ran.hit.is_some());
        self.undisturbed.push(alone);
        let Ok(accepted) = verdict else {
            self.wrong += 1;
            return;
        };
        *(if accepted.well { &mut self.well } else { &mut self.failed }) += 1;
        self.ended_by_launcher += u32::from(accepted.ended_by_launcher);
        self.had_their_error_after.extend(&accepted.had_their_error_after);
        if let Some(hit) = ran.hit.as_ref().filter(|_| !accepted.well) {
            self.others_ended_after.extend(&hit.others_ended_after);
        }
    }
}

impl Table {
    pub fn row(&mut self, fault: Fault, program: Program) -> &mut Row {
        let fault = FAULTS.iter().position(|&one| one == fault).expect("one of them");
        let program = PROGRAMS.iter().position(|&one| one == program).expect("one of them");
        self.0.entry((fault, program)).or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Complains if fewer than half of the faults met a running job: such a soak tests nothing.
    pub fn too_late(&self) -> Vec<String> {
        let cases: u32 = self.0.values().map(|row| row.cases).sum();
        let met: u32 = self.0.values().map(|row| row.met).sum();
        let too_late = cases >= FEW && 2 * met < cases;
        too_late
            .then(|| format!("only {met} of {cases} faults met a running job"))
            .into_iter()
            .collect()
    }

    /// Complains if launchers had to end ranks more often than a busy machine explains.
    pub fn too_often_ended(&self) -> Vec<String> {
        let ended: u32 = self.0.values().map(|row| row.ended_by_launcher).sum();
        let failed: u32 = self.0.values().map(|row| row.failed).sum();
        let too_often = ended > 1 && 10 * ended > failed;
        too_often
            .then(|| format!("in {ended} of {failed} jobs that failed, ranks had to be ended"))
            .into_iter()
            .collect()
    }

    pub fn text(&self) -> String {
        let mut text = String::from(
            "| fault | program | cases | met a running rank | right result | failed as it must \
             | ended by launcher | wrong | undisturbed: median | others ended: median, max \
             | had their error: median, 95 %, max |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for (&(fault, program), row) in &self.0 {
            let Row { cases, met, well, failed, ended_by_launcher, wrong, .. } = row;
            let (fault, program) = (FAULTS[fault].name(), PROGRAMS[program].name());
            let _ = writeln!(
                text,
                "| {fault} | {program} | {cases} | {met} | {well} | {failed} | {ended_by_launcher} \
                 | {wrong} | {} | {} | {} |",
                shares(&row.undisturbed, &[0.5]),
                shares(&row.others_ended_after, &[0.5, 1.0]),
                shares(&row.had_their_error_after, &[0.5, 0.95, 1.0]),
            );
        }
        text
    }
}

/// The quantiles of the times, in milliseconds, and the number of times.
fn shares(times: &[Duration], shares: &[f64]) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    let Some(last) = times.len().checked_sub(1) else { return "-".to_owned() };
    let at = |share: &f64| times[(last as f64 * share).round() as usize].as_secs_f64() * 1e3;
    let texts: Vec<String> = shares.iter().map(|share| format!("{:.1}", at(share))).collect();
    format!("{} ms ({})", texts.join(", "), times.len())
}
