//! A connection to the database, on a thread of its own, and how threads without a runtime wait for it.

use std::error::Error as _;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio_postgres::{Client, Config, Error, NoTls, Statement};

use super::sql;
use crate::pcrf::store::{Fault, FaultKind};

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(5);
/// How long the database may take to answer; then the connection counts as lost.
pub(super) const ANSWERING: Duration = Duration::from_secs(20);

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for what the connection's thread brings about, on any thread; `None` = it took too long.
pub(super) fn wait<F: Future>(future: F, patience: Option<Duration>) -> Option<F::Output> {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    let deadline = patience.map(|patience| Instant::now() + patience);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return Some(output);
        }
        match deadline {
            None => std::thread::park(),
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return None;
                }
                std::thread::park_timeout(left);
            }
        }
    }
}

/// What the database said, without what it was told.
pub(super) fn fault(kind: FaultKind, error: &Error) -> Fault {
    let message = match (error.as_db_error(), error.source()) {
        (Some(told), _) => format!("PostgreSQL: {} ({})", told.message(), told.code().code()),
        (None, Some(source)) => format!("PostgreSQL: {source}"),
        (None, None) => format!("PostgreSQL: {error}"),
    };
    Fault::new(kind, message)
}

pub(super) fn silent() -> Fault {
    Fault::new(
        FaultKind::Failed,
        format!("PostgreSQL: no answer for {} s", ANSWERING.as_secs()),
    )
}

/// A connection with its statements.
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) statements: Statements,
    /// Ends the connection's thread when it is dropped.
    _stop: oneshot::Sender<()>,
}

macro_rules! statements {
    ($($name:ident $sql:ident,)*) => {
        /// What is prepared for each connection.
        pub(super) struct Statements {
            $(pub(super) $name: Statement,)*
            /// MERGE, where the database has it: PostgreSQL 15.
            pub(super) merge: Option<(Statement, Statement)>,
        }

        impl Statements {
            async fn prepare(client: &Client, merges: bool) -> Result<Self, Error> {
                let ($($name,)*) = tokio::try_join!(biased; $(client.prepare(sql::$sql),)*)?;
                let merge = if merges {
                    let sessions = client.prepare(sql::SESSIONS_MERGE);
                    Some((sessions.await?, client.prepare(sql::USAGE_MERGE).await?))
                } else {
                    None
                };
                Ok(Self { $($name,)* merge })
            }
        }
    };
}

statements! {
    mark MARK,
    marked MARKED,
    session_get SESSION_GET,
    sessions SESSIONS,
    versions VERSIONS,
    sessions_drop SESSIONS_DROP,
    sessions_update SESSIONS_UPDATE,
    sessions_insert SESSIONS_INSERT,
    sessions_native SESSIONS_NATIVE,
    usage_get USAGE_GET,
    usages USAGES,
    usage_lock USAGE_LOCK,
    usage_update USAGE_UPDATE,
    usage_insert USAGE_INSERT,
    usage_native USAGE_NATIVE,
    usage_native_any USAGE_NATIVE_ANY,
    row_get ROW_GET,
    rows ROWS,
    rows_put ROWS_PUT,
    rows_drop ROWS_DROP,
}

/// Connects; the connection lives on a thread until the link is dropped.
fn connect(config: &Config) -> Result<(Client, oneshot::Sender<()>), Fault> {
    let unreadable = |message: String| Fault::new(FaultKind::Unreadable, message);
    let (tell, told) = mpsc::channel();
    let (stop, stopped) = oneshot::channel();
    let config = config.clone();
    let run = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => {
                // Whoever asked is not there any more, or hears it.
                let _ = tell.send(Err(unreadable(error.to_string())));
                return;
            }
        };
        runtime.block_on(async {
            match tokio::time::timeout(CONNECTING, config.connect(NoTls)).await {
                Err(_) => {
                    let seconds = CONNECTING.as_secs();
                    let message = format!("PostgreSQL: no connection within {seconds} s");
                    let _ = tell.send(Err(unreadable(message)));
                }
                Ok(Err(error)) => {
                    let _ = tell.send(Err(fault(FaultKind::Unreadable, &error)));
                }
                Ok(Ok((client, connection))) => {
                    if tell.send(Ok(client)).is_err() {
                        return;
                    }
                    let left = async {
                        // Dropped, not sent.
                        let _ = stopped.await;
                        tokio::time::sleep(Duration::from_secs(1)).await;
                    };
                    tokio::select! {
                        // Those who wait for answers hear of its end.
                        _ = connection => {}
                        () = left => {}
                    }
                }
            }
        });
    };
    std::thread::Builder::new()
        .name("postgres".to_owned())
        .spawn(run)
        .map_err(|error| unreadable(error.to_string()))?;
    let ended = |_| unreadable("PostgreSQL: the connection's thread ended".to_owned());
    let client = told.recv().map_err(ended)??;
    Ok((client, stop))
}

/// Makes the schema where there is none; else says whose it is.
async fn schema(client: &Client) -> Result<Result<(), Fault>, Error> {
    client.batch_execute("BEGIN").await?;
    client.execute(sql::CREATING, &[]).await?;
    let found = client.query_one(sql::FOUND, &[]).await?;
    let other = |message: String| Ok(Err(Fault::new(FaultKind::NotAStore, message)));
    match (found.get(0), found.get(1)) {
        (false, _) => client.batch_execute(sql::CREATE).await?,
        (true, false) => {
            return other(
                "the schema strowger_pcrf of the database belongs to another program".to_owned(),
            );
        }
        (true, true) => {
            let form: Option<i32> = client
                .query_opt(sql::FORM, &[])
                .await?
                .map(|row| row.get(0));
            if form != Some(sql::VERSION) {
                let form = form.map_or_else(|| "none".to_owned(), |form| form.to_string());
                return other(format!(
                    "the schema strowger_pcrf of the database was written by another version: \
                     its form is {form}, this version has {}",
                    sql::VERSION
                ));
            }
        }
    }
    client.batch_execute("COMMIT").await?;
    Ok(Ok(()))
}

impl Link {
    /// Connects, makes the schema where there is none, and prepares all statements.
    pub(super) fn open(config: &Config, strict: bool) -> Result<Self, Fault> {
        let (client, stop) = connect(config)?;
        let setting = async {
            if let Err(fault) = schema(&client).await? {
                return Ok(Err(fault));
            }
            client.batch_execute(sql::SESSION).await?;
            if !strict {
                client
                    .batch_execute("SET synchronous_commit TO off")
                    .await?;
            }
            let version =
                client.query_one("SELECT current_setting('server_version_num')::integer", &[]);
            let version: i32 = version.await?.get(0);
            Box::pin(Statements::prepare(&client, version >= 150_000))
                .await
                .map(Ok)
        };
        let statements = wait(setting, Some(ANSWERING))
            .ok_or_else(silent)?
            .map_err(|error: Error| fault(FaultKind::Unreadable, &error))??;
        Ok(Self {
            client,
            statements,
            _stop: stop,
        })
    }
}
