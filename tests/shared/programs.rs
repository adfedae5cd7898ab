//! Where the programs are that tests start as a user does.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// This program, under a name that is not that of a test, so that its ranks are processes as users'
/// are. `clean` removes it.
#[allow(dead_code, reason = "not all who start programs start themselves")]
pub fn this_program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let name = format!("{}-program-{}", env!("CARGO_CRATE_NAME"), std::process::id());
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        let this = std::env::current_exe().expect("this program knows where it is");
        fs::hard_link(&this, &path).or_else(|_| fs::copy(&this, &path).map(drop)).expect("a link");
        path
    })
}

/// Removes what was made for the tests.
#[allow(dead_code, reason = "not all who start programs start themselves")]
pub fn clean() {
    let _ = fs::remove_file(this_program());
}

/// Where an example was built: beside the directory of this test.
#[allow(dead_code, reason = "not all who start programs start examples")]
pub fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the test knows where it is");
    let profile = test.ancestors().nth(2).expect("the test is in a directory of the profile");
    let mut path = profile.join("examples").join(name);
    path.set_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing: cargo build --examples", path.display());
    path
}
