//! Files and commands of the machine, for every host that has them: [`answer`] carries out an
//! [`Effect::Outside`](crate::machine::Effect::Outside). It blocks until the answer is there.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bstr::ByteSlice;

use crate::base::Text;
use crate::machine::{Allow, Event, OutsideRequest};

/// Where a relative path of the configuration begins, as in Asterisk.
const CONFIGURATION: &str = "/etc/asterisk";
/// Longer files are not read, and more of what a command prints is dropped.
const LIMIT: u64 = 16 << 20;

/// Carries a request out, as far as it is allowed.
pub fn answer(request: &OutsideRequest, allow: Allow) -> Event {
    let answered = match request {
        OutsideRequest::ReadFile(path) => read(&file(path)),
        OutsideRequest::ReadConfiguration(path) => read(&Path::new(CONFIGURATION).join(file(path))),
        OutsideRequest::WriteFile { .. } if !allow.file => return refused("writing files"),
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
        OutsideRequest::Run(_) | OutsideRequest::Execute(_) if !allow.system => {
            return refused("running commands");
        }
        OutsideRequest::Run(command) => run(command),
        OutsideRequest::Execute(command) => execute(command),
    };
    match answered {
        Ok(bytes) => Event::Value(Text::from(bytes)),
        Err(error) => Event::Failed(error.to_string()),
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
    File::open(path)?.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

fn write(path: &Path, content: &[u8], append: bool) -> std::io::Result<()> {
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
