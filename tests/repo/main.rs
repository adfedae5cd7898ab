//! What the repository promises of itself: rules are cited, imports go downward, links lead somewhere.

mod layers;
mod links;
mod paths;
mod rules;
