//! Typed 32-bit ids and the vectors they index.
//!
//! Every table of pleach is a dense arena. An id is a `u32` with a type, so that a [`NodeId`] cannot index a
//! table of productions, and half the size of a `usize`, so that tables stay in the cache. Ids are handed out by the
//! grammar floor only, which refuses grammars of more than [`MAX_IDS`] nodes; that makes the conversions below total.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// The most ids of one type that a grammar may need: enough for a grammar text of gigabytes.
pub const MAX_IDS: usize = (u32::MAX / 4) as usize;

/// A dense index of one type.
pub trait Id: Copy + Eq + Ord {
    /// The id at a position. Positions come from tables bounded by [`MAX_IDS`].
    fn from_index(index: usize) -> Self;
    /// The position of the id.
    fn index(self) -> usize;
}

/// Defines types of ids: each a 32-bit number that implements [`Id`].
#[doc(hidden)]
#[macro_export]
macro_rules! __ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $crate::id::Id for $name {
            #[inline(always)]
            fn from_index(index: usize) -> Self {
                debug_assert!(index <= u32::MAX as usize);
                $name(index as u32)
            }
            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}
#[doc(inline)]
pub use crate::__ids as ids;

ids! {
    /// A production, and the nonterminal that it defines.
    ProductionId;
    /// A node of the grammar graph, symbolic or synthetic.
    NodeId;
    /// A symbolic node (an occurrence of a reference, literal or class), counted over the whole grammar. The symbols of
    /// one production are consecutive, in written order.
    SymbolId;
    /// A distinct literal text.
    LiteralId;
    /// A distinct character class.
    ClassId;
}

/// A vector indexed by a typed id.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        IdVec {
            items: Vec::new(),
            id: PhantomData,
        }
    }

    /// `len` copies of `value`.
    pub fn filled(len: usize, value: T) -> Self
    where
        T: Clone,
    {
        IdVec::from(vec![value; len])
    }

    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All ids, ascending.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All items with their ids, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (I::from_index(index), item))
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The item with this id, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The value of an id, if there is one, to be changed.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        IdVec::new()
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        IdVec {
            items,
            id: PhantomData,
        }
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        IdVec::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}
