//! The control socket: one JSON object a line, answered by one JSON object a line.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Shared, now, reload};
use crate::pcrf::perf::Line;
use crate::pcrf::policy::release_cause;
use crate::pcrf::view::View;

/// The longest request, in bytes.
const LIMIT: u64 = 64 * 1024;
/// Commands that are carried out at once.
const AT_ONCE: usize = 8;

/// Sends a request to a running server and gives its answer.
pub fn request(socket: &Path, request: &Value) -> io::Result<Value> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    stream.write_all(format!("{request}\n").as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    serde_json::from_str(&line).map_err(io::Error::other)
}

/// Starts the thread that listens. A socket that nobody answers on is replaced.
pub(super) fn start(shared: &Arc<Shared>) -> io::Result<()> {
    let path = shared.pcrf.settings().control.clone();
    if path.exists() && UnixStream::connect(&path).is_err() {
        std::fs::remove_file(&path)?;
    }
    let listener = UnixListener::bind(&path)?;
    // Whoever may talk to it may end sessions.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    let shared = Arc::downgrade(shared);
    let running = Arc::new(());
    let listen = move || {
        for stream in listener.incoming() {
            let Some(shared) = shared.upgrade() else {
                return;
            };
            let Ok(stream) = stream else {
                continue;
            };
            if Arc::strong_count(&running) > AT_ONCE {
                continue;
            }
            let running = running.clone();
            // Without a thread the caller sees a closed connection.
            let _ = std::thread::Builder::new()
                .name("command".to_owned())
                .spawn(move || {
                    // Whoever went away does not want the answer.
                    let _ = talk(&shared, stream);
                    drop(running);
                });
        }
    };
    std::thread::Builder::new()
        .name("control".to_owned())
        .spawn(listen)
        .map(|_| ())
}

fn talk(shared: &Shared, stream: UnixStream) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream.take(LIMIT));
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        let answer = match serde_json::from_str::<Value>(&line) {
            Ok(request) => match answer(shared, &request) {
                Ok(value) => json!({"ok": true, "value": value}),
                Err(message) => json!({"ok": false, "error": message}),
            },
            Err(error) => json!({"ok": false, "error": error.to_string()}),
        };
        writer.write_all(format!("{answer}\n").as_bytes())?;
        line.clear();
    }
    Ok(())
}

fn view(view: &View) -> Value {
    let usage: Vec<Value> = view
        .usage
        .iter()
        .map(|(key, used, limit)| json!({"key": key, "used": used, "limit": limit}))
        .collect();
    json!({
        "id": view.id, "peer": view.peer, "subscriber": view.subscriber, "apn": view.apn, "ip": view.ip,
        "started": view.started, "seen": view.seen, "number": view.number, "rules": view.rules,
        "triggers": view.triggers, "usage": usage, "until": view.until, "stale": view.stale,
        "release": view.release, "bytes": view.bytes,
    })
}

fn line(line: &Line) -> Value {
    json!({
        "name": line.name, "calls": line.calls, "per_second": line.per_second, "fetch_us": line.fetch_us,
        "execute_us": line.execute_us, "total_us": line.total_us, "share": line.share,
    })
}

/// What a command changed is kept, as what an answer says is, before the command ends.
fn on_disk(shared: &Shared) -> Result<(), String> {
    match shared.committer.as_ref().filter(|_| shared.strict) {
        Some(committer) => committer.flush().map_err(|fault| {
            format!("it is done, but not on disk before the store works: {fault}")
        }),
        None => Ok(()),
    }
}

fn no_cause(text: &str) -> String {
    format!(
        "`{text}` is no cause of a release: 0 UNSPECIFIED_REASON, 1 UE_SUBSCRIPTION_REASON, \
         2 INSUFFICIENT_SERVER_RESOURCES, 3 IP_CAN_SESSION_TERMINATION, 4 UE_IP_ADDRESS_RELEASE"
    )
}

/// Carries out a command.
fn answer(shared: &Shared, request: &Value) -> Result<Value, String> {
    let pcrf = &shared.pcrf;
    let text = |name: &str| {
        request
            .get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| format!("`{name}` lacks"))
    };
    let number =
        |name: &str, usual: i64| request.get(name).and_then(Value::as_i64).unwrap_or(usual);
    let now = now();
    match text("command")? {
        "sessions" => {
            let limit = usize::try_from(number("limit", 1000)).unwrap_or(0);
            let ids = match request.get("subscriber").and_then(Value::as_str) {
                Some(subscriber) => pcrf.sessions_of(subscriber.as_bytes()),
                None => pcrf.tables().sessions.ids(|_| true),
            };
            let views = ids.iter().take(limit).filter_map(|id| pcrf.view(id, now));
            let views: Vec<Value> = views.map(|own| view(&own)).collect();
            Ok(json!({"count": ids.len(), "sessions": views}))
        }
        "session" => match pcrf.view(text("session")?.as_bytes(), now) {
            Some(own) => Ok(view(&own)),
            None => Err("there is no such session".to_owned()),
        },
        "topup" => {
            let (subscriber, key) = (text("subscriber")?.as_bytes(), text("key")?.as_bytes());
            let policy = pcrf.policy();
            if policy.monitoring().is_there() && policy.monitoring().key(key).is_none() {
                let names: Vec<String> = policy
                    .monitoring()
                    .names()
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                let names = names.join(", ");
                return Err(format!(
                    "no key `{}` stands in monitoring.conf, only: {names}",
                    String::from_utf8_lossy(key)
                ));
            }
            let done = match request.get("reset").and_then(Value::as_bool) {
                Some(true) => pcrf.reset(subscriber, key, now),
                _ => match request.get("octets").and_then(Value::as_i64) {
                    Some(octets) if octets > 0 => pcrf.top_up(subscriber, key, octets, now),
                    _ => {
                        return Err("a top-up is a number of octets above 0".to_owned());
                    }
                },
            };
            done.ok_or("there is no such subscriber")?;
            on_disk(shared)?;
            let quota = pcrf.quota_of(subscriber, key, now);
            Ok(json!({
                "subscriber": text("subscriber")?, "key": text("key")?, "used": quota.used, "limit": quota.limit,
            }))
        }
        "report" => {
            let (subscriber, key) = (text("subscriber")?.as_bytes(), text("key")?.as_bytes());
            let octets = request
                .get("octets")
                .and_then(Value::as_u64)
                .filter(|octets| *octets > 0)
                .ok_or("a report is a number of octets above 0")?;
            pcrf.report(subscriber, key, text("source")?.as_bytes(), octets, now)
                .ok_or("there is no such subscriber, key or source")?;
            on_disk(shared)?;
            Ok(Value::Null)
        }
        "release" => {
            let cause = match request.get("cause") {
                None => 0,
                Some(Value::String(name)) => {
                    release_cause(name.as_bytes()).ok_or_else(|| no_cause(name))?
                }
                Some(number) => release_cause(number.to_string().as_bytes())
                    .ok_or_else(|| no_cause(&number.to_string()))?,
            };
            if pcrf.release(text("session")?.as_bytes(), cause) {
                on_disk(shared)?;
                Ok(json!({"session": text("session")?, "cause": cause, "state": "asked"}))
            } else {
                Err("there is no such session".to_owned())
            }
        }
        "reload" => {
            let done = reload::reload(shared);
            Ok(json!({
                "lines": done.lines, "findings": done.findings, "failures": done.failures,
            }))
        }
        "perf" => {
            let perf = &pcrf.tables().perf;
            match text("action")? {
                "on" => perf.switch(true),
                "off" => perf.switch(false),
                "reset" => perf.reset(),
                "top" => {}
                _ => return Err("`action` is on, off, reset or top".to_owned()),
            }
            let limit = usize::try_from(number("limit", 15)).unwrap_or(15);
            let lines: Vec<Value> = perf.top(limit).iter().map(line).collect();
            let memo = perf.balance().map(|own| {
                json!({
                    "checks": own.checks, "hits": own.hits, "cost_us": own.cost_us, "saved_us": own.saved_us,
                })
            });
            Ok(json!({"on": perf.is_on(), "rows": lines, "memo": memo}))
        }
        "opt" => {
            if let Some(setting) = request.get("set").and_then(Value::as_str) {
                pcrf.tables().switches.apply(setting)?;
                pcrf.tables().store.upsert(pcrf.tables().switches.upsert());
            }
            Ok(json!(pcrf.tables().switches.list()))
        }
        "counters" => {
            let mut counters = serde_json::Map::new();
            for (name, count) in pcrf.tables().counters.list() {
                counters.insert(name.to_owned(), json!(count));
            }
            let mut add = |name: &str, count: u64| counters.insert(name.to_owned(), json!(count));
            add("sessions", pcrf.tables().sessions.len());
            add("connections", shared.connections.load(Ordering::Relaxed));
            add("waiting-pushes", pcrf.waiting() as u64);
            add("queued-sessions", pcrf.queued() as u64);
            if let Some(committer) = &shared.committer {
                add("group-commits", committer.commits());
                add("changes", committer.appended());
                add("durable", committer.durable());
                add("conflicts", committer.conflicts());
            }
            Ok(Value::Object(counters))
        }
        "stop" => {
            shared.stop.send_replace(true);
            Ok(Value::Null)
        }
        other => Err(format!("there is no command `{other}`")),
    }
}
