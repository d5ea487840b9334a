//! The original as a baseline: a configuration of its own, started on its own, asked over its own socket.
//!
//! No module that listens to a network is loaded. The dialplan notes the times at which its loop begins and ends in
//! globals; `dialplan show globals` tells them. As installed, and with the events of channels declined.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Options, Side};

/// A loop as Asterisk runs it.
pub(super) struct Loop {
    /// Lines before the loop, the loop, and a line labelled `end` after it; without `n(`time`)`.
    lines: &'static str,
    /// The extension that is called.
    exten: &'static str,
    /// Executed lines of a round.
    each: f64,
    rounds: u32,
}

pub(super) const COUNTING: Loop = Loop {
    lines: "\
exten => _8X.,n,Set(iterations=@ROUNDS@)
exten => _8X.,n,Set(i=$[1])
exten => _8X.,n(top),GotoIf($[${i}<${iterations}]?go:end)
exten => _8X.,n(go),NoOp(Hello)
exten => _8X.,n,Set(i=$[${i}+1])
exten => _8X.,n,Goto(top)
",
    exten: "810",
    each: 4.0,
    rounds: 500_000,
};

pub(super) const MIXED: Loop = Loop {
    lines: "\
exten => _8X.,n,Set(n=@ROUNDS@)
exten => _8X.,n,Set(cid=5559999)
exten => _8X.,n,Set(tries=0)
exten => _8X.,n(top),GotoIf($[${tries}>=${n}]?end)
exten => _8X.,n,Set(num=${EXTEN:1})
exten => _8X.,n,Set(dest=PJSIP/${num}@trunk-${GROUP})
exten => _8X.,n,GotoIf($[\"${cid}\" = \"5551234\"]?end)
exten => _8X.,n,Set(len=${LEN(${num})})
exten => _8X.,n,ExecIf($[${len} > 7]?Set(acct=long))
exten => _8X.,n,NoOp(call to ${dest})
exten => _8X.,n,Set(tries=$[${tries}+1])
exten => _8X.,n,Set(acct=${acct}-${num:-4})
exten => _8X.,n,Goto(top)
",
    exten: "812125551",
    each: 10.0,
    rounds: 100_000,
};

/// How long a start or a loop may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// What Asterisk keeps of channels for those who listen to its events.
const DECLINED: &str = "\
[declined_message_types]
decline=ast_channel_snapshot_type
decline=ast_channel_dial_type
decline=ast_channel_varset_type
decline=ast_channel_hangup_request_type
decline=ast_channel_user_event_type
";

/// Both baselines, with the ratios that are to be reached; none where no program was named.
pub(super) fn sides<'a>(
    options: &Options<'_>,
    folder: &'a Path,
    plan: &'static Loop,
    goals: [Option<f64>; 2],
) -> Vec<Side<'a>> {
    let Some(program) = options.asterisk.clone() else {
        return vec![Side::new("asterisk", || {
            Err("not asked for (--asterisk PATH)".into())
        })];
    };
    let rounds = options.size(plan.rounds);
    let names = [
        ("asterisk as installed", false),
        ("asterisk, events declined", true),
    ];
    names
        .into_iter()
        .zip(goals)
        .map(|((name, declined), goal)| {
            let program = program.clone();
            let side = Side::new(name, move || {
                let running = Running::start(&program, folder, plan, rounds, declined)?;
                let seconds = running.seconds(plan)?;
                Ok(f64::from(rounds) * plan.each / seconds)
            });
            Side { goal, ..side }
        })
        .collect()
}

/// An Asterisk that ends with this value.
struct Running {
    child: Child,
    program: PathBuf,
    folder: PathBuf,
}

impl Running {
    fn start(
        program: &Path,
        folder: &Path,
        plan: &Loop,
        rounds: u32,
        declined: bool,
    ) -> Result<Self, String> {
        let folder = folder.join("asterisk");
        write_configuration(program, &folder, plan, rounds, declined)
            .map_err(|error| error.to_string())?;
        let child = Command::new(program)
            .arg("-f")
            .arg("-C")
            .arg(folder.join("asterisk.conf"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let mut running = Self {
            child,
            program: program.to_owned(),
            folder,
        };
        let begin = Instant::now();
        while !running.ask("core waitfullybooted").contains("fully booted") {
            if running.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return Err("it ended while it started".into());
            }
            if begin.elapsed() > PATIENCE {
                return Err("it did not start".into());
            }
            sleep(Duration::from_millis(200));
        }
        Ok(running)
    }

    /// A command of its console; what it prints.
    fn ask(&self, command: &str) -> String {
        Command::new(&self.program)
            .arg("-C")
            .arg(self.folder.join("asterisk.conf"))
            .args(["-rx", command])
            .stdin(Stdio::null())
            .output()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default()
    }

    /// Runs the loop on a local channel; its seconds.
    fn seconds(&self, plan: &Loop) -> Result<f64, String> {
        let exten = plan.exten;
        self.ask(&format!(
            "channel originate Local/{exten}@bench/n application Wait 3600"
        ));
        let begin = Instant::now();
        loop {
            let globals = self.ask("dialplan show globals");
            if let (Some(began), Some(ended)) =
                (global(&globals, "BEGAN"), global(&globals, "ENDED"))
            {
                return Ok(ended - began);
            }
            if begin.elapsed() > PATIENCE {
                return Err("its loop did not end".into());
            }
            sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.ask("core stop now");
        for _ in 0..50 {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            sleep(Duration::from_millis(100));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The value of `   NAME=value` in the list of globals, as seconds.
fn global(list: &str, name: &str) -> Option<f64> {
    list.lines()
        .filter_map(|line| line.trim().split_once('='))
        .find(|(found, _)| *found == name)
        .and_then(|(_, value)| value.parse().ok())
}

fn write_configuration(
    program: &Path,
    folder: &Path,
    plan: &Loop,
    rounds: u32,
    declined: bool,
) -> std::io::Result<()> {
    let _ = fs::remove_dir_all(folder);
    for name in ["run", "log", "spool", "keys"] {
        fs::create_dir_all(folder.join(name))?;
    }
    let here = folder.display();
    // An installation under a prefix of its own has its modules there; else those compiled in are taken.
    let modules = program
        .parent()
        .and_then(Path::parent)
        .map(|prefix| prefix.join("lib/asterisk/modules"))
        .filter(|modules| modules.is_dir())
        .map(|modules| format!("astmoddir => {}\n", modules.display()))
        .unwrap_or_default();
    fs::write(
        folder.join("asterisk.conf"),
        format!(
            "[directories]\nastetcdir => {here}\nastrundir => {here}/run\nastlogdir => {here}/log\n\
             astspooldir => {here}/spool\nastdbdir => {here}/run\nastkeydir => {here}/keys\n{modules}\
             [options]\nnocolor = yes\nlive_dangerously = yes\n"
        ),
    )?;
    fs::write(
        folder.join("modules.conf"),
        "[modules]\nautoload=no\nload=pbx_config.so\nload=func_strings.so\nload=func_global.so\n\
         load=app_exec.so\n",
    )?;
    fs::write(folder.join("logger.conf"), "[general]\n[logfiles]\n")?;
    if declined {
        fs::write(folder.join("stasis.conf"), DECLINED)?;
    }
    let time = "${STRFTIME(,UTC,%s.%3q)}";
    let lines = plan.lines.replace("@ROUNDS@", &rounds.to_string());
    fs::write(
        folder.join("extensions.conf"),
        format!(
            "[globals]\nGROUP=a\n[bench]\nexten => _8X.,1,Answer()\n\
             exten => _8X.,n,Set(GLOBAL(BEGAN)={time})\n{lines}\
             exten => _8X.,n(end),Set(GLOBAL(ENDED)={time})\nexten => _8X.,n,Hangup()\n"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_from_the_list_of_globals() {
        let list =
            "   GROUP=a\n   BEGAN=1788000000.250\n   ENDED=1788000002.750\n\n    -- 3 variables\n";
        assert_eq!(global(list, "BEGAN"), Some(1_788_000_000.25));
        assert_eq!(global(list, "ENDED"), Some(1_788_000_002.75));
        assert_eq!(global(list, "NEVER"), None);
    }
}
