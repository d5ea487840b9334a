//! Loading by an engine: texts are substituted with its functions and globals.

use serde_json::{Value, json};
use strowger::host::Engine;
use strowger::syntax::load::MemoryReader;
use strowger::syntax::print::json;

/// The object of `show --json`.
fn shown(text: &str) -> Value {
    let mut reader = MemoryReader::new().with("extensions.conf", text);
    let (plan, report) = Engine::builder()
        .build()
        .read_plan("extensions.conf", &mut reader);
    json::plan(plan.as_ref(), &report)
}

#[test]
fn angles_are_substituted_while_loading() {
    let rest = "[a]\nexten => $<N>/$<N>9,1,A\nexten => h1,hint,$<GLOBAL(D)>/$<EXTEN>\n\
                include => $<N>\nswitch => $<N>/x\n[12]\n";
    let globals = "[globals]\nD=PJSIP\nN=$<LEN(abc)>\nN=1$<MATH($<N>-1,i)>\n";
    let general = "[general]\nanglesubstitution=yes\n";
    for text in [
        format!("{general}{globals}{rest}"),
        format!("{rest}{globals}{general}"),
    ] {
        let plan = shown(&text);
        assert_eq!(plan["globals"], json!(["D=PJSIP", "N=12"]));
        let contexts = plan["contexts"].as_array().unwrap();
        let a = contexts.iter().find(|c| c["name"] == "a").unwrap();
        assert_eq!(a["extens"][0]["exten"], "12");
        assert_eq!(a["extens"][0]["cid"], "129");
        assert_eq!(a["extens"][1]["priorities"][0]["app"], "PJSIP/h1");
        assert_eq!(a["includes"], json!(["12"]));
        assert_eq!(a["switches"][0]["name"], "12");
    }
    let plan = shown("[globals]\nN=$<LEN(abc)>\n");
    assert_eq!(plan["globals"], json!(["N=$<LEN(abc)>"]));
}

#[test]
fn functions_that_cannot_be_written_by_globals_are_logged() {
    let plan = shown("[globals]\nA=1\nNoSuch(x)=2\nLEN(x)=3\nDB(a/b)=4\nC=${DB(a/b)}\n");
    assert_eq!(plan["globals"], json!(["A=1", "C=4"]));
    assert_eq!(
        plan["log"],
        json!([
            {"level": "error", "kind": "func-unknown"},
            {"level": "error", "kind": "func-not-writable"}
        ])
    );
    let mut reader = MemoryReader::new().with("e", "[globals]\n\nNoSuch(x)=2\n");
    let (_, report) = Engine::builder().build().read_plan("e", &mut reader);
    assert_eq!(report.diagnostics()[0].place.unwrap().line, 3);
}
