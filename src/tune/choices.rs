//! The choices in this world: the algorithm for each size of group. A world has one network, so the
//! size is the whole key.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::order::Algorithm;

/// The choices that a rank knows. As text: `8=dissemination,4=all-to-all`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices(BTreeMap<usize, Algorithm>);

impl Choices {
    /// The choice for groups of this size, if known.
    pub fn known(&self, size: usize) -> Option<Algorithm> {
        self.0.get(&size).copied()
    }

    /// Adds a choice. An earlier choice for that size stays.
    pub fn learn(&mut self, size: usize, algorithm: Algorithm) {
        self.0.entry(size).or_insert(algorithm);
    }

    /// Adds the choices that another rank knows.
    pub fn learn_from(&mut self, other: &Choices) {
        other.0.iter().for_each(|(&size, &algorithm)| self.learn(size, algorithm));
    }
}

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (size, algorithm)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{size}={algorithm}")?;
        }
        Ok(())
    }
}

/// The text is not a list of choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

impl FromStr for Choices {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Choices, Unreadable> {
        let mut choices = Choices::default();
        for pair in text.split(',').filter(|_| !text.is_empty()) {
            let (size, algorithm) = pair.split_once('=').ok_or(Unreadable)?;
            let algorithm = schedule(algorithm).ok_or(Unreadable)?;
            choices.learn(size.parse().map_err(|_| Unreadable)?, algorithm);
        }
        Ok(choices)
    }
}

/// Parses an algorithm that has a schedule.
pub(super) fn schedule(text: &str) -> Option<Algorithm> {
    text.parse().ok().filter(|&algorithm| algorithm != Algorithm::Auto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_choices_parse_from_their_text() {
        let mut choices = Choices::default();
        assert_eq!(choices.to_string().parse(), Ok(choices.clone()));
        choices.learn(8, Algorithm::AllToAll);
        choices.learn(3, "n-way-dissemination:3".parse().unwrap());
        assert_eq!(choices.to_string(), "3=n-way-dissemination:3,8=all-to-all");
        assert_eq!(choices.to_string().parse(), Ok(choices));
        for text in [",", "8", "8=", "=all-to-all", "8=auto", "8=none", "-1=all-to-all", "8=a,"] {
            assert_eq!(text.parse::<Choices>(), Err(Unreadable), "{text}");
        }
    }

    #[test]
    fn the_first_choice_for_a_size_is_kept() {
        let mut choices = Choices::default();
        choices.learn(8, Algorithm::AllToAll);
        choices.learn_from(&"8=dissemination,2=flat-tree".parse().unwrap());
        assert_eq!(choices.to_string(), "2=flat-tree,8=all-to-all");
        assert_eq!(choices.known(4), None);
    }
}
