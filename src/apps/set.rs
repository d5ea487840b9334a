//! Set and MSet.

use crate::base::Value;
use crate::base::arguments;
use crate::diagnostic::code;
use crate::library::{Application, LineBuilder, Named};
use crate::machine::{Cx, Flow};
use crate::program::instruction::{Direct, Operation};

/// Set a variable or write a function.
pub static SET: Application = Application::new(
    "Set",
    "Set channel variable or function value.",
    "name=value",
    "Sets one variable, or writes a function when the name ends in `)`. Split at the first `=`; nothing is trimmed \
     or unquoted. `_name` is inherited by channels that this one creates, `__name` for ever.",
    run,
)
.compile(compile)
.names(|data| written(data).into_iter().collect());

/// Set several variables.
pub static MSET: Application = Application::new(
    "MSet",
    "Set channel variable(s) or function value(s).",
    "name1=value1[,name2=value2[,...]]",
    "Sets several variables. Arguments are cut at commas; quotes and protecting backslashes are removed.",
    run_many,
)
.names(|data| {
    let pairs = arguments::standard(data, 100);
    pairs.iter().filter_map(|pair| written(pair)).collect()
});

/// The function that an assignment writes.
fn written(pair: &[u8]) -> Option<Named> {
    let (name, _) = assignment(pair)?;
    name.ends_with(b")")
        .then(|| Named::Written(name.to_vec()))
}

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        cx.log(&code::SET_EMPTY, || "Set needs name=value".to_owned());
        return Flow::Next;
    }
    if let Some((name, value)) = assignment(data) {
        return set(cx, name, value);
    }
    cx.log(&code::SET_WITHOUT_EQUALS, || {
        format!("no `=` in `Set({})`", bstr::BStr::new(data))
    });
    Flow::Next
}

fn assignment(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|&b| b == b'=')?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

fn set(cx: &mut Cx<'_>, name: &[u8], value: &[u8]) -> Flow {
    note_blanks(cx, name);
    if name.ends_with(b")") {
        return cx.write(name, value);
    }
    cx.set(name, value);
    Flow::Next
}

/// Blanks count also in the arguments of a function that is written.
fn note_blanks(cx: &mut Cx<'_>, name: &[u8]) {
    if name.contains(&b' ') {
        cx.log(&code::SPACES_IN_VARIABLE_NAME, || {
            let name = bstr::BStr::new(name);
            format!("the name `{name}` has blanks, which belong to it")
        });
    }
}

fn run_many(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        cx.log(&code::SET_EMPTY, || "MSet needs name=value".to_owned());
        return Flow::Next;
    }
    let pairs = arguments::standard(data, 100);
    set_all(cx, pairs.into_iter())
}

fn set_all(cx: &mut Cx<'_>, mut pairs: std::vec::IntoIter<Vec<u8>>) -> Flow {
    while let Some(pair) = pairs.next() {
        let Some((name, value)) = assignment(&pair) else {
            let text = bstr::BStr::new(&pair).to_string();
            cx.log(&code::MSET_ENTRY_WITHOUT_EQUALS, || {
                format!("no `=` in `{text}`")
            });
            continue;
        };
        if name.ends_with(b")") {
            // A function may wait: the rest follows when it is written.
            return Flow::Exec {
                application: b"Set".to_vec(),
                data: pair.clone(),
                then: Some(Box::new(move |cx, _| set_all(cx, pairs))),
            };
        }
        note_blanks(cx, name);
        cx.set(name, value);
    }
    Flow::Next
}

fn compile(line: &mut dyn LineBuilder, data: &[u8]) -> Option<Direct> {
    let (name, value) = assignment(data)?;
    let slot = line.slot(name)?;
    let constant = line.constant(value);
    if let Some(Value::Int(n)) = constant
        && let Ok(value) = u32::try_from(n)
    {
        return Some(Direct::Next(Operation::SetInteger { slot, value }));
    }
    if let Some((from, add)) = line.add_constant(value) {
        return Some(Direct::Next(if slot == from {
            Operation::Count { slot, add }
        } else {
            Operation::Add { slot, from, add }
        }));
    }
    let code = line.value(value)?;
    Some(Direct::Next(if let Some(Value::Text(text)) = constant {
        let constant = line.keep(&text);
        Operation::SetConstant { slot, constant }
    } else if line.is_straight(code) {
        Operation::SetStraight { slot, code }
    } else {
        Operation::SetValue { slot, code }
    }))
}
