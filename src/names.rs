//! The names by which users choose the values of an enum. One table for each enum says them, and
//! reading, printing and the message about an unknown name follow from it.

/// A text that is no name of its kind. The message lists the names that are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} {name:?}: expected {}", one_of(.expected))]
#[non_exhaustive]
pub struct UnknownName {
    /// What was to be named.
    pub kind: &'static str,
    /// The text.
    pub name: String,
    /// The names of this kind.
    pub expected: &'static [&'static str],
}

fn one_of(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        names => names.concat(),
    }
}

/// Names the values of an enum: those that users can choose, in the order in which they are listed.
/// Further names of a value, behind `|`, are read and never printed. Where `some` stands first,
/// there are values without a name, and the enum prints itself.
macro_rules! named {
    (some $kind:literal, $type:ident { $($variant:ident = $name:literal $(| $old:literal)*),+ $(,)? }) => {
        impl $type {
            /// The values that have a name, with it, in the order in which they are listed to users.
            pub const NAMED: [(&'static str, $type); [$($name),+].len()] =
                [$(($name, $type::$variant)),+];
        }

        impl std::str::FromStr for $type {
            type Err = $crate::names::UnknownName;

            fn from_str(name: &str) -> Result<$type, $crate::names::UnknownName> {
                match name {
                    $($name $(| $old)* => Ok($type::$variant),)+
                    _ => Err($crate::names::UnknownName {
                        kind: $kind,
                        name: name.to_owned(),
                        expected: &[$($name),+],
                    }),
                }
            }
        }
    };
    ($kind:literal, $type:ident { $($variant:ident = $name:literal $(| $old:literal)*),+ $(,)? }) => {
        $crate::names::named!(some $kind, $type { $($variant = $name $(| $old)*),+ });

        impl $type {
            /// All values, in the order in which they are listed to users.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant),+];

            /// The name by which users choose it.
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name),+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named;

#[cfg(test)]
mod tests {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Fruit {
        Apple,
        Pear,
        Plum,
    }

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Only {
        One,
        Unnamed(u8),
    }

    named!("fruit", Fruit { Apple = "apple", Pear = "pear" | "quince", Plum = "plum" });
    named!(some "number", Only { One = "one" });

    /// (Mutant: an old name that is printed.)
    #[test]
    fn names_parse_as_they_are_printed() {
        for (name, fruit) in Fruit::NAMED {
            assert_eq!((fruit.to_string().as_str(), name.parse()), (name, Ok(fruit)));
        }
        assert_eq!(Fruit::ALL, [Fruit::Apple, Fruit::Pear, Fruit::Plum]);
        assert_eq!("quince".parse(), Ok(Fruit::Pear));
        assert_eq!(Only::NAMED, [("one", Only::One)]);
        assert_ne!("one".parse(), Ok(Only::Unnamed(1)));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = "Apple".parse::<Fruit>().unwrap_err().to_string();
        assert_eq!(error, "unknown fruit \"Apple\": expected apple, pear or plum");
        let error = "".parse::<Only>().unwrap_err().to_string();
        assert_eq!(error, "unknown number \"\": expected one");
    }
}
