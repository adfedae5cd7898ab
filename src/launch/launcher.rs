//! What a process learns from a launcher that is not of this library: `srun`, `mpirun`, a script with `ssh`.

use std::ffi::OsString;

use super::environment::{InvalidValue, MEET, RANK, SIZE};
use crate::order::Rank;

/// Where a rank of how many is to meet the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MeetingPlace {
    pub(super) rank: Rank,
    pub(super) size: usize,
    /// A host and a port, where rank 0 is.
    pub(super) address: String,
}

/// What says the rank and how many there are, where the user does not: Open MPI, MPICH and others with a PMI, Slurm. In
/// this order, since within an allocation of Slurm's another may have started the process.
pub(super) const LAUNCHERS: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
];

/// Which rank this process is to be, if ranks are to meet. `value` gives the value of a variable.
///
/// # Errors
///
/// The name of the variable that cannot be used, and why.
pub(super) fn place(
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<MeetingPlace>, (&'static str, InvalidValue)> {
    let text = |name: &'static str| match value(name).filter(|value| !value.is_empty()) {
        None => Ok(None),
        Some(value) => value.into_string().map(Some).map_err(|it| (name, InvalidValue::NoText(it))),
    };
    let Some(address) = text(MEET.name)? else { return Ok(None) };
    let port = address.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    if port.and_then(|(_, port)| port.parse::<u16>().ok()).is_none_or(|port| port == 0) {
        return Err((MEET.name, InvalidValue::Meet(address)));
    }
    let number = |name: &'static str| -> Result<Option<usize>, (&'static str, InvalidValue)> {
        let number = |text: String| match text.trim().parse() {
            Ok(number) => Ok(number),
            Err(_) => Err((name, InvalidValue::Place(text))),
        };
        text(name)?.map(number).transpose()
    };
    let mut said = [(RANK.name, number(RANK.name)?), (SIZE.name, number(SIZE.name)?)];
    // One launcher says both: what two say does not fit.
    if said.iter().any(|(_, number)| number.is_none()) {
        for (rank, size) in LAUNCHERS {
            if let (rank_said @ Some(_), size_said @ Some(_)) = (number(rank)?, number(size)?) {
                let both = [(rank, rank_said), (size, size_said)];
                for (said, found) in said.iter_mut().zip(both) {
                    if said.1.is_none() {
                        *said = found;
                    }
                }
                break;
            }
        }
    }
    let [(rank_name, rank), (size_name, size)] = said;
    let size = size.ok_or((size_name, InvalidValue::NoPlace))?;
    let rank = rank.ok_or((rank_name, InvalidValue::NoPlace))?;
    if size == 0 {
        return Err((size_name, InvalidValue::Place(size.to_string())));
    }
    if rank >= size {
        return Err((rank_name, InvalidValue::Place(rank.to_string())));
    }
    Ok(Some(MeetingPlace { rank, size, address }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(
        variables: &[(&str, &str)],
    ) -> Result<Option<MeetingPlace>, (&'static str, InvalidValue)> {
        place(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn every_launcher_says_the_rank_in_its_own_way() {
        let at = |rank, size| Some(MeetingPlace { rank, size, address: "n1:7117".into() });
        let meet = ("RUNAHEAD_MEET", "n1:7117");
        let own = [meet, ("RUNAHEAD_RANK", "2"), ("RUNAHEAD_SIZE", "3")];
        assert_eq!(read(&own).unwrap(), at(2, 3));
        let slurm = [("SLURM_PROCID", "1"), ("SLURM_NTASKS", "8")];
        assert_eq!(read(&[meet, slurm[0], slurm[1]]).unwrap(), at(1, 8));
        // Within an allocation of Slurm's.
        let ompi = [("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "4")];
        assert_eq!(read(&[meet, slurm[0], slurm[1], ompi[0], ompi[1]]).unwrap(), at(3, 4));
        let pmi = [("PMI_RANK", "5"), ("PMI_SIZE", "6")];
        assert_eq!(read(&[meet, pmi[0], pmi[1], slurm[0], slurm[1]]).unwrap(), at(5, 6));
        // The user wins.
        assert_eq!(read(&[meet, pmi[0], pmi[1], ("RUNAHEAD_RANK", "0")]).unwrap(), at(0, 6));
        // Where nobody is to meet, nothing else counts.
        assert_eq!(read(&[slurm[0], slurm[1], ("RUNAHEAD_RANK", "no")]).unwrap(), None);
        assert_eq!(read(&[("RUNAHEAD_MEET", "")]).unwrap(), None);
    }

    #[test]
    fn what_cannot_be_is_named() {
        for address in ["n1", "n1:", ":7", "n1:0", "n1:70000", "n1:x"] {
            let error = read(&[("RUNAHEAD_MEET", address)]).unwrap_err();
            assert_eq!(error, ("RUNAHEAD_MEET", InvalidValue::Meet(address.into())));
        }
        let meet = ("RUNAHEAD_MEET", "n1:7117");
        assert_eq!(read(&[meet]).unwrap_err(), ("RUNAHEAD_SIZE", InvalidValue::NoPlace));
        let size = ("RUNAHEAD_SIZE", "3");
        assert_eq!(read(&[meet, size]).unwrap_err(), ("RUNAHEAD_RANK", InvalidValue::NoPlace));
        for rank in ["3", "-1", "one"] {
            let error = read(&[meet, size, ("RUNAHEAD_RANK", rank)]).unwrap_err();
            assert_eq!(error, ("RUNAHEAD_RANK", InvalidValue::Place(rank.into())));
        }
        let none = [meet, ("RUNAHEAD_SIZE", "0"), ("RUNAHEAD_RANK", "0")];
        assert_eq!(read(&none).unwrap_err().0, "RUNAHEAD_SIZE");
        let error = read(&[meet, ("SLURM_PROCID", "9"), ("SLURM_NTASKS", "9")]).unwrap_err();
        assert_eq!(error, ("SLURM_PROCID", InvalidValue::Place("9".into())));
    }
}
