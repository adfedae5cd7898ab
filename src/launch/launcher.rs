//! The variables by which other launchers (`srun`, `mpirun`, a script with `ssh`) tell a process
//! its rank.

use std::ffi::OsString;

use super::environment::{MEET, RANK, SIZE};
use crate::options::{InvalidOption, OptionInfo};
use crate::order::Rank;

/// A rank of so many, and where it is to meet the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MeetingPlace {
    pub(super) rank: Rank,
    pub(super) size: usize,
    /// A host and a port, where rank 0 is.
    pub(super) address: String,
}

/// The variables of the rank and the size, where the user does not say them: those of Open MPI, of
/// MPICH and others with a PMI, and of Slurm. In this order, since within an allocation of Slurm's
/// another launcher may have started the process.
pub(super) const LAUNCHERS: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS"),
];

/// The rank of this process and the place to meet the others, if ranks are to meet. `value` gives
/// the value of a variable.
///
/// # Errors
///
/// The variable that cannot be used.
pub(super) fn place(
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<MeetingPlace>, InvalidOption> {
    let Some(address) = MEET.said(&value)? else { return Ok(None) };
    let port = address.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    if port.and_then(|(_, port)| port.parse::<u16>().ok()).is_none_or(|port| port == 0) {
        return Err(MEET.invalid(address));
    }
    let number = |option: &OptionInfo| {
        let number = option.said(&value)?.map(|text| match text.trim().parse() {
            Ok(number) => Ok(number),
            Err(_) => Err(option.invalid(text)),
        });
        number.transpose()
    };
    let mut said: [(OptionInfo, Option<usize>); 2] =
        [(RANK, number(&RANK)?), (SIZE, number(&SIZE)?)];
    // One launcher says both: what two say does not fit.
    if said.iter().any(|(_, number)| number.is_none()) {
        for (rank, size) in LAUNCHERS {
            let rank = OptionInfo { variable: rank, ..RANK };
            let size = OptionInfo { variable: size, ..SIZE };
            if let (rank_said @ Some(_), size_said @ Some(_)) = (number(&rank)?, number(&size)?) {
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
    let [(rank_option, rank), (size_option, size)] = said;
    let missing = |option: OptionInfo| InvalidOption {
        option: option.variable,
        value: None,
        why: "expected it, or what Slurm (SLURM_PROCID, SLURM_NTASKS), Open MPI or a PMI sets"
            .to_owned(),
    };
    let size = size.ok_or_else(|| missing(size_option))?;
    let rank = rank.ok_or_else(|| missing(rank_option))?;
    if size == 0 {
        return Err(size_option.invalid(size.to_string()));
    }
    if rank >= size {
        return Err(rank_option.refused(rank.to_string(), format!("expected 0 to {}", size - 1)));
    }
    Ok(Some(MeetingPlace { rank, size, address }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Option<MeetingPlace>, InvalidOption> {
        place(|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_rank_is_read_from_the_variables_of_each_launcher() {
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
    fn an_invalid_variable_is_named() {
        let wrong = |variables: &[(&str, &str)]| {
            let InvalidOption { option, value, why } = read(variables).unwrap_err();
            (option, value.unwrap_or_default(), why)
        };
        for address in ["n1", "n1:", ":7", "n1:0", "n1:70000", "n1:x"] {
            let (option, value, why) = wrong(&[("RUNAHEAD_MEET", address)]);
            assert_eq!((option, &*value), ("RUNAHEAD_MEET", address));
            assert_eq!(why, "expected the host and the port of rank 0, as in node1:7117");
        }
        let meet = ("RUNAHEAD_MEET", "n1:7117");
        let missing = read(&[meet]).unwrap_err();
        assert_eq!((missing.option, &missing.value), ("RUNAHEAD_SIZE", &None));
        assert!(
            missing.to_string().starts_with("RUNAHEAD_SIZE is not set: expected it, or what Slurm")
        );
        let size = ("RUNAHEAD_SIZE", "3");
        assert_eq!(read(&[meet, size]).unwrap_err().option, "RUNAHEAD_RANK");
        for (rank, expected) in [
            ("3", "expected 0 to 2"),
            ("-1", "expected a whole number below the number of ranks"),
            ("one", "expected a whole number below the number of ranks"),
        ] {
            let found = wrong(&[meet, size, ("RUNAHEAD_RANK", rank)]);
            assert_eq!(found, ("RUNAHEAD_RANK", rank.to_owned(), expected.to_owned()));
        }
        for none in ["0", "two"] {
            let found = wrong(&[meet, ("RUNAHEAD_SIZE", none), ("RUNAHEAD_RANK", "0")]);
            let expected =
                ("RUNAHEAD_SIZE", none.to_owned(), "expected a whole number from 1".into());
            assert_eq!(found, expected);
        }
        let (option, value, _) = wrong(&[meet, ("SLURM_PROCID", "9"), ("SLURM_NTASKS", "9")]);
        assert_eq!((option, &*value), ("SLURM_PROCID", "9"));
    }
}
