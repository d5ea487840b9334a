//! A loaded plan as flat tables. The symbols of its texts stay what they are in the plan.

use crate::base::Text;
use crate::base::symbol::{StableMap, stable_map};
use crate::base::timespec::Timespec;
use crate::program::{
    Context, ContextId, Extension, ExtensionId, Hint, Include, Priority, PriorityId, Switch, Table,
};
use crate::syntax::ast::{self, Number, Plan};

/// Flattens a plan. Time elements that are not understood were told by the loader and are passed over here.
pub fn flatten(plan: &Plan) -> Table {
    let mut table = Table {
        contexts: Vec::with_capacity(plan.contexts.len()),
        by_name: stable_map(),
        extensions: Vec::with_capacity(plan.contexts.iter().map(|c| c.extensions.len()).sum()),
        priorities: Vec::with_capacity(
            plan.contexts
                .iter()
                .flat_map(|c| &c.extensions)
                .map(|e| e.priorities.len())
                .sum(),
        ),
        aliases: stable_map(),
    };
    for (id, context) in (0..).zip(&plan.contexts) {
        table
            .by_name
            .entry(context.name.clone())
            .or_insert(ContextId(id));
    }
    let mut folded = stable_map::<Text, ContextId>();
    for (id, context) in (0..).zip(&plan.contexts) {
        let id = ContextId(id);
        let start = table.extensions.len() as u32;
        for extension in &context.extensions {
            push_extension(&mut table, id, extension, plan);
        }
        let lower = Text::from(context.name.to_ascii_lowercase());
        let flat = Context {
            name: context.name.clone(),
            folded: *folded.entry(lower).or_insert(id),
            extensions: start..table.extensions.len() as u32,
            includes: context
                .includes
                .iter()
                .map(|include| include_of(include, &table.by_name))
                .collect(),
            switches: context.switches.iter().map(switch_of).collect(),
            ignorepats: context.ignorepats.clone(),
        };
        table.contexts.push(flat);
    }
    table
}

fn push_extension(table: &mut Table, context: ContextId, extension: &ast::Extension, plan: &Plan) {
    let id = ExtensionId(table.extensions.len() as u32);
    let start = table.priorities.len() as u32;
    let mut hint = None;
    for line in plan.lines(extension) {
        let written = extension
            .aliases
            .iter()
            .find(|(number, _)| *number == line.number)
            .map(|(_, exten)| exten);
        match line.number {
            Number::Hint => {
                hint = Some(Box::new(Hint {
                    devices: Text::from(plan.text(line.app)),
                    name: Text::from(plan.text(line.data)),
                    exten: written.unwrap_or(&extension.exten).clone(),
                    place: line.place,
                }));
            }
            Number::At(number) => {
                if let Some(written) = written {
                    let at = PriorityId(table.priorities.len() as u32);
                    table.aliases.insert(at, written.clone());
                }
                table.priorities.push(Priority {
                    extension: id,
                    number,
                    label: line.label,
                    app: line.app,
                    data: line.data,
                    place: line.place,
                });
            }
        }
    }
    table.extensions.push(Extension {
        context,
        exten: extension.exten.clone(),
        cid: extension.cid.clone(),
        priorities: start..table.priorities.len() as u32,
        hint,
    });
}

fn include_of(include: &ast::Include, by_name: &StableMap<Text, ContextId>) -> Include {
    Include {
        text: include.text.clone(),
        context: by_name.get(include.context.as_bytes()).copied(),
        // An include whose time part is empty holds always.
        times: include
            .times
            .as_ref()
            .filter(|times| !times.is_empty())
            .map(|times| Timespec::parse(times, &mut |_| {})),
    }
}

fn switch_of(switch: &ast::Switch) -> Switch {
    Switch {
        name: switch.name.clone(),
        data: switch.data.clone(),
        eval: switch.eval,
    }
}
