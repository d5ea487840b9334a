//! Runs LALRPOP over `grammar/` and notes the commit for reports.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a build script stops the build by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap());
    lalrpop::Configuration::new()
        .set_in_dir("grammar")
        .set_out_dir(&out)
        .emit_rerun_directives(true)
        .process()
        .expect("the grammars compile");
    println!("cargo::rerun-if-changed=grammar");

    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
    println!("cargo::rustc-env=STROWGER_COMMIT={commit}");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = output(Command::new(rustc).arg("--version")).unwrap_or_default();
    println!("cargo::rustc-env=STROWGER_RUSTC={version}");
    // What VERSION() tells of the build.
    let facts = [
        (
            "USER",
            std::env::var("USER")
                .ok()
                .or_else(|| output(Command::new("id").arg("-un"))),
        ),
        ("HOSTNAME", output(Command::new("uname").arg("-n"))),
        ("MACHINE", output(Command::new("uname").arg("-m"))),
        ("KERNEL", output(Command::new("uname").arg("-r"))),
        ("OS", output(Command::new("uname").arg("-s"))),
        ("DATE", output(&mut date())),
    ];
    for (name, value) in facts {
        let value = value.unwrap_or_else(|| "unknown".to_owned());
        println!("cargo::rustc-env=STROWGER_BUILD_{name}={value}");
    }
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    // HEAD alone does not change with a new commit on the same branch; its log does.
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && Path::new(&path).exists()
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// The time of the build, or the one that a reproducible build is told.
fn date() -> Command {
    let mut date = Command::new("date");
    date.args(["-u", "+%Y-%m-%d %H:%M:%S UTC"]);
    if let Ok(seconds) = std::env::var("SOURCE_DATE_EPOCH") {
        date.arg(format!("--date=@{seconds}"));
    }
    date
}

fn git(arguments: &[&str]) -> Option<String> {
    // Only the package's own repository counts, not one that happens to surround it.
    Path::new(".git").exists().then_some(())?;
    output(Command::new("git").args(arguments))
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
