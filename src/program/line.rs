//! Lines: what the machine runs for each priority.

use crate::program::instruction::{CodeId, Operation};

/// No line.
pub const NONE: u32 = u32::MAX;

/// The compiled form of one priority; same index as its entry in the table.
// 32 bytes, so that finding a line is one shift.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub struct Line {
    /// The direct operation.
    pub operation: Operation,
    /// The line with the next number in the same extension, or [`NONE`].
    pub next: u32,
    /// The compiled data.
    pub code: CodeId,
    /// Index of the application in [`Program::applications`](super::Program::applications).
    pub application: u32,
}
