//! Where the programs are that tests start as a user does.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The running test, under a name that is not that of a test, so that its ranks are processes as users'
/// are. [`clean`] removes it.
///
/// # Panics
///
/// If the system cannot say where this program is, or refuses the link.
pub fn this_program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let this = std::env::current_exe().expect("this program knows where it is");
        // Cargo's directory for what tests write. The guest of tests/rdma can write to no other in here.
        let scratch = profile(&this).with_file_name("tmp");
        fs::create_dir_all(&scratch).expect("a directory beside that of the profile");
        let path = scratch.join(format!("test-program-{}", std::process::id()));
        fs::hard_link(&this, &path).or_else(|_| fs::copy(&this, &path).map(drop)).expect("a link");
        path
    })
}

/// Removes what was made for the tests.
pub fn clean() {
    let _ = fs::remove_file(this_program());
}

/// Where an example was built: beside the directory of the running test.
///
/// # Panics
///
/// If the example was not built.
pub fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test knows where it is");
    let mut path = profile(&test).join("examples").join(name);
    path.set_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing: cargo build --examples", path.display());
    path
}

/// The directory of the profile that a test was built in.
fn profile(test: &std::path::Path) -> PathBuf {
    test.ancestors().nth(2).expect("the test is in a directory of the profile").to_owned()
}
