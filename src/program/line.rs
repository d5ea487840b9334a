//! Lines: what the machine runs for each priority.

use crate::program::instruction::{CodeId, Operation};

/// No line.
pub const NONE: u32 = u32::MAX;

/// The compiled form of one priority; same index as its entry in the table. Behind those of all priorities stand
/// inner lines: what another line, such as an ExecIf, decides to do. They count with the line that they are part of.
// 32 bytes, so that finding a line is one shift.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub struct Line {
    /// The direct operation.
    pub operation: Operation,
    /// The line with the next number in the same extension, or [`NONE`]; of an inner line the one that it is part of.
    pub next: u32,
    /// The compiled data.
    pub code: CodeId,
    /// Index of the application in [`Program::applications`](super::Program::applications).
    pub application: u32,
    /// Where the direct operation goes on.
    pub onward: Step,
}

/// A way from a line to the next one with something to do, and how many lines it stands for: lines of which
/// nothing can be seen (NoOp, Goto to a fixed place) are passed on the way, but count as executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step(u32);

const INDEX_BITS: u32 = 28;
const INDEX: u32 = (1 << INDEX_BITS) - 1;

impl Step {
    /// No line follows.
    pub const END: Self = Self(1 << INDEX_BITS | INDEX);
    /// Most lines that one step stands for.
    pub const MOST: u32 = 15;

    /// A step to a line that stands for the line it leaves and `passed` others; `None` beyond what a step can hold.
    pub fn new(to: u32, passed: u32) -> Option<Self> {
        (to < INDEX && passed < Self::MOST).then_some(Self((passed + 1) << INDEX_BITS | to))
    }

    /// A step to an inner line: both are counted when that is left.
    pub fn inner(to: u32) -> Option<Self> {
        (to < INDEX).then_some(Self(to))
    }

    /// The line it leads to.
    #[inline]
    pub fn to(self) -> u32 {
        self.0 & INDEX
    }

    /// How many executed lines it stands for.
    #[inline]
    pub fn count(self) -> u32 {
        self.0 >> INDEX_BITS
    }
}
