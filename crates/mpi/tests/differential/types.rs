//! Datatypes as lists of elements, after the definitions of the standard (MPI 5.0, section 5.1), and random ones.
//! Rules: no line of what is tested is used here.

use super::memory::{Run, digest, disjoint};
use super::program::Program;

/// The sizes of the predefined datatypes, in the player's order.
pub const SIZES: [usize; 15] = [1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1, 8, 8, 8];

/// Those that derived datatypes are made of: without pairs, truth values and complex numbers.
pub const PLAIN: usize = 11;

/// The most elements of a random datatype.
const MOST_ELEMENTS: usize = 200;

/// A datatype: its elements with their displacements, in order, and its bounds.
#[derive(Clone, Debug)]
pub struct Type {
    pub map: Vec<(i64, usize)>,
    pub lb: i64,
    pub ub: i64,
}

impl Type {
    pub fn basic(index: usize) -> Self {
        Self { map: vec![(0, index)], lb: 0, ub: SIZES[index] as i64 }
    }

    pub fn extent(&self) -> i64 {
        self.ub - self.lb
    }

    pub fn size(&self) -> usize {
        self.map.iter().map(|(_, basic)| SIZES[*basic]).sum()
    }

    fn true_bounds(&self) -> (i64, i64) {
        let low = self.map.iter().map(|(at, _)| *at).min().unwrap_or(0);
        let high = self.map.iter().map(|(at, basic)| at + SIZES[*basic] as i64).max();
        (low, high.unwrap_or(0))
    }

    /// The element that all of it consists of.
    pub fn uniform(&self) -> Option<usize> {
        let first = self.map.first()?.1;
        self.map.iter().all(|(_, basic)| *basic == first).then_some(first)
    }

    /// Blocks of copies, each at a displacement in bytes.
    fn blocks(&self, blocks: &[(i64, i64)]) -> Self {
        let mut made = Self { map: Vec::new(), lb: i64::MAX, ub: i64::MIN };
        for (displacement, length) in blocks {
            for copy in 0..*length {
                let at = displacement + copy * self.extent();
                made.map.extend(self.map.iter().map(|(place, basic)| (place + at, *basic)));
                made.lb = made.lb.min(at + self.lb);
                made.ub = made.ub.max(at + self.ub);
            }
        }
        made
    }

    /// The bytes of so many elements, in the order of the packed data.
    pub fn runs(&self, count: usize) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for copy in 0..count as i64 {
            for (at, basic) in &self.map {
                let (at, length) = (copy * self.extent() + at, SIZES[*basic]);
                match runs.last_mut() {
                    Some(last) if last.at + last.length as i64 == at => last.length += length,
                    _ => runs.push(Run { at, length }),
                }
            }
        }
        runs
    }

    /// The least and the greatest displacement of so many elements, and of their bounds.
    pub fn span(&self, count: usize) -> (i64, i64) {
        if count == 0 {
            return (0, 0);
        }
        let last = (count as i64 - 1) * self.extent();
        let (low, high) = self.true_bounds();
        (low.min(self.lb).min(last + low), high.max(last + high).max(last + self.ub))
    }

    /// Whether no byte belongs to two elements: only such memory may be received into.
    pub fn disjoint(&self, count: usize) -> bool {
        disjoint(self.runs(count))
    }
}

/// A list as the text has it.
pub fn list<T: ToString>(values: &[T]) -> String {
    let mut text = values.len().to_string();
    for value in values {
        text += " ";
        text += &value.to_string();
    }
    text
}

/// The indices that a process has of one dimension (MPI 5.0, section 5.1.4).
fn owned(way: usize, block: i64, size: i64, processes: i64, process: i64) -> Vec<i64> {
    let block = match (way, block) {
        (0, _) => size,
        (1, 0) => (size + processes - 1) / processes,
        (_, 0) => 1,
        (_, block) => block,
    };
    (0..size).filter(|index| (index / block) % processes == process).collect()
}

/// The elements of an array, of which each dimension keeps some indices.
fn part_of_array(old: &Type, sizes: &[i64], kept: &[Vec<i64>], fortran: bool) -> Type {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    if fortran {
        order.reverse();
    }
    // From the slowest dimension to the fastest.
    let mut starts = vec![0_i64];
    for dimension in order {
        starts = starts
            .iter()
            .flat_map(|start| {
                kept[dimension].iter().map(move |index| start * sizes[dimension] + index)
            })
            .collect();
    }
    let blocks: Vec<_> = starts.iter().map(|start| (start * old.extent(), 1)).collect();
    let mut made = old.blocks(&blocks);
    (made.lb, made.ub) = (0, sizes.iter().product::<i64>() * old.extent());
    made
}

impl Program {
    /// Adds a random datatype, which is one step, or two where bounds are not what all libraries say.
    pub fn step_type(&mut self) {
        let index = self.one_of_types();
        let old = self.types[index].clone();
        let form = self.rng.usize(0..11);
        let (small, extent) = (self.rng.i64(1..5), old.extent());
        let (text, made, shown) = match form {
            0 => (format!("contiguous {small} {index}"), old.blocks(&[(0, small)]), true),
            1 | 2 => {
                let (length, unit) = (self.rng.i64(1..4), if form == 1 { extent } else { 1 });
                let stride = self.rng.i64(-6..7) * if form == 1 { 1 } else { extent.max(1) }
                    + if form == 1 { 0 } else { self.rng.i64(0..3) };
                let blocks: Vec<_> =
                    (0..small).map(|block| (block * stride * unit, length)).collect();
                let name = if form == 1 { "vector" } else { "hvector" };
                (
                    format!("{name} {small} {length} {stride} {index}"),
                    old.blocks(&blocks),
                    form == 1,
                )
            }
            3 | 4 => {
                let least = i64::from(form == 3);
                let lengths: Vec<_> = (0..small).map(|_| self.rng.i64(least..4)).collect();
                let (places, unit) = self.places(small, extent, form == 3);
                let blocks: Vec<_> = places
                    .iter()
                    .zip(&lengths)
                    .map(|(place, length)| (place * unit, *length))
                    .collect();
                let name = if form == 3 { "indexed" } else { "hindexed" };
                let text = format!("{name} {} {} {index}", list(&lengths), list(&places));
                (text, old.blocks(&blocks), form == 3)
            }
            5 | 6 => {
                let length = self.rng.i64(1..4);
                let (places, unit) = self.places(small, extent, form == 5);
                let blocks: Vec<_> = places.iter().map(|place| (place * unit, length)).collect();
                let name = if form == 5 { "indexed_block" } else { "hindexed_block" };
                (
                    format!("{name} {length} {} {index}", list(&places)),
                    old.blocks(&blocks),
                    form == 5,
                )
            }
            7 => {
                let members: Vec<_> = (0..small).map(|_| self.one_of_types()).collect();
                let lengths: Vec<_> = (0..small).map(|_| self.rng.i64(0..3)).collect();
                let mut made = Type { map: Vec::new(), lb: 0, ub: 0 };
                let (mut places, mut end) = (Vec::new(), 0);
                for (member, length) in members.iter().zip(&lengths) {
                    let member = &self.types[*member];
                    let (low, high) = member.span(*length as usize);
                    places.push(end - low);
                    made.map.extend(member.blocks(&[(end - low, *length)]).map);
                    end += high - low + self.rng.i64(0..6);
                }
                (
                    format!("struct {} {} {}", list(&lengths), list(&places), list(&members)),
                    made,
                    false,
                )
            }
            8 => {
                let n = self.rng.usize(1..4);
                let sizes: Vec<_> = (0..n).map(|_| self.rng.i64(1..5)).collect();
                let parts: Vec<_> = sizes.iter().map(|size| self.rng.i64(1..=*size)).collect();
                let starts: Vec<_> = sizes
                    .iter()
                    .zip(&parts)
                    .map(|(size, part)| self.rng.i64(0..=size - part))
                    .collect();
                let kept: Vec<_> =
                    starts.iter().zip(&parts).map(|(at, n)| (*at..at + n).collect()).collect();
                let fortran = self.rng.bool();
                let made = part_of_array(&old, &sizes, &kept, fortran);
                let lists = [list(&sizes), list(&parts), list(&starts)].join(" ");
                (format!("subarray {lists} {} {index}", usize::from(fortran)), made, true)
            }
            9 => self.array_of_processes(index, &old),
            _ => {
                let (lb, extent) = (self.rng.i64(-8..9), old.extent() + self.rng.i64(0..12));
                let made = Type { map: old.map.clone(), lb, ub: lb + extent };
                (format!("resized {lb} {extent} {index}"), made, true)
            }
        };
        // A datatype without data, or of a span that memory is not spent on, is left out.
        if made.map.is_empty() || made.map.len() > MOST_ELEMENTS {
            return;
        }
        let (low, high) = made.span(1);
        if high - low > 4_000 {
            return;
        }
        let shown = shown && form != 7;
        self.add_type(&text, made.clone(), shown);
        if !shown {
            let (low, high) = made.true_bounds();
            let bounds = (low - self.rng.i64(0..5), high + self.rng.i64(0..5));
            let made = Type { map: made.map, lb: bounds.0, ub: bounds.1 };
            let last = self.types.len() - 1;
            self.add_type(&format!("resized {} {} {last}", made.lb, made.extent()), made, true);
        }
    }

    /// Displacements for blocks: in units of the extent, or in bytes.
    fn places(&mut self, n: i64, extent: i64, in_extents: bool) -> (Vec<i64>, i64) {
        let mut at = 0;
        let mut places: Vec<_> = (0..n)
            .map(|_| {
                let place = at;
                at += 3 + self.rng.i64(0..3);
                if in_extents { place } else { place * extent + self.rng.i64(0..2) }
            })
            .collect();
        self.rng.shuffle(&mut places);
        if self.rng.bool() {
            places.iter_mut().for_each(|place| *place -= 4 * if in_extents { 1 } else { extent });
        }
        (places, if in_extents { extent } else { 1 })
    }

    fn array_of_processes(&mut self, index: usize, old: &Type) -> (String, Type, bool) {
        let n = self.rng.usize(1..4);
        let sizes: Vec<_> = (0..n).map(|_| self.rng.i64(2..6)).collect();
        let ways: Vec<_> = (0..n).map(|_| self.rng.usize(0..3)).collect();
        let grid: Vec<_> =
            ways.iter().map(|way| if *way == 0 { 1 } else { self.rng.i64(1..3) }).collect();
        let blocks: Vec<_> = (0..n)
            .map(|at| match ways[at] {
                _ if self.rng.bool() => 0,
                0 => 0,
                1 => (sizes[at] + grid[at] - 1) / grid[at] + self.rng.i64(0..2),
                _ => self.rng.i64(1..3),
            })
            .collect();
        let all: i64 = grid.iter().product();
        let rank = self.rng.i64(0..all);
        // The grid of processes is in row-major order, whatever the order of the array.
        let (mut left, mut coordinates) = (rank, vec![0; n]);
        for dimension in (0..n).rev() {
            coordinates[dimension] = left % grid[dimension];
            left /= grid[dimension];
        }
        let kept: Vec<_> = (0..n)
            .map(|at| owned(ways[at], blocks[at], sizes[at], grid[at], coordinates[at]))
            .collect();
        let fortran = self.rng.bool();
        let made = part_of_array(old, &sizes, &kept, fortran);
        let lists = [list(&sizes), list(&ways), list(&blocks), list(&grid)].join(" ");
        (format!("darray {all} {rank} {lists} {} {index}", usize::from(fortran)), made, true)
    }

    fn add_type(&mut self, form: &str, made: Type, shown: bool) {
        let large = self.rng.bool();
        let again = !large && self.rng.bool();
        let flags = [large, again, shown].map(|flag| u8::from(flag).to_string()).join(" ");
        self.begin(&format!("type {flags} {form}"));
        let size = made.size();
        let line = if shown {
            let (low, high) = made.true_bounds();
            let (lb, extent) = (made.lb, made.extent());
            format!("type size {size} lb {lb} extent {extent} true {low} {}", high - low)
        } else {
            format!("type size {size}")
        };
        self.say_all(&line);
        if shown {
            self.usable.push(self.types.len());
        }
        self.types.push(made);
    }

    /// Packs and unpacks, as in one process or as external32.
    pub fn step_pack(&mut self) {
        let index = self.one_of_types();
        let made = self.types[index].clone();
        let parts: Vec<_> = (0..self.rng.usize(1..4)).map(|_| self.rng.usize(0..3)).collect();
        let count = parts.iter().sum();
        if !made.disjoint(count) {
            return;
        }
        let (from, into) = (self.memory(&made, count), self.memory(&made, count));
        let external = self.rng.bool();
        self.begin(&format!(
            "pack {index} {count} {} {} {} {}",
            from.text(),
            list(&parts),
            u8::from(external),
            into.text()
        ));
        let runs = made.runs(count);
        for rank in 0..self.ranks {
            let data = from.gather(&from.filled(rank, 0), &runs);
            let mut packed = data.clone();
            if external {
                let mut at = 0;
                for (_, basic) in (0..count).flat_map(|_| &made.map) {
                    packed[at..at + SIZES[*basic]].reverse();
                    at += SIZES[*basic];
                }
            }
            let mut after = into.filled(rank, 0);
            into.scatter(&mut after, &runs, &data);
            self.say(rank, &format!("packed {} {}", packed.len(), digest(&packed)));
            self.say(rank, &format!("unpacked {} {}", packed.len(), digest(&after)));
        }
    }
}
