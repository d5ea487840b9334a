//! Finds chains of lines that test one value against constants, so that they are taken in one step.

use crate::base::Text;
use crate::base::arguments::{Few, balanced};
use crate::compile::text::Texts;
use crate::program::expression::{
    Binary, Comparison, Constant as Operand, Ending, IntOperand, Operation as Act, Part, Shape,
    Slot as Hole,
};
use crate::program::instruction::{CallId, Constant, Core, ExpressionId, Instruction, Operation};
use crate::program::line::{Line, Step};
use crate::program::selector::{Selector, Test, Tested};
use crate::program::slots::Slot;

/// What a test costs line by line, in nanoseconds or so: of an integer, of a text, of a pattern.
const INTEGER: u32 = 2;
const TEXT: u32 = 12;
const PATTERN: u32 = 80;
/// What is worth a choice among all that follow.
const WORTH: u32 = 40;

/// Finds the chains. Lines of which enough others follow become [`Operation::Select`].
pub(super) fn find(lines: &mut [Line], priorities: usize, texts: &mut Texts<'_>) -> Vec<Selector> {
    let mut selectors = Vec::new();
    let mut taken = vec![false; priorities];
    // Most lines begin no chain: nothing is allocated for them.
    let mut tests = Vec::new();
    for first in 0..priorities {
        if taken.get(first).copied().unwrap_or(true) {
            continue;
        }
        let Some((subject, end)) = chain(lines, first, &mut taken, texts, &mut tests) else {
            continue;
        };
        let number = u32::try_from(selectors.len()).unwrap_or(u32::MAX);
        let mut worth = 0;
        for (place, test) in tests.iter().enumerate().rev() {
            worth += match test.test {
                Test::Integer(_) => INTEGER,
                Test::Quoted(_) | Test::Word(_) => TEXT,
                Test::Holds(_) | Test::Regex(..) => PATTERN,
            };
            if worth >= WORTH
                && let Some(line) = lines.get_mut(test.line as usize)
            {
                line.operation = Operation::Select {
                    selector: number,
                    place: u32::try_from(place).unwrap_or(u32::MAX),
                };
            }
        }
        if worth >= WORTH {
            selectors.push(Selector::new(subject, tests.clone(), end));
        }
    }
    selectors
}

/// A branch on whether a value passes a test.
struct Branch {
    subject: Instruction,
    test: Test,
    hit: Step,
    miss: Step,
}

/// The chain that begins at a line, if it has at least two lines: what they test, and where the last one leads.
fn chain(
    lines: &[Line],
    first: usize,
    taken: &mut [bool],
    texts: &mut Texts<'_>,
    tests: &mut Vec<Tested>,
) -> Option<(Instruction, Step)> {
    tests.clear();
    let operation = lines.get(first)?.operation;
    let Branch {
        subject,
        mut test,
        mut hit,
        miss: mut end,
    } = branch(operation, texts)?;
    let (mut at, mut operation, mut passed) = (first, operation, 0);
    loop {
        if let Some(taken) = taken.get_mut(at) {
            *taken = true;
        }
        tests.push(Tested {
            line: u32::try_from(at).ok()?,
            passed,
            test,
            hit,
            operation,
        });
        passed += end.count();
        let to = end.to() as usize;
        // Only forward, and never into another chain: it has its own way to choose.
        if to <= at || taken.get(to).copied().unwrap_or(true) {
            break;
        }
        let Some(line) = lines.get(to) else { break };
        let Some(next) = branch(line.operation, texts).filter(|next| next.subject == subject)
        else {
            break;
        };
        (at, operation, test, hit, end) = (to, line.operation, next.test, next.hit, next.miss);
    }
    (tests.len() > 1).then_some((subject, end))
}

/// The test that an operation is.
fn branch(operation: Operation, texts: &mut Texts<'_>) -> Option<Branch> {
    let slot = |slot: u16| Instruction::Slot(Slot(u32::from(slot)));
    Some(match operation {
        Operation::BranchSame {
            slot: of,
            constant,
            yes,
            no,
        } => Branch {
            subject: slot(of),
            test: Test::Quoted(constant),
            hit: yes,
            miss: no,
        },
        Operation::BranchEqualTo {
            left,
            right,
            yes,
            no,
        } => Branch {
            subject: slot(left),
            test: Test::Integer(i64::from(right)),
            hit: yes,
            miss: no,
        },
        Operation::BranchStraight { code, yes, no } => {
            let mut instructions = [Instruction::End; 7];
            for (n, place) in (0..).zip(&mut instructions) {
                *place = texts.code().at(code.0 + n);
                if *place == Instruction::End {
                    break;
                }
            }
            let (subject, test, holds) = condition(&instructions, texts)?;
            let (hit, miss) = if holds { (yes, no) } else { (no, yes) };
            Branch {
                subject,
                test,
                hit,
                miss,
            }
        }
        _ => return None,
    })
}

/// The value that a text gives and that stays the same from line to line.
fn subject(instruction: Instruction) -> Option<Instruction> {
    let steady = |core: Core| {
        matches!(
            core,
            Core::Exten | Core::Context | Core::Channel | Core::Uniqueid
        )
    };
    match instruction {
        Instruction::PushSlot(slot) => Some(Instruction::Slot(slot)),
        Instruction::Slot(_) | Instruction::SlotCut(..) => Some(instruction),
        Instruction::Core(core) | Instruction::CoreCut(core, _) if steady(core) => {
            Some(instruction)
        }
        _ => None,
    }
}

/// Subject and test of a condition, and whether the test must hold or must not.
fn condition(
    instructions: &[Instruction],
    texts: &mut Texts<'_>,
) -> Option<(Instruction, Test, bool)> {
    use Instruction::{Call, End, ExpressionValue, Literal, Open, PushSlot, PushText};
    match *instructions {
        [PushSlot(slot), ExpressionValue(id), End, ..] => {
            let (test, holds) = compared(id, texts)?;
            Some((Instruction::Slot(slot), test, holds))
        }
        [Open(_), of, PushText, ExpressionValue(id), End, ..] => {
            let (test, holds) = compared(id, texts)?;
            Some((subject(of)?, test, holds))
        }
        [Open(_), Literal(before), of, Call(id), End, ..] => {
            let test = function(before, id, texts)?;
            Some((subject(of)?, test, true))
        }
        [
            Open(_),
            Open(_),
            Literal(before),
            of,
            Call(call),
            PushText,
            ExpressionValue(id),
        ] => {
            let test = function(before, call, texts)?;
            Some((subject(of)?, test, truth(id, texts)?))
        }
        _ => None,
    }
}

/// A comparison of the only hole of an expression.
fn compared(id: ExpressionId, texts: &mut Texts<'_>) -> Option<(Test, bool)> {
    let compiled = &texts.code().expression(id)?.compiled;
    match compiled.shape() {
        Shape::Same {
            hole: 0,
            text,
            equal,
        } => {
            let (text, equal) = (text.clone(), *equal);
            return Some((Test::Quoted(texts.constant(&text)), equal));
        }
        Shape::Compare { op, left, right } => {
            let ((IntOperand::Hole(0), IntOperand::Constant(n))
            | (IntOperand::Constant(n), IntOperand::Hole(0))) = (*left, *right)
            else {
                return None;
            };
            return Some((Test::Integer(n), equality(*op)?));
        }
        _ => {}
    }
    if compiled.code.ending != Ending::Value {
        return None;
    }
    let [hole] = &*compiled.slots else {
        return None;
    };
    let [operands @ .., Act::Binary(operator)] = &*compiled.code.operations else {
        return None;
    };
    match (operator, operands, hole) {
        (
            Binary::Compare(op),
            [Act::Slot(0), Act::Constant(Operand::Text(text))]
            | [Act::Constant(Operand::Text(text)), Act::Slot(0)],
            Hole::Isolated { hole: 0, .. },
        ) => {
            let (text, holds) = (text.clone(), equality(*op)?);
            (!text.contains(&b'"')).then(|| (Test::Word(texts.constant(&text)), holds))
        }
        (
            Binary::MatchAnywhere,
            [Act::Slot(0), Act::Constant(Operand::Text(text))],
            Hole::Quoted(parts),
        ) if alone(parts) => {
            let pattern = unquoted(text);
            Some((Test::Holds(texts.constant(&pattern)), true))
        }
        _ => None,
    }
}

fn equality(comparison: Comparison) -> Option<bool> {
    match comparison {
        Comparison::Equal => Some(true),
        Comparison::NotEqual => Some(false),
        _ => None,
    }
}

/// Whether a hole stands between quotes alone.
fn alone(parts: &[Part]) -> bool {
    let quote = |text: &Text| text.as_bytes() == b"\"";
    matches!(parts, [Part::Literal(open), Part::Hole(0), Part::Literal(close)] if quote(open) && quote(close))
}

/// A text that starts and ends with a quote loses all its quotes.
fn unquoted(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    if text.first() == Some(&b'"') && text.last() == Some(&b'"') {
        text.retain(|&byte| byte != b'"');
    }
    text
}

/// `REGEX("pattern" value)`: its arguments up to the value are constant.
fn function(before: Constant, id: CallId, texts: &mut Texts<'_>) -> Option<Test> {
    let call = texts.code().call(id)?;
    let plain = call.cut.is_none() && call.tail.is_empty() && texts.matches(&call.name);
    let before = texts.code().constant(before).clone();
    if !plain || !balanced(&before) {
        return None;
    }
    let parts = Few::<3>::split(&before, b'"', true);
    let [_, pattern, rest] = parts.as_slice() else {
        return None;
    };
    // The blank is dropped; without one the first of the value would be.
    if !matches!(rest.as_ref(), b" " | b"\t") {
        return None;
    }
    let beside = u32::try_from(before.len()).ok()?;
    Some(Test::Regex(texts.constant(pattern), beside))
}

/// Whether an expression over the answer of a function is that answer, or its opposite.
fn truth(id: ExpressionId, texts: &Texts<'_>) -> Option<bool> {
    let compiled = &texts.code().expression(id)?.compiled;
    if let Shape::Compare { op, left, right } = compiled.shape() {
        let ((IntOperand::Hole(0), IntOperand::Constant(n @ (0 | 1)))
        | (IntOperand::Constant(n @ (0 | 1)), IntOperand::Hole(0))) = (*left, *right)
        else {
            return None;
        };
        return Some(equality(*op)? == (n == 1));
    }
    let whole = compiled.code.ending == Ending::Value
        && *compiled.code.operations == [Act::Slot(0)]
        && matches!(&*compiled.slots, [Hole::Isolated { hole: 0, .. }]);
    whole.then_some(true)
}
