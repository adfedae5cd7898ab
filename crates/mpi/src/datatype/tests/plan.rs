//! Random nested datatypes: a plan, which the constructors and the reference both carry out.
//!
//! Numbers are small and often odd: empty blocks, negative strides and extents, overlaps.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::model::Model;
use crate::abi::{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG};
use crate::abi::{MPI_DISTRIBUTE_NONE, MPI_ORDER_C, MPI_ORDER_FORTRAN};
use crate::datatype::{Basic, Count, Datatype, Predefined, TypeError};

/// What datatype to make.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    Predefined(usize),
    Contiguous(i32, Box<Self>),
    Vector(i32, i32, i32, Box<Self>),
    Hvector(i32, i32, isize, Box<Self>),
    Indexed(Vec<(i32, i32)>, Box<Self>),
    Hindexed(Vec<(i32, isize)>, Box<Self>),
    IndexedBlock(i32, Vec<i32>, Box<Self>),
    HindexedBlock(i32, Vec<isize>, Box<Self>),
    Struct(Vec<(i32, isize, Self)>),
    Resized(isize, isize, Box<Self>),
    Dup(Box<Self>),
    /// Size, subsize and start of each dimension; whether the order is Fortran's.
    Subarray(Vec<(i32, i32, i32)>, bool, Box<Self>),
    /// Size, distribution, argument and processes of each dimension; a number that chooses the rank.
    Darray(Vec<(i32, i32, i32, i32)>, i32, bool, Box<Self>),
}

const HANDLES: [usize; 11] =
    [0x209, 0x214, 0x243, 0x208, 0x216, 0x220, 0x247, 0x228, 0x229, 0x22c, 0x22d];

/// Any plan of at most four levels.
pub(super) fn plans() -> impl Strategy<Value = Plan> {
    let leaf = prop::sample::select(&HANDLES[..]).prop_map(Plan::Predefined);
    leaf.prop_recursive(4, 12, 3, |inner| {
        let inner = inner.prop_map(Box::new);
        let old = || inner.clone();
        let (counts, steps, bytes) = (|| 0..4_i32, || -4..6_i32, || -20..40_isize);
        prop_oneof![
            (counts(), old()).prop_map(|(count, old)| Plan::Contiguous(count, old)),
            (counts(), counts(), steps(), old())
                .prop_map(|(n, b, s, old)| Plan::Vector(n, b, s, old)),
            (counts(), counts(), bytes(), old())
                .prop_map(|(n, b, s, old)| Plan::Hvector(n, b, s, old)),
            (vec((counts(), steps()), 0..5), old())
                .prop_map(|(list, old)| Plan::Indexed(list, old)),
            (vec((counts(), bytes()), 0..5), old())
                .prop_map(|(list, old)| Plan::Hindexed(list, old)),
            (counts(), vec(steps(), 0..5), old())
                .prop_map(|(b, list, old)| Plan::IndexedBlock(b, list, old)),
            (counts(), vec(bytes(), 0..5), old())
                .prop_map(|(b, list, old)| Plan::HindexedBlock(b, list, old)),
            vec((counts(), bytes(), old()), 0..4).prop_map(|list| {
                Plan::Struct(list.into_iter().map(|(b, d, old)| (b, d, *old)).collect())
            }),
            (-16..16_isize, -24..40_isize, old()).prop_map(|(l, e, old)| Plan::Resized(l, e, old)),
            old().prop_map(Plan::Dup),
            (vec((1..4_i32, 0..3_i32, 0..3_i32), 1..4), any::<bool>(), old()).prop_map(
                |(dimensions, fortran, old)| {
                    let fit = |(subsize, more, start): (i32, i32, i32)| {
                        (subsize + more.max(start), subsize, start)
                    };
                    Plan::Subarray(dimensions.into_iter().map(fit).collect(), fortran, old)
                }
            ),
            (vec((1..6_i32, 0..5_i32, 1..4_i32), 1..4), 0..64_i32, any::<bool>(), old()).prop_map(
                |(dimensions, rank, fortran, old)| {
                    Plan::Darray(
                        dimensions.into_iter().map(dimension).collect(),
                        rank,
                        fortran,
                        old,
                    )
                }
            ),
        ]
    })
}

/// Arguments of one dimension that are allowed together.
fn dimension((size, kind, processes): (i32, i32, i32)) -> (i32, i32, i32, i32) {
    match kind {
        0 => (size, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG, 1),
        1 => (size, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, processes),
        2 => (size, MPI_DISTRIBUTE_BLOCK, (size - 1) / processes + 2, processes),
        3 => (size, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, processes),
        _ => (size, MPI_DISTRIBUTE_CYCLIC, 2, processes),
    }
}

const fn order(fortran: bool) -> i32 {
    if fortran { MPI_ORDER_FORTRAN } else { MPI_ORDER_C }
}

/// A list as two.
fn split<A: Copy, B: Copy>(list: &[(A, B)]) -> (Vec<A>, Vec<B>) {
    list.iter().copied().unzip()
}

impl Plan {
    /// How many elements the type map has at most, before anything is expanded.
    pub(super) fn weight(&self) -> u64 {
        let times = |n: i32, old: &Self| u64::from(n.unsigned_abs()) * old.weight();
        match self {
            Self::Predefined(_) => 2,
            Self::Contiguous(n, old) => times(*n, old),
            Self::Vector(n, b, _, old) => times(n * b, old),
            Self::Hvector(n, b, _, old) => times(n * b, old),
            Self::Indexed(list, old) => times(list.iter().map(|(b, _)| b).sum(), old),
            Self::Hindexed(list, old) => times(list.iter().map(|(b, _)| b).sum(), old),
            Self::IndexedBlock(b, list, old) => times(b * list.len() as i32, old),
            Self::HindexedBlock(b, list, old) => times(b * list.len() as i32, old),
            Self::Struct(list) => list.iter().map(|(b, _, old)| times(*b, old)).sum(),
            Self::Resized(_, _, old) | Self::Dup(old) => old.weight(),
            Self::Subarray(list, _, old) => times(list.iter().map(|(_, s, _)| s).product(), old),
            Self::Darray(list, _, _, old) => times(list.iter().map(|(g, ..)| g).product(), old),
        }
    }

    /// The datatype, made by the constructors with counts as `int`.
    pub(super) fn build(&self, predefined: &Predefined) -> Result<Arc<Datatype>, TypeError> {
        let built = |old: &Self| old.build(predefined);
        match self {
            Self::Predefined(handle) => Ok(predefined.find(*handle).expect("a datatype").clone()),
            Self::Contiguous(n, old) => Datatype::contiguous(*n, &built(old)?),
            Self::Vector(n, b, s, old) => Datatype::vector(*n, *b, *s, &built(old)?),
            Self::Hvector(n, b, s, old) => Datatype::hvector(*n, *b, *s, &built(old)?),
            Self::Indexed(list, old) => {
                let (lengths, displacements) = split(list);
                Datatype::indexed(&lengths, &displacements, &built(old)?)
            }
            Self::Hindexed(list, old) => {
                let (lengths, displacements) = split(list);
                Datatype::hindexed(&lengths, &displacements, &built(old)?)
            }
            Self::IndexedBlock(b, list, old) => Datatype::indexed_block(*b, list, &built(old)?),
            Self::HindexedBlock(b, list, old) => Datatype::hindexed_block(*b, list, &built(old)?),
            Self::Struct(list) => {
                let lengths: Vec<_> = list.iter().map(|(b, ..)| *b).collect();
                let displacements: Vec<_> = list.iter().map(|(_, d, _)| *d).collect();
                let datatypes: Result<Vec<_>, _> =
                    list.iter().map(|(.., old)| built(old)).collect();
                Datatype::structure(&lengths, &displacements, &datatypes?)
            }
            Self::Resized(lb, extent, old) => Datatype::resized::<i32>(*lb, *extent, &built(old)?),
            Self::Dup(old) => Ok(Datatype::duplicate(&built(old)?)),
            Self::Subarray(list, fortran, old) => {
                let [sizes, subsizes, starts] = [
                    |d: &(i32, i32, i32)| d.0,
                    |d: &(i32, i32, i32)| d.1,
                    |d: &(i32, i32, i32)| d.2,
                ]
                .map(|of| list.iter().map(of).collect::<Vec<_>>());
                Datatype::subarray(&sizes, &subsizes, &starts, order(*fortran), &built(old)?)
            }
            Self::Darray(list, rank, fortran, old) => {
                // Large counts, for a change.
                let sizes: Vec<_> = list.iter().map(|dimension| dimension.0.value()).collect();
                let kinds: Vec<_> = list.iter().map(|dimension| dimension.1).collect();
                let arguments: Vec<_> = list.iter().map(|dimension| dimension.2).collect();
                let grid: Vec<_> = list.iter().map(|dimension| dimension.3).collect();
                let size = grid.iter().product();
                let (rank, order) = (rank % size, order(*fortran));
                Datatype::darray(size, rank, &sizes, &kinds, &arguments, &grid, order, &built(old)?)
            }
        }
    }

    /// The type map, as the standard defines it.
    pub(super) fn expand(&self) -> Model {
        let mut model = Model::default();
        match self {
            Self::Predefined(handle) => return predefined_model(*handle),
            Self::Contiguous(n, old) => model.append(0, i64::from(*n), &old.expand()),
            Self::Vector(n, b, s, old) => {
                let old = old.expand();
                for block in 0..i64::from(*n) {
                    let at = block * i64::from(*s) * old.extent();
                    model.append(at, i64::from(*b), &old);
                }
            }
            Self::Hvector(n, b, s, old) => {
                for block in 0..i64::from(*n) {
                    model.append(block * *s as i64, i64::from(*b), &old.expand());
                }
            }
            Self::Indexed(list, old) => {
                let old = old.expand();
                for (b, d) in list {
                    model.append(i64::from(*d) * old.extent(), i64::from(*b), &old);
                }
            }
            Self::Hindexed(list, old) => {
                for (b, d) in list {
                    model.append(*d as i64, i64::from(*b), &old.expand());
                }
            }
            Self::IndexedBlock(b, list, old) => {
                let old = old.expand();
                for d in list {
                    model.append(i64::from(*d) * old.extent(), i64::from(*b), &old);
                }
            }
            Self::HindexedBlock(b, list, old) => {
                for d in list {
                    model.append(*d as i64, i64::from(*b), &old.expand());
                }
            }
            Self::Struct(list) => {
                for (b, d, old) in list {
                    model.append(*d as i64, i64::from(*b), &old.expand());
                }
            }
            Self::Resized(lb, extent, old) => {
                return old.expand().resized(*lb as i64, *extent as i64);
            }
            Self::Dup(old) => return old.expand(),
            Self::Subarray(list, fortran, old) => {
                let sizes: Vec<_> = list.iter().map(|dimension| dimension.0).collect();
                return array(&sizes, *fortran, &old.expand(), |indices| {
                    let inside = |(index, (_, subsize, start)): (&i32, &(i32, i32, i32))| {
                        (*start..start + subsize).contains(index)
                    };
                    indices.iter().zip(list).all(inside)
                });
            }
            Self::Darray(list, rank, fortran, old) => {
                let sizes: Vec<_> = list.iter().map(|dimension| dimension.0).collect();
                let processes: i32 = list.iter().map(|dimension| dimension.3).product();
                return array(&sizes, *fortran, &old.expand(), |indices| {
                    // The owner's rank in row-major order.
                    let owner = indices.iter().zip(list).fold(0, |owner, (index, of)| {
                        owner * of.3 + owner_in_dimension(*index, *of)
                    });
                    owner == rank % processes
                });
            }
        }
        model
    }
}

/// Which process of a dimension has an element.
fn owner_in_dimension(index: i32, dimension: (i32, i32, i32, i32)) -> i32 {
    let (size, kind, argument, processes) = dimension;
    match (kind, argument) {
        (MPI_DISTRIBUTE_NONE, _) => 0,
        (MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG) => {
            index / (size as f64 / f64::from(processes)).ceil() as i32
        }
        (MPI_DISTRIBUTE_BLOCK, block) => index / block,
        (_, MPI_DISTRIBUTE_DFLT_DARG) => index % processes,
        (_, block) => index / block % processes,
    }
}

/// The elements of an array that are chosen by their indices, in the order of memory.
fn array(sizes: &[i32], fortran: bool, old: &Model, chosen: impl Fn(&[i32]) -> bool) -> Model {
    let all: i32 = sizes.iter().product();
    let mut model = Model::default();
    for place in 0..all {
        let mut rest = place;
        let mut indices = vec![0; sizes.len()];
        let dimensions: Vec<_> = match fortran {
            true => (0..sizes.len()).collect(),
            false => (0..sizes.len()).rev().collect(),
        };
        for dimension in dimensions {
            indices[dimension] = rest % sizes[dimension];
            rest /= sizes[dimension];
        }
        if chosen(&indices) {
            model.append(i64::from(place) * old.extent(), 1, old);
        }
    }
    model.resized(0, i64::from(all) * old.extent())
}

/// The type map of a basic datatype or of a pair.
fn predefined_model(handle: usize) -> Model {
    let pair = |value: usize, displacement: i64| {
        let mut model = Model::element(Basic::known(value));
        model.append(displacement, 1, &Model::element(Basic::known(0x209)));
        model
    };
    match handle {
        0x228 => pair(0x210, 4),
        0x229 => pair(0x214, 8),
        0x22c => pair(0x208, 4),
        0x22d => pair(0x220, 16),
        _ => Model::element(Basic::known(handle)),
    }
}
