//! Collectives that go over hosts, for the tests of `mixed`: calls of all kinds follow one another, and each rank compares
//! all that it gets with what it computes itself. An element says of which call it is, from whom and for whom, so one of
//! another call or for another rank shows. Keeps rules COL-1, COL-3, COL-5, COL-7 and COL-8 of SEMANTICS.md.

use std::fmt::Debug;
use std::ops::Range;

use runahead::{Comm, Exchange, Launch, Parts, Result, Tree, ops};

use super::parts::print;

/// The numbers of elements: of what travels at once; of 40 KiB, which goes from host to host; and of 1 MiB.
const COUNTS: [usize; 3] = [1, 5_000, 131_072];

/// The same of a part, in calls that give each rank a part of its own: four of the longest are 1 MiB.
const PARTS: [usize; 3] = [1, 5_000, 32_768];

/// Where lengths may differ, the part of every other rank has one element more.
const fn more(rank: usize) -> usize {
    rank % 2
}

/// Of functions `x -> a x + b`, the one after the other. It is associative and does not commute.
type Affine = [u64; 2];

fn after(first: Affine, second: Affine) -> Affine {
    let [a, b] = first;
    let [c, d] = second;
    [a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d)]
}

/// A call as one rank makes it.
struct Call<'w> {
    world: &'w Comm,
    name: &'static str,
    /// All calls of a job are counted.
    number: usize,
    rank: usize,
    size: usize,
    root: usize,
    count: usize,
    part: usize,
    /// Whether it writes into memory of the program, where there is such a form.
    into: bool,
}

type Make = fn(&Call) -> Result<()>;

const CALLS: [(&str, Make); 14] = [
    ("scatter", scatter),
    ("broadcast", broadcast),
    ("gather", gather),
    ("reduce", reduce),
    ("gather of several lengths", gather_v),
    ("all_reduce", all_reduce),
    ("all_gather", all_gather),
    ("scan", scan),
    ("scatter of several lengths", scatter_v),
    ("reduce_scatter", reduce_scatter),
    ("all_to_all", all_to_all),
    ("reduce_scatter in order", reduce_scatter_in_order),
    ("exchanges", exchanges),
    ("posted calls", posted),
];

impl Call<'_> {
    /// What `from` gives `to`, or rank 0 where all get the same.
    fn element(&self, from: usize, to: usize, at: usize) -> u64 {
        ((self.number << 32) | (from << 28) | (to << 24) | at) as u64
    }

    fn given(&self, from: usize, to: usize, count: usize) -> Vec<u64> {
        (0..count).map(|at| self.element(from, to, at)).collect()
    }

    /// A part of as many elements for each.
    fn for_all(&self, from: usize) -> Vec<u64> {
        (0..self.size).flat_map(|to| self.given(from, to, self.part)).collect()
    }

    fn of_all(&self, to: usize) -> Vec<u64> {
        (0..self.size).flat_map(|from| self.given(from, to, self.part)).collect()
    }

    /// What all give together, for `to`.
    fn sums(&self, to: usize, count: usize) -> Vec<u64> {
        let sum = |at| (0..self.size).map(|from| self.element(from, to, at)).sum();
        (0..count).map(sum).collect()
    }

    fn affine(&self, from: usize, to: usize, at: usize) -> Affine {
        let element = self.element(from, to, at);
        [element | 1, element]
    }

    /// What the ranks `from` give one after the other, for `to`.
    fn folded(&self, from: Range<usize>, to: usize, count: usize) -> Vec<Affine> {
        let fold = |at| from.clone().map(|from| self.affine(from, to, at)).reduce(after);
        (0..count).map(|at| fold(at).expect("a rank")).collect()
    }

    fn is_root(&self) -> bool {
        self.rank == self.root
    }

    /// At the root, `given`.
    fn at_root<T>(&self, given: impl FnOnce() -> Vec<T>) -> Vec<T> {
        if self.is_root() { given() } else { Vec::new() }
    }

    /// Compares all elements.
    fn check<T: PartialEq + Debug>(&self, got: &[T], right: &[T]) {
        let Call { name, number, root, rank, .. } = self;
        let whose = format!("{name} (call {number}, root {root}) at rank {rank}");
        assert_eq!(got.len(), right.len(), "{whose}: the length");
        if let Some(at) = (0..got.len()).find(|&at| got[at] != right[at]) {
            let (got, right) = (&got[at], &right[at]);
            panic!("{whose}: element {at} is {got:x?}, and {right:x?} is right");
        }
    }

    fn check_parts(&self, got: &Parts<u64>, right: impl Fn(usize) -> Vec<u64>) {
        assert_eq!(got.len(), self.size, "{}", self.name);
        (0..self.size).for_each(|from| self.check(&got[from], &right(from)));
    }
}

fn scatter(call: &Call) -> Result<()> {
    let (given, right) =
        (call.at_root(|| call.for_all(call.root)), call.given(call.root, call.rank, call.part));
    let mut got = vec![0; call.part];
    match call.into {
        true => call.world.scatter_into(call.root, &given, &mut got)?,
        false => {
            let parts: Vec<&[u64]> = given.chunks(call.part).collect();
            got = call.world.scatter(call.root, &parts)?;
        }
    }
    call.check(&got, &right);
    Ok(())
}

fn scatter_v(call: &Call) -> Result<()> {
    let part = |to: usize| call.given(call.root, to, call.part - 1 + more(to));
    let given = call.at_root(|| (0..call.size).map(part).collect());
    let given: Vec<&[u64]> = given.iter().map(Vec::as_slice).collect();
    call.check(&call.world.scatter(call.root, &given)?, &part(call.rank));
    Ok(())
}

fn gather(call: &Call) -> Result<()> {
    let own = call.given(call.rank, 0, call.part);
    let right =
        call.at_root(|| (0..call.size).flat_map(|from| call.given(from, 0, call.part)).collect());
    let mut got = vec![0; right.len()];
    match call.into {
        true => call.world.gather_into(call.root, &own, &mut got)?,
        false => {
            let parts = call.world.gather(call.root, &own)?;
            got = parts.map_or(Vec::new(), Parts::into_data);
        }
    }
    call.check(&got, &right);
    Ok(())
}

fn gather_v(call: &Call) -> Result<()> {
    let part = |from: usize| call.given(from, 0, call.part - 1 + more(from));
    let got = call.world.gather(call.root, &part(call.rank))?;
    assert_eq!(got.is_some(), call.is_root());
    got.iter().for_each(|parts| call.check_parts(parts, part));
    call.check_parts(&call.world.all_gather(&part(call.rank))?, part);
    Ok(())
}

fn all_gather(call: &Call) -> Result<()> {
    let own = call.given(call.rank, 0, call.part);
    let right: Vec<u64> = (0..call.size).flat_map(|from| call.given(from, 0, call.part)).collect();
    let mut got = vec![0; right.len()];
    match call.into {
        true => call.world.all_gather_into(&own, &mut got)?,
        false => got = call.world.all_gather(&own)?.into_data(),
    }
    call.check(&got, &right);
    Ok(())
}

fn broadcast(call: &Call) -> Result<()> {
    let right = call.given(call.root, 0, call.count);
    let mut data = if call.is_root() { right.clone() } else { vec![0; call.count] };
    call.world.broadcast(call.root, &mut data)?;
    call.check(&data, &right);
    Ok(())
}

fn reduce(call: &Call) -> Result<()> {
    let own = call.given(call.rank, 0, call.count);
    let right = call.at_root(|| call.sums(0, call.count));
    let mut got = vec![0; right.len()];
    match call.into {
        true => call.world.reduce_into(call.root, &own, &mut got, ops::sum)?,
        false => got = call.world.reduce(call.root, &own, ops::sum)?.unwrap_or_default(),
    }
    call.check(&got, &right);
    Ok(())
}

fn all_reduce(call: &Call) -> Result<()> {
    let mut own = call.given(call.rank, 0, call.count);
    let right = call.sums(0, call.count);
    let mut got = vec![0; call.count];
    match call.into {
        true => call.world.all_reduce_into(&own, &mut got, ops::sum)?,
        false => got = call.world.all_reduce(&own, ops::sum)?,
    }
    call.check(&got, &right);
    call.world.all_reduce_in_place(&mut own, ops::sum)?;
    call.check(&own, &right);
    Ok(())
}

/// Both kinds of it.
fn scan(call: &Call) -> Result<()> {
    let count = call.count.div_ceil(2);
    let own = call.folded(call.rank..call.rank + 1, 0, count);
    let untouched = vec![[0, 0]; count];
    let mut got = untouched.clone();
    match call.into {
        true => call.world.scan_into(&own, &mut got, after)?,
        false => got = call.world.scan(&own, after)?,
    }
    call.check(&got, &call.folded(0..call.rank + 1, 0, count));
    got = untouched.clone();
    match call.into {
        true => call.world.exclusive_scan_into(&own, &mut got, after)?,
        false => got = call.world.exclusive_scan(&own, after)?.unwrap_or(got),
    }
    let right = if call.rank == 0 { untouched } else { call.folded(0..call.rank, 0, count) };
    call.check(&got, &right);
    Ok(())
}

/// With an operator that may be applied in the order of hosts.
fn reduce_scatter(call: &Call) -> Result<()> {
    let (own, right) = (call.for_all(call.rank), call.sums(call.rank, call.part));
    let mut got = vec![0; call.part];
    match call.into {
        true => call.world.reduce_scatter_into(&own, &mut got, ops::sum)?,
        false => got = call.world.reduce_scatter(&own, ops::sum)?,
    }
    call.check(&got, &right);
    Ok(())
}

/// With one that is applied in the order of ranks, and blocks of several lengths.
fn reduce_scatter_in_order(call: &Call) -> Result<()> {
    let length = |to: usize| call.part / 2 + more(to);
    let for_rank = |to: usize| call.folded(call.rank..call.rank + 1, to, length(to));
    let own: Vec<Affine> = (0..call.size).flat_map(for_rank).collect();
    let lengths: Vec<usize> = (0..call.size).map(length).collect();
    let got = call.world.reduce_scatter_v(&own, &lengths, after)?;
    call.check(&got, &call.folded(0..call.size, call.rank, length(call.rank)));
    Ok(())
}

fn all_to_all(call: &Call) -> Result<()> {
    let (own, right) = (call.for_all(call.rank), call.of_all(call.rank));
    let mut got = vec![0; own.len()];
    match call.into {
        true => call.world.all_to_all_into(&own, &mut got)?,
        false => got = call.world.all_to_all(&own)?,
    }
    call.check(&got, &right);
    Ok(())
}

/// All that take parts of any lengths.
fn exchanges(call: &Call) -> Result<()> {
    let part = |from: usize, to: usize| call.given(from, to, call.part - 1 + more(from + to));
    let right = |from: usize| part(from, call.rank);
    let own: Vec<Vec<u64>> = (0..call.size).map(|to| part(call.rank, to)).collect();
    let own: Vec<&[u64]> = own.iter().map(Vec::as_slice).collect();
    let lengths: Vec<usize> = (0..call.size).map(|from| right(from).len()).collect();
    call.check_parts(&call.world.all_to_all_v(&own, &lengths)?, right);
    call.check_parts(&call.world.exchange_parts(&own)?, right);
    let mut got = vec![Vec::new(); call.size];
    call.world.exchange(&own, Exchange::FirstArrived, |from, piece: &[u64]| {
        got[from].extend_from_slice(piece)
    })?;
    (0..call.size).for_each(|from| call.check(&got[from], &right(from)));
    Ok(())
}

/// All are under way together, and complete in the reverse order.
fn posted(call: &Call) -> Result<()> {
    let &Call { world, rank, root, count, part, .. } = call;
    let right = call.given(root, 0, count);
    let mut told = if call.is_root() { right.clone() } else { vec![0; count] };
    let (own, for_all) = (call.given(rank, 0, part), call.for_all(rank));
    let given = call.at_root(|| call.for_all(root));
    let parts: Vec<&[u64]> = given.chunks(part).collect();

    let broadcast = world.ibroadcast(root, &mut told)?;
    let scattered = world.iscatter(root, &parts)?;
    let gathered = world.igather(root, &own)?;
    let all_gathered = world.iall_gather(&own)?;
    let summed = world.iall_reduce(&own, ops::sum)?;
    let share = world.ireduce_scatter(&for_all, ops::sum)?;
    let transposed = world.iall_to_all(&for_all)?;

    call.check(&transposed.wait()?, &call.of_all(rank));
    call.check(&share.wait()?, &call.sums(rank, part));
    call.check(&summed.wait()?, &call.sums(0, part));
    let of = |from: usize| call.given(from, 0, part);
    call.check_parts(&all_gathered.wait()?, of);
    let gathered = gathered.wait()?;
    assert_eq!(gathered.is_some(), call.is_root());
    gathered.iter().for_each(|parts| call.check_parts(parts, of));
    call.check(&scattered.wait()?, &call.given(root, rank, part));
    broadcast.wait()?;
    call.check(&told, &right);
    Ok(())
}

/// Makes all calls in each of these rounds. Between rounds there are barriers that nobody waits for. From round to round a
/// call gets other amounts, another root and another form: of all these each with each in 36 rounds.
fn play(world: &Comm, rounds: Range<usize>) -> Result<()> {
    let (rank, size) = (world.rank(), world.size());
    for round in rounds {
        for at in 0..CALLS.len() {
            // In the next round each comes after another one.
            let nth = (at * if round % 2 == 0 { 1 } else { 3 } + round) % CALLS.len();
            let (name, make) = CALLS[nth];
            let (amount, form) = ((nth + round) % 3, (round + round / 3) % 3);
            make(&Call {
                world,
                name,
                number: round * CALLS.len() + at + 1,
                rank,
                size,
                root: (nth + round) % size,
                count: COUNTS[amount],
                part: PARTS[amount],
                // All in one form, all in the other, or some in each.
                into: [false, true, rank % 2 == 0][form],
            })?;
        }
        world.barrier()?;
    }
    Ok(())
}

/// Ranks on hosts of these names play these rounds, with a tree that they set.
pub fn all_kinds(hosts: &str, tree: Tree, rounds: Range<usize>) -> Result<()> {
    let names: Vec<&str> = hosts.split(',').collect();
    Launch::new(names.len()).run(|world| {
        for (one, other) in (0..names.len()).flat_map(|one| (0..one).map(move |other| (one, other)))
        {
            let together = world.hosts().host(one) == world.hosts().host(other);
            assert_eq!(together, names[one] == names[other], "ranks {one} and {other}");
        }
        world.set_tree(tree);
        play(world, rounds.clone())?;
        if world.rank() == 0 {
            print(format_args!("{} rounds", rounds.len()));
        }
        Ok(())
    })
}
