//! A small evaluator for loading: nested `${NAME}` and `${LEN(text)}`.

use std::collections::BTreeMap;
use strowger::diagnostic::{Entry, code};
use strowger::syntax::ast::General;
use strowger::syntax::load::LoadTime;

#[derive(Default)]
pub(crate) struct Evaluator {
    pub(crate) globals: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Evaluator {
    fn text(&self, mut text: &[u8], log: &mut Vec<Entry>, depth: u32) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(start) = text.windows(2).position(|w| w == b"${") {
            out.extend_from_slice(&text[..start]);
            let inside = &text[start + 2..];
            let mut open = 1;
            let mut end = inside.len();
            for (at, byte) in inside.iter().enumerate() {
                match byte {
                    b'{' => open += 1,
                    b'}' => open -= 1,
                    _ => {}
                }
                if open == 0 {
                    end = at;
                    break;
                }
            }
            if depth < 15 {
                let name = self.text(&inside[..end], log, depth + 1);
                out.extend(self.value(&name, log));
            }
            text = inside.get(end + 1..).unwrap_or_default();
        }
        out.extend_from_slice(text);
        out
    }

    fn value(&self, name: &[u8], log: &mut Vec<Entry>) -> Vec<u8> {
        if let Some(call) = name.strip_suffix(b")") {
            if let Some(argument) = call.strip_prefix(b"LEN(") {
                return argument.len().to_string().into_bytes();
            }
            log.push(Entry::new(&code::FUNC_UNKNOWN, "no such function"));
            return Vec::new();
        }
        self.globals.get(name).cloned().unwrap_or_default()
    }
}

impl LoadTime for Evaluator {
    fn general(&mut self, _: &General) {}

    fn set_global(&mut self, name: &[u8], value: &[u8], _: &mut Vec<Entry>) {
        self.globals.insert(name.to_vec(), value.to_vec());
    }

    fn substitute(&mut self, text: &[u8], log: &mut Vec<Entry>) -> Vec<u8> {
        self.text(text, log, 0)
    }

    fn substitute_hint(
        &mut self,
        context: &[u8],
        exten: &[u8],
        text: &[u8],
        log: &mut Vec<Entry>,
    ) -> Vec<u8> {
        let mut own = Evaluator {
            globals: self.globals.clone(),
        };
        own.globals.insert(b"CONTEXT".to_vec(), context.to_vec());
        own.globals.insert(b"EXTEN".to_vec(), exten.to_vec());
        own.text(text, log, 0)
    }
}
