//! What the repository promises of itself: rules are cited, imports go downward, links lead somewhere,
//! and files stay short.

mod checks;
mod layers;
mod links;
mod lists;
mod paths;
mod rules;
mod sizes;
