//! Baselines that are programs of their own: Lua, LuaJIT, Kamailio. What is not installed is said to be so.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

pub(super) const LOCALS: &str = include_str!("../../../benches/baselines/locals.lua");
pub(super) const TABLES: &str = include_str!("../../../benches/baselines/tables.lua");
pub(super) const STRINGS: &str = include_str!("../../../benches/baselines/strings.lua");
pub(super) const MIX: &str = include_str!("../../../benches/baselines/mix.lua");
const KAMAILIO: &str = include_str!("../../../benches/baselines/kamailio.cfg");

/// A process that ends with this value.
struct Started(Child);

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Seconds between the line of a stream that holds one word and that with the other.
fn between(stream: impl std::io::Read, begin: &str, end: &str) -> Result<f64, String> {
    let mut lines = BufReader::new(stream).lines();
    let mut find = |word: &str| {
        lines
            .by_ref()
            .map_while(Result::ok)
            .find(|line| line.contains(word))
            .map(|_| Instant::now())
            .ok_or_else(|| format!("it ended before it said `{word}`"))
    };
    let (begin, end) = (find(begin)?, find(end)?);
    Ok((end - begin).as_secs_f64())
}

fn start(command: &mut Command) -> Result<Started, String> {
    match command.stdin(Stdio::null()).spawn() {
        Ok(child) => Ok(Started(child)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err("not installed".into()),
        Err(error) => Err(error.to_string()),
    }
}

/// Seconds of a Lua program for so many rounds, without its start.
pub(super) fn lua(program: &str, text: &str, rounds: u32) -> Result<f64, String> {
    let mut command = Command::new(program);
    command
        .arg("-e")
        .arg(format!("arg = {{ [1] = \"{rounds}\" }}\n{text}"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut started = start(&mut command)?;
    let stream = started.0.stdout.take().ok_or("it has no output")?;
    between(stream, "begin", "end")
}

/// Seconds of Kamailio's route for so many rounds, without its start. It listens on a free port of the loopback.
pub(super) fn kamailio(folder: &Path, rounds: u32) -> Result<f64, String> {
    let port = UdpSocket::bind("127.0.0.1:0")
        .and_then(|socket| socket.local_addr())
        .map_err(|error| error.to_string())?
        .port();
    let file = folder.join("kamailio.cfg");
    let text = KAMAILIO
        .replace("@ROUNDS@", &rounds.to_string())
        .replace("@PORT@", &port.to_string());
    fs::write(&file, text).map_err(|error| error.to_string())?;
    let program = ["/usr/sbin/kamailio", "/usr/local/sbin/kamailio"]
        .into_iter()
        .find(|path| Path::new(path).exists())
        .unwrap_or("kamailio");
    let mut command = Command::new(program);
    // -DD: the process that is started stays the parent of its workers and ends them with itself.
    command
        .arg("-f")
        .arg(&file)
        .args(["-DD", "-E"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut started = start(&mut command)?;
    let stream = started.0.stderr.take().ok_or("it has no output")?;
    let seconds = between(stream, "strowger begin", "strowger end");
    // Killed at once, it would leave its workers behind.
    let _ = Command::new("kill")
        .arg(started.0.id().to_string())
        .status();
    let _ = started.0.wait();
    seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_between_two_lines() {
        let said = between(&b"hello\nit begins\nmore\nit ends\n"[..], "begin", "end").unwrap();
        assert!(said < 1.0);
        assert!(
            between(&b"begin\n"[..], "begin", "end")
                .unwrap_err()
                .contains("`end`")
        );
    }

    #[test]
    fn what_is_missing_is_said_to_be() {
        assert_eq!(
            lua("no-such-lua-anywhere", LOCALS, 10),
            Err("not installed".into())
        );
    }
}
