//! The ways to run a program: which of the thesis's techniques are on.

use runahead::{Algorithm, Comm, Exchange, Launch, Tree};

use super::barriers::Barriers;

/// What a run is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// The barrier algorithm.
    pub algorithm: Algorithm,
    /// The shape of reductions and multicasts.
    pub tree: Tree,
    /// Whether barriers wait.
    pub barriers: Barriers,
    /// Whom an all-to-all exchange sends to next.
    pub exchange: Exchange,
}

impl Techniques {
    /// A job with these techniques; each rank must also call [`Techniques::prepare`].
    pub fn job(&self, ranks: usize, window_messages: Option<u32>) -> Launch {
        let job = Launch::new(ranks).algorithm(self.algorithm);
        match window_messages {
            Some(window) => job.window_messages(window),
            None => job,
        }
    }

    /// Tells the world of its rank about them.
    pub fn prepare(&self, world: &Comm) {
        world.set_tree(self.tree);
    }
}

/// Techniques with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The name.
    pub name: &'static str,
    /// What it means.
    pub techniques: Techniques,
}

/// The cumulative variants of pakin-2001 table 5.8, and what runahead does by default, in the order
/// in which they are shown.
pub fn all() -> [Variant; 5] {
    let base = Techniques {
        algorithm: Algorithm::Butterfly,
        tree: Tree::Binary,
        barriers: Barriers::Traditional,
        exchange: Exchange::Pairwise,
    };
    let flat = Techniques { tree: Tree::Flat, ..base };
    let nonblocking = Techniques { barriers: Barriers::Nonblocking, ..flat };
    let smart = Techniques { exchange: Exchange::FirstArrived, ..nonblocking };
    [
        Variant { name: "base", techniques: base },
        Variant { name: "flat", techniques: flat },
        Variant { name: "nonblocking", techniques: nonblocking },
        Variant { name: "smart", techniques: smart },
        Variant { name: "best", techniques: best() },
    ]
}

/// What runahead does by default.
pub fn best() -> Techniques {
    Techniques {
        algorithm: Algorithm::default(),
        tree: Tree::default(),
        barriers: Barriers::Nonblocking,
        exchange: Exchange::default(),
    }
}

/// The variant of this name, for the command line.
///
/// # Errors
///
/// Naming the known ones, if it is none of them.
pub fn named(name: &str) -> Result<Variant, String> {
    all().into_iter().find(|variant| variant.name == name).ok_or_else(|| {
        let known = all().map(|variant| variant.name).join(", ");
        format!("unknown variant {name:?}: expected one of {known}")
    })
}
