//! Things without dialplan knowledge: places, sources, names, byte texts, numbers.

pub mod pattern;
pub mod source;
pub mod symbol;
pub mod text;
pub mod timespec;
pub mod value;
pub mod zone;

pub use source::{Place, SourceId, SourceMap};
pub use symbol::{Interner, Symbol};
pub use text::Text;
pub use value::Value;
