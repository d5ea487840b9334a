//! Syntax trees to a program: tables, match automata, code.

pub mod automaton;
pub mod expression;
pub mod flatten;
mod fuse;
mod line;
pub mod load_time;
pub mod resolve;
mod selectors;
mod text;

use std::cell::Cell;
use std::sync::Arc;

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Interner, SourceMap, Symbol, Text};
use crate::library::{CompileLine, Registry};
use crate::machine::Names;
use crate::program::instruction::{CodeId, Direct, Operation};
use crate::program::line::{Line, NONE, Step};
use crate::program::selector::Selector;
use crate::program::slots::Slots;
use crate::program::template::Code;
use crate::program::{Options, Program, Table};
use crate::syntax::ast::{General, Plan};

use line::{Builder, Inner};
use text::Texts;

/// So many extensions are worth a thread that builds the matcher while lines are compiled.
const MANY: usize = 10_000;

/// Compiles a loaded plan against a registry.
pub fn compile(plan: &Plan, registry: &Registry, sources: SourceMap) -> Program {
    let table = flatten::flatten(plan);
    program(table, &plan.general, plan.texts.clone(), registry, sources)
}

/// The same; the plan is dropped as soon as it is not needed, so that it and the program do not stand in memory
/// side by side.
pub fn compile_owned(plan: Plan, registry: &Registry, sources: SourceMap) -> Program {
    let table = flatten::flatten(&plan);
    let (general, texts) = (plan.general.clone(), plan.texts.clone());
    drop(plan);
    program(table, &general, texts, registry, sources)
}

fn program(
    table: Table,
    general: &General,
    names: Arc<Interner>,
    registry: &Registry,
    sources: SourceMap,
) -> Program {
    let options = Options {
        autofallthrough: general.autofallthrough,
        anglesubstitution: general.anglesubstitution,
        overrideswitch: general.overrideswitch.clone(),
    };
    let compiled = || lines(&table, &names, general.anglesubstitution, registry);
    // Neither needs the other, and each gives the same whenever it runs.
    let (matcher, compiled) = std::thread::scope(|scope| {
        let matcher = (table.extensions.len() > MANY)
            .then(|| {
                let build = || automaton::build(&table);
                std::thread::Builder::new().spawn_scoped(scope, build).ok()
            })
            .flatten();
        let compiled = compiled();
        let matcher = matcher.and_then(|thread| thread.join().ok());
        (
            matcher.unwrap_or_else(|| automaton::build(&table)),
            compiled,
        )
    });
    let timed = table
        .contexts
        .iter()
        .any(|c| c.includes.iter().any(|i| i.times.is_some()));
    Program {
        table,
        matcher,
        names,
        slots: compiled.slots,
        code: compiled.code,
        lines: compiled.lines,
        selectors: compiled.selectors,
        applications: compiled.applications,
        options,
        timed,
        sources,
    }
}

/// The compiled lines of a table and what they point into.
struct Compiled {
    lines: Vec<Line>,
    selectors: Vec<Selector>,
    slots: Slots,
    code: Code,
    applications: Vec<Text>,
}

fn lines(table: &Table, names: &Interner, angle: bool, registry: &Registry) -> Compiled {
    let mut texts = Texts::new(angle, registry);
    let mut slots = Slots::default();
    let mut applications = Applications::new(registry, names);
    let mut known = Known::new(names);
    let mut lines = Vec::with_capacity(table.priorities.len());
    let mut direct = Vec::with_capacity(table.priorities.len());
    let mut inner = Vec::new();
    for (index, entry) in (0_u32..).zip(&table.priorities) {
        let (application, hook) = applications.of(entry.app);
        let code = known.code(entry.data, || {
            texts.compile(names.resolve(entry.data), &mut slots)
        });
        let next = table
            .priorities
            .get(index as usize + 1)
            .filter(|n| n.extension == entry.extension && n.number == entry.number + 1)
            .map(|_| index + 1);
        direct.push(hook.and_then(|hook| {
            known.direct(entry.data, application, || {
                let mut builder = Builder {
                    texts: &mut texts,
                    registry,
                    inner: Some(&mut inner),
                    slots: &mut slots,
                    table,
                    names,
                    line: index,
                    next,
                    placed: Cell::new(false),
                };
                let direct = hook(&mut builder, names.resolve(entry.data));
                (direct, builder.placed.get())
            })
        }));
        lines.push(Line {
            operation: Operation::General,
            next: next.unwrap_or(NONE),
            code,
            application,
            onward: Step::END,
        });
    }
    for part in inner {
        let Inner {
            owner,
            application,
            direct: operation,
        } = part;
        let (code, own) = lines
            .get(owner as usize)
            .map_or((CodeId(0), 0), |line| (line.code, line.application));
        lines.push(Line {
            operation: Operation::General,
            next: owner,
            code,
            application: application.map_or(own, |name| applications.named(&name)),
            onward: Step::END,
        });
        direct.push(operation);
    }
    fuse::fuse(&mut lines, &direct, table.priorities.len());
    let selectors = selectors::find(&mut lines, table.priorities.len(), &mut texts);
    Compiled {
        lines,
        selectors,
        slots,
        code: texts.finish(),
        applications: applications.names,
    }
}

/// What is known of texts by their symbols, so that lines that read alike are compiled once.
struct Known {
    texts: Vec<KnownText>,
}

#[derive(Clone, Copy)]
struct KnownText {
    code: Option<CodeId>,
    /// The application that had this text last, and its direct operation wherever the line stands.
    direct: Option<(u32, Option<Direct>)>,
}

impl Known {
    fn new(names: &Interner) -> Self {
        let nothing = KnownText {
            code: None,
            direct: None,
        };
        Self {
            texts: vec![nothing; names.len()],
        }
    }

    fn code(&mut self, text: Symbol, compile: impl FnOnce() -> CodeId) -> CodeId {
        match self.texts.get_mut(text.0 as usize) {
            Some(known) => *known.code.get_or_insert_with(compile),
            None => compile(),
        }
    }

    /// The direct operation of a line. `compile` also says whether it depends on where the line stands; such a one is
    /// not kept.
    fn direct(
        &mut self,
        text: Symbol,
        application: u32,
        compile: impl FnOnce() -> (Option<Direct>, bool),
    ) -> Option<Direct> {
        let known = self.texts.get_mut(text.0 as usize);
        if let Some(KnownText {
            direct: Some((of, direct)),
            ..
        }) = known
            && *of == application
        {
            return *direct;
        }
        let (direct, placed) = compile();
        if let Some(known) = known.filter(|_| !placed) {
            known.direct = Some((application, direct));
        }
        direct
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

/// The applications of lines, numbered as they appear.
struct Applications<'a> {
    registry: &'a Registry,
    symbols: &'a Interner,
    names: Vec<Text>,
    /// Numbers of names that stand inside of data only.
    inner: StableMap<Text, u32>,
    /// By symbol of the name: number and compile hook.
    known: StableMap<Symbol, (u32, Option<CompileLine>)>,
    /// The last one asked for: neighbours often have the same.
    last: Option<(Symbol, (u32, Option<CompileLine>))>,
}

impl<'a> Applications<'a> {
    fn new(registry: &'a Registry, symbols: &'a Interner) -> Self {
        Self {
            registry,
            symbols,
            names: Vec::new(),
            inner: stable_map(),
            known: stable_map(),
            last: None,
        }
    }

    fn of(&mut self, symbol: Symbol) -> (u32, Option<CompileLine>) {
        if let Some((last, known)) = self.last
            && last == symbol
        {
            return known;
        }
        let (names, symbols, registry) = (&mut self.names, self.symbols, self.registry);
        let known = *self.known.entry(symbol).or_insert_with(|| {
            let name = symbols.resolve(symbol);
            names.push(Text::from(name));
            let hook = registry.application(name).and_then(|a| a.compile);
            (names.len() as u32 - 1, hook)
        });
        self.last = Some((symbol, known));
        known
    }

    /// The number of a name that stands inside of data.
    fn named(&mut self, name: &[u8]) -> u32 {
        if let Some(symbol) = self.symbols.get(name) {
            return self.of(symbol).0;
        }
        if let Some(&number) = self.inner.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(Text::from(name));
        self.inner.insert(Text::from(name), number);
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
