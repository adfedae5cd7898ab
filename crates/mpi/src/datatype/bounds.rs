//! Where a type map begins and ends: lower and upper bound, true bounds, alignment.
//!
//! MPI 5.0, section 5.1.6 *Lower-Bound and Upper-Bound Markers*: markers set by a resized, subarray or
//! distributed array type hide the data's own bounds; without markers the extent is rounded up.

use super::error::TypeError;

/// The bytes from `low` up to, and without, `high`. A marker's may have `high` below `low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    low: i64,
    high: i64,
}

impl Range {
    /// The least range that has both.
    fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The range that copies of it at displacements from `first` to `last` cover.
    fn spread(self, first: i64, last: i64) -> Result<Self, TypeError> {
        Ok(Self { low: add(self.low, first, "bound")?, high: add(self.high, last, "bound")? })
    }
}

/// The sum, if 64 bits hold it.
pub(super) fn add(a: i64, b: i64, what: &'static str) -> Result<i64, TypeError> {
    a.checked_add(b).ok_or(TypeError::TooLarge { what })
}

/// The product, if 64 bits hold it.
pub(super) fn multiply(a: i64, b: i64, what: &'static str) -> Result<i64, TypeError> {
    a.checked_mul(b).ok_or(TypeError::TooLarge { what })
}

/// The bounds of a type map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Of the basic elements, if there is one.
    data: Option<Range>,
    /// Of the markers, if there are any. Both kinds always come together.
    markers: Option<Range>,
    /// The largest alignment of any element.
    alignment: i64,
}

impl Bounds {
    /// Those of the empty type map.
    pub(super) const EMPTY: Self = Self { data: None, markers: None, alignment: 1 };

    /// Those of one basic element at displacement 0.
    pub(super) fn element(size: usize, alignment: usize) -> Self {
        let data = Some(Range { low: 0, high: size as i64 });
        Self { data, markers: None, alignment: alignment as i64 }
    }

    /// Takes in copies of `other` at displacements of which `first` is the least and `last` the
    /// greatest.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if 64 bits do not hold a bound.
    pub(super) fn include(&mut self, other: &Self, first: i64, last: i64) -> Result<(), TypeError> {
        for (mine, theirs) in [(&mut self.data, other.data), (&mut self.markers, other.markers)] {
            let Some(theirs) = theirs else { continue };
            let theirs = theirs.spread(first, last)?;
            *mine = Some(mine.map_or(theirs, |mine| mine.union(theirs)));
        }
        self.alignment = self.alignment.max(other.alignment);
        Ok(())
    }

    /// The same data with markers there and no others.
    pub(super) fn marked(self, lb: i64, ub: i64) -> Self {
        Self { markers: Some(Range { low: lb, high: ub }), ..self }
    }

    /// Lower bound and extent.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if 64 bits do not hold the extent.
    pub(super) fn extent(&self) -> Result<(i64, i64), TypeError> {
        let difference = |range: Range| {
            range.high.checked_sub(range.low).ok_or(TypeError::TooLarge { what: "extent" })
        };
        match (self.markers, self.data) {
            (Some(markers), _) => Ok((markers.low, difference(markers)?)),
            (None, Some(data)) => {
                let bytes = add(difference(data)?, self.alignment - 1, "extent")?;
                let extent = bytes - bytes.rem_euclid(self.alignment);
                add(data.low, extent, "bound")?;
                Ok((data.low, extent))
            }
            (None, None) => Ok((0, 0)),
        }
    }

    /// True lower bound and true extent: those of the data. An empty type map has 0 and 0.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if 64 bits do not hold the extent.
    pub(super) fn true_extent(&self) -> Result<(i64, i64), TypeError> {
        let Some(data) = self.data else { return Ok((0, 0)) };
        let extent = data.high.checked_sub(data.low);
        Ok((data.low, extent.ok_or(TypeError::TooLarge { what: "true extent" })?))
    }
}
