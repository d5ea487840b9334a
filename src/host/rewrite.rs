//! Changes to a loaded plan before it is compiled.

use crate::base::{Interner, Text};
use crate::compile::{automaton, flatten};
use crate::program::Want;
use crate::syntax::ast::{Number, Plan, Priority};

/// Gives the first `Set(NAME=…)`, in file order, of the extension that `exten` reaches in `context` another value,
/// as text of the dialplan. Returns whether there is such a line.
pub fn set_value(plan: &mut Plan, context: &str, exten: &str, name: &str, value: &str) -> bool {
    let Some((home, exten, caller)) = reached(plan, context.as_bytes(), exten.as_bytes()) else {
        return false;
    };
    let line = plan
        .contexts
        .iter_mut()
        .filter(|c| c.name == home)
        .flat_map(|c| &mut c.extensions)
        .filter(|e| e.exten == exten && e.cid == caller)
        .flat_map(|e| &mut e.priorities)
        .filter(|p| sets(p, name.as_bytes()))
        .min_by_key(|p| (p.place.source, p.place.line));
    let Some(line) = line else {
        return false;
    };
    let written = line.data.split(|&b| b == b'=').next().unwrap_or_default();
    line.data = Text::from([written, b"=", value.as_bytes()].concat());
    true
}

/// Context, extension and caller condition of the entry that a call starts in.
fn reached(plan: &Plan, context: &[u8], exten: &[u8]) -> Option<(Text, Text, Option<Text>)> {
    let mut names = Interner::new();
    let table = flatten::flatten(plan, &mut names);
    let matcher = automaton::build(&table);
    let context = table.context_named(context)?;
    let find = |want| matcher.find(&table, context, exten, want, None, 0).ok();
    let found = find(Want::Priority(1)).or_else(|| find(Want::Any))?;
    let extension = table.extension(found.extension)?;
    let home = table.context(extension.context)?;
    Some((
        home.name.clone(),
        extension.exten.clone(),
        extension.cid.clone(),
    ))
}

fn sets(priority: &Priority, name: &[u8]) -> bool {
    if priority.number == Number::Hint || !priority.app.eq_ignore_ascii_case(b"Set") {
        return false;
    }
    let Some(end) = priority.data.iter().position(|&b| b == b'=') else {
        return false;
    };
    let written = priority.data.get(..end).unwrap_or_default().trim_ascii();
    // `_` and `__` say who inherits the variable; they are not part of its name.
    let bare = written
        .strip_prefix(b"__")
        .or_else(|| written.strip_prefix(b"_"))
        .unwrap_or(written);
    written == name || bare == name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Engine;
    use crate::syntax::load::MemoryReader;

    fn plan() -> Plan {
        let text = "[a]\ninclude => b\nexten => 1,1,NoOp()\n same => n,Set(x=1)\n same => n,Set(x=2)\n\
                    [b]\nexten => _2X,1,Set(__y = 5=6)\n";
        let mut reader = MemoryReader::new().with("e.conf", text);
        Engine::builder()
            .build()
            .read_plan("e.conf", &mut reader)
            .0
            .unwrap()
    }

    fn data(plan: &Plan) -> Vec<String> {
        plan.contexts
            .iter()
            .flat_map(|c| &c.extensions)
            .flat_map(|e| &e.priorities)
            .map(|p| p.data.to_string())
            .collect()
    }

    #[test]
    fn the_first_line_in_file_order_changes() {
        let mut plan = plan();
        assert!(set_value(&mut plan, "a", "1", "x", "${y}"));
        assert_eq!(data(&plan), ["", "x=${y}", "x=2", "__y = 5=6"]);
    }

    #[test]
    fn patterns_and_includes_are_followed() {
        let mut plan = plan();
        assert!(set_value(&mut plan, "a", "23", "y", "7"));
        assert_eq!(data(&plan), ["", "x=1", "x=2", "__y =7"]);
    }

    #[test]
    fn nothing_to_change() {
        let mut plan = plan();
        for (context, exten, name) in [
            ("a", "1", "z"),
            ("a", "9", "x"),
            ("n", "1", "x"),
            ("b", "1", "x"),
        ] {
            assert!(!set_value(&mut plan, context, exten, name, "7"));
        }
    }
}
