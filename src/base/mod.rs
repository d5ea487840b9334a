//! Things without dialplan knowledge: places, sources, names, byte texts, numbers.

pub mod arguments;
pub mod callerid;
pub mod cause;
pub mod civil;
pub mod condition;
pub mod duration;
pub mod ere;
pub mod number;
pub mod operand;
pub mod pattern;
pub mod printf;
pub mod rare;
pub mod scan;
pub mod search;
pub mod source;
pub mod substring;
pub mod symbol;
pub mod text;
pub mod timespec;
pub mod value;
pub mod zone;

pub use ere::{Ere, EreCache, EreError};
pub use number::Number;
pub use rare::Rare;
pub use source::{Place, SourceId, SourceMap};
pub use symbol::{Interner, Symbol};
pub use text::Text;
pub use value::Value;
