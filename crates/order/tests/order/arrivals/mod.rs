//! Every schedule under every order of arrival: all states of small groups, by exhaustive search.
//!
//! For every barrier algorithm, and for groups that publish (the board), each rank enters its first
//! barriers, in any interleaving, while a network without any order repeats, reorders and loses signals.
//! In every state that can be reached:
//!
//! * *safety*: nobody has completed an epoch that somebody has not entered, no rank is known to have
//!   entered what it has not, no signal of a correct rank is refused, and epochs and clocks of every rank
//!   agree with each other and never fall back;
//! * *liveness*: the state in which all have completed everything can be reached, whatever happens
//!   next: by entering and by what was sent, and also, with all that was sent lost, by entering and by
//!   questions and answers alone. These are checks of the whole graph; no run is sampled.
//!
//! The cores are the real [`Order`](runahead_order::Order)s, driven as the message layer drives them.
//! Programs, messages and several groups are no part of this; see `crates/testkit/tests/model` for them.
//!
//! # Why one network stands for all
//!
//! The network here is *the set of all signals ever sent*: it only grows, and at any time any signal in
//! it may be handed to its receiver. So a signal may come as often as you like (duplication), after later
//! ones (any order), late or never (delay and loss): each run of a network that does such things is
//! a run of this one, and what is safe here is safe there.
//!
//! For liveness, a network that keeps everything is kinder than one from which signals vanish. Two checks
//! make up for that. (1) A signal that was handed over changes nothing if it comes again, in this
//! state and in all later ones ([`Wrong::TakenAgain`](locals::Wrong)): so where this network has nothing
//! to offer any more, nor has one that delivers each signal once; and where a signal is under way in
//! one, its effect is yet to come in the other. (2) In every state all that was sent is thought lost for
//! good, and a step must still be possible: somebody enters, or a question of one rank gets an answer from
//! another that changes the asker's state. An answer repeats what was sent before (checked), so the next
//! state is again one of those that were looked at, whatever is lost meanwhile. A question may come
//! at any time, also one that nobody has asked yet; where safety is looked for, that is allowed.
//!
//! No steps go round in a circle, and the only state without a next one is the last: that is how the graph
//! is checked for "can always be reached". On small sizes the graph itself is built as well, and searched
//! backwards from the end ([`full`]).
//!
//! A signal leaves as soon as it is due; or, as a choice (`tardy`), at any later time, when a newer
//! epoch may have taken its place. Others can receive no more by that (a receiver may always miss the
//! older one), but the sender's own states are more.
//!
//! # Boxes
//!
//! A rank that takes a signal and has nothing to say because of it has changed for nobody else. So between
//! two things that others can see (a signal or word goes out, an epoch is entered or completed), what each
//! rank takes is independent of what the others take, and the states that can be reached are a *product* of
//! sets, one set of local states for each rank. The search goes from product ("box") to product: it visits
//! all states, many at a time, and leaves out none. Nothing in this trusts the core: a core for which
//! the order of arrival makes a difference has more boxes. That the boxes hold exactly the states of the
//! plain search is checked on small sizes ([`full`]).
//!
//! stateright would enumerate whole states one by one (9 thousand million for all-to-all of five ranks) and
//! has no notion of boxes, so the search is our own.
//!
//! | module | holds |
//! |---|---|
//! | [`cores`] | what is asked of a core; the real ones behind it |
//! | [`locals`] | what one rank can do in one state, and what must hold there |
//! | [`boxes`] | the search |
//! | [`full`] | the plain search, for comparison |
//! | [`bounds`] | all algorithms and sizes |
//! | [`planted`], [`planted_words`] | faults that must be found |
//!
//! Two barriers are searched for up to four ranks, with `RUNAHEAD_TESTS=gate` up to five (best with `--release`), or as many
//! as `RUNAHEAD_ARRIVALS_RANKS` says (at most 5); three barriers for one rank fewer; tardy signals for three ranks at most.

mod bounds;
mod boxes;
mod cores;
mod full;
mod locals;
mod planted;
mod planted_words;
