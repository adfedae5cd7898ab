//! Datatypes for parts of arrays: a subarray, and a process's share of a distributed array.
//!
//! MPI 5.0, sections 5.1.3 and 5.1.4. Both are made dimension by dimension, the fastest one first;
//! each dimension is marked with the extent of the whole array, so that the next one counts in it.

use std::sync::Arc;

use super::{Composer, Contents, Count, Layout, multiply, same_length};
use crate::abi;
use crate::datatype::bounds::add;
use crate::datatype::{Datatype, TypeError};

/// The dimensions, the fastest one first.
fn dimensions(order: i32, ndims: usize) -> Result<Vec<usize>, TypeError> {
    match order {
        abi::MPI_ORDER_FORTRAN => Ok((0..ndims).collect()),
        abi::MPI_ORDER_C => Ok((0..ndims).rev().collect()),
        _ => Err(TypeError::Argument {
            argument: "order",
            value: i64::from(order),
            expected: "MPI_ORDER_C or MPI_ORDER_FORTRAN",
        }),
    }
}

/// An argument that is at least 1.
fn positive(argument: &'static str, value: i64) -> Result<i64, TypeError> {
    if value > 0 {
        return Ok(value);
    }
    Err(TypeError::Argument { argument, value, expected: "one or more" })
}

/// How many dimensions there are, at least one.
fn some_dimensions(ndims: usize) -> Result<i32, TypeError> {
    positive("ndims", ndims as i64)?;
    i32::try_from(ndims).map_err(|_| TypeError::TooLarge { what: "number of dimensions" })
}

/// How one dimension of an array is distributed over processes.
#[derive(Clone, Copy, Debug)]
struct Distribution {
    /// The elements in this dimension.
    elements: i64,
    /// The elements that go to a process at once.
    block: i64,
    /// The processes in this dimension.
    processes: i64,
    /// This process among them.
    coordinate: i64,
}

impl Distribution {
    /// Checks the arguments of one dimension.
    fn new(
        elements: i64,
        distribution: i32,
        argument: i32,
        processes: i32,
        coordinate: i64,
    ) -> Result<Self, TypeError> {
        let elements = positive("array_of_gsizes", elements)?;
        let processes = positive("array_of_psizes", i64::from(processes))?;
        let default = argument == abi::MPI_DISTRIBUTE_DFLT_DARG;
        let given = i64::from(argument);
        let block = match distribution {
            abi::MPI_DISTRIBUTE_NONE if processes == 1 => elements,
            abi::MPI_DISTRIBUTE_NONE => {
                let expected = "1 in a dimension that is not distributed";
                let argument = "array_of_psizes";
                return Err(TypeError::Argument { argument, value: processes, expected });
            }
            abi::MPI_DISTRIBUTE_BLOCK if default => (elements - 1) / processes + 1,
            abi::MPI_DISTRIBUTE_BLOCK => {
                let block = positive("array_of_dargs", given)?;
                if block.saturating_mul(processes) < elements {
                    let expected = "blocks that hold the dimension";
                    let argument = "array_of_dargs";
                    return Err(TypeError::Argument { argument, value: block, expected });
                }
                block
            }
            abi::MPI_DISTRIBUTE_CYCLIC if default => 1,
            abi::MPI_DISTRIBUTE_CYCLIC => positive("array_of_dargs", given)?,
            _ => {
                let expected = "MPI_DISTRIBUTE_NONE, _BLOCK or _CYCLIC";
                let (argument, value) = ("array_of_distribs", i64::from(distribution));
                return Err(TypeError::Argument { argument, value, expected });
            }
        };
        Ok(Self { elements, block, processes, coordinate })
    }

    /// This process's share of the dimension, of elements that are `old`.
    fn share(self, old: &Layout) -> Result<Layout, TypeError> {
        let Self { elements, block, processes, coordinate } = self;
        let mut composer = Composer::default();
        // Element numbers are below `elements`, but the next round of all processes may be beyond.
        let first = coordinate.saturating_mul(block);
        let round = block.saturating_mul(processes);
        if first < elements {
            let rounds = (elements - 1 - first) / round + 1;
            let last = first + (rounds - 1) * round;
            let rest = (elements - last).min(block);
            let whole = if rest == block { rounds } else { rounds - 1 };
            let at = |element: i64| multiply(element, old.extent, "displacement");
            if whole > 0 {
                let stride = if whole > 1 { at(round)? } else { 0 };
                composer.add_blocks(at(first)?, whole as usize, stride, block as usize, old)?;
            }
            if rest < block {
                composer.add(at(last)?, rest as usize, old)?;
            }
        }
        composer.finish()?.resized(0, multiply(elements, old.extent, "extent")?)
    }
}

/// The coordinates of a process in a grid, in row-major order (section 8.1).
fn coordinates(rank: i32, psizes: &[i32]) -> Vec<i64> {
    let mut rest = i64::from(rank);
    let mut coordinates: Vec<_> = psizes
        .iter()
        .rev()
        .map(|size| {
            let coordinate = rest % i64::from(*size);
            rest /= i64::from(*size);
            coordinate
        })
        .collect();
    coordinates.reverse();
    coordinates
}

impl Datatype {
    /// `MPI_Type_create_subarray`: a box out of an array of `ndims` dimensions.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    pub fn subarray<C: Count>(
        sizes: &[C],
        subsizes: &[C],
        starts: &[C],
        order: i32,
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        let ndims = some_dimensions(sizes.len())?;
        same_length("array_of_subsizes", subsizes.len(), sizes.len())?;
        same_length("array_of_starts", starts.len(), sizes.len())?;
        let mut layout = old.layout.clone();
        for dimension in dimensions(order, sizes.len())? {
            let size = positive("array_of_sizes", sizes[dimension].value())?;
            let subsize = positive("array_of_subsizes", subsizes[dimension].value())?;
            let start = starts[dimension].value();
            if subsize > size {
                let (argument, expected) = ("array_of_subsizes", "at most the size");
                return Err(TypeError::Argument { argument, value: subsize, expected });
            }
            if !(0..=size - subsize).contains(&start) {
                let (argument, expected) = ("array_of_starts", "a subarray within the array");
                return Err(TypeError::Argument { argument, value: start, expected });
            }
            let displacement = multiply(start, layout.extent, "displacement")?;
            let extent = multiply(size, layout.extent, "extent")?;
            layout = Layout::block(displacement, subsize as usize, &layout)?.resized(0, extent)?;
        }
        let contents = Contents::new(abi::MPI_COMBINER_SUBARRAY, std::slice::from_ref(old));
        let contents = contents.integers(&[ndims]);
        let contents = contents.counts(sizes).counts(subsizes).counts(starts).integers(&[order]);
        Ok(Self::derived(layout, contents))
    }

    /// `MPI_Type_create_darray`: the share of process `rank` of an array that is distributed over a
    /// grid of `size` processes.
    ///
    /// # Errors
    ///
    /// [`TypeError`] if an argument is not allowed or the type map is too large.
    #[expect(clippy::too_many_arguments, reason = "those of the standard's function")]
    pub fn darray<C: Count>(
        size: i32,
        rank: i32,
        gsizes: &[C],
        distribs: &[i32],
        dargs: &[i32],
        psizes: &[i32],
        order: i32,
        old: &Arc<Self>,
    ) -> Result<Arc<Self>, TypeError> {
        let ndims = some_dimensions(gsizes.len())?;
        same_length("array_of_distribs", distribs.len(), gsizes.len())?;
        same_length("array_of_dargs", dargs.len(), gsizes.len())?;
        same_length("array_of_psizes", psizes.len(), gsizes.len())?;
        positive("size", i64::from(size))?;
        if !(0..size).contains(&rank) {
            let (argument, value) = ("rank", i64::from(rank));
            return Err(TypeError::Argument { argument, value, expected: "a rank below size" });
        }
        let mut processes = 1_i64;
        for psize in psizes {
            let psize = positive("array_of_psizes", i64::from(*psize))?;
            processes = multiply(processes, psize, "number of processes")?;
        }
        if processes != i64::from(size) {
            let (argument, expected) = ("size", "the product of array_of_psizes");
            return Err(TypeError::Argument { argument, value: i64::from(size), expected });
        }
        let coordinates = coordinates(rank, psizes);
        let mut layout = old.layout.clone();
        for i in dimensions(order, gsizes.len())? {
            let (elements, coordinate) = (gsizes[i].value(), coordinates[i]);
            let distribution =
                Distribution::new(elements, distribs[i], dargs[i], psizes[i], coordinate)?;
            layout = distribution.share(&layout)?;
        }
        add(layout.lb, layout.extent, "bound")?;
        let contents = Contents::new(abi::MPI_COMBINER_DARRAY, std::slice::from_ref(old));
        let contents = contents.integers(&[size, rank, ndims]).counts(gsizes);
        let contents = contents.integers(distribs).integers(dargs).integers(psizes);
        Ok(Self::derived(layout, contents.integers(&[order])))
    }
}
