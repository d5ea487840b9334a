//! The loop over compiled lines.
//!
//! Direct operations run here without leaving: nothing is allocated, nothing is counted but fuel, and a
//! single tag test guards each operation. What has no direct operation, whose guard does not hold, what
//! somebody watches, or what a lookup must decide, leaves the loop. Operations on texts leave it for `texts`, which
//! sends them back where it can.

use std::hint::cold_path;

use crate::base::Value;
use crate::base::value::INT_LIMIT;
use crate::diagnostic::code;
use crate::machine::call::{Call, Doing, Purpose};
use crate::machine::image::Image;
use crate::machine::sampler::{Probe, Sampler, Unseen};
use crate::machine::variables::{Entry, Inherit};
use crate::machine::{Cx, Effect, Observer};
use crate::program::instruction::Operation;
use crate::program::line::{Line, NONE, Step};
use crate::program::slots::Slot;

/// Why the loop was left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exit {
    /// The present line has no direct operation, its guard does not hold, or the fuel does not suffice.
    General,
    /// The present line is one that works on texts.
    Straight,
    /// The present line was the last of its extension.
    Last,
}

/// How far the loop came.
#[derive(Clone, Copy)]
struct Reached {
    exit: Exit,
    /// The present line.
    here: u32,
    /// Priorities left.
    fuel: u32,
}

impl Call {
    /// Runs from the present line.
    pub(super) fn run_lines(&mut self, image: &Image) -> Option<Effect> {
        if self.fuel == 0 {
            return self.refuel();
        }
        if self.wants_newer() {
            // The line is looked up by its place in the newer dialplan.
            self.doing = Doing::Lookup;
            return None;
        }
        let observer = self.state.observer.as_deref();
        let observed = observer.is_some();
        let watched = observer.is_some_and(Observer::sees_priorities)
            || self.state.textual
            || self.state.records.is_some()
            || self.state.hungup
            || self.state.redirect.is_some()
            || self.state.channel.timeouts.absolute.is_some();
        let general = !self.steady || watched;
        let sampled = observed && self.sampled(general);
        if general {
            return self.run_general(image);
        }
        let exit = if sampled {
            self.run_direct::<true>(image)
        } else {
            self.run_direct::<false>(image)
        };
        match exit {
            // The rest of a slice is given up where it is too small for a step; only the last priorities that
            // a call may run at all are spent line by line.
            Exit::General
                if self.fuel == 0
                    || self.fuel < Step::MOST
                        && self.executed + u64::from(self.fuel)
                            < self.state.settings.limits.max_priorities =>
            {
                self.refuel()
            }
            Exit::Last => {
                self.state.at.priority += 1;
                self.doing = Doing::Lookup;
                None
            }
            Exit::General | Exit::Straight => self.run_mixed(image),
        }
    }

    /// Tells a sampler where the call is; whether there is one.
    #[cold]
    fn sampled(&mut self, general: bool) -> bool {
        let (line, depth) = (self.line, self.state.stack.len());
        let Some(sampler) = self.sampler() else {
            return false;
        };
        sampler.arrive(line, depth);
        if general {
            sampler.count(line);
        }
        true
    }

    fn sampler(&mut self) -> Option<&mut Sampler> {
        self.state.observer.as_deref_mut()?.sampler()
    }

    /// Runs direct operations as far as they go.
    fn run_direct<const SAMPLED: bool>(&mut self, image: &Image) -> Exit {
        let before = self.fuel;
        let mut line = self.line;
        let mut reached = Reached {
            exit: Exit::General,
            here: line,
            fuel: before,
        };
        'direct: loop {
            let slots = &mut self.state.variables.slots;
            let sampler = SAMPLED
                .then(|| self.state.observer.as_deref_mut()?.sampler())
                .flatten();
            reached = match sampler {
                Some(sampler) => direct(&image.program.lines, slots, line, reached, sampler),
                None => direct(&image.program.lines, slots, line, reached, Unseen),
            };
            while reached.exit == Exit::Straight {
                self.line = reached.here;
                let way = self.run_straight(image, reached.fuel);
                let left = way.and_then(|way| Some((way, reached.fuel.checked_sub(way.count)?)));
                let Some((way, left)) = left else {
                    reached.exit = Exit::General;
                    break;
                };
                reached.fuel = left;
                line = way.to;
                // Operations on texts mostly come in a row.
                let next = image.program.lines.get(line as usize);
                if SAMPLED || !next.is_some_and(|next| next.operation.is_straight()) {
                    continue 'direct;
                }
                reached.here = line;
            }
            break;
        }
        self.executed += u64::from(before - reached.fuel);
        self.fuel = reached.fuel;
        self.line = image.program.whole_line(reached.here);
        self.arrive(image);
        reached.exit
    }

    /// A line whose text must be evaluated, but whose application need not be called.
    fn run_mixed(&mut self, image: &Image) -> Option<Effect> {
        let Some(line) = image.program.lines.get(self.line as usize) else {
            self.doing = Doing::Lookup;
            return None;
        };
        let (code, purpose) = match line.operation {
            Operation::SetValue { slot, code } | Operation::SetStraight { slot, code } => {
                (code, Purpose::Value(slot))
            }
            Operation::BranchText { code, yes, no } => (code, Purpose::Branch { yes, no }),
            _ => return self.run_general(image),
        };
        self.fuel -= 1;
        self.executed += 1;
        self.purpose = purpose;
        // The limit is that of the whole data, `name=` included.
        let before = match purpose {
            Purpose::Value(slot) => image.program.slots.name(slot).len() + 1,
            _ => 0,
        };
        self.evaluator.start_code_behind(before, code);
        let mut cx = Cx {
            state: &mut self.state,
        };
        let status = self.evaluator.run(image, &mut cx);
        self.evaluated(image, status)
    }

    fn run_general(&mut self, image: &Image) -> Option<Effect> {
        self.fuel -= 1;
        self.executed += 1;
        self.general(image)
    }

    /// The fuel of this step is spent, or the call has run its last priority.
    fn refuel(&mut self) -> Option<Effect> {
        if self.executed >= self.state.settings.limits.max_priorities {
            let text = format!(
                "more than {} priorities",
                self.state.settings.limits.max_priorities
            );
            self.state.limit(&code::LIMIT_PRIORITIES, &text);
            self.doing = Doing::Ended;
            return None;
        }
        if self.state.memory() > self.state.settings.limits.max_memory {
            self.state.limit(
                &code::LIMIT_MEMORY,
                "more memory in variables and the like than allowed",
            );
            self.doing = Doing::Ended;
            return None;
        }
        Some(Effect::Yield)
    }

    /// The priority number of the present line becomes the call's.
    pub(super) fn arrive(&mut self, image: &Image) {
        self.state.arrive(image, self.line);
    }

    /// The line after the present one.
    pub(super) fn next_line(&mut self, image: &Image) {
        self.state.at.priority += 1;
        self.doing = Doing::Lookup;
        if self.steady
            && let Some(line) = image.program.lines.get(self.line as usize)
            && line.next != NONE
        {
            self.line = line.next;
            self.doing = Doing::Line;
        }
    }
}

/// A function of its own, so that what the loop holds stays in registers.
#[inline(never)]
fn direct<P: Probe>(
    lines: &[Line],
    slots: &mut [Entry],
    start: u32,
    reached: Reached,
    mut probe: P,
) -> Reached {
    let mut pc = start;
    let Reached {
        mut here, mut fuel, ..
    } = reached;
    let leave = |exit, here, fuel| Reached { exit, here, fuel };
    while let Some(line) = lines.get(pc as usize) {
        here = pc;
        probe.at(pc);
        let step = match line.operation {
            Operation::Count { slot, add } => {
                let Some(left) = fuel.checked_sub(line.onward.count()) else {
                    return leave(Exit::General, here, fuel);
                };
                if !count(slots, slot, i64::from(add)) {
                    return leave(Exit::General, here, fuel);
                }
                fuel = left;
                pc = line.onward.to();
                let Some(next) = lines.get(pc as usize) else {
                    break;
                };
                let Operation::BranchLess {
                    left,
                    right,
                    yes,
                    no,
                } = next.operation
                else {
                    continue;
                };
                here = pc;
                probe.at(pc);
                match less(slots, left, right) {
                    Some(holds) => way(holds, yes, no),
                    None => return leave(Exit::General, here, fuel),
                }
            }
            Operation::Nothing | Operation::Jump => line.onward,
            Operation::Add { slot, from, add } => {
                // Outside of this range the result prints otherwise than it reads.
                let sum = integer(slots, from).map(|n| n + i64::from(add));
                match sum {
                    Some(sum) if fuel >= line.onward.count() && (0..INT_LIMIT).contains(&sum) => {
                        if !store(slots, slot, sum) {
                            return leave(Exit::General, here, fuel);
                        }
                    }
                    _ => return leave(Exit::General, here, fuel),
                }
                line.onward
            }
            Operation::BranchLess {
                left,
                right,
                yes,
                no,
            } => match less(slots, left, right) {
                Some(holds) => way(holds, yes, no),
                None => return leave(Exit::General, here, fuel),
            },
            Operation::BranchLessThan {
                left,
                right,
                yes,
                no,
            } => match integer(slots, Slot(u32::from(left))) {
                Some(left) => way(left < i64::from(right), yes, no),
                None => return leave(Exit::General, here, fuel),
            },
            Operation::BranchEqual {
                left,
                right,
                yes,
                no,
            } => {
                let left = integer(slots, Slot(u32::from(left)));
                let (Some(left), Some(right)) = (left, integer(slots, Slot(u32::from(right))))
                else {
                    return leave(Exit::General, here, fuel);
                };
                way(left == right, yes, no)
            }
            Operation::BranchEqualTo {
                left,
                right,
                yes,
                no,
            } => match integer(slots, Slot(u32::from(left))) {
                Some(left) => way(left == i64::from(right), yes, no),
                None => return leave(Exit::General, here, fuel),
            },
            Operation::SetInteger { slot, value } => {
                if fuel < line.onward.count() || !store(slots, slot, i64::from(value)) {
                    return leave(Exit::General, here, fuel);
                }
                line.onward
            }
            Operation::SetConstant { .. }
            | Operation::SetStraight { .. }
            | Operation::BranchSame { .. }
            | Operation::BranchStraight { .. }
            | Operation::Select { .. } => return leave(Exit::Straight, here, fuel),
            Operation::General | Operation::SetValue { .. } | Operation::BranchText { .. } => {
                return leave(Exit::General, here, fuel);
            }
        };
        // A step is not taken in part.
        let Some(left) = fuel.checked_sub(step.count()) else {
            return leave(Exit::General, here, fuel);
        };
        fuel = left;
        pc = step.to();
    }
    leave(Exit::Last, here, fuel)
}

/// One of two ways. The hint keeps this a branch, which the processor guesses; without it a conditional move makes
/// the next line wait for the values that were compared (2.25 instead of 1.85 ns a priority in a copy of the loop alone).
#[inline]
fn way(holds: bool, yes: Step, no: Step) -> Step {
    if holds {
        yes
    } else {
        cold_path();
        no
    }
}

#[inline]
fn integer(slots: &[Entry], slot: Slot) -> Option<i64> {
    match slots.get(slot.0 as usize) {
        Some(Entry {
            value: Some(Value::Int(n)),
            ..
        }) => Some(*n),
        _ => None,
    }
}

/// Whether one slot is less than another, both integers.
#[inline]
fn less(slots: &[Entry], left: u16, right: u16) -> Option<bool> {
    let left = integer(slots, Slot(u32::from(left)))?;
    Some(left < integer(slots, Slot(u32::from(right)))?)
}

/// Adds to a slot that holds an integer.
#[inline]
fn count(slots: &mut [Entry], slot: Slot, add: i64) -> bool {
    let Some(Entry {
        value: Some(Value::Int(n)),
        inherit,
    }) = slots.get_mut(slot.0 as usize)
    else {
        return false;
    };
    let sum = *n + add;
    // Outside of this range the result prints otherwise than it reads.
    if !(0..INT_LIMIT).contains(&sum) {
        return false;
    }
    *n = sum;
    *inherit = Inherit::No;
    true
}

/// Sets a slot that exists already; the first Set of a slot goes the general way.
#[inline]
fn store(slots: &mut [Entry], slot: Slot, n: i64) -> bool {
    match slots.get_mut(slot.0 as usize) {
        Some(entry) => {
            entry.inherit = Inherit::No;
            if let Some(Value::Int(old)) = &mut entry.value {
                *old = n;
            } else {
                entry.value = Some(Value::Int(n));
            }
            true
        }
        None => false,
    }
}
