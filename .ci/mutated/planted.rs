//! What `.ci/mutants` plants to see whether it can tell one mutant from the other: every mutant of `noticed`
//! has to be noticed, one of `hanging` by a hang, those of `unnoticed` must not be, and that of `unbuildable`
//! does not compile.

/// Tested below.
pub fn noticed(count: u32) -> u32 {
    count + 3
}

/// Looked at by nobody.
pub fn unnoticed(count: u32) -> u32 {
    count + 5
}

/// Does not end if the sum is made another.
pub fn hanging(mut count: u32) {
    while count != 7 {
        count = (count + 1) % 8;
    }
}

/// Has no other value.
pub struct Unbuildable;

/// Cannot be replaced.
pub fn unbuildable() -> Unbuildable {
    Unbuildable
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_planted() {
        assert_eq!(super::noticed(7), 10);
        super::unnoticed(7);
        super::hanging(0);
    }
}
