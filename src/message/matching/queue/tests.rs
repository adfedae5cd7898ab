//! Compares the match queue with a plain list.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const SENDERS: usize = 3;

#[derive(Clone, Debug)]
enum Step {
    Deliver(Rank, u32),
    Post(Pattern),
    /// Cancel one of the posted receives.
    Cancel(usize),
    Take(Pattern),
    /// Take a message and put it back.
    Return(Pattern),
    /// Put back one of the messages that were taken before.
    PutBack(usize),
    Peek(Pattern),
}

fn pattern() -> impl Strategy<Value = Pattern> {
    let source = prop_oneof![Just(Source::Any), (0..SENDERS).prop_map(Source::Rank)];
    let tag = prop_oneof![Just(Tag::Any), (0..2u32).prop_map(Tag::Exactly)];
    (source, tag).prop_map(|(source, tag)| Pattern { source, tag })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..SENDERS, 0..2u32).prop_map(|(from, tag)| Step::Deliver(from, tag)),
        2 => pattern().prop_map(Step::Post),
        1 => (0..9usize).prop_map(Step::Cancel),
        3 => pattern().prop_map(Step::Take),
        1 => pattern().prop_map(Step::Return),
        1 => (0..9usize).prop_map(Step::PutBack),
        1 => pattern().prop_map(Step::Peek),
    ]
}

/// Messages in the order in which they were noticed, and posted receives in that of posting.
#[derive(Default)]
struct Plain {
    kept: Vec<(u64, Rank, u32)>,
    posted: Vec<(PostedRecv, Pattern)>,
}

impl Plain {
    fn offer(&mut self, message: (u64, Rank, u32)) -> Option<PostedRecv> {
        let (_, from, tag) = message;
        match self.posted.iter().position(|(_, pattern)| pattern.takes(from, tag)) {
            Some(at) => Some(self.posted.remove(at).0),
            None => {
                self.kept.push(message);
                self.kept.sort_unstable();
                None
            }
        }
    }

    fn find(&self, pattern: Pattern) -> Option<usize> {
        self.kept.iter().position(|&(_, from, tag)| pattern.takes(from, tag))
    }

    fn take(&mut self, pattern: Pattern) -> Option<(u64, Rank, u32)> {
        self.find(pattern).map(|at| self.kept.remove(at))
    }
}

fn plain(deliverable: &Deliverable<u64>) -> (u64, Rank, u32) {
    assert_eq!(deliverable.noticed, deliverable.message);
    (deliverable.noticed, deliverable.source, deliverable.tag)
}

proptest! {
    // SEMANTICS: ORD-2, HOLD-3
    #[test]
    fn a_match_queue_behaves_like_a_list_in_the_order_of_notice(steps in vec(step(), 0..80)) {
        let mut queue = MatchQueue::new(SENDERS);
        let mut list = Plain::default();
        let mut taken: Vec<Deliverable<u64>> = Vec::new();
        let (mut noticed, mut receives) = (0, 0);
        for step in steps {
            match step {
                Step::Deliver(from, tag) => {
                    noticed += 1;
                    let matched = queue.handle_deliverable(from, tag, noticed);
                    let expected = list.offer((noticed, from, tag));
                    prop_assert_eq!(matched.as_ref().map(|(id, _)| *id), expected);
                    taken.extend(matched.map(|(_, message)| message));
                }
                Step::Post(pattern) => {
                    receives += 1;
                    let id = PostedRecv(receives);
                    let found = queue.post_recv(id, pattern);
                    prop_assert_eq!(found.as_ref().map(plain), list.take(pattern));
                    if found.is_none() {
                        list.posted.push((id, pattern));
                    }
                    taken.extend(found);
                }
                Step::Cancel(which) if !list.posted.is_empty() => {
                    let (id, _) = list.posted.remove(which % list.posted.len());
                    queue.cancel_recv(id);
                }
                Step::Take(pattern) => {
                    let found = queue.take(pattern);
                    prop_assert_eq!(found.as_ref().map(plain), list.take(pattern));
                    taken.extend(found);
                }
                Step::Return(pattern) => {
                    if let Some(found) = queue.take(pattern) {
                        // No posted receive matches a kept message, so it is kept again.
                        prop_assert_eq!(queue.put_back(found), None);
                    }
                }
                Step::PutBack(which) if !taken.is_empty() => {
                    let message = taken.swap_remove(which % taken.len());
                    let expected = list.offer(plain(&message));
                    let matched = queue.put_back(message);
                    prop_assert_eq!(matched.as_ref().map(|(id, _)| *id), expected);
                    taken.extend(matched.map(|(_, message)| message));
                }
                Step::Peek(pattern) => {
                    let expected = list.find(pattern).map(|at| list.kept[at]);
                    let seen = queue.peek(pattern).map(|(from, tag, &noticed)| (noticed, from, tag));
                    prop_assert_eq!(seen, expected);
                    prop_assert_eq!(queue.peek_mut(pattern).copied(), expected.map(|m| m.0));
                    let all = queue.all(pattern).map(|(from, tag, &noticed)| (noticed, from, tag));
                    let kept = list.kept.iter().copied();
                    let expected = kept.filter(|&(_, from, tag)| pattern.takes(from, tag));
                    prop_assert_eq!(all.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
                }
                Step::Cancel(_) | Step::PutBack(_) => {}
            }
            prop_assert_eq!(queue.nodes.len() - queue.free.len(), list.kept.len());
        }
        let any = Pattern { source: Source::Any, tag: Tag::Any };
        while let Some(message) = queue.take(any) {
            prop_assert_eq!(Some(plain(&message)), list.take(any));
        }
        prop_assert!(list.kept.is_empty());
    }
}
