//! The search from box to box: each a product of sets of local states, one set for each rank, that were
//! reached together. All states of a set are of one class.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::BuildHasherDefault;
use std::rc::Rc;

use runahead_order::{Rank, Signal};

use super::cores::{Core, Progress, Setup};
use super::locals::{Locals, Quick, Signals, Wrong, bits};

/// The largest group.
pub const RANKS: usize = 6;

type Hash = BuildHasherDefault<Quick>;

/// For each rank its set, by number.
pub type Product = [u32; RANKS];

/// How a search ended.
pub struct Report {
    pub boxes: usize,
    /// All states in boxes; some may be counted twice, unless `is_exact`.
    pub states: u128,
    pub is_exact: bool,
    pub locals: usize,
    /// What is wrong, with what had happened before; the first of each kind. Nothing else was looked at
    /// after one that is neither early, stuck nor unrepaired.
    pub wrong: Vec<(Wrong, Vec<String>)>,
}

impl Report {
    /// # Panics
    ///
    /// If anything is wrong.
    pub fn require(&self, what: &dyn fmt::Display) {
        if let Some((wrong, trace)) = self.wrong.first() {
            panic!("{what}: {wrong:?}, after\n  {}", trace.join("\n  "));
        }
    }

    pub fn has(&self, is: impl Fn(&Wrong) -> bool) -> bool {
        self.wrong.iter().any(|(wrong, _)| is(wrong))
    }
}

/// What follows from a set of states of one rank while certain signals are in the network.
struct Grown {
    /// With all that can be reached without anybody's notice.
    set: u32,
    /// By class, what can be reached with the others' notice.
    seen: Vec<(u32, u32)>,
    /// Some state has no way on.
    may_stick: bool,
    heard: Vec<u64>,
}

pub struct Search<C: Core> {
    pub locals: Locals<C>,
    sets: Vec<Rc<[u32]>>,
    set_numbers: HashMap<Rc<[u32]>, u32>,
    grown: HashMap<(u32, Signals), Rc<Grown>, Hash>,
    /// By set and the others' answers, whether some state stays stuck when it asks.
    repaired: HashMap<Product, bool, Hash>,
    pub found: Vec<Product>,
    came: Vec<(u32, u8)>,
}

impl<C: Core> Search<C> {
    pub fn new(setup: Setup) -> Search<C> {
        assert!(setup.size() < RANKS, "at most {} ranks", RANKS - 1);
        Search {
            locals: Locals::new(setup),
            sets: Vec::new(),
            set_numbers: HashMap::new(),
            grown: HashMap::default(),
            repaired: HashMap::default(),
            found: Vec::new(),
            came: Vec::new(),
        }
    }

    /// The local states of a set.
    pub fn set(&self, number: u32) -> &[u32] {
        &self.sets[number as usize]
    }

    fn intern(&mut self, mut states: Vec<u32>) -> u32 {
        states.sort_unstable();
        states.dedup();
        if let Some(&number) = self.set_numbers.get(states.as_slice()) {
            return number;
        }
        let states: Rc<[u32]> = states.into();
        let number = self.sets.len() as u32;
        self.sets.push(states.clone());
        self.set_numbers.insert(states, number);
        number
    }

    fn grow(&mut self, set: u32, available: Signals) -> Result<Rc<Grown>, Wrong> {
        if let Some(grown) = self.grown.get(&(set, available)) {
            return Ok(grown.clone());
        }
        let mut states = self.set(set).to_vec();
        let mut known: HashSet<u32> = states.iter().copied().collect();
        let class = self.locals.get(states[0]).class;
        let mut seen: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut may_stick = false;
        let mut heard = vec![0; self.locals.setup.size()];
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            at += 1;
            let moves = self.locals.moves(state, available)?;
            may_stick |= moves.onward.is_empty();
            for &after in moves.onward.iter().chain(&moves.asked) {
                let to = self.locals.get(after).class;
                if to != class {
                    seen.entry(to).or_default().push(after);
                } else if known.insert(after) {
                    states.push(after);
                }
            }
            for (most, &heard) in heard.iter_mut().zip(&self.locals.get(state).heard) {
                *most = heard.max(*most);
            }
        }
        let seen = seen.into_iter().map(|(class, states)| (class, self.intern(states))).collect();
        let grown = Rc::new(Grown { set: self.intern(states), seen, may_stick, heard });
        self.grown.insert((set, available), grown.clone());
        self.grown.insert((grown.set, available), grown.clone());
        Ok(grown)
    }

    /// Visits every reachable box once.
    pub fn run(mut self) -> (Report, Search<C>) {
        let mut wrong = Vec::new();
        let ended = match self.search(&mut wrong) {
            Ok(()) => self.locals.check_steps().map_err(|hard| (hard, 0)),
            hard => hard,
        };
        wrong.extend(ended.err());
        let wrong = wrong.into_iter().map(|(wrong, at)| (wrong, self.trace(at))).collect();
        let mut shown = HashSet::<Product, Hash>::default();
        let mut states = 0;
        for found in &self.found {
            let mut classes = [0; RANKS];
            let own = found[..self.locals.setup.size()].iter().map(|&set| self.set(set));
            states += own.clone().map(|set| set.len() as u128).product::<u128>();
            let first = own.map(|set| self.locals.get(set[0]).class);
            classes.iter_mut().zip(first).for_each(|(class, first)| *class = first);
            shown.insert(classes);
        }
        let boxes = self.found.len();
        let is_exact = shown.len() == boxes;
        let report = Report { boxes, states, is_exact, locals: self.locals.all.len(), wrong };
        (report, self)
    }

    fn search(&mut self, wrong: &mut Vec<(Wrong, usize)>) -> Result<(), (Wrong, usize)> {
        let mut numbers: HashMap<Product, u32, Hash> = HashMap::default();
        let first = self.locals.first().map_err(|wrong| (wrong, 0))?;
        let first: Vec<u32> = first.into_iter().map(|state| self.intern(vec![state])).collect();
        let first = self.settle(&first).map_err(|wrong| (wrong, 0))?;
        numbers.insert(first, 0);
        self.found.push(first);
        self.came.push((0, 0));
        let mut at = 0;
        while at < self.found.len() {
            let found = self.found[at];
            let next = self.visit(&found).map_err(|wrong| (wrong, at))?;
            for new in next.wrong {
                let known = |(old, _): &(Wrong, usize)| {
                    std::mem::discriminant(old) == std::mem::discriminant(&new)
                };
                if !wrong.iter().any(known) {
                    wrong.push((new, at));
                }
            }
            for (rank, after) in next.boxes {
                let number = self.found.len() as u32;
                if *numbers.entry(after).or_insert(number) == number {
                    self.found.push(after);
                    self.came.push((at as u32, rank as u8));
                }
            }
            at += 1;
        }
        Ok(())
    }

    /// The box of what these sets have become when each rank has taken all that nobody notices.
    fn settle(&mut self, sets: &[u32]) -> Result<Product, Wrong> {
        let states = sets.iter().map(|&set| self.locals.get(self.set(set)[0]).sent);
        let sent = states.fold(0, |all, sent| all | sent);
        let mut settled = [0; RANKS];
        for (rank, &set) in sets.iter().enumerate() {
            settled[rank] = self.grow(set, self.locals.inbound(rank, sent))?.set;
        }
        Ok(settled)
    }

    fn visit(&mut self, found: &Product) -> Result<Visit, Wrong> {
        let size = self.locals.setup.size();
        let sets = &found[..size];
        let shown: Vec<u32> = sets.iter().map(|&set| self.set(set)[0]).collect();
        let progress: Vec<Progress> =
            shown.iter().map(|&state| self.locals.get(state).progress).collect();
        let sent = |locals: &Locals<C>, state| locals.get(state).sent;
        let network = shown.iter().fold(0, |all, &state| all | sent(&self.locals, state));
        let (mut boxes, mut wrong) = (Vec::new(), Vec::from_iter(early(&progress)));
        let mut may_all_stick = true;
        for rank in 0..size {
            let grown = self.grow(sets[rank], self.locals.inbound(rank, network))?;
            may_all_stick &= grown.may_stick;
            for (of, &epoch) in grown.heard.iter().enumerate() {
                if epoch > progress[of].entered {
                    wrong.push(Wrong::Imagined { rank, of, epoch });
                }
            }
            for &(_, set) in &grown.seen {
                let after = self.set(set)[0];
                let mut next = sets.to_vec();
                next[rank] = set;
                let next = if sent(&self.locals, after) | network == network {
                    let mut next = *found;
                    next[rank] = self.grow(set, self.locals.inbound(rank, network))?.set;
                    next
                } else {
                    self.settle(&next)?
                };
                boxes.push((rank, next));
            }
        }
        if progress.iter().all(|progress| progress.complete == self.locals.setup.epochs) {
            return Ok(Visit { boxes, wrong });
        }
        if may_all_stick {
            wrong.push(Wrong::Stuck(progress.clone()));
        }
        if !self.locals.setup.schedules.is_empty() && self.may_stay_lost(sets, &shown)? {
            wrong.push(Wrong::Unrepaired(progress));
        }
        Ok(Visit { boxes, wrong })
    }

    /// Whether in some state of the box no rank can go on if all that was sent is lost.
    fn may_stay_lost(&mut self, sets: &[u32], shown: &[u32]) -> Result<bool, Wrong> {
        if shown.iter().any(|&state| self.locals.get(state).may_enter) {
            return Ok(false);
        }
        for (rank, &set) in sets.iter().enumerate() {
            let answers = shown.iter().map(|&state| self.locals.get(state).answers[rank]);
            let answers: Vec<u32> = answers.collect();
            let mut key = [0; RANKS];
            key[0] = set;
            key[1..=answers.len()].copy_from_slice(&answers);
            let stays = match self.repaired.get(&key) {
                Some(&stays) => stays,
                None => {
                    let mut stays = false;
                    for &state in &*self.sets[set as usize].clone() {
                        let free = !self.locals.get(state).due.is_empty();
                        if !free && self.locals.repairs(state, &answers, Signals::MAX)?.is_empty() {
                            stays = true;
                            break;
                        }
                    }
                    self.repaired.insert(key, stays);
                    stays
                }
            };
            if !stays {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What could be seen on the way to a box.
    fn trace(&self, mut at: usize) -> Vec<String> {
        let mut trace = Vec::new();
        while at > 0 {
            let (before, rank) = (self.came[at].0 as usize, usize::from(self.came[at].1));
            let state = |at: usize| self.locals.get(self.set(self.found[at][rank])[0]);
            let (old, new) = (state(before), state(at));
            let Progress { entered, complete, .. } = new.progress;
            let signals = bits(new.sent & !old.sent).map(|bit| {
                let flying = self.locals.signals[usize::from(bit)];
                let Signal { step, epoch, .. } = flying.signal;
                format!(", signals {} step {step} epoch {epoch}", flying.to)
            });
            let signals: String = signals.collect();
            trace.push(format!("rank {rank}: entered {entered}, complete {complete}{signals}"));
            at = before;
        }
        trace.reverse();
        trace
    }
}

/// What a visit has found: the next boxes, each with who moved, and what is wrong here.
struct Visit {
    boxes: Vec<(Rank, Product)>,
    wrong: Vec<Wrong>,
}

/// A rank that has completed what another has not entered.
// SEMANTICS: BAR-1
pub fn early(progress: &[Progress]) -> Option<Wrong> {
    let all = progress.iter().enumerate();
    let (rank, most) = all.clone().max_by_key(|(_, progress)| progress.complete)?;
    let (without, least) = all.min_by_key(|(_, progress)| progress.entered)?;
    let epoch = most.complete;
    (epoch > least.entered).then_some(Wrong::Early { rank, epoch, without })
}
