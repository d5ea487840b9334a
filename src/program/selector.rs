//! Selectors: chains of lines that test one variable against constants, taken in one step.
//!
//! Each line of such a chain keeps its own operation. A selector only says which is the first line, from a given one
//! on, whose test may hold; all lines before it are known not to hold, so that they are passed and counted.

mod index;

use std::sync::{Arc, OnceLock};

use crate::program::instruction::{Constant, Instruction, Operation};
use crate::program::line::Step;
use crate::program::template::Code;

use index::Index;

pub use index::{Choice, Subject, Workspace};

/// A chain of lines.
#[derive(Debug, Clone)]
pub struct Selector {
    /// What gives the value that all lines test: a slot or a variable of the core, perhaps cut.
    pub subject: Instruction,
    /// The lines, in the order in which they are tried.
    pub tests: Vec<Tested>,
    /// Where the last line leads if it does not hold.
    pub end: Step,
    /// Made when the chain is first taken.
    index: OnceLock<Arc<Index>>,
}

/// A line of a chain.
#[derive(Debug, Clone, Copy)]
pub struct Tested {
    /// Its number.
    pub line: u32,
    /// Executed lines between the first of the chain and this one.
    pub passed: u32,
    /// When it holds.
    pub test: Test,
    /// The way if it holds.
    pub hit: Step,
    /// Its own operation.
    pub operation: Operation,
}

/// When a line of a chain holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// `"${V}" = "text"`.
    Quoted(Constant),
    /// `${V} = text`, which is no number.
    Word(Constant),
    /// `${V} = 5`.
    Integer(i64),
    /// `"${V}" =~ "pattern"`.
    Holds(Constant),
    /// `${REGEX("pattern" ${V})}`; the length of what stands before the value.
    Regex(Constant, u32),
}

impl Selector {
    /// A chain. `tests` is not empty.
    pub fn new(subject: Instruction, tests: Vec<Tested>, end: Step) -> Self {
        Self {
            subject,
            tests,
            end,
            index: OnceLock::new(),
        }
    }

    /// The first line from a place in the chain on that holds, or must be asked itself; `None` = each line must be.
    pub fn choose(
        &self,
        code: &Code,
        from: u32,
        subject: &Subject<'_>,
        space: &mut Workspace,
    ) -> Option<Choice> {
        let index = self
            .index
            .get_or_init(|| Arc::new(Index::new(&self.tests, code)));
        index.choose(from, subject, space)
    }

    /// The executed lines from one place of the chain to another, and the line there. With too little `fuel` the
    /// farthest place that it suffices for; `None` if that is the first.
    pub fn advance(&self, from: u32, to: u32, fuel: u32) -> Option<(u32, u32)> {
        let start = self.tests.get(from as usize)?.passed;
        let between = self.tests.get(from as usize..=to as usize)?;
        let reached = between.partition_point(|test| test.passed - start <= fuel);
        let test = between.get(reached.checked_sub(1).filter(|&at| at > 0)?)?;
        Some((test.passed - start, test.line))
    }
}
