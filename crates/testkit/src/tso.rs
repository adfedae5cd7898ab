//! A memory whose stores are delayed as x86 delays them (sewell-2010), for searches of
//! protocols that leave out fences. Loom cannot run these: it has no fence that one thread executes
//! for another.
//!
//! Each thread has a buffer for its stores. A store waits there for as long as it likes; the thread
//! itself sees it, and no other does. A fence waits until the buffer is empty, and so does a change of
//! a word in one step. The fence of the system (membarrier) empties the buffers of all other threads,
//! one by one, at any time before it returns.

use std::collections::VecDeque;

/// The words, and for each thread the stores that have yet to arrive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    words: Vec<i8>,
    delayed: Vec<VecDeque<(usize, i8)>>,
}

impl Memory {
    /// These words, for so many threads.
    pub fn new(words: &[i8], threads: usize) -> Memory {
        Memory { words: words.to_vec(), delayed: vec![VecDeque::new(); threads] }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.delayed.len()
    }

    /// What a thread sees in a word: its own last store, or what has arrived.
    pub fn load(&self, thread: usize, word: usize) -> i8 {
        let own = self.delayed[thread].iter().rfind(|(stored, _)| *stored == word);
        own.map_or(self.words[word], |&(_, value)| value)
    }

    /// A store, which is delayed.
    pub fn store(&mut self, thread: usize, word: usize, value: i8) {
        self.delayed[thread].push_back((word, value));
    }

    /// The oldest delayed store of a thread arrives. False if there is none.
    pub fn arrive(&mut self, thread: usize) -> bool {
        let oldest = self.delayed[thread].pop_front();
        oldest.map(|(word, value)| self.words[word] = value).is_some()
    }

    /// A fence: all delayed stores of a thread arrive.
    pub fn fence(&mut self, thread: usize) {
        while self.arrive(thread) {}
    }

    /// Changes a word in one step; returns what was there.
    pub fn update(&mut self, thread: usize, word: usize, change: impl Fn(i8) -> i8) -> i8 {
        self.fence(thread);
        let before = self.words[word];
        self.words[word] = change(before);
        before
    }
}

/// A fence of the system's that a thread waits for: the threads that it has yet to reach.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SystemFence(Vec<usize>);

impl SystemFence {
    /// Begins one.
    pub fn begin(memory: &mut Memory, thread: usize) -> SystemFence {
        memory.fence(thread);
        SystemFence((0..memory.threads()).filter(|&other| other != thread).collect())
    }

    /// Whether it has reached all, and returns.
    pub fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    /// All ways in which it reaches one more thread.
    pub fn next(&self, memory: &Memory) -> Vec<(SystemFence, Memory)> {
        let reach = |at: usize| {
            let (mut fence, mut memory) = (self.clone(), memory.clone());
            memory.fence(fence.0.remove(at));
            (fence, memory)
        };
        (0..self.0.len()).map(reach).collect()
    }
}
