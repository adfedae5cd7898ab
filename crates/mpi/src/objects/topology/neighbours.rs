//! With whom a rank exchanges data in neighbourhood collectives, and which message of a pair is which.
//! Rules: the n-th block that a rank gets belongs to its n-th source; messages of one pair and one lane match in
//! order; in a grid, what goes down a dimension comes in from above (MPI 5.0, section 8.6).

use std::ffi::c_int;

/// One end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its rank, or `MPI_PROC_NULL` at the border of a grid: no message, and the block stays as it is.
    pub rank: c_int,
    /// What tells messages of one pair of ranks apart, equal at both ends. Those of one lane match in order.
    pub lane: c_int,
}

/// With whom a rank exchanges data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// From whom it receives, one for each block of its receive buffer.
    pub sources: Box<[Neighbour]>,
    /// To whom it sends, one for each block of its send buffer.
    pub destinations: Box<[Neighbour]>,
}

impl Neighbours {
    /// How many lanes there are: the same number at all ranks.
    pub fn lanes(&self) -> u32 {
        let ends = self.sources.iter().chain(&self.destinations);
        ends.map(|end| end.lane as u32 + 1).max().unwrap_or(1)
    }

    /// Those of a graph: several edges of one pair match in the order in which both ranks list them.
    pub(super) fn in_order(sources: &[c_int], destinations: &[c_int]) -> Neighbours {
        let ends =
            |ranks: &[c_int]| ranks.iter().map(|rank| Neighbour { rank: *rank, lane: 0 }).collect();
        Neighbours { sources: ends(sources), destinations: ends(destinations) }
    }
}
