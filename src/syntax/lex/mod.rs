<<<<<<< HEAD
//! Lexers, one per language.

pub mod template;
=======
//! Placeholder.
>>>>>>> expr
