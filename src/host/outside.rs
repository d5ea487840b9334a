//! What is outside of the engine: files, commands, the web, the domain name system, realtime tables.
//! [`Outside::answer`] carries out an [`Effect::Outside`](crate::machine::Effect::Outside). It blocks until the answer
//! is there.

#[cfg(feature = "net")]
mod names;
#[cfg(feature = "net")]
mod web;

use std::fs::{self, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use bstr::ByteSlice;

use super::files::{FileReader, irregular, regular};
use super::realtime::Realtime;
use crate::base::Text;
use crate::machine::{Allow, Event, OutsideRequest, RealtimeRequest};
use crate::syntax::load::settings;

/// Where a relative path of the configuration begins, as in Asterisk.
const CONFIGURATION: &str = "/etc/asterisk";
/// Longer files are not read, and more of what a command prints or a server sends is dropped.
const LIMIT: u64 = 16 << 20;

/// What a host reaches, and what of it calls may use.
#[derive(Clone, Default)]
pub struct Outside {
    /// What calls may do.
    pub allow: Allow,
    /// The server that is asked for names; by default the first of `/etc/resolv.conf`.
    pub resolver: Option<SocketAddr>,
    /// Realtime families.
    pub realtime: Option<Arc<dyn Realtime>>,
}

impl std::fmt::Debug for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outside").finish_non_exhaustive()
    }
}

/// Carries a request out, as far as it is allowed, where there are no realtime families.
pub fn answer(request: &OutsideRequest, allow: Allow) -> Event {
    let outside = Outside {
        allow,
        ..Outside::default()
    };
    outside.answer(request)
}

impl Outside {
    /// Carries a request out, as far as it is allowed.
    pub fn answer(&self, request: &OutsideRequest) -> Event {
        let answered = match request {
            OutsideRequest::ReadFile(path) => read(&file(path)),
            OutsideRequest::Configuration {
                file: path,
                category,
                variable,
            } => {
                let path = Path::new(CONFIGURATION).join(file(path));
                return match settings(&path, &mut FileReader) {
                    Some(settings) => {
                        let values = settings.values(category, variable);
                        Event::Values(values.into_iter().map(Text::from).collect())
                    }
                    None => Event::Failed(format!("`{}` cannot be read", path.display())),
                };
            }
            OutsideRequest::WriteFile { .. } if !self.allow.file => {
                return refused("writing files");
            }
            OutsideRequest::WriteFile {
                path,
                content,
                append,
            } => {
                return match write(&file(path), content, *append) {
                    Ok(()) => Event::Done,
                    Err(error) => Event::Failed(error.to_string()),
                };
            }
            OutsideRequest::Stat(path) => fs::metadata(file(path)).map(|found| stat(&found)),
            OutsideRequest::Run(_) | OutsideRequest::Execute(_) if !self.allow.system => {
                return refused("running commands");
            }
            OutsideRequest::Run(command) => run(command),
            OutsideRequest::Execute(command) => execute(command),
            OutsideRequest::Fetch(_) | OutsideRequest::Resolve { .. } => return self.net(request),
            OutsideRequest::Realtime(request) => return self.realtime(request),
        };
        match answered {
            Ok(bytes) => Event::Value(Text::from(bytes)),
            Err(error) => Event::Failed(error.to_string()),
        }
    }

    #[cfg(feature = "net")]
    fn net(&self, request: &OutsideRequest) -> Event {
        if !self.allow.net {
            return refused("the network");
        }
        match request {
            OutsideRequest::Fetch(request) => match web::fetch(request, LIMIT) {
                Ok(page) => Event::Value(Text::from(page)),
                Err(why) => Event::Failed(why),
            },
            OutsideRequest::Resolve { name, kind } => {
                match names::resolve(name, *kind, self.resolver) {
                    Ok(records) => Event::Records(records),
                    Err(why) => Event::Failed(why),
                }
            }
            _ => refused("this"),
        }
    }

    #[cfg(not(feature = "net"))]
    fn net(&self, _: &OutsideRequest) -> Event {
        if self.allow.net {
            return Event::Failed("this build has no network".to_owned());
        }
        refused("the network")
    }

    fn realtime(&self, request: &RealtimeRequest) -> Event {
        let Some(realtime) = &self.realtime else {
            return Event::Failed("there are no realtime families".to_owned());
        };
        let number = |number: usize| Event::Value(Text::from(number.to_string().as_str()));
        let answered = match request {
            RealtimeRequest::Load(rows) => realtime.load(rows).map(Event::Rows),
            RealtimeRequest::Update { rows, set } => realtime.update(rows, set).map(number),
            RealtimeRequest::Store { family, row } => realtime.store(family, row).map(number),
            RealtimeRequest::Destroy(rows) => realtime.destroy(rows).map(Event::Rows),
        };
        answered.unwrap_or_else(Event::Failed)
    }
}

fn refused(what: &str) -> Event {
    Event::Failed(format!("{what} is not allowed"))
}

/// Paths that are no UTF-8 exist on some systems only.
fn file(path: &[u8]) -> PathBuf {
    path.to_path_lossy().into_owned()
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    regular(path)?.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// What is there already must be a regular file: the opening of a pipe waits for a reader.
fn write(path: &Path, content: &[u8], append: bool) -> std::io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(irregular());
    }
    let mut options = OpenOptions::new();
    options.create(true);
    if append {
        options.append(true);
    } else {
        options.write(true).truncate(true);
    }
    options.open(path)?.write_all(content)
}

/// What the exit status counts as when a signal ended the command, as a shell has it.
const KILLED: i32 = 128;

fn execute(command: &[u8]) -> std::io::Result<Vec<u8>> {
    let status = shell(command).stdout(Stdio::null()).status()?;
    Ok(status.code().unwrap_or(KILLED).to_string().into_bytes())
}

fn shell(command: &[u8]) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell
        .arg("-c")
        .arg(command.to_os_str_lossy())
        .stdin(Stdio::null());
    shell
}

fn run(command: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut child = shell(command).stdout(Stdio::piped()).spawn()?;
    let mut bytes = Vec::new();
    if let Some(mut printed) = child.stdout.take() {
        printed.by_ref().take(LIMIT).read_to_end(&mut bytes)?;
        // The command ends although nobody listens any more.
        std::io::copy(&mut printed, &mut std::io::sink())?;
    }
    child.wait()?;
    Ok(bytes)
}

#[cfg(unix)]
fn stat(found: &Metadata) -> Vec<u8> {
    use std::os::unix::fs::MetadataExt;
    format!(
        "{} {} {} {} {}",
        found.mode(),
        found.size(),
        found.atime(),
        found.mtime(),
        found.ctime()
    )
    .into_bytes()
}

#[cfg(not(unix))]
fn stat(found: &Metadata) -> Vec<u8> {
    use std::time::{SystemTime, UNIX_EPOCH};
    let seconds = |time: std::io::Result<SystemTime>| {
        time.ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .map_or(0, |time| time.as_secs())
    };
    // The type's bits and usual permissions.
    let mode = if found.is_dir() { 0o40_755 } else { 0o100_644 };
    let (accessed, modified) = (seconds(found.accessed()), seconds(found.modified()));
    format!("{mode} {} {accessed} {modified} {modified}", found.len()).into_bytes()
}
