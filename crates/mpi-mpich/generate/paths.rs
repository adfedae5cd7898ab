//! Finds in which module of crates/mpi each function of MPI stands, so that the interface can call it by its path.
//! Rules: a function stands once; what converts handles and addresses is this interface's own.

use super::scan;
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// The module of each function, from the root of the crate.
///
/// # Errors
///
/// What the file system says; a function that stands twice.
pub fn paths(core: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut paths = BTreeMap::new();
    for file in scan::rust_files(&core.join("face"))? {
        let relative = file.strip_prefix(core).unwrap_or(&file).with_extension("");
        let parts = relative.iter().map(|part| part.to_string_lossy().into_owned());
        let module = parts.filter(|part| part != "mod").collect::<Vec<_>>().join("::");
        for name in scan::defined_in(&fs::read_to_string(&file)?) {
            if let Some(other) = paths.insert(name.clone(), module.clone()) {
                let twice = format!("{name} stands in {other} and in {module}");
                return Err(io::Error::other(twice));
            }
        }
    }
    Ok(paths)
}
