//! The sequence of basic elements of a datatype, without their displacements.
//!
//! MPI 5.0, section 5.1 (type signatures), 5.1.5 `MPI_Get_elements`: how many elements a number of
//! bytes has. A hash of the sequence does not depend on how the datatype was put together.

use std::sync::Arc;

use super::basic::Basic;
use super::error::TypeError;
use super::program::deeper;

/// The base of the hash, a polynomial in wrapping arithmetic. It is odd, so no power of it is 0.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// A sequence of at most so many parts is taken apart where it becomes part of another.
const SMALL: usize = 16;

/// A sequence of basic elements.
#[derive(Clone, Debug)]
pub struct Signature {
    bytes: usize,
    elements: usize,
    hash: u64,
    /// [`BASE`] to the power of `elements`: what a sequence before this one is multiplied by.
    power: u64,
    /// How many sequences lie in one another here.
    depth: u16,
    runs: Runs,
}

/// How the elements follow one another.
#[derive(Clone, Debug)]
enum Runs {
    /// The same element again and again, or nothing.
    Run(Basic),
    /// The same sequence again and again.
    Repeat(Arc<Signature>),
    /// Sequences one after another.
    Concat(Arc<[Part]>),
}

/// A sequence within another.
#[derive(Clone, Debug)]
struct Part {
    /// The bytes before it.
    start_bytes: usize,
    /// The elements before it.
    start_elements: usize,
    signature: Signature,
}

impl Signature {
    /// The empty sequence.
    pub(super) const fn empty() -> Self {
        let runs = Runs::Run(Basic::known(0x247));
        Self { bytes: 0, elements: 0, hash: 0, power: 1, depth: 1, runs }
    }

    /// One element.
    pub(super) fn element(basic: Basic) -> Self {
        let (bytes, hash) = (basic.size(), basic.handle() as u64);
        Self { bytes, elements: 1, hash, power: BASE, depth: 1, runs: Runs::Run(basic) }
    }

    /// The sequence `count` times.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if it has too many bytes, [`TypeError::TooDeep`].
    pub(super) fn repeat(body: &Arc<Self>, count: usize) -> Result<Self, TypeError> {
        let bytes = body.bytes.checked_mul(count).ok_or(TypeError::TooLarge { what: "size" })?;
        if bytes == 0 {
            return Ok(Self::empty());
        }
        let (hash, power) = power_of(body.hash, body.power, count);
        // Once is a repetition too: one that the next repetition of the same body joins.
        let (runs, depth) = match &body.runs {
            Runs::Run(basic) => (Runs::Run(*basic), 1),
            Runs::Repeat(inner) => (Runs::Repeat(inner.clone()), body.depth),
            Runs::Concat(_) => (Runs::Repeat(body.clone()), deeper(body.depth)?),
        };
        Ok(Self { bytes, elements: body.elements * count, hash, power, depth, runs })
    }

    /// The bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many elements there are.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// A number that is the same for the same sequence of elements, `count` times over.
    pub fn hash(&self, count: usize) -> u64 {
        power_of(self.hash, self.power, count).0
    }

    /// The element that all of the sequence consists of, if it is one only.
    pub fn uniform(&self) -> Option<Basic> {
        match self.runs {
            Runs::Run(basic) if self.elements > 0 => Some(basic),
            _ => None,
        }
    }

    /// How many whole elements the first `bytes` have, of the sequence again and again; `None` if
    /// the last one is not whole.
    pub fn elements_of(&self, bytes: usize) -> Option<usize> {
        if self.bytes == 0 {
            return Some(0);
        }
        let (times, rest) = (bytes / self.bytes, bytes % self.bytes);
        let more = if rest == 0 { 0 } else { self.elements_within(rest)? };
        times.checked_mul(self.elements)?.checked_add(more)
    }

    /// The same for less than the whole of the sequence.
    fn elements_within(&self, bytes: usize) -> Option<usize> {
        match &self.runs {
            Runs::Run(basic) => bytes.is_multiple_of(basic.size()).then(|| bytes / basic.size()),
            Runs::Repeat(body) => body.elements_of(bytes),
            Runs::Concat(parts) => {
                let part = last_before(parts, |part| part.start_bytes <= bytes)?;
                let more = part.signature.elements_of(bytes - part.start_bytes)?;
                Some(part.start_elements + more)
            }
        }
    }

    /// The bytes that the first `elements` take, of the sequence again and again; `None` if a
    /// `usize` does not hold them, or if there are no elements.
    pub fn bytes_of(&self, elements: usize) -> Option<usize> {
        if self.elements == 0 {
            return (elements == 0).then_some(0);
        }
        let (times, rest) = (elements / self.elements, elements % self.elements);
        let more = match &self.runs {
            _ if rest == 0 => 0,
            Runs::Run(basic) => rest * basic.size(),
            Runs::Repeat(body) => body.bytes_of(rest)?,
            Runs::Concat(parts) => {
                let part = last_before(parts, |part| part.start_elements <= rest)?;
                part.start_bytes + part.signature.bytes_of(rest - part.start_elements)?
            }
        };
        times.checked_mul(self.bytes)?.checked_add(more)
    }

    /// Calls `each` with the runs of equal elements of the whole sequence, in order, until it fails.
    ///
    /// # Errors
    ///
    /// What `each` fails with.
    pub(super) fn try_for_each<E>(
        &self,
        each: &mut impl FnMut(Basic, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.runs {
            Runs::Run(_) if self.elements == 0 => Ok(()),
            Runs::Run(basic) => each(*basic, self.elements),
            Runs::Repeat(body) => {
                (0..self.elements / body.elements).try_for_each(|_| body.try_for_each(each))
            }
            Runs::Concat(parts) => {
                parts.iter().try_for_each(|part| part.signature.try_for_each(each))
            }
        }
    }

    /// The sum of `size` over all elements, without visiting each; `None` on overflow.
    pub(super) fn sum(&self, size: &impl Fn(Basic) -> usize) -> Option<usize> {
        match &self.runs {
            Runs::Run(basic) => size(*basic).checked_mul(self.elements),
            Runs::Repeat(body) => body.sum(size)?.checked_mul(self.elements / body.elements),
            Runs::Concat(parts) => parts
                .iter()
                .try_fold(0_usize, |sum, part| sum.checked_add(part.signature.sum(size)?)),
        }
    }
}

/// The last part of which `holds` is true, as it is for the first ones.
fn last_before(parts: &[Part], holds: impl Fn(&Part) -> bool) -> Option<&Part> {
    parts[..parts.partition_point(holds)].last()
}

/// Hash and power of a sequence that comes `count` times, by squaring.
fn power_of(hash: u64, power: u64, mut count: usize) -> (u64, u64) {
    let (mut result, mut square) = ((0_u64, 1_u64), (hash, power));
    while count > 0 {
        if count & 1 == 1 {
            result = followed_by(result, square);
        }
        square = followed_by(square, square);
        count >>= 1;
    }
    result
}

/// Hash and power of two sequences, one after the other.
fn followed_by(first: (u64, u64), second: (u64, u64)) -> (u64, u64) {
    (first.0.wrapping_mul(second.1).wrapping_add(second.0), first.1.wrapping_mul(second.1))
}

/// Puts sequences one after another.
#[derive(Debug, Default)]
pub(super) struct Builder {
    parts: Vec<Signature>,
}

impl Builder {
    /// Appends a sequence.
    pub(super) fn push(&mut self, next: Signature) {
        if next.elements == 0 {
            return;
        }
        if let Runs::Concat(parts) = &next.runs
            && parts.len() <= SMALL
        {
            return parts.iter().for_each(|part| self.push(part.signature.clone()));
        }
        let Some(last) = self.parts.last_mut() else { return self.parts.push(next) };
        let joined = match (&last.runs, &next.runs) {
            (Runs::Run(basic), Runs::Run(other)) => basic == other,
            (Runs::Repeat(body), Runs::Repeat(other)) => Arc::ptr_eq(body, other),
            _ => false,
        };
        if !joined {
            return self.parts.push(next);
        }
        (last.hash, last.power) = followed_by((last.hash, last.power), (next.hash, next.power));
        // A sum that is too large is found where the program of the same bytes is made.
        last.bytes = last.bytes.saturating_add(next.bytes);
        last.elements = last.elements.saturating_add(next.elements);
    }

    /// The whole sequence.
    ///
    /// # Errors
    ///
    /// [`TypeError::TooLarge`] if it has too many bytes, [`TypeError::TooDeep`].
    pub(super) fn finish(mut self) -> Result<Signature, TypeError> {
        if self.parts.len() <= 1 {
            return Ok(self.parts.pop().unwrap_or_else(Signature::empty));
        }
        let (mut bytes, mut elements, mut hash) = (0_usize, 0, (0, 1));
        let depth = deeper(self.parts.iter().map(|part| part.depth).max().unwrap_or(0))?;
        let mut parts = Vec::with_capacity(self.parts.len());
        for signature in self.parts {
            let (start_bytes, start_elements) = (bytes, elements);
            bytes =
                bytes.checked_add(signature.bytes).ok_or(TypeError::TooLarge { what: "size" })?;
            elements += signature.elements;
            hash = followed_by(hash, (signature.hash, signature.power));
            parts.push(Part { start_bytes, start_elements, signature });
        }
        let (hash, power) = hash;
        Ok(Signature { bytes, elements, hash, power, depth, runs: Runs::Concat(parts.into()) })
    }
}
