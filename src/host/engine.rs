//! `Engine`: loads and reloads dialplans, makes calls.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;

use crate::base::Text;
use crate::base::value::Value;
use crate::compile::load_time::AtLoad;
use crate::compile::{compile, compile_owned, link_names};
use crate::diagnostic::{Report, code};
use crate::host::outside::Outside;
use crate::host::{FileReader, Realtime};
use crate::library::{Application, Function, Origin, Registry, Support};
use crate::machine::{
    Allow, Answer, ApplicationBody, Call, CallSetup, Channel, Cx, Environment, Event, Flow, Image,
    Limits, Location, Names, ReadBody, RecordOptions, Settings, Shared, Start, System,
};
use crate::program::Program;
use crate::store::{self, Memory, Store, StoreRequest};
use crate::syntax::ast::{General, Plan};
use crate::syntax::load::{LoadOptions, Reader, load};

/// What running calls do when a newer dialplan was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reload {
    /// The next lookup uses the new dialplan, by context, extension and priority: Asterisk's behaviour.
    #[default]
    NextPriority,
    /// A call ends on the dialplan that it began with.
    PinPerCall,
}

/// What the engine cannot do for the one who asks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The file was refused as a whole; the dialplan loaded before stays in force.
    #[error("{}", .0.refusal())]
    Refused(Box<Report>),
}

impl EngineError {
    /// What was found.
    pub fn report(&self) -> &Report {
        match self {
            EngineError::Refused(report) => report,
        }
    }
}

impl Report {
    fn refusal(&self) -> String {
        self.diagnostics()
            .iter()
            .find(|d| d.severity == crate::diagnostic::Severity::Error)
            .map_or_else(
                || code::FILE_REFUSED.title.to_owned(),
                |first| self.line(first),
            )
    }
}

/// Settings of an engine before it is built.
pub struct EngineBuilder {
    registry: Registry,
    limits: Limits,
    allow: Allow,
    records: RecordOptions,
    reload: Reload,
    environment: Arc<dyn Environment>,
    store: Option<Arc<dyn Store>>,
    outside: Outside,
}

impl std::fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EngineBuilder").finish_non_exhaustive()
    }
}

impl EngineBuilder {
    /// Adds a function that can be read: arguments as text, the value or why there is none.
    #[must_use]
    pub fn function(
        mut self,
        name: &str,
        read: impl Fn(&mut Cx<'_>, &str) -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        let body = move |cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>| match read(
            cx,
            &String::from_utf8_lossy(arguments),
        ) {
            Ok(value) => {
                out.extend_from_slice(value.as_bytes());
                Answer::Done
            }
            Err(message) => {
                cx.log(&code::BAD_ARGUMENT, || message);
                Answer::Failed
            }
        };
        self.registry.add_function(Function {
            name: name.to_owned().into(),
            synopsis: "A function of the embedding service.",
            syntax: "",
            doc: "",
            support: Support::Full,
            origin: Origin::Strowger,
            examples: &[],
            read: Some(ReadBody::Shared(Arc::new(body))),
            write: None,
            in_expressions: true,
            pure: false,
            matches: false,
        });
        self
    }

    /// Adds an application: its data as text.
    #[must_use]
    pub fn application(
        mut self,
        name: &str,
        run: impl Fn(&mut Cx<'_>, &str) -> Flow + Send + Sync + 'static,
    ) -> Self {
        let body = move |cx: &mut Cx<'_>, data: &[u8]| run(cx, &String::from_utf8_lossy(data));
        self.registry.add_application(Application {
            name: name.to_owned().into(),
            synopsis: "An application of the embedding service.",
            syntax: "",
            doc: "",
            support: Support::Full,
            origin: Origin::Strowger,
            examples: &[],
            body: ApplicationBody::Shared(Arc::new(body)),
            compile: None,
            names: None,
        });
        self
    }

    /// Changes the registry itself, for descriptors with documentation or writing.
    #[must_use]
    pub fn registry(mut self, change: impl FnOnce(&mut Registry)) -> Self {
        change(&mut self.registry);
        self
    }

    /// Limits of each call.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// What dialplans may do outside of the engine; nothing by default.
    #[must_use]
    pub fn allow(mut self, allow: Allow) -> Self {
        self.allow = allow;
        self
    }

    /// How call records and channel events are made.
    #[must_use]
    pub fn records(mut self, records: RecordOptions) -> Self {
        self.records = records;
        self
    }

    /// Tables for `REALTIME()` and its kind; none by default.
    #[must_use]
    pub fn realtime(mut self, realtime: Arc<dyn Realtime>) -> Self {
        self.outside.realtime = Some(realtime);
        self
    }

    /// The server that is asked for names; by default the machine's.
    #[must_use]
    pub fn resolver(mut self, server: SocketAddr) -> Self {
        self.outside.resolver = Some(server);
        self
    }

    /// What running calls do at a reload.
    #[must_use]
    pub fn reload(mut self, reload: Reload) -> Self {
        self.reload = reload;
        self
    }

    /// Time and chance; the machine's own by default.
    #[must_use]
    pub fn environment(mut self, environment: Arc<dyn Environment>) -> Self {
        self.environment = environment;
        self
    }

    /// The store of `DB()`; in memory by default. Several engines may share one.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// The host keeps the store: it answers [`Effect::Store`](crate::machine::Effect::Store), and calls wait for it.
    /// While a dialplan is loaded there is nobody to answer, and what it reads of the store is empty.
    #[must_use]
    pub fn store_at_host(mut self) -> Self {
        self.store = None;
        self
    }

    /// The engine, without a dialplan.
    pub fn build(self) -> Engine {
        let names = Arc::new(link_names(&self.registry));
        let shared = Arc::new(Shared::with_store(self.store));
        let image = Image::link(crate::compile::empty(false), names.clone(), 0);
        Engine {
            registry: self.registry,
            names,
            settings: Arc::new(Settings {
                limits: self.limits,
                allow: self.allow,
                records: self.records,
            }),
            outside: Outside {
                allow: self.allow,
                ..self.outside
            },
            reload: self.reload,
            environment: self.environment,
            shared,
            image: ArcSwap::from_pointee(image),
            general: ArcSwap::from_pointee(None),
            generation: AtomicU64::new(0),
            channels: AtomicU64::new(0),
        }
    }
}

/// A dialplan, hot-swappable, and what its calls share.
pub struct Engine {
    registry: Registry,
    names: Arc<Names>,
    settings: Arc<Settings>,
    outside: Outside,
    reload: Reload,
    environment: Arc<dyn Environment>,
    shared: Arc<Shared>,
    image: ArcSwap<Image>,
    general: ArcSwap<Option<General>>,
    generation: AtomicU64,
    channels: AtomicU64,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}

impl Engine {
    /// Settings for a new engine with the standard applications and functions.
    pub fn builder() -> EngineBuilder {
        EngineBuilder {
            registry: crate::standard_registry(),
            limits: Limits::default(),
            allow: Allow::default(),
            records: RecordOptions::default(),
            reload: Reload::default(),
            environment: Arc::new(System::default()),
            store: Some(Arc::new(Memory::new())),
            outside: Outside::default(),
        }
    }

    /// Loads a file (or a folder that holds an extensions.conf) and swaps it in. A refused file leaves
    /// the dialplan before in force.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Report, EngineError> {
        self.load_from(path, &mut FileReader)
    }

    /// Loads through a reader.
    pub fn load_from(
        &self,
        path: impl AsRef<Path>,
        reader: &mut dyn Reader,
    ) -> Result<Report, EngineError> {
        let (plan, mut report) = self.read_plan(path, reader);
        match plan {
            Some(mut plan) => {
                if report.diagnostics().is_empty() {
                    // Only excerpts of what is faulty are ever asked for.
                    report.sources.forget_texts();
                }
                let (general, globals) = (plan.general.clone(), std::mem::take(&mut plan.globals));
                let program = compile_owned(plan, &self.registry, report.sources.names());
                self.take_over(program, &general, &globals);
                Ok(report)
            }
            None => Err(EngineError::Refused(Box::new(report))),
        }
    }

    /// Reads a dialplan without taking it into force. Globals that it sets take effect, as in Asterisk.
    pub fn read_plan(
        &self,
        path: impl AsRef<Path>,
        reader: &mut dyn Reader,
    ) -> (Option<Plan>, Report) {
        let previous = self.general.load();
        let staged = Arc::new(self.shared.staged());
        let mut at_load = AtLoad::new(self.names.clone(), staged, self.environment.clone());
        let options = LoadOptions {
            allow_exec: self.settings.allow.system,
        };
        load(
            path,
            reader,
            &mut at_load,
            &options,
            previous.as_ref().as_ref(),
        )
    }

    /// Compiles a plan and swaps it in.
    pub fn swap(&self, plan: &Plan, report: &Report) {
        let program = compile(plan, &self.registry, report.sources.names());
        self.take_over(program, &plan.general, &plan.globals);
    }

    /// Takes a compiled dialplan into force.
    fn take_over(&self, program: Program, general: &General, globals: &[(Text, Text)]) {
        let generation = self.generation.fetch_add(1, Ordering::AcqRel) + 1;
        let image = Arc::new(Image::link(program, self.names.clone(), generation));
        if general.clearglobalvars {
            self.shared.clear_globals();
        }
        for (name, value) in globals {
            self.shared.set_global(name, Value::from_bytes(value));
        }
        self.general.store(Arc::new(Some(general.clone())));
        self.image.store(image.clone());
        if self.reload == Reload::NextPriority {
            self.shared.publish(image);
        }
    }

    /// The dialplan in force.
    pub fn image(&self) -> Arc<Image> {
        self.image.load_full()
    }

    /// What the calls share.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Answers [`Effect::Store`](crate::machine::Effect::Store) from the engine's own store. Blocks while it is flushed.
    pub fn answer_store(&self, request: &StoreRequest) -> Event {
        match self.shared.store() {
            Some(store) => Event::Store(store::answer(store, request)),
            None => Event::Failed("the host keeps the store".to_owned()),
        }
    }

    /// Time and chance.
    pub fn environment(&self) -> &Arc<dyn Environment> {
        &self.environment
    }

    /// What dialplans may do outside of the engine.
    pub fn allow(&self) -> Allow {
        self.settings.allow
    }

    /// What hosts without ways of their own may answer `Effect::Outside` with.
    pub fn outside(&self) -> &Outside {
        &self.outside
    }

    /// The applications and functions known.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// A call that starts in the dialplan; the priority is a number or a label.
    pub fn call(&self, context: &str, exten: &str, priority: &str) -> Call {
        let number = self.channels.fetch_add(1, Ordering::Relaxed);
        let mut channel = Channel::new(format!("Engine/{number:08x}").as_str());
        channel.uniqueid =
            Text::from(format!("{}.{number}", self.environment.now().as_secs()).as_str());
        channel.linkedid = channel.uniqueid.clone();
        let mut call = self.call_on(
            channel,
            Start::Extension(Location {
                context: Text::from(context),
                exten: Text::from(exten),
                priority: 1,
            }),
        );
        let at = call.cx().parse_target(priority.as_bytes());
        if let Ok(at) = at {
            call.restart(Start::Extension(at));
        } else {
            call.restart(Start::Extension(Location {
                context: Text::from(context),
                exten: Text::from(exten),
                priority: 0,
            }));
        }
        call
    }

    /// What a call on a channel is made of.
    pub(crate) fn setup(&self, channel: Channel) -> CallSetup {
        CallSetup {
            image: self.image(),
            shared: self.shared.clone(),
            environment: self.environment.clone(),
            settings: self.settings.clone(),
            channel,
        }
    }

    /// A call on a channel of the host's making.
    pub fn call_on(&self, channel: Channel, start: Start) -> Call {
        Call::new(self.setup(channel), start)
    }
}
