//! `pcrf.conf`: what a PCRF is called, what it answers where the standards leave it open, and how it runs.

mod peer;
mod value;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::{Place, SourceId, Text};
use crate::diagnostic::{Code, Diagnostic, Report, Severity, code};
use crate::pcrf::diameter::message::LONGEST;
use crate::pcrf::settings::value::{GATHER, duration, identity, number, pause};

use crate::pcrf::store::{Durability, Rhythm};
use crate::syntax::load::{Category, Reader, Setting, categories};
pub use peer::PeerSettings;

/// How refusals of 3GPP travel: RFC 8506 requires Result-Code in every answer, TS 29.212 replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Experimental {
    /// As TS 29.212 has it: Experimental-Result only.
    #[default]
    Ts,
    /// Result-Code only, with the nearest code of the base protocol: clients that drop answers without it.
    ResultOnly,
    /// Both.
    Both,
}

impl Experimental {
    fn by_name(name: &[u8]) -> Option<Self> {
        match name {
            b"ts" => Some(Self::Ts),
            b"result-only" => Some(Self::ResultOnly),
            b"both" => Some(Self::Both),
            _ => None,
        }
    }
}

/// Where a database is. It may hold a password, so it is not shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(pub String);

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Address")
    }
}

/// Which store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// In memory.
    Mem,
    /// In a file.
    Redb(PathBuf),
    /// In a PostgreSQL database: its URL, or `host=… dbname=…`.
    Postgres(Address),
}

impl Backend {
    /// `mem`, `redb:FILE`, `postgres://…`, or `host=… dbname=…` with or without `postgres:` before it.
    fn of(text: String, folder: &Path) -> Option<Self> {
        let is_list = ["host=", "hostaddr=", "dbname=", "user=", "port="]
            .iter()
            .any(|name| text.starts_with(name));
        match text.split_once(':') {
            _ if is_list => Some(Self::Postgres(Address(text))),
            None if text == "mem" => Some(Self::Mem),
            Some(("redb", file)) => Some(Self::Redb(folder.join(file))),
            Some(("postgres" | "postgresql", _)) => Some(Self::Postgres(Address(text))),
            _ => None,
        }
    }
}

/// A value in a message. A store that is not understood may hold a password.
fn shown(setting: &Setting) -> Text {
    if setting.name.as_bytes() == b"store" {
        Text::from(&b"..."[..])
    } else {
        setting.value.clone()
    }
}

/// What is written to the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// What goes wrong.
    #[default]
    Warning,
    /// Three lines for each transaction, too.
    Info,
}

/// All settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Origin-Host of this server.
    pub host: Vec<u8>,
    /// Origin-Realm of this server.
    pub realm: Vec<u8>,
    /// Where it listens.
    pub listen: SocketAddr,
    /// The dialplan.
    pub policy: PathBuf,
    /// The rules, where they do not stand beside the dialplan.
    pub rules: Option<PathBuf>,
    /// The monitoring keys, where they do not stand beside the dialplan.
    pub monitoring: Option<PathBuf>,
    /// Subscribers to import at the start.
    pub subscribers: Option<PathBuf>,
    /// The store.
    pub store: Backend,
    /// Its rhythm.
    pub rhythm: Rhythm,
    /// Socket of `strowger pcrf sessions` and its kind.
    pub control: PathBuf,
    /// Whether only configured peers may connect.
    pub listed: bool,
    /// How refusals of 3GPP travel to peers that are not configured otherwise.
    pub experimental: Experimental,
    /// Configured peers.
    pub peers: Vec<PeerSettings>,
    /// Result-Code for CCR-I of an unknown subscriber.
    pub unknown_subscriber: u32,
    /// Whether the dialplan decides about unknown subscribers, instead of that code.
    pub guests: bool,
    /// Result for a CC-Request-Number below the last: 5453 of 3GPP, or 5012.
    pub late: u32,
    /// Event-Trigger that is USAGE_REPORT: 33, in the oldest releases 26.
    pub usage_report: u32,
    /// Sessions whose PCEF was not heard of for so long are asked for, then dropped.
    pub session_ttl: Duration,
    /// How long a repeated CCR-T is recognised.
    pub tombstone: Duration,
    /// How long a pushed decision may stay unanswered before it is repeated.
    pub push_timeout: Duration,
    /// How long after a question for the end of a session its PCEF is asked again.
    pub release_repeat: Duration,
    /// Refused CCR-I whose answer is remembered at most; each as long as a tombstone.
    pub refusals: usize,
    /// Pushed decisions per second at most, for what concerns many sessions at once.
    pub push_rate: u32,
    /// The longest message, in bytes.
    pub message: usize,
    /// How long a worker to which many requests come one by one pauses before it waits, so that they share the cost of
    /// waiting, reading and writing; zero = never.
    pub gather: Duration,
    /// Threads that answer.
    pub workers: usize,
    /// The log.
    pub log: Verbosity,
    /// Switches of optimisations, as `NAME=on`.
    pub optimise: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host: b"pcrf.localdomain".to_vec(),
            realm: b"localdomain".to_vec(),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 3868)),
            policy: PathBuf::from("gx.conf"),
            rules: None,
            monitoring: None,
            subscribers: None,
            store: Backend::Mem,
            rhythm: Rhythm::default(),
            control: PathBuf::from("pcrf.sock"),
            listed: false,
            experimental: Experimental::default(),
            peers: Vec::new(),
            unknown_subscriber: 5030,
            guests: false,
            late: 5453,
            usage_report: 33,
            session_ttl: Duration::from_hours(24),
            tombstone: Duration::from_mins(5),
            push_timeout: Duration::from_secs(5),
            release_repeat: Duration::from_mins(1),
            refusals: 65_536,
            push_rate: 500,
            message: 64 * 1024,
            gather: GATHER,
            workers: 1,
            log: Verbosity::default(),
            optimise: Vec::new(),
        }
    }
}

fn say(report: &mut Report, code: &'static Code, setting: &Setting, message: String) {
    report.push(Diagnostic {
        severity: Severity::Error,
        ..Diagnostic::warning(code, setting.place, message, None::<&str>)
    });
}

/// Says what is wrong with a setting: `None` = there is none of this name, `Some(None)` = it cannot have this value.
#[expect(
    clippy::option_option,
    reason = "no such setting, no such value, or fine"
)]
fn judge(known: Option<Option<()>>, setting: &Setting, report: &mut Report) {
    match known {
        None => say(
            report,
            &code::SETTING_UNKNOWN,
            setting,
            format!("there is no setting `{}` here", setting.name),
        ),
        Some(None) => say(report, &code::SETTING_INVALID, setting, refusal(setting)),
        Some(Some(())) => {}
    }
}

/// What cannot be, and what can.
fn refusal(setting: &Setting) -> String {
    let wrong = format!("`{}` cannot be `{}`", setting.name, shown(setting));
    match value::wanted(setting.name.as_bytes()) {
        Some(wanted) => format!("{wrong}: {wanted}"),
        None => wrong,
    }
}

fn set<T>(to: &mut T, value: Option<T>) -> Option<()> {
    *to = value?;
    Some(())
}

impl Settings {
    /// Reads a file; paths in it are relative to its folder. What is wrong is an error of the report, and passed over.
    pub fn load(path: &Path, reader: &mut dyn Reader) -> (Self, Report) {
        let (categories, mut report) = categories(path, reader);
        let mut settings = Self::default();
        let folder = path.parent().unwrap_or(Path::new(""));
        settings.control = folder.join(&settings.control);
        settings.policy = folder.join(&settings.policy);
        for category in &categories {
            settings.read(category, folder, &mut report);
        }
        (settings, report)
    }

    fn read(&mut self, category: &Category, folder: &Path, report: &mut Report) {
        if !matches!(category.name.as_bytes(), b"general" | b"optimise") {
            if let Some(peer) = peer::read(category, &self.peers, report) {
                self.peers.push(peer);
            }
            return;
        }
        for setting in &category.settings {
            let known = if category.name.as_bytes() == b"general" {
                self.general(setting, folder)
            } else {
                Some(self.optimisation(setting))
            };
            judge(known, setting, report);
        }
    }

    /// One setting of `[optimise]`.
    fn optimisation(&mut self, setting: &Setting) -> Option<()> {
        let own = format!("{}={}", setting.name, setting.value);
        super::optimise::Switches::default().apply(&own).ok()?;
        self.optimise.push(own);
        Some(())
    }

    /// Sets one setting of `[general]`; paths are relative to the folder.
    pub fn set(&mut self, name: &[u8], value: &[u8], folder: &Path) -> Result<(), String> {
        let setting = Setting {
            name: Text::from(name),
            value: Text::from(value),
            place: Place::line(SourceId(0), 0),
        };
        match self.general(&setting, folder) {
            Some(Some(())) => Ok(()),
            Some(None) => Err(refusal(&setting)),
            None => Err(format!("there is no setting `{}`", setting.name)),
        }
    }

    /// One setting: `None` = there is none of this name, `Some(None)` = it cannot have this value.
    #[expect(
        clippy::option_option,
        reason = "no such setting, no such value, or fine"
    )]
    fn general(&mut self, setting: &Setting, folder: &Path) -> Option<Option<()>> {
        let value = setting.value.as_bytes();
        let text = String::from_utf8_lossy(value).into_owned();
        let path = || Some(folder.join(&text));
        Some(match setting.name.as_bytes() {
            b"host" => set(&mut self.host, identity(value)),
            b"realm" => set(&mut self.realm, identity(value)),
            b"listen" => set(&mut self.listen, number(value)),
            b"policy" => set(&mut self.policy, path()),
            b"rules" => set(&mut self.rules, Some(path())),
            b"monitoring" => set(&mut self.monitoring, Some(path())),
            b"subscribers" => set(&mut self.subscribers, Some(path())),
            b"control" => set(&mut self.control, path()),
            b"store" => set(&mut self.store, Backend::of(text, folder)),
            b"durability" => set(&mut self.rhythm.durability, Durability::by_name(value)),
            b"interval" => set(&mut self.rhythm.interval, pause(b"interval", value)),
            b"batch" => set(
                &mut self.rhythm.changes,
                number(value).filter(|changes| (1..=value::MOST_CHANGES).contains(changes)),
            ),
            b"batch_idle" => set(&mut self.rhythm.idle, pause(b"batch_idle", value)),
            b"store_patience" => set(&mut self.rhythm.patience, pause(b"store_patience", value)),
            b"batch_age" => set(&mut self.rhythm.age, pause(b"batch_age", value)),
            b"peers" => set(
                &mut self.listed,
                match value {
                    b"any" => Some(false),
                    b"listed" => Some(true),
                    _ => None,
                },
            ),
            b"experimental" => set(&mut self.experimental, Experimental::by_name(value)),
            b"unknown_subscriber" => {
                if value == b"policy" {
                    self.guests = true;
                    Some(())
                } else {
                    let code = number(value).filter(|code| (3000..6000).contains(code));
                    self.guests &= code.is_none();
                    set(&mut self.unknown_subscriber, code)
                }
            }
            b"late_request" => set(
                &mut self.late,
                number(value).filter(|code| [5453, 5012].contains(code)),
            ),
            b"usage_report" => set(
                &mut self.usage_report,
                number(value).filter(|event| [33, 26].contains(event)),
            ),
            b"session_ttl" => set(&mut self.session_ttl, pause(b"session_ttl", value)),
            b"tombstone" => set(&mut self.tombstone, pause(b"tombstone", value)),
            b"push_timeout" => set(&mut self.push_timeout, pause(b"push_timeout", value)),
            b"release_repeat" => set(&mut self.release_repeat, pause(b"release_repeat", value)),
            b"refusals" => set(&mut self.refusals, number(value)),
            b"push_rate" => set(&mut self.push_rate, number(value).filter(|rate| *rate > 0)),
            b"max_message" => set(
                &mut self.message,
                number(value).filter(|bytes| (1024..=LONGEST).contains(bytes)),
            ),
            b"gather" => set(
                &mut self.gather,
                match value {
                    b"yes" => Some(GATHER),
                    b"no" => Some(Duration::ZERO),
                    _ => duration(value).filter(|pause| *pause <= value::LONGEST_GATHER),
                },
            ),
            b"workers" => set(
                &mut self.workers,
                number(value).filter(|count| (1..=256).contains(count)),
            ),
            b"log" => set(
                &mut self.log,
                match value {
                    b"info" => Some(Verbosity::Info),
                    b"warning" | b"off" => Some(Verbosity::Warning),
                    _ => None,
                },
            ),
            _ => return None,
        })
    }

    /// How refusals of 3GPP travel to a peer.
    pub fn experimental_for(&self, host: &[u8]) -> Experimental {
        self.peers
            .iter()
            .find(|peer| peer.host.eq_ignore_ascii_case(host))
            .and_then(|peer| peer.experimental)
            .unwrap_or(self.experimental)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::load::MemoryReader;

    #[test]
    fn settings_are_read() {
        let text = "[general]\nhost=p.example\nlisten=127.0.0.1:3999\nstore=redb:s.redb\ndurability=relaxed\n\
                    interval=50ms\nsession_ttl=2h\nunknown_subscriber=5003\nnonsense=1\nbatch=many\n\
                    [optimise]\nmemo=off\nmemo=perhaps\n[pgw]\ntype=peer\nhost=pgw.example\nexperimental=both\n";
        let mut reader = MemoryReader::new().with("/etc/pcrf.conf", text);
        let (settings, report) = Settings::load(Path::new("/etc/pcrf.conf"), &mut reader);
        assert_eq!(settings.host, b"p.example");
        assert_eq!(settings.store, Backend::Redb("/etc/s.redb".into()));
        assert_eq!(settings.rhythm.durability, Durability::Relaxed);
        assert_eq!(settings.rhythm.interval, Duration::from_millis(50));
        assert_eq!(settings.session_ttl, Duration::from_hours(2));
        assert_eq!(settings.unknown_subscriber, 5003);
        assert_eq!(settings.optimise, ["memo=off"]);
        assert_eq!(
            settings.experimental_for(b"PGW.example"),
            Experimental::Both
        );
        assert_eq!(settings.experimental_for(b"other"), Experimental::Ts);
        assert_eq!(report.diagnostics().len(), 3);
    }

    #[test]
    fn what_cannot_work_is_refused_with_what_can() {
        let mut settings = Settings::default();
        for (name, value) in [
            ("host", ""),
            ("host", "a b"),
            ("host", "a_b.example"),
            ("host", "-a.example"),
            ("host", "a..example"),
            ("host", ".example"),
            ("realm", "ex ample"),
            ("realm", "example."),
            ("session_ttl", "0"),
            ("session_ttl", "400d"),
            ("tombstone", "0"),
            ("tombstone", "10ms"),
            ("push_timeout", "0"),
            ("release_repeat", "0"),
            ("store_patience", "0"),
            ("interval", "0"),
            ("interval", "1h"),
            ("batch", "0"),
            ("batch", "2000000"),
            ("batch_idle", "1h"),
            ("batch_age", "1h"),
            ("refusals", "-1"),
            ("gather", "1s"),
        ] {
            let before = settings.clone();
            let said = settings
                .set(name.as_bytes(), value.as_bytes(), Path::new(""))
                .unwrap_err();
            assert!(
                said.starts_with(&format!("`{name}` cannot be `{value}`: ")),
                "{said}"
            );
            assert_eq!(settings, before, "{said}");
        }
        for (name, value) in [
            ("host", "p"),
            ("host", "PCRF-1.example"),
            ("realm", "3gppnetwork.org"),
        ] {
            settings
                .set(name.as_bytes(), value.as_bytes(), Path::new(""))
                .unwrap();
        }
        let text = "[general]\nhost=a b\npush_timeout=0\n[pgw]\ntype=peer\nhost=p gw\n";
        let mut reader = MemoryReader::new().with("pcrf.conf", text);
        let (_, report) = Settings::load(Path::new("pcrf.conf"), &mut reader);
        let found: Vec<_> = report
            .diagnostics()
            .iter()
            .map(|own| (own.code.id, own.severity))
            .collect();
        assert_eq!(found, [("E032", Severity::Error); 3]);
    }

    #[test]
    fn addresses_of_databases_are_taken_and_not_shown() {
        for address in [
            "postgres://pcrf:secret@127.0.0.1:5432/pcrf",
            "postgresql://pcrf:secret@h/pcrf",
            "postgres:host=/run/postgresql password=secret",
            "host=h dbname=pcrf password=secret",
            "dbname=pcrf user=a:b password=secret",
        ] {
            let mut settings = Settings::default();
            settings
                .set(b"store", address.as_bytes(), Path::new("/etc"))
                .unwrap();
            assert_eq!(settings.store, Backend::Postgres(Address(address.into())));
            assert!(!format!("{settings:?}").contains("secret"));
        }
        let mut settings = Settings::default();
        let wrong = b"postgre://a:secret@h/d";
        let said = settings.set(b"store", wrong, Path::new("")).unwrap_err();
        assert!(!said.contains("secret"), "{said}");
    }
}
