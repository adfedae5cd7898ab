//! What a rank has stored last in each of its shared words: to be written again, all of it, when it may have been lost on
//! its way.
//!
//! Of a word there is the last value only, so the order in which all were stored cannot be had again: a count that was
//! begun anew, a mark that says what it counts, and the next number of the count become a mark and a number. The number
//! goes first: nobody counts any more what the mark of before said, but whoever saw the new mark beside the old number
//! would believe it. So words that are *published* go before those that are merely stored.
//!
//! Noting a word costs the same however many there are. What is written, and where, is [`super::spread`]'s.

/// No word, and no place.
const NONE: usize = usize::MAX;

/// How many that count for nothing may stand among the others besides as many as there are.
const SPARE: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Entry {
    /// [`NONE`] where the word was stored again later.
    word: usize,
    value: u64,
    is_published: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Stored {
    /// In the order of the last stores.
    all: Vec<Entry>,
    /// For each word, its place there.
    places: Vec<usize>,
    /// How many count.
    count: usize,
}

impl Stored {
    /// Nothing has been stored, of so many words.
    pub(super) fn new(words: usize) -> Stored {
        Stored { all: Vec::new(), places: vec![NONE; words], count: 0 }
    }

    /// A word was stored: it is the last now.
    #[inline]
    pub(super) fn note(&mut self, word: usize, value: u64, is_published: bool) {
        let entry = Entry { word, value, is_published };
        match self.all.last_mut() {
            // Most often.
            Some(last) if last.word == word => *last = entry,
            _ => self.append(entry),
        }
    }

    fn append(&mut self, entry: Entry) {
        let word = entry.word;
        if self.places.len() <= word {
            self.places.resize(word + 1, NONE);
        }
        match self.all.get_mut(self.places[word]) {
            Some(before) => before.word = NONE,
            None => self.count += 1,
        }
        if self.all.len() >= 2 * self.count + SPARE {
            self.all.retain(|entry| entry.word != NONE);
            self.all.iter().enumerate().for_each(|(at, entry)| self.places[entry.word] = at);
        }
        self.places[word] = self.all.len();
        self.all.push(entry);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The words that are to be written again first.
    pub(super) fn published(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.of(true)
    }

    /// Those that are to be written again after all that is published.
    pub(super) fn merely_stored(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.of(false)
    }

    fn of(&self, is_published: bool) -> impl Iterator<Item = (usize, u64)> + '_ {
        let counts = move |entry: &&Entry| entry.word != NONE && entry.is_published == is_published;
        self.all.iter().filter(counts).map(|entry| (entry.word, entry.value))
    }
}

/// What a rank has published in one copy alone: few words, each with the last value.
#[derive(Clone, Debug, Default)]
pub(super) struct Listed(Vec<(usize, u64)>);

impl Listed {
    /// A word was published.
    #[inline]
    pub(super) fn note(&mut self, word: usize, value: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == word) {
            Some((_, last)) => *last = value,
            None => self.0.push((word, value)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them: numbers, of which none says what another counts for.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a plain list has it, in which the word is looked for.
    /// (Planted: places that stay as they were when what counts for nothing is left out.)
    #[test]
    fn each_word_stands_once_in_the_order_of_the_last_stores_and_what_is_published_first() {
        let mut random = fastrand::Rng::with_seed(5);
        for words in [1, 2, 5, 40] {
            let mut stored = Stored::new(words);
            let mut plain: Vec<(usize, u64, bool)> = Vec::new();
            for value in 0..2000 {
                let word = random.usize(..words);
                let is_published = random.bool();
                stored.note(word, value, is_published);
                plain.retain(|&(known, ..)| known != word);
                plain.push((word, value, is_published));
                let mut sorted = plain.clone();
                sorted.sort_by_key(|&(.., is_published)| !is_published);
                let expected = sorted.iter().map(|&(word, value, _)| (word, value));
                let again = stored.published().chain(stored.merely_stored());
                assert!(again.eq(expected), "{words} words, {value}");
                assert!(stored.all.len() <= 2 * words + SPARE + 1, "nothing heaps up");
            }
        }
    }
}
