//! Plans as text.
