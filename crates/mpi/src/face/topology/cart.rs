//! Cartesian grids by MPI's names.
//! Source: MPI 5.0, sections *Cartesian Constructor* to *Cartesian Shift Coordinates*.
//! Rules: arrays of the caller's are as long as the grid has dimensions; where the call says their length, it is
//! looked at before anything is written.

use super::{dimensions, tell};
use crate::abi::*;
use crate::face::border::{In, Out};
use crate::face::communicator::Communicator;
use crate::face::export::export;
use crate::face::fault::Fault;
use crate::face::library::Library;
use crate::objects::topology::{Cart, Topology, cart, checked_room};
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::Arc;

impl Library {
    /// A communicator that has a grid, and the grid.
    fn grid(&self, comm: MPI_Comm) -> Result<(Rc<Communicator>, Arc<Cart>), Fault> {
        let comm = self.comm(comm)?;
        let grid = Arc::clone(cart(comm.topology.get())?);
        Ok((comm, grid))
    }

    /// The grid that a call describes.
    fn described_grid(
        &self,
        comm: &Communicator,
        ndims: c_int,
        (dims, periods): (In<c_int>, In<c_int>),
    ) -> Result<Cart, Fault> {
        let count = dimensions(ndims)?;
        let periods: Vec<bool> =
            periods.slice("periods", count)?.iter().map(|wraps| *wraps != 0).collect();
        Ok(Cart::new(dims.slice("dims", count)?, &periods, comm.size as usize)?)
    }
}

export! {
    /// Makes a communicator with a grid.
    fn MPI_Cart_create(library; comm_old: MPI_Comm, ndims: c_int, dims: In<c_int>, periods: In<c_int>, _reorder: c_int, comm_cart: Out<MPI_Comm>) on comm_old {
        let comm = library.comm_called("comm_old", comm_old)?;
        let grid = library.described_grid(&comm, ndims, (dims, periods))?;
        let size = grid.size();
        let made = library.create_with_topology(&comm, size, Topology::Cart(Arc::new(grid)))?;
        comm_cart.set("comm_cart", made)
    }

    /// The rank that this one should have in a grid.
    fn MPI_Cart_map(library; comm: MPI_Comm, ndims: c_int, dims: In<c_int>, periods: In<c_int>, newrank: Out<c_int>) on comm {
        let comm = library.comm(comm)?;
        let grid = library.described_grid(&comm, ndims, (dims, periods))?;
        newrank.set("newrank", grid.map(comm.rank as usize))
    }

    /// The number of dimensions.
    fn MPI_Cartdim_get(library; comm: MPI_Comm, ndims: Out<c_int>) on comm {
        let (_, grid) = library.grid(comm)?;
        ndims.set("ndims", grid.dims().len() as c_int)
    }

    /// The grid, and this rank's coordinates.
    fn MPI_Cart_get(library; comm: MPI_Comm, maxdims: c_int, dims: Out<c_int>, periods: Out<c_int>, coords: Out<c_int>) on comm {
        let (comm, grid) = library.grid(comm)?;
        checked_room("maxdims", maxdims, grid.dims().len())?;
        tell("dims", dims, grid.dims().iter().copied())?;
        tell("periods", periods, grid.periods().iter().map(|wraps| c_int::from(*wraps)))?;
        tell("coords", coords, grid.coords(comm.rank)?)
    }

    /// The rank at some coordinates.
    fn MPI_Cart_rank(library; comm: MPI_Comm, coords: In<c_int>, rank: Out<c_int>) on comm {
        let (_, grid) = library.grid(comm)?;
        rank.set("rank", grid.rank(coords.slice("coords", grid.dims().len())?)?)
    }

    /// The coordinates of a rank.
    fn MPI_Cart_coords(library; comm: MPI_Comm, rank: c_int, maxdims: c_int, coords: Out<c_int>) on comm {
        let (_, grid) = library.grid(comm)?;
        checked_room("maxdims", maxdims, grid.dims().len())?;
        tell("coords", coords, grid.coords(rank)?)
    }

    /// The ranks some places away in one dimension.
    fn MPI_Cart_shift(library; comm: MPI_Comm, direction: c_int, disp: c_int, rank_source: Out<c_int>, rank_dest: Out<c_int>) on comm {
        let (comm, grid) = library.grid(comm)?;
        let (source, dest) = grid.shift(comm.rank, direction, disp)?;
        rank_source.set("rank_source", source)?;
        rank_dest.set("rank_dest", dest)
    }

    /// Splits a grid into those that keep some of its dimensions.
    fn MPI_Cart_sub(library; comm: MPI_Comm, remain_dims: In<c_int>, newcomm: Out<MPI_Comm>) on comm {
        let (comm, grid) = library.grid(comm)?;
        let remain = remain_dims.slice("remain_dims", grid.dims().len())?;
        let remain: Vec<bool> = remain.iter().map(|remains| *remains != 0).collect();
        let sub = grid.sub(comm.rank, &remain)?;
        let made = library.split(&comm, Some(sub.color as u32), sub.rank.into())?;
        library.give_topology(made, Topology::Cart(Arc::new(sub.cart)))?;
        newcomm.set("newcomm", made)
    }
}
