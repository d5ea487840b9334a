//! What Originate, Dial and `ChanIsAvail` do with their arguments, in simulated calls.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use strowger::diagnostic::Level;
use strowger::host::simulate::Sounds;
use strowger::host::{Engine, RunReport, SimChannel};
use strowger::syntax::load::MemoryReader;

fn run_with(dialplan: &str, channel: SimChannel) -> RunReport {
    let engine = Engine::builder().build();
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    let mut channel = channel.sounds(Sounds::None);
    engine
        .run(engine.call("main", "s", "1"), &mut channel)
        .unwrap()
}

fn run(dialplan: &str) -> RunReport {
    run_with(dialplan, SimChannel::new())
}

fn text(report: &mut RunReport, name: &str) -> String {
    report
        .variable(name)
        .map_or(String::new(), |v| v.to_string())
}

/// A variable of the first channel that has it.
fn anywhere(report: &mut RunReport, name: &str) -> String {
    let mut values = report
        .channels
        .iter_mut()
        .filter_map(|channel| channel.variable(name.as_bytes()));
    values.next().map_or(String::new(), |v| v.to_string())
}

/// Codes and levels of the log.
fn log(report: &RunReport) -> Vec<(&'static str, Level)> {
    report
        .log()
        .map(|(_, entry, _)| (entry.code.kind, entry.level))
        .collect()
}

#[test]
fn originate_gives_the_new_channel_variables_and_a_caller() {
    let dialplan = "[main]
exten => s,1,Set(CALLERID(all)=\"Own\" <100>)
 same => n,Originate(Local/far@main,exten,main,near,1,5,c(200)n(Ann)v(one=1^__two=a=b))
 same => n,Set(R=${ORIGINATE_STATUS})
 same => n,Originate(Local/far2@main,exten,main,near2,1,5,cn)
exten => far,1,Set(GLOBAL(FAR)=${CALLERID(all)} ${one} ${two})
 same => n,Answer()
 same => n,Wait(1)
exten => near,1,Set(GLOBAL(NEAR)=${CALLERID(all)} ${one} ${two})
exten => far2,1,Set(GLOBAL(FAR2)=${CALLERID(all)})
 same => n,Answer()
 same => n,Wait(1)
exten => near2,1,NoOp()
";
    let mut report = run(dialplan);
    assert_eq!(text(&mut report, "R"), "SUCCESS");
    assert_eq!(text(&mut report, "FAR"), "\"Ann\" <200> 1 a=b");
    assert_eq!(text(&mut report, "NEAR"), "\"Ann\" <200> 1 a=b");
    assert_eq!(text(&mut report, "FAR2"), "\"Own\" <100>");
}

#[test]
fn originate_runs_subroutines_before_it_calls() {
    let dialplan = "[main]
exten => s,1,Originate(Local/far@main,app,Set,APP=${EPOCH},,5,b(sub^new^1(x))B(sub^own^1(y^z)))
 same => n,Set(R=${ORIGINATE_STATUS} ${OWN})
exten => far,1,Set(GLOBAL(FAR)=${NEW})
 same => n,Answer()
 same => n,Wait(1)
[sub]
exten => new,1,Wait(10)
 same => n,Set(NEW=new-${ARG1})
 same => n,Return()
exten => own,1,Set(OWN=own-${ARG1}-${ARG2})
 same => n,Return()
";
    let mut report = run(dialplan);
    assert_eq!(text(&mut report, "R"), "SUCCESS own-y-z");
    assert_eq!(text(&mut report, "FAR"), "new-x");
    assert!(!anywhere(&mut report, "APP").is_empty());
    assert_eq!(log(&report), []);
}

#[test]
fn originate_goes_on_at_once_with_option_a() {
    let dialplan = "[main]
exten => s,1,Originate(Local/far@main,exten,main,near,1,30,a)
 same => n,Set(R=${ORIGINATE_STATUS})
 same => n,Originate(Local/never@main,exten,main,near,1,1)
 same => n,Set(R=${R} ${ORIGINATE_STATUS} ${NEAR})
 same => n,Wait(8)
 same => n,Set(R=${R} ${NEAR})
exten => far,1,Wait(5)
 same => n,Answer()
 same => n,Wait(1)
exten => near,1,Set(GLOBAL(NEAR)=near)
exten => never,1,Wait(60)
";
    let mut report = run(dialplan);
    assert_eq!(text(&mut report, "R"), "SUCCESS UNKNOWN  near");
}

#[test]
fn what_originate_cannot_read_ends_the_call() {
    for arguments in [
        "Local/far@main,exten,main,far,nolabel",
        "Local/far@main,exten,main,far,there,5",
        "far,exten,main,far,1",
        "Local/far@main,bogus,main,far,1",
        "Local/far@main,app,NoOp,,,5,v(a=1",
    ] {
        let dialplan = format!(
            "[main]\nexten => s,1,Originate({arguments})\n same => n,Set(R=on)\nexten => far,1(here),Answer()\n"
        );
        let mut report = run(&dialplan);
        assert_eq!(
            text(&mut report, "ORIGINATE_STATUS"),
            "FAILED",
            "{arguments}"
        );
        assert_eq!(text(&mut report, "R"), "", "{arguments}");
        let levels: Vec<Level> = log(&report).into_iter().map(|(_, level)| level).collect();
        assert_eq!(levels, [Level::Error], "{arguments}");
        assert_eq!(report.channels.len(), 1, "{arguments}");
    }
    let dialplan = "[main]\nexten => s,1,Originate(Local/far@main,exten,main,far,here)\nexten => far,1(here),Answer()\n";
    assert_eq!(text(&mut run(dialplan), "ORIGINATE_STATUS"), "SUCCESS");
}

#[test]
fn a_timeout_of_originate_that_is_no_number_is_30_seconds() {
    let waited = |timeout: &str| {
        let dialplan = format!(
            "[main]\nexten => s,1,Set(T=${{EPOCH}})\n same => n,Originate(Local/far@main,app,NoOp,,,{timeout})\n \
             same => n,Set(R=$[${{EPOCH}} - ${{T}}])\nexten => far,1,Wait(100)\n"
        );
        let mut report = run(&dialplan);
        (text(&mut report, "R"), log(&report))
    };
    let notice = vec![("dial-timeout-invalid", Level::Notice)];
    assert_eq!(waited("soon"), ("30".to_owned(), notice));
    assert_eq!(waited(""), ("30".to_owned(), vec![]));
    assert_eq!(waited("7x"), ("7".to_owned(), vec![]));
}

/// What the called side of a Dial sees of its caller.
fn seen(options: &str) -> String {
    let dialplan = format!(
        "[main]
exten => s,1,Set(CALLERID(all)=\"Own\" <100>)
 same => n,Set(CALLERID(tag)=own)
 same => n,Set(CALLERID(pres)=prohib_failed_screen)
 same => n,Dial(Local/far@main,5,{options})
exten => far,1,Set(GLOBAL(R)=${{CALLERID(all)}} ${{CALLERID(tag)}} ${{CALLERID(pres)}})
"
    );
    text(&mut run(&dialplan), "R")
}

#[test]
fn a_called_channel_sees_the_tag_and_the_presentation_of_its_caller() {
    assert_eq!(seen(""), "\"Own\" <100> own prohib_failed_screen");
    assert_eq!(seen("s(t1)"), "\"Own\" <100> t1 prohib_failed_screen");
    assert_eq!(seen("u(prohib)s(t1)"), "\"Own\" <100> t1 prohib");
    assert_eq!(
        seen("u(nonsense)"),
        "\"Own\" <100> own prohib_failed_screen"
    );
    assert_eq!(
        seen("f(\"Ann\" <200>)"),
        "\"Ann\" <200>  allowed_not_screened"
    );
    assert_eq!(
        seen("f(\"Ann\" <200>)s(t2)u(unavailable)"),
        "\"Ann\" <200> t2 unavailable"
    );
}

/// What `ChanIsAvail` says.
fn available(arguments: &str) -> [String; 4] {
    let dialplan =
        format!("[main]\nexten => s,1,ChanIsAvail({arguments})\nexten => there,1,NoOp()\n");
    let channel = SimChannel::new().dial("PJSIP/away", "CHANUNAVAIL");
    let mut report = run_with(&dialplan, channel);
    [
        "AVAILCHAN",
        "AVAILORIGCHAN",
        "AVAILSTATUS",
        "AVAILCAUSECODE",
    ]
    .map(|name| text(&mut report, name))
}

#[test]
fn a_device_is_available_when_it_could_be_dialled() {
    assert_eq!(
        available("PJSIP/a&PJSIP/b"),
        ["PJSIP/a-00000001", "PJSIP/a", "1", "0"]
    );
    assert_eq!(available("PJSIP/away"), ["", "", "5", "20"]);
    assert_eq!(available("Nosuch/x"), ["", "", "4", "66"]);
    assert_eq!(
        available("PJSIP/away&PJSIP/b/sip:b"),
        ["PJSIP/b-00000001", "PJSIP/b/sip:b", "5&1", "20&0"]
    );
    assert_eq!(
        available("PJSIP/a&PJSIP/away&Nosuch/x&IAX2/c,a"),
        [
            "PJSIP/a-00000001&IAX2/c-00000002",
            "PJSIP/a&IAX2/c",
            "1&5&4&1",
            "0&20&66&0"
        ]
    );
}

#[test]
fn a_destination_needs_a_resource() {
    let mut report = run(
        "[main]\nexten => s,1,Dial(PJSIP/,5)\n same => n,Set(R=on)\nexten => h,1,Set(H=${DIALSTATUS})\n",
    );
    assert_eq!(text(&mut report, "R"), "");
    assert_eq!(text(&mut report, "H"), "INVALIDARGS");
}

#[test]
fn g_goes_on_after_a_subroutine_that_aborts() {
    let status = |options: &str| {
        let mut report = run(&format!(
            "[main]\nexten => s,1,Dial(Local/far@main,5,{options}U(sub))\n same => n,Set(R=${{DIALSTATUS}})\n\
             exten => far,1,Answer()\n same => n,Wait(1)\n\
             [sub]\nexten => s,1,Set(GOSUB_RESULT=ABORT)\n same => n,Return()\n"
        ));
        text(&mut report, "R")
    };
    assert_eq!(status(""), "");
    assert_eq!(status("g"), "ANSWER");
}

#[test]
fn only_the_own_technology_is_transferred() {
    let mut report = run(
        "[main]\nexten => s,1,Transfer(Nosuch/bob)\n same => n,Set(R=${TRANSFERSTATUS})\n\
         same => n,Transfer(bob)\n same => n,Set(S=${TRANSFERSTATUS})\n",
    );
    assert_eq!(text(&mut report, "R"), "FAILURE");
    assert_eq!(text(&mut report, "S"), "UNSUPPORTED");
}
