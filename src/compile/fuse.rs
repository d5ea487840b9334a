//! Direct operations get their ways: lines of which nothing can be seen are passed without stopping.

use crate::program::instruction::{Condition, Direct, Operation};
use crate::program::line::{Line, NONE, Step};

/// Links lines whose direct operations are known. A line that is passed keeps its own operation for those who
/// jump to it.
pub(super) fn fuse(lines: &mut [Line], direct: &[Option<Direct>]) {
    for index in 0..lines.len() {
        let Some(Some(wanted)) = direct.get(index) else {
            continue;
        };
        let next = lines.get(index).map_or(NONE, |line| line.next);
        let way = |to: u32| way(lines, direct, to);
        let linked = match *wanted {
            Direct::Next(operation) => Some((operation, way(next))),
            Direct::Jump(to) => Some((Operation::Jump, way(to))),
            Direct::Branch(condition, yes, no) => {
                let operation = match condition {
                    Condition::Text(code) => Some(Operation::BranchText { code, yes, no }),
                    Condition::Slots(compare, left, right) => {
                        way(yes)
                            .zip(way(no))
                            .map(|(yes, no)| Operation::BranchSlots {
                                compare,
                                left,
                                right,
                                yes,
                                no,
                            })
                    }
                    Condition::Constant(compare, left, right) => {
                        way(yes)
                            .zip(way(no))
                            .map(|(yes, no)| Operation::BranchConstant {
                                compare,
                                left,
                                right,
                                yes,
                                no,
                            })
                    }
                };
                operation.map(|operation| (operation, Some(Step::END)))
            }
        };
        if let Some((operation, Some(onward))) = linked
            && let Some(line) = lines.get_mut(index)
        {
            line.operation = operation;
            line.onward = onward;
        }
    }
}

/// The way to a line, past those of which nothing can be seen. The last line of an extension is never passed:
/// what follows it is a matter of a lookup.
fn way(lines: &[Line], direct: &[Option<Direct>], to: u32) -> Option<Step> {
    if to == NONE {
        return Some(Step::END);
    }
    let mut at = to;
    for passed in 0..Step::MOST - 1 {
        let beyond = match direct.get(at as usize) {
            Some(Some(Direct::Next(Operation::Nothing))) => {
                lines.get(at as usize).map_or(NONE, |line| line.next)
            }
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
