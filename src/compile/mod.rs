//! Syntax trees to a program: tables, match automata, code.

pub mod automaton;
pub mod expression;
pub mod flatten;
mod fuse;
mod line;
pub mod load_time;
pub mod resolve;
mod text;

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Interner, SourceMap, Text};
use crate::library::Registry;
use crate::machine::Names;
use crate::program::instruction::{CodeId, Operation};
use crate::program::line::{Line, NONE, Step};
use crate::program::slots::Slots;
use crate::program::{Options, Program};
use crate::syntax::ast::Plan;

use line::{Builder, Inner};
use text::Texts;

/// Compiles a loaded plan against a registry.
pub fn compile(plan: &Plan, registry: &Registry, mut sources: SourceMap) -> Program {
    let mut names = Interner::new();
    let table = flatten::flatten(plan, &mut names);
    let matcher = automaton::build(&table);
    let options = Options {
        autofallthrough: plan.general.autofallthrough,
        anglesubstitution: plan.general.anglesubstitution,
        overrideswitch: plan.general.overrideswitch.clone(),
    };
    let mut texts = Texts::new(options.anglesubstitution, registry);
    let mut slots = Slots::default();
    let mut applications = Applications::new();
    let mut lines = Vec::with_capacity(table.priorities.len());
    let mut direct = Vec::with_capacity(table.priorities.len());
    let mut inner = Vec::new();
    for (index, entry) in table.priorities.iter().enumerate() {
        let name = names.resolve(entry.app);
        let code = texts.compile(&entry.data, &mut slots);
        let index = index as u32;
        let next = table
            .priorities
            .get(index as usize + 1)
            .filter(|n| n.extension == entry.extension && n.number == entry.number + 1)
            .map(|_| index + 1);
        let hook = registry.application(name).and_then(|a| a.compile);
        direct.push(hook.and_then(|hook| {
            let mut builder = Builder {
                texts: &mut texts,
                registry,
                inner: Some(&mut inner),
                slots: &mut slots,
                table: &table,
                names: &names,
                line: index,
                next,
            };
            hook(&mut builder, &entry.data)
        }));
        lines.push(Line {
            operation: Operation::General,
            next: next.unwrap_or(NONE),
            code,
            application: applications.number(name),
            onward: Step::END,
        });
    }
    for part in inner {
        let Inner {
            owner,
            application,
            direct: operation,
        } = part;
        lines.push(Line {
            operation: Operation::General,
            next: owner,
            code: lines
                .get(owner as usize)
                .map_or(CodeId(0), |line| line.code),
            application: applications.number(&application),
            onward: Step::END,
        });
        direct.push(operation);
    }
    fuse::fuse(&mut lines, &direct, table.priorities.len());
    let timed = table
        .contexts
        .iter()
        .any(|c| c.includes.iter().any(|i| i.times.is_some()));
    sources.forget_texts();
    Program {
        table,
        matcher,
        names,
        slots,
        code: texts.finish(),
        lines,
        applications: applications.names,
        options,
        timed,
        sources,
    }
}

/// A program without any dialplan: what texts are evaluated on while a dialplan is loaded.
pub fn empty(anglesubstitution: bool) -> Program {
    let plan = Plan {
        general: crate::syntax::ast::General {
            anglesubstitution,
            ..crate::syntax::ast::General::default()
        },
        ..Plan::default()
    };
    compile(&plan, &Registry::new(), SourceMap::new())
}

struct Applications {
    names: Vec<Text>,
    numbers: StableMap<Text, u32>,
}

impl Applications {
    fn new() -> Self {
        Self {
            names: Vec::new(),
            numbers: stable_map(),
        }
    }

    fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(Text::from(name));
        self.numbers.insert(Text::from(name), number);
        number
    }
}

/// The names of a registry in the form that images are linked with.
pub fn link_names(registry: &Registry) -> Names {
    let mut names = Names {
        applications: stable_map(),
        functions: stable_map(),
    };
    for application in registry.applications() {
        names.applications.insert(
            application.name.to_ascii_lowercase().into_bytes(),
            std::sync::Arc::new(crate::machine::LinkedApplication {
                name: Text::from(application.name.as_ref()),
                body: application.body.clone(),
            }),
        );
    }
    for function in registry.functions() {
        names.functions.insert(
            function.name.as_bytes().to_vec(),
            std::sync::Arc::new(crate::machine::LinkedFunction {
                read: function.read.clone(),
                write: function.write.clone(),
                in_expressions: function.in_expressions,
                pure: function.pure,
            }),
        );
    }
    names
}
