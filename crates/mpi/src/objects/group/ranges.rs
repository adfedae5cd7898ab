//! Groups by ranges of ranks: first, last and stride (MPI 5.0, section 7.3.2, *Group Constructors*).
//! Rules: a range stands for first, first + stride and so on, up to last or before it; it cannot be empty.
//! Ranks are computed in 64 bits, and no range makes the call take more steps than the group has members.

use std::ffi::c_int;

use super::{Group, GroupError};

/// First rank, last rank and stride, as a C program lays them out.
pub type Range = [c_int; 3];

impl Group {
    /// The members whose ranks are in these ranges, in the order of the ranges (`MPI_Group_range_incl`).
    ///
    /// # Errors
    ///
    /// If a range cannot go on by its stride, this group has no such rank, or one is in two ranges.
    pub fn include_ranges(&self, ranges: &[Range]) -> Result<Group, GroupError> {
        let ranks = self.ranks_of(ranges)?;
        Ok(Group::new(ranks.into_iter().map(|rank| self.members()[rank]).collect()))
    }

    /// The members without those whose ranks are in these ranges (`MPI_Group_range_excl`).
    ///
    /// # Errors
    ///
    /// As [`Group::include_ranges`].
    pub fn exclude_ranges(&self, ranges: &[Range]) -> Result<Group, GroupError> {
        Ok(self.without(&self.ranks_of(ranges)?))
    }

    fn ranks_of(&self, ranges: &[Range]) -> Result<Vec<usize>, GroupError> {
        for range in ranges {
            // The first and the last that the range reaches; those between are in range with them.
            let (first, stride, steps) = steps(*range)?;
            self.checked(first)?;
            self.checked(first + steps * stride)?;
        }
        let ranks = ranges.iter().filter_map(|range| steps(*range).ok());
        self.checked_all(
            ranks.flat_map(|(first, stride, steps)| {
                (0..=steps).map(move |step| first + step * stride)
            }),
        )
    }
}

/// The first rank of a range, its stride, and how many strides it takes.
fn steps([first, last, stride]: Range) -> Result<(i64, i64, i64), GroupError> {
    let (wide_first, wide_stride) = (i64::from(first), i64::from(stride));
    let way = i64::from(last) - wide_first;
    if stride == 0 || (way != 0 && (way > 0) != (stride > 0)) {
        return Err(GroupError::Stride { first, last, stride });
    }
    Ok((wide_first, wide_stride, way / wide_stride))
}
