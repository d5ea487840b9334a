//! Direct operations get their ways: lines of which nothing can be seen are passed without stopping.

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
        Some(match condition {
            Condition::Slots(compare, left, right) => Operation::BranchSlots {
                compare,
                left,
                right,
                yes,
                no,
            },
            Condition::Constant(compare, left, right) => Operation::BranchConstant {
                compare,
                left,
                right,
                yes,
                no,
            },
            Condition::Same(equal, slot, constant) => Operation::BranchSame {
                equal,
                slot,
                constant,
                yes,
                no,
            },
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
