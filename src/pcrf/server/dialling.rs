//! Connections that we make: to the peers whose section has `connect=`, again and again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};

use super::connection::Dealt;
use super::{Shared, now};
use crate::pcrf::diameter::peer::{Reason, Reconnect};

/// How long a peer may take to accept a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a connection that we made is for.
pub(super) struct Dialled {
    /// The Origin-Host that must answer.
    pub(super) host: Vec<u8>,
    /// Hears of its end.
    pub(super) over: oneshot::Sender<Over>,
}

/// How a connection that we made ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Over {
    /// Capabilities were exchanged.
    pub(super) opened: bool,
    pub(super) reason: Option<Reason>,
}

/// Keeps a connection to one peer, as long as the server runs.
pub(super) async fn keep(
    shared: Arc<Shared>,
    host: Vec<u8>,
    address: String,
    dealer: mpsc::UnboundedSender<Dealt>,
) {
    let mut stopped = shared.stop.subscribe();
    let seed = xxhash_rust::xxh3::xxh3_64(&host) ^ now().unsigned_abs();
    let mut reconnect = Reconnect::new(seed);
    loop {
        let began = Instant::now();
        let over = tokio::select! {
            over = connect(&shared, &host, &address, &dealer) => over,
            _ = stopped.changed() => return,
        };
        // One that is closed soon after it opened counts as an attempt that failed.
        let lasted = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        if over.opened && lasted > u64::from(reconnect.longest) {
            reconnect.open();
        }
        let pause = reconnect.lost(0, over.reason);
        tokio::select! {
            () = tokio::time::sleep(Duration::from_millis(pause)) => {}
            _ = stopped.changed() => return,
        }
    }
}

/// One attempt; comes back at its end.
async fn connect(
    shared: &Shared,
    host: &[u8],
    address: &str,
    dealer: &mpsc::UnboundedSender<Dealt>,
) -> Over {
    let nothing = Over {
        opened: false,
        reason: None,
    };
    let tables = shared.pcrf.tables();
    // It called us: there is no need of a second connection.
    if tables
        .hosts
        .find(host)
        .is_some_and(|own| own.connection() != 0)
    {
        return nothing;
    }
    let made = tokio::time::timeout(PATIENCE, TcpStream::connect(address)).await;
    let stream = match made {
        Ok(Ok(stream)) => stream.into_std(),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
    };
    match stream {
        Ok(stream) => {
            tables.counters.dialled.up();
            let (over, ended) = oneshot::channel();
            let dialled = Dialled {
                host: host.to_vec(),
                over,
            };
            // A worker that is gone takes no connections any more.
            let _ = dealer.send(Dealt {
                stream,
                dialled: Some(dialled),
            });
            ended.await.unwrap_or(nothing)
        }
        Err(error) => {
            tables.counters.unreachable.up();
            let seconds = now().div_euclid(1000);
            shared.closed.line(seconds, &*shared.sink, || {
                let host = String::from_utf8_lossy(host);
                format!("{address} {host}: cannot be connected to: {error}\n")
            });
            nothing
        }
    }
}
