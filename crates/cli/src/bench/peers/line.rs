//! Reads the line that a program on MPI prints for a sample.
//!
//! The line must agree with the request: the same program, barrier, ranks and cores, and the result
//! of a sequential program.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::apps::RankReport;
use super::super::sample::sample_of;
use super::names::{Kind, What};
use super::sample::Values;

/// The line as printed; keys that a program does not print are None.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    program: String,
    barrier: String,
    /// What it says of its MPI.
    library: Option<String>,
    ranks: usize,
    /// The number of cores that each rank may use.
    cores: Vec<usize>,
    /// How long a round of work takes in it.
    round_ns: Option<f64>,
    start_ns: Option<Vec<u64>>,
    end_ns: Option<Vec<u64>>,
    digest: Option<u64>,
    figures: Option<BTreeMap<String, f64>>,
    calls: Option<BTreeMap<String, u64>>,
    tries: Option<u64>,
    possible: Option<u64>,
    complete: Option<u64>,
}

/// What a sample must agree with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) what: What,
    pub(crate) kind: Kind,
    /// A word of its MPI, if a program may run on several.
    pub(crate) library: Option<&'static str>,
    pub(crate) ranks: usize,
    pub(crate) cores: usize,
    /// The digest of the right result, for programs that have one.
    pub(crate) digest: Option<u64>,
    /// How long a round of work takes here, if this program was optimised as those are.
    pub(crate) round_ns: Option<f64>,
}

/// A round that takes so many times as long as here is not the same work.
const OTHER_WORK: f64 = 1.8;

/// Why a line is not a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Malformed(String),
    /// It is well-formed, but for another request, or wrong.
    Wrong(String),
}

/// Reads a line.
///
/// # Errors
///
/// If the line is not a sample of the measurement that was asked for.
pub(crate) fn read(text: &str, asked: &Asked) -> Result<Values, Fault> {
    let line: Line =
        serde_json::from_str(text).map_err(|error| Fault::Malformed(error.to_string()))?;
    let kind = if asked.kind == Kind::Barrier { "barrier" } else { "ibarrier" };
    let same = |what: &str, told: String, expected: String| match told == expected {
        true => Ok(()),
        false => Err(Fault::Wrong(format!("its {what} is {told}, not {expected}"))),
    };
    same("program", line.program.clone(), asked.what.to_string())?;
    same("barrier", line.barrier.clone(), kind.to_owned())?;
    if let Some(word) = asked.library {
        let told = line.library.as_ref().ok_or_else(|| missing("library"))?;
        if !told.contains(word) {
            return Err(Fault::Wrong(format!("its MPI is {told:?}, not {word}")));
        }
    }
    same("number of ranks", line.ranks.to_string(), asked.ranks.to_string())?;
    let cores = vec![asked.cores; asked.ranks];
    same("number of cores of each rank", format!("{:?}", line.cores), format!("{cores:?}"))?;
    if let Some(here_ns) = asked.round_ns {
        let ratio = line.round_ns.ok_or_else(|| missing("round_ns"))? / here_ns;
        if !(1.0 / OTHER_WORK..OTHER_WORK).contains(&ratio) {
            let why = format!("a round of its work takes {ratio:.1} times as long as ours");
            return Err(Fault::Wrong(why));
        }
    }
    match asked.what {
        What::Micro | What::Collectives | What::NonblockingCollectives | What::Messages => {
            operations(line, asked.what)
        }
        What::Overlap => overlap(&line),
        _ => program(&line, asked),
    }
}

fn missing(key: &str) -> Fault {
    Fault::Malformed(format!("it has no `{key}`, or one of a wrong length"))
}

fn program(line: &Line, asked: &Asked) -> Result<Values, Fault> {
    let times = |key: &str, times: &Option<Vec<u64>>| {
        let times = times.clone().filter(|times| times.len() == asked.ranks);
        times.ok_or_else(|| missing(key))
    };
    let (start, end) = (times("start_ns", &line.start_ns)?, times("end_ns", &line.end_ns)?);
    let digest = line.digest.ok_or_else(|| missing("digest"))?;
    if start.iter().zip(&end).any(|(start, end)| start > end) {
        return Err(Fault::Wrong("a rank ended before it began".to_owned()));
    }
    if Some(digest) != asked.digest {
        return Err(Fault::Wrong("the result is not that of a sequential program".to_owned()));
    }
    let rank = |(start_ns, end_ns)| RankReport { start_ns, end_ns, ..RankReport::default() };
    let told: Vec<RankReport> = start.into_iter().zip(end).map(rank).collect();
    let Some((app, _)) = asked.what.app() else { return Err(missing("program")) };
    Ok(Values::of_time(sample_of(app, &told).time_s))
}

fn operations(line: Line, what: What) -> Result<Values, Fault> {
    let figures = line.figures.ok_or_else(|| missing("figures"))?;
    let calls = line.calls.ok_or_else(|| missing("calls"))?;
    let known = |name: &String| what.figures().iter().any(|(key, _)| key == name);
    match figures.iter().find(|(name, ns)| !known(name) || !ns.is_finite() || **ns < 0.0) {
        Some((name, ns)) => Err(Fault::Malformed(format!("`{name}` is {ns}"))),
        None if figures.is_empty() => Err(missing("figures")),
        // With MPI_Ibarrier there are fewer single operations, but always all of the others.
        None if what != What::Micro && figures.len() < what.figures().len() => {
            Err(missing("figures"))
        }
        None => Ok(Values { figures, calls }),
    }
}

fn overlap(line: &Line) -> Result<Values, Fault> {
    let (Some(tries), Some(possible), Some(complete)) = (line.tries, line.possible, line.complete)
    else {
        return Err(missing("tries, possible, complete"));
    };
    match complete <= possible && possible <= tries {
        true => Ok(Values::of_overlap([tries, possible, complete])),
        false => Err(Fault::Wrong(format!("{complete} of {possible} of {tries}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Asked = Asked {
        what: What::Barrier,
        kind: Kind::Barrier,
        library: None,
        ranks: 2,
        cores: 2,
        digest: Some(8),
        round_ns: None,
    };
    const GOOD: &str = r#"{"program": "barrier", "barrier": "barrier", "ranks": 2, "cores": [2, 2],
        "start_ns": [100, 200], "end_ns": [300, 2100], "digest": 8}"#;

    #[test]
    fn a_sample_lasts_from_the_first_start_to_the_last_end() {
        let values = read(GOOD, &ASKED).unwrap();
        assert_eq!(values, Values::of_time(2e-6));
    }

    #[test]
    fn a_malformed_or_wrong_line_is_refused() {
        for (from, to, why) in [
            ("{\"program", "program", "expected value"),
            ("\"digest\": 8", "\"digest\": 8, \"more\": 1", "unknown field `more`"),
            ("100, 200", "100", "it has no `start_ns`"),
            (", \"digest\": 8", "", "it has no `digest`"),
        ] {
            let fault = read(&GOOD.replace(from, to), &ASKED).unwrap_err();
            assert!(matches!(&fault, Fault::Malformed(text) if text.contains(why)), "{fault:?}");
        }
        for (from, to, why) in [
            ("\"digest\": 8", "\"digest\": 9", "not that of a sequential program"),
            ("\"barrier\": \"barrier\"", "\"barrier\": \"ibarrier\"", "its barrier is ibarrier"),
            ("\"program\": \"barrier\"", "\"program\": \"micro\"", "its program is micro"),
            ("\"ranks\": 2", "\"ranks\": 3", "its number of ranks is 3, not 2"),
            ("\"cores\": [2, 2]", "\"cores\": [2, 1]", "[2, 1], not [2, 2]"),
            ("300", "99", "a rank ended before it began"),
        ] {
            let fault = read(&GOOD.replace(from, to), &ASKED).unwrap_err();
            assert!(matches!(&fault, Fault::Wrong(text) if text.contains(why)), "{fault:?}");
        }
    }

    /// (Planted: a program that could run on several libraries ran on another.)
    #[test]
    fn a_program_on_another_library_is_refused() {
        let asked = Asked { library: Some("MPICH"), ..ASKED };
        let line = |library: &str| {
            GOOD.replace("\"ranks\"", &format!("\"library\": \"{library}\", \"ranks\""))
        };
        assert!(read(&line("MPICH Version: 5.0.2"), &asked).is_ok());
        let why = "its MPI is \"runahead 1.0\", not MPICH".to_owned();
        assert_eq!(read(&line("runahead 1.0"), &asked).unwrap_err(), Fault::Wrong(why));
        assert!(
            matches!(read(GOOD, &asked), Err(Fault::Malformed(why)) if why.contains("library"))
        );
    }

    /// (One compiler had made eight rounds one, and the other not.)
    #[test]
    fn a_program_with_other_work_is_refused() {
        let asked = Asked { round_ns: Some(1.5), ..ASKED };
        let line =
            |round_ns: &str| GOOD.replace("\"start_ns\"", &format!("{round_ns} \"start_ns\""));
        assert!(read(&line("\"round_ns\": 1.9,"), &asked).is_ok());
        for (round_ns, times) in [("12.0", "8.0"), ("0.375", "0.2"), ("0", "0.0")] {
            let fault = read(&line(&format!("\"round_ns\": {round_ns},")), &asked).unwrap_err();
            let why = format!("a round of its work takes {times} times as long as ours");
            assert_eq!(fault, Fault::Wrong(why));
        }
        assert!(
            matches!(read(GOOD, &asked), Err(Fault::Malformed(why)) if why.contains("round_ns"))
        );
    }

    #[test]
    fn lines_of_operations_and_of_overlaps_are_read() {
        let head = |program| {
            format!(
                "{{\"program\": \"{program}\", \"barrier\": \"ibarrier\", \"ranks\": 2, \"cores\": [2, 2]"
            )
        };
        let micro = Asked { what: What::Micro, kind: Kind::Ibarrier, ..ASKED };
        let line = |ns: &str| {
            let head = head("micro");
            format!("{head}, \"figures\": {{{ns}}}, \"calls\": {{\"barrier_ns\": 7}}}}")
        };
        let values = read(&line("\"barrier_ns\": 1.5"), &micro).unwrap();
        assert_eq!((values.figures["barrier_ns"], values.calls["barrier_ns"]), (1.5, 7));
        assert!(matches!(read(&line("\"barrier_ns\": -1"), &micro), Err(Fault::Malformed(_))));
        assert!(matches!(read(&line("\"tea_ns\": 1"), &micro), Err(Fault::Malformed(_))));
        assert!(matches!(read(&line(""), &micro), Err(Fault::Malformed(_))));

        let collectives = Asked { what: What::Collectives, ..ASKED };
        let line = |left_out: usize| {
            let all: Vec<String> = What::Collectives.figures()[left_out..]
                .iter()
                .map(|(name, _)| format!("\"{name}\": 1.5"))
                .collect();
            let head = head("collectives").replace("ibarrier", "barrier");
            format!("{head}, \"figures\": {{{}}}, \"calls\": {{}}}}", all.join(", "))
        };
        assert_eq!(read(&line(0), &collectives).unwrap().figures.len(), 6);
        assert!(matches!(read(&line(1), &collectives), Err(Fault::Malformed(_))));

        let overlap = Asked { what: What::Overlap, ..micro };
        let line = |complete: u32| {
            format!(
                "{}, \"tries\": 9, \"possible\": 8, \"complete\": {complete}}}",
                head("overlap")
            )
        };
        assert_eq!(read(&line(8), &overlap).unwrap(), Values::of_overlap([9, 8, 8]));
        assert!(matches!(read(&line(9), &overlap), Err(Fault::Wrong(_))));
    }
}
