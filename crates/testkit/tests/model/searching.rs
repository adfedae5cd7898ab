//! The search of small systems itself, on a lift: it visits all states, and names the shortest way to
//! each kind of fault.

use runahead_testkit::search::{Searched, Steps, System, search};

/// A lift between floors, which is called to the top and must come to it.
struct Lift {
    floors: u8,
    /// The highest that it is allowed to be at.
    allowed: u8,
    /// It goes down again from here on, and up, for ever.
    turns_at: Option<u8>,
    /// It is stuck here.
    stuck_at: Option<u8>,
    /// A step from here fails.
    breaks_at: Option<u8>,
    /// It may skip a floor, and need not.
    skips: bool,
}

const LIFT: Lift =
    Lift { floors: 5, allowed: 5, turns_at: None, stuck_at: None, breaks_at: None, skips: false };

impl System for Lift {
    type State = u8;
    type Step = (&'static str, u8);

    fn start(&self) -> u8 {
        0
    }

    fn steps(&mut self, &floor: &u8, to: &mut Steps<Lift>) -> Result<(), String> {
        if self.breaks_at == Some(floor) {
            return Err("the rope tears".to_owned());
        }
        if self.stuck_at == Some(floor) || floor == self.floors {
            return Ok(());
        }
        match self.turns_at {
            Some(turns_at) if floor == turns_at => to.certain(("down", floor - 1), floor - 1),
            _ => to.certain(("up", floor + 1), floor + 1),
        }
        if self.skips && floor + 2 <= self.floors {
            to.possible(("skip", floor + 2), floor + 2);
        }
        Ok(())
    }

    fn check(&self, &floor: &u8) -> Result<(), String> {
        if floor > self.allowed { Err(format!("it is at {floor}")) } else { Ok(()) }
    }

    fn is_end(&self, &floor: &u8) -> bool {
        floor == self.floors
    }
}

#[test]
fn a_system_that_is_right_is_searched_whole() {
    assert_eq!(search(&mut Lift { ..LIFT }), Ok(Searched { states: 6, ends: 1 }));
    assert_eq!(search(&mut Lift { skips: true, ..LIFT }), Ok(Searched { states: 6, ends: 1 }));
}

#[test]
fn each_kind_of_fault_is_found_by_its_shortest_way() {
    let fault = |mut lift: Lift| {
        let found = search(&mut lift).unwrap_err();
        (found.fault.clone(), found.steps.join(" "), found.to_string())
    };
    let (what, steps, printed) = fault(Lift { allowed: 1, ..LIFT });
    assert_eq!((&*what, &*steps), ("it is at 2", r#"("up", 1) ("up", 2)"#));
    assert_eq!(printed, "it is at 2, after 2 steps:\n  (\"up\", 1)\n  (\"up\", 2)\n");
    let (_, steps, _) = fault(Lift { allowed: 1, skips: true, ..LIFT });
    assert_eq!(steps, r#"("skip", 2)"#);
    let (what, steps, _) = fault(Lift { breaks_at: Some(1), ..LIFT });
    assert_eq!((&*what, &*steps), ("the rope tears", r#"("up", 1)"#));
    let (what, steps, _) = fault(Lift { stuck_at: Some(0), ..LIFT });
    assert_eq!((&*what, &*steps), ("no end can be reached", ""));
    // In circles; and where only luck leads out of them.
    let (what, ..) = fault(Lift { turns_at: Some(3), ..LIFT });
    assert_eq!(what, "no end can be reached");
    let (what, ..) = fault(Lift { turns_at: Some(3), skips: true, ..LIFT });
    assert_eq!(what, "no end can be reached");
}
