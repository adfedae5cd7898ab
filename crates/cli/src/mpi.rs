//! Lets programs of MPI find the libraries that were installed beside this command.
//! Rules: what the user has chosen for mpi4py stays; the folder goes before the user's paths; a folder without such
//! libraries changes nothing.
//!
//! Programs that were built for MPICH's interface name no path, so the dynamic linker has to be told one. The folder holds
//! nothing else, so it shadows no other library. mpi4py asks variables of its own which library it is to load.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, iter};

/// The library that programs built for MPICH ask for, in a folder beside that of this command.
const LIBRARY: &str = "lib/mpich/libmpi.so.12";

/// Variables for the ranks, each with its value.
pub(crate) fn environment() -> Vec<(&'static str, OsString)> {
    match env::current_exe().ok().and_then(|command| library(&command)) {
        Some(library) => variables(&library, |name| env::var_os(name)),
        None => Vec::new(),
    }
}

/// The library that was installed with a command.
fn library(command: &Path) -> Option<PathBuf> {
    let prefix = command.canonicalize().ok()?.parent()?.parent()?.to_owned();
    let library = prefix.join(LIBRARY);
    library.is_file().then_some(library)
}

/// The variables for a library; `chosen` tells what the user has set.
fn variables(
    library: &Path,
    chosen: impl Fn(&str) -> Option<OsString>,
) -> Vec<(&'static str, OsString)> {
    const PATH: &str = "LD_LIBRARY_PATH";
    let folder = library.parent().map(Path::to_owned).unwrap_or_default();
    let others = chosen(PATH).filter(|path| !path.is_empty());
    let others = others.iter().flat_map(env::split_paths).filter(|other| *other != folder);
    let paths = env::join_paths(iter::once(folder.clone()).chain(others));
    let mut variables: Vec<_> = paths.ok().map(|paths| (PATH, paths)).into_iter().collect();
    if chosen("MPI4PY_MPIABI").is_none() && chosen("MPI4PY_LIBMPI").is_none() {
        variables.push(("MPI4PY_MPIABI", OsString::from("mpich")));
        variables.push(("MPI4PY_LIBMPI", library.into()));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_library_is_found_beside_the_command_and_nowhere_else() {
        let prefix = tempfile::tempdir().unwrap();
        let command = prefix.path().join("bin/runahead");
        for folder in ["bin", "lib/mpich"] {
            fs::create_dir_all(prefix.path().join(folder)).unwrap();
        }
        fs::write(&command, "").unwrap();
        assert_eq!(library(&command), None);
        let installed = prefix.path().canonicalize().unwrap().join(LIBRARY);
        fs::write(&installed, "").unwrap();
        assert_eq!(library(&command), Some(installed));
    }

    #[test]
    fn the_folder_comes_first_and_what_was_chosen_for_mpi4py_stays() {
        let library = Path::new("/opt/runahead/lib/mpich/libmpi.so.12");
        let alone = variables(library, |_| None);
        assert_eq!(alone[0], ("LD_LIBRARY_PATH", "/opt/runahead/lib/mpich".into()));
        assert_eq!(
            alone[1..],
            [("MPI4PY_MPIABI", "mpich".into()), ("MPI4PY_LIBMPI", library.into())]
        );
        let with_path =
            variables(library, |name| (name == "LD_LIBRARY_PATH").then(|| "/a:/b".into()));
        assert_eq!(with_path[0].1, "/opt/runahead/lib/mpich:/a:/b");
        let again = variables(library, |_| Some(with_path[0].1.clone()));
        assert_eq!(again, [with_path[0].clone()]);
        let of_python =
            variables(library, |name| (name == "MPI4PY_LIBMPI").then(|| "/other".into()));
        assert_eq!(of_python, [alone[0].clone()]);
    }
}
