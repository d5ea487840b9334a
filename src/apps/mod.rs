//! Dialplan applications, one file per application or inseparable family.

use crate::library::Application;

macro_rules! applications {
    ($($file:ident: $($name:ident),+;)*) => {
        $(mod $file;)*
        /// Every application.
        pub static ALL: &[&Application] = &[$($(&$file::$name),+),*];
    };
}

applications! {
    goto: GOTO, GOTO_IF;
    hangup: HANGUP;
    no_op: NO_OP;
    set: SET, MSET;
}
