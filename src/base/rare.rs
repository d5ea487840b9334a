//! What is held by the thousand and seldom used: absent until it is first changed.

use std::collections::HashMap;
use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::base::symbol::stable_hasher;

/// A value that is read as [`Absent::ABSENT`] and takes 8 bytes until somebody changes it.
#[derive(Clone)]
pub struct Rare<T>(Option<Box<T>>);

/// How a value reads that nobody has set.
pub trait Absent: Clone + 'static {
    /// The value.
    const ABSENT: &'static Self;
}

impl<T: Clone + 'static> Absent for Vec<T> {
    const ABSENT: &'static Self = &Vec::new();
}

impl<K: Clone + 'static, V: Clone + 'static> Absent for HashMap<K, V, ahash::RandomState> {
    const ABSENT: &'static Self = &HashMap::with_hasher(stable_hasher());
}

impl<T> Rare<T> {
    /// The absent value.
    pub const fn absent() -> Self {
        Self(None)
    }

    /// Whether nobody has changed the value.
    #[inline]
    pub fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> Default for Rare<T> {
    fn default() -> Self {
        Self::absent()
    }
}

impl<T> From<T> for Rare<T> {
    fn from(value: T) -> Self {
        Self(Some(Box::new(value)))
    }
}

impl<T: Absent> Deref for Rare<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::ABSENT)
    }
}

impl<T: Absent> DerefMut for Rare<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_with(|| Box::new(T::ABSENT.clone()))
    }
}

impl<T: Absent + PartialEq> PartialEq for Rare<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Absent + Eq> Eq for Rare<T> {}

impl<T: Absent + fmt::Debug> fmt::Debug for Rare<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_until_changed() {
        let mut list: Rare<Vec<u8>> = Rare::default();
        assert!(list.is_empty() && list.is_absent());
        list.push(1);
        assert_eq!(*list, [1]);
        assert_ne!(list, Rare::absent());
        assert_eq!(Rare::from(Vec::<u8>::new()), Rare::absent());
        assert_eq!(std::mem::size_of_val(&list), 8);
    }
}
