//! What stands of an option that a user can choose: one [`OptionInfo`] has its names, its unit, its
//! values, its default and its sentence. Reading a value, checking it and the error about a wrong
//! one follow from that.
//!
//! Options of a world stand in a table of the message layer, those of a job in one of `launch`.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::names::UnknownName;
use crate::order::schedule::InvalidAlgorithm;
use crate::order::{Algorithm, Ordering};

/// An option as users see it.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// The method of [`Options`](crate::Options) that chooses it; empty if there is none.
    pub name: &'static str,
    /// The environment variable that chooses it; empty if there is none.
    pub variable: &'static str,
    /// The flag of `runahead run` that chooses it, without hyphens; empty if there is none.
    pub flag: &'static str,
    /// What may be chosen.
    pub values: Values,
    /// What it is if nobody chooses.
    pub default: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
}

/// The values of an option. They print themselves as what is expected.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// A whole number of this unit.
    Number {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
        /// The unit in the plural, with a space before it; empty for bare numbers.
        unit: &'static str,
        /// A word or number beside them; empty if there is none.
        or: &'static str,
    },
    /// A name, or something else that this describes.
    Text(&'static str),
}

/// The unit of options that are times.
pub(crate) const MICROSECONDS: &str = " microseconds";
/// The unit of options that are longer times.
pub(crate) const SECONDS: &str = " seconds";

/// The values of an option that is a whole number.
pub(crate) const fn number(least: u64, most: u64, unit: &'static str) -> Values {
    Values::Number { least, most, unit, or: "" }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Values::Text(text) => f.write_str(text),
            Values::Number { least, most, unit, or } => {
                match most {
                    u64::MAX if unit.is_empty() => f.write_str("a whole number")?,
                    u64::MAX => write!(f, "a whole number of{unit}")?,
                    most => write!(f, "{least} to {most}{unit}")?,
                }
                if or.is_empty() { Ok(()) } else { write!(f, ", or {or}") }
            }
        }
    }
}

/// A value that an option cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{option} is {}: {why}", shown(.value))]
pub struct InvalidOption {
    /// The option, by the name under which it was chosen: a variable of the environment, or a
    /// method of [`Options`](crate::Options).
    pub option: &'static str,
    /// The value; None if there is none, and must be.
    pub value: Option<String>,
    /// What was expected.
    pub why: String,
}

/// Numbers stand as they are, all else in quotes.
fn shown(value: &Option<String>) -> Cow<'static, str> {
    match value {
        None => "not set".into(),
        Some(value) if value.parse::<u64>().is_ok() => value.clone().into(),
        Some(value) => format!("{value:?}").into(),
    }
}

impl OptionInfo {
    /// The error about a value, chosen by the variable.
    pub fn invalid(&self, value: impl Into<String>) -> InvalidOption {
        self.refused(value, format!("expected {}", self.values))
    }

    /// As [`invalid`](Self::invalid), with another reason.
    pub(crate) fn refused(&self, value: impl Into<String>, why: String) -> InvalidOption {
        InvalidOption { option: self.variable, value: Some(value.into()), why }
    }

    /// The value of the variable; None if it is not set, or empty. `value` gives that of any
    /// variable.
    pub(crate) fn value(&self, value: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
        if self.variable.is_empty() {
            return None;
        }
        value(self.variable).filter(|value| !value.is_empty())
    }

    /// The text of a value.
    pub(crate) fn text<'a>(&self, value: &'a OsStr) -> Result<&'a str, InvalidOption> {
        let no_text = || self.refused(value.to_string_lossy(), "expected UTF-8".to_owned());
        value.to_str().ok_or_else(no_text)
    }

    /// The text of the variable, if it is set. `value` gives that of any variable.
    ///
    /// # Errors
    ///
    /// If it is no text.
    pub fn said(
        &self,
        value: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Option<String>, InvalidOption> {
        self.value(value).map(|value| self.text(&value).map(str::to_owned)).transpose()
    }

    /// The number that a text says.
    pub(crate) fn number(&self, text: &str) -> Result<u64, InvalidOption> {
        let number = text.trim().parse().ok().filter(|&number| self.allows(number));
        number.ok_or_else(|| self.invalid(text))
    }

    /// Whether a number may be chosen.
    pub(crate) fn allows(&self, number: u64) -> bool {
        match self.values {
            Values::Number { least, most, or, .. } => {
                (least..=most).contains(&number) || or.parse() == Ok(number)
            }
            Values::Text(_) => false,
        }
    }

    /// Whether a number that the program chose may be chosen.
    pub(crate) fn check(&self, number: u64) -> Result<(), InvalidOption> {
        if self.allows(number) {
            return Ok(());
        }
        Err(InvalidOption { option: self.name, ..self.invalid(number.to_string()) })
    }

    /// The value that a text names.
    pub(crate) fn named<T: FromStr<Err = UnknownName>>(
        &self,
        text: &str,
    ) -> Result<T, InvalidOption> {
        text.trim().parse().map_err(|_| self.invalid(text))
    }
}

/// A value of an option, as the environment says it and as the program does.
pub(crate) trait Setting: Sized {
    /// The value that the environment says.
    fn read(info: &OptionInfo, value: &OsStr) -> Result<Self, InvalidOption>;

    /// Checks a value of the program's.
    fn check(&self, _: &OptionInfo) -> Result<(), InvalidOption> {
        Ok(())
    }
}

macro_rules! numbers {
    ($($type:ty),+) => {
        $(impl Setting for $type {
            fn read(info: &OptionInfo, value: &OsStr) -> Result<$type, InvalidOption> {
                let text = info.text(value)?;
                info.number(text)?.try_into().map_err(|_| info.invalid(text))
            }

            fn check(&self, info: &OptionInfo) -> Result<(), InvalidOption> {
                info.check(*self as u64)
            }
        })+
    };
}
numbers!(u32, u64, usize);

impl Setting for Duration {
    fn read(info: &OptionInfo, value: &OsStr) -> Result<Duration, InvalidOption> {
        let number = info.number(info.text(value)?)?;
        Ok(match info.values {
            Values::Number { unit: SECONDS, .. } => Duration::from_secs(number),
            _ => Duration::from_micros(number),
        })
    }

    /// Fractions of the unit are none of its whole numbers, and fit between them.
    fn check(&self, info: &OptionInfo) -> Result<(), InvalidOption> {
        let number = match info.values {
            Values::Number { unit: SECONDS, .. } => u128::from(self.as_secs()),
            _ => self.as_nanos().div_ceil(1000),
        };
        info.check(number.try_into().unwrap_or(u64::MAX))
    }
}

impl Setting for Algorithm {
    fn read(info: &OptionInfo, value: &OsStr) -> Result<Algorithm, InvalidOption> {
        let text = info.text(value)?;
        text.trim().parse().map_err(|error: InvalidAlgorithm| match error {
            InvalidAlgorithm::Unknown(_) => {
                let why = error.to_string();
                let names = why.rsplit_once(": ").map_or(&*why, |(_, names)| names);
                info.refused(text, names.to_owned())
            }
            error => info.refused(text, error.to_string()),
        })
    }
}

impl Setting for Ordering {
    /// No variable chooses it.
    fn read(info: &OptionInfo, value: &OsStr) -> Result<Ordering, InvalidOption> {
        Err(info.invalid(value.to_string_lossy()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: OptionInfo = OptionInfo {
        name: "count",
        variable: "RUNAHEAD_COUNT",
        flag: "",
        values: Values::Number { least: 2, most: 9, unit: " things", or: "0" },
        default: "3",
        summary: "how many things there are",
    };

    /// (Mutants: the number beside the range is refused; the error names the other one of the
    /// names.)
    #[test]
    fn a_bad_value_names_the_option_the_value_and_what_was_expected() {
        let read = |text: &str| u32::read(&COUNT, OsStr::new(text));
        assert_eq!((read(" 2 "), read("9"), read("0")), (Ok(2), Ok(9), Ok(0)));
        for text in ["1", "10", "18446744073709551616", "-2", "2.5", "two", " "] {
            let error = read(text).unwrap_err();
            assert_eq!((error.option, error.value.as_deref()), ("RUNAHEAD_COUNT", Some(text)));
            assert!(error.to_string().ends_with(": expected 2 to 9 things, or 0"), "{error}");
        }
        assert_eq!(
            read("two").unwrap_err().to_string(),
            "RUNAHEAD_COUNT is \"two\": expected 2 to 9 things, or 0"
        );
        let error = 1usize.check(&COUNT).unwrap_err().to_string();
        assert_eq!(error, "count is 1: expected 2 to 9 things, or 0");
        assert_eq!((0usize.check(&COUNT), 9u64.check(&COUNT)), (Ok(()), Ok(())));
    }

    #[test]
    fn times_have_the_unit_of_their_option() {
        let with = |unit| OptionInfo {
            values: Values::Number { least: 100, most: 1000, unit, or: "0" },
            ..COUNT
        };
        let (us, s) = (with(MICROSECONDS), with(SECONDS));
        assert_eq!(Duration::read(&us, OsStr::new("300")), Ok(Duration::from_micros(300)));
        assert_eq!(Duration::read(&s, OsStr::new("300")), Ok(Duration::from_secs(300)));
        let micros = Duration::from_micros;
        assert_eq!((micros(0).check(&us), micros(1000).check(&us)), (Ok(()), Ok(())));
        let [short, long] = [micros(99), micros(1001)].map(|time| time.check(&us).unwrap_err());
        assert_eq!(short.to_string(), "count is 99: expected 100 to 1000 microseconds, or 0");
        assert_eq!(long.value.as_deref(), Some("1001"));
        // Not nothing, and more than the most.
        assert!(Duration::from_nanos(1).check(&us).is_err());
        assert!((micros(1000) + Duration::from_nanos(1)).check(&us).is_err());
        assert!(Duration::MAX.check(&us).is_err());
    }

    #[test]
    fn an_option_that_is_not_set_is_not_parsed() {
        let nothing = OptionInfo { variable: "", ..COUNT };
        assert_eq!(nothing.said(|_| Some("2".into())), Ok(None));
        assert_eq!(COUNT.said(|_| Some("".into())), Ok(None));
        assert_eq!(COUNT.said(|_| None), Ok(None));
        assert_eq!(COUNT.said(|name| Some(name.into())), Ok(Some("RUNAHEAD_COUNT".into())));
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_utf_8_is_an_error() {
        use std::os::unix::ffi::OsStringExt;
        let error = COUNT.said(|_| Some(OsString::from_vec(vec![b'a', 0xff]))).unwrap_err();
        assert_eq!(error.to_string(), "RUNAHEAD_COUNT is \"a\u{fffd}\": expected UTF-8");
    }

    #[test]
    fn an_invalid_algorithm_is_an_error_with_its_cause() {
        let read = |text: &str| Algorithm::read(&COUNT, OsStr::new(text));
        assert_eq!(read("auto"), Ok(Algorithm::Auto));
        let unknown = read("nonsense").unwrap_err().to_string();
        let begins = "RUNAHEAD_COUNT is \"nonsense\": expected one of board, ";
        assert!(unknown.starts_with(begins) && unknown.ends_with(", auto"), "{unknown}");
        let parameter = read("auto:3").unwrap_err().to_string();
        assert!(parameter.contains("takes no parameter"), "{parameter}");
    }
}
