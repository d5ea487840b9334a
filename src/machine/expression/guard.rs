//! The guards of compiled expressions: a value may only take the place of an operand
//! where its text would be read as exactly that operand.

use crate::base::operand::{is_number, is_word, trimmed};
use crate::base::{Number, Text, Value};
use crate::machine::arithmetic::Operand;
use crate::program::expression::{Compiled, Part, Slot};

/// Longer texts are cut by Asterisk's buffers: no business of compiled code. In bytes.
const LONGEST: usize = 4000;
/// Most digits of an integer value.
const INT_DIGITS: usize = 18;

/// Makes the operands of all slots; `false` = a guard is not met.
/// The token is a buffer.
pub(super) fn operands(
    compiled: &Compiled,
    holes: &[Value],
    token: &mut Vec<u8>,
    out: &mut Vec<Operand>,
) -> bool {
    if holes.len() != compiled.holes as usize {
        return false;
    }
    let length = holes.iter().fold(compiled.literal_bytes, |sum, value| {
        sum + match value {
            Value::Int(_) => INT_DIGITS,
            Value::Text(text) => text.len(),
        }
    });
    if length > LONGEST {
        return false;
    }
    out.clear();
    for slot in &compiled.slots {
        match operand(slot, holes, token) {
            Some(operand) => out.push(operand),
            None => return false,
        }
    }
    true
}

fn operand(slot: &Slot, holes: &[Value], token: &mut Vec<u8>) -> Option<Operand> {
    match slot {
        Slot::Isolated { hole, negative } => match holes.get(*hole as usize)? {
            Value::Int(n) => Some(Operand::Numeric(Value::Int(*n))),
            Value::Text(text) => isolated(text, *negative),
        },
        Slot::Adjacent(parts) => {
            let word = |text: &Text| text.iter().copied().all(is_word);
            join(parts, holes, token, word)?;
            if token.is_empty() {
                None
            } else if is_number(token) {
                Some(Operand::Numeric(Value::from_bytes(token)))
            } else {
                Some(Operand::Text(Text::from(token.as_slice())))
            }
        }
        Slot::Quoted(parts) => {
            join(parts, holes, token, |text| !text.contains(&b'"'))?;
            Some(Operand::Text(Text::from(token.as_slice())))
        }
    }
}

fn isolated(text: &Text, negative: bool) -> Option<Operand> {
    let all = text.as_bytes();
    let trimmed = trimmed(all)?;
    if is_number(trimmed) {
        return Some(Operand::Numeric(Value::from_bytes(trimmed)));
    }
    let word = trimmed.iter().copied().all(is_word);
    let quoted = || matches!(trimmed, [b'"', inner @ .., b'"'] if !inner.contains(&b'"'));
    if word || quoted() {
        return Some(Operand::Text(if trimmed.len() == all.len() {
            text.clone()
        } else {
            Text::from(trimmed)
        }));
    }
    match trimmed {
        [b'-', digits @ ..] if negative && is_number(digits) => {
            Some(Operand::Number(Number::read(digits).negated()))
        }
        _ => None,
    }
}

fn join(
    parts: &[Part],
    holes: &[Value],
    token: &mut Vec<u8>,
    fits: impl Fn(&Text) -> bool,
) -> Option<()> {
    token.clear();
    for part in parts {
        match part {
            Part::Literal(text) => token.extend_from_slice(text),
            Part::Hole(hole) => match holes.get(*hole as usize)? {
                Value::Text(text) if !fits(text) => return None,
                value => value.append_to(token),
            },
        }
    }
    Some(())
}
