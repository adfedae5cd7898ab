//! The smallest program that one gets to by leaving out, and that fails still.

use super::program::*;

impl Program {
    /// Programs that lack something of this one: a rank, a group, a stretch of the line; big ones first.
    pub fn smaller(&self) -> impl Iterator<Item = Program> + '_ {
        let without_rank = (0..self.size()).rev().map(|rank| self.without_rank(rank));
        let without_group = (1..self.groups.len()).rev().map(|group| self.without_group(group));
        let most = self.line.len();
        let lengths = std::iter::successors(Some(most / 2), |length| Some(length / 2));
        let lengths = lengths.take_while(|&length| length > 0);
        let without_stretch = lengths.flat_map(move |length| {
            (0..most).step_by(length).map(move |from| {
                let mut line = self.line.clone();
                line.drain(from..(from + length).min(most));
                Program { line, ..self.clone() }
            })
        });
        let smaller = without_rank.chain(without_group).chain(without_stretch);
        let weight = |program: &Program| (program.size(), program.groups.len(), program.line.len());
        smaller
            .filter(|program| program.size() > 0)
            .map(|program| program.repaired())
            .filter(move |program| weight(program) < weight(self))
    }

    /// Without one rank: those above it are one less.
    fn without_rank(&self, gone: usize) -> Program {
        let is_other = |rank: usize| rank != gone;
        let new = |rank: usize| rank - usize::from(rank > gone);
        let mut program = self.clone();
        for group in &mut program.groups {
            group.members =
                group.members.iter().copied().filter(|&m| is_other(m)).map(new).collect();
        }
        let line = self.line.iter().copied().filter_map(|mut op| {
            match &mut op {
                Send { rank, to, .. } if is_other(*rank) && is_other(*to) => {
                    (*rank, *to) = (new(*rank), new(*to));
                }
                Recv { rank, from, .. }
                | Post { rank, from, .. }
                | Poll { rank, from, .. }
                | Probe { rank, from, .. }
                    if is_other(*rank) && from.is_none_or(is_other) =>
                {
                    (*rank, *from) = (new(*rank), from.map(new));
                }
                Complete { rank, .. } | Pause { rank, .. } | Wait { rank } if is_other(*rank) => {
                    *rank = new(*rank)
                }
                Multicast { root, .. } if is_other(*root) => *root = new(*root),
                Barrier { .. } | AllReduce { .. } | Scan { .. } | Exchange { .. } => {}
                _ => return None,
            }
            let is_empty = op.group().is_some_and(|group| program.groups[group].members.is_empty());
            (!is_empty).then_some(op)
        });
        program.line = line.collect();
        // A group without members is none.
        let empty =
            (1..program.groups.len()).rev().filter(|&g| program.groups[g].members.is_empty());
        let empty: Vec<usize> = empty.collect();
        empty.into_iter().fold(program, |program, group| program.without_group(group))
    }

    fn without_group(&self, gone: usize) -> Program {
        let mut program = self.clone();
        program.groups.remove(gone);
        program.line.retain(|op| op.group() != Some(gone));
        for op in &mut program.line {
            match op {
                Send { group, .. }
                | Recv { group, .. }
                | Post { group, .. }
                | Poll { group, .. }
                | Probe { group, .. }
                | Barrier { group, .. }
                | Multicast { group, .. }
                | AllReduce { group, .. }
                | Scan { group, .. }
                | Exchange { group, .. } => {
                    *group -= usize::from(*group > gone);
                }
                Complete { .. } | Pause { .. } | Wait { .. } => {}
            }
        }
        program
    }
}

/// Leaves out what can be left out while `fails` says so still, for as long as `may_go_on`.
pub fn shrink(
    mut program: Program,
    fails: impl Fn(&Program) -> bool,
    may_go_on: impl Fn() -> bool,
) -> Program {
    while let Some(smaller) = {
        let mut smaller = program.smaller().take_while(|_| may_go_on());
        smaller.find(&fails)
    } {
        program = smaller;
    }
    program
}
