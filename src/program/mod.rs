//! A compiled dialplan as plain data: no function pointers, so it can be compared, listed and shown.

pub(crate) mod automaton;
pub mod context;
pub mod explain;
pub mod matcher;

pub use context::{
    Context, ContextId, Extension, ExtensionId, Hint, Include, Priority, PriorityId, Switch, Table,
};
pub use matcher::{Found, Matcher, NotFound, Query, Want};
