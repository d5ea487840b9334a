//! Dialplan functions, one file per function or inseparable family.

use crate::library::Function;

macro_rules! functions {
    ($($file:ident: $($name:ident),+;)*) => {
        $(mod $file;)*
        /// Every function.
        pub static ALL: &[&Function] = &[$($(&$file::$name),+),*];
    };
}

functions! {
    len: LEN;
}
