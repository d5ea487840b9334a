//! Descriptors of applications and functions, and the registry that binds names to them.

mod application;
mod document;
mod function;
mod registry;

pub use application::{Application, CompileLine, LineBuilder, LineContext, ListNames, Named};
pub use document::{Example, Origin, Support};
pub use function::Function;
pub use registry::Registry;
