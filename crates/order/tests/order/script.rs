//! The language of the stories in `testdata`: a text of commands (`> …`), remarks (`# …`) and the
//! events that the commands must bring about, in order. [`check`] runs the commands, writes the
//! events down and compares the whole.
//!
//! ```text
//! > job 2 by all-to-all            the world; also: limit 2, pakin, bare (without the world)
//! > group 1 of 0 1 after 7         all members make it; `define` and `0 makes 1` in two steps
//! > 0 barrier                      of the world; `0 barrier 1` of group 1
//! > 0 drops 1
//! > deliver 0->1                   the oldest in flight; `deliver 0->1 newest`, `deliver all`
//! > repeat 0->1                    deliver, and keep it in flight
//! > lose 0->1                      `lose all`
//! > 0->1 has no credit             `0->1 has credit`
//! > 0->1 signals 1 step 0 epoch 3 clock 0      a signal out of nowhere; also `asks`
//! > 0 asks                         for what it lacks
//! > 0 posts m to 1                 `m leaves?`
//! > clocks                         send clocks, and receive clocks where they differ
//! > 0 state                        `flight`
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use runahead_order::{Algorithm, Epoch, GroupId, Ordering, Posted, Rank, Signal, SignalKind};

use crate::world::{Flying, World};

struct Definition {
    members: Vec<Rank>,
    algorithm: Algorithm,
    first: Epoch,
}

struct Script {
    world: World,
    groups: BTreeMap<GroupId, Definition>,
    posted: BTreeMap<String, (Rank, Rank, Posted)>,
    events: Vec<String>,
}

/// Runs the commands of the story `testdata/NAME.txt` and compares what happens with what it says.
/// With `UPDATE=1` in the environment the file is written anew, as `happened`: read what changed.
///
/// # Panics
///
/// If they differ; the message shows the story as it should be.
#[track_caller]
pub fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/order/testdata");
    let path = folder.join(name).with_extension("txt");
    let told = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let happened = happened(&told);
    if told == happened {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, happened).expect("the story can be written");
        return;
    }
    panic!("{}: should read as follows (UPDATE=1 writes it):\n\n{happened}", path.display());
}

/// Runs the commands of a story, and tells it as it happened: remarks and commands as they stand
/// there, the events after each command, and an empty line before the next.
fn happened(told: &str) -> String {
    let mut script = Script {
        world: World::new(1, Ordering::Contained, 1),
        groups: BTreeMap::new(),
        posted: BTreeMap::new(),
        events: Vec::new(),
    };
    let mut happened = String::new();
    let mut after_remark = true;
    for line in told.lines().map(str::trim) {
        let (command, remark) = (line.strip_prefix("> "), line.starts_with('#'));
        if command.is_none() && !remark {
            continue;
        }
        if !after_remark {
            happened.push('\n');
        }
        after_remark = remark;
        happened.extend([line, "\n"]);
        command.into_iter().for_each(|command| script.run(command));
        script.events.drain(..).for_each(|event| happened.extend([&*event, "\n"]));
    }
    happened
}

fn pair(word: &str) -> (Rank, Rank) {
    let (from, to) = word.split_once("->").expect("from->to");
    (number(from), number(to))
}

fn number<T: std::str::FromStr>(word: &str) -> T {
    word.parse().unwrap_or_else(|_| panic!("not a number: {word:?}"))
}

fn group(word: Option<&&str>) -> GroupId {
    match word {
        None | Some(&"world") => GroupId::WORLD,
        Some(id) => GroupId(number(id)),
    }
}

/// The word after the named one.
fn after<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1)).copied()
}

fn describe(flying: Flying) -> String {
    let Flying { from, to, signal: Signal { kind, group, step, epoch, clock } } = flying;
    match kind {
        SignalKind::Reached => {
            format!("{from}->{to} reached step {step} of {group}, epoch {epoch}, clock {clock}")
        }
        SignalKind::Ask => format!("{from}->{to} lacks step {step} of {group}, epoch {epoch}"),
    }
}

impl Script {
    fn say(&mut self, event: impl Into<String>) {
        self.events.push(event.into());
    }

    fn run(&mut self, command: &str) {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["job", size, ..] => self.start(number(size), &words),
            ["group", id, ..] => {
                let id = self.define(id, &words);
                for rank in self.groups[&id].members.clone() {
                    self.make(rank, id);
                }
            }
            ["define", id, ..] => {
                self.define(id, &words);
            }
            [rank, "makes", id] => self.make(number(rank), GroupId(number(id))),
            [rank, "barrier", ..] => self.barrier(number(rank), group(words.get(2))),
            [rank, "drops", id] => {
                self.at(number(rank), |world, rank| {
                    world.ranks[rank].handle_drop(group(Some(&id)));
                    Ok(())
                });
            }
            ["deliver", "all"] => {
                while !self.world.flight.is_empty() {
                    let next = self.world.flight.remove(0);
                    self.hand_over(next);
                }
            }
            ["deliver", between] => self.take(between, false, true),
            ["deliver", between, "newest"] => self.take(between, true, true),
            ["repeat", between] => self.take(between, false, false),
            ["lose", "all"] => self.world.flight.clear(),
            ["lose", between] => {
                let at = self.find(between, false);
                let _ = self.world.flight.remove(at);
            }
            [between, "has", "no", "credit"] => {
                self.world.without_credit.insert(pair(between));
            }
            [between, "has", "credit"] => {
                self.world.without_credit.remove(&pair(between));
                self.at(pair(between).0, |_, _| Ok(()));
            }
            [between, kind @ ("signals" | "asks"), id, ..] => {
                let (from, to) = pair(between);
                let kind = if kind == "asks" { SignalKind::Ask } else { SignalKind::Reached };
                let number = |name| after(&words, name).map_or(0, number);
                let (epoch, clock) = (number("epoch"), number("clock"));
                let step = u16::try_from(number("step")).expect("a step");
                let signal = Signal { kind, group: group(Some(&id)), step, epoch, clock };
                self.hand_over(Flying { from, to, signal });
            }
            [rank, "asks"] => {
                let asked = self.world.flight.len();
                self.world.ask(number(rank));
                let new: Vec<_> = self.world.flight[asked..].to_vec();
                new.into_iter().for_each(|flying| self.say(describe(flying)));
            }
            [rank, "posts", name, "to", peer] => {
                let (rank, peer): (Rank, Rank) = (number(rank), number(peer));
                let posted = self.world.ranks[rank].post(peer);
                self.say(format!("stamped {}", posted.stamp));
                self.posted.insert(name.to_owned(), (rank, peer, posted));
            }
            [name, "leaves?"] => {
                let (rank, peer, posted) = self.posted[name];
                let may = self.world.ranks[rank].may_leave(peer, posted);
                self.say(if may { "yes" } else { "no" });
            }
            [rank, "faults?"] => {
                let fault = self.world.ranks[number::<Rank>(rank)].poll_fault();
                self.say(fault.map_or("none".to_owned(), |fault| fault.to_string()));
            }
            ["clocks"] => self.clocks(),
            [rank, "state"] => self.state(number(rank)),
            ["flight"] => {
                let flight = self.world.flight.clone();
                flight.into_iter().for_each(|flying| self.say(describe(flying)));
            }
            _ => panic!("no such command: {command}"),
        }
        self.world.check();
    }

    fn start(&mut self, size: usize, words: &[&str]) {
        let pakin = words.contains(&"pakin");
        let ordering = if pakin { Ordering::Pakin } else { Ordering::Contained };
        self.world = World::new(size, ordering, after(words, "limit").map_or(4, number));
        if !words.contains(&"bare") {
            let members = (0..size).collect();
            let algorithm = after(words, "by").map_or(Algorithm::AllToAll, |name| {
                name.parse().unwrap_or_else(|unknown| panic!("{unknown}"))
            });
            self.groups.insert(GroupId::WORLD, Definition { members, algorithm, first: 0 });
            (0..size).for_each(|rank| self.make(rank, GroupId::WORLD));
        }
    }

    fn define(&mut self, id: &str, words: &[&str]) -> GroupId {
        let id = GroupId(number(id));
        let of = words.iter().position(|word| *word == "of").expect("members");
        let members = words[of + 1..].iter().map_while(|word| word.parse().ok()).collect();
        let algorithm = after(words, "by").map_or(Algorithm::AllToAll, |name| {
            name.parse().unwrap_or_else(|unknown| panic!("{unknown}"))
        });
        let first = after(words, "after").map_or(0, number);
        self.groups.insert(id, Definition { members, algorithm, first });
        id
    }

    fn make(&mut self, rank: Rank, id: GroupId) {
        let Definition { members, algorithm, first } = &self.groups[&id];
        let (members, algorithm, first) = (members.clone(), *algorithm, *first);
        self.at(rank, |world, rank| {
            let made = world.ranks[rank].add_group(id, &members, algorithm, first);
            made.map_err(|invalid| invalid.to_string())
        });
    }

    fn barrier(&mut self, rank: Rank, group: GroupId) {
        let order = &self.world.ranks[rank];
        let (would_enter, refused) = (order.would_enter(group), order.may_initiate(group).err());
        self.at(rank, |world, rank| {
            let initiated = world.ranks[rank].handle_initiate(group);
            assert_eq!(initiated.clone().err(), refused, "{rank} foretold of {group} wrongly");
            initiated.map(drop).map_err(|refused| refused.to_string())
        });
        if refused.is_some() {
            return;
        }
        if let Some((entered, _, initiated)) = self.world.ranks[rank].progress_of(group) {
            assert_eq!(would_enter, entered == initiated, "{rank} foretold of {group} wrongly");
            if entered < initiated {
                self.say(format!("{rank} defers barrier {initiated} of {group}"));
            }
        }
    }

    fn find(&self, between: &str, newest: bool) -> usize {
        let wanted = pair(between);
        let is_wanted = |flying: &Flying| (flying.from, flying.to) == wanted;
        let flight = self.world.flight.iter();
        let found = if newest { flight.clone().rposition(is_wanted) } else { None };
        let found = found.or_else(|| self.world.flight.iter().position(is_wanted));
        found.unwrap_or_else(|| panic!("nothing in flight {between}"))
    }

    fn take(&mut self, between: &str, newest: bool, remove: bool) {
        let at = self.find(between, newest);
        let flying = self.world.flight[at];
        if remove {
            self.world.flight.remove(at);
        }
        self.hand_over(flying);
    }

    fn hand_over(&mut self, flying: Flying) {
        self.at(flying.to, |world, _| {
            world.hand_over(flying).map_err(|error| format!("error: {error}"))
        });
    }

    /// Does something at a rank and says what came of it.
    fn at(&mut self, rank: Rank, what: impl FnOnce(&mut World, Rank) -> Result<(), String>) {
        let before: Vec<_> = self.progress(rank);
        let flying = self.world.flight.len();
        let result = what(&mut self.world, rank);
        self.world.collect(rank);
        if let Err(error) = result {
            self.say(error);
        }
        let now = self.progress(rank);
        for (id, (entered, complete)) in now {
            let was = before.iter().find(|(known, _)| *known == id).map(|(_, was)| *was);
            let (had_entered, had_completed) = was.unwrap_or((entered, complete));
            for epoch in had_entered..entered {
                self.say(format!("{rank} enters barrier {} of {id}", epoch + 1));
            }
            for epoch in had_completed..complete {
                self.say(format!("{rank} completes barrier {} of {id}", epoch + 1));
            }
        }
        let new: Vec<_> = self.world.flight[flying..].to_vec();
        new.into_iter().for_each(|flying| self.say(describe(flying)));
        if let Some(fault) = self.world.ranks[rank].poll_fault() {
            self.say(format!("fault: {fault}"));
        }
    }

    fn progress(&self, rank: Rank) -> Vec<(GroupId, (Epoch, Epoch))> {
        let order = &self.world.ranks[rank];
        let known = self.groups.keys().filter_map(|&id| {
            let (entered, complete, _) = order.progress_of(id)?;
            Some((id, (entered, complete)))
        });
        known.collect()
    }

    fn clocks(&mut self) {
        let size = self.world.ranks.len();
        for rank in 0..size {
            let order = &self.world.ranks[rank];
            let mut line = format!("{rank} |");
            for peer in 0..size {
                let (send, recv) = (order.send_clock(peer), order.recv_clock(peer));
                write!(line, " {send}").expect("strings take all");
                if recv != send {
                    write!(line, "/{recv}").expect("strings take all");
                }
            }
            self.say(line);
        }
    }

    fn state(&mut self, rank: Rank) {
        for id in self.groups.keys().copied().collect::<Vec<_>>() {
            let known = self.world.ranks[rank].progress_of(id);
            self.say(known.map_or(format!("{id}: unknown"), |(entered, complete, initiated)| {
                format!("{id}: initiated {initiated}, entered {entered}, complete {complete}")
            }));
        }
    }
}

/// No story lies there that no test tells.
#[test]
fn every_story_is_told() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/order");
    let entries = |folder: &Path| -> Vec<_> {
        let entries = std::fs::read_dir(folder).expect("a folder of the tests");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut stories = 0;
    for folder in entries(&tests.join("testdata")) {
        let module = folder.file_name().and_then(|name| name.to_str()).expect("a name");
        let source = std::fs::read_to_string(tests.join(module).with_extension("rs"));
        let source = source.expect("a module of the tests");
        for story in entries(&folder) {
            let name = story.file_stem().and_then(|name| name.to_str()).expect("a name");
            let call = format!("check(\"{module}/{name}\");");
            assert!(source.contains(&call), "{module}.rs does not tell {name}");
            stories += 1;
        }
    }
    assert!(stories > 30, "only {stories} stories were found");
}

/// What differs from the story is told as it happened.
#[test]
fn a_wrong_story_is_put_right() {
    let right = "# Alone.\n> job 1\n\n> 0 barrier\n0 enters barrier 1 of world\n\
                 0 completes barrier 1 of world\n";
    assert_eq!(happened(right), right);
    let wrong = "# Alone.\n> job 1\n> 0 barrier\n0 enters barrier 2 of world\n";
    assert_eq!(happened(wrong), right);
}
