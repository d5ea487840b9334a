//! Query rules as a dialplan on an engine: one session of queries.

use std::sync::Arc;

use crate::base::Text;
use crate::diagnostic::{Report, Severity};
use crate::host::{Engine, outside};
use crate::machine::{Call, Effect, EndReason, Event, Flow};
use crate::rules::dialplan::ENTRY;
use crate::rules::{Numbers, Outcome, Query, RuleSet, Work, digest};
use crate::syntax::load::MemoryReader;

pub use crate::rules::dialplan::Style;

/// Where a query's call ends: its variables are read there.
const ASKED: &str = "QueryAsked";

/// A session whose rules run as a dialplan.
#[derive(Debug)]
pub struct DialplanSession {
    engine: Arc<Engine>,
    rules_digest: crate::rules::DigestSettings,
    style: Style,
    /// The flag that the last query left, as text.
    next_query_flag_in: Vec<u8>,
}

/// What the dialplan answered.
#[derive(Debug, Clone)]
pub struct Answer {
    numbers: Numbers,
    matched: Vec<i64>,
    rewritten: Option<Vec<u8>>,
    error_msg: Option<Vec<u8>>,
    ok_msg: Option<Vec<u8>>,
    flag: i32,
    next_query_flag_in: i32,
    work: Work,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            numbers: Numbers::UNSET,
            matched: Vec::new(),
            rewritten: None,
            error_msg: None,
            ok_msg: None,
            flag: 0,
            next_query_flag_in: -1,
            work: Work::default(),
        }
    }
}

impl Answer {
    /// The same as the rules themselves answer.
    pub fn outcome(&self) -> Outcome<'_> {
        Outcome::new(
            self.numbers,
            &self.matched,
            self.rewritten.as_deref(),
            (self.error_msg.as_deref(), self.ok_msg.as_deref()),
            (self.flag, self.next_query_flag_in),
            self.work,
        )
    }
}

impl DialplanSession {
    /// Loads the rules as a dialplan. Rules that the style cannot express are added to the report of the rules, and
    /// then there is no session.
    pub fn new(rules: &RuleSet, style: Style, report: &mut Report) -> Result<Self, String> {
        let before = report.diagnostics().len();
        let mut text = rules.dialplan(style, report);
        if let Some([first, others @ ..]) = report.diagnostics().get(before..) {
            let mut message = first.message.clone();
            match others.len() {
                0 => {}
                1 => message.push_str("; another rule is refused too"),
                n => message.push_str(&format!("; {n} other rules are refused too")),
            }
            return Err(message);
        }
        let (context, exten) = ENTRY;
        text.extend_from_slice(
            format!(
                "\n[rules-session]\nexten => s,1,Gosub({context},{exten},1)\n same => n,{ASKED}()\n"
            )
            .as_bytes(),
        );
        let engine = Engine::builder()
            .application(ASKED, |_, _| {
                Flow::wait(Effect::Custom {
                    name: Text::from(ASKED),
                    data: Text::EMPTY,
                })
            })
            .build();
        let mut reader = MemoryReader::new().with("rules.conf", text);
        let report = engine
            .load_from("rules.conf", &mut reader)
            .map_err(|error| error.to_string())?;
        if let Some(wrong) = report
            .diagnostics()
            .iter()
            .find(|d| d.severity >= Severity::Warning)
        {
            return Err(report.line(wrong));
        }
        Ok(Self {
            engine: Arc::new(engine),
            rules_digest: rules.settings().digest,
            style,
            next_query_flag_in: Vec::new(),
        })
    }

    /// Asks the rules about a query.
    pub fn ask(&mut self, query: &Query<'_>) -> Result<Answer, String> {
        let mut call = self.engine.call("rules-session", "s", "1");
        let text_digest = digest(query.text, &self.rules_digest);
        {
            let mut cx = call.cx();
            let mut set = |name: &[u8], value: &[u8]| cx.set(name, value);
            set(b"QUERY", query.text);
            set(b"USER", query.user);
            set(b"SCHEMA", query.schema);
            set(b"DIGEST", &text_digest);
            set(b"NEXT_QUERY_FLAGIN", &self.next_query_flag_in);
            if let Some(client) = query.client {
                set(b"CLIENT", client);
            }
            if let Some(address) = query.proxy_addr {
                set(b"PROXY_ADDR", address);
            }
            set(b"PROXY_PORT", query.proxy_port.to_string().as_bytes());
        }
        run(&mut call)?;
        let cx = call.cx();
        let text = |name: &str| cx.text_of(name.as_bytes());
        let number = |name: &str| number(&text(name)).unwrap_or(-1);
        let message = |name: &str| {
            let there = cx.variable(name.as_bytes()).is_some();
            let text = text(name);
            // Without an application that removes variables, an empty one is none.
            (there && (self.style == Style::Native || !text.is_empty())).then_some(text)
        };
        let mut numbers = Numbers::read(number);
        if self.style == Style::Plain {
            crate::rules::override_by_comment(query.text, &self.rules_digest, &mut numbers);
        }
        let counts = |name: &str| u64::try_from(number(name)).unwrap_or(0);
        self.next_query_flag_in = text("NEXT_QUERY_FLAGIN");
        Ok(Answer {
            matched: text("RULES_MATCHED")
                .split(|&byte| byte == b',')
                .filter_map(|id| std::str::from_utf8(id).ok()?.parse().ok())
                .collect(),
            rewritten: (!text("QUERY_REWRITTEN").is_empty()).then(|| text("QUERY")),
            error_msg: message("ERROR_MSG"),
            ok_msg: message("OK_MSG"),
            flag: number("FLAG"),
            next_query_flag_in: number("NEXT_QUERY_FLAGIN"),
            work: Work {
                walked: counts("RULES_WALKED"),
                tested: counts("RULES_TESTED"),
                automaton_runs: 0,
            },
            numbers,
        })
    }
}

fn number(text: &[u8]) -> Option<i32> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Why there is no answer.
fn ended(reason: EndReason) -> String {
    let why = match reason {
        EndReason::Limit(code) => code.title,
        _ => "the call is over",
    };
    format!("the dialplan of the rules ended before it answered: {why}")
}

fn run(call: &mut Call) -> Result<(), String> {
    let mut event = Event::Start;
    loop {
        event = match call.step(event) {
            Effect::End(outcome) => return Err(ended(outcome.reason)),
            Effect::Custom { name, .. } if name.as_bytes() == ASKED.as_bytes() => return Ok(()),
            Effect::Outside(request) => outside::answer(&request, call.cx().allow()),
            Effect::Yield => Event::Resume,
            _ => Event::Done,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::code;

    #[test]
    fn the_end_without_an_answer_is_a_sentence() {
        for (reason, why) in [
            (EndReason::Hangup, "the call is over"),
            (
                EndReason::Limit(&code::LIMIT_PRIORITIES),
                "the call executed more priorities than allowed",
            ),
        ] {
            let expected = format!("the dialplan of the rules ended before it answered: {why}");
            assert_eq!(ended(reason), expected);
        }
    }
}
