//! Text to syntax trees: configuration files, extension lines, patterns, templates, expressions.

/// The module `grammar`, with what the parser generator made of a file of the folder `grammar`.
macro_rules! generated_grammar {
    ($file:literal) => {
        lalrpop_util::lalrpop_mod!(
            #[allow(
                clippy::all,
                clippy::pedantic,
                clippy::restriction,
                unused,
                unreachable_pub,
                missing_docs,
                reason = "generated code"
            )]
            grammar,
            $file
        );
    };
}

pub mod ast;
pub mod error;
mod expression;
pub mod lex;
pub mod load;
pub mod print;

pub(crate) use generated_grammar;

pub use expression::{expression, expression_of_tokens};
