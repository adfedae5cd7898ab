//! Reads `src/constants.txt`: what MPICH's interface gives each constant, group by group.
//! Rules: a line that is no constant is an error that names the line, never skipped.

/// A constant of MPICH's interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The group: what may stand in one place of a call.
    pub group: String,
    /// The standard's name.
    pub name: String,
    /// What MPICH gives it; a handle as a number without sign.
    pub value: i64,
    /// The first version of MPICH that has it, if the older ones lack it.
    pub since: Option<u32>,
}

/// Reads the file.
///
/// # Errors
///
/// The number of the first line that is neither empty, a comment, a group nor a constant.
pub fn parse(text: &str) -> Result<Vec<Value>, String> {
    let mut values = Vec::new();
    let mut group = None;
    for (index, line) in text.lines().enumerate() {
        let wrong = || format!("constants.txt, line {}: no constant: {line}", index + 1);
        if let Some(name) = line.strip_prefix("## ") {
            group = Some(name.to_owned());
        } else if !line.is_empty() && !line.starts_with('#') {
            let mut words = line.split(' ');
            let (name, value) = (words.next(), words.next().and_then(number));
            let since = match (words.next(), words.next(), words.next()) {
                (None, ..) => None,
                (Some("since"), Some(version), None) => Some(version.parse().map_err(|_| wrong())?),
                _ => return Err(wrong()),
            };
            match (&group, name, value) {
                (Some(group), Some(name), Some(value)) if name.starts_with("MPI_") => {
                    let (group, name) = (group.clone(), name.to_owned());
                    values.push(Value { group, name, value, since });
                }
                _ => return Err(wrong()),
            }
        }
    }
    Ok(values)
}

/// A number, decimal or with `0x`.
fn number(text: &str) -> Option<i64> {
    match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
