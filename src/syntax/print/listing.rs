//! The look of `dialplan show`.

use std::collections::HashSet;
use std::io::Write as _;

use crate::base::symbol::stable_map;
use crate::base::{Place, SourceMap};
use crate::syntax::ast::{Context, Number, Plan, Priority};
use crate::syntax::load::reaches;

/// What is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show<'a> {
    /// One context.
    Context(&'a [u8]),
    /// The extensions that a dialled text reaches in a context and its includes.
    Extension {
        /// The dialled text.
        exten: &'a [u8],
        /// Where it is looked up.
        context: &'a [u8],
    },
}

/// What was asked for does not exist; the message is Asterisk's answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("There is no existence of {}", String::from_utf8_lossy(.0))]
pub struct Missing(Vec<u8>);

/// How many contexts a listing of one extension may nest.
const DEEPEST: usize = 512;

/// `dialplan show`, `dialplan show CONTEXT`, `dialplan show EXTEN@CONTEXT`, with the last context first.
pub fn show(plan: &Plan, sources: &SourceMap, what: Option<Show<'_>>) -> Result<Vec<u8>, Missing> {
    let mut listing = Listing {
        plan,
        sources,
        out: Vec::new(),
        extensions: 0,
        priorities: 0,
        contexts: 0,
    };
    match what {
        None => {
            for context in plan.contexts.iter().rev() {
                listing.context(context);
            }
        }
        Some(Show::Context(name)) => match listing.find(name) {
            Some(context) => listing.context(context),
            None => return Err(Missing([b"'", name, b"' context"].concat())),
        },
        Some(Show::Extension { exten, context }) => {
            let Some(found) = listing.find(context) else {
                return Err(Missing([b"'", context, b"' context"].concat()));
            };
            listing.extension(found, exten);
            if listing.extensions == 0 {
                return Err(Missing([exten, b"@", context, b" extension"].concat()));
            }
        }
    }
    listing.closing();
    Ok(listing.out)
}

/// The part of a plan that was asked for: one context as it is, or the extensions that a dialled text reaches in
/// a context and its includes, each in its own context.
pub fn part(plan: &Plan, what: Show<'_>) -> Result<Plan, Missing> {
    let (Show::Context(name) | Show::Extension { context: name, .. }) = what;
    let mut by_name = stable_map();
    for context in &plan.contexts {
        by_name.entry(context.name.clone()).or_insert(context);
    }
    let find = |name: &[u8]| by_name.get(name).copied();
    let Some(start) = find(name) else {
        return Err(Missing([b"'", name, b"' context"].concat()));
    };
    let mut contexts = Vec::new();
    match what {
        Show::Context(_) => contexts.push(start.clone()),
        Show::Extension { exten, context } => {
            let mut open = vec![start];
            let mut seen = HashSet::from([start.name.clone()]);
            while let Some(context) = open.pop() {
                let mut reduced = context.clone();
                reduced.extensions.retain(|e| reaches(&e.exten, exten));
                if !reduced.extensions.is_empty() {
                    contexts.push(reduced);
                }
                for include in context.includes.iter().rev() {
                    if let Some(included) = find(&include.context)
                        && seen.insert(included.name.clone())
                    {
                        open.push(included);
                    }
                }
            }
            if contexts.is_empty() {
                return Err(Missing([exten, b"@", context, b" extension"].concat()));
            }
        }
    }
    Ok(Plan {
        general: plan.general.clone(),
        globals: plan.globals.clone(),
        contexts,
        priorities: plan.priorities.clone(),
        texts: plan.texts.clone(),
    })
}

struct Listing<'a> {
    plan: &'a Plan,
    sources: &'a SourceMap,
    out: Vec<u8>,
    extensions: usize,
    priorities: usize,
    contexts: usize,
}

impl<'a> Listing<'a> {
    fn find(&self, name: &[u8]) -> Option<&'a Context> {
        self.plan.contexts.iter().find(|c| *c.name == *name)
    }

    fn context(&mut self, context: &Context) {
        self.heading("Context", context);
        for extension in &context.extensions {
            self.priorities(extension);
        }
        for include in &context.includes {
            self.line(b"Include =>", &quoted(&[&include.text]), b"pbx_config");
        }
        for pattern in &context.ignorepats {
            self.line(b"Ignore pattern =>", &quoted(&[pattern]), b"pbx_config");
        }
        self.switches(context);
        self.out.push(b'\n');
    }

    fn heading(&mut self, kind: &str, context: &Context) {
        self.contexts += 1;
        self.out.extend_from_slice(format!("[ {kind} '").as_bytes());
        self.out.extend_from_slice(&context.name);
        self.out.extend_from_slice(b"' created by 'pbx_config' ]\n");
    }

    fn switches(&mut self, context: &Context) {
        for switch in &context.switches {
            let text = quoted(&[&switch.name, b"/", &switch.data]);
            self.line(b"Alt. Switch =>", &text, b"pbx_config");
        }
    }

    /// One extension in a context and, depth first, in its includes; each context once.
    fn extension(&mut self, start: &'a Context, exten: &[u8]) {
        let mut open = vec![start];
        let mut seen = vec![start.name.clone()];
        while let Some(context) = open.pop() {
            let mut printed = false;
            for extension in &context.extensions {
                if !reaches(&extension.exten, exten) {
                    continue;
                }
                if !printed {
                    let included = !std::ptr::eq(context, start);
                    self.heading(
                        if included {
                            "Included context"
                        } else {
                            "Context"
                        },
                        context,
                    );
                    printed = true;
                }
                self.priorities(extension);
            }
            if printed {
                self.out.push(b'\n');
            }
            for include in context.includes.iter().rev() {
                if seen.len() < DEEPEST
                    && !seen.contains(&include.context)
                    && let Some(context) = self.find(&include.context)
                {
                    seen.push(include.context.clone());
                    open.push(context);
                }
            }
        }
    }

    fn priorities(&mut self, extension: &crate::syntax::ast::Extension) {
        self.extensions += 1;
        let mut head = quoted(&[&extension.exten]);
        match &extension.cid {
            Some(cid) => {
                head.extend_from_slice(b" (CID match ");
                head.extend_from_slice(&quoted(&[cid]));
                head.extend_from_slice(b") => ");
            }
            None => head.extend_from_slice(b" =>"),
        }
        // The first line shows the extension where the others show their label.
        for (n, priority) in self.plan.lines(extension).iter().enumerate() {
            self.priorities += 1;
            if let Some(label) = priority.label.filter(|_| n > 0) {
                head.extend_from_slice(b"   [");
                head.extend_from_slice(self.plan.text(label));
                head.push(b']');
            }
            let place = self.place(priority.place);
            self.line(&head, &target(self.plan, priority), &place);
            head.clear();
        }
    }

    fn place(&self, place: Place) -> Vec<u8> {
        let (file, line) = self.sources.listed(place);
        format!("{file}:{line}").into_bytes()
    }

    /// A line in columns of 17 and 45 bytes; longer texts push the rest to the right.
    fn line(&mut self, head: &[u8], text: &[u8], from: &[u8]) {
        self.out.extend_from_slice(b"  ");
        self.column(head, 17);
        self.column(text, 45);
        self.out.push(b'[');
        self.out.extend_from_slice(from);
        self.out.extend_from_slice(b"]\n");
    }

    fn column(&mut self, text: &[u8], width: usize) {
        self.out.extend_from_slice(text);
        let missing = width.saturating_sub(text.len()) + 1;
        self.out.resize(self.out.len() + missing, b' ');
    }

    fn closing(&mut self) {
        let one = |n: usize, one: &'static str, many: &'static str| if n == 1 { one } else { many };
        // Writing to a Vec does not fail.
        let _ = writeln!(
            self.out,
            "-= {} {} ({} {}) in {} {}. =-",
            self.extensions,
            one(self.extensions, "extension", "extensions"),
            self.priorities,
            one(self.priorities, "priority", "priorities"),
            self.contexts,
            one(self.contexts, "context", "contexts"),
        );
    }
}

fn quoted(parts: &[&[u8]]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for part in parts {
        out.extend_from_slice(part);
    }
    out.push(b'\'');
    out
}

fn target(plan: &Plan, priority: &Priority) -> Vec<u8> {
    let (app, data) = (plan.text(priority.app), plan.text(priority.data));
    let mut out;
    match priority.number {
        Number::Hint => {
            out = b"hint: ".to_vec();
            out.extend_from_slice(app);
        }
        Number::At(number) => {
            out = format!("{number}. ").into_bytes();
            out.extend_from_slice(app);
            out.push(b'(');
            out.extend_from_slice(data);
            out.push(b')');
        }
    }
    out
}
