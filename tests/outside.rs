//! Files and commands from a dialplan, with and without leave, and locks between two calls.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use strowger::host::{Engine, outside};
use strowger::machine::{Allow, Call, Effect, Event};
use strowger::syntax::load::MemoryReader;

/// Everything that is not tried here.
const NOTHING: Allow = Allow {
    system: false,
    file: false,
    net: false,
};

fn engine(lines: &[String], allow: Allow) -> Engine {
    let mut file = String::from("[main]\n");
    for (i, line) in lines.iter().enumerate() {
        file.push_str(&format!("exten => s,{},{line}\n", i + 1));
    }
    let engine = Engine::builder().allow(allow).build();
    let mut reader = MemoryReader::new().with("extensions.conf", file);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    engine
}

/// Runs a call to its end; how often it slept.
fn finish(engine: &Engine, call: &mut Call) -> u32 {
    let mut sleeps = 0;
    let mut event = Event::Start;
    for _ in 0..1000 {
        event = match call.step(event) {
            Effect::End(_) => return sleeps,
            Effect::Outside(request) => outside::answer(&request, engine.allow()),
            Effect::Sleep(_) => {
                sleeps += 1;
                Event::Done
            }
            _ => Event::Done,
        };
    }
    panic!("the call does not end");
}

/// The value of `R` after the lines.
fn result(lines: &[String], allow: Allow) -> String {
    let engine = engine(lines, allow);
    let mut call = engine.call("main", "s", "1");
    finish(&engine, &mut call);
    let value = call.variable(b"R").unwrap_or_default();
    value.lossy().into_owned()
}

#[test]
fn files_are_written_in_parts() {
    let path = std::env::temp_dir().join(format!("strowger-outside-{}", std::process::id()));
    let name = path.to_str().unwrap().to_owned();
    let writes = [
        (format!("FILE({name})=abcdef"), "abcdef"),
        (format!("FILE({name},2,2)=XYZ"), "abXYZef"),
        (format!("FILE({name},,,a)=!"), "abXYZef!"),
        (format!("FILE({name},,,l)=one"), "one\n"),
        (format!("FILE({name},,,al)=two"), "one\ntwo\n"),
        (format!("FILE({name},0,1,l)=1"), "1\ntwo\n"),
        (format!("FILE({name},-1,1,ld)="), "1\n"),
        (format!("FILE({name},,,al,d)=dos"), "1\ndos\r\n"),
    ];
    let allow = Allow {
        file: true,
        ..NOTHING
    };
    for (write, holds) in writes {
        result(&[format!("Set({write})")], allow);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), holds, "{write}");
    }
    result(&[format!("Set(FILE({name})=no)")], NOTHING);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "1\ndos\r\n");

    std::fs::write(&path, "first\nsecond\nthird").unwrap();
    let reads = [
        (format!("${{FILE({name},1,2)}}"), "ir"),
        (format!("${{FILE({name},-2)}}"), "rd"),
        (format!("${{FILE({name},0,-12)}}"), "first\n"),
        (format!("${{FILE({name},-2,1,l)}}"), "second\n"),
        (format!("${{FILE_COUNT_LINE({name})}}"), "2"),
        (format!("${{FILE_FORMAT({name})}}"), "u"),
        (
            format!("${{STAT(s,{name})}}${{STAT(f,{name})}}${{STAT(d,{name})}}"),
            "1810",
        ),
    ];
    for (read, gives) in reads {
        assert_eq!(
            result(&[format!("Set(R={read})")], NOTHING),
            gives,
            "{read}"
        );
    }

    std::fs::write(&path, "[a]\nx=1\n[b]\nx => 2 ; two\nX=3\n").unwrap();
    let line = format!("Set(R=${{AST_CONFIG({name},b,x)}}${{AST_CONFIG({name},b,x,-1)}})");
    assert_eq!(result(&[line], NOTHING), "23");
    std::fs::remove_file(&path).unwrap();
}

/// The opening of a pipe to write it would wait for a reader.
#[cfg(unix)]
#[test]
fn only_regular_files_are_written() {
    use std::os::unix::fs::FileTypeExt as _;
    let pipe = std::env::temp_dir().join(format!("strowger-pipe-{}", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let allow = Allow {
        file: true,
        ..NOTHING
    };
    for options in ["", ",,,a", ",,,l"] {
        let lines = [
            format!("Set(FILE({}{options})=x)", pipe.display()),
            "Set(R=on)".to_owned(),
        ];
        assert_eq!(result(&lines, allow), "on");
    }
    let kind = std::fs::symlink_metadata(&pipe).unwrap().file_type();
    assert!(kind.is_fifo());
    std::fs::remove_file(&pipe).unwrap();
}

#[test]
fn commands_run_when_they_are_allowed() {
    let lines = ["Set(R=[${SHELL(echo hello)}])".to_owned()];
    assert_eq!(result(&lines, NOTHING), "[]");
    let allow = Allow {
        system: true,
        ..NOTHING
    };
    assert_eq!(result(&lines, allow), "[hello\n]");
}

#[test]
fn a_lock_is_one_channels() {
    let lines = ["Set(R=${LOCK(x)}${TRYLOCK(y)})", "Wait(1)"].map(str::to_owned);
    let engine = engine(&lines, NOTHING);
    let mut first = engine.call("main", "s", "1");
    // It holds the locks while it waits.
    assert!(matches!(first.step(Event::Start), Effect::Sleep(_)));
    let mut second = engine.call("main", "s", "1");
    let sleeps = finish(&engine, &mut second);
    assert_eq!(second.variable(b"R").unwrap().lossy(), "00");
    assert_eq!(sleeps, 61);
    finish_from(&mut first);
    let mut third = engine.call("main", "s", "1");
    finish(&engine, &mut third);
    assert_eq!(third.variable(b"R").unwrap().lossy(), "11");
}

fn finish_from(call: &mut Call) {
    for _ in 0..1000 {
        if matches!(call.step(Event::Done), Effect::End(_)) {
            return;
        }
    }
    panic!("the call does not end");
}

#[test]
fn hints_and_device_states() {
    let lines = [
        "Set(DEVICE_STATE(Custom:a)=INUSE)",
        "Set(DEVICE_STATE(Custom:b)=RINGING)",
        "Set(R=${EXTENSION_STATE(1@main)} ${EXTENSION_STATE(2@main)} ${HINT(1@main)} ${HINT(1@main,n)})",
    ]
    .map(str::to_owned);
    let mut file =
        String::from("[main]\nexten => 1,hint,Custom:a&Custom:b\nexten => 2,hint,Custom:c\n");
    for (i, line) in lines.iter().enumerate() {
        file.push_str(&format!("exten => s,{},{line}\n", i + 1));
    }
    let engine = Engine::builder().build();
    let mut reader = MemoryReader::new().with("extensions.conf", file);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    let mut call = engine.call("main", "s", "1");
    finish(&engine, &mut call);
    assert_eq!(
        call.variable(b"R").unwrap().lossy(),
        "RINGINUSE NOT_INUSE Custom:a&Custom:b "
    );
}
