//! Calls as values: waiting at every position, both ways of substitution, limits, hang-up at every effect.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

mod driver;

use driver::{Driver, Peer, Seen, Watch, call_at, engine, load};
use std::sync::Arc;
use strowger::base::Text;
use strowger::host::Engine;
use strowger::library::Function;
use strowger::machine::{
    Answer, Call, Cx, Effect, EndReason, Event, Flow, Limits, Outcome, ReadBody,
};

/// An engine with `ASK(x)` and `Ask(x)`, which give `<x>`: at once, or after an effect.
fn asking(waits: bool, dialplan: &str) -> (Engine, Arc<driver::Clock>) {
    let clock = Arc::new(driver::Clock::default());
    let wrap = |text: &[u8]| [b"<", text, b">"].concat();
    let ask = move |_: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>| {
        let value = wrap(arguments);
        if !waits {
            out.extend_from_slice(&value);
            return Answer::Done;
        }
        let effect = Effect::Custom {
            name: "ASK".into(),
            data: Text::from(arguments),
        };
        Answer::Await(
            effect,
            Box::new(move |_, event, out| {
                if let Event::Hangup(_) = event {
                    Answer::Failed
                } else {
                    out.extend_from_slice(&value);
                    Answer::Done
                }
            }),
        )
    };
    let engine = Engine::builder()
        .environment(clock.clone())
        .registry(move |registry| {
            registry.add_function(Function {
                name: "ASK".into(),
                synopsis: "",
                syntax: "",
                doc: "",
                support: strowger::library::Support::Full,
                origin: strowger::library::Origin::Strowger,
                examples: &[],
                read: Some(ReadBody::Shared(Arc::new(ask))),
                write: None,
                in_expressions: true,
                pure: false,
                matches: false,
            });
        })
        .application("Ask", move |cx, data| {
            let value = format!("<{data}>");
            if !waits {
                cx.set(b"ASKED", value.as_bytes());
                return Flow::Next;
            }
            let effect = Effect::Custom {
                name: "Ask".into(),
                data: Text::from(data),
            };
            Flow::wait_then(effect, move |cx, event| {
                if let Event::Hangup(_) = event {
                    Flow::Leave
                } else {
                    cx.set(b"ASKED", value.as_bytes());
                    Flow::Next
                }
            })
        })
        .build();
    load(&engine, dialplan.as_bytes());
    (engine, clock)
}

/// What a run leaves behind.
fn run(mut call: Call, driver: &mut Driver) -> (Outcome, Vec<(Text, Text)>) {
    let outcome = driver.run(&mut call);
    let mut variables = call.variables();
    variables.sort();
    (outcome, variables)
}

const TEMPLATES: &[&str] = &[
    "${ASK(a)}",
    "a${ASK(b)}c",
    "${ASK(${ASK(c)})}",
    "${ASK(abcdef):1:3}",
    "x${ASK(${X})}y${X}z",
    "${${ASK(X):1:1}}",
    "$[${LEN(${ASK(ab)})} + 1]",
    "$[\"${ASK(q)}\" = \"<q>\"]",
    "$[${X} + ${LEN(${ASK(${X})})}]",
    "${IF($[${LEN(${ASK(a)})} > 2]?${ASK(yes)}:${ASK(no)})}",
    "${FILTER(a-z,${ASK(a)}${ASK(b)})}",
    "${EVAL(${Y})}",
    "${SHIFT(L)}${ASK(s)}${L}",
    "${INC(X)}${ASK(${X})}${INC(X)}",
    "${CUT(L,\\,,2)}${ASK(${CUT(L,\\,,1)})}",
    "${ASK(a)",
    "$[1 + ${ASK(1)}",
];

/// A line with an application that waits follows the line with the template.
fn template_plan(template: &str) -> String {
    format!(
        "[main]\nexten => s,1,Set(X=5)\n same => n,Set(L=p,q,r)\n same => n,Set(Y=\\${{ASK(e)}})\n \
         same => n,Set(R={template})\n same => n,NoOp(n{template})\n same => n,Ask({template})\n \
         same => n,ExecIf($[1]?Ask({template}))\n same => n,Exec(Ask(${{ASK(in)}}))\n \
         same => n,GotoIf($[\"{template}\" = \"\"]?end)\n same => n,Gosub(sub,1({template}))\n \
         same => n(end),Set(Z=${{R}})\n same => n,Hangup()\n\
         exten => sub,1,Set(LOCAL(v)=${{ARG1}}{template})\n same => n,Return(${{v}}{template})\n\
         exten => h,1,Set(H={template})\n"
    )
}

#[test]
fn waiting_anywhere_gives_what_an_immediate_answer_gives() {
    for template in TEMPLATES {
        let plan = template_plan(template);
        let mut all = Vec::new();
        for waits in [false, true] {
            for textual in [false, true] {
                for watched in [false, true] {
                    let (engine, clock) = asking(waits, &plan);
                    let mut call = call_at(&engine, "main", "s", true);
                    if textual {
                        call = call.textual();
                    }
                    let watch = Watch::default();
                    if watched {
                        call = call.with_observer(Box::new(watch.clone()));
                    }
                    let mut driver = Driver::new(clock, Peer::default());
                    let result = run(call, &mut driver);
                    let seen = watch.0.lock().unwrap().clone();
                    assert!(!waits || driver.effects.len() > 4, "{template}");
                    all.push((waits, watched, driver.effects, seen, result));
                }
            }
        }
        let first = &all[0].4;
        for (waits, watched, effects, seen, result) in &all {
            assert_eq!(result, first, "{template}, waits {waits}");
            let same_way = all.iter().filter(|other| other.0 == *waits);
            for other in same_way {
                assert_eq!(&other.2, effects, "{template}: effects");
            }
            for other in all.iter().filter(|other| other.1 == *watched) {
                assert_eq!(&other.3, seen, "{template}: seen");
            }
        }
    }
}

/// Hung up at its n-th effect a call ends, runs `h` once, and no more effect waits.
#[test]
fn hang_up_at_every_effect() {
    let plan = template_plan("${ASK(a)}") + " same => n,Wait(1)\n same => n,Set(NEVER=1)\n";
    let plan = plan.replace(
        "same => n(end)",
        "same => n,Wait(1)\n same => n,WaitExten(1)\n same => n,Read(D,,1)\n same => n,Playback(f)\n \
         same => n,BackGround(g)\n same => n,Answer()\n same => n,SayDigits(12)\n same => n(end)",
    ) + "exten => _X,1,NoOp\n";
    let (engine, clock) = asking(true, &plan);
    let mut whole = Driver::new(clock, Peer::default());
    run(call_at(&engine, "main", "s", false), &mut whole);
    assert!(whole.effects.len() > 10, "{}", whole.effects.len());
    for at in 0..whole.effects.len() {
        let (engine, clock) = asking(true, &plan);
        let watch = Watch::default();
        let call = call_at(&engine, "main", "s", false).with_observer(Box::new(watch.clone()));
        let mut driver = Driver::new(clock, Peer::default());
        driver.hang_up_at = Some(at);
        let (outcome, variables) = run(call, &mut driver);
        let Seen { trace, .. } = watch.0.lock().unwrap().clone();
        assert_eq!(outcome.cause, 16, "effect {at}");
        assert_eq!(outcome.reason, EndReason::Hangup, "effect {at}");
        let in_h = trace.iter().filter(|line| line.1 == "h").count();
        assert!((1..=2).contains(&in_h), "effect {at}: {trace:?}");
        assert!(
            variables
                .iter()
                .all(|(name, _)| name.as_bytes() != b"NEVER"),
            "effect {at}"
        );
    }
}

#[test]
fn fuel_yields_and_changes_nothing() {
    let plan = "[main]\nexten => s,1,Set(i=0)\n same => n(top),Set(i=$[${i}+1])\n same => n,NoOp(x)\n \
                same => n,GotoIf($[${i} < 1000]?top)\n same => n,Set(R=${i})\n";
    let mut results = Vec::new();
    for fuel in [1, 7, 64, 65_536] {
        let clock = Arc::new(driver::Clock::default());
        let limits = Limits {
            fuel,
            ..Limits::default()
        };
        let engine = Engine::builder()
            .environment(clock.clone())
            .limits(limits)
            .build();
        load(&engine, plan.as_bytes());
        let mut driver = Driver::new(clock, Peer::default());
        let result = run(call_at(&engine, "main", "s", true), &mut driver);
        // A step may run up to 15 priorities more than its fuel.
        assert!(driver.yields >= 3000 / (fuel as usize + 15), "{fuel}");
        results.push(result);
    }
    assert!(results.iter().all(|r| r == &results[0]), "{results:?}");
    assert_eq!(results[0].0.priorities, 3002);
}

#[test]
fn limits_end_a_call_by_name() {
    let limits = Limits {
        max_priorities: 1000,
        max_gosub_depth: 20,
        max_memory: 100_000,
        ..Limits::default()
    };
    let cases = [
        ("exten => s,1,Goto(1)", "limit-priorities"),
        ("exten => s,1,Gosub(s,1)", "limit-gosub-depth"),
        ("exten => s,1,Exec(${X})", "limit-nesting"),
    ];
    for (line, kind) in cases {
        for textual in [false, true] {
            let clock = Arc::new(driver::Clock::default());
            let engine = Engine::builder()
                .environment(clock.clone())
                .limits(limits)
                .build();
            load(&engine, format!("[main]\n{line}\n").as_bytes());
            let mut call = call_at(&engine, "main", "s", true).with("X", "Exec(${X})");
            if textual {
                call = call.textual();
            }
            let (outcome, _) = run(call, &mut Driver::new(clock, Peer::default()));
            let EndReason::Limit(code) = outcome.reason else {
                panic!("{line}: {outcome:?}");
            };
            assert_eq!(code.kind, kind, "{line}");
        }
    }
}

/// Blocks, as far as no recorded case has them.
#[test]
fn blocks() {
    let plan = "[main]\nexten => s,1,Set(n=0)\n same => n,If($[${n} > 0])\n same => n,Set(R=then)\n \
                same => n,If(1)\n same => n,EndIf()\n same => n,Else()\n same => n,Set(R=${R}else)\n \
                same => n,EndIf()\n same => n,If(1)\n same => n,Set(S=then)\n same => n,ElseIf(0)\n \
                same => n,Set(S=${S}-elseif)\n same => n,Else()\n same => n,Set(S=${S}-else)\n \
                same => n,EndIf()\n same => n,If(1)\n same => n,Set(T=1)\n same => n,ExitIf()\n \
                same => n,Set(T=2)\n same => n,EndIf()\n same => n,If(0)\n same => n,Set(U=1)\n";
    let (engine, clock) = engine(plan.as_bytes());
    let watch = Watch::default();
    let call = call_at(&engine, "main", "s", true).with_observer(Box::new(watch.clone()));
    let (_, variables) = run(call, &mut Driver::new(clock, Peer::default()));
    let value = |name: &str| {
        variables
            .iter()
            .find(|(n, _)| n.as_bytes() == name.as_bytes())
            .map(|(_, v)| v.lossy().into_owned())
    };
    assert_eq!(value("R").as_deref(), Some("else"));
    // A branch after a false ElseIf runs although the first one did.
    assert_eq!(value("S").as_deref(), Some("then-else"));
    assert_eq!(value("T").as_deref(), Some("1"));
    assert_eq!(value("U").as_deref(), Some("1"));
    assert_eq!(watch.0.lock().unwrap().log, [("warning", "endif-missing")]);
}

/// Steps to the next effect that is no yield.
fn next_effect(call: &mut Call, mut event: Event) -> Effect {
    loop {
        match call.step(event) {
            Effect::Yield => event = Event::Resume,
            effect => return effect,
        }
    }
}

#[test]
fn a_reload_is_seen_at_the_next_priority_with_all_variables() {
    let engine = Engine::builder().build();
    let old = "[m]\nexten => s,1,Set(A=1)\n same => n,Gosub(sub,1(x,y))\n same => n,Set(Q=old)\n same => n,Wait(1)\n \
               same => n,Set(Z=old)\nexten => sub,1,Set(LOCAL(L)=loc)\n same => n,Wait(1)\n same => n,Set(R=old)\n \
               same => n,Return(old)\n";
    let new = "[m]\nexten => s,1,NoOp(a,${Other},${Names})\n same => 3,Set(Q=new${GOSUB_RETVAL})\n same => n,Wait(1)\n\
               exten => sub,3,Set(R=new${L}${ARG2}${A})\n same => n,Return(ret)\n";
    load(&engine, old.as_bytes());
    let mut call = call_at(&engine, "m", "s", false);
    assert!(matches!(
        next_effect(&mut call, Event::Start),
        Effect::Sleep(_)
    ));
    load(&engine, new.as_bytes());
    assert!(matches!(
        next_effect(&mut call, Event::Done),
        Effect::Sleep(_)
    ));
    assert_eq!(call.variable(b"R").unwrap(), *"newlocy1");
    assert_eq!(call.variable(b"Q").unwrap(), *"newret");
    // Without the extension the call ends where it is.
    load(&engine, b"[m]\nexten => other,1,NoOp\n");
    let end = next_effect(&mut call, Event::Done);
    assert!(matches!(end, Effect::End(_)), "{end:?}");
    assert!(call.variable(b"Z").is_none());
    // Stepping again gives the same answer, whatever the event.
    assert_eq!(call.step(Event::Hangup(5)), end);
}

#[test]
fn a_loop_of_direct_operations_sees_a_reload() {
    let engine = Engine::builder().build();
    let plan = |step: &str| {
        format!(
            "[m]\nexten => s,1,Set(i=0)\n same => n(top),Set(i=$[${{i}}+1])\n same => n,{step}\n"
        )
    };
    load(&engine, plan("Goto(top)").as_bytes());
    let mut call = call_at(&engine, "m", "s", false);
    assert_eq!(call.step(Event::Start), Effect::Yield);
    load(&engine, plan("Set(done=${i})").as_bytes());
    assert!(matches!(
        next_effect(&mut call, Event::Resume),
        Effect::End(_)
    ));
    assert!(call.variable(b"done").is_some());
}
