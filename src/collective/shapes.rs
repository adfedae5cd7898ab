//! Which shape a call has that leaves it open: its tree, and the pieces in which its data travel.
//! What was measured on a host says so, and else what is known of machines in general. Pure.
//!
//! Keeps rules COL-3 and COL-4 of SEMANTICS.md: what members go by, all of them have.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::pieces::PIECE_BYTES;
use super::{Kind, Tree};

/// How the data of a call travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The tree; [`Tree::Auto`] is none.
    pub tree: Tree,
    /// The smallest piece of data that travel in several, in bytes; not 0.
    pub piece_bytes: usize,
}

impl Shape {
    /// A tree with pieces of the usual length.
    pub const fn of(tree: Tree) -> Shape {
        Shape { tree, piece_bytes: PIECE_BYTES }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.tree, self.piece_bytes)
    }
}

impl FromStr for Shape {
    type Err = ();

    fn from_str(text: &str) -> Result<Shape, ()> {
        let (tree, piece) = text.split_once(':').ok_or(())?;
        let tree: Tree = tree.parse().map_err(drop)?;
        let piece_bytes = piece.parse().map_err(drop)?;
        (tree != Tree::Auto && piece_bytes > 0).then_some(Shape { tree, piece_bytes }).ok_or(())
    }
}

/// What was measured: from so many bytes at each member on, up to those of the next rule for the
/// same calls, this shape is the fastest, or the default is fast enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeRule {
    /// The collective.
    pub kind: Kind,
    /// The number of members of the group.
    pub ranks: usize,
    /// The number of hosts that they are on.
    pub hosts: usize,
    /// From how many bytes on.
    pub bytes: usize,
    /// The shape; None for the default.
    pub shape: Option<Shape>,
}

/// How a rule names the default.
const DEFAULT: &str = "default";

impl fmt::Display for ShapeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShapeRule { kind, ranks, hosts, bytes, shape } = self;
        write!(f, "{kind} {ranks} {hosts} {bytes} ")?;
        match shape {
            Some(shape) => shape.fmt(f),
            None => f.write_str(DEFAULT),
        }
    }
}

impl FromStr for ShapeRule {
    type Err = ();

    fn from_str(text: &str) -> Result<ShapeRule, ()> {
        let fields: Vec<&str> = text.split(' ').collect();
        let [kind, ranks, hosts, bytes, shape] = fields[..] else { return Err(()) };
        let number = |text: &str| text.parse().map_err(drop);
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).ok_or(())?;
        let (ranks, hosts, bytes) = (number(ranks)?, number(hosts)?, number(bytes)?);
        let shape = if shape == DEFAULT { None } else { Some(shape.parse()?) };
        Ok(ShapeRule { kind, ranks, hosts, bytes, shape })
    }
}

/// The rules of a job, or those for the groups of one size. A clone shares them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShapeRules(Option<Arc<[ShapeRule]>>);

impl ShapeRules {
    /// These rules. Of two for the same calls and bytes the later counts.
    pub fn new(rules: impl IntoIterator<Item = ShapeRule>) -> ShapeRules {
        let mut rules: Vec<ShapeRule> = rules.into_iter().collect();
        rules.reverse();
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.bytes));
        ShapeRules((!rules.is_empty()).then(|| rules.into()))
    }

    /// The rules.
    pub fn rules(&self) -> &[ShapeRule] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Those for groups of so many members on so many hosts.
    pub(crate) fn of_group(&self, ranks: usize, hosts: usize) -> ShapeRules {
        let fits = |rule: &&ShapeRule| (rule.ranks, rule.hosts) == (ranks, hosts);
        let rules: Vec<ShapeRule> = self.rules().iter().filter(fits).copied().collect();
        ShapeRules((!rules.is_empty()).then(|| rules.into()))
    }

    /// The shape of a call, in [a group](ShapeRules::of_group), with so many bytes at each member.
    #[inline]
    pub(super) fn shape(&self, kind: Kind, bytes: usize) -> Option<Shape> {
        let rules = self.0.as_deref()?;
        // The longest come first.
        let rule = rules.iter().find(|rule| rule.kind == kind && rule.bytes <= bytes)?;
        rule.shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> ShapeRule {
        text.parse().unwrap()
    }

    #[test]
    fn a_rule_holds_up_to_the_next_for_the_same_calls() {
        let shapes = ShapeRules::new([
            rule("broadcast 4 1 1024 chain:4096"),
            rule("broadcast 4 1 65536 binary:16384"),
            rule("broadcast 4 2 0 flat:1"),
            rule("broadcast 8 1 0 flat:2"),
            rule("scan 4 1 10 flat:2"),
            rule("scan 4 1 20 default"),
            rule("reduce 4 1 0 binomial:65536"),
            // The later counts.
            rule("broadcast 4 1 65536 binomial:8192"),
        ]);
        let group = shapes.of_group(4, 1);
        let shape = |kind, bytes| group.shape(kind, bytes).map(|shape| shape.to_string());
        assert_eq!(shape(Kind::Broadcast, 1023), None);
        for bytes in [1024, 65535] {
            assert_eq!(shape(Kind::Broadcast, bytes).as_deref(), Some("chain:4096"));
        }
        for bytes in [65536, usize::MAX] {
            assert_eq!(shape(Kind::Broadcast, bytes).as_deref(), Some("binomial:8192"));
        }
        assert_eq!(shape(Kind::Reduce, 0).as_deref(), Some("binomial:65536"));
        assert_eq!(shape(Kind::AllReduce, 1 << 20), None);
        assert_eq!(shape(Kind::Scan, 19).as_deref(), Some("flat:2"));
        assert_eq!(shape(Kind::Scan, 20), None);
        assert_eq!(shapes.of_group(5, 1), ShapeRules::default());
        assert_eq!(shapes.of_group(5, 1).shape(Kind::Broadcast, 1 << 20), None);
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in [
            "broadcast 4 1 1024 chain:4096",
            "exclusive_scan 256 64 0 flat:1",
            "scan 4 1 7 default",
        ] {
            assert_eq!(rule(text).to_string(), text);
        }
        for wrong in [
            "",
            "broadcast 4 1 1024",
            "broadcast 4 1 1024 chain",
            "broadcast 4 1 1024 chain:0",
            "broadcast 4 1 1024 auto:4096",
            "broadcast 4 1 -1 chain:4096",
            "bcast 4 1 1024 chain:4096",
            "broadcast 4 1 1024 chain:4096 ",
        ] {
            assert_eq!(wrong.parse::<ShapeRule>(), Err(()), "{wrong}");
        }
    }
}
