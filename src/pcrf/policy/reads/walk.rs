//! The lines that a kind of decision may reach.

use std::collections::BTreeSet;

use super::lines::{HOLE, Lines};
use super::target;
use crate::base::pattern;
use crate::pcrf::policy::wanted::fits;
use crate::pcrf::policy::{CONTEXT, Kind};
use crate::program::{ContextId, ExtensionId, Program, Table};

/// Extensions that a call gets to by itself.
const SPECIAL: &[&[u8]] = &[b"i", b"e", b"h", b"t", b"T"];

/// Indices of lines, sorted.
pub(super) fn reachable(kind: Kind, program: &Program, lines: &mut Lines<'_>) -> Vec<u32> {
    let table = &program.table;
    let mut walk = Walk {
        table,
        seen: BTreeSet::new(),
        open: Vec::new(),
    };
    walk.go(CONTEXT.as_bytes(), Some(kind.name().as_bytes()));
    let mut found = BTreeSet::new();
    while let Some((context, extension)) = walk.open.pop() {
        let Some(of) = table.extension(extension) else {
            continue;
        };
        for at in of.priorities.clone() {
            found.insert(at);
            let Some(line) = lines.look(at) else {
                continue;
            };
            for target in line.targets.clone() {
                walk.follow(context, &target);
            }
        }
    }
    found.into_iter().collect()
}

struct Walk<'t> {
    table: &'t Table,
    /// The context that the call is in, which need not be the extension's own, and the extension.
    seen: BTreeSet<(ContextId, ExtensionId)>,
    open: Vec<(ContextId, ExtensionId)>,
}

impl Walk<'_> {
    /// A jump from an extension, as seen from a context.
    fn follow(&mut self, from: ContextId, to: &[u8]) {
        let (context, exten, priority) = target(to);
        let here = self.table.context(from).map(|context| context.name.clone());
        let here = here.unwrap_or_default();
        match (context, exten) {
            // A whole place may be computed.
            (None, None) if priority.contains(&HOLE) => self.go(&[HOLE], None),
            // A priority of the same extension, all of whose lines count anyway.
            (None, None) => {}
            (context, exten) => {
                let context = context.unwrap_or(&here).to_vec();
                // Without an extension it is the present one, which may be any in another context.
                self.go(&context, exten);
            }
        }
    }

    /// All extensions that the texts may mean.
    fn go(&mut self, context: &[u8], exten: Option<&[u8]>) {
        let glob = pattern_of(context);
        let contexts = self.table.contexts.iter().enumerate();
        let meant: Vec<ContextId> = contexts
            .filter(|(_, known)| fits(&glob, &known.name))
            .map(|(at, _)| ContextId(at as u32))
            .collect();
        for context in meant {
            for id in visible(self.table, context) {
                let Some(extension) = self.table.extension(id) else {
                    continue;
                };
                let special = SPECIAL.contains(&extension.exten.as_bytes());
                let meant = exten.is_none_or(|exten| may_be(&extension.exten, exten));
                if (meant || special) && self.seen.insert((context, id)) {
                    self.open.push((context, id));
                }
            }
        }
    }
}

/// A text with holes as a pattern in which `*` stands for any text.
fn pattern_of(text: &[u8]) -> Vec<u8> {
    text.iter()
        .map(|&byte| if byte == HOLE { b'*' } else { byte })
        .collect()
}

/// Whether an extension may take a text with holes.
fn may_be(extension: &[u8], text: &[u8]) -> bool {
    let computed = text.contains(&HOLE);
    if pattern::is_pattern(extension) {
        return computed || pattern::fit(extension, text).is_match();
    }
    if computed {
        fits(&pattern_of(text), extension)
    } else {
        pattern::same_literal(extension, text)
    }
}

/// The extensions of a context and of all that it includes, whatever the time.
fn visible(table: &Table, context: ContextId) -> Vec<ExtensionId> {
    let mut seen = BTreeSet::from([context]);
    let mut open = vec![context];
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        let Some(context) = table.context(id) else {
            continue;
        };
        found.extend(context.extensions.clone().map(ExtensionId));
        for included in context
            .includes
            .iter()
            .filter_map(|include| include.context)
        {
            if seen.insert(included) {
                open.push(included);
            }
        }
    }
    found
}
