//! One call of a collective: how its messages differ from those of other calls, and how ranks
//! notice that they called different collectives.
//!
//! The tag of a collective's message is the call's index on its communicator, so that several calls
//! may be in progress at once. The payload of an edge begins with a [`Word`], which describes the
//! call. The receiver compares it with its own call.
//!
//! Keeps rules COL-4 and SAFE-1 of SEMANTICS.md.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::{CollectiveError, Kind, Tree};
use crate::comm::element::check_sized;
use crate::comm::{Comm, Element};
use crate::error::{Error, Result};
use crate::order::Rank;
use crate::verbs::Nic;

/// The mark of a payload without a word, in the header's element byte. The collective stands below it.
const BARE: u8 = 1 << 6;

const _: () = assert!(Kind::ALL.len() <= 1 << 5);

/// A call of a collective at one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) kind: Kind,
    pub(super) tree: Tree,
    /// The smallest piece of data that travel in several, if that was measured.
    pub(super) piece_bytes: Option<usize>,
    pub(super) root: Rank,
    /// The index of the call on its communicator; wraps around.
    pub(super) number: u32,
    /// The same, which does not wrap around.
    pub(super) index: u64,
    /// The code of the operator: see [`operator_code`].
    operator: u32,
    /// The operator's name in this rank's program.
    operator_name: &'static str,
    pub(super) element: usize,
    /// Whether members may deposit in it: all say the same.
    pub(super) is_deposited: bool,
    /// Whether it is one of bytes, in which payloads above the eager limit go without a word.
    pub(super) goes_bare: bool,
    /// Whether what this rank gives stays as it is until the call is over.
    pub(super) stays: bool,
}

/// The start of the first message of a call on an edge, little-endian.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct Word {
    /// The length of the payload of this edge.
    bytes: U64,
    root: U32,
    element: U32,
    /// See [`operator_code`].
    operator: U32,
    kind: u8,
    tree: u8,
    /// Reserved; zero.
    spare: [u8; 2],
}

impl Word {
    pub(super) const BYTES: usize = size_of::<Word>();

    /// The same, in words of the processor.
    #[inline]
    pub(super) fn words(self) -> [u64; 3] {
        zerocopy::transmute!(self)
    }
}

impl Call {
    /// Counts one more call on `comm`. All members must give the same `bytes` of payload, or none
    /// if they do not all know it.
    pub(super) fn new<T: Element, N: Nic>(
        comm: &Comm<N>,
        kind: Kind,
        root: Rank,
        bytes: Option<usize>,
    ) -> Result<Call> {
        check_sized::<T>();
        comm.check_rank(root)?;
        let (tree, piece_bytes) = match (comm.tree.get(), bytes) {
            (_, None) => (Tree::Flat, None),
            (Tree::Auto, Some(bytes)) => comm.choose_shape(kind, bytes),
            (tree, Some(_)) => (tree, None),
        };
        let is_deposited =
            kind.is_deposited() && bytes.is_none_or(|bytes| comm.is_small(kind, bytes));
        let index = comm.collectives.next_index();
        Ok(Call {
            kind,
            tree,
            piece_bytes,
            root,
            number: index as u32,
            index,
            operator: 0,
            operator_name: "",
            element: size_of::<T>(),
            is_deposited,
            goes_bare: false,
            stays: false,
        })
    }

    /// A call on `comm` in which no rank forwards, whatever its tree. The caller counts it once it
    /// is certain that the call will be made.
    pub(super) fn uncounted<T: Element, N: Nic>(
        comm: &Comm<N>,
        kind: Kind,
        root: Rank,
    ) -> Result<Call> {
        check_sized::<T>();
        comm.check_rank(root)?;
        let (tree, piece_bytes, element) = (Tree::Flat, None, size_of::<T>());
        let (number, index, operator, operator_name) = (0, 0, 0, "");
        let is_deposited = kind.is_deposited();
        Ok(Call {
            kind,
            tree,
            piece_bytes,
            root,
            number,
            index,
            operator,
            operator_name,
            element,
            is_deposited,
            goes_bare: false,
            stays: false,
        })
    }

    /// The same call, on `comm`, with an operator of this type.
    #[inline]
    pub(super) fn with_operator<F, N: Nic>(self, comm: &Comm<N>, _: &F) -> Call {
        let operator_name = std::any::type_name::<F>();
        let operator = comm.collectives.operator_code(operator_name);
        Call { operator, operator_name, ..self }
    }

    /// The same call, with the operator of this code, which is 0 if it is not known; and its name.
    pub(super) fn with_operator_of(self, operator: u32, operator_name: &'static str) -> Call {
        Call { operator, operator_name, ..self }
    }

    /// The same call, of bytes: payloads above the eager limit go without a word.
    pub(super) fn of_bytes(self) -> Call {
        Call { goes_bare: true, ..self }
    }

    /// The same call, of what stays as it is until the call is over.
    ///
    /// # Safety
    ///
    /// It does, until the call is complete or dropped, or could not be posted.
    pub(super) unsafe fn of_what_stays(self) -> Call {
        Call { stays: true, ..self }
    }

    /// The same call, in this tree.
    pub(super) fn with_tree(self, tree: Tree) -> Call {
        Call { tree, ..self }
    }

    /// The same call, in which nobody deposits unless what each would deposit `is_small`. All must say
    /// the same.
    pub(super) fn deposited_if(self, is_small: bool) -> Call {
        Call { is_deposited: self.is_deposited && is_small, ..self }
    }

    /// The same call, in which members deposit or not: all say the same.
    pub(super) fn with_deposits(self, is_deposited: bool) -> Call {
        Call { is_deposited, ..self }
    }

    /// Whether the operator is one of [`ops`](super::ops), of which it is known that it calls nothing
    /// of this runtime, and does not panic.
    pub(super) fn has_known_operator(&self) -> bool {
        self.operator_name.starts_with(super::ops::PATH)
    }

    /// The word for an edge with this many bytes of payload.
    #[inline]
    pub(super) fn word(&self, bytes: usize) -> Word {
        Word {
            bytes: U64::new(bytes as u64),
            root: U32::new(self.root as u32),
            element: U32::new(self.element as u32),
            operator: U32::new(self.operator),
            kind: self.kind as u8,
            tree: self.tree as u8,
            spare: [0; 2],
        }
    }

    /// Splits the first message of an edge into the length of the edge's payload, in bytes, and the
    /// part behind the word. Fails unless it belongs to this call and has the `expected` length.
    #[inline]
    pub(super) fn check_word<'m>(
        &self,
        from: Rank,
        message: &'m [u8],
        expected: Option<usize>,
    ) -> Result<(u64, &'m [u8])> {
        let Some((theirs, payload)) = Word::split_from(message) else {
            return Err(self.wrong_piece(from, message.len(), Word::BYTES));
        };
        let bytes = theirs.bytes.get();
        let ours = self.word(expected.unwrap_or(bytes as usize));
        if theirs.words() != ours.words() {
            self.check_other_word(from, theirs, ours)?;
        }
        Ok((bytes, payload))
    }

    /// Fails unless two words are those of one call: where one rank does not know its operator, that does not
    /// count.
    #[inline(never)]
    fn check_other_word(&self, from: Rank, theirs: Word, mut ours: Word) -> Result<()> {
        if theirs.operator.get() == 0 || ours.operator.get() == 0 {
            ours.operator = theirs.operator;
        }
        match theirs.words() == ours.words() {
            true => Ok(()),
            false => Err(self.other_word(from, &theirs, &ours)),
        }
    }

    /// Checks a payload that came without a word, in a call of bytes: its element byte says of which collective it is.
    pub(super) fn check_bare(
        &self,
        from: Rank,
        element: u8,
        (bytes, expected): (usize, Option<usize>),
    ) -> Result<()> {
        let is_as_here = self.goes_bare && element == self.bare_element();
        match is_as_here && expected.is_none_or(|expected| expected == bytes) {
            true => Ok(()),
            false if is_as_here => Err(self.wrong_piece(from, bytes, expected.unwrap_or(0))),
            false => Err(self.other_bare(from, element, bytes)),
        }
    }

    /// The element byte of a payload that goes without a word.
    pub(super) fn bare_element(&self) -> u8 {
        BARE | self.kind as u8
    }

    /// The error for a rank `from` that has sent a payload without a word, which is not of this call.
    #[cold]
    fn other_bare(&self, from: Rank, element: u8, bytes: usize) -> Error {
        let kind = Kind::ALL.into_iter().find(|kind| BARE | *kind as u8 == element);
        let kind = kind.map_or("an unknown collective", Kind::name);
        let theirs = format!("{kind} with {bytes} bytes");
        CollectiveError::Mismatch { from, theirs, ours: self.kind.to_string() }.into()
    }

    /// The error for a rank `from` whose word is another.
    #[cold]
    fn other_word(&self, from: Rank, theirs: &Word, ours: &Word) -> Error {
        // Only the code of the other rank's function is known here.
        let ours_named = ours.describe(theirs, &format!("the operator {}", self.operator_name));
        let (theirs, ours) = (theirs.describe(ours, "another operator"), ours_named);
        CollectiveError::Mismatch { from, theirs, ours }.into()
    }

    /// The error for a rank `from` that is at another call of its communicator.
    #[cold]
    pub(super) fn other_number(&self, from: Rank, number: u32) -> Error {
        let theirs = format!("its collective number {number}");
        let ours = format!("number {}, {}", self.number, self.kind);
        CollectiveError::Mismatch { from, theirs, ours }.into()
    }

    /// The error for a piece from `from` that is not as long as its word says.
    #[cold]
    pub(super) fn wrong_piece(&self, from: Rank, sent: usize, expected: usize) -> Error {
        let theirs = format!("{} and sent a piece of {sent} bytes", self.kind);
        let ours = format!("{}, where a piece has {expected}", self.kind);
        CollectiveError::Mismatch { from, theirs, ours }.into()
    }

    /// The error for a rank `from` that offers what nobody may offer.
    #[cold]
    pub(super) fn wrong_offer(&self, from: Rank, bytes: u64) -> Error {
        let theirs = format!("{} and offered {bytes} bytes", self.kind);
        let ours = format!("{}, where the whole of a part is offered, or nothing", self.kind);
        CollectiveError::Mismatch { from, theirs, ours }.into()
    }
}

impl Word {
    /// The word at the start of a message, and what comes behind.
    #[inline]
    fn split_from(message: &[u8]) -> Option<(Word, &[u8])> {
        let (word, payload) = message.split_first_chunk::<{ Word::BYTES }>()?;
        // In words, as it was written: a processor waits where a load is wider than the store before.
        let (bytes, _) = word.as_chunks();
        let words: [u64; 3] = std::array::from_fn(|at| u64::from_ne_bytes(bytes[at]));
        Some((zerocopy::transmute!(words), payload))
    }

    fn kind(&self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u8 == self.kind)
    }

    /// The call in words: its name, and how it differs from the other.
    fn describe(&self, other: &Word, operator: &str) -> String {
        let Some(kind) = self.kind() else { return "an unknown collective".to_owned() };
        let mut parts = Vec::new();
        let same_kind = self.kind == other.kind;
        if kind.has_root() && (self.root != other.root || !same_kind) {
            parts.push(format!("root {}", self.root));
        }
        if self.tree != other.tree {
            let tree = Tree::ALL.into_iter().find(|tree| *tree as u8 == self.tree);
            parts.push(format!("{} tree", tree.map_or("an unknown", article_and_name)));
        }
        let (element, bytes) = (self.element.get(), self.bytes.get());
        if self.element != other.element || self.bytes != other.bytes {
            let count = bytes.checked_div(element.into()).unwrap_or(0);
            parts.push(format!("{count} elements of {element} bytes"));
        }
        if same_kind && self.operator != other.operator {
            parts.push(operator.to_owned());
        }
        match parts.as_slice() {
            [] => kind.to_string(),
            parts => format!("{kind} with {}", parts.join(", ")),
        }
    }
}

fn article_and_name(tree: Tree) -> &'static str {
    match tree {
        Tree::Auto => "a chosen",
        Tree::Flat => "a flat",
        Tree::Binary => "a binary",
        Tree::Binomial => "a binomial",
        Tree::Chain => "a chain",
    }
}

/// A code that lets ranks notice that they combine with different functions. It is 0 for closures
/// and function pointers, whose types do not identify the function. Two names may have one code.
pub(super) fn operator_code(name: &str) -> u32 {
    let name = name.trim_start_matches('&');
    if ["{{closure}}", "fn(", "dyn "].iter().any(|part| name.contains(part)) {
        return 0;
    }
    // FNV-1a.
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, hash).max(1)
}

#[cfg(test)]
mod tests {
    use super::super::ops;
    use super::*;

    fn code<F: Fn(f64, f64) -> f64>(_: F) -> u32 {
        operator_code(std::any::type_name::<F>())
    }

    #[test]
    fn named_functions_have_codes() {
        assert_ne!(code(f64::max), code(f64::min));
        assert_eq!(code(f64::max), code(f64::max));
        assert_ne!(code(std::ops::Add::add), 0);
        assert_ne!(code(ops::sum), code(ops::product));
        assert_ne!(code(ops::sum), 0);
        assert_eq!(operator_code("&f64::max"), operator_code("f64::max"));
    }

    /// What comes without a word is of the call's kind and length, or an error that says so. (Planted: the kind is not
    /// compared; nor the length; a call of elements takes it.)
    // SEMANTICS: COL-4
    #[test]
    fn what_comes_without_a_word_is_compared() {
        let elements = call(Kind::IallReduce, 1);
        let bytes = elements.of_bytes();
        let other = call(Kind::IallGather, 1).of_bytes().bare_element();
        let told = |call: Call, element: u8, len: usize| {
            call.check_bare(2, element, (len, Some(9000))).map_err(|error| error.to_string())
        };
        assert_eq!(told(bytes, bytes.bare_element(), 9000), Ok(()));
        let error = |told: std::result::Result<(), String>| told.expect_err("they differ");
        assert_eq!(
            error(told(bytes, other, 9000)),
            "rank 2 called iall_gather with 9000 bytes; here it is iall_reduce"
        );
        assert!(error(told(bytes, bytes.bare_element(), 9001)).contains("a piece of 9001 bytes"));
        assert!(told(elements, bytes.bare_element(), 9000).is_err());
        for element in 0..128 {
            assert_eq!(told(bytes, element, 9000).is_ok(), element == bytes.bare_element());
        }
    }

    fn call(kind: Kind, element: usize) -> Call {
        Call {
            kind,
            tree: Tree::Flat,
            piece_bytes: None,
            root: 0,
            number: 3,
            index: 3,
            operator: 0,
            operator_name: "",
            is_deposited: false,
            goes_bare: false,
            stays: false,
            element,
        }
    }

    #[test]
    fn closures_and_pointers_have_none() {
        assert_eq!(code(|a, b| a + b), 0);
        assert_eq!(code(f64::max as fn(f64, f64) -> f64), 0);
        let boxed: Box<dyn Fn(f64, f64) -> f64> = Box::new(f64::max);
        assert_eq!(code(&*boxed), 0);
        assert_eq!(code(boxed), 0);
    }

    #[test]
    fn a_mismatch_names_what_differs() {
        let reduce = call(Kind::Reduce, 8);
        let told = |theirs: Call, bytes: usize| {
            let word = theirs.word(bytes);
            let checked = reduce.check_word(2, word.as_bytes(), Some(16));
            checked.map(|(bytes, _)| bytes).map_err(|error| error.to_string())
        };
        assert_eq!(told(reduce, 16), Ok(16));
        let error = |theirs, bytes| told(theirs, bytes).unwrap_err();
        assert_eq!(
            error(reduce, 24),
            "rank 2 called reduce with 3 elements of 8 bytes; here it is reduce with 2 elements of \
             8 bytes"
        );
        assert_eq!(
            error(Call { root: 1, ..reduce }, 16),
            "rank 2 called reduce with root 1; here it is reduce with root 0"
        );
        assert_eq!(
            error(Call { tree: Tree::Binary, ..reduce }, 16),
            "rank 2 called reduce with a binary tree; here it is reduce with a flat tree"
        );
        assert_eq!(
            error(Call { kind: Kind::Exchange, ..reduce }, 16),
            "rank 2 called exchange; here it is reduce with root 0"
        );
        // Bytes from a peer are not trusted.
        for length in 0..Word::BYTES {
            assert!(reduce.check_word(2, &[0xff; 23][..length], Some(16)).is_err());
        }
        let wild = reduce.check_word(2, &[0xff; 24], Some(16)).unwrap_err().to_string();
        assert_eq!(
            wild,
            "rank 2 called an unknown collective; here it is reduce with root 0, a flat tree, 2 elements of 8 bytes"
        );
    }
}
