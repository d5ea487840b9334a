//! A compiled dialplan as plain data: no function pointers, so it can be compared, listed and shown.

pub mod context;
pub mod expression;

pub use context::{
    Context, ContextId, Extension, ExtensionId, Include, Priority, PriorityId, Switch, Table,
};
