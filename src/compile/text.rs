//! Texts with substitutions to code. Equal texts are compiled once.
//!
//! What cannot be read without knowing its values (brackets that are not closed, nesting near the limit) is left to the
//! textual evaluator, piece by piece.

use crate::base::substring::Cut;
use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Text, Value};
use crate::compile::expression::{self, Piece as Part};
use crate::library::Registry;
use crate::program::expression::Shape;
use crate::program::instruction::{
    CallId, CodeId, Constant, Core, CutId, ExpressionId, Instruction,
};
use crate::program::slots::Slots;
use crate::program::template::{Code, ExpressionUse, FunctionCall};
use crate::syntax::lex::template::{Inside, Piece, function_call, next_piece, reference};

/// Deeper texts are left to the textual evaluator, which knows Asterisk's limit.
const DEPTH: usize = 12;
/// Longer insides too.
const LONG: usize = 4000;

/// Compiles texts into one code.
#[expect(
    clippy::struct_field_names,
    reason = "the texts among them are just one table"
)]
pub(super) struct Texts<'a> {
    code: Code,
    angle: bool,
    registry: &'a Registry,
    texts: StableMap<Text, CodeId>,
    values: StableMap<Text, CodeId>,
    constants: StableMap<Text, Constant>,
    functions: StableMap<Text, u32>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(angle: bool, registry: &'a Registry) -> Self {
        Self {
            code: Code::default(),
            angle,
            registry,
            texts: stable_map(),
            values: stable_map(),
            constants: stable_map(),
            functions: stable_map(),
        }
    }

    pub(super) fn finish(self) -> Code {
        self.code
    }

    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    pub(super) fn angle(&self) -> bool {
        self.angle
    }

    /// Compiles a text whose result is wanted as text.
    pub(super) fn compile(&mut self, text: &[u8], slots: &mut Slots) -> CodeId {
        if let Some(&code) = self.texts.get(text) {
            return code;
        }
        let mut code = Vec::new();
        self.text(text, slots, &mut code);
        let id = self.place(code);
        self.texts.insert(Text::from(text), id);
        id
    }

    /// Compiles a text whose result is wanted as a value: a single expression or variable keeps its type.
    pub(super) fn compile_value(&mut self, text: &[u8], slots: &mut Slots) -> CodeId {
        if let Some(&code) = self.values.get(text) {
            return code;
        }
        let mut code = Vec::new();
        if !self.typed(text, slots, &mut code) {
            self.text(text, slots, &mut code);
        }
        let id = self.place(code);
        self.values.insert(Text::from(text), id);
        id
    }

    fn place(&mut self, code: Vec<Instruction>) -> CodeId {
        let id = CodeId(self.code.instructions.len() as u32);
        self.code.instructions.extend(code);
        self.code.instructions.push(Instruction::End);
        id
    }

    pub(super) fn constant(&mut self, text: &[u8]) -> Constant {
        if let Some(&id) = self.constants.get(text) {
            return id;
        }
        let id = Constant(self.code.constants.len() as u32);
        let text = Text::from(text);
        self.code.constants.push(text.clone());
        self.constants.insert(text, id);
        id
    }

    fn cut(&mut self, cut: Cut) -> CutId {
        let at = self.code.cuts.iter().position(|c| *c == cut);
        let at = at.unwrap_or_else(|| {
            self.code.cuts.push(cut);
            self.code.cuts.len() - 1
        });
        CutId(at as u32)
    }

    fn function(&mut self, name: &[u8]) -> u32 {
        if let Some(&number) = self.functions.get(name) {
            return number;
        }
        let number = self.code.functions.len() as u32;
        self.code.functions.push(Text::from(name));
        self.functions.insert(Text::from(name), number);
        number
    }

    fn text(&mut self, text: &[u8], slots: &mut Slots, code: &mut Vec<Instruction>) {
        let mut rest = text;
        while let Some((piece, tail)) = next_piece(rest, self.angle) {
            let source = rest.get(..rest.len() - tail.len()).unwrap_or(rest);
            self.piece(piece, source, slots, code);
            rest = tail;
        }
    }

    fn literal(&mut self, text: &[u8], code: &mut Vec<Instruction>) {
        if !text.is_empty() {
            let id = self.constant(text);
            code.push(Instruction::Literal(id));
        }
    }

    fn piece(
        &mut self,
        piece: Piece<'_>,
        source: &[u8],
        slots: &mut Slots,
        code: &mut Vec<Instruction>,
    ) {
        let done = match piece {
            Piece::Literal(text) => {
                self.literal(text, code);
                true
            }
            Piece::Variable(inside) if self.plain(&inside) => self.variable(&inside, slots, code),
            Piece::Expression(inside) if self.plain(&inside) => {
                self.expression(&inside, false, slots, code)
            }
            _ => false,
        };
        if !done {
            let id = self.constant(source);
            code.push(Instruction::Textual(id));
        }
    }

    fn plain(&self, inside: &Inside<'_>) -> bool {
        inside.closed && inside.text.len() <= LONG && depth(inside.text, self.angle, DEPTH) < DEPTH
    }

    fn variable(
        &mut self,
        inside: &Inside<'_>,
        slots: &mut Slots,
        code: &mut Vec<Instruction>,
    ) -> bool {
        if inside.nested {
            if !self.nested_call(inside.text, slots, code) {
                // A name or an offset is only known at run time.
                code.push(Instruction::Open(0));
                self.text(inside.text, slots, code);
                code.push(Instruction::Read);
            }
            return true;
        }
        let parts = reference(inside.text);
        let cut = parts.cut.map(Cut::parse);
        if parts.function {
            let (name, arguments, closed) = function_call(parts.name);
            if !closed {
                return false;
            }
            code.push(arguments_begin(name));
            self.literal(arguments, code);
            let function = self.function(name);
            self.call(
                FunctionCall {
                    name: Text::from(name),
                    function,
                    cut,
                    tail: Text::EMPTY,
                    substituted: false,
                },
                code,
            );
            return true;
        }
        if let Some(core) = Core::named(parts.name) {
            code.push(match cut {
                None => Instruction::Core(core),
                Some(cut) => Instruction::CoreCut(core, self.cut(cut)),
            });
            return true;
        }
        let Some(slot) = slots.add(parts.name) else {
            return false;
        };
        code.push(match cut {
            None => Instruction::Slot(slot),
            Some(cut) => Instruction::SlotCut(slot, self.cut(cut)),
        });
        true
    }

    fn call(&mut self, call: FunctionCall, code: &mut Vec<Instruction>) {
        let id = CallId(self.code.calls.len() as u32);
        self.code.calls.push(call);
        code.push(Instruction::Call(id));
    }

    /// `NAME(arguments with substitutions)[:offset[:length]]`.
    fn nested_call(
        &mut self,
        inside: &[u8],
        slots: &mut Slots,
        code: &mut Vec<Instruction>,
    ) -> bool {
        let Some(open) = inside.iter().position(|&b| b == b'(') else {
            return false;
        };
        let name = inside.get(..open).unwrap_or(&[]);
        if name.iter().any(|b| matches!(b, b'$' | b':')) {
            return false;
        }
        // The last piece must be literal text that closes the call.
        let arguments = inside.get(open + 1..).unwrap_or(&[]);
        let mut rest = arguments;
        let mut last: Option<&[u8]> = None;
        while let Some((piece, tail)) = next_piece(rest, self.angle) {
            last = match piece {
                Piece::Literal(text) => Some(text),
                _ => None,
            };
            rest = tail;
        }
        let Some(last) = last else {
            return false;
        };
        let Some(close) = last.iter().rposition(|&b| b == b')') else {
            return false;
        };
        let tail = last.get(close + 1..).unwrap_or(&[]);
        if tail.contains(&b'(') {
            return false;
        }
        let arguments = arguments
            .get(..arguments.len() - tail.len() - 1)
            .unwrap_or(&[]);
        let cut = tail
            .iter()
            .position(|&b| b == b':')
            .and_then(|colon| tail.get(colon + 1..))
            .map(Cut::parse);
        code.push(arguments_begin(name));
        self.text(arguments, slots, code);
        let function = self.function(name);
        self.call(
            FunctionCall {
                name: Text::from(name),
                function,
                cut,
                tail: Text::from(tail),
                substituted: true,
            },
            code,
        );
        true
    }

    fn expression(
        &mut self,
        inside: &Inside<'_>,
        keep: bool,
        slots: &mut Slots,
        code: &mut Vec<Instruction>,
    ) -> bool {
        let mut parts = Vec::new();
        let mut holes = Vec::new();
        let mut pieces = vec![Vec::new()];
        let mut rest = inside.text;
        while let Some((piece, tail)) = next_piece(rest, self.angle) {
            let source = rest.get(..rest.len() - tail.len()).unwrap_or(rest);
            if let Piece::Literal(text) = piece {
                parts.push(Part::Literal(text.to_vec()));
                if let Some(last) = pieces.last_mut() {
                    last.extend_from_slice(text);
                }
            } else {
                parts.push(Part::Hole);
                holes.push(source);
                pieces.push(Vec::new());
            }
            rest = tail;
        }
        let Some(compiled) = expression::compile(&parts) else {
            return false;
        };
        if let Shape::Constant(value) = compiled.shape()
            && !keep
        {
            let text = value.to_text();
            self.literal(&text, code);
            return true;
        }
        for hole in holes {
            self.hole(hole, slots, code);
        }
        let id = ExpressionId(self.code.expressions.len() as u32);
        self.code.expressions.push(ExpressionUse {
            compiled,
            pieces: pieces.into_iter().map(Text::from).collect(),
        });
        code.push(if keep {
            Instruction::ExpressionValue(id)
        } else {
            Instruction::Expression(id)
        });
        true
    }

    fn hole(&mut self, source: &[u8], slots: &mut Slots, code: &mut Vec<Instruction>) {
        if self.typed(source, slots, code) {
            return;
        }
        code.push(Instruction::Open(0));
        self.text(source, slots, code);
        code.push(Instruction::PushText);
    }

    /// A text that is one plain variable or one expression: its value goes on the stack.
    fn typed(&mut self, text: &[u8], slots: &mut Slots, code: &mut Vec<Instruction>) -> bool {
        let Some((piece, [])) = next_piece(text, self.angle) else {
            return false;
        };
        match piece {
            Piece::Variable(inside) if self.plain(&inside) && !inside.nested => {
                let parts = reference(inside.text);
                if parts.function || parts.cut.is_some() || Core::named(parts.name).is_some() {
                    return false;
                }
                let Some(slot) = slots.add(parts.name) else {
                    return false;
                };
                code.push(Instruction::PushSlot(slot));
                true
            }
            Piece::Expression(inside) if self.plain(&inside) => {
                let before = code.len();
                let done = self.expression(&inside, true, slots, code);
                if !done {
                    code.truncate(before);
                }
                done
            }
            _ => false,
        }
    }

    /// Whether a text can be evaluated at once: nothing in it waits, changes anything, or is left to the textual
    /// evaluator.
    pub(super) fn is_straight(&self, code: CodeId) -> bool {
        (code.0..)
            .map(|pc| self.code.at(pc))
            .take_while(|instruction| *instruction != Instruction::End)
            .all(|instruction| match instruction {
                Instruction::Textual(_) => false,
                Instruction::Call(id) => self
                    .code
                    .call(id)
                    .and_then(|call| self.registry.function(&call.name))
                    .is_some_and(|function| function.pure),
                _ => true,
            })
    }

    /// Whether a function answers what REGEX() does.
    pub(super) fn matches(&self, function: &[u8]) -> bool {
        self.registry
            .function(function)
            .is_some_and(|function| function.matches)
    }

    /// The constant that a text always gives, if there is one.
    pub(super) fn constant_value(&self, code: CodeId) -> Option<Value> {
        let at = |i| self.code.at(code.0 + i);
        match (at(0), at(1)) {
            (Instruction::End, _) => Some(Value::EMPTY),
            (Instruction::Literal(id), Instruction::End) => {
                Some(Value::from_bytes(self.code.constant(id)))
            }
            (Instruction::ExpressionValue(id), Instruction::End) => {
                match self.code.expression(id)?.compiled.shape() {
                    Shape::Constant(value) => Some(value.clone()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The arguments of a function begin.
fn arguments_begin(name: &[u8]) -> Instruction {
    Instruction::Open(u16::try_from(name.len() + 1).unwrap_or(u16::MAX))
}

/// How deep substitutions nest in the inside of one, counted up to `limit`.
fn depth(inside: &[u8], angle: bool, limit: usize) -> usize {
    if limit == 0 {
        return 0;
    }
    let mut deepest = 0;
    let mut rest = inside;
    while let Some((piece, tail)) = next_piece(rest, angle) {
        if let Piece::Variable(inner) | Piece::Expression(inner) = piece {
            deepest = deepest.max(1 + depth(inner.text, angle, limit - 1));
        }
        rest = tail;
    }
    deepest
}
