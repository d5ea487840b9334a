//! Direct operations get their ways: lines of which nothing can be seen are passed without stopping.

use crate::program::expression::Comparison;
use crate::program::instruction::{Condition, Direct, Operation};
use crate::program::line::{Line, NONE, Step};

/// Links lines whose direct operations are known; those from `priorities` on are inner lines. A line that is passed
/// keeps its own operation for those who jump to it.
pub(super) fn fuse(lines: &mut [Line], direct: &[Option<Direct>], priorities: usize) {
    for index in 0..lines.len() {
        let Some(Some(wanted)) = direct.get(index) else {
            continue;
        };
        let ways = Ways {
            lines,
            direct,
            priorities,
        };
        let linked = match *wanted {
            Direct::Next(operation) => ways.to(ways.next(index)).map(|way| (operation, way)),
            Direct::Jump(to) => ways.to(to).map(|way| (Operation::Jump, way)),
            Direct::Branch(condition, yes, no) => ways
                .branch(condition, yes, no)
                .map(|operation| (operation, Step::END)),
        };
        if let Some((operation, onward)) = linked
            && let Some(line) = lines.get_mut(index)
        {
            line.operation = operation;
            line.onward = onward;
        }
    }
}

/// What all comparisons come down to.
enum Plain {
    Less,
    Equal,
}

/// A comparison as a plain one, whether that must hold, and whether its sides are exchanged.
fn plain(comparison: Comparison) -> (Plain, bool, bool) {
    match comparison {
        Comparison::Equal => (Plain::Equal, true, false),
        Comparison::NotEqual => (Plain::Equal, false, false),
        Comparison::Less => (Plain::Less, true, false),
        Comparison::GreaterOrEqual => (Plain::Less, false, false),
        Comparison::Greater => (Plain::Less, true, true),
        Comparison::LessOrEqual => (Plain::Less, false, true),
    }
}

struct Ways<'a> {
    lines: &'a [Line],
    direct: &'a [Option<Direct>],
    priorities: usize,
}

impl Ways<'_> {
    /// The line after one; an inner line goes on where the line does that it is part of.
    fn next(&self, index: usize) -> u32 {
        let next = |at: usize| self.lines.get(at).map_or(NONE, |line| line.next);
        if index < self.priorities {
            next(index)
        } else {
            next(next(index) as usize)
        }
    }

    fn branch(&self, condition: Condition, yes: u32, no: u32) -> Option<Operation> {
        if let Condition::Text(code) = condition {
            return Some(Operation::BranchText { code, yes, no });
        }
        let (yes, no) = (self.to(yes)?, self.to(no)?);
        // What does not hold goes the other way, so that a few comparisons suffice.
        let ways = |holds: bool| if holds { (yes, no) } else { (no, yes) };
        Some(match condition {
            Condition::Slots(comparison, left, right) => {
                let (kind, holds, mirrored) = plain(comparison);
                let (left, right) = if mirrored {
                    (right, left)
                } else {
                    (left, right)
                };
                let (yes, no) = ways(holds);
                match kind {
                    Plain::Less => Operation::BranchLess {
                        left,
                        right,
                        yes,
                        no,
                    },
                    Plain::Equal => Operation::BranchEqual {
                        left,
                        right,
                        yes,
                        no,
                    },
                }
            }
            Condition::Constant(comparison, left, right) => {
                let (kind, holds, mirrored) = plain(comparison);
                // right < left unless left < right + 1
                let (right, holds) = if mirrored {
                    (right.checked_add(1)?, !holds)
                } else {
                    (right, holds)
                };
                let (yes, no) = ways(holds);
                match kind {
                    Plain::Less => Operation::BranchLessThan {
                        left,
                        right,
                        yes,
                        no,
                    },
                    Plain::Equal => Operation::BranchEqualTo {
                        left,
                        right,
                        yes,
                        no,
                    },
                }
            }
            Condition::Same(equal, slot, constant) => {
                let (yes, no) = ways(equal);
                Operation::BranchSame {
                    slot,
                    constant,
                    yes,
                    no,
                }
            }
            Condition::Straight(code) | Condition::Text(code) => {
                Operation::BranchStraight { code, yes, no }
            }
        })
    }

    /// The way to a line, past those of which nothing can be seen. The last line of an extension is never passed:
    /// what follows it is a matter of a lookup.
    fn to(&self, to: u32) -> Option<Step> {
        if to == NONE {
            return Some(Step::END);
        }
        if to as usize >= self.priorities {
            return Step::inner(to);
        }
        let mut at = to;
        for passed in 0..Step::MOST - 1 {
            let beyond = match self.direct.get(at as usize) {
                Some(Some(Direct::Next(Operation::Nothing))) => self.next(at as usize),
                Some(Some(Direct::Jump(to))) => *to,
                _ => NONE,
            };
            if beyond == NONE {
                return Step::new(at, passed);
            }
            at = beyond;
        }
        Step::new(at, Step::MOST - 1)
    }
}
