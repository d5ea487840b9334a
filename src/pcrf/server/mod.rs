//! The PCRF on the network: connections, timers, group commit, control socket, reload.
//!
//! Each worker is a thread with its own connections; connections are dealt out in turn. Answers wait for the disk in
//! `strict` durability: the connection keeps them in their order until the commit is confirmed.

mod connection;
mod control;
mod dialling;
mod gather;
mod reload;

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};

use crate::diagnostic::Report;
use crate::pcrf::diameter::peer::{Local, Peers};
use crate::pcrf::engine::{Journal, Nothing, Pcrf, lock};
use crate::pcrf::log::{Bounded, Sink};
use crate::pcrf::perf::Work;
use crate::pcrf::policy::Subscribers;
use crate::pcrf::push::Outgoing;
use crate::pcrf::settings::{Backend, Settings};
use crate::pcrf::store::{Committed, Committer, Durability, Fault, Mem, Store};
use crate::pcrf::tables::Tables;
use crate::pcrf::worker::Worker;

use connection::Dealt;
use gather::Pauses;
use reload::Watched;

pub use control::request;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The policy or the subscribers cannot be used; the reports say why.
    #[error("the policy or its subscribers cannot be used")]
    Policy(Vec<Report>),
    /// A file cannot be read.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// The store cannot be opened.
    #[error("the store: {0}")]
    Store(#[from] Fault),
    /// The network does not let us listen.
    #[error("{0}: {1}")]
    Listen(String, io::Error),
    /// A setting that this build cannot serve.
    #[error("{0}")]
    Unsupported(String),
}

/// What connections share.
pub(super) struct Shared {
    pub(super) pcrf: Arc<Pcrf>,
    pub(super) sink: Arc<dyn Sink>,
    pub(super) local: Arc<Local>,
    pub(super) started: Instant,
    /// Where messages of our own go, by connection.
    pub(super) senders: Mutex<HashMap<u64, mpsc::UnboundedSender<Outgoing>>>,
    pub(super) durable: watch::Receiver<u64>,
    pub(super) strict: bool,
    /// How long workers pause so that requests come together.
    pub(super) pause: Duration,
    pub(super) stop: watch::Sender<bool>,
    pub(super) committer: Option<Arc<Committer>>,
    pub(super) connections: AtomicU64,
    /// Lines about connections that ended.
    pub(super) closed: Bounded,
    /// The files that policy and subscribers were read from.
    pub(super) files: Mutex<Watched>,
    pub(super) next: AtomicU64,
}

/// A running server.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    workers: Vec<JoinHandle<()>>,
    acceptor: Option<JoinHandle<()>>,
    reports: Vec<Report>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0))
}

#[cfg_attr(
    not(feature = "store-postgres"),
    expect(unused_variables, reason = "a file does the same in all")
)]
fn open_store(backend: &Backend, durability: Durability) -> Result<Arc<dyn Store>, StartError> {
    match backend {
        Backend::Mem => Ok(Arc::new(Mem::new())),
        #[cfg(feature = "store-redb")]
        Backend::Redb(path) => Ok(Arc::new(crate::pcrf::store::Redb::create(path)?)),
        #[cfg(not(feature = "store-redb"))]
        Backend::Redb(_) => Err(StartError::Unsupported(
            "this program was built without `store-redb`".to_owned(),
        )),
        #[cfg(feature = "store-postgres")]
        Backend::Postgres(address) => {
            use crate::pcrf::store::Postgres;
            Ok(Arc::new(Postgres::open(&address.0, durability)?))
        }
        #[cfg(not(feature = "store-postgres"))]
        Backend::Postgres(_) => Err(StartError::Unsupported(
            "this program was built without `store-postgres`".to_owned(),
        )),
    }
}

/// Logs a fault of the store once, however often it is met, and its end.
fn tell(done: &Committed, said: &mut Option<String>, sink: &dyn Sink) {
    match &done.fault {
        Some(fault) if said.as_ref() != Some(&fault.message) => {
            sink.line(format!("the store fails: {fault}\n").as_bytes());
            *said = Some(fault.message.clone());
        }
        Some(_) => {}
        None if said.take().is_some() => sink.line(b"the store works again\n"),
        None => {}
    }
}

/// A group commit, in the counters and the table of `perf`.
fn count(tables: &Tables, done: &Committed) {
    tables.perf.add(Work::GroupCommit, done.took);
    if done.fault.is_some() {
        tables.counters.store_faults.up();
    }
}

fn runtime() -> tokio::runtime::Builder {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all();
    builder
}

impl Server {
    /// Reads policy and subscribers, opens the store, and listens.
    pub fn start(settings: Settings, sink: Arc<dyn Sink>) -> Result<Self, StartError> {
        let mut files = Watched::default();
        let (policy, mut reports) = reload::load(&settings, &mut files);
        let faulty = reports.iter().any(reload::is_faulty);
        let Some(policy) = policy.filter(|_| !faulty) else {
            return Err(StartError::Policy(reports));
        };
        let subscribers = match &settings.subscribers {
            Some(path) => {
                let bytes = files
                    .bytes(path)
                    .map_err(|error| StartError::File(path.clone(), error))?;
                let (read, report) = Subscribers::read(&path.to_string_lossy(), bytes);
                if !read.has_fields() {
                    return Err(StartError::Policy(vec![report]));
                }
                let whole = !reload::is_faulty(&report);
                reports.push(report);
                Some((read, whole))
            }
            None => None,
        };
        let (durable, confirmed) = watch::channel(0);
        let kept = settings.rhythm.durability != Durability::Mem && settings.store != Backend::Mem;
        let backend = if kept { &settings.store } else { &Backend::Mem };
        let store = open_store(backend, settings.rhythm.durability)?;
        // Where commits are counted; they begin before the tables are filled.
        let tables = Arc::new(OnceLock::<Arc<Tables>>::new());
        let committer = if kept {
            let failures = sink.clone();
            let said = Mutex::new(None);
            let tables = tables.clone();
            let committer = Committer::start(store.clone(), settings.rhythm, move |done| {
                durable.send_replace(done.upto);
                tell(done, &mut lock(&said), &*failures);
                if let (Some(tables), false) = (tables.get(), done.alone) {
                    count(tables, done);
                }
            })?;
            Some(Arc::new(committer))
        } else {
            None
        };
        let journal: Arc<dyn Journal> = match &committer {
            Some(committer) => committer.clone(),
            None => Arc::new(Nothing(store.clone())),
        };
        let mut pcrf = Pcrf::open(settings, policy, store, journal)?.with_sink(sink.clone());
        let _ = tables.set(pcrf.tables.clone());
        if !kept {
            let seconds = now().div_euclid(1000);
            pcrf = pcrf.with_origin_state(u32::try_from(seconds).unwrap_or(u32::MAX));
        }
        if let Some((subscribers, whole)) = subscribers {
            pcrf.import_list(&subscribers, whole)?;
        }
        let mut server = Self::listen(Arc::new(pcrf), sink, confirmed, committer, kept, files)?;
        reload::start(&server.shared).map_err(|error| {
            StartError::Listen("a thread that looks at files".to_owned(), error)
        })?;
        server.reports = reports;
        Ok(server)
    }

    fn listen(
        pcrf: Arc<Pcrf>,
        sink: Arc<dyn Sink>,
        durable: watch::Receiver<u64>,
        committer: Option<Arc<Committer>>,
        kept: bool,
        files: Watched,
    ) -> Result<Self, StartError> {
        let settings = pcrf.settings();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut local = Local::new(&text(&settings.host), &text(&settings.realm));
        local.origin_state = pcrf.origin_state();
        local.limit = settings.message;
        local.addresses = vec![settings.listen.ip()];
        if settings.listed {
            let hosts = settings.peers.iter().map(|peer| text(&peer.host));
            local.peers = Peers::Listed(hosts.collect());
        }
        let failed = |error| StartError::Listen(settings.listen.to_string(), error);
        let listener = std::net::TcpListener::bind(settings.listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (stop, stopped) = watch::channel(false);
        let shared = Arc::new(Shared {
            strict: kept && settings.rhythm.durability == Durability::Strict,
            pause: settings.gather,
            sink,
            local: Arc::new(local),
            started: Instant::now(),
            senders: Mutex::default(),
            durable,
            stop,
            committer,
            connections: AtomicU64::new(0),
            closed: Bounded::default(),
            files: Mutex::new(files),
            next: AtomicU64::new(1),
            pcrf: pcrf.clone(),
        });
        let mut workers = Vec::new();
        let mut dealers = Vec::new();
        for number in 0..settings.workers {
            let (dealer, dealt) = mpsc::unbounded_channel();
            let shared = shared.clone();
            let thread = std::thread::Builder::new()
                .name(format!("worker-{number}"))
                .spawn(move || work(&shared, dealt, number == 0))
                .map_err(failed)?;
            workers.push(thread);
            dealers.push(dealer);
        }
        let own = shared.clone();
        let acceptor = std::thread::Builder::new()
            .name("accept".to_owned())
            .spawn(move || accept(&own, listener, &dealers, stopped))
            .map_err(failed)?;
        control::start(&shared)
            .map_err(|error| StartError::Listen(settings.control.display().to_string(), error))?;
        Ok(Self {
            shared,
            address,
            workers,
            acceptor: Some(acceptor),
            reports: Vec::new(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The PCRF.
    pub fn pcrf(&self) -> &Arc<Pcrf> {
        &self.shared.pcrf
    }

    /// What was said of the policy and the files beside it.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    /// Asks all peers for the end, and stops.
    pub fn stop(&self) {
        self.shared.stop.send_replace(true);
    }

    /// Waits until it stops: after [`stop`](Self::stop), SIGTERM or SIGINT. Then everything is in the store.
    pub fn wait(mut self) -> Result<(), Fault> {
        if let Some(acceptor) = self.acceptor.take() {
            // A panic in a thread was printed; the others stop all the same.
            let _ = acceptor.join();
        }
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
        // The socket of a server that is gone is of no use; where it cannot be removed, the next start does.
        let _ = std::fs::remove_file(&self.shared.pcrf.settings().control);
        match &self.shared.committer {
            Some(committer) => committer.flush(),
            None => Ok(()),
        }
    }
}

/// The thread that accepts connections, makes some, and hears of signals.
fn accept(
    shared: &Arc<Shared>,
    listener: std::net::TcpListener,
    dealers: &[mpsc::UnboundedSender<Dealt>],
    mut stopped: watch::Receiver<bool>,
) {
    let run = async {
        let listener = TcpListener::from_std(listener)?;
        let mut terminate =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        let mut interrupt =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
        let mut turn = dealers.iter().cycle();
        for peer in &shared.pcrf.settings().peers {
            if let (Some(address), Some(dealer)) = (&peer.connect, turn.next()) {
                tokio::spawn(dialling::keep(
                    shared.clone(),
                    peer.host.clone(),
                    address.clone(),
                    dealer.clone(),
                ));
            }
        }
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let stream = stream.into_std()?;
                        if let Some(dealer) = turn.next() {
                            // A worker that is gone takes no connections any more: this one is closed.
                            let _ = dealer.send(Dealt {
                                stream,
                                dialled: None,
                            });
                        }
                    }
                    // Too many open files, perhaps: not at once again.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
                _ = stopped.changed() => break,
            }
        }
        io::Result::Ok(())
    };
    if let Err(error) = runtime().build().and_then(|runtime| runtime.block_on(run)) {
        shared
            .sink
            .line(format!("no connections are accepted: {error}\n").as_bytes());
    }
    shared.stop.send_replace(true);
}

/// A worker's thread.
fn work(shared: &Arc<Shared>, mut dealt: mpsc::UnboundedReceiver<Dealt>, ticks: bool) {
    let pauses = Arc::new(Pauses::new(shared.pause));
    let mut runtime = runtime();
    if !shared.pause.is_zero() {
        let pauses = pauses.clone();
        runtime.on_thread_park(move || pauses.pause());
    }
    let Ok(runtime) = runtime.build() else {
        shared.sink.line(b"a worker cannot start\n");
        shared.stop.send_replace(true);
        return;
    };
    let local = tokio::task::LocalSet::new();
    let worker = std::rc::Rc::new(std::cell::RefCell::new(Worker::new(shared.pcrf.clone())));
    let mut stopped = shared.stop.subscribe();
    local.block_on(&runtime, async {
        let mut tasks = tokio::task::JoinSet::new();
        if ticks {
            let (shared, worker) = (shared.clone(), worker.clone());
            tokio::task::spawn_local(async move { tick(&shared, &worker).await });
        }
        loop {
            tokio::select! {
                dealt = dealt.recv() => match dealt {
                    Some(dealt) => {
                        let id = shared.next.fetch_add(1, Ordering::Relaxed);
                        tasks.spawn_local(connection::run(
                            shared.clone(),
                            worker.clone(),
                            pauses.clone(),
                            dealt,
                            id,
                        ));
                    }
                    None => break,
                },
                Some(_) = tasks.join_next() => {}
                _ = stopped.changed() => break,
            }
        }
        let rest = async { while tasks.join_next().await.is_some() {} };
        // Peers have that long to answer our goodbye.
        let _ = tokio::time::timeout(Duration::from_secs(6), rest).await;
    });
}

/// What is due by itself.
async fn tick(shared: &Arc<Shared>, worker: &std::cell::RefCell<Worker>) {
    const PERIOD: Duration = Duration::from_millis(20);
    let settings = shared.pcrf.settings();
    let limit = (settings.push_rate as usize / 50).max(1);
    let sweeping =
        (settings.session_ttl / 20).clamp(Duration::from_secs(1), Duration::from_secs(30));
    let mut swept = Instant::now();
    let mut interval = tokio::time::interval(PERIOD);
    interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        let now = now();
        let outgoing = worker.borrow_mut().tick(now, limit);
        for message in outgoing {
            let senders = lock(&shared.senders);
            if let Some(sender) = senders.get(&message.connection) {
                // A connection that ends now leaves the message unanswered, which is noticed.
                let _ = sender.send(message);
            }
        }
        if swept.elapsed() >= sweeping {
            swept = Instant::now();
            worker.borrow_mut().sweep(now);
        }
    }
}
