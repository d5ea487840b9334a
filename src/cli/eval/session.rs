//! Runs cases, each on a fresh engine.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::base::{Symbol, Text};
use crate::cli::eval::case::{Case, Step};
use crate::cli::store;
use crate::diagnostic::{Entry, Report};
use crate::host::{Engine, FileReader, outside};
use crate::machine::{
    Call, Channel, ChannelState, Effect, Environment, Event, Flow, Location, Note, Observer, Start,
    System,
};
use crate::store::Store;
use crate::syntax::ast::{Number, Plan};
use crate::syntax::load::Reader;

/// How texts are evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Compiled, with somebody who watches the log.
    Compiled,
    /// As text.
    Textual,
    /// Compiled, with the direct operations of lines, which run only when nobody watches.
    Unwatched,
}

/// Marks the end of the steps: what the dialplan would do after them is not part of the case.
const END: &str = "EndOfSteps";
/// Bytes of a step's text that stand in a line of the file; longer ones are put into the plan.
const LINE: usize = 7000;
/// Steps of the call before a case counts as endless.
const PATIENCE: usize = 100_000;

/// What a case gave.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) outputs: Vec<Vec<u8>>,
    pub(super) log: Vec<Entry>,
}

/// The file beside the cases, and how they are evaluated.
#[derive(Debug)]
pub(super) struct Session {
    file: Option<PathBuf>,
    way: Way,
    /// The store of `--db`, for all cases.
    store: Option<Arc<dyn Store>>,
}

impl Session {
    /// A session beside the contexts of a file, which must not be refused.
    pub(super) fn new(
        file: Option<&Path>,
        way: Way,
        store: Option<Arc<dyn Store>>,
    ) -> Result<Self, String> {
        let file = file.map(|path| {
            if path.is_dir() {
                path.join("extensions.conf")
            } else {
                path.to_owned()
            }
        });
        if let Some(path) = &file {
            let (plan, report) = Engine::builder().build().read_plan(path, &mut FileReader);
            if plan.is_none() {
                return Err(report.to_string());
            }
        }
        Ok(Self { file, way, store })
    }

    /// Runs a case.
    pub(super) fn answer(&self, case: &Case) -> Result<Answer, String> {
        let world = Arc::new(World::default());
        let engine = Engine::builder()
            .environment(world.clone())
            .store(store::or_memory(self.store.as_ref()))
            .application(END, |_, _| {
                Flow::wait(Effect::Custom {
                    name: Text::from(END),
                    data: Text::EMPTY,
                })
            })
            .build();
        let script = Script::new(case);
        let (plan, report) = self.plan(&engine, case, &script)?;
        engine.swap(&plan, &report);
        let mut channel =
            Channel::new(format!("Local/{}@{}-00000000;2", case.exten, case.context).as_str());
        channel.uniqueid = Text::from(format!("{}.1", world.now().as_secs()).as_str());
        channel.linkedid = channel.uniqueid.clone();
        channel.state = ChannelState::Up;
        let (number, name) = &case.caller;
        channel.caller.number = number.as_deref().map(Text::from);
        channel.caller.name = name.as_deref().map(Text::from);
        let start = Start::Extension(Location {
            context: Text::from(case.context.as_str()),
            exten: Text::from(case.exten.as_str()),
            priority: 1,
        });
        let log = Arc::new(Mutex::new(Vec::new()));
        let mut call = engine.call_on(channel, start);
        if self.way != Way::Unwatched {
            call = call.with_observer(Box::new(Watch(log.clone())));
        }
        if self.way == Way::Textual {
            call = call.textual();
        }
        for (name, value) in &case.vars {
            call.cx().set(name, value);
        }
        run(&engine, &mut call, &world)?;
        let outputs = script
            .outputs
            .iter()
            .map(|output| {
                let text = call.variable(output.name()).unwrap_or_default();
                match output {
                    Output::Value(_) => text.to_vec(),
                    Output::Length(_) => text.len().to_string().into_bytes(),
                }
            })
            .collect();
        let log = std::mem::take(&mut *whole(&log));
        Ok(Answer { outputs, log })
    }

    fn plan(
        &self,
        engine: &Engine,
        case: &Case,
        script: &Script,
    ) -> Result<(Plan, Report), String> {
        let mut text = Vec::new();
        let mut path = PathBuf::from("case.conf");
        if let Some(file) = &self.file {
            path = file.with_file_name("\u{1}case.conf");
            let name = file.file_name().unwrap_or(file.as_os_str());
            text.extend_from_slice(b"#include \"");
            text.extend_from_slice(name.as_bytes());
            text.extend_from_slice(b"\"\n");
        }
        text.extend_from_slice(format!("[{}]\n", case.context).as_bytes());
        for line in &case.dialplan {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        let mut aside = BTreeMap::new();
        for (i, line) in script.lines.iter().enumerate() {
            let number = i as u32 + 1;
            let label = match &line.label {
                Some(label) => format!("({label})"),
                None => String::new(),
            };
            text.extend_from_slice(format!("exten => {},{number}{label},", case.exten).as_bytes());
            let (application, data) = line.call();
            if line.text.len() > LINE || line.text.iter().any(|b| matches!(b, b'\n' | b'\r' | 0)) {
                // What cannot stand in a line of a file is put in its place afterwards.
                text.extend_from_slice(application);
                text.extend_from_slice(b"()");
                aside.insert(number, data);
            } else {
                for &b in &line.text {
                    if b == b';' {
                        text.push(b'\\');
                    }
                    text.push(b);
                }
            }
            text.push(b'\n');
        }
        let mut reader = Beside {
            path: path.clone(),
            text,
        };
        let (plan, report) = engine.read_plan(&path, &mut reader);
        let mut plan = plan.ok_or_else(|| format!("the dialplan is refused: {report}"))?;
        let lines = plan
            .contexts
            .iter()
            .find(|c| c.name.as_bytes() == case.context.as_bytes())
            .and_then(|c| {
                c.extensions
                    .iter()
                    .find(|e| e.cid.is_none() && same_exten(&e.exten, case.exten.as_bytes()))
            })
            .map(|e| e.priorities.start as usize..e.priorities.end as usize)
            .ok_or_else(|| "the steps cannot stand in this context and extension".to_owned())?;
        let aside: BTreeMap<u32, Symbol> = aside
            .iter()
            .map(|(&number, data)| (number, plan.intern(data)))
            .collect();
        for priority in plan.priorities.get_mut(lines).unwrap_or_default() {
            if let Number::At(number) = priority.number
                && let Some(&data) = aside.get(&number)
            {
                priority.data = data;
            }
        }
        Ok((plan, report))
    }
}

fn same_exten(a: &[u8], b: &[u8]) -> bool {
    let plain = |text: &[u8]| -> Vec<u8> {
        text.iter()
            .copied()
            .filter(|b| !matches!(b, b'-' | b' '))
            .collect()
    };
    plain(a) == plain(b)
}

/// Runs a call until its steps are done, or it ends.
fn run(engine: &Engine, call: &mut Call, world: &World) -> Result<(), String> {
    let mut event = Event::Start;
    for _ in 0..PATIENCE {
        event = match call.step(event) {
            Effect::End(_) => return Ok(()),
            Effect::Custom { name, .. } if name.as_bytes() == END.as_bytes() => return Ok(()),
            Effect::Sleep(time) => {
                world.pass(time);
                Event::Done
            }
            Effect::Collect { timeout } => {
                world.pass(timeout.unwrap_or_default());
                Event::Timeout
            }
            Effect::Play(_) => Event::Played {
                digit: None,
                missing: Vec::new(),
            },
            Effect::Record(_) => Event::Recorded(Text::from("TIMEOUT")),
            Effect::Dial(_)
            | Effect::Originate(_)
            | Effect::Custom { .. }
            | Effect::Channel { .. } => Event::Failed("only one channel exists here".to_owned()),
            Effect::Outside(request) => outside::answer(&request, call.cx().allow()),
            Effect::Store(request) => engine.answer_store(&request),
            Effect::Yield => Event::Resume,
            _ => Event::Done,
        };
    }
    Err("the steps do not end".to_owned())
}

enum Output {
    Value(Vec<u8>),
    Length(Vec<u8>),
}

impl Output {
    fn name(&self) -> &[u8] {
        match self {
            Output::Value(name) | Output::Length(name) => name,
        }
    }
}

struct Line {
    label: Option<String>,
    text: Vec<u8>,
}

impl Line {
    fn new(text: &[u8]) -> Self {
        Self {
            label: None,
            text: text.to_vec(),
        }
    }

    fn call(&self) -> (&[u8], &[u8]) {
        let Some(open) = self.text.iter().position(|&b| b == b'(') else {
            return (&self.text, &[]);
        };
        let name = self.text.get(..open).unwrap_or(&[]);
        let rest = self.text.get(open + 1..).unwrap_or(&[]);
        let close = rest.iter().rposition(|&b| b == b')').unwrap_or(rest.len());
        (name, rest.get(..close).unwrap_or(rest))
    }
}

/// The lines of the extension that runs the steps.
struct Script {
    lines: Vec<Line>,
    outputs: Vec<Output>,
}

impl Script {
    fn new(case: &Case) -> Self {
        let mut lines = Vec::new();
        let mut outputs = Vec::new();
        let mut results = 0;
        let set = |name: &str, value: &[u8]| {
            Line::new(&[b"Set(", name.as_bytes(), b"=", value, b")"].concat())
        };
        for step in &case.steps {
            match step {
                Step::Set(text) => lines.push(Line::new(&[b"Set(", &text[..], b")"].concat())),
                Step::App(text) => lines.push(Line::new(text)),
                Step::Len(name) => outputs.push(Output::Length(name.clone())),
                Step::Get(text) => {
                    let result = format!("R{results}");
                    results += 1;
                    lines.push(set(&result, text));
                    outputs.push(Output::Value(result.into_bytes()));
                }
                Step::GotoIfTime(text) => {
                    let result = format!("R{results}");
                    results += 1;
                    let label = format!("holds{}", lines.len());
                    let after = lines.len() + 5;
                    let jump = [b"GotoIfTime(", &text[..], b"?", label.as_bytes(), b")"].concat();
                    lines.push(Line::new(&jump));
                    lines.push(set(&result, b"no"));
                    lines.push(Line::new(format!("Goto({after})").as_bytes()));
                    lines.push(Line {
                        label: Some(label),
                        ..set(&result, b"yes")
                    });
                    lines.push(Line::new(b"NoOp()"));
                    outputs.push(Output::Value(result.into_bytes()));
                }
            }
        }
        lines.push(Line::new(format!("{END}()").as_bytes()));
        Self { lines, outputs }
    }
}

/// The case's file in memory, all others on disk.
struct Beside {
    path: PathBuf,
    text: Vec<u8>,
}

impl Reader for Beside {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        if path == self.path {
            return Ok(self.text.clone());
        }
        FileReader.read(path)
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        path != self.path && FileReader.is_folder(path)
    }

    fn glob(&mut self, pattern: &Path) -> Vec<PathBuf> {
        FileReader.glob(pattern)
    }

    fn exec(&mut self, command: &OsStr) -> io::Result<Vec<u8>> {
        FileReader.exec(command)
    }
}

fn whole<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Collects log entries.
struct Watch(Arc<Mutex<Vec<Entry>>>);

impl Observer for Watch {
    fn priority(&mut self, _: &Text, _: &Location, _: &[u8], _: &[u8]) {}

    fn log(&mut self, _: &Text, entry: Entry) {
        whole(&self.0).push(entry);
    }

    fn verbose(&mut self, _: &Text, _: u8, _: &[u8]) {}

    fn note(&mut self, _: &Text, _: Note) {}
}

/// The clock of the machine, which waits move on, and an environment that the case may write.
#[derive(Default)]
struct World {
    system: System,
    passed: AtomicU64,
    written: Mutex<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl World {
    fn pass(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.passed.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Environment for World {
    fn now(&self) -> Duration {
        self.system
            .now()
            .saturating_add(Duration::from_millis(self.passed.load(Ordering::Relaxed)))
    }

    fn random(&self) -> u64 {
        self.system.random()
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        match whole(&self.written).get(name) {
            Some(value) => Some(value.clone()),
            None => self.system.variable(name),
        }
    }

    fn set_variable(&self, name: &[u8], value: &[u8]) -> bool {
        if name.is_empty() || name.contains(&b'=') || name.contains(&0) {
            return false;
        }
        whole(&self.written).insert(name.to_vec(), value.to_vec());
        true
    }
}
