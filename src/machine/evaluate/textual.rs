//! Texts as they are written, in Asterisk's own order of work: scan, substitute the inside, read it.

use crate::base::Text;
use crate::diagnostic::code;
use crate::machine::Cx;
use crate::machine::image::Image;
use crate::syntax::lex::template::{Piece, next_piece};

use super::{DEPTH_LIMIT, Evaluator, Frame, Role, Status, VALUE_LIMIT, say_cut, shorten};

impl Evaluator {
    pub(super) fn run_text(&mut self, image: &Image, cx: &mut Cx<'_>) -> Option<Status> {
        let angle = image.program.options.anglesubstitution;
        let Some(Frame::Text(frame)) = self.frames.last_mut() else {
            return None;
        };
        let full = self.out.len() >= frame.mark + frame.limit;
        let rest = frame.text.get(frame.position..).unwrap_or(&[]);
        if full || rest.is_empty() {
            return self.end_text(cx);
        }
        let Some((piece, tail)) = next_piece(rest, angle) else {
            return self.end_text(cx);
        };
        frame.position = frame.text.len() - tail.len();
        let depth = frame.depth;
        match piece {
            Piece::Literal(literal) => {
                self.out.extend_from_slice(literal);
                None
            }
            Piece::Variable(inside) | Piece::Expression(inside) => {
                let expression = matches!(piece, Piece::Expression(_));
                let text = Text::from(inside.text);
                let nested = inside.nested;
                if !inside.closed {
                    let fault = if expression {
                        &code::MISSING_BRACKET
                    } else {
                        &code::MISSING_BRACE
                    };
                    cx.log(fault, || fault.title.to_owned());
                }
                let role = if expression {
                    Role::Expression
                } else {
                    Role::Variable
                };
                if nested && depth + 1 >= DEPTH_LIMIT {
                    cx.log(&code::SUBSTITUTION_TOO_DEEP, || {
                        code::SUBSTITUTION_TOO_DEEP.title.to_owned()
                    });
                    return self.inside_done(cx, &[], &role);
                }
                if nested {
                    self.push_text(text, VALUE_LIMIT, depth + 1, role);
                    return None;
                }
                let inside = text.get(..VALUE_LIMIT).unwrap_or(&text);
                self.inside_done(cx, inside, &role)
            }
        }
    }

    pub(super) fn end_text(&mut self, cx: &mut Cx<'_>) -> Option<Status> {
        let Some(Frame::Text(frame)) = self.frames.pop() else {
            return None;
        };
        let end = frame.mark + frame.limit;
        if self.out.len() == end && frame.position < frame.text.len() {
            say_cut(cx);
        }
        shorten(&mut self.out, end, cx);
        if matches!(frame.role, Role::Whole) {
            return None;
        }
        let inside = self.out.get(frame.mark..).unwrap_or(&[]).to_vec();
        self.out.truncate(frame.mark);
        self.inside_done(cx, &inside, &frame.role)
    }

    pub(super) fn inside_done(
        &mut self,
        cx: &mut Cx<'_>,
        inside: &[u8],
        role: &Role,
    ) -> Option<Status> {
        match role {
            Role::Expression => {
                self.start_expression(inside, false);
                None
            }
            Role::Variable | Role::Whole => self.read(cx, inside),
        }
    }
}
