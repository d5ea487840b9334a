//! Changes to a loaded plan before it is compiled.

use crate::base::Text;
use crate::compile::{automaton, flatten};
use crate::program::Want;
use crate::syntax::ast::{Number, Plan, Priority};

/// Gives the first `Set(NAME=…)`, in file order, of the extension that `exten` reaches in `context` another value,
/// as text of the dialplan. Returns whether there is such a line.
pub fn set_value(plan: &mut Plan, context: &str, exten: &str, name: &str, value: &str) -> bool {
    let Some((home, exten, caller)) = reached(plan, context.as_bytes(), exten.as_bytes()) else {
        return false;
    };
    let found = plan
        .contexts
        .iter()
        .filter(|c| c.name == home)
        .flat_map(|c| &c.extensions)
        .filter(|e| e.exten == exten && e.cid == caller)
        .flat_map(|e| e.priorities.clone().zip(plan.lines(e)))
        .filter(|(_, p)| sets(plan, p, name.as_bytes()))
        .min_by_key(|(_, p)| (p.place.source, p.place.line));
    let Some((at, line)) = found else {
        return false;
    };
    let data = plan.text(line.data);
    let written = data.split(|&b| b == b'=').next().unwrap_or_default();
    let data = [written, b"=", value.as_bytes()].concat();
    let data = plan.intern(&data);
    if let Some(line) = plan.priorities.get_mut(at as usize) {
        line.data = data;
    }
    true
}

/// Context, extension and caller condition of the entry that a call starts in.
fn reached(plan: &Plan, context: &[u8], exten: &[u8]) -> Option<(Text, Text, Option<Text>)> {
    let table = flatten::flatten(plan);
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

fn sets(plan: &Plan, priority: &Priority, name: &[u8]) -> bool {
    let (app, data) = (plan.text(priority.app), plan.text(priority.data));
    if priority.number == Number::Hint || !app.eq_ignore_ascii_case(b"Set") {
        return false;
    }
    let Some(end) = data.iter().position(|&b| b == b'=') else {
        return false;
    };
    let written = data.get(..end).unwrap_or_default().trim_ascii();
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
            .flat_map(|e| plan.lines(e))
            .map(|p| String::from_utf8_lossy(plan.text(p.data)).into_owned())
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
