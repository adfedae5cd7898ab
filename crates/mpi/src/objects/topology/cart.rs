//! Cartesian grids: coordinates, shifts, and subgrids (MPI 5.0, section 8.5, *Cartesian Constructor* and on).
//! Rules: ranks are laid out in row-major order, the last coordinate changes fastest; a periodic dimension wraps,
//! and beyond another one lies `MPI_PROC_NULL`. Arithmetic is in 64 bits, so any displacement is sound.

use std::ffi::c_int;

use smallvec::SmallVec;

use super::neighbours::{Neighbour, Neighbours};
use super::{TopologyError, checked_rank};
use crate::abi::{MPI_PROC_NULL, MPI_UNDEFINED};

/// Coordinates; few grids have more than four dimensions.
pub type Coordinates = SmallVec<[c_int; 4]>;

/// A grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cart {
    dims: Coordinates,
    periods: SmallVec<[bool; 4]>,
    size: usize,
}

/// What one rank gets in `MPI_Cart_sub`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgrid {
    /// The grid of the new communicator.
    pub cart: Cart,
    /// Ranks of one color share a subgrid.
    pub color: c_int,
    /// The rank in the subgrid.
    pub rank: c_int,
}

impl Cart {
    /// A grid of these lengths, for a communicator of `ranks` ranks. Ranks beyond the grid have no place in it.
    ///
    /// # Errors
    ///
    /// If a length is not positive, or there are more places than ranks.
    ///
    /// # Panics
    ///
    /// If there are not as many periods as lengths.
    pub fn new(dims: &[c_int], periods: &[bool], ranks: usize) -> Result<Cart, TopologyError> {
        assert_eq!(dims.len(), periods.len(), "a period for each dimension");
        if let Some(dimension) = dims.iter().position(|length| *length < 1) {
            return Err(TopologyError::Length { dimension, length: dims[dimension] });
        }
        let nodes = dims.iter().fold(1_i64, |size, length| size.saturating_mul(i64::from(*length)));
        match usize::try_from(nodes) {
            Ok(size) if size <= ranks => {
                Ok(Cart { dims: dims.into(), periods: periods.into(), size })
            }
            _ => Err(TopologyError::TooLarge { nodes, ranks }),
        }
    }

    /// The lengths of the dimensions.
    pub fn dims(&self) -> &[c_int] {
        &self.dims
    }

    /// Which dimensions wrap.
    pub fn periods(&self) -> &[bool] {
        &self.periods
    }

    /// The number of places.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The rank that a process should have in this grid: its own, or `MPI_UNDEFINED` beyond it (`MPI_Cart_map`).
    pub fn map(&self, rank: usize) -> c_int {
        if rank < self.size { rank as c_int } else { MPI_UNDEFINED }
    }

    /// The coordinates of a rank (`MPI_Cart_coords`).
    ///
    /// # Errors
    ///
    /// If the grid has no such rank.
    pub fn coords(&self, rank: c_int) -> Result<Coordinates, TopologyError> {
        checked_rank(rank, self.size)?;
        Ok(self.coords_of(rank))
    }

    fn coords_of(&self, mut rank: c_int) -> Coordinates {
        let mut coords = Coordinates::from_elem(0, self.dims.len());
        for (coordinate, length) in coords.iter_mut().zip(&self.dims).rev() {
            *coordinate = rank % length;
            rank /= length;
        }
        coords
    }

    /// The rank at some coordinates (`MPI_Cart_rank`).
    ///
    /// # Errors
    ///
    /// If a coordinate is out of range, and its dimension does not wrap.
    ///
    /// # Panics
    ///
    /// If there are not as many coordinates as dimensions.
    pub fn rank(&self, coords: &[c_int]) -> Result<c_int, TopologyError> {
        assert_eq!(coords.len(), self.dims.len(), "a coordinate for each dimension");
        let mut rank = 0;
        for (dimension, &coordinate) in coords.iter().enumerate() {
            let length = self.dims[dimension];
            let place = self.place(dimension, i64::from(coordinate));
            let place = place.ok_or(TopologyError::Coordinate { dimension, coordinate, length })?;
            rank = rank * length + place;
        }
        Ok(rank)
    }

    /// Where a coordinate lies in its dimension, if it does.
    fn place(&self, dimension: usize, coordinate: i64) -> Option<c_int> {
        let length = i64::from(self.dims[dimension]);
        let wrapped = coordinate.rem_euclid(length);
        (self.periods[dimension] || wrapped == coordinate).then_some(wrapped as c_int)
    }

    /// The ranks that are `-displacement` and `displacement` places away from `rank` in one dimension, each
    /// `MPI_PROC_NULL` if the grid ends before: the source and the destination of `MPI_Cart_shift`.
    ///
    /// # Errors
    ///
    /// If the grid has no such rank or dimension.
    pub fn shift(
        &self,
        rank: c_int,
        direction: c_int,
        displacement: c_int,
    ) -> Result<(c_int, c_int), TopologyError> {
        let dimensions = self.dims.len();
        let dimension = usize::try_from(direction).ok().filter(|dimension| *dimension < dimensions);
        let dimension = dimension.ok_or(TopologyError::Direction { direction, dimensions })?;
        checked_rank(rank, self.size)?;
        let way = i64::from(displacement);
        Ok((self.away(rank, dimension, -way), self.away(rank, dimension, way)))
    }

    fn away(&self, rank: c_int, dimension: usize, way: i64) -> c_int {
        let stride: c_int = self.dims[dimension + 1..].iter().product();
        let here = rank / stride % self.dims[dimension];
        let there = self.place(dimension, i64::from(here) + way);
        there.map_or(MPI_PROC_NULL, |there| rank + (there - here) * stride)
    }

    /// The subgrid of `rank` that keeps the dimensions which `remain` (`MPI_Cart_sub`).
    ///
    /// # Errors
    ///
    /// If the grid has no such rank.
    ///
    /// # Panics
    ///
    /// If `remain` does not speak of each dimension.
    pub fn sub(&self, rank: c_int, remain: &[bool]) -> Result<Subgrid, TopologyError> {
        assert_eq!(remain.len(), self.dims.len(), "a word on each dimension");
        let mut sub = Subgrid {
            cart: Cart { dims: Coordinates::new(), periods: SmallVec::new(), size: 1 },
            color: 0,
            rank: 0,
        };
        for (dimension, coordinate) in self.coords(rank)?.into_iter().enumerate() {
            let length = self.dims[dimension];
            if remain[dimension] {
                sub.cart.dims.push(length);
                sub.cart.periods.push(self.periods[dimension]);
                sub.cart.size *= length as usize;
                sub.rank = sub.rank * length + coordinate;
            } else {
                sub.color = sub.color * length + coordinate;
            }
        }
        Ok(sub)
    }

    /// With whom `rank` exchanges data: in each dimension the one below, then the one above (MPI 5.0, section 8.6).
    ///
    /// # Errors
    ///
    /// If the grid has no such rank.
    pub fn neighbours(&self, rank: c_int) -> Result<Neighbours, TopologyError> {
        checked_rank(rank, self.size)?;
        let mut ranks = SmallVec::<[c_int; 8]>::new();
        for dimension in 0..self.dims.len() {
            ranks.push(self.away(rank, dimension, -1));
            ranks.push(self.away(rank, dimension, 1));
        }
        // What goes to the one below comes in there from above. In a periodic dimension of one or two places
        // both are the same rank, and only the lane tells the two messages apart.
        let ends = |from: c_int| {
            let lanes = (0..).map(move |block: c_int| block ^ from);
            ranks.iter().zip(lanes).map(|(rank, lane)| Neighbour { rank: *rank, lane }).collect()
        };
        Ok(Neighbours { sources: ends(1), destinations: ends(0) })
    }
}
