//! Two ends of a connection and few messages, under every interleaving: any frame under way may
//! come, come again, come out of order or be lost, any timer may run out, and the layers above
//! take, post and give back whenever they can.
//!
//! Of the time only this is kept: which frames are due now, and which later; a timer that runs may
//! run out at any moment. So nothing here says how patient an end is. Random cases, with the time,
//! are in `tests/engine/simulation/lossy.rs`.
//!
//! In every state, the frames delivered are those that were posted, once and in order, and no more
//! are kept than a window. From every state, one can be reached in which all is delivered, both
//! ends know so, and nobody has anything to do; so nobody waits for what cannot come. The planted
//! faults show that the search notices.

use runahead_testkit::effort::{Effort, bound, effort};
use runahead_testkit::search::{Counterexample, Searched, Steps, System, search};

use super::*;
use crate::provider::reliable::wire::Frame;

/// A moment at which all timers have run out that run.
const LATER: Moment = Duration::from_secs(1);

const TIMEOUTS: Timeouts =
    Timeouts { first_timeout: LATER, longest_timeout: LATER, ack_delay: LATER, tries: u32::MAX };

/// What end 0 does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plant {
    Nothing,
    AcknowledgesTooFar,
    NeverAcknowledgesAlone,
    NeverRepeats,
    RepeatsTheNewest,
    ForgetsItsTimer,
    NeverAsks,
    DeliversTwice,
    TellsTooMuchRoom,
    KeepsRoom,
    KeepsAtAnotherPlace,
    LeavesEarly,
}

#[derive(Clone, Copy)]
struct Case {
    window: u32,
    /// Messages from each end.
    counts: [u8; 2],
    /// The most frames under way; one that is sent beyond is lost.
    most: usize,
    plant: Plant,
}

/// More than the places of any case.
const PLACES: usize = 4;

#[derive(Clone, PartialEq, Eq, Hash)]
struct End {
    connection: Connection,
    /// The frames posted and those that have come, each at the place of its number; 0 is none.
    copies: [u8; PLACES],
    kept: [u8; PLACES],
    posted: u8,
    /// The layer above was refused, and not told of room yet.
    is_refused: bool,
    delivered: u8,
    /// Of these, how many lie in their descriptors.
    held: u8,
}

/// For whom it is, its header, and the message that it carries or 0.
type UnderWay = (u8, [u8; Header::BYTES], u8);

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    ends: [End; 2],
    /// In no order: sorted.
    under_way: Vec<UnderWay>,
}

type Next = Result<Option<State>, String>;

/// Forgets how long it is until something is due, and how often the peer was tried.
fn forget_time(connection: &mut Connection, now: Moment) {
    let (sending, receiving) = (&mut connection.sending, &mut connection.receiving);
    sending.repeat_at = sending.repeat_at.map(|_| LATER);
    sending.timeout = LATER;
    sending.tries = 0;
    receiving.ack_at = receiving.ack_at.map(|at| if at <= now { Moment::ZERO } else { LATER });
}

impl Case {
    fn plants(&self, at: usize, plant: Plant) -> bool {
        at == 0 && self.plant == plant
    }

    fn place_of_copy(&self, end: &End, number: u64) -> usize {
        (number % end.connection.capacity()) as usize
    }

    /// The layer above posts a message, or hears that there is no room.
    fn post(&self, mut state: State, at: usize) -> Next {
        let end = &mut state.ends[at];
        if end.posted == self.counts[at] || end.is_refused {
            return Ok(None);
        }
        if !end.connection.can_post() {
            end.connection.handle_refused(Moment::ZERO);
            end.is_refused = true;
            return Ok(Some(state));
        }
        let number = end.connection.handle_post(Moment::ZERO);
        let off = u64::from(self.plants(at, Plant::KeepsAtAnotherPlace));
        let place = self.place_of_copy(end, number + off);
        end.posted += 1;
        end.copies[place] = end.posted;
        Ok(Some(state))
    }

    fn deliver(&self, mut state: State, at: usize) -> Next {
        let end = &mut state.ends[at];
        let Some(number) = end.connection.poll_deliver() else { return Ok(None) };
        let place = (number % end.connection.window()) as usize;
        let found = std::mem::take(&mut end.kept[place]);
        end.held += 1;
        end.take(found)?;
        Ok(Some(state))
    }

    fn repost(&self, mut state: State, at: usize) -> Next {
        let end = &mut state.ends[at];
        if end.held == 0 || self.plants(at, Plant::KeepsRoom) {
            return Ok(None);
        }
        end.held -= 1;
        end.connection.handle_repost(Moment::ZERO);
        Ok(Some(state))
    }

    /// Sends one frame that is due now, or when a timer has run out.
    fn transmit(&self, mut state: State, at: usize, now: Moment) -> Next {
        let end = &mut state.ends[at];
        let runs = end.connection.poll_timeout().is_some();
        if now == LATER && (!runs || self.plants(at, Plant::ForgetsItsTimer)) {
            return Ok(None);
        }
        let before = end.connection.sending.sent;
        let Some(sent) = end.connection.poll_transmit(now) else { return Ok(None) };
        let Transmit { mut header, mut message } = sent;
        forget_time(&mut end.connection, now);
        let is_again = message.is_some_and(|number| number < before);
        let lost = match self.plant {
            _ if at > 0 => false,
            Plant::NeverAcknowledgesAlone => header.kind == Kind::Ack,
            Plant::NeverAsks => header.kind == Kind::Ask,
            Plant::NeverRepeats => is_again,
            Plant::AcknowledgesTooFar => {
                header.ack = header.ack.wrapping_add(1);
                false
            }
            Plant::TellsTooMuchRoom => {
                header.room = header.room.wrapping_add(1);
                false
            }
            Plant::RepeatsTheNewest if is_again => {
                message = Some(before - 1);
                header.number = (before - 1) as u32;
                false
            }
            _ => false,
        };
        let carried = match message {
            Some(number) => match end.copies[self.place_of_copy(end, number)] {
                0 => return Err("nothing lies where a message was kept".to_owned()),
                copy => copy,
            },
            None => 0,
        };
        if !lost && state.under_way.len() < self.most {
            state.under_way.push((1 - at as u8, header.encode(), carried));
            state.under_way.sort_unstable();
        }
        Ok(Some(state))
    }

    /// A frame comes, and may come again if it `stays`.
    fn arrive(&self, mut state: State, which: usize, stays: bool) -> Next {
        let (to, header, carried) = state.under_way[which];
        if !stays {
            state.under_way.remove(which);
        }
        let (at, window) = (usize::from(to), self.window as usize);
        let frame = Frame::new_checked(&header).map_err(|_| "a frame is malformed")?;
        let end = &mut state.ends[at];
        let taken = end.connection.handle_frame(Moment::ZERO, frame.header());
        match taken.map_err(|_| "what a peer sends is called impossible".to_owned())? {
            Taken::New(number) => {
                let place = (number % end.connection.window()) as usize;
                if std::mem::replace(&mut end.kept[place], carried) != 0 {
                    return Err("what has come lies over something else".to_owned());
                }
            }
            Taken::Nothing if carried > 0 && self.plants(at, Plant::DeliversTwice) => {
                end.take(carried)?;
            }
            Taken::Nothing => {}
        }
        let kept = end.kept.iter().filter(|&&kept| kept != 0).count();
        if kept + usize::from(end.held) > window {
            return Err("more is kept than a window".to_owned());
        }
        if end.connection.take_new_room() {
            end.is_refused = false;
        }
        forget_time(&mut end.connection, Moment::ZERO);
        Ok(Some(state))
    }

    /// Whether an end leaves that has something to say yet.
    fn leaves_owing(&self, state: &State) -> bool {
        let [end, other] = &state.ends;
        let is_settled = match self.plant {
            Plant::LeavesEarly => end.connection.sending.sent == end.connection.sending.next,
            _ => end.connection.is_settled(),
        };
        let came = u64::from(other.delivered) + other.connection.deliverable();
        end.posted == self.counts[0] && is_settled && came < u64::from(self.counts[0])
    }

    fn explore(&self) -> Result<Searched, Counterexample> {
        search(&mut self.clone())
    }
}

impl System for Case {
    type State = State;
    /// What happens, to which end or to which of the frames under way.
    type Step = (&'static str, usize);

    fn start(&self) -> State {
        // The low bits wrap around at once.
        let first = u64::from(u32::MAX);
        let end = || End {
            connection: Connection::new(self.window, first, TIMEOUTS),
            copies: [0; PLACES],
            kept: [0; PLACES],
            posted: 0,
            is_refused: false,
            delivered: 0,
            held: 0,
        };
        State { ends: [end(), end()], under_way: Vec::new() }
    }

    fn steps(&mut self, state: &State, to: &mut Steps<Case>) -> Result<(), String> {
        let mut add = |step, next: Next, is_certain| {
            if let Some(mut next) = next? {
                for end in &mut next.ends {
                    forget_time(&mut end.connection, Moment::ZERO);
                }
                match is_certain {
                    true => to.certain(step, next),
                    false => to.possible(step, next),
                }
            }
            Ok::<(), String>(())
        };
        for at in 0..2 {
            add(("post", at), self.post(state.clone(), at), true)?;
            add(("deliver", at), self.deliver(state.clone(), at), true)?;
            add(("give back", at), self.repost(state.clone(), at), true)?;
            add(("transmit", at), self.transmit(state.clone(), at, Moment::ZERO), true)?;
            add(("time out", at), self.transmit(state.clone(), at, LATER), true)?;
        }
        for which in 0..state.under_way.len() {
            // Two that are alike do the same.
            if which > 0 && state.under_way[which] == state.under_way[which - 1] {
                continue;
            }
            add(("arrive", which), self.arrive(state.clone(), which, false), true)?;
            add(
                ("arrive, and again later", which),
                self.arrive(state.clone(), which, true),
                false,
            )?;
            let mut lost = state.clone();
            lost.under_way.remove(which);
            add(("lose", which), Ok(Some(lost)), false)?;
        }
        Ok(())
    }

    fn check(&self, state: &State) -> Result<(), String> {
        match self.leaves_owing(state) {
            true => Err("an end leaves, and not all has come".to_owned()),
            false => Ok(()),
        }
    }

    /// All is delivered, both ends know so, and have nothing to do.
    fn is_end(&self, state: &State) -> bool {
        (0..2).all(|at| {
            let end = &state.ends[at];
            end.posted == self.counts[at]
                && end.delivered == self.counts[1 - at]
                && end.connection.is_settled()
                && end.connection.poll_timeout().is_none()
        })
    }
}

impl End {
    fn take(&mut self, found: u8) -> Result<(), String> {
        self.delivered += 1;
        if found == self.delivered {
            Ok(())
        } else {
            Err("what is delivered is not what was posted".to_owned())
        }
    }
}

const fn case(window: u32, counts: [u8; 2], most: usize) -> Case {
    Case { window, counts, most, plant: Plant::Nothing }
}

// SEMANTICS: NET-1, NET-2
#[test]
fn all_arrives_once_and_in_order_under_every_interleaving() {
    // Quick tests have two frames under way at most, and a third message with one window alone.
    let whole = [
        case(1, [2, 0], 4),
        case(1, [3, 0], 3),
        case(2, [2, 0], 3),
        case(2, [3, 0], 2),
        case(1, [1, 1], 2),
    ];
    let quick = [case(1, [3, 0], 2), case(2, [2, 0], 2), case(1, [1, 1], 2)];
    for &case in bound([&quick[..], &whole, &whole]) {
        let Case { window, counts, most, .. } = case;
        let what = format!("window {window}, {counts:?} messages, {most} frames");
        match case.explore() {
            Ok(Searched { states, .. }) => {
                println!("{what}: {states} states");
                assert!(states > 1000, "{what}: {states} states");
            }
            Err(error) => panic!("{what}: {error}"),
        }
    }
}

// SEMANTICS: NET-1, NET-2
#[test]
fn faults_of_an_end_are_noticed() {
    let [sends, receives] = [[3, 0], [0, 3]];
    for (plant, counts, says) in [
        (Plant::AcknowledgesTooFar, receives, "impossible"),
        (Plant::NeverAcknowledgesAlone, receives, "no end can be reached"),
        (Plant::NeverRepeats, sends, "no end can be reached"),
        (Plant::RepeatsTheNewest, sends, "no end can be reached"),
        (Plant::ForgetsItsTimer, sends, "no end can be reached"),
        (Plant::NeverAsks, sends, "no end can be reached"),
        (Plant::DeliversTwice, receives, "not what was posted"),
        (Plant::TellsTooMuchRoom, receives, "impossible"),
        (Plant::KeepsRoom, receives, "no end can be reached"),
        (Plant::KeepsAtAnotherPlace, sends, "nothing lies"),
        (Plant::LeavesEarly, sends, "an end leaves"),
    ] {
        for window in [1, 2] {
            // With one frame at a time none is newer than the repeated one. Quick tests plant
            // each fault once.
            let once = effort() == Effort::Quick && window == 2;
            if (plant == Plant::RepeatsTheNewest) != (window == 2) && (window == 1 || once) {
                continue;
            }
            let found = Case { plant, ..case(window, counts, 2) }.explore();
            let said = found.err().map_or("nothing".to_owned(), |found| found.fault);
            assert!(said.contains(says), "{plant:?}, window {window}: {said}");
        }
    }
}
