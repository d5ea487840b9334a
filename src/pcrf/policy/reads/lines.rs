//! What a single line reads, where it goes, and what it depends on.

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Place, Text};
use crate::compile::resolve::called_in_expression;
use crate::library::{Named, Registry};
use crate::pcrf::diameter::dictionary::AvpId;
use crate::pcrf::policy::functions::{avp_path, no_quota_item, quota_item};
use crate::pcrf::policy::inputs::{Input, avp_named};
use crate::pcrf::policy::wrong::{event, is_session_field, no_event, no_session_field};
use crate::program::{PriorityId, Program};
use crate::syntax::ast::Plan;
use crate::syntax::lex::template::{Piece, function_call, next_piece, reference};

/// Substitutions nest at most this deep; applications that run others are followed as far.
const DEEPEST: usize = 15;
/// Stands for what is computed.
pub(super) const HOLE: u8 = b'$';

/// Applications that decide by what they are given alone, and never wait.
const APPLICATIONS: &[&str] = &[
    "NoOp",
    "Set",
    "MSet",
    "Goto",
    "GotoIf",
    "GotoIfTime",
    "Gosub",
    "GosubIf",
    "Return",
    "StackPop",
    "ExecIf",
    "ExecIfTime",
    "Exec",
    "TryExec",
    "While",
    "EndWhile",
    "ExitWhile",
    "ContinueWhile",
    "If",
    "ElseIf",
    "Else",
    "EndIf",
    "ExitIf",
    "Verbose",
    "Log",
    "Hangup",
    "ClearHash",
    "RaiseException",
];
/// Functions whose value depends on their arguments and the variables of the decision alone, or on time as it is watched.
const FUNCTIONS: &[&str] = &[
    "CASE",
    "CUT",
    "FILTER",
    "FIELDQTY",
    "FIELDNUM",
    "REGEX",
    "STRFTIME",
    "STRPTIME",
    "LEN",
    "IF",
    "IFTIME",
    "ISNULL",
    "EXISTS",
    "MATH",
    "INC",
    "DEC",
    "ABS",
    "MIN",
    "MAX",
    "TOUPPER",
    "TOLOWER",
    "KEYPADHASH",
    "REPLACE",
    "STRREPLACE",
    "STRBETWEEN",
    "PASSTHRU",
    "QUOTE",
    "CSV_QUOTE",
    "SPRINTF",
    "SHIFT",
    "POP",
    "PUSH",
    "UNSHIFT",
    "LISTFILTER",
    "MD5",
    "SHA1",
    "BASE64_ENCODE",
    "BASE64_DECODE",
    "URIENCODE",
    "URIDECODE",
    "HASH",
    "HASHKEYS",
    "ARRAY",
    "LOCAL",
    "LOCAL_PEEK",
    "STACK_PEEK",
    "GLOBAL",
    "SET",
    "TRIM",
    "LTRIM",
    "RTRIM",
    "SORT",
    "JSON_DECODE",
    "EXCEPTION",
    "DIALPLAN_EXISTS",
    "VALID_EXTEN",
    "CHANNEL",
    "CALLERID",
];
/// Functions of calls that have a caller or media: a decision has none, unless it says so itself.
const FOREIGN: &[&str] = &["CHANNEL", "CALLERID"];
/// Functions that may be written: what they keep ends with the decision.
const WRITTEN: &[&str] = &["HASH", "LOCAL", "ARRAY", "CHANNEL", "CALLERID"];

/// What a line may read.
#[derive(Debug, Clone)]
pub(super) struct Read {
    /// As the dialplan writes it, with `*` for what is computed.
    pub(super) text: Text,
    pub(super) avp: Option<AvpId>,
    /// Whether any AVP may be meant.
    pub(super) all_avps: bool,
}

/// What is known of a line.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) place: Place,
    pub(super) reads: Vec<Read>,
    /// Targets of jumps and subroutines, with holes.
    pub(super) targets: Vec<Vec<u8>>,
    /// What it depends on that cannot be compared.
    pub(super) volatile: Vec<Text>,
    /// Functions that it reads, of things that no decision has.
    pub(super) foreign: Vec<Text>,
    /// Functions that it writes.
    pub(super) written: Vec<Text>,
    /// Monitoring keys that it reads, by constant names.
    pub(super) keys: Vec<Text>,
    /// Arguments that no decision understands.
    pub(super) wrong: Vec<String>,
    /// Applications that it runs, with their data.
    pub(super) applications: Vec<(Vec<u8>, Vec<u8>)>,
}

/// What is known of the lines of a dialplan, found as it is asked for.
pub(super) struct Lines<'p> {
    program: &'p Program,
    registry: &'p Registry,
    /// Globals that nothing ever sets.
    constants: StableMap<Text, Text>,
    known: StableMap<u32, Line>,
}

impl<'p> Lines<'p> {
    pub(super) fn new(plan: &Plan, program: &'p Program, registry: &'p Registry) -> Self {
        let mut lines = Self {
            program,
            registry,
            constants: stable_map(),
            known: stable_map(),
        };
        let globals = plan.globals.iter().cloned();
        let mut constants: StableMap<Text, Text> = stable_map();
        constants.extend(globals);
        for at in 0..program.table.priorities.len() as u32 {
            for (application, data) in lines
                .make(at)
                .map(|line| line.applications)
                .unwrap_or_default()
            {
                for name in set_by(&application, &data) {
                    if name.contains(&HOLE) {
                        constants.clear();
                    }
                    constants.remove(name.as_slice());
                }
            }
        }
        lines.constants = constants;
        lines
    }

    /// What is known of a line that was looked at.
    pub(super) fn get(&self, at: u32) -> Option<&Line> {
        self.known.get(&at)
    }

    /// Looks at a line.
    pub(super) fn look(&mut self, at: u32) -> Option<&Line> {
        if !self.known.contains_key(&at) {
            let line = self.make(at)?;
            self.known.insert(at, line);
        }
        self.known.get(&at)
    }

    /// All lines that were looked at, in their order.
    pub(super) fn all(&self) -> Vec<&Line> {
        let mut all: Vec<_> = self.known.iter().collect();
        all.sort_by_key(|(at, _)| **at);
        all.into_iter().map(|(_, line)| line).collect()
    }

    fn make(&self, at: u32) -> Option<Line> {
        let priority = self.program.table.priority(PriorityId(at))?;
        let names = &self.program.names;
        let mut line = Line {
            place: priority.place,
            reads: Vec::new(),
            targets: Vec::new(),
            volatile: Vec::new(),
            foreign: Vec::new(),
            written: Vec::new(),
            keys: Vec::new(),
            wrong: Vec::new(),
            applications: Vec::new(),
        };
        let data = self.fold(names.resolve(priority.data), 0, &mut line);
        let application = names.resolve(priority.app);
        let mut open = vec![(application.to_vec(), data)];
        for _ in 0..DEEPEST {
            let Some((application, data)) = open.pop() else {
                break;
            };
            let list = self
                .registry
                .application(&application)
                .and_then(|a| a.names);
            for named in list.map(|list| list(&data)).unwrap_or_default() {
                match named {
                    Named::Application { name, data } => open.push((name, data)),
                    Named::Written(call) => written(&call, &mut line),
                }
            }
            judge(self.registry, &application, &data, &mut line);
            line.applications.push((application, data));
        }
        if !open.is_empty() {
            depends(&mut line, b"applications in applications");
        }
        Some(line)
    }

    /// The text with constants in the place of their names, and a hole for everything else that is substituted.
    fn fold(&self, text: &[u8], depth: usize, line: &mut Line) -> Vec<u8> {
        let angle = self.program.options.anglesubstitution;
        let mut out = Vec::new();
        let mut rest = text;
        while let Some((piece, behind)) = next_piece(rest, angle) {
            rest = behind;
            match piece {
                Piece::Literal(literal) => out.extend_from_slice(literal),
                Piece::Expression(_) | Piece::Variable(_) if depth >= DEEPEST => out.push(HOLE),
                Piece::Expression(inside) => {
                    let inside = self.fold(inside.text, depth + 1, line);
                    for name in called_in_expression(&inside) {
                        called(&name, &[HOLE], line);
                    }
                    out.push(HOLE);
                }
                Piece::Variable(inside) => {
                    let inside = self.fold(inside.text, depth + 1, line);
                    let parts = reference(&inside);
                    if parts.function {
                        let (name, arguments, _) = function_call(parts.name);
                        called(name, arguments, line);
                        out.push(HOLE);
                        continue;
                    }
                    if parts.name.contains(&HOLE) {
                        // Its value may read as the call of a function.
                        let shown = [b"${", parts.name, b"}"].concat();
                        depends(line, &shown);
                    }
                    match parts.name {
                        b"EPOCH" => line.reads.push(Read {
                            text: Text::from("EPOCH"),
                            avp: None,
                            all_avps: false,
                        }),
                        b"HINT" | b"HINTNAME" => depends(line, parts.name),
                        _ => {}
                    }
                    let constant = self.constants.get(parts.name);
                    match constant.filter(|_| parts.cut.is_none()) {
                        Some(value) => out.extend_from_slice(value),
                        None => out.push(HOLE),
                    }
                }
            }
        }
        out
    }
}

/// Names of variables that a line sets.
fn set_by(application: &[u8], data: &[u8]) -> Vec<Vec<u8>> {
    let several = application.eq_ignore_ascii_case(b"MSet");
    if !several && !application.eq_ignore_ascii_case(b"Set") {
        return Vec::new();
    }
    let entries: Vec<&[u8]> = if several {
        data.split(|&byte| byte == b',').collect()
    } else {
        vec![data]
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.split(|&byte| byte == b'=').next().unwrap_or(&[]);
        let name = name.trim_ascii();
        match memchr::memchr(b'(', name) {
            Some(open) => {
                let inside = name.get(open + 1..).unwrap_or(&[]);
                let inside = inside.strip_suffix(b")").unwrap_or(inside);
                names.extend(inside.split(|&byte| byte == b',').map(<[u8]>::to_vec));
            }
            None => names.push(
                name.strip_prefix(b"__")
                    .or(name.strip_prefix(b"_"))
                    .unwrap_or(name)
                    .to_vec(),
            ),
        }
    }
    names
}

fn depends(line: &mut Line, what: &[u8]) {
    let what = Text::from(what);
    if !line.volatile.contains(&what) {
        line.volatile.push(what);
    }
}

fn listed(list: &[&str], name: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes() == name)
}

/// A function is read.
fn called(name: &[u8], arguments: &[u8], line: &mut Line) {
    let computed = arguments.contains(&HOLE);
    let star = |text: &[u8]| -> Vec<u8> {
        text.iter()
            .map(|&byte| if byte == HOLE { b'*' } else { byte })
            .collect()
    };
    let mut read = |text: Vec<u8>, avp: Option<AvpId>, all_avps: bool| {
        let text = Text::from(text);
        if !line.reads.iter().any(|known| known.text == text) {
            line.reads.push(Read {
                text,
                avp,
                all_avps,
            });
        }
    };
    match name {
        b"AVP" => {
            let first = arguments.split(|&byte| byte == b',').next().unwrap_or(&[]);
            if first.contains(&HOLE) {
                read(b"AVP(*)".to_vec(), None, true);
                return;
            }
            // A computed index or subname does not matter to what is kept ready.
            match avp_path(if computed { first } else { arguments }, &mut avp_named) {
                Ok(path) if computed => {
                    let text = format!("AVP({},*)", path.avp.name());
                    read(text.into_bytes(), Some(path.avp), false);
                }
                Ok(path) => {
                    let text = Input::Avp(path).to_string();
                    read(text.into_bytes(), Some(path.avp), false);
                }
                Err(message) => line.wrong.push(message),
            }
        }
        b"TRIGGERED" => {
            if !computed && event(arguments.trim_ascii()).is_none() {
                line.wrong.push(no_event(arguments));
            }
            read([name, b"(", &star(arguments), b")"].concat(), None, false);
        }
        b"SUBSCRIBER" | b"QUOTA_STATE" | b"QUOTA" | b"USAGE" | b"SESSION" => {
            read([name, b"(", &star(arguments), b")"].concat(), None, false);
            let mut given = arguments
                .split(|&byte| byte == b',')
                .map(<[u8]>::trim_ascii);
            let first = given.next().unwrap_or(&[]);
            if first.contains(&HOLE) {
                return;
            }
            match name {
                b"SESSION" if !is_session_field(first) => {
                    line.wrong.push(no_session_field(first));
                }
                b"SUBSCRIBER" if first.is_empty() => {
                    line.wrong
                        .push("SUBSCRIBER() needs the name of a field".to_owned());
                }
                b"QUOTA" | b"QUOTA_STATE" | b"USAGE" => {
                    line.keys.push(Text::from(first));
                    let item = given.next().unwrap_or(&[]);
                    if name == b"QUOTA" && !item.contains(&HOLE) && quota_item(item).is_none() {
                        line.wrong.push(no_quota_item(item));
                    }
                }
                _ => {}
            }
        }
        b"STRFTIME" => {
            if arguments
                .split(|&byte| byte == b',')
                .next()
                .unwrap_or(&[])
                .is_empty()
            {
                read(b"EPOCH".to_vec(), None, false);
            }
        }
        _ if listed(FUNCTIONS, name) => {
            if listed(FOREIGN, name) && !line.foreign.iter().any(|known| known.as_bytes() == name) {
                line.foreign.push(Text::from(name));
            }
        }
        _ => depends(line, &[name, b"()"].concat()),
    }
}

/// A function is written.
fn written(call: &[u8], line: &mut Line) {
    let name = call.split(|&byte| byte == b'(').next().unwrap_or(&[]);
    line.written.push(Text::from(name));
    if !listed(WRITTEN, name) {
        depends(line, &[name, b"()"].concat());
    }
}

/// An application runs.
fn judge(registry: &Registry, application: &[u8], data: &[u8], line: &mut Line) {
    let name = application.to_ascii_lowercase();
    match name.as_slice() {
        b"goto" => line.targets.push(data.to_vec()),
        b"gotoif" | b"gotoiftime" | b"gosubif" => {
            let branches = match memchr::memchr(b'?', data) {
                Some(at) => data.get(at + 1..).unwrap_or(&[]),
                None => &[],
            };
            for branch in branches_of(branches) {
                line.targets.push(place_of(branch).to_vec());
            }
        }
        b"gosub" => line.targets.push(place_of(data).to_vec()),
        _ => {}
    }
    let own = crate::pcrf::policy::APPLICATIONS
        .iter()
        .map(|application| application.name.as_ref());
    let known = |known: &str| known.as_bytes().eq_ignore_ascii_case(&name);
    if !own.chain(APPLICATIONS.iter().copied()).any(known) {
        let exists = registry.application(application).is_some();
        if exists || application.contains(&HOLE) {
            let shown: Vec<u8> = application
                .iter()
                .map(|&byte| if byte == HOLE { b'*' } else { byte })
                .collect();
            depends(line, &shown);
        }
    }
}

/// `yes[:no]`, where the arguments of a subroutine may hold colons.
fn branches_of(text: &[u8]) -> Vec<&[u8]> {
    let mut depth = 0usize;
    let colon = text.iter().position(|&byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b':' && depth == 0
    });
    let branches = match colon {
        Some(at) => vec![
            text.get(..at).unwrap_or(text),
            text.get(at + 1..).unwrap_or(&[]),
        ],
        None => vec![text],
    };
    branches
        .into_iter()
        .filter(|branch| !branch.is_empty())
        .collect()
}

/// The place of `place(arguments)`.
fn place_of(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == b'(').next().unwrap_or(text)
}
