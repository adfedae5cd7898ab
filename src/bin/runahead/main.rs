//! The `runahead` command.
fn main() {}
