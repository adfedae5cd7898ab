//! Errors of an MPI: it is not installed, does not build the programs, fails, or prints something
//! that is not a sample.

use thiserror::Error;

/// Each names the library, program or contestant.
#[derive(Debug, Error)]
pub(crate) enum PeersError {
    #[error("{library} is not installed: {tool} is not in the PATH. {how}")]
    Missing { library: &'static str, tool: String, how: String },
    #[error(
        "{contestant} has no MPICH: {why}. Set {variable} to a folder with {files} of MPICH 5, as `.ci/mpich` \
         makes one"
    )]
    NoFolder { contestant: &'static str, variable: &'static str, files: String, why: String },
    #[error(
        "no MPI is installed: neither {first} nor {second} is in the PATH. On Debian and Ubuntu: \
         `apt install {first_packages}` for Open MPI, or `apt install {second_packages}` for MPICH"
    )]
    NoMpi {
        first: &'static str,
        second: &'static str,
        first_packages: &'static str,
        second_packages: &'static str,
    },
    #[error("{library} cannot build {program}: {told}")]
    Build { library: &'static str, program: &'static str, told: String },
    #[error("{contestant}, {cell}: failed ({status}): {told}")]
    Failed { contestant: String, cell: String, status: String, told: String },
    #[error("{contestant}, {cell}: invalid sample: {why}: {line:?}")]
    Malformed { contestant: String, cell: String, why: String, line: String },
    #[error("{contestant}, {cell}: {why}")]
    Wrong { contestant: String, cell: String, why: String },
    #[error("nothing is left to measure: {0}")]
    Nothing(String),
}

impl From<PeersError> for runahead::Error {
    fn from(error: PeersError) -> runahead::Error {
        runahead::Error::other(error)
    }
}
