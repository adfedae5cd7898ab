//! Algorithms as text: what can be written is read back, and what cannot be read is named.

use std::collections::HashSet;

use super::variants;
use crate::schedule::names::{self, InvalidAlgorithm, Name};
use crate::schedule::{Algorithm, Schedule};

fn parse(text: &str) -> Result<Algorithm, InvalidAlgorithm> {
    text.parse()
}

#[test]
fn what_is_written_is_read_back() {
    for algorithm in Algorithm::ALL.into_iter().chain(variants()) {
        assert_eq!(parse(&algorithm.to_string()), Ok(algorithm));
    }
    for name in names::ALL {
        for number in name.parameter.iter().flat_map(|parameter| parameter.least..=u8::MAX) {
            let algorithm = parse(&format!("{}:{number}", name.name)).expect("in range");
            assert_eq!(name.algorithm(Some(number)), Ok(algorithm));
            assert_eq!(parse(&algorithm.to_string()), Ok(algorithm));
            let own = algorithm.parameter().map(u8::from);
            assert!(name.is_alias() || own == Some(number), "{algorithm}");
        }
    }
}

#[test]
fn names_stand_for_the_defaults() {
    let own = names::ALL.iter().filter(|name| !name.is_alias());
    let defaults: Vec<_> = own.map(Name::default_algorithm).collect();
    assert_eq!(defaults, Algorithm::ALL);
    for (algorithm, name) in Algorithm::ALL.into_iter().zip(names::ALL) {
        assert_eq!((algorithm.name(), algorithm.summary()), (name.name, name.summary));
        assert_eq!(parse(name.name), Ok(algorithm));
        assert_eq!(name.algorithm(None), Ok(algorithm));
        assert!(!algorithm.summary().is_empty() && !algorithm.summary().contains('\n'));
    }
    let different: HashSet<_> = names::ALL.iter().map(|name| name.name).collect();
    assert_eq!(different.len(), names::ALL.len());
    assert_eq!(parse("n-way-dissemination").unwrap().to_string(), "n-way-dissemination:2");
}

#[test]
fn auto_is_a_name_and_has_the_default_schedule() {
    assert_eq!(parse("auto"), Ok(Algorithm::Auto));
    assert_eq!(Algorithm::Auto.to_string(), "auto");
    assert!(!Algorithm::ALL.contains(&Algorithm::Auto));
    assert!(names::ALL.iter().all(|name| name.name != names::AUTO));
    let refused = parse("auto:2").unwrap_err().to_string();
    assert_eq!(refused, "barrier algorithm auto takes no parameter, but \"2\" was given");
    assert!(parse("automatic").unwrap_err().to_string().ends_with(", auto"));
    for size in [1, 2, 7] {
        let schedules = Schedule::all(Algorithm::Auto, size);
        assert_eq!(schedules, Schedule::all(Algorithm::default().by_signals(), size));
    }
}

/// Where ranks can only signal one another, what is named is what they do, unless it needs more.
#[test]
fn by_signals_all_but_the_board_stays_as_it_is() {
    for algorithm in Algorithm::ALL.into_iter().chain(variants()).chain([Algorithm::Auto]) {
        let needs_more = [Algorithm::Board, Algorithm::Auto].contains(&algorithm);
        let expected = if needs_more { Algorithm::Dissemination } else { algorithm };
        assert_eq!(algorithm.by_signals(), expected);
    }
}

/// Each alias, against the algorithm in the paper's own words, at every rank of some sizes.
#[test]
fn aliases_are_the_schedules_that_they_say() {
    let aliases: Vec<_> = names::ALL.iter().filter(|name| name.is_alias()).collect();
    let read = |text: &str| parse(text).unwrap().to_string();
    assert_eq!(aliases.len(), 4);
    assert_eq!(read("central-counter"), "flat-tree");
    assert_eq!(read("tournament"), "gather-multicast:1");
    assert_eq!(read("combining-tree"), "gather-multicast:3");
    assert_eq!(read("f-way-tournament:8"), "gather-multicast:7");
    // What hoefler-2005 listings 2.2 and 2.3 compute: in each round, whom a rank still in play
    // reports to. A member that is not the first of its group is out.
    let reports_to = |rank: usize, players: usize, size: usize| {
        let mut unit = 1;
        while unit < size {
            let place = rank / unit % players;
            if place != 0 {
                return rank - place * unit;
            }
            unit *= players;
        }
        unreachable!("rank 0 wins")
    };
    for players in 2..=5u8 {
        let algorithm = parse(&format!("f-way-tournament:{players}")).unwrap();
        assert_eq!(parse(&format!("combining-tree:{players}")), Ok(algorithm));
        for size in 2..=40 {
            for rank in 1..size {
                let schedule = Schedule::new(algorithm, rank, size);
                let winner = reports_to(rank, players.into(), size);
                assert_eq!(schedule.steps()[0].send_to, [winner], "{algorithm} at {size}");
            }
        }
    }
}

#[test]
fn an_unknown_name_lists_all() {
    for text in ["Butterfly", "", ":", ":2", "dissemination-2", " butterfly"] {
        let error = parse(text).unwrap_err();
        assert_eq!(error, InvalidAlgorithm::Unknown(text.to_owned()));
        let message = error.to_string();
        assert!(message.contains(&format!("{text:?}")), "{message}");
        let listed = message.split_once("expected one of ").unwrap().1;
        let all = names::ALL.iter().map(|name| name.name).chain([names::AUTO]);
        assert!(listed.split(", ").eq(all), "{message}");
    }
}

#[test]
fn a_bad_parameter_is_named_with_its_range() {
    let families = names::ALL.iter().filter(|name| name.parameter.is_some());
    for &Name { name, parameter, .. } in families {
        let least = parameter.unwrap().least;
        let below = (least - 1).to_string();
        for given in ["", "x", "-1", "256", "2:2", " 2", below.as_str()] {
            let error = parse(&format!("{name}:{given}")).unwrap_err().to_string();
            for part in [format!("{given:?}"), name.to_owned(), format!("expected {least} to 255")]
            {
                assert!(error.contains(&part), "{error}");
            }
        }
    }
    assert_eq!(
        parse("mcs-tree:0").unwrap_err().to_string(),
        "invalid number of children \"0\" for barrier algorithm mcs-tree: expected 1 to 255"
    );
    let error = parse("butterfly:2").unwrap_err();
    assert_eq!(error, InvalidAlgorithm::NoParameter { name: "butterfly", given: "2".to_owned() });
    assert_eq!(
        error.to_string(),
        "barrier algorithm butterfly takes no parameter, but \"2\" was given"
    );
    let own = names::ALL[1].algorithm(Some(2));
    assert_eq!(own, Err(error));
}
