//! Which shapes of a call are worth measuring: the filters of wu-2005 §4.6, with a prediction for
//! each shape. Pure: shapes go out (`poll_next`), times come in (`handle_measured`).
//!
//! # The filters
//!
//! 1. A shape that is predicted to gain too little over the default is left out. If all are,
//!    nothing is measured, and the default stays.
//! 2. What was measured is an upper bound, the default's time first. A shape that is predicted to
//!    take longer is left out.
//! 3. A measured shape says how far predictions for its tree are off. Those for the same tree with
//!    other pieces are corrected by that.
//!
//! Of a short call the model knows less: how long a rank waits for a core, and what still lies in a
//! cache, count for more than what it copies. There two shapes of each tree are measured, one with
//! pieces within the eager limit and one with longer ones, unless they are predicted to take far
//! longer. That costs little.
//!
//! wu's first filter is about how much of a segment overlaps. Here a whole piece does always.

use runahead::Tree;
use runahead::internals::collective::Shape;

/// A shape must be this much faster than the default to be chosen, or worth measuring.
pub(super) const LEAST_GAIN: f64 = 0.95;

/// The most shapes of a call that are measured, the default included: of a long one, and of a short
/// one.
const MOST_MEASURED: [usize; 2] = [4, 10];

/// Pieces up to this length are within the usual eager limit.
const EAGER_BYTES: usize = 8 << 10;

/// A call whose default is predicted to take less is short.
const SHORT_NS: f64 = 200_000.0;

/// What is far longer.
const FAR_LONGER: f64 = 1.6;

/// A shape, and what is known of it.
#[derive(Clone, Copy, Debug)]
struct Entry {
    shape: Shape,
    predicted_ns: f64,
    measured_ns: Option<f64>,
}

/// The search for the fastest shape of one call.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// The default first.
    entries: Vec<Entry>,
    is_exhaustive: bool,
}

impl Search {
    /// One that measures all `shapes`.
    pub(crate) fn exhaustive(shapes: &[Shape]) -> Search {
        let entry = |&shape| Entry { shape, predicted_ns: 0.0, measured_ns: None };
        Search { entries: shapes.iter().map(entry).collect(), is_exhaustive: true }
    }

    /// One that measures what may be faster than the first of `shapes`, the default.
    pub(crate) fn filtered(shapes: &[Shape], predict: impl Fn(Shape) -> f64) -> Search {
        let entry = |&shape| Entry { shape, predicted_ns: predict(shape), measured_ns: None };
        Search { entries: shapes.iter().map(entry).collect(), is_exhaustive: false }
    }

    /// The shape to be measured next; None at the end.
    pub(crate) fn poll_next(&self) -> Option<Shape> {
        let unmeasured = || self.entries.iter().filter(|entry| entry.measured_ns.is_none());
        if self.is_exhaustive {
            return unmeasured().next().map(|entry| entry.shape);
        }
        let (measured, default) = (self.measured(), self.entries.first()?);
        let is_short = default.predicted_ns < SHORT_NS;
        if measured >= MOST_MEASURED[usize::from(is_short)] {
            return None;
        }
        // Before anything was measured predictions are compared with the default's.
        let bound = self.best_ns().unwrap_or(default.predicted_ns);
        let expected = |entry: &Entry| entry.predicted_ns * self.correction(entry.shape.tree);
        let is_new = |entry: &Entry| is_short && !self.has_measured_like(entry.shape);
        let most = |entry: &Entry| bound * if is_new(entry) { FAR_LONGER } else { LEAST_GAIN };
        let promising = unmeasured()
            .filter(|entry| expected(entry) < most(entry))
            .min_by(|one, other| expected(one).total_cmp(&expected(other)))?;
        Some(if measured == 0 { default.shape } else { promising.shape })
    }

    /// So long a shape took.
    pub(crate) fn handle_measured(&mut self, shape: Shape, ns: f64) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.shape == shape) {
            entry.measured_ns = Some(ns);
        }
    }

    /// The shape to be used: the default, unless another is clearly faster.
    pub(crate) fn choice(&self) -> Option<Shape> {
        let (default, best) = (self.entries.first()?, self.best()?);
        let bound = default.measured_ns? * LEAST_GAIN;
        (best.measured_ns? < bound).then_some(best.shape)
    }

    /// The time of the fastest by that of the default, if both were measured.
    pub(crate) fn gain(&self) -> Option<f64> {
        Some(self.best_ns()? / self.entries.first()?.measured_ns?.max(1.0))
    }

    /// How many were measured.
    pub(crate) fn measured(&self) -> usize {
        self.entries.iter().filter(|entry| entry.measured_ns.is_some()).count()
    }

    /// Whether it has measured one of the same tree, with pieces within the eager limit if these
    /// are.
    fn has_measured_like(&self, shape: Shape) -> bool {
        let kind = |shape: Shape| (shape.tree, shape.piece_bytes <= EAGER_BYTES);
        let measured = self.entries.iter().filter(|entry| entry.measured_ns.is_some());
        measured.map(|entry| kind(entry.shape)).any(|known| known == kind(shape))
    }

    fn best(&self) -> Option<&Entry> {
        let measured = self.entries.iter().filter(|entry| entry.measured_ns.is_some());
        measured
            .min_by(|one, other| one.measured_ns.partial_cmp(&other.measured_ns).expect("no NaN"))
    }

    fn best_ns(&self) -> Option<f64> {
        self.best()?.measured_ns
    }

    /// What predictions for a tree are to be multiplied by: the mean ratio of its measured shapes,
    /// or of all where it has none.
    fn correction(&self, tree: Tree) -> f64 {
        let ratio = |entry: &Entry| Some(entry.measured_ns? / entry.predicted_ns.max(1.0));
        let of = |all: bool| {
            let fits = self.entries.iter().filter(|entry| all || entry.shape.tree == tree);
            let ratios: Vec<f64> = fits.filter_map(ratio).collect();
            (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
        };
        of(false).or_else(|| of(true)).unwrap_or(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: Shape = Shape::of(Tree::Flat);

    fn shape(tree: Tree, piece_bytes: usize) -> Shape {
        Shape { tree, piece_bytes }
    }

    /// Runs the search, with these predictions and times in milliseconds; returns what it measured,
    /// and its choice.
    fn searched(of: &[(Shape, f64, f64)]) -> (Vec<Shape>, Option<Shape>) {
        let of: Vec<_> =
            of.iter().map(|&(shape, one, other)| (shape, one * 1e6, other * 1e6)).collect();
        searched_ns(&of)
    }

    /// The same in nanoseconds.
    fn searched_ns(of: &[(Shape, f64, f64)]) -> (Vec<Shape>, Option<Shape>) {
        let shapes: Vec<Shape> = of.iter().map(|&(shape, _, _)| shape).collect();
        let of = |shape| of.iter().find(|(known, _, _)| *known == shape).unwrap();
        let mut search = Search::filtered(&shapes, |shape| of(shape).1);
        let mut measured = Vec::new();
        while let Some(next) = search.poll_next() {
            search.handle_measured(next, of(next).2);
            measured.push(next);
        }
        assert_eq!(search.measured(), measured.len());
        assert_eq!(search.gain().is_some(), !measured.is_empty());
        (measured, search.choice())
    }

    #[test]
    fn nothing_is_measured_where_nothing_is_predicted_to_gain() {
        let chain = shape(Tree::Chain, 16);
        assert_eq!(searched(&[(FLAT, 100.0, 100.0), (chain, 96.0, 10.0)]), (vec![], None));
    }

    #[test]
    fn the_bound_is_what_was_measured() {
        let (chain, binary) = (shape(Tree::Chain, 16), shape(Tree::Binary, 16));
        let of = [(FLAT, 100.0, 200.0), (chain, 50.0, 60.0), (binary, 90.0, 10.0)];
        // The chain is faster than what the binary tree is predicted to take.
        assert_eq!(searched(&of), (vec![FLAT, chain], Some(chain)));
    }

    #[test]
    fn a_tree_that_takes_longer_than_predicted_is_given_up() {
        let chain = |piece| shape(Tree::Chain, piece);
        let of = [(FLAT, 100.0, 100.0), (chain(16), 50.0, 150.0), (chain(32), 55.0, 1.0)];
        assert_eq!(searched(&of), (vec![FLAT, chain(16)], None));
        // And its pieces are found where it does as predicted.
        let of = [(FLAT, 100.0, 100.0), (chain(16), 50.0, 70.0), (chain(32), 45.0, 60.0)];
        assert_eq!(searched(&of), (vec![FLAT, chain(32)], Some(chain(32))));
    }

    #[test]
    fn of_a_short_call_each_tree_is_measured_unless_it_is_far_longer() {
        let (chain, binary, binomial) =
            (shape(Tree::Chain, 16), shape(Tree::Binary, 16), shape(Tree::Binomial, 16));
        let long = shape(Tree::Binomial, 1 << 20);
        let of = [
            (FLAT, 100.0, 100.0),
            (chain, 170.0, 1.0),
            (binary, 150.0, 60.0),
            (binomial, 120.0, 110.0),
            (shape(Tree::Binomial, 32), 125.0, 1.0),
            (long, 130.0, 140.0),
        ];
        assert_eq!(searched_ns(&of), (vec![FLAT, binomial, long, binary], Some(binary)));
        // Of a long one they are not.
        assert_eq!(searched(&of), (vec![], None));
    }

    #[test]
    fn few_are_measured_and_all_where_that_is_asked_for() {
        let shapes: Vec<Shape> = (1..20).map(|piece| shape(Tree::Chain, piece)).collect();
        let of: Vec<_> =
            shapes.iter().map(|&shape| (shape, 100.0 / shape.piece_bytes as f64, 100.0)).collect();
        assert_eq!(searched(&of).0.len(), MOST_MEASURED[0]);
        let mut all = Search::exhaustive(&shapes);
        while let Some(next) = all.poll_next() {
            all.handle_measured(next, next.piece_bytes as f64);
        }
        assert_eq!((all.measured(), all.choice()), (19, None));
        all.handle_measured(shapes[4], 0.5);
        assert_eq!((all.choice(), all.gain()), (Some(shapes[4]), Some(0.5)));
    }
}
